"""The panel of arbitrage, middles and low hold, with the stakes of their legs."""

from collections import Counter
from collections.abc import Collection, Container, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Final

from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QCheckBox, QMenu, QWidget

from oddsdesk.base.clock import Clock
from oddsdesk.base.numbers import num
from oddsdesk.base.texts import _, ngettext, pgettext, translated
from oddsdesk.board.board import Board
from oddsdesk.board.model import notices
from oddsdesk.board.model.matrix import CellKey, RowKey
from oddsdesk.board.opportunities.finder import Opportunity, OpportunityKey
from oddsdesk.desk.export.files import table_of
from oddsdesk.desk.export.saving import TableSaver
from oddsdesk.desk.opportunities.lists import OpenSides, OpportunityList, as_it_is
from oddsdesk.desk.opportunities.model import KIND_TITLES, OpportunitiesModel, open_text
from oddsdesk.desk.opportunities.rows import (
    BUILT_IN,
    NONE_NOW,
    LegKey,
    LegRow,
    OpportunityFilter,
    OpportunityPreset,
    count_text,
    filter_words,
    leg_rows,
    open_on_a_side,
)
from oddsdesk.desk.presets import LayoutPresets, PresetChoice, PresetDialog, label_of, time_box
from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.declared import split_of
from oddsdesk.desk.settings.saved_state import Layout, Preferences
from oddsdesk.desk.ui.actions import add_action
from oddsdesk.desk.ui.controls.fields import CheckList, bound_spin, given_bound
from oddsdesk.desk.ui.controls.messages import EmptyState
from oddsdesk.desk.ui.list_panel import Fit, ListHeader, ListPanel, Says
from oddsdesk.desk.ui.price_actions import open_link, show_link
from oddsdesk.desk.ui.states import (
    MY_BOOKMAKERS,
    NO_SERVICE,
    no_stakes,
    old_text,
    state_of_mine,
    state_of_refusal,
)
from oddsdesk.desk.ui.table.live_table import LiveTable
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.ledger.bets import BetState, PlacedBet
from oddsdesk.ledger.open_bets import by_bookmaker
from oddsdesk.ledger.own_tables import known_rules
from oddsdesk.ledger.promotions import promo_in
from oddsdesk.pricing.opportunities import OpportunityKind
from oddsdesk.pricing.profiles import Profiles
from oddsdesk.pricing.settlement_rules import SettlementRules

_ALL: Final = "all"


class OpportunitiesPanel(ListPanel):
    """Lists opportunities a leg a row; rows move only when nobody points at them."""

    price_requested = Signal(object)
    """The ``RowKey`` of a price to be shown in its game."""
    price_selected = Signal(object)
    """The ``RowKey`` of the current row, None for none."""
    lay_selected = Signal(object)
    """The same, where the leg is a lay."""
    place_requested = Signal(object)
    """The ``LegsToPlace``."""
    take_back_requested = Signal(object)
    """The ``PlacedBet`` on a leg."""
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
        self._clock = clock
        self._preferences = preferences
        self._records = records
        self._placed: tuple[bool | None, dict[Hashable, list[PlacedBet]]] | None = None
        """The open bets by outcome, for simulated or real odds; None: must be read again."""
        self._kind = _ALL
        self._listed: list[Opportunity] = []
        """Those of the last look, or what the first has found so far."""
        self._rows: dict[LegKey, LegRow] = {}
        """Those of every kind that the preset lists; the model has those of the chosen kind."""
        self._filtered_out: Counter[OpportunityKind] = Counter()
        """How many opportunities of each kind the preset leaves out."""
        self._open_sides = OpenSides(layout)
        self._rules: tuple[Profiles, SettlementRules] | None = None
        """The rules of settlement by these profiles; None: must be read again."""
        self._is_filled = False
        """Whether all that there is has been shown since the board began to be filled."""
        self._is_lost = False
        """Whether nothing was heard of prices when rows were made."""
        self.list = OpportunityList(board, clock, preferences, self._is_seen)
        self.model = OpportunitiesModel(clock, board)
        self.table = LiveTable(theme, self.model, clock)
        self.table.setAccessibleName(_("Opportunities"))
        self.menu = QMenu(self)
        self._undo = add_action(self, "opportunities.take_back", self._take_back)
        self._at_bookmaker = add_action(self, "opportunities.open", self._open)
        self.header = opportunities_header(theme)
        self.chips, self._facts = self.header.chips, self.header.facts
        own = LayoutPresets(layout, "opportunities/presets", BUILT_IN, list[OpportunityPreset])
        self.presets = PresetChoice(
            layout, "opportunities", own, BUILT_IN, self.header, self._preset_dialog, self
        )
        self._look_as_chosen()
        self.saver = TableSaver(self, lambda: "opportunities", lambda: table_of(self.model))
        self.setLayout(self._lay_out_list(self.header, self.table))
        self._keep_chosen_in(self.table)
        self._connect()
        self._show()

    def close_panel(self) -> None:
        self._idle.stop()
        self.saver.abort_saving()
        self._records.bets_changed.disconnect(self._on_records_bets_changed)
        self._unsubscribe()
        self.list.stop_listening()

    def selected(self) -> RowKey | None:
        """Return the price of the current row."""
        row = self._current()
        return None if row is None else row.leg.key

    def _connect(self) -> None:
        self.chips.chosen.connect(self._on_chips_chosen)
        self.presets.changed.connect(self._on_presets_changed)
        self.placeholder.action_requested.connect(self._on_placeholder_action_requested)
        self.header.sort.clicked.connect(self._sort)
        self.list.changed.connect(self._on_list_changed)
        self.list.fell_behind.connect(lambda: self.model.recede(is_behind=True))
        self.model.order_changed.connect(self._show_counts)
        self.table.opened.connect(lambda _index: self._open())
        self.table.current_changed.connect(self._on_table_current_changed)
        self._offer_menu(self.table, self._menu_of_row)
        self._records.bets_changed.connect(self._on_records_bets_changed)
        self._unsubscribe = self._board.subscribe(
            self._on_board_notice, notices.ConnectionChanged, notices.GamesChanged
        )
        for ident, act in (
            ("opportunities.place", self._place),
            ("opportunities.place_all", self._place_all),
        ):
            self.menu.addAction(add_action(self, ident, act))
        self.menu.addAction(self._undo)
        self.menu.aboutToHide.connect(self._enable_keys)
        self.menu.addAction(add_action(self, "opportunities.game", self._show_game))
        self.menu.addAction(self._at_bookmaker)
        self.menu.addSeparator()
        self.menu.addAction(add_action(self, "opportunities.export", self.saver.ask_for_file))
        add_action(self, "opportunities.sort", self._sort)
        add_action(self, "opportunities.kind", self.chips.choose_next)

    def _current(self) -> LegRow | None:
        index = self.table.current_cell()
        return self.model.entry(index.row()) if index.isValid() else None

    def _may_move(self) -> bool:
        """Whether nobody is at a leg, or the legs are of a moment or service that was left.

        While the list is first filled a pointer that lies there is at none, unless one is chosen.
        """
        if not self._is_filled and not self.table.has_choice:
            self.table.scrolling.selectionModel().clearCurrentIndex()  # else it moves along
            return QApplication.activeModalWidget() is None
        is_held = self._board.games and self.table.is_pointed_at
        return self._looks_back or not is_held or self._is_dead_in(self.table)

    def _sort(self) -> None:
        self._sort_by_hand(self.table)

    def _is_seen(self) -> bool:
        """Whether any part is visible: to Qt, a panel behind another tab is not hidden."""
        return not self.visibleRegion().isEmpty()

    def _show(self) -> None:
        board = self._board
        reference = board.reference_name
        self._is_lost = board.connection.is_lost
        offered = {each.key: each for each in self._offered()}
        held = self._open_sides.held(practice=bool(board.connection.simulated))
        others = {key: as_it_is(board, each) for key, each in held.items() if key not in offered}
        rows = leg_rows(
            ({key: each for key, (each, _) in others.items()} | offered).values(),
            board.basis.profiles.profile_of,
            reference,
            is_lost=self._is_lost,
            placed=self._open_bets(),
            step=split_of(self._preferences.get_setting).step,
            unpriced={key: without for key, (_, without) in others.items()},
            rules=self._known_rules(),
        )
        if self._records.has_read_bets:
            begun = [row for row in rows.values() if row.outlay is not None]
            self._open_sides.hold({row.found.key: row.found for row in begun})
            self.list.keep_listed({row.found.key for row in begun if row.rest is not None})
        listed = offered.keys() | self._still_open(rows)
        passes = self.presets.current_preset.filter.passes
        left_out = {
            key[0]: row.kind
            for key, row in rows.items()
            if row.is_first and key[0] in listed and not passes(row)
        }
        self._filtered_out = Counter(left_out.values())
        listed -= left_out.keys()
        self._rows = {key: row for key, row in rows.items() if key[0] in listed}
        half_placed = {row.found.key for row in open_on_a_side(self._rows.values())}
        chosen = {
            key: row
            for key, row in self._rows.items()
            if self._kind in (_ALL, row.kind.value) or key[0] in half_placed
        }
        self.model.half_placed = half_placed
        self.model.show_rows(chosen, may_move=self._may_move())

    def _known_rules(self) -> SettlementRules:
        profiles = self._board.basis.profiles
        if self._rules is None or self._rules[0] is not profiles:
            self._rules = profiles, known_rules(profiles).rules
        return self._rules[1]

    def _still_open(self, rows: Mapping[LegKey, LegRow]) -> set[OpportunityKey]:
        """Return those that are none now, where nothing listed completes what is placed of them.

        Not once their game should be over: then the bet waits for its result.
        """
        if self._looks_back or not self.list.has_looked:
            return set()
        now = self._clock()
        to_play = {
            row.found.key
            for row in rows.values()
            if any(bet.state(now) is BetState.OPEN for bet in row.placed)
        }
        best = open_on_a_side(rows.values())
        return {row.found.key for row in best if row.unpriced is not None} & to_play

    def _open_bets(self) -> dict[Hashable, list[PlacedBet]]:
        simulated = self._board.connection.simulated
        if self._placed is None or self._placed[0] is not simulated:
            bets = self._records.open_on(self._board)
            self.list.count_placed(by_bookmaker(bets))
            # bets of a promotion hedge each other, and are not half of an opportunity
            own = (
                (on, [bet for bet in each if not promo_in(bet.note)]) for on, each in bets.items()
            )
            self._placed = simulated, {on: each for on, each in own if each}
        return self._placed[1]

    def _offered(self) -> Sequence[Opportunity]:
        return () if self._looks_back else self._listed

    @property
    def _looks_back(self) -> bool:
        return self._board.connection.as_of_ms is not None

    def _show_counts(self) -> None:
        said = self._said()
        told = [*said]
        if self._rows and not self._looks_back:
            told += details(self._rows.values(), self.presets.current_preset.filter)
        self.header.show_facts(" · ".join(told), len(said))
        self.header.show_waiting(self.model.rows_that_would_move)
        self._show_rows_of(self.table, self._state)

    def _said(self) -> list[str]:
        connection = self._board.connection
        if not self._listed and (self._is_lost or connection.has_no_service):
            return [translated(connection.why_lost or notices.LOST)] if self._is_filled else []
        if self._looks_back or not (self._listed or self.list.has_looked):
            return []
        old = old_text(connection, self._clock())
        said = [no_stakes(connection)] if self._is_lost else [old] if old else []
        if not self.list.has_looked:
            said.append(_("searching"))
        return [*said, *count_facts(self._rows.values(), self._filtered_out.total())]

    def _state(self) -> EmptyState:
        connection, has_looked = self._board.connection, self.list.has_looked
        chosen = self.presets.current_preset.filter
        kind = None if self._kind == _ALL else OpportunityKind(self._kind)
        has_some = bool(self._listed)
        unknown = why_unknown(connection, self._clock(), has_some=has_some, has_looked=has_looked)
        return (
            unknown
            or state_of_mine(self._board.unticked_with_prices())
            or why_none(kind, self._filtered_out, chosen, has_others=bool(self._rows))
        )

    def _on_placeholder_action_requested(self) -> None:
        if self.placeholder.action == MY_BOOKMAKERS:
            self.bookmakers_requested.emit()
        else:
            self.presets.choose_first()

    def _preset_dialog(
        self, preset: OpportunityPreset, name: str, taken: Container[str]
    ) -> PresetDialog[OpportunityPreset]:

        start = OpportunityPreset(name, preset.filter)
        return OpportunityPresetDialog(start, self._board.bookmakers_with_prices(), taken, self)

    def _menu_of_row(self) -> QMenu | None:
        if (row := self._current()) is None:
            return None
        self._undo.setEnabled(bool(row.placed))
        show_link(self._at_bookmaker, self._link_of(row))
        return self.menu

    def _link_of(self, row: LegRow) -> str | None:
        """Return the page of the price, at the bookmaker in the row."""
        if row.bet is None:
            return row.leg.url
        price = self._board.price(row.bet.game_id, CellKey(*row.bet.bet_key[1:]))
        return None if price is None else price.url

    def _enable_keys(self) -> None:
        """Let the keys work on whatever is selected when they are pressed."""
        for action in (self._undo, self._at_bookmaker):
            action.setEnabled(True)

    def _place(self) -> None:
        if (row := self._current()) is not None:
            self.place_requested.emit(row.to_place._replace(places=(row.place,)))

    def _place_all(self) -> None:
        if (row := self._current()) is not None:
            self.place_requested.emit(row.to_place)

    def _take_back(self) -> None:
        if (row := self._current()) is None:
            return
        if row.placed:
            self.take_back_requested.emit(row.placed[-1])
        else:
            self.messages.show_message(_("No bet is recorded on this leg."), passes=True)

    def _show_game(self) -> None:
        if (row := self._current()) is not None:
            self.price_requested.emit(row.leg.key)

    def _open(self) -> None:
        row = self._current()
        if row is not None and not open_link(self._link_of(row)):
            self.price_requested.emit(row.leg.key)

    def _on_list_changed(self) -> None:
        self._take_found()
        self.model.recede(is_behind=False)
        self._is_filled = self.list.has_looked

    def _take_found(self) -> None:
        self._listed = list(self.list.entries.values())
        self._show()

    def _on_chips_chosen(self, kind: str) -> None:
        self._kind = kind
        self._show()
        self.model.sort_now()

    def _look_as_chosen(self) -> None:
        chosen = self.presets.current_preset.filter
        self.list.look_among(chosen.bookmakers, has_lays=not chosen.without_lays)

    def _on_presets_changed(self) -> None:
        self._look_as_chosen()
        self._show()
        self.model.sort_now()

    def _on_table_current_changed(self, _index: QModelIndex) -> None:
        if self._is_chosen_in(self.table):
            row = self._current()
            is_lay = row is not None and row.leg.is_lay
            (self.lay_selected if is_lay else self.price_selected).emit(self.selected())

    def _on_records_bets_changed(self) -> None:
        self._placed = None
        self._show()
        self._show_counts()

    def _on_board_notice(self, notice: notices.Notice) -> None:
        if isinstance(notice, notices.GamesChanged):
            self._placed = None  # bets may be on other games than their ids said
            return
        self._is_filled &= self.list.has_looked
        if not self._is_filled or self._board.connection.is_lost is not self._is_lost:
            self._take_found()
        self._show_counts()

    def _on_idle_timeout(self) -> None:
        if not self.list.has_looked and self._is_seen():
            self._take_found()
        self._tidy(self.table)

    # Qt's virtuals

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._rules = None  # the user may have edited the file
        self.list.start_looking()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.list.stop_looking()


_WAYS: Final = ((Says.ALL, Says.ALL), (Says.ALL, Says.LESS), (Says.LESS, Says.LESS))
_FITS: Final = (
    *(Fit(sort, preset) for sort, preset in _WAYS),
    *(Fit(sort, preset, keeps_one_fact=True) for sort, preset in _WAYS),
    Fit(Says.LESS, Says.NOTHING),
)
"""Where it is narrow the preset says its name alone, then the button to sort less; then facts are
left out up to the first, then the preset, which has a key."""


def opportunities_header(theme: Theme) -> ListHeader:
    """Return the line above the opportunities: which kind, how many, sorting, preset."""
    return ListHeader(
        theme,
        _("Kind of opportunity"),
        [(_ALL, _("All")), *((kind.value, KIND_TITLES[kind]) for kind in OpportunityKind)],
        _FITS,
        preset_tip=_("Preset: which opportunities are listed (E to change)"),
    )


SHOW_ALL: Final = _("Show all opportunities")


def count_facts(rows: Collection[LegRow], hidden: int) -> Iterator[str]:
    """Yield how many there are, before that what is open; ``hidden`` are left out by the preset."""
    by_kind = Counter(row.kind for row in rows if row.is_first and not row.lacking)
    if opened := open_on_a_side(rows):
        losing = sum(row.loses for row in opened)
        text = _("{count} half placed")
        if losing:
            text = _("{count} half placed, {losing} now at a loss")
        yield text.format(count=len(opened), losing=losing)
    yield from (count_text(kind, by_kind[kind]) for kind in OpportunityKind)
    if hidden:
        yield _("{count} hidden").format(count=hidden)


def details(rows: Collection[LegRow], chosen: OpportunityFilter) -> Iterator[str]:
    """Yield details of the counted opportunities, shown as far as there is room."""
    if doubtful := sum(row.is_too_good for row in rows if row.is_first):
        yield ngettext("{count} likely error", "{count} likely errors", doubtful).format(
            count=doubtful
        )
    opened = open_on_a_side(rows)
    if len(opened) == 1:
        yield open_text(opened[0])
    yield from filter_words(chosen)


def why_unknown(
    connection: notices.Connection, now_ms: int, *, has_some: bool, has_looked: bool
) -> EmptyState | None:
    """Return why it is not known what there is, None where it is.

    ``has_some``: some were found before; ``has_looked``: all prices were looked through.
    """
    if connection.as_of_ms is not None:
        detail = _("It shows games and their prices.")
        return EmptyState("table", _("No opportunities in the past view."), detail)
    if connection.has_no_service:
        return NO_SERVICE
    if connection.link in (notices.Link.CONNECTING, notices.Link.STOPPED):
        return EmptyState("loading", _("Loading prices…"))
    if (refused := state_of_refusal(connection)) is not None:
        return refused
    if connection.is_lost and not has_some:
        why = translated(connection.why_lost)
        detail = _("The search resumes once prices are up to date.")
        return EmptyState("offline", f"{why[0].upper()}{why[1:]}.", detail)
    if connection.has_unread_prices:
        detail = _("Arbs, middles and low holds appear as prices come in.")
        return EmptyState("loading", _("Loading prices…"), detail)
    if not has_looked:
        return EmptyState("loading", _("Searching…"))
    if (old := old_text(connection, now_ms)) and not has_some:
        detail = _("The search resumes as soon as prices come in.")
        return EmptyState("offline", f"{old[0].upper()}{old[1:]}.", detail)
    return None


def why_none(
    kind: OpportunityKind | None,
    hidden: Counter[OpportunityKind],
    chosen: OpportunityFilter,
    *,
    has_others: bool,
) -> EmptyState:
    """Return why none of a kind is listed, or none at all; ``has_others``: of other kinds some."""
    if here := hidden.total() if kind is None else hidden[kind]:
        text = ngettext(
            "{count} opportunity is hidden by the preset.",
            "{count} opportunities are hidden by the preset.",
            here,
        ).format(count=here)
        return EmptyState("filter", text, action=SHOW_ALL)
    if kind is not None and has_others:
        return EmptyState("filter", NONE_NOW[kind], _("Other kinds have some."))
    if names := chosen.bookmakers:
        text = _("No arbs or low-hold bets at these {count} bookmakers now.")
        return EmptyState("filter", text.format(count=len(names)), action=SHOW_ALL)
    return EmptyState(
        "table",
        _("No arbs or low-hold bets now."),
        _("They appear here as soon as your bookmakers have some."),
    )


_LEAST_PCT: Final = -10.0
"""Nobody asks for less than what loses so much."""
_MOST_PCT: Final = 1_000.0
_LIST_SIZE: Final = (240, 220)


class OpportunityPresetDialog(PresetDialog[OpportunityPreset]):
    """Asks for a preset of opportunities; no bookmaker ticked means all of the user's."""

    def __init__(
        self,
        preset: OpportunityPreset,
        bookmakers: Iterable[str],
        taken: Container[str],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(_("Opportunity preset"), preset.name, taken, parent)
        chosen = preset.filter
        self.least = bound_spin(
            chosen.least_worst, " %", decimals=1, step=0.5, least=_LEAST_PCT, most=_MOST_PCT
        )
        self.most = bound_spin(
            chosen.most_worst, " %", decimals=1, step=0.5, least=_LEAST_PCT, most=_MOST_PCT
        )
        self.state = time_box(chosen.in_play)
        self.without_too_good = QCheckBox(_("Hide likely &errors"))
        self.without_too_good.setToolTip(
            _("A price far above fair is often an error that the bookmaker voids")
        )
        self.without_too_good.setChecked(chosen.without_too_good)
        self.without_lays = QCheckBox(_("Without &lays"))
        self.without_lays.setToolTip(_("Only back bets: leave out sets with a lay at an exchange"))
        self.without_lays.setChecked(chosen.without_lays)
        names = sorted({*bookmakers, *chosen.bookmakers}, key=str.casefold)
        self.bookmakers = CheckList(_("Bookmakers"), [(n, n) for n in names], chosen.bookmakers)
        self.bookmakers.setMinimumSize(*_LIST_SIZE)
        self._fill_form()
        self._lay_out(
            _("Tick none to include all your bookmakers."),
            self.without_too_good,
            self.without_lays,
            label_of(_("All legs at these &bookmakers"), self.bookmakers),
            self.bookmakers,
        )
        for bound in (self.least, self.most):
            bound.valueChanged.connect(self._check)
        self.bookmakers.itemChanged.connect(self._check)

    def preset(self) -> OpportunityPreset:
        return OpportunityPreset(
            self.name.text().strip(),
            OpportunityFilter(
                in_play=self.state.currentData(),
                least_worst=given_bound(self.least),
                most_worst=given_bound(self.most),
                bookmakers=self.bookmakers.ticked(),
                without_too_good=self.without_too_good.isChecked(),
                without_lays=self.without_lays.isChecked(),
            ),
        )

    def _fill_form(self) -> None:
        form = self.form
        form.addWidget(label_of(_("&When"), self.state), 1, 0)
        form.addWidget(self.state, 1, 1, 1, 3)
        form.addWidget(label_of(_("Guaranteed &return from"), self.least), 2, 0)
        form.addWidget(self.least, 2, 1)
        form.addWidget(label_of(pgettext("least and most", "to"), self.most), 2, 2)
        form.addWidget(self.most, 2, 3)

    def _problem_of(self, preset: OpportunityPreset) -> str:
        least, most = preset.filter.least_worst, preset.filter.most_worst
        if least is not None and most is not None and least > most:
            return _(
                "Guaranteed return from {least:g} to {most:g} %: the first must be lower."
            ).format(least=num(least), most=num(most))
        if len(preset.filter.bookmakers) == 1:
            return _("Tick two bookmakers or more: the legs are at different ones.")
        return ""
