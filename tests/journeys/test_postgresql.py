"""`serve --database postgresql://...`: any number of processes on one database."""

import signal
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.kit.ndjson import quote
from tests.kit.postgres import Postgres
from tests.kit.program import Launch, Program

LIMIT_S = 30
PASSWORD = "hidden-word"
SHARP = {"Everton": 2.1, "Draw": 3.5, "Liverpool": 3.6}


@pytest.fixture
def url(postgres: Postgres) -> str:
    """A database whose password nobody asks for, and nobody tells."""
    return postgres.url().replace("@", f":{PASSWORD}@", 1)


def served(launch: Launch, url: str, *options: str) -> tuple[Program, str]:
    program = launch("serve", "--database", url, "--port", "0", *options)
    line = program.first_line()
    if not line.startswith("listening on "):
        pytest.fail(f"{line} {program.process.communicate()[1]}")
    return program, line.removeprefix("listening on ")


def made_key(launch: Launch, url: str) -> dict[str, str]:
    creating = launch("keys", "create", "--plan", "Pro+ Live", "--write", "--database", url)
    return {"X-Api-Key": creating.process.communicate(timeout=LIMIT_S)[0].strip()}


def eventually(url: str, path: str, headers: dict[str, str], wanted: int) -> Any:
    """Ask until as many rows come."""
    deadline = time.monotonic() + LIMIT_S
    while True:
        rows = httpx.get(f"{url}{path}", headers=headers).json()["data"]
        if len(rows) == wanted:
            return rows
        assert time.monotonic() < deadline, f"{path} has {rows}"
        time.sleep(0.05)


def post(url: str, soft: float, headers: dict[str, str]) -> None:
    prices = {"Everton": soft, "Draw": 3.4, "Liverpool": 3.6}
    lines = quote(SHARP, bookmaker="Pinnacle") + quote(prices)
    assert httpx.post(f"{url}/ingest", content=lines, headers=headers).json()["accepted"] == 2


def test_two_servers_answer_alike_and_the_second_takes_over_from_the_first(
    launch: Launch, url: str
) -> None:
    first, first_url = served(launch, url)
    headers = made_key(launch, url)
    unsaid = httpx.post(f"{first_url}/ingest", content=b"")
    assert unsaid.status_code == 401
    assert "PostgreSQL has no owner's secret" in unsaid.json()["error"]["message"]
    post(first_url, soft=2.25, headers=headers)
    eventually(first_url, "/api/value-bets", headers, 1)  # it has the lease before another asks
    second, second_url = served(launch, url)
    for soft, count in ((2.0, 0), (2.25, 1)):  # whichever records, the one that has it values
        post(second_url, soft=soft, headers=headers)
        eventually(first_url, "/api/value-bets", headers, count)
    bets = eventually(second_url, "/api/value-bets", headers, 1)
    assert eventually(first_url, "/api/value-bets", headers, 1) == bets
    odds = [httpx.get(f"{each}/api/odds", headers=headers) for each in (first_url, second_url)]
    assert odds[0].json()["data"] == odds[1].json()["data"]
    assert len(odds[0].json()["data"]) == 2

    first.kill()
    told = second.wait_for_log("this server takes over")
    for soft, count in ((2.0, 0), (2.25, 1)):
        post(second_url, soft=soft, headers=headers)
        eventually(second_url, "/api/value-bets", headers, count)
    assert httpx.get(f"{second_url}/api/health").json()["status"] == "ok"
    status, out, log = second.finish()
    assert (status, out) == (0, "")
    assert PASSWORD not in told + log


def test_workers_share_a_database_and_one_takes_over_from_another(launch: Launch, url: str) -> None:
    _, address = served(launch, url, "--workers", "2")
    headers = made_key(launch, url)
    post(address, soft=2.25, headers=headers)
    assert len(eventually(address, "/api/value-bets", headers, 1)) == 1


@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        (["--durable"], 2, "--durable is for files"),
        (["--access", "keys.db"], 1, "keeps its keys itself, not in a file"),
    ],
)
def test_options_of_a_file_are_refused(
    launch: Launch, url: str, options: list[str], status: int, said: str
) -> None:
    serving = launch("serve", "--database", url, "--port", "0", *options)
    _, log = serving.process.communicate(timeout=LIMIT_S)
    assert serving.process.returncode == status
    assert said in log
    assert PASSWORD not in log


def test_a_server_that_is_not_there_is_said_in_one_line(launch: Launch, tmp_path: Path) -> None:
    url = f"postgresql://ann:{PASSWORD}@/odds?host={tmp_path}"
    serving = launch("serve", "--database", url, "--port", "0")
    _, log = serving.process.communicate(timeout=LIMIT_S)
    assert serving.process.returncode == 1
    (line,) = log.splitlines()
    assert "the database cannot be reached" in line
    assert PASSWORD not in line


def test_it_ends_in_time(launch: Launch, url: str) -> None:
    program, _ = served(launch, url, "--feed", "simulator")
    status, out, _ = program.finish(signal.SIGINT)
    assert (status, out) == (0, "")
