"""The rules of a backtest are built from names and a least EV."""

import math

import pytest

from oddsdesk.board.valuation.verdict_words import RULE_TITLES
from oddsdesk.pricing.value import PRICE_RULES, SERVICE_RULES, Rule
from oddsdesk.research.question import SettingsError, rules_named

EV_LIMITS = {Rule.MAX_EDGE, Rule.EDGE_CAP, Rule.RATIO}


def test_without_names_and_a_least_ev_the_rules_are_the_contracts() -> None:
    assert rules_named() == rules_named("Contract") == SERVICE_RULES


def test_none_of_the_price_rules_holds_with_none() -> None:
    assert rules_named("none").off == PRICE_RULES
    assert rules_named(["none"]) == rules_named("none")


@pytest.mark.parametrize(
    ("names", "on"),
    [
        ("Book margin", {Rule.PAYOUT}),
        ("sharp  margin", {Rule.OVERROUND}),
        ("EV ≤", EV_LIMITS),
        ("ev <=", EV_LIMITS),
        ("Price age, Sharp price age", {Rule.BOOK_AGE, Rule.REFERENCE_AGE}),
        ("payout,edge_cap", {Rule.PAYOUT, Rule.EDGE_CAP}),
        ("above-reference", {Rule.ABOVE_REFERENCE}),
        ("EV <=,payout", {*EV_LIMITS, Rule.PAYOUT}),
        ("EV ≤ 15 %", EV_LIMITS),
        ("ev<=15%", EV_LIMITS),
        ("EV ≤ 11.1 % (main markets)", EV_LIMITS),
        ("Sharp margin 0 to 5 %,Book margin −1 to 5 %", {Rule.OVERROUND, Rule.PAYOUT}),
        ("Book margin -1 to 5 %", {Rule.PAYOUT}),
        ("Price age ≤ 60 s, Sharp price age ≤ 2.5 min", {Rule.BOOK_AGE, Rule.REFERENCE_AGE}),
        (["max_edge", "Book margin"], {Rule.MAX_EDGE, Rule.PAYOUT}),
    ],
)
def test_only_the_named_rules_hold(names: str | list[str], on: set[Rule]) -> None:
    assert rules_named(names).off == PRICE_RULES - on


def test_every_price_rule_goes_by_its_name_in_explain_and_by_its_own() -> None:
    for rule in PRICE_RULES:
        assert rule not in rules_named(rule.value).off
        assert rule not in rules_named(RULE_TITLES[rule]).off
    assert rules_named([rule.value for rule in PRICE_RULES]) == SERVICE_RULES


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ("margin", "No rule is called “margin”: use contract, none, or names of Better than"),
        ("payout,", "No rule is called “”: "),
        ("contract,payout", "No rule is called “contract”: "),
        ("Fair odds are known", "The rule “Fair odds are known” always holds: use contract"),
        ("min_edge", "The rule “min_edge” always holds; the least EV sets its limit: "),
        ("EV ≥ 2.01 %", "The rule “EV ≥ 2.01 %” always holds; the least EV sets its limit: "),
        ("EV >=", "The rule “EV >=” always holds; the least EV sets its limit: "),
        ("Book margin 5 apples", "No rule is called “Book margin 5 apples”: "),
        ("EV ≥", "The rule “EV ≥” always holds; the least EV sets its limit: "),
    ],
)
def test_an_unknown_name_says_which_names_there_are(names: str, said: str) -> None:
    with pytest.raises(SettingsError) as caught:
        rules_named(names)
    assert str(caught.value).startswith(said)
    assert str(caught.value).endswith("Sharp margin, EV ≤, Book margin")


@pytest.mark.parametrize("least_ev", [-5.001, 100.5, math.nan])
def test_a_least_ev_out_of_range_is_refused(least_ev: float) -> None:
    with pytest.raises(SettingsError, match="The least EV is from -5 to 100 percent, not "):
        rules_named("none", least_ev)


@pytest.mark.parametrize("least_ev", [-5, 0, 0.5, 2.01, 7])
def test_a_least_ev_is_asked_of_a_unit_staked_on_every_line(least_ev: float) -> None:
    rules = rules_named(least_ev=least_ev)
    for market_type in ("moneyline", "player_prop"):
        for decided in (1.0, 0.5):
            assert rules.minimum_ev(market_type, decided) == pytest.approx(least_ev, abs=1e-9)
            net = rules.least_net(market_type, 2.0, decided)
            assert (net / 2 - 1) * 100 * decided == pytest.approx(least_ev, abs=1e-9)
