"""A clock of the day that jumps gives nobody more requests and takes no row (D84)."""

import contextlib
import json
import sqlite3
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from oddsdesk.contract.access import Plan
from tests.durability.trace import compiler
from tests.kit.deployed import own_environment
from tests.kit.ndjson import quote
from tests.kit.program import Program, as_owner
from tests.kit.workers import until

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or compiler() is None, reason="needs Linux and a C compiler (gcc)"
)

SOURCE = Path(__file__).with_name("clock.c")
HOUR_S = 3600
DAY_S = 24 * HOUR_S
JUMPS_S = (HOUR_S, -HOUR_S, 2 * DAY_S, -2 * DAY_S, 40 * DAY_S, -40 * DAY_S)
LIMIT_S = 30


class JumpingServer:
    """A `serve` whose clock of the day is set at will."""

    def __init__(self, folder: Path) -> None:
        self.database = folder / "odds.db"
        self._clock = folder / "ahead"
        self.jump(0)
        shim = folder / "clock.so"
        tool = compiler()
        assert tool is not None
        subprocess.run([tool, "-O2", "-shared", "-fPIC", "-o", shim, SOURCE, "-ldl"], check=True)
        environment = own_environment(folder)
        self._own = environment
        shifted = environment | {"LD_PRELOAD": str(shim), "CLOCK_FILE": str(self._clock)}
        command = ["serve", "--port", "0", "--keep-days", "30", "--database", str(self.database)]
        self.program = Program(command, shifted)
        self.url = self.program.first_line().removeprefix("listening on ")
        self.http = httpx.Client(base_url=self.url, timeout=LIMIT_S)
        self.http.headers.update(as_owner(self.database))

    def jump(self, seconds: int) -> None:
        """Set the clock ahead of the true one by so much."""
        with self._clock.open("r+b" if self._clock.exists() else "wb") as file:
            file.write(struct.pack("=q", seconds * 1000))

    def key(self) -> str:
        """A key of the smallest plan."""
        command = ["keys", "create", "--plan", Plan.FREE.value, "--bookmaker", "Harbour"]
        made = Program([*command, "--database", str(self.database)], self._own)
        return made.process.communicate(timeout=LIMIT_S)[0].strip()

    def ask(self, key: str) -> httpx.Response:
        return self.http.get("/api/odds", headers={"X-Api-Key": key})

    def log_rows(self) -> int:
        """How many price changes the database holds."""
        with contextlib.closing(sqlite3.connect(self.database)) as connection:
            (count,) = connection.execute("SELECT count(*) FROM price_change").fetchone()
        return int(count)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[JumpingServer]:
    server = JumpingServer(tmp_path)
    yield server
    server.http.close()
    server.program.kill()


def said_at(seconds: float, odds: float = 2.1) -> bytes:
    stamp = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
    return quote({"Everton": odds, "Draw": 3.5, "Liverpool": 3.6}, scraped_at=stamp)


def test_nothing_is_granted_or_lost_by_a_jump(server: JumpingServer) -> None:
    server.http.post("/ingest", content=said_at(time.time()))
    rows = server.log_rows()
    key = server.key()
    allowance = int(server.ask(key).headers["x-ratelimit-remaining"])
    assert [server.ask(key).status_code for _ in range(allowance)] == [200] * allowance
    for seconds in JUMPS_S:
        for ahead in (seconds, 0):
            server.jump(ahead)
            refused = server.ask(key)
            assert refused.status_code == 429, ahead
            assert 0 < int(refused.headers["retry-after"]) <= DAY_S
            reset = int(refused.headers["x-ratelimit-reset"]) - ahead
            assert 0 <= reset - time.time() + 1 <= DAY_S + 2
    assert server.log_rows() == rows


def test_prices_of_a_clock_that_was_ahead_stand_nowhere_and_are_told_until_seen_again(
    server: JumpingServer,
) -> None:
    server.jump(2 * DAY_S)
    ahead = server.http.post("/ingest", content=said_at(time.time() + 2 * DAY_S)).json()
    assert (ahead["accepted"], ahead["skipped"]) == (1, 0)
    server.jump(0)
    key = server.key()
    assert server.ask(key).json()["data"] == []

    def is_told() -> bool:
        health = json.dumps(server.http.get("/api/health").json())
        return "some odds are from 48.0 hours in the future" in health

    until(is_told, LIMIT_S)
    again = server.http.post("/ingest", content=said_at(time.time(), 2.2)).json()
    assert (again["accepted"], again["skipped"]) == (1, 0)
    assert [row["odds"]["Everton"] for row in server.ask(key).json()["data"]] == [2.2]
    until(lambda: not is_told(), LIMIT_S)
