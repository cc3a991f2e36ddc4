"""The widths of a live table's columns: from samples and titles, never from the cells."""

from typing import Final

from oddsdesk.desk.widgets.cell_painter import CellPainter
from oddsdesk.desk.widgets.live_model import LiveModel
from oddsdesk.desk.widgets.live_pane import LivePane

FROZEN_SHARE: Final = 0.45
"""What frozen columns may take of a table before they are narrowed."""
_HIDING_SHARE: Final = 0.60
"""What they may take, narrowed, before some are hidden."""


class ColumnWidths:
    """Shares the columns of a model out to two panes and sizes them."""

    def __init__(
        self,
        model: LiveModel,
        painter: CellPainter,
        frozen: LivePane,
        scrolling: LivePane,
        frozen_count: int,
    ) -> None:
        self._model = model
        self._painter = painter
        self._frozen = frozen
        self._scrolling = scrolling
        self._frozen_count = frozen_count
        self._left_out: set[int] = set()

    def is_shown(self, column: int) -> bool:
        """Whether a column can be seen in either pane."""
        return not self._model.is_hidden(column) and column not in self._left_out

    def share_out(self) -> None:
        """Show each column that is shown at all in its pane only, and size them."""
        count = self._model.columnCount()
        for column in range(count):
            is_frozen, is_hidden = column < self._frozen_count, not self.is_shown(column)
            self._frozen.setColumnHidden(column, is_hidden or not is_frozen)
            self._scrolling.setColumnHidden(column, is_hidden or is_frozen)
        self.fit(0, count - 1)

    def fit(self, first: int, last: int) -> None:
        """Give columns, both ends included, the width that samples and titles ask for."""
        for column in range(max(first, self._frozen_count), last + 1):
            if self.is_shown(column):
                _give(self._scrolling, column, self._wanted(self._scrolling, column))
        self.fit_frozen()

    def fit_frozen(self) -> None:
        """Give the frozen columns their widths, narrowed where the others had no room."""
        shown = (c for c in range(self._frozen_count) if not self._model.is_hidden(c))
        widths = {column: self._wanted(self._frozen, column) for column in shown}
        left_out = self._narrow(widths)
        for column, width in widths.items():
            _give(self._frozen, column, width)
        for column in left_out ^ self._left_out:
            pane = self._frozen if column < self._frozen_count else self._scrolling
            pane.setColumnHidden(column, column in left_out or self._model.is_hidden(column))
        self._left_out = left_out
        self._frozen.setFixedWidth(self._frozen.header.length())
        self.stretch()

    def _narrow(self, widths: dict[int, int]) -> set[int]:
        """Take from widths what is too much; return the columns to leave out."""
        table = self._scrolling.parentWidget()
        assert table is not None
        room, left_out = table.width(), set[int]()
        for step in self._model.narrowings():
            taken, column = sum(widths.values()), step.column
            if not step.sample:
                if taken > room * _HIDING_SHARE:
                    widths.pop(column, None)
                    left_out.add(column)
            elif taken > room * FROZEN_SHARE:
                least = self._painter.narrow_width(self._model, column, step.sample)
                excess = round(taken - room * FROZEN_SHARE)
                widths[column] = max(min(least, widths[column]), widths[column] - excess)
        return left_out

    def stretch(self) -> None:
        """Give the column that stretches the width that is left."""
        columns = range(self._frozen_count, self._model.columnCount())
        stretching = (c for c in columns if self._model.column(c).stretches)
        wide = next((c for c in stretching if not self._model.is_hidden(c)), None)
        if wide is None:
            return
        header = self._scrolling.header
        left_over = self._scrolling.viewport().width() - header.length()
        width = max(self._wanted(self._scrolling, wide), header.sectionSize(wide) + left_over)
        if width != header.sectionSize(wide):
            self._scrolling.setColumnWidth(wide, width)

    def _wanted(self, pane: LivePane, column: int) -> int:
        title = pane.header.width_of(self._model.header(column))
        least = self._painter.least_width(self._model, column)
        return max(least, min(title, self._model.column(column).most))


def _give(pane: LivePane, column: int, width: int) -> None:
    if pane.columnWidth(column) != width:
        pane.setColumnWidth(column, width)
