"""The base of all dialogs: each opens over its window, whole and on the screen."""

import time
from typing import Final

from PySide6.QtCore import QEvent, QMargins, QObject, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QScreen
from PySide6.QtWidgets import QDialog, QWidget

_FRAME: Final = QMargins(4, 28, 4, 4)
"""The frame of a window that never had one yet: a window manager adds it later."""


class Dialog(QDialog):
    """A dialog that is always within reach: its title bar and its buttons are on the screen."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        keep_on_screen(self)


def keep_on_screen(dialog: QDialog) -> None:
    """Open a dialog over its window, and keep it on the screen when it grows by itself.

    Qt leaves the place to the window manager. Some put a dialog that follows another one into the
    corner of the screen, with the title bar beyond the edge.
    """
    dialog.installEventFilter(_Placer(dialog))


_SETTLING_S: Final = 1.0
"""For this long after it is shown a dialog is where it is put, not where it says it is.

While a window manager frames it, Qt may report a place within the frame as one on the screen.
"""
_MOST_CORRECTIONS: Final = 5
"""Some window managers put a dialog where they want, however often it asks."""


class _Placer(QObject):
    """Moves the dialog that owns it."""

    def __init__(self, dialog: QDialog) -> None:
        super().__init__(dialog)
        self._settled_at = 0.0
        self._corrections = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if isinstance(watched, QDialog):
            if kind == QEvent.Type.Show and not event.spontaneous():
                self._settled_at = time.monotonic() + _SETTLING_S
                self._corrections = 0
                _shrink(watched)
                _place(watched)
            elif kind == QEvent.Type.Move and event.spontaneous():
                self._correct(watched)
            elif (
                kind == QEvent.Type.Resize
                and _has_grown_by_itself(watched)
                and not self._correct(watched)
            ):
                _move(watched, _framed(watched).topLeft())
        return False

    def _correct(self, dialog: QDialog) -> bool:
        """Put a dialog that was just shown over its window again; return whether it was."""
        if self._corrections == _MOST_CORRECTIONS or time.monotonic() > self._settled_at:
            return False
        self._corrections += 1
        _place(dialog)
        return dialog.parentWidget() is not None


def _has_grown_by_itself(dialog: QDialog) -> bool:
    """Return whether its contents made it as large as it is, not the user."""
    return dialog.isVisible() and dialog.height() <= dialog.minimumHeight()


def largest_size(dialog: QDialog) -> QSize:
    """Return the size at which a dialog is whole on the screen with its frame."""
    return _screen_of(dialog).availableGeometry().size() - (_framed(dialog).size() - dialog.size())


def _shrink(dialog: QDialog) -> None:
    """Make a dialog no larger than the screen with its frame; its contents scroll then."""
    if dialog.size() != (size := dialog.size().boundedTo(largest_size(dialog))):
        dialog.resize(size)


def _place(dialog: QDialog) -> None:
    """Put a dialog over the middle of its window."""
    owner = dialog.parentWidget()
    if owner is None or dialog.windowState() & Qt.WindowState.WindowMaximized:
        return
    window = owner.window()
    over = dialog.screen().availableGeometry() if window.isMinimized() else window.frameGeometry()
    framed = _framed(dialog)
    framed.moveCenter(over.center())
    _move(dialog, framed.topLeft())


def _framed(dialog: QDialog) -> QRect:
    """Return where a dialog is with its frame; until it has one, with that of its window."""
    handle = dialog.windowHandle()
    margins = handle.frameMargins() if handle is not None else QMargins()
    if margins.isNull():
        owner = dialog.parentWidget()
        above = None if owner is None else owner.window().windowHandle()
        margins = _FRAME if above is None or above.frameMargins().isNull() else above.frameMargins()
        return QRect(dialog.pos(), dialog.size().grownBy(margins))
    return dialog.frameGeometry()


def _move(dialog: QDialog, to: QPoint) -> None:
    """Move a dialog there, or as near as the screen allows; the title bar comes first."""
    room, size = _screen_of(dialog).availableGeometry(), _framed(dialog).size()
    left = max(room.left(), min(to.x(), room.right() + 1 - size.width()))
    top = max(room.top(), min(to.y(), room.bottom() + 1 - size.height()))
    if dialog.pos() != QPoint(left, top):
        dialog.move(left, top)


def _screen_of(dialog: QDialog) -> QScreen:
    """Return the screen of its window, on which a dialog opens."""
    owner = dialog.parentWidget()
    return (dialog if owner is None else owner.window()).screen()
