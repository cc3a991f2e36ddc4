"""Rules of the desk's own list: what is given in EV and margins, worked out a second time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.pricing.selections import line_groups
from oddsdesk.pricing.value import (
    SERVICE_RULES,
    Candidate,
    ListRules,
    Rule,
    judge_candidate,
    own_rules,
    price_window,
    reference_line,
)

SIDES = ("Over 2.5", "Under 2.5")


def judged(sharp: tuple[float, float], odds: float, rules: ListRules) -> dict[Rule, bool]:
    (group,) = line_groups("total", "A - B", SIDES, "Football")
    line = reference_line("total", group, sharp, scraped_at=0, is_live=False)
    candidate = Candidate("over", odds, frozenset({"over", "under"}), 0, is_live=False)
    verdict = judge_candidate(line, candidate, 0, rules=rules)
    window = price_window(line, "over", rules=rules)
    if abs(odds - (window.least if window else 0)) > 1e-9:
        is_inside = window is not None and window.least <= odds <= window.most
        assert verdict.is_value == is_inside
    return {check.rule: check.holds for check in verdict.checks}


def test_what_is_not_given_is_the_services() -> None:
    assert own_rules() == SERVICE_RULES
    assert SERVICE_RULES.minimum_ev("total") == pytest.approx(2.01)
    assert SERVICE_RULES.minimum_ev("player_prop") == pytest.approx(5.0703)
    assert SERVICE_RULES.are_services
    assert not own_rules(min_ev=1).are_services


@given(st.floats(0, 10), st.floats(1.01, 1.049), st.floats(0.95, 1.14))
def test_a_minimum_ev_is_the_ev_from_which_a_price_is_listed(
    least: float, total: float, factor: float
) -> None:
    sharp = (2 / total, 2 / total)
    ev = (factor - 1) * 100
    if abs(ev - least) < 1e-6:
        return
    holds = judged(sharp, 2 * factor, own_rules(min_ev=least, min_margin=-30))
    assert holds[Rule.MIN_EDGE] == (ev >= least)


@given(st.floats(0, 8), st.floats(0.2, 1.0))
def test_on_lines_that_push_the_minimum_is_never_higher(least: float, decided: float) -> None:
    rules = own_rules(min_ev=least)
    assert rules.minimum_ev("total") == pytest.approx(least)
    assert rules.minimum_ev("total", decided) <= least + 1e-9
    net = rules.least_net("total", 2.0, decided)
    assert (net / 2 - 1) * 100 * decided == pytest.approx(rules.minimum_ev("total", decided))


@pytest.mark.parametrize(
    ("changed", "sharp", "odds", "rule"),
    [
        ({"max_margin": 8}, (1.87, 1.87), 2.06, Rule.OVERROUND),
        ({"max_ev": 20, "min_margin": -10}, (1.95, 1.95), 2.36, Rule.RATIO),
        ({"min_margin": -10}, (1.95, 1.95), 2.2, Rule.PAYOUT),
    ],
)
def test_a_wider_limit_lets_pass_what_the_service_refuses(
    changed: dict[str, float], sharp: tuple[float, float], odds: float, rule: Rule
) -> None:
    assert not judged(sharp, odds, SERVICE_RULES)[rule]
    assert judged(sharp, odds, own_rules(**changed))[rule]


def test_a_lower_maximum_of_main_markets_is_told_in_ev() -> None:
    rules = own_rules(max_main_ev=5)
    (group,) = line_groups("spread", "A - B", ("A -0.5", "B +0.5"), "Football")
    line = reference_line("spread", group, (1.95, 1.95), scraped_at=0, is_live=False)
    for odds, holds in ((2.09, True), (2.11, False)):
        candidate = Candidate("home", odds, frozenset({"home", "away"}), 0, is_live=False)
        verdict = judge_candidate(line, candidate, 0, rules=rules)
        (check,) = (each for each in verdict.checks if each.rule is Rule.EDGE_CAP)
        assert (check.holds, check.most) == (holds, pytest.approx(5))
