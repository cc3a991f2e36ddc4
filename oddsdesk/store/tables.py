"""What recording needs from an engine: the tables, read and written inside one transaction.

The rules (``recording``, ``games``, ``names``) contain no SQL: they read through these methods and
return at the end what to write, as rows.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from oddsdesk.contract.identity import PairState
from oddsdesk.contract.quotes import Quote
from oddsdesk.store.games import GameChanges
from oddsdesk.store.names import OtherName
from oddsdesk.store.values import Origin

Pair = tuple[int, str]
"""A game, by its row, and a bookmaker."""
_Text = str | None
_Number = float | None
QuoteRow = tuple[int, str, str, int, bool, int, int, _Text, _Number, _Text, _Text]
"""Game, bookmaker, market type, period, in play, scraped_at, number of odds, odds as JSON or None
if no longer offered, liquidity, URL, offers as JSON."""
PresentRow = tuple[
    int, str, str, int, bool, int, int, _Text, _Number, _Text, _Text, *tuple[Any, ...]
]
"""The same for a current row, and what the engine needs to write there."""
LogRow = tuple[int, str, str, int, str, _Number, bool, int, _Number, int]
"""Game, bookmaker, market type, period, selection, odds or None if no longer offered, in play,
scraped_at, liquidity, recorded_at."""
CoverageRow = tuple[int, str, bool, int, int, int]
"""Game, bookmaker, in play, newest and oldest scraped_at, number of odds."""


class SeenOffer(NamedTuple):
    """An offer whose prices were all seen again at one time, most of them unchanged."""

    scraped_at: int
    game: int
    bookmaker: str
    rows: list[PresentRow]
    """Those in which only the time differs, as read."""


class Changes(msgspec.Struct, frozen=True):
    """A recording's changes, to be written in this order."""

    new: Collection[QuoteRow]
    """New market rows of a game and bookmaker."""
    again: Collection[tuple[PresentRow, QuoteRow]]
    """Changed market rows: the old row, as read, and the new one."""
    same: Collection[SeenOffer]
    """Unchanged prices, seen again. An engine may update all prices of these offers before it
    writes ``new`` and ``again``."""
    closing: Mapping[tuple[int, str, str, int], int]
    """When prices were last seen before they ended or play began, by game, bookmaker, market type
    and period: replaces earlier notes."""
    log: Sequence[LogRow]
    """Price changes, in order."""
    joined: Collection[int]
    """Games that got a name by the user's word: first their state is saved, unless it already
    is."""
    said: Collection[tuple[int, Quote, Origin | None]]
    """Quotes of games joined by the user, as they came."""
    origins: Collection[tuple[int, str, str, bool]]
    """Game, bookmaker, source and whether passing on is allowed; existing rows stay."""
    uncovered: Collection[Pair]
    """Pairs whose coverage is deleted before ``coverage`` is written; their games' newest price and
    in-play state are computed from the rest."""
    coverage: Collection[CoverageRow]
    seen: Collection[tuple[int, bool, int]]
    """Newest price, whether one is in play, game: only ever raised."""
    recent: Collection[int]
    """Games that may be in lists of fresh prices."""
    sources: Collection[tuple[str, str, int]]
    """Bookmaker, market type and newest price: only ever raised."""
    games: GameChanges
    other_names: Collection[OtherName]
    """Replace the same name of the same game."""
    settings: Mapping[str, int]
    recorded: tuple[int, int] | None
    """The span in which prices came in; replaces the one with the same begin."""


class Known(NamedTuple):
    """What a recording needs to know about the database."""

    joined: Collection[int]
    """The games joined by the user, in a pair or by names of its teams."""
    has_same_teams: bool
    """Whether the user ever said that names are one team's."""
    newest: int
    """The newest price of all, 0 without any."""
    span: tuple[int, int] | None
    """The last span in which prices came in."""
    has_real: bool = False
    """Whether real prices were ever recorded."""
    has_simulated: bool = False
    """Whether simulated prices were ever recorded."""


NOTHING_KNOWN: Final = Known((), has_same_teams=False, newest=0, span=None)


GAME_TABLES: Final = {
    "game": "id",
    "quote": "game",
    "closing_sighting": "game",
    "coverage": "game",
    "value_bet": "game",
    "other_name": "game",
    "event": "game",
    "origin": "game",
}
"""Tables with rows of a game, and their game column; not the log, which is left unchanged."""

GameRow = dict[str, Any]
"""A row by column, the same on all engines and in JSON: booleans are 0 and 1."""
GameRows = Mapping[str, Sequence[GameRow]]
"""Rows of a game by table."""
LogEnd = int | Mapping[str, int]
"""The end of the log, as in its engine and in JSON."""
SaidKey = tuple[int, str, str, str, int]
"""The game's row, the quote's name of it, bookmaker, market type, period."""


class StoredSaid(NamedTuple):
    """A saved quote as JSON, with its source."""

    ident: int
    repeats: bool
    """It repeats the one before: the next repetition replaces it."""
    source: str | None
    may_share: bool | None
    quote: bytes


class KnownGame(NamedTuple):
    """A stored game for comparison with others; times in milliseconds."""

    row: int
    game_id: str
    competition: str
    match_name: str
    match_date: int | None
    last_scraped_at: int


class ToldPair(NamedTuple):
    """A pair of games for display; a game that no longer exists has no date."""

    ident: int
    state: PairState
    competition: str
    kept: tuple[str, str, int | None]
    """Game id, name, kick-off."""
    other: tuple[str, str, int | None]
    is_crosswise: bool
    decided_at: int | None


class DecidedPair(NamedTuple):
    """A pair of games to decide."""

    competition: str
    kept: str
    other: str
    is_crosswise: bool
    state: PairState
    before: bytes | None
    decided_at: int | None


class SuggestedPair(NamedTuple):
    """A pair of games to suggest."""

    competition: str
    kept: str
    kept_name: str
    other: str
    other_name: str
    is_crosswise: bool


class NamedTwice(NamedTuple):
    """A game with another name."""

    game: int
    competition: str
    match_name: str
    other_competition: str
    other_name: str
