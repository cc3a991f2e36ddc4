"""Single prices of a section judged by every rule, and why some have no true EV."""

from enum import Enum

from oddsdesk.board.matrix import Section
from oddsdesk.board.prices import Price
from oddsdesk.board.valuation import offered
from oddsdesk.pricing.selections import LineGroup
from oddsdesk.pricing.value import Candidate, ReferenceLine, Verdict, is_same_state, judge


class Doubt(Enum):
    """Why a price has no true EV."""

    NO_REFERENCE = "no_reference"
    """The reference prices nothing of the line group."""
    SIDE_MISSING = "side_missing"
    """The reference prices some of the sides only."""
    OVERLAPPING = "overlapping"
    """The outcomes overlap, so no margin can be taken out (D27)."""
    UNREAD = "unread"
    """The selection's text fits no form (D36)."""
    OTHER_BET = "other_bet"
    """The bookmaker bets on something else: with a draw or without (D27)."""
    NO_FAIR_PRICE = "no_fair_price"
    """The devig method has no answer to the reference's prices."""


def verdict_on(section: Section, selection: str, bookmaker: str | None, now_ms: int) -> Verdict:
    """Judge a price of a section by every rule."""
    row = section.row_of(selection)
    price = row.reference if bookmaker is None else row.prices[bookmaker]
    assert price is not None
    candidate = Candidate(
        side_of(section, selection),
        price.odds,
        sides_of(section, bookmaker),
        price.scraped_at,
        price.is_live,
        bookmaker is None,
    )
    return judge(_line(section), candidate, now_ms)


def side_of(section: Section, selection: str) -> str:
    """Return what a selection bets on, empty where its text fits no form."""
    for row, side in zip(section.rows, section.sides, strict=False):
        if row.selection == selection:
            return side
    return ""


def sides_of(section: Section, bookmaker: str | None) -> frozenset[str]:
    """Return the sides that a bookmaker offers in a section."""
    return frozenset(
        side
        for row, side in zip(section.rows, section.sides, strict=False)
        if offered(row.reference if bookmaker is None else row.prices.get(bookmaker)) is not None
    )


def doubt_about(section: Section, bookmaker: str | None, side: str) -> Doubt | None:
    """Return why the prices of a section have no true EV, None where they have one."""
    if not section.sides:
        return Doubt.UNREAD
    if section.key.market_type == "double_chance":
        return Doubt.OVERLAPPING
    if section.reference is None:
        priced = any(offered(row.reference) is not None for row in section.rows)
        return Doubt.SIDE_MISSING if priced else Doubt.NO_REFERENCE
    if bookmaker in section.other_bets or side not in section.reference.prices:
        return Doubt.OTHER_BET
    if section.reference.prices[side].fair_odds is None:
        return Doubt.NO_FAIR_PRICE
    return None


def shares_state(section: Section, price: Price) -> bool:
    """Tell whether a price and its reference are both in play or neither (D30), as far as told."""
    reference = section.reference
    return reference is None or is_same_state(price.is_live, reference.is_live)


def _line(section: Section) -> ReferenceLine:
    """The reference's line group as the rules judge by it, an empty one where there is none."""
    if section.reference is not None:
        return section.reference
    seen = [row.reference.scraped_at for row in section.rows if row.reference is not None]
    group = LineGroup(section.key.group, section.line, (), (), complete=False)
    return ReferenceLine(section.key.market_type, group, {}, None, min(seen, default=0), None)
