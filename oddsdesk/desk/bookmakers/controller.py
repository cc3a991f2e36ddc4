"""Opens the bookmakers dialog, saves the profiles and announces changes."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from oddsdesk.base.places import NoHomeError
from oddsdesk.base.texts import translated
from oddsdesk.desk.settings.declared import MINE
from oddsdesk.desk.settings.saved_state import Preferences
from oddsdesk.desk.ui.controls.messages import sentence
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.ledger.own_tables import OwnTableError, known_bookmakers, save_bookmakers
from oddsdesk.pricing.profiles import shipped_profiles

if TYPE_CHECKING:
    from oddsdesk.desk.bookmakers.dialog import BookmakersDialog


class BookmakersController(QObject):
    """The bookmaker profiles with the user's changes.

    Attributes:
        profiles: The shipped profiles with the user's changes.
        problems: The invalid lines of the user's file, a message each.
    """

    profiles_changed = Signal(object)
    """The new ``Profiles``."""
    repaired = Signal()
    """The user's file is valid again."""

    def __init__(
        self,
        theme: Theme,
        preferences: Preferences,
        window: QWidget,
        quoted: Callable[[], Iterable[str]],
    ) -> None:
        """Read the profiles; ``quoted`` returns the bookmakers that have prices."""
        super().__init__(window)
        self._theme = theme
        self._preferences = preferences
        self._window = window
        self._quoted = quoted
        self._dialog: BookmakersDialog | None = None
        self.profiles, self.problems = known_bookmakers()

    def open_dialog(self) -> None:
        """Show the dialog with the current file."""
        if self._dialog is not None:
            self._dialog.raise_()
            self._dialog.activateWindow()
            return
        from oddsdesk.desk.bookmakers.dialog import BookmakersDialog, BookmakersModel  # noqa: PLC0415

        self._read()
        mine = self._preferences.get_setting(MINE)
        model = BookmakersModel(
            self._theme, self.profiles, shipped_profiles(), self._quoted(), mine
        )
        dialog = self._dialog = BookmakersDialog(self._theme, model, self.problems, self._window)
        dialog.save_requested.connect(self._on_dialog_save_requested)
        dialog.finished.connect(self._on_dialog_finished)
        dialog.open()

    def _read(self) -> None:
        before, was_wrong = self.profiles.all_profiles(), bool(self.problems)
        self.profiles, self.problems = known_bookmakers()
        if was_wrong and not self.problems:
            self.repaired.emit()
        if self.profiles.all_profiles() != before:
            self.profiles_changed.emit(self.profiles)

    def _on_dialog_save_requested(self) -> None:
        dialog = self._dialog
        if dialog is None or dialog.go_to_fault():
            return
        try:
            save_bookmakers(dialog.profiles())
        except (OwnTableError, NoHomeError) as error:
            dialog.say_trouble(sentence(translated(str(error))))
            return
        self._read()
        self._preferences.keep_setting(MINE, dialog.mine())
        dialog.accept()

    def _on_dialog_finished(self) -> None:
        self._dialog = None
