"""An index of each day's files, in their folder: readers of the past open only files they need.

``_index`` can be rebuilt from the files at any time, and is if it is missing, damaged or of other
files: each file is known by its name and size. Readers of Hive folders ignore it, as its name
begins with ``_``.
"""

import contextlib
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import cached_property
from pathlib import Path
from sys import intern
from typing import Final, NamedTuple

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from oddsdesk.archive.folder import ArchivedFile, ArchiveError
from oddsdesk.archive.parquet import SCHEMA, span_of, values_of
from oddsdesk.base.files import FOR_GROUP, whole_file
from oddsdesk.store.spans import LoggedMove, OldGame

_NAME: Final = "_index"
_VERSION: Final = 1
_SCRAPED_AT: Final = SCHEMA.names.index("scraped_at")
_NAMED: Final = ["seq", "game_id", "match_name", "competition", "sport", "match_date"]


class WrittenGame(NamedTuple):
    """A game as last written, and one of its rows."""

    shard: int
    seq: int
    game: OldGame


def later(written: WrittenGame, known: WrittenGame | None) -> WrittenGame:
    """Return which of two was written later: a game's rows are in one shard's log."""
    return written if known is None or written[:2] > known[:2] else known


class IndexedPart(NamedTuple):
    """A row group: its games, and where the rows of each begin and of the last one end.

    Both are numbers of four bytes; a game's is its place among those of the day.
    """

    games: bytes
    bounds: bytes


class IndexedFile(msgspec.Struct, frozen=True, array_like=True):
    """A file: its size in bytes, its rows, its first recording time, and its prices' times."""

    name: str
    size: int
    rows: int
    began: int
    times: tuple[int, int]
    """The earliest and the latest ``scraped_at``, in milliseconds."""
    parts: list[IndexedPart]


class IndexedDay(msgspec.Struct, frozen=True, array_like=True):
    """The files of a day, and the games with rows in them, by id."""

    version: int
    games: list[WrittenGame]
    files: list[IndexedFile]

    def game_ids(self) -> tuple[str, ...]:
        """Return the ids of the games; equal ids of all days are one object."""
        return tuple(intern(each.game.game_id) for each in self.games)


_NOTHING: Final = IndexedDay(_VERSION, [], [])


class _Part(NamedTuple):
    """A row group by the ids of its games."""

    game_ids: Sequence[str]
    bounds: bytes


class _Read(NamedTuple):
    """The contents of a file."""

    file: IndexedFile
    """Without its parts."""
    parts: list[_Part]


def index_of(files: Sequence[ArchivedFile], go_on: Callable[[], None] = lambda: None) -> IndexedDay:
    """Return the contents of a day's files; those missing in the index are read and added.

    ``go_on`` is called before each, and may raise to stop.

    Raises:
        ArchiveError: a file is damaged.
        OSError, ArrowException: one cannot be read now.
    """
    place = files[0].path.with_name(_NAME)
    held = _held(place, {each.path.name: each.path.stat().st_size for each in files})
    known = {file.name: file for file in held.files}
    if len(known) == len(files):
        return held
    idents = held.game_ids()
    games = dict(zip(idents, held.games, strict=True))
    read: list[_Read] = []
    for each in files:
        file = known.get(each.path.name)
        if file is None:
            go_on()
            read.append(_read(each, games))
        else:
            parts = [
                _Part([idents[number] for number in array("I", part.games)], part.bounds)
                for part in file.parts
            ]
            read.append(_Read(file, parts))
    found = _numbered(games, read)
    with contextlib.suppress(OSError), whole_file(place, FOR_GROUP) as stream:
        stream.write(msgspec.msgpack.encode(found))
    return found


def _held(place: Path, sizes: Mapping[str, int]) -> IndexedDay:
    """Return the index of a day; empty if there is none, or it is of files of other sizes."""
    try:
        found = msgspec.msgpack.decode(place.read_bytes(), type=IndexedDay)
    except (OSError, msgspec.DecodeError):
        return _NOTHING
    is_of_these = all(sizes.get(file.name) == file.size for file in found.files)
    return found if is_of_these and found.version == _VERSION else _NOTHING


def _numbered(games: dict[str, WrittenGame], read: Sequence[_Read]) -> IndexedDay:
    """Put a day together."""
    idents = sorted({ident for each in read for part in each.parts for ident in part.game_ids})
    numbers = {ident: number for number, ident in enumerate(idents)}
    files = [
        msgspec.structs.replace(
            each.file,
            parts=[
                IndexedPart(_bytes(numbers[ident] for ident in part.game_ids), part.bounds)
                for part in each.parts
            ],
        )
        for each in read
    ]
    return IndexedDay(_VERSION, [games[ident] for ident in idents], files)


def _read(archived: ArchivedFile, games: dict[str, WrittenGame]) -> _Read:
    """Read a file's contents; update games that were written later than known."""
    path = archived.path
    span = span_of(path)
    with pq.ParquetFile(path) as file:
        groups = [file.metadata.row_group(number) for number in range(file.num_row_groups)]
        told = [group.column(_SCRAPED_AT).statistics for group in groups]
        times = min(each.min_raw for each in told), max(each.max_raw for each in told)
        parts = []
        for number in range(file.num_row_groups):
            part, named = _part(file.read_row_group(number, _NAMED))
            parts.append(part)
            for seq, game in named:
                written = WrittenGame(archived.shard, seq, game)
                games[game.game_id] = later(written, games.get(game.game_id))
    found = IndexedFile(path.name, path.stat().st_size, span.rows, span.began, times, [])
    return _Read(found, parts)


def _bytes(numbers: Iterable[int]) -> bytes:
    return array("I", numbers).tobytes()


def _part(rows: pa.Table) -> tuple[_Part, list[tuple[int, OldGame]]]:
    """Return where the games of a row group lie, and one row of each; it is sorted by them."""
    runs = pc.run_end_encode(rows["game_id"].combine_chunks(), pa.int32())
    ids = tuple(intern(ident) for ident in runs.values.to_pylist())
    bounds = (0, *runs.run_ends.to_pylist())
    firsts = rows.take(list(bounds[:-1]))
    values = (values_of(firsts[name], name) for name in _NAMED)
    named = [(seq, OldGame(*fields)) for seq, *fields in zip(*values, strict=True)]
    return _Part(ids, _bytes(bounds)), named


_HOUR_COLUMNS: Final = list(LoggedMove._fields)
_TEXTS: Final = (
    *("game_id", "match_name", "competition", "sport"),
    *("bookmaker", "market_type", "selection"),
)


class _GamesOfPart(NamedTuple):
    """A row group: its games' numbers, and where the rows of each begin and of the last one end."""

    games: Sequence[int]
    bounds: Sequence[int]


class ArchivedHour:
    """A file as its day's index has it; ``numbers`` are the day's numbers of its games, by id.

    Its rows are read each time.
    """

    def __init__(self, file: ArchivedFile, index: IndexedFile, numbers: Mapping[str, int]) -> None:
        self.file = file
        self.rows = index.rows
        self.began = index.began
        self.times = index.times
        self._index = index
        self._numbers = numbers

    @cached_property
    def row_groups(self) -> tuple[_GamesOfPart, ...]:
        """Its row groups; the rows of a game are together in one."""
        return tuple(
            _GamesOfPart(array("I", games), array("I", ends)) for games, ends in self._index.parts
        )

    def of_games(
        self, game_ids: Set[str], columns: Sequence[str] = LoggedMove._fields
    ) -> pa.Table | None:
        """Return the rows of some games; None for none."""
        wanted = sorted(self._numbers[each] for each in game_ids & self._numbers.keys())
        places = [_places(part, wanted) for part in self.row_groups] if wanted else []
        if not any(places):
            return None
        tables = []
        with self._opened() as file:
            for number, found in enumerate(places):
                if found:
                    group = file.read_row_group(number, list(columns))
                    parts = [group.slice(low, high - low) for low, high in found]
                    tables.append(_plain(pa.concat_tables(parts)))
        rows = pa.concat_tables(tables)
        if not set(rows["game_id"].unique().to_pylist()) <= game_ids:
            raise ArchiveError(f"{self.file.path}: the index of its day does not match this file")
        return rows

    def rows_between(self, since: int, until: int) -> pa.Table:
        """Return the rows scraped from one time to before another."""
        with self._opened() as file:
            table = file.read(_HOUR_COLUMNS)
        at = table["scraped_at"].cast(pa.int64())
        return _plain(table.filter(pc.and_(pc.greater_equal(at, since), pc.less(at, until))))

    def scraped(self) -> pa.ChunkedArray:
        """Return when each row was scraped, in milliseconds."""
        return pq.read_table(self.file.path, columns=["scraped_at"])["scraped_at"].cast(pa.int64())

    def _opened(self) -> pq.ParquetFile:
        return pq.ParquetFile(self.file.path, read_dictionary=list(_TEXTS))


def _places(part: _GamesOfPart, wanted: Sequence[int]) -> list[tuple[int, int]]:
    """Return the row ranges of some games; adjacent ones are joined."""
    found: list[tuple[int, int]] = []
    for number in wanted:
        place = bisect_left(part.games, number)
        if place < len(part.games) and part.games[place] == number:
            low, high = part.bounds[place : place + 2]
            if found and found[-1][1] == low:
                low = found.pop()[0]
            found.append((low, high))
    return found


def _plain(table: pa.Table) -> pa.Table:
    """Return rows with texts instead of dictionary numbers."""
    return table.cast(pa.schema([SCHEMA.field(name) for name in table.column_names]))
