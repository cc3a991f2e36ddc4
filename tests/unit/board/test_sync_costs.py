"""What keeping a board current costs: the requests that are made are those that are wished."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from oddsdesk.board.bet_reading import VALUE_BETS
from oddsdesk.board.board import Board
from oddsdesk.board.row_reading import ROWS
from oddsdesk.board.sync import Sync
from oddsdesk.client.answers import Listing
from oddsdesk.client.budget import Budget
from oddsdesk.client.client import Client
from oddsdesk.client.errors import ServiceError
from oddsdesk.clock import system_clock
from oddsdesk.contract.plans import Plan
from oddsdesk.server.runner import Server
from tests.kit.board import GAME
from tests.kit.board_service import CALM, key_of, quote, record, service

GAMES, MATRIX, RIGHTS = "games", f"matrix {GAME}", "in-play odds"
FREE = {"health", "stream"}
"""What they ask counts no request."""
PERIOD_S = {GAMES: 60, VALUE_BETS: 60, ROWS: 60, MATRIX: 60, RIGHTS: 6 * 3600}
PAGE = 500
HOUR_MS = 3_600_000


class CountingClient(Client):
    """A client that counts its requests by the job whose task makes them."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.made = Counter[str]()

    async def _list(self, *arguments: Any, **parameters: Any) -> Listing[Any]:
        self._count()
        return await super()._list(*arguments, **parameters)

    async def _one(self, *arguments: Any, **parameters: Any) -> Any:
        self._count()
        return await super()._one(*arguments, **parameters)

    def _count(self) -> None:
        task = asyncio.current_task()
        assert task is not None
        self.made[task.get_name().removeprefix("sync: ")] += 1


class CountingSync(Sync):
    """One that counts how often each job came to its end, well or not."""

    def __init__(self, client: Client, board: Board) -> None:
        self.rounds = Counter[str]()
        self._ended = asyncio.Event()
        super().__init__(client, board, system_clock, pace=CALM, randomness=lambda: 0.0)

    async def until_round(self, number: int) -> None:
        """Wait until every job was done so often; at this pace none is done again unasked."""
        async with asyncio.timeout(15):
            while {self.rounds[job] for job in (*PERIOD_S, *FREE)} != {number}:
                self._ended.clear()
                await self._ended.wait()

    def _on_outcome(self, job: str, error: ServiceError | None, next_try_ms: int | None) -> None:
        super()._on_outcome(job, error, next_try_ms)
        self.rounds[job] += 1
        self._ended.set()


@asynccontextmanager
async def asking(server: Server) -> AsyncIterator[tuple[CountingClient, CountingSync]]:
    """One game and all rows are kept current over REST, as by a key without the stream."""
    async with CountingClient(server.url, key_of(server, Plan.PRO)) as client:
        sync = CountingSync(client, Board(system_clock))
        sync.subscribe_game(GAME)
        sync.want_rows(True)
        sync.start()
        try:
            yield client, sync
        finally:
            await sync.stop()


def take_wish(budget: Budget, job: str) -> float:
    """Take a job's wish out of a budget and return it as requests in one of its periods."""
    before = budget.needed_per_hour
    budget.drop(job)
    return (before - budget.needed_per_hour) * PERIOD_S[job] / 3600


async def counted(client: Client) -> int:
    """Ask the service how many requests it has counted this hour, this one too."""
    await client.sports()
    assert client.quota is not None
    return 5_500 - client.quota.remaining


async def test_each_job_makes_as_many_requests_as_it_wishes(tmp_path: Path) -> None:
    """In its first period and in each one after; the games and all rows are two pages here."""
    async with service(tmp_path) as server:
        others = [quote("Betfair", {"Roma": 2.0}, f"Roma - Lazio {n}") for n in range(PAGE)]
        await record(server, *others)
        async with asking(server) as (client, sync):
            await sync.until_round(1)
            first = client.made.copy()
            sync.refresh()
            await sync.until_round(2)
            second = client.made - first
            wished = {job: take_wish(sync.budget, job) for job in PERIOD_S}
    assert wished == pytest.approx({GAMES: 2, VALUE_BETS: 1, ROWS: 2, MATRIX: 1, RIGHTS: 1})
    assert first == second == pytest.approx(wished)
    assert sync.budget.needed_per_hour == pytest.approx(0)


async def test_the_service_counts_what_the_jobs_made_and_no_more(tmp_path: Path) -> None:
    hour = system_clock() // HOUR_MS
    async with service(tmp_path) as server, asking(server) as (client, sync):
        await sync.until_round(1)
        sync.refresh()
        await sync.until_round(2)
        count = await counted(client)
    if system_clock() // HOUR_MS != hour:
        pytest.skip("an hour began meanwhile, and the service's count with it")
    assert count == client.made.total() == 2 * len(PERIOD_S) + 1


async def test_what_is_looked_at_no_more_is_wished_no_more(tmp_path: Path) -> None:
    """A minute once: games, value bets, one game and all rows; and the try of the rights."""
    async with service(tmp_path) as server, asking(server) as (_, sync):
        await sync.until_round(1)
        assert sync.budget.needed_per_hour == pytest.approx(4 * 60 + 1 / 6)
        sync.want_rows(False)
        sync.unsubscribe_game(GAME)
        assert sync.budget.needed_per_hour == pytest.approx(3 * 60 + 1 / 6)
        sync.want_values(False)
        assert sync.budget.needed_per_hour == pytest.approx(2 * 60 + 1 / 6)
