"""Runs the alert rules while the desk is open, and sends alerts to the desktop and channels."""

from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication, QMenu, QSystemTrayIcon, QWidget

from oddsdesk.base.clock import Clock
from oddsdesk.base.files import OWNER_ONLY, make_own_folder, whole_file
from oddsdesk.base.numbers import hour_text
from oddsdesk.base.system_errors import error_text
from oddsdesk.base.tasks import in_daemon_thread, spawn
from oddsdesk.base.texts import _, ngettext, translated
from oddsdesk.board.alerts.channels import ChannelError, keep_address
from oddsdesk.board.alerts.gate import AlertEntry, AlertMemory, Held
from oddsdesk.board.alerts.rules import (
    AlertSettings,
    ChannelSetting,
    RulesFileError,
    TargetRule,
    read_rules,
)
from oddsdesk.board.alerts.rules_text import with_target, without_target
from oddsdesk.board.alerts.watching import AlertService, AlertWatch, OpenBet
from oddsdesk.board.board import Board
from oddsdesk.board.model.matrix import RowKey
from oddsdesk.contract.times import HOUR_MS
from oddsdesk.desk.alerts.model import line_text, shown_texts
from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.declared import split_of
from oddsdesk.desk.settings.saved_state import Preferences
from oddsdesk.desk.ui.formatting import local_time
from oddsdesk.ledger.bets import counted
from oddsdesk.ledger.games import on_listed_games
from oddsdesk.ledger.presets import HiddenThings

_TICK_MS: Final = 1_000
_MEMORY_FILE: Final = "alerts-told.json"
"""In the folder of the rules."""


class AlertsController(QObject):
    """Holds the rules of a file and the alerts so far; runs on the window's event loop."""

    changed = Signal()
    """The list of alerts has changed."""
    alerted = Signal(list)
    """A list of ``AlertEntry``: the alerts sent by one check."""
    hour_filled = Signal(str)
    """The hourly limit is reached; a message for the user, at most once an hour."""
    ended = Signal(object)
    """The key of an alert that no longer applies."""
    address_answered = Signal(str, str)
    """A channel, and why its address could not be saved; empty if it was."""
    problem_found = Signal(str)
    """A problem with the rules or a channel, in one line."""
    reread_begun = Signal()
    """The rules file is about to be read again, so earlier problems may be solved."""

    def __init__(
        self, board: Board, clock: Clock, preferences: Preferences, records: Records, path: Path
    ) -> None:
        super().__init__()
        self.path = path
        """The rules file, which may not exist."""
        self._service = AlertService(
            board,
            clock,
            AlertMemory(path.with_name(_MEMORY_FILE)),
            hidden=self._hides,
            open_bets=self._open_bets,
            placed=lambda: records.staked_on(board),
            split=lambda: split_of(preferences.get_setting),
            on_delivery=lambda _entry: self.changed.emit(),
            on_problem=lambda problem: self.problem_found.emit(translated(problem)),
        )
        self.gate = self._service.gate
        self.rule_count = 0
        """The number of enabled rules."""
        self.looks_back = False
        """Whether alerts are paused because the desk shows the past."""
        self.why_lost = ""
        """Why there are no price alerts; empty if prices are current."""
        self.full_until_ms: int | None = None
        """When the hourly limit ends, in milliseconds; None if it is not reached."""
        self._said_full_at: dict[str, int] = {}
        """When that was last reported, by the reason why nobody offers the odds."""
        self._board = board
        self._clock = clock
        self._records = records
        self._tick = QTimer(self, interval=_TICK_MS)
        self._tick.timeout.connect(self.look_for_alerts)

    def read_rules(self) -> None:
        """Load the rules from the file; without a file there are none."""
        self.reread_begun.emit()
        before = self._end()
        self._service.restore_entries()
        if not self.path.exists():
            self.changed.emit()
            return
        try:
            settings = read_rules(self.path, self.preset_names())
            presets = {each.name.casefold(): each.filter.passes for each in self._records.presets}
            self._service.begin_rules(settings, presets, before)
            self.rule_count = len(settings.active)
            self._tick.start()
        except RulesFileError as error:
            self.problem_found.emit(translated(str(error)))
        self.changed.emit()

    def kept(self) -> AlertSettings:
        """Return the settings in the file.

        Raises:
            RulesFileError: The file is invalid or cannot be read.
        """
        return read_rules(self.path) if self.path.exists() else AlertSettings()

    def preset_names(self) -> list[str]:
        """Return the names of the value bet presets."""
        return [preset.name for preset in self._records.presets]

    def keep_address(self, channel: ChannelSetting, address: str) -> None:
        """Save the address of a channel; ``address_answered`` follows, as the keyring may ask the
        user."""
        if address:
            spawn("alerts: save an address", self._keep_address(channel.name, address))
        else:
            self.address_answered.emit(channel.name, "")

    def set_target(self, rule: TargetRule | None, instead_of: TargetRule | None = None) -> None:
        """Write a target to the file, replacing ``instead_of`` if given; None removes that one.

        Raises:
            RulesFileError: The file is invalid, or cannot be read or written.
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
            raise RulesFileError(f"{self.path}: {translated(error_text(error))}") from error
        self.read_rules()

    def look_for_alerts(self) -> None:
        """Check the rules once, unless the desk shows the past."""
        connection, before = self._board.connection, self._state
        self.looks_back, self.why_lost = connection.as_of_ms is not None, connection.why_lost
        self.full_until_ms = self.gate.full_until_ms(connection.not_offered)
        if self._state != before:
            self.changed.emit()
        if self._service.watch is None or self.looks_back:
            return
        listed = self.gate.listed
        sent = self._service.check_alerts()
        for key in self._service.watch.ended:
            self.ended.emit(key)
        if sent:
            self.alerted.emit(sent)
        if self.gate.listed != listed:
            self._say_if_full(self.gate.listed - listed)
            self.changed.emit()

    async def close_alerts(self) -> None:
        """Stop checking and close the channels."""
        self._tick.stop()
        await self._service.close_alerts()

    @property
    def _state(self) -> tuple[bool, str, int | None]:
        return self.looks_back, self.why_lost, self.full_until_ms

    def _say_if_full(self, new: int) -> None:
        """Emit ``hour_filled``, once an hour, if the limit stopped one of the ``new`` lines."""
        why = self._board.connection.not_offered
        self.full_until_ms = until = self.gate.full_until_ms(why)
        now, said_at = self._clock(), self._said_full_at.get(why)
        was_said = said_at is not None and now - said_at < HOUR_MS
        news = islice(reversed(self.gate.entries), new)
        if until is None or was_said or all(entry.held is not Held.HOURLY for entry in news):
            return
        self._said_full_at[why] = now
        most = self.gate.policy.most_per_hour
        self.hour_filled.emit(
            ngettext(
                "Limit of {count} alert an hour reached. Until {time}, further alerts are only "
                "listed in Alerts.",
                "Limit of {count} alerts an hour reached. Until {time}, further alerts are only "
                "listed in Alerts.",
                most,
            ).format(count=most, time=hour_text(local_time(until)))
        )

    def _end(self) -> AlertWatch | None:
        self._tick.stop()
        self.rule_count = 0
        return self._service.end_rules()

    def _hides(self, **price: Any) -> bool:
        """Return whether the user has hidden this price among the value bets."""
        return HiddenThings(self._records.hidden, self._clock()).hides(**price)

    def _open_bets(self) -> Iterable[OpenBet]:
        simulated = self._board.connection.simulated
        held = counted(self._records.placed_bets(), simulated=simulated)
        open_bets = [bet for bet in held if bet.kick_off is not None and bet.open_size]
        for bet in on_listed_games(open_bets, self._board.games, self._board.players.spelled):
            if bet.kick_off is not None:
                cell = RowKey(*bet.bet_key)
                yield OpenBet(bet.game_id, bet.match_name, bet.kick_off, bet.selection, cell)

    async def _keep_address(self, name: str, address: str) -> None:
        try:
            await in_daemon_thread("keyring", lambda: keep_address(name, address))
        except ChannelError as error:
            self.address_answered.emit(name, translated(str(error)))
            return
        self.address_answered.emit(name, "")
        if name in self._service.channels:  # it may be in use with the old address
            self.read_rules()


_SHOWN_MS: Final = 15_000
_MOST_NAMED: Final = 5
_MARKUP: Final = str.maketrans({"<": "‹", ">": "›", "&": "+"})
"""Desktops read notifications as markup, so text from feeds must not contain any."""


class Notifier(QObject):
    """Shows alerts in the system tray, if the desktop has one."""

    price_requested = Signal(object)
    """The ``RowKey`` of the notification on screen."""
    list_requested = Signal()
    """The user clicked while several notifications were on screen."""
    window_requested = Signal()
    quit_requested = Signal()

    def __init__(self, icon: QIcon, owner: QWidget) -> None:
        super().__init__(owner)
        self._icon = icon
        self._owner = owner
        self._told: list[AlertEntry] = []
        """The alerts on screen, or shown last."""
        self._in_sight = QTimer(self, singleShot=True, interval=_SHOWN_MS)
        self._tray: QSystemTrayIcon | None = None

    def enter_tray(self) -> bool:
        """Show the tray icon if the desktop has a tray; return whether it has.

        Asking takes milliseconds.
        """
        is_there = QSystemTrayIcon.isSystemTrayAvailable()
        if is_there and self._tray is None:
            self._make_icon()
        return is_there

    def notify(self, entries: Sequence[AlertEntry]) -> None:
        """Show the alerts of one check for a while, with one sound."""
        if not self._in_sight.isActive():
            self._told = []
        self._told += entries
        self._in_sight.start()
        QApplication.beep()
        self.show(*_title_and_text(entries))

    def show(self, title: str, text: str) -> None:
        """Show a notification for a while, if there is a tray."""
        self.enter_tray()
        if self._tray is not None:
            icon = QSystemTrayIcon.MessageIcon.Information
            title, text = title.translate(_MARKUP), text.translate(_MARKUP)
            self._tray.showMessage(title, text, icon, _SHOWN_MS)

    def show_told(self) -> None:
        """Show the prices or the list that the notifications on screen are about."""
        self.window_requested.emit()
        if len(self._told) > 1:
            self.list_requested.emit()
        for entry in self._told if len(self._told) == 1 else ():
            if entry.alert.cell is not None:
                self.price_requested.emit(entry.alert.cell)

    def leave_tray(self) -> None:
        """Hide the tray icon."""
        if self._tray is not None:
            self._tray.hide()

    def _make_icon(self) -> None:
        self._tray = QSystemTrayIcon(self._icon, self)
        self._menu = QMenu(self._owner)
        self._menu.addAction(_("Show oddsdesk"), self.window_requested.emit)
        self._menu.addAction(_("Quit"), self.quit_requested.emit)
        self._tray.setContextMenu(self._menu)
        self._tray.messageClicked.connect(self.show_told)
        self._tray.activated.connect(lambda _reason: self.window_requested.emit())
        self._tray.show()


def _title_and_text(entries: Sequence[AlertEntry]) -> tuple[str, str]:
    """Return title and text of a notification: one alert in full, or a line for each of several."""
    if len(entries) == 1:
        return shown_texts(entries[0])
    lines = [line_text(entry) for entry in entries[:_MOST_NAMED]]
    more = len(entries) - _MOST_NAMED
    count = len(entries)
    return ngettext("{count} alert", "{count} alerts", count).format(count=count), "\n".join(
        [*lines, _("and {count} more").format(count=more)] if more > 0 else lines
    )
