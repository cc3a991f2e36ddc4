"""Which formula a service used for its value bets, found out from its own rows (D26)."""

from collections.abc import Callable
from typing import Final, NamedTuple

from oddsdesk.contract.resources import ValueBet
from oddsdesk.pricing.devig import DEFAULT_METHOD, PUBLISHED

_ROUNDED: Final = 5e-5
"""Half a unit of the fourth decimal, to which fair odds and S are rounded (D3)."""

_PROBABILITY: Final[dict[str, Callable[[float, float, int], float]]] = {
    DEFAULT_METHOD: lambda implied, s, n: implied - (s - 1) / n,
    PUBLISHED: lambda implied, s, n: implied - (1 / s - 1) / n,
    "multiplicative": lambda implied, s, n: implied / s,
}
"""The methods that need nothing but the price, S and N; see ``pricing.devig``."""


class Audit(NamedTuple):
    """What one row of a service gives away."""

    outcomes: int
    """N that fits, the first candidate where none does."""
    formula: str | None
    """The method that fits ``fair_odds``; None where none of the three does."""
    floor: float
    """Safety floor that lies between ``fair_odds`` and ``ev_pct``."""


def audit(bet: ValueBet, counts: tuple[int, ...]) -> Audit:
    """Find out how a row was reckoned; ``counts`` are the N that it may have, likeliest first."""
    floor = bet.odds / (1 + bet.ev_pct / 100) / bet.fair_odds
    for formula in _PROBABILITY:
        for outcomes in counts:
            fair = fair_odds(formula, bet.reference_odds, bet.payout_rate, outcomes)
            if fair is not None and abs(fair - bet.fair_odds) <= _tolerance(fair):
                return Audit(outcomes, formula, floor)
    return Audit(counts[0], None, floor)


def fair_odds(formula: str, reference_odds: float, s: float, outcomes: int) -> float | None:
    """Return the devigged price of one outcome; None where its probability is not in (0, 1)."""
    probability = _PROBABILITY[formula](1 / reference_odds, s, outcomes)
    return 1 / probability if 0 < probability < 1 else None


def _tolerance(fair: float) -> float:
    """How far two equal fair prices may lie apart by rounding of the price and of S."""
    return 1.1 * _ROUNDED * (1 + fair * fair)
