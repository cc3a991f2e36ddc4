"""Keys and tokens in no log of a process that serves, asks and listens (D23, D44)."""

import asyncio
import itertools
import logging
from collections.abc import Iterator
from contextlib import aclosing
from pathlib import Path

import pytest

from oddsdesk.base.clock import system_clock
from oddsdesk.base.tasks import spawn
from oddsdesk.client import AddressError, Client, StreamToken, UnauthorizedError
from oddsdesk.contract.quotes import Quote
from oddsdesk.server.run.embedded import EmbeddedServer
from oddsdesk.server.settings import Settings
from oddsdesk.store.store import Store, open_store

LIMIT_S = 20


class Tokens(Client):
    """A client that remembers the tokens it was given."""

    def __init__(self, url: str, key: str) -> None:
        super().__init__(url, key)
        self.given: list[str] = []

    async def stream_token(self) -> StreamToken:
        token = await super().stream_token()
        self.given.append(token.token)
        return token


@pytest.fixture
def talkative(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    """Every logger says all it can."""
    caplog.set_level(logging.DEBUG)
    names = ("oddsdesk", "uvicorn", "httpx", "httpcore", "websockets", "asyncio")
    before = {name: logging.getLogger(name).level for name in names}
    for name in names:
        logging.getLogger(name).setLevel(logging.DEBUG)
    yield caplog
    for name, level in before.items():
        logging.getLogger(name).setLevel(level)


async def test_a_desk_with_its_server_logs_neither_key_nor_token(
    tmp_path: Path, talkative: pytest.LogCaptureFixture
) -> None:
    database = tmp_path / "odds.db"
    server = EmbeddedServer(Settings(database, port=0))
    client = Tokens(server.start_server(), server.key)
    wrong_key = "oddsdesk_live_" + "f" * 32
    store = open_store(database)
    try:
        no = Client(client.addresses.base, wrong_key)
        async with asyncio.timeout(LIMIT_S), client, no:
            await heard(client, store)
            with pytest.raises(AddressError):
                await client.event(server.key)
            with pytest.raises(UnauthorizedError):
                await no.sports()
    finally:
        store.close()
        assert server.stop_server()
    assert "httpcore" in talkative.text
    assert client.given
    for secret in (server.key, wrong_key, *client.given):
        assert secret not in talkative.text


async def heard(client: Client, store: Store) -> None:
    """Wait until the stream has brought a change; it sends none from before it was opened."""
    async with aclosing(client.stream()) as changes:
        change = spawn("first change", anext(changes))
        for price in itertools.cycle([2.0, 2.1]):
            quote = Quote("A", "B - C", "EPL", "moneyline", 0, {"B": price}, system_clock())
            await asyncio.wrap_future(store.record([quote]))
            done, _ = await asyncio.wait([change], timeout=0.05)
            if done:
                change.result()
                return
