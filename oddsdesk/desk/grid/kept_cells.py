"""The cells of the odds grid's rows, kept so that only those that look otherwise are painted."""

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from oddsdesk.desk.grid.cells import CellContext
from oddsdesk.desk.grid.columns import COLUMNS
from oddsdesk.desk.grid.entries import Entry, SelectionEntry
from oddsdesk.desk.ui.table.cells import Cell
from oddsdesk.desk.ui.theme.tokens import TextRole

_MOST: Final = 1_000
"""Rows whose cells are kept: more than any screen shows, as others ask for cells, too."""


class KeptCells:
    """Makes the cells of rows; what was made of a row is told until it is another."""

    def __init__(self, context: Callable[[], CellContext]) -> None:
        """``context`` returns what cells are made with now."""
        self._context_now = context
        self._context = context()
        self._made: dict[Entry, list[Cell | None]] = {}
        self._changed = set[int]()
        """The line groups of which prices are others, by identity."""

    @property
    def has_changed(self) -> bool:
        """Whether some are to be compared with what they look like now."""
        return bool(self._changed)

    def clear(self) -> None:
        """Make each anew when it is asked for."""
        self._made.clear()
        self._changed.clear()
        self._context = self._context_now()

    def change(self, selections: Iterable[SelectionEntry]) -> None:
        """Take prices of selections for others.

        What the prices of a line hold together is said beside each of its selections.
        """
        self._changed.update([id(selection.section) for selection in selections])

    def cell(self, shown: Entry, column: int, now_ms: int) -> Cell:
        """Return how a row looks in a column now."""
        if now_ms != self._context.now_ms:
            if now_ms < self._context.now_ms or len(self._made) > _MOST:
                self._made.clear()
            self._context = self._context_now()
        if self._changed and id(shown.selection.section) in self._changed:
            return self._make(shown, column)  # what is kept waits to be compared
        made = self._made.get(shown)
        if made is None:
            made = self._made[shown] = [None] * len(COLUMNS)
        cell = made[column]
        if cell is None or cell.repaint_at_ms <= now_ms:
            cell = made[column] = self._make(shown, column)
        return cell

    def renewed(self, rows: Iterable[tuple[int, Entry]]) -> Iterator[tuple[int, range]]:
        """Compare changed cells of rows, and forget all others; yield places and their columns.

        A row of which nothing was kept is told whole.
        """
        changed, self._changed = self._changed, set()
        made, self._made = self._made, {}
        self._context = self._context_now()
        for place, shown in rows:
            if (before := made.get(shown)) is not None:
                self._made[shown] = before
            if id(shown.selection.section) not in changed:
                continue
            if before is None:
                yield place, range(len(COLUMNS))
                continue
            for column, cell in enumerate(before):
                if cell is None:
                    continue
                now = before[column] = self._make(shown, column)
                if not now.looks_like(cell):
                    yield place, range(column, column + 1)

    def _make(self, shown: Entry, column: int) -> Cell:
        cell = COLUMNS[column].cell(shown, self._context)
        if shown.is_held:
            return cell
        return cell._replace(ink=TextRole.GHOST, is_struck=bool(cell.text), arrow=0)
