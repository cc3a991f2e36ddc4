"""`oddsdesk-server`: headless, and without Qt on any path."""

import subprocess
import sys
from pathlib import Path

import pytest

from oddsdesk.cli.commands import SERVER_COMMANDS

WITHOUT_QT = """
import sys
class NoQt:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("PySide6", "shiboken6", "qasync"):
            raise ImportError(f"{name} is not here")
sys.meta_path.insert(0, NoQt())
from oddsdesk.cli.server import main
main(prog_name="oddsdesk-server")
"""


def run(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", WITHOUT_QT, *arguments],
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
        env=None if cwd is None else {"PYTHONPATH": str(Path.cwd()), "HOME": str(cwd)},
    )


@pytest.mark.parametrize("command", SERVER_COMMANDS)
def test_every_command_explains_itself_where_qt_is_missing(command: str):
    result = run(command, "--help")
    assert result.returncode == 0, result.stderr
    assert "Example:" in result.stdout


def test_the_doctor_works_where_qt_is_missing(tmp_path: Path):
    result = run("doctor", "--database", str(tmp_path / "odds.db"), "--port", "1")
    assert "versions" in result.stdout
    assert result.stderr == ""


def test_options_without_a_command_are_those_of_serve(tmp_path: Path):
    result = run("--database", str(tmp_path / "odds.db"), "--feed", "teletext")
    assert result.returncode == 1
    assert "teletext" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_command_that_is_none_is_misuse():
    assert run("desk").returncode == 2


def test_its_help_and_version_are_its_own():
    assert "oddsdesk-server" in run("--version").stdout
    assert "keys" in run("--help").stdout
