"""`oddsdesk-server`: headless, and without Qt on any path."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from oddsdesk.cli.main import SERVER_COMMANDS, main
from oddsdesk.cli.server import main as server_program

WITHOUT_QT = """
import sys
class NoQt:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("PySide6", "shiboken6", "qasync"):
            sys.stderr.write(f"{name} was asked for\\n")
            raise ImportError(f"{name} is not here")
sys.meta_path.insert(0, NoQt())
"""
"""Every import of Qt is reported, even one that the code could do without."""
NOT_INSTALLED = """
import sys
from importlib.machinery import PathFinder
class Server(PathFinder):
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name.split(".")[0] in ("PySide6", "shiboken6", "qasync"):
            return None
        return super().find_spec(name, path, target)
sys.meta_path[sys.meta_path.index(PathFinder)] = Server
"""
"""As where the server alone was installed."""
SERVER = """
from oddsdesk.cli.server import main
main(prog_name="oddsdesk-server")
"""
MODULE = """
import runpy
runpy.run_module("oddsdesk", run_name="__main__")
"""


def run(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", WITHOUT_QT + SERVER, *arguments],
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


def test_options_without_a_command_are_those_of_serve(tmp_path: Path):
    result = run("--database", str(tmp_path / "odds.db"), "--feed", "teletext")
    assert result.returncode == 1
    assert "teletext" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_python_m_oddsdesk_serve_never_asks_for_qt(tmp_path: Path):
    command = ["serve", "--database", str(tmp_path / "odds.db"), "--feed", "none", "--port", "0"]
    with subprocess.Popen(
        [sys.executable, "-c", WITHOUT_QT + MODULE, *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdout is not None
        assert server.stdout.readline().startswith("listening on http://127.0.0.1:")
        server.terminate()
        _, err = server.communicate(timeout=60)
    assert (server.returncode, err) == (0, "")


LOADS_ALL = """
import sys
from oddsdesk.cli.main import COMMANDS
from oddsdesk.cli.main import main
for name in COMMANDS:
    main(["--", name, "--help"], standalone_mode=False)
"""


def test_each_command_of_oddsdesk_explains_itself_and_asks_for_no_qt():
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_QT + LOADS_ALL], capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "\\b" not in done.stdout, "what keeps the lines of examples apart"


@pytest.mark.parametrize("command", [[], ["desk"]])
def test_a_desk_without_qt_says_in_one_line_what_is_missing(command: list[str], tmp_path: Path):
    done = subprocess.run(
        [sys.executable, "-c", NOT_INSTALLED + MODULE, *command],
        capture_output=True,
        text=True,
        timeout=60,
        env={"HOME": str(tmp_path), "DISPLAY": ":none", "PATH": "/usr/bin:/bin"},
        cwd=Path(__file__).parents[3],
    )
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "Qt is not installed here (PySide6-Essentials, qasync): pip install" in done.stderr
    assert "oddsdesk serve" in done.stderr


OF_THE_SERVER = """
import importlib.metadata
class Installed:
    name = "oddsdesk-server"
importlib.metadata.distributions = lambda: [Installed]
"""


@pytest.mark.parametrize("installed", ["", OF_THE_SERVER])
def test_both_programs_miss_qt_or_neither_does(tmp_path: Path, installed: str):
    told = {}
    for command in (SERVER, MODULE):
        arguments = ["doctor", "--database", str(tmp_path / "odds.db"), "--port", "1"]
        done = subprocess.run(
            [sys.executable, "-c", NOT_INSTALLED + installed + command, *arguments],
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.stderr == ""
        assert ("Qt is not installed here" in done.stdout) is (not installed)
        passing = ("MiB free", "  now: ")
        lines = done.stdout.splitlines()
        told[command] = [line for line in lines if not any(each in line for each in passing)]
    assert told[SERVER] == told[MODULE]


def test_a_command_that_is_none_is_misuse():
    assert run("desk").returncode == 2


@pytest.mark.parametrize(("typed", "meant"), [("serv", "serve"), ("improt", "import")])
def test_a_mistyped_command_is_told_with_what_may_be_meant(typed: str, meant: str):
    for program in (server_program, main):
        done = CliRunner().invoke(program, [typed])
        assert done.exit_code == 2
        assert f"No such command '{typed}'. Did you mean {meant}?" in done.stderr
    assert "Did you mean" not in CliRunner().invoke(main, ["zzz"]).stderr


def test_its_help_and_version_are_its_own():
    assert "oddsdesk-server" in run("--version").stdout
    assert "keys" in run("--help").stdout
