"""Reading all value bets, page after page, at a pace that the request budget allows."""

import asyncio
from contextlib import aclosing
from typing import Final

from oddsdesk.board.board import Board
from oddsdesk.board.notices import Notice, ValueBetsChanged
from oddsdesk.board.polling import Poller
from oddsdesk.board.value_entry import Standing
from oddsdesk.client.budget import Budget
from oddsdesk.client.client import Client
from oddsdesk.client.whole_lists import LIMIT, all_value_bets
from oddsdesk.clock import Clock
from oddsdesk.contract.resources import ValueBet
from oddsdesk.slices import in_slices

VALUE_BETS: Final = "value bets"
"""The name of the job in ``Poller`` and ``Budget``."""
_PAGE_S: Final = 1.0
"""Seconds between two passes, at least, for each page of a pass."""
_SETTLING_S: Final = 1.0
"""How long a service is given to value a price that moved, before its list is read again."""
_MOST_PAGES: Final = 100


class BetReader:
    """Reads the whole list every ``period_s`` seconds, less often where it is long.

    When prices move so that a bet is no longer value, the list is read sooner.
    """

    def __init__(
        self, client: Client, board: Board, clock: Clock, budget: Budget, period_s: float
    ) -> None:
        self.period_s = period_s
        self._client = client
        self._board = board
        self._clock = clock
        self._budget = budget
        self._due: asyncio.TimerHandle | None = None

    async def read(self) -> None:
        """Read every page and judge it; the first time, the first page is shown at once."""
        asked_at, bets, pages, is_cut = self._clock(), list[ValueBet](), 0, False
        most, is_first = self._most_pages(), self._board.listed.read_at is None
        async with aclosing(all_value_bets(self._client)) as slices:
            async for part in slices:
                if is_first and not pages:
                    await in_slices(self._board.merge_value_bets(part.bets, asked_at))
                bets += part.bets
                is_cut |= part.is_cut
                pages += 1
                if pages == most and len(part.bets) >= LIMIT:
                    is_cut = True
                    break
        await in_slices(self._board.merge_value_bets(bets, asked_at, is_cut=is_cut))
        self._budget.plan(VALUE_BETS, pages, max(self.period_s, pages * _PAGE_S))

    def hurry_on_falls(self, poller: Poller, notice: Notice) -> None:
        """Have the list read soon where a bet in it is value no longer."""
        if self._due is not None or not isinstance(notice, ValueBetsChanged):
            return
        entries = self._board.value_bets
        if any(entries[key].standing is not Standing.HOLDS for key in notice.moved):
            read_at, now = self._board.listed.read_at or 0, self._clock()
            half_ms = self._budget.period_s(VALUE_BETS) * 1000 / 2
            wait_s = max(_SETTLING_S, (read_at + half_ms - now) / 1000)
            self._due = asyncio.get_running_loop().call_later(wait_s, self._hurry, poller)

    def stop(self) -> None:
        """Hurry no more."""
        if self._due is not None:
            self._due.cancel()
            self._due = None

    def _most_pages(self) -> int:
        """Return the pages that one pass may read: a tenth of the requests that are left."""
        quota = self._client.quota
        return _MOST_PAGES if quota is None else max(1, min(_MOST_PAGES, quota.remaining // 10))

    def _hurry(self, poller: Poller) -> None:
        self._due = None
        poller.hurry([VALUE_BETS])
