"""Fair prices that follow from others by arithmetic, without a model.

A number that bets are about (the home team's margin, the goals of a game, a player's shots) is
above, at or below each whole number. Each line within half of a whole number is a fact about
these chances, so any two of the five lines there give the other three. In football before
kick-off the match result, draw no bet, double chance and 3-way handicaps are lines of the margin.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Final, NamedTuple

from oddsdesk.contract.competitions import FOOTBALL
from oddsdesk.contract.markets import HANDICAPS
from oddsdesk.pricing.selections import (
    AWAY,
    DRAW,
    HOME,
    NO,
    OVER,
    UNDER,
    YES,
    LineGroup,
    number_hit,
    threshold,
)
from oddsdesk.pricing.value import LineName, ReferenceLine, subject

_SLACK: Final = 1e-9
"""Differences of probabilities below it are rounding of floats."""
_HALF: Final = 0.5
_STEPS: Final = (-0.5, -0.25, 0.0, 0.25, 0.5)
"""From a whole number to the five lines that are about it."""
_MARGIN: Final = ("spread", "")
"""The name of the home team's margin among the numbers."""
_MARGIN_MARKETS: Final = ("draw_no_bet", "moneyline", "3way_handicap")
"""Football's other bets on it, the first to be used first."""


class Implied(NamedTuple):
    """Fair probabilities of a line, and where they come from."""

    chances: Mapping[str, float]
    """By side, that a decided unit is won."""
    push: float
    """As ``Derived.push``."""
    sources: tuple[ReferenceLine, ...]


class _Point(NamedTuple):
    """A line that is priced: how likely a decided unit is won on the side above it."""

    chance: float
    source: ReferenceLine


class Around(NamedTuple):
    """How likely a number is to end above and below a whole number."""

    above: float
    below: float
    sources: tuple[ReferenceLine, ...]

    @property
    def push(self) -> float:
        """How likely it ends at that number."""
        return max(0.0, 1 - self.above - self.below)

    def chance(self, distance: float) -> float:
        """Return how likely a decided unit is won above the line at a distance from the number."""
        above, below = self.above, self.below
        match distance:
            case 0.5:
                return above
            case 0.25:
                return 2 * above / (1 + above + below)
            case 0:
                return above / (above + below)
            case -0.25:
                return (1 + above - below) / (1 + above + below)
        return 1 - below


def _equation(distance: float, chance: float) -> tuple[float, float, float]:
    """Return what a line says: the factors of above and below, and what they add up to."""
    match distance:
        case 0.5:
            return 1, 0, chance
        case 0.25:
            return 2 - chance, -chance, chance
        case 0:
            return 1 - chance, -chance, 0
        case -0.25:
            return 1 - chance, -1 - chance, chance - 1
    return 0, 1, 1 - chance


_Ladder = dict[float, _Point]


class ImpliedLines:
    """What the reference's lines of one period of a game say about others."""

    def __init__(
        self, sport: str, lines: Mapping[LineName, ReferenceLine], *, in_play: bool
    ) -> None:
        """Take lines that all have fair odds and are of that state."""
        self._is_football = sport == FOOTBALL
        self._in_play = in_play
        self._lines = lines
        self._ladders: defaultdict[tuple[str, str], _Ladder] = defaultdict(dict)
        for line in () if in_play else lines.values():
            self._enter(line)
        if self._is_football and not in_play:
            self._enter_margins()

    def find(self, market_type: str, group: LineGroup) -> Implied | None:
        """Return what a line is worth; None where nothing implies it."""
        if market_type in {"double_chance", "draw_no_bet"}:
            found = self._by_result(market_type)
            if found is not None:
                return found
        if self._in_play:
            return None
        if market_type == "btts":
            return self._both_score()
        at = threshold(market_type, group.line)
        if at is not None:
            return self._on_ladder(market_type, group.key, at)
        if not self._is_football:
            return None
        match market_type:
            case "draw_no_bet":
                return self._on_ladder("spread", "", 0.0)
            case "double_chance":
                return self._double_chance()
            case "moneyline":
                return self._three_ways(0.0)
            case "3way_handicap" if group.line is not None and group.line.is_integer():
                return self._three_ways(-group.line + 0.0)
        return None

    def around(self, market_type: str, group: LineGroup) -> tuple[int, Around] | None:
        """Return the whole number next to a line that its chance follows from, and its chances.

        None where the chance of another line is simply taken over.
        """
        at = threshold(market_type, group.line)
        if at is None:
            return None
        ladder = self._ladders.get((market_type, subject(group.key)), {})
        if at in ladder and number_hit(at) is None:
            return None
        found = _nearest_pair(ladder, at, needs=at if at in ladder else None)
        return None if found is None else (found[1], found[0])

    def _enter(self, line: ReferenceLine) -> None:
        """Put a line on the ladder of its number."""
        market_type, group = line.market_type, line.group
        at = threshold(market_type, group.line)
        if at is None or at % 1 not in _PAIRS:
            return
        price = line.prices.get(HOME if market_type in HANDICAPS else OVER)
        if price is not None and price.fair_odds is not None:
            point = _Point(1 / price.fair_odds, line)
            self._ladders[market_type, subject(group.key)][at + 0.0] = point

    def _enter_margins(self) -> None:
        """Put football's other bets on the margin on its ladder, where handicaps leave room."""
        margins = self._ladders[_MARGIN]
        others = [line for line in self._lines.values() if line.market_type in _MARGIN_MARKETS]
        others.sort(key=lambda line: _MARGIN_MARKETS.index(line.market_type))
        for line in others:
            home, away = _chance(line, HOME), _chance(line, AWAY)
            if home is None or away is None:
                continue
            at = -(line.group.line or 0.0) + 0.0
            if line.market_type == "draw_no_bet":
                margins.setdefault(0.0, _Point(home, line))
            elif DRAW in line.prices and at.is_integer():
                margins.setdefault(at + _HALF, _Point(home, line))
                margins.setdefault(at - _HALF, _Point(1 - away, line))

    def _by_result(self, market_type: str) -> Implied | None:
        """Return double chance or draw no bet from a match result with a draw."""
        line = self._lines.get(LineName("moneyline", ""))
        if line is None:
            return None
        home, draw, away = (_chance(line, side) for side in (HOME, DRAW, AWAY))
        if home is None or draw is None or away is None:
            return None
        if market_type == "double_chance":
            return Implied({"1X": 1 - away, "X2": 1 - home, "12": 1 - draw}, 0.0, (line,))
        whole = home + away
        return Implied({HOME: home / whole, AWAY: away / whole}, draw, (line,))

    def _on_ladder(self, market_type: str, key: str, at: float) -> Implied | None:
        ladder = self._ladders.get((market_type, subject(key)), {})
        found = _read_ladder(ladder, at)
        if found is None:
            return self._team_or_total(market_type, key, at)
        chance, push, sources = found
        above, below = (HOME, AWAY) if market_type in HANDICAPS else (OVER, UNDER)
        return Implied({above: chance, below: 1 - chance}, push, sources)

    def _double_chance(self) -> Implied | None:
        """Return the sides that handicaps of half a goal imply."""
        margins = self._ladders[_MARGIN]
        chances = dict[str, float]()
        not_lost, won = margins.get(-_HALF), margins.get(_HALF)
        if not_lost is not None:
            chances["1X"] = not_lost.chance
        if won is not None:
            chances["X2"] = 1 - won.chance
        if not_lost is not None and won is not None:
            chances["12"] = 1 - (not_lost.chance - won.chance)
        sources = tuple(point.source for point in (not_lost, won) if point is not None)
        if not sources or chances.get("12", _HALF) >= 1:
            return None
        return Implied(chances, 0.0, sources)

    def _three_ways(self, at: float) -> Implied | None:
        """Return home, draw and away, where a margin at a number is the draw."""
        margins = self._ladders[_MARGIN]
        above, not_below = margins.get(at + _HALF), margins.get(at - _HALF)
        if above is None or not_below is None or above.chance >= not_below.chance:
            return None
        chances = {
            HOME: above.chance,
            DRAW: not_below.chance - above.chance,
            AWAY: 1 - not_below.chance,
        }
        return Implied(chances, 0.0, _unique((above.source, not_below.source)))

    def _both_score(self) -> Implied | None:
        """Return both teams to score: one or the other scores where there is a goal at all."""
        found = self._scoring("Home", "Away", "total")
        if found is None:
            return None
        (home, away, any_goal), sources = found
        both = home + away - any_goal
        if not 0 < both < min(home, away):
            return None
        return Implied({YES: both, NO: 1 - both}, 0.0, sources)

    def _team_or_total(self, market_type: str, key: str, at: float) -> Implied | None:
        """Return whether a team scores, or anybody, from both teams to score and the others."""
        if at != _HALF:
            return None
        both = self._lines.get(LineName("btts", ""))
        team = subject(key)
        if market_type == "total":
            found = self._scoring("Home", "Away")
        elif market_type == "team_total" and team in {"Home", "Away"}:
            found = self._scoring("Away" if team == "Home" else "Home", "total")
        else:
            return None
        yes = None if both is None else _chance(both, YES)
        if both is None or found is None or yes is None:
            return None
        (one, other), sources = found
        scores = one + other - yes if market_type == "total" else yes + other - one
        least = max(one, other) if market_type == "total" else yes
        if not least < scores < 1:
            return None
        return Implied({OVER: scores, UNDER: 1 - scores}, 0.0, (both, *sources))

    def _scoring(self, *scorers: str) -> tuple[tuple[float, ...], tuple[ReferenceLine, ...]] | None:
        """Return how likely teams score, or anybody (``total``); None unless all is priced."""
        if not self._is_football:
            return None
        points = [
            self._ladders[("total", "") if name == "total" else ("team_total", name)].get(_HALF)
            for name in scorers
        ]
        priced = [point for point in points if point is not None]
        if len(priced) < len(points):
            return None
        return tuple(each.chance for each in priced), tuple(each.source for each in priced)


def _chance(line: ReferenceLine, side: str) -> float | None:
    price = line.prices.get(side)
    return None if price is None or price.fair_odds is None else 1 / price.fair_odds


def _read_ladder(
    ladder: Mapping[float, _Point], at: float
) -> tuple[float, float, tuple[ReferenceLine, ...]] | None:
    """Return the chance above a line, that of a push, and the sources."""
    point, number = ladder.get(at), number_hit(at)
    if point is not None and number is None:
        return (point.chance, 0.0, (point.source,)) if _fits(ladder, at, point.chance) else None
    around = _nearest_pair(ladder, at, needs=None if point is None else at)
    if around is None:
        return None
    pair, hit = around
    chance = pair.chance(at - hit)
    if not _fits(ladder, at, chance):
        return None
    return chance, 0.0 if number is None else pair.push, pair.sources


def _nearest_pair(
    ladder: Mapping[float, _Point], at: float, needs: float | None
) -> tuple[Around, int] | None:
    """Return the chances around a whole number next to a line, from the best two lines there."""
    for below, above, to_number in _PAIRS.get(at % 1, ()):
        low, high = at + below, at + above
        if low in ladder and high in ladder and (needs is None or needs in {low, high}):
            number = int(at + to_number)
            around = _solved(number, low, ladder[low], high, ladder[high])
            return None if around is None else (around, number)
    return None


def _pairs(at: float) -> list[tuple[float, float, float]]:
    """Return the pairs of lines that tell about a line, the best first, as distances from it.

    The third figure is the distance of the whole number that both are about. The best pairs are on
    both sides of the line and close together. Two on one side are used if they are no closer to
    each other than to the line: rounding would be magnified otherwise.
    """
    number = number_hit(at)
    found = []
    for each in (at - _HALF, at + _HALF) if number is None else (number,):
        for low, high in combinations([each + step for step in _STEPS], 2):
            beyond = max(low - at, at - high, 0.0)
            if beyond <= high - low:
                found.append((beyond > 0, beyond, high - low, low - at, high - at, each - at))
    return [pair[3:] for pair in sorted(found)]


_PAIRS: Final = {at: _pairs(at) for at in (0.0, 0.25, 0.5, 0.75)}
"""By the fraction of a line."""


def _solved(number: int, low: float, one: _Point, high: float, other: _Point) -> Around | None:
    """Return the chances with which both lines are fair; None where they contradict each other."""
    a, b, c = _equation(low - number, one.chance)
    d, e, f = _equation(high - number, other.chance)
    size = a * e - b * d
    if abs(size) < _SLACK:
        return None
    above, below = (c * e - b * f) / size, (a * f - c * d) / size
    if above <= 0 or below <= 0 or above + below > 1 + _SLACK:
        return None
    return Around(above, below, _unique((one.source, other.source)))


def _fits(ladder: Mapping[float, _Point], at: float, chance: float) -> bool:
    """Return whether a chance is in order among those of the lines on the ladder."""
    if not 0 < chance < 1:
        return False
    for line, point in ladder.items():
        if line < at:
            if chance > point.chance + _SLACK:
                return False
        elif line > at and chance < point.chance - _SLACK:
            return False
    return True


def _unique(lines: Iterable[ReferenceLine]) -> tuple[ReferenceLine, ...]:
    return tuple({id(line): line for line in lines}.values())
