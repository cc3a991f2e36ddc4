"""The window put together: panels made, and their signals connected."""

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from oddsdesk.board.board import Board
from oddsdesk.board.connection import Link
from oddsdesk.board.games import GameEntry
from oddsdesk.board.history_source import HistorySource, LogSource, PriceHistorySource, PriceLog
from oddsdesk.board.matrix import RowKey
from oddsdesk.board.notices import ConnectionChanged, GameMerged, GamesChanged, Notice
from oddsdesk.board.service_history import ServiceSource
from oddsdesk.client.client import Client
from oddsdesk.clock import Clock
from oddsdesk.desk.bookmakers.controller import BookmakersController
from oddsdesk.desk.matrix.bookmakers import BookmakerColumns
from oddsdesk.desk.matrix.panel import MatrixPanel
from oddsdesk.desk.navigator.panel import Navigator
from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.declared import SPARKLINES, TEXT_SIZE
from oddsdesk.desk.settings.preferences import Preferences
from oddsdesk.desk.settings.saved_state import Layout
from oddsdesk.desk.shell import destinations
from oddsdesk.desk.shell.alerting import Alerting
from oddsdesk.desk.shell.commands import show_tab
from oddsdesk.desk.shell.kept_place import KeptPlace
from oddsdesk.desk.shell.last_act import LastAct
from oddsdesk.desk.shell.late_panels import FirstPaint, LatePanel, LatePanels
from oddsdesk.desk.shell.looking_back import LookingBack
from oddsdesk.desk.shell.messages import TroubleStrip
from oddsdesk.desk.shell.navigation import Navigation
from oddsdesk.desk.shell.research import Research
from oddsdesk.desk.shell.status_bar import StatusBar
from oddsdesk.desk.shell.subscriptions import BoardReader, Subscriptions
from oddsdesk.desk.shell.tabs import GameTabs, GameWindow, game_title
from oddsdesk.desk.shell.time_control import TimeControl
from oddsdesk.desk.shell.top_bar import TopBar
from oddsdesk.desk.shell.window import MainWindow
from oddsdesk.desk.ui.bookmaker_names import BookmakerNames
from oddsdesk.desk.ui.controls.plain import literal_title
from oddsdesk.desk.ui.declared_actions import Where
from oddsdesk.desk.ui.price_actions import PriceActions
from oddsdesk.desk.ui.table.live_table import LiveTable
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.ledger.bets import BetState, PlacedBet
from oddsdesk.pricing.profiles import Profiles

if TYPE_CHECKING:
    from oddsdesk.desk.bets.panel import BetsPanel
    from oddsdesk.desk.explain.panel import ExplainPanel
    from oddsdesk.desk.grid.panel import GridPanel
    from oddsdesk.desk.history.panel import HistoryPanel
    from oddsdesk.desk.opportunities.panel import OpportunitiesPanel
    from oddsdesk.desk.value_bets.panel import ValuesPanel
    from oddsdesk.desk.value_bets.placing import BetPlacer


_GRID: Final = "Odds grid"
_BETS: Final = "Bets"
_PAST: Final = "the past"
_UNTOLD: Final = (Link.CONNECTING, Link.STOPPED)
"""Links at which it is not known yet whether there are prices."""


class Desk:
    """The window with its panels; everything in it reads the board."""

    def __init__(
        self,
        board: Board,
        theme: Theme,
        layout: Layout,
        preferences: Preferences,
        records: Records,
        clock: Clock,
        wall: Clock | None = None,
    ) -> None:
        """Make the window.

        ``clock`` is the board's, which may stand in the past; ``wall`` goes on meanwhile, for what
        the user records.
        """
        wall = wall or clock
        theme.zoom(preferences.get(TEXT_SIZE))  # before there are widgets to write anew
        self.window = MainWindow(theme, layout)
        if layout.problem:
            self.window.messages.warn("settings", layout.problem)
        self.around = Navigation(self.window, board, theme, layout, preferences, clock, wall)
        self.odds_format = self.around.odds_format
        self._board = board
        self._theme = theme
        self._layout = layout
        self._clock = clock
        self._wall = wall
        self._preferences = preferences
        self._records = records
        self._names = BookmakerNames()
        self._columns = BookmakerColumns(layout, self._names)
        self._last_act = LastAct(self._columns, self._say_for_a_while)
        self._past: HistorySource = PriceHistorySource(board)
        self.navigator = Navigator(board, theme, clock, self.around.favourites, layout)
        self.alerting = Alerting(self.window, board, theme, layout, preferences, records, wall)
        put = self.window.put_in_place
        self.values = LatePanel(self._make_values, put)
        self.opportunities = LatePanel(self._make_opportunities, put)
        self.explain = LatePanel(self._make_explain, put)
        self.history = LatePanel(self._make_history, put)
        self.grid = LatePanel(self._make_grid, put)
        self.bets = LatePanel(self._make_bets, put)
        self.late_panels = LatePanels(
            self.window,
            *(self.values, self.opportunities, self.alerting.panel, self.explain, self.history),
            *(self.grid, self.bets),
        )
        self.research = Research(
            self.window, board, theme, preferences, lambda: records.presets, wall, layout
        )
        self.connections_menu = QMenu(self.window)
        self.top_bar = TopBar(board, theme, self.connections_menu, self.window.menu)
        self.status_bar = StatusBar(board, theme, clock, board.method)
        self.games = GameTabs(self.window.tabs, theme, self._make_matrix)
        self._has_chosen = self._is_past = False
        self._kept_place = KeptPlace(self.games)
        self._subscriptions: Subscriptions | None = None
        self.first_paint = FirstPaint()
        self.first_paint.painted.connect(self.late_panels.begin)
        self._time_control: TimeControl | None = None
        self._place()
        self._offer(records)
        self._connect()
        self.around.keep_open(self.games)
        self._show_favourites()
        self._unsubscribe = board.subscribe(
            self._on_board_notice, ConnectionChanged, GameMerged, GamesChanged
        )

    def connect_reading(self, reader: BoardReader) -> None:
        """Have what the user looks at kept current from now on."""
        # Kept: Qt holds no reference to who a signal is connected to.
        subscriptions = self._subscriptions = Subscriptions(reader)
        self.games.game_opened.connect(subscriptions.open)
        self.games.game_closed.connect(subscriptions.close)
        self.explain.then(lambda panel: panel.game_wanted.connect(subscriptions.explain))
        self.grid.then(lambda panel: panel.pause_requested.connect(reader.pause_rows))
        self.grid.then(lambda panel: panel.competitions_chosen.connect(reader.watch_competitions))
        self.window.messages.retry_requested.connect(reader.refresh)
        tabs = self.window.tabs
        tabs.currentChanged.connect(
            lambda _index: reader.want_rows(tabs.currentWidget() is self.grid.made)
        )
        reader.want_rows(tabs.currentWidget() is self.grid.made)

    def follow_games(self, games: frozenset[str]) -> None:
        """Have games kept current for the closing lines of bets, and no others."""
        if self._subscriptions is not None:
            self._subscriptions.follow(games)

    def open_game(self, game_id: str) -> None:
        """Show a game in the tab in front."""
        self._has_chosen = True
        self.games.open(game_id, self._title(game_id))

    def open_game_beside(self, game_id: str) -> None:
        """Show a game in a tab of its own."""
        self.games.open_beside(game_id, self._title(game_id))

    def go_to_game(self, game_id: str) -> None:
        """Show a game in a tab of its own, with the keyboard in its prices."""
        self.open_game_beside(game_id)
        panel = self.games.active_panel()
        if panel is not None:
            panel.setFocus(Qt.FocusReason.OtherFocusReason)

    def go_to_price(self, key: RowKey) -> None:
        """Show a game in the tab in front, with the keyboard on one of its prices."""
        self.open_game(key.game_id)
        panel = self.games.panel(key.game_id)
        assert isinstance(panel, MatrixPanel)
        panel.setFocus(Qt.FocusReason.OtherFocusReason)
        panel.finder.go_to(key)

    def show_waiting_bets(self) -> None:
        """Show the bets that want a result."""
        self.bets().choose_view(BetState.TO_SETTLE.value)
        show_tab(self.window, self.bets())

    def reset(self) -> None:
        """Close every game: the board is about to hold those of another moment or service."""
        messages = self.window.messages
        if self._board.connection.as_of_ms is None:
            messages.set_aside(but=_PAST)
        else:
            messages.bring_back()
        with self._kept_place.closing_games(had_games=self._has_chosen):
            self.around.leave(self.games)
        for panel in (self.explain.made, self.history.made):
            if panel is not None:
                panel.forget()
        self.follow_games(frozenset())
        self._has_chosen = False

    def enter_service(self) -> None:
        """Begin with another service: no price is selected, and what is said is of now."""
        self._kept_place.selected = None
        self.window.messages.bring_back()
        self.window.empty_panels.empty()

    def read_history(self, log: PriceLog | None, client: Client | None) -> None:
        """Take the past of prices from a log, else from a service that tells it; None: as seen."""
        board = self._board
        if log is not None:
            self._past = LogSource(log, board)
        elif client is not None:
            self._past = ServiceSource(client, board)
        else:
            self._past = PriceHistorySource(board)
        if self.history.made is not None:
            self.history.made.use(self._past)
        for panel in self._matrices():
            panel.use_history(self._past)

    def offer_server(self, action: QAction) -> None:
        """Offer the embedded server's dialog where there is nothing to show."""
        self.navigator.offer_server(action)
        self.grid.then(lambda panel: panel.offer_server(action))

    def offer_past(self, looking_back: LookingBack) -> None:
        """Let the user look at moments of the past, go on from them, and come back."""
        self._time_control = TimeControl(
            looking_back, self._theme, self.status_bar, self.around.actions, self.games.active
        )
        self.navigator.day_requested.connect(looking_back.show_day)
        looking_back.said.connect(self._on_looking_back_said)
        looking_back.jumped.connect(self._write_anew)
        self.navigator.now_requested.connect(looking_back.return_to_now)
        self.around.actions.bind("past.day", self.navigator.choose_day)

    def offer_settings(self, open_settings: Callable[[], None]) -> None:
        """Let the menu open the settings."""
        self.window.offer_in_menu(self.around.actions.bind("app.settings", open_settings))

    def offer_bookmakers(self, bookmakers: BookmakersController) -> None:
        """Let the menu open the bookmakers, and say what their file says wrong."""
        self._names.use(bookmakers.profiles)  # nothing is written yet
        bookmakers.profiles_changed.connect(lambda: self._use_names(bookmakers.profiles))
        open_them = self.around.actions.bind("app.bookmakers", bookmakers.open)
        self.window.offer_in_menu(open_them)
        messages = self.window.messages
        bookmakers.repaired.connect(lambda: messages.withdraw_warnings("bookmakers"))
        if bookmakers.problems:
            count, first = len(bookmakers.problems), bookmakers.problems[0]
            messages.warn(
                "bookmakers",
                first if count == 1 else f"{first} (and {count - 1} more)",
                action="Bookmakers…",
                act=bookmakers.open,
            )

    def arrange_bookmakers(self) -> None:
        """Have the columns of the user's bookmakers first, as they are now."""
        self._columns.changed.emit()

    def close(self) -> None:
        """Let go of the board; the window is closed already."""
        self._unsubscribe()
        self.around.leave(self.games)
        self.around.close()
        self.alerting.notifier.close()
        self.research.close()
        self.late_panels.close()
        for panel in (self.navigator, self.top_bar, self.status_bar):
            panel.close_panel()

    def _make_values(self) -> "ValuesPanel":
        from oddsdesk.desk.value_bets.panel import ValuesPanel  # noqa: PLC0415 - late

        panel = ValuesPanel(
            self._board, self._theme, self._clock, self._preferences, self._layout, self._records
        )
        panel.price_requested.connect(self.go_to_price)
        panel.price_selected.connect(self._on_price_selected)
        panel.actions_on_bet.target_requested.connect(self.alerting.ask_target)
        return panel

    def _make_opportunities(self) -> "OpportunitiesPanel":
        from oddsdesk.desk.opportunities.panel import OpportunitiesPanel  # noqa: PLC0415 - late

        panel = OpportunitiesPanel(
            self._board, self._theme, self._clock, self._preferences, self._layout, self._records
        )
        legs = self.values().legs_beside(panel, panel.messages)
        panel.place_requested.connect(legs.place)
        panel.take_back_requested.connect(legs.take_back)
        panel.saver.said.connect(self._say_for_a_while)
        panel.price_requested.connect(self.go_to_price)
        panel.price_selected.connect(self._on_price_selected)
        return panel

    def _make_explain(self) -> "ExplainPanel":
        from oddsdesk.desk.explain.panel import ExplainPanel  # noqa: PLC0415 - late

        panel = ExplainPanel(self._board, self._theme, self._clock)
        panel.exposure_of = lambda key: self.values().exposure(key)
        return panel

    def _make_history(self) -> "HistoryPanel":
        from oddsdesk.desk.history.panel import HistoryPanel  # noqa: PLC0415 - late

        panel = HistoryPanel(self._board, self._theme, self._clock)
        panel.use(self._past)
        panel.saver.said.connect(self._say_for_a_while)
        return panel

    def _make_grid(self) -> "GridPanel":
        from oddsdesk.desk.grid.panel import GridPanel  # noqa: PLC0415 - late

        panel = GridPanel(self._board, self._theme, self._layout, self._clock, self._names)
        panel.price_requested.connect(self.go_to_price)
        panel.price_selected.connect(self._on_price_selected)
        panel.undoable.connect(self._last_act.note)
        self._offer_actions_on(panel.price_actions)
        return panel

    def _make_bets(self) -> "BetsPanel":
        from oddsdesk.desk.bets.panel import BetsPanel  # noqa: PLC0415 - late

        board = self._board
        panel = BetsPanel(
            self._theme, self._wall, self._preferences, self._records,
            lambda: board.basis.profiles, board.bookmakers, lambda: board.games.values(),
        )  # fmt: skip
        panel.game_requested.connect(self.open_game)
        panel.waiting_changed.connect(self.status_bar.show_bets_waiting)
        panel.show_all()  # the ledger was read before: it says how many wait
        return panel

    def _make_matrix(self, game_id: str) -> QWidget:
        panel = MatrixPanel(self._board, self._theme, self._clock, game_id, self._columns)
        panel.show_favourite(game_id in self.around.favourites)
        panel.setFocusProxy(panel.table)
        panel.use_history(self._past)
        panel.show_sparklines(self._preferences.get(SPARKLINES))
        panel.favourite_requested.connect(self.around.favourites.toggle)
        panel.said.connect(self._say_for_a_while)
        panel.price_selected.connect(self._on_price_selected)
        panel.price_added.connect(self._on_price_added)
        self._offer_actions_on(panel.price_actions)
        selected = self._kept_place.selected
        if selected is not None and selected.game_id == game_id:
            panel.finder.go_to(selected, quietly=True)
        self.first_paint.watch(panel.table)
        return panel

    def _offer_actions_on(self, prices: PriceActions) -> None:
        """Let prices of a table be explained and bets on them recorded, as other panels do."""
        prices.explain_requested.connect(self._on_explain_requested)
        prices.place_requested.connect(lambda key: self.values().place(key, self._placer))
        prices.target_requested.connect(self.alerting.ask_target)
        prices.undo_requested.connect(self._last_act.undo)

    @cached_property
    def _placer(self) -> "BetPlacer":
        """Records bets on prices of tables, and says so below whichever tab is in front."""
        from oddsdesk.desk.value_bets.placing import placed_text  # noqa: PLC0415 - late

        placer, say = self.values().placer_over(self.window), self.window.messages.say

        def confirm(bet: PlacedBet) -> None:
            undo = partial(placer.take_back, bet)
            say(placed_text(bet), icon="check", action="Undo", act=undo, passes=True, about=bet)
            self._last_act.note(undo, bet)

        placer.placed.connect(confirm)
        placer.gone.connect(self.window.messages.withdraw)
        placer.gone.connect(self._last_act.forget)
        placer.said.connect(self._say_for_a_while)
        return placer

    def _say_for_a_while(self, text: str) -> None:
        self.window.messages.say(text, passes=True)

    def _reveal(self, late: LatePanel[Any]) -> QWidget:
        panel: QWidget = late()
        self.window.reveal(panel)
        return panel

    def _matrices(self) -> Iterator[MatrixPanel]:
        panels = map(self.games.panel, self.games.open_games)
        return (panel for panel in panels if isinstance(panel, MatrixPanel))

    def _place(self) -> None:
        window = self.window
        window.put_top_bar(self.top_bar)
        areas = Qt.DockWidgetArea
        window.put_dock("navigator", "Navigator", self.navigator, areas.LeftDockWidgetArea)
        below = areas.BottomDockWidgetArea
        window.put_dock("values", "Value bets", self.values.part, below)
        window.put_dock(
            "opportunities", "Opportunities", self.opportunities.part, below, behind="values"
        )
        window.put_dock("alerts", "Alerts", self.alerting.panel.part, below, behind="values")
        right = areas.RightDockWidgetArea
        window.put_dock("explain", "Explain", self.explain.part, right, folds_empty=True)
        window.put_dock("history", "History", self.history.part, right, folds_empty=True)
        window.tabs.addTab(self.grid.part, _GRID)
        window.tabs.addTab(self.bets.part, _BETS)
        window.setStatusBar(self.status_bar)

    def _offer(self, records: Records) -> None:
        """Offer games, presets and the panels' actions in the palette."""
        around = self.around
        around.offer(self.top_bar, self.navigator, self.games, self.grid, self.go_to_game)
        around.actions.bind("go.bets", lambda: show_tab(self.window, self.bets()))
        self.research.offer(around.actions)
        places: tuple[tuple[Where, LatePanel[Any]], ...] = (
            (Where.VALUES, self.values),
            (Where.OPPORTUNITIES, self.opportunities),
            (Where.ALERTS, self.alerting.panel),
            (Where.GRID, self.grid),
            (Where.BETS, self.bets),
            (Where.EXPLAIN, self.explain),
            (Where.HISTORY, self.history),
        )
        for where, late in places:
            around.actions.register_context(where, partial(self._reveal, late))
        around.palette.offer(
            destinations.preset_entries(
                "preset",
                "Value bets",
                lambda: [preset.name for preset in records.presets],
                lambda name: self.values().choose_preset(name),
            )
        )
        listed = self.opportunities
        around.palette.offer(
            destinations.preset_entries(
                "opportunities preset",
                "Opportunities",
                lambda: [] if listed.made is None else listed.made.presets.names,
                lambda name: listed().presets.choose(name),
            )
        )

    def _connect(self) -> None:
        self.status_bar.favourites_requested.connect(self.navigator.show_favourites)
        self.around.favourites.changed.connect(self._show_favourites)
        self.navigator.game_requested.connect(self.open_game)
        self.navigator.game_beside_requested.connect(self.open_game_beside)
        self.alerting.price_requested.connect(self.go_to_price)
        self.late_panels.begun.connect(self.alerting.notifier.enter_tray)
        self.research.game_requested.connect(self.open_game)
        self.status_bar.bets_requested.connect(self.show_waiting_bets)
        self.games.current_game_changed.connect(self._on_games_current_game_changed)
        self.games.window_made.connect(self._on_games_window_made)
        self.odds_format.changed.connect(self._write_anew)
        self._preferences.changed.connect(self._on_preferences_changed)

    def _on_looking_back_said(self, text: str) -> None:
        self.window.messages.say(text, passes=True, about=_PAST)

    def _title(self, game_id: str) -> str:
        game = self._board.games.get(game_id)
        matrix = self._board.matrix(game_id)
        name = game.match_name if game else matrix.match_name if matrix else ""
        return game_title(name or self._name_by_bets(game_id) or "Game")

    def _name_by_bets(self, game_id: str) -> str:
        """Return what a game is called that the service no longer shows and a bet is on."""
        bets = self._records.bets()
        return next((bet.match_name for bet in bets if bet.game_id == game_id), "")

    def _on_price_selected(self, key: RowKey | None) -> None:
        if key is not None:
            self._kept_place.selected = key
            self.explain().show_price(key)
            self.history().show_price(key)
            self.window.empty_panels.fill()

    def _on_explain_requested(self, key: RowKey) -> None:
        self._on_price_selected(key)
        self.window.reveal(self.explain())

    def _on_price_added(self, key: RowKey | None) -> None:
        if key is not None:
            self.explain().show_price(key)
            self.history().add_price(key)
            self.window.empty_panels.fill()

    def _on_games_current_game_changed(self, game_id: str) -> None:
        beside = _BETS if self.window.tabs.currentWidget() is self.bets.part else _GRID
        title = self._title(game_id) if game_id else beside
        self.window.setWindowTitle(literal_title(f"{title} – oddsdesk"))
        if game_id:
            self.navigator.show_current(game_id)

    def _on_games_window_made(self, window: GameWindow) -> None:
        """Have a window that may stand alone say what the main one does of its odds."""
        strip = TroubleStrip(self._board, self._theme, self._clock, window)
        strip.retry_requested.connect(self.window.messages.retry_requested)
        window.put_signs(self.top_bar.badge.twin(window), strip)

    def _show_favourites(self) -> None:
        favourites = self.around.favourites.games
        games = self._board.games
        self.status_bar.show_favourites(len(favourites & games.keys() if games else favourites))
        for panel in self._matrices():
            panel.show_favourite(panel.game_id in favourites)

    def _use_names(self, profiles: Profiles) -> None:
        self._names.use(profiles)
        self._write_anew()

    def _write_anew(self) -> None:
        """Have every figure and name written as they are to be written now."""
        for window in QApplication.topLevelWidgets():
            for table in window.findChildren(LiveTable):
                table.refresh_all()
        if self.history.made is not None:
            self.history.made.refresh_all()
        self.navigator.refresh_times()

    def _on_preferences_changed(self, key: str) -> None:
        if key == SPARKLINES.key:
            for panel in self._matrices():
                panel.show_sparklines(self._preferences.get(SPARKLINES))

    def _on_board_notice(self, notice: Notice) -> None:
        if isinstance(notice, ConnectionChanged):
            self._take_connection()
        if isinstance(notice, GameMerged):
            self.games.replace(notice.game_id, notice.into, self._title(notice.into))
        if isinstance(notice, GamesChanged):
            self._show_favourites()
        if isinstance(notice, GamesChanged) and self._board.games:
            self._show_games()

    def _take_connection(self) -> None:
        connection = self._board.connection
        if connection.link not in _UNTOLD:
            self.late_panels.begin()
        is_past = connection.as_of_ms is not None
        if is_past is not self._is_past:
            self._is_past = is_past
            self.around.refuse_what_is_of_now(is_past=is_past)

    def _show_games(self) -> None:
        if self._has_chosen:
            self.around.reopen_behind(self.games)
            return
        self._has_chosen = True
        place = self._kept_place
        if place.is_beside:
            self.around.reopen_behind(self.games)
        elif not self.around.reopen_front(self.games):
            self.open_game_beside(_most_quoted(self._board.games.values()))
        self.around.open_games.stand_in(self.games.in_front())
        self.around.tell_gone_soon()
        place.give_keyboard_back()
        if place.selected is not None and place.selected.game_id in self._board.games:
            self._on_price_selected(place.selected)


def _most_quoted(games: Iterable[GameEntry]) -> str:
    """The game to open when the user has not chosen one: most bookmakers, then the first."""
    return max(games, key=lambda game: game.bookmaker_count).game_id
