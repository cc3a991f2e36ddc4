"""Two processes that serve one database and a bus between them, which may be away or hostile."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import msgspec
import nats
import pytest

from oddsdesk.cluster import bus as bus_module
from oddsdesk.cluster import bus as connection_module
from oddsdesk.cluster import tails as tail_module
from oddsdesk.cluster.bus import Bus, BusConnection
from oddsdesk.cluster.tails import LONGEST, BusTail, Letters, PolledTail, ShardChanges
from oddsdesk.contract.quotes import Quote
from oddsdesk.store.errors import StoreError
from oddsdesk.store.reader import Grown, OnRecorded
from oddsdesk.store.store import Store, open_store
from oddsdesk.store.values import Change
from tests.kit.nats import Nats, running_nats

SECRET = b"s" * 32
LIMIT_S = 20


@pytest.fixture(scope="module")
def server() -> Iterator[Nats]:
    with running_nats() as server:
        yield server


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "odds.db"


async def until(what: Callable[[], object]) -> None:
    async with asyncio.timeout(LIMIT_S):
        while not what():
            await asyncio.sleep(0.01)


class Process:
    """A store, its bus and its tail, as a process has them; ``odds`` is what streams would send."""

    def __init__(self, database: Path, url: str, share: tuple[str, ...] | None = None) -> None:
        self.store: Store = open_store(database, clock=lambda: 1_000)
        self._note: OnRecorded = lambda _: None
        self.bus = Bus(url, SECRET, self._on_recorded, self._read, share)
        self.polled = PolledTail(self.store, lambda _: lambda: None)
        self.tail = BusTail(self.polled, self.bus)
        self.odds: list[float | None] = []
        self.left_out: list[bool] = []
        self.forbidden = False
        self.brings_changes = False
        """Whether what is recorded is told with its changes, which else are read."""

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator["Process"]:
        self.bus.start_bus()
        task = asyncio.get_running_loop().create_task(self._listen(await self.polled.end()))
        try:
            yield self
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            await self.bus.stop_bus()
            self.polled.close()
            self.store.close()

    async def record(self, *odds: float) -> None:
        for each in odds:
            quote = Quote("Bwin", "A - B", "EPL", "yes_no", 0, {"Yes": each}, 1_000)
            recorded = await asyncio.wrap_future(self.store.record([quote]))
            if recorded.changes:
                self._note(self._grown(recorded.last_seq, recorded.changes))

    async def _listen(self, position: tuple[int, ...]) -> None:
        with self.tail.listening():
            while True:
                changes, position = await self.tail.next(position, 10)
                self.odds += [each.odds for each in changes]
                self.left_out += [each.is_left_out for each in changes]

    def _grown(self, last: int, count: int) -> Grown:
        changes = self._read(last - count, count, 0) if self.brings_changes else ()
        return Grown(0, last - count + 1, last, changes)

    def _on_recorded(self, note: OnRecorded) -> Callable[[], None]:
        self._note = note
        return lambda: None

    def _read(self, seq: int, limit: int, shard: int) -> list[Change]:
        found = self.store.reader().changes_after(seq, limit, shard)
        return [msgspec.structs.replace(each, is_left_out=self.forbidden) for each in found]


@contextlib.asynccontextmanager
async def two(database: Path, url: str) -> AsyncIterator[tuple[Process, Process]]:
    async with Process(database, url).running() as one, Process(database, url).running() as other:
        yield one, other


async def both_open(one: Process, other: Process) -> None:
    await until(lambda: one.bus.is_connected and other.bus.is_connected)


async def test_what_one_records_the_other_is_told_without_a_look(
    server: Nats, database: Path, monkeypatch
) -> None:
    async with two(database, server.url) as (one, other):
        await both_open(one, other)
        await one.record(1.1)
        await until(lambda: other.odds == [1.1] and one.odds == [1.1])
        monkeypatch.setattr(tail_module, "LOOK_S", 3_600)  # from here on the bus alone tells
        await one.record(1.2, 1.3)
        await until(lambda: other.odds == [1.1, 1.2, 1.3] == one.odds)
        await other.record(1.4)
        await one.record(1.5)
        await until(lambda: other.odds == [1.1, 1.2, 1.3, 1.4, 1.5] == one.odds)
        assert not [*one.bus.troubles(), *other.bus.troubles()]


async def test_streams_go_on_without_the_bus_and_health_says_so(database: Path) -> None:
    with running_nats() as server:
        server.kill()
        async with two(database, server.url) as (one, other):
            await one.record(1.1, 1.2)
            await until(lambda: other.odds == [1.1, 1.2] == one.odds)
            assert [each.line for each in other.bus.troubles()] == [
                "the bus cannot be reached; streams read the database instead"
            ]
            server.start()
            await both_open(one, other)
            assert not [*other.bus.troubles()]
            await one.record(1.3)
            await until(lambda: other.odds[2:] == [1.3])
            server.kill()
            await one.record(1.4)
            await until(lambda: other.odds[2:] == [1.3, 1.4] and not other.bus.is_connected)
            server.start()
            await both_open(one, other)
            await other.record(1.5)
            await until(lambda: one.odds == other.odds == [1.1, 1.2, 1.3, 1.4, 1.5])


async def test_a_bus_that_hangs_holds_up_nobody(database: Path) -> None:
    with running_nats() as server:
        async with two(database, server.url) as (one, other):
            await both_open(one, other)
            server.halt()
            await one.record(1.1, 1.2)
            await until(lambda: other.odds == [1.1, 1.2] == one.odds)
            await until(lambda: not one.bus.is_connected and not other.bus.is_connected)
            await one.record(1.3)
            await until(lambda: other.odds == [1.1, 1.2, 1.3] == one.odds)


async def test_strange_messages_are_ignored_and_told(server: Nats, database: Path) -> None:
    letters = Letters(SECRET)
    forged = Letters(b"f" * 32).write_letter(ShardChanges(0, 1))
    async with two(database, server.url) as (one, other):
        await both_open(one, other)
        await one.record(1.1)
        await until(lambda: other.odds == [1.1])
        stranger = await nats.connect(server.url)
        for letter in (
            b"",
            b"hello",
            forged,
            b"x" * (LONGEST + 1),
            letters.write_letter(ShardChanges(7, 3)),
        ):
            await stranger.publish(letters.subject, letter)
        await stranger.publish(letters.subject, letters.write_letter(ShardChanges(0, 10**15)))
        await stranger.flush()
        lines = ["the bus carries messages from another program; they are ignored"]
        await until(lambda: [each.line for each in other.bus.troubles()] == lines)
        await one.record(1.2, 1.3)
        await until(lambda: other.odds == [1.1, 1.2, 1.3] == one.odds)
        await stranger.close()


async def test_a_recording_of_many_changes_is_read_by_each(
    server: Nats, database: Path, monkeypatch
) -> None:
    monkeypatch.setattr(bus_module, "MOST_SENT", 3)
    expected = [1.1 + each / 10 for each in range(30)]
    async with two(database, server.url) as (one, other):
        await both_open(one, other)
        quotes = [
            Quote("Bwin", "A - B", "EPL", "yes_no", each, {"Yes": odds}, 1_000)
            for each, odds in enumerate(expected)
        ]
        recorded = one.store.record(quotes).result()
        one._note(Grown(0, 1, recorded.last_seq))
        await until(lambda: other.odds == expected == one.odds)


@pytest.mark.parametrize(("share", "is_left_out"), [(None, False), ((), True)])
async def test_what_a_source_forbids_each_process_tells_or_not_by_its_own_settings(
    server: Nats, database: Path, monkeypatch, share, is_left_out
) -> None:
    async with (
        Process(database, server.url).running() as one,
        Process(database, server.url, share).running() as other,
    ):
        await both_open(one, other)
        await one.record(1.1)
        await until(lambda: other.odds == [1.1])
        monkeypatch.setattr(tail_module, "LOOK_S", 3_600)
        await one.record(1.2)  # with it a look ends that was begun before
        await until(lambda: other.odds == [1.1, 1.2])
        one.forbidden = True
        await one.record(1.3)
        await until(lambda: other.odds == [1.1, 1.2, 1.3])
        assert other.left_out == [False, False, is_left_out]


@pytest.mark.parametrize(
    "url", ["", "nats", "http://localhost", "nats://", "nats://h:port", "nats://h/path"]
)
async def test_what_is_no_address_is_one_line(url: str) -> None:
    with pytest.raises(StoreError, match=r"^--bus: expected nats://HOST:PORT$"):
        BusConnection(url, "s", lambda _: True)


async def test_a_password_is_never_shown(caplog, monkeypatch) -> None:
    monkeypatch.setattr(connection_module, "RETRY_S", 0.01)
    connection = BusConnection("nats://user:hunter2222@127.0.0.1:1", "s", lambda _: True)
    assert connection.shown == "nats://127.0.0.1:1"
    task = asyncio.get_running_loop().create_task(connection.keep_connected())
    await until(lambda: "nats://127.0.0.1:1 cannot be reached" in caplog.text)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert "hunter2222" not in caplog.text
