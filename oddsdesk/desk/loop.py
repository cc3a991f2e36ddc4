"""The Qt event loop as asyncio's: the only module that knows qasync."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from PySide6.QtWidgets import QApplication
from qasync import QEventLoop

T = TypeVar("T")

_log = logging.getLogger(__name__)
_EXECUTOR_THREADS = 2


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
    loop.set_default_executor(ThreadPoolExecutor(_EXECUTOR_THREADS, thread_name_prefix="desk"))
    loop.set_exception_handler(_report)
    return loop


def _report(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    _log.error("%s", context.get("message", "error in the loop"), exc_info=context.get("exception"))
