"""The desk's odds grid compared with ag-grid and Perspective in headless Chromium, in turns.

All show 50,000 rows sorted by EV while the same prices move as in ``desk_load.py``, twenty times a
second. The pages get each change as a ready row over a WebSocket: they value nothing, compare no
bookmakers, show no matrix and no value bets, and their rows hold no past.

    python benchmarks/peers/compare.py
    python benchmarks/peers/compare.py --changes 2000 --rounds 5 --seconds 30

Needs npm (the packages are installed next to this file) and Chromium (``apt install chromium``).
"""

# ruff: noqa: E402

import argparse
import json
import mimetypes
import os
import queue
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.sync.server import ServerConnection, serve

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent))

from desk_load import BATCHES_A_SECOND, BOOKMAKERS, Offer

from oddsdesk.contract.quotes import Quote

GAMES, ROWS = 100, 50_000
WARM_UP_S = 10.0
LONGEST_WAIT_S = 180.0
PAGES = ("ag-grid", "perspective", "bare")
CHROMIUM = (
    "chromium", "--headless=new", "--disable-gpu", "--window-size=1400,1000", "--no-first-run",
    "--disable-extensions", "--disable-background-networking", "--disable-component-update",
    "--disable-sync",
)  # fmt: skip


@dataclass
class Figures:
    """What a turn measured; shares are of one core, times in milliseconds."""

    taken: float
    share: float
    window_share: float
    stall: float
    frame: float | None = None
    pictures: float | None = None
    load: float = 0.0

    @property
    def taken_a_core(self) -> float:
        return self.taken / self.share


class Feed:
    """The rows of ``desk_load``'s offer, and its moves as changes of rows."""

    def __init__(self) -> None:
        self._offer = Offer(GAMES)
        self._places: dict[tuple[str, ...], int] = {}
        self._odds: list[float] = []
        self._fair: list[float] = []
        self._number = 0

    def rows(self) -> dict[str, list[Any]]:
        """Return all columns; what others' prices say of a selection never moves here."""
        rows = [self._row(quote, name) for quote in self._offer.all() for name in quote.odds]
        return {column: [row[column] for row in rows] for column in rows[0]}

    def _row(self, quote: Quote, name: str) -> dict[str, Any]:
        place, odds = len(self._odds), quote.odds[name]
        self._places[_key(quote, name)] = place
        self._odds.append(odds)
        reference = self._odds[self._places[BOOKMAKERS[0], *_key(quote, name)[1:]]]
        self._fair.append(reference * 1.03)
        return {
            "id": place, "number": 0, "selection": name, "game": quote.match_name,
            "kick_off": quote.match_date, "market": quote.market_type,
            "bookmaker": quote.bookmaker, "odds": odds, "ev": self._ev(place, odds),
            "fair": reference * 1.03, "best": reference * 1.05, "median": reference,
            "spread": 10 / reference, "reference": reference, "books": len(BOOKMAKERS),
            "seen": quote.scraped_at, "competition": quote.competition,
        }  # fmt: skip

    def moved(self, changes: int) -> dict[str, list[Any]]:
        """Return the cells that so many changes of prices make others."""
        cells: dict[str, list[Any]] = {n: [] for n in ("id", "number", "odds", "ev", "seen")}
        for quote in self._offer.moved(changes):
            for name, odds in quote.odds.items():
                place = self._places[_key(quote, name)]
                if odds == self._odds[place]:
                    continue
                self._odds[place] = odds
                self._number += 1
                values = (place, self._number, odds, self._ev(place, odds), quote.scraped_at)
                for column, value in zip(cells.values(), values, strict=True):
                    column.append(value)
        return cells

    def _ev(self, place: int, odds: float) -> float:
        return round((odds / self._fair[place] - 1) * 100, 2)


def _key(quote: Quote, selection: str) -> tuple[str, ...]:
    return quote.bookmaker, quote.match_name, quote.market_type, selection


def processor_s(root: int) -> tuple[float, float]:
    """Return what a process and all below it took, and of that the pages' main threads."""
    parents, whole, pages = {}, {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        pid = int(folder.name)
        with suppress(OSError):  # it ended meanwhile
            stat, of_main = _stat(folder), _stat(folder / "task" / folder.name)
            is_page = b"--type=renderer" in (folder / "cmdline").read_bytes()
            parents[pid], whole[pid] = int(stat[1]), sum(map(int, stat[11:15]))
            pages[pid] = sum(map(int, of_main[11:13])) if is_page else 0
    family = {root}
    while more := {pid for pid, parent in parents.items() if parent in family} - family:
        family |= more
    second = os.sysconf("SC_CLK_TCK")
    return sum(whole[pid] for pid in family) / second, sum(pages[pid] for pid in family) / second


def _stat(folder: Path) -> list[str]:
    return (folder / "stat").read_text().rpartition(")")[2].split()


def sent_file(connection: ServerConnection, request: Request) -> Response | None:
    """Answer with a file of this folder, unless the page asks for its changes."""
    if request.path == "/changes":
        return None
    file = (HERE / urlsplit(request.path).path.lstrip("/")).resolve()
    if not file.is_relative_to(HERE.resolve()) or not file.is_file():
        return connection.respond(404, "no such file\n")
    body = file.read_bytes()
    kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    headers = Headers({"Content-Type": kind, "Content-Length": str(len(body))})
    return Response(200, "OK", headers, body)


@contextmanager
def chromium(url: str) -> Iterator[int]:
    """Have Chromium show a page, in a profile of its own, until the block ends."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [*CHROMIUM, f"--user-data-dir={profile}", url]
        if os.getuid() == 0:  # or it would put itself before all other programs
            command = ["setpriv", "--bounding-set", "-sys_nice", *command, "--no-sandbox"]
        with subprocess.Popen(command, stderr=subprocess.DEVNULL) as browser:
            try:
                yield browser.pid
            finally:
                browser.terminate()


def heard(socket: ServerConnection, until: float) -> Iterator[Any]:
    """Yield what the page says until a moment of the monotonic clock, at least what it has said."""
    while True:
        try:
            yield json.loads(socket.recv(max(0.0, until - time.monotonic())))
        except TimeoutError:
            return


def feed_page(socket: ServerConnection, changes: int, seconds: float, said: queue.Queue) -> None:
    """Give a page its rows, then changes until it has told what it took."""
    feed = Feed()
    socket.send(json.dumps(feed.rows()))
    said.put(json.loads(socket.recv(LONGEST_WAIT_S)))
    due = time.monotonic()
    measured_from = due + WARM_UP_S
    while True:
        socket.send(json.dumps(feed.moved(changes // BATCHES_A_SECOND)))
        if due >= measured_from:
            socket.send(f"measure {seconds}")
            measured_from = float("inf")
        due += 1 / BATCHES_A_SECOND
        for word in heard(socket, until=due):
            said.put(word)
            if word != "began":
                return


def of_page(name: str, changes: int, seconds: float) -> Figures:
    """Return what Chromium makes of a page's changes."""
    said: queue.Queue[Any] = queue.Queue()

    def feed(socket: ServerConnection) -> None:
        try:
            feed_page(socket, changes, seconds, said)
        except ConnectionClosed as error:
            said.put({"error": str(error)})

    plain = {"compression": None, "ping_interval": None}
    with serve(feed, "127.0.0.1", 0, process_request=sent_file, **plain) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        port = server.socket.getsockname()[1]
        with chromium(f"http://127.0.0.1:{port}/{name}.html") as browser:
            for word in ("ready", "began"):
                if (answer := said.get(timeout=LONGEST_WAIT_S)) != word:
                    raise SystemExit(f"{name}: {answer}")
            began, cpu, window = time.monotonic(), *processor_s(browser)
            told = said.get(timeout=seconds + LONGEST_WAIT_S)
            took = time.monotonic() - began
            cpu_after, window_after = processor_s(browser)
        server.shutdown()
    if "error" in told:
        raise SystemExit(f"{name}: {told['error']}")
    shares = {"share": (cpu_after - cpu) / took, "window_share": (window_after - window) / took}
    return Figures(load=os.getloadavg()[0], **shares, **told)


def of_desk(changes: int, seconds: float) -> Figures:
    """Return what ``desk_load.py`` says; its server is a process of its own."""
    command = [
        sys.executable, str(HERE.parent / "desk_load.py"), "--server", "apart",
        "--changes", str(changes), "--seconds", str(seconds),
    ]  # fmt: skip
    with tempfile.TemporaryFile("w+") as output:
        desk = subprocess.Popen(command, stdout=output, start_new_session=True)
        try:
            desk.wait(seconds + 2 * LONGEST_WAIT_S)
        finally:  # a desk that ends late leaves its server and its screen behind
            with suppress(ProcessLookupError):
                os.killpg(desk.pid, signal.SIGTERM)
        output.seek(0)
        said = output.read()

    def figure(label: str) -> float:
        found = re.search(rf"^{label}\s+([\d,.]+)", said, re.MULTILINE)
        if found is None:
            raise SystemExit(f"desk_load.py said nothing of {label}:\n{said}")
        return float(found[1].replace(",", ""))

    if (rows := figure("rows in the grid")) < 0.99 * ROWS:
        print(f"the desk's grid had {rows:,.0f} rows: the machine is too busy", file=sys.stderr)
    return Figures(
        taken=figure("messages received a second"),
        share=figure("whole process") / 100,
        window_share=figure("window's thread, share of a core") / 100,
        stall=figure("longest stalls"),
        load=os.getloadavg()[0],
    )


def line(name: str, turns: list[Figures]) -> str:
    """Return a row of the table: the median of each figure."""

    def middle(column: str, form: str) -> str:
        values = [value for turn in turns if (value := getattr(turn, column)) is not None]
        return format(statistics.median(values), form) if values else ""

    columns = {
        "taken": ",.0f", "share": ".0%", "window_share": ".0%", "taken_a_core": ",.0f",
        "stall": ".0f", "frame": ".0f", "pictures": ".0f", "load": ".1f",
    }  # fmt: skip
    cells = [middle(column, form) for column, form in columns.items()]
    return f"| {' | '.join([name, *cells])} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--changes", type=int, nargs="+", default=[2_000, 10_000])
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60.0)
    given = parser.parse_args()
    if not (HERE / "node_modules").exists():
        quiet = ("--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts")
        subprocess.run(["npm", "install", *quiet], cwd=HERE, check=True)
    for changes in given.changes:
        turns: dict[str, list[Figures]] = {name: [] for name in ("desk", *PAGES)}
        for name in list(turns) * given.rounds:
            measured = partial(of_page, name) if name in PAGES else of_desk
            turns[name].append(measured(changes, given.seconds))
            print(f"{changes:,}/s: {line(name, turns[name][-1:])}", file=sys.stderr)
        titles = ("taken", "of a core", "its window's thread", "taken a core", "longest stall, ms")
        titles += ("longest frame, ms", "pictures a second", "load")
        print(f"\n| {' | '.join((f'{changes:,} changes a second', *titles))} |")
        print("| --- |" + " ---: |" * 8)
        for name, of_turns in turns.items():
            print(line(name, of_turns), flush=True)


if __name__ == "__main__":
    main()
