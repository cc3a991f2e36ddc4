"""The widths of a live table's columns: from samples and titles, never from the cells."""

from oddsdesk.desk.widgets.cell_painter import CellPainter
from oddsdesk.desk.widgets.live_model import LiveModel
from oddsdesk.desk.widgets.live_pane import LivePane


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

    def share_out(self) -> None:
        """Show each column that is shown at all in its pane only, and size them."""
        count = self._model.columnCount()
        for column in range(count):
            is_frozen, is_hidden = column < self._frozen_count, self._model.is_hidden(column)
            self._frozen.setColumnHidden(column, is_hidden or not is_frozen)
            self._scrolling.setColumnHidden(column, is_hidden or is_frozen)
        self.fit(0, count - 1)

    def fit(self, first: int, last: int) -> None:
        """Give columns, both ends included, the width that samples and titles ask for."""
        for column in range(first, last + 1):
            if self._model.is_hidden(column):
                continue
            pane = self._frozen if column < self._frozen_count else self._scrolling
            width = self._wanted(pane, column)
            if pane.columnWidth(column) != width:
                pane.setColumnWidth(column, width)
        self._frozen.setFixedWidth(self._frozen.header.length())
        self.stretch()

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
