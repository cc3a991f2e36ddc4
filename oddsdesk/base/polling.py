"""How often to read each of several things with changing prices, if reading costs.

Prices that change ``l`` times an hour and are read ``f`` times an hour have ``l / 2f`` unseen
changes on average. Their sum with weights ``w`` is smallest, for a budget of ``B`` credits an hour
and costs ``c``, with ``f = B * sqrt(w*l/c) / sum(sqrt(w*l*c))``.
"""

import math
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Final

import msgspec

from oddsdesk.base.texts import N_
from oddsdesk.contract.times import HOUR_MS, MINUTE_MS, WINDOW_MS, format_ms


class Reading(msgspec.Struct, frozen=True):
    """One thing to read repeatedly."""

    cost: float
    """Credits per reading; above 0."""
    weight: float
    """Its importance: watched games times markets."""
    change_rate: float
    """Changes an hour."""
    most: float = math.inf
    """The most readings an hour that can find something new; above 0."""

    @property
    def pull(self) -> float:
        """Its share of readings, relative to others below their ``most``."""
        return math.sqrt(self.weight * self.change_rate / self.cost)


def poll_rates(readings: Sequence[Reading], budget: float) -> list[float]:
    """Return how many times an hour to read each; together within the budget.

    What is left over by those at their ``most`` is shared among the others.

    Args:
        readings: The things to read.
        budget: Credits an hour.
    """
    level = _level(readings, max(budget, 0.0))
    return [min(each.most, level * each.pull) if each.pull > 0 else 0.0 for each in readings]


def need(readings: Iterable[Reading]) -> float:
    """Return the number that a budget should be proportional to: ``sum(sqrt(w*l*c))``.

    Then the sum of unseen changes is smallest over busy and quiet times.
    """
    return math.fsum(each.pull * each.cost for each in readings)


def _level(readings: Iterable[Reading], budget: float) -> float:
    """Return the factor of all pulls that spends the budget; inf if all are at their most."""
    waiting = sorted((each for each in readings if each.pull > 0), key=_full_at)
    costs = [each.pull * each.cost for each in waiting]
    left = budget
    for number, each in enumerate(waiting):
        level = left / math.fsum(costs[number:])
        if level <= _full_at(each):
            return level
        left -= each.cost * each.most
    return math.inf


def _full_at(reading: Reading) -> float:
    return reading.most / reading.pull


_SPANS: Final = (
    (0.0, 0.62),
    (0.25, 0.41),
    (1.0, 0.32),
    (3.0, 0.25),
    (12.0, 0.20),
    (24.0, 0.11),
    (48.0, 0.085),
)
"""By hours before the kick-off, how often a price changes an hour: three-way prices of the World
Cup 2026, six hours apart, by ``-ln(1-p)/dt``. In play as shortly before it."""
_RATES: Final = tuple(rate for _, rate in _SPANS)
_ENDS: Final = (*(begin for begin, _ in _SPANS[1:]), math.inf)

_PRIOR_POLLS: Final = 4.0
"""How many polls the starting rates count for."""
_REMEMBERED_POLLS: Final = 256.0
_LEAST_FACTOR: Final = 0.1
_MOST_FACTOR: Final = 10.0


def starting_rate(kick_off: int, now_ms: int) -> float:
    """Return how many times an hour a game's price changes, while nothing is learned."""
    return _RATES[bisect_right(_ENDS, (kick_off - now_ms) / HOUR_MS)]


def starting_changes(kick_off: int, since_ms: int, until_ms: int) -> float:
    """Return how often a price changes between two moments by the starting rates."""
    return _changes_before(kick_off - since_ms) - _changes_before(kick_off - until_ms)


def _changes_before(lead_ms: int) -> float:
    """Return the changes from this long before the kick-off until it, negative after it."""
    hours = lead_ms / HOUR_MS
    if hours <= 0:
        return hours * _SPANS[0][1]
    spans = zip(_SPANS, _ENDS, strict=True)
    return sum(rate * (min(hours, end) - begin) for (begin, rate), end in spans if hours > begin)


class Learned(msgspec.Struct):
    """How much faster or slower a job's prices change than the starting rates.

    Sums over polls, with less weight for older ones: their number, the shares of changed prices,
    and the expected changes of a price since the previous poll.
    """

    polls: float = 0.0
    differed: float = 0.0
    expected: float = 0.0

    def note_poll(self, share: float, expected: float) -> None:
        """Add a poll.

        Args:
            share: The share of the previous poll's prices that differ.
            expected: The expected changes of each since then, by the starting rates.
        """
        keep = 1 - 1 / _REMEMBERED_POLLS
        self.polls = self.polls * keep + 1
        self.differed = self.differed * keep + share
        self.expected = self.expected * keep + expected

    @property
    def factor(self) -> float:
        """The factor for the starting rates: ``-ln(1-p)/dt``, smoothed.

        ``dt`` counts in changes by the starting rates, so that lessons from days before a game hold
        in its last hour. Some polls with exactly these rates are added.
        """
        if self.expected <= 0:
            return 1.0
        mean = self.expected / self.polls
        polls = self.polls + _PRIOR_POLLS
        share = (self.differed - math.expm1(-mean) * _PRIOR_POLLS) / polls
        rate = -math.log1p(-min(share, 1 - 1 / (2 * polls)))
        return min(max(rate / mean, _LEAST_FACTOR), _MOST_FACTOR)


_TOGETHER_MS: Final = 5_000
"""Prices scraped this close to each other came in together (ms)."""
_KEPT: Final = 60
_KNOWN_MS: Final = 2 * MINUTE_MS
"""This much pause shows what is usual: sources are read one by one, at a start all at once."""
_SILENT_AFTER: Final = 2
"""In usual pauses, which ignore the longest of the latest, so that one silence is not learned."""
_AT_LEAST_MS: Final = 30_000
_UNSEEN_MS: Final = MINUTE_MS
"""After a break in looking this long, as in sleep, or a clock set back as much, the usual pauses
are unknown."""


class Arrivals:
    """Tracks when the newest price was scraped, and whether that is longer ago than usual.

    Usual pauses are learned: a source read every ten minutes is not silent after one. Until then
    ten minutes count, after which no list has a price. Times in milliseconds, by the service's
    clock.
    """

    def __init__(self) -> None:
        self._newest = 0
        self._pauses: deque[int] = deque(maxlen=_KEPT)
        self._since = self._looked_at = 0
        """The first and the last look without a break."""

    def begin_counting(self) -> None:
        """Start counting with the next look."""
        self._looked_at = 0

    def note_newest(self, newest: int, now_ms: int) -> None:
        """Note when the newest price was scraped, according to the service."""
        if abs(now_ms - self._looked_at) > _UNSEEN_MS:
            self._since = now_ms
        self._looked_at = now_ms
        pause = newest - self._newest
        if pause >= _TOGETHER_MS and self._newest >= self._since:
            self._pauses.append(pause)
        self._newest = newest

    def silent_since(self) -> int | None:
        """Return when the newest was scraped, if that was too long ago at the last look.

        None if no price is expected: a database of old ones without a feed.
        """
        newest, since = self._newest, self._since
        if not self._pauses and newest < since - WINDOW_MS:
            return None
        is_silent = self._looked_at - max(newest, since) > self._patience_ms()
        return newest if is_silent else None

    def _patience_ms(self) -> int:
        usual = sorted(self._pauses)[:-1]
        if sum(usual) < _KNOWN_MS:
            return WINDOW_MS
        return max(_AT_LEAST_MS, usual[-1] * _SILENT_AFTER)


class SilenceReporter:
    """Logs once that no price comes in any more, and once that prices come in again."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report = report
        self._is_reported = False

    def note_silence(self, since: int | None) -> None:
        """Handle the current ``Arrivals.silent_since``."""
        if self._is_reported is (since is not None):
            return
        self._is_reported = since is not None
        if since is None:
            self._report(N_("odds are coming in again"))
        else:
            self._report(N_(f"no odds since {format_ms(since)}: longer than usual"))
