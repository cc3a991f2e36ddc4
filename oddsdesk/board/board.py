"""The board: what the desk knows of games, prices, value bets and the connection."""

import math
from collections.abc import (
    Callable,
    Collection,
    Container,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import contextmanager
from functools import partial
from itertools import chain, islice
from typing import Final

from msgspec import UNSET

from oddsdesk.base.clock import Clock
from oddsdesk.base.tasks import exhaust
from oddsdesk.board.history.price_history import PriceHistory
from oddsdesk.board.intake import quote_readings
from oddsdesk.board.model import notices
from oddsdesk.board.model.basis import Basis, DeskReference, Freshness, ScrapeInterval
from oddsdesk.board.model.matrix import (
    UNNAMED_REFERENCE,
    CellKey,
    GameEntry,
    GameIds,
    Matrix,
    Price,
    QuoteKey,
    RowKey,
    Section,
    SelectionRow,
    entry_of_price,
    game_entry,
)
from oddsdesk.board.model.player_names import PlayerNames
from oddsdesk.board.model.results import GameScore, HeldResult, ResultBook
from oddsdesk.board.valuation.game_book import GameBook, GameBooks
from oddsdesk.board.valuation.judging import AssessedPrice, Judge
from oddsdesk.board.valuation.pool import compare_lines
from oddsdesk.board.valuation.value_bets import ValueBets
from oddsdesk.client.partial_answers import MatrixInPart, RowInPart
from oddsdesk.client.rows import FORGOTTEN_MS, Coverage, are_apart, kick_off_ms, reference_of
from oddsdesk.contract.quotes import UNNAMED, is_disabled
from oddsdesk.contract.resources import Game, GameMatrix, OddsRow, PriceMessage, ValueBet
from oddsdesk.matching.names import PLAYER_PROP
from oddsdesk.pricing.assessment import Assessment
from oddsdesk.pricing.audit import Audit
from oddsdesk.pricing.consensus import LearnedWeights
from oddsdesk.pricing.currencies import Rates
from oddsdesk.pricing.derived import Bands
from oddsdesk.pricing.devig import DEFAULT_METHOD
from oddsdesk.pricing.profiles import Profiles
from oddsdesk.pricing.value import SERVICE_RULES, DerivedChoice, ListRules

REFERENCE_STAYS_MS: Final = 10_000
"""For so long at least: to learn of another values all prices again."""
_COMPARED_AT_ONCE: Final = 20
"""Games whose lines are compared in one sweep: 2,000 take 100 s, and a sweep a few milliseconds."""


class Board:
    """The received prices of the wanted games, judged by the user's settings; one thread only."""

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
        self._clock = clock
        self.games: dict[str, GameEntry] = {}
        """By id: games in play first, then by kick-off and name."""
        self.games_are_cut = False
        """Whether the service has more games than are read."""
        self.connection = notices.Connection()
        self.snapshot_progress = notices.SnapshotProgress()
        self.basis = Basis(method, Profiles())
        """What prices are judged by: read it, the board alone changes it."""
        self.price_history = PriceHistory()
        """How the prices of subscribed games moved."""
        self.in_grid: Collection[str] = ()
        """Games of which the odds grid has rows in sight."""
        self.rows_wanted = False
        """Whether the odds grid gets the prices of all games, which are kept for it."""
        self.watched: frozenset[str] = frozenset()
        """Competitions that the odds grid shows, where its filter names some."""
        self.results = ResultBook()
        """How games stand and ended, as far as sources report it."""
        self.result_kick_offs: Mapping[int, bool] = {}
        """Kick-offs of games with bets whose results are wanted, and whether a bet is open."""
        self.values_wanted = False
        """Whether prices of all games are kept to find value among them."""
        self._books = GameBooks(self.basis.reference.bookmaker)
        self._subscribed: set[str] = set()
        self.players = PlayerNames()
        """What the board calls the players of each game."""
        self._gone: set[str] = set()
        """Games that the service no longer shows."""
        self._ids = GameIds()
        self.values = self._no_values()
        """What is value or nearly, and the service's list: when it was read, whether it was cut."""
        self.is_taking_in = False
        """Whether messages of games in sight are being taken in: more changes there soon."""
        self._subscribers = notices.Subscribers()
        self._log = quote_readings.IntakeLog(clock)
        self._series = quote_readings.Series(self._log)
        self._reference_at = 0
        """When it was learnt whom the service judges by."""
        self._go_through = go_through
        self._mine: tuple[str, ...] = ()
        self._to_compare: Iterator[str] = iter(())
        """Games whose lines are still to be compared in this round."""

    @property
    def desk_reference(self) -> DeskReference:
        """Whose prices are the reference's: read it, ``choose_reference`` changes it."""
        return self.basis.reference

    @property
    def reference_name(self) -> str:
        """The name of what prices are judged by."""
        return self.desk_reference.reference_name

    @property
    def method(self) -> str:
        """The devig method that fair odds and EV rest on."""
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
        """How the service seems to reckon its value bets, None before the first."""
        return self.values.audit

    @property
    def keeps_all(self) -> bool:
        """Whether the prices of all games are kept."""
        return self.rows_wanted or self.values_wanted

    # Of games and their prices

    def lists(self, competition: str, match_name: str) -> bool:
        """Whether a game is among those that were read last."""
        return self._ids.id_of(competition, match_name) in self.games

    def is_series(self, game: str) -> bool:
        """Whether games of the same teams share an id, so that only odds rows tell them apart."""
        return game in self._series

    def is_gone(self, game: str) -> bool:
        """Whether the service no longer shows a game: none of its prices is offered."""
        matrix = self.matrix(game)
        if matrix is None:
            return game in self._gone
        may_return = game in self.games or self.games_are_cut
        if may_return and game not in self._gone:
            return False
        return not any(price.is_offered for price in matrix.prices())

    def is_in_sight(self, competition: str, match_name: str) -> bool:
        """Whether prices of a game are shown: it is subscribed, or the odds grid has rows of it."""
        game = self._ids.id_of(competition, match_name)
        return game in self._subscribed or game in self.in_grid

    def held_games(self) -> list[str]:
        """Return the games that prices are held of, by id."""
        return self._books.game_ids()

    def bookmakers_with_prices(self) -> set[str]:
        """Return the names of all bookmakers that have prices here, the reference among them."""
        listed = {key.bookmaker for key in self.value_bets}
        columns = chain.from_iterable(book.matrix.bookmakers for book in self._books)
        named = {*columns, *listed, self.desk_reference.bookmaker}
        return named - {"", UNNAMED_REFERENCE}

    def unticked_with_prices(self) -> set[str]:
        """Return the bookmakers with prices here if some are ticked and none of these has a price.

        Empty otherwise. The sharp book does not count.
        """
        names = self.bookmakers_with_prices() - {self.desk_reference.bookmaker}
        is_none_mine = self.basis.mine is not None and not any(map(self.basis.is_mine, names))
        return names if is_none_mine else set()

    def matrix(self, game: str) -> Matrix | None:
        """Return a game's matrix, None where no price of it is known."""
        book = self._books.held_book(game)
        return None if book is None else book.matrix

    def section(self, game: str, market_type: str, period: int, selection: str) -> Section | None:
        """Return the section that holds a selection, None where no price of it is held."""
        book = self._books.held_book(game)
        return None if book is None else book.section_of(market_type, period, selection)

    def row(self, game: str, market_type: str, period: int, selection: str) -> SelectionRow | None:
        """Return a selection with its prices, None where none is held."""
        book = self._books.held_book(game)
        return None if book is None else book.selection_row(market_type, period, selection)

    def row_and_section(
        self, game: str, market_type: str, period: int, selection: str
    ) -> tuple[SelectionRow | None, Section | None]:
        """Return what ``row`` and ``section`` do: the odds grid asks for thousands a second."""
        book = self._books.held_book(game)
        return (
            (None, None) if book is None else book.row_and_section(market_type, period, selection)
        )

    def price(self, game: str, key: CellKey) -> Price | None:
        """Return the price of a cell."""
        book = self._books.held_book(game)
        place = None if book is None else book.place_of(*key[:3])
        return None if place is None else place.row.prices.get(key.bookmaker)

    def row_keys(self) -> Iterator[RowKey]:
        """Return the key of every price held."""
        return chain.from_iterable(map(self.row_keys_of, self._books.game_ids()))

    def row_keys_of(self, game: str) -> Iterator[RowKey]:
        """Return the key of every price held of a game, those of a selection together."""
        return self._books.row_keys_of(game)

    def count_of(self, games: Iterable[str]) -> int:
        """Return how many prices of some games are held."""
        return sum(
            book.count for game in games if (book := self._books.held_book(game)) is not None
        )

    def take_results(self, results: Iterable[HeldResult]) -> None:
        """Take in results of games; those in play are taken as their present score."""
        if changed := self.results.take_results(results):
            self._subscribers.notify(notices.ResultsChanged(changed))

    def score_of(self, game: GameEntry | Matrix) -> GameScore | None:
        """Return the score or result of a game; None in the past view or if no source has one."""
        if self.connection.as_of_ms is not None:
            return None
        return self.results.score_of(game.game_id, game.kick_off, self._clock())

    # Of what a price is worth

    def freshness(self, bookmaker: str, price: Price) -> Freshness:
        """Return how fresh a bookmaker's price is now.

        Of a moment of the past none is dead: it stood then, but when it was seen last is not known.
        """
        found = self.scrape_interval.freshness(
            bookmaker, price.scraped_at, self._clock(), price.heard_at, in_play=price.is_live
        )
        return found if self.connection.as_of_ms is None else min(found, Freshness.STALE)

    def freshness_of(self, key: RowKey) -> Freshness:
        """Return how fresh the price of a key is now; one that is not held here counts as ageing.

        Nobody told the age of that: the service lists it, and its game is not read.
        """
        price = self.price(key.game_id, CellKey(*key[1:]))
        return Freshness.AGEING if price is None else self.freshness(key.bookmaker, price)

    def judge_of(self, matrix: Matrix) -> Judge:
        """Return who assesses a game's prices now."""
        return Judge(self.basis, matrix, self._clock())

    def assess(self, key: RowKey, *, is_lay: bool = False) -> Assessment | None:
        """Say what a price is worth and what speaks against it; None where it is not held.

        ``is_lay``: assess a lay at its best odds, as a back of the other side; None if there is
        no lay.

        The one answer to that question: value bets, matrix, grid and explanation have it from
        here.
        """
        matrix = self.matrix(key.game_id)
        section = self.section(*key[:4])
        price = self.price(key.game_id, CellKey(*key[1:]))
        if matrix is None or section is None or price is None:
            return None
        if is_lay and (price.depth is None or price.depth.lay_odds is None):
            return None
        return self.judge_of(matrix).assess(section, key.selection, key.bookmaker, is_lay=is_lay)

    def is_value_bet(self, key: RowKey) -> bool:
        """Whether a price is value now, at one of the user's bookmakers."""
        entry = self.value_bets.get(key)
        return entry is not None and entry.is_value and self.basis.is_mine(key.bookmaker)

    def values_now(self) -> list[AssessedPrice]:
        """Return the prices of which ``is_value_bet`` is true."""
        is_mine = self.basis.is_mine
        return [
            price
            for price in self.value_bets.values()
            if price.is_value and is_mine(price.bookmaker)
        ]

    def _no_values(self) -> ValueBets:
        return ValueBets(
            self.basis, self.judge_of, lambda game: self._books.held_book(game), self._ids.id_of
        )

    def subscribe(
        self, callback: notices.Subscriber, *kinds: type[notices.Notice]
    ) -> Callable[[], None]:
        """Call back with each notice, on the board's thread, until the answer is called.

        With those of some kinds only, where any is named: most are of prices, and many.
        """
        return self._subscribers.add_subscriber(callback, kinds)

    # The stream and the log

    def apply_all(self, messages: Sequence[PriceMessage]) -> None:
        """Take in stream messages; figures are computed, and subscribers notified, once a game.

        Of a game that nobody looks at, nothing is kept.
        """
        waiting = quote_readings.WaitingMessages(self.is_in_sight)
        waiting.add_messages(messages)
        exhaust(self.applying(waiting))

    def applying(self, waiting: quote_readings.WaitingMessages) -> Generator[None, None, None]:
        """Do what ``apply_all`` does until no message waits, each step some of one game.

        Games in sight come first: they are shown before the others are taken in.
        """
        bad: list[str] = []
        try:
            while waiting.count:
                self.is_taking_in = waiting.are_in_sight
                game, messages = waiting.next_messages()
                self._apply(self._ids.id_of(*game), messages, bad)
                self.is_taking_in = waiting.are_in_sight
                yield
        finally:
            self.is_taking_in = False
            self._log.log_rejected("stream", bad)

    def _apply(self, game: str, messages: Sequence[PriceMessage], bad: list[str]) -> None:
        for message in messages:
            if message.liquidity is not UNSET:
                self.name_reference(message.bookmaker)
        book = self._books.held_book(game)
        if book is None:
            book = self._new_book(game, messages[0], bad, len(messages)) if self.keeps_all else None
            if book is None:
                return
        changes, now = notices.Changes(), self._clock()
        if game in self._series:
            messages = self._of_followed(book, messages, changes)
        for together in quote_readings.quotes_of(messages):
            if together[0].market_type == PLAYER_PROP:
                together = self.players.messages(game, together)
                self._respell(book, changes)
            quote, prices, liquidity = quote_readings.read_messages(
                together, now, self.desk_reference, bad
            )
            for message in together:
                if message.odds <= 1 and is_disabled(message.odds):
                    key = CellKey(quote[0], quote[1], message.selection, quote[2])
                    book.withdraw(key, now, changes)
            book.put_quote(quote, prices, changes, liquidity)
        self._recompute(book, changes)

    def _of_followed(
        self, book: GameBook, messages: Iterable[PriceMessage], changes: notices.Changes
    ) -> list[PriceMessage]:
        """Return a series' messages that certainly belong to the game whose prices are held.

        A message has no kick-off. If the bookmaker prices another game of the series too, a price
        that differs is withdrawn until the next reading.
        """
        game, sure = book.matrix.game_id, list[PriceMessage]()
        for each in messages:
            if self._series.is_certain(game, each):
                sure.append(each)
                continue
            if each.market_type == PLAYER_PROP:
                (each,) = self.players.messages(game, [each])
            key = CellKey(each.market_type, each.period, each.selection, each.bookmaker)
            held = self.price(game, key)
            if held is not None and held.is_offered and held.odds != each.odds:
                book.withdraw(key, self._clock(), changes)
        return sure

    def apply_moves(self, moves: Sequence[quote_readings.LoggedMove]) -> None:
        """Take in what a log says of the games that are kept; as ``apply_all``."""
        for name in {move.key.bookmaker for move in moves if move.liquidity is not None}:
            self.name_reference(name)
        now = self._clock()
        changed: dict[str, tuple[GameBook, notices.Changes]] = {}
        for move in moves:
            game = move.game.game_id
            if self.keeps_all or game in self._subscribed:
                book = self._books.book_of(self.games.get(game, move.game))
                _, changes = changed.setdefault(game, (book, notices.Changes()))
                if move.key.market_type == PLAYER_PROP:
                    _, period, text, name = move.key
                    text = self.players.board_text(game, period, name, text)
                    move = move._replace(key=move.key._replace(selection=text))
                    self._respell(book, changes)
                quote_readings.put_move(book, move, now, self.desk_reference, changes)
        for book, changes in changed.values():
            self._recompute(book, changes)

    # Answers

    def load_games(self, games: Iterable[Game], *, is_cut: bool = False) -> None:
        """Take in the whole list of games; ``is_cut``: as far as read."""
        held = {game.game_id: game_entry(game) for game in games}
        for entry in held.values():
            self._ids.learn_id(entry)
        for key in self._series.moved_games(held):
            self._follow(key, held[key].kick_off)
        dated = {
            key for key in held if (book := self._books.held_book(key)) and book.date(held[key])
        }
        if dated:
            self._notify_values(self.values.assess_games(dated, self._clock()))
        self.players.keep_games(held.keys() | set(self._books.game_ids()) | self._subscribed)
        is_same = list(held.values()) == list(self.games.values())
        if not is_same or is_cut != self.games_are_cut:
            self.games, self.games_are_cut = held, is_cut
            self._subscribers.notify(notices.GamesChanged())

    def merge_matrix(self, matrix: GameMatrix, asked_at: int | None = None) -> Iterator[None]:
        """Merge a whole picture of a game; what it does not show becomes withdrawn.

        ``asked_at``: when the question was put; prices received since then stay. Done in steps
        of a part of a market; if the caller stops early, what was merged is published all the same.
        """
        now = self._clock()
        entry = quote_readings.game_of_matrix(matrix)
        self.name_reference(reference_of(matrix))
        if entry.game_id in self._series and self.connection.as_of_ms is None:
            return  # it holds prices of several games, and does not say which
        book = self._books.book_of(entry)
        whose_own = self.desk_reference.services_bookmaker
        matrix = self.players.board_matrix(matrix, entry.game_id, whose_own)
        whole, bad = notices.Changes(relaid=book.matrix.read_at is None), quote_readings.Unread()
        self._respell(book, whole)
        with self._published(book, whole):
            for market in matrix.markets:
                readings = quote_readings.read_market(
                    market, now, self.desk_reference, bad, in_play=entry.is_live
                )
                yield from self._merge_market(book, readings, whole)
        book.matrix.read_at = now
        if book.date(entry):
            self._notify_values(self.values.assess_games({entry.game_id}, now))
        since = now if asked_at is None else asked_at
        self._keep_unread(book, bad, now)
        for each in matrix.unread if isinstance(matrix, MatrixInPart) else ():
            name = whose_own if each.is_reference else each.bookmaker
            whose = None if name is None else [name]
            # the board's spelling of an unread player's name is not known
            name = None if each.market_type == PLAYER_PROP else each.selection
            book.keep_unread(each[:2], name, whose, now)
        book.withdraw_unheard(since, now, whole)
        self._log.log_rejected(matrix.match_name, bad)
        self._recompute(book, whole)
        yield from self._values_read(since, entry.game_id)

    def _merge_market(
        self, book: GameBook, readings: Iterable[quote_readings.Reading], whole: notices.Changes
    ) -> Iterator[None]:
        """Merge one market of a picture; changes go with the whole if it is laid out again."""
        changes = notices.Changes()
        with self._published(book, changes):
            for some in quote_readings.batched(readings):
                quote_readings.put_all(book, some, changes, self.scrape_interval)
                yield
        book.recompute(self.basis, changes, self._clock())
        if whole.relaid or changes.relaid:
            whole.absorb(changes)
        else:
            self._publish(book, changes)
        yield

    def merge_rows(self, rows: Iterable[OddsRow], asked_at: int | None = None) -> Iterator[None]:
        """Merge odds rows, one a step; a selection that a row no longer names becomes withdrawn."""
        rows, now, no_room = list(rows), self._clock(), list[str]()
        for row in rows:
            if row.liquidity is not None:
                self.name_reference(row.bookmaker)
        is_now = self.connection.as_of_ms is None
        if is_now:
            self._series.learn_kick_offs(rows, now)
        for game, of_game in self._by_game(rows).items():
            of_game = self._of_one_game(game, of_game, now) if is_now else of_game
            if not of_game:
                continue
            book = self._books.held_book(game) or self._new_book(game, of_game[0], no_room)
            if book is not None:
                yield from self._merge_rows_of(book, of_game, now, asked_at)
        self._log.log_rejected("odds", no_room)

    def _of_one_game(self, game: str, rows: list[OddsRow], now: int) -> list[OddsRow]:
        """Return the rows of the game whose prices are held, without others of the same id."""
        listed = self.games.get(game)
        listed_ms = None if listed is None else listed.kick_off
        if not self._series.is_series(game, rows, listed_ms):
            return rows
        kick_off = self._series.kick_off_to_follow(rows, listed_ms, now)
        self._follow(game, kick_off)
        return self._series.rows_of_game(rows, kick_off)

    def _follow(self, game: str, kick_off: int | None) -> None:
        """Hold prices of this kick-off only; drop the earlier ones, which may be of another game.

        The game's matrix mixes the games, and a message does not say which one it is about.
        """
        if self._series.follow_kick_off(game, kick_off) and self._books.held_book(game) is not None:
            self.forget_game(game)

    def _merge_rows_of(
        self, book: GameBook, rows: Iterable[OddsRow], now: int, asked_at: int | None
    ) -> Iterator[None]:
        changes, bad, named = notices.Changes(), quote_readings.Unread(), dict[QuoteKey, None]()
        with self._published(book, changes):
            for row in rows:
                if row.market_type == PLAYER_PROP:
                    row = self.players.board_row(book.matrix.game_id, row)
                    self._respell(book, changes)
                found = quote_readings.hear_again(book, row, now, self.desk_reference, changes)
                if found is None:
                    reading = quote_readings.read_row(row, now, self.desk_reference, bad)
                    quote_readings.put_all(book, [reading], changes, self.scrape_interval)
                    if reading[1]:
                        named[row.market_type, row.period, row.bookmaker] = None
                elif found[0]:
                    self.scrape_interval.rescraped(row.bookmaker, *found)
                if isinstance(row, RowInPart):
                    self._keep_row(book, row, now)
                yield
            self._keep_unread(book, bad, now)
            book.withdraw_unheard_from(named, now if asked_at is None else asked_at, now, changes)
            self._log.log_rejected(book.matrix.match_name, bad)
            yield from book.recomputing(self.basis, changes, self._clock())
        self._publish(book, changes)

    def _keep_row(self, book: GameBook, row: RowInPart, now: int) -> None:
        """Keep the prices of a row that could not be read."""
        is_any = UNNAMED in row.unread or row.market_type == PLAYER_PROP
        names = [None] if is_any else [*row.unread]
        for name in names:
            book.keep_unread((row.market_type, row.period), name, [row.bookmaker], now)

    def _keep_unread(self, book: GameBook, bad: quote_readings.Unread, now: int) -> None:
        for cell in bad.cells:
            book.keep_unread(cell[:2], cell.selection, [cell.bookmaker], now)

    def _by_game(self, rows: Iterable[OddsRow]) -> dict[str, list[OddsRow]]:
        by_game: dict[str, list[OddsRow]] = {}
        for row in rows:
            by_game.setdefault(self._ids.id_of(row.competition, row.match_name), []).append(row)
        return by_game

    def merge_value_bets(
        self, bets: Iterable[ValueBet], asked_at: int | None = None, *, is_cut: bool = False
    ) -> Iterator[None]:
        """Take in the whole list of value bets, one a step; ``is_cut``: as far as read."""
        held, bad, now = self.values, list[str](), self._clock()
        asked_at = now if asked_at is None else asked_at
        bets = [bet for bet in bets if self._is_of_followed(bet)]
        named = self.players.board_bets(
            (self._ids.id_of(bet.competition, bet.match_name), bet) for bet in bets
        )
        differs = yield from held.replace_listed(named, bad, now, asked_at)
        differs = differs or is_cut != held.is_cut
        held.read_at, held.is_cut = asked_at, is_cut
        self._log.log_rejected("value bets", bad)
        if differs:
            self._subscribers.notify(notices.ValueBetsChanged())

    def _is_of_followed(self, bet: ValueBet) -> bool:
        game = self._ids.id_of(bet.competition, bet.match_name)
        listed = self.games.get(game)
        kick_off = self._series.kick_off(game, None if listed is None else listed.kick_off)
        return not are_apart(kick_off_ms(bet.match_date), kick_off)

    def withdrawing_unheard(
        self, since_ms: int, coverage: Coverage | None = None, only: str | None = None
    ) -> Iterator[None]:
        """Mark as gone what a pass over the odds, begun at ``since_ms``, did not show.

        Each step is a game.

        Args:
            since_ms: Prices received since then stay.
            coverage: What the pass read whole; None: everything. Other prices stay, and age.
            only: The game whose prices were taken in; None: all.
        """
        one = None if only is None else self._books.held_book(only)
        for book in self._books if only is None else ([] if one is None else [one]):
            changes = notices.Changes()
            read_of = partial(self._read_of, coverage, book.matrix)
            book.withdraw_unheard(since_ms, self._clock(), changes, read_of)
            self._recompute(book, changes)
            yield
        self._series.forget_kick_offs(self._clock() - FORGOTTEN_MS)
        if only is None and (coverage is None or coverage.is_whole):
            self._series.forget_kick_offs(since_ms)
            yield from self._values_read(since_ms)

    def _read_of(
        self, coverage: Coverage | None, game: Matrix, market_type: str
    ) -> Container[str] | None:
        """Return whose prices of a market a pass read whole; None: everybody's."""
        if coverage is None:
            return None
        return coverage.bookmakers_read(game.competition, game.game_id, market_type)

    def _values_read(self, since_ms: int, game: str = "") -> Iterator[None]:
        """Note for the value bets that all prices were read, of a game or of every one."""
        for moved in self.values.prices_read(since_ms, self._clock(), game):
            self._notify_values(moved)
            yield

    def replace_matrix(self, matrix: GameMatrix) -> Iterator[None]:
        """Take a whole picture of a game for all that is held of it, which may be of later.

        In steps, as ``merge_matrix``.
        """
        held = self._drop(matrix.game_id)
        try:
            yield from self.merge_matrix(matrix)
        finally:
            self._notify_removed(matrix.game_id, held)

    def replace_rows(self, rows: Iterable[OddsRow], kept: Container[str]) -> Iterator[None]:
        """Take odds rows for all that is held of every game but those ``kept``.

        Each step is a game.
        """
        by_game = self._by_game(rows)
        for game in self._books.game_ids():
            if game not in by_game and game not in kept:
                self.forget_game(game)
                yield
        for game, of_game in by_game.items():
            if game not in kept:
                held = self._drop(game)
                exhaust(self.merge_rows(of_game))
                self._notify_removed(game, held)
                yield

    def forget_game(self, game: str) -> None:
        """Drop the prices of a game, subscribed or not."""
        self._notify_removed(game, self._drop(game))
        self._subscribers.notify(notices.MatrixLoaded(game))

    # What follows

    def _respell(self, book: GameBook, changes: notices.Changes) -> None:
        """Move prices of player props whose names turned out to be another player's."""
        for period, name, before, text in self.players.take_respelled(book.matrix.game_id):
            key = CellKey(PLAYER_PROP, period, before, name)
            book.respell(key, text, self._clock(), changes)

    def _recompute(self, book: GameBook, changes: notices.Changes) -> None:
        book.recompute(self.basis, changes, self._clock())
        self._publish(book, changes)

    @contextmanager
    def _published(self, book: GameBook, changes: notices.Changes) -> Iterator[None]:
        """Publish the changes even if the caller stops the steps before the last."""
        try:
            yield
        except GeneratorExit:
            self._recompute(book, changes)
            raise

    def _publish(self, book: GameBook, changes: notices.Changes) -> None:
        game = book.matrix.game_id
        if changes.overtime_learnt and self.basis.is_pooled:
            book.repool_goals(self.basis, changes)
            for other in self._books.others_of_competition(book):
                repooled = notices.Changes()
                other.repool_goals(self.basis, repooled)
                self._publish(other, repooled)
        if self._books.held_book(game) is book:
            if game in self._subscribed and changes.moves:
                self.price_history.keep_moves(game, changes.moves)
            moved = self.values.prices_moved(book, changes, self._clock())
            for notice in changes.notices(game, rows_wanted=self.rows_wanted):
                self._subscribers.notify(notice)
            self._notify_values(moved)

    def _notify_values(self, moved: Sequence[RowKey]) -> None:
        if moved:
            self._subscribers.notify(notices.ValueBetsChanged(tuple(moved)))

    def _new_book(
        self, game: str, priced: PriceMessage | OddsRow, bad: list[str], count: int = 1
    ) -> GameBook | None:
        """Return an empty book for a game, None without room: ``bad`` has that ``count`` times."""
        if not self._books.has_room(game, self.games):
            bad += [f"{len(self.games):,} games are listed, but prices come for far more"] * count
            return None
        return self._books.book_of(self.games.get(game) or entry_of_price(priced))

    def name_reference(self, name: str | None) -> None:
        """Take in whom the service judges by, None where that is not said.

        What the service gave without a name was held under the one before, and is read again.
        """
        whose = self.desk_reference
        if name is None or name == whose.service:
            return
        now = self._clock()
        if whose.service is None or abs(now - self._reference_at) >= REFERENCE_STAYS_MS:
            self._withdraw_prices_of(whose.services_bookmaker)
            called, self._reference_at, whose.service = whose.reference_title, now, name
            self._judge_by_another(called)

    def _notify_reference(self, before: str) -> None:
        if self.desk_reference.reference_title != before:
            self._subscribers.notify(notices.ReferenceChanged())

    def _withdraw_prices_of(self, bookmaker: str) -> None:
        """Take prices for gone that may be another bookmaker's than they are held under."""
        now = self._clock()
        for book in self._books:
            changes = notices.Changes()
            book.withdraw_unheard(now + 1, now, changes, lambda _market_type: (bookmaker,))
            self._recompute(book, changes)

    def _judge_by_another(self, called: str) -> None:
        """Judge by the reference as it is now; ``called`` is the name of the one before.

        Until figures follow, all is judged by nobody.
        """
        self._books.judge_by(self.desk_reference.bookmaker)
        moved = self.values.assess_all(self._clock())
        self._notify_reference(called)
        for game in self._books.game_ids():
            self._subscribers.notify(notices.MatrixLoaded(game))
        self._notify_values(moved)
        self._go_through(self._revaluing())

    def _drop(self, game: str) -> list[RowKey]:
        """Drop a game's prices and return their keys."""
        held = list(self.row_keys_of(game))
        if self._books.drop_book(game) is not None:
            self._notify_values(self.values.forget_game(game, self._clock()))
        return held

    def _notify_removed(self, game: str, held: Sequence[RowKey]) -> None:
        """Notify about the prices of a game that are no longer held."""
        kept = set(self.row_keys_of(game))
        removed = tuple([key for key in held if key not in kept])
        if removed and self.rows_wanted:
            self._subscribers.notify(notices.RowsChanged((), removed))

    # What is asked of it

    def subscribe_game(self, game: str) -> None:
        """Keep a game's prices."""
        self._subscribed.add(game)
        self.price_history.begin_game(game, self._clock())

    def unsubscribe_game(self, game: str) -> None:
        """Keep a game's prices no longer, unless the odds grid wants them."""
        self._subscribed.discard(game)
        self._gone.discard(game)
        self.price_history.pause(game, self._clock())
        if not self.keeps_all:
            self._forget([game])

    def keep_all_rows(self, wanted: bool) -> None:
        """Keep the prices of all games, or of subscribed games only."""
        self.rows_wanted = wanted
        if wanted:
            self._subscribers.notify(notices.RowsWanted())
        else:
            self._forget_unwanted()

    def want_values(self, wanted: bool) -> None:
        """Keep the prices of all games to find value, or only what else is asked for."""
        self.values_wanted = wanted
        if not wanted:
            self._forget_unwanted()

    def set_method(self, method: str) -> None:
        """Judge everything by another devig method."""
        self.basis.method = method
        self._go_through(self._revaluing())

    def set_rules(self, rules: ListRules) -> None:
        """List value bets by these rules."""
        self.basis.rules = SERVICE_RULES if rules == SERVICE_RULES else rules
        self._go_through(self._revaluing())

    def set_derived(self, wanted: DerivedChoice) -> None:
        """Judge lines that the reference does not price by these derived prices."""
        self.basis.derived = wanted
        self._go_through(self._revaluing())

    def set_bands(self, bands: Bands) -> None:
        """Model prices with these error bands."""
        self.basis.bands = bands
        self._go_through(self._revaluing())

    def set_profiles(self, profiles: Profiles) -> None:
        """Judge everything by what these bookmakers keep of a win."""
        self.basis.profiles = profiles
        self.set_bookmakers(self._mine)

    def set_rates(self, rates: Rates) -> None:
        """Convert available amounts into the user's currency at these rates."""
        if rates != self.basis.rates:
            self.basis.rates = rates
            self._go_through(self._revaluing())

    def set_learned(self, weights: LearnedWeights) -> None:
        """Use these weights while the learned consensus is the reference."""
        self.basis.learned = weights
        if self.desk_reference.is_learned:
            self._go_through(self._revaluing())

    def set_bookmakers(self, names: tuple[str, ...]) -> None:
        """Take only these bookmakers for best prices and value; all where none is named."""
        self._mine = names
        self.basis.mine = self.basis.profiles.among(self._mine) if self._mine else None
        self._go_through(self._revaluing())

    def choose_reference(self, chosen: str) -> None:
        """Judge everything by another bookmaker, by its name; or as ``board.model.basis`` names."""
        whose = self.desk_reference
        if chosen != whose.chosen:
            if whose.service is None:  # else none can be held under that name
                self._withdraw_prices_of(UNNAMED_REFERENCE)
            before = whose.reference_title
            whose.chosen = chosen
            self._judge_by_another(before)

    def _revaluing(self) -> Iterator[None]:
        """Judge all prices again on the present basis; each step is a part of a game."""
        for book in self._books:
            changes = notices.Changes()
            yield from book.revaluing(self.basis, changes)
            self._publish(book, changes)
            yield
        self.values.assess_all(self._clock())
        self._subscribers.notify(notices.ValueBetsChanged())

    # What it is told of games and of the connection

    def set_connection(self, connection: notices.Connection) -> None:
        """Take in the state of the connection; simulated prices are dropped once real ones come.

        Nobody is told where only the pace of the stream differs, which does each second.
        """
        before = self.connection
        were_simulated = before.simulated and connection.simulated is False
        self.connection = connection
        if connection.with_pace_of(before) != before:
            self.price_history.connect(connection.link, self._clock())
            if were_simulated:
                self.forget_prices()
            self._subscribers.notify(notices.ConnectionChanged())

    def forget_prices(self) -> None:
        """Drop all prices and what was learnt from them; the service is to be read again.

        For when those to come do not follow them: after simulated ones, or by a clock put back.
        """
        self.scrape_interval.forget_intervals()
        self.values = self._no_values()
        for game in self._books.game_ids():
            self.forget_game(game)
        self._subscribers.notify(notices.ValueBetsChanged())

    def set_snapshot_progress(self, snapshot_progress: notices.SnapshotProgress) -> None:
        """Take in how far reading all rows is."""
        if snapshot_progress != self.snapshot_progress:
            self.snapshot_progress = snapshot_progress
            self._subscribers.notify(notices.SnapshotProgressChanged())

    def miss_draw(self, game: str, period: int, bookmaker: str, at_ms: int) -> None:
        """Note that a bookmaker priced the draw of a moneyline at a moment; maybe not now."""
        if (book := self._books.held_book(game)) is not None:
            changes = notices.Changes()
            book.miss_draw(period, bookmaker, at_ms, changes)
            self._recompute(book, changes)

    def mark_not_in_play(self, game: str) -> None:
        """Take the prices of a game whose state nobody stated as not in play."""
        if (book := self._books.held_book(game)) is not None:
            changes = notices.Changes()
            book.mark_not_in_play(changes)
            self._recompute(book, changes)

    def end_game(self, game: str) -> None:
        """Mark every price of a game as gone: the service no longer shows it."""
        self._gone.add(game)
        book, now = self._books.held_book(game), self._clock()
        if book is not None:
            changes = notices.Changes()
            book.withdraw_unheard(now + 1, now, changes)
            self._recompute(book, changes)
        exhaust(self._values_read(now, game))

    def merge_game(self, game: str, into: str) -> None:
        """Note that a game is part of another by now: nobody offers its prices any more."""
        self.end_game(game)
        self._subscribers.notify(notices.GameMerged(game, into))

    # What it lets go of

    def sweep(self) -> None:
        """Note what time has changed: what is stale, what is long gone."""
        exhaust(self.sweeping())

    def finding_oldest(self) -> Generator[None, None, float]:
        """Return when the oldest current price was scraped; infinity if there is none.

        Each step is one game.
        """
        oldest = math.inf
        for book in self._books:
            standing = (price.scraped_at for _, price in book.prices() if price.is_offered)
            oldest = min(oldest, min(standing, default=math.inf))
            yield
        return oldest

    def sweeping(self) -> Iterator[None]:
        """Do what ``sweep`` does in small steps; begin it each second."""
        now = self._clock()
        self.price_history.note_time(now)
        lessons = self.basis.scrape_interval.lessons
        for book in self._books:
            if book.is_due(lessons, now):
                changes = notices.Changes()
                book.sweep(self.basis, now, changes)
                if changes.removed or changes.touched:
                    self._recompute(book, changes)
                book.log_turned_away()
                yield
        self._books.drop_empty(self.games.keys() | self._subscribed)
        for moved in self.values.ageing(now):
            self._notify_values(moved)
            yield
        yield from self._comparing(_COMPARED_AT_ONCE)

    def find_suppliers(self) -> None:
        """Find by all lines held which bookmakers show the odds of one supplier.

        ``sweep`` does it, too, a few games at a time.
        """
        self._to_compare = iter(())
        exhaust(self._comparing(None))

    def _comparing(self, games: int | None) -> Iterator[None]:
        """Compare the lines of the next games, a game a step; None is all of them.

        Where others than before have one supplier, all that a consensus judges is judged again.
        """
        found, now = self.basis.suppliers.found, self._clock()
        names = list(islice(self._to_compare, games))
        if not names:
            changed = [book for book in self._books if not book.has_compared]
            self._to_compare = iter([book.matrix.game_id for book in changed])
            names = list(islice(self._to_compare, games))
        for game in names:
            book = self._books.held_book(game)
            if book is not None:
                compare_lines(book.matrix, self.basis, now)
                book.has_compared = True
                yield
        if self.basis.suppliers.found != found and self.basis.is_pooled:
            self._go_through(self._revaluing())

    def forget_service(self) -> None:
        """Forget everything but what is asked of it: what comes next is another service's."""
        removed = tuple([key for game in self.held_games() for key in self.row_keys_of(game)])
        self.games, self.games_are_cut, self.values_wanted = {}, False, False
        before = self.desk_reference.reference_title
        self.basis = self.basis.of_another_service()
        self.connection, self.snapshot_progress = notices.Connection(), notices.SnapshotProgress()
        self._books, self.results = GameBooks(self.desk_reference.bookmaker), ResultBook()
        self._subscribed, self._gone = set(), set()
        self.players = PlayerNames()
        self.values = self._no_values()
        self.price_history = PriceHistory()
        for notice in (
            notices.GamesChanged(),
            notices.ValueBetsChanged(),
            notices.SnapshotProgressChanged(),
            notices.ConnectionChanged(),
        ):
            self._subscribers.notify(notice)
        self._notify_reference(before)
        if self.rows_wanted:
            self._subscribers.notify(notices.RowsChanged((), removed))

    def _forget_unwanted(self) -> None:
        names = [] if self.keeps_all else self._books.game_ids()
        self._forget(game for game in names if game not in self._subscribed)

    def _forget(self, games: Iterable[str]) -> None:
        now = self._clock()
        for game in games:
            if self._books.drop_book(game) is not None:
                self._notify_values(self.values.forget_game(game, now))
