"""The archive of a database: each hour of its log in a Parquet file, once that hour is over.

A file has the rows of a shard from one number to another, as its name says; files do not overlap.
It gets its name once it is complete, on the disk, and has as many rows as the database; until then
the next round writes it again.
"""

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import pyarrow as pa

from oddsdesk.archive.folder import ArchivedFile, ArchiveError, archived_files, by_day
from oddsdesk.archive.index import index_of
from oddsdesk.archive.parquet import span_of, write_sorted
from oddsdesk.base.files import keep_from_others
from oddsdesk.base.places import make_folder, sync
from oddsdesk.contract.times import HOUR_MS, format_ms
from oddsdesk.store.reader import Reader
from oddsdesk.store.spans import ArchivedRow, Position, Span
from oddsdesk.store.unfinished import unfinished_folder

SLICE: Final = 5_000
"""Rows read at a time: some 20 ms, and 10 MB."""

_log = logging.getLogger(__name__)


class _StoppedError(Exception):
    """The program is stopping."""


class Archive:
    """Used by one process, a round at a time; ``reader`` returns the calling thread's."""

    def __init__(self, folder: Path, reader: Callable[[], Reader]) -> None:
        self.folder = folder
        self._reader = reader
        self._stopping = threading.Event()
        self._confirmed: set[Path] = set()
        self._indexed: set[Path] = set()

    def stop_sealing(self) -> None:
        """Stop running work soon; incomplete files are dropped."""
        self._stopping.set()

    def prepare_folder(self) -> None:
        """Make the folder, if it is missing, and check that it can be written.

        Raises:
            OSError: it cannot.
        """
        make_folder(self.folder)
        with unfinished_folder(self.folder / "hour"):
            pass

    def seal(self, now_ms: int) -> int:
        """Write the hours that are over and missing; return their number of rows.

        Raises:
            ArchiveError: it is another database's, or the log changed in between.
            StoreUnavailableError, OSError: something cannot be read or written now.
        """
        rows = 0
        try:
            for span in self._sealed(now_ms):
                self._write(span)
                rows += span.rows
            self._index()
        except _StoppedError:
            _log.info("archiving of price history goes on at the next start")
        return rows

    def through(self, before_ms: int) -> Position:
        """Return the position up to which everything recorded before a time is archived.

        Each file with rows still in the database was counted against them.

        Raises:
            ArchiveError: a file differs from the database.
            StoreUnavailableError, OSError: something cannot be read now.
        """
        return tuple(self._through(shard, before_ms) for shard in range(self._reader().shards))

    def _through(self, shard: int, before_ms: int) -> int:
        through = 0
        for file in self._files(shard):
            first = self._reader().first_after(shard, through)
            if first is None or first < file.first:
                break
            if first <= file.last and not self._is_safe(file, before_ms):
                break
            through = file.last
        return through

    def _is_safe(self, file: ArchivedFile, before_ms: int) -> bool:
        """Return whether all of a file was recorded before a time; raise if it lacks rows."""
        held = span_of(file.path)
        if held.ended >= before_ms:
            return False
        if file.path not in self._confirmed:
            found = self._reader().span_between(*file[:3])
            if found is not None and not _holds(held, file, found):
                raise ArchiveError(f"{file.path}: the database has other rows under these numbers")
            self._confirmed.add(file.path)
        return True

    def _missing(self, shard: int, files: Sequence[ArchivedFile]) -> Iterator[tuple[int, int]]:
        """Yield the gaps: after which row and up to which some may be in no file."""
        end = self._reader().last_seq(shard)
        if files and files[-1].last > end:
            raise ArchiveError(
                f"{self.folder}: has newer rows than the database; is it from another database?"
            )
        after = 0
        for file in files:
            if file.first <= after:
                raise ArchiveError(f"{file.path}: overlaps with another file")
            yield after, file.first - 1
            after = file.last
        yield after, end

    def _sealed(self, now_ms: int) -> Iterator[Span]:
        """Yield the hours that are over and in no file."""
        for shard in range(self._reader().shards):
            for after, until in list(self._missing(shard, self._files(shard))):
                seq = after
                while span := self._reader().hour_after(shard, seq, until):
                    self._go_on()
                    if span.began // HOUR_MS >= now_ms // HOUR_MS:
                        break
                    yield span
                    seq = span.last

    def _write(self, span: Span) -> None:
        path = self._path(span)
        make_folder(path.parent)
        sync(self.folder)
        with unfinished_folder(self.folder / "hour") as scratch:
            whole = scratch / "whole"
            written = write_sorted(whole, scratch, span, self._rows(span), self._go_on)
            found = self._reader().span_between(span.shard, span.first, span.last)
            if (written, found) != (span.rows, span) or span_of(whole) != span:
                raise ArchiveError(f"the log changed while {path.name} was written")
            keep_from_others(whole)
            sync(whole)
            whole.replace(path)
            sync(path.parent)

    def _index(self) -> None:
        """Make an index of each day; in the first round also for files of an earlier version."""
        for day in by_day(archived_files(self.folder)):
            if all(file.path in self._indexed for file in day):
                continue
            try:
                index_of(day, self._go_on)
            except (ArchiveError, OSError, pa.ArrowException) as error:
                _log.warning("cannot index the archive, so looking back is slower: %s", error)
            self._indexed.update(file.path for file in day)

    def _rows(self, span: Span) -> Iterator[Sequence[ArchivedRow]]:
        after = span.first - 1
        while after < span.last and (rows := self._reader().span_rows(span, after, SLICE)):
            yield rows
            after = rows[-1][0]

    def _go_on(self) -> None:
        if self._stopping.is_set():
            raise _StoppedError

    def _path(self, span: Span) -> Path:
        day, hour = format_ms(span.began)[:13].split("T")
        name = f"{hour}h-{span.shard}-{span.first}-{span.last}.parquet"
        return self.folder / f"date={day}" / name

    def _files(self, shard: int) -> list[ArchivedFile]:
        return archived_files(self.folder, shard)


def _holds(held: Span, file: ArchivedFile, found: Span) -> bool:
    """Return whether a file's rows can be those of the database, or more."""
    return (
        held.rows >= found.rows
        and (held.first, held.last) == (file.first, file.last)
        and held.began <= found.began
        and found.ended <= held.ended
    )
