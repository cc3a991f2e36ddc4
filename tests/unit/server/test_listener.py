import asyncio
import logging
import socket

import pytest

from oddsdesk.server.listener import SEND_BUFFER, HttpServer, ListenError, bind, url_of
from tests.kit.virtual_time import run_virtually


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
        ("no.such.host.invalid", "no address of this machine"),
        ("203.0.113.7", "no address of this machine"),
        ("a" * 300, "no address of this machine"),
        ("\ud800", "no address of this machine"),
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
    await server.start()
    reader, writer = await asyncio.open_connection(host, port)
    writer.write(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    assert b"hello" in await reader.read()
    writer.close()
    await writer.wait_closed()
    async with asyncio.timeout(30):
        await server.stop()
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection(host, port)


def test_an_idle_server_ends_without_waiting():
    async def ended_after(now) -> float:
        listener = bind("127.0.0.1", 0)
        server = HttpServer(_hello, listener)
        await server.start()
        reader, writer = await asyncio.open_connection(*listener.getsockname())
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        await reader.readuntil(b"hello")
        asked = now()
        await server.stop()
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
    await server.start()
    _, writer = await asyncio.open_connection(*listener.getsockname())
    writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    await begun.wait()
    async with asyncio.timeout(30):
        await server.stop()
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
    await server.start()
    reader, writer = await asyncio.open_connection(*listener.getsockname())
    writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    await begun.wait()
    await server.stop()
    async with asyncio.timeout(30):
        assert b"hello" in await reader.read()
    writer.close()
    assert not [each for each in caplog.records if each.levelno >= logging.WARNING]
