"""How a PostgreSQL database is reached, and what is said where it is not."""

import contextlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from oddsdesk.cluster.postgres import connections
from oddsdesk.cluster.postgres.connections import PreparingConnection, ServerAddress
from oddsdesk.cluster.postgres.schema import STEPS, bring_up_to_date, check_current
from oddsdesk.store.errors import Fault, StoreError, StoreUnavailableError
from tests.kit.postgres import Postgres

SECRET = "hunter2-and-more"


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        (f"postgresql://ann:{SECRET}@db/odds", "postgresql://ann@db/odds"),
        (f"postgres://ann:{SECRET}@a:5432,b:5433/odds", "postgresql://ann@a:5432,b:5433/odds"),
        (f"postgresql://a,b/odds?password={SECRET}&user=ann", "postgresql://ann@a,b/odds"),
        (f"postgresql:///odds?host=/run/pg&sslpassword={SECRET}", "postgresql:///run/pg/odds"),
        ("postgresql://", "postgresql:///"),
    ],
)
def test_a_database_is_said_without_its_secrets(url: str, shown: str) -> None:
    assert ServerAddress(url).shown == shown


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://ann:{SECRET}@db/odds?pasword={SECRET}",
        f"postgresql://ann:{SECRET}@[db/odds",
        f"postgresql://ann:p@{SECRET}@db/odds",
    ],
)
def test_what_is_no_url_of_postgresql_is_refused_in_one_line_without_its_secrets(url: str) -> None:
    with pytest.raises(StoreError) as refused:
        ServerAddress(url)
    assert SECRET not in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_host_that_is_not_there_is_said_in_one_line(tmp_path: Path) -> None:
    address = ServerAddress(f"postgresql://ann:{SECRET}@/odds?host={tmp_path}")
    with pytest.raises(StoreUnavailableError) as refused:
        address.connect()
    assert refused.value.fault is Fault.AWAY
    assert str(refused.value).startswith(f"{address.shown}: the database cannot be reached: ")
    assert SECRET not in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_database_that_there_is_not_is_said(postgres: Postgres) -> None:
    with pytest.raises(StoreUnavailableError, match='database "nowhere" does not exist'):
        ServerAddress(f"postgresql://postgres@/nowhere?host={postgres.folder}").connect()


def test_of_several_hosts_the_one_that_takes_writes_is_found(
    postgres: Postgres, tmp_path: Path
) -> None:
    hosts = f"{tmp_path},{postgres.folder}"
    url = f"postgresql://postgres@/postgres?host={hosts}&target_session_attrs=read-write"
    with contextlib.closing(ServerAddress(url).connect()) as connection:
        assert connection.execute("SELECT 1").fetchall() == [(1,)]


@pytest.mark.parametrize(
    ("before", "statement", "fault"),
    [
        ("SELECT 1", "SELECT pg_sleep(60)", Fault.SLOW),
        ("SELECT 1", "SELECT pg_terminate_backend(pg_backend_pid())", Fault.AWAY),
        ("BEGIN", "LOCK TABLE shard IN ACCESS EXCLUSIVE MODE NOWAIT", Fault.LOCKED),
        ("SET default_transaction_read_only = on", "DELETE FROM shard", Fault.READ_ONLY),
    ],
)
def test_refusals_are_the_stores_own(
    postgres: Postgres, before: str, statement: str, fault: Fault
) -> None:
    address = ServerAddress(postgres.url_with_tables())
    with (
        contextlib.closing(address.connect()) as holder,
        contextlib.closing(address.connect(statement_s=0.2)) as connection,
        holder.transaction(),
    ):
        holder.execute("LOCK TABLE shard IN ACCESS SHARE MODE")
        connection.execute(before)
        with pytest.raises(StoreUnavailableError) as refused, address.refusals():
            connection.execute(statement)
        assert refused.value.fault is fault


def test_a_mistake_of_ours_is_no_refusal(postgres: Postgres) -> None:
    address = ServerAddress(postgres.url_with_tables())
    with contextlib.closing(address.connect()) as connection:
        with pytest.raises(Exception, match="nothing_like_that") as raised, address.refusals():
            connection.execute("SELECT nothing_like_that FROM setting")
        assert not isinstance(raised.value, StoreError)


def test_tables_are_made_once(postgres: Postgres) -> None:
    address = ServerAddress(postgres.url())
    with contextlib.closing(address.connect()) as connection:
        with pytest.raises(StoreError, match="has no oddsdesk tables yet"):
            check_current(connection, address.shown)
        for _ in range(2):
            bring_up_to_date(connection, address.shown)
        check_current(connection, address.shown)
        assert connection.execute("SELECT shard, seq FROM shard").fetchall() == [(0, 0)]


def test_another_programs_tables_are_refused(postgres: Postgres) -> None:
    address = ServerAddress(postgres.url())
    with contextlib.closing(address.connect()) as connection:
        connection.execute("CREATE TABLE game (ident integer)")
        with pytest.raises(StoreError, match="holds tables of another program"):
            bring_up_to_date(connection, address.shown)


def test_a_newer_oddsdesks_tables_are_refused(postgres: Postgres) -> None:
    address = ServerAddress(postgres.url_with_tables())
    with contextlib.closing(address.connect()) as connection:
        connection.execute("UPDATE oddsdesk_schema SET steps = %s", (len(STEPS) + 1,))
        with pytest.raises(StoreError, match="was written by a newer oddsdesk"):
            bring_up_to_date(connection, address.shown)


def test_where_there_is_no_schema_it_is_said(postgres: Postgres) -> None:
    options = "-csearch_path%3Dnone_like_this"
    address = ServerAddress(
        f"postgresql://postgres@/postgres?host={postgres.folder}&options={options}"
    )
    with (
        contextlib.closing(address.connect()) as connection,
        pytest.raises(StoreError, match="has no schema for the tables"),
    ):
        bring_up_to_date(connection, address.shown)


ADD = "INSERT INTO setting (key, value) VALUES ($1, $2)"
COUNT = "SELECT count(*) FROM setting"
DIVIDE = "SELECT 12 / $1::integer"
NUMBERS = "SELECT value, value::text FROM generate_series(1, $1::integer) value"


@pytest.fixture
def connection(postgres: Postgres) -> Iterator[PreparingConnection]:
    with closing(ServerAddress(postgres.url_with_tables()).connect()) as connection:
        yield connection


def test_each_statement_sees_what_those_before_it_did(connection: PreparingConnection) -> None:
    before, added, after = connection.run_statements((COUNT, ()), (ADD, ("é", "ü")), (COUNT, ()))
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
            connection.run_statements((ADD, ("a", "1")), (statement, values), (ADD, ("b", "2")))
        assert connection.run_statements((COUNT, ())) == [[(0,)]]
    assert connection.run_statements((DIVIDE, ("4",))) == [[(3,)]]


def test_rows_that_come_while_values_are_sent_hold_up_neither(
    connection: PreparingConnection,
) -> None:
    long = "x" * 4_000_000
    rows, said = connection.run_statements(
        (NUMBERS, ("100000",)), ("SELECT length($1::text)", (long,))
    )
    assert len(rows) == 100_000
    assert rows[-1] == (100_000, "100000")
    assert said == [(4_000_000,)]


def test_who_asks_on_a_connection_that_is_lost_is_told_so(connection: PreparingConnection) -> None:
    with pytest.raises(psycopg.OperationalError):
        connection.run_statements(
            ("SELECT pg_terminate_backend(pg_backend_pid())", ()), (COUNT, ())
        )
    assert connection.closed
    for ask in (lambda: connection.run_statements((COUNT, ())), lambda: connection.do("BEGIN")):
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
        connection.run_statements((DIVIDE, ("0",)))
    assert connection.do("COMMIT") == "ROLLBACK"


def test_a_connection_keeps_no_more_statements_than_it_may(
    connection: PreparingConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "MOST", 3)
    for _ in range(2):
        for number in range(5):
            assert connection.run_statements((f"SELECT {number}", ())) == [[(number,)]]
    kept = "SELECT count(*) FROM pg_prepared_statements WHERE name LIKE 'oddsdesk%'"
    assert connection.execute(kept).fetchall() == [(3,)]
