"""Opens the tabs of backtest, scorecards and results."""

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QTabBar, QToolButton, QWidget

from oddsdesk.base.clock import Clock
from oddsdesk.base.texts import _
from oddsdesk.board.board import Board
from oddsdesk.desk.settings.declared import METHOD, close_by, stake_plan
from oddsdesk.desk.settings.saved_state import Layout, Preferences, Saved
from oddsdesk.desk.shell.commands import show_tab
from oddsdesk.desk.shell.window import MainWindow
from oddsdesk.desk.ui.actions import Actions, Where
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.ledger.presets import Preset

if TYPE_CHECKING:
    from oddsdesk.desk.research.backtest_panel import BacktestPanel
    from oddsdesk.desk.research.log import ResearchLog
    from oddsdesk.desk.research.results_panel import ResultsPanel
    from oddsdesk.desk.research.scorecard_panel import ScorecardPanel


_BACKTEST: Final = "backtest"
_SCORECARDS: Final = "scorecards"
_RESULTS: Final = "results"
_SOON_MS: Final = 1_500
"""After a connect: what these tabs rest on takes long to import, and first prices come before."""


class Research(QObject):
    """Opens the tabs, whose modules are imported when needed."""

    game_requested = Signal(str)
    """The id of the game of a bet or a result."""

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
        self._open = Saved(layout, "research/tabs", list[str], [])
        """The idents of the tabs that are open."""
        self._soon = QTimer(self, singleShot=True, interval=_SOON_MS)
        self._soon.timeout.connect(self._restore)
        self._is_restored = False
        self._database: Path | None = None
        self._backtest: BacktestPanel | None = None
        self._scorecards: ScorecardPanel | None = None
        self._results: ResultsPanel | None = None
        theme.changed.connect(self._on_theme_changed)

    def offer_research(self, actions: Actions) -> None:
        """Bind the actions that show them, and their own."""
        for ident, panel, where in (
            ("go.backtest", self.show_backtest, Where.BACKTEST),
            ("go.scorecards", self.scorecards, Where.SCORECARDS),
            ("go.results", self.results, Where.RESULTS),
        ):
            actions.bind(ident, partial(self._show, panel))
            actions.register_context(where, partial(self._show, panel))

    def read_log_of(self, database: Path | None) -> None:
        """Use another database; None if there is none here."""
        self._database = database
        if not self._is_restored and self._open.get_value():
            self._soon.start()
        for panel in (self._backtest, self._scorecards):
            if panel is not None:
                panel.running.cancel()
                panel.show_state()
        if self._results is not None:
            self._results.read_again()

    def _restore(self) -> None:
        """Open the tabs that were open before the last end, behind the present one."""
        self._is_restored = True
        kept = self._open.get_value()
        if _BACKTEST in kept:
            self.show_backtest()
        if _SCORECARDS in kept:
            self.scorecards()
        if _RESULTS in kept:
            self.results()

    def end_research(self) -> None:
        self._soon.stop()
        for panel in (self._backtest, self._scorecards, self._results):
            if panel is not None:
                panel.close_panel()

    def show_backtest(self) -> "BacktestPanel":
        """Return the backtest panel, made when first needed."""
        if self._backtest is None:
            from oddsdesk.desk.research.backtest_panel import BacktestPanel  # noqa: PLC0415

            self._backtest = BacktestPanel(
                self._theme,
                self._clock,
                self._log,
                lambda: self._preferences.get_setting(METHOD),
                lambda: list(self._presets()),
                self._layout,
                lambda: stake_plan(self._preferences.get_setting),
            )
            self._backtest.game_requested.connect(self.game_requested)
        self._put_in_tab(self._backtest, _("Backtest"), _BACKTEST)
        return self._backtest

    def scorecards(self) -> "ScorecardPanel":
        """Return the scorecards panel, made when first needed."""
        if self._scorecards is None:
            from oddsdesk.desk.research.scorecard_panel import ScorecardPanel  # noqa: PLC0415

            self._scorecards = ScorecardPanel(self._theme, self._clock, self._log, self._layout)
        self._put_in_tab(self._scorecards, _("Scorecards"), _SCORECARDS)
        return self._scorecards

    def results(self) -> "ResultsPanel":
        """Return the results panel, made when first needed."""
        if self._results is None:
            from oddsdesk.desk.research.results_panel import ResultsPanel  # noqa: PLC0415

            self._results = ResultsPanel(self._theme, self._clock, self._log)
            self._results.game_requested.connect(self.game_requested)
        self._put_in_tab(self._results, _("Results"), _RESULTS)
        return self._results

    def _show(self, panel: Callable[[], QWidget]) -> QWidget:
        shown = panel()
        show_tab(self._window, shown)
        return shown

    def _close(self, panel: QWidget, ident: str) -> None:
        tabs = self._window.tabs
        tabs.removeTab(tabs.indexOf(panel))
        self._open.keep_value([each for each in self._open.get_value() if each != ident])

    def _put_in_tab(self, panel: QWidget, title: str, ident: str) -> None:
        tabs = self._window.tabs
        if tabs.indexOf(panel) >= 0:
            return
        index = tabs.addTab(panel, title)
        self._open.keep_value(list(dict.fromkeys([*self._open.get_value(), ident])))
        button = QToolButton()
        button.setProperty("variant", "plain")
        button.setIcon(self._theme.icon("close"))
        button.setToolTip(_("Close {title}").format(title=title))
        button.setAccessibleName(_("Close {title}").format(title=title))
        button.clicked.connect(lambda: self._close(panel, ident))
        tabs.tabBar().setTabButton(index, QTabBar.ButtonPosition.RightSide, button)

    def _log(self) -> "ResearchLog | None":
        if self._database is None:
            return None
        from oddsdesk.desk.shell.log_research import DatabaseResearch  # noqa: PLC0415

        basis = self._board.basis
        by = close_by(self._preferences.get_setting)
        return DatabaseResearch(
            self._database, basis.profiles, basis.mine, basis.method, by, self._clock, basis.derived
        )

    def _on_theme_changed(self) -> None:
        bar = self._window.tabs.tabBar()
        for panel in (self._backtest, self._scorecards, self._results):
            index = -1 if panel is None else self._window.tabs.indexOf(panel)
            button = bar.tabButton(index, QTabBar.ButtonPosition.RightSide) if index >= 0 else None
            if isinstance(button, QToolButton):
                button.setIcon(self._theme.icon("close"))
