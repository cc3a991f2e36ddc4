"""Tables of scores, as ``ledger settle`` and ``results import scores`` read them.

Columns are football-data's: ``Date, HomeTeam, AwayTeam, FTHG, FTAG`` and, for the halves, ``HTHG,
HTAG``; or ``Date, Home, Away, HG, AG``. Further ones may follow: ``Time`` (of the UK), ``Div``,
``Competition`` or ``Country`` and ``League``, ``Sport``, ``Status``, ``Overtime``, and the score of
each period, ``P1H, P1A, P2H, P2A, ...``.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from oddsdesk.base.figures import FigureError, Habit, days_of, read_time
from oddsdesk.base.spreadsheets import SheetRow
from oddsdesk.contract.competitions import FOOTBALL, OTHER, played_sport
from oddsdesk.contract.results import (
    REGULAR_PERIODS,
    BadResultError,
    GameResult,
    GameStatus,
    PeriodScore,
    check_result,
)
from oddsdesk.contract.texts import shown
from oddsdesk.contract.times import MINUTE_MS

EXPECTED: Final = "Date, HomeTeam, AwayTeam, FTHG, FTAG"
"""The columns that people know, for messages."""
_SCORES: Final = (
    ("date", "hometeam", "awayteam", "fthg", "ftag"),
    ("date", "home", "away", "hg", "ag"),
)
_HALVES: Final = ("hthg", "htag")
_MOST_PERIODS: Final = 30
_DAY_MS: Final = 24 * 60 * MINUTE_MS
_UK: Final = ZoneInfo("Europe/London")
_WHOLE: Final = re.compile(r"(\d{1,5})(?:[.,]0*)?", re.ASCII)
"""2, also as 2.0 or 2,0."""
_CLOCK: Final = re.compile(r"(\d{1,2})[:.](\d{2})(?:[:.]\d{2}(?:\.0*)?)?", re.ASCII)
_PART_OF_DAY: Final = re.compile(r"0?\.\d+", re.ASCII)
"""A time of day as workbooks store it."""
_WITH_OFFSET: Final = re.compile(r".*\d(?:Z|[+-]\d{2}:?\d{2})", re.IGNORECASE | re.ASCII)
_STATUSES: Final = {
    GameStatus.SCHEDULED: "scheduled notstarted ns fixture",
    GameStatus.IN_PLAY: "inplay live playing halftime ht",
    GameStatus.FINAL: "final ft fulltime finished ended result played aet afterextratime pen "
    "afterpenalties penalties ot so finalot finalso",
    GameStatus.POSTPONED: "postponed postp ppd delayed rescheduled",
    GameStatus.ABANDONED: "abandoned abd abn suspended",
    GameStatus.CANCELLED: "cancelled canceled canc walkover wo",
    GameStatus.RETIRED: "retired ret retirement disqualified",
}
_STATUS_BY_WORD: Final = {
    word: status for status, words in _STATUSES.items() for word in words.split()
}
_AFTER_OVERTIME: Final = frozenset(
    {
        "aet",
        "afterextratime",
        "pen",
        "afterpenalties",
        "penalties",
        "ot",
        "so",
        "finalot",
        "finalso",
    }
)
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

    games: Sequence[str]
    """Date, both teams and both scores, folded."""
    days: Habit
    periods: int
    source: str
    now_ms: int


def read_scores(
    titles: Iterable[str], rows: Sequence[SheetRow], source: str, now_ms: int
) -> ScoreSheet | None:
    """Return the results of a table; games that were not played yet are left out.

    Returns:
        None if the table has no columns of scores.
    """
    named = {_folded(title): title for title in titles}
    games = next((each for each in _SCORES if set(each) <= set(named)), None)
    if games is None:
        return None
    days = days_of(row.cells.get(named["date"], "") for row in rows) or Habit.DAY_FIRST
    numbers = range(1, _MOST_PERIODS + 1)
    periods = sum({f"p{number}h", f"p{number}a"} <= set(named) for number in numbers)
    columns, found = _Columns(games, days, periods, source, now_ms), ScoreSheet([], [])
    for row in rows:
        told = {key: row.cells.get(title, "") for key, title in named.items()}
        try:
            result = _result(told, columns, row.number, found.problems)
            if result is not None:
                found.results.append(check_result(result, now_ms))
        except (FigureError, BadResultError) as error:
            found.problems.append(f"line {row.number}: {error}")
    return found


def _result(
    told: Mapping[str, str], columns: _Columns, line: int, problems: list[str]
) -> GameResult | None:
    """Return the result of a row, None if its game was not played yet.

    Impossible scores of periods are left out and added to ``problems``.

    Raises:
        FigureError: the row makes no sense; the message says what was expected.
    """
    date, home, away, *scores = (told[column] for column in columns.games)
    if not (home and away):
        raise FigureError("expected the names of both teams")
    word = _folded(told.get("status", ""))
    status = _status(told["status"]) if word else None
    if not any(scores) and status in (None, GameStatus.SCHEDULED):
        return None
    kick_off, has_time = _begins_ms(date, told.get("time", ""), columns.days)
    league = " - ".join(filter(None, (told.get("country"), told.get("league"))))
    competition = told.get("div") or told.get("competition") or league
    sport = _sport(competition, told.get("sport", ""))
    score = tuple(map(_goals, scores)) if any(scores) else (None, None)
    periods: tuple[PeriodScore, ...] = ()
    try:
        periods = _periods(told, columns.periods, score)
    except FigureError as error:
        problems.append(f"line {line}: {error}")
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
        overtime=_overtime(told.get("overtime", ""), word, sport, len(periods)),
        source=columns.source,
    )


def _folded(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _status(text: str) -> GameStatus:
    found = _STATUS_BY_WORD.get(_folded(text))
    if found is None:
        expected = ", ".join(each.value for each in _STATUSES)
        raise FigureError(f"status {shown(text)}: expected one of {expected}")
    return found


def _sport(competition: str, told: str) -> str:
    found = played_sport(competition, told or None)
    return found if found != OTHER else told or FOOTBALL


def _overtime(told: str, status: str, sport: str, periods: int) -> bool | None:
    """Return whether the score includes an overtime; ``FTHG`` is the score after 90 minutes."""
    if told:
        found = _YES_NO.get(_folded(told))
        if found is None:
            raise FigureError(f"overtime {shown(told)}: expected yes or no")
        return found
    if status in _AFTER_OVERTIME or periods > REGULAR_PERIODS.get(sport, periods):
        return True
    return False if sport == FOOTBALL else None


def _periods(
    told: Mapping[str, str], count: int, score: Sequence[int | None]
) -> tuple[PeriodScore, ...]:
    """Return the score of each period alone; nothing without columns of them.

    Raises:
        FigureError: they make no sense.
    """
    numbers = range(1, count + 1)
    cells = [(told[f"p{number}h"], told[f"p{number}a"]) for number in numbers]
    played = [each for each in cells if any(each)]
    try:
        if played:
            if cells[: len(played)] != played:
                raise FigureError("one is left out between others")
            pairs = ((_goals(home), _goals(away)) for home, away in played)
            return tuple(PeriodScore(number, *pair) for number, pair in enumerate(pairs, start=1))
    except FigureError as error:
        raise FigureError(f"periods: {error}; they are ignored") from None
    home, away = score
    if home is None or away is None or not all(told.get(each) for each in _HALVES):
        return ()
    try:
        first = PeriodScore(1, *(_goals(told[each]) for each in _HALVES))
        if first.home > home or first.away > away:
            raise FigureError(f"goals {first.home}-{first.away} are more than {home}-{away}")
    except FigureError as error:
        raise FigureError(f"half-time {error}; half-time score ignored") from None
    return first, PeriodScore(2, home - first.home, away - first.away)


def _goals(text: str) -> int:
    whole = _WHOLE.fullmatch(text)
    if whole is None:
        raise FigureError(f"goals {text!r}: expected a number such as 2")
    return int(whole[1])


def _begins_ms(date: str, time: str, days: Habit) -> tuple[int, bool]:
    """Return the start of a game, noon UTC if only the day is known, and whether the hour is."""
    try:
        moment = read_time("date", date, days)
    except FigureError:
        raise FigureError(f"expected a date such as 16/08/2024, got {date!r}") from None
    day_ms, clock_ms = moment // _DAY_MS * _DAY_MS, _clock_ms(time)
    if clock_ms is None and moment != day_ms:
        if _WITH_OFFSET.fullmatch(date):
            return moment, True
        clock_ms = moment - day_ms
    if clock_ms is None:
        return day_ms + _DAY_MS // 2, False
    local = datetime.fromtimestamp((day_ms + clock_ms) / 1000, UTC).replace(tzinfo=_UK)
    return round(local.timestamp() * 1000), True


def _clock_ms(text: str) -> int | None:
    """Return a time of day in milliseconds; None if there is none that can be read."""
    if _PART_OF_DAY.fullmatch(text):
        return round(float(text) * _DAY_MS / MINUTE_MS) * MINUTE_MS
    found = _CLOCK.fullmatch(text)
    if found is None or int(found[1]) >= 24 or int(found[2]) >= 60:
        return None
    return (int(found[1]) * 60 + int(found[2])) * MINUTE_MS
