"""One connection from start to stop: what the desk talks to now."""

import asyncio
from typing import Protocol

from oddsdesk.client.client import Client
from oddsdesk.client.diagnosis import in_words
from oddsdesk.client.errors import ServiceError
from oddsdesk.desk.connections.profiles import (
    EmbeddedProfile,
    Profile,
    RemoteProfile,
    encryption_refusal,
)
from oddsdesk.desk.connections.secrets import Secrets, SecretsError
from oddsdesk.desk.ui.background import in_background
from oddsdesk.desk.ui.local_server import LocalServer


class SessionError(Exception):
    """A connection cannot be made; one line that says why and what to do."""


class MissingKeyError(SessionError):
    """Nobody has the key of a remote service: the user has to enter it."""


class UnencryptedError(SessionError):
    """The key would be sent as it is, and the user did not allow that: nothing was sent."""


class InUseError(SessionError):
    """Another process serves the database; ``guest`` is how to use its server instead."""

    def __init__(self, message: str, guest: EmbeddedProfile) -> None:
        super().__init__(message)
        self.guest = guest


class ServiceSession(Protocol):
    """A connection of a profile; started once, stopped once."""

    @property
    def profile(self) -> Profile:
        """The profile that it connects."""
        ...

    @property
    def local(self) -> LocalServer | None:
        """The embedded server; None elsewhere."""
        ...

    async def start(self) -> Client:
        """Connect and return the client.

        Raises:
            SessionError: it cannot be had; ``stop`` is still to be called.
        """
        ...

    async def stop(self) -> None:
        """Let go of everything within 2 s; may be called at any time, and twice."""
        ...

    def excludes(self, other: "ServiceSession") -> bool:
        """Say whether the other one has to stop before this one can start."""
        ...


class RemoteSession:
    """A service elsewhere."""

    def __init__(self, profile: RemoteProfile, secrets: Secrets, *, asks_first: bool) -> None:
        self.profile: RemoteProfile = profile
        self.local: LocalServer | None = None
        self._secrets = secrets
        self._asks_first = asks_first
        self._client: Client | None = None

    async def start(self) -> Client:
        """Read the key and, where asked to, see whether the service lets it in.

        Raises:
            SessionError: it does not, or there is no key.
        """
        profile = self.profile
        if refusal := encryption_refusal(profile):
            raise UnencryptedError(f"{profile.name}: {refusal}")
        client = self._client = await self._make_client(await self._key())
        if self._asks_first:
            try:
                await client.games(limit=1)
            except ServiceError as error:
                raise SessionError(f"{profile.name}: {in_words(error)}") from error
        return client

    async def stop(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.close()

    def excludes(self, other: ServiceSession) -> bool:
        """Return False: a remote service can be connected beside anything."""
        return False

    async def _key(self) -> str:
        profile = self.profile
        try:
            key = await asyncio.wrap_future(
                in_background(
                    "keyring", lambda: self._secrets.get(profile.ident, profile.key_place)
                )
            )
        except SecretsError as error:
            raise MissingKeyError(f"{profile.name}: {error}") from error
        if key is None:
            raise MissingKeyError(f"{profile.name}: its key is not kept here; enter it")
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
            raise MissingKeyError(f"{profile.name}: {error.message}") from error
