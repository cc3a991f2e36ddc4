"""The system's keyring: keys of services by name. Its methods block: not for a GUI thread."""

import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

_SERVICE: Final = "oddsdesk"

_log = logging.getLogger(__name__)


class KeyringError(Exception):
    """The keyring cannot be read or written; one line from it."""


def system_keyring() -> "KeyringBackend":
    """Return the keyring of this machine; one with priority 0 or less stores nothing."""
    import keyring  # noqa: PLC0415 - 50 ms and a D-Bus connection that few starts need

    return keyring.get_keyring()


class Keyring:
    """Keys by name, in a backend that is found at first use."""

    def __init__(self, backend: Callable[[], "KeyringBackend"] = system_keyring) -> None:
        self._backend = backend

    def is_there(self) -> bool:
        """Return whether this machine has a keyring that stores keys."""
        try:
            return self._backend().priority > 0
        except Exception as error:  # noqa: BLE001 - backends of others raise what they like
            _log.info("no keyring: %s", error)
            return False

    def get_key(self, name: str) -> str | None:
        """Return a key, None without one.

        Raises:
            KeyringError: it cannot be read.
        """
        try:
            return self._backend().get_password(_SERVICE, name)
        except Exception as error:
            raise KeyringError(_said(error)) from error

    def keep_key(self, name: str, key: str) -> None:
        """Save a key.

        Raises:
            KeyringError: it cannot be saved.
        """
        try:
            self._backend().set_password(_SERVICE, name, key)
        except Exception as error:
            raise KeyringError(_said(error)) from error

    def drop_key(self, name: str) -> None:
        """Delete a key, if there is one.

        Raises:
            KeyringError: it stays.
        """
        try:
            if self._backend().get_password(_SERVICE, name) is not None:
                self._backend().delete_password(_SERVICE, name)
        except Exception as error:
            raise KeyringError(_said(error)) from error


def _said(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
