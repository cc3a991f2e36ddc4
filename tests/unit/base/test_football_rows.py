"""Rows of football games are read in each form in which people save them, and never guessed."""

from datetime import date, time

import pytest

from oddsdesk.base.football_rows import (
    game_columns,
    parse_date,
    parse_time,
    read_goals,
    read_halves,
    uk_ms,
)
from oddsdesk.contract.results import PeriodScore
from oddsdesk.contract.times import format_ms

TITLES = ("Div", "Date", "HomeTeam", "AwayTeam", "FTHG", "FTAG", "HTHG", "HTAG")
COLUMNS = game_columns(TITLES)


@pytest.mark.parametrize(
    "text",
    [
        "03/08/2024",
        "03/08/24",
        "3-8-2024",
        "2024/08/03",
        "2024-08-03T00:00",
        "45507",
        "3-Aug-2024",
        "03 August 24",
    ],
)
def test_dates_are_day_first_or_year_first(text: str) -> None:
    assert parse_date(text) == date(2024, 8, 3)


@pytest.mark.parametrize(("text", "year"), [("93", 1993), ("99", 1999), ("00", 2000), ("26", 2026)])
def test_years_of_two_digits_are_of_the_century_of_the_files(text: str, year: int) -> None:
    assert parse_date(f"14/08/{text}") == date(year, 8, 14)


@pytest.mark.parametrize(
    "text", ["", "2024-08-03 15:00", "31/02/2024", "08/13/2024", "01/01/0001", "1/8/2", "99999"]
)
def test_other_dates_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected a date such as"):
        parse_date(text)


def test_a_time_may_be_missing_but_not_wrong() -> None:
    assert parse_time("17:30") == parse_time("17:30:00") == time(17, 30)
    assert parse_time("0.729166666666667") == time(17, 30)
    assert parse_time("17.30") == parse_time("17h30") == parse_time("5:30 PM") == time(17, 30)
    assert parse_time("5pm") == parse_time("5:00:00 p.m.") == time(17)
    assert (parse_time("12:05 AM"), parse_time("12:05PM")) == (time(0, 5), time(12, 5))
    assert parse_time(" ") is None
    for text in ("5", "25:00", "0.99999", "13:00 PM", "0:30 am", "20h", "5 o'clock"):
        with pytest.raises(ValueError, match="expected a time such as"):
            parse_time(text)


def test_uk_clocks_are_an_hour_ahead_in_summer() -> None:
    assert format_ms(uk_ms(date(2024, 8, 16), time(20))) == "2024-08-16T19:00:00.000Z"
    assert format_ms(uk_ms(date(2024, 12, 26), time(20))) == "2024-12-26T20:00:00.000Z"


@pytest.mark.parametrize(
    ("titles", "home", "goals"),
    [
        (TITLES, "HomeTeam", ("FTHG", "FTAG")),
        (("Country", "League", "Date", "Home", "Away", "HG", "AG"), "Home", ("HG", "AG")),
        (("Date", "HT", "AT", "FTHG", "FTAG"), "HT", ("FTHG", "FTAG")),
        (("date", "home_team", "away_team", "fthg", "ftag"), "home_team", ("fthg", "ftag")),
        (("Home", "HomeTeam", "Away"), "HomeTeam", ("", "")),
    ],
)
def test_columns_are_found_by_each_of_their_titles(
    titles: tuple[str, ...], home: str, goals: tuple[str, str]
) -> None:
    columns = game_columns(titles)
    assert (columns.home, columns.goals) == (home, goals)


@pytest.mark.parametrize(
    ("cells", "goals"), [(("2", "0"), (2, 0)), (("2.0", "0,0"), (2, 0)), (("", ""), None)]
)
def test_goals_are_whole_numbers_or_missing(
    cells: tuple[str, str], goals: tuple[int, int] | None
) -> None:
    assert read_goals(dict(zip(COLUMNS.goals, cells, strict=True)), COLUMNS.goals) == goals


@pytest.mark.parametrize("cells", [("2.5", "1"), ("two", "1"), ("-1", "1"), ("2", ""), ("", "2")])
def test_other_goals_are_refused(cells: tuple[str, str]) -> None:
    with pytest.raises(ValueError, match="expected a number"):
        read_goals(dict(zip(COLUMNS.goals, cells, strict=True)), COLUMNS.goals)


def test_halves_add_up_to_the_score() -> None:
    row = {"HTHG": "1", "HTAG": "0"}
    assert read_halves(row, COLUMNS, (1, 2)) == (PeriodScore(1, 1, 0), PeriodScore(2, 0, 2))
    assert read_halves({}, COLUMNS, (1, 2)) == ()
    with pytest.raises(ValueError, match="1-0 at half time is more than at the end"):
        read_halves(row, COLUMNS, (0, 2))
