"""The live table: frozen columns at the left, the others scrolling, one model and selection."""

import math
import time
from collections.abc import Sequence
from typing import Final, NamedTuple

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QFrame, QWidget

from oddsdesk.base.clock import Clock
from oddsdesk.desk.ui import spacing
from oddsdesk.desk.ui.table.cell_painter import LEAST_NOTE, CellPainter
from oddsdesk.desk.ui.table.cells import FADE_MS, FADE_STEPS, Column, Header, Priority, ShrinkStep
from oddsdesk.desk.ui.table.live_model import LiveModel
from oddsdesk.desk.ui.table.live_pane import LivePane
from oddsdesk.desk.ui.theme.theme import Theme

REST_S: Final = 60.0
"""Seconds without pointer or keyboard input after which a table counts as unused."""
_AGE_MS = 1_000
_FADE_MS = math.ceil(FADE_MS / FADE_STEPS)
_MANY_FLASHES = 15
"""With this many flashes or more, fades take half as many steps."""
_EARLY_MS = _FADE_MS // 2
"""A step due within this time is taken with other changes: a separate paint costs more."""


class LiveTable(QWidget):
    """Shows a ``LiveModel``; the first ``frozen`` columns stay while the others scroll.

    Keyboard: arrows, Home and End (with Ctrl to the first and last row), Page Up and Down;
    Enter opens; on a section row Space folds, Left folds, Right unfolds. Rows that come and
    go leave what is on screen where it is. The clock is the one that the model's times are
    of.
    """

    opened = Signal(QModelIndex)
    """A cell was double-clicked, or Enter pressed on it."""
    current_changed = Signal(QModelIndex)
    """Another cell is current, or the same was pressed again; an invalid index for none."""
    menu_requested = Signal(QPoint)
    """A menu for the current cell was asked for, at a place of the screen."""
    header_clicked = Signal(int)
    """The header of a column was clicked."""

    def __init__(
        self,
        theme: Theme,
        model: LiveModel,
        clock: Clock,
        *,
        frozen: int = 0,
        outlines_current: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self.model = model
        """The model shown."""
        self._clock = clock
        self.frozen_count = frozen
        """How many columns stay."""
        self._painter = CellPainter(theme, clock)
        self.frozen = LivePane(theme, self._painter, self)
        self.scrolling = LivePane(theme, self._painter, self)
        self._widths = ColumnWidths(model, self._painter, self.frozen, self.scrolling, frozen)
        self._edge = QFrame(self)
        self._anchor: tuple[QPersistentModelIndex, int] | None = None
        self._is_following = False
        self._flash_timer = QTimer(self, interval=_FADE_MS)
        self._flash_timer.timeout.connect(self._on_flash_timer_timeout)
        self._touched_at: float | None = None
        """When the pointer or the keyboard was used here last, or came here."""
        self._step_at_ms = 0
        """From when on what fades takes its step with what changes."""
        self._age_timer = QTimer(self, interval=_AGE_MS)
        self._age_timer.timeout.connect(self._on_age_timer_timeout)
        self._lay_out(outlines_current)
        self._connect_panes()
        self._connect_model()
        theme.changed.connect(self._on_theme_changed)
        self._on_theme_changed()

    def current_cell(self) -> QModelIndex:
        """Return the current cell; an invalid index for none."""
        return self.scrolling.currentIndex()

    @property
    def has_choice(self) -> bool:
        """Whether the user chose a row: the keyboard alone makes one current and marks none."""
        return self.scrolling.selectionModel().hasSelection()

    @property
    def is_pointed_at(self) -> bool:
        """Whether somebody is at a row, or types in a dialog what is about one."""
        is_asked = QApplication.activeModalWidget() is not None
        at_it = self._is_touched() or is_asked
        return self.model.rowCount() > 0 and at_it

    def _is_touched(self) -> bool:
        """Whether the pointer or the keyboard is here, and was used in the last minute."""
        if not (self.underMouse() or self.scrolling.hasFocus()):
            self._touched_at = None
            return False
        if self._touched_at is None:
            self._touched_at = time.monotonic()
        return time.monotonic() - self._touched_at < REST_S

    def chosen_row(self) -> int | None:
        """Return the row that the user chose last; None for none."""
        return self.current_cell().row() if self.has_choice else None

    def set_current(self, row: int, column: int = 0) -> None:
        """Make a cell current and bring it into sight."""
        self.scrolling.setCurrentIndex(self.model.index(row, column))

    def clear_choice(self) -> None:
        """Have no row chosen and none current."""
        self.scrolling.selectionModel().clear()

    def set_selection_mode(self, mode: QAbstractItemView.SelectionMode) -> None:
        """Let the user select one row (the default) or several."""
        self.frozen.setSelectionMode(mode)
        self.scrolling.setSelectionMode(mode)

    def selected_rows(self) -> list[int]:
        """Return the rows selected, in order."""
        return sorted(index.row() for index in self.scrolling.selectionModel().selectedRows())

    def rows_in_view(self) -> range:
        """Return the rows that are in sight, in part too."""
        pane = self.scrolling
        first, last = pane.rowAt(0), pane.rowAt(pane.viewport().height() - 1)
        if first < 0:
            return range(0)
        return range(first, self.model.rowCount() if last < 0 else last + 1)

    def show_columns(self) -> None:
        """Show the columns that the model does not hide."""
        self._widths.share_out()

    def repaint_figures(self) -> None:
        """Repaint every figure, since they are formatted differently now."""
        self.model.refresh_all()
        self._widths.share_out()

    def _fit_rows(self, rows: range | None = None) -> None:
        """Give rows their height, all of them unless some are named."""
        panes = self._panes()
        height = self._theme.fonts.row_height(spacing.ROW)
        section = self._theme.fonts.row_height(spacing.SECTION_ROW)
        for pane in panes if rows is None else ():
            pane.verticalHeader().setDefaultSectionSize(height)  # which all rows get
        if not self.model.has_sections:
            return
        for row in range(self.model.rowCount()) if rows is None else rows:
            wanted = section if self.model.is_section(row) else height
            for pane in panes:
                if pane.rowHeight(row) != wanted:
                    pane.setRowHeight(row, wanted)

    def _panes(self) -> tuple[LivePane, ...]:
        return (self.frozen, self.scrolling) if self.frozen_count else (self.scrolling,)

    def _lay_out(self, outlines_current: bool) -> None:
        line = spacing.horizontal(self, spacing=0)
        self._edge.setFixedWidth(1)
        line.addWidget(self.frozen)
        line.addWidget(self._edge)
        line.addWidget(self.scrolling, 1)
        self.frozen.setVisible(self.frozen_count > 0)
        self._edge.setVisible(self.frozen_count > 0)
        self.frozen.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.frozen.horizontalScrollBar().setEnabled(False)
        self.frozen.setFocusProxy(self.scrolling)
        self.setFocusProxy(self.scrolling)
        for pane in (self.frozen, self.scrolling):
            pane.outlines_current = outlines_current
            pane.setModel(self.model)
        self.frozen.selectionModel().deleteLater()
        self.frozen.setSelectionModel(self.scrolling.selectionModel())

    def _connect_panes(self) -> None:
        rows, frozen_rows = self.scrolling.verticalScrollBar(), self.frozen.verticalScrollBar()
        rows.valueChanged.connect(self._follow_rows)
        frozen_rows.rangeChanged.connect(self._follow_rows)
        frozen_rows.valueChanged.connect(self._on_frozen_rows_value_changed)
        self.frozen.leads = False
        self.scrolling.resized.connect(self._widths.stretch)
        self.scrolling.is_shown = self._widths.is_shown
        self.scrolling.horizontalScrollBar().rangeChanged.connect(self._on_width_range_changed)
        self.scrolling.selectionModel().currentChanged.connect(self.current_changed)
        for pane in self._panes():
            pane.opened.connect(self.opened)
            pane.touched.connect(self._on_pane_touched)
            pane.current_pressed.connect(self.current_changed)
            pane.menu_asked.connect(self.menu_requested)
            pane.doubleClicked.connect(self._on_pane_double_clicked)
            pane.clicked.connect(self._on_pane_clicked)
            pane.fold_asked.connect(self.model.set_folded)
            pane.row_hovered.connect(self._on_pane_row_hovered)
            pane.flash_seen.connect(self._on_pane_flash_seen)
            pane.header.sectionClicked.connect(self.header_clicked)

    def _on_pane_touched(self) -> None:
        self._touched_at = time.monotonic()

    def _connect_model(self) -> None:
        model = self.model
        for about in (model.rowsAboutToBeInserted, model.rowsAboutToBeRemoved):
            about.connect(self._on_model_rows_about_to_change)
        model.layoutAboutToBeChanged.connect(self._on_model_rows_about_to_change)
        model.rowsInserted.connect(self._on_model_rows_inserted)
        model.rowsRemoved.connect(self._keep_in_sight)
        model.layoutChanged.connect(self._on_model_layout_changed)
        model.columnsInserted.connect(self._widths.share_out)
        model.modelReset.connect(self._on_model_reset)
        model.headerDataChanged.connect(self._on_model_header_data_changed)
        model.dataChanged.connect(self._on_model_data_changed)

    def _on_theme_changed(self) -> None:
        self._painter.restyle()
        self._edge.setStyleSheet(f"background: {self._theme.tokens.line}")
        for pane in (self.frozen, self.scrolling):
            pane.header.restyle()
            pane.viewport().update()
        self._widths.share_out()
        self._fit_rows()

    def _follow_rows(self) -> None:
        """Have the frozen pane show the rows that the other does, as far as it can by its size.

        One of the two is resized first: what it can't show yet is no scrolling of the user's.
        """
        self._is_following = True
        self.frozen.verticalScrollBar().setValue(self.scrolling.verticalScrollBar().value())
        self._is_following = False

    def _on_frozen_rows_value_changed(self, value: int) -> None:
        if not self._is_following:
            self.scrolling.verticalScrollBar().setValue(value)

    def _on_width_range_changed(self, least: int, most: int) -> None:
        policy = Qt.ScrollBarPolicy
        self.frozen.setHorizontalScrollBarPolicy(
            policy.ScrollBarAlwaysOn if most > least else policy.ScrollBarAlwaysOff
        )

    def _on_pane_clicked(self, index: QModelIndex) -> None:
        if self.model.is_section(index.row()) and index.column() == 0:
            self.model.set_folded(index.row(), not self.model.is_folded(index.row()))

    def _on_pane_double_clicked(self, index: QModelIndex) -> None:
        if not self.model.is_section(index.row()):
            self.opened.emit(index)
        elif index.column() == 0:
            self._on_pane_clicked(index)

    def _on_pane_row_hovered(self, row: int) -> None:
        for pane in self._panes():
            pane.set_hovered(row)

    def _on_pane_flash_seen(self, is_step: bool) -> None:
        # After a step of the fade the next is due a step later.
        if is_step or not self._flash_timer.isActive():
            count = sum(each.flash_count for each in self._panes())
            step_ms = _FADE_MS if count < _MANY_FLASHES else 2 * _FADE_MS
            self._flash_timer.start(step_ms)
            self._step_at_ms = self._clock() + step_ms - _EARLY_MS

    def _on_model_data_changed(self) -> None:
        if self._flash_timer.isActive() and self._clock() >= self._step_at_ms:
            self._on_flash_timer_timeout()

    def _on_flash_timer_timeout(self) -> None:
        now_ms = self._clock()
        advanced = [pane.advance_flashes(now_ms) for pane in self._panes()]
        if not any(advanced):
            self._flash_timer.stop()

    def _on_age_timer_timeout(self) -> None:
        now_ms = self._clock()
        for pane in self._panes():
            pane.repaint_aged(now_ms)
            if self.model.headers_age:
                pane.header.repaint_aged()

    def _on_model_rows_about_to_change(self) -> None:
        row = self.scrolling.rowAt(0)
        if self._anchor is None and row >= 0 and self.scrolling.verticalScrollBar().value() > 0:
            anchor = QPersistentModelIndex(self.model.index(row, 0))
            self._anchor = anchor, self.scrolling.rowViewportPosition(row)

    def _on_model_rows_inserted(self, _parent: QModelIndex, first: int, last: int) -> None:
        self._fit_rows(range(first, last + 1))
        self._keep_in_sight()
        for pane in self._panes():
            pane.executeDelayedItemsLayout()  # which repaints all: rows below lie elsewhere now

    def _on_model_layout_changed(self) -> None:
        self._fit_rows()
        self._keep_in_sight()

    def _keep_in_sight(self) -> None:
        anchor, self._anchor = self._anchor, None
        if anchor is None or not anchor[0].isValid():
            return
        for pane in self._panes():
            pane.updateGeometries()
        moved = self.scrolling.rowViewportPosition(anchor[0].row()) - anchor[1]
        bar = self.scrolling.verticalScrollBar()
        bar.setValue(bar.value() + moved)

    def _on_model_reset(self) -> None:
        self._widths.share_out()
        self._fit_rows()

    def _on_model_header_data_changed(
        self, orientation: Qt.Orientation, first: int, last: int
    ) -> None:
        if orientation is Qt.Orientation.Horizontal:
            self._widths.fit_columns(first, last)

    # Qt's virtuals

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._widths.fit_width()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        for pane in self._panes():
            pane.setAccessibleName(self.accessibleName())
        self._age_timer.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._age_timer.stop()
        self._flash_timer.stop()


class WidthRequest(NamedTuple):
    """What one column asks for, in pixels."""

    column: int
    least: int
    likes: int
    """The width that it gets before any column is stretched."""
    most: int | None
    """The width that it is stretched to at most; None: no limit."""
    priority: Priority = Priority.ESSENTIAL
    narrow: int | None = None
    """What it is narrowed to where nothing else is left to hide, before it is hidden itself; None:
    never."""
    before_others: int = 0
    """What it gets before any other column that was narrowed is widened again."""


def share_width(requests: Sequence[WidthRequest], room: int) -> dict[int, int]:
    """Return the width of each column that has room, by column.

    The least important ones are dropped until the others have what they need; then those that can
    be narrowed are, and the least important of them dropped. What is left goes to those that come
    before others, then to those who like more, then to those that stretch, and in the end to all
    alike.
    """
    kept = list(requests)
    for request in sorted(kept, key=lambda request: (request.priority, -request.column)):
        if request.priority is Priority.ESSENTIAL:
            break
        needed = _narrowest if request.narrow is not None else _least
        if sum(map(needed, kept)) > room:
            kept.remove(request)
    widths = {request.column: _narrowest(request) for request in kept}
    spare = room - sum(widths.values())
    first = {request.column: min(request.before_others, request.least) for request in kept}
    spare = _grow(widths, first, spare)
    spare = _grow(widths, {request.column: request.least for request in kept}, spare)
    spare = _grow(widths, {request.column: request.likes for request in kept}, spare)
    capped = {request.column: request.most for request in kept if request.most is not None}
    spare = _grow(widths, capped, spare)
    endless = [request.column for request in kept if request.most is None] or list(widths)
    for place, column in enumerate(endless):
        widths[column] += (spare + len(endless) - 1 - place) // len(endless) if spare > 0 else 0
    return widths


def _least(request: WidthRequest) -> int:
    return request.least


def _narrowest(request: WidthRequest) -> int:
    return request.least if request.narrow is None else request.narrow


def _grow(widths: dict[int, int], limits: dict[int, int], spare: int) -> int:
    """Widen columns up to their limits, in proportion to what they want; return what is left."""
    wanted = {column: max(0, limit - widths[column]) for column, limit in limits.items()}
    total = sum(wanted.values())
    given = min(max(0, spare), total)
    left = given
    for column, more in wanted.items():
        share = given * more // total if total else 0
        widths[column] += share
        left -= share
    for column, more in wanted.items():
        dust = min(left, limits[column] - widths[column]) if more else 0
        widths[column] += dust
        left -= dust
    return spare - given


FROZEN_SHARE: Final = 0.42
"""The share of a table that frozen columns may take before they are narrowed."""
_HIDING_SHARE: Final = 0.60
"""The share that they may take, narrowed, before some are hidden."""
_NARROW: Final = 1_060
"""In a table of fewer pixels than this, headers that have a code show that."""
_ROOMY: Final = 1_400
"""From this width on a frozen column is as wide as it likes, where others stretch."""
_MOST_MORE: Final = 40
"""What a scrolling column takes at most of the room that no column needs."""
_STEP: Final = 4
"""It is taken in steps, since a column that asks for a pixel more must not move all of them."""
_BAR: Final = 14
"""What a bar for scrolling takes."""


class ColumnWidths:
    """Distributes the columns of a model over two panes and sizes them."""

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
        self._dropped: set[int] = set()
        """Columns hidden because there is no room for them."""
        self._is_narrow = False
        self._asked: dict[int, int] = {}
        """What scrolling columns ask for, by column."""

    def is_shown(self, column: int) -> bool:
        """Whether a column can be seen in either pane."""
        is_out = column in self._left_out or column in self._dropped
        return not is_out and not self._model.is_hidden(column)

    def share_out(self) -> None:
        """Show each visible column in its pane only, and size them."""
        count = self._model.columnCount()
        for column in range(count):
            is_frozen, is_hidden = column < self._frozen_count, not self.is_shown(column)
            self._frozen.setColumnHidden(column, is_hidden or not is_frozen)
            self._scrolling.setColumnHidden(column, is_hidden or is_frozen)
        self.fit_columns(0, count - 1)

    def fit_columns(self, first: int, last: int) -> None:
        """Give columns, both ends included, the width that samples and titles ask for."""
        for column in range(max(first, self._frozen_count), last + 1):
            if self.is_shown(column):
                self._asked[column] = self._wanted(self._scrolling, column)
        self.fit_frozen()

    def fit_width(self) -> None:
        """Size columns for a table that is as wide as it is now."""
        is_narrow = self._table_width() < self._painter.scaled(_NARROW)
        if is_narrow != self._is_narrow:
            self._is_narrow = is_narrow
            self.fit_columns(0, self._model.columnCount() - 1)
        else:
            self.fit_frozen()

    def fit_frozen(self) -> None:
        """Give the frozen columns their widths, narrowed where the others had no room."""
        shown = (c for c in range(self._frozen_count) if not self._model.is_hidden(c))
        widths = {column: self._wanted(self._frozen, column) for column in shown}
        left_out = self._narrow(widths)
        spare = self._widen(widths)
        for column, width in widths.items():
            _give(self._frozen, column, width)
        for column in left_out ^ self._left_out:
            pane = self._frozen if column < self._frozen_count else self._scrolling
            pane.setColumnHidden(column, column in left_out or self._model.is_hidden(column))
        self._left_out = left_out
        self._frozen.setFixedWidth(self._frozen.header.length())
        self._spread(spare)
        self.stretch()

    def _narrow(self, widths: dict[int, int]) -> set[int]:
        """Take from widths what is too much; return the columns to leave out."""
        room, left_out = self._table_width(), set[int]()
        most = int(room * FROZEN_SHARE)
        for step in self._model.shrink_steps():
            taken, column = sum(widths.values()), step.column
            if not step.sample:
                if taken > room * _HIDING_SHARE:
                    widths.pop(column, None)
                    left_out.add(column)
            elif taken > most and column in widths:  # else it is hidden
                least = self._least(step)
                width = widths[column] - (taken - most)
                keeps_note = (
                    width >= least + LEAST_NOTE or not self._model.column(column).note_sample
                )
                widths[column] = max(least, width) if keeps_note else least
        self._give_back(widths, most)
        return left_out

    def _give_back(self, widths: dict[int, int], most: int) -> None:
        """Give the first narrowed column the room of the note that it lost."""
        steps = [step for step in self._model.shrink_steps() if step.column in widths]
        first = next((step.column for step in steps if step.sample), None)
        if first is not None:
            spare = most - sum(widths.values())
            wanted = self._wanted(self._frozen, first)
            widths[first] = min(wanted, widths[first] + max(0, spare))

    def _widen(self, widths: dict[int, int]) -> int:
        """Give frozen columns what they like of what no other column needs; return what is left."""
        model, room = self._model, self._table_width()
        others = range(self._frozen_count, model.columnCount())
        if any(model.column(column).stretches for column in others):
            spare = room - sum(widths.values()) if room >= self._painter.scaled(_ROOMY) else 0
        else:
            asked = sum(self._asked.get(column, 0) for column in self._scrolled())
            spare = room - sum(widths.values()) - asked - _BAR
        for column, width in widths.items():
            likes = model.column(column).likes
            if likes and spare > 0:
                more = self._painter.narrow_width(model, column, likes) - width
                widths[column] += max(0, min(more, spare))
                spare -= max(0, more)
        return spare

    def _scrolled(self) -> list[int]:
        """Return the scrolling columns that are shown."""
        columns = range(self._frozen_count, self._model.columnCount())
        return [column for column in columns if self.is_shown(column)]

    def _spread(self, spare: int) -> None:
        """Give scrolling columns their widths, in a wide table some more each."""
        columns = self._scrolled()
        if any(self._model.column(column).stretches for column in columns):
            return
        most = self._painter.scaled(_MOST_MORE)
        each = min(max(spare, 0) // max(len(columns), 1), most) // _STEP * _STEP
        for column in columns:
            if column in self._asked:
                _give(self._scrolling, column, self._asked[column] + each)

    def stretch(self) -> None:
        """Use the whole width, where a column stretches at all, and say what has no room."""
        self._stretch()
        left_out = self._left_out | self._dropped
        without_room = frozenset(each for each in left_out if not self._model.is_hidden(each))
        if without_room != self._model.without_room:
            self._model.leave_out(without_room)
            for pane in (self._frozen, self._scrolling):
                pane.header.viewport().update()

    def _stretch(self) -> None:
        model = self._model
        columns = range(self._frozen_count, model.columnCount())
        there = [column for column in columns if not model.is_hidden(column)]
        if not any(model.column(column).stretches for column in there):
            return
        room = self._scrolling.viewport().width()
        widths = share_width([self._request(column) for column in there], room)
        dropped = set(there) - set(widths)
        for column in dropped ^ self._dropped:
            self._scrolling.setColumnHidden(column, column in dropped or model.is_hidden(column))
        self._dropped = dropped
        for column, width in widths.items():
            _give(self._scrolling, column, width)

    def _request(self, column: int) -> WidthRequest:
        spec, width_of = self._model.column(column), self._painter.narrow_width
        least = self._wanted(self._scrolling, column)
        likes = max(least, width_of(self._model, column, spec.likes)) if spec.likes else least
        most: int | None = likes
        if spec.stretches:
            widest = spec.widest
            most = max(likes, width_of(self._model, column, widest)) if widest else None
        narrow = None if spec.narrow is None else min(least, self._narrowed(column, spec))
        first = width_of(self._model, column, spec.before_others) if spec.before_others else 0
        priority = self._model.priority(column)
        return WidthRequest(column, least, likes, most, priority, narrow, first)

    def _narrowed(self, column: int, spec: Column) -> int:
        header = self._model.header(column)
        title = self._scrolling.header.width_of(Header(header.code or header.title, header.note))
        sample = spec.narrow or spec.sample
        return max(title, self._painter.narrow_width(self._model, column, sample))

    def _wanted(self, pane: LivePane, column: int) -> int:
        header = self._model.header(column)
        title = pane.header.width_of(header)
        most = self._painter.scaled(self._model.column(column).most)
        if not most:
            title = most = pane.header.width_of(Header(header.title))
        if header.code and (self._is_narrow or title > most):
            title = pane.header.width_of(Header(header.code, header.note))
        least = self._painter.least_width(self._model, column)
        return max(least, min(title, most))

    def _table_width(self) -> int:
        table = self._scrolling.parentWidget()
        assert table is not None
        return table.width()

    def _least(self, step: ShrinkStep) -> int:
        """Return what a column keeps: its sample, and the title without the note below."""
        title = self._frozen.header.width_of(Header(self._model.header(step.column).title))
        return max(title, self._painter.narrow_width(self._model, step.column, step.sample))


def _give(pane: LivePane, column: int, width: int) -> None:
    if pane.columnWidth(column) != width:
        pane.setColumnWidth(column, width)
