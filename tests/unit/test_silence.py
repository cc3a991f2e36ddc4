"""When no price came in for longer than usual."""

import pytest

from oddsdesk.contract.times import MINUTE_MS, WINDOW_MS
from oddsdesk.silence import Arrivals
from tests.kit.board import NOW

LOOK_MS = 15_000


def silent_from(arrivals: Arrivals, every_ms: int, last: int, until: int) -> int | None:
    """Look as the desk does while a source is read so often; return the first look in silence."""
    for now in range(NOW, until, LOOK_MS):
        arrivals.look(NOW + (min(now, last) - NOW) // every_ms * every_ms, now)
        if arrivals.silent_since() is not None:
            return now - NOW
    return None


@pytest.mark.parametrize(
    ("every_ms", "silent_after_ms"),
    [
        (1_000, 45_000),  # half a minute at the least, and the next look
        (30_000, 75_000),
        (10 * MINUTE_MS, 20 * MINUTE_MS + LOOK_MS),
    ],
)
def test_a_source_is_silent_after_two_of_its_usual_pauses(
    every_ms: int, silent_after_ms: int
) -> None:
    last = NOW + 6 * max(every_ms, MINUTE_MS)
    found = silent_from(Arrivals(), every_ms, last, last + WINDOW_MS * 4)
    assert found == last - NOW + silent_after_ms


def test_a_source_that_is_read_as_ever_is_not_silent() -> None:
    for every_ms in (1_000, 30_000, 10 * MINUTE_MS, 25 * MINUTE_MS):
        arrivals = Arrivals()
        for now in range(NOW, NOW + 20 * max(every_ms, MINUTE_MS), LOOK_MS):
            arrivals.look(NOW + (now - NOW) // every_ms * every_ms, now)
            is_known = now - NOW >= 5 * max(every_ms, MINUTE_MS)
            assert arrivals.silent_since() is None or not is_known


def test_parts_of_a_slow_source_that_come_soon_after_each_other_are_not_its_rhythm() -> None:
    """Competitions of one plan are read one after the other, then none for a while."""
    arrivals, newest = Arrivals(), NOW
    for now in range(NOW, NOW + 60 * MINUTE_MS, LOOK_MS):
        newest = now if (now - NOW) % (8 * MINUTE_MS) < 2 * MINUTE_MS else newest
        arrivals.look(newest, now)
        assert arrivals.silent_since() is None or now < NOW + 16 * MINUTE_MS


def test_one_silence_teaches_nothing() -> None:
    arrivals = Arrivals()
    silent_from(arrivals, 30_000, NOW + 5 * MINUTE_MS, NOW + 12 * MINUTE_MS)
    since = arrivals.silent_since()
    assert since == NOW + 5 * MINUTE_MS
    for now in range(NOW + 12 * MINUTE_MS, NOW + 13 * MINUTE_MS, LOOK_MS):
        arrivals.look(now, now)
        assert arrivals.silent_since() is None
    for now in range(NOW + 13 * MINUTE_MS, NOW + 14 * MINUTE_MS + LOOK_MS, LOOK_MS):
        arrivals.look(NOW + 13 * MINUTE_MS - LOOK_MS, now)
    assert arrivals.silent_since() is not None


def test_before_its_rhythm_is_known_a_source_has_until_no_list_holds_a_price() -> None:
    arrivals = Arrivals()
    for now in range(NOW, NOW + 11 * MINUTE_MS, LOOK_MS):
        arrivals.look(NOW - MINUTE_MS, now)
        assert (arrivals.silent_since() is None) is (now - NOW <= WINDOW_MS)


def test_no_price_is_expected_of_a_database_of_old_ones() -> None:
    arrivals = Arrivals()
    for now in range(NOW, NOW + 60 * MINUTE_MS, LOOK_MS):
        arrivals.look(NOW - WINDOW_MS - 1, now)
        assert arrivals.silent_since() is None


def test_a_computer_that_slept_waits_for_the_next_price_before_it_says_anything() -> None:
    arrivals = Arrivals()
    silent_from(arrivals, 30_000, NOW + 5 * MINUTE_MS, NOW + 5 * MINUTE_MS)
    woke = NOW + 480 * MINUTE_MS
    for now in range(woke, woke + MINUTE_MS + LOOK_MS, LOOK_MS):
        arrivals.look(NOW + 5 * MINUTE_MS, now)
        assert arrivals.silent_since() is None
    arrivals.look(NOW + 5 * MINUTE_MS, now + LOOK_MS)
    assert arrivals.silent_since() == NOW + 5 * MINUTE_MS


def test_a_service_that_is_back_has_time_to_read_its_sources_again() -> None:
    arrivals = Arrivals()
    silent_from(arrivals, 30_000, NOW + 5 * MINUTE_MS, NOW + 5 * MINUTE_MS)
    arrivals.begin()
    back = NOW + 5 * MINUTE_MS + 40_000
    for now in range(back, back + MINUTE_MS, LOOK_MS):
        arrivals.look(NOW + 5 * MINUTE_MS, now)
        assert arrivals.silent_since() is None
