"""The log by the times of its prices: what moved between two moments, and when how much did.

A file has an index for it; PostgreSQL, whose log no desk looks back on, reads through its log.
"""

from collections.abc import Collection
from itertools import pairwise
from typing import Any, Final

from oddsdesk.store.games import NO_DATE
from oddsdesk.store.queries.conditions import may_be_told, share_parameter
from oddsdesk.store.queries.log import change_of
from oddsdesk.store.queries.select import Select
from oddsdesk.store.values import Change

_BETWEEN: Final = """
SELECT c.seq, c.game, g.game_id, g.match_name, g.competition, g.sport, c.bookmaker,
    c.market_type, c.period, c.selection, c.odds, c.is_live, c.scraped_at,
    CASE c.bookmaker WHEN :reference THEN c.liquidity END, NOT {told}
FROM price_change c {by_time} CROSS JOIN game g
WHERE g.id = c.game AND c.scraped_at > :since AND c.scraped_at <= :until
ORDER BY c.scraped_at, c.seq LIMIT :limit
"""
_ENDS: Final = (
    "SELECT min(scraped_at) FROM price_change c {by_time}",
    "SELECT max(scraped_at) FROM price_change c {by_time}",
)
_COUNT: Final = """
SELECT count(*) FROM price_change c {by_time} WHERE scraped_at >= :since AND scraped_at < :until
"""
_NEXT: Final = "SELECT min(scraped_at) FROM price_change c {by_time} WHERE scraped_at > :at"
_PREVIOUS: Final = "SELECT max(scraped_at) FROM price_change c {by_time} WHERE scraped_at < :at"
# By the game's own moves: the sign keeps a file from walking everybody's in the order of time.
_NEXT_OF: Final = (
    "SELECT min(+scraped_at) FROM price_change WHERE game = :game AND +scraped_at > :at"
)
_PREVIOUS_OF: Final = (
    "SELECT max(+scraped_at) FROM price_change WHERE game = :game AND +scraped_at < :at"
)
_GAME: Final = "SELECT id FROM game WHERE game_id = :game_id"
_KICK_OFFS: Final = f"""
SELECT kickoff, count(*) FROM game
WHERE kickoff >= :since AND kickoff < :until AND first_scraped_at < {NO_DATE}
GROUP BY kickoff ORDER BY kickoff LIMIT :limit
"""
_LARGEST: Final = """
SELECT scraped_at FROM (
    SELECT scraped_at, is_live, bookmaker, odds, lag(odds) OVER (
        PARTITION BY bookmaker, market_type, period, selection ORDER BY scraped_at, seq
    ) AS before
    FROM price_change WHERE game = :game
) moves
WHERE odds IS NOT NULL AND before IS NOT NULL
ORDER BY CASE bookmaker WHEN :reference THEN 0 ELSE 1 END, is_live,
    abs(1 / odds - 1 / before) DESC, scraped_at LIMIT 1
"""


def changes_between(
    select: Select,
    reference: str,
    since: int,
    until: int,
    limit: int,
    share: Collection[str] | None,
) -> list[Change]:
    """Return the moves of prices scraped after ``since`` and not after ``until``, in their order.

    At most ``limit``: who gets as many has to ask for the rest another way.
    """
    told = may_be_told(select, "c", share)
    asked = {"since": since, "until": until, "limit": limit, "reference": reference}
    query = _BETWEEN.format(told=told, by_time=select.sql.log.by_time)
    return [change_of(row) for row in select(query, asked | share_parameter(select, share))]


def ends(select: Select) -> tuple[int, int] | None:
    """Return the times of the first and the last price of the log; None where it is empty."""
    first, last = (_asked(select, query)[0][0] for query in _ENDS)
    return None if first is None else (int(first), int(last))


def counts(select: Select, since: int, until: int, parts: int) -> list[int]:
    """Return how many prices moved in each of so many equal parts of a span."""
    edges = [since + (until - since) * number // parts for number in range(parts + 1)]
    return [
        int(_asked(select, _COUNT, since=low, until=high)[0][0]) for low, high in pairwise(edges)
    ]


def next_move(select: Select, at: int, game_id: str | None, *, back: bool) -> int | None:
    """Return when a price moved next, or last before (``back``); of one game or of any."""
    if game_id is None:
        found = _asked(select, _PREVIOUS if back else _NEXT, at=at)
    else:
        row = _row_of(select, game_id)
        found = _asked(select, _PREVIOUS_OF if back else _NEXT_OF, at=at, game=row)
    return None if found[0][0] is None else int(found[0][0])


def largest_move(select: Select, reference: str, game_id: str) -> int | None:
    """Return when a price of a game moved most, by its probability; None where none moved.

    The reference's if it moved at all, before kick-off if any did then.
    """
    found = _asked(select, _LARGEST, game=_row_of(select, game_id), reference=reference)
    return int(found[0][0]) if found else None


def kick_offs(select: Select, since: int, until: int, limit: int) -> list[tuple[int, int]]:
    """Return the kick-offs in a span, each with how many games begin then."""
    return [
        (at, games)
        for at, games in _asked(select, _KICK_OFFS, since=since, until=until, limit=limit)
    ]


def _row_of(select: Select, game_id: str) -> int:
    found = select(_GAME, {"game_id": game_id})
    return int(found[0][0]) if found else 0


def _asked(select: Select, query: str, **asked: Any) -> list[Any]:
    return select(query.format(by_time=select.sql.log.by_time), asked)
