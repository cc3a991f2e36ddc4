"""Reading all value bets, page after page, at a pace that the request budget allows."""

from contextlib import aclosing
from typing import Final

from oddsdesk.board.board import Board
from oddsdesk.client.budget import Budget
from oddsdesk.client.client import Client
from oddsdesk.client.whole_lists import LIMIT, all_value_bets
from oddsdesk.clock import Clock
from oddsdesk.contract.resources import ValueBet
from oddsdesk.slices import in_slices

VALUE_BETS: Final = "value bets"
"""The name of the job in ``Poller`` and ``Budget``."""
_PAGE_S: Final = 1.0
"""At least so many seconds a page lie between two passes."""
_MOST_PAGES: Final = 100


class BetReader:
    """Reads the whole list each ``period_s`` seconds, seldomer where it is long."""

    def __init__(
        self, client: Client, board: Board, clock: Clock, budget: Budget, period_s: float
    ) -> None:
        self.period_s = period_s
        self._client = client
        self._board = board
        self._clock = clock
        self._budget = budget

    async def read(self) -> None:
        """Read every page and judge it; the first time, the first page is shown at once."""
        asked_at, bets, pages, is_cut = self._clock(), list[ValueBet](), 0, False
        most, is_first = self._most_pages(), self._board.values.read_at is None
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

    def _most_pages(self) -> int:
        """Return the pages that one pass may read: a tenth of the requests that are left."""
        quota = self._client.quota
        return _MOST_PAGES if quota is None else max(1, min(_MOST_PAGES, quota.remaining // 10))
