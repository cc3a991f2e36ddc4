"""How often prices change: by the time to the kick-off, corrected by what polls find (D68)."""

import math
from bisect import bisect_right
from typing import Final

import msgspec

from oddsdesk.contract.times import MINUTE_MS

HOUR_MS: Final = 60 * MINUTE_MS
_SPANS: Final = (
    (0.0, 0.62),
    (0.25, 0.41),
    (1.0, 0.32),
    (3.0, 0.25),
    (12.0, 0.20),
    (24.0, 0.11),
    (48.0, 0.085),
)
"""From how many hours before the kick-off on a price changes how often an hour: three-way prices
of the World Cup 2026, six hours apart, by ``-ln(1-p)/dt``. In play as shortly before it."""
_RATES: Final = tuple(rate for _, rate in _SPANS)
_ENDS: Final = (*(begin for begin, _ in _SPANS[1:]), math.inf)

_PRIOR_POLLS: Final = 4.0
"""How many polls the starting rates count for."""
_REMEMBERED_POLLS: Final = 256.0
_LEAST_FACTOR: Final = 0.1
_MOST_FACTOR: Final = 10.0


def starting_rate(kick_off: int, now_ms: int) -> float:
    """Return how many times an hour a price of a game changes, as long as nothing is learned."""
    return _RATES[bisect_right(_ENDS, (kick_off - now_ms) / HOUR_MS)]


def starting_changes(kick_off: int, since_ms: int, until_ms: int) -> float:
    """Return how many times a price changes between two moments by the starting rates."""
    return _changes_before(kick_off - since_ms) - _changes_before(kick_off - until_ms)


def _changes_before(lead_ms: int) -> float:
    """Return the changes from so long before the kick-off until it, negative after it."""
    hours = lead_ms / HOUR_MS
    if hours <= 0:
        return hours * _SPANS[0][1]
    spans = zip(_SPANS, _ENDS, strict=True)
    return sum(rate * (min(hours, end) - begin) for (begin, rate), end in spans if hours > begin)


class Learned(msgspec.Struct):
    """How much faster or slower the prices of a job change than the starting rates say.

    Sums over polls, of which older ones count less: how many, the shares of prices that differed,
    and how many changes a price was to have had since the poll before.
    """

    polls: float = 0.0
    differed: float = 0.0
    expected: float = 0.0

    def note(self, share: float, expected: float) -> None:
        """Take in a poll.

        Args:
            share: Of the prices that the poll before had, too, how many differed.
            expected: How many times each was to change since, by the starting rates.
        """
        keep = 1 - 1 / _REMEMBERED_POLLS
        self.polls = self.polls * keep + 1
        self.differed = self.differed * keep + share
        self.expected = self.expected * keep + expected

    @property
    def factor(self) -> float:
        """What the starting rates are multiplied with: ``-ln(1-p)/dt``, smoothed.

        ``dt`` counts in changes by the starting rates, so that what is learned days before a game
        holds in its last hour. Some polls that say what these rates say are added.
        """
        if self.expected <= 0:
            return 1.0
        mean = self.expected / self.polls
        polls = self.polls + _PRIOR_POLLS
        share = (self.differed - math.expm1(-mean) * _PRIOR_POLLS) / polls
        rate = -math.log1p(-min(share, 1 - 1 / (2 * polls)))
        return min(max(rate / mean, _LEAST_FACTOR), _MOST_FACTOR)
