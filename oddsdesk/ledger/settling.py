"""Bets settled from a file: results by number of bet, or the scores of football games.

Scores are read by football-data's columns: ``Date, HomeTeam, AwayTeam, FTHG, FTAG`` and, for the
halves, ``HTHG, HTAG``; in its files of further leagues ``Date, Home, Away, HG, AG``. Whether a row
is the game of a bet says ``games_nearby``. What is only alike settles nothing, and is told.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final, NamedTuple

from oddsdesk.contract.competitions import FOOTBALL
from oddsdesk.formula_texts import as_written
from oddsdesk.ledger.bets import BadBetError, PlacedBet, cashed_out, settled
from oddsdesk.ledger.cells import CellError, fold, read_amount, read_number, read_result
from oddsdesk.ledger.games_nearby import DAY_MS, Found, GamesNearby
from oddsdesk.matching.team_names import shipped_names
from oddsdesk.pricing.results import Goals, Result, Score, result_of
from oddsdesk.spreadsheets import SheetError, SheetRow, read_sheet

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
    begins_ms: int
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
            game = _game(row.number, told, columns)
        except ValueError as error:
            problems.append(f"line {row.number}: {error}")
            continue
        if game is not None:
            games.append(game)
    nearby, ended, wanted = GamesNearby(games, shipped_names()), [], set[int]()
    for bet in bets:
        if bet.result is not None:
            continue
        found = nearby.of(bet)
        game = nearby.put_off(bet) if found is None else found.game
        if game is None:
            continue
        wanted.add(game.line)
        if found is None:
            problems.append(_put_off(game, bet))
            continue
        if not found.is_same:
            problems.append(_unsure(found, bet))
            continue
        result = result_of(bet.market_type, bet.period, bet.match_name, bet.selection, game.score)
        if result is None:
            problems.append(
                f"line {game.line}: does not tell how bet {bet.ident} ended, "
                f"{bet.selection} ({bet.market_type or 'market unknown'})"
            )
        else:
            ended.append(settled(bet, result, now_ms))
    return Settled(ended, problems, len(games) - len(wanted))


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
    league = " - ".join(filter(None, (told.get("country"), told.get("league"))))
    score = Score(Goals(*map(_goals, goals)), half)
    return _Game(line, _noon_ms(date), told.get("div") or league, f"{home} vs {away}", score)


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
        return round(day.timestamp() * 1000) + DAY_MS // 2
    raise ValueError(f"expected a date such as 16/08/2024, got {text!r}")


def _put_off(game: _Game, bet: PlacedBet) -> str:
    """Say that a game was played on another day: some bookmakers let its bets stand then."""
    days = game.begins_ms // DAY_MS - bet.order[0] // DAY_MS
    later = f"{days} day{'' if days == 1 else 's'} later than bet {bet.ident} says"
    return f"line {game.line}: {game.match_name} was played {later}: settle it by hand"


def _unsure(found: Found[_Game], bet: PlacedBet) -> str:
    of = f"that of bet {bet.ident}, {bet.match_name}"
    what = f"is {of}, the other way round" if found.match.is_crosswise else f"may be {of}"
    return f"line {found.game.line}: {found.game.match_name} {what}: settle it by hand"
