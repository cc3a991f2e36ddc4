"""A connection whose other end fell silent is given up; one that speaks is not."""

import asyncio
import time
from collections.abc import Callable
from itertools import count
from types import SimpleNamespace
from typing import Any

import pytest
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.protocol import State

from oddsdesk.base.tasks import SLICE_S, spawn
from oddsdesk.network import ClosedError, UnreachableError, websocket
from oddsdesk.network.websocket import Pinging, open_websocket

SILENCE_S = 0.3
LIMIT_S = 10


def address_of(server: Server) -> str:
    return f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def test_a_silent_end_is_offline_after_its_time_and_speech_puts_that_off():
    async def speak_a_while(connection: ServerConnection) -> None:
        for _ in range(6):
            await asyncio.sleep(SILENCE_S / 3)
            await connection.send("pong")
        await connection.wait_closed()

    async with serve(speak_a_while, "127.0.0.1", 0) as server, asyncio.timeout(LIMIT_S):
        address = address_of(server)
        async with await open_websocket(address, Pinging("ping", LIMIT_S, SILENCE_S)) as socket:
            assert [await socket.receive() for _ in range(6)] == [b"pong"] * 6
            with pytest.raises(UnreachableError, match="is silent"):
                await socket.receive()


async def test_who_was_too_busy_to_listen_takes_nobody_for_silent() -> None:
    async def speak_late(connection: ServerConnection) -> None:
        await connection.recv()
        await connection.send("pong")
        await connection.wait_closed()

    async with serve(speak_late, "127.0.0.1", 0) as server, asyncio.timeout(LIMIT_S):
        address = address_of(server)
        async with await open_websocket(address, Pinging("ping", LIMIT_S, SILENCE_S)) as socket:
            await socket.send_text("say something")
            time.sleep(SILENCE_S * 2)  # the window does something else
            assert await socket.receive() == b"pong"


async def test_who_says_more_than_is_taken_is_not_silent() -> None:
    async def speak(connection: ServerConnection) -> None:
        await connection.send("first")
        await connection.send("second")
        await connection.wait_closed()

    async with serve(speak, "127.0.0.1", 0) as server, asyncio.timeout(LIMIT_S):
        address = address_of(server)
        async with await open_websocket(address, Pinging("ping", LIMIT_S, SILENCE_S)) as socket:
            await asyncio.sleep(SILENCE_S * 2)  # what came is worked on
            heard = await socket.receive_all()
            assert heard[:1] == [b"first"]
            await socket.send_text("it is still open")


PINGING = Pinging("ping", LIMIT_S, LIMIT_S)


async def test_a_flood_of_empty_frames_leaves_the_loop_to_others_and_none_is_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """D85: 130,000 frames came with one read and held the window for seconds."""
    frames, turns = 60_000, 0
    readings = count()
    slow = SimpleNamespace(  # a slice's time goes by with every second reading of the clock
        perf_counter=lambda: next(readings) * SLICE_S * 0.6, monotonic=time.monotonic
    )
    monkeypatch.setattr(websocket, "time", slow)

    async def flood(connection: ServerConnection) -> None:
        await connection.recv()
        connection.transport.write(b"\x81\x00" * frames + b"\x81\x03end")
        await connection.close(4008)

    async def take_turns() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    async with serve(flood, "127.0.0.1", 0, compression=None) as server:
        address = address_of(server)
        async with asyncio.timeout(60), await open_websocket(address, PINGING) as socket:
            counting = asyncio.get_running_loop().create_task(take_turns())
            await socket.send_text("begin")
            heard = at_first = await socket.receive_all()
            while len(heard) <= frames:
                heard = heard + await socket.receive_all()
            counting.cancel()
            with pytest.raises(ClosedError) as caught:
                await socket.receive()
    assert heard == [b""] * frames + [b"end"]
    assert len(at_first) < frames / 4
    assert caught.value.code == 4008
    assert turns > 20


@pytest.mark.parametrize("frame", [b"\x89\x00", b"\x8a\x00"], ids=["pings", "pongs"])
async def test_a_flood_of_pings_ends_the_connection_and_is_named(frame: bytes) -> None:
    async def flood(connection: ServerConnection) -> None:
        connection.transport.write(frame * 50_000)
        await connection.wait_closed()

    async with serve(flood, "127.0.0.1", 0) as server:
        address = address_of(server)
        async with asyncio.timeout(60), await open_websocket(address, PINGING) as socket:
            with pytest.raises(UnreachableError, match="floods the stream with pings"):
                await socket.receive()


@pytest.mark.parametrize("compression", [None, "deflate"])
@pytest.mark.parametrize("piece", [1, 7, 100_000])
async def test_messages_of_every_form_come_whole_and_in_order(
    compression: str | None, piece: int
) -> None:
    long, longest = b"l" * 40_000, b"x" * 70_000
    said = [b"", b"a" * 125, b"b" * 126, long, longest, "é€".encode()]

    async def speak(connection: ServerConnection) -> None:
        write, written = connection.transport.write, bytearray()
        connection.transport.write = written.extend  # type: ignore[method-assign]
        await connection.send("hello")
        await connection.send([b"in ", b"three ", b"frames"])
        await connection.ping()
        for each in said:
            await connection.send(each, text=True)
        connection.transport.write = write  # type: ignore[method-assign]
        for at in range(0, len(written), piece):
            write(bytes(written[at : at + piece]))
            if at % 64 == 0:
                await asyncio.sleep(0)
        await connection.close(4001)

    async with (
        serve(speak, "127.0.0.1", 0, compression=compression) as server,
        asyncio.timeout(60),
        await open_websocket(address_of(server), PINGING) as socket,
    ):
        heard: list[bytes] = []
        while len(heard) < 2 + len(said):
            heard += await socket.receive_all()
        with pytest.raises(ClosedError) as caught:
            await socket.receive()
    assert heard == [b"hello", b"in three frames", *said]
    assert caught.value.code == 4001


@pytest.mark.parametrize(
    "frame",
    [
        b"\x81\x81\x00\x00\x00\x00x",
        b"\x81\x7f\x00\x00\x00\x7f\xff\xff\xff\xff" + b"x" * 9_000,
        b"\x80\x01x",
        b"\x83\x01x",
        b"\xc1\x01x",
    ],
    ids=["masked", "far too large", "goes on from none", "of no known kind", "packed, unasked"],
)
async def test_a_frame_against_the_rules_ends_the_connection_after_those_before_it(
    frame: bytes,
) -> None:
    async def speak(connection: ServerConnection) -> None:
        connection.transport.write(b"\x81\x03end" + frame)
        await connection.wait_closed()

    async with (
        serve(speak, "127.0.0.1", 0, compression=None) as server,
        asyncio.timeout(60),
        await open_websocket(address_of(server), PINGING) as socket,
    ):
        assert await socket.receive() == b"end"
        with pytest.raises(ClosedError):
            await socket.receive()


async def test_a_connection_that_rests_reads_what_came_meanwhile_together(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def speak(connection: ServerConnection) -> None:
        await connection.send("first")
        await rests.wait()
        for number in range(20):
            await connection.send(f"{number}")
        all_said.set()
        await connection.wait_closed()

    rests, all_said = asyncio.Event(), asyncio.Event()
    async with (
        serve(speak, "127.0.0.1", 0, compression=None) as server,
        asyncio.timeout(60),
        await open_websocket(address_of(server), PINGING) as socket,
    ):
        assert await socket.receive() == b"first"
        ends = list[Callable[[], None]]()
        with monkeypatch.context() as patched:
            loop = asyncio.get_running_loop()
            patched.setattr(loop, "call_later", lambda _seconds, end: ends.append(end))
            socket.rest(60)
        rests.set()
        await all_said.wait()
        assert not socket.has_more
        [end] = ends
        end()
        while not socket.has_more:
            await asyncio.sleep(0)
        heard = await socket.receive_all()
    assert [int(each) for each in heard] == list(range(20))


async def test_a_flood_of_pings_that_ends_by_itself_is_named_too() -> None:
    async def flood(connection: ServerConnection) -> None:
        connection.transport.write(b"\x89\x00" * 3_000)
        connection.transport.abort()

    async with (
        serve(flood, "127.0.0.1", 0) as server,
        asyncio.timeout(60),
        await open_websocket(address_of(server), PINGING) as socket,
    ):
        with pytest.raises((UnreachableError, ClosedError)):
            await socket.receive()


async def test_cancelled_while_closing_it_leaves_no_connection_open() -> None:
    """The other side neither answers the close nor disconnects."""

    async def be_deaf(connection: ServerConnection) -> None:
        connection.transport.pause_reading()
        await connection.send("first")
        await is_over.wait()

    async def listen() -> None:
        async with await open_websocket(address_of(server), PINGING) as socket:
            connections.append(socket._connection)
            await socket.receive()
            is_heard.set()
            await socket.receive()

    is_heard, is_over, connections = asyncio.Event(), asyncio.Event(), list[Any]()
    async with serve(be_deaf, "127.0.0.1", 0) as server, asyncio.timeout(LIMIT_S):
        listening = spawn("listening", listen())
        await is_heard.wait()
        (connection,) = connections
        listening.cancel()
        while connection.protocol.state is State.OPEN:
            await asyncio.sleep(0)
        listening.cancel()
        await asyncio.wait([listening])
        is_closing = connection.transport.is_closing()
        is_over.set()
        connection.transport.abort()
    assert is_closing
