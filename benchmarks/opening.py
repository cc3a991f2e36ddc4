"""How soon the odds grid shows rows, and all of 100,000 prices, of a server inside the desk.

Runs the real desk on a virtual screen and goes to the grid as Ctrl+G does: once while the prices
are still to be read, as soon as the window shows its first ones, and once when the desk has read
them all. Prints the seconds until rows are painted, until all are in their places, and the longest
stall of the window's thread meanwhile; next to them the same of a program that does nothing but
read the same pages from such a server and put them into a stock table.

    python benchmarks/opening.py
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import msgspec
from desk_load import BEAT_MS, BOOKMAKERS, fill, virtual_screen
from grid import PlainModel
from machine import stalls_ms
from PySide6.QtCore import QModelIndex, Qt, QTimer
from PySide6.QtWidgets import QApplication, QTableView

import oddsdesk.desk.shell.app as desk_app
from oddsdesk.contract.resources import Answer, OddsRow
from oddsdesk.desk.connections.profiles import EmbeddedProfile
from oddsdesk.desk.shell.assembly import Desk
from oddsdesk.desk.shell.commands import show_tab
from oddsdesk.desk.ui.table.live_pane import LivePane
from oddsdesk.server.run.embedded import EmbeddedServer
from oddsdesk.server.settings import Settings

GAMES, ROWS = 200, 100_000
FIRST_S, ALL_S, STALL_MS = 0.5, 5.0, 33
LIMIT_S = 120
EARLY, LATE = "early", "late"
PAGE = 500


class Stalls:
    """How late a timer of the window's thread comes at most."""

    def __init__(self) -> None:
        self._gaps: list[float] = []
        self._heart = QTimer(interval=BEAT_MS, timerType=Qt.TimerType.PreciseTimer)
        self._heart.timeout.connect(self._beat)

    def begin(self) -> None:
        self._last = time.perf_counter()
        self._heart.start()

    def longest(self) -> list[float]:
        """Return the five longest, in milliseconds."""
        return sorted((gap * 1_000 - BEAT_MS for gap in self._gaps), reverse=True)[:5]

    def _beat(self) -> None:
        now = time.perf_counter()
        self._gaps.append(now - self._last)
        self._last = now


class Opening(Desk):
    """The desk that goes to its grid once and tells how long that took."""

    waits_for_all = False

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._stalls = Stalls()
        self._began = self._first = 0.0
        self._looks = QTimer(self.window, interval=BEAT_MS, timerType=Qt.TimerType.PreciseTimer)
        self._looks.timeout.connect(self._look)
        watch_paints(self._painted)
        QTimer.singleShot(LIMIT_S * 1_000, self._give_up)
        if self.waits_for_all:
            self._looks.start()
        else:
            self.first_paint.painted.connect(self._open)

    def _open(self) -> None:
        self._stalls.begin()
        self._began = time.perf_counter()
        self._cpu = time.thread_time()
        show_tab(self.window, self.grid())
        self._looks.start()

    def _look(self) -> None:
        if not self._began:
            # The first pass is over, and what it set in motion.
            if self._board.snapshot_progress.finished_at is not None:
                self._looks.stop()
                QTimer.singleShot(3_000, self._open)
            return
        model = self.grid().model
        if model.kept_count == ROWS and not model.is_behind and not model.misplaced:
            self._end()

    def _painted(self, model: object) -> None:
        if self._began and not self._first and model is self.grid().model and model.rowCount():
            self._first = time.perf_counter() - self._began

    def _end(self) -> None:
        took = time.perf_counter() - self._began
        stalls = " ".join(f"{stall:.0f}" for stall in self._stalls.longest())
        worked = time.thread_time() - self._cpu
        print(f"{self._first:.3f} {took:.3f} {worked:.3f} {stalls}", flush=True)
        self._looks.stop()
        self.window.close()

    def _give_up(self) -> None:
        model = self.grid().model
        print(
            f"NO MEASUREMENT: {model.kept_count} of {model.total} rows, {model.misplaced} misplaced"
        )
        self.window.close()


def watch_paints(told: Callable[[object], None]) -> None:
    """Have it told which model a table painted."""
    paint = LivePane.paintEvent

    def painted(self: LivePane, event: Any) -> None:
        paint(self, event)
        told(self.model())

    LivePane.paintEvent = painted  # type: ignore[method-assign]


def open_grid(database: Path, when: str) -> None:
    """Run the desk until its grid holds all prices, and print how long that took."""
    folder = str(database.parent / when)
    os.environ |= {"XDG_DATA_HOME": folder, "XDG_CONFIG_HOME": folder}
    Opening.waits_for_all = when == LATE
    desk_app.Desk = Opening  # type: ignore[misc, attr-defined]
    own = EmbeddedProfile(database=str(database), feeds=("none",), reference=BOOKMAKERS[0])
    desk_app.run_desk(desk_app.Start(own))


class Filled(PlainModel):
    """A stock table's rows, which come in as they are read."""

    def add(self, cells: list[list[Any]]) -> None:
        first = self.rowCount()
        self.beginInsertRows(QModelIndex(), first, first + len(cells) - 1)
        self._cells += cells
        self.endInsertRows()


def fill_stock_table(database: Path) -> None:
    """Print how long it takes to read the same pages and show them as they are."""
    app = QApplication([])
    server = EmbeddedServer(Settings(database, port=0, feeds=("none",), reference=BOOKMAKERS[0]))
    url = server.start_server()
    model, view = Filled([]), QTableView()
    view.setModel(model)
    view.resize(1_680, 900)
    view.show()
    app.processEvents()
    decode = msgspec.json.Decoder(Answer[list[OddsRow]]).decode
    began, first, cursor = time.perf_counter(), 0.0, None
    with httpx.Client(base_url=url, headers={"X-Api-Key": server.key}) as http:
        while True:
            asked = {"limit": PAGE} | ({"cursor": cursor} if cursor else {})
            page = decode(http.get("/api/odds", params=asked).content)
            model.add([
                [name, row.match_name, row.market_type, row.bookmaker, odds, None, None]
                for row in page.data
                for name, odds in row.odds.items()
            ])  # fmt: skip
            app.processEvents()
            first = first or time.perf_counter() - began
            cursor = page.meta.next_cursor
            if cursor is msgspec.UNSET:
                break
    print(f"{first:.3f} {time.perf_counter() - began:.3f}", flush=True)
    assert model.rowCount() == ROWS
    server.stop_server()


def asked_of(what: str, database: Path) -> list[float]:
    """Return what a new process printed; each starts Qt and the server again."""
    command = [sys.executable, __file__, "--run", what, "--database", str(database)]
    said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    try:
        return [float(word) for word in said.splitlines()[-1].split()]
    except (IndexError, ValueError):
        raise SystemExit(said or f"{what}: nothing was measured") from None


def measure(folder: str) -> int:
    database = Path(folder, "odds.db")
    print(f"load {os.getloadavg()[0]:.1f}; a sleeping thread's longest stall {stalls_ms():.0f} ms")
    is_kept = True
    for when, said in ((EARLY, "while they are read"), (LATE, "of prices that were read")):
        # Prices of more than ten minutes ago are no part of an answer: each run has fresh ones.
        asked_of("fill", database)
        first, whole, worked, *stalls = asked_of(when, database)
        is_kept &= first <= FIRST_S and whole <= ALL_S and stalls[0] <= STALL_MS
        longest = " ".join(f"{stall:.0f}" for stall in stalls)
        print(f"first rows, {said:24} {first:7.2f} s   (<= {FIRST_S})")
        print(f"all {ROWS:,} in their places         {whole:7.2f} s   (<= {ALL_S})")
        print(f"work of the window's thread          {worked:7.2f} s")
        print(f"longest stalls                       {longest} ms   (<= {STALL_MS})")
    first, whole = asked_of("stock", database)
    print(f"stock table, bare reading: first     {first:7.2f} s")
    print(f"all of them, in no order             {whole:7.2f} s")
    return 0 if is_kept else 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", help=argparse.SUPPRESS)
    parser.add_argument("--database", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.run == "fill":
        given.database.unlink(missing_ok=True)
        fill(given.database, GAMES)
        print(0)
    elif given.run == "stock":
        fill_stock_table(given.database)
    elif given.run is not None:
        open_grid(given.database, given.run)
    else:
        with tempfile.TemporaryDirectory() as folder, virtual_screen():
            return measure(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
