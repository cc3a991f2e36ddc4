"""Opening files: what is made, what is refused and with which words."""

import errno
import os
import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from oddsdesk.base.files import user_name
from oddsdesk.store.errors import StoreError
from oddsdesk.store.sqlite.database import open_reader, open_writer
from oddsdesk.store.sqlite.migrations import Schema, Step
from oddsdesk.store.sqlite.recognition import unusable
from tests.kit.disks import refuse_writes

FIRST = Step("first", ("CREATE TABLE note (text TEXT)",))
SECOND = Step("second", ("ALTER TABLE note ADD COLUMN stars INTEGER", "CREATE TABLE tag (t TEXT)"))
OLD, NEW = Schema("notes", (FIRST,)), Schema("notes", (FIRST, SECOND))


def opened(path: Path, schema: Schema = OLD) -> sqlite3.Connection:
    return open_writer(path, schema, synchronous="NORMAL")


def refusal(path: Path, schema: Schema = OLD) -> str:
    with pytest.raises(StoreError) as error:
        opened(path, schema)
    assert "\n" not in str(error.value)
    assert str(path) in str(error.value)
    return str(error.value)


def sqlite_error(name: str, message: str) -> sqlite3.OperationalError:
    error = sqlite3.OperationalError(message)
    error.sqlite_errorname = name
    return error


CANNOT_OPEN = sqlite_error("SQLITE_CANTOPEN", "unable to open database file")


def test_a_fresh_file_and_its_folder_are_made_in_wal_mode(tmp_path: Path) -> None:
    connection = opened(tmp_path / "new" / "folder" / "notes.db")
    assert connection.execute("PRAGMA journal_mode").fetchall() == [("wal",)]
    assert connection.execute("SELECT * FROM note").fetchall() == []
    connection.close()


def test_an_older_file_is_brought_up_to_date_and_keeps_its_rows(tmp_path: Path) -> None:
    connection = opened(tmp_path / "notes.db")
    connection.execute("INSERT INTO note VALUES ('kept')")
    connection.close()
    connection = opened(tmp_path / "notes.db", NEW)
    assert connection.execute("SELECT * FROM note").fetchall() == [("kept", None)]
    connection.close()


def test_a_step_that_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    opened(tmp_path / "notes.db").close()
    broken = Schema("notes", (FIRST, Step("second", ("CREATE TABLE tag (t)", "nonsense"))))
    refusal(tmp_path / "notes.db", broken)
    connection = opened(tmp_path / "notes.db")
    tables = connection.execute("SELECT name FROM sqlite_master WHERE name = 'tag'").fetchall()
    connection.close()
    assert tables == []


def test_the_work_of_a_step_is_done_in_its_transaction(tmp_path: Path) -> None:
    def rate(connection: sqlite3.Connection) -> None:
        connection.execute("UPDATE note SET stars = length(text)")

    def fail(connection: sqlite3.Connection) -> None:
        rate(connection)
        raise sqlite3.OperationalError("nonsense")

    connection = opened(tmp_path / "notes.db")
    connection.execute("INSERT INTO note VALUES ('kept')")
    connection.close()
    refusal(
        tmp_path / "notes.db", Schema("notes", (FIRST, Step("second", SECOND.statements, fail)))
    )
    rated = Schema("notes", (FIRST, Step("second", SECOND.statements, rate)))
    connection = opened(tmp_path / "notes.db", rated)
    assert connection.execute("SELECT * FROM note").fetchall() == [("kept", 4)]
    connection.close()


def test_a_newer_file_is_refused(tmp_path: Path) -> None:
    opened(tmp_path / "notes.db", NEW).close()
    assert "newer oddsdesk" in refusal(tmp_path / "notes.db", OLD)


def test_a_text_file_is_no_database(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("shopping list\n" * 100)
    assert "is not a database" in refusal(path)
    assert path.read_text() == "shopping list\n" * 100


def test_a_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    other = sqlite3.connect(tmp_path / "other.db")
    other.execute("CREATE TABLE bookmarks (url)")
    other.close()
    assert "another program" in refusal(tmp_path / "other.db")


def test_a_damaged_file_is_named_as_damaged(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    connection = opened(path)
    connection.executemany("INSERT INTO note VALUES (?)", [("x" * 500,)] * 200)
    connection.close()
    data = bytearray(path.read_bytes())
    data[-8_192:-4_096] = random.Random(7).randbytes(4_096)
    path.write_bytes(data)
    assert "damaged" in refusal(path)


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    assert "cannot be opened" in refusal(tmp_path)


def test_a_file_in_the_way_of_the_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "cannot make its folder" in refusal(tmp_path / "file" / "notes.db")


def test_why_a_file_cannot_be_opened_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system is played, since root may do everything."""
    path = tmp_path / "odds.db"
    path.touch()
    assert str(unusable(path, CANNOT_OPEN)) == f"{path}: cannot be opened; is it a file?"
    access, mine = os.access, os.geteuid()
    monkeypatch.setattr(os, "access", lambda at, how: at != tmp_path and access(at, how))
    assert "odds.db: its folder is not writable" in str(unusable(path, CANNOT_OPEN))
    monkeypatch.setattr(os, "access", lambda _, how: how == os.F_OK)
    assert str(unusable(path, CANNOT_OPEN)) == f"{path}: you may not read it"
    monkeypatch.setattr(os, "geteuid", lambda: mine + 1)
    assert str(unusable(path, CANNOT_OPEN)) == f"{path}: belongs to {user_name(mine)}"


def test_a_read_only_disk_is_named_as_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "odds.db"
    path.touch()
    read_only = sqlite_error("SQLITE_READONLY", "attempt to write a readonly database")
    assert str(unusable(path, read_only)).endswith(
        "; check the permissions of the file and its folder"
    )
    refuse_writes(monkeypatch, errno.EROFS)
    reason = "the file system is read-only"
    assert str(unusable(path, read_only)) == f"{path}: cannot be written: {reason}"
    assert f"cannot be opened: {reason}" in str(unusable(path, CANNOT_OPEN))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_told(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    assert "cannot be opened" in refusal(tmp_path / "notes.db")


def test_a_reader_wants_an_existing_file_and_cannot_write(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no such database"):
        open_reader(tmp_path / "notes.db", OLD)
    writer = opened(tmp_path / "notes.db")
    reader = open_reader(tmp_path / "notes.db", OLD)
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        reader.execute("INSERT INTO note VALUES ('x')")
    reader.close()
    writer.close()


def test_a_file_that_was_torn_while_it_was_made_is_made_again(tmp_path: Path) -> None:
    path, torn = tmp_path / "odds.db", tmp_path / "torn.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("PRAGMA cache_size = 1")  # so that it writes before it commits
        writer.execute("BEGIN")
        writer.execute("CREATE TABLE large AS SELECT randomblob(100000)")
        for end in ("", "-journal"):
            shutil.copy(f"{path}{end}", f"{torn}{end}")
    with torn.open("r+b") as file:
        file.write(bytes(512))
    with closing(opened(torn)) as made:
        assert made.execute("SELECT count(*) FROM note").fetchall() == [(0,)]
