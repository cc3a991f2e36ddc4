"""Questions to a loop in another thread, and what becomes of them when it ends."""

import asyncio
import gc
import threading
from collections.abc import Iterator
from concurrent.futures import CancelledError, Future

import pytest

from oddsdesk.server import loop_calls as questions
from oddsdesk.server.loop_calls import LoopCalls
from oddsdesk.store.errors import StoreUnavailableError

LIMIT_S = 30


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    """A loop that runs in a thread."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    yield loop
    loop.call_soon_threadsafe(loop.stop)
    thread.join(LIMIT_S)
    loop.close()


async def _seven() -> int:
    return 7


async def _fail() -> int:
    raise LookupError("no such feed")


async def _until(event: threading.Event) -> int:
    await asyncio.to_thread(event.wait, LIMIT_S)
    return 7


def _end(loop: asyncio.AbstractEventLoop, asked: LoopCalls) -> Future[None]:
    return asyncio.run_coroutine_threadsafe(asked.end(), loop)


def test_a_question_is_answered_or_fails_as_its_work_does(loop):
    asked = LoopCalls(loop)
    assert asked.ask(_seven()).result(LIMIT_S) == 7
    with pytest.raises(LookupError, match="no such feed"):
        asked.ask(_fail()).result(LIMIT_S)


def test_what_was_asked_before_the_end_is_answered_yet(loop):
    asked, event = LoopCalls(loop), threading.Event()
    answer = asked.ask(_until(event))
    ending = _end(loop, asked)
    event.set()
    ending.result(LIMIT_S)
    assert answer.result(LIMIT_S) == 7


def test_what_fails_while_the_end_waits_is_told_to_who_asked_and_to_no_log(loop, caplog):
    asked, event = LoopCalls(loop), threading.Event()

    async def fail_late() -> None:
        await asyncio.to_thread(event.wait, LIMIT_S)
        raise LookupError("broken off")

    answer = asked.ask(fail_late())
    ending = _end(loop, asked)
    event.set()
    ending.result(LIMIT_S)
    assert repr(answer.exception(LIMIT_S)) == "LookupError('broken off')"
    del answer, asked, ending
    gc.collect()  # what nobody took is told where it is thrown away
    assert not caplog.records


def test_what_takes_longer_than_the_end_waits_is_refused(loop, monkeypatch):
    monkeypatch.setattr(questions, "PATIENCE_S", 0.01)
    asked, event = LoopCalls(loop), threading.Event()
    answer = asked.ask(_until(event))
    _end(loop, asked).result(LIMIT_S)
    with pytest.raises(StoreUnavailableError, match="stopped"):
        answer.result(LIMIT_S)
    event.set()


def test_what_is_asked_while_the_loop_lets_its_threads_go_is_refused(loop):
    """There is no thread for it any more: asyncio says `Executor shutdown has been called`."""
    asked = LoopCalls(loop)
    _end(loop, asked).result(LIMIT_S)
    asyncio.run_coroutine_threadsafe(loop.shutdown_default_executor(), loop).result(LIMIT_S)
    with pytest.raises(StoreUnavailableError, match="stopped"):
        asked.ask(_until(threading.Event())).result(LIMIT_S)


def test_who_waits_no_more_ends_the_work(loop):
    asked, ended = LoopCalls(loop), threading.Event()

    async def work() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    answer = asked.ask(work())
    asked.ask(_seven()).result(LIMIT_S)
    answer.cancel()
    assert ended.wait(LIMIT_S)
    with pytest.raises(CancelledError):
        answer.result(LIMIT_S)
