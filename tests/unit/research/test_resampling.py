"""Intervals from drawing games again cover what they should, and are the same for the same data."""

import random
import time
from collections.abc import Sequence
from statistics import NormalDist, fmean

import pytest

from oddsdesk.research.intervals import Ratio
from oddsdesk.research.resampling import Ends, bootstrapped


def mean(values: Sequence[float | None]) -> Ratio:
    return Ratio(values, [1.0] * len(values))


def ends_of_mean(*games: Sequence[float]) -> tuple[float, float]:
    """Return the ends of a mean of the numbers of games."""
    of = [game for game, values in enumerate(games) for _ in values]
    ((low, high),) = bootstrapped(of, [mean([each for values in games for each in values])])
    assert low is not None
    assert high is not None
    return low, high


def test_many_games_have_about_the_normal_interval_and_always_the_same() -> None:
    chance = random.Random(1)
    values = [chance.gauss(0, 1) for _ in range(400)]
    low, high = ends_of_mean(*[[each] for each in values])
    middle, reach = fmean(values), NormalDist().inv_cdf(0.975) / 20
    assert (low, high) == pytest.approx((middle - reach, middle + reach), abs=0.02)
    assert ends_of_mean(*[[each] for each in values]) == (low, high)


def test_ten_games_reach_as_far_as_students_interval() -> None:
    """Of ten numbers that are even about their mean; the percentiles of 95 are 17 % narrower."""
    values = [-4.0, -2.5, -1.5, -0.8, -0.2, 0.2, 0.8, 1.5, 2.5, 4.0]
    low, high = ends_of_mean(*[[each] for each in values])
    student = 2.262157 * (sum(each * each for each in values) / 9 / 10) ** 0.5
    assert (high - low) / 2 == pytest.approx(student, rel=0.05)


def test_intervals_of_ten_games_cover_about_95_percent() -> None:
    """The percentiles of 95 cover 87 %, of games with one to three bets that close alike."""
    chance, held = random.Random(4), 0
    for _ in range(200):
        levels = [chance.gauss(1.5, 2) for _ in range(10)]
        games = [[chance.gauss(it, 1) for _ in range(chance.randint(1, 3))] for it in levels]
        low, high = ends_of_mean(*games)
        held += low <= 1.5 <= high
    assert held >= 0.92 * 200


def test_bets_of_one_game_are_drawn_together() -> None:
    """Ten bets on each of ten games are not a hundred bets."""
    games = [game for game in range(10) for _ in range(10)]
    ratio = mean([float(game % 2) for game in games])
    ((together, _),) = bootstrapped(games, [ratio])
    ((alone, _),) = bootstrapped(range(100), [ratio])
    assert together is not None
    assert alone is not None
    assert together < alone - 0.1


def test_a_ratio_weighs_each_bet_by_its_divisor() -> None:
    """Nine tenths of all stakes are lost, in half of the games."""
    stakes = [9.0, 1.0] * 200
    profits = [-9.0, 1.0] * 200
    ratio = Ratio(profits, stakes)
    ((low, high),) = bootstrapped(range(400), [ratio])
    assert ratio.figure == pytest.approx(-0.8)
    assert low is not None
    assert high is not None
    assert -0.86 < low < -0.8 < high < -0.74


def test_a_sum_has_an_interval_too() -> None:
    ratio = Ratio([1.0, -1.0] * 200)
    ((low, high),) = bootstrapped(range(400), [ratio])
    assert ratio.figure == 0
    assert (low, high) == pytest.approx((-39.2, 39.2), abs=4)


def test_fewer_than_ten_games_have_no_interval() -> None:
    """Resamples of so few cover less than 95 %: the figures would look certain."""
    values = [float(number) for number in range(10)]
    assert None not in bootstrapped(range(10), [mean(values)])[0]
    assert bootstrapped(range(9), [mean(values[:9])]) == [(None, None)]
    assert bootstrapped([], [mean([])]) == [(None, None)]


def test_games_that_say_nothing_about_a_figure_do_not_count_for_it() -> None:
    """Two bets of one game have a close, those of fifty other games have none."""

    def of(closed: Sequence[tuple[int, float]]) -> list[Ends]:
        games = [*range(50), *[game for game, _ in closed]]
        values: list[float | None] = [*[None] * 50, *[value for _, value in closed]]
        return bootstrapped(games, [mean(values), Ratio([float(x is not None) for x in values])])

    one_game = of([(50, 3.27), (50, 3.27)])
    assert one_game[0] == (None, None)
    assert None not in one_game[1]
    assert of([(50 + game, 3.0) for game in range(9)])[0] == (None, None)
    assert of([(50 + game, 3.0) for game in range(10)])[0] == (3.0, 3.0)


def test_five_hundred_bets_take_a_moment() -> None:
    chance = random.Random(3)
    values = [chance.gauss(0, 1) for _ in range(500)]
    began = time.thread_time()
    bootstrapped(range(500), [mean(values)] * 4)
    assert time.thread_time() - began < 0.2, "seconds of the processor; 0.02 on a usual one"
