"""One outcome one stake, sides that exclude each other, caps that are never passed."""

import itertools
import math
from collections import defaultdict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.base.tasks import returned
from oddsdesk.pricing.exposure import Bound, Offer, Placed, Results, Stake, StakePlan, staking
from oddsdesk.pricing.selections import Settlement, settlement
from oddsdesk.pricing.stakes import Rung


def stakes(plan: StakePlan, offers: list[Offer], placed: Placed | None = None) -> list[Stake]:
    return returned(staking(plan, offers, placed))


def plain(probability: float) -> Settlement:
    return settlement(probability, 0.0, None, is_above=True)


def offer(
    outcome: str,
    odds: float,
    probability: float,
    bookmaker: str = "A",
    game: str = "g",
    **more: Any,
) -> Offer:
    return Offer((game, outcome), (game, "1x2"), game, bookmaker, odds, plain(probability), **more)


def test_the_best_net_price_carries_the_stake_of_an_outcome() -> None:
    found = stakes(
        StakePlan(),
        [offer("h", 2.1, 0.5, "A"), offer("h", 2.2, 0.5, "B"), offer("h", 2.15, 0.5, "C")],
    )
    assert [each.same_bet_as for each in found] == ["B", None, "B"]
    assert [each.amount for each in found] == [0.0, 20.0, 0.0]
    assert found[1].bound is Bound.KELLY or found[1].bound is Bound.OUTCOME


def test_fifteen_prices_of_one_outcome_are_one_bet_within_its_cap() -> None:
    offers = [offer("away", 14.0 + i / 10, 0.075, f"book {i}") for i in range(15)]
    found = stakes(StakePlan(), offers)
    assert sum(each.amount > 0 for each in found) == 1
    assert sum(each.amount for each in found) <= 20


@pytest.mark.parametrize(
    ("stake", "most", "amount", "bound"),
    [
        (StakePlan(), None, 20.0, Bound.OUTCOME),
        (StakePlan(game_cap=0.01), None, 10.0, Bound.GAME),
        (StakePlan(total_cap=0.005), None, 5.0, Bound.TOTAL),
        (StakePlan(), 7.5, 7.0, Bound.BOOKMAKER),
        (StakePlan(kelly_share=0.01), None, 2.0, Bound.KELLY),
        (StakePlan(step=50.0), None, 0.0, Bound.ROUNDING),
    ],
)
def test_what_bound_a_stake_is_told(
    stake: StakePlan, most: float | None, amount: float, bound: Bound
) -> None:
    (found,) = stakes(stake, [Offer("o", "g", "game", "A", 2.5, plain(0.55), most)])
    assert (found.amount, found.bound) == (amount, bound)


def test_what_is_placed_counts_against_every_cap() -> None:
    placed = Placed({("g", "h"): 15.0}, {"g": 15.0}, 15.0)
    (found,) = stakes(StakePlan(), [offer("h", 2.5, 0.55)], placed)
    assert (found.amount, found.bound) == (5.0, Bound.PLACED)
    (found,) = stakes(StakePlan(), [offer("d", 2.5, 0.55)], Placed({}, {"g": 28.0}, 28.0))
    assert (found.amount, found.bound) == (2.0, Bound.GAME)
    (found,) = stakes(StakePlan(), [offer("h", 2.5, 0.55)], Placed({}, {}, 400.0))
    assert (found.amount, found.bound) == (0.0, Bound.TOTAL)


FAIR = 0.4779449922
"""The chance of 2.05 against 1.88, margin proportional."""


def test_the_worked_numbers_of_kelly() -> None:
    ends = plain(FAIR)
    assert ends.gain(2.15) * 100 == pytest.approx(2.758, abs=5e-4)
    assert ends.kelly(2.15) * 100 == pytest.approx(2.398, abs=5e-4)
    assert ends.kelly(1 / FAIR) == pytest.approx(0, abs=1e-12)


def test_a_share_of_kelly_is_rounded_down_to_whole_steps() -> None:
    plan = StakePlan(kelly_share=0.25, outcome_cap=0.5, game_cap=0.5, total_cap=0.5, step=0.05)
    (found,) = stakes(plan, [offer("h", 2.15, FAIR)])
    assert found.full_kelly * 250 == pytest.approx(5.996, abs=5e-4)
    assert (found.amount, found.bound) == (5.95, Bound.KELLY)
    tenths = StakePlan(kelly_share=1.0, outcome_cap=0.0003, step=0.1)
    (found,) = stakes(tenths, [offer("h", 2.15, FAIR)])
    assert (found.amount, found.bound) == (0.3, Bound.OUTCOME)


@given(
    odds=st.floats(1.01, 100),
    fair=st.floats(1.01, 100),
    share=st.floats(0.01, 1),
    cap=st.floats(0.001, 1),
    most=st.none() | st.floats(0, 10_000),
    step=st.sampled_from([0.01, 0.05, 0.5, 1.0, 10.0]),
)
def test_a_stake_never_exceeds_what_bounds_it(
    odds: float, fair: float, share: float, cap: float, most: float | None, step: float
) -> None:
    plan = StakePlan(kelly_share=share, outcome_cap=cap, game_cap=1.0, total_cap=1.0, step=step)
    (found,) = stakes(plan, [Offer("o", "g", "game", "A", odds, plain(1 / fair), most)])
    slack = step * 1e-6
    assert 0 <= found.amount <= 1_000 * share * found.full_kelly + slack
    assert found.amount <= 1_000 * cap + slack
    assert most is None or found.amount <= most + slack
    assert found.amount / step == pytest.approx(round(found.amount / step), abs=1e-4)


def test_a_price_without_gain_is_not_staked() -> None:
    assert stakes(StakePlan(), [offer("h", 1.9, 0.5)]) == [Stake(0.0, Bound.NO_EDGE, 0.0)]


def growth(shares: list[float], bets: list[tuple[float, float]]) -> float:
    """Expected log growth of bets of which at most one wins, all outcomes enumerated."""
    kept = 1 - math.fsum(shares)
    total = (1 - math.fsum(p for p, _ in bets)) * math.log(max(kept, 1e-300))
    for share, (p, odds) in zip(shares, bets, strict=True):
        total += p * math.log(max(kept + share * odds, 1e-300))
    return total


@pytest.mark.parametrize(
    ("limit", "bound"), [(1.0, Bound.BOOKMAKER), (0.4, Bound.ROUNDING), (5.0, Bound.BOOKMAKER)]
)
def test_what_is_cut_is_no_hedge_for_the_other_side(limit: float, bound: Bound) -> None:
    """A home win at 1.57 is staked for 7.70 on the away win; limited, it cannot carry that."""
    home, away = (0.6491, 1.57), (0.1391, 7.70)
    offers = [
        Offer("h", "1x2", "g", "L", home[1], plain(home[0]), limit),
        Offer("a", "1x2", "g", "Y", away[1], plain(away[0])),
    ]
    step = 1.0 if bound is Bound.ROUNDING else 0.01
    plan = StakePlan(kelly_share=0.25, outcome_cap=1, game_cap=1, total_cap=1, step=step)
    cut, other = stakes(plan, offers)
    assert (cut.bound, other.bound) == (bound, Bound.KELLY)
    held = cut.amount / 250
    best = max(
        (round(share / 1e5, 5) for share in range(5_000)),
        key=lambda share: growth([held, share], [home, away]),
    )
    assert other.amount == pytest.approx(250 * best, abs=step)
    uncut = stakes(plan, [offers[0]._replace(most=None), offers[1]])
    assert other.amount < uncut[1].amount


def growth_with_push(
    shares: tuple[float, float], odds: tuple[float, float], ends: tuple[float, float, float]
) -> float:
    """Expected log growth of both sides of a line: over, under, and hit, where all comes back."""
    (one, other), kept = shares, 1 - sum(shares)
    wealths = (kept + one * odds[0], kept + other * odds[1], kept + one + other)
    return sum(chance * math.log(wealth) for chance, wealth in zip(ends, wealths, strict=True))


@pytest.mark.parametrize("line", [2.0, None])
@pytest.mark.parametrize(("push", "limit"), [(0.25, 5.0), (0.1, 8.0), (0.0, 5.0)])
def test_sides_of_a_line_that_can_be_hit_are_staked_together(
    line: float | None, push: float, limit: float
) -> None:
    """One of 2.10 and 2.12 is limited: the other's stake is the best one given the first."""
    odds, plan = (2.1, 2.12), StakePlan(outcome_cap=1, game_cap=1, total_cap=1, step=0.01)
    over, under = (
        settlement(0.5, push, line, is_above=True),
        settlement(0.5, push, line, is_above=False),
    )
    offers = [
        Offer("over", "line", "g", "A", odds[0], over, limit),
        Offer("under", "line", "g", "B", odds[1], under),
    ]
    limited, other = stakes(plan, offers)
    ends = ((1 - push) / 2, (1 - push) / 2, push)
    held = limit / 250
    best = max(
        (share / 1e5 for share in range(20_000)),
        key=lambda share: growth_with_push((held, share), odds, ends),
    )
    assert limited.amount == limit
    assert other.amount == pytest.approx(250 * best, abs=0.02)
    assert other.amount > 250 * under.kelly(odds[1]) + 4


def test_sides_of_a_quarter_line_are_staked_together() -> None:
    """Where one is won by half the other is lost by half: all three results, searched through."""
    plan = StakePlan(outcome_cap=1, game_cap=0.01, total_cap=1, step=0.01)
    sides = [settlement(0.5, 0.25, 2.25, is_above=is_above) for is_above in (True, False)]
    odds = (2.1, 2.16)
    found = stakes(
        plan, [Offer(i, "line", "g", "A", odds[i], side) for i, side in enumerate(sides)]
    )
    over = sides[0]  # loses by half at 2

    def grown(one: float, other: float) -> float:
        return (
            over.win * math.log(1 + one * (odds[0] - 1) - other)
            + over.half_loss * math.log(1 - one / 2 + other * (odds[1] - 1) / 2)
            + over.loss * math.log(1 - one + other * (odds[1] - 1))
        )

    best = max((x / 1e5 for x in range(4_001)), key=lambda one: grown(one, 0.04 - one))
    assert found[0].amount == pytest.approx(250 * best, abs=0.03)
    assert found[1].amount == pytest.approx(250 * (0.04 - best), abs=0.03)
    assert {each.bound for each in found} == {Bound.GAME}


@pytest.mark.parametrize("first", [0, 1])
def test_sides_share_what_room_other_games_leave(first: int) -> None:
    """2.06 and 2.13 of 0.5 each, of which bets of other games leave room for 15."""
    sides = [
        Offer(("two", "yes"), "btts", "two", "Y", 2.06, plain(0.5)),
        Offer(("two", "no"), "btts", "two", "N", 2.13, plain(0.5)),
    ]
    sides.insert(0, sides.pop(first))
    others = [offer("h", 1.35, 0.8, game=f"g{number}") for number in range(12)]
    plan = StakePlan(total_cap=0.255)
    found = dict(
        zip((side.bookmaker for side in sides), stakes(plan, [*sides, *others]), strict=False)
    )
    room, bets = 15 / 250, [(0.5, 2.06), (0.5, 2.13)]
    best = max(
        (x * room / 1e4 for x in range(10_001)), key=lambda yes: growth([yes, room - yes], bets)
    )
    assert found["Y"].amount == math.floor(250 * best) == 5
    assert found["N"].amount == math.floor(250 * (room - best)) == 9
    assert found["N"].bound is found["Y"].bound is Bound.TOTAL


def test_what_a_bookmaker_takes_no_more_goes_to_the_next_best() -> None:
    """8.31 by Kelly, 5 placed at the best price, which takes 5: 3 more, elsewhere."""
    plan, chance = StakePlan(step=0.01), 0.5
    at_limit = offer("h", 2.069, chance, "Small", most=5.0)
    prices = [at_limit, offer("h", 2.069, chance, "Large"), offer("h", 2.05, chance, "Low")]
    kelly = 250 * plain(chance).kelly(2.069)
    outcome = at_limit.outcome
    placed = Placed({outcome: 5.0}, {"g": 5.0}, 5.0, {(outcome, "small"): 5.0})
    small, large, low = stakes(plan, prices, placed)
    assert (small.amount, small.bound, small.same_bet_as) == (0.0, Bound.BOOKMAKER, None)
    assert (large.amount, large.bound) == (math.floor((kelly - 5) * 100) / 100, Bound.PLACED)
    assert (low.amount, low.bound, low.same_bet_as) == (0.0, None, "Large")
    elsewhere = Placed({outcome: 5.0}, {"g": 5.0}, 5.0, {(outcome, "low"): 5.0})
    small, large, _ = stakes(plan, prices, elsewhere)
    assert small.amount == math.floor((kelly - 5) * 100) / 100
    assert large.same_bet_as == "Small"


def test_a_stake_is_split_where_the_best_price_takes_too_little() -> None:
    """Both parts win together: the second is what grows fastest together with the first."""
    plan, chance = StakePlan(step=0.01, outcome_cap=1, game_cap=1), 0.5
    found = stakes(
        plan,
        [
            offer("h", 2.10, chance, "Best", most=6.0),
            offer("h", 2.06, chance, "Next"),
            offer("h", 2.02, chance, "Last"),
        ],
    )
    first = 6 / 250
    best = max(
        (x / 1e5 for x in range(10_000)),
        key=lambda x: math.log(1 + first * 1.10 + x * 1.06) + math.log(1 - first - x),
    )
    assert [each.amount for each in found] == [6.0, pytest.approx(250 * best, abs=0.02), 0.0]
    assert [each.bound for each in found] == [Bound.BOOKMAKER, Bound.KELLY, None]
    assert found[2].same_bet_as == "Best"
    assert found[1].amount < 250 * plain(chance).kelly(2.06) - 5


def test_the_next_best_price_carries_the_rest_also_where_the_other_side_is_staked() -> None:
    """Alone the first price's limit is all of Kelly; with a hedge the second is used, too."""
    over, odds = 1 / 3.97, (4.30, 4.29, 1.355)
    found = stakes(
        StakePlan(step=0.01, game_cap=1),
        [
            offer("over", odds[0], over, "Best", most=6.5),
            offer("over", odds[1], over, "Next"),
            offer("under", odds[2], 1 - over, "Other"),
        ],
    )

    def growth_of(more: float, hedge: float) -> float:
        won = 6.5 * (odds[0] - 1) + more * (odds[1] - 1) - hedge
        lost = hedge * (odds[2] - 1) - 6.5 - more
        return over * math.log(250 + won) + (1 - over) * math.log(250 + lost)

    sizes = [each / 20 for each in range(401)]
    more, hedge = max(itertools.product(sizes, sizes), key=lambda each: growth_of(*each))
    assert 250 * plain(over).kelly(odds[0]) < 6.5
    assert more > 1
    assert [each.amount for each in found] == [6.5, pytest.approx(more, abs=0.1), hedge]


def test_nothing_more_is_staked_where_the_next_price_is_not_worth_it() -> None:
    """With nearly all of Kelly at 2.50, more at 2.02 would take more risk than it earns."""
    best, following = stakes(
        StakePlan(outcome_cap=1, game_cap=1),
        [offer("h", 2.5, 0.5, "Best", most=40.0), offer("h", 2.02, 0.5, "Next")],
    )
    assert (best.amount, best.bound) == (40.0, Bound.BOOKMAKER)
    assert (following.amount, following.same_bet_as) == (0.0, "Best")


def line(outcome: str, odds: float, chance: float, group: str, bookmaker: str = "A") -> Offer:
    return Offer(outcome, group, "g", bookmaker, odds, plain(chance))


def test_lines_of_a_game_whose_results_are_not_known_together_are_one_bet() -> None:
    over, win = line("over", 2.1, 0.5, "total"), line("win", 1.6, 0.66, "spread")
    first, second = stakes(StakePlan(), [over, win])
    (alone,) = stakes(StakePlan(), [win])
    assert (first.amount, first.bound) == (0.0, Bound.SAME_GAME)
    assert (second.amount, second.bound) == (alone.amount, alone.bound)


def test_a_bet_on_another_line_of_the_game_counts_as_one_on_this_line() -> None:
    over = line("over", 2.09, 0.5, "total")
    (alone,) = stakes(StakePlan(), [over])
    (added,) = stakes(StakePlan(), [over], Placed({"win": 4.0}, {"g": 4.0}, 4.0))
    assert alone.amount == 10
    assert (added.amount, added.bound) == (6.0, Bound.PLACED)


GOALS = (0.08, 0.17, 0.22, 0.21, 0.16, 0.16)
"""Of no goal, one, ..., five and more."""


def above(goals: float) -> list[float]:
    return [1.0 if number > goals else -1.0 for number in range(6)]


def test_lines_whose_results_are_known_together_are_solved_together() -> None:
    """Over 2.5, 3.5 and 1.5, searched through by steps: less in all than one by one."""
    lines, odds = (2.5, 3.5, 1.5), (1.97, 3.3, 1.36)
    chances = [math.fsum(GOALS[math.ceil(each) :]) for each in lines]
    offers = [
        line(f"over {goals}", price, chance, str(goals))
        for goals, price, chance in zip(lines, odds, chances, strict=True)
    ]
    results = Results(GOALS, {f"over {each}": above(each) for each in lines})
    plan = StakePlan(outcome_cap=1, game_cap=1, step=0.01)
    found = returned(staking(plan, offers, results_of=lambda _: results))

    def grown(shares: tuple[float, ...]) -> float:
        return math.fsum(
            chance
            * math.log(
                1
                + math.fsum(
                    x * (price - 1 if number > goals else -1)
                    for x, goals, price in zip(shares, lines, odds, strict=True)
                )
            )
            for number, chance in enumerate(GOALS)
        )

    shares = tuple(each.amount / 250 for each in found)
    for moved in itertools.product((-0.002, 0, 0.002), repeat=3):
        other = tuple(max(0.0, x + y) for x, y in zip(shares, moved, strict=True))
        assert grown(other) <= grown(shares) + 1e-6
    alone = [250 * each.settlement.kelly(each.net_odds) for each in offers]
    assert math.fsum(each.amount for each in found) < 0.75 * math.fsum(alone)
    assert Bound.SAME_GAME in {each.bound for each in found}


def test_open_bets_of_the_game_count_as_they_win_and_lose() -> None:
    """A bet on under 2.5 is a hedge for over 3.5, one on over 2.5 is more of the same."""
    offers = [line("over 3.5", 3.3, 0.32, "3.5")]
    shares = {"over 3.5": above(3.5)}
    amounts = []
    for sign in (1, 0, -1):
        held = [10.0 * sign * each for each in above(2.5)]
        results = Results(GOALS, shares, held)
        placed = Placed({}, {"g": 10.0}, 10.0)
        plan = StakePlan(outcome_cap=1, game_cap=1, step=0.01)
        (found,) = returned(staking(plan, offers, placed, lambda _, known=results: known))
        amounts.append(found.amount)
    same, none, hedged = amounts
    assert none == pytest.approx(250 * plain(0.32).kelly(3.3), abs=0.02)
    assert same < none < hedged


def test_what_is_locked_in_adds_to_the_whole_bankroll() -> None:
    """100 in every result count as 1,100 in the bank do, not as 1,000 and four times 100."""
    results = Results(GOALS, {"over 3.5": above(3.5)}, [100.0] * len(GOALS))
    plan = StakePlan(outcome_cap=1, game_cap=1, step=0.01)
    placed = Placed({}, {"g": 10.0}, 10.0)
    offers = [line("over 3.5", 3.3, 0.32, "3.5")]
    (found,) = returned(staking(plan, offers, placed, lambda _: results))
    assert plan.bankroll == 1000
    assert found.amount == pytest.approx(0.25 * 1100 * plain(0.32).kelly(3.3), abs=0.02)


@given(
    st.lists(st.tuples(st.floats(1.0, 1.12), st.floats(1.0, 1.12)), min_size=1, max_size=6),
    st.floats(0.01, 1),
    st.floats(0.01, 1),
    st.floats(0.02, 1),
)
def test_no_side_gets_more_than_is_best_beside_what_the_other_got(
    edges: list[tuple[float, float]], outcome_cap: float, game_cap: float, total_cap: float
) -> None:
    plan = StakePlan(outcome_cap=outcome_cap, game_cap=game_cap, total_cap=total_cap, step=0.01)
    chances = (0.48, 0.52)
    offers = [
        Offer(
            (game, side), game, game, "A", edges[game][side] / chances[side], plain(chances[side])
        )
        for game in range(len(edges))
        for side in range(2)
    ]
    found = stakes(plan, offers)
    for game in range(len(edges)):
        pair = found[2 * game : 2 * game + 2]
        bets = [(chances[side], edges[game][side] / chances[side]) for side in range(2)]
        shares = [stake.amount / 250 for stake in pair]
        if math.fsum(shares) >= 1:
            continue  # all of it is in: whatever comes, the other side pays
        for side in range(2):
            less = max(0.0, shares[side] - 0.002)
            fewer = [less if each == side else shares[each] for each in range(2)]
            assert growth(fewer, bets) <= growth(shares, bets) + 1e-6


BOOKS = st.lists(
    st.tuples(
        st.integers(0, 3),  # game
        st.integers(0, 2),  # outcome of it
        st.sampled_from("ABCD"),
        st.floats(0.9, 1.3),  # net odds over fair odds
    ),
    min_size=1,
    max_size=25,
)
CHANCES = ((0.45, 0.27, 0.28), (0.6, 0.22, 0.18), (0.1, 0.15, 0.75), (1 / 3, 1 / 3, 1 / 3))


@given(
    BOOKS,
    st.floats(0.05, 1.0),
    st.floats(0.005, 0.1),
    st.floats(0.005, 0.1),
    st.floats(0.01, 0.4),
    st.sampled_from([0.01, 1.0, 5.0]),
)
def test_no_cap_is_passed_and_growth_is_no_less_than_of_any_single_bet(
    books: list[tuple[int, int, str, float]],
    share: float,
    outcome_cap: float,
    game_cap: float,
    total_cap: float,
    step: float,
) -> None:
    plan = StakePlan(
        kelly_share=share,
        outcome_cap=outcome_cap,
        game_cap=game_cap,
        total_cap=total_cap,
        step=step,
    )
    offers = [
        Offer(
            (game, side),
            game,
            game,
            book,
            max(1.001, factor / CHANCES[game][side]),
            plain(CHANCES[game][side]),
        )
        for game, side, book, factor in books
    ]
    found = stakes(plan, offers)
    by_outcome: dict[object, float] = defaultdict(float)
    by_game: dict[object, float] = defaultdict(float)
    for each, made in zip(offers, found, strict=True):
        by_outcome[each.outcome] += made.amount
        by_game[each.game] += made.amount
        assert made.amount == pytest.approx(round(made.amount / step) * step, abs=1e-6)
    assert max(by_outcome.values()) <= plan.bankroll * outcome_cap + 1e-6
    assert max(by_game.values()) <= plan.bankroll * game_cap + 1e-6
    assert sum(by_game.values()) <= plan.bankroll * total_cap + 1e-6
    bets = [
        (each, made.amount / plan.bankroll)
        for each, made in zip(offers, found, strict=True)
        if made.amount
    ]
    alone = [each.settlement.growth(share, each.net_odds) for each, share in bets]
    if alone:
        assert expected_growth(bets) >= max(alone) - 1e-12


def expected_growth(bets: list[tuple[Offer, float]]) -> float:
    """Expected log growth of all bets together, every joint result of the games enumerated."""
    games = sorted({each.game for each, _ in bets}, key=str)
    total = 0.0
    for sides in itertools.product(range(3), repeat=len(games)):
        won = dict(zip(games, sides, strict=True))
        chance = math.prod(CHANCES[game][side] for game, side in won.items())
        wealth = 1 - math.fsum(share for _, share in bets)
        wealth += math.fsum(
            share * each.net_odds
            for each, share in bets
            if each.outcome == (each.game, won[each.game])
        )
        total += chance * math.log(wealth)
    return total


def test_many_offers_are_staked_in_many_steps() -> None:
    offers = [offer(f"o{number}", 2.5, 0.55, game=f"g{number}") for number in range(200)]
    assert sum(1 for _ in staking(StakePlan(), offers)) >= 2 * len(offers)


def test_a_stake_never_passes_what_is_for_sale_and_gets_its_average() -> None:
    ladder = (Rung(2.3, 4.0), Rung(2.2, 5.5))
    (found,) = stakes(StakePlan(), [offer("h", 2.3, 0.5, ladder=ladder)])
    assert (found.amount, found.bound) == (9, Bound.FOR_SALE)
    assert found.net_odds == pytest.approx((4 * 2.3 + 5 * 2.2) / 9)


def test_a_level_that_adds_no_growth_is_left() -> None:
    """A quarter of Kelly at 2.3 is 28.8: of the second level at 2.05 a little is worth it."""
    plan = StakePlan(outcome_cap=1, game_cap=1)
    (found,) = stakes(plan, [offer("h", 2.3, 0.5, ladder=(Rung(2.3, 20.0), Rung(2.05, 500.0)))])
    alone = 250 * (0.5 * 2.3 - 0.5) / 1.3
    best = max(range(1, 60), key=lambda s: log_growth(s, min(s, 20) * 2.3 + max(0, s - 20) * 2.05))
    assert 20 <= found.amount == best < alone


def log_growth(stake: float, paid: float) -> float:
    return 0.5 * math.log(250 - stake + paid) + 0.5 * math.log(250 - stake)


def test_less_than_a_step_for_sale_is_no_stake_and_another_price_carries_it() -> None:
    small = (Rung(2.4, 0.7),)
    (found,) = stakes(StakePlan(), [offer("h", 2.4, 0.5, ladder=small)])
    assert (found.amount, found.bound) == (0, Bound.FOR_SALE)
    little, other = stakes(
        StakePlan(), [offer("h", 2.4, 0.5, "P", ladder=small), offer("h", 2.1, 0.5, "B")]
    )
    assert (little.amount, little.bound) == (0, Bound.FOR_SALE)
    assert (other.amount, other.bound, other.same_bet_as) == (11, Bound.KELLY, None)
    (nothing,) = stakes(StakePlan(), [offer("h", 2.4, 0.5, ladder=())])
    assert (nothing.amount, nothing.bound) == (0, Bound.FOR_SALE)


def test_what_is_for_sale_bounds_sides_that_are_solved_together() -> None:
    found = stakes(
        StakePlan(outcome_cap=1, game_cap=1),
        [offer("h", 2.3, 0.5, "P", ladder=(Rung(2.3, 6.4),)), offer("a", 2.2, 0.5, "B")],
    )
    assert (found[0].amount, found[0].bound) == (6, Bound.FOR_SALE)
