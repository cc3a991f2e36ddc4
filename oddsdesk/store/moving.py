"""Moving a database from one engine to another: all tables row by row, then compared.

What was copied is noted with each chunk, in the same transaction. Who was killed goes on from there
the next time, where the source still begins with the same rows; else that table is copied anew, and
those after it.
"""

import hashlib
from collections.abc import Callable, Collection, Generator, Iterable
from contextlib import closing
from itertools import islice
from typing import Any, Final, Protocol

import msgspec

CHUNK: Final = 5_000
"""Rows a transaction: some 50 ms."""

Row = tuple[Any, ...]
Progress = Callable[[int], None]
"""Called with the rows done since the last call; what it raises ends the work."""


class Table(msgspec.Struct, frozen=True):
    """A table that both engines have, with the same columns."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    """Tells rows apart, and is the order in which they are copied; names compare by their bytes."""
    is_numbered: bool = False
    """Whether its key is a number that the engine counts on from the last one."""
    gives_anew: bool = False
    """Whether numbers of rows that are gone may be given again, and a file does so."""


def _numbered(name: str, *columns: str) -> Table:
    return Table(name, columns, columns[:1], is_numbered=True)


def _given_anew(name: str, *columns: str) -> Table:
    return Table(name, columns, columns[:1], is_numbered=True, gives_anew=True)


def _keyed(name: str, length: int, *columns: str) -> Table:
    return Table(name, columns, columns[:length])


_MARKET: Final = ("bookmaker", "market_type", "period")
_NUMBERS: Final = ("reference_odds", "fair_odds", "ev_pct", "payout_rate", "detected_at", "line")

ODDS: Final = (
    _numbered(
        *("game", "id", "game_id", "competition", "sport", "match_name", "plain_name"),
        *("match_date", "match_date_by", "match_date_scraped_at", "has_live"),
        *("last_scraped_at", "first_scraped_at", "recent"),
    ),
    _keyed(
        *("quote", 4, "game", *_MARKET, "is_live", "scraped_at", "selections", "odds"),
        *("liquidity", "url", "offers"),
    ),
    _keyed("closing_sighting", 4, "game", *_MARKET, "scraped_at"),
    _keyed("coverage", 3, "game", "bookmaker", "is_live", "newest", "oldest", "selections"),
    _numbered(
        *("price_change", "seq", "game", *_MARKET, "selection", "odds", "is_live"),
        *("scraped_at", "liquidity", "recorded_at"),
    ),
    _keyed(
        *("value_bet", 5, "game", "market_type", "period", "bookmaker", "selection", "odds"),
        *_NUMBERS,
    ),
    _keyed("source", 2, "bookmaker", "market_type", "newest"),
    _keyed("recorded", 1, "since", "until"),
    _keyed("event", 1, "event", "game"),
    _keyed("origin", 3, "game", "bookmaker", "source", "may_share"),
    _keyed("other_name", 3, "competition", "plain_name", "game", "match_name", "crosswise"),
    _numbered(
        *("game_pair", "id", "competition", "kept", "kept_name", "other", "other_name"),
        *("crosswise", "state", "decided_at", "before"),
    ),
    _given_anew("same_team", "id", "pair", "competition", "one", "other"),
    _numbered(
        *("said", "id", "game", "match_name", *_MARKET, "repeats", "source", "may_share", "quote"),
    ),
    _keyed("joined_game", 1, "game", "before", "decided_at"),
    _keyed(
        *("result", 3, "competition", "plain_name", "kick_off"),
        *("home", "away", "half_home", "half_away"),
    ),
    _keyed("setting", 1, "key", "value"),
)
"""What the odds are, those before that others refer to."""
ACCESS: Final = (
    _given_anew("account", "id", "name", "plan", "bookmaker", "created_at"),
    _numbered(
        *("api_key", "id", "account_id", "digest", "masked", "created_at", "revoked_at"),
        "may_write",
    ),
    _keyed("quota", 4, "key_id", "kind", "window_s", "started_s", "used"),
    _keyed("spent_token", 1, "nonce", "ends_ms"),
    _keyed("secret", 1, "name", "value"),
)
"""Accounts, keys and counts."""
TABLES: Final = (*ODDS, *ACCESS)

_encode: Final = msgspec.msgpack.Encoder().encode


class Copied(msgspec.Struct, frozen=True):
    """How many rows of a table there are, from its first on, and the hash of all they hold."""

    rows: int
    digest: bytes


class Moved(msgspec.Struct, frozen=True):
    """A table of the source beside that of the target."""

    table: str
    source_rows: int
    target_rows: int
    is_equal: bool


class Source(Protocol):
    """A database that nobody else changes meanwhile; rows are as SQLite keeps them."""

    def rows(self, table: Table) -> Generator[Row]:
        """Yield the rows of a table in the order of its key; close it before the next."""
        ...

    def last_number(self, table: Table) -> int:
        """Return the last number that a numbered table has given, 0 where it never did."""
        ...


class Target(Source, Protocol):
    """A database that is being made; nobody serves it until ``finish``."""

    def copied(self) -> dict[str, Copied]:
        """Return what is there already, by table."""
        ...

    def add(self, table: Table, rows: Collection[Row], copied: Copied) -> None:
        """Add rows and note what is there then; for good when it returns, or not at all."""
        ...

    def empty(self, tables: Iterable[Table]) -> None:
        """Remove all rows of tables, and what was noted of them."""
        ...

    def go_on_from(self, table: Table, number: int) -> None:
        """Make that the last number that a numbered table has given."""
        ...

    def finish(self) -> None:
        """Make it one that can be served."""
        ...


class _Reading:
    """The rows of a table as they are read, with what was read by now."""

    def __init__(self, rows: Iterable[Row]) -> None:
        self._rows = iter(rows)
        self._hash = hashlib.blake2b(digest_size=16)
        self._count = 0

    def chunk(self, most: int = CHUNK) -> list[Row]:
        """Return the next rows, none at the end."""
        rows = list(islice(self._rows, most))
        self._hash.update(b"".join(map(_encode, rows)))
        self._count += len(rows)
        return rows

    def by_now(self) -> Copied:
        """Return what was read."""
        return Copied(self._count, self._hash.digest())


def copy_tables(source: Source, target: Target, progress: Progress) -> dict[str, Copied]:
    """Copy what the target lacks; return what the source holds, by table."""
    there = target.copied()
    found: dict[str, Copied] = {}
    for number, table in enumerate(TABLES):
        copied = _copy(source, target, table, there.get(table.name), progress)
        if copied is None:  # the source has changed since: what refers to this goes with it
            target.empty(TABLES[number:])
            there.clear()
            copied = _copy(source, target, table, None, progress)
            assert copied is not None
        found[table.name] = copied
        if table.is_numbered:
            target.go_on_from(table, source.last_number(table))
    return found


def check_tables(
    target: Target, source: Source, found: dict[str, Copied], progress: Progress
) -> list[Moved]:
    """Read all of the target and hold it against what was found in the source.

    Where they differ all of the target is to be copied anew the next time.
    """
    moved = []
    for table in TABLES:
        there = read_whole(target, table, progress)
        is_counted = table.is_numbered and not table.gives_anew
        same = not is_counted or source.last_number(table) == target.last_number(table)
        here = found[table.name]
        moved.append(Moved(table.name, here.rows, there.rows, same and here == there))
    if not all(each.is_equal for each in moved):
        target.empty(TABLES)
    return moved


def read_whole(side: Source, table: Table, progress: Progress = lambda _: None) -> Copied:
    """Return what a table holds."""
    with closing(side.rows(table)) as rows:
        reading = _Reading(rows)
        while chunk := reading.chunk():
            progress(len(chunk))
        return reading.by_now()


def _copy(
    source: Source, target: Target, table: Table, there: Copied | None, progress: Progress
) -> Copied | None:
    """Copy the rest of a table; None where what is there is not how the source begins."""
    with closing(source.rows(table)) as rows:
        reading = _Reading(rows)
        if there is not None and _pass_by(reading, there.rows, progress) != there:
            return None
        while chunk := reading.chunk():
            target.add(table, chunk, reading.by_now())
            progress(len(chunk))
        return reading.by_now()


def _pass_by(reading: _Reading, rows: int, progress: Progress) -> Copied:
    """Read so many rows, as far as there are."""
    while chunk := reading.chunk(min(CHUNK, rows - reading.by_now().rows)):
        progress(len(chunk))
    return reading.by_now()
