"""What a stake is paid over the levels of a book, by a second computation in small pieces."""

import itertools
import math
import random
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddsdesk.base.tasks import returned
from oddsdesk.pricing.profiles import Profile
from oddsdesk.pricing.selections import settlement
from oddsdesk.pricing.stakes import (
    Depth,
    GameBets,
    Ladder,
    Most,
    Rung,
    acceptable,
    at_average,
    kelly_exclusive,
    kelly_stake,
    most_growth,
    net_at,
    net_paying,
    shares_of_equal_payout,
    stakeable,
)

POLYMARKET = Profile(name="P", group="P", taker_fee=0.03)
LEVELS = st.lists(
    st.tuples(st.floats(1.2, 6), st.floats(0.5, 60)),
    min_size=1,
    max_size=5,
    unique_by=lambda x: x[0],
).map(lambda levels: tuple(Rung(*each) for each in sorted(levels, reverse=True)))


def bought(ladder: Ladder, stake: float, piece: float = 0.01) -> float:
    """What a stake pays, coin by coin: each takes the best that is left."""
    left, paid = [list(rung) for rung in ladder], 0.0
    for _ in range(round(stake / piece)):
        at = next((each for each in left if each[1] > piece / 2), None)
        if at is None:
            break
        at[1] -= piece
        paid += piece * at[0]
    return paid


def test_three_shares_at_43_cents_take_a_stake_of_1_31() -> None:
    """3 x 0.43 and the fee, 3 x 0.03 x 0.43 x 0.57: D104's example."""
    ladder = POLYMARKET.ladder(Depth(((1 / 0.43, 3 * 0.43), (1 / 0.53, 500 * 0.53)), "USD"))
    assert ladder[0].most == pytest.approx(3 * 0.43 + 3 * 0.03 * 0.43 * 0.57)
    assert ladder[0].most == pytest.approx(1.312, abs=5e-4)
    shares = 3 + (6 - ladder[0].most) / (0.53 + 0.03 * 0.53 * 0.47)
    assert net_at(ladder, 6) == pytest.approx(shares / 6)
    assert net_at(ladder, 6) / (2.2165 * 1.01) - 1 == pytest.approx(-0.127, abs=5e-4)


def test_a_commission_is_of_the_winnings_and_leaves_the_stake() -> None:
    exchange = Profile(name="E", group="E", commission=0.05)
    assert exchange.ladder(Depth(((3.0, 20.0), (2.5, 0.0)))) == (Rung(2.9, 20.0),)


@given(LEVELS, st.floats(1, 60))
def test_a_stake_is_paid_the_average_of_what_it_eats(ladder: Ladder, stake: float) -> None:
    stake = round(min(stake, stakeable(ladder)), 2)
    if stake >= 1:
        assert net_at(ladder, stake) == pytest.approx(bought(ladder, stake) / stake, rel=3e-2)


@given(LEVELS, st.floats(0.2, 0.8), st.floats(0, 0.3), st.sampled_from([None, 2.25, 2.75, 3.0]))
def test_kellys_stake_grows_fastest(
    ladder: Ladder, chance: float, push: float, line: float | None
) -> None:
    ends = settlement(chance, 0.0 if line is None else push, line, is_above=True)
    bankroll = 100.0

    def growth(stake: float) -> float:
        gain = net_at(ladder, stake) * stake - stake
        ways = (ends.win, gain), (ends.half_win, gain / 2), (ends.half_loss, -stake / 2)
        return math.fsum(
            chance * math.log(1 + result / bankroll)
            for chance, result in (*ways, (ends.loss, -stake))
        )

    best = kelly_stake(ends, bankroll, ladder)
    assert 0 <= best <= min(stakeable(ladder), bankroll) + 1e-9
    most = min(stakeable(ladder), bankroll * 0.999)
    grid = max(growth(most * part / 100) for part in range(101))
    assert growth(min(best, most)) >= grid - 1e-9


def test_within_one_level_it_is_kellys_formula() -> None:
    ends = settlement(0.5, 0.0, None, is_above=True)
    assert kelly_stake(ends, 250, (Rung(2.1, 1e6),)) == pytest.approx(250 * ends.kelly(2.1))


@given(st.lists(LEVELS, min_size=2, max_size=3), st.floats(1, 150))
def test_equal_payouts_win_most(ladders: list[Ladder], total: float) -> None:
    """No other payout of all legs wins more, and none costs more than the total."""
    shares = shares_of_equal_payout(ladders, total)
    paid = [share.stake * share.net_odds for share in shares]
    assert paid == pytest.approx([paid[0]] * len(paid))
    spent = math.fsum(share.stake for share in shares)
    assert spent <= total * (1 + 1e-9)
    for share, ladder in zip(shares, ladders, strict=True):
        assert share.stake <= stakeable(ladder) * (1 + 1e-9)
        assert share.net_odds == pytest.approx(net_at(ladder, share.stake))
    if math.fsum(1 / ladder[0].net_odds for ladder in ladders) < 1:
        for part in range(1, 60):
            other = paid[0] * part / 30
            stakes = [other / net_paying(ladder, other) for ladder in ladders]
            is_had = all(
                stake <= stakeable(ladder) and net_at(ladder, stake) * stake >= other * (1 - 1e-9)
                for stake, ladder in zip(stakes, ladders, strict=True)
            )
            if is_had and math.fsum(stakes) <= total:
                assert other - math.fsum(stakes) <= paid[0] - spent + 1e-6


def test_legs_without_a_book_take_any_stake_and_one_without_levels_none() -> None:
    one, other = (Rung(2.1, math.inf),), (Rung(2.0, 30.0),)
    assert [share.stake for share in shares_of_equal_payout([one, other], 100)] == pytest.approx(
        [60 / 2.1, 30]
    )
    assert [share.stake for share in shares_of_equal_payout([one, ()], 100)] == [0, 0]


def test_levels_are_acceptable_up_to_the_first_that_is_not() -> None:
    ladder = Rung(2.2, 1.0), Rung(2.1, 5.0), Rung(2.0, 9.0)
    assert acceptable(ladder, lambda net: net >= 2.1) == ladder[:2]
    assert acceptable(ladder, lambda net: net >= 3) == ()
    assert at_average(ladder, 2.3) is None
    assert at_average(ladder, 2.2) == (Rung(2.2, 1.0),)
    assert net_paying(ladder, 2.2 + 2.1) == pytest.approx((2.2 + 2.1) / 2)


@given(LEVELS, st.floats(1.2, 6))
def test_what_is_had_at_an_average_is_paid_that(ladder: Ladder, net: float) -> None:
    found = at_average(ladder, net)
    if found is None:
        assert ladder[0].net_odds < net
        return
    ((_, most),) = found
    assert net_at(ladder, most) >= net * (1 - 1e-6)
    if most < stakeable(ladder) - 1e-6:
        assert net_at(ladder, most + 0.01) < net


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


def exclusive(bets: Sequence[tuple[float, float]]) -> GameBets:
    """Outcomes of which at most one wins, as a game of results."""
    none = max(0.0, 1 - math.fsum(p for p, _ in bets))
    gains = [
        [odds - 1 if at == place else -1.0 for at in range(len(bets) + 1)]
        for place, (_, odds) in enumerate(bets)
    ]
    return GameBets([*(p for p, _ in bets), none], gains, [0.0] * (len(bets) + 1))


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
    """Published with its multiple-outcome criterion: three exclusive bets, growth 4.6783 %."""
    bets = [(0.55, 2.5), (0.25, 3.2), (0.20, 2.8)]
    for shares in (kelly_exclusive(bets), returned(most_growth(exclusive(bets), [math.inf] * 3))):
        assert shares == pytest.approx([0.2717, 0.0326, 0.0], abs=5e-5)
        assert growth(list(shares), bets) == pytest.approx(0.046783, abs=5e-7)


def nested(seed: int, bets: int, results: int) -> GameBets:
    """Bets that win from some result on: lines of one ladder, each with a small edge."""
    draw = random.Random(seed)
    weights = [draw.random() for _ in range(results)]
    chances = [each / math.fsum(weights) for each in weights]
    gains = []
    for _ in range(bets):
        won = draw.randint(2, results - 2)
        odds = draw.uniform(1.0, 1.08) / math.fsum(chances[:won])
        gains.append([odds - 1 if at < won else -1.0 for at in range(results)])
    return GameBets(chances, gains, [draw.uniform(-0.02, 0.02) for _ in range(results)])


def grown(game: GameBets, shares: Sequence[float]) -> float:
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
    alone = returned(most_growth(GameBets([0.5, 0.5], [gains], [0.0, 0.0]), [math.inf]))
    held = [alone[0] / 2 * gain for gain in gains]
    with_held = returned(most_growth(GameBets([0.5, 0.5], [gains], held), [math.inf]))
    assert alone == pytest.approx([0.5 - 0.5 / 1.1], abs=1e-5)
    assert with_held == pytest.approx([alone[0] / 2], abs=1e-5)


def test_nothing_is_added_where_what_is_held_may_ruin() -> None:
    game = GameBets([0.5, 0.5], [[1.5, -1.0]], [1.0, -1.0])
    assert returned(most_growth(game, [math.inf])) == [0.0]


def test_a_limit_of_nothing_takes_a_bet_out() -> None:
    game = exclusive([(0.5, 2.1), (0.3, 3.6)])
    assert returned(most_growth(game, [0.0, math.inf]))[0] == 0.0
