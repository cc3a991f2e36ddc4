"""Alerts in the window: a message, the tray's notification, and a panel; all lead to the price."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QIcon

from oddsdesk.board.alerts.gate import AlertEntry
from oddsdesk.board.alerts.rules import RULES_FILE
from oddsdesk.board.board import Board
from oddsdesk.board.matrix import RowKey
from oddsdesk.clock import Clock
from oddsdesk.desk.alerts.controller import AlertsController
from oddsdesk.desk.alerts.model import shown_texts
from oddsdesk.desk.alerts.notifier import Notifier
from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.declared import TRAY
from oddsdesk.desk.settings.preferences import Preferences
from oddsdesk.desk.settings.saved_state import Layout
from oddsdesk.desk.shell.late_panels import LatePanel
from oddsdesk.desk.shell.window import MainWindow
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.resource_files import resource_path

if TYPE_CHECKING:
    from oddsdesk.desk.alerts.panel import AlertsPanel


class Alerting(QObject):
    """Looks for alerts from the start; ``clock`` is the wall's, also while one looks back."""

    price_requested = Signal(object)
    """The user wants to see the price of an alert, a ``RowKey``."""

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
        icon = QIcon(str(resource_path("desktop", "oddsdesk.svg")))
        self.notifier = Notifier(icon, window)
        rules = layout.folder / RULES_FILE
        self.controller = AlertsController(board, clock, preferences, records, rules)
        self.panel = LatePanel(self._make_panel, window.put_in_place)
        self._connect()

    def ask_target(self, key: RowKey) -> None:
        """Ask for the target of an alert on a price."""
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
        self.controller.read_anew.connect(partial(window.messages.withdraw_warnings, "alerts"))
        self.controller.alerted.connect(notifier.notify)
        self.controller.alerted.connect(self._on_controller_alerted)
        self.controller.ended.connect(window.messages.withdraw)
        notifier.price_requested.connect(self.price_requested)
        notifier.window_requested.connect(window.come_back)
        notifier.quit_requested.connect(window.quit)
        window.stays_running = lambda: self._preferences.get(TRAY) and notifier.enter_tray()

    def _on_panel_said(self, text: str, offers_rules: bool) -> None:
        rules = self.panel().edit_rules if offers_rules else None
        self._window.say(text, action="Rules…" if rules else "", act=rules)

    def _on_controller_alerted(self, entry: AlertEntry) -> None:
        cell = entry.alert.cell
        show = None if cell is None else partial(self.price_requested.emit, cell)
        title, text = shown_texts(entry)
        where = text.partition(" · ")[0]  # the rest stands in the list
        said = " · ".join(filter(None, (title, where)))
        action = "Show" if show else ""
        self._window.messages.say(said, action=action, act=show, about=entry.alert.key)
