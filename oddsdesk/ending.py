"""Ending the program on a signal, within a limit, also while it still starts."""

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
"""Of the three seconds that are promised (D77); what is left is for the system."""
SIGNALS: Final = tuple(each for each in signal.Signals if each.name in _NAMES)
"""Those of them that the system has."""


class Ending:
    """What SIGTERM, SIGINT and SIGHUP do, from the first line of a program to its last.

    Until something is open there is nothing to close: a signal ends the program at once, with
    status 0. From ``then`` on it calls what ends the program, once. That may take ``LIMIT_S``:
    whatever still runs is left then, which costs nothing that was acknowledged (D77).
    """

    def __init__(self) -> None:
        self._act: Callable[[], object] | None = None
        self._is_asked = False
        self.why = ""
        """What asked for the end, as ``SIGTERM``; empty until then."""
        self._limited = threading.Lock()

    def listen(self) -> None:
        """Hear signals from now on; on the main thread."""
        for each in _heard():
            signal.signal(each, lambda number, _: self.ask(signal.Signals(number).name))
        if sys.platform != "win32":
            signal.signal(signal.SIGUSR1, lambda *_: None)  # "open your log anew": there is none

    def listen_on(self, loop: "asyncio.AbstractEventLoop") -> None:
        """Hear signals while a loop runs on the main thread, which may be asleep in C."""
        if sys.platform != "win32":
            for each in _heard():
                loop.add_signal_handler(each, self.ask, each.name)

    def then(self, act: Callable[[], object]) -> None:
        """Let a signal call ``act``, on the main thread; at once where one came already."""
        self._act = act
        if self._is_asked:
            act()

    def ask(self, why: str) -> None:
        """End the program, as a signal does."""
        if self._act is None:
            os._exit(0)
        if not self._is_asked:
            self._is_asked = True
            self.why = why
            self.limit()
            self._act()

    def limit(self) -> None:
        """From now on the program has ``LIMIT_S`` to end; may be called twice."""
        if self._limited.acquire(blocking=False):
            threading.Thread(target=_end_late, name="end", daemon=True).start()


def _heard() -> Iterator[signal.Signals]:
    """Yield what ends the program; whoever began it with `nohup` wants no end with the terminal."""
    for each in SIGNALS:
        if each.name != "SIGHUP" or signal.getsignal(each) is not signal.SIG_IGN:
            yield each


def _end_late() -> None:
    import logging  # noqa: PLC0415 - 10 ms in which a signal would not be heard yet

    time.sleep(LIMIT_S)
    logging.getLogger(__name__).warning("ended without waiting for what was still running")
    os._exit(0)
