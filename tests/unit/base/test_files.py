"""Files and folders that are made for their owner, or for a group that shares a folder."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from oddsdesk.base.files import WriteWatch, keep_from_others, make_own_folder
from oddsdesk.base.places import make_folder
from oddsdesk.store.store import open_store

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has other file rights")

UMASK = """
import os, sys
from pathlib import Path
from oddsdesk.store.store import open_store
os.umask(int(sys.argv[2], 8))
store = open_store(Path(sys.argv[1]))
for ending in "", "-wal", "-shm":
    print(oct(os.stat(sys.argv[1] + ending).st_mode & 0o777))
store.close()
"""


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def modes_with_umask(database: Path, umask: str) -> set[str]:
    """Modes of the files of a database that a process with a umask opens."""
    made = subprocess.run(
        [sys.executable, "-c", UMASK, str(database), umask],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(made.stdout.split())


def test_a_database_and_its_folder_are_their_owners(tmp_path: Path) -> None:
    database = tmp_path / "made" / "for" / "odds.db"
    assert modes_with_umask(database, "022") == {"0o600"}
    assert {mode(database.parent), mode(database.parent.parent)} == {0o700}
    assert modes_with_umask(database, "002") == {"0o600"}


@pytest.mark.parametrize(
    ("of_folder", "umask", "expected"),
    [
        (0o2770, "002", "0o660"),
        (0o2775, "022", "0o640"),
        (0o2770, "077", "0o600"),
        (0o2750, "002", "0o600"),
        (0o1777, "002", "0o600"),
    ],
)
def test_a_folder_that_a_group_shares_gives_its_files_to_the_group(
    tmp_path: Path, of_folder: int, umask: str, expected: str
) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(of_folder)
    assert modes_with_umask(folder / "odds.db", umask) == {expected}


@pytest.mark.parametrize(
    ("before", "after"), [(0o644, 0o640), (0o664, 0o660), (0o660, 0o660), (0o600, 0o600)]
)
def test_a_database_that_is_there_loses_the_rights_of_others_only(
    tmp_path: Path, before: int, after: int
) -> None:
    database = tmp_path / "odds.db"
    open_store(database).close()
    database.chmod(before)
    open_store(database, read_only=True).close()
    assert mode(database) == before
    store = open_store(database)
    assert {mode(each) for each in tmp_path.iterdir()} == {after}
    store.close()


def test_nothing_of_another_user_is_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "odds.db"
    file.touch()
    file.chmod(0o644)
    uid = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: uid + 1)
    keep_from_others(file)
    assert mode(file) == 0o644


def test_a_folder_of_the_users_is_not_narrowed_but_one_of_ours_is(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    folder.chmod(0o755)
    make_folder(folder)
    assert mode(folder) == 0o755
    make_own_folder(folder)
    assert mode(folder) == 0o750


def test_a_file_that_cannot_be_made_is_left_to_its_user(tmp_path: Path) -> None:
    keep_from_others(tmp_path / "missing" / "odds.db")
    keep_from_others(tmp_path)
    assert not any(tmp_path.iterdir())


def test_a_file_may_have_changed_for_a_while_after_a_write_and_now_and_then(tmp_path: Path) -> None:
    """SQLite may publish a commit some seconds after the last write to its files."""
    (path := tmp_path / "odds.db").write_text("1")
    now_s = 0.0
    watch = WriteWatch(path, lambda: now_s)

    def says_yes_from(start_s: int, end_s: int) -> list[int]:
        nonlocal now_s
        yes = []
        for second in range(start_s, end_s):
            now_s = second
            yes += [second] if watch.may_have_changed() else []
        return yes

    assert says_yes_from(0, 80) == [*range(11), 70]
    path.write_text("12")
    assert says_yes_from(80, 100) == [*range(80, 91)]
    Path(f"{path}-wal").write_text("")
    assert says_yes_from(100, 120) == [*range(100, 111)]
