"""Prices that are almost value: found, ranked, and stopped by the rule that is told."""

import pytest

from oddsdesk.board.near_misses import NearMiss, near_misses
from oddsdesk.pricing.rules import Rule
from oddsdesk.slices import exhaust
from tests.kit.board import GAME, REFERENCE, Desk, matrix

SHARP = {"Arsenal": 2.72, "Draw": 3.34, "Chelsea": 2.78}
"""Chelsea: fair 2.8507, value from 2.908, suspicious above 3.096."""


def misses_of(desk: Desk, prices: dict[str, float], **sharp: float) -> dict[str, NearMiss]:
    """Near misses by bookmaker, where each prices Chelsea."""
    books = {name: {"Chelsea": odds} for name, odds in prices.items()}
    exhaust(desk.board.merge_matrix(matrix({REFERENCE: {**SHARP, **sharp}, **books})))
    held = desk.board.matrix(GAME)
    assert held is not None
    return {miss.key.bookmaker or "": miss for miss in near_misses(held, desk.now)}


def test_an_edge_that_is_a_little_short_is_a_near_miss(desk: Desk) -> None:
    found = misses_of(desk, {"Near": 2.90, "Nearer": 2.905, "Far": 2.80})
    assert set(found) == {"Near", "Nearer"}
    assert found["Nearer"].distance < found["Near"].distance
    stopped = found["Near"].stopped_by
    assert stopped is not None
    assert stopped.rule is Rule.MIN_EDGE
    assert stopped.margin == pytest.approx((2.90 / (2.850692 * 1.01) - 1) * 100 - 1, abs=1e-4)
    assert found["Near"].window is not None


def test_a_price_that_is_a_little_too_good_is_a_near_miss(desk: Desk) -> None:
    found = misses_of(desk, {"Over": 3.10, "Absurd": 4.0})
    assert set(found) == {"Over"}
    assert found["Over"].stopped_by is not None
    assert found["Over"].stopped_by.rule is Rule.PAYOUT


def test_a_price_that_every_rule_lets_pass_is_there_unstopped(desk: Desk) -> None:
    found = misses_of(desk, {"Good": 3.0})
    assert (found["Good"].distance, found["Good"].stopped_by) == (0, None)


def test_a_reference_with_a_little_too_much_margin_is_near_and_more_is_not(desk: Desk) -> None:
    near = misses_of(desk, {"Book": 3.03}, Arsenal=2.55)
    assert near["Book"].stopped_by is not None
    assert near["Book"].stopped_by.rule is Rule.OVERROUND
    assert misses_of(Desk(), {"Book": 3.03}, Arsenal=2.40) == {}


def test_an_old_price_is_near_for_five_minutes(desk: Desk) -> None:
    misses_of(desk, {"Book": 3.0})
    held = desk.board.matrix(GAME)
    assert held is not None
    desk.now += 17 * 60_000
    (miss,) = near_misses(held, desk.now)
    assert miss.distance == pytest.approx(0.8)
    desk.now += 4 * 60_000
    assert list(near_misses(held, desk.now)) == []


def test_prices_that_are_gone_or_another_bet_are_no_misses(desk: Desk) -> None:
    books = {"Twoway": {"Arsenal": 1.9, "Chelsea": 2.90}, "Fair": {"Chelsea": 2.90}}
    exhaust(desk.board.merge_matrix(matrix({REFERENCE: SHARP, **books})))
    desk.now += 1_000
    books["Twoway"]["Chelsea"] = 2.91
    exhaust(
        desk.board.merge_matrix(matrix({REFERENCE: SHARP, "Twoway": books["Twoway"]}, at=desk.now))
    )
    held = desk.board.matrix(GAME)
    assert held is not None
    assert list(near_misses(held, desk.now)) == []
