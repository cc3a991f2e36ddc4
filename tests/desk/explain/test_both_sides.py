"""Explain shows what can be backed and laid at an exchange, and what a lay is worth."""

from typing import Any

import pytest
from PySide6.QtGui import QGuiApplication

from oddsdesk.board.model.matrix import RowKey
from oddsdesk.board.valuation.explaining import explain
from oddsdesk.board.valuation.verdict_words import explanation_text
from oddsdesk.contract.resources import Offer
from oddsdesk.desk.explain.panel import ExplainPanel
from oddsdesk.pricing.profiles import Profile, Profiles


def test_back_and_lay_stand_side_by_side_with_the_ev_of_a_lay(
    panel: ExplainPanel, quoted: Any
) -> None:
    """2.00 is fair on either side. A unit of liability at 2.05 and 2 % pays 1 + 0.98 / 1.05."""
    quoted.board.set_profiles(Profiles([Profile(name="Matchbook", group="", commission=0.02)]))
    quoted.clock.now += 1
    book = Offer(back=((2.0, 55.0), (1.98, 9.5)), lay=((2.05, 1120.5),), currency="GBP")
    quoted.tell_books("Matchbook", "total", {"Over 2.5": book})
    key = RowKey(quoted.id, "total", 0, "Over 2.5", "Matchbook")
    panel.show_price(key)
    told = {fact.title: fact.figure for fact in panel.arithmetic.facts}
    assert told["Back 2.00 / lay 2.05"] == "55 / 1,120"
    assert told["Back 1.98 / lay –"] == "9.50 / –"
    assert told["Spread vs back odds"] == "2.50 %"
    ev = (1 + 0.98 / 1.05) / 2 * 100 - 100
    assert told["EV of a lay at 2.05"] == f"{ev:+.2f} %".replace("-", "−")
    assert not any(title.startswith("Available") for title in told)
    said = explain(quoted.board, key, quoted.clock())
    assert said is not None
    assert "Available to lay: 1,120.50 GBP at 2.05" in explanation_text(said)


def test_the_headline_of_a_lay_that_is_selected_is_that_of_the_lay(
    panel: ExplainPanel, quoted: Any
) -> None:
    quoted.board.set_profiles(Profiles([Profile(name="Matchbook", group="", commission=0.02)]))
    quoted.clock.now += 1
    book = Offer(back=((1.8, 55.0),), lay=((2.05, 1120.5),), currency="GBP")
    quoted.tell_books("Matchbook", "total", {"Over 2.5": book})
    key = RowKey(quoted.id, "total", 0, "Over 2.5", "Matchbook")
    panel.show_price(key)
    back = panel.big.text()
    panel.show_price(key, is_lay=True)
    ev = f"{(1 + 0.98 / 1.05) / 2 * 100 - 100:+.2f} %".replace("-", "−")
    assert panel.big.text() == ev != back
    assert "Lay Over 2.5" in panel.title.text()
    assert "2.05" in panel.title.text()
    assert "per unit of liability" in panel.note.text()
    told = {fact.title: fact.figure for fact in panel.arithmetic.facts}
    assert told["Net odds of the lay at 2.05"] == "1.9333"
    assert told["Fair odds that Over 2.5 does not win"] == "2.00"
    assert told["To back it at 1.80 instead"] == back
    assert not panel.methods.facts, "they are of the back"
    panel.copy_explanation()
    copied = QGuiApplication.clipboard().text().splitlines()
    assert copied[0] == f"Lay Over 2.5 at Matchbook, 2.05: EV {ev} of the liability"
    panel.show_price(key)
    assert panel.big.text() == back
    panel.show_price(RowKey(quoted.id, "total", 0, "Over 2.5", "Bovada"), is_lay=True)
    assert panel.cautions.text().startswith("No lay odds here now.")


def test_a_lay_of_an_unknown_amount_is_explained_without_one(
    panel: ExplainPanel, quoted: Any
) -> None:
    quoted.clock.now += 1
    quoted.tell_books("Matchbook", "total", {"Over 2.5": Offer(lay=((2.5, 0.0),))})
    key = RowKey(quoted.id, "total", 0, "Over 2.5", "Matchbook")
    panel.show_price(key)
    figures = {fact.title: fact.figure for fact in panel.arithmetic.facts}
    (back,) = (title for title in figures if title.startswith("Back"))
    assert back.endswith("/ lay 2.50")
    assert figures[back] == "– / –"
    said = explain(quoted.board, key, quoted.clock())
    assert said is not None
    assert "Available to lay: 2.5" in explanation_text(said)


@pytest.mark.parametrize("bookmaker", ["Matchbook", "Bovada"])
def test_where_nothing_can_be_laid_nothing_is_said_of_it(
    panel: ExplainPanel, quoted: Any, bookmaker: str
) -> None:
    panel.show_price(RowKey(quoted.id, "total", 0, "Over 2.5", bookmaker))
    assert not any("lay" in fact.title for fact in panel.arithmetic.facts)


def test_the_middle_of_an_exchange_stands_with_what_it_is_between(
    panel: ExplainPanel, quoted: Any
) -> None:
    """50 at 2.00 and 60 at 2.06: (100 + 123.6) / (123.6 / 2 + 100 / 2.06) is between them."""
    quoted.clock.now += 1
    books = {
        "Over 2.5": Offer(back=((2.0, 50.0),), lay=((2.06, 60.0),)),
        "Under 2.5": Offer(back=((1.95, 50.0),), lay=((2.0, 50.0),)),
    }
    quoted.tell_books("Matchbook", "total", books)
    quoted.board.choose_reference("Matchbook, mid")
    panel.show_price(RowKey(quoted.id, "total", 0, "Over 2.5", "Bovada"))
    told = {fact.title: fact.figure for fact in panel.arithmetic.facts}
    middle = float(told["Over 2.5, back 2.00 / lay 2.06"].removeprefix("mid "))
    assert middle == pytest.approx((100 + 123.6) / (123.6 / 2 + 100 / 2.06), abs=1e-3)
    assert "Under 2.5, back 1.95 / lay 2.00" in told
