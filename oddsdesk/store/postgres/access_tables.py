"""The tables of accounts, keys and counts, in PostgreSQL, inside a transaction."""

from collections.abc import Sequence
from typing import Any, Final, LiteralString

from psycopg import Connection

from oddsdesk.contract.administration import Key
from oddsdesk.contract.plans import Plan
from oddsdesk.store.accounts import Account, AccountRow
from oddsdesk.store.keys import Caller, KeyName, StoredKey
from oddsdesk.store.quotas import KEPT_WINDOWS, Added, Kind, Slot, Token

_ACCOUNT: Final = "SELECT id, plan, bookmaker FROM account WHERE name = %s"
_PUT_ACCOUNT: Final = """
INSERT INTO account (name, plan, bookmaker, created_at) VALUES (%s, %s, %s, %s)
ON CONFLICT (name) DO UPDATE SET plan = excluded.plan, bookmaker = excluded.bookmaker
RETURNING id
"""
_ACCOUNTS: Final = "SELECT id, name, plan, bookmaker, created_at FROM account ORDER BY id"
_REMOVE_ACCOUNT: Final = (
    "DELETE FROM api_key WHERE account_id = %s",
    "DELETE FROM account WHERE id = %s",
)
_FORGET_COUNTS: Final = "DELETE FROM quota WHERE key_id NOT IN (SELECT id FROM api_key)"
_KEYS: Final = """
SELECT api_key.id, account.name, account.plan, account.bookmaker, api_key.masked,
    api_key.created_at, api_key.revoked_at IS NOT NULL, api_key.may_write
FROM api_key JOIN account ON account.id = api_key.account_id
"""
_ALL_KEYS: Final = f"{_KEYS} ORDER BY api_key.id"
_KEY: Final = f"{_KEYS} WHERE api_key.id = %s"
_CALLERS: Final = """
SELECT api_key.id, api_key.digest, account.plan, account.bookmaker, api_key.may_write
FROM api_key JOIN account ON account.id = api_key.account_id
WHERE api_key.revoked_at IS NULL
"""
_OF_ACCOUNT: Final = (
    "SELECT id FROM api_key WHERE account_id = %s AND revoked_at IS NULL ORDER BY id"
)
_ADD_KEY: Final = """
INSERT INTO api_key (account_id, digest, masked, created_at, may_write) VALUES (%s, %s, %s, %s, %s)
RETURNING id
"""
_REPLACE: Final = "UPDATE api_key SET digest = %s, masked = %s WHERE id = %s"
_END: Final = "UPDATE api_key SET revoked_at = %s WHERE id = %s"
_NAMED: Final = {
    KeyName.IDENT: "SELECT id FROM api_key WHERE id = %s AND revoked_at IS NULL",
    KeyName.MASKED: "SELECT id FROM api_key WHERE masked = %s AND revoked_at IS NULL",
    KeyName.DIGEST: "SELECT id FROM api_key WHERE digest = %s AND revoked_at IS NULL",
}
_COUNT: Final = """
SELECT used FROM quota WHERE key_id = %s AND kind = %s AND window_s = %s AND started_s = %s
"""
_COUNTS: Final = "SELECT key_id, kind, window_s, started_s, used FROM quota"
_ADD_COUNT: Final = """
INSERT INTO quota (key_id, kind, window_s, started_s, used)
VALUES (%(key)s, %(kind)s, %(window)s, %(started)s, greatest(%(added)s, 0))
ON CONFLICT (key_id, kind, window_s, started_s) DO UPDATE
SET used = greatest(quota.used + %(added)s, 0)
WHERE %(most)s::bigint IS NULL OR quota.used < %(most)s::bigint
RETURNING used
"""
_FORGET_WINDOWS: Final = """
DELETE FROM quota
WHERE key_id = %(key)s AND kind = %(kind)s AND window_s = %(window)s AND started_s < (
    SELECT started_s FROM quota
    WHERE key_id = %(key)s AND kind = %(kind)s AND window_s = %(window)s
        AND started_s < %(started)s
    ORDER BY started_s DESC LIMIT 1 OFFSET %(kept)s
)
"""
_SPEND: Final = """
INSERT INTO spent_token (nonce, ends_ms) VALUES (%s, %s) ON CONFLICT DO NOTHING RETURNING true
"""
_FORGET_SPENT: Final = """
DELETE FROM spent_token WHERE nonce IN
    (SELECT nonce FROM spent_token WHERE ends_ms < %s FOR UPDATE SKIP LOCKED)
"""
_VERSION: Final = "SELECT changes FROM access_version"
_CHANGED: Final = "UPDATE access_version SET changes = changes + 1"
_KEEP_OWN: Final = "INSERT INTO secret (name, value) VALUES (%s, %s) ON CONFLICT DO NOTHING"
_OWN: Final = "SELECT value FROM secret WHERE name = %s"


class PostgresAccessTables:
    """``store.access.AccessTables`` on a connection."""

    def __init__(self, connection: Connection[Any]) -> None:
        self._connection = connection

    def account(self, name: str) -> Account | None:
        """Return the account of a name."""
        rows = self._rows(_ACCOUNT, name)
        return Account(rows[0][0], Plan(rows[0][1]), rows[0][2]) if rows else None

    def put_account(self, name: str, plan: Plan, bookmaker: str | None, now_ms: int) -> int:
        """Make an account, or change the one of that name; return its id."""
        self._connection.execute(_CHANGED)
        return int(self._rows(_PUT_ACCOUNT, name, plan.value, bookmaker, now_ms)[0][0])

    def accounts(self) -> list[AccountRow]:
        """Return all accounts, oldest first."""
        return [
            AccountRow(ident, name, Plan(plan), bookmaker, created_at)
            for ident, name, plan, bookmaker, created_at in self._rows(_ACCOUNTS)
        ]

    def remove_account(self, account: int) -> None:
        """Delete an account, its keys, and the counts of every key that is gone.

        A server may still have saved a count after a key went; the next removal deletes it.
        """
        self._connection.execute(_CHANGED)
        for query in _REMOVE_ACCOUNT:
            self._connection.execute(query, (account,))
        self._connection.execute(_FORGET_COUNTS)

    def active_keys(self, account: int) -> list[int]:
        """Return the keys of an account that are not revoked, oldest first."""
        return [key_id for (key_id,) in self._rows(_OF_ACCOUNT, account)]

    def add_key(self, account: int, key: StoredKey, now_ms: int, *, may_write: bool) -> int:
        """Add a key and return its id."""
        self._connection.execute(_CHANGED)
        return int(self._rows(_ADD_KEY, account, *key, now_ms, may_write)[0][0])

    def replace_key(self, key_id: int, key: StoredKey) -> None:
        """Give a key another secret."""
        self._connection.execute(_CHANGED)
        self._connection.execute(_REPLACE, (*key, key_id))

    def end_key(self, key_id: int, now_ms: int) -> None:
        """Revoke a key."""
        self._connection.execute(_CHANGED)
        self._connection.execute(_END, (now_ms, key_id))

    def keys_named(self, kind: KeyName, value: int | str | bytes) -> list[int]:
        """Return the active keys that somebody may mean."""
        return [key_id for (key_id,) in self._rows(_NAMED[kind], value)]

    def key(self, key_id: int) -> Key:
        """Return a key by its id."""
        return _as_key(self._rows(_KEY, key_id)[0])

    def keys(self) -> list[Key]:
        """Return every key, revoked ones too, oldest first."""
        return [_as_key(row) for row in self._rows(_ALL_KEYS)]

    def callers(self) -> list[Caller]:
        """Return who holds each active key."""
        return [
            Caller(key_id, digest, Plan(plan), bookmaker, may_write)
            for key_id, digest, plan, bookmaker, may_write in self._rows(_CALLERS)
        ]

    def counts(self) -> list[tuple[Slot, int, int]]:
        """Return the start and the count of the last windows of every key that was counted."""
        return [
            ((key_id, Kind(kind), window_s), started_s, used)
            for key_id, kind, window_s, started_s, used in self._rows(_COUNTS)
        ]

    def count(self, slot: Slot, started_s: int) -> int:
        """Return the count of a window."""
        key_id, kind, window_s = slot
        rows = self._rows(_COUNT, key_id, kind.value, window_s, started_s)
        return int(rows[0][0]) if rows else 0

    def add_counts(self, batch: Sequence[Added]) -> list[int | None]:
        """Add counts to their windows; return what each holds then, None where it was full.

        In one order, whoever adds: two processes that lock each other's rows would wait for ever.
        """
        ordered = sorted(enumerate(batch), key=lambda each: _lock_order(each[1]))
        values = [each.as_values() for _, each in ordered]
        totals: list[int | None] = [None] * len(batch)
        for (place, _), row in zip(ordered, self._each(_ADD_COUNT, values), strict=True):
            totals[place] = None if row is None else row[0]
        for added, used in zip(batch, totals, strict=True):
            if used == added.added:  # a new window
                forget = added.as_values() | {"kept": KEPT_WINDOWS}
                self._connection.execute(_FORGET_WINDOWS, forget)
        return totals

    def spend_tokens(self, tokens: Sequence[Token]) -> list[bool]:
        """Note tokens as used; return for each whether it was not yet."""
        ordered = sorted(enumerate(tokens), key=lambda each: each[1])
        is_fresh = [False] * len(tokens)
        rows = self._each(_SPEND, [each for _, each in ordered])
        for (place, _), row in zip(ordered, rows, strict=True):
            is_fresh[place] = row is not None
        return is_fresh

    def forget_tokens(self, before_ms: int) -> None:
        """Remove the used tokens that ended before a time."""
        self._connection.execute(_FORGET_SPENT, (before_ms,))

    def _each(self, query: LiteralString, values: Sequence[Any]) -> list[tuple[Any, ...] | None]:
        """Run a statement with each of some values; return the first row of each, if any."""
        if not values:
            return []
        with self._connection.cursor() as cursor:
            cursor.executemany(query, values, returning=True)
            return [result.fetchone() for result in cursor.results()]

    def secret(self, name: str) -> bytes | None:
        """Return the secret of a name, if one is kept."""
        rows = self._rows(_OWN, name)
        return bytes(rows[0][0]) if rows else None

    def put_secret(self, name: str, value: bytes) -> bytes:
        """Keep a secret unless there is one of that name; return the one that is kept."""
        self._connection.execute(_KEEP_OWN, (name, value))
        return bytes(self._rows(_OWN, name)[0][0])

    def version(self) -> int:
        """Return a number that differs once a key or account has changed."""
        return int(self._rows(_VERSION)[0][0])

    def _rows(self, query: LiteralString, *values: Any) -> list[tuple[Any, ...]]:
        return self._connection.execute(query, values).fetchall()


def _lock_order(added: Added) -> tuple[int, str, int, int]:
    key_id, kind, window_s = added.slot
    return key_id, kind.value, window_s, added.started_s


def _as_key(row: tuple[Any, ...]) -> Key:
    key_id, account, plan, bookmaker, shown, created_at, revoked, may_write = row
    return Key(
        key_id, account, Plan(plan), bookmaker, shown, created_at, bool(revoked), bool(may_write)
    )
