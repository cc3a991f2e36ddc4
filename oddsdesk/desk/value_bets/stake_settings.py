"""How the user stakes, as the settings have it."""

from PySide6.QtCore import QObject, Signal

from oddsdesk.desk.settings.declared import STAKES, stake_plan
from oddsdesk.desk.settings.preferences import Preferences

_KEYS = {setting.key for setting in STAKES.settings}


class StakeSettings(QObject):
    """The present plan; who shows stakes takes it anew on ``changed``."""

    changed = Signal()

    def __init__(self, preferences: Preferences) -> None:
        super().__init__()
        self._preferences = preferences
        self.plan = stake_plan(preferences.get)
        preferences.changed.connect(self._on_preferences_changed)

    def _on_preferences_changed(self, key: str) -> None:
        if key in _KEYS:
            self.plan = stake_plan(self._preferences.get)
            self.changed.emit()
