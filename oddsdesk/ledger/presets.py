"""Presets: named filters of value bets."""

from typing import Final

import msgspec

from oddsdesk.contract.markets import MARKET_TYPES
from oddsdesk.pricing.rules import MIN_EV


class ValueFilter(msgspec.Struct, frozen=True):
    """Which value bets are shown; an empty tuple lets everything of its kind pass."""

    sports: tuple[str, ...] = ()
    market_types: tuple[str, ...] = ()
    bookmakers: tuple[str, ...] = ()
    min_true_ev: float = MIN_EV
    """In percent, safety floor included."""
    min_odds: float | None = None
    max_odds: float | None = None
    in_play: bool | None = None
    """True: only games in play; False: only games that have not begun."""

    def passes(
        self,
        *,
        sport: str,
        market_type: str,
        bookmaker: str,
        odds: float,
        true_ev: float | None,
        is_live: bool,
    ) -> bool:
        """Tell whether a value bet is shown; one without a true EV is not."""
        return (
            (not self.sports or sport in self.sports)
            and (not self.market_types or market_type in self.market_types)
            and (not self.bookmakers or bookmaker in self.bookmakers)
            and true_ev is not None
            and true_ev >= self.min_true_ev
            and (self.min_odds is None or odds >= self.min_odds)
            and (self.max_odds is None or odds <= self.max_odds)
            and self.in_play in (None, is_live)
        )


class Preset(msgspec.Struct, frozen=True):
    """A filter with a name."""

    name: str
    filter: ValueFilter


MAIN_MARKETS: Final = ("moneyline", "spread", "total")
assert set(MAIN_MARKETS) <= set(MARKET_TYPES)
BUILT_IN: Final = (
    Preset("All value bets", ValueFilter()),
    Preset("Main markets", ValueFilter(market_types=MAIN_MARKETS)),
    Preset("Before kick-off", ValueFilter(in_play=False)),
    Preset("In play", ValueFilter(in_play=True)),
    Preset("Short prices", ValueFilter(max_odds=3.0)),
)
"""Presets that are always there; the user's own come after them."""
