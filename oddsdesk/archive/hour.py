"""One file of the archive, to be asked for single games: where in it each of them lies."""

from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from sys import intern
from typing import Final, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from oddsdesk.archive.files import ArchivedFile
from oddsdesk.archive.parquet import SCHEMA, span_of
from oddsdesk.archive.reading import values_of
from oddsdesk.store.older import OldGame
from oddsdesk.store.spans import LoggedMove

_COLUMNS: Final = list(LoggedMove._fields)
_SCHEMA: Final = pa.schema([SCHEMA.field(name) for name in _COLUMNS])
_SCRAPED_AT: Final = SCHEMA.names.index("scraped_at")
_TEXTS: Final = (
    *("game_id", "match_name", "competition", "sport"),
    *("bookmaker", "market_type", "selection"),
)


class _Part(NamedTuple):
    """A row group: its games by id, and where the rows of each begin and of the last one end."""

    game_ids: tuple[str, ...]
    bounds: tuple[int, ...]


class ArchivedHour:
    """What is found out about a file stays; its rows are read anew each time."""

    def __init__(self, file: ArchivedFile) -> None:
        self.file = file

    @cached_property
    def times(self) -> tuple[int, int]:
        """The earliest and the latest ``scraped_at``, in milliseconds."""
        found = pq.read_metadata(self.file.path)
        groups = [found.row_group(number) for number in range(found.num_row_groups)]
        told = [group.column(_SCRAPED_AT).statistics for group in groups]
        return min(each.min_raw for each in told), max(each.max_raw for each in told)

    @cached_property
    def rows(self) -> int:
        """How many there are."""
        return span_of(self.file.path).rows

    @cached_property
    def began(self) -> int:
        """When the first row was recorded."""
        return span_of(self.file.path).began

    @cached_property
    def parts(self) -> tuple[_Part, ...]:
        """Its row groups; the rows of a game are together in one."""
        with self._opened() as file:
            return tuple(
                _part(file.read_row_group(number, ["game_id"])["game_id"])
                for number in range(file.num_row_groups)
            )

    def games(self) -> Iterator[tuple[int, OldGame]]:
        """Yield the games that have rows, each with the number of one of them."""
        columns = ["seq", "game_id", "match_name", "competition", "sport", "match_date"]
        with self._opened() as file:
            for number, part in enumerate(self.parts):
                rows = file.read_row_group(number, columns).take(list(part.bounds[:-1]))
                values = (values_of(rows[name], name) for name in columns)
                for seq, *named in zip(*values, strict=True):
                    yield seq, OldGame(*named)

    def of_games(self, game_ids: Collection[str]) -> pa.Table | None:
        """Return the rows of some games; None for none."""
        tables = []
        wanted = sorted(game_ids)
        places = [_places(part, wanted) for part in self.parts]
        if not any(places):
            return None
        with self._opened() as file:
            for number, found in enumerate(places):
                if found:
                    group = file.read_row_group(number, _COLUMNS)
                    parts = [group.slice(low, high - low) for low, high in found]
                    tables.append(_plain(pa.concat_tables(parts)))
        return pa.concat_tables(tables)

    def between(self, since: int, until: int) -> pa.Table:
        """Return the rows scraped from one time to before another."""
        with self._opened() as file:
            table = file.read(_COLUMNS)
        at = table["scraped_at"].cast(pa.int64())
        return _plain(table.filter(pc.and_(pc.greater_equal(at, since), pc.less(at, until))))

    def scraped(self) -> pa.ChunkedArray:
        """Return when each row was scraped, in milliseconds."""
        return pq.read_table(self.file.path, columns=["scraped_at"])["scraped_at"].cast(pa.int64())

    def _opened(self) -> pq.ParquetFile:
        return pq.ParquetFile(self.file.path, read_dictionary=list(_TEXTS))


def _part(game_ids: pa.ChunkedArray) -> _Part:
    """Return where the games of a row group lie, which is sorted by them."""
    runs = pc.run_end_encode(game_ids.combine_chunks().cast(pa.string()), pa.int32())
    ids = tuple(intern(ident) for ident in runs.values.to_pylist())
    return _Part(ids, (0, *runs.run_ends.to_pylist()))


def _places(part: _Part, wanted: Sequence[str]) -> list[tuple[int, int]]:
    """Return from which row to which those of some games are; neighbours are one."""
    found: list[tuple[int, int]] = []
    for ident in wanted:
        place = bisect_left(part.game_ids, ident)
        if place < len(part.game_ids) and part.game_ids[place] == ident:
            low, high = part.bounds[place : place + 2]
            if found and found[-1][1] == low:
                low = found.pop()[0]
            found.append((low, high))
    return found


def _plain(table: pa.Table) -> pa.Table:
    """Return rows with texts in the place of numbers of a dictionary."""
    return table.cast(_SCHEMA)
