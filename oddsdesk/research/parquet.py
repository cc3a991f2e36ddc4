"""Writes rows as Parquet; needs pyarrow, an optional dependency."""

from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, BinaryIO, Final, Self

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq

from oddsdesk.research.export import Column, Kind, Row, json_text

GROUP_ROWS: Final = 100_000
"""Rows per group; a group is held in memory."""
_TYPES: Final = {
    Kind.INTEGER: pa.int64(),
    Kind.NUMBER: pa.float64(),
    Kind.TEXT: pa.string(),
    Kind.BOOLEAN: pa.bool_(),
    Kind.TIME: pa.timestamp("ms", tz="UTC"),
    Kind.ODDS: pa.map_(pa.string(), pa.float64()),
    Kind.JSON: pa.string(),
}
_MARK: Final = b"oddsdesk.schema"
_GROWING: Final = frozenset({"seq", "recorded_at", "scraped_at"})
"""Stored as differences, since they grow from row to row."""


class ParquetWriter:
    """Writes to a stream that the caller opened and closes; it need not be seekable.

    The file also contains the descriptions in ``described``.
    """

    def __init__(
        self, file: BinaryIO, columns: Sequence[Column], described: Mapping[str, Any]
    ) -> None:
        self._columns = columns
        self._schema = pa.schema([(column.name, _TYPES[column.kind]) for column in columns])
        self._batches: list[pa.RecordBatch] = []
        self._rows = 0
        growing = [column.name for column in columns if column.name in _GROWING]
        self._writer = pq.ParquetWriter(
            _Counted(file),
            self._schema.with_metadata({_MARK: msgspec.json.encode(described)}),
            compression="zstd",
            use_dictionary=[
                column.name
                for column in columns
                if column.name not in growing and column.kind is not Kind.ODDS
            ],
            column_encoding=dict.fromkeys(growing, "DELTA_BINARY_PACKED"),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if error is None:
            self._flush()
            self._writer.close()
        else:
            self._writer.is_open = False  # do not write the end of an incomplete file

    def write_rows(self, rows: Sequence[Row]) -> None:
        """Write rows, in order."""
        if not rows:
            return
        values = zip(*rows, strict=True)
        arrays = [
            _array(column.kind, found) for column, found in zip(self._columns, values, strict=True)
        ]
        self._batches.append(pa.record_batch(arrays, schema=self._schema))
        self._rows += len(rows)
        if self._rows >= GROUP_ROWS:
            self._flush()

    def _flush(self) -> None:
        if self._batches:
            self._writer.write_table(pa.Table.from_batches(self._batches))
        self._batches, self._rows = [], 0


def _array(kind: Kind, values: Sequence[Any]) -> pa.Array:
    if kind is Kind.BOOLEAN:
        return pa.array([None if each is None else bool(each) for each in values], pa.bool_())
    if kind is Kind.JSON:
        return pa.array(list(map(json_text, values)), _TYPES[kind])
    if kind is Kind.ODDS:
        return pa.array([list(odds.items()) for odds in values], _TYPES[kind])
    return pa.array(values, _TYPES[kind])


class _Counted:
    """A stream that reports its position, which Parquet needs, even if it is a pipe."""

    closed = False

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._written = 0

    def write(self, data: Any) -> int:
        self._file.write(data)
        size = memoryview(data).nbytes
        self._written += size
        return size

    def tell(self) -> int:
        return self._written

    def flush(self) -> None:
        self._file.flush()

    def close(self) -> None:
        """Leave the stream open; the caller closes it."""

    def readable(self) -> bool:
        return False

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False
