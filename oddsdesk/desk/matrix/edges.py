"""Small labels above a live table: how many changes are out of sight beyond its edges."""

from collections.abc import Callable, Iterable
from enum import Enum
from functools import partial
from typing import Final, TypeVar

from PySide6.QtCore import QEvent, QObject, QRect, Qt, QTimer
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QWidget

from oddsdesk.desk.ui.controls.labels import SteadyButton
from oddsdesk.desk.ui.table.live_table import LiveTable

_SOON_MS, _AGE_MS = 500, 1_000
T = TypeVar("T")


class Edge(Enum):
    """A side of the table; the value is what its label says, and in how few signs."""

    ABOVE = "{count} above ▴", "{count} ▴"
    BELOW = "{count} {changes} below ▾", "{count} ▾"
    LEFT = "◂ {count} left", "◂ {count}"
    RIGHT = "{count} right ▸", "{count} ▸"


_NEAREST: Final = (Edge.BELOW, Edge.ABOVE, Edge.RIGHT, Edge.LEFT)
"""Where one is led first; labels of the last ones are left out first."""


class LiveEdges(QObject):
    """Counts changed cells out of sight; a click brings the nearest ones into it.

    ``changes`` gives row and column of each cell that changed a moment ago. The labels stand in
    ``room``, what ``holder`` has free: over the cells they would hide prices. Those that have no
    room are left out.
    """

    def __init__(
        self,
        table: LiveTable,
        changes: Callable[[], Iterable[tuple[int, int]]],
        holder: QWidget,
        room: Callable[[], QRect],
        font: QFont,
    ) -> None:
        super().__init__(table)
        self._holder, self._room = holder, room
        self._pane = table.scrolling
        self._frozen_count = table.frozen_count
        self._changes = changes
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self.count)
        self._counts = dict.fromkeys(Edge, 0)
        self.labels = {edge: self._label(edge, font) for edge in Edge}
        for bar in (self._pane.verticalScrollBar(), self._pane.horizontalScrollBar()):
            bar.valueChanged.connect(self._count_soon)
        for event in (table.model.dataChanged, table.model.modelReset, table.model.rowsInserted):
            event.connect(self._count_soon)
        for watched in (self._pane.viewport(), holder):
            watched.installEventFilter(self)

    def count(self) -> None:
        """Say how many changes are out of sight at each edge now."""
        places = list(self._changes())
        beyond = self._beyond(places)
        self._counts = {edge: len(found) for edge, found in beyond.items()}
        for edge, label in self.labels.items():
            named = _text(edge, self._counts[edge], False).strip("◂▸▴▾ ")
            label.setAccessibleName(f"{named}, out of sight")
        self._place()
        if places:
            self._timer.start(_AGE_MS)

    def show_nearest(self) -> None:
        """Bring a change into sight: below first, then above, right and left."""
        beyond = self._beyond(self._changes())
        for edge in _NEAREST:
            if beyond[edge]:
                self._show(edge)
                return

    def _label(self, edge: Edge, font: QFont) -> SteadyButton:
        label = SteadyButton()
        label.setParent(self._holder)
        label.setFont(font)
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
        """Show what there is room for: all in words, else in signs, else the first ones of them."""
        room = self._room()
        shown = [edge for edge in _NEAREST if self._counts[edge]]
        for is_short in (False, True):
            for edge in shown:
                self.labels[edge].show_text(_text(edge, self._counts[edge], is_short))
            if self._width(shown) <= room.width():
                break
        while shown and self._width(shown) > room.width():
            shown.pop()
        right = room.right() + 1
        for edge in reversed(Edge):
            label = self.labels[edge]
            label.setVisible(edge in shown)
            if edge in shown:
                right -= label.width()
                label.move(right, room.top() + (room.height() - label.height()) // 2)

    def _width(self, edges: Iterable[Edge]) -> int:
        return sum(self.labels[edge].width() for edge in edges)

    def _count_soon(self) -> None:
        if not self._timer.isActive() or self._timer.remainingTime() > _SOON_MS:
            self._timer.start(_SOON_MS)

    # Qt's virtuals

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._count_soon()
        return super().eventFilter(watched, event)


def _text(edge: Edge, count: int, is_short: bool) -> str:
    changes = "change" if count == 1 else "changes"
    return edge.value[is_short].format(count=count, changes=changes)


def _side(middle: int, room: int, before: T, behind: T) -> T | None:
    if middle < 0:
        return before
    return behind if middle >= room else None


def _step(start: int, size: int, room: int) -> int:
    """How far to scroll so that what begins at ``start`` is in sight with some room beside."""
    margin = min(2 * size, max(0, (room - size) // 2))
    return start - margin if start < 0 else start + size + margin - room
