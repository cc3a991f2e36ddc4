"""What a backtest bets on: other rules than the contract's, the last prices, other strategies."""

from typing import Any

import pytest

from oddsdesk.contract.quotes import Quote
from oddsdesk.research.question import rules_named
from tests.kit.replays import EVEN, HOUR, SOFT, START, Log, placed, reference, said

WIDE = {"A": 1.8, "B": 1.8}
"""Fair at 2.00, with a margin of 11 %."""
CROSSED = {"A": 2.1, "B": 2.1}
"""Fair at 2.00, with a margin of -5 %."""


def bet_at(odds: float, **fields: Any) -> Quote:
    return said(SOFT, {"A": odds}, **fields)


@pytest.mark.parametrize(
    ("line", "odds", "rule"),
    [
        (EVEN, 2.12, "Book margin"),
        (EVEN, 2.5, "EV ≤"),
        (WIDE, 2.1, "Sharp margin"),
        (CROSSED, 2.1, "Sharp margin"),
    ],
)
def test_a_rule_that_is_off_lets_its_prices_be_bet_on(
    log: Log, line: dict[str, float], odds: float, rule: str
) -> None:
    log.archive(reference(line), bet_at(odds))
    assert log.backtest().bets == []
    (bet,) = log.backtest(rules=rules_named("none")).bets
    assert (bet.odds, bet.fair_odds, bet.cautions) == (odds, pytest.approx(2.0), ())
    assert log.backtest(rules=rules_named(rule)).bets == []


@pytest.mark.parametrize(("old", "rule"), [(0, "Price age"), (1, "Sharp price age")])
def test_old_prices_are_bet_on_without_the_rules_of_ages(log: Log, old: int, rule: str) -> None:
    """One of both was never seen again when the other moved hours later."""
    quotes = [
        (bet_at(2.09), reference(EVEN, START + HOUR)),
        (reference(EVEN), bet_at(2.09, at=START + HOUR)),
    ][old]
    log.live(*quotes)
    assert log.backtest().bets == []
    assert log.backtest(rules=rules_named(rule)).bets == []
    off = "Sharp price age" if rule == "Price age" else "Price age"
    names = f"Book margin, Sharp margin, EV <=, {off}"
    assert placed(log.backtest(rules=rules_named(names))) == [(SOFT, "A", 2.09, START + HOUR)]


def test_a_least_ev_below_zero_bets_on_what_loses_that_much_at_most(log: Log) -> None:
    log.archive(reference(EVEN), said(SOFT, {"A": 1.91, "B": 1.89}))
    assert log.backtest().bets == []
    (bet,) = log.backtest(rules=rules_named(least_ev=-5)).bets
    assert (bet.selection, bet.ev) == ("A", pytest.approx(-4.5))
    assert len(log.backtest(rules=rules_named("none", -5)).bets) == 1


def test_the_least_ev_of_a_line_that_pushes_is_per_unit_staked(log: Log) -> None:
    """Over 2 is fair at 2.00 of what is decided, and a third of the stakes comes back."""
    game = {"match_name": "C vs D", "competition": "EPL", "market_type": "total"}
    lines = {"Over 1.5": 1.46, "Under 1.5": 2.79, "Over 2": 1.95, "Under 2": 1.95}
    lines |= {"Over 2.5": 2.79, "Under 2.5": 1.46}
    log.archive(reference(lines, **game), said(SOFT, {"Over 2": 1.87}, **game))
    (bet,) = log.backtest(rules=rules_named("none", -5)).bets
    assert bet.ev is not None
    assert -5 < bet.ev < -4
    assert (1.87 / (bet.fair_odds or 0) - 1) * 100 < -5
    assert log.backtest(rules=rules_named("none", bet.ev + 0.01)).bets == []
