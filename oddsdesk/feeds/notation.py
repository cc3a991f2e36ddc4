"""How other people write prices and lines, and how quotes write them."""

from collections.abc import Iterable

from oddsdesk.contract.quotes import MOST_ODDS, is_disabled

NOT_OFFERED = "not offered now"
"""Why a price is left out that a source writes as 0, 1 or nothing."""
_LEAST_AMERICAN = 100


def is_american(prices: Iterable[float]) -> bool:
    """Tell whether prices are American odds, judged on all of a file's together.

    Decimal odds are never negative, and American ones never lie between -100 and 100.
    """
    known = list(prices)
    negative = any(price <= -_LEAST_AMERICAN for price in known)
    return negative or (bool(known) and all(price >= _LEAST_AMERICAN for price in known))


def decimal_odds(price: float, american: bool) -> float | None:
    """Return a price as decimal odds, None where there can be no such price."""
    if not american:
        return price if 1 < price <= MOST_ODDS else None
    if price >= _LEAST_AMERICAN:
        return round(1 + price / 100, 4)
    if price <= -_LEAST_AMERICAN:
        return round(1 - 100 / price, 4)
    return None


def is_offered(price: float | None, american: bool) -> bool:
    """Tell whether a source offers a selection: its price is not 0, null or, in decimal odds, 1."""
    return not (price in (None, 0) if american else is_disabled(price))


def line_text(line: float) -> str:
    """Return a line without sign: ``2.5``, ``3``."""
    return f"{line + 0.0:.10g}"


def signed_text(line: float) -> str:
    """Return a handicap with its sign: ``-1.5``, ``+0.25``, ``+0`` (D36)."""
    return f"{line + 0.0:+.10g}"
