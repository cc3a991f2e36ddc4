"""A service that misbehaves on bare sockets, in a process of its own; each base path is a case.

Each case begins well, misbehaves while told to, and behaves again later, with another price.
"""

import asyncio
import base64
import contextlib
import hashlib
import json
import re
import struct
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.request import urlopen

from oddsdesk.base.clock import system_clock
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.times import format_ms

KEY: Final = "oddsdesk_live_" + "0123456789abcdef" * 2
TOKEN: Final = "secret-token-of-a-stream"
MATCH: Final = "Arsenal - Chelsea"
GAME: Final = game_id("EPL", MATCH)
HOME: Final = "Arsenal"
SOFT: Final = "Soft"
FIRST_PRICE: Final = 2.5
LAST_PRICE: Final = 3.25
HOUR_MS: Final = 3_600_000

GOOD, BAD, GOOD_AGAIN = "good", "bad", "good-again"
_SAYS_EVERY_S: Final = 0.25
_MOST_AT_ONCE: Final = 4 * 1024 * 1024
_WEBSOCKET: Final = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class GoneError(ConnectionError):
    """The client went, or the case is over."""


class Case:
    """What one base path does now, and the connections that it holds."""

    def __init__(self) -> None:
        self.phase = GOOD
        self.asked = 0
        """Requests answered badly."""
        self.writers: set[asyncio.StreamWriter] = set()

    @property
    def price(self) -> float:
        """The odds of Soft for the home team."""
        return LAST_PRICE if self.phase == GOOD_AGAIN else FIRST_PRICE

    def enter(self, phase: str) -> None:
        """Behave in another way from now on; every client has to reconnect."""
        self.phase, self.asked = phase, 0
        for writer in list(self.writers):
            writer.transport.abort()


class Exchange:
    """A request, and the connection on which it is answered."""

    def __init__(self, head: bytes, case: Case, writer: asyncio.StreamWriter) -> None:
        lines = head.decode("latin-1").split("\r\n")
        self.method, target, _ = lines[0].split(" ", 2)
        target, _, self.query = target.partition("?")
        self.path = "/" + target.split("/", 2)[2]
        self.headers = {
            name.lower(): value.strip()
            for name, _, value in (line.partition(":") for line in lines[1:] if ":" in line)
        }
        self.case = case
        self.count = case.asked
        """How many were answered badly before."""
        self._writer = writer

    @property
    def is_upgrade(self) -> bool:
        """Whether it wants a WebSocket."""
        return self.headers.get("upgrade", "").lower() == "websocket"

    async def write(self, data: bytes) -> None:
        """Send bytes, as fast as they are taken."""
        for begin in range(0, len(data), _MOST_AT_ONCE):
            self._writer.write(data[begin : begin + _MOST_AT_ONCE])
            await self._writer.drain()

    async def reply(
        self, body: bytes, status: int = 200, headers: Mapping[str, str] | None = None
    ) -> None:
        """Send an orderly answer."""
        said = {**good_headers(), "Content-Length": str(len(body)), **(headers or {})}
        lines = "".join(f"{name}: {value}\r\n" for name, value in said.items())
        await self.write(f"HTTP/1.1 {status} X\r\n{lines}\r\n".encode("latin-1") + body)

    async def good(self) -> None:
        """Answer as a service does that is well."""
        status, answer = good_answer(self)
        await self.reply(json.dumps(answer).encode(), status)

    def end(self) -> None:
        """Close the connection."""
        self._writer.close()
        raise GoneError


class Stream:
    """An open WebSocket, from the service's side."""

    def __init__(self, exchange: Exchange) -> None:
        self.exchange = exchange
        self.write = exchange.write

    async def send(
        self, payload: bytes, opcode: int = 1, *, fin: bool = True, packed: bool = False
    ) -> None:
        """Send a frame."""
        await self.write(frame(payload, opcode, fin=fin, packed=packed))

    async def say(self, **changes: Any) -> None:
        """Send a price change, the good one but for ``changes``."""
        await self.send(message(**changes))

    async def close(self, code: int) -> None:
        """Send a close frame and go."""
        with contextlib.suppress(struct.error):
            await self.send(struct.pack("!H", code), 8)
        self.exchange.end()


Answering = Callable[[Exchange], Awaitable[None]]
Streaming = Callable[[Stream], Awaitable[None]]


def frame(payload: bytes, opcode: int = 1, *, fin: bool = True, packed: bool = False) -> bytes:
    """Return a frame as a server sends it."""
    first = opcode | (0x80 if fin else 0) | (0x40 if packed else 0)
    size = len(payload)
    if size < 126:
        return bytes([first, size]) + payload
    if size < 65_536:
        return struct.pack("!BBH", first, 126, size) + payload
    return struct.pack("!BBQ", first, 127, size) + payload


def message(**changes: Any) -> bytes:
    """Return a price change as JSON."""
    said = {
        "bookmaker": SOFT,
        "match_name": MATCH,
        "competition": "EPL",
        "sport": "Football",
        "market_type": "moneyline",
        "selection": HOME,
        "odds": FIRST_PRICE,
        "period": 0,
        "is_live": False,
        "scraped_at": now_text(),
    }
    return json.dumps(said | changes).encode()


def now_text(later_ms: int = 0) -> str:
    """Return a timestamp."""
    return format_ms(system_clock() + later_ms)


def good_headers() -> dict[str, str]:
    """Return the headers of every good answer."""
    return {
        "Content-Type": "application/json",
        "X-RateLimit-Remaining": "100000",
        "X-RateLimit-Reset": str(system_clock() // 1000 + 3600),
    }


def listing(*items: Any, **meta: Any) -> dict[str, Any]:
    """Return a list answer."""
    return {"data": list(items), "meta": {"rate_limit_remaining": 9, "count": len(items), **meta}}


def good_answer(asked: Exchange) -> tuple[int, Any]:
    """Return status and body of what a service answers that is well."""
    match asked.path:
        case "/api/games":
            return 200, listing(game())
        case "/api/odds":
            return 200, listing(*rows(asked.case.price))
        case "/api/sports":
            sport = {"name": "Football", "competition_codes": ["EPL"], "event_count": 1}
            return 200, listing(sport)
        case "/api/odds/live" | "/api/value-bets" | "/api/bookmakers" | "/api/events":
            return 200, listing()
        case "/api/health":
            return 200, {
                "status": "ok", "version": "1", "database": "ok", "last_scraped_at": now_text()
            }  # fmt: skip
        case "/api/stream/token":
            return 200, {"token": TOKEN, "expires_in": 300}
    if asked.path == f"/api/games/{GAME}":
        return 200, {"data": matrix(asked.case.price), "meta": {"rate_limit_remaining": 9}}
    return 404, {"error": {"code": "not_found", "message": "there is no such thing"}}


def game(**changes: Any) -> dict[str, Any]:
    """Return the one game of the list."""
    said = {
        "game_id": GAME,
        "match_name": MATCH,
        "competition": "EPL",
        "sport": "Football",
        "match_date": now_text(HOUR_MS),
        "is_live": False,
        "bookmaker_count": 3,
        "last_scraped_at": now_text(),
    }
    return said | changes


def prices(home: float) -> dict[str, dict[str, float]]:
    """Return every price, by bookmaker and selection."""
    return {
        "Pinnacle": {HOME: 2.4, "Draw": 3.4, "Chelsea": 3.1},
        SOFT: {HOME: home, "Draw": 3.3, "Chelsea": 3.0},
        "Other": {HOME: 2.3, "Draw": 3.5, "Chelsea": 3.05},
    }


def rows(home: float) -> list[dict[str, Any]]:
    """Return the odds rows."""
    return [
        {
            "bookmaker": bookmaker,
            "match_name": MATCH,
            "competition": "EPL",
            "sport": "Football",
            "market_type": "moneyline",
            "period": 0,
            "is_live": False,
            "odds": odds,
            "match_date": now_text(HOUR_MS),
            "scraped_at": now_text(),
            "url": None,
            "liquidity": 1000.0 if bookmaker == "Pinnacle" else None,
        }
        for bookmaker, odds in prices(home).items()
    ]


def matrix(home: float) -> dict[str, Any]:
    """Return the game as selections by bookmakers."""
    at, by_bookmaker = now_text(), prices(home)
    reference = by_bookmaker.pop("Pinnacle")
    selections = [
        {
            "selection": selection,
            "reference": {"odds": odds, "liquidity": 1000.0, "scraped_at": at},
            "books": {
                name: {"odds": of[selection], "scraped_at": at, "url": None}
                for name, of in by_bookmaker.items()
            },
        }
        for selection, odds in reference.items()
    ]
    market = {
        "market_type": "moneyline",
        "period": 0,
        "period_label": "Match",
        "bookmakers": [*by_bookmaker],
        "reference_scraped_at": at,
        "selections": selections,
    }
    of_list = {key: value for key, value in game().items() if key not in _OF_THE_LIST}
    return {**of_list, "all_bookmakers": ["Pinnacle", *by_bookmaker], "markets": [market]}


_OF_THE_LIST: Final = ("bookmaker_count", "last_scraped_at")


async def shake_hands(exchange: Exchange, *extras: str, accept: str | None = None) -> None:
    """Open a WebSocket as a server does, with further headers or another accept key."""
    key = exchange.headers.get("sec-websocket-key", "").encode()
    right = base64.b64encode(hashlib.sha1(key + _WEBSOCKET).digest()).decode()
    lines = ("Upgrade: websocket", "Connection: Upgrade", *extras)
    said = "".join(f"{line}\r\n" for line in lines)
    accepted = f"Sec-WebSocket-Accept: {right if accept is None else accept}\r\n"
    await exchange.write(f"HTTP/1.1 101 Switching\r\n{said}{accepted}\r\n".encode())


async def stream_well(stream: Stream) -> None:
    """Say the good price again and again."""
    while True:
        await stream.say(odds=stream.exchange.case.price)
        await asyncio.sleep(_SAYS_EVERY_S)


@dataclass(frozen=True)
class Misbehaviour:
    """One way in which a service goes wrong, and what is to be heard of it."""

    name: str
    says: str
    """What the connection's line or the log says, as a pattern; empty: nothing is wrong with it."""
    answer: Answering | None = None
    at: str = "/api/"
    """Begins the paths at which it misbehaves, as a pattern."""
    stream: Streaming | None = None
    handshake: Answering | None = None
    patience_s: float = 30.0
    """How long it goes on, at most, before the desk has said what is wrong."""
    waits: str = ""
    """Why the desk rightly stops asking for long; empty if it recovers by itself."""
    is_quick: bool = True
    """Whether it is played in the suite, too."""

    @property
    def slug(self) -> str:
        """Its part of an address."""
        return re.sub("[^a-z0-9]+", "-", self.name.lower())

    def concerns(self, path: str) -> bool:
        """Say whether it misbehaves at a path."""
        return re.match(self.at, path) is not None


class _Server:
    """Answers all cases."""

    def __init__(self, table: Iterable[Misbehaviour]) -> None:
        self._by_slug = {kind.slug: kind for kind in table}
        self._cases: dict[str, Case] = {}

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one connection until it goes."""
        holder: Case | None = None
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                slug = head.split(b" ", 2)[1].decode().split("/")[1].partition("?")[0]
                if slug == "control":
                    await self._control(head, writer)
                    continue
                case = holder = self._cases.setdefault(slug, Case())
                case.writers.add(writer)
                await self._answer(slug, Exchange(head, case, writer), reader)
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        finally:
            if holder is not None:
                holder.writers.discard(writer)
            writer.transport.abort()

    async def _control(self, head: bytes, writer: asyncio.StreamWriter) -> None:
        _, _, slug, phase = head.split(b" ", 2)[1].decode().split("/")
        case = self._cases.setdefault(slug, Case())
        if phase != "asked":
            case.enter(phase)
        body = str(case.asked).encode()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)

    async def _answer(self, slug: str, asked: Exchange, reader: asyncio.StreamReader) -> None:
        kind = self._by_slug.get(slug)
        is_bad = kind is not None and asked.case.phase == BAD
        if asked.is_upgrade:
            stream, opening = stream_well, shake_hands
            if is_bad and kind is not None:
                stream, opening = kind.stream or stream, kind.handshake or opening
                asked.case.asked += bool(kind.stream or kind.handshake)
            await opening(asked)
            listening = asyncio.get_running_loop().create_task(_listen(reader, asked))
            try:
                await stream(Stream(asked))
                await listening
            finally:
                listening.cancel()
        elif is_bad and kind is not None and kind.answer is not None and kind.concerns(asked.path):
            asked.case.asked += 1
            await kind.answer(asked)
        else:
            await asked.good()


async def _listen(reader: asyncio.StreamReader, asked: Exchange) -> None:
    """Take what the client says, and go when it goes."""
    while data := await reader.read(65_536):
        if data[0] == 0x88:
            break
    asked._writer.transport.abort()


async def serve(table: Iterable[Misbehaviour]) -> None:
    """Be the service, and say the port."""
    server = await asyncio.start_server(_Server(table).serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


class HostileService:
    """The process, from outside."""

    def __init__(self, port: int) -> None:
        self._address = f"http://127.0.0.1:{port}"

    def url(self, slug: str) -> str:
        """Return the base address of a case."""
        return f"{self._address}/{slug}"

    def enter(self, slug: str, phase: str) -> None:
        """Have a case behave in another way."""
        self._control(slug, phase)

    def asked(self, slug: str) -> int:
        """Return how many requests it answered badly."""
        return int(self._control(slug, "asked"))

    def _control(self, slug: str, phase: str) -> bytes:
        with urlopen(f"{self._address}/control/{slug}/{phase}", timeout=20) as answer:
            body: bytes = answer.read()
        return body


@contextmanager
def hostile_service() -> Iterator[HostileService]:
    """Run the process."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.kit.misbehaviours"],
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
        text=True,
    )
    assert process.stdout is not None
    try:
        yield HostileService(int(process.stdout.readline()))
    finally:
        process.kill()
        process.communicate()
