"""The final score of a game as four distributions: margin, total and each side's."""

import math

import msgspec

from oddsdesk.feeds.simulator.sports import Rules
from oddsdesk.feeds.simulator.tally import Bell, Table, Tally, poisson


class Score(msgspec.Struct, frozen=True):
    """How a game, or a part of one, may end; ``margin`` is home minus away."""

    margin: Tally
    total: Tally
    home: Tally
    away: Tally

    @property
    def both_score(self) -> float:
        """Probability that each side scores, the two sides being independent."""
        return self.home.at_least(1) * self.away.at_least(1)


def final_score(
    rules: Rules, means: tuple[float, float], share: float, now: tuple[int, int] = (0, 0)
) -> Score:
    """Return the score after ``share`` of a whole game is played on from the present score.

    ``means`` are what the sides score in a whole game.
    """
    home_mean, away_mean = (max(mean * share, 1e-4) for mean in means)
    if rules.margin_sd:
        return _points(rules, home_mean, away_mean, share, now)
    return goals(poisson(home_mean), poisson(away_mean), now)


def goals(home: list[float], away: list[float], now: tuple[int, int] = (0, 0)) -> Score:
    """Return the score of two sides that score independently, from their tables."""
    margin = [0.0] * (len(home) + len(away) - 1)
    total = margin.copy()
    shift = len(away) - 1
    for scored, home_chance in enumerate(home):
        for conceded, away_chance in enumerate(away):
            chance = home_chance * away_chance
            margin[scored - conceded + shift] += chance
            total[scored + conceded] += chance
    return Score(
        margin=Table(margin, now[0] - now[1] - shift),
        total=Table(total, sum(now)),
        home=Table(home, now[0]),
        away=Table(away, now[1]),
    )


def _points(rules: Rules, home: float, away: float, share: float, now: tuple[int, int]) -> Score:
    scatter = math.sqrt(max(share, 0.0))
    side_sd = math.hypot(rules.margin_sd, rules.total_sd) / 2 * scatter
    return Score(
        margin=Bell(now[0] - now[1] + home - away, rules.margin_sd * scatter),
        total=Bell(sum(now) + home + away, rules.total_sd * scatter),
        home=Bell(now[0] + home, side_sd),
        away=Bell(now[1] + away, side_sd),
    )
