"""The order of selections (D7), remembered: the same markets come again and again."""

from functools import lru_cache

from oddsdesk.pricing.selections import order_selections


@lru_cache(maxsize=65_536)
def ordered_selections(
    market_type: str, match_name: str, names: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the selections of a market in the order of D7."""
    return tuple(order_selections(market_type, match_name, names))
