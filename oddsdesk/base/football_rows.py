"""Rows of tables of football games, as football-data.co.uk writes them and people save them again.

Its files are imported for their odds (``feeds.football_data``), and scores of any origin have its
columns (``base.score_sheets``). Titles are compared without case,
spaces and punctuation.
"""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

import msgspec

from oddsdesk.base.figures import Habit, month_named
from oddsdesk.base.spreadsheets import SheetRow
from oddsdesk.contract.results import PeriodScore
from oddsdesk.contract.texts import folded

UK = ZoneInfo("Europe/London")
_YEAR_LAST = re.compile(r"(\d{1,2})[/.-](\d{1,2})[/.-](\d{4}|\d{2})")
_YEAR_FIRST = re.compile(r"(\d{4})[/.-](\d{1,2})[/.-](\d{1,2})(?:[ T]00:00(?::00(?:\.0+)?)?)?")
"""Also as pandas writes it, with the first moment of the day."""
_EXCEL_DAY = re.compile(r"([3-6]\d{4})(?:\.0*)?")
_EXCEL_EPOCH = date(1899, 12, 30)
_DAY_NAMED = re.compile(r"(\d{1,2})[ ./-]+([A-Za-z]{3,9})[ .,/-]+(\d{4}|\d{2})")
_CLOCK = re.compile(
    r"(\d{1,2})(?:[:.h](\d{2})(?:[:.]\d{2}(?:\.0*)?)?|(?= ?[ap]))(?: ?([ap])\.?m\.?)?",
    re.ASCII | re.IGNORECASE,
)
_EXCEL_CLOCK = re.compile(r"0?\.\d+", re.ASCII)
_FIRST_SEASON = 1888
"""The first year of a football league; an earlier one is a typing error."""
_LAST_CENTURY = 69
"""93 is 1993, 24 is 2024."""
_GOALS = re.compile(r"([0-9]{1,4})(?:[.,]0*)?")

Row = Mapping[str, str]
"""The cells of a row, by title."""
Goals = tuple[int, int]


class GameColumns(msgspec.Struct, frozen=True):
    """The titles of the facts of a game; empty where a table lacks one."""

    date: str
    time: str
    home: str
    away: str
    goals: tuple[str, str]
    half_goals: tuple[str, str]
    division: str
    country: str
    league: str


def game_columns(titles: Iterable[str]) -> GameColumns:
    """Return which titles hold the facts of a game."""
    named = {folded(title): title for title in reversed(list(titles))}

    def title(*names: str) -> str:
        return next((named[name] for name in names if name in named), "")

    return GameColumns(
        *(title("date"), title("time")),
        *(title("hometeam", "home", "ht"), title("awayteam", "away", "at")),
        (title("fthg", "hg"), title("ftag", "ag")),
        (title("hthg"), title("htag")),
        *(title("div"), title("country"), title("league")),
    )


def check_width(row: SheetRow) -> None:
    """Refuse a row with a stray quote, or with more cells than titles.

    Raises:
        ValueError: its cells may be under the wrong titles.
    """
    if row.fault:
        raise ValueError(row.fault)
    if row.beyond:
        if row.beyond == 1:
            raise ValueError("1 more cell than titles, so cells may be under the wrong title")
        raise ValueError(
            f"{row.beyond} more cells than titles, so cells may be under the wrong title"
        )


def read_teams(row: Row, columns: GameColumns) -> tuple[str, str]:
    """Return the home team and the away team.

    Raises:
        ValueError: one is missing.
    """
    home, away = row.get(columns.home, ""), row.get(columns.away, "")
    for column, name in ((columns.home, home), (columns.away, away)):
        if not name:
            raise ValueError(f"expected a name in {column}, got nothing")
    return home, away


def read_goals(row: Row, columns: tuple[str, str]) -> Goals | None:
    """Return the goals of both teams, None without any; 2.0, as pandas saves them, is 2.

    Raises:
        ValueError: they are no number, not a whole one, or those of one team are missing.
    """
    home, away = (_goals(row.get(column, ""), column) for column in columns)
    if home is not None and away is not None:
        return home, away
    if (home is None and away is None) or not all(columns):
        return None
    raise ValueError(f"expected a number in {columns[home is not None]}, got nothing")


def _goals(cell: str, column: str) -> int | None:
    if not cell:
        return None
    whole = _GOALS.fullmatch(cell)
    if whole is None:
        raise ValueError(f"expected a number such as 2 in {column}, got {cell!r}")
    return int(whole[1])


def read_halves(row: Row, columns: GameColumns, goals: Goals) -> tuple[PeriodScore, ...]:
    """Return the goals of each half; nothing where those at half time are missing.

    Raises:
        ValueError: they are no number, or more than at the end.
    """
    half = read_goals(row, columns.half_goals)
    if half is None:
        return ()
    if half[0] > goals[0] or half[1] > goals[1]:
        raise ValueError(f"{half[0]}-{half[1]} at half time is more than at the end")
    return PeriodScore(1, *half), PeriodScore(2, goals[0] - half[0], goals[1] - half[1])


@lru_cache(maxsize=1 << 12)
def parse_date(text: str, days: Habit = Habit.DAY_FIRST) -> date:
    """Return the day of a cell, by the file's order of day and month.

    ISO dates begin with the year; a number is Excel's count of days.

    Raises:
        ValueError: it is no date.
    """
    text = text.strip()
    try:
        day = _day_of(text, days)
    except (ValueError, OverflowError):
        day = None
    if day is None or day.year < _FIRST_SEASON:
        sample = "16/08/2024" if days is Habit.DAY_FIRST else "08/16/2024"
        raise ValueError(f"expected a date such as {sample}, got {text!r}")
    return day


def _day_of(text: str, days: Habit) -> date | None:
    if (found := _YEAR_LAST.fullmatch(text)) is not None:
        day, month, year = map(int, found.groups())
        if days is Habit.MONTH_FIRST:
            day, month = month, day
        return date(_whole_year(year, found[3]), month, day)
    if (found := _YEAR_FIRST.fullmatch(text)) is not None:
        return date(*map(int, found.groups()))
    if (found := _EXCEL_DAY.fullmatch(text)) is not None:
        return _EXCEL_EPOCH + timedelta(days=int(found[1]))
    if (found := _DAY_NAMED.fullmatch(text)) is not None:
        return date(_whole_year(int(found[3]), found[3]), month_named(found[2]), int(found[1]))
    return None


def _whole_year(year: int, written: str) -> int:
    century = 0 if len(written) > 2 else 1900 if year >= _LAST_CENTURY else 2000
    return century + year


def parse_time(text: str) -> time | None:
    """Return the UK time of a cell, None where it is empty.

    Raises:
        ValueError: it is no time.
    """
    text = text.strip()
    if not text:
        return None
    if _EXCEL_CLOCK.fullmatch(text):
        hour, minute = divmod(round(float(text) * 24 * 60), 60)
    elif (found := _CLOCK.fullmatch(text)) is not None:
        hour, minute = int(found[1]), int(found[2] or 0)
        if found[3]:
            hour = hour % 12 + 12 * (found[3] in "Pp") if 1 <= hour <= 12 else -1
    else:
        raise ValueError(f"expected a time such as 17:30, got {text!r}")
    try:
        return time(hour, minute)
    except ValueError as error:
        raise ValueError(f"expected a time such as 17:30, got {text!r}") from error


def uk_ms(day: date, clock: time) -> int:
    """Return a UK local time in milliseconds since the epoch."""
    return round(datetime.combine(day, clock, tzinfo=UK).timestamp() * 1000)


def noon_ms(day: date) -> int:
    """Return the noon of a day in UTC, which stands for a kick-off of unknown hour."""
    return round(datetime.combine(day, time(12), tzinfo=UTC).timestamp() * 1000)
