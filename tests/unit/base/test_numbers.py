"""How numbers, days and hours are written, and that they are read back as they were."""

import ast
import re
from datetime import UTC, date, datetime
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import oddsdesk
from oddsdesk.base.figures import (
    FigureError,
    Habit,
    read_number,
    read_rate,
    read_stake,
    read_typed_time,
)
from oddsdesk.base.numbers import (
    COMMA,
    DAY_FIRST,
    MONTH_FIRST,
    POINT,
    YEAR_FIRST,
    Style,
    choose_numbers,
    date_text,
    hour_text,
    num,
    typed_number,
    weekday_text,
    with_marks,
)
from oddsdesk.base.texts import use_language

_STYLES = [
    Style(decimal, is_24h, dates, is_chosen=True)
    for decimal, is_24h, dates in product(
        (POINT, COMMA), (True, False), (DAY_FIRST, MONTH_FIRST, YEAR_FIRST)
    )
]
_NOW_MS = 1_777_000_000_000


def test_numbers_are_in_english_until_a_style_is_chosen() -> None:
    moment = datetime(2026, 4, 25, 20, 5, 9, tzinfo=UTC)
    assert f"{num(1234.5):,.2f}" == "1,234.50"
    assert (date_text(moment), hour_text(moment)) == ("25 Apr 2026", "20:05")


def test_a_decimal_comma_has_points_between_thousands() -> None:
    choose_numbers(Style(COMMA))
    assert f"{num(1234567.5):+,.2f}" == "+1.234.567,50"
    assert f"{num(0.125):.1%}" == "12,5%"
    assert f"{num(7):,}" == "7"
    assert with_marks("2.10") == "2,10"


@pytest.mark.parametrize(
    ("hour", "text"), [(0, "12:05 AM"), (11, "11:05 AM"), (12, "12:05 PM"), (23, "11:05 PM")]
)
def test_twelve_hours_have_their_half(hour: int, text: str) -> None:
    choose_numbers(Style(is_24h=False))
    assert hour_text(datetime(2026, 4, 25, hour, 5)) == text
    assert (
        hour_text(datetime(2026, 4, 25, hour, 5, 9), seconds=True) == f"{text[:-3]}:09{text[-3:]}"
    )


@pytest.mark.parametrize(
    ("dates", "long", "short"),
    [
        (DAY_FIRST, "25 Apr 2026", "25 Apr"),
        (MONTH_FIRST, "Apr 25, 2026", "Apr 25"),
        (YEAR_FIRST, "2026-04-25", "04-25"),
    ],
)
def test_a_date_has_the_chosen_order(dates: str, long: str, short: str) -> None:
    choose_numbers(Style(dates=dates))
    assert date_text(datetime(2026, 4, 25)) == long
    assert date_text(datetime(2026, 4, 25), year=False) == short


@pytest.mark.parametrize("style", _STYLES)
@given(st.integers(1, 10**11).map(lambda thousandths: thousandths / 1_000))
def test_what_a_field_shows_is_read_as_it_was(style: Style, amount: float) -> None:
    choose_numbers(style)
    assert read_stake(typed_number(amount)) == amount
    assert read_number("odds", typed_number(amount)) == amount


@pytest.mark.parametrize("style", _STYLES)
@given(st.integers(1, 10**11).map(lambda cents: cents / 100))
def test_money_as_a_table_shows_it_is_read_as_it_was(style: Style, amount: float) -> None:
    choose_numbers(style)
    assert read_stake(f"{num(amount):,.2f}") == amount


@pytest.mark.parametrize("style", _STYLES)
@given(st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1)))
def test_a_moment_is_read_as_it_was(style: Style, moment: datetime) -> None:
    choose_numbers(style)
    moment = moment.replace(second=0, microsecond=0, tzinfo=UTC)
    days = Habit.MONTH_FIRST if style.dates == MONTH_FIRST else Habit.DAY_FIRST
    typed = f"{date_text(moment)} {hour_text(moment)}"
    assert read_typed_time("time", typed, _NOW_MS, UTC, days).ms == moment.timestamp() * 1000


@pytest.mark.parametrize("decimal", [POINT, COMMA])
@pytest.mark.parametrize(("typed", "mark"), [("1,234", "comma"), ("1.234", "point")])
def test_money_that_may_be_thousands_is_refused_in_the_window(
    decimal: str, typed: str, mark: str
) -> None:
    choose_numbers(Style(decimal, is_chosen=True))
    with pytest.raises(FigureError, match=f"may mean thousands: write them without a {mark}"):
        read_stake(typed)


def test_a_rate_has_three_decimals_after_the_decimal_mark_only() -> None:
    choose_numbers(Style(COMMA, is_chosen=True))
    assert [read_rate("rate", text) for text in ("1,085", "1.08", "0.125")] == [1.085, 1.08, 0.125]
    with pytest.raises(
        FigureError, match=r"45\.000 may mean thousands: write them without a point"
    ):
        read_rate("rate", "45.000")
    choose_numbers(Style(is_chosen=True))
    assert read_rate("rate", "1.085") == 1.085
    with pytest.raises(FigureError, match="45,000 may mean thousands: write them without a comma"):
        read_rate("rate", "45,000")


@pytest.mark.parametrize(("language", "text"), [("en", "5.0%"), ("de", "5,0\u00a0%")])
def test_a_share_has_a_space_before_its_sign_where_the_language_has_one(
    language: str, text: str
) -> None:
    use_language(language)
    try:
        choose_numbers(Style(COMMA if language == "de" else POINT))
        assert f"{num(0.05):.1%}" == text
    finally:
        use_language("en")


@pytest.mark.parametrize("decimal", [POINT, COMMA])
def test_both_marks_are_read_where_only_one_reading_is_possible(decimal: str) -> None:
    choose_numbers(Style(decimal, is_chosen=True))
    for typed, amount in (
        ("2,50", 2.5),
        ("2.50", 2.5),
        ("1.234,50", 1234.5),
        ("1,234.50", 1234.5),
        ("1 234,50 €", 1234.5),
        ("1,234,567", 1234567.0),
        ("0,125", 0.125),
    ):
        assert read_stake(typed) == amount


ONLY_POINTS = {
    "board/board.py": "a log line",
    "cli/mcp.py": "read by programs",
    "cli/live_values.py": "pages in English",
    "cli/options.py": "read again by click",
    "board/intake/quote_readings.py": "keys",
    "board/model/matrix.py": "keys",
    "board/valuation/explaining.py": "facts of Explain get the marks when shown",
    "desk/settings/declared.py": "the settings file",
    "desk/ui/controls/fields.py": "set after the format",
    "desk/ui/formatting.py": "set after the format",
}
"""Files with numbers whose marks do not come from ``num``, and why that is right."""


def test_numbers_in_texts_have_the_chosen_marks() -> None:
    root = Path(oddsdesk.__file__).parent
    bare = {
        path.relative_to(root).as_posix()
        for room in ("board", "cli", "desk")
        for path in (root / room).rglob("*.py")
        for part in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(part, ast.FormattedValue)
        and part.format_spec is not None
        and re.search(r"[,fg%]'$", ast.unparse(part.format_spec))
        and not re.match(r"(numbers\.)?num\(", ast.unparse(part.value))
    }
    assert bare == set(ONLY_POINTS)


def test_months_and_weekdays_are_named_as_the_style_says() -> None:
    months = ("ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sep", "oct", "nov", "dic")
    choose_numbers(Style(months=months, weekdays=("lun", "mar", "mié", "jue", "vie", "sáb", "dom")))
    assert date_text(date(2026, 4, 25)) == "25 abr 2026"
    assert weekday_text(date(2026, 4, 25)) == "sáb"
    choose_numbers(Style(months=("Jan.",) * 12, day_and_month="{day}. {month}"))
    assert date_text(date(2026, 4, 25)) == "25. Jan. 2026"


@pytest.mark.parametrize("dates", [DAY_FIRST, MONTH_FIRST, YEAR_FIRST])
@pytest.mark.parametrize("is_24h", [True, False])
@given(moment=st.datetimes(datetime(2026, 6, 1), datetime(2026, 12, 31)))
def test_a_moment_without_its_year_is_read_as_it_was(
    dates: str, is_24h: bool, moment: datetime
) -> None:
    choose_numbers(Style(dates=dates, is_24h=is_24h))
    moment = moment.replace(second=0, microsecond=0, tzinfo=UTC)
    typed = f"{date_text(moment, year=False)} {hour_text(moment)}"
    now_ms = round(datetime(2026, 9, 15, tzinfo=UTC).timestamp() * 1000)
    assert read_typed_time("time", typed, now_ms, UTC).ms == moment.timestamp() * 1000
