"""What looking back costs on a long log: a moment, a step at 100x, a history, a time line.

A file with a log of a million rows (140 games over two weeks, 15 bookmakers) is written first. The
desk's own parts ask the embedded server then, as in the window, but without one.

    python benchmarks/past.py [--rows 1000000]
"""

import argparse
import asyncio
import resource
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing
from pathlib import Path
from random import Random

from oddsdesk.base.clock import MomentClock
from oddsdesk.board.board import Board
from oddsdesk.board.history.past import Past
from oddsdesk.board.history.sources import LogSource
from oddsdesk.contract.quotes import Quote
from oddsdesk.desk.connections.profiles import EmbeddedProfile
from oddsdesk.desk.shell.embedding import EmbeddedSession
from oddsdesk.store.store import open_store

GAMES, DAYS, END_MS = 140, 14, 1_790_000_000_000
BOOKMAKERS = ("Pinnacle", *(f"Bookmaker {number:02}" for number in range(1, 15)))
MARKETS = {"moneyline": ("Draw",), "total": ("Over 2.5", "Under 2.5"), "btts": ("Yes", "No")}
FAIR = {"moneyline": 3.0, "total": 2.0, "btts": 2.0}
"""What each selection is worth; bookmakers keep 2 to 7 %, and one move in fifty is a slip."""
STEP_MS = 20_000
"""What a tick of 0.2 s brings at 100 times real time."""
MOMENTS, STEPS = 20, 500
_INSERT = """
INSERT INTO price_change (game, bookmaker, market_type, period, selection, odds, is_live,
    scraped_at, recorded_at) VALUES (?, ?, ?, 0, ?, ?, 0, ?, ?)
"""


def fill(path: Path, rows: int) -> None:
    """Write a log in which all games are priced from the first day to the last."""
    begin = END_MS - DAYS * 86_400_000
    store, quotes = open_store(path, clock=lambda: begin), list[Quote]()
    for game in range(GAMES):
        kick_off = begin + (game + 1) * DAYS * 86_400_000 // GAMES
        name = f"Home {game} - Away {game}"
        for bookmaker in BOOKMAKERS:
            for market, selections in MARKETS.items():
                sides = (f"Home {game}", f"Away {game}") if market == "moneyline" else ()
                odds = dict.fromkeys((*sides, *selections), round(FAIR[market] * 0.95, 2))
                said = Quote(bookmaker, name, "EPL", market, 0, odds, begin, match_date=kick_off)
                quotes.append(said)
    store.record(quotes).result()
    store.close()
    with closing(sqlite3.connect(path)) as connection:
        connection.executemany(_INSERT, _moves(rows, begin))
        connection.execute("UPDATE quote SET scraped_at = ?", (END_MS,))
        connection.execute("UPDATE game SET last_scraped_at = ?", (END_MS,))
        connection.commit()


def _moves(rows: int, begin: int) -> Iterator[tuple[object, ...]]:
    chance = Random(7)
    for row in range(rows):
        at = begin + (END_MS - begin) * row // rows
        game, (market, selections) = chance.randrange(GAMES), chance.choice([*MARKETS.items()])
        bookmaker, is_slip = chance.choice(BOOKMAKERS), chance.random() < 0.02
        kept = chance.uniform(-0.06, 0) if is_slip else chance.uniform(0.02, 0.07)
        odds = round(FAIR[market] * (1 - (0.025 if bookmaker == "Pinnacle" else kept)), 2)
        yield game + 1, bookmaker, market, chance.choice(selections), odds, at, at


class Looking:
    """The desk's parts that look back, connected to a server of their own."""

    def __init__(self, session: EmbeddedSession, clock: MomentClock) -> None:
        assert session.local is not None
        assert session._client is not None
        self.clock = clock
        self.board = Board(clock)
        self.log = session.local.log
        self.past = Past(session._client, self.board, END_MS, self.log, self._set_clock)
        self._chance = Random(3)

    def _set_clock(self, at_ms: int) -> None:
        self.clock.at = at_ms

    def moment(self) -> int:
        """Return some moment of the log."""
        return END_MS - self._chance.randrange(DAYS * 86_400_000 * 9 // 10)

    async def step(self) -> None:
        """Go on by a tick."""
        await self.past.go_on(self.clock() + STEP_MS)


async def taken(times: int, work: Callable[[], Awaitable[object]]) -> str:
    """Say how long something takes: median and the longest."""
    spent = []
    for _ in range(times):
        began = time.perf_counter()
        await work()
        spent.append((time.perf_counter() - began) * 1_000)
    return f"{statistics.median(spent):.1f} ms, longest {max(spent):.1f} ms"


def memory_mb() -> float:
    """Return how much memory this process, server included, had at most so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


async def measure(path: Path) -> None:
    """Print every figure."""
    clock = MomentClock()
    session = EmbeddedSession(EmbeddedProfile("past", str(path), ("none",)), clock.now)
    await session.start_session()
    looking = Looking(session, clock)
    past, board, log = looking.past, looking.board, looking.log
    past.start_reading()
    await past.go_to(END_MS - 5 * 86_400_000)
    game = next(iter(board.games))
    past.subscribe_game(game)
    print("board as of a moment, a game open:", end=" ")
    print(await taken(MOMENTS, lambda: past.go_to(looking.moment())))
    await past.go_to(END_MS - 5 * 86_400_000)
    print("step at 100x, a game open:", await taken(STEPS, looking.step))
    before = memory_mb()
    past.want_rows(True)
    began = time.perf_counter()
    await past.go_to(END_MS - 5 * 86_400_000)
    print(
        f"board as of a moment, all {len(board.games)} games: {time.perf_counter() - began:.2f} s"
    )
    print("step at 100x, all games:", await taken(STEPS, looking.step))
    held = memory_mb()
    await taken(2 * STEPS, looking.step)
    print(f"memory: {before:.0f} MB, all games {held:.0f}, {2 * STEPS} steps on {memory_mb():.0f}")
    await past.go_to(END_MS)
    source, key = LogSource(log, board), ("moneyline", 0, "Draw")
    history = await source.history_of(game, key, 0)
    points = sum(map(len, history.paths.values()))
    print(f"history of a selection, {points:,} points:", end=" ")
    print(await taken(MOMENTS, lambda: source.history_of(game, key, 0)))
    day = 86_400_000
    print("time line of a day:", await taken(MOMENTS, lambda: log.map(END_MS - day, END_MS, 240)))
    whole = END_MS - DAYS * day
    print("time line of the log:", await taken(5, lambda: log.map(whole, END_MS, 240)))
    print("largest move of a game:", await taken(5, lambda: log.largest_price_move(game)))
    print("step to a game's next move:", end=" ")
    print(await taken(MOMENTS, lambda: log.move_after(looking.moment(), game, back=False)))
    await past.stop_reading()
    await session.stop_session()


def main() -> None:
    """Write the log and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    rows = parser.parse_args().rows
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.db"
        began = time.perf_counter()
        fill(path, rows)
        size, spent = path.stat().st_size / 1e6, time.perf_counter() - began
        print(f"{rows:,} rows, {size:.0f} MB, written in {spent:.0f} s")
        asyncio.run(measure(path))


if __name__ == "__main__":
    main()
