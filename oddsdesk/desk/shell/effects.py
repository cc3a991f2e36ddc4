"""What a changed setting does at once."""

from PySide6.QtCore import QObject, Signal

from oddsdesk.board.board import Board
from oddsdesk.desk.settings.declared import COLOUR_BLIND, FLASH, METHOD, SCHEME
from oddsdesk.desk.settings.preferences import Preferences
from oddsdesk.desk.ui.theme.theme import Scheme, Theme


class Effects(QObject):
    """Hands the settings of style and of prices to whom they concern."""

    method_changed = Signal(str)
    """True EV rests on another devig method now."""

    def __init__(self, preferences: Preferences, theme: Theme, board: Board) -> None:
        super().__init__()
        self._preferences = preferences
        self._theme = theme
        self._board = board
        theme.flashes = preferences.get(FLASH)
        preferences.changed.connect(self._on_preferences_changed)

    def _on_preferences_changed(self, key: str) -> None:
        get = self._preferences.get
        if key in (SCHEME.key, COLOUR_BLIND.key):
            self._theme.choose(Scheme(get(SCHEME)), colour_blind=get(COLOUR_BLIND))
        elif key == FLASH.key:
            self._theme.flashes = get(FLASH)
        elif key == METHOD.key:
            self._board.set_method(get(METHOD))
            self.method_changed.emit(get(METHOD))
