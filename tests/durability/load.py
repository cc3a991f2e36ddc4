"""A program that does what a serving process and a desk do to their files, and tells of it.

    python -m tests.durability.load FOLDER SECONDS

It writes what it acknowledges to FOLDER/acknowledged; its files are in FOLDER/data.
"""

import os
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Final

from oddsdesk.base.clock import system_clock
from oddsdesk.store.sqlite import store as store_module
from oddsdesk.store.sqlite.database import WriteAheadLog
from oddsdesk.store.store import Store, open_store
from tests.durability import workload
from tests.durability.workload import DURABLE, ODDS, Tell

ACKNOWLEDGED: Final = "acknowledged"
DATA: Final = "data"
ROUNDS: Final = (0.3, 0.7)
"""It opens and closes everything twice, for these parts of its time."""
WAL_BYTES: Final = 8_000_000
"""Few enough that the log is copied now and then, so many that syncing is left to the clock."""
RECORD_EVERY_S: Final = 0.04
KEY_EVERY_S: Final = 0.11
BET_EVERY_S: Final = 0.09


def main(arguments: list[str]) -> None:
    folder, seconds = Path(arguments[0]), float(arguments[1])
    store_module.WriteAheadLog = partial(WriteAheadLog, limit_bytes=WAL_BYTES)
    log = os.open(folder / ACKNOWLEDGED, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    tell = workload.tell_through(log)
    base_ms = system_clock()
    tell(f"base {base_ms}")
    first = {ODDS: 0, DURABLE: 0}
    for number, part in enumerate(ROUNDS):
        _round(folder / DATA, base_ms, first, tell, number, seconds * part)


def _round(
    data: Path, base_ms: int, first: dict[str, int], tell: Tell, number: int, seconds: float
) -> None:
    """Do everything at once for a while; note the numbers of the next batches."""
    stores = [open_store(data / name, durable=name == DURABLE) for name in first]
    over = threading.Event()

    def batches(store: Store) -> Generator[None, None, None]:
        name = store.path.name
        for last in workload.record(store, base_ms, first[name], tell):
            first[name] = last + 1
            yield

    jobs = [_job(partial(batches, store), RECORD_EVERY_S, over) for store in stores]
    jobs.append(_job(partial(workload.make_keys, data, tell, number), KEY_EVERY_S, over))
    jobs.append(_job(partial(workload.place_bets, data, tell), BET_EVERY_S, over))
    time.sleep(seconds)
    over.set()
    for job in jobs:
        job.join()
    for store in stores:
        store.close()


def _job(
    begin: Callable[[], Generator[None, None, None]], every_s: float, over: threading.Event
) -> threading.Thread:
    def run() -> None:
        with closing(begin()) as steps:
            for _ in steps:
                if over.wait(every_s):
                    break

    thread = threading.Thread(target=run)
    thread.start()
    return thread


if __name__ == "__main__":
    main(sys.argv[1:])
