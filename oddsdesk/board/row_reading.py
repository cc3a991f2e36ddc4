"""Reading all rows of the odds grid, pass after pass, with progress."""

import asyncio
from contextlib import aclosing
from typing import Final

import msgspec

from oddsdesk.board.board import Board
from oddsdesk.board.connection import SnapshotProgress
from oddsdesk.board.games import GameEntry
from oddsdesk.board.reading_plan import ROWS, ReadingPlan, open_game, watched_competition
from oddsdesk.client.budget import Budget
from oddsdesk.client.client import Client
from oddsdesk.client.row_slices import RowSlice
from oddsdesk.client.whole_lists import LIMIT
from oddsdesk.client.whole_odds import WholeOdds
from oddsdesk.clock import Clock
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
        self._all = WholeOdds(client, clock=clock)
        self._some: dict[str, WholeOdds] = {}
        """By the code of a competition that is read between passes over all."""
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

    def start_over(self) -> None:
        """Begin the next pass from the start: what was read by now may have changed unheard."""
        self._all.start_over()

    @property
    def began_ms(self) -> int:
        """When the latest pass began, maybe before the quota stopped it for a while."""
        return self._all.began_ms

    async def read(self) -> None:
        """Make one pass; prices become withdrawn that what it read whole does not contain."""
        await self._going_on.wait()
        rows = 0
        async with aclosing(self._all.read()) as slices:
            async for part in slices:
                await in_slices(self._board.merge_rows(part.rows, self.began_ms), _SLICE_S)
                rows += len(part.rows)
                finished_at = self._board.snapshot_progress.finished_at
                self._tell(
                    SnapshotProgress(part.done, part.total, rows, self._all.lacks(), finished_at)
                )
                self._expect(max(self._plan.pages[ROWS], part.total or part.done))
                await self._going_on.wait()
                if part.done != part.total:
                    await self._requests_left()
        done, unread = self._all.requests, self._all.unread
        await in_slices(
            self._board.withdrawing_unheard(self.began_ms, self._all.coverage), _SLICE_S
        )
        self._expect(done)
        self._plan.full_pages[ROWS] = min(done, max(rows / LIMIT, 1))
        self._took_ms = self._clock() - self.began_ms
        self._tell(SnapshotProgress(done, done, rows, unread, self._clock()))

    async def read_competition(self, code: str) -> None:
        """Read the prices of one competition, between passes over all."""
        reading = self._of(code)
        async with aclosing(reading.read()) as slices:
            async for part in slices:
                await in_slices(self._board.merge_rows(part.rows, reading.began_ms), _SLICE_S)
        await in_slices(
            self._board.withdrawing_unheard(reading.began_ms, reading.coverage), _SLICE_S
        )
        self._plan.pages[watched_competition(code)] = reading.requests

    async def read_game(self, game: GameEntry) -> int:
        """Read the prices of one game among those of its competition; return when it began."""
        reading = self._of(game.competition)
        async with aclosing(reading.read()) as slices:
            async for part in slices:
                rows = [row for row in part.rows if row.match_name == game.match_name]
                await in_slices(self._board.merge_rows(rows, reading.began_ms), _SLICE_S)
        await in_slices(
            self._board.withdrawing_unheard(reading.began_ms, reading.coverage, game.game_id),
            _SLICE_S,
        )
        self._plan.pages[open_game(game.game_id)] = reading.requests
        return reading.began_ms

    def _of(self, code: str) -> WholeOdds:
        """Return what reads a competition, and knows how it is cut."""
        if code not in self._some:
            filters = RowSlice(competition=code)
            self._some[code] = WholeOdds(self._client, filters, clock=self._clock)
        return self._some[code]

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
