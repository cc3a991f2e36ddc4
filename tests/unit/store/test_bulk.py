"""Rows that go in by many: all of them, in their order, whole or not at all."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from oddsdesk.store.sqlite.database import open_reader, open_writer
from oddsdesk.store.sqlite.migrations import Schema, Step
from oddsdesk.store.sqlite.tables import ROWS, insert
from oddsdesk.store.sqlite.writer import Writer

_TABLE = "CREATE TABLE note (seq INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT NOT NULL, at INTEGER)"
SCHEMA = Schema("notes", (Step("notes", (_TABLE,)),))
LIMIT_S = 30


@pytest.mark.parametrize("count", [0, 1, ROWS - 1, ROWS, ROWS + 1, 3 * ROWS + 2])
def test_rows_are_numbered_in_their_order(count: int) -> None:
    rows = [(f"text {number}", number if number % 2 else None) for number in range(count)]
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(_TABLE)
        insert(connection, "note (text, at)", rows)
        found = connection.execute("SELECT seq, text, at FROM note ORDER BY seq").fetchall()
    assert found == [(number, *row) for number, row in enumerate(rows, 1)]


@pytest.mark.parametrize("others", [0, 2])
def test_of_a_job_whose_row_is_refused_nothing_stays(tmp_path: Path, others: int) -> None:
    writer = Writer("notes", open_writer(tmp_path / "notes.db", SCHEMA, synchronous="NORMAL"))
    refused = [("text", 1)] * (ROWS + 5) + [(None, 2)] + [("text", 3)] * ROWS

    def job(rows: list[tuple[str | None, int]]):
        return lambda connection: insert(connection, "note (text, at)", rows)

    bad = writer.submit(job(refused))
    kept = [writer.submit(job([("kept", number)])) for number in range(others)]
    with pytest.raises(sqlite3.IntegrityError):
        bad.result(LIMIT_S)
    for each in kept:
        each.result(LIMIT_S)
    writer.close_writer()
    reader = open_reader(tmp_path / "notes.db", SCHEMA)
    assert reader.execute("SELECT text, at FROM note").fetchall() == [
        ("kept", number) for number in range(others)
    ]
    reader.close()
