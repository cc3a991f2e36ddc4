"""One pane of a live table: a table view that paints its cells itself, in one go."""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QPoint, QRect, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QContextMenuEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QRegion,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QFrame, QTableView, QWidget

from oddsdesk.desk.ui.table.cell_painter import CellPainter
from oddsdesk.desk.ui.table.cells import NEVER, Cell
from oddsdesk.desk.ui.table.live_header import LiveHeader
from oddsdesk.desk.ui.table.live_model import Band, LiveModel, Span, Tile
from oddsdesk.desk.ui.theme import tokens as spacing
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import SurfaceRole

_MOST_SEEN = 20_000
"""Cells whose look is kept: more than any screen shows."""
_MOVES = QAbstractItemView.CursorAction
Place = tuple[int, int]
"""Row and column."""


class LivePane(QTableView):
    """Shows some columns of a ``LiveModel``; made and driven by ``LiveTable``."""

    opened = Signal(QModelIndex)
    """Enter was pressed on a cell."""
    fold_asked = Signal(int, bool)
    """A section row shall be folded (True) or unfolded."""
    row_hovered = Signal(int)
    """The row under the pointer, -1 for none."""
    current_pressed = Signal(QModelIndex)
    """The cell that is current already was pressed: Qt tells of another one only."""
    menu_asked = Signal(QPoint)
    """A menu for the current cell was asked for, at a place of the screen."""
    resized = Signal()
    flash_seen = Signal(bool)
    """Cells were painted while some flash; True if that was a step of all that fade."""

    def __init__(self, theme: Theme, painter: CellPainter, parent: QWidget) -> None:
        super().__init__(parent)
        self._painter = painter
        self._flashing: dict[int, QRegion] = {}
        """Cells that flash, by when they look otherwise: they stand a while before they fade."""
        self._repaint_at_ms = NEVER
        self._seen: dict[Place, Cell] = {}
        """How cells were painted last, where they were painted whole."""
        self._hovered = -1
        self.outlines_current = False
        self.leads = True
        """Whether it keeps the current row in sight; a neighbour shows the same rows."""
        self.is_shown: Callable[[int], bool] = lambda _column: True
        """Whether a column can be seen at all, in this pane or its neighbour."""
        self.header = LiveHeader(theme, painter, self)
        self.setHorizontalHeader(self.header)
        self._set_up_rows()
        self._set_up_behaviour()

    def live_model(self) -> LiveModel:
        """Return the model."""
        model = self.model()
        assert isinstance(model, LiveModel)
        return model

    def set_hovered(self, row: int) -> None:
        """Tint another row; -1 for none."""
        for changed in {self._hovered, row} - {-1}:
            self.viewport().update(self._row_rect(changed))
        self._hovered = row

    @property
    def flash_count(self) -> int:
        """How many blocks of cells flash."""
        return sum(each.rectCount() for each in self._flashing.values())

    def advance_flashes(self, now_ms: int) -> bool:
        """Repaint the flashes that fade; whether anything flashes."""
        flashes = bool(self._flashing)
        for until_ms in [each for each in self._flashing if each <= now_ms]:
            self.viewport().update(self._flashing.pop(until_ms))
        return flashes

    def repaint_aged(self, now_ms: int) -> None:
        """Repaint the cells that look otherwise if age alone may have changed one by now."""
        if now_ms >= self._repaint_at_ms:
            self._repaint_at_ms = NEVER
            model = self.live_model()
            whole = Span(0, 0, model.rowCount() - 1, model.columnCount() - 1)
            self.viewport().update(self._changed([whole]))

    def _set_up_rows(self) -> None:
        rows = self.verticalHeader()
        rows.setVisible(False)
        rows.setMinimumSectionSize(1)
        rows.setDefaultSectionSize(spacing.ROW)
        rows.setSectionResizeMode(rows.ResizeMode.Fixed)

    def _set_up_behaviour(self) -> None:
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setMouseTracking(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)

    def _row_rect(self, row: int) -> QRect:
        top = self.rowViewportPosition(row)
        return QRect(0, top, self.viewport().width(), self.rowHeight(row))

    def _bands(self, rect: QRect) -> Iterable[Band]:
        model, selection = self.live_model(), self.selectionModel()
        row = self.rowAt(rect.top())
        if row < 0:
            return
        top, count, bottom = self.rowViewportPosition(row), model.rowCount(), rect.bottom()
        some_selected = selection.hasSelection()
        while row < count and top <= bottom:
            height = self.rowHeight(row)
            if height:
                is_selected = some_selected and selection.isRowSelected(row)
                is_section = model.is_section(row)
                ground = SurfaceRole.RAISED if is_section else SurfaceRole.PANEL
                yield Band(
                    row,
                    top,
                    height,
                    SurfaceRole.SELECTED if is_selected else ground,
                    is_section,
                    is_section and model.is_folded(row),
                    row == self._hovered and not is_selected,
                )
            top += height
            row += 1

    def _columns(self, rect: QRect) -> Iterator[tuple[int, int, int]]:
        """Yield the columns that a rectangle reaches, each with its left end and width."""
        header, end = self.header, rect.right()
        visual = header.visualIndexAt(rect.left())
        if visual < 0:
            return
        left = header.sectionViewportPosition(header.logicalIndex(visual))
        for place in range(visual, header.count()):
            if left > end:
                return
            column = header.logicalIndex(place)
            if width := header.sectionSize(column):
                yield column, left, width
            left += width

    def _tiles(self, region: QRegion, cut: set[Place]) -> Iterator[Tile]:
        """Yield the cells that a region reaches, each once; those that it does not hold are cut."""
        around, model = region.boundingRect(), self.live_model()
        bands = list(self._bands(around))
        lanes = [self._painter.lane(model, *each) for each in self._columns(around)]
        size = self.viewport().size()
        rows = _Ends([(band.top, band.height) for band in bands], size.height())
        columns = _Ends([(lane.left, lane.width) for lane in lanes], size.width())
        reached = defaultdict[int, set[int]](set)
        for rect in region:  # type: ignore[attr-defined]  # it iterates; the stubs forget it
            left, top, right, bottom = rect.getCoords()
            across, cut_columns = columns.between(left, right)
            down, cut_rows = rows.between(top, bottom)
            for place in down:
                reached[place].update(across)
                for each in across if place in cut_rows else cut_columns:
                    cut.add((bands[place].row, lanes[each].column))
        for place in sorted(reached):
            for run in _runs(sorted(reached[place])):
                yield Tile(bands[place], lanes[run[0] : run[-1] + 1])

    def _changed(self, spans: Iterable[Span]) -> QRegion:
        """Return the visible area of what looks otherwise in spans than it was painted."""
        region, port, model = QRegion(), self.viewport().rect(), self.live_model()
        first, last = self.rowAt(0), self.rowAt(port.bottom())
        last = model.rowCount() - 1 if last < 0 else last
        columns = {column: ends for column, *ends in self._columns(port)}
        for top, left, bottom, right in spans:
            shown = [each for each in range(left, right + 1) if each in columns]
            for row in range(max(top, first), min(bottom, last) + 1) if shown else ():
                changed = [each for each in shown if self._is_changed(model, row, each)]
                if changed:
                    y, height = self.rowViewportPosition(row), self.rowHeight(row)
                    for x, width in (columns[each] for each in changed):
                        region += QRect(x, y, width, height)
        return region

    def _is_changed(self, model: LiveModel, row: int, column: int) -> bool:
        cell, seen = model.cell(row, column), self._seen.get((row, column))
        if cell.repaint_at_ms < self._repaint_at_ms:
            self._repaint_at_ms = cell.repaint_at_ms
        # A section's first cell has a mark that is not the cell's.
        is_same = seen is not None and cell.looks_like(seen)
        return not is_same or (column == 0 and model.is_section(row))

    def _paint_beside_cells(self, painter: QPainter, around: QRect) -> None:
        """Paint what lies right of the last column and below the last row."""
        header, rows = self.header, self.verticalHeader()
        right, below = header.length() - header.offset(), rows.length() - rows.offset()
        if around.right() >= right:
            self._painter.paint_blank(painter, around.adjusted(right - around.left(), 0, 0, 0))
        if around.bottom() >= below:
            self._painter.paint_blank(painter, around.adjusted(0, below - around.top(), 0, 0))

    def _note_seen(self, cells: dict[Place, Cell], cut: set[Place]) -> None:
        if len(self._seen) > _MOST_SEEN:
            self._seen.clear()
        self._seen |= cells
        for place in cut:
            self._seen.pop(place, None)

    def _move(
        self, action: QAbstractItemView.CursorAction, row: int, visual: int
    ) -> tuple[int, int]:
        last_row, last = self.model().rowCount() - 1, self.header.count() - 1
        page = max(1, self.viewport().height() // spacing.ROW - 1)
        steps = {
            _MOVES.MoveUp: (row - 1, visual),
            _MOVES.MoveDown: (row + 1, visual),
            _MOVES.MovePageUp: (row - page, visual),
            _MOVES.MovePageDown: (row + page, visual),
            _MOVES.MoveLeft: (row, visual - 1),
            _MOVES.MovePrevious: (row, visual - 1),
            _MOVES.MoveRight: (row, visual + 1),
            _MOVES.MoveNext: (row, visual + 1),
            _MOVES.MoveHome: (row, 0),
            _MOVES.MoveEnd: (row, last),
        }
        row, wanted = steps[action]
        step, visual = (1 if wanted > visual else -1), max(0, min(wanted, last))
        while not self.is_shown(self.header.logicalIndex(visual)) and 0 < visual < last:
            visual += step
        return max(0, min(row, last_row)), visual

    def _press_on_section(self, key: Qt.Key, row: int, column: int) -> bool:
        is_folded = self.live_model().is_folded(row)
        if key in (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.fold_asked.emit(row, not is_folded)
        elif key == Qt.Key.Key_Left and column == 0:
            self.fold_asked.emit(row, True)
        elif key == Qt.Key.Key_Right and is_folded:
            self.fold_asked.emit(row, False)
        else:
            return False
        return True

    # Qt's virtuals

    def dataChanged(
        self,
        first: QModelIndex | QPersistentModelIndex,
        last: QModelIndex | QPersistentModelIndex,
        roles: Sequence[int] = (),
    ) -> None:
        """Repaint the spans that changed, not all that lies between them."""
        if QAccessible.isActive():
            super().dataChanged(first, last, roles)
        else:
            self.viewport().update(self._changed(self.live_model().dirty_spans))

    def paintEvent(self, event: QPaintEvent) -> None:
        region = event.region()
        rest = {until_ms: each - region for until_ms, each in self._flashing.items()}
        self._flashing = {until_ms: each for until_ms, each in rest.items() if not each.isEmpty()}
        painter = QPainter(self.viewport())
        cut = set[Place]()
        self._paint_beside_cells(painter, region.boundingRect())
        painted = self._painter.paint(painter, self.live_model(), self._tiles(region, cut))
        self._repaint_at_ms = min(self._repaint_at_ms, painted.repaint_at_ms)
        self._note_seen(painted.cells, cut)
        is_step = 0 in painted.flashing and 0 not in self._flashing
        for until_ms, blocks in painted.flashing.items():
            area = self._flashing.get(until_ms, QRegion())
            for block in blocks:
                area += block
            self._flashing[until_ms] = area
        current = self.currentIndex()
        if self.outlines_current and current.isValid():
            rect = self.visualRect(current)
            if not rect.isEmpty() and region.intersects(rect):
                self._painter.paint_outline(painter, rect, has_focus=self.hasFocus())
        painter.end()
        if self._flashing:
            self.flash_seen.emit(is_step)

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        super().scrollContentsBy(dx, dy)
        for each in self._flashing.values():
            each.translate(dx, dy)

    def scrollTo(
        self,
        index: QModelIndex | QPersistentModelIndex,
        hint: QAbstractItemView.ScrollHint = QAbstractItemView.ScrollHint.EnsureVisible,
    ) -> None:
        if not self.isColumnHidden(index.column()):
            super().scrollTo(index, hint)
            return
        bar, rect = self.verticalScrollBar(), self._row_rect(index.row())
        if rect.top() < 0:
            bar.setValue(bar.value() + rect.top())
        elif rect.bottom() >= self.viewport().height():
            bar.setValue(bar.value() + rect.bottom() + 1 - self.viewport().height())

    def moveCursor(
        self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier
    ) -> QModelIndex:
        if not self.model().rowCount():
            return QModelIndex()
        current = self.currentIndex()
        if not current.isValid():
            return self.model().index(0, self.header.logicalIndex(0))
        row, visual = current.row(), self.header.visualIndex(current.column())
        if modifiers & Qt.KeyboardModifier.ControlModifier and action in (
            _MOVES.MoveHome,
            _MOVES.MoveEnd,
        ):
            row = 0 if action is _MOVES.MoveHome else self.model().rowCount() - 1
        else:
            row, visual = self._move(action, row, visual)
        return self.model().index(row, self.header.logicalIndex(visual))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        current, pressed = self.currentIndex(), self.indexAt(event.position().toPoint())
        super().mousePressEvent(event)
        if pressed.isValid() and pressed == current:
            self.current_pressed.emit(current)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        current, key = self.currentIndex(), Qt.Key(event.key())
        row = current.row()
        if current.isValid() and self.live_model().is_section(row):
            if self._press_on_section(key, row, current.column()):
                return
        elif current.isValid() and key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.opened.emit(current)
            return
        super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        current, spot = self.currentIndex(), event.globalPos()
        if current.isValid() and event.reason() is not QContextMenuEvent.Reason.Mouse:
            # A cell of the other pane has no rectangle here: then it is the row's.
            rect = self.visualRect(current)
            below = self._row_rect(current.row()) if rect.isEmpty() else rect
            spot = self.viewport().mapToGlobal(below.bottomLeft())
        self.menu_asked.emit(spot)

    def keyboardSearch(self, search: str) -> None:
        """Letters are shortcuts of the desk, not a search through the whole model."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        current = self.currentIndex()
        rect = QRect() if not current.isValid() else self.visualRect(current)
        if rect.isEmpty() and current.isValid():  # a cell of the neighbour
            row = self._row_rect(current.row())
            rect = QRect(0, row.top(), 1, row.height())
        was_seen = not rect.isEmpty() and QRect(QPoint(), event.oldSize()).contains(rect)
        super().resizeEvent(event)
        self.resized.emit()
        if was_seen and self.leads:
            self.scrollTo(current)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.MouseMove:
            assert isinstance(event, QMouseEvent)
            self.row_hovered.emit(self.rowAt(event.position().toPoint().y()))
        elif event.type() == QEvent.Type.Leave:
            self.row_hovered.emit(-1)
        return super().viewportEvent(event)


class _Ends:
    """Where rows or columns, one beside the other, begin and end in sight."""

    def __init__(self, each: Sequence[tuple[int, int]], room: int) -> None:
        """``each`` has a start and a size; what is before 0 or from ``room`` on is out of sight."""
        self._starts = [max(0, start) for start, _ in each]
        self._ends = [min(room, start + size) for start, size in each]

    def between(self, first: int, last: int) -> tuple[range, set[int]]:
        """Return what lies at pixels from ``first`` to ``last``, and what of it only in part."""
        begin, end = bisect_right(self._ends, first), bisect_right(self._starts, last)
        outer = {begin, end - 1} if begin < end else ()
        cut = {at for at in outer if self._starts[at] < first or self._ends[at] > last + 1}
        return range(begin, end), cut


def _runs(places: Sequence[int]) -> Iterator[Sequence[int]]:
    """Yield what follows each other without a gap."""
    start = 0
    for at in range(1, len(places) + 1):
        if at == len(places) or places[at] != places[at - 1] + 1:
            yield places[start:at]
            start = at
