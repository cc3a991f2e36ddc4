"""Qt's own words, such as "Cancel" on a button, in the language of the desk."""

from PySide6.QtCore import QCoreApplication, QLibraryInfo, QTranslator

from oddsdesk.base.texts import ENGLISH, language


def translate_qt(app: QCoreApplication) -> bool:
    """Load Qt's translation for the desk's language; False if Qt stays English."""
    if language() == ENGLISH:
        return False
    translator = QTranslator(app)
    folder = QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
    return translator.load(f"qtbase_{language()}", folder) and app.installTranslator(translator)
