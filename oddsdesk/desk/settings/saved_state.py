"""State kept between starts: window geometry, docks and small values by key."""

import contextlib
import logging
from pathlib import Path
from typing import Generic, TypeVar

import msgspec
from PySide6.QtCore import QByteArray, QObject, QSettings, Signal
from PySide6.QtWidgets import QMainWindow

from oddsdesk.base.files import keep_from_others, make_own_folder
from oddsdesk.base.places import settings_folder
from oddsdesk.base.texts import N_
from oddsdesk.desk.settings.declared import Setting

T = TypeVar("T")

LAYOUT_VERSION = 1
"""Increased when docks are renamed; older layouts are then ignored."""

_log = logging.getLogger(__name__)


class Layout:
    """The settings file, an INI file in the user's configuration folder."""

    def __init__(self, path: Path | None = None) -> None:
        path = path or settings_folder() / "desk.ini"
        with contextlib.suppress(OSError):  # then nothing is saved
            make_own_folder(path.parent)
        keep_from_others(path)
        self._settings = QSettings(str(path), QSettings.Format.IniFormat)

    @property
    def folder(self) -> Path:
        """The folder of the file."""
        return Path(self._settings.fileName()).parent

    @property
    def problem(self) -> str:
        """Why the file cannot be read, in one line; empty if it can."""
        if self._settings.status() is QSettings.Status.NoError:
            return ""
        return N_("{file}: cannot be read; default settings are used").format(
            file=self._settings.fileName()
        )

    def restore_window(self, window: QMainWindow) -> bool:
        """Restore the window; return False if no valid layout is saved."""
        geometry = self._settings.value("window/geometry")
        docks = self._settings.value("window/docks")
        if not isinstance(geometry, QByteArray) or not isinstance(docks, QByteArray):
            return False
        return window.restoreGeometry(geometry) and window.restoreState(docks, LAYOUT_VERSION)

    def save_window(self, window: QMainWindow) -> None:
        """Save the window's geometry and docks."""
        self._settings.setValue("window/geometry", window.saveGeometry())
        self._settings.setValue("window/docks", window.saveState(LAYOUT_VERSION))
        self._settings.sync()

    def get_word(self, key: str, default: str) -> str:
        """Return a saved value such as the colour scheme."""
        return str(self._settings.value(key, default))

    def keep_word(self, key: str, value: str) -> None:
        self._settings.setValue(key, value)

    def remove_word(self, key: str) -> None:
        """Delete a saved value."""
        self._settings.remove(key)


class Saved(Generic[T]):
    """A value kept between starts as JSON; an unreadable one is logged once."""

    def __init__(self, layout: Layout, key: str, kind: type[T], default: T) -> None:
        self._layout = layout
        self._key = key
        self._kind = kind
        self._default = default
        self._has_warned = False

    def get_value(self) -> T:
        """Return the saved value, or the default if there is none of this type."""
        text = self._layout.get_word(self._key, "")
        if not text:
            return self._default
        try:
            return msgspec.json.decode(text, type=self._kind)
        except msgspec.DecodeError as error:
            if not self._has_warned:
                _log.warning("saved %s is skipped: %s", self._key, error)
            self._has_warned = True
            return self._default

    def keep_value(self, value: T) -> None:
        self._layout.keep_word(
            self._key, msgspec.json.encode(value, order="deterministic").decode()
        )


class Preferences(QObject):
    """The values of the settings; missing or invalid ones have their defaults."""

    changed = Signal(str)
    """The key of a setting whose value has changed."""

    def __init__(self, layout: Layout) -> None:
        super().__init__()
        self._layout = layout

    def kept(self, key: str, kind: type[T], default: T) -> Saved[T]:
        """Return a value that is kept with the settings but is none of them."""
        return Saved(self._layout, key, kind, default)

    def get_setting(self, setting: Setting[T]) -> T:
        default = setting.kind.word_of(setting.default)
        word = self._layout.get_word(setting.key, default)
        try:
            return setting.kind.parse_word(word)
        except ValueError:
            _log.warning("setting %s: %r cannot be used; the default is", setting.key, word)
            return setting.default

    def keep_setting(self, setting: Setting[T], value: T) -> None:
        """Save a value; raises ``ValueError`` if it is invalid."""
        if value != self.get_setting(setting):
            self._layout.keep_word(setting.key, setting.kind.word_of(value))
            self.changed.emit(setting.key)
