"""The user's bets, presets and hidden items: held in memory, written by a thread."""

import logging
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec
from PySide6.QtCore import QObject, QTimer, Signal

from oddsdesk.base.numbers import num
from oddsdesk.base.texts import _, translated
from oddsdesk.board.board import Board
from oddsdesk.ledger.accounts import MoneyBook, MoneyTables, in_main_currency
from oddsdesk.ledger.bets import BetKey, PlacedBet
from oddsdesk.ledger.games import GamesOfBets, ListedGame, Spelled, as_written, on_listed_games
from oddsdesk.ledger.ledger import Ledger
from oddsdesk.ledger.open_bets import (
    by_bookmaker,
    open_by_outcome,
    outcome_named,
    outcomes_by,
    outcomes_of,
    placed_in,
)
from oddsdesk.ledger.presets import BUILT_IN, Hidden, Preset
from oddsdesk.ledger.schema import LedgerError
from oddsdesk.pricing.exposure import Placed, StakePlan

if TYPE_CHECKING:
    from oddsdesk.ledger.settling import ToCheck

_LOOK_MS: Final = 5_000

_log = logging.getLogger(__name__)

Taken = Callable[[], None]
"""Called on the window's thread after the file was written."""


class Records(QObject):
    """Presets, placed bets and hidden items, as the ledger file holds them.

    A thread reads and writes the file, as disks can be slow. Changes by other programs, such as
    `oddsdesk ledger`, are shown within seconds.
    """

    presets_changed = Signal()
    bets_changed = Signal()
    hidden_changed = Signal()
    money_changed = Signal()
    """Movements of money, exchange rates or the main currency changed."""
    proposals_changed = Signal()
    failed = Signal(str)
    """Why something could not be recorded or read, in one line."""
    _written = Signal(object)

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.presets: tuple[Preset, ...] = BUILT_IN
        """The built-in ones first."""
        self.hidden: tuple[Hidden, ...] = ()
        """The hidden value bets, including those whose time is over."""
        self.book = MoneyBook()
        """Movements of money to and from accounts, and exchange rates."""
        self._proposals: Mapping[int, ToCheck] = {}
        self.last_change: int | None = None
        """The number of the change that would be undone; None for none."""
        self.has_read_bets = False
        """Whether the bets have been read; before that there are none here."""
        self._bets: dict[BetKey, tuple[PlacedBet, ...]] = {}
        self._open: list[PlacedBet] | None = None
        """The open bets; None: must be looked for again."""
        self.bets_changed.connect(self._forget_open)  # before anyone else is told
        self._path = path
        self._ledger: Ledger | None = None
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="ledger")
        self._written.connect(self._on_written)
        self._version = 0
        """The file's version when it was last read; used by the ledger's thread."""
        self._looks = QTimer(self, interval=_LOOK_MS)
        self._looks.timeout.connect(self._on_looks_timeout)
        self._do(self._read)
        self._looks.start()

    def placed_bets(self) -> Iterator[PlacedBet]:
        """Yield every placed bet."""
        for bets in self._bets.values():
            yield from bets

    def open_bets(self) -> list[PlacedBet]:
        """Return the bets that are not settled."""
        if self._open is None:
            self._open = [bet for bet in self.placed_bets() if bet.open_size]
        return self._open

    def _forget_open(self) -> None:
        self._open = None

    def open_on(self, board: Board) -> dict[Hashable, list[PlacedBet]]:
        """Return the open bets by outcome as a board names it; practice ones on simulated odds."""
        return open_by_outcome(
            self.open_bets(),
            simulated=board.connection.simulated,
            listed=board.games,
            spelled=board.players.spelled,
        )

    def staked_on(self, board: Board) -> dict[tuple[Hashable, str], float]:
        """Return what they count against bookmakers' limits, as ``by_bookmaker``."""
        return by_bookmaker(self.open_on(board))

    def in_main(self, bets: Iterable[PlacedBet], now_ms: int) -> Iterator[PlacedBet]:
        """Yield bets in the main currency, where rates are known."""
        return in_main_currency(bets, self.book, now_ms)

    def holds(self, bet: PlacedBet) -> bool:
        """Return whether a bet still exists, perhaps changed."""
        return any(each.ident == bet.ident for each in self.placed_bets())

    def placed(self, key: BetKey) -> tuple[PlacedBet, ...]:
        """Return the bets on a price, oldest first."""
        return self._bets.get(key, ())

    def show_proposals(self, proposals: "Mapping[int, ToCheck]") -> None:
        """Take what recorded results say about bets that they did not settle."""
        if proposals != self._proposals:
            self._proposals = dict(proposals)
            self.proposals_changed.emit()

    def proposal(self, bet: PlacedBet) -> "ToCheck | None":
        """Return why a bet did not settle, or that its result was corrected; None if neither."""
        found = self._proposals.get(bet.ident or 0)
        if found is None:
            return None
        is_of_it = (found.bet.result, found.bet.settled_by) == (bet.result, bet.settled_by)
        return found if is_of_it else None

    def on_outcome(
        self,
        key: BetKey,
        match_name: str,
        sport: str,
        listed: Mapping[str, ListedGame],
        spelled: Spelled = as_written,
        *,
        in_play: bool,
    ) -> list[PlacedBet]:
        """Return the bets on an outcome at all bookmakers, however they are spelled.

        Args:
            key: A price of the outcome.
            match_name: The name of its game.
            sport: The sport of its game.
            listed: The games of the board.
            spelled: How the board spells players.
            in_play: Whether the game is in play.
        """
        wanted = outcome_named(key, match_name, sport, in_play=in_play)
        held = list(self.placed_bets())
        on_listed = on_listed_games(held, listed, spelled)
        games = GamesOfBets(on_listed)
        return [
            bet
            for bet, named in zip(held, on_listed, strict=True)
            if named.backs(key) or wanted in outcomes_by(games.ids(named), named)
        ]

    def act(
        self, work: Callable[[Ledger], Taken], refused: Callable[[str], None] | None = None
    ) -> None:
        """Change bets on the ledger's thread, read all again, and call what ``work`` returned.

        ``work`` may raise ``LedgerError`` only; it reports other trouble by what it returns.
        ``refused`` is called with the reason if nothing was written, in place of ``failed``.
        """

        def write_act(ledger: Ledger) -> Taken:
            then = work(ledger)
            take_bets = self._reread_bets(ledger)

            def take_result() -> None:
                take_bets()
                then()

            return take_result

        self._do(write_act, refused)

    def change_bets(
        self,
        bets: Sequence[PlacedBet],
        what: str,
        then: Taken = lambda: None,
        refused: Callable[[str], None] | None = None,
    ) -> None:
        """Save changed bets, for example settled ones."""

        def work(ledger: Ledger) -> Taken:
            ledger.change_bet(bets, what)
            return then

        self.act(work, refused)

    def place_bet(
        self,
        bet: PlacedBet,
        then: Callable[[PlacedBet], None],
        refused: Callable[[str], None] | None = None,
    ) -> None:
        """Record a bet; ``then`` gets it with its number once it is on disk."""

        def write(ledger: Ledger) -> Taken:
            placed, last = ledger.record_bet(bet), ledger.last_change_number()
            return lambda: self._take_placed(placed, last, then)

        self._do(write, refused)

    def place_bets(
        self,
        bets: Sequence[PlacedBet],
        then: Callable[[list[PlacedBet]], None],
        refused: Callable[[str], None] | None = None,
    ) -> None:
        """Record bets as one change, all or none; ``then`` gets them with their numbers."""

        def write(ledger: Ledger) -> Taken:
            return partial(then, ledger.place_all(bets, "placed"))

        self.act(write, refused)

    def take_back(self, bet: PlacedBet, then: Callable[[bool], None] = lambda _: None) -> None:
        """Delete a bet, unless it has been changed since.

        ``then`` is called afterwards with whether it was deleted.
        """
        self.take_back_bets([bet], then)

    def take_back_bets(
        self, bets: Sequence[PlacedBet], then: Callable[[bool], None] = lambda _: None
    ) -> None:
        """Delete bets as one change, unless one of them has been changed since."""

        def take_back_bets(ledger: Ledger) -> Taken:
            return partial(then, ledger.take_back_unchanged(*bets))

        self.act(take_back_bets)

    def change_money(
        self, work: Callable[[MoneyTables], Taken], refused: Callable[[str], None] | None = None
    ) -> None:
        """Change movements or rates, and call what ``work`` returned; ``refused`` as in ``act``."""

        def write_money(ledger: Ledger) -> Taken:
            then, take = work(ledger.money), self._reread_money(ledger)

            def take_money() -> None:
                take()
                then()

            return take_money

        self._do(write_money, refused)

    def save_preset(self, preset: Preset) -> None:
        def write_preset(ledger: Ledger) -> Taken:
            ledger.save_preset(preset)
            return self._reread(ledger)

        self._do(write_preset)

    def delete_preset(self, name: str) -> None:
        """Delete one of the user's presets."""

        def drop_preset(ledger: Ledger) -> Taken:
            ledger.delete_preset(name)
            return self._reread(ledger)

        self._do(drop_preset)

    def hide(self, thing: Hidden, now_ms: int) -> None:
        """Hide an item among the value bets."""

        def write_hidden(ledger: Ledger) -> Taken:
            ledger.hide(thing, now_ms)
            return self._reread_hidden(ledger)

        self._do(write_hidden)

    def unhide(self, thing: Hidden) -> None:
        """Show a hidden item again."""

        def drop_hidden(ledger: Ledger) -> Taken:
            ledger.unhide(thing)
            return self._reread_hidden(ledger)

        self._do(drop_hidden)

    def read_again(self) -> None:
        """Read the file again."""
        self._do(self._read)

    def close_records(self) -> None:
        """Finish writing and close the file."""
        self._looks.stop()
        self._pool.shutdown(wait=True)
        if self._ledger is not None:
            self._ledger.close()
            self._ledger = None  # so that a late answer starts no check

    def _do(
        self, act: Callable[[Ledger], Taken], refused: Callable[[str], None] | None = None
    ) -> None:
        self._pool.submit(self._work, act, refused or self.failed.emit)

    def _work(self, act: Callable[[Ledger], Taken], refused: Callable[[str], None]) -> None:
        try:
            if self._ledger is None:
                self._ledger = Ledger(self._path)
            taken = act(self._ledger)
        except LedgerError as error:
            taken = partial(
                refused, _("Your records: {error}").format(error=translated(str(error)))
            )
        except Exception:  # noqa: BLE001 - a thread's main
            _log.exception("unexpected error in the ledger's thread")
            return
        self._written.emit(taken)

    def _on_looks_timeout(self) -> None:
        if self._ledger is not None:  # otherwise it failed, which was reported
            self._looks.stop()  # no second request to a hanging disk
            self._do(self._look)

    def _look(self, ledger: Ledger) -> Taken:
        """Read changes by other programs; errors are reported at the next use."""
        try:
            taken = self._read(ledger) if ledger.version() != self._version else _nothing
        except LedgerError:
            taken = _nothing

        def take_state() -> None:
            taken()
            self._looks.start()

        return take_state

    def _read(self, ledger: Ledger) -> Taken:
        self._version = ledger.version()
        readings = (self._reread, self._reread_hidden, self._reread_money, self._reread_bets)
        taken = [read(ledger) for read in readings]

        def take_records() -> None:
            for each in taken:
                each()

        return take_records

    def _reread_bets(self, ledger: Ledger) -> Taken:
        bets, last = ledger.read_bets(), ledger.last_change_number()

        def take_bets() -> None:
            self._bets = {}
            self.last_change = last
            self.has_read_bets = True
            for bet in bets:
                self._bets[bet.bet_key] = (*self.placed(bet.bet_key), bet)
            self.bets_changed.emit()

        return take_bets

    def _reread_money(self, ledger: Ledger) -> Taken:
        book = ledger.money.read_book()

        def take_money() -> None:
            if book != self.book:
                self.book = book
                self.money_changed.emit()

        return take_money

    def _reread(self, ledger: Ledger) -> Taken:
        presets, bad = ledger.presets()

        def take_presets() -> None:
            self.presets = (*BUILT_IN, *presets)
            self.presets_changed.emit()
            if bad:
                told = "; ".join(map(translated, bad))
                self.failed.emit(_("Your records: {error}").format(error=told))

        return take_presets

    def _reread_hidden(self, ledger: Ledger) -> Taken:
        things = tuple(ledger.hidden())

        def take_hidden() -> None:
            if things != self.hidden:
                self.hidden = things
                self.hidden_changed.emit()

        return take_hidden

    def _take_placed(
        self, bet: PlacedBet, last: int | None, then: Callable[[PlacedBet], None]
    ) -> None:
        self.last_change = last
        self._bets[bet.bet_key] = (*self.placed(bet.bet_key), bet)
        self.bets_changed.emit()
        then(bet)

    def _on_written(self, taken: Taken) -> None:
        taken()


def _nothing() -> None:
    """Do nothing."""


_DUST: Final = 1e-6
"""Tolerance for rounding errors in sums of stakes."""


_ABOVE_OUTCOME: Final = (
    _("{amount} on this outcome is above your limit of {limit}. Check the stake."),
    _(
        "{amount} on this outcome, including recorded bets, is above your limit of {limit}. "
        "Check the stake."
    ),
)
"""Without other bets, and with them."""
_ABOVE_GAME: Final = (
    _("{amount} on this game is above your limit of {limit}. Check the stake."),
    _(
        "{amount} on this game, including recorded bets, is above your limit of {limit}. "
        "Check the stake."
    ),
)
_ABOVE_TOTAL: Final = (
    _("{amount} in open bets is above your limit of {limit}. Check the stake."),
    _(
        "{amount} in open bets, including recorded bets, is above your limit of {limit}. "
        "Check the stake."
    ),
)


def above_cap(whole: float, warning: str, most: float) -> str:
    """Return a warning if an amount is above the user's limit; empty if not.

    ``warning`` has ``{amount}`` and ``{limit}`` to be filled in.
    """
    if whole <= most + _DUST:
        return ""
    return warning.format(amount=f"{num(whole):,.12g}", limit=f"{num(most):,.12g}")


def above_caps(
    bet: PlacedBet, others: Iterable[PlacedBet], plan: StakePlan, now_ms: int, *, is_leg: bool
) -> str:
    """Return a warning for the first limit that a bet breaks together with ``others``.

    For legs, which offset each other, only the limit on all open bets applies.
    """
    if not placed_in([bet], now_ms, simulated=bet.practice).total:
        return ""  # settled, or the game is long over
    others = list(others)
    # Included without its stake, so that its spelling of the outcome counts before, too.
    without_stake = msgspec.structs.replace(bet, stake=0.0, cashed_stake=0.0)
    before = placed_in([*others, without_stake], now_ms, simulated=bet.practice)
    after = placed_in([*others, bet], now_ms, simulated=bet.practice)
    names = outcomes_of(bet)

    def on_outcome(used: Placed) -> float:
        return max((used.by_outcome.get(each, 0.0) for each in names), default=0.0)

    def on_game(used: Placed) -> float:
        return used.by_game.get(bet.game_id, 0.0) if bet.game_id else 0.0

    caps = [(before.total, after.total, _ABOVE_TOTAL, plan.total_cap)]
    if not is_leg:
        of_one = on_outcome(before), on_outcome(after)
        of_game = on_game(before), on_game(after)
        caps[:0] = [
            (*of_one, _ABOVE_OUTCOME, plan.outcome_cap),
            (*of_game, _ABOVE_GAME, plan.game_cap),
        ]
    doubts = (
        above_cap(whole, warnings[bool(already)], plan.bankroll * share)
        for already, whole, warnings, share in caps
        if whole > already
    )
    return next(filter(None, doubts), "")
