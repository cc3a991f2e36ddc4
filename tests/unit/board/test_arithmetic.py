"""Each step of an explanation, done again with the figures as they are shown."""

import re
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.board.arithmetic import Step, steps
from oddsdesk.board.explaining import Explanation, explain
from oddsdesk.board.explanation_text import explanation_text
from oddsdesk.board.matrix import RowKey
from oddsdesk.pricing.devig import METHODS
from oddsdesk.pricing.rules import safety_floor
from oddsdesk.slices import exhaust
from tests.kit.board import GAME, REFERENCE, Desk, matrix

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


def explained(sharp: dict[str, float], odds: float, method: str) -> Explanation:
    desk = Desk()
    desk.board.set_method(method)
    book = {"Arsenal": odds, "Draw": 3.2, "Chelsea": 3.0}
    exhaust(desk.board.merge_matrix(matrix({REFERENCE: sharp, "Betfair": book})))
    said = explain(desk.board, RowKey(GAME, "moneyline", 0, "Arsenal", "Betfair"), desk.now)
    assert said is not None
    return said


def done_again(formula: str) -> float:
    """Work a formula out as it is written; percent and points as shares of 1."""
    text = formula.replace("−", "-").replace("×", "*").replace("÷", "/")
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


@given(markets(), st.sampled_from(METHODS))
def test_every_step_done_again_gives_the_result_shown(
    market: tuple[dict[str, float], float], method: str
) -> None:
    said = explained(*market, method)
    if said.true_ev is None:
        return
    for step in formulas(said):
        result, half = result_of(step.result)
        assert abs(done_again(step.formula) - result) <= half * (1 + 1e-6), step


@given(markets(), st.sampled_from(WITH_FORMULA))
def test_each_step_begins_with_what_the_one_before_gave(
    market: tuple[dict[str, float], float], method: str
) -> None:
    said = explained(*market, method)
    if said.true_ev is None:
        return
    done = list(formulas(said))
    for before, after in pairwise(done):
        assert before.result.split(" ")[0] in after.formula
    assert done[-1].result == f"{said.true_ev:+.2f} %".replace("-", "−")


@given(markets())
def test_the_ev_of_each_method_follows_from_the_fair_price_shown(
    market: tuple[dict[str, float], float],
) -> None:
    said = explained(*market, "margin_proportional")
    found = re.findall(
        r": fair ([\d.]+), EV ([+-][\d.]+) %", explanation_text(said).replace("−", "-")
    )
    assert len(found) == sum(figure.ev_pct is not None for figure in said.methods)
    floor = safety_floor("moneyline")
    for fair, ev in found:
        assert (said.odds / (float(fair) * floor) - 1) * 100 == pytest.approx(float(ev), abs=5.1e-3)


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
        "2.0923 × 1.01 = 2.1132",
        "2.15 ÷ 2.1132 − 1 = +1.74 %",
    ]
    assert "Value from 2.135, suspicious above 2.183" in explanation_text(said)
