"""Hours of the log in Parquet files: all of it, once, whatever happens on the way."""

import contextlib
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import duckdb
import pytest

from oddsdesk.archive import archive as archive_module
from oddsdesk.archive import parquet
from oddsdesk.archive.archive import Archive
from oddsdesk.archive.folder import ArchiveError
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.times import DAY_MS, HOUR_MS
from oddsdesk.store.databases import database_named
from oddsdesk.store.store import Store, open_store
from tests.kit.postgres import Postgres

BEGIN = 1_776_000_000_000
NOW = BEGIN + 3 * HOUR_MS
GAMES = 7
LIMIT_S = 30


class Recorder:
    """A store of either engine, and its clock."""

    def __init__(self, where: str) -> None:
        self.now = BEGIN
        self.where = where
        self.store = self.opened()

    def opened(self) -> Store:
        return open_store(database_named(self.where), clock=lambda: self.now)

    def record(self, count: int, every_ms: int) -> None:
        """Record that many moves of the games' prices, one after the other."""
        for number in range(count):
            odds = {"Home": 1.5 + (self.now // every_ms) % 50 / 100, "Away": 3.0}
            quote = Quote(
                "Bet365",
                f"Home {number % GAMES} - Away",
                "LIG1",
                "moneyline",
                0,
                odds,
                self.now,
                match_date=NOW + DAY_MS,
                liquidity=100.0,
            )
            self.store.record([quote]).result(LIMIT_S)
            self.now += every_ms


@pytest.fixture(params=["sqlite", "postgres"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], str]:
    """Returns where a new database is, each time."""
    if request.param == "postgres":
        server: Postgres = request.getfixturevalue("postgres")
        return server.url
    names = (str(tmp_path / f"odds{number}.db") for number in range(9))
    return lambda: next(names)


@pytest.fixture
def recorded(where: Callable[[], str]) -> Iterator[Recorder]:
    """Three hours of moves, and a bit of the fourth."""
    recorder = Recorder(where())
    recorder.record(45, HOUR_MS // 12)
    yield recorder
    recorder.store.close()


def archived(folder: Path) -> list[tuple]:
    """Every row of the archive, by number, as DuckDB reads it."""
    files = f"{folder}/date=*/*.parquet"
    if not list(folder.glob("date=*/*.parquet")):
        return []
    columns = "seq, game_id, match_name, bookmaker, market_type, period, selection, odds"
    times = "epoch_ms(scraped_at), epoch_ms(recorded_at), epoch_ms(match_date)"
    return duckdb.sql(
        f"SELECT {columns}, {times}, is_live, liquidity, competition, sport "
        f"FROM '{files}' ORDER BY seq"
    ).fetchall()


def logged(store: Store) -> list[tuple]:
    """Every row of the log that was recorded, as the archive has it."""
    query = """
        SELECT seq, game_id, match_name, bookmaker, market_type, period, selection, odds,
            scraped_at, recorded_at, match_date, is_live, liquidity, competition, sport
        FROM price_change c JOIN game g ON g.id = c.game ORDER BY seq
    """
    return store.run_on_writer(lambda c: c.execute(query).fetchall()).result(LIMIT_S)


def test_hours_that_are_over_are_archived_once(recorded: Recorder, tmp_path: Path) -> None:
    folder = tmp_path / "archive"
    archive = Archive(folder, recorded.store.reader)
    log = logged(recorded.store)
    over = [row for row in log if row[9] // HOUR_MS < recorded.now // HOUR_MS]
    assert 0 < len(over) < len(log)
    assert archive.seal(recorded.now) == len(over)
    assert archived(folder) == over
    assert archive.seal(recorded.now) == 0
    again = Archive(folder, recorded.store.reader)
    assert again.seal(recorded.now + HOUR_MS) == len(log) - len(over)
    assert archived(folder) == log
    hours = {row[9] // HOUR_MS for row in log}
    assert len(list(folder.glob("*/*.parquet"))) == len(hours)
    if os.name == "posix":
        assert folder.stat().st_mode & 0o077 == 0
        assert not any(each.stat().st_mode & 0o007 for each in folder.rglob("*"))


def test_rows_of_a_game_are_together_and_in_order(
    recorded: Recorder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the number of parts that are sorted one by one."""
    monkeypatch.setattr(parquet, "PART_ROWS", 5)
    monkeypatch.setattr(archive_module, "SLICE", 3)
    folder = tmp_path / "archive"
    Archive(folder, recorded.store.reader).seal(recorded.now + HOUR_MS)
    assert archived(folder) == logged(recorded.store)
    for path in folder.glob("*/*.parquet"):
        rows = duckdb.sql(f"SELECT game_id, selection, bookmaker, seq FROM '{path}'").fetchall()
        assert rows == sorted(rows)


def test_a_row_goes_once_it_is_archived_and_not_before(recorded: Recorder, tmp_path: Path) -> None:
    store, folder = recorded.store, tmp_path / "archive"
    archive = Archive(folder, store.reader)
    before = logged(store)
    later = recorded.now + 3 * DAY_MS
    assert store.prune(later, 1, archive.through(later - DAY_MS)) == 0
    assert logged(store) == before
    archive.seal(recorded.now)
    sealed = len(archived(folder))
    assert store.prune(later, 1, archive.through(later - DAY_MS)) == sealed
    assert logged(store) == before[sealed:]
    archive.seal(later)
    assert store.prune(later, 1, archive.through(later - DAY_MS)) == len(before) - sealed
    assert archived(folder) == before


def test_what_a_lost_file_had_stays_and_is_archived_again(
    recorded: Recorder, tmp_path: Path
) -> None:
    folder = tmp_path / "archive"
    archive = Archive(folder, recorded.store.reader)
    archive.seal(recorded.now)
    first, lost = sorted(folder.glob("*/*.parquet"), key=lambda path: path.stat().st_mtime_ns)[:2]
    lost.unlink()
    (through,) = archive.through(NOW + DAY_MS)
    assert through == parquet.span_of(first).last
    assert archive.seal(recorded.now) > 0
    assert archived(folder) == logged(recorded.store)[: len(archived(folder))]
    assert lost.exists()


def test_a_file_that_lacks_rows_lets_nothing_go(recorded: Recorder, tmp_path: Path) -> None:
    folder = tmp_path / "archive"
    Archive(folder, recorded.store.reader).seal(recorded.now)
    first = min(folder.glob("*/*.parquet"))
    first.write_bytes(first.read_bytes()[:-100])
    with pytest.raises(ArchiveError, match=first.name):
        Archive(folder, recorded.store.reader).through(NOW + DAY_MS)


def test_another_database_s_archive_is_left_alone(
    recorded: Recorder, where: Callable[[], str], tmp_path: Path
) -> None:
    """Or the database was put back from a backup, and numbers its rows again from 1."""
    folder = tmp_path / "archive"
    Archive(folder, recorded.store.reader).seal(recorded.now)
    other = Recorder(where())
    with contextlib.closing(other.store):
        other.record(3, HOUR_MS)
        archive = Archive(folder, other.store.reader)
        with pytest.raises(ArchiveError, match="another database"):
            archive.seal(other.now)
        other.now += DAY_MS
        other.record(60, HOUR_MS // 12)
        with pytest.raises(ArchiveError, match="other rows"):
            archive.through(other.now)


def test_a_log_that_changes_meanwhile_is_archived_by_the_next_round(
    recorded: Recorder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, store = tmp_path / "archive", recorded.store
    write = parquet.write_sorted

    def and_lose_a_row(*arguments, **options) -> int:
        written = write(*arguments, **options)
        store.run_on_writer(lambda c: c.execute("DELETE FROM price_change WHERE seq = 2")).result(
            LIMIT_S
        )
        return written

    with monkeypatch.context() as patched:
        patched.setattr(archive_module, "write_sorted", and_lose_a_row)
        with pytest.raises(ArchiveError, match="changed"):
            Archive(folder, store.reader).seal(recorded.now)
    assert archived(folder) == []
    Archive(folder, store.reader).seal(recorded.now + HOUR_MS)
    assert archived(folder) == logged(store)


def test_an_end_leaves_out_what_is_not_whole(
    recorded: Recorder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "archive"
    archive = Archive(folder, recorded.store.reader)
    write = parquet.write_sorted

    def and_stop(*arguments, **options) -> int:
        archive.stop_sealing()
        return write(*arguments, **options)

    monkeypatch.setattr(archive_module, "write_sorted", and_stop)
    assert archive.seal(recorded.now) == 0
    assert archived(folder) == []
    assert [path for path in folder.rglob("*") if path.is_file()] == []


def test_the_documented_queries_read_it(recorded: Recorder, tmp_path: Path) -> None:
    text = (Path(__file__).parents[3] / "docs" / "scale.md").read_text()
    history, moves = re.findall(r"```sql\n(.*?)```", text, re.DOTALL)
    folder = tmp_path / "archive"
    Archive(folder, recorded.store.reader).seal(recorded.now + HOUR_MS)
    log = logged(recorded.store)
    game = log[0][1]
    history = history.replace("/srv/odds", str(folder)).replace("Arsenal", "Home")
    history = re.sub("game_id = '[^']*'", f"game_id = '{game}'", history).strip().rstrip(";")
    found = duckdb.sql(f"SELECT odds FROM ({history})").fetchall()  # a zone would need pytz
    assert [odds for (odds,) in found] == [
        row[7] for row in log if (row[1], row[6]) == (game, "Home")
    ]
    moves = moves.replace("/srv/odds", str(folder)).replace("2026-11-01", "2026-04-01")
    assert sum(row[2] for row in duckdb.sql(moves).fetchall()) == len(log)


KILLED = """
import os, signal, sys
from pathlib import Path
from oddsdesk.archive import archive
from oddsdesk.archive.archive import Archive
from oddsdesk.store.databases import database_named
from oddsdesk.contract.times import DAY_MS
from oddsdesk.store.store import open_store

database, folder, now = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
left = 0

def step(*_):
    global left
    left -= 1
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)

def before(work):
    def run(*arguments, **options):
        step()
        return work(*arguments, **options)
    return run

def a_round():
    store = open_store(database_named(database))
    archived = Archive(folder, store.reader)
    archived.seal(now)
    step()
    store.prune(now + 3 * DAY_MS, 1, archived.through(now + 2 * DAY_MS))
    store.close()

archive.SLICE = 20
Archive._go_on = before(Archive._go_on)
archive.span_of, archive.sync = before(archive.span_of), before(archive.sync)
Path.replace, Path.unlink = before(Path.replace), before(Path.unlink)
for line in sys.stdin:
    left = int(line)
    child = os.fork()
    if not child:
        a_round()
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Recorder]:
    """Two hours of moves."""
    recorder = Recorder(str(tmp_path / "small.db"))
    recorder.record(16, HOUR_MS // 8)
    yield recorder
    recorder.store.close()


@pytest.fixture
def killer(small: Recorder, tmp_path: Path) -> Iterator[Callable[[int], int]]:
    """Runs a round of the archive up to a step; returns the exit status."""
    asked = [small.where, str(tmp_path / "archive"), str(NOW + 2 * HOUR_MS)]
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, *asked],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as program:
        assert program.stdin is not None
        assert program.stdout is not None
        pipes = program.stdin, program.stdout

        def run(steps: int) -> int:
            print(steps, file=pipes[0], flush=True)
            return int(pipes[1].readline())

        yield run
        program.stdin.close()


def test_killed_anywhere_nothing_is_lost_or_twice(
    small: Recorder, tmp_path: Path, killer: Callable[[int], int]
) -> None:
    """The same database and archive, killed at every step in turn until a round ends."""
    folder = tmp_path / "archive"
    log = logged(small.store)
    for steps in range(1, 200):
        small.store.close()
        status = killer(steps)
        small.store = small.opened()
        kept, found = logged(small.store), archived(folder)
        assert found == log[: len(found)]
        assert {row[0] for row in log} == {row[0] for row in [*kept, *found]}
        if status == 0:
            break
        assert status == -signal.SIGKILL
    assert steps > 8
    assert (found, kept) == (log, [])
