"""A connection whose other end fell silent is given up; one that speaks is not."""

import asyncio

import pytest
from websockets.asyncio.client import connect
from websockets.asyncio.server import ServerConnection, serve

from oddsdesk.network.errors import ClosedError, UnreachableError
from oddsdesk.network.websocket import Pinging, WebSocket, open_websocket

SILENCE_S = 0.3
LIMIT_S = 10


async def test_a_silent_end_is_offline_after_its_time_and_speech_puts_that_off():
    async def speak_a_while(connection: ServerConnection) -> None:
        for _ in range(6):
            await asyncio.sleep(SILENCE_S / 3)
            await connection.send("pong")
        await connection.wait_closed()

    async with serve(speak_a_while, "127.0.0.1", 0) as server, asyncio.timeout(LIMIT_S):
        port = server.sockets[0].getsockname()[1]
        opened = await connect(f"ws://127.0.0.1:{port}", ping_interval=None)
        async with WebSocket(opened, "the service", Pinging("ping", LIMIT_S, SILENCE_S)) as socket:
            assert [await socket.receive() for _ in range(6)] == [b"pong"] * 6
            with pytest.raises(UnreachableError, match="nothing was heard from the service"):
                await socket.receive()


PINGING = Pinging("ping", LIMIT_S, LIMIT_S)


async def test_a_flood_of_empty_frames_leaves_the_loop_to_others_and_none_is_lost() -> None:
    """D85: 130,000 frames came with one read and held the window for seconds."""
    frames, turns = 60_000, 0

    async def flood(connection: ServerConnection) -> None:
        connection.transport.write(b"\x81\x00" * frames + b"\x81\x03end")
        await connection.close(4008)

    async def count() -> None:
        nonlocal turns
        while True:
            await asyncio.sleep(0)
            turns += 1

    async with serve(flood, "127.0.0.1", 0, compression=None) as server:
        address = f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        async with asyncio.timeout(60), await open_websocket(address, PINGING) as socket:
            counting = asyncio.get_running_loop().create_task(count())
            heard = [await socket.receive() for _ in range(frames + 1)]
            counting.cancel()
            with pytest.raises(ClosedError) as caught:
                await socket.receive()
    assert heard == [b""] * frames + [b"end"]
    assert caught.value.code == 4008
    assert turns > 20


@pytest.mark.parametrize("frame", [b"\x89\x00", b"\x8a\x00"], ids=["pings", "pongs"])
async def test_a_flood_of_pings_ends_the_connection_and_is_named(frame: bytes) -> None:
    async def flood(connection: ServerConnection) -> None:
        connection.transport.write(frame * 50_000)
        await connection.wait_closed()

    async with serve(flood, "127.0.0.1", 0) as server:
        address = f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        async with asyncio.timeout(60), await open_websocket(address, PINGING) as socket:
            with pytest.raises(UnreachableError, match="floods the stream with pings"):
                await socket.receive()
