"""The event loop and named tasks: errors are reported, and jobs restarted."""

import asyncio
import contextlib
import importlib.util
import logging
import math
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Coroutine, Generator, Iterable, Iterator
from concurrent.futures import Future
from typing import Any, Final, TypeVar

import msgspec

T = TypeVar("T")

RESTART_S: Final = (0.1, 0.5, 1.0, 1.5)
"""The pause before a failed job is restarted (s): the first time, the second, ..."""
STEADY_S: Final = 5.0
"""A restarted job that runs this long counts as repaired (s)."""

_log = logging.getLogger(__name__)
_running: set[asyncio.Task[Any]] = set()


def spawn(name: str, coroutine: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """Start a coroutine on the running loop, keep it until it ends and report its error.

    The error is logged as a bug, and also raised to the awaiting task.
    """
    task = asyncio.get_running_loop().create_task(coroutine, name=name)
    _running.add(task)
    task.add_done_callback(_ended)
    return task


def in_background(name: str, work: Callable[[], T]) -> Future[T]:
    """Run work that may block for long in a daemon thread.

    The program can end while it runs; it would wait for the threads of a pool.
    """
    outcome: Future[T] = Future()
    outcome.set_running_or_notify_cancel()  # what runs cannot be cancelled

    def run() -> None:
        try:
            outcome.set_result(work())
        except BaseException as error:  # noqa: BLE001 - thread main: the future carries it
            outcome.set_exception(error)

    threading.Thread(target=run, name=name, daemon=True).start()
    return outcome


async def in_daemon_thread(
    name: str,
    work: Callable[[], T],
    undo: Callable[[T], object] = lambda _: None,
    patience_s: float = 0.0,
) -> T:
    """Return the result of work in the background, which may hang.

    If cancelled, the work has ``patience_s`` to end; then it goes on unobserved. ``undo`` gets its
    result, on any thread.
    """
    outcome = in_background(name, work)

    def undo_it(done: Future[T]) -> None:
        if done.exception() is None:
            undo(done.result())

    heard = asyncio.wrap_future(outcome)
    try:
        return await asyncio.shield(heard)
    except asyncio.CancelledError:
        await asyncio.wait([heard], timeout=patience_s)
        heard.cancel()
        outcome.add_done_callback(undo_it)
        raise


def on_this_loop(work: Callable[[T], None]) -> Callable[[T], None]:
    """Return a function for any thread that does the work on the running loop."""
    loop = asyncio.get_running_loop()

    def call_soon(value: T) -> None:
        with contextlib.suppress(RuntimeError):  # that loop has ended, the caller goes on
            loop.call_soon_threadsafe(work, value)

    return call_soon


async def cancel_tasks(*tasks: asyncio.Task[Any]) -> None:
    """Cancel tasks and wait until each has ended; their errors were already reported."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


class JobFault(msgspec.Struct, frozen=True):
    """A background job that died of an error, and how often in a row."""

    job: str
    reason: str
    times: int


class Jobs:
    """Background jobs that must not die: each is restarted after an error and listed in ``faults``.

    ``faults`` are the jobs that died and have not run steadily since; ``on_change`` is called on
    the loop whenever they change. A job that returns is not restarted.
    """

    def __init__(self, on_change: Callable[[], None] = lambda: None) -> None:
        self._on_change = on_change
        self._faults: dict[str, JobFault] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._ending: set[asyncio.Task[None]] = set()

    @property
    def faults(self) -> tuple[JobFault, ...]:
        """The failing jobs, in the order in which they failed."""
        return tuple(self._faults.values())

    def start_job(
        self,
        name: str,
        begin: Callable[[], Coroutine[Any, Any, None]],
        *,
        says_it_is_well: bool = False,
    ) -> None:
        """Run a job; one with the same name must not be running.

        ``says_it_is_well``: running for a while proves nothing, as the job may only wait; it counts
        as repaired once ``well`` is called.
        """
        running = self._tasks.get(name)
        assert running is None or running.done(), f"{name} runs already"
        self._tasks[name] = spawn(name, self._keep_running(name, begin, says_it_is_well))

    def well(self, name: str) -> None:
        """Count a job as repaired, because it has done its work."""
        self._mended(name)

    def end_job(self, name: str) -> None:
        """End a job soon and forget its fault; another with its name may start at once."""
        task = self._tasks.pop(name, None)
        if task is not None:
            task.cancel()
            self._ending.add(task)
            task.add_done_callback(self._ending.discard)
        self._mended(name)

    async def stop_jobs(self, name: str | None = None) -> None:
        """End one job, or all of them, and forget their faults."""
        names = list(self._tasks) if name is None else [name]
        tasks = [self._tasks.pop(each) for each in names if each in self._tasks]
        await cancel_tasks(*tasks, *(self._ending if name is None else ()))
        for each in names:
            self._mended(each)

    async def _keep_running(
        self, name: str, begin: Callable[[], Coroutine[Any, Any, None]], says_it_is_well: bool
    ) -> None:
        loop = asyncio.get_running_loop()
        steady_s = math.inf if says_it_is_well else STEADY_S
        while True:
            began = loop.time()
            steady = None if says_it_is_well else loop.call_later(steady_s, self._mended, name)
            try:
                await begin()
            except Exception as error:
                if self._tasks.get(name) is not asyncio.current_task():
                    raise  # it was ended, and failed at that
                before = self._faults.get(name)
                times = 1 if before is None or loop.time() - began >= steady_s else before.times + 1
                fault = self._faults[name] = JobFault(name, _in_a_line(error), times)
                trace = error if times == 1 else None
                _log.error("%s failed; restarting it: %s", name, fault.reason, exc_info=trace)
                self._on_change()
            else:
                self._mended(name)
                return
            finally:
                if steady is not None:
                    steady.cancel()
            await asyncio.sleep(RESTART_S[min(times, len(RESTART_S)) - 1])

    def _mended(self, name: str) -> None:
        if self._faults.pop(name, None) is not None:
            self._on_change()


def _in_a_line(error: Exception) -> str:
    text = " ".join(str(error).split())[:200]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _ended(task: asyncio.Task[Any]) -> None:
    _running.discard(task)
    if not task.cancelled() and (error := task.exception()) is not None:
        _log.error("task %s failed", task.get_name(), exc_info=error)


_SLOWEST_BEAT_S: Final = 10.0


def until_beat(seconds: float) -> float:
    """Return how many seconds a job should sleep that does something each ``seconds``.

    It wakes at a multiple of its period, together with other jobs of the loop, because waking a
    thread costs more than a look: 0.1 to 1.1 periods from now. Periods above 10 s are returned
    unchanged.
    """
    if seconds > _SLOWEST_BEAT_S:
        return seconds
    left = seconds - asyncio.get_running_loop().time() % seconds
    return left if left >= seconds / 10 else left + seconds  # timers may be early


SLICE_S: Final = 0.004
"""The longest time a loop is blocked (s)."""


def slices(steps: Iterable[object], limit_s: float = SLICE_S) -> Iterator[float]:
    """Run steps and yield after each slice of them its duration in seconds.

    All but the last take longer than ``limit_s``. After stopping, ``steps`` can be continued.
    """
    began = time.perf_counter()
    for _ in steps:
        if (worked_s := time.perf_counter() - began) > limit_s:
            yield worked_s
            began = time.perf_counter()
    yield time.perf_counter() - began


def one_slice(steps: Iterator[object], limit_s: float = SLICE_S) -> bool:
    """Run steps for one slice; return whether some may be left."""
    return next(slices(steps, limit_s)) > limit_s


async def in_slices(steps: Iterable[object], limit_s: float = SLICE_S) -> None:
    """Run steps, leaving the loop to others between slices.

    A generator that is not gone through to the end is closed at once.
    """
    try:
        for worked_s in slices(steps, limit_s):
            if worked_s > limit_s:
                await asyncio.sleep(0)
    finally:
        if isinstance(steps, Generator):
            steps.close()


async def awake(steps: Generator[object, None, T], limit_s: float = SLICE_S) -> T:
    """Go through steps as ``in_slices`` does and return what they come to."""
    ends = time.perf_counter() + limit_s
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: T = end.value
            return result
        if time.perf_counter() > ends:
            await asyncio.sleep(0)
            ends = time.perf_counter() + limit_s


def exhaust(steps: Iterable[object]) -> None:
    """Go through all steps at once."""
    deque(steps, maxlen=0)


def returned(steps: Generator[object, None, T]) -> T:
    """Go through all steps at once and return what they come to."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: T = end.value
            return result


def new_loop() -> asyncio.AbstractEventLoop:
    """Return a fresh loop, uvloop's where there is one.

    On Python 3.11 qasync sets the global policy; a loop made through it in another thread
    would be Qt's.
    """
    if sys.platform == "win32":
        return asyncio.ProactorEventLoop()
    if importlib.util.find_spec("uvloop") is not None:
        import uvloop  # noqa: PLC0415 - not on every platform

        return uvloop.new_event_loop()
    return asyncio.SelectorEventLoop()
