"""Signals at random moments of the first three seconds of a start: exits and seconds (D77).

    python -m tests.durability.signals --times 200 [--seed 1] [kind ...]

`oddsdesk serve` is begun and gets SIGTERM or SIGINT; kinds of start take turns: plain, with the
simulator, with two workers, with a FIFO that nobody writes to, with one that somebody holds open
and says nothing, and with a recording of a gigabyte. A signal that comes before the program's first
line may end it itself, as long as nothing was made.
"""

import argparse
import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

import msgspec

from oddsdesk.contract.times import format_ms
from tests.kit.deployed import own_environment
from tests.kit.promises import in_time

PROMISED_S: Final = 3.0
FIRST_S: Final = 3.0
"""Until when after its start a program gets its signal."""
LIMIT_S: Final = 60.0
GIGABYTE: Final = 1 << 30
BLOCK: Final = 4_000
"""Quotes of a recording that are made once and written again and again."""
KINDS: Final = ("plain", "simulator", "workers", "fifo", "held fifo", "large replay")


class Ended(NamedTuple):
    """How a program ended: its status (negative: that signal), and after how many seconds."""

    kind: str
    moment_s: float
    signal: str
    status: int
    seconds: float
    said: str
    is_untouched: bool
    """Whether it had made nothing yet."""

    @property
    def is_clean(self) -> bool:
        """Whether it ended by itself and without a trace, or had not begun."""
        has_ended = self.status == 0 and "Traceback" not in self.said
        by_signal = self.status == -getattr(signal, self.signal)
        by_python = self.said.rstrip().endswith("KeyboardInterrupt")  # while that began itself
        return has_ended or (self.is_untouched and (by_signal or by_python))


def make_recording(path: Path, size: int) -> Path:
    """Write a recording of so many bytes: one moment after another of the same games."""
    quotes = [
        {
            "bookmaker": f"Bookmaker {number % 40}",
            "match_name": f"Home {number // 40} - Away {number // 40}",
            "competition": "League",
            "market_type": "moneyline",
            "period": 0,
            "odds": {f"Home {number // 40}": 2.1, "Draw": 3.4, f"Away {number // 40}": 3.6},
            "scraped_at": format_ms(1_790_000_000_000 + number),
        }
        for number in range(BLOCK)
    ]
    block = b"".join(msgspec.json.encode(each) + b"\n" for each in quotes)
    with path.open("wb") as file:
        while file.tell() < size:
            file.write(block)
    return path


@contextlib.contextmanager
def arguments_of(kind: str, folder: Path, recording: Path) -> Iterator[list[str]]:
    """Yield the options of a kind of start."""
    held = None
    options = {
        "simulator": ["--feed", "simulator"],
        "workers": ["--workers", "2"],
        "large replay": ["--feed", f"replay:{recording}"],
    }.get(kind, [])
    if kind.endswith("fifo"):
        os.mkfifo(folder / "fifo")
        options = ["--feed", f"replay:{folder / 'fifo'}"]
        if kind == "held fifo":
            held = os.open(folder / "fifo", os.O_RDWR)
    try:
        yield options
    finally:
        if held is not None:
            os.close(held)


def stopped_at(moment_s: float, how: signal.Signals, kind: str, recording: Path) -> Ended:
    """Start a server and stop it after so many seconds."""
    with tempfile.TemporaryDirectory() as name, arguments_of(kind, Path(name), recording) as more:
        data = Path(name, "data")
        command = [sys.executable, "-m", "oddsdesk", "serve", "--port", "0"]
        with subprocess.Popen(
            [*command, "--database", str(data / "odds.db"), *more],
            env=own_environment(Path(name)),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        ) as program:
            with contextlib.suppress(subprocess.TimeoutExpired):
                program.wait(moment_s)
            began = time.monotonic()
            program.send_signal(how)
            try:
                _, said = program.communicate(timeout=LIMIT_S)
            except subprocess.TimeoutExpired:
                program.kill()
                _, said = program.communicate()
        seconds = time.monotonic() - began
        untouched = not data.exists()
    return Ended(kind, moment_s, how.name, program.returncode, seconds, said, untouched)


def run(times: int, seed: int, recording: Path, kinds: tuple[str, ...] = KINDS) -> list[Ended]:
    """Stop so many starts one after another, the kinds in turn."""
    chance = Random(seed)
    return [
        stopped_at(
            chance.uniform(0, FIRST_S),
            chance.choice((signal.SIGTERM, signal.SIGINT)),
            kinds[number % len(kinds)],
            recording,
        )
        for number in range(times)
    ]


def main() -> int:
    """Print a line for each kind, and all that went wrong."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--size", type=int, default=GIGABYTE, help="bytes of the recording")
    parser.add_argument("kinds", nargs="*", default=KINDS)
    options = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        recording = make_recording(Path(folder, "large.ndjson"), options.size)
        limit_s = in_time(PROMISED_S)
        ends = run(options.times, options.seed, recording, tuple(options.kinds))
    for kind in options.kinds:
        own = [each for each in ends if each.kind == kind]
        before = sum(each.status < 0 and each.is_clean for each in own)
        most = max((each.seconds for each in own), default=0.0)
        print(f"{kind:<14}{len(own):>4} ends, {before} before the first line, at most {most:.2f} s")
    bad = [each for each in ends if not each.is_clean or each.seconds > limit_s]
    for each in bad:
        print(f"{each.kind}, {each.signal} at {each.moment_s:.3f} s: status {each.status} after"
              f" {each.seconds:.2f} s\n{each.said}")  # fmt: skip
    print(f"{len(bad)} not clean or later than {limit_s:.1f} s; {time.monotonic() - began:.0f} s")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
