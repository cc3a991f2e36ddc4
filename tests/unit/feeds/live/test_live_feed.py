"""What the log tells of a feed's state: each kind of trouble once, and being well again once."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Iterable
from pathlib import Path

import pytest

from oddsdesk.contract.administration import FeedCondition
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.live.live_feed import (
    FIRST_ANSWER,
    MOST_KINDS,
    STEADY_MS,
    Status,
    merged,
    read_spec,
)

NOW = 1_800_000_000_000
UNTIL = NOW + 1_000
RESET = "epl: the host closed the connection"
MOVED = "epl: the host redirects elsewhere"


@pytest.fixture
def told(caplog: pytest.LogCaptureFixture) -> Callable[[], list[str]]:
    caplog.set_level(logging.INFO, logger="oddsdesk.feeds.live.live_feed")
    return lambda: [record.getMessage() for record in caplog.records]


def test_until_the_first_answer_it_waits_and_then_runs_without_a_word(told) -> None:
    status = Status("p")
    assert (status.now.state, status.now.reason) == (FeedCondition.WAITING, FIRST_ANSWER)
    status.answered(NOW)
    status.running(NOW)
    assert (status.now.state, status.now.reason) == (FeedCondition.RUNNING, "")
    assert told() == []


def test_another_kind_of_trouble_in_one_state_is_told_and_a_repeated_one_is_not(told) -> None:
    status = Status("p")
    for reason in (RESET, RESET, MOVED, MOVED, RESET):
        status.failing(reason, NOW, UNTIL)
    assert status.now.reason == RESET
    status.running(NOW)
    status.running(NOW)
    status.failing(RESET, NOW, UNTIL)
    first, moved = f"p: failing: {RESET}", f"p: failing: {MOVED}"
    assert told() == [first, moved, "p: running again", first]


@pytest.mark.parametrize(
    ("reason", "other", "times"),
    [
        ("3 lines are bad, the last at 12:00:01", "4 lines are bad, the last at 12:00:31", 1),
        ("wait until 2026-11-01T12:00:00.000Z", "wait until 2026-11-01T12:10:00.000Z", 1),
        ("the credits are used up (1,200 used)", "the credits are used up (1,201 used)", 1),
        ("it answers with status 500", "it answers with status 404", 2),
        ("scrape ended with exit status 1", "scrape ended with exit status 2", 2),
    ],
)
def test_counts_and_times_make_no_other_trouble_but_a_status_does(
    told, reason: str, other: str, times: int
) -> None:
    status = Status("p")
    status.failing(reason, NOW, UNTIL)
    status.failing(other, NOW, UNTIL)
    assert len(told()) == times


def test_a_source_that_says_something_else_each_time_does_not_fill_the_log(told) -> None:
    status = Status("p")
    for number in range(10 * MOST_KINDS):
        letters = chr(ord("a") + number // 26) + chr(ord("a") + number % 26)
        status.failing(f"it begins with {letters}", NOW, UNTIL)
    assert len(told()) == MOST_KINDS


def test_a_program_that_ends_badly_each_time_is_told_once(told) -> None:
    status = Status("exec")
    for second in range(5):
        now = NOW + second * 1_000
        status.begun(now)
        assert status.now.state is FeedCondition.WAITING
        status.words(f"{second} s: no network")
        status.failing("scrape ended with exit status 1: no network", now, now + 1_000)
    assert told() == [
        "exec: 0 s: no network",
        "exec: failing: scrape ended with exit status 1: no network",
    ]


def test_a_program_is_well_again_once_it_has_lasted(told) -> None:
    status = Status("exec")
    for second in range(3):
        status.begun(NOW + second * 1_000)
        status.heard(NOW + second * 1_000)
        assert status.now.state is FeedCondition.RUNNING
        status.failing("it ended", NOW, UNTIL)
    status.begun(NOW)
    status.heard(NOW + STEADY_MS)
    status.heard(NOW + STEADY_MS)
    assert told() == ["exec: failing: it ended", "exec: running again"]


def test_what_a_program_says_while_it_is_well_is_told_each_time(told) -> None:
    status = Status("exec")
    status.begun(NOW)
    status.heard(NOW)
    status.words("10 games")
    status.words("11 games")
    assert told() == ["exec: 10 games", "exec: 11 games"]


def test_a_stream_that_stays_away_is_told_once_and_so_is_that_it_is_back(told) -> None:
    status = Status("polymarket")
    for seconds in (1, 2, 4):
        status.aside("stream", f"the stream is away: nothing for {seconds} s")
    status.aside_over("stream", "the stream is back", NOW, NOW)
    status.aside_over("stream", "the stream is back", NOW, NOW + STEADY_MS)
    status.aside_over("stream", "the stream is back", NOW, NOW + STEADY_MS)
    assert told() == [
        "polymarket: the stream is away: nothing for 1 s",
        "polymarket: the stream is back",
    ]


def test_beginning_again_is_no_end_of_failing_until_it_has_lasted_or_says_something() -> None:
    """A program that failed at each start counted as waiting each time, and was never reported."""
    status = Status("p")
    status.begun(NOW)
    assert status.failing_since(NOW) is None
    for later in (1, 2_000, 40_000):
        status.failing("ended with exit status 1", NOW + later, UNTIL)
        status.begun(NOW + later + 1)
    assert status.failing_since(NOW + 41_000) == NOW + 1
    assert status.failing_since(NOW + 40_001 + STEADY_MS) is None
    status.heard(NOW + 42_000)
    assert status.failing_since(NOW + 42_000) is None
    status.failing("ended with exit status 1", NOW + 43_000, UNTIL)
    assert status.failing_since(NOW + 44_000) == NOW + 43_000


def test_a_feed_has_a_name_what_to_read_and_options() -> None:
    spec = read_spec("the-odds-api:soccer_epl,basketball_nba?regions=uk,eu&markets=h2h%2Ctotals")
    assert (spec.name, spec.what) == ("the-odds-api", ("soccer_epl", "basketball_nba"))
    assert spec.options == {"regions": "uk,eu", "markets": "h2h,totals"}
    assert (spec.url, spec.every_s, spec.key_file) == (None, None, None)


def test_every_adapter_has_an_address_a_pace_and_a_key_file() -> None:
    spec = read_spec("kalshi:KXEPLGAME?url=http://127.0.0.1:5/x/&every=2.5&key-file=/k.txt")
    assert spec.url == "http://127.0.0.1:5/x"
    assert (spec.every_s, spec.key_file, spec.options) == (2.5, Path("/k.txt"), {})


def test_what_is_said_twice_is_read_once() -> None:
    assert read_spec("x:a, b,a").what == ("a", "b")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("x", "expected NAME:WHAT"),
        ("X!:a", "expected NAME:WHAT"),
        ("x:", "add what to read after the colon"),
        ("x:,?every=1", "add what to read after the colon"),
        ("x:a?every", "expected option=value"),
        ("x:a?every=", "every has no value"),
        ("x:a?every=0", "every: expected seconds, above 0"),
        ("x:a?every=nan", "every: expected seconds"),
        ("x:a?every=1&every=2", "every is given twice"),
        ("x:a?url=ftp://x", "url: expected an address such as https://host"),
        ("x:a?url=https://me:secret@host", "without user"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(text: str, reason: str) -> None:
    with pytest.raises(FeedError, match=reason) as caught:
        read_spec(text)
    assert "secret" not in str(caught.value)


def test_an_unknown_option_is_named_without_its_value() -> None:
    spec = read_spec("x:a?apikey=9f8e7d6c5b4a")
    with pytest.raises(FeedError, match=r"no option 'apikey'; options are markets, url") as caught:
        spec.refuse_unknown({"markets"})
    assert "9f8e" not in str(caught.value)


class Source:
    """Says what it is given, and then waits for ever; knows how often it was asked."""

    def __init__(self, said: Iterable[str], *, then: BaseException | None = None) -> None:
        self._said = said
        self._then = then
        self.asked = 0
        self.is_closed = False

    async def batches(self) -> AsyncGenerator[str, None]:
        try:
            for each in self._said:
                self.asked += 1
                yield each
            if self._then is not None:
                raise self._then
            await asyncio.Event().wait()
        finally:
            self.is_closed = True


async def test_what_each_says_comes_out_in_its_order() -> None:
    both = merged(Source("abc").batches(), Source("xyz").batches())
    found = [await anext(both) for _ in range(6)]
    await both.aclose()
    assert [each for each in found if each in "abc"] == ["a", "b", "c"]
    assert sorted(found) == ["a", "b", "c", "x", "y", "z"]


async def test_a_source_that_floods_is_asked_for_no_more_than_was_taken() -> None:
    flood = Source(str(number) for number in range(1_000_000))
    both = merged(flood.batches(), Source("x").batches())
    found = [await anext(both) for _ in range(4)]
    await both.aclose()
    assert "x" in found
    assert flood.asked <= 4


async def test_it_ends_with_the_last_of_them() -> None:
    async def few(said: str) -> AsyncGenerator[str, None]:
        for each in said:
            yield each

    assert sorted([each async for each in merged(few("ab"), few("c"))]) == ["a", "b", "c"]


async def test_closing_it_closes_all() -> None:
    sources = [Source("a"), Source("")]
    both = merged(*(each.batches() for each in sources))
    await anext(both)
    await both.aclose()
    assert [each.is_closed for each in sources] == [True, True]


async def test_an_error_of_one_ends_all(caplog: pytest.LogCaptureFixture) -> None:
    other = Source("")
    both = merged(Source("a", then=ValueError("broken")).batches(), other.batches())
    assert await anext(both) == "a"
    with pytest.raises(ValueError, match="broken"):
        await anext(both)
    assert other.is_closed
    caplog.clear()
