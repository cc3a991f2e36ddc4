"""Waiting until something holds, as long as it may take and no longer."""

import asyncio
from collections.abc import Callable

from oddsdesk.board.board import Board

LIMIT_S = 30
BOARD_LIMIT_S = 30


async def until(holds: Callable[[], bool]) -> None:
    """Look again and again, for what tells nobody that it holds."""
    async with asyncio.timeout(LIMIT_S):
        while not holds():
            await asyncio.sleep(0.01)


async def until_told(board: Board, holds: Callable[[], bool]) -> None:
    """Wait for the notice of a board after which something holds."""
    heard = asyncio.Event()
    leave = board.subscribe(lambda _: heard.set())
    try:
        async with asyncio.timeout(BOARD_LIMIT_S):
            while not holds():
                heard.clear()
                await heard.wait()
    finally:
        leave()
