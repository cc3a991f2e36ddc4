"""Whether this process works, and telling systemd so (`Type=notify`, `WatchdogSec=`).

The protocol is a few lines of text in a datagram, as sd_notify(3) has it.
"""

import asyncio
import logging
import os
import socket
import sys
import time
from collections.abc import Callable, Iterable, Iterator, MutableMapping
from typing import Final

from oddsdesk.server.reader_pool import ReaderPool
from oddsdesk.server.troubles import Trouble
from oddsdesk.store.store import Store

STUCK_S: Final = 120.0
"""A thread that is at one thing for longer hangs. No request takes as long, and what is long is
recorded in many transactions."""
LOOK_S: Final = 5.0
STATUS_S: Final = 5.0
"""How often systemd is told how the server is, where it has a watchdog that would take less."""
SEND_S: Final = 1.0
"""How long systemd may take to accept what is said once."""
RECORDING: Final = "recording hangs: one transaction has been running for 2 minutes"
READING: Final = "reading hangs: no query has ended for 2 minutes"

_log = logging.getLogger(__name__)


class Liveness:
    """Looks whether the threads that record and read still get through their work.

    A database that is away or refuses is no hang: these calls end, with an error. ``threads``
    returns the pools to look at, none before the server answers. On one event loop.
    """

    def __init__(
        self,
        store: Store,
        threads: Callable[[], Iterable[ReaderPool]],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store = store
        self._threads = threads
        self._clock = clock
        self._asked: dict[ReaderPool, tuple[float, asyncio.Future[None]]] = {}
        self._hangs: tuple[Trouble, ...] = ()

    @property
    def is_well(self) -> bool:
        """Whether no thread hangs, as of the last look."""
        return not self._hangs

    def troubles(self) -> Iterable[Trouble]:
        """Return what hangs."""
        return self._hangs

    async def run(self) -> None:
        """Look again and again, until cancelled."""
        while True:
            self.look()
            await asyncio.sleep(LOOK_S)

    def look(self) -> None:
        """Look once; what hangs now is told from now on."""
        hangs = tuple(self._find_hangs())
        if hangs and not self._hangs:
            _log.error("%s", "; ".join(each.line for each in hangs))
        self._hangs = hangs

    def _find_hangs(self) -> Iterator[Trouble]:
        if self._store.writing_for_s() > STUCK_S:
            yield Trouble(RECORDING, stops_recording=True)
        stuck = [pool for pool in self._threads() if self._is_stuck(pool)]
        if stuck:
            yield Trouble(READING)

    def _is_stuck(self, pool: ReaderPool) -> bool:
        """Have a free thread do nothing, and return whether none has come to that for long."""
        asked, done = self._asked.get(pool, (0.0, None))
        if done is None or done.done():
            self._asked[pool] = self._clock(), pool.begin(_nothing)
            return False
        return self._clock() - asked > STUCK_S


class ServiceManager:
    """What systemd is told; without its socket in the environment nobody is told anything.

    It takes the variables out of the environment, so that no program that the server starts speaks
    for it. A socket that is away is logged once; the server goes on.
    """

    def __init__(self, environment: MutableMapping[str, str] = os.environ) -> None:
        path = environment.pop("NOTIFY_SOCKET", "")
        watchdog_us = environment.pop("WATCHDOG_USEC", "")
        watched = environment.pop("WATCHDOG_PID", str(os.getpid()))
        self._address = f"\0{path[1:]}" if path.startswith("@") else path
        self._watchdog_s = 0.0
        if watchdog_us.isascii() and watchdog_us.isdigit() and watched == str(os.getpid()):
            self._watchdog_s = int(watchdog_us) / 1e6
        self._status = ""
        self._due = 0.0
        self._has_failed = False

    @property
    def interval_s(self) -> float:
        """How often ``beat`` is to be called: at least twice in the time of the watchdog."""
        return min(self._watchdog_s / 2, STATUS_S) if self._watchdog_s else STATUS_S

    def ready(self, status: str) -> None:
        """Say that the server does what it was started for."""
        self._status = status
        self._send(f"READY=1\nSTATUS={_in_a_line(status)}", SEND_S)

    def beat(self, status: str, *, is_well: bool) -> None:
        """Say how it is, if that is due; the watchdog hears of it only where it is well."""
        if (now := time.monotonic()) < self._due:
            return
        self._due = now + self.interval_s * 0.9  # the timer that calls may be early
        lines = ["WATCHDOG=1"] if self._watchdog_s and is_well else []
        if status != self._status:
            lines.append(f"STATUS={_in_a_line(status)}")
        if lines and self._send("\n".join(lines), 0.0):
            self._status = status

    def stopping(self) -> None:
        """Say that the server ends."""
        self._send("STOPPING=1\nSTATUS=stopping", SEND_S)

    async def follow(self, status: Callable[[], str], is_well: Callable[[], bool]) -> None:
        """Say how the server is until cancelled; on its loop, as that may hang, too."""
        while self._address:
            self.beat(status(), is_well=is_well())
            await asyncio.sleep(self.interval_s)

    def _send(self, text: str, wait_s: float) -> bool:
        if not self._address or sys.platform == "win32":
            return False
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as speaking:
                speaking.settimeout(wait_s)
                speaking.sendto(text.encode(), self._address)
        except OSError as error:
            if not self._has_failed:
                _log.warning("systemd is not told how the server is: %s", error.strerror or error)
            self._has_failed = True
            return False
        return True


def _in_a_line(text: str) -> str:
    return " ".join(text.split())


def _nothing() -> None:
    """Be done."""
