"""Running a program under the shim, and reading what it did to its files."""

import os
import shutil
import struct
import subprocess
from collections.abc import Iterator, Sequence
from enum import IntEnum
from pathlib import Path
from typing import Final, NamedTuple

SOURCE: Final = Path(__file__).with_name("shim.c")
_ENTRY: Final = struct.Struct("=QQQIIII")


class Kind(IntEnum):
    """What was done, by its number in ``shim.c``."""

    OPENED = 1
    WRITTEN = 2
    TRUNCATED = 3
    SYNC_BEGUN = 4
    SYNCED = 5
    REMOVED = 6
    RENAMED = 7
    FOLDER_MADE = 8


class Deed(NamedTuple):
    """One thing that was done.

    ``file`` numbers what was opened. ``position`` is an offset, a length, the number of a sync,
    or 1 for what was opened empty. ``data`` is what was written, or a path.
    """

    time_ns: int
    kind: Kind
    file: int
    position: int
    data: bytes
    target: bytes


def compiler() -> str | None:
    """Return the C compiler of this machine."""
    return shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")


def run_traced(command: Sequence[str], folder: Path, scratch: Path, directory: Path) -> list[Deed]:
    """Run a program in a directory to its end; return what it did below ``folder``."""
    shim, trace = scratch / "shim.so", scratch / "trace"
    tool = compiler()
    assert tool is not None, "recording writes needs a C compiler: apt install gcc libc6-dev"
    subprocess.run([tool, "-O2", "-shared", "-fPIC", "-o", shim, SOURCE, "-ldl"], check=True)
    added = {"LD_PRELOAD": str(shim), "TRACED": str(folder), "TRACE": str(trace)}
    subprocess.run(command, env={**os.environ, **added}, cwd=directory, check=True)
    return list(_read(trace.read_bytes()))


def _read(trace: bytes) -> Iterator[Deed]:
    place = 0
    while place < len(trace):
        time_ns, file, position, kind, length, length2, _ = _ENTRY.unpack_from(trace, place)
        place += _ENTRY.size
        data = trace[place : place + length]
        target = trace[place + length : place + length + length2]
        place += length + length2
        yield Deed(time_ns, Kind(kind), file, position, data, target)
