"""Opens the dialog of bookmakers, keeps what was saved, and signals it to those who judge by it."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from oddsdesk.desk.settings.declared import MINE
from oddsdesk.desk.settings.preferences import Preferences
from oddsdesk.desk.ui.controls.message_bar import sentence
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.ledger.bookmakers import (
    BookmakersFileError,
    known_bookmakers,
    save_bookmakers,
)
from oddsdesk.places import NoHomeError
from oddsdesk.shipped_bookmakers import shipped_profiles

if TYPE_CHECKING:
    from oddsdesk.desk.bookmakers.dialog import BookmakersDialog


class BookmakersController(QObject):
    """What is known of bookmakers, as the user has it.

    Attributes:
        profiles: What is shipped, with the user's own in its place.
        problems: What of the user's file makes no sense, a line each.
    """

    profiles_changed = Signal(object)
    """The ``Profiles`` as they are now."""
    repaired = Signal()
    """The user's file makes sense again."""

    def __init__(
        self,
        theme: Theme,
        preferences: Preferences,
        window: QWidget,
        quoted: Callable[[], Iterable[str]],
    ) -> None:
        """Read what is known; ``quoted`` names the bookmakers that have prices."""
        super().__init__(window)
        self._theme = theme
        self._preferences = preferences
        self._window = window
        self._quoted = quoted
        self._dialog: BookmakersDialog | None = None
        self.profiles, self.problems = known_bookmakers()

    def open(self) -> None:
        """Show the dialog, with what the file says now."""
        if self._dialog is not None:
            self._dialog.raise_()
            self._dialog.activateWindow()
            return
        from oddsdesk.desk.bookmakers.dialog import BookmakersDialog  # noqa: PLC0415 - late
        from oddsdesk.desk.bookmakers.model import BookmakersModel  # noqa: PLC0415 - late

        self._read()
        mine = self._preferences.get(MINE)
        model = BookmakersModel(
            self._theme, self.profiles, shipped_profiles(), self._quoted(), mine
        )
        dialog = self._dialog = BookmakersDialog(self._theme, model, self.problems, self._window)
        dialog.save_requested.connect(self._on_dialog_save_requested)
        dialog.finished.connect(self._on_dialog_finished)
        dialog.open()

    def _read(self) -> None:
        before, was_wrong = self.profiles.all(), bool(self.problems)
        self.profiles, self.problems = known_bookmakers()
        if was_wrong and not self.problems:
            self.repaired.emit()
        if self.profiles.all() != before:
            self.profiles_changed.emit(self.profiles)

    def _on_dialog_save_requested(self) -> None:
        dialog = self._dialog
        if dialog is None or dialog.go_to_fault():
            return
        try:
            save_bookmakers(dialog.profiles())
        except (BookmakersFileError, NoHomeError) as error:
            dialog.say_trouble(sentence(str(error)))
            return
        self._read()
        self._preferences.put(MINE, dialog.mine())
        dialog.accept()

    def _on_dialog_finished(self) -> None:
        self._dialog = None
