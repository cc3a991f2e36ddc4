"""`oddsdesk ingest` while another program holds the database: it waits, and records all of it."""

import contextlib
import os
import signal
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from oddsdesk.store.databases import database_named
from oddsdesk.store.store import open_store
from tests.kit.ndjson import quote
from tests.kit.program import Launch, Program

LIMIT_S = 30
Release = Callable[[], object]


@contextlib.contextmanager
def held(database: str) -> Iterator[Release]:
    """Hold the lock that recordings need; yields a function that frees it."""
    is_url = database.startswith("postgresql:")
    opened: Any = psycopg.connect(database, autocommit=True) if is_url else _file(database)
    with contextlib.closing(opened) as other:
        other.execute("BEGIN" if is_url else "BEGIN IMMEDIATE")
        if is_url:
            other.execute("SELECT FROM shard FOR UPDATE")
        yield lambda: other.execute("ROLLBACK")


def _file(database: str) -> sqlite3.Connection:
    return sqlite3.connect(database, isolation_level=None)


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Two files; the first is read while it is written."""
    made = [tmp_path / "first.ndjson", tmp_path / "second.ndjson"]
    os.mkfifo(made[0])
    made[1].write_text(game("Leeds"))
    return made


def game(home: str) -> str:
    return quote({home: 2.1, "Draw": 3.4, "Liverpool": 3.3}, match_name=f"{home} vs Liverpool")


@pytest.fixture(params=["sqlite", "postgresql"])
def made_database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """An empty database of each engine."""
    if request.param == "sqlite":
        database = str(tmp_path / "odds.db")
    else:
        database = request.getfixturevalue("postgres").url()
    open_store(database_named(database)).close()
    return database


@contextlib.contextmanager
def waiting(launch: Launch, database: str, files: list[Path]) -> Iterator[tuple[Program, Release]]:
    """Start a program that records files and waits for the lock; yields how to free it."""
    recorder = launch("ingest", *map(str, files), "--database", database)
    with files[0].open("w") as first, held(database) as release:  # it has opened the database
        first.write(game("Everton"))
        first.close()
        recorder.wait_for_log("waiting for the database")
        yield recorder, release


@pytest.mark.slow
def test_a_lock_never_leaves_a_file_half_read(
    launch: Launch, made_database: str, files: list[Path]
) -> None:
    with waiting(launch, made_database, files) as (recorder, release):
        release()
        out, err = recorder.process.communicate(timeout=LIMIT_S)
    assert (recorder.process.returncode, out) == (0, "quotes 2, changes 6, skipped 0, bad 0\n"), err


@pytest.mark.slow
def test_a_wait_for_a_lock_can_be_interrupted(
    launch: Launch, made_database: str, files: list[Path]
) -> None:
    with waiting(launch, made_database, files) as (recorder, _):
        status, out, err = recorder.finish(signal.SIGINT)
    assert (status, out) == (1, "quotes 0, changes 0, skipped 0, bad 0\n")
    assert "interrupted while waiting for the database" in err
