"""Every quote that is accepted (finite odds above 1) is priced, or refused as odds are."""

import math
import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from oddsdesk.base.tasks import returned
from oddsdesk.pricing.assessment import Market, Prices, reference_lines, value_bets, verdicts
from oddsdesk.pricing.audit import AuditedRow, audit, exact_total, true_ev
from oddsdesk.pricing.devig import METHODS, DevigError, devig, overround
from oddsdesk.pricing.exposure import Offer, StakePlan, staking
from oddsdesk.pricing.formats import (
    STYLES,
    format_end,
    format_in_column,
    format_odds,
    format_window,
)
from oddsdesk.pricing.selections import _read, settlement
from oddsdesk.pricing.value import price_window

LEAST = 1 + sys.float_info.epsilon
MOST = sys.float_info.max

accepted = st.one_of(
    st.sampled_from([LEAST, 1 + 1e-12, 1.5, 2 - 2e-16, 2 + 4e-16, 1e9, 1e16, 1e155, 1e300, MOST]),
    st.floats(1, MOST, exclude_min=True),
    st.floats(1.01, 100),
)
methods = st.sampled_from(METHODS)
wire = st.one_of(accepted, st.sampled_from([0.0, -1.0, 1.0, sys.float_info.min, 5e-324]))
SELECTIONS = {
    "moneyline": ("Home", "Draw", "Away"),
    "3way_handicap": ("Home -1", "Draw -1", "Away +1"),
    "total": ("Over 2.5", "Under 2.5"),
}
market_types = st.sampled_from(sorted(SELECTIONS))


@pytest.mark.parametrize("method", METHODS)
@given(odds=st.lists(accepted, min_size=2, max_size=12))
@example(odds=[1.5, 1e300, LEAST])
@example(odds=[LEAST, LEAST, MOST])
@example(odds=[MOST] * 3)
def test_fair_prices_are_finite_or_there_are_none(method: str, odds: list[float]) -> None:
    assert overround(odds) > 0
    try:
        fair = devig(method, odds)
    except DevigError:
        return
    assert all(0 < probability < 1 for probability in fair.probabilities)
    assert all(1 < price < math.inf for price in fair.fair_odds)
    assert fair.parameter is None or math.isfinite(fair.parameter)
    if method != "published":
        assert math.fsum(fair.probabilities) == pytest.approx(1, abs=1e-9)


def prices(bookmaker: str, market_type: str, odds: list[float]) -> Prices:
    named = dict(zip(SELECTIONS[market_type], odds, strict=False))
    return Prices(bookmaker, named, 0, False)


@given(
    market_type=market_types,
    reference=st.lists(accepted, min_size=3, max_size=3),
    book=st.lists(accepted, min_size=3, max_size=3),
    method=methods,
)
@example("moneyline", [1.5, 1e300, LEAST], [2.0, 2.0, 2.0], "shin")
def test_every_market_is_judged_with_finite_figures(
    market_type: str, reference: list[float], book: list[float], method: str
) -> None:
    market = Market(market_type, "Home - Away", "Football")
    said = prices("Pinnacle", market_type, reference)
    offer = prices("Betfair", market_type, book)
    for judged in verdicts(market, said, [offer], 0, method):
        verdict = judged.verdict
        figures = [verdict.ev_pct, verdict.ratio, verdict.payout, verdict.fair_final]
        figures += [each for check in verdict.checks for each in (check.figure, check.margin)]
        assert all(math.isfinite(each) for each in figures if each is not None)
    assert all(bet.verdict.is_value for bet in value_bets(market, said, [offer], 0, method))
    for line in reference_lines(market, said, method).values():
        windows = [price_window(line, side) for side in line.prices]
        assert all(1 < each.least <= each.most < math.inf for each in windows if each)


@given(odds=accepted, fair=accepted, most=st.one_of(st.none(), st.floats(0, MOST)))
def test_stakes_are_finite(odds: float, fair: float, most: float | None) -> None:
    plan = StakePlan()
    ends = settlement(1 / fair, 0.0, None, is_above=True)
    (staked,) = returned(staking(plan, [Offer("home", "result", "game", "Book", odds, ends, most)]))
    assert 0 <= staked.amount <= plan.bankroll * plan.outcome_cap
    assert 0 <= staked.full_kelly <= 1


@given(odds=accepted, other=accepted, style=st.sampled_from(STYLES))
@example(1e308, MOST, "american")
def test_every_price_is_written_in_every_style(odds: float, other: float, style: str) -> None:
    assert format_odds(odds, style)
    assert format_in_column(odds, style)
    assert format_end(odds, style, is_least=True)
    assert format_end(odds, style, is_least=False)
    assert all(format_window(min(odds, other), max(odds, other), style)[:2])


@given(odds=wire, reference=wire, total=wire, fair=wire, method=methods)
def test_figures_of_a_service_are_audited_or_refused(
    odds: float, reference: float, total: float, fair: float, method: str
) -> None:
    row = AuditedRow("total", odds, reference, total, fair, 2.0, (2, 3))
    found = audit([row])
    assert found.rows == 1
    for hypothesis in found.fitting:
        assert math.isfinite(exact_total(row, hypothesis, 2))
    try:
        ev = true_ev("total", odds, reference, total, 2, method)
    except DevigError:
        return
    assert not math.isnan(ev)


def test_a_market_of_many_lines_is_looked_through_a_few_times_only() -> None:
    lines = [f"{side} {line / 8:g}" for line in range(1_000) for side in ("Over", "Under")]
    market = Market("total", "Home - Away", "Football")
    said = Prices("Pinnacle", dict.fromkeys(lines, 1.98), 0, False)
    offer = Prices("Betfair", dict.fromkeys(lines, 2.05), 0, False)
    before = _read.cache_info()
    assert len(value_bets(market, said, [offer], 0)) == len(lines)
    after = _read.cache_info()
    assert after.hits + after.misses - before.hits - before.misses <= 4 * len(lines)
