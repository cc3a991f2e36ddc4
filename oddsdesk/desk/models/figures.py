"""How figures are written: fixed decimals, so that columns can be compared by eye."""

import math
from collections.abc import Callable

_LONG_ODDS = 100


def odds_text(odds: float) -> str:
    """Return odds as a column shows them: 2 decimals, none from 100 on."""
    return f"{odds:.2f}" if odds < _LONG_ODDS else f"{odds:.0f}"


def exact_odds_text(odds: float) -> str:
    """Return odds with every decimal that was quoted, at least 2."""
    whole, _, decimals = f"{odds:.4f}".rstrip("0").partition(".")
    return f"{whole}.{decimals:0<2}"


def fair_text(odds: float) -> str:
    """Return fair odds: 3 decimals, 1 from 100 on."""
    return f"{odds:.3f}" if odds < _LONG_ODDS else f"{odds:.1f}"


def window_text(value_from: float | None, suspicious_above: float | None) -> str:
    """Return a price window, a dash for none.

    The ends are rounded inwards, so that each price shown as value is value.
    """
    if value_from is None or suspicious_above is None:
        return "–"
    least = _rounded(value_from, math.ceil)
    most = _rounded(suspicious_above, math.floor)
    if least > most:
        return f"{value_from:.3f} – {suspicious_above:.3f}"
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
