"""Quotes: a line of NDJSON, and the output of a program."""

import io
import zlib
from typing import Final

from msgspec.structs import replace

from oddsdesk.contract.quotes import BadQuoteError, Quote, parse_quote, quote_line
from oddsdesk.contract.results import (
    BadResultError,
    Reported,
    is_result_line,
    read_result,
    result_line,
)
from oddsdesk.feeds.live.live_feed import Status
from oddsdesk.feeds.live.quote_lines import BadLines
from oddsdesk.feeds.ndjson import read_batches

NOW_MS: Final = 1_790_000_000_000
GZIP: Final = b"\x1f\x8b"


def read_line(data: bytes) -> None:
    """Read a line; one that is a quote or result says the same once it is written."""
    if is_result_line(data):
        read_result_line(data)
        return
    try:
        quote = parse_quote(data, NOW_MS)
    except BadQuoteError as error:
        reason = str(error)
    else:
        reason = ""
        check_written(quote)
    assert reason.isprintable()


def read_result_line(data: bytes) -> None:
    """Read a result; it says the same once it is written."""
    try:
        result = read_result(data, NOW_MS)
    except BadResultError as error:
        reason = str(error)
    else:
        reason = ""
        assert read_result(result_line(result), NOW_MS) == result
    assert reason.isprintable()


def check_written(quote: Quote) -> None:
    """A quote that is written is read back; a line of which no odds can be read is refused."""
    if quote.unread and not quote.odds:
        return
    again = parse_quote(quote_line(quote), NOW_MS)
    assert replace(again, unread=None) == replace(quote, unread=None, dropped=())
    assert (again.unread or {}).keys() == (quote.unread or {}).keys()


def listen(data: bytes) -> None:
    """Read what a program writes, in pieces as it likes; its bad lines are told."""
    status = Status("exec")
    bad_lines = BadLines(status)
    whole = [each for batch in read_batches(io.BytesIO(data), _now) for each in batch.reported]
    pieces: list[Reported] = []
    for batch in read_batches(_InPieces(data), _now):
        bad_lines.note_bad_lines(batch.bad, _now)
        pieces += batch.reported
    if data.startswith(GZIP):  # of damaged data so much comes out as fits the pieces
        least = min(len(whole), len(pieces))
        whole, pieces = whole[:least], pieces[:least]
    assert pieces == whole
    assert status.now.reason.isprintable()


class _InPieces:
    """A stream that gives a few bytes at a time, by their own sum."""

    def __init__(self, data: bytes) -> None:
        self._stream = io.BytesIO(data)
        self._sum = zlib.crc32(data)

    def read1(self, size: int, /) -> bytes:
        self._sum = (self._sum * 1_103_515_245 + 12_345) % (1 << 31)
        return self._stream.read(1 + self._sum % 61)


def _now() -> int:
    return NOW_MS
