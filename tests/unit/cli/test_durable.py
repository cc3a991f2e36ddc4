"""`--durable` of the commands that record."""

import json
import signal
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from oddsdesk.cli import ingest as ingest_module
from oddsdesk.cli.import_ import import_
from oddsdesk.cli.ingest import ingest
from oddsdesk.cli.serve import serve
from oddsdesk.server.run import files
from oddsdesk.store.errors import StoreError
from oddsdesk.store.store import Store, open_store

LINE = {
    "bookmaker": "A",
    "match_name": "Home vs Away",
    "competition": "NBA",
    "market_type": "moneyline",
    "period": 0,
    "odds": {"Home": 2.0, "Away": 1.9},
    "scraped_at": "2026-04-16T19:00:00Z",
}
CSV = "Div,Date,Time,HomeTeam,AwayTeam,B365H,B365D,B365A\nE0,01/03/2026,15:00,A,B,2,3.4,4\n"


@pytest.fixture(autouse=True)
def own_signals() -> Iterator[None]:
    """`serve` takes the signals of its process, which is this one."""
    before = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}
    yield
    for each, handler in before.items():
        signal.signal(each, handler)


def _synchronous(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA synchronous").fetchall()[0][0])


@pytest.mark.parametrize(("options", "synchronous"), [((), 1), (("--durable",), 2)])
@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        (ingest, ("quotes.ndjson",)),
        (import_, ("football-data", "E0.csv")),
        (serve, ("--port", "0", "--feed", "none")),
    ],
    ids=["ingest", "import", "serve"],
)
def test_the_option_reaches_the_database(
    command: click.Command,
    arguments: tuple[str, ...],
    options: tuple[str, ...],
    synchronous: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """1 is NORMAL, 2 is FULL."""
    found: list[int] = []

    def opened(*places: Any, **settings: Any) -> Store:
        store = open_store(*places, **settings)
        found.append(store.run_on_writer(_synchronous).result())
        if command is serve:  # it would serve until it is stopped
            store.close()
            raise StoreError("enough")
        return store

    monkeypatch.setattr(ingest_module, "open_store", opened)
    monkeypatch.setattr(files, "open_store", opened)
    monkeypatch.chdir(tmp_path)
    Path("quotes.ndjson").write_text(json.dumps(LINE))
    Path("E0.csv").write_text(CSV)
    CliRunner().invoke(command, [*arguments, *options, "--database", "odds.db"])
    assert found == [synchronous]
