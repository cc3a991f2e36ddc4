"""Rows as CSV or NDJSON, plain or gzip; Parquet is in ``parquet``."""

import csv
import gzip
import io
from collections.abc import Callable, Sequence
from enum import StrEnum
from types import TracebackType
from typing import Any, BinaryIO, Final, Protocol, Self

import msgspec

from oddsdesk.contract.times import format_ms
from oddsdesk.formula_texts import safe_text
from oddsdesk.research.export.columns import Column, Kind, Row

_GZIP_LEVEL: Final = 6
_ENDINGS: Final = {
    ".parquet": ("parquet", False),
    ".csv": ("csv", False),
    ".csv.gz": ("csv", True),
    ".ndjson": ("ndjson", False),
    ".ndjson.gz": ("ndjson", True),
    ".jsonl": ("ndjson", False),
    ".jsonl.gz": ("ndjson", True),
}


class Format(StrEnum):
    """How rows are written."""

    PARQUET = "parquet"
    CSV = "csv"
    NDJSON = "ndjson"


class RowWriter(Protocol):
    """Takes rows by ``columns``; whole only once the block around it ended well."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...

    def write(self, rows: Sequence[Row]) -> None:
        """Write rows, in order."""
        ...


def format_of(name: str) -> tuple[Format, bool] | None:
    """Return the format that a file's ending names, and whether it is packed; None for none."""
    lower = name.lower()
    found = [said for ending, said in _ENDINGS.items() if lower.endswith(ending)]
    return (Format(found[0][0]), found[0][1]) if found else None


def known_endings() -> str:
    """Return the endings that files may have, for people."""
    return ", ".join(_ENDINGS)


class TextWriter:
    """Writes to a file that somebody else opened and closes."""

    def __init__(
        self, file: BinaryIO, columns: Sequence[Column], how: Format, *, packed: bool
    ) -> None:
        self._columns = columns
        self._packer = gzip.GzipFile("", "wb", _GZIP_LEVEL, file, mtime=0) if packed else None
        out: Any = self._packer or file
        self._lines = _CsvLines(columns) if how is Format.CSV else _JsonLines(columns)
        self._write: Callable[[bytes], object] = out.write
        self._write(self._lines.head())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._packer is not None and error is None:
            self._packer.close()

    def write(self, rows: Sequence[Row]) -> None:
        """Write rows, in order."""
        self._write(self._lines.lines(rows))


class _Lines(Protocol):
    def head(self) -> bytes: ...
    def lines(self, rows: Sequence[Row]) -> bytes: ...


class _JsonLines:
    def __init__(self, columns: Sequence[Column]) -> None:
        self._names = [column.name for column in columns]
        self._times = [column.name for column in columns if column.kind is Kind.TIME]
        self._booleans = [column.name for column in columns if column.kind is Kind.BOOLEAN]
        self._encoder = msgspec.json.Encoder()

    def head(self) -> bytes:
        return b""

    def lines(self, rows: Sequence[Row]) -> bytes:
        return self._encoder.encode_lines(map(self._named, rows))

    def _named(self, row: Row) -> dict[str, Any]:
        named = dict(zip(self._names, row, strict=True))
        for name in self._times:
            if named[name] is not None:
                named[name] = format_ms(named[name])
        for name in self._booleans:
            named[name] = bool(named[name])
        return named


class _CsvLines:
    """In UTF-8; texts are safe in a spreadsheet, as everywhere."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self._names = [column.name for column in columns]
        written: dict[Kind, Callable[[Any], Any]] = {
            Kind.TIME: format_ms,
            Kind.TEXT: safe_text,
            Kind.BOOLEAN: lambda value: "true" if value else "false",
            Kind.ODDS: lambda odds: msgspec.json.encode(odds).decode(),
        }
        self._written = [
            (place, written[column.kind])
            for place, column in enumerate(columns)
            if column.kind in written
        ]

    def head(self) -> bytes:
        return self._text([self._names])

    def lines(self, rows: Sequence[Row]) -> bytes:
        return self._text(map(self._row, rows))

    def _row(self, row: Row) -> list[Any]:
        cells = list(row)
        for place, written in self._written:
            if cells[place] is not None:
                cells[place] = written(cells[place])
        return cells

    def _text(self, rows: Any) -> bytes:
        text = io.StringIO(newline="")
        csv.writer(text).writerows(rows)
        return text.getvalue().encode()
