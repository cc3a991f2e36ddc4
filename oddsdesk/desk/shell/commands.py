"""Binds the actions of the whole desk, fills the menu, and makes bug reports."""

import logging
import platform
import re
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from types import TracebackType
from typing import Final, NamedTuple

import PySide6
from PySide6 import QtWidgets
from PySide6.QtCore import QObject, Qt, Signal, qVersion
from PySide6.QtGui import QAction

from oddsdesk import __version__
from oddsdesk.base.places import home_folder
from oddsdesk.base.texts import _
from oddsdesk.desk.navigator.model import Favourites
from oddsdesk.desk.navigator.panel import Navigator
from oddsdesk.desk.settings.declared import COLOUR_BLIND, SCHEME, TEXT_SIZE, Whole
from oddsdesk.desk.settings.saved_state import Preferences
from oddsdesk.desk.shell.tabs import GameTabs
from oddsdesk.desk.shell.top_bar import TopBar
from oddsdesk.desk.shell.window import MainWindow, focus_within
from oddsdesk.desk.ui.actions import BY_IDENT, Actions, Where, keys_text
from oddsdesk.desk.ui.controls.dialogs import Dialog
from oddsdesk.desk.ui.controls.labels import Label
from oddsdesk.desk.ui.spacing import GAP, STEP, vertical
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.network.secrets import without_keys

_MOST = 20
_MOST_FRAMES = 40
_PLATFORM_FOLDER = r'File "[^"]*?(?=(?:oddsdesk|site-packages|python3[.\d]*)[/\\])'
_OTHER_FOLDER = r'File "(?:/|[A-Za-z]:\\)[^"]*[/\\](?=[^"/\\]*")'
_SECRETS = (
    r"(?i)(bearer\s+|(?:api[_-]?key|token|password|secret)[\"']?\s*[=:]\s*[\"']?)[^\s\"',&}]+",
    r"(?i)(://)[^/@\s]+(?=@)",
    r"(?i)(://(?:[^/@\s]+@)?)(?!localhost\b|127\.|\[::1\])(?:\[[^\]\s]*|[^/\s:\"',?#)>\]]+)",
    r"\b()[A-Za-z0-9_-]{32,}\b",
)

_log = logging.getLogger(__name__)


class BugReports(QObject):
    """Collects all errors logged with a traceback, on any thread."""

    caught = Signal()
    """Another error was added; emitted on the object's thread."""
    _logged = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._errors: deque[str] = deque(maxlen=_MOST)
        self._handler = _Handler(self._logged.emit)
        self._logged.connect(self._on_logged)

    def install(self) -> None:
        """Start collecting errors in slots, threads and tasks."""
        logging.getLogger().addHandler(self._handler)
        sys.excepthook = _on_exception
        threading.excepthook = _on_thread_exception

    def uninstall(self) -> None:
        """Stop listening."""
        logging.getLogger().removeHandler(self._handler)
        sys.excepthook = sys.__excepthook__
        threading.excepthook = threading.__excepthook__

    def report_text(self) -> str:
        """Return the report: versions and errors, without keys, tokens, addresses and folders."""
        errors = "\n\n".join(self._errors) or "No unexpected errors since the start."
        return f"{versions_text()}\n\n{errors}\n"

    def _on_logged(self, text: str) -> None:
        self._errors.append(text)
        self.caught.emit()


class _Handler(logging.Handler):
    """Passes errors with a traceback to the window's thread."""

    def __init__(self, report: Callable[[str], None]) -> None:
        super().__init__(logging.ERROR)
        self._report = report

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info is not None and record.exc_info[1] is not None:
            self._report(error_text(record))


def versions_text() -> str:
    """Return the versions of program, Python, Qt and system in one line."""
    return (
        f"oddsdesk {__version__} · Python {platform.python_version()} · Qt {qVersion()} · "
        f"PySide6 {PySide6.__version__} · {platform.platform(terse=True)}"
    )


def error_text(record: logging.LogRecord) -> str:
    """Return an error formatted for the report."""
    assert record.exc_info is not None
    lines = traceback.format_exception(*record.exc_info, limit=-_MOST_FRAMES)
    at = datetime.fromtimestamp(record.created, UTC)
    head = f"{at:%Y-%m-%d %H:%M:%S} UTC, {record.name}: {record.getMessage()}"
    return without_secrets(f"{head}\n{''.join(lines)}".rstrip())


def without_secrets(text: str) -> str:
    """Return a text without the user's folders, hosts, keys, tokens and passwords."""
    text = re.sub(_PLATFORM_FOLDER, 'File "', without_keys(text))
    text = re.sub(_OTHER_FOLDER, 'File "', text)
    home = home_folder()
    if home is not None and home != home.parent:
        text = text.replace(str(home), "~")
    for pattern in _SECRETS:
        text = re.sub(pattern, r"\1[removed]", text)
    return text


def _on_exception(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    if issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)
        return
    _log.error("unexpected error", exc_info=(kind, error, trace))


def _on_thread_exception(hooked: threading.ExceptHookArgs) -> None:
    if hooked.exc_value is None or hooked.exc_type is SystemExit:
        return
    name = hooked.thread.name if hooked.thread is not None else "?"
    _log.error("unexpected error in thread %s", name, exc_info=hooked.exc_value)


_SIZE = (720, 520)


class BugReportDialog(Dialog):
    """Shows the report to copy; it is never sent by itself."""

    def __init__(self, text: str, parent: QtWidgets.QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(_("Bug report"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(*_SIZE)
        said = Label(
            _(
                "Above the line, say what you did and what you expected. Then copy the "
                "text into a new issue of the project. Keys, tokens and folders have "
                "been removed."
            ),
            wordWrap=True,
        )
        said.setProperty("variant", "soft")
        self.report = QtWidgets.QPlainTextEdit(
            _("What I did:\n\nWhat I expected:") + f"\n\n---\n{text}"
        )
        self.report.setAccessibleName(_("Bug report"))
        self.report.setTabChangesFocus(True)
        self._copy = QtWidgets.QPushButton(_("Copy"))
        self._copy.setDefault(True)
        self._copy.clicked.connect(self._on_copy_clicked)
        close = QtWidgets.QPushButton(_("Close"))
        close.clicked.connect(self.reject)
        buttons = QtWidgets.QHBoxLayout()
        buttons.addStretch()
        buttons.addWidget(self._copy)
        buttons.addWidget(close)
        vertical(self, said, self.report, buttons, margins=(GAP, GAP, GAP, GAP), spacing=STEP)

    def _on_copy_clicked(self) -> None:
        QtWidgets.QApplication.clipboard().setText(self.report.toPlainText())
        self._copy.setText(_("Copied"))


class TextSize(QObject):
    """Applies the text size setting to the theme."""

    changed = Signal(int, int)
    """The old and the new text size, in percent."""

    def __init__(self, preferences: Preferences, theme: Theme) -> None:
        super().__init__()
        self._preferences = preferences
        self._theme = theme
        preferences.changed.connect(self._on_preferences_changed)
        theme.zoom(preferences.get_setting(TEXT_SIZE))

    def step(self, steps: int) -> None:
        """Change the text size by steps, within its limits."""
        kind = TEXT_SIZE.kind
        assert isinstance(kind, Whole)
        wanted = self._preferences.get_setting(TEXT_SIZE) + steps * kind.step
        self._preferences.keep_setting(TEXT_SIZE, max(kind.least, min(kind.most, wanted)))

    def reset_size(self) -> None:
        """Reset the text size."""
        self._preferences.keep_setting(TEXT_SIZE, TEXT_SIZE.default)

    def _on_preferences_changed(self, key: str) -> None:
        if key == TEXT_SIZE.key:
            before, now = self._theme.text_size, self._preferences.get_setting(TEXT_SIZE)
            self._theme.zoom(now)
            self.changed.emit(before, now)


class _Part(NamedTuple):
    """A part of the menu: a submenu, or without a title some lines of the menu itself."""

    title: str
    idents: tuple[str, ...] = ()
    places: tuple[Where, ...] = ()
    """Whose actions follow, all of them."""


_MENU: Final = (
    _Part("", ("server.live", "server.import", "server.open")),
    _Part("", ("connection.new", "connection.edit")),
    _Part("", ("go.grid", "go.bets", "go.backtest", "go.scorecards", "go.results")),
    _Part(_("Game"), ("game.favourite", "game.detach", "game.close"), (Where.MATRIX,)),
    _Part(_("Odds grid"), places=(Where.GRID,)),
    _Part(_("Value bets"), places=(Where.VALUES,)),
    _Part(_("Opportunities"), places=(Where.OPPORTUNITIES,)),
    _Part(_("Promotions"), places=(Where.PROMOTIONS,)),
    _Part(_("Bets"), places=(Where.BETS,)),
    _Part(_("Explain and history"), places=(Where.EXPLAIN, Where.HISTORY)),
    _Part(_("Research"), places=(Where.BACKTEST, Where.SCORECARDS, Where.RESULTS)),
    _Part(
        _("Past"),
        (
            *("past.day", "past.now", "past.play", "past.back", "past.forward", "past.faster"),
            *("past.slower", "past.kick_off", "past.largest", "past.newest", "past.line"),
        ),
    ),
    _Part(
        _("Go to"),
        (
            *("go.palette", "go.filter", "go.favourites", "go.next_tab", "go.previous_tab"),
            *("go.next_panel", "go.previous_panel"),
        ),
    ),
    _Part(
        _("View"),
        (
            *("view.full_screen", "view.larger", "view.smaller", "view.normal"),
            *("view.system", "view.light", "view.dark", "view.colour_blind"),
            *("layout.save", "layout.delete", "layout.first", "layout.export", "layout.import"),
        ),
    ),
    _Part("", ("alerts.rules",)),
    _Part("", ("app.bookmakers", "app.settings")),
    _Part("", ("help.keys", "help.report")),
    _Part("", ("app.quit",)),
)
"""All that the palette offers but games, presets and formats, which have their own buttons."""


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
        self.text_size.changed.connect(window.rooms.fit_panels)
        self._bind_view()
        bugs.caught.connect(self._on_bugs_caught)

    def bind_games(
        self, games: GameTabs, navigator: Navigator, grid: Callable[[], QtWidgets.QWidget]
    ) -> None:
        """Bind the actions on open games and the navigator."""
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
        """Have the menu offer every action."""
        self._actions.bind("app.menu", top_bar.open_menu)
        self._actions.bind("app.quit", self._window.quit)
        self._window.menu.aboutToShow.connect(self._on_menu_about_to_show)

    def _on_menu_about_to_show(self) -> None:
        """Fill the menu when it is first opened: by then everything is bound."""
        window, menu = self._window, self._window.menu
        menu.aboutToShow.disconnect(self._on_menu_about_to_show)
        menu.setToolTipsVisible(True)
        was_submenu = False
        for part in _MENU:
            if not part.title or not was_submenu:
                menu.addSeparator()
            if part.title and not was_submenu:
                menu.addMenu(window.panels_menu)
            was_submenu = bool(part.title)
            target = menu.addMenu(part.title) if part.title else menu
            target.setToolTipsVisible(True)
            target.addActions([self._in_menu(ident) for ident in self._idents_of(part)])

    def _idents_of(self, part: _Part) -> list[str]:
        offered = self._actions.offered()
        bound = {action.ident for action in offered}
        placed = [each.ident for where in part.places for each in offered if each.where is where]
        return [*(ident for ident in part.idents if ident in bound), *placed]

    def _in_menu(self, ident: str) -> QAction:
        """Return an action with its key written: Qt writes only keys that work everywhere."""
        action, declared = self._actions[ident], BY_IDENT[ident]
        if declared.where is not Where.ANYWHERE and (keys := keys_text(declared)):
            action.setText(f"{declared.title}\t{keys}")
        return action

    def _bind_view(self) -> None:
        bind, window, put = self._actions.bind, self._window, self._preferences.keep_setting
        bind("go.next_panel", lambda: window.turn_panel(1))
        bind("go.previous_panel", lambda: window.turn_panel(-1))
        bind("view.full_screen", self._toggle_full_screen)
        bind("view.larger", lambda: self.text_size.step(1))
        bind("view.smaller", lambda: self.text_size.step(-1))
        bind("view.normal", self.text_size.reset_size)
        for scheme in ("system", "light", "dark"):
            bind(f"view.{scheme}", partial(put, SCHEME, scheme))
        bind(
            "view.colour_blind",
            lambda: put(COLOUR_BLIND, not self._preferences.get_setting(COLOUR_BLIND)),
        )
        bind("help.keys", self._show_keys)
        bind("help.report", self._show_report)

    def _enable_matrix(self, games: GameTabs) -> None:
        self._actions.enable(Where.MATRIX, games.active() is not None, _("Open a game first."))

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
        BugReportDialog(self._bugs.report_text(), self._window).open()

    def _on_bugs_caught(self) -> None:
        self._window.show_message(
            _("An unexpected error occurred. oddsdesk keeps running."),
            icon="warning",
            ink=TextRole.DOWN,
            action=_("Report…"),
            act=self._show_report,
        )


def show_tab(window: MainWindow, part: QtWidgets.QWidget) -> None:
    """Bring a tab to the front and focus its table."""
    window.reveal(part)
    focus_within(part)
