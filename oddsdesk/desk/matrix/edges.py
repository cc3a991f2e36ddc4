"""Small labels at a live table's edges: how many changes are out of sight there."""

from collections.abc import Callable, Iterable
from enum import Enum
from functools import partial
from typing import TypeVar

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, QTimer
from PySide6.QtWidgets import QToolButton, QWidget

from oddsdesk.desk.ui.table.live_table import LiveTable
from oddsdesk.desk.ui.theme import tokens as spacing

_SOON_MS, _AGE_MS = 250, 1_000
T = TypeVar("T")


class Edge(Enum):
    """A side of the table; the value is what its label says."""

    ABOVE = "{count} above ▴"
    BELOW = "{count} {changes} below ▾"
    LEFT = "◂ {count} left"
    RIGHT = "{count} right ▸"


class LiveEdges(QObject):
    """Counts changed cells out of sight; a click brings the nearest ones into it.

    ``changes`` gives row and column of each cell that changed a moment ago. The labels float
    over the cells, take no room and never scroll by themselves.
    """

    def __init__(self, table: LiveTable, changes: Callable[[], Iterable[tuple[int, int]]]) -> None:
        super().__init__(table)
        self._pane = table.scrolling
        self._frozen_count = table.frozen_count
        self._changes = changes
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.count)
        self.labels = {edge: self._label(edge) for edge in Edge}
        for bar in (self._pane.verticalScrollBar(), self._pane.horizontalScrollBar()):
            bar.valueChanged.connect(self._count_soon)
        for event in (table.model.dataChanged, table.model.modelReset, table.model.rowsInserted):
            event.connect(self._count_soon)
        self._pane.viewport().installEventFilter(self)

    def count(self) -> None:
        """Say how many changes are out of sight at each edge now."""
        places = list(self._changes())
        beyond = self._beyond(places)
        for edge, label in self.labels.items():
            found = len(beyond[edge])
            if found:
                changes = "change" if found == 1 else "changes"
                label.setText(edge.value.format(count=found, changes=changes))
                label.setAccessibleName(f"{found} {changes} {edge.name.lower()}, out of sight")
            label.setVisible(bool(found))
            label.adjustSize()
        self._place()
        if places:
            self._timer.start(_AGE_MS)

    def show_nearest(self) -> None:
        """Bring a change into sight: below first, then above, right and left."""
        beyond = self._beyond(self._changes())
        for edge in (Edge.BELOW, Edge.ABOVE, Edge.RIGHT, Edge.LEFT):
            if beyond[edge]:
                self._show(edge)
                return

    def _label(self, edge: Edge) -> QToolButton:
        label = QToolButton(self._pane.viewport())
        label.setProperty("variant", "floating")
        label.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        label.setCursor(Qt.CursorShape.PointingHandCursor)
        label.setToolTip("Prices that moved out of sight within 10 s; click to go there (J)")
        label.clicked.connect(partial(self._show, edge))
        label.hide()
        return label

    def _beyond(self, places: Iterable[tuple[int, int]]) -> dict[Edge, list[tuple[int, int]]]:
        """The places beyond each edge, by their cells' middles; rows count before columns."""
        pane, port, frozen = self._pane, self._pane.viewport(), self._frozen_count
        beyond: dict[Edge, list[tuple[int, int]]] = {edge: [] for edge in Edge}
        where_row: dict[int, list[tuple[int, int]] | None] = {}
        where_column: dict[int, list[tuple[int, int]] | None] = {}
        above, below, left, right = (beyond[edge] for edge in Edge)
        for place in places:
            row, column = place
            if row not in where_row:
                middle = pane.rowViewportPosition(row) + pane.rowHeight(row) // 2
                where_row[row] = _side(middle, port.height(), above, below)
            if column not in where_column:
                middle = pane.columnViewportPosition(column) + pane.columnWidth(column) // 2
                side = _side(middle, port.width(), left, right)
                where_column[column] = None if column < frozen else side
            found = where_row[row]
            if found is None:
                found = where_column[column]
            if found is not None:
                found.append(place)
        return beyond

    def _show(self, edge: Edge) -> None:
        """Scroll along one direction only, to the change that is nearest beyond an edge."""
        places = self._beyond(self._changes())[edge]
        if not places:
            return
        if edge in (Edge.ABOVE, Edge.BELOW):
            rows = [row for row, _ in places]
            self._show_row(max(rows) if edge is Edge.ABOVE else min(rows))
        else:
            columns = [column for _, column in places]
            self._show_column(max(columns) if edge is Edge.LEFT else min(columns))
        self.count()

    def _show_row(self, row: int) -> None:
        pane, bar = self._pane, self._pane.verticalScrollBar()
        top, height = pane.rowViewportPosition(row), pane.rowHeight(row)
        bar.setValue(bar.value() + _step(top, height, pane.viewport().height()))

    def _show_column(self, column: int) -> None:
        pane, bar = self._pane, self._pane.horizontalScrollBar()
        left, width = pane.columnViewportPosition(column), pane.columnWidth(column)
        bar.setValue(bar.value() + _step(left, width, pane.viewport().width()))

    def _place(self) -> None:
        port, gap = self._pane.viewport(), spacing.HALF
        for edge, label in self.labels.items():
            middle = QPoint(
                (port.width() - label.width()) // 2, (port.height() - label.height()) // 2
            )
            if edge is Edge.ABOVE:
                middle.setY(gap)
            elif edge is Edge.BELOW:
                middle.setY(port.height() - label.height() - gap)
            elif edge is Edge.LEFT:
                middle.setX(gap)
            else:
                middle.setX(port.width() - label.width() - gap)
            label.move(middle)

    def _count_soon(self) -> None:
        if not self._timer.isActive() or self._timer.remainingTime() > _SOON_MS:
            self._timer.start(_SOON_MS)

    # Qt's virtuals

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and isinstance(watched, QWidget):
            self._place()
            self._count_soon()
        return super().eventFilter(watched, event)


def _side(middle: int, room: int, before: T, behind: T) -> T | None:
    if middle < 0:
        return before
    return behind if middle >= room else None


def _step(start: int, size: int, room: int) -> int:
    """How far to scroll so that what begins at ``start`` is in sight with some room beside."""
    margin = min(2 * size, max(0, (room - size) // 2))
    return start - margin if start < 0 else start + size + margin - room
