"""The dialog of bookmakers: which are the user's, what they keep of a win, what they take."""

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QDialogButtonBox,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from oddsdesk.desk.bookmakers.model import COLUMNS, KINDS, MINE, BookmakersModel
from oddsdesk.desk.ui.controls.choice_box import ChoiceBox
from oddsdesk.desk.ui.controls.filter_edit import FilterEdit
from oddsdesk.desk.ui.controls.form_dialog import FormDialog
from oddsdesk.desk.ui.controls.plain import Label
from oddsdesk.desk.ui.controls.scaling import resize_scaled
from oddsdesk.desk.ui.theme import tokens as spacing
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.pricing.profiles import Kind, Profile

_SIZE: Final = (1_230, 640)
_MOST_PROBLEMS: Final = 4
_Index = QModelIndex | QPersistentModelIndex


class BookmakersDialog(FormDialog):
    """A table to be edited and saved; invalid cells are named, and keep it from being saved."""

    save_requested = Signal()

    def __init__(
        self, theme: Theme, model: BookmakersModel, problems: Sequence[str], parent: QWidget
    ) -> None:
        super().__init__(theme, "Bookmakers", parent)
        resize_scaled(self, theme, *_SIZE)
        self.model = model
        model.setParent(self)
        self.problems = Label(_problems_text(problems), wordWrap=True, visible=bool(problems))
        self.problems.setProperty("variant", "down")
        self.filter = FilterEdit(theme, "Find a bookmaker")
        self.all = QPushButton("&All mine", autoDefault=False)
        self.none = QPushButton("&None mine", autoDefault=False)
        self.restore = QPushButton("&Reset to default", autoDefault=False)
        self.table = _Table(theme, model)
        self.count = Label()
        self.count.setProperty("variant", "note")
        self.fault = Label(wordWrap=True, visible=False)
        self.fault.setProperty("variant", "down")
        self._lay_out()
        self._connect()
        self._show_state()

    def profiles(self) -> list[Profile]:
        """Return every bookmaker as it is given now."""
        return [row.profile for row in self.model.rows]

    def mine(self) -> tuple[str, ...]:
        """Return the names of the user's bookmakers; none where all are, or none is ticked."""
        names = tuple(row.profile.name for row in self.model.rows if row.is_mine)
        return () if len(names) == len(self.model.rows) else names

    def values(self) -> object:
        """Return what the table says, to be compared."""
        return [(row.profile, row.is_mine, dict(row.wrong)) for row in self.model.rows]

    def go_to_fault(self) -> bool:
        """Go to the first cell that makes no sense; False where there is none."""
        index = self.model.first_wrong()
        if index.isValid():
            self.filter.clear()
            self.table.setCurrentIndex(index)
            self.table.setFocus(Qt.FocusReason.OtherFocusReason)
        return index.isValid()

    def _lay_out(self) -> None:
        line = QHBoxLayout()
        line.setSpacing(spacing.STEP)
        line.addWidget(self.filter, 1)
        for button in (self.all, self.none, self.restore):
            line.addWidget(button)
        self.below.addWidget(self.problems)
        self.below.addLayout(line)
        self.below.addWidget(self.table, 1)
        self.below.addWidget(self.fault)
        self.below.addWidget(self.count)
        self.buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        save = self.buttons.addButton("Save", QDialogButtonBox.ButtonRole.AcceptRole)
        save.setProperty("variant", "primary")
        self._column.setStretchFactor(self.below, 1)
        self.close_form()
        self.filter.setFocus()

    def _connect(self) -> None:
        self.buttons.accepted.connect(self.save_requested)
        self.buttons.rejected.connect(self.reject)
        self.filter.textChanged.connect(self._on_filter_text_changed)
        self.all.clicked.connect(lambda: self.model.tick(self._shown(), is_mine=True))
        self.none.clicked.connect(lambda: self.model.tick(self._shown(), is_mine=False))
        self.restore.clicked.connect(self._on_restore_clicked)
        self.model.dataChanged.connect(self._show_state)
        self.table.selectionModel().currentChanged.connect(self._show_state)

    def _shown(self) -> list[int]:
        rows = range(len(self.model.rows))
        return [row for row in rows if not self.table.isRowHidden(row)]

    def _show_state(self) -> None:
        index = self.table.currentIndex()
        fault = self.model.fault(index) or self.model.fault(self.model.first_wrong())
        self.fault.setText(fault)
        self.fault.setVisible(bool(fault))
        rows = self.model.rows
        self.restore.setEnabled(index.isValid() and not rows[index.row()].is_as_shipped)
        chosen = len(self.mine())
        self.count.setText(
            f"{chosen} of {len(rows)} are yours: only they are value or staked, and Best of mine."
            if chosen
            else f"All {len(rows)} bookmakers count; tick those where you bet to see only theirs. "
            "An emptied field is the default again."
        )

    def _on_filter_text_changed(self, text: str) -> None:
        words = text.casefold().split()
        for place, row in enumerate(self.model.rows):
            profile = row.profile
            said = " ".join((profile.name, profile.group, profile.short, *profile.aliases))
            is_found = all(word in said.casefold() for word in words)
            self.table.setRowHidden(place, not is_found)

    def _on_restore_clicked(self) -> None:
        self.model.reset_row(self.table.currentIndex().row())
        self.table.setFocus(Qt.FocusReason.OtherFocusReason)


def _problems_text(problems: Sequence[str]) -> str:
    if not problems:
        return ""
    more = len(problems) - _MOST_PROBLEMS
    lines = [*problems[:_MOST_PROBLEMS], *([f"… and {more} more"] if more > 0 else [])]
    return "\n".join([*lines, "The defaults hold there. Saving keeps such lines as comments."])


class _Table(QTableView):
    """Enter and typing edit; Tab leaves."""

    def __init__(self, theme: Theme, model: BookmakersModel) -> None:
        super().__init__()
        self.setAccessibleName("Bookmakers")
        self.setModel(model)
        self._fields = _Fields(self)
        self.setItemDelegate(self._fields)
        self.setTabKeyNavigation(False)
        self.setShowGrid(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        triggers = QAbstractItemView.EditTrigger
        self.setEditTriggers(
            triggers.DoubleClicked
            | triggers.SelectedClicked
            | triggers.EditKeyPressed
            | triggers.AnyKeyPressed
        )
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(theme.fonts.row_height(spacing.ROW))
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        for place, column in enumerate(COLUMNS):
            header.resizeSection(place, theme.fonts.scaled(column.width))
        self._fit_name()
        self.setCurrentIndex(model.index(0, MINE))

    def _fit_name(self) -> None:
        """Give the names what the other columns leave, and all they need where that is more."""
        header, name = self.horizontalHeader(), MINE + 1
        others = header.length() - header.sectionSize(name)
        left = self.viewport().width() - others
        header.resizeSection(name, max(self.sizeHintForColumn(name), left))

    # Qt's virtuals

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_name()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if is_enter and self.model().flags(self.currentIndex()) & Qt.ItemFlag.ItemIsEditable:
            self.edit(self.currentIndex())
        else:
            super().keyPressEvent(event)


class _Fields(QStyledItemDelegate):
    """Edits a cell: a kind is chosen, everything else typed."""

    # Qt's virtuals

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: _Index) -> QWidget:
        column = COLUMNS[index.column()]
        if column.field == "kind":
            combo = ChoiceBox(parent)
            for kind, text in KINDS.items():
                combo.addItem(text, kind.value)
            combo.activated.connect(lambda: self._commit(combo))
            return combo
        edit = QLineEdit(parent)
        edit.setMaxLength(column.longest)
        edit.setAccessibleName(column.title)
        return edit

    def setEditorData(self, editor: QWidget, index: _Index) -> None:
        if isinstance(editor, QComboBox):
            editor.setCurrentText(str(index.data()))
        elif isinstance(editor, QLineEdit):
            editor.setText(str(index.data()))

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: _Index) -> None:
        if isinstance(editor, QComboBox):
            model.setData(index, Kind(editor.currentData()).value)
        elif isinstance(editor, QLineEdit):
            model.setData(index, editor.text())

    def _commit(self, editor: QWidget) -> None:
        self.commitData.emit(editor)
        self.closeEditor.emit(editor)
