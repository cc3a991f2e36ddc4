"""Anybody may know whether a lease is held and a work is done, whoever does it."""

import contextlib
from collections.abc import Iterator

import pytest

from oddsdesk.store.databases import DatabaseUrl
from oddsdesk.store.errors import StoreUnavailableError
from oddsdesk.store.leases import Holders, holders_of, leases_of
from oddsdesk.store.shares import shares_of
from tests.kit.postgres import Postgres
from tests.kit.waiting import until


@pytest.fixture
def database(postgres: Postgres) -> DatabaseUrl:
    return DatabaseUrl(postgres.url())


@pytest.fixture
def holders(database: DatabaseUrl) -> Iterator[Holders]:
    with contextlib.closing(_holders(database)) as asking:
        yield asking


def _holders(database: DatabaseUrl) -> Holders:
    return holders_of(database, ["upkeep", "feeds"], ["valuation"])


def test_what_others_hold_is_told_for_as_long_as_they_do(
    database: DatabaseUrl, holders: Holders
) -> None:
    assert holders.held() == frozenset()
    upkeep, feeds = leases_of(database, ["upkeep"]), leases_of(database, ["feeds"])
    assert upkeep.take()
    assert holders.held() == {"upkeep"}
    assert feeds.take()
    upkeep.release()
    assert holders.held() == {"feeds"}
    feeds.release()
    assert holders.held() == frozenset()


def test_a_lease_is_found_whatever_number_its_name_has(database: DatabaseUrl) -> None:
    names = [f"lease {number}" for number in range(16)]  # half of the numbers are below zero
    lease = leases_of(database, names)
    assert lease.take()
    with contextlib.closing(holders_of(database, names, [])) as asking:
        assert asking.held() == set(names)
    lease.release()


async def test_a_work_is_done_while_anybody_takes_part(
    database: DatabaseUrl, holders: Holders
) -> None:
    one, other = (shares_of(database, "valuation", 4) for _ in range(2))
    one.take()
    other.take()
    one.close()
    assert holders.held() == {"valuation"}, "though the other holds no part yet"
    other.close()
    await until(lambda: holders.held() == frozenset())  # PostgreSQL notices that a connection ended


def test_another_schema_is_another_database(postgres: Postgres, holders: Holders) -> None:
    elsewhere = DatabaseUrl(postgres.url())
    lease, shares = leases_of(elsewhere, ["upkeep"]), shares_of(elsewhere, "valuation", 4)
    assert lease.take()
    shares.take()
    assert holders.held() == frozenset()
    lease.release()
    shares.close()


def test_a_connection_that_was_lost_is_made_anew(postgres: Postgres, holders: Holders) -> None:
    holders.held()
    postgres.order(
        "SELECT pg_terminate_backend(pid, 30000) FROM pg_stat_activity"
        " WHERE query LIKE '%AS lease(name)%' AND pid <> pg_backend_pid()"
    )
    with pytest.raises(StoreUnavailableError):
        holders.held()
    assert holders.held() == frozenset()
