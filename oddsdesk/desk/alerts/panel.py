"""The panel of alerts: what was sent, what was held back and why, and the rules."""

from pathlib import Path

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QStackedLayout, QVBoxLayout, QWidget

from oddsdesk.board.alerts.rules import RulesFileError, TargetRule
from oddsdesk.board.alerts.targets import target_cell, target_of
from oddsdesk.board.board import Board
from oddsdesk.board.matrix import RowKey
from oddsdesk.clock import Clock
from oddsdesk.desk.alerts.controller import AlertsController
from oddsdesk.desk.alerts.model import AlertsModel, rows_of, when_text
from oddsdesk.desk.alerts.rule_form import KnownNames
from oddsdesk.desk.alerts.rules_dialog import RulesDialog
from oddsdesk.desk.alerts.target_dialog import TargetDialog
from oddsdesk.desk.ui.actions import add_action
from oddsdesk.desk.ui.controls.labels import ElidedLabel
from oddsdesk.desk.ui.controls.placeholder import EmptyState, Placeholder
from oddsdesk.desk.ui.controls.scaling import scale_height
from oddsdesk.desk.ui.formatting import exact_odds_text
from oddsdesk.desk.ui.table.live_table import LiveTable
from oddsdesk.desk.ui.theme import tokens as spacing
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.time_format import local_time

_RULES = "Rules…"
_PAST = (
    "This price is from the past, and alerts are for now. Ctrl+Shift+J goes back to now; a target "
    "can be set then."
)


class AlertsPanel(QWidget):
    """Lists alerts, the newest on top; Enter shows the price that one is about."""

    price_requested = Signal(object)
    """The ``RowKey`` of a price to be shown in its game."""
    said = Signal(str, bool)
    """One line for the message bar, and whether the rules are to be offered with it."""

    def __init__(self, board: Board, alerts: AlertsController, theme: Theme, clock: Clock) -> None:
        super().__init__()
        self.setProperty("variant", "panel")
        self._board = board
        self._alerts = alerts
        self._theme = theme
        self._clock = clock
        self.model = AlertsModel(clock)
        self.table = LiveTable(theme, self.model, clock)
        self.table.setAccessibleName("Alerts")
        self.placeholder = Placeholder(theme)
        self._facts = ElidedLabel()
        self._facts.setProperty("variant", "note")
        self.rules = QPushButton(_RULES)
        self.rules.setToolTip("What is alerted, where to, and when not (Ctrl+Shift+A)")
        self.rules.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._lay_out(theme)
        self.rules.clicked.connect(self.edit_rules)
        self.placeholder.action_requested.connect(self.edit_rules)
        self.table.opened.connect(self._on_table_opened)
        self.table.header_clicked.connect(self.model.sort_by)
        alerts.changed.connect(self._show)
        add_action(self, "alerts.rules", self.edit_rules)
        self._show()

    def close_panel(self) -> None:
        """Stop listening."""
        self._alerts.changed.disconnect(self._show)

    def edit_rules(self) -> None:
        """Open the rules."""
        games = {game.match_name for game in self._board.games.values()}
        names = KnownNames(
            self._alerts.preset_names(),
            sorted(games, key=str.casefold),
            sorted(self._board.bookmakers(), key=str.casefold),
        )
        dialog = RulesDialog(Path(self._alerts.path), self._theme, names, self)
        dialog.saved.connect(self._alerts.read)
        dialog.address_given.connect(self._alerts.keep_address)
        self._alerts.address_answered.connect(dialog.answer_address)
        dialog.open()

    def ask_target(self, key: RowKey) -> None:
        """Ask from which price on a cell shall alert, or show and change what was asked for.

        Not while one looks back: what is offered there is not known now.
        """
        if self._board.connection.as_of_ms is not None:
            self.said.emit(_PAST, False)
            return
        cell = target_cell(self._board, key)
        if cell is None:
            self.said.emit("That price is no longer available here.", False)
            return
        try:
            standing = target_of(self._alerts.kept(), cell)
        except RulesFileError as error:
            self.said.emit(f"The alert rules cannot be read: {error}", True)
            return
        dialog = TargetDialog(self._theme, cell, standing, self.window())
        dialog.chosen.connect(lambda rule: self._set_target(rule, standing))
        dialog.removed.connect(lambda: self._set_target(None, standing))
        dialog.open()

    def _set_target(self, rule: TargetRule | None, standing: TargetRule | None) -> None:
        try:
            self._alerts.set_target(rule, standing)
        except RulesFileError as error:
            self.said.emit(f"The alert rules were not changed: {error}.", True)
            return
        told = rule or standing
        if told is None:
            return
        where = f"{told.selection} at {told.bookmaker or 'any of my bookmakers'}"
        if rule is None:
            self.said.emit(f"No more alerts for {where}.", True)
        else:
            self.said.emit(f"You are told when {where} reaches {exact_odds_text(rule.odds)}.", True)

    def _lay_out(self, theme: Theme) -> None:
        header, body = QWidget(), QWidget()
        header.setProperty("variant", "bar")
        header.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        scale_height(header, theme, spacing.BAR)
        line = QHBoxLayout(header)
        line.setContentsMargins(spacing.LEAD, 0, spacing.LEAD, 0)
        line.addWidget(self._facts, 1)
        line.addWidget(self.rules)
        self._stack = QStackedLayout(body)
        self._stack.addWidget(self.table)
        self._stack.addWidget(self.placeholder)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(header)
        whole.addWidget(body, 1)

    def _show(self) -> None:
        entries = self._alerts.gate.entries
        sent = sum(entry.held is None for entry in entries)
        held = len(entries) - sent
        rules = self._alerts.rule_count
        said = f"{rules} rule{'' if rules == 1 else 's'} · {sent} sent · {held} held back"
        if until := self._alerts.full_until_ms:
            said += f" · the hour is full until {local_time(until):%H:%M}"
        if entries:
            said += f" · since {when_text(min(entry.at for entry in entries), self._clock())}"
        if self._alerts.looks_back:
            said = f"No alerts while you look back · {said}"
        elif why := self._alerts.why_lost:
            said = f"{why[0].upper()}{why[1:]}: no alerts of prices · {said}"
        self._facts.show_text(said if rules or entries else "")
        self.model.show_rows(rows_of(entries), may_move=True)
        if entries:
            self._stack.setCurrentWidget(self.table)
            return
        if rules:
            state = EmptyState("info", "Nothing to tell yet.", "Alerts are listed here.")
        else:
            detail = (
                "Rules tell of value, arbitrage, steam, kick-offs and a lost connection; "
                "T on a price alerts when it is reached."
            )
            state = EmptyState("info", "No alerts are set up.", detail, _RULES)
        self.placeholder.say(state)
        self._stack.setCurrentWidget(self.placeholder)

    def _on_table_opened(self, index: QModelIndex) -> None:
        cell = self.model.entry(index.row()).alert.cell
        if cell is not None:
            self.price_requested.emit(cell)
