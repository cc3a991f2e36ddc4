"""The gate before every endpoint: key, method, quota, then the endpoint."""

import asyncio
import contextlib
import logging
import re
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import Any, Final, TypeVar

import msgspec
from msgspec.structs import replace
from starlette.types import ASGIApp, Receive, Scope, Send

from oddsdesk.base.clock import Clock, jumps_of
from oddsdesk.base.texts import N_
from oddsdesk.contract.access import DAY_S, HOUR_S, ErrorCode
from oddsdesk.contract.administration import FeedReport
from oddsdesk.contract.times import format_ms
from oddsdesk.network.secrets import masked
from oddsdesk.pricing.devig import DEFAULT_METHOD
from oddsdesk.server import rest
from oddsdesk.server.dashboard.opportunities import Judge
from oddsdesk.server.fairness import A_TURN_S, Circuit, KnownAwayError, ReaderPool
from oddsdesk.server.local_callers import is_of_this_machine
from oddsdesk.server.settings import ANSWERING, Role
from oddsdesk.server.troubles import Troubles
from oddsdesk.store.access import AccessStore
from oddsdesk.store.errors import BadCursorError, StoreError
from oddsdesk.store.keys import KNOWN_S, Caller
from oddsdesk.store.owner_secret import OwnerSecret
from oddsdesk.store.quotas import Count, Kind, Token
from oddsdesk.store.reader import Reader
from oddsdesk.store.store import Store
from oddsdesk.store.values import Visibility

T = TypeVar("T")

RECHECK_S: Final = 0.25
"""How old the known keys may be before they are read again; they still hold meanwhile."""


class LoopAccess:
    """Uses an ``AccessStore`` on an event loop, which never waits for its database.

    Coroutines may wait, and raise ``StoreUnavailableError``; the rest returns what is known.
    ``circuit`` is the database's. The store is closed by its opener. Times are those of ``clock``;
    after a jump of the clock no count starts over.
    """

    def __init__(self, store: AccessStore, clock: Clock) -> None:
        self._jumped = jumps_of(clock)
        self.circuit = Circuit()
        self.secret = store.secret
        self.store = store
        self._keys, self._quotas = store.keys, store.quotas
        self.thread = ReaderPool("access", threads=1, circuit=self.circuit)
        """The thread that uses the store."""
        self._reading: asyncio.Future[None] | None = None
        self._failure: BaseException | None = None

    async def caller(self, secret: str) -> Caller | None:
        """Return the caller of an active key, None for any other text."""
        await self._be_recent()
        caller = self._keys.caller(secret)
        if caller is None:  # another process may have made it just now
            await self.reread_keys()
            caller = self._keys.caller(secret)
        return caller

    async def by_id(self, key_id: int) -> Caller | None:
        """Return the holder of the active key with this id, at most half a second old."""
        await self._be_recent()
        return self._keys.by_id(key_id)

    def known_by_id(self, key_id: int) -> Caller | None:
        """Return the holder of the active key with this id, as far as known."""
        return self._keys.by_id(key_id)

    def known_caller(self, secret: str) -> Caller | None:
        """Return the holder of a key, as far as known."""
        return self._keys.caller(secret)

    def is_unchanged(self, caller: Caller) -> bool:
        """Return whether a key is active with the same rights, as far as known."""
        return self._keys.present_caller(caller) == caller

    async def reread_keys(self) -> None:
        """Read recent changes; concurrent callers share one reading."""
        self.circuit.check_database()
        if self._reading is not None:  # it may have looked before the change
            with contextlib.suppress(StoreError):
                await self._wait(self._reading)
            self.circuit.check_database()
        await self._wait(self._reading or self._read())

    def refresh_soon(self) -> None:
        """Start reading recent changes, if there may be any.

        Raises:
            StoreError: the last reading failed.
        """
        if self._reading is None and (self._failure is not None or self._keys.may_have_changed()):
            self._read()
        if self._failure is not None:
            raise self._failure

    async def peek(
        self, key_id: int, kind: Kind, allowance: int, window_s: int, now_ms: int
    ) -> Count:
        """Return a key's count without counting."""
        jumped = self._jumped(now_ms)
        await self._know_count(key_id, kind, window_s, now_ms - jumped)
        count = self._quotas.peek(key_id, kind, allowance, window_s, now_ms - jumped)
        return _as_seen(count, jumped)

    def known_count(
        self, key_id: int, kind: Kind, allowance: int, window_s: int, now_ms: int
    ) -> Count | None:
        """Return the same, None if unknown."""
        jumped = self._jumped(now_ms)
        if not self._quotas.knows(key_id, kind, window_s, now_ms - jumped):
            return None
        count = self._quotas.peek(key_id, kind, allowance, window_s, now_ms - jumped)
        return _as_seen(count, jumped)

    async def take_token(
        self, key_id: int, kind: Kind, allowance: int, window_s: int, now_ms: int
    ) -> Count:
        """Count one if the window has one left."""
        jumped = self._jumped(now_ms)
        slot = key_id, kind, allowance, window_s
        count = self._quotas.take_token(*slot, now_ms - jumped)
        if count is None:
            self.circuit.check_database()
            count = await self._counted(slot, self._quotas.take_exactly(*slot, now_ms - jumped))
        return _as_seen(count, jumped)

    async def spend_token(
        self, token: Token, key_id: int, connections: int | None, now_ms: int
    ) -> Count:
        """Use a stream token up, and count the connection if the plan has a daily limit.

        Raises:
            TokenSpentError: it was already used, here or in another process; nothing is counted.
        """
        self.circuit.check_database()
        jumped = self._jumped(now_ms)
        slot = key_id, Kind.CONNECTIONS, connections, DAY_S
        counting = self._quotas.take_exactly(*slot, now_ms - jumped, token)
        return _as_seen(await self._counted(slot, counting), jumped)

    def give_back_token(
        self, key_id: int, kind: Kind, allowance: int, window_s: int, taken: Count
    ) -> Count:
        """Undo one ``take_token``; nothing happens if its window is over."""
        count = self._quotas.give_back_token(key_id, kind, allowance, window_s, taken)
        return replace(count, jumped_s=taken.jumped_s)

    def save_counts(self) -> Future[None] | None:
        """Start adding the counts to the database, as ``Quotas.save_counts`` does."""
        return self._quotas.save_counts()

    def read_keys(self) -> None:
        """Read recent changes; on any thread but the loop's.

        Raises:
            StoreUnavailableError: that is not possible now.
        """
        self._keys.reread_keys()

    async def use_store(self, work: Callable[[AccessStore], T]) -> T:
        """Run work on the thread, such as a change of keys."""
        return await self.thread.run(lambda: work(self.store))

    def end_thread(self) -> None:
        """End the thread, before the store is closed."""
        self.thread.close()

    async def _know_count(self, key_id: int, kind: Kind, window_s: int, now_ms: int) -> None:
        if not self._quotas.knows(key_id, kind, window_s, now_ms):
            slot = key_id, kind, window_s
            await self.thread.run(lambda: self._quotas.learn([slot], now_ms))

    async def _counted(
        self, slot: tuple[int, Kind, int | None, int], counting: Future[Count]
    ) -> Count:
        """Wait until the database has counted; give the count back if the wait is cancelled."""
        try:
            return await self.circuit.wait_for_database(asyncio.wrap_future(counting))
        except (StoreError, asyncio.CancelledError):
            counting.add_done_callback(lambda done: self._undo(slot, done))
            raise

    def _undo(self, slot: tuple[int, Kind, int | None, int], done: Future[Count]) -> None:
        key_id, kind, allowance, window_s = slot
        if allowance is not None and done.exception() is None and done.result().allowed:
            self._quotas.give_back_token(key_id, kind, allowance, window_s, done.result())

    async def _wait(self, reading: asyncio.Future[None]) -> None:
        await self.circuit.wait_for_database(asyncio.shield(reading))

    async def _be_recent(self) -> None:
        age_s = self._keys.age_s
        if age_s > KNOWN_S:
            await self.reread_keys()
        elif age_s > RECHECK_S and self._reading is None:
            self._read()

    def _read(self) -> asyncio.Future[None]:
        reading = self._reading = self.thread.begin(self._keys.reread_keys)
        reading.add_done_callback(self._have_read)
        return reading

    def _have_read(self, reading: asyncio.Future[None]) -> None:
        self._reading = None
        self._failure = None if reading.cancelled() else reading.exception()


def _as_seen(count: Count, jumped_ms: int) -> Count:
    """Return a count with its reset by the visible clock."""
    return replace(count, jumped_s=jumped_ms // 1000) if jumped_ms else count


KEY_HEADER = b"x-api-key"
REQUEST_ID: Final = "oddsdesk.request_id"
"""Key of a scope: the request's id, which its answer repeats."""
KEY_ID = "oddsdesk.key_id"
"""Key of a scope: the number of the caller's key, once known."""


def key_in(headers: rest.RequestHeaders) -> str | None:
    """Return the key in a request; None if there is none or more than one.

    Blanks around a value are not part of it (RFC 9110, 5.5); the parser keeps trailing ones.
    """
    given = [value for name, value in headers if name == KEY_HEADER]
    return given[0].strip(b" \t").decode("latin-1") if len(given) == 1 else None


def known_caller(access: LoopAccess, headers: rest.RequestHeaders) -> Caller | None:
    """Return the holder of the key in a request, as far as known, without waiting."""
    key = key_in(headers)
    return None if key is None else access.known_caller(key)


def unauthorized() -> rest.Refusal:
    """Return the refusal for a missing or unknown key."""
    return rest.Refusal(
        ErrorCode.UNAUTHORIZED,
        N_(
            "X-Api-Key: expected one valid API key, but it is missing, unknown, revoked or sent"
            " twice; see /docs. The operator of this server issues keys."
        ),
    )


def require_stream(caller: Caller) -> None:
    """Refuse a plan without the stream, and Free without its bookmaker."""
    if not caller.rights.websocket:
        raise rest.Refusal(
            ErrorCode.WEBSOCKET_NOT_ON_PLAN,
            f"The stream is not part of the {caller.plan.value} plan; it needs Pro+ RT.",
        )
    _require_chosen(caller)


def require_value_bets(caller: Caller) -> None:
    """Refuse plans below Pro."""
    if not caller.rights.value_bets:
        raise rest.Refusal(
            ErrorCode.VALUE_BETS_NOT_ON_PLAN,
            f"Value bets are not part of the {caller.plan.value} plan; they need Pro.",
        )


def require_live(caller: Caller) -> None:
    """Refuse plans without in-play odds."""
    if not caller.rights.live:
        raise rest.Refusal(
            ErrorCode.LIVE_NOT_ON_PLAN,
            f"In-play odds are not part of the {caller.plan.value} plan; they need Pro+ Live.",
        )


def require_all_bookmakers(caller: Caller, name: str) -> None:
    """Refuse a parameter to a plan with only one bookmaker."""
    if not caller.rights.all_bookmakers:
        raise rest.Refusal(
            ErrorCode.BOOKMAKER_FORBIDDEN,
            f"{name} is not part of the {caller.plan.value} plan, which has one bookmaker; it"
            " needs Pro.",
        )


def visibility_for(caller: Caller, asked: dict[str, Any]) -> Visibility:
    """Return what the caller may see, given the parameters.

    Raises:
        Refusal: in-play odds or another bookmaker are requested and not on the plan; or Free has no
        bookmaker.
    """
    if asked.get("is_live"):
        require_live(caller)
    if caller.rights.all_bookmakers:
        return Visibility(bookmaker=None, live=caller.rights.live)
    chosen = _require_chosen(caller)
    bookmaker = asked.get("bookmaker")
    if bookmaker is not None and bookmaker != chosen:
        raise rest.Refusal(
            ErrorCode.BOOKMAKER_FORBIDDEN,
            f"bookmaker: the {caller.plan.value} plan has only {chosen!r}, got {bookmaker!r};"
            " use that one, or leave the parameter out.",
        )
    return Visibility(bookmaker=chosen, live=caller.rights.live)


def _require_chosen(caller: Caller) -> str:
    if caller.rights.all_bookmakers:
        return ""
    if caller.bookmaker is None:
        raise rest.Refusal(
            ErrorCode.BOOKMAKER_NOT_CONFIGURED,
            f"The {caller.plan.value} plan has one bookmaker, and none is chosen for this account;"
            " choose one at /dashboard/keys if this server has a dashboard, or ask its operator.",
        )
    return caller.bookmaker


_COUNTED: Final = {
    Kind.REQUESTS: "requests",
    Kind.TOKENS: "stream tokens",
    Kind.CONNECTIONS: "stream connections",
}
_WINDOWS: Final = {HOUR_S: "an hour", DAY_S: "a day"}


def slot_of(caller: Caller) -> tuple[int, Kind, int, int]:
    """Return key, kind, window and limit of a caller's requests."""
    rights = caller.rights
    return caller.key_id, Kind.REQUESTS, rights.requests, rights.window_s


def used_up(caller: Caller, kind: Kind, count: Count, now_ms: int) -> tuple[str, int]:
    """Return the message that a limit is reached, and the seconds until more is allowed."""
    rights = caller.rights
    most, window_s = rights.connections_per_day, DAY_S
    if kind is Kind.REQUESTS:
        most, window_s = rights.requests, rights.window_s
    again_s = count.reset_s + count.jumped_s
    wait_s = max(again_s - now_ms // 1000, 1)
    said = f"The {most:,} {_COUNTED[kind]} {_WINDOWS[window_s]} of the {caller.plan.value} plan"
    return f"{said} are used up; retry in {wait_s} s, at {format_ms(again_s * 1000)}.", wait_s


def headers_of(count: Count) -> rest.Headers:
    """Return the headers with a known caller's count."""
    return _headers(count.remaining, count.reset_s + count.jumped_s)


def headers_of_nobody(now_ms: int) -> rest.Headers:
    """Return the headers for an unknown caller: nothing left, retry now."""
    return _headers(0, now_ms // 1000)


def limits_before_the_gate(access: LoopAccess, clock: Clock) -> rest.LimitsOf:
    """Return the function that makes headers for refusals before the gate, which do not count.

    It does not wait: a caller not seen yet counts as unknown.
    """

    def limits(request: rest.RequestHeaders) -> rest.Headers:
        now_ms = clock()
        caller = known_caller(access, request)
        count = None if caller is None else access.known_count(*slot_of(caller), now_ms)
        return headers_of_nobody(now_ms) if count is None else headers_of(count)

    return limits


def _headers(remaining: int, reset_s: int) -> rest.Headers:
    return (
        (b"x-ratelimit-remaining", str(remaining).encode()),
        (b"x-ratelimit-reset", str(reset_s).encode()),
    )


class Service(msgspec.Struct, frozen=True):
    """The stores, the clock, the stream's application and the list of troubles.

    ``hosts`` are the served host names besides loopback; ``base_url`` is the public address, empty
    to use the request's. Without ``stream``, or without the role, the path does not exist;
    ``roles`` are those that answer.
    """

    store: Store
    access: LoopAccess
    clock: Clock
    stream: ASGIApp | None = None
    hosts: frozenset[str] = frozenset()
    base_url: str = ""
    feeds: Callable[[], Sequence[FeedReport]] = tuple
    owner: OwnerSecret | None = None
    """The secret for programs on this machine to write and see the feeds; None: none."""
    troubles: Troubles = msgspec.field(default_factory=Troubles)
    roles: frozenset[Role] = ANSWERING
    share: tuple[str, ...] = ()
    """Sources whose odds people elsewhere may read, too, though their terms forbid it."""
    figures: rest.Figures = msgspec.field(default_factory=rest.Figures)
    has_dashboard: bool = False
    judge: Judge | None = None
    devig_method: str = DEFAULT_METHOD
    """How the sharp book's margin is removed."""
    serve_as: str | None = None
    """The other program's interface that is served, too."""
    metrics: Callable[[], Awaitable[bytes]] | None = None
    """Returns the text for Prometheus, of all processes of this server."""
    open_streams: Callable[[], Mapping[int, int]] = dict
    """Returns the number of this process's open streams, by key."""

    def reader_for(self, scope: Scope) -> Reader:
        """Return the calling thread's reader for the sender of a request.

        Odds that may not be passed on are left out for callers on other machines, also where a
        proxy without ``--behind-proxy`` makes a request look local (D66).
        """
        if is_of_this_machine(scope):
            return self.store.reader()
        return self.store.reader_for_others(self.share)


GET = ("GET", "HEAD")
ROWS_OF_A_TURN: Final = 100
_PATH_SHOWN: Final = 256
"""Characters of a path in a line of the log; a head may have 16 KiB."""

_PLAIN_ID: Final = re.compile("[0-9a-f]{32}")

_log = logging.getLogger(__name__)


class Call(msgspec.Struct, frozen=True):
    """An endpoint's input: the caller, the time (ms), path parameters and query."""

    caller: Caller
    now_ms: int
    reader: Reader
    path: dict[str, str]
    asked: dict[str, Any]

    def in_stored_words(self) -> "Call":
        """Return the call with the plan's one bookmaker in the database's spelling."""
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
    """One path of the contract and its function, which runs on a thread of ``ReaderPool``.

    ``data`` is the type of the answer's ``data``; the API's documentation is made from it.
    """

    path: str
    summary: str
    data: Any
    answer: Callable[[Call], rest.Payload]
    parameters: Sequence[rest.Parameter] = ()
    methods: Sequence[str] = GET
    looks_back: Callable[[dict[str, Any]], bool] = lambda _asked: False
    """Whether past odds are requested."""

    def cost_s(self, asked: dict[str, Any]) -> float:
        """Return the estimated time in seconds, from the number of rows."""
        rows: int = asked.get("limit", 0)
        return A_TURN_S * (1 + rows / ROWS_OF_A_TURN)


class RequestContext:
    """One request: its caller and what was counted for it."""

    def __init__(self, service: Service, scope: Scope) -> None:
        self._service = service
        self.scope = scope
        self.now_ms = service.clock()
        self.caller: Caller | None = None
        self.count: Count | None = None
        self._taken = False

    async def identify(self) -> Caller | None:
        """Find the holder of the request's key."""
        access = self._service.access
        key = key_in(self.scope["headers"])
        self.caller = None if key is None else await access.caller(key)
        if self.caller is not None:
            self.scope[KEY_ID] = self.caller.key_id
            self.count = await access.peek(*slot_of(self.caller), self.now_ms)
        return self.caller

    async def require_key(self) -> Caller:
        """Refuse an unknown caller."""
        caller = await self.identify()
        if caller is None:
            raise unauthorized()
        return caller

    def has_method(self, methods: Sequence[str]) -> bool:
        """Return whether the request's method is one of a path's."""
        return self.scope["method"] in methods

    def not_allowed(self, methods: Sequence[str]) -> rest.Refusal:
        """Return the refusal of a method that the path does not have."""
        allowed = ", ".join(methods)
        return rest.Refusal(
            ErrorCode.METHOD_NOT_ALLOWED,
            N_(f"{_shown_method(self.scope)} is not allowed here; use {allowed}."),
            [(b"allow", allowed.encode())],
        )

    async def take_token(self) -> bool:
        """Count the request if its window has one left."""
        assert self.caller is not None
        self.count = await self._service.access.take_token(*slot_of(self.caller), self.now_ms)
        self._taken = self.count.allowed
        return self._taken

    async def require_quota(self) -> int:
        """Count the request; return how many are left after it."""
        if not await self.take_token():
            assert self.count is not None
            raise self.exceeded(Kind.REQUESTS, self.count)
        assert self.count is not None
        return self.count.remaining

    def exceeded(self, kind: Kind, count: Count) -> rest.Refusal:
        """Return the refusal for a used-up quota; the headers are of this quota."""
        self._service.figures.count_refusal(kind)
        assert self.caller is not None
        self.count = count
        message, wait_s = used_up(self.caller, kind, count, self.now_ms)
        retry = [(b"retry-after", str(wait_s).encode())]
        return rest.Refusal(ErrorCode.RATE_LIMIT_EXCEEDED, message, retry)

    def finish(self, reply: rest.Reply) -> rest.Reply:
        """Put the rate limit headers on a reply. A failure on our side is not counted."""
        if reply.status >= 500 and self._taken and self.caller is not None and self.count:
            slot = slot_of(self.caller)
            self.count = self._service.access.give_back_token(*slot, self.count)
        if reply.status == 401:
            reply.headers.extend(headers_of_nobody(self.now_ms))
        elif self.count is not None:
            reply.headers.extend(headers_of(self.count))
        return reply


class Gate:
    """Checks requests in the contract's order; whatever goes wrong is one kind of error."""

    path = "other"
    """The path for counting, without anything from the request."""

    work = "answering requests"
    """The name of its work in health, when the database fails."""

    def __init__(self, service: Service) -> None:
        self._service = service
        self._refused = 0
        """How many requests in a row failed at the database."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        began = time.perf_counter()
        request = RequestContext(self._service, scope)
        try:
            reply = await self.reply(request)
            self._note_end(scope)
        except rest.Refusal as refusal:
            reply = self.refuse(refusal, scope)
        except (rest.BadParameterError, BadCursorError) as error:
            reply = self.refuse(rest.Refusal(ErrorCode.BAD_REQUEST, str(error)), scope)
        except KnownAwayError:
            reply = self.refuse(rest.unavailable(), scope)
        except StoreError as error:
            self._note_refusal(scope, error)
            self._service.troubles.met(self.work, error)
            reply = self.refuse(rest.unavailable(), scope)
        except asyncio.CancelledError:  # still asked for when the server's time to stop was up
            reply = self.refuse(rest.going_down(), scope)
        except Exception:  # noqa: BLE001 - the request handler: a bug costs one request
            ident = loggable_id(scope) or "-"
            _log.exception("%s failed (request %s)", loggable(scope), ident)
            reply = self.refuse(rest.failed(), scope)
        reply = request.finish(reply)
        seconds = time.perf_counter() - began
        self._service.figures.answered(self.path, reply.status, seconds)
        await rest.send_reply(scope, send, reply)

    def refuse(self, refusal: rest.Refusal, scope: Scope) -> rest.Reply:
        """Return a refusal as this path's clients read it."""
        return rest.refuse(refusal, f"{self.address(scope)}/docs#plans")

    def _note_refusal(self, scope: Scope, error: StoreError) -> None:
        """Log the first only: the log may be on the same full disk."""
        if not self._refused:
            _log.warning("%s: %s", loggable(scope), error)
        self._refused += 1

    def _note_end(self, scope: Scope) -> None:
        if self._refused:
            said = "%s: the database works again; %d requests failed"
            _log.warning(said, loggable(scope), self._refused)
            self._refused = 0

    def address(self, scope: Scope) -> str:
        """Return the service's public address: the configured one, else the request's."""
        return self._service.base_url or _asked_address(scope)

    async def reply(self, request: RequestContext) -> rest.Reply:
        """Return the answer of an unknown path: without a valid key 401, else 404."""
        await request.require_key()
        await request.take_token()
        raise no_such_path()


class EndpointGate(Gate):
    """Answers an endpoint that reads the store and counts."""

    def __init__(
        self, endpoint: Endpoint, service: Service, reads: ReaderPool, looks_back: ReaderPool
    ) -> None:
        super().__init__(service)
        self._endpoint = endpoint
        self._parameters = [*endpoint.parameters, rest.FORMAT]
        self._reads = reads
        self._looks_back = looks_back

    async def reply(self, request: RequestContext) -> rest.Reply:
        """Return the endpoint's result."""
        endpoint = self._endpoint
        caller = await request.require_key()
        if not request.has_method(endpoint.methods):
            await request.take_token()
            raise request.not_allowed(endpoint.methods)
        remaining = await request.require_quota()
        asked = rest.read_query(request.scope["query_string"], self._parameters)
        path = request.scope.get("path_params", {})
        wanted = self._wanted(request.scope, caller, asked)

        def answer_request() -> rest.Reply:
            reader = self._service.reader_for(request.scope)
            call = Call(caller, request.now_ms, reader, path, asked)
            found = endpoint.answer(call.in_stored_words())
            if wanted.is_table and found.simulated is None:  # nobody asks health about a file
                found = replace(found, simulated=call.reader.is_simulated(request.now_ms))
            return rest.encode(found, remaining, endpoint.data, wanted)

        reads = self._looks_back if endpoint.looks_back(asked) else self._reads
        return await reads.run(answer_request, caller.key_id, endpoint.cost_s(asked))

    def _wanted(self, scope: Scope, caller: Caller, asked: dict[str, Any]) -> rest.Wanted:
        headers = scope["headers"]
        form = asked.pop(rest.FORMAT.name)
        is_table = rest.prefers_table(headers) if form is None else form == "csv"
        return rest.Wanted(
            is_table,
            packs=rest.accepts_gzip(headers),
            unless=b",".join(value for name, value in headers if name == b"if-none-match"),
            whose=(
                *(caller.key_id, caller.plan.value, caller.bookmaker),
                *(scope["path"], scope["query_string"]),
            ),
        )


def no_such_path() -> rest.Refusal:
    """Return the refusal of a path that is not in the contract."""
    return rest.Refusal(ErrorCode.NOT_FOUND, "No such path; /docs lists all paths.")


def _asked_address(scope: Scope) -> str:
    host = next((value for name, value in scope["headers"] if name == b"host"), b"localhost")
    return f"{scope['scheme']}://{host.decode('latin-1')}"


def loggable(scope: Scope) -> str:
    """Return a request for the log: without its query, keys and tokens, at a bounded length."""
    path = masked(ascii(scope["path"]))
    cut = path if len(path) <= _PATH_SHOWN else f"{path[:_PATH_SHOWN]}..."
    return f"{_shown_method(scope)} {cut}"


def loggable_id(scope: Scope) -> str | None:
    """Return a request's id for the log, without keys and tokens.

    32 hexadecimal digits alone are the usual form of an id: of ours, of traces and of nginx.
    """
    ident: str | None = scope.get(REQUEST_ID)
    return ident if ident is None or _PLAIN_ID.fullmatch(ident) else masked(ident)


def _shown_method(scope: Scope) -> str:
    return str(scope.get("method", "STREAM"))[:16]
