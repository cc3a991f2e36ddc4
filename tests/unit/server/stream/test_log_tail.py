import asyncio
import contextlib
import sys

import pytest

from oddsdesk.base.files import WriteWatch
from oddsdesk.base.tasks import spawn
from oddsdesk.contract.quotes import Quote
from oddsdesk.server.stream import log_tail
from oddsdesk.server.stream.log_tail import LogTail, LogWatch
from oddsdesk.store.store import open_store


@pytest.fixture
def store(tmp_path):
    with contextlib.closing(open_store(tmp_path / "odds.db", clock=lambda: 1000)) as store:
        yield store


@pytest.fixture
def settles_at_once(monkeypatch):
    monkeypatch.setattr(WriteWatch, "SETTLE_S", 0)


async def _record(store, odds: float) -> None:
    quote = Quote("Bwin", "A - B", "EPL", "yes_no", 0, {"Yes": odds}, 1000)
    await asyncio.wrap_future(store.record([quote]))


async def test_wakes_when_the_log_grows(store, monkeypatch):
    monkeypatch.setattr(log_tail, "POLL_S", 3600)
    log = LogWatch(store.on_commit)
    with log.listening():
        for odds in (1.5, 1.6):
            await _record(store, odds)
            async with asyncio.timeout(30):
                await log.wait_for_change()


async def test_growth_between_two_waits_is_not_missed_and_wakes_once(store, monkeypatch):
    monkeypatch.setattr(log_tail, "POLL_S", 3600)
    log = LogWatch(store.on_commit)
    with log.listening():
        await _record(store, 1.5)
        await _record(store, 1.6)
        await asyncio.wrap_future(
            store.run_on_writer(lambda _: None)
        )  # after the news of the second
        async with asyncio.timeout(30):
            await log.wait_for_change()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await log.wait_for_change()


async def test_wakes_now_and_then_for_what_others_wrote(store, monkeypatch):
    monkeypatch.setattr(log_tail, "POLL_S", 0.01)
    log = LogWatch(store.on_commit)
    with log.listening():
        async with asyncio.timeout(30):
            await log.wait_for_change()


@pytest.mark.usefixtures("settles_at_once")
@pytest.mark.skipif(sys.platform == "win32", reason="Windows dates writes late")
async def test_says_whether_others_can_have_written(store, monkeypatch):
    monkeypatch.setattr(log_tail, "POLL_S", 0.01)
    log = LogWatch(lambda _: lambda: None, store.path)
    with log.listening():
        while await log.wait_for_change(0.05):  # what opening wrote
            pass
        await _record(store, 1.5)
        assert [await log.wait_for_change(0.05) for _ in range(2)] == [True, False]


@pytest.mark.usefixtures("settles_at_once")
@pytest.mark.skipif(sys.platform == "win32", reason="Windows dates writes late")
async def test_a_wait_sleeps_on_while_nobody_writes_and_ends_with_a_write_to_any_file(
    store, tmp_path, monkeypatch
):
    monkeypatch.setattr(log_tail, "POLL_S", 0.01)
    keys = tmp_path / "keys.db"
    log = LogWatch(lambda _: lambda: None, store.path, keys)
    with log.listening():
        while await log.wait_for_change(0.05):  # what opening wrote
            pass
        waiting = spawn("wait", log.wait_for_change())
        done, _ = await asyncio.wait([waiting], timeout=0.1)
        assert not done
        keys.write_text("another key")
        async with asyncio.timeout(30):
            assert await waiting


@pytest.mark.usefixtures("settles_at_once")
@pytest.mark.skipif(sys.platform == "win32", reason="Windows dates writes late")
async def test_a_tail_reads_nothing_while_nobody_writes(store, monkeypatch):
    monkeypatch.setattr(log_tail, "POLL_S", 0.01)
    tail = LogTail(store, lambda _: lambda: None)  # hears of no commit, as of another process
    reads = []
    read_after = log_tail.read_after

    def counted(*asked):
        reads.append(asked)
        return read_after(*asked)

    monkeypatch.setattr(log_tail, "read_after", counted)
    end = await tail.end()
    with tail.listening():
        for _ in range(6):  # what opening wrote
            assert await tail.next(end, 5) == ([], end)
        reads.clear()
        for _ in range(3):
            assert await tail.next(end, 5) == ([], end)
        assert not reads
        await _record(store, 1.5)
        changes, behind = await tail.next(end, 5)
        assert [each.odds for each in changes] == [1.5]
        assert await tail.next(behind, 5) == ([], behind)


async def test_commits_after_listening_disturb_nobody(store):
    log = LogWatch(store.on_commit)
    with log.listening():
        pass
    await _record(store, 1.5)
