"""The base of dialogs with fields: rows, one line for trouble, a question before discarding."""

from collections.abc import Callable, Mapping

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from oddsdesk.base.texts import _
from oddsdesk.desk.ui.controls.dialogs import Dialog, largest_size
from oddsdesk.desk.ui.controls.labels import Label
from oddsdesk.desk.ui.controls.messages import MessageBar
from oddsdesk.desk.ui.spacing import GAP, HALF, MARGIN, STEP, horizontal, vertical
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import TextRole


class FormDialog(Dialog):
    """Fields above, buttons below; asks before it throws away what was typed."""

    def __init__(self, theme: Theme, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.theme = theme
        self.form = form_layout()
        self.below = vertical(spacing=STEP)
        self.trouble = MessageBar(theme)
        self._question = MessageBar(theme)
        self._question.action_requested.connect(self._on_question_action_requested)
        self.buttons = QDialogButtonBox()
        self._first: object = None
        self._column = vertical(
            self, self.form, self.below, margins=(MARGIN, MARGIN, MARGIN, GAP), spacing=GAP
        )

    def add_row(self, label: str, field: QWidget, explained: str = "") -> QWidget:
        """Add a field with its label, and a note under it, and return the row's widget."""
        name = Label(label)
        target = field.focusProxy() or field  # what passes the focus on takes no mnemonic
        name.setBuddy(target)
        if not target.accessibleName():
            target.setAccessibleName(label.replace("&", ""))
        holder = field
        if explained:
            target.setAccessibleDescription(explained)
            holder = with_note(field, note_label(explained, self.theme))
        self.form.addRow(name, holder)
        return holder

    def take_fields(self) -> QWidget:
        """Return a widget that holds the fields from now on, to be laid out elsewhere."""
        self._column.removeItem(self.form)
        self.form.setParent(None)
        page = QWidget()
        page.setProperty("variant", "window")
        page.setLayout(self.form)
        self.form.setContentsMargins(0, 0, 0, 0)
        return page

    def values(self) -> object:
        """Return what the fields say, to be compared."""
        return None

    def close_form(self) -> None:
        """Put message and buttons below the fields, and after them in the order of Tab."""
        self._column.addStretch()
        for widget in (self.trouble, self._question, self.buttons):
            self._column.addWidget(widget)
        for button in self.buttons.buttons():
            role = self.buttons.buttonRole(button)
            if role is QDialogButtonBox.ButtonRole.AcceptRole and isinstance(button, QPushButton):
                button.setDefault(True)
        self.mark_unchanged()

    def close_with(self, verb: str, act: Callable[[], None]) -> QPushButton:
        """Close the form with Cancel and a button that calls ``act``; return that button."""
        self.buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        button = self.buttons.addButton(verb, QDialogButtonBox.ButtonRole.AcceptRole)
        button.setProperty("variant", "primary")
        self.buttons.accepted.connect(act)
        self.buttons.rejected.connect(self.reject)
        self.close_form()
        return button

    def mark_unchanged(self) -> None:
        """Take what the fields say now as unchanged."""
        self._first = self.values()

    def is_changed(self) -> bool:
        """Say whether the user typed anything."""
        return self.values() != self._first

    def say_trouble(self, text: str, field: QWidget | None = None) -> None:
        """Say what is wrong, and go to the field that it is about."""
        self.trouble.show_message(text, icon="warning", ink=TextRole.DOWN)
        if field is not None:
            field.setFocus(Qt.FocusReason.OtherFocusReason)

    def hand_over(self) -> None:
        """Take no second answer until it is known what became of the first."""
        self.buttons.setEnabled(False)

    def close_or_report(self, problem: str) -> None:
        """Close if the input is recorded; else show why not, so that the user can try again."""
        if problem:
            self.buttons.setEnabled(True)
            self.say_trouble(problem)
        else:
            self.mark_unchanged()
            self.accept()

    def reject(self) -> None:
        """Close; where something was typed, only when the question is answered."""
        if not self.is_changed():
            super().reject()
        elif self._question.isHidden():
            self._question.show_message(
                _("Discard what you typed?"), icon="warning", action=_("Discard")
            )
        else:
            self._question.hide()

    def _fit(self) -> None:
        """Grow where what is said needs more lines: Qt reckons with the fewest."""
        if self.isVisible() and self._column.hasHeightForWidth():
            needed = self._column.totalHeightForWidth(self.width())
            self.setMinimumHeight(min(needed, largest_size(self).height()))

    def _on_question_action_requested(self) -> None:
        self.mark_unchanged()
        self.reject()

    # Qt's virtuals

    def event(self, event: QEvent) -> bool:
        handled = super().event(event)
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Show):
            self._fit()
        return handled

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()


def form_layout() -> QFormLayout:
    """Return an empty layout of labels and fields."""
    form = QFormLayout(labelAlignment=Qt.AlignmentFlag.AlignLeft)
    form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
    form.setHorizontalSpacing(MARGIN)
    form.setVerticalSpacing(GAP)
    return form


def note_label(text: str, theme: Theme) -> Label:
    """Return a line that explains a field."""
    label = Label(text, wordWrap=True)
    label.setProperty("variant", "note")
    label.setFont(theme.fonts.small)
    return label


def with_note(field: QWidget, explained: Label) -> QWidget:
    """Return a field with its note close under it; it gives the focus to the field."""
    holder = QWidget()
    vertical(holder, field, explained, spacing=HALF)
    holder.setFocusProxy(field)
    return holder


def side_by_side(*widgets: QWidget) -> QWidget:
    """Return the widgets in one row, the first one taking the room; it takes the focus, too."""
    holder = QWidget()
    row = horizontal(holder, spacing=STEP)
    for place, widget in enumerate(widgets):
        row.addWidget(widget, 0 if place else 1)
    holder.setFocusProxy(widgets[0])
    return holder


class PlainTable(QTreeWidget):
    """A list whose columns grow with what they hold; Space ticks a row from any column."""

    def __init__(self) -> None:
        super().__init__()
        self._fits = QTimer(self, singleShot=True, interval=0)
        self._fits.timeout.connect(self._fit_columns)
        for changed in (self.model().rowsInserted, self.model().dataChanged):
            changed.connect(lambda *_: self._fits.start())
        self.filling_columns: set[int] = set()
        """Columns that take the rest of the width."""

    def _fit_columns(self) -> None:
        """Widen columns whose texts are cut; none is narrowed again, so that nothing jumps."""
        header = self.header()
        for column in set(range(self.columnCount())) - self.filling_columns:
            needed = max(self.sizeHintForColumn(column), header.sectionSizeHint(column))
            if needed > header.sectionSize(column):
                header.resizeSection(column, min(needed, self.viewport().width() // 2))

    # Qt's virtuals

    def keyPressEvent(self, event: QKeyEvent) -> None:
        item = self.currentItem()
        is_ticked_here = self.currentColumn() > 0 and event.key() == Qt.Key.Key_Space
        if is_ticked_here and item is not None and item.flags() & Qt.ItemFlag.ItemIsUserCheckable:
            is_on = item.checkState(0) is Qt.CheckState.Checked
            item.setCheckState(0, Qt.CheckState.Unchecked if is_on else Qt.CheckState.Checked)
        else:
            super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._fits.start()


def plain_table(theme: Theme, name: str, widths: Mapping[str, int]) -> PlainTable:
    """Return an empty list; ``widths`` in pixels at texts of 100 %, 0 takes the rest."""
    table = PlainTable()
    table.setAccessibleName(name)
    table.setRootIsDecorated(False)
    table.setUniformRowHeights(True)
    table.setHeaderLabels(list(widths))
    header = table.header()
    header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
    for column, width in enumerate(widths.values()):
        if width:
            header.resizeSection(column, theme.fonts.scaled(width))
        else:
            table.filling_columns.add(column)
    table.currentItemChanged.connect(_select)
    return table


def with_buttons(table: QTreeWidget, *buttons: QWidget, last: QWidget | None = None) -> QHBoxLayout:
    """Return a list with its row buttons next to it, ``last`` at the bottom."""
    side = vertical(spacing=STEP)
    for button in buttons:
        side.addWidget(button)
    side.addStretch()
    if last is not None:
        side.addWidget(last)
    row = horizontal(spacing=STEP)
    row.addWidget(table, 1)
    row.addLayout(side)
    return row


def _select(item: QTreeWidgetItem | None) -> None:
    """Show which row is current, however the keyboard came there."""
    if item is not None:
        item.setSelected(True)
