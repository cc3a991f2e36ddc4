"""Times as people read them."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.contract.times import parse_ms
from oddsdesk.desk.ui.formatting import (
    BookmakerNames,
    age_text,
    clock_text,
    kick_off_text,
    span_text,
    until_text,
)
from oddsdesk.pricing.profiles import Profile, Profiles, shipped_profiles

NOW = int(datetime(2026, 4, 16, 19, 0, tzinfo=UTC).timestamp() * 1000)
MINUTE = 60_000
HOUR = 60 * MINUTE
DAY = 24 * HOUR


@pytest.mark.parametrize(
    ("offset", "text"),
    [
        (2 * HOUR, "Today 21:00"),
        (DAY, "Fri 19:00"),
        (6 * DAY, "Wed 19:00"),
        (7 * DAY, "23 Apr 19:00"),
        (-DAY, "15 Apr 19:00"),
    ],
)
def test_a_kick_off_names_the_day_as_far_as_it_is_needed(offset, text):
    assert kick_off_text(NOW + offset, NOW, UTC) == text


def test_an_unknown_kick_off_says_so():
    assert kick_off_text(None, NOW) == "time unknown"


@pytest.mark.parametrize(
    ("offset", "text"),
    [
        (2 * DAY + 19 * HOUR + 5, "in 2 d 19 h"),
        (HOUR, "in 1 h"),
        (12 * MINUTE, "in 12 min"),
        (20_000, "now"),
        (-(HOUR + 5 * MINUTE), "1 h 5 min ago"),
    ],
)
def test_a_distance_has_its_two_largest_units(offset, text):
    assert until_text(NOW + offset, NOW) == text


@pytest.mark.parametrize(
    ("span", "text"), [(0, "0 s"), (-5, "0 s"), (59_999, "59 s"), (MINUTE, "1 min")]
)
def test_a_short_span_is_in_seconds(span, text):
    assert span_text(span) == text


@pytest.mark.parametrize(
    ("span", "text"), [(12_000, "12 s"), (3 * MINUTE, "3 min"), (2 * HOUR + 1, "2 h"), (DAY, "1 d")]
)
def test_an_age_has_one_unit(span, text):
    assert age_text(span) == text


@pytest.mark.parametrize(
    ("ago", "text"),
    [
        (12_000, "18:59:48"),
        (19 * HOUR, "00:00:00"),
        (20 * HOUR, "15 Apr 23:00"),
        (200 * DAY, "28 Sep 2025 19:00"),
    ],
)
def test_a_moment_has_its_day_where_that_is_not_today(ago, text):
    assert clock_text(NOW - ago, NOW, UTC) == text


@given(
    st.integers(parse_ms("0001-01-01T00:00:00Z"), parse_ms("9999-12-31T23:59:59Z")),
    st.integers(-23, 23),
)
def test_every_kick_off_of_the_wire_is_said_in_every_zone(ms, hours):
    assert kick_off_text(ms, NOW, timezone(timedelta(hours=hours)))


@pytest.mark.parametrize("text", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z"])
@pytest.mark.parametrize("hours", [-12, 14])
def test_the_ends_of_the_calendar_are_said_in_every_zone(text, hours):
    assert kick_off_text(parse_ms(text), NOW, timezone(timedelta(hours=hours)))


UNIBET = Profile(name="Unibet", group="Unibet", short="Unibet", code="UNI", aliases=("Unibet UK",))
NAMES = BookmakerNames(Profiles([UNIBET]))


def test_a_bookmaker_is_called_as_its_profile_says_under_any_of_its_names() -> None:
    assert NAMES.short("Unibet UK") == "Unibet"
    assert NAMES.code("Unibet UK") == "UNI"


def test_who_has_no_profile_keeps_the_whole_name() -> None:
    assert NAMES.short("Newbook") == NAMES.code("Newbook") == "Newbook"


def test_other_profiles_give_other_names_at_once() -> None:
    names = BookmakerNames(Profiles([UNIBET]))
    assert names.short("Unibet UK") == "Unibet"
    before = names.revision
    names.use_names(Profiles())
    assert names.short("Unibet UK") == "Unibet UK"
    assert names.revision != before


def test_two_that_share_a_short_name_stand_side_by_side_with_their_whole_ones() -> None:
    assert NAMES.told_apart(["Unibet", "Unibet UK", "Newbook"]) == {
        "Unibet": "Unibet",
        "Unibet UK": "Unibet UK",
        "Newbook": "Newbook",
    }
    assert NAMES.told_apart(["Unibet UK"]) == {"Unibet UK": "Unibet"}


def test_the_program_comes_with_short_names() -> None:
    names = BookmakerNames(shipped_profiles())
    assert names.short("BetOnline.ag") == "BetOnline"
    assert names.code("Betfair Exchange UK") == "BFX"
