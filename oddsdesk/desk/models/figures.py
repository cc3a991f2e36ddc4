"""How figures are written: fixed decimals, so that columns can be compared by eye.

Odds are written in the style of the whole desk, as a locale is of a whole program
(``odds_format`` chooses it): a table that shows another style than the next would mislead.
"""

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from oddsdesk.pricing.formats import (
    AMERICAN,
    DECIMAL,
    FRACTIONAL,
    STYLES,
    format_in_column,
    format_odds,
)

_LONG_ODDS = 100
_SAMPLES: Final = {AMERICAN: "+8888", FRACTIONAL: "88/88"}
_style = DECIMAL


def choose_style(style: str) -> None:
    """Write odds in another style of ``pricing.formats`` from now on."""
    if style not in STYLES:
        raise ValueError(f"expected one of {', '.join(STYLES)}, got {style!r}")
    global _style
    _style = style


def odds_style() -> str:
    """Return the style that odds are written in now."""
    return _style


def odds_sample() -> str:
    """Return odds as wide as any that are common, to size a column by."""
    return _SAMPLES.get(_style, "88.88")


def fair_sample() -> str:
    """Return fair odds as wide as any that are common."""
    return "88.888" if _style == DECIMAL else odds_sample()


def odds_text(odds: float) -> str:
    """Return odds as a column shows them; decimal ones with 2 decimals, none from 100 on."""
    if _style != DECIMAL:
        return _in_style(odds, _style)
    return f"{odds:.2f}" if odds < _LONG_ODDS else f"{odds:.0f}"


def exact_odds_text(odds: float) -> str:
    """Return odds with every decimal that was quoted, at least 2."""
    if _style != DECIMAL:
        return _true_minus(format_odds(odds, _style))
    whole, _, decimals = f"{odds:.4f}".rstrip("0").partition(".")
    return f"{whole}.{decimals:0<2}"


def fair_text(odds: float) -> str:
    """Return fair odds; decimal ones with 3 decimals, 1 from 100 on."""
    if _style != DECIMAL:
        return _in_style(odds, _style)
    return f"{odds:.3f}" if odds < _LONG_ODDS else f"{odds:.1f}"


def window_text(value_from: float | None, suspicious_above: float | None) -> str:
    """Return a price window, a dash for none.

    The ends are rounded inwards, so that each decimal price shown as value is value.
    """
    if value_from is None or suspicious_above is None:
        return "–"
    least = _rounded(value_from, math.ceil)
    most = _rounded(suspicious_above, math.floor)
    if least > most:
        return f"{fair_text(value_from)} – {fair_text(suspicious_above)}"
    return f"{odds_text(least)} – {odds_text(most)}"


def percent_text(percent: float) -> str:
    """Return a percentage with 1 decimal and a true minus."""
    rounded = round(percent, 1) or 0.0
    return f"−{-rounded:.1f}" if rounded < 0 else f"{rounded:.1f}"


def signed_text(percent: float) -> str:
    """Return a percentage with 1 decimal and its sign."""
    text = percent_text(percent)
    return text if text.startswith("−") or text == "0.0" else f"+{text}"


def amount_text(amount: float) -> str:
    """Return an amount of money in few characters: 850, 12k, 1.2M."""
    if amount < 1_000:
        return f"{amount:.0f}"
    if amount < 999_500:
        return f"{amount / 1_000:.0f}k"
    return f"{amount / 1_000_000:.1f}M"


def _rounded(odds: float, rounding: Callable[[float], int]) -> float:
    """Round to the decimals that ``odds_text`` shows; dust of binary fractions does not count."""
    scale = 100 if odds < _LONG_ODDS else 1
    return rounding(round(odds * scale, 6)) / scale


@lru_cache(maxsize=8_192)
def _in_style(odds: float, style: str) -> str:
    return _true_minus(format_in_column(odds, style))


def _true_minus(text: str) -> str:
    return text.replace("-", "−")
