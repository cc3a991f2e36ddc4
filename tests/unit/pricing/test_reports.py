"""What bets earned, should have earned, and how much of that is chance."""

import math

import pytest

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
    """Three bets of a unit at 2.0, 3.0 and 5.0 vary by 1 + 2 + 4."""
    found = report([bet(1.0, 2.0), bet(2.0, 3.0), bet(-1.0, 5.0), bet(0.0, 9.0)])
    assert found.z == pytest.approx(2.0 / math.sqrt(7))
    assert found.chance == pytest.approx(0.2248, abs=1e-4)


def test_half_results_count_half_for_chance() -> None:
    half = SettledBet(2.0, 2.0, -1.0, 0.5, -1.0, None, None)
    assert report([half]).z == pytest.approx(-1.0)


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
    assert drawdown(profits) == (depth, bets)


def test_the_course_begins_at_nothing_and_its_band_widens() -> None:
    steps = course([bet(1.0), bet(-1.0, expected=None)])
    assert [step.profit for step in steps] == [0.0, 1.0, 0.0]
    assert [step.expected for step in steps] == [0.0, 0.02, 0.02]
    assert [step.band for step in steps] == pytest.approx([0.0, 1.96, 1.96 * 2**0.5], abs=1e-3)


def test_reports_by_a_key_keep_the_order_of_their_first_bets() -> None:
    found = reports_by([bet(1.0), bet(2.0), bet(-1.0)], ["b", "a", "b"])
    assert [(key, each.profit) for key, each in found.items()] == [("b", 0.0), ("a", 2.0)]
