"""What one connection without a key costs a server: memory, and the time of a bystander.

    python benchmarks/attack.py [megabytes] [attack ...]

Starts `oddsdesk serve` on a fresh database. A process of its own asks for `/api/sports` twenty
times a second with a key; each attack sends its megabytes as fast as the server takes them.
Resident memory is read from /proc, so this runs on Linux only.
"""

import contextlib
import multiprocessing
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from multiprocessing.queues import SimpleQueue
from multiprocessing.synchronize import Event
from pathlib import Path

import httpx

from oddsdesk.base.clock import system_clock
from oddsdesk.contract.access import Plan
from oddsdesk.store.access import open_access

MEGABYTE = 1024 * 1024
PIECE = 64 * 1024
PACE_S = 0.05
_CHUNKED = b"POST /api/odds HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n"

ATTACKS = {
    "trailers": (_CHUNKED + b"0\r\n", b"X-Trailer: a\r\n"),
    "one trailer": (_CHUNKED + b"0\r\nX: ", b"a"),
    "extensions": (_CHUNKED + b"5;x=", b"a"),
    "tiny chunks": (_CHUNKED, b"1\r\na\r\n"),
    "pipelined": (b"", b"GET /api/odds HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"),
}
"""How each begins, and what it says again and again."""


def resident_mb(pid: int) -> float:
    """Return the resident memory of a process, in MB."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    (line,) = [each for each in lines if each.startswith("VmRSS")]
    return int(line.split()[1]) / 1024


def attack(port: int, name: str, size: int) -> int:
    """Send so many bytes over one connection; return how many were taken before the end."""
    first, again = ATTACKS[name]
    piece = again * (PIECE // len(again))
    sent = 0
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        reading = threading.Thread(target=_read, args=(connection,))
        reading.start()
        with contextlib.suppress(OSError):
            connection.sendall(first)
            while sent < size:
                connection.sendall(piece)
                sent += len(piece)
        with contextlib.suppress(OSError):
            connection.shutdown(socket.SHUT_WR)
        reading.join()
    return sent


def _read(connection: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while connection.recv(PIECE):
            pass


def bystander(url: str, key: str, heard: "SimpleQueue[list[float]]", end: Event) -> None:
    """Ask at a steady pace until the end and tell how long each answer took (s)."""
    took = []
    try:
        with httpx.Client(base_url=url, headers={"X-Api-Key": key}, timeout=60) as http:
            while not end.is_set():
                began = time.monotonic()
                http.get("/api/sports").raise_for_status()
                took.append(time.monotonic() - began)
                time.sleep(max(0.0, PACE_S - took[-1]))
    finally:
        heard.put(took)


@contextmanager
def asking(url: str, key: str) -> Iterator[list[float]]:
    """Let a bystander ask while inside; the list holds its times afterwards."""
    context = multiprocessing.get_context("spawn")
    heard: SimpleQueue[list[float]] = context.SimpleQueue()
    end = context.Event()
    process = context.Process(target=bystander, args=(url, key, heard, end))
    took: list[float] = []
    process.start()
    time.sleep(2)
    try:
        yield took
    finally:
        end.set()
        took += heard.get()
        process.join()


@contextmanager
def served(folder: Path, *options: str) -> Iterator[tuple[str, int, str]]:
    """Run a server on a fresh database; yields its address, process id and a key."""
    database = folder / "odds.db"
    command = [
        sys.executable,
        "-m",
        "oddsdesk",
        "serve",
        "--port",
        "0",
        "--database",
        str(database),
        *options,
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip().removeprefix("listening on ")
        with closing(open_access(database)) as access:
            key = access.keys.create("bystander", Plan.PRO_LIVE, None, system_clock()).secret
        yield url, process.pid, key
        process.terminate()


@contextmanager
def watched(pid: int) -> Iterator[list[float]]:
    """Read the resident memory of a process while inside, fifty times a second."""
    seen, ended = [resident_mb(pid)], threading.Event()

    def watch() -> None:
        while not ended.wait(0.02):
            seen.append(resident_mb(pid))

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        yield seen
    finally:
        ended.set()
        watching.join()


def measured(name: str, size: int) -> str:
    """Return the line of one attack on a server of its own."""
    with (
        tempfile.TemporaryDirectory() as folder,
        served(Path(folder)) as (url, pid, key),
        asking(url, key) as took,
        watched(pid) as seen,
    ):
        taken = attack(int(url.rpartition(":")[2]), name, size)
        time.sleep(1)
    times = sorted(took)
    waits = (times[len(times) // 2], times[len(times) * 99 // 100], times[-1])
    memory = ", ".join(f"{each:.1f}" for each in (seen[0], max(seen), seen[-1]))
    figures = ", ".join(f"{each * 1000:.1f}" for each in waits)
    return f"{name:13} {taken / MEGABYTE:8.1f}  {memory:32}  {figures}"


def main() -> None:
    """Print a line for each attack."""
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 40
    print("attack        taken MB  resident MB before, most, after  bystander ms p50, p99, most")
    for name in sys.argv[2:] or ATTACKS:
        print(measured(name, size * MEGABYTE))


if __name__ == "__main__":
    main()
