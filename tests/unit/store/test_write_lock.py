"""A lock that is kept is noticed; one that only changes hands is not."""

import contextlib
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from oddsdesk.contract.quotes import Quote
from oddsdesk.store.sqlite.database import TIMES, WriteLockProbe
from oddsdesk.store.store import Store


@pytest.fixture
def probe(store: Store) -> Iterator[WriteLockProbe]:
    probe = WriteLockProbe(store.path)
    probe.check_lock()
    yield probe
    probe.close_probe()


@pytest.fixture
def other(store: Store) -> Iterator[sqlite3.Connection]:
    """Another program that writes."""
    with contextlib.closing(sqlite3.connect(store.path, isolation_level=None)) as connection:
        yield connection


def looks(probe: WriteLockProbe) -> list[bool]:
    found = []
    for _ in range(TIMES):
        probe.check_lock()
        found.append(probe.is_locked)
    return found


def test_a_lock_that_is_kept_is_told_after_some_looks_and_over_with_the_next(
    probe: WriteLockProbe, other: sqlite3.Connection
) -> None:
    other.execute("BEGIN IMMEDIATE")
    assert looks(probe) == [False] * (TIMES - 1) + [True]
    other.execute("ROLLBACK")
    assert looks(probe) == [False] * TIMES


def test_a_program_that_writes_all_the_time_keeps_no_lock(
    probe: WriteLockProbe, other: sqlite3.Connection
) -> None:
    for number in range(2 * TIMES):
        other.execute("BEGIN IMMEDIATE")
        probe.check_lock()
        assert not probe.is_locked
        other.execute("INSERT INTO setting (key, value) VALUES (?, 1)", (f"test {number}",))
        other.execute("COMMIT")


def test_a_look_neither_writes_nor_keeps_others_from_writing(
    probe: WriteLockProbe, store: Store, quote: Callable[..., Quote]
) -> None:
    version = store.reader().data_version()
    looks(probe)
    assert store.reader().data_version() == version
    assert store.record([quote()]).result(10).quotes == 1


def test_a_file_that_is_gone_is_no_lock(tmp_path: Path) -> None:
    probe = WriteLockProbe(tmp_path / "gone.db")
    assert looks(probe) == [False] * TIMES
    assert not (tmp_path / "gone.db").exists()
