"""Intervals hold what they say they hold, and are the same for the same data."""

import random
from collections.abc import Callable, Sequence
from statistics import fmean, stdev

import pytest

from oddsdesk.research.intervals import Interval, Sample, mean_of, median_of, share_of, student


def of_games(*games: Sequence[float]) -> Sample:
    """Return a sample of the numbers of each game."""
    sample = Sample()
    for game, values in enumerate(games):
        for value in values:
            sample.add_value(value, game)
    return sample


def one_each(values: Sequence[float]) -> Sample:
    return of_games(*[[value] for value in values])


def test_a_share_has_wilsons_interval() -> None:
    """Newcombe (1998), table I: 81 of 263 gives 0.2553 to 0.3662."""
    found = share_of(one_each([1] * 81 + [0] * 182))
    assert (found.low, found.high) == pytest.approx((25.53, 36.62), abs=0.005)
    assert share_of(one_each([0] * 10)).low == pytest.approx(0)
    assert share_of(Sample()) == Interval(None, 0, None, None)


@pytest.mark.parametrize(
    ("count", "quantile"), [(10, 2.262), (11, 2.228), (13, 2.179), (31, 2.042)]
)
def test_a_mean_has_students_interval(count: int, quantile: float) -> None:
    """Of little data it is wide; the quantiles are those of published tables."""
    sample = [float(number % 2) for number in range(count)]
    found = mean_of(one_each(sample))
    error = stdev(sample) / count**0.5
    assert found.high == pytest.approx(fmean(sample) + quantile * error, rel=0.002)


@pytest.mark.parametrize(("freedom", "quantile"), [(1, 12.706), (2, 4.303), (3, 3.182), (5, 2.571)])
def test_students_quantiles_are_those_of_published_tables(freedom: int, quantile: float) -> None:
    assert student(freedom) == pytest.approx(quantile, rel=0.002)


@pytest.mark.parametrize("of", [mean_of, median_of, share_of])
def test_fewer_than_ten_games_have_no_interval(of: Callable[[Sample], Interval]) -> None:
    """However many numbers they have, and however well these agree."""
    alike = [[1.0, 1.0, 0.0]] * 9
    found = of(of_games(*alike))
    assert (found.count, found.low, found.high) == (27, None, None)
    assert found.figure is not None
    assert of(of_games(*alike, [1.0, 0.0])).low is not None


def test_one_figure_has_no_interval() -> None:
    assert mean_of(one_each([5.0])) == Interval(5.0, 1, None, None)
    assert mean_of(Sample()) == Interval(None, 0, None, None)


def test_a_median_has_the_interval_of_order_statistics() -> None:
    found = median_of(one_each([float(number) for number in range(1, 101)]))
    assert (found.figure, found.low, found.high) == (50.5, 41, 60)
    assert median_of(one_each([1.0, 2.0, 9.0])) == Interval(2.0, 3, None, None)


def test_of_games_of_equal_size_a_mean_is_as_sure_as_students_of_their_means() -> None:
    chance = random.Random(2)
    levels = (1, 2, 4, 7, 11, 3, 2, 5, 8, 6)
    games = [[chance.gauss(level, 1) for _ in range(6)] for level in levels]
    found, of_means = mean_of(of_games(*games)), mean_of(one_each([fmean(game) for game in games]))
    assert (found.count, of_means.count) == (60, 10)
    assert (found.low, found.high) == pytest.approx((of_means.low, of_means.high))


def test_a_bet_that_many_bookmakers_offer_tells_no_more_than_one() -> None:
    """The same number eight times over in each game: intervals as wide as of one each."""
    values = [float(number * 7 % 40) for number in range(40)]
    many, one = of_games(*[[value] * 8 for value in values]), one_each(values)
    assert mean_of(many).low == pytest.approx(mean_of(one).low)
    low = [float(value < 10) for value in values]
    shares = share_of(of_games(*[[value] * 8 for value in low])), share_of(one_each(low))
    for all_of_them, each_once in ((median_of(many), median_of(one)), shares):
        widths = [
            each.high - each.low for each in (all_of_them, each_once) if each.high and each.low
        ]
        assert 1 <= widths[0] / widths[1] < 1.12
        assert (all_of_them.figure, all_of_them.count) == (each_once.figure, 320)


def test_what_is_of_one_game_alone_has_no_interval() -> None:
    for of in (mean_of, median_of, share_of):
        found = of(of_games([0.0, 1.0] * 20))
        assert (found.count, found.low, found.high) == (40, None, None)


def test_sides_that_even_out_are_no_surer_than_others() -> None:
    evened = [[-number / 10, number / 10] for number in range(30)]
    found, alone = (
        mean_of(of_games(*evened)),
        mean_of(one_each([x for game in evened for x in game])),
    )
    assert found.low is not None
    assert alone.low is not None
    assert found.low <= alone.low


@pytest.mark.parametrize("games", [10, 30])
def test_ninety_five_of_a_hundred_intervals_hold_the_truth(games: int) -> None:
    """Games of one bet to thirty, whose bets go together: by bets alone 40 of 100 would."""
    chance, held = random.Random(9), [0, 0]
    for _ in range(300):
        sizes = [30 if chance.random() < 0.1 else chance.randint(1, 3) for _ in range(games)]
        levels = [chance.gauss(2, 1) for _ in sizes]
        drawn = [
            [chance.gauss(level, 0.5) for _ in range(size)]
            for level, size in zip(levels, sizes, strict=True)
        ]
        by_bets = one_each([each for game in drawn for each in game])
        for place, found in enumerate((mean_of(of_games(*drawn)), mean_of(by_bets))):
            assert found.low is not None
            assert found.high is not None
            held[place] += found.low <= 2 <= found.high
    assert held[0] >= 0.92 * 300 > 0.7 * 300 > held[1]
