"""Reading all value bets, page after page, at a pace that the request budget allows."""

from contextlib import aclosing
from typing import Final

from oddsdesk.board.board import Board
from oddsdesk.board.reading_plan import VALUE_BETS, ReadingPlan
from oddsdesk.client.budget import Budget
from oddsdesk.client.client import Client
from oddsdesk.client.whole_lists import LIMIT, value_bet_slices
from oddsdesk.clock import Clock
from oddsdesk.contract.resources import ValueBet
from oddsdesk.slices import in_slices

_MOST_PAGES: Final = 100
_MOST_OF_LEFT: Final = 0.1
_MOST_BETS: Final = 20_000
"""The list is taken as cut where a service has more (D85)."""


class BetReader:
    """Reads the whole list, or as much of it as the requests left allow."""

    def __init__(
        self, client: Client, board: Board, clock: Clock, budget: Budget, plan: ReadingPlan
    ) -> None:
        self._client = client
        self._board = board
        self._clock = clock
        self._budget = budget
        self._plan = plan

    async def read(self) -> None:
        """Read every page and judge it; the first time, the first page is shown at once."""
        asked_at, bets, pages, is_cut = self._clock(), list[ValueBet](), 0, False
        most, is_first = self._most_pages(), self._board.values.read_at is None
        async with aclosing(value_bet_slices(self._client)) as slices:
            async for part in slices:
                if is_first and not pages:
                    await in_slices(self._board.merge_value_bets(part.bets, asked_at))
                bets += part.bets
                is_cut |= part.is_cut
                pages += 1
                is_full = pages == most and len(part.bets) >= LIMIT
                if is_full or len(bets) >= _MOST_BETS:
                    is_cut = True
                    break
        await in_slices(self._board.merge_value_bets(bets, asked_at, is_cut=is_cut))
        self._plan.pages[VALUE_BETS] = pages

    def _most_pages(self) -> int:
        """Return the pages that one pass may read: a tenth of the requests that are left."""
        return max(1, int(min(_MOST_PAGES, self._budget.spendable * _MOST_OF_LEFT)))
