"""Stream messages on their way to the board: taken in many at a time, which costs less."""

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import Final

from oddsdesk.board.board import Board
from oddsdesk.board.waiting_messages import WaitingMessages
from oddsdesk.contract.resources import PriceMessage
from oddsdesk.slices import in_slices

GATHER_S: Final = 0.075
"""For how long messages that follow each other sooner come in before they are read together.

It is the beat of a busy desk: tables show what they hear soon after. Thirteen times a second reads
as live; a process that wakes oftener for less at a time takes more of a core.
"""
_SLICE_S: Final = 0.005
"""How long the loop is held at a time: for what mostly comes in one beat, to be shown as one."""
_REST_S: Final = 0.001
"""For so long, for each message taken in, those of games out of sight then wait for more of them.

Of few messages that is no time; of thousands a second each game comes four times a second.
"""
_MOST_REST_S: Final = 0.25
"""The longest they wait: who watches no price of a game sees its value bets twice a second."""
_FULL: Final = 20_000
"""Messages that may wait; beyond that reading stops, and the service ends the stream (4008)."""


class MessageQueue:
    """Holds stream messages until ``run`` hands them to the board."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._waiting = WaitingMessages(board.is_in_sight)
        self._has_some = asyncio.Event()
        self._has_room = asyncio.Event()
        self._has_room.set()

    def put(self, messages: Iterable[PriceMessage]) -> None:
        """Add messages; those of a game are taken in in order."""
        self._waiting.add(messages)
        self._has_some.set()
        if self._waiting.count >= _FULL:
            self._has_room.clear()

    async def room(self) -> None:
        """Wait until there is room for more messages."""
        await self._has_room.wait()

    def clear(self) -> None:
        """Forget what was not taken in yet."""
        self._waiting.clear()
        self._has_room.set()

    async def run(self) -> None:
        """Take messages in, for ever; an error in one loses those taken in together with it."""
        loop, others_at = asyncio.get_running_loop(), 0.0
        self._has_some.set()
        while True:
            await self._has_some.wait()
            self._has_some.clear()
            count = self._waiting.count
            are_all_due = loop.time() >= others_at or count >= _FULL
            await in_slices(self._take(are_all=are_all_due), _SLICE_S)
            if are_all_due and count:
                rest_s = min(count * _REST_S, _MOST_REST_S)
                others_at = loop.time() + rest_s
                loop.call_later(rest_s, self._has_some.set)

    def _take(self, *, are_all: bool) -> Iterator[None]:
        """Take in what waits: messages of games in sight, or of all games."""
        waiting = self._waiting
        with closing(self._board.applying(waiting)) as steps:
            while waiting.are_in_sight or (are_all and waiting.count):
                next(steps)
                if waiting.count < _FULL:
                    self._has_room.set()
                yield
