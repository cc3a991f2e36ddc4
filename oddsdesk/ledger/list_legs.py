"""Finds the legs of multiples in a list of bets.

They are in lines below their bet, in separate lines with the same date, stake and payment, or
in one cell: ``Arsenal @ 1.80 + Lens @ 2.10``. Legs in separate lines are joined only if none of
them pays by its own odds; those below a bet or in one cell only if their odds multiply to the
bet's, or if the list marks it as a multiple.
"""

import contextlib
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from oddsdesk.base.figures import FigureError
from oddsdesk.contract.identity import teams
from oddsdesk.ledger.bet_kinds import BetKind
from oddsdesk.ledger.cells import PLAIN_LINE, LineKind
from oddsdesk.ledger.columns import CENT, ODDS_ROUNDING, PAYOUT, TO_WIN, result_word
from oddsdesk.ledger.list_figures import Writing, read_money, read_odds
from oddsdesk.pricing.selections import Result

_Row = Mapping[str, str]
_NEAR: Final = 0.02
"""How far the product of rounded odds may be from the odds of a multiple, as a share."""
_BETWEEN: Final = ("\n", " | ", "|", ";", " + ", " & ", " / ", ", ")
_WITH_ODDS: Final = re.compile(
    r"(?P<name>.+?)\s*(?:@\s*|\()(?P<odds>[+-]?\d+(?:[.,/]\d+)?)\)?", re.DOTALL
)
_MOST_LEGS: Final = 40


class Line(NamedTuple):
    """A bet of a list: its line, and the lines of its legs."""

    number: int
    row: _Row
    """Its cells by key."""
    said: LineKind = PLAIN_LINE
    legs: tuple[_Row, ...] = ()
    """Cells of its legs, by key."""
    odds: float | None = None
    """Its odds if no cell holds those of all legs together."""


def lines_of(
    rows: Sequence[tuple[int, _Row]],
    said: Mapping[int, LineKind],
    writing: Writing,
    *,
    has_legs_below: bool,
) -> list[Line]:
    """Return the bets of a list with their legs.

    ``has_legs_below``: a line without date and stake is a leg, whatever its odds.
    """
    lines = [Line(number, row, said.get(number, PLAIN_LINE)) for number, row in rows]
    lines = _with_legs_below(lines, writing, is_sure=has_legs_below)
    lines = _joined(lines, writing)
    return [_with_legs_of_cell(line, writing) for line in lines]


def _is_multiple(line: Line) -> bool:
    return BetKind.MULTIPLE in line.said.kinds


def _odds(row: _Row, writing: Writing) -> float | None:
    with contextlib.suppress(FigureError):
        odds = read_odds(row, writing.odds)
        return odds if odds > 1 else None
    return None


def _product(rows: Sequence[_Row], writing: Writing) -> float | None:
    """Return the odds of legs together; None if those of one are missing."""
    odds = [_odds(row, writing) for row in rows]
    return None if None in odds or not odds else math.prod(filter(None, odds))


def _is_near(product: float | None, odds: float | None) -> bool:
    return product is not None and odds is not None and abs(product / odds - 1) <= _NEAR


def _with_legs_below(lines: Sequence[Line], writing: Writing, *, is_sure: bool) -> list[Line]:
    bets = list[Line]()
    below = list[Line]()

    def take_legs() -> None:
        legs = tuple(leg.row for leg in below)
        if not legs:
            return
        product = _product(legs, writing)
        bet = bets[-1] if bets else None
        is_told = bet is not None and (is_sure or _is_multiple(bet))
        if bet is None or not (is_told or _is_near(product, _odds(bet.row, writing))):
            bets.extend(below)
        elif product is None or len(legs) < 2:
            bets[-1] = bet._replace(row={**bet.row, "note": _noted(bet.row, legs)})
        else:
            bets[-1] = bet._replace(legs=legs)
        below.clear()

    for line in lines:
        if (
            not line.row.get("placed_at")
            and not line.row.get("stake")
            and line.row.get("selection")
        ):
            below.append(line)
            continue
        take_legs()
        bets.append(line)
    take_legs()
    return bets


def _noted(row: _Row, legs: Sequence[_Row]) -> str:
    """Return a bet's note with legs that cannot be read as such."""
    texts = (f"{leg.get('selection', '')} {leg.get('odds', '')}".strip() for leg in legs)
    return "; ".join(filter(None, (row.get("note", ""), *texts)))


def _joined(lines: Sequence[Line], writing: Writing) -> list[Line]:
    """Return the lines with those of one multiple joined."""
    shared: dict[tuple[str, ...], list[Line]] = {}
    for line in lines:
        row = line.row
        payment = next(filter(None, map(row.get, (PAYOUT, TO_WIN))), None)
        if payment and _is_multiple(line) and not line.legs and not _pays(row, writing):
            same = (row.get("placed_at", ""), row.get("stake", ""), row.get("bookmaker", ""))
            shared.setdefault((*same, payment), []).append(line)
    first, gone = dict[int, Line](), set[int]()
    for group in shared.values():
        for legs in _multiples(group, writing):
            first[legs[0].number] = _as_one(legs, writing)
            gone |= {leg.number for leg in legs[1:]}
    return [first.get(line.number, line) for line in lines if line.number not in gone]


def _multiples(group: Sequence[Line], writing: Writing) -> Iterator[list[Line]]:
    """Split lines that share their date, stake and payment where their odds multiply to it."""
    legs = list[Line]()
    for line in group:
        legs.append(line)
        odds = _paid_odds(line.row, writing)
        if len(legs) > 1 and _is_near(_product([leg.row for leg in legs], writing), odds):
            yield legs
            legs = []
    if len(legs) > 1:
        yield legs


def _paid_odds(row: _Row, writing: Writing) -> float | None:
    """Return the odds at which a line's possible payment is paid; None if it has none."""
    key = PAYOUT if row.get(PAYOUT) else TO_WIN
    with contextlib.suppress(FigureError, ZeroDivisionError):
        paid = read_money(key, row.get(key, ""), writing)
        return paid / read_money("stake", row.get("stake", ""), writing) + (key == TO_WIN)
    return None


def _pays(row: _Row, writing: Writing) -> bool:
    """Return whether a line is paid at the odds in that line, not as part of a multiple."""
    own, paid = _odds(row, writing), _paid_odds(row, writing)
    if own is None or paid is None:
        return True
    with contextlib.suppress(FigureError):
        stake = read_money("stake", row.get("stake", ""), writing)
        return abs(own - paid) * stake <= CENT + stake * ODDS_ROUNDING
    return True


_OF_LEGS: Final = (
    *("selection", "odds", "match_name", "market_type", "competition", "sport", "kick_off"),
    *("period", "result", PAYOUT, TO_WIN),
)


def _as_one(legs: Sequence[Line], writing: Writing) -> Line:
    """Return the bet that several lines are legs of."""
    rows = [leg.row for leg in legs]
    row: dict[str, str] = {}
    for each in rows:
        row |= {key: text for key, text in each.items() if text and key not in {**row, **_NOT}}
    row["selection"] = " + ".join(each.get("selection", "") for each in rows)
    row["odds"] = ""
    row |= {key: rows[0][key] for key in ("competition", "sport") if _is_same(rows, key)}
    results = [each.get("result", "") for each in rows]
    if len(set(results)) == 1:  # the bet's own, in each line
        row["result"] = results[0]
        if writing.words.get(result_word(results[0])) is not Result.WON:
            rows = [{**each, "result": ""} for each in rows]
    return legs[0]._replace(
        row=row,
        said=LineKind(
            frozenset().union(*(leg.said.kinds for leg in legs)),
            " | ".join(leg.said.texts for leg in legs),
            legs[0].said.free,
            next((leg.said.wrong for leg in legs if leg.said.wrong), ""),
        ),
        legs=tuple(rows),
        odds=_paid_odds(legs[0].row, writing),
    )


_NOT: Final = dict.fromkeys(_OF_LEGS)


def _is_same(rows: Sequence[_Row], key: str) -> bool:
    return len({row.get(key, "") for row in rows}) == 1 and bool(rows[0].get(key))


def _with_legs_of_cell(line: Line, writing: Writing) -> Line:
    """Return a bet with the legs that its selection lists, each with its odds."""
    if line.legs:
        return line
    odds = _odds(line.row, writing)
    for text in (line.row.get("legs", ""), line.row.get("selection", "")):
        for between in _BETWEEN:
            parts = [part.strip() for part in text.split(between)]
            if not 1 < len(parts) <= _MOST_LEGS:
                continue
            found = [_WITH_ODDS.fullmatch(part) for part in parts]
            if None in found:
                continue
            legs = tuple(_leg(match["name"], match["odds"]) for match in found if match)
            if _is_near(_product(legs, writing), odds):
                return line._replace(legs=legs, row={**line.row, "legs": ""})
    return line


def _leg(name: str, odds: str) -> _Row:
    """Return the cells of a leg such as ``Arsenal v Lens: Lens``."""
    game, colon, selection = name.strip().partition(": ")
    if colon and teams(game) is not None:
        return {"selection": selection.strip(), "match_name": game.strip(), "odds": odds}
    return {"selection": name.strip(), "odds": odds}
