"""One file of the archive, to be asked for single games: where in it each of them lies."""

from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence, Set
from functools import cached_property
from typing import Final, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from oddsdesk.archive.errors import ArchiveError
from oddsdesk.archive.files import ArchivedFile
from oddsdesk.archive.index import IndexedFile
from oddsdesk.archive.parquet import SCHEMA
from oddsdesk.store.spans import LoggedMove

_COLUMNS: Final = list(LoggedMove._fields)
_TEXTS: Final = (
    *("game_id", "match_name", "competition", "sport"),
    *("bookmaker", "market_type", "selection"),
)


class _Part(NamedTuple):
    """A row group: its games' numbers, and where the rows of each begin and of the last one end."""

    games: Sequence[int]
    bounds: Sequence[int]


class ArchivedHour:
    """A file as its day's index knows it; ``numbers`` are those of the day's games there, by id.

    Its rows are read anew each time.
    """

    def __init__(self, file: ArchivedFile, index: IndexedFile, numbers: Mapping[str, int]) -> None:
        self.file = file
        self.rows = index.rows
        self.began = index.began
        self.times = index.times
        self._index = index
        self._numbers = numbers

    @cached_property
    def parts(self) -> tuple[_Part, ...]:
        """Its row groups; the rows of a game are together in one."""
        return tuple(
            _Part(array("I", games), array("I", ends)) for games, ends in self._index.parts
        )

    def of_games(
        self, game_ids: Set[str], columns: Sequence[str] = LoggedMove._fields
    ) -> pa.Table | None:
        """Return the rows of some games; None for none."""
        wanted = sorted(self._numbers[each] for each in game_ids & self._numbers.keys())
        places = [_places(part, wanted) for part in self.parts] if wanted else []
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
            raise ArchiveError(f"{self.file.path}: the index of its day is not of this file")
        return rows

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


def _places(part: _Part, wanted: Sequence[int]) -> list[tuple[int, int]]:
    """Return from which row to which those of some games are; neighbours are one."""
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
    """Return rows with texts in the place of numbers of a dictionary."""
    return table.cast(pa.schema([SCHEMA.field(name) for name in table.column_names]))
