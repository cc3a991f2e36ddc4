"""The base of dialogs with fields: rows, one line for trouble, a question before discarding."""

from collections.abc import Mapping

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHBoxLayout,
    QHeaderView,
    QPushButton,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from oddsdesk.desk.ui.controls.message_bar import MessageBar
from oddsdesk.desk.ui.controls.plain import Label
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import GAP, HALF, MARGIN, STEP, TextRole


class FormDialog(QDialog):
    """Fields above, buttons below; asks before it throws away what was typed."""

    def __init__(self, theme: Theme, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.theme = theme
        self.form = QFormLayout(labelAlignment=Qt.AlignmentFlag.AlignLeft)
        self.form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self.form.setHorizontalSpacing(MARGIN)
        self.form.setVerticalSpacing(GAP)
        self.below = QVBoxLayout()
        self.below.setSpacing(STEP)
        self.trouble = MessageBar(theme)
        self._question = MessageBar(theme)
        self._question.action_requested.connect(self._on_question_action_requested)
        self.buttons = QDialogButtonBox()
        self._first: object = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(MARGIN, MARGIN, MARGIN, GAP)
        self._column.setSpacing(GAP)
        self._column.addLayout(self.form)
        self._column.addLayout(self.below)

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
            holder = with_note(field, note(explained, self.theme))
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
        self.begin()

    def begin(self) -> None:
        """Take what the fields say now as unchanged."""
        self._first = self.values()

    def is_changed(self) -> bool:
        """Say whether the user typed anything."""
        return self.values() != self._first

    def say_trouble(self, text: str, field: QWidget | None = None) -> None:
        """Say what is wrong, and go to the field that it is about."""
        self.trouble.say(text, icon="warning", ink=TextRole.DOWN)
        if field is not None:
            field.setFocus(Qt.FocusReason.OtherFocusReason)

    def hand_over(self) -> None:
        """Take no second answer until it is known what became of the first."""
        self.buttons.setEnabled(False)

    def tell_kept(self, problem: str) -> None:
        """Close, as what was typed is kept; or say why it is not, and let it be tried again."""
        if problem:
            self.buttons.setEnabled(True)
            self.say_trouble(problem)
        else:
            self.begin()
            self.accept()

    def reject(self) -> None:
        """Close; where something was typed, only when the question is answered."""
        if not self.is_changed():
            super().reject()
        elif self._question.isHidden():
            self._question.say("Discard what you typed?", icon="warning", action="Discard")
        else:
            self._question.hide()

    def _fit(self) -> None:
        """Grow where what is said needs more lines: Qt reckons with the fewest."""
        if self.isVisible() and self._column.hasHeightForWidth():
            needed = self._column.totalHeightForWidth(self.width())
            self.setMinimumHeight(min(needed, self.screen().availableGeometry().height()))

    def _on_question_action_requested(self) -> None:
        self.begin()
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


def note(text: str, theme: Theme) -> Label:
    """Return a line that explains a field."""
    label = Label(text, wordWrap=True)
    label.setProperty("variant", "note")
    label.setFont(theme.fonts.small)
    return label


def with_note(field: QWidget, explained: Label) -> QWidget:
    """Return a field with its note close under it; it gives the focus to the field."""
    holder = QWidget()
    column = QVBoxLayout(holder)
    column.setContentsMargins(0, 0, 0, 0)
    column.setSpacing(HALF)
    column.addWidget(field)
    column.addWidget(explained)
    holder.setFocusProxy(field)
    return holder


def side_by_side(*widgets: QWidget) -> QWidget:
    """Return the widgets in one row, the first one taking the room; it takes the focus, too."""
    holder = QWidget()
    row = QHBoxLayout(holder)
    row.setContentsMargins(0, 0, 0, 0)
    row.setSpacing(STEP)
    for place, widget in enumerate(widgets):
        row.addWidget(widget, 0 if place else 1)
    holder.setFocusProxy(widgets[0])
    return holder


def plain_table(theme: Theme, name: str, widths: Mapping[str, int]) -> QTreeWidget:
    """Return an empty list; ``widths`` in pixels at texts of 100 %, 0 takes the rest."""
    table = QTreeWidget()
    table.setAccessibleName(name)
    table.setRootIsDecorated(False)
    table.setUniformRowHeights(True)
    table.setHeaderLabels(list(widths))
    header = table.header()
    header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
    for column, width in enumerate(widths.values()):
        if width:
            header.resizeSection(column, theme.fonts.scaled(width))
    table.currentItemChanged.connect(_select)
    return table


def with_buttons(table: QTreeWidget, *buttons: QWidget, last: QWidget | None = None) -> QHBoxLayout:
    """Return a list with what can be done with its rows beside it, ``last`` at the foot."""
    side = QVBoxLayout()
    side.setSpacing(STEP)
    for button in buttons:
        side.addWidget(button)
    side.addStretch()
    if last is not None:
        side.addWidget(last)
    row = QHBoxLayout()
    row.setSpacing(STEP)
    row.addWidget(table, 1)
    row.addLayout(side)
    return row


def _select(item: QTreeWidgetItem | None) -> None:
    """Show which row is current, however the keyboard came there."""
    if item is not None:
        item.setSelected(True)
