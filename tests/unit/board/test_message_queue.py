"""Stream messages on their way to the board: those of games in sight never wait for a round."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from oddsdesk.board import message_queue
from oddsdesk.board.board import Board
from oddsdesk.board.matrix import CellKey
from oddsdesk.board.message_queue import MessageQueue
from oddsdesk.contract.identity import game_id
from oddsdesk.tasks import spawn, stop
from tests.kit.board import NOW, message

SEEN, UNSEEN = "A - B", "C - D"
DRAW = CellKey("moneyline", 0, "Draw", "Betfair")
TURNS = 100


class Queue:
    """A queue at work, and a loop whose time stands still until it is told."""

    def __init__(self) -> None:
        self.now = 100.0
        self.board = Board(lambda: NOW)
        self.board.want_rows(True)
        self.board.in_grid = {game_id("EPL", SEEN)}
        self.queue = MessageQueue(self.board)

    async def later(self, seconds: float = 0.0) -> None:
        """Let everything be done that is due after so long."""
        self.now += seconds
        for _ in range(TURNS):
            await asyncio.sleep(0)

    async def put_many(self) -> None:
        """Have many messages taken in of a game that nobody sees."""
        self.queue.put([message("Draw", 2 + n / 1_000, match_name=UNSEEN) for n in range(300)])
        await self.later()

    def move(self, odds: float) -> None:
        self.queue.put([message("Draw", odds, match_name=name) for name in (UNSEEN, SEEN)])

    def odds(self) -> list[float | None]:
        prices = [self.board.price(game_id("EPL", name), DRAW) for name in (UNSEEN, SEEN)]
        return [price and price.odds for price in prices]


@pytest.fixture
async def held(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Queue]:
    made = Queue()
    monkeypatch.setattr(asyncio.get_running_loop(), "time", lambda: made.now)
    running = spawn("messages", made.queue.run())
    yield made
    await stop(running)


async def test_after_many_messages_those_of_games_out_of_sight_wait_for_more(held: Queue) -> None:
    await held.put_many()
    held.move(3.5)
    await held.later(0.2)
    assert held.odds() == [2.299, 3.5]
    held.move(3.6)
    await held.later(0.04)
    assert held.odds() == [2.299, 3.6]
    await held.later(0.02)
    assert held.odds() == [3.6, 3.6]


async def test_of_few_messages_none_waits(held: Queue) -> None:
    held.move(3.5)
    await held.later()
    assert held.odds() == [3.5, 3.5]
    held.move(3.6)
    await held.later(0.003)
    assert held.odds() == [3.6, 3.6]


async def test_where_there_is_no_room_for_more_none_waits(
    held: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    await held.put_many()
    monkeypatch.setattr(message_queue, "_FULL", 4)
    held.move(3.5)
    await held.later()
    assert held.odds() == [2.299, 3.5]
    held.move(3.6)
    held.move(3.7)
    held.move(3.8)
    await held.later()
    assert held.odds() == [3.8, 3.8]
    await asyncio.wait_for(held.queue.room(), 1)
