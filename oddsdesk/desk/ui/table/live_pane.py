"""One pane of a live table: a table view that paints its cells itself, in one go."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate, product

from PySide6 import QtGui
from PySide6.QtCore import (
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QTableView, QWidget

from oddsdesk.base.texts import _, ngettext
from oddsdesk.desk.ui import spacing
from oddsdesk.desk.ui.table.cell_painter import CellPainter, Laid, TextCache
from oddsdesk.desk.ui.table.cells import NEVER, Align, Cell, Header
from oddsdesk.desk.ui.table.live_model import Band, LiveModel, Painted, Span, Tile
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import SurfaceRole, TextRole

Place = tuple[int, int]
"""Row and column."""


class Edges:
    """Visible rows or columns next to each other, without hidden ones."""

    def __init__(self, start: int, sized: Iterable[tuple[int, int]], room: int) -> None:
        """``sized`` has numbers and sizes; what is before 0 or from ``room`` on is out of sight."""
        shown = [each for each in sized if each[1]]
        self.numbers = [number for number, _ in shown]
        self.sizes = [size for _, size in shown]
        self.edges = list(accumulate(self.sizes, initial=start))
        """Where each begins and the one before it ends."""
        self._room = room

    def by_number(self) -> dict[int, tuple[int, int]]:
        """Return where each begins, and its size."""
        return dict(zip(self.numbers, zip(self.edges, self.sizes, strict=False), strict=False))

    def span_between(self, first: int, last: int) -> tuple[int, int, Sequence[int]]:
        """Return where what lies at pixels ``first`` to ``last`` begins and ends, and what is cut.

        By places in sight; the end is left out.
        """
        edges = self.edges
        begin, end = bisect_right(edges, first) - 1, bisect_left(edges, last + 1)
        if end == len(edges):  # beyond the last one
            end -= 1
        if begin >= end:
            return 0, 0, ()
        is_begun, is_left = max(0, edges[begin]) < first, min(self._room, edges[end]) > last + 1
        if not is_begun and not is_left:
            return begin, end, ()
        return begin, end, [begin] * is_begun + [end - 1] * is_left


Runs = list[tuple[int, int]]
"""Of places side by side: the first, and the one after the last."""


def reached(
    region: QtGui.QRegion, rows: Edges, columns: Edges, cut: set[Place]
) -> Iterator[tuple[int, Runs]]:
    """Yield the places of the rows that a region reaches, each with its columns, every cell once.

    The cells that it does not hold whole are ``cut``.
    """
    found: dict[int, Runs] = {}
    for rect in region:  # type: ignore[attr-defined]  # it iterates; the stubs forget it
        left, top, right, bottom = rect.getCoords()
        begin, end, cut_columns = columns.span_between(left, right)
        above, below, cut_rows = rows.span_between(top, bottom)
        if begin == end:
            continue
        for row in range(above, below):
            found.setdefault(row, []).append((begin, end))
            for each in range(begin, end) if row in cut_rows else cut_columns:
                cut.add((rows.numbers[row], columns.numbers[each]))
    for row in sorted(found):
        yield row, _joined(sorted(found[row]))


def _joined(runs: Runs) -> Runs:
    """Return runs in order without what several of them hold, joined where they meet."""
    joined = runs[:1]
    for first, last in runs[1:]:
        if first <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(last, joined[-1][1])
        else:
            joined.append((first, last))
    return joined


_MOST_SEEN = 20_000
"""Cells whose look is kept: more than any screen shows."""
_TOUCHES = (QEvent.Type.MouseMove, QEvent.Type.MouseButtonPress, QEvent.Type.Wheel)
_MOVES = QAbstractItemView.CursorAction


class LivePane(QTableView):
    """Shows some columns of a ``LiveModel``; made and driven by ``LiveTable``."""

    opened = Signal(QModelIndex)
    """Enter was pressed on a cell."""
    fold_asked = Signal(int, bool)
    """A section row shall be folded (True) or unfolded."""
    touched = Signal()
    """The pointer moved here, or a button or key was pressed."""
    row_hovered = Signal(int)
    """The row under the pointer, -1 for none."""
    current_pressed = Signal(QModelIndex)
    """The current cell was pressed; Qt only reports a change to another one."""
    menu_asked = Signal(QPoint)
    """A menu for the current cell was asked for, at a place of the screen."""
    resized = Signal()
    flash_seen = Signal(bool)
    """Cells were painted while some flash; True if that was a step of all that fade."""

    def __init__(self, theme: Theme, painter: CellPainter, parent: QWidget) -> None:
        super().__init__(parent)
        self._painter = painter
        self._flashing: dict[Place, int] = {}
        """When cells that flash look otherwise, 0 of those that fade: they stand a while before."""
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
        """How many cells flash."""
        return len(self._flashing)

    def advance_flashes(self, now_ms: int) -> bool:
        """Repaint the flashes that fade; whether anything flashes."""
        due = [place for place, until_ms in self._flashing.items() if until_ms <= now_ms]
        if due:
            port = self.viewport().rect()
            rows, columns = self._rows(port).by_number(), self._columns(port).by_number()
            self.viewport().update(_area(due, rows, columns))
        flashes = bool(self._flashing)
        for place in due:
            del self._flashing[place]
        return flashes

    def repaint_aged(self, now_ms: int) -> None:
        """Repaint the cells that look otherwise if age alone may have changed one by now."""
        if now_ms < self._repaint_at_ms:
            return
        self._repaint_at_ms = NEVER
        model, port, seen = self.live_model(), self.viewport().rect(), self._seen
        rows, columns = self._rows(port).by_number(), self._columns(port).by_number()
        changed = list[Place]()
        for place in product(rows, columns):
            cell = seen.get(place)
            if cell is None or cell.repaint_at_ms <= now_ms:
                if self._is_changed(model, *place):
                    changed.append(place)
            elif cell.repaint_at_ms < self._repaint_at_ms:
                self._repaint_at_ms = cell.repaint_at_ms
        if changed:
            self.viewport().update(_area(changed, rows, columns))

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

    def _rows(self, rect: QRect) -> Edges:
        """Return the rows that a rectangle reaches."""
        first, last = self.rowAt(rect.top()), self.rowAt(rect.bottom())
        if first < 0:
            return Edges(0, (), 0)
        count = self.live_model().rowCount()  # the pane may learn of rows that are gone later
        numbers = range(first, count if last < 0 else min(count, last + 1))
        start, room = self.rowViewportPosition(first), self.viewport().height()
        return Edges(start, zip(numbers, map(self.rowHeight, numbers), strict=True), room)

    def _columns(self, rect: QRect) -> Edges:
        """Return the columns that a rectangle reaches, as they stand."""
        header = self.header
        first, last = header.visualIndexAt(rect.left()), header.visualIndexAt(rect.right())
        if first < 0:
            return Edges(0, (), 0)
        places = range(first, header.count() if last < 0 else last + 1)
        numbers = list(map(header.logicalIndex, places))
        start, room = header.sectionViewportPosition(numbers[0]), self.viewport().width()
        return Edges(start, zip(numbers, map(header.sectionSize, numbers), strict=True), room)

    def _bands(self, rows: Edges) -> Callable[[int], Band]:
        """Return what gives the state of a row in sight, by its place among those."""
        model, selection = self.live_model(), self.selectionModel()
        some_selected, hovered = selection.hasSelection(), self._hovered

        def band(place: int) -> Band:
            row = rows.numbers[place]
            is_selected = some_selected and selection.isRowSelected(row)
            is_section = model.is_section(row)
            ground = SurfaceRole.RAISED if is_section else SurfaceRole.PANEL
            return Band(
                row,
                rows.edges[place],
                rows.sizes[place],
                SurfaceRole.SELECTED if is_selected else ground,
                is_section,
                is_section and model.is_folded(row),
                row == hovered and not is_selected,
            )

        return band

    def _tiles(self, region: QtGui.QRegion, cut: set[Place]) -> Iterator[Tile]:
        """Yield the cells that a region reaches, each once; those that it does not hold are cut."""
        around, model = region.boundingRect(), self.live_model()
        rows, columns = self._rows(around), self._columns(around)
        lane = partial(self._painter.lane, model)
        lanes = list(map(lane, columns.numbers, columns.edges, columns.sizes))
        band_of = self._bands(rows)
        for place, runs in reached(region, rows, columns, cut):
            band = band_of(place)
            for first, last in runs:
                yield Tile(band, lanes[first:last])

    def _changed(self, spans: Iterable[Span]) -> QtGui.QRegion:
        """Return the visible area of what looks otherwise in spans than it was painted."""
        model, port = self.live_model(), self.viewport().rect()
        rows, columns = self._rows(port).by_number(), self._columns(port).by_number()
        first, last = min(rows, default=0), max(rows, default=-1)
        changed = list[Place]()
        for top, left, bottom, right in spans:
            shown = [each for each in range(left, right + 1) if each in columns]
            for row in range(max(top, first), min(bottom, last) + 1) if shown else ():
                changed += [(row, each) for each in shown if self._is_changed(model, row, each)]
        return _area(changed, rows, columns)

    def _is_changed(self, model: LiveModel, row: int, column: int) -> bool:
        cell, seen = model.cell(row, column), self._seen.get((row, column))
        if cell.repaint_at_ms < self._repaint_at_ms:
            self._repaint_at_ms = cell.repaint_at_ms
        # A section's first cell has a mark that is not the cell's.
        if is_same := seen is not None and cell.looks_like(seen):
            self._seen[row, column] = cell  # which says when it is to be asked for again
        return not is_same or (column == 0 and model.is_section(row))

    def _paint_around_cells(self, painter: QtGui.QPainter, around: QRect) -> None:
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

    def _note_flashes(self, painted: Painted) -> bool:
        """Take in which of the cells painted flash; whether all that fade were among them."""
        for place in self._flashing.keys() & painted.cells.keys():
            del self._flashing[place]
        fading = 0 in painted.flashing.values()
        is_step = fading and 0 not in self._flashing.values()
        self._flashing |= painted.flashing
        return is_step

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

    def _select_first(self, pressed: QModelIndex, event: QtGui.QMouseEvent) -> None:
        """Select the pressed row if none is selected: Qt does so only after it reported the cell.

        If several may be selected, the panel uses the selection, not the current row.
        """
        chosen, flags = self.selectionModel(), QItemSelectionModel.SelectionFlag
        is_single = self.selectionMode() is QAbstractItemView.SelectionMode.SingleSelection
        is_plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
        if is_single and is_plain and pressed.isValid() and not chosen.hasSelection():
            chosen.select(pressed, flags.ClearAndSelect | flags.Rows)

    # Qt's virtuals

    def dataChanged(
        self,
        first: QModelIndex | QPersistentModelIndex,
        last: QModelIndex | QPersistentModelIndex,
        roles: Sequence[int] = (),
    ) -> None:
        """Repaint the spans that changed, not all that lies between them."""
        if QtGui.QAccessible.isActive():
            super().dataChanged(first, last, roles)
        else:
            self.viewport().update(self._changed(self.live_model().dirty_spans))

    def paintEvent(self, event: QtGui.QPaintEvent) -> None:
        region = event.region()
        painter = QtGui.QPainter(self.viewport())
        cut = set[Place]()
        self._paint_around_cells(painter, region.boundingRect())
        painted = self._painter.paint(painter, self.live_model(), self._tiles(region, cut))
        self._repaint_at_ms = min(self._repaint_at_ms, painted.repaint_at_ms)
        self._note_seen(painted.cells, cut)
        is_step = self._note_flashes(painted)
        current = self.currentIndex()
        if self.outlines_current and current.isValid():
            rect = self.visualRect(current)
            if not rect.isEmpty() and region.intersects(rect):
                self._painter.paint_outline(painter, rect, has_focus=self.hasFocus())
        painter.end()
        if self._flashing:
            self.flash_seen.emit(is_step)

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

    def selectionCommand(
        self, index: QModelIndex | QPersistentModelIndex, event: QEvent | None = None
    ) -> QItemSelectionModel.SelectionFlag:
        """Select the row that Ctrl+Home and Ctrl+End go to: Qt would leave the one before selected.

        Its own Ctrl+Up and Ctrl+Down, which choose rows apart, stay.
        """
        if (
            self.selectionMode() is QAbstractItemView.SelectionMode.ExtendedSelection
            and isinstance(event, QtGui.QKeyEvent)
            and event.key() in (Qt.Key.Key_Home, Qt.Key.Key_End)
            and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        ):
            flags = QItemSelectionModel.SelectionFlag
            return flags.ClearAndSelect | flags.Rows
        return super().selectionCommand(index, event)

    def mousePressEvent(self, event: QtGui.QMouseEvent) -> None:
        current, pressed = self.currentIndex(), self.indexAt(event.position().toPoint())
        self._select_first(pressed, event)
        super().mousePressEvent(event)
        if pressed.isValid() and pressed == current:
            self.current_pressed.emit(current)

    def keyPressEvent(self, event: QtGui.QKeyEvent) -> None:
        self.touched.emit()
        current, key = self.currentIndex(), Qt.Key(event.key())
        row = current.row()
        if current.isValid() and self.live_model().is_section(row):
            if self._press_on_section(key, row, current.column()):
                return
        elif current.isValid() and key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.opened.emit(current)
            return
        super().keyPressEvent(event)

    def contextMenuEvent(self, event: QtGui.QContextMenuEvent) -> None:
        current, spot = self.currentIndex(), event.globalPos()
        if current.isValid() and event.reason() is not QtGui.QContextMenuEvent.Reason.Mouse:
            # A cell of the other pane has no rectangle here: then it is the row's.
            rect = self.visualRect(current)
            below = self._row_rect(current.row()) if rect.isEmpty() else rect
            spot = self.viewport().mapToGlobal(below.bottomLeft())
        self.menu_asked.emit(spot)

    def keyboardSearch(self, search: str) -> None:
        """Letters are shortcuts of the desk, not a search through the whole model."""

    def resizeEvent(self, event: QtGui.QResizeEvent) -> None:
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

    def focusInEvent(self, event: QtGui.QFocusEvent) -> None:
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QtGui.QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.viewport().update()

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() in _TOUCHES:
            self.touched.emit()
        if event.type() == QEvent.Type.MouseMove:
            assert isinstance(event, QtGui.QMouseEvent)
            self.row_hovered.emit(self.rowAt(event.position().toPoint().y()))
        elif event.type() == QEvent.Type.Leave:
            self.row_hovered.emit(-1)
        return super().viewportEvent(event)


def _area(
    places: Iterable[Place],
    rows: Mapping[int, tuple[int, int]],
    columns: Mapping[int, tuple[int, int]],
) -> QtGui.QRegion:
    """Return the area of those cells that are in rows and columns in sight."""
    region = QtGui.QRegion()
    found = [(*rows[row], *columns[at]) for row, at in places if row in rows and at in columns]
    for y, height, x, width in sorted(found):  # from above, so that it grows at its end
        region += QRect(x, y, width, height)
    return region


class LiveHeader(QHeaderView):
    """Paints ``LiveModel.header``; says the width that a title asks for."""

    def __init__(self, theme: Theme, painter: CellPainter, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._theme = theme
        self._cells = painter
        self.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setMinimumSectionSize(spacing.STEP)
        self.setSectionsClickable(True)
        self.setHighlightSections(False)
        self.restyle()

    def restyle(self) -> None:
        """Update colours and fonts from the theme."""
        fonts, tokens = self._theme.fonts, self._theme.tokens
        self._titles = TextCache(fonts.medium)
        self._notes = TextCache(fonts.small)
        self._ground = QtGui.QColor(tokens.ground(SurfaceRole.RAISED))
        self._line = QtGui.QColor(tokens.line)
        self._inks = {
            ink: QtGui.QColor(tokens.ink(ink))
            for ink in (TextRole.STRONG, TextRole.SOFT, TextRole.NOTE)
        }
        self._painted: dict[int, Header] = {}
        """What stood above columns when they were painted last."""
        self.updateGeometry()
        self.geometriesChanged.emit()

    def repaint_aged(self) -> None:
        """Repaint the columns above which something else stands by now."""
        model = self.model()
        assert isinstance(model, LiveModel)
        for column, painted in list(self._painted.items()):
            if column < model.columnCount() and model.header(column) != painted:
                self.updateSection(column)

    def width_of(self, header: Header) -> int:
        """Return the pixels that a header takes, margins included."""
        title, note = self._titles.lay(header.title).width, self._notes.lay(header.note).width
        return max(title, note) + 2 * spacing.CELL_MARGIN

    def _notes_of(self, model: LiveModel, column: int, header: Header) -> list[str]:
        """Return what may stand below a title, the longest first: what has no room, or its note."""
        missing = 0 if column else len(model.without_room)
        if not missing:
            return [header.note]
        return [
            ngettext("+{missing} column", "+{missing} columns", missing).format(missing=missing),
            _("+{missing} more").format(missing=missing),
            f"+{missing}",
        ]

    def paint_blank(self, painter: QtGui.QPainter, rect: QRect) -> None:
        """Paint the header's background beyond the last column."""
        painter.fillRect(rect, self._ground)
        painter.fillRect(rect.left(), rect.bottom(), rect.width(), 1, self._line)

    # Qt's virtuals

    def sizeHint(self) -> QSize:
        # Not from Qt's own: that asks the model what stands above each column, again and again.
        return QSize(self.length(), self._theme.fonts.scaled(spacing.HEADER))

    def paintEvent(self, event: object) -> None:
        painter = QtGui.QPainter(self.viewport())
        self.paint_blank(painter, self.viewport().rect())
        painter.end()
        super().paintEvent(event)  # type: ignore[arg-type]

    def paintSection(self, painter: QtGui.QPainter, rect: QRect, column: int) -> None:
        model = self.model()
        assert isinstance(model, LiveModel)
        header = self._painted[column] = model.header(column)
        self.paint_blank(painter, rect)
        left = rect.left() + (spacing.CELL_MARGIN if column else spacing.LEAD)
        room = rect.right() + 1 - spacing.CELL_MARGIN - left
        is_left = model.column(column).align is Align.LEFT
        is_whole = not header.code or self._titles.lay(header.title).width <= room
        title = self._titles.fit_text(header.title if is_whole else header.code, room)
        # half a note says nothing; the tooltip says it whole
        notes = map(self._notes.lay, filter(None, self._notes_of(model, column, header)))
        note = next((laid for laid in notes if laid.width <= room), None)
        widest = max(title.width, 0 if note is None else note.width)
        # Over the figures, not over their notes, where there is room.
        room = max(widest, room - self._cells.note_room(model, column, rect.width()))
        heights = self._titles.height + (self._notes.height if note is not None else 0)
        y = rect.top() + (rect.height() - heights) // 2

        def place_line(cache: TextCache, laid: Laid, top: int) -> None:
            painter.setFont(cache.font)
            x = left if is_left else left + room - laid.width
            painter.drawStaticText(x, top, laid.static)

        painter.setPen(self._inks[TextRole.STRONG if header.is_marked else TextRole.SOFT])
        place_line(self._titles, title, y)
        if note is not None:
            painter.setPen(self._inks[TextRole.NOTE])
            place_line(self._notes, note, y + self._titles.height)
