"""Several processes divide the games to value, and find what one alone finds."""

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from oddsdesk.base.tasks import cancel_tasks
from oddsdesk.cluster import valuation as divided
from oddsdesk.cluster.postgres.leases import Holding, PostgresShares
from oddsdesk.cluster.postgres.reader import PostgresReader
from oddsdesk.cluster.postgres.store import PostgresStore, open_postgres
from oddsdesk.cluster.valuation import DividedValuation
from oddsdesk.contract.quotes import Quote
from oddsdesk.pricing.devig import DEFAULT_METHOD
from oddsdesk.server import valuation as module
from oddsdesk.server.valuation import Valuation
from oddsdesk.store.reader import log_end
from oddsdesk.store.store import Store, open_store
from oddsdesk.store.values import Filters, Visibility
from tests.kit.postgres import Postgres

NOW = 1_763_661_600_000
LIMIT_S = 30
SHARES = 4
GAMES = 12


@pytest.fixture(autouse=True)
def _brisk(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ROUND_S", "RETRY_S", "PACE_S"):
        monkeypatch.setattr(module, name, 0.02)
    for name in ("SHARE_S", "RETRY_S"):
        monkeypatch.setattr(divided, name, 0.02)


@pytest.fixture
def url(postgres: Postgres) -> str:
    return postgres.url()


@pytest.fixture
def opened(url: str) -> Iterator[Callable[[], PostgresStore]]:
    with contextlib.ExitStack() as stack:

        def open_one() -> PostgresStore:
            store = open_postgres(url, "Pinnacle", clock=lambda: NOW)
            return stack.enter_context(contextlib.closing(store))

        yield open_one


class Process:
    """What one process with the role has: a store and a valuation of its own."""

    def __init__(self, store: Store, shares: Any) -> None:
        made = store, lambda: NOW, DEFAULT_METHOD
        self.valuation: Any = Valuation(*made)
        if shares is not None:
            self.valuation = DividedValuation(*made, None, None, shares)
        jobs = [self.valuation.value_forever(), self.valuation.rounds()]
        if shares is not None:
            jobs += [self.valuation.divide(), self.valuation.take_over()]
        loop = asyncio.get_running_loop()
        self._tasks = [loop.create_task(each) for each in jobs]

    @property
    def held(self) -> frozenset[int]:
        return self.valuation._games.held

    async def end(self) -> None:
        await cancel_tasks(*self._tasks)
        self.valuation.close()


@contextlib.asynccontextmanager
async def running(*processes: Process) -> AsyncIterator[None]:
    try:
        yield
    finally:
        for each in processes:
            await each.end()


async def until(what: Callable[[], object]) -> None:
    async with asyncio.timeout(LIMIT_S):
        while not what():
            await asyncio.sleep(0.01)


def bets(store: Store) -> list[tuple[Any, ...]]:
    found = store.reader().list_value_bets(NOW, Filters(), Visibility(), 0, 1_000, 10_000).items
    return sorted((b.match_name, b.market_type, b.bookmaker, b.selection, b.odds) for b in found)


def histories(seed: int, batches: int) -> Iterator[list[Quote]]:
    """Prices of a reference and of two others that are now better and now worse."""
    chance = random.Random(seed)
    for _ in range(batches):
        yield [_moved(chance) for _ in range(8)]


def _moved(chance: random.Random) -> Quote:
    name = f"Home {chance.randrange(GAMES)} - Away"
    bookmaker = chance.choice(("Pinnacle", "Bwin", "Betfair"))
    low, high, under = (2.03, 2.07, 1.88) if bookmaker == "Pinnacle" else (2.08, 2.2, 1.6)
    odds = {"Over 2.5": chance.uniform(low, high), "Under 2.5": under}
    return Quote(bookmaker, name, "EPL", "total", 0, odds, NOW, match_date=NOW + 3_600_000)


async def record(store: Store, quotes: list[Quote]) -> None:
    await asyncio.wrap_future(store.record(quotes))


async def test_two_processes_find_what_one_finds_and_one_goes_on_where_the_other_is_gone(
    opened: Callable[[], PostgresStore], url: str, tmp_path: Path
) -> None:
    stores = [opened(), opened()]
    shares = [PostgresShares(url, "valuation", SHARES) for _ in stores]
    alone = open_store(tmp_path / "odds.db", "Pinnacle", clock=lambda: NOW)
    one, other = (Process(store, each) for store, each in zip(stores, shares, strict=True))
    single = Process(alone, None)
    with contextlib.closing(alone):
        async with running(single, one):
            async with running(other):
                await until(lambda: len(one.held) == len(other.held) == SHARES / 2)
                for batch in histories(1, 15):
                    await record(stores[0], batch)
                    await record(alone, batch)
                await until(lambda: len(bets(alone)) > 3 and bets(stores[1]) == bets(alone))
                for batch in histories(2, 10):
                    await record(stores[1], batch)
                    await record(alone, batch)
            for batch in histories(3, 5):  # nobody has the other's games for a moment
                await record(stores[0], batch)
                await record(alone, batch)
            await until(lambda: len(one.held) == SHARES)
            await until(lambda: bets(stores[1]) == bets(alone))
            for batch in histories(4, 10):
                await record(stores[1], batch)
                await record(alone, batch)
            await until(lambda: bets(stores[0]) == bets(alone))


class _Given:
    """Shares that a test gives and takes."""

    def __init__(self, *parts: int) -> None:
        self.count = SHARES
        self.parts = set(parts)
        self.surplus: set[int] = set()
        self.given_back: set[int] = set()

    def take_shares(self) -> Holding:
        return Holding(frozenset(self.parts), frozenset(self.surplus))

    def give_back_share(self, parts: Any) -> None:
        self.given_back |= set(parts)
        self.parts -= set(parts)
        self.surplus -= set(parts)

    def close(self) -> None:
        self.parts.clear()


async def test_games_of_others_are_left_alone_and_valued_once_they_are_ours(
    opened: Callable[[], PostgresStore],
) -> None:
    store, shares = opened(), _Given(1, 3)
    process = Process(store, shares)
    async with running(process):
        odds = {"Over 2.5": 2.05, "Under 2.5": 1.88}
        for game in range(GAMES):
            base = ("EPL", "total", 0)
            name = f"Home {game} - Away"
            sharp = Quote("Pinnacle", name, *base, odds, NOW)
            soft = Quote("Bwin", name, *base, {"Over 2.5": 2.15, "Under 2.5": 1.7}, NOW)
            await record(store, [sharp, soft])
        await until(lambda: len(bets(store)) == GAMES / 2)
        shares.parts.add(2)
        await until(lambda: len(bets(store)) == GAMES * 3 / 4)
        shares.surplus.add(1)
        await until(lambda: shares.given_back == {1} and process.held == {2, 3})
        for game in range(GAMES):
            dear = {"Over 2.5": 2.16, "Under 2.5": 1.7}
            await record(store, [Quote("Bwin", f"Home {game} - Away", *base, dear, NOW)])
        await until(lambda: [each[-1] for each in bets(store)] == [2.16] * (GAMES // 2))
        assert not any(place.game % SHARES in (0, 1) for place in process.valuation._stored)


async def test_what_moved_lately_is_valued_before_all_other_games_that_were_anothers(
    opened: Callable[[], PostgresStore], monkeypatch: pytest.MonkeyPatch
) -> None:
    """There may be very many others."""
    monkeypatch.setattr(divided, "LOOKS_BACK", 1_000_000)
    store, shares = opened(), _Given()
    process = Process(store, shares)
    async with running(process):
        await until(lambda: process.valuation._passed)
        monkeypatch.setattr(PostgresReader, "games_to_value", lambda *_: iter(()))
        base = ("EPL", "total", 0)
        sharp = Quote("Pinnacle", "A - B", *base, {"Over 2.5": 2.05, "Under 2.5": 1.88}, NOW)
        await record(store, [sharp, Quote("Bwin", "A - B", *base, {"Over 2.5": 2.15}, NOW)])
        end = log_end(store.reader())
        await until(lambda: process.valuation._position == end)
        assert bets(store) == []
        shares.parts |= set(range(SHARES))
        await until(lambda: bets(store))
