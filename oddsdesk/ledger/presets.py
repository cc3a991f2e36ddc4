"""Presets: named filters of value bets."""

from typing import Final

import msgspec

from oddsdesk.contract.markets import MARKET_TYPES
from oddsdesk.pricing.rules import MIN_EV


class ValueFilter(msgspec.Struct, frozen=True):
    """Which value bets are shown; an empty tuple, and None, let everything of their kind pass."""

    sports: tuple[str, ...] = ()
    market_types: tuple[str, ...] = ()
    bookmakers: tuple[str, ...] = ()
    min_true_ev: float = MIN_EV
    """In percent, safety floor included."""
    min_odds: float | None = None
    max_odds: float | None = None
    in_play: bool | None = None
    """True: only games in play; False: only games that have not begun."""
    competitions: tuple[str, ...] = ()
    max_true_ev: float | None = None
    """In percent: more is too good to be true."""
    max_hours_ahead: float | None = None
    """Games that begin within so many hours; one without a kick-off is not among them."""
    min_limit: float | None = None
    """In the user's money: bookmakers that are noted to take less are left out (D55)."""
    max_age_s: float | None = None
    """Since a price was seen; one of unknown age is not shown."""

    @property
    def depends_on_time(self) -> bool:
        """Whether a price may cease to pass without changing."""
        return self.max_hours_ahead is not None or self.max_age_s is not None

    def passes(
        self,
        *,
        sport: str,
        competition: str,
        market_type: str,
        bookmaker: str,
        odds: float,
        true_ev: float | None,
        is_live: bool,
        hours_ahead: float | None = None,
        age_s: float | None = None,
        limit: float | None = None,
    ) -> bool:
        """Tell whether a value bet is shown; one without a true EV is not.

        ``hours_ahead`` is until kick-off, ``age_s`` since the price was seen, ``limit`` what the
        bookmaker takes as the user noted it; None where that is not known.
        """
        return (
            (not self.sports or sport in self.sports)
            and (not self.competitions or competition in self.competitions)
            and (not self.market_types or market_type in self.market_types)
            and (not self.bookmakers or bookmaker in self.bookmakers)
            and self.in_play in (None, is_live)
            and true_ev is not None
            and _lies(true_ev, self.min_true_ev, self.max_true_ev)
            and _lies(odds, self.min_odds, self.max_odds)
            and _lies(hours_ahead, None, self.max_hours_ahead)
            and _lies(age_s, None, self.max_age_s)
            and (limit is None or _lies(limit, self.min_limit, None))
        )


def _lies(figure: float | None, least: float | None, most: float | None) -> bool:
    """Tell whether a figure keeps bounds; one that is not known keeps none that is set."""
    if figure is None:
        return least is None and most is None
    return (least is None or figure >= least) and (most is None or figure <= most)


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
