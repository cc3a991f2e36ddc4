"""Accounts: their plan and bookmaker change without a key, and they can be removed (D109)."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from oddsdesk.contract.access import DAY_S, Plan
from oddsdesk.store.access import AccessStore, open_access
from oddsdesk.store.accounts import BadAccountError, OwnAccountError, UnknownAccountError
from oddsdesk.store.databases import Database, DatabaseUrl
from oddsdesk.store.quotas import Kind
from tests.kit.postgres import Postgres

NOON = 1_789_992_000_000
FREE_REQUESTS = Plan.FREE.rights.requests


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Database:
    if request.param == "sqlite":
        return tmp_path / "odds.db"
    postgres: Postgres = request.getfixturevalue("postgres")
    return DatabaseUrl(postgres.url())


@pytest.fixture
def access(place: Database) -> Iterator[AccessStore]:
    with contextlib.closing(open_access(place)) as store:
        yield store


def test_the_plan_of_an_account_with_five_keys_changes(access: AccessStore) -> None:
    secrets = [access.keys.create("anna", Plan.FREE, "Bwin", NOON).secret for _ in range(5)]
    before, after = access.keys.change_account("anna", NOON, plan=Plan.PRO_LIVE)
    assert (before.plan, after.plan, after.bookmaker) == (Plan.FREE, Plan.PRO_LIVE, "Bwin")
    assert after.key_ids == before.key_ids
    assert len(after.key_ids) == 5
    callers = [access.keys.caller(secret) for secret in secrets]
    assert {caller.plan for caller in callers if caller is not None} == {Plan.PRO_LIVE}


def test_a_bookmaker_is_chosen_and_cleared(access: AccessStore) -> None:
    made = access.keys.create("anna", None, None, NOON)
    for choice in ("Bwin", None):
        _, after = access.keys.change_account("anna", NOON, bookmaker=choice)
        caller = access.keys.caller(made.secret)
        assert caller is not None
        assert after.bookmaker == caller.bookmaker == choice
        assert after.plan is Plan.FREE


def test_a_plan_that_comes_back_goes_on_with_its_counts(access: AccessStore) -> None:
    """Free, Pro, Free within a day gives no second 200 requests, streams or tokens."""
    key_id = access.keys.create("anna", Plan.FREE, "Bwin", NOON).key.key_id
    quotas = access.quotas
    for kind, allowance in ((Kind.REQUESTS, FREE_REQUESTS), (Kind.CONNECTIONS, 30)):
        for _ in range(allowance):
            assert (
                quotas.take_exactly(key_id, kind, allowance, DAY_S, NOON).result(timeout=10).allowed
            )
    quotas.save_counts_now()
    access.keys.change_account("anna", NOON, plan=Plan.PRO)
    assert quotas.take_exactly(key_id, Kind.REQUESTS, 5_500, 3_600, NOON).result(timeout=10).allowed
    quotas.save_counts_now()
    access.keys.change_account("anna", NOON, plan=Plan.FREE)
    quotas.learn([(key_id, Kind.REQUESTS, DAY_S)], NOON)
    assert (
        not quotas.take_exactly(key_id, Kind.REQUESTS, FREE_REQUESTS, DAY_S, NOON)
        .result(timeout=10)
        .allowed
    )
    (account,) = access.keys.accounts(NOON)
    assert (account.requests_left, account.streams_left, account.tokens_left) == (0, 0, 30)
    (account,) = access.keys.accounts(NOON + DAY_S * 1000)
    assert (account.requests_left, account.streams_left) == (FREE_REQUESTS, 30)


def test_what_is_left_is_the_sum_over_active_keys(access: AccessStore) -> None:
    first, second, gone = (access.keys.create("anna", None, None, NOON).key for _ in range(3))
    access.keys.revoke(str(gone.key_id), NOON)
    access.quotas.take_exactly(second.key_id, Kind.REQUESTS, FREE_REQUESTS, DAY_S, NOON).result(
        timeout=10
    )
    access.quotas.save_counts_now()
    (account,) = access.keys.accounts(NOON)
    assert account.key_ids == (first.key_id, second.key_id)
    assert account.revoked_keys == 1
    assert account.requests_left == 2 * FREE_REQUESTS - 1
    access.keys.change_account("anna", NOON, plan=Plan.PRO)
    (account,) = access.keys.accounts(NOON)
    assert (account.requests_left, account.streams_left, account.tokens_left) == (11_000, 0, 0)
    access.keys.change_account("anna", NOON, plan=Plan.PRO_RT)
    (account,) = access.keys.accounts(NOON)
    assert (account.streams_left, account.tokens_left) == (None, None)


def test_a_removed_account_leaves_no_key_and_no_count(access: AccessStore) -> None:
    gone = [access.keys.create("anna", None, None, NOON) for _ in range(2)]
    kept = access.keys.create("bob", None, None, NOON)
    for key in (gone[0].key, kept.key):
        access.quotas.take_exactly(key.key_id, Kind.REQUESTS, 200, DAY_S, NOON).result(timeout=10)
    access.quotas.save_counts_now()
    removed = access.keys.remove_account(" anna", NOON)
    assert removed.key_ids == tuple(each.key.key_id for each in gone)
    assert [access.keys.caller(each.secret) for each in gone] == [None, None]
    assert access.keys.all_keys() == [kept.key]
    assert [each.name for each in access.keys.accounts(NOON)] == ["bob"]
    slots = [slot for slot, *_ in access._file.read_with(lambda tables: tables.key_counts())]
    assert slots == [(kept.key.key_id, Kind.REQUESTS, DAY_S)]
    fresh = access.keys.create("anna", None, None, NOON).key
    assert fresh.key_id > kept.key.key_id  # no key has the counts of one that was removed


def test_a_removed_account_leaves_the_pages_of_others_counted(access: AccessStore) -> None:
    """Pages of an account are counted under its negative number."""
    for name in ("anna", "bob"):
        access.keys.create(name, None, None, NOON)
    anna, bob = (row.ident for row in access._file.read_with(lambda tables: tables.accounts()))
    for ident in (anna, bob):
        taken = access.quotas.take_exactly(-ident, Kind.CONNECTIONS, 30, DAY_S, NOON)
        assert taken.result(timeout=10).allowed
    access.quotas.save_counts_now()
    access.keys.remove_account("anna", NOON)
    slots = [slot for slot, *_ in access._file.read_with(lambda tables: tables.key_counts())]
    assert slots == [(-bob, Kind.CONNECTIONS, DAY_S)]


def test_an_unknown_account_is_refused_with_near_names(access: AccessStore) -> None:
    access.keys.create("anna", None, None, NOON)
    with pytest.raises(UnknownAccountError, match=r"no account 'ana'; did you mean 'anna'\?"):
        access.keys.change_account("ana", NOON, plan=Plan.PRO)
    with pytest.raises(UnknownAccountError, match="no account 'zoe'; see `oddsdesk accounts list`"):
        access.keys.remove_account("zoe", NOON)
    with pytest.raises(BadAccountError, match="bookmaker: expected a name, got '  '"):
        access.keys.change_account("anna", NOON, bookmaker="  ")
    with pytest.raises(BadAccountError, match="account: expected a name of at most 200 characters"):
        access.keys.create("a" * 201, None, None, NOON)


def test_the_desks_own_account_stays_as_it_is(access: AccessStore) -> None:
    made = access.keys.reissue("desk", Plan.PRO_LIVE, NOON)
    with pytest.raises(OwnAccountError, match="holds the desk's own key"):
        access.keys.remove_account("desk", NOON)
    with pytest.raises(OwnAccountError):
        access.keys.change_account("desk", NOON, plan=Plan.FREE)
    assert access.keys.caller(made.secret) is not None
