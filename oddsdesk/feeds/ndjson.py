"""Reads quotes from NDJSON: keeps the good lines, reports the bad ones by number."""

from collections.abc import Iterator

import msgspec

from oddsdesk.base.clock import Clock
from oddsdesk.contract.quotes import BadQuoteError, Quote, bad_part_words, parse_quote
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.files import Readable, plain_chunks

MAX_LINE_BYTES = 1024 * 1024
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class BadLine(msgspec.Struct, frozen=True):
    """A line that is not a quote, or only partly one; numbers start at 1."""

    number: int
    reason: str


class Batch(msgspec.Struct):
    """The result of one read of a stream, in order.

    A line that is only partly readable is in both lists.
    """

    quotes: list[Quote] = msgspec.field(default_factory=list)
    bad: list[BadLine] = msgspec.field(default_factory=list)


def read_batches(stream: Readable, clock: Clock) -> Iterator[Batch]:
    """Yield the quotes of NDJSON, plain or gzip, as they arrive: one batch per read.

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

    ``number`` is the last complete line, ``quotes`` how many lines were quotes.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._line = _PartialLine()
        self.number = 0
        self.quotes = 0

    def feed(self, chunk: bytes) -> Batch:
        """Return the quotes of the lines that a piece completes."""
        batch = Batch()
        *ended, rest = chunk.split(b"\n")
        for piece in ended:
            self._end_line(piece, batch)
        self._line.add_piece(rest)
        self.quotes += len(batch.quotes)
        return batch

    def last_line(self) -> Batch:
        """Return the quote of the last line, which may lack its line break."""
        batch = Batch()
        self._end_line(b"", batch)
        self.quotes += len(batch.quotes)
        return batch

    def _end_line(self, piece: bytes, batch: Batch) -> None:
        self.number += 1
        _read_line(self._line.end_line(piece), self.number, self._clock(), batch)


def read_quotes(stream: Readable, clock: Clock) -> Iterator[Quote | BadLine]:
    """Yield the quotes of a stream and its bad lines."""
    for batch in read_batches(stream, clock):
        yield from batch.quotes
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
        batch.bad.append(BadLine(number, f"longer than {MAX_LINE_BYTES:,} bytes"))
        return
    if number == 1:
        line = line.removeprefix(_BYTE_ORDER_MARK)
    line = line.strip()
    if not line:
        return
    try:
        quote = parse_quote(line, now_ms)
    except BadQuoteError as error:
        batch.bad.append(BadLine(number, str(error)))
        return
    batch.quotes.append(quote)
    if words := bad_part_words(quote):
        batch.bad.append(BadLine(number, f"{words}; the rest of the line is recorded"))
