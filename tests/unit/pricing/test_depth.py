"""What a stake is paid over the levels of a book, by a second computation in small pieces."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.pricing.depth import (
    Depth,
    Ladder,
    Rung,
    acceptable,
    at_average,
    kelly_stake,
    net_at,
    net_paying,
    shares_of_equal_payout,
    stakeable,
)
from oddsdesk.pricing.profiles import Profile
from oddsdesk.pricing.settlement import settlement

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
