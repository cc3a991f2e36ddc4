"""UK times become UTC, and prices are dated by the rule of their source."""

from datetime import date, time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.contract.times import format_ms
from oddsdesk.feeds.football_data.times import parse_date, parse_time, taken_ms, uk_ms


def test_dates_are_day_first_with_two_or_four_digits_of_year() -> None:
    assert parse_date("03/08/2024") == parse_date("03/08/24") == date(2024, 8, 3)


@pytest.mark.parametrize("text", ["", "2024-08-03", "31/02/2024", "08/13/2024", "01/01/0001"])
def test_other_dates_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected a date such as"):
        parse_date(text)


def test_a_time_may_be_missing_but_not_wrong() -> None:
    assert parse_time("17:30") == time(17, 30)
    assert parse_time(" ") is None
    with pytest.raises(ValueError, match="expected a time such as"):
        parse_time("5pm")


def test_uk_clocks_are_an_hour_ahead_in_summer() -> None:
    assert format_ms(uk_ms(date(2024, 8, 16), time(20))) == "2024-08-16T19:00:00.000Z"
    assert format_ms(uk_ms(date(2024, 12, 26), time(20))) == "2024-12-26T20:00:00.000Z"


@pytest.mark.parametrize(
    ("day", "clock", "taken"),
    [
        (date(2024, 8, 16), time(20), "2024-08-16T16:00:00.000Z"),  # Friday
        (date(2024, 8, 17), time(12, 30), "2024-08-16T16:00:00.000Z"),  # Saturday
        (date(2024, 8, 19), time(20), "2024-08-16T16:00:00.000Z"),  # Monday
        (date(2024, 12, 3), time(19, 45), "2024-12-03T13:00:00.000Z"),  # Tuesday
        (date(2024, 12, 5), time(20), "2024-12-03T13:00:00.000Z"),  # Thursday
        (date(2024, 8, 16), time(12), "2024-08-16T11:00:00.000Z"),  # Friday noon: capped
    ],
)
def test_prices_were_taken_on_friday_or_tuesday(day: date, clock: time, taken: str) -> None:
    assert format_ms(taken_ms(day, uk_ms(day, clock))) == taken


@given(st.dates(date(2000, 1, 1), date(2050, 1, 1)), st.times())
def test_prices_are_never_taken_after_the_kick_off_nor_days_before(day: date, clock: time) -> None:
    kick_off = uk_ms(day, clock)
    taken = taken_ms(day, kick_off)
    assert taken <= kick_off
    assert kick_off - taken < 4 * 86_400_000


@given(st.dates(date(1888, 1, 1)), st.none() | st.times())
def test_every_day_that_is_read_has_times_to_write(day: date, clock: time | None) -> None:
    read = parse_date(f"{day:%d/%m}/{day.year:04}")
    kick_off = None if clock is None else uk_ms(read, clock)
    assert format_ms(taken_ms(read, kick_off))
