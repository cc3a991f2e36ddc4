"""What is kept when the machine loses power, at a hundred cuts of a recorded run.

`python -m tests.durability.power` is the same with a thousand.
"""

import sys
from pathlib import Path
from random import Random

import pytest

from tests.durability.disk import Disk
from tests.durability.power import PROMISED_MS, Result, cut_power, run_load
from tests.durability.trace import Deed, Kind, compiler
from tests.durability.workload import DURABLE, ODDS

pytestmark = pytest.mark.slow

CUTS = 100
LOAD_S = 4.0
SEED = 1
needs_compiler = pytest.mark.skipif(
    sys.platform != "linux" or compiler() is None, reason="needs Linux and a C compiler (gcc)"
)


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> Result:
    folder, deeds = run_load(tmp_path_factory.mktemp("power"), LOAD_S)
    return cut_power(folder, deeds, CUTS, SEED)


@needs_compiler
def test_every_database_opens_whole(result: Result) -> None:
    assert (result.opened, result.broken) == (CUTS, [])


@needs_compiler
def test_at_most_a_second_of_prices_is_lost(result: Result) -> None:
    assert 0 < result.most_lost_ms[ODDS] <= PROMISED_MS[ODDS]


@needs_compiler
def test_durable_recordings_lose_nothing(result: Result) -> None:
    assert result.most_lost_ms[DURABLE] == 0


@needs_compiler
def test_keys_and_bets_are_never_lost(result: Result) -> None:
    assert result.lost == []


def deed(kind: Kind, file: int = 1, position: int = 0, data: bytes = b"") -> Deed:
    return Deed(0, kind, file, position, data, b"")


def contents(disk: Disk, folder: Path) -> set[bytes | None]:
    """What the one file can hold, None where it can be missing."""
    found: set[bytes | None] = set()
    for seed in range(50):
        left = folder / f"left {seed}"
        left.mkdir()
        disk.write_after_failure(Random(seed), left)
        found.add((left / "file").read_bytes() if (left / "file").exists() else None)
    return found


def test_the_disk_keeps_what_was_synced_and_may_lose_the_rest(tmp_path: Path) -> None:
    disk = Disk(Path("/top"))
    disk.do(deed(Kind.OPENED, 1, data=b"/top/file"))
    disk.do(deed(Kind.WRITTEN, 1, 0, b"A" * 1024))
    disk.do(deed(Kind.SYNC_BEGUN, 1, 7))
    disk.do(deed(Kind.WRITTEN, 1, 1024, b"B" * 512))
    disk.do(deed(Kind.SYNCED, 1, 7))
    assert None in contents(disk, tmp_path)  # its folder was not synced
    disk.do(deed(Kind.OPENED, 2, data=b"/top"))
    disk.do(deed(Kind.SYNC_BEGUN, 2, 8))
    disk.do(deed(Kind.SYNCED, 2, 8))
    (tmp_path / "again").mkdir()
    left = contents(disk, tmp_path / "again")
    assert {b"A" * 1024, b"A" * 1024 + b"B" * 512} <= left
    assert all(each is not None and each.startswith(b"A" * 1024) for each in left)
