"""The composition root: builds connection, board and window and passes each what it needs."""

import asyncio
import gc
import logging
from collections.abc import Iterator
from functools import partial
from typing import Final

import msgspec
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication

from oddsdesk import __version__
from oddsdesk.board.board import Board
from oddsdesk.board.history_source import PriceLog
from oddsdesk.clock import MomentClock, system_clock
from oddsdesk.desk.bookmakers.controller import BookmakersController
from oddsdesk.desk.connections.manager import ConnectionManager
from oddsdesk.desk.connections.profiles import EMBEDDED_NAME, Profile, Profiles, RemoteProfile
from oddsdesk.desk.connections.secrets import Secrets
from oddsdesk.desk.connections.sessions import (
    InUseError,
    MissingKeyError,
    RemoteSession,
    ServiceSession,
    SessionError,
)
from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.declared import (
    AT_START,
    COLOUR_BLIND,
    FLASH,
    METHOD,
    MINE,
    REFERENCE,
    SCHEME,
    close_by,
)
from oddsdesk.desk.settings.kinds import Whole
from oddsdesk.desk.settings.preferences import Preferences
from oddsdesk.desk.settings.saved_state import Layout
from oddsdesk.desk.shell.assembly import Desk
from oddsdesk.desk.shell.closing_lines import ClosingLineWriter, ReadLog
from oddsdesk.desk.shell.connections import Connections
from oddsdesk.desk.shell.dialogs import DeskDialogs
from oddsdesk.desk.shell.embedding import (
    EmbeddedSession,
    GuestSession,
    database_here,
    service_of,
)
from oddsdesk.desk.shell.introduction import Introduction
from oddsdesk.desk.shell.local_server import closes_in
from oddsdesk.desk.shell.looking_back import LookingBack
from oddsdesk.desk.shell.loop import Garbage, run_on_qt
from oddsdesk.desk.shell.messages import log_connection
from oddsdesk.desk.shell.opening_the_past import PastOpener
from oddsdesk.desk.ui.local_server import LocalServer, LocalServerError
from oddsdesk.desk.ui.theme.theme import Scheme, Theme
from oddsdesk.ending import Ending
from oddsdesk.places import default_ledger, settings_folder
from oddsdesk.slices import in_slices
from oddsdesk.tasks import spawn, stop


class Revaluation:
    """Has a board judge all its prices anew, some milliseconds at a time."""

    def __init__(self) -> None:
        self._task: asyncio.Task[None] | None = None

    def __call__(self, steps: Iterator[None]) -> None:
        """Go through the steps in place of those that are on their way."""
        if self._task is not None:
            self._task.cancel()
        self._task = spawn("judging prices anew", in_slices(steps))


class Effects(QObject):
    """Applies changed settings: of style to the theme, of prices to board and server."""

    method_changed = Signal(str)
    """True EV rests on another devig method now."""
    bookmakers_changed = Signal()
    """Others are the user's bookmakers now."""

    def __init__(self, preferences: Preferences, theme: Theme, board: Board) -> None:
        super().__init__()
        self._preferences = preferences
        self._theme = theme
        self._board = board
        theme.flashes = preferences.get(FLASH)
        preferences.changed.connect(self._on_preferences_changed)

    def _on_preferences_changed(self, key: str) -> None:
        get = self._preferences.get
        if key in (SCHEME.key, COLOUR_BLIND.key):
            self._theme.choose(Scheme(get(SCHEME)), colour_blind=get(COLOUR_BLIND))
        elif key == FLASH.key:
            self._theme.flashes = get(FLASH)
        elif key == METHOD.key:
            self._board.set_method(get(METHOD))
            self.method_changed.emit(get(METHOD))
        elif key == REFERENCE.key:
            self._board.choose_reference(get(REFERENCE))
        elif key == MINE.key:
            self._board.set_bookmakers(get(MINE))
            self.bookmakers_changed.emit()


KEEP_DAYS_KEY: Final = "server/keep_days"
"""What a desk up to 0.1 kept it under; a database holds it now (D76)."""
_DAYS: Final = Whole(1, 3_650)

_log = logging.getLogger(__name__)


class OldRetention(QObject):
    """Moves the retention that an older desk kept to the first database served that has none.

    Done once: from then on each database has its own.
    """

    def __init__(self, layout: Layout, manager: ConnectionManager) -> None:
        super().__init__()
        self._layout = layout
        self._manager = manager
        manager.entered.connect(self._on_manager_entered)

    def _on_manager_entered(self) -> None:
        session = self._manager.session
        word = self._layout.get(KEEP_DAYS_KEY, "")
        if word and session is not None and session.local is not None:
            spawn("hand over retention", self._hand_over(session.local, word))

    async def _hand_over(self, server: LocalServer, word: str) -> None:
        try:
            handed_over = await server.adopt_keep_days(_DAYS.read(word))
        except ValueError as error:
            _log.warning("setting %s: %s; it is forgotten", KEEP_DAYS_KEY, error)
            handed_over = True
        except LocalServerError as error:
            _log.info(
                "setting %s waits for a database that can be written: %s", KEEP_DAYS_KEY, error
            )
            return
        if handed_over:
            self._layout.remove(KEEP_DAYS_KEY)


class Start(msgspec.Struct, frozen=True):
    """What the command line asked for; a profile of None leaves it to the settings."""

    profile: Profile | None = None
    devig_method: str | None = None
    """For true EV, this time; None as the settings say."""


class Root:
    """What exists as long as the program: settings, saved connections, keys."""

    def __init__(self, start: Start) -> None:
        self.layout = Layout()
        self.preferences = Preferences(self.layout)
        self.profiles = Profiles(settings_folder())
        self.secrets = Secrets(settings_folder())
        self.method = start.devig_method or self.preferences.get(METHOD)
        self.was_asked = start.profile is not None
        self.first = self._first_session(start.profile or self._usual_profile())

    def make_session(self, profile: Profile) -> ServiceSession:
        """Return a connection that has to answer before it is used."""
        if isinstance(profile, RemoteProfile):
            return RemoteSession(profile, self.secrets, asks_first=True)
        if profile.guest:
            return GuestSession(profile, system_clock)
        return EmbeddedSession(profile, system_clock)

    def _usual_profile(self) -> Profile:
        if self.preferences.get(AT_START) == "last":
            return self.profiles.last
        return self.profiles.find(EMBEDDED_NAME)

    def _first_session(self, profile: Profile) -> ServiceSession:
        """Return the first connection: a server starts beside Qt, a remote one may be away."""
        if isinstance(profile, RemoteProfile):
            return RemoteSession(profile, self.secrets, asks_first=False)
        session = EmbeddedSession(profile, system_clock)
        session.begin()
        return session


def run_desk(start: Start) -> None:
    """Open the desk and return when it was closed.

    Raises:
        SessionError: the connection that was asked for cannot be had; one line.
    """
    gc.freeze()
    ending = Ending()
    ending.then(lambda: None)  # until there is a window to close
    ending.listen()
    root = Root(start)
    app = QApplication(["oddsdesk"])
    app.setApplicationName("oddsdesk")
    app.setApplicationVersion(__version__)
    app.setDesktopFileName("oddsdesk")
    garbage = Garbage(app)
    try:
        failure = run_on_qt(app, lambda: _run(app, root, ending, garbage))
    finally:
        ending.listen()  # the loop has let go of the signals, and a second one may come
    if failure is not None:
        raise SessionError(failure)


async def _run(app: QApplication, root: Root, ending: Ending, garbage: Garbage) -> str | None:
    """Return why there is no connection, None after a run; raising would keep widgets alive."""
    get = root.preferences.get
    theme = Theme(app, Scheme(get(SCHEME)), colour_blind=get(COLOUR_BLIND))
    clock = MomentClock()
    board = Board(clock, root.method, Revaluation())
    log_connection(board, system_clock)
    records = Records(default_ledger())
    desk = Desk(board, theme, root.layout, root.preferences, records, clock, clock.now)
    manager = ConnectionManager(board, clock, root.make_session)
    looking_back = LookingBack(manager, board, clock)
    desk.offer_past(looking_back)
    past_opener = PastOpener(looking_back, manager, board, clock.now)
    manager.left.connect(desk.reset)
    manager.entered.connect(desk.enter_service)
    desk.connect_reading(manager)
    manager.entered.connect(lambda: _tell_service(manager, desk))
    manager.entered.connect(lambda: desk.read_history(_price_log(manager), manager.client))
    closing = ClosingLineWriter(
        board, clock, records, desk.follow_games, partial(close_by, root.preferences.get)
    )
    root.preferences.changed.connect(closing.follow_again)
    fill_closes_from_log(closing, manager)
    desk.bets.then(lambda panel: panel.close_again_requested.connect(closing.close_again))
    closing.closed_again.connect(lambda text: desk.bets().say_closed_again(text))
    manager.entered.connect(lambda: desk.research.read(database_here(manager.session)))
    effects = Effects(root.preferences, theme, board)
    old_retention = OldRetention(root.layout, manager)
    effects.method_changed.connect(desk.status_bar.show_method)
    effects.bookmakers_changed.connect(desk.arrange_bookmakers)
    bookmakers = BookmakersController(theme, root.preferences, desk.window, board.bookmakers)
    board.set_profiles(bookmakers.profiles)
    board.set_bookmakers(get(MINE))
    board.choose_reference(get(REFERENCE))
    bookmakers.profiles_changed.connect(board.set_profiles)
    connections = _connections(desk, theme, manager, root, bookmakers, past_opener)
    connections.restored.connect(records.read_again)
    manager.entered.connect(desk.alerting.controller.read)
    desk.first_paint.painted.connect(partial(_prices_are_shown, manager))
    desk.late_panels.begun.connect(garbage.begin)
    importing = desk.around.actions["server.import"]
    introduction = Introduction(theme, board, root.preferences, importing)
    introduction.live_requested.connect(connections.get_live_odds)
    introduction.service_requested.connect(connections.add)
    desk.window.put_notice(introduction)
    try:
        return await _until_closed(desk, connections, root, ending)
    finally:
        desk.window.hide()
        await closing.close()
        await desk.alerting.controller.close()
        past_opener.close()
        await looking_back.close()
        await connections.close()
        introduction.close_panel()
        old_retention.deleteLater()
        desk.close()
        records.close()


def _tell_service(manager: ConnectionManager, desk: Desk) -> None:
    if manager.session is not None:
        desk.around.open_games.enter(service_of(manager.session))


def _prices_are_shown(manager: ConnectionManager) -> None:
    session = manager.session
    if session is not None and session.local is not None:
        session.local.prices_are_shown()


def fill_closes_from_log(closing: ClosingLineWriter, manager: ConnectionManager) -> None:
    """Have closing lines filled in from the log of each connection, also after a look back."""
    manager.entered.connect(lambda: closing.read_log(_closes(manager)))


def _closes(manager: ConnectionManager) -> ReadLog | None:
    database = database_here(manager.session)
    return None if database is None else partial(closes_in, database)


def _price_log(manager: ConnectionManager) -> PriceLog | None:
    session = manager.session
    return None if session is None or session.local is None else session.local.log


def _connections(
    desk: Desk,
    theme: Theme,
    manager: ConnectionManager,
    root: Root,
    bookmakers: BookmakersController,
    past_opener: PastOpener,
) -> Connections:
    dialogs = DeskDialogs(
        desk.window,
        theme,
        root.preferences,
        root.profiles,
        root.secrets,
        manager,
        system_clock,
        desk.around.reference.bookmakers,
    )
    desk.offer_settings(dialogs.open_settings)
    desk.offer_bookmakers(bookmakers)
    dialogs.bookmakers_requested.connect(bookmakers.open)
    dialogs.day_requested.connect(desk.navigator.day_requested)
    dialogs.past_imported.connect(past_opener.show_imported)
    connections = Connections(
        desk.window,
        desk.top_bar,
        desk.connections_menu,
        manager,
        root.profiles,
        dialogs,
        desk.around.actions,
        desk.around.palette,
    )
    desk.offer_server(connections.live_here)
    return connections


async def _until_closed(
    desk: Desk, connections: Connections, root: Root, ending: Ending
) -> str | None:
    closed = asyncio.Event()
    desk.window.closed.connect(closed.set)
    desk.window.closed.connect(ending.limit)
    desk.window.restore()
    desk.window.show()
    ending.listen_on(asyncio.get_running_loop())
    ending.then(desk.window.quit)
    ended = spawn("desk: closed", closed.wait())
    opening = spawn("desk: first connection", connections.open(root.first))
    await asyncio.wait([ended, opening], return_when=asyncio.FIRST_COMPLETED)
    if opening.done() and opening.exception() is None and (error := opening.result()) is not None:
        if root.was_asked and not isinstance(error, InUseError | MissingKeyError):
            return str(error)  # of the others, the window offers a way on
        connections.tell(root.first.profile, error)
    await ended
    await stop(opening)
    return None
