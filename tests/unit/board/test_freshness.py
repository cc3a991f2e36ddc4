"""Freshness by a bookmaker's own rhythm."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.board.freshness import Freshness, ScrapeInterval

NOW = 1_795_000_000_000


def learnt(*gaps_s: float) -> ScrapeInterval:
    scrape_interval = ScrapeInterval()
    at = NOW
    for gap in gaps_s:
        at += round(gap * 1000)
        scrape_interval.rescraped("Betfair", round(gap * 1000), at)
    return scrape_interval


def test_all_prices_of_one_pass_count_once() -> None:
    scrape_interval = ScrapeInterval()
    for place in range(9):
        scrape_interval.rescraped("Betfair", 240_000, NOW + place)
    assert scrape_interval.stale_after_ms("Betfair", False) == 180_000


def test_a_slow_bookmaker_is_given_more_time_before_the_game_and_never_in_play() -> None:
    slow = learnt(*[60] * 6)
    assert slow.stale_after_ms("Betfair", False) == 360_000
    assert slow.stale_after_ms("Betfair", True) == 60_000
    assert learnt(*[5] * 6).stale_after_ms("Betfair", True) == 30_000


def test_the_interval_is_the_median_once_enough_is_known() -> None:
    assert learnt(8, 8, 8, 8).interval_s("Betfair") == 30
    assert learnt(8, 8, 8, 200, 9).interval_s("Betfair") == 8


@given(st.lists(st.floats(0.001, 10_000), min_size=5, max_size=60))
def test_the_interval_stays_within_5_and_120_seconds(gaps_s: list[float]) -> None:
    assert 5 <= learnt(*gaps_s).interval_s("Betfair") <= 120


@pytest.mark.parametrize(
    ("age_s", "freshness"),
    [
        (0, Freshness.FRESH),
        (20, Freshness.FRESH),
        (20.001, Freshness.AGEING),
        (60, Freshness.AGEING),
        (60.001, Freshness.STALE),
        (600, Freshness.STALE),
        (600.001, Freshness.DEAD),
    ],
)
def test_four_states_by_age(age_s: float, freshness: Freshness) -> None:
    scrape_interval = learnt(*[10] * 5)
    assert scrape_interval.freshness("Betfair", NOW - round(age_s * 1000), NOW) is freshness


@given(st.integers(0, 10**7), st.integers(0, 10**7), st.integers(1, 200))
def test_an_older_price_is_never_fresher(one: int, other: int, gap_s: int) -> None:
    scrape_interval = learnt(*[gap_s] * 5)
    younger, older = sorted((one, other))
    states = [scrape_interval.freshness("Betfair", NOW - age, NOW) for age in (younger, older)]
    assert states[0] <= states[1]


@pytest.mark.parametrize(("in_play", "stale_after_s"), [(False, 180), (None, 180), (True, 60)])
def test_until_the_rhythm_is_known_a_price_is_stale_as_is_usual(
    in_play: bool | None, stale_after_s: int
) -> None:
    scrape_interval = learnt()
    assert scrape_interval.stale_after_ms("Betfair", in_play) == stale_after_s * 1000

    def state(age_ms: int) -> Freshness:
        return scrape_interval.freshness("Betfair", NOW - age_ms, NOW, in_play=in_play)

    assert state(stale_after_s * 1000) < Freshness.STALE
    assert state(stale_after_s * 1000 + 1) is Freshness.STALE


@pytest.mark.parametrize(("gap_s", "stale_after_s"), [(8, 48), (2, 30), (60, 360), (500, 720)])
def test_once_the_rhythm_is_known_it_says_when_a_price_is_stale(
    gap_s: int, stale_after_s: int
) -> None:
    known = learnt(*[gap_s] * 5)
    assert known.stale_after_ms("Betfair", False) == stale_after_s * 1000
    assert known.stale_after_ms("Betfair", True) == min(stale_after_s, 60) * 1000


def test_a_price_that_waits_for_its_turn_of_reading_is_no_older_for_it() -> None:
    scrape_interval = learnt(*[10] * 5)
    scrape_interval.be_patient(30_000)

    def state(age_s: int, unread_s: int) -> Freshness:
        heard_at = NOW - unread_s * 1000
        return scrape_interval.freshness("Betfair", NOW - age_s * 1000, NOW, heard_at)

    assert state(45, 30) is Freshness.FRESH
    assert state(45, 0) is Freshness.AGEING
    assert state(70, 60) is Freshness.AGEING
    assert state(601, 600) is Freshness.DEAD
    scrape_interval.be_patient(0)
    assert state(45, 30) is Freshness.AGEING


def test_in_play_a_price_that_waits_to_be_read_is_stale_as_soon_as_any_other() -> None:
    """It was staked at 81 to 96 s, where one in a game with a tab was stale at 60 (D45)."""
    scrape_interval = learnt(*[10] * 5)
    scrape_interval.be_patient(36_000)

    def state(age_ms: int) -> Freshness:
        heard_at = NOW - min(age_ms, 36_000)
        return scrape_interval.freshness("Betfair", NOW - age_ms, NOW, heard_at, in_play=True)

    assert scrape_interval.patience_with(NOW - 36_000, NOW, in_play=True) == 0
    assert state(56_000) is Freshness.FRESH  # it may only not have been read again
    assert state(60_000) is Freshness.AGEING
    assert state(60_001) is Freshness.STALE


def test_what_was_read_before_the_stream_began_may_have_moved_unheard() -> None:
    """A stream that came back a second ago says nothing of the minute before."""
    scrape_interval = learnt(*[10] * 5)

    def state(since_s: int) -> Freshness:
        scrape_interval.be_patient(90_000, NOW - since_s * 1000)
        return scrape_interval.freshness("Betfair", NOW - 80_000, NOW, NOW - 75_000)

    assert state(75) is Freshness.FRESH
    assert state(20) is Freshness.AGEING
    assert state(1) is Freshness.STALE
    assert scrape_interval.lessons == 1 + 3


def test_a_price_of_the_future_is_stale() -> None:
    """D84."""
    state = learnt().freshness
    assert state("Betfair", NOW + 300_000, NOW) is Freshness.FRESH
    assert state("Betfair", NOW + 300_001, NOW, heard_at=NOW) is Freshness.STALE
