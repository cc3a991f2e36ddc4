"""The rules in words, what would have to change, and the whole explanation as text."""

import pytest

from oddsdesk.base.tasks import exhaust
from oddsdesk.base.texts import ENGLISH, use_language
from oddsdesk.board.valuation.explaining import Explanation, explain
from oddsdesk.board.valuation.verdict_words import (
    caution_text,
    cautions_text,
    duration_text,
    english_caution,
    explanation_text,
    figure_text,
    margin_text,
    remedies,
    rule_title,
    unvalued_text,
)
from oddsdesk.pricing.assessment import Caution
from oddsdesk.pricing.profiles import Profile, Profiles
from oddsdesk.pricing.value import MAX_OVERROUND, MIN_OVERROUND, Rule, RuleCheck, within
from tests.kit.board import REFERENCE, Desk, matrix, row_key

SHARP = {"Arsenal": 2.72, "Draw": 3.34, "Chelsea": 2.78}


def said_of(desk: Desk, odds: float, sharp: dict[str, float] | None = None) -> Explanation:
    book = {"Arsenal": 2.5, "Draw": 3.2, "Chelsea": odds}
    exhaust(desk.board.merge_matrix(matrix({REFERENCE: sharp or SHARP, "Betfair": book})))
    return explained(desk)


def explained(desk: Desk) -> Explanation:
    said = explain(desk.board, row_key("Chelsea", "Betfair"), desk.now)
    assert said is not None
    return said


@pytest.mark.parametrize("rule", Rule)
def test_every_rule_has_a_title(rule: Rule) -> None:
    assert rule_title(within(rule, 1.0, most=2.0))


@pytest.mark.parametrize(
    ("overround", "margin"),
    [
        (1.0213, "2.13 pp left"),
        (1.0313, "1.87 pp left"),
        (0.98, "2.00 pp short"),
        (1.06, "1.00 pp over"),
    ],
)
def test_the_sum_of_the_reference_is_told_with_both_of_its_ends(
    overround: float, margin: str
) -> None:
    """D50: a margin is that to the nearer one, which the title has to name."""
    check = within(Rule.OVERROUND, overround, MIN_OVERROUND, MAX_OVERROUND)
    assert (rule_title(check), margin_text(check)) == ("Sharp margin 0 to 5 %", margin)


def test_the_sum_of_a_price_and_the_other_outcomes_is_told_as_such() -> None:
    assert rule_title(within(Rule.PAYOUT, 1.0, 0.99, 1.05)) == "Book margin −1 to 5 %"


@pytest.mark.parametrize(
    ("limit", "text"), [(2.01, "2.01"), (12.25, "12.25"), (15.0 + 1e-12, "15"), (5.0703, "5.07")]
)
def test_a_limit_on_ev_has_the_decimals_of_settings(limit: float, text: str) -> None:
    assert rule_title(within(Rule.MIN_EDGE, 1.0, least=limit)) == f"EV ≥ {text} %"
    assert rule_title(within(Rule.RATIO, 1.0, most=1 + limit / 100)) == f"EV ≤ {text} %"


@pytest.mark.parametrize(
    ("limit_ms", "title"),
    [(900_000, "≤ 15 min"), (180_000, "≤ 3 min"), (155_999, "≤ 2.5 min"), (90_999, "≤ 90 s")],
)
def test_an_age_is_told_with_the_limit_that_decides(limit_ms: int, title: str) -> None:
    assert rule_title(within(Rule.BOOK_AGE, 0, most=limit_ms)) == f"Price age {title}"
    assert rule_title(within(Rule.REFERENCE_AGE, 0, most=limit_ms)) == f"Sharp price age {title}"


def test_every_caution_has_words_of_its_own_that_name_the_reference() -> None:
    texts = [caution_text(caution, "Sharp") for caution in Caution]
    assert len(set(texts)) == len(texts)
    assert all(text and "{" not in text for text in texts)
    assert caution_text(Caution.REFERENCE_STALE, "Sharp") == "Sharp is stale"


def test_all_that_speaks_against_a_price_is_told_the_gravest_first(desk: Desk) -> None:
    said = said_of(desk, 3.30)
    assert cautions_text(said.assessment, said.reference) == ("likely error, far above fair")
    desk.now += 181_000
    later = explained(desk)
    assert cautions_text(later.assessment, later.reference) == (
        "stale: not seen lately; Pinnacle is stale; likely error, far above fair"
    )
    assert cautions_text(said_of(Desk(), 3.05).assessment, REFERENCE) == ""


@pytest.mark.parametrize(
    ("check", "figure", "margin"),
    [
        (within(Rule.EDGE_CAP, 3.74, most=10), "3.74 %", "6.26 pp left"),
        (within(Rule.MIN_EDGE, 0.6, least=1), "0.60 %", "0.40 pp short"),
        (within(Rule.MAX_EDGE, 21.5, most=20), "21.50 %", "1.50 pp over"),
        (within(Rule.PAYOUT, 0.9949, 0.99, 1.05), "-0.51 %", "0.49 pp left"),
        (within(Rule.PAYOUT, 0.98, 0.99, 1.05), "-2.00 %", "1.00 pp short"),
        (within(Rule.PAYOUT, 1.06, 0.99, 1.05), "6.00 %", "1.00 pp over"),
        (RuleCheck(Rule.ABOVE_REFERENCE, False, 3.95, least=4.6), "3.95", "4.6 there"),
        (within(Rule.RATIO, 1.07, most=1.15), "7.00 %", "8.00 pp left"),
        (within(Rule.RATIO, 1.324, most=1.15), "32.40 %", "17.40 pp over"),
        (within(Rule.BOOK_AGE, 5_000, most=900_000), "5 s", "14 min left"),
        (within(Rule.BOOK_AGE, 180_000, most=186_000), "3 min 0 s", "6 s left"),
        (
            RuleCheck(Rule.BOOK_AGE, True, 180_000, most=186_000, uncounted=28_000),
            "208 s old, 28 s not counted",
            "6 s left",
        ),
        (
            RuleCheck(Rule.REFERENCE_AGE, True, 60_000, most=180_000, uncounted=9_999),
            "69 s old, 9 s not counted",
            "2 min left",
        ),
        (within(Rule.BOOK_AGE, 7_500_000, most=900_000), "2 h 5 min", "110 min too old"),
        (within(Rule.BOOK_AGE, 960_000, most=900_000), "16 min", "60 s too old"),
        (RuleCheck(Rule.COMPARABLE, True), "", ""),
        (RuleCheck(Rule.COMPARABLE, False), "", "no"),
    ],
)
def test_figures_and_margins_are_told_with_their_unit(
    check: RuleCheck, figure: str, margin: str
) -> None:
    assert (figure_text(check), margin_text(check)) == (figure, margin)


def test_durations_are_told_in_few_characters() -> None:
    assert [duration_text(ms) for ms in (0, 119_999, 120_000, 3_600_000, 7_500_000)] == [
        "0 s", "119 s", "2 min", "60 min", "2 h 5 min",
    ]  # fmt: skip


def test_a_price_that_is_too_low_is_told_what_it_would_have_to_be(desk: Desk) -> None:
    (text,) = remedies(said_of(desk, 2.89))
    assert text == "Becomes value at 2.908 or higher (+0.6 %)"


def test_a_price_that_looks_like_an_error_is_told_what_it_would_have_to_be(desk: Desk) -> None:
    (text,) = remedies(said_of(desk, 3.30))
    assert text == "Becomes value at 3.096 or lower (-6.2 %); above that it is probably an error"


def test_a_reference_with_too_much_margin_is_told(desk: Desk) -> None:
    said = said_of(desk, 2.9, {"Arsenal": 2.6, "Draw": 3.2, "Chelsea": 2.65})
    assert any("margin falls from 7.45 to 5 %" in text for text in remedies(said))


@pytest.mark.parametrize(
    ("sharp", "why", "remedy"),
    [
        (
            {"Arsenal": 2.6, "Draw": 3.2, "Chelsea": 2.65},
            "the margin is too large",
            "Becomes value if Pinnacle's margin falls from 7.45 to 5 %",
        ),
        (
            {"Arsenal": 3.2, "Draw": 3.6, "Chelsea": 3.2},
            "the margin is negative",
            "Becomes value once Pinnacle's margin is no longer negative",
        ),
    ],
)
def test_why_no_price_can_be_value_is_told_by_the_margin(
    desk: Desk, sharp: dict[str, float], why: str, remedy: str
) -> None:
    said = said_of(desk, 3.5, sharp)
    assert f"No price can be a value bet: {why}" in explanation_text(said).splitlines()
    assert remedy in remedies(said)


def test_an_old_price_is_asked_to_be_seen_again(desk: Desk) -> None:
    said_of(desk, 3.05)
    desk.now += 16 * 60_000
    assert remedies(explained(desk)) == [
        "Becomes value once Pinnacle's price is seen again",
        "Becomes value once Betfair's price is seen again",
    ]


def test_what_a_price_would_have_to_be_is_told_in_the_bookmakers_own_odds(desk: Desk) -> None:
    desk.board.set_profiles(Profiles([Profile(name="Betfair", group="Betfair", commission=0.02)]))
    (text,) = remedies(said_of(desk, 2.92))
    least = 1 + 1.90799 / 0.98
    assert text == f"Becomes value at {least:.3f} or higher (+{(least / 2.92 - 1) * 100:.1f} %)"


def test_a_value_bet_needs_no_change(desk: Desk) -> None:
    said = said_of(desk, 3.05)
    assert remedies(said) == []
    assert unvalued_text(said) == ""


def test_a_price_without_fair_odds_says_why_none_are_derived(desk: Desk) -> None:
    said = said_of(desk, 3.05, {"Arsenal": 2.72, "Draw": 3.34})
    assert unvalued_text(said) == (
        "No fair odds: Pinnacle prices only Arsenal, Draw, not every outcome. "
        "Not derived: no other line of this period has fair odds."
    )
    assert remedies(said) == []


def test_the_text_holds_every_number_of_the_arithmetic(desk: Desk) -> None:
    text = explanation_text(said_of(desk, 3.05))
    for part in (
        "Chelsea at Betfair, 3.05",
        "EV +6.99 % (Pinnacle, margin proportional)",
        "Arsenal 2.72, Draw 3.34, Chelsea 2.78",
        "Total = 1/2.72 + 1/3.34 + 1/2.78 = 1.02676",
        "Margin = (1.02676 − 1) ÷ 3 = 0.8920 pp",
        "Chance = 1/2.78 − 0.8920 pp = 35.0792 %",
        "Fair = 1 ÷ 35.0792 % = 2.8507",
        "EV = 3.05 ÷ 2.8507 − 1 = +6.99 %",
        "Value from 2.908, suspicious above 3.096",
        "Power: fair 2.8512, EV +6.97 %",
        "Worst case +6.85 % (multiplicative)",
        "[holds] EV ≤ 11.1 % (main markets): 6.99 %, 4.11 pp left",
    ):
        assert part in text


def test_pages_of_a_server_have_cautions_in_english() -> None:
    use_language("de")
    try:
        assert caution_text(Caution.REFERENCE_STALE, "Pinnacle") == "Pinnacle ist veraltet"
        assert english_caution(Caution.REFERENCE_STALE, "Pinnacle") == "Pinnacle is stale"
    finally:
        use_language(ENGLISH)
