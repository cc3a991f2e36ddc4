"""Intervals from drawing games again cover what they should, and are the same for the same data."""

import random
import time
from collections.abc import Sequence
from statistics import NormalDist, fmean

import pytest

from oddsdesk.research.intervals import Ends, Ratio
from oddsdesk.research.resampling import best_of, bootstrapped


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


def combinations(chance: random.Random, games: int, count: int) -> list[tuple[list[int], Ratio]]:
    """Return combinations of bets on the same games without an edge: each bet loses 5 %."""
    earned = []
    for _ in range(games):
        odds = chance.uniform(1.6, 5)
        earned.append((0.95 * odds - 1) * 100 if chance.random() < 1 / odds else -100.0)
    shared = [chance.random() < 0.6 for _ in range(games)]
    found = []
    for _ in range(count):
        bets = [game for game in range(games) if shared[game] == (chance.random() < 0.7)]
        found.append((bets, mean([earned[game] for game in bets])))
    return found


def test_the_lower_end_of_the_best_of_nine_holds_where_none_has_an_edge() -> None:
    """Its own interval is above the truth in about one of eight."""
    chance, above, own = random.Random(2), 0, 0
    for _ in range(100):
        compared = combinations(chance, 120, 9)
        found = best_of(compared)
        assert found is not None
        best, low = found
        games, ratio = compared[best]
        assert ratio.figure == max(each.figure or -100 for _, each in compared)
        ((own_low, _),) = bootstrapped(games, [ratio])
        above += low > -5
        own += own_low is not None and own_low > -5
    assert above <= 0.03 * 100
    assert own >= 0.08 * 100, "without a correction there is nothing to hold"


def test_the_best_of_one_has_about_its_own_interval() -> None:
    chance = random.Random(8)
    ((games, ratio),) = combinations(chance, 400, 1)
    found = best_of([(games, ratio)])
    ((own_low, _),) = bootstrapped(games, [ratio])
    assert found is not None
    assert own_low is not None
    assert ratio.figure is not None
    assert found[0] == 0
    assert ratio.figure - found[1] == pytest.approx(ratio.figure - own_low, rel=0.1)


def test_copies_of_a_combination_need_no_correction() -> None:
    ((games, ratio),) = combinations(random.Random(8), 400, 1)
    assert best_of([(games, ratio)] * 20) == best_of([(games, ratio)])


def test_few_games_and_games_that_ended_alike_are_not_chosen_from() -> None:
    ((games, ratio),) = combinations(random.Random(8), 400, 1)
    alike = list(range(50)), mean([60.0] * 50)
    few = list(range(9)), mean([float(number) for number in range(90, 99)])
    closeless = list(range(50)), mean([None] * 50)
    found = best_of([alike, few, closeless, (games, ratio)])
    assert found is not None
    assert found[0] == 3
    assert best_of([alike, few, closeless]) is None
    assert best_of([]) is None
