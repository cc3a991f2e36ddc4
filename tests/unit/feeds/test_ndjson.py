"""Lines become quotes; a bad one costs only itself."""

import gzip
import io
import json

from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.results import GameResult
from oddsdesk.contract.times import parse_ms
from oddsdesk.feeds.ndjson import MAX_LINE_BYTES, BadLine, read_batches, read_lines

NOW = parse_ms("2026-11-20T18:30:00Z")


def line(**changes: object) -> bytes:
    row = {
        "bookmaker": "Bet365",
        "match_name": "Arsenal vs Chelsea",
        "competition": "EPL",
        "market_type": "moneyline",
        "period": 0,
        "odds": {"Arsenal": 2.0, "Draw": 3.5, "Chelsea": 4.0},
        "scraped_at": "2026-11-20T18:29:00Z",
    }
    return json.dumps(row | changes).encode()


KICK_OFF = parse_ms("2026-11-20T16:00:00Z")


def result(**changes: object) -> bytes:
    row = {
        "match_name": "Arsenal vs Chelsea",
        "competition": "EPL",
        "kick_off": "2026-11-20T16:00:00Z",
        "status": "final",
        "home": 2,
        "away": 1,
    }
    return json.dumps(row | changes).encode()


def read(data: bytes) -> list[Quote | GameResult | BadLine]:
    return list(read_lines(io.BytesIO(data), lambda: NOW))


def names(items: list[Quote | GameResult | BadLine]) -> list[str]:
    return [item.bookmaker for item in items if isinstance(item, Quote)]


def test_a_line_is_a_quote_with_defaults() -> None:
    (quote,) = read(line())
    assert isinstance(quote, Quote)
    assert quote.odds == {"Arsenal": 2.0, "Draw": 3.5, "Chelsea": 4.0}
    assert (quote.is_live, quote.match_date, quote.url, quote.liquidity) == (False,) + (None,) * 3


def test_a_byte_order_mark_blank_lines_and_crlf_are_passed_over() -> None:
    data = b"\xef\xbb\xbf" + line(bookmaker="A") + b"\r\n\r\n  \n" + line(bookmaker="B") + b"\r\n"
    assert names(read(data)) == ["A", "B"]


def test_a_line_that_is_partly_bad_is_a_quote_and_a_line_to_tell_of() -> None:
    quote, bad = read(line(odds={"Arsenal": 2.0, "Draw": float("nan"), "Chelsea": 4.0}))
    assert isinstance(quote, Quote)
    assert quote.odds == {"Arsenal": 2.0, "Chelsea": 4.0}
    assert bad == BadLine(
        1,
        "odds: expected a number above 1, at most 100,000, for 'Draw', got nan;"
        " the rest of the line is recorded",
    )


def test_bad_lines_carry_their_number_and_reason_and_the_rest_is_kept() -> None:
    data = b"\n".join(
        [line(), b"", b"no json", line(period=-1), b'{"bookmaker": "\xff"}', line(bookmaker="B")]
    )
    items = read(data)
    assert names(items) == ["Bet365", "B"]
    bad = {item.number: item.reason for item in items if isinstance(item, BadLine)}
    assert sorted(bad) == [3, 4, 5]
    assert "JSON" in bad[3]
    assert "period" in bad[4]
    assert "utf-8" in bad[5].lower()


def test_a_quote_from_the_future_is_bad() -> None:
    (bad,) = read(line(scraped_at="2026-11-20T18:36:00Z"))
    assert isinstance(bad, BadLine)
    assert "ahead" in bad.reason


def test_a_line_that_is_too_long_is_bad_and_the_next_is_read() -> None:
    data = line(url="x" * MAX_LINE_BYTES) + b"\n" + line(bookmaker="B")
    first, second = sorted(read(data), key=lambda item: isinstance(item, Quote))
    assert first == BadLine(1, "longer than 1,048,576 bytes")
    assert names([second]) == ["B"]


def test_cut_gzip_is_one_bad_line_and_what_came_before_is_kept() -> None:
    lines = [line(bookmaker=f"B{number * 7919 % 5000}") for number in range(3_000)]
    data = gzip.compress(b"\n".join(lines))
    items = read(data[: len(data) // 2])
    bad = [item for item in items if isinstance(item, BadLine)]
    kept = names(items)
    assert len(kept) > 100
    assert bad == [BadLine(len(kept) + 1, "the gzip data ends early")]


def test_quotes_and_results_may_be_mixed_and_bad_results_carry_their_number() -> None:
    data = b"\n".join([line(), result(), result(home=-1), result(status="postponed", home=None)])
    batch, last = read_batches(io.BytesIO(data), lambda: NOW)
    batch.bad += last.bad
    assert len(batch.quotes) == 1
    assert batch.results == [GameResult("EPL", "Arsenal vs Chelsea", KICK_OFF, 2, 1)]
    assert batch.reported == [*batch.quotes, *batch.results]
    assert [(each.number, each.reason) for each in batch.bad] == [
        (3, "home: expected 0 to 10000, got -1"),
        (4, "home is missing: expected the score of both teams, or of none"),
    ]


def test_a_result_that_was_made_up_is_bad() -> None:
    """A simulated game may have the names and day of a real one."""
    assert read(result(simulated=True)) == [
        BadLine(1, "simulated: the result was made up, it is not recorded")
    ]


def test_lines_are_given_as_soon_as_they_are_whole() -> None:
    class Pipe:
        def __init__(self) -> None:
            half = line(bookmaker="B")
            self.pieces = [line(bookmaker="A") + b"\n" + half[:20], half[20:] + b"\n", b""]

        def read1(self, size: int, /) -> bytes:
            return self.pieces.pop(0)

    pipe = Pipe()
    batches = read_batches(pipe, lambda: NOW)
    assert [quote.bookmaker for quote in next(batches).quotes] == ["A"]
    assert len(pipe.pieces) == 2
    assert [quote.bookmaker for quote in next(batches).quotes] == ["B"]


@given(st.lists(st.sampled_from([line(), b"", b"{", line(period=-1)])), st.integers(1, 400))
def test_how_a_stream_is_cut_into_reads_does_not_matter(lines: list[bytes], size: int) -> None:
    data = b"\n".join(lines)

    class Pieces(io.BytesIO):
        def read1(self, asked: int | None = -1, /) -> bytes:
            return super().read1(size)

    def outcome(stream: io.BytesIO) -> tuple[int, list[BadLine]]:
        items = list(read_lines(stream, lambda: NOW))
        return len(names(items)), [item for item in items if isinstance(item, BadLine)]

    assert outcome(Pieces(data)) == outcome(io.BytesIO(data))
    assert outcome(Pieces(data))[0] == lines.count(line())
