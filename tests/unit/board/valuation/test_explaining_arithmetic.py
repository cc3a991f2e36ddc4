"""Each step of an explanation, done again with the figures as they are shown."""

import re
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.base.tasks import exhaust
from oddsdesk.board.model.matrix import RowKey
from oddsdesk.board.valuation.explaining import Explanation, Step, exact, explain, steps
from oddsdesk.board.valuation.verdict_words import explanation_text
from oddsdesk.pricing.devig import METHODS
from oddsdesk.pricing.profiles import Profile, Profiles
from tests.kit.board import GAME, REFERENCE, Desk, matrix, row_key

WITH_FORMULA = ("margin_proportional", "additive", "published", "multiplicative")
SIDES = ("Arsenal", "Draw", "Chelsea")

prices = st.integers(1_050, 40_000).map(lambda thousandths: thousandths / 1_000)


@st.composite
def markets(draw: st.DrawFn) -> tuple[dict[str, float], float]:
    """Three prices of the reference with some margin, and one of a bookmaker."""
    shares = draw(st.lists(st.floats(0.05, 1), min_size=3, max_size=3))
    margin = draw(st.floats(1.0, 1.2))
    odds = [max(1.01, round(sum(shares) / share / margin, 3)) for share in shares]
    return dict(zip(SIDES, odds, strict=True)), draw(prices)


profiles = st.sampled_from(
    [
        Profile(name="Betfair", group="Betfair"),
        Profile(name="Betfair", group="Betfair", commission=0.02),
        Profile(name="Betfair", group="Betfair", tax=0.05),
        Profile(name="Betfair", group="Betfair", commission=0.065, tax=0.0125),
        Profile(name="Betfair", group="Betfair", taker_fee=0.07),
    ]
)
FREE = Profile(name="Betfair", group="Betfair")


def explained(
    sharp: dict[str, float], odds: float, method: str, profile: Profile = FREE
) -> Explanation:
    desk = Desk()
    desk.board.set_method(method)
    desk.board.set_profiles(Profiles([profile]))
    book = {"Arsenal": odds, "Draw": 3.2, "Chelsea": 3.0}
    exhaust(desk.board.merge_matrix(matrix({REFERENCE: sharp, "Betfair": book})))
    said = explain(desk.board, RowKey(GAME, "moneyline", 0, "Arsenal", "Betfair"), desk.now)
    assert said is not None
    return said


def done_again(formula: str) -> float:
    """Work a formula out as it is written; percent and points as shares of 1."""
    text = formula.removesuffix(" decided").replace("−", "-")
    text = text.replace("×", "*").replace("÷", "/")
    text = re.sub(r"([\d.]+) (?:%|pp)", r"(\1/100)", text)
    assert re.fullmatch(r"[\d.()+\-*/ ]+", text), formula
    return float(eval(text))


def result_of(text: str) -> tuple[float, float]:
    """A result as a number, and what half of its last decimal is."""
    figure, _, unit = text.replace("−", "-").partition(" ")
    scale = 100 if unit in ("%", "pp") else 1
    decimals = len(figure.partition(".")[2])
    return float(figure) / scale, 0.5 * 10**-decimals / scale


def formulas(said: Explanation) -> Iterator[Step]:
    return (step for step in steps(said) if step.formula)


def check_steps(said: Explanation) -> None:
    for step in formulas(said):
        result, half = result_of(step.result)
        assert abs(done_again(step.formula) - result) <= half * (1 + 1e-6), step


@given(markets(), st.sampled_from(METHODS), profiles)
def test_every_step_done_again_gives_the_result_shown(
    market: tuple[dict[str, float], float], method: str, profile: Profile
) -> None:
    said = explained(*market, method, profile)
    if said.ev is not None:
        check_steps(said)


@given(markets(), profiles)
def test_where_a_bookmaker_keeps_something_of_a_win_the_net_price_is_a_step(
    market: tuple[dict[str, float], float], profile: Profile
) -> None:
    said = explained(*market, "margin_proportional", profile)
    if said.ev is None:
        return
    net = [step for step in steps(said) if step.name == "After fees"]
    assert bool(net) == profile.charges
    assert [step.result for step in net] == [exact(said.net_odds)] * len(net)
    (ev,) = (step for step in steps(said) if step.name == "EV")
    assert ev.formula.startswith(f"{exact(said.net_odds)} ÷")


@st.composite
def ladders(draw: st.DrawFn) -> dict[str, float]:
    """A whole line of the reference, the half lines next to it, as likely as they say."""
    chance, push, margin = draw(
        st.tuples(st.floats(0.2, 0.8), st.floats(0.01, 0.3), st.floats(1.0, 1.04))
    )
    over, under = chance * (1 - push), (1 - chance) * (1 - push)
    shares = {"Over 2.5": over + push, "Under 2.5": under, "Over 3.5": over}
    shares |= {"Under 3.5": under + push, "Over 3": chance, "Under 3": 1 - chance}
    return {name: max(1.01, round(1 / share / margin, 3)) for name, share in shares.items()}


@given(ladders(), st.integers(1_500, 4_000).map(lambda thousandths: thousandths / 1_000), profiles)
def test_a_line_that_may_be_hit_has_a_step_from_a_decided_unit_to_one_staked(
    sharp: dict[str, float], odds: float, profile: Profile
) -> None:
    desk = Desk()
    desk.board.set_profiles(Profiles([profile]))
    book = {"Over 3": odds}
    exhaust(
        desk.board.merge_matrix(matrix({REFERENCE: sharp, "Betfair": book}, market_type="total"))
    )
    said = explain(desk.board, row_key("Over 3", "Betfair", "total"), desk.now)
    assert said is not None
    if said.ev is None or said.assessment.per == "decided":
        return
    check_steps(said)
    last = steps(said)[-1]
    if said.decided < 1:
        assert last.name == "Per unit staked"
    assert last.result == f"{said.ev + 0.0:+.2f} %".replace("-", "−")


def test_a_push_that_nobody_can_tell_is_said_to_be_unknown() -> None:
    desk = Desk()
    odds = {REFERENCE: {"Over 3": 2.0, "Under 3": 1.9}, "Betfair": {"Over 3": 2.2}}
    exhaust(desk.board.merge_matrix(matrix(odds, market_type="total")))
    said = explain(desk.board, row_key("Over 3", "Betfair", "total"), desk.now)
    assert said is not None
    assert steps(said)[-1] == Step("Push", "chance not known", "without pushes")


@given(markets(), st.sampled_from(WITH_FORMULA))
def test_each_step_begins_with_what_the_one_before_gave(
    market: tuple[dict[str, float], float], method: str
) -> None:
    said = explained(*market, method)
    if said.ev is None:
        return
    done = list(formulas(said))
    for before, after in pairwise(done):
        assert before.result.split(" ")[0] in after.formula
    assert done[-1].result == f"{said.ev:+.2f} %".replace("-", "−")


@given(markets())
def test_the_ev_of_each_method_follows_from_the_fair_price_shown(
    market: tuple[dict[str, float], float],
) -> None:
    said = explained(*market, "margin_proportional")
    found = re.findall(
        r": fair ([\d.]+), EV ([+-][\d.]+) %", explanation_text(said).replace("−", "-")
    )
    assert len(found) == sum(figure.ev is not None for figure in said.methods)
    for fair, ev in found:
        assert (said.odds / float(fair) - 1) * 100 == pytest.approx(float(ev), abs=5.1e-3)


def test_the_worked_example_of_the_guide() -> None:
    desk = Desk()
    odds = {REFERENCE: {"Over 2.5": 2.05, "Under 2.5": 1.88}, "Betfair": {"Over 2.5": 2.15}}
    exhaust(desk.board.merge_matrix(matrix(odds, market_type="total")))
    said = explain(desk.board, RowKey(GAME, "total", 0, "Over 2.5", "Betfair"), desk.now)
    assert said is not None
    assert [f"{step.formula} = {step.result}" for step in steps(said)] == [
        "1/2.05 + 1/1.88 = 1.01972",
        "(1.01972 − 1) ÷ 2 = 0.9860 pp",
        "1/2.05 − 0.9860 pp = 47.7945 %",
        "1 ÷ 47.7945 % = 2.0923",
        "2.15 ÷ 2.0923 − 1 = +2.76 %",
    ]
    assert "Value from 2.135, suspicious above 2.183" in explanation_text(said)
