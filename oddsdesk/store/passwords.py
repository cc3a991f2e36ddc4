"""Passwords of owners: which are accepted, and how they are stored."""

import secrets
import threading
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from oddsdesk.base.places import how_to_install
from oddsdesk.store.errors import StoreError

if TYPE_CHECKING:
    from argon2 import PasswordHasher

SHORTEST: Final = 12
LONGEST: Final = 1_024
_FEWEST: Final = 5
"""Different characters of a password."""
_BEST_KNOWN: Final = """
0123456789012 012345678901 1234567890123 123456789012 12345678901234 123456789101112
1234567890qwerty 123qweasdzxc 1q2w3e4r5t6y 1q2w3e4r5t6y7u 1q2w3e4r5t6y7u8i 1qaz2wsx3edc
1qaz2wsx3edc4rfv 1qazxsw23edc abcdefghijkl abcdefghijklm abc123abc123 administrator
administrator1 asdfghjkl123 basketball12 changemenow1 changeme1234 chelsea12345 football1234
iloveyou1234 iloveyou2024 iloveyou2025 iloveyou2026 letmein12345 letmeinplease liverpool123
manchester123 manchesterunited mypassword123 oddsdesk1234 p@ssw0rd1234 p@ssword1234
password1234 password12345 password123456 password2024 password2025 password2026
passwordpassword q1w2e3r4t5y6 q1w2e3r4t5y6u7 qazwsxedc123 qazwsxedcrfv qwerty123456
qwertyqwerty qwertyuiop12 qwertyuiop123 qwertyuiop123456 qwertyuiopasdf
qwertyuiopasdfghjkl qwertyuiopasdfghjklzxcvbnm superman1234 thisismypassword unbelievable
welcome12345 zaq12wsxcde3 zxcvbnm12345 zxcvbnmasdfghjkl
"""
_COMMON: Final = frozenset(_BEST_KNOWN.split())
"""The best known ones of at least 12 characters, in lower case."""

HASHES_AT_ONCE: Final = 2
"""Passwords that a process checks at the same time: sign-ins must not slow down the odds."""
_PASSES: Final = 2
_MEMORY_KIB: Final = 19_456
_LANES: Final = 1
"""As OWASP's Password Storage Cheat Sheet recommends: 50 ms of one core."""
_TURN_S: Final = 5.0
"""How long a sign-in waits for its turn, before it is refused as busy."""


class BadPasswordError(ValueError):
    """A new password is refused; the message says why, in words for the page."""


class NoHashingError(StoreError):
    """The package that checks passwords is missing; the message says how to install it."""


def normal_password(password: str) -> str:
    """Return a password as it is hashed: NFC, as keyboards differ; empty if it cannot be one."""
    folded = unicodedata.normalize("NFC", password)
    is_text = not any("\ud800" <= each <= "\udfff" for each in folded)
    return folded if is_text and len(folded) <= LONGEST else ""


def check_password(password: str, account: str) -> str:
    """Return a new password as it is hashed. Any text will do, blanks included.

    Raises:
        BadPasswordError: it is too short, too long or too easy to guess.
    """
    if len(unicodedata.normalize("NFC", password)) > LONGEST:
        raise BadPasswordError(f"the password is too long; use at most {LONGEST:,} characters")
    folded = normal_password(password)
    if password and not folded:
        raise BadPasswordError("the password has characters that are no text; use others")
    if len(folded) < SHORTEST:
        raise BadPasswordError(f"the password is too short; use at least {SHORTEST} characters")
    plain = folded.casefold()
    if plain in _COMMON or len(set(plain)) < _FEWEST or not plain.replace(account.casefold(), ""):
        raise BadPasswordError("the password is easy to guess; use several words instead")
    return folded


class Hashing:
    """Argon2id with the parameters that OWASP recommends; any thread may call it.

    ``hasher`` is another ``argon2.PasswordHasher``.
    """

    def __init__(self, hasher: "PasswordHasher | None" = None) -> None:
        self._hasher = hasher
        self._nobody: str | None = None
        self._turns = threading.BoundedSemaphore(HASHES_AT_ONCE)

    def require(self) -> None:
        """Load the package.

        Raises:
            NoHashingError: it is not installed.
        """
        if self._hasher is not None:
            return
        try:
            from argon2 import PasswordHasher  # noqa: PLC0415 - of an extra
        except ImportError as error:
            raise NoHashingError(
                f"passwords need argon2-cffi: {how_to_install('dashboard')}"
            ) from error
        self._hasher = PasswordHasher(_PASSES, _MEMORY_KIB, _LANES)

    @contextmanager
    def turn(self) -> Iterator[bool]:
        """Hold one of the few places for work with passwords; yield False if all are taken."""
        self.require()
        has_turn = self._turns.acquire(timeout=_TURN_S)
        try:
            yield has_turn
        finally:
            if has_turn:
                self._turns.release()

    def hashed(self, password: str) -> str:
        """Return the text to store for a password."""
        self.require()
        assert self._hasher is not None
        return str(self._hasher.hash(password))

    def matches(self, stored: str | None, password: str) -> bool:
        """Return whether a password is the stored one; None costs the same and never matches."""
        self.require()
        assert self._hasher is not None
        from argon2.exceptions import InvalidHashError, VerificationError  # noqa: PLC0415

        if self._nobody is None:
            self._nobody = self.hashed(secrets.token_hex(32))
        try:
            is_right = self._hasher.verify(stored or self._nobody, password)
        except (VerificationError, InvalidHashError):
            return False
        return bool(is_right) and stored is not None

    def renewed(self, stored: str, password: str) -> str:
        """Return the text to store from now on: another one if it has older parameters."""
        self.require()
        assert self._hasher is not None
        return self.hashed(password) if self._hasher.check_needs_rehash(stored) else stored
