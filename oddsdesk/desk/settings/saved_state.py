"""Where the window's geometry, docks and scheme are kept between starts."""

from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings
from PySide6.QtWidgets import QMainWindow

from oddsdesk.places import settings_folder

LAYOUT_VERSION = 1
"""Raised when docks are renamed: an older layout is then left alone."""


class Layout:
    """The kept layout, an INI file in the user's configuration folder."""

    def __init__(self, path: Path | None = None) -> None:
        self._settings = QSettings(
            str(path or settings_folder() / "desk.ini"), QSettings.Format.IniFormat
        )

    def restore(self, window: QMainWindow) -> bool:
        """Put the window as it was; False where nothing fitting was kept."""
        geometry = self._settings.value("window/geometry")
        docks = self._settings.value("window/docks")
        if not isinstance(geometry, QByteArray) or not isinstance(docks, QByteArray):
            return False
        return window.restoreGeometry(geometry) and window.restoreState(docks, LAYOUT_VERSION)

    def save(self, window: QMainWindow) -> None:
        """Keep the window as it is."""
        self._settings.setValue("window/geometry", window.saveGeometry())
        self._settings.setValue("window/docks", window.saveState(LAYOUT_VERSION))
        self._settings.sync()

    def get(self, key: str, default: str) -> str:
        """Return a kept word such as the colour scheme."""
        return str(self._settings.value(key, default))

    def put(self, key: str, value: str) -> None:
        """Keep a word."""
        self._settings.setValue(key, value)

    def remove(self, key: str) -> None:
        """Keep a word no longer."""
        self._settings.remove(key)
