"""EV and Kelly of lines that can push, against enumeration that shares no code."""

import math
import random
from collections.abc import Callable

import pytest
from msgspec.structs import astuple

from oddsdesk.pricing.settlement import (
    Settlement,
    number_hit,
    push_probability,
    settlement,
)

LINES = 12_500


def poisson(mean: float) -> list[float]:
    weights = [math.exp(-mean) * mean**k / math.factorial(k) for k in range(40)]
    return [weight / math.fsum(weights) for weight in weights]


def result(line: float, number: int, odds: float, *, over: bool) -> float:
    """What a unit gains: half on each of a quarter line's neighbours, each half by itself."""
    halves = (line - 0.25, line + 0.25) if (line * 2) % 1 else (line, line)
    gain = 0.0
    for half in halves:
        if number == half:
            continue
        won = (number > half) == over
        gain += (odds - 1) / 2 if won else -1 / 2
    return gain


def best_share(growth: Callable[[float], float]) -> float:
    """Find the highest point of a concave function on [0, 1) by thirds."""
    least, most = 0.0, 1 - 1e-9
    for _ in range(120):
        one, other = least + (most - least) / 3, most - (most - least) / 3
        if growth(one) < growth(other):
            least = one
        else:
            most = other
    return (least + most) / 2


def drawn_lines() -> list[tuple[list[float], float, bool, float]]:
    """Lines of a fixed seed: a distribution, a line of it, a side, net odds near its fair price."""
    source = random.Random(20_260_417)
    return [
        (
            poisson(source.uniform(0.6, 6.0)),
            source.randrange(2, 24) / 4,
            source.random() < 0.5,
            source.uniform(0.9, 1.3),
        )
        for _ in range(LINES)
    ]


def test_ev_and_kelly_equal_enumeration() -> None:
    compared = 0
    for chances, line, over, factor in drawn_lines():
        fair = fair_odds(chances, line, over=over)
        if not 1.02 < fair < 50:
            continue
        odds = max(1.01, 1 + (fair - 1) * factor)
        above = {k + 0.5: math.fsum(chances[k + 1 :]) for k in range(39)} | {-0.5: 1.0}
        hit = number_hit(line)
        push = 0.0 if hit is None else push_probability(above, hit)
        assert push is not None
        made = settlement(1 / fair, push, line, is_above=over)
        results = [(chance, result(line, k, odds, over=over)) for k, chance in enumerate(chances)]
        gain = math.fsum(chance * each for chance, each in results)
        assert made.gain(odds) == pytest.approx(gain, abs=1e-9)
        assert math.fsum(astuple(made)) == pytest.approx(1)
        assert made.gain(odds) == pytest.approx(made.decided * (odds / fair - 1), abs=1e-9)
        if compared % 20 == 0 and gain > 0:

            def growth(share: float, results: list[tuple[float, float]] = results) -> float:
                return math.fsum(chance * math.log1p(share * each) for chance, each in results)

            assert made.kelly(odds) == pytest.approx(best_share(growth), abs=1e-5)
            assert made.growth(0.01, odds) == pytest.approx(growth(0.01), abs=1e-12)
        compared += 1
    assert compared > 10_000


def fair_odds(chances: list[float], line: float, *, over: bool) -> float:
    """The odds at which the bet gains nothing, from what it wins at odds of 2 and what it loses."""
    results = [(chance, result(line, k, 2.0, over=over)) for k, chance in enumerate(chances)]
    won = math.fsum(chance * each for chance, each in results if each > 0)
    lost = -math.fsum(chance * each for chance, each in results if each < 0)
    return 1 + lost / won if won else math.inf


def test_draw_no_bet_pays_per_unit_staked() -> None:
    """4.03 % of a decided unit, with 26 % of draws, is 2.98 % of a unit staked."""
    made = settlement(0.5, 0.26, None, is_above=True)
    assert made.gain(2 * 1.0403) == pytest.approx(0.0298, abs=5e-5)


@pytest.mark.parametrize(
    ("line", "number"),
    [
        (2.5, None),
        (2.0, 2),
        (2.25, 2),
        (2.75, 3),
        (-0.25, 0),
        (0.25, 0),
        (-0.75, -1),
        (-1.25, -1),
        (0.0, 0),
    ],
)
def test_a_quarter_line_is_hit_at_its_whole_neighbour(line: float, number: int | None) -> None:
    assert number_hit(line) == number


def test_a_push_is_not_known_where_a_neighbour_is_missing_or_contradicts() -> None:
    assert push_probability({1.5: 0.7, 2.5: 0.45}, 2) == pytest.approx(0.25)
    assert push_probability({1.5: 0.7}, 2) is None
    assert push_probability({1.5: 0.4, 2.5: 0.45}, 2) is None


def test_without_gain_nothing_is_staked() -> None:
    assert settlement(0.5, 0.1, 2.0, is_above=True).kelly(1.9) == 0.0
    assert Settlement(0.0, 0.0, 0.0, 0.0, 1.0).kelly(3.0) == 0.0
