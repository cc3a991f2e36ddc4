"""A signal ends the program within three seconds, whatever it does, also while it starts (D77)."""

import contextlib
import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.kit.promises import in_time

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sends SIGTERM")

PROMISED_S = 3.0
LIMIT_S = 60
MOMENTS_S = (3.0, 2.0, 1.5, 1.0, 0.7, 0.5, 0.35, 0.25, 0.2, 0.15, 0.1, 0.05, 0.0)
TOGETHER = 3
SIGNALLED_AT_AN_IMPORT = """
import os, signal, sys, time
moment = sys.argv.pop(1)
class Moment:
    def find_spec(self, name, path=None, target=None):
        if name == moment:
            print(time.monotonic(), flush=True)
            os.kill(os.getpid(), signal.SIGTERM)
sys.meta_path.insert(0, Moment())
from oddsdesk.cli.main import main
main(prog_name="oddsdesk")
"""
WHILE_SERVE_STARTS = (
    "oddsdesk.cli.serve",
    "asyncio",
    "uvicorn",
    "oddsdesk.store.store",
    "uvloop",
    "sqlite_utils",  # in the thread that makes a fresh file
    "oddsdesk.feeds.simulator",
)
WHILE_THE_DESK_STARTS = (
    "oddsdesk.cli.desk",
    "PySide6.QtCore",
    "oddsdesk.desk.shell.app",
    "sqlite_utils",  # the server starts next to the window
)


class Ended(NamedTuple):
    status: int
    seconds: float
    said: str


@pytest.fixture
def program_environment(environment: dict[str, str]) -> dict[str, str]:
    return environment | {"QT_QPA_PLATFORM": "offscreen"}


def signalled_at_an_import(moment: str, environment: dict[str, str], *arguments: str) -> Ended:
    command = [sys.executable, "-c", SIGNALLED_AT_AN_IMPORT, moment, *arguments]
    ended = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=LIMIT_S, check=False
    )
    began = float(ended.stdout.splitlines()[0])
    return Ended(ended.returncode, time.monotonic() - began, ended.stderr)


@pytest.mark.parametrize("moment", WHILE_SERVE_STARTS)
def test_serve_that_is_stopped_while_it_starts_ends_clean(
    moment: str, program_environment: dict[str, str], tmp_path: Path
) -> None:
    arguments = ("serve", "--port", "0", "--feed", "simulator", "--database", f"{tmp_path}/o.db")
    ended = signalled_at_an_import(moment, program_environment, *arguments)
    assert (ended.status, ended.said) == (0, "")
    assert ended.seconds < in_time(PROMISED_S)


@pytest.mark.parametrize("moment", WHILE_THE_DESK_STARTS)
def test_a_desk_that_is_stopped_while_it_starts_ends_clean(
    moment: str, program_environment: dict[str, str]
) -> None:
    ended = signalled_at_an_import(moment, program_environment, "desk", "--feed", "simulator")
    assert ended.status == 0
    assert "Traceback" not in ended.said
    assert ended.seconds < in_time(PROMISED_S)


@contextlib.contextmanager
def waiting_for_a_fifo(
    command: str, environment: dict[str, str], folder: Path
) -> Iterator[subprocess.Popen[str]]:
    """The program, reading a FIFO as its feed: nothing comes, and nobody ends it."""
    fifo = folder / "fifo"
    os.mkfifo(fifo)
    database = ("--database", str(folder / "odds.db"))
    arguments = [command, *database, "--feed", f"replay:{fifo}"]
    arguments += ["--port", "0"] if command == "serve" else []
    program = subprocess.Popen(
        [sys.executable, "-m", "oddsdesk", *arguments],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        writer = _opened_for_writing(fifo)
        yield program
        os.close(writer)
    finally:
        program.kill()
        program.communicate()


def _opened_for_writing(fifo: Path) -> int:
    """Wait until someone reads."""
    deadline = time.monotonic() + LIMIT_S
    while time.monotonic() < deadline:
        try:
            return os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
        except OSError as error:
            if error.errno != errno.ENXIO:
                raise
        time.sleep(0.01)
    pytest.fail("nobody read the feed")


@pytest.mark.parametrize("command", ["serve", "desk"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_feed_that_never_answers_does_not_hold_up_the_end(
    command: str, number: signal.Signals, program_environment: dict[str, str], tmp_path: Path
) -> None:
    with waiting_for_a_fifo(command, program_environment, tmp_path) as program:
        began = time.monotonic()
        program.send_signal(number)
        _, said = program.communicate(timeout=LIMIT_S)
        seconds = time.monotonic() - began
    assert program.returncode == 0, said
    assert "Traceback" not in said
    assert seconds < in_time(PROMISED_S)


@pytest.mark.slow
def test_serve_ends_in_time_at_any_moment_of_its_first_three_seconds(
    program_environment: dict[str, str], tmp_path: Path
) -> None:
    """Before its own first line the signal itself ends it; nothing has been made then."""

    def stopped_at(moment: float) -> Ended:
        database = tmp_path / str(moment) / "odds.db"
        arguments = ["serve", "--port", "0", "--database", str(database)]
        with subprocess.Popen(
            [sys.executable, "-m", "oddsdesk", *arguments],
            env=program_environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        ) as program:
            with contextlib.suppress(subprocess.TimeoutExpired):
                program.wait(moment)
            began = time.monotonic()
            program.terminate()
            _, said = program.communicate(timeout=LIMIT_S)
        seconds = time.monotonic() - began
        untouched = program.returncode == -signal.SIGTERM and not database.parent.exists()
        return Ended(0 if untouched else program.returncode, seconds, said)

    with ThreadPoolExecutor(TOGETHER) as pool:
        ends = dict(zip(MOMENTS_S, pool.map(stopped_at, MOMENTS_S), strict=True))
    assert {moment: end.status for moment, end in ends.items()} == dict.fromkeys(MOMENTS_S, 0)
    assert max(end.seconds for end in ends.values()) < in_time(PROMISED_S)
