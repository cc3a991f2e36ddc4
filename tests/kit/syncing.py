"""A board kept current from a service, and what tests read off it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from oddsdesk.base.clock import Clock, system_clock
from oddsdesk.board.board import Board
from oddsdesk.board.intake.reading_plan import Pace
from oddsdesk.board.intake.sync import Sync
from oddsdesk.board.model.matrix import CellKey
from oddsdesk.client.client import Client
from tests.kit.board import GAME
from tests.kit.board_service import CALM

DRAW = CellKey("moneyline", 0, "Draw", "Betfair")
QUICK = Pace(games_s=0.1, matrix_s=0.1, value_bets_s=0.1, rows_s=0.2, health_s=0.1)


@asynccontextmanager
async def syncing(
    url: str, key: str, pace: Pace = CALM, clock: Clock = system_clock
) -> AsyncIterator[tuple[Board, Sync]]:
    """A board kept current, as the desk has it."""
    board = Board(clock)
    async with Client(url, key, keeps_quota=True) as client:
        sync = Sync(client, board, clock, pace=pace, randomness=lambda: 0.0)
        sync.start_reading()
        try:
            yield board, sync
        finally:
            await sync.stop_reading()


def odds(board: Board, key: CellKey = DRAW) -> float | None:
    price = board.price(GAME, key)
    return None if price is None else price.odds
