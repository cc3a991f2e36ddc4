"""Value bets: the EV of a price and every rule of the contract that stops it or lets it pass.

Two figures are worked out here and nowhere else. ``expected_value`` is EV as the field means it,
and what people are shown. ``floored_ev`` has the contract's safety floor divided in; it is
``ev_pct`` in JSON, in files and on the wire. For people the floor is a rule: a part of the
minimum EV.
"""

import math
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import Final, Literal, NamedTuple

import msgspec

from oddsdesk.contract.markets import DRAW_VOIDS, HANDICAPS
from oddsdesk.contract.quotes import CLOCK_TOLERANCE_MS
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.pricing.devig import DEFAULT_METHOD, NotApplicableError, devig, overround
from oddsdesk.pricing.selections import (
    DRAW,
    HOME,
    OVER,
    LineGroup,
    number_hit,
    push_probability,
    threshold,
)
from oddsdesk.pricing.stakes import odds_against

MIN_EV: Final = 1.0
MAX_EV: Final = 20.0
CAPPED_EV: Final = 10.0
CAPPED_MARKETS: Final = frozenset({"moneyline", "spread"})
MIN_PAYOUT: Final = 0.99
MAX_PAYOUT: Final = 1.05
MIN_OVERROUND: Final = 1 - 1e-9
"""A sharp book whose prices add up to less than 100 % is crossed and values nothing."""
MAX_OVERROUND: Final = 1.05
MAX_RATIO: Final = 1.15
MAX_AGE_MS: Final = 15 * MINUTE_MS
MIN_AGE_MS: Final = -CLOCK_TOLERANCE_MS
"""The age of a price from further in the future than this is unknown."""
_FLOOR: Final = 1.01
_PROP_FLOOR: Final = 1.01 * 1.03


class Rule(Enum):
    """A condition for a value bet, in the order in which Explain lists them."""

    OTHER_BOOKMAKER = "other_bookmaker"
    """The bookmaker is not the sharp book."""
    SAME_STATE = "same_state"
    """In-play is compared with in-play, pre-match with pre-match."""
    REFERENCE_SIDES = "reference_sides"
    """The sharp book prices all sides, and they do not overlap."""
    COMPARABLE = "comparable"
    """The bookmaker bets on the same: a draw priced by both or by neither, no outcome
    unread, overtime counted by both or by neither."""
    DEVIGGED = "devigged"
    """The devig method gives the selection a fair price."""
    ABOVE_REFERENCE = "above_reference"
    """Odds above what the sharp book itself offers on the same bet. Only judged on derived lines:
    on lines that it prices itself, its margin ensures this."""
    REFERENCE_AGE = "reference_age"
    """Milliseconds since the sharp book was scraped."""
    BOOK_AGE = "book_age"
    """Milliseconds since the bookmaker was scraped."""
    OVERROUND = "overround"
    """Sum of 1/odds in the sharp book's line group."""
    MIN_EDGE = "min_edge"
    """The minimum EV, of a modelled price at the low end of its band. The figures of this
    and of the next two are EV, without the floor."""
    MAX_EDGE = "max_edge"
    EDGE_CAP = "edge_cap"
    """The lower cap of moneyline and spread."""
    PAYOUT = "payout"
    """1/price plus 1/odds of the sharp book's other outcomes. Not judged on derived lines."""
    RATIO = "ratio"
    """Price over fair odds before the floor."""


PRICE_RULES: Final = frozenset(
    {
        Rule.ABOVE_REFERENCE,
        Rule.REFERENCE_AGE,
        Rule.BOOK_AGE,
        Rule.OVERROUND,
        Rule.MAX_EDGE,
        Rule.EDGE_CAP,
        Rule.PAYOUT,
        Rule.RATIO,
    }
)
"""The rules that a list may leave out: without the others a price has no EV, or none of this bet.
The minimum EV can be any figure instead."""


class RuleCheck(msgspec.Struct, frozen=True, gc=False):
    """One rule judged on the unrounded figure, thresholds inclusive."""

    rule: Rule
    holds: bool
    figure: float | None = None
    """None for rules that only hold or do not."""
    least: float | None = None
    most: float | None = None
    uncounted: float = 0.0
    """What of an age the figure leaves out."""

    @property
    def margin(self) -> float | None:
        """Distance to the nearer threshold in the figure's unit; negative where the rule fails."""
        if self.figure is None:
            return None
        below = math.inf if self.least is None else self.figure - self.least
        above = math.inf if self.most is None else self.most - self.figure
        return min(below, above)


def within(
    rule: Rule, figure: float, least: float | None = None, most: float | None = None
) -> RuleCheck:
    """Judge a figure against inclusive thresholds."""
    holds = (least is None or figure >= least) and (most is None or figure <= most)
    return RuleCheck(rule, holds, figure, least, most)


def safety_floor(market_type: str) -> float:
    """Return the factor between fair odds and the price that EV is measured from."""
    return _PROP_FLOOR if market_type == "player_prop" else _FLOOR


class ListRules(msgspec.Struct, frozen=True, kw_only=True):
    """The rules that a price must pass to be a listed value bet. The defaults are the service's.

    Edges are EV in percent after the floor. Those who think in EV use ``own_rules``.
    """

    floor: float = _FLOOR
    """Factor between fair odds and the odds that edges are measured from."""
    prop_floor: float = _PROP_FLOOR
    """The same for player props."""
    min_edge: float = MIN_EV
    min_prop_edge: float = MIN_EV
    max_edge: float = MAX_EV
    capped_edge: float = CAPPED_EV
    """The lower limit of moneyline and spread."""
    max_ratio: float = MAX_RATIO
    """Odds over fair odds."""
    min_payout: float = MIN_PAYOUT
    """1/price + 1/sharp odds of the other sides."""
    max_payout: float = MAX_PAYOUT
    max_overround: float = MAX_OVERROUND
    max_age_ms: int = MAX_AGE_MS
    max_age_in_play_ms: int = MAX_AGE_MS
    off: frozenset[Rule] = frozenset()
    """Rules that are not looked at, of ``PRICE_RULES``. Without ``OVERROUND``, a sharp book whose
    prices add up to less than 100 % values prices, too."""

    @property
    def are_services(self) -> bool:
        """Whether they are the service's."""
        return self == SERVICE_RULES

    @property
    def asks_less_of_pushes(self) -> bool:
        """Whether a line that can push may have lower odds over fair odds than one that cannot."""
        return min(self.min_edge, self.min_prop_edge) < 0

    def floor_of(self, market_type: str) -> float:
        """Return the floor of a market."""
        return self.prop_floor if market_type == "player_prop" else self.floor

    def min_edge_of(self, market_type: str) -> float:
        """Return the least edge of a market."""
        return self.min_prop_edge if market_type == "player_prop" else self.min_edge

    def minimum_ev(self, market_type: str, decided: float = 1.0) -> float:
        """Return the least EV in percent of a unit staked.

        On lines that can push it is lower: the floor is asked of the part that is decided.
        """
        floor = self.floor_of(market_type)
        return self.min_edge_of(market_type) * floor + (floor - 1) * 100 * decided

    def least_net(self, market_type: str, fair_odds: float, decided: float = 1.0) -> float:
        """Return the net odds at which a price has the minimum EV."""
        edge = self.min_edge_of(market_type) / 100 / max(decided, _LEAST_DECIDED)
        return fair_odds * self.floor_of(market_type) * (1 + edge)

    def is_capped(self, market_type: str) -> bool:
        """Return whether a market has the lower limit."""
        return market_type in CAPPED_MARKETS and Rule.EDGE_CAP not in self.off

    def edge_limit(self, market_type: str) -> float:
        """Return the highest edge that is not suspicious."""
        if self.is_capped(market_type):
            return self.capped_edge
        return math.inf if Rule.MAX_EDGE in self.off else self.max_edge

    def max_age_of(self, in_play: bool | None) -> int:
        """Return how old a price may be, in milliseconds."""
        return self.max_age_in_play_ms if in_play else self.max_age_ms


_LEAST_DECIDED: Final = 1e-6
_ABOVE: Final = 1 + 1e-6
"""Odds times this are higher than the odds, in any number of decimals shown."""
SERVICE_RULES: Final = ListRules()


def own_rules(
    *,
    min_ev: float | None = None,
    min_prop_ev: float | None = None,
    max_ev: float | None = None,
    max_main_ev: float | None = None,
    max_margin: float | None = None,
    min_margin: float | None = None,
    max_age_s: float | None = None,
    max_age_in_play_s: float | None = None,
) -> ListRules:
    """Return rules given in EV and margins, in percent; None keeps the service's.

    Args:
        min_ev: The minimum EV. Of it, at most the service's safety margin is asked of the fair
            odds; the rest is asked of a unit staked.
        min_prop_ev: The same for player props.
        max_ev: How far odds may be above fair odds.
        max_main_ev: The same for moneyline and spread.
        max_margin: The largest margin of the sharp book, and of a price with its other sides.
        min_margin: The smallest margin of a price with the sharp book's other sides.
        max_age_s: The oldest price before the game.
        max_age_in_play_s: The oldest price in play.
    """
    changed: dict[str, float] = {}
    for asked, edge, name, floor in (
        (min_ev, "min_edge", "floor", _FLOOR),
        (min_prop_ev, "min_prop_edge", "prop_floor", _PROP_FLOOR),
    ):
        if asked is not None:
            factor = 1 + asked / 100
            changed[name] = min(floor, factor)
            changed[edge] = (factor / changed[name] - 1) * 100
    if max_ev is not None:
        changed |= {"max_ratio": 1 + max_ev / 100, "max_edge": max_ev}
    if max_main_ev is not None:
        changed["capped_edge"] = ((1 + max_main_ev / 100) / _FLOOR - 1) * 100
    if max_margin is not None:
        changed |= {"max_overround": 1 + max_margin / 100, "max_payout": 1 + max_margin / 100}
    if min_margin is not None:
        changed["min_payout"] = 1 + min_margin / 100
    if max_age_s is not None:
        changed["max_age_ms"] = round(max_age_s * 1_000)
    if max_age_in_play_s is not None:
        changed["max_age_in_play_ms"] = round(max_age_in_play_s * 1_000)
    return msgspec.structs.replace(SERVICE_RULES, **changed)


def expected_value(net_odds: float, fair_odds: float, decided: float = 1.0) -> float:
    """Return the EV in percent of a unit staked: net odds over fair odds, minus 1.

    ``decided`` is the share of the stake that is won or lost on average.
    """
    return min((net_odds / fair_odds - 1) * 100, sys.float_info.max) * decided


def floored_ev(net_odds: float, fair_odds: float, market_type: str, decided: float = 1.0) -> float:
    """Return ``expected_value`` against fair odds times the safety floor: the contract's figure."""
    return expected_value(net_odds, fair_odds * safety_floor(market_type), decided)


def floored_from(ev: float, market_type: str, decided: float = 1.0) -> float:
    """Return ``floored_ev`` of a price whose ``expected_value`` is known."""
    floor = safety_floor(market_type)
    return (ev - (floor - 1) * 100 * decided) / floor


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

    odds: float | None
    """None where the line is derived."""
    others: float
    """Sum of 1/odds of the reference's other sides; 0 where the line is derived."""
    fair_odds: float | None
    """Before the safety floor; None where the method gives none."""


class LineName(NamedTuple):
    """A line group of a game's period; ``key`` as ``LineGroup.key``."""

    market_type: str
    key: str


DerivedKind = Literal["implied", "modelled"]
"""``implied``: by arithmetic. ``modelled``: by a model of the score, which can be wrong."""
DerivedChoice = Literal["all", "implied", "none"]
"""Which derived prices are wanted."""


def is_derived_wanted(choice: DerivedChoice, kind: DerivedKind | None) -> bool:
    """Return whether a kind of price is wanted; None, the reference's own line, always is."""
    return kind is None or choice == "all" or choice == kind


class Derived(msgspec.Struct, frozen=True, gc=False):
    """How the fair odds of a line follow from other lines of the reference."""

    kind: DerivedKind
    sources: tuple[LineName, ...]
    """The reference's lines that it follows from; if modelled, all that the model was fitted to."""
    push: float
    """The chance that the stake is returned, or that a quarter line returns half of it."""
    bands: Mapping[str, float]
    """By side, by how much the probability may be wrong either way; empty where implied."""
    own_odds: Mapping[str, float] = {}
    """By side, the best odds at which the reference itself offers the same bet, in an incomplete
    line or another market. Sides that it does not offer are missing."""


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
    derived: Derived | None = None
    """How its fair odds were derived; None for a line that the reference prices itself."""

    def cautious_odds(self, side: str) -> float | None:
        """Return the fair odds of a side at the low end of its band; None without any.

        They are the fair odds themselves unless modelled, and infinite if the band includes 0.
        """
        price = self.prices.get(side)
        fair = None if price is None else price.fair_odds
        band = 0.0 if self.derived is None else self.derived.bands.get(side, 0.0)
        if fair is None or not band:
            return fair
        chance = 1 / fair - band
        return 1 / chance if chance > 0 else math.inf


def line_against(line: ReferenceLine, side: str) -> tuple[ReferenceLine, str]:
    """Return the line and the side that a lay of a side is a back of.

    Of two sides it is the other one. Of three, the other two together: their fair odds follow from
    those of the side, and the reference itself offers them at what its own two prices pay.
    """
    others = [each for each in line.group.sides if each != side]
    if len(others) == 1:
        return line, others[0]
    price, other = line.prices.get(side), f"not {side}"
    if price is None:
        return line, other
    derived = line.derived
    kind: DerivedKind = "implied" if derived is None else derived.kind
    bands = {} if derived is None else derived.bands
    fair = None if price.fair_odds is None or price.fair_odds <= 1 else price.fair_odds
    others_odds = {other: 1 / price.others} if price.others else {}
    return (
        msgspec.structs.replace(
            line,
            market_type="double_chance",
            prices={other: ReferencePrice(None, 0.0, fair and odds_against(fair))},
            derived=Derived(
                kind,
                (LineName(line.market_type, line.group.key),),
                0.0 if derived is None else derived.push,
                {other: bands[side]} if side in bands else {},
                others_odds if derived is None else {},
            ),
        ),
        other,
    )


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
    """False where unread outcomes or overtime make it another bet."""


class Verdict(msgspec.Struct, frozen=True, gc=False):
    """What the rules say of a price. Figures are unrounded, None where they cannot be formed.

    ``checks`` are in the order of ``Rule``, without those whose figure cannot be formed:
    then REFERENCE_SIDES or DEVIGGED says why.
    """

    odds: float
    reference_odds: float | None
    """None where the line is derived, too."""
    overround: float | None
    """Sum of 1/odds in the sharp book's line group; of derived lines, as ``FairGame.line``."""
    fair_odds: float | None
    fair_final: float | None
    """Fair odds times the safety floor."""
    ev_pct: float | None
    """``floored_ev``."""
    payout: float | None
    """The overround of this price with the reference's other sides; None for a derived line."""
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
        side: ReferencePrice(odds[i], math.fsum(implied[:i] + implied[i + 1 :]), fair_odds[i])
        for i, side in enumerate(group.sides)
    }
    return ReferenceLine(market_type, group, prices, total, scraped_at, is_live)


def judge_candidate(
    line: ReferenceLine,
    candidate: Candidate,
    now_ms: int,
    *,
    rules: ListRules = SERVICE_RULES,
    reference_age_ms: int = MAX_AGE_MS,
    book_age_ms: int = MAX_AGE_MS,
    reference_unread_ms: int = 0,
    book_unread_ms: int = 0,
) -> Verdict:
    """Judge a price by every rule of a list; the caller gives the ages that hold for it.

    What was unread of an age does not count.
    """
    verdict = _judge(
        line,
        candidate,
        rules,
        (
            _age(
                Rule.REFERENCE_AGE, now_ms - line.scraped_at, reference_age_ms, reference_unread_ms
            ),
            _age(Rule.BOOK_AGE, now_ms - candidate.scraped_at, book_age_ms, book_unread_ms),
        ),
    )
    if not rules.off:
        return verdict
    checks = tuple(check for check in verdict.checks if check.rule not in rules.off)
    return msgspec.structs.replace(verdict, checks=checks)


def _judge(
    line: ReferenceLine, candidate: Candidate, rules: ListRules, ages: tuple[RuleCheck, RuleCheck]
) -> Verdict:
    """Judge a price by every rule, also by those that are off."""
    price = line.prices.get(candidate.side)
    checks = [
        _OTHER_BOOKMAKER[not candidate.is_reference],
        _SAME_STATE[is_same_state(candidate.is_live, line.is_live)],
        _REFERENCE_SIDES[price is not None],
    ]
    if price is None or line.overround is None:
        return Verdict(candidate.odds, None, None, None, None, None, None, None, (*checks, *ages))
    checks += (
        _COMPARABLE[candidate.settles_alike and is_comparable(line.group.sides, candidate.sides)],
        _DEVIGGED[price.fair_odds is not None],
        *ages,
        within(Rule.OVERROUND, line.overround, MIN_OVERROUND, rules.max_overround),
    )
    return _judge_price(line, line.overround, candidate, checks, rules)


def _age(rule: Rule, age_ms: int, most: int, unread_ms: int) -> RuleCheck:
    """Judge an age; of what a wrong clock saw in the future it is not known, and does not hold."""
    if age_ms < MIN_AGE_MS:
        return RuleCheck(rule, holds=False)
    counted = age_ms - unread_ms
    return RuleCheck(rule, counted <= most, counted, most=most, uncounted=unread_ms)


def _judge_price(
    line: ReferenceLine,
    total: float,
    candidate: Candidate,
    checks: list[RuleCheck],
    rules: ListRules,
) -> Verdict:
    price, odds = line.prices[candidate.side], candidate.odds
    payout, payout_checks = None, list[RuleCheck]()
    if line.derived is None:
        payout = 1 / odds + price.others
        payout_checks.append(within(Rule.PAYOUT, payout, rules.min_payout, rules.max_payout))
    fair, cautious = price.fair_odds, line.cautious_odds(candidate.side)
    if fair is None or cautious is None:
        checks += payout_checks
        return Verdict(odds, price.odds, total, None, None, None, payout, None, tuple(checks))
    market_type, floor = line.market_type, safety_floor(line.market_type)
    final, ratio, ev = fair * floor, odds / fair, floored_ev(odds, fair, market_type)
    shown = expected_value(odds, fair)
    own = None if line.derived is None else line.derived.own_odds.get(candidate.side)
    if own is not None:
        checks.append(RuleCheck(Rule.ABOVE_REFERENCE, odds > own, odds, least=own))
    checks.append(edge_check(rules, market_type, odds, cautious))
    checks.append(_edge_cap(Rule.MAX_EDGE, ev, shown, rules.max_edge, floor))
    if market_type in CAPPED_MARKETS:
        checks.append(_edge_cap(Rule.EDGE_CAP, ev, shown, rules.capped_edge, floor))
    checks += payout_checks
    checks.append(within(Rule.RATIO, ratio, most=rules.max_ratio))
    return Verdict(odds, price.odds, total, fair, final, ev, payout, ratio, tuple(checks))


def edge_check(
    rules: ListRules, market_type: str, net_odds: float, fair_odds: float, decided: float = 1.0
) -> RuleCheck:
    """Judge the minimum EV: by the edge after the floor, shown as EV.

    ``fair_odds`` are ``ReferenceLine.cautious_odds``.
    """
    edge = expected_value(net_odds, fair_odds * rules.floor_of(market_type), decided)
    return RuleCheck(
        Rule.MIN_EDGE,
        edge >= rules.min_edge_of(market_type),
        expected_value(net_odds, fair_odds, decided),
        least=rules.minimum_ev(market_type, decided),
    )


def _edge_cap(rule: Rule, ev_pct: float, ev: float, most: float, floor: float) -> RuleCheck:
    return RuleCheck(rule, ev_pct <= most, ev, most=((1 + most / 100) * floor - 1) * 100)


def is_same_state(one: bool | None, other: bool | None) -> bool:
    """Tell whether two prices are both in play or neither, as far as that is known."""
    return one is None or other is None or one == other


def is_comparable(reference_sides: Sequence[str], book_sides: frozenset[str]) -> bool:
    """Tell whether a bookmaker bets on what the reference prices.

    It may price some of the sides only; but not a draw that the reference does not price,
    nor all teams without the draw that the reference prices.
    """
    if DRAW not in reference_sides:
        return DRAW not in book_sides
    return DRAW in book_sides or any(
        side != DRAW and side not in book_sides for side in reference_sides
    )


def price_window(
    line: ReferenceLine, side: str, decided: float = 1.0, rules: ListRules = SERVICE_RULES
) -> PriceWindow | None:
    """Return the prices of a side that the price rules let pass, None where none can.

    Of a modelled price the least is from the low end of its band, the most from its
    middle. Ages, in-play and comparability are not looked at. ``decided`` is the share of the
    stake that is won or lost on average: the least edge is asked of a unit staked.
    """
    price, cautious = line.prices.get(side), line.cautious_odds(side)
    if price is None or price.fair_odds is None or cautious is None or line.overround is None:
        return None
    off = rules.off
    is_usable = MIN_OVERROUND <= line.overround <= rules.max_overround
    has_payout = line.derived is None and Rule.PAYOUT not in off
    if not (is_usable or Rule.OVERROUND in off) or (
        has_payout and price.others >= rules.max_payout
    ):
        return None
    fair, final = price.fair_odds, price.fair_odds * safety_floor(line.market_type)
    limit = rules.edge_limit(line.market_type)
    cap_rule = Rule.EDGE_CAP if rules.is_capped(line.market_type) else Rule.MAX_EDGE
    leasts = [(rules.least_net(line.market_type, cautious, decided), Rule.MIN_EDGE)]
    mosts = [
        (final * (1 + limit / 100), cap_rule),
        (math.inf if Rule.RATIO in off else fair * rules.max_ratio, Rule.RATIO),
    ]
    if (
        line.derived is not None
        and side in line.derived.own_odds
        and Rule.ABOVE_REFERENCE not in off
    ):
        leasts.append((line.derived.own_odds[side] * _ABOVE, Rule.ABOVE_REFERENCE))
    if has_payout:
        leasts.append((1 / (rules.max_payout - price.others), Rule.PAYOUT))
        mosts.insert(1, (_highest_by_payout(price.others, rules), Rule.PAYOUT))
    (least, least_rule), (most, most_rule) = max(leasts, key=_end), min(mosts, key=_end)
    return PriceWindow(least, most, least_rule, most_rule) if least <= most else None


def suspicious_above(
    line: ReferenceLine, side: str, rules: ListRules = SERVICE_RULES
) -> float | None:
    """Return the net odds above which the rules call a price of a side an error.

    This works without a window of value too: a reference with too wide a margin shows no value, but
    still shows errors. A modelled price may be wrong by its band: an error is what is too high even
    by its unfavourable end. None without fair odds, where the band includes 0, or for a crossed
    reference, which values nothing.
    """
    price, fair = line.prices.get(side), line.cautious_odds(side)
    if price is None or fair is None or fair == math.inf or line.overround is None:
        return None
    if line.overround < MIN_OVERROUND and Rule.OVERROUND not in rules.off:
        return None
    others = price.others if line.derived is None else None
    return highest_unsuspicious(line.market_type, fair, others, rules)


def highest_unsuspicious(
    market_type: str, fair_odds: float, others: float | None, rules: ListRules = SERVICE_RULES
) -> float:
    """Return the net odds of an outcome above which the rules call a price an error.

    ``others`` is the sum of 1/odds of the reference's other sides; None where the line is derived.
    """
    limit = 1 + rules.edge_limit(market_type) / 100
    ratio = math.inf if Rule.RATIO in rules.off else rules.max_ratio
    by_edge = fair_odds * min(safety_floor(market_type) * limit, ratio)
    if others is None or Rule.PAYOUT in rules.off:
        return by_edge
    return min(by_edge, _highest_by_payout(others, rules))


def _highest_by_payout(others: float, rules: ListRules) -> float:
    room = rules.min_payout - others
    return 1 / room if room > 0 else math.inf


def _end(end: tuple[float, Rule]) -> float:
    return end[0]


class Pushes:
    """The probability of each whole number of one market, from the half lines around it.

    ``draw`` is the probability of a draw by the three-way moneyline of the same period before
    kick-off, None where it is not known.
    """

    def __init__(self, lines: Iterable[ReferenceLine], draw: float | None) -> None:
        self._draw = draw
        self._ladders = ladders(lines)

    def push_chance(self, line: ReferenceLine, *, in_play: bool) -> float | None:
        """Return the probability of a push; 0 for a half line, None where it is not known.

        In play it is never taken from ``draw``: the score so far counts then.
        """
        draw = None if in_play else self._draw
        if line.market_type in DRAW_VOIDS:
            return draw
        above = threshold(line.market_type, line.group.line)
        number = None if above is None else number_hit(above)
        if number is None:
            return 0.0
        if number == 0 and line.market_type == "spread" and draw is not None:
            return draw
        return push_probability(self._ladders.get(subject(line.group.key), {}), number)


def ladders(lines: Iterable[ReferenceLine]) -> Mapping[str, Mapping[float, float]]:
    """Return how likely each line of a market is passed, by what it is about."""
    found: defaultdict[str, dict[float, float]] = defaultdict(dict)
    for line in lines:
        above = threshold(line.market_type, line.group.line)
        upper = line.prices.get(HOME if line.market_type in HANDICAPS else OVER)
        if above is not None and upper is not None and upper.fair_odds is not None:
            found[subject(line.group.key)][above] = 1 / upper.fair_odds
    return found


def subject(group: str) -> str:
    """Return what a line group counts, apart from its line: a team, a player's shots."""
    return group.rpartition(" ")[0]


def can_push(market_type: str, line: float | None) -> bool:
    """Return whether all or half of a stake may come back; ``line`` as ``LineGroup.line``."""
    above = threshold(market_type, line)
    return market_type in DRAW_VOIDS or (above is not None and number_hit(above) is not None)
