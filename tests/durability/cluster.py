"""Killing each part of a cluster in mid-load, and what that costs.

    python -m tests.durability.cluster [--rounds 10]

Two recorders, two gateways with streams, two valuations, PostgreSQL, NATS and HAProxy. Each kill is
a SIGKILL (of PostgreSQL its own immediate stop); what was killed is restarted. Printed are
acknowledged batches that are lost, gaps and repeats on streams, and for how long nothing was
acknowledged, or heard by a stream that was not cut; of valuations, until bets were found again.
A desk's data layer and board are connected to the proxy through all of it. Printed are the states
of its connection after each kill, each with its seconds, and prices that differ from the service's
once it is live again.
"""

import argparse
import contextlib
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import httpx
import msgspec

from oddsdesk.board.model.notices import Link
from oddsdesk.contract.identity import game_id
from tests.kit.board_desk import BoardDesk
from tests.kit.cluster import (
    LIMIT_S,
    Faults,
    HaProxy,
    Listener,
    Load,
    Node,
    log_of,
    make_key,
    running,
)
from tests.kit.nats import Nats, running_nats
from tests.kit.ndjson import quote
from tests.kit.postgres import Postgres, running_postgres
from tests.kit.workers import until

PARTS: Final = ("recorder", "gateway", "valuation", "PostgreSQL", "NATS", "proxy")
GAMES: Final = 32
"""So many that each valuation has some of them."""
OPEN_GAMES: Final = 4
"""That a desk has open."""
DESK_S: Final = 90
"""How long a desk may take: it tries again after half a minute at most."""
PRICES: Final = (2.145, 2.15, 2.16, 2.17, 2.18)
"""Each is value against the reference."""


class Cost(msgspec.Struct):
    """What the kills of a part cost."""

    kills: int = 0
    lost: int = 0
    gaps: int = 0
    repeats: int = 0
    slowest_s: float = 0.0
    differing: int = 0
    """Prices that a desk held otherwise than the service at the end, where one was connected."""
    away_s: float = 0.0
    """The longest in all that its stream was not up after a kill."""
    states: tuple[str, ...] = ()
    """What its connection was after the last kill."""

    @property
    def is_nothing(self) -> bool:
        """Whether it cost time only."""
        return not (self.lost or self.gaps or self.repeats or self.differing)


class Cluster:
    """All parts, running, with a load through the proxy and streams."""

    def __init__(self, folder: Path, postgres: Postgres, nats: Nats) -> None:
        self._postgres, self._nats = postgres, nats
        self._database = postgres.url_with_tables()
        options = ("--bus", nats.url)
        self._recorders = [Node(self._database, folder, "api", *options) for _ in range(2)]
        self._gateways = [Node(self._database, folder, "api,stream", *options) for _ in range(2)]
        self._valuations = [Node(self._database, folder, "valuation", *options) for _ in range(2)]
        self._proxy = HaProxy(folder, self._recorders, self._gateways)
        self._turn = self._moves = 0
        self._desk: BoardDesk | None = None

    @contextlib.contextmanager
    def running(self) -> Iterator["Cluster"]:
        """Run all parts."""
        with (
            running(*self._recorders, *self._gateways, *self._valuations),
            contextlib.ExitStack() as opened,
        ):
            opened.callback(self._proxy.kill)
            self._proxy.start()
            self._key = make_key(self._database, may_write=True)
            self._post({"Over 2.5": 2.05, "Under 2.5": 1.88}, "Pinnacle")
            yield self

    @contextlib.contextmanager
    def desk(self) -> Iterator[None]:
        """Have a desk connected to the proxy, with some games open."""
        named = [game_id("EPL", f"Valued {number} - Away") for number in range(OPEN_GAMES)]
        keys = [make_key(self._database) for _ in range(2)]
        with contextlib.closing(BoardDesk(self._proxy.url, *keys, named)) as desk:
            assert not desk.differing(DESK_S), "it never came up"
            self._desk = desk
            yield
            self._desk = None

    def kill(self, part: str, cost: Cost) -> None:
        """Kill a part in mid-load and restart it; add up what that cost."""
        self._turn += 1
        with contextlib.ExitStack() as opened:
            before = len(log_of(self._database))
            listeners = [self._listen(opened, each.url) for each in self._gateways]
            listeners.append(self._listen(opened, self._proxy.url))
            with Load(self._database, self._proxy.url, first_batch=self._turn * 1_000_000) as load:
                load.go_on(5)
                moment = time.monotonic()
                begin_again = self._kill(part, cost.kills % 2)
                value_s = self._until_valued(moment) if part == "valuation" else 0.0
                begin_again()
                load.go_on(5)
                self._until_valued(moment)
            log = [each for each in log_of(self._database)[before:] if "Valued" not in each[0]]
            for each in listeners:
                until(lambda: each.has_ended or set(log) <= set(each.messages), LIMIT_S)  # noqa: B023
        self._count(cost, log, load, listeners)
        pauses = [load.pause_after(moment)]
        pauses += [each.pause_after(moment) for each in listeners if not each.has_broken]
        cost.slowest_s = max(cost.slowest_s, value_s or max(pauses))
        if self._desk is not None:
            _look_at(self._desk, moment, cost)

    def _listen(self, opened: contextlib.ExitStack, url: str) -> Listener:
        return opened.enter_context(contextlib.closing(Listener(url, self._key)))

    def _kill(self, part: str, which: int) -> Callable[[], None]:
        """Kill a part, one or the other where there are two; return how to restart it."""
        nodes = {
            "recorder": self._recorders[which],
            "gateway": self._gateways[which],
            "valuation": self._valuations[which],
        }
        if part == "PostgreSQL":
            self._postgres.stop()
            return self._postgres.start
        other: Nats | HaProxy = self._nats if part == "NATS" else self._proxy
        killed = nodes.get(part, other)
        killed.kill()
        return killed.start

    def _until_valued(self, since: float) -> float:
        """Move a price of each game; return the seconds since a moment until all were valued."""
        self._moves += 1
        price = PRICES[self._moves % len(PRICES)]
        self._post({"Over 2.5": price, "Under 2.5": 1.7}, "Bwin")
        until(lambda: self._bets(price) == GAMES, LIMIT_S)
        return time.monotonic() - since

    def _bets(self, price: float) -> int:
        asked = {"X-Api-Key": self._key}
        with contextlib.suppress(httpx.TransportError):
            url = f"{self._proxy.url}/api/value-bets?limit=200"
            answer = httpx.get(url, headers=asked, timeout=LIMIT_S)
            if answer.status_code == 200:
                return sum(each["odds"] == price for each in answer.json()["data"])
        return -1

    def _post(self, odds: dict[str, float], bookmaker: str) -> None:
        names = [f"Valued {number} - Away" for number in range(GAMES)]
        said = {"market_type": "total", "bookmaker": bookmaker}
        body = "".join(quote(odds, match_name=name, **said) for name in names)

        def is_posted() -> bool:
            with contextlib.suppress(httpx.TransportError):
                url = f"{self._proxy.url}/ingest"
                asked = {"X-Api-Key": self._key}
                return httpx.post(url, content=body, headers=asked, timeout=LIMIT_S).is_success
            return False

        until(is_posted, LIMIT_S)

    def _count(
        self, cost: Cost, log: list[tuple[str, str]], load: Load, said: list[Listener]
    ) -> None:
        cost.kills += 1
        cost.lost += len(set(load.acknowledged) - {name for name, _ in log})
        faults = Faults(log)
        for each in said:
            messages = [said for said in each.messages if "Valued" not in said[0]]
            faults.look_at(messages, to_the_end=not each.has_broken)
        cost.gaps += faults.gaps
        cost.repeats += faults.repeats


def _look_at(desk: BoardDesk, moment: float, cost: Cost) -> None:
    """Add what a desk has shown since a part was killed."""
    cost.differing += desk.differing(DESK_S)
    states = desk.states_after(moment)
    cost.away_s = max(cost.away_s, sum(lasted for link, lasted in states if link is not Link.LIVE))
    cost.states = tuple(f"{link.value} {lasted:.1f}" for link, lasted in states)


@contextlib.contextmanager
def cluster(postgres: Postgres) -> Iterator[Cluster]:
    """A cluster on a database of its own."""
    with (
        running_nats() as nats,
        tempfile.TemporaryDirectory() as folder,
        Cluster(Path(folder), postgres, nats).running() as made,
    ):
        yield made


def matrix(made: Cluster, rounds: int, tell: Callable[[str], object]) -> dict[str, Cost]:
    """Kill each part this many times, in turns."""
    costs = {part: Cost() for part in PARTS}
    for number in range(rounds):
        for part, cost in costs.items():
            made.kill(part, cost)
            tell(f"round {number + 1}: {part} {cost}")
    return costs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    options = parser.parse_args()
    with (
        running_postgres(fsync="on", full_page_writes="on") as postgres,
        cluster(postgres) as made,
        made.desk(),
    ):
        costs = matrix(made, options.rounds, lambda line: print(line, flush=True))
    print("part        kills   lost   gaps  repeats  slowest  desk away  differing")
    for part, cost in costs.items():
        counts = f"{cost.kills:5}  {cost.lost:5}  {cost.gaps:5}  {cost.repeats:7}"
        desk = f"{cost.away_s:7.2f} s  {cost.differing:9}"
        print(f"{part:10} {counts}  {cost.slowest_s:6.2f} s {desk}")
    raise SystemExit(not all(cost.is_nothing for cost in costs.values()))


if __name__ == "__main__":
    main()
