"""Following a log by looks on a thread of its own."""

import asyncio
import contextlib
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from oddsdesk.contract.quotes import Quote
from oddsdesk.server import polled_tail as module
from oddsdesk.server.polled_tail import QUICK_S, SLOW_S, STEADY_S, PolledTail, Rhythm
from oddsdesk.store.store import Store, open_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with contextlib.closing(open_store(tmp_path / "odds.db", clock=lambda: 1000)) as store:
        yield store


def _nobody(_: Callable[[], None]) -> Callable[[], None]:
    return lambda: None


async def _record(store: Store, odds: float) -> None:
    quote = Quote("Bwin", "A - B", "EPL", "yes_no", 0, {"Yes": odds}, 1000)
    await asyncio.wrap_future(store.record([quote]))


async def test_what_this_process_records_is_heard_at_once(store: Store, monkeypatch) -> None:
    monkeypatch.setattr(module, "SLOW_S", 3600)
    tail = PolledTail(store)
    with contextlib.closing(tail), tail.listening():
        position = await tail.end()
        for odds in (1.5, 1.6):
            waiting = asyncio.get_running_loop().create_task(tail.next(position, 10))
            await asyncio.sleep(0)
            await _record(store, odds)
            async with asyncio.timeout(20):
                changes, position = await waiting
            assert [each.odds for each in changes] == [odds]


async def test_what_others_record_is_found_and_nothing_comes_twice(store: Store) -> None:
    tail = PolledTail(store, _nobody)
    with contextlib.closing(tail), tail.listening():
        position, heard = await tail.end(), []
        expected = [1.5 + each / 10 for each in range(5)]
        async with asyncio.timeout(20):
            for odds in expected:
                await _record(store, odds)
                while len(heard) == 0 or heard[-1] != odds:
                    changes, position = await tail.next(position, 10)
                    heard += [each.odds for each in changes]
        assert heard == expected
        assert await tail.next(position, 10) == ([], position)


async def test_it_reads_on_a_thread_of_its_own(store: Store, monkeypatch) -> None:
    threads = set()
    reader = store.reader

    def noted():
        threads.add(threading.current_thread())
        return reader()

    monkeypatch.setattr(store, "reader", noted)
    tail = PolledTail(store)
    with contextlib.closing(tail), tail.listening():
        await tail.next(await tail.end(), 10)
        await tail.merged_ids()
    assert len(threads) == 1
    assert threading.current_thread() not in threads


def test_looks_are_quick_while_prices_move_and_rare_while_they_rest() -> None:
    rhythm = Rhythm()
    assert rhythm.pause_s(100.0) == SLOW_S
    rhythm.grew(101.0)
    assert [rhythm.pause_s(101.0 + each * QUICK_S) for each in range(100)] == [QUICK_S] * 100
    later = 101.0 + STEADY_S + QUICK_S
    pauses = [rhythm.pause_s(later + each) for each in range(6)]
    assert pauses == sorted(pauses)
    assert pauses[0] > QUICK_S
    assert pauses[-1] == SLOW_S
    rhythm.grew(later + 10)
    assert rhythm.pause_s(later + 10) == QUICK_S
