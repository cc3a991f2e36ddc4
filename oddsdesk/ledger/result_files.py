"""Settles bets from a file: results by bet number, or scores of games (``base.score_sheets``).

A number such as 12.2 is the second leg of bet 12.

Scores settle bets as recorded results do (``ledger.settling``).
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from oddsdesk.base.figures import FigureError, read_amount
from oddsdesk.base.score_sheets import EXPECTED, read_scores
from oddsdesk.base.spreadsheets import SheetError, SheetRow, read_sheet
from oddsdesk.base.text import as_written
from oddsdesk.base.texts import _, translated
from oddsdesk.contract.results import without_contradictions
from oddsdesk.ledger.bets import BadBetError, PlacedBet, cashed_out, settled
from oddsdesk.ledger.cells import read_result
from oddsdesk.ledger.columns import folded_title
from oddsdesk.ledger.legs import leg_settled
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
        raise SheetError(
            _("no results: expected columns bet, result, or {columns}").format(columns=EXPECTED)
        )
    results, contradictions = without_contradictions(sheet.results)
    settled_by = settle_by_results(held, results, rules or SettlementRules(), now_ms)
    return settled_by._replace(problems=[*sheet.problems, *contradictions], without_result=())


def _by_number(
    rows: Sequence[SheetRow], named: Mapping[str, str], bets: Sequence[PlacedBet], now_ms: int
) -> Settled:
    held = {bet.ident: bet for bet in bets}
    problems, changed = list[str](), dict[int, PlacedBet]()
    for row in rows:
        cells = {key: as_written(row.cells.get(title, "")) for key, title in named.items()}
        try:
            if row.fault:
                raise FigureError(translated(row.fault))
            number, place = read_bet_number(cells["bet"])
            bet = held.get(number)
            if bet is None or place > len(bet.legs):
                raise FigureError(_("no bet {bet}").format(bet=cells["bet"]))
            result = read_given_result(cells["result"])
            before = bet.legs[place - 1].result if place else bet.result
            if result is None or before is result:
                continue
            if before is not None:
                raise FigureError(
                    _("bet {bet} is already settled as {result}").format(
                        bet=cells["bet"], result=translated(before.words)
                    )
                )
            ended = _ended(bet, place, result, cells, now_ms)
        except (FigureError, BadBetError) as error:
            problems.append(
                _("line {number}: {error}").format(number=row.number, error=translated(str(error)))
            )
            continue
        held[number] = changed[number] = ended
    found = Settled([], problems, is_by_hand=True)
    return found.with_written(changed.values())


def read_given_result(text: str) -> Result | None:
    """Return the result that the user gives a bet; None opens it.

    ``placed`` is that of an each-way bet. Lists of bets use the word for open bets.

    Raises:
        FigureError: the word is not a result.
    """
    if text.strip().casefold() == Result.PLACED.value:
        return Result.PLACED
    return read_result(text)


def read_bet_number(text: str) -> tuple[int, int]:
    """Return the number of a bet, and the place of its leg: 12 is (12, 0), 12.2 is (12, 2).

    Raises:
        FigureError: the text is neither.
    """
    found = _NUMBER.fullmatch(text.strip())
    if found is None:
        raise FigureError(
            _("bet {text!r}: expected the number of a bet, or 12.2 for its second leg").format(
                text=text
            )
        )
    return int(found[1]), int(found[2] or 0)


_NUMBER: Final = re.compile(r"(\d{1,15})(?:[.,](\d{1,3}))?", re.ASCII)


def _ended(
    bet: PlacedBet, place: int, result: Result, cells: Mapping[str, str], now_ms: int
) -> PlacedBet:
    if place:
        return leg_settled(bet, place, result, now_ms)
    if result is not Result.CASHED_OUT:
        return settled(bet, result, now_ms)
    back = read_amount("cashed_back", cells.get("cashedback", ""))
    return cashed_out(bet, bet.open_size, back - bet.cashed_back, now_ms)
