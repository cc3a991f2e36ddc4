"""POST /ingest: records the NDJSON of ``oddsdesk ingest`` as it comes (D65).

Not of the contract. A caller needs a key with the right to write, or the owner's secret
(``is_owner``).
"""

import asyncio
import logging
import time
import zlib
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Final

import msgspec
from starlette.types import Message, Receive, Scope, Send

from oddsdesk.contract.errors import ErrorCode, ErrorDetail
from oddsdesk.contract.quotes import Quote
from oddsdesk.feeds.ndjson import BadLine, Batch, QuoteLines
from oddsdesk.server.answers import Bare, Refusal, Reply, encode
from oddsdesk.server.endpoints.feeds import is_of_this_machine, is_owner, secrets_in
from oddsdesk.server.gate import Gate, RequestContext
from oddsdesk.server.protocol import INGEST_LIMIT
from oddsdesk.server.proxies import BELIEVED
from oddsdesk.server.service import Service
from oddsdesk.server.troubles import Trouble
from oddsdesk.store.owner_secret import MISSING
from oddsdesk.tasks import in_daemon_thread, spawn, stop

PATH: Final = "/ingest"
METHODS: Final = ("POST",)
AT_ONCE: Final = 8
"""Bodies read at a time; further requests are refused with ``Retry-After``."""
TOLD_S: Final = 30.0
"""For how long health tells of a refusal."""
LOG_S: Final = 60.0
"""How often, at most, the log says the same about refused programs of this machine."""
LOOK_S: Final = 1.0
"""How often, at most, the cause is looked for: it reads the secret's file."""
MOST_TOLD: Final = 10_000
"""Bad lines that an answer names; the others are counted."""
FIRST_REASONS: Final = 3
"""Bad lines that the message of a 400 names."""
MOST_IDLE: Final = 100_000
"""Blank and bad lines that a body may have beyond its quotes: each costs a microsecond or more, and
64 MiB of them pack into 64 KB."""
BATCH_QUOTES: Final = 500
_PIECE: Final = 256 * 1024
_SHORT: Final = 8 * 1024
"""Bytes that are read on the loop, others on a thread: no slice of the loop's is long."""
_GZIP_WINDOW: Final = zlib.MAX_WBITS | 16
_NO_GZIP: Final = "the body is not gzip, as Content-Encoding says; lines before the fault are kept"
_CUT_GZIP: Final = "the gzip body ends early; lines up to there are kept, send the rest again"
_RETRY: Final = [(b"retry-after", b"1")]
_NOT_PRIVATE: Final = Trouble(
    "POST /ingest refuses the owner's secret: its file is damaged or not private to its owner"
)
_REFUSED: Final = Trouble("quotes were refused: too many bodies of POST /ingest come at a time")

_log = logging.getLogger(__name__)


class Rejected(msgspec.Struct, frozen=True):
    """A line that is no quote; lines are physical ones, from 1."""

    line: int
    reason: str


class Ingested(msgspec.Struct, omit_defaults=True):
    """The outcome of a body, in quotes; those older than the stored ones are skipped."""

    accepted: int
    skipped: int
    rejected: list[Rejected]
    rejected_more: int = 0
    """Bad lines beyond those that are named."""
    error: ErrorDetail | None = None
    """What is wrong if every line is bad, as other refusals have it."""

    def reject(self, bad: list[BadLine]) -> None:
        """Take in bad lines."""
        named = bad[: max(MOST_TOLD - len(self.rejected), 0)]
        self.rejected += [Rejected(line.number, line.reason) for line in named]
        self.rejected_more += len(bad) - len(named)

    def answer(self) -> Bare:
        """Return the answer: 400 with the counts if every line is bad, so that scripts notice."""
        if self.accepted or self.skipped or not self.rejected:
            return Bare(self)
        number = len(self.rejected) + self.rejected_more
        what = f"none of {number:,} lines is" if number > 1 else "the line is not"
        first = "; ".join(f"line {bad.line}: {bad.reason}" for bad in self.rejected[:FIRST_REASONS])
        code = ErrorCode.BAD_REQUEST
        self.error = ErrorDetail(code.value, f"{what} recorded: {first}")
        return Bare(self, code.status)


class IngestGate(Gate):
    """Records quotes while their body comes in; what it answers for is committed."""

    work = "recording what is posted"

    def __init__(self, service: Service) -> None:
        super().__init__(service)
        self._running: Counter[int | None] = Counter()
        """Bodies that are read, by the number of the key; None is the owner."""
        self._look_due = 0.0
        self._log_due: dict[str, float] = {}
        """By cause: when the log may say again why a program of this machine was refused."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request; the body is read where the request is judged."""
        scope["oddsdesk.receive"] = receive
        await super().__call__(scope, receive, send)

    async def reply(self, request: RequestContext) -> Reply:
        """Return the counts, and what was wrong with which line."""
        self._service.access.circuit.check()
        await self._admit(request)
        with self._place(None if request.caller is None else request.caller.key_id):
            if request.caller is not None:  # only now: a body that found no place costs nothing
                await request.require_quota()
            counts = await self._record(request.scope)
            return encode(counts.answer(), 0)

    @contextmanager
    def _place(self, whose: int | None) -> Iterator[None]:
        """Take a place to be read at, of which more must be free than this writer has."""
        free, own = AT_ONCE - self._running.total(), self._running[whose]
        if own >= free:
            self._service.troubles.say("ingest", _REFUSED, TOLD_S)
            of_all = f"{AT_ONCE - free} bodies are being read already"
            message = f"{of_all}, {own} of them of this writer" if free else of_all
            raise Refusal(ErrorCode.RATE_LIMIT_EXCEEDED, f"{message}; retry in 1 s.", _RETRY)
        self._running[whose] += 1
        try:
            yield
        finally:
            self._running[whose] -= 1

    async def _admit(self, request: RequestContext) -> None:
        if not await is_owner(request.scope, self._service.owner):
            caller = await request.identify()
            if caller is None:
                if request.has_method(METHODS) and is_of_this_machine(request.scope):
                    await self._report_refusal(request.scope)
                raise _unauthorized(self._service.owner is not None)
            if not caller.may_write:
                message = "This key may only read; `oddsdesk keys create --write` makes one."
                raise Refusal(ErrorCode.WRITE_FORBIDDEN, message)
        if not request.has_method(METHODS):
            raise request.not_allowed(METHODS)

    async def _report_refusal(self, scope: Scope) -> None:
        """Say in the log why a program of this machine may not write.

        A stranger behind a proxy that adds no header looks like such a program. So the answer
        does not say it, each cause is logged at most once in ``LOG_S``, and health reports
        only what is wrong with the file.
        """
        now = time.monotonic()
        if now < self._look_due:
            return
        self._look_due = now + LOOK_S
        owner = self._service.owner
        fault = "" if owner is None else await asyncio.to_thread(owner.fault)
        if fault and fault != MISSING:
            self._service.troubles.say("owner's secret", _NOT_PRIVATE, TOLD_S)
        cause = _cause(scope, fault, has_secret=owner is not None)
        if now < self._log_due.get(cause, now):
            return
        self._log_due[cause] = now + LOG_S
        cure = "send a key made by `oddsdesk keys create --write`"
        if fault:
            cure = f"meanwhile {cure}"
        elif owner is not None and BELIEVED not in scope:
            cure = f"{cure}, or the owner's secret (curl -H @{owner.path})"
        _log.warning("POST /ingest from this machine was refused: %s; %s", cause, cure)

    async def _record(self, scope: Scope) -> Ingested:
        counts = Ingested(0, 0, [])
        lines = QuoteLines(self._service.clock)
        async with _reading(scope["oddsdesk.receive"]) as body:
            async for piece in _pieces(scope, body):
                await self._take(piece, lines.feed, counts)
                _check_idle(lines)
        await self._take(b"", lambda _: lines.end(), counts)
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


def _check_idle(lines: QuoteLines) -> None:
    if lines.number - lines.quotes > MOST_IDLE + lines.quotes:
        message = (
            f"more than {MOST_IDLE:,} of the first {lines.number:,} lines, and more than half of"
            " them, are blank or no quotes; the others are recorded, what follows is not read"
        )
        raise Refusal(ErrorCode.BAD_REQUEST, message)


def _cause(scope: Scope, fault: str, *, has_secret: bool) -> str:
    """Return why a program may not write; ``fault`` is what is wrong with the secret's file."""
    sent = len(secrets_in(scope))
    if any(name == b"x-api-key" for name, _ in scope["headers"]):
        return "its key is unknown or was revoked"
    if not has_secret:
        return "a database on PostgreSQL has no owner's secret" if sent else "it has no key"
    if sent and BELIEVED in scope:
        return "--behind-proxy names the address that it comes from, where no secret is accepted"
    if fault:
        return f"the owner's secret is not accepted: {fault}"
    if not sent:
        return "it has no secret and no key"
    return "it sends another secret than this database has, or more than one"


def _unauthorized(has_secret: bool) -> Refusal:
    """Return the refusal of a caller who may not write: what to send, and where that is told."""
    key = "POST /ingest: send X-Api-Key with a key made by `oddsdesk keys create --write`"
    if has_secret:
        message = (
            f"{key}. On the server's own machine, and not through a proxy, the owner of the"
            " database can send its secret instead, to 127.0.0.1: curl -H @DATABASE.secret"
            " (odds.db.secret for odds.db). The server's log says why a secret is refused. See"
            " Programs of your own in docs/feeds.md."
        )
    else:
        message = (
            f"{key}. A database on PostgreSQL has no owner's secret. See Programs of your own in"
            " docs/feeds.md."
        )
    return Refusal(ErrorCode.UNAUTHORIZED, message)


def _cut(quotes: list[Quote]) -> Iterator[list[Quote]]:
    return (quotes[start : start + BATCH_QUOTES] for start in range(0, len(quotes), BATCH_QUOTES))


async def _pieces(scope: Scope, body: "_Body") -> AsyncGenerator[bytes, None]:
    """Yield the plain body piece by piece, at most ``INGEST_LIMIT`` in all."""
    encoding = next((value for name, value in scope["headers"] if name == b"content-encoding"), b"")
    unpack = _unpacking(encoding)
    size = 0
    async for chunk in body.chunks():
        for plain in unpack(chunk):
            body.check()
            size += len(plain)
            if size > INGEST_LIMIT:
                message = f"the body is larger than {INGEST_LIMIT} bytes once it is unpacked"
                raise Refusal(ErrorCode.PAYLOAD_TOO_LARGE, message)
            yield plain


class _Body:
    """Receives the next message while one is worked on, to know of a sender who has gone.

    Else a short packed body would be worked on for as long as what it holds takes.
    """

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._next = spawn("read body", self._message())

    async def chunks(self) -> AsyncGenerator[bytes, None]:
        """Yield the body as it comes, and nothing at its end."""
        is_more = True
        while is_more:
            message = await self._next
            self.check()
            self._next = spawn("read body", self._message())
            yield message.get("body", b"")
            is_more = message.get("more_body", False)
        yield b""

    def check(self) -> None:
        """Refuse a sender who has gone."""
        if self._next.done() and self._next.result()["type"] == "http.disconnect":
            raise Refusal(ErrorCode.BAD_REQUEST, "the body was cut short")

    async def stop(self) -> None:
        """Receive no more."""
        await stop(self._next)

    async def _message(self) -> Message:
        return await self._receive()


@asynccontextmanager
async def _reading(receive: Receive) -> AsyncGenerator[_Body, None]:
    body = _Body(receive)
    try:
        yield body
    finally:
        await body.stop()


def _unpacking(encoding: bytes) -> Callable[[bytes], Iterator[bytes]]:
    """Return what unpacks chunks; an empty one says that it was the last."""
    if encoding in (b"", b"identity"):
        return lambda chunk: iter([chunk])
    if encoding not in (b"gzip", b"x-gzip"):
        raise Refusal(ErrorCode.BAD_REQUEST, "Content-Encoding: expected gzip, or none")
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
