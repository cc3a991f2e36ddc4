"""The alerts panel: the list of alerts, the rules dialog and price alerts."""

from pathlib import Path
from typing import Final

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtWidgets import QDialogButtonBox, QLineEdit, QPushButton, QWidget

from oddsdesk.base.clock import Clock
from oddsdesk.base.market_words import selection_text
from oddsdesk.base.numbers import hour_text, num
from oddsdesk.base.texts import _, ngettext, translated
from oddsdesk.board.alerts.rules import (
    RulesFileError,
    TargetCell,
    TargetRule,
    target_cell,
    target_of,
)
from oddsdesk.board.board import Board
from oddsdesk.board.model.matrix import RowKey
from oddsdesk.board.valuation.verdict_words import caution_text
from oddsdesk.contract.competitions import period_label
from oddsdesk.contract.identity import dated_game_title
from oddsdesk.contract.markets import market_title
from oddsdesk.desk.alerts.controller import AlertsController
from oddsdesk.desk.alerts.model import AlertsModel, alert_rows, when_text
from oddsdesk.desk.alerts.rule_form import KnownNames
from oddsdesk.desk.alerts.rules_dialog import RulesDialog
from oddsdesk.desk.ui.controls.bars import ListBar
from oddsdesk.desk.ui.controls.fields import ChoiceBox
from oddsdesk.desk.ui.controls.form_dialog import FormDialog
from oddsdesk.desk.ui.controls.labels import ElidedLabel, Label
from oddsdesk.desk.ui.controls.messages import EmptyState, sentence
from oddsdesk.desk.ui.formatting import (
    exact_odds_text,
    fair_text,
    game_text,
    local_time,
    odds_title,
    read_odds,
    signed_hundredths_text,
    typed_text,
)
from oddsdesk.desk.ui.list_panel import ListPanel
from oddsdesk.desk.ui.states import state_of_mine
from oddsdesk.desk.ui.table.live_table import LiveTable
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.pricing.formats import OddsFormatError

_RULES = _("Rules…")
_PAST = _("You cannot set an alert on a past price. Ctrl+Shift+J goes back to now.")


_NOTHING_YET = EmptyState("info", _("No alerts yet."), _("Alerts will be listed here."))
_NO_RULES = EmptyState(
    "info",
    _("No alert rules yet."),
    _(
        "Rules alert you to value, arbitrage, steam, kick-offs and a lost connection. "
        "Press T on a price to be alerted when it reaches your odds."
    ),
    _RULES,
)


class AlertsPanel(ListPanel):
    """Lists alerts, the newest on top; Enter shows the price of the selected one."""

    price_requested = Signal(object)
    """The ``RowKey`` of a price to be shown in its game."""
    said = Signal(str, bool)
    """A line for the message bar, and whether to offer the rules with it."""

    def __init__(self, board: Board, alerts: AlertsController, theme: Theme, clock: Clock) -> None:
        super().__init__(theme)
        self._board = board
        self._alerts = alerts
        self._theme = theme
        self._clock = clock
        self.model = AlertsModel(clock)
        self.table = LiveTable(theme, self.model, clock)
        self.table.setAccessibleName(_("Alerts"))
        self._facts = ElidedLabel()
        self._facts.setProperty("variant", "note")
        self.rules = QPushButton(_RULES)
        self.rules.setToolTip(_("Alert rules, channels and quiet hours (Ctrl+Shift+A)"))
        self.rules.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        header = ListBar(theme)
        header.line.addWidget(self._facts, 1)
        header.line.addWidget(self.rules)
        self.setLayout(self._lay_out_list(header, self.table))
        self.rules.clicked.connect(self.edit_rules)
        self.placeholder.action_requested.connect(self.edit_rules)
        self.table.opened.connect(self._on_table_opened)
        alerts.changed.connect(self._show)
        self._show()

    def close_panel(self) -> None:
        """Stop listening."""
        self._alerts.changed.disconnect(self._show)

    def edit_rules(self) -> None:
        """Open the rules dialog."""
        games = {dated_game_title(game.match_name) for game in self._board.games.values()}
        names = KnownNames(
            self._alerts.preset_names(),
            sorted(games, key=str.casefold),
            sorted(self._board.bookmakers_with_prices(), key=str.casefold),
        )
        dialog = RulesDialog(Path(self._alerts.path), self._theme, names, self)
        dialog.saved.connect(self._alerts.read_rules)
        dialog.address_given.connect(self._alerts.keep_address)
        self._alerts.address_answered.connect(dialog.answer_address)
        dialog.open()

    def ask_target(self, key: RowKey) -> None:
        """Ask at which odds a cell should alert, or show the existing target to be changed.

        Refused while the desk shows the past.
        """
        if self._board.connection.as_of_ms is not None:
            self.said.emit(_PAST, False)
            return
        cell = target_cell(self._board, key)
        if cell is None:
            self.said.emit(_("That price is no longer offered."), False)
            return
        try:
            standing = target_of(self._alerts.kept(), cell)
        except RulesFileError as error:
            self.said.emit(
                _("The alert rules cannot be read: {error}").format(error=translated(str(error))),
                True,
            )
            return
        dialog = TargetDialog(self._theme, cell, standing, self.window())
        dialog.chosen.connect(lambda rule: self._set_target(rule, standing))
        dialog.removed.connect(lambda: self._set_target(None, standing))
        dialog.open()

    def _set_target(self, rule: TargetRule | None, standing: TargetRule | None) -> None:
        try:
            self._alerts.set_target(rule, standing)
        except RulesFileError as error:
            self.said.emit(
                _("The alert rules were not changed: {error}.").format(
                    error=translated(str(error))
                ),
                True,
            )
            return
        told = rule or standing
        if told is None:
            return
        bookmaker = told.bookmaker or _("any of my bookmakers")
        where = _("{selection} at {bookmaker}").format(
            selection=selection_text(told.selection), bookmaker=bookmaker
        )
        if rule is None:
            self.said.emit(_("Alert removed: {where}.").format(where=where), True)
        else:
            self.said.emit(
                _("Alert set: {where}, {odds} or better.").format(
                    where=where, odds=exact_odds_text(rule.odds)
                ),
                True,
            )

    def _show(self) -> None:
        entries = self._alerts.gate.entries
        sent = sum(entry.held is None for entry in entries)
        held = len(entries) - sent
        rules = self._alerts.rule_count
        said = ngettext("{count} rule", "{count} rules", rules).format(count=rules)
        said += _(" · {sent} sent · {held} not sent").format(sent=sent, held=held)
        if until := self._alerts.full_until_ms:
            said += _(" · hourly limit until {time}").format(time=hour_text(local_time(until)))
        if entries:
            said += _(" · since {time}").format(
                time=when_text(min(entry.at for entry in entries), self._clock())
            )
        if self._alerts.looks_back:
            said = " · ".join((_("No alerts in the past view"), said))
        elif why := self._alerts.why_lost:
            why = translated(why)
            why = _("{why}: no price alerts").format(why=f"{why[0].upper()}{why[1:]}")
            said = f"{why} · {said}"
        self._facts.show_text(said if rules or entries else "")
        self.model.show_rows(alert_rows(entries), may_move=True)
        self._show_rows_of(self.table, self._state)

    def _state(self) -> EmptyState:
        """Return why no alert is listed."""
        if not self._alerts.rule_count:
            return _NO_RULES
        if self._alerts.looks_back:
            return EmptyState(
                "info", _("No alerts in the past view."), _("They resume when you go back to now.")
            )
        if why := self._alerts.why_lost:
            detail = _("Price alerts resume once prices have loaded.")
            return EmptyState(
                "offline", _("No price alerts: {why}.").format(why=translated(why)), detail
            )
        mine = state_of_mine(self._board.unticked_with_prices())
        return _NOTHING_YET if mine is None else mine._replace(action="")

    def _on_table_opened(self, index: QModelIndex) -> None:
        cell = self.model.entry(index.row()).alert.cell
        if cell is not None:
            self.price_requested.emit(cell)


_WIDTH: Final = 440
_ANYWHERE: Final = _("Any of my bookmakers")
_HIGHEST: Final = 1e6
_BEST_NOW: Final = (
    _("{odds} is your best price now."),
    _("{odds} is your best price now, so this alerts at once."),
)
_OFFERED_NOW: Final = (
    _("{odds} is offered now."),
    _("{odds} is offered now, so this alerts at once."),
)
_WITH_WARNING: Final = (
    _("{odds} at {bookmaker} has a warning ({why})."),
    _("{odds} at {bookmaker} has a warning ({why}), so this alerts at once."),
)
"""Each without and with an alert at once."""


class TargetDialog(FormDialog):
    """Asks for the odds of a price alert, filled in with the existing target or a suggestion."""

    chosen = Signal(object)
    """The ``TargetRule`` the user entered."""
    removed = Signal()
    """The user removed the existing target."""

    def __init__(
        self, theme: Theme, cell: TargetCell, standing: TargetRule | None, parent: QWidget
    ) -> None:
        super().__init__(theme, _("Price alert"), parent)
        self.setMinimumWidth(theme.fonts.scaled(_WIDTH))
        self._cell, self._standing = cell, standing
        odds = cell.suggested() if standing is None else standing.odds
        self._filled_in, self._filled_odds = typed_text(odds), odds
        self.price = QLineEdit(self._filled_in)
        self.place = ChoiceBox()
        self.place.addItems([cell.bookmaker, _ANYWHERE])
        self.place.setCurrentIndex(1 if standing is not None and not standing.bookmaker else 0)
        self.said = Label(wordWrap=True)
        """The EV of the odds entered, and what is offered now."""
        self.said.setProperty("variant", "note")
        self._lay_out()
        self.price.textChanged.connect(self._show_worth)
        self.place.currentIndexChanged.connect(self._show_worth)
        self._show_worth()
        self.close_form()
        self.price.setFocus()
        self.price.selectAll()

    def values(self) -> object:
        return self.price.text(), self.place.currentIndex()

    def _lay_out(self) -> None:
        key, name = self._cell.key, self._cell.match_name
        market = translated(market_title(key.market_type))
        if key.period:
            market += f" · {translated(period_label(self._cell.sport, key.period))}"
        game = game_text(key.selection, name)
        self.form.addRow(Label(f"{selection_text(key.selection)} {game} · {market}", wordWrap=True))
        self.add_row(_("&Bookmaker"), self.place)
        self.add_row(odds_title(_("&Odds")), self.price)
        self.form.addRow("", self.said)
        self.buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        if self._standing is not None:
            role = QDialogButtonBox.ButtonRole.DestructiveRole
            self.remove = self.buttons.addButton(_("Remove alert"), role)
            self.remove.clicked.connect(self._on_remove_clicked)
        save = _("Set alert")
        if self._standing is not None:
            save = _("Change alert") if self._standing.enabled else _("Turn on alert")
        self.save = self.buttons.addButton(save, QDialogButtonBox.ButtonRole.AcceptRole)
        self.save.setProperty("variant", "primary")
        self.buttons.accepted.connect(self._on_buttons_accepted)
        self.buttons.rejected.connect(self.reject)

    def _odds(self) -> float:
        """Return the odds entered; an unchanged suggestion keeps its unrounded value."""
        text = self.price.text().strip()
        odds = self._filled_odds if text == self._filled_in else read_odds(text)
        if odds > _HIGHEST:
            raise OddsFormatError(_("expected odds up to {most:,.0f}").format(most=num(_HIGHEST)))
        return odds

    def _is_anywhere(self) -> bool:
        return self.place.currentIndex() == 1

    def _show_worth(self) -> None:
        try:
            odds = self._odds()
        except OddsFormatError as error:
            self.said.setText(sentence(translated(str(error))))
            self.save.setEnabled(False)
            return
        self.save.setEnabled(True)
        self.said.setText(f"{self._worth(odds)}\n{self._offered(odds)}")

    def _worth(self, odds: float) -> str:
        cell, anywhere = self._cell, self._is_anywhere()
        ev = cell.ev_at(odds, anywhere=anywhere)
        if ev is None or cell.fair is None:
            return _("No fair odds, so the EV is unknown.")
        said = [_("EV {ev} % at that price").format(ev=signed_hundredths_text(ev))]
        said += [_("before commission")] if anywhere else []
        return " · ".join([*said, _("fair {fair}").format(fair=fair_text(cell.fair))])

    def _offered(self, odds: float) -> str:
        is_anywhere = self._is_anywhere()
        now = self._cell.best if is_anywhere else self._cell.odds
        if now is None:
            said = _("Not offered there now.")
        else:
            texts = _BEST_NOW if is_anywhere else _OFFERED_NOW
            said = texts[now >= odds].format(odds=exact_odds_text(now))
        doubted = self._cell.doubted
        if doubted is None or not is_anywhere:
            return said
        text = _WITH_WARNING[self._cell.is_doubted_alerted and doubted.odds >= odds].format(
            odds=exact_odds_text(doubted.odds),
            bookmaker=doubted.bookmaker,
            why=translated(caution_text(doubted.caution, self._cell.reference)),
        )
        return f"{said} {text}"

    def _on_remove_clicked(self) -> None:
        self.removed.emit()
        self.mark_unchanged()
        self.accept()

    def _on_buttons_accepted(self) -> None:
        anywhere = self._is_anywhere()
        self.chosen.emit(self._cell.rule(self._odds(), anywhere=anywhere, like=self._standing))
        self.mark_unchanged()
        self.accept()
