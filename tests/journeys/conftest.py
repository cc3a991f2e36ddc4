"""The real program as a subprocess, and a virtual screen for its window."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.kit.desk_window import DeskWindow
from tests.kit.program import STOP_LIMIT_S, Launch, Program


@pytest.fixture
def environment(own_folders: Path) -> dict[str, str]:
    """The environment of the programs a test starts."""
    kept = {name: value for name, value in os.environ.items() if name != "QT_QPA_PLATFORM"}
    root = str(Path(__file__).parents[2])
    return kept | {"PYTHONPATH": root, "HOME": str(own_folders), "PYTHONWARNINGS": "default"}


@pytest.fixture
def launch(environment: dict[str, str]) -> Iterator[Launch]:
    """Starts `oddsdesk` with arguments; whatever still runs at the end is killed."""
    started: list[Program] = []

    def start(*arguments: str, **extra: str) -> Program:
        program = Program(list(arguments), environment | extra)
        started.append(program)
        return program

    yield start
    for program in started:
        program.kill()


@pytest.fixture(scope="session")
def screen() -> Iterator[str]:
    """A virtual X display; skips where Xvfb is not installed."""
    if shutil.which("Xvfb") is None:
        pytest.skip("Xvfb is not installed")
    read_end, write_end = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write_end), "-screen", "0", "1680x1020x24", "-nolisten", "tcp"],
        pass_fds=[write_end],
        stderr=subprocess.DEVNULL,
    )
    os.close(write_end)
    with os.fdopen(read_end) as numbers:
        display = numbers.readline().strip()
    assert display, "Xvfb did not start"
    yield f":{display}"
    server.terminate()
    server.wait(STOP_LIMIT_S)


@pytest.fixture
def open_desk(launch: Launch, screen: str) -> Callable[..., DeskWindow]:
    """Starts the desk with arguments and returns it once its window shows prices."""
    if shutil.which("xdotool") is None:
        pytest.skip("xdotool is not installed")

    def start(*arguments: str, **extra: str) -> DeskWindow:
        program = launch("desk", "--verbose", *arguments, DISPLAY=screen, **extra)
        return DeskWindow(program, screen)

    return start
