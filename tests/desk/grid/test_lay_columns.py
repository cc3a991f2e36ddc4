"""What can be laid at exchanges, and how far that is from what can be backed, in the odds grid."""

import pytest

from oddsdesk.contract.resources import Offer
from oddsdesk.desk.grid.columns import BY_KEY
from oddsdesk.desk.grid.entries import Shape
from oddsdesk.desk.grid.filter import GridFilter, Range, chips, words_of
from oddsdesk.pricing.profiles import Profile, Profiles
from tests.kit.grid import BOOKMAKER, ODDS, SELECTION, shown, sorted_by, take_in

LAY, SPREAD = BY_KEY["lay_odds"], BY_KEY["lay_spread_pct"]
BEST = BY_KEY["best_odds"]


def book(back: float, *lays: float) -> Offer:
    return Offer(back=((back, 55.0),), lay=tuple((each, 120.0) for each in lays), currency="GBP")


@pytest.fixture
def laid(model, quoted, qtbot):
    """Matchbook takes 2 % of a win; Unibet nothing: 2.06 there pays more than 2.05."""
    quoted.board.set_profiles(Profiles([Profile(name="Matchbook", group="", commission=0.02)]))
    quoted.clock.now += 1
    quoted.tell_books("Matchbook", "total", {"Over 2.5": book(2.0, 2.05, 2.1)})
    quoted.tell_books("Unibet", "total", {"Over 2.5": book(1.98, 2.06)})
    quoted.tell("Betsson", "total", "Over 2.5", 2.10)
    take_in(model, qtbot)
    model.arrange()
    return model


def test_a_price_shows_what_can_be_laid_there_and_how_far_above_it_is(laid):
    laid.show(GridFilter(words=words_of("over")))
    sorted_by(laid, "lay_spread_pct", descending=False)
    assert shown(laid, BOOKMAKER, ODDS, LAY, SPREAD)[:3] == [
        ("Matchbook", "2.00", "2.05", "+2.5 %"),
        ("Unibet", "1.98", "2.06", "+4.0 %"),
        ("Betsson", "2.10", "", ""),
    ]


def test_a_selection_shows_the_lay_that_pays_most_and_the_spread_to_the_best_price(
    laid, quoted, qtbot
):
    laid.show_as(Shape.SELECTIONS, grouped=False)
    sorted_by(laid, "lay_odds", descending=False)
    assert shown(laid, SELECTION, LAY, SPREAD)[0] == ("Over 2.5", "2.06", "−1.9 %")
    assert laid.cell(0, LAY).note == "Unibet"
    assert "Best lay 2.06 at Unibet" in laid.tip(0, LAY)
    quoted.board.set_bookmakers(["Matchbook", "Betsson"])
    take_in(laid, qtbot)
    assert laid.cell(0, LAY).text == "2.05"


def test_rows_are_filtered_by_the_spread(laid):
    chosen = GridFilter(lay_spread=Range(None, 3))
    laid.show(chosen)
    assert shown(laid, BOOKMAKER, SPREAD) == [("Matchbook", "+2.5 %")]
    assert chips(chosen) == [("lay_spread", "Lay spread ≤ 3 %")]


def test_the_tooltip_of_a_price_has_the_levels_of_both_sides(laid):
    laid.show(GridFilter(words=words_of("over matchbook")))
    assert "back: 55.00 GBP at 2\nlay: 120.00 GBP at 2.05, 120.00 GBP at 2.1" in laid.tip(0, ODDS)


def test_a_price_that_is_gone_cannot_be_laid(laid, quoted, qtbot):
    quoted.clock.now += 1
    quoted.tell_books("Matchbook", "total", {"Over 2.5": book(2.0)})
    take_in(laid, qtbot)
    laid.show(GridFilter(words=words_of("over matchbook")))
    assert shown(laid, LAY, SPREAD) == [("", "")]


@pytest.mark.parametrize("shape", Shape)
def test_the_price_of_the_column_of_lays_is_a_lay(panel, quoted, qtbot, shape):
    quoted.clock.now += 1
    quoted.tell_books("Matchbook", "total", {"Over 2.5": book(2.0, 2.05)})
    quoted.tell_books("Unibet", "total", {"Over 2.5": book(1.98, 2.04)})
    take_in(panel.model, qtbot)
    panel.model.show_as(shape, grouped=False)
    panel.model.show(GridFilter(words=words_of("over")))
    sorted_by(panel.model, "lay_odds", descending=False)
    facts = panel.facts(panel.model.index(0, LAY))
    assert (facts.odds, facts.is_lay, facts.key.bookmaker) == (2.04, True, "Unibet")
    assert not panel.facts(panel.model.index(0, ODDS)).is_lay
    with qtbot.waitSignal(panel.lay_selected) as chosen:
        panel.table.set_current(0, LAY)
    assert chosen.args == [facts.key]
    with qtbot.waitSignal(panel.price_selected):
        panel.table.set_current(0, ODDS)


def test_the_best_price_of_a_selection_can_be_a_lay_of_the_other_side(panel, quoted, qtbot):
    """A lay of Under at 1.95 backs Over at 1 + 1/0.95 = 2.05."""
    quoted.clock.now += 1
    quoted.tell_books(
        "Matchbook", "total", {"Under 2.5": book(1.9, 1.95), "Over 2.5": book(2, 2.1)}
    )
    take_in(panel.model, qtbot)
    panel.model.show_as(Shape.SELECTIONS, grouped=False)
    panel.model.show(GridFilter(words=words_of("over 2.5")))
    assert shown(panel.model, SELECTION, ODDS, BEST)[0] == ("Over 2.5", "L 2.05", "L 2.05")
    assert "Lay Under 2.5 at Matchbook 1.95: pays 2.05" in panel.model.tip(0, BEST)
    facts = panel.facts(panel.model.index(0, ODDS))
    assert (facts.is_lay, facts.odds) == (True, 1.95)
    assert (facts.key.selection, facts.key.bookmaker) == ("Under 2.5", "Matchbook")
