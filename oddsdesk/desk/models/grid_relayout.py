"""Rows of the odds grid change their places, and what is selected goes with them."""

from PySide6.QtCore import QAbstractTableModel, QModelIndex

from oddsdesk.desk.models.grid_arrangement import Arrangement


class Relayout:
    """Has a block change the places of an arrangement's rows; indexes held follow their rows."""

    def __init__(self, model: QAbstractTableModel, arrangement: Arrangement) -> None:
        self._model = model
        self._arrangement = arrangement

    def __enter__(self) -> None:
        self._model.layoutAboutToBeChanged.emit()
        self._held = self._model.persistentIndexList()
        rows = self._arrangement.rows
        self._shown = [rows[index.row()] for index in self._held]

    def __exit__(self, *_error: object) -> None:
        model = self._model
        moved = [
            model.index(row.place, index.column()) if row.place >= 0 else QModelIndex()
            for row, index in zip(self._shown, self._held, strict=True)
        ]
        model.changePersistentIndexList(self._held, moved)
        model.layoutChanged.emit()
