"""Reading all rows of the odds grid, pass after pass, with progress."""

import asyncio
from collections.abc import Awaitable
from contextlib import aclosing
from typing import Final

import msgspec

from oddsdesk.board.board import Board
from oddsdesk.board.connection import SnapshotProgress
from oddsdesk.board.reading_plan import ROWS, ReadingPlan, watched_competition
from oddsdesk.client.answers import Listing
from oddsdesk.client.budget import Budget
from oddsdesk.client.client import Client
from oddsdesk.client.paging import pages
from oddsdesk.client.whole_lists import LIMIT, all_rows
from oddsdesk.clock import Clock
from oddsdesk.contract.resources import OddsRow
from oddsdesk.slices import in_slices

_LOOK_AGAIN_S: Final = 10.0
_SLICE_S: Final = 0.001
"""How long the loop is held at a time: what the stream says goes first."""


class RowReader:
    """Makes passes over every odds row."""

    def __init__(
        self, client: Client, board: Board, clock: Clock, budget: Budget, plan: ReadingPlan
    ) -> None:
        self._client = client
        self._board = board
        self._clock = clock
        self._budget = budget
        self._plan = plan
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
                await in_slices(self._board.merge_rows(part.rows, since), _SLICE_S)
                rows, done = rows + len(part.rows), part.done
                if part.cut is not None:
                    cut.append(part.cut)
                finished_at = self._board.snapshot_progress.finished_at
                self._tell(SnapshotProgress(done, part.total, rows, tuple(cut), finished_at))
                self._expect(max(self._plan.pages[ROWS], part.total or done))
                await self._going_on.wait()
                if done != part.total:
                    await self._requests_left()
        if not cut:
            await in_slices(self._board.withdrawing_unheard(since), _SLICE_S)
        self._expect(done)
        self._took_ms = self._clock() - since
        self._tell(SnapshotProgress(done, done, rows, tuple(cut), self._clock()))

    async def read_competition(self, code: str) -> None:
        """Read the prices of one competition, between passes over all."""
        asked_at, done = self._clock(), 0

        def page(cursor: str | None) -> Awaitable[Listing[OddsRow]]:
            return self._client.odds(competition=code, limit=LIMIT, cursor=cursor)

        async with aclosing(pages(page, "odds")) as answers:
            async for answer in answers:
                await in_slices(self._board.merge_rows(answer, asked_at), _SLICE_S)
                done += 1
        self._plan.pages[watched_competition(code)] = done

    async def _requests_left(self) -> None:
        """Wait until more are left than what is kept for games that the user opens."""
        while True:
            if self._budget.spendable >= 1:
                return
            await asyncio.sleep(_LOOK_AGAIN_S)

    def _expect(self, requests: int) -> None:
        self._plan.pages[ROWS] = requests

    def _tell(self, snapshot_progress: SnapshotProgress) -> None:
        is_paused = not self._going_on.is_set()
        self._board.set_snapshot_progress(
            msgspec.structs.replace(snapshot_progress, is_paused=is_paused)
        )
