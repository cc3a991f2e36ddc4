"""Reading all rows of the odds grid, pass after pass, with progress."""

import asyncio
from contextlib import aclosing
from typing import Final

import msgspec

from oddsdesk.board.board import Board
from oddsdesk.board.connection import SnapshotProgress
from oddsdesk.client.budget import Budget
from oddsdesk.client.client import Client
from oddsdesk.client.whole_lists import all_rows
from oddsdesk.clock import Clock
from oddsdesk.slices import in_slices

ROWS: Final = "rows"
"""The name of the job in ``Poller`` and ``Budget``."""
_FIRST: Final = 30
"""The requests that a pass is assumed to need until one was made."""
_REQUEST_S: Final = 0.3
"""Seconds for each request of a pass, at least: the desk has to take the rows in, too."""


def shortest_s(requests: int, least_s: float, period_s: float) -> float:
    """Return the least seconds between two passes, even where requests are plenty."""
    return min(period_s, max(least_s, requests * _REQUEST_S))


class RowReader:
    """Makes passes over every odds row; between two of them lie ``period_s`` seconds.

    Where requests are to spare, as few as ``least_s``; more where there are many rows.
    """

    def __init__(
        self,
        client: Client,
        board: Board,
        clock: Clock,
        budget: Budget,
        period_s: float,
        least_s: float,
    ) -> None:
        self.requests = _FIRST
        """How many a pass needs."""
        self.period_s = period_s
        self.least_s = self._least_s = least_s
        self._client = client
        self._board = board
        self._clock = clock
        self._budget = budget
        self._took_ms = 0
        self._going_on = asyncio.Event()
        self._going_on.set()

    def pause(self, paused: bool) -> None:
        """Stop after the request under way, or go on."""
        if paused:
            self._going_on.clear()
        else:
            self._going_on.set()
        self._tell(self._board.snapshot_progress)

    def turn_ms(self) -> int:
        """Return the milliseconds between two readings of a row."""
        return round(self._budget.period_s(ROWS) * 1000) + self._took_ms

    async def read(self) -> None:
        """Make one pass; prices that it does not contain become withdrawn."""
        await self._going_on.wait()
        since = self._clock()
        rows, cut, done = 0, list[str](), 0
        async with aclosing(all_rows(self._client)) as slices:
            async for part in slices:
                await in_slices(self._board.merge_rows(part.rows, since))
                rows, done = rows + len(part.rows), part.done
                if part.cut is not None:
                    cut.append(part.cut)
                finished_at = self._board.snapshot_progress.finished_at
                self._tell(SnapshotProgress(done, part.total, rows, tuple(cut), finished_at))
                self._expect(max(self.requests, part.total or done))
                await self._going_on.wait()
        if not cut:
            await in_slices(self._board.withdrawing_unheard(since))
        self._expect(done)
        self._took_ms = self._clock() - since
        self._tell(SnapshotProgress(done, done, rows, tuple(cut), self._clock()))

    def _expect(self, requests: int) -> None:
        self.requests = requests
        self.least_s = shortest_s(requests, self._least_s, self.period_s)
        self._budget.plan(ROWS, requests, self.period_s, self.least_s)

    def _tell(self, snapshot_progress: SnapshotProgress) -> None:
        is_paused = not self._going_on.is_set()
        self._board.set_snapshot_progress(
            msgspec.structs.replace(snapshot_progress, is_paused=is_paused)
        )
