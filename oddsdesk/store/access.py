"""Access to the service: accounts, keys and counts, beside the odds in a file of their own.

In PostgreSQL they are tables of the same database.
"""

import contextlib
import logging
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from oddsdesk.places import can_write
from oddsdesk.private_files import check_private, make_private
from oddsdesk.store.access_paths import access_path, earlier_access_files, lies_beside
from oddsdesk.store.databases import Database, DatabaseUrl, needing_postgresql
from oddsdesk.store.errors import StoreError, StoreUnavailableError
from oddsdesk.store.keys import Keys, KeyTables
from oddsdesk.store.lock import DatabaseLock
from oddsdesk.store.quotas import CountTables, Quotas
from oddsdesk.store.sqlite.access_file import SCHEMA, AccessFile
from oddsdesk.store.sqlite.recognition import recognise
from oddsdesk.store.sqlite.schema import ODDS
from oddsdesk.store.transactions import Transactions

_log = logging.getLogger(__name__)


class AccessTables(KeyTables, CountTables, Protocol):
    """What access needs of an engine, inside a transaction."""

    def secret(self, name: str) -> bytes | None:
        """Return the secret of a name, if one is kept."""
        ...

    def put_secret(self, name: str, value: bytes) -> bytes:
        """Keep a secret unless there is one of that name; return the one that is kept."""
        ...


class AccessStore:
    """Keys, counts, and the secret that signs stream tokens."""

    def __init__(self, file: Transactions[AccessTables]) -> None:
        self._file = file
        kept = file.read(lambda tables: tables.secret("stream"))
        self.secret = kept or file.write(
            lambda tables: tables.put_secret("stream", secrets.token_bytes(32))
        )
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


def open_access(
    database: Database, named: Path | None = None, *, lock: DatabaseLock | None = None
) -> AccessStore:
    """Open the keys that belong to a database; their file or tables are made if missing.

    ``named`` is a file elsewhere, for a database that is a file. ``lock`` is the one that guards
    the keys, where this process holds it.

    Raises:
        StoreError: they cannot be used; says why in one line.
    """
    if isinstance(database, DatabaseUrl):
        return _open_tables(database, named)
    path = make_access_file(database, named)
    guarded = database if lies_beside(database, path) and can_write(database) else path
    return AccessStore(AccessFile(path, lock=lock, locked_by=guarded))


def _open_tables(database: DatabaseUrl, named: Path | None) -> AccessStore:
    if named is not None:
        raise StoreError(f"--access: the keys of {database} are kept in it, not in a file")
    with needing_postgresql():
        from oddsdesk.store.postgres.access import (  # noqa: PLC0415 - an extra
            open_postgres_access,
        )
    opened = open_postgres_access(database.url)
    try:
        return AccessStore(opened)
    except BaseException:
        opened.close()
        raise


def make_access_file(odds_path: Path, named: Path | None) -> Path:
    """Make the file of keys of an odds file, or what is there its owner's alone; return its place.

    Raises:
        StoreError: there is no odds file that it could belong to, or it cannot be used.
    """
    recognise(odds_path, ODDS, look_for_damage=False)
    path = check_access_file(odds_path, named)
    with _refusals(odds_path, path):
        make_private(path, owned_as=odds_path)
    return path


def check_access_file(odds_path: Path, named: Path | None) -> Path:
    """Return where the keys of an odds file lie, or would; nothing is made.

    Raises:
        StoreError: they cannot be used there, or made.
    """
    path = access_path(odds_path, named)
    with _refusals(odds_path, path):
        if not path.parent.exists():
            raise FileNotFoundError(path.parent)
        check_private(path, owned_as=odds_path)
        recognise(path, SCHEMA, look_for_damage=False)
    return path


@contextlib.contextmanager
def _refusals(odds_path: Path, path: Path) -> Iterator[None]:
    """Say the system's refusals of a file of keys in one line, with what could be used."""
    try:
        yield
    except OSError as error:
        missing = isinstance(error, FileNotFoundError)
        why = f"there is no folder {path.parent}" if missing else error.strerror or error
        raise StoreError(f"{path}: {why}{_advice(odds_path, path)}") from error


def _advice(odds_path: Path, path: Path) -> str:
    """Say which file could be used instead of one that cannot."""
    if not lies_beside(odds_path, path):
        return "; name another file with --access"
    earlier = earlier_access_files(odds_path)
    known = f" (an older oddsdesk kept them in {earlier[0]})" if earlier else ""
    return f"; keys lie beside their database, or in the file that --access names{known}"
