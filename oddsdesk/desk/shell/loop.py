"""The Qt event loop as asyncio's, the only module that knows qasync; and garbage on its thread."""

import asyncio
import gc
import logging
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from PySide6.QtCore import QObject, QTimer, QTimerEvent
from PySide6.QtWidgets import QApplication
from qasync import QEventLoop, _SimpleTimer

T = TypeVar("T")

_log = logging.getLogger(__name__)
_EXECUTOR_THREADS = 2


class _Turns(_SimpleTimer):
    """Runs the loop's callbacks only while the loop runs; others are rescheduled.

    qasync runs them whenever Qt handles events, also between two runs and after the last: a task
    that steps there finds no running loop, and what it was about to start is never awaited.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._loop: asyncio.AbstractEventLoop | None = loop

    def stop(self) -> None:
        """Drop timers and the closed loop.

        Otherwise the garbage collector may delete them in another thread, and Qt is left with
        events for a timer that is gone.
        """
        super().stop()  # type: ignore[no-untyped-call]
        callbacks = self._SimpleTimer__callbacks
        for timer in callbacks:
            self.killTimer(timer)
        callbacks.clear()
        self._loop = None

    def timerEvent(self, event: QTimerEvent) -> None:
        if self._loop is not None and self._loop.is_running():
            super().timerEvent(event)  # type: ignore[no-untyped-call]


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
    loop: asyncio.AbstractEventLoop = QEventLoop(app)
    loop._timer = _Turns(loop)  # type: ignore[attr-defined]
    loop.set_default_executor(ThreadPoolExecutor(_EXECUTOR_THREADS, thread_name_prefix="desk"))
    loop.set_exception_handler(_report)
    return loop


def _report(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    _log.error("%s", context.get("message", "error in the loop"), exc_info=context.get("exception"))


INTERVAL_MS = 50
WHOLE_MS = 600_000
"""Milliseconds between two full collections; the youngest generation is collected often."""
_YOUNG = 2_000


class Garbage(QObject):
    """Collects garbage on the window's thread only; made there, it does so until it is deleted.

    Python collects wherever an allocation tips a counter, the server's thread included; a Qt
    object that dies there takes timers and sockets of the window's thread with it and the
    process crashes. So the automatic collector is off, and a timer collects instead.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        self._timer = QTimer(self, interval=INTERVAL_MS)
        self._timer.timeout.connect(self.collect_young)
        self._timer.start()
        self._wholes = QTimer(self, interval=WHOLE_MS)
        self._wholes.timeout.connect(gc.collect)
        self._wholes.start()

    def collect_young(self) -> None:
        """Collect the youngest generation, where enough objects gathered.

        Objects that survive wait for the full collection: one of the middle generation would
        hold the window up as long.
        """
        if gc.get_count()[0] > _YOUNG:
            gc.collect(0)
