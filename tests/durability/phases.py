"""What a process is killed at: each phase goes on until then, and tells what is done.

    python -m tests.durability.phases

It reads a `Job` a line from standard input, does each in a process of its own, and writes what
that acknowledges to standard output, between `begun PID` and `ended`.
"""

import contextlib
import os
import sys
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final

import msgspec

from oddsdesk.cli.ingest import ingest
from oddsdesk.contract.quotes import odds_row
from oddsdesk.ledger.ledger import merge_ledger
from oddsdesk.store.sqlite import database, retention
from oddsdesk.store.sqlite import store as store_module
from oddsdesk.store.sqlite.backup import back_up
from oddsdesk.store.sqlite.database import WriteAheadLog
from oddsdesk.store.sqlite.restore import restore_database
from oddsdesk.store.store import open_store
from tests.durability import workload
from tests.durability.workload import LEDGER, ODDS, Tell

COPY: Final = "copy.db"
ARCHIVE: Final = "archive.tar"
KEEP_DAYS: Final = 30
FILE_BATCHES: Final = 3
"""Batches in a file that is ingested."""


class Job(msgspec.Struct, frozen=True):
    """One phase in a folder; ``first`` is the number of the next batch."""

    phase: str
    folder: str
    base_ms: int
    first: int
    seed: int

    @property
    def odds(self) -> Path:
        """The database."""
        return Path(self.folder) / ODDS


def recording(job: Job, tell: Tell) -> None:
    store = open_store(job.odds)
    for _ in workload.record(store, job.base_ms, job.first, tell):
        pass


def checkpoint(job: Job, tell: Tell) -> None:
    """Record with a log so short that it is copied after nearly every commit."""
    store_module.WriteAheadLog = partial(WriteAheadLog, limit_bytes=100_000)  # type: ignore[misc]
    database.STEP_BYTES = 0  # type: ignore[misc]
    recording(job, tell)


def pruning(job: Job, tell: Tell) -> None:
    """Record at the same time, as a server does."""
    retention.SLICE = 100  # type: ignore[misc]
    store = open_store(job.odds)
    threading.Thread(target=lambda: [*workload.record(store, job.base_ms, job.first, tell)]).start()
    while True:
        store.prune(job.base_ms, KEEP_DAYS)


def migration(job: Job, tell: Tell) -> None:
    recording(job, tell)


def backup(job: Job, tell: Tell) -> None:
    """Record at the same time, and tell which batches a copy holds at least."""
    store = open_store(job.odds)
    recorded = [job.first - 1]

    def record() -> None:
        for recorded[0] in workload.record(store, job.base_ms, job.first, tell):
            pass

    threading.Thread(target=record).start()
    while True:
        at_least = recorded[0]
        back_up(job.odds, job.odds.with_name(COPY))
        tell(f"copy {at_least}")


def restoring(job: Job, tell: Tell) -> None:
    """Replace a database, its keys and its bets, as often as there is time."""
    folder = job.odds.parent
    while True:
        bets = partial(merge_ledger, path=folder / LEDGER)
        restore_database(folder / ARCHIVE, job.odds, bets, force=True)
        tell("restored")


def keys(job: Job, tell: Tell) -> None:
    for _ in workload.make_keys(job.odds.parent, tell, job.seed):
        pass


def bets(job: Job, tell: Tell) -> None:
    for _ in workload.place_bets(job.odds.parent, tell):
        pass


def ingesting(job: Job, tell: Tell) -> None:
    """The command itself, one file after another; its last line acknowledges."""
    number = job.first
    file = job.odds.with_name("quotes.ndjson")
    while True:
        batches = range(number, number + FILE_BATCHES)
        quotes = [quote for each in batches for quote in workload.batch(each, job.base_ms)]
        file.write_bytes(b"".join(msgspec.json.encode(odds_row(each)) + b"\n" for each in quotes))
        with contextlib.suppress(SystemExit):
            ingest([str(file), "--database", str(job.odds)])
        number += FILE_BATCHES


PHASES: Final[dict[str, Callable[[Job, Tell], None]]] = {
    each.__name__: each
    for each in (
        recording,
        checkpoint,
        pruning,
        migration,
        backup,
        restoring,
        keys,
        bets,
        ingesting,
    )
}


def main() -> None:
    tell = workload.tell_through(sys.stdout.fileno())
    for line in sys.stdin.buffer:
        job = msgspec.json.decode(line, type=Job)
        child = os.fork()
        if child == 0:
            tell(f"begun {os.getpid()}")
            PHASES[job.phase](job, tell)
            os._exit(1)
        os.waitpid(child, 0)
        tell("ended")


if __name__ == "__main__":
    main()
