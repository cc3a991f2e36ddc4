"""The log by the numbers of its rows, for who archives it (``store.spans``)."""

from collections.abc import Sequence
from typing import Final

from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.store.queries.select import Row, Select
from oddsdesk.store.spans import ArchivedRow, LoggedMove, Span

_HOUR_MS: Final = 60 * MINUTE_MS
_FIRST: Final = """
SELECT seq, recorded_at FROM price_change c WHERE {of_shard} AND seq > :after AND seq <= :until
ORDER BY seq LIMIT 1
"""
_BETWEEN: Final = """
SELECT min(seq), max(seq), count(*), min(recorded_at), max(recorded_at)
FROM price_change c WHERE {of_shard} AND seq BETWEEN :first AND :last
"""
_ROWS: Final = """
SELECT c.seq, g.game_id, g.match_name, g.competition, g.sport, g.match_date,
    c.bookmaker, c.market_type, c.period, c.selection, c.odds, c.is_live,
    c.scraped_at, c.recorded_at, c.liquidity
FROM price_change c CROSS JOIN game g
WHERE {of_shard} AND g.id = c.game AND c.seq > :after AND c.seq <= :until
ORDER BY c.seq LIMIT :limit
"""
_LOGGED: Final = """
SELECT c.seq, c.recorded_at, c.scraped_at, g.game_id, g.match_name, g.competition, g.sport,
    g.match_date, c.bookmaker, c.market_type, c.period, c.selection, c.odds, c.is_live, c.liquidity
FROM price_change c CROSS JOIN game g
WHERE {of_shard} AND g.id = c.game AND c.seq > :after AND c.seq <= :until
    AND +c.scraped_at >= :since AND +c.scraped_at < :before
ORDER BY c.seq
"""
_SOME_GAMES: Final = 50
"""Whose moves are looked through at a time: a query across a network has a limit of its own."""
_NEXT_GAMES: Final = """
SELECT max(id) FROM (SELECT id FROM game WHERE id > :after ORDER BY id LIMIT :limit) part
"""
_LAST: Final = """
SELECT max(c.seq), g.game_id FROM game g CROSS JOIN price_change c
WHERE {of_shard} AND g.id > :after AND g.id <= :until AND c.game = g.id GROUP BY g.id, g.game_id
"""
_SOURCES: Final = "SELECT DISTINCT source FROM origin ORDER BY source"


def first_row(select: Select, shard: int, after: int, until: int) -> tuple[int, int] | None:
    """Return number and ``recorded_at`` of the first row behind one; None for none."""
    rows = _asked(select, _FIRST, shard, after=after, until=until)
    return (rows[0][0], rows[0][1]) if rows else None


def hour_after(select: Select, shard: int, after: int, until: int) -> Span | None:
    """Return the first hour behind a row, at most to ``until``: all up to the next hour's."""
    first = first_row(select, shard, after, until)
    if first is None:
        return None
    next_hour_ms = (first[1] // _HOUR_MS + 1) * _HOUR_MS
    low, high = first[0] + 1, until + 1
    while low < high:  # for the first row of the next hour
        middle = (low + high) // 2
        row = first_row(select, shard, middle - 1, until)
        if row is None or row[1] >= next_hour_ms:
            high = middle
        else:
            low = row[0] + 1
    return between(select, shard, first[0], low - 1)


def between(select: Select, shard: int, first: int, last: int) -> Span | None:
    """Return what is there from one number to another; None where nothing is."""
    found = _asked(select, _BETWEEN, shard, first=first, last=last)[0]
    low, high, rows, began, ended = found
    return Span(shard, low, high, rows, began, ended) if rows else None


def rows_of(select: Select, span: Span, after: int, limit: int) -> Sequence[ArchivedRow]:
    """Return rows of a span behind one, by number."""
    return _asked(select, _ROWS, span.shard, after=after, until=span.last, limit=limit)


def logged(
    select: Select, shard: int, after: int, until: int, since: int, before: int
) -> Sequence[LoggedMove]:
    """Return the rows behind one and up to another, of prices scraped from then to before then."""
    rows = _asked(select, _LOGGED, shard, after=after, until=until, since=since, before=before)
    return list(map(LoggedMove._make, rows))


def last_moves(select: Select, shard: int) -> list[tuple[int, str]]:
    """Return the number of the last move of each game, with its id, in order."""
    found: list[tuple[int, str]] = []
    after = -1
    while (until := select(_NEXT_GAMES, {"after": after, "limit": _SOME_GAMES})[0][0]) is not None:
        found += [
            (last, game_id)
            for last, game_id in _asked(select, _LAST, shard, after=after, until=until)
        ]
        after = until
    return sorted(found)


def told_by(select: Select) -> list[str]:
    """Return the sources that any price came from, as far as that is known (D66)."""
    return [source for (source,) in select(_SOURCES)]


def _asked(select: Select, query: str, shard: int, **asked: int) -> list[Row]:
    text = query.format(of_shard=select.sql.log.of_shard)
    return select(text, {"shard": shard, **asked})
