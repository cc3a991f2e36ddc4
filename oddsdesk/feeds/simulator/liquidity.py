"""The reference bookmaker's largest bets."""

from types import MappingProxyType
from typing import Final

from oddsdesk.feeds.simulator.groups import MarketKey

HOUR_MS: Final = 3_600_000

_SHARE: Final = MappingProxyType(
    {"moneyline": 1.0, "spread": 1.0, "total": 0.7, "total_games": 0.5, "games_handicap": 0.5}
)
_OTHER_SHARE: Final = 0.2
_PROP_SHARE: Final = 0.05
_BY_HOURS: Final = ((1, 1.0), (6, 0.8), (24, 0.5), (48, 0.25))
_EARLY: Final = 0.12
_LIVE: Final = 0.35


def largest_bet(limit: float, key: MarketKey, to_start_ms: int, live: bool) -> float:
    """Return the maximum bet of a market, rounded to what a bookmaker would print.

    ``limit`` is that of the competition's main market at kick-off; limits rise towards it.
    """
    share = _SHARE.get(key.market_type, _OTHER_SHARE)
    if key.market_type == "player_prop":
        share = _PROP_SHARE
    if key.period:
        share *= 0.4
    hours = to_start_ms / HOUR_MS
    when = _LIVE if live else next((value for most, value in _BY_HOURS if hours <= most), _EARLY)
    amount = limit * share * when
    step = 500 if amount >= 5_000 else 50 if amount >= 500 else 10
    return float(max(round(amount / step) * step, step))
