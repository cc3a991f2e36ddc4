"""Probes: checks on a separate thread, and no wait behind other requests (D82, D83)."""

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest

from oddsdesk.base.tasks import spawn
from oddsdesk.server import fairness
from oddsdesk.server.endpoints import health
from oddsdesk.server.endpoints.health import LOOKS_AT_ONCE, Looks
from oddsdesk.server.fairness import ANSWERS_AT_ONCE, HURRY, Circuit, KnownAwayError, ProbesFirst
from oddsdesk.store.errors import StoreUnavailableError

HANG_S = 30


class Database:
    """A database that counts its checks; they wait until ``free`` is set."""

    def __init__(self) -> None:
        self.free = threading.Event()
        self.free.set()
        self.begun = 0
        self.newest = 0
        self.error: Exception | None = None

    def reader(self) -> Any:
        self.begun += 1
        assert self.free.wait(HANG_S)
        if self.error is not None:
            raise self.error
        nothing = dict.fromkeys(("is_simulated", "is_shifted"), lambda _now: False)
        return SimpleNamespace(
            last_standing=lambda _now: self.newest,
            sources=lambda _now: [],
            unpriced_reference=lambda: None,
            **nothing,
        )


class Time:
    """A clock that moves on command."""

    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


@pytest.fixture
def database() -> Database:
    return Database()


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
async def looks(database: Database, time: Time) -> AsyncIterator[Looks]:
    access = SimpleNamespace(circuit=Circuit(), read_keys=lambda: None)
    service: Any = SimpleNamespace(store=database, access=access, clock=lambda: 0)
    made = Looks(service, time)
    yield made
    database.free.set()
    made.end_looks()


async def test_each_of_few_probes_gets_a_look_that_began_after_it_was_asked(
    looks: Looks, database: Database, time: Time
) -> None:
    for newest in range(1, 4):
        database.newest = newest
        assert (await looks.newest()).last_scraped_at == newest
        time.now_s += 1


async def test_probes_at_the_same_time_share_two_looks(looks: Looks, database: Database) -> None:
    """The check under way may have begun before a price that the second probe must report."""
    database.free.clear()
    asked = [spawn("probe", looks.newest()) for _ in range(LOOKS_AT_ONCE)]
    await asyncio.sleep(0)
    database.free.set()
    found = await asyncio.gather(*asked)
    assert all(look.error is None for look in found)
    assert database.begun <= 2


async def test_many_probes_repeat_the_last_look(
    looks: Looks, database: Database, time: Time
) -> None:
    for _ in range(500):
        await looks.newest()
    assert database.begun <= LOOKS_AT_ONCE + 1
    time.now_s += 1.5
    database.newest = 7
    assert (await looks.newest()).last_scraped_at == 7, "what is repeated is a second old at most"


async def test_a_look_that_is_slow_is_no_outage_while_others_are_answered(
    looks: Looks, database: Database, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a machine too busy for a check in 3 s, the database still answers."""
    other: Any = SimpleNamespace(answered_at=time.now_s)
    looks._others = [other]
    monkeypatch.setattr(health, "LIMIT_S", 0.05)
    assert (await looks.newest()).error is None
    database.free.clear()
    time.now_s += 5
    other.answered_at = time.now_s - 0.5
    assert (await looks.newest()).error is None
    time.now_s += 5
    assert (await looks.newest()).error is not None


async def test_a_check_that_hangs_is_reported_and_not_waited_for_again(
    looks: Looks,
    database: Database,
    time: Time,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    assert (await looks.newest()).error is None
    monkeypatch.setattr(health, "LIMIT_S", 0.05)
    monkeypatch.setattr(health, "PATIENCE_S", 0.05)
    database.free.clear()
    time.now_s += 0.5
    assert (await looks.newest()).error is None, "the last look is half a second old"
    time.now_s += 1
    assert isinstance((await looks.newest()).error, StoreUnavailableError)
    time.now_s += 1
    monkeypatch.setattr(health, "PATIENCE_S", HANG_S)
    for _ in range(50):
        assert isinstance((await looks.newest()).error, StoreUnavailableError)
    assert database.begun == 2
    assert caplog.messages == [
        "the database is unavailable: the database does not answer in time: no answer for 0.05 s"
    ]
    database.free.set()
    while (await looks.newest()).error is not None:
        time.now_s += 1
    caplog.clear()


async def test_a_database_that_refuses_is_reported_as_long_as_it_does(
    looks: Looks, database: Database, caplog: pytest.LogCaptureFixture
) -> None:
    database.error = StoreUnavailableError("by the test")
    for _ in range(3):
        assert (await looks.newest()).error is database.error
    assert caplog.messages == ["the database is unavailable: by the test"]
    database.error = None
    assert (await looks.newest()).error is None
    caplog.clear()


async def test_a_database_that_is_known_to_be_away_is_not_asked(
    looks: Looks, database: Database
) -> None:
    looks._circuit._open(StoreUnavailableError("away"))
    assert isinstance((await looks.newest()).error, KnownAwayError)
    assert database.begun == 0


class Asked:
    """What is asked of an application that puts probes first."""

    def __init__(self) -> None:
        self.probed: list[str] = []
        self.others: list[str] = []
        self.statuses: list[int] = []
        self.first = ProbesFirst(self._other, self._probe, lambda: 7.0)

    async def _probe(self, scope: Any, _receive: Any, _send: Any) -> None:
        self.probed.append(scope["path"])

    async def _other(self, scope: Any, _receive: Any, _send: Any) -> None:
        self.others.append(scope["path"])

    async def ask(self, path: str, hurry: asyncio.Event | None = None) -> None:
        async def send(message: Any) -> None:
            if "status" in message:
                self.statuses.append(message["status"])

        scope = {"type": "http", "path": path, "headers": [], HURRY: hurry}
        await self.first(scope, None, send)  # type: ignore[arg-type]


async def test_probes_do_not_wait_behind_other_requests() -> None:
    asked = Asked()
    for path in ("/api/health", "/api/odds", "/api/ready", "/api/readyness"):
        await asked.ask(path)
    assert asked.probed == ["/api/health", "/api/ready"]
    assert asked.others == ["/api/odds", "/api/readyness"]


async def test_a_flood_of_probes_waits_and_each_is_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fairness, "PAUSES_S", (HANG_S, HANG_S))
    asked, hurry = Asked(), asyncio.Event()
    for _ in range(ANSWERS_AT_ONCE + 1):
        await asked.ask("/api/ready")
    begun = len(asked.probed)
    waiting = [spawn("probe", asked.ask("/api/ready", hurry)) for _ in range(3)]
    await asyncio.sleep(0)
    assert len(asked.probed) == begun
    hurry.set()
    await asyncio.gather(*waiting)
    assert len(asked.probed) == begun + 3
    last = spawn("probe", asked.ask("/api/ready"))
    await asyncio.sleep(0)
    last.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await last
    assert asked.statuses == [503], "the server ends meanwhile"
