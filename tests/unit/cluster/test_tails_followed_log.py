"""Which tail a process has, by its database and its settings."""

import asyncio
import contextlib
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from oddsdesk.base.places import how_to_install
from oddsdesk.base.tasks import cancel_tasks
from oddsdesk.cluster import tails as polled_module
from oddsdesk.cluster import tails as tail_module
from oddsdesk.cluster.postgres.store import PostgresStore, open_postgres
from oddsdesk.cluster.tails import FollowedLog, PolledTail
from oddsdesk.contract.quotes import Quote
from oddsdesk.server.settings import Settings
from oddsdesk.server.stream.log_tail import LogTail
from oddsdesk.store.errors import StoreError
from oddsdesk.store.store import open_store
from oddsdesk.store.values import Change, Origin
from tests.kit.nats import running_nats
from tests.kit.postgres import Postgres

NOW = 1_763_661_600_000
LIMIT_S = 20
GAMES = 6
ACCESS: Any = SimpleNamespace(secret=b"s" * 32)


@pytest.fixture
def stores(postgres: Postgres) -> Iterator[list[PostgresStore]]:
    """Those of two processes, on a log of three shards."""
    url = postgres.url_with_tables()
    with contextlib.closing(postgres.connect(url)) as connection:
        connection.execute("INSERT INTO shard (shard) VALUES (1), (2)")
    with contextlib.ExitStack() as stack:
        opened = [open_postgres(url, clock=lambda: NOW) for _ in range(2)]
        for each in opened:
            stack.enter_context(contextlib.closing(each))
        yield opened


class Following:
    """What a stream of a process would say."""

    def __init__(self, store: PostgresStore, bus: str | None) -> None:
        self.log = FollowedLog(store, ACCESS, Settings(Path("none"), bus=bus))
        self.heard: list[Change] = []
        self._tasks: list[asyncio.Task[None]] = []

    async def begin(self) -> None:
        self.log.start_following()
        position = await self.log.tail.end()
        self._tasks.append(asyncio.get_running_loop().create_task(self._follow(position)))

    async def end(self) -> None:
        await cancel_tasks(*self._tasks)
        await self.log.stop_following()

    async def _follow(self, position: tuple[int, ...]) -> None:
        with self.log.tail.listening():
            while True:
                changes, position = await self.log.tail.next(position, 100)
                self.heard += changes

    def games(self) -> dict[str, list[float | None]]:
        """The odds by game, in the order in which they came."""
        games: dict[str, list[float | None]] = {}
        for each in self.heard:
            games.setdefault(each.match_name, []).append(each.odds)
        return games


async def until(what: Any) -> None:
    async with asyncio.timeout(LIMIT_S):
        while not what():
            await asyncio.sleep(0.01)


async def record(store: PostgresStore, odds: float, origin: Origin | None = None) -> None:
    quotes = [
        Quote("Bwin", f"Home {game} - Away", "EPL", "yes_no", 0, {"Yes": odds}, NOW)
        for game in range(GAMES)
    ]
    await asyncio.wrap_future(store.record(quotes, origin=origin))


def of_all(*odds: float) -> dict[str, list[float]]:
    return {f"Home {game} - Away": list(odds) for game in range(GAMES)}


@contextlib.asynccontextmanager
async def following(stores: list[PostgresStore], bus: str | None) -> Any:
    both = [Following(each, bus) for each in stores]
    try:
        for each in both:
            await each.begin()
        yield both
    finally:
        for each in both:
            await each.end()


async def test_a_file_is_read_as_before_and_needs_no_bus(tmp_path: Path) -> None:
    with contextlib.closing(open_store(tmp_path / "odds.db")) as store:
        log = FollowedLog(store, ACCESS, Settings(tmp_path))
        assert isinstance(log.tail, LogTail)
        log.start_following()
        assert not [*log.troubles()]
        await log.stop_following()
        with pytest.raises(StoreError, match=r"^--bus: works with PostgreSQL only"):
            FollowedLog(store, ACCESS, Settings(tmp_path, bus="nats://localhost"))


async def test_what_any_process_records_comes_in_order_whatever_shard_it_is_in(
    stores: list[PostgresStore],
) -> None:
    async with following(stores, None) as (one, other):
        assert isinstance(one.log.tail, PolledTail)
        for odds in (1.1, 1.2, 1.3):
            await record(stores[0], odds)
        await until(lambda: one.games() == other.games() == of_all(1.1, 1.2, 1.3))
        await record(stores[1], 1.4)
        await until(lambda: one.games() == other.games() == of_all(1.1, 1.2, 1.3, 1.4))


async def test_with_a_bus_nobody_needs_to_look(
    stores: list[PostgresStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    with running_nats() as server:
        async with following(stores, server.url) as (one, other):
            await until(lambda: not [*one.log.troubles(), *other.log.troubles()])
            await record(stores[0], 1.1)
            await until(lambda: one.games() == other.games() == of_all(1.1))
            monkeypatch.setattr(tail_module, "LOOK_S", 3_600)
            monkeypatch.setattr(polled_module, "SLOW_S", 3_600)
            await record(stores[0], 1.2)
            await record(stores[1], 1.3)
            kept = Origin("the-odds-api", may_share=False)
            await record(stores[1], 1.4, kept)
            await until(lambda: one.games() == other.games() == of_all(1.1, 1.2, 1.3, 1.4))
            assert not any(each.is_left_out for each in one.heard), "this machine alone asks"


async def test_without_its_client_the_bus_is_one_line(
    stores: list[PostgresStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "oddsdesk.cluster.bus", None)
    told = f"^--bus: NATS needs nats-py.*{re.escape(how_to_install('cluster'))}"
    with pytest.raises(StoreError, match=told):
        FollowedLog(stores[0], ACCESS, Settings(Path("none"), bus="nats://localhost"))
