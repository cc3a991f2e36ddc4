"""Taking the margin out of a bookmaker's prices, by name of method.

Throughout: ``o`` decimal odds, ``q = 1/o`` what they imply, ``S`` the sum of ``q``,
``M = S - 1`` the margin, ``n`` the number of outcomes, ``p`` the fair probabilities.
"""

import math
import sys
from collections.abc import Callable, Sequence
from statistics import NormalDist
from typing import Final, NamedTuple

from oddsdesk.base.texts import N_

DEFAULT_METHOD: Final = "margin_proportional"
PUBLISHED: Final = "published"
_NO_MARGIN: Final = 1e-12
"""An S this close to 1 is 1: what is left is rounding of the odds' reciprocals."""
_LEAST_PROBABILITY: Final = sys.float_info.min
"""Below it the fair odds would be infinite, or known to a few digits only."""

_Solution = tuple[Sequence[float], float | None]


class DevigError(ValueError):
    """Odds that nothing can be taken out of, or an unknown method; the message says which."""


class NotApplicableError(DevigError):
    """The method has no answer to these odds; the message says why."""


class Fair(NamedTuple):
    """Prices without margin, in the order of the odds."""

    probabilities: tuple[float, ...]
    fair_odds: tuple[float, ...]
    parameter: float | None
    """What the method solved for, named in the formula of its function; None: nothing."""


def devig(method: str, odds: Sequence[float]) -> Fair:
    """Return the fair prices behind the decimal odds of all outcomes of one line group.

    Raises:
        NotApplicableError: the method gives one of the odds a probability outside (0, 1).
        DevigError: unknown method, odds that are no decimal odds, fewer than two outcomes.
    """
    formula = _FORMULAS.get(method)
    if formula is None:
        raise DevigError(f"unknown method {method!r}, expected one of {', '.join(METHODS)}")
    _check(odds)
    try:
        probabilities, parameter = formula([1 / price for price in odds])
    except ArithmeticError as error:
        raise NotApplicableError(f"these odds are beyond floating point: {error}") from error
    for price, probability in zip(odds, probabilities, strict=True):
        if not _LEAST_PROBABILITY <= probability < 1:
            raise NotApplicableError(
                f"odds {price} get a probability of {probability:.6g}, not in (0, 1)"
            )
    return Fair(tuple(probabilities), tuple([1 / p for p in probabilities]), parameter)


def overround(odds: Sequence[float]) -> float:
    """Return S, the sum of the implied probabilities: 1.018 is a margin of 1.8 %.

    Raises:
        DevigError: these are no decimal odds of two or more outcomes.
    """
    _check(odds)
    return math.fsum([1 / price for price in odds])


def _check(odds: Sequence[float]) -> None:
    if len(odds) < 2:
        raise DevigError(f"expected the odds of at least two outcomes, got {len(odds)}")
    for price in odds:
        if not 1 < price < math.inf:
            raise DevigError(f"expected decimal odds, a finite number above 1, got {price}")


def _margin_proportional(implied: float, total: float, outcomes: int) -> float:
    """Margin proportional to the odds: fair = n*o / (n - M*o), so p = q - M/n.

    Buchdahl, "The Wisdom of the Crowd" (football-data.co.uk, 2015). It is step 2 of the
    specification with TRJ read as the return rate 1/S. The additive method is the
    same: Clarke, Kovalchik, Ingram (2017), Adjusting Bookmaker's Odds to Allow for
    Overround, American Journal of Sports Science 5(6).
    """
    return implied - (total - 1) / outcomes


def _published(implied: float, total: float, outcomes: int) -> float:
    """Steps 1 and 2 of the specification to the letter, TRJ the sum: it *adds* margin.

    fair = n*o / (n - o*(1/S - 1)), so p = q + (1 - 1/S)/n and the sum of p is above S.
    """
    return implied - (1 / total - 1) / outcomes


def _multiplicative(implied: float, total: float, outcomes: int) -> float:
    """p = q/S: basic normalisation, as in Clarke, Kovalchik, Ingram (2017)."""
    return implied / total


FROM_TOTAL: Final[dict[str, Callable[[float, float, int], float]]] = {
    DEFAULT_METHOD: _margin_proportional,
    "additive": _margin_proportional,
    "multiplicative": _multiplicative,
    PUBLISHED: _published,
}
"""Methods that need of the other outcomes only S and n: p by (q, S, n)."""


def _each(formula: Callable[[float, float, int], float]) -> Callable[[Sequence[float]], _Solution]:
    def solve(implied: Sequence[float]) -> _Solution:
        total, outcomes = math.fsum(implied), len(implied)
        return [formula(q, total, outcomes) for q in implied], None

    return solve


def _power(implied: Sequence[float]) -> _Solution:
    """p = q^k with k such that the sum is 1: Clarke, Kovalchik, Ingram (2017)."""

    def excess(k: float) -> float:
        return math.fsum([q**k for q in implied]) - 1

    k = _solve(excess, 0.0, 2.0, neutral=1.0)
    return [q**k for q in implied], k


def _odds_ratio(implied: Sequence[float]) -> _Solution:
    """q/(1-q) = c * p/(1-p) with one c for all: Cheung, "Fixed-odds betting and traditional
    odds" (sportstradingnetwork.com, 2015)."""

    def fair(log_c: float) -> list[float]:
        c = math.exp(log_c)
        return [q / (q + c * (1 - q)) for q in implied]

    log_c = _solve(lambda x: math.fsum(fair(x)) - 1, -1.0, 1.0, neutral=0.0)
    return fair(log_c), math.exp(log_c)


def _shin(implied: Sequence[float]) -> _Solution:
    """p = (sqrt(z^2 + 4(1-z) q^2/S) - z) / (2(1-z)), z the share of insiders.

    Shin (1993), Measuring the Incidence of Insider Trading in a Market for State-Contingent
    Claims, Economic Journal 103; this form: Jullien, Salanié (1994). Written without the
    cancellation at z = 1, and without the square of q, which long odds have none of.
    Insiders cannot explain prices below fair ones, so S >= 1.
    """
    total = math.fsum(implied)
    if total < 1 - _NO_MARGIN:
        raise NotApplicableError(
            f"a margin is needed, the implied probabilities add up to {total:.6g}"
        )
    if total <= 1 + _NO_MARGIN:
        return [q / total for q in implied], 0.0
    shares = [q / math.sqrt(total) for q in implied]

    def fair(z: float) -> list[float]:
        double = 2 * math.sqrt(1 - z)
        return [r * (2 * r / (z + math.hypot(z, double * r))) for r in shares]

    z = find_root(lambda z: math.fsum(fair(z)) - 1, 0.0, 1.0)
    return fair(z), z


def _goto(implied: Sequence[float]) -> _Solution:
    """p = q - t*sqrt(1-q): the margin as equally many standard errors of each price.

    Goto (2021), goto_conversion (github.com/gotoConversion/goto_conversion), where the
    standard error sqrt(q(1-q)/q) is that of a bet's return.
    """
    errors = [math.sqrt(1 - q) for q in implied]
    t = (math.fsum(implied) - 1) / math.fsum(errors)
    return [q - t * error for q, error in zip(implied, errors, strict=True)], None


def _probit(implied: Sequence[float]) -> _Solution:
    """p = Phi(Phi^-1(q) - c): one shift on the probit scale, as in McCullagh, Nelder (1989),
    Generalized Linear Models, chapter 4, and among devig methods at rifterlabs.com."""
    normal = NormalDist()
    scores = [normal.inv_cdf(q) for q in implied]

    def fair(c: float) -> list[float]:
        return [0.5 * math.erfc((c - score) * math.sqrt(0.5)) for score in scores]

    c = _solve(lambda c: math.fsum(fair(c)) - 1, -1.0, 1.0, neutral=0.0)
    return fair(c), c


def _solve(excess: Callable[[float], float], low: float, high: float, *, neutral: float) -> float:
    """Return where the probabilities' falling excess over 1 is 0; ``neutral`` without a margin."""
    if abs(excess(neutral)) <= _NO_MARGIN:
        return neutral
    try:
        if excess(low) < 0:
            low = -widen(lambda x: -excess(-x), -high, -low)
        return find_root(excess, low, widen(excess, low, high))
    except ArithmeticError as error:
        raise NotApplicableError(
            f"no margin was found that these odds could hold: {error}"
        ) from error


_FORMULAS: Final[dict[str, Callable[[Sequence[float]], _Solution]]] = {
    DEFAULT_METHOD: _each(_margin_proportional),
    "multiplicative": _each(_multiplicative),
    "additive": _each(_margin_proportional),
    "power": _power,
    "odds_ratio": _odds_ratio,
    "shin": _shin,
    "goto": _goto,
    "probit": _probit,
    PUBLISHED: _each(_published),
}
METHODS: Final = tuple(_FORMULAS)
"""Names of the methods; ``published`` last, which adds margin instead of taking it out."""
_WORDS: Final = {
    "additive": N_("additive"),
    "goto": N_("goto conversion"),
    "margin_proportional": N_("margin proportional"),
    "multiplicative": N_("multiplicative"),
    "odds_ratio": N_("odds ratio"),
    "power": N_("power"),
    "probit": N_("probit"),
    "published": N_("published"),
    "shin": N_("shin"),
}


def method_words(method: str) -> str:
    """Return what people call a method, as part of a sentence."""
    return _WORDS.get(method, method.replace("_", " "))


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
