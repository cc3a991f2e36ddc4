"""Keys and counts in PostgreSQL: shared by processes, and through what a server goes through."""

import contextlib
import threading
import time
from collections.abc import Iterator

import pytest

from oddsdesk.cluster.postgres.access import open_postgres_access
from oddsdesk.contract.access import Plan
from oddsdesk.store.access import AccessStore
from oddsdesk.store.errors import Fault, StoreError, StoreUnavailableError
from oddsdesk.store.keys import KeyLimitError
from oddsdesk.store.quotas import Kind, Token, TokenSpentError
from tests.kit.postgres import Postgres
from tests.kit.promises import in_time

NOON = 1_789_992_000_000
WINDOW_S = 3_600


@pytest.fixture
def url(postgres: Postgres) -> str:
    return postgres.url()


@pytest.fixture
def access(url: str) -> Iterator[AccessStore]:
    with contextlib.closing(AccessStore(open_postgres_access(url))) as opened:
        yield opened


@pytest.fixture
def other(access: AccessStore, url: str) -> Iterator[AccessStore]:
    """What another process opens."""
    with contextlib.closing(AccessStore(open_postgres_access(url))) as opened:
        yield opened


def take(access: AccessStore, key_id: int = 1) -> int:
    asked = key_id, Kind.REQUESTS, 100_000, WINDOW_S, NOON
    count = access.quotas.take_token(*asked) or access.quotas.take_exactly(*asked).result(
        timeout=10
    )
    return count.remaining


def used(access: AccessStore, key_id: int = 1) -> int:
    access.quotas.learn([(key_id, Kind.REQUESTS, WINDOW_S)], NOON)
    count = access.quotas.peek(key_id, Kind.REQUESTS, 100_000, WINDOW_S, NOON)
    return 100_000 - count.remaining


def kill_connections(postgres: Postgres, url: str) -> None:
    """End what others have open, as an administrator or a failover does."""
    with contextlib.closing(postgres.connect(url)) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE application_name = 'oddsdesk' AND pid <> pg_backend_pid()"
        )


def test_all_processes_sign_tokens_alike(access: AccessStore, other: AccessStore) -> None:
    assert access.secret == other.secret


def test_keys_of_one_process_are_known_to_another_that_reads_again(
    access: AccessStore, other: AccessStore
) -> None:
    made = other.keys.create("ann", Plan.PRO, "Bet365", NOON)
    assert access.keys.caller(made.secret) is None
    access.keys.reread_keys()
    assert access.keys.caller(made.secret) == other.keys.caller(made.secret) is not None
    other.keys.revoke(made.secret, NOON)
    access.keys.reread_keys()
    assert access.keys.caller(made.secret) is None


def test_counting_is_no_change_of_keys(access: AccessStore, other: AccessStore) -> None:
    before = access._file.version()
    take(other)
    other.quotas.save_counts_now()
    assert access._file.version() == before
    other.keys.create("ann", None, None, NOON)
    assert access._file.version() != before


def test_an_account_has_five_keys_whoever_makes_them_at_once(
    access: AccessStore, other: AccessStore
) -> None:
    made: list[object] = []

    def make(which: AccessStore) -> None:
        for _ in range(4):
            with contextlib.suppress(KeyLimitError):
                made.append(which.keys.create("ann", None, None, NOON))

    threads = [threading.Thread(target=make, args=(which,)) for which in (access, other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 5


def test_counts_of_many_keys_add_up_while_processes_save_them_at_once(
    access: AccessStore, other: AccessStore
) -> None:
    def count(which: AccessStore, keys: list[int]) -> None:
        for _ in range(10):
            for key in keys:
                take(which, key)
            which.quotas.save_counts_now()

    keys = list(range(1, 40))
    threads = [
        threading.Thread(target=count, args=args) for args in ((access, keys), (other, keys[::-1]))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [used(access, key) for key in keys] == [20] * len(keys)


def test_two_processes_grant_exactly_the_rest(access: AccessStore, other: AccessStore) -> None:
    asked = 1, Kind.REQUESTS, 5, WINDOW_S, NOON
    counting = [which.quotas.take_exactly(*asked) for _ in range(4) for which in (access, other)]
    assert sum(each.result(timeout=10).allowed for each in counting) == 5


def test_a_token_is_used_once_by_two_processes_at_the_same_moment(
    access: AccessStore, other: AccessStore
) -> None:
    tokens = [Token(bytes([number]) * 12, NOON + 300_000) for number in range(20)]
    asked = 1, Kind.CONNECTIONS, None, WINDOW_S, NOON
    using = [access.quotas.take_exactly(*asked, token) for token in tokens]
    using += [other.quotas.take_exactly(*asked, token) for token in reversed(tokens)]
    failures = [each.exception(timeout=10) for each in using]
    assert len([each for each in failures if each is None]) == 20
    assert {type(each) for each in failures} == {type(None), TokenSpentError}


def test_who_takes_over_a_key_goes_on_from_what_was_saved(
    access: AccessStore, other: AccessStore
) -> None:
    for _ in range(3):
        take(access)
    access.quotas.save_counts_now()
    assert used(other) == 3


def test_a_lost_connection_is_made_again(access: AccessStore, postgres: Postgres, url: str) -> None:
    made = access.keys.create("ann", None, None, NOON)
    take(access)
    kill_connections(postgres, url)
    access.keys.reread_keys()
    access.quotas.save_counts_now()
    assert used(access) == 1
    assert access.keys.revoke(made.secret, NOON).is_revoked


def test_counts_stay_in_memory_while_the_disk_is_full(
    access: AccessStore, other: AccessStore, postgres: Postgres, url: str
) -> None:
    take(access)
    take(access)
    with contextlib.closing(postgres.connect(url)) as connection:
        connection.execute(
            "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$"
            " BEGIN RAISE EXCEPTION 'no space left' USING ERRCODE = '53100'; END $$"
        )
        connection.execute(
            "CREATE TRIGGER full_disk BEFORE INSERT OR UPDATE ON quota"
            " FOR EACH STATEMENT EXECUTE FUNCTION full_disk()"
        )
        with pytest.raises(StoreUnavailableError) as refused:
            access.quotas.save_counts_now()
        assert refused.value.fault is Fault.FULL
        assert take(access) == 100_000 - 3
        connection.execute("DROP TRIGGER full_disk ON quota")
    access.quotas.save_counts_now()
    assert used(other) == 3


def test_nobody_waits_long_for_a_locked_table(
    access: AccessStore, postgres: Postgres, url: str
) -> None:
    with contextlib.closing(postgres.connect(url)) as connection:
        connection.execute("BEGIN")
        connection.execute("LOCK TABLE access_version IN ACCESS EXCLUSIVE MODE")
        began = time.monotonic()
        with pytest.raises(StoreUnavailableError) as refused:
            access.keys.reread_keys()
        assert time.monotonic() - began < in_time(4)
        assert refused.value.fault in (Fault.SLOW, Fault.LOCKED)
    access.keys.reread_keys()


def test_a_database_that_can_only_be_read_knows_its_keys(access: AccessStore, url: str) -> None:
    made = access.keys.create("ann", None, None, NOON)
    with contextlib.closing(
        AccessStore(open_postgres_access(f"{url}%20-cdefault_transaction_read_only%3Don"))
    ) as reading:
        assert reading.keys.caller(made.secret) == access.keys.caller(made.secret)
        with pytest.raises(StoreUnavailableError, match="read-only"):
            reading.keys.revoke(made.secret, NOON)
        assert take(reading) == 100_000 - 1


def test_what_is_closed_is_said(access: AccessStore) -> None:
    access.close()
    with pytest.raises(StoreUnavailableError, match="closed"):
        access.keys.reread_keys()
    with pytest.raises(StoreUnavailableError, match="closed"):
        access.keys.create("ann", None, None, NOON)


def test_a_database_of_another_program_is_refused(postgres: Postgres, url: str) -> None:
    with contextlib.closing(postgres.connect(url)) as connection:
        connection.execute("CREATE TABLE account (name text)")
    with pytest.raises(StoreError, match="another program"):
        open_postgres_access(url)
