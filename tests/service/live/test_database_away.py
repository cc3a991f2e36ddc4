"""PostgreSQL in trouble: 503 at once, one line, back by itself; the event loop never waits."""

import asyncio
import contextlib
import json
import logging
import os
import signal
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from websockets.exceptions import ConnectionClosed

from oddsdesk.base.tasks import cancel_tasks, spawn
from oddsdesk.contract.times import format_ms
from oddsdesk.store.databases import DatabaseUrl
from oddsdesk.store.errors import StoreUnavailableError
from tests.kit.live_service import LiveService
from tests.kit.postgres import Postgres, running_postgres

LIMIT_S = 60


def _busy_s() -> float:
    """Return for how many seconds this thread ran, or could have run on a free processor."""
    try:
        ran_ns, waited_ns, _ = map(int, Path("/proc/thread-self/schedstat").read_text().split())
    except OSError:  # not Linux
        return time.thread_time()
    return (ran_ns + waited_ns) / 1e9


class LoopDelay:
    """For how long the loop of the test, and of the server, was blocked; another thread too.

    Only waiting counts, as for a database that does not answer. A processor that is busy with
    other programs delays the loop, too, and says nothing about it.
    """

    def __init__(self) -> None:
        self._loop_s = self._thread_s = 0.0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._measure_thread)

    @property
    def is_small(self) -> bool:
        """Whether the loop went on as any thread did: another may hold the interpreter."""
        return self._loop_s < self._thread_s + 2

    async def measure(self) -> None:
        self._thread.start()
        try:
            while True:
                due = time.monotonic() + 0.01 - _busy_s()
                await asyncio.sleep(0.01)
                self._loop_s = max(self._loop_s, time.monotonic() - _busy_s() - due)
        finally:
            self._ended.set()
            self._thread.join()

    def _measure_thread(self) -> None:
        due = time.monotonic() + 0.01 - _busy_s()
        while not self._ended.wait(0.01):
            self._thread_s = max(self._thread_s, time.monotonic() - _busy_s() - due)
            due = time.monotonic() + 0.01 - _busy_s()


@pytest.fixture(scope="module")
def server() -> Iterator[Postgres]:
    """A PostgreSQL of these tests' own, since they stop it."""
    with running_postgres() as running:
        yield running


@pytest.fixture
def url(server: Postgres) -> str:
    return server.url()


@pytest.fixture
async def live(url: str) -> AsyncIterator[LiveService]:
    service = LiveService(DatabaseUrl(url))
    await service.start()
    yield service
    await service.stop()


@pytest.fixture
async def delay() -> AsyncIterator[LoopDelay]:
    delay = LoopDelay()
    measuring = spawn("measure", delay.measure())
    yield delay
    await cancel_tasks(measuring)


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(LIMIT_S):
        while not await holds():
            await asyncio.sleep(0.02)


async def status(live: LiveService, path: str, key: str = "") -> int:
    answer = await live.http.get(path, headers={"X-Api-Key": key} if key else {})
    return int(answer.status_code)


async def is_away(live: LiveService) -> bool:
    return await status(live, "/api/health") == 503


async def answers(live: LiveService, key: str) -> bool:
    return await status(live, "/api/odds", key) == 200


async def is_back(live: LiveService) -> bool:
    return await status(live, "/api/ready") == 200


async def refused_everywhere(live: LiveService, key: str, reason: str) -> None:
    """Ask in every way, unknown keys too: nobody waits, and nobody is said to be unknown."""
    await until(lambda: is_in_health(live, reason))  # a busy machine's may first be slow
    health = await live.http.get("/api/health")
    assert (health.status_code, health.json()["status"]) == (503, "unavailable")
    troubles = live.server.troubles.now()
    assert [each for each in troubles if each.line.startswith("nothing can be read: ")]
    assert await status(live, "/api/ready") == 503
    async with asyncio.timeout(LIMIT_S):
        for asked in (key, "nonsense"):
            answers = [live.http.get("/api/odds", headers={"X-Api-Key": asked}) for _ in range(20)]
            for answer in await asyncio.gather(*answers):
                assert answer.status_code == 503
                assert answer.json()["error"]["code"] == "service_unavailable"
                assert int(answer.headers["retry-after"]) > 0
    posted = await live.http.post("/ingest", content=b"{}")
    assert posted.status_code == 503


def told(caplog: pytest.LogCaptureFixture) -> set[str]:
    """Return what the log says of the database itself: a busy machine may seem away once more."""
    records = [each for each in caplog.records if each.name == "oddsdesk.server.fairness"]
    caplog.clear()
    return {record.message.partition(":")[0] for record in records}


async def test_it_dies_and_comes_back(
    live: LiveService, server: Postgres, delay: LoopDelay, caplog: pytest.LogCaptureFixture
) -> None:
    """Streams go on where they were; what was asked meanwhile was not counted."""
    key = live.key()
    client, token = await live.stream(key), await live.token(key)
    await live.record(live.quote())
    before = int(
        (await live.http.get("/api/odds", headers={"X-Api-Key": key})).headers[
            "x-ratelimit-remaining"
        ]
    )
    await asyncio.to_thread(server.stop)
    try:
        await until(lambda: is_away(live))
        await refused_everywhere(live, key, "cannot be reached")
        with pytest.raises(ConnectionClosed) as closed:
            await (await live.open(token=token)).recv()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1013
        with pytest.raises(StoreUnavailableError):
            await live.record(live.quote(odds={"Arsenal": 2.2}))
    finally:
        await asyncio.to_thread(server.start)
    await until(lambda: answers(live, key))
    answer = await live.http.get("/api/odds", headers={"X-Api-Key": key})
    assert int(answer.headers["x-ratelimit-remaining"]) < before
    await until_recorded(live)
    last = live.quote().scraped_at
    async with asyncio.timeout(LIMIT_S):
        while json.loads(await client.recv())["scraped_at"] != format_ms(last):
            pass
    await client.close()
    assert told(caplog) == {
        "the database cannot be reached; retrying",
        "the database can be reached again",
    }
    assert delay.is_small


async def is_refused(live: LiveService) -> bool:
    """Record, and say whether that was refused: a connection may end a moment later."""
    live.now += 1
    try:
        await live.record(live.quote(odds={"Arsenal": 2 + live.now % 100 / 100}))
    except StoreUnavailableError:
        return True
    return False


async def until_recorded(live: LiveService) -> None:
    """Record as a feed does: until it is taken."""

    async def is_recorded() -> bool:
        return not await is_refused(live)

    await until(is_recorded)


@contextlib.contextmanager
def standing_still(server: Postgres, *, wholly: bool) -> Iterator[None]:
    """Stop the server's own process, which lets connections in, or all that it runs, too."""
    first = int((server.folder / "data" / "postmaster.pid").read_text().split()[0])
    os.kill(first, signal.SIGSTOP)  # from here on it runs none of them
    children = Path(f"/proc/{first}/task/{first}/children").read_text().split()
    stopped = [first, *(map(int, children) if wholly else ())]
    try:
        for each in stopped:
            os.kill(each, signal.SIGSTOP)
        yield
    finally:
        for each in reversed(stopped):
            with contextlib.suppress(ProcessLookupError):
                os.kill(each, signal.SIGCONT)


async def test_it_hangs(
    live: LiveService, server: Postgres, delay: LoopDelay, caplog: pytest.LogCaptureFixture
) -> None:
    """All of it stands still: connections stay open, and nothing comes."""
    key = live.key()
    await live.get("/api/odds", key)
    with standing_still(server, wholly=True):
        waiting = [spawn("ask", status(live, "/api/odds", key)) for _ in range(20)]
        async with asyncio.timeout(LIMIT_S):
            assert set(await asyncio.gather(*waiting)) == {503}
        await refused_everywhere(live, key, "does not answer in time")
    await until(lambda: is_back(live))
    assert await status(live, "/api/odds", key) == 200
    assert told(caplog) == {
        "the database cannot be reached; retrying",
        "the database can be reached again",
    }
    assert delay.is_small


async def test_it_lets_nobody_in(
    live: LiveService, server: Postgres, url: str, delay: LoopDelay
) -> None:
    """The server's own process stands still: clients stay connected, others do not get in."""
    key = live.key()
    await live.get("/api/odds", key)
    connection = await asyncio.to_thread(server.connect, url)
    with contextlib.closing(connection), standing_still(server, wholly=False):
        assert await status(live, "/api/odds", key) == 200
        await asyncio.to_thread(kill_others, connection)
        await until(lambda: is_away(live))
        await refused_everywhere(live, key, "")
    await until(lambda: is_back(live))
    assert await status(live, "/api/odds", key) == 200
    assert delay.is_small


def kill_others(connection: psycopg.Connection[Any]) -> None:
    connection.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE application_name = 'oddsdesk' AND pid <> pg_backend_pid()"
    )


@pytest.mark.parametrize("table", ["quote", "access_version"])
async def test_another_session_locks_a_table(
    live: LiveService, server: Postgres, url: str, delay: LoopDelay, table: str
) -> None:
    key = live.key()
    await live.get("/api/odds", key)
    with contextlib.closing(await asyncio.to_thread(server.connect, url)) as connection:
        connection.execute("BEGIN")
        connection.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")  # type: ignore[arg-type]
        await until(lambda: is_away(live))
        await refused_everywhere(live, key, "locked")
    await until(lambda: is_back(live))
    assert await status(live, "/api/odds", key) == 200
    assert delay.is_small


async def test_it_can_only_be_read(live: LiveService, server: Postgres, url: str) -> None:
    """As a standby after a failover: answers go on, recording says why not."""
    key = live.key()
    await live.record(live.quote())
    with contextlib.closing(await asyncio.to_thread(server.connect, url)) as connection:
        connection.execute("ALTER DATABASE postgres SET default_transaction_read_only = on")
        try:
            kill_others(connection)
            await until(lambda: is_refused(live))
            await until(lambda: is_in_health(live, "odds cannot be recorded"))
            assert await status(live, "/api/odds", key) == 200
            assert await status(live, "/api/ready") == 503
        finally:
            connection.execute("SET default_transaction_read_only = off")
            connection.execute("ALTER DATABASE postgres RESET default_transaction_read_only")
        kill_others(connection)
    await until_recorded(live)
    await until(lambda: is_back(live))


async def test_its_disk_is_full(live: LiveService, server: Postgres, url: str) -> None:
    key = live.key()
    await live.record(live.quote())
    with contextlib.closing(await asyncio.to_thread(server.connect, url)) as connection:
        connection.execute(
            "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$"
            " BEGIN RAISE EXCEPTION 'no space left' USING ERRCODE = '53100'; END $$"
        )
        for table in ("quote", "quota"):
            connection.execute(
                f"CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON {table}"  # type: ignore[arg-type]
                " FOR EACH STATEMENT EXECUTE FUNCTION full_disk()"
            )
        with pytest.raises(StoreUnavailableError):
            await live.record(live.quote(odds={"Arsenal": 2.2}, scraped_at=live.now + 1))
        await until(lambda: is_in_health(live, "the disk is full"))
        assert await status(live, "/api/odds", key) == 200
        assert await status(live, "/api/ready") == 503
        for table in ("quote", "quota"):
            connection.execute(f"DROP TRIGGER full_disk ON {table}")  # type: ignore[arg-type]
    await until_recorded(live)
    await until(lambda: is_back(live))


async def is_in_health(live: LiveService, reason: str) -> bool:
    answer = await live.http.get("/api/health")
    return reason in " ".join(answer.json()["reasons"])


async def test_a_newer_version_changes_the_tables(
    live: LiveService, server: Postgres, url: str, caplog: pytest.LogCaptureFixture
) -> None:
    key = live.key()
    await live.get("/api/odds", key)
    with contextlib.closing(await asyncio.to_thread(server.connect, url)) as connection:
        connection.execute("UPDATE oddsdesk_schema SET steps = steps + 1")
        await until(lambda: is_away(live))
        await refused_everywhere(live, key, "")
        assert "newer oddsdesk" in caplog.text
        connection.execute("UPDATE oddsdesk_schema SET steps = steps - 1")
    await until(lambda: is_back(live))
    assert await status(live, "/api/odds", key) == 200
    caplog.clear()


async def test_its_tables_are_gone(
    live: LiveService, server: Postgres, url: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Dropped, or another program's: no request finds a bug in that."""
    key = live.key()
    await live.get("/api/odds", key)
    with contextlib.closing(await asyncio.to_thread(server.connect, url)) as connection:
        connection.execute("ALTER TABLE quote RENAME TO quote_of_another_program")
        await until(lambda: is_away(live))
        await refused_everywhere(live, key, "the database reports an error")
        connection.execute("ALTER TABLE quote_of_another_program RENAME TO quote")
    await until(lambda: is_back(live))
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]
    caplog.clear()
