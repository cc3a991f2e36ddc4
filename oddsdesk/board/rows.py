"""The EV of a single price, as every list shows it."""

from typing import Final

from oddsdesk.pricing.rules import safety_floor

UNNAMED_REFERENCE: Final = "reference"
"""What the reference is called until an answer tells its name."""


def ev_pct(odds: float, fair: float, market_type: str) -> float:
    """Return the expected value of a price in percent, safety floor included, unrounded."""
    return (odds / (fair * safety_floor(market_type)) - 1) * 100
