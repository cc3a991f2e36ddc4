"""The markets of a Pinnacle period as selections, prices and limits."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import msgspec
from msgspec import UnsetType

from oddsdesk.feeds.notation import (
    NOT_OFFERED,
    decimal_odds,
    is_offered,
    line_text,
    signed_text,
)
from oddsdesk.feeds.pinnacle.shapes import Handicap, Period, Total

_Prices = Sequence[tuple[str, float | None]]


class PeriodMarket(msgspec.Struct, frozen=True):
    """One market in the order of D7; ``limit`` is the most that may be staked.

    Odds are 0 where a selection is not offered now; ``unread`` is as ``Quote.unread``.
    """

    market_type: str
    odds: dict[str, float]
    limit: float | None
    unread: dict[str, str]


class MarketReader(msgspec.Struct, frozen=True):
    """Reads the periods of one game; impossible prices are counted in ``skipped``."""

    home: str
    away: str
    american: bool
    skipped: Counter[str]

    def read(self, period: Period) -> Iterator[PeriodMarket]:
        """Yield every market of a period that has prices."""
        markets: dict[str, tuple[Callable[[Period], _Prices], float | None]] = {
            "moneyline": (self._moneyline, period.max_moneyline),
            "spread": (self._spreads, _limit(period.max_spread, period.spreads)),
            "total": (self._totals, _limit(period.max_total, period.totals)),
            "team_total": (self._team_totals, period.max_team_total),
        }
        for market_type, (prices_of, limit) in markets.items():
            odds, unread = self._possible(prices_of(period))
            if odds or unread:
                yield PeriodMarket(market_type, odds, limit, unread)

    def _moneyline(self, period: Period) -> _Prices:
        line = period.moneyline
        if line is None:
            return []
        draw = [] if isinstance(line.draw, UnsetType) else [("Draw", line.draw)]
        return [(self.home, line.home), *draw, (self.away, line.away)]

    def _spreads(self, period: Period) -> _Prices:
        return [
            side
            for line in sorted(period.spreads, key=lambda line: line.hdp)
            for side in (
                (f"{self.home} {signed_text(line.hdp)}", line.home),
                (f"{self.away} {signed_text(-line.hdp)}", line.away),
            )
        ]

    def _totals(self, period: Period) -> _Prices:
        lines = sorted(period.totals, key=lambda line: line.points)
        return [side for line in lines for side in _over_under("", line)]

    def _team_totals(self, period: Period) -> _Prices:
        totals = period.team_total
        if totals is None:
            return []
        teams = (("Home ", totals.home), ("Away ", totals.away))
        return [side for team, line in teams if line for side in _over_under(team, line)]

    def _possible(self, prices: _Prices) -> tuple[dict[str, float], dict[str, str]]:
        odds: dict[str, float] = {}
        unread: dict[str, str] = {}
        for selection, price in prices:
            if selection in odds or selection in unread:
                self._count(price, "said twice")
            elif not is_offered(price, self.american):
                odds[selection] = 0.0
                self._count(price, NOT_OFFERED)
            elif price is None or (decimal := decimal_odds(price, self.american)) is None:
                unread[selection] = "impossible price"
                self.skipped["impossible price"] += 1
            else:
                odds[selection] = decimal
        return odds, unread

    def _count(self, price: float | None, reason: str) -> None:
        """Count a price that is left out; null is none."""
        if price is not None:
            self.skipped[reason] += 1


def _over_under(team: str, line: Total) -> _Prices:
    text = line_text(line.points)
    return [(f"{team}Over {text}", line.over), (f"{team}Under {text}", line.under)]


def _limit(of_period: float | None, lines: Sequence[Handicap | Total]) -> float | None:
    """The period's limit, else the least of its lines: no line takes more than that."""
    return of_period or min((line.max for line in lines if line.max is not None), default=None)
