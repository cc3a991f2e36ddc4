"""The log by the times of its prices: what moved between two moments, and when how much did.

Game by game: a file has an index for that; PostgreSQL, whose log no desk looks back on, reads
through its log.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from operator import add, attrgetter
from typing import Any, Final

from oddsdesk.store.games import NO_DATE
from oddsdesk.store.older import OldMoves
from oddsdesk.store.queries.conditions import may_be_told, share_parameter
from oddsdesk.store.queries.log import change_of
from oddsdesk.store.queries.older import GONE, Older
from oddsdesk.store.queries.quotes import GameRow, game_by_id
from oddsdesk.store.queries.select import Select
from oddsdesk.store.spans import LoggedMove
from oddsdesk.store.values import Change, MoveFilter

_BETWEEN: Final = """
SELECT c.seq, c.game, g.game_id, g.match_name, g.competition, g.sport, c.bookmaker,
    c.market_type, c.period, c.selection, c.odds, c.is_live, c.scraped_at,
    CASE c.bookmaker WHEN :reference THEN c.liquidity END, NOT {told}, NULL
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
WHERE g.first_scraped_at < :high AND g.last_scraped_at >= :low
    AND c.game = g.id AND c.scraped_at >= :low AND c.scraped_at < :high
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
    older: Older | None = None,
) -> list[Change]:
    """Return the moves of prices scraped after ``since`` and not after ``until``, in their order.

    At most ``limit``: who gets as many has to ask for the rest another way.
    """
    told = may_be_told(select, "c", share)
    asked = {"since": since, "until": until, "limit": limit, "reference": reference}
    query = _BETWEEN.format(told=told, by_time=select.sql.log.by_time)
    held = [change_of(row) for row in select(query, asked | share_parameter(select, share))]
    if older is None:
        return held
    wanted = OldMoves(older.before(), since=since + 1, until=until + 1)
    known = {(each.seq, each.scraped_at, each.odds) for each in held}
    found = [
        move
        for move in older.log.moves(wanted, limit)
        if (move.seq, move.scraped_at, move.odds) not in known
    ]
    both = [*held, *_as_changes(select, reference, found, share, older)]
    return sorted(both, key=lambda change: (change.scraped_at, change.seq))[:limit]


def ends(select: Select, older: Older | None = None) -> tuple[int, int] | None:
    """Return the times of the first and the last price of the log; None where it is empty."""
    first, last = _asked(select, _ENDS)[0]
    held = None if first is None else (int(first), int(last))
    found = None if older is None else older.log.ends(older.before())
    if held is None or found is None:
        return held or found
    return min(held[0], found[0]), max(held[1], found[1])


def counts(
    select: Select, since: int, until: int, parts: int, older: Older | None = None
) -> list[int]:
    """Return how many prices moved in each of so many equal parts of a span.

    Before the time that all prices of the database are from, the archive says it, or the database
    where that has more: what was imported, and is not archived yet.
    """
    asked = {"since": since, "until": until, "parts": parts}
    if older is None:
        return _counted(select, asked, since, until)
    seam = min(max(older.before(), since), until)
    early, late = _counted(select, asked, since, seam), _counted(select, asked, seam, until)
    archived = older.log.counts(since, until, parts, older.before())
    return list(map(add, map(max, early, archived), late))


def _counted(select: Select, asked: dict[str, int], low: int, high: int) -> list[int]:
    """Return the counts of the parts, of prices from one time to before another."""
    found = [0] * asked["parts"]
    for part, count in _asked(select, _COUNTS, **asked, low=low, high=high):
        found[int(part)] = count
    return found


def next_move(
    select: Select, at: int, game_id: str | None, *, back: bool, older: Older | None = None
) -> int | None:
    """Return when a price moved next, or last before (``back``); of one game or of any."""
    which = "" if game_id is None else "g.game_id = :game_id AND"
    query = _PREVIOUS if back else _NEXT
    asked = {"at": at} if game_id is None else {"at": at, "game_id": game_id}
    text = query.format(by_time=select.sql.log.by_time, which=which)
    held = select(text, asked)[0][0]
    times = [] if held is None else [int(held)]
    if older is not None:
        ids = None if game_id is None else older.ids_of(game_id)
        found = older.log.next_move(at, ids, older.before(), back=back)
        times += [] if found is None else [found]
    return (max if back else min)(times, default=None)


def largest_move(
    select: Select, reference: str, game_id: str, older: Older | None = None
) -> int | None:
    """Return when a price of a game moved most, by its probability; None where none moved.

    The reference's if it moved at all, before kick-off if any did then.
    """
    if older is not None:
        return _largest(older.all_moves(game_id, MoveFilter()), reference)
    found = _asked(select, _LARGEST, game=_row_of(select, game_id), reference=reference)
    return int(found[0][0]) if found else None


def _largest(moves: Iterable[LoggedMove], reference: str) -> int | None:
    """Return the same as ``_LARGEST`` of moves at hand."""
    before: dict[tuple[object, ...], float | None] = {}
    ranked: list[tuple[bool, bool, float, int]] = []
    for move in sorted(moves, key=attrgetter("scraped_at", "seq")):
        key = move[8:12]
        last, before[key] = before.get(key), move.odds
        if last is not None and move.odds is not None:
            moved = abs(1 / move.odds - 1 / last)
            is_others = move.bookmaker != reference
            ranked.append((is_others, bool(move.is_live), -moved, move.scraped_at))
    return min(ranked)[-1] if ranked else None


def _as_changes(
    select: Select,
    reference: str,
    moves: Iterable[LoggedMove],
    share: Collection[str] | None,
    older: Older,
) -> Iterator[Change]:
    """Yield rows of the archive as the log tells them; ``game`` is 0 of what is forgotten."""
    told = older.may_tell_forgotten(share)
    games: dict[str, tuple[GameRow, frozenset[str]]] = {}
    for move in moves:
        if move.game_id not in games:
            game = game_by_id(select, move.game_id) or GameRow(GONE, *move[3:8])
            games[move.game_id] = game, older.forbidden(game, share)
        game, forbidden = games[move.game_id]
        yield Change(
            move.seq,
            *game[:5],
            *move[8:13],
            bool(move.is_live),
            move.scraped_at,
            move.liquidity if move.bookmaker == reference else None,
            is_left_out=move.bookmaker in forbidden or not (told or game.row),
        )


def kick_offs(
    select: Select, since: int, until: int, limit: int, older: Older | None = None
) -> list[tuple[int, int]]:
    """Return the first kick-offs in a span, each with how many games begin then."""
    asked = {"since": since, "until": until, "limit": limit}
    found = Counter(dict(_asked(select, _KICK_OFFS, **asked)))
    if older is not None:
        found.update(game.begins_ms for game in older.forgotten_games(since, until))
    return sorted(found.items())[:limit]


def _row_of(select: Select, game_id: str) -> int:
    found = select(_GAME, {"game_id": game_id})
    return int(found[0][0]) if found else 0


def _asked(select: Select, query: str, **asked: Any) -> list[Any]:
    return select(query.format(by_time=select.sql.log.by_time), asked)
