"""Ending the program on a signal, within a limit, also during the start."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import asyncio

_NAMES: Final = frozenset({"SIGINT", "SIGTERM", "SIGHUP"})
LIMIT_S: Final = 2.5
"""Of the promised three seconds; the rest is for the system."""
SIGNALS: Final = tuple(each for each in signal.Signals if each.name in _NAMES)
"""Those that the system has."""


class Ending:
    """What SIGTERM, SIGINT and SIGHUP do, from the first line of a program to its last.

    Until something is open, a signal ends the program at once, with status 0. After ``then`` it
    calls the given function, once. That may take ``LIMIT_S``; unfinished work is dropped then, but
    nothing confirmed is lost.
    """

    def __init__(self) -> None:
        self._act: Callable[[], object] | None = None
        self._is_asked = False
        self.why = ""
        """The reason, such as ``SIGTERM``; empty until then."""
        self._limited = threading.Lock()

    def listen(self) -> None:
        """Handle signals from now on; on the main thread."""
        for each in _heard():
            signal.signal(each, lambda number, _: self.end_program(signal.Signals(number).name))
        if sys.platform != "win32":
            signal.signal(signal.SIGUSR1, lambda *_: None)  # "reopen your log": there is none

    def listen_on(self, loop: "asyncio.AbstractEventLoop") -> None:
        """Handle signals while a loop runs on the main thread, which may be asleep in C."""
        if sys.platform != "win32":
            for each in _heard():
                loop.add_signal_handler(each, self.end_program, each.name)

    def cancel_this_task(self) -> "asyncio.Task[object]":
        """Let a signal cancel the task that calls this, and return it."""
        import asyncio  # noqa: PLC0415 - there is a loop, so it is loaded

        loop, running = asyncio.get_running_loop(), asyncio.current_task()
        assert running is not None
        self.listen_on(loop)
        self.then(lambda: loop.call_soon_threadsafe(running.cancel))
        return running

    def then(self, act: Callable[[], object]) -> None:
        """Call ``act`` on a signal, on the main thread; at once if one came already."""
        self._act = act
        if self._is_asked:
            act()

    def end_program(self, why: str) -> None:
        """End the program, as a signal does."""
        if self._act is None:
            os._exit(0)
        if not self._is_asked:
            self._is_asked = True
            self.why = why
            self.limit()
            self._act()

    def limit(self) -> None:
        """Give the program ``LIMIT_S`` to end; may be called twice."""
        if self._limited.acquire(blocking=False):
            threading.Thread(target=_end_late, name="end", daemon=True).start()


def _heard() -> Iterator[signal.Signals]:
    """Yield the signals to handle; with `nohup` closing the terminal does not count."""
    for each in SIGNALS:
        if each.name != "SIGHUP" or signal.getsignal(each) is not signal.SIG_IGN:
            yield each


def _end_late() -> None:
    import logging  # noqa: PLC0415 - 10 ms in which a signal would not be heard yet

    time.sleep(LIMIT_S)
    logging.getLogger(__name__).warning("stopped without waiting for unfinished work")
    os._exit(0)
