"""The live table: frozen columns at the left, the others scrolling, one model and selection."""

import math

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QFrame, QHBoxLayout, QWidget

from oddsdesk.clock import Clock
from oddsdesk.desk.ui.table.cell_painter import CellPainter
from oddsdesk.desk.ui.table.cells import FADE_MS, FADE_STEPS
from oddsdesk.desk.ui.table.column_widths import ColumnWidths
from oddsdesk.desk.ui.table.live_model import LiveModel
from oddsdesk.desk.ui.table.live_pane import LivePane
from oddsdesk.desk.ui.theme import tokens as spacing
from oddsdesk.desk.ui.theme.theme import Theme

_AGE_MS = 1_000
_FADE_MS = math.ceil(FADE_MS / FADE_STEPS)
_MANY_FLASHES = 15
"""From so many flashes on, fades take half as many steps."""
_EARLY_MS = _FADE_MS // 2
"""So long before it is due a step is taken with what changes: a paint of its own costs more."""


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
    """Another cell is current, or the same was pressed anew; an invalid index for none."""
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
        self._model = model
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
        self._step_at_ms = 0
        """From when on what fades takes its step with what changes."""
        self._age_timer = QTimer(self, interval=_AGE_MS)
        self._age_timer.timeout.connect(self._on_age_timer_timeout)
        self._lay_out(outlines_current)
        self._connect_panes()
        self._connect_model()
        theme.changed.connect(self._on_theme_changed)
        self._on_theme_changed()

    @property
    def model(self) -> LiveModel:
        """The model shown."""
        return self._model

    def current(self) -> QModelIndex:
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
        at_it = self.underMouse() or self.scrolling.hasFocus() or is_asked
        return self.model.rowCount() > 0 and at_it

    def set_current(self, row: int, column: int = 0) -> None:
        """Make a cell current and bring it into sight."""
        self.scrolling.setCurrentIndex(self._model.index(row, column))

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
        return range(first, self._model.rowCount() if last < 0 else last + 1)

    def show_columns(self) -> None:
        """Show the columns that the model does not hide."""
        self._widths.share_out()

    def refresh_all(self) -> None:
        """Repaint every figure, since they are formatted differently now."""
        self._model.refresh_all()
        self._widths.share_out()

    def _fit_rows(self, rows: range | None = None) -> None:
        """Give rows their height, all of them unless some are named."""
        panes = self._panes()
        height = self._theme.fonts.row_height(spacing.ROW)
        section = self._theme.fonts.row_height(spacing.SECTION_ROW)
        for pane in panes if rows is None else ():
            pane.verticalHeader().setDefaultSectionSize(height)  # which all rows get
        if not self._model.has_sections:
            return
        for row in range(self._model.rowCount()) if rows is None else rows:
            wanted = section if self._model.is_section(row) else height
            for pane in panes:
                if pane.rowHeight(row) != wanted:
                    pane.setRowHeight(row, wanted)

    def _panes(self) -> tuple[LivePane, ...]:
        return (self.frozen, self.scrolling) if self.frozen_count else (self.scrolling,)

    def _lay_out(self, outlines_current: bool) -> None:
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(0)
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
            pane.setModel(self._model)
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
            pane.current_pressed.connect(self.current_changed)
            pane.menu_asked.connect(self.menu_requested)
            pane.doubleClicked.connect(self._on_pane_double_clicked)
            pane.clicked.connect(self._on_pane_clicked)
            pane.fold_asked.connect(self._model.set_folded)
            pane.row_hovered.connect(self._on_pane_row_hovered)
            pane.flash_seen.connect(self._on_pane_flash_seen)
            pane.header.sectionClicked.connect(self.header_clicked)

    def _connect_model(self) -> None:
        model = self._model
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
        if self._model.is_section(index.row()) and index.column() == 0:
            self._model.set_folded(index.row(), not self._model.is_folded(index.row()))

    def _on_pane_double_clicked(self, index: QModelIndex) -> None:
        if not self._model.is_section(index.row()):
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
            if self._model.headers_age:
                pane.header.viewport().update()

    def _on_model_rows_about_to_change(self) -> None:
        row = self.scrolling.rowAt(0)
        if self._anchor is None and row >= 0 and self.scrolling.verticalScrollBar().value() > 0:
            anchor = QPersistentModelIndex(self._model.index(row, 0))
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
            self._widths.fit(first, last)

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
