"""What is kept when a process is killed, at two kills of each phase.

`python -m tests.durability.killed` is the same with five hundred.
"""

import asyncio
import contextlib
import json
import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from oddsdesk.contract.access import Plan
from oddsdesk.contract.times import parse_ms
from oddsdesk.store.access import open_access
from oddsdesk.store.store import open_store
from tests.durability.invariants import broken
from tests.durability.killed import Result, run_cycles
from tests.durability.phases import PHASES

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")]

CYCLES = 2 * len(PHASES)
SEED = 1
STREAMED = 2_000
"""Prices that a subscriber has heard when the server is killed."""
FIELDS = ("bookmaker", "match_name", "market_type", "period", "selection", "odds")
RECORDED = """
SELECT bookmaker, match_name, market_type, period, selection, odds, scraped_at
FROM price_change JOIN game ON game.id = price_change.game
"""


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Result:
    return run_cycles(CYCLES, SEED, tmp_path_factory.mktemp("killed"))


def test_nothing_that_was_acknowledged_is_lost(result: Result) -> None:
    assert result.lost == []
    assert result.acknowledged.total() > CYCLES


def test_every_database_opens_whole(result: Result) -> None:
    assert result.broken == []
    assert set(result.cycles) == set(PHASES)


def test_every_price_that_was_streamed_is_there(tmp_path: Path) -> None:
    database = tmp_path / "odds.db"
    command = ["serve", "--port", "0", "--feed", "simulator", "--database", str(database)]
    with subprocess.Popen(
        [sys.executable, "-m", "oddsdesk", *command], stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        address = server.stdout.readline().removeprefix("listening on ").strip()
        with closing(open_access(database)) as access:
            key = access.keys.create("a", Plan.PRO_LIVE, None, 0).secret
        asked = httpx.post(f"{address}/api/stream/token", headers={"X-Api-Key": key})
        streamed = asyncio.run(_streamed_until_killed(address, asked.json()["token"], server))
    open_store(database).close()
    with closing(sqlite3.connect(database)) as connection:
        recorded = set(connection.execute(RECORDED))
    assert len(streamed) >= STREAMED
    assert streamed <= recorded
    assert broken(database) == []


async def _streamed_until_killed(
    address: str, token: str, server: "subprocess.Popen[str]"
) -> set[tuple[object, ...]]:
    streamed = set()
    async with connect(f"{address.replace('http', 'ws')}/api/stream?token={token}") as stream:
        with contextlib.suppress(ConnectionClosed):
            while True:
                heard = json.loads(await stream.recv())
                if "selection" in heard:
                    said = parse_ms(heard["scraped_at"])
                    streamed.add((*(heard[name] for name in FIELDS), said))
                if len(streamed) == STREAMED:
                    server.kill()
    return streamed
