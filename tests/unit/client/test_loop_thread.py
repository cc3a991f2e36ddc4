"""A loop in a thread of its own."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import AsyncGenerator, Iterator
from concurrent.futures import CancelledError
from pathlib import Path

import pytest

import oddsdesk
from oddsdesk.client.loop_thread import LoopThread

ROOT = Path(oddsdesk.__file__).parents[1]
INTERRUPTED = """
import asyncio, signal, threading
from oddsdesk.client.loop_thread import LoopThread

cancelled = threading.Event()
async def wait():
    try:
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        await asyncio.Event().wait()
    finally:
        cancelled.set()
async def answer():
    return 42

loop = LoopThread("a loop")
try:
    loop.run(wait())
except KeyboardInterrupt:
    print("interrupted")
print("cancelled" if cancelled.wait(10) else "never cancelled")
print(loop.run(answer()))
loop.stop()
"""
"""A process of its own is interrupted: the one that runs the tests may be one of several."""


@pytest.fixture
def loop() -> Iterator[LoopThread]:
    thread = LoopThread("a loop")
    yield thread
    thread.stop()


async def answer() -> int:
    await asyncio.sleep(0)
    return 42


def test_it_starts_when_it_is_needed_and_again(loop: LoopThread) -> None:
    assert not loop.is_running
    assert loop.run(answer()) == 42
    loop.stop()
    assert not loop.is_running
    assert loop.run(answer()) == 42


def test_stopping_cancels_what_is_waited_for(loop: LoopThread) -> None:
    cancelled = threading.Event()
    begun = threading.Event()

    async def wait() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    def interrupt() -> None:
        begun.wait(10)
        loop.stop()

    stopping = threading.Thread(target=interrupt)
    stopping.start()
    with pytest.raises(CancelledError):
        loop.run(wait())
    stopping.join(10)
    assert cancelled.is_set()


@pytest.mark.skipif(sys.platform == "win32", reason="no signal can be sent to a thread there")
def test_an_interrupt_cancels_what_is_waited_for() -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], cwd=ROOT, capture_output=True, text=True, timeout=30
    )
    assert (done.returncode, done.stdout) == (0, "interrupted\ncancelled\n42\n"), done.stderr


def test_a_generator_is_closed_on_its_loop_when_its_reader_leaves(loop: LoopThread) -> None:
    closed: list[str] = []

    async def numbers() -> AsyncGenerator[int, None]:
        try:
            for number in range(10):
                yield number
        finally:
            await asyncio.sleep(0)
            closed.append(threading.current_thread().name)

    for number in loop.iterate(numbers()):
        if number == 1:
            break
    assert closed == ["a loop"]


def test_a_reader_that_leaves_after_the_end_of_the_loop_starts_none(loop: LoopThread) -> None:
    async def numbers() -> AsyncGenerator[int, None]:
        yield 1
        yield 2

    reader = loop.iterate(numbers())
    next(reader)
    loop.stop()
    reader.close()
    assert not loop.is_running


def test_a_loop_that_nobody_holds_any_more_ends() -> None:
    thread = LoopThread("a forgotten loop")
    thread.run(answer())
    [running] = [each for each in threading.enumerate() if each.name == "a forgotten loop"]
    del thread
    running.join(10)
    assert not running.is_alive()
