"""Killing a process at any moment of what it does, and what its files are worth then.

    python -m tests.durability.killed [--cycles 500] [--seed 1] [--folder /tmp]

Each cycle kills one process (SIGKILL) and opens what it left.
"""

import argparse
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import islice
from pathlib import Path
from random import Random
from typing import IO, Final

import msgspec

from oddsdesk.base.clock import system_clock
from oddsdesk.ledger.ledger import Ledger
from oddsdesk.store.access import open_access
from oddsdesk.store.sqlite.backup import Contents, back_up
from oddsdesk.store.sqlite.database import open_writer
from oddsdesk.store.sqlite.migrations import Schema, applied_steps
from oddsdesk.store.sqlite.schema import ODDS as ODDS_SCHEMA
from oddsdesk.store.store import open_store
from tests.durability import workload
from tests.durability.invariants import batches_in, broken, check_file
from tests.durability.phases import ARCHIVE, COPY, FILE_BATCHES, PHASES, Job
from tests.durability.workload import LEDGER, ODDS, rows_of_a_batch

LONGEST_S: Final = {"migration": 0.5, "restoring": 0.4, "pruning": 0.4, "ingesting": 0.4}
"""How long after its begin a process is killed at the latest; others after ``USUAL_S``."""
USUAL_S: Final = 0.2
OLD_STEPS: Final = 3
OLD_BATCHES: Final = 60
FIRST_BATCHES: Final = 10
DAY_MS: Final = 86_400_000
_ROOT: Final = Path(__file__).parents[2]


class Result(msgspec.Struct):
    """What came of the cycles."""

    cycles: Counter[str] = msgspec.field(default_factory=Counter)
    acknowledged: Counter[str] = msgspec.field(default_factory=Counter)
    lost: list[str] = []
    broken: list[str] = []

    @property
    def is_kept(self) -> bool:
        """Whether nothing was lost and nothing broken."""
        return not self.lost and not self.broken


class Templates:
    """The folders that cycles begin with, made once."""

    def __init__(self, folder: Path, base_ms: int) -> None:
        self._folder = folder
        self._base_ms = base_ms
        self._made = {
            "pruning": self._pruned,
            "migration": self._migrated,
            "restoring": self._restored,
        }

    def begin(self, phase: str, folder: Path) -> None:
        """Copy what a phase begins with into a new folder."""
        template = self._folder / (phase if phase in self._made else "usual")
        if not template.exists():
            template.mkdir(parents=True)
            self._made.get(phase, self._usual)(template)
        shutil.copytree(template, folder)

    def _usual(self, folder: Path) -> None:
        self._record(folder / ODDS, self._base_ms, FIRST_BATCHES)
        for steps in (
            workload.make_keys(folder, lambda _: None, 0),
            workload.place_bets(folder, lambda _: None),
        ):
            with closing(steps):
                list(islice(steps, 3))

    def _pruned(self, folder: Path) -> None:
        self._record(folder / ODDS, self._base_ms - 40 * DAY_MS, OLD_BATCHES)
        self._record(folder / ODDS, self._base_ms, FIRST_BATCHES)

    def _migrated(self, folder: Path) -> None:
        """Fill the tables of an older version with what this one records."""
        self._record(folder / "new.db", self._base_ms, OLD_BATCHES)
        schema = Schema(ODDS_SCHEMA.name, ODDS_SCHEMA.steps[:OLD_STEPS])
        with closing(open_writer(folder / ODDS, schema, synchronous="NORMAL")) as old:
            old.execute("ATTACH ? AS new", (str(folder / "new.db"),))
            query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '*sql*'"
            for (table,) in old.execute(query).fetchall():
                if table == "setting":
                    continue  # some are newer than that version
                names = [_columns(old, schema, table) for schema in ("main", "new")]
                shared = ", ".join(sorted(set.intersection(*names)))
                old.execute(f"INSERT INTO main.{table} ({shared}) SELECT {shared} FROM new.{table}")
        (folder / "new.db").unlink()

    def _restored(self, folder: Path) -> None:
        """A database with keys and bets, and next to it the archive of another one."""
        self._usual(folder)
        other = folder / "other"
        other.mkdir()
        self._record(other / ODDS, self._base_ms, 2 * FIRST_BATCHES)
        with closing(workload.make_keys(other, lambda _: None, 1)) as keys:
            next(keys)
        with closing(workload.place_bets(other, lambda _: None)) as bets:
            list(islice(bets, 5))
        back_up(other / ODDS, folder / ARCHIVE, Contents(keys=True, ledger=other / LEDGER))
        shutil.rmtree(other)

    def _record(self, path: Path, base_ms: int, batches: int) -> None:
        clock = system_clock if base_ms == self._base_ms else lambda: base_ms + batches
        with closing(open_store(path, clock=clock)) as store:
            list(islice(workload.record(store, base_ms, 0, lambda _: None), batches))


def _columns(connection: sqlite3.Connection, schema: str, table: str) -> set[str]:
    rows = connection.execute(f"SELECT name FROM {schema}.pragma_table_info('{table}')")
    return {name for (name,) in rows}


class Killer:
    """Runs phases in processes of their own and kills each at a moment."""

    def __init__(self, command: "subprocess.Popen[bytes]") -> None:
        assert command.stdin is not None
        assert command.stdout is not None
        self._jobs: IO[bytes] = command.stdin
        self._told: IO[bytes] = command.stdout

    def kill(self, job: Job, after_s: float) -> list[tuple[str, str]]:
        """Begin a job, kill it and return what it acknowledged: kinds and names."""
        self._jobs.write(msgspec.json.encode(job) + b"\n")
        self._jobs.flush()
        begun, pid = self._told.readline().split()
        assert begun == b"begun"
        time.sleep(after_s)
        os.kill(int(pid), signal.SIGKILL)
        heard = []
        while (line := self._told.readline().decode().strip()) != "ended":
            assert line, "the processes' parent has ended"
            kind, _, name = line.partition(" ")
            heard.append((kind, name))
        return heard


@contextmanager
def killer() -> Iterator[Killer]:
    """Start the process whose children are killed."""
    command = [sys.executable, "-m", "tests.durability.phases"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=_ROOT, stdin=pipe, stdout=pipe) as process:
        yield Killer(process)
        assert process.stdin is not None
        process.stdin.close()


def run_cycles(cycles: int, seed: int, folder: Path) -> Result:
    """Kill so many processes, the phases in turn; what is found is in the result."""
    chance = Random(seed)
    base_ms = system_clock()
    templates = Templates(folder / "templates", base_ms)
    result = Result()
    with killer() as kills:
        for number in range(cycles):
            phase = list(PHASES)[number % len(PHASES)]
            place = folder / f"cycle {number}"
            templates.begin(phase, place)
            for again in range(chance.choice((1, 1, 2))):  # what is left is killed again, too
                first = _next_batch(place / ODDS, base_ms) if again else _first(phase)
                job = Job(phase, str(place), base_ms, first, number * 2 + again + 10)
                heard = kills.kill(job, chance.uniform(0, LONGEST_S.get(phase, USUAL_S)))
                _judge(job, heard, result)
            result.cycles[phase] += 1
            shutil.rmtree(place)
    return result


def _first(phase: str) -> int:
    return OLD_BATCHES if phase == "migration" else FIRST_BATCHES


def _next_batch(odds: Path, base_ms: int) -> int:
    with closing(open_store(odds)):
        return max(batches_in(odds, base_ms)) + 1


def _judge(job: Job, heard: list[tuple[str, str]], result: Result) -> None:
    """Open what is left as the program does, and compare it with what was acknowledged."""
    result.acknowledged.update(kind for kind, _ in heard)
    where = f"{job.phase}, seed {job.seed}"
    try:
        result.broken += [f"{where}: {each}" for each in _problems(job, heard)]
        result.lost += [f"{where}: {each}" for each in _lost(job, heard)]
    except Exception as error:  # noqa: BLE001 - whatever it is, this one did not open
        result.broken.append(f"{where}: {type(error).__name__}: {error}")


def _problems(job: Job, heard: list[tuple[str, str]]) -> Iterator[str]:
    folder = job.odds.parent
    if job.phase == "migration":
        yield from _half_migrated(job)
    open_store(job.odds).close()
    yield from broken(job.odds, is_pruned=job.phase == "pruning")
    rows = batches_in(job.odds, job.base_ms)
    halves = {each: count for each, count in rows.items() if each >= 0 and count != _WHOLE}
    if halves:
        yield f"half batches {halves}"
    if job.phase == "restoring" and len(rows) not in (FIRST_BATCHES, 2 * FIRST_BATCHES):
        yield f"neither of the two databases: {sorted(rows)}"
    for file in folder.glob("*-access.db"):
        yield from check_file(file)
    if (folder / LEDGER).exists():
        Ledger(folder / LEDGER).close()
        yield from check_file(folder / LEDGER)
    if (folder / COPY).exists():
        yield from broken(folder / COPY)
        least = max((int(name) for kind, name in heard if kind == "copy"), default=0)
        if max(batches_in(folder / COPY, job.base_ms)) < least:
            yield f"the copy lacks batch {least}"


_WHOLE: Final = rows_of_a_batch()


def _half_migrated(job: Job) -> Iterator[str]:
    """Look at the file before anything repairs it, and at what was copied of it before."""
    old, new = ({step.name for step in ODDS_SCHEMA.steps[:count]} for count in (OLD_STEPS, None))
    with closing(sqlite3.connect(job.odds)) as connection:
        if applied_steps(connection, ODDS_SCHEMA) not in (old, new):
            yield "half migrated"
    for copy in job.odds.parent.glob(f"{ODDS}.before-*Z"):
        yield from check_file(copy)
        if len(batches_in(copy, job.base_ms)) < OLD_BATCHES:
            yield f"{copy.name} is not whole"


def _lost(job: Job, heard: list[tuple[str, str]]) -> Iterator[str]:
    rows = batches_in(job.odds, job.base_ms)
    recorded = {int(name) for kind, name in heard if kind == ODDS}
    for number, _ in enumerate(kind for kind, _ in heard if kind == "quotes"):
        first = job.first + number * FILE_BATCHES
        recorded |= set(range(first, first + FILE_BATCHES))
    if job.phase != "restoring":
        recorded |= set(range(_first(job.phase)))
    yield from (f"batch {number}" for number in sorted(recorded - set(rows)))
    secrets = [name for kind, name in heard if kind == "key"]
    if secrets:
        with closing(open_access(job.odds)) as access:
            yield from (f"key {each}" for each in secrets if access.keys.caller(each) is None)
    placed = {int(name) for kind, name in heard if kind == "bet"}
    if job.phase in ("bets", "restoring"):
        with closing(Ledger(job.odds.with_name(LEDGER))) as ledger:
            bets = ledger.read_bets()
        kept = {bet.ident for bet in bets}
        yield from (f"bet {each}" for each in sorted((placed | {1, 2, 3}) - kept))
        ended = {int(name) for kind, name in heard if kind == "result"}
        has_result = {bet.ident for bet in bets if bet.result is not None}
        yield from (f"result {each}" for each in sorted(ended - has_result))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--cycles", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="where the files are; default: /tmp")
    options = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        result = run_cycles(options.cycles, options.seed, Path(folder))
    for phase, count in result.cycles.items():
        print(f"{phase:<12}{count:>6,} cycles")
    counts = ", ".join(f"{kind} {count:,}" for kind, count in result.acknowledged.items())
    print(f"acknowledged: {counts}")
    print(f"acknowledged and lost: {len(result.lost)}")
    print(f"did not open, or invariants broken: {len(result.broken)}")
    for problem in (*result.lost[:10], *result.broken[:10]):
        print(" ", problem)
    print(f"{time.monotonic() - began:.0f} s, SQLite {sqlite3.sqlite_version}")
    return 0 if result.is_kept else 1


if __name__ == "__main__":
    sys.exit(main())
