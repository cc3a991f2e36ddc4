"""A service of 13,000 rows mirrored by another, each a program: requests, equality, cuts.

    python benchmarks/mirror.py [--games 325] [--cuts 20] [--seed 7]

One `oddsdesk serve` has the odds; 40 prices a second move there, and new games come. Another
mirrors it through a proxy that counts what is asked and cuts the stream at random moments. After
the first picture, and after each cut as soon as prices rest, every page of every list is read
from both and compared row by row. Then the same without cuts with a Pro key, which may not
stream and so polls. Ends with 1 where anything differs for longer than that takes.
"""

import argparse
import asyncio
import collections
import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random
from typing import Any

import httpx

from oddsdesk.base.clock import system_clock
from oddsdesk.base.tasks import cancel_tasks, spawn
from oddsdesk.contract.access import Plan
from oddsdesk.contract.times import format_ms
from oddsdesk.store.access import open_access
from oddsdesk.store.owner_secret import owner_header

BOOKMAKERS = ("Pinnacle", "Unibet", "Betway", "Bwin", "Ladbrokes", "Betsson", "Tipico", "Coral")
COMPETITIONS = ("EPL", "LIGA", "NBA", "NHL")
LISTS = ("odds", "odds/live", "games", "events", "bookmakers", "sports", "value-bets")
OWN = ("detected_at", "event_count", "odds_count", "last_scraped_at")
"""What each service says of itself: when it found a bet, and what is counted once a minute."""
LIMIT_S = 90.0
"""Counts of bookmakers and sports are kept for a minute."""
MOVES_S = 0.1
STEADY_S = 10.5
"""A connection that lasted this long is reopened within a second or two; comparing all takes as
long, mostly."""
_REQUEST = re.compile(rb"(?:GET|POST) /api/([a-z/-]+)")


def quote(game: int, bookmaker: str, market: int, odds: float) -> dict[str, Any]:
    """Return a line of one of the five markets of a game; each 16th game is in play."""
    home, now, is_live = f"Home {game}", system_clock(), game % 16 == 0
    names = ((home, "Away"), ("Over 2.5", "Under 2.5"), ("Yes", "No"))
    kinds = (("moneyline", 0), ("total", 0), ("btts", 0), ("moneyline", 1), ("total", 1))
    market_type, period = kinds[market]
    return {
        "bookmaker": bookmaker,
        "match_name": f"{home} vs Away",
        "competition": COMPETITIONS[game % 4],
        "market_type": market_type,
        "period": period,
        "odds": dict(zip(names[market % 3], (round(odds, 3), 1.9), strict=True)),
        "scraped_at": format_ms(now),
        "is_live": is_live,
        "match_date": format_ms((now // 3_600_000 + (-1 if is_live else 5)) * 3_600_000),
        "url": f"https://{bookmaker.lower()}.example/{game}",
        "liquidity": 500.0,
    }


class Proxy:
    """Passes bytes on both ways, counts what is asked by path, and cuts streams."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.asked: collections.Counter[str] = collections.Counter()
        self._streams: set[asyncio.StreamWriter] = set()
        self._open: set[asyncio.StreamWriter] = set()

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[str]:
        """Yield the address."""
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        server.close()
        while self._open:
            for writer in self._open:
                writer.transport.abort()
            await asyncio.sleep(0.05)

    def cut(self) -> int:
        """End the streams there are, without a word."""
        cut, self._streams = self._streams, set()
        for writer in cut:
            writer.transport.abort()
        return len(cut)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there = await asyncio.open_connection("127.0.0.1", self._port)
        ends = {writer, there[1]}
        self._open |= ends
        with contextlib.suppress(ConnectionError):
            await asyncio.gather(
                self._pass_on(reader, there[1], writer), self._pass_on(there[0], writer, None)
            )
        for end in ends:
            end.transport.abort()
        self._open -= ends

    async def _pass_on(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        back: asyncio.StreamWriter | None,
    ) -> None:
        while data := await reader.read(1 << 16):
            for path in _REQUEST.findall(data) if back is not None else ():
                self.asked[path.decode()] += 1
                if path == b"stream" and back is not None:
                    self._streams.add(back)
            writer.write(data)
            await writer.drain()
        writer.close()


class Service:
    """One server, a program of its own."""

    def __init__(self, database: Path, *feeds: str) -> None:
        self.database = database
        command = [sys.executable, "-m", "oddsdesk", "serve", "--port", "0"]
        command += ["--database", str(database)]
        self.process = subprocess.Popen(
            [*command, *(part for feed in feeds for part in ("--feed", feed))],
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "COLUMNS": "200"},
        )
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().strip().removeprefix("listening on ")
        self.lists: tuple[str, ...] = ()
        """Those that are compared."""
        self.read_as(Plan.PRO_LIVE)

    def read_as(self, plan: Plan) -> None:
        """Read the lists with a key of a plan from now on, all that it may."""
        self._reader = self.key(plan)
        self.lists = LISTS if plan.rights.live else tuple(x for x in LISTS if x != "odds/live")
        self._own = OWN if plan.rights.live else (*OWN, "has_live")

    def key(self, plan: Plan) -> str:
        """Return a new key."""
        with contextlib.closing(open_access(self.database)) as access:
            name = f"{plan} {time.monotonic()}"
            return access.keys.create(name, plan, None, system_clock()).secret

    async def ingest(self, quotes: list[dict[str, Any]]) -> None:
        """Record quotes as a program on the same machine does."""
        body = "\n".join(json.dumps(each) for each in quotes)
        async with httpx.AsyncClient(base_url=self.url, timeout=60) as http:
            headers = owner_header(self.database)
            answer = (await http.post("/ingest", content=body, headers=headers)).json()
        assert (answer["accepted"], answer["rejected"]) == (len(quotes), []), answer

    async def rows(self, name: str) -> list[str]:
        """Return all rows of a list as text, sorted, without what is the service's own."""
        rows: list[dict[str, Any]] = []
        cursor: str | None = ""
        headers = {"X-Api-Key": self._reader}
        async with httpx.AsyncClient(base_url=self.url, headers=headers, timeout=60) as http:
            while cursor is not None:
                query = {"cursor": cursor} if cursor else {}
                answer = await http.get(f"/api/{name}", params={"limit": "500", **query})
                answer.raise_for_status()
                said = answer.json()
                rows += said["data"]
                cursor = said["meta"].get("next_cursor")
        kept = ({key: row[key] for key in row if key not in self._own} for row in rows)
        return sorted(json.dumps(row, sort_keys=True) for row in kept)

    def state(self) -> dict[str, Any]:
        """Return how the feed is."""
        command = [sys.executable, "-m", "oddsdesk", "feeds", "--json"]
        asked = subprocess.run(
            [*command, "--database", str(self.database)], capture_output=True, check=True
        )
        (state,) = json.loads(asked.stdout)
        return dict(state)

    def close(self) -> None:
        self.process.terminate()
        self.process.communicate()


async def differing(first: Service, second: Service) -> dict[str, int]:
    """Return how many rows one of both lacks, by list."""
    found = {}
    for name in first.lists:
        ours, theirs = await first.rows(name), await second.rows(name)
        if ours != theirs:
            counts = collections.Counter(ours)
            counts.subtract(theirs)
            found[name] = sum(abs(count) for count in counts.values())
    return found


async def until_equal(first: Service, second: Service) -> float:
    """Wait until every list is equal and return how long that took, in seconds."""
    began = time.monotonic()
    while differs := await differing(first, second):
        if time.monotonic() - began > LIMIT_S:
            sys.exit(f"not equal after {LIMIT_S:g} s: rows that differ {differs}")
        await asyncio.sleep(0.2)
    return time.monotonic() - began


class Moves:
    """Prices that move, and now and then a new game."""

    def __init__(self, origin: Service, games: int, random: Random) -> None:
        self._origin, self.games, self._random = origin, games, random
        self.quotes = 0

    @contextlib.asynccontextmanager
    async def going_on(self) -> AsyncIterator[None]:
        moving = spawn("move prices", self._move())
        yield
        await cancel_tasks(moving)

    async def _move(self) -> None:
        while True:
            random = self._random
            if random.random() < 0.02:
                self.games += 1
            markets = {
                (random.randrange(self.games), random.choice(BOOKMAKERS), random.randrange(5))
                for _ in range(4)
            }
            moved = [quote(*market, random.uniform(1.5, 4.0)) for market in markets]
            await self._origin.ingest(moved)
            self.quotes += len(moved)
            await asyncio.sleep(MOVES_S)


async def cut_and_compared(
    origin: Service, mirror: Service, proxy: Proxy, moves: Moves, cuts: int, random: Random
) -> list[float]:
    """Cut the stream so many times; return the seconds from each until all is equal again."""
    took = []
    for _ in range(cuts):
        async with moves.going_on():
            await asyncio.sleep((0 if took else STEADY_S) + random.uniform(0, 4))
            while not proxy.cut():  # it comes back within 30 s; what it missed may be read before
                await asyncio.sleep(0.1)
            began = time.monotonic()
            await asyncio.sleep(random.uniform(0, 2))
        await until_equal(origin, mirror)
        took.append(time.monotonic() - began)
        print(f"  cut {len(took)}: equal {took[-1]:.1f} s after it", flush=True)
    return took


async def mirrored(folder: Path, origin: Service, plan: Plan, options: Any) -> None:
    """Mirror the origin with a key of a plan, and print the figures."""
    proxy = Proxy(int(origin.url.rpartition(":")[2]))
    key_file = folder / f"{plan.name} key"
    key_file.write_text(origin.key(plan))
    origin.read_as(plan)
    random = Random(options.seed)
    moves = Moves(origin, options.games, random)
    database = folder / f"{plan.name}.db"
    async with contextlib.AsyncExitStack() as stack:
        address = await stack.enter_async_context(proxy.serving())
        spec = f"mirror:{address}?key-file={key_file}"
        mirror = stack.enter_context(contextlib.closing(Service(database, spec)))
        mirror.read_as(plan)
        first = await until_equal(origin, mirror)
        count = len(await origin.rows("odds"))
        print(f"{plan.value}: {count:,} rows, every list equal after {first:.1f} s")
        print(f"  told: {mirror.state().get('plan')}; made: {dict(proxy.asked)}")
        if plan.rights.websocket:
            took = sorted(
                await cut_and_compared(origin, mirror, proxy, moves, options.cuts, random)
            )
            middle = took[len(took) // 2]
            print(f"  {len(took)} cuts: equal after {middle:.1f} s (median), {took[-1]:.1f} (most)")
        else:
            for _ in range(3):
                async with moves.going_on():
                    await asyncio.sleep(5)
                print(f"  polled: equal after {await until_equal(origin, mirror):.1f} s")
        print(f"  {moves.quotes:,} quotes moved; made in all: {dict(proxy.asked)}")


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=325)
    parser.add_argument("--cuts", type=int, default=20)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    random = Random(options.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with contextlib.closing(Service(folder / "origin.db")) as origin:
            for plan in (Plan.PRO_LIVE, Plan.PRO):
                for game in range(
                    options.games
                ):  # again, since prices older than that are in no list
                    quotes = [
                        quote(game, bookmaker, market, random.uniform(1.5, 4.0))
                        for bookmaker in BOOKMAKERS
                        for market in range(5)
                    ]
                    await origin.ingest(quotes)
                await mirrored(folder, origin, plan, options)


if __name__ == "__main__":
    asyncio.run(main())
