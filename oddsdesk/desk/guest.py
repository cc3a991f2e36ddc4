"""Another process's server on this machine as a connection: for a second window on a database."""

import asyncio
from contextlib import ExitStack
from pathlib import Path

from oddsdesk.client.client import Client
from oddsdesk.clock import Clock
from oddsdesk.desk.background import in_background
from oddsdesk.desk.embedding import settings_of
from oddsdesk.desk.local_server import LocalServer
from oddsdesk.desk.profiles import EmbeddedProfile
from oddsdesk.desk.sessions import Session, SessionError
from oddsdesk.server.guest import guest_key
from oddsdesk.store.errors import StoreError
from oddsdesk.store.lock import owner_of


class GuestSession:
    """A server that somebody else started; it goes on when this session ends."""

    def __init__(self, profile: EmbeddedProfile, clock: Clock) -> None:
        self.profile: EmbeddedProfile = profile
        self.local: LocalServer | None = None
        self._database = settings_of(profile).database
        self._clock = clock
        self._key = ExitStack()
        self._client: Client | None = None

    async def start(self) -> Client:
        """Make a key for this session and connect.

        Raises:
            SessionError: the server has ended, or no key can be made for it.
        """
        try:
            url, key = await asyncio.wrap_future(in_background("guest key", self._enter))
        except StoreError as error:
            raise SessionError(str(error)) from error
        self._client = Client(url, key)
        return self._client

    async def stop(self) -> None:
        """Close the connections and end the key."""
        if self._client is not None:
            await self._client.close()
        await asyncio.wrap_future(in_background("guest key", self._key.close))

    def excludes(self, other: Session) -> bool:
        """A guest is in nobody's way."""
        return False

    def _enter(self) -> tuple[str, str]:
        owner = owner_of(self._database)
        if owner is None or not owner.url:
            raise StoreError("the other server has ended; connect to the embedded server again")
        keys_path = Path(owner.access) if owner.access else None
        return owner.url, self._key.enter_context(guest_key(self._database, self._clock, keys_path))
