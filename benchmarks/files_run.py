"""Which files of oddsdesk run for one `/api/odds`, and for one price from `record` to its cell.

Each is done several times, in all threads of a real server and, for the price, of a real desk
that shows the game; a file counts that runs every time, so that other jobs do not.

    python benchmarks/files_run.py request|price
"""

import os
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Coroutine
from contextlib import closing
from pathlib import Path
from types import FrameType
from typing import Any

import oddsdesk
from oddsdesk.base.clock import system_clock
from oddsdesk.contract.quotes import Quote
from oddsdesk.server.run.embedded import EmbeddedServer
from oddsdesk.server.run.runner import Server
from oddsdesk.server.settings import Settings
from oddsdesk.store.store import Store, open_store

ROUNDS = 5
PAUSE_S, OPENING_S, LIMIT_S = 1.0, 15.0, 10.0
BOOKMAKERS = ("Pinnacle", *(f"Bookmaker {number}" for number in range(1, 10)))
PACKAGE = Path(oddsdesk.__file__).parent


class Trace:
    """Notes whose functions run, in this thread and in those begun after it was made."""

    def __init__(self) -> None:
        self._files: set[str] | None = None
        threading.setprofile(self._note)
        sys.setprofile(self._note)

    def _note(self, frame: FrameType, event: str, _: Any) -> None:
        if self._files is not None and event == "call":
            self._files.add(frame.f_code.co_filename)

    def begin(self) -> None:
        """Forget what ran before."""
        self._files = set()

    def end(self) -> set[str]:
        """Return the files that ran since it began."""
        files, self._files = self._files or set(), None
        return {name for name in files if name.startswith(str(PACKAGE))}


def moneyline(game: int, bookmaker: str, odds: float) -> Quote:
    """Return what a bookmaker offers now of one of some games."""
    home, away, now = f"Home {game}", f"Away {game}", system_clock()
    prices = {home: odds, "Draw": 3.4, away: 3.6}
    kick_off = now + 3_600_000 * (game + 1)
    return Quote(
        bookmaker, f"{home} - {away}", "EPL", "moneyline", 0, prices, now, match_date=kick_off
    )


def fill(database: Path) -> None:
    """Record a quote of each bookmaker for each of some games."""
    with closing(open_store(database, BOOKMAKERS[0])) as store:
        store.record(moneyline(g, name, 2.1) for g in range(100) for name in BOOKMAKERS).result()


def request(folder: Path) -> list[set[str]]:
    """Ask a server for a page of odds some times; each time on a new connection."""
    fill(folder / "odds.db")
    trace, rounds = Trace(), list[set[str]]()
    server = EmbeddedServer(Settings(folder / "odds.db", port=0, feeds=("none",)))
    url = f"{server.start_server()}/api/odds?limit=500"
    try:
        for _ in range(ROUNDS + 1):
            time.sleep(PAUSE_S)
            trace.begin()
            urllib.request.urlopen(urllib.request.Request(url, headers={"X-Api-Key": server.key}))
            rounds.append(trace.end())
    finally:
        server.stop_server()
    return rounds


def price(folder: Path) -> list[set[str]]:
    """Move a price of the game that a desk shows some times, until its cell is painted."""
    os.environ |= {"XDG_DATA_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from PySide6.QtCore import QTimer

    import oddsdesk.desk.shell.app as desk_app
    from oddsdesk.desk.connections.profiles import EmbeddedProfile
    from oddsdesk.desk.shell import embedding
    from oddsdesk.desk.ui.table.cell_painter import CellPainter

    fill(folder / "odds.db")
    trace, rounds, wanted, painted = Trace(), list[set[str]](), [""], threading.Event()
    stores: list[Store] = []
    paint = CellPainter.paint

    def painting(*arguments: Any) -> Any:
        done = paint(*arguments)
        if any(cell.text.startswith(wanted[0]) for cell in done.cells.values()):
            painted.set()
        return done

    def move() -> None:
        for number in range(ROUNDS + 1):
            time.sleep(PAUSE_S)
            wanted[0] = f"2.{number + 2}"
            painted.clear()
            trace.begin()
            stores[0].record([moneyline(0, BOOKMAKERS[1], float(wanted[0]))])
            assert painted.wait(LIMIT_S), "the price was not painted"
            rounds.append(trace.end())

    class FedServer(embedding.DeskServer):  # type: ignore[name-defined, misc]
        def _announce(self, server: Server) -> Coroutine[Any, Any, None]:
            stores.append(server.store)
            return super()._announce(server)

    class Watched(desk_app.Desk):  # type: ignore[name-defined, misc]
        def __init__(self, *arguments: Any, **named: Any) -> None:
            super().__init__(*arguments, **named)
            self._mover = threading.Thread(target=move)
            self._timer = QTimer(self.window, interval=500)
            self._timer.timeout.connect(self._close_at_end)
            QTimer.singleShot(OPENING_S * 500, self._open_first_game)
            QTimer.singleShot(OPENING_S * 1_000, self._begin)

        def _open_first_game(self) -> None:
            games = self._board.games.values()
            self.open_game(next(g.game_id for g in games if g.match_name == "Home 0 - Away 0"))

        def _begin(self) -> None:
            self._mover.start()
            self._timer.start()

        def _close_at_end(self) -> None:
            if not self._mover.is_alive():
                self.window.close()

    CellPainter.paint = painting  # type: ignore[method-assign]
    desk_app.Desk = Watched  # type: ignore[misc, attr-defined]
    embedding.DeskServer = FedServer  # type: ignore[misc, attr-defined]
    own = EmbeddedProfile(
        database=str(folder / "odds.db"), feeds=("none",), reference=BOOKMAKERS[0]
    )
    desk_app.run_desk(desk_app.Start(own))
    return rounds


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as made:
        ran = {"request": request, "price": price}[sys.argv[1]](Path(made))[1:]
    every_time = set.intersection(*ran)
    print(*sorted(str(Path(name).relative_to(PACKAGE)) for name in every_time), sep="\n")
    print(f"{len(every_time)} files; with other jobs {[len(each) for each in ran]}")
