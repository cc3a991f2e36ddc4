"""WS /api/stream: who may subscribe to what, and how a connection lives and ends (D22..D24)."""

import asyncio
from typing import Any, Final

from starlette.types import Receive, Scope, Send

from oddsdesk.clock import Clock
from oddsdesk.server.access import KEY_ID
from oddsdesk.server.admission import give_back_connection, open_connection
from oddsdesk.server.figures import Figures
from oddsdesk.server.frames import text_frame
from oddsdesk.server.hub import FELL_BEHIND, UNAUTHORIZED, Hub
from oddsdesk.server.limits import used_up
from oddsdesk.server.loop_access import LoopAccess
from oddsdesk.server.parameters import BadParameterError, game_id, read_query, sport, text
from oddsdesk.server.subscribers import CHANNEL, Channel, Interest, Subscriber
from oddsdesk.server.tokens import read_token
from oddsdesk.store.errors import StoreUnavailableError
from oddsdesk.store.keys import Caller
from oddsdesk.store.quotas import Count, Kind, Token, TokenSpentError
from oddsdesk.store.spans import Position

STREAM_PATH: Final = "/api/stream"

IDLE_LIMIT_S: Final = 300.0
"""How long a client may send no text (D24)."""

BAD_FILTER: Final = 4000
FORBIDDEN_FILTER: Final = 4003
TOO_MANY: Final = 4029
NOT_TEXT: Final = 1003
TRY_LATER: Final = 1013

_UNAVAILABLE: Final = "the database is unavailable; retry with backoff"
_INVALID: Final = "the token is missing, expired or not valid: get one from POST /api/stream/token"
_USED: Final = "the token was used before; fetch a new one for each connection"
_PONG = text_frame(b"pong")
TOKEN: Final = (text("token"),)
_FILTERS: Final = (sport(), text("competition"), text("bookmaker"), game_id())


class _ClosedError(Exception):
    """Ends a connection before it is subscribed; carries the close code."""

    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code


class Stream:
    """The stream as an ASGI application; accepts, then closes with a code if refused (D24)."""

    def __init__(self, hub: Hub, access: LoopAccess, clock: Clock, figures: Figures) -> None:
        self._hub = hub
        self._figures = figures
        self._access = access
        self._clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one connection."""
        await receive()
        position = await self._position()  # before the client may count on hearing everything
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
        """Subscribe a connection; None once it is closed, since it is refused."""
        try:
            caller, token = await self._caller(scope["query_string"])
            scope[KEY_ID] = caller.key_id
            interest = _asked_interest(caller, scope["query_string"])
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
            self._access.circuit.check()
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
            self._figures.refused(Kind.CONNECTIONS.value)
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
        return _interest(caller, read_query(query, _FILTERS))
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
    """Answer pings until the client leaves, is silent too long, or sends what is not text."""
    while True:
        try:
            async with asyncio.timeout(IDLE_LIMIT_S):
                message = await receive()
        except TimeoutError:
            channel.close(
                1000, "no text came for 5 minutes: send ping every 30 s, and connect again"
            )
            return
        if message["type"] == "websocket.disconnect":
            return
        if message.get("text") is None:
            channel.close(NOT_TEXT, "a binary message: send text")
            return
        if message["text"] == "ping" and not channel.offer(_PONG):
            channel.close(
                FELL_BEHIND, "too slow: connect again, and read the present state over REST"
            )
            return


def _short(reason: str) -> str:
    """Return a reason shortened to the 123 bytes that a close frame holds."""
    return reason.encode()[:120].decode(errors="ignore")
