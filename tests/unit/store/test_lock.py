"""Who serves a database (issue 5): one process, and never a dead one."""

import fcntl
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from oddsdesk.store.errors import StoreError
from oddsdesk.store.lock import (
    DatabaseInUseError,
    ForeignLockError,
    Owner,
    lock_database,
    lock_path,
    owner_of,
)
from tests.kit.disks import refuse_to_open_for_writing
from tests.kit.users import NOBODY, as_nobody

HOLD = """
import sys
from pathlib import Path
from oddsdesk.store.lock import lock_database
lock = lock_database(Path(sys.argv[1]))
lock.announce_owner("http://127.0.0.1:1")
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


def test_the_server_of_a_database_is_found_on_a_read_only_disk(
    database: Path, holder: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch
):
    refuse_to_open_for_writing(monkeypatch)
    assert owner_of(database) == Owner(holder.pid, "http://127.0.0.1:1")
    holder.kill()
    holder.wait()
    assert owner_of(database) is None


def test_a_second_program_that_asks_is_not_taken_for_the_server(database: Path):
    lock_path(database).touch(0o600)
    with lock_path(database).open("rb") as asking:
        fcntl.flock(asking, fcntl.LOCK_SH | fcntl.LOCK_NB)
        assert owner_of(database) is None


def test_the_lock_of_a_killed_process_is_taken_over(database: Path, holder: subprocess.Popen[str]):
    holder.kill()
    holder.wait()
    assert lock_path(database).exists()
    assert owner_of(database) is None
    lock = lock_database(database)
    lock.announce_owner("http://127.0.0.1:2")
    assert owner_of(database) == Owner(os.getpid(), "http://127.0.0.1:2")
    lock.release_lock()


def test_a_released_lock_leaves_nothing_behind(database: Path):
    lock_database(database).release_lock()
    assert list(database.parent.iterdir()) == []
    lock_database(database).release_lock()


def test_one_that_is_starting_has_time_to_say_where(database: Path, monkeypatch):
    monkeypatch.setattr("oddsdesk.store.lock.ANNOUNCE_LIMIT_S", 0.1)
    lock = lock_database(database)
    with pytest.raises(DatabaseInUseError) as refused:
        lock_database(database)
    assert refused.value.owner == Owner(os.getpid())
    assert f"(process {os.getpid()})" in str(refused.value)
    lock.release_lock()


def test_a_second_name_of_the_file_is_the_same_database(database: Path):
    database.touch()
    other = database.with_name("other.db")
    other.symlink_to(database)
    lock = lock_database(database)
    lock.announce_owner("http://127.0.0.1:3")
    with pytest.raises(DatabaseInUseError):
        lock_database(other)
    lock.release_lock()


def test_a_lock_file_that_says_nonsense_does_not_hide_the_owner(database: Path, monkeypatch):
    monkeypatch.setattr("oddsdesk.store.lock.ANNOUNCE_LIMIT_S", 0.1)
    lock = lock_database(database)
    lock_path(database).write_text("not ours")
    with pytest.raises(DatabaseInUseError, match="another oddsdesk; use"):
        lock_database(database)
    lock.release_lock()


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="its lock cannot be made"):
        lock_database(tmp_path / "file" / "odds.db")


def test_a_lock_is_its_owners_alone(database: Path):
    lock = lock_database(database)
    assert stat.S_IMODE(lock_path(database).stat().st_mode) == 0o600
    lock.release_lock()


def test_the_lock_is_taken_through_no_link(database: Path, tmp_path: Path):
    precious = tmp_path / "precious.txt"
    precious.write_text("precious")
    lock_path(database).symlink_to(precious)
    with pytest.raises(ForeignLockError, match="is a link"):
        lock_database(database)
    with pytest.raises(ForeignLockError, match="is a link"):
        owner_of(database)
    assert precious.read_text() == "precious"


def test_a_pipe_in_the_place_of_the_lock_is_not_waited_for(database: Path):
    os.mkfifo(lock_path(database))
    with pytest.raises(ForeignLockError, match="not a regular file"):
        lock_database(database)


def test_a_free_lock_that_others_could_open_is_made_again(database: Path):
    """A process that has it open could hold it after a crash and be handed a key."""
    lock_path(database).write_text("{}")
    lock_path(database).chmod(0o644)
    with lock_path(database).open() as opened_before:
        lock = lock_database(database)
        fcntl.flock(opened_before, fcntl.LOCK_EX | fcntl.LOCK_NB)
        assert stat.S_IMODE(lock_path(database).stat().st_mode) == 0o600
    lock.release_lock()


def test_who_holds_a_lock_that_others_could_open_is_not_believed(database: Path, monkeypatch):
    monkeypatch.setattr("oddsdesk.store.lock.ANNOUNCE_LIMIT_S", 0.1)
    lock_path(database).write_text('{"pid": 1, "url": "http://127.0.0.1:1"}')
    lock_path(database).chmod(0o644)
    with lock_path(database).open() as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        for ask in (owner_of, lock_database):
            with pytest.raises(ForeignLockError, match="opened by all users") as refused:
                ask(database)
            assert refused.value.owner is None
            assert len(str(refused.value).splitlines()) == 1


def test_another_users_lock_is_said_so_and_left(open_folder: Path):
    database = open_folder / "odds.db"
    lock_path(database).write_text('{"pid": 1, "url": "http://127.0.0.1:1"}')
    before = lock_path(database).stat()
    asked = as_nobody("-c", HOLD, str(database))
    _, err = asked.communicate(timeout=30)
    assert asked.returncode == 1
    assert "odds.db.lock belongs to root" in err.splitlines()[-1]
    assert lock_path(database).stat() == before


def test_what_root_leaves_is_taken_over_by_the_databases_owner(open_folder: Path):
    database = open_folder / "odds.db"
    database.touch()
    os.chown(database, NOBODY, NOBODY)
    lock = lock_database(database)
    assert lock_path(database).stat().st_uid == NOBODY
    lock_path(database).rename(open_folder / "kept")
    lock.release_lock()
    (open_folder / "kept").rename(lock_path(database))
    holder = as_nobody("-c", HOLD, str(database))
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    holder.communicate()


def test_root_touches_no_lock_of_a_third_user(open_folder: Path):
    database = open_folder / "odds.db"
    lock_path(database).touch(0o600)
    os.chown(lock_path(database), NOBODY, NOBODY)
    with pytest.raises(ForeignLockError, match="belongs to nobody"):
        lock_database(database)
