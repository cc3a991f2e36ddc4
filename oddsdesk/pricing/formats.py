"""Odds formats: decimal odds as people write them elsewhere, and back."""

import math
import re
import sys
from collections.abc import Callable
from fractions import Fraction
from itertools import count
from typing import Final, NamedTuple

from oddsdesk.base.texts import N_

DECIMAL: Final = "decimal"
AMERICAN: Final = "american"
FRACTIONAL: Final = "fractional"
HONG_KONG: Final = "hong_kong"
MALAY: Final = "malay"
INDONESIAN: Final = "indonesian"
IMPLIED: Final = "implied"

_LONGEST: Final = 24
_LEAST_AMERICAN: Final = 100
_NUMBER: Final = r"(?a)[+-]?\d+(?:\.\d+)?"
_GROUPED: Final = re.compile(r"(?a)[+-]?[1-9]\d{0,2}(,\d{3})+")
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
    _, read, allowed = _style(style)
    plain = text.strip().replace("\u2212", "-")
    if style != AMERICAN and "." not in plain:
        plain = plain.replace(",", ".", 1)
    odds = read(plain) if len(plain) <= _LONGEST else None
    if odds is None or not 1 < odds < math.inf:
        text = text.strip()[:_LONGEST]
        raise OddsFormatError(f"expected {allowed}, got {text!r}")
    return odds


def parse_typed(text: str, style: str = DECIMAL) -> float:
    """Return the decimal odds that a user typed in a style, or in another that is unmistakable.

    ``21/10`` and ``evens`` are fractional, ``+150`` and ``-110`` American, ``48.8 %`` implied.
    Where odds are American or fractional, ``1.85`` and ``1,85`` are decimal.

    Raises:
        OddsFormatError: unknown style, or text that is no odds.
    """
    plain = text.strip().replace("\u2212", "-")
    found = _unmistakable(plain, style)
    if found == AMERICAN and _GROUPED.fullmatch(plain):
        plain = plain.replace(",", "")
    return parse_odds(plain, found)


def _unmistakable(text: str, style: str) -> str:
    """Return the style that a text can only be in, else the given one."""
    if "/" in text or text.casefold() in _EVENS:
        return FRACTIONAL
    if text.endswith("%"):
        return IMPLIED
    grouped = "" if _GROUPED.fullmatch(text) and (style == AMERICAN or text[0] in "+-") else "."
    number = _number(text.replace(",", grouped, 1))
    if number is None:
        return style
    if text[:1] in "+-" and abs(number) >= _LEAST_AMERICAN and style != INDONESIAN:
        return AMERICAN
    has_decimals = any(mark in text for mark in ".,")
    is_plain = text[:1].isdigit() and has_decimals
    if is_plain and style == FRACTIONAL:
        return DECIMAL
    if is_plain and style == AMERICAN and number < _LEAST_AMERICAN:
        return DECIMAL
    return style


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
    if number is None or abs(number) < _LEAST_AMERICAN:
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
    DECIMAL: (_format_decimal, _number, N_("decimal odds such as 2.05")),
    AMERICAN: (_format_american, _read_american, N_("American odds such as +105 or -110")),
    FRACTIONAL: (_format_fractional, _read_fractional, N_("fractional odds such as 21/20")),
    HONG_KONG: (_format_hong_kong, _read_hong_kong, N_("Hong Kong odds such as 1.05")),
    MALAY: (_format_malay, _read_malay, N_("Malay odds such as 0.91 or -0.95")),
    INDONESIAN: (
        _format_indonesian,
        _read_indonesian,
        N_("Indonesian odds such as +1.05 or -1.10"),
    ),
    IMPLIED: (_format_implied, _read_implied, N_("implied odds such as 48.8 %")),
}
STYLES: Final = tuple(_STYLES)


_DUST: Final = 6
"""Decimals beyond those shown that are noise of binary fractions."""
_NO_DECIMALS: Final = 2.0**53
"""From here on floating point numbers are whole."""
_MOST_DECIMALS: Final = 300
"""The most that numbers are rounded to: 10 to a higher power is beyond floating point."""
_MOST_MORE: Final = 6
"""Decimals that the ends of a window may have beyond the usual ones, to look different."""
_EVENS_SIGNS: Final = 2.0
_ODDS_AGAINST: Final = (
    "1/1 21/20 11/10 6/5 5/4 11/8 7/5 6/4 8/5 13/8 7/4 9/5 15/8 2/1 11/5 9/4 12/5 5/2 13/5 11/4 "
    "14/5 3/1 16/5 10/3 7/2 18/5 4/1 9/2 5/1 11/2 6/1 13/2 7/1 15/2 8/1 17/2 9/1 10/1"
)
_ODDS_ON: Final = (
    "1/100 1/50 1/33 1/25 1/20 1/16 1/14 1/12 1/11 1/10 1/9 1/8 1/7 1/6 2/11 1/5 2/9 1/4 2/7 3/10 "
    "1/3 4/11 2/5 4/9 1/2 8/15 4/7 8/13 4/6 8/11 4/5 5/6 10/11"
)
_USUAL: Final = tuple((Fraction(text), text) for text in f"{_ODDS_ON} {_ODDS_AGAINST}".split())
_CENT: Final = Fraction(51, 10_000)
"""How far a fraction may be from the decimal price that it is quoted as: 1/3 as 1.33."""
_LONGEST_FRACTION: Final = 5


class _Scale(NamedTuple):
    """The number that a style writes, and how many decimals it usually has."""

    number: Callable[[float], float]
    decimals: Callable[[float], int]
    """How many decimals a number has at the ends of a window, and where the style converts."""
    unit: str = ""
    is_signed: bool = False
    falls: bool = False
    """Whether a longer price has the lower number."""


def to_tenth(percent: float) -> float:
    """Return a percentage with 1 decimal, halves away from zero."""
    return round(percent + math.copysign(10.0**-_DUST, percent), 1) or 0.0


def ev_to_tenth(ev: float) -> float:
    """Return an EV with 1 decimal: that of its 2 decimals.

    A service tells two, so that the desk's EV and the same of a service look alike.
    """
    return to_tenth(round(ev, 2))


def format_in_column(odds: float, style: str = DECIMAL) -> str:
    """Return decimal odds in a style, short enough for a column.

    Where the style writes the price itself or its profit, it has two decimals, and the third
    that was quoted; what is cut is cut downwards. What the style converts (American odds,
    shares, fractions) is the nearest that it has.

    Raises:
        OddsFormatError: unknown style, or a number that is no decimal odds.
    """
    scale = _scale(style)
    if not 1 < odds < math.inf:
        raise OddsFormatError(f"expected decimal odds, a finite number above 1, got {odds}")
    if style == FRACTIONAL:
        return _fraction(odds)
    if style == DECIMAL:
        return _exact(odds, odds - 1)
    number = scale.number(odds)
    if style == HONG_KONG or (style in (MALAY, INDONESIAN) and number == odds - 1):
        return f"{'+' if scale.is_signed else ''}{_exact(number, number)}"
    return _written(number, scale.decimals(number), scale) + scale.unit


def format_window(least: float, most: float, style: str = DECIMAL) -> tuple[str, str, str]:
    """Return both ends of a range of decimal odds in a style, and the unit that follows.

    Ends are rounded inwards, so that each price that lies within what is shown lies within
    the range, with as many decimals as it takes to tell them apart.

    Raises:
        OddsFormatError: unknown style.
    """
    scale = _scale(style)
    first, last = scale.number(least), scale.number(most)
    usual = min(scale.decimals(first), scale.decimals(last))
    up, down = (math.floor, math.ceil) if scale.falls else (math.ceil, math.floor)
    for more in range(_MOST_MORE):
        ends = _rounded(first, usual + more, up), _rounded(last, usual + more, down)
        if _is_apart(*ends, scale):
            break
    low, high = (_written(end, usual + more, scale) for end in ends)
    return low, high, scale.unit


def format_end(odds: float, style: str, *, is_least: bool) -> str:
    """Return one end of a range of decimal odds, rounded into the range.

    Raises:
        OddsFormatError: unknown style.
    """
    scale = _scale(style)
    number = scale.number(odds)
    decimals = scale.decimals(number)
    end = _rounded(number, decimals, math.ceil if is_least is not scale.falls else math.floor)
    return _written(end, decimals, scale) + scale.unit


def _is_apart(low: float, high: float, scale: _Scale) -> bool:
    """Whether the ends of a window leave something between them; Malay odds turn at evens.

    Evens has two signs there, and in American and Indonesian odds.
    """
    if (low > 0) != (high > 0):
        return {abs(low), abs(high)} != {abs(scale.number(_EVENS_SIGNS))}
    return low > high if scale.falls else low < high


def _scale(style: str) -> _Scale:
    found = _SCALES.get(style)
    if found is None:
        raise OddsFormatError(f"unknown odds style {style!r}, expected one of {', '.join(_SCALES)}")
    return found


def _rounded(number: float, decimals: int, rounding: Callable[[float], int]) -> float:
    if abs(number) >= _NO_DECIMALS or decimals > _MOST_DECIMALS:
        return number
    scale = 10**decimals
    return float(rounding(round(number * scale, _DUST)) / scale)


def _written(number: float, decimals: int, scale: _Scale) -> str:
    return f"{number:{'+' if scale.is_signed else ''}.{decimals}f}"


def _exact(number: float, profit: float) -> str:
    """A price or its profit with the decimals it has, 2 or 3, fewer where it is long."""
    least, most = (2, 3) if number < 100 else (0, 1) if number < 1_000 else (0, 0)
    while profit < 10**-most:
        most += 1
    text = f"{_rounded(number, most, math.floor):.{most}f}"
    point = text.find(".")
    if point < 0:
        return text
    text = text.rstrip("0")
    short = point + 1 + least - len(text)
    return text.rstrip(".") if short <= 0 else text + "0" * short


def _fraction(odds: float) -> str:
    """The usual fraction, else an exact short one, else the profit to one: ``1.97/1``."""
    profit = Fraction(repr(odds)) - 1
    step, text = min(_USUAL, key=lambda entry: abs(entry[0] - profit))
    if abs(step - profit) <= min(_CENT, profit / 10):
        return text
    simple = profit.limit_denominator(100)
    text = f"{simple.numerator}/{simple.denominator}"
    if simple == profit and len(text) <= _LONGEST_FRACTION:
        return text
    if profit < Fraction(1, 100):
        return f"1/{math.ceil(1 / profit)}"
    decimals = 2 if profit < 10 else 1 if profit < 100 else 0
    return f"{_rounded(float(profit), decimals, math.floor):.{decimals}f}/1"


def _three_below_ten(number: float) -> int:
    size = abs(number)
    return 3 if size < 10 else 2 if size < 100 else 0


def _of_share(number: float, least: int, most: int) -> int:
    """Decimals of a number that odds are the inverse of: half a unit is at most 2.5 % of it.

    Of odds above 500 it may be 25 %: there is no room for more than ``most`` decimals, one more
    than which would be nothing.
    """
    places = next(each for each in count(least) if abs(number) >= 2 * 10.0 ** (1 - each))
    return max(min(places, most), places - 1)


def _of_malay(number: float) -> int:
    if number > 0:
        return 3
    return _of_share(number, 2, 4)


def _of_indonesian(number: float) -> int:
    return _three_below_ten(number) if number > 0 else 2 if round(number, 2) > -100 else 0


def _of_percent(number: float) -> int:
    near_certain = next(places for places in count(1) if number < 100 - 10.0**-places)
    return max(near_certain, _of_share(number, 1, 2))


_SCALES: Final = {
    DECIMAL: _Scale(lambda odds: odds, _three_below_ten),
    AMERICAN: _Scale(american, lambda _: 0, is_signed=True),
    FRACTIONAL: _Scale(lambda odds: odds - 1, _three_below_ten, "/1"),
    HONG_KONG: _Scale(lambda odds: odds - 1, _three_below_ten),
    MALAY: _Scale(malay, _of_malay),
    INDONESIAN: _Scale(indonesian, _of_indonesian, is_signed=True),
    IMPLIED: _Scale(lambda odds: 100 / odds, _of_percent, " %", falls=True),
}
