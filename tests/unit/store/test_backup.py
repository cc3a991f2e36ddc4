"""Backups: one moment of a file in use, whole, private, and nothing half-written left behind."""

import io
import sqlite3
import subprocess
import sys
import tarfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from oddsdesk.contract.access import Plan
from oddsdesk.contract.quotes import Quote
from oddsdesk.ledger.ledger import Ledger
from oddsdesk.store.access import open_access
from oddsdesk.store.errors import StoreError
from oddsdesk.store.sqlite.archive import ACCESS, LEDGER, MANIFEST, ODDS, Manifest, copy_database
from oddsdesk.store.sqlite.backup import (
    ODDS_ONLY,
    BackedUp,
    Contents,
    back_up,
    stream_backup,
    total_bytes,
)
from oddsdesk.store.store import Store, open_store

PAD = """
WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 4000)
INSERT INTO padding SELECT randomblob(7000) FROM counted
"""
MakeQuote = Callable[..., Quote]


def test_a_copy_of_a_file_in_use_opens_and_holds_everything(
    store: Store, quote: MakeQuote, tmp_path: Path
) -> None:
    store.record([quote()]).result(10)
    target = tmp_path / "copy.db"
    target.write_text("an older copy")
    back_up(store.path, target)
    copy = open_store(target, read_only=True)
    assert len(copy.reader().changes_after(0, 10)) == 3
    copy.close()
    assert store.record([quote("Unibet")]).result(10).changes == 3


def test_a_copy_that_fails_leaves_the_older_one(tmp_path: Path) -> None:
    (tmp_path / "broken.db").write_text("no database" * 500)
    target = tmp_path / "copy.db"
    target.write_text("an older copy")
    with pytest.raises(StoreError, match=r"broken\.db: is not a database"):
        back_up(tmp_path / "broken.db", target)
    assert target.read_text() == "an older copy"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["broken.db", "copy.db"]


@pytest.fixture
def large(store: Store) -> Store:
    """A file of many steps of a copy."""
    store.run_on_writer(lambda c: c.execute("CREATE TABLE padding (text)").rowcount).result(10)
    store.run_on_writer(lambda c: c.execute(PAD).rowcount).result(10)
    return store


def test_commits_of_another_process_between_its_steps_neither_begin_a_copy_again_nor_enter_it(
    large: Store, quote: MakeQuote, tmp_path: Path
) -> None:
    copied = []
    with closing(open_store(large.path)) as other:

        def commit(count: int) -> None:
            copied.append(count)
            other.record([quote(f"Book {len(copied)}")]).result(10)

        back_up(large.path, tmp_path / "copy.db", progress=commit)
    size = (tmp_path / "copy.db").stat().st_size
    assert len(copied) >= 4
    assert sum(copied) == size
    with closing(open_store(tmp_path / "copy.db", read_only=True)) as copy:
        assert copy.reader().last_seq() == 0
    assert large.reader().last_seq() == 3 * len(copied)


def test_a_copy_that_is_broken_off_leaves_nothing(large: Store, tmp_path: Path) -> None:
    before = sorted(tmp_path.iterdir())

    def interrupt(_count: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        back_up(large.path, tmp_path / "copy.db", progress=interrupt)
    assert sorted(tmp_path.iterdir()) == before


def test_what_a_killed_backup_left_goes_with_the_next_one(large: Store, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    killed = (
        "import os, sys; from pathlib import Path;"
        "from oddsdesk.store.sqlite.backup import back_up;"
        "back_up(Path(sys.argv[1]), Path(sys.argv[2]), progress=lambda _count: os._exit(9))"
    )
    done = subprocess.run([sys.executable, "-c", killed, large.path, target], check=False)
    assert done.returncode == 9
    assert list(tmp_path.glob(".copy.db.*"))
    assert not target.exists()
    back_up(large.path, target)
    assert not list(tmp_path.glob(".copy.db.*"))


def test_what_another_backup_works_in_is_left_alone(large: Store, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    sizes = []

    def meanwhile(_count: int) -> None:
        if not sizes:
            sizes.append(0)
            sizes[0] = back_up(large.path, target).size

    assert back_up(large.path, target, progress=meanwhile).size == sizes[0]


def test_a_backup_is_for_its_owner_alone_whatever_was_there(store: Store, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    target.touch(0o666)
    for contents in (ODDS_ONLY, Contents(keys=True)):
        back_up(store.path, target, contents)
        assert target.stat().st_mode & 0o777 == 0o600


def test_a_planted_link_is_replaced_not_followed(store: Store, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / "copy.db").symlink_to(victim)
    back_up(store.path, tmp_path / "copy.db")
    assert victim.read_text() == "precious"
    assert not (tmp_path / "copy.db").is_symlink()


def test_a_database_is_no_backup_of_itself(store: Store) -> None:
    with pytest.raises(StoreError, match="is the database itself"):
        back_up(store.path, store.path)


def test_a_missing_database_is_said_and_not_made(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="no such database"):
        back_up(tmp_path / "none.db", tmp_path / "copy.db")
    assert list(tmp_path.iterdir()) == []


def test_a_foreign_database_is_refused(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "other.db")) as other:
        other.execute("CREATE TABLE t (a)")
    with pytest.raises(StoreError, match="of another program"):
        back_up(tmp_path / "other.db", tmp_path / "copy.db")


def test_a_damaged_database_does_not_replace_a_good_backup(large: Store, tmp_path: Path) -> None:
    target = tmp_path / "copy.db"
    back_up(large.path, target)
    good = target.read_bytes()
    damaged = tmp_path / "damaged.db"
    copy_database(large.path, damaged)
    with damaged.open("r+b") as file:
        file.seek(8192 * 1000)
        file.write(b"\xff" * 8192 * 20)
    with pytest.raises(StoreError, match="damaged"):
        back_up(damaged, target)
    assert target.read_bytes() == good


@pytest.fixture
def everything(store: Store, tmp_path: Path) -> Contents:
    with closing(open_access(store.path)) as access:
        access.keys.create("anna", Plan.PRO, None, 0)
    Ledger(tmp_path / "ledger.db").close()
    return Contents(keys=True, ledger=tmp_path / "ledger.db")


def test_keys_and_bets_go_into_a_tar_that_lists_their_sums(
    store: Store, everything: Contents, tmp_path: Path, now: int
) -> None:
    target = tmp_path / "all.tar"
    copied = []
    done = back_up(store.path, target, everything, clock=lambda: now, progress=copied.append)
    assert done == BackedUp(target.stat().st_size, keys=True, bets=True)
    assert sum(copied) == total_bytes(store.path, everything)
    with tarfile.open(target) as tar:
        assert tar.getnames() == [ODDS, ACCESS, LEDGER, MANIFEST]
        assert {member.mode for member in tar} == {0o600}
        listed = tar.extractfile(MANIFEST)
        assert listed is not None
        manifest = msgspec.json.decode(listed.read(), type=Manifest)
    assert (manifest.source, manifest.reference) == ("odds.db", "Pinnacle")
    assert manifest.made_at == "2026-04-12T13:20:00.000Z"


def test_what_there_is_not_is_said_to_be_lacking(store: Store, tmp_path: Path) -> None:
    contents = Contents(keys=True, ledger=tmp_path / "none.db")
    done = back_up(store.path, tmp_path / "all.tar", contents)
    assert (done.keys, done.bets) == (False, False)
    assert not (tmp_path / "none.db").exists()


def test_a_stream_gets_what_a_file_would(
    store: Store, everything: Contents, tmp_path: Path, now: int
) -> None:
    for contents in (ODDS_ONLY, everything):
        stream = io.BytesIO()
        done = stream_backup(store.path, stream, contents, clock=lambda: now)
        back_up(store.path, tmp_path / "file", contents, clock=lambda: now)
        assert stream.getvalue() == (tmp_path / "file").read_bytes()
        assert done.size == len(stream.getvalue())
    assert not list(tmp_path.glob(".*"))


def test_what_is_no_regular_file_is_written_to_not_replaced(store: Store) -> None:
    back_up(store.path, Path("/dev/null"))
    assert Path("/dev/null").is_char_device()
    with pytest.raises(StoreError, match="No space left"):
        back_up(store.path, Path("/dev/full"))


def test_a_descriptor_of_a_regular_file_is_written_to_not_replaced(
    store: Store, tmp_path: Path
) -> None:
    """What `backup /dev/stdout > copy.db` names: its folder is no place for other files."""
    with (tmp_path / "copy.db").open("wb") as file:
        back_up(store.path, Path(f"/dev/fd/{file.fileno()}"))
    with closing(open_store(tmp_path / "copy.db", read_only=True)) as copy:
        assert copy.reference == "Pinnacle"


def test_a_folder_is_no_place_for_a_backup(store: Store, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(StoreError, match="Is a directory"):
        back_up(store.path, tmp_path / "folder")
    assert list((tmp_path / "folder").iterdir()) == []
