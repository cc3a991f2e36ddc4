"""Reads quotes and results from NDJSON: keeps the good lines, reports the bad ones by number."""

from collections.abc import Iterator

import msgspec

from oddsdesk.base.clock import Clock
from oddsdesk.base.texts import N_
from oddsdesk.contract.quotes import BadQuoteError, Quote, bad_part_words, parse_quote
from oddsdesk.contract.results import (
    BadResultError,
    GameResult,
    Reported,
    is_result_line,
    read_result,
)
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.files import Readable, plain_chunks

MAX_LINE_BYTES = 1024 * 1024
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class BadLine(msgspec.Struct, frozen=True):
    """A line that is neither quote nor result, or a quote only in part; numbers start at 1."""

    number: int
    reason: str


class Batch(msgspec.Struct):
    """The result of one read of a stream, in order.

    A line that is only partly readable is in both lists.
    """

    quotes: list[Quote] = msgspec.field(default_factory=list)
    results: list[GameResult] = msgspec.field(default_factory=list)
    bad: list[BadLine] = msgspec.field(default_factory=list)

    @property
    def reported(self) -> list[Reported]:
        """The quotes, then the results."""
        return [*self.quotes, *self.results]


def read_batches(stream: Readable, clock: Clock) -> Iterator[Batch]:
    """Yield the quotes and results of NDJSON, plain or gzip, as they arrive: one batch per read.

    Blank lines and a byte order mark are skipped. Lines may end in CRLF. Damaged or cut gzip data
    is the last bad line; the line that it cuts is not reported again.
    """
    lines = QuoteLines(clock)
    try:
        for chunk in plain_chunks(stream):
            yield lines.feed(chunk)
    except FeedError as error:
        yield Batch(bad=[BadLine(lines.number + 1, str(error))])
        return
    yield lines.last_line()


class QuoteLines:
    """Reads plain NDJSON piece by piece.

    ``number`` is the last complete line, ``good`` how many lines were quotes or results.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._line = _PartialLine()
        self.number = 0
        self.good = 0

    def feed(self, chunk: bytes) -> Batch:
        """Return the quotes and results of the lines that a piece completes."""
        batch = Batch()
        *ended, rest = chunk.split(b"\n")
        for piece in ended:
            self._end_line(piece, batch)
        self._line.add_piece(rest)
        self.good += len(batch.quotes) + len(batch.results)
        return batch

    def last_line(self) -> Batch:
        """Return the quote or result of the last line, which may lack its line break."""
        batch = Batch()
        self._end_line(b"", batch)
        self.good += len(batch.quotes) + len(batch.results)
        return batch

    def _end_line(self, piece: bytes, batch: Batch) -> None:
        self.number += 1
        _read_line(self._line.end_line(piece), self.number, self._clock(), batch)


def read_lines(stream: Readable, clock: Clock) -> Iterator[Quote | GameResult | BadLine]:
    """Yield the quotes and results of a stream and its bad lines."""
    for batch in read_batches(stream, clock):
        yield from batch.quotes
        yield from batch.results
        yield from batch.bad


class _PartialLine:
    """The incomplete line; a too long one is not kept in memory."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._size = 0

    def add_piece(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size <= MAX_LINE_BYTES:
            self._pieces.append(piece)
        else:
            self._pieces.clear()

    def end_line(self, piece: bytes) -> bytes | None:
        """Return the complete line and begin the next; None if it was too long."""
        self.add_piece(piece)
        line = None if self._size > MAX_LINE_BYTES else b"".join(self._pieces)
        self._pieces.clear()
        self._size = 0
        return line


def _read_line(line: bytes | None, number: int, now_ms: int, batch: Batch) -> None:
    if line is None:
        batch.bad.append(BadLine(number, N_(f"longer than {MAX_LINE_BYTES:,} bytes")))
        return
    if number == 1:
        line = line.removeprefix(_BYTE_ORDER_MARK)
    line = line.strip()
    if not line:
        return
    try:
        if is_result_line(line):
            batch.results.append(_real(read_result(line, now_ms)))
            return
        quote = parse_quote(line, now_ms)
    except (BadQuoteError, BadResultError) as error:
        batch.bad.append(BadLine(number, str(error)))
        return
    batch.quotes.append(quote)
    if words := bad_part_words(quote):
        batch.bad.append(BadLine(number, N_(f"{words}; the rest of the line is recorded")))


def _real(result: GameResult) -> GameResult:
    """Return a result of a real game: a made-up one may have the names and day of a real one."""
    if result.simulated:
        raise BadResultError("simulated: the result was made up, it is not recorded")
    return result
