"""Which connection feeds the board: one at a time, changed without restarting the desk."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

from PySide6.QtCore import QObject, Signal

from oddsdesk.board.board import Board
from oddsdesk.board.connection import Connection
from oddsdesk.board.sync import Sync
from oddsdesk.client.client import Client
from oddsdesk.clock import Clock
from oddsdesk.desk.connections.profiles import Profile
from oddsdesk.desk.connections.sessions import ServiceSession, SessionError

T = TypeVar("T")


class Reading(Protocol):
    """What keeps the board true to what the user looks at: ``Sync``, or ``Past`` for a moment."""

    def start(self) -> None:
        """Begin."""

    async def stop(self) -> None:
        """End; what the board holds stays."""

    def subscribe_game(self, game_id: str) -> None:
        """Keep a game's matrix current."""

    def unsubscribe_game(self, game_id: str) -> None:
        """Keep it current no longer."""

    def want_rows(self, wanted: bool) -> None:
        """Keep the prices of all games current, for the odds grid."""

    def watch_competitions(self, codes: frozenset[str]) -> None:
        """Read the prices of competitions that the odds grid shows more often."""

    def pause_rows(self, paused: bool) -> None:
        """Stop reading the prices of all games, or go on."""

    def refresh(self) -> None:
        """Read everything now."""


MakeSession = Callable[[Profile], ServiceSession]


class ConnectionManager(QObject):
    """Starts, stops and changes connections in order; passes subscriptions to the present one.

    A new connection has to answer before the old one ends, so that a wrong address costs
    nothing. Of two servers on one database the old one has to end first; it is started
    again if the new one fails.
    """

    left = Signal()
    """The board is about to be cleared: what shows single games has to close."""
    entered = Signal()
    """``session`` is a new one, and its client is being read."""

    def __init__(self, board: Board, clock: Clock, make_session: MakeSession) -> None:
        super().__init__()
        self.session: ServiceSession | None = None
        """What the desk is connected to; None before the first and after the last."""
        self._board = board
        self._clock = clock
        self._make_session = make_session
        self._client: Client | None = None
        self._sync: Reading | None = None
        self._turn = asyncio.Lock()

    @property
    def client(self) -> Client | None:
        """What asks the present connection's service; None without one."""
        return self._client

    async def open(self, session: ServiceSession) -> None:
        """Make the first connection.

        Raises:
            SessionError: it cannot be had.
        """
        async with self._turn:
            self._enter(session, await self._started(session))

    async def switch(self, profile: Profile) -> None:
        """Change to another connection.

        Raises:
            SessionError: it cannot be had; the old one goes on.
        """
        async with self._turn:
            session, old = self._make_session(profile), self.session
            if old is None or not session.excludes(old):
                client = await self._started(session)
                try:
                    await self._leave()
                except BaseException:
                    await session.stop()
                    raise
            else:
                client = await self._take_turns(session, old)
            self._enter(session, client)

    async def pause(self, work: Callable[[], Awaitable[T]]) -> T:
        """End the present connection, do work, and make the connection again, whatever came of it.

        Cancelled while it works, it makes none.

        Raises:
            SessionError: the connection cannot be had again.
            Exception: what the work raised.
        """
        async with self._turn:
            assert self.session is not None
            profile = self.session.profile
            await self._leave()
            try:
                result = await work()
            except Exception:
                await self._enter_again(profile)
                raise
            await self._enter_again(profile)
            return result

    async def read_by(self, make: Callable[[Client], Reading]) -> None:
        """Fill the board in another way over the same connection; nothing without one."""
        async with self._turn:
            if self._sync is None or self._client is None:
                return
            await self._sync.stop()
            self._fill(self._client, make)

    async def read_now(self) -> None:
        """Fill the board with what is offered now."""
        await self.read_by(self._of_now)

    async def close(self) -> None:
        """End the present connection; nothing is switched after that."""
        async with self._turn:
            await self._leave()

    def subscribe_game(self, game_id: str) -> None:
        """Keep a game's matrix current."""
        if self._sync is not None:
            self._sync.subscribe_game(game_id)

    def unsubscribe_game(self, game_id: str) -> None:
        """Keep it current no longer."""
        if self._sync is not None:
            self._sync.unsubscribe_game(game_id)

    def want_rows(self, wanted: bool) -> None:
        """Keep the prices of all games current, for the odds grid."""
        if self._sync is not None:
            self._sync.want_rows(wanted)
        else:
            self._board.want_rows(wanted)

    def watch_competitions(self, codes: frozenset[str]) -> None:
        """Read the prices of competitions that the odds grid shows more often."""
        if self._sync is not None:
            self._sync.watch_competitions(codes)
        else:
            self._board.watched = codes

    def pause_rows(self, paused: bool) -> None:
        """Stop reading the prices of all games, or go on."""
        if self._sync is not None:
            self._sync.pause_rows(paused)

    def refresh(self) -> None:
        """Read everything now."""
        if self._sync is not None:
            self._sync.refresh()

    async def _take_turns(self, session: ServiceSession, old: ServiceSession) -> Client:
        await self._leave()
        try:
            return await self._started(session)
        except SessionError:
            await self._enter_again(old.profile)
            raise

    async def _enter_again(self, profile: Profile) -> None:
        again = self._make_session(profile)
        self._enter(again, await self._started(again))

    async def _leave(self) -> None:
        if self._sync is not None:
            await self._sync.stop()
        if self.session is not None:
            await self.session.stop()
        self.session = self._client = None

    def _enter(self, session: ServiceSession, client: Client) -> None:
        self.session, self._client = session, client
        self._fill(client, self._of_now)
        self.entered.emit()

    def _fill(self, client: Client, make: Callable[[Client], Reading]) -> None:
        self.left.emit()
        self._board.clear()
        self._sync = make(client)
        self._sync.start()

    def _of_now(self, client: Client) -> Sync:
        return Sync(client, self._board, self._clock)

    async def _started(self, session: ServiceSession) -> Client:
        """Begin a session; where there is none before it, the board says why it cannot be."""
        try:
            return await session.start()
        except BaseException as error:
            await session.stop()
            if self.session is None and isinstance(error, SessionError):
                self._board.set_connection(Connection(reason=str(error)))
            raise
