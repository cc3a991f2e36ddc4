"""Tables of scores, as ``ledger settle`` and ``results import scores`` read them.

Columns are football-data's (``base.football_rows``): ``Date, HomeTeam, AwayTeam, FTHG, FTAG`` and,
for the halves, ``HTHG, HTAG``; or ``Date, Home, Away, HG, AG``. Further ones may follow: ``Time``
(of the UK), ``Div``, ``Competition`` or ``Country`` and ``League``, ``Sport``, ``Status``,
``Overtime``, and the score of each period, ``P1H, P1A, P2H, P2A, ...``.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final, NamedTuple

from oddsdesk.base.figures import FigureError, Habit, days_of, read_time
from oddsdesk.base.football_rows import (
    GameColumns,
    Row,
    check_width,
    game_columns,
    noon_ms,
    parse_time,
    read_goals,
    read_halves,
    read_teams,
    uk_ms,
)
from oddsdesk.base.spreadsheets import SheetRow
from oddsdesk.contract.competitions import FOOTBALL, OTHER, SPORTS, played_sport
from oddsdesk.contract.results import (
    REGULAR_PERIODS,
    BadResultError,
    GameResult,
    GameStatus,
    PeriodScore,
    check_result,
    check_sport,
)
from oddsdesk.contract.texts import folded, shown

EXPECTED: Final = "Date, HomeTeam, AwayTeam, FTHG, FTAG"
"""The columns that people know, for messages."""
_MOST_PERIODS: Final = 30
_WITH_OFFSET: Final = re.compile(r".*\d(?:Z|[+-]\d{2}:?\d{2})", re.IGNORECASE | re.ASCII)
_AFTER_OVERTIME: Final = "aet afterextratime pen afterpenalties penalties ot so finalot finalso"
_STATUSES: Final = {
    GameStatus.SCHEDULED: "scheduled notstarted ns fixture",
    GameStatus.IN_PLAY: "inplay live playing halftime ht",
    GameStatus.FINAL: f"final ft fulltime finished ended result played {_AFTER_OVERTIME}",
    GameStatus.POSTPONED: "postponed postp ppd delayed rescheduled",
    GameStatus.ABANDONED: "abandoned abd abn suspended",
    GameStatus.CANCELLED: "cancelled canceled canc walkover wo",
    GameStatus.RETIRED: "retired ret retirement disqualified",
}
_STATUS_BY_WORD: Final = {
    word: status for status, words in _STATUSES.items() for word in words.split()
}
_NO_HOUR: Final = frozenset({"tbd", "tba", "tbc", "late", "unknown", "na", "nan", "null", "none"})
"""Words for an unknown hour."""
_YES_NO: Final = {
    **dict.fromkeys(("yes", "y", "true", "1", "ot", "aet"), True),
    **dict.fromkeys(("no", "n", "false", "0"), False),
}


class ScoreSheet(NamedTuple):
    """What a table of scores says."""

    results: list[GameResult]
    problems: list[str]
    """One line per row that cannot be read, or not completely: its number, and what was
    expected."""


class _Columns(NamedTuple):
    """What the table has."""

    games: GameColumns
    days: Habit
    periods: Sequence[tuple[str, str]]
    """The titles of the score of each period."""
    source: str
    now_ms: int


def read_scores(
    titles: Iterable[str], rows: Sequence[SheetRow], source: str, now_ms: int
) -> ScoreSheet | None:
    """Return the results of a table; games that were not played yet are left out.

    Returns:
        None if the table has no columns of scores.
    """
    games = game_columns(titles)
    if not all((games.date, games.home, games.away, *games.goals)):
        return None
    named = {folded(title): title for title in titles}
    days = days_of(row.cells.get(games.date, "") for row in rows) or Habit.DAY_FIRST
    sides = [(f"p{number}h", f"p{number}a") for number in range(1, _MOST_PERIODS + 1)]
    periods = [(named[home], named[away]) for home, away in sides if {home, away} <= set(named)]
    columns, found = _Columns(games, days, periods, source, now_ms), ScoreSheet([], [])
    known = set(SPORTS)
    for row in rows:
        cells = {key: row.cells.get(title, "") for key, title in named.items()}
        try:
            check_width(row)
            result = _result(row, cells, columns, found.problems)
            if result is not None:
                found.results.append(check_result(result, now_ms))
                if result.sport not in known:
                    known.add(result.sport)
                    found.problems.append(
                        f"line {row.number}: unknown sport {shown(result.sport)}, used as it is;"
                        f" known are {', '.join(SPORTS)}"
                    )
        except (ValueError, BadResultError) as error:
            found.problems.append(f"line {row.number}: {error}")
    return found


def _result(
    row: SheetRow, cells: Mapping[str, str], columns: _Columns, problems: list[str]
) -> GameResult | None:
    """Return the result of a row, None if its game was not played yet.

    Impossible scores of periods are left out and added to ``problems``.

    Raises:
        ValueError: the row makes no sense; the message says what was expected.
    """
    home, away = read_teams(row.cells, columns.games)
    goals = read_goals(row.cells, columns.games.goals)
    word = folded(cells.get("status", ""))
    status = _status(cells["status"]) if word else None
    if goals is None and status in (None, GameStatus.SCHEDULED):
        return None
    date = row.cells.get(columns.games.date, "")
    hour = cells.get("time", "")
    try:
        parse_time(hour)
    except ValueError as error:
        if folded(hour) not in _NO_HOUR:
            problems.append(f"line {row.number}: {error}; only the day is used")
        hour = ""
    kick_off, has_time = _begins_ms(date, hour, columns.days)
    league = " - ".join(filter(None, (cells.get("country"), cells.get("league"))))
    competition = cells.get("div") or cells.get("competition") or league
    sport = _sport(competition, cells.get("sport", ""))
    score = goals or (None, None)
    periods: tuple[PeriodScore, ...] = ()
    try:
        parts = _periods(row.cells, columns.periods)
        halves = () if goals is None else read_halves(row.cells, columns.games, goals)
        if parts and sport == FOOTBALL and halves[:1] not in ((), parts[:1]):
            raise ValueError("half time and period 1 have different scores")
        periods = parts or halves
    except ValueError as error:
        periods = ()
        problems.append(f"line {row.number}: {error}; scores of periods are ignored")
    return GameResult(
        competition=competition,
        match_name=f"{home} vs {away}",
        kick_off=kick_off,
        home=score[0],
        away=score[1],
        periods=periods,
        sport=sport,
        status=status or GameStatus.FINAL,
        has_time=has_time,
        overtime=_overtime(cells.get("overtime", ""), word, sport, len(periods)),
        source=columns.source,
    )


def _status(text: str) -> GameStatus:
    found = _STATUS_BY_WORD.get(folded(text))
    if found is None:
        expected = ", ".join(each.value for each in _STATUSES)
        raise FigureError(f"status {shown(text)}: expected one of {expected}")
    return found


def _sport(competition: str, text: str) -> str:
    check_sport(competition, text or None)
    found = played_sport(competition, text or None)
    return found if found != OTHER else text or FOOTBALL


def _overtime(text: str, status: str, sport: str, periods: int) -> bool | None:
    """Return whether the score includes an overtime; ``FTHG`` is the score after 90 minutes."""
    if text:
        found = _YES_NO.get(folded(text))
        if found is None:
            raise FigureError(f"overtime {shown(text)}: expected yes or no")
        return found
    if status in _AFTER_OVERTIME.split() or periods > REGULAR_PERIODS.get(sport, periods):
        return True
    return False if sport == FOOTBALL else None


def _periods(row: Row, columns: Sequence[tuple[str, str]]) -> tuple[PeriodScore, ...]:
    """Return the score of each period alone; nothing without columns of them.

    Raises:
        ValueError: they make no sense.
    """
    scores = [read_goals(row, titles) for titles in columns]
    played = [each for each in scores if each is not None]
    if scores[: len(played)] != played:
        raise ValueError("a period is left out between others")
    return tuple(PeriodScore(number, *each) for number, each in enumerate(played, start=1))


def _begins_ms(date: str, time: str, days: Habit) -> tuple[int, bool]:
    """Return the start of a game, noon UTC if only the day is known, and whether the hour is."""
    try:
        moment = read_time("date", date, days)
    except FigureError:
        raise FigureError(f"expected a date such as 16/08/2024, got {date!r}") from None
    written = datetime.fromtimestamp(moment / 1000, UTC)
    clock = parse_time(time)
    if clock is None and written.time() != datetime.min.time():
        if _WITH_OFFSET.fullmatch(date):
            return moment, True
        clock = written.time()
    if clock is None:
        return noon_ms(written.date()), False
    return uk_ms(written.date(), clock), True
