"""The log is synced soon after a commit, or before its future is done where that is asked for.

What that is worth when power fails is measured in `tests/durability`.
"""

import contextlib
import errno
import logging
import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from oddsdesk.contract.quotes import Quote
from oddsdesk.store.sqlite import database
from oddsdesk.store.store import open_store
from tests.kit.disks import refuse_to_open_for_writing

LIMIT_S = 20
MakeQuote = Callable[..., Quote]


class Disk:
    """Stands where the system's sync stands, and says when it was asked."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.synced = threading.Event()
        self.times = 0
        self.error: OSError | None = None
        monkeypatch.setattr(database, "_flush", self._flush)

    def _flush(self, descriptor: int) -> None:
        assert os.fstat(descriptor).st_size > 0
        self.times += 1
        self.synced.set()
        if self.error is not None:
            raise self.error

    def wait(self) -> None:
        assert self.synced.wait(LIMIT_S)
        self.synced.clear()


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(monkeypatch)


def test_a_commit_is_synced_without_another_one_after_it(
    tmp_path: Path, disk: Disk, quote: MakeQuote
) -> None:
    with contextlib.closing(open_store(tmp_path / "odds.db")) as store:
        disk.wait()  # what opening wrote
        store.record([quote()]).result()
        disk.wait()


def test_closing_syncs_where_others_keep_the_log_open(
    tmp_path: Path, disk: Disk, quote: MakeQuote, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "SYNC_AFTER_S", float(LIMIT_S))
    with contextlib.closing(open_store(tmp_path / "odds.db")):
        with contextlib.closing(open_store(tmp_path / "odds.db")) as second:
            second.record([quote()]).result()
            assert disk.times == 0
        assert disk.times == 1


def test_a_disk_that_cannot_be_synced_is_told_of_once(
    tmp_path: Path,
    disk: Disk,
    quote: MakeQuote,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    disk.error = OSError(errno.EIO, "the disk is gone")
    monkeypatch.setattr(database, "SYNC_AFTER_S", 0.0)
    with caplog.at_level(logging.ERROR), contextlib.closing(open_store(tmp_path / "o.db")) as store:
        for _ in range(3):
            disk.wait()
            store.record([quote()]).result()
    assert ["the disk is gone" in each.getMessage() for each in caplog.records] == [True]


@pytest.mark.parametrize(("durable", "synchronous"), [(False, 1), (True, 2)])
def test_a_durable_store_waits_for_the_disk_at_each_commit(
    tmp_path: Path, durable: bool, synchronous: int
) -> None:
    with contextlib.closing(open_store(tmp_path / "odds.db", durable=durable)) as store:
        said = store.run_on_writer(lambda c: c.execute("PRAGMA synchronous").fetchone()).result()
    assert said == (synchronous,)


@pytest.mark.parametrize("has_written", [False, True])
def test_only_a_writer_is_warned_of_a_read_only_disk(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    has_written: bool,
) -> None:
    log = tmp_path / "odds.db-wal"
    log.touch()
    refuse_to_open_for_writing(monkeypatch)
    sync = database.TimedSync(tmp_path / "odds.db")
    if has_written:
        sync.committed()
    sync.end_syncing()
    line = f"the last changes may be lost in a power cut: {log}: the file system is read-only"
    assert caplog.messages == ([line] if has_written else [])
