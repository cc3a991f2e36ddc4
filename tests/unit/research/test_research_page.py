"""docs/research.md: its examples run on a made-up season and print what the page shows."""

import os
import shutil
import subprocess
import sys
from contextlib import redirect_stdout
from inspect import isfunction, signature
from io import StringIO
from pathlib import Path

import pytest

from oddsdesk import research
from oddsdesk.research.backtest_frames import BET_COLUMNS
from tests.kit.documented import DOCS, sections
from tests.kit.football_season import season_csv

pytest.importorskip("pandas")
pytest.importorskip("matplotlib").use("Agg")  # not Qt's, whose windows would outlive Qt
PAGE = [section for section in sections("research.md") if section.examples]
needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="the examples need bash")


def programs(folder: Path) -> str:
    """A path with ``oddsdesk``, and ``curl`` that makes up what it is to download."""
    folder.mkdir()
    made = folder / "made.csv"
    made.write_text(season_csv())
    for name, line in {
        "curl": f'cp "{made}" "${{2##*/}}"',
        "oddsdesk": f'exec "{sys.executable}" -m oddsdesk "$@"',
    }.items():
        program = folder / name
        program.write_text(f"#!/bin/sh\n{line}\n")
        program.chmod(0o755)
    return f"{folder}{os.pathsep}{os.environ['PATH']}"


@needs_bash
@pytest.mark.slow
def test_the_examples_print_what_the_page_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", programs(tmp_path / "programs"))
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for section in PAGE:
        for example in section.examples:
            if example.language == "sh":
                subprocess.run(
                    ["bash", "-euo", "pipefail", "-c", example.code], check=True, timeout=60
                )
                continue
            printed = StringIO()
            with redirect_stdout(printed):
                exec(example.code, names)
            assert [line.rstrip() for line in printed.getvalue().splitlines()] == (
                example.shown or ""
            ).splitlines(), section.title
    assert (tmp_path / "profit.png").stat().st_size > 5_000


def test_a_season_takes_ten_lines() -> None:
    code = [example.code for example in PAGE[0].examples[:2]]
    assert PAGE[0].title == "A season in ten lines"
    assert sum(len([line for line in each.splitlines() if line]) for each in code) == 10


def test_every_function_and_column_is_on_the_page() -> None:
    text = (DOCS / "research.md").read_text()
    for name in research.__all__:
        assert f"`{name}" in text or f"research.{name}(" in text
    for name in filter(isfunction, map(research.__getattr__, research.__all__)):
        assert all(
            each.annotation is not each.empty for each in signature(name).parameters.values()
        )
    for column in BET_COLUMNS:
        assert f"`{column.name}`" in text
