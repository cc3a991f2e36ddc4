"""Fair prices for lines that the reference does not price, from those that it does.

*Implied* prices follow from the reference's fair probabilities by arithmetic. *Modelled* prices are
read off a distribution of scores that was fitted to all of its lines, and have an error band.
"""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Final, Literal, NamedTuple

from oddsdesk.contract.markets import MARKETS, Form, market_title
from oddsdesk.pricing.implied import Implied, ImpliedLines
from oddsdesk.pricing.score_models import Line, Model, fitted_model, has_model
from oddsdesk.pricing.selections import DRAW, LineGroup, complete_forms, handicap_text
from oddsdesk.pricing.value import (
    MIN_OVERROUND,
    Derived,
    LineName,
    ReferenceLine,
    ReferencePrice,
    subject,
)


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
LEAST_LINES: Final = 30
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
        start: Model | None = None,
    ) -> None:
        """Take the reference's own lines; a model is fitted when one is first asked for.

        Lines that are not complete, crossed, without fair odds or of another state are left out.
        The fit is faster from ``start``, the ``model`` of the same game before its lines moved.
        """
        self._sport = sport
        self._bands = bands
        self._period = period
        self._in_play = in_play
        self._start = start
        self._lines = {
            LineName(line.market_type, line.group.key): line
            for line in lines
            if line.derived is None and line.overround is not None
            if line.overround >= MIN_OVERROUND
            if line.is_live is None or line.is_live == in_play
            if all(price.fair_odds is not None for price in line.prices.values())
        }

    @cached_property
    def model(self) -> Model | None:
        """The model of this period; None in play, without one of the sport or with few lines.

        It may miss its own lines by more than their bands: ``line`` gives no price then.
        """
        if self._in_play:
            return None
        lines = [
            Line(*name, side, 1 / price.fair_odds)
            for name, line in self._lines.items()
            for side, price in line.prices.items()
            if price.fair_odds is not None
        ]
        return fitted_model(self._sport, lines, period=self._period, start=self._start)

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
        if found is not None:
            return self._derived(market_type, group, found, "implied", {})
        band = self._band(market_type, group)
        if band is None or self._worst_miss(band) is not None:
            return None
        found = self._modelled(market_type, group)
        if found is None:
            return None
        bands = dict.fromkeys(found.chances, band.error)
        return self._derived(market_type, group, found, "modelled", bands)

    def why_not(self, market_type: str, group: LineGroup) -> str:
        """Return why a line group has no derived price, as a clause; empty where it has one."""
        if LineName(market_type, group.key) in self._lines:
            return "the reference prices this line itself"
        if self._implied.find(market_type, group) is not None:
            return ""
        if self._in_play:
            return "in play only double chance and draw no bet follow from the match result"
        if not has_model(self._sport):
            return "the reference's lines do not imply it, and this sport has no model"
        if self.model is None:
            return "the reference's lines do not imply it, and are too few to fit a model"
        if self._modelled(market_type, group) is None:
            return "the reference's lines do not imply it, and the model does not know this bet"
        band = self._band(market_type, group)
        if band is None:
            return self._unmeasured(market_type, group)
        worst = self._worst_miss(band)
        if worst is None:
            return ""
        line, miss, most = worst
        text = selection_text(line.market_type, line.key, line.side)
        return (
            f"the model misses {market_title(line.market_type)} {text} of the reference by "
            f"{abs(miss) * 100:.1f} percentage points; its band is {most * 100:.1f}"
        )

    def _unmeasured(self, market_type: str, group: LineGroup) -> str:
        cell = self._bands.get(self._band_key(market_type, group))
        if cell is None:
            return "the error of the model was not measured for such a line"
        return (
            f"the error of the model was measured on {cell.lines} such lines only; "
            f"{LEAST_LINES} are needed"
        )

    def _band_key(self, market_type: str, group: LineGroup) -> BandKey:
        distance = distance_of(market_type, group, self._lines.values())
        return BandKey(self._sport, market_type, distance)

    def _band(self, market_type: str, group: LineGroup) -> Band | None:
        """Return the band of a line; None where too few were measured."""
        band = self._bands.get(self._band_key(market_type, group))
        return None if band is None or band.lines < LEAST_LINES else band

    @cached_property
    def _misses(self) -> list[tuple[float, Line, float, Band | None]]:
        """The model's misses, the worst first: the size, the line, the miss, the line's band."""
        found = [] if self.model is None else self.model.misses
        sized = [(abs(miss), line, miss, self._own_band(line)) for line, miss in found]
        return sorted(sized, key=lambda each: -each[0])

    def _own_band(self, line: Line) -> Band | None:
        name = LineName(line.market_type, line.key)
        return self._band(line.market_type, self._lines[name].group)

    def _worst_miss(self, band: Band) -> tuple[Line, float, float] | None:
        """Return the input that is missed most beyond its band, or ``band`` if it has none."""
        beyond = [
            (size - most, line, miss, most)
            for size, line, miss, own in self._misses
            if size > (most := (own or band).error)
        ]
        return max(beyond)[1:] if beyond else None

    def _modelled(self, market_type: str, group: LineGroup) -> Implied | None:
        model = self.model
        if model is None:
            return None
        push = model.push(market_type, group.key)
        chances = {
            side: chance
            for side in sides_of(market_type, group, self._sport)
            if (chance := model.probability(market_type, group.key, side)) is not None
        }
        if not chances or push is None or not all(0 < p < 1 for p in chances.values()):
            return None
        names = dict.fromkeys((line.market_type, line.key) for line, _ in model.misses)
        return Implied(chances, push, tuple(self._lines[LineName(*name)] for name in names))

    def _derived(
        self,
        market_type: str,
        group: LineGroup,
        found: Implied,
        kind: Literal["implied", "modelled"],
        bands: Mapping[str, float],
    ) -> ReferenceLine:
        sources = found.sources
        states = {line.is_live for line in sources} - {None}
        names = tuple(LineName(line.market_type, line.group.key) for line in sources)
        return ReferenceLine(
            market_type,
            _whole_group(self._sport, market_type, group, found.chances),
            {side: ReferencePrice(None, 0.0, 1 / p) for side, p in found.chances.items()},
            max(line.overround or 0.0 for line in sources),
            min(line.scraped_at for line in sources),
            states.pop() if states else None,
            Derived(kind, names, found.push, bands),
        )


def distance_of(market_type: str, group: LineGroup, lines: Iterable[ReferenceLine]) -> str:
    """Return how far a line is from the nearest other one of its market, as in ``BandKey``."""
    if group.line is None:
        return "none"
    about = subject(group.key)
    nearest = min(
        (
            abs(line.group.line - group.line)
            for line in lines
            if line.market_type == market_type and line.group.line is not None
            if line.group.key != group.key and subject(line.group.key) == about
        ),
        default=None,
    )
    if nearest is None:
        return "none"
    return next((name for most, name in _DISTANCES if nearest <= most), "more")


_DISTANCES: Final = ((0.5, "0.5"), (1.0, "1"), (2.0, "2"))


def sides_of(market_type: str, group: LineGroup, sport: str) -> tuple[str, ...]:
    """Return all sides of a line group; of double chance those that overlap."""
    if market_type == "double_chance":
        return ("1X", "X2", "12")
    forms = complete_forms(market_type, sport)
    has_draw = [form for form in forms if (DRAW in form) == (DRAW in group.sides)]
    return next(iter([*has_draw, *forms]), ())


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
