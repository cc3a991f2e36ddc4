"""The examples of docs/api.md, run as a stranger would run them (issue 3, item 7)."""

import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from oddsdesk.clock import system_clock
from oddsdesk.contract.quotes import Quote
from oddsdesk.server.settings import Settings
from oddsdesk.server.thread import EmbeddedServer
from oddsdesk.store.store import Store, open_store

PAGE = (Path(__file__).parents[3] / "docs" / "api.md").read_text()
EXAMPLES = re.findall(r"```(sh|python)\n(.*?)```", PAGE, re.DOTALL)
SHELL = [code for language, code in EXAMPLES if language == "sh"]
PYTHON = [code for language, code in EXAMPLES if language == "python"]
LIMIT_S = 20

needs_shell = pytest.mark.skipif(
    not all(shutil.which(program) for program in ("bash", "curl", "jq")),
    reason="the examples of the shell need bash, curl and jq",
)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("examples") / "odds.db"


@pytest.fixture(scope="module")
def served(database: Path) -> Iterator[EmbeddedServer]:
    server = EmbeddedServer(Settings(database, port=0))
    server.start()
    yield server
    assert server.stop()


@pytest.fixture(scope="module")
def store(served: EmbeddedServer, database: Path) -> Iterator[Store]:
    """Another program's view of the same odds, with three quotes in it."""
    opened = open_store(database, checkpoints=False)
    for number in range(3):
        record(opened, bookmaker=f"Bookmaker {number}", price=2.0)
    yield opened
    opened.close()


def record(store: Store, bookmaker: str, price: float) -> None:
    quote = Quote(
        bookmaker=bookmaker,
        match_name="Arsenal - Chelsea",
        competition="EPL",
        market_type="moneyline",
        period=0,
        odds={"Arsenal": price, "Draw": 3.4, "Chelsea": 3.6},
        scraped_at=system_clock(),
    )
    store.record([quote]).result(timeout=LIMIT_S)


def environment(server: EmbeddedServer) -> dict[str, str]:
    return {**os.environ, "URL": server.url, "KEY": server.key}


@needs_shell
@pytest.mark.parametrize("code", SHELL, ids=range(len(SHELL)))
def test_a_shell_example_works(served: EmbeddedServer, store: Store, code: str) -> None:
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", code],
        env=environment(served),
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()
    assert "null" not in done.stdout.split()


@needs_shell
def test_the_paging_example_shows_every_row_once(served: EmbeddedServer, store: Store) -> None:
    """D14."""
    [paging] = [code for code in SHELL if "next_cursor" in code]
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", paging],
        env=environment(served),
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=True,
    )
    shown = [line.split("\t")[1] for line in done.stdout.splitlines()]
    assert shown == ["Bookmaker 0", "Bookmaker 1", "Bookmaker 2"]


def test_the_stream_example_prints_a_change(served: EmbeddedServer, store: Store) -> None:
    """service.md, Events."""
    [code] = PYTHON
    with subprocess.Popen(
        [sys.executable, "-u", "-c", code],
        env=environment(served),
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        watchdog = threading.Timer(LIMIT_S, process.kill)
        watchdog.start()
        assert process.stdout is not None
        assert process.stdout.readline() == "connected\n"
        record(store, bookmaker="Bookmaker 0", price=2.5)
        change = process.stdout.readline()
        assert process.wait(timeout=LIMIT_S) == 0
        watchdog.cancel()
    assert change == "Arsenal - Chelsea Bookmaker 0 Arsenal 2.5\n"
