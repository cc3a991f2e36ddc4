"""What a service that misbehaves costs a desk: jobs, blocked time, memory, and what it says (D85).

    python benchmarks/hostile.py [--window] [misbehaviour ...]

Some hundred misbehaviours, each against a desk of its own in a process of its own: it reads a
service that is well, which then misbehaves and is well again. Without ``--window`` it is the
desk's data layer alone, on asyncio's loop; with it the whole window, off screen unless
QT_QPA_PLATFORM says where. Blocked is the longest time between two beats on that loop, in
processor time and by the clock. Memory is read from /proc, so this runs on Linux only.
"""

import asyncio
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.kit.hostile_run import Heart, Log, Played, beating, play_headless
from tests.kit.hostile_service import HostileService, Misbehaviour, hostile_service
from tests.kit.misbehaviours import TABLE

_LINE = "{:34} {:>6} {:>9} {:>9} {:>8} {:>9}  {}"


def one(kind: Misbehaviour) -> None:
    """Play one misbehaviour and print what came of it."""
    with hostile_service() as service, Log() as log:
        if "--window" in sys.argv:
            from tests.kit.hostile_window import play_in_window

            played, heart = play_in_window(service, kind, log)
        else:
            played, heart = asyncio.run(_headless(service, kind, log))
    _tell(played, heart, log)


async def _headless(service: HostileService, kind: Misbehaviour, log: Log) -> tuple[Played, Heart]:
    async with beating() as heart:
        return await play_headless(service, kind, log, heart), heart


def _tell(played: Played, heart: Heart, log: Log) -> None:
    wrong = played.wrong() + [f"logged: {each[-300:]}" for each in log.errors[:1]]
    wrong += ["a key is in the log"] if log.secrets() else []
    recovered = "never" if played.recovered_s is None else f"{played.recovered_s:.1f} s"
    print(
        _LINE.format(
            played.kind.name, len(played.watch.faults), f"{heart.worked_s * 1000:.0f} ms",
            f"{heart.waited_s * 1000:.0f} ms", f"{heart.grown_mib:.0f} MiB",
            "waits" if played.kind.waits else recovered, " ".join(played.was_said.split())[:110],
        ),
        flush=True,
    )  # fmt: skip
    for each in wrong:
        print(f"    ! {each}", flush=True)


def main() -> None:
    """Play one, or each in a process of its own."""
    names = [each for each in sys.argv[1:] if each != "--window"]
    if len(names) == 1:
        one(next(kind for kind in TABLE if names[0] in (kind.name, kind.slug)))
        return
    print(_LINE.format("misbehaviour", "failed", "worked", "blocked", "memory", "well in", "said"))
    for kind in TABLE:
        if not names or kind.name in names:
            again = [sys.executable, __file__, *sys.argv[1 : 1 + ("--window" in sys.argv)]]
            subprocess.run([*again, kind.slug], check=False)


if __name__ == "__main__":
    main()
