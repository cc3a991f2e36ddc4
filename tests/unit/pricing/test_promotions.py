"""Promotions: published figures, and a second way to the same stakes."""

import math
import random
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.pricing.promotions import (
    HedgedBet,
    PromoKind,
    PromotedBet,
    Promotion,
    Side,
    certainty_equivalent,
    expected,
    hedged,
    hedged_by_lay,
    open_side,
)
from oddsdesk.pricing.stakes import Rung, net_lay_odds

_AMERICAN_200 = 3.0
_AMERICAN_MINUS_210 = 1 + 100 / 210


def _rounded(found: HedgedBet) -> tuple[float, float, float]:
    return round(found.typed[0], 2), round(found.stakes[0], 2), round(found.locked, 2)


@pytest.mark.parametrize(
    ("bet", "lay_odds", "commission", "lay_stake", "liability", "locked"),
    [
        (PromotedBet(PromoKind.FREE, 100, 5.0), 5.5, 0.02, 72.99, 328.47, 71.53),
        (PromotedBet(PromoKind.QUALIFY, 50, 3.0), 2.8, 0.0, 53.57, 96.43, 3.57),
        (PromotedBet(PromoKind.FREE, 50, 3.0), 2.8, 0.0, 35.71, 64.29, 35.71),
        (PromotedBet(PromoKind.REFUND, 50, 3.0, 25), 2.8, 0.0, 44.64, 80.36, 19.64),
        (PromotedBet(PromoKind.FREE_RETURNED, 50, 3.0), 2.8, 0.0, 53.57, 96.43, 53.57),
        (PromotedBet(PromoKind.BOOST, 10, 3.0, boost=0.5), 3.1, 0.02, 12.99, 27.27, 2.73),
    ],
)
def test_the_lay_stake_is_that_of_the_usual_calculators(
    bet: PromotedBet,
    lay_odds: float,
    commission: float,
    lay_stake: float,
    liability: float,
    locked: float,
) -> None:
    found = hedged_by_lay(bet, lay_odds, commission)
    assert _rounded(found) == (lay_stake, liability, locked)
    assert found.if_wins == pytest.approx(found.if_others[0])


def test_a_free_bet_is_hedged_by_a_back_at_another_bookmaker() -> None:
    found = hedged(
        PromotedBet(PromoKind.FREE, 100, _AMERICAN_200), [open_side(_AMERICAN_MINUS_210)]
    )
    assert found is not None
    assert [round(each, 2) for each in found.stakes] == [135.48]
    assert round(found.locked, 2) == 64.52


def test_a_qualifying_bet_is_hedged_by_two_other_outcomes() -> None:
    sides = [open_side(4.1, 0.01), open_side(3.9, 0.01)]
    found = hedged(PromotedBet(PromoKind.QUALIFY, 10, 1.88), sides)
    assert found is not None
    assert found.stakes == (4.59, 4.82)
    assert round(found.staked, 2) == 19.41
    assert [round(found.staked + each, 2) for each in (found.locked, found.best)] == [18.8, 18.82]
    exact = hedged(PromotedBet(PromoKind.QUALIFY, 10, 1.88), [open_side(4.1), open_side(3.9)])
    assert exact is not None
    assert 100 + 100 * exact.locked / exact.staked == pytest.approx(96.878, abs=5e-4)


def test_a_refund_above_all_winnings_needs_no_hedge() -> None:
    found = hedged_by_lay(PromotedBet(PromoKind.REFUND, 10, 1.5, 20), 1.5, 0.02)
    assert (found.typed[0], found.if_wins, found.if_others[0]) == (0, 5, 10)


def test_too_little_for_sale_is_no_hedge() -> None:
    bet = PromotedBet(PromoKind.QUALIFY, 10, 2.0)
    assert hedged(bet, [Side((Rung(2.0, 9.9),))]) is None
    found = hedged(bet, [Side((Rung(2.0, 5.0), Rung(1.8, 10.0)))])
    assert found is not None
    assert found.stakes[0] == pytest.approx(5 + 10 / 1.8)
    assert found.if_wins == pytest.approx(found.if_others[0])


def test_a_lay_over_two_levels_is_rounded_by_the_stake_that_is_typed() -> None:
    """10 laid at 2.0 and the rest at 3.0: liabilities of 10 and of 2 for each 1."""
    bet = PromotedBet(PromoKind.QUALIFY, 10, 3.5)
    side = Side((Rung(2.0, 10.0), Rung(1.5, 100.0)), 1.0, (1.0, 0.5))
    found = hedged(bet, [side])
    assert found is not None
    assert found.stakes == (20.0,)
    assert side.typed(20.0) == 15.0
    assert (found.if_wins, found.if_others) == (5.0, (5.0,))


def test_a_stake_below_a_step_is_no_hedge() -> None:
    assert hedged(PromotedBet(PromoKind.QUALIFY, 1, 1.05), [open_side(20.0, 5.0)]) is None


def test_no_other_whole_stakes_lock_in_more() -> None:
    """By trying all stakes: sometimes a stake is more than a step away from the exact one."""
    chance, better_than_near = random.Random(7), 0
    for _ in range(150):
        odds = chance.uniform(3, 15)
        bet = PromotedBet(PromoKind.FREE, chance.uniform(2, 8), odds)
        shares = [chance.uniform(0.2, 1) for _ in range(chance.choice((2, 3)))]
        rest = (1 - 1 / odds) * chance.uniform(0.9, 1.05)
        others = [math.fsum(shares) / (each * rest) for each in shares]
        found = hedged(bet, [open_side(each, 1.0) for each in others])
        best, near = -math.inf, -math.inf
        exact = [bet.needed / each for each in others]
        for stakes in product(*(range(max(0, int(each) - 6), int(each) + 5) for each in exact)):
            total = sum(stakes)
            paid = min(stake * each for stake, each in zip(stakes, others, strict=True))
            locked = min(bet.if_wins - total, bet.if_loses + paid - total)
            best = max(best, locked)
            if all(0 <= each - int(x) <= 1 for each, x in zip(stakes, exact, strict=True)):
                near = max(near, locked)
        if found is not None:
            assert found.locked == pytest.approx(best, abs=1e-9)
            better_than_near += best > near + 1e-6
    assert better_than_near > 0


def test_whole_stakes_are_within_what_is_for_sale() -> None:
    """20 would lock in most, 19.7 are for sale."""
    bet = PromotedBet(PromoKind.FREE, 10, 6.1)
    sides = [Side((Rung(2.6, 19.7),), 1.0), open_side(9.0, 1.0)]
    found, unlimited = hedged(bet, sides), hedged(bet, [open_side(2.6, 1.0), sides[1]])
    assert found is not None
    assert unlimited is not None
    assert (found.stakes, unlimited.stakes) == ((19, 6), (20, 6))


def test_a_side_without_steps_is_staked_exactly() -> None:
    bet = PromotedBet(PromoKind.FREE, 10, 6.0)
    found = hedged(bet, [open_side(2.0), open_side(4.0, 1.0)])
    assert found is not None
    assert found.stakes == (24, 12)


_KINDS = st.sampled_from([kind for kind in PromoKind if kind is not PromoKind.BONUS])


@given(
    kind=_KINDS,
    stake=st.floats(1, 500),
    odds=st.floats(1.2, 20),
    lay_odds=st.floats(1.2, 25),
    commission=st.floats(0, 0.1),
    refund=st.floats(0, 1),
    boost=st.floats(0, 1),
)
def test_no_other_lay_stake_locks_in_more(
    kind: PromoKind,
    stake: float,
    odds: float,
    lay_odds: float,
    commission: float,
    refund: float,
    boost: float,
) -> None:
    """Both results by hand, for lay stakes on a grid: a computation that shares no code."""

    def worst(laid: float) -> float:
        win = {
            PromoKind.FREE_RETURNED: stake * odds,
            PromoKind.BOOST: stake * (odds - 1) * (1 + boost),
        }.get(kind, stake * (odds - 1))
        lose = {
            PromoKind.FREE: 0.0,
            PromoKind.FREE_RETURNED: 0.0,
            PromoKind.REFUND: -stake + stake * refund,
        }.get(kind, -stake)
        return min(win - laid * (lay_odds - 1), lose + laid * (1 - commission))

    found = hedged_by_lay(
        PromotedBet(kind, stake, odds, refund=stake * refund, boost=boost), lay_odds, commission
    )
    assert found.locked == pytest.approx(worst(found.typed[0]), abs=1e-6)
    for part in range(1, 41):
        assert worst(found.typed[0] * part / 20) <= found.locked + 1e-6


@given(
    stake=st.integers(5, 60),
    odds=st.floats(1.3, 8),
    shares=st.lists(st.floats(0.1, 0.45), min_size=1, max_size=2),
    is_free=st.booleans(),
)
def test_no_whole_stakes_near_them_lock_in_more(
    stake: int, odds: float, shares: list[float], is_free: bool
) -> None:
    """The whole stakes around the exact ones, each result by hand."""
    others = [1 / share for share in shares]
    bet = PromotedBet(PromoKind.FREE if is_free else PromoKind.QUALIFY, stake, odds)
    found = hedged(bet, [open_side(each, 1.0) for each in others])
    exact = hedged(bet, [open_side(each) for each in others])
    assert exact is not None
    if found is None:
        assert min(exact.stakes) < 1
        return

    def locked(stakes: tuple[int, ...]) -> float:
        total = sum(stakes)
        lost = 0 if is_free else -stake
        pays = (lost + count * net - total for count, net in zip(stakes, others, strict=True))
        return min(stake * (odds - 1) - total, *pays)

    near = [[int(each) + more for more in (0, 1)] for each in exact.stakes]
    assert found.locked == pytest.approx(max(locked(each) for each in product(*near)))
    assert found.locked <= exact.locked + 1e-9


def test_sides_with_different_steps_lock_in_the_most_that_they_can() -> None:
    """By trying all stakes: whole units on one side, hundredths on the other."""
    bet = PromotedBet(PromoKind.FREE, 25, 4.0)
    found = hedged(bet, [open_side(3.3, 1.0), open_side(2.1, 0.01)])
    tried = (
        min(75, whole * 3.3, part / 100 * 2.1) - whole - part / 100
        for whole in range(15, 30)
        for part in range(2_500, 4_500)
    )
    assert found is not None
    assert found.locked == pytest.approx(max(tried))


def test_sides_that_cost_more_than_they_pay_are_no_hedge() -> None:
    bet = PromotedBet(PromoKind.QUALIFY, 10, 2.0)
    assert hedged(bet, [open_side(1.9), open_side(1.9)]) is None


def test_a_lay_is_a_back_of_the_other_side() -> None:
    bet = PromotedBet(PromoKind.FREE, 100, 5.0)
    laid = hedged_by_lay(bet, 5.5, 0.02)
    backed = hedged(bet, [open_side(net_lay_odds(5.5, 0.02))])
    assert backed is not None
    assert backed.stakes[0] == pytest.approx(laid.stakes[0])
    assert backed.locked == pytest.approx(laid.locked)


def _promotion(kind: PromoKind, **fields: object) -> Promotion:
    return Promotion(name="offer", kind=kind, bookmaker="Bet365", amount=50, **fields)  # type: ignore[arg-type]


def test_a_refund_as_free_bet_counts_as_what_is_kept_of_it() -> None:
    offer = _promotion(PromoKind.REFUND, refund=40, refund_as_free=True, retention=0.75)
    assert offer.bet(3.0).refund == 30
    assert offer.bet(3.0, stake=20).refund == 15
    assert _promotion(PromoKind.REFUND).bet(3.0).if_loses == 0


def test_a_bonus_is_staked_until_its_wagering_is_done() -> None:
    offer = _promotion(PromoKind.BONUS, wagering=4, most_stake=20)
    assert (offer.stake, offer.turnover) == (20, 200)
    assert offer.bet(2.0).if_loses == -20


def test_an_offer_is_over_once_used_or_expired() -> None:
    assert not _promotion(PromoKind.FREE, until=1_000).is_over(999)
    assert _promotion(PromoKind.FREE, until=1_000).is_over(1_000)
    assert _promotion(PromoKind.FREE, used_at=5).is_over(6)
    assert _promotion(PromoKind.FREE).is_at("bet 365")


def test_an_unhedged_bet_is_worth_less_than_it_is_expected_to_pay() -> None:
    bet = PromotedBet(PromoKind.FREE, 100, 5.0)
    assert expected(bet, 0.2) == pytest.approx(80)
    results = [(0.2, bet.if_wins), (0.8, bet.if_loses)]
    full, quarter = (certainty_equivalent(results, 1_000, share) for share in (1.0, 0.25))
    assert full == pytest.approx(1_000 * (math.exp(0.2 * math.log(1.4)) - 1))
    assert quarter == pytest.approx(1_000 * ((0.2 * 1.4**-3 + 0.8) ** (-1 / 3) - 1))
    assert quarter < full < 80
    assert certainty_equivalent([(0.5, 500), (0.5, -1_000)], 1_000, 0.5) == -1_000
