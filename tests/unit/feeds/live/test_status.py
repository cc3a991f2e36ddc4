"""What the log tells of a feed's state: each kind of trouble once, and being well again once."""

import logging
from collections.abc import Callable

import pytest

from oddsdesk.contract.administration import FeedCondition
from oddsdesk.feeds.live.status import FIRST_ANSWER, MOST_KINDS, STEADY_MS, Status

NOW = 1_800_000_000_000
UNTIL = NOW + 1_000
RESET = "epl: the host closed the connection"
MOVED = "epl: the host redirects elsewhere"


@pytest.fixture
def told(caplog: pytest.LogCaptureFixture) -> Callable[[], list[str]]:
    caplog.set_level(logging.INFO, logger="oddsdesk.feeds.live.status")
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


def test_beginning_anew_is_no_end_of_failing_until_it_has_lasted_or_says_something() -> None:
    """A program that fails at each start was waiting anew each time, so nobody told of it."""
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
