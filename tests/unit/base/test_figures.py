"""Numbers, amounts and times as people type them."""

from collections.abc import Iterator
from datetime import timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.base.figures import (
    Amount,
    FigureError,
    Habit,
    decimals_of,
    read_amount,
    read_stake,
    read_time,
    read_typed_amount,
    read_typed_end,
    read_typed_time,
    taken_apart,
)
from oddsdesk.base.texts import ENGLISH, use_language
from oddsdesk.contract.times import format_ms, parse_ms

AMOUNTS = st.lists(st.integers(0, 10**9), min_size=1, max_size=8)
"""In thousandths."""


def written(thousandths: int, decimals: str, groups: str) -> str:
    whole, rest = divmod(thousandths, 1_000)
    return f"{whole:,}".replace(",", groups) + decimals + f"{rest:03}"


@given(AMOUNTS, st.sampled_from([(".", ","), (".", ""), (",", "."), (",", "")]))
def test_amounts_are_read_back_if_any_of_them_shows_the_decimal_sign(
    amounts: list[int], sign: tuple[str, str]
) -> None:
    cells = [written(each, *sign) for each in amounts] + [f"12{sign[0]}50"]
    habit = decimals_of(cells)
    assert habit is (Habit.POINT if sign[0] == "." else Habit.COMMA)
    assert [read_amount("stake", cell, habit) for cell in cells] == [
        *(each / 1_000 for each in amounts),
        12.5,
    ]


def test_a_stake_that_may_be_thousands_is_asked_for_again() -> None:
    """A bettor who typed 1.234 for 1234 got 1.23 recorded."""
    for stake, typed in ((1234.0, "1,234"), (1234.5, "1.234,50"), (0.125, "0.125"), (2.5, "2,5")):
        assert read_stake(typed) == stake
    with pytest.raises(FigureError, match=r"1\.234 may mean thousands: write them without a point"):
        read_stake(" 1.234 ")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("60,00 kr", Amount("60,00", "KR")),
        ("SEK 60", Amount("60", "SEK")),
        ("€12", Amount("12", "EUR")),
        ("12 €", Amount("12", "EUR")),
        ("-$50", Amount("-50", "USD")),
        ("$-50", Amount("-50", "USD")),
        ("(12.50)", Amount("-12.50")),
        ("R$ 1.000,50", Amount("1.000,50", "BRL")),
        ("1\u202f234,50 zł", Amount("1234,50", "PLN")),
        ("1’234.50 CHF", Amount("1234.50", "CHF")),
        ("1.5u", Amount("1.5", in_units=True)),
        ("2 units", Amount("2", in_units=True)),
        ("12 apples", Amount("12 apples")),
    ],
)
def test_an_amount_is_taken_apart(text: str, found: Amount) -> None:
    assert taken_apart(text) == found


@pytest.mark.parametrize(
    ("text", "amount"),
    [("1,500", 1500), ("1.500,00", 1500), ("1,85", 1.85), ("€12", 12), ("0.125", 0.125)],
)
def test_an_amount_is_typed_as_people_write_it(text: str, amount: float) -> None:
    assert read_typed_amount("stake", text) == amount


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("1.500", "1.500 may mean thousands"),
        ("1.5u", "expected money, such as 12.50, not units"),
        ("1_0", "expected a number such as 12.50"),
        ("٣", "expected a number such as 12.50"),
        ("12 apples", "expected a number such as 12.50"),
    ],
)
def test_an_invalid_amount_is_refused_with_an_example(text: str, problem: str) -> None:
    with pytest.raises(FigureError, match=problem):
        read_typed_amount("stake", text)


def test_a_stake_in_another_currency_than_its_field_is_refused() -> None:
    assert [read_stake("€12", "EUR"), read_stake("€12"), read_stake("60 kr", "SEK")] == [12, 12, 60]
    with pytest.raises(FigureError, match="€12 is EUR, but the currency is USD"):
        read_stake("€12", "USD")


NOW = parse_ms("2026-11-18T11:06:40Z")
ZONE = timezone(timedelta(hours=1))


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("2026-11-30 18:30", "2026-11-30T17:30"),
        ("30.11.2026 18:30", "2026-11-30T17:30"),
        ("30/11/2026 6:30 pm", "2026-11-30T17:30"),
        ("30 Nov 2026 18h30", "2026-11-30T17:30"),
        ("Nov 30, 2026 18:30", "2026-11-30T17:30"),
        ("30/11 20:45", "2026-11-30T19:45"),
        ("3.1. 20.45", "2027-01-03T19:45"),
        ("today 20:45", "2026-11-18T19:45"),
        ("20:45", "2026-11-18T19:45"),
        ("tomorrow 9:00", "2026-11-19T08:00"),
        ("Sat 15:00", "2026-11-21T14:00"),
        ("Saturday 15:00", "2026-11-21T14:00"),
        ("30 Nov 18:30", "2026-11-30T17:30"),
        ("Sun, 3 Jan 20:45", "2027-01-03T19:45"),
        ("Nov 30 6:30 PM", "2026-11-30T17:30"),
        ("2026-04-16T18:30:00Z", "2026-04-16T18:30"),
    ],
)
def test_a_time_is_typed_as_people_write_it(text: str, at: str) -> None:
    found = read_typed_time("kick-off", text, NOW, ZONE)
    assert (format_ms(found.ms)[:16], found.has_hour) == (at, True)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("30/11/2026", "2026-11-30"),
        ("2026-11-30", "2026-11-30"),
        ("tomorrow", "2026-11-19"),
        ("29.2.2028", "2028-02-29"),
    ],
)
def test_a_day_alone_is_its_noon(text: str, day: str) -> None:
    found = read_typed_time("kick-off", text, NOW, ZONE)
    assert (format_ms(found.ms)[:16], found.has_hour) == (f"{day}T11:00", False)


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("wed 13:00", "2026-11-18T12:00"),
        ("wed 12:00", "2026-11-25T11:00"),  # it is Wednesday, 12:06
        ("Wednesday, 9:30", "2026-11-25T08:30"),
        ("wed", "2026-11-18T22:59"),
        ("sun 23:00", "2026-11-22T22:00"),
        ("today 11:00", "2026-11-18T10:00"),
        ("2026-11-30", "2026-11-30T22:59"),
    ],
)
def test_an_end_on_a_weekday_is_the_next_one_to_come(text: str, at: str) -> None:
    assert format_ms(read_typed_end("until", text, NOW, ZONE))[:16] == at


@pytest.fixture
def _language(request: pytest.FixtureRequest) -> Iterator[None]:
    use_language(request.param)
    yield
    use_language(ENGLISH)


@pytest.mark.parametrize(
    ("_language", "text", "at"),
    [
        ("es", "mié 13:00", "2026-11-18T12:00"),
        ("es", "Miércoles, 13:00", "2026-11-18T12:00"),
        ("es", "wed 13:00", "2026-11-18T12:00"),
        ("es", "hoy 20:45", "2026-11-18T19:45"),
        ("es", "Mañana 9:00", "2026-11-19T08:00"),
        ("es", "manana 9:00", "2026-11-19T08:00"),
        ("es", "30 nov 20:45", "2026-11-30T19:45"),
        ("es", "30 dic 2026 20:45", "2026-12-30T19:45"),
        ("de", "Heute 20:45", "2026-11-18T19:45"),
        ("de", "heute Abend 20.45 Uhr", "2026-11-18T19:45"),
        ("de", "Morgen 9:00", "2026-11-19T08:00"),  # and not Mo
        ("de", "übermorgen 9:00", "2026-11-20T08:00"),
        ("de", "So 20:45", "2026-11-22T19:45"),
        ("de", "Sonntag, 20:45", "2026-11-22T19:45"),
        ("de", "30. Nov. 20:45", "2026-11-30T19:45"),
        ("de", "So 3. Jan., 20:45", "2027-01-03T19:45"),
        ("de", "5. März 2027 20:45", "2027-03-05T19:45"),
        ("de", "tomorrow 9:00", "2026-11-19T08:00"),
    ],
    indirect=["_language"],
)
def test_a_time_may_be_written_as_the_window_writes_it(_language: None, text: str, at: str) -> None:
    assert format_ms(read_typed_time("until", text, NOW, ZONE).ms)[:16] == at


@pytest.mark.parametrize("text", ["Mittag 13:00", "Sonnabend 15:00", "morgen früh"])
@pytest.mark.parametrize("_language", ["de"], indirect=True)
def test_a_word_that_begins_like_a_weekday_is_none(_language: None, text: str) -> None:
    with pytest.raises(FigureError, match="expected a time"):
        read_typed_time("until", text, NOW, ZONE)


def test_a_day_that_may_be_a_month_is_decided_by_habit_or_refused() -> None:
    for habit, day in ((Habit.DAY_FIRST, "2026-09-08"), (Habit.MONTH_FIRST, "2026-08-09")):
        assert format_ms(read_typed_time("x", "08/09/2026", NOW, ZONE, habit).ms)[:10] == day
    with pytest.raises(FigureError, match="kick-off '08/09/2026': either number may be the day"):
        read_typed_time("kick-off", "08/09/2026", NOW, ZONE)


@pytest.mark.parametrize("text", ["soon", "31/02/2026", "25:00", "29/2", "1/1/1200", "20:75"])
def test_an_invalid_time_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(FigureError, match="expected a"):
        read_typed_time("kick-off", text, NOW, ZONE)


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("09/08/25", "2025-08-09T00:00"),
        ("23/08/25 14:00", "2025-08-23T14:00"),
        ("24/08/2025 17:22:09", "2025-08-24T17:22"),
        ("1. Mai 2025", "2025-05-01T00:00"),
        ("9 août 2025", "2025-08-09T00:00"),
        ("Sat 14 Mar 2026", "2026-03-14T00:00"),
        ("09.08.2025 20:45 Uhr", "2025-08-09T20:45"),
        ("12/27/2025 22:55:44 GMT", "2025-12-27T22:55"),
        ("14 października 2025", "2025-10-14T00:00"),
    ],
)
def test_a_date_of_a_file_is_read(text: str, at: str) -> None:
    assert format_ms(read_time("date", text, Habit.DAY_FIRST))[:16] == at


def test_a_date_that_may_begin_with_its_year_shows_no_day() -> None:
    with pytest.raises(FigureError, match="does not show which number is the day"):
        read_time("date", "25-08-09")
