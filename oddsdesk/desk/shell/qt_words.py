"""Qt's own words, such as "Cancel" on a button, in the language of the desk."""

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QTranslator

from oddsdesk.base.texts import ENGLISH, language

_KEYS = "QShortcut"
"""Qt's context of the names of keys."""


class _QtWords(QTranslator):
    """Leaves the names of keys as the desk's own texts write them: "Ctrl", not "Strg"."""

    def translate(
        self, context: str, text: str, /, disambiguation: str | None = None, n: int = -1
    ) -> str | None:
        return text if context == _KEYS else super().translate(context, text, disambiguation, n)


def translate_qt(app: QCoreApplication) -> bool:
    """Load Qt's translation for the desk's language; False if Qt stays English."""
    if language() == ENGLISH:
        return False
    words = _QtWords(app)
    folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    return words.load(f"qtbase_{language()}", folder) and app.installTranslator(words)
