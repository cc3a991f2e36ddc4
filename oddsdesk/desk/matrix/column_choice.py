"""How the user arranges a matrix's bookmakers: by the chooser, by dragging, by keys."""

from typing import TYPE_CHECKING

import msgspec
from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtWidgets import QMenu, QWidget

from oddsdesk.desk.matrix.bookmakers import BookmakerColumns, BookmakerOrder
from oddsdesk.desk.matrix.layout import FIRST_BOOKMAKER
from oddsdesk.desk.matrix.model import MatrixModel
from oddsdesk.desk.ui.controls.plain import literal
from oddsdesk.desk.ui.table.live_table import LiveTable
from oddsdesk.desk.ui.theme.theme import Theme

if TYPE_CHECKING:
    from oddsdesk.desk.ui.table.column_chooser import ColumnChooser


class MatrixColumns(QObject):
    """Turns what the user does with columns into a ``BookmakerOrder``, and shows that."""

    said = Signal(str)
    """One line for the message bar."""

    def __init__(
        self, columns: BookmakerColumns, model: MatrixModel, table: LiveTable, theme: Theme
    ) -> None:
        super().__init__(table)
        self._columns = columns
        self._model = model
        self._table = table
        self._theme = theme
        self._header = table.scrolling.header
        self._header.setSectionsMovable(True)
        self._header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._is_putting_back = False
        self._menu: QMenu | None = None
        columns.changed.connect(self._show)
        # Queued: the header is still in its own release of the mouse.
        self._header.sectionMoved.connect(
            self._on_header_section_moved, Qt.ConnectionType.QueuedConnection
        )
        self._header.customContextMenuRequested.connect(self._on_header_menu_requested)

    def choose(self, below: QWidget) -> "ColumnChooser":
        """Open the chooser below a widget."""
        from oddsdesk.desk.ui.table.column_chooser import (  # noqa: PLC0415 - late
            ColumnChoice,
            ColumnChooser,
        )

        order, names = self._columns.order, self._names()
        choices = [
            ColumnChoice(
                name, name, name not in order.hidden, is_favourite=name in order.favourites
            )
            for name in order.arranged(names)
        ]
        chooser = ColumnChooser(below, self._theme, choices, has_favourites=True)
        chooser.columns_changed.connect(
            lambda listed, shown: self._columns.put(self._columns.order.with_columns(listed, shown))
        )
        chooser.favourites_changed.connect(
            lambda chosen: self._columns.put(self._columns.order.with_favourites(chosen, names))
        )
        chooser.reset_requested.connect(self._columns.reset)
        chooser.open_below(below)
        return chooser

    def turn_favourite(self) -> None:
        """Make the bookmaker of the current column a favourite, or no longer."""
        name = self._current()
        if name is not None:
            self._turn_favourite(name)

    def hide(self) -> None:
        """Hide the current column; the one that takes its place is current then."""
        name, at = self._current(), self._table.current()
        if name is not None:
            row, column = at.row(), at.column()
            self._columns.put(self._columns.order.with_hidden(name))
            self._table.set_current(row, min(column, self._model.columnCount() - 1))
            self.said.emit(
                f"{name}'s column is hidden (C shows it), its prices count as before; Bookmakers "
                "(Ctrl+B) leaves it out everywhere."
            )

    def shift(self, step: int) -> None:
        """Move the current column by so many places, among favourites or among the others."""
        names, name = self._model.bookmakers, self._current()
        if name is None:
            return
        place = names.index(name) + step
        if 0 <= place < len(names):
            self._put(self._columns.order.with_move(name, names[place], self._names()))
            self._table.set_current(self._table.current().row(), self._table.current().column())

    def turn_by_hold(self) -> None:
        """Have those that keep least first, or the usual order again."""
        order = self._columns.order
        self._columns.put(msgspec.structs.replace(order, by_hold=not order.by_hold))

    def reset(self) -> None:
        """Show every bookmaker in the usual order."""
        self._columns.reset()

    def _names(self) -> list[str]:
        matrix = self._model.matrix
        return [] if matrix is None else list(matrix.bookmakers)

    def _current(self) -> str | None:
        index = self._table.current()
        return self._model.bookmaker(index.column()) if index.isValid() else None

    def _put(self, order: BookmakerOrder) -> None:
        """Take an order; where it asks for what is shown, show that anew all the same."""
        if order == self._columns.order:
            self._show()
        else:
            self._columns.put(order)

    def _turn_favourite(self, name: str) -> None:
        order = self._columns.order
        chosen = set() if name in order.favourites else {name}
        self._columns.put(order.with_favourites(chosen, [name]))

    def _show(self) -> None:
        self._model.show_bookmakers(self._columns.order)
        self._table.show_columns()

    def _on_header_section_moved(self, column: int, _before: int, place: int) -> None:
        """Let the model move the column instead: places on screen are the model's own."""
        if self._is_putting_back:
            return
        header = self._header
        landed = max(place, FIRST_BOOKMAKER)
        if header.visualIndex(column) == column:
            return
        self._is_putting_back = True
        header.moveSection(header.visualIndex(column), column)
        self._is_putting_back = False
        name, onto = self._model.bookmaker(column), self._model.bookmaker(landed)
        if name is not None and onto is not None:
            self._put(self._columns.order.with_move(name, onto, self._names()))

    def _on_header_menu_requested(self, spot: QPoint) -> None:
        name = self._model.bookmaker(self._header.logicalIndexAt(spot))
        if name is None:
            return
        menu = self._menu = QMenu(self._header)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        favourite = menu.addAction("Favourite", lambda: self._turn_favourite(name))
        favourite.setCheckable(True)
        favourite.setChecked(name in self._columns.order.favourites)
        hide = self._columns.order.with_hidden(name)
        menu.addAction(literal(f"Hide {name}"), lambda: self._columns.put(hide))
        menu.addSeparator()
        by_hold = menu.addAction("Lowest hold first", self.turn_by_hold)
        by_hold.setCheckable(True)
        by_hold.setChecked(self._columns.order.by_hold)
        menu.addAction("Reset columns", self.reset)
        menu.popup(self._header.mapToGlobal(spot))
