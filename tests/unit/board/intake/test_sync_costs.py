"""What keeping a board current costs: the requests made are those that are reckoned with."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from oddsdesk.base.clock import system_clock
from oddsdesk.board.board import Board
from oddsdesk.board.intake.reading_plan import GAMES, RIGHTS, ROWS, VALUE_BETS, open_game
from oddsdesk.board.intake.sync import Sync
from oddsdesk.client.answers import Listing
from oddsdesk.client.client import Client
from oddsdesk.client.errors import ServiceError
from oddsdesk.contract.access import Plan
from oddsdesk.server.run.runner import Server
from tests.kit.board import GAME
from tests.kit.board_service import CALM, key_of, quote, record, service

MATRIX = open_game(GAME)
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
        """Wait until every job was done this often; at this pace none is done again unasked."""
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
        sync.start_reading()
        try:
            yield client, sync
        finally:
            await sync.stop_reading()


def costs(sync: Sync) -> dict[str, float]:
    """Return by job how many requests one read is reckoned to take."""
    plan = sync.plan
    return {
        GAMES: plan.games_reading().cost,
        VALUE_BETS: plan.value_bets_reading().cost,
        ROWS: plan.rows_reading().cost,
        MATRIX: plan.game_reading(GAME).cost,
        RIGHTS: plan.rights().cost,
    }


async def counted(client: Client) -> int:
    """Ask the service how many requests it has counted this hour, this one too."""
    await client.sports()
    assert client.quota is not None
    return 5_500 - client.quota.remaining


async def test_each_job_makes_as_many_requests_as_it_is_reckoned_to_take(tmp_path: Path) -> None:
    """In its first period and in each one after; the games and all rows are two pages here."""
    async with service(tmp_path) as server:
        others = [quote("Betfair", {"Roma": 2.0}, f"Roma - Lazio {n}") for n in range(PAGE)]
        await record(server, *others)
        async with asking(server) as (client, sync):
            await sync.until_round(1)
            first = client.made.copy()
            sync.read_all_again()
            await sync.until_round(2)
            second = client.made - first
            reckoned = costs(sync)
    assert reckoned == {GAMES: 2, VALUE_BETS: 1, ROWS: 2, MATRIX: 1, RIGHTS: 1}
    assert first == second == reckoned


async def test_the_service_counts_what_the_jobs_made_and_no_more(tmp_path: Path) -> None:
    hour = system_clock() // HOUR_MS
    async with service(tmp_path) as server, asking(server) as (client, sync):
        await sync.until_round(1)
        sync.read_all_again()
        await sync.until_round(2)
        count = await counted(client)
    if system_clock() // HOUR_MS != hour:
        pytest.skip("an hour began meanwhile, and the service's count with it")
    assert count == client.made.total() == 2 * len(PERIOD_S) + 1


async def test_what_is_looked_at_no_more_is_read_no_more(tmp_path: Path) -> None:
    async with service(tmp_path) as server, asking(server) as (_, sync):
        await sync.until_round(1)
        assert sync.budget.periods_s().keys() == PERIOD_S.keys()
        sync.want_rows(False)
        sync.unsubscribe_game(GAME)
        assert sync.budget.periods_s().keys() == PERIOD_S.keys() - {MATRIX}
        sync.want_values(False)
        assert sync.budget.periods_s().keys() == PERIOD_S.keys() - {MATRIX, ROWS}
