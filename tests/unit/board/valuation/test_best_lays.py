"""Best prices count lays: in a market of two sides, a lay of one is a back of the other."""

from collections.abc import Mapping

import pytest

from oddsdesk.base.tasks import exhaust
from oddsdesk.board.board import Board
from oddsdesk.board.model.matrix import Laid, Section
from oddsdesk.board.valuation.explaining import explain
from oddsdesk.board.valuation.verdict_words import explanation_text
from oddsdesk.contract.resources import OddsRow, Offer
from oddsdesk.pricing.profiles import Profile, Profiles
from tests.kit.board import GAME, NOW, Desk, odds_row, row_key

PROFILES = Profiles([Profile(name="Matchbook", group="Matchbook", commission=0.02)])
BACKS = {"Over 2.5": 2.0, "Under 2.5": 1.8}
LAYS = {"Over 2.5": 2.05, "Under 2.5": 1.9}
"""A lay of Under at 1.90 backs Over at 1 + 1/0.9 = 2.111, after 2 % commission 2.089."""


def exchange(
    lays: Mapping[str, float], name: str = "Matchbook", at: int = NOW, kind: str = "total"
) -> OddsRow:
    backs = {side: BACKS.get(side, odds - 0.05) for side, odds in lays.items()}
    offers = {
        side: Offer(back=((backs[side], 55.0),), lay=((odds, 100.0),))
        for side, odds in lays.items()
    }
    return odds_row(name, backs, at=at, market_type=kind, offers=offers)


def board_of(*rows: OddsRow) -> Board:
    board = Desk().board
    board.set_profiles(PROFILES)
    exhaust(board.merge_rows(list(rows)))
    return board


def section_of(board: Board, selection: str = "Over 2.5", kind: str = "total") -> Section:
    section = board.section(GAME, kind, 0, selection)
    assert section is not None
    return section


def lay_of(board: Board, selection: str = "Over 2.5", kind: str = "total") -> Laid | None:
    return section_of(board, selection, kind).selection_row(selection).lay_instead


def book(over: float, under: float, at: int = NOW) -> OddsRow:
    return odds_row("Unibet", {"Over 2.5": over, "Under 2.5": under}, at=at, market_type="total")


def test_a_lay_of_the_other_side_that_pays_more_is_the_best_price() -> None:
    board = board_of(exchange(LAYS), book(2.08, 1.8))
    found = lay_of(board)
    assert found is not None
    assert found[:3] == ("Under 2.5", "Matchbook", 1.9)
    assert found.odds == pytest.approx(1 + 1 / 0.9)
    assert found.net == pytest.approx(1 + 0.98 / 0.9)
    assert section_of(board).selection_row("Over 2.5").best == 2.08
    assert lay_of(board, "Under 2.5") is not None


def test_a_back_that_pays_more_stays_the_best_price() -> None:
    assert lay_of(board_of(exchange(LAYS), book(2.09, 1.8))) is None


@pytest.mark.parametrize("under", [1.95, None])
def test_a_lay_that_moves_or_goes_renews_the_price_of_the_other_side(under: float | None) -> None:
    board = board_of(exchange(LAYS), book(2.08, 1.8))
    assert lay_of(board) is not None
    left = {"Over 2.5": 2.05} if under is None else LAYS | {"Under 2.5": under}
    offers = {
        side: Offer(back=((BACKS[side], 55.0),), lay=((left[side], 100.0),) if side in left else ())
        for side in BACKS
    }
    later = odds_row("Matchbook", BACKS, at=NOW + 1, market_type="total", offers=offers)
    exhaust(board.merge_rows([later]))
    assert lay_of(board) is None


def test_only_the_users_bookmakers_lay_for_the_best_of_mine() -> None:
    board = board_of(exchange(LAYS), book(2.08, 1.8))
    board.set_bookmakers(["Unibet"])
    offers = section_of(board).selection_row("Over 2.5").offer.found()
    assert offers.lay is None
    assert offers.lay_of_all is not None
    assert offers.lay_of_all.bookmaker == "Matchbook"


def test_of_three_sides_a_lay_of_one_is_no_back_of_another() -> None:
    lays = {"Arsenal": 1.5, "Draw": 3.6, "Chelsea": 4.0}
    board = board_of(exchange(lays, kind="moneyline"))
    assert [lay_of(board, name, "moneyline") for name in lays] == [None] * 3


def test_explain_names_the_lay_that_is_the_best_price() -> None:
    board = board_of(
        exchange(LAYS),
        book(2.08, 1.8),
        odds_row("Pinnacle", {"Over 2.5": 1.95, "Under 2.5": 1.95}, market_type="total"),
    )
    said = explain(board, row_key("Over 2.5", "Unibet", "total"), NOW)
    assert said is not None
    lay = "Lay Under 2.5 at Matchbook 1.90: pays 2.09 after commission"
    assert lay in explanation_text(said)
