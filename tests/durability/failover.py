"""A primary of PostgreSQL killed in mid-load, its standby promoted, and what that costs.

    python -m tests.durability.failover [--rounds 3] [--asynchronous]

Two servers, one the other's standby, and a process of `oddsdesk serve` on a URL that names both.
Told are acknowledged batches that the standby lacks, gaps and repeats on a stream that stays open,
and seconds from the kill until something was acknowledged, and heard, again. A commit waits for
the standby unless it is asynchronous: then what it had not yet is lost, as PostgreSQL says.
"""

import argparse
import contextlib
import tempfile
import time
from pathlib import Path
from urllib.parse import quote

import msgspec

from tests.kit.cluster import LIMIT_S, Faults, Listener, Load, Node, log_of, make_key, running
from tests.kit.postgres import SUPERUSER, Postgres, running_postgres, running_standby
from tests.kit.workers import until

DATABASE = "odds"


class Failover(msgspec.Struct):
    """What one cost."""

    acknowledged: int
    """Games, each in one recording."""
    lost: int
    gaps: int
    repeats: int
    promoted_s: float
    """From the kill until the standby says that it takes writes."""
    recording_s: float
    streaming_s: float

    @property
    def is_nothing(self) -> bool:
        """Whether it cost time only."""
        return not (self.lost or self.gaps or self.repeats)


def fail_over(*, synchronous: bool = True, batches: int = 20) -> Failover:
    """Kill a primary in mid-load and promote its standby."""
    with (
        running_postgres(fsync="on", full_page_writes="on") as primary,
        tempfile.TemporaryDirectory() as folder,
    ):
        primary.order(f"CREATE DATABASE {DATABASE}")
        with running_standby(primary) as standby:
            if synchronous:
                primary.order("ALTER SYSTEM SET synchronous_standby_names = '*'")
                primary.order("SELECT pg_reload_conf()")
            return _fail_over(primary, standby, Path(folder), batches)


def _fail_over(primary: Postgres, standby: Postgres, folder: Path, batches: int) -> Failover:
    database = url_of(primary, standby)
    node = Node(database, folder, "api,stream")
    with running(node):
        with (
            contextlib.closing(Listener(node.url, make_key(database))) as listener,
            Load(database, node.url) as load,
        ):
            load.go_on(batches)
            until(lambda: len(listener.times) > batches, LIMIT_S)
            killed = time.monotonic()
            primary.stop()
            standby.promote()
            promoted = time.monotonic()
            load.go_on(batches)
        log = log_of(database)
        until(lambda: listener.has_ended or len(listener.messages) >= len(log), LIMIT_S)
        listener.close()
    faults = Faults(log)
    faults.look_at(listener.messages, to_the_end=not listener.has_broken)
    return Failover(
        acknowledged=len(load.acknowledged),
        lost=len(set(load.acknowledged) - {name for name, _ in log}),
        gaps=faults.gaps,
        repeats=faults.repeats,
        promoted_s=promoted - killed,
        recording_s=load.pause_after(killed),
        streaming_s=listener.pause_after(killed),
    )


def url_of(*servers: Postgres) -> str:
    """The URL of one database on several servers, of which one takes writes at a time."""
    hosts = ",".join(quote(str(server.folder), safe="") for server in servers)
    return f"postgresql://{SUPERUSER}@/{DATABASE}?host={hosts}&target_session_attrs=read-write"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--asynchronous", action="store_true")
    options = parser.parse_args()
    costs = []
    for number in range(options.rounds):
        costs.append(fail_over(synchronous=not options.asynchronous))
        print(f"round {number + 1}: {costs[-1]}", flush=True)
    lost = sum(cost.lost for cost in costs)
    games = sum(cost.acknowledged for cost in costs)
    print(f"{lost} of {games} acknowledged games lost")
    for name in ("promoted_s", "recording_s", "streaming_s"):
        print(f"{name}: {max(getattr(cost, name) for cost in costs):.2f} at most")
    raise SystemExit(not all(cost.is_nothing for cost in costs))


if __name__ == "__main__":
    main()
