"""Bets settled from a file: results by number of bet, or the scores of football games.

Scores are read by football-data's columns: ``Date, HomeTeam, AwayTeam, FTHG, FTAG`` and, for the
halves, ``HTHG, HTAG``; in its files of further leagues ``Date, Home, Away, HG, AG``.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final, NamedTuple

from oddsdesk.contract.competitions import OTHER
from oddsdesk.contract.identity import teams
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.ledger.bets import BadBetError, PlacedBet, cashed_out, settled
from oddsdesk.ledger.columns import CellError, fold, read_number, read_result
from oddsdesk.pricing.results import FOOTBALL, Goals, Result, Score, result_of
from oddsdesk.spreadsheets import SheetError, SheetRow, as_written, read_sheet

_DAY_MS: Final = 24 * 60 * MINUTE_MS
_APART_MS: Final = _DAY_MS + _DAY_MS // 2
"""A kick-off is this far from noon of the day that a file states, at most."""
_SCORES: Final = (
    ("date", "hometeam", "awayteam", "fthg", "ftag"),
    ("date", "home", "away", "hg", "ag"),
)
_HALVES: Final = ("hthg", "htag")
_DATES: Final = ("%d/%m/%Y", "%d/%m/%y", "%Y-%m-%d")


class Settled(NamedTuple):
    """What a file of results says of the bets that are held."""

    bets: list[PlacedBet]
    """Those that it settles, with their results."""
    problems: list[str]
    """One line each: the number of the line, and what was expected there."""
    of_no_bet: int = 0
    """How many games of the file have no open bet."""


class _Game(NamedTuple):
    line: int
    noon_ms: int
    score: Score


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
    back = read_number("cashed_back", told.get("cashedback", ""))
    return cashed_out(bet, bet.open_stake, back - bet.cashed_back, now_ms)


def _by_score(
    rows: Sequence[SheetRow],
    named: Mapping[str, str],
    columns: Sequence[str],
    bets: Sequence[PlacedBet],
    now_ms: int,
) -> Settled:
    problems: list[str] = []
    games: dict[tuple[str, str], list[_Game]] = {}
    for row in rows:
        told = {key: row.cells.get(title, "") for key, title in named.items()}
        try:
            game = _game(row.number, told, columns)
        except ValueError as error:
            problems.append(f"line {row.number}: {error}")
            continue
        if game is not None:
            pair = (fold(told[columns[1]]), fold(told[columns[2]]))
            games.setdefault(pair, []).append(game)
    ended, wanted = [], set[int]()
    for bet in bets:
        game = None if bet.result is not None else _game_of(bet, games)
        if game is None:
            continue
        wanted.add(game.line)
        result = result_of(bet.market_type, bet.period, bet.match_name, bet.selection, game.score)
        if result is None:
            problems.append(
                f"line {game.line}: does not tell how bet {bet.ident} ended, "
                f"{bet.selection} ({bet.market_type or 'market unknown'})"
            )
        else:
            ended.append(settled(bet, result, now_ms))
    return Settled(ended, problems, sum(map(len, games.values())) - len(wanted))


def _game(line: int, told: Mapping[str, str], columns: Sequence[str]) -> _Game | None:
    """Return a game with its score, None for one that was not played yet.

    Raises:
        ValueError: the row makes no sense; says what was expected.
    """
    date, home, away, *goals = (told[column] for column in columns)
    if not (home and away):
        raise ValueError("expected the names of both teams")
    if not any(goals):
        return None
    half = None
    if all(told.get(each) for each in _HALVES):
        half = Goals(*(_goals(told[each]) for each in _HALVES))
    return _Game(line, _noon_ms(date), Score(Goals(*map(_goals, goals)), half))


def _goals(text: str) -> int:
    number = read_number("goals", text)
    if number < 0 or not number.is_integer():
        raise ValueError(f"goals {text!r}: expected a number such as 2")
    return int(number)


def _noon_ms(text: str) -> int:
    for form in _DATES:
        try:
            day = datetime.strptime(text.strip(), form).replace(tzinfo=UTC)
        except ValueError:
            continue
        return round(day.timestamp() * 1000) + _DAY_MS // 2
    raise ValueError(f"expected a date such as 16/08/2024, got {text!r}")


def _game_of(bet: PlacedBet, games: Mapping[tuple[str, str], Sequence[_Game]]) -> _Game | None:
    """Return the game of a bet: the same teams, on the day of its kick-off."""
    pair = teams(bet.match_name)
    if pair is None or bet.sport not in (FOOTBALL, OTHER):
        return None
    at = bet.order[0]
    near = games.get((fold(pair[0]), fold(pair[1])), ())
    dated = [game for game in near if abs(game.noon_ms - at) <= _APART_MS]
    return min(dated, key=lambda game: abs(game.noon_ms - at), default=None)
