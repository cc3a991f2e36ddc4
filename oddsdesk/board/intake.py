"""Taking in what a board hears: prices, games, value bets; and telling what changed by it."""

from collections.abc import (
    Callable,
    Container,
    Generator,
    Iterable,
    Iterator,
    Sequence,
)
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from typing import Final

from msgspec import UNSET

from oddsdesk.board.changes import Changes
from oddsdesk.board.game_book import GameBook
from oddsdesk.board.games import entry_of_price, game_entry
from oddsdesk.board.known import Known
from oddsdesk.board.matrix import CellKey, Matrix, QuoteKey, RowKey
from oddsdesk.board.merging import batched, hear_again, put_all, put_move
from oddsdesk.board.notices import (
    GamesChanged,
    MatrixLoaded,
    Notice,
    RowsChanged,
    Subscriber,
    Subscribers,
    ValueBetsChanged,
)
from oddsdesk.board.passed_over import PassedOver
from oddsdesk.board.readings import (
    LoggedMove,
    Reading,
    Unread,
    game_of_matrix,
    quotes_of,
    read_market,
    read_messages,
    read_row,
)
from oddsdesk.board.reference import Renaming
from oddsdesk.board.waiting_messages import WaitingMessages
from oddsdesk.client.flat import reference_of
from oddsdesk.client.kick_offs import FORGOTTEN_MS, are_apart, kick_off_ms
from oddsdesk.client.partial_answers import MatrixInPart, RowInPart
from oddsdesk.client.row_slices import Coverage
from oddsdesk.clock import Clock
from oddsdesk.contract.quotes import UNNAMED, is_disabled
from oddsdesk.contract.resources import Game, GameMatrix, OddsRow, PriceMessage, ValueBet
from oddsdesk.matching.player_names import PLAYER_PROP
from oddsdesk.slices import exhaust

REFERENCE_STAYS_MS: Final = 10_000
"""For so long at least: to learn of another keeps all prices under other keys (D85)."""


class Intake(Known):
    """Keeps what comes in, and tells subscribers what changed; one thread only."""

    def __init__(self, clock: Clock, method: str) -> None:
        super().__init__(clock, method)
        self.is_taking_in = False
        """Whether messages of games in sight are being taken in: more changes there soon."""
        self._subscribers = Subscribers()
        self._passed_over = PassedOver(clock)
        self._reference_at = 0
        """When it was learnt whom the service judges by."""

    def subscribe(self, callback: Subscriber, *kinds: type[Notice]) -> Callable[[], None]:
        """Call back with each notice, on the board's thread, until the answer is called.

        With those of some kinds only, where any is named: most are of prices, and many.
        """
        return self._subscribers.add(callback, kinds)

    # The stream and the log

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

    def _apply(self, game: str, messages: Sequence[PriceMessage], bad: list[str]) -> None:
        for message in messages:
            if message.liquidity is not UNSET:
                self.name_reference(message.bookmaker)
        book = self._books.get(game)
        if book is None:
            book = self._new_book(game, messages[0], bad, len(messages)) if self.keeps_all else None
            if book is None:
                return
        changes, now = Changes(), self._clock()
        if game in self._followed:
            messages = self._of_followed(book, messages, changes)
        for together in quotes_of(messages):
            if together[0].market_type == PLAYER_PROP:
                together = self.players.messages(game, together)
                self._respell(book, changes)
            quote, said, liquidity = read_messages(together, now, self.whose, bad)
            for message in together:
                if is_disabled(message.odds):
                    key = CellKey(quote[0], quote[1], message.selection, quote[2])
                    book.withdraw(key, now, changes)
            book.put_quote(quote, said, changes, liquidity)
        self._recompute(book, changes)

    def _of_followed(
        self, book: GameBook, messages: Iterable[PriceMessage], changes: Changes
    ) -> list[PriceMessage]:
        """Return the messages that are surely of the game whose prices are held, of a series.

        A message has no kick-off. Where the bookmaker prices another of these games, too, a price
        that differs is withdrawn until a reading tells it.
        """
        game, sure = book.matrix.game_id, list[PriceMessage]()
        for each in messages:
            names = each.competition, each.match_name
            if self._kick_offs.prices_only(*names, each.bookmaker, self._followed[game]):
                sure.append(each)
                continue
            if each.market_type == PLAYER_PROP:
                (each,) = self.players.messages(game, [each])
            bookmaker = self.whose.key_of(each.bookmaker)
            key = CellKey(each.market_type, each.period, each.selection, bookmaker)
            held = self.price(game, key._replace(bookmaker=each.bookmaker))
            if held is not None and held.is_offered and held.odds != each.odds:
                book.withdraw(key, self._clock(), changes)
        return sure

    def apply_moves(self, moves: Sequence[LoggedMove]) -> None:
        """Take in what a log says of the games that are kept; as ``apply_all``."""
        for name in {move.key.bookmaker for move in moves if move.liquidity is not None}:
            self.name_reference(name)
        now = self._clock()
        changed: dict[str, tuple[GameBook, Changes]] = {}
        for move in moves:
            game = move.game.game_id
            if self.keeps_all or game in self._subscribed:
                book = self._books.of(self.games.get(game, move.game))
                _, changes = changed.setdefault(game, (book, Changes()))
                if move.key.market_type == PLAYER_PROP:
                    _, period, text, name = move.key
                    text = self.players.moved(game, period, name or "", text)
                    move = move._replace(key=move.key._replace(selection=text))
                    self._respell(book, changes)
                put_move(book, move, now, self.whose, changes)
        for book, changes in changed.values():
            self._recompute(book, changes)

    # Answers

    def load_games(self, games: Iterable[Game], *, is_cut: bool = False) -> None:
        """Take in the whole list of games; ``is_cut``: as far as read."""
        held = {game.game_id: game_entry(game) for game in games}
        for entry in held.values():
            self._ids.learn(entry)
        for key in [*self._followed]:
            if key in held and self._is_apart(key, held[key].kick_off):
                self._follow(key, held[key].kick_off)
        dated = {key for key in held if (book := self._books.get(key)) and book.date(held[key])}
        if dated:
            self._tell_values(self.values.assess_games(dated, self._clock()))
        self.players.keep(held.keys() | set(self._books.names()) | self._subscribed)
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
        self.name_reference(reference_of(matrix))
        if entry.game_id in self._followed and self.connection.as_of_ms is None:
            return  # it holds prices of several games, and does not say which
        book = self._books.of(entry)
        matrix = self.players.matrix(matrix, entry.game_id, self.whose.service or "")
        whole, bad = Changes(relaid=book.matrix.read_at is None), Unread()
        self._respell(book, whole)
        with self._told(book, whole):
            for market in matrix.markets:
                readings = read_market(market, now, self.whose, bad, in_play=entry.is_live)
                yield from self._merge_market(book, readings, whole)
        book.matrix.read_at = now
        if book.date(entry):
            self._tell_values(self.values.assess_games({entry.game_id}, now))
        since = now if asked_at is None else asked_at
        self._keep_unread(book, bad, now)
        for each in matrix.unread if isinstance(matrix, MatrixInPart) else ():
            whose = None if each.bookmaker is None else [self.whose.key_of(each.bookmaker)]
            if each.is_reference:
                whose = [None, self.whose.service]
            # how a player's name would be spelled here is not known of what was not read
            name = None if each.market_type == PLAYER_PROP else each.selection
            book.keep(each[:2], name, whose, now)
        book.withdraw_unheard(since, now, whole)
        self._passed_over.tell(matrix.match_name, bad)
        self._recompute(book, whole)
        yield from self._values_read(since, entry.game_id)

    def _merge_market(
        self, book: GameBook, readings: Iterable[Reading], whole: Changes
    ) -> Iterator[None]:
        """Merge one market of a picture; what changed is told with the whole if that lays out."""
        changes = Changes()
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

    def merge_rows(self, rows: Iterable[OddsRow], asked_at: int | None = None) -> Iterator[None]:
        """Merge odds rows, one a step; a selection that a row no longer names becomes withdrawn."""
        rows, now, no_room = list(rows), self._clock(), list[str]()
        for row in rows:
            if row.liquidity is not None:
                self.name_reference(row.bookmaker)
        is_now = self.connection.as_of_ms is None
        if is_now:
            self._kick_offs.learn(rows, now)
        for game, of_game in self._by_game(rows).items():
            of_game = self._of_one_game(game, of_game, now) if is_now else of_game
            if not of_game:
                continue
            book = self._books.get(game) or self._new_book(game, of_game[0], no_room)
            if book is not None:
                yield from self._merge_rows_of(book, of_game, now, asked_at)
        self._passed_over.tell("odds", no_room)

    def _of_one_game(self, game: str, rows: list[OddsRow], now: int) -> list[OddsRow]:
        """Return the rows of the game whose prices are held; others of the same id are left out."""
        first, listed = rows[0], self.games.get(game)
        names = first.competition, first.match_name
        listed_ms = None if listed is None else listed.kick_off
        times = {text: kick_off_ms(text) for text in {row.match_date for row in rows}}
        is_series = self._kick_offs.is_series(*names)
        if not is_series and not any(are_apart(at, listed_ms) for at in times.values()):
            self._followed.pop(game, None)
            return rows
        kick_off = self._kick_offs.followed(*names, listed_ms, now)
        self._follow(game, kick_off)
        kept = []
        others: dict[str, int] = {}
        for row in rows:
            at = times[row.match_date]
            if at is not None and not are_apart(at, kick_off):
                kept.append(row)
            else:
                day = "a day that is not told" if at is None else _day(at)
                others[day] = others.get(day, 0) + len(row.odds)
        for day, count in others.items():
            self._passed_over.tell_left_out(first.match_name, day, count)
        return kept

    def _follow(self, key: str, kick_off: int | None) -> None:
        """Hold prices of this kick-off alone; those of before may be of another, and are dropped.

        A picture of the game mixes them, and a message does not say of which it is.
        """
        if kick_off is None or (key in self._followed and not self._is_apart(key, kick_off)):
            return
        self._followed[key] = kick_off
        if key in self._books.names():
            self._tell_gone(key, self._drop(key))
            self._subscribers.tell(MatrixLoaded(key))

    def _is_apart(self, game: str, kick_off: int | None) -> bool:
        return are_apart(self._followed.get(game), kick_off)

    def _merge_rows_of(
        self, book: GameBook, rows: Iterable[OddsRow], now: int, asked_at: int | None
    ) -> Iterator[None]:
        changes, bad, named = Changes(), Unread(), dict[QuoteKey, None]()
        with self._told(book, changes):
            for row in rows:
                if row.market_type == PLAYER_PROP:
                    row = self.players.row(book.matrix.game_id, row)
                    self._respell(book, changes)
                found = hear_again(book, row, now, self.whose, changes)
                if found is None:
                    reading = read_row(row, now, self.whose, bad)
                    put_all(book, [reading], changes, self.scrape_interval, self.reference)
                    if reading[1]:
                        named[row.market_type, row.period, row.bookmaker] = None
                elif found[0]:
                    self.scrape_interval.rescraped(row.bookmaker, *found)
                if isinstance(row, RowInPart):
                    self._keep_row(book, row, now)
                yield
            self._keep_unread(book, bad, now)
            quotes = [(kind, period, self.whose.key_of(name)) for kind, period, name in named]
            book.withdraw_unheard_of(quotes, now if asked_at is None else asked_at, now, changes)
            self._passed_over.tell(book.matrix.match_name, bad)
            yield from book.recomputing(self.basis, changes)
        self._publish(book, changes)

    def _keep_row(self, book: GameBook, row: RowInPart, now: int) -> None:
        """Keep what a row does not speak of, as it could not be read."""
        whose = [self.whose.key_of(row.bookmaker)]
        is_any = UNNAMED in row.unread or row.market_type == PLAYER_PROP
        names = [None] if is_any else [*row.unread]
        for name in names:
            book.keep((row.market_type, row.period), name, whose, now)

    def _keep_unread(self, book: GameBook, bad: Unread, now: int) -> None:
        for cell in bad.cells:
            book.keep(cell[:2], cell.selection, [cell.bookmaker], now)

    def _by_game(self, rows: Iterable[OddsRow]) -> dict[str, list[OddsRow]]:
        by_game: dict[str, list[OddsRow]] = {}
        for row in rows:
            by_game.setdefault(self._ids.of(row.competition, row.match_name), []).append(row)
        return by_game

    def merge_value_bets(
        self, bets: Iterable[ValueBet], asked_at: int | None = None, *, is_cut: bool = False
    ) -> Iterator[None]:
        """Take in the whole list of value bets, one a step; ``is_cut``: as far as read."""
        held, bad, now = self.values, list[str](), self._clock()
        asked_at = now if asked_at is None else asked_at
        bets = [bet for bet in bets if self._is_of_followed(bet)]
        named = self.players.bets(
            (self._ids.of(bet.competition, bet.match_name), bet) for bet in bets
        )
        differs = yield from held.take(named, bad, now, asked_at)
        differs = differs or is_cut != held.is_cut
        held.read_at, held.is_cut = asked_at, is_cut
        self._passed_over.tell("value bets", bad)
        if differs:
            self._subscribers.tell(ValueBetsChanged())

    def _is_of_followed(self, bet: ValueBet) -> bool:
        game = self._ids.of(bet.competition, bet.match_name)
        listed = self.games.get(game)
        kick_off = self._followed.get(game, None if listed is None else listed.kick_off)
        return not are_apart(kick_off_ms(bet.match_date), kick_off)

    def withdrawing_unheard(
        self, since_ms: int, coverage: Coverage | None = None, only: str | None = None
    ) -> Iterator[None]:
        """Mark as gone what a pass over the odds, begun at ``since_ms``, did not show.

        Each step is a game.

        Args:
            since_ms: Prices heard of since then stay.
            coverage: What the pass read whole; None: everything. Other prices stay, and age.
            only: The game whose prices were taken in; None: all.
        """
        one = None if only is None else self._books.get(only)
        for book in self._books if only is None else ([] if one is None else [one]):
            changes = Changes()
            read_of = partial(self._read_of, coverage, book.matrix)
            book.withdraw_unheard(since_ms, self._clock(), changes, read_of)
            self._recompute(book, changes)
            yield
        self._kick_offs.forget(self._clock() - FORGOTTEN_MS)
        if only is None and (coverage is None or coverage.is_whole):
            self._kick_offs.forget(since_ms)
            yield from self._values_read(since_ms)

    def _read_of(
        self, coverage: Coverage | None, game: Matrix, market_type: str
    ) -> Container[str | None] | None:
        """Return whose prices of a market a pass read whole; None: everybody's."""
        if coverage is None:
            return None
        names = coverage.bookmakers(game.competition, game.game_id, market_type)
        return None if names is None else frozenset(map(self.whose.key_of, names))

    def _values_read(self, since_ms: int, game: str = "") -> Iterator[None]:
        """Note for the value bets that all prices were read, of a game or of every one."""
        for moved in self.values.prices_read(since_ms, self._clock(), game):
            self._tell_values(moved)
            yield

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
        by_game = self._by_game(rows)
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

    # What follows

    def _respell(self, book: GameBook, changes: Changes) -> None:
        """Move prices of player props whose names turned out to be another player's."""
        for period, name, before, text in self.players.take_respelled(book.matrix.game_id):
            bookmaker = self.whose.key_of(name) if name else None
            key = CellKey(PLAYER_PROP, period, before, bookmaker)
            book.respell(key, text, self._clock(), changes)

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

    def _tell_values(self, moved: Sequence[RowKey]) -> None:
        if moved:
            self._subscribers.tell(ValueBetsChanged(tuple(moved)))

    def _new_book(
        self, game: str, said: PriceMessage | OddsRow, bad: list[str], count: int = 1
    ) -> GameBook | None:
        """Return an empty book for a game, None without room: ``bad`` has that ``count`` times."""
        if not self._books.has_room(game, self.games):
            bad += [f"{len(self.games):,} games are listed, and prices of far more come"] * count
            return None
        return self._books.of(self.games.get(game) or entry_of_price(said))

    def name_reference(self, name: str | None) -> None:
        """Take in whom the service judges by, None where that is not said."""
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


def _day(at_ms: int) -> str:
    day = datetime.fromtimestamp(at_ms / 1000, UTC)
    return f"{day.day} {day:%b}"
