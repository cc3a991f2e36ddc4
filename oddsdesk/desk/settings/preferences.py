"""The user's settings: read with a check, kept, and told of when they change."""

import logging
from typing import Generic, Protocol, TypeVar

import msgspec
from PySide6.QtCore import QObject, Signal

from oddsdesk.desk.settings.saved_state import Layout

T = TypeVar("T")


class Kind(Protocol[T]):
    """Reads and writes one kind of value."""

    def read(self, word: str) -> T:
        """Return what a kept word means; ``ValueError`` says what was expected instead."""
        ...

    def write(self, value: T) -> str:
        """Return the word that is kept for a value."""
        ...

    def expected(self) -> str:
        """Say what values there are, for messages and the documentation."""
        ...


class Toggle(msgspec.Struct, frozen=True):
    """On or off."""

    def read(self, word: str) -> bool:
        """Return whether the word says on."""
        match word.casefold():
            case "true" | "on" | "1":
                return True
            case "false" | "off" | "0":
                return False
        raise ValueError(f"expected {self.expected()}, got {word!r}")

    def write(self, value: bool) -> str:
        """Return ``true`` or ``false``."""
        return "true" if value else "false"

    def expected(self) -> str:
        """Return the two words."""
        return "true or false"


class Choice(msgspec.Struct, frozen=True):
    """One of some words; ``options`` are (word, what people read)."""

    options: tuple[tuple[str, str], ...]

    def read(self, word: str) -> str:
        """Return the word if it is one of the options."""
        if word not in (option for option, _ in self.options):
            raise ValueError(f"expected {self.expected()}, got {word!r}")
        return word

    def write(self, value: str) -> str:
        """Return the word itself, if it is one of the options."""
        return self.read(value)

    def expected(self) -> str:
        """Return the words."""
        return "one of " + ", ".join(option for option, _ in self.options)


class Whole(msgspec.Struct, frozen=True):
    """A whole number from ``least`` to ``most``."""

    least: int
    most: int
    step: int = 1
    unit: str = ""

    def read(self, word: str) -> int:
        """Return the number if it lies in the range."""
        sign, digits = (word[:1], word[1:]) if word.startswith("-") else ("", word)
        if not (digits.isascii() and digits.isdecimal() and len(digits) < 10):
            raise ValueError(f"expected {self.expected()}, got {word!r}")
        value = int(sign + digits)
        if not self.least <= value <= self.most:
            raise ValueError(f"expected {self.expected()}, got {word!r}")
        return value

    def write(self, value: int) -> str:
        """Return the digits of a number in the range."""
        self.read(str(value))
        return str(value)

    def expected(self) -> str:
        """Return the range."""
        unit = f" {self.unit}" if self.unit else ""
        return f"a whole number from {self.least:,} to {self.most:,}{unit}"


class Setting(msgspec.Struct, Generic[T], frozen=True):
    """One thing that the user may set; ``key`` is what it is kept under."""

    key: str
    label: str
    help: str
    default: T
    kind: Kind[T]


_log = logging.getLogger(__name__)


class Preferences(QObject):
    """Values by setting; what was never set, or makes no sense, has its default."""

    changed = Signal(str)
    """The key of a setting that has another value now."""

    def __init__(self, layout: Layout) -> None:
        super().__init__()
        self._layout = layout

    def get(self, setting: Setting[T]) -> T:
        """Return the value of a setting."""
        default = setting.kind.write(setting.default)
        try:
            return setting.kind.read(self._layout.get(setting.key, default))
        except ValueError as error:
            _log.warning("setting %s: %s; the default is used", setting.key, error)
            return setting.default

    def put(self, setting: Setting[T], value: T) -> None:
        """Keep a value; ``ValueError`` where the setting cannot have it."""
        if value != self.get(setting):
            self._layout.put(setting.key, setting.kind.write(value))
            self.changed.emit(setting.key)
