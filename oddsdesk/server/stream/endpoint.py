"""WS /api/stream: subscriptions, and how a connection lives and ends."""

import asyncio
import base64
import binascii
import hashlib
import hmac
import secrets
import struct
from typing import Any, Final

from starlette.types import Receive, Scope, Send

from oddsdesk.base.clock import Clock
from oddsdesk.contract.access import DAY_S
from oddsdesk.contract.resources import StreamToken
from oddsdesk.server.gate import KEY_ID, Gate, LoopAccess, RequestContext, require_stream, used_up
from oddsdesk.server.local_callers import is_of_this_machine
from oddsdesk.server.rest import (
    BadParameterError,
    Bare,
    Figures,
    Reply,
    encode_bare,
    game_id,
    read_query,
    sport_parameter,
    text_parameter,
)
from oddsdesk.server.stream.hub import (
    CHANNEL,
    FELL_BEHIND,
    UNAUTHORIZED,
    Channel,
    Hub,
    Interest,
    Subscriber,
    text_frame,
)
from oddsdesk.store.errors import StoreUnavailableError
from oddsdesk.store.keys import Caller
from oddsdesk.store.quotas import Count, Kind, Token, TokenSpentError
from oddsdesk.store.spans import Position

STREAM_PATH: Final = "/api/stream"

IDLE_LIMIT_S: Final = 300.0
"""How long a client may be silent (s)."""

BAD_FILTER: Final = 4000
FORBIDDEN_FILTER: Final = 4003
TOO_MANY: Final = 4029
NOT_TEXT: Final = 1003
TRY_LATER: Final = 1013

_UNAVAILABLE: Final = "the database is unavailable; retry with backoff"
_INVALID: Final = "the token is missing, expired or invalid: get one from POST /api/stream/token"
_USED: Final = "the token was already used; get a new one for each connection"
_PONG = text_frame(b"pong")
TOKEN: Final = (text_parameter("token"),)
FILTERS: Final = (
    sport_parameter(),
    text_parameter("competition"),
    text_parameter("bookmaker"),
    game_id(),
)


class _ClosedError(Exception):
    """Ends a connection before it is subscribed; carries the close code."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code


class Stream:
    """The stream as an ASGI application; accepts, then closes with a code if refused."""

    def __init__(self, hub: Hub, access: LoopAccess, clock: Clock, figures: Figures) -> None:
        self._hub = hub
        self._figures = figures
        self._access = access
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        await receive()
        position = await self._position()  # before the client expects to hear everything
        await send({"type": "websocket.accept"})
        channel: Channel = scope["extensions"][CHANNEL]
        with self._hub.opening(channel):
            subscriber = await self._subscriber(scope, channel, position)
        if subscriber is None:
            return
        try:
            await _listen(channel, receive)
        finally:
            self._hub.unsubscribe(subscriber)

    async def _subscriber(
        self, scope: Scope, channel: Channel, position: Position | None
    ) -> Subscriber | None:
        """Subscribe a connection; None if it was refused and closed."""
        try:
            caller, token = await self._caller(scope["query_string"])
            scope[KEY_ID] = caller.key_id
            interest = _asked_interest(caller, scope["query_string"])
            interest = interest._replace(is_elsewhere=not is_of_this_machine(scope))
            if position is None:
                raise _ClosedError(TRY_LATER, _UNAVAILABLE)
            count = await self._admit(caller, token)
            subscriber = Subscriber(channel, interest, caller)
            await self._subscribe(subscriber, position, count)
        except _ClosedError as closed:
            channel.close(closed.code, str(closed))
            return None
        except StoreUnavailableError:
            channel.close(TRY_LATER, _UNAVAILABLE)
            return None
        return subscriber

    async def _position(self) -> Position | None:
        try:
            self._access.circuit.check_database()
            return await self._hub.position()
        except StoreUnavailableError:
            return None

    async def _admit(self, caller: Caller, token: Token) -> Count:
        now_ms = self._clock()
        try:
            count = await open_connection(self._access, caller, token, now_ms)
        except TokenSpentError:
            raise _ClosedError(UNAUTHORIZED, _USED) from None
        if not count.allowed:
            self._figures.count_refusal(Kind.CONNECTIONS)
            message, _ = used_up(caller, Kind.CONNECTIONS, count, now_ms)
            raise _ClosedError(TOO_MANY, message)
        return count

    async def _subscribe(self, subscriber: Subscriber, position: Position, count: Count) -> None:
        try:
            await self._hub.subscribe(subscriber, position)
        except StoreUnavailableError:
            give_back_connection(self._access, subscriber.caller, count)
            raise

    async def _caller(self, query: bytes) -> tuple[Caller, Token]:
        try:
            token = read_query(query, TOKEN, are_all=False)["token"]
        except BadParameterError:
            token = None
        known = await read_token(self._access, token, self._clock()) if token else None
        if known is None or not known[0].rights.websocket:
            raise _ClosedError(UNAUTHORIZED, _INVALID)
        return known


def _asked_interest(caller: Caller, query: bytes) -> Interest:
    try:
        return _interest(caller, read_query(query, FILTERS))
    except BadParameterError as error:
        raise _ClosedError(BAD_FILTER, _short(str(error))) from error


def _interest(caller: Caller, asked: dict[str, Any]) -> Interest:
    rights = caller.rights
    bookmaker = asked["bookmaker"]
    if not rights.all_bookmakers:
        if caller.bookmaker is None:
            raise _ClosedError(FORBIDDEN_FILTER, "no bookmaker is chosen for this account on Free")
        if bookmaker not in (None, caller.bookmaker):
            said = f"bookmaker: this plan sees one only: {caller.bookmaker}"
            raise _ClosedError(FORBIDDEN_FILTER, _short(said))
        bookmaker = caller.bookmaker
    return Interest(asked["sport"], asked["competition"], bookmaker, asked["game_id"], rights.live)


async def _listen(channel: Channel, receive: Receive) -> None:
    """Answer pings until the client leaves, is silent too long, or sends binary data."""
    while True:
        try:
            async with asyncio.timeout(IDLE_LIMIT_S):
                message = await receive()
        except TimeoutError:
            channel.close(
                1000, "nothing received for 5 minutes: send ping every 30 s, and reconnect"
            )
            return
        if message["type"] == "websocket.disconnect":
            return
        if message.get("text") is None:
            channel.close(NOT_TEXT, "a binary message: send text")
            return
        if message["text"] == "ping" and not channel.offer_frames(_PONG):
            channel.close(FELL_BEHIND, "too slow: reconnect, and read the current state over REST")
            return


def _short(reason: str) -> str:
    """Return a reason shortened to the 123 bytes that a close frame holds."""
    return reason.encode()[:120].decode(errors="ignore")


PATH = "/api/stream/token"
METHODS = ("POST",)


class TokenGate(Gate):
    """Issues tokens to plans with a stream."""

    async def reply(self, request: RequestContext) -> Reply:
        """Return a new token of the caller's key."""
        caller = await request.require_key()
        if not request.has_method(METHODS):
            raise request.not_allowed(METHODS)
        require_stream(caller)
        counted = await take_token(self._service.access, caller, request.now_ms)
        if counted is not None and not counted[1].allowed:
            raise request.exceeded(*counted)
        token = issue_token(self._service.access.secret, caller, request.now_ms)
        return encode_bare(Bare(StreamToken(token, LIFETIME_S)))


LIFETIME_S = 300

NONCE_BYTES: Final = 12
"""Random bytes that identify a used token."""

_CLAIMS = struct.Struct(f">qq{NONCE_BYTES}s")
_SIZE = _CLAIMS.size + hashlib.sha256().digest_size
_PURPOSE = b"oddsdesk stream token"


def issue_token(secret: bytes, caller: Caller, now_ms: int) -> str:
    """Return a token that opens one stream for the caller's key within 300 s.

    ``secret`` is that of the access store.
    """
    nonce = secrets.token_bytes(NONCE_BYTES)
    claims = _CLAIMS.pack(caller.key_id, now_ms + LIFETIME_S * 1000, nonce)
    return base64.urlsafe_b64encode(claims + _signature(secret, caller, claims)).decode()


async def read_token(access: LoopAccess, token: str, now_ms: int) -> tuple[Caller, Token] | None:
    """Return whose token it is; None if forged, expired, or its key revoked or rotated.

    Only ``open_connection`` knows whether it was already used. Also None for a longer
    life than any token is issued with: it was signed with a copy of the access file.
    """
    claimed = _claimed(token, now_ms)
    if claimed is None:
        return None
    claims, signature = claimed
    caller = await _signer(access, claims, signature)
    if caller is None:  # another process may have made or rotated the key just now
        await access.reread_keys()
        caller = await _signer(access, claims, signature)
    if caller is None:
        return None
    _, ends_ms, nonce = _CLAIMS.unpack(claims)
    return caller, Token(nonce, ends_ms)


def known_bearer(access: LoopAccess, token: str, now_ms: int) -> Caller | None:
    """Return the holder of a token, as far as known, without waiting."""
    claimed = _claimed(token, now_ms)
    if claimed is None:
        return None
    claims, signature = claimed
    return _who_signed(access, access.known_by_id(_CLAIMS.unpack(claims)[0]), claims, signature)


def _claimed(token: str, now_ms: int) -> tuple[bytes, bytes] | None:
    """Return a token's claims and signature; None if it cannot be valid now."""
    try:
        raw = base64.b64decode(token, altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return None
    if len(raw) != _SIZE:
        return None
    claims, signature = raw[: _CLAIMS.size], raw[_CLAIMS.size :]
    _, ends_ms, _ = _CLAIMS.unpack(claims)
    return (claims, signature) if now_ms < ends_ms <= now_ms + LIFETIME_S * 1000 else None


async def _signer(access: LoopAccess, claims: bytes, signature: bytes) -> Caller | None:
    key_id, *_ = _CLAIMS.unpack(claims)
    return _who_signed(access, await access.by_id(key_id), claims, signature)


def _who_signed(
    access: LoopAccess, caller: Caller | None, claims: bytes, signature: bytes
) -> Caller | None:
    if caller is None:
        return None
    is_theirs = hmac.compare_digest(signature, _signature(access.secret, caller, claims))
    return caller if is_theirs else None


def _signature(secret: bytes, caller: Caller, claims: bytes) -> bytes:
    """Sign the claims with the key's digest: another key of the same id signs differently."""
    return hmac.digest(secret, _PURPOSE + claims + caller.digest, "sha256")


async def take_token(access: LoopAccess, caller: Caller, now_ms: int) -> tuple[Kind, Count] | None:
    """Count a token; None if the plan has no limit.

    Not allowed once the plan's tokens or connections are used up: the kind says which.
    """
    allowance = caller.rights.connections_per_day
    if allowance is None:
        return None
    opened = await access.peek(caller.key_id, Kind.CONNECTIONS, allowance, DAY_S, now_ms)
    if opened.remaining == 0:
        return Kind.CONNECTIONS, opened
    count = await access.take_token(caller.key_id, Kind.TOKENS, allowance, DAY_S, now_ms)
    return Kind.TOKENS, count


async def open_connection(access: LoopAccess, caller: Caller, token: Token, now_ms: int) -> Count:
    """Use a token for a new connection, and count it if the plan has a limit.

    Not allowed once the day's connections are used up (close 4029).

    Raises:
        TokenSpentError: the token was already used (close 4001).
    """
    most = caller.rights.connections_per_day
    return await access.spend_token(token, caller.key_id, most, now_ms)


async def open_page(access: LoopAccess, account_id: int, caller: Caller, now_ms: int) -> Count:
    """Count the live updates of a page like a connection of a key.

    An account is counted apart from its keys, of which it may have none. Not allowed once the day's
    connections are used up.
    """
    most = caller.rights.connections_per_day
    if most is None:
        return Count(True, 0, 0)
    return await access.take_token(-account_id, Kind.CONNECTIONS, most, DAY_S, now_ms)


async def pages_left(access: LoopAccess, account_id: int, caller: Caller, now_ms: int) -> Count:
    """Return the same without counting."""
    most = caller.rights.connections_per_day
    if most is None:
        return Count(True, 0, 0)
    return await access.peek(-account_id, Kind.CONNECTIONS, most, DAY_S, now_ms)


def give_back_connection(access: LoopAccess, caller: Caller, count: Count) -> None:
    """Undo the count of a connection that could not be served."""
    most = caller.rights.connections_per_day
    if most is not None:
        access.give_back_token(caller.key_id, Kind.CONNECTIONS, most, DAY_S, count)
