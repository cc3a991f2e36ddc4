"""The views of the bets: lists by state, and reports."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QListWidget, QListWidgetItem, QMenu, QWidget

from oddsdesk.base.market_words import searched_selection, searched_words
from oddsdesk.base.numbers import num
from oddsdesk.base.texts import _, pgettext, translated
from oddsdesk.desk.ui import spacing
from oddsdesk.desk.ui.controls.labels import Label
from oddsdesk.desk.ui.controls.messages import EmptyState
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.ledger.bets import BetState, PlacedBet
from oddsdesk.ledger.reporting import Grouping

ALL: Final = "all"
_STATES: Final = {
    BetState.OPEN.value: BetState.OPEN,
    BetState.TO_SETTLE.value: BetState.TO_SETTLE,
    BetState.SETTLED.value: BetState.SETTLED,
}


class View(NamedTuple):
    """A view in the list."""

    key: str
    title: str
    grouping: Grouping | None = None
    """What the report is split by; None for a list of bets."""


LISTS: Final = (
    View(ALL, _("All bets")),
    View(BetState.OPEN.value, pgettext("bets", "Open")),
    View(BetState.TO_SETTLE.value, _("To settle")),
    View(BetState.SETTLED.value, pgettext("bets", "Settled")),
)
EMPTY_COLUMNS: Final = {
    BetState.OPEN.value: frozenset({"settled", "profit"}),
    BetState.TO_SETTLE.value: frozenset({"market", "ev", "clv", "profit", "note"}),
}
"""Columns that say nothing, or nothing of use, in a list: their room goes to the others."""
_GROUPS: Final = {
    Grouping.BOOKMAKER: _("Bookmaker"),
    Grouping.SPORT: _("Sport"),
    Grouping.MARKET: _("Market"),
    Grouping.KIND: _("Kind"),
    Grouping.PRESET: _("Preset"),
    Grouping.MONTH: _("Month"),
}
GROUP_WORDS: Final = {
    Grouping.BOOKMAKER: pgettext("report by", "bookmaker"),
    Grouping.SPORT: pgettext("report by", "sport"),
    Grouping.MARKET: pgettext("report by", "market"),
    Grouping.KIND: pgettext("report by", "kind"),
    Grouping.PRESET: pgettext("report by", "preset"),
    Grouping.MONTH: pgettext("report by", "month"),
}
"""What a report is split by, within a sentence."""
REPORTS: Final = tuple(View(f"by {each.value}", _GROUPS[each], each) for each in Grouping)
ACCOUNTS: Final = View("accounts", _("Accounts"))
"""Balances at bookmakers."""
VIEWS: Final = {view.key: view for view in (*LISTS, ACCOUNTS, *REPORTS)}


IsProposed = Callable[[PlacedBet], object | None]


def _nothing_is(_bet: PlacedBet) -> None:
    """Say nothing about a bet."""


def bets_in_view(
    bets: Iterable[PlacedBet], view: View, now_ms: int, proposed: IsProposed = _nothing_is
) -> list[PlacedBet]:
    """Return the bets of a view; a report is over all.

    ``proposed`` returns what recorded results say about a bet. Such a bet is to be settled, or
    settled again, whatever its state.
    """
    state = _STATES.get(view.key)
    return [
        bet
        for bet in bets
        if state is None
        or bet.state(now_ms) is state
        or (state is BetState.TO_SETTLE and proposed(bet) is not None)
    ]


def count_views(
    bets: Iterable[PlacedBet], now_ms: int, proposed: IsProposed = _nothing_is
) -> dict[str, int]:
    """Return how many bets each list has."""
    held = list(bets)
    return {view.key: len(bets_in_view(held, view, now_ms, proposed)) for view in LISTS}


def matching(bets: Iterable[PlacedBet], words: Sequence[str]) -> list[PlacedBet]:
    """Return the bets whose texts contain every word."""
    if not words:
        return list(bets)
    asked = searched_words(words)
    return [bet for bet in bets if all(word in _texts(bet) for word in asked)]


def state_without_bets(
    view: View, *, total: int, has_filter: bool, currency: str = "", settles: bool = True
) -> EmptyState:
    """Return why nothing is listed, and what to do about it.

    ``currency`` is the one that a report is of; ``settles``: whether bets settle by themselves.
    """
    if view is ACCOUNTS:
        return EmptyState(
            "table",
            _("No accounts yet."),
            _("An account is listed once you record a bet or a deposit there."),
            action=_("Record a deposit…"),
        )
    if has_filter:
        return EmptyState("filter", _("No bets match the filter."), action=_("Show all bets"))
    if not total:
        return EmptyState(
            "table",
            _("No bets yet."),
            _(
                "Press P on a price to record a bet on it, record one by hand, or import bets "
                "from another tracker."
            ),
            action=_("Record a bet by hand…"),
        )
    if view.grouping is not None:
        return EmptyState(
            "table",
            _("No settled bets in {currency} yet.").format(currency=currency)
            if currency
            else _("No settled bets yet."),
            _("Reports cover settled bets of one currency, without practice bets."),
        )
    said = {
        BetState.OPEN.value: _("No open bets."),
        BetState.TO_SETTLE.value: _NONE_LEFT if settles else _NONE_OPEN,
        BetState.SETTLED.value: _("No settled bets yet."),
    }
    return EmptyState("check", said.get(view.key, _("No bets.")))


_NONE_LEFT: Final = _(
    "No bets to settle. Bets settle themselves when a source of odds reports the result; bets "
    "that stay open are listed here."
)
_NONE_OPEN: Final = _(
    "No bets to settle. Bets whose games are over are listed here, with the results that sources "
    "report."
)


def _texts(bet: PlacedBet) -> str:
    texts = (
        searched_selection(bet.selection),
        bet.match_name,
        bet.competition,
        bet.sport,
        bet.market_type,
        bet.bookmaker,
        bet.account,
        bet.preset,
        bet.note,
        _("practice") if bet.practice else "",
        "" if bet.result is None else translated(bet.result.words),
    )
    return "\n".join(texts).casefold()


_WIDTH = 140


class ViewList(QListWidget):
    """The list of views; one is always selected."""

    chosen = Signal(str)
    """The key of another view."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setAccessibleName(_("Views of your bets"))
        self.setFrameShape(QListWidget.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setViewportMargins(0, spacing.STEP, 0, 0)
        self._theme = theme
        self._counts: dict[str, Label] = {}
        for view in LISTS:
            self._add(view)
        self._add(ACCOUNTS)
        self._add_heading(_("Report by"))
        for view in REPORTS:
            self._add(view)
        theme.changed.connect(self._fit)
        self._fit()
        self.setCurrentRow(0)
        self.currentItemChanged.connect(self._on_current_item_changed)

    @property
    def current_view(self) -> str:
        """The key of the view that is chosen."""
        item = self.currentItem()
        return LISTS[0].key if item is None else str(item.data(Qt.ItemDataRole.UserRole))

    def choose_view(self, key: str) -> None:
        for row in range(self.count()):
            if self.item(row).data(Qt.ItemDataRole.UserRole) == key:
                self.setCurrentRow(row)

    def choose_next(self) -> None:
        """Choose the view after the chosen one, round the end."""
        row = (self.currentRow() + 1) % self.count()
        while not self.item(row).flags() & Qt.ItemFlag.ItemIsSelectable:
            row = (row + 1) % self.count()
        self.setCurrentRow(row)

    def show_counts(self, counts: Mapping[str, int]) -> None:
        """Say how many bets each list has."""
        for key, label in self._counts.items():
            label.setText(f"{num(counts.get(key, 0)):,}" if key in counts else "")

    def _fit(self) -> None:
        """Give the list and its rows the size that texts ask for."""
        fonts = self._theme.fonts
        self.setFixedWidth(fonts.scaled(_WIDTH))
        for item in map(self.item, range(self.count())):
            is_view = bool(item.flags() & Qt.ItemFlag.ItemIsSelectable)
            height = spacing.SECTION_ROW if is_view else spacing.HEADER
            item.setSizeHint(QSize(0, fonts.row_height(height)))

    def _add(self, view: View) -> None:
        item = QListWidgetItem(self)
        item.setData(Qt.ItemDataRole.UserRole, view.key)
        item.setData(Qt.ItemDataRole.AccessibleTextRole, view.title)
        row, count = (
            QWidget(),
            Label(alignment=Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter),
        )
        count.setProperty("variant", "note")
        spacing.horizontal(row, Label(view.title), count, margins=(spacing.GAP, 0, spacing.GAP, 0))
        self._counts[view.key] = count
        self.setItemWidget(item, row)

    def _add_heading(self, text: str) -> None:
        item = QListWidgetItem(self)
        item.setFlags(Qt.ItemFlag.NoItemFlags)
        heading = Label(text)
        heading.setFont(self._theme.fonts.strong)
        heading.setContentsMargins(spacing.GAP, spacing.STEP, spacing.GAP, 0)
        self.setItemWidget(item, heading)

    def _on_current_item_changed(self, item: QListWidgetItem | None) -> None:
        if item is not None and item.flags() & Qt.ItemFlag.ItemIsSelectable:
            item.setSelected(True)
            self.chosen.emit(self.current_view)


class ViewMenu(QMenu):
    """The views as a menu, if there is no room for the list."""

    def __init__(self, views: ViewList, parent: QWidget) -> None:
        super().__init__(parent)
        self._views = views
        self._actions = {view.key: self._add(view, view.title) for view in (*LISTS, ACCOUNTS)}
        self.addSeparator()
        for view in REPORTS:
            group = "" if view.grouping is None else GROUP_WORDS[view.grouping]
            title = _("Report by {group}").format(group=group)
            self._actions[view.key] = self._add(view, title)
        self.aboutToShow.connect(self._check_current)

    def _add(self, view: View, text: str) -> QAction:
        action = self.addAction(text)
        action.setCheckable(True)
        action.triggered.connect(partial(self._views.choose_view, view.key))
        return action

    def _check_current(self) -> None:
        for key, action in self._actions.items():
            action.setChecked(key == self._views.current_view)
