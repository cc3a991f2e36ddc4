"""How long backtests, grids and scorecards of seasons take, as multiples of a pandas script.

    python benchmarks/season_ratios.py E0_2425.csv D1_2425.csv
    python benchmarks/season_ratios.py --rounds 5 E0_2425.csv D1_2425.csv

The files are imported into a database first. Then whole processes are run in turns:
``pandas_season.py``, which counts the same bets and cards, and the commands. It prints the median
of the seconds of processor that each took, and the ratios.
"""

import argparse
import os
import resource
import subprocess
import sys
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

SCRIPT = str(Path(__file__).with_name("pandas_season.py"))
METHOD = "multiplicative"
GRID = "method=multiplicative,power,shin;reference=Pinnacle,Bet365,bwin;least-ev=0,1,2"
RATIOS = (
    ("backtest", "pandas", 1.0),
    ("scorecard", "pandas scorecards", 2.0),
    ("grid of 27", "backtest", 3.0),
)
"""What is compared with what, and the highest ratio that is wanted."""


def commands(files: list[str], database: str) -> dict[str, list[str]]:
    """Return the processes to time, by name."""
    program = [sys.executable, "-m", "oddsdesk"]
    backtest = [*program, "backtest", "--database", database]
    return {
        "pandas": [sys.executable, SCRIPT, *files],
        "backtest": [*backtest, "--method", METHOD, "--json"],
        "grid of 27": [*backtest, "--grid", GRID, "--json"],
        "pandas scorecards": [sys.executable, SCRIPT, "--scorecards", *files],
        "scorecard": [*program, "scorecard", "--database", database, "--json"],
    }


def seconds_of(command: list[str], environment: dict[str, str]) -> float:
    """Run a process to its end and return the seconds of processor that it took."""
    began = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, capture_output=True, check=True, env=environment)
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return ended.ru_utime + ended.ru_stime - began.ru_utime - began.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+", metavar="FILE", help="Seasons of football-data.")
    parser.add_argument("--rounds", type=int, default=3, help="How often each is timed.")
    asked = parser.parse_args()
    with TemporaryDirectory() as folder:
        database = str(Path(folder) / "seasons.db")
        # as installed: compiled modules are kept, and no settings of the user's
        environment = {
            name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
        } | {"HOME": folder}
        load = [sys.executable, "-m", "oddsdesk", "import", "football-data", *asked.files]
        seconds_of([*load, "--database", database], environment)
        processes = commands(asked.files, database)
        times: dict[str, list[float]] = {name: [] for name in processes}
        for command in processes.values():
            seconds_of(command, environment)  # fills the caches
        for _ in range(asked.rounds):
            for name, command in processes.items():
                times[name].append(seconds_of(command, environment))
    middle = {name: median(each) for name, each in times.items()}
    for name, taken in middle.items():
        print(f"{name:18} {taken:6.2f} s")
    for name, other, most in RATIOS:
        ratio = middle[name] / middle[other]
        print(f"{name} is {ratio:.2f} times {other}; wanted at most {most:g}")


if __name__ == "__main__":
    main()
