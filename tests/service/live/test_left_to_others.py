"""On PostgreSQL who answers tells what no process at all does (D82)."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator

import httpx
import pytest

from oddsdesk.server import owner_watch
from oddsdesk.server.settings import ANSWERING
from oddsdesk.server.valuing import SHARES
from oddsdesk.store.databases import DatabaseUrl
from oddsdesk.store.leases import leases_of
from oddsdesk.store.shares import shares_of
from tests.kit import prometheus
from tests.kit.deployed import free_port
from tests.kit.live_service import LiveService
from tests.kit.postgres import Postgres

LIMIT_S = 60


@pytest.fixture
async def answering(postgres: Postgres, monkeypatch) -> AsyncIterator[LiveService]:
    """A process that only answers, and looks often."""
    monkeypatch.setattr(owner_watch, "LOOK_ACROSS_S", 0.02)
    service = LiveService(DatabaseUrl(postgres.url()))
    service.options = {"roles": ANSWERING, "metrics_port": free_port()}
    await service.start()
    yield service
    await service.stop()


@contextlib.contextmanager
def leased(live: LiveService, *names: str) -> Iterator[None]:
    """Another process that has leases."""
    lease = leases_of(live.database, names)
    assert lease.take()
    yield
    lease.release()


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
    with contextlib.closing(shares_of(answering.database, "valuation", SHARES)) as shares:
        shares.take()
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
