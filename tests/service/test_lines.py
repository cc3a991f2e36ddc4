"""Lines of text over a connection: what comes, and every way in which nothing does."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from oddsdesk.feeds.betfair import live
from oddsdesk.feeds.betfair.live import Lines, open_lines
from oddsdesk.network import ClosedError, UnreachableError, UnusableAnswerError

Play = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@pytest.fixture
async def connect() -> AsyncIterator[Callable[[Play], Awaitable[Lines]]]:
    servers: list[asyncio.Server] = []

    async def start(play: Play) -> Lines:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await play(reader, writer)
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        servers.append(server)
        return await open_lines("127.0.0.1", server.sockets[0].getsockname()[1])

    yield start
    for server in servers:
        server.close()


async def test_lines_come_whole_however_they_are_sent(connect) -> None:
    async def play(reader, writer) -> None:
        asked = await reader.readuntil(b"\r\n")
        for piece in (b'{"a"', b": 1}\r\n{}", b"\r", b"\n", asked):
            writer.write(piece)
            await writer.drain()

    async with await connect(play) as connection:
        await connection.send_line("ask")
        found = [await connection.receive(5) for _ in range(3)]
    assert found == [b'{"a": 1}', b"{}", b"ask"]


async def test_an_end_is_told(connect) -> None:
    async def play(reader, writer) -> None:
        writer.write(b"half a line")

    async with await connect(play) as connection:
        with pytest.raises(ClosedError):
            await connection.receive(5)


async def test_silence_is_told(connect) -> None:
    async def play(reader, writer) -> None:
        await reader.read()

    async with await connect(play) as connection:
        with pytest.raises(
            UnreachableError, match=r"127\.0\.0\.1:\d+ has been silent for too long"
        ):
            await connection.receive(0.05)


async def test_a_line_without_end_is_given_up(connect, monkeypatch) -> None:
    monkeypatch.setattr(live, "LARGEST", 1024)

    async def play(reader, writer) -> None:
        writer.write(b"x" * 4096)
        await reader.read()

    async with await connect(play) as connection:
        with pytest.raises(UnusableAnswerError, match="without end"):
            await connection.receive(5)


async def test_where_nobody_answers_it_is_told() -> None:
    server = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    server.close()
    await server.wait_closed()
    with pytest.raises(UnreachableError, match="does not answer"):
        await open_lines("127.0.0.1", port)
