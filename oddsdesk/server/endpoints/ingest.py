"""POST /ingest: records the NDJSON of ``oddsdesk ingest`` as it arrives.

Not part of the contract. A caller needs a key that can write, or the owner's secret (``is_owner``).
"""

import asyncio
import logging
import time
import zlib
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Final, TypeVar

import msgspec
from starlette.types import Message, Receive, Scope, Send

from oddsdesk.base.tasks import cancel_tasks, in_daemon_thread, spawn
from oddsdesk.contract.access import ErrorCode, ErrorDetail
from oddsdesk.contract.results import with_source
from oddsdesk.feeds.ndjson import BadLine, Batch, QuoteLines
from oddsdesk.server.edge.protocol import INGEST_LIMIT
from oddsdesk.server.gate import GET, Gate, RequestContext, Service
from oddsdesk.server.local_callers import BELIEVED, is_of_this_machine, looks_local
from oddsdesk.server.rest import Bare, Refusal, Reply, encode_bare
from oddsdesk.server.troubles import Trouble
from oddsdesk.store.owner_secret import MISSING, SECRET_HEADER, OwnerSecret

INGEST_PATH: Final = "/ingest"
METHODS: Final = ("POST",)
AT_ONCE: Final = 8
"""Bodies read at a time; further requests are refused with ``Retry-After``."""
TOLD_S: Final = 30.0
"""How long health reports a refusal (s)."""
LOG_S: Final = 60.0
"""The shortest time between equal log lines about refused programs on this machine (s)."""
LOOK_S: Final = 1.0
"""The shortest time between two searches for the cause, which read the secret's file (s)."""
MOST_TOLD: Final = 10_000
"""Bad lines listed in an answer; the others are counted."""
FIRST_REASONS: Final = 3
"""Bad lines listed in the message of a 400."""
MOST_IDLE: Final = 100_000
"""Blank and bad lines that a body may have beyond its quotes: each costs a microsecond or more, and
64 MiB of them compress to 64 KB."""
BATCH_QUOTES: Final = 500
_PIECE: Final = 256 * 1024
_SHORT: Final = 8 * 1024
"""Larger pieces are read on a thread, to keep the loop responsive."""
_GZIP_WINDOW: Final = zlib.MAX_WBITS | 16
_NO_GZIP: Final = "the body is not valid gzip; the lines before the error are recorded"
_CUT_GZIP: Final = (
    "the gzip body is cut off; the lines before the end are recorded, send the rest again"
)
_READ_ONLY: Final = (
    "This key is read-only; make one that can write: `oddsdesk keys create --write`."
)
_RETRY: Final = [(b"retry-after", b"1")]
_NOT_PRIVATE: Final = Trouble(
    "POST /ingest refuses the owner's secret: its file is damaged or open to other users"
)
_REFUSED: Final = Trouble("quotes were refused: too many POST /ingest requests at the same time")

T = TypeVar("T")

_log = logging.getLogger(__name__)


class Rejected(msgspec.Struct, frozen=True):
    """A line that is neither quote nor result; lines are counted from 1."""

    line: int
    reason: str


class Ingested(msgspec.Struct, omit_defaults=True):
    """The outcome of a body, in quotes; those older than the stored ones are skipped.

    ``results`` counts the recorded results; it is left out if there are none.
    """

    accepted: int
    skipped: int
    rejected: list[Rejected]
    rejected_more: int = 0
    """Bad lines beyond the listed ones."""
    results: int = 0
    error: ErrorDetail | None = None
    """The error if every line is bad, in the form of other refusals."""

    def reject(self, bad: list[BadLine]) -> None:
        """Add bad lines."""
        named = bad[: max(MOST_TOLD - len(self.rejected), 0)]
        self.rejected += [Rejected(line.number, line.reason) for line in named]
        self.rejected_more += len(bad) - len(named)

    def as_answer(self) -> Bare:
        """Return the answer: 400 with the counts if every line is bad, so that scripts notice."""
        if self.accepted or self.skipped or self.results or not self.rejected:
            return Bare(self)
        number = len(self.rejected) + self.rejected_more
        what = f"all {number:,} lines were refused" if number > 1 else "the line was refused"
        first = "; ".join(f"line {bad.line}: {bad.reason}" for bad in self.rejected[:FIRST_REASONS])
        code = ErrorCode.BAD_REQUEST
        self.error = ErrorDetail(code.value, f"{what}: {first}")
        return Bare(self, code.status)


class IngestGate(Gate):
    """Records quotes while their body arrives; what it confirms is committed."""

    work = "recording what is posted"

    def __init__(self, service: Service) -> None:
        super().__init__(service)
        self._running: Counter[int | None] = Counter()
        """Bodies being read, by the number of the key; None is the owner."""
        self._look_due = 0.0
        self._log_due: dict[str, float] = {}
        """By cause: when a refused program of this machine may be logged again."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; the body is read by ``reply``."""
        scope["oddsdesk.receive"] = receive
        await super().__call__(scope, receive, send)

    async def reply(self, request: RequestContext) -> Reply:
        """Return the counts, and the bad lines with reasons."""
        self._service.access.circuit.check_database()
        await self._admit(request)
        with self._place(None if request.caller is None else request.caller.key_id):
            if request.caller is not None:  # only now: a body that found no place costs nothing
                await request.require_quota()
            counts = await self._record(request.scope)
            return encode_bare(counts.as_answer())

    @contextmanager
    def _place(self, whose: int | None) -> Iterator[None]:
        """Take a place to read a body; more must be free than this writer has."""
        free, own = AT_ONCE - self._running.total(), self._running[whose]
        if own >= free:
            self._service.troubles.report_trouble("ingest", _REFUSED, TOLD_S)
            of_all = f"the server is already reading {AT_ONCE - free} requests"
            message = f"{of_all}, {own} of them yours" if free else of_all
            raise Refusal(ErrorCode.RATE_LIMIT_EXCEEDED, f"{message}; retry in 1 s.", _RETRY)
        self._running[whose] += 1
        try:
            yield
        finally:
            self._running[whose] -= 1

    async def _admit(self, request: RequestContext) -> None:
        may_write = await is_owner(request.scope, self._service.owner)
        if not may_write:
            caller = await request.identify()
            if caller is None:
                if request.has_method(METHODS) and _is_own_program(request.scope):
                    await self._report_refusal(request.scope)
                raise _unauthorized(self._service.owner is not None)
            may_write = caller.may_write
        if not request.has_method(METHODS):
            raise request.not_allowed(METHODS)
        if not may_write:
            raise Refusal(ErrorCode.WRITE_FORBIDDEN, _READ_ONLY)

    async def _report_refusal(self, scope: Scope) -> None:
        """Log why a program on this machine may not write.

        A stranger behind a proxy that adds no header looks like such a program. So the answer does
        not give the cause, each cause is logged at most once in ``LOG_S``, and health reports only
        faults of the file.
        """
        now = time.monotonic()
        if now < self._look_due:
            return
        self._look_due = now + LOOK_S
        owner = self._service.owner
        fault = "" if owner is None else await asyncio.to_thread(owner.fault)
        if fault and fault != MISSING:
            self._service.troubles.report_trouble("owner's secret", _NOT_PRIVATE, TOLD_S)
        cause = _cause(scope, fault, has_secret=owner is not None)
        if now < self._log_due.get(cause, now):
            return
        self._log_due[cause] = now + LOG_S
        cure = "send a key from `oddsdesk keys create --write`"
        if fault:
            cure = f"meanwhile {cure}"
        elif owner is not None and BELIEVED not in scope:
            cure = f"{cure} or the owner's secret (curl -H @{owner.path})"
        _log.warning("refused POST /ingest from this machine: %s; %s", cause, cure)

    async def _record(self, scope: Scope) -> Ingested:
        counts = Ingested(0, 0, [])
        lines = QuoteLines(self._service.clock)
        async with _reading(scope["oddsdesk.receive"]) as body:
            async for piece in _pieces(scope, body):
                await self._take(piece, lines.feed, counts)
                _check_idle(lines)
        await self._take(b"", lambda _: lines.last_line(), counts)
        return counts

    async def _take(self, piece: bytes, read: Callable[[bytes], Batch], counts: Ingested) -> None:
        if len(piece) <= _SHORT:
            batch = read(piece)
        else:
            batch = await in_daemon_thread("read ingest", lambda: read(piece))
        counts.reject(batch.bad)
        for quotes in _cut(batch.quotes):
            recorded = await asyncio.wrap_future(self._service.store.record(quotes))
            self._service.troubles.over(self.work)
            counts.accepted += recorded.quotes
            counts.skipped += recorded.skipped
        for results in _cut(batch.results):
            said = [with_source(each, "ingest") for each in results]
            await asyncio.wrap_future(self._service.store.record_results(said))
            self._service.troubles.over(self.work)
            counts.results += len(said)


def _check_idle(lines: QuoteLines) -> None:
    if lines.number - lines.good > MOST_IDLE + lines.good:
        message = (
            f"more than {MOST_IDLE:,} of the first {lines.number:,} lines, and more than half of"
            " them, are blank or invalid; the valid ones are recorded, the rest is not read"
        )
        raise Refusal(ErrorCode.BAD_REQUEST, message)


def _cause(scope: Scope, fault: str, *, has_secret: bool) -> str:
    """Return why a program may not write; ``fault`` is what is wrong with the secret's file."""
    sent = len(secrets_in(scope))
    if any(name == b"x-api-key" for name, _ in scope["headers"]):
        return "the key is unknown or revoked"
    if not has_secret:
        return "a database on PostgreSQL has no owner's secret" if sent else "no key was sent"
    if sent and BELIEVED in scope:
        return "it comes from an address in --behind-proxy, which may not use the secret"
    if fault:
        return f"the owner's secret is not accepted: {fault}"
    if not sent:
        return "neither a key nor the secret was sent"
    return "the secret is wrong, or more than one was sent"


def _unauthorized(has_secret: bool) -> Refusal:
    """Return the refusal of a caller who may not write, with what to send."""
    key = "POST /ingest: send X-Api-Key with a key from `oddsdesk keys create --write`"
    if has_secret:
        message = (
            f"{key}. On the server's own machine, without a proxy, the owner of the database can"
            " send its secret to 127.0.0.1 instead: curl -H @DATABASE.secret (odds.db.secret for"
            " odds.db). The server's log says why a secret was refused. See Programs of your own"
            " in docs/feeds.md."
        )
    else:
        message = (
            f"{key}. A database on PostgreSQL has no owner's secret. See Programs of your own in"
            " docs/feeds.md."
        )
    return Refusal(ErrorCode.UNAUTHORIZED, message)


def _cut(lines: list[T]) -> Iterator[list[T]]:
    return (lines[start : start + BATCH_QUOTES] for start in range(0, len(lines), BATCH_QUOTES))


async def _pieces(scope: Scope, body: "_Body") -> AsyncGenerator[bytes, None]:
    """Yield the plain body piece by piece, at most ``INGEST_LIMIT`` in all."""
    encoding = next((value for name, value in scope["headers"] if name == b"content-encoding"), b"")
    unpack = _unpacking(encoding)
    size = 0
    async for chunk in body.chunks():
        for plain in unpack(chunk):
            body.check_sender()
            size += len(plain)
            if size > INGEST_LIMIT:
                message = f"the unpacked body is larger than {INGEST_LIMIT} bytes"
                raise Refusal(ErrorCode.PAYLOAD_TOO_LARGE, message)
            yield plain


class _Body:
    """Receives the next message while one is handled, to notice a sender who has gone.

    Otherwise a short compressed body would be handled to its end.
    """

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._next = spawn("read body", self._message())

    async def chunks(self) -> AsyncGenerator[bytes, None]:
        """Yield the body as it arrives, and nothing at its end."""
        is_more = True
        while is_more:
            message = await self._next
            self.check_sender()
            self._next = spawn("read body", self._message())
            yield message.get("body", b"")
            is_more = message.get("more_body", False)
        yield b""

    def check_sender(self) -> None:
        """Refuse a sender who has gone."""
        if self._next.done() and self._next.result()["type"] == "http.disconnect":
            raise Refusal(ErrorCode.BAD_REQUEST, "the body was cut off")

    async def stop_receiving(self) -> None:
        """Stop receiving."""
        await cancel_tasks(self._next)

    async def _message(self) -> Message:
        return await self._receive()


@asynccontextmanager
async def _reading(receive: Receive) -> AsyncGenerator[_Body, None]:
    body = _Body(receive)
    try:
        yield body
    finally:
        await body.stop_receiving()


def _unpacking(encoding: bytes) -> Callable[[bytes], Iterator[bytes]]:
    """Return the function that unpacks chunks; an empty chunk is the last."""
    if encoding in (b"", b"identity"):
        return lambda chunk: iter([chunk])
    if encoding not in (b"gzip", b"x-gzip"):
        raise Refusal(ErrorCode.BAD_REQUEST, "Content-Encoding: only gzip is supported")
    member = zlib.decompressobj(_GZIP_WINDOW)

    def unpack(chunk: bytes) -> Iterator[bytes]:
        try:
            left = chunk
            while left and not member.eof:
                yield member.decompress(left, _PIECE)
                left = member.unconsumed_tail
        except zlib.error as error:
            raise Refusal(ErrorCode.BAD_REQUEST, _NO_GZIP) from error
        if not chunk and not member.eof:
            raise Refusal(ErrorCode.BAD_REQUEST, _CUT_GZIP)

    return unpack


FEEDS_PATH = "/administration/feeds"
SECRET: Final = SECRET_HEADER.lower().encode()


class FeedsGate(Gate):
    """Returns the feeds to the owner, on this machine."""

    def __init__(self, service: Service) -> None:
        super().__init__(service)
        self._owner = service.owner
        self._reports = service.feeds

    async def reply(self, request: RequestContext) -> Reply:
        """Return a list of the feeds' states."""
        if not (request.has_method(GET) and await is_owner(request.scope, self._owner)):
            return await super().reply(request)
        return encode_bare(Bare(list(self._reports())))


METRICS_PATH: Final = "/metrics"
METRICS_TYPE: Final = b"text/plain; version=0.0.4; charset=utf-8"


class MetricsGate(Gate):
    """Returns the figures for Prometheus to those who may write: the operator's programs."""

    async def reply(self, request: RequestContext) -> Reply:
        """Return the text; not counted."""
        metrics = self._service.metrics
        if metrics is None:
            return await super().reply(request)
        if not await is_owner(request.scope, self._service.owner):
            caller = await request.require_key()
            if not caller.may_write:
                raise Refusal(ErrorCode.WRITE_FORBIDDEN, _READ_ONLY)
        if not request.has_method(GET):
            raise request.not_allowed(GET)
        return Reply(200, await metrics(), content_type=METRICS_TYPE)


async def is_owner(scope: Scope, owner: OwnerSecret | None) -> bool:
    """Return whether the caller is the owner: a program on this machine with the secret.

    A request from a page in a browser or through a proxy is refused even with the secret.
    """
    if owner is None or _is_of_a_page(scope) or not is_of_this_machine(scope):
        return False
    said = secrets_in(scope)
    return len(said) == 1 and await asyncio.to_thread(owner.matches, said[0])


def _is_own_program(scope: Scope) -> bool:
    """Return whether a program on this machine seems to ask, or one of a trusted proxy's."""
    return looks_local(scope) and not _is_of_a_page(scope)


def _is_of_a_page(scope: Scope) -> bool:
    """Return whether a page in a browser sent the request."""
    return any(name == b"origin" for name, _ in scope["headers"])


def secrets_in(scope: Scope) -> list[bytes]:
    """Return the owner's secret in a request; None if there is none or more than one."""
    return [value for name, value in scope["headers"] if name == SECRET]
