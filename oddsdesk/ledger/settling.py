"""Settles bets from a file: results by bet number, or scores of football games.

Scores use football-data's columns: ``Date, HomeTeam, AwayTeam, FTHG, FTAG`` and, for the halves,
``HTHG, HTAG``; files of the further leagues have ``Date, Home, Away, HG, AG``. ``Time`` is UK time.
``matching.bet_games`` decides whether a row is the game of a bet. A row that only may be the game
settles nothing: it is listed with the reason.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from oddsdesk.base.figures import FigureError, read_amount, read_number
from oddsdesk.base.spreadsheets import SheetError, SheetRow, read_sheet
from oddsdesk.base.text import as_written
from oddsdesk.contract.competitions import FOOTBALL
from oddsdesk.contract.identity import game_title
from oddsdesk.ledger.bets import BadBetError, PlacedBet, cashed_out, settled
from oddsdesk.ledger.cells import read_result
from oddsdesk.ledger.columns import folded_title
from oddsdesk.ledger.games import wanted_game
from oddsdesk.matching.bet_games import DAY_MS, GamesNearby
from oddsdesk.matching.names import shipped_names
from oddsdesk.pricing.selections import Goals, Result, Score, result_of

_SCORES: Final = (
    ("date", "hometeam", "awayteam", "fthg", "ftag"),
    ("date", "home", "away", "hg", "ag"),
)
_HALVES: Final = ("hthg", "htag")
_DATES: Final = ("%d/%m/%Y", "%d/%m/%y", "%Y-%m-%d")
_TIMES: Final = ("%H:%M", "%H:%M:%S")
_UK: Final = ZoneInfo("Europe/London")


class Settled(NamedTuple):
    """What a file of results says about the bets in the ledger."""

    bets: list[PlacedBet]
    """Bets that the file settles, with their results."""
    problems: list[str]
    """One line per unreadable row: its number, and what was expected."""
    of_no_bet: int = 0
    """Number of games in the file without an open bet."""
    to_look_at: Sequence[str] = ()
    """One line per bet whose game a row may be: why it is not settled, and what it would be."""


class _Game(NamedTuple):
    line: int
    begins_ms: int
    has_time: bool
    competition: str
    """As in the file; empty if it has none."""
    match_name: str
    score: Score
    sport: str = FOOTBALL


def settle_by_file(data: bytes, bets: Iterable[PlacedBet], now_ms: int) -> Settled:
    """Settle bets from a CSV or XLSX file; settled bets keep their result.

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
            return _by_score(rows, named, columns, held, now_ms)
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
        nearest = None if bet.result is not None else nearby.games_near(wanted_game(bet))
        if nearest is None:
            continue
        game = nearest.game
        wanted.add(game.line)
        why = nearest.why_not
        if not why and bet.kick_off is None:
            why = "may be another game: the bet has no kick-off"
        by_score = (bet.market_type, bet.period, bet.match_name, bet.selection, game.score)
        result = result_of(*by_score) if nearest.has_teams or not why else None
        if why:
            to_look_at.append(_to_look_at(game, bet, why, result))
        elif result is None:
            problems.append(
                f"line {game.line}: cannot settle bet {bet.ident}, "
                f"{bet.selection} ({bet.market_type or 'unknown market'})"
            )
        else:
            ended.append(settled(bet, result, now_ms))
    return Settled(ended, problems, len(games) - len(wanted), to_look_at)


def _game(
    line: int, told: Mapping[str, str], columns: Sequence[str], problems: list[str]
) -> _Game | None:
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
    end = Goals(*map(_goals, goals))
    begins_ms, has_time = _begins_ms(date, told.get("time", ""))
    half = None
    try:
        if all(told.get(each) for each in _HALVES):
            half = Goals(*(_goals(told[each]) for each in _HALVES))
    except ValueError as error:
        problems.append(f"line {line}: half-time {error}; half-time score ignored")
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


def _to_look_at(game: _Game, bet: PlacedBet, why: str, result: Result | None) -> str:
    """Return why a row does not settle a bet, and the result that its score would give."""
    goals = f"{game.score.end.home}-{game.score.end.away}"
    line = (
        f"line {game.line}: {game_title(game.match_name)} ({goals}) {why}: check bet"
        f" {bet.ident}, {bet.selection}, {game_title(bet.match_name)}"
    )
    if result is None:
        return line
    return f"{line}; by this score it is {result.value.replace('_', ' ')}"
