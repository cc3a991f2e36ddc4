"""A source of others on loopback, and a real server with feeds of it."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from oddsdesk.base.clock import system_clock
from oddsdesk.contract.access import Plan
from oddsdesk.contract.administration import FeedCondition, FeedStatus
from oddsdesk.server.run.runner import Server, serving
from oddsdesk.server.settings import PublicAddress, Settings
from tests.kit.fake_source import FakeSource
from tests.kit.program import as_owner

LIMIT_S = 60


class Served:
    """A running server with live feeds."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self._key = server.access.keys.create("test", Plan.PRO_LIVE, None, system_clock()).secret

    @property
    def owner(self) -> dict[str, str]:
        """The header of the owner."""
        assert self.server.store.path is not None
        return as_owner(self.server.store.path)

    def status(self, number: int = 1) -> FeedStatus:
        """Return how a feed is."""
        return self.server.running_feeds.states()[number - 1].status

    async def odds(self, path: str = "/api/odds") -> list[dict[str, Any]]:
        """Return the odds that the server answers."""
        async with httpx.AsyncClient(base_url=self.server.url) as http:
            answer = await http.get(path, headers={"X-Api-Key": self._key})
        assert answer.status_code == 200, answer.text
        found: list[dict[str, Any]] = answer.json()["data"]
        return found

    async def until(self, is_so: Callable[[], Any]) -> None:
        """Wait until something is so."""
        async with asyncio.timeout(LIMIT_S):
            while not is_so():
                await asyncio.sleep(0.01)

    async def state(self, state: FeedCondition, number: int = 1) -> FeedStatus:
        """Wait until a feed is in a state and return how it is."""
        await self.until(lambda: self.status(number).state is state)
        return self.status(number)

    async def until_read(self, number: int = 1) -> FeedStatus:
        """Wait for a good answer that is newer than the present one."""
        before = self.status(number).read_at
        await self.until(lambda: self.status(number).read_at != before)
        return self.status(number)

    async def until_odds(self, count: int) -> list[dict[str, Any]]:
        """Wait until the server answers so many rows of odds."""
        async with asyncio.timeout(LIMIT_S):
            while len(found := await self.odds()) != count:
                await asyncio.sleep(0.02)
        return found

    async def until_result(self) -> dict[str, Any]:
        """Wait until the server answers how a game ended."""
        async with asyncio.timeout(LIMIT_S):
            while not (found := await self.odds("/api/results")):
                await asyncio.sleep(0.02)
        return found[0]


Serve = Callable[..., contextlib.AbstractAsyncContextManager[Served]]


@pytest.fixture
async def source() -> AsyncIterator[FakeSource]:
    fake = FakeSource()
    await fake.start()
    yield fake
    await fake.stop()


@pytest.fixture
def serve(tmp_path: Path) -> Serve:
    @contextlib.asynccontextmanager
    async def start(
        *feeds: str,
        public: PublicAddress = PublicAddress(),  # noqa: B008 - nothing changes it
    ) -> AsyncIterator[Served]:
        settings = Settings(tmp_path / "odds.db", port=0, feeds=feeds, public=public)
        async with serving(settings) as server:
            yield Served(server)

    return start
