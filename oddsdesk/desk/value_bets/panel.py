"""The value-bet panel: prices better than fair, the best first, and those that nearly are."""

from collections.abc import Callable, Container, Sequence
from functools import partial
from typing import Any, Final

from PySide6.QtCore import QModelIndex, QObject, QPoint, Signal
from PySide6.QtGui import QCursor, QHideEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from oddsdesk.base.clock import Clock
from oddsdesk.base.market_words import market_text, sport_text
from oddsdesk.base.numbers import num
from oddsdesk.base.texts import _, ngettext, translated
from oddsdesk.board.board import Board
from oddsdesk.board.model import notices
from oddsdesk.board.model.matrix import RowKey
from oddsdesk.board.promotions import PromoWay
from oddsdesk.board.valuation.bets import Exposure
from oddsdesk.board.valuation.verdict_words import ev_limit_text
from oddsdesk.contract.markets import MARKET_TYPES
from oddsdesk.desk.bet_sheet import sheet_text
from oddsdesk.desk.export.files import table_of
from oddsdesk.desk.export.saving import TableSaver
from oddsdesk.desk.presets import PresetChoice, PresetDialog
from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.declared import STAKES, VALUE_RULES, own_rules_text, split_of
from oddsdesk.desk.settings.saved_state import Layout, Preferences
from oddsdesk.desk.ui.actions import add_action
from oddsdesk.desk.ui.controls.messages import EmptyState, MessageBar
from oddsdesk.desk.ui.formatting import span_text, typed_text
from oddsdesk.desk.ui.list_panel import Fit, ListHeader, ListPanel, Says, line_button
from oddsdesk.desk.ui.states import (
    MY_BOOKMAKERS,
    NO_SERVICE,
    no_stakes,
    state_of_mine,
    state_of_refusal,
    text_without_games,
)
from oddsdesk.desk.ui.table.live_model import StableRowsModel
from oddsdesk.desk.ui.table.live_table import LiveTable
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.desk.value_bets.actions import BetActions, Hiding, LegPlacer
from oddsdesk.desk.value_bets.lists import StakeSettings, ValueLists
from oddsdesk.desk.value_bets.model import OutcomeKey
from oddsdesk.desk.value_bets.opportunity_sheet import LaySheet
from oddsdesk.desk.value_bets.placing import PAST, BetPlacer, placed_text
from oddsdesk.desk.value_bets.promotion_sheet import PromotionSheet
from oddsdesk.desk.value_bets.subjects import (
    BetSubject,
    subject_of_bet,
    subject_of_miss,
    subject_of_price,
)
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.presets import BUILT_IN, Preset, ValueFilter
from oddsdesk.pricing.audit import Audit
from oddsdesk.pricing.devig import PUBLISHED
from oddsdesk.pricing.value import SERVICE_RULES, ListRules


def filter_text(
    chosen: ValueFilter, *, only_mine: bool = False, rules: ListRules = SERVICE_RULES
) -> str:
    """Return a filter in few words: ``EV ≥ 2.01 % · odds 1.5 – 3 · all books``.

    A minimum EV below that of the list filters nothing; the list's is shown then, of several
    markets the lowest.
    """
    most = chosen.max_true_ev
    of_list = min(map(rules.minimum_ev, chosen.market_types or MARKET_TYPES))
    least = ev_limit_text(max(chosen.min_true_ev, of_list))
    said = [
        _("EV ≥ {least} %").format(least=least)
        if most is None
        else _("EV {least} – {most:g} %").format(least=least, most=num(most))
    ]
    said += _odds(chosen.min_odds, chosen.max_odds)
    said += _some([sport_text(sport) for sport in chosen.sports], _("{count} sports"))
    said += _some(chosen.competitions, _("{count} competitions"))
    said += _some([market_text(market) for market in chosen.market_types], _("{count} markets"))
    if chosen.in_play is not None:
        said.append(_("in play") if chosen.in_play else _("before kick-off"))
    if chosen.max_hours_ahead is not None:
        said.append(_("within {hours:g} h").format(hours=num(chosen.max_hours_ahead)))
    if chosen.max_age_s is not None:
        said.append(_("seen within {seconds:g} s").format(seconds=num(chosen.max_age_s)))
    if chosen.min_limit is not None:
        said.append(_("limit ≥ {limit:g}").format(limit=num(chosen.min_limit)))
    if chosen.derived != "all":
        said.append(_("no derived odds") if chosen.derived == "none" else _("no modelled odds"))
    said += _some(chosen.bookmakers, _("{count} books")) or [
        _("my books") if only_mine else _("all books")
    ]
    return " · ".join(said)


def _some(names: Sequence[str], several: str) -> list[str]:
    if not names:
        return []
    return [names[0] if len(names) == 1 else several.format(count=len(names))]


def _odds(least: float | None, most: float | None) -> list[str]:
    if least is not None and most is not None:
        return [_("odds {least} – {most}").format(least=typed_text(least), most=typed_text(most))]
    if least is not None:
        return [_("odds ≥ {least}").format(least=typed_text(least))]
    return [] if most is None else [_("odds ≤ {most}").format(most=typed_text(most))]


class ValuesPanel(ListPanel):
    """Lists value bets or near misses; rows move only when nobody points at them."""

    price_requested = Signal(object)
    """The ``RowKey`` of a price to be shown in its game."""
    price_selected = Signal(object)
    """The ``RowKey`` of the current row, None for none."""
    bookmakers_requested = Signal()
    """The user wants to tick other bookmakers."""

    def __init__(
        self,
        board: Board,
        theme: Theme,
        clock: Clock,
        preferences: Preferences,
        layout: Layout,
        records: Records,
    ) -> None:
        super().__init__(theme)
        self._board = board
        self._theme = theme
        self._clock = clock
        self._records = records
        self._preferences = preferences
        self._stakes = StakeSettings(preferences)
        self.lists = ValueLists(board, records, self._stakes, clock)
        self.table = LiveTable(theme, self.lists.bets, clock)
        self.table.setAccessibleName(_("Value bets"))
        self.misses = LiveTable(theme, self.lists.misses, clock)
        self.misses.setAccessibleName(_("Near misses"))
        self.actions_on_bet = BetActions(
            board,
            records,
            clock,
            self.subject,
            lambda: self._stakes.plan,
            self.lists.stake_at,
            self,
        )
        self.hiding = Hiding(records, clock, self.subject, self, self.actions_on_bet.menu)
        self.saver = TableSaver(self, lambda: "value-bets", lambda: table_of(self.lists.bets))
        self.header = values_header(theme, self.actions_on_bet.menu)
        self.presets = PresetChoice(
            layout, "values", records, BUILT_IN, self.header, self._preset_dialog, self
        )
        self._said = ValuesMessages(self.messages, board, records, self.actions_on_bet)
        self._which = BETS
        self._rests_at: QPoint | None = None
        """Where the pointer was as the connection went or came back; None: the keyboard moved."""
        self._chosen: tuple[OutcomeKey, int] | None = None
        """The row and column of the value bets that the user went to last."""
        self.rules = RulesBar(theme, preferences)
        column = self._lay_out_list(self.header, self.table, self.misses)
        column.insertWidget(2, self.rules)
        self.setLayout(column)
        for table in (self.table, self.misses):
            self._keep_chosen_in(table)
        self._connect()
        self._show_preset()
        self._show_all()

    def close_panel(self) -> None:
        self._idle.stop()
        self.saver.abort_saving()
        self.lists.stop_listing()
        self._unsubscribe()

    def subject(self) -> BetSubject | None:
        """Return what the current row is about."""
        index = self._current_table().current_cell()
        if not index.isValid():
            return None
        if self._which == BETS:
            row = self.lists.bets.entry(index.row())
            return subject_of_bet(row, self._board, self.lists.preset.name)
        return subject_of_miss(self.lists.misses.entry(index.row()), self._board)

    def place_price(self, key: RowKey, placer: BetPlacer | None = None) -> None:
        """Ask for a bet on any price that the board holds; ``placer`` is another panel's."""
        placer = placer or self.actions_on_bet
        row = next((row for row in self.lists.bets.shown_rows() if row.bet_price.key == key), None)
        board = self._board
        preset = self.lists.preset.name
        subject = (
            subject_of_price(key, board) if row is None else subject_of_bet(row, board, preset)
        )
        if subject is None:
            placer.said.emit(_("That price is no longer available."))
        else:
            placer.ask_bet(subject)

    def place_lay(self, key: RowKey, placer: BetPlacer) -> None:
        """Open the sheet for a lay at a price on the board."""
        sheet = LaySheet(self._board, key, self._clock)
        if sheet.has_price:
            placer.ask_sheet(sheet)
        else:
            placer.said.emit(_("That price is no longer available."))

    def placer_over(self, owner: QWidget) -> BetPlacer:
        """Return the placer of bets over another part of the desk, which shows the outcome."""
        plan, stake_at = lambda: self._stakes.plan, self.lists.stake_at
        return BetPlacer(self._board, self._records, self._clock, plan, stake_at, owner)

    def sheet_placer_over(self, owner: QWidget, bar: MessageBar, undo_action: str) -> BetPlacer:
        """Return the placer of sheets over another panel, with its messages in that panel's bar.

        ``undo_action``: that panel's action to undo what was recorded last.
        """
        placer = self.placer_over(owner)
        said = PlacingMessages(bar, self._records, placer)
        add_action(owner, undo_action, said.undo_placing)
        return placer

    def leg_placer_over(self, owner: QWidget, bar: MessageBar) -> LegPlacer:
        """Return the placer of legs over another panel, with its messages in that panel's bar."""
        placer = self.sheet_placer_over(owner, bar, "opportunities.undo")
        return LegPlacer(
            self._board, lambda: split_of(self._preferences.get_setting), placer, self._clock
        )

    def promotion_placer_over(
        self, owner: QWidget, bar: MessageBar
    ) -> Callable[[PromoWay], object]:
        """Return the function that opens the sheet of a promotion over another panel."""
        placer = self.sheet_placer_over(owner, bar, "promotions.undo")

        def place_way(way: PromoWay) -> None:
            sheet = PromotionSheet(
                self._board,
                way,
                lambda: self._stakes.plan,
                lambda: self._records.staked_on(self._board),
                self._clock,
            )
            if sheet.has_prices:
                placer.ask_sheet(sheet)
            else:
                placer.said.emit(_("One of these prices is no longer available."))

        return place_way

    def exposure(self, key: RowKey) -> Exposure | None:
        """Return how the stake on a price came about; None where it is not listed as value."""
        return self.lists.exposure(key)

    def show_list(self, which: str) -> None:
        """Show ``BETS`` or ``MISSES``."""
        self.header.chips.choose_chip(which)

    def selected(self) -> RowKey | None:
        """Return the price of the current row."""
        subject = self.subject()
        return None if subject is None else subject.key

    def _connect(self) -> None:
        header, actions = self.header, self.actions_on_bet
        assert header.more is not None
        header.chips.chosen.connect(self._on_chips_chosen)
        header.sort.clicked.connect(self._sort)
        header.more.clicked.connect(self._ask_stakes)
        add_action(self, "values.sort", self._sort)
        add_action(self, "values.undo", self._said.undo_placing)
        add_action(self, "values.sort_by", self._sort_by_current)
        actions.menu.addSeparator()
        actions.menu.addAction(add_action(self, "values.export", self.saver.ask_for_file))
        self.saver.said.connect(actions.said)
        add_action(self, "values.list", header.chips.choose_next)
        add_action(self, "values.stakes", self._ask_stakes)
        self.presets.changed.connect(self._show_preset)
        actions.price_requested.connect(self.price_requested)
        self._stakes.changed.connect(self._show_bets)
        self._records.bets_changed.connect(self._show_bets)
        self._records.hidden_changed.connect(self._show_bets)
        self.placeholder.action_requested.connect(self._on_placeholder_action_requested)
        self.hiding.said.connect(actions.said)
        self.lists.finder.found.connect(self._show_misses)
        for table, model in ((self.table, self.lists.bets), (self.misses, self.lists.misses)):
            table.opened.connect(lambda _index: self.actions_on_bet.open_bookmaker())
            table.current_changed.connect(self._on_table_current_changed)
            model.order_changed.connect(self._show_counts)
            self._offer_menu(table, lambda: actions.menu)
        self.lists.bets.order_changed.connect(self._mark_again)
        self._unsubscribe = self._board.subscribe(
            self._on_board_notice, notices.ValueBetsChanged, notices.ConnectionChanged
        )

    def _current_table(self) -> LiveTable:
        return self.table if self._which == BETS else self.misses

    def _current_model(self) -> StableRowsModel[Any, Any]:
        return self.lists.bets if self._which == BETS else self.lists.misses

    def _show_all(self) -> None:
        self._show_bets()
        self._said.show_audit()

    def _may_move(self) -> bool:
        """Whether nobody is at a row, or the rows are of what was left or lost since."""
        is_held = self._current_table().is_pointed_at and self._board.games
        return not is_held or self._rests_since_loss()

    def _rests_since_loss(self) -> bool:
        """Whether a pointer lies on rows of before the connection was lost, and nobody is there."""
        return self._rests_at == QCursor.pos() and QApplication.activeModalWidget() is None

    def _show_bets(self) -> None:
        self.lists.show_bets(may_move=self._may_move())

    def _show_misses(self) -> None:
        self.lists.show_misses(may_move=self._may_move())

    def _show_counts(self) -> None:
        # the number of bets, and what is staked, or that nothing is and why
        kept = 3 if self._board.connection.is_lost else 2
        self.header.show_facts(self._counts_text(), kept)
        self.header.show_waiting(self._current_model().rows_that_would_move)
        self._show_rows_of(self._current_table(), self._state)

    def _counts_text(self) -> str:
        lists, whose = self.lists, self._board.desk_reference
        judged_by = (
            [_("vs {sharp_book}").format(sharp_book=whose.reference_name)] if whose.is_named else []
        )
        if self._which == MISSES:
            return " · ".join([misses_text(lists.misses.row_total, lists.finder.games), *judged_by])
        only_mine = self._board.basis.mine is not None
        rules = self._board.basis.rules
        chosen = filter_text(lists.preset.filter, only_mine=only_mine, rules=rules)
        return bets_text(
            lists.value_count,
            lists.bets.row_total - lists.value_count,
            self._staked_text(),
            " · ".join([*judged_by, chosen]),  # what is cut off first stands last
            lists.hidden,
            has_unread=bool(self._board.snapshot_progress.cut),
        )

    def _state(self) -> EmptyState:
        lists, board = self.lists, self._board
        if self._which == MISSES:
            mine = state_of_mine(board.unticked_with_prices())
            return mine or state_without_misses(lists.finder.games)
        return state_without_bets(
            board.connection, lists.filtered_out, lists.hidden, board.reference_name
        ) or state_of_prices(board, self._clock())

    def _staked_text(self) -> str:
        """Say what is staked in all, or why nothing is on what is value."""
        connection, lists = self._board.connection, self.lists
        if connection.is_lost:
            return no_stakes(connection) if lists.value_count else ""
        bankroll = self._stakes.plan.bankroll
        if not lists.staked:
            return ""
        return _("stakes {staked:,g} of {bankroll:,g}").format(
            staked=num(lists.staked), bankroll=num(bankroll)
        )

    def _show_preset(self) -> None:
        self.lists.preset = self.presets.current_preset
        self.lists.show_bets(may_move=True)

    def _sort(self) -> None:
        self._current_model().sort_now()

    def _sort_by_current(self) -> None:
        index = self._current_table().current_cell()
        if index.isValid():
            self._current_model().sort_by(index.column())

    def _ask_stakes(self) -> None:
        from oddsdesk.desk.settings.dialog import SettingsDialog  # noqa: PLC0415 - late

        SettingsDialog(self._theme, self._preferences, self, (STAKES,)).open()

    def _preset_dialog(
        self, preset: Preset, name: str, taken: Container[str]
    ) -> PresetDialog[Preset]:
        from oddsdesk.desk.value_bets.preset_dialog import ValuesPresetDialog  # noqa: PLC0415 - late

        known = self._board.bookmakers_with_prices()
        competitions = {game.competition for game in self._board.games.values()}
        start = Preset(name, preset.filter)
        return ValuesPresetDialog(start, known, competitions, taken, self)

    def _on_placeholder_action_requested(self) -> None:
        if self.placeholder.action == MY_BOOKMAKERS:
            self.bookmakers_requested.emit()
        elif self.lists.filtered_out:
            self.presets.choose_first()
        else:
            self.hiding.ask_hidden()

    def _on_chips_chosen(self, which: str) -> None:
        self._which = which
        self.header.offer_presets(which == BETS)
        self._search_near_misses()
        self._show_counts()
        self.price_selected.emit(self.selected())

    def _search_near_misses(self) -> None:
        if self._which == MISSES and self.isVisible():
            self.lists.finder.start_search()
        else:
            self.lists.finder.stop_search()

    def _mark_again(self) -> None:
        """Mark the row that was chosen, where the list was empty since: in the past, as a rule."""
        bets = self.lists.bets
        if self._chosen is None or bets.is_arranging or self.table.current_cell().isValid():
            return
        row = bets.row_of_key(self._chosen[0])
        if row is not None:
            bets.is_arranging = True  # who chose another price since keeps it explained
            self.table.set_current(row, self._chosen[1])
            bets.is_arranging = False

    def _on_table_current_changed(self, index: QModelIndex) -> None:
        if self._is_chosen_in(self._current_table()):
            self._rests_at = None
            if self._which == BETS and index.isValid():
                self._chosen = self.lists.bets.key_of_row(index.row()), index.column()
            self.price_selected.emit(self.selected())

    def _on_board_notice(self, notice: notices.Notice) -> None:
        if isinstance(notice, notices.ValueBetsChanged) and notice.moved:
            self.lists.note_moved()
        elif isinstance(notice, notices.ValueBetsChanged):
            self._show_all()
        elif isinstance(notice, notices.ConnectionChanged):
            self._said.end_past()
            if self._board.connection.is_lost is not self.lists.is_lost:
                self._rests_at = QCursor.pos()
                self._show_bets()
            self._show_counts()

    def _on_idle_timeout(self) -> None:
        if self.lists.preset.filter.depends_on_time:
            self.lists.note_moved()
        self._tidy(self._current_table())

    # Qt's virtuals

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._search_near_misses()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._search_near_misses()


BETS: Final = "bets"
MISSES: Final = "misses"
_LEAST_WIDTH: Final = 240
"""A window that is too small cuts the line, rather than to grow beyond the screen."""


_FITS: Final = tuple(
    Fit(sort, preset, has_more)
    for sort in Says
    for preset, has_more in ((Says.ALL, True), (Says.LESS, True), (Says.LESS, False))
)
"""Where it is narrow "Preset" goes before its name, then the stakes (K opens them), then the rows
that would move say less, then nothing (S sorts them): how many bets there are and what is staked
stays in sight."""


def values_header(theme: Theme, bet_menu: QMenu) -> ListHeader:
    """Return the line above the value bets: which list, how many, sorting, bet, stakes, preset."""
    return ListHeader(
        theme,
        _("Value bets or near misses"),
        [(BETS, _("Value bets")), (MISSES, _("Near misses"))],
        _FITS,
        preset_tip=_("Preset: which value bets are listed"),
        least_width=_LEAST_WIDTH,
        button=line_button(_("Bet ▾"), _("Actions for the selected bet"), bet_menu),
        more=line_button(_("Stakes…"), _("Betting bank, Kelly fraction, caps, rounding")),
    )


_OVERSTATED = _(
    "This service overstates EV: its published formula adds the sharp book's margin instead of "
    "removing it."
)


_NOTHING_TO_UNDO: Final = _(
    "Nothing to undo here. Shift+P undoes the selected bet; in Bets (Ctrl+L), Ctrl+Z "
    "undoes one change after another."
)
_TURNED: Final = _(
    "This service sends each market's payout where its API promises the sum of "
    "1/odds. The desk corrects for it."
)


class RulesBar(MessageBar):
    """Says which rules of the list differ from the service's; its button resets them."""

    def __init__(self, theme: Theme, preferences: Preferences) -> None:
        super().__init__(theme, closable=False)
        self._preferences = preferences
        self.action_requested.connect(self.reset_rules)
        preferences.changed.connect(self._on_preferences_changed)
        self._show_rules()

    def reset_rules(self) -> None:
        """List by the service's rules again."""
        for setting in VALUE_RULES.settings:
            if self._preferences.get_setting(setting) != setting.default:
                self._preferences.keep_setting(setting, setting.default)

    def _show_rules(self) -> None:
        if told := own_rules_text(self._preferences.get_setting):
            text = _("Your own rules, with the service's in brackets: {rules}.").format(rules=told)
            self.show_message(text, icon="filter", action=_("Reset"))
        else:
            self.hide()

    def _on_preferences_changed(self, key: str) -> None:
        if key in _RULE_KEYS:
            self._show_rules()


_RULE_KEYS: Final = {setting.key for setting in VALUE_RULES.settings}


def audit_text(audit: Audit | None, method: str) -> str:
    """Return what to know of how a service reckons, empty where it reckons as it should."""
    if audit is None:
        return ""
    if not audit.is_published:
        return _TURNED if audit.sends_return_rate else ""
    if method == PUBLISHED:
        said = _("Your devig method does the same: choose another one in Settings.")
    else:
        said = _("The desk picks and sorts bets by its own EV.")
    return f"{_OVERSTATED} {said}"


def is_about_formula(text: str) -> bool:
    """Tell whether a message is what ``audit_text`` says."""
    return text.startswith((_OVERSTATED, _TURNED))


def state_without_bets(
    connection: notices.Connection, filtered_out: int, hidden: int = 0, reference: str | None = None
) -> EmptyState | None:
    """Return why no value bet is listed; None if it is because of the prices.

    ``filtered_out`` is how many the preset leaves out, ``hidden`` how many more the user hid,
    ``reference`` the sharp book.
    """
    if connection.has_value_bets is False:
        return EmptyState(
            "lock", _("Value bets are not in your plan."), _("They come with Pro and higher plans.")
        )
    if connection.has_no_service:
        return NO_SERVICE
    if connection.link in (notices.Link.CONNECTING, notices.Link.STOPPED):
        return EmptyState("loading", _("Looking for value bets…"))
    if connection.link is notices.Link.PAST:
        return EmptyState(
            "table", _("No value bets in the past view."), _("It shows games and their prices.")
        )
    if filtered_out:
        text = ngettext(
            "{count} value bet is hidden by the preset.",
            "{count} value bets are hidden by the preset.",
            filtered_out,
        ).format(count=filtered_out)
        return EmptyState("filter", text, action=_("Show all value bets"))
    if hidden:
        text = ngettext(
            "{count} value bet is hidden by you.", "{count} value bets are hidden by you.", hidden
        ).format(count=hidden)
        return EmptyState("filter", text, action=_("Hidden bets…"))
    if (refused := state_of_refusal(connection)) is not None:
        return refused
    if connection.link is notices.Link.WAITING:
        return EmptyState(
            "offline", _("Not connected."), _("Value bets return with the connection.")
        )
    if reference and reference == connection.unpriced_reference:
        return EmptyState(
            "table",
            _("{sharp_book} has no prices, so there are no fair odds.").format(
                sharp_book=reference
            ),
            _("Choose another sharp book in the top bar."),
        )
    return None


def state_of_prices(board: Board, now_ms: int) -> EmptyState:
    """Return why none of the current prices is listed as value."""
    newest, rules = board.connection.newest_ms, board.basis.rules
    if not board.games and not board.bookmakers_with_prices() - {board.desk_reference.bookmaker}:
        return EmptyState("table", text_without_games(board.connection, own_server=False))
    if newest is not None and now_ms - newest > rules.max_age_ms:
        detail = _("Value bets need prices of the last {span}.").format(
            span=span_text(rules.max_age_ms)
        )
        return EmptyState(
            "offline", _("No new price for {span}.").format(span=span_text(now_ms - newest)), detail
        )
    if (state := state_of_mine(board.unticked_with_prices())) is not None:
        return state
    elsewhere = {
        price.outcome
        for price in board.value_bets.values()
        if price.is_value and not board.basis.is_mine(price.bookmaker)
    }
    if elsewhere:
        detail = ngettext(
            "Other bookmakers have {count} value bet. Tick more to see them.",
            "Other bookmakers have {count} value bets. Tick more to see them.",
            len(elsewhere),
        ).format(count=len(elsewhere))
        return EmptyState(
            "filter", _("No value bets at your bookmakers now."), detail, MY_BOOKMAKERS
        )
    detail = _("No price passes all value rules.")
    if not rules.are_services:
        detail = " ".join((detail, _("Your own rules are in Settings, Value bets.")))
    return EmptyState("check", _("No value bets now."), detail)


def state_without_misses(games: int) -> EmptyState:
    """Return why no near miss is listed; ``games`` is how many are read here."""
    if not games:
        return EmptyState(
            "table",
            _("No games loaded yet."),
            _(
                "Near misses are searched in open games, and in all games while the odds "
                "grid is open."
            ),
        )
    return EmptyState("check", _("No price is close to being value."), f"{_in_games(games)}.")


def misses_text(shown: int, games: int) -> str:
    """Return how many near misses there are, and where they were looked for."""
    return f"{shown} · {_in_games(games)}"


def bets_text(
    value: int,
    cautioned: int,
    staked: str,
    chosen: str,
    hidden: int = 0,
    *,
    has_unread: bool = False,
) -> str:
    """Return how many outcomes are value, what is staked on them, and by what they were chosen.

    ``has_unread``: whether there are prices that could not be read.
    """
    said = [f"{value}"]
    if staked:
        said.append(staked)
    if cautioned:
        said.append(_("{count} with warnings below").format(count=cautioned))
    if hidden:
        said.append(_("{count} hidden").format(count=hidden))
    if has_unread:
        said.append(_("some prices could not be read"))
    return " · ".join((*said, chosen))


def _in_games(games: int) -> str:
    return ngettext("{count} game checked", "{count} games checked", games).format(count=games)


class PlacingMessages(QObject):
    """Shows messages in a bar, whose button undoes what was recorded last."""

    def __init__(self, bar: MessageBar, records: Records, placer: BetPlacer) -> None:
        super().__init__(bar)
        self._bar = bar
        self._placer = placer
        self._undo: Callable[[], None] | None = None
        """Undoes what was recorded last; None if there is nothing to undo."""
        self._confirmation = ""
        placer.said.connect(lambda text: bar.show_message(text, passes=True))
        placer.placed.connect(self._on_placer_placed)
        placer.all_placed.connect(self._on_placer_all_placed)
        placer.gone.connect(self._on_placer_gone)
        records.failed.connect(self._on_records_failed)
        bar.action_requested.connect(self._on_bar_action_requested)

    def _on_placer_placed(self, bet: PlacedBet) -> None:
        self._confirm(placed_text(bet), partial(self._placer.take_back, bet))

    def _on_placer_all_placed(self, bets: list[PlacedBet]) -> None:
        self._confirm(sheet_text(bets), partial(self._placer.take_back_all, bets))

    def _confirm(self, text: str, undo: Callable[[], None]) -> None:
        self._undo, self._confirmation = undo, text
        self._bar.show_message(text, icon="check", action=_("Undo"), passes=True)

    def _on_placer_gone(self) -> None:
        self._undo = None
        if self._bar.message_text == self._confirmation:
            self._bar.hide()

    def undo_placing(self) -> None:
        """Undo what was recorded last, or say how to undo an older bet."""
        if self._undo is None:
            self._bar.show_message(_NOTHING_TO_UNDO, passes=True)
        else:
            self._on_bar_action_requested()

    def _on_bar_action_requested(self) -> None:
        if self._undo is not None:
            undo, self._undo = self._undo, None
            undo()

    def _on_records_failed(self, text: str) -> None:
        self._bar.show_message(translated(text), icon="warning", ink=TextRole.DOWN)


class ValuesMessages(PlacingMessages):
    """Warns of a service that reckons wrongly, too."""

    def __init__(self, bar: MessageBar, board: Board, records: Records, placer: BetPlacer) -> None:
        super().__init__(bar, records, placer)
        self._board = board
        self._said_of_audit = ""

    def end_past(self) -> None:
        """Say no longer that a price is from the past once one is back at now."""
        if self._board.connection.as_of_ms is None and self._bar.message_text == PAST:
            self._bar.hide()

    def show_audit(self) -> None:
        """Warn once of a service that reckons wrongly, until it does it right."""
        text = audit_text(self._board.audit, self._board.method)
        if text and text != self._said_of_audit:
            self._undo = None
            self._bar.show_message(text, icon="warning", ink=TextRole.VALUE)
        elif not text and is_about_formula(self._bar.message_text):
            self._bar.hide()
        self._said_of_audit = text
