"""Owners of accounts: invitations, passwords, sessions and waits after failed sign-ins (D109)."""

import contextlib
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oddsdesk.contract.access import Plan
from oddsdesk.store.access import AccessStore, open_access
from oddsdesk.store.accounts import (
    BadAccountError,
    LastOperatorError,
    OwnAccountError,
    UnknownAccountError,
)
from oddsdesk.store.databases import Database, DatabaseUrl, access_path
from oddsdesk.store.errors import StoreUnavailableError
from oddsdesk.store.owners import (
    CLOCK_BACK_MS,
    FIRST_WAIT_MS,
    FORGET_FAILURES_MS,
    IDLE_MS,
    INVITE_MS,
    KNOWN_ADDRESS_MS,
    SESSION_MS,
    TOUCH_MS,
    InviteEndedError,
    NewSession,
    NoOwnerError,
    Owners,
    Refused,
    browser_in_words,
    network_of,
)
from oddsdesk.store.passwords import HASHES_AT_ONCE, BadPasswordError, Hashing, check_password
from tests.kit.postgres import Postgres

argon2 = pytest.importorskip("argon2")

NOON = 1_789_992_000_000
PASSWORD = "four words of mine"
HOME, ELSEWHERE = "192.0.2.1", "198.51.100.7"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0"


class CountedHasher(argon2.PasswordHasher):  # type: ignore[misc]
    """Argon2id at its cheapest, which counts what it computes."""

    def __init__(self, time_cost: int = 1) -> None:
        super().__init__(time_cost=time_cost, memory_cost=8, parallelism=1)
        self.hashed = 0
        self.checked: list[str] = []

    def hash(self, password: str | bytes, *, salt: bytes | None = None) -> str:
        self.hashed += 1
        return str(super().hash(password, salt=salt))

    def verify(self, hash: str | bytes, password: str | bytes) -> bool:  # noqa: A002 - theirs
        self.checked.append(str(hash))
        return bool(super().verify(hash, password))


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Database:
    if request.param == "sqlite":
        return tmp_path / "odds.db"
    postgres: Postgres = request.getfixturevalue("postgres")
    return DatabaseUrl(postgres.url())


@pytest.fixture
def access(place: Database) -> Iterator[AccessStore]:
    with contextlib.closing(open_access(place)) as store:
        store.owners = quick(store)
        yield store


@pytest.fixture
def owners(access: AccessStore) -> Owners:
    return access.owners


def quick(store: AccessStore, hasher: CountedHasher | None = None) -> Owners:
    """Return the owners of a store, with passwords that cost nothing."""
    return Owners(store._file, Hashing(hasher or CountedHasher()))


def join(owners: Owners, name: str = "anna", *, operator: bool | None = None) -> NewSession:
    token = owners.invite(name, NOON, operator=operator).token
    return owners.accept_invite(token, PASSWORD, HOME, FIREFOX, NOON)


def fail(owners: Owners, name: str, address: str, now_ms: int) -> Refused:
    refused = owners.sign_in(name, "not the password", address, FIREFOX, now_ms)
    assert isinstance(refused, Refused)
    return refused


def enter(owners: Owners, address: str, now_ms: int, name: str = "anna") -> NewSession:
    found = owners.sign_in(name, PASSWORD, address, FIREFOX, now_ms)
    assert isinstance(found, NewSession)
    return found


def test_an_invited_owner_signs_in(owners: Owners) -> None:
    made = owners.invite("anna", NOON, plan=Plan.PRO)
    invite = owners.read_invite(made.token, NOON)
    assert invite is not None
    assert (invite.account, invite.ends_at) == ("anna", NOON + INVITE_MS)
    assert not invite.makes_operator
    first = owners.accept_invite(made.token, PASSWORD, HOME, FIREFOX, NOON)
    second = enter(owners, HOME, NOON)
    for session in (first, second):
        assert owners.session(session.token, NOON) == session.owner
    assert {each.browser for each in owners.sessions("anna", NOON)} == {"Firefox on Linux"}


def test_an_invitation_works_once(owners: Owners) -> None:
    token = owners.invite("anna", NOON).token
    owners.accept_invite(token, PASSWORD, HOME, FIREFOX, NOON)
    assert owners.read_invite(token, NOON) is None
    with pytest.raises(InviteEndedError):
        owners.accept_invite(token, "another password", HOME, FIREFOX, NOON)
    enter(owners, HOME, NOON)


def test_a_new_invitation_replaces_the_old_one(owners: Owners) -> None:
    old, new = (owners.invite("anna", NOON).token for _ in range(2))
    assert owners.read_invite(old, NOON) is None
    assert owners.read_invite(new, NOON) is not None


def test_a_new_invitation_offers_the_role_of_an_open_one(owners: Owners) -> None:
    """Not that of one that has ended, and not one that was taken back."""
    owners.invite("anna", NOON, operator=True)
    assert owners.invite("anna", NOON).makes_operator
    assert owners.states(NOON)["anna"].makes_operator
    assert not owners.invite("anna", NOON + INVITE_MS).makes_operator
    owners.invite("bert", NOON, operator=True)
    assert not owners.invite("bert", NOON, operator=False).makes_operator
    assert not owners.invite("bert", NOON).makes_operator


def test_an_invitation_ends_after_seven_days(owners: Owners) -> None:
    token = owners.invite("anna", NOON).token
    assert owners.read_invite(token, NOON + INVITE_MS - 1) is not None
    assert owners.read_invite(token, NOON + INVITE_MS) is None
    with pytest.raises(InviteEndedError):
        owners.accept_invite(token, PASSWORD, HOME, FIREFOX, NOON + INVITE_MS)


def test_a_refused_password_leaves_the_invitation_open(owners: Owners) -> None:
    token = owners.invite("anna", NOON).token
    with pytest.raises(BadPasswordError):
        owners.accept_invite(token, "short", HOME, FIREFOX, NOON)
    owners.accept_invite(token, PASSWORD, HOME, FIREFOX, NOON)


def test_a_used_invitation_ends_every_session(owners: Owners) -> None:
    before = join(owners)
    after = join(owners)
    assert owners.session(before.token, NOON) is None
    assert owners.session(after.token, NOON) == after.owner


def test_the_role_is_given_with_the_password_and_taken_at_once(owners: Owners) -> None:
    session = join(owners)
    token = owners.invite("anna", NOON, operator=True).token
    assert owners.session(session.token, NOON) == session.owner  # a stolen session gains nothing
    assert not session.owner.is_operator
    session = owners.accept_invite(token, PASSWORD, HOME, FIREFOX, NOON)
    assert session.owner.is_operator
    assert join(owners).owner.is_operator  # a new password alone changes no role
    session = enter(owners, HOME, NOON)
    owners.invite("anna", NOON, operator=False)
    found = owners.session(session.token, NOON)
    assert found is not None
    assert not found.is_operator


@pytest.mark.parametrize("name", ["", " ", "a\0b"])
def test_a_bad_name_is_not_invited(owners: Owners, name: str) -> None:
    with pytest.raises(BadAccountError):
        owners.invite(name, NOON)


def test_nobody_signs_in_to_the_desks_own_account(owners: Owners) -> None:
    with pytest.raises(OwnAccountError):
        owners.invite(" desk ", NOON)


def test_an_idle_session_ends_after_twelve_hours(owners: Owners) -> None:
    session = join(owners)
    assert owners.session(session.token, NOON + IDLE_MS - 1, is_use=False) is not None
    assert owners.session(session.token, NOON + IDLE_MS) is None


def test_a_used_session_ends_after_thirty_days(access: AccessStore) -> None:
    owners = access.owners
    session, now = join(owners), NOON
    while now < NOON + SESSION_MS:
        assert owners.session(session.token, now) is not None
        owners.end_session("another")  # waits for the writer, which saves the use
        now += IDLE_MS // 2
    assert owners.session(session.token, now) is None


def test_the_last_use_is_saved_each_minute(owners: Owners) -> None:
    session = join(owners)
    for after, saved in ((TOUCH_MS - 1, NOON), (TOUCH_MS, NOON + TOUCH_MS)):
        owners.session(session.token, NOON + after)
        owners.end_session("another")  # waits for the writer
        assert owners.sessions("anna", NOON + after)[0].used_at == saved


def test_sessions_end_one_by_one_or_all(owners: Owners) -> None:
    kept, first, second = join(owners), enter(owners, HOME, NOON), enter(owners, HOME, NOON)
    other = join(owners, "bob")
    assert not owners.end_session_of("anna", other.owner.session_id)
    assert owners.end_session_of("anna", first.owner.session_id)
    for number in (first.owner.session_id, 0, -1, 10**30):
        assert not owners.end_session_of("anna", number)
    owners.end_session(second.token)
    owners.end_session(second.token)
    assert [each.session_id for each in owners.sessions("anna", NOON)] == [kept.owner.session_id]
    assert owners.sign_out("anna") == 1
    assert owners.session(kept.token, NOON) is None
    assert owners.session(other.token, NOON) is not None


def test_signing_out_withdraws_the_invitation(owners: Owners) -> None:
    token = owners.invite("anna", NOON).token
    assert owners.sign_out("anna") == 0
    assert owners.read_invite(token, NOON) is None


def test_all_ends_with_the_account(access: AccessStore) -> None:
    owners = access.owners
    session = join(owners)
    token = owners.invite("anna", NOON).token
    access.keys.remove_account("anna", NOON)
    assert owners.session(session.token, NOON) is None
    assert owners.read_invite(token, NOON) is None
    assert fail(owners, "anna", HOME, NOON).was_checked
    access.keys.create("anna", None, None, NOON)  # a new account with that name, or its number
    assert owners.session(session.token, NOON) is None
    assert isinstance(owners.sign_in("anna", PASSWORD, HOME, FIREFOX, NOON), Refused)


def test_a_changed_password_ends_sessions_and_invitations(owners: Owners) -> None:
    session, other = join(owners), enter(owners, HOME, NOON)
    token = owners.invite("anna", NOON).token
    changed = owners.change_password(session.owner, PASSWORD, "another password", HOME, NOON)
    assert isinstance(changed, NewSession)
    assert [owners.session(each.token, NOON) for each in (session, other, changed)] == [
        None,
        None,
        changed.owner,
    ]
    assert owners.read_invite(token, NOON) is None
    assert isinstance(owners.sign_in("anna", PASSWORD, HOME, FIREFOX, NOON), Refused)
    found = owners.sign_in("anna", "another password", HOME, FIREFOX, NOON)
    assert isinstance(found, NewSession)


def test_a_wrong_current_password_changes_nothing_and_counts(owners: Owners) -> None:
    session = join(owners)
    for _ in range(5):
        refused = owners.change_password(session.owner, "wrong", "another password", HOME, NOON)
        assert isinstance(refused, Refused)
        assert refused.was_checked
    refused = owners.change_password(session.owner, PASSWORD, "another password", HOME, NOON)
    assert refused == Refused(5, was_checked=False)
    assert owners.session(session.token, NOON) is not None


def test_the_sixth_try_waits_and_each_further_one_twice_as_long(owners: Owners) -> None:
    join(owners)
    now, waits = NOON, []
    for _ in range(15):
        refused = fail(owners, "anna", ELSEWHERE, now)
        assert refused.was_checked
        waits.append(refused.wait_s)
        if refused.wait_s:
            now += refused.wait_s * 1_000 - 1
            early = owners.sign_in("anna", PASSWORD, ELSEWHERE, FIREFOX, now)
            assert early == Refused(1, was_checked=False)  # unchecked: it may be the right one
            now += 1
    assert waits == [0, 0, 0, 0, 5, 10, 20, 40, 80, 160, 320, 640, 900, 900, 900]
    enter(owners, ELSEWHERE, now)


def test_a_wait_is_of_the_account_and_of_the_address(owners: Owners) -> None:
    join(owners)
    join(owners, "bob")
    for number in range(5):
        fail(owners, "anna", f"203.0.113.{number}", NOON)
    assert not fail(owners, "anna", ELSEWHERE, NOON).was_checked
    assert fail(owners, "bob", ELSEWHERE, NOON).was_checked
    for number in range(5):
        fail(owners, f"nobody {number}", "203.0.113.99", NOON)
    assert not fail(owners, "bob", "203.0.113.99", NOON).was_checked


def test_strangers_cannot_lock_out_an_address_of_the_owner(owners: Owners) -> None:
    join(owners)
    for number in range(20):
        fail(owners, "anna", f"203.0.113.{number}", NOON)
    enter(owners, HOME, NOON)
    assert not fail(owners, "anna", ELSEWHERE, NOON).was_checked  # nor does that help them
    later = NOON + KNOWN_ADDRESS_MS
    for number in range(5):
        fail(owners, "anna", f"203.0.113.{number}", later)
    assert not fail(owners, "anna", HOME, later).was_checked


def test_an_own_account_does_not_help_to_guess_another(owners: Owners) -> None:
    join(owners, "mallory")
    join(owners)
    for _ in range(5):
        assert fail(owners, "anna", ELSEWHERE, NOON).was_checked
        refused = owners.sign_in("mallory", PASSWORD, ELSEWHERE, FIREFOX, NOON)
    assert refused == Refused(5, was_checked=False)


def test_failures_are_forgotten_after_a_day(owners: Owners) -> None:
    join(owners)
    for _ in range(5):
        fail(owners, "anna", ELSEWHERE, NOON)
    for _ in range(5):
        assert fail(owners, "anna", ELSEWHERE, NOON + FORGET_FAILURES_MS + 1).was_checked


def test_failures_at_an_address_of_the_owner_are_forgotten_too(owners: Owners) -> None:
    join(owners)
    now = NOON
    for _ in range(9):
        now += fail(owners, "anna", HOME, now).wait_s * 1_000
    assert fail(owners, "anna", HOME, now).wait_s == 160
    now += FORGET_FAILURES_MS + 1
    assert [fail(owners, "anna", HOME, now).wait_s for _ in range(5)] == [0, 0, 0, 0, 5]


def test_a_new_password_by_invitation_ends_the_wait_of_the_account(owners: Owners) -> None:
    join(owners)
    for number in range(9):
        fail(owners, "anna", f"203.0.113.{number}", NOON)
    join(owners)
    enter(owners, ELSEWHERE, NOON)


def test_a_try_costs_one_check_whether_the_account_exists_or_not(access: AccessStore) -> None:
    hasher = CountedHasher()
    owners = quick(access, hasher)
    join(owners)
    owners.invite("invited", NOON)
    access.keys.create("keys only", None, None, NOON)
    fail(owners, "warm up", "203.0.113.50", NOON)  # makes the hash that nobody has
    answers = set()
    for number, name in enumerate(
        ["anna", "invited", "keys only", "nobody", "", "desk", "\0", "\ud800"]
    ):
        done, checked = hasher.hashed, len(hasher.checked)
        answers.add(fail(owners, name, f"203.0.113.{number}", NOON))
        assert (hasher.hashed - done, len(hasher.checked) - checked) == (0, 1), name
    assert len(answers) == 1


def test_unknown_accounts_wait_like_known_ones(owners: Owners) -> None:
    join(owners)
    said = [
        [fail(owners, name, f"203.0.113.{number}", NOON) for number in range(first, first + 8)]
        for name, first in (("anna", 0), ("nobody", 100))
    ]
    assert said[0] == said[1]


def test_a_password_is_hashed_again_when_the_parameters_change(access: AccessStore) -> None:
    old, new = CountedHasher(1), CountedHasher(2)
    join(quick(access, old))
    owners = quick(access, new)
    enter(owners, HOME, NOON)
    assert new.hashed == 2  # for nobody, and the renewed one
    enter(owners, HOME, NOON)
    assert new.hashed == 2
    assert new.check_needs_rehash(new.checked[0])
    assert not new.check_needs_rehash(new.checked[1])


def test_the_parameters_are_those_that_owasp_recommends() -> None:
    assert Hashing().hashed("x").startswith("$argon2id$v=19$m=19456,t=2,p=1$")


def test_a_clock_that_goes_back_locks_nobody_out_and_prolongs_nothing(owners: Owners) -> None:
    future = NOON + 365 * 86_400_000
    join(owners)
    session = enter(owners, HOME, future)
    token = owners.invite("anna", future).token
    for _ in range(9):
        owners.sign_in("anna", "wrong", ELSEWHERE, FIREFOX, future)
    assert owners.session(session.token, NOON) is None
    assert owners.sessions("anna", NOON) == []
    assert owners.read_invite(token, NOON) is None
    assert owners.read_invite(token, future - CLOCK_BACK_MS) is not None
    assert owners.session(session.token, future - CLOCK_BACK_MS) is not None
    now = NOON
    for _ in range(2):  # the address, then the account
        now += fail(owners, "anna", ELSEWHERE, now).wait_s * 1_000
    assert now == NOON + 2 * FIRST_WAIT_MS
    enter(owners, ELSEWHERE, now)


def test_a_clock_that_goes_forward_ends_sessions_and_waits(owners: Owners) -> None:
    future = NOON + 365 * 86_400_000
    session = join(owners)
    for _ in range(9):
        fail(owners, "anna", ELSEWHERE, NOON)
    assert owners.session(session.token, future) is None
    enter(owners, ELSEWHERE, future)


def test_only_digests_are_stored(tmp_path: Path) -> None:
    path = tmp_path / "odds.db"
    with contextlib.closing(open_access(path)) as store:
        owners = quick(store)
        invited = owners.invite("anna", NOON)
        session = owners.accept_invite(invited.token, PASSWORD, HOME, FIREFOX, NOON)
        fail(owners, "a name of nobody", HOME, NOON)
        open_invite = owners.invite("bob", NOON)
        found = [each.read_bytes() for each in tmp_path.iterdir()]  # with the write-ahead log
    found.append(access_path(path).read_bytes())
    for held in found:
        for token in (invited.token, session.token, open_invite.token):
            assert token.encode() not in held
            assert bytes.fromhex(token) not in held
        for secret in (PASSWORD, HOME, "a name of nobody", FIREFOX):
            assert secret.encode() not in held
    assert b"anna" in found[-1]
    assert invited.token not in repr(invited)
    assert session.token not in repr(session)


def test_states_say_who_can_sign_in(access: AccessStore) -> None:
    owners = access.owners
    join(owners, operator=True)
    owners.invite("bob", NOON)
    access.keys.create("carl", None, None, NOON)
    states = owners.states(NOON)
    assert [(each.account, each.has_password, each.is_operator) for each in states.values()] == [
        ("anna", True, True),
        ("bob", False, False),
        ("carl", False, False),
    ]
    assert [each.invited_until for each in states.values()] == [None, NOON + INVITE_MS, None]
    assert [each.sessions for each in states.values()] == [1, 0, 0]
    assert owners.states(NOON + INVITE_MS)["bob"].invited_until is None


def test_a_password_is_the_same_from_every_keyboard(owners: Owners) -> None:
    token = owners.invite("anna", NOON).token
    owners.accept_invite(token, "cafe\u0301 au lait!", HOME, FIREFOX, NOON)
    found = owners.sign_in("anna", "caf\u00e9 au lait!", HOME, FIREFOX, NOON)
    assert isinstance(found, NewSession)


@pytest.mark.parametrize(
    ("password", "reason"),
    [
        ("", "too short"),
        ("elevenchars", "too short"),
        ("e\u0301" * 11, "too short"),
        ("x" * 1_025, "too long"),
        ("PassWord1234", "easy to guess"),
        ("aaaaaaaabbbb", "easy to guess"),
        ("AnnabellaAnnabella", "easy to guess"),
        ("\ud800 lone surrogate", "no text"),
    ],
)
def test_weak_passwords_are_refused(password: str, reason: str) -> None:
    with pytest.raises(BadPasswordError, match=reason) as refused:
        check_password(password, "annabella")
    assert not password or password not in str(refused.value)


@pytest.mark.parametrize(
    "password", ["twelve chars", " blanks at both ", "密码是一句很长的话加上几个", "wörd " * 204]
)
def test_any_text_of_twelve_characters_will_do(password: str) -> None:
    assert check_password(password, "anna") == password


def test_a_password_beyond_the_limits_is_only_wrong(owners: Owners) -> None:
    join(owners)
    for password in ("", "x" * 100_000, "\ud800"):
        refused = owners.sign_in("anna", password, HOME, FIREFOX, NOON)
        assert isinstance(refused, Refused)
        assert refused.was_checked


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("unknown", "unknown"),
    ],
)
def test_addresses_count_by_what_one_caller_has(address: str, network: str) -> None:
    assert network_of(address) == network


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (FIREFOX, "Firefox on Linux"),
        (
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)"
            " Chrome/131.0.0.0 Safari/537.36 Edg/131.0.0.0",
            "Edge on Windows",
        ),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15"
            " (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1",
            "Safari on iPhone",
        ),
        ("curl/8.5.0", "curl"),
        ("", "unknown browser"),
        ("\x1b[31mred", "unknown browser"),
        ("x" * 5_000, "x" * 40),
    ],
)
def test_a_browser_is_described(agent: str, words: str) -> None:
    assert browser_in_words(agent) == words


PROCESS = """
import sys
from oddsdesk.store.access import open_access
from oddsdesk.store.databases import database_named
from oddsdesk.store.owners import InviteEndedError, Owners
from oddsdesk.store.passwords import Hashing
from argon2 import PasswordHasher

store = open_access(database_named(sys.argv[1]))
owners = Owners(store._file, Hashing(PasswordHasher(1, 8, 1)))
print("ready", flush=True)
token, now = input(), int(sys.argv[2])
try:
    owners.accept_invite(token, "four words of mine", "192.0.2.1", "curl/8", now)
    accepted = 1
except InviteEndedError:
    accepted = 0
tried = [owners.sign_in("anna", "wrong", f"198.51.100.{i}", "curl/8", now) for i in range(20)]
print(accepted, sum(each.was_checked for each in tried))
store.close()
"""


def test_two_processes_share_one_count_and_one_invitation(
    place: Database, access: AccessStore
) -> None:
    """The second process finds the invitation used, and waits for the failures of the first."""
    url = place.url if isinstance(place, DatabaseUrl) else str(place)
    command = [sys.executable, "-c", PROCESS, url, str(NOON)]
    token = access.owners.invite("anna", NOON).token
    with contextlib.ExitStack() as opened:
        both = [
            opened.enter_context(
                subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            )
            for _ in range(2)
        ]
        for each in both:
            assert each.stdout is not None
            assert each.stdout.readline() == "ready\n"
        for each in both:
            assert each.stdin is not None
            each.stdin.write(f"{token}\n")
            each.stdin.flush()
        said = [each.communicate(timeout=30)[0].split() for each in both]
    assert sorted(int(accepted) for accepted, _ in said) == [0, 1]
    # A used invitation forgets the failures of before, which the other process may have begun.
    assert 5 <= sum(int(checked) for _, checked in said) <= 10


def test_a_new_operator_signs_in_again(owners: Owners) -> None:
    """A session or a link that somebody else has gets no role."""
    session = join(owners)
    link = owners.invite("anna", NOON).token
    owners.make_operator(" anna")
    assert owners.session(session.token, NOON) is None
    assert owners.read_invite(link, NOON) is None
    assert enter(owners, HOME, NOON).owner.is_operator
    owners.invite("bert", NOON)
    with pytest.raises(NoOwnerError, match="invite its owner"):
        owners.make_operator("bert")
    for name, error in (("desk", OwnAccountError), ("nobody", UnknownAccountError)):
        with pytest.raises((error, UnknownAccountError)):
            owners.make_operator(name)


def test_an_ended_role_is_not_offered_by_an_open_link(owners: Owners) -> None:
    join(owners, "olga", operator=True)
    session = join(owners, operator=True)
    link = owners.invite("anna", NOON, operator=True).token
    owners.end_operator("anna")
    found = owners.session(session.token, NOON)
    assert found is not None
    assert not found.is_operator
    assert owners.read_invite(link, NOON) is None
    link = owners.invite("anna", NOON).token
    owners.end_operator("anna")  # has no role by now
    assert owners.read_invite(link, NOON) is not None


def test_the_last_operator_stays(access: AccessStore) -> None:
    owners = access.owners
    join(owners, "bert")
    join(owners, "olga", operator=True)
    owners.invite("anna", NOON, operator=True)
    with pytest.raises(LastOperatorError, match="'olga' is the only operator"):
        owners.end_operator("olga")
    with pytest.raises(LastOperatorError):
        access.keys.remove_account("olga", NOON, keeps_operator=True)
    access.keys.remove_account("bert", NOON, keeps_operator=True)
    join(owners, operator=True)
    owners.end_operator("olga")
    assert not owners.states(NOON)["olga"].is_operator
    access.keys.remove_account("anna", NOON)  # the shell may


def test_operators_who_end_each_others_role_do_not_both_succeed(
    place: Database, access: AccessStore
) -> None:
    names = ("anna", "olga")
    for name in names:
        join(access.owners, name, operator=True)
    with contextlib.closing(open_access(place)) as other, ThreadPoolExecutor(2) as pool:
        begun = threading.Barrier(2)

        def end(owners: Owners, name: str) -> bool:
            begun.wait(30)
            try:
                owners.end_operator(name)
            except LastOperatorError:
                return False
            return True

        for _ in range(10):
            both = zip((access.owners, other.owners), names, strict=True)
            ended = [each.result(30) for each in [pool.submit(end, *pair) for pair in both]]
            assert sorted(ended) == [False, True]
            access.owners.make_operator(names[ended.index(True)])


def test_sessions_end_and_the_invitation_stays(owners: Owners) -> None:
    session = join(owners)
    link = owners.invite("anna", NOON).token
    assert owners.sign_out("anna", keeps_invitation=True) == 1
    assert owners.session(session.token, NOON) is None
    assert owners.read_invite(link, NOON) is not None
    assert owners.withdraw_invite("anna")
    assert owners.read_invite(link, NOON) is None
    assert not owners.withdraw_invite("anna")


def test_tries_at_the_same_time_cannot_outrun_the_wait(access: AccessStore) -> None:
    join(access.owners)
    with ThreadPoolExecutor(8) as pool:
        tries = [
            pool.submit(fail, access.owners, "anna", f"198.51.100.{number}", NOON)
            for number in range(40)
        ]
        assert sum(each.result(30).was_checked for each in tries) == 5


def test_a_password_changed_while_another_is_checked_wins(access: AccessStore) -> None:
    """The old one was right when it was read; the session must not begin."""
    session = join(access.owners)

    class Slow(CountedHasher):
        def verify(self, hash: str | bytes, password: str | bytes) -> bool:  # noqa: A002
            is_right = super().verify(hash, password)
            changed = access.owners.change_password(
                session.owner, PASSWORD, "another password", HOME, NOON
            )
            assert isinstance(changed, NewSession)
            return is_right

    late = quick(access, Slow()).sign_in("anna", PASSWORD, ELSEWHERE, FIREFOX, NOON)
    assert isinstance(late, Refused)
    assert len(access.owners.sessions("anna", NOON)) == 1


def test_a_crowd_is_refused_before_it_takes_all_memory(
    access: AccessStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("oddsdesk.store.passwords._TURN_S", 0.0)
    hashing = Hashing(CountedHasher())
    owners = Owners(access._file, hashing)
    join(owners)
    with contextlib.ExitStack() as busy:
        for _ in range(HASHES_AT_ONCE):
            assert busy.enter_context(hashing.turn())
        busy_answer = owners.sign_in("anna", PASSWORD, HOME, FIREFOX, NOON)
        assert busy_answer == Refused(1, was_checked=False)
        token = owners.invite("bob", NOON).token
        with pytest.raises(StoreUnavailableError, match="busy"):
            owners.accept_invite(token, PASSWORD, HOME, FIREFOX, NOON)
    enter(owners, HOME, NOON)
    owners.accept_invite(token, PASSWORD, HOME, FIREFOX, NOON)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(), st.text(), st.text(), st.text())
def test_any_text_is_an_answer(
    access: AccessStore, name: str, password: str, address: str, text: str
) -> None:
    owners = access.owners
    assert isinstance(owners.sign_in(name, password, address, text, NOON), Refused)
    assert owners.session(text, NOON) is None
    assert owners.read_invite(text, NOON) is None
    assert owners.sessions(name, NOON) == []
    owners.end_session(text)
    owners.withdraw_invite(name)
    assert not owners.end_session_of(name, 1)
    with pytest.raises(UnknownAccountError):
        owners.sign_out(name)


def test_old_counts_and_sessions_are_removed(access: AccessStore) -> None:
    owners = access.owners
    for number in range(20):
        fail(owners, f"nobody {number}", f"203.0.113.{number}", NOON)
    join(owners)
    later = NOON + KNOWN_ADDRESS_MS + FORGET_FAILURES_MS
    enter(owners, ELSEWHERE, later)
    left = access._file.read_with(
        lambda tables: [
            tables.rows(f"SELECT count(*) FROM {table}")[0][0]
            for table in ("owner_session", "sign_in")
        ]
    )
    assert left == [1, 3]
