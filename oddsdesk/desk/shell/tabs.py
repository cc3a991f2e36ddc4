"""The open games, in tabs or separate windows."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from PySide6.QtCore import QByteArray, QObject, Qt, Signal
from PySide6.QtGui import QCloseEvent, QIcon
from PySide6.QtWidgets import QApplication, QTabBar, QTabWidget, QToolButton, QWidget

from oddsdesk.base.texts import _
from oddsdesk.board.model.matrix import RowKey
from oddsdesk.desk.shell.messages import TroubleStrip
from oddsdesk.desk.shell.window import focus_within, holds_focus, step_focus
from oddsdesk.desk.ui.controls.labels import literal, literal_title
from oddsdesk.desk.ui.spacing import GAP, STEP, horizontal, vertical
from oddsdesk.desk.ui.theme.theme import Theme

_SIZE = (1_000, 640)


class GameWindow(QWidget):
    """A separate window for a game."""

    closed = Signal()
    """The user closed it."""

    def __init__(self, title: str, panel: QWidget) -> None:
        super().__init__()
        self.setWindowTitle(literal_title(f"{title} – oddsdesk"))
        self.panel = panel
        self.strip: TroubleStrip | None = None
        self._column = vertical(self, spacing=0)
        self._column.addWidget(panel, 1)
        panel.show()
        available = self.screen().availableGeometry()
        self.resize(min(_SIZE[0], available.width()), min(_SIZE[1], available.height()))

    def put_signs(self, badge: QWidget, strip: TroubleStrip) -> None:
        """Add the badge above the game and the message strip below it."""
        line = horizontal(margins=(GAP, STEP, GAP, 0))
        line.addWidget(badge)
        line.addStretch(1)
        self._column.insertLayout(0, line)
        self._column.addWidget(strip)
        self.strip = strip

    def close_window(self) -> None:
        """Close the window; the caller moves or closes the panel."""
        if self.strip is not None:
            self.strip.close_panel()
        self.hide()
        self.deleteLater()

    # Qt's virtuals

    def focusNextPrevChild(self, forward: bool) -> bool:
        parts = [self.panel] if self.strip is None else [self.panel, self.strip]
        return step_focus(parts, forward=forward)

    def closeEvent(self, event: QCloseEvent) -> None:
        event.accept()
        self.closed.emit()


class GameTabs(QObject):
    """Opens and closes games, with at most one panel for each."""

    game_opened = Signal(str)
    """A game was opened and should be kept up to date."""
    game_closed = Signal(str)
    """A game was closed."""
    current_game_changed = Signal(str)
    """The id of the front game; empty if there is none."""
    window_made = Signal(object)
    """A ``GameWindow`` that is about to be shown."""

    def __init__(
        self, tabs: QTabWidget, theme: Theme, make_panel: Callable[[str], QWidget]
    ) -> None:
        super().__init__(tabs)
        self._tabs = tabs
        self._theme = theme
        self._make_panel = make_panel
        self._games: dict[str, QWidget] = {}
        self._titles: dict[str, str] = {}
        self._windows: dict[str, GameWindow] = {}
        tabs.setElideMode(Qt.TextElideMode.ElideRight)
        tabs.tabBar().setSelectionBehaviorOnRemove(QTabBar.SelectionBehavior.SelectPreviousTab)
        tabs.currentChanged.connect(self._on_tabs_current_changed)
        theme.changed.connect(self._on_theme_changed)

    @property
    def open_games(self) -> list[str]:
        """The ids of the open games in tab order; those in windows come last."""
        in_tabs = [self._game_at(index) for index in range(self._tabs.count())]
        return [game for game in in_tabs if game is not None] + list(self._windows)

    def active(self) -> str | None:
        """Return the game of the active window."""
        active = QApplication.activeWindow()
        for game_id, window in self._windows.items():
            if window is active:
                return game_id
        return self.in_front()

    def in_front(self) -> str | None:
        """Return the game in the front tab."""
        return self._game_at(self._tabs.currentIndex())

    def title_of_game(self, game_id: str) -> str:
        """Return the title of an open game."""
        return self._titles[game_id]

    def panel(self, game_id: str) -> QWidget:
        return self._games[game_id]

    def active_panel(self) -> QWidget | None:
        game_id = self.active()
        return None if game_id is None else self._games[game_id]

    def open_game(self, game_id: str, title: str) -> None:
        """Bring a game to the front, replacing the game in the front tab."""
        if self._bring_to_front(game_id):
            return
        index = self._tabs.currentIndex()
        shown = self._game_at(index)
        if shown is None:
            self.open_in_new_tab(game_id, title)
            return
        self._add(index + 1, game_id, title)
        self.close_game(shown)

    def open_in_new_tab(self, game_id: str, title: str, *, in_front: bool = True) -> None:
        """Open a game in a new tab after the other games."""
        if not (in_front and self._bring_to_front(game_id)) and game_id not in self._games:
            in_tabs = len(self._games) - len(self._windows)
            self._add(in_tabs, game_id, title, in_front=in_front)

    def order_tabs(self, order: Sequence[str]) -> None:
        """Sort the game tabs in this order; others come last."""
        bar = self._tabs.tabBar()
        in_tabs = [game_id for game_id in order if self._is_in_tab(game_id)]
        for index, game_id in enumerate(in_tabs):
            bar.moveTab(self._tabs.indexOf(self._games[game_id]), index)

    def window_geometry(self, game_id: str) -> QByteArray | None:
        """Return the geometry of an open game's window; None for a tab."""
        window = self._windows.get(game_id)
        return None if window is None else window.saveGeometry()

    def detach(self, game_id: str, geometry: QByteArray | None = None) -> None:
        """Move a game from its tab to a separate window, or back.

        With ``geometry`` the window is restored there without taking the focus.
        """
        panel, window = self._games[game_id], self._windows.pop(game_id, None)
        with self._theme.keeping_fonts(panel):
            if window is None:
                self._put_in_window(game_id, geometry)
            else:
                self._put_in_tab(len(self._games) - len(self._windows) - 1, game_id)
                window.close_window()
                self._tabs.window().activateWindow()
        if geometry is None:
            focus_within(panel)

    def replace(self, game_id: str, other: str, title: str) -> None:
        """Replace a game by another one, if it is open."""
        if game_id not in self._games:
            return
        panel, window = self._games[game_id], self._windows.get(game_id)
        index, had_focus = self._tabs.indexOf(panel), holds_focus(panel)
        in_front = window is None and index == self._tabs.currentIndex()
        if other not in self._games:
            self._add(index + 1 or self._tabs.count(), other, title, in_front=in_front)
            if window is not None:
                self.detach(other)
                self._windows[other].setGeometry(window.geometry())
        elif in_front:
            self._bring_to_front(other)
        self.close_game(game_id)
        if had_focus:
            focus_within(self._games[other])

    def close_game(self, game_id: str) -> None:
        panel = self._games.pop(game_id)
        del self._titles[game_id]
        window = self._windows.pop(game_id, None)
        if window is None:
            self._tabs.removeTab(self._tabs.indexOf(panel))
        else:
            window.close_window()
        panel.close_panel()  # type: ignore[attr-defined]
        panel.deleteLater()
        self.game_closed.emit(game_id)

    def close_active(self) -> None:
        """Close the game of the active window, if it shows one."""
        game_id = self.active()
        if game_id is not None:
            self.close_game(game_id)

    def close_all(self) -> None:
        for game_id in list(self._games):
            self.close_game(game_id)

    def _is_in_tab(self, game_id: str) -> bool:
        return game_id in self._games and game_id not in self._windows

    def _bring_to_front(self, game_id: str) -> bool:
        if game_id in self._windows:
            self._windows[game_id].raise_()
            self._windows[game_id].activateWindow()
        elif game_id in self._games:
            self._tabs.setCurrentWidget(self._games[game_id])
        return game_id in self._games

    def _add(self, index: int, game_id: str, title: str, *, in_front: bool = True) -> None:
        self._games[game_id] = self._make_panel(game_id)
        self._titles[game_id] = title
        self._put_in_tab(index, game_id, in_front=in_front)
        self.game_opened.emit(game_id)

    def _put_in_window(self, game_id: str, geometry: QByteArray | None) -> None:
        panel = self._games[game_id]
        self._tabs.removeTab(self._tabs.indexOf(panel))
        window = self._windows[game_id] = GameWindow(self._titles[game_id], panel)
        self.window_made.emit(window)
        window.closed.connect(lambda: self._on_window_closed(game_id))
        if geometry is not None:
            window.restoreGeometry(geometry)
            window.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        window.show()

    def _put_in_tab(self, index: int, game_id: str, *, in_front: bool = True) -> None:
        panel, title = self._games[game_id], self._titles[game_id]
        index = self._tabs.insertTab(index, panel, literal(title))
        self._tabs.setTabToolTip(index, title)
        button = QToolButton()
        button.setProperty("variant", "plain")
        button.setIcon(self._close_icon())
        button.setToolTip(_("Close this game (Ctrl+W)"))
        button.setAccessibleName(_("Close {title}").format(title=title))
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        button.clicked.connect(lambda: self.close_game(game_id))
        self._tabs.tabBar().setTabButton(index, QTabBar.ButtonPosition.RightSide, button)
        if in_front:
            self._tabs.setCurrentIndex(index)

    def _close_icon(self) -> QIcon:
        return self._theme.icon("close")

    def _game_at(self, index: int) -> str | None:
        widget = self._tabs.widget(index)
        return next((game for game, panel in self._games.items() if panel is widget), None)

    def _on_tabs_current_changed(self, index: int) -> None:
        game_id = self._game_at(index)
        if game_id is not None and holds_focus(self._games[game_id]):
            focus_within(self._games[game_id])
        self.current_game_changed.emit(game_id or "")

    def _on_window_closed(self, game_id: str) -> None:
        if game_id in self._windows:
            self.close_game(game_id)

    def _on_theme_changed(self) -> None:
        bar = self._tabs.tabBar()
        for panel in self._games.values():
            button = bar.tabButton(self._tabs.indexOf(panel), QTabBar.ButtonPosition.RightSide)
            if isinstance(button, QToolButton):
                button.setIcon(self._close_icon())


class KeptPlace:
    """Remembers the selected price, the front tab and the focus while games are reloaded."""

    def __init__(self, games: GameTabs) -> None:
        self._games = games
        self.selected: RowKey | None = None
        """The price selected last."""
        self.was_elsewhere = False
        """Whether the front tab was no game when the games were closed."""
        self._keyboard_at: QWidget | None = None
        """Where Qt moved the focus when the focused game was closed; None if no game had it."""

    @contextmanager
    def closing_games(self, *, had_games: bool) -> Iterator[None]:
        """Note where the user is, around a block that closes the games."""
        self.was_elsewhere = had_games and self._games.in_front() is None
        panel = self._games.active_panel()
        had_keyboard = panel is not None and holds_focus(panel)
        yield
        self._keyboard_at = QApplication.focusWidget() if had_keyboard else None

    def give_keyboard_back(self) -> None:
        """Focus the front game, unless the user has moved the focus since."""
        panel = self._games.active_panel()
        if panel and self._keyboard_at and self._keyboard_at is QApplication.focusWidget():
            panel.setFocus(Qt.FocusReason.OtherFocusReason)
