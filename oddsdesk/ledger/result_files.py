"""Settles bets from a file: results by bet number, or scores of games (``base.score_sheets``).

Scores settle bets as recorded results do (``ledger.settling``).
"""

from collections.abc import Iterable, Mapping, Sequence

from oddsdesk.base.figures import FigureError, read_amount, read_number
from oddsdesk.base.score_sheets import EXPECTED, read_scores
from oddsdesk.base.spreadsheets import SheetError, SheetRow, read_sheet
from oddsdesk.base.text import as_written
from oddsdesk.contract.results import without_contradictions
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
    sheet = read_scores(titles, rows, source, now_ms)
    if sheet is None:
        raise SheetError(f"no results: expected columns bet, result, or {EXPECTED}")
    results, contradictions = without_contradictions(sheet.results)
    settled_by = settle_by_results(held, results, rules or SettlementRules(), now_ms)
    return settled_by._replace(problems=[*sheet.problems, *contradictions], without_result=())


def _by_number(
    rows: Sequence[SheetRow], named: Mapping[str, str], bets: Sequence[PlacedBet], now_ms: int
) -> Settled:
    held = {bet.ident: bet for bet in bets}
    found = Settled([], [])
    for row in rows:
        cells = {key: as_written(row.cells.get(title, "")) for key, title in named.items()}
        try:
            if row.fault:
                raise FigureError(row.fault)
            bet = held.get(round(read_number("bet", cells["bet"])))
            if bet is None:
                raise FigureError(f"no bet {cells['bet']}")
            result = read_result(cells["result"])
            if result is None or bet.result is result:
                continue
            if bet.result is not None:
                words = bet.result.words
                raise FigureError(f"bet {bet.ident} is already settled as {words}")
            ended = _ended(bet, result, cells, now_ms)
        except (FigureError, BadBetError) as error:
            found.problems.append(f"line {row.number}: {error}")
            continue
        held[bet.ident] = ended
        found.bets.append(ended)
    return found


def _ended(bet: PlacedBet, result: Result, cells: Mapping[str, str], now_ms: int) -> PlacedBet:
    if result is not Result.CASHED_OUT:
        return settled(bet, result, now_ms)
    back = read_amount("cashed_back", cells.get("cashedback", ""))
    return cashed_out(bet, bet.open_stake, back - bet.cashed_back, now_ms)
