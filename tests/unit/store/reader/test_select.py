"""A connection that is closed while another thread reads with it."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor

import pytest

from oddsdesk.store.errors import StoreUnavailableError
from oddsdesk.store.sqlite.reader import SqliteSelect

ENDLESS = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
LIMIT_S = 30


def test_a_query_that_runs_is_interrupted_and_says_that_the_database_is_closed() -> None:
    """A server that ended while its pruning read crashed."""
    select = SqliteSelect(sqlite3.connect(":memory:", check_same_thread=False))
    with ThreadPoolExecutor(1) as reading:
        asked = reading.submit(select, ENDLESS)
        while not select._running.locked():
            pass
        select.close()
        with pytest.raises(StoreUnavailableError, match="is closed"):
            asked.result(LIMIT_S)
    with pytest.raises(StoreUnavailableError, match="is closed"):
        select("SELECT 1")
    select.close()


def test_a_query_that_is_wrong_is_a_mistake_of_ours() -> None:
    select = SqliteSelect(sqlite3.connect(":memory:"))
    with pytest.raises(sqlite3.ProgrammingError):
        select("SELECT :value", {})
    select.close()
