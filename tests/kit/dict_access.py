"""Accounts, keys and counts in dicts, for the rules that need an engine: ``store.access``."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from copy import deepcopy
from typing import TypeVar

import msgspec

from oddsdesk.contract.administration import Key
from oddsdesk.contract.plans import Plan
from oddsdesk.store.accounts import Account
from oddsdesk.store.keys import Caller, KeyName, StoredKey
from oddsdesk.store.quotas import Added, Slot

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
        self.accounts: dict[str, Account] = {}
        self.held: dict[int, Held] = {}
        self.counts: dict[Slot, tuple[int, int]] = {}
        self.secrets: dict[str, bytes] = {}

    def account(self, name: str) -> Account | None:
        return self.accounts.get(name)

    def put_account(self, name: str, plan: Plan, bookmaker: str | None, now_ms: int) -> int:
        known = self.accounts.get(name)
        ident = len(self.accounts) + 1 if known is None else known.ident
        self.accounts[name] = Account(ident, plan, bookmaker)
        return ident

    def active_keys(self, account: int) -> list[int]:
        return [i for i in self._active() if self.accounts[self.held[i].account].ident == account]

    def add_key(self, account: int, key: StoredKey, now_ms: int, *, may_write: bool) -> int:
        (name,) = [name for name, known in self.accounts.items() if known.ident == account]
        self.held[len(self.held) + 1] = Held(name, key, now_ms, may_write)
        return len(self.held)

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

    def key(self, key_id: int) -> Key:
        held = self.held[key_id]
        account = self.accounts[held.account]
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

    def keys(self) -> list[Key]:
        return [self.key(ident) for ident in self.held]

    def callers(self) -> list[Caller]:
        return [self._caller(ident) for ident in self._active()]

    def count(self, slot: Slot) -> tuple[int, int] | None:
        return self.counts.get(slot)

    def add_counts(self, batch: Sequence[Added]) -> list[int | None]:
        return [self._add(*each) for each in batch]

    def secret(self, name: str) -> bytes | None:
        return self.secrets.get(name)

    def put_secret(self, name: str, value: bytes) -> bytes:
        return self.secrets.setdefault(name, value)

    def _add(self, slot: Slot, started_s: int, added: int) -> int | None:
        started, used = self.counts.get(slot, (started_s, 0))
        if started > started_s:
            return None
        total = max(added + (used if started == started_s else 0), 0)
        self.counts[slot] = (started_s, total)
        return total

    def _caller(self, key_id: int) -> Caller:
        held = self.held[key_id]
        account = self.accounts[held.account]
        digest = held.stored.digest
        return Caller(key_id, digest, account.plan, account.bookmaker, held.may_write)

    def _active(self) -> list[int]:
        return [ident for ident, held in self.held.items() if held.revoked_at is None]


class DictAccess:
    """``store.transactions.Transactions`` of them; what fails is undone."""

    def __init__(self) -> None:
        self.tables = DictAccessTables()

    def read(self, function: Callable[[DictAccessTables], T]) -> T:
        return function(self.tables)

    def write(self, function: Callable[[DictAccessTables], T]) -> T:
        before = deepcopy(self.tables.__dict__)
        try:
            return function(self.tables)
        except BaseException:
            self.tables.__dict__ = before
            raise

    def submit(self, function: Callable[[DictAccessTables], T]) -> Future[T]:
        done: Future[T] = Future()
        done.set_result(self.write(function))
        return done

    def version(self) -> int:
        return 0

    def close(self) -> None:
        pass
