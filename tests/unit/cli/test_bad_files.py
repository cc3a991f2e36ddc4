"""Files that cannot be used, by every command that opens them: one line, and nothing changes."""

import contextlib
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from oddsdesk.cli.main import main
from oddsdesk.store.access import open_access
from oddsdesk.store.databases import access_path
from oddsdesk.store.sqlite.access_file import SCHEMA as ACCESS
from oddsdesk.store.sqlite.database import open_writer
from oddsdesk.store.sqlite.migrations import Schema, Step
from oddsdesk.store.sqlite.schema import ODDS
from oddsdesk.store.store import open_store
from tests.kit.ndjson import line

CRASH = """
import os, signal, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA journal_mode = " + sys.argv[2])
connection.execute("CREATE TABLE bookmarks (url)")
connection.execute("PRAGMA wal_checkpoint")
connection.execute("PRAGMA cache_size = 1")
connection.execute("BEGIN")
connection.executemany("INSERT INTO bookmarks VALUES (?)", [("x" * 4000,)] * 50)
if sys.argv[2] == "WAL":
    connection.execute("COMMIT")
os.kill(os.getpid(), signal.SIGKILL)
"""
FULL_DISK = """
set -e
mount -t tmpfs -o size=3m none "$1"
cp "$2"/* "$1"
dd if=/dev/zero of="$1/filler" bs=4k 2>/dev/null || true
before=$(cd "$1" && sha256sum odds* )
shift 2
status=0
"$@" || status=$?
echo "status $status"
cd "$(dirname "$DATABASE")"
[ "$before" = "$(sha256sum $(ls odds* | grep -v -e -wal -e -shm))" ] && echo unchanged
"""

COMMANDS = {
    "serve": ("serve", "--port", "0"),
    "ingest": ("ingest", "QUOTES"),
    "import": ("import", "football-data", "SEASON"),
    "keys create": ("keys", "create"),
    "keys list": ("keys", "list"),
    "doctor": ("doctor",),
    "backup": ("backup", "--with-keys", "TARGET"),
}
OPEN_KEYS = {"serve", "keys create", "keys list", "doctor", "backup"}
SEASON = "Div,Date,HomeTeam,AwayTeam,B365H,B365D,B365A\nE0,16/08/2024,Home,Away,2.0,3.4,4.1\n"


def text(path: Path) -> None:
    path.write_text("Dear bookmaker, " * 1_000)


def foreign(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE bookmarks (url)")


def foreign_and_crashed(path: Path, journal: str = "WAL") -> None:
    subprocess.run([sys.executable, "-c", CRASH, str(path), journal], check=False)
    path.with_name(f"{path.name}-shm").unlink(missing_ok=True)
    assert {each.name for each in path.parent.glob(f"{path.name}-*")}


def foreign_and_half_written(path: Path) -> None:
    foreign_and_crashed(path, "DELETE")


def newer(path: Path) -> None:
    schema = ODDS if "access" not in path.name else ACCESS
    later = Schema(schema.name, (*schema.steps, Step("later", ("CREATE TABLE later (x)",))))
    open_writer(path, later, synchronous="NORMAL").close()


def damaged(path: Path) -> None:
    schema = ODDS if "access" not in path.name else ACCESS
    open_writer(path, schema, synchronous="NORMAL").close()
    data = bytearray(path.read_bytes())
    for page in range(8_192, len(data), 8_192):
        data[page : page + 512] = b"\xff" * 512
    path.write_bytes(data)


def folder(path: Path) -> None:
    path.mkdir()


def pipe(path: Path) -> None:
    os.mkfifo(path)


FAULTS = [
    text, foreign, foreign_and_crashed, foreign_and_half_written, newer, damaged, folder, pipe,
]  # fmt: skip


def state(place: Path, name: str) -> dict[str, tuple[object, ...]]:
    """A file and all others in its folder to the byte, with modes and times."""
    found = {}
    for each in place.glob(f"{name}*"):
        stat = each.lstat()
        content = each.read_bytes() if each.is_file() else b""
        found[each.name] = (content, stat.st_mode, stat.st_uid, stat.st_mtime_ns, stat.st_ino)
    return found


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """Where the database lies; what the commands read and write lies elsewhere."""
    (tmp_path / "QUOTES").write_bytes(line())
    (tmp_path / "SEASON").write_text(SEASON)
    place = tmp_path / "place"
    place.mkdir()
    return place


def check_refusal(place: Path, command: str, *words: str, name: str = "odds") -> None:
    """Run a command: it ends with one line that names the file, and changes nothing of it."""
    before, names = state(place, name), {each.name for each in place.iterdir()}
    elsewhere = place.parent
    arguments = [str(elsewhere / each) if each.isupper() else each for each in COMMANDS[command]]
    result = CliRunner().invoke(main, [*arguments, "--database", str(place / "odds.db")])
    assert result.exit_code == 1, result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    if command == "doctor":
        assert any("BAD" in each for each in result.stdout.splitlines())
    else:
        assert result.stdout == ""
        (said,) = result.stderr.splitlines()
        assert "odds" in said
        assert all(word in said for word in words), said
    assert state(place, name) == before
    ours = {f"odds.db{ending}" for ending in ("-wal", "-shm")}  # reading a whole one makes these
    assert {each.name for each in place.iterdir()} - ours == names - ours
    assert sorted(each.name for each in elsewhere.iterdir()) == ["QUOTES", "SEASON", "place"]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_database_that_cannot_be_used(
    place: Path, command: str, fault: Callable[[Path], None]
) -> None:
    fault(place / "odds.db")
    check_refusal(place, command)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
@pytest.mark.parametrize("command", sorted(OPEN_KEYS))
def test_keys_that_cannot_be_used(place: Path, command: str, fault: Callable[[Path], None]) -> None:
    open_store(place / "odds.db").close()
    fault(access_path(place / "odds.db"))
    check_refusal(place, command, name="odds-access.db")


@pytest.fixture
def held(place: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A database that another program has locked."""
    monkeypatch.setattr("oddsdesk.store.sqlite.database.BUSY_TIMEOUT_S", 0.05)
    monkeypatch.setattr("oddsdesk.store.sqlite.recognition._BUSY_TIMEOUT_S", 0.05)
    open_store(place / "odds.db").close()
    open_access(place / "odds.db").close()
    with contextlib.ExitStack() as held:
        for path in (place / "odds.db", access_path(place / "odds.db")):
            other = held.enter_context(
                contextlib.closing(sqlite3.connect(path, isolation_level=None))
            )
            other.execute("PRAGMA locking_mode = EXCLUSIVE")
            other.execute("BEGIN EXCLUSIVE")
        yield place


@pytest.mark.parametrize("command", ["serve", "ingest", "import", "keys create", "keys list"])
def test_a_database_that_another_program_has_locked(held: Path, command: str) -> None:
    check_refusal(held, command, "is locked by another program")


@pytest.mark.parametrize("command", ["serve", "ingest", "keys create"])
def test_a_lock_file_that_is_none_keeps_no_database_from_being_left_alone(
    place: Path, command: str
) -> None:
    """A link in the place of the lock: what it leads to is not touched."""
    open_store(place / "odds.db").close()
    precious = place / "precious"
    precious.write_text("precious")
    (place / "odds.db.lock").symlink_to(precious)
    if command == "serve":
        check_refusal(place, command, "is a link")
    assert precious.read_text() == "precious"


@pytest.mark.parametrize("command", ["serve", "ingest", "import", "keys create"])
def test_a_full_disk(place: Path, tmp_path: Path, command: str) -> None:
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        pytest.skip("only root can make a small disk")
    open_store(place / "odds.db").close()
    open_access(place / "odds.db").close()
    disk = tmp_path / "disk"
    disk.mkdir()
    arguments = [str(tmp_path / each) if each.isupper() else each for each in COMMANDS[command]]
    ran = subprocess.run(
        [
            *("unshare", "--mount", "sh", "-c", FULL_DISK, "sh", str(disk), str(place)),
            *(sys.executable, "-m", "oddsdesk", *arguments, "--database", str(disk / "odds.db")),
        ],
        env=os.environ | {"PYTHONPATH": str(Path.cwd()), "DATABASE": str(disk / "odds.db")},
        capture_output=True,
        text=True,
        timeout=60,
    )
    if "status" not in ran.stdout:
        pytest.skip(f"no small disk can be made here: {ran.stderr}")
    assert "status 1" in ran.stdout, ran.stderr
    assert "unchanged" in ran.stdout
    (said,) = ran.stderr.splitlines()
    assert "full" in said or "No space" in said
