"""What one process has at a time, and who gets it when that process is gone."""

import contextlib
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from oddsdesk.store.databases import DatabaseUrl
from oddsdesk.store.errors import StoreUnavailableError
from oddsdesk.store.leases import Lease, leases_of
from tests.kit.postgres import Postgres, running_postgres
from tests.kit.waiting import until

HOLDER = """
import sys
from oddsdesk.store.databases import DatabaseUrl
from oddsdesk.store.leases import leases_of
lease = leases_of(DatabaseUrl(sys.argv[1]), ["upkeep"])
print(lease.take(), flush=True)
sys.stdin.read()
"""
MakeLease = Callable[..., Lease]


@pytest.fixture
def url(postgres: Postgres) -> str:
    return postgres.url()


@pytest.fixture
def lease(url: str) -> Iterator[MakeLease]:
    with contextlib.ExitStack() as stack:

        def make(*names: str) -> Lease:
            made = leases_of(DatabaseUrl(url), names)
            stack.callback(made.release)
            return made

        yield make


def test_one_has_it_until_it_lets_go(lease: MakeLease) -> None:
    one, other = lease("upkeep"), lease("upkeep")
    assert not one.is_held()
    assert (one.take(), other.take()) == (True, False)
    assert (one.is_held(), other.is_held()) == (True, False)
    one.release()
    assert (one.is_held(), other.take()) == (False, True)
    assert not one.take()


def test_several_are_taken_together_or_not_at_all(lease: MakeLease) -> None:
    one, both, other = lease("upkeep"), lease("feeds", "upkeep"), lease("feeds")
    assert one.take()
    assert not both.take()
    assert other.take()


def test_databases_in_one_server_have_leases_of_their_own(
    postgres: Postgres, lease: MakeLease
) -> None:
    elsewhere = leases_of(DatabaseUrl(postgres.url()), ["upkeep"])
    assert lease("upkeep").take()
    assert elsewhere.take()
    elsewhere.release()


async def test_who_is_killed_has_it_no_longer(lease: MakeLease, url: str) -> None:
    own = lease("upkeep")
    command = [sys.executable, "-c", HOLDER, url]
    with subprocess.Popen(command, stdin=-1, stdout=-1, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "True\n"
        assert not own.take()
        holder.kill()
    await until(own.take)


def test_a_lease_is_lost_with_the_connection_and_can_be_taken_again() -> None:
    with running_postgres() as server:
        lease = leases_of(DatabaseUrl(server.url()), ["upkeep"])
        assert lease.take()
        server.stop()
        assert not lease.is_held()
        with pytest.raises(StoreUnavailableError):
            lease.take()
        server.start()
        assert not lease.is_held()
        assert lease.take()
        lease.release()


def test_no_lease_can_be_taken_where_nobody_is(tmp_path: Path) -> None:
    lease = leases_of(DatabaseUrl(f"postgresql:///odds?host={tmp_path}"), ["upkeep"])
    with pytest.raises(StoreUnavailableError):
        lease.take()
