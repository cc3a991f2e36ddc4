"""Fair prices that follow from others by arithmetic, without a model.

A number that bets are about (the home team's margin, the goals of a game, a player's shots) is
above, at or below each whole number. The five lines within half a unit of a whole number all depend
on these three chances, so two of the lines give those between them. In football before kick-off
the match result, draw no bet, double chance and 3-way handicaps are about the margin too, and the
same bet has the same fair price. Sums use one market only: margins differ between markets, and
the error of removing them would add up.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
"""Smaller differences of probability are rounding errors."""
_MOST_APART: Final = 0.05
"""The most that the chances of the same bet may differ between two markets; Pinnacle's differ by
up to 0.031."""
_HALF: Final = 0.5
_STEPS: Final = (-0.5, -0.25, 0.0, 0.25, 0.5)
"""Distances from a whole number of the five lines that depend on it."""
_MARGIN_MARKETS: Final = ("draw_no_bet", "moneyline", "3way_handicap")
"""Football's bets on the margin other than handicaps, in order of preference."""


class Implied(NamedTuple):
    """Fair probabilities of a line, and the lines that imply them."""

    chances: Mapping[str, float]
    """By side, the chance that a decided unit is won."""
    push: float
    """As ``Derived.push``."""
    sources: tuple[ReferenceLine, ...]
    around: "Around | None" = None
    """The chances that they were computed from; None if they are those of another line."""


class _Point(NamedTuple):
    """A line that is priced: how likely a decided unit is won on the side above it."""

    chance: float
    source: ReferenceLine


class Around(NamedTuple):
    """How likely a number is to end above and below a whole number."""

    number: int
    above: float
    below: float

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
    """Return a line as a linear equation: the factors of above and below, and their sum."""
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
    """The lines that the reference's lines of one period of a game imply."""

    def __init__(
        self, sport: str, lines: Mapping[LineName, ReferenceLine], *, in_play: bool
    ) -> None:
        """Use these lines, which all have fair odds and are all in play or all pre-match."""
        self._is_football = sport == FOOTBALL
        self._in_play = in_play
        self._lines = lines
        self._ladders: defaultdict[tuple[str, str], _Ladder] = defaultdict(dict)
        for line in () if in_play else lines.values():
            self._enter(line)
        self._margins = [] if in_play or not self._is_football else [*self._read_margins()]
        self._is_torn = _are_apart(self._margins)
        if self._is_torn:
            self._margins = []

    def find(self, market_type: str, group: LineGroup) -> Implied | None:
        """Return what a line is worth; None where nothing implies it."""
        if market_type == "draw_no_bet" and (found := self._level()) is not None:
            return found
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
                return self._between("spread", {}, 0.0)
            case "double_chance":
                return self._double_chance()
            case "moneyline":
                return self._three_ways(0.0)
            case "3way_handicap" if group.line is not None and group.line.is_integer():
                return self._three_ways(-group.line + 0.0)
        return None

    def is_in_order(self, market_type: str, group: LineGroup, chances: Mapping[str, float]) -> bool:
        """Return whether the chances of a line lie between those of its neighbours."""
        at = threshold(market_type, group.line)
        if at is None:
            return True
        ladder = self._ladders.get((market_type, subject(group.key)), {})
        return _fits(ladder, at, chances[HOME if market_type in HANDICAPS else OVER])

    def _enter(self, line: ReferenceLine) -> None:
        """Put a line on the ladder of its number."""
        market_type, group = line.market_type, line.group
        at = threshold(market_type, group.line)
        if at is None or not (at * 4).is_integer():
            return
        price = line.prices.get(HOME if market_type in HANDICAPS else OVER)
        if price is not None and price.fair_odds is not None:
            point = _Point(1 / price.fair_odds, line)
            self._ladders[market_type, subject(group.key)][at + 0.0] = point

    def _read_margins(self) -> Iterator[_Ladder]:
        """Yield the ladders of football's bets on the margin, each of one market."""
        others = [line for line in self._lines.values() if line.market_type in _MARGIN_MARKETS]
        others.sort(key=lambda line: _MARGIN_MARKETS.index(line.market_type))
        for line in others:
            home, away = _chance(line, HOME), _chance(line, AWAY)
            if home is None or away is None:
                continue
            at = -(line.group.line or 0.0) + 0.0
            if line.market_type == "draw_no_bet":
                yield {0.0: _Point(home, line)}
            elif DRAW in line.prices and at.is_integer():
                yield {at - _HALF: _Point(1 - away, line), at + _HALF: _Point(home, line)}
        yield self._ladders["spread", ""]

    def _by_result(self, market_type: str) -> Implied | None:
        """Return double chance or draw no bet from a match result with a draw."""
        line = self._lines.get(LineName("moneyline", ""))
        if line is None or self._is_torn:
            return None
        home, draw, away = (_chance(line, side) for side in (HOME, DRAW, AWAY))
        if home is None or draw is None or away is None:
            return None
        if market_type == "double_chance":
            return Implied({"1X": 1 - away, "X2": 1 - home, "12": 1 - draw}, 0.0, (line,))
        whole = home + away
        chances = {HOME: home / whole, AWAY: away / whole}
        return Implied(chances, draw, (line,), Around(0, home, away))

    def _on_ladder(self, market_type: str, key: str, at: float) -> Implied | None:
        """Return a line that is the same bet as another, or lies between two of one market."""
        own = self._ladders.get((market_type, subject(key)), {})
        found = self._same(own, at) if market_type == "spread" else None
        if found is None:
            found = self._between(market_type, own, at)
        return self._team_or_total(market_type, key, at) if found is None else found

    def _same(self, own: _Ladder, at: float) -> Implied | None:
        """Return a handicap that is the same bet as one of another market of football."""
        if at == 0:
            found = self._level()
            return found if found is not None and _fits(own, at, found.chances[HOME]) else None
        if number_hit(at) is not None:
            return None
        for ladder in self._margins:
            point = ladder.get(at)
            if point is not None and _fits(own, at, point.chance):
                return Implied({HOME: point.chance, AWAY: 1 - point.chance}, 0.0, (point.source,))
        return None

    def _between(self, market_type: str, own: _Ladder, at: float) -> Implied | None:
        """Return a line that lies between two of one market."""
        above, below = (HOME, AWAY) if market_type in HANDICAPS else (OVER, UNDER)
        for ladder in (own, *self._margins) if market_type == "spread" else (own,):
            found = _nearest_pair(ladder, at)
            if found is not None:
                around, sources = found
                chance = around.chance(at - around.number)
                if _fits(own, at, chance):
                    chances = {above: chance, below: 1 - chance}
                    return Implied(chances, around.push, sources, around)
        return None

    def _level(self) -> Implied | None:
        """Return draw no bet and handicap 0 from each other: both return the stake at a draw.

        None if neither is priced, or the chance of a draw is unknown.
        """
        points = [ladder[0.0] for ladder in self._margins if 0.0 in ladder]
        if not points:
            return None
        level = points[0]
        found: tuple[float, tuple[ReferenceLine, ...]] | None = None
        for ladder in self._margins:
            above, not_below = ladder.get(_HALF), ladder.get(-_HALF)
            if above is not None and not_below is not None and above.chance < not_below.chance:
                found = not_below.chance - above.chance, (above.source, not_below.source)
                break
        found = found or _with(level, self._ladders["spread", ""])
        if found is None:
            return None
        draw, sources = found
        chances = {HOME: level.chance, AWAY: 1 - level.chance}
        return Implied(chances, draw, _unique((level.source, *sources)))

    def _double_chance(self) -> Implied | None:
        """Return the sides that handicaps of half a goal imply."""
        for ladder in self._margins:
            chances = dict[str, float]()
            not_lost, won = ladder.get(-_HALF), ladder.get(_HALF)
            if not_lost is not None:
                chances["1X"] = not_lost.chance
            if won is not None:
                chances["X2"] = 1 - won.chance
            if not_lost is not None and won is not None:
                chances["12"] = 1 - (not_lost.chance - won.chance)
            sources = [point.source for point in (not_lost, won) if point is not None]
            if sources and chances.get("12", _HALF) < 1:
                return Implied(chances, 0.0, _unique(sources))
        return None

    def _three_ways(self, at: float) -> Implied | None:
        """Return home, draw and away, where a margin at a number is the draw."""
        for ladder in self._margins:
            above, not_below = ladder.get(at + _HALF), ladder.get(at - _HALF)
            if above is None or not_below is None or above.chance >= not_below.chance:
                continue
            chances = {
                HOME: above.chance,
                DRAW: not_below.chance - above.chance,
                AWAY: 1 - not_below.chance,
            }
            return Implied(chances, 0.0, _unique((above.source, not_below.source)))
        return None

    def _both_score(self) -> Implied | None:
        """Return both teams to score, from Over 0.5 of each team and of the game."""
        found = self._scoring("Home", "Away", "total")
        if found is None:
            return None
        (home, away, any_goal), sources = found
        both = home + away - any_goal
        if not 0 < both < min(home, away):
            return None
        return Implied({YES: both, NO: 1 - both}, 0.0, sources)

    def _team_or_total(self, market_type: str, key: str, at: float) -> Implied | None:
        """Return Over 0.5 of a team or of the game, from both teams to score and the other two."""
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
        """Return how likely teams, or either of them (``total``), score; None unless all priced."""
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


def _are_apart(ladders: Sequence[_Ladder]) -> bool:
    """Return whether two markets contradict each other on the same bet."""
    return any(
        abs(point.chance - other[at].chance) > _MOST_APART
        for one, other in combinations(ladders, 2)
        for at, point in one.items()
        if at in other
    )


def _with(level: _Point, handicaps: _Ladder) -> tuple[float, tuple[ReferenceLine, ...]] | None:
    """Return how likely a draw is by a handicap next to a priced handicap 0; and that handicap."""
    for at in (-_HALF, _HALF, -0.25, 0.25):
        point = handicaps.get(at)
        around = None if point is None else _solved(0, 0.0, level, at, point)
        if point is not None and around is not None:
            return around.push, (point.source,)
    return None


def _nearest_pair(ladder: _Ladder, at: float) -> tuple[Around, tuple[ReferenceLine, ...]] | None:
    """Return the chances around the number at which a line is hit, by the nearest pair of lines."""
    number = number_hit(at)
    for below, above in () if number is None else _PAIRS.get(at - number, ()):
        low, high = ladder.get(at + below), ladder.get(at + above)
        if number is not None and low is not None and high is not None:
            around = _solved(number, at + below, low, at + above, high)
            sources = _unique((low.source, high.source))
            return None if around is None else (around, sources)
    return None


def _pairs(distance: float) -> list[tuple[float, float]]:
    """Return the pairs of lines that a line lies between, the closest first.

    ``distance`` is from the whole number to the line; the pairs are distances from the line.
    """
    away = [step - distance for step in _STEPS]
    found = [pair for pair in combinations(away, 2) if pair[0] < 0 < pair[1]]
    return sorted(found, key=lambda pair: pair[1] - pair[0])


_PAIRS: Final = {distance: _pairs(distance) for distance in (-0.25, 0.0, 0.25)}
"""By the distance of a line from a whole number."""


def _solved(number: int, low: float, one: _Point, high: float, other: _Point) -> Around | None:
    """Return the chances at which both lines are fair; None if the lines contradict each other."""
    a, b, c = _equation(low - number, one.chance)
    d, e, f = _equation(high - number, other.chance)
    size = a * e - b * d
    if abs(size) < _SLACK:
        return None
    above, below = (c * e - b * f) / size, (a * f - c * d) / size
    if above <= 0 or below <= 0 or above + below > 1 + _SLACK:
        return None
    return Around(number, above, below)


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
