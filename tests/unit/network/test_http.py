"""What is said to other machines, and whom their certificates must convince."""

import asyncio
import contextlib
import gzip
import ssl
import sys
import tracemalloc

import certifi
import httpx
import pytest

from oddsdesk import __version__
from oddsdesk.base.tasks import spawn
from oddsdesk.network import UnreachableError, UnusableAnswerError, trust
from oddsdesk.network import http as bodies
from oddsdesk.network import http as http_module
from oddsdesk.network.http import HttpClient
from oddsdesk.network.websocket import Pinging, open_websocket


@pytest.mark.parametrize("is_local", [True, False])
async def test_requests_say_who_asks_and_may_carry_a_body(is_local: bool) -> None:
    asked: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        asked.extend([head.lower(), await reader.readuntil(b"]")])
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
        writer.close()

    http = HttpClient({"X-Key": "k"}, is_secure=False, is_local=is_local)
    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        url = f"http://127.0.0.1:{port}/books"
        reply = await http.send_request("POST", url, {}, json=[{"token_id": "1"}])
        await http.close_connections()
    assert (reply.status, reply.body) == (200, b"{}")
    head, body = asked
    assert head.startswith(b"post /books http/1.1\r\n")
    coding = (
        "identity" if is_local else "gzip"
    )  # within a machine, packing costs more than it saves
    for line in (f"user-agent: oddsdesk/{__version__}", "x-key: k", f"accept-encoding: {coding}"):
        assert f"\r\n{line}\r\n".encode() in head
    assert body == b'[{"token_id":"1"}]'


async def test_a_request_looks_for_no_module(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where one is missing, that takes a third of all that a request does."""
    looked_for: list[str] = []

    class Finder:
        @staticmethod
        def find_spec(name: str, *_: object) -> None:
            looked_for.append(name)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        for _ in range(2):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
        writer.close()

    http = HttpClient({}, is_secure=False, is_local=True)
    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/games"
        await http.send_request("GET", url, {})
        monkeypatch.setattr(sys, "meta_path", [Finder, *sys.meta_path])
        await http.send_request("GET", url, {})
        await http.close_connections()
    assert looked_for == []


async def test_a_request_leaves_nothing_behind_wherever_it_is_cancelled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """On a loop that ends no generators, as Qt's: what is left of one is an error when it goes."""
    errors: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda it: errors.append(it.exc_value))
    monkeypatch.setattr(http_module, "SLICE_S", 0.0)  # there is a turn after each chunk
    hooks = sys.get_asyncgen_hooks()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, EOFError):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n")
            for _ in range(20):
                writer.write(b"x")
                await writer.drain()
                await asyncio.sleep(0)
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        is_done, turns = False, 0
        sys.set_asyncgen_hooks(None, None)
        while not is_done:
            http = HttpClient({}, is_secure=False, is_local=True)
            request = spawn("request", http.send_request("GET", url, {}))
            for _ in range(turns):
                await asyncio.sleep(0)
            is_done, turns = request.done(), turns + 1
            request.cancel()
            await asyncio.wait([request])
            await http.close_connections()
            held = [request]
            del request
            asyncio.get_running_loop().call_soon(held.clear)  # of no task, as garbage is
            await asyncio.sleep(0)
        sys.set_asyncgen_hooks(*hooks)
    assert turns > 1
    assert errors == []


async def test_of_large_answers_one_at_a_time_is_held_and_none_that_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """However long their errors are kept."""
    bound = 8 * 1024 * 1024
    monkeypatch.setattr(bodies, "LARGEST", bound)
    bomb = gzip.compress(bytes(4 * bound))
    head = f"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {len(bomb)}\r\n\r\n"
    asked = asyncio.Barrier(4)

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        await asked.wait()
        writer.write(head.encode() + bomb)
        writer.close()

    http = HttpClient({}, is_secure=False, is_local=True)
    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        tracemalloc.start()
        try:
            requests = [spawn("request", http.send_request("GET", url, {})) for _ in range(4)]
            await asyncio.wait(requests)
            held, most = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        await http.close_connections()
    assert [type(each.exception()) for each in requests] == [UnusableAnswerError] * 4
    assert most < bound + 4 * 2.5 * 1024 * 1024
    assert held < 1024 * 1024


def _paths(**places: str | None) -> ssl.DefaultVerifyPaths:
    return ssl.DefaultVerifyPaths(
        places.get("cafile"), places.get("capath"), "SSL_CERT_FILE", "", "SSL_CERT_DIR", ""
    )


@pytest.fixture
def fresh_trust():
    trust.system_trust.cache_clear()
    yield trust.system_trust
    trust.system_trust.cache_clear()


def test_the_systems_certificates_are_trusted(fresh_trust, monkeypatch) -> None:
    loaded = []
    monkeypatch.setattr(ssl.SSLContext, "load_verify_locations", lambda *a: loaded.append(a))
    monkeypatch.setattr(ssl, "get_default_verify_paths", lambda: _paths(cafile="/there"))
    context = fresh_trust()
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.check_hostname
    assert loaded == []


def test_a_program_that_does_not_find_them_knows_where_systems_keep_them(
    fresh_trust, monkeypatch
) -> None:
    bare = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    monkeypatch.setattr(ssl, "create_default_context", lambda: bare)
    monkeypatch.setattr(ssl, "get_default_verify_paths", _paths)
    monkeypatch.setattr(trust, "_BUNDLES", ("/nowhere.pem", certifi.where()))
    assert fresh_trust().cert_store_stats()["x509_ca"] > 50


async def test_requests_and_stream_trust_the_same_certificates(monkeypatch) -> None:
    """F4.4: one trusted certifi's list and the other OpenSSL's folder."""
    asked: list[str] = []
    context = ssl.create_default_context()
    for name in ("http", "websocket"):
        module = f"oddsdesk.network.{name}"
        monkeypatch.setattr(f"{module}.system_trust", lambda n=name: asked.append(n) or context)

    async def hang_up(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    async with await asyncio.start_server(hang_up, "127.0.0.1", 0) as server:
        host = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        http = HttpClient({}, is_secure=True, is_local=True)
        with pytest.raises(UnreachableError):
            await http.send_request("GET", f"https://{host}/", {})
        await http.close_connections()
        with pytest.raises(UnreachableError):
            await open_websocket(f"wss://{host}/", Pinging("ping", 30, 75))
    assert asked == ["http", "websocket"]


async def test_a_host_whose_name_nobody_resolves_is_said_to_be_out_of_reach(monkeypatch) -> None:
    async def offline(*_args: object, **_more: object) -> None:
        raise httpx.ConnectError("[Errno -3] Temporary failure in name resolution")

    monkeypatch.setattr(httpx.AsyncHTTPTransport, "handle_async_request", offline)
    client = HttpClient({}, is_secure=True, is_local=False)
    with pytest.raises(UnreachableError, match="this machine cannot reach odds"):
        await client.send_request("GET", "https://odds.example.com/", {}, limit_s=5)
    await client.close_connections()
