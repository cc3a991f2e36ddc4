"""The Qt event loop as asyncio's loop (with qasync), and garbage collection on its thread."""

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
"""The resolution of Qt's timers."""
_TURN_S: Final = 0.004
"""Time after which the rest of a turn waits for Qt's keys, timers and paints."""


class _Delayed(asyncio.TimerHandle):
    """A callback with a Qt timer."""

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
        """The timer of the ready callbacks; 0 if there are none."""
        self._delayed: dict[int, _Delayed] = {}

    def soon(self, handle: asyncio.Handle) -> None:
        """Run a callback in the next turn."""
        if self._loop is None:
            return
        self._ready.append(handle)
        if not self._turn:
            self._turn = self.startTimer(0)

    def later(self, handle: _Delayed, delay_s: float) -> None:
        """Run a callback after a delay."""
        handle.timer = 0 if self._loop is None else self.startTimer(int(delay_s * 1000))
        if handle.timer:
            self._delayed[handle.timer] = handle

    def drop_timer(self, handle: _Delayed) -> None:
        """Drop the timer of a callback that ran or was cancelled."""
        if self._delayed.get(handle.timer) is handle:  # its number may have been reused
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
        """Ignore the debug mode, in which qasync logs single callbacks."""

    def timerEvent(self, event: QTimerEvent) -> None:
        if self._loop is None or not self._loop.is_running():
            return
        timer = event.timerId()
        if timer == self._turn:
            self._take_turn(self._loop)
        elif (handle := self._delayed.get(timer)) is not None:
            self.drop_timer(handle)
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
    """The callback of a readable file descriptor; its notifier is kept when reading stops.

    A pausing stream stops and restarts reading many times a second.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, descriptor: int) -> None:
        self._loop = loop
        self._handle: asyncio.Handle | None = None
        self._notifier = QSocketNotifier(descriptor, QSocketNotifier.Type.Read)
        self._notifier.setEnabled(False)
        self._notifier.activated["int"].connect(self._on_ready)  # type: ignore[index]

    def begin_reading(self, handle: asyncio.Handle) -> None:
        """Call back whenever the descriptor is readable."""
        self._handle = handle
        self._notifier.setEnabled(True)

    def end_reading(self) -> bool:
        """Stop calling back; return whether it was reading."""
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
    """qasync's loop, with frequent operations made cheap."""

    def __init__(self, app: QApplication) -> None:
        self._readings: dict[int, _Reading] = {}
        super().__init__(app)
        self._timer = _Turns(self)

    def close(self) -> None:
        super().close()
        for reading in self._readings.values():
            reading.end_reading()
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
        """Run a callback made by asyncio, such as a signal handler."""
        self._timer.soon(handle)

    def _timer_handle_cancelled(self, handle: _Delayed) -> None:
        self._timer.drop_timer(handle)

    def _add_reader(self, fd: int, callback: Callable[..., object], *args: Any) -> None:
        self._check_closed()
        descriptor = fd if isinstance(fd, int) else fd.fileno()
        if descriptor not in self._readings:
            self._readings[descriptor] = _Reading(self, descriptor)
        self._readings[descriptor].begin_reading(asyncio.Handle(callback, args, self))

    def _remove_reader(self, fd: int) -> bool:
        descriptor = fd if isinstance(fd, int) else fd.fileno()
        reading = self._readings.get(descriptor)
        return reading is not None and reading.end_reading()


def run_on_qt(app: QApplication, main: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine on Qt's event loop until it ends and return its result.

    The loop is made by a factory, as a policy would make the server's thread build a Qt loop.
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
_LONGEST_MS = 400
"""The longest interval between collections that find little."""
_HIDDEN_MS = 3_200
"""The same while the window is hidden, as each check wakes the processor."""
WHOLE_MS = 600_000
"""Milliseconds between full collections."""
_YOUNG = 700
"""Python's default threshold."""


class Garbage(QObject):
    """Collects garbage on the window's thread only; made there, it does so from ``begin`` on.

    Python collects wherever an allocation tips a counter, the server's thread included; a Qt
    object that dies there takes timers and sockets of the window's thread with it and the
    process crashes. So the automatic collector is off, and a timer collects instead.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        self._longest_ms = _LONGEST_MS
        self._timer = QTimer(self, interval=INTERVAL_MS)
        self._timer.timeout.connect(self.collect_young)
        self._wholes = QTimer(self, interval=WHOLE_MS)
        self._wholes.timeout.connect(gc.collect)
        self._wholes.start()

    def begin_collecting(self) -> None:
        """Start collecting the youngest generation; objects of the start are not worth scanning."""
        self._timer.start()

    def follow_window(self, is_visible: bool) -> None:
        """Collect less often while the window is hidden."""
        self._longest_ms = _LONGEST_MS if is_visible else _HIDDEN_MS
        if is_visible:
            self._timer.setInterval(INTERVAL_MS)

    def collect_young(self) -> None:
        """Collect the youngest generation if it is large enough.

        Survivors wait for the full collection, as collecting the middle generation takes as long.
        """
        if gc.get_count()[0] > _YOUNG:
            gc.collect(0)
            self._timer.setInterval(INTERVAL_MS)
        else:
            self._timer.setInterval(min(2 * self._timer.interval(), self._longest_ms))
