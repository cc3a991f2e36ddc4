"""Searches each target in a process of its own, and keeps what broke one.

    python -m tests.fuzz [--minutes 10 | --runs 5000] [--keep FOLDER] [TARGET ...]

By minutes each search goes another way every time, and begins with what earlier ones left in
``FOLDER/corpus``; by runs it goes the same way always, so that what it finds is the code's doing.
Findings are put in the folder, ``build/fuzz`` unless another is named. Needs Atheris:
`pip install -e '.[test,fuzz]'`.
"""

import argparse
import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path
from typing import Final, NamedTuple

from tests.fuzz.targets import CORPUS, TARGETS

ROOT: Final = Path(__file__).parents[2]
LONGEST_S: Final = 60
"""An input that takes as long is a finding, on a loaded machine too."""
MOST_MB: Final = 1_500
MOST_BYTES: Final = 8_192
KEPT: Final = ROOT / "build" / "fuzz"
_PROGRESS: Final = ("INFO:", "WARNING:", "#")


class Searched(NamedTuple):
    """What came of a search."""

    target: str
    runs: str
    trouble: str
    """What the process said last, where it found something or could not search."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Search; return 1 where something broke, 2 where Atheris is missing that could be there."""
    asked = _options(arguments)
    if find_spec("atheris") is None:
        print("this needs Atheris: pip install -e '.[test,fuzz]'; it is for Linux on x86-64")
        return 2 if (sys.platform, platform.machine()) == ("linux", "x86_64") else 0
    with tempfile.TemporaryDirectory(prefix="oddsdesk-fuzz-") as scratch:
        found = Path(scratch) if asked.runs else asked.keep
        with ThreadPoolExecutor(asked.jobs) as pool:
            searches = [
                pool.submit(_search, name, found / "corpus" / name, scratch, asked)
                for name in asked.targets
            ]
            return max([_told(search.result(), asked.keep) for search in searches])


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--runs", type=int, default=0, help="so many for each target instead")
    parser.add_argument("--keep", type=Path, default=KEPT, metavar="FOLDER")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    asked = parser.parse_args(arguments)
    asked.targets = asked.targets or list(TARGETS)
    if unknown := set(asked.targets) - set(TARGETS):
        parser.error(f"no target {', '.join(sorted(unknown))}; there are {', '.join(TARGETS)}")
    return asked


def _search(name: str, found: Path, scratch: str, asked: argparse.Namespace) -> Searched:
    found.mkdir(parents=True, exist_ok=True)
    asked.keep.mkdir(parents=True, exist_ok=True)
    seconds = max(round(asked.minutes * 60 * asked.jobs / len(asked.targets)), 1)
    limit = [f"-runs={asked.runs}", "-seed=1"] if asked.runs else [f"-max_total_time={seconds}"]
    command = [
        *(sys.executable, "-m", "tests.fuzz.search", name, *limit),
        *(f"-timeout={LONGEST_S}", f"-rss_limit_mb={MOST_MB}", f"-max_len={MOST_BYTES}"),
        *(
            "-len_control=0",
            "-print_final_stats=1",
            f"-artifact_prefix={asked.keep.resolve()}/{name}-",
        ),
        *(str(found), str(CORPUS / name)),
    ]
    environment = os.environ | {"TMPDIR": scratch, "PYTHONHASHSEED": "0"}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, errors="replace"
    )
    lines = done.stderr.splitlines()
    runs = next(_figures(lines, "stat::number_of_executed_units:"), "?")
    said = [line for line in lines if not line.startswith(_PROGRESS)]
    trouble = "\n".join([*done.stdout.splitlines(), *said])
    return Searched(name, runs, trouble if done.returncode else "")


def _figures(lines: Sequence[str], name: str) -> Iterator[str]:
    return (line.removeprefix(name).strip() for line in lines if line.startswith(name))


def _told(searched: Searched, kept: Path) -> int:
    outcome = "BROKEN" if searched.trouble else "holds"
    print(f"{searched.target:15} {outcome:7} {searched.runs:>9} runs", flush=True)
    if searched.trouble:
        print(searched.trouble, f"The input is in {kept}.", sep="\n", flush=True)
    return bool(searched.trouble)


if __name__ == "__main__":
    sys.exit(main())
