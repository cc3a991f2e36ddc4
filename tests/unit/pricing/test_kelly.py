"""Kelly's stakes: by formula where sides exclude each other, else where growth is highest."""

import itertools
import math
import random
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddsdesk.pricing.kelly import Game, Most, kelly_exclusive, most_growth
from oddsdesk.slices import returned


def growth(shares: list[float], bets: list[tuple[float, float]]) -> float:
    """Expected log growth of bets of which at most one wins, all outcomes enumerated."""
    kept = 1 - math.fsum(shares)
    total = (1 - math.fsum(p for p, _ in bets)) * math.log(max(kept, 1e-300))
    for share, (p, odds) in zip(shares, bets, strict=True):
        total += p * math.log(max(kept + share * odds, 1e-300))
    return total


def assert_no_step_grows_more(
    best: list[float], bets: list[tuple[float, float]], places: range
) -> None:
    """No share can be moved a little so that more is gained."""
    highest = growth(best, bets)
    for place, step in itertools.product(places, (-0.01, -0.001, 0.001, 0.01)):
        moved = [share + step * (i == place) for i, share in enumerate(best)]
        if min(moved) >= 0 and math.fsum(moved) < 1:
            assert growth(moved, bets) <= highest + 1e-9


def priced(weights: list[float], factors: list[float], inside: float) -> list[tuple[float, float]]:
    """Outcomes that are together as likely as ``inside``, each at so much of its fair odds."""
    total = math.fsum(weights) / inside
    return [(w / total, max(1.01, total / w * f)) for w, f in zip(weights, factors, strict=False)]


@given(
    st.lists(st.floats(0.02, 1), min_size=2, max_size=3),
    st.lists(st.floats(0.75, 1.25), min_size=3, max_size=3),
    st.floats(0.3, 0.98),
)
def test_exclusive_sides_are_staked_where_growth_is_highest(
    weights: list[float], factors: list[float], inside: float
) -> None:
    bets = priced(weights, factors, inside)
    if math.fsum(1 / odds for _, odds in bets) >= 0.999:
        bets = [(p, odds) for p, odds in bets if p * odds > 1][:2]
    if math.fsum(1 / odds for _, odds in bets) >= 1:
        return
    best = kelly_exclusive(bets)
    assert math.fsum(best) < 1
    assert_no_step_grows_more(best, bets, range(len(bets)))


def exclusive(bets: Sequence[tuple[float, float]]) -> Game:
    """Outcomes of which at most one wins, as a game of results."""
    none = max(0.0, 1 - math.fsum(p for p, _ in bets))
    gains = [
        [odds - 1 if at == place else -1.0 for at in range(len(bets) + 1)]
        for place, (_, odds) in enumerate(bets)
    ]
    return Game([*(p for p, _ in bets), none], gains, [0.0] * (len(bets) + 1))


@given(
    st.lists(st.floats(0.05, 1), min_size=2, max_size=3),
    st.lists(st.floats(0.9, 1.25), min_size=3, max_size=3),
    st.floats(0.5, 0.98),
    st.floats(0.001, 0.05),
)
@settings(max_examples=50)
def test_where_a_share_is_bounded_growth_is_highest_within_the_bound(
    weights: list[float], factors: list[float], inside: float, bound: float
) -> None:
    bets = priced(weights, factors, inside)
    best = returned(most_growth(exclusive(bets), [bound, *[1.0] * (len(bets) - 1)]))
    assert best[0] <= bound
    assert math.fsum(best) <= 1
    assert_no_step_grows_more(best, bets, range(1, len(bets)))
    if best[0] < bound - 0.01:
        assert_no_step_grows_more(best, bets, range(1))


@given(
    st.lists(st.floats(0.05, 1), min_size=2, max_size=3),
    st.lists(st.floats(0.9, 1.25), min_size=3, max_size=3),
    st.floats(0.5, 0.98),
)
@settings(max_examples=50)
def test_without_limits_the_numeric_answer_is_that_of_the_formula(
    weights: list[float], factors: list[float], inside: float
) -> None:
    bets = priced(weights, factors, inside)
    if math.fsum(1 / odds for _, odds in bets) < 0.95:
        return  # what is taken may cover everything: there is no single answer
    found = returned(most_growth(exclusive(bets), [math.inf] * len(bets)))
    assert found == pytest.approx(kelly_exclusive(bets), abs=2e-5)


def test_penaltyblogs_example() -> None:
    """Published beside its multiple-outcome criterion: three exclusive bets, growth 4.6783 %."""
    bets = [(0.55, 2.5), (0.25, 3.2), (0.20, 2.8)]
    for shares in (
        kelly_exclusive(bets),
        returned(most_growth(exclusive(bets), [math.inf] * 3)),
    ):
        assert shares == pytest.approx([0.2717, 0.0326, 0.0], abs=5e-5)
        assert growth(list(shares), bets) == pytest.approx(0.046783, abs=5e-7)


def nested(seed: int, bets: int, results: int) -> Game:
    """Bets that win from some result on: lines of one ladder, each with a small edge."""
    draw = random.Random(seed)
    weights = [draw.random() for _ in range(results)]
    chances = [each / math.fsum(weights) for each in weights]
    gains = []
    for _ in range(bets):
        won = draw.randint(2, results - 2)
        odds = draw.uniform(1.0, 1.08) / math.fsum(chances[:won])
        gains.append([odds - 1 if at < won else -1.0 for at in range(results)])
    return Game(chances, gains, [draw.uniform(-0.02, 0.02) for _ in range(results)])


def grown(game: Game, shares: Sequence[float]) -> float:
    """The expected logarithm, result by result."""
    return math.fsum(
        chance
        * math.log(
            1 + held + math.fsum(x * gains[at] for x, gains in zip(shares, game.gains, strict=True))
        )
        for at, (chance, held) in enumerate(zip(game.chances, game.held, strict=True))
    )


@pytest.mark.parametrize("seed", range(12))
def test_no_exchange_between_bets_that_win_together_grows_more(seed: int) -> None:
    """A second search, by coordinates and pairs, finds nothing better within the limits."""
    game = nested(seed, 5, 16)
    limits, most = [math.inf, 0.01, math.inf, 0.02, math.inf], 0.03 + seed / 100
    pair = Most(frozenset({2, 4}), 0.02)
    best = returned(most_growth(game, limits, [Most(frozenset(range(5)), most), pair]))
    assert all(0 <= share <= limit for share, limit in zip(best, limits, strict=True))
    assert math.fsum(best) <= most + 1e-9
    assert best[2] + best[4] <= 0.02 + 1e-9
    highest = grown(game, best)
    for size in (1e-2, 1e-3, 1e-4):
        for ups in itertools.product((-1, 0, 1), repeat=5):
            moved = [share + size * up for share, up in zip(best, ups, strict=True)]
            is_allowed = (
                min(moved) >= 0
                and all(share <= limit for share, limit in zip(moved, limits, strict=True))
                and math.fsum(moved) <= most
                and moved[2] + moved[4] <= 0.02
            )
            if is_allowed:
                assert grown(game, moved) <= highest + 1e-10


def test_what_is_held_counts_as_a_bet_that_is_made() -> None:
    """Half of Kelly's stake is held at the same odds: the other half is added."""
    gains = [1.1, -1.0]
    alone = returned(most_growth(Game([0.5, 0.5], [gains], [0.0, 0.0]), [math.inf]))
    held = [alone[0] / 2 * gain for gain in gains]
    beside = returned(most_growth(Game([0.5, 0.5], [gains], held), [math.inf]))
    assert alone == pytest.approx([0.5 - 0.5 / 1.1], abs=1e-5)
    assert beside == pytest.approx([alone[0] / 2], abs=1e-5)


def test_nothing_is_added_where_what_is_held_may_ruin() -> None:
    game = Game([0.5, 0.5], [[1.5, -1.0]], [1.0, -1.0])
    assert returned(most_growth(game, [math.inf])) == [0.0]


def test_a_limit_of_nothing_takes_a_bet_out() -> None:
    game = exclusive([(0.5, 2.1), (0.3, 3.6)])
    assert returned(most_growth(game, [0.0, math.inf]))[0] == 0.0
