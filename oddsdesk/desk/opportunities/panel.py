"""The panel of arbitrage, middles and low hold, with the stakes of their legs."""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Final

from PySide6.QtCore import QModelIndex, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QMenu, QStackedLayout, QVBoxLayout, QWidget

from oddsdesk.board.board import Board
from oddsdesk.board.connection import LOST
from oddsdesk.board.matrix import RowKey
from oddsdesk.board.notices import ConnectionChanged, GamesChanged, Notice
from oddsdesk.board.opportunity import Opportunity, OpportunityKey
from oddsdesk.board.rows import UNNAMED_REFERENCE
from oddsdesk.clock import Clock
from oddsdesk.desk.export.saving import TableSaver
from oddsdesk.desk.opportunities.export import table_of_opportunities
from oddsdesk.desk.opportunities.header import OpportunitiesHeader
from oddsdesk.desk.opportunities.lists import OpportunityList
from oddsdesk.desk.opportunities.messages import (
    counts,
    details,
    old_text,
    why_none,
    why_unknown,
)
from oddsdesk.desk.opportunities.model import KIND_TITLES, OpportunitiesModel
from oddsdesk.desk.opportunities.open_sides import OpenSides, as_it_is
from oddsdesk.desk.opportunities.preset_choice import PresetChoice
from oddsdesk.desk.opportunities.rows import LegKey, LegRow, open_on_a_side, rows_of
from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.declared import split_of
from oddsdesk.desk.settings.preferences import Preferences
from oddsdesk.desk.settings.saved_state import Layout
from oddsdesk.desk.ui.actions import add_action
from oddsdesk.desk.ui.controls.message_bar import MessageBar
from oddsdesk.desk.ui.controls.placeholder import EmptyState, Placeholder
from oddsdesk.desk.ui.links import open_link
from oddsdesk.desk.ui.states import no_stakes
from oddsdesk.desk.ui.table.live_table import LiveTable
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.ledger.bets import BetState, PlacedBet
from oddsdesk.ledger.open_bets import by_bookmaker, open_by_outcome
from oddsdesk.pricing.opportunities import OpportunityKind

_ALL: Final = "all"
_IDLE_MS: Final = 1_000


class OpportunitiesPanel(QWidget):
    """Lists opportunities a leg a row; rows move only when nobody points at them."""

    price_requested = Signal(object)
    """The ``RowKey`` of a price to be shown in its game."""
    price_selected = Signal(object)
    """The ``RowKey`` of the current row, None for none."""
    place_requested = Signal(object)
    """The ``LegsToPlace``."""
    take_back_requested = Signal(object)
    """The ``PlacedBet`` on a leg."""

    def __init__(
        self,
        board: Board,
        theme: Theme,
        clock: Clock,
        preferences: Preferences,
        layout: Layout,
        records: Records,
    ) -> None:
        super().__init__()
        self.setProperty("variant", "panel")
        self._board = board
        self._clock = clock
        self._preferences = preferences
        self._records = records
        self._placed: tuple[bool | None, dict[Hashable, list[PlacedBet]]] | None = None
        """The open bets by outcome, beside simulated odds or others; None: to be read anew."""
        self._kind = _ALL
        self._listed: list[Opportunity] = []
        """Those of the last look, or what the first has found so far."""
        self._rows: dict[LegKey, LegRow] = {}
        """Those of every kind that the preset lists; the model has those of the chosen kind."""
        self._filtered_out: Counter[OpportunityKind] = Counter()
        """How many opportunities of each kind the preset leaves out."""
        self._open_sides = OpenSides(layout)
        self._is_filled = False
        """Whether all that there is has been shown since the board began to be filled."""
        self._is_lost = False
        """Whether nothing was heard of prices when rows were made."""
        self.list = OpportunityList(board, clock, preferences, self._is_seen)
        self.model = OpportunitiesModel(clock, board)
        self.table = LiveTable(theme, self.model, clock)
        self.table.setAccessibleName("Opportunities")
        self.placeholder = Placeholder(theme)
        self.messages = MessageBar(theme)
        self.menu = QMenu(self)
        self._undo = add_action(self, "opportunities.take_back", self._take_back)
        self.header = OpportunitiesHeader(theme)
        self.chips, self._facts = self.header.chips, self.header.facts
        self.chips.show_chips(
            [(_ALL, "All"), *((kind.value, KIND_TITLES[kind]) for kind in OpportunityKind)]
        )
        self.presets = PresetChoice(layout, self.header, board.bookmakers, self)
        self.list.look_among(self.presets.current.filter.bookmakers)
        self.saver = TableSaver(
            self, lambda: "opportunities", lambda: table_of_opportunities(self.model)
        )
        self._idle = QTimer(self, interval=_IDLE_MS)
        self._lay_out()
        self._connect()
        self._show()

    def close_panel(self) -> None:
        """Stop listening to the board."""
        self._idle.stop()
        self.saver.close()
        self._records.bets_changed.disconnect(self._on_records_bets_changed)
        self._unsubscribe()
        self.list.close()

    def selected(self) -> RowKey | None:
        """Return the price of the current row."""
        row = self._current()
        return None if row is None else row.leg.key

    def _lay_out(self) -> None:
        body = QWidget()
        self._stack = QStackedLayout(body)
        self._stack.addWidget(self.table)
        self._stack.addWidget(self.placeholder)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        # Messages stand below: where they came above, rows moved away from under the pointer.
        for part in (self.header, body, self.messages):
            whole.addWidget(part)
        whole.setStretchFactor(body, 1)

    def _connect(self) -> None:
        self.chips.chosen.connect(self._on_chips_chosen)
        self.presets.changed.connect(self._on_presets_changed)
        self.placeholder.action_requested.connect(self.presets.choose_first)
        self.header.sort.clicked.connect(self.model.sort_now)
        self.list.changed.connect(self._on_list_changed)
        self.list.fell_behind.connect(lambda: self.model.recede(is_behind=True))
        self.model.order_changed.connect(self._show_counts)
        self.table.opened.connect(lambda _index: self._open())
        self.table.header_clicked.connect(self.model.sort_by)
        self.table.current_changed.connect(self._on_table_current_changed)
        self.table.scrolling.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.table.scrolling.customContextMenuRequested.connect(self._show_menu)
        self._idle.timeout.connect(self._on_idle_timeout)
        self._records.bets_changed.connect(self._on_records_bets_changed)
        self._unsubscribe = self._board.subscribe(
            self._on_board_notice, ConnectionChanged, GamesChanged
        )
        for ident, act in (
            ("opportunities.place", self._place),
            ("opportunities.place_all", self._place_all),
        ):
            self.menu.addAction(add_action(self, ident, act))
        self.menu.addAction(self._undo)
        self.menu.aboutToHide.connect(lambda: self._undo.setEnabled(True))  # for its key
        for ident, act in (
            ("opportunities.game", self._show_game),
            ("opportunities.open", self._open),
        ):
            self.menu.addAction(add_action(self, ident, act))
        self.menu.addSeparator()
        self.menu.addAction(add_action(self, "opportunities.export", self.saver.ask))
        add_action(self, "opportunities.sort", self.model.sort_now)
        add_action(self, "opportunities.kind", self.chips.choose_next)

    def _current(self) -> LegRow | None:
        index = self.table.current()
        return self.model.entry(index.row()) if index.isValid() else None

    def _may_move(self) -> bool:
        """Whether nobody is at a leg, or the legs are of a moment or service that was left.

        While the list is first filled a pointer that lies there is at none, unless one is chosen.
        """
        if not self._is_filled and not self.table.has_choice:
            self.table.scrolling.selectionModel().clearCurrentIndex()  # else it moves along
            return QApplication.activeModalWidget() is None
        return self._looks_back or not (self._board.games and self.table.is_pointed_at)

    def _is_seen(self) -> bool:
        """Whether any of it is in sight: a panel behind another's tab is not hidden to Qt."""
        return not self.visibleRegion().isEmpty()

    def _show(self) -> None:
        board = self._board
        reference = board.reference or UNNAMED_REFERENCE
        self._is_lost = board.connection.is_lost
        offered = {each.key: each for each in self._offered()}
        held = self._open_sides.held(practice=bool(board.connection.simulated))
        others = {key: as_it_is(board, each) for key, each in held.items() if key not in offered}
        rows = rows_of(
            ({key: each for key, (each, _) in others.items()} | offered).values(),
            board.basis.profiles.of,
            reference,
            is_lost=self._is_lost,
            placed=self._open_bets(),
            step=split_of(self._preferences.get).step,
            unpriced={key: without for key, (_, without) in others.items()},
        )
        if self._records.has_read_bets:
            begun = [row for row in rows.values() if row.outlay is not None]
            self._open_sides.hold({row.found.key: row.found for row in begun})
            self.list.keep({row.found.key for row in begun if row.rest is not None})
        listed = offered.keys() | self._still_open(rows)
        passes = self.presets.current.filter.passes
        left_out = {
            key[0]: row.kind
            for key, row in rows.items()
            if row.is_first and key[0] in listed and not passes(row)
        }
        self._filtered_out = Counter(left_out.values())
        listed -= left_out.keys()
        self._rows = {key: row for key, row in rows.items() if key[0] in listed}
        chosen = {
            key: row for key, row in self._rows.items() if self._kind in (_ALL, row.kind.value)
        }
        self.model.show_rows(chosen, may_move=self._may_move())

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
            held, games = self._records.bets(), self._board.games
            spelled = self._board.players.spelled
            bets = open_by_outcome(held, simulated=simulated, listed=games, spelled=spelled)
            self._placed = simulated, bets
            self.list.count_placed(by_bookmaker(bets))
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
            told += details(self._rows.values(), self.presets.current.filter)
        self.header.show_facts(" · ".join(told), len(said))
        self.header.show_waiting(self.model.rows_that_would_move)
        if self.model.rowCount():
            self._stack.setCurrentWidget(self.table)
        else:
            self.placeholder.say(self._state())
            self._stack.setCurrentWidget(self.placeholder)

    def _said(self) -> list[str]:
        connection = self._board.connection
        if not self._listed and (self._is_lost or connection.has_no_service):
            return [connection.why_lost or LOST] if self._is_filled else []
        if self._looks_back or not (self._listed or self.list.has_looked):
            return []
        old = old_text(connection, self._clock())
        said = [no_stakes(connection)] if self._is_lost else [old] if old else []
        if not self.list.has_looked:
            said.append("still looking")
        return [*said, *counts(self._rows.values(), self._filtered_out.total())]

    def _state(self) -> EmptyState:
        connection, has_looked = self._board.connection, self.list.has_looked
        chosen = self.presets.current.filter
        kind = None if self._kind == _ALL else OpportunityKind(self._kind)
        has_some = bool(self._listed)
        unknown = why_unknown(connection, self._clock(), has_some=has_some, has_looked=has_looked)
        return unknown or why_none(kind, self._filtered_out, chosen, has_others=bool(self._rows))

    def _show_menu(self, at: QPoint) -> None:
        if (row := self._current()) is not None:
            self._undo.setEnabled(bool(row.placed))
            self.menu.popup(self.table.scrolling.viewport().mapToGlobal(at))

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
            self.messages.say("This leg is not placed.", passes=True)

    def _show_game(self) -> None:
        if (row := self._current()) is not None:
            self.price_requested.emit(row.leg.key)

    def _open(self) -> None:
        row = self._current()
        if row is not None and not open_link(row.leg.url):
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

    def _on_presets_changed(self) -> None:
        self.list.look_among(self.presets.current.filter.bookmakers)
        self._show()
        self.model.sort_now()

    def _on_table_current_changed(self, _index: QModelIndex) -> None:
        if not self.model.is_arranging and self.table.has_choice:
            self.price_selected.emit(self.selected())

    def _on_records_bets_changed(self) -> None:
        self._placed = None
        self._show()
        self._show_counts()

    def _on_board_notice(self, notice: Notice) -> None:
        if isinstance(notice, GamesChanged):
            self._placed = None  # bets may be on other games than their ids said
            return
        self._is_filled &= self.list.has_looked
        if not self._is_filled or self._board.connection.is_lost is not self._is_lost:
            self._take_found()
        self._show_counts()

    def _on_idle_timeout(self) -> None:
        if not self.list.has_looked and self._is_seen():
            self._take_found()
        if self.model.rows_that_would_move and self._may_move():
            self.model.sort_now()
        else:
            self._show_counts()

    # Qt's virtuals

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._idle.start()
        self.list.start()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._idle.stop()
        self.list.stop()
