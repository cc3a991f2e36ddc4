"""Figures, and confidence intervals by formula: 95 %."""

import math
from array import array
from collections.abc import Iterable, Sequence
from functools import lru_cache
from statistics import NormalDist, fmean, median
from typing import Final, NamedTuple, TypeAlias

import msgspec

Ends: TypeAlias = tuple[float | None, float | None]
"""The ends of an interval; None if there is too little data."""

SHARE: Final = 0.95
LEAST_GAMES: Final = 10
"""With fewer, no figure of a backtest or a scorecard has an interval: all may agree by luck."""
_Z: Final = NormalDist().inv_cdf((1 + SHARE) / 2)
_LEAST_TOSSES: Final = 6
"""With fewer, no order statistics cover ``SHARE``."""
_HAIR: Final = 1e-9


class Interval(msgspec.Struct, frozen=True):
    """A figure, its count, and its interval.

    The figure is None without data; the ends are None if there is too little data.
    """

    figure: float | None
    count: int
    low: float | None
    high: float | None


class Ratio(NamedTuple):
    """A figure of bets: a sum over them, divided by another sum."""

    parts: Sequence[float | None]
    """One number for each bet; None if the bet says nothing about the figure."""
    divisors: Sequence[float] | None = None
    """One for each bet; None if the figure is the sum itself."""

    @property
    def figure(self) -> float | None:
        """The figure; None if no bet says anything about it."""
        told = [part for part in self.parts if part is not None]
        if self.divisors is None:
            return math.fsum(told) if told else None
        pairs = zip(self.parts, self.divisors, strict=True)
        under = math.fsum(each for part, each in pairs if part is not None)
        return math.fsum(told) / under if under else None


class Sample:
    """Numbers with game and weight; ``len`` is the count."""

    def __init__(self) -> None:
        self.values = array("d")
        self.games = array("l")
        self.weights = array("d")

    def add_value(self, value: float, game: int, weight: float = 1.0) -> None:
        """Add a number; numbers with the same ``game`` are correlated.

        ``weight`` is above 0 and at most 1: a half-decided bet weighs a half. Medians ignore it.
        """
        self.values.append(value)
        self.games.append(game)
        self.weights.append(weight)

    def __len__(self) -> int:
        return len(self.values)


def mean_of(sample: Sample) -> Interval:
    """Return a weighted mean with Student's interval (1908) by games; needs ``LEAST_GAMES``.

    Numbers of one game are correlated, so games are the independent units. The variance is that of
    Bell and McCaffrey, "Bias reduction in standard errors for linear regression with multi-stage
    samples", Survey Methodology 28 (2002), which for a mean is ``sum(e_g^2 / (1 - w_g/w)) / w^2``
    with ``e_g`` the weighted sum of the deviations in a game of weight ``w_g``. Degrees of freedom
    are one less than the effective number of games, ``w^2 / sum(w_g^2)`` (Carter, Schnepel and
    Steigerwald, "Asymptotic behavior of a t-test robust to cluster heterogeneity", Review of
    Economics and Statistics 99, 2017). With one number per game, all of weight 1, it is Student's
    own interval.
    """
    if not sample:
        return Interval(None, 0, None, None)
    middle, count = fmean(sample.values, sample.weights), len(sample)
    within = _within(sample, middle)
    if within is None:
        return Interval(middle, count, None, None)
    error = math.sqrt(within.variance * within.effect) / math.fsum(sample.weights)
    reach = student(within.freedom) * error
    return Interval(middle, count, middle - reach, middle + reach)


def median_of(sample: Sample) -> Interval:
    """Return a median with the interval of order statistics; needs ``LEAST_GAMES``.

    David and Nagaraja, "Order Statistics", 7.1: for any distribution, the median lies between the
    k-th smallest and the k-th largest as often as k or more of n coin tosses are heads. Numbers of
    one game count as fewer tosses, namely as many as have the same variance (Woodruff,
    "Confidence intervals for medians and other position measures", JASA 47, 1952).
    """
    ordered, count = sorted(sample.values), len(sample)
    if not count:
        return Interval(None, 0, None, None)
    middle, sides = median(ordered), Sample()
    for each, game in zip(sample.values, sample.games, strict=True):
        sides.add_value(float((each > middle) - (each < middle)), game)
    tosses = _independent(sides)
    if tosses < _LEAST_TOSSES:
        return Interval(middle, count, None, None)
    rank = max(math.floor(count * (1 - _Z / math.sqrt(tosses)) / 2), 0)
    return Interval(middle, count, ordered[rank], ordered[-1 - rank])


def share_of(sample: Sample) -> Interval:
    """Return the percentage of ones among ones and zeros, with Wilson's interval (1927).

    Needs ``LEAST_GAMES``.

    Numbers of one game count as the number of tosses with the same variance (Korn and Graubard,
    "Confidence intervals for proportions with small expected number of positive counts estimated
    from survey data", Survey Methodology 24, 1998).
    """
    if not sample:
        return Interval(None, 0, None, None)
    share = fmean(sample.values, sample.weights)
    tosses = _independent(sample)
    if not tosses:
        return Interval(share * 100, len(sample), None, None)
    z2 = _Z * _Z
    middle = (share + z2 / (2 * tosses)) / (1 + z2 / tosses)
    reach = _Z / (1 + z2 / tosses) * math.sqrt(share * (1 - share) / tosses + z2 / (4 * tosses**2))
    low, high = max(middle - reach, 0.0) * 100, (middle + reach) * 100
    return Interval(share * 100, len(sample), low, high)


class _Within(NamedTuple):
    """How much less information numbers have because some share a game."""

    variance: float
    """Variance of the weighted sum of as many independent numbers."""
    effect: float
    """Variance of the actual sum over that (Kish's design effect).

    At least 1: no credit is given for sides of a game that even out.
    """
    freedom: int


def _within(sample: Sample, middle: float) -> _Within | None:
    """Return the clustering effect on a mean; None with fewer than ``LEAST_GAMES``."""
    sums = dict[int, tuple[float, float]]()
    alone = list[tuple[float, float]]()
    for value, game, weight in zip(sample.values, sample.games, sample.weights, strict=True):
        part = weight * (value - middle), weight
        alone.append(part)
        before = sums.get(game, (0.0, 0.0))
        sums[game] = before[0] + part[0], before[1] + part[1]
    if len(sums) < LEAST_GAMES:
        return None
    whole = math.fsum(sample.weights)
    effective = _effective(sums.values(), whole)
    freedom = max(math.floor(effective + _HAIR) - 1, 1)
    by_number = _variance(alone, whole)
    if len(sums) == len(sample) or by_number <= 0:
        return _Within(by_number, _effective(alone, whole) / effective, freedom)
    return _Within(by_number, max(_variance(sums.values(), whole) / by_number, 1.0), freedom)


def _variance(parts: Iterable[tuple[float, float]], whole: float) -> float:
    """Return the variance of a sum of parts, each a deviation with its weight."""
    return math.fsum(e * e / (1 - weight / whole) for e, weight in parts)


def _effective(parts: Iterable[tuple[float, float]], whole: float) -> float:
    """Return the number of equal parts with the same certainty."""
    return whole * whole / math.fsum(weight * weight for _, weight in parts)


def _independent(sample: Sample) -> float:
    """Return the number of independent numbers with the same certainty; 0 if too few games.

    Few games count for even less, because Student's interval is wider for them.
    """
    within = _within(sample, fmean(sample.values, sample.weights))
    if within is None:
        return 0.0
    weights = [(0.0, weight) for weight in sample.weights]
    numbers = _effective(weights, math.fsum(sample.weights))
    wider = student(within.freedom) / student(max(math.floor(numbers + _HAIR) - 1, 1))
    return numbers / within.effect / (wider * wider)


@lru_cache(maxsize=256)
def student(freedom: int, normal: float = _Z) -> float:
    """Return how many standard errors cover as much as ``normal`` ones cover with no end of data.

    That is ``SHARE`` unless ``normal`` is given. Abramowitz and Stegun, 26.7.5, within 0.2 % from
    three degrees of freedom on; for ``SHARE`` with fewer in closed form.
    """
    if normal == _Z and freedom == 1:
        return math.tan(math.pi * SHARE / 2)
    if normal == _Z and freedom == 2:
        return SHARE * math.sqrt(2 / (1 - SHARE * SHARE))
    z = normal
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + math.fsum(term / freedom**power for power, term in enumerate(terms, 1))
