"""The odds grid: every price of the service in one table, for those who compare."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Final

import msgspec
from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QStandardPaths,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QAction, QHideEvent, QShowEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QFileDialog, QStackedLayout, QWidget

from oddsdesk.base.clock import Clock
from oddsdesk.base.numbers import hour_text, num
from oddsdesk.base.texts import _, translated
from oddsdesk.board.board import Board
from oddsdesk.board.model.matrix import CellKey, RowKey
from oddsdesk.board.model.notices import (
    Connection,
    ConnectionChanged,
    Link,
    Notice,
    RowsWanted,
    SnapshotProgress,
    SnapshotProgressChanged,
)
from oddsdesk.desk.export.files import CSV, JSON, XLSX, FileFormat, lack_of
from oddsdesk.desk.grid.bar import GridBar, GridFilterBar
from oddsdesk.desk.grid.columns import BY_KEY
from oddsdesk.desk.grid.entries import Entry, SelectionEntry, Shape
from oddsdesk.desk.grid.export import GridExport
from oddsdesk.desk.grid.filter import GridFilter, facet_choices, words_of
from oddsdesk.desk.grid.model import GridModel
from oddsdesk.desk.grid.views import GridView, GridViews, NamedView
from oddsdesk.desk.settings.saved_state import Layout, Saved
from oddsdesk.desk.ui.actions import add_action
from oddsdesk.desk.ui.controls.file_dialog import file_dialog
from oddsdesk.desk.ui.controls.messages import EmptyState, MessageBar, Placeholder
from oddsdesk.desk.ui.formatting import BookmakerNames, day_text, local_time, span_text
from oddsdesk.desk.ui.price_actions import PriceActions, PriceFacts, open_link
from oddsdesk.desk.ui.spacing import vertical
from oddsdesk.desk.ui.states import FEED, NO_SERVICE, cut_text, nearest_text, state_of_refusal
from oddsdesk.desk.ui.table.column_chooser import ColumnChooser
from oddsdesk.desk.ui.table.live_table import LiveTable
from oddsdesk.desk.ui.theme.theme import Theme

_FILLING_MS, _IDLE_MS = 250, 2_000
"""How often rows are put in place that would move: oftener while the first ones come in."""
_SLOWLY_MS, _RESTS = 1_000, 10
"""The longest between two of them while rows come in, and for how many times as long as the last
one took it rests: putting rows in place is not to hold up those that come."""
_FILLING_IDLES = 12
"""Looks after the end of the first reading, in which its last rows still come in."""
_TYPING_MS = 60
_SAID_MS = 6_000


class GridPanel(QWidget):
    """Shows what the board gathers while the panel is in sight."""

    competitions_chosen = Signal(object)
    """Those that the filter names now, a frozenset of codes."""
    pause_requested = Signal(bool)
    """The reading of all rows shall be stopped (True) or go on."""
    price_selected = Signal(object)
    """The ``RowKey`` of the current row, None where it is about no price."""
    lay_selected = Signal(object)
    """The same, where the current cell is a lay."""
    price_requested = Signal(object)
    """The ``RowKey`` of a price to be shown in its game."""
    undoable = Signal(object)
    """Something was done; what undoes it, to be called."""

    def __init__(
        self,
        board: Board,
        theme: Theme,
        layout: Layout,
        clock: Clock,
        names: BookmakerNames | None = None,
    ) -> None:
        super().__init__()
        self.setProperty("variant", "panel")
        self._board = board
        self._theme = theme
        self._clock = clock
        self.model = GridModel(board, clock, names)
        self.table = LiveTable(theme, self.model, clock, frozen=1)
        self.model.rows_in_view = self.table.rows_in_view
        self.table.setAccessibleName(_("Odds grid"))
        self.table.set_selection_mode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self._marked = MarkedRows(self.model, self.table)
        self.view = GridView(self.model, self.table, layout)
        self._kept_filter = Saved(layout, "grid/filter", GridFilter, GridFilter())
        self.bar = GridBar(theme)
        self.views = GridViews(self.bar.views, self.view, layout, self)
        self.filters = GridFilterBar(
            theme, lambda facet: facet_choices(self.model.book.selections(), facet)
        )
        self.export = GridExport(self)
        self.messages = MessageBar(theme)
        self.placeholder = Placeholder(theme)
        self._columns: ColumnChooser | None = None
        self._server: QAction | None = None
        self._is_cut_told = False
        self._has_failed = False
        """Whether it says that no file was written, which stays until there is more to say."""
        self._idle = QTimer(self, interval=_FILLING_MS)
        self._typing = QTimer(self, singleShot=True, interval=_TYPING_MS)
        self._said = QTimer(self, singleShot=True, interval=_SAID_MS)
        self._lay_out()
        self._connect()
        self._connect_wishes()
        self.bar.shapes.choose_chip(self.model.shape.value)
        self.bar.group.setChecked(self.model.is_grouped)
        self._show_state()

    def close_panel(self) -> None:
        """Stop listening to the board and save the layout."""
        self._idle.stop()
        self._typing.stop()
        self.export.end_export()
        self.view.keep_layout()
        self.model.stop_listening()
        self._unsubscribe()

    def offer_server(self, action: QAction) -> None:
        """Offer to feed the desk's own server where there are no prices, while that can be."""
        self._server = action
        action.changed.connect(self._show_state)
        self._show_state()

    def restore_filter(self) -> None:
        """Show the rows of the filter that was chosen before the last end."""
        kept = self._kept_filter.get_value()
        if kept != self.model.filter:
            self.show_filter(kept)

    def show_filter(self, chosen: GridFilter) -> None:
        """Show the rows of a filter, and the filter itself."""
        text = " ".join(chosen.words)
        if words_of(self.bar.filter.text()) != chosen.words:
            self.bar.filter.setText(text)
        self._typing.stop()
        self._kept_filter.keep_value(chosen)
        self.views.note_filter(chosen)
        self.filters.show_filter(chosen)
        if chosen.competitions != self.model.filter.competitions:
            self.competitions_chosen.emit(chosen.competitions)
        self.model.show(chosen)
        self.table.scrolling.scrollToTop()

    def _lay_out(self) -> None:
        body = QWidget()
        self._stack = QStackedLayout(body)
        self._stack.addWidget(self.table)
        self._stack.addWidget(self.placeholder)
        whole = vertical(self, spacing=0)
        for widget in (self.bar, self.filters):
            whole.addWidget(widget)
        whole.addWidget(body, 1)
        whole.addWidget(self.messages)

    def _connect(self) -> None:
        self._idles_since_filled = 0
        self._fills = True
        self._idle.timeout.connect(self._on_idle_timeout)
        self._typing.timeout.connect(self._on_typing_timeout)
        self._said.timeout.connect(self.messages.hide)
        self.table.header_clicked.connect(self._on_table_header_clicked)
        self.table.opened.connect(self._on_table_opened)
        self.table.current_changed.connect(self._on_table_current_changed)
        # A click makes its cell current before it selects the row, a key the other way round.
        selection = self.table.scrolling.selectionModel()
        selection.selectionChanged.connect(
            lambda *_: self._on_table_current_changed(self.table.current_cell())
        )
        self.model.counts_changed.connect(self._on_model_counts_changed)
        self.model.columns_changed.connect(self.table.show_columns)
        self.placeholder.action_requested.connect(self._on_placeholder_action_requested)
        self.messages.action_requested.connect(self._on_messages_action_requested)
        self.export.progressed.connect(self._on_export_progressed)
        self.export.ended.connect(self._on_export_ended)
        self.export.failed.connect(self._on_export_failed)
        self._unsubscribe = self._board.subscribe(
            self._on_board_notice, RowsWanted, SnapshotProgressChanged, ConnectionChanged
        )

    def _connect_wishes(self) -> None:
        bar = self.bar
        bar.filter.textChanged.connect(lambda _text: self._typing.start())
        bar.shape_chosen.connect(lambda shape: self._show_as(shape, self.model.is_grouped))
        bar.grouping_changed.connect(lambda grouped: self._show_as(self.model.shape, grouped))
        bar.columns_requested.connect(self._choose_columns)
        bar.copy_requested.connect(self.copy_rows)
        bar.export_requested.connect(self._ask_for_file)
        bar.arrange_requested.connect(self.model.arrange)
        bar.pause_requested.connect(self.pause_requested)
        self.views.wanted.connect(self._on_views_wanted)
        self.filters.filter_changed.connect(self._on_filters_filter_changed)
        self.filters.cleared.connect(lambda: self.show_filter(GridFilter()))
        self.price_actions = attach_grid_actions(self)

    def sort_by_current(self) -> None:
        """Sort by the column of the current cell, or the other way round."""
        if self.table.current_cell().isValid():
            self.model.sort_by(self.table.current_cell().column())

    def sort_second_by_current(self) -> None:
        """Sort equal rows by the current cell's column, reverse that, or stop it."""
        if self.table.current_cell().isValid():
            self.model.sort_second_by(self.table.current_cell().column())

    def go_to_value(self, step: int) -> None:
        """Choose the next row whose price is value, or with -1 the one before; round the ends."""
        count, current = self.model.rowCount(), self.table.current_cell()
        here = current.row() if current.isValid() else (-1 if step > 0 else count)
        for distance in range(1, count + 1):
            row = (here + step * distance) % count
            if self.model.is_value_row(row):
                self.table.set_current(row, BY_KEY["odds"])
                return
        self._say_for_a_while(_("None of the rows shown is a value bet."))

    def show_in_game(self) -> None:
        """Ask for the game of the current row, at its price."""
        key = self._key_at(self.table.current_cell())
        if key is not None:
            self.price_requested.emit(key)

    def hide_bookmaker(self) -> None:
        """Leave out the bookmaker of the current row, by a filter that is seen and taken back."""
        key = self._key_at(self.table.current_cell())
        if key is None or self._is_reference(key):
            return
        every = (name for name, _ in facet_choices(self.model.book.selections(), "bookmakers"))
        kept = self.model.filter.bookmakers or frozenset(every)
        shown = self.model.filter.bookmakers
        self._show_bookmakers(kept - {key.bookmaker})
        self.undoable.emit(partial(self._show_again, key.bookmaker, shown))

    def _is_reference(self, key: RowKey) -> bool:
        return key.bookmaker in ("", self._board.desk_reference.bookmaker)

    def _show_bookmakers(self, names: frozenset[str]) -> None:
        self.show_filter(msgspec.structs.replace(self.model.filter, bookmakers=names))

    def _show_again(self, bookmaker: str, names: frozenset[str]) -> None:
        self._show_bookmakers(names)
        self._say_for_a_while(_("{bookmaker} is shown again.").format(bookmaker=bookmaker))

    def facts(self, index: QModelIndex) -> PriceFacts | None:
        """Return what the price of a row is about, None for the title of a game."""
        entry, key = self.model.entry(index.row()), self._key_at(index)
        if entry is None or key is None:
            return None
        if index.column() == BY_KEY["lay_odds"] and entry.lay is not None:
            return self._lay_facts(entry, key, entry.lay)
        is_best = isinstance(entry, SelectionEntry) and index.column() in _OF_BEST
        if is_best and (laid := entry.selection.figures.laid) is not None:
            key = key._replace(selection=laid.selection, bookmaker=laid.bookmaker)
            return self._laid_facts(key, laid.lay_odds)
        price, has_bookmaker = entry.price, not self._is_reference(key)
        if price is None:
            return PriceFacts(key, has_bookmaker=has_bookmaker)
        return PriceFacts(key, price.odds, price.url, has_bookmaker)

    def _lay_facts(self, entry: Entry, key: RowKey, odds: float) -> PriceFacts:
        """Return the facts of a row's lay; for a selection, the best-paying one."""
        if isinstance(entry, SelectionEntry):
            key = key._replace(bookmaker=entry.figures.best_lay_at)
        return self._laid_facts(key, odds)

    def _laid_facts(self, key: RowKey, odds: float) -> PriceFacts:
        price = self._board.price(key.game_id, CellKey(*key[1:]))
        url = None if price is None else price.url
        return PriceFacts(key, odds, url, not self._is_reference(key), is_lay=True)

    def copy_rows(self) -> None:
        """Copy the rows selected, a game's by its title; all that the filter keeps without any."""
        rows = self.table.selected_rows()
        chosen = self.model.entries_at(rows) if rows else self.model.entries()
        self.export.copy_rows(chosen, self.view.exported(), self.model.shape)

    def write_rows(self, file_format: FileFormat, path: Path) -> None:
        """Write all rows that the filter keeps to a file."""
        entries, columns = self.model.entries(), self.view.exported()
        sources = self._board.connection.sources
        self.export.write_rows(entries, columns, self.model.shape, file_format, path, sources)

    def _ask_for_file(self, file_format: FileFormat) -> None:
        if lack := lack_of(file_format):
            self._on_export_failed(lack)
            return
        folder = QStandardPaths.StandardLocation.DocumentsLocation
        dialog = file_dialog(
            self, _("Export as {format}").format(format=translated(file_format.title))
        )
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilter(f"{translated(file_format.title)} (*{file_format.suffix})")
        dialog.setDefaultSuffix(file_format.suffix[1:])
        dialog.setDirectory(QStandardPaths.writableLocation(folder))
        dialog.selectFile(f"odds{file_format.suffix}")
        dialog.fileSelected.connect(lambda name: self.write_rows(file_format, Path(name)))
        dialog.open()

    def _choose_columns(self) -> None:
        popup = ColumnChooser(self, self._theme, self.view.column_choices())
        popup.columns_changed.connect(self.view.show_columns)
        popup.reset_requested.connect(self.view.show_usual_columns)
        self._columns = popup
        popup.open_below(self.bar.columns)

    def _show_as(self, shape: Shape, grouped: bool) -> None:
        self.model.show_as(shape, grouped=grouped)
        self.table.show_columns()
        self.table.scrolling.scrollToTop()

    def _show_state(self) -> None:
        model, snapshot_progress, connection = (
            self.model,
            self._board.snapshot_progress,
            self._board.connection,
        )
        self.bar.show_count(*count_texts(model.shape, model.kept_count, model.total))
        self.filters.show_missing(model.total - model.kept_count)
        reading = reading_text(snapshot_progress)
        facts = [text for text in (reading, live_text(connection)) if text]
        is_first = snapshot_progress.finished_at is None and bool(reading)
        total = snapshot_progress.slices_total if is_first else 0
        done = snapshot_progress.slices_done
        self.bar.show_reading(" · ".join(facts), done, total, paused=snapshot_progress.is_paused)
        is_read = connection.link not in (Link.REFUSED, Link.PAST)
        self.bar.pause.setVisible(is_read and not connection.has_no_service)
        self.bar.show_misplaced(self._misplaced_to_tell())
        self._show_table(bool(model.kept_count))
        if not model.kept_count:
            now_ms = self._clock()
            own = self._server is not None and self._server.isEnabled()
            state = state_without_rows(
                connection, snapshot_progress, model.total, now_ms, own_server=own
            )
            was_read = snapshot_progress.finished_at is not None  # for another panel
            is_coming = was_read and model.is_filling and not model.total
            self.placeholder.show_state(_LOADING if is_coming else state)
        self._tell_cuts()

    def _misplaced_to_tell(self) -> int:
        """Return how many rows would move; 0 where nobody keeps them from it, since they soon do.

        Once told it stays until they are sorted: the pointer leaves the table for that button.
        """
        is_told = not self.bar.arrange.isHidden()
        is_held = self._is_pointed_at() and not self._fills
        return self.model.misplaced if is_told or is_held else 0

    def _show_table(self, has_rows: bool) -> None:
        """Show rows or the state; who came before the rows did has the keyboard in them then."""
        is_new = has_rows and self.table.isHidden()
        self._stack.setCurrentIndex(0 if has_rows else 1)
        if is_new and self.bar.pause.hasFocus():
            self.table.setFocus(Qt.FocusReason.OtherFocusReason)

    def _tell_cuts(self) -> None:
        """Say once what is missing; of a lost connection the window's line tells."""
        if self.export.is_busy or self._said.isActive():
            return
        cut = cut_text(self._board.snapshot_progress)
        if cut and not self._is_cut_told:
            self._is_cut_told = True
            self.messages.show_message(cut, icon="warning")
        elif not cut and not self._has_failed:
            self._is_cut_told = False
            self.messages.hide()

    def _say_for_a_while(self, text: str) -> None:
        self._has_failed = False
        self.messages.show_message(text)
        self._said.start()

    def _is_pointed_at(self) -> bool:
        is_read = self.table.has_choice and self.table.scrolling.hasFocus()
        return self.model.kept_count > 0 and (self.table.underMouse() or is_read)

    def _on_board_notice(self, _notice: Notice) -> None:
        self._show_state()

    def _on_model_counts_changed(self) -> None:
        if (
            not self.model.kept_count
            and self.model.misplaced
            and self.model.is_ready
            and self.isVisible()
        ):
            self._idles_since_filled = 0  # though it was read already for others
            self._idle.setInterval(_FILLING_MS)
            self.model.arrange()  # which updates the counts
            return
        if self.model.is_filling:
            self._idles_since_filled = 0
            if self._idle.interval() == _IDLE_MS:
                self._idle.setInterval(_FILLING_MS)
        self._show_state()

    def _on_idle_timeout(self) -> None:
        is_filling = self._fills = self._is_filling()
        self._idle.setInterval(_FILLING_MS if is_filling else _IDLE_MS)
        may_move = is_filling or not self._is_pointed_at()
        if self.model.misplaced and self.isVisible() and may_move and self.model.is_ready:
            if not self.table.has_choice:
                self.table.scrolling.selectionModel().clearCurrentIndex()  # else it moves along
            began = perf_counter()
            self.model.arrange()
            if is_filling:
                rest_ms = round((perf_counter() - began) * 1_000 * _RESTS)
                self._idle.setInterval(max(_FILLING_MS, min(_SLOWLY_MS, rest_ms)))
        if self.isVisible() and not is_filling:
            self._marked.mark_again()  # not before: rows show as they come while none is chosen

    def _is_filling(self) -> bool:
        """Whether the first reading goes on, with no row chosen: then rows show as they come."""
        if self._board.snapshot_progress.finished_at is None or self.model.is_filling:
            self._idles_since_filled = 0
        else:
            self._idles_since_filled += 1
        return self._idles_since_filled <= _FILLING_IDLES and not self.table.selected_rows()

    def _on_typing_timeout(self) -> None:
        words = words_of(self.bar.filter.text())
        if words != self.model.filter.words:
            self.show_filter(msgspec.structs.replace(self.model.filter, words=words))

    def _on_filters_filter_changed(self, chosen: GridFilter) -> None:
        self.show_filter(msgspec.structs.replace(chosen, words=words_of(self.bar.filter.text())))

    def _on_views_wanted(self, view: NamedView) -> None:
        self.view.apply_view(view.view)
        self.bar.shapes.choose_chip(self.model.shape.value)
        self.bar.group.setChecked(self.model.is_grouped)
        self.show_filter(view.filter)

    def _on_placeholder_action_requested(self) -> None:
        if self.model.total:
            self.show_filter(GridFilter())
        elif self._board.snapshot_progress.is_paused:
            self.pause_requested.emit(False)
        elif self._server is not None:
            self._server.trigger()

    def _on_messages_action_requested(self) -> None:
        if stopped := self.export.stop_export():
            self._say_for_a_while(f"Cancelled: nothing was saved to {', '.join(stopped)}.")

    def _on_table_header_clicked(self, column: int) -> None:
        if QApplication.keyboardModifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.model.sort_second_by(column)
        else:
            self.model.sort_by(column)
        self.table.scrolling.scrollToTop()

    def _on_table_current_changed(self, index: QModelIndex) -> None:
        """Report the chosen row; the first one is current once the table has the keyboard."""
        if index.isValid() and not self.table.scrolling.selectionModel().isSelected(index):
            return
        facts = self.facts(index) if index.isValid() else None
        if facts is not None and facts.is_lay:
            self.lay_selected.emit(facts.key)
        else:
            self.price_selected.emit(self._key_at(index))

    def _key_at(self, index: QModelIndex) -> RowKey | None:
        """Return which price a cell's row is about, None for a game's title or no cell."""
        return self.model.key_at(index.row()) if index.isValid() else None

    def _on_table_opened(self, index: QModelIndex) -> None:
        entry = self.model.entry(index.row())
        facts = self.facts(index)
        if entry is not None and not open_link(None if facts is None else facts.url):
            name = entry.bookmaker
            if facts is not None and facts.is_lay and isinstance(facts.key, RowKey):
                name = facts.key.bookmaker
            self._say_for_a_while(f"{name or 'No bookmaker'} has no link for this price.")

    def _on_export_progressed(self, doing: str, done: int, total: int) -> None:
        self._said.stop()
        self._has_failed = False
        self.messages.show_message(
            _("{doing}: {done:,} of {total:,} rows").format(
                doing=doing, done=num(done), total=num(total)
            ),
            action=_("Stop"),
        )

    def _on_export_ended(self, text: str) -> None:
        self._say_for_a_while(text)

    def _on_export_failed(self, text: str) -> None:
        self._said.stop()
        self._has_failed = True
        self.messages.show_message(text, icon="warning")

    # Qt's virtuals

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._idle.start()
        self._on_idle_timeout()  # rows that came meanwhile are in place in the first picture

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._idle.stop()


_EXPORTS: Final = {"grid.export_csv": CSV, "grid.export_xlsx": XLSX, "grid.export_json": JSON}


def attach_grid_actions(panel: GridPanel) -> PriceActions:
    """Let keys and palette do what the panel's buttons do; return those on a row's price."""
    bar, filters = panel.bar, panel.filters
    acts: dict[str, Callable[[], object]] = {
        "grid.copy": panel.copy_rows,
        "grid.arrange": panel.model.arrange,
        "grid.sort": panel.sort_by_current,
        "grid.sort_second": panel.sort_second_by_current,
        "grid.save_view": panel.views.ask_name,
        "grid.next_value": lambda: panel.go_to_value(1),
        "grid.previous_value": lambda: panel.go_to_value(-1),
        "grid.game": panel.show_in_game,
        "grid.hide": panel.hide_bookmaker,
        "grid.filter": lambda: bar.filter.setFocus(Qt.FocusReason.ShortcutFocusReason),
        "grid.facets": filters.button.showMenu,
        "grid.clear": filters.cleared.emit,
        "grid.shape": bar.shapes.choose_next,
        "grid.group": bar.group.toggle,
        "grid.columns": bar.columns.click,
        "grid.reading": bar.pause.click,
    }
    for ident, file_format in _EXPORTS.items():
        acts[ident] = partial(bar.export_requested.emit, file_format)
    made = {ident: add_action(panel, ident, act) for ident, act in acts.items()}
    hide, game = made["grid.hide"], made["grid.game"]
    game.setText(_("Show in its game"))
    return PriceActions("grid", panel, panel.table, panel.facts, hide, game)


_Flag = QItemSelectionModel.SelectionFlag


class MarkedRows(QObject):
    """Keeps what was marked while the model shows another moment, until the user marks others."""

    def __init__(self, model: GridModel, table: LiveTable) -> None:
        super().__init__(table)
        self._model = model
        self._table = table
        self._selection = table.scrolling.selectionModel()
        self._away: dict[RowKey, None] = {}
        """The prices that were marked and are not back."""
        self._current: RowKey | None = None
        self._column = 0
        self._is_marking = False
        model.release_begun.connect(self._on_model_release_begun)
        self._selection.selectionChanged.connect(self._on_selection_changed)

    def mark_again(self) -> None:
        """Mark rows that are back, too, and make the current one current again."""
        rows = {key: row for key in self._away if (row := self._model.row_of_price(key)) >= 0}
        self._is_marking = True
        for key, row in rows.items():
            del self._away[key]
            index = self._model.index(row, self._column)
            self._selection.select(index, _Flag.Select | _Flag.Rows)
            if key == self._current:
                self._selection.setCurrentIndex(index, _Flag.NoUpdate)
        self._is_marking = False

    def _on_model_release_begun(self) -> None:
        marked = map(self._model.key_at, self._table.selected_rows())
        self._away |= dict.fromkeys(key for key in marked if key is not None)
        current: QModelIndex = self._table.current_cell()
        if current.isValid():
            self._current, self._column = self._model.key_at(current.row()), current.column()

    def _on_selection_changed(self, selected: QItemSelection) -> None:
        if not selected.isEmpty() and not self._is_marking:
            self._away = {}


CLEAR, CONTINUE = _("Clear all filters"), _("Resume updates")


def state_without_rows(
    connection: Connection,
    snapshot_progress: SnapshotProgress,
    total: int,
    now_ms: int,
    *,
    own_server: bool = False,
) -> EmptyState:
    """Return why no row is shown; ``total``: how many there are without the filter.

    ``own_server``: the service is the desk's own and can be fed from here.
    """
    if total:
        return EmptyState(
            "filter",
            _("No row matches the filter."),
            _("{total:,} without the filter.").format(total=num(total)),
            CLEAR,
        )
    if (refused := state_of_refusal(connection)) is not None:
        return refused
    if connection.link is Link.WAITING:
        return EmptyState("offline", _("Not connected."), _since(connection, now_ms))
    if connection.has_no_service:
        return NO_SERVICE
    if connection.link is Link.PAST and snapshot_progress.finished_at is not None:
        return EmptyState(
            "table", _("No prices are recorded for that moment."), nearest_text(connection)
        )
    if connection.link is Link.PAST:
        return EmptyState(
            "loading", _("Loading the prices of that moment…"), _("They appear game by game.")
        )
    if snapshot_progress.is_paused:
        return EmptyState(
            "table", _("Updates are paused."), _("No prices were loaded before."), CONTINUE
        )
    if (
        snapshot_progress.finished_at is not None
        and own_server
        and connection.newest_ms is not None
    ):
        day = day_text(connection.newest_ms)
        detail = _("The newest are from {day}. To see them, choose Past day (Ctrl+J).").format(
            day=day
        )
        return EmptyState("table", _("No fresh prices."), detail, FEED)
    if snapshot_progress.finished_at is not None and own_server:
        detail = _("Get live odds or import files (Ctrl+I).")
        return EmptyState("table", _("No prices yet."), detail, FEED)
    if snapshot_progress.finished_at is not None:
        return EmptyState(
            "table",
            _("The service has no prices now."),
            _("They appear here as soon as a bookmaker is read."),
        )
    return _LOADING


_OF_BEST: Final = (BY_KEY["bookmaker"], BY_KEY["odds"])
"""The columns that show the best price where a row is a selection."""
_LOADING: Final = EmptyState(
    "loading", _("Loading all prices…"), _("They appear here as they come in.")
)


def count_texts(shape: Shape, kept: int, total: int) -> tuple[str, str, str]:
    """Return how many rows are shown: of all and of what, of all, and those shown alone."""
    shown = f"{num(kept):,}"
    rows = shown
    if kept != total:
        rows = _("{shown} of {total:,}").format(shown=shown, total=num(total))
    what = _("{rows} prices") if shape is Shape.PRICES else _("{rows} selections")
    return what.format(rows=rows), rows, shown


def _since(connection: Connection, now_ms: int) -> str:
    parts = [translated(connection.reason or "")]
    if connection.since_ms is not None:
        parts.append(
            _("since {time}").format(time=hour_text(local_time(connection.since_ms), seconds=True))
        )
    if connection.next_try_ms is not None:
        left = connection.next_try_ms - now_ms
        parts.append(
            _("next try in {time}").format(time=span_text(left)) if left > 0 else _("trying again")
        )
    return ", ".join(part for part in parts if part)


def reading_text(snapshot_progress: SnapshotProgress) -> str:
    """Return how far the reading of all prices is; empty once it was whole."""
    if snapshot_progress.is_paused:
        return _("updates paused")
    if snapshot_progress.finished_at is not None or snapshot_progress.slices_done == 0:
        return ""
    part, total = snapshot_progress.slices_done, snapshot_progress.slices_total
    if not total:
        return _("loading part {part}").format(part=part)
    return _("loading part {part} of {total}").format(part=part, total=total)


def live_text(connection: Connection) -> str:
    """Return what the plan leaves out of the grid; empty where nothing is known to be."""
    return _("in-play prices are not in your plan") if connection.has_live is False else ""
