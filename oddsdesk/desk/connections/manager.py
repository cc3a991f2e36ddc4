"""Manages the connection that feeds the board; it can be changed while the desk runs."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol, TypeVar

from msgspec.structs import replace
from PySide6.QtCore import QObject, Signal

from oddsdesk.base.clock import Clock
from oddsdesk.base.tasks import in_daemon_thread
from oddsdesk.base.texts import _, translated
from oddsdesk.board.board import Board
from oddsdesk.board.intake.sync import Sync
from oddsdesk.board.model.notices import Connection
from oddsdesk.client.client import Client
from oddsdesk.client.diagnosis import in_words
from oddsdesk.client.errors import ServiceError
from oddsdesk.desk.connections import profiles
from oddsdesk.desk.ui.local_server import LocalServer


class SessionError(Exception):
    """The connection failed; one line with the reason and what to do."""


class MissingKeyError(SessionError):
    """The key of a service is missing; the user has to enter it."""


class UnencryptedError(SessionError):
    """The key would be sent unencrypted, which the user has not allowed; nothing was sent."""


class InUseError(SessionError):
    """Another process serves the database; ``guest`` is the profile that uses its server."""

    def __init__(self, message: str, guest: profiles.EmbeddedProfile) -> None:
        super().__init__(message)
        self.guest = guest


class ServiceSession(Protocol):
    """A connection to a service; started once and stopped once."""

    @property
    def profile(self) -> profiles.Profile:
        """The profile of the connection."""

    @property
    def local(self) -> LocalServer | None:
        """The built-in server; None for other services."""

    async def start_session(self) -> Client:
        """Connect and return the client.

        Raises:
            SessionError: The connection failed; ``stop_session`` must still be called.
        """

    async def stop_session(self) -> None:
        """Release everything within 2 s; may be called at any time, and twice."""

    def excludes(self, other: "ServiceSession") -> bool:
        """Return whether the other session must stop before this one can start."""


class RemoteSession:
    """A connection to another service."""

    def __init__(
        self, profile: profiles.RemoteProfile, secrets: profiles.Secrets, *, asks_first: bool
    ) -> None:
        self.profile: profiles.RemoteProfile = profile
        self.local: LocalServer | None = None
        self._secrets = secrets
        self._asks_first = asks_first
        self._client: Client | None = None

    async def start_session(self) -> Client:
        """Read the key and, if ``asks_first``, check that the service accepts it.

        Raises:
            SessionError: The service refuses it, or there is no key.
        """
        profile = self.profile
        if refusal := profiles.encryption_refusal(profile):
            raise UnencryptedError(f"{profile.name}: {refusal}")
        client = self._client = await self._make_client(await self._key())
        if self._asks_first:
            try:
                await client.games(limit=1)
            except ServiceError as error:
                raise SessionError(f"{profile.name}: {translated(in_words(error))}") from error
        return client

    async def stop_session(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.close()

    def excludes(self, other: ServiceSession) -> bool:
        """Return False: a remote connection conflicts with none."""
        return False

    async def _key(self) -> str:
        profile = self.profile
        try:
            key = await in_daemon_thread(
                "keyring", lambda: self._secrets.get_key(profile.ident, profile.key_place)
            )
        except profiles.SecretsError as error:
            raise MissingKeyError(f"{profile.name}: {error}") from error
        if key is None:
            raise MissingKeyError(
                _("{name}: no key is saved here; enter it").format(name=profile.name)
            )
        return key

    async def _make_client(self, key: str) -> Client:
        profile = self.profile
        try:
            return Client(
                profile.base_url,
                key,
                auth_url=profile.auth_url,
                ws_url=profile.ws_url,
                keeps_quota=True,
            )
        except ServiceError as error:
            raise MissingKeyError(f"{profile.name}: {translated(error.message)}") from error


T = TypeVar("T")


class Reading(Protocol):
    """Keeps the board up to date: ``Sync`` for the present, ``Past`` for a past moment."""

    def start_reading(self) -> None:
        """Start reading."""

    async def stop_reading(self) -> None:
        """Stop reading; the board keeps its contents."""

    def subscribe_game(self, game_id: str) -> None:
        """Keep a game's matrix current."""

    def unsubscribe_game(self, game_id: str) -> None:
        """Stop keeping a game's matrix current."""

    def want_rows(self, wanted: bool) -> None:
        """Keep the prices of all games current, for the odds grid."""

    def watch_competitions(self, codes: frozenset[str]) -> None:
        """Read the prices of these competitions, which the odds grid shows, more often."""

    def pause_rows(self, paused: bool) -> None:
        """Pause or resume reading the prices of all games."""

    def read_all_again(self) -> None:
        """Read everything now."""


MakeSession = Callable[[profiles.Profile], ServiceSession]


class ConnectionManager(QObject):
    """Starts, stops and changes the connection, and passes subscriptions on to it.

    A new connection must answer before the old one ends, so a wrong address costs nothing. If both
    are servers on the same database, the old one ends first and is restarted if the new one fails.
    """

    left = Signal()
    """The board is about to be cleared; panels of single games must close."""
    entered = Signal()
    """``session`` is new, and the board is being filled from it."""

    def __init__(self, board: Board, clock: Clock, make_session: MakeSession) -> None:
        super().__init__()
        self.session: ServiceSession | None = None
        """The current connection; None before the first and after the last."""
        self._board = board
        self._clock = clock
        self._make_session = make_session
        self.client: Client | None = None
        """The client of the current connection; None without one."""
        self._sync: Reading | None = None
        self._has_feeds: bool | None = None
        self._turn = asyncio.Lock()

    async def open_first(self, session: ServiceSession) -> None:
        """Make the first connection.

        Raises:
            SessionError: The connection failed.
        """
        async with self._turn:
            self._enter(session, await self._started(session))

    async def switch(self, profile: profiles.Profile) -> None:
        """Change to another connection.

        Raises:
            SessionError: The connection failed; the old one continues.
        """
        async with self._turn:
            session, old = self._make_session(profile), self.session
            if old is None or not session.excludes(old):
                client = await self._started(session)
                try:
                    await self._leave()
                except BaseException:
                    await session.stop_session()
                    raise
            else:
                client = await self._take_turns(session, old)
            self._enter(session, client)

    async def pause(self, work: Callable[[], Awaitable[T]]) -> T:
        """Disconnect, do work, and reconnect, even if the work failed.

        If cancelled during the work, it does not reconnect.

        Raises:
            SessionError: Reconnecting failed.
            Exception: Whatever the work raised.
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
        """Fill the board in another way over the same connection; do nothing without one."""
        async with self._turn:
            if self._sync is None or self.client is None:
                return
            await self._sync.stop_reading()
            self._fill(self.client, make)

    async def read_now(self) -> None:
        """Fill the board with current prices."""
        await self.read_by(self._of_now)

    async def close_connection(self) -> None:
        """End the connection; it cannot be changed after that."""
        async with self._turn:
            await self._leave()

    def subscribe_game(self, game_id: str) -> None:
        if self._sync is not None:
            self._sync.subscribe_game(game_id)

    def unsubscribe_game(self, game_id: str) -> None:
        if self._sync is not None:
            self._sync.unsubscribe_game(game_id)

    def want_rows(self, wanted: bool) -> None:
        if self._sync is not None:
            self._sync.want_rows(wanted)
        else:
            self._board.keep_all_rows(wanted)

    def watch_competitions(self, codes: frozenset[str]) -> None:
        if self._sync is not None:
            self._sync.watch_competitions(codes)
        else:
            self._board.watched = codes

    def pause_rows(self, paused: bool) -> None:
        if self._sync is not None:
            self._sync.pause_rows(paused)

    def read_all_again(self) -> None:
        if self._sync is not None:
            self._sync.read_all_again()

    def note_feeds(self, running: bool | None) -> None:
        """Tell the board whether a feed runs in the current server; None if unknown."""
        self._has_feeds = running
        connection = self._board.connection
        if connection.has_feeds is not running:
            self._board.set_connection(replace(connection, has_feeds=running))

    async def _take_turns(self, session: ServiceSession, old: ServiceSession) -> Client:
        await self._leave()
        try:
            return await self._started(session)
        except SessionError:
            await self._enter_again(old.profile)
            raise

    async def _enter_again(self, profile: profiles.Profile) -> None:
        again = self._make_session(profile)
        self._enter(again, await self._started(again))

    async def _leave(self) -> None:
        if self._sync is not None:
            await self._sync.stop_reading()
        if self.session is not None:
            await self.session.stop_session()
        self.session = self.client = None

    def _enter(self, session: ServiceSession, client: Client) -> None:
        self.session, self.client, self._has_feeds = session, client, None
        self._fill(client, self._of_now)
        self.entered.emit()

    def _fill(self, client: Client, make: Callable[[Client], Reading]) -> None:
        self.left.emit()
        self._board.forget_service()
        self._sync = make(client)
        self._sync.start_reading()
        self.note_feeds(self._has_feeds)

    def _of_now(self, client: Client) -> Sync:
        return Sync(client, self._board, self._clock)

    async def _started(self, session: ServiceSession) -> Client:
        """Start a session; if it fails and there is no other, tell the board why."""
        try:
            return await session.start_session()
        except BaseException as error:
            await session.stop_session()
            if self.session is None and isinstance(error, SessionError):
                self._board.set_connection(Connection(reason=str(error)))
            raise
