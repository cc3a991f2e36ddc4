"""Bets settled from a file: results by number of bet, or the scores of football games.

Scores are read by football-data's columns: ``Date, HomeTeam, AwayTeam, FTHG, FTAG`` and, for the
halves, ``HTHG, HTAG``; in its files of further leagues ``Date, Home, Away, HG, AG``; ``Time`` is UK
time. ``matching.bet_games`` says whether a row is the game of a bet. A row that only may be it
settles nothing: it is listed, with the reason (D97).
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from oddsdesk.contract.competitions import FOOTBALL
from oddsdesk.formula_texts import as_written
from oddsdesk.ledger.bets import BadBetError, PlacedBet, cashed_out, settled
from oddsdesk.ledger.cells import CellError, fold, read_amount, read_number, read_result
from oddsdesk.ledger.games import wanted_game
from oddsdesk.matching.bet_games import DAY_MS, GamesNearby
from oddsdesk.matching.team_names import shipped_names
from oddsdesk.pricing.results import Goals, Result, Score, result_of
from oddsdesk.spreadsheets import SheetError, SheetRow, read_sheet

_SCORES: Final = (
    ("date", "hometeam", "awayteam", "fthg", "ftag"),
    ("date", "home", "away", "hg", "ag"),
)
_HALVES: Final = ("hthg", "htag")
_DATES: Final = ("%d/%m/%Y", "%d/%m/%y", "%Y-%m-%d")
_TIMES: Final = ("%H:%M", "%H:%M:%S")
_UK: Final = ZoneInfo("Europe/London")


class Settled(NamedTuple):
    """What a file of results says of the bets that are held."""

    bets: list[PlacedBet]
    """Those that it settles, with their results."""
    problems: list[str]
    """One line each: the number of the line, and what was expected there."""
    of_no_bet: int = 0
    """How many games of the file have no open bet."""
    to_look_at: Sequence[str] = ()
    """One line for each bet whose game a row may be: why it settles nothing, and what it would."""


class _Game(NamedTuple):
    line: int
    begins_ms: int
    has_time: bool
    competition: str
    """As the file calls it; empty where it does not."""
    match_name: str
    score: Score
    sport: str = FOOTBALL


def settle_by_file(data: bytes, bets: Iterable[PlacedBet], now_ms: int) -> Settled:
    """Return the bets that a CSV or XLSX file settles; those with a result keep theirs.

    Raises:
        SheetError: it is no table, or has no results by its titles.
    """
    titles, rows = read_sheet(data)
    named = {fold(title): title for title in titles}
    held = list(bets)
    if {"bet", "result"} <= set(named):
        return _by_number(rows, named, held, now_ms)
    for columns in _SCORES:
        if set(columns) <= set(named):
            return _by_score(rows, named, columns, held, now_ms)
    raise SheetError(
        "has no results: expected columns bet, result, or Date, HomeTeam, AwayTeam, FTHG, FTAG"
    )


def _by_number(
    rows: Sequence[SheetRow],
    named: Mapping[str, str],
    bets: Sequence[PlacedBet],
    now_ms: int,
) -> Settled:
    held = {bet.ident: bet for bet in bets}
    found = Settled([], [])
    for row in rows:
        told = {key: as_written(row.cells.get(title, "")) for key, title in named.items()}
        try:
            bet = held.get(round(read_number("bet", told["bet"])))
            if bet is None:
                raise CellError(f"there is no bet {told['bet']}")
            result = read_result(told["result"])
            if result is None or bet.result is result:
                continue
            if bet.result is not None:
                kept = bet.result.value.replace("_", " ")
                raise CellError(f"bet {bet.ident} has a result already: {kept}")
            ended = _ended(bet, result, told, now_ms)
        except (CellError, BadBetError) as error:
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


def _by_score(
    rows: Sequence[SheetRow],
    named: Mapping[str, str],
    columns: Sequence[str],
    bets: Sequence[PlacedBet],
    now_ms: int,
) -> Settled:
    problems: list[str] = []
    games: list[_Game] = []
    for row in rows:
        told = {key: row.cells.get(title, "") for key, title in named.items()}
        try:
            game = _game(row.number, told, columns, problems)
        except ValueError as error:
            problems.append(f"line {row.number}: {error}")
            continue
        if game is not None:
            games.append(game)
    nearby, wanted = GamesNearby(games, shipped_names()), set[int]()
    ended, to_look_at = list[PlacedBet](), list[str]()
    for bet in bets:
        nearest = None if bet.result is not None else nearby.of(wanted_game(bet))
        if nearest is None:
            continue
        game = nearest.game
        wanted.add(game.line)
        why = nearest.why_not
        if not why and bet.kick_off is None:
            why = "may be another game: the bet tells no kick-off"
        by_score = (bet.market_type, bet.period, bet.match_name, bet.selection, game.score)
        result = result_of(*by_score) if nearest.has_teams or not why else None
        if why:
            to_look_at.append(_to_look_at(game, bet, why, result))
        elif result is None:
            problems.append(
                f"line {game.line}: does not tell how bet {bet.ident} ended, "
                f"{bet.selection} ({bet.market_type or 'market unknown'})"
            )
        else:
            ended.append(settled(bet, result, now_ms))
    return Settled(ended, problems, len(games) - len(wanted), to_look_at)


def _game(
    line: int, told: Mapping[str, str], columns: Sequence[str], problems: list[str]
) -> _Game | None:
    """Return a game with its score, None for one that was not played yet.

    A half-time score that makes no sense is left out, and added to ``problems``.

    Raises:
        ValueError: the row makes no sense; says what was expected.
    """
    date, home, away, *goals = (told[column] for column in columns)
    if not (home and away):
        raise ValueError("expected the names of both teams")
    if not any(goals):
        return None
    end = Goals(*map(_goals, goals))
    begins_ms, has_time = _begins_ms(date, told.get("time", ""))
    half = None
    try:
        if all(told.get(each) for each in _HALVES):
            half = Goals(*(_goals(told[each]) for each in _HALVES))
    except ValueError as error:
        problems.append(f"line {line}: half-time {error}; no half-time score")
    league = " - ".join(filter(None, (told.get("country"), told.get("league"))))
    score = Score(end, half)
    competition = told.get("div") or league
    return _Game(line, begins_ms, has_time, competition, f"{home} vs {away}", score)


def _goals(text: str) -> int:
    number = read_number("goals", text)
    if number < 0 or not number.is_integer():
        raise ValueError(f"goals {text!r}: expected a number such as 2")
    return int(number)


def _begins_ms(date: str, time: str) -> tuple[int, bool]:
    """Return when a game begins, and whether its hour is known; else it is noon of its day."""
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


def _to_look_at(game: _Game, bet: PlacedBet, why: str, result: Result | None) -> str:
    """Return why a row does not settle a bet, and how the bet would have ended by its score."""
    goals = f"{game.score.end.home}-{game.score.end.away}"
    line = (
        f"line {game.line}: {game.match_name} ({goals}) {why}: look at bet {bet.ident}, "
        f"{bet.selection}, {bet.match_name}"
    )
    if result is None:
        return line
    return f"{line}; by this score it would be {result.value.replace('_', ' ')}"
