"""Where the keys of remote services are kept: keyring, this session, or a file if so chosen."""

import logging
import threading
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from oddsdesk.places import make_folder
from oddsdesk.system_keyring import Keyring, KeyringError, system_keyring
from oddsdesk.whole_files import whole_file

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend


OWNER_ONLY: Final = 0o600


def write_whole(path: Path, content: bytes) -> None:
    """Replace a file that only its owner may read; ``OSError`` leaves the old one as it was."""
    make_folder(path.parent)
    with whole_file(path, OWNER_ONLY, private=True) as file:
        file.write(content)


_FILE: Final = "keys.json"

_log = logging.getLogger(__name__)


class KeyPlace(Enum):
    """Where a key is kept; the value is the word in the connections' file."""

    KEYRING = "keyring"
    SESSION = "session"
    FILE = "file"


class SecretsError(Exception):
    """A key cannot be kept or read; one line that says what to do."""


class Secrets:
    """Keys by the ident of their connection. Its methods may wait: not for the GUI thread."""

    def __init__(
        self, folder: Path, backend: Callable[[], "KeyringBackend"] = system_keyring
    ) -> None:
        self._path = folder / _FILE
        self._keyring = Keyring(backend)
        self._session: dict[str, str] = {}
        self._lock = threading.Lock()

    def has_keyring(self) -> bool:
        """Say whether this machine has a keyring that keeps anything."""
        return self._keyring.is_there()

    def get(self, ident: str, place: KeyPlace) -> str | None:
        """Return a key, None where there is none.

        Raises:
            SecretsError: the place cannot be read.
        """
        with self._lock:
            if (held := self._session.get(ident)) is not None:
                return held
            match place:
                case KeyPlace.KEYRING:
                    return self._from_keyring(ident)
                case KeyPlace.FILE:
                    return self._read_file().get(ident)
                case KeyPlace.SESSION:
                    return None

    def put(self, ident: str, place: KeyPlace, key: str) -> None:
        """Keep a key in one place; where else it was kept, it is no more.

        Raises:
            SecretsError: it cannot be kept there; for this session it is kept all the same.
        """
        with self._lock:
            self._session[ident] = key
            if place is KeyPlace.KEYRING:
                self._to_keyring(ident, key)
            if place is KeyPlace.FILE:
                self._write_file({**self._read_file(), ident: key})
            self._forget_elsewhere(ident, place)

    def forget(self, ident: str) -> None:
        """Drop a key wherever it is kept."""
        with self._lock:
            self._session.pop(ident, None)
            self._forget_elsewhere(ident, KeyPlace.SESSION)

    def _forget_elsewhere(self, ident: str, place: KeyPlace) -> None:
        if place is not KeyPlace.FILE and self._path.exists():
            kept = self._read_file()
            if kept.pop(ident, None) is not None:
                self._write_file(kept)
        if place is not KeyPlace.KEYRING and self.has_keyring():
            try:
                self._keyring.forget(ident)
            except KeyringError as error:
                _log.warning("an old key stays in the keyring: %s", error)

    def _from_keyring(self, ident: str) -> str | None:
        try:
            return self._keyring.get(ident)
        except KeyringError as error:
            raise SecretsError(
                f"the keyring cannot be read ({error}); unlock it, or enter the key again"
            ) from error

    def _to_keyring(self, ident: str, key: str) -> None:
        try:
            self._keyring.put(ident, key)
        except KeyringError as error:
            raise SecretsError(
                f"the keyring takes no key ({error}); it is kept for this session only"
            ) from error

    def _read_file(self) -> dict[str, str]:
        try:
            if self._path.stat().st_mode & ~OWNER_ONLY & 0o077:
                self._path.chmod(OWNER_ONLY)
            return msgspec.json.decode(self._path.read_bytes(), type=dict[str, str])
        except FileNotFoundError:
            return {}
        except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
            raise SecretsError(
                f"{self._path}: cannot be read ({_said(error)}); repair it or set it aside"
            ) from error

    def _write_file(self, kept: dict[str, str]) -> None:
        try:
            write_whole(self._path, msgspec.json.encode(kept))
        except OSError as error:
            raise SecretsError(
                f"{self._path}: cannot be written ({_said(error)}); "
                "the key is kept for this session only"
            ) from error


def _said(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
