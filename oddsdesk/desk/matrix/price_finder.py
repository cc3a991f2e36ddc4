"""Ways to a price of a matrix: one asked for elsewhere, the best of a row, the next value."""

from PySide6.QtCore import QModelIndex, QObject, QTimer, Signal

from oddsdesk.board.matrix import CellKey, RowKey
from oddsdesk.desk.matrix.layout import BEST, FIRST_BOOKMAKER
from oddsdesk.desk.matrix.model import MatrixModel
from oddsdesk.desk.matrix.rows import ALL
from oddsdesk.desk.ui.controls.chips import ChipRow
from oddsdesk.desk.ui.table.live_table import LiveTable


class PriceFinder(QObject):
    """Makes cells current and brings them into sight, in folded sections and other markets too."""

    said = Signal(str)
    """One line for the window's message bar."""

    def __init__(self, model: MatrixModel, table: LiveTable, chips: ChipRow) -> None:
        super().__init__(table)
        self._model = model
        self._table = table
        self._chips = chips
        self._awaited: RowKey | None = None
        self._is_quiet = False
        model.laid_out.connect(self._look)
        table.current_changed.connect(self._on_table_current_changed)

    def go_to(self, key: RowKey, *, quietly: bool = False) -> None:
        """Go to a price, as soon as the game is read; nowhere once the user goes elsewhere.

        ``quietly``: where it is not there nothing is said, and no other price is gone to.
        """
        self._awaited, self._is_quiet = key, quietly
        self._look()

    def go_to_best(self) -> None:
        """Go to the best price of the current row; to the next one where several are."""
        current = self._table.current()
        if not current.isValid():
            return
        row, columns = current.row(), self._model.best_columns(current.row())
        if columns:
            later = (column for column in columns if column > current.column())
            self._table.set_current(row, next(later, columns[0]))
        elif self._model.price(row, BEST) is not None:
            name = self._model.name_at(row, BEST)
            self.said.emit(f"The best price is at {name}, whose column is hidden (C shows it).")

    def go_to_value(self, step: int) -> None:
        """Go to the next price shown as value, or with -1 to the one before; round the ends."""
        before, after = self._values()
        ring = [*after, *before] if step > 0 else [*reversed(before), *reversed(after)]
        if ring:
            self.go_to(RowKey(self._model.game_id, *ring[0]))
        else:
            self.said.emit("No other price is value among the markets and bookmakers shown.")

    def _values(self) -> tuple[list[CellKey], list[CellKey]]:
        """Return the prices shown as value before the current cell and after it, as one reads."""
        model, current = self._model, self._table.current()
        here = model.row_name(current.row()) if current.isValid() else None
        before: list[CellKey] = []
        after: list[CellKey] = []
        is_past = here is None
        for row in model.every_row():
            is_here = row.name == here
            for column, bookmaker in enumerate(model.bookmakers, FIRST_BOOKMAKER):
                if not model.is_value(row, bookmaker) or (is_here and column == current.column()):
                    continue
                (section, selection), is_after = row.name, is_here and column > current.column()
                key = CellKey(section.market_type, section.period, selection or "", bookmaker)
                (after if is_past or is_after else before).append(key)
            is_past = is_past or is_here
        return before, after

    def _look(self) -> None:
        # Forgotten while it looks: what it unfolds is laid out, which has it look again.
        key, self._awaited = self._awaited, None
        if key is None:
            return
        self._show_section(key)
        place = self._model.place_of(key)
        if self._is_quiet and place is not None and self._model.key(*place) != key:
            self._awaited = key
        elif place is not None:
            self._table.set_current(*place)
            # Once more when the table has its size: it may not have been shown yet.
            QTimer.singleShot(0, self, self._bring_into_sight)
        if not self._model.is_read:
            self._awaited = key
        elif self._is_quiet:
            return
        elif place is None:
            self.said.emit(f"{key.selection} is not priced here any more.")
        elif key.bookmaker is not None and key.bookmaker not in self._model.bookmakers:
            self.said.emit(f"The column of {key.bookmaker} is hidden (C shows it).")

    def _show_section(self, key: RowKey) -> None:
        section = self._model.section_of(key)
        if section is None:
            return
        if not self._model.has_title(section.key) and self._chips.current != ALL:
            self._chips.choose(ALL)
        self._model.unfold(section.key)

    def _bring_into_sight(self) -> None:
        current = self._table.current()
        if current.isValid():
            self._table.scrolling.scrollTo(current)

    def _on_table_current_changed(self, index: QModelIndex) -> None:
        if index.isValid():
            self._awaited = None
