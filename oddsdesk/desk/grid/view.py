"""How the odds grid is laid out: columns, their order, shape and sorting, kept between starts."""

from collections.abc import Sequence

import msgspec

from oddsdesk.desk.grid.columns import BY_KEY, COLUMNS
from oddsdesk.desk.grid.entries import Shape
from oddsdesk.desk.grid.model import GridModel
from oddsdesk.desk.settings.saved_state import Layout, Saved
from oddsdesk.desk.ui.table.column_chooser import ColumnChoice
from oddsdesk.desk.ui.table.live_table import LiveTable

_KEY = "grid/view"
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
        self._saved = Saved(layout, _KEY, KeptView, KeptView([], []))
        self._header = table.scrolling.header
        self._header.setSectionsMovable(True)
        self._header.setFirstSectionMovable(False)
        self._restore()

    def order(self) -> list[int]:
        """Return the columns that can move, shown or not, as they stand."""
        header = self._header
        return [header.logicalIndex(place) for place in range(_FIRST, header.count())]

    def choices(self) -> list[ColumnChoice]:
        """Return the columns that can move, for the chooser."""
        shown = self._model.columns
        return [
            ColumnChoice(place, COLUMNS[place].title, place in shown, COLUMNS[place].tip)
            for place in self.order()
        ]

    def exported(self) -> list[int]:
        """Return the columns shown, as they stand; the game's too where rows are grouped by it."""
        model, game = self._model, BY_KEY["game"]
        return [
            column
            for column in (*range(_FIRST), *self.order())
            if not model.is_hidden(column) or (column == game and model.is_grouped)
        ]

    def show_columns(self, order: Sequence[int], shown: frozenset[int]) -> None:
        """Show columns, all that can move being ordered."""
        for place, column in enumerate(order, _FIRST):
            self._header.moveSection(self._header.visualIndex(column), place)
        self._model.columns = shown | frozenset(range(_FIRST))
        self._table.show_columns()
        self.keep()

    def show_usual_columns(self) -> None:
        """Show the columns that a new user sees."""
        usual = frozenset(place for place, column in enumerate(COLUMNS) if column.is_usual)
        self.show_columns(range(_FIRST, len(COLUMNS)), usual)

    def keep(self) -> None:
        """Keep the present layout for the next start."""
        self._saved.put(self.present())

    def present(self) -> KeptView:
        """Return how the grid is laid out now."""
        column, descending = self._model.sorted_by
        second, second_descending = self._model.sorted_second_by or (None, False)
        return KeptView(
            [COLUMNS[place].key for place in self.order()],
            [COLUMNS[place].key for place in sorted(self._model.columns)],
            self._model.shape,
            self._model.is_grouped,
            COLUMNS[column].key,
            descending,
            "" if second is None else COLUMNS[second].key,
            second_descending,
        )

    def _restore(self) -> None:
        view = self._saved.get()
        if view.order:
            self.take(view)
        else:
            self._table.show_columns()

    def take(self, view: KeptView) -> None:
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
