"""The user's settings: checked when read, kept, with a signal when they change."""

import logging
from typing import TypeVar

from PySide6.QtCore import QObject, Signal

from oddsdesk.desk.settings.kinds import Setting
from oddsdesk.desk.settings.saved_state import Layout

T = TypeVar("T")

_log = logging.getLogger(__name__)


class Preferences(QObject):
    """Values by setting; what was never set, or makes no sense, has its default."""

    changed = Signal(str)
    """The key of a setting that has another value now."""

    def __init__(self, layout: Layout) -> None:
        super().__init__()
        self._layout = layout

    def get(self, setting: Setting[T]) -> T:
        """Return the value of a setting."""
        default = setting.kind.write(setting.default)
        try:
            return setting.kind.read(self._layout.get(setting.key, default))
        except ValueError as error:
            _log.warning("setting %s: %s; the default is used", setting.key, error)
            return setting.default

    def put(self, setting: Setting[T], value: T) -> None:
        """Keep a value; ``ValueError`` where the setting cannot have it."""
        if value != self.get(setting):
            self._layout.put(setting.key, setting.kind.write(value))
            self.changed.emit(setting.key)
