"""What is kept between starts: the window's geometry and docks, and small values by key."""

import contextlib
import logging
from pathlib import Path
from typing import Generic, TypeVar

import msgspec
from PySide6.QtCore import QByteArray, QSettings
from PySide6.QtWidgets import QMainWindow

from oddsdesk.places import settings_folder
from oddsdesk.private_files import keep_from_others, make_own_folder

T = TypeVar("T")

LAYOUT_VERSION = 1
"""Raised when docks are renamed: an older layout is then left alone."""

_log = logging.getLogger(__name__)


class Layout:
    """The kept layout, an INI file in the user's configuration folder."""

    def __init__(self, path: Path | None = None) -> None:
        path = path or settings_folder() / "desk.ini"
        with contextlib.suppress(OSError):  # then nothing is kept
            make_own_folder(path.parent)
        keep_from_others(path)
        self._settings = QSettings(str(path), QSettings.Format.IniFormat)

    @property
    def folder(self) -> Path:
        """Where the file lies, and what is kept beside it."""
        return Path(self._settings.fileName()).parent

    @property
    def problem(self) -> str:
        """One line where the file cannot be read: each setting has its default."""
        if self._settings.status() is QSettings.Status.NoError:
            return ""
        return f"{self._settings.fileName()}: cannot be read; settings have their defaults"

    def restore(self, window: QMainWindow) -> bool:
        """Put the window as it was; False where nothing fitting was kept."""
        geometry = self._settings.value("window/geometry")
        docks = self._settings.value("window/docks")
        if not isinstance(geometry, QByteArray) or not isinstance(docks, QByteArray):
            return False
        return window.restoreGeometry(geometry) and window.restoreState(docks, LAYOUT_VERSION)

    def save(self, window: QMainWindow) -> None:
        """Keep where the window is and where its panels stand, as Qt writes them down."""
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


class Saved(Generic[T]):
    """One value kept between starts, as JSON; one that cannot be read is logged once."""

    def __init__(self, layout: Layout, key: str, kind: type[T], default: T) -> None:
        self._layout = layout
        self._key = key
        self._kind = kind
        self._default = default
        self._has_warned = False

    def get(self) -> T:
        """Return the kept value, or the default where none, or none of this type, is kept."""
        text = self._layout.get(self._key, "")
        if not text:
            return self._default
        try:
            return msgspec.json.decode(text, type=self._kind)
        except msgspec.DecodeError as error:
            if not self._has_warned:
                _log.warning("%s as it was kept is left out: %s", self._key, error)
            self._has_warned = True
            return self._default

    def put(self, value: T) -> None:
        """Keep a value."""
        self._layout.put(self._key, msgspec.json.encode(value, order="deterministic").decode())
