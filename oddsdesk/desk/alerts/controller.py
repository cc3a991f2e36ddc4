"""Looks for alerts while the desk runs, and hands them to the desktop and to channels."""

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Final

from PySide6.QtCore import QObject, QTimer, Signal

from oddsdesk.board.alerts.channels import (
    Channel,
    ChannelError,
    Outbox,
    find_address,
    keep_address,
    mark_waiting,
    open_channel,
)
from oddsdesk.board.alerts.gate import HOUR_MS, AlertEntry, Gate, Held
from oddsdesk.board.alerts.memory import AlertMemory
from oddsdesk.board.alerts.rules import (
    AlertSettings,
    ChannelSetting,
    RulesFileError,
    TargetRule,
    check_presets,
    read_rules,
)
from oddsdesk.board.alerts.rules_text import with_target, without_target
from oddsdesk.board.alerts.watching import AlertWatch, OpenBet
from oddsdesk.board.board import Board
from oddsdesk.board.matrix import RowKey
from oddsdesk.board.opportunities import LOOK_RESTS, Opportunities
from oddsdesk.clock import Clock
from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.declared import split_of
from oddsdesk.desk.settings.preferences import Preferences
from oddsdesk.desk.ui.time_format import local_time
from oddsdesk.ledger.bets import counted
from oddsdesk.ledger.games import on_listed_games
from oddsdesk.ledger.hidden import HiddenThings
from oddsdesk.ledger.open_bets import by_bookmaker, open_by_outcome
from oddsdesk.private_files import OWNER_ONLY, make_own_folder
from oddsdesk.slices import slices
from oddsdesk.tasks import in_daemon_thread, spawn
from oddsdesk.whole_files import whole_file

_TICK_MS: Final = 1_000
_MEMORY_FILE: Final = "alerts-told.json"
"""Beside the rules."""


class AlertsController(QObject):
    """Holds the rules of a file, and what came of them; runs on the loop of the window."""

    changed = Signal()
    """The list differs."""
    alerted = Signal(list)
    """The ``AlertEntry`` of each alert that is sent at one look."""
    hour_filled = Signal(str)
    """How many were sent, from when on there is room again, and where the rest is; once an hour."""
    ended = Signal(object)
    """The key of an alert whose cause is over."""
    address_answered = Signal(str, str)
    """The channel whose address was to be kept, and why it is not; empty where it is."""
    problem_found = Signal(str)
    """One line: what is wrong with the rules, or with a channel."""
    read_anew = Signal()
    """The file is read now: what was wrong with it need not be any more."""

    def __init__(
        self,
        board: Board,
        clock: Clock,
        preferences: Preferences,
        records: Records,
        path: Path,
    ) -> None:
        super().__init__()
        self.path = path
        """The file of the rules; it need not exist."""
        self.gate = Gate(AlertSettings(), clock)
        self.rule_count = 0
        """How many rules are on."""
        self.looks_back = False
        """Whether nothing is told because the desk shows the past."""
        self.why_lost = ""
        """Why nothing is told of prices; empty where they are known to stand."""
        self.full_until_ms: int | None = None
        """Until when an hour's bound holds alerts back; None where it does not."""
        self._said_full_at: int | None = None
        self._board = board
        self._clock = clock
        self._preferences = preferences
        self._records = records
        self._watch: AlertWatch | None = None
        self._offered: Opportunities | None = None
        self._outbox: Outbox | None = None
        self._channels: tuple[str, ...] = ()
        """Those of the rules, with an address or without."""
        self._memory: AlertMemory | None = None
        self._is_kept = True
        self._steps: Iterator[float] | None = None
        self._look = QTimer(self, singleShot=True)
        self._look.timeout.connect(self._on_look_timeout)
        self._took_s = 0.0
        self._tick = QTimer(self, interval=_TICK_MS)
        self._tick.timeout.connect(self.tick)

    def read(self) -> None:
        """Take the rules of the file from now on; none where there is no file."""
        before = self._watch
        self.read_anew.emit()
        self._end()
        self._remember()
        if not self.path.exists():
            self.changed.emit()
            return
        try:
            self._begin(self._checked(read_rules(self.path)), before)
        except RulesFileError as error:
            self.problem_found.emit(str(error))
        self.changed.emit()

    def kept(self) -> AlertSettings:
        """Return what the file says.

        Raises:
            RulesFileError: it makes no sense, or cannot be read.
        """
        return read_rules(self.path) if self.path.exists() else AlertSettings()

    def preset_names(self) -> list[str]:
        """Return what presets of value bets there are."""
        return [preset.name for preset in self._records.presets]

    def keep_address(self, channel: ChannelSetting, address: str) -> None:
        """Keep the address of a channel, and answer by a signal: the keyring may ask its user."""
        if address:
            spawn("alerts: keep an address", self._keep_address(channel.name, address))
        else:
            self.address_answered.emit(channel.name, "")

    def set_target(self, rule: TargetRule | None, instead_of: TargetRule | None = None) -> None:
        """Write a target into the file, in the place of another if that is given; None: remove it.

        Raises:
            RulesFileError: the file makes no sense, or cannot be read or written.
        """
        try:
            text = self.path.read_text("utf-8") if self.path.exists() else ""
            if rule is not None:
                text = with_target(text, rule, instead_of)
            elif instead_of is not None:
                text = without_target(text, instead_of)
            make_own_folder(self.path.parent)
            with whole_file(self.path, OWNER_ONLY) as file:
                file.write(text.encode())
        except (OSError, UnicodeDecodeError) as error:
            raise RulesFileError(f"{self.path}: {getattr(error, 'strerror', error)}") from error
        self.read()

    def tick(self) -> None:
        """Look once; nothing is news while one looks back."""
        connection, before = self._board.connection, self._state
        self.looks_back, self.why_lost = connection.as_of_ms is not None, connection.why_lost
        self.full_until_ms = self.gate.full_until_ms
        if self._state != before:
            self.changed.emit()
        if self._watch is None or self.looks_back:
            return
        listed = self.gate.listed
        sent = self._watch.tick()
        for entry in sent:
            mark_waiting(entry, self._channels)
            if self._outbox is not None:
                self._outbox.resume(entry)
        if self.gate.listed != listed:
            self._is_kept = False
        self._keep()
        for key in self._watch.ended:
            self.ended.emit(key)
        if sent:
            self.alerted.emit(sent)
        if self.gate.listed != listed:
            self._say_if_full(self.gate.listed - listed)
            self.changed.emit()

    async def close(self) -> None:
        """End everything."""
        outbox = self._outbox
        self._outbox = None
        self._end()
        if outbox is not None:
            await outbox.stop()
        self._keep()
        if self._memory is not None:
            self._memory.close()

    @property
    def _state(self) -> tuple[bool, str, int | None]:
        return self.looks_back, self.why_lost, self.full_until_ms

    def _say_if_full(self, new: int) -> None:
        """Say once an hour that it is full, where that holds one of the ``new`` lines back."""
        self.full_until_ms = until = self.gate.full_until_ms
        now, said_at = self._clock(), self._said_full_at
        was_said = said_at is not None and now - said_at < HOUR_MS
        news = islice(reversed(self.gate.entries), new)
        if until is None or was_said or all(entry.held is not Held.HOURLY for entry in news):
            return
        self._said_full_at = now
        most = self.gate.policy.most_per_hour
        self.hour_filled.emit(
            f"{most} alert{'' if most == 1 else 's'} within an hour: the rest is held back until "
            f"{local_time(until):%H:%M} and listed in Alerts."
        )

    def _remember(self) -> None:
        """Take over what was told before the program began, once."""
        if self._memory is None:
            self._memory = AlertMemory(self.path.with_name(_MEMORY_FILE))
            self.gate.restore(self._memory.read())

    def _keep(self) -> None:
        if not self._is_kept and self._memory is not None:
            self._is_kept = True
            self._memory.keep(self.gate.entries)

    def _on_outbox_changed(self, _entry: AlertEntry) -> None:
        self._is_kept = False
        self._keep()
        self.changed.emit()

    def _checked(self, settings: AlertSettings) -> AlertSettings:
        try:
            check_presets(settings, self.preset_names())
        except RulesFileError as error:
            raise RulesFileError(f"{self.path}: {error}") from error
        return settings

    def _begin(self, settings: AlertSettings, before: AlertWatch | None) -> None:
        self.gate.policy = settings  # what was told stays told
        self._offered = Opportunities(
            self._board, self._clock, lambda: split_of(self._preferences.get)
        )
        self._watch = AlertWatch(
            self._board,
            self._clock,
            settings,
            self.gate,
            presets={each.name.casefold(): each.filter.passes for each in self._records.presets},
            hidden=self._hides,
            opportunities=self._offered,
            open_bets=self._open_bets,
            after=before,
        )
        self.rule_count = len(settings.active)
        self._channels = tuple(each.name for each in settings.channels)
        self._tick.start()
        if self._watch.wants_opportunities:
            self._look.start(0)
        if settings.channels:
            spawn("alerts: open channels", self._open_channels(settings))

    def _end(self) -> None:
        self._tick.stop()
        self._look.stop()
        self._steps = None
        self.rule_count = 0
        for part in (self._watch, self._offered):
            if part is not None:
                part.close()
        self._watch = self._offered = None
        if self._outbox is not None:
            spawn("alerts: close channels", self._outbox.stop())
            self._outbox = None

    def _hides(self, **price: Any) -> bool:
        """What is hidden is few: it is looked through for each price that is value."""
        return HiddenThings(self._records.hidden, self._clock()).hides(**price)

    def _open_bets(self) -> Iterable[OpenBet]:
        simulated = self._board.connection.simulated
        held = counted(self._records.bets(), simulated=simulated)
        open_bets = [bet for bet in held if bet.kick_off is not None and bet.open_stake]
        for bet in on_listed_games(open_bets, self._board.games, self._board.players.spelled):
            if bet.kick_off is not None:
                cell = RowKey(*bet.key)
                yield OpenBet(bet.game_id, bet.match_name, bet.kick_off, bet.selection, cell)

    async def _open_channels(self, settings: AlertSettings) -> None:
        """Ask the keyring, which may wait; a channel without an address is said."""
        watch, found = self._watch, dict[str, Channel]()
        for setting in settings.channels:
            try:
                address = await in_daemon_thread(
                    "keyring",
                    lambda name=setting.name: find_address(name),  # type: ignore[misc]
                )
                found[setting.name] = open_channel(setting, address)
            except ChannelError as error:
                self.problem_found.emit(str(error))
        if self._watch is watch and watch is not None:
            self._outbox = Outbox(
                found, self._clock, self._on_outbox_changed, as_it_is=watch.as_it_is
            )
            self._outbox.start()
            for entry in self.gate.entries:
                self._outbox.resume(entry)

    async def _keep_address(self, name: str, address: str) -> None:
        try:
            await in_daemon_thread("keyring", lambda: keep_address(name, address))
        except ChannelError as error:
            self.address_answered.emit(name, str(error))
            return
        self.address_answered.emit(name, "")
        if name in self._channels:  # it may be open with another address
            self.read()

    def _on_look_timeout(self) -> None:
        """Bring the opportunities up to date for a slice."""
        if self._offered is None:
            return
        if self._steps is None:
            held = [bet for bet in self._records.bets() if bet.open_stake]
            simulated, games = self._board.connection.simulated, self._board.games
            spelled = self._board.players.spelled
            there = open_by_outcome(held, simulated=simulated, listed=games, spelled=spelled)
            self._offered.count_placed(by_bookmaker(there))
            self._steps, self._took_s = slices(self._offered.looking()), 0.0
        took = next(self._steps, None)
        if took is not None:
            self._took_s += took
            self._look.start(0)
        else:
            self._steps = None
            self._look.start(max(_TICK_MS, round(self._took_s * 1000 * LOOK_RESTS)))
