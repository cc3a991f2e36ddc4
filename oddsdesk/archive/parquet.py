"""One Parquet file of price history: written sorted from rows in any order, in little memory."""

import contextlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from oddsdesk.archive.folder import ArchiveError
from oddsdesk.store.spans import ArchivedRow, LoggedMove, Span

PART_ROWS: Final = 120_000
"""Rows sorted at a time, some 100 MB of memory in all, which then form a row group: a reader of one
selection has to read it. Smaller groups make a footer that takes longer than that."""
MOST_PARTS: Final = 256
"""Files open at a time; an hour of more than 30 million rows takes more memory."""
_MARK: Final = b"oddsdesk.span"
_TIME: Final = pa.timestamp("ms", tz="UTC")
_COLUMNS: Final[dict[str, pa.DataType]] = {
    "seq": pa.int64(),
    "game_id": pa.string(),
    "match_name": pa.string(),
    "competition": pa.string(),
    "sport": pa.string(),
    "match_date": _TIME,
    "bookmaker": pa.string(),
    "market_type": pa.string(),
    "period": pa.int32(),
    "selection": pa.string(),
    "odds": pa.float64(),
    "is_live": pa.bool_(),
    "scraped_at": _TIME,
    "recorded_at": _TIME,
    "liquidity": pa.float64(),
}
_SORTED_BY: Final = ("game_id", "market_type", "period", "selection", "bookmaker", "seq")
SCHEMA: Final = pa.schema(list(_COLUMNS.items()))
_GROWING: Final = ("seq", "scraped_at", "recorded_at")
"""Columns that grow within a selection: stored as differences."""
_IS_LIVE: Final = list(_COLUMNS).index("is_live")


def write_sorted(
    file: Path,
    scratch: Path,
    span: Span,
    batches: Iterable[Sequence[ArchivedRow]],
    go_on: Callable[[], None] = lambda: None,
) -> int:
    """Write rows, a game's together, and return how many there were.

    Rows are first dealt to ``scratch`` by game, so that only a part is in memory at a time.
    ``go_on`` is called now and then, and may raise to stop.
    """
    count = min(-(-span.rows // PART_ROWS), MOST_PARTS)
    rows = 0
    with _Parts(scratch, count) as parts:
        for batch in batches:
            parts.deal(batch)
            rows += len(batch)
            go_on()
    with pq.ParquetWriter(file, SCHEMA, **_how()) as writer:
        writer.add_key_value_metadata({_MARK: msgspec.json.encode(span)})
        for part in parts.read_parts():
            writer.write_table(part.sort_by([(name, "ascending") for name in _SORTED_BY]))
            go_on()
    return rows


def span_of(file: Path) -> Span:
    """Return a file's span from its metadata.

    Raises:
        ArchiveError: it is not one of ours, cut off, or has another number of rows.
        OSError: it cannot be read now.
    """
    try:
        found = pq.read_metadata(file)
        span = msgspec.json.decode((found.metadata or {})[_MARK], type=Span)
    except (pa.ArrowInvalid, KeyError, msgspec.DecodeError) as error:
        raise ArchiveError(f"{file}: is not an archive file, or is damaged") from error
    if found.num_rows != span.rows:
        raise ArchiveError(f"{file}: holds {found.num_rows:,} rows instead of {span.rows:,}")
    return span


def _how() -> dict[str, Any]:
    return {
        "compression": "zstd",
        "use_dictionary": [name for name in _COLUMNS if name not in _GROWING],
        "column_encoding": dict.fromkeys(_GROWING, "DELTA_BINARY_PACKED"),
        "store_schema": False,
    }


class _Parts(contextlib.ExitStack):
    """Files of rows, by the beginning of the game's id: each has whole games, in order."""

    def __init__(self, folder: Path, count: int) -> None:
        super().__init__()
        self._count = count
        self._files = [folder / f"{number}.arrow" for number in range(count)]
        self._streams = [
            self.enter_context(
                pa.ipc.new_stream(self.enter_context(pa.OSFile(str(file), "wb")), SCHEMA)
            )
            for file in self._files
        ]

    def deal(self, rows: Sequence[ArchivedRow]) -> None:
        """Take rows."""
        dealt: defaultdict[int, list[ArchivedRow]] = defaultdict(list)
        for row in rows:
            dealt[int(row[1][:8], 16) * self._count >> 32].append(row)
        for part, found in dealt.items():
            self._streams[part].write_batch(_batch(found))

    def read_parts(self) -> Iterator[pa.Table]:
        """Yield the rows of each part, once all are dealt."""
        for file in self._files:
            with pa.OSFile(str(file)) as source:
                yield pa.ipc.open_stream(source).read_all()
            file.unlink()


def _batch(rows: Sequence[ArchivedRow]) -> pa.RecordBatch:
    columns = list(zip(*rows, strict=True))
    columns[_IS_LIVE] = tuple(map(bool, columns[_IS_LIVE]))
    arrays = [
        pa.array(column, kind) for column, kind in zip(columns, _COLUMNS.values(), strict=True)
    ]
    return pa.record_batch(arrays, schema=SCHEMA)


WINDOW: Final = 200_000
"""Rows sorted at a time: the file is read once for each, in some 100 MB of memory."""
_TIMES: Final = frozenset({"recorded_at", "scraped_at", "match_date"})


def rows_in_order(path: Path, first: int, last: int) -> Iterator[list[LoggedMove]]:
    """Yield the rows of a file by number; in the file they are by game.

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
        raise ArchiveError(f"{path}: is not an archive file, or is damaged") from error


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
    """Return rows like those of the log."""
    columns = (values_of(table[name], name) for name in LoggedMove._fields)
    return list(map(LoggedMove._make, zip(*columns, strict=True)))


def values_of(column: pa.ChunkedArray, name: str) -> list[Any]:
    """Return the values of a column, times in milliseconds."""
    found: list[Any] = (column.cast(pa.int64()) if name in _TIMES else column).to_pylist()
    return found
