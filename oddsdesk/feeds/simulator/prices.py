"""From true probabilities to a bookmaker's prices: margins, opinions and habits."""

from types import MappingProxyType
from typing import Final

from oddsdesk.feeds.simulator.fixtures import BookmakerProfile, Habit
from oddsdesk.feeds.simulator.groups import Axis, Group, MarketKey
from oddsdesk.feeds.simulator.ladders import LADDERS, thousandths

_REFERENCE_MARGIN: Final = MappingProxyType(
    {
        "moneyline": 0.0215,
        "spread": 0.022,
        "total": 0.0225,
        "draw_no_bet": 0.024,
        "btts": 0.026,
        "games_handicap": 0.025,
        "total_games": 0.025,
    }
)
_OTHER_MARGIN: Final = 0.029
_LIVE_MARGIN: Final = 0.004
_FACTOR: Final = MappingProxyType(
    {"moneyline": 1.0, "spread": 0.9, "total": 0.9, "player_prop": 1.6, "3way_handicap": 1.3}
)
_OTHER_FACTOR: Final = 1.15
_SHADE: Final = 0.07
"""The share by which a certain favourite would be shortened beyond the margin; even odds by 0."""


def reference_margin(key: MarketKey, live: bool) -> float:
    """Return S - 1 of the reference's line groups in a market."""
    margin = _REFERENCE_MARGIN.get(key.market_type, _OTHER_MARGIN)
    return margin + _LIVE_MARGIN if live else margin


def reference_prices(group: Group, margin: float) -> list[float]:
    """Return sharp prices: the margin is spread evenly over the outcomes.

    That is the margin-proportional-to-odds form, which the default devig method undoes (D26).
    """
    load = margin * sum(group.probabilities) / len(group.probabilities)
    return [thousandths(1 / (chance + load)) for chance in group.probabilities]


class Pricer:
    """How one bookmaker prices a line group."""

    def __init__(self, profile: BookmakerProfile) -> None:
        self._margin = profile.margin
        self._shade = _SHADE if profile.habit is Habit.SHADER else 0.0
        self._ladder = LADDERS[profile.ladder]

    def margin(self, key: MarketKey, live: bool) -> float:
        """Return S - 1 of this bookmaker's line groups in a market."""
        factor = _FACTOR.get(key.market_type, _OTHER_FACTOR)
        if key.period:
            factor *= 1.15
        return self._margin * (factor * 1.15 if live else factor)

    def prices(
        self, group: Group, margin: float, side_opinion: float, size_opinion: float
    ) -> list[float]:
        """Return prices in the group's order; opinions are relative errors of probability."""
        opinion = side_opinion if group.axis is Axis.SIDE else size_opinion
        chances = group.probabilities
        believed = [
            chance * (1 + opinion * tilt) for chance, tilt in zip(chances, group.tilts, strict=True)
        ]
        total = sum(chances)
        scale = total * (1 + margin) / sum(believed)
        even, shade, ladder = total / len(chances), self._shade, self._ladder
        return [
            ladder(1 / (chance * scale * (1 + shade * max(0.0, chance - even))))
            for chance in believed
        ]

    def copied(self, price: float) -> float:
        """Return a price taken from another bookmaker, a little shorter."""
        return self._ladder(price * 0.99)

    def set_price(self, price: float) -> float:
        """Return a price on this bookmaker's ladder."""
        return self._ladder(price)
