"""What recording needs of an engine: the tables, read and written inside one transaction.

The rules (``recording``, ``games``, ``other_names``, ``bookmaker_names``) know no SQL: they read
by these names and say at the end what is to be written, as rows.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol

import msgspec

from oddsdesk.contract.quotes import Quote
from oddsdesk.store.bookmaker_names import BookmakerTable
from oddsdesk.store.games import GameChanges, GameTables
from oddsdesk.store.origins import Origin
from oddsdesk.store.other_names import NameTables, OtherName
from oddsdesk.store.player_names import PropTable

Pair = tuple[int, str]
"""A game, by its row, and a bookmaker."""
QuoteRow = tuple[
    *tuple[int, str, str, int, bool, int, int],
    *tuple[str | None, float | None, str | None, str | None],
]
"""Game, bookmaker, market type, period, in play, scraped_at, number of odds, odds as JSON or None
for withdrawn, liquidity, URL, offers as JSON."""
PresentRow = tuple[
    *tuple[int, str, str, int, bool, int, int],
    *tuple[str | None, float | None, str | None, str | None],
    *tuple[Any, ...],
]
"""The same of a row that stands, and what the engine wants to know of it when it writes there."""
LogRow = tuple[
    *tuple[int, str, str, int, str],
    *tuple[float | None, bool, int, float | None, int],
]
"""Game, bookmaker, market type, period, selection, odds or None for withdrawn, in play,
scraped_at, liquidity, recorded_at."""
CoverageRow = tuple[int, str, bool, int, int, int]
"""Game, bookmaker, in play, newest and oldest scraped_at, number of odds."""


class SeenOffer(NamedTuple):
    """An offer of which all that was priced was seen again at one time, most of it the same."""

    scraped_at: int
    game: int
    bookmaker: str
    rows: list[PresentRow]
    """Those of which nothing but the time is another, as they were read."""


class Changes(msgspec.Struct, frozen=True):
    """What a recording changes, to be written in this order."""

    new: Collection[QuoteRow]
    """Present state of markets of which none stood for that game and bookmaker."""
    again: Collection[tuple[PresentRow, QuoteRow]]
    """Present state of others: what stood there, as it was read, and what takes its place."""
    same: Collection[SeenOffer]
    """Prices that stand as they did: seen again. An engine may do that to all that is priced of
    these offers before it writes ``new`` and ``again``."""
    closing: Mapping[tuple[int, str, str, int], int]
    """When prices were seen last before they went or play began, by game, bookmaker, market type
    and period: in the place of what was noted so before."""
    log: Sequence[LogRow]
    """Price changes, in their order."""
    joined: Collection[int]
    """Games that got a name by the user's word: first of all they are kept as they are, but for
    those that are kept already."""
    said: Collection[tuple[int, Quote, Origin | None]]
    """What was said of games that are one by the user's word, as it came."""
    origins: Collection[tuple[int, str, str, bool]]
    """Game, bookmaker, source and whether that may be passed on; what stands there stays."""
    uncovered: Collection[Pair]
    """Whose sums are forgotten before those of ``coverage`` are put in their place; their games'
    newest price and whether there is one in play are found anew from what is left."""
    coverage: Collection[CoverageRow]
    seen: Collection[tuple[int, bool, int]]
    """Newest price, whether one is in play, game: raised by that, never lowered."""
    recent: Collection[int]
    """Games that lists of fresh prices may hold."""
    sources: Collection[tuple[str, str, int]]
    """Bookmaker, market type and newest price: raised, never lowered."""
    games: GameChanges
    other_names: Collection[OtherName]
    """In the place of the same name of the same game."""
    settings: Mapping[str, int]
    recorded: tuple[int, int] | None
    """The span in which prices came in, in the place of one with the same begin."""


class Known(NamedTuple):
    """What a recording has to know of all that was recorded before it."""

    joined: Collection[int]
    """The games that are one by the user's word, in a pair or by names of its teams."""
    has_same_teams: bool
    """Whether the user ever said that names are one team's."""
    newest: int
    """The newest price of all, 0 where there never was one."""
    span: tuple[int, int] | None
    """The last span in which prices came in."""
    has_real: bool = False
    """Whether prices that are not simulated were ever recorded."""
    has_simulated: bool = False
    """Whether simulated ones were."""


NOTHING_KNOWN: Final = Known((), has_same_teams=False, newest=0, span=None)


class Tables(GameTables, NameTables, BookmakerTable, PropTable, Protocol):
    """The tables of one database, as a recording sees them in its transaction."""

    def known(self) -> Known:
        """Return what a recording has to know of all that was recorded before it."""
        ...

    def present(self, pairs: Collection[Pair]) -> Iterable[PresentRow]:
        """Return what stands of bookmakers' offers of games."""
        ...

    def standing(self) -> Iterable[PresentRow]:
        """Return all prices that stand, of any game; nobody else records until this is written."""
        ...

    def last_game(self) -> int:
        """Return the row of the newest game, 0 without any."""
        ...

    def log_ends(self) -> Mapping[int, int]:
        """Return where the log of each shard ends, of those that it took."""
        ...

    def write(self, changes: Changes) -> int:
        """Write what a recording changes; return the end of the log."""
        ...
