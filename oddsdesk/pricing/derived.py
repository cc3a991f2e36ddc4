"""Fair prices for lines that the reference does not price, from those that it does.

*Implied* prices follow from the reference's fair probabilities by arithmetic. *Modelled* prices are
read off a distribution of scores that was fitted to all of its lines, and have an error band.
"""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Final, NamedTuple

from oddsdesk.contract.markets import MARKETS, Form
from oddsdesk.pricing.implied import Implied, ImpliedLines
from oddsdesk.pricing.selections import LineGroup, complete_forms, handicap_text
from oddsdesk.pricing.value import MIN_OVERROUND, Derived, LineName, ReferenceLine, ReferencePrice


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
        """Take the reference's own lines; a model is fitted when one is first asked for.

        Lines that are not complete, crossed, without fair odds or of another state are left out.
        """
        self._sport = sport
        self._bands = bands
        self._period = period
        self._in_play = in_play
        self._lines = {
            LineName(line.market_type, line.group.key): line
            for line in lines
            if line.derived is None and line.overround is not None
            if line.overround >= MIN_OVERROUND
            if line.is_live is None or line.is_live == in_play
            if all(price.fair_odds is not None for price in line.prices.values())
        }

    @cached_property
    def _implied(self) -> ImpliedLines:
        return ImpliedLines(self._sport, self._lines.values(), in_play=self._in_play)

    def line(self, market_type: str, group: LineGroup) -> ReferenceLine | None:
        """Return a line group as it is derived; None where it cannot be or need not be.

        Its ``overround`` is the largest of the lines that it comes from, ``scraped_at`` the
        earliest. Its sides are all that have a price, whichever of them a bookmaker offers.
        """
        if LineName(market_type, group.key) in self._lines:
            return None
        found = self._implied.find(market_type, group)
        return None if found is None else self._derived(market_type, group, found)

    def _derived(self, market_type: str, group: LineGroup, found: Implied) -> ReferenceLine:
        sources = found.sources
        states = {line.is_live for line in sources} - {None}
        return ReferenceLine(
            market_type,
            _whole_group(self._sport, market_type, group, found.chances),
            {side: ReferencePrice(1 / p, 0.0, 1 / p) for side, p in found.chances.items()},
            max(line.overround or 0.0 for line in sources),
            min(line.scraped_at for line in sources),
            states.pop() if states else None,
            Derived(
                "implied",
                tuple(LineName(line.market_type, line.group.key) for line in sources),
                found.push,
                {},
            ),
        )


def _whole_group(sport: str, market_type: str, group: LineGroup, sides: Iterable[str]) -> LineGroup:
    """Return a line group with all sides that are priced, in the spelling of what is offered."""
    spelled = dict(zip(group.sides, group.selections, strict=False))
    priced = tuple(sides)
    return LineGroup(
        group.key,
        group.line,
        tuple(spelled.get(side) or selection_text(market_type, group.key, side) for side in priced),
        priced,
        priced in complete_forms(market_type, sport),
    )


_TEAMS: Final = {"home": "Home", "draw": "Draw", "away": "Away"}


def selection_text(market_type: str, key: str, side: str) -> str:
    """Return a selection as the contract writes it, with ``Home`` and ``Away`` for the teams."""
    market = MARKETS[market_type]
    match market.form:
        case Form.HANDICAP:
            line = float(key) if side != "away" else -float(key)
            return f"{_TEAMS[side]} {handicap_text(line + 0.0)}"
        case Form.WINNER:
            return _TEAMS[side]
        case Form.DOUBLE_CHANCE:
            return side
    about, _, line_ = key.rpartition(" ")
    if market.form is Form.QUESTION:
        about, line_ = key, ""
    return " ".join(word for word in (about, side.capitalize(), line_) if word)
