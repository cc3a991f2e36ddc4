"""The Explain dock: what it shows of a price, its states, and that it keeps up."""

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QGuiApplication, QTextDocument
from pytestqt.qtbot import QtBot

from oddsdesk.base.tasks import exhaust
from oddsdesk.board.board import Board
from oddsdesk.board.model.basis import CONSENSUS, LEARNED
from oddsdesk.board.model.matrix import RowKey
from oddsdesk.board.model.notices import Connection, Link
from oddsdesk.board.valuation.explaining import REAL_METHODS, explain
from oddsdesk.board.valuation.verdict_words import explanation_text
from oddsdesk.contract.resources import ValueBet
from oddsdesk.contract.times import format_ms
from oddsdesk.desk.explain import facts
from oddsdesk.desk.explain.panel import _MOST_SHARE, ExplainPanel
from oddsdesk.desk.ui import formatting
from oddsdesk.desk.ui.controls.labels import ElidedLabel, WrappedLabel
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.pricing.consensus import LearnedWeights, MarketWeights
from oddsdesk.pricing.devig import DEFAULT_METHOD
from oddsdesk.pricing.formats import AMERICAN
from oddsdesk.pricing.profiles import Profile, Profiles


def price(quoted: Any, selection: str, bookmaker: str, market: str = "moneyline") -> RowKey:
    return RowKey(quoted.id, market, 0, selection, bookmaker)


def titles(facts: Any) -> dict[str, str]:
    return {fact.title: fact.figure for fact in facts}


def shown_texts(panel: ExplainPanel) -> set[str]:
    return {label.text() for label in panel.findChildren(ElidedLabel)}


def test_at_160_percent_no_figure_is_cut_in_the_least_width_on_a_small_screen(
    panel: ExplainPanel, quoted: Any, theme: Theme
) -> None:
    theme.zoom(160)
    try:
        panel.show_price(price(quoted, "Over 2.5", "Matchbook", "total"))
        inside, bar = panel.area.widget(), panel.area.verticalScrollBar().sizeHint().width()
        assert inside.minimumSizeHint().width() + bar <= _MOST_SHARE * 1_280
    finally:
        theme.zoom(100)


@pytest.mark.parametrize("size", [100, 120, 160])
def test_no_formula_and_no_limit_is_cut_where_it_is_narrow(
    panel: ExplainPanel, quoted: Any, theme: Theme, qtbot: QtBot, size: int
) -> None:
    """A formula of which the end is missing cannot be worked out again."""
    theme.zoom(size)
    try:
        panel.resize(284, 800)
        panel.show_price(price(quoted, "Over 2.5", "Matchbook", "total"))
        lists = (panel.arithmetic, panel.rules, panel.methods)

        def lines() -> list[WrappedLabel]:
            found = (line for each in lists for line in each.findChildren(WrappedLabel))
            return [line for line in found if not line.isHidden()]

        def is_whole(line: WrappedLabel) -> bool:
            return line.height() >= line.heightForWidth(line.width())

        qtbot.waitUntil(lambda: all(map(is_whole, lines())))
        told = {fact.title for each in lists for fact in each.facts}
        assert {line.text() for line in lines()} == told
        assert max(len(line.text()) for line in lines()) > 20
    finally:
        theme.zoom(100)


def test_before_a_price_is_selected_it_says_what_to_do(panel: ExplainPanel) -> None:
    assert panel.placeholder.isVisible()
    assert not panel._copy.isEnabled()


def test_a_price_is_explained_step_by_step(panel: ExplainPanel, quoted: Any) -> None:
    panel.show_price(price(quoted, "Over 2.5", "Matchbook", "total"))
    assert "Over 2.5" in panel.title.text()
    assert "2.00" in panel.title.text()
    fair = 1 / (1 / 1.94 - (2 / 1.94 - 1) / 2)
    ev = (2.0 / fair - 1) * 100
    assert panel.big.text() == f"{ev:+.2f} %".replace("-", "−")
    facts = titles(panel.arithmetic.facts)
    assert facts["Total  1/1.94 + 1/1.94"] == "1.030928"
    assert facts["Margin  (1.030928 − 1) ÷ 2"] == "1.5464 pp"
    assert facts["Chance  1/1.94 − 1.5464 pp"] == "50.0000 %"
    assert facts["Fair  1 ÷ 50.0000 %"] == "2.0000"
    assert facts["EV  2 ÷ 2.0000 − 1"] == "+0.00 %"
    assert facts["Value from"] == "2.041"
    assert len(panel.methods.facts) == len(REAL_METHODS) + 1
    assert panel.methods.facts[-1].title == "Worst case"


def test_a_rule_that_stops_the_price_wears_a_cross_and_says_what_it_takes(
    panel: ExplainPanel, quoted: Any
) -> None:
    panel.show_price(price(quoted, "Over 2.5", "Matchbook", "total"))
    marks = {fact.title: (fact.mark, fact.figure) for fact in panel.rules.facts}
    assert marks["EV ≥ 2.01 %"][0] == "✗"
    assert marks["EV ≥ 2.01 %"][1].endswith("short")
    assert marks["EV ≤ 15 %"][0] == "✓"
    assert "EV ≤ 21.2 %" not in marks, "the user's limit is stricter than the service's"
    assert "Becomes value at 2.041 or higher" in panel.remedies.text()


def test_a_rule_without_a_figure_of_its_own_is_named_whole(
    panel: ExplainPanel, quoted: Any, qtbot: QtBot
) -> None:
    panel.show_price(price(quoted, "Over 2.5", "Pinnacle", "total"))
    qtbot.waitUntil(lambda: "Not the sharp book itself" in shown_texts(panel))


def test_it_keeps_up_with_the_price(panel: ExplainPanel, quoted: Any, qtbot: QtBot) -> None:
    panel.show_price(price(quoted, "Over 2.5", "Matchbook", "total"))
    before = panel.big.text()
    quoted.clock.now += 5_000
    quoted.tell("Matchbook", "total", "Over 2.5", 2.06)
    qtbot.waitUntil(lambda: panel.big.text() != before, timeout=2_000)
    assert panel.said is not None
    assert panel.said.assessment.is_value
    assert panel.remedies.text() == ""


def test_a_price_without_a_reference_says_why(panel: ExplainPanel, quoted: Any) -> None:
    panel.show_price(RowKey(quoted.id, "moneyline", 1, "Everton", "Unibet"))
    assert panel.big.text() == "No EV"
    assert "no prices here to compare with" in panel.note.text()
    assert panel.methods.facts == ()
    assert panel.rules.facts == ()


def test_a_placeholder_is_said_to_be_one_without_a_reference(
    panel: ExplainPanel, quoted: Any
) -> None:
    quoted.tell("Bovada", "total", "Over 4.5", 1000.0)
    panel.show_price(price(quoted, "Over 4.5", "Bovada", "total"))
    assert panel.cautions.text() == "No value: placeholder, not a real price"


def test_a_price_elsewhere_than_at_the_users_bookmakers_says_why_no_list_has_it(
    panel: ExplainPanel, quoted: Any
) -> None:
    quoted.board.set_bookmakers(("Bovada",))
    quoted.tell("Matchbook", "total", "Over 2.5", 2.06)
    panel.show_price(price(quoted, "Over 2.5", "Matchbook", "total"))
    assert panel.said is not None
    assert panel.said.assessment.is_value
    assert panel.big.property("variant") == ""
    assert "No value: not one of your bookmakers" in panel.cautions.text()
    assert "No value: not one of your bookmakers" in explanation_text(panel.said)
    for bookmaker in ("Bovada", "Pinnacle"):
        panel.show_price(price(quoted, "Over 2.5", bookmaker, "total"))
        assert "not one" not in panel.cautions.text()


def test_a_cell_without_a_price_says_so(panel: ExplainPanel, quoted: Any) -> None:
    panel.show_price(price(quoted, "Everton", "Betsson"))
    assert panel.placeholder.isVisible()
    assert panel.said is None


def test_no_price_keeps_to_the_one_before(panel: ExplainPanel, quoted: Any) -> None:
    panel.show_price(price(quoted, "Everton", "Bovada"))
    panel.show_price(None)
    assert panel.said is not None


def test_another_price_is_explained_from_its_top_and_the_same_goes_on_where_it_is(
    panel: ExplainPanel, quoted: Any, qtbot: QtBot
) -> None:
    panel.resize(316, 240)
    over = price(quoted, "Over 2.5", "Matchbook", "total")
    panel.show_price(over)
    bar = panel.area.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 100)
    bar.setValue(100)
    panel.show_price(over)
    before = panel.big.text()
    quoted.tell("Matchbook", "total", "Over 2.5", 2.06)
    qtbot.waitUntil(lambda: panel.big.text() != before)
    assert bar.value() == 100
    panel.show_price(price(quoted, "Under 2.5", "Bovada", "total"))
    assert bar.value() == 0


def test_it_can_forget(panel: ExplainPanel, quoted: Any) -> None:
    panel.show_price(price(quoted, "Everton", "Bovada"))
    panel.forget_price()
    assert panel.said is None
    assert "Select a price" in panel.placeholder._sentence.text()


def test_another_method_is_taken_at_once(panel: ExplainPanel, quoted: Any, qtbot: QtBot) -> None:
    panel.show_price(price(quoted, "Everton", "Bovada"))
    quoted.board.set_method("power")
    qtbot.waitUntil(lambda: "power" in panel.note.text(), timeout=2_000)


def test_the_explanation_is_copied_as_text(panel: ExplainPanel, quoted: Any, qtbot: QtBot) -> None:
    panel.show_price(price(quoted, "Everton", "Bovada"))
    qtbot.mouseClick(panel._copy, Qt.MouseButton.LeftButton)
    text = QGuiApplication.clipboard().text()
    assert text.startswith("Everton at Bovada, 3.2\n")
    assert "Worst case" in text


def test_a_name_with_markup_is_shown_as_it_is_written(panel: ExplainPanel, quoted: Any) -> None:
    quoted.quote("btts", {"Yes": {"<b>Book</b>": 1.9}})
    quoted.load()
    panel.show_price(price(quoted, "Yes", "<b>Book</b>", "btts"))
    assert "&lt;b&gt;Book" in panel.title.text()


def test_what_stands_out_is_in_a_weight_that_there_is_a_font_of(
    panel: ExplainPanel, quoted: Any
) -> None:
    panel.show_price(price(quoted, "Everton", "Bovada"))
    document = QTextDocument()
    document.setHtml(panel.title.text())
    weights = {each.format.fontWeight() for each in document.firstBlock().textFormats()}
    assert weights == {QFont.Weight.Normal, QFont.Weight.DemiBold}


def test_the_game_of_a_bet_that_is_not_read_is_asked_for(
    panel: ExplainPanel, quoted: Any, qtbot: QtBot
) -> None:
    bet = ValueBet(
        "Milan - Inter", "Over 2.5", "Unibet", "total", 0, 2.15, 2.05, 2.0923, 1.74, 1.0197,
        None, "SERA", "Football", format_ms(quoted.clock.now), None,
    )  # fmt: skip
    exhaust(quoted.board.merge_value_bets([bet]))
    (key,) = quoted.board.value_bets
    wanted: list[str] = []
    panel.game_wanted.connect(wanted.append)
    panel.show_price(key)
    assert wanted == [key.game_id]
    assert "list only: the other prices are loading" in panel.note.text()
    quoted.clock.now += 1_000
    quoted.board.end_game(key.game_id)
    gone = "list only: it no longer shows the price"
    qtbot.waitUntil(lambda: gone in panel.note.text(), timeout=2_000)
    assert panel.gone.isVisible()
    assert panel.cautions.isHidden()
    panel.show_price(price(quoted, "Everton", "Bovada"))
    assert wanted == [key.game_id, ""]
    panel.show_price(key)
    panel.hide()
    assert wanted == [key.game_id, "", key.game_id, ""]


@pytest.mark.parametrize("has_reference", [True, False])
def test_a_price_that_was_withdrawn_is_said_to_be_gone_before_all_else(
    panel: ExplainPanel, quoted: Any, has_reference: bool
) -> None:
    panel.show_price(price(quoted, "Over 2.5", "Bovada", "total"))
    assert panel.gone.isHidden()
    quoted.clock.now += 1_000
    reference = {"Pinnacle": 1.94} if has_reference else {}
    quoted.quote("total", {"Over 2.5": reference, "Under 2.5": reference})
    quoted.load()
    panel.show_price(price(quoted, "Over 2.5", "Bovada", "total"))
    panel._show()
    assert panel.gone.isVisible()
    assert panel.title.geometry().bottom() < panel.gone.geometry().top()
    assert panel.gone.geometry().bottom() < panel.big.geometry().top()
    assert panel.said is not None
    assert explanation_text(panel.said).splitlines()[2].startswith("No longer offered")
    assert "no longer offered" not in panel.cautions.text()


def test_of_a_price_that_is_gone_nobody_asks_whether_it_still_stands(
    panel: ExplainPanel, quoted: Any
) -> None:
    """Without a connection it said both."""
    panel.show_price(price(quoted, "Over 2.5", "Bovada", "total"))
    quoted.board.set_connection(Connection(link=Link.WAITING))
    panel._show()
    doubt = "this price may be out of date"
    assert doubt in panel.cautions.text()
    quoted.clock.now += 1_000
    quoted.quote("total", {"Over 2.5": {"Pinnacle": 1.94}, "Under 2.5": {"Pinnacle": 1.94}})
    quoted.load()
    panel._show()
    assert panel.gone.isVisible()
    assert doubt not in panel.cautions.text()
    panel.copy_explanation()
    assert doubt not in QGuiApplication.clipboard().text()


@pytest.mark.parametrize(
    ("selection", "title"), [("Everton -5.5", "Handicap -5.5"), ("Liverpool +5.5", "Handicap +5.5")]
)
def test_a_handicap_is_headed_by_the_line_as_the_selection_has_it(
    panel: ExplainPanel, quoted: Any, selection: str, title: str
) -> None:
    for each in ("Everton -5.5", "Liverpool +5.5"):
        quoted.tell("Pinnacle", "spread", each, 1.94)
        quoted.tell("Matchbook", "spread", each, 2.0)
    panel.show_price(price(quoted, selection, "Matchbook", "spread"))
    assert f"{title}, Full Time" in panel.title.text()
    assert panel.said is not None
    assert f"{title}, Full Time" in explanation_text(panel.said)


def test_a_game_that_was_asked_for_stays_wanted_once_it_is_read(
    theme: Theme, quoted: Any, qtbot: QtBot
) -> None:
    quoted.board = Board(quoted.clock)
    bet = ValueBet(
        quoted.name, "Over 2.5", "Matchbook", "total", 0, 2.0, 1.94, 2.0, 1.0, 1.0309,
        None, "EPL", "Football", format_ms(quoted.clock.now), None,
    )  # fmt: skip
    exhaust(quoted.board.merge_value_bets([bet]))
    panel = ExplainPanel(quoted.board, theme, quoted.clock)
    qtbot.addWidget(panel)
    panel.show()
    wanted: list[str] = []
    panel.game_wanted.connect(wanted.append)
    panel.show_price(price(quoted, "Over 2.5", "Matchbook", "total"))
    quoted.load()
    qtbot.waitUntil(lambda: panel.said is not None and not panel.said.from_row, timeout=2_000)
    assert wanted == [quoted.id]
    panel.close_panel()


def test_the_others_together_are_heard_below_the_methods(panel: ExplainPanel, quoted: Any) -> None:
    goals = {"Over 3.5": {}, "Under 3.5": {}}
    for name, over in {"Pinnacle": 2.5, "A": 2.4, "B": 2.45, "C": 2.35, "D": 2.7}.items():
        goals["Over 3.5"][name], goals["Under 3.5"][name] = over, 1.55
    quoted.quote("total", goals)
    quoted.load()
    panel.show_price(price(quoted, "Over 3.5", "D", "total"))
    assert panel.said is not None
    assert panel.said.consensus is not None
    *_, last = panel.methods.facts
    assert (last.title, last.figure) == ("Consensus of 3 others", "+4.17 %")
    assert last.note == f"{panel.said.consensus.fair_odds:.4f}"


def test_votes_that_are_shared_and_bookmakers_without_one_are_listed(
    panel: ExplainPanel, quoted: Any
) -> None:
    brands = ("Casumo", "betPARX", "Bally Bet")
    offers = dict.fromkeys(("Smarkets", "bwin", "Unibet", *brands), (1.9, 1.92))
    offers |= {"Betsson": (3.2, 1.35), "Exchange": (1.01, 1.01), "Half": (1.9,)}
    for bookmaker, odds in offers.items():
        for selection, price_of in zip(("Over 4.5", "Under 4.5"), odds, strict=False):
            quoted.tell(bookmaker, "total", selection, price_of)
    profiles = [Profile(name=name, group=name, supplier="Kambi") for name in brands]
    quoted.board.set_profiles(Profiles(profiles))
    quoted.board.choose_reference(CONSENSUS)
    panel.show_price(price(quoted, "Over 4.5", "bwin", "total"))
    assert [(fact.title, fact.figure) for fact in panel.votes.facts] == [
        ("Votes in the consensus", "3"),
        ("One vote, Kambi: Bally Bet, Casumo, betPARX", ""),
        ("No vote", "3"),
        ("Betsson: outlier: Over 4.5 28.6 %, the others 50.3 %", ""),
        ("Exchange: placeholder prices", ""),
        ("Half: does not price every outcome", ""),
    ]
    assert panel.votes.isVisible()
    panel.show_price(price(quoted, "Over 4.5", "Casumo", "total"))
    said = [fact.title for fact in panel.votes.facts]
    assert "betPARX: shares a vote with the bookmaker being valued: Kambi" in said


def test_learned_weights_are_shown_with_the_votes(panel: ExplainPanel, quoted: Any) -> None:
    for bookmaker in ("Smarkets", "bwin", "Unibet", "Betsson"):
        for selection in ("Over 4.5", "Under 4.5"):
            quoted.tell(bookmaker, "total", selection, 1.9)
    weights = {"Smarkets": 2.5, "Unibet": 0.3, "Betsson": 0.2}
    learned = MarketWeights(
        sport="Football",
        market_type="total",
        period=0,
        method=DEFAULT_METHOD,
        weights=weights,
        games=1_000,
        first_day="2023-08-11",
        last_day="2025-05-25",
        reference="Pinnacle",
        gain=0.002,
        gain_low=0.001,
        gain_high=0.003,
        is_better=True,
    )
    quoted.board.set_learned(LearnedWeights([learned]))
    quoted.board.choose_reference(LEARNED)
    panel.show_price(price(quoted, "Over 4.5", "bwin", "total"))
    assert [(fact.title, fact.figure or fact.note) for fact in panel.votes.facts] == [
        ("Votes in the consensus", "3"),
        ("Weights: learned from 1,000 games up to 2025-05-25", ""),
        ("Weight of Smarkets", "2.5"),
        ("Weight of Unibet", "0.3"),
        ("Weight of Betsson", "0.2"),
    ]


def test_the_best_prices_are_written_in_the_style_of_the_desk(
    quoted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = explain(quoted.board, price(quoted, "Over 2.5", "Matchbook", "total"), quoted.clock())
    assert said is not None
    assert titles(facts.best_prices(said))["Best of all"] == "2.00"
    monkeypatch.setattr(formatting, "_style", AMERICAN)
    assert titles(facts.best_prices(said))["Best of all"] == "+100"
