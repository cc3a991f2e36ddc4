"""What this machine does bare, to read absolute figures by: each budget has a peer here.

python benchmarks/machine.py
"""

import asyncio
import statistics
import time
from random import Random

ROWS = 50_000
ROUNDS = 5
ECHOES = 1_000
BEAT_S = 0.01
STALLS_S = 3.0


def sorting_ms() -> float:
    """Return what sorting as many pairs as a full grid has rows takes in plain Python."""
    chance = Random(7)
    pairs = [(chance.random(), str(number)) for number in range(ROWS)]
    taken = []
    for _ in range(ROUNDS):
        began = time.process_time()
        sorted(pairs)
        taken.append((time.process_time() - began) * 1_000)
    return statistics.median(taken)


def stalls_ms(seconds: float = STALLS_S) -> float:
    """Return how late a thread that does nothing but sleep was woken at most."""
    longest, ends = 0.0, time.perf_counter() + seconds
    while (began := time.perf_counter()) < ends:
        time.sleep(BEAT_S)
        longest = max(longest, time.perf_counter() - began - BEAT_S)
    return longest * 1_000


def echo_line() -> str:
    """Return ``echo_ms`` as a line; not within a running loop."""
    p50, p99 = asyncio.run(echo_ms())
    return f"this machine: bare loopback echo p50 {p50:.2f} ms, p99 {p99:.2f} ms"


async def echo_ms() -> tuple[float, float]:
    """Return p50 and p99 of a byte that goes to a socket on the loopback and comes back."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(1):
            writer.write(data)
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    taken = []
    for _ in range(ECHOES):
        began = time.perf_counter()
        writer.write(b"x")
        await reader.readexactly(1)
        taken.append((time.perf_counter() - began) * 1_000)
        await asyncio.sleep(0)
    writer.close()
    await writer.wait_closed()
    server.close()
    await server.wait_closed()
    return statistics.median(taken), sorted(taken)[int(ECHOES * 0.99)]


def main() -> None:
    print(f"sorting {ROWS:,} pairs in Python       {sorting_ms():9.1f} ms")
    print(f"a sleeping thread's longest stall   {stalls_ms():9.1f} ms")
    print(echo_line())


if __name__ == "__main__":
    main()
