"""Accounts, keys and counts in dicts, in the place of ``AccessTables``."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from copy import deepcopy
from typing import TypeVar

import msgspec

from oddsdesk.contract.access import Plan
from oddsdesk.contract.administration import Key
from oddsdesk.store.accounts import Account, AccountRow
from oddsdesk.store.keys import Caller, KeyName, StoredKey
from oddsdesk.store.quotas import Added, Slot, Token

T = TypeVar("T")


class Held(msgspec.Struct):
    """A key and whose it is."""

    account: str
    stored: StoredKey
    created_at: int
    may_write: bool
    revoked_at: int | None = None


class DictAccessTables:
    """The tables of access by their keys."""

    def __init__(self) -> None:
        self.by_name: dict[str, AccountRow] = {}
        self.made = 0
        """How many keys there ever were."""
        self.held: dict[int, Held] = {}
        self.counts_of: dict[tuple[Slot, int], int] = {}
        self.spent: dict[bytes, int] = {}
        self.secrets: dict[str, bytes] = {}

    def account(self, name: str) -> Account | None:
        row = self.by_name.get(name)
        return None if row is None else Account(row.ident, row.plan, row.bookmaker)

    def put_account(self, name: str, plan: Plan, bookmaker: str | None, now_ms: int) -> int:
        known = self.by_name.get(name)
        newest = max((row.ident for row in self.by_name.values()), default=0)
        ident, made = (newest + 1, now_ms) if known is None else (known.ident, known.created_at)
        self.by_name[name] = AccountRow(ident, name, plan, bookmaker, made)
        return ident

    def accounts(self) -> list[AccountRow]:
        return list(self.by_name.values())

    def remove_account(self, account: int) -> None:
        self.by_name = {n: row for n, row in self.by_name.items() if row.ident != account}
        self.held = {i: held for i, held in self.held.items() if held.account in self.by_name}
        counted = {*self.held, *(-row.ident for row in self.by_name.values())}
        self.counts_of = {
            window: used for window, used in self.counts_of.items() if window[0][0] in counted
        }

    def active_keys(self, account: int) -> list[int]:
        return [i for i in self._active() if self.by_name[self.held[i].account].ident == account]

    def add_key(self, account: int, key: StoredKey, now_ms: int, *, may_write: bool) -> int:
        (name,) = [name for name, known in self.by_name.items() if known.ident == account]
        self.made += 1
        self.held[self.made] = Held(name, key, now_ms, may_write)
        return self.made

    def replace_key(self, key_id: int, key: StoredKey) -> None:
        self.held[key_id].stored = key

    def end_key(self, key_id: int, now_ms: int) -> None:
        self.held[key_id].revoked_at = now_ms

    def keys_named(self, kind: KeyName, value: int | str | bytes) -> list[int]:
        def name(ident: int) -> int | str | bytes:
            stored = self.held[ident].stored
            names = {KeyName.IDENT: ident, KeyName.MASKED: stored.masked}
            return names.get(kind, stored.digest)

        return [ident for ident in self._active() if name(ident) == value]

    def key_by_id(self, key_id: int) -> Key:
        held = self.held[key_id]
        account = self.by_name[held.account]
        return Key(
            key_id,
            held.account,
            account.plan,
            account.bookmaker,
            held.stored.masked,
            held.created_at,
            held.revoked_at is not None,
            held.may_write,
        )

    def all_keys(self) -> list[Key]:
        return [self.key_by_id(ident) for ident in self.held]

    def callers(self) -> list[Caller]:
        return [self._caller(ident) for ident in self._active()]

    def key_counts(self) -> list[tuple[Slot, int, int]]:
        return [(*window, used) for window, used in self.counts_of.items()]

    def count_of_window(self, slot: Slot, started_s: int) -> int:
        return self.counts_of.get((slot, started_s), 0)

    def add_counts(self, batch: Sequence[Added]) -> list[int | None]:
        return [self._add(*each) for each in batch]

    def spend_tokens(self, tokens: Sequence[Token]) -> list[bool]:
        return [self._spend(*each) for each in tokens]

    def forget_tokens(self, before_ms: int) -> None:
        self.spent = {nonce: ends for nonce, ends in self.spent.items() if ends >= before_ms}

    def secret(self, name: str) -> bytes | None:
        return self.secrets.get(name)

    def put_secret(self, name: str, value: bytes) -> bytes:
        return self.secrets.setdefault(name, value)

    def _add(self, slot: Slot, started_s: int, added: int, most: int | None) -> int | None:
        used = self.count_of_window(slot, started_s)
        if most is not None and used >= most:
            return None
        total = self.counts_of[slot, started_s] = max(used + added, 0)
        return total

    def _spend(self, nonce: bytes, ends_ms: int) -> bool:
        is_fresh = nonce not in self.spent
        self.spent[nonce] = ends_ms
        return is_fresh

    def _caller(self, key_id: int) -> Caller:
        held = self.held[key_id]
        account = self.by_name[held.account]
        digest = held.stored.digest
        return Caller(key_id, digest, account.plan, account.bookmaker, held.may_write)

    def _active(self) -> list[int]:
        return [ident for ident, held in self.held.items() if held.revoked_at is None]


class DictAccess:
    """``AccessFile`` of them; what fails is undone."""

    def __init__(self) -> None:
        self.tables = DictAccessTables()

    def read_with(self, function: Callable[[DictAccessTables], T]) -> T:
        return function(self.tables)

    def write_with(self, function: Callable[[DictAccessTables], T]) -> T:
        before = deepcopy(self.tables.__dict__)
        try:
            return function(self.tables)
        except BaseException:
            self.tables.__dict__ = before
            raise

    def submit_write(self, function: Callable[[DictAccessTables], T]) -> Future[T]:
        done: Future[T] = Future()
        done.set_result(self.write_with(function))
        return done

    def may_have_changed(self) -> bool:
        return True

    def version(self) -> int:
        return 0

    def close_transactions(self) -> None:
        pass
