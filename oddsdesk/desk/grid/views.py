"""Views of the odds grid that are kept under names: filter, columns, sorting and shape."""

from collections.abc import Sequence
from functools import partial

import msgspec
from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QInputDialog, QWidget

from oddsdesk.base.texts import _, translated
from oddsdesk.desk.grid.columns import BY_KEY, COLUMNS
from oddsdesk.desk.grid.entries import Shape
from oddsdesk.desk.grid.filter import GridFilter
from oddsdesk.desk.grid.model import GridModel
from oddsdesk.desk.settings.saved_state import Layout, Saved
from oddsdesk.desk.ui.controls.buttons import MenuButton
from oddsdesk.desk.ui.controls.dialogs import keep_on_screen
from oddsdesk.desk.ui.controls.labels import literal
from oddsdesk.desk.ui.table.column_chooser import ColumnChoice
from oddsdesk.desk.ui.table.live_table import LiveTable

_SHOWN_KEY = "grid/view"
_FIRST = 1
"""The columns before this one are frozen and never move."""


class KeptView(msgspec.Struct):
    """What is kept; columns by key, those that a later version forgot are passed over."""

    order: list[str]
    shown: list[str]
    shape: Shape = Shape.PRICES
    grouped: bool = False
    sorted_by: str = "ev_pct"
    descending: bool = True
    second: str = ""
    """What equal rows are sorted by; empty for nothing."""
    second_descending: bool = False


class GridView:
    """Lays the grid out, and keeps that."""

    def __init__(self, model: GridModel, table: LiveTable, layout: Layout) -> None:
        self._model = model
        self._table = table
        self._saved = Saved(layout, _SHOWN_KEY, KeptView, KeptView([], []))
        self._header = table.scrolling.header
        self._header.setSectionsMovable(True)
        self._header.setFirstSectionMovable(False)
        self._restore()

    def column_order(self) -> list[int]:
        """Return the columns that can move, shown or not, as they stand."""
        header = self._header
        return [header.logicalIndex(place) for place in range(_FIRST, header.count())]

    def column_choices(self) -> list[ColumnChoice]:
        """Return the columns that can move, for the chooser."""
        shown = self._model.columns
        return [
            ColumnChoice(
                place, translated(COLUMNS[place].title), place in shown, COLUMNS[place].tip
            )
            for place in self.column_order()
        ]

    def exported(self) -> list[int]:
        """Return the columns shown, as they stand; the game's too where rows are grouped by it."""
        model, game = self._model, BY_KEY["game"]
        return [
            column
            for column in (*range(_FIRST), *self.column_order())
            if not model.is_hidden(column) or (column == game and model.is_grouped)
        ]

    def show_columns(self, order: Sequence[int], shown: frozenset[int]) -> None:
        """Show columns, all that can move being ordered."""
        for place, column in enumerate(order, _FIRST):
            self._header.moveSection(self._header.visualIndex(column), place)
        self._model.columns = shown | frozenset(range(_FIRST))
        self._table.show_columns()
        self.keep_layout()

    def show_usual_columns(self) -> None:
        """Show the columns that a new user sees."""
        usual = frozenset(place for place, column in enumerate(COLUMNS) if column.is_usual)
        self.show_columns(range(_FIRST, len(COLUMNS)), usual)

    def keep_layout(self) -> None:
        """Keep the present layout for the next start."""
        self._saved.keep_value(self.view_now())

    def view_now(self) -> KeptView:
        """Return how the grid is laid out now."""
        column, descending = self._model.sorted_by
        second, second_descending = self._model.sorted_second_by or (None, False)
        return KeptView(
            [COLUMNS[place].key for place in self.column_order()],
            [COLUMNS[place].key for place in sorted(self._model.columns)],
            self._model.shape,
            self._model.is_grouped,
            COLUMNS[column].key,
            descending,
            "" if second is None else COLUMNS[second].key,
            second_descending,
        )

    def _restore(self) -> None:
        view = self._saved.get_value()
        if view.order:
            self.apply_view(view)
        else:
            self._table.show_columns()

    def apply_view(self, view: KeptView) -> None:
        """Lay the grid out as a view says."""
        known = [BY_KEY[key] for key in dict.fromkeys(view.order) if key in BY_KEY]
        order = [place for place in known if place >= _FIRST]
        added = [place for place in range(_FIRST, len(COLUMNS)) if place not in order]
        shown = {BY_KEY[key] for key in view.shown if key in BY_KEY}
        shown |= {place for place in added if COLUMNS[place].is_usual}
        second = (BY_KEY[view.second], view.second_descending) if view.second in BY_KEY else None
        sorted_by = BY_KEY.get(view.sorted_by, BY_KEY["ev_pct"])
        self._model.sort_as(sorted_by, view.descending, second)
        self._model.show_as(view.shape, grouped=view.grouped)
        self.show_columns([*order, *added], frozenset(shown))


_KEY = "grid/views"


class NamedView(msgspec.Struct, frozen=True):
    """What a name stands for."""

    view: KeptView
    filter: GridFilter


class GridViews(QObject):
    """Fills the menu of a button with the user's views, and keeps them between starts."""

    wanted = Signal(object)
    """A ``NamedView`` that is to be shown."""

    def __init__(self, button: MenuButton, view: GridView, layout: Layout, owner: QWidget) -> None:
        super().__init__(owner)
        self._button = button
        self._view = view
        self._owner = owner
        self._saved = Saved(layout, _KEY, dict[str, NamedView], {})
        self._kept = dict(self._saved.get_value())
        self._filter = GridFilter()
        self._fill()

    @property
    def view_names(self) -> list[str]:
        return sorted(self._kept, key=str.casefold)

    def note_filter(self, chosen: GridFilter) -> None:
        """Take the filter that a view is saved with."""
        self._filter = chosen

    def save_view(self, name: str) -> None:
        """Keep what is shown now under a name; one of the same name is replaced."""
        if name := name.strip():
            self._put(self._kept | {name: NamedView(self._view.view_now(), self._filter)})

    def delete_view(self, name: str) -> None:
        """Keep a view no longer."""
        self._put({kept: view for kept, view in self._kept.items() if kept != name})

    def ask_name(self) -> None:
        """Ask under which name to keep what is shown now."""
        dialog = QInputDialog(self._owner)
        keep_on_screen(dialog)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.setWindowTitle(_("Save view"))
        dialog.setLabelText(_("View name (an existing view of that name is replaced):"))
        dialog.textValueSelected.connect(self.save_view)
        dialog.open()

    def _put(self, views: dict[str, NamedView]) -> None:
        self._kept = views
        self._saved.keep_value(views)
        self._fill()

    def _fill(self) -> None:
        menu = self._button.menu_shown
        menu.clear()
        for name in self.view_names:
            view = self._kept[name]
            menu.addAction(literal(name), partial(self.wanted.emit, view))
        menu.addSeparator()
        menu.addAction(_("Save view…"), self.ask_name)
        if self._kept:
            deletions = menu.addMenu(_("Delete"))
            for name in self.view_names:
                deletions.addAction(literal(name), partial(self.delete_view, name))
