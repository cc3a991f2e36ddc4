"""The tables of accounts, keys and counts, inside a transaction: what each engine asks alike."""

from abc import ABC, abstractmethod
from typing import Any, Final

from oddsdesk.contract.administration import Key
from oddsdesk.contract.plans import Plan
from oddsdesk.store.accounts import Account, AccountRow
from oddsdesk.store.keys import Caller, KeyName, StoredKey
from oddsdesk.store.quotas import Kind, Slot

_ACCOUNT: Final = "SELECT id, plan, bookmaker FROM account WHERE name = ?"
_PUT_ACCOUNT: Final = """
INSERT INTO account (name, plan, bookmaker, created_at) VALUES (?, ?, ?, ?)
ON CONFLICT (name) DO UPDATE SET plan = excluded.plan, bookmaker = excluded.bookmaker
RETURNING id
"""
_ACCOUNTS: Final = "SELECT id, name, plan, bookmaker, created_at FROM account ORDER BY id"
_REMOVE_ACCOUNT: Final = (
    "DELETE FROM api_key WHERE account_id = ?",
    "DELETE FROM account WHERE id = ?",
)
_FORGET_COUNTS: Final = "DELETE FROM quota WHERE key_id NOT IN (SELECT id FROM api_key)"
_KEYS: Final = """
SELECT api_key.id, account.name, account.plan, account.bookmaker, api_key.masked,
    api_key.created_at, api_key.revoked_at IS NOT NULL, api_key.may_write
FROM api_key JOIN account ON account.id = api_key.account_id
"""
_ALL_KEYS: Final = f"{_KEYS} ORDER BY api_key.id"
_KEY: Final = f"{_KEYS} WHERE api_key.id = ?"
_CALLERS: Final = """
SELECT api_key.id, api_key.digest, account.plan, account.bookmaker, api_key.may_write
FROM api_key JOIN account ON account.id = api_key.account_id
WHERE api_key.revoked_at IS NULL
"""
_OF_ACCOUNT: Final = (
    "SELECT id FROM api_key WHERE account_id = ? AND revoked_at IS NULL ORDER BY id"
)
_ADD_KEY: Final = """
INSERT INTO api_key (account_id, digest, masked, created_at, may_write) VALUES (?, ?, ?, ?, ?)
RETURNING id
"""
_REPLACE: Final = "UPDATE api_key SET digest = ?, masked = ? WHERE id = ?"
_END: Final = "UPDATE api_key SET revoked_at = ? WHERE id = ?"
_NAMED: Final = {
    KeyName.IDENT: "SELECT id FROM api_key WHERE id = ? AND revoked_at IS NULL",
    KeyName.MASKED: "SELECT id FROM api_key WHERE masked = ? AND revoked_at IS NULL",
    KeyName.DIGEST: "SELECT id FROM api_key WHERE digest = ? AND revoked_at IS NULL",
}
_COUNT: Final = """
SELECT used FROM quota WHERE key_id = ? AND kind = ? AND window_s = ? AND started_s = ?
"""
_COUNTS: Final = "SELECT key_id, kind, window_s, started_s, used FROM quota"
_KEEP_OWN: Final = "INSERT INTO secret (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING"
_OWN: Final = "SELECT value FROM secret WHERE name = ?"


class SharedAccessTables(ABC):
    """The part of ``store.access.AccessTables`` that no engine changes; a value is a ``?``."""

    @abstractmethod
    def _rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""

    @abstractmethod
    def _run(self, statement: str, *values: Any) -> None:
        """Run a statement that returns nothing."""

    @abstractmethod
    def _note_change(self) -> None:
        """Count a change of a key or account, for ``version``."""

    def account(self, name: str) -> Account | None:
        """Return the account of a name."""
        rows = self._rows(_ACCOUNT, name)
        return Account(rows[0][0], Plan(rows[0][1]), rows[0][2]) if rows else None

    def put_account(self, name: str, plan: Plan, bookmaker: str | None, now_ms: int) -> int:
        """Make an account, or change the one of that name; return its id."""
        self._note_change()
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
        self._note_change()
        for query in _REMOVE_ACCOUNT:
            self._run(query, account)
        self._run(_FORGET_COUNTS)

    def active_keys(self, account: int) -> list[int]:
        """Return the keys of an account that are not revoked, oldest first."""
        return [key_id for (key_id,) in self._rows(_OF_ACCOUNT, account)]

    def add_key(self, account: int, key: StoredKey, now_ms: int, *, may_write: bool) -> int:
        """Add a key and return its id."""
        self._note_change()
        return int(self._rows(_ADD_KEY, account, *key, now_ms, may_write)[0][0])

    def replace_key(self, key_id: int, key: StoredKey) -> None:
        """Give a key another secret."""
        self._note_change()
        self._run(_REPLACE, *key, key_id)

    def end_key(self, key_id: int, now_ms: int) -> None:
        """Revoke a key."""
        self._note_change()
        self._run(_END, now_ms, key_id)

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
            Caller(key_id, digest, Plan(plan), bookmaker, bool(may_write))
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

    def secret(self, name: str) -> bytes | None:
        """Return the secret of a name, if one is kept."""
        rows = self._rows(_OWN, name)
        return bytes(rows[0][0]) if rows else None

    def put_secret(self, name: str, value: bytes) -> bytes:
        """Keep a secret unless there is one of that name; return the one that is kept."""
        self._run(_KEEP_OWN, name, value)
        return bytes(self._rows(_OWN, name)[0][0])


def _as_key(row: tuple[Any, ...]) -> Key:
    key_id, account, plan, bookmaker, shown, created_at, revoked, may_write = row
    return Key(
        key_id, account, Plan(plan), bookmaker, shown, created_at, bool(revoked), bool(may_write)
    )
