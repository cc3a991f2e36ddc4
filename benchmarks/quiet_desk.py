"""The desk while nothing happens: the share of a core that it takes, shown and out of sight.

Runs the real desk, its server inside, on a virtual screen. Some 36,000 prices are imported just
before, as if all were seen now, and nothing is recorded any more. Games that would kick off soon
are left out. The measurement begins some three minutes later, when all prices are stale, and ends
before they are ten minutes old, after which a service no longer lists them. So only ages change.
All prices are read again after some 210 and 420 s, between what is measured.

One view after the other: the window as it opens (a game's matrix, value bets), the odds grid in
front, the window hidden. Prints the processor time of the window's thread, of all
others, and of a thread that only wakes ten times a second; ``--threads`` prints each thread's.

    python benchmarks/quiet_desk.py

Real odds are those of ``../shared/data/the-odds-api``; where these are missing, made-up ones.
"""

# ruff: noqa: E402

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QTimer

from oddsdesk.desk.shell.display import restore_import

restore_import()  # as the program does, before the rest is imported

from desk_load import fill, virtual_screen

import oddsdesk.desk.shell.app as desk_app
from oddsdesk.desk.connections.profiles import EmbeddedProfile
from oddsdesk.desk.shell.assembly import Desk

SETTLE_S, SETTLE_VIEW_S = 206, 9  # between two readings of all prices
BARE_S = 0.1
SHOWN, HIDDEN = 0.01, 0.003
REAL = Path(__file__).parents[2] / "shared/data/the-odds-api"
KICK_OFFS_LEFT_OUT = "2026-04-16T18:55", "2026-04-16T20:00"
"""Of games that kick off while the desk is measured; the odds are of 19:00."""
MADE_UP_GAMES = 73
"""Of 500 prices each."""


def taken_s() -> dict[int, float]:
    """Return by thread the processor seconds that it took until now."""
    tasks = Path("/proc/self/task").iterdir()
    return {
        int(each.name): int((each / "schedstat").read_text().split()[0]) / 1e9 for each in tasks
    }


def wake_now_and_then() -> None:
    """Do nothing, ten times a second."""
    while True:
        time.sleep(BARE_S)


def thread_name(ident: int) -> str:
    """Return the name of a thread, Python's or another."""
    named = {each.native_id: each.name for each in threading.enumerate()}
    return named.get(ident) or Path(f"/proc/self/task/{ident}/comm").read_text().strip()


class Measured(Desk):
    """The desk, measured in one view after the other."""

    seconds = 60.0
    tells_threads = False

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._views: list[tuple[str, float, Callable[[], object]]] = [
            ("as it opens", SHOWN, lambda: None),
            ("odds grid", SHOWN, lambda: self.window.tabs.setCurrentWidget(self.grid())),
            ("hidden", HIDDEN, self.window.hide),
        ]
        self._bare = threading.Thread(target=wake_now_and_then, name="bare", daemon=True)
        self._bare.start()
        QTimer.singleShot(SETTLE_S * 1000, self._show_next)

    def _show_next(self) -> None:
        if not self._views:
            self.window.show()
            self.window.close()
            return
        name, limit, show = self._views.pop(0)
        show()
        QTimer.singleShot(SETTLE_VIEW_S * 1000, lambda: self._measure(name, limit))

    def _measure(self, name: str, limit: float) -> None:
        before, began = taken_s(), time.perf_counter()

        def end() -> None:
            took_s = time.perf_counter() - began
            shares = {each: (s - before.get(each, 0)) / took_s for each, s in taken_s().items()}
            bare = shares.pop(self._bare.native_id or 0)
            whole, window = sum(shares.values()), shares[os.getpid()]
            print(
                f"{name:12}{whole:7.2%} of a core (<= {limit:.1%}): "
                f"window's thread {window:.2%}, others {whole - window:.2%}; bare {bare:.2%}",
                flush=True,
            )
            for each in sorted(shares, key=lambda each: -shares[each]):
                if self.tells_threads and shares[each] > 0:
                    print(f"    {thread_name(each):24}{shares[each]:8.3%}", flush=True)
            self._show_next()

        QTimer.singleShot(round(self.seconds * 1000), end)


def make_database(database: Path) -> str:
    """Fill a database with prices as of now; return how many there are."""
    files = sorted(REAL.glob("*.json.gz"))
    if not files:
        fill(database, MADE_UP_GAMES)
        return f"{MADE_UP_GAMES * 500:,} made-up prices"
    first, last = KICK_OFFS_LEFT_OUT
    events = [event for file in files for event in json.loads(gzip.decompress(file.read_bytes()))]
    kept = [event for event in events if not first <= event["commence_time"] <= last]
    books = [book for event in kept for book in event["bookmakers"]]
    told = [part for book in books for part in (book, *book["markets"]) if "last_update" in part]
    newest = max(part["last_update"] for part in told)
    for part in told:  # else the oldest are ten minutes old before the end
        part["last_update"] = newest
    file = database.with_name("events.json")
    file.write_text(json.dumps(kept), encoding="utf-8")
    command = [sys.executable, "-m", "oddsdesk", "import", "the-odds-api", str(file)]
    command += ["--shift-to-now", "--database", str(database)]
    done = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return done.splitlines()[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long a view is measured")
    parser.add_argument("--threads", action="store_true", help="tell the share of each thread")
    given = parser.parse_args()
    Measured.seconds, Measured.tells_threads = given.seconds, given.threads
    desk_app.Desk = Measured  # type: ignore[misc, attr-defined]
    with tempfile.TemporaryDirectory() as folder, virtual_screen():
        os.environ |= {"XDG_DATA_HOME": folder, "XDG_CONFIG_HOME": folder}
        database = Path(folder, "odds.db")
        print(make_database(database), flush=True)
        profile = EmbeddedProfile(database=str(database), feeds=("none",), reference="Pinnacle")
        desk_app.run_desk(desk_app.Start(profile))
        print(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
