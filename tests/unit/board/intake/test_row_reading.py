"""Reading all rows: what the stream says meanwhile goes before the rest of a pass."""

from collections.abc import Awaitable, Callable
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest

from oddsdesk.base import tasks
from oddsdesk.base.tasks import cancel_tasks, exhaust, spawn
from oddsdesk.board.board import Board
from oddsdesk.board.intake.reading_plan import Pace, ReadingPlan, RowReader
from oddsdesk.board.intake.sync import MessageQueue
from oddsdesk.board.model.notices import MatrixLoaded, Notice, PricesChanged, RowsChanged
from oddsdesk.client.answers import Listing
from oddsdesk.client.quota import Budget
from oddsdesk.client.rows import KickOffs
from oddsdesk.client.whole_lists import AnswerSize
from oddsdesk.contract.resources import OddsRow
from tests.kit.board import GAME, NOW, matrix, message, odds_row

STEP_S = 0.0001
"""What a step takes by this test's clock; a game's row takes two."""
MOST_GAMES = 10
"""Of a pass, while a message waits: what two milliseconds hold."""


@pytest.fixture(autouse=True)
def time_by_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let time pass with each step that is cut into slices, so that chance has no part."""
    ticks = count()
    clock = SimpleNamespace(perf_counter=lambda: next(ticks) * STEP_S)
    monkeypatch.setattr(tasks, "time", clock)


class RowsClient:
    """Answers with a row of each of 399 games."""

    kick_offs = KickOffs()

    async def odds(self, **_asked: Any) -> Listing[OddsRow]:
        odds = {"A": 2.0, "B": 1.8}
        names = (f"A - B{number}" for number in range(399))
        return Listing([odds_row("Betfair", odds, match_name=name) for name in names])

    def answer_size(self, _name: str) -> AnswerSize:
        return AnswerSize(500)


@pytest.mark.parametrize(
    "read",
    [RowReader.read_rows, lambda reader: reader.read_competition("EPL")],
    ids=["all", "some"],
)
async def test_a_stream_message_goes_before_the_rest_of_a_pass(
    read: Callable[[RowReader], Awaitable[None]],
) -> None:
    board = Board(lambda: NOW)
    exhaust(board.merge_matrix(matrix()))
    queue = MessageQueue(board)
    plan = ReadingPlan(board, lambda: NOW, Pace())
    reader = RowReader(RowsClient(), board, lambda: NOW, Budget(lambda: NOW, lambda: None), plan)
    told_at: list[int] = []
    applied_at: list[int] = []

    def hear(notice: Notice) -> None:
        if isinstance(notice, PricesChanged) and notice.game_id == GAME:
            applied_at.append(len(board.held_games()))
        elif len(board.held_games()) == 50 and not told_at:
            told_at.append(50)
            queue.put_messages([message("Draw", 3.9)])

    board.subscribe(hear, MatrixLoaded, PricesChanged, RowsChanged)
    taking_in = spawn("messages", queue.take_in_messages())
    await read(reader)
    await cancel_tasks(taking_in)
    assert len(board.held_games()) == 400
    assert len(applied_at) == 1
    assert told_at[0] < applied_at[0] <= told_at[0] + MOST_GAMES
