"""Statements that are prepared once and sent together."""

from collections.abc import Iterator
from contextlib import closing

import psycopg
import pytest

from oddsdesk.store.postgres import prepared
from oddsdesk.store.postgres.connections import ServerAddress
from oddsdesk.store.postgres.prepared import PreparingConnection
from tests.kit.postgres import Postgres

ADD = "INSERT INTO setting (key, value) VALUES ($1, $2)"
COUNT = "SELECT count(*) FROM setting"
DIVIDE = "SELECT 12 / $1::integer"
NUMBERS = "SELECT value, value::text FROM generate_series(1, $1::integer) value"


@pytest.fixture
def connection(postgres: Postgres) -> Iterator[PreparingConnection]:
    with closing(ServerAddress(postgres.url_with_tables()).connect()) as connection:
        yield connection


def test_each_statement_sees_what_those_before_it_did(connection: PreparingConnection) -> None:
    before, added, after = connection.ask((COUNT, ()), (ADD, ("é", "ü")), (COUNT, ()))
    assert (before, added, after) == ([(0,)], [], [(1,)])
    assert connection.execute("SELECT key, value FROM setting").fetchall() == [("é", "ü")]


def test_after_one_that_fails_none_is_run_and_the_connection_is_well(
    connection: PreparingConnection,
) -> None:
    for statement, values, error in (
        (DIVIDE, ("0",), psycopg.errors.DivisionByZero),
        (DIVIDE, ("x",), psycopg.errors.InvalidTextRepresentation),
        ("SELEC 1", (), psycopg.errors.SyntaxError),
    ):
        with pytest.raises(error):
            connection.ask((ADD, ("a", "1")), (statement, values), (ADD, ("b", "2")))
        assert connection.ask((COUNT, ())) == [[(0,)]]
    assert connection.ask((DIVIDE, ("4",))) == [[(3,)]]


def test_rows_that_come_while_values_are_sent_hold_up_neither(
    connection: PreparingConnection,
) -> None:
    long = "x" * 4_000_000
    rows, said = connection.ask((NUMBERS, ("100000",)), ("SELECT length($1::text)", (long,)))
    assert len(rows) == 100_000
    assert rows[-1] == (100_000, "100000")
    assert said == [(4_000_000,)]


def test_who_asks_on_a_connection_that_is_lost_is_told_so(connection: PreparingConnection) -> None:
    with pytest.raises(psycopg.OperationalError):
        connection.ask(("SELECT pg_terminate_backend(pg_backend_pid())", ()), (COUNT, ()))
    assert connection.closed
    for ask in (lambda: connection.ask((COUNT, ())), lambda: connection.do("BEGIN")):
        with pytest.raises(psycopg.OperationalError):
            ask()


def test_a_connection_that_was_lost_meanwhile_is_no_fault_of_the_statement(
    connection: PreparingConnection, postgres: Postgres
) -> None:
    connection.do("BEGIN")
    connection.do("ROLLBACK")
    pid = connection.info.backend_pid
    with closing(ServerAddress(postgres.server_url).connect()) as other:
        other.execute("SELECT pg_terminate_backend(%s, 30000)", (pid,))
    with pytest.raises(psycopg.OperationalError):
        connection.do("BEGIN")
    assert connection.closed


def test_a_commit_of_what_failed_is_told_as_what_it_is(connection: PreparingConnection) -> None:
    assert connection.do("BEGIN") == "BEGIN"
    with pytest.raises(psycopg.errors.DivisionByZero):
        connection.ask((DIVIDE, ("0",)))
    assert connection.do("COMMIT") == "ROLLBACK"


def test_a_connection_keeps_no_more_statements_than_it_may(
    connection: PreparingConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prepared, "MOST", 3)
    for _ in range(2):
        for number in range(5):
            assert connection.ask((f"SELECT {number}", ())) == [[(number,)]]
    kept = "SELECT count(*) FROM pg_prepared_statements WHERE name LIKE 'oddsdesk%'"
    assert connection.execute(kept).fetchall() == [(3,)]
