"""`serve --roles`: what one process does, another need not."""

import time
from pathlib import Path

import httpx
import pytest

from tests.kit.ndjson import quote
from tests.kit.program import Launch, as_owner

LIMIT_S = 20
ONCE = "valuation,upkeep,feeds"


def url_of(line: str) -> str:
    assert line.startswith("listening on "), line
    return line.removeprefix("listening on ")


def made_key(launch: Launch, database: str) -> dict[str, str]:
    creating = launch("keys", "create", "--plan", "Pro+ Live", "--database", database)
    return {"X-Api-Key": creating.process.communicate(timeout=30)[0].strip()}


def test_one_process_values_what_is_posted_to_another(launch: Launch, tmp_path: Path) -> None:
    database = str(tmp_path / "odds.db")
    valuing = launch("serve", "--database", database, "--roles", ONCE)
    assert valuing.first_line() == "running valuation, upkeep, feeds"
    answering = launch("serve", "--database", database, "--port", "0", "--roles", "stream,api")
    url = url_of(answering.first_line())
    headers = made_key(launch, database)
    sharp = {"Everton": 2.1, "Draw": 3.5, "Liverpool": 3.6}
    lines = quote(sharp, bookmaker="Pinnacle") + quote({**sharp, "Everton": 2.25, "Draw": 3.4})
    counted = httpx.post(f"{url}/ingest", content=lines, headers=as_owner(database)).json()
    assert counted == {"accepted": 2, "skipped": 0, "rejected": []}
    deadline = time.monotonic() + LIMIT_S
    while not (bets := httpx.get(f"{url}/api/value-bets", headers=headers).json()["data"]):
        assert time.monotonic() < deadline, "nobody valued it"
        time.sleep(0.05)
    assert [bet["selection"] for bet in bets] == ["Everton"]

    asked = launch("feeds", "--database", database)
    assert "has no address" in asked.process.communicate(timeout=30)[1]
    second = launch("serve", "--database", database, "--port", "0", "--roles", "upkeep")
    assert f"process {valuing.process.pid}" in second.process.communicate(timeout=30)[1]
    assert second.process.returncode == 1
    for program in (answering, valuing):
        assert program.finish() == (0, "", "")


@pytest.mark.parametrize(
    ("role", "here", "elsewhere"),
    [
        ("api", ["/api/odds", "/openapi.json"], ["/api/stream/token"]),
        ("stream", ["/api/stream/token"], ["/api/odds", "/openapi.json", "/ingest"]),
    ],
)
def test_what_is_another_process_s_is_not_found(
    launch: Launch, tmp_path: Path, role: str, here: list[str], elsewhere: list[str]
) -> None:
    database = str(tmp_path / "odds.db")
    serving = launch("serve", "--database", database, "--port", "0", "--roles", f"{role},upkeep")
    url = url_of(serving.first_line())
    headers = made_key(launch, database)
    with httpx.Client(base_url=url, headers=headers) as client:
        statuses = {path: client.get(path).status_code for path in (*here, *elsewhere)}
        assert client.get("/api/health").json()["status"] == "ok"
    assert 404 not in [statuses[path] for path in here]
    assert [statuses[path] for path in elsewhere] == [404] * len(elsewhere)


@pytest.mark.parametrize(
    ("options", "status", "named"),
    [
        (["--roles", "api,tea"], 2, "api, stream, valuation, upkeep, feeds"),
        (["--roles", "api,stream", "--feed", "simulator"], 2, "--feed needs the role feeds"),
        (["--roles", "api", "--reference", "Sharp"], 2, "--reference needs the role feeds or"),
        (["--roles", "stream,feeds", "--archive", "old"], 2, "--archive needs the role api or up"),
        (["--roles", "api"], 1, "no such database yet"),
    ],
)
def test_roles_that_cannot_be_are_one_line(
    launch: Launch, tmp_path: Path, options: list[str], status: int, named: str
) -> None:
    database = tmp_path / "odds.db"
    refused = launch("serve", "--database", str(database), "--port", "0", *options)
    out, err = refused.process.communicate(timeout=30)
    assert (refused.process.returncode, out) == (status, "")
    assert named in err
    assert "Traceback" not in err
    assert not database.exists()
