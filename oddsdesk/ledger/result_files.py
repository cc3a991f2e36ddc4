"""Settles bets from a file: results by bet number, or scores of football games.

Scores use football-data's columns (``base.football_rows``), among them ``Date, HomeTeam, AwayTeam,
FTHG, FTAG`` and, for the halves, ``HTHG, HTAG``. ``Time`` is UK time. Scores settle bets as
recorded results do (``ledger.settling``).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from oddsdesk.base.figures import FigureError, read_amount, read_number
from oddsdesk.base.football_rows import (
    GameColumns,
    check_width,
    game_columns,
    kick_off_ms,
    parse_date,
    parse_time,
    read_goals,
    read_halves,
    read_teams,
)
from oddsdesk.base.spreadsheets import SheetError, SheetRow, read_sheet
from oddsdesk.base.text import as_written
from oddsdesk.contract.results import GameResult, PeriodScore
from oddsdesk.ledger.bets import BadBetError, PlacedBet, cashed_out, settled
from oddsdesk.ledger.cells import read_result
from oddsdesk.ledger.columns import folded_title
from oddsdesk.ledger.settling import Settled, settle_by_results
from oddsdesk.pricing.selections import Result
from oddsdesk.pricing.settlement_rules import SettlementRules


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
    columns = game_columns(titles)
    if not all((columns.date, columns.home, columns.away, *columns.goals)):
        raise SheetError(
            "no results: expected columns bet, result, or Date, HomeTeam, AwayTeam, FTHG, FTAG"
        )
    problems: list[str] = []
    results = list(_results(rows, columns, source, problems))
    settled_by = settle_by_results(held, results, rules or SettlementRules(), now_ms)
    return settled_by._replace(problems=problems)


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
    rows: Sequence[SheetRow], columns: GameColumns, source: str, problems: list[str]
) -> Iterator[GameResult]:
    """Yield the result of each row whose game was played; unreadable rows go to ``problems``."""
    for row in rows:
        try:
            game = _game(row, columns, source, problems)
        except ValueError as error:
            problems.append(f"line {row.number}: {error}")
            continue
        if game is not None:
            yield game


def _game(
    row: SheetRow, columns: GameColumns, source: str, problems: list[str]
) -> GameResult | None:
    """Return a game with its score, None if it was not played yet.

    An impossible half-time score is left out and added to ``problems``.

    Raises:
        ValueError: the row makes no sense; the message says what was expected.
    """
    check_width(row)
    cells = row.cells
    home, away = read_teams(cells, columns)
    goals = read_goals(cells, columns.goals)
    if goals is None:
        return None
    day = parse_date(cells.get(columns.date, ""))
    clock = parse_time(cells.get(columns.time, ""))
    periods: tuple[PeriodScore, ...] = ()
    try:
        periods = read_halves(cells, columns, goals)
    except ValueError as error:
        problems.append(f"line {row.number}: {error}; half-time score ignored")
    league = (cells.get(columns.country, ""), cells.get(columns.league, ""))
    return GameResult(
        competition=cells.get(columns.division, "") or " - ".join(filter(None, league)),
        match_name=f"{home} vs {away}",
        kick_off=kick_off_ms(day, clock),
        home=goals[0],
        away=goals[1],
        periods=periods,
        has_time=clock is not None,
        overtime=False,
        source=source,
    )
