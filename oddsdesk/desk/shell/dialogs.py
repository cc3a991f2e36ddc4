"""Opens the desk's dialogs and carries out what the user asks of them."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final

import msgspec
from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QDialog, QWidget

from oddsdesk.clock import Clock
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
from oddsdesk.desk.settings.preferences import Preferences
from oddsdesk.desk.ui.theme.theme import Theme

if TYPE_CHECKING:
    from oddsdesk.desk.connections.controller import ProfileController
    from oddsdesk.desk.connections.dialog import ConnectionsDialog
    from oddsdesk.desk.local_server.controller import ImportController, ServerController
    from oddsdesk.desk.local_server.dialog import ServerDialog
    from oddsdesk.desk.local_server.live_controller import LiveController

_SETTINGS: Final = "settings"
_SERVER: Final = "server"
_LIVE: Final = "live"
_LIST: Final = "list"


class DeskDialogs(QObject):
    """At most one dialog of a kind is open; each is imported and made when it is asked for."""

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
        self._secrets = secrets
        self._manager = manager
        self._clock = clock
        self._open: dict[str, QDialog] = {}
        self._server_dialog: ServerDialog | None = None
        self._list_dialog: ConnectionsDialog | None = None
        self._server_controller: ServerController | None = None
        self._live_controller: LiveController | None = None
        self._import_controller: ImportController | None = None
        self._profile_controller: ProfileController | None = None
        manager.left.connect(self._on_manager_left)

    def open_settings(self) -> None:
        """Show the settings."""
        if self._is_shown(_SETTINGS):
            return
        from oddsdesk.desk.settings.dialog import SettingsDialog  # noqa: PLC0415 - late

        dialog = SettingsDialog(
            self._theme, self._preferences, self._window, bookmakers=self._bookmakers()
        )
        dialog.bookmakers_requested.connect(self.bookmakers_requested)
        self._show(_SETTINGS, dialog)

    def open_server(self) -> None:
        """Show the embedded server, if that is what the desk is connected to."""
        session = self._manager.session
        if session is None or session.local is None or self._is_shown(_SERVER):
            return
        from oddsdesk.desk.local_server.controller import ServerController  # noqa: PLC0415 - late
        from oddsdesk.desk.local_server.dialog import ServerDialog  # noqa: PLC0415 - late

        dialog = ServerDialog(self._theme, session.local.address, self._window)
        self._server_controller = ServerController(dialog, session.local, self._clock)
        self._server_controller.feeds_changed.connect(self.feeds_changed)
        self._server_controller.games_decided.connect(self._manager.refresh)
        self._server_controller.restore_requested.connect(self._on_restore_requested)
        self._imports().show_in(dialog, session.local)
        self._server_dialog = dialog
        self._show(_SERVER, dialog)

    def open_live(self) -> None:
        """Show where live odds are chosen, if there is an embedded server."""
        session = self._manager.session
        if session is None or session.local is None or self._is_shown(_LIVE):
            return
        from oddsdesk.desk.local_server.live_controller import LiveController  # noqa: PLC0415
        from oddsdesk.desk.local_server.live_dialog import LiveDialog  # noqa: PLC0415 - late

        dialog = LiveDialog(self._theme, self._window)
        controller = LiveController(dialog, session.local, self._clock)
        controller.feeds_changed.connect(self.feeds_changed)
        controller.kept.connect(self._on_live_kept)
        controller.ended.connect(self._on_live_ended)
        dialog.feeds_requested.connect(self._on_live_feeds_requested)
        dialog.offer_start(self._saved_profile() is not None)
        self._live_controller = controller
        self._show(_LIVE, dialog)

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

    def _on_live_kept(self, spec: str, replaced: list[str]) -> None:
        saved = self._saved_profile()
        if saved is None:
            return
        gone = {"none", "simulator", spec, *replaced}
        feeds = (*(feed for feed in saved.feeds if feed not in gone), spec)
        self._begin_with(saved, feeds, "The next start begins without these live odds")

    def _on_live_ended(self, spec: str) -> None:
        saved = self._saved_profile()
        if saved is not None and spec in saved.feeds:
            feeds = tuple(feed for feed in saved.feeds if feed != spec)
            self._begin_with(saved, feeds, "The next start begins with these live odds again")

    def _begin_with(self, saved: EmbeddedProfile, feeds: tuple[str, ...], otherwise: str) -> None:
        """Have the next start begin with these feeds; ``otherwise`` says what it does else."""
        try:
            self._profiles.put(msgspec.structs.replace(saved, feeds=feeds), saved.name)
        except (ProfileError, OSError) as error:
            self.message_ready.emit(f"{otherwise}: {error}")

    def _on_live_feeds_requested(self) -> None:
        self._open[_LIVE].accept()
        self.open_server()
        if self._server_dialog is not None:
            self._server_dialog.pages.setCurrentWidget(self._server_dialog.feeds)

    def open_import(self) -> None:
        """Show the embedded server's page for importing files, if that is connected to."""
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
        dialog.add_remote_requested.connect(self.add)
        dialog.add_embedded_requested.connect(self._on_list_add_embedded_requested)
        self._list_dialog = dialog
        self._show(_LIST, dialog)
        self._show_list()

    def add(self) -> None:
        """Ask for a new connection to a service."""
        name = self._profiles.free_name("Odds service")
        self._edit(RemoteProfile(name, "", key_place=KeyPlace.KEYRING), None)

    def edit(self, profile: Profile) -> None:
        """Show a connection to be changed."""
        self._edit(profile, profile.name)

    def ask_key(self, profile: RemoteProfile) -> None:
        """Show a connection for its key to be typed."""
        self._editing().ask_key(profile, self._list_dialog or self._window)

    async def close(self) -> None:
        """End what dialogs are waiting for."""
        if self._server_controller is not None:
            await self._server_controller.close()
        if self._live_controller is not None:
            await self._live_controller.close()
        if self._import_controller is not None:
            await self._import_controller.close()
        if self._profile_controller is not None:
            await self._profile_controller.close()

    def _imports(self) -> "ImportController":
        """Return what imports files: it goes on while its dialog is closed."""
        if self._import_controller is None:
            from oddsdesk.desk.local_server.controller import ImportController  # noqa: PLC0415

            imports = self._import_controller = ImportController(self)
            imports.message_ready.connect(self.message_ready)
            imports.day_requested.connect(self.day_requested)
            imports.past_imported.connect(self.past_imported)
        return self._import_controller

    def _editing(self) -> "ProfileController":
        """Return what opens and saves a connection."""
        if self._profile_controller is None:
            from oddsdesk.desk.connections.controller import ProfileController  # noqa: PLC0415

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
        if kind == _SERVER:
            self._server_dialog = self._server_controller = None
        elif kind == _LIVE:
            self._live_controller = None
        elif kind == _LIST:
            self._list_dialog = None

    def _show_list(self) -> None:
        if self._list_dialog is not None:
            session = self._manager.session
            present = "" if session is None else session.profile.name
            self._list_dialog.show_profiles(self._profiles.all(), present)

    def _on_list_connect_requested(self, profile: Profile) -> None:
        self._open[_LIST].accept()
        self.connection_requested.emit(profile)

    def _on_list_copy_requested(self, profile: Profile) -> None:
        name = self._profiles.free_name(profile.name)
        if isinstance(profile, RemoteProfile):
            self._edit(msgspec.structs.replace(profile, name=name, ident=""), None)
        else:
            self._edit(msgspec.structs.replace(profile, name=name), None)

    def _on_list_delete_requested(self, profile: Profile) -> None:
        self._editing().delete(profile)
        self._show_list()

    def _on_list_add_embedded_requested(self) -> None:
        self._edit(EmbeddedProfile(self._profiles.free_name("Second server")), None)

    def _on_profile_controller_saved(self, profile: Profile) -> None:
        self._show_list()
        session = self._manager.session
        is_listed = self._list_dialog is not None
        if not is_listed or (session is not None and session.profile.name == profile.name):
            self.connection_requested.emit(profile)

    def _on_restore_requested(self, file: str) -> None:
        self._open[_SERVER].done(QDialog.DialogCode.Rejected)  # without a question: its server ends
        self.restore_requested.emit(file)

    def _on_manager_left(self) -> None:
        for kind in (_SERVER, _LIVE):
            dialog = self._open.get(kind)
            if dialog is not None:
                dialog.done(QDialog.DialogCode.Rejected)  # without a question
