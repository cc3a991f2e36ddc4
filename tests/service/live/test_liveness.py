"""Health reports a thread that hangs, and the watchdog gets no sign of life meanwhile."""

import asyncio
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from oddsdesk.server.run import monitoring
from oddsdesk.server.run.monitoring import READING, RECORDING
from oddsdesk.server.run.runner import serving
from oddsdesk.server.settings import Settings
from oddsdesk.server.troubles import Trouble, Troubles

if sys.platform == "win32":
    pytest.skip("forks", allow_module_level=True)

from oddsdesk.cluster.workers import worker
from oddsdesk.cluster.workers.colleagues import SUPERVISOR, Alive, Mailboxes


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Any task that takes time counts as a hang."""
    monkeypatch.setattr(monitoring, "STUCK_S", 0.0)


@pytest.mark.usefixtures("at_once")
async def test_a_hang_of_recording_is_reported_until_it_is_over(tmp_path: Path) -> None:
    async with serving(Settings(tmp_path / "odds.db", port=0)) as server:
        writes, release = threading.Event(), threading.Event()

        def hang(_: object) -> None:
            writes.set()
            release.wait(30)

        hanging = cast(Any, server.store).run_on_writer(hang)
        assert writes.wait(30)
        server.liveness.check_liveness()
        assert RECORDING in [each.line for each in server.troubles.now() if each.stops_recording]
        release.set()
        hanging.result(30)

        async with asyncio.timeout(30):
            while not server.liveness.is_well:
                await asyncio.sleep(0)
                server.liveness.check_liveness()


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("number", [0, 1], ids=["odds", "keys"])
async def test_a_hang_of_reading_is_reported(number: int, tmp_path: Path) -> None:
    async with serving(Settings(tmp_path / "odds.db", port=0)) as server:
        pool, release = server._answering.threads()[number], threading.Event()
        hanging = [pool.begin(lambda: release.wait(30) and None) for _ in range(2)]
        for _ in range(2):
            server.liveness.check_liveness()
        assert READING in [each.line for each in server.troubles.now()]
        release.set()
        for each in hanging:
            await each


async def test_a_worker_that_hangs_does_not_say_that_it_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The supervisor then ends it, like a worker whose loop hangs."""
    mailboxes, well = Mailboxes(1), iter([False, True])
    told = SimpleNamespace(
        _place=SimpleNamespace(number=1, mailboxes=mailboxes),
        _liveness=SimpleNamespace(is_well=False),
        _troubles=Troubles([lambda: [Trouble(f"trouble {each}") for each in range(9)]]),
    )

    async def pause(_: float) -> None:
        told._liveness.is_well = next(well)

    monkeypatch.setattr(worker.asyncio, "sleep", pause)
    with pytest.raises(RuntimeError, match="StopIteration"):
        await worker.Worker._beat(cast(worker.Worker, told))
    told_lines = [f"trouble {each}" for each in range(worker.MOST_TOLD)]
    assert list(mailboxes.receive(SUPERVISOR)) == [Alive(1, told_lines)]
    mailboxes.close()
