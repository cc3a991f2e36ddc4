"""Which database somebody names, and how it is said."""

import subprocess
import sys
from pathlib import Path

import pytest

from oddsdesk.base.places import how_to_install
from oddsdesk.store.databases import DatabaseUrl, database_named

SECRET = "hunter2"
WITHOUT_PSYCOPG = """
import sys
sys.modules["psycopg"] = None
from oddsdesk.store.databases import database_named
from oddsdesk.store.store import open_store
open_store(database_named("postgresql://ann:hunter2@db/odds"))
"""


@pytest.mark.parametrize("text", ["odds.db", "/data/odds.db", "postgresql.db", "C:/odds.db"])
def test_what_is_no_url_is_a_file(text: str) -> None:
    assert database_named(text) == Path(text)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("postgresql://db/odds", "postgresql://db/odds"),
        ("postgres://ann@a:1,b:2/odds", "postgresql://ann@a:1,b:2/odds"),
        (f"postgresql://ann:{SECRET}@db/odds", "postgresql://ann@db/odds"),
        (f"postgresql://ann:{SECRET}@{SECRET}@db/odds", "postgresql://ann@db/odds"),
        (f"postgresql://ann:{SECRET}/{SECRET}@db/odds", "postgresql://ann@db/odds"),
        (f"postgresql://db/odds?password={SECRET}", "postgresql://db/odds"),
    ],
)
def test_a_url_is_said_without_its_secrets(url: str, shown: str) -> None:
    named = database_named(url)
    assert isinstance(named, DatabaseUrl)
    assert (str(named), repr(named), named.url) == (shown, shown, url)


def test_what_is_missing_for_postgresql_is_said_in_one_line() -> None:
    run = subprocess.run(
        [sys.executable, "-c", WITHOUT_PSYCOPG], capture_output=True, text=True, check=False
    )
    *_, last = run.stderr.splitlines()
    assert how_to_install("cluster") in last
    assert SECRET not in last


def test_who_names_a_file_imports_no_postgresql(tmp_path: Path) -> None:
    code = (
        "import pathlib, sys, oddsdesk.cli.serve\n"
        "from oddsdesk.store.store import open_store\n"
        f"open_store(pathlib.Path({str(tmp_path / 'odds.db')!r})).close()\n"
        "assert not [name for name in sys.modules if 'psycopg' in name or '.postgres' in name]"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
