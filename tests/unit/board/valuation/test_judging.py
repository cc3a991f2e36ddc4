"""Prices that are almost value: found, ranked, and stopped by the rule that is told."""

import pytest

from oddsdesk.base.tasks import exhaust
from oddsdesk.board.valuation.judging import NearMiss, near_misses
from oddsdesk.pricing.profiles import Profile, Profiles
from oddsdesk.pricing.value import Rule
from tests.kit.board import GAME, REFERENCE, Desk, matrix

SHARP = {"Arsenal": 2.72, "Draw": 3.34, "Chelsea": 2.78}
"""Chelsea: fair 2.8507, value from 2.908, suspicious above 3.096."""


def misses_of(desk: Desk, prices: dict[str, float], **sharp: float) -> dict[str, NearMiss]:
    """Near misses by bookmaker, where each prices Chelsea."""
    books = {name: {"Chelsea": odds} for name, odds in prices.items()}
    exhaust(desk.board.merge_matrix(matrix({REFERENCE: {**SHARP, **sharp}, **books})))
    return {miss.key.bookmaker or "": miss for miss in found_by(desk)}


def found_by(desk: Desk) -> list[NearMiss]:
    held = desk.board.matrix(GAME)
    assert held is not None
    return list(near_misses(held, desk.board.judge_of(held)))


def test_an_edge_that_is_a_little_short_is_a_near_miss(desk: Desk) -> None:
    found = misses_of(desk, {"Near": 2.90, "Nearer": 2.905, "Far": 2.80})
    assert set(found) == {"Near", "Nearer"}
    assert found["Nearer"].distance < found["Near"].distance
    stopped = found["Near"].stopped_by
    assert stopped.rule is Rule.MIN_EDGE
    assert stopped.margin == pytest.approx((2.90 / 2.850692 - 1.01**2) * 100, abs=1e-4)
    assert found["Near"].window == (
        pytest.approx(2.850692 * 1.01**2, abs=1e-5),
        pytest.approx(1 / (0.99 - 1 / 2.72 - 1 / 3.34)),
    )


def test_only_where_the_user_bets_is_anything_missed(desk: Desk) -> None:
    desk.board.set_bookmakers(("Nearer",))
    assert set(misses_of(desk, {"Near": 2.90, "Nearer": 2.905})) == {"Nearer"}


def test_what_speaks_against_a_price_makes_it_no_near_miss(desk: Desk) -> None:
    """A price a little too good is a mistake more often than value."""
    assert misses_of(desk, {"Over": 3.10, "Absurd": 4.0}) == {}


def test_a_price_that_is_value_is_no_miss(desk: Desk) -> None:
    assert misses_of(desk, {"Good": 3.0}) == {}


def test_value_that_commission_takes_away_is_a_near_miss(desk: Desk) -> None:
    desk.board.set_profiles(Profiles([Profile(name="Ex", group="Ex", commission=0.03)]))
    found = misses_of(desk, {"Ex": 2.96, "Free": 2.96})
    assert set(found) == {"Ex"}
    net = 1 + 1.96 * 0.97
    assert found["Ex"].assessment.net_odds == pytest.approx(net)
    assert found["Ex"].stopped_by.figure == pytest.approx((net / 2.850692 - 1) * 100, abs=1e-4)


def test_a_reference_with_a_little_too_much_margin_is_near_and_more_is_not(desk: Desk) -> None:
    near = misses_of(desk, {"Book": 3.03}, Arsenal=2.55)
    assert near["Book"].stopped_by.rule is Rule.OVERROUND
    assert misses_of(Desk(), {"Book": 3.03}, Arsenal=2.40) == {}


def test_a_price_that_grows_stale_is_no_near_miss(desk: Desk) -> None:
    assert set(misses_of(desk, {"Book": 2.90})) == {"Book"}
    desk.now += 180_000
    assert [miss.key.bookmaker for miss in found_by(desk)] == ["Book"]
    desk.now += 1
    assert found_by(desk) == []


def test_prices_that_are_gone_or_another_bet_are_no_misses(desk: Desk) -> None:
    books = {"Twoway": {"Arsenal": 1.9, "Chelsea": 2.90}, "Fair": {"Chelsea": 2.90}}
    exhaust(desk.board.merge_matrix(matrix({REFERENCE: SHARP, **books})))
    desk.now += 1_000
    books["Twoway"]["Chelsea"] = 2.91
    exhaust(
        desk.board.merge_matrix(matrix({REFERENCE: SHARP, "Twoway": books["Twoway"]}, at=desk.now))
    )
    assert found_by(desk) == []
