"""How figures and names are written: decimals that suit each, to be compared by eye in columns.

Odds are written in the style of the whole desk, as a locale is of a whole program
(``odds_format`` chooses it): a table that shows another style than the next would mislead.
No price is shown better than it is, and the ends of windows are rounded inwards.
"""

import math
from functools import lru_cache
from typing import Final

from oddsdesk.contract.identity import teams
from oddsdesk.contract.markets import market_title
from oddsdesk.contract.periods import period_label
from oddsdesk.pricing.column_formats import (
    ev_to_tenth,
    format_end,
    format_in_column,
    format_window,
    to_tenth,
)
from oddsdesk.pricing.formats import (
    AMERICAN,
    DECIMAL,
    FRACTIONAL,
    IMPLIED,
    INDONESIAN,
    MALAY,
    STYLES,
    format_odds,
    parse_odds,
)

NO_WINDOW: Final = "none"
"""In place of a window where the reference prices the line, but no price can be value."""
_TOLD_BY_SELECTIONS: Final = frozenset({"", "moneyline", "spread", "total", "double_chance"})
"""Market types that people read from the text of a selection alone: "Over 2.5" is the total."""
_MOST_EDGE: Final = 999
_LONG_ODDS: Final = 100
_SAMPLES: Final = {
    AMERICAN: "−10000",
    FRACTIONAL: "88.8/1",
    MALAY: "−8.8888",
    INDONESIAN: "−88.88",
    IMPLIED: "88.8 %",
}
_WINDOW_SAMPLES: Final = {
    AMERICAN: "−8888 to −8888",
    FRACTIONAL: "88.88 – 88.88/1",
    MALAY: "−8.888 to −8.888",
    INDONESIAN: "−88.88 to −88.88",
    IMPLIED: "88.8 – 88.8 %",
}
_SIGNED: Final = (AMERICAN, MALAY, INDONESIAN)
"""Styles with signs, between which a dash would be read as one."""
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


def odds_sample(*, has_long: bool = True) -> str:
    """Return the widest odds that are common, to size a column by.

    ``has_long``: whether there are any from 10 on.
    """
    return _SAMPLES.get(_style, "88.88" if has_long else "8.88")


def window_sample() -> str:
    """Return the widest price window that is common."""
    return _WINDOW_SAMPLES.get(_style, "88.88 – 88.88")


def odds_text(odds: float) -> str:
    """Return odds as a column shows them: decimal ones with 2 decimals, and the 3rd if quoted."""
    return _in_style(odds, _style)


def exact_odds_text(odds: float) -> str:
    """Return odds with every decimal that was quoted, at least 2; ``+105 (2.0525)`` if inexact."""
    whole, _, decimals = f"{odds:.6f}".rstrip("0").partition(".")
    quoted = f"{whole}.{decimals:0<2}"
    if _style == DECIMAL:
        return quoted
    text = format_odds(odds, _style)
    is_exact = math.isclose(parse_odds(text, _style), odds, rel_tol=1e-9)
    return _true_minus(text) if is_exact else f"{_true_minus(text)} ({quoted})"


def typed_text(odds: float) -> str:
    """Return odds as one types them: every decimal that there is, and the sign of the keyboard."""
    return f"{odds:.12g}" if _style == DECIMAL else format_odds(odds, _style)


def read_odds(text: str) -> float:
    """Return the decimal odds that were typed in the style of the desk.

    Raises:
        OddsFormatError: it is no odds of it.
    """
    return parse_odds(text, _style)


def fair_text(odds: float) -> str:
    """Return fair odds; decimal ones with 3 decimals, 1 from 100 on."""
    if _style != DECIMAL:
        return _in_style(odds, _style)
    return f"{odds:.3f}" if odds < _LONG_ODDS else f"{odds:.1f}"


def window_text(value_from: float | None, suspicious_above: float | None) -> str:
    """Return a price window, its ends rounded inwards; ``NO_WINDOW`` for none."""
    if value_from is None or suspicious_above is None:
        return NO_WINDOW
    return _window(value_from, suspicious_above, _style)


def least_text(odds: float) -> str:
    """Return the price that something begins at, rounded up."""
    return _end(odds, _style, is_least=True)


def most_text(odds: float) -> str:
    """Return the price that something ends at, rounded down."""
    return _end(odds, _style, is_least=False)


def percent_text(percent: float) -> str:
    """Return a percentage with 1 decimal and a true minus."""
    rounded = to_tenth(percent)
    return f"−{-rounded:.1f}" if rounded < 0 else f"{rounded:.1f}"


def signed_text(percent: float) -> str:
    """Return a percentage with 1 decimal and its sign."""
    text = percent_text(percent)
    return text if text.startswith("−") or text == "0.0" else f"+{text}"


def edge_text(ev: float) -> str:
    """Return an EV as a cell shows it, of the desk or of a service."""
    return gain_text(ev_to_tenth(ev))


def gain_text(percent: float) -> str:
    """Return a gain as a cell shows it: above 999 % nobody needs to know, and it would be cut."""
    return f"> {_MOST_EDGE} %" if percent > _MOST_EDGE else f"{signed_text(percent)} %"


def signed_hundredths_text(percent: float) -> str:
    """Return a percentage with 2 decimals and its sign."""
    return _true_minus(f"{round(percent, 2) or 0.0:+.2f}")


def amount_text(amount: float) -> str:
    """Return an amount of money in few characters: 850, 12k, 1.2M."""
    if amount < 1_000:
        return f"{amount:.0f}"
    if amount < 999_500:
        return f"{amount / 1_000:.0f}k"
    return f"{amount / 1_000_000:.1f}M"


@lru_cache(maxsize=16_384)
def _in_style(odds: float, style: str) -> str:
    return _true_minus(format_in_column(odds, style))


@lru_cache(maxsize=8_192)
def _window(least: float, most: float, style: str) -> str:
    low, high, unit = format_window(least, most, style)
    return _true_minus(f"{low}{' to ' if style in _SIGNED else ' – '}{high}{unit}")


@lru_cache(maxsize=8_192)
def _end(odds: float, style: str, *, is_least: bool) -> str:
    return _true_minus(format_end(odds, style, is_least=is_least))


def _true_minus(text: str) -> str:
    return text.replace("-", "−")


_SIDES: Final = ("Home", "Away")


def untold_text(market_type: str, sport: str, period: int, selection: str, match_name: str) -> str:
    """Return what a selection's text does not tell of its market: a part of the game, a kind.

    Of a total of the home or away team it is the team, which names the game as well.
    """
    title = "" if market_type in _TOLD_BY_SELECTIONS else market_title(market_type)
    pair = teams(match_name) if market_type == "team_total" else None
    if pair is not None and (side := selection.partition(" ")[0]) in _SIDES:
        title = pair[_SIDES.index(side)]
    return " · ".join(filter(None, (title, period_label(sport, period) if period else "")))


def beside_text(selection: str, match_name: str) -> str:
    """Return what a selection belongs to: the opponent, or both teams; of none both teams."""
    pair = teams(match_name)
    if pair is None:
        return match_name
    home, away = pair
    if selection == home:
        return f"v {away}"
    return f"at {home}" if selection == away else f"{home} v {away}"
