"""The value-bet panel: prices better than fair, the best first, and those that nearly are."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QModelIndex, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QCursor, QHideEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QStackedLayout, QVBoxLayout, QWidget

from oddsdesk.board.bets import Exposure
from oddsdesk.board.board import Board
from oddsdesk.board.matrix import RowKey
from oddsdesk.board.notices import ConnectionChanged, Notice, ValueBetsChanged
from oddsdesk.clock import Clock
from oddsdesk.contract.competitions import sport_title
from oddsdesk.contract.markets import market_title
from oddsdesk.desk.export.saving import TableSaver
from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.declared import STAKES, split_of
from oddsdesk.desk.settings.preferences import Preferences
from oddsdesk.desk.settings.saved_state import Layout
from oddsdesk.desk.ui.actions import add_action
from oddsdesk.desk.ui.controls.message_bar import MessageBar
from oddsdesk.desk.ui.controls.placeholder import Placeholder
from oddsdesk.desk.ui.formatting import typed_text
from oddsdesk.desk.ui.states import no_stakes
from oddsdesk.desk.ui.table.live_table import LiveTable
from oddsdesk.desk.ui.table.stable_rows import StableRowsModel
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.value_bets.actions import BetActions
from oddsdesk.desk.value_bets.export import table_of_values
from oddsdesk.desk.value_bets.header import BETS, MISSES, ValuesHeader
from oddsdesk.desk.value_bets.hiding import Hiding
from oddsdesk.desk.value_bets.legs import LegPlacer
from oddsdesk.desk.value_bets.lists import ValueLists
from oddsdesk.desk.value_bets.messages import (
    PlacingMessages,
    ValuesMessages,
    bets_text,
    misses_text,
    state_without_bets,
    state_without_misses,
)
from oddsdesk.desk.value_bets.model import OutcomeKey
from oddsdesk.desk.value_bets.placing import BetPlacer
from oddsdesk.desk.value_bets.stake_settings import StakeSettings
from oddsdesk.desk.value_bets.subjects import (
    BetSubject,
    subject_of_bet,
    subject_of_miss,
    subject_of_price,
)
from oddsdesk.ledger.presets import BUILT_IN, Preset, ValueFilter


def filter_text(chosen: ValueFilter, *, only_mine: bool = False) -> str:
    """Return a filter in few words: ``true EV ≥ 1 % · odds 1.5 – 3 · all books``."""
    most = chosen.max_true_ev
    least_ev = f"{chosen.min_true_ev:g}"
    said = [f"true EV ≥ {least_ev} %" if most is None else f"true EV {least_ev} – {most:g} %"]
    said += _odds(chosen.min_odds, chosen.max_odds)
    said += _some([sport_title(sport) for sport in chosen.sports], "sports")
    said += _some(chosen.competitions, "competitions")
    said += _some([market_title(market) for market in chosen.market_types], "markets")
    if chosen.in_play is not None:
        said.append("in play" if chosen.in_play else "before kick-off")
    if chosen.max_hours_ahead is not None:
        said.append(f"within {chosen.max_hours_ahead:g} h")
    if chosen.max_age_s is not None:
        said.append(f"seen within {chosen.max_age_s:g} s")
    if chosen.min_limit is not None:
        said.append(f"limit ≥ {chosen.min_limit:g}")
    said += _some(chosen.bookmakers, "books") or ["my books" if only_mine else "all books"]
    return " · ".join(said)


def _some(names: Sequence[str], word: str) -> list[str]:
    if not names:
        return []
    return [names[0] if len(names) == 1 else f"{len(names)} {word}"]


def _odds(least: float | None, most: float | None) -> list[str]:
    if least is not None and most is not None:
        return [f"odds {typed_text(least)} – {typed_text(most)}"]
    if least is not None:
        return [f"odds ≥ {typed_text(least)}"]
    return [] if most is None else [f"odds ≤ {typed_text(most)}"]


_IDLE_MS = 1_000
_BUILT_IN = {preset.name for preset in BUILT_IN}
_PRESET_KEY = "values/preset"


class ValuesPanel(QWidget):
    """Lists value bets or near misses; rows move only when nobody points at them."""

    price_requested = Signal(object)
    """The ``RowKey`` of a price to be shown in its game."""
    price_selected = Signal(object)
    """The ``RowKey`` of the current row, None for none."""

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
        self._theme = theme
        self._clock = clock
        self._layout = layout
        self._records = records
        self._preferences = preferences
        self._stakes = StakeSettings(preferences)
        self.lists = ValueLists(board, records, self._stakes, clock)
        self.table = LiveTable(theme, self.lists.bets, clock)
        self.table.setAccessibleName("Value bets")
        self.misses = LiveTable(theme, self.lists.misses, clock)
        self.misses.setAccessibleName("Nearest misses")
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
        self.saver = TableSaver(
            self, lambda: "value-bets", lambda: table_of_values(self.lists.bets)
        )
        self.header = ValuesHeader(theme, self.actions_on_bet.menu)
        self.messages = MessageBar(theme)
        self._said = ValuesMessages(self.messages, board, records, self.actions_on_bet)
        self.placeholder = Placeholder(theme)
        self._which = BETS
        self._idle = QTimer(self, interval=_IDLE_MS)
        self._rests_at: QPoint | None = None
        """Where the pointer was as the connection went or came back; None: the keyboard moved."""
        self._chosen: tuple[OutcomeKey, int] | None = None
        """The row and column of the value bets that the user went to last."""
        self._lay_out()
        self._connect()
        self._show_presets()
        self._show_all()

    def close_panel(self) -> None:
        """Stop listening to the board."""
        self._idle.stop()
        self.saver.close()
        self.lists.close()
        self._unsubscribe()

    def subject(self) -> BetSubject | None:
        """Return what the current row is about."""
        index = self._current_table().current()
        if not index.isValid():
            return None
        if self._which == BETS:
            row = self.lists.bets.entry(index.row())
            return subject_of_bet(row, self._board, self.lists.preset.name)
        return subject_of_miss(self.lists.misses.entry(index.row()), self._board)

    def place(self, key: RowKey, placer: BetPlacer | None = None) -> None:
        """Ask for a bet on any price that the board holds; ``placer`` is another panel's."""
        placer = placer or self.actions_on_bet
        row = next((row for row in self.lists.bets.rows() if row.price.key == key), None)
        board = self._board
        preset = self.lists.preset.name
        subject = (
            subject_of_price(key, board) if row is None else subject_of_bet(row, board, preset)
        )
        if subject is None:
            placer.said.emit("That price is no longer available here.")
        else:
            placer.ask(subject)

    def placer_over(self, owner: QWidget) -> BetPlacer:
        """Return what asks for bets over another part of the desk, which says how that went."""
        plan, stake_at = lambda: self._stakes.plan, self.lists.stake_at
        return BetPlacer(self._board, self._records, self._clock, plan, stake_at, owner)

    def legs_beside(self, owner: QWidget, bar: MessageBar) -> LegPlacer:
        """Return what asks for legs of opportunities over another panel, and speaks in its bar."""
        placer = self.placer_over(owner)
        said = PlacingMessages(bar, self._records, placer)
        add_action(owner, "opportunities.undo", said.undo)
        return LegPlacer(self._board, lambda: split_of(self._preferences.get), placer)

    def exposure(self, key: RowKey) -> Exposure | None:
        """Return how the stake on a price came about; None where it is not listed as value."""
        return self.lists.exposure(key)

    def show_list(self, which: str) -> None:
        """Show ``BETS`` or ``MISSES``."""
        self.header.chips.choose(which)

    def choose_preset(self, name: str) -> None:
        """List the value bets of a preset."""
        self._layout.put(_PRESET_KEY, name)
        self._show_presets()

    def selected(self) -> RowKey | None:
        """Return the price of the current row."""
        subject = self.subject()
        return None if subject is None else subject.key

    def _lay_out(self) -> None:
        body = QWidget()
        self._stack = QStackedLayout(body)
        for page in (self.table, self.misses, self.placeholder):
            self._stack.addWidget(page)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        # Messages stand below: where they came above, rows moved away from under the pointer.
        for part in (self.header, body, self.messages):
            whole.addWidget(part)
        whole.setStretchFactor(body, 1)

    def _connect(self) -> None:
        header, actions = self.header, self.actions_on_bet
        header.list_chosen.connect(self._on_header_list_chosen)
        header.sort_requested.connect(self._sort)
        add_action(self, "values.sort", self._sort)
        add_action(self, "values.undo", self._said.undo)
        header.stakes_requested.connect(self._ask_stakes)
        add_action(self, "values.sort_by", self._sort_by_current)
        actions.menu.addSeparator()
        actions.menu.addAction(add_action(self, "values.export", self.saver.ask))
        self.saver.said.connect(actions.said)
        add_action(self, "values.list", header.chips.choose_next)
        add_action(self, "values.stakes", self._ask_stakes)
        add_action(self, "values.preset", self._ask_preset)
        add_action(self, "values.delete_preset", self._on_header_preset_deletion_requested)
        header.preset_chosen.connect(self.choose_preset)
        header.preset_edit_requested.connect(self._ask_preset)
        header.preset_deletion_requested.connect(self._on_header_preset_deletion_requested)
        actions.price_requested.connect(self.price_requested)
        self._stakes.changed.connect(self._show_bets)
        self._records.bets_changed.connect(self._show_bets)
        self._records.hidden_changed.connect(self._show_bets)
        self._records.presets_changed.connect(self._show_presets)
        self.placeholder.action_requested.connect(self._on_placeholder_action_requested)
        self.hiding.said.connect(actions.said)
        self.lists.finder.found.connect(self._show_misses)
        for table, model in ((self.table, self.lists.bets), (self.misses, self.lists.misses)):
            table.opened.connect(lambda _index: self.actions_on_bet.open())
            table.header_clicked.connect(model.sort_by)
            table.current_changed.connect(self._on_table_current_changed)
            model.order_changed.connect(self._show_counts)
            table.scrolling.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
            table.scrolling.customContextMenuRequested.connect(self._show_menu)
        self.lists.bets.order_changed.connect(self._mark_again)
        self._idle.timeout.connect(self._on_idle_timeout)
        self._unsubscribe = self._board.subscribe(
            self._on_board_notice, ValueBetsChanged, ConnectionChanged
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
        lists = self.lists
        bets, games = lists.bets, lists.finder.games
        judge = self._board.reference
        judged_by = [] if judge is None else [f"by {judge}"]
        if self._which == BETS:
            only_mine = self._board.basis.mine is not None
            chosen = filter_text(lists.preset.filter, only_mine=only_mine)
            value = lists.value_count
            chosen = " · ".join([*judged_by, chosen])  # what is cut off first stands last
            text = bets_text(
                value,
                bets.count - value,
                self._staked_text(),
                chosen,
                lists.hidden,
                has_unread=bool(self._board.snapshot_progress.cut),
            )
            waiting = bets.rows_that_would_move
            state = state_without_bets(
                self._board.connection, lists.filtered_out, lists.hidden, self._board.reference
            )
        else:
            text = " · ".join([misses_text(lists.misses.count, games), *judged_by])
            waiting = lists.misses.rows_that_would_move
            state = state_without_misses(games)
        # the number of bets, and what is staked, or that nothing is and why
        self.header.show_facts(text, 3 if self._board.connection.is_lost else 2)
        self.header.show_waiting(waiting)
        table = self._current_table()
        if table.model.rowCount():
            self._stack.setCurrentWidget(table)
        else:
            self.placeholder.say(state)
            self._stack.setCurrentWidget(self.placeholder)

    def _staked_text(self) -> str:
        """Say what is staked in all, or why nothing is on what is value."""
        connection, lists = self._board.connection, self.lists
        if connection.is_lost:
            return no_stakes(connection) if lists.value_count else ""
        bankroll = self._stakes.plan.bankroll
        return f"stakes {lists.staked:,g} of {bankroll:,g}" if lists.staked else ""

    def _show_presets(self) -> None:
        """Offer the presets; the one in use stays, or gives way to the first."""
        presets = {preset.name: preset for preset in self._records.presets}
        name = self._layout.get(_PRESET_KEY, BUILT_IN[0].name)
        self.lists.preset = presets.get(name, BUILT_IN[0])
        self.header.show_presets(presets.values(), self.lists.preset.name, _BUILT_IN)
        self.lists.show_bets(may_move=True)

    def _sort(self) -> None:
        self._current_model().sort_now()

    def _sort_by_current(self) -> None:
        index = self._current_table().current()
        if index.isValid():
            self._current_model().sort_by(index.column())

    def _ask_stakes(self) -> None:
        from oddsdesk.desk.settings.dialog import SettingsDialog  # noqa: PLC0415 - late

        SettingsDialog(self._theme, self._preferences, self, (STAKES,)).open()

    def _ask_preset(self) -> None:
        from oddsdesk.desk.value_bets.preset_dialog import PresetDialog  # noqa: PLC0415 - late

        preset = self.lists.preset
        name = f"My {preset.name.lower()}" if preset.name in _BUILT_IN else preset.name
        known = self._board.bookmakers()
        competitions = {game.competition for game in self._board.games.values()}
        dialog = PresetDialog(Preset(name, preset.filter), known, competitions, _BUILT_IN, self)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.chosen.connect(self._on_dialog_preset_chosen)
        dialog.open()

    def _show_menu(self, at: QPoint) -> None:
        self.actions_on_bet.menu.popup(self._current_table().scrolling.viewport().mapToGlobal(at))

    def _on_placeholder_action_requested(self) -> None:
        if self.lists.filtered_out:
            self.choose_preset(BUILT_IN[0].name)
        else:
            self.hiding.ask()

    def _on_header_list_chosen(self, which: str) -> None:
        self._which = which
        self.header.show_list(which)
        self._search_near_misses()
        self._show_counts()
        self.price_selected.emit(self.selected())

    def _search_near_misses(self) -> None:
        if self._which == MISSES and self.isVisible():
            self.lists.finder.start()
        else:
            self.lists.finder.stop()

    def _on_dialog_preset_chosen(self, preset: Preset) -> None:
        self._layout.put(_PRESET_KEY, preset.name)
        self._records.save_preset(preset)

    def _on_header_preset_deletion_requested(self) -> None:
        if self.lists.preset.name not in _BUILT_IN:
            self._records.delete_preset(self.lists.preset.name)

    def _mark_again(self) -> None:
        """Mark the row that was chosen, where the list was empty since: in the past, as a rule."""
        bets = self.lists.bets
        if self._chosen is None or bets.is_arranging or self.table.current().isValid():
            return
        row = bets.row_of(self._chosen[0])
        if row is not None:
            bets.is_arranging = True  # who chose another price since keeps it explained
            self.table.set_current(row, self._chosen[1])
            bets.is_arranging = False

    def _on_table_current_changed(self, index: QModelIndex) -> None:
        if not self._current_model().is_arranging and self._current_table().has_choice:
            self._rests_at = None
            if self._which == BETS and index.isValid():
                self._chosen = self.lists.bets.key(index.row()), index.column()
            self.price_selected.emit(self.selected())

    def _on_board_notice(self, notice: Notice) -> None:
        if isinstance(notice, ValueBetsChanged) and notice.moved:
            self.lists.note_moved()
        elif isinstance(notice, ValueBetsChanged):
            self._show_all()
        elif isinstance(notice, ConnectionChanged):
            self._said.end_past()
            if self._board.connection.is_lost is not self.lists.is_lost:
                self._rests_at = QCursor.pos()
                self._show_bets()
            self._show_counts()

    def _on_idle_timeout(self) -> None:
        model = self._current_model()
        if self.lists.preset.filter.depends_on_time:
            self.lists.note_moved()
        if model.rows_that_would_move and self._may_move():
            model.sort_now()
        else:
            self._show_counts()

    # Qt's virtuals

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._idle.start()
        self._search_near_misses()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._idle.stop()
        self._search_near_misses()
