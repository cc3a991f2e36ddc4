"""How the user stakes, as the settings have it."""

from PySide6.QtCore import QObject, Signal

from oddsdesk.desk.settings.declared import (
    BANKROLL,
    KEEPS_TO_LIMIT,
    KELLY_SHARE,
    STAKE_CAP,
    STAKE_STEP,
    STAKES,
)
from oddsdesk.desk.settings.preferences import Preferences
from oddsdesk.pricing.stakes import StakePlan

_KEYS = {setting.key for setting in STAKES.settings}


class StakeSettings(QObject):
    """The present plan; who shows stakes takes it anew on ``changed``."""

    changed = Signal()

    def __init__(self, preferences: Preferences) -> None:
        super().__init__()
        self._preferences = preferences
        self.plan = self._read()
        preferences.changed.connect(self._on_preferences_changed)

    def _read(self) -> StakePlan:
        get = self._preferences.get
        return StakePlan(
            bankroll=get(BANKROLL),
            kelly_share=get(KELLY_SHARE) / 100,
            cap=get(STAKE_CAP) / 100,
            keeps_to_limit=get(KEEPS_TO_LIMIT),
            step=float(get(STAKE_STEP)),
        )

    def _on_preferences_changed(self, key: str) -> None:
        if key in _KEYS:
            self.plan = self._read()
            self.changed.emit()
