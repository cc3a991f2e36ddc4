"""The gate before every endpoint: key, method, quota, then the endpoint (D17, D39)."""

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec
from starlette.types import Receive, Scope, Send

from oddsdesk.contract.errors import ErrorCode
from oddsdesk.network.secrets import masked
from oddsdesk.server.access import KEY_ID, key_in, unauthorized
from oddsdesk.server.answers import (
    Payload,
    Refusal,
    Reply,
    encode,
    failed,
    going_down,
    refuse,
    send_reply,
    unavailable,
)
from oddsdesk.server.circuit import KnownAwayError
from oddsdesk.server.limits import headers_of, headers_of_nobody, slot_of, used_up
from oddsdesk.server.parameters import BadParameterError, Parameter, read_query
from oddsdesk.server.reader_pool import A_TURN_S, ReaderPool
from oddsdesk.server.service import Service
from oddsdesk.store.errors import BadCursorError, StoreError
from oddsdesk.store.keys import Caller
from oddsdesk.store.quotas import Count, Kind
from oddsdesk.store.reader import Reader

GET = ("GET", "HEAD")
ROWS_OF_A_TURN: Final = 100
_PATH_SHOWN: Final = 256
"""Characters of a path in a line of the log; a head may have 16 KiB."""

_log = logging.getLogger(__name__)


class Call(msgspec.Struct, frozen=True):
    """What an endpoint is asked: the caller, the time (ms), path parameters and query."""

    caller: Caller
    now_ms: int
    reader: Reader
    path: dict[str, str]
    asked: dict[str, Any]

    def in_stored_words(self) -> "Call":
        """Return the call with a plan's one bookmaker as the database calls it (D70)."""
        chosen = self.caller.bookmaker
        if self.caller.rights.all_bookmakers or chosen is None:
            return self
        name = self.reader.bookmaker_name(chosen)

        def named(values: dict[str, Any]) -> dict[str, Any]:
            is_chosen = values.get("bookmaker") == chosen
            return {**values, "bookmaker": name} if is_chosen else values

        caller = msgspec.structs.replace(self.caller, bookmaker=name)
        return Call(caller, self.now_ms, self.reader, named(self.path), named(self.asked))


class Endpoint(msgspec.Struct, frozen=True):
    """One path of the contract and what answers it, on a thread of ``ReaderPool``.

    ``data`` is what the answer's ``data`` holds; the API's documentation is made from it.
    """

    path: str
    summary: str
    data: Any
    answer: Callable[[Call], Payload]
    parameters: Sequence[Parameter] = ()
    methods: Sequence[str] = GET
    looks_back: Callable[[dict[str, Any]], bool] = lambda _asked: False
    """Whether what is asked is of the past."""

    def cost_s(self, asked: dict[str, Any]) -> float:
        """Return a guess of how long it takes, in seconds: by its rows."""
        rows: int = asked.get("limit", 0)
        return A_TURN_S * (1 + rows / ROWS_OF_A_TURN)


class RequestContext:
    """One request on its way: who asks and what was counted for it."""

    def __init__(self, service: Service, scope: Scope) -> None:
        self._service = service
        self.scope = scope
        self.now_ms = service.clock()
        self.caller: Caller | None = None
        self.count: Count | None = None
        self._taken = False

    async def identify(self) -> Caller | None:
        """Find out whose key the request carries."""
        access = self._service.access
        key = key_in(self.scope["headers"])
        self.caller = None if key is None else await access.caller(key)
        if self.caller is not None:
            self.scope[KEY_ID] = self.caller.key_id
            self.count = await access.peek(*slot_of(self.caller), self.now_ms)
        return self.caller

    async def require_key(self) -> Caller:
        """Refuse a caller who is unknown."""
        caller = await self.identify()
        if caller is None:
            raise unauthorized()
        return caller

    def has_method(self, methods: Sequence[str]) -> bool:
        """Return whether the request's method is one of a path's."""
        return self.scope["method"] in methods

    def not_allowed(self, methods: Sequence[str]) -> Refusal:
        """Return the refusal of a method that the path does not have."""
        allowed = ", ".join(methods)
        return Refusal(
            ErrorCode.METHOD_NOT_ALLOWED,
            f"{_shown_method(self.scope)} is not allowed here; allowed: {allowed}.",
            [(b"allow", allowed.encode())],
        )

    async def take(self) -> bool:
        """Count the request if its window has one left."""
        assert self.caller is not None
        self.count = await self._service.access.take(*slot_of(self.caller), self.now_ms)
        self._taken = self.count.allowed
        return self._taken

    async def require_quota(self) -> int:
        """Count the request; return how many are left after it."""
        if not await self.take():
            assert self.count is not None
            raise self.exceeded(Kind.REQUESTS, self.count)
        assert self.count is not None
        return self.count.remaining

    def exceeded(self, kind: Kind, count: Count) -> Refusal:
        """Return the refusal after a quota is used up; the answer's headers are of this quota."""
        self._service.figures.refused(kind.value)
        assert self.caller is not None
        self.count = count
        message, wait_s = used_up(self.caller, kind, count, self.now_ms)
        retry = [(b"retry-after", str(wait_s).encode())]
        return Refusal(ErrorCode.RATE_LIMIT_EXCEEDED, message, retry)

    def finish(self, reply: Reply) -> Reply:
        """Put the headers of D17 on a reply; a request that failed on our side is not counted."""
        if reply.status >= 500 and self._taken and self.caller is not None and self.count:
            slot = slot_of(self.caller)
            self.count = self._service.access.give_back(*slot, self.count)
        if reply.status == 401:
            reply.headers.extend(headers_of_nobody(self.now_ms))
        elif self.count is not None:
            reply.headers.extend(headers_of(self.count))
        return reply


class Gate:
    """Answers requests in the order of D39, whatever goes wrong, with one kind of error."""

    path = "other"
    """The path that it answers, as it is counted: without anything that was asked."""

    work = "answering requests"
    """What health calls its work where the database refuses."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._refused = 0
        """How many requests in a row the database refused."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        began = time.perf_counter()
        request = RequestContext(self._service, scope)
        try:
            reply = await self.reply(request)
            self._note_end(scope)
        except Refusal as refusal:
            reply = refuse(refusal, f"{self.address(scope)}/docs#plans")
        except (BadParameterError, BadCursorError) as error:
            reply = refuse(Refusal(ErrorCode.BAD_REQUEST, str(error)), "")
        except KnownAwayError:
            reply = refuse(unavailable(), "")
        except StoreError as error:
            self._note_refusal(scope, error)
            self._service.troubles.met(self.work, error)
            reply = refuse(unavailable(), "")
        except asyncio.CancelledError:  # still asked for when the server's time to stop was up
            reply = refuse(going_down(), "")
        except Exception:  # noqa: BLE001 - the request handler: a bug costs one request
            _log.exception("%s failed", loggable(scope))
            reply = refuse(failed(), "")
        reply = request.finish(reply)
        seconds = time.perf_counter() - began
        self._service.figures.answered(self.path, reply.status, seconds)
        await send_reply(scope, send, reply)

    def _note_refusal(self, scope: Scope, error: StoreError) -> None:
        """Log the first only: the log may lie on the same full disk."""
        if not self._refused:
            _log.warning("%s: %s", loggable(scope), error)
        self._refused += 1

    def _note_end(self, scope: Scope) -> None:
        if self._refused:
            said = "%s: the database answers again; it refused %d requests"
            _log.warning(said, loggable(scope), self._refused)
            self._refused = 0

    def address(self, scope: Scope) -> str:
        """Return where others reach the service: as it is told, else what they asked."""
        return self._service.base_url or _asked_address(scope)

    async def reply(self, request: RequestContext) -> Reply:
        """Return the answer of an unknown path: without a valid key 401, else 404 (D39)."""
        await request.require_key()
        await request.take()
        raise no_such_path()


class EndpointGate(Gate):
    """Answers an endpoint that reads the store and counts."""

    def __init__(
        self, endpoint: Endpoint, service: Service, reads: ReaderPool, looks_back: ReaderPool
    ) -> None:
        super().__init__(service)
        self._endpoint = endpoint
        self._reads = reads
        self._looks_back = looks_back

    async def reply(self, request: RequestContext) -> Reply:
        """Return what the endpoint finds."""
        endpoint, store = self._endpoint, self._service.store
        caller = await request.require_key()
        if not request.has_method(endpoint.methods):
            await request.take()
            raise request.not_allowed(endpoint.methods)
        remaining = await request.require_quota()
        asked = read_query(request.scope["query_string"], endpoint.parameters)
        path = request.scope.get("path_params", {})

        def answer() -> Reply:
            call = Call(caller, request.now_ms, store.reader(), path, asked)
            return encode(endpoint.answer(call.in_stored_words()), remaining)

        reads = self._looks_back if endpoint.looks_back(asked) else self._reads
        return await reads.run(answer, caller.key_id, endpoint.cost_s(asked))


def no_such_path() -> Refusal:
    """Return the refusal of a path that is not the contract's."""
    return Refusal(ErrorCode.NOT_FOUND, "There is no such path; /docs lists all paths.")


def _asked_address(scope: Scope) -> str:
    host = next((value for name, value in scope["headers"] if name == b"host"), b"localhost")
    return f"{scope['scheme']}://{host.decode('latin-1')}"


def loggable(scope: Scope) -> str:
    """Return a request for the log: without its query, keys and tokens, at a bounded length."""
    path = masked(ascii(scope["path"]))
    cut = path if len(path) <= _PATH_SHOWN else f"{path[:_PATH_SHOWN]}..."
    return f"{_shown_method(scope)} {cut}"


def _shown_method(scope: Scope) -> str:
    return str(scope.get("method", "STREAM"))[:16]
