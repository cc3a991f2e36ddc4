"""Owners of accounts: invitations, passwords and sessions of the dashboard.

Every method may wait for the database, and those that take a password compute for about 50 ms: call
them on a thread. Times are milliseconds since 1970 (a ``Clock``). Tokens are shown once; the
database has only their SHA-256 digests. No object here shows a token or a password in its ``repr``.

A typical page::

    found = access.owners.sign_in(name, password, address, agent, now_ms)
    if isinstance(found, Refused):
        ...  # say the same words for a wrong name and a wrong password; ``found.wait_s``
    cookie = found.token
    owner = access.owners.session(cookie, now_ms)  # None: sign in again
"""

import hashlib
import ipaddress
import math
import secrets
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from oddsdesk.contract.access import Plan
from oddsdesk.contract.identity import fold_name
from oddsdesk.store.accounts import (
    OWN_ACCOUNT,
    OwnAccountError,
    changeable,
    ensure_account,
    require_other_operator,
)
from oddsdesk.store.errors import StoreUnavailableError
from oddsdesk.store.passwords import BadPasswordError, Hashing, check_password, normal_password

if TYPE_CHECKING:
    from oddsdesk.store.sqlite.access_file import AccessFile, AccessTables

_SECOND: Final = 1_000
_HOUR: Final = 3_600 * _SECOND
_DAY: Final = 24 * _HOUR

INVITE_MS: Final = 7 * _DAY
"""How long an invitation can be used."""
IDLE_MS: Final = 12 * _HOUR
"""A session ends after this time without use."""
SESSION_MS: Final = 30 * _DAY
"""A session ends at this age, used or not."""
CLOCK_BACK_MS: Final = _HOUR
"""What begins further in the future than this was made by a wrong clock, and has ended."""
TOUCH_MS: Final = 60 * _SECOND
"""A session's last use is saved at most this often."""

FREE_FAILURES: Final = 5
"""So many failed sign-ins cost no wait."""
FIRST_WAIT_MS: Final = 5 * _SECOND
"""The wait after the fifth failure; it doubles with each further one."""
MOST_WAIT_MS: Final = 15 * 60 * _SECOND
FORGET_FAILURES_MS: Final = _DAY
"""Failures are forgotten this long after the last one."""
KNOWN_ADDRESS_MS: Final = 30 * _DAY
"""How long an address counts as the owner's after a sign-in."""


class InviteEndedError(LookupError):
    """The invitation was used, replaced or withdrawn, or has expired."""


class NoOwnerError(Exception):
    """The account has no owner who could be an operator."""


class Owner(msgspec.Struct, frozen=True):
    """The owner of an account, signed in by one session."""

    account: str
    """The account's name, as in ``Keys.account``."""
    is_operator: bool
    """Whether this owner may manage the server and all accounts."""
    session_id: int
    """The session's id, as in ``OwnerSession``."""


class OwnerSession(msgspec.Struct, frozen=True):
    """A session, for display."""

    session_id: int
    browser: str
    """Such as "Firefox on Android"; foreign text."""
    created_at: int
    used_at: int
    """Its last use, up to a minute old."""


class NewSession(msgspec.Struct, frozen=True):
    """A new session; ``token`` is shown only now."""

    token: str
    owner: Owner

    def __repr__(self) -> str:
        """Leave out the token."""
        return f"NewSession({self.owner!r})"


class Refused(msgspec.Struct, frozen=True):
    """A sign-in that failed, the same for unknown accounts and wrong passwords."""

    wait_s: int
    """Seconds until the next try is checked; 0: now."""
    was_checked: bool
    """False: there were too many tries, or the server is busy; the password was not looked at."""


class Invite(msgspec.Struct, frozen=True):
    """An open invitation, as its page shows it."""

    account: str
    ends_at: int
    makes_operator: bool
    is_reset: bool
    """Whether the owner has a password already, which this one replaces."""


class NewInvite(msgspec.Struct, frozen=True):
    """A new invitation; ``token`` is shown only now."""

    token: str
    account: str
    ends_at: int
    is_new: bool
    """Whether the account was made for this invitation."""
    is_reset: bool
    """Whether the owner has a password, which stays valid until the invitation is used."""
    makes_operator: bool

    def __repr__(self) -> str:
        """Leave out the token."""
        return f"NewInvite({self.account!r})"


class SignInState(msgspec.Struct, frozen=True):
    """Whether the owner of an account can sign in."""

    account: str
    has_password: bool
    is_operator: bool
    invited_until: int | None
    """The end of an open invitation."""
    sessions: int
    makes_operator: bool = False
    """Whether the open invitation makes the owner an operator."""


class Owners:
    """The owners of all accounts. Any thread and any number of processes may call."""

    def __init__(self, file: "AccessFile", hashing: Hashing | None = None) -> None:
        self._file = file
        self._hashing = hashing or Hashing()

    def require_hashing(self) -> None:
        """Check that passwords can be used: call it when a server with a dashboard starts.

        Raises:
            NoHashingError: a package is missing; the message says how to install it.
        """
        self._hashing.require()

    def invite(
        self, account: str, now_ms: int, *, operator: bool | None = None, plan: Plan | None = None
    ) -> NewInvite:
        """Invite the owner of an account; an earlier invitation of the account ends.

        An unknown account is made, on Free unless ``plan`` is given. ``operator`` True makes the
        owner an operator when the invitation is used, False ends that role at once. None leaves it:
        if the open invitation that is replaced makes an operator, the new one does, too.

        Raises:
            NoHashingError: the invitation could not be used.
            BadAccountError, OwnAccountError: the name is invalid, or the desk's own.
        """
        self._hashing.require()
        if fold_name(account) == OWN_ACCOUNT:
            raise OwnAccountError(
                f"account {OWN_ACCOUNT!r} holds the desk's own key, so nobody can sign in to it;"
                " choose another account"
            )
        token = _new_token()

        def put_invitation(tables: "AccessTables") -> NewInvite:
            name = _name_in(account)
            is_new = tables.account(name) is None
            ident = ensure_account(tables, account, plan, None, now_ms)
            if operator is False:
                tables.rows(_END_ROLE, ident)
            makes_operator = operator is True
            if operator is None:
                for was_operator, made_at in tables.rows(_OFFERED, ident):
                    makes_operator = bool(was_operator) and _is_within(made_at, now_ms, INVITE_MS)
            tables.rows(_PUT_INVITATION, ident, _digest(token), makes_operator, now_ms)
            is_reset = bool(tables.rows(_OWNER, ident))
            ends_at = now_ms + INVITE_MS
            return NewInvite(token, name, ends_at, is_new, is_reset, makes_operator)

        return self._file.write_with(put_invitation)

    def read_invite(self, token: str, now_ms: int) -> Invite | None:
        """Return the open invitation with this token, None if it cannot be used."""
        rows = self._file.read_with(lambda tables: tables.rows(_INVITATION, _digest(token)))
        for account, makes_operator, made_at, is_reset in rows:
            if _is_within(made_at, now_ms, INVITE_MS):
                return Invite(account, made_at + INVITE_MS, bool(makes_operator), bool(is_reset))
        return None

    def withdraw_invite(self, account: str) -> bool:
        """End the open invitation of an account; return whether it had one."""
        name = _name_in(account)
        return bool(self._file.write_with(lambda tables: tables.rows(_WITHDRAW_FROM, name)))

    def make_operator(self, account: str) -> None:
        """Make an owner an operator.

        All sessions of the account and its open invitation end, so that nobody who has those
        already gets the role.

        Raises:
            UnknownAccountError, OwnAccountError, NoOwnerError: nothing is changed.
        """

        def begin_role(tables: "AccessTables") -> None:
            name, known = changeable(tables, account)
            if not tables.rows(_BEGIN_ROLE, known.ident):
                raise NoOwnerError(f"nobody can sign in to account {name!r} yet; invite its owner")
            tables.rows(_WITHDRAW, known.ident)
            tables.rows(_END_SESSIONS, known.ident)

        self._file.write_with(begin_role)

    def end_operator(self, account: str) -> None:
        """End the role of an operator, and an open invitation that offers it.

        Raises:
            UnknownAccountError, OwnAccountError, LastOperatorError: nothing is changed.
        """

        def end_role(tables: "AccessTables") -> None:
            name, known = changeable(tables, account)
            require_other_operator(tables, name, known)
            tables.rows(_END_ROLE, known.ident)
            tables.rows(_WITHDRAW_OFFER, known.ident)

        self._file.write_with(end_role)

    def accept_invite(
        self, token: str, password: str, address: str, agent: str, now_ms: int
    ) -> NewSession:
        """Set the password of an invited owner, end all their sessions and sign them in.

        ``address`` is the caller's IP address and ``agent`` the browser's ``User-Agent``.

        Raises:
            InviteEndedError: the token cannot be used (again).
            BadPasswordError: the password is refused; the invitation stays open.
            StoreUnavailableError: nothing was changed, or the server is too busy.
        """
        invite = self.read_invite(token, now_ms)
        if invite is None:
            raise InviteEndedError(_INVITE_ENDED)
        chosen = check_password(password, invite.account)
        with self._hashing.turn() as has_turn:
            if not has_turn:
                raise StoreUnavailableError("the server is busy; try again in a few seconds")
            stored, session = self._hashing.hashed(chosen), _new_token()

        def accept(tables: "AccessTables") -> Owner | None:
            used = tables.rows(_USE_INVITATION, _digest(token))
            if not used:
                return None
            ident, makes_operator = used[0]
            tables.rows(_PUT_OWNER, ident, stored, bool(makes_operator), now_ms)
            tables.rows(_END_SESSIONS, ident)
            ((name, is_operator),) = tables.rows(_ROLE, ident)
            tables.rows(_CLEAR_FAILURES, _of_account(name))
            _note_success(tables, name, address, now_ms)
            number = _add_session(tables, ident, session, browser_in_words(agent), now_ms)
            return Owner(name, bool(is_operator), number)

        owner = self._file.write_with(accept)
        if owner is None:
            raise InviteEndedError(_INVITE_ENDED)
        return NewSession(session, owner)

    def sign_in(
        self, account: str, password: str, address: str, agent: str, now_ms: int
    ) -> NewSession | Refused:
        """Sign in with a password. Costs one check of a password whether the account exists or not.

        After five failures of an account or an address the next try is checked 5 s after the last
        one, then 10, 20, up to 15 minutes. Tries before that are refused, unchecked and uncounted.
        An address from which the owner signed in during the last 30 days has a count of its own
        for the account, so that strangers cannot lock the owner out.

        Raises:
            NoHashingError: a package is missing.
            StoreUnavailableError: the database cannot be used now.
        """
        name, said = _name_in(account), normal_password(password)
        with self._hashing.turn() as has_turn:
            if not has_turn:
                return Refused(1, was_checked=False)
            tried = self._try(name, said, address, now_ms)
            if isinstance(tried, Refused):
                return tried
            session, old = _new_token(), tried.stored
            renewed = self._hashing.renewed(old, said)

        def complete(tables: "AccessTables") -> Owner | None:
            if not tables.rows(_RENEW, renewed, tried.ident, old):
                return None  # removed or changed since it was read
            _undo_failures(tables, tried, now_ms)
            _note_success(tables, name, address, now_ms)
            ((name_now, is_operator),) = tables.rows(_ROLE, tried.ident)
            number = _add_session(tables, tried.ident, session, browser_in_words(agent), now_ms)
            return Owner(name_now, bool(is_operator), number)

        owner = self._file.write_with(complete)
        return tried.refusal if owner is None else NewSession(session, owner)

    def change_password(
        self, owner: Owner, current: str, chosen: str, address: str, now_ms: int
    ) -> NewSession | Refused:
        """Change the password of a signed-in owner; all sessions end, and a new one begins.

        A wrong ``current`` password counts as a failed sign-in. An open invitation ends.

        Raises:
            BadPasswordError: the chosen password is refused.
        """
        checked = check_password(chosen, owner.account)
        if checked == normal_password(current):
            raise BadPasswordError("the new password must differ from the current one")
        with self._hashing.turn() as has_turn:
            if not has_turn:
                return Refused(1, was_checked=False)
            tried = self._try(owner.account, normal_password(current), address, now_ms)
            if isinstance(tried, Refused):
                return tried
            stored, session = self._hashing.hashed(checked), _new_token()

        def change(tables: "AccessTables") -> Owner | None:
            browsers = tables.rows(_BROWSER, owner.session_id, tried.ident)
            tables.rows(_WITHDRAW, tried.ident)
            if not browsers or not tables.rows(_RENEW, stored, tried.ident, tried.stored):
                return None  # signed out, removed or changed since it was read
            tables.rows(_END_SESSIONS, tried.ident)
            _undo_failures(tables, tried, now_ms)
            ((name, is_operator),) = tables.rows(_ROLE, tried.ident)
            number = _add_session(tables, tried.ident, session, browsers[0][0], now_ms)
            return Owner(name, bool(is_operator), number)

        changed = self._file.write_with(change)
        return tried.refusal if changed is None else NewSession(session, changed)

    def session(self, token: str, now_ms: int, *, is_use: bool = True) -> Owner | None:
        """Return who is signed in by a session; None once it has ended.

        ``is_use`` False leaves its last use as it is, for requests that nobody made by hand.

        Raises:
            StoreUnavailableError: the database cannot be read now.
        """
        rows = self._file.read_with(lambda tables: tables.rows(_SESSION, _digest(token)))
        if not rows:
            return None
        ident, name, is_operator, created_at, used_at = rows[0]
        if not _is_current(created_at, used_at, now_ms):
            return None
        if is_use and abs(now_ms - used_at) >= TOUCH_MS:
            self._file.submit_write(lambda tables: tables.rows(_TOUCH, now_ms, ident))
        return Owner(name, bool(is_operator), ident)

    def sessions(self, account: str, now_ms: int) -> list[OwnerSession]:
        """Return the current sessions of an account, the last used first."""
        rows = self._file.read_with(lambda tables: tables.rows(_SESSIONS, _name_in(account)))
        return [
            OwnerSession(ident, browser, created_at, used_at)
            for ident, browser, created_at, used_at in rows
            if _is_current(created_at, used_at, now_ms)
        ]

    def end_session(self, token: str) -> None:
        """Sign out: end the session with this token, if there is one."""
        self._file.write_with(lambda tables: tables.rows(_END_BY_TOKEN, _digest(token)))

    def end_session_of(self, account: str, session_id: int) -> bool:
        """End one session of an account; return whether it had one with this id."""
        name = _name_in(account)
        if not 0 < session_id < 1 << 63:  # no number of the database
            return False
        return bool(self._file.write_with(lambda tables: tables.rows(_END_ONE, session_id, name)))

    def sign_out(self, account: str, *, keeps_invitation: bool = False) -> int:
        """End all sessions of an account and its open invitation; return how many sessions ended.

        Raises:
            UnknownAccountError, OwnAccountError: nothing is changed.
        """

        def end_all(tables: "AccessTables") -> int:
            _, known = changeable(tables, account)
            if not keeps_invitation:
                tables.rows(_WITHDRAW, known.ident)
            return len(tables.rows(_END_SESSIONS, known.ident))

        return self._file.write_with(end_all)

    def sign_out_all(self) -> int:
        """Do the same for all accounts."""

        def end_all(tables: "AccessTables") -> int:
            tables.rows(_WITHDRAW_ALL)
            return len(tables.rows(_END_ALL))

        return self._file.write_with(end_all)

    def states(self, now_ms: int) -> dict[str, SignInState]:
        """Return whether owners can sign in, by the name of the account; all accounts."""

        def read(tables: "AccessTables") -> dict[str, SignInState]:
            current: dict[str, int] = {}
            for name, created_at, used_at in tables.rows(_ALL_SESSIONS):
                if _is_current(created_at, used_at, now_ms):
                    current[name] = current.get(name, 0) + 1
            return {
                name: SignInState(
                    name,
                    has_password=bool(has_password),
                    is_operator=bool(is_operator),
                    invited_until=_invited_until(made_at, now_ms),
                    sessions=current.get(name, 0),
                    makes_operator=bool(makes) and _invited_until(made_at, now_ms) is not None,
                )
                for name, has_password, is_operator, made_at, makes in tables.rows(_STATES)
            }

        return self._file.read_with(read)

    def _try(self, name: str, password: str, address: str, now_ms: int) -> "_Tried | Refused":
        """Count a try as failed, then check the password; a right one must undo the count."""
        begun = self._file.submit_write(lambda tables: _begin(tables, name, address, now_ms))
        try_ = begun.result()
        if isinstance(try_, Refused):
            return try_
        is_right = self._hashing.matches(try_.stored or None, password)
        return try_ if is_right else try_.refusal


class _Count(NamedTuple):
    """The failures of an account or an address."""

    subject: bytes
    failures: int
    failed_at: int

    def wait_ms(self, now_ms: int) -> int:
        """Return for how long the next try is refused."""
        if self.failures < FREE_FAILURES:
            return 0
        steps = min(self.failures - FREE_FAILURES, 20)
        wait: int = min(FIRST_WAIT_MS << steps, MOST_WAIT_MS)
        return max(self.failed_at + wait - now_ms, 0)


class _Tried(NamedTuple):
    """A try that was counted as failed in advance; ``stored`` is empty without a password."""

    ident: int
    stored: str
    of_address: _Count
    of_account: _Count
    refusal: Refused


def _begin(tables: "AccessTables", name: str, address: str, now_ms: int) -> _Tried | Refused:
    """Refuse a try that comes too early, else count it as failed.

    Counting first means that tries at the same time cannot outrun the wait.
    """
    tables.rows(_FORGET, now_ms)
    of_address = _count(tables, _of_address(address), now_ms)
    if wait := of_address.wait_ms(now_ms):
        return Refused(_seconds(wait), was_checked=False)
    is_known = tables.rows(_KNOWN, _of_both(name, address), now_ms - KNOWN_ADDRESS_MS)
    of_account = _count(tables, _of_both(name, address) if is_known else _of_account(name), now_ms)
    if wait := of_account.wait_ms(now_ms):
        return Refused(_seconds(wait), was_checked=False)
    waits = []
    for count in (of_address, of_account):
        ends_at = now_ms + FORGET_FAILURES_MS
        tables.rows(_ADD_FAILURE, now_ms, ends_at, ends_at, count.subject)
        waits.append(_Count(count.subject, count.failures + 1, now_ms).wait_ms(now_ms))
    refusal = Refused(_seconds(max(waits)), was_checked=True)
    found = tables.rows(_FIND_OWNER, name)
    ident, stored = found[0] if found else (0, "")
    return _Tried(int(ident), str(stored), of_address, of_account, refusal)


def _count(tables: "AccessTables", subject: bytes, now_ms: int) -> _Count:
    """Lock and return a count. One of a past day begins at 0, and no failure is in the future."""
    ends_at = now_ms + FORGET_FAILURES_MS
    ((failures, failed_at),) = tables.rows(_LOCK_COUNT, subject, ends_at)
    if failed_at > now_ms:  # the clock went back
        tables.rows(_MOVE_FAILURE, now_ms, subject)
        failed_at = now_ms
    if failures and now_ms - failed_at >= FORGET_FAILURES_MS:
        tables.rows(_CLEAR_FAILURES, subject)
        failures = 0
    return _Count(subject, failures, failed_at)


def _undo_failures(tables: "AccessTables", tried: _Tried, now_ms: int) -> None:
    """Forget the account's failures; take only this try off the address.

    Else somebody could sign in to one account to guess the password of another without waits.
    """
    before = tried.of_address
    tables.rows(_UNDO_FAILURE, now_ms, before.failed_at, before.subject)
    tables.rows(_CLEAR_FAILURES, tried.of_account.subject)


def _note_success(tables: "AccessTables", name: str, address: str, now_ms: int) -> None:
    """Remember an address as the owner's."""
    tables.rows(_SUCCEEDED, _of_both(name, address), now_ms, now_ms + KNOWN_ADDRESS_MS)


def _add_session(tables: "AccessTables", ident: int, token: str, browser: str, now_ms: int) -> int:
    """Add a session, remove those that have ended, and return the new one's id."""
    limits = (now_ms - SESSION_MS, now_ms - IDLE_MS, now_ms + CLOCK_BACK_MS)
    tables.rows(_FORGET_SESSIONS, *limits)
    return int(tables.rows(_ADD_SESSION, ident, _digest(token), browser, now_ms, now_ms)[0][0])


def _is_within(began_ms: int, now_ms: int, length_ms: int) -> bool:
    return -CLOCK_BACK_MS <= now_ms - began_ms < length_ms


def _is_current(created_at: int, used_at: int, now_ms: int) -> bool:
    return _is_within(created_at, now_ms, SESSION_MS) and _is_within(used_at, now_ms, IDLE_MS)


def _invited_until(made_at: int | None, now_ms: int) -> int | None:
    if made_at is None or not _is_within(made_at, now_ms, INVITE_MS):
        return None
    return made_at + INVITE_MS


def _seconds(wait_ms: int) -> int:
    return math.ceil(wait_ms / _SECOND)


def _new_token() -> str:
    return secrets.token_hex(32)


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "replace")).digest()


def _name_in(text: str) -> str:
    """Return an account's name as it is stored; empty for a text that cannot be one."""
    name = fold_name(text)
    return name if name.isprintable() else ""


def _of_account(name: str) -> bytes:
    return _subject("account", name)


def _of_address(address: str) -> bytes:
    return _subject("address", network_of(address))


def _of_both(name: str, address: str) -> bytes:
    return _subject("both", network_of(address), name)


def _subject(*parts: str) -> bytes:
    """Return a key of fixed length: names and addresses of strangers are not stored."""
    return _digest("\n".join(parts))


def network_of(address: str) -> str:
    """Return what one caller has: an IPv4 address, or the /64 network of an IPv6 one."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(ipaddress.IPv6Network((found.packed[:8] + bytes(8), 64)))


_BROWSERS: Final = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("Chrom", "Chrome"),
    ("CriOS/", "Chrome"),
    ("Safari/", "Safari"),
)
_SYSTEMS: Final = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("CrOS", "ChromeOS"),
    ("Mac OS X", "Mac"),
    ("Linux", "Linux"),
)


def browser_in_words(agent: str) -> str:
    """Return a ``User-Agent`` in words, to tell one's sessions apart.

    >>> browser_in_words("Mozilla/5.0 (Android 14; Mobile; rv:133.0) Gecko/133.0 Firefox/133.0")
    'Firefox on Android'
    """
    browser = next((name for sign, name in _BROWSERS if sign in agent), "")
    system = next((name for sign, name in _SYSTEMS if sign in agent), "")
    if browser:
        return f"{browser} on {system}" if system else browser
    product = agent.partition("/")[0].strip()[:40]
    return product if product and product.isprintable() else "unknown browser"


_INVITE_ENDED: Final = (
    "this invitation was used, replaced or withdrawn, or is older than 7 days; ask for a new one"
)

_OWNER: Final = "SELECT account_id FROM owner WHERE account_id = ?"
_FIND_OWNER: Final = """
SELECT owner.account_id, owner.password
FROM owner JOIN account ON account.id = owner.account_id WHERE account.name = ?
"""
_PUT_OWNER: Final = """
INSERT INTO owner (account_id, password, is_operator, set_at) VALUES (?, ?, ?, ?)
ON CONFLICT (account_id) DO UPDATE SET password = excluded.password,
    is_operator = owner.is_operator OR excluded.is_operator, set_at = excluded.set_at
"""
_RENEW: Final = """
UPDATE owner SET password = ? WHERE account_id = ? AND password = ? RETURNING account_id
"""
_ROLE: Final = """
SELECT account.name, owner.is_operator
FROM owner JOIN account ON account.id = owner.account_id WHERE account.id = ?
"""
_BEGIN_ROLE: Final = """
UPDATE owner SET is_operator = true WHERE account_id = ? RETURNING account_id
"""
_END_ROLE: Final = "UPDATE owner SET is_operator = false WHERE account_id = ?"
_PUT_INVITATION: Final = """
INSERT INTO invitation (account_id, digest, makes_operator, made_at) VALUES (?, ?, ?, ?)
ON CONFLICT (account_id) DO UPDATE SET digest = excluded.digest,
    makes_operator = excluded.makes_operator, made_at = excluded.made_at
"""
_OFFERED: Final = "SELECT makes_operator, made_at FROM invitation WHERE account_id = ?"
_INVITATION: Final = """
SELECT account.name, invitation.makes_operator, invitation.made_at, owner.account_id IS NOT NULL
FROM invitation JOIN account ON account.id = invitation.account_id
LEFT JOIN owner ON owner.account_id = account.id WHERE invitation.digest = ?
"""
_USE_INVITATION: Final = """
DELETE FROM invitation WHERE digest = ? RETURNING account_id, makes_operator
"""
_WITHDRAW: Final = "DELETE FROM invitation WHERE account_id = ?"
_WITHDRAW_OFFER: Final = "DELETE FROM invitation WHERE account_id = ? AND makes_operator"
_WITHDRAW_FROM: Final = """
DELETE FROM invitation WHERE account_id = (SELECT id FROM account WHERE name = ?)
RETURNING account_id
"""
_WITHDRAW_ALL: Final = "DELETE FROM invitation"
_STATES: Final = """
SELECT account.name, owner.account_id IS NOT NULL, coalesce(owner.is_operator, false),
    invitation.made_at, coalesce(invitation.makes_operator, false)
FROM account LEFT JOIN owner ON owner.account_id = account.id
LEFT JOIN invitation ON invitation.account_id = account.id ORDER BY account.id
"""
_SESSION: Final = """
SELECT owner_session.id, account.name, owner.is_operator, owner_session.created_at,
    owner_session.used_at
FROM owner_session JOIN account ON account.id = owner_session.account_id
JOIN owner ON owner.account_id = account.id WHERE owner_session.digest = ?
"""
_SESSIONS: Final = """
SELECT owner_session.id, owner_session.browser, owner_session.created_at, owner_session.used_at
FROM owner_session JOIN account ON account.id = owner_session.account_id WHERE account.name = ?
ORDER BY owner_session.used_at DESC, owner_session.id DESC
"""
_ALL_SESSIONS: Final = """
SELECT account.name, owner_session.created_at, owner_session.used_at
FROM owner_session JOIN account ON account.id = owner_session.account_id
"""
_ADD_SESSION: Final = """
INSERT INTO owner_session (account_id, digest, browser, created_at, used_at)
VALUES (?, ?, ?, ?, ?) RETURNING id
"""
_BROWSER: Final = "SELECT browser FROM owner_session WHERE id = ? AND account_id = ?"
_TOUCH: Final = "UPDATE owner_session SET used_at = ? WHERE id = ?"
_END_BY_TOKEN: Final = "DELETE FROM owner_session WHERE digest = ?"  # noqa: S105 - SQL
_END_ONE: Final = """
DELETE FROM owner_session
WHERE id = ? AND account_id = (SELECT id FROM account WHERE name = ?) RETURNING id
"""
_END_SESSIONS: Final = "DELETE FROM owner_session WHERE account_id = ? RETURNING id"
_END_ALL: Final = "DELETE FROM owner_session RETURNING id"
_FORGET_SESSIONS: Final = """
DELETE FROM owner_session WHERE created_at <= ? OR used_at <= ? OR created_at > ?
"""
_LOCK_COUNT: Final = """
INSERT INTO sign_in (subject, failures, failed_at, succeeded_at, ends_at) VALUES (?, 0, 0, 0, ?)
ON CONFLICT (subject) DO UPDATE SET failures = sign_in.failures
RETURNING failures, failed_at
"""
"""Changes nothing in a known row but locks it in PostgreSQL, as SQLite's writer does."""
_ADD_FAILURE: Final = """
UPDATE sign_in SET failures = failures + 1, failed_at = ?,
    ends_at = CASE WHEN ends_at > ? THEN ends_at ELSE ? END
WHERE subject = ?
"""
_MOVE_FAILURE: Final = "UPDATE sign_in SET failed_at = ? WHERE subject = ?"
_CLEAR_FAILURES: Final = "UPDATE sign_in SET failures = 0 WHERE subject = ?"
_UNDO_FAILURE: Final = """
UPDATE sign_in SET failures = failures - 1,
    failed_at = CASE WHEN failed_at = ? THEN ? ELSE failed_at END
WHERE subject = ? AND failures > 0
"""
_KNOWN: Final = "SELECT subject FROM sign_in WHERE subject = ? AND succeeded_at > ?"
_SUCCEEDED: Final = """
INSERT INTO sign_in (subject, failures, failed_at, succeeded_at, ends_at) VALUES (?, 0, 0, ?, ?)
ON CONFLICT (subject) DO UPDATE SET failures = 0, succeeded_at = excluded.succeeded_at,
    ends_at = excluded.ends_at
"""
_FORGET: Final = "DELETE FROM sign_in WHERE ends_at < ?"
