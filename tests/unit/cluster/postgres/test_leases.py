"""What one process has at a time, and who gets it when that process is gone."""

import contextlib
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from oddsdesk.cluster.postgres.leases import PostgresHolders, PostgresLease, PostgresShares
from oddsdesk.store.errors import StoreUnavailableError
from tests.kit.postgres import Postgres, running_postgres
from tests.kit.waiting import until

HOLDER = """
import sys
from oddsdesk.cluster.postgres.leases import PostgresLease
lease = PostgresLease(sys.argv[1], ["upkeep"])
print(lease.take_lease(), flush=True)
sys.stdin.read()
"""
MakeLease = Callable[..., PostgresLease]


@pytest.fixture
def url(postgres: Postgres) -> str:
    return postgres.url()


@pytest.fixture
def lease(url: str) -> Iterator[MakeLease]:
    with contextlib.ExitStack() as stack:

        def make(*names: str) -> PostgresLease:
            made = PostgresLease(url, names)
            stack.callback(made.release_lease)
            return made

        yield make


def test_one_has_it_until_it_lets_go(lease: MakeLease) -> None:
    one, other = lease("upkeep"), lease("upkeep")
    assert not one.is_held()
    assert (one.take_lease(), other.take_lease()) == (True, False)
    assert (one.is_held(), other.is_held()) == (True, False)
    one.release_lease()
    assert (one.is_held(), other.take_lease()) == (False, True)
    assert not one.take_lease()


def test_several_are_taken_together_or_not_at_all(lease: MakeLease) -> None:
    one, both, other = lease("upkeep"), lease("feeds", "upkeep"), lease("feeds")
    assert one.take_lease()
    assert not both.take_lease()
    assert other.take_lease()


def test_databases_in_one_server_have_leases_of_their_own(
    postgres: Postgres, lease: MakeLease
) -> None:
    elsewhere = PostgresLease(postgres.url(), ["upkeep"])
    assert lease("upkeep").take_lease()
    assert elsewhere.take_lease()
    elsewhere.release_lease()


async def test_who_is_killed_has_it_no_longer(lease: MakeLease, url: str) -> None:
    own = lease("upkeep")
    command = [sys.executable, "-c", HOLDER, url]
    with subprocess.Popen(command, stdin=-1, stdout=-1, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "True\n"
        assert not own.take_lease()
        holder.kill()
    await until(own.take_lease)


def test_a_lease_is_lost_with_the_connection_and_can_be_taken_again() -> None:
    with running_postgres() as server:
        lease = PostgresLease(server.url(), ["upkeep"])
        assert lease.take_lease()
        server.stop()
        assert not lease.is_held()
        with pytest.raises(StoreUnavailableError):
            lease.take_lease()
        server.start()
        assert not lease.is_held()
        assert lease.take_lease()
        lease.release_lease()


def test_no_lease_can_be_taken_where_nobody_is(tmp_path: Path) -> None:
    lease = PostgresLease(f"postgresql:///odds?host={tmp_path}", ["upkeep"])
    with pytest.raises(StoreUnavailableError):
        lease.take_lease()


@pytest.fixture
def database(postgres: Postgres) -> str:
    return postgres.url()


@pytest.fixture
def holders(database: str) -> Iterator[PostgresHolders]:
    with contextlib.closing(_holders(database)) as asking:
        yield asking


def _holders(database: str) -> PostgresHolders:
    return PostgresHolders(database, ["upkeep", "feeds"], ["valuation"])


def test_what_others_hold_is_told_for_as_long_as_they_do(
    database: str, holders: PostgresHolders
) -> None:
    assert holders.held() == frozenset()
    upkeep, feeds = PostgresLease(database, ["upkeep"]), PostgresLease(database, ["feeds"])
    assert upkeep.take_lease()
    assert holders.held() == {"upkeep"}
    assert feeds.take_lease()
    upkeep.release_lease()
    assert holders.held() == {"feeds"}
    feeds.release_lease()
    assert holders.held() == frozenset()


def test_a_lease_is_found_whatever_number_its_name_has(database: str) -> None:
    names = [f"lease {number}" for number in range(16)]  # half of the numbers are below zero
    lease = PostgresLease(database, names)
    assert lease.take_lease()
    with contextlib.closing(PostgresHolders(database, names, [])) as asking:
        assert asking.held() == set(names)
    lease.release_lease()


async def test_a_work_is_done_while_anybody_takes_part(
    database: str, holders: PostgresHolders
) -> None:
    one, other = (PostgresShares(database, "valuation", 4) for _ in range(2))
    one.take_shares()
    other.take_shares()
    one.close()
    assert holders.held() == {"valuation"}, "though the other holds no part yet"
    other.close()
    await until(lambda: holders.held() == frozenset())  # PostgreSQL notices that a connection ended


def test_another_schema_is_another_database(postgres: Postgres, holders: PostgresHolders) -> None:
    elsewhere = postgres.url()
    lease, shares = PostgresLease(elsewhere, ["upkeep"]), PostgresShares(elsewhere, "valuation", 4)
    assert lease.take_lease()
    shares.take_shares()
    assert holders.held() == frozenset()
    lease.release_lease()
    shares.close()


def test_a_connection_that_was_lost_is_made_again(
    postgres: Postgres, holders: PostgresHolders
) -> None:
    holders.held()
    postgres.order(
        "SELECT pg_terminate_backend(pid, 30000) FROM pg_stat_activity"
        " WHERE query LIKE '%AS lease(name)%' AND pid <> pg_backend_pid()"
    )
    with pytest.raises(StoreUnavailableError):
        holders.held()
    assert holders.held() == frozenset()
