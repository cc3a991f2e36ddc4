"""Reads a board as of a moment of the past, once: nothing is streamed and nothing grows old.

In the place of ``Sync`` while one looks back; the board's clock is set to that moment by who
made both.
"""

from collections.abc import Coroutine
from typing import Any

from msgspec.structs import replace

from oddsdesk.board.board import Board
from oddsdesk.board.connection import Connection, Link
from oddsdesk.client.client import Client
from oddsdesk.client.errors import NotFoundError, ServiceError
from oddsdesk.client.whole_lists import all_games
from oddsdesk.contract.times import format_ms
from oddsdesk.slices import in_slices
from oddsdesk.tasks import spawn, stop


class Past:
    """Reads what the desk subscribes to as it stood at one time, in milliseconds."""

    def __init__(self, client: Client, board: Board, at_ms: int) -> None:
        self._client = client
        self._board = board
        self._at_ms = at_ms
        self._tasks: set[Any] = set()
        self._subscribed: dict[str, None] = {}
        self._is_started = False

    def start(self) -> None:
        """Read the games of that moment, then those that are subscribed."""
        self._is_started = True
        connection = Connection(link=Link.PAST, as_of_ms=self._at_ms, since_ms=self._at_ms)
        self._board.set_connection(connection)
        self.refresh()

    async def stop(self) -> None:
        """End what is being read; what the board holds stays."""
        self._is_started = False
        await stop(*self._tasks)

    def subscribe_game(self, game_id: str) -> None:
        """Read a game's prices."""
        self._board.subscribe_game(game_id)
        self._subscribed[game_id] = None
        if self._is_started:
            self._read("matrix", self._read_matrix(game_id))

    def unsubscribe_game(self, game_id: str) -> None:
        """Let go of a game."""
        self._subscribed.pop(game_id, None)
        self._board.unsubscribe_game(game_id)

    def want_rows(self, wanted: bool) -> None:
        """Read the prices of all listed games, for the odds grid."""
        if wanted != self._board.rows_wanted:
            self._board.want_rows(wanted)
        if wanted and self._is_started:
            self._read("rows", self._read_rows())

    def watch_competitions(self, codes: frozenset[str]) -> None:
        """Note what the odds grid shows: the rows are read once, not again and again."""
        self._board.watched = codes

    def pause_rows(self, paused: bool) -> None:
        """Do nothing: the rows are read once, not again and again."""

    def refresh(self) -> None:
        """Read everything."""
        self._read("games", self._read_games())

    async def _read_games(self) -> None:
        self._board.load_games(await all_games(self._client, self._moment))
        for game in list(self._subscribed):
            await self._read_matrix(game)
        if self._board.rows_wanted:
            await self._read_rows()

    async def _read_rows(self) -> None:
        for game in list(self._board.games):
            if self._board.rows_wanted and game not in self._subscribed:
                await self._read_matrix(game)

    async def _read_matrix(self, game_id: str) -> None:
        try:
            matrix = await self._client.game(game_id, as_of=self._moment)
        except NotFoundError:
            return
        await in_slices(self._board.merge_matrix(matrix))
        if matrix.game_id != game_id:
            self._board.merge_game(game_id, matrix.game_id)

    @property
    def _moment(self) -> str:
        return format_ms(self._at_ms)

    def _read(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        task = spawn(f"past: {name}", self._reported(work))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _reported(self, work: Coroutine[Any, Any, None]) -> None:
        """Show in the connection's state what went wrong; ``refresh`` tries again."""
        before = self._board.connection
        try:
            await work
        except ServiceError as error:
            waiting = replace(before, link=Link.WAITING, reason=error.message)
            self._board.set_connection(waiting)
        else:
            self._board.set_connection(replace(before, link=Link.PAST, reason=None))
