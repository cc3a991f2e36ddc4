"""The odds format of the desk, and a signal for everything that shows odds."""

from PySide6.QtCore import QObject, Signal

from oddsdesk.desk.settings.declared import ODDS_FORMAT
from oddsdesk.desk.settings.kinds import Choice
from oddsdesk.desk.settings.preferences import Preferences
from oddsdesk.desk.ui.formatting import choose_style

assert isinstance(ODDS_FORMAT.kind, Choice)
TITLES = dict(ODDS_FORMAT.kind.options)
"""What people call each style of ``pricing.formats``."""


class OddsFormat(QObject):
    """Keeps ``ui.formatting`` at the style that is set."""

    changed = Signal()
    """Odds are written differently now: show them anew."""

    def __init__(self, preferences: Preferences) -> None:
        super().__init__()
        self._preferences = preferences
        preferences.changed.connect(self._on_preferences_changed)
        choose_style(self.style)

    @property
    def style(self) -> str:
        """The style, one of ``pricing.formats.STYLES``."""
        return self._preferences.get(ODDS_FORMAT)

    def choose(self, style: str) -> None:
        """Write odds in another style from now on, and keep it."""
        self._preferences.put(ODDS_FORMAT, style)

    def _on_preferences_changed(self, key: str) -> None:
        if key == ODDS_FORMAT.key:
            choose_style(self.style)
            self.changed.emit()
