"""All quotes of a moment, as one list: what the assessment of every price starts from."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from oddsdesk.pricing.outcomes import Outcome, read_selection

MarketKey = tuple[str, str, int]
"""Game id, market type, period."""


class BookQuote(NamedTuple):
    """What one bookmaker says of one market of a game; times in milliseconds."""

    game_id: str
    match_name: str
    competition: str
    sport: str
    kick_off: int | None
    bookmaker: str
    market_type: str
    period: int
    odds: Mapping[str, float]
    scraped_at: int
    """When the price was last seen."""
    is_live: bool | None
    """None where it is not known."""
    had_draw: bool = False
    """Whether a draw of this market was among its prices within the last day (D48)."""
    stale_after_ms: int | None = None
    """From the interval at which the bookmaker is read; None where that is not known."""

    @property
    def market(self) -> MarketKey:
        """What the quote is about."""
        return self.game_id, self.market_type, self.period

    def read(self) -> dict[str, Outcome | None]:
        """Return what each selection means, None for text that fits no form."""
        return {text: read_selection(self.market_type, self.match_name, text) for text in self.odds}

    def sides(self) -> frozenset[str]:
        """Return the sides that are priced, of whichever line."""
        return frozenset(outcome.side for outcome in self.read().values() if outcome is not None)


def by_market(quotes: Iterable[BookQuote]) -> dict[MarketKey, list[BookQuote]]:
    """Return quotes by market, in their order."""
    markets: dict[MarketKey, list[BookQuote]] = {}
    for quote in quotes:
        markets.setdefault(quote.market, []).append(quote)
    return markets
