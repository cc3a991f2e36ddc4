"""On PostgreSQL who answers tells what no process at all does (D82)."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator

import httpx
import pytest

from oddsdesk.cluster import succession
from oddsdesk.cluster.postgres.leases import PostgresLease, PostgresShares
from oddsdesk.cluster.valuation import SHARES
from oddsdesk.server.settings import ANSWERING
from oddsdesk.store.databases import DatabaseUrl
from tests.kit import prometheus
from tests.kit.deployed import free_port
from tests.kit.live_service import LiveService
from tests.kit.postgres import Postgres

LIMIT_S = 60


@pytest.fixture
async def answering(postgres: Postgres, monkeypatch) -> AsyncIterator[LiveService]:
    """A process that only answers, and looks often."""
    monkeypatch.setattr(succession, "LOOK_ACROSS_S", 0.02)
    service = LiveService(DatabaseUrl(postgres.url()))
    service.options = {"roles": ANSWERING, "metrics_port": free_port()}
    await service.start()
    yield service
    await service.stop()


@contextlib.contextmanager
def leased(live: LiveService, *names: str) -> Iterator[None]:
    """Another process that has leases."""
    lease = PostgresLease(live.database.url, names)
    assert lease.take_lease()
    yield
    lease.release_lease()


async def told(live: LiveService, *reasons: str) -> None:
    async with asyncio.timeout(LIMIT_S):
        while True:
            health = (await live.http.get("/api/health")).json()
            if health["reasons"] == list(reasons):
                assert health["status"] == ("degraded" if reasons else "ok")
                return
            await asyncio.sleep(0.02)


async def test_what_no_process_does_is_told_and_what_one_does_is_not(answering) -> None:
    await told(answering, "nobody runs valuation, upkeep")
    assert (await answering.http.get("/api/ready")).status_code == 200, "what is stored is answered"
    with contextlib.closing(PostgresShares(answering.database.url, "valuation", SHARES)) as shares:
        shares.take_shares()
        await told(answering, "nobody runs upkeep")
        with leased(answering, "upkeep"):
            await told(answering)
        await told(answering, "nobody runs upkeep")


async def test_that_nobody_runs_feeds_is_told_once_somebody_did(answering) -> None:
    await told(answering, "nobody runs valuation, upkeep")
    with leased(answering, "feeds", "upkeep"):  # taken together, so seen together
        await told(answering, "nobody runs valuation")
    await told(answering, "nobody runs valuation, upkeep, feeds")


async def test_who_only_answers_is_not_counted_as_who_does_the_rest(answering) -> None:
    address = f"http://127.0.0.1:{answering.options['metrics_port']}/metrics"
    async with httpx.AsyncClient() as client:
        figures = prometheus.parse((await client.get(address)).text)
    assert prometheus.value(figures, "oddsdesk_owner") == 0
