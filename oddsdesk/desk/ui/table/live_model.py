"""The model behind a live table: cells as values, what changes is emitted together."""

import math
import time
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

import msgspec
from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    QTimer,
)

from oddsdesk.desk.ui.table.cells import (
    NEVER,
    SORT_MARKS,
    Align,
    Cell,
    Column,
    Header,
    ShrinkStep,
)
from oddsdesk.desk.ui.theme.tokens import SurfaceRole

FLUSH_MS = 30
"""Milliseconds between two flushes, at least."""
GATHER_MS = 5
"""How long changes come in before the first are shown: others are mostly on their way."""
_LATEST_S = 0.05
"""So long after it, the first change is shown, whatever is under way."""
Index = QModelIndex | QPersistentModelIndex
T = TypeVar("T")
_ALIGNMENTS = {
    Align.LEFT: Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter,
    Align.RIGHT: Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
}


class Span(NamedTuple):
    """A block of cells, all ends included."""

    top: int
    left: int
    bottom: int
    right: int


class LiveModel(QAbstractTableModel):
    """Base of every model that a ``LiveTable`` shows.

    Subclasses give ``rowCount``, ``columnCount`` and the methods below; the table paints
    from ``cell`` alone and never calls ``data``. Changes are noted with ``touch`` and emitted
    together: ``dataChanged`` of the block around them, while ``dirty_spans`` has each of its own.
    """

    has_sections = False
    """Whether section rows are taller than the others; looks at every row when rows change."""

    headers_age = False
    """Whether headers tell of ages, which change by themselves."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.dirty_spans: Sequence[Span] = ()
        """The spans of the last ``dataChanged``; they may reach beyond the last row."""
        self.without_room: frozenset[int] = frozenset()
        """Columns that a table too narrow for them leaves out."""
        self._touched: set[Span] = set()
        self._flushed_at = -math.inf
        self._flush_timer = QTimer(self, singleShot=True)
        self._flush_timer.timeout.connect(self._on_flush_timer_timeout)
        self._flush_by = 0.0

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
        """Whether a column is not shown; read again by ``LiveTable.show_columns``."""
        return False

    def shrink_steps(self) -> Sequence[ShrinkStep]:
        """Return how columns give way where the frozen ones are too wide, the first one first."""
        return ()

    def leave_out(self, columns: frozenset[int]) -> None:
        """Take which columns have no room; cells that then tell more are painted anew."""
        self.without_room = columns
        self.touch(0, 0, self.rowCount() - 1, self.columnCount() - 1)

    def names_without_room(self) -> list[str]:
        """Return the titles of the columns that are wanted and have no room, as they stand."""
        headers = map(self.header, sorted(self.without_room))
        return [header.name or header.title.rstrip(SORT_MARKS) for header in headers]

    def is_section(self, row: int) -> bool:
        """Whether a row is the title of the rows below it, and folds them."""
        return False

    def is_folded(self, row: int) -> bool:
        """Whether the rows below a section row are hidden."""
        return False

    def set_folded(self, row: int, folded: bool) -> None:
        """Hide or show the rows below a section row."""

    def refresh_all(self) -> None:
        """Repaint every cell and header, since figures are formatted differently now.

        Subclasses that cache cells drop them first.
        """
        last = self.columnCount() - 1
        if last >= 0:
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, last)
            self.touch(0, 0, self.rowCount() - 1, last)

    def touch(self, top: int, left: int, bottom: int, right: int) -> None:
        """Note that the cells of a span changed, all ends included."""
        self._touched.add(Span(top, left, bottom, right))
        self._flush_soon()

    def _flush_soon(self) -> None:
        if not self._flush_timer.isActive():
            now = time.monotonic()
            since_ms = (now - self._flushed_at) * 1_000
            self._flush_by = now + _LATEST_S
            self._flush_timer.start(math.ceil(max(GATHER_MS, FLUSH_MS - since_ms)))

    def _is_changing(self) -> bool:
        """Whether more is about to change: what has changed is then shown together with it."""
        return False

    def _on_flush_timer_timeout(self) -> None:
        if self._is_changing() and time.monotonic() < self._flush_by:
            self._flush_timer.start(GATHER_MS)
        else:
            self.flush()

    def flush(self) -> None:
        """Emit what was touched, now."""
        touched, self._touched = self._touched, set()
        self._flush_timer.stop()
        self._flushed_at = time.monotonic()
        last_row, last_column = self.rowCount() - 1, self.columnCount() - 1
        self.dirty_spans = [
            span for span in touched if span.top <= last_row and span.left <= last_column
        ]
        if self.dirty_spans:
            first = self.index(
                min(span.top for span in self.dirty_spans),
                min(span.left for span in self.dirty_spans),
            )
            last = self.index(
                min(last_row, max(span.bottom for span in self.dirty_spans)),
                min(last_column, max(span.right for span in self.dirty_spans)),
            )
            self.dataChanged.emit(first, last)

    @contextmanager
    def relayout(
        self,
        shown_at: Callable[[QModelIndex], T],
        index_of: Callable[[T, QModelIndex], QModelIndex],
    ) -> Iterator[None]:
        """Wrap a block that moves rows or columns; persistent indexes follow what they showed.

        ``shown_at`` gives what an index shows before the block, ``index_of`` the index of that
        after it, an invalid one where it is gone.
        """
        self.layoutAboutToBeChanged.emit()
        held = self.persistentIndexList()
        shown = [shown_at(index) for index in held]
        try:
            yield
        finally:
            moved = [index_of(one, index) for one, index in zip(shown, held, strict=True)]
            self.changePersistentIndexList(held, moved)
            self.layoutChanged.emit()

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
        missing = self.names_without_room() if section == 0 else []
        said = [f"No room for {', '.join(missing)}: they stand in a wider table"] if missing else []
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ". ".join([header.name or header.title, *said])
        if role == Qt.ItemDataRole.ToolTipRole:
            return "\n".join([header.tip or header.title, *said])
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _ALIGNMENTS[self.column(section).align]
        return None


class Lane(NamedTuple):
    """A visible column: its position, width and alignment."""

    column: int
    left: int
    width: int
    is_left: bool
    note_width: int
    """What the column keeps for notes right of its texts."""


class Band(NamedTuple):
    """A visible row: where it is and in what state."""

    row: int
    top: int
    height: int
    ground: SurfaceRole
    is_section: bool = False
    is_folded: bool = False
    is_hovered: bool = False


class Tile(NamedTuple):
    """Cells side by side in a row."""

    band: Band
    lanes: Sequence[Lane]


class Painted(msgspec.Struct):
    """The outcome of a repaint: cells that still flash, and when age alone changes a cell."""

    flashing: dict[tuple[int, int], int] = msgspec.field(default_factory=dict)
    """By row and column when cells that flash look otherwise, 0 of those that fade."""
    repaint_at_ms: int = NEVER
    cells: dict[tuple[int, int], Cell] = msgspec.field(default_factory=dict)
    """What was painted, by row and column."""
