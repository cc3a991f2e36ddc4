"""The process that starts, restarts and stops the workers."""

import contextlib
import logging
import os
import select
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from typing import Final

import msgspec

from oddsdesk.base.clock import system_clock
from oddsdesk.base.ending import SIGNALS, Ending
from oddsdesk.base.tasks import RESTART_S, STEADY_S
from oddsdesk.cluster.workers import colleagues
from oddsdesk.cluster.workers.worker import Place, run_worker
from oddsdesk.server.edge.listener import reserve, url_of
from oddsdesk.server.run.monitoring import OPTIONS as METRICS_OPTIONS
from oddsdesk.server.run.monitoring import ServiceManager
from oddsdesk.server.settings import Settings
from oddsdesk.store.errors import StoreError

assert sys.platform != "win32"  # `can_share_ports` is asked before

END_S: Final = 2.3
"""How long workers have to end before they are killed (s): less than the program has."""
LOOK_S: Final = 1.0
"""How often the supervisor checks that workers report (s)."""
MOST_SILENT: Final = 15
"""A worker silent for this many looks in a row hangs, and is killed."""
FIRST: Final = 1
_SIGNALS: Final = (*SIGNALS, signal.SIGCHLD)

_log = logging.getLogger(__name__)


class CannotStartError(StoreError):
    """A worker cannot start; the message is one line with the reason."""


class _Process(msgspec.Struct):
    """A worker's state in the supervisor; times are of the monotonic clock, in seconds."""

    pid: int = 0
    """0: none is running."""
    begun: float = 0.0
    due: float = 0.0
    """When to start it."""
    deaths: int = 0
    """How often in a row it died soon after its start."""
    is_ready: bool = False
    silent: int = 0
    """How many looks in a row it was silent."""
    troubles: list[str] = []
    """Its troubles, as it last reported."""


class Supervisor:
    """Runs workers on one address until told to stop; it opens no database itself.

    It has no threads and no loop, so that it can fork at any time: a worker starts in milliseconds,
    with all its modules loaded.
    """

    def __init__(self, settings: Settings, ending: Ending, manager: ServiceManager) -> None:
        self._ending = ending
        self._manager = manager
        self._reserved = reserve(settings.host, settings.port) if settings.listens else None
        if self._reserved is not None:
            port = self._reserved.getsockname()[1]
            settings = msgspec.structs.replace(settings, port=port)
        port = settings.metrics_port
        self._metrics = (
            None if port is None else reserve(settings.metrics_host, port, of=METRICS_OPTIONS)
        )
        self._settings = settings
        self._mailboxes = colleagues.Mailboxes(settings.workers)
        self._processes = {number: _Process() for number in self._mailboxes.workers}
        self._alive, self._held = os.pipe()
        """Workers end when nobody holds the second end any more: then this process is gone."""
        self._bell, self._button = socket.socketpair()
        self._bell.setblocking(False)
        self._button.setblocking(False)
        self._is_asked = False
        self._looked = time.monotonic()
        self._untold: list[tuple[int, colleagues.Ended]] = []

    def supervise(self, announce: Callable[[str], None]) -> None:
        """Run until a signal comes; ``announce`` gets the address once all workers are ready.

        Raises:
            CannotStartError: a worker cannot start; all others have ended.
        """
        signal.signal(signal.SIGCHLD, lambda *_: self._ring())
        self._ending.then(self._ask)
        try:
            for numbers in ([FIRST], [each for each in self._processes if each != FIRST]):
                self._begin_all(numbers)  # the first one makes the database
            if not self._is_asked:
                announce(self._url())
            while not self._is_asked:
                self._manager.beat(
                    self._status(), is_well=True
                )  # a worker that hangs is ended here
                self._wait()
                self._end_who_hangs()
                self._restart_ended()
        finally:
            self._end()

    def _url(self) -> str:
        """Return the workers' address, empty if they do not listen."""
        return "" if self._reserved is None else url_of(self._reserved, self._settings.scheme)

    def _status(self) -> str:
        running = sum(each.is_ready and each.pid > 0 for each in self._processes.values())
        at = f"listening on {url}, " if (url := self._url()) else ""
        troubles = [line for each in self._processes.values() for line in each.troubles]
        runs = f"{at}{running} of {len(self._processes)} workers running"
        return "; ".join([runs, *dict.fromkeys(troubles)])

    def _begin_all(self, numbers: list[int]) -> None:
        for number in numbers:
            if not self._is_asked:
                self._begin(number, is_first=number == FIRST)
        while not self._is_asked and not all(self._processes[each].is_ready for each in numbers):
            self._wait(is_starting=True)

    def _begin(self, number: int, *, is_first: bool = False) -> None:
        place = Place(number, is_first, self._mailboxes)
        signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
        try:
            pid = os.fork()
            if pid == 0:
                self._be(place)
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
        process = self._processes[number]
        process.pid, process.begun, process.is_ready = pid, time.monotonic(), False
        process.silent, process.troubles = 0, []

    def _be(self, place: Place) -> None:
        """Run a worker, in a separate process, to its end."""
        status = 1
        try:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            ending = Ending()
            ending.listen()
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
            os.close(self._held)
            for each in (self._bell, self._button):
                each.close()
            _end_with(self._alive, ending)
            status = run_worker(place, self._settings, system_clock, ending)
        except BaseException:  # noqa: BLE001 - main of a process
            _log.exception("worker %d failed", place.number)
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(status)

    def _wait(self, *, is_starting: bool = False) -> None:
        """Handle events, and wait for one if nothing is due."""
        due = [each.due for each in self._processes.values() if not each.pid]
        timeout = 0.05 if self._untold else LOOK_S
        if due and not is_starting:
            timeout = min(timeout, max(min(due) - time.monotonic(), 0.0))
        mailbox = self._mailboxes.fileno(colleagues.SUPERVISOR)
        select.select([self._bell.fileno(), mailbox], [], [], timeout)
        self._hear_bell()
        self._read(is_starting=is_starting)
        self._reap(is_starting=is_starting)
        self._untold = [each for each in self._untold if not self._mailboxes.send_message(*each)]

    def _read(self, *, is_starting: bool) -> None:
        for message in self._mailboxes.receive(colleagues.SUPERVISOR):
            match message:
                case colleagues.Ready():
                    self._processes[message.worker].is_ready = True
                case colleagues.Alive():
                    process = self._processes[message.worker]
                    process.silent, process.troubles = 0, message.troubles
                case colleagues.CannotStart():
                    if is_starting:
                        raise CannotStartError(message.reason)
                    _log.warning("worker %d cannot start: %s", message.worker, message.reason)
                case _:
                    pass  # for workers

    def _reap(self, *, is_starting: bool) -> None:
        for number, process in self._processes.items():
            if not process.pid:
                continue
            pid, status = os.waitpid(process.pid, os.WNOHANG)
            if not pid or self._is_asked:
                process.pid = 0 if pid else process.pid
                continue
            code = os.waitstatus_to_exitcode(status)
            why = f"was ended by signal {-code}" if code < 0 else f"ended with status {code}"
            if is_starting:
                process.pid = 0  # nothing is left to kill
                self._read(is_starting=True)  # its last messages
                raise CannotStartError(f"worker {number} {why} while it started")
            self._note_end(number, process, why)

    def _note_end(self, number: int, process: _Process, why: str) -> None:
        _log.warning("worker %d (process %d) %s; restarting it", number, process.pid, why)
        now = time.monotonic()
        process.deaths = 0 if now - process.begun >= STEADY_S else process.deaths + 1
        process.due = now + RESTART_S[min(process.deaths, len(RESTART_S) - 1)]
        process.pid = 0
        self._untold += [(each, colleagues.Ended(number)) for each in self._processes]

    def _end_who_hangs(self) -> None:
        """Kill silent workers, counted by looks, which pause when everything is paused."""
        if (now := time.monotonic()) - self._looked < LOOK_S:
            return
        self._looked = now
        for number, process in self._processes.items():
            process.silent += process.is_ready
            if process.pid and process.silent > MOST_SILENT:
                _log.warning("worker %d (process %d) hangs; killing it", number, process.pid)
                os.kill(process.pid, signal.SIGKILL)

    def _restart_ended(self) -> None:
        now = time.monotonic()
        for number, process in self._processes.items():
            if not process.pid and process.due <= now and not self._is_asked:
                self._begin(number)

    def _end(self) -> None:
        """Stop all workers, and kill those that take too long."""
        self._is_asked = True
        self._manager.stopping()
        deadline = time.monotonic() + END_S
        self._signal_all(signal.SIGTERM)
        while (left := deadline - time.monotonic()) > 0 and self._running():
            select.select([self._bell], [], [], left)
            self._hear_bell()
            self._reap(is_starting=False)
        self._signal_all(signal.SIGKILL)
        for each in self._running():
            os.waitpid(each.pid, 0)
        self._close()

    def _close(self) -> None:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._ending.then(lambda: None)
        for each in (self._bell, self._button, self._mailboxes, self._reserved, self._metrics):
            if each is not None:
                each.close()
        for handle in (self._alive, self._held):
            os.close(handle)

    def _signal_all(self, number: signal.Signals) -> None:
        for each in self._running():
            os.kill(each.pid, number)

    def _running(self) -> list[_Process]:
        return [each for each in self._processes.values() if each.pid]

    def _ask(self) -> None:
        self._is_asked = True
        self._ring()

    def _ring(self) -> None:
        with contextlib.suppress(BlockingIOError):  # it rings already
            self._button.send(b".")

    def _hear_bell(self) -> None:
        with contextlib.suppress(BlockingIOError):
            while self._bell.recv(1024):
                pass


def _end_with(alive: int, ending: Ending) -> None:
    """End this worker, as a signal does, when the supervisor is gone."""

    def wait() -> None:
        os.read(alive, 1)
        os.kill(os.getpid(), signal.SIGTERM)
        ending.limit()

    threading.Thread(target=wait, name="supervisor", daemon=True).start()
