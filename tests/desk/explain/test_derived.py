"""Explain of prices whose fair odds follow from other lines of the sharp book."""

import re
from typing import Any

import pytest
from PySide6.QtGui import QTextDocument
from pytestqt.qtbot import QtBot

from oddsdesk.base.numbers import COMMA, Style, choose_numbers
from oddsdesk.board.model.basis import CONSENSUS
from oddsdesk.board.model.matrix import RowKey
from oddsdesk.board.valuation.explaining import Explanation, explain
from oddsdesk.board.valuation.verdict_words import explanation_text
from oddsdesk.desk.explain.panel import _MOST_SHARE, ExplainPanel
from oddsdesk.desk.ui.controls.labels import WrappedLabel
from oddsdesk.desk.ui.theme.theme import Theme


def price(game: Any, selection: str, market: str, bookmaker: str = "Unibet") -> RowKey:
    return RowKey(game.id, market, 0, selection, bookmaker)


def said_of(game: Any, selection: str, market: str, bookmaker: str = "Unibet") -> Explanation:
    found = explain(game.board, price(game, selection, market, bookmaker), game.clock.now)
    assert found is not None
    return found


def lines(facts: Any) -> list[tuple[str, str, str]]:
    return [(fact.title, fact.note, fact.figure) for fact in facts.facts]


def test_an_implied_price_is_explained_by_its_sum(panel: ExplainPanel, derived: Any) -> None:
    panel.show_price(price(derived, "X2", "double_chance"))
    assert lines(panel.arithmetic)[:4] == [
        ("Match result: Home 29.25 %, Draw 28.61 %, Away 42.14 %", "", ""),
        ("X2 = draw 28.61 % + away 42.14 % = 70.75 %, fair 1.413", "", ""),
        ("Fair  1 ÷ 70.754 %", "", "1.4133"),
        ("EV  1.46 ÷ 1.4133 − 1", "", "+3.30 %"),
    ]
    assert "implied by the match result" in panel.note.text()
    assert [part.facts for part in (panel.model, panel.fit, panel.methods)] == [(), (), ()]
    assert panel.scores.isHidden()


def test_a_quarter_handicap_is_half_on_each_line_next_to_it(derived: Any) -> None:
    derived.quote("spread", {"Everton +0.25": {"Unibet": 1.95}, "Liverpool -0.25": {"Unibet": 1.9}})
    derived.load()
    found = said_of(derived, "Liverpool -0.25", "spread").derivation
    assert found is not None
    assert found.sum[0] == "Half of the stake on each of Away 0 (59.03 %) and Away −0.5 (42.14 %)"
    other = said_of(derived, "Everton +0.25", "spread").derivation
    assert other is not None
    assert other.sum[0] == "Half of the stake on each of Home 0 (40.97 %) and Home +0.5 (57.86 %)"
    assert found.sum[-1].startswith("Away −0.25 = 42.14 % ÷ (42.14 % + 29.25 % + 28.61 % ÷ 2) = ")


def test_a_modelled_price_shows_the_fit_the_scores_and_the_band(
    panel: ExplainPanel, derived: Any
) -> None:
    panel.show_price(price(derived, "Over 3.5", "total"))
    assert lines(panel.arithmetic)[:3] == [
        ("Fair  1 ÷ 28.02 %", "", "3.5689"),
        ("EV  3.85 ÷ 3.5689 − 1", "", "+7.88 %"),
        ("EV at the low end  3.85 × (28.02 − 1.00) % − 1", "", "+4.03 %"),
    ]
    assert any(title.startswith("EV at the low end ≥ 2.01 %") for title, *_ in lines(panel.rules))
    named = {title: figure for title, _, figure in lines(panel.model)}
    assert named["Expected goals"] == "home 1.20, away 1.48"
    assert named["Low scores (rho; below 0: more likely)"] == "−0.121"
    (band,) = (title for title in named if title.startswith("Error band: ±1.00 percent"))
    assert "the model was closer (100 measured, at most 1 from the nearest line" in band
    assert lines(panel.fit)[1:] == [
        ("Match result Home", "29.2 % / 29.2 %", "+0.00"),
        ("Match result Draw", "28.6 % / 28.6 %", "+0.00"),
        ("Match result Away", "42.1 % / 42.1 %", "+0.00"),
        ("Total Over 2.5", "50.0 % / 50.0 %", "+0.00"),
    ]
    assert not panel.scores.isHidden()


def test_the_scores_that_win_are_marked_and_add_up_to_the_price(
    panel: ExplainPanel, derived: Any
) -> None:
    panel.show_price(price(derived, "Under 3.5", "total"))
    assert panel.said is not None
    assert panel.said.derivation is not None
    scores = panel.said.derivation.scores
    assert scores is not None
    cells = [score for row in scores.table for score in row]
    assert sum(score.chance for score in cells) + scores.beyond == pytest.approx(1)
    won = [score for score in cells if score.won > 0]
    assert {score.home + score.away for score in won} == {0, 1, 2, 3}
    fair = panel.said.assessment.fair_odds
    assert fair is not None
    assert sum(score.chance for score in won) == pytest.approx(1 / fair)
    bold = re.findall(r"<b [^>]*>([\d.]+)</b>", panel.scores.text())
    assert len(bold) == len(won) == 10
    text = QTextDocument()
    text.setHtml(panel.scores.text())
    assert "Bold: Under 3.5 wins" in text.toPlainText()


def test_it_explains_the_odds_that_the_board_judges_by(derived: Any) -> None:
    for selection, market in (("X2", "double_chance"), ("Over 3.5", "total")):
        found = said_of(derived, selection, market)
        row = derived.board.row(derived.id, market, 0, selection)
        assert found.assessment.fair_odds == row.fair
        assert found.derivation is not None
        if found.derivation.sum:
            assert f"fair {row.fair:.3f}" in found.derivation.sum[-1]


def test_a_consensus_is_summed_up_without_the_bookmakers_own_vote(derived: Any) -> None:
    derived.quote("moneyline", {"Everton": {"Unibet": 3.2}, "Draw": {"Unibet": 3.35},
                                "Liverpool": {"Unibet": 2.35}})  # fmt: skip
    derived.load()
    derived.board.choose_reference(CONSENSUS)
    found = said_of(derived, "X2", "double_chance")
    assert found.derivation is not None
    assert found.voters == ()
    fair = found.assessment.fair_odds
    assert fair is not None
    assert f"fair {fair:.3f}" in found.derivation.sum[-1]
    assert fair != derived.board.row(derived.id, "double_chance", 0, "X2").fair


def test_it_says_why_no_price_can_be_derived(derived: Any) -> None:
    derived.quote("btts", {"Yes": {"Unibet": 1.8}, "No": {"Unibet": 1.95}})
    derived.load()
    none = "No fair odds: Pinnacle has no prices here to compare with. Not derived: "
    for choice, why in (
        ("all", "the model's error on lines like this one has not been measured."),
        ("implied", "the other lines do not imply it, and modelled odds are turned off."),
        ("none", "derived fair odds are turned off."),
    ):
        derived.board.set_derived(choice)
        assert f"{none}{why}" in explanation_text(said_of(derived, "Yes", "btts"))
    assert said_of(derived, "Draw", "moneyline", "Bovada").why_not_derived == ""


def test_it_is_copied_with_the_sum_and_the_fit(derived: Any) -> None:
    text = explanation_text(said_of(derived, "Over 3.5", "total"))
    assert "Modelled from 2 lines, EV ±3.9" in text
    assert "Total Over 2.5: Pinnacle / model 50.0 % / 50.0 %, +0.00" in text
    assert "Error band: ±1.00 percentage points of probability" in text
    text = explanation_text(said_of(derived, "X2", "double_chance"))
    assert "X2 = draw 28.61 % + away 42.14 % = 70.75 %, fair 1.413" in text


@pytest.mark.parametrize("size", [100, 160])
def test_nothing_of_it_is_cut_where_it_is_narrow(
    panel: ExplainPanel, derived: Any, theme: Theme, qtbot: QtBot, size: int
) -> None:
    theme.zoom(size)
    try:
        panel.resize(284, 800)
        panel.show_price(price(derived, "Over 3.5", "total"))
        inside, bar = panel.area.widget(), panel.area.verticalScrollBar().sizeHint().width()
        assert inside.minimumSizeHint().width() + bar <= _MOST_SHARE * 1_280

        def is_whole(line: WrappedLabel) -> bool:
            return line.height() >= line.heightForWidth(line.width())

        shown = [line for part in (panel.arithmetic, panel.model, panel.fit)
                 for line in part.findChildren(WrappedLabel) if not line.isHidden()]  # fmt: skip
        qtbot.waitUntil(lambda: all(map(is_whole, shown)))
        table = QTextDocument()
        table.setDefaultFont(panel.scores.font())
        table.setHtml(panel.scores.text())
        table.setTextWidth(panel.scores.width())
        assert table.idealWidth() <= panel.scores.width()
    finally:
        theme.zoom(100)


def test_a_sum_has_the_chosen_decimal_mark_in_lines_and_figures(derived: Any) -> None:
    derived.quote("spread", {"Everton +0.25": {"Unibet": 1.95}, "Liverpool -0.25": {"Unibet": 1.9}})
    derived.load()
    choose_numbers(Style(COMMA))
    found = said_of(derived, "Liverpool -0.25", "spread")
    assert found.derivation is not None
    halves, *_, own = found.derivation.sum
    assert halves == "Half of the stake on each of Away 0 (59,03 %) and Away −0,5 (42,14 %)"
    assert own.startswith("Away −0,25 = 42,14 % ÷ (42,14 % + 29,25 % + 28,61 % ÷ 2) = ")
    assert found.market == "Handicap -0,25"
    assert explanation_text(found).startswith("Liverpool -0,25 at Unibet, 1,9")
