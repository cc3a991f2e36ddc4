"""The file of accounts, keys and counts: its tables, its one reader, its one writer."""

import hashlib
import sqlite3
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Final, TypeVar

from oddsdesk.base.files import WriteWatch
from oddsdesk.base.system_errors import error_text
from oddsdesk.contract.access import Plan
from oddsdesk.contract.administration import Key
from oddsdesk.store.accounts import Account, AccountRow
from oddsdesk.store.errors import StoreUnavailableError
from oddsdesk.store.keys import Caller, KeyName, StoredKey
from oddsdesk.store.lock import DatabaseLock
from oddsdesk.store.quotas import KEPT_WINDOWS, Added, Kind, Slot, Token
from oddsdesk.store.sqlite import database
from oddsdesk.store.sqlite.migrations import Schema, Step
from oddsdesk.store.sqlite.recognition import SchemaCheck
from oddsdesk.store.sqlite.writer import Writer, as_unavailable

_MARK: Final = """
SELECT
    (SELECT group_concat(hex(digest)) FROM api_key WHERE revoked_at IS NULL),
    (SELECT group_concat(id || plan || quote(bookmaker)) FROM account)
"""
_ADD_COUNT: Final = """
INSERT INTO quota (key_id, kind, window_s, started_s, used)
VALUES (:key, :kind, :window, :started, max(:added, 0))
ON CONFLICT (key_id, kind, window_s, started_s) DO UPDATE SET used = max(used + :added, 0)
WHERE :most IS NULL OR used < :most
RETURNING used
"""
_FORGET_WINDOWS: Final = """
DELETE FROM quota
WHERE key_id = :key AND kind = :kind AND window_s = :window AND started_s < (
    SELECT started_s FROM quota
    WHERE key_id = :key AND kind = :kind AND window_s = :window AND started_s < :started
    ORDER BY started_s DESC LIMIT 1 OFFSET :kept
)
"""
_SPEND: Final = "INSERT OR IGNORE INTO spent_token (nonce, ends_ms) VALUES (?, ?)"
_FORGET_SPENT: Final = "DELETE FROM spent_token WHERE ends_ms < ?"
_ACCOUNT: Final = "SELECT id, plan, bookmaker FROM account WHERE name = ?"
_PUT_ACCOUNT: Final = """
INSERT INTO account (name, plan, bookmaker, created_at) VALUES (?, ?, ?, ?)
ON CONFLICT (name) DO UPDATE SET plan = excluded.plan, bookmaker = excluded.bookmaker
RETURNING id
"""
_ACCOUNTS: Final = "SELECT id, name, plan, bookmaker, created_at FROM account ORDER BY id"
_REMOVE_ACCOUNT: Final = (
    "DELETE FROM api_key WHERE account_id = ?",
    "DELETE FROM invitation WHERE account_id = ?",
    "DELETE FROM owner WHERE account_id = ?",
    "DELETE FROM owner_session WHERE account_id = ?",
    "DELETE FROM account WHERE id = ?",
)
_FORGET_COUNTS: Final = """
DELETE FROM quota
WHERE key_id NOT IN (SELECT id FROM api_key UNION ALL SELECT -id FROM account)
"""
"""Negative ids are accounts, whose pages are counted apart from their keys."""
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


FORGET_SIGN_INS: Final = (
    "DELETE FROM owner_session",
    "DELETE FROM invitation",
    "DELETE FROM sign_in",
)
"""What a restored file must not bring back: ended sessions and used invitations."""


class AccessTables:
    """The tables of accounts, keys and counts on a connection, inside a transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection: Any = connection

    def account(self, name: str) -> Account | None:
        """Return the account with a name."""
        rows = self.rows(_ACCOUNT, name)
        return Account(rows[0][0], Plan(rows[0][1]), rows[0][2]) if rows else None

    def put_account(self, name: str, plan: Plan, bookmaker: str | None, now_ms: int) -> int:
        """Make an account, or change the existing one; return its id."""
        self._note_change()
        return int(self.rows(_PUT_ACCOUNT, name, plan.value, bookmaker, now_ms)[0][0])

    def accounts(self) -> list[AccountRow]:
        """Return all accounts, oldest first."""
        return [
            AccountRow(ident, name, Plan(plan), bookmaker, created_at)
            for ident, name, plan, bookmaker, created_at in self.rows(_ACCOUNTS)
        ]

    def remove_account(self, account: int) -> None:
        """Delete an account, its owner and keys, and the counts of all deleted keys.

        If a server saves a count after its key was deleted, the next removal deletes it.
        """
        self._note_change()
        for query in _REMOVE_ACCOUNT:
            self.rows(query, account)
        self.rows(_FORGET_COUNTS)

    def active_keys(self, account: int) -> list[int]:
        """Return the keys of an account that are not revoked, oldest first."""
        return [key_id for (key_id,) in self.rows(_OF_ACCOUNT, account)]

    def add_key(self, account: int, key: StoredKey, now_ms: int, *, may_write: bool) -> int:
        """Add a key and return its id, which is never reused."""
        self._note_change()
        return int(self.rows(_ADD_KEY, account, *key, now_ms, may_write)[0][0])

    def replace_key(self, key_id: int, key: StoredKey) -> None:
        """Give a key another secret."""
        self._note_change()
        self.rows(_REPLACE, *key, key_id)

    def end_key(self, key_id: int, now_ms: int) -> None:
        """Revoke a key."""
        self._note_change()
        self.rows(_END, now_ms, key_id)

    def keys_named(self, kind: KeyName, value: int | str | bytes) -> list[int]:
        """Return the active keys that match."""
        return [key_id for (key_id,) in self.rows(_NAMED[kind], value)]

    def key_by_id(self, key_id: int) -> Key:
        """Return a key by its id."""
        return _as_key(self.rows(_KEY, key_id)[0])

    def all_keys(self) -> list[Key]:
        """Return every key, revoked ones too, oldest first."""
        return [_as_key(row) for row in self.rows(_ALL_KEYS)]

    def callers(self) -> list[Caller]:
        """Return the holder of each active key."""
        return [
            Caller(key_id, digest, Plan(plan), bookmaker, bool(may_write))
            for key_id, digest, plan, bookmaker, may_write in self.rows(_CALLERS)
        ]

    def key_counts(self) -> list[tuple[Slot, int, int]]:
        """Return the start and count of the latest windows of every counted key."""
        return [
            ((key_id, Kind(kind), window_s), started_s, used)
            for key_id, kind, window_s, started_s, used in self.rows(_COUNTS)
        ]

    def count_of_window(self, slot: Slot, started_s: int) -> int:
        """Return the count of a window."""
        key_id, kind, window_s = slot
        rows = self.rows(_COUNT, key_id, kind.value, window_s, started_s)
        return int(rows[0][0]) if rows else 0

    def secret(self, name: str) -> bytes | None:
        """Return the secret with a name, if there is one."""
        rows = self.rows(_OWN, name)
        return bytes(rows[0][0]) if rows else None

    def put_secret(self, name: str, value: bytes) -> bytes:
        """Save a secret unless there is one with that name; return the saved one."""
        self.rows(_KEEP_OWN, name, value)
        return bytes(self.rows(_OWN, name)[0][0])

    def mark_of_keys(self) -> bytes:
        """Return a mark that differs once ``callers`` does; SQLite computes it, blocking no
        thread."""
        ((keys, accounts),) = self.rows(_MARK)
        return hashlib.sha256(f"{keys}\n{accounts}".encode()).digest()

    def add_counts(self, batch: Sequence[Added]) -> list[int | None]:
        """Add counts to their windows, none of which falls below 0; return the new counts.

        None if the limit was reached and nothing was added. The latest past windows are kept.
        """
        return [self._add_count(each) for each in batch]

    def _add_count(self, added: Added) -> int | None:
        values = added.as_values()
        rows = self._connection.execute(_ADD_COUNT, values).fetchall()
        if not rows:
            return None
        (used,) = rows[0]
        if used == added.added:  # a new window
            self._connection.execute(_FORGET_WINDOWS, values | {"kept": KEPT_WINDOWS})
        return int(used)

    def spend_tokens(self, tokens: Sequence[Token]) -> list[bool]:
        """Note tokens as used; return for each whether it was unused."""
        return [self._connection.execute(_SPEND, each).rowcount == 1 for each in tokens]

    def forget_tokens(self, before_ms: int) -> None:
        """Remove the used tokens that ended before a time."""
        self._connection.execute(_FORGET_SPENT, (before_ms,))

    def version(self) -> int:
        """Return SQLite's ``data_version``: it differs after a commit by another connection."""
        return int(self.rows("PRAGMA data_version")[0][0])

    def _note_change(self) -> None:
        """Do nothing: SQLite counts commits itself."""

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Run a statement that both engines understand; return its rows, if it has any."""
        rows: list[tuple[Any, ...]] = self._connection.execute(query, values).fetchall()
        return rows


def _as_key(row: tuple[Any, ...]) -> Key:
    key_id, account, plan, bookmaker, shown, created_at, revoked, may_write = row
    return Key(
        key_id, account, Plan(plan), bookmaker, shown, created_at, bool(revoked), bool(may_write)
    )


T = TypeVar("T")

WAL_BYTES: Final = 8 * 1024 * 1024
"""The size at which the write-ahead log of this small file is copied into it."""

SCHEMA: Final = Schema(
    "oddsdesk-access",
    (
        Step(
            "accounts, keys and counts",
            (
                """
                CREATE TABLE account (
                    id INTEGER PRIMARY KEY,
                    name TEXT NOT NULL UNIQUE,
                    plan TEXT NOT NULL,
                    bookmaker TEXT,
                    created_at INTEGER NOT NULL
                ) STRICT
                """,
                """
                CREATE TABLE api_key (
                    id INTEGER PRIMARY KEY AUTOINCREMENT,
                    account_id INTEGER NOT NULL REFERENCES account (id),
                    digest BLOB NOT NULL UNIQUE,
                    masked TEXT NOT NULL,
                    created_at INTEGER NOT NULL,
                    revoked_at INTEGER
                ) STRICT
                """,
                "CREATE INDEX api_key_of_account ON api_key (account_id)",
                """
                CREATE TABLE quota (
                    key_id INTEGER NOT NULL,
                    kind TEXT NOT NULL,
                    window_s INTEGER NOT NULL,
                    started_s INTEGER NOT NULL,
                    used INTEGER NOT NULL,
                    PRIMARY KEY (key_id, kind, window_s)
                ) STRICT, WITHOUT ROWID
                """,
                "CREATE TABLE secret (name TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT",
            ),
        ),
        Step(
            "keys that may write",
            ("ALTER TABLE api_key ADD COLUMN may_write INTEGER NOT NULL DEFAULT 0",),
        ),
        Step(
            "exact counts, tokens of one use",
            (
                """
                CREATE TABLE exact_quota (
                    key_id INTEGER NOT NULL,
                    kind TEXT NOT NULL,
                    window_s INTEGER NOT NULL,
                    started_s INTEGER NOT NULL,
                    used INTEGER NOT NULL,
                    PRIMARY KEY (key_id, kind, window_s, started_s)
                ) STRICT, WITHOUT ROWID
                """,
                "INSERT INTO exact_quota SELECT key_id, kind, window_s, started_s, used FROM quota",
                "DROP TABLE quota",
                "ALTER TABLE exact_quota RENAME TO quota",
                """
                CREATE TABLE spent_token (
                    nonce BLOB PRIMARY KEY,
                    ends_ms INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID
                """,
                "CREATE INDEX spent_token_ends ON spent_token (ends_ms)",
            ),
        ),
        Step(
            "owners who sign in",
            (
                """
                CREATE TABLE owner (
                    account_id INTEGER PRIMARY KEY REFERENCES account (id),
                    password TEXT NOT NULL,
                    is_operator INTEGER NOT NULL,
                    set_at INTEGER NOT NULL
                ) STRICT
                """,
                """
                CREATE TABLE invitation (
                    account_id INTEGER PRIMARY KEY REFERENCES account (id),
                    digest BLOB NOT NULL UNIQUE,
                    makes_operator INTEGER NOT NULL,
                    made_at INTEGER NOT NULL
                ) STRICT
                """,
                """
                CREATE TABLE owner_session (
                    id INTEGER PRIMARY KEY,
                    account_id INTEGER NOT NULL REFERENCES account (id),
                    digest BLOB NOT NULL UNIQUE,
                    browser TEXT NOT NULL,
                    created_at INTEGER NOT NULL,
                    used_at INTEGER NOT NULL
                ) STRICT
                """,
                "CREATE INDEX owner_session_of_account ON owner_session (account_id)",
                """
                CREATE TABLE sign_in (
                    subject BLOB PRIMARY KEY,
                    failures INTEGER NOT NULL,
                    failed_at INTEGER NOT NULL,
                    succeeded_at INTEGER NOT NULL,
                    ends_at INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID
                """,
                "CREATE INDEX sign_in_ends ON sign_in (ends_at)",
            ),
        ),
    ),
)


class AccessFile:
    """One read-only connection behind a lock and the thread that writes.

    ``write_with``, used for keys, returns when its changes are on the disk: a key that was shown
    exists after any crash. ``submit_write``, used for counts, is synced within a second.
    """

    path: Path | None = None

    def __init__(self, path: Path, *, lock: DatabaseLock | None, locked_by: Path) -> None:
        self.path = path
        connection = database.open_writer(
            path, SCHEMA, synchronous="NORMAL", lock=lock, locked_by=locked_by
        )
        self._sync = database.TimedSync(path)
        self._writer = Writer(
            f"writer {path.name}",
            connection,
            committed=self._sync.committed,
            check=SchemaCheck(path, SCHEMA),
            wal=database.WriteAheadLog(path, connection, WAL_BYTES),
            place=database.FilePlace(path),
        )
        self._check = SchemaCheck(path, SCHEMA)
        self._writes = WriteWatch(path)
        self._lock = threading.Lock()
        self._version: int | None = None
        self._mark = b""
        self._changes = 0
        try:
            self._connection = database.open_reader(path, SCHEMA, checked=True)
        except BaseException:
            self._writer.close_writer()
            self._sync.end_syncing()
            raise

    def read_with(self, function: Callable[[AccessTables], T]) -> T:
        """Run a function that reads.

        Raises:
            StoreUnavailableError: the file cannot be read now.
        """
        try:
            with self._lock:
                return function(AccessTables(self._connection))
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_ERROR:
                self._check(self._connection)
            raise as_unavailable(error) from error

    def may_have_changed(self) -> bool:
        """Return False if no process wrote for a while."""
        return self._writes.may_have_changed()

    def version(self) -> int:
        """Return how often keys were found to have changed.

        Saving a count also changes the file, but must not make all keys be read again.
        """
        return self.read_with(self._look)

    def _look(self, tables: AccessTables) -> int:
        version = tables.version()
        if version != self._version:
            mark = tables.mark_of_keys()
            self._changes += mark != self._mark
            self._version, self._mark = version, mark
        return self._changes

    def submit_write(self, function: Callable[[AccessTables], T]) -> Future[T]:
        """Queue a function that changes what it reads; it runs completely or not at all."""
        return self._writer.submit(lambda connection: function(AccessTables(connection)))

    def write_with(self, function: Callable[[AccessTables], T]) -> T:
        """Run a function that changes what it reads; wait until the change is on the disk.

        Raises:
            StoreUnavailableError: the tables cannot be written now; nothing was changed.
        """
        outcome = self.submit_write(function).result()
        try:
            self._sync.sync()
        except OSError as error:
            raise StoreUnavailableError(f"the disk refuses: {error_text(error)}") from error
        return outcome

    def close_transactions(self) -> None:
        """Finish queued work and close both connections, the writer's last: it checkpoints."""
        with self._lock:
            self._connection.close()
        self._writer.close_writer()
        self._sync.end_syncing()
