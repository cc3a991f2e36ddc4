"""Spans of the log by row numbers, which never change once written."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

import msgspec

Position = tuple[int, ...]
"""How far a log was read: the last number of each shard, by the shard's number."""

ArchivedRow = tuple[
    *tuple[int, str, str, str, str, int | None],
    *tuple[str, str, int, str, float | None, bool],
    *tuple[int, int, float | None],
]
"""Seq, game id, match name, competition, sport, kick-off; bookmaker, market type, period,
selection, odds or None if no longer offered, in play; scraped_at, recorded_at, liquidity."""


class LoggedMove(NamedTuple):
    """A log row with the current names of its game; times in milliseconds."""

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
    """None if no longer offered."""
    is_live: bool
    """1 or 0 if the engine has no booleans."""
    liquidity: float | None


class Span(msgspec.Struct, frozen=True):
    """Rows of a shard's log: first and last number, count, and recording times."""

    shard: int
    first: int
    last: int
    rows: int
    began: int
    ended: int
    """The earliest and the latest ``recorded_at``, in milliseconds."""


class OldGame(msgspec.Struct, frozen=True):
    """A game as last archived; ``match_date`` in milliseconds."""

    game_id: str
    match_name: str
    competition: str
    sport: str
    match_date: int | None


class OldMoves(msgspec.Struct, frozen=True):
    """Filters on archived moves; all were scraped before ``before``.

    Times are milliseconds. From ``since`` to before ``until``; ``after`` is the time and number of
    the last unwanted move.
    """

    before: int
    game_ids: tuple[str, ...] | None = None
    market_type: str | None = None
    period: int | None = None
    selection: str | None = None
    bookmaker: str | None = None
    left_out: frozenset[str] = frozenset()
    """Bookmakers."""
    live: bool = True
    """Whether to include those in play."""
    since: int | None = None
    until: int | None = None
    after: tuple[int, int] | None = None


class OlderLog(Protocol):
    """The archive of one database, for any thread; ``before`` is as in ``OldMoves``.

    Every method raises ``StoreUnavailableError`` if it cannot be read now.
    """

    def archived_game(self, game_id: str, before: int) -> OldGame | None:
        """Return a game, None if it is not there."""

    def archived_games(
        self, since: int | None, until: int, before: int, behind: Position = ()
    ) -> list[OldGame]:
        """Return the games that began from a time to before another, by id.

        Without ``since`` also those of unknown kick-off. With ``behind`` only those with rows after
        one of each shard.
        """

    def archived_moves(self, asked: OldMoves, limit: int | None = None) -> list[LoggedMove]:
        """Return moves by ``scraped_at``, then number; the first ``limit``."""

    def archived_standing(self, at: int, before: int) -> Mapping[OldGame, Sequence[LoggedMove]]:
        """Return the last move of each selection up to a moment, of games that may be listed."""

    def began(self) -> int | None:
        """Return when its first row was recorded; None if it is empty."""

    def ends(self, before: int) -> tuple[int, int] | None:
        """Return the times of its first and its last price; None if it is empty."""

    def archived_counts(self, since: int, until: int, parts: int, before: int) -> list[int]:
        """Return how many prices moved in each of ``parts`` equal parts of a span."""

    def next_move(
        self, at: int, game_ids: tuple[str, ...] | None, before: int, *, back: bool
    ) -> int | None:
        """Return when a price moved next, or last before (``back``); of one game or of any."""


class ArchivedDatabase(Protocol):
    """What finding a database's archive needs to know."""

    def archive(self) -> str | None:
        """Return the folder of the archive, if there ever was one."""

    def last_seq(self, shard: int = 0) -> int:
        """Return the end of a shard's log, 0 if it is empty."""


class FindOlder(Protocol):
    """Returns the reader of a database's older rows."""

    unreadable: str
    """Why they cannot be read, one line; empty if nothing is missing, as far as requested."""

    def __call__(self, database: ArchivedDatabase) -> OlderLog | None:
        """Return it, None if there is none or it cannot be read."""
