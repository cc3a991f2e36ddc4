"""The user's order of bookmakers: one for all games, kept between starts."""

from collections.abc import Iterable
from typing import Final

import msgspec
from PySide6.QtCore import QObject, Signal

from oddsdesk.desk.settings.saved_state import Layout, Saved
from oddsdesk.desk.ui.bookmaker_names import BookmakerNames


class BookmakerOrder(msgspec.Struct, frozen=True):
    """What the user wants of bookmakers, whatever game they price."""

    order: tuple[str, ...] = ()
    """Bookmakers in the order that they were moved to; the others follow by name."""
    hidden: frozenset[str] = frozenset()
    favourites: frozenset[str] = frozenset()
    by_hold: bool = False
    """Whether, after favourites and the user's own, those that keep least of a game stand first."""

    def arranged(self, bookmakers: Iterable[str]) -> list[str]:
        """Return bookmakers as their columns stand, hidden ones too."""
        places = {name: place for place, name in enumerate(self.order)}
        return sorted(
            bookmakers,
            key=lambda name: (
                name not in self.favourites,
                places.get(name, len(places)),
                name.casefold(),
                name,
            ),
        )

    def shown(self, bookmakers: Iterable[str]) -> list[str]:
        """Return the bookmakers that have a column, in order."""
        return self.arranged(name for name in bookmakers if name not in self.hidden)

    def with_move(self, bookmaker: str, onto: str, among: Iterable[str]) -> "BookmakerOrder":
        """Move a bookmaker to the place of another; favourites stay before the others."""
        names = self.arranged({*self.order, *among})
        place = names.index(onto)
        names.remove(bookmaker)
        names.insert(place, bookmaker)
        return msgspec.structs.replace(self, order=tuple(names), by_hold=False)

    def with_columns(self, order: Iterable[str], shown: Iterable[str]) -> "BookmakerOrder":
        """Take an order and what of it is shown; bookmakers left out of it stay as they are."""
        listed, wanted = list(order), set(shown)
        hidden = (self.hidden - wanted) | (set(listed) - wanted)
        taken = msgspec.structs.replace(self, hidden=frozenset(hidden))
        if listed == self.arranged(listed):
            return taken
        rest = [name for name in self.order if name not in set(listed)]
        return msgspec.structs.replace(taken, order=(*listed, *rest))

    def with_hidden(self, bookmaker: str) -> "BookmakerOrder":
        """Give a bookmaker no column."""
        return msgspec.structs.replace(self, hidden=self.hidden | {bookmaker})

    def with_favourites(self, favourites: Iterable[str], among: Iterable[str]) -> "BookmakerOrder":
        """Say which of some bookmakers are favourites; the others stay as they are."""
        kept = self.favourites - set(among)
        return msgspec.structs.replace(self, favourites=kept | frozenset(favourites))


USUAL: Final = BookmakerOrder()
"""What a new user sees: every bookmaker, by name."""


WHOLE: Final = BookmakerNames()
"""Every bookmaker by its whole name."""
_KEY = "matrix/bookmakers"


class BookmakerColumns(QObject):
    """Holds a ``BookmakerOrder`` and tells every matrix when it is another."""

    changed = Signal()

    def __init__(self, layout: Layout, names: BookmakerNames = WHOLE) -> None:
        super().__init__()
        self.names = names
        """What stands above the columns."""
        self._saved = Saved(layout, _KEY, BookmakerOrder, USUAL)
        self._order = self._saved.get()

    @property
    def order(self) -> BookmakerOrder:
        """The present order."""
        return self._order

    def put(self, order: BookmakerOrder) -> None:
        """Take another order and keep it."""
        if order != self._order:
            self._order = order
            self._saved.put(order)
            self.changed.emit()

    def reset(self) -> None:
        """Show every bookmaker again, favourites first, the others by name."""
        self.put(BookmakerOrder(favourites=self._order.favourites))
