"""The log from its beginning, of a database and of the archive that its older rows went to."""

from collections import deque
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Final, NamedTuple

from oddsdesk.archive.errors import ArchiveError
from oddsdesk.archive.files import archived_files
from oddsdesk.store.reader import Reader
from oddsdesk.store.spans import LoggedMove

SLICE: Final = 20_000
"""Numbers that are asked for at a time: some 100 ms, and 20 MB."""
ALWAYS: Final = (-(2**62), 2**62)
"""From when to before when, for all there is."""

Batches = Iterator[Sequence[LoggedMove]]


class Stretch(NamedTuple):
    """Rows of a shard from one number to another; ``path`` where the database has not them all."""

    shard: int
    first: int
    last: int
    path: Path | None = None


class LogOfAll:
    """What a database and its archive hold, up to where the log ends when this is made.

    What was simulated before there were real odds is no part of it.

    Raises:
        ArchiveError: the folder is the archive of another database.
    """

    def __init__(self, reader: Reader, archive: Path | None = None) -> None:
        self._reader = reader
        self._stretches = [
            stretch
            for shard in range(reader.shards)
            for stretch in _stretches(reader, shard, archive)
        ]

    def batches(self, since_ms: int, before_ms: int) -> Batches:
        """Yield the moves of prices scraped from one time to before another, shard by shard.

        Raises:
            ArchiveError, StoreUnavailableError, OSError: something cannot be read.
        """
        for stretch in self._stretches:
            yield from self._rows_of(stretch, since_ms, before_ms)

    def finished(self) -> Iterator[tuple[Sequence[LoggedMove], Collection[str]]]:
        """Yield all moves in order, with the games that none is to come of afterwards.

        Raises:
            ArchiveError, StoreUnavailableError, OSError: something cannot be read.
        """
        for shard, stretches in groupby(self._stretches, key=attrgetter("shard")):
            last_moves = deque(self._reader.last_moves(shard))
            for stretch in stretches:
                for rows in self._rows_of(stretch, *ALWAYS):
                    done = set()
                    while last_moves and rows and last_moves[0][0] <= rows[-1].seq:
                        done.add(last_moves.popleft()[1])
                    yield rows, done

    @property
    def reads_archive(self) -> bool:
        """Whether any rows are read from the archive."""
        return any(stretch.path is not None for stretch in self._stretches)

    @property
    def begins_late(self) -> bool:
        """Whether rows before the first that is there were removed."""
        firsts: dict[int, int] = {}
        for stretch in self._stretches:
            firsts.setdefault(stretch.shard, stretch.first)
        return any(first > self._reader.last_made_up(shard) + 1 for shard, first in firsts.items())

    def _rows_of(self, stretch: Stretch, since_ms: int, before_ms: int) -> Batches:
        if stretch.path is None:
            return self._from_database(stretch, since_ms, before_ms)
        return _from_archive(stretch, stretch.path, since_ms, before_ms)

    def _from_database(self, stretch: Stretch, since_ms: int, before_ms: int) -> Batches:
        after = stretch.first - 1
        while after < stretch.last:
            until = min(after + SLICE, stretch.last)
            rows = self._reader.logged(stretch.shard, after, until, since_ms, before_ms)
            yield rows  # also an empty one, so that somebody who waits hears of it
            after = until


def _from_archive(stretch: Stretch, path: Path, since_ms: int, before_ms: int) -> Batches:
    from oddsdesk.archive.reading import rows_in_order  # noqa: PLC0415 - pyarrow is an extra

    for rows in rows_in_order(path, stretch.first, stretch.last):
        yield [row for row in rows if since_ms <= row.scraped_at < before_ms]


def _stretches(reader: Reader, shard: int, archive: Path | None) -> Iterator[Stretch]:
    end, after = reader.last_seq(shard), reader.last_made_up(shard)
    for begin, last, path in _archived(archive, shard, end):
        if last <= after:
            continue
        first = max(begin, after + 1)
        yield from _held(reader, shard, after, first - 1)
        yield Stretch(
            shard, first, last, path if _lacks(reader, shard, begin, last, path) else None
        )
        after = last
    yield from _held(reader, shard, after, end)


def _held(reader: Reader, shard: int, after: int, until: int) -> Iterator[Stretch]:
    first = reader.first_after(shard, after)
    if first is not None and first <= until:
        yield Stretch(shard, first, until)


def _archived(archive: Path | None, shard: int, end: int) -> Sequence[tuple[int, int, Path]]:
    if archive is None:
        return ()
    files = archived_files(archive, shard)
    if files and files[-1].last > end:
        raise ArchiveError(f"{archive}: goes further than the database; is it another's?")
    return [(file.first, file.last, file.path) for file in files]


def _lacks(reader: Reader, shard: int, first: int, last: int, path: Path) -> bool:
    """Whether the database has fewer rows of these numbers than the archive."""
    from oddsdesk.archive.parquet import span_of  # noqa: PLC0415 - pyarrow is an extra

    held = reader.between(shard, first, last)
    return held is None or held.rows < span_of(path).rows
