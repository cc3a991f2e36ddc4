"""An event loop in a thread of its own, for callers that cannot await."""

import asyncio
import threading
import weakref
from collections.abc import AsyncGenerator, Coroutine, Generator
from contextlib import suppress
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class LoopThread:
    """Runs coroutines for other threads; starts when first used, and again after ``stop``."""

    def __init__(self, name: str) -> None:
        self._name = name
        # a generator that is collected while it is held closes itself through here
        self._lock = threading.RLock()
        self._running: _Running | None = None

    @property
    def is_running(self) -> bool:
        """Whether the thread was started and not stopped since."""
        return self._running is not None

    def run(self, coroutine: Coroutine[Any, Any, T]) -> T:
        """Wait for a coroutine and return its result; an interrupted wait cancels it.

        Raises:
            RuntimeError: called by the loop's own thread, which would wait for itself.
        """
        running = self._start()
        if running.thread is threading.current_thread():
            coroutine.close()
            raise RuntimeError("a callback of this client cannot wait for the same client")
        call = _Call(coroutine)
        try:  # an interrupt may come before there is a future to cancel
            return asyncio.run_coroutine_threadsafe(call.run(), running.loop).result()
        except BaseException:
            with suppress(RuntimeError):  # the loop is closed: nothing runs there any more
                running.loop.call_soon_threadsafe(call.give_up)
            raise

    def iterate(self, source: AsyncGenerator[T, None]) -> Generator[T, None, None]:
        """Yield what an async generator yields, and close it where the iteration ends."""
        running = self._start()
        try:
            while item := self.run(_next(source)):
                yield item[0]
        finally:
            if running.thread.is_alive() and running.thread is not threading.current_thread():
                self.run(source.aclose())

    def stop(self) -> None:
        """Cancel what runs, end the thread and wait for it."""
        with self._lock:
            running, self._running = self._running, None
        if running is not None:
            running.stop()

    def _start(self) -> "_Running":
        with self._lock:
            if self._running is None:
                self._running = _Running(self._name)
            return self._running


class _Call(Generic[T]):
    """A coroutine handed to the loop's thread; it can be cancelled at any moment."""

    def __init__(self, coroutine: Coroutine[Any, Any, T]) -> None:
        self._coroutine = coroutine
        self._task: asyncio.Task[Any] | None = None
        self._is_given_up = False

    async def run(self) -> T:
        if self._is_given_up:
            self._coroutine.close()
            raise asyncio.CancelledError
        self._task = asyncio.current_task()
        return await self._coroutine

    def give_up(self) -> None:
        self._is_given_up = True
        if self._task is not None:
            self._task.cancel()


class _Running:
    """A loop and its thread; they also end when this is garbage collected, and at exit."""

    def __init__(self, name: str) -> None:
        # not by the policy: qasync sets one whose loops belong to the GUI thread
        self.loop = asyncio.SelectorEventLoop()
        stopping = asyncio.Event()
        self.thread = threading.Thread(
            target=_serve, args=(self.loop, stopping), name=name, daemon=True
        )
        self.thread.start()
        self.stop = weakref.finalize(self, _stop, self.loop, stopping, self.thread)


def _serve(loop: asyncio.AbstractEventLoop, stopping: asyncio.Event) -> None:
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(_until(stopping))


async def _until(stopping: asyncio.Event) -> None:
    await stopping.wait()


def _stop(
    loop: asyncio.AbstractEventLoop, stopping: asyncio.Event, thread: threading.Thread
) -> None:
    loop.call_soon_threadsafe(stopping.set)
    if thread is not threading.current_thread():
        thread.join()


async def _next(source: AsyncGenerator[T, None]) -> tuple[T] | None:
    try:
        return (await anext(source),)
    except StopAsyncIteration:
        return None
