"""GET /metrics: Prometheus' text; any worker answers for all of them. Reports to systemd.

The protocol is a few lines of text in a datagram; see sd_notify(3).
"""

import asyncio
import contextlib
import logging
import os
import platform
import socket
import sys
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, MutableMapping
from pathlib import Path
from typing import Final, NamedTuple

from starlette.types import Receive, Scope, Send

from oddsdesk import __version__
from oddsdesk.base.clock import Clock
from oddsdesk.base.system_errors import error_text
from oddsdesk.base.tasks import until_beat
from oddsdesk.contract.times import DAY_MS
from oddsdesk.server.edge.listener import HttpServer, bind
from oddsdesk.server.edge.middleware import HostGuard
from oddsdesk.server.endpoints.ingest import METRICS_PATH, METRICS_TYPE
from oddsdesk.server.fairness import ReaderPool
from oddsdesk.server.rest import Reply, Sample, no_limits, of_process, send_reply
from oddsdesk.server.run.answering import Answering
from oddsdesk.server.run.duties import Duties
from oddsdesk.server.settings import Settings
from oddsdesk.server.troubles import Trouble, Troubles
from oddsdesk.store.errors import StoreError
from oddsdesk.store.reader import Tail
from oddsdesk.store.sqlite.database import log_of
from oddsdesk.store.store import Store

OPTIONS: Final = "metrics-"
"""The prefix of its address's options."""
SOURCE_MS: Final = 7 * DAY_MS
"""How long a source that stopped keeps its figure: imports of the past end no alert."""


class Family(NamedTuple):
    """A metric: name, type and meaning."""

    name: str
    kind: str
    meaning: str


FAMILIES: Final = (
    Family("oddsdesk_build_info", "gauge", "1, with the versions of oddsdesk and Python."),
    Family("oddsdesk_requests_total", "counter", "Answers by endpoint and status."),
    Family("oddsdesk_request_duration_seconds", "histogram", "Seconds until an answer was ready."),
    Family("oddsdesk_requests_refused_total", "counter", "Requests refused before any endpoint."),
    Family("oddsdesk_quota_refusals_total", "counter", "Requests refused for a quota."),
    Family("oddsdesk_connections", "gauge", "Open connections."),
    Family("oddsdesk_handshakes", "gauge", "Unfinished TLS handshakes."),
    Family(
        "oddsdesk_certificate_expiry_timestamp_seconds",
        "gauge",
        "Expiry of the TLS certificate, Unix time.",
    ),
    Family("oddsdesk_connections_refused_total", "counter", "Refused connections."),
    Family("oddsdesk_stream_subscribers", "gauge", "Open streams."),
    Family("oddsdesk_stream_messages_total", "counter", "Messages written to streams."),
    Family("oddsdesk_stream_lag_changes", "gauge", "Price changes not yet sent to streams."),
    Family("oddsdesk_quotes_recorded_total", "counter", "Quotes recorded by this server."),
    Family("oddsdesk_quotes_skipped_total", "counter", "Quotes older than the stored ones."),
    Family("oddsdesk_odds_age_seconds", "gauge", "Seconds since the newest price."),
    Family("oddsdesk_source_age_seconds", "gauge", "Seconds since odds of a source were recorded."),
    Family("oddsdesk_feed_state", "gauge", "1 for the state that a feed is in."),
    Family("oddsdesk_owner", "gauge", "1 if this process is the leader."),
    Family("oddsdesk_troubles", "gauge", "Troubles listed by /api/health."),
    Family("oddsdesk_price_changes", "gauge", "Number of the last price change in the log."),
    Family("oddsdesk_write_ahead_log_bytes", "gauge", "Size of the write-ahead log of a file."),
    Family("process_cpu_seconds_total", "counter", "Processor time in seconds."),
    Family("process_start_time_seconds", "gauge", "When the process started, Unix time."),
    Family("process_resident_memory_bytes", "gauge", "Resident memory."),
)
_PARTS: Final = ("_bucket", "_sum", "_count")


def render(of_all: Iterable[Sample], by_worker: Mapping[int, Iterable[Sample]]) -> bytes:
    """Return Prometheus' text: figures of the database, and of workers by number."""
    lines: dict[str, list[str]] = defaultdict(list)
    for sample in of_all:
        lines[_family(sample.name)].append(_line(sample, {}))
    for worker, samples in sorted(by_worker.items()):
        for sample in samples:
            lines[_family(sample.name)].append(_line(sample, {"worker": str(worker)}))
    text = ""
    for name, kind, meaning in FAMILIES:
        if found := lines.get(name):
            text += f"# HELP {name} {meaning}\n# TYPE {name} {kind}\n" + "".join(found)
    return text.encode()


def _family(name: str) -> str:
    return next((name.removesuffix(part) for part in _PARTS if name.endswith(part)), name)


def _line(sample: Sample, more: dict[str, str]) -> str:
    labels = ",".join(f'{key}="{_escaped(text)}"' for key, text in (more | sample.labels).items())
    return f"{sample.name}{f'{{{labels}}}' if labels else ''} {sample.value!r}\n"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


async def of_database(store: Store, tail: Tail, clock: Clock) -> list[Sample]:
    """Return the figures that are the same for all workers."""
    versions = {"version": __version__, "python": platform.python_version()}
    found = [Sample("oddsdesk_build_info", 1, versions)]
    if store.path is not None:
        found.append(Sample("oddsdesk_write_ahead_log_bytes", _size(log_of(store.path))))
    with contextlib.suppress(StoreError):
        found.append(Sample("oddsdesk_price_changes", sum(await tail.end())))
        found += await asyncio.to_thread(_ages, store, clock())
    return found


def _ages(store: Store, now_ms: int) -> list[Sample]:
    """Return the age of the odds, of all and by source; 0 where a clock differs."""
    reader = store.reader()
    newest = reader.last_standing(now_ms)
    of_all = [] if newest is None else [Sample("oddsdesk_odds_age_seconds", _age_s(newest, now_ms))]
    recorded = reader.sources_since(now_ms - SOURCE_MS)
    return of_all + [
        Sample("oddsdesk_source_age_seconds", _age_s(at, now_ms), {"source": source})
        for source, at in sorted(recorded.items())
    ]


def _age_s(at_ms: int, now_ms: int) -> float:
    return max(now_ms - at_ms, 0) / 1000


async def of_worker(
    store: Store, troubles: Troubles, answering: Answering, duties: Duties | None
) -> list[Sample]:
    """Return a process's figures; ``duties`` are its own, if it is the leader."""
    return [
        *await answering.samples(),
        *(() if duties is None else duties.samples()),
        Sample("oddsdesk_quotes_recorded_total", store.quotes_recorded),
        Sample("oddsdesk_quotes_skipped_total", store.quotes_skipped),
        Sample("oddsdesk_owner", float(duties is not None)),
        Sample("oddsdesk_troubles", len(troubles.own())),
        *of_process(),
    ]


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


class MetricsServer:
    """Answers every client that can connect to its address; calls ``text`` for each answer."""

    def __init__(self, text: Callable[[], Awaitable[bytes]]) -> None:
        self._text = text
        self._http: HttpServer | None = None

    async def start_metrics(self, settings: Settings, *, shared: bool = False) -> None:
        """Listen where ``settings`` say, if anywhere, and answer.

        Raises:
            ListenError: the address cannot be listened on.
        """
        host, port = settings.metrics_host, settings.metrics_port
        if port is None:
            return
        guarded = HostGuard(self._answer, (host, *settings.public.allow_hosts), no_limits)
        self._http = HttpServer(guarded, bind(host, port, shared=shared, of=OPTIONS))
        await self._http.start_http()

    async def stop_metrics(self) -> None:
        """End it."""
        if self._http is not None:
            await self._http.stop_http()

    async def _answer(self, scope: Scope, _receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] != METRICS_PATH:
            reply = Reply(404, b"there is /metrics only\n", content_type=b"text/plain")
        elif scope["method"] not in ("GET", "HEAD"):
            reply = Reply(405, b"GET only\n", [(b"allow", b"GET, HEAD")], b"text/plain")
        else:
            reply = Reply(200, await self._text(), content_type=METRICS_TYPE)
        await send_reply(scope, send, reply)


STUCK_S: Final = 120.0
"""A thread that is busy with one thing for longer hangs (s). No request takes that long, and long
recordings are many transactions."""
LOOK_S: Final = 5.0
STATUS_S: Final = 5.0
"""The longest time between two reports to systemd (s)."""
SEND_S: Final = 1.0
"""How long systemd may take to accept a message that is sent only once (s)."""
RECORDING: Final = "recording hangs: a transaction has been running for 2 minutes"
READING: Final = "reading hangs: no query has finished for 2 minutes"

_log = logging.getLogger(__name__)


class Liveness:
    """Checks that the threads that record and read still finish their work.

    An unreachable or failing database is not a hang: such calls end with an error. ``threads``
    returns the pools to check, none before the server answers. For one event loop.
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
        """Whether no thread hangs, as of the last check."""
        return not self._hangs

    def troubles(self) -> Iterable[Trouble]:
        """Return the hangs found by the last check."""
        return self._hangs

    async def check_forever(self) -> None:
        """Check periodically, until cancelled."""
        while True:
            self.check_liveness()
            await asyncio.sleep(until_beat(LOOK_S))

    def check_liveness(self) -> None:
        """Check once; ``troubles`` then has the hangs found."""
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
        """Give the pool an empty task, and return whether no thread has run it for ``STUCK_S``."""
        asked, done = self._asked.get(pool, (0.0, None))
        if done is None or done.done():
            self._asked[pool] = self._clock(), pool.begin(_nothing)
            return False
        return self._clock() - asked > STUCK_S


class ServiceManager:
    """Reports to systemd; does nothing without systemd's socket in the environment.

    It removes the variables from the environment, so that programs started by the server cannot
    report for it. A missing socket is logged once; the server goes on.
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
    def beat_interval_s(self) -> float:
        """The time between calls of ``beat`` (s): at least two in the watchdog's time."""
        return min(self._watchdog_s / 2, STATUS_S) if self._watchdog_s else STATUS_S

    def ready(self, status: str) -> None:
        """Report that the server has started."""
        self._status = status
        self._send(f"READY=1\nSTATUS={_in_a_line(status)}", SEND_S)

    def beat(self, status: str, *, is_well: bool) -> None:
        """Report the status if that is due; reset the watchdog only if the server is well."""
        if (now := time.monotonic()) < self._due:
            return
        self._due = now + self.beat_interval_s * 0.9  # the timer that calls may be early
        lines = ["WATCHDOG=1"] if self._watchdog_s and is_well else []
        if status != self._status:
            lines.append(f"STATUS={_in_a_line(status)}")
        if lines and self._send("\n".join(lines), 0.0):
            self._status = status

    def stopping(self) -> None:
        """Report that the server is stopping."""
        self._send("STOPPING=1\nSTATUS=stopping", SEND_S)

    async def report_status(self, status: Callable[[], str], is_well: Callable[[], bool]) -> None:
        """Report the status until cancelled; on the server's loop, because that may hang, too."""
        while self._address:
            self.beat(status(), is_well=is_well())
            await asyncio.sleep(self.beat_interval_s)

    def _send(self, text: str, wait_s: float) -> bool:
        if not self._address or sys.platform == "win32":
            return False
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as speaking:
                speaking.settimeout(wait_s)
                speaking.sendto(text.encode(), self._address)
        except OSError as error:
            if not self._has_failed:
                _log.warning("cannot report the server's state to systemd: %s", error_text(error))
            self._has_failed = True
            return False
        return True


def _in_a_line(text: str) -> str:
    return " ".join(text.split())


def _nothing() -> None:
    """Do nothing."""
