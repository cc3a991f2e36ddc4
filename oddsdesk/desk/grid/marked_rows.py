"""The rows that the user marked in the odds grid, marked again once the same prices are back."""

from PySide6.QtCore import QItemSelection, QItemSelectionModel, QModelIndex, QObject

from oddsdesk.board.matrix import RowKey
from oddsdesk.desk.grid.model import GridModel
from oddsdesk.desk.ui.table.live_table import LiveTable

_Flag = QItemSelectionModel.SelectionFlag


class MarkedRows(QObject):
    """Keeps what was marked while the model shows another moment, until the user marks others."""

    def __init__(self, model: GridModel, table: LiveTable) -> None:
        super().__init__(table)
        self._model = model
        self._table = table
        self._selection = table.scrolling.selectionModel()
        self._away: dict[RowKey, None] = {}
        """The prices that were marked and are not back."""
        self._current: RowKey | None = None
        self._column = 0
        self._is_marking = False
        model.let_go_begun.connect(self._on_model_let_go_begun)
        self._selection.selectionChanged.connect(self._on_selection_changed)

    def mark_again(self) -> None:
        """Mark those that are back, beside what is marked; the current one is current again."""
        rows = {key: row for key in self._away if (row := self._model.row_of(key)) >= 0}
        self._is_marking = True
        for key, row in rows.items():
            del self._away[key]
            index = self._model.index(row, self._column)
            self._selection.select(index, _Flag.Select | _Flag.Rows)
            if key == self._current:
                self._selection.setCurrentIndex(index, _Flag.NoUpdate)
        self._is_marking = False

    def _on_model_let_go_begun(self) -> None:
        marked = map(self._model.key_at, self._table.selected_rows())
        self._away |= dict.fromkeys(key for key in marked if key is not None)
        current: QModelIndex = self._table.current()
        if current.isValid():
            self._current, self._column = self._model.key_at(current.row()), current.column()

    def _on_selection_changed(self, selected: QItemSelection) -> None:
        if not selected.isEmpty() and not self._is_marking:
            self._away = {}
