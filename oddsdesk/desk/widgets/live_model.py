"""The model behind a live table: cells as values, changes told together, 20 times a second."""

from abc import abstractmethod
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    QTimer,
)

from oddsdesk.desk.widgets.cells import Align, Cell, Column, Header

FLUSH_MS = 50
"""At least between two flushes: the step of a fading flash too, so that one repaint does."""
Index = QModelIndex | QPersistentModelIndex
_ALIGNMENTS = {
    Align.LEFT: Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter,
    Align.RIGHT: Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
}


class LiveModel(QAbstractTableModel):
    """Base of every model that a ``LiveTable`` shows.

    Subclasses give ``rowCount``, ``columnCount`` and the methods below; the table paints
    from ``cell`` alone and never calls ``data``. A change is noted with ``touch`` and told
    as one ``dataChanged`` of the touched span.
    """

    has_sections = False
    """Whether section rows are taller than the others; looks at every row when rows change."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._span: tuple[int, int, int, int] | None = None
        self._flush_timer = QTimer(self, singleShot=True, interval=FLUSH_MS)
        self._flush_timer.timeout.connect(self.flush)

    @abstractmethod
    def column(self, column: int) -> Column:
        """Return what never changes of a column."""

    @abstractmethod
    def header(self, column: int) -> Header:
        """Return what stands above a column now."""

    @abstractmethod
    def cell(self, row: int, column: int) -> Cell:
        """Return how a cell looks now; called for each visible cell of each repaint."""

    def tip(self, row: int, column: int) -> str:
        """Return the tooltip of a cell, empty for none."""
        return ""

    def is_hidden(self, column: int) -> bool:
        """Whether a column is not shown; ``LiveTable.show_columns`` asks anew."""
        return False

    def is_section(self, row: int) -> bool:
        """Whether a row is the title of the rows below it, and folds them."""
        return False

    def is_folded(self, row: int) -> bool:
        """Whether the rows below a section row are hidden."""
        return False

    def set_folded(self, row: int, folded: bool) -> None:
        """Hide or show the rows below a section row."""

    def look_again(self) -> None:
        """Have every cell and header made anew: figures are written differently now.

        Who keeps cells forgets them first.
        """
        last = self.columnCount() - 1
        if last >= 0:
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, last)
            self.touch(0, 0, self.rowCount() - 1, last)

    def touch(self, top: int, left: int, bottom: int, right: int) -> None:
        """Note that the cells of a span look different, all ends included."""
        span = self._span
        self._span = (
            (top, left, bottom, right)
            if span is None
            else (
                min(span[0], top),
                min(span[1], left),
                max(span[2], bottom),
                max(span[3], right),
            )
        )
        if not self._flush_timer.isActive():
            self._flush_timer.start()

    def flush(self) -> None:
        """Tell of what was touched, now."""
        span, self._span = self._span, None
        self._flush_timer.stop()
        if span is None:
            return
        bottom = min(span[2], self.rowCount() - 1)
        right = min(span[3], self.columnCount() - 1)
        if span[0] <= bottom and span[1] <= right:
            self.dataChanged.emit(self.index(span[0], span[1]), self.index(bottom, right))

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Answer what accessibility, tooltips and copying ask for."""
        if not self.checkIndex(index, QAbstractTableModel.CheckIndexOption.IndexIsValid):
            return None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return self.cell(index.row(), index.column()).text
        if role == Qt.ItemDataRole.ToolTipRole:
            return self.tip(index.row(), index.column()) or None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _ALIGNMENTS[self.column(index.column()).align]
        return None

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:
        """Answer what accessibility and tooltips ask for."""
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < self.columnCount():
            return None
        header = self.header(section)
        if role == Qt.ItemDataRole.DisplayRole:
            return header.title
        if role == Qt.ItemDataRole.ToolTipRole:
            return header.tip or header.title
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _ALIGNMENTS[self.column(section).align]
        return None
