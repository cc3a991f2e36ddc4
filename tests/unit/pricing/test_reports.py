"""What bets earned, should have earned, and how much of that is chance."""

import math
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from oddsdesk.pricing.reports import SettledBet, course, drawdown, report, reports_by


def bet(profit: float, odds: float = 2.0, stake: float = 1.0, **changed: float) -> SettledBet:
    told: dict[str, float | None] = {"expected": 0.02, "clv_pct": 1.0} | changed
    decided = 0.0 if profit == 0 else 1.0
    return SettledBet(stake, odds, profit, decided, profit, told["expected"], told["clv_pct"])


def test_a_report_sums_up() -> None:
    found = report([bet(1.0), bet(-1.0, clv_pct=-2.0), bet(1.0, clv_pct=None), bet(0.0)])
    assert (found.bets, found.staked, found.profit, found.yield_pct) == (4, 4.0, 1.0, 25.0)
    assert found.expected == pytest.approx(0.08)
    assert (found.clv_bets, found.clv_pct) == (3, pytest.approx(0.0))
    assert found.beaten_pct == pytest.approx(200 / 3)


def test_z_is_the_profit_in_standard_deviations_of_fair_bets() -> None:
    """Of ten each, bets of a unit at 2.0, 3.0 and 5.0 vary by 10 times 1 + 2 + 4."""
    found = report([bet(1.0, 2.0), bet(2.0, 3.0), bet(-1.0, 5.0), bet(0.0, 9.0)] * 10)
    assert found.outcomes == 30
    assert found.z == pytest.approx(20.0 / math.sqrt(70))
    assert found.chance == pytest.approx(0.0084, abs=1e-4)
    assert found.bad_chance == pytest.approx(0.9916, abs=1e-4)


def test_half_results_count_half_for_chance() -> None:
    half = SettledBet(2.0, 2.0, -1.0, 0.5, -1.0, None, None)
    assert report([half] * 25).z == pytest.approx(-5.0)


def test_of_one_bet_that_won_chance_does_as_well_as_often_as_its_odds_say() -> None:
    found = report([bet(5.9, 6.9)])
    assert (found.outcomes, found.z) == (1, None)
    assert found.chance == pytest.approx(1 / 6.9)
    assert found.bad_chance == pytest.approx(1)


def test_bets_on_one_outcome_are_one_bet_whatever_their_odds() -> None:
    """4 at 6.9 and 6 at 6.4 pay 66 together: one bet of 10 at 6.6."""
    both = [
        SettledBet(stake, odds, stake * (odds - 1), 1.0, stake * (odds - 1), None, None, "over")
        for stake, odds in ((4.0, 6.9), (6.0, 6.4))
    ]
    found = report(both)
    assert (found.bets, found.outcomes) == (2, 1)
    assert found.chance == pytest.approx(1 / 6.6)
    assert report([each._replace(outcome=None) for each in both]).chance == (
        pytest.approx(1 / (6.9 * 6.4))
    )
    assert [step.band for step in course(both)] == pytest.approx(
        [0.0, 1.959964 * 4 * math.sqrt(5.9), 1.959964 * 10 * math.sqrt(5.6)]
    )


def every_way(bets: list[SettledBet]) -> tuple[Fraction, Fraction]:
    """How often bets do as well, and as badly, by going through every way they can end."""
    earned = sum(Fraction(each.decided_profit) for each in bets)
    better = worse = Fraction(0)
    for ways in product((True, False), repeat=len(bets)):
        profit, likely = Fraction(0), Fraction(1)
        for is_won, each in zip(ways, bets, strict=True):
            odds, stake = Fraction(each.net_odds), Fraction(each.stake)
            profit += stake * (odds - 1) if is_won else -stake
            likely *= 1 / odds if is_won else 1 - 1 / odds
        better += likely if profit >= earned else 0
        worse += likely if profit <= earned else 0
    return better, worse


def on(line: str, outcome: str, odds: float, stake: float, won: str) -> SettledBet:
    profit = stake * (odds - 1) if outcome == won else -stake
    return SettledBet(stake, odds, profit, 1.0, profit, None, None, outcome, line)


def test_outcomes_of_which_one_wins_vary_as_one_draw_among_them() -> None:
    """The variance of a multinomial draw: 25 games, 1 on home at 2.5 and 2 on the draw at 4."""
    bets = [
        on(f"game {number}", outcome, odds, stake, "home" if number < 5 else "away")
        for number in range(25)
        for outcome, odds, stake in (("home", 2.5, 1.0), ("draw", 4.0, 2.0))
    ]
    found = report(bets)
    assert (found.bets, found.outcomes) == (50, 50)
    variance = 25 * (1 * 2.5 + 4 * 4.0 - 3.0**2)
    assert found.z == pytest.approx((5 * -0.5 + 20 * -3.0) / math.sqrt(variance))
    apart = report([each._replace(line=None, outcome=None) for each in bets]).z
    assert apart == pytest.approx(-62.5 / math.sqrt(25 * (1.5 + 12)))
    band = course(bets)[-1].band
    assert band == pytest.approx(1.959964 * math.sqrt(variance))


def test_of_few_outcomes_that_exclude_each_other_one_draw_is_exact() -> None:
    """Home at 2.5 won and the draw at 4 lost: as well by chance in 1 / 2.5, not in a product."""
    found = report([on("game", "home", 2.5, 1.0, "home"), on("game", "draw", 4.0, 0.4, "home")])
    assert (found.outcomes, found.z) == (2, None)
    assert found.chance == pytest.approx(1 / 2.5)
    assert found.bad_chance == pytest.approx(1)


def test_who_bets_on_every_side_with_a_margin_loses_for_sure_and_not_by_luck() -> None:
    """At 1.9 either way a tenth is lost whatever comes; at 1.8 and 2.0 it is 1.9 of 3.8 each."""
    sure = [on("game", side, 1.9, 1.0, "over") for side in ("over", "under")]
    found = report(sure)
    assert (found.chance, found.bad_chance) == (pytest.approx(1), pytest.approx(1))
    assert course(sure)[-1].band == pytest.approx(0, abs=1e-6)
    sides = (("over", 1.8), ("under", 2.0))
    uneven = [on(f"{n}", side, odds, 1.0, "over") for n in range(30) for side, odds in sides]
    lost, chances = (-0.2, 0.0), (2.0 / 3.8, 1.8 / 3.8)
    mean = sum(each * chance for each, chance in zip(lost, chances, strict=True))
    variance = sum((e - mean) ** 2 * c for e, c in zip(lost, chances, strict=True))
    expected = (30 * -0.2 - 30 * mean) / math.sqrt(30 * variance)
    assert report(uneven).z == pytest.approx(expected)


@given(
    st.lists(
        st.tuples(st.integers(1, 8), st.sampled_from([1.25, 2.0, 2.5, 6.75, 41.0]), st.booleans()),
        min_size=1,
        max_size=7,
    )
)
def test_of_few_bets_chance_is_what_every_way_they_can_end_adds_up_to(
    told: list[tuple[int, float, bool]],
) -> None:
    bets = []
    for stake, odds, is_won in told:
        profit = stake * (odds - 1) if is_won else -stake
        bets.append(SettledBet(stake, odds, profit, 1.0, profit, None, None))
    found = report(bets)
    better, worse = every_way(bets)
    assert found.chance == pytest.approx(float(better))
    assert found.bad_chance == pytest.approx(float(worse))


def test_where_exact_ends_and_normal_begins_both_say_much_the_same() -> None:
    """Evens: twenty bets of which 14 won by the binomial distribution, 21 by the normal one."""
    exact = report([bet(1.0)] * 14 + [bet(-1.0)] * 6)
    assert exact.chance == pytest.approx(sum(math.comb(20, won) for won in range(14, 21)) / 2**20)
    near = report([bet(1.0)] * 14 + [bet(-1.0)] * 7)
    assert near.z == pytest.approx(7 / math.sqrt(21))


INF = math.inf


@given(
    st.lists(st.integers(1, 9), min_size=3, max_size=7),
    st.lists(
        st.tuples(st.booleans(), st.integers(1, 6), st.integers(1, 5)), min_size=1, max_size=6
    ),
    st.integers(0, 6),
)
def test_lines_of_one_number_do_as_well_as_often_as_that_number_comes(
    weights: list[int], told: list[tuple[bool, int, int]], came: int
) -> None:
    """Bets at the fair odds of a distribution of goals: counted goal by goal, without the draw."""
    chances = {goals: Fraction(each, sum(weights)) for goals, each in enumerate(weights)}
    most = len(weights) - 1
    lines = [(is_over, min(line, most), stake) for is_over, line, stake in told]
    by_line: dict[tuple[bool, int], int] = {}
    for is_over, line, stake in lines:  # more than "line - 1" goals, or fewer than "line"
        by_line[is_over, line] = by_line.get((is_over, line), 0) + stake
    has_both = {line for is_over, line in by_line if (not is_over, line) in by_line}
    assume(not has_both)  # both sides of a line are surely one: rounding decides the normal case

    def likely(is_over: bool, line: int) -> Fraction:
        return sum((c for g, c in chances.items() if (g >= line) == is_over), Fraction(0))

    def profit(goals: int) -> Fraction:
        return sum(
            (
                stake * (1 / likely(*side) - 1) if (goals >= side[1]) == side[0] else -stake
                for side, stake in by_line.items()
            ),
            Fraction(0),
        )

    goals = min(came, most)
    bets = []
    for (is_over, line), stake in by_line.items():
        odds = float(1 / likely(is_over, line))
        earned = stake * (odds - 1) if (goals >= line) == is_over else -float(stake)
        wins = (line, INF) if is_over else (-INF, line - 1)
        outcome = f"{is_over} {line}"
        bets.append(
            SettledBet(stake, odds, earned, 1.0, earned, None, None, outcome, "goals", 1, wins)
        )
    found = report(bets)
    better = sum(c for g, c in chances.items() if profit(g) >= profit(goals))
    worse = sum(c for g, c in chances.items() if profit(g) <= profit(goals))
    assert found.is_exact
    assert found.chance == pytest.approx(float(better))
    assert found.bad_chance == pytest.approx(float(worse))
    variance = sum(c * profit(g) ** 2 for g, c in chances.items())
    band = course(bets)[-1].band
    assert band == pytest.approx(1.959964 * math.sqrt(variance), abs=1e-5)


@pytest.mark.parametrize("won", ["home", "draw", "away"])
@pytest.mark.parametrize(
    "odds",
    [
        {"home": 2.5, "draw": 4.0},
        {"draw": 4.0, "away": 3.0},
        {"home": 2.4, "draw": 3.8, "away": 2.8},
        {"home": 1.8, "away": 1.9},
        {"draw": 4.0},
    ],
)
def test_results_of_a_game_are_one_draw_among_them_whether_or_not_their_numbers_are_told(
    odds: dict[str, float], won: str
) -> None:
    """Also where a margin makes them more than 1 together: all chances are divided by their sum."""
    wins = {"home": (1, INF), "draw": (0, 0), "away": (-INF, -1)}
    bets = [
        on("game", side, each, stake, won) for stake, (side, each) in enumerate(odds.items(), 1)
    ]
    whole = max(1.0, sum(1 / each for each in odds.values()))
    stakes = {side: float(stake) for stake, side in enumerate(odds, 1)}
    ways = {
        side: (stakes[side] * each - sum(stakes.values()), 1 / each / whole)
        for side, each in odds.items()
    }
    left = 1 - sum(chance for _, chance in ways.values())
    ways |= {"none": (-sum(stakes.values()), left)} if left > 1e-9 else {}
    earned = sum(bet.profit for bet in bets)
    better = sum(chance for profit, chance in ways.values() if profit >= earned - 1e-9)
    ranged = [bet._replace(wins=wins[str(bet.outcome)], game=1) for bet in bets]
    for told in (bets, ranged):
        found = report(told)
        assert found.outcomes == len(odds)
        assert found.chance == pytest.approx(better)
        mean = sum(profit * chance for profit, chance in ways.values())
        variance = sum((profit - mean) ** 2 * chance for profit, chance in ways.values())
        assert course(told)[-1].band == pytest.approx(1.959964 * math.sqrt(variance), abs=1e-6)


@pytest.mark.parametrize("came", ["home", "draw", "away"])
@pytest.mark.parametrize(
    "sides", ["1X X", "X X2", "1 X X2", "1X X 2", "1 X2", "1X 2", "1 1X", "X", "1 X 2 1X X2"]
)
def test_double_chances_go_with_the_results_that_they_hold(sides: str, came: str) -> None:
    """At fair odds of a game of 40, 25 and 35 %: counted result by result."""
    chances = {"home": 0.4, "draw": 0.25, "away": 0.35}
    hold = {"1": ["home"], "X": ["draw"], "2": ["away"]}
    hold |= {"1X": ["home", "draw"], "X2": ["draw", "away"]}
    wins = {"1": (1, INF), "X": (0, 0), "2": (-INF, -1), "1X": (0, INF), "X2": (-INF, 0)}

    def profit(side: str, result: str) -> float:
        odds = 1 / sum(chances[each] for each in hold[side])
        return odds - 1 if result in hold[side] else -1.0

    bets = []
    for side in sides.split():
        odds = 1 / sum(chances[each] for each in hold[side])
        earned = profit(side, came)
        told = (1.0, odds, earned, 1.0, earned, None, None)
        bets.append(SettledBet(*told, side, "margin", "game", wins[side]))
    total = {each: sum(profit(side, each) for side in sides.split()) for each in chances}
    better = sum(c for each, c in chances.items() if total[each] >= total[came] - 1e-9)
    assert report(bets).chance == pytest.approx(better)


def test_of_nested_lines_the_normal_distribution_has_the_variance_of_their_draw() -> None:
    """Over 1.5 at 1.25 and over 2.5 at 2.0 of 30 games: -2, -0.75 or +1.25 of each."""
    bets = [
        SettledBet(1.0, odds, odds - 1, 1.0, odds - 1, None, None, f"over {line}", game, game, wins)
        for game in map(str, range(30))
        for line, odds, wins in ((1.5, 1.25, (2, INF)), (2.5, 2.0, (3, INF)))
    ]
    found = report(bets)
    variance = 0.2 * 2.0**2 + 0.3 * 0.75**2 + 0.5 * 1.25**2
    assert (found.outcomes, found.is_exact) == (30, False)
    assert found.z == pytest.approx(30 * 1.25 / math.sqrt(30 * variance))


def test_nothing_settled_has_no_yield_and_no_z() -> None:
    found = report([])
    assert (found.bets, found.yield_pct, found.z, found.chance, found.clv_pct) == (
        (0, None, None, None, None)
    )


@pytest.mark.parametrize(
    ("profits", "depth", "bets"),
    [
        ([], 0.0, 0),
        ([1, 2, 3], 0.0, 0),
        ([-1, -2], -3.0, 2),
        ([5, -1, -2, 10, -2.5], -3.0, 2),
        ([5, -1, 0.5, -2, 1], -2.5, 3),
    ],
)
def test_a_drawdown_is_the_deepest_fall_below_a_peak(
    profits: list[float], depth: float, bets: int
) -> None:
    assert drawdown([profit] for profit in profits) == (depth, bets)


def test_the_course_begins_at_nothing_and_its_band_widens() -> None:
    steps = course([bet(1.0), bet(-1.0, expected=None)])
    assert [step.profit for step in steps] == [0.0, 1.0, 0.0]
    assert [step.expected for step in steps] == [0.0, 0.02, 0.02]
    assert [step.band for step in steps] == pytest.approx([0.0, 1.96, 1.96 * 2**0.5], abs=1e-3)


def test_reports_by_a_key_keep_the_order_of_their_first_bets() -> None:
    found = reports_by([bet(1.0), bet(2.0), bet(-1.0)], ["b", "a", "b"])
    assert [(key, each.profit) for key, each in found.items()] == [("b", 0.0), ("a", 2.0)]


def test_both_legs_of_an_arbitrage_are_one_step_and_no_drawdown() -> None:
    """+369.46 and -373.00 on one game are -3.54, wherever a bet on another game stands."""
    won = SettledBet(637.0, 1.58, 369.46, 1.0, 369.46, 1.0, None, "win", "line", "game")
    lost = SettledBet(373.0, 2.70, -373.0, 1.0, -373.0, None, None, "loss", "line", "game")
    for bets in ([won, lost], [lost, won], [lost, bet(0.5), won]):
        found = report(bets)
        assert found.drawdown == (pytest.approx(-3.54), 2)
        profits = [(step.bets, round(step.profit, 2)) for step in course(bets)]
        assert profits[:2] == [(0, 0.0), (2, -3.54)]
    assert profits[2:] == [(3, -3.04)]
    apart = [each._replace(game=None) for each in (won, lost)]
    assert report(apart).drawdown == (-373.0, 1)


GOALS = [math.exp(-2.7) * 2.7**n / math.factorial(n) for n in range(40)]
"""The probability of each number of goals in a game."""
LINES = st.lists(
    st.tuples(
        st.sampled_from(["over", "under"]), st.integers(0, 5), st.sampled_from([1.0, 3.0, 10.0])
    ),
    min_size=1,
    max_size=6,
    unique_by=lambda line: line[:2],
)


@given(lines=LINES, shift=st.sampled_from([1.0, 0.9, 1.15]), goals=st.integers(0, 8))
def test_luck_of_totals_is_that_of_the_goals(
    lines: list[tuple[str, int, float]], shift: float, goals: int
) -> None:
    """At fair odds, checked by counting goals; at other odds impossible losses have no chance."""

    def wins(side: str, line: int, number: int) -> bool:
        return number > line if side == "over" else number <= line

    bets = []
    for side, line, stake in lines:
        chance = sum(share for n, share in enumerate(GOALS) if wins(side, line, n)) * shift
        assume(0.02 < chance < 0.98)
        profit = stake * (1 / chance - 1) if wins(side, line, goals) else -stake
        span = (line + 1, math.inf) if side == "over" else (-math.inf, line)
        bet = SettledBet(stake, 1 / chance, profit, 1.0, profit, None, None, (side, line), "game")
        bets.append(bet._replace(game="g", wins=span))
    earned = math.fsum(bet.profit for bet in bets)
    sums = [
        math.fsum(
            bet.stake * (bet.net_odds * wins(side, line, n) - 1)
            for bet, (side, line, _) in zip(bets, lines, strict=True)
        )
        for n in range(40)
    ]
    found = report(bets)
    better = sum(share for each, share in zip(sums, GOALS, strict=True) if each >= earned - 1e-9)
    assert found.chance is not None
    if shift == 1.0:
        assert found.chance == pytest.approx(better, abs=1e-6)
    elif all(each >= earned - 1e-9 for each in sums):
        assert found.chance == pytest.approx(1)
