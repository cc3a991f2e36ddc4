"""The board: what the desk knows of games, prices, value bets and the connection."""

from collections.abc import (
    Callable,
    Collection,
    Container,
    Generator,
    Iterable,
    Iterator,
    Sequence,
)
from contextlib import contextmanager
from typing import Final

from msgspec import UNSET

from oddsdesk.board.assessed import AssessedPrice
from oddsdesk.board.basis import Basis
from oddsdesk.board.changes import Changes
from oddsdesk.board.connection import Connection, SnapshotProgress
from oddsdesk.board.freshness import Freshness, ScrapeInterval
from oddsdesk.board.game_book import GameBook
from oddsdesk.board.game_books import GameBooks
from oddsdesk.board.games import GameEntry, GameIds, entry_of_price, game_entry
from oddsdesk.board.judging import Judge
from oddsdesk.board.matrix import CellKey, Matrix, QuoteKey, RowKey, Section, SelectionRow
from oddsdesk.board.merging import batched, hear_again, put_all, put_move
from oddsdesk.board.notices import (
    ConnectionChanged,
    GameMerged,
    GamesChanged,
    MatrixLoaded,
    Notice,
    RowsChanged,
    RowsWanted,
    SnapshotProgressChanged,
    Subscriber,
    Subscribers,
    ValueBetsChanged,
)
from oddsdesk.board.passed_over import PassedOver
from oddsdesk.board.price_history import PriceHistory
from oddsdesk.board.prices import Price
from oddsdesk.board.readings import (
    LoggedMove,
    game_of_matrix,
    quotes_of,
    read_market,
    read_messages,
    read_row,
    reference_of,
)
from oddsdesk.board.reference import DeskReference, Renaming
from oddsdesk.board.values import ValueBets
from oddsdesk.board.waiting_messages import WaitingMessages
from oddsdesk.clock import Clock
from oddsdesk.contract.resources import Game, GameMatrix, OddsRow, PriceMessage, ValueBet
from oddsdesk.pricing.assessment import Assessment
from oddsdesk.pricing.audit import Audit
from oddsdesk.pricing.devig import DEFAULT_METHOD
from oddsdesk.pricing.profiles import Profiles
from oddsdesk.slices import exhaust

REFERENCE_STAYS_MS: Final = 10_000
"""For so long at least: to learn of another keeps all prices under other keys (D85)."""


class Board:
    """Holds what was heard and tells subscribers what changed; one thread only."""

    def __init__(
        self,
        clock: Clock,
        method: str = DEFAULT_METHOD,
        go_through: Callable[[Iterator[None]], None] = exhaust,
    ) -> None:
        """Make an empty board.

        Args:
            clock: Tells the time in milliseconds.
            method: The devig method.
            go_through: Takes the steps in which all prices are judged on another basis; those
                that come later replace those before.
        """
        self._go_through = go_through
        self.games: dict[str, GameEntry] = {}
        """By id, in the order of D13."""
        self.games_are_cut = False
        """Whether the service has more games than are read."""
        self.is_taking_in = False
        """Whether messages of games in sight are being taken in: more changes there soon."""
        self.in_grid: Collection[str] = ()
        """Games of which the odds grid has rows in sight."""
        self.connection = Connection()
        self.snapshot_progress = SnapshotProgress()
        self.basis = Basis(method, Profiles())
        """What prices are judged by beside themselves: read it, the board alone changes it."""
        self._mine: tuple[str, ...] = ()
        self.seen = PriceHistory()
        """How the prices of subscribed games moved."""
        self.rows_wanted = False
        """Whether the odds grid is told of the prices of all games, which are kept for it."""
        self.watched: frozenset[str] = frozenset()
        """Competitions that the odds grid shows, where its filter names some."""
        self.values_wanted = False
        """Whether prices of all games are kept to find value among them."""
        self._clock = clock
        self._books = GameBooks()
        self._subscribed: set[str] = set()
        self._gone: set[str] = set()
        """Games that the service shows no more."""
        self._ids = GameIds()
        self.values = self._no_values()
        """What is value or nearly, and the service's list: when it was read, whether it was cut."""
        self._subscribers = Subscribers()
        self._passed_over = PassedOver(clock)
        self._reference_at = 0
        """When it was learnt whom the service judges by."""

    @property
    def whose(self) -> DeskReference:
        """Whose prices are the reference's: read it, ``choose_reference`` changes it."""
        return self.basis.reference

    @property
    def reference(self) -> str | None:
        """The name of what prices are judged by, None until an answer shows it."""
        return self.whose.name

    @property
    def method(self) -> str:
        """The devig method that fair odds and true EV rest on."""
        return self.basis.method

    @property
    def scrape_interval(self) -> ScrapeInterval:
        """How often each bookmaker is read."""
        return self.basis.scrape_interval

    @property
    def value_bets(self) -> dict[RowKey, AssessedPrice]:
        """By price: those with the least edge, and those that the service lists."""
        return self.values.entries

    @property
    def audit(self) -> Audit | None:
        """How the service seems to reckon its value bets, None before the first (D26)."""
        return self.values.audit

    def subscribe(self, callback: Subscriber, *kinds: type[Notice]) -> Callable[[], None]:
        """Call back with each notice, on the board's thread, until the answer is called.

        With those of some kinds only, where any is named: most are of prices, and many.
        """
        return self._subscribers.add(callback, kinds)

    # What is known

    def matrix(self, game: str) -> Matrix | None:
        """Return a game's matrix, None where no price of it is known."""
        return self._books.matrix(game)

    def is_gone(self, game: str) -> bool:
        """Whether the service shows a game no more: of its prices none is offered."""
        matrix = self.matrix(game)
        if matrix is None:
            return game in self._gone
        may_return = game in self.games or self.games_are_cut
        if may_return and game not in self._gone:
            return False
        return not any(price.is_offered for price in matrix.prices())

    def lists(self, competition: str, match_name: str) -> bool:
        """Whether a game is among those that were read last."""
        return self._ids.of(competition, match_name) in self.games

    def price(self, game: str, key: CellKey) -> Price | None:
        """Return the price of a cell."""
        book = self._books.get(game)
        place = None if book is None else book.place_of(*key[:3])
        return None if place is None else place.row.price_of(self.whose.key_of(key.bookmaker))

    def section(self, game: str, market_type: str, period: int, selection: str) -> Section | None:
        """Return the section that holds a selection, None where no price of it is held."""
        return self._books.section(game, market_type, period, selection)

    def row_keys(self) -> Iterator[RowKey]:
        """Return the key of every price held."""
        return self._books.row_keys()

    def row(self, game: str, market_type: str, period: int, selection: str) -> SelectionRow | None:
        """Return a selection with its prices, None where none is held."""
        return self._books.row(game, market_type, period, selection)

    def row_and_section(
        self, game: str, market_type: str, period: int, selection: str
    ) -> tuple[SelectionRow | None, Section | None]:
        """Return what ``row`` and ``section`` do: the odds grid asks for thousands a second."""
        book = self._books.get(game)
        return (
            (None, None) if book is None else book.row_and_section(market_type, period, selection)
        )

    def held_games(self) -> list[str]:
        """Return the games that prices are held of, by id."""
        return self._books.names()

    def count_of(self, games: Iterable[str]) -> int:
        """Return how many prices of some games are held."""
        return self._books.count_of(games)

    def row_keys_of(self, game: str) -> Iterator[RowKey]:
        """Return the key of every price held of a game, those of a selection together."""
        return self._books.row_keys_of(game)

    def bookmakers(self) -> set[str]:
        """Return the names of all bookmakers that have prices here, the reference among them."""
        listed = {key.bookmaker for key in self.value_bets}
        named = {*self._books.bookmakers(), *listed, self.whose.bookmaker}
        return {name for name in named if name is not None}

    def freshness(self, bookmaker: str | None, price: Price) -> Freshness:
        """Return how fresh a price is now; ``bookmaker`` None is the reference.

        Of a moment of the past none is dead: it stood then, but when it was seen last is not known.
        """
        found = self.scrape_interval.freshness(
            bookmaker or self.reference or "",
            price.scraped_at,
            self._clock(),
            price.heard_at,
            in_play=price.is_live,
        )
        return found if self.connection.as_of_ms is None else min(found, Freshness.STALE)

    def freshness_of(self, key: RowKey) -> Freshness:
        """Return how fresh the price of a key is now; one that is not held here counts as ageing.

        Nobody told the age of that: the service lists it, and its game is not read.
        """
        price = self.price(key.game_id, CellKey(*key[1:]))
        return Freshness.AGEING if price is None else self.freshness(key.bookmaker, price)

    def assess(self, key: RowKey) -> Assessment | None:
        """Say what a price is worth and what speaks against it; None where it is not held.

        The one answer to that question: value bets, matrix, grid and explanation have it from
        here (D45).
        """
        matrix = self.matrix(key.game_id)
        section = self.section(*key[:4])
        price = self.price(key.game_id, CellKey(*key[1:]))
        if matrix is None or section is None or price is None:
            return None
        bookmaker = self.whose.key_of(key.bookmaker)
        return self.judge(matrix).assess(section, key.selection, bookmaker)

    def is_value(self, key: RowKey) -> bool:
        """Whether a price is value now, at one of the user's bookmakers."""
        entry = self.value_bets.get(key)
        return entry is not None and entry.is_value and self.basis.is_mine(key.bookmaker)

    def values_now(self) -> list[AssessedPrice]:
        """Return the prices of which ``is_value`` is true."""
        is_mine = self.basis.is_mine
        return [
            price
            for price in self.value_bets.values()
            if price.is_value and is_mine(price.bookmaker)
        ]

    def judge(self, matrix: Matrix) -> Judge:
        """Return who assesses a game's prices now."""
        return Judge(self.basis, self.reference, matrix, self._clock())

    # What comes in

    def apply_all(self, messages: Sequence[PriceMessage]) -> None:
        """Take in stream messages; figures are computed, and subscribers notified, once a game.

        Of a game that nobody looks at, nothing is kept.
        """
        waiting = WaitingMessages(self.is_in_sight)
        waiting.add(messages)
        exhaust(self.applying(waiting))

    def applying(self, waiting: WaitingMessages) -> Generator[None, None, None]:
        """Do what ``apply_all`` does until no message waits, each step some of one game.

        Games in sight come first: they are shown before the others are taken in.
        """
        bad: list[str] = []
        try:
            while waiting.count:
                self.is_taking_in = waiting.are_in_sight
                game, messages = waiting.take()
                self._apply(self._ids.of(*game), messages, bad)
                self.is_taking_in = waiting.are_in_sight
                yield
        finally:
            self.is_taking_in = False
            self._passed_over.tell("stream", bad)

    def is_in_sight(self, competition: str, match_name: str) -> bool:
        """Whether prices of a game are shown: it is subscribed, or the odds grid has rows of it."""
        game = self._ids.of(competition, match_name)
        return game in self._subscribed or game in self.in_grid

    def _apply(self, game: str, messages: Sequence[PriceMessage], bad: list[str]) -> None:
        for message in messages:
            if message.liquidity is not UNSET:
                self._learn_reference(message.bookmaker)
        book = self._books.get(game)
        if book is None:
            if not self.keeps_all or not self._has_room(game, bad, len(messages)):
                return
            book = self._books.of(self._entry_of(game, messages[0]))
        changes, now = Changes(), self._clock()
        for together in quotes_of(messages):
            quote, said, liquidity = read_messages(together, now, self.whose, bad)
            book.put_quote(quote, said, changes, liquidity)
        self._recompute(book, changes)

    def apply_moves(self, moves: Sequence[LoggedMove]) -> None:
        """Take in what a log says of the games that are kept; as ``apply_all``."""
        for name in {move.key.bookmaker for move in moves if move.liquidity is not None}:
            self._learn_reference(name)
        now = self._clock()
        changed: dict[str, tuple[GameBook, Changes]] = {}
        for move in moves:
            game = move.game.game_id
            if self.keeps_all or game in self._subscribed:
                book = self._books.of(self.games.get(game, move.game))
                _, changes = changed.setdefault(game, (book, Changes()))
                put_move(book, move, now, self.whose, changes)
        for book, changes in changed.values():
            self._recompute(book, changes)

    def load_games(self, games: Iterable[Game], *, is_cut: bool = False) -> None:
        """Take in the whole list of games; ``is_cut``: as far as read."""
        held = {game.game_id: game_entry(game) for game in games}
        for entry in held.values():
            self._ids.learn(entry)
        dated = {key for key in held if (book := self._books.get(key)) and book.date(held[key])}
        if dated:
            self._tell_values(self.values.assess_games(dated, self._clock()))
        is_same = list(held.values()) == list(self.games.values())
        if not is_same or is_cut != self.games_are_cut:
            self.games, self.games_are_cut = held, is_cut
            self._subscribers.tell(GamesChanged())

    def merge_matrix(self, matrix: GameMatrix, asked_at: int | None = None) -> Iterator[None]:
        """Merge a whole picture of a game; what it does not show becomes withdrawn.

        ``asked_at``: when the question was put; prices heard of since then stay. Done in steps of
        a part of a market; what was taken in is told also where they are not gone through.
        """
        now = self._clock()
        entry = game_of_matrix(matrix)
        self._learn_reference(reference_of(matrix))
        book = self._books.of(entry)
        whole = Changes(relaid=book.matrix.read_at is None)
        bad: list[str] = []
        with self._told(book, whole):
            for market in matrix.markets:
                changes = Changes()
                readings = read_market(market, now, self.whose, bad, in_play=entry.is_live)
                with self._told(book, changes):
                    for some in batched(readings):
                        put_all(book, some, changes, self.scrape_interval, self.reference)
                        yield
                book.recompute(self.basis, changes)
                if whole.relaid or changes.relaid:
                    whole.absorb(changes)
                else:
                    self._publish(book, changes)
                yield
        book.matrix.read_at = now
        if book.date(entry):
            self._tell_values(self.values.assess_games({entry.game_id}, now))
        since = now if asked_at is None else asked_at
        book.withdraw_unheard(since, now, whole)
        self._passed_over.tell(matrix.match_name, bad)
        self._recompute(book, whole)
        yield from self._values_read(since, entry.game_id)

    def replace_matrix(self, matrix: GameMatrix) -> Iterator[None]:
        """Take a whole picture of a game for all that is held of it, which may be of later (D73).

        In steps, as ``merge_matrix``.
        """
        held = self._drop(matrix.game_id)
        try:
            yield from self.merge_matrix(matrix)
        finally:
            self._tell_gone(matrix.game_id, held)

    def replace_rows(self, rows: Iterable[OddsRow], kept: Container[str]) -> Iterator[None]:
        """Take odds rows for all that is held of every game but those ``kept`` (D73).

        Each step is a game.
        """
        by_game: dict[str, list[OddsRow]] = {}
        for row in rows:
            by_game.setdefault(self._ids.of(row.competition, row.match_name), []).append(row)
        for game in self._books.names():
            if game not in by_game and game not in kept:
                self.forget_game(game)
                yield
        for game, of_game in by_game.items():
            if game not in kept:
                held = self._drop(game)
                exhaust(self.merge_rows(of_game))
                self._tell_gone(game, held)
                yield

    def forget_game(self, game: str) -> None:
        """Let go of the prices of a game, subscribed or not: then there were none."""
        self._tell_gone(game, self._drop(game))
        self._subscribers.tell(MatrixLoaded(game))

    def merge_rows(self, rows: Iterable[OddsRow], asked_at: int | None = None) -> Iterator[None]:
        """Merge odds rows, one a step; a selection that a row no longer names becomes withdrawn."""
        now = self._clock()
        by_game: dict[str, list[OddsRow]] = {}
        for row in rows:
            by_game.setdefault(self._ids.of(row.competition, row.match_name), []).append(row)
            if row.liquidity is not None:
                self._learn_reference(row.bookmaker)
        no_room: list[str] = []
        for game, of_game in by_game.items():
            book = self._books.get(game)
            if book is None:
                if not self._has_room(game, no_room):
                    continue
                book = self._books.of(self._entry_of(game, of_game[0]))
            changes = Changes()
            bad: list[str] = []
            named: dict[QuoteKey, None] = {}
            with self._told(book, changes):
                for row in of_game:
                    found = hear_again(book, row, now, self.whose, changes)
                    if found is None:
                        reading = read_row(row, now, self.whose, bad)
                        put_all(book, [reading], changes, self.scrape_interval, self.reference)
                        if reading[1]:
                            named[row.market_type, row.period, row.bookmaker] = None
                    elif found[0]:
                        self.scrape_interval.rescraped(row.bookmaker, *found)
                    yield
                quotes = [(kind, period, self.whose.key_of(name)) for kind, period, name in named]
                heard_at = now if asked_at is None else asked_at
                book.withdraw_unheard_of(quotes, heard_at, now, changes)
                self._passed_over.tell(book.matrix.match_name, bad)
                yield from book.recomputing(self.basis, changes)
            self._publish(book, changes)
        self._passed_over.tell("odds", no_room)

    def merge_value_bets(
        self, bets: Iterable[ValueBet], asked_at: int | None = None, *, is_cut: bool = False
    ) -> Iterator[None]:
        """Take in the whole list of value bets, one a step; ``is_cut``: as far as read."""
        held, bad, now = self.values, list[str](), self._clock()
        asked_at = now if asked_at is None else asked_at
        differs = yield from held.take(bets, bad, now, asked_at)
        differs = differs or is_cut != held.is_cut
        held.read_at, held.is_cut = asked_at, is_cut
        self._passed_over.tell("value bets", bad)
        if differs:
            self._subscribers.tell(ValueBetsChanged())

    def name_reference(self, name: str) -> None:
        """Take in whom the service judges by."""
        self._learn_reference(name)

    def choose_reference(self, chosen: str) -> None:
        """Judge everything by another bookmaker, by its name; or as ``board.reference`` names."""
        if chosen != self.whose.chosen:
            self._rename(self.whose.choose(chosen))
            self.values.assess_all(self._clock())
            for game in self._books.names():  # until figures follow, there is no reference price
                self._subscribers.tell(MatrixLoaded(game))
            self._subscribers.tell(ValueBetsChanged())
            self._go_through(self._revaluing())

    def miss_draw(self, game: str, period: int, bookmaker: str, at_ms: int) -> None:
        """Note that a bookmaker priced the draw of a moneyline at a moment; maybe not now (D48)."""
        if (book := self._books.get(game)) is not None:
            changes = Changes()
            book.miss_draw(period, self.whose.key_of(bookmaker), at_ms, changes)
            self._recompute(book, changes)

    def mark_not_in_play(self, game: str) -> None:
        """Take the prices of a game whose state nobody stated as not in play."""
        if (book := self._books.get(game)) is not None:
            changes = Changes()
            book.mark_not_in_play(changes)
            self._recompute(book, changes)

    def set_connection(self, connection: Connection) -> None:
        """Take in the state of the connection; no simulated price stays beside real ones.

        Nobody is told where only the pace of the stream differs, which does each second.
        """
        before = self.connection
        were_simulated = before.simulated and connection.simulated is False
        self.connection = connection
        if connection.with_pace_of(before) != before:
            self.seen.connect(connection.link, self._clock())
            if were_simulated:
                self._forget_simulated()
            self._subscribers.tell(ConnectionChanged())

    def set_snapshot_progress(self, snapshot_progress: SnapshotProgress) -> None:
        """Take in how far reading all rows is."""
        if snapshot_progress != self.snapshot_progress:
            self.snapshot_progress = snapshot_progress
            self._subscribers.tell(SnapshotProgressChanged())

    # What is asked of it

    def subscribe_game(self, game: str) -> None:
        """Keep a game's prices."""
        self._subscribed.add(game)
        self.seen.begin(game, self._clock())

    def unsubscribe_game(self, game: str) -> None:
        """Keep a game's prices no longer, unless the odds grid wants them."""
        self._subscribed.discard(game)
        self._gone.discard(game)
        self.seen.pause(game, self._clock())
        if not self.keeps_all:
            self._forget([game])

    def want_rows(self, wanted: bool) -> None:
        """Keep the prices of all games, or of subscribed games only."""
        self.rows_wanted = wanted
        if wanted:
            self._subscribers.tell(RowsWanted())
        else:
            self._forget_unwanted()

    def want_values(self, wanted: bool) -> None:
        """Keep the prices of all games to find value, or only what else is asked for."""
        self.values_wanted = wanted
        if not wanted:
            self._forget_unwanted()

    @property
    def keeps_all(self) -> bool:
        """Whether the prices of all games are kept."""
        return self.rows_wanted or self.values_wanted

    def set_method(self, method: str) -> None:
        """Judge everything by another devig method."""
        self.basis.method = method
        self._go_through(self._revaluing())

    def set_profiles(self, profiles: Profiles) -> None:
        """Judge everything by what these bookmakers keep of a win."""
        self.basis.profiles = profiles
        self.set_bookmakers(self._mine)

    def set_bookmakers(self, names: tuple[str, ...]) -> None:
        """Take only these bookmakers for best prices and value; all where none is named."""
        self._mine = names
        self.basis.mine = self.basis.profiles.among(self._mine) if self._mine else None
        self._go_through(self._revaluing())

    def clear(self) -> None:
        """Forget everything but what is asked of it: what comes next is another service's."""
        removed = tuple(
            [key for game in self.held_games() for key in self._books.told_keys_of(game)]
        )
        self.games, self.games_are_cut, self.values_wanted = {}, False, False
        self.basis = self.basis.of_another_service()
        self.connection, self.snapshot_progress = Connection(), SnapshotProgress()
        self._books, self._subscribed, self._gone = GameBooks(), set(), set()
        self.values = self._no_values()
        self.seen = PriceHistory()
        for notice in (
            GamesChanged(),
            ValueBetsChanged(),
            SnapshotProgressChanged(),
            ConnectionChanged(),
        ):
            self._subscribers.tell(notice)
        if self.rows_wanted:
            self._subscribers.tell(RowsChanged((), removed))

    def sweep(self) -> None:
        """Note what time has changed: what is stale, what is long gone."""
        exhaust(self.sweeping())

    def sweeping(self) -> Iterator[None]:
        """Do what ``sweep`` does in small steps; begin it each second."""
        now = self._clock()
        self.seen.tick(now)
        for book in self._books:
            changes = Changes()
            book.drop_withdrawn(now, changes)
            book.age(self.basis, now, changes)
            if changes.removed or changes.touched:
                self._recompute(book, changes)
            book.tell_turned_away()
            yield
        self._books.drop_empty(self.games.keys() | self._subscribed)
        for moved in self.values.ageing(now):
            self._tell_values(moved)
            yield

    def withdrawing_unheard(self, since_ms: int) -> Iterator[None]:
        """Mark as gone what a whole pass over the odds, begun at ``since_ms``, did not show.

        Each step is a game.
        """
        for book in self._books:
            changes = Changes()
            book.withdraw_unheard(since_ms, self._clock(), changes)
            self._recompute(book, changes)
            yield
        yield from self._values_read(since_ms)

    def end_game(self, game: str) -> None:
        """Mark every price of a game as gone: the service shows it no more."""
        self._gone.add(game)
        book, now = self._books.get(game), self._clock()
        if book is not None:
            changes = Changes()
            book.withdraw_unheard(now + 1, now, changes)
            self._recompute(book, changes)
        exhaust(self._values_read(now, game))

    def _values_read(self, since_ms: int, game: str = "") -> Iterator[None]:
        """Note for the value bets that all prices were read, of a game or of every one."""
        for moved in self.values.prices_read(since_ms, self._clock(), game):
            self._tell_values(moved)
            yield

    def merge_game(self, game: str, into: str) -> None:
        """Note that a game is part of another by now: nobody offers its prices any more (D69)."""
        self.end_game(game)
        self._subscribers.tell(GameMerged(game, into))

    def _forget_simulated(self) -> None:
        """Let go of all prices and of what they taught; who reads the service reads it anew."""
        self.scrape_interval.forget()
        self.values = self._no_values()
        for game in self._books.names():
            self.forget_game(game)
        self._subscribers.tell(ValueBetsChanged())

    def _drop(self, game: str) -> list[RowKey]:
        """Let go of a game's prices and return their keys."""
        held = list(self._books.told_keys_of(game))
        if self._books.drop(game) is not None:
            self._tell_values(self.values.forget_game(game, self._clock()))
        return held

    def _tell_gone(self, game: str, held: Sequence[RowKey]) -> None:
        """Tell which prices of a game are held no more."""
        kept = set(self.row_keys_of(game))
        removed = tuple([key for key in held if key not in kept])
        if removed and self.rows_wanted:
            self._subscribers.tell(RowsChanged((), removed))

    def _recompute(self, book: GameBook, changes: Changes) -> None:
        book.recompute(self.basis, changes)
        self._publish(book, changes)

    @contextmanager
    def _told(self, book: GameBook, changes: Changes) -> Iterator[None]:
        """Have changes told where the steps in which they come end before the last."""
        try:
            yield
        except GeneratorExit:
            self._recompute(book, changes)
            raise

    def _revaluing(self) -> Iterator[None]:
        """Judge everything held on the basis as it is now; each step is a game."""
        done = set[str]()
        for book, changes in self._books.take_renamed():
            self._recompute(book, changes)
            done.add(book.matrix.game_id)
            yield
        for book in self._books:
            if book.matrix.game_id in done:
                continue
            changes = Changes()
            book.revalue(self.basis, changes)
            self._publish(book, changes)
            yield
        self.values.assess_all(self._clock())
        self._subscribers.tell(ValueBetsChanged())

    def _publish(self, book: GameBook, changes: Changes) -> None:
        game = book.matrix.game_id
        if changes.overtime_learnt and self.basis.is_pooled:
            book.repool_goals(self.basis, changes)
            for other in self._books.beside(book):
                beside = Changes()
                other.repool_goals(self.basis, beside)
                self._publish(other, beside)
        if self._books.get(game) is book:
            if game in self._subscribed and changes.moves:
                self.seen.take(game, changes.moves)
            moved = self.values.prices_moved(book, changes, self._clock())
            for notice in changes.notices(game, rows_wanted=self.rows_wanted):
                self._subscribers.tell(notice)
            self._tell_values(moved)

    def _has_room(self, game: str, bad: list[str], count: int = 1) -> bool:
        """Whether one more game's prices may be held; named in ``bad`` where not, by ``count``."""
        has_room = self._books.has_room(game, self.games)
        if not has_room:
            bad += [f"{len(self.games):,} games are listed, and prices of far more come"] * count
        return has_room

    def _learn_reference(self, name: str | None) -> None:
        if name is None or name == self.whose.service:
            return
        now = self._clock()
        if self.whose.service is None or abs(now - self._reference_at) >= REFERENCE_STAYS_MS:
            self._reference_at = now
            self._rename(self.whose.learn(name))
            for book, changes in self._books.take_renamed():
                self._recompute(book, changes)

    def _rename(self, renaming: Renaming) -> None:
        """Keep prices under other keys, once others are the reference's; figures follow later."""
        if renaming:
            self.seen.rename(renaming)
            self.basis.overtime.rename(renaming)
            self._books.rename(renaming)

    def _tell_values(self, moved: Sequence[RowKey]) -> None:
        if moved:
            self._subscribers.tell(ValueBetsChanged(tuple(moved)))

    def _no_values(self) -> ValueBets:
        return ValueBets(self.basis, self.judge, lambda game: self._books.get(game), self._ids.of)

    def _entry_of(self, game: str, said: PriceMessage | OddsRow) -> GameEntry:
        """The game as the list has it, else as far as a price tells of it."""
        return self.games.get(game) or entry_of_price(said)

    def _forget_unwanted(self) -> None:
        names = [] if self.keeps_all else self._books.names()
        self._forget(game for game in names if game not in self._subscribed)

    def _forget(self, games: Iterable[str]) -> None:
        now = self._clock()
        for game in games:
            if self._books.drop(game) is not None:
                self._tell_values(self.values.forget_game(game, now))
