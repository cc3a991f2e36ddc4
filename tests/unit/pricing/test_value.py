import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from oddsdesk.contract.markets import MARKET_TYPES
from oddsdesk.pricing.devig import METHODS, DevigError
from oddsdesk.pricing.selections import line_groups
from oddsdesk.pricing.value import (
    PRICE_RULES,
    SERVICE_RULES,
    Candidate,
    Derived,
    LineName,
    ListRules,
    ReferenceLine,
    ReferencePrice,
    Rule,
    RuleCheck,
    Verdict,
    is_comparable,
    judge_candidate,
    price_window,
    reference_line,
    safety_floor,
    suspicious_above,
    within,
)

NOW = 1_000_000_000_000
MINUTES = 60_000
GAME = "Arsenal vs Chelsea"
RULES_OF_PRICES = {Rule.MIN_EDGE, Rule.MAX_EDGE, Rule.EDGE_CAP, Rule.PAYOUT, Rule.RATIO}


def line_of(
    market_type: str,
    odds: dict[str, float],
    *,
    sport: str = "Football",
    method: str = "margin_proportional",
    age_ms: int = 0,
    is_live: bool = False,
) -> ReferenceLine:
    (group,) = line_groups(market_type, GAME, odds, sport)
    values = [odds[selection] for selection in group.selections]
    return reference_line(
        market_type, group, values, scraped_at=NOW - age_ms, is_live=is_live, method=method
    )


TOTAL = {"Over 2.5": 2.05, "Under 2.5": 1.88}


def judge_over(line: ReferenceLine, odds: float, **fields: object) -> Verdict:
    candidate = Candidate("over", odds, frozenset({"over", "under"}), NOW, False)
    return judge_candidate(line, replace(candidate, **fields), NOW)


def rules_of(verdict: Verdict) -> set[Rule]:
    return {check.rule for check in verdict.stopped_by}


def test_the_arithmetic_of_a_value_bet() -> None:
    """Worked by hand: S = 1/2.05 + 1/1.88, fair = 2*2.05 / (2 - (S - 1)*2.05)."""
    verdict = judge_over(line_of("total", TOTAL), 2.15)
    assert verdict.is_value
    assert verdict.stopped_by == ()
    assert verdict.reference_odds == 2.05
    assert verdict.overround == pytest.approx(1.0197197717)
    assert verdict.fair_odds == pytest.approx(2.0922909881)
    assert verdict.fair_final == pytest.approx(2.0922909881 * 1.01)
    assert verdict.ev_pct == pytest.approx(1.7407656697)
    assert verdict.payout == pytest.approx(1 / 2.15 + 1 / 1.88)
    assert verdict.ratio == pytest.approx(2.15 / 2.0922909881)


def test_the_window_of_the_products_own_example() -> None:
    window = price_window(line_of("total", TOTAL), "over")
    assert window is not None
    assert window.least == pytest.approx(2.1344, abs=1e-4)
    assert window.most == pytest.approx(2.1830, abs=1e-4)
    assert (window.least_rule, window.most_rule) == (Rule.MIN_EDGE, Rule.PAYOUT)


def test_an_even_money_prop_can_never_be_value_under_a_margin_of_2_8_percent() -> None:
    even = 2 / 1.028
    props = {"Saka shots Over 1.5": even, "Saka shots Under 1.5": even}
    assert price_window(line_of("player_prop", props), "over") is None
    totals = {"Over 2.5": even, "Under 2.5": even}
    assert price_window(line_of("total", totals), "over") is not None


def test_the_ratio_rule_binds_before_the_edge_limit() -> None:
    window = price_window(line_of("total", {"Over 5.5": 12.0, "Under 5.5": 1.06}), "over")
    assert window is not None
    assert window.most_rule is Rule.RATIO


def test_player_props_have_the_higher_floor() -> None:
    props = {"Saka shots Over 1.5": 2.05, "Saka shots Under 1.5": 1.88}
    verdict = judge_over(line_of("player_prop", props), 2.2)
    assert verdict.fair_final == pytest.approx(2.0922909881 * 1.01 * 1.03)


@pytest.mark.parametrize(
    ("odds", "rule", "margin"),
    [(2.0, Rule.MIN_EDGE, -6.421), (2.3, Rule.PAYOUT, -0.0233), (2.5, Rule.RATIO, -0.0449)],
)
def test_a_price_outside_says_which_rule_and_by_how_much(
    odds: float, rule: Rule, margin: float
) -> None:
    verdict = judge_over(line_of("total", TOTAL), odds)
    (check,) = [check for check in verdict.stopped_by if check.rule is rule]
    assert check.margin == pytest.approx(margin, abs=1e-3)
    assert not verdict.is_value


def test_a_short_price_against_a_wide_reference_pays_too_little() -> None:
    verdict = judge_over(line_of("total", TOTAL), 1.91)
    (check,) = [check for check in verdict.stopped_by if check.rule is Rule.PAYOUT]
    assert check.figure == pytest.approx(1 / 1.91 + 1 / 1.88)
    assert (check.least, check.most) == (0.99, 1.05)


def test_moneyline_and_spread_are_capped_at_ten_percent() -> None:
    spread = {"Arsenal -1": 8.0, "Chelsea +1": 1.13}
    candidate = Candidate("home", 9.3, frozenset({"home"}), NOW, False)
    verdict = judge_candidate(line_of("spread", spread), candidate, NOW)
    assert verdict.ev_pct is not None
    assert 10 < verdict.ev_pct < 20
    assert rules_of(verdict) == {Rule.EDGE_CAP}
    total = line_of("total", {"Over 2.5": 8.0, "Under 2.5": 1.13})
    assert judge_over(total, 9.3).is_value


def test_a_reference_with_a_wide_margin_values_nothing() -> None:
    wide = line_of("total", {"Over 2.5": 1.9, "Under 2.5": 1.89})
    assert Rule.OVERROUND in rules_of(judge_over(wide, 2.1))
    assert price_window(wide, "over") is None


@pytest.mark.parametrize(("age", "stopped"), [(15 * MINUTES, False), (15 * MINUTES + 1, True)])
def test_both_ages_end_after_fifteen_minutes(age: int, stopped: bool) -> None:
    old_line = line_of("total", TOTAL, age_ms=age)
    assert (rules_of(judge_over(old_line, 2.15)) == {Rule.REFERENCE_AGE}) is stopped
    verdict = judge_over(line_of("total", TOTAL), 2.15, scraped_at=NOW - age)
    assert (rules_of(verdict) == {Rule.BOOK_AGE}) is stopped


@pytest.mark.parametrize(("ahead", "stopped"), [(5 * MINUTES, False), (5 * MINUTES + 1, True)])
def test_no_age_holds_of_what_was_seen_in_the_future(ahead: int, stopped: bool) -> None:
    """D84."""
    line = line_of("total", TOTAL, age_ms=-ahead)
    assert (rules_of(judge_over(line, 2.15)) == {Rule.REFERENCE_AGE}) is stopped
    verdict = judge_over(line_of("total", TOTAL), 2.15, scraped_at=NOW + ahead)
    assert (rules_of(verdict) == {Rule.BOOK_AGE}) is stopped


@pytest.mark.parametrize("book_live", [True, False])
@pytest.mark.parametrize("reference_live", [True, False])
def test_in_play_is_only_compared_with_in_play(book_live: bool, reference_live: bool) -> None:
    line = line_of("total", TOTAL, is_live=reference_live)
    verdict = judge_over(line, 2.15, is_live=book_live)
    assert verdict.is_value is (book_live == reference_live)
    assert (Rule.SAME_STATE in rules_of(verdict)) is (book_live != reference_live)


def test_the_reference_is_never_the_bookmaker() -> None:
    verdict = judge_over(line_of("total", TOTAL), 2.15, is_reference=True)
    assert rules_of(verdict) == {Rule.OTHER_BOOKMAKER}


def test_a_missing_side_leaves_nothing_to_compute() -> None:
    verdict = judge_over(line_of("total", {"Over 2.5": 2.05}), 2.15)
    assert rules_of(verdict) == {Rule.REFERENCE_SIDES}
    assert (verdict.ev_pct, verdict.overround, verdict.fair_odds) == (None, None, None)
    football = line_of("moneyline", {"Arsenal": 2.05, "Chelsea": 1.88})
    candidate = Candidate("home", 2.15, frozenset({"home"}), NOW, False)
    assert rules_of(judge_candidate(football, candidate, NOW)) == {Rule.REFERENCE_SIDES}


def test_a_method_that_cannot_be_applied_is_a_rule_that_stops() -> None:
    """Additive devigging gives the outsider here a negative probability."""
    odds = {"Arsenal": 1.01, "Draw": 40.0, "Chelsea": 150.0}
    line = line_of("moneyline", odds)
    candidate = Candidate("away", 120.0, frozenset({"away"}), NOW, False)
    assert judge_candidate(line, candidate, NOW).fair_odds is None
    assert rules_of(judge_candidate(line, candidate, NOW)) >= {Rule.DEVIGGED}
    assert price_window(line, "away") is None
    power = line_of("moneyline", odds, method="power")
    assert judge_candidate(power, candidate, NOW).fair_odds is not None


@pytest.mark.parametrize(
    ("reference", "book", "comparable"),
    [
        ("home draw away", "home draw away", True),
        ("home draw away", "home", True),
        ("home draw away", "home draw", True),
        ("home draw away", "home away", False),
        ("home away", "home draw away", False),
        ("home away", "home draw", False),
        ("home away", "home", True),
        ("over under", "over", True),
    ],
)
def test_who_prices_the_draw_decides_what_can_be_compared(
    reference: str, book: str, comparable: bool
) -> None:
    assert is_comparable(reference.split(), frozenset(book.split())) is comparable


def test_an_unknown_method_is_refused() -> None:
    with pytest.raises(DevigError, match="unknown method"):
        line_of("total", TOTAL, method="wisdom")


lines = st.builds(
    lambda market, over, total, method: (market, over, total, method),
    st.sampled_from(["total", "player_prop", "spread"]),
    st.floats(1.05, 15.0),
    st.floats(0.995, 1.06),
    st.sampled_from(METHODS),
)
_TEXTS = {
    "total": ("Over 2.5", "Under 2.5"),
    "player_prop": ("Saka shots Over 1.5", "Saka shots Under 1.5"),
    "spread": ("Arsenal -1", "Chelsea +1"),
}


any_rules = st.builds(
    lambda off, least: ListRules(off=off, floor=1.0, min_edge=least),
    st.frozensets(st.sampled_from(sorted(PRICE_RULES, key=list(Rule).index))),
    st.floats(-5, 5),
)


@given(lines, st.floats(0.9, 1.3), st.just(SERVICE_RULES) | any_rules)
def test_the_window_is_where_the_price_rules_hold(
    made: tuple[str, float, float, str], factor: float, rules: ListRules
) -> None:
    market, odds, total, method = made
    assume(total - 1 / odds > 0.01)
    other = 1 / (total - 1 / odds)
    assume(other > 1.001)
    line = line_of(market, dict(zip(_TEXTS[market], (odds, other), strict=True)), method=method)
    side = line.group.sides[0]
    price = odds * factor
    assume(price > 1)
    candidate = Candidate(side, price, frozenset({side}), NOW, False)
    verdict = judge_candidate(line, candidate, NOW, rules=rules)
    window = price_window(line, side, rules=rules)
    if window is None:
        assert not verdict.is_value
        return
    near = any(abs(price / end - 1) < 1e-9 for end in (window.least, window.most))
    assume(not near)
    assert verdict.is_value is (window.least < price < window.most)
    assert rules_of(verdict) <= RULES_OF_PRICES
    if price > window.most:
        assert window.most_rule in rules_of(verdict)
    if price < window.least:
        assert window.least_rule in rules_of(verdict)


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
    capped = {
        market_type for market_type in MARKET_TYPES if SERVICE_RULES.edge_limit(market_type) == 10
    }
    assert capped == {"moneyline", "spread"}
    assert SERVICE_RULES.edge_limit("total") == 20


def derived_total(fair: float, band: float = 0.0, *, widest: float = 1.03) -> ReferenceLine:
    """Over and Under 4.5 derived from other lines: modelled with a band, implied without one."""
    (group,) = line_groups("total", GAME, ["Over 4.5", "Under 4.5"], "Football")
    sources = (LineName("total", "2.5"),)
    bands = {"over": band, "under": band} if band else {}
    derived = Derived("modelled" if band else "implied", sources, 0.0, bands)
    prices = {
        "over": ReferencePrice(None, 0.0, fair),
        "under": ReferencePrice(None, 0.0, 1 / (1 - 1 / fair)),
    }
    return ReferenceLine("total", group, prices, widest, NOW, False, derived)


def test_an_implied_price_is_judged_by_all_rules_but_the_payout() -> None:
    """X2 at 2.02 against 2.05/3.50/3.70: the chance is that of the home team's loss."""
    own = line_of("moneyline", {"Arsenal": 2.05, "Draw": 3.5, "Chelsea": 3.7})
    fair = 1 / (1 - 1 / (own.prices["home"].fair_odds or 0))
    assert fair == pytest.approx(1.898, abs=5e-4)
    verdict = judge_over(derived_total(fair), 2.02)
    assert verdict.is_value
    assert verdict.ev_pct == pytest.approx(5.4, abs=0.05)
    assert (verdict.reference_odds, verdict.payout) == (None, None)
    assert Rule.PAYOUT not in {check.rule for check in verdict.checks}
    assert rules_of(judge_over(derived_total(fair), 2.3)) == {Rule.RATIO}


def test_the_margin_of_a_derived_price_is_that_of_its_widest_source() -> None:
    assert rules_of(judge_over(derived_total(2.0, widest=1.06), 2.1)) == {Rule.OVERROUND}
    assert rules_of(judge_over(derived_total(2.0, widest=0.99), 2.1)) == {Rule.OVERROUND}
    assert price_window(derived_total(2.0, widest=1.06), "over") is None


def test_a_modelled_price_needs_the_least_edge_at_the_unfavourable_end() -> None:
    """0.5 +- 0.02: at worst fair odds are 1/0.48; the cap and the ratio hold at 2.0."""
    line = derived_total(2.0, 0.02)
    least = 1.01 * 1.01 / 0.48
    below, above = judge_over(line, least - 1e-6), judge_over(line, least + 1e-6)
    assert (rules_of(below), rules_of(above)) == ({Rule.MIN_EDGE}, set())
    (check,) = [each for each in above.checks if each.rule is Rule.MIN_EDGE]
    assert check.figure == pytest.approx((least * 0.48 - 1) * 100, abs=1e-3)
    assert above.ev_pct == pytest.approx((least / 2.0 / 1.01 - 1) * 100, abs=1e-3)
    window = price_window(line, "over")
    assert window == (pytest.approx(least), pytest.approx(2.3), Rule.MIN_EDGE, Rule.RATIO)
    assert rules_of(judge_over(line, 2.31)) == {Rule.RATIO}
    assert suspicious_above(line, "over") == pytest.approx(1.15 / 0.48)
    assert suspicious_above(derived_total(2.0, 0.5), "over") is None


def test_a_price_is_no_value_if_the_reference_offers_as_much() -> None:
    line = derived_total(2.0)
    assert line.derived is not None
    line = replace(line, derived=replace(line.derived, own_odds={"over": 2.1}))
    assert rules_of(judge_over(line, 2.1)) == {Rule.ABOVE_REFERENCE}
    assert rules_of(judge_over(line, 2.11)) == set()
    window = price_window(line, "over")
    assert window is not None
    assert (window.least, window.least_rule) == (pytest.approx(2.1), Rule.ABOVE_REFERENCE)
    assert rules_of(judge_over(line, window.least)) == set()


def test_with_a_band_that_includes_0_no_price_is_value() -> None:
    line = derived_total(40.0, 0.025)
    assert line.cautious_odds("over") == math.inf
    assert rules_of(judge_over(line, 45.0)) == {Rule.MIN_EDGE}
    assert price_window(line, "over") is None


def test_a_wide_band_leaves_no_window_between_both_ends() -> None:
    assert price_window(derived_total(2.0, 0.055), "over") is not None
    assert price_window(derived_total(2.0, 0.06), "over") is None


def test_a_rule_that_is_off_stops_nothing_and_the_others_stop_as_before() -> None:
    line = line_of("moneyline", {"Arsenal": 2.5, "Draw": 2.5, "Chelsea": 2.5}, age_ms=16 * MINUTES)
    every = PRICE_RULES - {Rule.ABOVE_REFERENCE}
    candidate = Candidate("home", 9.0, frozenset(line.group.sides), NOW - 16 * MINUTES, False)
    assert rules_of(judge_candidate(line, candidate, NOW)) == every
    for rule in PRICE_RULES:
        found = judge_candidate(line, candidate, NOW, rules=ListRules(off=frozenset({rule})))
        assert rules_of(found) == every - {rule}
    assert judge_candidate(line, candidate, NOW, rules=ListRules(off=PRICE_RULES)).is_value


def test_a_crossed_sharp_book_values_prices_without_the_rule_of_its_margin() -> None:
    line = line_of("total", {"Over 2.5": 2.1, "Under 2.5": 2.1})
    off = ListRules(off=frozenset({Rule.OVERROUND, Rule.PAYOUT}))
    assert price_window(line, "over") is None
    assert price_window(line, "over", rules=off) is not None
    assert suspicious_above(line, "over") is None
    assert suspicious_above(line, "over", off) is not None


def test_without_its_rule_a_derived_price_may_be_below_the_references_own_odds() -> None:
    line = derived_total(2.0)
    assert line.derived is not None
    line = replace(line, derived=replace(line.derived, own_odds={"over": 2.2}))
    off = ListRules(off=frozenset({Rule.ABOVE_REFERENCE}))
    for rules, is_value in ((SERVICE_RULES, False), (off, True)):
        candidate = Candidate("over", 2.1, frozenset({"over"}), NOW, False)
        assert judge_candidate(line, candidate, NOW, rules=rules).is_value is is_value
        window = price_window(line, "over", rules=rules)
        assert (window is not None and window.least < 2.1) is is_value
