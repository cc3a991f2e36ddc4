"""Value bets: the EV of a price and every rule of the contract that stops it or lets it pass."""

import math
import sys
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from oddsdesk.pricing.devig import DEFAULT_METHOD, NotApplicableError, devig, overround
from oddsdesk.pricing.outcomes import DRAW
from oddsdesk.pricing.rules import (
    CAPPED_EV,
    CAPPED_MARKETS,
    MAX_AGE_MS,
    MAX_EV,
    MAX_OVERROUND,
    MAX_PAYOUT,
    MAX_RATIO,
    MIN_AGE_MS,
    MIN_EV,
    MIN_OVERROUND,
    MIN_PAYOUT,
    Rule,
    RuleCheck,
    edge_limit,
    safety_floor,
    within,
)
from oddsdesk.pricing.selections import LineGroup

_LEAST_DECIDED: Final = 1e-6
_OTHER_BOOKMAKER, _SAME_STATE, _REFERENCE_SIDES, _COMPARABLE, _DEVIGGED = (
    (RuleCheck(rule, holds=False), RuleCheck(rule, holds=True))
    for rule in (
        Rule.OTHER_BOOKMAKER,
        Rule.SAME_STATE,
        Rule.REFERENCE_SIDES,
        Rule.COMPARABLE,
        Rule.DEVIGGED,
    )
)
"""Of each rule without a figure the check that fails and the one that holds: all share them."""


class ReferencePrice(NamedTuple):
    """One side as the reference prices it."""

    odds: float
    others: float
    """Sum of 1/odds of the reference's other sides (D28)."""
    fair_odds: float | None
    """Before the safety floor (D26a); None where the method gives none."""


class ReferenceLine(msgspec.Struct, frozen=True, gc=False):
    """A line group as the reference prices it; ``scraped_at`` in milliseconds."""

    market_type: str
    group: LineGroup
    prices: Mapping[str, ReferencePrice]
    """By side; empty where the group is not complete."""
    overround: float | None
    """S; None where the group is not complete."""
    scraped_at: int
    is_live: bool | None
    """Whether it is in play; None where nobody said."""


class Candidate(msgspec.Struct, frozen=True, gc=False):
    """A bookmaker's price that may be value; ``scraped_at`` in milliseconds."""

    side: str
    odds: float
    sides: frozenset[str]
    """All sides that the bookmaker prices in this line group."""
    scraped_at: int
    is_live: bool | None
    """Whether it is in play; None where nobody said."""
    is_reference: bool = False
    settles_alike: bool = True
    """False where unread outcomes or overtime make it another bet (D48, D49)."""


class Verdict(msgspec.Struct, frozen=True, gc=False):
    """What the rules say of a price. Figures are unrounded, None where they cannot be formed.

    ``checks`` are in the order of ``Rule``, without those whose figure cannot be formed:
    then REFERENCE_SIDES or DEVIGGED says why.
    """

    odds: float
    reference_odds: float | None
    overround: float | None
    """S of the reference's line group."""
    fair_odds: float | None
    fair_final: float | None
    """Fair odds times the safety floor."""
    ev_pct: float | None
    payout: float | None
    """Of the market formed by this price and the reference's other sides (D28)."""
    ratio: float | None
    """Price over fair odds."""
    checks: tuple[RuleCheck, ...]

    @property
    def is_value(self) -> bool:
        """Whether every rule holds."""
        return all(check.holds for check in self.checks)

    @property
    def stopped_by(self) -> tuple[RuleCheck, ...]:
        """The rules that do not hold."""
        return tuple(check for check in self.checks if not check.holds)


class PriceWindow(NamedTuple):
    """The prices that are value, ends included, and the rules that set the ends."""

    least: float
    most: float
    least_rule: Rule
    most_rule: Rule


def reference_line(
    market_type: str,
    group: LineGroup,
    odds: Sequence[float],
    *,
    scraped_at: int,
    is_live: bool | None,
    method: str = DEFAULT_METHOD,
) -> ReferenceLine:
    """Devig a line group of the reference; ``odds`` in the order of the group's selections.

    Raises:
        DevigError: unknown method, or odds of a complete group that are no decimal odds.
    """
    if not group.complete:
        return ReferenceLine(market_type, group, {}, None, scraped_at, is_live)
    total = overround(odds)
    try:
        fair_odds: Sequence[float | None] = devig(method, odds).fair_odds
    except NotApplicableError:
        fair_odds = [None] * len(odds)
    implied = [1 / price for price in odds]
    prices = {
        side: ReferencePrice(odds[i], _sum_without(implied, i), fair_odds[i])
        for i, side in enumerate(group.sides)
    }
    return ReferenceLine(market_type, group, prices, total, scraped_at, is_live)


def _sum_without(implied: list[float], index: int) -> float:
    return math.fsum(implied[:index] + implied[index + 1 :])


def judge(
    line: ReferenceLine,
    candidate: Candidate,
    now_ms: int,
    *,
    reference_age_ms: int = MAX_AGE_MS,
    book_age_ms: int = MAX_AGE_MS,
    reference_unread_ms: int = 0,
    book_unread_ms: int = 0,
) -> Verdict:
    """Judge a price by every rule of the contract (D26 to D30), or by stricter ages than its.

    What was unread of an age does not count.
    """
    price = line.prices.get(candidate.side)
    checks = [
        _OTHER_BOOKMAKER[not candidate.is_reference],
        _SAME_STATE[is_same_state(candidate.is_live, line.is_live)],
        _REFERENCE_SIDES[price is not None],
    ]
    ages = (
        _age(Rule.REFERENCE_AGE, now_ms - line.scraped_at, reference_age_ms, reference_unread_ms),
        _age(Rule.BOOK_AGE, now_ms - candidate.scraped_at, book_age_ms, book_unread_ms),
    )
    if price is None or line.overround is None:
        return Verdict(candidate.odds, None, None, None, None, None, None, None, (*checks, *ages))
    checks += (
        _COMPARABLE[candidate.settles_alike and is_comparable(line.group.sides, candidate.sides)],
        _DEVIGGED[price.fair_odds is not None],
        *ages,
        within(Rule.OVERROUND, line.overround, MIN_OVERROUND, MAX_OVERROUND),
    )
    return _judge_price(line, line.overround, price, candidate.odds, checks)


def _age(rule: Rule, age_ms: int, most: int, unread_ms: int) -> RuleCheck:
    """Judge an age; of what a wrong clock saw in the future it is not known, and does not hold."""
    if age_ms < MIN_AGE_MS:
        return RuleCheck(rule, holds=False)
    counted = age_ms - unread_ms
    return RuleCheck(rule, counted <= most, counted, most=most, uncounted=unread_ms)


def _judge_price(
    line: ReferenceLine,
    total: float,
    price: ReferencePrice,
    odds: float,
    checks: list[RuleCheck],
) -> Verdict:
    payout = 1 / odds + price.others
    payout_check = within(Rule.PAYOUT, payout, MIN_PAYOUT, MAX_PAYOUT)
    fair = price.fair_odds
    if fair is None:
        return Verdict(
            odds, price.odds, total, None, None, None, payout, None, (*checks, payout_check)
        )
    final = fair * safety_floor(line.market_type)
    ev = min((odds / final - 1) * 100, sys.float_info.max)
    ratio = odds / fair
    checks.append(within(Rule.MIN_EDGE, ev, least=MIN_EV))
    checks.append(within(Rule.MAX_EDGE, ev, most=MAX_EV))
    if line.market_type in CAPPED_MARKETS:
        checks.append(within(Rule.EDGE_CAP, ev, most=CAPPED_EV))
    checks.append(payout_check)
    checks.append(within(Rule.RATIO, ratio, most=MAX_RATIO))
    return Verdict(odds, price.odds, total, fair, final, ev, payout, ratio, tuple(checks))


def is_same_state(one: bool | None, other: bool | None) -> bool:
    """Tell whether two prices are both in play or neither, as far as that is known (D30)."""
    return one is None or other is None or one == other


def is_comparable(reference_sides: Sequence[str], book_sides: frozenset[str]) -> bool:
    """Tell whether a bookmaker bets on what the reference prices (D27).

    It may price some of the sides only; but not a draw that the reference does not price,
    nor all teams without the draw that the reference prices.
    """
    if DRAW not in reference_sides:
        return DRAW not in book_sides
    return DRAW in book_sides or any(
        side != DRAW and side not in book_sides for side in reference_sides
    )


def price_window(line: ReferenceLine, side: str, decided: float = 1.0) -> PriceWindow | None:
    """Return the prices of a side that the price rules let pass, None where none can.

    Ages, in-play and comparability are not looked at. ``decided`` is the share of the stake that
    is won or lost on average: the least edge is asked of a unit staked (D53).
    """
    price = line.prices.get(side)
    if price is None or price.fair_odds is None or line.overround is None:
        return None
    is_usable = MIN_OVERROUND <= line.overround <= MAX_OVERROUND
    if not is_usable or price.others >= MAX_PAYOUT:
        return None
    fair, final = price.fair_odds, price.fair_odds * safety_floor(line.market_type)
    limit = edge_limit(line.market_type)
    cap_rule = Rule.EDGE_CAP if line.market_type in CAPPED_MARKETS else Rule.MAX_EDGE
    least, least_rule = max(
        (final * (1 + MIN_EV / 100 / max(decided, _LEAST_DECIDED)), Rule.MIN_EDGE),
        (1 / (MAX_PAYOUT - price.others), Rule.PAYOUT),
        key=_end,
    )
    most, most_rule = min(
        (final * (1 + limit / 100), cap_rule),
        (_highest_by_payout(price.others), Rule.PAYOUT),
        (fair * MAX_RATIO, Rule.RATIO),
        key=_end,
    )
    return PriceWindow(least, most, least_rule, most_rule) if least <= most else None


def suspicious_above(line: ReferenceLine, side: str) -> float | None:
    """Return the net odds above which the rules call a price of a side an error.

    It is known without a window too: a reference that keeps too much leaves no value, but it
    shows an error. None without fair odds, and of a crossed reference, which values nothing (D50).
    """
    price = line.prices.get(side)
    if price is None or price.fair_odds is None or line.overround is None:
        return None
    if line.overround < MIN_OVERROUND:
        return None
    return highest_unsuspicious(line.market_type, price.fair_odds, price.others)


def highest_unsuspicious(market_type: str, fair_odds: float, others: float) -> float:
    """Return the net odds of an outcome above which the rules call a price an error.

    ``others`` is the sum of 1/odds of the reference's other sides.
    """
    limit = 1 + edge_limit(market_type) / 100
    by_edge = fair_odds * min(safety_floor(market_type) * limit, MAX_RATIO)
    return min(by_edge, _highest_by_payout(others))


def _highest_by_payout(others: float) -> float:
    room = MIN_PAYOUT - others
    return 1 / room if room > 0 else math.inf


def _end(end: tuple[float, Rule]) -> float:
    return end[0]
