"""What the board and the grid keep of a price, of which there may be 200,000."""

import gc
import tracemalloc

import pytest

from oddsdesk.base.tasks import exhaust
from oddsdesk.board.board import Board
from oddsdesk.desk.grid.model import GridModel
from tests.kit.board import NOW, odds_row
from tests.kit.grid import take_in

BYTES_A_PRICE = 410
"""What is kept of a game, a market and a selection is part of it."""
PRICES_A_GAME = 24 * 20
BOOKMAKERS = ("Pinnacle", *(f"Bookmaker {number:02}" for number in range(1, 20)))


@pytest.fixture
def grid(qtbot):
    board = Board(lambda: NOW)
    board.keep_all_rows(True)
    model = GridModel(board, lambda: NOW)
    exhaust(board.merge_rows(rows(0)))  # what is there once, however many prices come
    take_in(model, qtbot)
    model.arrange()
    yield board, model
    model.stop_listening()


def rows(game):
    """Half lines of each bookmaker, none of which is near to value."""
    for place, bookmaker in enumerate(BOOKMAKERS):
        odds = {}
        for line in range(1, 13):
            odds |= {f"Over {line}.5": 1.9 - place / 100, f"Under {line}.5": 1.9 - place / 200}
        yield odds_row(
            bookmaker, odds, market_type="total", match_name=f"Home {game} - Away {game}"
        )


def test_a_price_takes_little_memory(grid, qtbot):
    board, model = grid
    gc.collect()
    tracemalloc.start()
    try:
        for _reading in range(2):
            exhaust(board.merge_rows(row for game in range(1, 5) for row in rows(game)))
            take_in(model, qtbot)
        model.arrange()
        gc.collect()
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held / (model.total - PRICES_A_GAME) < BYTES_A_PRICE
