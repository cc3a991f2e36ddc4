"""What is logged of requests that the database refuses."""

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar, cast

import pytest
from click.testing import CliRunner

from oddsdesk.base.clock import system_clock
from oddsdesk.base.tasks import spawn
from oddsdesk.cli.keys import keys
from oddsdesk.contract.access import Plan
from oddsdesk.server.gate import RECHECK_S, Gate, LoopAccess, RequestContext, Service, loggable
from oddsdesk.server.rest import Bare, Figures, Reply, encode_bare
from oddsdesk.server.troubles import Troubles
from oddsdesk.store.access import AccessStore, open_access
from oddsdesk.store.errors import StoreUnavailableError
from oddsdesk.store.keys import KNOWN_S, Keys, NewKey
from oddsdesk.store.quotas import Kind
from tests.kit.dict_access import DictAccess, DictAccessTables


class Recording(Gate):
    """Refuses for as long as the disk is full."""

    is_full = True

    async def reply(self, request: RequestContext) -> Reply:
        if self.is_full:
            raise StoreUnavailableError("the disk is full")
        return encode_bare(Bare({}))


def test_refusals_of_the_database_are_logged_once_and_counted_at_their_end(
    caplog: pytest.LogCaptureFixture,
) -> None:
    service = SimpleNamespace(clock=lambda: 0, troubles=Troubles(), figures=Figures(), base_url="")
    gate = Recording(cast(Service, service))
    scope = {"type": "http", "method": "POST", "path": "/ingest", "headers": []}

    async def send(_: Any) -> None:
        pass

    async def ask() -> None:
        await gate(dict(scope, scheme="http"), cast(Any, None), send)

    for _ in range(3):
        asyncio.run(ask())
    gate.is_full = False
    for _ in range(2):
        asyncio.run(ask())
    assert caplog.messages == [
        "POST '/ingest': the disk is full",
        "POST '/ingest': the database works again; 3 requests failed",
    ]


def test_a_path_in_the_log_is_masked_before_it_is_cut() -> None:
    key = "oddsdesk_live_0123456789abcdef0123456789abcdef"
    scope = {"method": "GET", "path": f"/{'a.' * 120}{key}\n{'/b' * 8_000}"}
    line = loggable(scope)
    assert "0123" not in line
    assert "\n" not in line
    assert len(line) < 300


T = TypeVar("T")
SLOT = 1, Kind.REQUESTS, 60


class Elsewhere(DictAccess):
    """A database that other processes change; it may be slow, or refuse."""

    def __init__(self) -> None:
        super().__init__()
        self.readers: set[threading.Thread] = set()
        self.lets_read = threading.Event()
        self.lets_read.set()
        self.refuses = False
        self.is_written = True
        self.tells_once = False
        self.versions = 0
        self._changes = 0
        self._one_at_a_time = threading.RLock()

    def read_with(self, function: Callable[[DictAccessTables], T]) -> T:
        self.readers.add(threading.current_thread())
        assert self.lets_read.wait(timeout=10)
        if self.refuses:
            raise StoreUnavailableError("away")
        with self._one_at_a_time:
            return super().read_with(function)

    def may_have_changed(self) -> bool:
        """Say yes once after each write."""
        is_written, self.is_written = self.is_written, self.is_written and not self.tells_once
        return is_written

    def version(self) -> int:
        self.versions += 1
        return self.read_with(lambda _: self._changes)

    def change(self, work: Callable[[Keys], T]) -> T:
        """Change keys as another process does."""
        with self._one_at_a_time:
            done = work(Keys(self))
            self._changes += 1
        return done


@pytest.fixture
def elsewhere() -> Elsewhere:
    return Elsewhere()


@pytest.fixture
async def access(elsewhere: Elsewhere) -> AsyncIterator[LoopAccess]:
    access = LoopAccess(AccessStore(elsewhere), lambda: 0)
    elsewhere.readers.clear()
    yield access
    elsewhere.lets_read.set()
    access.end_thread()


@pytest.fixture
def aged(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    def age(seconds: float) -> None:
        monkeypatch.setattr(Keys, "age_s", seconds)

    return age


def make(keys: Keys) -> NewKey:
    return keys.create("ann", Plan.PRO, None, 0)


async def test_a_key_that_another_process_made_just_now_opens(
    access: LoopAccess, elsewhere: Elsewhere
) -> None:
    made = elsewhere.change(make)
    caller = await access.caller(made.secret)
    assert caller is not None
    assert await access.by_id(made.key.key_id) == caller
    assert access.is_unchanged(caller)
    assert await access.caller("nonsense") is None


async def test_a_key_that_another_process_revoked_is_unknown_half_a_second_later(
    access: LoopAccess, elsewhere: Elsewhere, aged: Callable[[float], None]
) -> None:
    made = elsewhere.change(make)
    caller = await access.caller(made.secret)
    elsewhere.change(lambda keys: keys.revoke(made.secret, 0))
    aged(KNOWN_S + 0.01)
    assert await access.caller(made.secret) is None
    assert await access.by_id(made.key.key_id) is None
    assert caller is not None
    assert not access.is_unchanged(caller)


@pytest.mark.parametrize("command", ["revoke", "rotate"])
async def test_a_busy_server_knows_what_a_command_ended_once_that_is_back(
    command: str, tmp_path: Path
) -> None:
    """F5.10: a key that was ended opens no request after that."""
    database = tmp_path / "odds.db"
    with contextlib.closing(open_access(database)) as opened:
        secret = make(opened.keys).secret
        access = LoopAccess(opened, system_clock)
        arguments = [command, "--database", str(database), secret]
        running = spawn("keys", asyncio.to_thread(CliRunner().invoke, keys, arguments))
        while not running.done():
            await access.caller(secret)
            await asyncio.sleep(0.005)
        assert running.result().exit_code == 0
        assert await access.caller(secret) is None
        access.end_thread()


async def test_while_the_database_is_slow_who_is_known_waits_for_nothing(
    access: LoopAccess, elsewhere: Elsewhere, aged: Callable[[float], None]
) -> None:
    known, later = elsewhere.change(make), elsewhere.change(make)
    await access.caller(known.secret)
    await access.take_token(known.key.key_id, Kind.REQUESTS, 5, 60, 0)
    elsewhere.change(lambda keys: keys.revoke(later.secret, 0))
    elsewhere.lets_read.clear()
    aged(RECHECK_S + 0.01)
    stranger = spawn("ask", access.caller("nonsense"))
    for _ in range(3):
        assert await access.caller(known.secret) is not None
        assert (await access.take_token(known.key.key_id, Kind.REQUESTS, 5, 60, 0)).allowed
    assert not stranger.done()
    elsewhere.lets_read.set()
    assert await stranger is None
    assert access.known_caller(later.secret) is None


async def test_all_who_are_unknown_wait_for_one_reading(
    access: LoopAccess, elsewhere: Elsewhere
) -> None:
    elsewhere.lets_read.clear()
    asked = [spawn("ask", access.caller(f"nonsense {n}")) for n in range(20)]
    await asyncio.sleep(0)
    before = elsewhere.versions
    elsewhere.lets_read.set()
    assert await asyncio.gather(*asked) == [None] * 20
    assert elsewhere.versions - before <= 1


async def test_who_asks_while_a_reading_runs_waits_for_one_that_began_later(
    access: LoopAccess, elsewhere: Elsewhere
) -> None:
    elsewhere.lets_read.clear()
    access.refresh_soon()
    elsewhere.lets_read.set()
    made = elsewhere.change(make)
    assert await access.caller(made.secret) is not None


async def test_a_refusal_is_told_to_who_must_know_until_it_is_over(
    access: LoopAccess, elsewhere: Elsewhere, aged: Callable[[float], None]
) -> None:
    made = elsewhere.change(make)
    await access.caller(made.secret)
    elsewhere.refuses = True
    aged(KNOWN_S + 0.01)
    for ask in (access.caller(made.secret), access.caller("x"), access.peek(*SLOT[:2], 5, 60, 0)):
        with pytest.raises(StoreUnavailableError):
            await ask
    with pytest.raises(StoreUnavailableError):
        access.refresh_soon()
    assert access.known_count(*SLOT[:2], 5, 60, 0) is None
    elsewhere.refuses = False
    assert await access.caller(made.secret) is not None
    access.refresh_soon()
    assert (await access.peek(*SLOT[:2], 5, 60, 0)).remaining == 5


async def test_while_nobody_writes_keys_are_read_again_after_a_refusal_only(
    access: LoopAccess, elsewhere: Elsewhere
) -> None:
    async def looks() -> int:
        before = elsewhere.versions
        with contextlib.suppress(StoreUnavailableError):
            access.refresh_soon()
        await access.thread.run(lambda: None)  # after what was begun
        return elsewhere.versions - before

    elsewhere.is_written = False
    assert [await looks() for _ in range(2)] == [0, 0]
    elsewhere.is_written = elsewhere.refuses = True
    assert await looks() == 1
    elsewhere.is_written = elsewhere.refuses = False
    assert [await looks() for _ in range(2)] == [1, 0]


async def test_a_write_during_a_reading_is_followed_by_another(
    access: LoopAccess, elsewhere: Elsewhere
) -> None:
    """A stream went on though its key was revoked: the look was used up while one ran."""
    made = elsewhere.change(make)
    await access.caller(made.secret)
    elsewhere.is_written = elsewhere.tells_once = True
    elsewhere.lets_read.clear()
    access.refresh_soon()
    await asyncio.sleep(0)
    elsewhere.is_written = True
    access.refresh_soon()
    elsewhere.lets_read.set()
    await access.thread.run(lambda: None)
    elsewhere.change(lambda keys: keys.revoke(made.secret, 0))
    access.refresh_soon()
    await access.thread.run(lambda: None)
    assert access.known_caller(made.secret) is None


async def test_who_gives_up_waiting_leaves_the_reading_to_the_others(
    access: LoopAccess, elsewhere: Elsewhere
) -> None:
    made = elsewhere.change(make)
    elsewhere.lets_read.clear()
    first, second = (spawn("ask", access.caller(made.secret)) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    elsewhere.lets_read.set()
    assert await second is not None


async def test_counts_of_other_processes_are_read_when_a_key_is_first_seen_and_a_second_later(
    access: LoopAccess, elsewhere: Elsewhere
) -> None:
    elsewhere.tables.counts_of[SLOT, 0] = 2
    assert (await access.peek(*SLOT[:2], 500, 60, 0)).remaining == 498
    assert (await access.take_token(*SLOT[:2], 500, 60, 0)).remaining == 497
    flushing = access.save_counts()
    assert flushing is not None
    elsewhere.tables.counts_of[SLOT, 0] = 500
    assert (await access.peek(*SLOT[:2], 500, 60, 999)).remaining == 497
    assert (await access.peek(*SLOT[:2], 500, 60, 1_000)).remaining == 0
    assert not (await access.take_token(*SLOT[:2], 500, 60, 1_000)).allowed


async def test_nothing_is_read_on_the_loop(access: LoopAccess, elsewhere: Elsewhere) -> None:
    elsewhere.lets_read.set()
    await access.caller("nonsense")
    await access.by_id(5)
    await access.peek(*SLOT[:2], 5, 60, 0)
    await access.take_token(*SLOT[:2], 5, 60, 90_000)
    access.refresh_soon()
    await access.reread_keys()
    assert elsewhere.readers
    assert threading.current_thread() not in elsewhere.readers
