"""Keyed rows that stay where they are until they are asked to move."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Generic, TypeVar

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt, Signal

from oddsdesk.desk.ui.table.cells import Cell, Column, Header
from oddsdesk.desk.ui.table.column_spec import ColumnSpec
from oddsdesk.desk.ui.table.live_model import LiveModel
from oddsdesk.desk.ui.table.row_order import in_order
from oddsdesk.desk.ui.theme.tokens import SurfaceRole, TextRole

Index = QModelIndex | QPersistentModelIndex
K = TypeVar("K", bound=tuple[object, ...])
T = TypeVar("T")


class StableRowsModel(LiveModel, Generic[K, T]):
    """Rows by key; present ones move, and gone ones leave, only where rows may move."""

    order_changed = Signal()
    """The number of rows that would move, or are gone, has changed."""

    def __init__(
        self, columns: Sequence[ColumnSpec[T, int]], sorted_by: int, clock: Callable[[], int]
    ) -> None:
        super().__init__()
        self._columns = columns
        self._clock = clock
        self._sorted_by = sorted_by
        self._descending = columns[sorted_by].descending_first
        self._order: list[K] = []
        self._held: dict[K, T] = {}
        self._present: dict[K, T] = {}
        self._sorted_now: list[K] | None = None
        """The present rows in order; None until somebody asks."""
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
            self.sort_now()
        else:
            self._hold(before)
            self.order_changed.emit()

    def sort_by(self, column: int) -> None:
        """Sort by a column; a second time turns the order round."""
        if column == self._sorted_by:
            self._descending = not self._descending
        else:
            self._sorted_by = column
            self._descending = self._columns[column].descending_first
        self._sorted_now = None
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self._columns) - 1)
        self.sort_now()

    def sort_now(self) -> None:
        """Sort the rows and remove those that are gone."""
        self._held.update(self._present)
        wanted = list(self._in_order())
        if wanted != self._order:
            self.is_arranging = True
            self._reorder(wanted)
            self.is_arranging = False
        self._held = dict(self._present)
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
    def count(self) -> int:
        """How many rows there are now, gone ones left out."""
        return len(self._present)

    def rows(self) -> Iterable[T]:
        """Return what there is now, in no order; gone ones left out."""
        return self._present.values()

    def entry(self, row: int) -> T:
        """Return what a row shows."""
        return self._held[self._order[row]]

    def key(self, row: int) -> K:
        """Return the key of a row."""
        return self._order[row]

    def is_gone(self, row: int) -> bool:
        """Whether a row is gone and only shown until rows may move."""
        return self._order[row] not in self._present

    def row_of(self, key: K) -> int | None:
        """Return the row of a key, None where it has none."""
        return self._order.index(key) if key in self._held else None

    def _in_order(self) -> list[K]:
        """Return the present rows in order; not to be changed."""
        if self._sorted_now is None:
            self._sorted_now = self._sorted(self._present)
        return self._sorted_now

    def _sorted(self, keys: Iterable[K]) -> list[K]:
        order = self._columns[self._sorted_by].sort_key(descending=self._descending)
        return in_order(
            sorted(keys), lambda key: order(self._present[key]), descending=self._descending
        )

    def _hold(self, before: Mapping[K, T]) -> None:
        """Show present rows; touch those that are other ones than ``before``, came or went."""
        new = self._sorted(key for key in self._present if key not in self._held)
        self._held.update(self._present)
        self._append(new)
        now, last = self._present.get, len(self._columns) - 1
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
            self.touch(0, 0, len(self._order) - 1, len(self._columns) - 1)

    def column(self, column: int) -> Column:
        return self._columns[column].sized

    def header(self, column: int) -> Header:
        shown = self._columns[column]
        return shown.header(shown.title, self._descending if column == self._sorted_by else None)

    def cell(self, row: int, column: int) -> Cell:
        key = self._order[row]
        entry = self._held[key]
        cell = self._columns[column].cell(entry, self._clock())
        if column + 1 in self.without_room:
            short = self._columns[column + 1].in_short
            if short is not None and (told := short(entry)):
                cell = cell._replace(text=f"{cell.text} · {told}")
        return cell if key in self._present else struck(cell)

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._columns)


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
