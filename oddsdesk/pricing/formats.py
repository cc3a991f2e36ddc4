"""Odds formats: decimal odds as people write them elsewhere, and back."""

import math
import re
import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Final

DECIMAL: Final = "decimal"
AMERICAN: Final = "american"
FRACTIONAL: Final = "fractional"
HONG_KONG: Final = "hong_kong"
MALAY: Final = "malay"
INDONESIAN: Final = "indonesian"
IMPLIED: Final = "implied"

_LONGEST: Final = 24
_NUMBER: Final = r"(?a)[+-]?\d+(?:\.\d+)?"
_FRACTION: Final = r"(?a)(\d+(?:\.\d+)?)/(\d+)"
_EVENS: Final = frozenset({"evens", "even", "evs"})
_BRITISH: Final = (
    "1/10 1/9 1/8 1/7 1/6 2/11 1/5 2/9 1/4 2/7 3/10 1/3 4/11 2/5 4/9 1/2 8/15 4/7 8/13 4/6 "
    "8/11 4/5 5/6 10/11 1/1 21/20 11/10 6/5 5/4 11/8 7/5 6/4 8/5 13/8 7/4 9/5 15/8 2/1 11/5 "
    "9/4 12/5 5/2 13/5 11/4 14/5 3/1 16/5 10/3 7/2 18/5 4/1 9/2 5/1 11/2 6/1 13/2 7/1 15/2 8/1 "
    "17/2 9/1 10/1"
)
_LADDER: Final = tuple((Fraction(text), text) for text in _BRITISH.split())
"""Fractions as British bookmakers quote them: 6/4, not 3/2."""
_LADDER_REACH: Final = Fraction(6, 1000)


class OddsFormatError(ValueError):
    """Text that is no odds of the style; the message shows it and an example."""


def format_odds(odds: float, style: str = DECIMAL) -> str:
    """Return decimal odds (finite, above 1) in a style; rounded as that style is quoted.

    Raises:
        OddsFormatError: unknown style, or a number that is no decimal odds.
    """
    if not 1 < odds < math.inf:
        raise OddsFormatError(f"expected decimal odds, a finite number above 1, got {odds}")
    return _style(style)[0](odds)


def parse_odds(text: str, style: str = DECIMAL) -> float:
    """Return the decimal odds that a text means in a style; blanks around it do not matter.

    A comma stands for the point, but in American odds, whose commas divide thousands.

    Raises:
        OddsFormatError: unknown style, or text that is no odds of it.
    """
    _, read, example = _style(style)
    plain = text.strip().replace("\u2212", "-")
    if style != AMERICAN and "." not in plain:
        plain = plain.replace(",", ".", 1)
    odds = read(plain) if len(plain) <= _LONGEST else None
    if odds is None or not 1 < odds < math.inf:
        title = style.replace("_", " ")
        raise OddsFormatError(f"expected {title} odds such as {example}, got {plain[:_LONGEST]!r}")
    return odds


def _style(style: str) -> "_Style":
    found = _STYLES.get(style)
    if found is None:
        raise OddsFormatError(f"unknown odds style {style!r}, expected one of {', '.join(STYLES)}")
    return found


def _plain(number: float, least: int = 2, most: int = 4) -> str:
    """A number with the decimals it has, ``least`` to ``most``, more where it would show as 0."""
    if abs(number) < 0.01:
        return f"{number:.3g}" if abs(number) >= 1e-4 else f"{number:.16f}".rstrip("0")
    text = f"{number:.{most}f}".rstrip("0")
    decimals = len(text) - text.index(".") - 1
    return text + "0" * (least - decimals)


def _signed(number: float) -> str:
    return ("+" if number > 0 else "") + _plain(number)


def _number(text: str) -> float | None:
    return float(text) if re.fullmatch(_NUMBER, text) else None


def _format_decimal(odds: float) -> str:
    profit = odds - 1
    return _plain(odds) if profit >= 0.005 else repr(odds)


def american(odds: float) -> float:
    """Return the profit on a stake of 100; below evens minus the stake that wins 100."""
    return min(100 * (odds - 1), sys.float_info.max) if odds >= 2 else -100 / (odds - 1)


def _format_american(odds: float) -> str:
    return f"{round(american(odds)):+d}"


def _read_american(text: str) -> float | None:
    number = _number(text)
    if text.casefold() in _EVENS:
        return 2.0
    if number is None or abs(number) < 100:
        return None
    return 1 + (number / 100 if number > 0 else -100 / number)


def _format_fractional(odds: float) -> str:
    """The British fraction where one is near enough, else the simplest to a hundredth."""
    profit = Fraction(repr(odds)) - 1
    step, text = min(_LADDER, key=lambda entry: abs(entry[0] - profit))
    if abs(step - profit) <= _LADDER_REACH * min(Fraction(1), profit):
        return text
    simple = profit.limit_denominator(100) or profit.limit_denominator(10**17)
    return f"{simple.numerator}/{simple.denominator}"


def _read_fractional(text: str) -> float | None:
    if text.casefold() in _EVENS:
        return 2.0
    match = re.fullmatch(_FRACTION, text)
    if match is None or int(match[2]) == 0:
        return None
    return 1 + float(match[1]) / int(match[2])


def _format_hong_kong(odds: float) -> str:
    return _plain(odds - 1)


def _read_hong_kong(text: str) -> float | None:
    number = _number(text)
    return None if number is None else 1 + number


def malay(odds: float) -> float:
    """Return the profit on a stake of 1; above evens minus the stake that wins 1."""
    return odds - 1 if odds <= 2 else -1 / (odds - 1)


def _format_malay(odds: float) -> str:
    return _plain(malay(odds))


def _read_malay(text: str) -> float | None:
    number = _number(text)
    if number is None or number == 0 or abs(number) > 1:
        return None
    return 1 + (number if number > 0 else -1 / number)


def indonesian(odds: float) -> float:
    """Return the profit on a stake of 1; below evens minus the stake that wins 1."""
    return odds - 1 if odds >= 2 else -1 / (odds - 1)


def _format_indonesian(odds: float) -> str:
    return _signed(indonesian(odds))


def _read_indonesian(text: str) -> float | None:
    number = _number(text)
    if number is None or abs(number) < 1:
        return None
    return 1 + (number if number > 0 else -1 / number)


def _format_implied(odds: float) -> str:
    return f"{_plain(100 / odds, 1, 2)} %"


def _read_implied(text: str) -> float | None:
    number = _number(text.removesuffix("%").rstrip())
    return None if number is None or number <= 0 else 100 / number


_Style = tuple[Callable[[float], str], Callable[[str], float | None], str]
_STYLES: Final[dict[str, _Style]] = {
    DECIMAL: (_format_decimal, _number, "2.05"),
    AMERICAN: (_format_american, _read_american, "+105 or -110"),
    FRACTIONAL: (_format_fractional, _read_fractional, "21/20"),
    HONG_KONG: (_format_hong_kong, _read_hong_kong, "1.05"),
    MALAY: (_format_malay, _read_malay, "0.91 or -0.95"),
    INDONESIAN: (_format_indonesian, _read_indonesian, "+1.05 or -1.10"),
    IMPLIED: (_format_implied, _read_implied, "48.8 %"),
}
STYLES: Final = tuple(_STYLES)
