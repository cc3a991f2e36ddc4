"""Bookmakers by what the log tells of them: a card a row, each figure as sure as it is."""

from collections.abc import Callable
from functools import partial
from typing import Final

from PySide6.QtWidgets import QMenu, QStackedLayout, QVBoxLayout, QWidget

from oddsdesk.clock import Clock
from oddsdesk.desk.export.files import CSV, XLSX, FileFormat
from oddsdesk.desk.research.card_columns import FEW, ScorecardModel, market_text
from oddsdesk.desk.research.export import Exporter
from oddsdesk.desk.research.log import ResearchLog
from oddsdesk.desk.research.run_bar import RunBar
from oddsdesk.desk.research.running import Running
from oddsdesk.desk.ui.actions import add_action
from oddsdesk.desk.ui.controls.chips import ChipRow
from oddsdesk.desk.ui.controls.message_bar import MessageBar
from oddsdesk.desk.ui.controls.placeholder import EmptyState, Placeholder
from oddsdesk.desk.ui.table.live_table import LiveTable
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.research.scorecards.scoring import Scored

_ALL: Final = "all"
_MOST_CHIPS: Final = 6
_NO_LOG: Final = EmptyState(
    "table",
    "The log of a service elsewhere cannot be gone through.",
    "Connect to your own server: its database has the history.",
)
_BEGIN: Final = EmptyState(
    "table",
    "What does the log tell of each bookmaker?",
    "Margin, best prices, value and how it closed, who moves first, who knows most. Goes through"
    " all that your server has recorded. Past seasons: Import files… (Ctrl+I).",
    "Run",
)


class ScorecardPanel(QWidget):
    """Scores the bookmakers of the recorded log when the user asks for it."""

    def __init__(self, theme: Theme, clock: Clock, log: Callable[[], ResearchLog | None]) -> None:
        """``log`` is that of the desk's own server, None while it is connected elsewhere."""
        super().__init__()
        self.setProperty("variant", "panel")
        self._log = log
        self._found: Scored | None = None
        self._market = _ALL
        self.running = Running(self)
        self.model = ScorecardModel(clock)
        self.table = LiveTable(theme, self.model, clock)
        self.table.setAccessibleName("Scorecards of bookmakers")
        self.chips = ChipRow("Which markets are shown")
        self.messages = MessageBar(theme)
        self.placeholder = Placeholder(theme)
        self.exporter = Exporter(self)
        self.bar = RunBar(theme, (self.chips,), self._export_menu())
        self._lay_out()
        self._connect()
        self.show_state()

    def close_panel(self) -> None:
        """End what runs."""
        self.running.cancel()
        self.exporter.close()

    def run(self) -> None:
        """Go through the log, or end it where that is under way."""
        if self.running.is_running:
            self.running.cancel()
            return
        log = self._log()
        if log is not None:
            self.running.start("scorecards", log.scorecards)
        self.show_state()

    def show_state(self) -> None:
        """Show what was found, or what to do where nothing was."""
        runs, found = self.running.is_running, self._found
        self.bar.show_running(self.running.rows if runs else None)
        if not runs:
            self.bar.say("" if found is None else _about(found))
        has_cards = found is not None and bool(found.cards)
        self.bar.offer_export(has_cards)
        if not has_cards:
            self.placeholder.say(self._state())
        self._stack.setCurrentWidget(self.table if has_cards else self.placeholder)

    def _state(self) -> EmptyState:
        if self._log() is None:
            return _NO_LOG
        if self.running.is_running:
            return EmptyState("loading", "Going through the log…", "R, or Cancel above, ends it.")
        if self._found is None:
            return _BEGIN
        detail = "Holds and closing lines are of games that have begun."
        if not self._found.rows:
            return EmptyState("table", "Nothing was recorded yet.", detail, "Run again")
        return EmptyState("table", "No game of the log has begun yet.", detail, "Run again")

    def _show_cards(self) -> None:
        cards = [] if self._found is None else self._found.cards
        shown = [card for card in cards if self._market in (_ALL, market_text(card.key))]
        self.model.show_rows({card.key: card for card in shown}, may_move=True)

    def _export_menu(self) -> QMenu:
        menu = QMenu(self)
        for ident, file_format in (
            ("scorecards.export_csv", CSV),
            ("scorecards.export_xlsx", XLSX),
        ):
            menu.addAction(add_action(self, ident, partial(self._export, file_format)))
        return menu

    def _lay_out(self) -> None:
        body = QWidget()
        self._stack = QStackedLayout(body)
        self._stack.addWidget(self.table)
        self._stack.addWidget(self.placeholder)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        for part in (self.bar, body, self.messages):
            whole.addWidget(part)
        whole.setStretchFactor(body, 1)
        self.setFocusProxy(self.table)

    def _connect(self) -> None:
        add_action(self, "scorecards.run", self.run)
        add_action(self, "scorecards.market", self.chips.choose_next)
        self.bar.run_clicked.connect(self.run)
        self.placeholder.action_requested.connect(self.run)
        self.chips.chosen.connect(self._on_chips_chosen)
        self.running.changed.connect(self.show_state)
        self.running.done.connect(self._on_running_done)
        self.running.failed.connect(self._say_trouble)
        self.exporter.said.connect(lambda text: self.messages.say(text, icon="check"))
        self.exporter.failed.connect(self._say_trouble)
        self.table.header_clicked.connect(self.model.sort_by)

    def _on_running_done(self, found: Scored) -> None:
        self._found = found
        markets = list(dict.fromkeys(market_text(card.key) for card in found.cards))
        chips = [(market, market) for market in markets[:_MOST_CHIPS]]
        self.chips.show_chips([(_ALL, "All"), *chips] if len(chips) > 1 else [])
        if self._market not in {key for key, _ in chips}:
            self._market = _ALL
        self._show_cards()
        if found.cards and not found.has_results:
            self.messages.say("No result is known: import football-data's seasons for log loss.")
        self.show_state()

    def _on_chips_chosen(self, market: str) -> None:
        self._market = market
        self._show_cards()

    def _export(self, file_format: FileFormat) -> None:
        if self.model.rowCount():
            self.exporter.ask(self.model.exported(), file_format, "scorecards")

    def _say_trouble(self, text: str) -> None:
        self.messages.say(text, icon="warning", ink=TextRole.DOWN)


def _about(found: Scored) -> str:
    return f"{found.games:,} games, {found.rows:,} rows; faint: of fewer than {FEW}"
