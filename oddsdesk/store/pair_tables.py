"""What joining games by the user's word needs of an engine, inside one transaction (D69)."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol

from oddsdesk.contract.game_pairs import PairState
from oddsdesk.store.other_names import OtherName
from oddsdesk.store.tables import Tables

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
"""Tables with rows of a game, and their column of it; not the log, which stays as it is."""

Row = dict[str, Any]
"""A row by column, as all engines tell it and as JSON keeps it: truth values are 0 and 1."""
GameRows = Mapping[str, Sequence[Row]]
"""Rows of a game by table."""
LogEnd = int | Mapping[str, int]
"""Where the log ends, as its engine says it and JSON keeps it."""
SaidKey = tuple[int, str, str, str, int]
"""The game's row, the name that it came with, bookmaker, market type, period."""


class StoredSaid(NamedTuple):
    """What was said of a game, as JSON, and who told it."""

    ident: int
    repeats: bool
    """What the one before it said, later: the next that does takes its place."""
    source: str | None
    may_share: bool | None
    quote: bytes


class KnownGame(NamedTuple):
    """A stored game, as it is compared with others; times in milliseconds."""

    row: int
    game_id: str
    competition: str
    match_name: str
    match_date: int | None
    last_scraped_at: int


class ToldPair(NamedTuple):
    """A pair of games as it is told; a game that is no more has no date."""

    ident: int
    state: PairState
    competition: str
    kept: tuple[str, str, int | None]
    """Game id, name, kick-off."""
    other: tuple[str, str, int | None]
    is_crosswise: bool
    decided_at: int | None


class DecidedPair(NamedTuple):
    """A pair of games as it is decided of."""

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
    """A game with a name that it has besides its own."""

    game: int
    competition: str
    match_name: str
    other_competition: str
    other_name: str


class SaidTables(Protocol):
    """What was said of games that are one by the user's word."""

    def last_said(self, key: SaidKey) -> StoredSaid | None:
        """Return what was said last of a market under a name."""
        ...

    def say(
        self, key: SaidKey, quote: bytes, source: str | None, may_share: bool | None, repeats: bool
    ) -> None:
        """Note what was said."""
        ...

    def unsay(self, ident: int) -> None:
        """Forget one thing that was said."""
        ...


class RowTables(SaidTables, Protocol):
    """All rows of a game, and where the log and what was said end."""

    def rows_of(self, game: int) -> dict[str, list[Row]]:
        """Return the rows of a game by table, in their order."""
        ...

    def drop_rows(self, game: int) -> None:
        """Drop all rows of a game."""
        ...

    def insert_rows(self, rows: GameRows) -> None:
        """Put rows of a game into their tables."""
        ...

    def log_end(self) -> LogEnd:
        """Return where the log ends."""
        ...

    def end_of_said(self) -> int:
        """Return the number of the last thing that was said, 0 where there is none."""
        ...


class PairTables(Tables, RowTables, Protocol):
    """The tables of one database, as decisions about pairs of games see them."""

    def known_games(self) -> Iterable[KnownGame]:
        """Return all games, those that were first there before others."""
        ...

    def all_events(self) -> Iterable[tuple[int, str]]:
        """Return each game that a source has an id for, with the id."""
        ...

    def told_pairs(self) -> list[ToldPair]:
        """Return all pairs, in the order in which they were found."""
        ...

    def bookmakers_of(self, games: Collection[str]) -> Iterable[tuple[str, str]]:
        """Return game ids with the bookmakers that price them, each once, in their order."""
        ...

    def sources_of(self, games: Collection[str]) -> Iterable[tuple[str, str]]:
        """Return game ids with the sources that have an id for them, each once, in their order."""
        ...

    def suggest(self, pairs: Collection[SuggestedPair]) -> None:
        """Note pairs that may be one game; those that are known already stay as they are."""
        ...

    def drop_suggestions(self, idents: Collection[int]) -> None:
        """Forget those of these pairs that are only suggested."""
        ...

    def pair(self, ident: int) -> DecidedPair | None:
        """Return a pair."""
        ...

    def decide(
        self, ident: int, state: PairState, decided_at: int | None, before: bytes | None
    ) -> None:
        """Note what was decided of a pair, and how both games were."""
        ...

    def last_decided(self) -> int:
        """Return when a pair was decided of last, 0 where none ever was."""
        ...

    def accepted_after(self, ident: int) -> list[int]:
        """Return the pairs that were accepted after one and hold its game, in that order."""
        ...

    def accepted_of(self, game: int, since: int) -> list[int]:
        """Return the pairs that made a game one after a moment, in that order."""
        ...

    def game_with_id(self, game_id: str) -> tuple[int, str, str] | None:
        """Return a game's row, competition and name."""
        ...

    def keep_name(self, name: OtherName) -> None:
        """Keep a name of a game, in the place of the same one."""
        ...

    def drop_name(self, game: int, competition: str, match_name: str) -> None:
        """Drop a name of a game."""
        ...

    def say_same(self, pair: int, competition: str, names: Collection[tuple[str, str]]) -> None:
        """Note which names are one team's, as a pair says."""
        ...

    def unsay_same(self, pair: int) -> None:
        """Forget what a pair says of names."""
        ...

    def named_twice(self, competitions: Collection[str]) -> list[NamedTwice]:
        """Return the other names of games of competitions."""
        ...

    def joined_game(self, game: int) -> tuple[bytes, int] | None:
        """Return how a game was before a pair's names made it one, and when; else None."""
        ...

    def unjoin(self, game: int, since: int = 0) -> None:
        """Forget how a game was, where that was noted since a moment."""
        ...

    def long_joined(self, before: int) -> list[int]:
        """Return the games that are one by names alone and had no price since a time."""
        ...

    def pairs_of(self, game: int) -> list[tuple[int, bytes | None]]:
        """Return the pairs that a game is in, each with how both games were."""
        ...

    def forget_pair(self, ident: int) -> None:
        """Forget a pair; one that is accepted only how both games were."""
        ...

    def said_after(self, game: int, ident: int) -> list[StoredSaid]:
        """Return what was said of a game after that, in its order."""
        ...

    def forget_said(self, game: int, after: int = 0) -> None:
        """Forget what was said of a game after that."""
        ...

    def seal_said(self, game: int) -> None:
        """Keep what was said of a game as it is: what repeats it later takes no row's place."""
        ...

    def log_of(self, game: int) -> list[tuple[int, str, str]]:
        """Return a game's rows of the log in their order: number, market type, selection."""
        ...

    def move_log(self, moved: Collection[tuple[int, str, int]]) -> None:
        """Give rows of the log to a game, under a selection: game, selection, number."""
        ...

    def drop_log(self, game: int, since: LogEnd) -> None:
        """Remove what was logged of a game since the log ended there."""
        ...
