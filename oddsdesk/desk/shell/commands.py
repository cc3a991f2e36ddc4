"""Binds the declared actions of the whole desk: window, tabs, navigator, style and help."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QWidget

from oddsdesk.desk.navigator.favourites import Favourites
from oddsdesk.desk.navigator.panel import Navigator
from oddsdesk.desk.settings.declared import COLOUR_BLIND, SCHEME, TEXT_SIZE
from oddsdesk.desk.settings.kinds import Whole
from oddsdesk.desk.settings.preferences import Preferences
from oddsdesk.desk.shell.bug_report import BugReportDialog, BugReports
from oddsdesk.desk.shell.tabs import GameTabs
from oddsdesk.desk.shell.top_bar import TopBar
from oddsdesk.desk.shell.window import MainWindow, focus_within
from oddsdesk.desk.ui.actions import Actions
from oddsdesk.desk.ui.declared_actions import Where
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import TextRole


class TextSize(QObject):
    """Keeps the theme at the size that is set."""

    changed = Signal(int, int)
    """Texts were written in the first size until now, in percent, and are in the second."""

    def __init__(self, preferences: Preferences, theme: Theme) -> None:
        super().__init__()
        self._preferences = preferences
        self._theme = theme
        preferences.changed.connect(self._on_preferences_changed)
        theme.zoom(preferences.get(TEXT_SIZE))

    def step(self, steps: int) -> None:
        """Write larger, or smaller where ``steps`` is negative, as far as it goes."""
        kind = TEXT_SIZE.kind
        assert isinstance(kind, Whole)
        wanted = self._preferences.get(TEXT_SIZE) + steps * kind.step
        self._preferences.put(TEXT_SIZE, max(kind.least, min(kind.most, wanted)))

    def reset(self) -> None:
        """Write as large as the desk was made for."""
        self._preferences.put(TEXT_SIZE, TEXT_SIZE.default)

    def _on_preferences_changed(self, key: str) -> None:
        if key == TEXT_SIZE.key:
            before, now = self._theme.text_size, self._preferences.get(TEXT_SIZE)
            self._theme.zoom(now)
            self.changed.emit(before, now)


_MENU = (
    ("go.filter", "go.favourites", "go.grid", "go.next_tab", "go.previous_tab"),
    ("game.favourite", "game.detach", "game.close"),
    ("view.full_screen", "view.larger", "view.smaller", "view.normal"),
    ("help.keys", "help.report"),
)


class Commands(QObject):
    """Binds the actions of the whole desk and fills the menu with them."""

    def __init__(
        self,
        window: MainWindow,
        actions: Actions,
        theme: Theme,
        preferences: Preferences,
        favourites: Favourites,
        bugs: BugReports,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._actions = actions
        self._theme = theme
        self._preferences = preferences
        self._favourites = favourites
        self._bugs = bugs
        self.text_size = TextSize(preferences, theme)
        self.text_size.changed.connect(window.rooms.fit)
        self._bind_view()
        bugs.caught.connect(self._on_bugs_caught)

    def bind_games(
        self, games: GameTabs, navigator: Navigator, grid: Callable[[], QWidget]
    ) -> None:
        """Let actions reach the open games and the navigator."""
        bind, window = self._actions.bind, self._window
        bind("go.filter", navigator.focus_filter)
        bind("go.favourites", navigator.toggle_favourites)
        bind("go.grid", lambda: show_tab(window, grid()))
        bind("go.next_tab", lambda: self._turn(1))
        bind("go.previous_tab", lambda: self._turn(-1))
        bind("game.favourite", lambda: self._on_active(games, self._favourites.toggle))
        bind("game.detach", lambda: self._on_active(games, games.detach))
        bind("game.close", games.close_active)
        self._actions.register_context(Where.MATRIX, games.active_panel)
        games.current_game_changed.connect(lambda _game_id: self._enable_matrix(games))
        self._enable_matrix(games)

    def fill_menu(self, top_bar: TopBar) -> None:
        """Put the bound actions into the menu."""
        menu = self._window.menu
        self._actions.bind("app.menu", top_bar.open_menu)
        self._actions.bind("app.quit", self._window.quit)
        for idents in _MENU:
            menu.addSeparator()
            for ident in idents:
                menu.addAction(self._actions[ident])
        self._window.end_menu(self._actions["app.quit"])

    def _bind_view(self) -> None:
        bind, window, put = self._actions.bind, self._window, self._preferences.put
        bind("go.next_panel", lambda: window.turn_panel(1))
        bind("go.previous_panel", lambda: window.turn_panel(-1))
        bind("view.full_screen", self._toggle_full_screen)
        bind("view.larger", lambda: self.text_size.step(1))
        bind("view.smaller", lambda: self.text_size.step(-1))
        bind("view.normal", self.text_size.reset)
        for scheme in ("system", "light", "dark"):
            bind(f"view.{scheme}", partial(put, SCHEME, scheme))
        bind(
            "view.colour_blind",
            lambda: put(COLOUR_BLIND, not self._preferences.get(COLOUR_BLIND)),
        )
        bind("help.keys", self._show_keys)
        bind("help.report", self._show_report)

    def _enable_matrix(self, games: GameTabs) -> None:
        self._actions.enable(Where.MATRIX, games.active() is not None, "Open a game first.")

    def _turn(self, step: int) -> None:
        tabs = self._window.tabs
        tabs.setCurrentIndex((tabs.currentIndex() + step) % tabs.count())

    def _on_active(self, games: GameTabs, act: Callable[[str], object]) -> None:
        game_id = games.active()
        if game_id is not None:
            act(game_id)

    def _toggle_full_screen(self) -> None:
        self._window.setWindowState(self._window.windowState() ^ Qt.WindowState.WindowFullScreen)

    def _show_keys(self) -> None:
        from oddsdesk.desk.shell.key_list import KeysDialog  # noqa: PLC0415 - late

        KeysDialog(self._theme, self._window).open()

    def _show_report(self) -> None:
        BugReportDialog(self._bugs.text(), self._window).open()

    def _on_bugs_caught(self) -> None:
        self._window.say(
            "Something unexpected happened; the desk goes on.",
            icon="warning",
            ink=TextRole.DOWN,
            action="Report…",
            act=self._show_report,
        )


def show_tab(window: MainWindow, part: QWidget) -> None:
    """Bring a tab to the front, with the keyboard in its table."""
    window.reveal(part)
    focus_within(part)
