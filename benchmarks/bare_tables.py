"""The baseline of the desk under load: two stock table views whose cells change as often.

A matrix of 25 x 20 prices and a grid of 50,000 rows, in windows side by side; nothing is read,
kept or judged, and cells are texts alone. ``desk_load.py`` prints its share of a core next to its
own, measured a moment before on the same screen.
"""

import time
from random import Random
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, QTimer
from PySide6.QtWidgets import QApplication, QTableView

BATCHES_A_SECOND = 20
MATRIX, GRID = (25, 20), (50_000, 12)
MATRIX_SHARE = 0.2
_WARM_UP_MS = 2_000


class Prices(QAbstractTableModel):
    """Odds as text, as the simplest model has them."""

    def __init__(self, rows: int, columns: int) -> None:
        super().__init__()
        self._odds = [[1.5] * columns for _ in range(rows)]
        self._random = Random(7)

    def move(self, changes: int) -> None:
        """Change so many prices at random places, and tell of each."""
        for _ in range(changes):
            row, column = (self._random.randrange(n) for n in (len(self._odds), len(self._odds[0])))
            self._odds[row][column] = self._random.uniform(1.5, 3.5)
            place = self.index(row, column)
            self.dataChanged.emit(place, place)

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: N802
        return len(self._odds)

    def columnCount(self, parent: QModelIndex | QPersistentModelIndex = QModelIndex()) -> int:  # noqa: N802
        return len(self._odds[0])

    def data(
        self,
        index: QModelIndex | QPersistentModelIndex,
        role: int = int(Qt.ItemDataRole.DisplayRole),
    ) -> Any:
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{self._odds[index.row()][index.column()]:.3f}"
        return None


def shown(model: Prices, left: int, width: int) -> QTableView:
    view = QTableView()
    view.setModel(model)
    view.setGeometry(left, 0, width, 1_000)
    view.show()
    return view


def share_of_core(changes: int, seconds: float) -> float:
    """Return what the window's thread takes for so many changes a second."""
    app = QApplication([])
    matrix, grid = Prices(*MATRIX), Prices(*GRID)
    views = [shown(matrix, 1_400, 1_300), shown(grid, 0, 1_300)]
    of_matrix = round(changes / BATCHES_A_SECOND * MATRIX_SHARE)

    def move() -> None:
        matrix.move(of_matrix)
        grid.move(changes // BATCHES_A_SECOND - of_matrix)

    beat = QTimer(interval=1_000 // BATCHES_A_SECOND, timerType=Qt.TimerType.PreciseTimer)
    beat.timeout.connect(move)
    beat.start()
    QTimer.singleShot(_WARM_UP_MS, app.quit)
    app.exec()
    began, cpu = time.perf_counter(), time.thread_time()
    QTimer.singleShot(round(seconds * 1_000), app.quit)
    app.exec()
    share = (time.thread_time() - cpu) / (time.perf_counter() - began)
    for view in views:
        view.close()
    return share
