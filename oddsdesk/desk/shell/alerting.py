"""Alerts in the window: messages, tray notifications and the panel, all linked to prices."""

from collections.abc import Hashable
from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QDockWidget

from oddsdesk.base.clock import Clock
from oddsdesk.base.places import resource_path
from oddsdesk.base.texts import _
from oddsdesk.board.alerts.gate import AlertEntry
from oddsdesk.board.alerts.rules import RULES_FILE
from oddsdesk.board.board import Board
from oddsdesk.board.model.matrix import RowKey
from oddsdesk.desk.alerts.controller import AlertsController, Notifier
from oddsdesk.desk.alerts.model import line_text
from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.declared import TRAY
from oddsdesk.desk.settings.saved_state import Layout, Preferences
from oddsdesk.desk.shell.docks import LatePanel
from oddsdesk.desk.shell.window import MainWindow
from oddsdesk.desk.ui.theme.theme import Theme

if TYPE_CHECKING:
    from oddsdesk.desk.alerts.panel import AlertsPanel

_TOLD: Final = "alerts"
"""The subject of messages about alerts."""


class Alerting(QObject):
    """Runs alerts from the start; ``clock`` is real time, even while the desk shows the past."""

    price_requested = Signal(object)
    """The ``RowKey`` of an alert's price to show."""

    def __init__(
        self,
        window: MainWindow,
        board: Board,
        theme: Theme,
        layout: Layout,
        preferences: Preferences,
        records: Records,
        clock: Clock,
    ) -> None:
        super().__init__()
        self._window = window
        self._board = board
        self._theme = theme
        self._preferences = preferences
        self._clock = clock
        self._told = set[Hashable]()
        """The keys of the alerts in the current message that still apply."""
        icon = QIcon(str(resource_path("desktop", "oddsdesk.svg")))
        self.notifier = Notifier(icon, window)
        rules = layout.folder / RULES_FILE
        self.controller = AlertsController(board, clock, preferences, records, rules)
        self.panel = LatePanel(self._make_panel, window.put_in_place)
        self._connect()

    def ask_target(self, key: RowKey) -> None:
        self.panel().ask_target(key)

    def _make_panel(self) -> "AlertsPanel":
        from oddsdesk.desk.alerts.panel import AlertsPanel  # noqa: PLC0415 - late

        panel = AlertsPanel(self._board, self.controller, self._theme, self._clock)
        panel.price_requested.connect(self.price_requested)
        panel.said.connect(self._on_panel_said)
        return panel

    def _connect(self) -> None:
        window, notifier = self._window, self.notifier
        self.controller.problem_found.connect(partial(window.messages.warn, "alerts"))
        self.controller.reread_begun.connect(partial(window.messages.withdraw_warnings, "alerts"))
        self.controller.alerted.connect(notifier.notify)
        self.controller.alerted.connect(self._on_controller_alerted)
        self.controller.ended.connect(self._on_controller_ended)
        self.controller.hour_filled.connect(self._on_controller_hour_filled)
        notifier.list_requested.connect(self._show_panel)
        notifier.price_requested.connect(self.price_requested)
        notifier.window_requested.connect(window.come_back)
        notifier.quit_requested.connect(window.quit)
        window.stays_running = lambda: self._preferences.get_setting(TRAY) and notifier.enter_tray()

    def _on_panel_said(self, text: str, offers_rules: bool) -> None:
        rules = self.panel().edit_rules if offers_rules else None
        self._window.show_message(text, action=_("Rules…") if rules else "", act=rules)

    def _on_controller_alerted(self, entries: list[AlertEntry]) -> None:
        self._told = {entry.alert.key for entry in entries}
        said, cell, show = line_text(entries[0]), entries[0].alert.cell, None
        if len(entries) > 1:
            said, show = (
                _("{count} alerts. First: {said}").format(count=len(entries), said=said),
                self._show_panel,
            )
        elif cell is not None:
            show = partial(self.price_requested.emit, cell)
        self._window.messages.show_message(
            said, action=_("Show") if show else "", act=show, about=_TOLD
        )

    def _on_controller_ended(self, key: Hashable) -> None:
        self._told.discard(key)
        if not self._told:
            self._window.messages.withdraw(_TOLD)

    def _on_controller_hour_filled(self, text: str) -> None:
        self.notifier.show(_("Alerts"), text)
        self._window.messages.show_message(text, action=_("Show"), act=self._show_panel)

    def _show_panel(self) -> None:
        dock = self.panel().parentWidget()
        assert isinstance(dock, QDockWidget)
        self._window.show_panel(dock)
