"""Moves that the database has no more: what readers need of the archive that they went to."""

from collections.abc import Mapping, Sequence
from typing import Protocol

import msgspec

from oddsdesk.store.spans import LoggedMove, Position


class OldGame(msgspec.Struct, frozen=True):
    """A game as the archive wrote it last; ``match_date`` in milliseconds."""

    game_id: str
    match_name: str
    competition: str
    sport: str
    match_date: int | None


class OldMoves(msgspec.Struct, frozen=True):
    """Which moves are asked for: all that were scraped before ``before``, but for what is given.

    Times are milliseconds. From ``since`` on and to before ``until``; ``after`` is a time and a
    number, the last move that is not wanted any more.
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
    """Also those in play."""
    since: int | None = None
    until: int | None = None
    after: tuple[int, int] | None = None


class OlderLog(Protocol):
    """The archive of one database, for any thread; ``before`` is as in ``OldMoves``.

    Every method raises ``StoreUnavailableError`` where it cannot be read now.
    """

    def game(self, game_id: str, before: int) -> OldGame | None:
        """Return a game, None where it is not there."""
        ...

    def games(self, since: int, until: int, before: int, behind: Position = ()) -> list[OldGame]:
        """Return the games that began from a time to before another, by id.

        With ``behind`` those alone that have rows behind one of each shard.
        """
        ...

    def moves(self, asked: OldMoves, limit: int | None = None) -> list[LoggedMove]:
        """Return moves by ``scraped_at``, those of one time by number; the first ``limit``."""
        ...

    def standing(self, at: int, before: int) -> Mapping[OldGame, Sequence[LoggedMove]]:
        """Return the last move of each selection up to a moment, of games that may be listed."""
        ...

    def began(self) -> int | None:
        """Return when its first row was recorded; None where it has none."""
        ...

    def ends(self, before: int) -> tuple[int, int] | None:
        """Return the times of its first and its last price; None where it has none."""
        ...

    def counts(self, since: int, until: int, parts: int, before: int) -> list[int]:
        """Return how many prices moved in each of so many equal parts of a span."""
        ...

    def next_move(
        self, at: int, game_ids: tuple[str, ...] | None, before: int, *, back: bool
    ) -> int | None:
        """Return when a price moved next, or last before (``back``); of one game or of any."""
        ...


class ArchivedDatabase(Protocol):
    """Tells of itself what its archive is found by."""

    def archive(self) -> str | None:
        """Return the folder that price history is archived in, as far as it ever was."""
        ...

    def last_seq(self, shard: int = 0) -> int:
        """Return the end of the log of a shard, 0 where nothing was ever recorded."""
        ...


class FindOlder(Protocol):
    """Gives what the older rows of a database are read from."""

    unreadable: str
    """Why that cannot be read, one line; empty where nothing lacks, as far as it was asked for."""

    def __call__(self, database: ArchivedDatabase) -> OlderLog | None:
        """Return it, None where nothing is or it cannot be read."""
        ...
