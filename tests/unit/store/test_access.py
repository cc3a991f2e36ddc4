"""One store of keys (D78): next to the database, or in the file that is named."""

import contextlib
import os
import sqlite3
import stat
from pathlib import Path

import pytest

from oddsdesk.base import places
from oddsdesk.store.access import open_access
from oddsdesk.store.databases import access_path, earlier_access_files
from oddsdesk.store.errors import StoreError
from oddsdesk.store.store import open_store
from tests.kit.users import NOBODY, as_nobody

CREATE = """
import sys
from oddsdesk.cli.main import main
main(["keys", *sys.argv[1:]])
"""


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "odds.db"
    open_store(path).close()
    return path


def refusal(database: Path, named: Path | None = None) -> str:
    with pytest.raises(StoreError) as refused:
        open_access(database, named)
    assert len(str(refused.value).splitlines()) == 1
    return str(refused.value)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_keys_lie_next_to_the_database_that_a_link_leads_to(database: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "elsewhere" / "link.db"
    link.symlink_to(database)
    assert access_path(link) == access_path(database) == tmp_path / "odds-access.db"


def test_a_file_that_is_named_takes_their_place(database: Path, tmp_path: Path) -> None:
    open_access(database, tmp_path / "keys.db").close()
    assert mode(tmp_path / "keys.db") == 0o600
    assert not access_path(database).exists()


def test_what_others_could_read_is_closed_to_them(database: Path) -> None:
    held = open_access(database)
    held.keys.create("anna", None, None, 0)
    files = [path for path in database.parent.iterdir() if "access" in path.name]
    assert len(files) == 3
    for path in files:
        path.chmod(0o644)
    open_access(database).close()
    assert {mode(path) for path in files} == {0o600}
    held.close()


def test_keys_next_to_a_file_that_is_none_of_ours_are_refused(tmp_path: Path) -> None:
    letter = tmp_path / "letter.db"
    letter.write_text("Dear bookmaker, " * 100)
    assert "is not a database" in refusal(letter)
    other = tmp_path / "other.db"
    with contextlib.closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE bookmarks (url)")
    assert "another program" in refusal(other)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["letter.db", "other.db"]


def test_keys_in_the_odds_file_itself_are_refused(database: Path) -> None:
    before = database.read_bytes(), mode(database)
    assert "is a file of odds" in refusal(database, database)
    assert (database.read_bytes(), mode(database)) == before


def test_keys_in_a_folder_that_is_missing_are_refused_and_it_is_not_made(tmp_path: Path) -> None:
    assert "there is no folder" in refusal(tmp_path / "typo" / "odds.db")
    assert list(tmp_path.iterdir()) == []


def test_keys_are_kept_through_no_link(database: Path, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.touch()
    access_path(database).symlink_to(precious)
    assert "is a link" in refusal(database)
    assert precious.read_bytes() == b""


def test_where_an_older_version_kept_keys_is_known(database: Path, tmp_path: Path) -> None:
    assert earlier_access_files(database) == []
    earlier = places.earlier_access(database)
    assert earlier is not None
    earlier.parent.mkdir(parents=True)
    earlier.touch()
    link = tmp_path / "link.db"
    link.symlink_to(database)
    (tmp_path / "link-access.db").touch()
    assert earlier_access_files(database) == [earlier]
    assert tmp_path / "link-access.db" in earlier_access_files(link)


def test_keys_next_to_a_database_are_its_own_however_its_folder_is_written(
    database: Path, tmp_path: Path
) -> None:
    """`keys create --database ../odds.db`: keys of seconds ago were told to open nothing here."""
    access_path(database).touch()
    folder = tmp_path / "other"
    folder.symlink_to(database.parent, target_is_directory=True)
    (database.parent / "below").mkdir()
    for written in (database.parent / "below" / ".." / database.name, folder / database.name):
        assert earlier_access_files(written) == []


def test_a_key_that_root_makes_is_usable_by_the_databases_owner(open_folder: Path) -> None:
    """F2.5: it was a file of root's, and the owner's server kept another one in its home."""
    database = open_folder / "odds.db"
    open_store(database).close()
    os.chown(database, NOBODY, NOBODY)
    open_access(database).close()
    assert access_path(database).stat().st_uid == NOBODY
    assert mode(access_path(database)) == 0o600
    made = as_nobody("-c", CREATE, "create", "--database", str(database))
    out, err = made.communicate(timeout=60)
    assert made.returncode == 0, err
    assert out.startswith("oddsdesk_live_")


def test_what_root_made_earlier_is_handed_over_by_root_and_refused_before(
    open_folder: Path,
) -> None:
    database = open_folder / "odds.db"
    open_store(database).close()
    open_access(database).close()
    os.chown(database, NOBODY, NOBODY)
    before = access_path(database).stat()
    refused = as_nobody("-c", CREATE, "list", "--database", str(database))
    _, err = refused.communicate(timeout=60)
    assert refused.returncode == 1
    assert "odds-access.db: belongs to root" in err
    assert len(err.splitlines()) == 1
    assert access_path(database).stat() == before
    open_access(database).close()
    listed = as_nobody("-c", CREATE, "list", "--database", str(database))
    listed.communicate(timeout=60)
    assert listed.returncode == 0


def test_root_keeps_no_keys_in_a_file_of_a_third_user(open_folder: Path) -> None:
    database = open_folder / "odds.db"
    open_store(database).close()
    access_path(database).touch()
    os.chown(access_path(database), NOBODY, NOBODY)
    assert "belongs to nobody" in refusal(database)


def test_who_cannot_write_is_told_and_gets_no_store_of_their_own(open_folder: Path) -> None:
    database = open_folder / "odds.db"
    open_store(database).close()
    open_folder.chmod(0o755)
    home = open_folder / "home"
    home.mkdir()
    os.chown(home, NOBODY, NOBODY)
    command = ("-c", CREATE, "create", "--database", str(database))
    named = {f"XDG_{each}_HOME": "" for each in ("DATA", "CONFIG", "STATE")}
    made = as_nobody(*command, HOME=str(home), **named)
    out, err = made.communicate(timeout=60)
    assert (made.returncode, out) == (1, "")
    assert "no permission to make it in this folder" in err
    assert len(err.splitlines()) == 1
    assert list(home.iterdir()) == []


def test_looking_at_files_in_use_drops_no_lock_on_them(database: Path) -> None:
    """To close a file drops all locks of the process on it, SQLite's too."""
    store, access = open_store(database), open_access(database)
    access.keys.create("anna", None, None, 0)
    files = sorted({database, access_path(database)})
    inodes = {path.stat().st_ino for path in files}
    before = _locked_inodes() & inodes
    assert before == inodes
    open_access(database).close()
    open_store(database, read_only=True).close()
    assert _locked_inodes() & inodes == before
    access.close()
    store.close()


def _locked_inodes() -> set[int]:
    """The inodes that this process has POSIX locks on."""
    locks = Path("/proc/locks")
    if not locks.exists():
        pytest.skip("only Linux tells of locks")
    lines = [line.split() for line in locks.read_text().splitlines()]
    return {
        int(f[5].rsplit(":", 1)[1]) for f in lines if f[1] == "POSIX" and int(f[4]) == os.getpid()
    }
