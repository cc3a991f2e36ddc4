"""Assembles the window: makes the panels and connects their signals."""

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from oddsdesk.base.clock import Clock
from oddsdesk.base.market_words import shown_game
from oddsdesk.base.texts import N_, _
from oddsdesk.board.board import Board
from oddsdesk.board.history import sources
from oddsdesk.board.model.matrix import GameEntry, RowKey
from oddsdesk.board.model.notices import ConnectionChanged, GameMerged, GamesChanged, Link, Notice
from oddsdesk.client.client import Client
from oddsdesk.desk.bookmakers.controller import BookmakersController
from oddsdesk.desk.connections.manager import ConnectionManager
from oddsdesk.desk.matrix.layout import BookmakerColumns, BookmakerOrder
from oddsdesk.desk.matrix.panel import MatrixPanel
from oddsdesk.desk.navigator.panel import Navigator
from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.declared import SPARKLINES, TEXT_SIZE
from oddsdesk.desk.settings.saved_state import Layout, Preferences
from oddsdesk.desk.shell import navigation
from oddsdesk.desk.shell.alerting import Alerting
from oddsdesk.desk.shell.commands import show_tab
from oddsdesk.desk.shell.docks import FirstPaint, LatePanel, LatePanels
from oddsdesk.desk.shell.looking_back import LookingBack, TimeControl
from oddsdesk.desk.shell.messages import TroubleStrip
from oddsdesk.desk.shell.navigation import Navigation
from oddsdesk.desk.shell.research import Research
from oddsdesk.desk.shell.status_bar import StatusBar
from oddsdesk.desk.shell.tabs import GameTabs, GameWindow, KeptPlace
from oddsdesk.desk.shell.top_bar import TopBar
from oddsdesk.desk.shell.window import MainWindow
from oddsdesk.desk.ui.actions import Where
from oddsdesk.desk.ui.controls.labels import literal_title
from oddsdesk.desk.ui.formatting import BookmakerNames
from oddsdesk.desk.ui.price_actions import PriceActions
from oddsdesk.desk.ui.table.live_table import LiveTable
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.ledger.bets import BetState, PlacedBet
from oddsdesk.ledger.fair_values import FairPrice
from oddsdesk.pricing.profiles import Profiles

if TYPE_CHECKING:
    from oddsdesk.desk.bets.panel import BetsPanel
    from oddsdesk.desk.explain.panel import ExplainPanel
    from oddsdesk.desk.grid.panel import GridPanel
    from oddsdesk.desk.history.panel import HistoryPanel
    from oddsdesk.desk.opportunities.panel import OpportunitiesPanel
    from oddsdesk.desk.promotions.panel import PromotionsPanel
    from oddsdesk.desk.value_bets.panel import ValuesPanel
    from oddsdesk.desk.value_bets.placing import BetPlacer
    from oddsdesk.desk.value_bets.slip import SlipDialog


class Subscriptions:
    """Subscribes to each game that is open, explained, or about to start with a bet on it."""

    def __init__(self, reader: ConnectionManager) -> None:
        self._reader = reader
        self._open: set[str] = set()
        self._explained = ""
        self._followed: frozenset[str] = frozenset()

    def note_game_opened(self, game_id: str) -> None:
        self._take(open_=self._open | {game_id})

    def note_game_closed(self, game_id: str) -> None:
        self._take(open_=self._open - {game_id})

    def explain(self, game_id: str) -> None:
        """Set the game whose price is explained; empty for none."""
        self._take(explained=game_id)

    def follow_games(self, games: frozenset[str]) -> None:
        """Set the games that are followed for closing lines."""
        self._take(followed=games)

    def _take(
        self,
        open_: set[str] | None = None,
        explained: str | None = None,
        followed: frozenset[str] | None = None,
    ) -> None:
        before = self._wanted()
        self._open = self._open if open_ is None else open_
        self._explained = self._explained if explained is None else explained
        self._followed = self._followed if followed is None else followed
        after = self._wanted()
        for game_id in sorted(before - after):
            self._reader.unsubscribe_game(game_id)
        for game_id in sorted(after - before):
            self._reader.subscribe_game(game_id)

    def _wanted(self) -> set[str]:
        explained = {self._explained} if self._explained else set()
        return self._open | explained | self._followed


_GRID: Final = _("Odds grid")
_BETS: Final = _("Bets")
_PROMOTIONS: Final = _("Promotions")
_PAST: Final = "the past"
_UNTOLD: Final = (Link.CONNECTING, Link.STOPPED)
"""Links at which it is still unknown whether there are prices."""


class Desk:
    """The window with its panels, which all show the board."""

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

        ``clock`` is the board's and may be in the past; ``wall`` is the real time, for what the
        user records.
        """
        wall = wall or clock
        theme.zoom(preferences.get_setting(TEXT_SIZE))  # before there are widgets to repaint
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
        self._past: sources.HistorySource = sources.PriceHistorySource(board)
        self.navigator = Navigator(board, theme, clock, self.around.favourites, layout)
        self.alerting = Alerting(self.window, board, theme, layout, preferences, records, wall)
        put = self.window.put_in_place
        self.values = LatePanel(self._make_values, put)
        self.opportunities = LatePanel(self._make_opportunities, put)
        self.promotions = LatePanel(self._make_promotions, put)
        self.explain = LatePanel(self._make_explain, put)
        self.history = LatePanel(self._make_history, put)
        self.grid = LatePanel(self._make_grid, put)
        self.bets = LatePanel(self._make_bets, put)
        self.late_panels = LatePanels(
            self.window,
            *(self.values, self.opportunities, self.alerting.panel, self.explain, self.history),
            *(self.promotions, self.grid, self.bets),
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
        self.first_paint.painted.connect(self.late_panels.make_panels)
        self._time_control: TimeControl | None = None
        self._place()
        self._offer(records)
        self._connect()
        self.around.keep_open(self.games)
        self._show_favourites()
        self._unsubscribe = board.subscribe(
            self._on_board_notice, ConnectionChanged, GameMerged, GamesChanged
        )

    def connect_reading(self, reader: ConnectionManager) -> None:
        """Keep the games that the user looks at up to date."""
        # Kept, as Qt holds no reference to the receiver of a signal.
        subscriptions = self._subscriptions = Subscriptions(reader)
        self.games.game_opened.connect(subscriptions.note_game_opened)
        self.games.game_closed.connect(subscriptions.note_game_closed)
        self.explain.then(lambda panel: panel.game_wanted.connect(subscriptions.explain))
        self.grid.then(lambda panel: panel.pause_requested.connect(reader.pause_rows))
        self.grid.then(lambda panel: panel.competitions_chosen.connect(reader.watch_competitions))
        self.grid.then(lambda panel: panel.restore_filter())
        self.window.messages.retry_requested.connect(reader.read_all_again)
        tabs = self.window.tabs
        tabs.currentChanged.connect(
            lambda _index: reader.want_rows(tabs.currentWidget() is self.grid.made)
        )
        reader.want_rows(tabs.currentWidget() is self.grid.made)

    def follow_games(self, games: frozenset[str]) -> None:
        """Set the games to keep up to date for closing lines."""
        if self._subscriptions is not None:
            self._subscriptions.follow_games(games)

    def say_settled(self, text: str) -> None:
        """Report bets that settled by themselves, in their list and where the user is."""
        self.bets().say_settled(text)
        self._say_of_bets(text, "check", partial(self._reveal, self.bets))

    def say_to_check(self, text: str) -> None:
        """Report settled bets that need a check, in their list and where the user is."""
        self.bets().say_to_check(text)
        self._say_of_bets(text, "warning", self._show_to_settle)

    def _show_to_settle(self) -> None:
        self._reveal(self.bets)
        self.bets().show_to_settle()

    def _say_of_bets(self, text: str, icon: str, show: Callable[[], object]) -> None:
        panel = self.bets()
        if not self.window.isActiveWindow():
            self.alerting.notifier.show(_("Bets"), text)
        if not panel.isVisible():
            self.window.messages.show_message(
                text, icon=icon, action=_("Show"), act=show, about=_BETS
            )

    def open_game(self, game_id: str) -> None:
        """Show a game in the tab in front."""
        self._has_chosen = True
        self.games.open_game(game_id, self._title(game_id))

    def open_game_in_new_tab(self, game_id: str) -> None:
        """Show a game in a new tab."""
        self.games.open_in_new_tab(game_id, self._title(game_id))

    def go_to_game(self, game_id: str) -> None:
        """Show a game in a new tab, with the focus in its prices."""
        self.open_game_in_new_tab(game_id)
        panel = self.games.active_panel()
        if panel is not None:
            panel.setFocus(Qt.FocusReason.OtherFocusReason)

    def go_to_price(self, key: RowKey) -> None:
        """Show a game in the front tab, with the focus on one of its prices."""
        self.open_game(key.game_id)
        panel = self.games.panel(key.game_id)
        assert isinstance(panel, MatrixPanel)
        panel.setFocus(Qt.FocusReason.OtherFocusReason)
        panel.finder.go_to(key)

    def show_waiting_bets(self) -> None:
        """Show the bets that need a result."""
        self.bets().choose_view(BetState.TO_SETTLE.value)
        show_tab(self.window, self.bets())

    def reset_desk(self) -> None:
        """Close all games, as the board is about to be filled from another service or moment."""
        messages = self.window.messages
        if self._board.connection.as_of_ms is None:
            messages.set_aside(but=_PAST)
        else:
            messages.bring_back()
        with self._kept_place.closing_games(had_games=self._has_chosen):
            self.around.close_games(self.games)
        for panel in (self.explain.made, self.history.made):
            if panel is not None:
                panel.forget_price()
        self.follow_games(frozenset())
        self._has_chosen = False

    def enter_service(self) -> None:
        """Forget the selected price and old messages for a new service."""
        self._kept_place.selected = None
        self.window.messages.bring_back()
        self.window.empty_panels.empty()

    def read_history(self, log: sources.PriceLog | None, client: Client | None) -> None:
        """Set the source of price history: a log, else a service, else the prices seen so far."""
        board = self._board
        if log is not None:
            self._past = sources.LogSource(log, board)
        elif client is not None:
            self._past = sources.ServiceSource(client, board)
        else:
            self._past = sources.PriceHistorySource(board)
        if self.history.made is not None:
            self.history.made.use_source(self._past)
        for panel in self._matrices():
            panel.use_history(self._past)

    def offer_server(self, action: QAction) -> None:
        """Offer live odds in empty panels."""
        self.navigator.offer_server(action)
        self.grid.then(lambda panel: panel.offer_server(action))

    def offer_past(self, looking_back: LookingBack) -> None:
        """Add the controls to view the past."""
        self._time_control = TimeControl(
            looking_back, self._theme, self.status_bar, self.around.actions, self.games.active
        )
        self.navigator.day_requested.connect(looking_back.show_day)
        looking_back.said.connect(self._on_looking_back_said)
        looking_back.jumped.connect(self._repaint_texts)
        self.navigator.now_requested.connect(looking_back.return_to_now)
        self.around.actions.bind("past.day", self.navigator.choose_day)

    def offer_settings(self, open_settings: Callable[[], None]) -> None:
        """Bind the action that opens the settings."""
        self.around.actions.bind("app.settings", open_settings)

    def offer_bookmakers(self, bookmakers: BookmakersController) -> None:
        """Bind the action that opens the bookmakers, and report problems of their file."""
        self._names.use_names(bookmakers.profiles)  # nothing is painted yet
        bookmakers.profiles_changed.connect(lambda: self._use_names(bookmakers.profiles))
        self.around.actions.bind("app.bookmakers", bookmakers.open_dialog)
        self.values.then(lambda panel: panel.bookmakers_requested.connect(bookmakers.open_dialog))
        self.opportunities.then(
            lambda panel: panel.bookmakers_requested.connect(bookmakers.open_dialog)
        )
        messages = self.window.messages
        bookmakers.repaired.connect(lambda: messages.withdraw_warnings("bookmakers"))
        if bookmakers.problems:
            count, first = len(bookmakers.problems), bookmakers.problems[0]
            messages.warn(
                "bookmakers",
                first
                if count == 1
                else N_("{first} (and {count} more)").format(first=first, count=count - 1),
                action=_("Bookmakers…"),
                act=bookmakers.open_dialog,
            )

    def arrange_bookmakers(self) -> None:
        """Put the columns of the user's bookmakers first."""
        self._columns.changed.emit()

    def close_desk(self) -> None:
        """Stop listening to the board, after the window was closed."""
        self._unsubscribe()
        self.around.close_games(self.games)
        self.around.stop_navigation()
        self.alerting.notifier.leave_tray()
        self.research.end_research()
        self.late_panels.close_panels()
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
        panel.actions_on_bet.multiple_requested.connect(self._add_to_multiple)
        return panel

    def _make_opportunities(self) -> "OpportunitiesPanel":
        from oddsdesk.desk.opportunities.panel import OpportunitiesPanel  # noqa: PLC0415 - late

        panel = OpportunitiesPanel(
            self._board, self._theme, self._clock, self._preferences, self._layout, self._records
        )
        legs = self.values().leg_placer_over(panel, panel.messages)
        panel.place_requested.connect(legs.place_legs)
        panel.take_back_requested.connect(legs.take_back)
        panel.saver.said.connect(self._say_for_a_while)
        panel.price_requested.connect(self.go_to_price)
        panel.price_selected.connect(self._on_price_selected)
        panel.lay_selected.connect(self._on_lay_selected)
        return panel

    def _make_promotions(self) -> "PromotionsPanel":
        from oddsdesk.desk.promotions.panel import PromotionsPanel  # noqa: PLC0415 - late

        panel = PromotionsPanel(
            *(self._board, self._theme, self._clock, self._preferences, self._layout),
            self._records,
            self._wall,
        )
        placer = self.values().promotion_placer_over(panel, panel.messages)
        panel.place_requested.connect(placer)
        panel.refund_noticed.connect(self._say_refund)
        panel.saver.said.connect(self._say_for_a_while)
        panel.price_requested.connect(self.go_to_price)
        panel.price_selected.connect(self._on_price_selected)
        panel.lay_selected.connect(self._on_lay_selected)
        return panel

    def _make_explain(self) -> "ExplainPanel":
        from oddsdesk.desk.explain.panel import ExplainPanel  # noqa: PLC0415 - late

        panel = ExplainPanel(self._board, self._theme, self._clock)
        panel.exposure_of = lambda key: self.values().exposure(key)
        return panel

    def _make_history(self) -> "HistoryPanel":
        from oddsdesk.desk.history.panel import HistoryPanel  # noqa: PLC0415 - late

        panel = HistoryPanel(self._board, self._theme, self._clock)
        panel.use_source(self._past)
        panel.saver.said.connect(self._say_for_a_while)
        return panel

    def _make_grid(self) -> "GridPanel":
        from oddsdesk.desk.grid.panel import GridPanel  # noqa: PLC0415 - late

        panel = GridPanel(self._board, self._theme, self._layout, self._clock, self._names)
        panel.price_requested.connect(self.go_to_price)
        panel.price_selected.connect(self._on_price_selected)
        panel.lay_selected.connect(self._on_lay_selected)
        panel.undoable.connect(self._last_act.note_act)
        self._offer_actions_on(panel.price_actions)
        return panel

    def _make_bets(self) -> "BetsPanel":
        from oddsdesk.desk.bets.panel import BetsPanel  # noqa: PLC0415 - late

        board = self._board
        panel = BetsPanel(
            self._theme, self._wall, self._preferences, self._records,
            lambda: board.basis.profiles,
            board.bookmakers_with_prices, lambda: board.games.values(), self._fair_now,
        )  # fmt: skip
        panel.game_requested.connect(self.open_game)
        panel.waiting_changed.connect(self.status_bar.show_bets_waiting)
        panel.seen.connect(partial(self.window.messages.withdraw, _BETS))
        panel.show_all()  # the ledger has been read, so show the number to settle
        return panel

    def _fair_now(self, bet: PlacedBet) -> FairPrice | None:
        """Return the current fair price of a bet; None if unknown.

        Simulated odds do not count for a real bet.
        """
        board, now = self._board, self._board.connection
        if now.as_of_ms is not None or now.why_lost or bool(now.simulated) != bet.practice:
            return None
        row = board.row(*bet.outcome)
        return None if row is None or row.fair is None else FairPrice(row.fair, row.decided)

    def _make_matrix(self, game_id: str) -> QWidget:
        panel = MatrixPanel(self._board, self._theme, self._clock, game_id, self._columns)
        panel.show_favourite(game_id in self.around.favourites)
        panel.setFocusProxy(panel.table)
        panel.setAccessibleName(_("Game"))
        panel.use_history(self._past)
        panel.show_sparklines(self._preferences.get_setting(SPARKLINES))
        panel.favourite_requested.connect(self.around.favourites.toggle)
        panel.said.connect(self._say_for_a_while)
        panel.price_selected.connect(self._on_price_selected)
        panel.lay_selected.connect(self._on_lay_selected)
        panel.price_added.connect(self._on_price_added)
        self._offer_actions_on(panel.price_actions)
        selected = self._kept_place.selected
        if selected is not None and selected.game_id == game_id:
            panel.finder.go_to(selected, quietly=True)
        self.first_paint.watch(panel.table)
        return panel

    def _offer_actions_on(self, prices: PriceActions) -> None:
        """Connect a table's actions on prices: explain, record bet, set alert, undo."""
        prices.explain_requested.connect(self._on_explain_requested)
        prices.place_requested.connect(lambda key: self.values().place_price(key, self._placer))
        prices.lay_requested.connect(lambda key: self.values().place_lay(key, self._placer))
        prices.target_requested.connect(self.alerting.ask_target)
        prices.multiple_requested.connect(self._add_to_multiple)
        prices.undo_requested.connect(self._last_act.undo_act)

    @cached_property
    def _placer(self) -> "BetPlacer":
        """Records bets on prices in tables, with a message below the tabs."""
        from oddsdesk.desk.bet_sheet import sheet_text  # noqa: PLC0415 - late
        from oddsdesk.desk.value_bets.placing import placed_text  # noqa: PLC0415 - late

        placer, say = self.values().placer_over(self.window), self.window.messages.show_message

        def confirm(bet: PlacedBet) -> None:
            undo = partial(placer.take_back, bet)
            say(placed_text(bet), icon="check", action=_("Undo"), act=undo, passes=True, about=bet)
            self._last_act.note_act(undo, bet)

        def confirm_all(bets: list[PlacedBet]) -> None:
            undo, about = partial(placer.take_back_all, bets), bets[-1]
            say(
                sheet_text(bets), icon="check", action=_("Undo"), act=undo, passes=True, about=about
            )
            self._last_act.note_act(undo, about)

        placer.placed.connect(confirm)
        placer.all_placed.connect(confirm_all)
        placer.gone.connect(self.window.messages.withdraw)
        placer.gone.connect(self._last_act.drop_act)
        placer.said.connect(self._say_for_a_while)
        return placer

    def _add_to_multiple(self, key: RowKey) -> None:
        self._slip.add_leg(key)

    @cached_property
    def _slip(self) -> "SlipDialog":
        """The multiple that the user builds, in a dialog over the window."""
        from oddsdesk.desk.value_bets.slip import SlipDialog  # noqa: PLC0415 - late

        slip = SlipDialog(self._board, self._records, self._clock, self.window)
        slip.recorded.connect(lambda bet: self._placer.placed.emit(bet))
        slip.said.connect(self._say_for_a_while)
        return slip

    def _say_refund(self, text: str) -> None:
        show = partial(self._reveal, self.promotions)
        self.window.messages.show_message(text, action=_("Show"), act=show, about=_PROMOTIONS)

    def _say_for_a_while(self, text: str) -> None:
        self.window.messages.show_message(text, passes=True)

    def _reveal(self, late: LatePanel[Any]) -> QWidget:
        panel: QWidget = late()
        self.window.reveal(panel)
        return panel

    def _edit_alert_rules(self) -> None:
        self._reveal(self.alerting.panel)
        self.alerting.panel().edit_rules()

    def _matrices(self) -> Iterator[MatrixPanel]:
        panels = map(self.games.panel, self.games.open_games)
        return (panel for panel in panels if isinstance(panel, MatrixPanel))

    def _place(self) -> None:
        window = self.window
        window.put_top_bar(self.top_bar)
        areas = Qt.DockWidgetArea
        window.put_dock("navigator", _("Navigator"), self.navigator, areas.LeftDockWidgetArea)
        below = areas.BottomDockWidgetArea
        window.put_dock("values", _("Value bets"), self.values.part, below)
        window.put_dock(
            "opportunities", _("Opportunities"), self.opportunities.part, below, behind="values"
        )
        window.put_dock("promotions", _PROMOTIONS, self.promotions.part, below, behind="values")
        window.put_dock("alerts", _("Alerts"), self.alerting.panel.part, below, behind="values")
        right = areas.RightDockWidgetArea
        window.put_dock("explain", _("Explain"), self.explain.part, right, folds_empty=True)
        window.put_dock("history", _("History"), self.history.part, right, folds_empty=True)
        window.tabs.addTab(self.grid.part, _GRID)
        window.tabs.addTab(self.bets.part, _BETS)
        window.setStatusBar(self.status_bar)

    def _offer(self, records: Records) -> None:
        """Offer the panels' actions and presets in the palette."""
        around = self.around
        around.offer_actions(self.top_bar, self.navigator, self.games, self.grid, self.go_to_game)
        around.actions.bind("go.bets", lambda: show_tab(self.window, self.bets()))
        around.actions.bind("alerts.rules", self._edit_alert_rules)
        self.research.offer_research(around.actions)
        places: tuple[tuple[Where, LatePanel[Any]], ...] = (
            (Where.VALUES, self.values),
            (Where.OPPORTUNITIES, self.opportunities),
            (Where.PROMOTIONS, self.promotions),
            (Where.GRID, self.grid),
            (Where.BETS, self.bets),
            (Where.EXPLAIN, self.explain),
            (Where.HISTORY, self.history),
        )
        for where, late in places:
            around.actions.register_context(where, partial(self._reveal, late))
        around.palette.add_provider(
            navigation.preset_entries(
                "preset",
                _("Value bets"),
                lambda: [preset.name for preset in records.presets],
                lambda name: self.values().presets.use_preset(name),
            )
        )
        listed = self.opportunities
        around.palette.add_provider(
            navigation.preset_entries(
                "opportunities preset",
                _("Opportunities"),
                lambda: [] if listed.made is None else listed.made.presets.preset_names,
                lambda name: listed().presets.use_preset(name),
            )
        )

    def _connect(self) -> None:
        self.status_bar.favourites_requested.connect(self.navigator.show_favourites)
        self.around.favourites.changed.connect(self._show_favourites)
        self.navigator.game_requested.connect(self.open_game)
        self.navigator.new_tab_requested.connect(self.open_game_in_new_tab)
        self.alerting.price_requested.connect(self.go_to_price)
        self.late_panels.begun.connect(self.alerting.notifier.enter_tray)
        self.research.game_requested.connect(self.open_game)
        self.status_bar.bets_requested.connect(self.show_waiting_bets)
        self.games.current_game_changed.connect(self._on_games_current_game_changed)
        self.games.window_made.connect(self._on_games_window_made)
        self.odds_format.changed.connect(self._repaint_texts)
        self._preferences.changed.connect(self._on_preferences_changed)

    def _on_looking_back_said(self, text: str) -> None:
        self.window.messages.show_message(text, passes=True, about=_PAST)

    def _title(self, game_id: str) -> str:
        game = self._board.games.get(game_id)
        matrix = self._board.matrix(game_id)
        name = game.match_name if game else matrix.match_name if matrix else ""
        return shown_game(name or self._name_by_bets(game_id) or _("Game"))

    def _name_by_bets(self, game_id: str) -> str:
        """Return the name of a delisted game from a bet on it."""
        bets = self._records.placed_bets()
        return next((bet.match_name for bet in bets if bet.game_id == game_id), "")

    def _on_price_selected(self, key: RowKey | None, *, is_lay: bool = False) -> None:
        if key is not None:
            self._kept_place.selected = key
            self.explain().show_price(key, is_lay=is_lay)
            self.history().show_price(key)
            self.window.empty_panels.fill()

    def _on_lay_selected(self, key: RowKey) -> None:
        self._on_price_selected(key, is_lay=True)

    def _on_explain_requested(self, key: RowKey, is_lay: bool) -> None:
        self._on_price_selected(key, is_lay=is_lay)
        self.window.reveal(self.explain())

    def _on_price_added(self, key: RowKey | None) -> None:
        if key is not None:
            self.explain().show_price(key)
            self.history().add_price(key)
            self.window.empty_panels.fill()

    def _on_games_current_game_changed(self, game_id: str) -> None:
        tabs = self.window.tabs
        title = self._title(game_id) if game_id else tabs.tabText(tabs.currentIndex())
        self.window.setWindowTitle(literal_title(f"{title} – oddsdesk"))
        if game_id:
            self.navigator.show_current(game_id)

    def _on_games_window_made(self, window: GameWindow) -> None:
        """Add the badge and connection messages to a separate game window."""
        strip = TroubleStrip(self._board, self._theme, self._clock, window)
        strip.retry_requested.connect(self.window.messages.retry_requested)
        window.put_signs(self.top_bar.badge.twin(window), strip)

    def _show_favourites(self) -> None:
        favourites = self.around.favourites.game_ids
        games = self._board.games
        self.status_bar.show_favourites(len(favourites & games.keys() if games else favourites))
        for panel in self._matrices():
            panel.show_favourite(panel.game_id in favourites)

    def _use_names(self, profiles: Profiles) -> None:
        self._names.use_names(profiles)
        self._repaint_texts()

    def _repaint_texts(self) -> None:
        """Repaint all figures and names, as their format has changed."""
        for window in QApplication.topLevelWidgets():
            for table in window.findChildren(LiveTable):
                table.repaint_figures()
        if self.history.made is not None:
            self.history.made.repaint_odds()
        self.navigator.refresh_times()

    def _on_preferences_changed(self, key: str) -> None:
        if key == SPARKLINES.key:
            for panel in self._matrices():
                panel.show_sparklines(self._preferences.get_setting(SPARKLINES))

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
            self.late_panels.make_panels()
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
        if place.was_elsewhere:
            self.around.reopen_behind(self.games)
        elif not self.around.reopen_front(self.games):
            self.open_game_in_new_tab(_most_quoted(self._board.games.values()))
        self.around.open_games.stand_in(self.games.in_front())
        self.around.tell_gone_soon()
        place.give_keyboard_back()
        if place.selected is not None and place.selected.game_id in self._board.games:
            self._on_price_selected(place.selected)


def _most_quoted(games: Iterable[GameEntry]) -> str:
    """Return the game to open if the user has chosen none: the one with most bookmakers."""
    return max(games, key=lambda game: game.bookmaker_count).game_id


_NOTHING: Final = _("Nothing to undo here. To undo changes to bets, press Ctrl+Z in Bets (Ctrl+L).")


class LastAct:
    """Holds the last action that can be undone."""

    def __init__(self, columns: BookmakerColumns, say: Callable[[str], object]) -> None:
        self._columns = columns
        self._say = say
        self._order = columns.column_order
        self._undo: Callable[[], object] | None = None
        self._about: object = None
        columns.changed.connect(self._on_columns_changed)

    def note_act(self, undo: Callable[[], object], about: object = None) -> None:
        """Set how to undo the latest action; ``about`` is what it created."""
        self._undo, self._about = undo, about

    def drop_act(self, about: object) -> None:
        """Forget the action that created ``about``, as that no longer exists."""
        if self._about == about:
            self._undo = None

    def undo_act(self) -> None:
        """Undo the action, or report that there is none."""
        undo, self._undo = self._undo, None
        if undo is None:
            self._say(_NOTHING)
            return
        undo()
        self._undo = None  # undoing cannot be undone

    def _on_columns_changed(self) -> None:
        before, self._order = self._order, self._columns.column_order
        self.note_act(partial(self._take_order, before))

    def _take_order(self, order: BookmakerOrder) -> None:
        again = sorted(self._columns.column_order.hidden - order.hidden)
        self._columns.keep_order(order)
        if again:
            self._say(_("Undone: {names} shown again.").format(names=", ".join(again)))
        else:
            self._say(_("Undone: bookmaker columns restored."))
