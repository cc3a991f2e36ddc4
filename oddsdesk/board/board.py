"""The board: what the desk knows of games, prices, value bets and the connection."""

import logging
import math
from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec

from oddsdesk.board.connection import Connection, Gathering
from oddsdesk.board.freshness import Freshness, Rhythm
from oddsdesk.board.game_book import GameBook
from oddsdesk.board.games import GameEntry, entry_of_price, game_entry
from oddsdesk.board.market import Changes
from oddsdesk.board.matrix import CellKey, Matrix, RowKey
from oddsdesk.board.notices import (
    ConnectionChanged,
    GamesChanged,
    GatheringChanged,
    MatrixLoaded,
    Notice,
    PricesChanged,
    RowsChanged,
    Subscriber,
    ValueBetsChanged,
)
from oddsdesk.board.prices import Price
from oddsdesk.board.readings import (
    Reading,
    game_of_matrix,
    read_matrix,
    read_message,
    read_row,
    reference_of,
)
from oddsdesk.board.rows import GridRow, grid_row
from oddsdesk.board.values import ValueEntry, value_entry
from oddsdesk.clock import Clock
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.resources import Game, GameMatrix, OddsRow, PriceMessage, ValueBet
from oddsdesk.pricing.devig import DEFAULT_METHOD

_log = logging.getLogger(__name__)
RowScope = tuple[str, str]
"""A slice of the odds: (competition, market type)."""


class Board:
    """Holds what was heard and tells subscribers what changed; one thread only."""

    def __init__(self, clock: Clock, method: str = DEFAULT_METHOD) -> None:
        self.games: dict[str, GameEntry] = {}
        """By id, in the order of D13."""
        self.value_bets: dict[RowKey, ValueEntry] = {}
        """Highest true EV first."""
        self.connection = Connection()
        self.gathering = Gathering()
        self.reference: str | None = None
        """The reference bookmaker's name, None until an answer shows it."""
        self.rhythm = Rhythm()
        self.rows_wanted = False
        """Whether prices of all games are kept, for the odds grid."""
        self._clock = clock
        self._method = method
        self._books: dict[str, GameBook] = {}
        self._watched: set[str] = set()
        self._ids: dict[tuple[str, str], str] = {}
        self._bets: Sequence[ValueBet] = ()
        self._subscribers: list[Subscriber] = []

    @property
    def method(self) -> str:
        """The devig method that fair odds and true EV rest on."""
        return self._method

    def subscribe(self, callback: Subscriber) -> Callable[[], None]:
        """Call back with each notice, on the board's thread, until the answer is called."""
        self._subscribers.append(callback)

        def unsubscribe() -> None:
            if callback in self._subscribers:
                self._subscribers.remove(callback)

        return unsubscribe

    # What is known

    def matrix(self, game: str) -> Matrix | None:
        """Return a game's matrix, None where no price of it is known."""
        book = self._books.get(game)
        return None if book is None else book.matrix

    def price(self, game: str, key: CellKey) -> Price | None:
        """Return the price of a cell."""
        book = self._books.get(game)
        found = None if book is None else book.find(key)
        return None if found is None else found[1]

    def row(self, key: RowKey) -> GridRow | None:
        """Return a row of the odds grid, None where the price is held no more."""
        book = self._books.get(key.game_id)
        found = None if book is None else book.find(CellKey(*key[1:]))
        if book is None or found is None:
            return None
        return grid_row(key, book.matrix, *found, self.reference)

    def row_keys(self) -> Iterator[RowKey]:
        """Yield the key of every price held."""
        for game, book in self._books.items():
            for key, _ in book.prices():
                yield RowKey(game, *key)

    def freshness(self, bookmaker: str | None, price: Price) -> Freshness:
        """Return how fresh a price is now; ``bookmaker`` None is the reference."""
        return self.rhythm.freshness(
            bookmaker or self.reference or "", price.scraped_at, self._clock()
        )

    # What comes in

    def apply(self, message: PriceMessage) -> None:
        """Take in a stream message; of a game that nobody looks at, nothing is kept."""
        if message.liquidity is not msgspec.UNSET:
            self.reference = message.bookmaker
        game = self._id_of(message.competition, message.match_name)
        book = self._books.get(game)
        if book is None:
            if not self.rows_wanted:
                return
            book = self._book(self._entry_of(game, message))
        key, seen, liquidity = read_message(message, self._clock(), self.reference)
        changes = Changes()
        book.put(key, seen, changes, liquidity)
        self._settle(game, book, changes)

    def load_games(self, games: Iterable[Game]) -> None:
        """Take in the whole list of games."""
        held = {game.game_id: game_entry(game) for game in games}
        for key, entry in held.items():
            self._ids[entry.competition, entry.match_name] = key
            if (book := self._books.get(key)) is not None:
                book.matrix.is_live, book.matrix.kick_off = entry.is_live, entry.kick_off
        if list(held.values()) != list(self.games.values()):
            self.games = held
            self._tell(GamesChanged())

    def load_matrix(self, matrix: GameMatrix, asked_at: int | None = None) -> None:
        """Merge a whole picture of a game; what it does not show becomes withdrawn.

        ``asked_at``: when the question was put; prices heard of since then stay.
        """
        now = self._clock()
        self.reference = reference_of(matrix) or self.reference
        entry = game_of_matrix(matrix)
        readings = list(read_matrix(matrix, now))
        book = self._book(entry)
        is_first = book.matrix.read_at is None
        book.matrix.read_at = now
        book.matrix.is_live, book.matrix.kick_off = entry.is_live, entry.kick_off
        changes = Changes(relaid=is_first)
        self._put(book, readings, changes)
        book.withdraw_unheard(now if asked_at is None else asked_at, now, changes)
        self._settle(matrix.game_id, book, changes)

    def load_rows(self, rows: Sequence[OddsRow], asked_at: int | None = None) -> None:
        """Merge odds rows; a selection that a row no longer names becomes withdrawn."""
        now = self._clock()
        by_game: dict[str, list[OddsRow]] = {}
        for row in rows:
            by_game.setdefault(self._id_of(row.competition, row.match_name), []).append(row)
        for game, of_game in by_game.items():
            book = self._books.get(game) or self._book(self._entry_of(game, of_game[0]))
            changes = Changes()
            readings = [
                reading for row in of_game for reading in read_row(row, now, self.reference)
            ]
            self._put(book, readings, changes)
            quotes = {(key.market_type, key.period, key.bookmaker) for key, _, _ in readings}
            book.withdraw_unheard(
                now if asked_at is None else asked_at,
                now,
                changes,
                _of_quotes(quotes),
            )
            self._settle(game, book, changes)

    def load_value_bets(self, bets: Sequence[ValueBet]) -> None:
        """Take in the whole list of value bets."""
        self._bets = bets
        self._judge_bets()

    def set_connection(self, connection: Connection) -> None:
        """Take in the state of the connection."""
        if connection != self.connection:
            self.connection = connection
            self._tell(ConnectionChanged())

    def set_gathering(self, gathering: Gathering) -> None:
        """Take in how far reading all rows is."""
        if gathering != self.gathering:
            self.gathering = gathering
            self._tell(GatheringChanged())

    # What is asked of it

    def watch(self, game: str) -> None:
        """Keep a game's prices."""
        self._watched.add(game)

    def unwatch(self, game: str) -> None:
        """Keep a game's prices no longer, unless the odds grid wants them."""
        self._watched.discard(game)
        if not self.rows_wanted:
            self._forget([game])

    def want_rows(self, wanted: bool) -> None:
        """Keep the prices of all games, or of those watched only."""
        self.rows_wanted = wanted
        if wanted:
            self._tell(RowsChanged(tuple(self.row_keys())))
        else:
            self._forget([game for game in self._books if game not in self._watched])

    def set_method(self, method: str) -> None:
        """Judge everything by another devig method."""
        self._method = method
        for game, book in self._books.items():
            changes = Changes()
            book.revalue(method, changes)
            self._publish(game, book, changes)
        self._judge_bets()

    def sweep(self) -> None:
        """Drop prices that were withdrawn a while ago; call it every few seconds."""
        now = self._clock()
        for game, book in list(self._books.items()):
            changes = Changes()
            book.drop_withdrawn(now, changes)
            self._settle(game, book, changes)

    def withdraw_unheard(self, since_ms: int, scope: RowScope | None = None) -> None:
        """Mark as gone what a whole pass over the odds, begun at ``since_ms``, did not show."""
        now = self._clock()
        for game, book in list(self._books.items()):
            if scope is not None and book.matrix.competition != scope[0]:
                continue
            changes = Changes()
            book.withdraw_unheard(
                since_ms, now, changes, lambda key: scope is None or key.market_type == scope[1]
            )
            self._settle(game, book, changes)

    def _settle(self, game: str, book: GameBook, changes: Changes) -> None:
        book.settle(self._method, changes)
        self._publish(game, book, changes)

    def _publish(self, game: str, book: GameBook, changes: Changes) -> None:
        if changes.relaid:
            self._tell(MatrixLoaded(game))
        elif changes.cells or changes.touched:
            self._tell(PricesChanged(game, tuple(changes.cells), tuple(changes.touched)))
        if self.rows_wanted and changes:
            self._tell_rows(game, book, changes)

    def _tell_rows(self, game: str, book: GameBook, changes: Changes) -> None:
        changed = dict.fromkeys(changes.cells)
        for section in changes.revalued:
            changed.update(dict.fromkeys(section.cells()))
        gone = {key for key in changes.removed if book.find(key) is None}
        self._tell(
            RowsChanged(
                tuple(RowKey(game, *key) for key in changed if key not in gone),
                tuple(RowKey(game, *key) for key in gone),
            )
        )

    def _put(self, book: GameBook, readings: Iterable[Reading], changes: Changes) -> None:
        gaps: dict[str, int] = {}
        for key, seen, liquidity in readings:
            gap = book.put(key, seen, changes, liquidity)
            if gap > 0:
                gaps.setdefault(key.bookmaker or self.reference or "", gap)
        for bookmaker, gap in gaps.items():
            self.rhythm.rescraped(bookmaker, gap)

    def _judge_bets(self) -> None:
        entries = [
            value_entry(bet, self._books.get(self._id_of(bet.competition, bet.match_name)))
            for bet in self._bets
        ]
        entries.sort(
            key=lambda entry: -math.inf if entry.true_ev is None else entry.true_ev, reverse=True
        )
        held = {entry.key: entry for entry in entries}
        if list(held.values()) != list(self.value_bets.values()):
            self.value_bets = held
            self._tell(ValueBetsChanged())

    def _book(self, game: GameEntry) -> GameBook:
        book = self._books.get(game.game_id)
        if book is None:
            book = self._books[game.game_id] = GameBook(game)
        return book

    def _entry_of(self, game: str, said: PriceMessage | OddsRow) -> GameEntry:
        """The game as the list has it, else as far as a price tells of it."""
        return self.games.get(game) or entry_of_price(said)

    def _id_of(self, competition: str, match_name: str) -> str:
        key = (competition, match_name)
        found = self._ids.get(key)
        if found is None:
            found = self._ids[key] = game_id(competition, match_name)
        return found

    def _forget(self, games: Iterable[str]) -> None:
        for game in games:
            self._books.pop(game, None)

    def _tell(self, notice: Notice) -> None:
        for subscriber in tuple(self._subscribers):
            subscriber(notice)


def _of_quotes(quotes: set[tuple[str, int, str | None]]) -> Callable[[CellKey], bool]:
    return lambda key: (key.market_type, key.period, key.bookmaker) in quotes
