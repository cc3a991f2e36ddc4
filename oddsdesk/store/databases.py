"""Which database is meant: a file of SQLite by its path, or one of PostgreSQL by its URL."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from oddsdesk.installed import how_to_install
from oddsdesk.store.errors import StoreError

_SCHEMES: Final = ("postgresql://", "postgres://")


class DatabaseUrl:
    """A database of PostgreSQL; as a text it is without password and parameters."""

    def __init__(self, url: str) -> None:
        self.url = url

    def __str__(self) -> str:
        """Return the URL as it may be said: what comes before the last ``@`` may be a password."""
        said = self.url.partition("://")[2].partition("?")[0]
        who, at, where = said.rpartition("@")
        user = who.partition(":")[0].partition("/")[0]
        return f"postgresql://{user}{at}{where}"

    __repr__ = __str__


Database = Path | DatabaseUrl


def database_named(text: str) -> Database:
    """Return the database that somebody names."""
    return DatabaseUrl(text) if text.startswith(_SCHEMES) else Path(text)


def has_file(path: Path) -> bool:
    """Say whether there is a file of a database.

    Raises:
        StoreError: its folder may not be looked into.
    """
    try:
        return path.exists()
    except OSError as error:
        raise unreachable(path, error) from error


def unreachable(path: Path, error: OSError) -> StoreError:
    """Return the system's refusal of a file as one line."""
    return StoreError(f"{path}: cannot be opened: {error.strerror or error}")


@contextlib.contextmanager
def needing_postgresql() -> Iterator[None]:
    """Say what to install where PostgreSQL's client cannot be imported inside."""
    try:
        yield
    except ImportError as error:
        raise StoreError(
            f"PostgreSQL needs its client, psycopg: {how_to_install('cluster')} ({error})"
        ) from error
