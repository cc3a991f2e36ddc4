"""The odds grid as rows: one a price, filtered and sorted by an index, never by a proxy."""

from collections.abc import Iterable

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt, QTimer, Signal

from oddsdesk.board.board import Board
from oddsdesk.board.matrix import RowKey
from oddsdesk.board.notices import Notice, RowsChanged
from oddsdesk.board.rows import GridRow
from oddsdesk.clock import Clock
from oddsdesk.contract.markets import market_title
from oddsdesk.desk.models.grid_columns import COLUMNS, EV_COLUMN, ODDS_COLUMN
from oddsdesk.desk.moments import local_time
from oddsdesk.desk.theme.tokens import Ink
from oddsdesk.desk.widgets.cells import Cell, Column, Header
from oddsdesk.desk.widgets.live_model import LiveModel

Index = QModelIndex | QPersistentModelIndex

_TAKE_MS = 100
_SLICE = 800
"""Rows taken from the board at a time: about 4 ms."""


class GridModel(LiveModel):
    """Every price that the board holds; rows keep their place until ``arrange``."""

    counts_changed = Signal()
    """The number of rows, or of rows that stand where they would not after sorting."""

    def __init__(self, board: Board, clock: Clock) -> None:
        super().__init__()
        self._board = board
        self._clock = clock
        self._rows: dict[RowKey, GridRow] = {}
        self._texts: dict[RowKey, str] = {}
        self._flashes: dict[RowKey, int] = {}
        self._shown: list[RowKey] = []
        self._places: dict[RowKey, int] = {}
        self._unplaced: set[RowKey] = set()
        self._waiting: dict[RowKey, None] = {}
        self._sorted_by = EV_COLUMN
        self._descending = True
        self._words: tuple[str, ...] = ()
        self._take_timer = QTimer(self, singleShot=True, interval=_TAKE_MS)
        self._take_timer.timeout.connect(self._take_some)
        self._unsubscribe = board.subscribe(self._on_board_notice)

    def close(self) -> None:
        """Hear no more of the board."""
        self._take_timer.stop()
        self._unsubscribe()

    def row(self, row: int) -> GridRow:
        """Return what a row shows."""
        return self._rows[self._shown[row]]

    @property
    def total(self) -> int:
        """How many prices are held, shown or not."""
        return len(self._rows)

    @property
    def unplaced(self) -> int:
        """How many prices wait for ``arrange``: new ones, and gone ones that are still shown."""
        return len(self._unplaced)

    def filter_by(self, text: str) -> None:
        """Show prices that hold every word: game, competition, market, selection, bookmaker."""
        self._words = tuple(text.casefold().split())
        self.arrange()

    def sort_by(self, column: int) -> None:
        """Sort by a column; a second time turns the order round."""
        if column == self._sorted_by:
            self._descending = not self._descending
        else:
            self._sorted_by, self._descending = column, COLUMNS[column].descending_first
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(COLUMNS) - 1)
        self.arrange()

    def arrange(self) -> None:
        """Filter and sort anew; the selection stays with its prices."""
        keys = [key for key, text in self._texts.items() if all(w in text for w in self._words)]
        order = COLUMNS[self._sorted_by].sort_key
        sort_keys = {key: order(self._rows[key]) for key in keys}
        keys.sort(key=sort_keys.__getitem__, reverse=self._descending)
        self._unplaced.clear()
        self._rows = {key: self._rows[key] for key in self._texts}
        self._show(keys)
        self.counts_changed.emit()

    def _show(self, keys: list[RowKey]) -> None:
        self.layoutAboutToBeChanged.emit()
        held = self.persistentIndexList()
        before = [self._shown[index.row()] for index in held]
        self._shown = keys
        self._places = {key: place for place, key in enumerate(keys)}
        self.changePersistentIndexList(
            held,
            [
                self.index(self._places[key], index.column())
                if key in self._places
                else QModelIndex()
                for key, index in zip(before, held, strict=True)
            ],
        )
        self.layoutChanged.emit()

    def _take_some(self) -> None:
        """Take waiting rows from the board, a slice at a time, so that the window stays awake."""
        unplaced = len(self._unplaced)
        keys = [key for key, _ in zip(self._waiting, range(_SLICE), strict=False)]
        for key in keys:
            del self._waiting[key]
            self._take(key, self._board.row(key))
        if len(self._unplaced) != unplaced:
            self.counts_changed.emit()
        if self._waiting:
            self._take_timer.start(0)
        else:
            self._take_timer.setInterval(_TAKE_MS)

    def _take(self, key: RowKey, row: GridRow | None) -> None:
        held = self._rows.get(key)
        if row is None:
            if held is not None:
                del self._texts[key]
                self._unplaced.add(key)
            return
        self._rows[key] = row
        if held is None or key not in self._texts:
            self._texts[key] = _haystack(row)
            self._unplaced.add(key)
            return
        if row.odds != held.odds:
            self._flashes[key] = self._clock()
        place = self._places.get(key)
        if place is not None:
            self.touch(place, 0, place, len(COLUMNS) - 1)

    def _wait_for(self, keys: Iterable[RowKey]) -> None:
        self._waiting.update(dict.fromkeys(keys))
        if self._waiting and not self._take_timer.isActive():
            self._take_timer.start()

    def _on_board_notice(self, notice: Notice) -> None:
        if isinstance(notice, RowsChanged):
            self._wait_for(notice.changed)
            self._wait_for(notice.removed)

    def column(self, column: int) -> Column:
        return COLUMNS[column].column

    def header(self, column: int) -> Header:
        shown = COLUMNS[column]
        if column != self._sorted_by:
            return Header(shown.title, tip=shown.tip)
        mark = "▾" if self._descending else "▴"
        return Header(f"{shown.title} {mark}", tip=shown.tip, is_marked=True)

    def cell(self, row: int, column: int) -> Cell:
        key = self._shown[row]
        shown = self._rows[key]
        cell = COLUMNS[column].cell(shown, self._clock())
        if key not in self._texts:
            return cell._replace(ink=Ink.GHOST, is_struck=True, arrow=0)
        if column == ODDS_COLUMN and key in self._flashes:
            return cell._replace(flash=cell.arrow, flashes_from=self._flashes[key])
        return cell

    def tip(self, row: int, column: int) -> str:
        shown = self.row(row)
        seen, moved = local_time(shown.scraped_at), local_time(shown.changed_at)
        return (
            f"{shown.selection} at {shown.bookmaker}: {shown.odds:g}\n"
            f"Seen {seen:%H:%M:%S}, unchanged since {moved:%H:%M:%S}"
        )

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._shown)

    def columnCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(COLUMNS)


def _haystack(row: GridRow) -> str:
    """What the filter's words are looked for in."""
    return " ".join(
        (
            row.match_name,
            row.competition,
            row.sport,
            market_title(row.market_type),
            row.market_type,
            row.period_label,
            row.selection,
            row.bookmaker,
            "live" if row.is_live else "",
        )
    ).casefold()
