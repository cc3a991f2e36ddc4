"""GET /metrics at an address of its own: Prometheus' text, of all workers by whichever."""

import contextlib
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from starlette.types import Receive, Scope, Send

from oddsdesk.server.answering import Answering
from oddsdesk.server.answers import Reply, send_reply
from oddsdesk.server.duties import Duties
from oddsdesk.server.figures import Sample, of_process
from oddsdesk.server.hosts import HostGuard
from oddsdesk.server.limits import no_limits
from oddsdesk.server.listener import HttpServer, bind
from oddsdesk.server.settings import Settings
from oddsdesk.server.troubles import Troubles
from oddsdesk.store.errors import StoreError
from oddsdesk.store.sqlite.write_ahead import log_of
from oddsdesk.store.store import Store
from oddsdesk.store.tail import Tail

OPTIONS: Final = "metrics-"
"""What the options of its address begin with."""
PATH: Final = "/metrics"
_TYPE: Final = b"text/plain; version=0.0.4; charset=utf-8"


class Family(NamedTuple):
    """A name, what kind of figure it has, and what that means."""

    name: str
    kind: str
    meaning: str


FAMILIES: Final = (
    Family("oddsdesk_requests_total", "counter", "Answers of each endpoint by status."),
    Family("oddsdesk_request_seconds", "histogram", "Seconds until an answer was ready."),
    Family("oddsdesk_requests_refused_total", "counter", "Requests that no endpoint was asked."),
    Family("oddsdesk_quota_refusals_total", "counter", "What keys asked for beyond their quotas."),
    Family("oddsdesk_connections", "gauge", "Connections that are open."),
    Family("oddsdesk_handshakes", "gauge", "TLS handshakes that have begun and not ended."),
    Family("oddsdesk_certificate_end_seconds", "gauge", "When TLS's certificate ends, Unix time."),
    Family("oddsdesk_connections_refused_total", "counter", "Connections that were not taken."),
    Family("oddsdesk_stream_subscribers", "gauge", "Streams that are open."),
    Family("oddsdesk_stream_messages_total", "counter", "Messages written to streams."),
    Family("oddsdesk_stream_lag_changes", "gauge", "Price changes that streams do not have yet."),
    Family("oddsdesk_quotes_recorded_total", "counter", "Quotes recorded by this server."),
    Family("oddsdesk_quotes_skipped_total", "counter", "Quotes older than what was stored."),
    Family("oddsdesk_feed_state", "gauge", "1 for the state that a feed is in."),
    Family("oddsdesk_owner", "gauge", "1 for who does what one process does at a time."),
    Family("oddsdesk_troubles", "gauge", "Troubles that /api/health tells of."),
    Family("oddsdesk_price_changes", "gauge", "Number of the last price change in the log."),
    Family("oddsdesk_write_ahead_log_bytes", "gauge", "Size of a file's write-ahead log."),
    Family("process_cpu_seconds_total", "counter", "Processor time in seconds."),
    Family("process_start_time_seconds", "gauge", "When the process was begun, in Unix time."),
    Family("process_resident_memory_bytes", "gauge", "Resident memory."),
)
_PARTS: Final = ("_bucket", "_sum", "_count")


def render(of_all: Iterable[Sample], by_worker: Mapping[int, Iterable[Sample]]) -> bytes:
    """Return Prometheus' text: figures of the database, and those of workers with their numbers."""
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


async def of_database(store: Store, tail: Tail) -> list[Sample]:
    """Return the figures that all workers would tell alike."""
    found = []
    if store.path is not None:
        found.append(Sample("oddsdesk_write_ahead_log_bytes", _size(log_of(store.path))))
    with contextlib.suppress(StoreError):
        found.append(Sample("oddsdesk_price_changes", sum(await tail.end())))
    return found


async def of_worker(
    store: Store, troubles: Troubles, answering: Answering, duties: Duties | None
) -> list[Sample]:
    """Return what a process tells of itself; ``duties`` are its own, where it has the lock."""
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
    """Answers whoever reaches its address; ``text`` is asked for each answer."""

    def __init__(self, text: Callable[[], Awaitable[bytes]]) -> None:
        self._text = text
        self._http: HttpServer | None = None

    async def start(self, settings: Settings, *, shared: bool = False) -> None:
        """Listen where ``settings`` say, if anywhere, and answer.

        Raises:
            ListenError: the address cannot be listened on.
        """
        host, port = settings.metrics_host, settings.metrics_port
        if port is None:
            return
        guarded = HostGuard(self._answer, (host, *settings.public.allow_hosts), no_limits)
        self._http = HttpServer(guarded, bind(host, port, shared=shared, of=OPTIONS))
        await self._http.start()

    async def stop(self) -> None:
        """End it."""
        if self._http is not None:
            await self._http.stop()

    async def _answer(self, scope: Scope, _receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"] != PATH:
            reply = Reply(404, b"there is /metrics only\n", content_type=b"text/plain")
        elif scope["method"] not in ("GET", "HEAD"):
            reply = Reply(405, b"GET only\n", [(b"allow", b"GET, HEAD")], b"text/plain")
        else:
            reply = Reply(200, await self._text(), content_type=_TYPE)
        await send_reply(scope, send, reply)
