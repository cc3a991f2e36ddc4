"""Accounts and keys: what is kept of them and who finds what (D25, D43)."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from oddsdesk.contract.access import Plan
from oddsdesk.store.access import AccessStore, open_access
from oddsdesk.store.accounts import BadAccountError
from oddsdesk.store.databases import access_path
from oddsdesk.store.errors import StoreUnavailableError
from oddsdesk.store.keys import KeyLimitError, UnknownKeyError
from oddsdesk.store.quotas import Kind
from oddsdesk.store.sqlite.access_file import AccessTables

NOW = 1_790_000_000_000


@pytest.fixture
def access(tmp_path: Path) -> Iterator[AccessStore]:
    store = open_access(tmp_path / "odds.db")
    yield store
    store.close()


def test_a_key_is_the_prefix_and_32_hexadecimal_digits(access: AccessStore) -> None:
    """service.md, Authentication 2; D25."""
    secret = access.keys.create("default", None, None, NOW).secret
    assert re.fullmatch(r"oddsdesk_live_[0-9a-f]{32}", secret)


def test_two_keys_differ(access: AccessStore) -> None:
    made = {access.keys.create("default", None, None, NOW).secret for _ in range(5)}
    assert len(made) == 5


def test_the_file_holds_no_key(access: AccessStore, tmp_path: Path) -> None:
    """D25: at rest only a digest and the masked form."""
    new = access.keys.create("default", Plan.PRO, None, NOW)
    rotated = access.keys.rotate(new.secret)
    access.close()
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert new.secret[-32:].encode() not in kept
    assert rotated.secret[-32:].encode() not in kept
    assert rotated.key.masked.encode() in kept


def test_the_file_is_its_owners_alone(access: AccessStore, tmp_path: Path) -> None:
    assert access_path(tmp_path / "odds.db").name == "odds-access.db"
    assert access_path(tmp_path / "odds.db").stat().st_mode & 0o077 == 0


def test_an_account_made_without_a_plan_is_free(access: AccessStore) -> None:
    """D43."""
    assert access.keys.create("default", None, None, NOW).key.plan is Plan.FREE


def test_a_plan_given_later_changes_the_account_and_none_leaves_it(access: AccessStore) -> None:
    """command-line.md: on an existing account --plan changes it."""
    first = access.keys.create("team", Plan.PRO, "Betfair", NOW)
    access.keys.create("team", None, None, NOW)
    assert access.keys.caller(first.secret).plan is Plan.PRO  # type: ignore[union-attr]
    access.keys.create("team", Plan.PRO_LIVE, None, NOW)
    caller = access.keys.caller(first.secret)
    assert caller is not None
    assert (caller.plan, caller.bookmaker) == (Plan.PRO_LIVE, "Betfair")


def test_the_sixth_active_key_is_refused_and_changes_nothing(access: AccessStore) -> None:
    """service.md, Authentication 4."""
    keys = [access.keys.create("default", Plan.PRO, None, NOW) for _ in range(5)]
    with pytest.raises(KeyLimitError, match="revoke one first"):
        access.keys.create("default", Plan.PRO_LIVE, None, NOW)
    assert {key.plan for key in access.keys.all_keys()} == {Plan.PRO}
    access.keys.revoke(keys[0].secret, NOW)
    assert access.keys.create("default", None, None, NOW)


def test_a_rotated_key_is_another_at_once(access: AccessStore) -> None:
    """service.md, Authentication 3: the old key stops working instantly."""
    old = access.keys.create("default", None, None, NOW)
    before = access.keys.caller(old.secret)
    new = access.keys.rotate(str(old.key.key_id))
    assert before is not None
    assert access.keys.caller(old.secret) is None
    assert access.keys.present_caller(before) is None
    after = access.keys.caller(new.secret)
    assert after is not None
    assert after.key_id == before.key_id


def test_a_revoked_key_is_unknown(access: AccessStore) -> None:
    new = access.keys.create("default", None, None, NOW)
    caller = access.keys.caller(new.secret)
    assert caller is not None
    assert access.keys.revoke(new.key.masked, NOW).is_revoked
    assert access.keys.caller(new.secret) is None
    assert access.keys.by_id(caller.key_id) is None
    assert access.keys.present_caller(caller) is None
    with pytest.raises(UnknownKeyError):
        access.keys.rotate(new.secret)


@pytest.mark.parametrize("ident", ["", "7", "oddsdesk_live_", "9" * 30, "٧", "a*"])
def test_what_names_no_active_key_is_said(access: AccessStore, ident: str) -> None:
    access.keys.create("default", None, None, NOW)
    with pytest.raises(UnknownKeyError, match="no active key"):
        access.keys.revoke(ident, NOW)


def test_what_another_process_does_is_known_once_the_keys_are_read_again(
    access: AccessStore, tmp_path: Path
) -> None:
    """Issue 3, item 1; when a server reads them again, ``server.gate`` says."""
    other = open_access(tmp_path / "odds.db")
    new = other.keys.create("default", None, None, NOW)
    assert access.keys.caller(new.secret) is None
    access.keys.reread_keys()
    assert access.keys.caller(new.secret) == access.keys.by_id(new.key.key_id) is not None
    other.keys.revoke(new.secret, NOW)
    access.keys.reread_keys()
    assert access.keys.caller(new.secret) is access.keys.by_id(new.key.key_id) is None
    other.close()


def test_nothing_is_read_twice_that_did_not_change(
    access: AccessStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    access.keys.reread_keys()
    monkeypatch.setattr(AccessTables, "callers", pytest.fail)
    access.keys.reread_keys()


def test_a_count_that_is_saved_has_no_key_read_again(
    access: AccessStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten thousand of them took 54 ms of the interpreter, twice a second."""
    new = access.keys.create("default", None, None, NOW)
    access.keys.reread_keys()
    monkeypatch.setattr(AccessTables, "callers", pytest.fail)
    access.quotas.take_exactly(new.key.key_id, Kind.REQUESTS, 10, 60, NOW).result(timeout=10)
    access.quotas.save_counts_now()
    access.keys.reread_keys()


@pytest.mark.parametrize(
    "change",
    ["plan", "bookmaker", "rotate", "revoke", "create", "account plan", "choice", "removal"],
)
def test_every_change_of_another_process_is_noticed(
    change: str, access: AccessStore, tmp_path: Path
) -> None:
    first = access.keys.create("default", Plan.PRO, "Betfair", NOW)
    access.keys.reread_keys()
    other = open_access(tmp_path / "odds.db")
    known = access.keys.by_id(first.key.key_id)
    match change:
        case "plan":
            other.keys.create("default", Plan.FREE, "Betfair", NOW)
        case "bookmaker":
            other.keys.create("default", Plan.PRO, "Bwin", NOW)
        case "rotate":
            other.keys.rotate(first.secret)
        case "revoke":
            other.keys.revoke(first.secret, NOW)
        case "create":
            made = other.keys.create("default", None, None, NOW)
        case "account plan":
            other.keys.change_account("default", NOW, plan=Plan.FREE)
        case "choice":
            other.keys.change_account("default", NOW, bookmaker=None)
        case "removal":
            other.keys.remove_account("default", NOW)
    access.keys.reread_keys()
    if change == "create":
        assert access.keys.caller(made.secret) is not None
    else:
        assert access.keys.by_id(first.key.key_id) != known
    other.close()


def test_while_keys_cannot_be_read_what_is_known_stays(
    access: AccessStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = access.keys.create("default", None, None, NOW)

    def refuse() -> int:
        raise StoreUnavailableError("disk I/O error")

    monkeypatch.setattr(access._file, "version", refuse)
    with pytest.raises(StoreUnavailableError):
        access.keys.reread_keys()
    assert access.keys.caller(new.secret) is not None


def test_a_reissued_key_is_the_accounts_only_one(access: AccessStore) -> None:
    several = [access.keys.create("desk", Plan.PRO, None, NOW) for _ in range(3)]
    new = access.keys.reissue("desk", Plan.PRO_LIVE, NOW)
    assert [key for key in access.keys.all_keys() if not key.is_revoked] == [new.key]
    assert all(access.keys.caller(old.secret) is None for old in several)
    assert access.keys.reissue("desk", Plan.PRO_LIVE, NOW).key.key_id == new.key.key_id


def test_a_reissued_key_is_made_where_there_is_none(access: AccessStore) -> None:
    new = access.keys.reissue("desk", Plan.PRO_LIVE, NOW)
    caller = access.keys.caller(new.secret)
    assert caller is not None
    assert caller.plan is Plan.PRO_LIVE


def test_names_are_stored_folded(access: AccessStore) -> None:
    """D40."""
    key = access.keys.create(" my  team ", None, " Bet  365 ", NOW).key
    assert (key.account, key.bookmaker) == ("my team", "Bet 365")


@pytest.mark.parametrize(("account", "bookmaker"), [(" ", None), ("a", ""), ("a\x00b", None)])
def test_a_name_that_is_none_is_refused(
    access: AccessStore, account: str, bookmaker: str | None
) -> None:
    with pytest.raises(BadAccountError, match="expected a name"):
        access.keys.create(account, None, bookmaker, NOW)


def test_a_closed_access_file_is_one_file(tmp_path: Path) -> None:
    """It may be copied, or carried away, as it lies there."""
    access = open_access(tmp_path / "odds.db")
    access.keys.create("anna", Plan.PRO, None, 0)
    access.close()
    assert [each.name for each in tmp_path.iterdir()] == ["odds-access.db"]
