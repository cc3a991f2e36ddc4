"""Whether threads hang, and the reports to systemd."""

import asyncio
import logging
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from oddsdesk.cluster.postgres.connections import TURN_S
from oddsdesk.server.fairness import ReaderPool
from oddsdesk.server.run import monitoring
from oddsdesk.server.run.monitoring import READING, RECORDING, STUCK_S, Liveness, ServiceManager
from oddsdesk.store.store import Store
from oddsdesk.store.turns import Turns

if sys.platform == "win32":
    pytest.skip("no such sockets", allow_module_level=True)

from tests.kit.notify_socket import NotifySocket

WATCHDOG_US = 40_000


@pytest.fixture
def systemd(tmp_path: Path) -> Iterator[NotifySocket]:
    with NotifySocket(str(tmp_path / "notify")) as listening:
        yield listening


def manager_of(systemd: NotifySocket, **more: str) -> ServiceManager:
    return ServiceManager({"NOTIFY_SOCKET": systemd.address, **more})


def test_it_says_that_it_is_ready_how_it_is_and_that_it_ends(systemd: NotifySocket) -> None:
    manager = manager_of(systemd)
    manager.ready("listening on http://127.0.0.1:8765")
    manager.beat("listening; nothing\ncan be read", is_well=True)
    manager.stopping()
    assert systemd.next() == ["READY=1", "STATUS=listening on http://127.0.0.1:8765"]
    assert systemd.next() == ["STATUS=listening; nothing can be read"]
    assert systemd.next() == ["STOPPING=1", "STATUS=stopping"]


def test_an_abstract_socket_is_one() -> None:
    with NotifySocket(f"@oddsdesk-test-{os.getpid()}") as systemd:
        manager_of(systemd).ready("well")
        assert systemd.next() == ["READY=1", "STATUS=well"]


def test_programs_that_it_starts_do_not_speak_for_it(systemd: NotifySocket) -> None:
    variables = {
        "NOTIFY_SOCKET": systemd.address,
        "WATCHDOG_USEC": "1000000",
        "WATCHDOG_PID": str(os.getpid()),
        "HOME": "/",
    }
    ServiceManager(variables)
    assert variables == {"HOME": "/"}


def test_without_a_socket_nothing_is_said(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(monitoring.socket, "socket", pytest.fail)
    manager = ServiceManager({"WATCHDOG_USEC": "1000000"})
    manager.ready("well")
    manager.beat("well", is_well=True)
    manager.stopping()
    assert not caplog.records


def test_a_socket_that_is_away_is_logged_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    manager = ServiceManager({"NOTIFY_SOCKET": str(tmp_path / "none"), "WATCHDOG_USEC": "2"})
    manager.ready("well")
    manager.beat("well", is_well=True)
    manager.stopping()
    (told,) = caplog.records
    assert (told.levelno, told.getMessage()) == (
        logging.WARNING,
        "cannot report the server's state to systemd: No such file or directory",
    )


@pytest.mark.parametrize("given", ["", "x", "²", "-5"])
def test_a_watchdog_that_makes_no_sense_is_none(systemd: NotifySocket, given: str) -> None:
    manager = manager_of(systemd, WATCHDOG_USEC=given)
    manager.beat("", is_well=True)
    assert systemd.drain() == []


def test_the_watchdog_of_another_process_is_not_fed(systemd: NotifySocket) -> None:
    manager_of(systemd, WATCHDOG_USEC="2", WATCHDOG_PID="1").beat("", is_well=True)
    assert systemd.drain() == []


def test_the_watchdog_is_fed_while_all_is_well_and_the_loop_turns(systemd: NotifySocket) -> None:
    """A loop that hangs reports nothing, and no thread reports for it."""
    manager = manager_of(systemd, WATCHDOG_USEC=str(WATCHDOG_US), WATCHDOG_PID=str(os.getpid()))
    assert manager.beat_interval_s == pytest.approx(0.02)
    hangs, release = threading.Event(), threading.Event()
    well = True

    def hang() -> None:
        hangs.set()
        release.wait(30)

    async def serve() -> None:
        following = asyncio.ensure_future(manager.report_status(lambda: "", lambda: well))  # noqa: TID251
        ended = asyncio.get_running_loop().create_future()
        loops.append((asyncio.get_running_loop(), ended))
        await ended
        following.cancel()

    loops: list[tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]] = []
    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    systemd.until("WATCHDOG=1")
    systemd.until("WATCHDOG=1")
    (loop, ended), *_ = loops
    loop.call_soon_threadsafe(hang)
    assert hangs.wait(30)
    systemd.drain()
    assert systemd.next(10 * WATCHDOG_US / 1e6) == []
    release.set()
    systemd.until("WATCHDOG=1")
    well = False
    loop.call_soon_threadsafe(hangs.clear)
    while hangs.is_set() or systemd.drain():  # what was sent before it was not well
        pass
    assert systemd.next(10 * WATCHDOG_US / 1e6) == []
    loop.call_soon_threadsafe(ended.set_result, None)
    thread.join(30)


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def store_that_writes(seconds: float) -> Store:
    return cast(Store, SimpleNamespace(writing_for_s=lambda: seconds))


@pytest.mark.parametrize(("seconds", "is_well"), [(0, True), (STUCK_S, True), (STUCK_S + 1, False)])
def test_a_transaction_that_does_not_end_hangs(
    seconds: float, is_well: bool, caplog: pytest.LogCaptureFixture
) -> None:
    looking = Liveness(store_that_writes(seconds), tuple)
    for _ in range(2):
        looking.check_liveness()
        assert looking.is_well is is_well
    assert [each.line for each in looking.troubles()] == [] if is_well else [RECORDING]
    assert all(each.stops_recording for each in looking.troubles())
    assert len(caplog.records) == (0 if is_well else 1)


async def test_threads_that_are_all_at_one_thing_for_long_hang(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A thread that is free is enough, however long the other takes."""
    pool, clock = ReaderPool("tested", threads=2), Clock()
    looking = Liveness(store_that_writes(0), lambda: [pool], clock)
    release = threading.Event()
    looking.check_liveness()
    slow = [pool.begin(lambda: release.wait(30) and None)]
    while not looking._asked[pool][1].done():
        await asyncio.sleep(0)
    for _ in range(3):
        clock.now += STUCK_S + 1
        looking.check_liveness()
        assert looking.is_well
        while not looking._asked[pool][1].done():
            await asyncio.sleep(0)
    slow.append(pool.begin(lambda: release.wait(30) and None))
    looking.check_liveness()
    clock.now += STUCK_S
    looking.check_liveness()
    assert looking.is_well
    clock.now += 1
    looking.check_liveness()
    assert [each.line for each in looking.troubles()] == [READING]
    assert [each.getMessage() for each in caplog.records] == [READING]
    release.set()
    await asyncio.gather(*slow)
    while not looking._asked[pool][1].done():
        await asyncio.sleep(0)
    looking.check_liveness()
    assert looking.is_well
    pool.close()


class Queued(Turns[None]):
    """Turns whose jobs nobody does."""

    def close_writer(self) -> None:
        raise NotImplementedError

    def fail_waiting(self) -> None:
        raise NotImplementedError


def test_the_writers_thread_knows_how_long_it_is_at_its_jobs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    turns = Queued()
    monkeypatch.setattr("oddsdesk.store.turns.time.monotonic", clock := Clock())
    assert turns.busy_for_s() == 0
    turns.submit(lambda _: None)
    assert turns.busy_for_s() == 0
    assert len(turns.next()) == 1
    clock.now += 7
    assert turns.busy_for_s() == 7
    turns.close_turns()
    assert turns.next() == []
    assert turns.busy_for_s() == 0


def test_the_limit_of_a_hang_is_the_one_in_the_messages() -> None:
    assert monitoring.STUCK_S == 2 * 60 > TURN_S, (
        "one that waits for others to record does not hang"
    )
    assert all("2 minutes" in each for each in (READING, RECORDING))
