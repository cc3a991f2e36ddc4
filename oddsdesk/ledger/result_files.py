"""Settles bets from a file: results by bet number, or scores of football games.

Scores use football-data's columns: ``Date, HomeTeam, AwayTeam, FTHG, FTAG`` and, for the halves,
``HTHG, HTAG``; files of the further leagues have ``Date, Home, Away, HG, AG``. ``Time`` is UK time.
Scores settle bets as recorded results do (``ledger.settling``).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final
from zoneinfo import ZoneInfo

from oddsdesk.base.figures import FigureError, read_amount, read_number
from oddsdesk.base.spreadsheets import SheetError, SheetRow, read_sheet
from oddsdesk.base.text import as_written
from oddsdesk.contract.results import GameResult, PeriodScore
from oddsdesk.ledger.bets import BadBetError, PlacedBet, cashed_out, settled
from oddsdesk.ledger.cells import read_result
from oddsdesk.ledger.columns import folded_title
from oddsdesk.ledger.settling import Settled, settle_by_results
from oddsdesk.matching.bet_games import DAY_MS
from oddsdesk.pricing.selections import Result
from oddsdesk.pricing.settlement_rules import SettlementRules

_SCORES: Final = (
    ("date", "hometeam", "awayteam", "fthg", "ftag"),
    ("date", "home", "away", "hg", "ag"),
)
_HALVES: Final = ("hthg", "htag")
_DATES: Final = ("%d/%m/%Y", "%d/%m/%y", "%Y-%m-%d")
_TIMES: Final = ("%H:%M", "%H:%M:%S")
_UK: Final = ZoneInfo("Europe/London")


def settle_by_file(
    data: bytes,
    bets: Iterable[PlacedBet],
    now_ms: int,
    rules: SettlementRules | None = None,
    source: str = "file",
) -> Settled:
    """Settle bets from a CSV or XLSX file; settled bets keep their result.

    ``source`` is what the file is called where a bet says by what it settled.

    Raises:
        SheetError: not a table, or no columns of results.
    """
    titles, rows = read_sheet(data)
    named = {folded_title(title): title for title in titles}
    held = list(bets)
    if {"bet", "result"} <= set(named):
        return _by_number(rows, named, held, now_ms)
    for columns in _SCORES:
        if set(columns) <= set(named):
            problems: list[str] = []
            results = list(_results(rows, named, columns, source, problems))
            settled_by = settle_by_results(held, results, rules or SettlementRules(), now_ms)
            return settled_by._replace(problems=problems)
    raise SheetError(
        "no results: expected columns bet, result, or Date, HomeTeam, AwayTeam, FTHG, FTAG"
    )


def _by_number(
    rows: Sequence[SheetRow], named: Mapping[str, str], bets: Sequence[PlacedBet], now_ms: int
) -> Settled:
    held = {bet.ident: bet for bet in bets}
    found = Settled([], [])
    for row in rows:
        told = {key: as_written(row.cells.get(title, "")) for key, title in named.items()}
        try:
            bet = held.get(round(read_number("bet", told["bet"])))
            if bet is None:
                raise FigureError(f"no bet {told['bet']}")
            result = read_result(told["result"])
            if result is None or bet.result is result:
                continue
            if bet.result is not None:
                kept = bet.result.value.replace("_", " ")
                raise FigureError(f"bet {bet.ident} is already settled as {kept}")
            ended = _ended(bet, result, told, now_ms)
        except (FigureError, BadBetError) as error:
            found.problems.append(f"line {row.number}: {error}")
            continue
        held[bet.ident] = ended
        found.bets.append(ended)
    return found


def _ended(bet: PlacedBet, result: Result, told: Mapping[str, str], now_ms: int) -> PlacedBet:
    if result is not Result.CASHED_OUT:
        return settled(bet, result, now_ms)
    back = read_amount("cashed_back", told.get("cashedback", ""))
    return cashed_out(bet, bet.open_stake, back - bet.cashed_back, now_ms)


def _results(
    rows: Sequence[SheetRow],
    named: Mapping[str, str],
    columns: Sequence[str],
    source: str,
    problems: list[str],
) -> Iterator[GameResult]:
    """Yield the result of each row whose game was played; unreadable rows go to ``problems``."""
    for row in rows:
        told = {key: row.cells.get(title, "") for key, title in named.items()}
        try:
            game = _game(row.number, told, columns, source, problems)
        except ValueError as error:
            problems.append(f"line {row.number}: {error}")
            continue
        if game is not None:
            yield game


def _game(
    line: int, told: Mapping[str, str], columns: Sequence[str], source: str, problems: list[str]
) -> GameResult | None:
    """Return a game with its score, None if it was not played yet.

    An impossible half-time score is left out and added to ``problems``.

    Raises:
        ValueError: the row makes no sense; the message says what was expected.
    """
    date, home, away, *goals = (told[column] for column in columns)
    if not (home and away):
        raise ValueError("expected the names of both teams")
    if not any(goals):
        return None
    scored, conceded = map(_goals, goals)
    kick_off, has_time = _begins_ms(date, told.get("time", ""))
    periods: tuple[PeriodScore, ...] = ()
    try:
        if all(told.get(each) for each in _HALVES):
            first = PeriodScore(1, *(_goals(told[each]) for each in _HALVES))
            second = PeriodScore(2, scored - first.home, conceded - first.away)
            if min(second.home, second.away) < 0:
                raise ValueError("goals are more than at the end")
            periods = (first, second)
    except ValueError as error:
        problems.append(f"line {line}: half-time {error}; half-time score ignored")
    league = " - ".join(filter(None, (told.get("country"), told.get("league"))))
    return GameResult(
        competition=told.get("div") or league,
        match_name=f"{home} vs {away}",
        kick_off=kick_off,
        home=scored,
        away=conceded,
        periods=periods,
        has_time=has_time,
        overtime=False,
        source=source,
    )


def _goals(text: str) -> int:
    number = read_number("goals", text)
    if number < 0 or not number.is_integer():
        raise ValueError(f"goals {text!r}: expected a number such as 2")
    return int(number)


def _begins_ms(date: str, time: str) -> tuple[int, bool]:
    """Return the start of a game, noon if only the day is known, and whether the hour is known."""
    day = _read_as(date, _DATES)
    if day is None:
        raise ValueError(f"expected a date such as 16/08/2024, got {date!r}")
    clock = _read_as(time, _TIMES)
    if clock is None:
        return round(day.timestamp() * 1000) + DAY_MS // 2, False
    begins = day.replace(hour=clock.hour, minute=clock.minute, tzinfo=_UK)
    return round(begins.timestamp() * 1000), True


def _read_as(text: str, forms: Sequence[str]) -> datetime | None:
    for form in forms:
        try:
            return datetime.strptime(text.strip(), form).replace(tzinfo=UTC)
        except ValueError:
            continue
    return None
