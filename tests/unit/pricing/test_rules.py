import pytest

from oddsdesk.contract.markets import MARKET_TYPES
from oddsdesk.pricing.rules import Rule, RuleCheck, edge_limit, safety_floor, within


@pytest.mark.parametrize(
    ("figure", "holds", "margin"),
    [
        (0.98, False, -0.01),
        (0.99, True, 0.0),
        (1.0, True, 0.01),
        (1.05, True, 0.0),
        (2, False, -0.95),
    ],
)
def test_thresholds_are_inclusive_and_the_margin_is_to_the_nearer(
    figure: float, holds: bool, margin: float
) -> None:
    check = within(Rule.PAYOUT, figure, 0.99, 1.05)
    assert check.holds is holds
    assert check.margin == pytest.approx(margin)


def test_a_rule_without_figure_has_no_margin() -> None:
    assert RuleCheck(Rule.COMPARABLE, False).margin is None


def test_one_sided_rules_measure_to_their_side() -> None:
    assert within(Rule.MIN_EDGE, 3.0, least=1.0).margin == 2.0
    assert within(Rule.RATIO, 1.0, most=1.5).margin == 0.5


def test_floors_and_caps_by_market_type() -> None:
    floors = {market_type: safety_floor(market_type) for market_type in MARKET_TYPES}
    assert floors.pop("player_prop") == pytest.approx(1.0403)
    assert set(floors.values()) == {1.01}
    capped = {market_type for market_type in MARKET_TYPES if edge_limit(market_type) == 10}
    assert capped == {"moneyline", "spread"}
    assert edge_limit("total") == 20
