"""Single prices of a section judged by every rule, and why some have no true EV."""

from enum import Enum

from oddsdesk.board.figures import offered
from oddsdesk.board.matrix import Section
from oddsdesk.pricing.selections import LineGroup
from oddsdesk.pricing.value import Candidate, ReferenceLine, Verdict, judge


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


def verdict_on(
    section: Section, selection: str, bookmaker: str | None, *, in_play: bool, now_ms: int
) -> Verdict:
    """Judge a price of a section by every rule.

    ``in_play``: whether the game is; a matrix does not say it of single prices.
    """
    line = section.line_of(selection)
    price = line.reference if bookmaker is None else line.prices[bookmaker]
    assert price is not None
    candidate = Candidate(
        side_of(section, selection),
        price.odds,
        sides_of(section, bookmaker),
        price.scraped_at,
        price.is_live or in_play,
        bookmaker is None,
    )
    return judge(_line(section, in_play=in_play), candidate, now_ms)


def side_of(section: Section, selection: str) -> str:
    """Return what a selection bets on, empty where its text fits no form."""
    for line, side in zip(section.lines, section.sides, strict=False):
        if line.selection == selection:
            return side
    return ""


def sides_of(section: Section, bookmaker: str | None) -> frozenset[str]:
    """Return the sides that a bookmaker offers in a section."""
    return frozenset(
        side
        for line, side in zip(section.lines, section.sides, strict=False)
        if offered(line.reference if bookmaker is None else line.prices.get(bookmaker)) is not None
    )


def doubt_about(section: Section, bookmaker: str | None, side: str) -> Doubt | None:
    """Return why the prices of a section have no true EV, None where they have one."""
    if not section.sides:
        return Doubt.UNREAD
    if section.key.market_type == "double_chance":
        return Doubt.OVERLAPPING
    if section.reference is None:
        priced = any(offered(line.reference) is not None for line in section.lines)
        return Doubt.SIDE_MISSING if priced else Doubt.NO_REFERENCE
    if bookmaker in section.other_bets or side not in section.reference.prices:
        return Doubt.OTHER_BET
    if section.reference.prices[side].fair_odds is None:
        return Doubt.NO_FAIR_PRICE
    return None


def _line(section: Section, *, in_play: bool) -> ReferenceLine:
    """The reference's line group as the rules judge by it, an empty one where there is none."""
    held = section.reference
    if held is not None:
        return ReferenceLine(
            held.market_type,
            held.group,
            held.prices,
            held.payout_rate,
            held.scraped_at,
            held.is_live or in_play,
        )
    seen = [line.reference.scraped_at for line in section.lines if line.reference is not None]
    group = LineGroup(section.key.group, section.line, (), (), complete=False)
    return ReferenceLine(section.key.market_type, group, {}, None, min(seen, default=0), in_play)
