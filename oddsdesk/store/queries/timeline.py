"""The log by the times of its prices: what moved between two moments, and when how much did.

Game by game: a file has an index for that; PostgreSQL, whose log no desk looks back on, reads
through its log.
"""

from collections.abc import Collection
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
FROM game g CROSS JOIN price_change c {by_time}
WHERE g.first_scraped_at <= :until AND g.last_scraped_at >= :since
    AND c.game = g.id AND c.scraped_at > :since AND c.scraped_at <= :until
ORDER BY c.scraped_at, c.seq LIMIT :limit
"""
_FIRST_OF: Final = "SELECT min(scraped_at) FROM price_change c {by_time} WHERE c.game = g.id"
_LAST_OF: Final = "SELECT max(scraped_at) FROM price_change c {by_time} WHERE c.game = g.id"
_ENDS: Final = f"SELECT min(({_FIRST_OF})), max(({_LAST_OF})) FROM game g"
_COUNTS: Final = """
SELECT (c.scraped_at - :since) * :parts / (:until - :since) AS part, count(*)
FROM game g CROSS JOIN price_change c {by_time}
WHERE g.first_scraped_at < :until AND g.last_scraped_at >= :since
    AND c.game = g.id AND c.scraped_at >= :since AND c.scraped_at < :until
GROUP BY part
"""
_NEXT: Final = f"""
SELECT min(({_FIRST_OF} AND c.scraped_at > :at)) FROM game g WHERE {{which}} last_scraped_at > :at
"""
_PREVIOUS: Final = f"""
SELECT max(({_LAST_OF} AND c.scraped_at < :at)) FROM game g WHERE {{which}} first_scraped_at < :at
"""
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
    first, last = _asked(select, _ENDS)[0]
    return None if first is None else (int(first), int(last))


def counts(select: Select, since: int, until: int, parts: int) -> list[int]:
    """Return how many prices moved in each of so many equal parts of a span."""
    found = [0] * parts
    for part, count in _asked(select, _COUNTS, since=since, until=until, parts=parts):
        found[int(part)] = count
    return found


def next_move(select: Select, at: int, game_id: str | None, *, back: bool) -> int | None:
    """Return when a price moved next, or last before (``back``); of one game or of any."""
    which = "" if game_id is None else "g.game_id = :game_id AND"
    query = _PREVIOUS if back else _NEXT
    asked = {"at": at} if game_id is None else {"at": at, "game_id": game_id}
    text = query.format(by_time=select.sql.log.by_time, which=which)
    found = select(text, asked)[0][0]
    return None if found is None else int(found)


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
