"""Losing power: what a program wrote, cut anywhere, and what its files are worth then.

    python -m tests.durability.power [--cuts 1000] [--seconds 10] [--seed 1] [--folder /tmp]

Needs Linux and a C compiler.
"""

import argparse
import bisect
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Final

import msgspec

from oddsdesk.ledger.ledger import Ledger
from oddsdesk.store.access import open_access
from oddsdesk.store.store import open_store
from tests.durability.disk import Disk
from tests.durability.invariants import batches_in, broken, check_file
from tests.durability.load import ACKNOWLEDGED, DATA
from tests.durability.trace import Deed, Kind, run_traced
from tests.durability.workload import DURABLE, LEDGER, ODDS, rows_of_a_batch

PROMISED_MS: Final = {ODDS: 1_000, DURABLE: 0}
_MEMORY: Final = "/dev/shm" if Path("/dev/shm").is_dir() else None
"""Where what is left is opened: it need not wait for a disk."""
_ROOT: Final = Path(__file__).parents[2]


class Result(msgspec.Struct):
    """What came of the cuts; ``most_lost_ms`` by file."""

    cuts: int = 0
    opened: int = 0
    acknowledged: int = 0
    most_lost_ms: dict[str, float] = msgspec.field(
        default_factory=lambda: dict.fromkeys(PROMISED_MS, 0.0)
    )
    broken: list[str] = []
    lost: list[str] = []
    """Keys and bets that were acknowledged and are gone."""

    @property
    def is_kept(self) -> bool:
        """Whether every promise was kept at every cut."""
        in_time = all(self.most_lost_ms[name] <= most for name, most in PROMISED_MS.items())
        return in_time and self.opened == self.cuts and not self.broken and not self.lost


class _Told(msgspec.Struct):
    """What was acknowledged of one kind, and when."""

    what: list[str] = []
    times_ns: list[int] = []

    def until(self, time_ns: int) -> list[tuple[str, int]]:
        count = bisect.bisect_left(self.times_ns, time_ns)
        return list(zip(self.what[:count], self.times_ns[:count], strict=True))


def run_load(scratch: Path, seconds: float) -> tuple[Path, list[Deed]]:
    """Run the load and return its folder and what it did there."""
    folder = scratch / "traced"
    folder.mkdir()
    command = [sys.executable, "-m", "tests.durability.load", str(folder), str(seconds)]
    return folder, run_traced(command, folder, scratch, _ROOT)


def cut_power(folder: Path, deeds: list[Deed], cuts: int, seed: int) -> Result:
    """Cut at so many places, open what is left each time, and compare it with what was told."""
    chance = Random(seed)
    heard = _acknowledged(deeds, str(folder / ACKNOWLEDGED))
    result = Result(acknowledged=sum(len(each.what) for each in heard.values()))
    disk, done = Disk(folder), 0
    for place in sorted(chance.choices(range(1, len(deeds)), k=cuts)):
        for deed in deeds[done:place]:
            disk.do(deed)
        done = place
        with tempfile.TemporaryDirectory(dir=_MEMORY) as left:
            disk.write_after_failure(chance, Path(left))
            _judge(Path(left) / DATA, heard, deeds[place].time_ns, result, place)
    return result


def _acknowledged(deeds: list[Deed], path: str) -> dict[str, _Told]:
    heard = {kind: _Told() for kind in ("base", ODDS, DURABLE, "key", "bet", "result")}
    number = next(deed.file for deed in deeds if deed.data == path.encode())
    for deed in deeds:
        if deed.kind is Kind.WRITTEN and deed.file == number:
            kind, _, what = deed.data.decode().strip().partition(" ")
            heard[kind].what.append(what)
            heard[kind].times_ns.append(deed.time_ns)
    return heard


def _judge(data: Path, heard: dict[str, _Told], time_ns: int, result: Result, place: int) -> None:
    """Open what is left as the program does; the power went just before ``time_ns``."""
    result.cuts += 1
    try:
        for name in (ODDS, DURABLE):
            result.broken += [f"cut at {place}: {each}" for each in _problems(data / name, heard)]
            lost_ms = _lost_ms(data / name, heard, time_ns)
            result.most_lost_ms[name] = max(result.most_lost_ms[name], lost_ms)
        result.lost += _lost_keys(data / ODDS, heard["key"].until(time_ns))
        told = (heard[kind].until(time_ns) for kind in ("bet", "result"))
        result.lost += _lost_bets(data / LEDGER, *told)
        for path in (data / LEDGER, *data.glob("*-access.db")):
            result.broken += [f"cut at {place}: {path.name}: {each}" for each in check_file(path)]
    except Exception as error:  # noqa: BLE001 - whatever it is, this one did not open
        result.broken.append(f"cut at {place}: {type(error).__name__}: {error}")
        return
    result.opened += 1


def _problems(odds: Path, heard: dict[str, _Told]) -> Iterator[str]:
    open_store(odds).close()
    yield from broken(odds)
    rows = batches_in(odds, int(heard["base"].what[0]))
    halves = [number for number, count in rows.items() if count != rows_of_a_batch()]
    if halves:
        yield f"half of batches {halves}"


def _lost_ms(odds: Path, heard: dict[str, _Told], time_ns: int) -> float:
    """Return how long ago the first batch that is gone was acknowledged."""
    rows = batches_in(odds, int(heard["base"].what[0]))
    acknowledged = heard[odds.name].until(time_ns)
    gone = (at_ns for number, at_ns in acknowledged if int(number) not in rows)
    return (time_ns - next(gone, time_ns)) / 1e6


def _lost_keys(odds: Path, heard: list[tuple[str, int]]) -> list[str]:
    access = open_access(odds)
    try:
        return [f"key {secret}" for secret, _ in heard if access.keys.caller(secret) is None]
    finally:
        access.close()


def _lost_bets(
    path: Path, placed: list[tuple[str, int]], settled: list[tuple[str, int]]
) -> list[str]:
    ledger = Ledger(path)
    try:
        kept = {str(bet.ident): bet for bet in ledger.read_bets()}
    finally:
        ledger.close()
    lost = [f"bet {ident}" for ident, _ in placed if ident not in kept]
    unsettled = {ident for ident, bet in kept.items() if bet.result is None}
    return lost + [f"result of bet {ident}" for ident, _ in settled if ident in unsettled]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--cuts", type=int, default=1_000)
    parser.add_argument("--seconds", type=float, default=10.0, help="how long the load runs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="where the load writes; default: /tmp")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as scratch:
        folder, deeds = run_load(Path(scratch), options.seconds)
    result = cut_power(folder, deeds, options.cuts, options.seed)
    print(f"{len(deeds):,} writes and syncs of SQLite {sqlite3.sqlite_version}")
    print(f"{result.acknowledged:,} batches of prices, keys and bets acknowledged")
    print(f"databases that open: {result.opened:,} of {result.cuts:,}")
    print(f"invariants broken: {len(result.broken)}")
    for name, promised in PROMISED_MS.items():
        lost = result.most_lost_ms[name]
        print(f"most prices lost, {name}: {lost:.0f} ms (promised {promised})")
    print(f"keys and bets lost: {len(result.lost)} (promised 0)")
    for problem in (*result.broken[:10], *result.lost[:10]):
        print(" ", problem)
    return 0 if result.is_kept else 1


if __name__ == "__main__":
    sys.exit(main())
