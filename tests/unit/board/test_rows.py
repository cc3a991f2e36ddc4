"""A row of the odds grid: its edge is stated only where the prices can be compared."""

import pytest

from oddsdesk.board.board import Board
from oddsdesk.board.matrix import RowKey
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.resources import OddsRow
from oddsdesk.contract.times import format_ms

from .conftest import NOW, REFERENCE, Desk

HOCKEY = ("NHL", "Winnipeg Jets vs San Jose Sharks", "Hockey")
TWO_WAY = {"Winnipeg Jets": 1.62, "San Jose Sharks": 2.37}
THREE_WAY = {"Winnipeg Jets": 2.1, "Draw": 4.2, "San Jose Sharks": 3.35}


def row(bookmaker: str, odds: dict[str, float], *, live: bool = False) -> OddsRow:
    competition, name, sport = HOCKEY
    liquidity = 1_000.0 if bookmaker == REFERENCE else None
    return OddsRow(
        bookmaker, name, competition, sport, "moneyline", 0, live, odds, format_ms(NOW),
        format_ms(NOW), None, liquidity,
    )  # fmt: skip


def edge(board: Board, bookmaker: str, selection: str) -> float | None:
    found = board.row(RowKey(game_id(*HOCKEY[:2]), "moneyline", 0, selection, bookmaker))
    assert found is not None
    return found.ev


@pytest.fixture
def board(desk: Desk) -> Board:
    desk.board.want_rows(True)
    desk.board.load_rows(
        [
            row(REFERENCE, TWO_WAY),
            row("Overtime", {"Winnipeg Jets": 1.6, "San Jose Sharks": 2.5}),
            row("Regulation", THREE_WAY),
            row("In play", {"Winnipeg Jets": 1.2, "San Jose Sharks": 4.5}, live=True),
        ]
    )
    return desk.board


def test_a_price_of_the_same_bet_has_its_edge(board: Board):
    # S 1.039222, fair 2 * 2.37 / (2 - 0.039222 * 2.37) = 2.485525, floor 1.01: 2.510380
    assert edge(board, "Overtime", "San Jose Sharks") == pytest.approx(-0.4137, abs=1e-4)


def test_a_price_of_another_bet_has_no_edge_however_high_it_is(board: Board):
    assert edge(board, "Regulation", "San Jose Sharks") is None


def test_a_price_in_play_is_not_judged_by_a_reference_before_the_game(board: Board):
    assert edge(board, "In play", "San Jose Sharks") is None
