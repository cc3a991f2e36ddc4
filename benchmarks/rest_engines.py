"""What answering a request takes of the processor on each engine: the server's and PostgreSQL's.

The same quotes in a file and in PostgreSQL, a server on each, asked in turns. Needs PostgreSQL's
programs.

    PYTHONPATH=. python benchmarks/rest_engines.py [--rounds 5]
"""

import argparse
import asyncio
import contextlib
import statistics
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from rest_odds import quotes
from workers import PATH, QUOTES, REQUESTS, Served, a_request_us, serving

from oddsdesk.base.clock import system_clock
from oddsdesk.base.tasks import new_loop
from oddsdesk.contract.access import Plan
from oddsdesk.store.access import open_access
from oddsdesk.store.databases import Database, DatabaseUrl
from oddsdesk.store.store import open_store
from tests.kit.postgres import running_postgres


@contextlib.contextmanager
def served(database: Database) -> Iterator[tuple[Served, str]]:
    """Fill a database, serve it, and make a key."""
    with contextlib.closing(open_store(database)) as store:
        store.record(quotes(QUOTES, system_clock())).result()
    with contextlib.closing(open_access(database)) as access:
        key = access.keys.create("bench", Plan.PRO_LIVE, None, system_clock()).secret
    with serving(database, 1) as server:
        yield server, key


def spent_by(folder: Path) -> Callable[[], float]:
    """Return what tells the seconds of a processor that a PostgreSQL took, all of it together."""
    postmaster = (folder / "data" / "postmaster.pid").read_text().split()[0]

    def spent() -> float:
        children = Path(f"/proc/{postmaster}/task/{postmaster}/children").read_text().split()
        return Served("", [int(postmaster), *map(int, children)]).spent_s()

    return spent


async def measure(rounds: int) -> None:
    with (
        tempfile.TemporaryDirectory() as place,
        running_postgres() as postgres,
        served(Path(place) / "odds.db") as on_file,
        served(DatabaseUrl(postgres.url())) as on_postgres,
    ):
        spent = spent_by(postgres.folder)
        found: dict[str, list[float]] = {"on a file": [], "on PostgreSQL": [], "PostgreSQL": []}
        for turn in range(rounds + 1):
            by_file = await a_request_us(*on_file)
            before = spent()
            by_server = await a_request_us(*on_postgres)
            database = (spent() - before) / REQUESTS * 1e6
            if turn:  # the first one fills caches
                for each, us in zip(found.values(), (by_file, by_server, database), strict=True):
                    each.append(us)
    print(f"{REQUESTS} requests of {PATH} over {QUOTES:,} quotes, median of {rounds} rounds")
    for name, values in found.items():
        print(f"{name:14} {statistics.median(values):7,.0f} us a request")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(measure(options.rounds))


if __name__ == "__main__":
    main()
