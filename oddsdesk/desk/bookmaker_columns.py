"""The user's order of bookmakers: one for all games, kept between starts."""

import logging

import msgspec
from PySide6.QtCore import QObject, Signal

from oddsdesk.desk.layout import Layout
from oddsdesk.desk.models.bookmaker_order import BookmakerOrder

_KEY = "matrix/bookmakers"

_log = logging.getLogger(__name__)


class BookmakerColumns(QObject):
    """Holds a ``BookmakerOrder`` and tells every matrix when it is another."""

    changed = Signal()

    def __init__(self, layout: Layout) -> None:
        super().__init__()
        self._layout = layout
        self._order = _read(layout.get(_KEY, ""))

    @property
    def order(self) -> BookmakerOrder:
        """The present order."""
        return self._order

    def put(self, order: BookmakerOrder) -> None:
        """Take another order and keep it."""
        if order != self._order:
            self._order = order
            self._layout.put(_KEY, msgspec.json.encode(order, order="sorted").decode())
            self.changed.emit()

    def reset(self) -> None:
        """Show every bookmaker again, favourites first, the others by name."""
        self.put(BookmakerOrder(favourites=self._order.favourites))


def _read(text: str) -> BookmakerOrder:
    if not text:
        return BookmakerOrder()
    try:
        return msgspec.json.decode(text, type=BookmakerOrder)
    except msgspec.DecodeError as error:
        _log.warning("%s: %s; columns stand by name", _KEY, error)
        return BookmakerOrder()
