"""Opens the desk's dialogs and does what they wish for."""

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from oddsdesk.desk.profiles import Profiles, RemoteProfile
from oddsdesk.desk.secrets import Secrets
from oddsdesk.desk.settings.preferences import Preferences
from oddsdesk.desk.switchboard import Switchboard
from oddsdesk.desk.theme.theme import Theme


class DeskDialogs(QObject):
    """At most one dialog of a kind is open; each is made when it is asked for."""

    connection_requested = Signal(object)
    """The user wants to be connected to this profile."""
    feeds_changed = Signal()
    """The embedded server runs other feeds."""

    def __init__(
        self,
        window: QWidget,
        theme: Theme,
        preferences: Preferences,
        profiles: Profiles,
        secrets: Secrets,
        switchboard: Switchboard,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._theme = theme
        self._preferences = preferences
        self._profiles = profiles
        self._secrets = secrets
        self._switchboard = switchboard

    def open_settings(self) -> None:
        """Show the settings."""

    def open_server(self) -> None:
        """Show the embedded server."""

    def open_list(self) -> None:
        """Show the saved connections."""

    def add(self) -> None:
        """Ask for a new connection."""

    def edit(self, profile: RemoteProfile) -> None:
        """Show a connection to be changed."""

    async def close(self) -> None:
        """End what dialogs are waiting for."""
