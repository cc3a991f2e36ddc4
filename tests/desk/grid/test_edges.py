"""The odds grid states an edge only where the prices can be compared."""

import pytest

from oddsdesk.base.tasks import exhaust
from oddsdesk.board.board import Board
from oddsdesk.contract.resources import OddsRow
from oddsdesk.contract.times import format_ms
from oddsdesk.desk.grid.columns import BY_KEY
from oddsdesk.desk.grid.model import GridModel
from tests.kit.quoted_game import NOW_MS, REFERENCE

HOCKEY = ("NHL", "Winnipeg Jets vs San Jose Sharks", "Hockey")
TWO_WAY = {"Winnipeg Jets": 1.62, "San Jose Sharks": 2.37}
THREE_WAY = {"Winnipeg Jets": 2.1, "Draw": 4.2, "San Jose Sharks": 3.35}


def row(bookmaker: str, odds: dict[str, float], *, live: bool = False) -> OddsRow:
    competition, name, sport = HOCKEY
    liquidity = 1_000.0 if bookmaker == REFERENCE else None
    now = format_ms(NOW_MS)
    return OddsRow(
        bookmaker, name, competition, sport, "moneyline", 0, live, odds, now, now, None, liquidity
    )


@pytest.fixture
def edges(qtbot) -> dict[str, str]:
    """The edge of San Jose Sharks as the grid shows it, by bookmaker."""
    board = Board(lambda: NOW_MS)
    board.keep_all_rows(True)
    model = GridModel(board, lambda: NOW_MS)
    exhaust(
        board.merge_rows(
            [
                row(REFERENCE, TWO_WAY),
                row("Overtime", {"Winnipeg Jets": 1.6, "San Jose Sharks": 2.55}),
                row("Regulation", THREE_WAY),
                row("In play", {"Winnipeg Jets": 1.2, "San Jose Sharks": 4.5}, live=True),
            ]
        )
    )
    qtbot.waitUntil(lambda: model.total == 9)
    model.arrange()
    texts = {
        model.cell(place, BY_KEY["bookmaker"]).text: model.cell(place, BY_KEY["ev_pct"]).text
        for place in range(model.rowCount())
        if model.cell(place, BY_KEY["selection"]).text == "San Jose Sharks"
    }
    model.stop_listening()
    return texts


def test_a_price_of_the_same_bet_has_its_edge(edges: dict[str, str]):
    # S 1.039222, fair 2 * 2.37 / (2 - 0.039222 * 2.37) = 2.485525
    assert edges["Overtime"] == "+2.6 %"


def test_a_price_of_another_bet_has_no_edge_however_high_it_is(edges: dict[str, str]):
    assert edges["Regulation"] == ""


def test_a_price_in_play_is_not_judged_by_a_reference_before_the_game(edges: dict[str, str]):
    assert edges["In play"] == ""
