"""Backtest and scorecards at the desk: tabs that come when they are asked for."""

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QTabBar, QToolButton, QWidget

from oddsdesk.board.board import Board
from oddsdesk.clock import Clock
from oddsdesk.desk.settings.declared import METHOD, close_by
from oddsdesk.desk.settings.preferences import Preferences
from oddsdesk.desk.settings.saved_state import Layout
from oddsdesk.desk.shell.commands import show_tab
from oddsdesk.desk.shell.window import MainWindow
from oddsdesk.desk.ui.actions import Actions
from oddsdesk.desk.ui.declared_actions import Where
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.ledger.presets import Preset

if TYPE_CHECKING:
    from oddsdesk.desk.research.backtest_panel import BacktestPanel
    from oddsdesk.desk.research.log import ResearchLog
    from oddsdesk.desk.research.scorecard_panel import ScorecardPanel


class Research(QObject):
    """Opens the tabs; what they rest on is imported with them, which few starts need."""

    game_requested = Signal(str)
    """The id of the game of a bet."""

    def __init__(
        self,
        window: MainWindow,
        board: Board,
        theme: Theme,
        preferences: Preferences,
        presets: Callable[[], Iterable[Preset]],
        clock: Clock,
        layout: Layout,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._board = board
        self._theme = theme
        self._preferences = preferences
        self._presets = presets
        self._clock = clock
        self._layout = layout
        self._database: Path | None = None
        self._backtest: BacktestPanel | None = None
        self._scorecards: ScorecardPanel | None = None
        theme.changed.connect(self._on_theme_changed)

    def offer(self, actions: Actions) -> None:
        """Offer both in the palette and by their keys, and in the menu."""
        for ident, panel, where in (
            ("go.backtest", self.backtest, Where.BACKTEST),
            ("go.scorecards", self.scorecards, Where.SCORECARDS),
        ):
            self._window.offer_in_menu(actions.bind(ident, partial(self._show, panel)))
            actions.register_context(where, partial(self._show, panel))

    def read(self, database: Path | None) -> None:
        """Go through the log of another database from now on; None: there is none here."""
        self._database = database
        for panel in (self._backtest, self._scorecards):
            if panel is not None:
                panel.running.cancel()
                panel.show_state()

    def close(self) -> None:
        """End what runs."""
        for panel in (self._backtest, self._scorecards):
            if panel is not None:
                panel.close_panel()

    def backtest(self) -> "BacktestPanel":
        """Return the panel of backtests, made when it is first asked for."""
        if self._backtest is None:
            from oddsdesk.desk.research.backtest_panel import BacktestPanel  # noqa: PLC0415

            self._backtest = BacktestPanel(
                self._theme,
                self._clock,
                self._log,
                lambda: self._preferences.get(METHOD),
                lambda: list(self._presets()),
                self._layout,
            )
            self._backtest.game_requested.connect(self.game_requested)
        self._put_in_tab(self._backtest, "Backtest")
        return self._backtest

    def scorecards(self) -> "ScorecardPanel":
        """Return the panel of scorecards, made when it is first asked for."""
        if self._scorecards is None:
            from oddsdesk.desk.research.scorecard_panel import ScorecardPanel  # noqa: PLC0415

            self._scorecards = ScorecardPanel(self._theme, self._clock, self._log, self._layout)
        self._put_in_tab(self._scorecards, "Bookmakers")
        return self._scorecards

    def _show(self, panel: Callable[[], QWidget]) -> QWidget:
        shown = panel()
        show_tab(self._window, shown)
        return shown

    def _put_in_tab(self, panel: QWidget, title: str) -> None:
        tabs = self._window.tabs
        if tabs.indexOf(panel) >= 0:
            return
        index = tabs.addTab(panel, title)
        button = QToolButton()
        button.setProperty("variant", "plain")
        button.setIcon(self._theme.icon("close"))
        button.setToolTip(f"Close {title}")
        button.setAccessibleName(f"Close {title}")
        button.clicked.connect(lambda: tabs.removeTab(tabs.indexOf(panel)))
        tabs.tabBar().setTabButton(index, QTabBar.ButtonPosition.RightSide, button)

    def _log(self) -> "ResearchLog | None":
        if self._database is None:
            return None
        from oddsdesk.desk.shell.log_research import DatabaseResearch  # noqa: PLC0415

        basis = self._board.basis
        by = close_by(self._preferences.get)
        return DatabaseResearch(
            self._database, basis.profiles, basis.mine, basis.method, by, self._clock
        )

    def _on_theme_changed(self) -> None:
        bar = self._window.tabs.tabBar()
        for panel in (self._backtest, self._scorecards):
            index = -1 if panel is None else self._window.tabs.indexOf(panel)
            button = bar.tabButton(index, QTabBar.ButtonPosition.RightSide) if index >= 0 else None
            if isinstance(button, QToolButton):
                button.setIcon(self._theme.icon("close"))
