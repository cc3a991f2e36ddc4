"""The board: what the desk knows of games, prices, value bets and the connection."""

from collections.abc import (
    Callable,
    Iterable,
    Iterator,
)
from itertools import islice
from typing import Final

from oddsdesk.board.changes import Changes
from oddsdesk.board.connection import Connection, SnapshotProgress
from oddsdesk.board.game_books import GameBooks
from oddsdesk.board.intake import Intake
from oddsdesk.board.notices import (
    ConnectionChanged,
    GameMerged,
    GamesChanged,
    MatrixLoaded,
    RowsChanged,
    RowsWanted,
    SnapshotProgressChanged,
    ValueBetsChanged,
)
from oddsdesk.board.player_names import PlayerNames
from oddsdesk.board.price_history import PriceHistory
from oddsdesk.board.voting import compare_lines
from oddsdesk.clock import Clock
from oddsdesk.pricing.devig import DEFAULT_METHOD
from oddsdesk.pricing.profiles import Profiles
from oddsdesk.slices import exhaust

_COMPARED_AT_ONCE: Final = 20
"""Games whose lines are compared in one sweep: 2,000 take 100 s, and a sweep a few milliseconds."""


class Board(Intake):
    """What is heard, of what is asked for, judged by what the user chose; one thread only."""

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
        super().__init__(clock, method)
        self._go_through = go_through
        self._mine: tuple[str, ...] = ()
        self._to_compare: Iterator[str] = iter(())
        """Games whose lines are still to be compared in this round."""

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

    def choose_reference(self, chosen: str) -> None:
        """Judge everything by another bookmaker, by its name; or as ``board.reference`` names."""
        if chosen != self.whose.chosen:
            self._rename(self.whose.choose(chosen))
            self.values.assess_all(self._clock())
            for game in self._books.names():  # until figures follow, there is no reference price
                self._subscribers.tell(MatrixLoaded(game))
            self._subscribers.tell(ValueBetsChanged())
            self._go_through(self._revaluing())

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

    # What it is told of games and of the connection

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
                self.forget_prices()
            self._subscribers.tell(ConnectionChanged())

    def forget_prices(self) -> None:
        """Let go of all prices and of what they taught; who reads the service reads it anew.

        For when those to come do not follow them: after simulated ones, or by a clock put back.
        """
        self.scrape_interval.forget()
        self.values = self._no_values()
        for game in self._books.names():
            self.forget_game(game)
        self._subscribers.tell(ValueBetsChanged())

    def set_snapshot_progress(self, snapshot_progress: SnapshotProgress) -> None:
        """Take in how far reading all rows is."""
        if snapshot_progress != self.snapshot_progress:
            self.snapshot_progress = snapshot_progress
            self._subscribers.tell(SnapshotProgressChanged())

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

    def end_game(self, game: str) -> None:
        """Mark every price of a game as gone: the service shows it no more."""
        self._gone.add(game)
        book, now = self._books.get(game), self._clock()
        if book is not None:
            changes = Changes()
            book.withdraw_unheard(now + 1, now, changes)
            self._recompute(book, changes)
        exhaust(self._values_read(now, game))

    def merge_game(self, game: str, into: str) -> None:
        """Note that a game is part of another by now: nobody offers its prices any more (D69)."""
        self.end_game(game)
        self._subscribers.tell(GameMerged(game, into))

    # What it lets go of

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
        yield from self._comparing(_COMPARED_AT_ONCE)

    def find_suppliers(self) -> None:
        """Find by all lines held which bookmakers show the odds of one supplier (D94).

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
            self._to_compare = iter(self._books.names())
            names = list(islice(self._to_compare, games))
        for game in names:
            book = self._books.get(game)
            if book is not None:
                compare_lines(book.matrix, self.basis, now)
                yield
        if self.basis.suppliers.found != found and self.basis.is_pooled:
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
        self.players = PlayerNames()
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

    def _forget_unwanted(self) -> None:
        names = [] if self.keeps_all else self._books.names()
        self._forget(game for game in names if game not in self._subscribed)

    def _forget(self, games: Iterable[str]) -> None:
        now = self._clock()
        for game in games:
            if self._books.drop(game) is not None:
                self._tell_values(self.values.forget_game(game, now))
