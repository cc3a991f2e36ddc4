"""A board kept as a service has it, and lines that say how the connection is."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from oddsdesk.board.board import Board
from oddsdesk.board.connection import Connection, Link
from oddsdesk.board.notices import ConnectionChanged, Notice, SnapshotProgressChanged
from oddsdesk.board.sync import Sync
from oddsdesk.client.client import Client
from oddsdesk.client.errors import ServiceError
from oddsdesk.client.flat import reference_of
from oddsdesk.client.whole_odds import unread_text
from oddsdesk.clock import Clock
from oddsdesk.contract.errors import ErrorCode

_LOOK_S: Final = 1.0
_ASK_AGAIN_S: Final = 60.0
_MOST_ASKED: Final = 5
"""The most games that are read at a time for the reference's name, which not all of them hold."""
_BAD_ADDRESS: Final = "bad_address"


class FollowedService:
    """Reads and listens within the quota of the key; tries again while the service is away."""

    def __init__(
        self, client: Client, board: Board, clock: Clock, tell: Callable[[str], None]
    ) -> None:
        """The client is closed with it; ``tell`` gets a line when prices begin or cease to come."""
        self._client = client
        self._board = board
        self._sync = Sync(client, board, clock)
        self._tell = tell
        self._refused = asyncio.Event()
        self._has_answered = False
        self._told: set[str] = set()
        """What was told since prices came last."""
        self._clocks_agree = True
        self._unread: tuple[str, ...] = ()
        self._games: frozenset[str] = frozenset()
        self._unsubscribe: Callable[[], None] = lambda: None

    async def open(self) -> None:
        """Begin; that the service answers is not waited for."""
        self._unsubscribe = self._board.subscribe(
            self._on_board_notice, ConnectionChanged, SnapshotProgressChanged
        )
        self._sync.want_values(True)
        self._sync.start()

    async def close(self) -> None:
        """Let go of the service."""
        self._unsubscribe()
        await self._sync.stop()
        await self._client.close()

    async def refused(self) -> str:
        """Wait until the service refuses the key before it ever gave a price; return the reason.

        Refused later, it is tried again: what let the key in once may do so again.
        """
        await self._refused.wait()
        return _in_words(self._board.connection)

    def follow_games(self, games: frozenset[str]) -> None:
        """Keep these games current beside all others, and no more those of before."""
        for game in self._games - games:
            self._sync.unsubscribe_game(game)
        for game in games - self._games:
            self._sync.subscribe_game(game)
        self._games = games

    async def find_reference(self) -> None:
        """Ask games for the reference's name while nothing else told it: without it all is in vain.

        Rows of the odds tell it only where the reference has a maximum bet (D32).
        """
        while True:
            await asyncio.sleep(_LOOK_S)
            if self._board.reference is None and self._board.games:
                await self._ask_for_reference()
                if self._board.reference is None:
                    await asyncio.sleep(_ASK_AGAIN_S)

    async def _ask_for_reference(self) -> None:
        known = sorted(self._board.games.values(), key=lambda game: -game.bookmaker_count)
        for game in known[:_MOST_ASKED]:
            with suppress(ServiceError):  # said by the connection's state
                name = reference_of(await self._client.game(game.game_id))
                if name is not None:
                    self._board.name_reference(name)
                    return

    def _on_board_notice(self, notice: Notice) -> None:
        if isinstance(notice, SnapshotProgressChanged):
            self._look_at_unread()
            return
        connection = self._board.connection
        if connection.link in (Link.LIVE, Link.POLLING):
            if self._told or not self._has_answered:
                self._tell("prices come again" if self._has_answered else "prices come")
            self._has_answered = True
            self._told.clear()
            self._look_at_clocks(connection.clocks_text)
        elif connection.link in (Link.WAITING, Link.REFUSED):
            is_final = connection.link is Link.REFUSED or connection.code == _BAD_ADDRESS
            if is_final and not self._has_answered:
                self._refused.set()
            elif (said := _in_words(connection)) not in self._told:
                self._told.add(said)
                self._tell(f"no prices come: {said} It is tried again.")

    def _look_at_unread(self) -> None:
        """Tell what could not be read, and when all is read again, once a pass is over."""
        progress = self._board.snapshot_progress
        if progress.slices_done != progress.slices_total or progress.cut == self._unread:
            return
        self._unread = progress.cut
        self._tell(unread_text(progress.cut) or "all prices are read again")

    def _look_at_clocks(self, apart: str) -> None:
        if self._clocks_agree is not bool(apart):
            return
        self._clocks_agree = not apart
        self._tell(f"{apart}: nothing of prices is alerted" if apart else "the clocks agree again")


def _in_words(connection: Connection) -> str:
    reason = (connection.reason or "nothing answers").rstrip(".")
    if connection.code == ErrorCode.UNAUTHORIZED.value:
        reason = "the service does not know this key"
    return f"{reason[:1].upper()}{reason[1:]}. {connection.advice}".rstrip()
