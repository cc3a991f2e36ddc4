"""From a quote in one process to a message and an answer in another."""

import json
import time
from pathlib import Path

import httpx
from websockets.sync.client import connect

from tests.kit.ndjson import quote
from tests.kit.program import Launch
from tests.kit.promises import in_time

RECEIPT_LIMIT_S = 5


def test_a_quote_ingested_elsewhere_is_streamed_and_answered(launch: Launch, tmp_path: Path):
    database = str(tmp_path / "odds.db")
    serving = launch("serve", "--port", "0", "--database", database)
    url = serving.first_line().removeprefix("listening on ")
    creating = launch("keys", "create", "--plan", "Pro+ Live", "--database", database)
    key = creating.process.communicate(timeout=30)[0].strip()
    headers = {"X-Api-Key": key}
    token = httpx.post(f"{url}/api/stream/token", headers=headers).json()["token"]
    address = f"{url.replace('http', 'ws')}/api/stream?token={token}&competition=EPL"
    with connect(address) as stream:
        file = tmp_path / "quotes.ndjson"
        file.write_text(quote({"Everton": 3.1, "Draw": 3.4, "Liverpool": 2.3}))
        ingesting = launch("ingest", str(file), "--database", database)
        out, err = ingesting.process.communicate(timeout=30)
        committed = time.monotonic()
        assert (ingesting.process.returncode, err) == (0, "")
        assert out.splitlines()[-1] == "quotes 1, changes 3, skipped 0, bad 0"
        messages = [json.loads(stream.recv(timeout=30)) for _ in range(3)]
        assert time.monotonic() - committed < in_time(RECEIPT_LIMIT_S)
    assert {m["selection"]: m["odds"] for m in messages} == {
        "Everton": 3.1,
        "Draw": 3.4,
        "Liverpool": 2.3,
    }
    rows = httpx.get(f"{url}/api/odds", headers=headers).json()["data"]
    assert [row["bookmaker"] for row in rows] == ["Harbour"]

    piped = tmp_path / "again.ndjson"
    piped.write_text("".join(json.dumps(row) + "\n" for row in rows))
    again = launch("ingest", str(piped), "--database", database)
    assert (
        again.process.communicate(timeout=30)[0].strip() == "quotes 1, changes 0, skipped 0, bad 0"
    )
    status, out, err = serving.finish()
    assert (status, out, err) == (0, "", "")


def test_a_bad_line_is_named_and_the_good_ones_are_kept(launch: Launch, tmp_path: Path):
    file = tmp_path / "quotes.ndjson"
    file.write_text(quote({"Everton": 3.1}) + "nonsense\n" + quote({"Everton": 0.5}))
    ingesting = launch("ingest", str(file), "--database", str(tmp_path / "odds.db"))
    out, err = ingesting.process.communicate(timeout=30)
    assert ingesting.process.returncode == 1
    assert out.splitlines()[-1] == "quotes 1, changes 1, skipped 0, bad 2"
    assert "2" in err.splitlines()[0]
    assert "odds" in err.splitlines()[1]
    assert "Traceback" not in err


def test_a_file_that_is_no_database_is_one_line_and_is_left_alone(launch: Launch, tmp_path: Path):
    file = tmp_path / "letter.db"
    file.write_text("Dear bookmaker, " * 100)
    serving = launch("serve", "--port", "0", "--database", str(file))
    out, err = serving.process.communicate(timeout=30)
    assert (serving.process.returncode, out) == (1, "")
    assert len(err.splitlines()) == 1
    assert str(file) in err
    assert file.read_text().startswith("Dear bookmaker")


def test_a_port_in_use_is_one_line(launch: Launch, tmp_path: Path):
    first = launch("serve", "--port", "0", "--database", str(tmp_path / "a.db"))
    port = first.first_line().rpartition(":")[2]
    second = launch("serve", "--port", port, "--database", str(tmp_path / "b.db"))
    out, err = second.process.communicate(timeout=30)
    assert (second.process.returncode, out) == (1, "")
    assert len(err.splitlines()) == 1
    assert port in err
