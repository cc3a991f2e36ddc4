"""Restoring: whole or nothing, never over what is in use, and what was there stays next to it."""

import io
import os
import sqlite3
import tarfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from oddsdesk.contract.access import Plan
from oddsdesk.contract.quotes import Quote
from oddsdesk.store.access import open_access
from oddsdesk.store.databases import access_path
from oddsdesk.store.errors import StoreError
from oddsdesk.store.lock import DatabaseInUseError, lock_database
from oddsdesk.store.owners import NewSession, Owners
from oddsdesk.store.passwords import Hashing
from oddsdesk.store.sqlite import restore as restore_module
from oddsdesk.store.sqlite.archive import MANIFEST, ODDS
from oddsdesk.store.sqlite.backup import Contents, back_up
from oddsdesk.store.sqlite.migrations import migrate
from oddsdesk.store.sqlite.restore import Restored, restore_database
from oddsdesk.store.sqlite.schema import ODDS as SCHEMA
from oddsdesk.store.store import open_store
from tests.unit.store import fixtures

MakeQuote = Callable[..., Quote]
LATER = 1_776_000_000_000


def _restored(source: Path | io.BytesIO, database: Path, force: bool = False) -> Restored:
    return restore_database(source, database, _no_bets, force=force, clock=lambda: LATER)


def _no_bets(_ledger: Path) -> None:
    pytest.fail("there are no bets in it")


@pytest.fixture
def make(tmp_path: Path, quote: MakeQuote) -> Callable[..., str]:
    """Make a database with one bookmaker's prices and one key, and return the key."""

    def make(path: Path, bookmaker: str) -> str:
        with closing(open_store(path, clock=lambda: LATER)) as store:
            store.record([quote(bookmaker)]).result(10)
        with closing(open_access(path)) as access:
            return access.keys.create(bookmaker.lower(), Plan.PRO, None, LATER).secret

    return make


def _bookmakers(path: Path) -> list[str]:
    with closing(open_store(path, read_only=True)) as store:
        return [change.bookmaker for change in store.reader().changes_after(0, 100)][::3]


def _opens(path: Path, key: str) -> bool:
    with closing(open_access(path)) as access:
        return access.keys.caller(key) is not None


@pytest.fixture
def there(tmp_path: Path) -> Path:
    """Where another machine has its database."""
    (tmp_path / "there").mkdir()
    return tmp_path / "there" / "odds.db"


@pytest.mark.parametrize("stream", [False, True])
def test_with_its_keys_a_backup_opens_elsewhere_with_the_same_ones(
    make, tmp_path: Path, there: Path, stream: bool
) -> None:
    here = tmp_path / "odds.db"
    key = make(here, "Bet365")
    with closing(open_access(here)) as access:
        secret = access.secret
    back_up(here, tmp_path / "all.tar", Contents(keys=True))
    source = io.BytesIO((tmp_path / "all.tar").read_bytes()) if stream else tmp_path / "all.tar"
    assert _restored(source, there) == Restored(there, keys=True, bets=False, kept=())
    assert _bookmakers(there) == ["Bet365"]
    assert _opens(there, key)
    with closing(open_access(there)) as access:
        assert access.secret == secret, "tokens of the stream would end"
    assert there.with_name("odds-access.db").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("stream", [False, True])
def test_without_keys_in_it_a_backup_leaves_those_that_are_there(
    make, tmp_path: Path, there: Path, stream: bool
) -> None:
    make(tmp_path / "odds.db", "Bet365")
    key = make(there, "Unibet")
    back_up(tmp_path / "odds.db", tmp_path / "copy.db")
    source = io.BytesIO((tmp_path / "copy.db").read_bytes()) if stream else tmp_path / "copy.db"
    done = _restored(source, there, force=True)
    assert _bookmakers(there) == ["Bet365"]
    assert _opens(there, key)
    assert [path.name for path in done.kept] == ["odds-replaced-20260412T132000000Z.db"]
    assert _bookmakers(done.kept[0]) == ["Unibet"]


def test_what_is_there_is_replaced_by_force_only_and_stays_next_to_it_with_its_keys(
    make, tmp_path: Path, there: Path
) -> None:
    new, old = make(tmp_path / "odds.db", "Bet365"), make(there, "Unibet")
    back_up(tmp_path / "odds.db", tmp_path / "all.tar", Contents(keys=True))
    with pytest.raises(StoreError, match="already exists; --force"):
        _restored(tmp_path / "all.tar", there)
    assert _opens(there, old)
    done = _restored(tmp_path / "all.tar", there, force=True)
    assert (_opens(there, new), _opens(there, old)) == (True, False)
    kept = there.with_name("odds-replaced-20260412T132000000Z.db")
    assert kept in done.kept
    assert _bookmakers(kept) == ["Unibet"]
    assert _opens(kept, old)


def test_keys_without_a_database_are_not_replaced_unasked_either(
    make, tmp_path: Path, there: Path
) -> None:
    make(tmp_path / "odds.db", "Bet365")
    key = make(there, "Unibet")
    there.unlink()
    back_up(tmp_path / "odds.db", tmp_path / "all.tar", Contents(keys=True))
    with pytest.raises(StoreError, match=r"odds-access\.db: already exists"):
        _restored(tmp_path / "all.tar", there)
    assert _opens(there, key)
    assert not there.exists()


def test_keys_that_lie_elsewhere_are_backed_up_and_restored_there(
    make, tmp_path: Path, there: Path
) -> None:
    key = make(tmp_path / "odds.db", "Bet365")
    elsewhere = tmp_path / "keys.db"
    (tmp_path / "odds-access.db").rename(elsewhere)
    back_up(tmp_path / "odds.db", tmp_path / "all.tar", Contents(keys=True, access=elsewhere))
    (tmp_path / "other").mkdir()
    target = tmp_path / "other" / "keys.db"
    assert restore_database(tmp_path / "all.tar", there, _no_bets, access=target).keys
    with closing(open_access(there, target)) as access:
        assert access.keys.caller(key) is not None
    assert [path.name for path in there.parent.iterdir()] == ["odds.db"]


def test_a_database_that_is_served_is_not_replaced(make, tmp_path: Path, there: Path) -> None:
    make(there, "Unibet")
    back_up(there, tmp_path / "copy.db")
    lock = lock_database(there)
    with pytest.raises(DatabaseInUseError):
        _restored(tmp_path / "copy.db", there, force=True)
    lock.release_lock()
    assert _restored(tmp_path / "copy.db", there, force=True).kept


def test_a_database_that_another_program_writes_to_is_not_replaced(
    make, tmp_path: Path, there: Path, quote: MakeQuote
) -> None:
    make(there, "Unibet")
    back_up(there, tmp_path / "copy.db")
    with closing(open_store(there)) as recorder:
        with pytest.raises(StoreError, match="locked by another program"):
            _restored(tmp_path / "copy.db", there, force=True)
        recorder.record([quote("Betfair")]).result(10)
    assert _bookmakers(there) == ["Unibet", "Betfair"]
    assert not list(there.parent.glob("*replaced*"))


def test_the_log_of_what_was_there_never_meets_the_new_database(
    make, tmp_path: Path, there: Path, quote: MakeQuote
) -> None:
    """What a killed server leaves: commits that are in its write-ahead log only."""
    make(tmp_path / "odds.db", "Bet365")
    back_up(tmp_path / "odds.db", tmp_path / "copy.db")
    with closing(open_store(there)) as store:
        store.record([quote("Unibet")]).result(10)
        main, log = there.read_bytes(), there.with_name("odds.db-wal").read_bytes()
    there.write_bytes(main)
    there.with_name("odds.db-wal").write_bytes(log)
    done = _restored(tmp_path / "copy.db", there, force=True)
    assert not there.with_name("odds.db-wal").exists()
    assert _bookmakers(there) == ["Bet365"]
    assert _bookmakers(done.kept[0]) == ["Unibet"]


@pytest.mark.parametrize("content", [b"no database at all" * 999, b"SQLite format 3\0damaged" * 99])
def test_a_file_that_is_no_database_is_set_aside_with_what_lies_next_to_it(
    make, tmp_path: Path, there: Path, content: bytes
) -> None:
    make(tmp_path / "odds.db", "Bet365")
    back_up(tmp_path / "odds.db", tmp_path / "copy.db")
    there.write_bytes(content)
    there.with_name("odds.db-wal").write_bytes(b"log")
    (kept,) = _restored(tmp_path / "copy.db", there, force=True).kept
    assert kept.read_bytes() == content
    assert kept.with_name(f"{kept.name}-wal").read_bytes() == b"log"
    assert _bookmakers(there) == ["Bet365"]


def test_a_log_whose_database_is_gone_is_not_taken_for_the_new_ones(
    make, tmp_path: Path, there: Path, quote: MakeQuote
) -> None:
    make(tmp_path / "odds.db", "Bet365")
    back_up(tmp_path / "odds.db", tmp_path / "copy.db")
    with closing(open_store(there)) as store:
        store.record([quote("Unibet")]).result(10)
        log = there.with_name("odds.db-wal").read_bytes()
    there.unlink()
    there.with_name("odds.db-wal").write_bytes(log)
    _restored(tmp_path / "copy.db", there)
    assert _bookmakers(there) == ["Bet365"]


def test_a_database_of_an_older_version_is_migrated(
    tmp_path: Path, there: Path, caplog: pytest.LogCaptureFixture
) -> None:
    old = tmp_path / "old.db"
    with closing(sqlite3.connect(old, isolation_level=None)) as connection:
        migrate(connection, type(SCHEMA)(SCHEMA.name, SCHEMA.steps[:1]), lambda: None)
    _restored(old, there)
    assert _bookmakers(there) == []
    with closing(sqlite3.connect(old)) as connection:
        steps = connection.execute("SELECT count(*) FROM _sqlite_migrations").fetchall()
    assert not caplog.records, "no copy is told of that goes with the work"
    assert steps == [(1,)], "the backup itself stays as it is"


def _flipped(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]


def _renamed(data: bytes) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        tar.addfile(tarfile.TarInfo("../evil.db"))
    return out.getvalue() + data


def _repeated(data: bytes) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for _ in range(2):
            tar.addfile(tarfile.TarInfo(ODDS))
    return out.getvalue() + data


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda data: data[: len(data) // 2], "cut off"),
        (lambda data: data[: data.index(MANIFEST.encode())], "cut off"),
        (lambda data: _flipped(data, 60_000), r"damaged: odds\.db is not what was written"),
        (lambda data: _flipped(data, 700), r"damaged: odds\.db is not what was written"),
        (lambda data: data.replace(b'"format": 1', b'"format": 2'), "newer oddsdesk"),
        (lambda data: data.replace(b'"sha256": "', b'"sha256": 0'), "unreadable list"),
        (lambda data: data.replace(b'"format": ', b'"format":\xff'), "unreadable list"),
        (lambda _data: b"", "not a backup"),
        (lambda _data: b"bookmaker,odds\n" * 999, "not a backup"),
        (_renamed, r"'\.\./evil\.db', which does not belong"),
        (_repeated, "which does not belong in a backup"),
    ],
)
def test_a_backup_that_is_not_whole_changes_nothing(
    make, tmp_path: Path, there: Path, spoil: Callable[[bytes], bytes], said: str
) -> None:
    key = make(there, "Unibet")
    back_up(there, tmp_path / "all.tar", Contents(keys=True))
    (tmp_path / "all.tar").write_bytes(spoil((tmp_path / "all.tar").read_bytes()))
    before = _files(there.parent)
    with pytest.raises(StoreError, match=said) as refused:
        _restored(tmp_path / "all.tar", there, force=True)
    assert len(str(refused.value).splitlines()) == 1
    assert _files(there.parent) == before
    assert not list(tmp_path.glob("evil*"))
    assert _opens(there, key)


def test_a_damaged_plain_copy_changes_nothing(make, tmp_path: Path, there: Path) -> None:
    make(there, "Unibet")
    back_up(there, tmp_path / "copy.db")
    data = (tmp_path / "copy.db").read_bytes()
    (tmp_path / "copy.db").write_bytes(data[:8192] + b"\xff" * 8192 + data[16384:])
    before = _files(there.parent)
    with pytest.raises(StoreError, match=r"copy\.db.*damaged"):
        _restored(tmp_path / "copy.db", there, force=True)
    assert _files(there.parent) == before


LOOP = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT"
TAMPERED = {
    "a trigger": (
        "CREATE TRIGGER evil AFTER INSERT ON quote BEGIN DELETE FROM price_change; END",
        "has a trigger, 'evil', that is not part of oddsdesk; drop it in the backup first",
    ),
    "a view for a table": (
        f"ALTER TABLE quote RENAME TO other; CREATE VIEW quote AS {LOOP} other.* FROM r, other",
        "its quote is not",
    ),
    "another view": (f"DROP VIEW games; CREATE VIEW games AS {LOOP} n FROM r", "its games is not"),
    "a column more": ("ALTER TABLE quote ADD COLUMN bad AS (odds)", "its quote is not"),
    "a table less": ("DROP TABLE value_bet", "value_bet is missing"),
    "no such index": ("DROP INDEX {index}", "{index} is missing"),
}


@pytest.mark.parametrize("how", TAMPERED)
def test_a_backup_whose_tables_are_not_ours_changes_nothing(
    make, tmp_path: Path, there: Path, how: str
) -> None:
    make(there, "Unibet")
    back_up(there, tmp_path / "copy.db")
    statement, said = TAMPERED[how]
    with closing(sqlite3.connect(tmp_path / "copy.db")) as copy:
        named = "SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE INDEX % ON quote %'"
        ((index,), *_) = copy.execute(named).fetchall()
        copy.executescript(statement.format(index=index))
    before = _files(there.parent)
    with pytest.raises(StoreError, match=said.format(index=index)) as refused:
        _restored(tmp_path / "copy.db", there, force=True)
    assert "copy.db: " in str(refused.value)
    assert len(str(refused.value).splitlines()) == 1
    assert _files(there.parent) == before


def test_triggers_in_keys_and_bets_are_refused_as_well(make, tmp_path: Path, there: Path) -> None:
    make(there, "Unibet")
    trigger = "CREATE TRIGGER evil AFTER INSERT ON api_key BEGIN DELETE FROM api_key; END"
    with closing(sqlite3.connect(access_path(there))) as access:
        access.execute(trigger)
    back_up(there, tmp_path / "all.tar", Contents(keys=True))
    with pytest.raises(StoreError, match=r"access\.db: has a trigger, 'evil'"):
        _restored(tmp_path / "all.tar", there, force=True)


def test_what_its_owner_added_to_a_database_is_restored(make, tmp_path: Path, there: Path) -> None:
    make(there, "Unibet")
    with closing(sqlite3.connect(there)) as connection:
        connection.executescript(
            "CREATE VIEW mine AS SELECT * FROM games; CREATE TABLE notes (text);"
            "CREATE INDEX my_index ON price_change (odds)"
        )
    back_up(there, tmp_path / "copy.db")
    _restored(tmp_path / "copy.db", there, force=True)
    assert _bookmakers(there) == ["Unibet"]


def test_the_oldest_version_that_is_kept_has_the_tables_of_this_one(
    tmp_path: Path, there: Path
) -> None:
    with closing(sqlite3.connect(tmp_path / "old.db")) as old:
        old.executescript((Path(fixtures.__file__).parent / "d4e90e6.sql").read_text())
    _restored(tmp_path / "old.db", there)


def test_a_database_of_another_program_and_an_empty_one_are_no_backups(
    tmp_path: Path, there: Path
) -> None:
    with closing(sqlite3.connect(tmp_path / "other.db")) as other:
        other.execute("CREATE TABLE t (a)")
    with pytest.raises(StoreError, match="of another program"):
        _restored(tmp_path / "other.db", there)
    with pytest.raises(StoreError, match="no such file"):
        _restored(tmp_path / "none.db", there)
    with pytest.raises(StoreError, match="directory"):
        _restored(tmp_path, there)
    assert list(there.parent.iterdir()) == []


class Killed(BaseException):
    """The process ends here, as far as the files are concerned."""


@contextmanager
def _killed_at(monkeypatch: pytest.MonkeyPatch, call: int) -> Iterator[list[str]]:
    """End the work before the n-th change of a name, and before none after the last."""
    made: list[str] = []

    def dying(name: str, real: Callable[..., object]) -> Callable[..., object]:
        def act(*arguments: object) -> object:
            made.append(name)
            if len(made) > call:
                raise Killed
            return real(*arguments)

        return act

    with monkeypatch.context() as patched:
        patched.setattr(restore_module.shutil, "copy2", dying("copy", restore_module.shutil.copy2))
        patched.setattr(os, "link", dying("link", os.link))
        patched.setattr(Path, "replace", dying("replace", Path.replace))
        yield made


@pytest.mark.parametrize("call", range(4))
def test_killed_between_any_two_renames_the_old_or_the_new_database_opens(
    make, tmp_path: Path, there: Path, monkeypatch: pytest.MonkeyPatch, call: int
) -> None:
    new, old = make(tmp_path / "odds.db", "Bet365"), make(there, "Unibet")
    back_up(tmp_path / "odds.db", tmp_path / "all.tar", Contents(keys=True))
    with _killed_at(monkeypatch, call) as made, pytest.raises(Killed):
        _restored(tmp_path / "all.tar", there, force=True)
    assert len(made) == call + 1
    assert _bookmakers(there) == ["Unibet"], "the odds come last"
    assert _opens(there, old) or _opens(there, new)
    restore_database(tmp_path / "all.tar", there, _no_bets, force=True, clock=lambda: LATER + 1)
    assert _bookmakers(there) == ["Bet365"]
    assert _opens(there, new)


def test_where_no_second_name_can_be_made_what_was_there_is_copied(
    make, tmp_path: Path, there: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a memory stick."""

    def refused(*_names: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    make(tmp_path / "odds.db", "Bet365")
    make(there, "Unibet")
    back_up(tmp_path / "odds.db", tmp_path / "copy.db")
    monkeypatch.setattr(os, "link", refused)
    (kept,) = _restored(tmp_path / "copy.db", there, force=True).kept
    assert (_bookmakers(there), _bookmakers(kept)) == (["Bet365"], ["Unibet"])


def test_rights_are_those_of_what_was_there(make, tmp_path: Path, there: Path) -> None:
    make(tmp_path / "odds.db", "Bet365")
    make(there, "Unibet")
    there.chmod(0o664)
    back_up(tmp_path / "odds.db", tmp_path / "copy.db")
    _restored(tmp_path / "copy.db", there, force=True)
    assert there.stat().st_mode & 0o777 == 0o664


def test_bets_are_handed_over_before_anything_is_replaced(
    make, tmp_path: Path, there: Path
) -> None:
    make(there, "Unibet")
    with closing(sqlite3.connect(tmp_path / "ledger.db")) as ledger:
        ledger.execute("CREATE TABLE bet (a)")
    contents = Contents(ledger=tmp_path / "ledger.db")
    back_up(there, tmp_path / "all.tar", contents)
    before = _files(there.parent)

    def refuse(ledger: Path) -> None:
        with closing(sqlite3.connect(ledger)) as copy:
            assert copy.execute("SELECT name FROM sqlite_master").fetchall() == [("bet",)]
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        restore_database(tmp_path / "all.tar", there, refuse, force=True)
    assert _files(there.parent) == before
    taken: list[Path] = []
    assert restore_database(tmp_path / "all.tar", there, taken.append, force=True).bets
    assert len(taken) == 1


def _files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if "-shm" not in path.name}


def test_owners_are_restored_but_no_session_and_no_invitation(
    make, tmp_path: Path, there: Path
) -> None:
    """A session that was ended, or an invitation that was used, must not come back."""
    here = tmp_path / "odds.db"
    make(here, "Bet365")
    hashing = Hashing(pytest.importorskip("argon2").PasswordHasher(1, 8, 1))
    with closing(open_access(here)) as access:
        owners = Owners(access._file, hashing)
        invited = owners.invite("bet365", LATER, operator=True).token
        session = owners.accept_invite(invited, "a password of mine", "::1", "", LATER)
        invited = owners.invite("bet365", LATER).token
        back_up(here, tmp_path / "all.tar", Contents(keys=True))
    _restored(tmp_path / "all.tar", there)
    with closing(open_access(there)) as access:
        owners = Owners(access._file, hashing)
        assert owners.session(session.token, LATER) is None
        assert owners.read_invite(invited, LATER) is None
        found = owners.sign_in("bet365", "a password of mine", "::1", "", LATER)
        assert isinstance(found, NewSession)
        assert found.owner.is_operator
