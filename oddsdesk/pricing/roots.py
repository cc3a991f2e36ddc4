"""Finding where a falling or rising function crosses zero."""

from collections.abc import Callable
from typing import Final

_STEPS: Final = 200
_RELATIVE: Final = 4e-16
_ABSOLUTE: Final = 1e-16


def widen(function: Callable[[float], float], low: float, high: float) -> float:
    """Return a bound at or beyond ``high`` at which a falling function is no longer positive.

    The distance from ``low`` doubles with each step.

    Raises:
        ArithmeticError: there is none within the range of floating point numbers.
    """
    for _ in range(1_000):
        if function(high) <= 0:
            return high
        high = low + 2 * (high - low)
    raise ArithmeticError("no sign change found")


def find_root(function: Callable[[float], float], low: float, high: float) -> float:
    """Return the root between two bounds at which the function has different signs.

    Chandrupatla (1997), A new hybrid quadratic/bisection algorithm for finding the zero of
    a nonlinear function without using derivatives, Advances in Engineering Software 28(3):
    inverse quadratic interpolation where it is safe, bisection elsewhere, never outside.

    Raises:
        ArithmeticError: the signs at the bounds do not differ.
    """
    newest, previous = low, high
    f_newest, f_previous = function(low), function(high)
    if f_newest == 0:
        return low
    if f_newest * f_previous > 0:
        raise ArithmeticError("no sign change between the bounds")
    share = 0.5
    for _ in range(_STEPS):
        point = newest + share * (previous - newest)
        f_point = function(point)
        if f_point * f_newest > 0:
            older, f_older = newest, f_newest
        else:
            older, f_older = previous, f_previous
            previous, f_previous = newest, f_newest
        newest, f_newest = point, f_point
        best = newest if abs(f_newest) < abs(f_previous) else previous
        width = abs(previous - newest)
        tolerance = _RELATIVE * abs(best) + _ABSOLUTE
        if f_newest == 0 or f_previous == 0 or width <= 2 * tolerance:
            return best
        share = _next_share(
            newest, previous, older, f_newest, f_previous, f_older, tolerance / width
        )
    return best


def _next_share(
    a: float, b: float, c: float, fa: float, fb: float, fc: float, least: float
) -> float:
    """Return where to try next, as a share of the way from ``a`` to ``b``."""
    share = 0.5
    if fa != fb and fb != fc and fa != fc:
        xi = (a - b) / (c - b)
        phi = (fa - fb) / (fc - fb)
        if phi * phi < xi and (1 - phi) * (1 - phi) < 1 - xi:
            share = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (
                fc - fb
            )
    return min(1 - least, max(least, share))
