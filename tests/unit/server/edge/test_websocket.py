import asyncio
import contextlib
import json
import random
import struct
from collections.abc import AsyncIterator

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from oddsdesk.server.edge import websocket
from oddsdesk.server.edge.listener import HttpServer, bind
from oddsdesk.server.edge.middleware import AccessLog
from oddsdesk.server.fairness import LEAVING
from oddsdesk.server.stream.hub import CHANNEL, text_frame

LIMIT_S = 30
BUSY_LIMIT_S = 60
"""For what is decided by counts, and only has to come at all."""
HANDSHAKE = (
    b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
)


class _App:
    """Accepts, echoes text and keeps what it saw."""

    def __init__(self) -> None:
        self.channels: asyncio.Queue[websocket.BoundedWebSocket] = asyncio.Queue()
        self.ended: asyncio.Queue[int] = asyncio.Queue()

    async def __call__(self, scope, receive, send):
        if scope["type"] == "http":
            await send({"type": "http.response.start", "status": 204, "headers": []})
            await send({"type": "http.response.body", "body": b""})
            return
        await receive()
        await send({"type": "websocket.accept"})
        channel = scope["extensions"][CHANNEL]
        self.channels.put_nowait(channel)
        while True:
            message = await receive()
            if message["type"] == "websocket.disconnect":
                self.ended.put_nowait(message["code"])
                return
            if message.get("text") is None:
                await send({"type": "websocket.close", "code": 1003})
                return
            channel.offer_frames(text_frame(message["text"].encode()))


@pytest.fixture
async def app() -> _App:
    return _App()


@pytest.fixture
async def address(app: _App) -> AsyncIterator[tuple[str, int]]:
    listener = bind("127.0.0.1", 0)
    server = HttpServer(app, listener)
    await server.start_http()
    yield listener.getsockname()
    async with asyncio.timeout(LIMIT_S):
        await server.stop_http()


def _frame(opcode: int, payload: bytes, *, fin: bool = True) -> bytes:
    """A masked frame, as clients send them."""
    head = bytes([(0x80 if fin else 0) | opcode])
    if len(payload) < 126:
        head += bytes([0x80 | len(payload)])
    elif len(payload) < 1 << 16:
        head += b"\xfe" + struct.pack("!H", len(payload))
    else:
        head += b"\xff" + struct.pack("!Q", len(payload))
    return head + b"\0\0\0\0" + payload


@contextlib.asynccontextmanager
async def _raw(address) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    reader, writer = await asyncio.open_connection(*address)
    try:
        writer.write(HANDSHAKE + b"\r\n")
        async with asyncio.timeout(LIMIT_S):
            assert b" 101 " in await reader.readuntil(b"\r\n\r\n")
        yield reader, writer
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


async def _close_code(reader: asyncio.StreamReader) -> int:
    """The code of the close frame that comes next."""
    async with asyncio.timeout(LIMIT_S):
        frame = await reader.readexactly(4)
    assert frame[0] == 0x88
    code: int = struct.unpack_from("!H", frame, 2)[0]
    return code


async def test_a_handshake_that_waits_learns_that_its_client_has_gone() -> None:
    """Else delayed refusals would outlive their connections, without being counted."""
    waiting: asyncio.Queue[asyncio.Future[None]] = asyncio.Queue()

    async def wait(scope, receive, send):
        waiting.put_nowait(scope[LEAVING])
        await scope[LEAVING]

    listener = bind("127.0.0.1", 0)
    server = HttpServer(wait, listener)
    await server.start_http()
    try:
        async with asyncio.timeout(LIMIT_S):
            _, writer = await asyncio.open_connection(*listener.getsockname())
            writer.write(HANDSHAKE + b"\r\n")
            leaving = await waiting.get()
            assert not leaving.done()
            writer.close()
            await leaving
    finally:
        async with asyncio.timeout(LIMIT_S):
            await server.stop_http()


@pytest.mark.parametrize("size", [0, 125, 126, 1024])
async def test_small_messages_are_heard(address, size):
    async with connect(f"ws://127.0.0.1:{address[1]}") as client:
        await client.send("a" * size)
        assert await client.recv() == "a" * size


@pytest.mark.parametrize("size", [1025, 100_000, 3_000_000])
async def test_large_message_closes_with_1009(address, size):
    async with connect(f"ws://127.0.0.1:{address[1]}", max_size=None) as client:
        with contextlib.suppress(ConnectionClosed):
            await client.send("a" * size)
        with pytest.raises(ConnectionClosed) as closed:
            await client.recv()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1009


@pytest.mark.parametrize(
    ("frames", "code"),
    [
        (_frame(2, b"\x00\xff"), 1003),
        (_frame(1, b"\xff\xfe"), 1007),
        (_frame(1, b"a" * 600, fin=False) + _frame(0, b"a" * 600), 1009),
        (_frame(1, b"", fin=False) + _frame(0, b"", fin=False) * 100, 1009),
        (_frame(0, b"continues nothing"), 1002),
        (_frame(3, b"reserved"), 1002),
        (b"\x81\x02ab", 1002),
        (_frame(9, b"a" * 126), 1002),
        (b"\xf1" + _frame(1, b"a")[1:], 1002),
    ],
    ids=[
        "binary",
        "no UTF-8",
        "large in fragments",
        "many empty fragments",
        "continuation",
        "reserved opcode",
        "no mask",
        "long ping",
        "reserved bits",
    ],
)
async def test_bad_frames_close_with_their_code(address, frames, code):
    async with _raw(address) as (reader, writer):
        writer.write(frames)
        assert await _close_code(reader) == code


async def test_ten_thousand_malformed_frames_harm_nobody(address):
    generator = random.Random(7)
    async with connect(f"ws://127.0.0.1:{address[1]}") as bystander:
        for _ in range(100):
            garbage = b"".join(
                _frame(generator.choice([0, 1, 2, 3, 8, 9, 11]), generator.randbytes(9))
                if generator.random() < 0.5
                else generator.randbytes(9)
                for _ in range(100)
            )
            async with _raw(address) as (reader, writer):
                writer.write(garbage)
                writer.write_eof()
                with contextlib.suppress(ConnectionError):
                    async with asyncio.timeout(LIMIT_S):
                        await reader.read()
        await bystander.send("still here?")
        assert await bystander.recv() == "still here?"


async def test_client_that_does_not_read_is_refused_more_and_closed(app, address, monkeypatch):
    monkeypatch.setattr(websocket, "CLOSE_LIMIT_S", 0.1)
    frames = text_frame(random.Random(7).randbytes(30_000).hex().encode())
    async with _raw(address):
        channel = await app.channels.get()
        offered = 0
        while channel.offer_frames(frames):
            offered += len(frames)
            assert offered < 64 * 1024 * 1024
            await asyncio.sleep(0)
        assert offered >= websocket.BACKLOG_LIMIT
        channel.close(4008, "too slow")
        async with asyncio.timeout(LIMIT_S):
            assert await app.ended.get() == 4008
            while not channel.disconnected:
                await asyncio.sleep(0.01)


async def test_client_that_reads_late_finds_all_it_was_sent_then_4008(app, address):
    frames = text_frame(b"a" * 60_000)
    async with _raw(address) as (reader, _):
        channel = await app.channels.get()
        offered = 0
        while channel.offer_frames(frames):
            offered += len(frames)
            await asyncio.sleep(0)
        channel.close(4008, "too slow")
        async with asyncio.timeout(LIMIT_S):
            received = await reader.readexactly(offered)
        assert received == frames * (offered // len(frames))
        assert (await reader.readexactly(4))[2:] == struct.pack("!H", 4008)


async def test_the_access_log_says_who_ended_a_stream_and_why(app, caplog):
    listener = bind("127.0.0.1", 0)
    server = HttpServer(AccessLog(app), listener)
    host, port = listener.getsockname()
    await server.start_http()
    async with asyncio.timeout(LIMIT_S):
        async with connect(f"ws://{host}:{port}/api/stream?token=SECRET") as client:
            await client.close(3000, "SECRET")
        async with connect(f"ws://{host}:{port}/api/stream?token=SECRET") as client:
            for _ in range(2):
                channel = await app.channels.get()
            for _ in range(3):
                assert channel.offer_frames(text_frame(b"a" * 200))
            channel.close(4008, f"too slow, oddsdesk_live_{'0a' * 16}")
            await client.wait_closed()
        async with connect(f"ws://{host}:{port}/api/stream?token=SECRET") as client:
            client.transport.abort()
        for _ in range(3):
            await app.ended.get()
        await server.stop_http()
    told = [each.fields for each in caplog.records]
    assert [(each["status"], each["bytes"], each["why"]) for each in told] == [
        (3000, 0, "client"),
        (4008, 3 * len(text_frame(b"a" * 200)), "server: too slow, ****"),
        (1006, 0, "broke off"),
    ]
    assert "SECRET" not in caplog.text


async def test_client_that_pings_and_does_not_read_is_dropped(app, address, monkeypatch):
    """It is dropped for the number of unread answers, not for the time that it takes."""
    limit = 256 * 1024
    monkeypatch.setattr(websocket, "BACKLOG_LIMIT", limit)
    monkeypatch.setattr(websocket, "FRAMES_A_SECOND", 1e9)  # else it would take an hour
    async with _raw(address) as (_, writer):
        channel = await app.channels.get()
        writer.transport.pause_reading()
        pings = _frame(9, b"a" * 125) * 500
        async with asyncio.timeout(BUSY_LIMIT_S):
            with contextlib.suppress(ConnectionError):
                while app.ended.empty():
                    writer.write(pings)
                    await writer.drain()
                    assert channel.backlog <= 2 * limit
            await app.ended.get()


@pytest.mark.parametrize("frame", [_frame(9, b""), _frame(1, b"ping")], ids=["ping", "text"])
async def test_who_talks_without_end_is_heard_a_little_at_a_time(app, address, frame) -> None:
    """Unbounded, 40,000 frames at once held the loop for seconds; others were not answered."""
    async with _raw(address) as (_, writer), connect(f"ws://{address[0]}:{address[1]}") as other:
        channel = await app.channels.get()
        heard = 0
        count = channel.handle_ping if frame[0] & 15 == 9 else channel.handle_text

        def counted(*event) -> None:
            nonlocal heard
            heard += 1
            count(*event)

        setattr(channel, count.__name__, counted)
        writer.write(frame * 40_000)
        for number in range(20):
            await other.send(str(number))
            assert await other.recv() == str(number)
        pieces = websocket.PIECE_BYTES // len(frame) + 1
        assert 0 < heard <= websocket.FRAMES_AT_ONCE + 2 * pieces + websocket.FRAMES_A_SECOND * 60
        assert len(channel._unheard) < 512 * 1024  # and what is not heard is not read


@pytest.mark.parametrize(
    "head",
    [
        HANDSHAKE.replace(b"dGhlIHNhbXBsZSBub25jZQ==", b"short"),
        HANDSHAKE.replace(b": 13", b": 12"),
        HANDSHAKE + b"X: " + b"a" * 9_000 + b"\r\n",
        HANDSHAKE + b"".join(b"X%d: a\r\n" % i for i in range(150)),
    ],
    ids=["key", "version", "long header", "many headers"],
)
async def test_handshake_that_cannot_succeed_gets_the_error_object(address, head):
    reader, writer = await asyncio.open_connection(*address)
    writer.write(head + b"\r\n")
    async with asyncio.timeout(LIMIT_S):
        answer = await reader.read()
    writer.close()
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert json.loads(answer.partition(b"\r\n\r\n")[2])["error"]["code"] == "bad_request"
