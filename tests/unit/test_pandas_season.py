"""The pandas script that our speed is compared with: it counts the same bets and scorecards."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from oddsdesk.cli.import_ import import_

pytest.importorskip("pandas")
ROOT = Path(__file__).parents[2]
FILE = ROOT.parent / "shared" / "data" / "football-data" / "E0_2425.csv"


@pytest.mark.slow
@pytest.mark.parametrize(
    "mode", [[], pytest.param(["--scorecards"], marks=pytest.mark.every_season)]
)
def test_the_script_counts_what_the_command_counts(mode: list[str], tmp_path: Path) -> None:
    if not FILE.is_file():
        pytest.skip("the real input next to the project (../shared/data) is missing")
    database = tmp_path / "season.db"
    arguments = ["football-data", str(FILE), "--database", str(database)]
    assert CliRunner().invoke(import_, arguments).exit_code == 0
    script = [sys.executable, str(ROOT / "benchmarks" / "pandas_season.py"), str(FILE)]

    done = subprocess.run(
        [*script, "--database", str(database), *mode],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"HOME": str(tmp_path)},
    )

    assert done.stdout.endswith("the same figures\n"), done.stdout + done.stderr
    assert done.returncode == 0
