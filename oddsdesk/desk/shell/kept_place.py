"""Where the user is, kept while the board is filled with another moment and games open again."""

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

from oddsdesk.board.matrix import RowKey
from oddsdesk.desk.shell.tabs import GameTabs
from oddsdesk.desk.shell.window import holds_focus


class KeptPlace:
    """The price selected last, whether a game is in front, and whether the keyboard is in it."""

    def __init__(self, games: GameTabs) -> None:
        self._games = games
        self.selected: RowKey | None = None
        """The price selected last, at whatever moment of the service."""
        self.is_beside = False
        """Whether the odds grid or the bets were in front as the games were closed."""
        self._keyboard_at: QWidget | None = None
        """Where Qt put the keyboard as the game that had it was closed; None: it was elsewhere."""

    @contextmanager
    def closing_games(self, *, had_games: bool) -> Iterator[None]:
        """Within the block games are closed; note where the user was, if there were any to open."""
        self.is_beside = had_games and self._games.in_front() is None
        panel = self._games.active_panel()
        had_keyboard = panel is not None and holds_focus(panel)
        yield
        self._keyboard_at = QApplication.focusWidget() if had_keyboard else None

    def give_keyboard_back(self) -> None:
        """Put the keyboard into the game in front, unless the user has put it elsewhere since."""
        panel = self._games.active_panel()
        if panel and self._keyboard_at and self._keyboard_at is QApplication.focusWidget():
            panel.setFocus(Qt.FocusReason.OtherFocusReason)
