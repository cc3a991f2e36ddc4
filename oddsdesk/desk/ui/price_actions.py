"""What can be done with the price of a cell, by keys and in a menu over the cell."""

import logging
from collections.abc import Callable
from typing import Final, NamedTuple

from PySide6.QtCore import QModelIndex, QObject, QPoint, QUrl, Signal
from PySide6.QtGui import QAction, QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QMenu, QWidget

from oddsdesk.base.texts import _
from oddsdesk.desk.ui.actions import add_action
from oddsdesk.desk.ui.controls.labels import literal
from oddsdesk.desk.ui.formatting import exact_odds_text
from oddsdesk.desk.ui.table.live_table import LiveTable


class PriceFacts(NamedTuple):
    """What a cell is about, as far as its actions ask."""

    key: object
    """The price, as receivers of a signal know it."""
    odds: float | None = None
    """None where there is no price."""
    url: str | None = None
    has_bookmaker: bool = False
    """Whether it stands for a bookmaker that can be hidden."""
    is_lay: bool = False
    """Whether ``odds`` can be laid, not backed."""


class PriceActions(QObject):
    """Acts on the current cell of a table: explain, mark as placed, alert, copy, open, hide.

    ``where`` begins the idents of its declared actions, ``facts`` tells what a cell is about, None
    for nothing. ``hide`` and ``others`` belong to the owner and stand in the menu, too.
    """

    explain_requested = Signal(object, bool)
    """The key of a price that is to be explained, and whether it is a lay."""
    place_requested = Signal(object)
    """The key of a price on which a bet was placed."""
    lay_requested = Signal(object)
    """The key of a price that was laid."""
    target_requested = Signal(object)
    """The key of a price for which the user sets a target alert."""
    multiple_requested = Signal(object)
    """The key of a price that becomes a leg of a multiple."""
    undo_requested = Signal()
    """What was done last shall be undone."""

    def __init__(
        self,
        where: str,
        owner: QWidget,
        table: LiveTable,
        facts: Callable[[QModelIndex], PriceFacts | None],
        hide: QAction,
        *others: QAction,
    ) -> None:
        super().__init__(owner)
        self._table = table
        self._facts = facts
        explain = add_action(owner, f"{where}.explain", self._ask_to_explain)
        self._place = add_action(owner, f"{where}.place", self._ask_to_place)
        target = add_action(owner, f"{where}.target", self._ask_for_target)
        self._multiple = add_action(owner, f"{where}.multiple", self._ask_for_multiple)
        self._copy = add_action(owner, f"{where}.copy_price", self._copy_price)
        self._open = add_action(owner, f"{where}.open", self._open_page)
        self._hide = hide
        add_action(owner, f"{where}.undo", self.undo_requested.emit)
        # Over the cell one knows which price is meant; the palette says it.
        explain.setText(_("Explain"))
        self._place.setText(_("Record bet…"))
        target.setText(_("Alert me when the price reaches…"))
        self._multiple.setText(_("Add to multiple…"))
        self._copy.setText(_("Copy price"))
        self._open.setText(NOWHERE + "\t" + _("Enter"))
        hide.setText(_("Hide this bookmaker"))
        self.menu = QMenu(owner)
        for action in (
            explain,
            self._place,
            self._multiple,
            target,
            *others,
            self._copy,
            self._open,
        ):
            self.menu.addAction(action)
        self.menu.addSeparator()
        self.menu.addAction(hide)
        self.menu.aboutToHide.connect(self._enable_all)
        table.menu_requested.connect(self.open_menu)

    def open_menu(self, spot: QPoint) -> None:
        """Open the menu at a place of the screen; what makes no sense there is pale."""
        facts = self._current()
        if facts is None:
            return
        for action in (self._place, self._copy):
            action.setEnabled(facts.odds is not None)
        self._multiple.setEnabled(facts.odds is not None and not facts.is_lay)
        show_link(self._open, facts.url, "\t" + _("Enter"))
        self._hide.setEnabled(facts.has_bookmaker)
        self.menu.popup(spot)

    def _current(self) -> PriceFacts | None:
        index = self._table.current_cell()
        return self._facts(index) if index.isValid() else None

    def _ask_to_explain(self) -> None:
        facts = self._current()
        if facts is not None:
            self.explain_requested.emit(facts.key, facts.is_lay)

    def _ask_to_place(self) -> None:
        facts = self._current()
        if facts is not None and facts.odds is not None:
            (self.lay_requested if facts.is_lay else self.place_requested).emit(facts.key)

    def _ask_for_multiple(self) -> None:
        facts = self._current()
        if facts is not None and facts.odds is not None and not facts.is_lay:
            self.multiple_requested.emit(facts.key)

    def _ask_for_target(self) -> None:
        facts = self._current()
        if facts is not None:
            self.target_requested.emit(facts.key)

    def _copy_price(self) -> None:
        facts = self._current()
        if facts is not None and facts.odds is not None:
            QGuiApplication.clipboard().setText(exact_odds_text(facts.odds))

    def _open_page(self) -> None:
        index = self._table.current_cell()
        if index.isValid() and self._facts(index) is not None:
            self._table.opened.emit(index)

    def _enable_all(self) -> None:
        """Enable all actions again: by keys they apply to the cell that is current then."""
        for action in (self._place, self._multiple, self._copy, self._open, self._hide):
            action.setEnabled(True)


NOWHERE: Final = _("Open at the bookmaker")
"""What an action is called while it is not known which site it opens."""
_log = logging.getLogger(__name__)


def _page(url: str | None) -> QUrl | None:
    """Return the web page that a link leads to; None for anything else, which is never opened."""
    parsed = QUrl(url or "", QUrl.ParsingMode.StrictMode)
    is_page = parsed.isValid() and parsed.scheme() in ("http", "https") and bool(parsed.host())
    return parsed if is_page else None


_MOST_OF_HOST: Final = 40
"""A longer host is shown by its end, which says whose it is."""


def link_host(url: str | None) -> str:
    """Return whose page a link opens; empty where it is never opened.

    Letters beyond ASCII are encoded (``xn--``): some look like others.
    """
    page = _page(url)
    host = "" if page is None else page.host(QUrl.ComponentFormattingOption.EncodeUnicode)
    return host if len(host) <= _MOST_OF_HOST else f"…{host[1 - _MOST_OF_HOST :]}"


def show_link(action: QAction, url: str | None, keys: str = "") -> None:
    """Say on an action of a menu which site it opens; it is pale where there is none."""
    host = link_host(url)
    action.setEnabled(bool(host))
    action.setText(literal(_("Open at {host}").format(host=host) if host else NOWHERE) + keys)


def open_link(url: str | None) -> bool:
    """Open a page in the user's browser; False where the link may not or cannot be opened."""
    page = _page(url)
    if page is None:
        return False
    opened = QDesktopServices.openUrl(page)
    if not opened:
        _log.warning("no browser opened the bookmaker's page")
    return opened
