"""API keys: shown once, stored and looked up as a digest."""

import hashlib
import secrets
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from enum import Enum, auto
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

import msgspec

from oddsdesk.base.texts import N_
from oddsdesk.contract.access import DAY_S, Plan, Rights
from oddsdesk.contract.administration import AccountState, Key
from oddsdesk.store.accounts import (
    AccountRow,
    Kept,
    change_account,
    changeable,
    ensure_account,
    remove_account,
)
from oddsdesk.store.quotas import Kind, Slot

if TYPE_CHECKING:
    from oddsdesk.store.sqlite.access_file import AccessFile, AccessTables

T = TypeVar("T")

PREFIX = "oddsdesk_live_"
MAX_KEYS = 5
"""Active keys of one account."""
KNOWN_S: Final = 0.5
"""The largest age of a server's known keys (s); later requests wait for newer ones."""
_LEAST_DIGITS: Final = 19
"""A text with this many digits is not an id."""


class KeyLimitError(Exception):
    """The account has reached its limit of keys."""


class UnknownKeyError(LookupError):
    """No active key matches."""


class NewKey(msgspec.Struct, frozen=True):
    """A new key; ``secret`` is shown only now."""

    secret: str
    key: Key


class Caller(msgspec.Struct, frozen=True):
    """The holder of a request's key, and their rights."""

    key_id: int
    digest: bytes
    plan: Plan
    bookmaker: str | None
    may_write: bool = False
    """Whether the key can record odds."""

    @property
    def rights(self) -> Rights:
        """What the plan allows."""
        return self.plan.rights


class StoredKey(NamedTuple):
    """The stored part of a key's secret."""

    digest: bytes
    masked: str


class KeyName(Enum):
    """How a person can name a key."""

    IDENT = auto()
    MASKED = auto()
    DIGEST = auto()


class _View(NamedTuple):
    by_digest: dict[bytes, Caller]
    by_id: dict[int, Caller]


class Keys:
    """The keys of every account; holders of active ones are kept in memory.

    ``caller``, ``by_id`` and ``present_caller`` return what is known without waiting; everything
    else may wait for the database. Changes made here are known at once, those of other processes
    after ``reread_keys``. Any thread may call.
    """

    def __init__(self, file: "AccessFile") -> None:
        self._file = file
        self._reading = threading.Lock()
        self._version: int | None = None
        self._view = _View({}, {})
        self._read_at = 0.0
        self.reread_keys()

    @property
    def age_s(self) -> float:
        """For how long a change by another process may be unknown."""
        return time.monotonic() - self._read_at

    def may_have_changed(self) -> bool:
        """Return False if no process wrote for a while."""
        return self._file.may_have_changed()

    def reread_keys(self) -> None:
        """Read the changes of other processes.

        Raises:
            StoreUnavailableError: the keys cannot be read now; known keys stay.
        """
        with self._reading:
            began = time.monotonic()
            version = self._file.version()
            if version != self._version:
                self._know(self._file.read_with(lambda tables: tables.callers()))
            self._version, self._read_at = version, began

    def caller(self, secret: str) -> Caller | None:
        """Return the caller of an active key, None for any other text."""
        return self._view.by_digest.get(digest_of(secret))

    def by_id(self, key_id: int) -> Caller | None:
        """Return the holder of the active key with this id."""
        return self._view.by_id.get(key_id)

    def present_caller(self, caller: Caller) -> Caller | None:
        """Return the caller with the current rights; None once the key is revoked or rotated."""
        return self._view.by_digest.get(caller.digest)

    def create(
        self,
        account: str,
        plan: Plan | None,
        bookmaker: str | None,
        now_ms: int,
        *,
        may_write: bool = False,
    ) -> NewKey:
        """Make a key, and its account if it is unknown; see ``ensure_account``.

        Raises:
            KeyLimitError: the account has five; nothing is changed.
            BadAccountError: the account or bookmaker name is invalid.
        """

        def create_key(tables: "AccessTables") -> NewKey:
            account_id = ensure_account(tables, account, plan, bookmaker, now_ms)
            return _insert(tables, account_id, account, now_ms, may_write=may_write)

        return self._write(create_key)

    def reissue(self, account: str, plan: Plan, now_ms: int) -> NewKey:
        """Make the only key of an account with one user, such as the desk.

        An existing key is rotated: its counts go on, and the old secret stops working.
        """

        def reissue_key(tables: "AccessTables") -> NewKey:
            account_id = ensure_account(tables, account, plan, None, now_ms)
            held = tables.active_keys(account_id)
            if not held:
                return _insert(tables, account_id, account, now_ms)
            for key_id in held[1:]:
                tables.end_key(key_id, now_ms)
            return _replace(tables, held[0])

        return self._write(reissue_key)

    def rotate(self, ident: str) -> NewKey:
        """Give a key a new secret; the old one stops working, counts go on.

        Raises:
            UnknownKeyError: ``ident`` is neither an active key, nor a masked one, nor an id.
        """
        return self._write(lambda tables: _replace(tables, _find(tables, ident)))

    def revoke(self, ident: str, now_ms: int) -> Key:
        """End a key for good.

        Raises:
            UnknownKeyError: ``ident`` is neither an active key, nor a masked one, nor an id.
        """

        def revoke_key(tables: "AccessTables") -> Key:
            key_id = _find(tables, ident)
            tables.end_key(key_id, now_ms)
            return tables.key_by_id(key_id)

        return self._write(revoke_key)

    def all_keys(self) -> list[Key]:
        """Return every key, revoked ones too, oldest first."""
        return self._file.read_with(lambda tables: tables.all_keys())

    def accounts(self, now_ms: int) -> list[AccountState]:
        """Return every account, oldest first, with what is left of its quotas at a time."""
        return self._file.read_with(lambda tables: _accounts(tables, now_ms))

    def account(self, name: str, now_ms: int) -> AccountState:
        """Return an account that can be changed or removed.

        Raises:
            UnknownAccountError, OwnAccountError: it does not exist, or is the desk's own.
        """
        return self._file.read_with(
            lambda tables: _named(_accounts(tables, now_ms), changeable(tables, name)[0])
        )

    def account_id(self, name: str) -> int:
        """Return the number of an account.

        Raises:
            UnknownAccountError, OwnAccountError: it does not exist, or is the desk's own.
        """
        return self._file.read_with(lambda tables: changeable(tables, name)[1].ident)

    def last_uses(self) -> dict[int, int]:
        """Return when the day or hour of each used key's last request began (ms)."""
        last: dict[int, int] = {}
        for (key_id, *_), started_s, used in self._file.read_with(lambda each: each.key_counts()):
            if used:
                last[key_id] = max(last.get(key_id, 0), started_s * 1000)
        return last

    def change_account(
        self,
        account: str,
        now_ms: int,
        *,
        plan: Plan | Kept = Kept.KEPT,
        bookmaker: str | Kept | None = Kept.KEPT,
    ) -> tuple[AccountState, AccountState]:
        """Change an account's plan or bookmaker; return it before and after. Its keys stay.

        Raises:
            UnknownAccountError, OwnAccountError, BadAccountError: nothing is changed.
        """

        def change_rights(tables: "AccessTables") -> tuple[AccountState, AccountState]:
            before = _accounts(tables, now_ms)
            name = change_account(tables, account, now_ms, plan=plan, bookmaker=bookmaker)
            return _named(before, name), _named(_accounts(tables, now_ms), name)

        return self._write(change_rights)

    def remove_account(
        self, account: str, now_ms: int, *, keeps_operator: bool = False
    ) -> AccountState:
        """Delete an account, its keys and its counts; return it as it was.

        ``keeps_operator``: refuse to remove the last operator.

        Raises:
            UnknownAccountError, OwnAccountError, LastOperatorError: nothing is changed.
        """

        def drop_account(tables: "AccessTables") -> AccountState:
            before = _accounts(tables, now_ms)
            return _named(before, remove_account(tables, account, keeps_operator=keeps_operator))

        return self._write(drop_account)

    def _write(self, work: Callable[["AccessTables"], T]) -> T:
        with self._reading:
            outcome, callers = self._file.write_with(
                lambda tables: (work(tables), tables.callers())
            )
            self._know(callers)
        return outcome

    def _know(self, callers: Sequence[Caller]) -> None:
        self._view = _View(
            {caller.digest: caller for caller in callers},
            {caller.key_id: caller for caller in callers},
        )


def _accounts(tables: "AccessTables", now_ms: int) -> list[AccountState]:
    active: dict[str, list[int]] = {}
    revoked: dict[str, int] = {}
    every_key = tables.all_keys()
    for key in every_key:
        if key.is_revoked:
            revoked[key.account] = revoked.get(key.account, 0) + 1
        else:
            active.setdefault(key.account, []).append(key.key_id)
    now_s = now_ms // 1000
    used = {
        (key_id, kind, window_s): count
        for (key_id, kind, window_s), started_s, count in tables.key_counts()
        if started_s == now_s // window_s * window_s
    }
    return [
        _account(row, tuple(active.get(row.name, ())), revoked.get(row.name, 0), used)
        for row in tables.accounts()
    ]


def _account(
    row: AccountRow, key_ids: tuple[int, ...], revoked: int, used: Mapping[Slot, int]
) -> AccountState:
    rights = row.plan.rights

    def left(kind: Kind, allowance: int | None, window_s: int) -> int | None:
        if allowance is None:
            return None if rights.websocket else 0
        return sum(max(allowance - used.get((each, kind, window_s), 0), 0) for each in key_ids)

    return AccountState(
        row.name,
        row.plan,
        row.bookmaker,
        row.created_at,
        key_ids,
        revoked,
        left(Kind.REQUESTS, rights.requests, rights.window_s) or 0,
        left(Kind.CONNECTIONS, rights.connections_per_day, DAY_S),
        left(Kind.TOKENS, rights.connections_per_day, DAY_S),
    )


def _named(accounts: Sequence[AccountState], name: str) -> AccountState:
    return next(each for each in accounts if each.name == name)


def digest_of(secret: str) -> bytes:
    """Return the stored part of a key: its SHA-256 digest."""
    return hashlib.sha256(secret.encode()).digest()


def masked(secret: str) -> str:
    """Return a key for display: its prefix and its last four digits."""
    return f"{PREFIX}****{secret[-4:]}"


def _insert(
    tables: "AccessTables", account_id: int, account: str, now_ms: int, *, may_write: bool = False
) -> NewKey:
    if len(tables.active_keys(account_id)) >= MAX_KEYS:
        raise KeyLimitError(
            f"account {account!r} already has {MAX_KEYS} keys, the limit; revoke one first"
        )
    secret = _new_secret()
    key_id = tables.add_key(account_id, _stored(secret), now_ms, may_write=may_write)
    return NewKey(secret, tables.key_by_id(key_id))


def _replace(tables: "AccessTables", key_id: int) -> NewKey:
    secret = _new_secret()
    tables.replace_key(key_id, _stored(secret))
    return NewKey(secret, tables.key_by_id(key_id))


def _find(tables: "AccessTables", ident: str) -> int:
    """Return the id of the one active key that a person names."""
    if ident.isascii() and ident.isdecimal() and len(ident) < _LEAST_DIGITS:
        found = tables.keys_named(KeyName.IDENT, int(ident))
    elif "*" in ident:
        found = tables.keys_named(KeyName.MASKED, ident)
    else:
        found = tables.keys_named(KeyName.DIGEST, digest_of(ident))
    if len(found) != 1:
        problem = N_("several active keys match") if found else N_("no active key matches")
        raise UnknownKeyError(f"{problem}; see `oddsdesk keys list` for the ids")
    return found[0]


def _stored(secret: str) -> StoredKey:
    return StoredKey(digest_of(secret), masked(secret))


def _new_secret() -> str:
    return PREFIX + secrets.token_hex(16)
