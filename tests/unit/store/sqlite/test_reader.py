"""The log as it is told from memory: what a reader of the file alone finds there."""

import contextlib
import sqlite3
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from oddsdesk.contract.quotes import Quote
from oddsdesk.store.errors import StoreUnavailableError
from oddsdesk.store.sqlite import reader
from oddsdesk.store.sqlite.reader import RecentChanges, SqliteSelect
from oddsdesk.store.store import Store, open_store
from oddsdesk.store.values import Change, Origin

MakeQuote = Callable[..., Quote]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "odds.db"


@pytest.fixture
def store(path: Path):
    """One whose log somebody follows."""
    with contextlib.closing(open_store(path, "Pinnacle")) as store:
        store.on_commit(lambda: None)
        yield store


def _in_file(path: Path, seq: int, limit: int) -> Sequence[Change]:
    with contextlib.closing(open_store(path, read_only=True)) as other:
        return other.reader().changes_after(seq, limit)


def _change(seq: int) -> Change:
    names = ("id", "A - B", "EPL", "Football", "Bwin", "yes_no")
    return Change(seq, 1, *names, 0, "Yes", 1.5, False, 0, None)


def test_recorded_changes_are_told_as_the_file_has_them_without_reading_it(
    store: Store, path: Path, quote: MakeQuote, now: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.record([quote("Pinnacle", odds={"PSG": 2, "Draw": 3.5}, liquidity=500)]).result(10)
    moved = {"odds": {"PSG": 2.25}, "scraped_at": now + 5, "is_live": True, "liquidity": 300}
    others = [quote("Bet365", **moved), quote("Bet365", match_name="A - B", competition="NBA")]
    store.record([quote("Pinnacle", **moved), *others]).result(10)
    end = store.reader().last_seq()
    asked = [(seq, limit) for limit in (1, 3, end) for seq in range(end - limit + 1)]
    found = [(seq, limit, _in_file(path, seq, limit)) for seq, limit in asked]
    assert len(found[-1][2]) == end > 6
    monkeypatch.setattr(SqliteSelect, "__call__", None)
    for seq, limit, changes in found:
        assert store.reader().changes_after(seq, limit) == changes
        assert repr(store.reader().changes_after(seq, limit)) == repr(changes)


def test_what_others_record_is_read(store: Store, path: Path, quote: MakeQuote, now: int) -> None:
    with contextlib.closing(open_store(path)) as other:
        for number, each in enumerate((store, other, other, store, store, other)):
            odds = {"PSG": 2 + number / 10, "Draw": 3.5 + number}
            each.record([quote(odds=odds, scraped_at=now + number)]).result(10)
            for seq in range(2 * number + 2):
                assert store.reader().changes_after(seq, 3) == _in_file(path, seq, 3)


def test_what_is_not_committed_is_never_told(
    store: Store, path: Path, quote: MakeQuote, now: int
) -> None:
    """The numbers of what is rolled back are those of what comes next."""

    def roll_back(connection: sqlite3.Connection) -> None:
        connection.execute("ROLLBACK")
        raise sqlite3.OperationalError

    began, begin = threading.Event(), threading.Event()
    waiting = store.run_on_writer(lambda _: began.set() or begin.wait(10))
    assert began.wait(10)
    lost = store.record([quote(odds={"PSG": 9.0})])
    broken = store.run_on_writer(roll_back)
    begin.set()
    assert waiting.result(10)
    for future in (lost, broken):
        with pytest.raises((StoreUnavailableError, sqlite3.Error)):
            future.result(10)
    assert store.reader().changes_after(0, 9) == []
    store.record([quote(odds={"PSG": 2.0})]).result(10)
    assert [each.odds for each in store.reader().changes_after(0, 9)] == [2.0]


def test_of_a_source_that_forbids_passing_on_nothing_is_told_from_memory(
    path: Path, quote: MakeQuote
) -> None:
    with contextlib.closing(open_store(path, share=())) as store:
        store.on_commit(lambda: None)
        store.record([quote()], origin=Origin("paid", may_share=False)).result(10)
        assert [each.is_left_out for each in store.reader().changes_after(0, 1)] == [True]


def test_only_the_newest_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MOST", 4)
    recent = RecentChanges()
    for first, last in ((1, 3), (4, 6), (7, 16)):
        recent.add_changes([_change(seq) for seq in range(first, last + 1)])
        kept = recent.changes_after(last - 4, 9) or recent.changes_after(last - 3, 9)
        assert [each.seq for each in kept] == list(range(max(1, last - 3), last + 1))
        assert recent.changes_after(max(0, last - 5), 9) == () or last == 3
