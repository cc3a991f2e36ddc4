"""`oddsdesk migrate`: a file to PostgreSQL and back, and what it refuses in one line."""

import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from oddsdesk.cli.migrate import migrate
from oddsdesk.contract.access import Plan
from oddsdesk.store.access import open_access
from oddsdesk.store.store import open_store
from tests.kit.postgres import Postgres
from tests.kit.store import NOW, some_quotes

SECRET = "hunter2"
SERVE = [sys.executable, "-m", "oddsdesk", "serve", "--port", "0", "--database"]
KILLED = """
import os, signal, sys
from oddsdesk.cli.main import main
from oddsdesk.cluster import moving
moving.CHUNK = 20
copied = iter(range(int(sys.argv.pop(1))))
encode = moving._Reading.by_now
def by_now(reading):
    if next(copied, None) is None:
        os.kill(os.getpid(), signal.SIGKILL)
    return encode(reading)
moving._Reading.by_now = by_now
main()
"""


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "odds.db"
    with closing(open_store(path)) as store:
        store.record(some_quotes()).result(10)
    with closing(open_access(path)) as access:
        access.keys.create("ann", Plan.FREE, None, NOW)
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(migrate, [str(each) for each in arguments])


def test_each_table_is_told_with_its_rows_on_both_sides(
    postgres: Postgres, database: Path, tmp_path: Path
) -> None:
    url = postgres.url()
    for arguments in ((database, url), (url, tmp_path / "back.db")):
        result = run(*arguments)
        assert result.exit_code == 0, result.output
        lines = [line.split() for line in result.stdout.splitlines()]
        assert lines[0] == ["TABLE", "SOURCE", "TARGET", "EQUAL"]
        assert ["game", "12", "12", "yes"] in lines
        assert ["api_key", "1", "1", "yes"] in lines
        assert result.stdout.splitlines()[-1].startswith("all ")
    with closing(open_access(tmp_path / "back.db")) as access:
        assert [key.account for key in access.keys.all_keys()] == ["ann"]


@pytest.mark.parametrize("steps", [1, 25])
def test_killed_it_goes_on_and_says_so_to_who_would_serve_meanwhile(
    postgres: Postgres, database: Path, tmp_path: Path, steps: int
) -> None:
    url, back = postgres.url(), tmp_path / "back.db"
    for way in ((database, url), (url, back)):
        command = [sys.executable, "-c", KILLED, str(steps), "migrate", *map(str, way)]
        ended = subprocess.run(command, capture_output=True, timeout=60, check=False)
        assert ended.returncode == -signal.SIGKILL, ended.stderr
        for database in way[1:]:
            serve = [*SERVE, str(database)]
            served = subprocess.run(serve, capture_output=True, text=True, timeout=60, check=False)
            assert served.returncode == 1
            assert "is unfinished; run oddsdesk migrate again" in served.stderr
            assert len(served.stderr.splitlines()) == 1
        result = run(*way)
        assert result.exit_code == 0, result.output


def test_what_is_no_move_between_engines_is_misuse(database: Path, tmp_path: Path) -> None:
    for way in ((database, tmp_path / "b.db"), ("postgresql:///a", "postgresql:///b")):
        result = run(*way)
        assert result.exit_code == 2
        assert "pg_dump" in result.stderr


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://ann:{SECRET}@127.0.0.1:1/odds",
        f"postgresql://ann:{SECRET}@[odds",
        f"postgresql:///odds?host=/nowhere&password={SECRET}",
    ],
)
def test_a_server_that_is_away_or_no_url_is_one_line_without_the_password(
    database: Path, url: str
) -> None:
    result = run(database, url)
    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 1
    assert SECRET not in result.output


def test_a_target_that_holds_something_is_one_line(postgres: Postgres, database: Path) -> None:
    result = run(database, postgres.url_with_tables())
    assert result.exit_code == 1
    assert "is not empty" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_file_that_is_none_of_ours_is_one_line(postgres: Postgres, tmp_path: Path) -> None:
    url, text = postgres.url(), tmp_path / "odds.db"
    assert "no such database" in run(text, url).stderr
    text.write_text("Dear bookmaker, " * 1_000)
    result = run(text, url)
    assert result.exit_code == 1
    assert "is not a database" in result.stderr
    assert (
        run(url, tmp_path / "new.db")
        .stderr.strip()
        .endswith("start a server that may write to make them")
    )
    assert not (tmp_path / "new.db").exists()
