"""The owner's secret: a file next to the database that lets its owner write to the server.

The file is one line, an HTTP header, so that curl can send it without showing it in the list of
processes: `curl -H @odds.db.secret`. The file is private (`private_files`), stays the
same over restarts, and is read again for each caller: all processes of a database accept the same
secret, and it ends as soon as the file is removed. A database behind a URL has no such file.
"""

import contextlib
import hmac
import logging
import os
import re
import secrets
from pathlib import Path
from typing import Final

from oddsdesk.base.files import (
    ForeignFileError,
    is_for_others,
    keep_private,
    open_private,
    open_private_to_read,
)
from oddsdesk.base.system_errors import error_text
from oddsdesk.base.texts import N_
from oddsdesk.network.secrets import keep_secret
from oddsdesk.store.databases import Database, DatabaseUrl

SECRET_HEADER: Final = "X-Oddsdesk-Secret"  # noqa: S105 - its name
SECRET_FILE_VARIABLE: Final = "ODDSDESK_SECRET_FILE"  # noqa: S105 - its name
"""The environment variable that gives programs of `exec:` feeds the path of the file."""
_LINE: Final = re.compile(rb"X-Oddsdesk-Secret: ([0-9a-f]{64})\r?\n?")
SECRET_PREFIX: Final = f"{SECRET_HEADER}: ".encode()
_MOST_BYTES: Final = 200
_RESTART: Final = N_("restart the server to make a new one")
MISSING: Final = N_(f"its file is missing; {_RESTART}")
"""The fault of a secret that was deleted."""

_log = logging.getLogger(__name__)


class OwnerSecret:
    """The secret of one database file; ``path`` is its file."""

    def __init__(self, odds_path: Path) -> None:
        self._odds_path = odds_path
        self.path = secret_path(odds_path)

    def make(self) -> None:
        """Make the file if it is missing, damaged, or was open to other users; else keep it.

        If that is impossible, the log says why, and no caller is accepted as the owner.
        """
        try:
            if self._keep():
                return
            handle = open_private(self.path, owned_as=self._odds_path)
        except OSError as error:
            _log.warning(
                "%s: cannot save the owner's secret: %s; POST /ingest accepts only keys",
                self.path,
                _reason(error),
            )
            return
        with os.fdopen(handle, "r+b") as file:
            was_open = is_for_others(handle)
            if was_open or _secret_in(file.read(_MOST_BYTES)) is None:
                if was_open:
                    _log.warning("%s: other users could read it; made a new secret", self.path)
                keep_private(handle, self._odds_path)
                file.seek(0)
                file.truncate()
                file.write(SECRET_PREFIX + secrets.token_hex(32).encode() + b"\n")
            keep_private(handle, self._odds_path)

    def _keep(self) -> bool:
        """Keep a valid secret, even in a read-only file; return whether it is valid."""
        try:
            handle = open_private_to_read(self.path, owned_as=self._odds_path)
        except FileNotFoundError:
            return False
        with os.fdopen(handle, "rb") as file:
            if is_for_others(handle) or _secret_in(file.read(_MOST_BYTES)) is None:
                return False
            keep_private(handle, self._odds_path)
        return True

    def read_secret(self) -> str | None:
        """Return the secret; None if the file is missing, damaged, or not private to its owner."""
        return self._look()[0]

    def fault(self) -> str:
        """Return why no secret is accepted now, for the log; empty if one is."""
        return self._look()[1]

    def _look(self) -> tuple[str | None, str]:
        try:
            handle = open_private_to_read(self.path, owned_as=self._odds_path)
        except FileNotFoundError:
            return None, MISSING
        except OSError as error:
            return None, N_(f"its file cannot be used: {_reason(error)}")
        with os.fdopen(handle, "rb") as file:
            if is_for_others(handle):
                return None, N_(f"other users can read its file; {_RESTART}")
            secret = _secret_in(file.read(_MOST_BYTES))
        if secret is None:
            return None, N_(f"its file is damaged; {_RESTART}")
        keep_secret(secret)
        return secret, ""

    def matches(self, said: bytes) -> bool:
        """Return whether a header's value is the secret; the file's whole line is accepted, too."""
        secret = self.read_secret()
        if secret is None:
            return False
        return hmac.compare_digest(said.removeprefix(SECRET_PREFIX), secret.encode())

    def remove_secret(self) -> None:
        """Remove the file; the next server makes a new secret."""
        with contextlib.suppress(FileNotFoundError):
            self.path.unlink()


def owner_secret_of(database: Database) -> OwnerSecret | None:
    """Return the secret of a database file; None for a database behind a URL."""
    return None if isinstance(database, DatabaseUrl) else OwnerSecret(database)


def owner_header(odds_path: Path) -> dict[str, str]:
    """Return the header that identifies the owner to a server; empty without a secret."""
    secret = OwnerSecret(odds_path).read_secret()
    return {} if secret is None else {SECRET_HEADER: secret}


def secret_path(odds_path: Path) -> Path:
    """Return the file of the owner's secret of a database."""
    real = odds_path.resolve()
    return real.with_name(f"{real.name}.secret")


def _secret_in(content: bytes) -> str | None:
    found = _LINE.fullmatch(content)
    return None if found is None else found[1].decode()


def _reason(error: OSError) -> str:
    return N_(f"it {error.reason}") if isinstance(error, ForeignFileError) else error_text(error)
