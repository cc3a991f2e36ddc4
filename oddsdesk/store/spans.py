"""Stretches of the log by the numbers of its rows, which stay as they are once they are read."""

from typing import NamedTuple

import msgspec

Position = tuple[int, ...]
"""How far a log was read: the number of the last change of each shard, by the shard's number."""

ArchivedRow = tuple[
    *tuple[int, str, str, str, str, int | None],
    *tuple[str, str, int, str, float | None, bool],
    *tuple[int, int, float | None],
]
"""Seq, game id, match name, competition, sport, kick-off; bookmaker, market type, period,
selection, odds or None for withdrawn, in play; scraped_at, recorded_at, liquidity."""


class LoggedMove(NamedTuple):
    """A row of the log with the names that its game has now; times in milliseconds."""

    seq: int
    recorded_at: int
    scraped_at: int
    game_id: str
    match_name: str
    competition: str
    sport: str
    match_date: int | None
    bookmaker: str
    market_type: str
    period: int
    selection: str
    odds: float | None
    """None where withdrawn."""
    is_live: bool
    """1 and 0 where the engine has no such type."""
    liquidity: float | None


class Span(msgspec.Struct, frozen=True):
    """Rows of a shard's log: from which number to which, how many, and when they were recorded."""

    shard: int
    first: int
    last: int
    rows: int
    began: int
    ended: int
    """The earliest and the latest ``recorded_at``, in milliseconds."""
