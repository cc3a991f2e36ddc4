"""Reading the archive's files in the order of the log, a part at a time."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from oddsdesk.archive.errors import ArchiveError
from oddsdesk.store.spans import LoggedMove

WINDOW: Final = 200_000
"""Rows that are sorted at a time: a file is read again for each, and some 100 MB of memory."""
_TIMES: Final = frozenset({"recorded_at", "scraped_at", "match_date"})


def rows_in_order(path: Path, first: int, last: int) -> Iterator[list[LoggedMove]]:
    """Yield the rows of a file by number, which lie by game in it.

    Raises:
        ArchiveError: it is damaged.
        OSError: it cannot be read now.
    """
    try:
        with pq.ParquetFile(path) as file:
            for begin in range(first, last + 1, WINDOW):
                rows = _window(file, begin, min(begin + WINDOW - 1, last))
                if rows:
                    yield rows
    except pa.ArrowInvalid as error:
        raise ArchiveError(f"{path}: is no file of the archive, or is damaged") from error


def _window(file: pq.ParquetFile, first: int, last: int) -> list[LoggedMove]:
    parts = []
    for number in range(file.num_row_groups):
        group = file.read_row_group(number, columns=list(LoggedMove._fields))
        seq = group["seq"]
        parts.append(group.filter(pc.and_(pc.greater_equal(seq, first), pc.less_equal(seq, last))))
    if not parts:
        return []
    table = pa.concat_tables(parts).select(LoggedMove._fields).sort_by("seq")
    return moves_of(table)


def moves_of(table: pa.Table) -> list[LoggedMove]:
    """Return rows as the log has them."""
    columns = (values_of(table[name], name) for name in LoggedMove._fields)
    return list(map(LoggedMove._make, zip(*columns, strict=True)))


def values_of(column: pa.ChunkedArray, name: str) -> list[Any]:
    """Return the values of a column, times in milliseconds."""
    found: list[Any] = (column.cast(pa.int64()) if name in _TIMES else column).to_pylist()
    return found
