"""The size of the desk's texts: larger, smaller, as it was; kept between starts."""

from PySide6.QtCore import QObject

from oddsdesk.desk.settings.declared import TEXT_SIZE
from oddsdesk.desk.settings.kinds import Whole
from oddsdesk.desk.settings.preferences import Preferences
from oddsdesk.desk.theme.theme import Theme


class TextSize(QObject):
    """Keeps the theme at the size that is set."""

    def __init__(self, preferences: Preferences, theme: Theme) -> None:
        super().__init__()
        self._preferences = preferences
        self._theme = theme
        preferences.changed.connect(self._on_preferences_changed)
        theme.zoom(preferences.get(TEXT_SIZE))

    def step(self, steps: int) -> None:
        """Write larger, or smaller where ``steps`` is negative, as far as it goes."""
        kind = TEXT_SIZE.kind
        assert isinstance(kind, Whole)
        wanted = self._preferences.get(TEXT_SIZE) + steps * kind.step
        self._preferences.put(TEXT_SIZE, max(kind.least, min(kind.most, wanted)))

    def reset(self) -> None:
        """Write as large as the desk was made for."""
        self._preferences.put(TEXT_SIZE, TEXT_SIZE.default)

    def _on_preferences_changed(self, key: str) -> None:
        if key == TEXT_SIZE.key:
            self._theme.zoom(self._preferences.get(TEXT_SIZE))
