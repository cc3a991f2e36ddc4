"""A dialog that asks for a file, and reads none of those that it lists."""

from functools import cache

from PySide6.QtCore import QFileInfo, Qt
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QFileDialog, QFileIconProvider, QWidget

from oddsdesk.base.texts import _
from oddsdesk.desk.ui.controls.dialogs import keep_on_screen


def file_dialog(owner: QWidget | None, title: str) -> QFileDialog:
    """Return a dialog that deletes itself when it is closed.

    WORKAROUND Qt's own icon provider opens each listed file to tell its kind. Where that is a
    SQLite database of this process, closing it again drops the process's POSIX locks on the
    database, and another process's write then damages it:
    https://www.sqlite.org/howtocorrupt.html#_posix_advisory_locks_canceled_by_a_separate_thread_doing_close_
    """
    dialog = QFileDialog(owner, title)
    keep_on_screen(dialog)
    dialog.setIconProvider(_icons())
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    return dialog


@cache
def _icons() -> QFileIconProvider:
    """Return the shared provider: dialogs do not own it, and it must outlive all of them."""
    return _IconsByName()


class _IconsByName(QFileIconProvider):
    """Finds a file's kind by its name; called in a thread of Qt's."""

    def __init__(self) -> None:
        super().__init__()
        self._folder = QFileIconProvider.icon(self, QFileIconProvider.IconType.Folder)
        self._file = QFileIconProvider.icon(self, QFileIconProvider.IconType.File)

    def icon(self, of: QFileInfo | QFileIconProvider.IconType) -> QIcon:
        if isinstance(of, QFileInfo):
            return self._folder if of.isDir() else self._file
        return QFileIconProvider.icon(self, of)

    def type(self, info: QFileInfo) -> str:
        if info.isDir():
            return _("Folder")
        return (
            _("{ending} file").format(ending=info.suffix().upper()) if info.suffix() else _("File")
        )
