"""The desk under load: matrix, odds grid and value bets in sight, 2,000 price changes a second.

Runs the real desk on a virtual screen: a game in a window of its own, the odds grid (50,000
prices) in front of the main one, value bets below. The changes are recorded next to the
server, as its feeds do. Prints the longest stalls of the window's thread, its share of a core,
the time from a message's receipt to the paint that shows it (``receipt_to_pixel``), and the memory
of the process; before them the share of two stock table views that are changed as often
(``bare_tables``).
The share is measured first and the stalls after it, as the timer that finds them takes two
hundredths of a core; receipt and paint of the prices of games in sight are watched for half a
minute after the rest, as watching takes some of the window's thread.

    python benchmarks/desk_load.py                    the server inside the desk
    python benchmarks/desk_load.py --server apart     the server in a process of its own
    python benchmarks/desk_load.py --games 200 --changes 0    memory with 100,000 selections
    python benchmarks/desk_load.py --exchanges 2              two of 20 bookmakers tell their books
    python benchmarks/desk_load.py --exchanges 2 --lays       the matrix with lay rows and without

With ``--lays`` it shows and hides the lay rows in turns, and prints what the window's thread needs
with them, as a multiple of what it needs without.
"""

# ruff: noqa: E402

import argparse
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from PySide6.QtCore import Qt, QTimer

from oddsdesk.desk.shell.display import restore_import

restore_import()  # as the program does, before the rest is imported

from bare_tables import share_of_core
from machine import stalls_ms
from receipt_to_pixel import Follower, Pixels, Sent, note_paints, note_sent

import oddsdesk.desk.shell.app as desk_app
from oddsdesk.base.clock import system_clock
from oddsdesk.board.intake.sync import MessageQueue
from oddsdesk.board.model.matrix import GameEntry
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.resources import Offer
from oddsdesk.desk.connections.manager import ServiceSession
from oddsdesk.desk.connections.profiles import EmbeddedProfile, Profile
from oddsdesk.desk.shell import embedding
from oddsdesk.desk.shell.assembly import Desk
from oddsdesk.server.run.runner import Server
from oddsdesk.server.settings import Settings
from oddsdesk.store.store import Store, open_store

BEAT_MS = 5
WARM_UP_S = 25
TURN_S = 5
BARE_S = 8.0
SENT = "sent"
"""The file next to the database with the times when changes were sent (``receipt_to_pixel``)."""
WATCHED_S = 30.0
"""How long prices are followed from receipt to paint, at most."""
STALL_MS, CORE, PIXEL_MS, RSS_MB = 50, 0.4, 100, 300
BOOKMAKERS = ("Pinnacle", *(f"Bookmaker {number:02}" for number in range(1, 20)))
BATCHES_A_SECOND = 20
MOVED_AT_ONCE = 4
"""Prices of a market that a bookmaker moves together: a line and its neighbours."""
FIRST_GAME_SHARE = 0.2
"""Of all changes, those of the game whose matrix is open."""


EXCHANGES: set[str] = set()
"""Bookmakers that tell three levels of each side of their books."""


class Asked:
    """What every bookmaker asks for every selection: 500 prices a game."""

    def __init__(self, games: int) -> None:
        self._random = Random(7)
        self._quotes = [
            self._quote(game, bookmaker, market)
            for game in range(games)
            for bookmaker in BOOKMAKERS
            for market in ("moneyline", "total", "spread")
        ]
        self._of_first = 3 * len(BOOKMAKERS)

    def all(self) -> list[Quote]:
        return self._quotes

    def moved(self, changes: int) -> list[Quote]:
        """Return quotes in which so many prices are others, a market and bookmaker once."""
        moved: dict[int, Quote] = {}
        while changes > 0:
            is_first = self._random.random() < FIRST_GAME_SHARE
            place = self._random.randrange(self._of_first if is_first else len(self._quotes))
            if place not in moved:
                moved[place] = quote = self._move(self._quotes[place])
                changes -= min(MOVED_AT_ONCE, len(quote.odds))
                self._quotes[place] = quote
        return list(moved.values())

    def _move(self, before: Quote) -> Quote:
        odds = dict(before.odds)
        for name in self._random.sample(list(odds), min(MOVED_AT_ONCE, len(odds))):
            step = self._random.choice((-0.02, -0.01, 0.01, 0.02))
            odds[name] = round(min(3.5, max(1.5, odds[name] + step)), 3)
        return _seen_now(before, odds)

    def _quote(self, game: int, bookmaker: str, market: str) -> Quote:
        home, away = f"Home {game}", f"Away {game}"
        names = {
            "moneyline": (2.4, [home, "Draw", away]),
            "total": (1.9, [f"{side} {line}.5" for line in range(6) for side in ("Over", "Under")]),
            "spread": (
                1.9,
                [n for line in range(5) for n in (f"{home} +{line}.5", f"{away} -{line}.5")],
            ),
        }
        level, selections = names[market]
        odds = {name: round(self._random.uniform(0.95, 1.05) * level, 3) for name in selections}
        now = system_clock()
        return Quote(
            bookmaker, f"{home} - {away}", ("EPL", "LIG1", "SERA")[game % 3], market, 0, odds, now,
            match_date=now + (game + 1) * 900_000,
            liquidity=500.0 if bookmaker == BOOKMAKERS[0] else None,
            offers=_book(odds) if bookmaker in EXCHANGES else None,
        )  # fmt: skip


def _seen_now(quote: Quote, odds: dict[str, float]) -> Quote:
    return Quote(
        quote.bookmaker, quote.match_name, quote.competition, quote.market_type, quote.period,
        odds, system_clock(), match_date=quote.match_date, liquidity=quote.liquidity,
        offers=_book(odds) if quote.bookmaker in EXCHANGES else None,
    )  # fmt: skip


_SIZES = Random(11)


def _book(odds: dict[str, float]) -> dict[str, Offer]:
    return {
        name: Offer(back=_levels(best, 0, -0.01), lay=_levels(best, 0.01, 0.01), currency="GBP")
        for name, best in odds.items()
    }


def _levels(best: float, from_: float, step: float) -> tuple[tuple[float, float], ...]:
    sizes = [round(_SIZES.uniform(2, 900), 2) for _ in range(3)]
    return tuple((round(best + from_ + at * step, 3), each) for at, each in enumerate(sizes))


def fill(database: Path, games: int) -> None:
    """Record what is offered before anything moves."""
    with closing(open_store(database, BOOKMAKERS[0])) as store:
        store.record(Asked(games).all()).result()


def move(store: Store, games: int, changes: int) -> None:
    """Move prices until the process ends."""
    offer = Asked(games)
    due = time.monotonic()
    while True:
        due += 1 / BATCHES_A_SECOND
        time.sleep(max(0.0, due - time.monotonic()))
        store.record(offer.moved(changes // BATCHES_A_SECOND)).result()


class FedServer(embedding.DeskServer):
    """Records changes on a second thread, as its feeds do."""

    games = changes = 0

    async def _announce(self, server: Server) -> None:
        note_sent(self._settings.database.with_name(SENT))
        await super()._announce(server)
        feed = partial(move, server.store, self.games, self.changes)
        if self.changes:
            threading.Thread(target=feed, name="feed", daemon=True).start()


class Measured(Desk):
    """The desk with a heart, its messages counted, and at the end its prices followed."""

    seconds = 60.0
    lays = False
    sent = Path()
    pixels = Pixels()

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._gaps: list[float] = []
        self._messages = 0
        self._heart = QTimer(self.window, interval=BEAT_MS, timerType=Qt.TimerType.PreciseTimer)
        self._heart.timeout.connect(self._beat)
        self._count_messages()
        QTimer.singleShot(WARM_UP_S * 500, self._arrange)
        QTimer.singleShot(WARM_UP_S * 1000, self._measure)

    def _arrange(self) -> None:
        first = next(game for game in self._board.games.values() if _is_first(game))
        self._first = first.game_id
        self.open_game(self._first)
        self.games.detach(self._first)
        self.window.tabs.setCurrentWidget(self.grid())
        matrix = next(panel for panel in self._matrices() if panel.isVisible())
        matrix.window().move(self.window.width(), 0)
        self._matrix = matrix.table.model
        self._lay_rows = matrix.columns

    def _count_messages(self) -> None:
        put = MessageQueue.put_messages

        def counted(queue: MessageQueue, messages: Any) -> None:
            self._messages += len(messages)
            put(queue, messages)

        MessageQueue.put_messages = counted  # type: ignore[method-assign, assignment]

    def _measure(self) -> None:
        if self.lays:
            self._turns: list[tuple[bool, float]] = []
            self._most_rows = 0
            self._begin_turn()
            return
        self._messages = 0
        self._began = time.perf_counter()
        self._cpu, self._all_cpu = time.thread_time(), time.process_time()
        QTimer.singleShot(round(self.seconds * 1000), self._look_for_stalls)

    def _begin_turn(self) -> None:
        self._lay_rows.turn_lays()
        QTimer.singleShot(TURN_S * 200, self._measure_turn)  # what the rows cost once is over

    def _measure_turn(self) -> None:
        self._began, self._cpu = time.perf_counter(), time.thread_time()
        QTimer.singleShot(TURN_S * 1000, self._end_turn)

    def _end_turn(self) -> None:
        share = (time.thread_time() - self._cpu) / (time.perf_counter() - self._began)
        self._turns.append((self._matrix.has_lays, share))
        self._most_rows = max(self._most_rows, self._matrix.rowCount())
        if len(self._turns) * TURN_S < self.seconds:
            self._begin_turn()
            return
        parts = [
            statistics.median(share for is_on, share in self._turns if is_on is on)
            for on in (False, True)
        ]
        ratios = list(ratios_of_turns(self._turns))
        print(f"rows of the matrix, lays included {self._most_rows:9,}")
        print(f"load                              {os.getloadavg()[0]:9.1f}")
        print(f"window's thread without lay rows  {parts[0]:9.1%} of a core")
        print(f"window's thread with lay rows     {parts[1]:9.1%} of a core")
        ratio = f"{statistics.median(ratios):9.3f}   (<= 1.1)"
        print(f"with / without, {len(ratios):3} turns         {ratio}")
        low, _, high = statistics.quantiles(ratios, n=4)
        print(f"half of the turns within          {low:.2f} to {high:.2f}")
        self.window.close()

    def _look_for_stalls(self) -> None:
        self._took = time.perf_counter() - self._began
        self._cpu = time.thread_time() - self._cpu
        self._all_cpu = time.process_time() - self._all_cpu
        self._received = self._messages
        self._last = time.perf_counter()
        self._heart.start()
        QTimer.singleShot(round(self.seconds * 1000), self._follow_prices)

    def _follow_prices(self) -> None:
        self._heart.stop()
        sent = Sent(self.sent)
        self._follower = Follower(
            self._board, sent, self.pixels, self._first, self._matrix, self.grid()
        )
        QTimer.singleShot(round(min(self.seconds, WATCHED_S) * 1000), self._end)

    def _beat(self) -> None:
        now = time.perf_counter()
        self._gaps.append(now - self._last)
        self._last = now

    def _end(self) -> None:
        took = self._took
        stalls = sorted((gap * 1000 - BEAT_MS for gap in self._gaps), reverse=True)
        longest = " ".join(f"{stall:.0f}" for stall in stalls[:5])
        if not all(self.pixels.delays.get(name) for name in ("MatrixModel", "GridModel")):
            print("NO MEASUREMENT: matrix or grid was never painted")
        print(f"measured for {took:.0f} s each; load {os.getloadavg()[0]:.1f}")
        print(f"messages received a second        {self._received / took:9,.0f}")
        print(f"rows in the grid                  {self.grid().model.total:9,}")
        print(f"longest stalls                    {longest} ms   (<= {STALL_MS})")
        late = statistics.quantiles(stalls, n=100)[-1]
        print(f"99 % of beats late by at most     {late:9.1f} ms")
        print(f"window's thread, share of a core  {self._cpu / took:9.1%}   (<= {CORE:.0%})")
        print(f"whole process                     {self._all_cpu / took:9.1%}")
        for name, delays in self.pixels.delays.items():
            if len(delays) > 1:
                late = statistics.quantiles(delays, n=20)[-1] * 1000
                print(f"{name}: receipt to pixel, p95 {late:15.0f} ms   (<= {PIXEL_MS})")
        print(f"resident memory                   {_resident_mb():9.0f} MB   (<= {RSS_MB})")
        self.window.close()


def ratios_of_turns(turns: list[tuple[bool, float]]) -> Iterator[float]:
    """Yield what is needed with lay rows over without, each turn against its two neighbours."""
    for (_, before), (is_on, share), (_, after) in zip(turns, turns[1:], turns[2:], strict=False):
        ratio = share / ((before + after) / 2)
        yield ratio if is_on else 1 / ratio


def _is_first(game: GameEntry) -> bool:
    return game.match_name == "Home 0 - Away 0"


def _resident_mb() -> float:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1_000_000


class WithServerApart(desk_app.Root):
    """Begins on the server that another process runs on the database."""

    def _first_session(self, profile: Profile) -> ServiceSession:
        return self.make_session(profile)


@contextmanager
def running(*arguments: str, until: str) -> Any:
    """Run a program of this interpreter, once it said a word, until the block ends."""
    with subprocess.Popen([sys.executable, *arguments], stdout=subprocess.PIPE, text=True) as one:
        assert one.stdout is not None
        try:
            for line in one.stdout:
                if until in line:
                    break
            yield
        finally:
            one.terminate()


def serve(database: Path) -> None:
    """Run the server alone, and say so, until the process is ended."""
    FedServer(Settings(database, port=0, reference=BOOKMAKERS[0])).start_server()
    print("listening", flush=True)
    signal.pause()


def run(given: argparse.Namespace, folder: str) -> None:
    database = Path(folder, "odds.db")
    os.environ |= {"XDG_DATA_HOME": folder, "XDG_CONFIG_HOME": folder}
    Measured.lays = given.lays
    Measured.seconds, Measured.sent = given.seconds, database.with_name(SENT)
    desk_app.Desk = Measured  # type: ignore[misc, attr-defined]
    note_paints(Measured.pixels)
    sizes = ("--games", str(given.games), "--changes", str(given.changes))
    sizes += ("--exchanges", str(given.exchanges))
    if given.changes and not given.lays:
        subprocess.run([sys.executable, __file__, "--bare", *sizes], check=True)
    # In a process of its own: what is offered is not the desk's to hold.
    subprocess.run([sys.executable, __file__, "--fill", str(database), *sizes], check=True)
    if given.server == "inside":
        embedding.DeskServer = FedServer  # type: ignore[misc, attr-defined]
        own = EmbeddedProfile(database=str(database), feeds=("none",), reference=BOOKMAKERS[0])
        desk_app.run_desk(desk_app.Start(own))
        return
    desk_app.Root = WithServerApart  # type: ignore[misc]
    with running(__file__, "--serve", str(database), *sizes, until="listening"):
        guest = EmbeddedProfile(database=str(database), guest=True)
        desk_app.run_desk(desk_app.Start(guest))


@contextmanager
def virtual_screen() -> Any:
    """A screen that shows both windows side by side."""
    read_end, write_end = os.pipe()
    command = ["Xvfb", "-displayfd", str(write_end), "-screen", "0", "2720x1100x24"]
    screen = subprocess.Popen(command, pass_fds=[write_end], stderr=subprocess.DEVNULL)
    with os.fdopen(read_end) as numbers:
        os.environ["DISPLAY"] = f":{numbers.readline().strip()}"
        os.environ["QT_QPA_PLATFORM"] = "xcb"
        try:
            yield
        finally:
            screen.terminate()
            screen.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--server", choices=("inside", "apart"), default="inside")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--changes", type=int, default=2_000)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--exchanges", type=int, default=0, help="bookmakers with levels")
    parser.add_argument("--lays", action="store_true", help="lay rows shown and hidden in turns")
    parser.add_argument("--bare", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--fill", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--serve", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    FedServer.games, FedServer.changes = given.games, given.changes
    EXCHANGES.update(BOOKMAKERS[len(BOOKMAKERS) - given.exchanges :])
    if given.bare:
        share = share_of_core(given.changes, BARE_S)
        print(f"two stock table views, of a core  {share:9.1%}")
        print(f"the same, resident memory         {_resident_mb():9.0f} MB")
        print(f"a sleeping thread's longest stall {stalls_ms():9.0f} ms")
        return
    if given.fill is not None:
        fill(given.fill, given.games)
        return
    if given.serve is not None:
        serve(given.serve)
        return
    with tempfile.TemporaryDirectory() as folder, virtual_screen():
        run(given, folder)


if __name__ == "__main__":
    main()
