"""The connection's menu and what it does: change, edit, test, and say what went wrong."""

import asyncio
import logging
from collections.abc import Awaitable, Coroutine, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu

from oddsdesk.contract.administration import FeedState
from oddsdesk.desk.connections.manager import ConnectionManager
from oddsdesk.desk.connections.profiles import (
    EMBEDDED_NAME,
    EmbeddedProfile,
    Profile,
    Profiles,
    RemoteProfile,
    encryption_warning,
)
from oddsdesk.desk.connections.sessions import (
    InUseError,
    MissingKeyError,
    ServiceSession,
    SessionError,
    UnencryptedError,
)
from oddsdesk.desk.shell.destinations import connection_entries
from oddsdesk.desk.shell.dialogs import DeskDialogs
from oddsdesk.desk.shell.palette import Palette
from oddsdesk.desk.shell.top_bar import TopBar
from oddsdesk.desk.shell.window import MainWindow
from oddsdesk.desk.ui.actions import Actions
from oddsdesk.desk.ui.controls.plain import literal
from oddsdesk.desk.ui.local_server import LocalServerError
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.desk.ui.time_format import moment_text
from oddsdesk.tasks import spawn, stop

_LIVE: Final = "server.live"
_OF_THE_SERVER: Final = ("server.open", "server.import")
_IDENTS: Final = (_LIVE, *_OF_THE_SERVER, "connection.new", "connection.edit")
_WORDS: Final = {
    _LIVE: ("Live odds", "recorded", "get live odds"),
    "server.open": ("Feeds, keys and backups", "kept", "open them"),
    "server.import": ("Imported files", "recorded", "import files"),
}
"""Of what takes a server of one's own: what it is about, what is done there, and how to."""

_MIB = 1 << 20

_REPLAY_MS = 1_000
"""How often the badge of a replay says which moment is played."""
_log = logging.getLogger(__name__)


class Connections(QObject):
    """Keeps menu, top bar and messages up to date with the connection."""

    restored = Signal()
    """A backup was restored, whose bets are in the user's records now."""

    def __init__(
        self,
        window: MainWindow,
        top_bar: TopBar,
        menu: QMenu,
        manager: ConnectionManager,
        profiles: Profiles,
        dialogs: DeskDialogs,
        actions: Actions,
        palette: Palette,
    ) -> None:
        super().__init__(window)
        self._actions = actions
        self._window = window
        self._top_bar = top_bar
        self._menu = menu
        self._manager = manager
        self._profiles = profiles
        self._dialogs = dialogs
        self._wanted: Profile | None = None
        self._switching: asyncio.Task[None] | None = None
        self._checking_feeds: asyncio.Task[None] | None = None
        self.live_here = QAction(self, enabled=False)
        """Gets live odds, enabled only where there is a server of one's own to record them."""
        self.live_here.triggered.connect(self.get_live_odds)
        self._replay_tick = QTimer(self, singleShot=True, interval=_REPLAY_MS)
        self._replay_tick.timeout.connect(self._check_feeds)
        menu.setToolTipsVisible(True)
        menu.aboutToShow.connect(self._fill_menu)
        self._bind()
        palette.offer(connection_entries(profiles.all, self.connect_to))
        manager.entered.connect(self._on_manager_entered)
        dialogs.connection_requested.connect(self.connect_to)
        dialogs.restore_requested.connect(self.restore)
        dialogs.feeds_changed.connect(self._on_dialogs_feeds_changed)
        dialogs.message_ready.connect(self._on_dialogs_message_ready)
        for problem in profiles.problems:
            window.messages.warn("connections", problem)

    async def open(self, session: ServiceSession) -> SessionError | None:
        """Make the first connection; the error where it cannot be had."""
        self._top_bar.show_connection(session.profile.name)
        try:
            await self._joining(session.profile, self._manager.open(session))
        except SessionError as error:
            return error
        self._warn(session.profile)
        return None

    def connect_to(self, profile: Profile) -> None:
        """Change to a connection; the old one goes on until the new one answers."""
        self._wanted = profile
        self._window.say(f"Connecting to {profile.name}…", icon="loading")
        before, self._switching = self._switching, None
        self._switching = self._spawn("desk: switch", self._switch(profile, before))

    def restore(self, file: str) -> None:
        """Put a backup in the place of the embedded server's database."""
        before, self._switching = self._switching, None
        self._switching = self._spawn("desk: restore", self._restore(Path(file), before))

    def add(self) -> None:
        """Ask for a new connection to a service."""
        self._dialogs.add()

    def get_live_odds(self) -> None:
        """Open the dialog of live odds; without a server of one's own, say what it takes."""
        if self._why_not(_LIVE):
            self._tell_why_not(_LIVE)
        else:
            self._dialogs.open_live()

    def tell(self, profile: Profile, error: SessionError) -> None:
        """Say in one line why a connection cannot be had, with a button that may help."""
        present = self._manager.session
        stays = f" You are still on {present.profile.name}." if present is not None else ""
        text = f"{str(error).rstrip('.')}.{stays}"
        if isinstance(error, MissingKeyError) and isinstance(profile, RemoteProfile):
            action, act = "Enter the key…", lambda: self._dialogs.ask_key(profile)
        elif isinstance(error, UnencryptedError) and isinstance(profile, RemoteProfile):
            action, act = "Edit…", lambda: self._dialogs.edit(profile)
        elif isinstance(error, InUseError):
            guest = error.guest
            action, act = "Use its server", lambda: self.connect_to(guest)
        else:
            action, act = "Try again", lambda: self.connect_to(profile)
        self._window.say(text, icon="warning", ink=TextRole.DOWN, action=action, act=act)

    async def close(self) -> None:
        """End what is being tried and the present connection."""
        self._replay_tick.stop()
        tasks = [task for task in (self._switching, self._checking_feeds) if task is not None]
        await stop(*tasks)
        await self._dialogs.close()
        await self._manager.close()

    def _spawn(self, name: str, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        return spawn(name, work)

    async def _switch(self, profile: Profile, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await stop(before)
        left, feeds = self._manager.session, await self._recorded_here()
        try:
            await self._joining(profile, self._manager.switch(profile))
        except SessionError as error:
            self.tell(profile, error)
        else:
            self._window.clear_message()
            if left is not None and feeds and left.profile != profile:
                self._tell_not_recorded(left.profile, feeds, profile)
            else:
                self._warn(profile)

    async def _recorded_here(self) -> list[str]:
        """Return the feeds of real odds that end with the present connection, by name."""
        session = self._manager.session
        if session is None or session.local is None:
            return []
        try:
            feeds = await session.local.feeds()
        except LocalServerError:
            return []
        return [
            feed.name
            for feed in feeds
            if feed.is_running and not feed.simulated and feed.recorded_at is None
        ]

    def _tell_not_recorded(self, left: Profile, feeds: Sequence[str], now: Profile) -> None:
        """Say which feeds ended, and in the same line who else could read the key."""
        said = (
            f"What {left.name} recorded ended with it: {', '.join(feeds)}. “oddsdesk serve” records"
            f" beside any connection. {encryption_warning(now)}"
        )
        self._window.say(
            said.strip(),
            icon="warning",
            ink=TextRole.VALUE,
            action="Go back",
            act=lambda: self.connect_to(left),
        )

    async def _joining(self, profile: Profile, connecting: Awaitable[None]) -> None:
        """Connect, or use another's server of the database where the user chose that before."""
        try:
            await connecting
        except InUseError as error:
            present = self._manager.session
            is_there = present is not None and present.profile == error.guest
            if is_there or not self._profiles.joins(profile):
                raise
            await self._manager.switch(error.guest)

    def _warn(self, profile: Profile) -> None:
        """Say who else could read the key, where a connection is not encrypted."""
        if (warning := encryption_warning(profile)) and isinstance(profile, RemoteProfile):
            self._window.say(
                warning,
                icon="warning",
                ink=TextRole.VALUE,
                action="Edit…",
                act=lambda: self._dialogs.edit(profile),
            )

    async def _restore(self, source: Path, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await stop(before)
        session = self._manager.session
        if session is None or session.local is None:
            self._on_dialogs_message_ready(
                "Only the embedded server's own desk restores its database."
            )
            return
        local = session.local
        self._say_restoring(0)
        try:
            done = await self._manager.pause(lambda: local.restore(source, self._say_restoring))
        except LocalServerError as error:
            self._on_dialogs_message_ready(f"Nothing is restored: {error}")
        except SessionError as error:
            self.tell(session.profile, error)
        else:
            self.restored.emit()
            self._window.say(done, icon="check", ink=TextRole.UP)

    def _say_restoring(self, count: int) -> None:
        self._window.say(f"Restoring… {count / _MIB:,.0f} MiB", icon="loading")

    def _bind(self) -> None:
        bind, dialogs = self._actions.bind, self._dialogs
        bind("server.open", lambda: dialogs.open_server())
        bind(_LIVE, self.get_live_odds)
        bind("server.import", lambda: dialogs.open_import())
        bind("connection.new", lambda: dialogs.add())
        bind("connection.edit", lambda: dialogs.open_list())
        self._manager.left.connect(self._enable_server)
        self._enable_server()

    def _enable_server(self) -> None:
        for ident in _OF_THE_SERVER:
            if why := self._why_not(ident):
                self._actions.refuse(ident, why, partial(self._tell_why_not, ident))
            else:
                self._actions.allow(ident)
        self.live_here.setEnabled(not self._why_not(_LIVE))

    def _why_not(self, ident: str) -> str:
        """Return why what takes a server of one's own cannot be done; empty where it can."""
        what, done, do = _WORDS[ident]
        session = self._manager.session
        if session is None:
            return f"{what} need the embedded server, which is not there yet."
        if session.local is not None:
            return ""
        if isinstance(session.profile, EmbeddedProfile):
            return f"This server runs in another window or program: {do} there."
        return f"{what} are {done} by the embedded server; this is {session.profile.name}."

    def _tell_why_not(self, ident: str) -> None:
        session = self._manager.session
        is_elsewhere = session is not None and isinstance(session.profile, RemoteProfile)
        self._window.say(
            self._why_not(ident),
            action="Use the embedded server" if is_elsewhere else "",
            act=lambda: self.connect_to(self._profiles.find(EMBEDDED_NAME)),
        )

    def _fill_menu(self) -> None:
        menu, present = self._menu, self._manager.session
        menu.clear()
        group = QActionGroup(menu)
        for profile in self._profiles.all():
            action = menu.addAction(literal(profile.name))
            action.setCheckable(True)
            is_present = present is not None and present.profile.name == profile.name
            action.setChecked(is_present)
            action.triggered.connect(lambda _checked=False, p=profile: self.connect_to(p))
            group.addAction(action)
        menu.addSeparator()
        for ident in _IDENTS:
            menu.addAction(self._actions[ident])

    def _on_dialogs_message_ready(self, text: str) -> None:
        self._window.say(text, icon="warning", ink=TextRole.DOWN)

    def _on_manager_entered(self) -> None:
        session = self._manager.session
        assert session is not None
        _log.info("using %s%s", session.profile.name, _address(session))
        self._top_bar.show_connection(session.profile.name)
        self._enable_server()
        self._check_feeds()
        try:
            self._profiles.remember(session.profile)
        except OSError as error:
            self._window.say(
                f"The connections' file cannot be written ({error.strerror}): "
                "the next start uses another one.",
                icon="warning",
            )

    def _on_dialogs_feeds_changed(self) -> None:
        self._check_feeds()
        self._manager.refresh()  # no stream tells what a simulation that ended withdraws

    def _check_feeds(self) -> None:
        before, self._checking_feeds = self._checking_feeds, None
        self._checking_feeds = self._spawn("desk: feeds", self._show_feeds(before))

    async def _show_feeds(self, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await stop(before)
        session = self._manager.session
        feeds: list[FeedState] = []
        if session is not None and session.local is not None:
            try:
                feeds = await session.local.feeds()
            except LocalServerError:
                return  # it was stopped meanwhile: the next one says its own feeds
        badge = badge_of(feeds)
        self._top_bar.show_feed(badge)
        if badge:
            self._replay_tick.start()


def _address(session: ServiceSession) -> str:
    """Return a connection's address for the log; empty for another process's server."""
    if session.local is not None:
        return f" at {session.local.address}"
    profile = session.profile
    return f" at {profile.base_url}" if isinstance(profile, RemoteProfile) else ""


def badge_of(feeds: list[FeedState]) -> str:
    """Return the top bar's badge for a recording that is played; empty for none."""
    for feed in feeds:
        if feed.is_running and feed.recorded_at is not None and not feed.is_over:
            return f"Replay · {moment_text(feed.recorded_at)} · {feed.speed:g}×"
    return ""
