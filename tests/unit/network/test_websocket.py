"""A connection whose other end fell silent is given up; one that speaks is not."""

import asyncio

import pytest
from websockets.asyncio.client import connect
from websockets.asyncio.server import ServerConnection, serve

from oddsdesk.network.errors import UnreachableError
from oddsdesk.network.websocket import Pinging, WebSocket

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
