"""What a setting is, and the kinds of values: how they are read and written. Without Qt."""

from typing import Final, Generic, Protocol, TypeVar
from urllib.parse import quote, unquote

import msgspec

T = TypeVar("T")

_KEPT: Final = " !#$&'()*+-./:<>?[]^_`{}~"
"""Signs of a name that a settings file takes as they are."""


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


class Names(msgspec.Struct, frozen=True):
    """Names of bookmakers; none stands for all of them."""

    def read(self, word: str) -> tuple[str, ...]:
        """Return the names, in the order of the word."""
        names = (unquote(part).strip() for part in word.split("|"))
        return tuple(dict.fromkeys(name for name in names if name))

    def write(self, value: tuple[str, ...]) -> str:
        """Return the names with ``|`` between them; what else has a meaning is ``%`` and hex."""
        return "|".join(quote(name, safe=_KEPT) for name in value)

    def expected(self) -> str:
        """Return how names are written."""
        return "names of bookmakers with `|` between them; empty for all"


class Judge(msgspec.Struct, frozen=True):
    """Whom prices are judged by: a bookmaker's name, or one of some words."""

    words: tuple[tuple[str, str], ...]
    """(word, what people read)."""

    def read(self, word: str) -> str:
        """Return the name, or the word in small letters."""
        name = unquote(word).strip()
        known = [kept for kept, _ in self.words if kept == name.casefold()]
        return known[0] if known else name

    def write(self, value: str) -> str:
        """Return the name; what else has a meaning in the file is ``%`` and hex."""
        return quote(value, safe=_KEPT)

    def expected(self) -> str:
        """Return what is written."""
        return "the name of a bookmaker, `consensus`, or nothing for the service's own"


class Setting(msgspec.Struct, Generic[T], frozen=True):
    """One thing that the user may set; ``key`` is what it is kept under."""

    key: str
    label: str
    help: str
    default: T
    kind: Kind[T]
