"""What the valuation remembers of references: most of their prices stand between two rounds."""

from collections.abc import Hashable, Mapping

from oddsdesk.pricing.market import Market, ReferenceMarket


class KnownReferences:
    """The reference's prices of each market, ready to compare others with, until they move.

    Devigging them takes longer than all else of a market where no price is near to value.
    """

    def __init__(self, method: str) -> None:
        self._method = method
        self._asked: dict[Hashable, ReferenceMarket] = {}
        self._earlier: dict[Hashable, ReferenceMarket] = {}
        """Those that nobody asked for since ``forget_unasked`` was last called."""

    def of(self, place: Hashable, market: Market, odds: Mapping[str, float]) -> ReferenceMarket:
        """Return a market by its reference's odds; ``place`` tells it from all others.

        Raises:
            DevigError: unknown method.
        """
        known = self._asked.get(place) or self._earlier.pop(place, None)
        if known is None or known.odds != odds:
            known = ReferenceMarket(market, odds, self._method)
        self._asked[place] = known
        return known

    def forget_unasked(self) -> None:
        """Forget what nobody asked for since this was last called."""
        self._earlier, self._asked = self._asked, {}
