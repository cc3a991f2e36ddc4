import asyncio
import contextlib

import pytest

from oddsdesk.contract.quotes import Quote
from oddsdesk.server import log_watch
from oddsdesk.server.log_watch import LogWatch
from oddsdesk.store.store import open_store


@pytest.fixture
def store(tmp_path):
    with contextlib.closing(open_store(tmp_path / "odds.db", clock=lambda: 1000)) as store:
        yield store


async def _record(store, odds: float) -> None:
    quote = Quote("Bwin", "A - B", "EPL", "yes_no", 0, {"Yes": odds}, 1000)
    await asyncio.wrap_future(store.record([quote]))


async def test_wakes_when_the_log_grows(store, monkeypatch):
    monkeypatch.setattr(log_watch, "POLL_S", 3600)
    log = LogWatch(store.on_commit)
    with log.listening():
        for odds in (1.5, 1.6):
            await _record(store, odds)
            async with asyncio.timeout(30):
                await log.wait()


async def test_growth_between_two_waits_is_not_missed_and_wakes_once(store, monkeypatch):
    monkeypatch.setattr(log_watch, "POLL_S", 3600)
    log = LogWatch(store.on_commit)
    with log.listening():
        await _record(store, 1.5)
        await _record(store, 1.6)
        await asyncio.wrap_future(store.write(lambda _: None))  # after the news of the second
        async with asyncio.timeout(30):
            await log.wait()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await log.wait()


async def test_wakes_now_and_then_for_what_others_wrote(store, monkeypatch):
    monkeypatch.setattr(log_watch, "POLL_S", 0.01)
    log = LogWatch(store.on_commit)
    with log.listening():
        async with asyncio.timeout(30):
            await log.wait()


async def test_commits_after_listening_disturb_nobody(store):
    log = LogWatch(store.on_commit)
    with log.listening():
        pass
    await _record(store, 1.5)
