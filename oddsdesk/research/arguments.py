"""The arguments of the functions that return data frames: checked, and what they name opened.

The desk's settings are not read. The user's own tables are: commissions, settlement rules, presets.
"""

import contextlib
import math
import warnings
from collections.abc import Collection, Iterator
from datetime import date
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple, TypeVar

from oddsdesk.archive.folder import ArchiveError, LookingBack
from oddsdesk.base.clock import system_clock
from oddsdesk.base.figures import FigureError, read_moment
from oddsdesk.base.places import NoHomeError, default_database, default_ledger, how_to_install
from oddsdesk.board.model.basis import CONSENSUS
from oddsdesk.ledger.ledger import Ledger
from oddsdesk.ledger.own_tables import known_bookmakers
from oddsdesk.ledger.presets import BUILT_IN, Preset, ValueFilter
from oddsdesk.ledger.schema import LedgerError
from oddsdesk.pricing.closing import CloseBy
from oddsdesk.pricing.consensus import CONSENSUS_TITLE
from oddsdesk.pricing.devig import METHODS
from oddsdesk.pricing.profiles import Profiles
from oddsdesk.research.recorded_log import ALWAYS, LogOfAll, RecordedLog, open_judged
from oddsdesk.store.databases import Database, DatabaseUrl, database_named
from oddsdesk.store.errors import StoreError
from oddsdesk.store.names import name_among, unknown_bookmaker
from oddsdesk.store.reader import Reader
from oddsdesk.store.store import Store, open_store

T = TypeVar("T")
N = TypeVar("N", int, float)

Place = str | Path | DatabaseUrl | None
"""A database: the path of a file, or ``postgresql://...``; None is the desk's own."""
Moment = str | date | None
"""A time: a date, which is midnight UTC, or a time with its offset, as text or ``datetime``."""
Names = str | Collection[str] | None
"""One name or several; None for all."""


class ResearchError(Exception):
    """The database or its archive cannot be read; one line with the reason and what to do."""


class Read(NamedTuple):
    """The log of an open database, with the names of both sharp books."""

    store: Store
    log: RecordedLog
    reference: str
    close: CloseBy


@contextlib.contextmanager
def reading(
    database: Place, reference: str | None, close: CloseBy, archive: str | Path | None
) -> Iterator[Read]:
    """Open the log of a database, as ``open_judged``.

    Raises:
        ResearchError: it cannot be read.
        ValueError: ``archive`` is not a folder.
    """
    with errors_in_words():
        opened = open_judged(database_of(database), reference, close)
        with contextlib.closing(opened.store) as store:
            log = RecordedLog(store.reader(), folder_of(archive))
            yield Read(store, log, opened.reference, opened.close)


@contextlib.contextmanager
def reading_log(database: Place, archive: str | Path | None) -> Iterator[LogOfAll]:
    """Open the rows of a database and its archive; errors as ``reading``."""
    with (
        errors_in_words(),
        contextlib.closing(open_store(database_of(database), read_only=True)) as store,
    ):
        reader, folder = store.reader(), folder_of(archive)
        if folder is None:
            named = LookingBack(tell=warn)
            named(reader)
            folder = named.folder
        yield LogOfAll(reader, folder)


@contextlib.contextmanager
def errors_in_words() -> Iterator[None]:
    """Raise what cannot be read as ``ResearchError``."""
    try:
        yield
    except (StoreError, ArchiveError, OSError) as error:
        raise ResearchError(str(error)) from error


def database_of(named: Place) -> Database:
    """Return the database; the desk's own if none is named.

    Raises:
        ResearchError: there is no home folder to look for it.
    """
    if named is None:
        try:
            return default_database()
        except NoHomeError as error:
            raise ResearchError(f"{error}; name the database, or set HOME") from error
    return database_named(named) if isinstance(named, str) else named


def folder_of(archive: str | Path | None) -> Path | None:
    """Return the folder of an archive.

    Raises:
        ValueError: it is not a folder.
        ModuleNotFoundError: pyarrow is not installed.
    """
    if archive is None:
        return None
    folder = Path(archive)
    if not folder.is_dir():
        raise ValueError(f"archive: {folder} is not a folder")
    if find_spec("pyarrow") is None:
        raise ModuleNotFoundError(
            f"an archive needs pyarrow, which is not installed: {how_to_install('archive')}"
        )
    return folder


def close_of(reference: str | None, method: str) -> CloseBy:
    """Return whose closing lines give the CLV, and how their margin is removed."""
    named = (reference or "").strip()
    is_pooled = named.casefold() == CONSENSUS
    return CloseBy(CONSENSUS_TITLE if is_pooled else named, one_of(method, METHODS, "close_method"))


def profiles_known() -> Profiles:
    """Return the profiles of bookmakers; warn of errors in the user's file."""
    known = known_bookmakers()
    for problem in known.problems:
        warn(problem)
    return known.profiles


def warn(line: str) -> None:
    """Warn the user of what is left out."""
    warnings.warn(line, stacklevel=2)


def filter_of(preset: str | ValueFilter | None) -> ValueFilter | None:
    """Return the filter of a preset; case does not matter."""
    if not isinstance(preset, str):
        return preset
    known = {each.name: each.filter for each in (*BUILT_IN, *_own_presets())}
    for name, each in known.items():
        if name.casefold() == preset.casefold():
            return each
    names = ", ".join(map(repr, known))
    raise ValueError(f"no preset {preset!r}; presets are {names}")


def _own_presets() -> list[Preset]:
    try:
        path = default_ledger()
    except NoHomeError:
        return []
    if not path.exists():
        return []
    try:
        with contextlib.closing(Ledger(path, is_made=True)) as ledger:
            return ledger.presets()[0]
    except LedgerError as error:
        raise ResearchError(str(error)) from error


def one_of(word: T, known: Collection[T], what: str) -> T:
    """Return a word that is known; ``ValueError`` names the argument."""
    if word not in known:
        raise ValueError(f"{what}: expected one of {', '.join(map(str, known))}, got {word!r}")
    return word


def at_least(number: N, least: float, what: str) -> N:
    """Return a number that is large enough; ``ValueError`` names the argument."""
    if not (math.isfinite(number) and number >= least):
        raise ValueError(f"{what}: expected a number of at least {least:g}, got {number!r}")
    return number


def names_of(said: Names) -> tuple[str, ...]:
    """Return one or several names as a tuple; none for None."""
    return () if said is None else (said,) if isinstance(said, str) else tuple(said)


def recorded_name(reader: Reader, said: str) -> str:
    """Return the database's name of a bookmaker.

    Raises:
        ValueError: nobody is called that, here or in the tables that come with oddsdesk.
    """
    recorded = reader.recorded_bookmakers()
    if unknown := unknown_bookmaker(said, recorded):
        raise ValueError(f"bookmaker: {unknown}")
    return name_among(recorded, said)


def span_of(since: Moment, until: Moment) -> tuple[int | None, int | None]:
    """Return two times in milliseconds, None if not given.

    Raises:
        ValueError: they make no sense.
    """
    begin, end = _ms(since, "since"), _ms(until, "until")
    if begin is not None and end is not None and begin >= end:
        raise ValueError("since must be earlier than until")
    return begin, end


def whole_span(since: Moment, until: Moment) -> tuple[int, int]:
    """Return the same, with the ends of all time if not given."""
    begin, end = span_of(since, until)
    return (ALWAYS[0] if begin is None else begin, ALWAYS[1] if end is None else end)


def _ms(moment: Moment, what: str) -> int | None:
    if moment is None:
        return None
    text = moment if isinstance(moment, str) else moment.isoformat()
    try:
        return read_moment(text, system_clock())
    except FigureError as error:
        raise ValueError(f"{what}: {error}") from error
