"""Named asyncio tasks: each is kept, an error in one is reported, and jobs are begun anew."""

import asyncio
import logging
import math
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, Final, TypeVar

import msgspec

T = TypeVar("T")

RESTART_S: Final = (0.1, 0.5, 1.0, 1.5)
"""How long a job that failed rests before it is begun anew: the first time, the second, ..."""
STEADY_S: Final = 5.0
"""A job that was begun anew and ran for this long counts as mended."""

_log = logging.getLogger(__name__)
_running: set[asyncio.Task[Any]] = set()


def spawn(name: str, coroutine: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """Start a coroutine on the running loop, keep it until it ends and report its error.

    The error is logged as a bug and still raised to whoever awaits the task.
    """
    task = asyncio.get_running_loop().create_task(coroutine, name=name)
    _running.add(task)
    task.add_done_callback(_ended)
    return task


async def in_daemon_thread(
    name: str,
    work: Callable[[], T],
    undo: Callable[[T], object] = lambda _: None,
    patience_s: float = 0.0,
) -> T:
    """Run what may hang in a thread of its own that no end of the program waits for.

    Where this is cancelled the work has ``patience_s`` to end yet; then it goes on unheard.
    ``undo`` gets what comes of it, on whatever thread.
    """
    outcome: Future[T] = Future()
    outcome.set_running_or_notify_cancel()  # what runs cannot be cancelled

    def run() -> None:
        try:
            outcome.set_result(work())
        except BaseException as error:  # noqa: BLE001 - thread main: it is the caller's
            outcome.set_exception(error)

    def undo_it(done: Future[T]) -> None:
        if done.exception() is None:
            undo(done.result())

    threading.Thread(target=run, name=name, daemon=True).start()
    heard = asyncio.wrap_future(outcome)
    try:
        return await asyncio.shield(heard)
    except asyncio.CancelledError:
        await asyncio.wait([heard], timeout=patience_s)
        heard.cancel()
        outcome.add_done_callback(undo_it)
        raise


async def stop(*tasks: asyncio.Task[Any]) -> None:
    """Cancel tasks and wait until each has ended; their errors were reported already."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


class JobFault(msgspec.Struct, frozen=True):
    """A background job that died of an error, and how often in a row."""

    job: str
    reason: str
    times: int


class Jobs:
    """Background jobs that must not die: each is restarted after an error, and ``faults`` says so.

    ``faults`` are the jobs that died and have not run steadily since; ``on_change`` is called, on
    the loop, whenever they change. A job that returns has ended and is not begun anew.
    """

    def __init__(self, on_change: Callable[[], None] = lambda: None) -> None:
        self._on_change = on_change
        self._faults: dict[str, JobFault] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._ending: set[asyncio.Task[None]] = set()

    @property
    def faults(self) -> tuple[JobFault, ...]:
        """The jobs that are not well, in the order in which they failed."""
        return tuple(self._faults.values())

    def start(
        self,
        name: str,
        begin: Callable[[], Coroutine[Any, Any, None]],
        *,
        says_it_is_well: bool = False,
    ) -> None:
        """Run a job from now on; one of the same name that still runs is an error.

        ``says_it_is_well``: to run for a while proves nothing, as it may only wait; it counts as
        mended once ``well`` is called.
        """
        running = self._tasks.get(name)
        assert running is None or running.done(), f"{name} runs already"
        self._tasks[name] = spawn(name, self._keep_running(name, begin, says_it_is_well))

    def well(self, name: str) -> None:
        """Count a job as mended, since it has done what it is for."""
        self._mended(name)

    def end(self, name: str) -> None:
        """End a job soon and forget what was wrong with it; one of its name may start at once."""
        task = self._tasks.pop(name, None)
        if task is not None:
            task.cancel()
            self._ending.add(task)
            task.add_done_callback(self._ending.discard)
        self._mended(name)

    async def stop(self, name: str | None = None) -> None:
        """End one job, or all of them, and forget what was wrong with them."""
        names = list(self._tasks) if name is None else [name]
        tasks = [self._tasks.pop(each) for each in names if each in self._tasks]
        await stop(*tasks, *(self._ending if name is None else ()))
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
                _log.error("%s failed and is begun anew: %s", name, fault.reason, exc_info=trace)
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
