"""Taking connections: refused at the limit, with little time for TLS, and never for good (D83)."""

import asyncio
import contextlib
import logging
import socket
import ssl
import sys
import weakref
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from oddsdesk.server.edge import listener as accepting
from oddsdesk.server.edge.connections import Connections
from oddsdesk.server.edge.listener import SEND_BUFFER, HttpServer, ListenError, bind, url_of
from oddsdesk.server.edge.protocol import BoundedHttp, Refusals, Sender
from oddsdesk.server.fairness import HURRY
from oddsdesk.server.rest import Figures
from oddsdesk.server.settings import ConnectionLimits
from tests.kit.deployed import Certificate
from tests.kit.virtual_time import run_virtually
from tests.kit.waiting import until


async def _hello(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"hello"})


def test_port_zero_picks_a_free_port():
    with bind("127.0.0.1", 0) as one, bind("127.0.0.1", 0) as other:
        ports = {each.getsockname()[1] for each in (one, other)}
        assert 0 not in ports
        assert len(ports) == 2
        assert url_of(one) == f"http://127.0.0.1:{one.getsockname()[1]}"


def test_address_of_version_6_stands_in_brackets():
    try:
        listener = bind("::1", 0)
    except ListenError:
        pytest.skip("this machine has no IPv6")
    with listener:
        assert url_of(listener) == f"http://[::1]:{listener.getsockname()[1]}"


@pytest.mark.parametrize(
    ("host", "reason"),
    [
        ("no.such.host.invalid", "does not have that address"),
        ("203.0.113.7", "does not have that address"),
        ("a" * 300, "does not have that address"),
        ("\ud800", "does not have that address"),
    ],
)
def test_what_cannot_be_listened_on_is_one_line(host, reason):
    with pytest.raises(ListenError, match=reason) as raised:
        bind(host, 0)
    assert "\n" not in str(raised.value)


def test_port_in_use_is_said_at_once():
    with bind("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ListenError, match=rf"127\.0\.0\.1:{port}: the port is in use"):
            bind("127.0.0.1", port)


def test_port_can_be_used_again_after_its_connections():
    with bind("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)):
            accepted, _ = _accept(first)
            accepted.close()
    bind("127.0.0.1", port).close()


def test_protocol_is_named_so_that_asyncio_sets_nodelay():
    with bind("127.0.0.1", 0) as listener:
        assert listener.proto == socket.IPPROTO_TCP


def test_connections_inherit_the_small_send_buffer():
    with bind("127.0.0.1", 0) as listener, socket.create_connection(listener.getsockname()):
        accepted, _ = _accept(listener)
        with accepted:
            size = accepted.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)
    assert SEND_BUFFER <= size <= 2 * SEND_BUFFER  # Linux books the double


def _accept(listener: socket.socket):
    listener.settimeout(30)
    return listener.accept()


async def test_server_answers_once_started_and_not_after_its_end():
    listener = bind("127.0.0.1", 0)
    host, port = listener.getsockname()
    server = HttpServer(_hello, listener)
    await server.start_http()
    reader, writer = await asyncio.open_connection(host, port)
    writer.write(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    assert b"hello" in await reader.read()
    writer.close()
    await writer.wait_closed()
    async with asyncio.timeout(30):
        await server.stop_http()
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection(host, port)


def test_an_idle_server_ends_without_waiting():
    async def ended_after(now) -> float:
        listener = bind("127.0.0.1", 0)
        server = HttpServer(_hello, listener)
        await server.start_http()
        reader, writer = await asyncio.open_connection(*listener.getsockname())
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        await reader.readuntil(b"hello")
        asked = now()
        await server.stop_http()
        writer.close()
        return now() - asked

    assert run_virtually(ended_after) < 0.02


async def test_request_that_hangs_does_not_hold_up_the_end():
    begun = asyncio.Event()

    async def hang(scope, receive, send):
        begun.set()
        await asyncio.Event().wait()

    listener = bind("127.0.0.1", 0)
    server = HttpServer(hang, listener)
    await server.start_http()
    _, writer = await asyncio.open_connection(*listener.getsockname())
    writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    await begun.wait()
    async with asyncio.timeout(30):
        await server.stop_http()
    writer.close()


async def test_requests_that_are_answered_when_their_time_is_up_are_no_error(caplog):
    begun = asyncio.Event()

    async def answer_at_last(scope, receive, send):
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await _hello(scope, receive, send)

    listener = bind("127.0.0.1", 0)
    server = HttpServer(answer_at_last, listener)
    await server.start_http()
    reader, writer = await asyncio.open_connection(*listener.getsockname())
    writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    await begun.wait()
    await server.stop_http()
    async with asyncio.timeout(30):
        assert b"hello" in await reader.read()
    writer.close()
    assert not [each for each in caplog.records if each.levelno >= logging.WARNING]


LIMIT_S = 30
HELLO = b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"
"""How TLS begins."""
GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


async def hello(scope: Any, receive: Any, send: Any) -> None:
    headers = [(b"content-length", b"5")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"hello"})


def sender_of(url: bytes, _headers: Any) -> Sender:
    """Tell by the path alone."""
    return {b"/key": Sender.CALLER, b"/probe": Sender.PROBE}.get(url, Sender.STRANGER)


@contextlib.asynccontextmanager
async def served(
    connections: Connections,
    tls: ssl.SSLContext | None = None,
    refusals: Refusals | None = None,
    app: Any = hello,
) -> AsyncIterator[tuple[str, int]]:
    listener = bind("127.0.0.1", 0)
    server = HttpServer(
        app,
        listener,
        tls=None if tls is None else SimpleNamespace(context=tls),
        connections=connections,
        refusals=refusals,
        sender_of=sender_of,
    )
    await server.start_http()
    try:
        yield listener.getsockname()
    finally:
        async with asyncio.timeout(LIMIT_S):
            await server.stop_http()


async def with_key(
    address: tuple[str, int], tls: ssl.SSLContext | None = None
) -> asyncio.StreamWriter:
    """Hold a connection on which a key was shown."""
    name = None if tls is None else "localhost"
    reader, writer = await asyncio.open_connection(*address, ssl=tls, server_hostname=name)
    writer.write(GET.replace(b" / ", b" /key "))
    assert await reader.readuntil(b"hello")
    return writer


async def answer(address: tuple[str, int], tls: ssl.SSLContext | None = None) -> bytes:
    """Ask once; return all that is answered."""
    async with asyncio.timeout(LIMIT_S):
        name = None if tls is None else "localhost"
        reader, writer = await asyncio.open_connection(*address, ssl=tls, server_hostname=name)
        writer.write(GET.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        try:
            return await reader.read()
        finally:
            writer.close()


def encrypting(folder: Path) -> ssl.SSLContext:
    certificate = Certificate(folder)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate.file, certificate.key)
    return context


def opened(connections: Connections) -> float:
    return figure(connections, "oddsdesk_connections")


def figure(connections: Connections, name: str) -> float:
    return next(each.value for each in connections.connection_samples() if each.name == name)


async def test_all_waiting_connections_are_taken_in_one_turn_of_the_loop() -> None:
    """A turn of a busy loop may take milliseconds: one connection in each would be a long wait."""
    connections = Connections()
    listener = bind("127.0.0.1", 0)
    listener.listen(64)
    waiting = [
        socket.create_connection(listener.getsockname()) for _ in range(accepting.ACCEPTED_AT_ONCE)
    ]
    turns_at: list[float] = []
    server = HttpServer(hello, listener, connections=connections, sender_of=sender_of)
    await server.start_http()
    try:
        async with asyncio.timeout(LIMIT_S):
            while not turns_at or turns_at[-1] < len(waiting):
                turns_at.append(opened(connections))
                await asyncio.sleep(0)
        assert len([each for each in turns_at if 0 < each < len(waiting)]) == 0
    finally:
        for each in waiting:
            each.close()
        await server.stop_http()


async def test_one_too_many_is_told_so_and_taken_once_another_has_ended() -> None:
    connections = Connections(ConnectionLimits(2, 2))
    async with served(connections) as address:
        held = [await with_key(address) for _ in range(2)]
        refused = await answer(address)
        assert refused.startswith(b"HTTP/1.1 503 ")
        assert b"\r\nretry-after: 1\r\n" in refused
        assert b'{"error":{"code":"service_unavailable"' in refused
        for writer in held:
            writer.close()
        await until(lambda: opened(connections) == 0)
        assert (await answer(address)).startswith(b"HTTP/1.1 200 ")
    await until(lambda: opened(connections) == 0)


@pytest.mark.parametrize("said", [b"", b"GET / HT", GET], ids=["nothing", "half", "no key"])
async def test_callers_are_answered_whatever_strangers_hold_open(said: bytes) -> None:
    connections = Connections(ConnectionLimits(3, 3))
    async with served(connections) as address, asyncio.timeout(LIMIT_S):
        kept = await with_key(address)
        held = []
        for _ in range(9):
            held.append(await asyncio.open_connection(*address))
            held[-1][1].write(said)
            assert (await answer(address)).startswith(b"HTTP/1.1 200 ")
        for reader, writer in held[:-1]:
            with contextlib.suppress(ConnectionError):
                await reader.read()
            writer.close()
        await until(lambda: opened(connections) == 2)
        held[-1][1].close()
        kept.close()
    await until(lambda: opened(connections) == 0)


async def test_a_request_without_a_key_is_answered_when_its_place_is_needed() -> None:
    """Without an answer, a proxy would take the process for dead."""
    begun: list[Any] = []

    async def never(scope: Any, receive: Any, send: Any) -> None:
        if scope["path"] != "/slow":
            await hello(scope, receive, send)
            return
        begun.append(scope)
        await receive()
        assert (await receive())["type"] == "http.disconnect"

    connections = Connections(ConnectionLimits(1, 1))
    async with served(connections, app=never) as address, asyncio.timeout(LIMIT_S):
        reader, writer = await asyncio.open_connection(*address)
        writer.write(GET.replace(b" / ", b" /slow "))
        await until(lambda: bool(begun))
        assert (await answer(address)).startswith(b"HTTP/1.1 200 ")
        told = await reader.read()
        assert told.startswith(b"HTTP/1.1 503 ")
        assert b"\r\nretry-after: 1\r\n" in told
        writer.close()
    await until(lambda: opened(connections) == 0)


async def test_a_probe_that_waits_is_answered_when_its_place_is_needed() -> None:
    begun: list[Any] = []

    async def when_hurried(scope: Any, receive: Any, send: Any) -> None:
        begun.append(scope)
        if HURRY in scope:
            await scope[HURRY].wait()
        await hello(scope, receive, send)

    connections = Connections(ConnectionLimits(2, 2))
    async with served(connections, app=when_hurried) as address, asyncio.timeout(LIMIT_S):
        reader, writer = await asyncio.open_connection(*address)
        writer.write(GET.replace(b" / ", b" /probe "))
        await until(lambda: bool(begun))
        kept = await with_key(address)
        assert (await answer(address)).startswith(b"HTTP/1.1 200 ")
        probed = await reader.read()
        assert (probed[:13], probed[-5:]) == (b"HTTP/1.1 200 ", b"hello")
        writer.close()
        kept.close()
    await until(lambda: opened(connections) == 0)


async def test_who_begins_no_tls_in_time_is_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It counts while it says nothing, and costs no task and no place afterwards."""
    certificate = Certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate.file, certificate.key)
    connections = Connections(ConnectionLimits(2, 2))
    async with served(connections, context) as address:
        reader, writer = await asyncio.open_connection(*address)
        await until(lambda: opened(connections) == 1)
        assert b"hello" in await answer(address, certificate.trusted)
        writer.close()
        await until(lambda: opened(connections) == 0)
        monkeypatch.setattr(accepting, "HANDSHAKE_LIMIT_S", 0.2)
    async with served(connections, context) as address:
        reader, writer = await asyncio.open_connection(*address)
        async with asyncio.timeout(LIMIT_S):
            assert await reader.read() == b""
        writer.close()
        await until(lambda: opened(connections) == 0)
        told = await answer(address)  # no TLS at all
        assert told.startswith(b"HTTP/1.1 400 ")
        assert b"This address is encrypted" in told
        await until(lambda: opened(connections) == 0)


async def test_who_begins_no_tls_is_counted_and_logged_and_who_says_nothing_is_not(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    figures = Figures()
    with caplog.at_level(logging.INFO, "oddsdesk.access"):
        async with served(
            Connections(), encrypting(tmp_path), Refusals(figures=figures, logs=True)
        ) as at:
            _, looking = await asyncio.open_connection(*at)
            looking.close()
            await looking.wait_closed()
            body = (await answer(at)).partition(b"\r\n\r\n")[2]
            assert b"This address is encrypted" in body
    assert caplog.messages == [f"127.0.0.1 - (unencrypted) 400 {len(body)} - - -"]
    counted = {each.labels.get("why"): each.value for each in figures.request_samples()}
    assert counted["unencrypted"] == 1


async def test_of_handshakes_that_stall_only_so_many_are_waited_for(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The oldest makes room, and no longer counts; a client that goes on is answered."""
    certificate = Certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate.file, certificate.key)
    connections = Connections(ConnectionLimits(10, 10, 2))
    async with served(connections, context) as address, asyncio.timeout(LIMIT_S):
        stalled = []
        for count in (1, 2):
            stalled.append(await asyncio.open_connection(*address))
            stalled[-1][1].write(HELLO)
            await until(lambda count=count: figure(connections, "oddsdesk_handshakes") == count)
        assert (await answer(address, certificate.trusted)).startswith(b"HTTP/1.1 200 ")
        assert await stalled[0][0].read() == b""
        assert not stalled[1][0].at_eof()
        await until(lambda: opened(connections) == figure(connections, "oddsdesk_handshakes") == 1)
        for _, writer in stalled:
            writer.close()
        await until(lambda: opened(connections) == figure(connections, "oddsdesk_handshakes") == 0)
    refused = {each.labels.get("why"): each.value for each in connections.connection_samples()}
    assert refused["handshakes"] == 1
    assert "it was the oldest of 2 unfinished TLS handshakes (1 since" in caplog.text


async def test_a_crowd_that_stalls_holds_no_more_than_so_many_handshakes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What one held is let go before the next begins, also where all come at once."""
    alive: weakref.WeakSet[BoundedHttp] = weakref.WeakSet()
    counts = []
    make = BoundedHttp.__init__

    def count(self: BoundedHttp, *arguments: Any, **options: Any) -> None:
        make(self, *arguments, **options)
        alive.add(self)
        counts.append(len(alive))

    monkeypatch.setattr(BoundedHttp, "__init__", count)
    certificate = Certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate.file, certificate.key)
    connections = Connections(ConnectionLimits(1_000, 1_000, 10))
    async with served(connections, context) as address, asyncio.timeout(LIMIT_S):
        with contextlib.ExitStack() as crowd:
            for _ in range(200):
                crowd.enter_context(socket.create_connection(address)).sendall(HELLO)
            await until(lambda: len(counts) == 200)
            assert (await answer(address, certificate.trusted)).startswith(b"HTTP/1.1 200 ")
        await until(lambda: opened(connections) == 0)
    assert max(counts) <= 20


async def test_one_too_many_of_tls_is_closed_without_a_handshake(tmp_path: Path) -> None:
    certificate = Certificate(tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate.file, certificate.key)
    connections = Connections(ConnectionLimits(1, 1))
    async with served(connections, context) as address:
        held = await with_key(address, certificate.trusted)
        with pytest.raises((ConnectionError, ssl.SSLError)):
            await answer(address, certificate.trusted)
        held.close()


@pytest.mark.skipif(sys.platform == "win32", reason="no limit on descriptors")
async def test_without_descriptors_who_comes_waits_and_is_answered_afterwards(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import resource

    monkeypatch.setattr(accepting, "NO_ROOM_PAUSE_S", 0.05)
    connections = Connections()
    loop = asyncio.get_running_loop()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    async with served(connections) as address:
        assert b"hello" in await answer(address)
        client = socket.socket()
        client.setblocking(False)
        resource.setrlimit(resource.RLIMIT_NOFILE, (client.fileno() + 1, hard))
        fillers = []
        try:
            with contextlib.suppress(OSError):
                while True:
                    fillers.append(socket.socket())  # whatever below was free
            await loop.sock_connect(client, address)
            await until(lambda: any(connections.troubles()))
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
            for each in fillers:
                each.close()
        await loop.sock_sendall(client, GET)
        async with asyncio.timeout(LIMIT_S):
            assert b"200 OK" in await loop.sock_recv(client, 4096)
        client.close()
