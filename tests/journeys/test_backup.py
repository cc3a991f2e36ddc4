"""A server is backed up while quotes come in; what is restored elsewhere answers as it did."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from oddsdesk.store.store import open_store
from tests.kit.ndjson import quote
from tests.kit.program import Launch

LISTS = (
    "sports",
    "bookmakers",
    "events?limit=500",
    "odds?limit=500",
    "odds/live?limit=500",
    "odds/Harbour?limit=500",
    "games?limit=500",
    "value-bets?limit=500",
)
FAIR = {"Everton": 2.1, "Draw": 3.5, "Liverpool": 3.6}
VALUE = {"Everton": 2.25, "Draw": 3.4, "Liverpool": 3.5}
HEAT = {"Miami Heat": 1.9, "Boston Celtics": 2.0}
LIMIT_S = 30

Run = Callable[..., str]


@pytest.fixture
def run(launch: Launch) -> Run:
    """Runs a command to its end, which has to be a good one, and returns what it printed."""

    def run(*arguments: str | Path) -> str:
        program = launch(*map(str, arguments))
        out, err = program.process.communicate(timeout=LIMIT_S)
        assert (program.process.returncode, err) == (0, "")
        return out

    return run


@pytest.fixture
def database(run: Run, tmp_path: Path) -> Path:
    """Two bookmakers, one of them the reference, and prices in play of a third."""
    file = tmp_path / "quotes.ndjson"
    heat = {"match_name": "Miami Heat vs Boston Celtics", "competition": "NBA", "is_live": True}
    rows = [quote(FAIR, bookmaker="Pinnacle"), quote(VALUE), quote(HEAT, bookmaker="Ponte", **heat)]
    file.write_text("".join(rows))
    run("ingest", file, "--database", tmp_path / "odds.db")
    return tmp_path / "odds.db"


def _serve(launch: Launch, database: Path) -> tuple[Any, str]:
    server = launch("serve", "--port", "0", "--database", str(database))
    return server, server.first_line().removeprefix("listening on ")


def _answers(url: str, key: str) -> dict[str, Any]:
    with httpx.Client(headers={"X-Api-Key": key}) as client:

        def ask(path: str) -> Any:
            return client.get(f"{url}/api/{path}").raise_for_status().json()["data"]

        details = [f"games/{game['game_id']}" for game in ask("games")]
        details += [f"events/{event['slug']}" for event in ask("events")]
        return {path: ask(path) for path in (*LISTS, *details)}


def _wait_for_value(url: str, key: str) -> None:
    deadline = time.monotonic() + LIMIT_S
    while not httpx.get(f"{url}/api/value-bets", headers={"X-Api-Key": key}).json()["data"]:
        assert time.monotonic() < deadline, "no value bet was found"
        time.sleep(0.05)


def test_what_is_restored_elsewhere_answers_as_the_original_to_the_same_key(
    launch: Launch, run: Run, database: Path, tmp_path: Path
):
    server, url = _serve(launch, database)
    key = run("keys", "create", "--plan", "Pro+ Live", "--database", database).strip()
    _wait_for_value(url, key)
    run("backup", tmp_path / "all.tar", "--with-keys", "--database", database)
    before = _answers(url, key)
    (tmp_path / "later.ndjson").write_text(quote(FAIR, bookmaker="After the backup"))
    run("ingest", tmp_path / "later.ndjson", "--database", database)
    assert server.finish()[0] == 0
    elsewhere = tmp_path / "elsewhere" / "odds.db"
    run("restore", tmp_path / "all.tar", "--database", elsewhere)
    _, url = _serve(launch, elsewhere)
    assert all(before.values()), "every list has something to compare"
    assert _answers(url, key) == before


def test_a_served_database_is_backed_up_but_not_restored_over(
    launch: Launch, run: Run, database: Path, tmp_path: Path
):
    server, url = _serve(launch, database)
    run("backup", tmp_path / "copy.db", "--database", database)
    command = ("restore", str(tmp_path / "copy.db"), "--force", "--database", str(database))
    refused = launch(*command)
    out, err = refused.process.communicate(timeout=LIMIT_S)
    assert (refused.process.returncode, out) == (1, "")
    assert f"is in use by another oddsdesk (process {server.process.pid}, {url})" in err
    assert len(err.splitlines()) == 1
    assert server.finish()[0] == 0
    assert run(*command).startswith(f"restored {database}; the old files are kept as ")


def test_the_keys_of_a_backup_are_those_that_the_database_is_served_with(
    launch: Launch, run: Run, database: Path, tmp_path: Path
):
    keys = ("--database", str(database), "--access", str(tmp_path / "keys.db"))
    run("keys", "create", "--account", "anna", "--plan", "Pro", *keys)
    launch("serve", "--port", "0", *keys).first_line()
    said = run("backup", tmp_path / "all.tar", "--with-keys", "--database", database)
    assert said.startswith("odds and keys of ")
    elsewhere = tmp_path / "elsewhere" / "odds.db"
    run("restore", tmp_path / "all.tar", "--database", elsewhere)
    assert "anna" in run("keys", "list", "--database", elsewhere)


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_backup_leaves_nothing(
    environment: dict[str, str], database: Path, how: signal.Signals
):
    """It is stopped while it waits for who reads it."""
    before = _files(database.parent)
    command = [sys.executable, "-m", "oddsdesk", "backup", "-", "--database", str(database)]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as program:
        assert program.stdout is not None
        assert program.stderr is not None
        assert program.stdout.read(16) == b"SQLite format 3\0"
        assert list(database.parent.glob(".odds.db.*.unfinished"))
        program.send_signal(how)
        assert program.wait(LIMIT_S) == 1
        assert program.stderr.read() == b"Error: interrupted; FILE is unchanged\n"
    assert _files(database.parent) == before


def _files(folder: Path) -> set[str]:
    """What lies in a folder, but for what SQLite keeps next to a database."""
    return {path.name for path in folder.iterdir() if path.suffix not in {".db-wal", ".db-shm"}}


@pytest.mark.parametrize("name", ["-", "/dev/stdout"])
def test_standard_output_is_nothing_but_the_backup(
    environment: dict[str, str], database: Path, tmp_path: Path, name: str
):
    command = [sys.executable, "-m", "oddsdesk", "backup", name, "--database", str(database)]
    with (tmp_path / "copy.db").open("wb") as file:
        done = subprocess.run(
            command, env=environment, stdout=file, stderr=subprocess.PIPE, text=True, check=True
        )
    assert done.stderr.startswith(f"odds of {database}: ")
    with closing(open_store(tmp_path / "copy.db", read_only=True)) as copy:
        assert copy.reference == "Pinnacle"


def test_a_disk_that_takes_no_more_is_one_line_and_the_older_backup_stays(
    environment: dict[str, str], database: Path, tmp_path: Path
):
    target = tmp_path / "copy.db"
    target.write_text("an older backup")
    limited = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536));"
        "from oddsdesk.cli.main import main; main()"
    )
    command = [sys.executable, "-c", limited, "backup", str(target), "--database", str(database)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert len(done.stderr.splitlines()) == 1
    assert target.read_text() == "an older backup"
    assert not list(tmp_path.glob(".*"))
