"""A game in which two sides score towards a final whistle: every sport but tennis."""

import math
from random import Random

from oddsdesk.feeds.simulator.groups import Markets
from oddsdesk.feeds.simulator.race_markets import LAYOUTS, LineKeeper, Prop, race_markets
from oddsdesk.feeds.simulator.score import Score, final_score
from oddsdesk.feeds.simulator.sports import RULES

_DRIFT = 0.008
_NEWS = 0.1
_NEWS_CHANCE = 0.02


class Race:
    """The true state of such a game: how strong the sides are, the score, the time played.

    ``ratings`` of home and away lie in -1..1.
    """

    def __init__(
        self, sport: str, names: tuple[str, str], ratings: tuple[float, float], props: list[Prop]
    ) -> None:
        self._rules = RULES[sport]
        self._layout = LAYOUTS[sport]
        self._names = names
        self._props = props
        self._edge = self._rules.home_edge + self._rules.strength * (ratings[0] - ratings[1]) / 2
        self._level = 0.0
        self._lines = LineKeeper()
        self._elapsed_ms = 0
        self.score = (0, 0)
        self.part = 1
        self.played = 0.0

    @property
    def over(self) -> bool:
        """Whether the final whistle has gone."""
        return self._elapsed_ms >= self._rules.duration_ms

    @property
    def longest_ms(self) -> int:
        """How long after kick-off such a game is surely still on."""
        return self._rules.duration_ms

    def drift(self, random: Random) -> None:
        """Let the market's opinion wander before kick-off; now and then there is news."""
        spread = _NEWS if random.random() < _NEWS_CHANCE else _DRIFT
        self._edge += random.gauss(0, spread * self._rules.strength)
        self._level += random.gauss(0, spread * self._rules.strength * 0.5)

    def play(self, random: Random, elapsed_ms: int) -> bool:
        """Play on until so long after kick-off; return whether prices are to be suspended."""
        self.part, played = self._rules.played(elapsed_ms)
        share = played - self.played
        self._elapsed_ms, self.played = elapsed_ms, played
        biggest = [0, 0]
        score = list(self.score)
        for side, mean in enumerate(self._means()):
            for _ in range(_count(random, mean * share / self._rules.points_a_score)):
                points = self._points(random)
                score[side] += points
                biggest[side] = max(biggest[side], points)
        self.score = (score[0], score[1])
        return max(biggest) >= self._rules.suspends_from

    def markets(self, live: bool) -> Markets:
        """Return every market that can be priced now, with its true probabilities."""
        means = self._means()
        whole = final_score(self._rules, means, 1 - self.played, self.score)
        first = self.part + 1 if live else 1
        parts: dict[int, Score] = {
            part: final_score(self._rules, means, self._rules.share(part))
            for part in self._layout.periods
            if part >= first
        }
        props = [] if live else self._props
        return race_markets(self._layout, self._names, self._lines, whole, parts, props)

    def _means(self) -> tuple[float, float]:
        level = self._rules.mean * math.exp(self._level)
        return level * math.exp(self._edge), level * math.exp(-self._edge)

    def _points(self, random: Random) -> int:
        points, weights = zip(*self._rules.scores, strict=True)
        return int(random.choices(points, weights)[0])


def _count(random: Random, mean: float) -> int:
    """Return a Poisson variate (Knuth's method: means here stay below a few dozen)."""
    limit, count, product = math.exp(-mean), 0, random.random()
    while product > limit:
        count += 1
        product *= random.random()
    return count
