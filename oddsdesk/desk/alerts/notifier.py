"""Notifications of the desktop, with a sound; a click shows the price. And the icon in the tray."""

from typing import Final

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication, QMenu, QSystemTrayIcon, QWidget

from oddsdesk.board.alerts.gate import AlertEntry
from oddsdesk.desk.alerts.model import shown_texts

_SHOWN_MS: Final = 15_000
_MARKUP: Final = str.maketrans({"<": "‹", ">": "›", "&": "+"})
"""Desktops take what a notification says as markup: foreign text has none."""


class Notifier(QObject):
    """Tells of alerts in the tray, where the desktop has one."""

    price_requested = Signal(object)
    """The ``RowKey`` that the notification in sight is about."""
    window_requested = Signal()
    quit_requested = Signal()

    def __init__(self, icon: QIcon, owner: QWidget) -> None:
        super().__init__(owner)
        self._icon = icon
        self._owner = owner
        self._told: AlertEntry | None = None
        self._tray: QSystemTrayIcon | None = None

    def enter_tray(self) -> bool:
        """Show the icon in the tray, where the desktop has one by now; whether it has.

        To hear that takes milliseconds.
        """
        is_there = QSystemTrayIcon.isSystemTrayAvailable()
        if is_there and self._tray is None:
            self._make_icon()
        return is_there

    def notify(self, entry: AlertEntry) -> None:
        """Show an alert for a while, with a sound."""
        self._told = entry
        QApplication.beep()
        self.enter_tray()
        if self._tray is not None:
            icon = QSystemTrayIcon.MessageIcon.Information
            title, text = (said.translate(_MARKUP) for said in shown_texts(entry))
            self._tray.showMessage(title, text, icon, _SHOWN_MS)

    def show_told(self) -> None:
        """Show what the last notification is about."""
        self.window_requested.emit()
        if self._told is not None and self._told.alert.cell is not None:
            self.price_requested.emit(self._told.alert.cell)

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
