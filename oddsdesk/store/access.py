"""Who may ask: accounts, keys and counts, in a file of their own beside the odds."""

import logging
import secrets
import sqlite3
from pathlib import Path

from oddsdesk.places import access_beside_user, can_write
from oddsdesk.store.access_file import AccessFile
from oddsdesk.store.errors import StoreUnavailableError
from oddsdesk.store.keys import Keys
from oddsdesk.store.lock import DatabaseLock
from oddsdesk.store.quotas import Quotas

_log = logging.getLogger(__name__)


class AccessStore:
    """Keys, counts, and the secret that signs stream tokens."""

    def __init__(self, file: AccessFile) -> None:
        self._file = file
        self.secret = file.write(_secret)
        self.keys = Keys(file)
        self.quotas = Quotas(file)

    def close(self) -> None:
        """Save what was counted and close the file."""
        try:
            self.quotas.save()
        except StoreUnavailableError as error:
            _log.warning("the last counts of requests are lost: %s", error)
        finally:
            self._file.close()


def access_path(odds_path: Path) -> Path:
    """Return where access is kept for an odds file.

    It is beside the odds, or in the user's folder where what is there cannot be written.
    """
    beside = odds_path.with_name(f"{odds_path.stem}-access{odds_path.suffix}")
    if can_write(beside) or not odds_path.exists():
        return beside
    return access_beside_user(odds_path)


def open_access(odds_path: Path, *, lock: DatabaseLock | None = None) -> AccessStore:
    """Open the access file that belongs to an odds file; it is made if it is missing.

    ``lock`` is the database's, where this process holds it.

    Raises:
        StoreError: it cannot be used; says why in one line.
    """
    return AccessStore(AccessFile(access_path(odds_path), lock=lock, locked_by=odds_path))


def _secret(connection: sqlite3.Connection) -> bytes:
    connection.execute(
        "INSERT OR IGNORE INTO secret (name, value) VALUES ('stream', ?)",
        (secrets.token_bytes(32),),
    )
    rows = connection.execute("SELECT value FROM secret WHERE name = 'stream'").fetchall()
    return bytes(rows[0][0])
