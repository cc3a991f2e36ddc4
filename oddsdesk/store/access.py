"""Access to the service: accounts, keys and counts, in a file next to the odds.

In PostgreSQL they are tables of the same database.
"""

import contextlib
import logging
import secrets
from collections.abc import Iterator
from pathlib import Path

from oddsdesk.base.files import check_private, make_private
from oddsdesk.base.places import can_write
from oddsdesk.base.system_errors import error_text
from oddsdesk.base.texts import N_
from oddsdesk.store import databases
from oddsdesk.store.errors import StoreError, StoreUnavailableError
from oddsdesk.store.keys import Keys
from oddsdesk.store.lock import DatabaseLock
from oddsdesk.store.owners import Owners
from oddsdesk.store.quotas import Quotas
from oddsdesk.store.sqlite.access_file import SCHEMA, AccessFile
from oddsdesk.store.sqlite.recognition import recognise
from oddsdesk.store.sqlite.schema import ODDS

_log = logging.getLogger(__name__)


class AccessStore:
    """Keys, owners, counts, and the secret that signs stream tokens."""

    def __init__(self, file: AccessFile) -> None:
        self._file = file
        kept = file.read_with(lambda tables: tables.secret("stream"))
        self.secret = kept or file.write_with(
            lambda tables: tables.put_secret("stream", secrets.token_bytes(32))
        )
        self.keys = Keys(file)
        self.owners = Owners(file)
        self.quotas = Quotas(file)

    @property
    def path(self) -> Path | None:
        """The file; None where the keys are in PostgreSQL."""
        return self._file.path

    def close(self) -> None:
        """Save what was counted and close the file."""
        try:
            self.quotas.save_counts_now()
        except StoreUnavailableError as error:
            _log.warning("the last request counts are lost: %s", error)
        finally:
            self._file.close_transactions()


def open_access(
    database: databases.Database, named: Path | None = None, *, lock: DatabaseLock | None = None
) -> AccessStore:
    """Open the keys of a database; a missing file or table is made.

    ``named`` is another file, for a database that is a file. ``lock`` is the one that guards the
    keys, if this process holds it.

    Raises:
        StoreError: they cannot be used; one line with the reason.
    """
    if isinstance(database, databases.DatabaseUrl):
        return _open_tables(database, named)
    path = make_access_file(database, named)
    guarded = (
        database if databases.is_next_to_odds(database, path) and can_write(database) else path
    )
    return AccessStore(AccessFile(path, lock=lock, locked_by=guarded))


def _open_tables(database: databases.DatabaseUrl, named: Path | None) -> AccessStore:
    if named is not None:
        raise StoreError(f"--access: {database} keeps its keys itself, not in a file")
    opened: AccessFile = databases.part_of_cluster("access")(database.url)
    try:
        return AccessStore(opened)
    except BaseException:
        opened.close_transactions()
        raise


def make_access_file(odds_path: Path, named: Path | None) -> Path:
    """Make the key file of an odds file, or make an existing one private; return its path.

    Raises:
        StoreError: there is no such odds file, or the key file cannot be used.
    """
    recognise(odds_path, ODDS, look_for_damage=False)
    path = check_access_file(odds_path, named)
    with _refusals(odds_path, path):
        make_private(path, owned_as=odds_path)
    return path


def check_access_file(odds_path: Path, named: Path | None) -> Path:
    """Return the path of an odds file's keys; nothing is made.

    Raises:
        StoreError: they cannot be used or made there.
    """
    path = databases.access_path(odds_path, named)
    with _refusals(odds_path, path):
        if not path.parent.exists():
            raise FileNotFoundError(path.parent)
        check_private(path, owned_as=odds_path)
        recognise(path, SCHEMA, look_for_damage=False)
    return path


@contextlib.contextmanager
def _refusals(odds_path: Path, path: Path) -> Iterator[None]:
    """Turn system errors about a key file into one line, with what could be used."""
    try:
        yield
    except OSError as error:
        missing = isinstance(error, FileNotFoundError)
        why = N_(f"there is no folder {path.parent}") if missing else error_text(error)
        raise StoreError(f"{path}: {why}{_advice(odds_path, path)}") from error


def _advice(odds_path: Path, path: Path) -> str:
    """Return which file could be used instead."""
    if not databases.is_next_to_odds(odds_path, path):
        return "; " + N_("choose another file with --access")
    earlier = databases.earlier_access_files(odds_path)
    where = N_("keys are in a file next to the database, or in the one given with --access")
    if earlier:
        where = N_(f"{where} (an older oddsdesk kept them in {earlier[0]})")
    return f"; {where}"
