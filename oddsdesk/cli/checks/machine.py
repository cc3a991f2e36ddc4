"""Versions, paths and clock."""

import errno
import importlib.metadata
import importlib.util
import os
import platform
import shutil
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from oddsdesk import __version__
from oddsdesk.cli.checks.finding import Finding, Mark, Section
from oddsdesk.cli.logs import FILE
from oddsdesk.cli.own_records import settings_file
from oddsdesk.contract.times import format_ms
from oddsdesk.places import (
    NoHomeError,
    can_write,
    default_ledger,
    in_words,
    log_folder,
    portable_folder,
    refused_write,
)
from oddsdesk.resource_files import resource_path
from oddsdesk.store.access_paths import access_path
from oddsdesk.store.databases import Database, DatabaseUrl
from oddsdesk.store.errors import StoreError
from oddsdesk.store.lock import check_in_place
from oddsdesk.store.sqlite.inspection import has_wal_reset_bug, sqlite_version

LEAST_FREE_BYTES: Final = 100 * 2**20
LEAST_YEAR: Final = 2026
"""A clock before it is wrong: this program was not there yet."""
_DESK_PACKAGES: Final = ("PySide6-Essentials", "qasync")
_PACKAGES: Final = (
    "starlette",
    "uvicorn",
    "httptools",
    "uvloop",
    "websockets",
    "httpx",
    "msgspec",
    "sqlite-utils",
    "rapidfuzz",
    "platformdirs",
    "click",
    "tzdata",
    "keyring",
)
_OPTIONAL: Final = frozenset({"uvloop", "keyring"})


def has_desk() -> bool:
    """Say whether a window belongs to what is installed: not to the server's wheel or bundle."""
    if importlib.util.find_spec("PySide6") is not None:
        return True
    names = {dist.name for dist in importlib.metadata.distributions()}
    is_bundle = getattr(sys, "frozen", False)
    return not is_bundle and ("oddsdesk" in names or "oddsdesk-server" not in names)


def versions(*, desk: bool) -> Section:
    """Tell what runs on what; only a desk needs Qt."""
    how = "bundle" if getattr(sys, "frozen", False) else "Python package"
    bug = " (has the WAL-reset bug: harmless here)" if has_wal_reset_bug() else ""
    return Section(
        "versions",
        (
            Finding("oddsdesk", f"{__version__} ({how})"),
            Finding("python", f"{platform.python_version()} {platform.python_implementation()}"),
            Finding("system", f"{platform.platform()} {platform.machine()}"),
            Finding("sqlite", sqlite_version() + bug),
            *_twice_installed(),
            *(_package(name) for name in (*(_DESK_PACKAGES if desk else ()), *_PACKAGES)),
        ),
    )


def paths(database: Database) -> Section:
    """Tell where things are, whether they can be written, and how much room there is."""
    portable = portable_folder()
    resources = resource_path("icons")
    return Section(
        "paths",
        (
            Finding("program", sys.executable),
            Finding("portable", str(portable) if portable else "no folder `data` beside it"),
            _resources(resources),
            *_database_files(database),
            _own_file("records", default_ledger),
            _own_file("settings", settings_file),
            _own_file("logs", lambda: log_folder() / FILE),
            *(() if isinstance(database, DatabaseUrl) else (_room(database),)),
        ),
    )


def _database_files(database: Database) -> tuple[Finding, ...]:
    if isinstance(database, DatabaseUrl):
        return (Finding("database", str(database)),)
    keys = _file("keys", access_path(database), needed=can_write(database))
    try:
        check_in_place(database)
    except StoreError:
        what = "is not the one in use" if os.access(database, os.F_OK) else "is gone"
        return Finding("database", f"{database} ({what})", Mark.BROKEN), keys
    return _file("database", database, needed=not os.access(database, os.F_OK)), keys


def clock(now_ms: int) -> Section:
    """Tell the time: prices are judged by it."""
    mark = Mark.OK if datetime.fromtimestamp(now_ms / 1000, UTC).year >= LEAST_YEAR else Mark.BROKEN
    offset = time.strftime("%z %Z")
    return Section(
        "clock",
        (Finding("now", f"{format_ms(now_ms)}, local offset {offset}", mark),),
    )


def _twice_installed() -> tuple[Finding, ...]:
    """Both distributions hold the same files: removing one would take them from the other."""
    names = {dist.name for dist in importlib.metadata.distributions()}
    if not names >= {"oddsdesk", "oddsdesk-server"}:
        return ()
    text = "oddsdesk and oddsdesk-server, whose files are the same: uninstall both, install one"
    return (Finding("installed", text, Mark.NOTE),)


def _package(name: str) -> Finding:
    try:
        return Finding(name, importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        if name in _OPTIONAL or (name == "PySide6-Essentials" and _has_all_of_pyside()):
            return Finding(name, "not installed", Mark.NOTE)
        return Finding(name, "not installed", Mark.BROKEN)


def _has_all_of_pyside() -> bool:
    """The full package holds Essentials."""
    return any(dist.name == "PySide6" for dist in importlib.metadata.distributions())


def _resources(icons: Path) -> Finding:
    found = icons.is_dir() and any(icons.iterdir())
    mark = Mark.OK if found else Mark.BROKEN
    return Finding("resources", str(icons.parent) + ("" if found else " is missing"), mark)


def _file(name: str, path: Path, *, needed: bool) -> Finding:
    try:
        state = "is there" if path.exists() else "not there yet"
    except OSError as error:
        state = f"cannot be looked for: {error.strerror or error}"
    seems_writable, refusal = can_write(path), refused_write(path)
    if seems_writable and refusal is None:
        return Finding(name, f"{path} ({state}, can be written)")
    is_told = refusal is not None and (seems_writable or refusal.errno == errno.EROFS)
    why = f": {in_words(refusal)}" if refusal is not None and is_told else ""
    # A disk that calls itself writable and refuses is broken, whoever needs it.
    mark = Mark.BROKEN if needed or seems_writable else Mark.NOTE
    return Finding(name, f"{path} ({state}, cannot be written{why})", mark)


def _own_file(name: str, place: Callable[[], Path]) -> Finding:
    try:
        return _file(name, place(), needed=False)
    except NoHomeError as error:
        return Finding(name, str(error), Mark.NOTE)


def _room(database: Path) -> Finding:
    folder = next(each for each in database.absolute().parents if os.access(each, os.F_OK))
    if not os.access(folder, os.W_OK):
        return Finding("room", f"{folder} cannot be written", Mark.NOTE)
    free = shutil.disk_usage(folder).free
    mark = Mark.OK if free >= LEAST_FREE_BYTES else Mark.BROKEN
    return Finding("room", f"{free / 2**20:,.0f} MiB free", mark)
