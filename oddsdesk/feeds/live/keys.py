"""Finds a source's key: in the environment, a file, or the keyring."""

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from oddsdesk.base.keyring import Keyring, KeyringError
from oddsdesk.base.system_errors import error_text
from oddsdesk.base.tasks import in_daemon_thread
from oddsdesk.base.texts import N_
from oddsdesk.feeds.live.errors import KeyRefusedError
from oddsdesk.network.secrets import keep_secret

KEYRING_S: Final = 30.0
"""Seconds between readings of the keyring, which is another process and may ask the user."""


def variable_of(name: str) -> str:
    """Return the variable with the key of a source: ``ODDSDESK_THE_ODDS_API_KEY``."""
    return f"ODDSDESK_{name.upper().replace('-', '_')}_KEY"


def keyring_name(name: str) -> str:
    """Return the keyring's name for the key of a source."""
    return f"feed {name}"


def is_key(text: str) -> bool:
    """Return whether a text can be a key: letters and digits without spaces."""
    return bool(text) and text.isascii() and text.isprintable() and " " not in text


def keep_key(name: str, key: str, keyring: Keyring | None = None) -> None:
    """Store the key of a source in the system's keyring; a running feed picks it up.

    Raises:
        KeyringError: there is no working keyring, or it refuses.
    """
    keep_secret(key)
    keyring = keyring or Keyring()
    if not keyring.is_there():
        raise KeyringError(
            "this machine has no keyring; put the key in a file and add key-file=FILE to the feed"
        )
    keyring.keep_key(keyring_name(name), key)


class KeySource:
    """Finds the key of one source each time it is needed, so that it can change."""

    def __init__(
        self,
        name: str,
        key_file: Path | None,
        *,
        environment: Mapping[str, str] = os.environ,
        keyring: Keyring | None = None,
    ) -> None:
        self._name = name
        self._key_file = key_file
        self._environment = environment
        self._keyring = keyring or Keyring()
        self._asked_at = -KEYRING_S
        self._from_keyring: str | None = None

    async def find(self) -> str | None:
        """Return the key, None if there is none; logs hide it from then on.

        Raises:
            KeyRefusedError: its file or the keyring is unreadable, or has no key.
        """
        named = self._environment.get(variable_of(self._name), "").strip()
        key = named or self._in_file() or await self._in_keyring()
        if key is not None:
            keep_secret(key)
        return key

    def advice(self) -> str:
        """Return how to provide a key."""
        return N_(
            f"set {variable_of(self._name)}, use key-file=, or run"
            f" `oddsdesk feeds key {self._name}`"
        )

    def _in_file(self) -> str | None:
        if self._key_file is None:
            return None
        try:
            key = self._key_file.read_text("utf-8", errors="replace").strip()
        except OSError as error:
            reason = error_text(error)
            raise KeyRefusedError(f"the key file cannot be read: {reason}") from error
        if not is_key(key):
            raise KeyRefusedError("the key file has no key: expected one line of letters")
        return key

    async def _in_keyring(self) -> str | None:
        if time.monotonic() - self._asked_at >= KEYRING_S:
            work = self._look_in_keyring
            self._from_keyring = await in_daemon_thread("keyring", work)  # it may ask the user
            self._asked_at = time.monotonic()
        return self._from_keyring

    def _look_in_keyring(self) -> str | None:
        if not self._keyring.is_there():
            return None
        try:
            return self._keyring.get_key(keyring_name(self._name))
        except KeyringError as error:
            raise KeyRefusedError(f"the keyring cannot be read ({error}); unlock it") from error


class GivenKey(KeySource):
    """A key that was just typed and is not stored yet."""

    def __init__(self, key: str) -> None:
        super().__init__("", None)
        self._key = key

    async def find(self) -> str | None:
        """Return the key.

        Raises:
            KeyRefusedError: it is not a possible key.
        """
        if not is_key(self._key):
            raise KeyRefusedError("not a key: expected letters and digits without spaces")
        keep_secret(self._key)
        return self._key

    def advice(self) -> str:
        """Return how to provide another one."""
        return N_("check it, or use another key")
