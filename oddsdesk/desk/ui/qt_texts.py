"""Qt's own texts in the desk's language: buttons, menus of text fields, tabs and file dialogs.

They are in our catalogues: Qt's would be 0.4 MB of the bundle and lack Spanish texts of file
dialogs. So are the names of keys, which catalogues also write in their texts: "Strg+C".
"""

from typing import Final

from PySide6.QtCore import QLocale, QTranslator
from PySide6.QtWidgets import QApplication

from oddsdesk.base.texts import ENGLISH, N_, PSEUDO, language, pgettext, translated

_TEXTS: Final = frozenset(
    {
        # buttons of dialogs
        *(N_("OK"), N_("&OK"), N_("Save"), N_("Save All"), N_("Open"), N_("Close"), N_("Cancel")),
        *(N_("&Yes"), N_("Yes to &All"), N_("&No"), N_("N&o to All"), N_("Abort"), N_("Retry")),
        *(N_("Ignore"), N_("Discard"), N_("Help"), N_("Apply"), N_("Reset")),
        *(N_("Restore Defaults"), N_("Show Details..."), N_("Hide Details...")),
        # menus of text fields and numbers
        *(N_("&Undo"), N_("&Redo"), N_("Cu&t"), N_("&Copy"), N_("Copy &Link Location")),
        *(N_("&Paste"), N_("Delete"), N_("Select All"), N_("&Select All")),
        *(N_("&Step up"), N_("Step &down")),
        # panels, tabs and scroll bars
        *(N_("Float"), N_("Closes the dock widget")),
        *(N_("Undocks and re-attaches the dock widget"), N_("Close Tab")),
        *(N_("Scroll Left"), N_("Scroll Right"), N_("Scroll here"), N_("Top"), N_("Bottom")),
        *(N_("Page up"), N_("Page down"), N_("Page left"), N_("Page right"), N_("Left edge")),
        *(N_("Right edge"), N_("Scroll up"), N_("Scroll down"), N_("Scroll left")),
        N_("Scroll right"),
        # file dialogs
        *(N_("&Look in:"), N_("Directory:"), N_("File &name:"), N_("Files of &type:")),
        *(N_("&Open"), N_("&Save"), N_("&Choose"), N_("&Delete"), N_("&Rename")),
        *(N_("&New Folder"), N_("New Folder"), N_("Create New Folder"), N_("Create a New Folder")),
        *(N_("Back"), N_("Go back"), N_("Forward"), N_("Go forward"), N_("Parent Directory")),
        *(N_("Go to the parent directory"), N_("List View"), N_("Change to list view mode")),
        *(N_("Detail View"), N_("Change to detail view mode"), N_("Show &hidden files")),
        *(N_("All Files (*)"), N_("Directories"), N_("Files"), N_("Sidebar"), N_("Show ")),
        *(N_("List of places and bookmarks"), N_("Recent Places"), N_("Remove")),
        *(N_("Find Directory"), N_("Save As"), N_("Name"), N_("Size"), N_("Type")),
        *(N_("Date Modified"), N_("Computer"), N_("Drive"), N_("File"), N_("Folder")),
        *(N_("Unknown"), N_("Invalid filename"), N_("Could not delete directory.")),
        N_("%1 already exists.\nDo you want to replace it?"),
        N_("%1\nFile not found.\nPlease verify the correct file name was given."),
        N_("%1\nDirectory not found.\nPlease verify the correct directory name was given."),
        N_("'%1' is write protected.\nDo you want to delete it anyway?"),
        N_("Are you sure you want to delete '%1'?"),
        # questions
        N_("Enter a value:"),
    }
)
_KEYS: Final = "QShortcut"
_KEY_NAMES: Final = {
    "Ctrl": pgettext("key", "Ctrl"),
    "Shift": pgettext("key", "Shift"),
    "Alt": pgettext("key", "Alt"),
    "Return": pgettext("key", "Return"),
    "Enter": pgettext("key", "Enter"),
    "Esc": pgettext("key", "Esc"),
    "Tab": pgettext("key", "Tab"),
    "Space": pgettext("key", "Space"),
    "Backspace": pgettext("key", "Backspace"),
    "Del": pgettext("key", "Del"),
    "Home": pgettext("key", "Home"),
    "End": pgettext("key", "End"),
    "PgUp": pgettext("key", "PgUp"),
    "PgDown": pgettext("key", "PgDown"),
    "Left": pgettext("key", "Left"),
    "Right": pgettext("key", "Right"),
    "Up": pgettext("key", "Up"),
    "Down": pgettext("key", "Down"),
}
"""Those that the desk uses, as they stand on the keyboards of the language's countries."""


class QtTexts(QTranslator):
    """Returns Qt's texts from our catalogue; those that are not listed stay English."""

    def translate(
        self,
        context: str,
        sourceText: str,  # noqa: N803 - Qt's name
        disambiguation: str | None = None,
        n: int = -1,
    ) -> str:
        if context == _KEYS:
            known = language() != PSEUDO and sourceText in _KEY_NAMES
            return _KEY_NAMES[sourceText] if known else sourceText
        return translated(sourceText) if sourceText in _TEXTS else sourceText

    def isEmpty(self) -> bool:
        return False


def translate_qt(application: QApplication) -> None:
    """Show Qt's own texts and calendars in the chosen language; English stays as it is."""
    if language() == ENGLISH:
        return
    application.installTranslator(QtTexts(application))
    if language() != PSEUDO:
        QLocale.setDefault(QLocale(language()))
