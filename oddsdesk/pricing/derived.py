"""Fair prices for lines that the reference does not price, from those that it does.

*Implied* prices follow from the reference's fair probabilities by arithmetic. *Modelled* prices are
read off a distribution of scores that was fitted to all of its lines, and have an error band.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from oddsdesk.pricing.selections import LineGroup
from oddsdesk.pricing.value import ReferenceLine


class BandKey(NamedTuple):
    """A cell of the table of error bands."""

    sport: str
    market_type: str
    distance: str
    """From the nearest line of the market that the reference prices, in its unit (goals, points,
    games): ``0.5``, ``1``, ``2`` (above 1), ``more``, or ``none`` where it prices none."""


class Band(NamedTuple):
    """An error that was measured by leaving one line out."""

    error: float
    """The 90th percentile of the absolute error in probability."""
    lines: int
    """How many lines it was measured on."""


Bands = Mapping[BandKey, Band]
LEAST_LINES = 30
"""A cell measured on fewer lines gives no price."""


class FairGame:
    """Derives the lines of one period of a game, which is in play or is not."""

    def __init__(
        self,
        sport: str,
        lines: Iterable[ReferenceLine],
        bands: Bands,
        *,
        period: int = 0,
        in_play: bool = False,
    ) -> None:
        """Take the reference's own lines; a model is fitted when one is first asked for."""
        self._lines = list(lines)

    def line(self, market_type: str, group: LineGroup) -> ReferenceLine | None:
        """Return a line group as it is derived; None where it cannot be.

        Its ``overround`` is the largest of the lines that it comes from, ``scraped_at`` the
        earliest.
        """
        return None
