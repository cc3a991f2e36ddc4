"""Opens the desk's dialogs and carries out what the user asks of them."""

from collections.abc import Callable, Iterable

import msgspec
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QDialog, QWidget

from oddsdesk.clock import Clock
from oddsdesk.desk.connections.controller import ProfileController
from oddsdesk.desk.connections.dialog import ConnectionsDialog
from oddsdesk.desk.connections.manager import ConnectionManager
from oddsdesk.desk.connections.profiles import (
    EmbeddedProfile,
    Profile,
    ProfileError,
    Profiles,
    RemoteProfile,
    UnknownProfileError,
)
from oddsdesk.desk.connections.secrets import KeyPlace, Secrets
from oddsdesk.desk.local_server.controller import ImportController, ServerController
from oddsdesk.desk.local_server.dialog import ServerDialog
from oddsdesk.desk.local_server.live_controller import LiveController
from oddsdesk.desk.local_server.live_dialog import LiveDialog
from oddsdesk.desk.settings.dialog import SettingsDialog
from oddsdesk.desk.settings.preferences import Preferences
from oddsdesk.desk.ui.theme.theme import Theme


class DeskDialogs(QObject):
    """At most one dialog of a kind is open; each is made when it is asked for."""

    connection_requested = Signal(object)
    """The user wants to be connected to this profile."""
    feeds_changed = Signal()
    """The embedded server runs other feeds."""
    restore_requested = Signal(str)
    """The embedded server's database is to be replaced with this backup."""
    day_requested = Signal(object)
    """The ``date`` whose games the user wants to see."""
    past_imported = Signal(object)
    """When the newest of imported prices was scraped, where all are past; in milliseconds."""
    bookmakers_requested = Signal()
    """The user wants to choose among the bookmakers."""
    message_ready = Signal(str)
    """One line for the window."""

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
        """``bookmakers`` tells who has prices now."""
        super().__init__(window)
        self._window = window
        self._theme = theme
        self._preferences = preferences
        self._bookmakers = bookmakers
        self._profiles = profiles
        self._manager = manager
        self._clock = clock
        self._open: dict[type[QDialog], QDialog] = {}
        self._server_controller: ServerController | None = None
        self._live_controller: LiveController | None = None
        self._imports = ImportController(self)
        self._imports.message_ready.connect(self.message_ready)
        self._imports.day_requested.connect(self.day_requested)
        self._imports.past_imported.connect(self.past_imported)
        self._profile_controller = ProfileController(theme, profiles, secrets)
        self._profile_controller.saved.connect(self._on_profile_controller_saved)
        self._profile_controller.message_ready.connect(self.message_ready)
        manager.left.connect(self._on_manager_left)

    def open_settings(self) -> None:
        """Show the settings."""
        if not self._is_shown(SettingsDialog):
            dialog = SettingsDialog(
                self._theme, self._preferences, self._window, bookmakers=self._bookmakers()
            )
            dialog.bookmakers_requested.connect(self.bookmakers_requested)
            self._show(dialog)

    def open_server(self) -> None:
        """Show the embedded server, if that is what the desk is connected to."""
        session = self._manager.session
        if session is None or session.local is None or self._is_shown(ServerDialog):
            return
        dialog = ServerDialog(self._theme, session.local.address, self._window)
        self._server_controller = ServerController(dialog, session.local, self._clock)
        self._server_controller.feeds_changed.connect(self.feeds_changed)
        self._server_controller.games_decided.connect(self._manager.refresh)
        self._server_controller.restore_requested.connect(self._on_restore_requested)
        self._imports.show_in(dialog, session.local)
        self._show(dialog)

    def open_live(self) -> None:
        """Show where live odds are chosen, if there is an embedded server."""
        session = self._manager.session
        if session is None or session.local is None or self._is_shown(LiveDialog):
            return
        dialog = LiveDialog(self._theme, self._window)
        controller = LiveController(dialog, session.local, self._clock)
        controller.feeds_changed.connect(self.feeds_changed)
        controller.kept.connect(self._on_live_kept)
        dialog.feeds_requested.connect(self._on_live_feeds_requested)
        dialog.offer_start(self._saved_profile() is not None)
        self._live_controller = controller
        self._show(dialog)

    def _saved_profile(self) -> EmbeddedProfile | None:
        """The saved connection to the present database; None where it holds for this time only."""
        session = self._manager.session
        if session is None or not isinstance(session.profile, EmbeddedProfile):
            return None
        try:
            saved = self._profiles.find(session.profile.name)
        except UnknownProfileError:
            return None
        if isinstance(saved, EmbeddedProfile) and saved.database == session.profile.database:
            return saved
        return None

    def _on_live_kept(self, spec: str, replaced: list[str], stops_simulation: bool) -> None:
        saved = self._saved_profile()
        if saved is None:
            return
        gone = {"none", spec, *replaced, *(["simulator"] if stops_simulation else [])}
        feeds = (*(feed for feed in saved.feeds if feed not in gone), spec)
        try:
            self._profiles.put(msgspec.structs.replace(saved, feeds=feeds), saved.name)
        except (ProfileError, OSError) as error:
            self.message_ready.emit(f"The next start begins without these live odds: {error}")

    def _on_live_feeds_requested(self) -> None:
        self._open[LiveDialog].accept()
        self.open_server()
        dialog = self._open.get(ServerDialog)
        if isinstance(dialog, ServerDialog):
            dialog.pages.setCurrentWidget(dialog.feeds)

    def open_import(self) -> None:
        """Show the embedded server's page for importing files, if that is connected to."""
        self.open_server()
        dialog = self._open.get(ServerDialog)
        if isinstance(dialog, ServerDialog):
            dialog.pages.setCurrentWidget(dialog.imports)

    def open_list(self) -> None:
        """Show the saved connections."""
        if self._is_shown(ConnectionsDialog):
            return
        dialog = ConnectionsDialog(self._theme, self._window)
        dialog.connect_requested.connect(self._on_list_connect_requested)
        dialog.edit_requested.connect(lambda profile: self.edit(profile))
        dialog.copy_requested.connect(self._on_list_copy_requested)
        dialog.delete_requested.connect(self._on_list_delete_requested)
        dialog.add_remote_requested.connect(self.add)
        dialog.add_embedded_requested.connect(self._on_list_add_embedded_requested)
        self._show(dialog)
        self._show_list()

    def add(self) -> None:
        """Ask for a new connection to a service."""
        name = self._profiles.free_name("Odds service")
        self._edit(RemoteProfile(name, "", key_place=KeyPlace.KEYRING), None)

    def edit(self, profile: Profile) -> None:
        """Show a connection to be changed."""
        self._edit(profile, profile.name)

    async def close(self) -> None:
        """End what dialogs are waiting for."""
        if self._server_controller is not None:
            await self._server_controller.close()
        if self._live_controller is not None:
            await self._live_controller.close()
        await self._imports.close()
        await self._profile_controller.close()

    def _edit(self, profile: Profile, replaces: str | None) -> None:
        parent = self._open.get(ConnectionsDialog, self._window)
        self._profile_controller.edit(profile, parent, replaces)

    def _is_shown(self, kind: type[QDialog]) -> bool:
        dialog = self._open.get(kind)
        if dialog is not None:
            dialog.raise_()
            dialog.activateWindow()
        return dialog is not None

    def _show(self, dialog: QDialog) -> None:
        kind = type(dialog)
        self._open[kind] = dialog
        dialog.finished.connect(lambda: self._forget(kind))
        dialog.open()

    def _forget(self, kind: type[QDialog]) -> None:
        del self._open[kind]
        if kind is ServerDialog:
            self._server_controller = None
        if kind is LiveDialog:
            self._live_controller = None

    def _show_list(self) -> None:
        dialog = self._open.get(ConnectionsDialog)
        if isinstance(dialog, ConnectionsDialog):
            session = self._manager.session
            present = "" if session is None else session.profile.name
            dialog.show_profiles(self._profiles.all(), present)

    def _on_list_connect_requested(self, profile: Profile) -> None:
        self._open[ConnectionsDialog].accept()
        self.connection_requested.emit(profile)

    def _on_list_copy_requested(self, profile: Profile) -> None:
        name = self._profiles.free_name(profile.name)
        if isinstance(profile, RemoteProfile):
            self._edit(msgspec.structs.replace(profile, name=name, ident=""), None)
        else:
            self._edit(msgspec.structs.replace(profile, name=name), None)

    def _on_list_delete_requested(self, profile: Profile) -> None:
        self._profile_controller.delete(profile)
        self._show_list()

    def _on_list_add_embedded_requested(self) -> None:
        self._edit(EmbeddedProfile(self._profiles.free_name("Second server")), None)

    def _on_profile_controller_saved(self, profile: Profile) -> None:
        self._show_list()
        session = self._manager.session
        is_listed = ConnectionsDialog in self._open
        if not is_listed or (session is not None and session.profile.name == profile.name):
            self.connection_requested.emit(profile)

    def _on_restore_requested(self, file: str) -> None:
        self._open[ServerDialog].reject()  # its server ends
        self.restore_requested.emit(file)

    def _on_manager_left(self) -> None:
        for kind in (ServerDialog, LiveDialog):
            dialog = self._open.get(kind)
            if dialog is not None:
                dialog.reject()
