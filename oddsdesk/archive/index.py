"""What the files of a day hold, kept beside them: who looks back opens only those that it needs.

``_index`` can be made anew from the files at any time, and is where it is missing, damaged or of
others: each file is known by its name and size. Readers of Hive folders pass it over, as its
name begins with ``_``.
"""

import contextlib
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from sys import intern
from typing import Final, NamedTuple

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from oddsdesk.archive.files import ArchivedFile
from oddsdesk.archive.parquet import SCHEMA, span_of
from oddsdesk.archive.reading import values_of
from oddsdesk.private_files import FOR_GROUP
from oddsdesk.store.older import OldGame
from oddsdesk.whole_files import whole_file

_NAME: Final = "_index"
_VERSION: Final = 1
_SCRAPED_AT: Final = SCHEMA.names.index("scraped_at")
_NAMED: Final = ["seq", "game_id", "match_name", "competition", "sport", "match_date"]


class WrittenGame(NamedTuple):
    """A game as it was written last, and one of the rows that it was written with."""

    shard: int
    seq: int
    game: OldGame


def later(written: WrittenGame, known: WrittenGame | None) -> WrittenGame:
    """Return which of two was written later: the rows of a game are of one shard's log."""
    return written if known is None or written[:2] > known[:2] else known


class IndexedPart(NamedTuple):
    """A row group: which games it has, and where the rows of each begin and of the last one end.

    Both are numbers of four bytes; a game's is its place among those of the day.
    """

    games: bytes
    bounds: bytes


class IndexedFile(msgspec.Struct, frozen=True, array_like=True):
    """A file: its size in bytes, its rows, when the first was recorded, and its prices' times."""

    name: str
    size: int
    rows: int
    began: int
    times: tuple[int, int]
    """The earliest and the latest ``scraped_at``, in milliseconds."""
    parts: list[IndexedPart]


class IndexedDay(msgspec.Struct, frozen=True, array_like=True):
    """The files of a day, and the games that have rows in any of them, by id."""

    version: int
    games: list[WrittenGame]
    files: list[IndexedFile]

    def game_ids(self) -> tuple[str, ...]:
        """Return the ids of the games; that of one is the same object in all days."""
        return tuple(intern(each.game.game_id) for each in self.games)


_NOTHING: Final = IndexedDay(_VERSION, [], [])


class _Part(NamedTuple):
    """A row group by the ids of its games."""

    game_ids: Sequence[str]
    bounds: bytes


class _Read(NamedTuple):
    """What a file was found to hold."""

    file: IndexedFile
    """Without its parts."""
    parts: list[_Part]


def index_of(files: Sequence[ArchivedFile], go_on: Callable[[], None] = lambda: None) -> IndexedDay:
    """Return what a day's files hold; those that its index lacks are read, and are in it then.

    ``go_on`` is called before each, and may raise to end it.

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
    """Return the index of a day; an empty one where none is, or it is not of files so large."""
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
    """Read what a file holds; games that were written later than is known become so."""
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
    """Return where the games of a row group lie, which is sorted by them, and one row of each."""
    runs = pc.run_end_encode(rows["game_id"].combine_chunks(), pa.int32())
    ids = tuple(intern(ident) for ident in runs.values.to_pylist())
    bounds = (0, *runs.run_ends.to_pylist())
    firsts = rows.take(list(bounds[:-1]))
    values = (values_of(firsts[name], name) for name in _NAMED)
    named = [(seq, OldGame(*fields)) for seq, *fields in zip(*values, strict=True)]
    return _Part(ids, _bytes(bounds)), named
