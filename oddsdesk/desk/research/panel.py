"""What the research panels share: run, cancel, results and export."""

import asyncio
from abc import abstractmethod
from collections.abc import Callable, Coroutine, Sequence
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Any, Final

from PySide6 import QtWidgets
from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent

from oddsdesk.base.clock import system_clock
from oddsdesk.base.figures import FigureError, read_typed_time
from oddsdesk.base.numbers import date_text
from oddsdesk.base.tasks import spawn
from oddsdesk.base.texts import _, pgettext, translated
from oddsdesk.desk.export.files import Table
from oddsdesk.desk.export.saving import TableSaver
from oddsdesk.desk.research.log import AskedSpan, Progress, ResearchError, ResearchLog, count_text
from oddsdesk.desk.ui import spacing
from oddsdesk.desk.ui.actions import add_action
from oddsdesk.desk.ui.controls.fields import date_habit, name_clear_button
from oddsdesk.desk.ui.controls.labels import ElidedLabel
from oddsdesk.desk.ui.controls.messages import EmptyState, MessageBar, Placeholder
from oddsdesk.desk.ui.formatting import example_day
from oddsdesk.desk.ui.table.live_model import StableRowsModel
from oddsdesk.desk.ui.table.live_table import LiveTable
from oddsdesk.desk.ui.theme.theme import Theme, scale_height, scale_least_width
from oddsdesk.desk.ui.theme.tokens import TextRole

Work = Callable[[Progress], Coroutine[Any, Any, Any]]


class Running(QObject):
    """Runs one piece of work as a task; its blocking part is on another thread."""

    changed = Signal()
    """The work has started, ended or progressed."""
    done = Signal(object)
    """The result of the work."""
    failed = Signal(str)
    """The error, in one line."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.rows = 0
        """The number of rows done."""
        self._task: asyncio.Task[None] | None = None

    @property
    def is_running(self) -> bool:
        """Whether work is running."""
        return self._task is not None

    def start_work(self, name: str, work: Work) -> None:
        """Start work, unless some is running."""
        if self._task is None:
            self.rows = 0
            self._task = spawn(name, self._run(work))
            self._task.add_done_callback(self._on_task_done)
            self.changed.emit()

    def cancel(self) -> None:
        """Cancel the running work, without a result."""
        if self._task is not None:
            self._task.cancel()

    async def _run(self, work: Work) -> None:
        try:
            found = await work(self._on_progress)
        except ResearchError as error:
            self._end()
            self.failed.emit(translated(str(error)))
        else:
            self._end()
            self.done.emit(found)

    def _end(self) -> None:
        self._task = None
        self.changed.emit()

    def _on_task_done(self, task: asyncio.Task[None]) -> None:
        """End a cancelled task, even one that was cancelled before it began."""
        if task is self._task:
            self._end()

    def _on_progress(self, rows: int) -> None:
        if self._task is not None:
            self.rows = rows
            self.changed.emit()


_NO_LOG: Final = EmptyState(
    "table",
    _("This needs the built-in server."),
    _("Connect to it to use the odds recorded in its database."),
)
_RUNS: Final = EmptyState("loading", _("Running…"), _("Press R or Cancel to stop."))


class ResearchPanel(QtWidgets.QWidget):
    """Processes the log when the user asks for it, and shows the result as a table.

    Subclasses define the work, its notes and the table.
    """

    ident = ""
    """The name of the work, of its actions (first part) and of exported files."""

    def __init__(
        self,
        theme: Theme,
        log: Callable[[], ResearchLog | None],
        model: StableRowsModel[Any, Any],
        table: LiveTable,
    ) -> None:
        """``log`` returns the built-in server's log, None if connected elsewhere."""
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
        """Cancel running work and exports."""
        self.running.cancel()
        self.saver.abort_saving()

    def run_or_cancel(self) -> None:
        """Run, or cancel if it is running."""
        if self.running.is_running:
            self.running.cancel()
            self._say_notes()  # the table stays, so its notes do
            return
        log = self._log()
        if log is not None:
            self.messages.hide()
            try:
                self.running.start_work(self.ident, self._work(log))
            except ChoiceError as error:
                self._say_trouble(translated(str(error)))
        self.show_state()

    def show_state(self) -> None:
        """Show the result, or what to do without one."""
        runs, has_rows = self.running.is_running, self._rows.rowCount() > 0
        self.bar.show_running(self.running.rows if runs else None)
        if not runs:
            self._say_about()
        self.bar.offer_export(has_rows)
        if not has_rows:
            state = _NO_LOG if self._log() is None else _RUNS if runs else self._state()
            self.placeholder.show_state(state)
        self._stack.setCurrentWidget(self.table if has_rows else self.placeholder)
        # Not the first field, as the panel's keys would be typed into it.
        self.setFocusProxy(self.table if has_rows else self.bar.run)

    def _assemble(
        self,
        theme: Theme,
        fields: list[QtWidgets.QWidget],
        above: list[QtWidgets.QWidget],
        wraps_at: int | None = None,
    ) -> None:
        """Lay out the panel, with ``fields`` in its bar and ``above`` above the table.

        Where they have no room, the fields from ``wraps_at`` on get a line of their own.
        """
        self.bar = RunBar(theme, fields, wraps_at)
        body = QtWidgets.QWidget()
        self._stack = QtWidgets.QStackedLayout(body)
        self._stack.addWidget(self.table)
        self._stack.addWidget(self.placeholder)
        whole = spacing.vertical(self, spacing=0)
        self._notes_area = _Notes(self.messages)
        for part in (self.bar, *above, body, self._notes_area):
            whole.addWidget(part)
        whole.setStretchFactor(body, 1)
        add_action(self, f"{self.ident}.run", self.run_or_cancel)
        export = add_action(self, f"{self.ident}.export", self._export)
        self.bar.run_clicked.connect(self.run_or_cancel)
        self.bar.export_clicked.connect(export.trigger)
        self.placeholder.action_requested.connect(self.run_or_cancel)
        for edit in (edit for field in fields for edit in _text_fields(field)):
            edit.textChanged.connect(self._on_choice_changed)
            edit.returnPressed.connect(self._on_return_pressed)
        self.running.changed.connect(self.show_state)
        self.running.done.connect(self._on_running_done)
        self.running.failed.connect(self._say_trouble)
        self.saver.said.connect(self.messages.show_message)
        self.table.header_clicked.connect(self._rows.sort_by)
        self.show_state()

    def _export(self) -> None:
        if self._rows.rowCount():
            self.saver.ask_for_file()

    def _say_trouble(self, text: str) -> None:
        self.messages.show_message(text, icon="warning", ink=TextRole.DOWN)

    def _say_notes(self) -> None:
        """Show the notes on the result; without any, no message."""
        if lines := self._notes():
            self.messages.show_message(" · ".join(lines), icon="info")
        else:
            self.messages.hide()

    def _say_about(self) -> None:
        """Describe the result, or say that it is of other choices than those in the bar."""
        try:
            is_same = self._is_of_choices()
        except ChoiceError:
            is_same = False
        about = self._about()
        self.bar.say_line(about if is_same or not about else _("Choices changed"))

    def _on_choice_changed(self) -> None:
        if not self.running.is_running:
            self._say_about()

    def _on_return_pressed(self) -> None:
        if not self.running.is_running:
            self.run_or_cancel()

    # Qt's virtuals

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._notes_area.updateGeometry()

    # Defined by subclasses

    @abstractmethod
    def _work(self, log: ResearchLog) -> Work:
        """Return the work to run, and save the choices.

        Raises:
            ChoiceError: A choice is invalid.
        """

    @abstractmethod
    def _on_running_done(self, found: Any) -> None:
        """Show the result of the work."""

    @abstractmethod
    def _about(self) -> str:
        """Return the line about the result; empty before the first run."""

    @abstractmethod
    def _is_of_choices(self) -> bool:
        """Whether the result is of the choices in the bar.

        Raises:
            ChoiceError: One of them is invalid.
        """

    @abstractmethod
    def _notes(self) -> list[str]:
        """Return the notes on the result, none where it has no rows."""

    @abstractmethod
    def _state(self) -> EmptyState:
        """Return the message without rows, while nothing is running."""

    @abstractmethod
    def _exported(self) -> Table:
        """Return the table that is saved as a file."""


def _text_fields(field: QtWidgets.QWidget) -> list[QtWidgets.QLineEdit]:
    """Return the editor of a choice if it is typed."""
    if isinstance(field, QtWidgets.QLineEdit):
        return [field]
    return field.findChildren(QtWidgets.QLineEdit)


class _Notes(QtWidgets.QScrollArea):
    """Shows a message bar whole where the panel has the height, else its first lines to scroll."""

    def __init__(self, bar: MessageBar) -> None:
        super().__init__(widgetResizable=True)
        self._bar = bar
        self.setFrameShape(QtWidgets.QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # arrows scroll
        self.setSizePolicy(
            QtWidgets.QSizePolicy.Policy.Ignored, QtWidgets.QSizePolicy.Policy.Maximum
        )
        self.setAccessibleName(_("Notes"))
        self.setObjectName("notes")
        self.setWidget(bar)
        bar.hide()  # Qt shows what it puts into an area
        bar.installEventFilter(self)
        self.hide()

    # Qt's virtuals

    def sizeHint(self) -> QSize:
        whole = self._bar.heightForWidth(self.width())
        if whole <= 0:
            whole = self._bar.sizeHint().height()
        panel = self.parentWidget()
        room = whole if panel is None else round(panel.height() * _MOST_NOTES)
        line = self._bar.fontMetrics().lineSpacing()
        lines = max(_LEAST_LINES, (room - spacing.HALF) // line)
        return QSize(0, whole if whole <= room else min(whole, spacing.HALF + lines * line))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind in (QEvent.Type.ShowToParent, QEvent.Type.HideToParent):
            self.setVisible(not self._bar.isHidden())
        elif kind == QEvent.Type.LayoutRequest:
            self.updateGeometry()
        return super().eventFilter(watched, event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.updateGeometry()


_MOST_NOTES = 0.25
"""The largest share of the panel's height that notes take, unless that is below ``_LEAST_LINES``.
"""
_LEAST_LINES = 2
_LEAST_WIDTH = 240
_DAY_WIDTH = 106
"""Has room for a day such as 16 Aug 2024."""
_COUNT = _("{rows}…").format(rows=count_text(10_000_000))


class RunBar(QtWidgets.QWidget):
    """The bar with the choices; ``run_clicked`` starts or cancels.

    Where it is too narrow for all fields, the last ones get a line of their own.
    """

    run_clicked = Signal()
    export_clicked = Signal()
    wrapped = Signal()
    """It has another number of lines now."""

    def __init__(
        self, theme: Theme, fields: Sequence[QtWidgets.QWidget], wraps_at: int | None = None
    ) -> None:
        """``fields`` are the editors of the choices; those from ``wraps_at`` on may wrap."""
        super().__init__()
        self.setProperty("variant", "bar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._fields = fields
        self._wraps_at = len(fields) if wraps_at is None else wraps_at
        self._is_wrapped = False
        self._facts = ElidedLabel()
        self._facts.setProperty("variant", "note")
        self._facts.setSizePolicy(
            QtWidgets.QSizePolicy.Policy.Ignored, QtWidgets.QSizePolicy.Policy.Preferred
        )
        self.run = QtWidgets.QPushButton()
        self.run.clicked.connect(self.run_clicked)
        self._export = QtWidgets.QToolButton()
        self._export.setText(_("Export…"))
        self._export.setToolTip(_("Save the table as a file"))
        self._export.setProperty("variant", "plain")
        self._export.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._export.clicked.connect(self.export_clicked)
        rows = QtWidgets.QWidget(), QtWidgets.QWidget()
        for row, height in zip(rows, (spacing.BAR, spacing.CONTROL + spacing.STEP), strict=True):
            scale_height(row, theme, height)
        margins = (spacing.LEAD, 0, spacing.LEAD, 0)
        self._first, self._second = (
            spacing.horizontal(row, margins=margins, spacing=spacing.STEP) for row in rows
        )
        self._above, self._below = rows
        self._below.hide()
        self._second.addStretch(1)
        for field in fields:
            self._first.addWidget(field)
        self._first.addWidget(self._facts, 1)
        self._first.addWidget(self.run)
        self._first.addWidget(self._export)
        spacing.vertical(self, *rows, spacing=0)
        self.show_running(None)

    def show_running(self, rows: int | None) -> None:
        """Show the number of rows done; None if nothing is running."""
        self.run.setText(_("Run") if rows is None else _("Cancel"))
        self.run.setToolTip(
            _("Run on the recorded odds (R)") if rows is None else _("Stop; the table stays (R)")
        )
        if rows is not None:
            self.say_line(_("{rows}…").format(rows=count_text(rows)))

    def say_line(self, text: str) -> None:
        """Say one line; a long one is elided where the fields need the room."""
        is_short = 0 < len(text) <= len(_COUNT)
        self._facts.setMinimumWidth(self._facts.width_of(_COUNT) if is_short else 0)
        self._facts.show_text(text)

    def offer_export(self, offered: bool) -> None:
        """Enable the export if there is anything to export."""
        self._export.setEnabled(offered)

    @property
    def needed_height(self) -> int:
        """The height of its lines in pixels."""
        return self._above.height() + (self._below.height() if self._is_wrapped else 0)

    def _wrap(self) -> None:
        """Give the last fields a line of their own, or take them back, by the width."""
        parts = [*self._fields, self.run, self._export]
        needed = sum(_least_width(part) + spacing.STEP for part in parts)
        needed += self._facts.width_of(_COUNT) + 2 * spacing.LEAD
        if self._is_wrapped is (needed > self.width()):
            return
        self._is_wrapped = not self._is_wrapped
        for place, field in enumerate(self._fields[self._wraps_at :]):
            if self._is_wrapped:
                self._second.insertWidget(place, field)
            else:
                self._first.insertWidget(self._wraps_at + place, field)
        self._below.setVisible(self._is_wrapped)
        self.wrapped.emit()

    # Qt's virtuals

    def minimumSizeHint(self) -> QSize:
        return QSize(_LEAST_WIDTH, super().minimumSizeHint().height())

    def event(self, event: QEvent) -> bool:
        handled = super().event(event)
        if event.type() is QEvent.Type.LayoutRequest:
            self._wrap()
        return handled

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._wrap()


def _least_width(part: QtWidgets.QWidget) -> int:
    return max(part.minimumSizeHint().width(), part.minimumWidth())


class ChoiceError(ValueError):
    """The input is invalid; one line with the reason."""


_FROM: Final = pgettext("a span of days", "From")
_TO: Final = pgettext("a span of days", "To")


class SpanFields:
    """Two fields for days; their text is saved as entered."""

    def __init__(self, theme: Theme, since: str, until: str) -> None:
        day = example_day()
        self.since = _field(
            _FROM, _("First day, such as {day}. Empty: from the start of the log").format(day=day)
        )
        self.until = _field(
            _TO, _("Last day, such as {day}. Empty: to the end of the log").format(day=day)
        )
        self.since.setText(since)
        self.until.setText(until)
        for field in self.fields:
            scale_least_width(field, theme, _DAY_WIDTH)

    @property
    def fields(self) -> list[QtWidgets.QLineEdit]:
        """Both, in order."""
        return [self.since, self.until]

    def span(self) -> AskedSpan:
        """Return the span entered.

        Raises:
            ChoiceError: It is invalid.
        """
        return span_of(self.since.text(), self.until.text())


def span_of(since: str, until: str, zone: tzinfo | None = None) -> AskedSpan:
    """Return the span from the start of the first day to the end of the last, in a zone.

    Raises:
        ChoiceError: A day is invalid, or the last is before the first.
    """
    first, last = _day(_FROM, since), _day(_TO, until)
    if first is not None and last is not None and last < first:
        raise ChoiceError(
            _("{field}: {last} is before the first day, {first}").format(
                field=_TO, last=date_text(last), first=date_text(first)
            )
        )
    after = None if last is None else last + timedelta(days=1)
    return AskedSpan(_begin(first, zone), _begin(after, zone))


def _field(name: str, tip: str) -> QtWidgets.QLineEdit:
    field = QtWidgets.QLineEdit()
    field.setPlaceholderText(name)
    field.setAccessibleName(name)
    field.setToolTip(tip)
    field.setSizePolicy(QtWidgets.QSizePolicy.Policy.Maximum, QtWidgets.QSizePolicy.Policy.Fixed)
    field.setClearButtonEnabled(True)
    name_clear_button(field)
    return field


def _day(name: str, typed: str) -> date | None:
    text = typed.strip()
    if not text:
        return None
    try:
        noon = read_typed_time(name, text, system_clock(), UTC, date_habit())
        day = datetime.fromtimestamp(noon.ms / 1000, UTC).date()
    except FigureError:
        day = date.min
    if not 1970 <= day.year < 9999:  # time zones could leave the calendar's range
        raise ChoiceError(
            _("{field}: enter a day such as {day} instead of {text!r}").format(
                field=name, day=example_day(), text=text
            )
        )
    return day


def _begin(day: date | None, zone: tzinfo | None) -> int | None:
    if day is None:
        return None
    return round(datetime.combine(day, time(), zone).timestamp() * 1000)
