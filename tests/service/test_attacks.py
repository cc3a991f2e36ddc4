"""What one connection without a key may cost the program that serves (D83)."""

import contextlib
import socket
import sys
import time
from collections.abc import Iterator

import pytest

from tests.kit.served_program import ServedProgram

MEGABYTE = 1024 * 1024
NOT_TAKEN_S = 2
"""A client that sends this fast has to wait; until then nothing more is taken."""
MOST_MB = 16
"""Unbounded, each of these took 80 MB and more."""
_CHUNKED = b"POST /api/odds HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n"

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="resident memory is read from /proc"
)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedProgram]:
    """A server of its own process."""
    running = ServedProgram(tmp_path_factory.mktemp("attacks") / "odds.db")
    yield running
    running.stop()


@pytest.mark.parametrize(
    ("first", "again", "size"),
    [
        (_CHUNKED + b"0\r\n", b"X-Trailer: a\r\n", 16 * MEGABYTE),
        (_CHUNKED + b"0\r\nX: ", b"a" * 1024, 16 * MEGABYTE),
        (_CHUNKED + b"5;x=", b"a" * 1024, 16 * MEGABYTE),
        (b"", b"GET /api/odds HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", 2 * MEGABYTE),
    ],
    ids=["trailers", "one trailer", "extensions", "pipelined"],
)
def test_a_flood_without_a_key_takes_no_memory(
    program: ServedProgram, first: bytes, again: bytes, size: int
) -> None:
    """D83."""
    before = program.resident_mb()
    port = int(program.url.rpartition(":")[2])
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.setblocking(False)
        most = max(program.resident_mb() for _ in _flood(connection, first, again, size))
    assert most - before < MOST_MB


def _flood(connection: socket.socket, first: bytes, again: bytes, size: int) -> Iterator[None]:
    """Send it all, reading what is answered, until it is sent, not taken, or the server ends it."""
    rest = memoryview(first + again * (size // len(again)))
    taken_at = time.monotonic()
    with contextlib.suppress(ConnectionError):
        while rest and time.monotonic() - taken_at < NOT_TAKEN_S:
            with contextlib.suppress(BlockingIOError):
                rest = rest[connection.send(rest[: 256 * 1024]) :]
                taken_at = time.monotonic()
            with contextlib.suppress(BlockingIOError):
                connection.recv(MEGABYTE)
            yield
    yield
