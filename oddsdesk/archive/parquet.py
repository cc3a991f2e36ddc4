"""One Parquet file of price history: written sorted from rows in any order, in little memory."""

import contextlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from oddsdesk.archive.errors import ArchiveError
from oddsdesk.store.spans import ArchivedRow, Span

PART_ROWS: Final = 120_000
"""Rows that are sorted at a time, some 100 MB of memory in all, and are a row group then: what
a reader of one selection has to read. Smaller ones make a footer that takes longer than that."""
MOST_PARTS: Final = 256
"""Files that are open at a time; an hour of more than 30 million rows takes more memory."""
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
"""What grows from row to row within a selection: kept as differences."""
_IS_LIVE: Final = list(_COLUMNS).index("is_live")


def write_sorted(
    file: Path,
    scratch: Path,
    span: Span,
    batches: Iterable[Sequence[ArchivedRow]],
    go_on: Callable[[], None] = lambda: None,
) -> int:
    """Write rows, a game's together, and return how many there were.

    They are dealt to ``scratch`` by game first, so that only a part of them is in memory at a
    time. ``go_on`` is called now and then, and may raise to end it.
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
        for part in parts.read():
            writer.write_table(part.sort_by([(name, "ascending") for name in _SORTED_BY]))
            go_on()
    return rows


def span_of(file: Path) -> Span:
    """Return what a file says that it holds.

    Raises:
        ArchiveError: it is none of ours, cut off, or holds another number of rows.
        OSError: it cannot be read now.
    """
    try:
        found = pq.read_metadata(file)
        span = msgspec.json.decode((found.metadata or {})[_MARK], type=Span)
    except (pa.ArrowInvalid, KeyError, msgspec.DecodeError) as error:
        raise ArchiveError(f"{file}: is no file of the archive, or is damaged") from error
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
    """Files of rows, by the beginning of the game's id: each has whole games, all in order."""

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

    def read(self) -> Iterator[pa.Table]:
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
