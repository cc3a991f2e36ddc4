"""The contract's quality rules of a value bet: thresholds, floors, and how far each is off."""

import math
from enum import Enum
from typing import Final

import msgspec

from oddsdesk.contract.quotes import CLOCK_TOLERANCE_MS
from oddsdesk.contract.times import MINUTE_MS

MIN_EV: Final = 1.0
MAX_EV: Final = 20.0
CAPPED_EV: Final = 10.0
CAPPED_MARKETS: Final = frozenset({"moneyline", "spread"})
MIN_PAYOUT: Final = 0.99
MAX_PAYOUT: Final = 1.05
MIN_OVERROUND: Final = 1 - 1e-9
"""A reference whose S is below 1 is crossed: backing every side wins. It values nothing (D50)."""
MAX_OVERROUND: Final = 1.05
MAX_RATIO: Final = 1.15
MAX_AGE_MS: Final = 15 * MINUTE_MS
MIN_AGE_MS: Final = -CLOCK_TOLERANCE_MS
"""Of what is said to have been seen later than that from now, nobody knows the age (D84)."""
_FLOOR: Final = 1.01
_PROP_FLOOR: Final = 1.01 * 1.03


class Rule(Enum):
    """What must hold for a price to be a value bet, in the order in which it is explained."""

    OTHER_BOOKMAKER = "other_bookmaker"
    """The reference bookmaker is never the bookmaker (D29)."""
    SAME_STATE = "same_state"
    """In-play is compared with in-play, pre-match with pre-match (D30)."""
    REFERENCE_SIDES = "reference_sides"
    """The reference prices all sides, and they do not overlap (D27)."""
    COMPARABLE = "comparable"
    """The bookmaker bets on the same: a draw priced by both or by neither (D27), no outcome
    unread (D48), overtime counted by both or by neither (D49)."""
    DEVIGGED = "devigged"
    """The devig method gives the selection a fair price."""
    REFERENCE_AGE = "reference_age"
    """Milliseconds since the reference was scraped (D29)."""
    BOOK_AGE = "book_age"
    """Milliseconds since the bookmaker was scraped."""
    OVERROUND = "overround"
    """S of the reference's line group."""
    MIN_EDGE = "min_edge"
    MAX_EDGE = "max_edge"
    EDGE_CAP = "edge_cap"
    """The lower cap of moneyline and spread."""
    PAYOUT = "payout"
    """1/price + 1/reference odds of the other outcomes (D28)."""
    RATIO = "ratio"
    """Price over fair odds before the floor (D26a)."""


class RuleCheck(msgspec.Struct, frozen=True, gc=False):
    """One rule judged on the unrounded figure (D3), thresholds inclusive."""

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


def edge_limit(market_type: str) -> float:
    """Return the highest EV in percent that is not suspicious."""
    return CAPPED_EV if market_type in CAPPED_MARKETS else MAX_EV


def least_edge_factor(market_type: str) -> float:
    """Return the factor between fair odds and the least price that can be value."""
    return safety_floor(market_type) * (1 + MIN_EV / 100)
