"""Stream messages on their way to the board: taken in together, which costs a fraction each."""

import asyncio
import time
from typing import Final

from oddsdesk.board.board import Board
from oddsdesk.contract.resources import PriceMessage

_GATHER_S: Final = 0.015
_SLICE_S: Final = 0.006
"""How long the loop is held at a time."""
_MOST: Final = 128
"""So many are taken in between two looks at the clock."""


class Inbox:
    """Gathers messages of the running loop for a moment."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._waiting: list[PriceMessage] = []
        self._due: asyncio.TimerHandle | None = None

    def put(self, message: PriceMessage) -> None:
        """Have a message taken in soon, in its turn."""
        self._waiting.append(message)
        if self._due is None:
            self._wait(_GATHER_S)

    def clear(self) -> None:
        """Forget what was not taken in yet."""
        self._waiting.clear()
        if self._due is not None:
            self._due.cancel()
            self._due = None

    def _wait(self, seconds: float) -> None:
        self._due = asyncio.get_running_loop().call_later(seconds, self._take_some)

    def _take_some(self) -> None:
        self._due = None
        ends = time.perf_counter() + _SLICE_S
        while self._waiting and time.perf_counter() < ends:
            messages, self._waiting = self._waiting[:_MOST], self._waiting[_MOST:]
            self._board.apply_all(messages)
        if self._waiting:
            self._wait(0)
