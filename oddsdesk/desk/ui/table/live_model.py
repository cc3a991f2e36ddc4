"""The model behind a live table: cells as values, what changes is emitted together."""

import math
import time
from abc import abstractmethod
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Generic, NamedTuple, TypeVar

import msgspec
from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    QTimer,
    Signal,
)

from oddsdesk.base.texts import _
from oddsdesk.desk.ui.table.cells import (
    NEVER,
    SORT_MARKS,
    Align,
    Cell,
    Column,
    ColumnSpec,
    Header,
    Priority,
    ShrinkStep,
)
from oddsdesk.desk.ui.theme.tokens import SurfaceRole, TextRole

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
    together: one ``dataChanged`` for the block around them; ``dirty_spans`` has each span.
    """

    has_sections = False
    """Whether section rows are taller than the others; looks at every row when rows change."""

    headers_age = False
    """Whether headers show ages, which change by themselves."""

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

    def priority(self, column: int) -> Priority:
        """Return how long a column stays where the table is too narrow."""
        return Priority.ESSENTIAL

    def shrink_steps(self) -> Sequence[ShrinkStep]:
        """Return how columns give way where the frozen ones are too wide, the first one first."""
        return ()

    def leave_out(self, columns: frozenset[int]) -> None:
        """Set which columns have no room; cells that then show more are repainted."""
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
            self.flush_touched()

    def flush_touched(self) -> None:
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
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        """Answer what accessibility and tooltips ask for."""
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < self.columnCount():
            return None
        header = self.header(section)
        if role == Qt.ItemDataRole.DisplayRole:
            return header.title
        missing = self.names_without_room() if section == 0 else []
        said = (
            [_("No room for {names}: make the table wider").format(names=", ".join(missing))]
            if missing
            else []
        )
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


K = TypeVar("K", bound=tuple[object, ...])


class StableRowsModel(LiveModel, Generic[K, T]):
    """Rows by key; present ones move, and gone ones leave, only where rows may move."""

    order_changed = Signal()
    """The number of rows that would move, or are gone, has changed."""

    def __init__(
        self, columns: Sequence[ColumnSpec[T, int]], sorted_by: int, clock: Callable[[], int]
    ) -> None:
        super().__init__()
        self.columns = columns
        self._clock = clock
        self._sorted_by = sorted_by
        self._descending = columns[sorted_by].descending_first
        self._order: list[K] = []
        self._held: dict[K, T] = {}
        self._present: dict[K, T] = {}
        self._sorted_now: list[K] | None = None
        """The present rows in order; None until somebody asks."""
        self.chosen_row: Callable[[], int | None] = lambda: None
        """The row that the user chose; if it is gone, it stays until the rows are sorted."""
        self.keep_choice: Callable[[Container[K]], None] = lambda _: None
        """Called with the rows that are left, before the others go."""
        self.is_arranging = False
        """Whether rows are being moved: the current cell then changes without the user."""

    def show_rows(self, rows: Mapping[K, T], *, may_move: bool) -> None:
        """Take the present rows; where they may not move, new ones come last and gone ones stay.

        A row that is equal to the one before stays that one, and is not painted again for it.
        """
        before = self._present
        self._present = {
            key: known if (known := before.get(key)) == row else row for key, row in rows.items()
        }
        self._sorted_now = None
        if may_move:
            self.tidy_up()
        else:
            self._hold(before)
            self.order_changed.emit()

    def sort_by(self, column: int) -> None:
        """Sort by a column; a second time turns the order round."""
        if column == self._sorted_by:
            self._descending = not self._descending
        else:
            self._sorted_by = column
            self._descending = self.columns[column].descending_first
        self._sorted_now = None
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self.columns) - 1)
        self.sort_now()

    def sort_now(self) -> None:
        """Sort the rows and remove those that are gone."""
        self._arrange(list(self._in_order()))

    def tidy_up(self) -> None:
        """Sort the rows and drop those that are gone, except the one that the user chose.

        The group of that row stays, too.
        """
        wanted = list(self._in_order())
        if kept := self._chosen_gone():
            place = min(self._order.index(kept[0]), len(wanted))
            while 0 < place < len(wanted) and self.are_together(*wanted[place - 1 : place + 1]):
                place -= 1
            wanted[place:place] = kept
        self._arrange(wanted)

    def are_together(self, one: K, other: K) -> bool:
        """Whether two rows belong to one thing, and nothing comes between them."""
        return one == other

    def _chosen_gone(self) -> list[K]:
        """Return the row that the user chose, with its group, if it is gone and others are left."""
        row = self.chosen_row() if self._present else None
        if row is None or row >= len(self._order) or not self.is_gone(row):
            return []
        chosen = self._order[row]
        return [
            key
            for key in self._order
            if key not in self._present and self.are_together(chosen, key)
        ]

    def _arrange(self, wanted: list[K]) -> None:
        self._held.update(self._present)
        if wanted != self._order:
            self.is_arranging = True
            self.keep_choice(set(wanted))
            self._reorder(wanted)
            self.is_arranging = False
        self._held = {key: self._held[key] for key in wanted}
        self._touch_all()
        self.order_changed.emit()

    @property
    def rows_that_would_move(self) -> int:
        """How many rows stand elsewhere than they would after sorting, gone ones included."""
        kept = [key for key in self._order if key in self._present]
        held = set(kept)
        wanted = [key for key in self._in_order() if key in held]
        moved = sum([one != other for one, other in zip(kept, wanted, strict=True)])
        return moved + len(self._order) - len(kept)

    @property
    def is_untidy(self) -> bool:
        """Whether ``tidy_up`` would move or remove a row."""
        return self.rows_that_would_move > len(self._chosen_gone())

    @property
    def row_total(self) -> int:
        """How many rows there are now, gone ones left out."""
        return len(self._present)

    def shown_rows(self) -> Iterable[T]:
        """Return what there is now, in no order; gone ones left out."""
        return self._present.values()

    def entry(self, row: int) -> T:
        return self._held[self._order[row]]

    def standing(self) -> list[T]:
        """Return what rows show from top to bottom; gone ones left out."""
        return [self._held[key] for key in self._order if key in self._present]

    def key_of_row(self, row: int) -> K:
        return self._order[row]

    def is_gone(self, row: int) -> bool:
        """Whether a row is gone and only shown until rows may move."""
        return self._order[row] not in self._present

    def row_of_key(self, key: K) -> int | None:
        return self._order.index(key) if key in self._held else None

    def _in_order(self) -> list[K]:
        """Return the present rows in order; not to be changed."""
        if self._sorted_now is None:
            self._sorted_now = self._sorted(self._present)
        return self._sorted_now

    def _sorted(self, keys: Iterable[K]) -> list[K]:
        order = self.columns[self._sorted_by].sort_key(descending=self._descending)
        return in_order(
            sorted(keys), lambda key: order(self._present[key]), descending=self._descending
        )

    def _hold(self, before: Mapping[K, T]) -> None:
        """Show present rows; touch those that are other ones than ``before``, came or went."""
        new = self._sorted(key for key in self._present if key not in self._held)
        self._held.update(self._present)
        self._append(new)
        now, last = self._present.get, len(self.columns) - 1
        for place, key in enumerate(self._order):
            if now(key) is not before.get(key):
                self.touch(place, 0, place, last)

    def _append(self, new: list[K]) -> None:
        if new:
            first = len(self._order)
            self.beginInsertRows(QModelIndex(), first, first + len(new) - 1)
            self._order += new
            self.endInsertRows()

    def _reorder(self, wanted: list[K]) -> None:
        rows = set(wanted)
        for row in reversed(range(len(self._order))):
            if self._order[row] not in rows:
                self.beginRemoveRows(QModelIndex(), row, row)
                del self._order[row]
                self.endRemoveRows()
        known = set(self._order)
        self._append([key for key in wanted if key not in known])
        if self._order != wanted:
            places = {key: row for row, key in enumerate(wanted)}
            with self.relayout(
                lambda index: self._order[index.row()],
                lambda key, index: self.index(places[key], index.column()),
            ):
                self._order = wanted

    def _touch_all(self) -> None:
        if self._order:
            self.touch(0, 0, len(self._order) - 1, len(self.columns) - 1)

    def column(self, column: int) -> Column:
        return self.columns[column].sized

    def priority(self, column: int) -> Priority:
        return self.columns[column].priority

    def header(self, column: int) -> Header:
        shown = self.columns[column]
        return shown.header(shown.title, self._descending if column == self._sorted_by else None)

    def cell(self, row: int, column: int) -> Cell:
        key = self._order[row]
        entry = self._held[key]
        cell = self.columns[column].cell(entry, self._clock())
        if column + 1 in self.without_room:
            short = self.columns[column + 1].in_short
            if short is not None and (told := short(entry)):
                cell = cell._replace(text=f"{cell.text} · {told}")
        return cell if key in self._present else struck(cell)

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self.columns)


def struck(cell: Cell) -> Cell:
    """Return a cell as it looks in a row that is gone."""
    return Cell(
        cell.text,
        TextRole.NOTE,
        SurfaceRole.PANEL,
        cell.note,
        is_struck=True,
        repaint_at_ms=cell.repaint_at_ms,
    )


def in_order(items: Sequence[T], key: Callable[[T], Any], *, descending: bool) -> list[T]:
    """Return items sorted by a key, those of key None last either way; equal ones keep order.

    What is no number is compared once each: ranks are sorted, since many rows share one.
    """
    keys: list[Any] = list(map(key, items))
    if isinstance(next((found for found in keys if found is not None), 0), int | float):
        last = -math.inf if descending else math.inf
        if None in keys:
            keys = [last if found is None else found for found in keys]
    else:
        distinct = sorted(set(keys) - {None})
        ranks: dict[Any, int] = {found: rank for rank, found in enumerate(distinct)}
        ranks[None] = -1 if descending else len(distinct)
        keys = [ranks[found] for found in keys]
    order = sorted(range(len(items)), key=keys.__getitem__, reverse=descending)
    return list(map(items.__getitem__, order))
