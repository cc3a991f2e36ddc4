"""The Qt event loop as asyncio's, the only module that knows qasync; and garbage on its thread."""

import asyncio
import gc
import logging
import time
from collections import deque
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context
from typing import Any, Final, TypeVar

from PySide6.QtCore import QObject, QSocketNotifier, QTimer, QTimerEvent
from PySide6.QtWidgets import QApplication
from qasync import QEventLoop

T = TypeVar("T")

_log = logging.getLogger(__name__)
_EXECUTOR_THREADS = 2
_SHORTEST_S: Final = 0.001
"""Qt's timers know no fractions of it."""
_TURN_S: Final = 0.004
"""After so long, what is left of a turn waits until Qt had its own: keys, timers, paints."""


class _Delayed(asyncio.TimerHandle):
    """A callback that has a timer of Qt's, until it is called or cancelled."""

    __slots__ = ("timer",)
    timer: int


class _Turns(QObject):
    """Runs the loop's callbacks only while the loop runs; others wait for its next run.

    Otherwise a task that steps between two runs finds no running loop, and what it was about to
    start is never awaited. Callbacks without delay share a timer: those that wait when it fires
    are called then, in order, as asyncio's own loops do, the rest of many that take long when it
    fires again. qasync gives each a timer.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__()
        self._loop: asyncio.AbstractEventLoop | None = loop
        self._ready: deque[asyncio.Handle] = deque()
        self._turn = 0
        """The timer of what is ready; 0 where nothing is."""
        self._delayed: dict[int, _Delayed] = {}

    def soon(self, handle: asyncio.Handle) -> None:
        """Call back with the next turn."""
        if self._loop is None:
            return
        self._ready.append(handle)
        if not self._turn:
            self._turn = self.startTimer(0)

    def later(self, handle: _Delayed, delay_s: float) -> None:
        """Call back after a while."""
        handle.timer = 0 if self._loop is None else self.startTimer(int(delay_s * 1000))
        if handle.timer:
            self._delayed[handle.timer] = handle

    def drop(self, handle: _Delayed) -> None:
        """Have no timer any more for what was called or cancelled."""
        if self._delayed.get(handle.timer) is handle:  # another may have its number by now
            del self._delayed[handle.timer]
            self.killTimer(handle.timer)

    def stop(self) -> None:
        """Drop timers and the closed loop.

        Otherwise the garbage collector may delete them in another thread, and Qt is left with
        events for a timer that is gone.
        """
        for timer in (*self._delayed, *filter(None, [self._turn])):
            self.killTimer(timer)
        self._delayed.clear()
        self._ready.clear()
        self._loop, self._turn = None, 0

    def set_debug(self, enabled: bool) -> None:
        """Nothing is told of single callbacks, whatever qasync would like to know."""

    def timerEvent(self, event: QTimerEvent) -> None:
        if self._loop is None or not self._loop.is_running():
            return
        timer = event.timerId()
        if timer == self._turn:
            self._take_turn(self._loop)
        elif (handle := self._delayed.get(timer)) is not None:
            self.drop(handle)
            handle._run()

    def _take_turn(self, loop: asyncio.AbstractEventLoop) -> None:
        ends = time.perf_counter() + _TURN_S
        for _ in range(len(self._ready)):
            if not loop.is_running():  # one of them stopped it
                return
            handle = self._ready.popleft()
            if not handle.cancelled():
                handle._run()
            if time.perf_counter() > ends:
                break
        if not self._ready:
            self.killTimer(self._turn)
            self._turn = 0


class _Reading:
    """What is called when a file descriptor can be read; its notifier stays when that ends.

    A stream that rests ends it and begins it again many times a second.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, descriptor: int) -> None:
        self._loop = loop
        self._handle: asyncio.Handle | None = None
        self._notifier = QSocketNotifier(descriptor, QSocketNotifier.Type.Read)
        self._notifier.setEnabled(False)
        self._notifier.activated["int"].connect(self._on_ready)  # type: ignore[index]

    def begin(self, handle: asyncio.Handle) -> None:
        """Call back whenever it can be read."""
        self._handle = handle
        self._notifier.setEnabled(True)

    def end(self) -> bool:
        """Call back no more; return whether that was asked for."""
        handle, self._handle = self._handle, None
        self._notifier.setEnabled(False)
        return handle is not None

    def _on_ready(self, _descriptor: int) -> None:
        if self._handle is None:
            return
        if self._loop.is_running():
            self._handle._run()
        else:
            self._notifier.setEnabled(False)
            self._loop.call_soon(self._go_on)

    def _go_on(self) -> None:
        self._notifier.setEnabled(self._handle is not None)


class _Loop(QEventLoop):  # type: ignore[misc]
    """qasync's loop, with what happens often made cheap."""

    def __init__(self, app: QApplication) -> None:
        self._readings: dict[int, _Reading] = {}
        super().__init__(app)
        self._timer = _Turns(self)

    def close(self) -> None:
        super().close()
        for reading in self._readings.values():
            reading.end()
        self._readings.clear()

    def call_soon(
        self, callback: Callable[..., object], *args: Any, context: Context | None = None
    ) -> asyncio.Handle:
        handle = asyncio.Handle(callback, args, self, context)
        self._timer.soon(handle)
        return handle

    def call_later(
        self,
        delay: float,
        callback: Callable[..., object],
        *args: Any,
        context: Context | None = None,
    ) -> asyncio.Handle:
        if delay < _SHORTEST_S:
            return self.call_soon(callback, *args, context=context)
        handle = _Delayed(self.time() + delay, callback, args, self, context)
        self._timer.later(handle, delay)
        return handle

    def _add_callback(self, handle: asyncio.Handle) -> None:
        """Call back what asyncio made itself: the handler of a signal."""
        self._timer.soon(handle)

    def _timer_handle_cancelled(self, handle: _Delayed) -> None:
        self._timer.drop(handle)

    def _add_reader(self, fd: int, callback: Callable[..., object], *args: Any) -> None:
        self._check_closed()
        descriptor = fd if isinstance(fd, int) else fd.fileno()
        if descriptor not in self._readings:
            self._readings[descriptor] = _Reading(self, descriptor)
        self._readings[descriptor].begin(asyncio.Handle(callback, args, self))

    def _remove_reader(self, fd: int) -> bool:
        descriptor = fd if isinstance(fd, int) else fd.fileno()
        reading = self._readings.get(descriptor)
        return reading is not None and reading.end()


def run_on_qt(app: QApplication, main: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine on Qt's event loop until it ends and return its result.

    The loop is made by a factory, never by a policy: a policy would make the server
    thread build a second Qt loop.
    """
    app.setQuitOnLastWindowClosed(False)
    with asyncio.Runner(loop_factory=lambda: make_loop(app)) as runner:
        return runner.run(main())


def make_loop(app: QApplication) -> asyncio.AbstractEventLoop:
    """Return a new loop over the application, with a small executor and logged errors."""
    loop: asyncio.AbstractEventLoop = _Loop(app)
    loop.set_default_executor(ThreadPoolExecutor(_EXECUTOR_THREADS, thread_name_prefix="desk"))
    loop.set_exception_handler(_report)
    return loop


def _report(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    _log.error("%s", context.get("message", "error in the loop"), exc_info=context.get("exception"))


INTERVAL_MS = 50
WHOLE_MS = 600_000
"""Milliseconds between two full collections; the youngest generation is collected often."""
_YOUNG = 700
"""Python's own threshold."""


class Garbage(QObject):
    """Collects garbage on the window's thread only; made there, it does so from ``begin`` on.

    Python collects wherever an allocation tips a counter, the server's thread included; a Qt
    object that dies there takes timers and sockets of the window's thread with it and the
    process crashes. So the automatic collector is off, and a timer collects instead.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        self._timer = QTimer(self, interval=INTERVAL_MS)
        self._timer.timeout.connect(self.collect_young)
        self._wholes = QTimer(self, interval=WHOLE_MS)
        self._wholes.timeout.connect(gc.collect)
        self._wholes.start()

    def begin(self) -> None:
        """Collect the young from now on: what a start makes stays, and is much to look through."""
        self._timer.start()

    def collect_young(self) -> None:
        """Collect the youngest generation, where enough objects gathered.

        Objects that survive wait for the full collection: one of the middle generation would
        hold the window up as long.
        """
        if gc.get_count()[0] > _YOUNG:
            gc.collect(0)
