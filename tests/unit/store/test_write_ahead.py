"""The write-ahead log stays small, no matter who writes, and nothing of it is lost."""

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from oddsdesk.store.sqlite import database
from oddsdesk.store.sqlite.database import (
    LEFT_BYTES,
    LIMIT_BYTES,
    WriteAheadLog,
    open_reader,
    open_writer,
)
from oddsdesk.store.sqlite.migrations import Schema, Step
from oddsdesk.store.sqlite.writer import Writer

NOTES = Schema("notes", (Step("notes", ("CREATE TABLE note (who INTEGER, text BLOB)",)),))
LIMIT_S = 30
ROOT = Path(__file__).parents[3]
KIB = 1024
LIMIT = 256 * KIB


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(database, "STEP_BYTES", 64 * KIB)
    return tmp_path / "notes.db"


def writer_of(path: Path) -> Writer:
    connection = open_writer(path, NOTES, synchronous="NORMAL")
    connection.execute(f"PRAGMA journal_size_limit = {64 * KIB}").fetchall()
    return Writer("test writer", connection, wal=WriteAheadLog(path, connection, LIMIT))


def note(writer: Writer, size: int = 20 * KIB) -> None:
    query = "INSERT INTO note VALUES (1, zeroblob(?))"
    writer.submit(lambda c: c.execute(query, (size,))).result(LIMIT_S)


def wait_for_writer(writer: Writer) -> None:
    """Wait until the thread is past what follows the last commit."""
    writer.submit(lambda c: None).result(LIMIT_S)


def wal_bytes(path: Path) -> int:
    return path.with_name(f"{path.name}-wal").stat().st_size


def test_the_log_begins_again_while_others_have_the_file_open(path: Path) -> None:
    idle, busy = writer_of(path), writer_of(path)
    reader = open_reader(path, NOTES)
    largest = 0
    for number in range(100):
        note(busy)
        assert reader.execute("SELECT count(*) FROM note").fetchall() == [(number + 1,)]
        largest = max(largest, wal_bytes(path))
    assert largest < 2 * LIMIT
    assert path.stat().st_size > LIMIT
    for each in (busy, idle):
        each.close_writer()
    reader.close()


def test_the_log_shrinks_again_after_a_large_commit_and_a_long_reader(path: Path) -> None:
    writer = writer_of(path)
    reader = open_reader(path, NOTES)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM note").fetchall()
    note(writer, 8 * LIMIT)
    for _ in range(20):
        note(writer)
    assert wal_bytes(path) > 8 * LIMIT
    reader.execute("ROLLBACK")
    for _ in range(20):
        note(writer)
    wait_for_writer(writer)
    assert wal_bytes(path) < 2 * LIMIT
    reader.close()
    writer.close_writer()


def test_a_log_that_is_small_is_left_alone(path: Path) -> None:
    writer = writer_of(path)
    note(writer)
    wait_for_writer(writer)
    wal = path.read_bytes()
    note(writer)
    wait_for_writer(writer)
    assert path.read_bytes() == wal
    writer.close_writer()


def test_what_refuses_is_told_once_and_recording_goes_on(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    connection = open_writer(path, NOTES, synchronous="NORMAL")
    missing = WriteAheadLog(path.with_name("missing.db"), connection, 0)
    missing._file = path.with_name(f"{path.name}-wal")
    writer = Writer("test writer", connection, wal=missing)
    for _ in range(12):
        note(writer)
    writer.close_writer()
    heard = [record for record in caplog.records if "cannot be written back" in record.message]
    assert len(heard) == 1


_WRITES = f"""
import sys
from pathlib import Path
from oddsdesk.store.sqlite import database
from tests.unit.store.test_write_ahead import writer_of
database.STEP_BYTES = {8 * KIB}
writer = writer_of(Path(sys.argv[1]))
who = int(sys.argv[2])
for number in range(400):
    query = "INSERT INTO note VALUES (?, randomblob(3000))"
    writer.submit(lambda c: c.execute(query, (who,))).result()
writer.close_writer()
"""


def test_writers_of_several_processes_lose_nothing(path: Path) -> None:
    """Each copies the log while the others commit: the WAL-reset bug would show as damage."""
    keeper = writer_of(path)
    programs = [
        subprocess.Popen([sys.executable, "-c", _WRITES, str(path), str(who)], cwd=ROOT)
        for who in range(3)
    ]
    try:
        assert [program.wait(LIMIT_S) for program in programs] == [0, 0, 0]
    finally:
        keeper.close_writer()
    with sqlite3.connect(path) as connection:
        counts = connection.execute("SELECT who, count(*) FROM note GROUP BY who").fetchall()
        assert counts == [(0, 400), (1, 400), (2, 400)]
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()


def test_most_of_the_file_stays_when_its_log_begins_again(tmp_path: Path) -> None:
    """What is rewritten goes over pages that are there; the rest is what tells of its growth."""
    path = tmp_path / "notes.db"
    connection = open_writer(path, NOTES, synchronous="NORMAL")
    writer = Writer("test writer", connection, wal=WriteAheadLog(path, connection))
    while wal_bytes(path) < LIMIT_BYTES:
        note(writer, 1024 * KIB)
        wait_for_writer(writer)
    note(writer)
    wait_for_writer(writer)
    assert LIMIT_BYTES * 3 // 4 < wal_bytes(path) < LIMIT_BYTES
    writer.close_writer()


def test_the_file_is_cut_when_its_log_begins_again(path: Path) -> None:
    connection = open_writer(path, NOTES, synchronous="NORMAL")
    assert connection.execute("PRAGMA journal_size_limit").fetchall() == [(LEFT_BYTES,)]
    assert connection.execute("PRAGMA wal_autocheckpoint").fetchall() == [(0,)]
    connection.close()
