"""Database names: a path for an SQLite file, a URL for PostgreSQL."""

import sys
from pathlib import Path
from typing import Any, Final

from oddsdesk.base.places import earlier_access, how_to_install
from oddsdesk.base.system_errors import error_text
from oddsdesk.store.errors import StoreError

_SCHEMES: Final = ("postgresql://", "postgres://")
ENGINES: Final = "oddsdesk.engines"
"""The entry points of ``oddsdesk.cluster``, which serves PostgreSQL and several processes."""
_OF_POSTGRESQL: Final = ("store", "access", "inspection", "moving")


class DatabaseUrl:
    """A PostgreSQL database; as a text it has no password and parameters."""

    def __init__(self, url: str) -> None:
        self.url = url

    def __str__(self) -> str:
        """Return the URL without secrets: anything before the last ``@`` may be a password."""
        said = self.url.partition("://")[2].partition("?")[0]
        who, at, where = said.rpartition("@")
        user = who.partition(":")[0].partition("/")[0]
        return f"postgresql://{user}{at}{where}"

    __repr__ = __str__


Database = Path | DatabaseUrl


def database_named(text: str) -> Database:
    """Return the database that a text names."""
    return DatabaseUrl(text) if text.startswith(_SCHEMES) else Path(text)


def has_file(path: Path) -> bool:
    """Return whether a database's file exists.

    Raises:
        StoreError: its folder may not be read.
    """
    try:
        return path.exists()
    except OSError as error:
        raise unreachable(path, error) from error


def unreachable(path: Path, error: OSError) -> StoreError:
    """Return a system error about a file as one line."""
    return StoreError(f"{path}: cannot be opened: {error_text(error)}")


def part_of_cluster(name: str) -> Any:
    """Return a part of ``oddsdesk.cluster``; this is the only access to it.

    Raises:
        StoreError: a required package is missing, or this is Windows, where PostgreSQL is not
        supported.
    """
    if sys.platform == "win32" and name in _OF_POSTGRESQL:
        raise StoreError("PostgreSQL works on Linux and macOS only; on Windows, use a file")
    from importlib.metadata import entry_points  # noqa: PLC0415 - 25 modules, for PostgreSQL alone

    try:
        (found,) = entry_points(group=ENGINES, name=name)
    except ValueError as error:
        raise StoreError(
            f"oddsdesk's entry points are missing ({ENGINES}: {name}); reinstall it"
            " (in a checkout: pip install -e .)"
        ) from error
    try:
        return found.load()
    except ImportError as error:
        raise StoreError(
            f"PostgreSQL needs psycopg: {how_to_install('cluster')} ({error})"
        ) from error


def access_path(odds_path: Path, named: Path | None = None) -> Path:
    """Return the key file of an odds file: the named one, else the one next to it."""
    if named is not None:
        return named
    real = odds_path.resolve()
    return real.with_name(f"{real.stem}-access{real.suffix}")


def is_next_to_odds(odds_path: Path, path: Path) -> bool:
    """Return whether a key file is the one next to an odds file."""
    return path.parent.resolve() / path.name == access_path(odds_path)


def earlier_access_files(odds_path: Path) -> list[Path]:
    """Return where older versions kept a database's keys: in a home, or next to a link to it."""
    near = odds_path.with_name(f"{odds_path.stem}-access{odds_path.suffix}").absolute()
    places = [earlier_access(odds_path), None if is_next_to_odds(odds_path, near) else near]
    return [place for place in places if place is not None and is_there(place)]


def is_there(path: Path) -> bool:
    """Return whether a file exists; False if the folder may not be read."""
    try:
        return path.exists()
    except OSError:
        return False


REFERENCE: Final = "reference"
LAST_SIMULATED_AT: Final = "last_simulated_at"
"""When odds were last simulated; 0: none of them is current."""
LAST_REAL_AT: Final = "last_real_at"
LAST_SHIFTED_AT: Final = "last_shifted_at"
"""When real odds with shifted times were last recorded."""
LAST_MADE_UP_GAME: Final = "last_made_up_game"
"""The row of the newest game when real odds first came: up to it all games are simulated."""
LAST_MADE_UP_MOVE: Final = "last_made_up_move "
"""Prefix of a shard's number: the end of its log when real odds first came."""
NEWEST_SCRAPED_AT: Final = "newest_scraped_at"
"""The newest ``scraped_at`` ever recorded."""
KEEP_DAYS: Final = "keep_days"
"""How many days the log of price changes is kept; 0 or nothing: for ever."""
ARCHIVE: Final = "archive"
"""The folder of the archive (``Store.keep_archive``)."""
KEEP_ALL: Final = 0
VALUED_BY: Final = "valued_by"
"""Sharp book and devig method of the stored value bets (``Store.value_by``)."""
SHIFT_TO_NOW: Final = "shift_to_now_ms"
"""The milliseconds by which the first import with shifted times shifted them."""
DEFAULT_REFERENCE: Final = "Pinnacle"
"""The sharp book if none was ever set."""

SOURCE: Final = "source "
"""Prefix of a source's name: when it was last recorded."""
