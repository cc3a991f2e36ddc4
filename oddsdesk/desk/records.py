"""The user's records at the desk: kept in memory, written by a thread of their own."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import QObject, QTimer, Signal

from oddsdesk.ledger.bets import BetKey, PlacedBet
from oddsdesk.ledger.games import GamesOfBets, ListedGame, Spelled, as_written, on_listed_games
from oddsdesk.ledger.hidden import Hidden
from oddsdesk.ledger.ledger import Ledger
from oddsdesk.ledger.open_bets import outcome_named, outcomes_by
from oddsdesk.ledger.presets import BUILT_IN, Preset
from oddsdesk.ledger.schema import LedgerError

_LOOK_MS: Final = 2_000

_log = logging.getLogger(__name__)

Taken = Callable[[], None]
"""What is done on the window's thread once the file has it."""


class Records(QObject):
    """Presets, placed bets and what is hidden; what is shown is what the file holds.

    The file is read and written on a thread of its own, since a disk may take its time. What
    another program changes in it, `oddsdesk ledger` or `watch`, is shown within seconds.
    """

    presets_changed = Signal()
    bets_changed = Signal()
    hidden_changed = Signal()
    failed = Signal(str)
    """One line: why something could not be recorded or read."""
    _written = Signal(object)

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.presets: tuple[Preset, ...] = BUILT_IN
        """The built-in ones first."""
        self.hidden: tuple[Hidden, ...] = ()
        """What is hidden among value bets, and what was for a time that is over."""
        self.has_read_bets = False
        """Whether it is known what is placed; before that there is none here."""
        self._bets: dict[BetKey, tuple[PlacedBet, ...]] = {}
        self._path = path
        self._ledger: Ledger | None = None
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="ledger")
        self._written.connect(self._on_written)
        self._version = 0
        """Of the file, when it was read last; of the ledger's thread."""
        self._looks = QTimer(self, interval=_LOOK_MS)
        self._looks.timeout.connect(self._on_looks_timeout)
        self._do(self._read)
        self._looks.start()

    def bets(self) -> Iterator[PlacedBet]:
        """Yield every placed bet."""
        for bets in self._bets.values():
            yield from bets

    def holds(self, bet: PlacedBet) -> bool:
        """Whether a placed bet is there still, as it was or changed since."""
        return any(each.ident == bet.ident for each in self.bets())

    def placed(self, key: BetKey) -> tuple[PlacedBet, ...]:
        """Return what was placed on a price, oldest first."""
        return self._bets.get(key, ())

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
        """Return what was placed on an outcome, wherever and however it is written.

        ``listed``: the games of the board that the key is of; ``spelled``: how it spells players.
        """
        wanted = outcome_named(key, match_name, sport, in_play=in_play)
        held = list(self.bets())
        on_listed = on_listed_games(held, listed, spelled)
        games = GamesOfBets(on_listed)
        return [
            bet
            for bet, named in zip(held, on_listed, strict=True)
            if named.outcome == key[:4] or wanted in outcomes_by(games.ids(named), named)
        ]

    def act(
        self, work: Callable[[Ledger], Taken], refused: Callable[[str], None] | None = None
    ) -> None:
        """Change bets on the ledger's thread; all are read again, then ``work``'s answer is called.

        What ``work`` raises but ``LedgerError`` is a bug; it says other trouble in its answer.
        ``refused`` is called with why nothing was written, in place of ``failed``.
        """

        def write(ledger: Ledger) -> Taken:
            then = work(ledger)
            take_bets = self._reread_bets(ledger)

            def take() -> None:
                take_bets()
                then()

            return take

        self._do(write, refused)

    def change(
        self,
        bets: Sequence[PlacedBet],
        what: str,
        then: Taken = lambda: None,
        refused: Callable[[str], None] | None = None,
    ) -> None:
        """Record bets as they are now: settled, cashed out."""

        def work(ledger: Ledger) -> Taken:
            ledger.change(bets, what)
            return then

        self.act(work, refused)

    def place(
        self,
        bet: PlacedBet,
        then: Callable[[PlacedBet], None],
        refused: Callable[[str], None] | None = None,
    ) -> None:
        """Record a bet; ``then`` gets it with its number once it is on the disk."""

        def write(ledger: Ledger) -> Taken:
            placed = ledger.place(bet)
            return lambda: self._take_placed(placed, then)

        self._do(write, refused)

    def take_back(self, bet: PlacedBet, then: Callable[[bool], None] = lambda _: None) -> None:
        """Forget a placed bet, unless it was changed since.

        ``then`` is called once the disk has forgotten it, too, or with False.
        """

        def work(ledger: Ledger) -> Taken:
            return partial(then, ledger.take_back_unchanged(bet))

        self.act(work)

    def save_preset(self, preset: Preset) -> None:
        """Keep a preset, in place of the user's one of the same name."""

        def write(ledger: Ledger) -> Taken:
            ledger.save_preset(preset)
            return self._reread(ledger)

        self._do(write)

    def delete_preset(self, name: str) -> None:
        """Forget one of the user's presets."""

        def write(ledger: Ledger) -> Taken:
            ledger.delete_preset(name)
            return self._reread(ledger)

        self._do(write)

    def hide(self, thing: Hidden, now_ms: int) -> None:
        """Hide something among the value bets."""

        def write(ledger: Ledger) -> Taken:
            ledger.hide(thing, now_ms)
            return self._reread_hidden(ledger)

        self._do(write)

    def unhide(self, thing: Hidden) -> None:
        """Hide something no longer."""

        def write(ledger: Ledger) -> Taken:
            ledger.unhide(thing)
            return self._reread_hidden(ledger)

        self._do(write)

    def read_again(self) -> None:
        """Show what another program added."""
        self._do(self._read)

    def close(self) -> None:
        """Finish what is being written and close the file."""
        self._looks.stop()
        self._pool.shutdown(wait=True)
        if self._ledger is not None:
            self._ledger.close()
            self._ledger = None  # an answer that is still on its way starts no look

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
            taken = partial(refused, f"Your records: {error}")
        except Exception:  # noqa: BLE001 - a thread's main
            _log.exception("the ledger's thread failed")
            return
        self._written.emit(taken)

    def _on_looks_timeout(self) -> None:
        if self._ledger is not None:  # else it refused, which was said
            self._looks.stop()  # a disk that hangs is not asked again meanwhile
            self._do(self._look)

    def _look(self, ledger: Ledger) -> Taken:
        """Read again what another program changed; a file that refuses is said when it is used."""
        try:
            taken = self._read(ledger) if ledger.version() != self._version else _nothing
        except LedgerError:
            taken = _nothing

        def take() -> None:
            taken()
            self._looks.start()

        return take

    def _read(self, ledger: Ledger) -> Taken:
        self._version = ledger.version()
        readings = (self._reread, self._reread_hidden, self._reread_bets)
        taken = [read(ledger) for read in readings]

        def take() -> None:
            for each in taken:
                each()

        return take

    def _reread_bets(self, ledger: Ledger) -> Taken:
        bets = ledger.bets()

        def take() -> None:
            self._bets = {}
            self.has_read_bets = True
            for bet in bets:
                self._bets[bet.key] = (*self.placed(bet.key), bet)
            self.bets_changed.emit()

        return take

    def _reread(self, ledger: Ledger) -> Taken:
        presets, bad = ledger.presets()

        def take() -> None:
            self.presets = (*BUILT_IN, *presets)
            self.presets_changed.emit()
            if bad:
                self.failed.emit(f"Your records: {'; '.join(bad)}")

        return take

    def _reread_hidden(self, ledger: Ledger) -> Taken:
        things = tuple(ledger.hidden())

        def take() -> None:
            if things != self.hidden:
                self.hidden = things
                self.hidden_changed.emit()

        return take

    def _take_placed(self, bet: PlacedBet, then: Callable[[PlacedBet], None]) -> None:
        self._bets[bet.key] = (*self.placed(bet.key), bet)
        self.bets_changed.emit()
        then(bet)

    def _on_written(self, taken: Taken) -> None:
        taken()


def _nothing() -> None:
    """There is nothing to show."""
