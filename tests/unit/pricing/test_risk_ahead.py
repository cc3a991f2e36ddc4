"""What bets may win together, compared with trying every result and with a simulation apart."""

import itertools
import math
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddsdesk.pricing.risk_ahead import (
    OpenRisk,
    Share,
    chance_ever_down,
    fitted_chances,
    kelly_across,
    risk_ahead,
)


def single(draw: int, *profits: float) -> OpenRisk:
    """Return a bet with a profit for each result of a draw."""
    return OpenRisk((draw,), lambda at: profits[at[0]], min(profits), max(profits))


def double(one: int, other: int, stake: float, odds: float) -> OpenRisk:
    """Return a bet that wins with the first result of two draws."""
    return OpenRisk(
        (one, other),
        lambda at: stake * (odds - 1) if at == (0, 0) else -stake,
        -stake,
        stake * odds,
    )


CHANCES = st.lists(st.floats(0.05, 0.95), min_size=1, max_size=4)


@given(CHANCES, st.data())
@settings(max_examples=40, deadline=None)
def test_the_distribution_is_that_of_every_combined_result(
    chances: list[float], data: st.DataObject
) -> None:
    draws = [[chance, 1 - chance] for chance in chances]
    bets = [single(at, data.draw(st.integers(1, 50)), -10.0) for at in range(len(draws))]
    if len(draws) > 1:
        bets.append(double(0, len(draws) - 1, 5.0, 4.0))
    found = risk_ahead(draws, bets)
    ways = []
    for results in itertools.product((0, 1), repeat=len(draws)):
        chance = math.prod(draws[at][result] for at, result in enumerate(results))
        profit = sum(bet.profit(tuple(results[draw] for draw in bet.draws)) for bet in bets)
        ways.append((profit, chance))
    assert found.is_exact
    mean = sum(p * c for p, c in ways)
    assert found.expected == pytest.approx(mean)
    assert found.deviation**2 == pytest.approx(sum(c * (p - mean) ** 2 for p, c in ways), abs=1e-6)
    assert (found.worst, found.best) == pytest.approx((min(ways)[0], max(ways)[0]))
    for by in (1.0, 5.0, 10.0, 12.5, 30.0):
        assert found.chance_down(by) == pytest.approx(sum(c for p, c in ways if p <= -by + 1e-9))
    assert found.chance_down() == pytest.approx(sum(c for p, c in ways if p < -1e-9))
    middle = found.quantile(0.5)
    assert sum(c for p, c in ways if p <= middle + 1e-6) >= 0.5 - 1e-9
    assert sum(c for p, c in ways if p < middle - 1e-6) < 0.5 + 1e-9


def test_too_many_results_are_simulated_alike_for_a_seed() -> None:
    draws = [[0.3, 0.7]] * 40
    bets = [single(at, 10.0 + math.sqrt(at), -7.0 - math.pi * at / 9) for at in range(40)]
    found = risk_ahead(draws, bets, seed=7, runs=10_000)
    assert found.runs == 10_000
    mean = sum(0.3 * bet.best + 0.7 * bet.worst for bet in bets)
    variance = sum(0.21 * (bet.best - bet.worst) ** 2 for bet in bets)
    assert found.expected == pytest.approx(mean, abs=4 * math.sqrt(variance / 10_000))
    assert found.deviation == pytest.approx(math.sqrt(variance), rel=0.02)
    assert found.worst == pytest.approx(sum(bet.worst for bet in bets))
    assert risk_ahead(draws, bets, seed=7, runs=10_000).results == found.results
    assert risk_ahead(draws, bets, seed=8, runs=10_000).results != found.results


def test_multiples_over_many_games_are_simulated_with_their_singles() -> None:
    """Twenty games in a ring of doubles: too many results to try."""
    draws = [[0.5, 0.3, 0.2]] * 20
    bets = [double(at, (at + 1) % 20, 10.0, 4.4) for at in range(20)]
    bets += [single(at, 10.0, -10.0, 0.0) for at in range(20)]
    found = risk_ahead(draws, bets, seed=1)
    chooser, runs = random.Random(99), 20_000
    apart = []
    for _ in range(runs):
        won = [chooser.random() for _ in range(20)]
        doubles = sum(
            34 if a < 0.5 and b < 0.5 else -10 for a, b in zip(won, [*won[1:], won[0]], strict=True)
        )
        apart.append(doubles + sum(10 if a < 0.5 else -10 if a < 0.8 else 0 for a in won))
    assert found.runs == 50_000
    mean = sum(apart) / runs
    deviation = math.sqrt(sum((each - mean) ** 2 for each in apart) / runs)
    assert found.expected == pytest.approx(mean, abs=4 * deviation / math.sqrt(runs))
    assert found.deviation == pytest.approx(deviation, rel=0.03)
    down = sum(each <= -100 for each in apart) / runs
    assert found.chance_down(100) == pytest.approx(down, abs=0.015)
    assert found.worst == -20 * 10 - 20 * 10


def test_nothing_open_is_no_risk() -> None:
    found = risk_ahead([], [])
    assert (found.results, found.worst, found.best) == ([(0.0, 1.0)], 0, 0)
    assert (found.expected, found.chance_down(), found.quantile(0.5)) == (0, 0, 0)


def test_nested_and_exclusive_outcomes_get_their_chances() -> None:
    """Goals 0-1, 2, 3 and more: over 1.5, over 2.5 and under 1.5."""
    over, more, under = (-1, 1, 1), (-1, -1, 1), (1, -1, -1)
    found = fitted_chances(
        [1.0, 1.0, 1.0], [Share(over, 0.75), Share(more, 0.5), Share(under, 0.25)]
    )
    assert found == pytest.approx([0.25, 0.25, 0.5])


def test_a_line_that_can_push_keeps_its_share_of_decided_stakes() -> None:
    """Over 2 is won by 3, returned by 2: of four fifths that are decided, 60 % are won."""
    found = fitted_chances([1.0, 1.0, 1.0], [Share((-1, 0, 1), 0.6, 0.8)])
    assert found == pytest.approx([0.32, 0.2, 0.48])
    quarter = fitted_chances([1.0, 1.0, 1.0], [Share((-1, -0.5, 1), 0.5)])
    won, lost = quarter[2], quarter[0] + quarter[1] / 2
    assert won / (won + lost) == pytest.approx(0.5)


def test_bets_that_contradict_each_other_share_the_difference() -> None:
    both = fitted_chances([1.0, 1.0], [Share((1, -1), 0.6), Share((-1, 1), 0.5)])
    assert both == pytest.approx([0.55, 0.45])


def test_which_share_of_kelly_bets_are() -> None:
    """Of a bet at 2.0 with 55 %, Kelly stakes a tenth; 25 of 1,000 is a quarter of that."""
    found = risk_ahead([[0.55, 0.45]], [single(0, 25.0, -25.0)])
    assert found.kelly_share(1_000) == pytest.approx(0.25)
    assert found.growth(1_000) == pytest.approx(0.55 * math.log(1.025) + 0.45 * math.log(0.975))
    assert found.growth(25) == -math.inf
    assert risk_ahead([[0.5, 0.5]], [single(0, 25.0, -25.0)]).kelly_share(1_000) is None
    assert risk_ahead([[0.5, 0.5]], [single(0, 25.0, 0.0)]).kelly_share(1_000) is None


@pytest.mark.parametrize(
    ("to", "share", "chance"), [(0.5, 0.25, 0.0078125), (0.5, 1.0, 0.5), (0.25, 0.5, 1 / 64)]
)
def test_the_chance_to_ever_be_down(to: float, share: float, chance: float) -> None:
    """It is ``to^theta``, with the exponent at which the mean of ``wealth^-theta`` stays 1."""
    assert chance_ever_down(to, share) == pytest.approx(chance)
    edge = 1e-3  # of a bet at 2.0: Kelly stakes as much

    def mean(theta: float) -> float:
        won, lost = 1 + share * edge, 1 - share * edge
        return (1 + edge) / 2 * won**-theta + (1 - edge) / 2 * lost**-theta

    theta = next(each / 1000 for each in range(1, 20_000) if mean(each / 1000) > 1)
    assert to**theta == pytest.approx(chance, rel=0.01)


def test_from_twice_kelly_on_every_loss_comes() -> None:
    assert chance_ever_down(0.01, 2.0) == chance_ever_down(0.01, 3.0) == 1


def test_kelly_within_a_game_is_that_of_smoczynski_and_tomkins() -> None:
    found = kelly_across([[(0.55, 2.5), (0.25, 3.2), (0.20, 2.8)]])
    assert found.shares[0] == pytest.approx([0.2717, 0.0326, 0], abs=5e-5)
    assert found.growth * 100 == pytest.approx(4.6783, abs=5e-5)


def test_kelly_of_two_even_bets_at_once_has_a_formula() -> None:
    """For even money twice, ``(p^2 - q^2) / (p^2 + q^2) / 2`` on each."""
    found = kelly_across([[(0.55, 2.0)], [(0.55, 2.0)]])
    each = (0.55**2 - 0.45**2) / (0.55**2 + 0.45**2) / 2
    assert [shares[0] for shares in found.shares] == pytest.approx([each, each], abs=1e-5)


def log_growth(games: list[list[tuple[float, float]]], shares: list[list[float]]) -> float:
    """The expected logarithm of the bank, worked out apart."""
    grown = 0.0
    winners = [[*enumerate(chance for chance, _ in game)] for game in games]
    for game, of_game in zip(games, winners, strict=True):
        of_game.append((-1, 1 - sum(chance for chance, _ in game)))
    for way in itertools.product(*winners):
        wealth = 1 - sum(map(sum, shares))
        for game, staked, (at, _) in zip(games, shares, way, strict=True):
            wealth += staked[at] * game[at][1] if at >= 0 else 0
        grown += math.prod(chance for _, chance in way) * math.log(max(wealth, 1e-12))
    return grown


def test_no_other_stakes_on_several_games_grow_faster() -> None:
    games = [[(0.55, 2.5), (0.25, 3.2), (0.19, 2.8)], [(0.5, 2.2)], [(0.3, 3.0)], [(0.2, 6.0)]]
    found = kelly_across(games)
    shares = [list(each) for each in found.shares]
    assert found.growth == pytest.approx(log_growth(games, shares))
    assert shares[2] == [0]
    chooser = random.Random(3)
    for _ in range(300):
        other = [[max(0, s + chooser.gauss(0, 0.01)) for s in of_game] for of_game in shares]
        assert log_growth(games, other) <= found.growth + 1e-9


def test_impossible_games_are_refused() -> None:
    with pytest.raises(ValueError, match="more than 1"):
        kelly_across([[(0.6, 2.0), (0.6, 2.0)]])
    with pytest.raises(ValueError, match="too many games"):
        kelly_across([[(0.6, 2.0)]] * 20)
