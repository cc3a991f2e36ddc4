"""Notifications of the desktop, with a sound; a click shows the price. And the icon in the tray."""

from collections.abc import Sequence
from typing import Final

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication, QMenu, QSystemTrayIcon, QWidget

from oddsdesk.board.alerts.gate import AlertEntry
from oddsdesk.desk.alerts.model import line_text, shown_texts

_SHOWN_MS: Final = 15_000
_MOST_NAMED: Final = 5
_MARKUP: Final = str.maketrans({"<": "‹", ">": "›", "&": "+"})
"""Desktops take what a notification says as markup: foreign text has none."""


class Notifier(QObject):
    """Tells of alerts in the tray, where the desktop has one."""

    price_requested = Signal(object)
    """The ``RowKey`` that the notification in sight is about."""
    list_requested = Signal()
    """Several are in sight: nobody knows which was meant."""
    window_requested = Signal()
    quit_requested = Signal()

    def __init__(self, icon: QIcon, owner: QWidget) -> None:
        super().__init__(owner)
        self._icon = icon
        self._owner = owner
        self._told: list[AlertEntry] = []
        """What is in sight, or was last."""
        self._in_sight = QTimer(self, singleShot=True, interval=_SHOWN_MS)
        self._tray: QSystemTrayIcon | None = None

    def enter_tray(self) -> bool:
        """Show the icon in the tray, where the desktop has one by now; whether it has.

        To hear that takes milliseconds.
        """
        is_there = QSystemTrayIcon.isSystemTrayAvailable()
        if is_there and self._tray is None:
            self._make_icon()
        return is_there

    def notify(self, entries: Sequence[AlertEntry]) -> None:
        """Show the alerts of one look for a while, with one sound."""
        if not self._in_sight.isActive():
            self._told = []
        self._told += entries
        self._in_sight.start()
        QApplication.beep()
        self.show(*_title_and_text(entries))

    def show(self, title: str, text: str) -> None:
        """Show something for a while, where there is a tray."""
        self.enter_tray()
        if self._tray is not None:
            icon = QSystemTrayIcon.MessageIcon.Information
            title, text = title.translate(_MARKUP), text.translate(_MARKUP)
            self._tray.showMessage(title, text, icon, _SHOWN_MS)

    def show_told(self) -> None:
        """Show what the notifications in sight are about."""
        self.window_requested.emit()
        if len(self._told) > 1:
            self.list_requested.emit()
        for entry in self._told if len(self._told) == 1 else ():
            if entry.alert.cell is not None:
                self.price_requested.emit(entry.alert.cell)

    def close(self) -> None:
        """Leave the tray."""
        if self._tray is not None:
            self._tray.hide()

    def _make_icon(self) -> None:
        self._tray = QSystemTrayIcon(self._icon, self)
        self._menu = QMenu(self._owner)
        self._menu.addAction("Show oddsdesk", self.window_requested.emit)
        self._menu.addAction("Quit", self.quit_requested.emit)
        self._tray.setContextMenu(self._menu)
        self._tray.messageClicked.connect(self.show_told)
        self._tray.activated.connect(lambda _reason: self.window_requested.emit())
        self._tray.show()


def _title_and_text(entries: Sequence[AlertEntry]) -> tuple[str, str]:
    """Return what a notification says: an alert with all of it, or a line of each of several."""
    if len(entries) == 1:
        return shown_texts(entries[0])
    lines = [line_text(entry) for entry in entries[:_MOST_NAMED]]
    more = len(entries) - _MOST_NAMED
    return f"{len(entries)} alerts", "\n".join([*lines, f"and {more} more"] if more > 0 else lines)
