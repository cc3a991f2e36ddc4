"""Who serves a database (issue 5): one process, and never a dead one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from oddsdesk.store.errors import StoreError
from oddsdesk.store.lock import DatabaseInUseError, Owner, lock_database, lock_path, owner_of

HOLD = """
import sys
from pathlib import Path
from oddsdesk.store.lock import lock_database
lock = lock_database(Path(sys.argv[1]))
lock.announce("http://127.0.0.1:1")
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "odds.db"


@pytest.fixture
def holder(database: Path):
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(database)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.communicate()


def test_nobody_serves_a_database_that_was_never_locked(database: Path):
    assert owner_of(database) is None


def test_another_process_is_named_with_its_address(database: Path, holder: subprocess.Popen[str]):
    with pytest.raises(DatabaseInUseError) as refused:
        lock_database(database)
    assert refused.value.owner == Owner(holder.pid, "http://127.0.0.1:1")
    assert f"process {holder.pid}, http://127.0.0.1:1" in str(refused.value)
    assert str(database) in str(refused.value)
    assert len(str(refused.value).splitlines()) == 1


def test_who_serves_can_be_asked_without_taking_it(database: Path, holder: subprocess.Popen[str]):
    assert owner_of(database) == Owner(holder.pid, "http://127.0.0.1:1")


def test_the_lock_of_a_killed_process_is_taken_over(database: Path, holder: subprocess.Popen[str]):
    holder.kill()
    holder.wait()
    assert lock_path(database).exists()
    assert owner_of(database) is None
    lock = lock_database(database)
    lock.announce("http://127.0.0.1:2")
    assert owner_of(database) == Owner(os.getpid(), "http://127.0.0.1:2")
    lock.release()


def test_a_released_lock_leaves_nothing_behind(database: Path):
    lock_database(database).release()
    assert list(database.parent.iterdir()) == []
    lock_database(database).release()


def test_one_that_is_starting_has_time_to_say_where(database: Path, monkeypatch):
    monkeypatch.setattr("oddsdesk.store.lock.ANNOUNCE_LIMIT_S", 0.1)
    lock = lock_database(database)
    with pytest.raises(DatabaseInUseError) as refused:
        lock_database(database)
    assert refused.value.owner == Owner(os.getpid())
    assert f"(process {os.getpid()})" in str(refused.value)
    lock.release()


def test_a_second_name_of_the_file_is_the_same_database(database: Path):
    database.touch()
    other = database.with_name("other.db")
    other.symlink_to(database)
    lock = lock_database(database)
    lock.announce("http://127.0.0.1:3")
    with pytest.raises(DatabaseInUseError):
        lock_database(other)
    lock.release()


def test_a_lock_file_that_says_nonsense_does_not_hide_the_owner(database: Path, monkeypatch):
    monkeypatch.setattr("oddsdesk.store.lock.ANNOUNCE_LIMIT_S", 0.1)
    lock = lock_database(database)
    lock_path(database).write_text("not ours")
    with pytest.raises(DatabaseInUseError, match="another oddsdesk; use"):
        lock_database(database)
    lock.release()


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="its lock cannot be made"):
        lock_database(tmp_path / "file" / "odds.db")
