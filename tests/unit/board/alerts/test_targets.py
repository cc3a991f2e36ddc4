"""A target on a cell: which price is worth waiting for, and which rule stands there already."""

import pytest

from oddsdesk.board.alerts.rules import AlertSettings, TargetRule, ValueRule
from oddsdesk.board.alerts.targets import TargetCell, target_cell, target_of
from oddsdesk.board.matrix import Doubted
from oddsdesk.pricing.assessment import Caution
from oddsdesk.pricing.profiles import Profile, Profiles
from oddsdesk.slices import exhaust
from tests.kit.board import NAME, REFERENCE, Desk, Odds, matrix, row_key

ODDS: Odds = {
    REFERENCE: {"Over 2.5": 1.95, "Under 2.5": 1.95},
    "Betfair": {"Over 2.5": 1.98, "Under 2.5": 1.80},
    "Unibet": {"Over 2.5": 2.08, "Under 2.5": 1.95},
    "Bovada": {"Under 2.5": 1.95},
}


def cell(bookmaker: str | None, selection: str = "Over 2.5", commission: float = 0.0) -> TargetCell:
    desk = Desk()
    profile = Profile(name="Betfair", group="betfair", commission=commission)
    desk.board.set_profiles(Profiles([profile]))
    exhaust(desk.board.merge_matrix(matrix(ODDS, desk.now, market_type="total")))
    found = target_cell(desk.board, row_key(selection, bookmaker, "total"))
    assert found is not None
    return found


@pytest.mark.parametrize("commission", [0.0, 0.05])
def test_where_value_begins_is_worth_waiting_for(commission: float) -> None:
    found = cell("Betfair", commission=commission)
    ev = found.ev_at(found.suggested(), anywhere=False)
    assert ev is not None
    assert 1 <= ev < 1.6
    below = found.ev_at(found.suggested() - 0.011, anywhere=False)
    assert below is not None
    assert below < 1


def test_a_price_that_is_value_already_may_still_rise() -> None:
    assert cell("Unibet").suggested() == 2.13


def test_a_cell_without_a_price_has_a_target_too() -> None:
    found = cell("Bovada")
    assert (found.odds, found.best) == (None, 1.98)
    assert found.doubted == Doubted("Unibet", 2.08, 2.08, Caution.BOOK_BELOW_100)
    assert not found.is_doubted_alerted
    assert found.suggested() == pytest.approx(2.05, abs=0.02)


def test_the_references_cell_is_called_by_its_name() -> None:
    found = cell(None)
    assert (found.bookmaker, found.odds) == (REFERENCE, 1.95)


def test_nothing_is_asked_of_a_row_that_is_not_held() -> None:
    assert target_cell(Desk().board, row_key("Over 2.5", "Betfair", "total")) is None


def test_the_target_of_a_cell_is_its_own_else_that_of_any_bookmaker() -> None:
    found = cell("Betfair")
    anywhere = found.rule(2.2, anywhere=True)
    here = found.rule(2.3, anywhere=False)
    other = TargetRule(game=NAME, market="total", selection="Under 2.5", odds=2.2)
    rules = (ValueRule(), other, anywhere)
    assert target_of(AlertSettings(rules=rules), found) == anywhere
    assert target_of(AlertSettings(rules=(*rules, here)), found) == here
    assert target_of(AlertSettings(rules=(other,)), found) is None


def test_a_changed_target_goes_where_it_went() -> None:
    standing = TargetRule(
        name="Mine",
        channels=("phone",),
        game=NAME,
        market="total",
        selection="Over 2.5",
        odds=2.2,
    )
    changed = cell("Betfair").rule(2.5, anywhere=False, like=standing)
    assert (changed.name, changed.channels, changed.bookmaker) == ("Mine", ("phone",), "Betfair")
