"""How a PostgreSQL database is reached, and what is said where it is not."""

import contextlib
from pathlib import Path

import pytest

from oddsdesk.store.errors import Fault, StoreError, StoreUnavailableError
from oddsdesk.store.postgres.connections import ServerAddress
from oddsdesk.store.postgres.migrations import bring_up_to_date, check_current
from oddsdesk.store.postgres.schema import STEPS
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
        with pytest.raises(StoreError, match="there is no oddsdesk database yet"):
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
        pytest.raises(StoreError, match="there is no schema for the tables"),
    ):
        bring_up_to_date(connection, address.shown)
