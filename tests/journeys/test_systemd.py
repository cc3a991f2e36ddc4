"""What `serve` reports to systemd, on a socket as systemd provides it."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kit.postgres import Postgres
from tests.kit.program import Launch
from tests.kit.workers import until

if sys.platform == "win32":
    pytest.skip("no such sockets", allow_module_level=True)

from tests.kit.notify_socket import NotifySocket

WATCHDOG = {"WATCHDOG_USEC": "200000"}
FEED = """
import json, os, pathlib, sys
pathlib.Path(sys.argv[1]).write_text(json.dumps(dict(os.environ)))
"""


@pytest.fixture
def systemd(tmp_path: Path) -> Iterator[NotifySocket]:
    with NotifySocket(str(tmp_path / "notify")) as listening:
        yield listening


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_server_says_that_it_is_ready_how_it_is_and_that_it_stops(
    workers: str, systemd: NotifySocket, launch: Launch, tmp_path: Path
) -> None:
    """It is ready once it answers, and programs of its feeds cannot report for it."""
    script, seen = tmp_path / "feed.py", tmp_path / "seen"
    script.write_text(FEED)
    program = launch(
        *("serve", "--port", "0", "--database", str(tmp_path / "odds.db"), "--workers", workers),
        *("--feed", f"exec:{sys.executable} {script} {seen}"),
        NOTIFY_SOCKET=systemd.address,
        **WATCHDOG,
    )
    line = program.first_line()
    assert line.startswith("listening on http://127.0.0.1:")
    assert systemd.next() == ["READY=1", f"STATUS={line}"]
    if workers == "2":
        systemd.until(f"STATUS={line}, 2 of 2 workers running")
    systemd.until("WATCHDOG=1")
    systemd.until("WATCHDOG=1")
    environment = json.loads(until(lambda: seen.exists() and seen.read_text()))
    assert not environment.keys() & {"NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"}
    assert program.finish()[0] == 0
    systemd.until("STOPPING=1")
    assert systemd.drain() == []


@pytest.mark.parametrize("workers", ["1", "2"])
def test_the_status_shows_what_is_wrong_until_it_is_over(
    workers: str, systemd: NotifySocket, launch: Launch, tmp_path: Path
) -> None:
    database = tmp_path / "odds.db"
    program = launch(
        *("serve", "--port", "0", "--database", str(database), "--workers", workers),
        NOTIFY_SOCKET=systemd.address,
        **WATCHDOG,
    )
    runs = program.first_line() + (", 2 of 2 workers running" if workers == "2" else "")
    away = database.rename(tmp_path / "away.db")
    moved = "odds cannot be recorded: the database file was moved or deleted"
    told = systemd.until_told(runs, moved)
    assert told.count(moved) == 1
    away.rename(database)
    systemd.until(f"STATUS={runs}")
    assert program.finish()[0] == 0


def test_a_process_that_stands_by_is_ready_too(
    systemd: NotifySocket, launch: Launch, postgres: Postgres
) -> None:
    options = ("serve", "--roles", "upkeep,feeds", "--database", postgres.url())
    launch(*options).first_line()
    program = launch(*options, NOTIFY_SOCKET=systemd.address, **WATCHDOG)
    assert systemd.next() == ["READY=1", "STATUS=running upkeep, feeds"]
    systemd.until("STATUS=running upkeep, feeds; standing by for another process")
    assert program.finish()[0] == 0


def test_a_socket_that_is_away_keeps_nobody_from_being_served(
    launch: Launch, tmp_path: Path
) -> None:
    program = launch(
        *("serve", "--port", "0", "--database", str(tmp_path / "odds.db")),
        NOTIFY_SOCKET=str(tmp_path / "none"),
        **WATCHDOG,
    )
    assert program.first_line().startswith("listening on ")
    status, _, log = program.finish()
    assert status == 0
    assert log.count("cannot report the server's state to systemd") == 1
