"""The writer thread: whole or not at all, errors to the caller, alive afterwards."""

import errno
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from oddsdesk.store.errors import Fault, StoreUnavailableError
from oddsdesk.store.sqlite.database import FilePlace, open_reader, open_writer
from oddsdesk.store.sqlite.migrations import Schema, Step, migrate
from oddsdesk.store.sqlite.writer import Writer
from oddsdesk.store.turns import MAX_JOBS
from tests.kit.disks import refuse_writes

SCHEMA = Schema("notes", (Step("notes", ("CREATE TABLE note (text TEXT UNIQUE)",)),))
LIMIT_S = 30


@pytest.fixture
def connection(tmp_path: Path) -> sqlite3.Connection:
    return open_writer(tmp_path / "notes.db", SCHEMA, synchronous="NORMAL")


@pytest.fixture
def writer(connection: sqlite3.Connection) -> Iterator[Writer]:
    writer = Writer("test writer", connection)
    yield writer
    writer.close_writer()


def add(text: str):
    def function(connection: sqlite3.Connection) -> int:
        return connection.execute("INSERT INTO note VALUES (?)", (text,)).rowcount

    return function


def texts(tmp_path: Path) -> list[str]:
    reader = open_reader(tmp_path / "notes.db", SCHEMA)
    try:
        return [text for (text,) in reader.execute("SELECT text FROM note").fetchall()]
    finally:
        reader.close()


def hold(writer: Writer) -> threading.Event:
    """Keep the thread busy until the event is set, so that what follows waits together."""
    go, busy = threading.Event(), threading.Event()

    def wait(_: sqlite3.Connection) -> None:
        busy.set()
        assert go.wait(LIMIT_S)

    writer.submit(wait)
    assert busy.wait(LIMIT_S)
    return go


def test_a_done_future_means_that_others_can_read_it(writer: Writer, tmp_path: Path) -> None:
    assert writer.submit(add("a")).result(LIMIT_S) == 1
    assert texts(tmp_path) == ["a"]


def test_a_job_that_fails_leaves_those_it_shares_the_transaction_with(
    writer: Writer, tmp_path: Path
) -> None:
    go = hold(writer)

    def fail_halfway(connection: sqlite3.Connection) -> None:
        add("half")(connection)
        raise ValueError("no")

    first, bad, last = writer.submit(add("a")), writer.submit(fail_halfway), writer.submit(add("b"))
    go.set()
    assert (first.result(LIMIT_S), last.result(LIMIT_S)) == (1, 1)
    with pytest.raises(ValueError, match="no"):
        bad.result(LIMIT_S)
    assert texts(tmp_path) == ["a", "b"]


def test_waiting_jobs_share_one_commit(connection: sqlite3.Connection) -> None:
    commits: list[bool] = []
    writer = Writer("test writer", connection, lambda: commits.append(True))
    go = hold(writer)
    futures = [writer.submit(add(str(number))) for number in range(20)]
    go.set()
    for future in futures:
        future.result(LIMIT_S)
    writer.close_writer()
    assert len(commits) == 2


def note(order: list[str], name: str):
    return lambda _: order.append(name)


def test_a_short_job_waits_for_one_long_one_at_most(writer: Writer) -> None:
    order: list[str] = []
    go = hold(writer)
    waiting = [writer.submit(note(order, f"long {number}"), is_long=True) for number in range(4)]
    waiting += [writer.submit(note(order, f"short {number}")) for number in range(2)]
    go.set()
    for future in waiting:
        future.result(LIMIT_S)
    assert order == ["long 0", "short 0", "short 1", "long 1", "long 2", "long 3"]


def test_however_many_short_jobs_come_long_ones_have_their_turn(writer: Writer) -> None:
    order: list[str] = []
    go = hold(writer)
    waiting = [writer.submit(note(order, "short")) for _ in range(MAX_JOBS * 3)]
    waiting += [writer.submit(note(order, "long"), is_long=True) for _ in range(2)]
    go.set()
    for future in waiting:
        future.result(LIMIT_S)
    turns = ["long", *["short"] * MAX_JOBS]
    assert order == [*turns, *turns, *["short"] * MAX_JOBS]


def test_a_full_disk_is_told_to_every_caller_and_the_writer_lives_on(
    writer: Writer, tmp_path: Path
) -> None:
    def limit(pages: int):
        return lambda connection: connection.execute(f"PRAGMA max_page_count = {pages}").fetchall()

    writer.submit(limit(1)).result(LIMIT_S)
    go = hold(writer)
    small, big = writer.submit(add("small")), writer.submit(add("x" * 100_000))
    after = writer.submit(add("after"))
    go.set()
    with pytest.raises(StoreUnavailableError, match="full"):
        big.result(LIMIT_S)
    kept = [f.exception(LIMIT_S) is None for f in (small, after)]
    assert texts(tmp_path) == [t for t, ok in zip(("small", "after"), kept, strict=True) if ok]
    writer.submit(limit(10_000)).result(LIMIT_S)
    assert writer.submit(add("y" * 100_000)).result(LIMIT_S) == 1


def test_a_lock_held_by_another_program_is_unavailable(
    connection: sqlite3.Connection, tmp_path: Path
) -> None:
    connection.execute("PRAGMA busy_timeout = 10")
    writer = Writer("test writer", connection)
    other = sqlite3.connect(tmp_path / "notes.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreUnavailableError, match="locked"):
        writer.submit(add("a")).result(LIMIT_S)
    other.execute("ROLLBACK")
    other.close()
    assert writer.submit(add("a")).result(LIMIT_S) == 1
    writer.close_writer()


def test_a_recording_waits_while_others_go_on_writing(
    connection: sqlite3.Connection, tmp_path: Path
) -> None:
    """Each time that it asks, another has written meanwhile and holds the lock again."""
    connection.execute("PRAGMA busy_timeout = 10")
    other = sqlite3.connect(tmp_path / "notes.db", isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    left = ["b", "c", "d"]

    def write_meanwhile(statement: str) -> None:
        if statement == "BEGIN IMMEDIATE":
            if left:
                other.execute("INSERT INTO note VALUES (?)", (left.pop(),))
            other.execute("COMMIT")
            if left:
                other.execute("BEGIN IMMEDIATE")

    connection.set_trace_callback(write_meanwhile)
    writer = Writer("test writer", connection)
    assert writer.submit(add("a")).result(LIMIT_S) == 1
    other.close()
    writer.close_writer()
    assert texts(tmp_path) == ["d", "c", "b", "a"]


def test_a_recording_that_waits_as_long_as_it_takes_can_be_ended(
    connection: sqlite3.Connection, tmp_path: Path
) -> None:
    connection.execute("PRAGMA busy_timeout = 10")
    asked = threading.Semaphore(0)
    connection.set_trace_callback(lambda text: asked.release() if text[:5] == "BEGIN" else None)
    other = sqlite3.connect(tmp_path / "notes.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    writer = Writer("test writer", connection, waits=True)
    waiting = writer.submit(add("a"))
    for _ in range(5):
        assert asked.acquire(timeout=LIMIT_S)
    assert not waiting.done()
    writer.fail_waiting()
    with pytest.raises(StoreUnavailableError, match="locked"):
        waiting.result(LIMIT_S)
    other.close()
    writer.close_writer()


def test_a_file_that_is_being_made_by_another_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("oddsdesk.store.sqlite.database.BUSY_TIMEOUT_S", 0.05)
    other = sqlite3.connect(tmp_path / "notes.db", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    waits = []

    def end(_: float) -> None:
        waits.append(other.in_transaction)
        if len(waits) == 2:
            other.execute("ROLLBACK")

    monkeypatch.setattr("oddsdesk.store.sqlite.database.time.sleep", end)
    open_writer(tmp_path / "notes.db", SCHEMA, synchronous="NORMAL", waits=True).close()
    other.close()
    assert waits == [True, True]
    assert texts(tmp_path) == []


def test_a_file_that_another_has_made_meanwhile_is_neither_copied_nor_made_again(
    connection: sqlite3.Connection,
) -> None:
    copies: list[str] = []
    migrate(connection, SCHEMA, lambda: copies.append("copied"))
    assert (copies, connection.in_transaction) == ([], False)
    connection.close()


def test_a_bug_in_a_function_stays_its_own_error(writer: Writer) -> None:
    with pytest.raises(sqlite3.OperationalError, match="syntax"):
        writer.submit(lambda c: c.execute("SELEKT 1")).result(LIMIT_S)


def test_closing_finishes_what_was_queued(writer: Writer, tmp_path: Path) -> None:
    go = hold(writer)
    futures = [writer.submit(add(str(number))) for number in range(200)]
    go.set()
    writer.close_writer()
    assert all(future.result(0) == 1 for future in futures)
    assert len(texts(tmp_path)) == 200
    with pytest.raises(StoreUnavailableError, match="closed"):
        writer.submit(add("late")).result(LIMIT_S)


def test_a_broken_callback_is_logged_and_the_commit_stands(
    connection: sqlite3.Connection, caplog: pytest.LogCaptureFixture
) -> None:
    writer = Writer("test writer", connection, lambda: 1 / 0)
    assert writer.submit(add("a")).result(LIMIT_S) == 1
    assert writer.submit(add("b")).result(LIMIT_S) == 1
    writer.close_writer()
    assert "a callback after a commit failed" in caplog.text


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt, MemoryError, GeneratorExit])
def test_no_error_of_a_function_ends_the_thread(
    writer: Writer, tmp_path: Path, error: type[BaseException]
) -> None:
    def fail(_: sqlite3.Connection) -> None:
        raise error

    with pytest.raises(error):
        writer.submit(fail).result(LIMIT_S)
    assert writer.submit(add("after")).result(LIMIT_S) == 1
    assert texts(tmp_path) == ["after"]


def test_nothing_is_committed_to_a_file_that_is_not_in_its_place(
    connection: sqlite3.Connection, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Moved away or replaced: refused, told once; put back: it goes on."""
    path, away = tmp_path / "notes.db", tmp_path / "away.db"
    writer = Writer("test writer", connection, place=FilePlace(path))
    writer.submit(add("before")).result(LIMIT_S)
    path.rename(away)
    for _ in range(2):
        with pytest.raises(
            StoreUnavailableError, match="was moved or deleted; put it back"
        ) as told:
            writer.submit(add("lost")).result(LIMIT_S)
        assert told.value.fault is Fault.MOVED
    path.touch()
    with pytest.raises(StoreUnavailableError):
        writer.submit(add("lost, too")).result(LIMIT_S)
    path.unlink()
    away.rename(path)
    writer.submit(add("after")).result(LIMIT_S)
    writer.close_writer()
    assert texts(tmp_path) == ["before", "after"]
    assert [record.levelname for record in caplog.records] == ["ERROR", "WARNING"]


@pytest.mark.parametrize(
    ("refused_by", "fault"),
    [
        (errno.EROFS, Fault.READ_ONLY_DISK),
        (errno.EDQUOT, Fault.QUOTA),
        (errno.EPERM, Fault.NOT_ALLOWED),
        (errno.ENOMEM, Fault.OTHER),
    ],
)
def test_a_refusal_has_the_reason_that_the_disk_gives(
    connection: sqlite3.Connection,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    refused_by: int,
    fault: Fault,
) -> None:
    """SQLite says "disk I/O error" of all of them."""
    writer = Writer("test writer", connection, place=FilePlace(tmp_path / "notes.db"))

    def refuse(_: sqlite3.Connection) -> None:
        error = sqlite3.OperationalError("disk I/O error")
        error.sqlite_errorcode = sqlite3.SQLITE_IOERR_WRITE
        raise error

    refuse_writes(monkeypatch, refused_by)
    with pytest.raises(StoreUnavailableError) as refused:
        writer.submit(refuse).result(LIMIT_S)
    assert refused.value.fault is fault
    writer.close_writer()


def test_a_try_to_write_leaves_nothing(connection: sqlite3.Connection, tmp_path: Path) -> None:
    place, before = FilePlace(tmp_path / "notes.db"), sorted(tmp_path.iterdir())
    assert place.try_to_write() is None
    assert sorted(tmp_path.iterdir()) == before
