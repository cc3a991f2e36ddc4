"""The tabs of the centre: one a game, and the odds grid."""

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QTabBar, QTabWidget, QToolButton, QWidget

from oddsdesk.desk.theme.theme import Theme


class GameTabs(QObject):
    """Opens and closes games in tabs; at most one tab a game."""

    game_opened = Signal(str)
    """A game is shown now and wants to be kept current."""
    game_closed = Signal(str)
    """A game is shown no more."""
    current_game_changed = Signal(str)
    """The id of the game in front; empty where no game is."""

    def __init__(
        self, tabs: QTabWidget, theme: Theme, make_panel: Callable[[str], QWidget]
    ) -> None:
        super().__init__(tabs)
        self._tabs = tabs
        self._theme = theme
        self._make_panel = make_panel
        self._games: dict[str, QWidget] = {}
        tabs.currentChanged.connect(self._on_tabs_current_changed)
        theme.changed.connect(self._on_theme_changed)

    def open(self, game_id: str, title: str) -> None:
        """Bring a game to the front, in the tab in front if that shows a game."""
        if game_id in self._games:
            self._tabs.setCurrentWidget(self._games[game_id])
            return
        index = self._tabs.currentIndex()
        shown = self._game_at(index)
        if shown is None:
            self.open_beside(game_id, title)
            return
        self._add(index + 1, game_id, title)
        self.close(shown)

    def open_beside(self, game_id: str, title: str) -> None:
        """Bring a game to the front in a tab of its own, after the other games."""
        if game_id in self._games:
            self._tabs.setCurrentWidget(self._games[game_id])
            return
        self._add(len(self._games), game_id, title)

    def close(self, game_id: str) -> None:
        """Close a game's tab."""
        panel = self._games.pop(game_id)
        self._tabs.removeTab(self._tabs.indexOf(panel))
        panel.close_panel()  # type: ignore[attr-defined]
        panel.deleteLater()
        self.game_closed.emit(game_id)

    def close_current(self) -> None:
        """Close the tab in front, if it shows a game."""
        game_id = self._game_at(self._tabs.currentIndex())
        if game_id is not None:
            self.close(game_id)

    def close_all(self) -> None:
        """Close every game."""
        for game_id in list(self._games):
            self.close(game_id)

    @property
    def count(self) -> int:
        """How many games are open."""
        return len(self._games)

    def _add(self, index: int, game_id: str, title: str) -> None:
        panel = self._make_panel(game_id)
        self._games[game_id] = panel
        index = self._tabs.insertTab(index, panel, title)
        button = QToolButton()
        button.setProperty("look", "plain")
        button.setIcon(self._close_icon())
        button.setToolTip("Close this game (Ctrl+W)")
        button.setAccessibleName(f"Close {title}")
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        button.clicked.connect(lambda: self.close(game_id))
        self._tabs.tabBar().setTabButton(index, QTabBar.ButtonPosition.RightSide, button)
        self._tabs.setCurrentIndex(index)
        self.game_opened.emit(game_id)

    def _close_icon(self) -> QIcon:
        return self._theme.icon("close")

    def _game_at(self, index: int) -> str | None:
        widget = self._tabs.widget(index)
        return next((game for game, panel in self._games.items() if panel is widget), None)

    def _on_tabs_current_changed(self, index: int) -> None:
        self.current_game_changed.emit(self._game_at(index) or "")

    def _on_theme_changed(self) -> None:
        for panel in self._games.values():
            bar = self._tabs.tabBar()
            button = bar.tabButton(self._tabs.indexOf(panel), QTabBar.ButtonPosition.RightSide)
            if isinstance(button, QToolButton):
                button.setIcon(self._close_icon())
