"""API keys: shown once, stored and looked up as a digest (D25, D43)."""

import hashlib
import secrets
import sqlite3
import time
from collections.abc import Callable
from typing import Any, TypeVar

import msgspec

from oddsdesk.contract.administration import Key
from oddsdesk.contract.plans import Plan, Rights
from oddsdesk.store.access_file import AccessFile
from oddsdesk.store.accounts import ensure_account

T = TypeVar("T")

PREFIX = "oddsdesk_live_"
MAX_KEYS = 5
"""Active keys of one account."""
RECHECK_S = 0.25
"""How long a change by another process may go unseen."""
MAX_REMEMBERED = 10_000

_KEY_COLUMNS = """
    SELECT api_key.id, account.name, account.plan, account.bookmaker, api_key.masked,
        api_key.created_at, api_key.revoked_at IS NOT NULL, api_key.may_write
    FROM api_key JOIN account ON account.id = api_key.account_id
"""
_CALLER_COLUMNS = """
    SELECT api_key.id, api_key.digest, account.plan, account.bookmaker, api_key.may_write
    FROM api_key JOIN account ON account.id = api_key.account_id
    WHERE api_key.revoked_at IS NULL
"""
CALLER_BY_DIGEST = f"{_CALLER_COLUMNS} AND api_key.digest = ?"
CALLER_BY_ID = f"{_CALLER_COLUMNS} AND api_key.id = ?"


class KeyLimitError(Exception):
    """An account has all the keys it may have."""


class UnknownKeyError(LookupError):
    """No active key goes by that name."""


class NewKey(msgspec.Struct, frozen=True):
    """A key just made; ``secret`` is shown this once."""

    secret: str
    key: Key


class Caller(msgspec.Struct, frozen=True):
    """Whose key a request carries, and what it may do."""

    key_id: int
    digest: bytes
    plan: Plan
    bookmaker: str | None
    may_write: bool = False
    """Whether it may record odds, too."""

    @property
    def rights(self) -> Rights:
        """What the plan allows."""
        return self.plan.rights


class Keys:
    """The keys of every account.

    Callers are cached: a query on the event loop hands the interpreter lock to reading threads,
    which cost 40 % of the requests a second. A change made here takes effect at once, one by
    another process after ``RECHECK_S``.
    """

    def __init__(self, file: AccessFile) -> None:
        self._file = file
        self._callers: dict[bytes, Caller] = {}
        self._version = 0
        self._recheck_at = 0.0

    def caller(self, secret: str) -> Caller | None:
        """Return the caller of an active key, None for any other text."""
        return self._remembered(digest_of(secret))

    def by_id(self, key_id: int) -> Caller | None:
        """Return who holds the active key of this id now."""
        return self._caller(CALLER_BY_ID, key_id)

    def present(self, caller: Caller) -> Caller | None:
        """Return the caller as the account is now; None once the key is revoked or rotated."""
        return self._remembered(caller.digest)

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
            BadAccountError: the account or bookmaker is no name.
        """

        def work(connection: sqlite3.Connection) -> NewKey:
            account_id = ensure_account(connection, account, plan, bookmaker, now_ms)
            return _insert(connection, account_id, account, now_ms, may_write=may_write)

        return self._write(work)

    def reissue(self, account: str, plan: Plan, now_ms: int) -> NewKey:
        """Make the only key of an account that has one user, such as the desk itself.

        A key that it had is rotated: its counts go on, and the old secret stops working.
        """

        def work(connection: sqlite3.Connection) -> NewKey:
            account_id = ensure_account(connection, account, plan, None, now_ms)
            held = connection.execute(
                "SELECT id FROM api_key WHERE account_id = ? AND revoked_at IS NULL ORDER BY id",
                (account_id,),
            ).fetchall()
            if not held:
                return _insert(connection, account_id, account, now_ms)
            for (key_id,) in held[1:]:
                _revoke(connection, key_id, now_ms)
            return _replace(connection, held[0][0])

        return self._write(work)

    def rotate(self, ident: str) -> NewKey:
        """Give a key a new secret; the old one stops working, counts go on.

        Raises:
            UnknownKeyError: ``ident`` is neither an active key, nor a masked one, nor an id.
        """
        return self._write(lambda connection: _replace(connection, _find(connection, ident)))

    def revoke(self, ident: str, now_ms: int) -> Key:
        """End a key for good.

        Raises:
            UnknownKeyError: ``ident`` is neither an active key, nor a masked one, nor an id.
        """

        def work(connection: sqlite3.Connection) -> Key:
            key_id = _find(connection, ident)
            _revoke(connection, key_id, now_ms)
            return _key(connection, key_id)

        return self._write(work)

    def all(self) -> list[Key]:
        """Return every key, revoked ones too, oldest first."""
        return [_as_key(row) for row in self._file.read(f"{_KEY_COLUMNS} ORDER BY api_key.id")]

    def _remembered(self, digest: bytes) -> Caller | None:
        now = time.monotonic()
        if now >= self._recheck_at:
            version = self._file.version()
            if version != self._version or len(self._callers) > MAX_REMEMBERED:
                self._callers.clear()
            self._version, self._recheck_at = version, now + RECHECK_S
        caller = self._callers.get(digest)
        if caller is None:
            caller = self._caller(CALLER_BY_DIGEST, digest)
            if caller is not None:
                self._callers[digest] = caller
        return caller

    def _write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        try:
            return self._file.write(work)
        finally:
            self._callers.clear()

    def _caller(self, query: str, value: bytes | int) -> Caller | None:
        rows = self._file.read(query, (value,))
        if not rows:
            return None
        key_id, digest, plan, bookmaker, may_write = rows[0]
        return Caller(key_id, digest, Plan(plan), bookmaker, bool(may_write))


def digest_of(secret: str) -> bytes:
    """Return what is kept of a key: its SHA-256 digest."""
    return hashlib.sha256(secret.encode()).digest()


def masked(secret: str) -> str:
    """Return a key as it may be shown: its prefix and its last four digits."""
    return f"{PREFIX}****{secret[-4:]}"


def _insert(
    connection: sqlite3.Connection,
    account_id: int,
    account: str,
    now_ms: int,
    *,
    may_write: bool = False,
) -> NewKey:
    query = "SELECT count(*) FROM api_key WHERE account_id = ? AND revoked_at IS NULL"
    if connection.execute(query, (account_id,)).fetchall()[0][0] >= MAX_KEYS:
        raise KeyLimitError(
            f"account {account!r} has {MAX_KEYS} keys, the most it may have; revoke one first"
        )
    secret = _new_secret()
    rows = connection.execute(
        "INSERT INTO api_key (account_id, digest, masked, created_at, may_write)"
        " VALUES (?, ?, ?, ?, ?)"
        " RETURNING id",
        (account_id, digest_of(secret), masked(secret), now_ms, int(may_write)),
    ).fetchall()
    return NewKey(secret, _key(connection, rows[0][0]))


def _replace(connection: sqlite3.Connection, key_id: int) -> NewKey:
    secret = _new_secret()
    connection.execute(
        "UPDATE api_key SET digest = ?, masked = ? WHERE id = ?",
        (digest_of(secret), masked(secret), key_id),
    )
    return NewKey(secret, _key(connection, key_id))


def _revoke(connection: sqlite3.Connection, key_id: int, now_ms: int) -> None:
    connection.execute("UPDATE api_key SET revoked_at = ? WHERE id = ?", (now_ms, key_id))


def _find(connection: sqlite3.Connection, ident: str) -> int:
    """Return the id of the one active key that a person means."""
    condition: str
    value: int | str | bytes
    if ident.isascii() and ident.isdecimal() and len(ident) < 19:
        condition, value = "id = ?", int(ident)
    elif "*" in ident:
        condition, value = "masked = ?", ident
    else:
        condition, value = "digest = ?", digest_of(ident)
    found = connection.execute(
        f"SELECT id FROM api_key WHERE {condition} AND revoked_at IS NULL",  # noqa: S608
        (value,),
    ).fetchall()
    if len(found) != 1:
        problem = "several active keys look" if found else "no active key looks"
        raise UnknownKeyError(f"{problem} like that; see `oddsdesk keys list` for their ids")
    return int(found[0][0])


def _key(connection: sqlite3.Connection, key_id: int) -> Key:
    query = f"{_KEY_COLUMNS} WHERE api_key.id = ?"
    return _as_key(connection.execute(query, (key_id,)).fetchall()[0])


def _as_key(row: tuple[Any, ...]) -> Key:
    key_id, account, plan, bookmaker, shown, created_at, revoked, may_write = row
    return Key(
        key_id, account, Plan(plan), bookmaker, shown, created_at, bool(revoked), bool(may_write)
    )


def _new_secret() -> str:
    return PREFIX + secrets.token_hex(16)
