"""A database is never half migrated, never under another's hands, and copied first (D77, F2.6)."""

import contextlib
import os
import re
import signal
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from oddsdesk.base import earlier_copy
from oddsdesk.store.access import open_access
from oddsdesk.store.databases import access_path
from oddsdesk.store.errors import StoreError, StoreUnavailableError
from oddsdesk.store.lock import lock_database, lock_path
from oddsdesk.store.sqlite.access_file import SCHEMA as ACCESS
from oddsdesk.store.sqlite.database import open_reader, open_writer
from oddsdesk.store.sqlite.migrations import Schema, Step
from oddsdesk.store.sqlite.recognition import SchemaCheck
from oddsdesk.store.sqlite.schema import ODDS
from oddsdesk.store.sqlite.writer import Writer
from oddsdesk.store.store import open_store

FIRST = Step("first", ("CREATE TABLE note (text TEXT)",))
SECOND = Step("second", ("ALTER TABLE note ADD COLUMN stars INTEGER", "CREATE TABLE tag (t TEXT)"))
BROKEN = Step("second", ("CREATE TABLE tag (t TEXT)", "nonsense"))
OLD, NEW = Schema("notes", (FIRST,)), Schema("notes", (FIRST, SECOND))

MIGRATE_AND_DIE = """
import os, signal, sqlite3, sys
from pathlib import Path
from oddsdesk.store.sqlite import database
from tests.unit.store.test_migration_guard import NEW

left = int(sys.argv[2])
def count(*_):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)

def traced(function):
    def wrapped(*arguments, **options):
        count()
        return function(*arguments, **options)
    return wrapped

connect = sqlite3.connect
def connect_traced(*arguments, **options):
    connection = connect(*arguments, **options)
    connection.set_trace_callback(count)
    return connection
sqlite3.connect = connect_traced
for name in ("replace", "unlink", "fsync", "open", "close"):
    setattr(os, name, traced(getattr(os, name)))
database.open_writer(Path(sys.argv[1]), NEW, synchronous="FULL").close()
print("migrated")
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """An older file with a note in it."""
    path = tmp_path / "notes.db"
    connection = open_writer(path, OLD, synchronous="NORMAL")
    connection.execute("INSERT INTO note VALUES ('kept')")
    connection.close()
    return path


def migrate(path: Path, schema: Schema = NEW) -> None:
    open_writer(path, schema, synchronous="NORMAL").close()


def copies(path: Path) -> list[Path]:
    return sorted(path.parent.glob(f"{path.name}.before-*"))


def notes(path: Path, schema: Schema) -> list[tuple[object, ...]]:
    with contextlib.closing(open_reader(path, schema)) as connection:
        return connection.execute("SELECT * FROM note").fetchall()


def test_what_is_migrated_is_copied_first_and_that_is_told(
    path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    migrate(path)
    (copy,) = copies(path)
    assert sorted(each.name for each in path.parent.iterdir()) == ["notes.db", copy.name]
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert notes(path, NEW) == [("kept", None)]
    assert notes(copy, OLD) == [("kept",)]
    (line,) = caplog.messages
    assert str(copy) in line
    assert str(path) in line


def test_who_is_too_old_for_a_file_is_told_of_the_copy_that_it_can_open(path: Path) -> None:
    third = Step("third", ("CREATE TABLE t3 (x)",))
    migrate(path)
    migrate(path, Schema("notes", (*NEW.steps, third)))
    first, second = copies(path)
    for schema, copy in ((OLD, first), (NEW, second)):
        said = f"update this one, or go back to {copy.name} in the same folder"
        with pytest.raises(StoreError, match=re.escape(said)):
            open_reader(path, schema)
    first.unlink()
    with pytest.raises(StoreError, match=r"update this one$"):
        open_reader(path, OLD)


def test_what_lies_in_the_write_ahead_log_is_in_the_copy_too(path: Path) -> None:
    connection = open_writer(path, OLD, synchronous="NORMAL")
    connection.execute("INSERT INTO note VALUES ('late')")
    migrate(path)
    connection.close()
    assert notes(copies(path)[0], OLD) == [("kept",), ("late",)]


def test_a_fresh_file_and_one_that_is_current_are_not_copied(path: Path) -> None:
    migrate(path, OLD)
    migrate(path.with_name("fresh.db"))
    assert copies(path) == copies(path.with_name("fresh.db")) == []


def test_the_last_two_copies_are_kept(path: Path) -> None:
    steps = [FIRST, *(Step(f"step {n}", (f"CREATE TABLE t{n} (x)",)) for n in range(4))]
    made = []
    for count in range(2, 6):
        migrate(path, Schema("notes", tuple(steps[:count])))
        made += [copy for copy in copies(path) if copy not in made]
    assert len(made) == 4
    assert copies(path) == sorted(made[-2:])


def test_what_sqlite_leaves_next_to_a_copy_that_was_read_is_no_copy(path: Path) -> None:
    migrate(path)
    notes(copies(path)[0], OLD)
    assert {each.name[-4:] for each in copies(path)[1:]} == {"-shm", "-wal"}
    third = Step("third", ("CREATE TABLE t3 (x)",))
    migrate(path, Schema("notes", (*NEW.steps, third)))
    first, second = (each for each in copies(path) if each.name.endswith("Z"))
    assert (notes(first, OLD), notes(second, NEW)) == ([("kept",)], [("kept", None)])


def test_a_migration_that_fails_leaves_the_file_and_no_copy(path: Path) -> None:
    before = path.read_bytes()
    with pytest.raises(StoreError):
        migrate(path, Schema("notes", (FIRST, BROKEN)))
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_without_room_for_a_copy_nothing_is_migrated(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = path.read_bytes()
    monkeypatch.setattr(earlier_copy, "SPARE_BYTES", 2**62)
    with pytest.raises(StoreError, match="more free space") as refused:
        migrate(path)
    assert len(str(refused.value).splitlines()) == 1
    assert "stays as it is" in str(refused.value)
    assert path.read_bytes() == before
    assert list(path.parent.iterdir()) == [path]


def test_a_served_file_is_not_migrated_and_who_serves_it_is_told(path: Path) -> None:
    before = path.read_bytes()
    lock = lock_database(path)
    lock.announce_owner("http://127.0.0.1:1")
    with pytest.raises(StoreError, match="stop that one first") as refused:
        migrate(path)
    assert f"process {os.getpid()}, http://127.0.0.1:1" in str(refused.value)
    assert path.read_bytes() == before
    assert copies(path) == []
    open_writer(path, NEW, synchronous="NORMAL", lock=lock).close()
    assert notes(path, NEW) == [("kept", None)]
    lock.release_lock()


def test_the_lock_is_let_go_once_the_file_is_up_to_date(path: Path) -> None:
    connection = open_writer(path, NEW, synchronous="NORMAL")
    assert not lock_path(path).exists()
    connection.close()


def test_keys_are_not_migrated_with_a_server_either(tmp_path: Path) -> None:
    database = tmp_path / "odds.db"
    older = Schema(ACCESS.name, (Step("older", ("CREATE TABLE account (x)",)),))
    open_writer(access_path(database), older, synchronous="NORMAL").close()
    newer = Schema(ACCESS.name, (*older.steps, SECOND))
    lock = lock_database(database)
    with pytest.raises(StoreError, match="stop that one first"):
        open_writer(access_path(database), newer, synchronous="FULL", locked_by=database)
    lock.release_lock()


def test_an_older_odds_file_and_its_keys_are_brought_up_to_date_by_who_holds_the_lock(
    tmp_path: Path,
) -> None:
    database = tmp_path / "odds.db"
    open_writer(database, Schema(ODDS.name, ODDS.steps[:2]), synchronous="NORMAL").close()
    lock = lock_database(database)
    with pytest.raises(StoreError, match="stop that one first"):
        open_store(database)
    with contextlib.closing(open_store(database, lock=lock)):
        open_access(database, lock=lock).close()
    lock.release_lock()
    assert len(copies(database)) == 1


@pytest.mark.parametrize("at", range(0, 60, 6))
def test_a_migration_that_is_killed_is_done_or_not(path: Path, at: int) -> None:
    killed = subprocess.run(
        [sys.executable, "-c", MIGRATE_AND_DIE, str(path), str(at)],
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        timeout=60,
    )
    if killed.returncode == 0:
        assert killed.stdout == "migrated\n"
    else:
        assert killed.returncode == -signal.SIGKILL, killed.stderr
    with contextlib.closing(sqlite3.connect(path)) as connection:
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
        columns = connection.execute("PRAGMA table_info(note)").fetchall()
        steps = connection.execute("SELECT count(*) FROM _sqlite_migrations").fetchone()
        assert connection.execute("SELECT text FROM note").fetchall() == [("kept",)]
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    done = "tag" in tables
    assert (len(columns) == 2, steps == (2,)) == (done, done)
    for copy in copies(path):
        if copy.suffix != ".unfinished":
            assert notes(copy, OLD) == [("kept",)]
    migrate(path)
    assert notes(path, NEW) == [("kept", None)]
    assert not list(path.parent.glob("*.unfinished"))


def test_a_running_older_program_says_that_a_newer_one_changed_the_tables(path: Path) -> None:
    writer = Writer(
        "test writer", open_writer(path, OLD, synchronous="NORMAL"), check=SchemaCheck(path, OLD)
    )
    writer.submit(lambda c: c.execute("INSERT INTO note VALUES ('late')")).result()
    migrate(path)
    with pytest.raises(StoreUnavailableError, match="newer oddsdesk"):
        writer.submit(lambda c: c.execute("INSERT INTO note (text) VALUES ('x')")).result()
    writer.close_writer()
    assert notes(path, NEW) == [("kept", None), ("late", None)]


def test_reads_of_a_running_older_program_say_so_too(tmp_path: Path) -> None:
    path = tmp_path / "odds.db"
    with contextlib.closing(open_store(path)) as store:
        store.reader().changes_after(0, 10)
        newer = Schema(ODDS.name, (*ODDS.steps, Step("later", ("DROP TABLE price_change",))))
        migrate(path, newer)
        with pytest.raises(StoreUnavailableError, match="newer oddsdesk"):
            store.reader().changes_after(0, 10)
