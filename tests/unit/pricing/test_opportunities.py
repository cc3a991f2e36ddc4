"""Legs that cover everything: which go together, their stakes, and what they bring."""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddsdesk.pricing.opportunities import (
    Leg,
    Middle,
    Span,
    Split,
    best_legs,
    go_together,
    middle_outlay,
    middle_span,
    outlay,
    rest_of_legs,
    split_stakes,
    total_of,
)

MINUTE = 60_000
odds = st.floats(1.01, 30)


def leg(bookmaker: str, net: float, group: str = "", **more: object) -> Leg:
    fields = {"seen_at": 0, "in_play": False, **more}
    return Leg(bookmaker, group or bookmaker, "x", net, net, **fields)  # type: ignore[arg-type]


def names(legs: tuple[Leg, ...] | None) -> list[str] | None:
    return None if legs is None else [each.bookmaker for each in legs]


def test_the_best_net_price_of_each_side_is_taken() -> None:
    home = [leg("A", 2.0), leg("B", 2.1)]
    away = [leg("A", 2.05), leg("C", 1.9)]
    assert names(best_legs([home, away])) == ["B", "A"]


def test_no_two_legs_are_of_one_operator() -> None:
    home = [leg("Betfair UK", 2.2, "Betfair"), leg("B", 2.1)]
    away = [leg("Betfair EU", 2.2, "Betfair"), leg("C", 1.5)]
    found = best_legs([home, away])
    assert names(found) == ["B", "Betfair EU"]
    assert best_legs([home[:1], away[:1]]) is None


def test_legs_are_all_in_play_or_none() -> None:
    home = [leg("A", 3.0, in_play=True), leg("B", 2.1)]
    assert names(best_legs([home, [leg("C", 2.0)]])) == ["B", "C"]
    assert best_legs([home[:1], [leg("C", 2.0)]]) is None


def test_legs_in_play_were_seen_within_a_minute() -> None:
    home = [leg("A", 3.0, in_play=True, seen_at=0), leg("B", 2.5, in_play=True, seen_at=MINUTE + 1)]
    away = [leg("C", 2.0, in_play=True, seen_at=2 * MINUTE)]
    assert names(best_legs([home, away])) == ["B", "C"]
    early = leg("C", 2.0, in_play=True, seen_at=MINUTE)
    assert names(best_legs([home, [early]])) == ["A", "C"]


def test_before_the_game_legs_may_have_been_seen_at_any_time() -> None:
    assert best_legs([[leg("A", 3.0, seen_at=0)], [leg("B", 2.0, seen_at=5 * MINUTE)]])


def test_where_overtime_decides_legs_settle_alike() -> None:
    home = [leg("A", 3.0, has_overtime=False), leg("B", 2.5, has_overtime=True)]
    away = [leg("C", 2.0, has_overtime=True), leg("D", 1.9)]
    assert names(best_legs([home, away])) == ["A", "C"]
    assert names(best_legs([home, away], overtime_decides=True)) == ["A", "D"]
    assert names(best_legs([home, away[:1]], overtime_decides=True)) == ["B", "C"]


legs_of_a_side = st.builds(
    lambda group, seen_at, in_play: leg(group, 2.0, seen_at=seen_at, in_play=in_play),
    st.sampled_from("ABC"),
    st.sampled_from([0, 1, MINUTE, MINUTE + 1, 2 * MINUTE]),
    st.booleans(),
)


@given(st.lists(legs_of_a_side, min_size=2, max_size=3))
def test_legs_go_together_where_there_are_best_legs_of_them_alone(legs: list[Leg]) -> None:
    assert go_together(legs) is (best_legs([[each] for each in legs]) is not None)


@given(st.lists(st.lists(st.tuples(st.integers(0, 4), odds), min_size=1, max_size=6),
                min_size=2, max_size=3))  # fmt: skip
def test_no_other_legs_of_different_operators_have_a_lower_total(
    offered: list[list[tuple[int, float]]],
) -> None:
    offers = [[leg(f"{group} {net}", net, str(group)) for group, net in side] for side in offered]
    allowed = [
        legs
        for legs in itertools.product(*offers)
        if len({each.group for each in legs}) == len(legs)
    ]
    found = best_legs(offers)
    if not allowed:
        assert found is None
    else:
        assert found is not None
        assert total_of(found) == pytest.approx(min(map(total_of, allowed)))


def test_of_stakes_that_pay_nearly_the_same_those_that_leave_most_are_taken() -> None:
    """The nearest steps, 60, 24 and 16, lose 0.48 %."""
    assert split_stakes((1.69, 4.3, 6.22), Split(100, 1)) == (58, 23, 16)


def test_of_stakes_that_leave_the_same_the_largest_are_taken() -> None:
    assert split_stakes((2.1, 2.1), Split(100, 1)) == (50, 50)
    assert split_stakes((3.0, 1.5), Split(100, 5)) == (30, 60)


def test_what_is_nearly_a_whole_number_of_steps_is_one() -> None:
    """Three of a step of 0.1 is 0.30000000000000004."""
    assert split_stakes((2.0, 2.0), Split(0.6, 0.1)) == (0.3, 0.3)
    assert split_stakes((1 / 0.7, 1 / 0.3), Split(1, 0.1)) == (0.7, 0.3)


@given(
    st.lists(st.integers(102, 3_000), min_size=2, max_size=3),
    st.integers(1, 300),
    st.sampled_from([Fraction(1, 100), Fraction(1, 2), Fraction(1), Fraction(5), Fraction(10)]),
)
def test_no_stakes_near_those_that_pay_the_same_leave_more(
    hundredths: list[int], total: int, step: Fraction
) -> None:
    nets = [Fraction(each, 100) for each in hundredths]
    even = [total / (net * sum(1 / other for other in nets)) / step for net in nets]
    near = [range(max(1, math.ceil(each - 3)), math.floor(each + 3) + 1) for each in even]
    allowed = [counts for counts in itertools.product(*near) if sum(counts) * step <= total]
    found = split_stakes([float(net) for net in nets], Split(total, float(step)))
    if not allowed:
        assert set(found) == {0}
        return

    def worth(counts: Sequence[int]) -> tuple[Fraction, int]:
        pays = min(count * net for count, net in zip(counts, nets, strict=True))
        return pays / sum(counts), sum(counts)

    best = max(map(worth, allowed))
    if sum(1 / net for net in nets) >= 1 or wins(best[0]):
        assert worth([round(stake / float(step)) for stake in found]) == best


def wins(share: Fraction) -> bool:
    """Whether what comes back of all stakes at worst is told as more than 0.00 %."""
    return share >= 1 + Fraction(5, 100_000)


def test_where_stakes_near_an_even_split_lose_smaller_ones_that_win_are_taken() -> None:
    """48 and 51, the best that are near, lose 0.12 %; 37 and 39 would win 0.05 of 76."""
    found = outlay((leg("A", 2.06), leg("B", 1.95)), Split(100, 1))
    assert found.stakes == (36, 38)
    assert found.worst == pytest.approx(0.10)
    assert found.wins


def test_where_no_stakes_win_those_near_an_even_split_are_told() -> None:
    """At 2.00 and 2.01 one side wins only above 100 steps each."""
    found = outlay((leg("A", 2.0), leg("B", 2.01)), Split(100, 1))
    assert (found.stakes, found.worst, found.wins) == ((50, 50), 0, False)


@given(st.integers(120, 400), st.integers(0, 30), st.integers(2, 120))
def test_stakes_below_one_win_where_any_do_and_then_most(first: int, more: int, total: int) -> None:
    """Against all stakes up to the total; odds in hundredths, the second a bit above fair."""
    nets = [Fraction(first, 100), Fraction(first * 100 // (first - 100) + more, 100)]
    if sum(1 / net for net in nets) >= 1:
        return
    found = outlay([leg("A", float(nets[0])), leg("B", float(nets[1]))], Split(total, 1))

    def won(counts: Sequence[int]) -> Fraction:
        return min(map(Fraction.__mul__, map(Fraction, counts), nets)) - sum(counts)

    pairs = itertools.product(range(1, total), repeat=2)
    gains = [
        gain for pair in pairs if sum(pair) <= total and wins(1 + (gain := won(pair)) / sum(pair))
    ]
    assert found.wins is bool(gains)
    assert not gains or found.worst <= max(gains) + Fraction(1, 10**6)


def test_what_is_told_is_the_worst_outcome_after_rounding() -> None:
    found = outlay((leg("A", 2.1), leg("B", 2.05)), Split(80, 5))
    assert found.stakes == (40, 40)
    assert found.worst == pytest.approx(2.0)
    assert found.worst_pct == pytest.approx(2.5)
    assert found.push is None


def test_each_leg_is_staked_a_step_at_least_or_none_is() -> None:
    found = outlay((leg("A", 1.02), leg("B", 500)), Split(100, 10))
    assert found.stakes == (90, 10)
    assert found.covers_all
    assert found.worst == pytest.approx(-8.2)
    none = outlay((leg("A", 2.0), leg("B", 2.0)), Split(15, 10))
    assert not none.covers_all
    assert none.worst_pct == -100


@pytest.mark.parametrize(
    ("line", "push"),
    [
        (None, None),
        (2.5, None),
        (2.0, 0.0),
        (2.25, -0.5 * 50 + 1.06 / 2 * 50),
        (1.75, 1.04 / 2 * 50 - 0.5 * 50),
    ],
)
def test_what_a_push_gives_is_told_beside_it(line: float | None, push: float | None) -> None:
    found = outlay((leg("A", 2.04), leg("B", 2.06)), Split(100, 1), line)
    assert found.stakes == (50, 50)
    assert found.worst == pytest.approx(2.0)
    assert found.push == (None if push is None else pytest.approx(push))


@pytest.mark.parametrize(
    ("above", "below", "span"),
    [
        (2.5, 3.5, Span(3, 3)),
        (2.0, 3.0, Span(2, 3)),
        (2.5, 3.25, Span(3, 3)),
        (2.5, 2.75, None),
        (2.25, 2.5, None),
        (-1.5, 2.5, Span(-1, 2)),
        (2.5, 2.5, None),
        (3.5, 2.5, None),
    ],
)
def test_a_middle_is_where_no_leg_loses(above: float, below: float, span: Span | None) -> None:
    assert middle_span(above, below) == span


def test_a_draw_that_cannot_be_is_no_middle() -> None:
    assert middle_span(-0.5, 0.5) == Span(0, 0)
    assert middle_span(-0.5, 0.5, impossible=frozenset({0})) is None


def test_a_middle_says_what_it_loses_wins_and_when_it_breaks_even() -> None:
    legs = (leg("A", 1.95), leg("B", 1.95))
    staked, hit = middle_outlay(legs, (2.5, 3.5), Span(3, 3), Split(100, 1))
    assert staked.worst == pytest.approx(-2.5)
    assert hit == pytest.approx(95)
    middle = Middle(-staked.worst, hit, 0.2)
    assert middle.break_even == pytest.approx(2.5 / 97.5)


def test_a_hit_counts_for_what_it_brings_at_least() -> None:
    legs = (leg("A", 1.9), leg("B", 2.0))
    staked, hit = middle_outlay(legs, (2.0, 3.0), Span(2, 3), Split(100, 1))
    assert staked.stakes == (49, 47)
    assert hit == pytest.approx(min(47 * 1.0, 49 * 0.9))


def test_a_middle_that_loses_nowhere_breaks_even_at_once() -> None:
    assert Middle(-1.0, 50.0, None).break_even == 0


@given(odds, odds, st.integers(-8, 8), st.integers(1, 8))
def test_outside_its_span_a_middle_never_gains_more_than_inside(
    one: float, other: float, quarter: int, width: int
) -> None:
    lines = (quarter / 4, (quarter + width) / 4)
    span = middle_span(*lines)
    if span is not None:
        staked, hit = middle_outlay((leg("A", one), leg("B", other)), lines, span, Split(100, 0.01))
        assert hit >= staked.worst - 1e-6


@given(odds, odds, st.integers(-8, 8), st.integers(1, 8), st.sampled_from([0.01, 1, 10]))
def test_no_middle_breaks_even_at_less_than_its_hold(
    one: float, other: float, quarter: int, width: int, step: float
) -> None:
    lines = (quarter / 4, (quarter + width) / 4)
    legs = (leg("A", one), leg("B", other))
    if (span := middle_span(*lines)) is None:
        return
    staked, hit = middle_outlay(legs, lines, span, Split(100, step))
    if hit > 0:
        assert Middle(-staked.worst, hit, None).break_even >= total_of(legs) - 1 - 1e-9


@pytest.mark.parametrize(("chance", "gains"), [(None, False), (0.24, False), (0.25, True)])
def test_a_middle_gains_from_its_break_even_on(chance: float | None, gains: bool) -> None:
    assert Middle(10.0, 30.0, chance).gains is gains


def test_the_chance_is_that_of_the_ladder_between_its_half_lines() -> None:
    ladder = {1.5: 0.75, 2.5: 0.52, 3.5: 0.3}
    assert Span(3, 3).chance(ladder) == pytest.approx(0.22)
    assert Span(2, 3).chance(ladder) == pytest.approx(0.45)
    assert Span(4, 4).chance(ladder) is None
    assert Span(3, 3).chance({2.5: 0.3, 3.5: 0.4}) is None


HUNDREDTHS = st.integers(102, 3_000)


@given(
    st.lists(st.tuples(st.integers(100, 50_000), HUNDREDTHS), min_size=1, max_size=2),
    st.lists(HUNDREDTHS, min_size=1, max_size=2),
    st.sampled_from([Fraction(1, 100), Fraction(1, 2), Fraction(1), Fraction(5)]),
)
def test_no_stakes_of_legs_that_are_left_leave_more_at_worst(
    before: list[tuple[int, int]], hundredths: list[int], step: Fraction
) -> None:
    placed = [(Fraction(stake, 100), Fraction(net, 100)) for stake, net in before]
    nets = [Fraction(each, 100) for each in hundredths]
    least = min(stake * net for stake, net in placed)
    near = [
        range(max(1, math.ceil(least / net / step - 3)), math.floor(least / net / step + 3) + 1)
        for net in nets
    ]

    def worst(counts: Sequence[int]) -> Fraction:
        legs = [*placed, *((count * step, net) for count, net in zip(counts, nets, strict=True))]
        return min(stake * net for stake, net in legs) / sum(stake for stake, _ in legs) - 1

    floats = [(float(stake), float(net)) for stake, net in placed]
    stakes, told = rest_of_legs(floats, [float(net) for net in nets], float(step))
    found = [round(stake / float(step)) for stake in stakes]
    most = max(map(worst, itertools.product(*near)))
    assert float(worst(found)) == pytest.approx(float(most), abs=2e-9)
    assert told == pytest.approx(float(worst(found)) * 100, abs=1e-6)


@pytest.mark.parametrize(
    ("placed", "net", "stake", "worst"),
    [
        ((90, 1.1), 12.0, 9, 99 / 99),  # 8.25 pay as much; 8 lose 2.0 %: 96 of 98
        ((8, 12.0), 1.134, 84, 95.256 / 92),  # 84.66 do; 85 leave 3.2 %: 96 of 93
    ],
)
def test_the_stake_of_a_leg_that_is_left_is_not_the_nearest(
    placed: tuple[float, float], net: float, stake: float, worst: float
) -> None:
    assert rest_of_legs([placed], [net], 1) == ((stake,), pytest.approx((worst - 1) * 100))


def test_what_is_left_need_not_pay_more_than_the_least_of_what_was_placed() -> None:
    """60 at 2.0 and 40 at 2.5 pay 120 and 100: 20 at 5.0 pay 100, too, and 24 only cost more."""
    stakes, worst = rest_of_legs([(60, 2.0), (40, 2.5)], [5.0], 1)
    assert (stakes, worst) == ((20,), pytest.approx(-100 * 20 / 120))


def test_a_leg_that_is_left_has_a_step_at_least() -> None:
    stakes, worst = rest_of_legs([(10, 1.1)], [40.0], 1)
    assert (stakes, worst) == ((1,), pytest.approx(0.0))


@given(
    st.lists(st.integers(150, 900), min_size=2, max_size=3),
    st.lists(st.none() | st.integers(1, 60), min_size=3, max_size=3),
    st.integers(20, 80),
    st.sampled_from([1.0, 2.0]),
)
@settings(max_examples=60, deadline=None)
def test_every_leg_fits_what_its_bookmaker_takes(
    hundredths: list[int], limits: list[int | None], total: int, step: float
) -> None:
    nets = [each / 100 for each in hundredths]
    most = [None if each is None else float(each) for each in limits[: len(nets)]]
    stakes = split_stakes(nets, Split(total, step), most)
    assert math.fsum(stakes) <= total + 1e-9
    for stake, limit in zip(stakes, most, strict=True):
        assert limit is None or stake <= limit
        assert stake / step == pytest.approx(round(stake / step))


def test_legs_scale_together_to_the_smallest_limit() -> None:
    """62 of 100 on 1.65 where 5 are taken: the others shrink with it, the worst is told."""
    legs = (leg("A", 1.65, most=5.0), leg("B", 2.65))
    found = outlay(legs, Split(100, 1))
    assert outlay((leg("A", 1.65), leg("B", 2.65)), Split(100, 1)).stakes[0] == 61.0
    best = max(
        ((one, other) for one in range(1, 6) for other in range(1, 8)),
        key=lambda pair: min(pair[0] * 1.65, pair[1] * 2.65) / sum(pair) - 1,
    )
    assert found.stakes == tuple(map(float, best))
    assert found.worst == pytest.approx(min(best[0] * 1.65, best[1] * 2.65) - sum(best))
    assert found.limited_by == 0
    assert outlay((leg("A", 1.65, most=62.0), leg("B", 2.65)), Split(100, 1)).limited_by is None


def test_a_leg_that_takes_too_little_leaves_a_smaller_rest() -> None:
    """50 at 2.00 are placed. 49 at 2.04 would complete them; 20 are taken, and that is told."""
    assert rest_of_legs([(50.0, 2.0)], [2.04], 1.0)[0] == (49.0,)
    stakes, worst = rest_of_legs([(50.0, 2.0)], [2.04], 1.0, [20.0])
    assert stakes == (20.0,)
    assert worst == pytest.approx(100 * (20 * 2.04 - 70) / 70)
