import asyncio
import contextlib
import json
import logging
import socket
from collections.abc import AsyncIterator

import pytest

from oddsdesk.server.edge import protocol
from oddsdesk.server.edge.connections import Connections
from oddsdesk.server.edge.listener import HttpServer, bind
from oddsdesk.server.edge.protocol import BODY_LIMIT, HEAD_LIMIT, Refusals
from oddsdesk.server.fairness import LEAVING
from oddsdesk.server.rest import Figures
from oddsdesk.server.settings import ConnectionLimits

LIMIT_S = 30
LARGE = 32 * 1024 * 1024
GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


async def _app(scope, receive, send):
    if scope["path"] == "/slow":
        await asyncio.sleep(0.05)
    if scope["path"] == "/echo":
        while (await receive()).get("more_body"):
            pass
    body = b"ok" if scope["path"] != "/large" else b"a" * LARGE
    if scope["path"] == "/echo" and any(name == b"x-late" for name, _ in scope["headers"]):
        body = b"no"
    headers = [(b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


async def _reading(scope, receive, send):
    await _app({**scope, "path": "/echo"}, receive, send)


@contextlib.asynccontextmanager
async def _connected(
    first: bytes = b"", refusals: Refusals | None = None, app=None
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """A connection that has sent ``first`` before the server takes it: that is never late."""
    listener = bind("127.0.0.1", 0)
    server = HttpServer(app or _app, listener, refusals=refusals)
    await server.start_http()
    try:
        client = socket.create_connection(listener.getsockname())
        client.sendall(first)
        client.setblocking(False)
        reader, writer = await asyncio.open_connection(sock=client)
        try:
            yield reader, writer
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()
    finally:
        async with asyncio.timeout(LIMIT_S):
            await server.stop_http()


async def _rest(reader: asyncio.StreamReader) -> bytes:
    """Everything until the server closes."""
    async with asyncio.timeout(LIMIT_S):
        return await reader.read()


async def _one(reader: asyncio.StreamReader) -> bytes:
    async with asyncio.timeout(LIMIT_S):
        head = await reader.readuntil(b"\r\n\r\n")
        return head + await reader.readexactly(2)


def _error(answer: bytes) -> tuple[int, str]:
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"content-type: application/json" in head
    assert b"connection: close" in head
    return int(head.split()[1]), json.loads(body)["error"]["code"]


async def test_head_at_its_limit_is_served():
    line = b"GET / HTTP/1.1\r\n"
    padding = b"X: " + b"a" * (HEAD_LIMIT - len(b"/" + b"x" + b"a: : \r\n") - 40)
    async with _connected() as (reader, writer):
        writer.write(line + b"Host: x\r\n" + padding + b"\r\n\r\n")
        assert (await _one(reader)).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize("size", [HEAD_LIMIT, 4 * 1024 * 1024])
async def test_head_over_its_limit_is_431(size):
    async with _connected() as (reader, writer):
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"a" * size + b"\r\n\r\n")
        assert _error(await _rest(reader)) == (431, "headers_too_large")


async def test_head_that_never_ends_is_431():
    async with _connected() as (reader, writer):
        writer.write(b"GET / HTTP/1.1\r\nX: ")
        for _ in range(HEAD_LIMIT // 1024 + 1):
            writer.write(b"a" * 1024)
            await asyncio.sleep(0)
        assert _error(await _rest(reader)) == (431, "headers_too_large")


async def test_many_small_requests_do_not_add_up_to_a_large_head():
    async with _connected() as (reader, writer):
        for _ in range(HEAD_LIMIT // len(GET) + 10):
            writer.write(GET)
            await _one(reader)


@pytest.mark.parametrize(
    "head",
    [
        b"Content-Length: %d\r\n\r\n" % (BODY_LIMIT + 1),
        b"Transfer-Encoding: chunked\r\n\r\n" + (b"8000\r\n" + b"a" * 0x8000 + b"\r\n") * 3,
    ],
)
async def test_large_body_is_413(head):
    async with _connected() as (reader, writer):
        writer.write(b"POST /echo HTTP/1.1\r\nHost: x\r\n" + head)
        assert _error(await _rest(reader)) == (413, "payload_too_large")


async def test_body_at_its_limit_is_served():
    async with _connected() as (reader, writer):
        head = b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % BODY_LIMIT
        writer.write(head + b"a" * BODY_LIMIT)
        assert (await _one(reader)).startswith(b"HTTP/1.1 200")


FRAMING = {
    "many trailers": (b"0\r\n", b"X-Late: a\r\n"),
    "one endless trailer": (b"0\r\nX: ", b"a"),
    "an endless extension": (b"5;x=", b"a"),
    "chunks with extensions": (b"", b"1;x=%b\r\na\r\n" % (b"a" * 100)),
    "tiny chunks": (b"", b"1\r\na\r\n"),
}
CHUNKED = b"POST %b HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize("framing", FRAMING)
async def test_what_frames_a_body_counts_as_head(framing):
    first, again = FRAMING[framing]
    async with _connected() as (reader, writer):
        writer.write(CHUNKED % b"/echo" + first + again * (2 * HEAD_LIMIT // len(again)))
        assert _error(await _rest(reader)) == (431, "headers_too_large")


@pytest.mark.parametrize("framing", FRAMING)
async def test_framing_after_the_answer_ends_the_connection(framing):
    first, again = FRAMING[framing]
    async with _connected() as (reader, writer):
        writer.write(CHUNKED % b"/")
        await _one(reader)
        writer.write(first + again * (2 * HEAD_LIMIT // len(again)))
        assert await _rest(reader) == b""


async def test_who_sends_on_after_a_refusal_is_cut_off(monkeypatch):
    monkeypatch.setattr(protocol, "LINGER_S", LIMIT_S + 1)
    async with _connected() as (_, writer):
        writer.write(CHUNKED % b"/echo" + b"0\r\n")
        with pytest.raises(ConnectionError):  # noqa: PT012 - which of them is up to the kernel
            async with asyncio.timeout(LIMIT_S):
                while True:
                    writer.write(b"X: %b\r\n" % (b"a" * 65_536))
                    await writer.drain()


async def test_a_trailer_is_no_header():
    async with _connected() as (reader, writer):
        trailed = CHUNKED % b"/echo" + b"0\r\nX-Late: a\r\n\r\n"
        writer.write(GET.replace(b"/ ", b"/slow ") + trailed)  # it waits, its trailer is there
        await _one(reader)
        assert (await _one(reader)).endswith(b"ok")


async def test_framing_that_trickles_is_refused_in_time(monkeypatch):
    monkeypatch.setattr(protocol, "REQUEST_LIMIT_S", 0.1)
    async with _connected() as (reader, writer):
        writer.write(CHUNKED % b"/echo" + b"5;x=")

        async def dribble():
            while True:
                writer.write(b"a")
                await asyncio.sleep(0.01)

        task = asyncio.get_running_loop().create_task(dribble())
        try:
            assert _error(await _rest(reader)) == (400, "bad_request")
        finally:
            task.cancel()


async def test_many_requests_at_once_are_answered_in_order():
    async with _connected() as (reader, writer):
        writer.write((GET + CHUNKED % b"/echo" + b"2\r\nab\r\n0\r\n\r\n") * 1_000)
        for _ in range(2_000):
            assert (await _one(reader)).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize(
    "garbage",
    [
        b"\x00\x01\x02\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET http://[ HTTP/1.1\r\nHost: x\r\n\r\n",
        b"CONNECT a:1 HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"GET / HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
    ],
)
async def test_what_is_no_http_is_400(garbage):
    async with _connected() as (reader, writer):
        writer.write(garbage)
        assert _error(await _rest(reader)) == (400, "bad_request")


async def test_requests_before_garbage_are_answered():
    async with _connected() as (reader, writer):
        writer.write(GET.replace(b"/ ", b"/slow ") + b"\x00garbage\r\n\r\n")
        answer = await _rest(reader)
        assert answer.startswith(b"HTTP/1.1 200")
        assert answer.count(b"HTTP/1.1") == 1


@pytest.mark.parametrize("count", [1, 2, 300])
async def test_who_sends_no_more_still_gets_all_answers(count):
    slow = GET.replace(b"/ ", b"/slow ")
    async with _connected(GET * (count - 1) + slow) as (reader, writer):
        writer.write_eof()
        answer = await _rest(reader)
        assert answer.count(b"HTTP/1.1 200") == count
        assert answer.endswith(b"ok")


async def test_half_a_request_of_who_sends_no_more_is_not_waited_for():
    async with _connected(_post(b"/echo", 10)) as (reader, writer):
        writer.write_eof()
        assert await _rest(reader) == b""


async def test_half_a_request_is_refused_in_time(monkeypatch):
    monkeypatch.setattr(protocol, "REQUEST_LIMIT_S", 0.05)
    async with _connected() as (reader, writer):
        writer.write(b"GET / HTTP/1.1\r\nHost:")
        assert _error(await _rest(reader)) == (400, "bad_request")


async def test_slow_sender_is_refused_though_it_keeps_sending(monkeypatch):
    monkeypatch.setattr(protocol, "REQUEST_LIMIT_S", 0.1)
    monkeypatch.setattr(protocol, "LINGER_S", 0.1)
    async with _connected() as (reader, writer):
        writer.write(b"POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n")

        async def dribble():
            while True:
                writer.write(b"a")
                await asyncio.sleep(0.01)

        task = asyncio.get_running_loop().create_task(dribble())
        try:
            assert _error(await _rest(reader)) == (400, "bad_request")
        finally:
            task.cancel()


async def test_a_body_of_quotes_that_comes_by_the_byte_is_refused(monkeypatch):
    """D83: else few slow connections hold all places for those who record."""
    monkeypatch.setattr(protocol, "REQUEST_LIMIT_S", 0.1)
    monkeypatch.setattr(protocol, "LINGER_S", 0.1)
    async with _connected(app=_reading) as (reader, writer):
        writer.write(_post(b"/ingest", 60_000_000))

        async def dribble():
            while True:
                writer.write(b"\n")
                await asyncio.sleep(0.01)

        task = asyncio.get_running_loop().create_task(dribble())
        try:
            async with asyncio.timeout(LIMIT_S):
                assert _error(await _rest(reader)) == (400, "bad_request")
        finally:
            task.cancel()


async def test_a_body_of_quotes_may_take_longer_than_a_request_while_enough_comes(monkeypatch):
    monkeypatch.setattr(protocol, "REQUEST_LIMIT_S", 1.0)
    part = b"\n" * protocol.INGEST_LEAST
    async with _connected(app=_reading) as (reader, writer):
        writer.write(_post(b"/ingest", 5 * len(part)))
        for _ in range(5):
            writer.write(part)
            await asyncio.sleep(0.25)
        assert (await _one(reader)).startswith(b"HTTP/1.1 200")


async def test_an_ingest_that_was_answered_may_not_go_on_sending(monkeypatch):
    """D83: it may come slowly while it is read, not once it was refused."""
    monkeypatch.setattr(protocol, "REQUEST_LIMIT_S", 0.1)
    monkeypatch.setattr(protocol, "LINGER_S", 0.1)
    head = b"POST /ingest HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n"
    async with _connected(head) as (reader, writer):
        await _one(reader)

        async def dribble():
            while True:
                writer.write(b"a")
                await asyncio.sleep(0.01)

        task = asyncio.get_running_loop().create_task(dribble())
        try:
            assert await _rest(reader) == b""
        finally:
            task.cancel()


async def test_connection_without_a_request_ends(monkeypatch):
    monkeypatch.setattr(protocol, "REQUEST_LIMIT_S", 0.05)
    async with _connected() as (reader, _):
        assert await _rest(reader) == b""


async def test_body_that_nobody_waits_for_does_not_hold_the_connection(monkeypatch):
    monkeypatch.setattr(protocol, "REQUEST_LIMIT_S", 0.1)
    head = b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n"
    async with _connected(head) as (reader, _):
        await _one(reader)
        assert await _rest(reader) == b""


def _post(path: bytes, length: int, *more: bytes) -> bytes:
    lines = [b"POST %b HTTP/1.1" % path, b"Host: x", b"Content-Length: %d" % length, *more]
    return b"\r\n".join(lines) + b"\r\n\r\n"


BEGUN = {
    "half": (_post(b"/", 2 * len(GET)) + GET, GET),
    "none": (_post(b"/", len(GET)), GET),
    "none, which waits to be told": (_post(b"/", 0x100, b"Expect: 100-continue"), GET),
    "a chunk": (CHUNKED % b"/" + b"%x\r\n%b\r\n" % (len(GET), GET), b"0\r\n\r\n"),
    "after another": (GET + _post(b"/", 2), b"ab"),
}


@pytest.mark.parametrize("begun", BEGUN)
async def test_nothing_is_a_request_once_one_is_answered_before_its_body_is_whole(begun):
    """A proxy may send another client's there: half a body would begin with it, or end in it."""
    asked = []

    async def app(scope, receive, send):
        asked.append(scope["path"])
        await _app(scope, receive, send)

    first, rest = BEGUN[begun]
    answers = 1 + first.startswith(GET)
    async with _connected(first, app=app) as (reader, writer):
        for _ in range(answers - 1):
            assert b"connection: close" not in await _one(reader)
        assert b"connection: close" in await _one(reader)
        writer.write(rest + GET.replace(b"/ ", b"/smuggled ") * 1_000)
        assert await _rest(reader) == b""
    assert asked == ["/"] * answers


async def test_an_answer_before_the_body_is_whole_is_read_to_its_end():
    async with _connected(_post(b"/large", 60_000)) as (reader, writer):
        writer.write(b"a" * 50_000)
        assert len(await _rest(reader)) > LARGE


UPGRADE = b"Connection: Upgrade"


async def test_what_follows_an_upgrade_that_is_not_made_is_the_next_request():
    """Half of it was dropped, and the rest taken for a request."""
    upgrade = _post(b"/", 0, UPGRADE, b"Upgrade: h2c")
    late = _post(b"/echo", 2_000 * len(GET), b"X-Late: a") + GET * 2_000
    async with _connected(upgrade + late + upgrade + GET) as (reader, _):
        ends = [(await _one(reader))[-2:] for _ in range(4)]
    assert ends == [b"ok", b"no", b"ok", b"ok"]


@pytest.mark.parametrize(
    "head",
    [
        _post(b"/", len(GET), UPGRADE, b"Upgrade: h2c"),
        _post(b"/", len(GET), UPGRADE, b"Upgrade: websocket"),
        CHUNKED.replace(b"\r\n\r\n", b"\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n") % b"/",
    ],
)
async def test_a_body_with_an_upgrade_is_refused_and_no_request(head):
    """The parser takes such a body for what follows it."""
    asked = []

    async def app(scope, receive, send):
        asked.append(scope["path"])
        await _app(scope, receive, send)

    async with _connected(head, app=app) as (reader, writer):
        writer.write(GET)
        assert _error(await _rest(reader)) == (400, "bad_request")
    assert asked == []


async def test_a_body_that_was_whole_keeps_the_connection():
    async with _connected(_post(b"/", 2) + b"ab") as (reader, writer):
        for _ in range(3):
            assert b"connection: close" not in await _one(reader)
            writer.write(_post(b"/echo", 2) + b"ab")
        await _one(reader)


async def test_connection_is_kept_between_requests(monkeypatch):
    monkeypatch.setattr(protocol, "REQUEST_LIMIT_S", 0.05)
    async with _connected(GET) as (reader, writer):
        await _one(reader)
        await asyncio.sleep(0.1)
        writer.write(GET)
        assert (await _one(reader)).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize("connection", [b"keep-alive", b"close"])
async def test_client_that_does_not_read_its_answer_is_dropped(monkeypatch, connection):
    monkeypatch.setattr(protocol, "STALL_LIMIT_S", 0.1)
    async with _connected() as (reader, writer):
        writer.transport.pause_reading()
        writer.write(b"GET /large HTTP/1.1\r\nHost: x\r\nConnection: %b\r\n\r\n" % connection)
        await asyncio.sleep(0.5)
        writer.transport.resume_reading()
        with contextlib.suppress(ConnectionError):
            assert len(await _rest(reader)) < LARGE


async def test_another_unread_answer_takes_the_memory_of_the_oldest():
    limits = ConnectionLimits(unread=LARGE + 1)
    listener = bind("127.0.0.1", 0)
    server = HttpServer(_app, listener, connections=Connections(limits))
    await server.start_http()
    clients = [socket.create_connection(listener.getsockname()) for _ in range(2)]
    try:
        for client in clients:
            client.settimeout(LIMIT_S)
            client.sendall(b"GET /large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            await asyncio.to_thread(client.recv, 1)
        first, last = [await asyncio.to_thread(_length, client) for client in clients]
        assert first < LARGE < last
    finally:
        for client in clients:
            client.close()
        await server.stop_http()


def _length(client: socket.socket) -> int:
    length = 0
    with contextlib.suppress(ConnectionError):
        while data := client.recv(1 << 20):
            length += len(data)
    return length


async def test_client_that_reads_slowly_but_reads_gets_it_all(monkeypatch):
    monkeypatch.setattr(protocol, "STALL_LIMIT_S", 5)
    async with _connected() as (reader, writer):
        writer.write(b"GET /large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        received = 0
        async with asyncio.timeout(20):
            while data := await reader.read(1 << 20):
                received += len(data)
                await asyncio.sleep(0)
        assert received > LARGE


@pytest.mark.parametrize(
    ("said", "why", "line"),
    [
        (b"no HTTP\r\n\r\n", "malformed", "127.0.0.1 - (malformed) 400 {size} - - -"),
        (b"GET / HTTP/1.1\r\nX: %b\r\n\r\n" % (b"a" * HEAD_LIMIT), "too_large",
         "127.0.0.1 - (too_large) 431 {size} - - -"),
        (GET + b"no HTTP\r\n\r\n", "malformed", None),
        (CHUNKED % b"/echo" + b"zz\r\n", "malformed", None),
    ],
)  # fmt: skip
async def test_what_is_refused_is_counted_and_logged_where_no_application_does(
    said: bytes, why: str, line: str | None, caplog: pytest.LogCaptureFixture
) -> None:
    figures = Figures()
    with caplog.at_level(logging.INFO, "oddsdesk.access"):
        async with _connected(said, Refusals(figures=figures, logs=True)) as (reader, _):
            body = (await _rest(reader)).rpartition(b"\r\n\r\n")[2]
    counted = {
        each.labels["why"]: each.value for each in figures.request_samples() if "why" in each.labels
    }
    assert {each: count for each, count in counted.items() if count} == {why: 1}
    assert caplog.messages == ([] if line is None else [line.format(size=len(body))])


@pytest.mark.parametrize("how", ["half", "whole"])
async def test_the_application_learns_when_the_client_of_a_request_goes(how):
    begun, left = asyncio.Event(), asyncio.Event()

    async def waiting(scope, receive, send):
        begun.set()
        await scope[LEAVING]
        left.set()
        await _app(scope, receive, send)

    async with _connected(GET, app=waiting) as (reader, writer), asyncio.timeout(LIMIT_S):
        await begun.wait()
        assert not left.is_set()
        if how == "half":
            writer.write_eof()
        else:
            writer.transport.abort()
        await left.wait()
        if how == "half":
            assert (await _rest(reader)).startswith(b"HTTP/1.1 200"), "what began is answered"
