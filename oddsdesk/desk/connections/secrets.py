"""Where the keys of remote services are kept: keyring, this session, or a file if so chosen."""

import logging
import threading
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Final

import msgspec

from oddsdesk.whole_files import whole_file

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend


OWNER_ONLY: Final = 0o600


def write_whole(path: Path, content: bytes) -> None:
    """Replace a file that only its owner may read; ``OSError`` leaves the old one as it was."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path, OWNER_ONLY, private=True) as file:
        file.write(content)


_SERVICE: Final = "oddsdesk"
_FILE: Final = "keys.json"

_log = logging.getLogger(__name__)


class KeyPlace(Enum):
    """Where a key is kept; the value is the word in the connections' file."""

    KEYRING = "keyring"
    SESSION = "session"
    FILE = "file"


class SecretsError(Exception):
    """A key cannot be kept or read; one line that says what to do."""


def system_keyring() -> "KeyringBackend":
    """Return the keyring of this machine; one of priority 0 or less keeps nothing."""
    import keyring  # noqa: PLC0415 - 50 ms and a D-Bus connection that few starts need

    return keyring.get_keyring()


class Secrets:
    """Keys by the ident of their connection. Its methods may wait: not for the GUI thread."""

    def __init__(
        self, folder: Path, backend: Callable[[], "KeyringBackend"] = system_keyring
    ) -> None:
        self._path = folder / _FILE
        self._backend = backend
        self._session: dict[str, str] = {}
        self._lock = threading.Lock()

    def has_keyring(self) -> bool:
        """Say whether this machine has a keyring that keeps anything."""
        try:
            return self._backend().priority > 0
        except Exception as error:  # noqa: BLE001 - backends of others raise what they like
            _log.info("no keyring: %s", error)
            return False

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
                if self._backend().get_password(_SERVICE, ident) is not None:
                    self._backend().delete_password(_SERVICE, ident)
            except Exception as error:  # noqa: BLE001 - backends of others raise what they like
                _log.warning("an old key stays in the keyring: %s", error)

    def _from_keyring(self, ident: str) -> str | None:
        try:
            return self._backend().get_password(_SERVICE, ident)
        except Exception as error:
            raise SecretsError(
                f"the keyring cannot be read ({_said(error)}); unlock it, or enter the key again"
            ) from error

    def _to_keyring(self, ident: str, key: str) -> None:
        try:
            self._backend().set_password(_SERVICE, ident, key)
        except Exception as error:
            raise SecretsError(
                f"the keyring takes no key ({_said(error)}); it is kept for this session only"
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
