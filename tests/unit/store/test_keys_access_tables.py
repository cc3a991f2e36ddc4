"""The rules of keys and counts know no engine: on dicts they do what they do on SQLite."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from oddsdesk.cluster.postgres.access import open_postgres_access
from oddsdesk.contract.access import Plan
from oddsdesk.store import keys
from oddsdesk.store.access import AccessStore, open_access
from oddsdesk.store.accounts import BadAccountError, UnknownAccountError
from oddsdesk.store.keys import KeyLimitError, NewKey, UnknownKeyError
from oddsdesk.store.quotas import Count, Kind
from tests.kit.dict_access import DictAccess
from tests.kit.postgres import Postgres

NOON = 1_789_992_000_000
ACCOUNTS = st.sampled_from(["ann", "Ann ", "bob"])
PLANS = st.sampled_from([None, *Plan])
WHICH = st.integers(0, 12)

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("create"), ACCOUNTS, PLANS, st.sampled_from([None, "Bet365"])),
        st.tuples(st.just("reissue"), ACCOUNTS, st.sampled_from([*Plan])),
        st.tuples(st.sampled_from(["rotate", "rotate by id", "revoke", "revoke masked"]), WHICH),
        st.tuples(st.just("plan"), ACCOUNTS, st.sampled_from([*Plan])),
        st.tuples(st.just("bookmaker"), ACCOUNTS, st.sampled_from([None, "Bet365", " "])),
        st.tuples(st.just("remove"), ACCOUNTS),
        st.tuples(st.just("take"), st.integers(1, 3), st.integers(1, 3)),
        st.tuples(st.just("later"), st.integers(1, 90_000)),
        st.just(("save",)),
    ),
    max_size=30,
)


class Played:
    """What is done to one store of access, and what came of it; two secrets each end alike."""

    def __init__(self, access: AccessStore) -> None:
        self.access = access
        self.now = NOON
        self._secrets: list[str] = []
        self._made_secrets = 0

    def do(self, step: tuple[Any, ...]) -> object:
        actions: dict[str, Callable[..., object]] = {
            "create": lambda *who: self._made(self.access.keys.create(*who, self.now)),
            "reissue": lambda *who: self._made(self.access.keys.reissue(*who, self.now)),
            "rotate": lambda n: self._made(self.access.keys.rotate(self._secret(n))),
            "rotate by id": lambda n: self._made(self.access.keys.rotate(str(n))),
            "revoke": lambda n: self.access.keys.revoke(self._secret(n), self.now),
            "revoke masked": lambda n: self.access.keys.revoke(self._masked(n), self.now),
            "plan": lambda name, plan: self._change(name, plan=plan),
            "bookmaker": lambda name, bookmaker: self._change(name, bookmaker=bookmaker),
            "remove": lambda name: self._removed(name),
            "take": self._take,
            "later": self._pass,
            "save": self.access.quotas.save_counts_now,
        }
        name, *said = step
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(keys, "_new_secret", self._next_secret)
            try:
                return actions[name](*said)
            except (KeyLimitError, UnknownKeyError, UnknownAccountError, BadAccountError) as error:
                return str(error)

    def _change(self, name: str, **changes: Any) -> object:
        return self.access.keys.change_account(name, self.now, **changes)

    def _removed(self, name: str) -> object:
        self.access.quotas.save_counts_now()
        return self.access.keys.remove_account(name, self.now)

    def _take(self, key_id: int, most: int) -> Count:
        quotas, slot = self.access.quotas, (key_id, Kind.REQUESTS, 60)
        if not quotas.knows(*slot, self.now):
            quotas.learn([slot], self.now)
        asked = key_id, Kind.REQUESTS, most, 60, self.now
        return quotas.take_token(*asked) or quotas.take_exactly(*asked).result(timeout=10)

    def told(self) -> list[object]:
        """Return all keys, and who holds each secret that there ever was."""
        callers = [self.access.keys.caller(secret) for secret in self._secrets]
        return [callers, self.access.keys.all_keys(), self.access.keys.accounts(self.now)]

    def _next_secret(self) -> str:
        self._made_secrets += 1
        number = self._made_secrets
        return f"{keys.PREFIX}{number:028x}{number // 2:04x}"

    def _made(self, new: NewKey) -> NewKey:
        self._secrets.append(new.secret)
        return new

    def _secret(self, number: int) -> str:
        return self._secrets[number % len(self._secrets)] if self._secrets else "nothing"

    def _masked(self, number: int) -> str:
        return keys.masked(self._secret(number))

    def _pass(self, milliseconds: int) -> None:
        self.now += milliseconds


@settings(max_examples=40, deadline=None)
@given(steps=STEPS)
def test_keys_and_counts_on_dicts_and_on_sqlite_are_the_same(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[Any, ...]]
) -> None:
    on_sqlite = Played(open_access(tmp_path_factory.mktemp("access") / "odds.db"))
    on_dicts = Played(AccessStore(DictAccess()))
    try:
        for step in steps:
            assert on_dicts.do(step) == on_sqlite.do(step)
        assert on_dicts.told() == on_sqlite.told()
    finally:
        on_sqlite.access.close()


@settings(
    max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
@given(steps=STEPS)
def test_keys_and_counts_on_dicts_and_on_postgresql_are_the_same(
    postgres: Postgres, steps: list[tuple[Any, ...]]
) -> None:
    url = postgres.url()
    on_postgresql = Played(AccessStore(open_postgres_access(url)))
    on_dicts = Played(AccessStore(DictAccess()))
    try:
        for step in steps:
            assert on_dicts.do(step) == on_postgresql.do(step)
        assert on_dicts.told() == on_postgresql.told()
    finally:
        on_postgresql.access.close()
