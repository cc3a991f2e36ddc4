"""The panel of promotions: the user's offers, and the best ways to use the chosen one."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final

from PySide6.QtCore import QModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QMenu, QSplitter, QWidget

from oddsdesk.base.clock import Clock
from oddsdesk.base.market_words import selection_text
from oddsdesk.base.numbers import num
from oddsdesk.base.texts import _, ngettext, translated
from oddsdesk.board.board import Board
from oddsdesk.board.model import notices
from oddsdesk.board.model.matrix import RowKey
from oddsdesk.desk.export.files import table_of
from oddsdesk.desk.export.saving import TableSaver
from oddsdesk.desk.promotions.calculator import HedgeCalculator
from oddsdesk.desk.promotions.lists import WayList
from oddsdesk.desk.promotions.model import (
    HEDGED_COLUMNS,
    UNHEDGED_COLUMNS,
    WayRow,
    WaysModel,
    way_rows,
)
from oddsdesk.desk.promotions.offer_dialog import OfferDialog
from oddsdesk.desk.promotions.offers import (
    OfferRow,
    Offers,
    OffersModel,
    offer_rows,
    offer_text,
    terms_of,
)
from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.declared import STAKE_STEP, STAKES, stake_plan
from oddsdesk.desk.settings.saved_state import Layout, Preferences, Saved
from oddsdesk.desk.ui import spacing
from oddsdesk.desk.ui.actions import add_action
from oddsdesk.desk.ui.controls.bars import ListBar
from oddsdesk.desk.ui.controls.labels import FactsLabel
from oddsdesk.desk.ui.controls.messages import (
    EmptyState,
    MessageBar,
    Placeholder,
    capitalized,
    sentence,
)
from oddsdesk.desk.ui.formatting import moment_text, signed_hundredths_text
from oddsdesk.desk.ui.list_panel import Fit, ListHeader, ListPanel, Says, line_button
from oddsdesk.desk.ui.price_actions import open_link, show_link
from oddsdesk.desk.ui.states import NO_SERVICE, no_stakes, old_text, state_of_refusal
from oddsdesk.desk.ui.table.live_table import LiveTable
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.promotions import Earned
from oddsdesk.pricing.profiles import Profile
from oddsdesk.pricing.promotions import Promotion

HEDGED: Final = "hedged"
UNHEDGED: Final = "unhedged"
_NEW: Final = _("New offer…")
_AGAIN: Final = _("Mark as not used")
_EDIT: Final = _("Edit offer…")
_MOST_NAMED: Final = 3


class PromotionsPanel(ListPanel):
    """Lists offers, and ways to use one; rows move only while the user is not on one."""

    price_requested = Signal(object)
    """The ``RowKey`` of a price to be shown in its game."""
    price_selected = Signal(object)
    """The ``RowKey`` of the current row, None for none."""
    lay_selected = Signal(object)
    """The same, where the leg is a lay."""
    place_requested = Signal(object)
    """The ``PromoWay`` whose legs are to be recorded."""
    refund_noticed = Signal(str)
    """A free bet is due or was void; emitted while the panel is hidden."""

    def __init__(
        self,
        board: Board,
        theme: Theme,
        clock: Clock,
        preferences: Preferences,
        layout: Layout,
        records: Records,
        wall: Clock | None = None,
    ) -> None:
        """Make the panel; ``clock`` is the board's and may be in the past, ``wall`` is real."""
        super().__init__(theme)
        self._board, self._theme, self._clock = board, theme, clock
        self._wall = wall or clock
        self._preferences = preferences
        self._plan = stake_plan(preferences.get_setting)
        self._which = Saved(layout, "promotions/hedged", str, HEDGED)
        self._name = Saved(layout, "promotions/offer", str, "")
        """The name of the chosen offer."""
        self._is_lost = False
        self.offers = Offers(records, layout, self._wall)
        self.offer_list = OfferList(theme, OffersModel(self._wall), self._wall)
        self._records = records
        self.list = WayList(
            board, clock, lambda: self._plan, lambda: records.staked_on(board), self._is_seen
        )
        self.hedged = WaysModel(HEDGED_COLUMNS, clock, board)
        self.unhedged = WaysModel(UNHEDGED_COLUMNS, clock, board)
        self.table = LiveTable(theme, self.hedged, clock)
        self.table.setAccessibleName(_("Ways to use the offer, hedged"))
        self.unhedged_table = LiveTable(theme, self.unhedged, clock)
        self.unhedged_table.setAccessibleName(_("Ways to use the offer, unhedged"))
        self.menu, self.offer_menu = QMenu(self), QMenu(self)
        self._at_bookmaker = add_action(self, "promotions.open", self._open)
        self.calculator = line_button(
            _("Calculator…"), _("Work out a hedge for odds that you type (C)")
        )
        self.header = ListHeader(
            theme,
            _("Hedged or not"),
            [(HEDGED, _("Hedged")), (UNHEDGED, _("Unhedged"))],
            _FITS,
            preset_tip=_("Not used: promotions have no presets"),
            button=self.calculator,
        )
        self.header.offer_presets(False)
        self.saver = TableSaver(self, lambda: "promotion", lambda: table_of(self._current_model()))
        self.shown_offer: Promotion | None = None
        """The offer that is chosen; ways are listed unless it is over."""
        self._listed_for: Promotion | None = None
        """The offer that the rows are for."""
        self._is_filled = False
        """Whether rows are of all prices; until then only a chosen row counts as in use."""
        self._marks_best = False
        """Whether the best way is made current once all are found, as the user came by a key."""
        self._expires_at = 0
        """When the next offer expires."""
        self.notes = MessageBar(theme)
        """Messages on offers; those on bets are in ``messages``."""
        self._act: Callable[[], object] | None = None
        """What the button of ``notes`` does."""
        self._on_close: Callable[[], object] | None = None
        self.split = _Split(theme, layout, self.offer_list, self._ways_side())
        column = spacing.vertical(None, self.split, self.notes, self.messages, spacing=0)
        column.setStretchFactor(self.split, 1)
        self.setLayout(column)
        for table in (self.table, self.unhedged_table):
            self._keep_chosen_in(table)
        self._connect()
        self.header.chips.choose_chip(UNHEDGED if self._which.get_value() == UNHEDGED else HEDGED)
        self._show_offers()
        self.offers.ask_about_refunds()

    def close_panel(self) -> None:
        self._idle.stop()
        self.saver.abort_saving()
        self.offers.stop_listening()
        self._unsubscribe()
        self.list.stop_listening()
        self._preferences.changed.disconnect(self._on_preferences_changed)
        self._records.bets_changed.disconnect(self.list.look_again)

    def selected(self) -> RowKey | None:
        """Return the price of the current row."""
        row = self.current_way()
        return None if row is None else row.leg.key

    def current_way(self) -> WayRow | None:
        """Return the row of a way that is current; None if there is none."""
        index = self._current_table().current_cell()
        return self._current_model().entry(index.row()) if index.isValid() else None

    def edit_offer(self, offer: Promotion | None) -> None:
        """Ask for a new offer, or edit a stored one."""
        name = "" if offer is None else offer.name
        self._ask_offer(offer, name, "")

    def _ways_side(self) -> QWidget:
        side = QWidget()
        column = self._lay_out_list(self.header, self.table, self.unhedged_table)
        column.removeWidget(self.messages)  # below offers, too
        side.setLayout(column)
        return side

    def _connect(self) -> None:
        offers, board = self.offer_list, self._board
        self.header.chips.chosen.connect(self._on_chips_chosen)
        self.header.sort.clicked.connect(self._sort)
        self.calculator.clicked.connect(self._calculate)
        self.placeholder.action_requested.connect(self._on_placeholder_action_requested)
        self.list.changed.connect(self._show_ways)
        for table in (self.table, self.unhedged_table):
            table.opened.connect(lambda _index: self._open())
            table.current_changed.connect(self._on_table_current_changed)
            self._offer_menu(table, self._menu_of_way)
        for model in (self.hedged, self.unhedged):
            model.order_changed.connect(self._show_counts)
        offers.new.clicked.connect(lambda: self.edit_offer(None))
        offers.placeholder.action_requested.connect(lambda: self.edit_offer(None))
        offers.table.current_changed.connect(self._on_offer_current_changed)
        offers.table.opened.connect(lambda _index: self._edit())
        self._offer_menu(offers.table, self._menu_of_offer)
        self.offers.changed.connect(self._show_offers)
        self.offers.failed.connect(lambda text: self._say(sentence(text), "warning"))
        self.offers.refund_due.connect(self._on_offers_refund_due)
        self.offers.void_found.connect(self._on_offers_void_found)
        self.notes.action_requested.connect(self._on_notes_action_requested)
        self.notes.closed.connect(self._on_notes_closed)
        self._preferences.changed.connect(self._on_preferences_changed)
        self._records.bets_changed.connect(self.list.look_again)
        self._unsubscribe = board.subscribe(self._on_board_notice, notices.ConnectionChanged)
        for ident, act in (
            ("promotions.place", self._place),
            ("promotions.game", self._show_game),
            ("promotions.calculator", self._calculate),
        ):
            self.menu.addAction(add_action(self, ident, act))
        self.menu.insertAction(self.menu.actions()[-1], self._at_bookmaker)
        self.menu.aboutToHide.connect(lambda: self._at_bookmaker.setEnabled(True))
        self.menu.addSeparator()
        self.menu.addAction(add_action(self, "promotions.export", self.saver.ask_for_file))
        for ident, act in (
            ("promotions.new", lambda: self.edit_offer(None)),
            ("promotions.edit", self._edit),
            ("promotions.used", self._toggle_used),
            ("promotions.delete", self._delete),
        ):
            self.offer_menu.addAction(add_action(self, ident, act))
        add_action(self, "promotions.sort", self._sort)
        add_action(self, "promotions.hedged", self.header.chips.choose_next)

    # offers

    def _show_offers(self) -> None:
        now = self._wall()
        rows = offer_rows(self.offers, now)
        self._expires_at = min(
            (row.offer.until for row in rows.values() if row.offer.until and not row.is_over),
            default=_NEVER,
        )
        self.offer_list.show_rows(rows)
        name = self._name.get_value() or (self.shown_offer.name if self.shown_offer else "")
        offer = self.offers.offer_named(name)
        if offer is None and self.offer_list.model.rowCount():
            offer = self.offer_list.model.entry(0).offer
        self._choose(offer)

    def _choose(self, offer: Promotion | None) -> None:
        """List the ways to use an offer."""
        before = self.shown_offer, self.list.offer
        if offer is not None:
            self.offer_list.mark_current(offer.name)
        is_over = offer is not None and offer.is_over(self._clock())
        self.shown_offer = offer
        self.list.look_for(None if is_over else offer)
        if before != (offer, self.list.offer):
            self._show_ways()

    def _ask_offer(self, offer: Promotion | None, instead_of: str, title: str) -> OfferDialog:
        others = [each for each in self.offers.offers if each.name != instead_of]

        def keep(described: Promotion) -> str:
            problem = self.offers.save_offer(described, instead_of)
            if not problem:
                self._name.keep_value(described.name)
                self._show_offers()
                self.offer_list.table.setFocus(Qt.FocusReason.OtherFocusReason)
                self._marks_best = True
                self._mark_best()
            return problem

        names = self._board.bookmakers_with_prices()
        dialog = OfferDialog(
            self._theme, offer, names, others, keep, self._wall(), self.window(), title=title
        )
        dialog.open()
        return dialog

    def _edit(self) -> None:
        if (offer := self.shown_offer) is not None:
            self.edit_offer(offer)

    def _toggle_used(self) -> None:
        if (offer := self.shown_offer) is not None:
            self.offers.mark_offer(offer.name, is_used=offer.used_at is None)

    def _delete(self) -> None:
        if (offer := self.shown_offer) is not None:
            self.offers.remove_offer(offer.name)
            text = _("Deleted: {offer} at {bookmaker}. Its bets stay.").format(
                offer=offer_text(offer), bookmaker=offer.bookmaker
            )
            self._say(text, "check", _("Undo"), partial(self._restore, offer))

    def _restore(self, offer: Promotion) -> None:
        if problem := self.offers.save_offer(offer):
            self._say(sentence(problem), "warning")
        else:
            self._name.keep_value(offer.name)
            self._show_offers()

    def _say(
        self,
        text: str,
        icon: str,
        action: str = "",
        act: Callable[[], object] | None = None,
        on_close: Callable[[], object] | None = None,
    ) -> None:
        """Show a message on offers; a refund that is due waits for an answer."""
        self._act, self._on_close = act, on_close
        self.notes.show_message(text, icon=icon, action=action, passes=on_close is None)

    def _on_notes_action_requested(self) -> None:
        act, self._act, self._on_close = self._act, None, None
        self.notes.hide()
        if act is not None:
            act()

    def _on_notes_closed(self) -> None:
        on_close, self._on_close = self._on_close, None
        if on_close is not None:
            on_close()

    def _on_offers_refund_due(self, bet: PlacedBet, offer: Promotion) -> None:
        text = _("{bet} at {bookmaker} lost: a free bet of {amount} is due.").format(
            bet=selection_text(bet.selection),
            bookmaker=bet.bookmaker,
            amount=f"{num(offer.amount):,.2f}",
        )
        question = _("Add it to your offers?")
        ask = partial(self._take_refund, bet, offer)
        answer = partial(self.offers.answer_refund, bet)
        self._say(f"{text} {question}", "info", _("Add offer…"), ask, answer)
        if self.visibleRegion().isEmpty():
            self.refund_noticed.emit(text)

    def _on_offers_void_found(self, bet: PlacedBet, offer: Promotion) -> None:
        text = _(
            "The free bet on {bet} at {bookmaker} was void: most bookmakers give it back."
        ).format(bet=selection_text(bet.selection), bookmaker=bet.bookmaker)
        take = partial(self.offers.take_free_bet_back, bet, offer)
        self._say(text, "info", _AGAIN, take, partial(self.offers.answer_refund, bet))
        if self.visibleRegion().isEmpty():
            self.refund_noticed.emit(text)

    def _take_refund(self, bet: PlacedBet, offer: Promotion) -> None:
        dialog = self._ask_offer(offer, "", _("New offer"))
        dialog.accepted.connect(lambda: self.offers.answer_refund(bet))
        dialog.rejected.connect(lambda: self._on_offers_refund_due(bet, offer))

    def _on_offer_current_changed(self, index: QModelIndex) -> None:
        if index.isValid() and not self.offer_list.is_showing:
            offer = self.offer_list.model.entry(index.row()).offer
            self._name.keep_value(offer.name)
            self._choose(offer)

    def _menu_of_offer(self) -> QMenu | None:
        return None if self.shown_offer is None else self.offer_menu

    # ways

    def _current_model(self) -> WaysModel:
        return self.hedged if self._which.get_value() == HEDGED else self.unhedged

    def _current_table(self) -> LiveTable:
        return self.table if self._which.get_value() == HEDGED else self.unhedged_table

    @property
    def _looks_back(self) -> bool:
        return self._board.connection.as_of_ms is not None

    def _is_seen(self) -> bool:
        """Whether any part is visible: to Qt, a panel behind another tab is not hidden."""
        return not (self._looks_back or self.visibleRegion().isEmpty())

    def _show_ways(self) -> None:
        board = self._board
        self._is_lost = board.connection.is_lost
        found = self.list.ways
        of, reference = board.basis.profiles.profile_of, board.reference_name
        for model, ways in ((self.hedged, found.hedged), (self.unhedged, found.unhedged)):
            listed = () if self._looks_back else ways
            rows = way_rows(listed, of, reference, is_lost=self._is_lost)
            model.show_rows(rows, may_move=self._may_move())
        self._is_filled = self.list.has_looked
        self._show_counts()
        self._mark_best()

    def _mark_best(self) -> None:
        """Make the best way current if no row is chosen: keys act on a row that is marked."""
        table = self._current_table()
        if self._marks_best and self._is_filled and table.model.rowCount():
            self._marks_best = False
            if not table.has_choice:
                table.set_current(0)

    def _may_move(self) -> bool:
        """Whether no row is in use, or the rows are of another offer or outdated."""
        table = self._current_table()
        is_other = self.list.offer != self._listed_for
        if is_other:
            self._listed_for = self.list.offer
            for each in (self.table, self.unhedged_table):
                each.clear_choice()
        if not self._is_filled and not table.has_choice:
            return QApplication.activeModalWidget() is None
        is_held = self._board.games and table.is_pointed_at and self.list.offer is not None
        return is_other or self._looks_back or not is_held or self._is_dead_in(table)

    def _show_counts(self) -> None:
        said = [*self._said()]
        self.header.show_facts(" · ".join(said), 1)
        self.header.show_waiting(self._current_model().rows_that_would_move)
        table, focus = self._current_table(), self.window().focusWidget()
        self._show_rows_of(table, self._state)
        if focus is table.scrolling and not table.model.rowCount():
            # Qt would pass it to a button, which the next Enter would press
            self.offer_list.table.scrolling.setFocus()

    def _said(self) -> Iterator[str]:
        offer, found = self.list.offer, self.list.ways
        if offer is None or self._looks_back:
            return
        if self._is_lost:
            yield no_stakes(self._board.connection)
        is_hedged = self._current_model() is self.hedged
        ways = found.hedged if is_hedged else found.unhedged
        if not ways:
            return
        count = len(ways)
        text = (
            ngettext("{count} hedge", "{count} hedges", count)
            if is_hedged
            else ngettext("{count} bet", "{count} bets", count)
        )
        yield text.format(count=count)
        if not self.list.has_looked:
            yield _("searching")
        yield from [offer_text(offer), *terms_of(offer, self._wall())]
        yield _("{count} prices").format(count=f"{num(found.looked_at):,}")
        yield from (f"{num(count):,} {translated(why)}" for why, count in _most(found.left_out))

    def _state(self) -> EmptyState:
        connection, offer = self._board.connection, self.shown_offer
        if self._looks_back:
            return EmptyState(
                "table", _("No promotions in the past view."), _("Go back to now to use one.")
            )
        if offer is None:
            detail = _("The best ways to use an offer appear here.")
            return EmptyState("table", _("No offer chosen."), detail)
        if offer.used_at is not None:
            when = _("Used {time}{earned}.").format(
                time=moment_text(offer.used_at), earned=_earned_text(self.offers.earned_with(offer))
            )
            return EmptyState("check", when, action=_AGAIN)
        if self.list.offer is None:
            expired = (
                _("This offer expired.")
                if offer.until is None
                else _("This offer expired {time}.").format(time=moment_text(offer.until))
            )
            return EmptyState("table", expired, action=_EDIT)
        has_looked, now = self.list.has_looked, self._clock()
        return _why_unknown(connection, now, has_looked=has_looked) or self._why_none(offer)

    def _why_none(self, offer: Promotion) -> EmptyState:
        found = self.list.ways
        if not found.looked_at:
            first = offer.bookmaker.split()[0].casefold()
            names = sorted(
                self._board.bookmakers_with_prices(),
                key=lambda name: (not name.casefold().startswith(first), name.casefold()),
            )
            more = len(names) - _MOST_NAMED
            text = (
                _("Prices are from {bookmakers} and {count} more.")
                if more > 0
                else _("Prices are from {bookmakers}.")
            )
            detail = text.format(bookmakers=", ".join(names[:_MOST_NAMED]), count=more)
            none = _("{bookmaker} has no prices here.").format(bookmaker=offer.bookmaker)
            return EmptyState("filter", none, detail if names else "", _EDIT)
        why = "; ".join(f"{num(count):,} {translated(why)}" for why, count in _most(found.left_out))
        detail = ""
        if why:
            count = f"{num(found.looked_at):,}"
            detail = _("Of {count} prices: {reasons}.").format(count=count, reasons=why)
        if self._current_model() is self.hedged:
            others = _("Press M for bets without a hedge.") if found.unhedged else ""
            return EmptyState(
                "filter", _("No way to hedge this offer now."), f"{detail} {others}".strip()
            )
        why_not = _("No bet with known fair odds for this offer now.")
        return EmptyState("filter", why_not, detail)

    def _sort(self) -> None:
        self._sort_by_hand(self._current_table())

    def _menu_of_way(self) -> QMenu | None:
        if (row := self.current_way()) is None:
            return None
        show_link(self._at_bookmaker, row.leg.url)
        return self.menu

    def _open(self) -> None:
        row = self.current_way()
        if row is not None and not open_link(row.leg.url):
            self.price_requested.emit(row.leg.key)

    def _current_or_best(self) -> WayRow | None:
        model = self._current_model()
        return self.current_way() or (model.entry(0) if model.rowCount() else None)

    def _place(self) -> None:
        if (row := self._current_or_best()) is not None:
            self.place_requested.emit(row.way)

    def _show_game(self) -> None:
        if (row := self.current_way()) is not None:
            self.price_requested.emit(row.leg.key)

    def _calculate(self) -> None:
        """Open the calculator, filled in with the current way or the best, else with the offer."""
        row, offer = self._current_or_best(), self.shown_offer
        back = lay = None
        bet = None if offer is None else offer.bet(2.0)
        commission = 0.0
        if row is not None:
            way = row.way
            bet, back = way.bet, way.legs[0].odds
            laid = next((leg for leg in way.legs if leg.is_lay), None)
            if laid is not None:
                lay = laid.lay_odds
                commission = self._profile(laid.bookmaker).commission
        HedgeCalculator(self._theme, bet, back, lay, commission, self.window()).show()

    def _profile(self, bookmaker: str) -> Profile:
        return self._board.basis.profiles.profile_of(bookmaker)

    def _on_chips_chosen(self, which: str) -> None:
        self._which.keep_value(which)
        self._show_ways()
        self._current_model().sort_now()

    def _on_placeholder_action_requested(self) -> None:
        if self.placeholder.action == _AGAIN:
            self._toggle_used()
        else:
            self._edit()

    def _on_table_current_changed(self, _index: QModelIndex) -> None:
        if self._is_chosen_in(self._current_table()):
            row = self.current_way()
            is_lay = row is not None and row.leg.is_lay
            (self.lay_selected if is_lay else self.price_selected).emit(self.selected())

    def _on_preferences_changed(self, key: str) -> None:
        if key in _PLAN_KEYS:
            self._plan = stake_plan(self._preferences.get_setting)
            self.list.look_again()

    def _on_board_notice(self, _notice: notices.Notice) -> None:
        if self._board.connection.is_lost is not self._is_lost or self._looks_back:
            self._show_ways()
        else:
            self._show_counts()

    def _on_idle_timeout(self) -> None:
        self.offers.read_again()
        if self._expires_at <= self._wall():
            self._show_offers()
        self._tidy(self._current_table())

    # Qt's virtuals

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self._marks_best = True  # it was chosen in the palette or by a key
        self._mark_best()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.offers.read_again()
        self.list.start_looking()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._marks_best = False
        self.list.stop_looking()


_PLAN_KEYS: Final = {setting.key for setting in STAKES.settings} | {STAKE_STEP.key}
_NEVER: Final = 1 << 62
_FITS: Final = (
    Fit(),
    Fit(sort=Says.LESS),
    Fit(sort=Says.LESS, keeps_one_fact=True),
    Fit(sort=Says.NOTHING),
)
"""Below this width the sort button is shorter, then hidden: it has a key."""


def _most(left_out: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return the reasons for leaving out prices, the most frequent first."""
    return sorted(left_out.items(), key=lambda each: -each[1])[:_MOST_NAMED]


def _earned_text(sums: Earned) -> str:
    if not sums.bets:
        return ""
    still = ""
    if sums.open:
        text = ngettext(", {count} bet open", ", {count} bets open", sums.open)
        still = text.format(count=sums.open)
    if sums.open == sums.bets:
        return still
    profit = _(", profit {profit}").format(profit=signed_hundredths_text(sums.profit))
    return f"{profit}{still}"


def _why_unknown(
    connection: notices.Connection, now_ms: int, *, has_looked: bool
) -> EmptyState | None:
    """Return why the ways to use an offer are unknown; None if they are known."""
    if connection.has_no_service:
        return NO_SERVICE
    if (refused := state_of_refusal(connection)) is not None:
        return refused
    if connection.is_lost:
        detail = _("The search resumes once prices are up to date.")
        return EmptyState("offline", f"{capitalized(translated(connection.why_lost))}.", detail)
    if connection.has_unread_prices or connection.link in _BEGINNING:
        return EmptyState("loading", _("Loading prices…"))
    if not has_looked:
        return EmptyState("loading", _("Searching…"))
    if old := old_text(connection, now_ms):
        detail = _("The search resumes as soon as prices come in.")
        return EmptyState("offline", f"{capitalized(old)}.", detail)
    return None


_BEGINNING: Final = (notices.Link.CONNECTING, notices.Link.STOPPED)
_NO_OFFERS: Final = EmptyState(
    "info",
    _("No offers yet."),
    _("Add a free bet, boost, refund or bonus that a bookmaker gave you."),
    _NEW,
)


class OfferList(QWidget):
    """The list of offers with a button to add one, or what to do if there are none."""

    def __init__(self, theme: Theme, model: OffersModel, clock: Clock) -> None:
        super().__init__()
        self.model = model
        self.is_showing = False
        """Whether rows are being shown: the current one then changes without the user."""
        self.table = LiveTable(theme, model, clock)
        self.table.setAccessibleName(_("Offers"))
        self.placeholder = Placeholder(theme)
        self.placeholder.show_state(_NO_OFFERS)
        self._facts = FactsLabel()
        self._facts.setProperty("variant", "note")
        self.new = line_button(_NEW, _("Describe an offer (N)"))
        bar = ListBar(theme)
        bar.line.addWidget(self._facts, 1)
        bar.line.addWidget(self.new)
        spacing.vertical(self, bar, self.placeholder, self.table, spacing=0)
        self.table.header_clicked.connect(model.sort_by)

    def show_rows(self, rows: Mapping[tuple[str], OfferRow]) -> None:
        """Show these offers."""
        self.is_showing = True
        self.model.show_rows(rows, may_move=True)
        self.is_showing = False
        over = sum(row.is_over for row in rows.values())
        count = len(rows) - over
        text = ngettext("{count} open offer", "{count} open offers", count)
        said = [text.format(count=count)]
        if over:
            said.append(_("{count} used or expired").format(count=over))
        self._facts.show_text(" · ".join(said) if rows else "")
        self.table.setVisible(bool(rows))
        self.placeholder.setVisible(not rows)

    def mark_current(self, name: str) -> None:
        """Mark the offer that ways are listed for."""
        row = self.model.row_of_key((name,))
        if row is not None and row != self.table.chosen_row():
            self.is_showing = True
            self.table.set_current(row)
            self.is_showing = False


_OFFERS_WIDTH: Final = 300
_KEPT_AFTER_MS: Final = 500
_NARROW: Final = 560


class _Split(QSplitter):
    """Offers on the left, at the width that the user set; on top in a narrow window."""

    def __init__(self, theme: Theme, layout: Layout, offers: QWidget, ways: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, handleWidth=1, childrenCollapsible=False)
        self._theme = theme
        self._saved = Saved(layout, "promotions/offers_width", int, _OFFERS_WIDTH)
        self._keep_soon = QTimer(self, singleShot=True, interval=_KEPT_AFTER_MS)
        self._keep_soon.timeout.connect(self._keep)
        for part in (offers, ways):
            self.addWidget(part)
        self.setStretchFactor(1, 1)
        self.splitterMoved.connect(lambda _at, _which: self._keep_soon.start())

    def _keep(self) -> None:
        if self.orientation() is Qt.Orientation.Horizontal:
            self._saved.keep_value(round(self.sizes()[0] * 100 / self._theme.text_size))

    def _fit(self) -> None:
        is_tall = self.width() < self._theme.fonts.scaled(_NARROW) and self.height() > self.width()
        wanted = Qt.Orientation.Vertical if is_tall else Qt.Orientation.Horizontal
        if wanted is not self.orientation():
            self.setOrientation(wanted)
        whole = self.height() if is_tall else self.width()
        given = self._theme.fonts.scaled(self._saved.get_value())
        offers = whole // 3 if is_tall else min(given, whole // 3)
        self.setSizes([offers, whole - offers])

    # Qt's virtuals

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()
