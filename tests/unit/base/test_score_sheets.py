"""Tables of scores are read row by row, and what makes no sense is reported and left out."""

from datetime import UTC, datetime
from typing import Any

import pytest

from oddsdesk.base.score_sheets import ScoreSheet, read_scores
from oddsdesk.base.spreadsheets import read_sheet
from oddsdesk.contract.results import GameResult, GameStatus, PeriodScore

NOW = int(datetime(2026, 12, 1, tzinfo=UTC).timestamp()) * 1000
HALF_PAST_SEVEN = int(datetime(2024, 8, 16, 18, 30, tzinfo=UTC).timestamp()) * 1000
NOON = int(datetime(2024, 8, 16, 12, tzinfo=UTC).timestamp()) * 1000


def read(text: str) -> ScoreSheet:
    titles, rows = read_sheet(text.encode())
    sheet = read_scores(titles, rows, "scores", NOW)
    assert sheet is not None
    return sheet


def one(titles: str, cells: str) -> GameResult:
    (result,), problems = read(f"{titles}\n{cells}\n")
    assert problems == []
    return result


def leeds(home: int | None = 2, away: int | None = 1, **fields: Any) -> GameResult:
    usual = {"match_name": "Leeds vs Hull", "overtime": False, "source": "scores"}
    found = {"competition": "", "kick_off": NOON, "has_time": False} | usual | fields
    return GameResult(home=home, away=away, **found)


def test_a_season_of_football_data() -> None:
    titles = "Div,Date,Time,HomeTeam,AwayTeam,FTHG,FTAG,HTHG,HTAG"
    halves = (PeriodScore(1, 0, 1), PeriodScore(2, 2, 0))
    assert one(titles, "E0,16/08/2024,19:30,Leeds,Hull,2,1,0,1") == leeds(
        competition="E0", kick_off=HALF_PAST_SEVEN, has_time=True, periods=halves
    )
    assert one(titles, "E0,16/08/24,,Leeds,Hull,2.0,1.0,,") == leeds(competition="E0")


def test_a_further_league() -> None:
    titles = "Country,League,Date,Home,Away,HG,AG"
    found = one(titles, "Norway,Eliteserien,16/08/2024,Leeds,Hull,2,1")
    assert found == leeds(competition="Norway - Eliteserien")


@pytest.mark.parametrize(
    ("date", "time", "kick_off", "has_time"),
    [
        ("2024-08-16", "", NOON, False),
        ("2024-08-16 00:00:00", "", NOON, False),
        ("45520", "0.8125", HALF_PAST_SEVEN, True),
        ("2024-08-16", "19:30:00", HALF_PAST_SEVEN, True),
        ("16.08.2024 19:30", "", HALF_PAST_SEVEN, True),
        ("2024-08-16T18:30:00Z", "", HALF_PAST_SEVEN, True),
        ("16/08/2024", "7:30 PM", HALF_PAST_SEVEN, True),
        ("16-Aug-2024", "19h30", HALF_PAST_SEVEN, True),
        ("16/08/2024", "late", NOON, False),
    ],
)
def test_days_and_hours_as_people_write_them(
    date: str, time: str, kick_off: int, has_time: bool
) -> None:
    found = one("Date,Time,Home,Away,HG,AG", f"{date},{time},Leeds,Hull,2,1")
    assert (found.kick_off, found.has_time) == (kick_off, has_time)


def test_the_file_shows_where_the_month_comes_first() -> None:
    found = read("Date,Home,Away,HG,AG\n08/16/2024,Leeds,Hull,2,1\n08/09/2024,Leeds,Hull,2,1\n")
    assert found.problems == []
    assert [datetime.fromtimestamp(each.kick_off / 1000, UTC).month for each in found.results] == [
        *(8, 8)
    ]


def test_periods_of_a_game_with_overtime() -> None:
    titles = "Date,Sport,Competition,Home,Away,HG,AG,Overtime," + ",".join(
        f"P{number}H,P{number}A" for number in range(1, 6)
    )
    game = "2024-08-16,Basketball,NBA,Leeds,Hull,110,108"
    quarters = tuple(PeriodScore(number, 20 + number, 21) for number in range(1, 5))
    cells = ",".join(f"{each.home},{each.away}" for each in quarters)
    base = {"competition": "NBA", "sport": "Basketball"}
    five = (*quarters, PeriodScore(5, 9, 7))
    assert one(titles, f"{game},,{cells},9,7") == leeds(
        110, 108, periods=five, **base | {"overtime": True}
    )
    assert one(titles, f"{game},,{cells},,").overtime is None
    assert one(titles, f"{game},no,{cells},,").overtime is False
    assert one(titles, f"{game},yes,,,,,,,,,,") == leeds(110, 108, **base | {"overtime": True})


@pytest.mark.parametrize(
    ("word", "status", "overtime"),
    [
        ("FT", GameStatus.FINAL, False),
        ("A.E.T.", GameStatus.FINAL, True),
        ("Postponed", GameStatus.POSTPONED, False),
        ("in play", GameStatus.IN_PLAY, False),
        ("Cancelled", GameStatus.CANCELLED, False),
        ("Abandoned", GameStatus.ABANDONED, False),
        ("Ret.", GameStatus.RETIRED, False),
    ],
)
def test_what_became_of_a_game(word: str, status: GameStatus, overtime: bool) -> None:
    found = one("Date,Home,Away,HG,AG,Status", f"2024-08-16,Leeds,Hull,2,1,{word}")
    assert (found.status, found.overtime) == (status, overtime)


def test_a_game_that_was_not_played_has_a_result_only_with_a_status() -> None:
    rows = "16/08/2024,Leeds,Hull,,,\n16/08/2024,Leeds,Hull,,,NS\n16/08/2024,Leeds,Hull,,,postp.\n"
    found = read(f"Date,Home,Away,HG,AG,Status\n{rows}")
    assert found == ([leeds(None, None, status=GameStatus.POSTPONED)], [])


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("soon,Leeds,Hull,2,1,,,", "expected a date such as 16/08/2024, got 'soon'"),
        ("16/08/2024,Leeds,,2,1,,,", "expected a name in Away, got nothing"),
        ("16/08/2024,Leeds,Hull,x,1,,,", "expected a number such as 2 in HG, got 'x'"),
        ("16/08/2024,Leeds,Hull,2.5,1,,,", "expected a number such as 2 in HG, got '2.5'"),
        ("16/08/2024,Leeds,Hull,2,,,,", "expected a number in AG, got nothing"),
        ("16/08/2024,Leeds,Hull,2,1,,,,,9", "1 more cell than titles"),
        ("16/08/2024,Leeds,Hull,2,1,maybe,,", "status 'maybe': expected one of scheduled, in_play"),
        ("16/08/2024,Leeds,Hull,,,final,,", "home is missing: a final game needs a score"),
        ("16/08/2030,Leeds,Hull,2,1,,,", "lies more than 5 minutes ahead"),
        ("16/08/2024,Leeds,Hull,2,1,,perhaps,", "overtime 'perhaps': expected yes or no"),
    ],
)
def test_a_row_that_makes_no_sense_is_reported_and_left_out(row: str, problem: str) -> None:
    good = "16/08/2024,Leeds,Hull,2,1,,,"
    found = read(f"Date,Home,Away,HG,AG,Status,Overtime,Note\n{row}\n{good}\n")
    assert found.results == [leeds()]
    (message,) = found.problems
    assert message.startswith("line 2: ")
    assert problem in message


@pytest.mark.parametrize(
    ("titles", "cells", "problem"),
    [
        ("HTHG,HTAG", "3,0", "line 2: 3-0 at half time is more than at the end; scores of"),
        ("HTHG,HTAG", "x,0", "line 2: expected a number such as 2 in HTHG, got 'x'; scores of"),
        ("P1H,P1A,P2H,P2A", ",,1,1", "line 2: a period is left out between others"),
        ("HTHG,HTAG,P1H,P1A,P2H,P2A", "1,0,0,1,2,0", "line 2: half time and period 1 have diff"),
        ("P1H,P1A,P2H,P2A", "1,,1,1", "line 2: expected a number in P1A, got nothing; scores"),
    ],
)
def test_an_impossible_part_is_reported_and_the_score_stays(
    titles: str, cells: str, problem: str
) -> None:
    results, (message,) = read(
        f"Date,HomeTeam,AwayTeam,FTHG,FTAG,{titles}\n16/08/2024,Leeds,Hull,2,1,{cells}\n"
    )
    assert results == [leeds()]
    assert message.startswith(problem)


def test_an_impossible_hour_is_reported_and_the_day_stays() -> None:
    (result,), (message,) = read("Date,Time,Home,Away,HG,AG\n16/08/2024,25:00,Leeds,Hull,2,1\n")
    assert (result.kick_off, result.has_time) == (NOON, False)
    assert message == "line 2: expected a time such as 17:30, got '25:00'; only the day is used"


def test_an_unknown_sport_is_reported_once_and_stays() -> None:
    rows = "16/08/2024,Leeds,Hull,2,1,Quidditch\n" * 2 + "16/08/2024,Leeds,Hull,2,1,Soccer\n"
    results, (message,) = read(f"Date,Home,Away,HG,AG,Sport\n{rows}")
    assert [each.sport for each in results] == ["Quidditch", "Quidditch", "Football"]
    assert message.startswith(
        "line 2: unknown sport 'Quidditch', used as it is; known are Football,"
    )


def test_another_table_is_none() -> None:
    titles, rows = read_sheet(b"Bet,Result\n1,won\n")
    assert read_scores(titles, rows, "scores", NOW) is None
