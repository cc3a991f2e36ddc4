"""The connection menu, its dialogs, and messages about the connection."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec
from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QDialog, QMenu, QWidget

from oddsdesk.base.clock import Clock
from oddsdesk.base.numbers import num
from oddsdesk.base.system_errors import error_text, file_error_text
from oddsdesk.base.tasks import cancel_tasks, spawn
from oddsdesk.base.texts import _, translated
from oddsdesk.contract.administration import FeedState, LocalServerError
from oddsdesk.desk.connections.manager import (
    ConnectionManager,
    InUseError,
    MissingKeyError,
    ServiceSession,
    SessionError,
    UnencryptedError,
)
from oddsdesk.desk.connections.profiles import (
    EMBEDDED_NAME,
    EmbeddedProfile,
    KeyPlace,
    Profile,
    ProfileError,
    Profiles,
    RemoteProfile,
    Secrets,
    UnknownProfileError,
    encryption_warning,
    shown_name,
)
from oddsdesk.desk.settings.saved_state import Preferences
from oddsdesk.desk.shell.navigation import connection_entries
from oddsdesk.desk.shell.palette import Palette
from oddsdesk.desk.shell.top_bar import TopBar
from oddsdesk.desk.shell.window import MainWindow
from oddsdesk.desk.ui.actions import Actions
from oddsdesk.desk.ui.controls.labels import literal
from oddsdesk.desk.ui.controls.messages import sentence
from oddsdesk.desk.ui.formatting import moment_text
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import TextRole

if TYPE_CHECKING:
    from oddsdesk.desk.connections.dialog import ConnectionsDialog, ProfileController
    from oddsdesk.desk.local_server.controller import ImportController, ServerController
    from oddsdesk.desk.local_server.dialog import ServerDialog, WantedImport
    from oddsdesk.desk.local_server.live_dialog import LiveController
    from oddsdesk.desk.settings.dialog import SettingsDialog

_SETTINGS: Final = "settings"
_SERVER_DIALOG: Final = "server"
_LIVE_DIALOG: Final = "live"
_LIST: Final = "list"
_NO_FEED: Final = "none"
_SIMULATOR: Final = "simulator"


class DeskDialogs(QObject):
    """Opens the dialogs, at most one of each kind; they are imported when needed."""

    connection_requested = Signal(object)
    """The profile to connect to."""
    feeds_changed = Signal()
    """The feeds of the built-in server have changed."""
    restore_requested = Signal(str)
    """The backup to replace the built-in server's database with."""
    day_requested = Signal(object)
    """The ``date`` of the games to show."""
    past_imported = Signal(object)
    """The time of the newest imported price, in milliseconds, if all are old."""
    bookmakers_requested = Signal()
    """The user wants to open the bookmakers."""
    message_ready = Signal(str)
    """One line of trouble for the window."""
    done = Signal(str)
    """One line that says what was done, and goes by itself."""

    def __init__(
        self,
        window: QWidget,
        theme: Theme,
        preferences: Preferences,
        profiles: Profiles,
        secrets: Secrets,
        manager: ConnectionManager,
        clock: Clock,
        bookmakers: Callable[[], Iterable[str]],
    ) -> None:
        """``bookmakers`` returns the bookmakers with prices."""
        super().__init__(window)
        self._window = window
        self._theme = theme
        self._preferences = preferences
        self._bookmakers = bookmakers
        self._profiles = profiles
        self._secrets = secrets
        self._manager = manager
        self._clock = clock
        self._open: dict[str, QDialog] = {}
        self._dropped: set[tuple[str, str]] = set()
        """Feeds that a connection began with until the user stopped them, by its name."""
        self._server_dialog: ServerDialog | None = None
        self._settings_dialog: SettingsDialog | None = None
        self._list_dialog: ConnectionsDialog | None = None
        self._server_controller: ServerController | None = None
        self._live_controller: LiveController | None = None
        self._import_controller: ImportController | None = None
        self._profile_controller: ProfileController | None = None
        self._wanted_import: tuple[Profile, WantedImport] | None = None
        """The connection that is being changed to, and the files to import there."""
        manager.left.connect(self._on_manager_left)
        manager.entered.connect(self._on_manager_entered)

    def open_settings(self, key: str = "") -> None:
        """Show the settings, at the one with this key if one is given."""
        if self._is_shown(_SETTINGS):
            self._go_to_setting(key)
            return
        from oddsdesk.desk.settings.dialog import SettingsDialog  # noqa: PLC0415 - late

        dialog = SettingsDialog(
            self._theme, self._preferences, self._window, bookmakers=self._bookmakers()
        )
        dialog.bookmakers_requested.connect(self.bookmakers_requested)
        self._show(_SETTINGS, dialog)
        self._settings_dialog = dialog
        self._go_to_setting(key)

    def _go_to_setting(self, key: str) -> None:
        if key and self._settings_dialog is not None:
            self._settings_dialog.go_to_setting(key)

    def open_server(self) -> None:
        """Show the built-in server's dialog, if connected to it."""
        session = self._manager.session
        if session is None or session.local is None or self._is_shown(_SERVER_DIALOG):
            return
        from oddsdesk.desk.local_server.controller import ServerController  # noqa: PLC0415 - late
        from oddsdesk.desk.local_server.dialog import KeptImport, ServerDialog  # noqa: PLC0415

        kept = self._preferences.kept("server/import", KeptImport, KeptImport())
        dialog = ServerDialog(self._theme, session.local.url, self._window, kept)
        self._server_controller = ServerController(dialog, session.local, self._clock)
        self._server_controller.feeds_changed.connect(self.feeds_changed)
        self._server_controller.feed_dropped.connect(self._on_feed_dropped)
        self._server_controller.feed_begun.connect(self._on_feed_begun)
        self._server_controller.games_decided.connect(self._manager.read_all_again)
        self._server_controller.restore_requested.connect(self._on_restore_requested)
        self._imports().show_in(dialog, session.local)
        if (database := self._unsaved_database(session.profile)) is not None:
            dialog.imports.show_way_back(database)
        self._server_dialog = dialog
        self._show(_SERVER_DIALOG, dialog)

    def _unsaved_database(self, profile: Profile) -> Path | None:
        """Return a database that was named on the command line; None if a connection has it."""
        if not isinstance(profile, EmbeddedProfile) or not profile.database:
            return None
        every = self._profiles.all_profiles()
        saved = {each.database for each in every if isinstance(each, EmbeddedProfile)}
        return None if profile.database in saved else Path(profile.database)

    def open_live(self) -> None:
        """Show the live odds dialog, if connected to the built-in server."""
        session = self._manager.session
        if session is None or session.local is None or self._is_shown(_LIVE_DIALOG):
            return
        from oddsdesk.desk.local_server.live_dialog import LiveController, LiveDialog  # noqa: PLC0415

        dialog = LiveDialog(self._theme, self._window)
        controller = LiveController(dialog, session.local, self._clock)
        controller.feeds_changed.connect(self.feeds_changed)
        controller.kept.connect(self._on_live_kept)
        controller.ended.connect(self._on_feed_dropped)
        dialog.feeds_requested.connect(self._on_live_feeds_requested)
        dialog.offer_start(self._saved_profile() is not None)
        self._live_controller = controller
        self._show(_LIVE_DIALOG, dialog)

    def _saved_profile(self) -> EmbeddedProfile | None:
        """Return the saved connection to the current database; None if it is not saved."""
        session = self._manager.session
        if session is None or not isinstance(session.profile, EmbeddedProfile):
            return None
        try:
            saved = self._profiles.find_profile(session.profile.name)
        except UnknownProfileError:
            return None
        if isinstance(saved, EmbeddedProfile) and saved.database == session.profile.database:
            return saved
        return None

    def _on_live_kept(self, spec: str, replaced: list[str]) -> None:
        saved = self._saved_profile()
        if saved is None:
            return
        gone = {_NO_FEED, _SIMULATOR, spec, *replaced}
        feeds = (*(feed for feed in saved.feeds if feed not in gone), spec)
        self._begin_with(saved, feeds, _("These live odds will not start with oddsdesk"))

    def _on_feed_dropped(self, spec: str) -> None:
        """Leave out a feed at the next start; starting it again adds it back to the connection.

        A connection without feeds simulates odds, so one whose simulator was removed has ``none``.
        """
        saved = self._saved_profile()
        if saved is None:
            return
        feeds = tuple(feed for feed in saved.feeds if feed != spec)
        if spec == _SIMULATOR and not feeds:
            feeds = (_NO_FEED,)
        if feeds != saved.feeds:
            self._dropped.add((saved.name, spec))
            self._begin_with(saved, feeds, _("This feed will still start with oddsdesk"))

    def _on_feed_begun(self, spec: str) -> None:
        saved = self._saved_profile()
        if saved is not None and (saved.name, spec) in self._dropped:
            self._dropped.discard((saved.name, spec))
            feeds = (*(feed for feed in saved.feeds if feed not in (_NO_FEED, spec)), spec)
            self._begin_with(saved, feeds, _("This feed will not start with oddsdesk"))

    def _begin_with(self, saved: EmbeddedProfile, feeds: tuple[str, ...], otherwise: str) -> None:
        """Save the feeds to start with; ``otherwise`` is the message if that fails."""
        try:
            self._profiles.save_profile(msgspec.structs.replace(saved, feeds=feeds), saved.name)
        except (ProfileError, OSError) as error:
            self.message_ready.emit(f"{otherwise}: {translated(file_error_text(error))}")

    def _on_live_feeds_requested(self) -> None:
        self._open[_LIVE_DIALOG].accept()
        self.open_server()
        if self._server_dialog is not None:
            self._server_dialog.pages.setCurrentWidget(self._server_dialog.feeds)

    def open_import(self) -> None:
        """Show the import page of the built-in server's dialog, if connected to it."""
        self.open_server()
        if self._server_dialog is not None:
            self._server_dialog.pages.setCurrentWidget(self._server_dialog.imports)

    def open_list(self) -> None:
        """Show the saved connections."""
        if self._is_shown(_LIST):
            return
        from oddsdesk.desk.connections.dialog import ConnectionsDialog  # noqa: PLC0415 - late

        dialog = ConnectionsDialog(self._theme, self._window)
        dialog.connect_requested.connect(self._on_list_connect_requested)
        dialog.edit_requested.connect(lambda profile: self.edit(profile))
        dialog.copy_requested.connect(self._on_list_copy_requested)
        dialog.delete_requested.connect(self._on_list_delete_requested)
        dialog.add_remote_requested.connect(self.add_connection)
        dialog.add_embedded_requested.connect(self._on_list_add_embedded_requested)
        self._list_dialog = dialog
        self._show(_LIST, dialog)
        self._show_list()

    def add_connection(self) -> None:
        """Ask for a new connection to a service."""
        name = self._profiles.free_name(_("Odds service"))
        self._edit(RemoteProfile(name, "", key_place=KeyPlace.KEYRING), None)

    def edit(self, profile: Profile) -> None:
        """Open the dialog to edit a connection."""
        self._edit(profile, profile.name)

    def ask_key(self, profile: RemoteProfile) -> None:
        """Open a connection with the cursor in the key field."""
        self._editing().ask_key(profile, self._list_dialog or self._window)

    async def end_waits(self) -> None:
        """Cancel the tasks of the dialogs."""
        if self._server_controller is not None:
            await self._server_controller.stop_waiting()
        if self._live_controller is not None:
            await self._live_controller.stop_waiting()
        if self._import_controller is not None:
            await self._import_controller.stop_waiting()
        if self._profile_controller is not None:
            await self._profile_controller.cancel_test()

    def _imports(self) -> "ImportController":
        """Return the import controller, which outlives its dialog."""
        if self._import_controller is None:
            from oddsdesk.desk.local_server.controller import ImportController  # noqa: PLC0415

            imports = self._import_controller = ImportController(self)
            imports.message_ready.connect(self.message_ready)
            imports.done.connect(self._on_import_done)
            imports.day_requested.connect(self.day_requested)
            imports.past_imported.connect(self.past_imported)
            imports.new_database_requested.connect(self._on_imports_new_database_requested)
        return self._import_controller

    def _on_imports_new_database_requested(
        self, name: str, path: Path, wanted: "WantedImport"
    ) -> None:
        """Save a connection to a new database, change to it, and import the files there."""
        session = self._manager.session
        if session is None or not isinstance(session.profile, EmbeddedProfile):
            return
        new = msgspec.structs.replace(
            session.profile, name=name, database=str(path), feeds=(_NO_FEED,), access=None
        )
        try:
            saved = self._profiles.save_profile(new)
        except (ProfileError, OSError) as error:
            self._imports().say_refused(sentence(translated(file_error_text(error))))
            return
        self._wanted_import = (saved, wanted)
        self.connection_requested.emit(saved)

    def _on_manager_entered(self) -> None:
        """Begin the import that the user changed the connection for, if this is the one."""
        session, found = self._manager.session, self._wanted_import
        self._wanted_import = None
        if session is None or session.local is None or found is None:
            return
        saved, wanted = found
        if session.profile == saved:
            self.open_import()
            self._imports().begin_import(session.local, wanted)

    def _on_import_done(self, text: str) -> None:
        self._manager.read_all_again()  # whether odds are old is read with it
        if text:
            self.done.emit(text)

    def _editing(self) -> "ProfileController":
        """Return the controller that edits connections."""
        if self._profile_controller is None:
            from oddsdesk.desk.connections.dialog import ProfileController  # noqa: PLC0415

            editing = ProfileController(self._theme, self._profiles, self._secrets)
            editing.saved.connect(self._on_profile_controller_saved)
            editing.message_ready.connect(self.message_ready)
            self._profile_controller = editing
        return self._profile_controller

    def _edit(self, profile: Profile, replaces: str | None) -> None:
        self._editing().edit(profile, self._list_dialog or self._window, replaces)

    def _is_shown(self, kind: str) -> bool:
        dialog = self._open.get(kind)
        if dialog is not None:
            dialog.raise_()
            dialog.activateWindow()
        return dialog is not None

    def _show(self, kind: str, dialog: QDialog) -> None:
        self._open[kind] = dialog
        dialog.finished.connect(lambda: self._forget(kind))
        dialog.open()

    def _forget(self, kind: str) -> None:
        del self._open[kind]
        if kind == _SERVER_DIALOG:
            self._server_dialog = self._server_controller = None
        elif kind == _LIVE_DIALOG:
            self._live_controller = None
        elif kind == _LIST:
            self._list_dialog = None
        elif kind == _SETTINGS:
            self._settings_dialog = None

    def _show_list(self) -> None:
        if self._list_dialog is not None:
            session = self._manager.session
            present = "" if session is None else session.profile.name
            self._list_dialog.show_profiles(self._profiles.all_profiles(), present)

    def _on_list_connect_requested(self, profile: Profile) -> None:
        self._open[_LIST].accept()
        self.connection_requested.emit(profile)

    def _on_list_copy_requested(self, profile: Profile) -> None:
        name = self._profiles.free_name(shown_name(profile))
        if isinstance(profile, RemoteProfile):
            self._edit(msgspec.structs.replace(profile, name=name, ident=""), None)
        else:
            self._edit(msgspec.structs.replace(profile, name=name), None)

    def _on_list_delete_requested(self, profile: Profile) -> None:
        self._editing().delete_profile(profile)
        self._show_list()

    def _on_list_add_embedded_requested(self) -> None:
        self._edit(EmbeddedProfile(self._profiles.free_name(_("Second server"))), None)

    def _on_profile_controller_saved(self, profile: Profile) -> None:
        self._show_list()
        session = self._manager.session
        is_listed = self._list_dialog is not None
        if not is_listed or (session is not None and session.profile.name == profile.name):
            self.connection_requested.emit(profile)

    def _on_restore_requested(self, file: str) -> None:
        self._open[_SERVER_DIALOG].done(
            QDialog.DialogCode.Rejected
        )  # without asking, as its server stops
        self.restore_requested.emit(file)

    def _on_manager_left(self) -> None:
        for kind in (_SERVER_DIALOG, _LIVE_DIALOG):
            dialog = self._open.get(kind)
            if dialog is not None:
                dialog.done(QDialog.DialogCode.Rejected)  # without asking


_LIVE: Final = "server.live"
_OF_THE_SERVER: Final = ("server.open", "server.import")
_IDENTS: Final = (_LIVE, *_OF_THE_SERVER, "connection.new", "connection.edit")
_WORDS: Final = {
    _LIVE: (_("Live odds"), _("get live odds")),
    "server.open": (_("Feeds, keys and backups"), _("open them")),
    "server.import": (_("Imports"), _("import files")),
}
"""For actions that need the built-in server: what they are about, and what to do elsewhere."""

_MIB = 1 << 20

_REPLAY_MS = 1_000
"""How often the badge of a replay is updated."""
_FEEDS_MS = 15_000
"""How often we look whether a feed runs at all."""
_log = logging.getLogger(__name__)


class Connections(QObject):
    """Keeps the menu, top bar and messages up to date with the connection."""

    restored = Signal()
    """A backup was restored, and its bets were added to the user's."""

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
        self._wanted_there = ""
        """The action to continue with on the built-in server; empty for none."""
        self._doing: dict[str, Callable[[], None]] = {
            _LIVE: self.get_live_odds,
            "server.open": dialogs.open_server,
            "server.import": dialogs.open_import,
        }
        self._switching: asyncio.Task[None] | None = None
        self._checking_feeds: asyncio.Task[None] | None = None
        self.live_here = QAction(self, enabled=False)
        """Gets live odds; enabled only with the built-in server."""
        self.live_here.triggered.connect(self.get_live_odds)
        self._feeds_tick = QTimer(self, singleShot=True)
        self._feeds_tick.timeout.connect(self._check_feeds)
        menu.setToolTipsVisible(True)
        menu.aboutToShow.connect(self._fill_menu)
        self._bind()
        palette.add_provider(connection_entries(profiles.all_profiles, self.connect_to))
        manager.entered.connect(self._on_manager_entered)
        dialogs.connection_requested.connect(self.connect_to)
        dialogs.restore_requested.connect(self.restore_backup)
        dialogs.feeds_changed.connect(self._on_dialogs_feeds_changed)
        dialogs.message_ready.connect(self._on_dialogs_message_ready)
        dialogs.done.connect(self._on_dialogs_done)
        for problem in profiles.problems:
            window.messages.warn("connections", problem)

    async def open_first(self, session: ServiceSession) -> SessionError | None:
        """Make the first connection; return the error if it fails."""
        self._top_bar.show_connection(shown_name(session.profile))
        try:
            await self._joining(session.profile, self._manager.open_first(session))
        except SessionError as error:
            return error
        self._warn(session.profile)
        return None

    def connect_to(self, profile: Profile) -> None:
        """Change the connection; the old one continues until the new one answers."""
        self._wanted, self._wanted_there = profile, ""
        self._window.show_message(
            _("Connecting to {name}…").format(name=shown_name(profile)), icon="loading"
        )
        before, self._switching = self._switching, None
        self._switching = self._spawn("desk: switch", self._switch(profile, before))

    def restore_backup(self, file: str) -> None:
        """Replace the built-in server's database with a backup."""
        before, self._switching = self._switching, None
        self._switching = self._spawn("desk: restore", self._restore(Path(file), before))

    def add_connection(self) -> None:
        """Ask for a new connection to a service."""
        self._dialogs.add_connection()

    def get_live_odds(self) -> None:
        """Open the live odds dialog, or explain that it needs the built-in server."""
        if self._why_not(_LIVE):
            self._tell_why_not(_LIVE)
        else:
            self._dialogs.open_live()

    def show_error(self, profile: Profile, error: SessionError) -> None:
        """Show why a connection failed, with a button that may help."""
        present = self._manager.session
        stays = (
            _(" You are still on {name}.").format(name=shown_name(present.profile))
            if present is not None
            else ""
        )
        text = f"{translated(str(error)).rstrip('.')}.{stays}"
        if isinstance(error, MissingKeyError) and isinstance(profile, RemoteProfile):
            action, act = _("Enter the key…"), lambda: self._dialogs.ask_key(profile)
        elif isinstance(error, UnencryptedError) and isinstance(profile, RemoteProfile):
            action, act = _("Edit…"), lambda: self._dialogs.edit(profile)
        elif isinstance(error, InUseError):
            guest = error.guest
            action, act = _("Use its server"), lambda: self.connect_to(guest)
        else:
            action, act = _("Try again"), lambda: self.connect_to(profile)
        self._window.show_message(text, icon="warning", ink=TextRole.DOWN, action=action, act=act)

    async def end_connections(self) -> None:
        """Cancel all attempts and close the connection."""
        self._feeds_tick.stop()
        tasks = [task for task in (self._switching, self._checking_feeds) if task is not None]
        await cancel_tasks(*tasks)
        await self._dialogs.end_waits()
        await self._manager.close_connection()

    def _spawn(self, name: str, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        return spawn(name, work)

    async def _switch(self, profile: Profile, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await cancel_tasks(before)
        left, feeds = self._manager.session, await self._recorded_here()
        try:
            await self._joining(profile, self._manager.switch(profile))
        except SessionError as error:
            self.show_error(profile, error)
        else:
            self._window.clear_message()
            if left is not None and feeds and left.profile != profile:
                self._tell_not_recorded(left.profile, feeds, profile)
            else:
                self._warn(profile)

    async def _recorded_here(self) -> list[str]:
        """Return the names of the real feeds that end with the current connection."""
        session = self._manager.session
        if session is None or session.local is None:
            return []
        try:
            feeds = await session.local.feed_reports()
        except LocalServerError:
            return []
        return [
            feed.name
            for feed in feeds
            if feed.is_running and not feed.simulated and feed.recorded_at is None
        ]

    def _tell_not_recorded(self, left: Profile, feeds: Sequence[str], now: Profile) -> None:
        """Show which feeds have stopped, with the encryption warning if there is one."""
        said = _("{name} has stopped recording: {names}. {encryption_warning}").format(
            name=shown_name(left),
            names=", ".join(feeds),
            encryption_warning=encryption_warning(now),
        )
        self._window.show_message(
            said.strip(),
            icon="warning",
            ink=TextRole.VALUE,
            action=_("Go back"),
            act=lambda: self.connect_to(left),
        )

    async def _joining(self, profile: Profile, connecting: Awaitable[None]) -> None:
        """Connect, or use another process's server if the user chose that before."""
        try:
            await connecting
        except InUseError as error:
            present = self._manager.session
            is_there = present is not None and present.profile == error.guest
            if is_there or not self._profiles.joins(profile):
                raise
            await self._manager.switch(error.guest)

    def _warn(self, profile: Profile) -> None:
        """Warn if the key is sent unencrypted."""
        if (warning := encryption_warning(profile)) and isinstance(profile, RemoteProfile):
            self._window.show_message(
                warning,
                icon="warning",
                ink=TextRole.VALUE,
                action=_("Edit…"),
                act=lambda: self._dialogs.edit(profile),
            )

    async def _restore(self, source: Path, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await cancel_tasks(before)
        session = self._manager.session
        if session is None or session.local is None:
            self._on_dialogs_message_ready(
                _("A database can be restored only from the window that runs its server.")
            )
            return
        local = session.local
        self._say_restoring(0)
        try:
            done = await self._manager.pause(
                lambda: local.restore_backup(source, self._say_restoring)
            )
        except LocalServerError as error:
            self._on_dialogs_message_ready(
                _("Restore failed, nothing was changed: {error}").format(
                    error=translated(str(error))
                )
            )
        except SessionError as error:
            self.show_error(session.profile, error)
        else:
            self.restored.emit()
            self._window.show_message(done, icon="check", ink=TextRole.UP)

    def _say_restoring(self, count: int) -> None:
        self._window.show_message(
            _("Restoring… {count:,.0f} MiB").format(count=num(count / _MIB)), icon="loading"
        )

    def _bind(self) -> None:
        bind, dialogs = self._actions.bind, self._dialogs
        for ident, do in self._doing.items():
            bind(ident, do)
        bind("connection.new", lambda: dialogs.add_connection())
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
        """Return why an action that needs the built-in server is unavailable; empty if
        available."""
        what, do = _WORDS[ident]
        session = self._manager.session
        if session is None:
            return _("{what} need the built-in server, which has not started yet.").format(
                what=what
            )
        if session.local is not None:
            return ""
        if isinstance(session.profile, EmbeddedProfile):
            return _("This server runs in another window or program. You can {do} there.").format(
                do=do
            )
        return _("{what} need the built-in server. You are connected to {name}.").format(
            what=what, name=shown_name(session.profile)
        )

    def _tell_why_not(self, ident: str) -> None:
        session = self._manager.session
        is_elsewhere = session is not None and isinstance(session.profile, RemoteProfile)
        self._window.show_message(
            self._why_not(ident),
            action=_("Use the built-in server") if is_elsewhere else "",
            act=partial(self._use_embedded, ident),
        )

    def _use_embedded(self, ident: str) -> None:
        """Connect to the built-in server, and continue there with the action."""
        self.connect_to(self._profiles.find_profile(EMBEDDED_NAME))
        self._wanted_there = ident

    def _go_on(self) -> None:
        """Do what the user changed the connection for, if this is the one."""
        ident, self._wanted_there = self._wanted_there, ""
        if ident and not self._why_not(ident):
            self._doing[ident]()

    def _fill_menu(self) -> None:
        menu, present = self._menu, self._manager.session
        menu.clear()
        group = QActionGroup(menu)
        for profile in self._profiles.all_profiles():
            action = menu.addAction(literal(shown_name(profile)))
            action.setCheckable(True)
            is_present = present is not None and present.profile.name == profile.name
            action.setChecked(is_present)
            action.triggered.connect(lambda _checked=False, p=profile: self.connect_to(p))
            group.addAction(action)
        menu.addSeparator()
        for ident in _IDENTS:
            menu.addAction(self._actions[ident])

    def _on_dialogs_message_ready(self, text: str) -> None:
        self._window.show_message(text, icon="warning", ink=TextRole.DOWN)

    def _on_dialogs_done(self, text: str) -> None:
        said = self._window.messages
        said.show_message(text, icon="check", ink=TextRole.UP, passes=True)

    def _on_manager_entered(self) -> None:
        session = self._manager.session
        assert session is not None
        _log.info("using %s%s", session.profile.name, _address(session))
        self._top_bar.show_connection(shown_name(session.profile))
        self._enable_server()
        self._check_feeds()
        self._go_on()
        try:
            self._profiles.remember(session.profile)
        except OSError as error:
            self._window.show_message(
                _(
                    "The connections file cannot be written ({strerror}). The next start "
                    "will use another connection."
                ).format(strerror=translated(error_text(error))),
                icon="warning",
            )

    def _on_dialogs_feeds_changed(self) -> None:
        self._check_feeds()
        self._manager.read_all_again()  # no stream reports what an ended simulation removes

    def _check_feeds(self) -> None:
        before, self._checking_feeds = self._checking_feeds, None
        self._checking_feeds = self._spawn("desk: feeds", self._show_feeds(before))

    async def _show_feeds(self, before: asyncio.Task[None] | None) -> None:
        if before is not None:
            await cancel_tasks(before)
        session = self._manager.session
        feeds: list[FeedState] = []
        if session is not None and session.local is not None:
            try:
                feeds = await session.local.feed_reports()
            except LocalServerError:
                return  # it has been stopped; the next session shows its own feeds
        badge = badge_of(feeds)
        self._top_bar.show_feed(badge)
        is_local = session is not None and session.local is not None
        self._manager.note_feeds(any(feed.is_running for feed in feeds) if is_local else None)
        if is_local:
            self._feeds_tick.start(_REPLAY_MS if badge else _FEEDS_MS)


def _address(session: ServiceSession) -> str:
    """Return a connection's address for the log; empty for another process's server."""
    if session.local is not None:
        return f" at {session.local.url}"
    profile = session.profile
    return f" at {profile.base_url}" if isinstance(profile, RemoteProfile) else ""


def badge_of(feeds: list[FeedState]) -> str:
    """Return the top bar's badge for a running replay; empty if there is none."""
    for feed in feeds:
        if feed.is_running and feed.recorded_at is not None and not feed.is_over:
            return _("Replay · {moment} · {speed:g}×").format(
                moment=moment_text(feed.recorded_at), speed=num(feed.speed)
            )
    return ""
