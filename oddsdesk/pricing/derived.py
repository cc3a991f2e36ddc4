"""Fair prices for lines that the reference does not price, from those that it does.

*Implied* prices follow from the reference's fair probabilities by arithmetic. *Modelled* prices are
read off a distribution of scores that was fitted to all of its lines, and have an error band.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from statistics import median
from typing import Final, NamedTuple

from oddsdesk.base.texts import N_
from oddsdesk.contract.competitions import FOOTBALL
from oddsdesk.contract.markets import MARKETS, TOTALS, Form, market_title
from oddsdesk.pricing.implied import Around, ImpliedLines
from oddsdesk.pricing.score_models import Line, Model, fitted_model, has_model, tells_draw
from oddsdesk.pricing.selections import (
    AWAY,
    DRAW,
    HOME,
    OVER,
    LineGroup,
    complete_forms,
    handicap_text,
    threshold,
)
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
    """To the nearest line of the market that the reference prices, in goals, points or games:
    ``0.5``, ``1``, ``2`` (above 1), ``more``, or ``none`` if it prices no such line."""


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
    """Derives the lines of one period of a game, pre-match or in play."""

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
        """Use the reference's own lines; a model is fitted only when a line needs it.

        Lines that are incomplete, crossed or without fair odds are left out, and so are pre-match
        lines if ``in_play``, else in-play ones. ``start`` is the ``model`` of the same game before
        its lines moved, which makes the fit faster.
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
        """The model of this period; None in play, with too few lines, or if the sport has none.

        If it misses its own lines by more than their bands, ``line`` returns no price.
        """
        if self._in_play:
            return None
        return fitted_model(self._sport, self._inputs, period=self._period, start=self._start)

    @cached_property
    def _inputs(self) -> list[Line]:
        return [
            Line(*name, side, 1 / price.fair_odds)
            for name, line in self._lines.items()
            for side, price in line.prices.items()
            if price.fair_odds is not None
        ]

    @cached_property
    def _lacks_draw(self) -> bool:
        """Whether this is football and no line shows how likely a draw is."""
        return self._sport == FOOTBALL and not tells_draw(self._inputs)

    @property
    def has_fitted(self) -> bool:
        """Whether the model was needed yet."""
        return "model" in self.__dict__

    @cached_property
    def _implied(self) -> ImpliedLines:
        return ImpliedLines(self._sport, self._lines, in_play=self._in_play)

    def line(self, market_type: str, group: LineGroup) -> ReferenceLine | None:
        """Return the derived line of a group; None if it has none, or the reference prices it.

        - ``overround``: the largest of the lines that imply it. For a modelled line, that of the
          nearest line of its market, or the median of all.
        - ``scraped_at``: the earliest of its source lines.
        - ``prices``: all sides, even those that no bookmaker offers.
        """
        implied = self.implied_line(market_type, group)
        return self.modelled_line(market_type, group) if implied is None else implied

    def modelled_line(self, market_type: str, group: LineGroup) -> ReferenceLine | None:
        """Return the modelled line of a group, as ``line`` does if nothing implies it."""
        if (market_type, group.key) in self._lines:
            return None
        band = self._band(market_type, group)
        if band is None or self._lacks_draw or self.model is None:
            return None
        chances, push = self._modelled(self.model, market_type, group)
        if push is None or self._worst_miss(band) is not None:
            return None
        if not self._implied.is_in_order(market_type, group, chances):
            return None
        origin = self._model_origin
        origin = origin._replace(overround=self._margin_near(market_type, group, origin.overround))
        bands = dict.fromkeys(chances, band.error)
        derived = Derived("modelled", origin.names, push, bands)
        return self._derived(market_type, group, chances, origin, derived)

    def implied_line(self, market_type: str, group: LineGroup) -> ReferenceLine | None:
        """Return the implied line of a group, as ``line`` does without a model."""
        if (market_type, group.key) in self._lines:
            return None
        implied = self._implied.find(market_type, group)
        if implied is None:
            return None
        origin = _origin(implied.sources)
        derived = Derived("implied", origin.names, implied.push, {})
        return self._derived(market_type, group, implied.chances, origin, derived)

    def why_not(self, market_type: str, group: LineGroup) -> str:
        """Return why a line group has no derived price, as a clause; empty where it has one."""
        if (market_type, group.key) in self._lines:
            return N_("the sharp book prices this line itself")
        if self._implied.find(market_type, group) is not None:
            return ""
        if self._in_play:
            return N_(
                "in play only double chance and draw no bet are derived, from the match result"
            )
        if self._lacks_draw or self.model is None:
            return N_(f"the other lines do not imply it, and {self._why_no_model()}")
        chances, push = self._modelled(self.model, market_type, group)
        if push is None:
            return N_("the other lines do not imply it, and the model does not cover this bet")
        error = self.model_error(market_type, group)
        if isinstance(error, str):
            return error
        if self._implied.is_in_order(market_type, group, chances):
            return ""
        return N_("the modelled price contradicts the sharp book's nearest line of this market")

    def model_error(self, market_type: str, group: LineGroup) -> float | str:
        """Return by how much the model may be off on a line, in probability.

        That is the line's band. Of a line that the reference prices itself it is at least the
        model's miss there, and a band of few lines counts. If the model cannot be used: why, as a
        clause.
        """
        if self._in_play:
            return N_("there is no model in play")
        if self._lacks_draw or self.model is None:
            return self._why_no_model()
        band = self._band(market_type, group)
        if (market_type, group.key) in self._lines:
            band = self._bands.get(self._band_key(market_type, group))
            miss = self._miss_of(market_type, group.key)
            band = None if band is None else band._replace(error=max(band.error, miss))
        if band is None:
            return self._unmeasured(market_type, group)
        worst = self._worst_miss(band)
        if worst is None:
            return band.error
        line = worst.line
        text = selection_text(line.market_type, line.key, line.side)
        market = market_title(line.market_type)
        return N_(
            f"the model is off by {worst.size * 100:.2f} percentage points on {market} {text}, "
            f"more than the band of {worst.most * 100:.2f}"
        )

    def _miss_of(self, market_type: str, key: str) -> float:
        misses = () if self.model is None else self.model.misses
        own = (abs(miss) for line, miss in misses if line[:2] == (market_type, key))
        return max(own, default=0.0)

    def _why_no_model(self) -> str:
        if not has_model(self._sport):
            return N_("this sport has no model")
        if self._lacks_draw:
            return N_(
                "the model needs a line that depends on the draw: the match result, or two "
                "handicaps half a goal apart around 0"
            )
        return N_("no model fits the game's lines: they are too few, or contradict each other")

    def band_of(self, market_type: str, group: LineGroup) -> tuple[str, Band]:
        """Return the distance of a line, as in ``BandKey``, and its band; (0, 0) if unmeasured."""
        key = self._band_key(market_type, group)
        return key.distance, self._bands.get(key, Band(0.0, 0))

    def steps(
        self,
        market_type: str,
        group: LineGroup,
        say: Callable[[str], str] = str,
        named: Callable[[str], str] = str,
    ) -> list[str]:
        """Return the sum behind an implied line, for people: sources, chances, each side.

        ``say`` translates its words, ``named`` its selections.
        """
        implied = self._implied.find(market_type, group)
        if implied is None or (market_type, group.key) in self._lines:
            return []
        found = [
            f"{say(market_title(line.market_type))}: {_chances_text(line, named)}"
            for line in implied.sources
        ]
        around = implied.around
        if around is not None:
            text = (
                N_("number above {number}: {above}, exactly {number}: {push}, below: {below}")
                if market_type in TOTALS
                else N_(
                    "home margin above {number}: {above}, exactly {number}: {push}, below: {below}"
                )
            )
            found.append(
                say(text).format(
                    number=around.number,
                    above=_percent(around.above),
                    push=_percent(around.push),
                    below=_percent(around.below),
                )
            )
        for side, chance in implied.chances.items():
            sum_ = ""
            if around is not None:
                at = threshold(market_type, group.line) or 0.0
                sum_ = _ladder_sum(around, at - around.number, is_above=side in {HOME, OVER})
            elif market_type == "double_chance":
                rest = f"100 % − {_percent(1 - chance)} = "
                sum_ = _double_chance_sum(implied.sources, side, named) or rest
            text = named(selection_text(market_type, group.key, side))
            fair = say(N_("fair {odds}")).format(odds=f"{1 / chance:.3f}")
            found.append(f"{text} = {sum_}{_percent(chance)}, {fair}")
        return found

    def _unmeasured(self, market_type: str, group: LineGroup) -> str:
        cell = self._bands.get(self._band_key(market_type, group))
        if cell is None:
            return N_("the model's error on lines like this one has not been measured")
        return N_(
            f"the model's error was measured on only {cell.lines} lines like this one; "
            f"{LEAST_LINES} are needed"
        )

    def _band_key(self, market_type: str, group: LineGroup) -> BandKey:
        nearby = self._margins.get((market_type, subject(group.key)), ())
        return BandKey(self._sport, market_type, _distance(group.line, nearby))

    def _margin_near(self, market_type: str, group: LineGroup, usual: float) -> float:
        """Return the sum of 1/odds of the market's nearest line, or ``usual`` if it has no line."""
        nearby, at = self._margins.get((market_type, subject(group.key))), group.line
        if nearby is None or at is None:
            return usual
        return -min([(abs(line - at), -margin) for line, margin in nearby.items()])[1]

    @cached_property
    def _margins(self) -> Mapping[tuple[str, str], Mapping[float, float]]:
        """The sum of 1/odds of each line of the reference, by market and what it is about."""
        found = defaultdict[tuple[str, str], dict[float, float]](dict)
        for line in self._lines.values():
            if line.group.line is not None:
                about = line.market_type, subject(line.group.key)
                found[about][line.group.line] = line.overround or 0.0
        return found

    def _band(self, market_type: str, group: LineGroup) -> Band | None:
        """Return the band of a line; None where too few were measured."""
        band = self._bands.get(self._band_key(market_type, group))
        return None if band is None or band.lines < LEAST_LINES else band

    @cached_property
    def _worst(self) -> tuple["_Miss | None", "_Miss | None"]:
        """The input line missed furthest beyond its band, and the worst one without a band."""
        banded, bandless = list[_Miss](), list[_Miss]()
        narrowest = min([band.error for band in self._bands.values()], default=0.0)
        for line, miss in () if self.model is None else self.model.misses:
            if abs(miss) <= narrowest:
                continue
            group = self._lines[LineName(line.market_type, line.key)].group
            band = self._band(line.market_type, group)
            if band is None:
                bandless.append(_Miss(abs(miss), abs(miss), 0.0, line))
            elif abs(miss) > band.error:
                banded.append(_Miss(abs(miss) - band.error, abs(miss), band.error, line))
        return max(banded, default=None), max(bandless, default=None)

    def _worst_miss(self, band: Band) -> "_Miss | None":
        """Return the input line missed furthest beyond its band, or ``band`` if it has none."""
        banded, bandless = self._worst
        if banded is not None or bandless is None or bandless.size <= band.error:
            return banded
        return bandless._replace(most=band.error)

    def _modelled(
        self, model: Model, market_type: str, group: LineGroup
    ) -> tuple[Mapping[str, float], float | None]:
        """Return the fair probabilities and the push of a line; no push where it has no price."""
        sides = sides_of(market_type, self._sport, has_draw=DRAW in group.sides)
        chances = dict[str, float]()
        for side in sides:
            chance = (
                1 - chances[sides[0]]
                if chances and len(sides) == 2
                else model.probability(market_type, group.key, side)
            )
            if chance is None or not 0 < chance < 1:
                return {}, None
            chances[side] = chance
        if not chances:
            return {}, None
        return chances, model.push(market_type, group.key)

    @cached_property
    def _model_origin(self) -> "_Origin":
        misses = () if self.model is None else self.model.misses
        names = dict.fromkeys(LineName(line.market_type, line.key) for line, _ in misses)
        lines = [self._lines[name] for name in names]
        usual = median([line.overround or 0.0 for line in lines])
        return _origin(lines)._replace(overround=usual)

    def _derived(
        self,
        market_type: str,
        group: LineGroup,
        chances: Mapping[str, float],
        origin: "_Origin",
        derived: Derived,
    ) -> ReferenceLine:
        return ReferenceLine(
            market_type,
            _whole_group(self._sport, market_type, group, tuple(chances)),
            {side: ReferencePrice(None, 0.0, 1 / chance) for side, chance in chances.items()},
            origin.overround,
            origin.scraped_at,
            origin.is_live,
            derived,
        )


def _percent(chance: float) -> str:
    return f"{chance * 100:.2f} %"


def _chances_text(line: ReferenceLine, named: Callable[[str], str]) -> str:
    return ", ".join(
        f"{named(selection_text(line.market_type, line.group.key, side))} {_percent(1 / fair)}"
        for side, price in line.prices.items()
        if (fair := price.fair_odds) is not None
    )


def _double_chance_sum(
    sources: Sequence[ReferenceLine], side: str, named: Callable[[str], str]
) -> str:
    """Return the sum of two match result chances that gives a double chance; empty without one."""
    prices = sources[0].prices
    parts = [
        f"{_in_sum(name, named)} {_percent(1 / fair)}"
        for name in _PARTS[side]
        if (price := prices.get(name)) is not None and (fair := price.fair_odds) is not None
    ]
    return f"{' + '.join(parts)} = " if DRAW in prices and len(parts) == 2 else ""


def _in_sum(side: str, named: Callable[[str], str]) -> str:
    text = named(side.capitalize())
    return side if text == side.capitalize() else text


_PARTS: Final = {"1X": (HOME, DRAW), "X2": (DRAW, AWAY), "12": (HOME, AWAY)}


def _ladder_sum(around: Around, distance: float, *, is_above: bool) -> str:
    """Return the chance of a decided unit as a written sum; empty on half lines.

    ``distance`` is from the whole number to the line.
    """
    won, lost = (around.above, around.below) if is_above else (around.below, around.above)
    if abs(distance) == 0.5:
        return ""
    half = f"{_percent(around.push)} ÷ 2"
    win, whole = _percent(won), f"{_percent(won)} + {_percent(lost)}"
    if distance:
        whole = f"{whole} + {half}"
    if (distance < 0) == is_above and distance:
        win = f"({win} + {half})"
    return f"{win} ÷ ({whole}) = "


class _Miss(NamedTuple):
    """How far a model is off on a line, in probability; sorted by how far beyond the band."""

    beyond: float
    size: float
    most: float
    line: Line


class _Origin(NamedTuple):
    """What a derived line takes over from its source lines."""

    names: tuple[LineName, ...]
    overround: float
    scraped_at: int
    is_live: bool | None


def _origin(sources: Sequence[ReferenceLine]) -> _Origin:
    names, overround, scraped_at, is_live = list[LineName](), 0.0, sources[0].scraped_at, None
    for line in sources:
        names.append(LineName(line.market_type, line.group.key))
        overround = max(overround, line.overround or 0.0)
        scraped_at = min(scraped_at, line.scraped_at)
        is_live = line.is_live if is_live is None else is_live
    return _Origin(tuple(names), overround, scraped_at, is_live)


def distance_of(market_type: str, group: LineGroup, lines: Iterable[ReferenceLine]) -> str:
    """Return how far a line is from the nearest other one of its market, as in ``BandKey``."""
    about = subject(group.key)
    others = [
        line.group.line
        for line in lines
        if line.market_type == market_type and line.group.line is not None
        if subject(line.group.key) == about
    ]
    return _distance(group.line, others)


def _distance(line: float | None, others: Iterable[float]) -> str:
    if line is None:
        return "none"
    nearest = math.inf
    for other in others:
        away = abs(other - line)
        if 0 < away < nearest:
            nearest = away
            if away <= _DISTANCES[0][0]:
                break
    for most, name in _DISTANCES:
        if nearest <= most:
            return name
    return "none" if nearest == math.inf else "more"


_DISTANCES: Final = ((0.5, "0.5"), (1.0, "1"), (2.0, "2"))


@lru_cache(maxsize=1 << 8)
def sides_of(market_type: str, sport: str, *, has_draw: bool) -> tuple[str, ...]:
    """Return all sides of a line group; for double chance the overlapping ones."""
    if market_type == "double_chance":
        return ("1X", "X2", "12")
    forms = complete_forms(market_type, sport)
    fitting = [form for form in forms if (DRAW in form) == has_draw]
    return next(iter([*fitting, *forms]), ())


def _whole_group(
    sport: str, market_type: str, group: LineGroup, priced: tuple[str, ...]
) -> LineGroup:
    """Return a line group with all priced sides, spelled as the offered ones are."""
    if group.sides == priced and group.complete:
        return group
    spelled = dict(zip(group.sides, group.selections, strict=False))
    return LineGroup(
        group.key,
        group.line,
        tuple(spelled.get(side) or selection_text(market_type, group.key, side) for side in priced),
        priced,
        priced in complete_forms(market_type, sport),
    )


_TEAMS: Final = {"home": "Home", "draw": "Draw", "away": "Away"}


@lru_cache(maxsize=1 << 12)
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
