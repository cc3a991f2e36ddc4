"""What panels that go through the log have in common: run or cancel, what was found, export."""

from collections.abc import Callable
from typing import Any, Final

from PySide6.QtWidgets import QStackedLayout, QVBoxLayout, QWidget

from oddsdesk.desk.export.saving import TableSaver
from oddsdesk.desk.export.tables import Table
from oddsdesk.desk.research.log import ResearchLog
from oddsdesk.desk.research.run_bar import RunBar
from oddsdesk.desk.research.running import Running, Work
from oddsdesk.desk.research.span_fields import ChoiceError
from oddsdesk.desk.ui.actions import add_action
from oddsdesk.desk.ui.controls.message_bar import MessageBar
from oddsdesk.desk.ui.controls.placeholder import EmptyState, Placeholder
from oddsdesk.desk.ui.table.live_table import LiveTable
from oddsdesk.desk.ui.table.stable_rows import StableRowsModel
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import TextRole

_NO_LOG: Final = EmptyState(
    "table",
    "The log of a service elsewhere cannot be gone through.",
    "Connect to the embedded server: its database has the history, whichever program serves it.",
)
_RUNS: Final = EmptyState("loading", "Going through the log…", "R, or Cancel above, ends it.")


class ResearchPanel(QWidget):
    """Goes through the log when the user asks for it, and shows what came of it as a table.

    A panel says what the work is, what is told of it, and what its table is.
    """

    ident = ""
    """Of its work, the first part of its actions, and what a file is called."""

    def __init__(
        self,
        theme: Theme,
        log: Callable[[], ResearchLog | None],
        model: StableRowsModel[Any, Any],
        table: LiveTable,
    ) -> None:
        """``log`` is that of the desk's own server, None while it is connected elsewhere."""
        super().__init__()
        self.setProperty("variant", "panel")
        self._log = log
        self._rows = model
        self.table = table
        self.running = Running(self)
        self.messages = MessageBar(theme)
        self.placeholder = Placeholder(theme)
        self.saver = TableSaver(self, lambda: self.ident, self._exported)

    def close_panel(self) -> None:
        """End what runs."""
        self.running.cancel()
        self.saver.close()

    def run(self) -> None:
        """Go through the log, or end it where that is under way."""
        if self.running.is_running:
            self.running.cancel()
            return
        log = self._log()
        if log is not None:
            self.messages.hide()
            try:
                self.running.start(self.ident, self._work(log))
            except ChoiceError as error:
                self._say_trouble(str(error))
        self.show_state()

    def show_state(self) -> None:
        """Show what was found, or what to do where nothing was."""
        runs, has_rows = self.running.is_running, self._rows.rowCount() > 0
        self.bar.show_running(self.running.rows if runs else None)
        if not runs:
            self.bar.say(self._about())
        self.bar.offer_export(has_rows)
        if not has_rows:
            state = _NO_LOG if self._log() is None else _RUNS if runs else self._state()
            self.placeholder.say(state)
        self._stack.setCurrentWidget(self.table if has_rows else self.placeholder)
        # Not the first field: letters that are keys of the panel would be typed into it.
        self.setFocusProxy(self.table if has_rows else self.bar.run)

    def _assemble(self, theme: Theme, fields: list[QWidget], above: list[QWidget]) -> None:
        """Lay it out, with fields in its bar and parts above the table; then it is shown."""
        self.bar = RunBar(theme, fields)
        body = QWidget()
        self._stack = QStackedLayout(body)
        self._stack.addWidget(self.table)
        self._stack.addWidget(self.placeholder)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        for part in (self.bar, *above, body, self.messages):
            whole.addWidget(part)
        whole.setStretchFactor(body, 1)
        add_action(self, f"{self.ident}.run", self.run)
        export = add_action(self, f"{self.ident}.export", self._export)
        self.bar.run_clicked.connect(self.run)
        self.bar.export_clicked.connect(export.trigger)
        self.placeholder.action_requested.connect(self.run)
        self.running.changed.connect(self.show_state)
        self.running.done.connect(self._on_running_done)
        self.running.failed.connect(self._say_trouble)
        self.saver.said.connect(self.messages.say)
        self.table.header_clicked.connect(self._rows.sort_by)
        self.show_state()

    def _export(self) -> None:
        if self._rows.rowCount():
            self.saver.ask()

    def _say_trouble(self, text: str) -> None:
        self.messages.say(text, icon="warning", ink=TextRole.DOWN)

    # What a panel says

    def _work(self, log: ResearchLog) -> Work:
        """Return the work that is asked for, and keep what was chosen.

        Raises:
            ChoiceError: what was chosen makes no sense.
        """
        raise NotImplementedError

    def _on_running_done(self, found: Any) -> None:
        raise NotImplementedError

    def _about(self) -> str:
        """Return what is said of what was found, empty where nothing was looked for."""
        raise NotImplementedError

    def _state(self) -> EmptyState:
        """Return what is said in the place of rows while nothing runs."""
        raise NotImplementedError

    def _exported(self) -> Table:
        raise NotImplementedError
