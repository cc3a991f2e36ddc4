"""The column chooser of the odds grid: tick what is shown, drag it where it shall stand."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QAbstractItemView, QListWidget, QListWidgetItem, QPushButton, QWidget

from oddsdesk.desk.models.grid_columns import COLUMNS
from oddsdesk.desk.panels.grid_popups import Popup
from oddsdesk.desk.theme import spacing

_PLACE = Qt.ItemDataRole.UserRole
_WIDTH, _MOST_HEIGHT = 260, 560


class ColumnsPopup(Popup):
    """Lists all columns but the first, which never leaves, in their present order."""

    columns_changed = Signal(list, object)
    """All columns listed in the order wished for, and those that are shown."""
    reset_requested = Signal()

    def __init__(self, parent: QWidget, order: Sequence[int], shown: frozenset[int]) -> None:
        super().__init__(parent, "Columns: tick to show, drag to move")
        self.list = QListWidget()
        self.list.setAccessibleName("Columns")
        self.list.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        for place in order:
            item = QListWidgetItem(COLUMNS[place].title, self.list)
            item.setData(_PLACE, place)
            item.setSizeHint(QSize(0, spacing.SECTION_ROW))
            item.setToolTip(COLUMNS[place].tip)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setFlags(item.flags() & ~Qt.ItemFlag.ItemIsDropEnabled)
            is_shown = place in shown
            item.setCheckState(Qt.CheckState.Checked if is_shown else Qt.CheckState.Unchecked)
        reset = QPushButton("The usual columns")
        self.column.addWidget(self.list)
        self.column.addWidget(reset)
        self.setFixedWidth(_WIDTH)
        height = self.list.count() * spacing.SECTION_ROW + spacing.STEP
        self.list.setFixedHeight(min(_MOST_HEIGHT, height))
        self.list.itemChanged.connect(self._tell)
        self.list.model().rowsMoved.connect(self._tell)
        reset.clicked.connect(self._on_reset_clicked)
        self.list.setFocus()

    def _tell(self) -> None:
        items = [self.list.item(row) for row in range(self.list.count())]
        shown = {i.data(_PLACE) for i in items if i.checkState() is Qt.CheckState.Checked}
        self.columns_changed.emit([item.data(_PLACE) for item in items], frozenset(shown))

    def _on_reset_clicked(self) -> None:
        self.reset_requested.emit()
        self.close()
