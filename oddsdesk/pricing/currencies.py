"""Amounts of money in the user's main currency, by rates that the user gives."""

from typing import Final

import msgspec

from oddsdesk.pricing.stakes import Depth


class Rates(msgspec.Struct, frozen=True):
    """Exchange rates at one time."""

    main: str = ""
    """The main currency, that of the bankroll; empty if the user set none."""
    by_currency: dict[str, float] = {}
    """Units of the main currency for a unit of another one."""

    def rate_of(self, currency: str) -> float | None:
        """Return what a unit is worth in the main currency; None if that is unknown.

        An empty currency is the user's own: the main one.
        """
        if currency in ("", self.main):
            return 1.0
        return self.by_currency.get(currency) if self.main else None

    def in_main(self, amount: float, currency: str) -> float | None:
        """Return an amount in the main currency; None if its rate is unknown."""
        rate = self.rate_of(currency)
        return None if rate is None else amount * rate

    def own_money(self, depth: Depth) -> Depth:
        """Return available amounts in the main currency; unchanged if the rate is unknown."""
        if depth.rate is not None or not depth.currency:
            return depth
        rate = self.rate_of(depth.currency)
        if rate is None:
            return depth
        levels, lay = (
            tuple((odds, size * rate) for odds, size in each) for each in (depth.levels, depth.lay)
        )
        return Depth(levels, self.main, lay, rate=rate, sold_in=depth.currency)


NO_RATES: Final = Rates()
