"""Counting requests: fixed windows, never one too many, kept over restarts (D17, D18)."""

import sqlite3
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from oddsdesk.contract.access import DAY_S, HOUR_S
from oddsdesk.store.access import AccessStore, open_access
from oddsdesk.store.databases import access_path
from oddsdesk.store.errors import StoreUnavailableError
from oddsdesk.store.quotas import MOST_AHEAD, REREAD_MS, Added, Count, Kind, Quotas

KEY = 1
LARGE = 5_500
ALLOWANCES = st.sampled_from([3, 30, 200, LARGE])
"""Of keys with the same number."""
NOON = int(datetime(2026, 11, 20, 12, tzinfo=UTC).timestamp()) * 1000


@pytest.fixture
def access(tmp_path: Path) -> Iterator[AccessStore]:
    store = open_access(tmp_path / "odds.db")
    yield store
    store.close()


def take(quotas: Quotas, *, allowance: int = 3, window_s: int = HOUR_S, now: int = NOON) -> Count:
    know(quotas, now, window_s)
    slot = KEY, Kind.REQUESTS, allowance, window_s
    return quotas.take_token(*slot, now) or quotas.take_exactly(*slot, now).result(timeout=10)


def peek(quotas: Quotas, *, allowance: int = 3, window_s: int = HOUR_S, now: int = NOON) -> Count:
    know(quotas, now, window_s)
    return quotas.peek(KEY, Kind.REQUESTS, allowance, window_s, now)


def know(quotas: Quotas, now: int, window_s: int) -> None:
    """Read what is counted elsewhere where that is due, as the server does."""
    if not quotas.knows(KEY, Kind.REQUESTS, window_s, now):
        quotas.learn([(KEY, Kind.REQUESTS, window_s)], now)


def test_a_window_gives_as_many_as_it_allows(access: AccessStore) -> None:
    counts = [take(access.quotas) for _ in range(5)]
    assert [count.allowed for count in counts] == [True, True, True, False, False]
    assert [count.remaining for count in counts] == [2, 1, 0, 0, 0]


def test_of_an_exempt_key_nothing_is_counted_and_nothing_refused(access: AccessStore) -> None:
    for _ in range(3):
        take(access.quotas)
    access.quotas.exempt(KEY)
    counts = [take(access.quotas) for _ in range(5)]
    assert {(count.allowed, count.remaining) for count in counts} == {(True, 3)}
    assert counts[0].reset_s == NOON // 1000 + HOUR_S
    slot = (KEY, Kind.REQUESTS, 3, HOUR_S)
    assert (
        access.quotas.peek(*slot, NOON)
        == access.quotas.give_back_token(*slot, counts[0])
        == counts[0]
    )
    other = access.quotas.take_exactly(KEY + 1, Kind.REQUESTS, 3, HOUR_S, NOON)
    assert other.result(timeout=10).remaining == 2


@pytest.mark.parametrize(("window_s", "start"), [(HOUR_S, "2026-11-20T12"), (DAY_S, "2026-11-20")])
def test_windows_are_the_utc_hour_and_the_utc_day(
    access: AccessStore, window_s: int, start: str
) -> None:
    """D18."""
    started_s = int(datetime.fromisoformat(start).replace(tzinfo=UTC).timestamp())
    last_ms = (started_s + window_s) * 1000 - 1
    assert take(access.quotas, window_s=window_s, now=last_ms).reset_s == started_s + window_s
    fresh = take(access.quotas, window_s=window_s, now=last_ms + 1)
    assert (fresh.remaining, fresh.reset_s) == (2, started_s + 2 * window_s)


def test_keys_kinds_and_lengths_count_apart(access: AccessStore) -> None:
    take(access.quotas)
    peek = access.quotas.peek
    assert peek(KEY, Kind.REQUESTS, 3, HOUR_S, NOON).remaining == 2
    assert peek(KEY + 1, Kind.REQUESTS, 3, HOUR_S, NOON).remaining == 3
    assert peek(KEY, Kind.CONNECTIONS, 3, HOUR_S, NOON).remaining == 3
    assert peek(KEY, Kind.REQUESTS, 3, DAY_S, NOON).remaining == 3


def test_one_that_is_given_back_can_be_taken_again(access: AccessStore) -> None:
    """D17: 5xx do not count."""
    taken = [take(access.quotas) for _ in range(3)][-1]
    back = access.quotas.give_back_token(KEY, Kind.REQUESTS, 3, HOUR_S, taken)
    assert back.remaining == 1
    assert take(access.quotas).allowed
    assert not take(access.quotas).allowed


def test_one_given_back_after_its_window_changes_nothing(access: AccessStore) -> None:
    taken = take(access.quotas)
    take(access.quotas, now=NOON + HOUR_S * 1000)
    access.quotas.give_back_token(KEY, Kind.REQUESTS, 3, HOUR_S, taken)
    assert take(access.quotas, now=NOON + HOUR_S * 1000).remaining == 1


def test_counts_survive_a_restart(access: AccessStore, tmp_path: Path) -> None:
    """D18."""
    take(access.quotas)
    access.close()
    again = open_access(tmp_path / "odds.db")
    assert take(again.quotas).remaining == 1
    again.close()


@pytest.mark.parametrize(("allowance", "lost"), [(200, 0), (LARGE, 1)])
def test_what_was_counted_survives_a_crash(
    access: AccessStore, tmp_path: Path, allowance: int, lost: int
) -> None:
    """D18: a small quota loses no counts, a large one at most those of the last half second."""
    take(access.quotas, allowance=allowance)
    access.quotas.save_counts_now()
    take(access.quotas, allowance=allowance)
    other = open_access(tmp_path / "odds.db")
    assert peek(other.quotas, allowance=allowance).remaining == allowance - 2 + lost
    other.close()


def test_two_processes_add_up(access: AccessStore, tmp_path: Path) -> None:
    other = open_access(tmp_path / "odds.db")
    take(access.quotas, allowance=LARGE)
    access.quotas.save_counts_now()
    take(other.quotas, allowance=LARGE)
    take(other.quotas, allowance=LARGE)
    other.quotas.save_counts_now()
    assert peek(other.quotas, allowance=LARGE).remaining == LARGE - 3
    assert peek(access.quotas, allowance=LARGE, now=NOON + 999).remaining == LARGE - 1
    assert peek(access.quotas, allowance=LARGE, now=NOON + 1_000).remaining == LARGE - 3
    other.close()


def test_a_process_that_lags_behind_does_not_reopen_an_old_window(
    access: AccessStore, tmp_path: Path
) -> None:
    other = open_access(tmp_path / "odds.db")
    take(other.quotas)
    later = NOON + HOUR_S * 1000
    take(access.quotas, now=later)
    access.quotas.save_counts_now()
    other.close()
    assert peek(access.quotas, now=later + 1_000).remaining == 2


def test_what_a_clock_ahead_counted_for_tomorrow_grants_nothing_today(
    access: AccessStore, tmp_path: Path
) -> None:
    wrong = open_access(tmp_path / "odds.db")
    take(wrong.quotas, now=NOON + DAY_S * 1000)
    wrong.close()
    counts = []
    for second in range(5):
        counts.append(take(access.quotas, now=NOON + second * 2_000))
        access.quotas.save_counts_now()
    assert [count.allowed for count in counts] == [True, True, True, False, False]


def test_many_threads_never_take_one_too_many(access: AccessStore) -> None:
    """Issue 3, item 2: correct under 50 concurrent requests."""
    start = threading.Barrier(8)
    allowed: list[bool] = []

    def ask() -> None:
        start.wait(timeout=10)
        for _ in range(200):
            allowed.append(take(access.quotas, allowance=500).allowed)
            access.quotas.save_counts()

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert len(allowed) == 1_600
    assert sum(allowed) == 500


def test_large_counts_stay_in_memory_while_the_file_refuses_and_small_ones_are_refused(
    access: AccessStore, tmp_path: Path
) -> None:
    take(access.quotas, allowance=LARGE)
    access.quotas.save_counts_now()
    take(access.quotas, allowance=LARGE)
    blocker = sqlite3.connect(access_path(tmp_path / "odds.db"), isolation_level=None)
    access._file._writer.submit(lambda c: c.execute("PRAGMA busy_timeout = 10").fetchall()).result(
        10
    )
    blocker.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreUnavailableError):
        access.quotas.save_counts_now()
    left = [take(access.quotas, allowance=LARGE).remaining for _ in range(2 * MOST_AHEAD)]
    assert left == list(range(LARGE - 3, LARGE - 3 - 2 * MOST_AHEAD, -1))
    with pytest.raises(StoreUnavailableError):
        access.quotas.take_exactly(KEY + 1, Kind.REQUESTS, 3, HOUR_S, NOON).result(timeout=10)
    blocker.execute("ROLLBACK")
    blocker.close()
    access.quotas.save_counts_now()
    assert access.quotas.save_counts() is None
    slot = KEY, Kind.REQUESTS, HOUR_S
    used = access._file.read_with(lambda tables: tables.count_of_window(slot, NOON // 1000))
    assert used == LARGE - left[-1]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from(["take", "back", "flush", "later"]), max_size=40))
def test_whatever_happens_what_is_used_is_what_was_taken_and_kept(
    tmp_path_factory: pytest.TempPathFactory, steps: list[str]
) -> None:
    access = open_access(tmp_path_factory.mktemp("access") / "odds.db")
    taken: list[Count] = []
    now = NOON
    for step in steps:
        if step == "take" and (count := take(access.quotas, now=now)).allowed:
            taken.append(count)
        elif step == "back" and taken:
            access.quotas.give_back_token(KEY, Kind.REQUESTS, 3, HOUR_S, taken.pop())
        elif step == "flush":
            access.quotas.save_counts()
        elif step == "later":
            now += 1_000
        assert peek(access.quotas, now=now).remaining == 3 - len(taken)
    access.close()


def test_counting_waits_for_nothing(access: AccessStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access._file, "read_with", pytest.fail)
    slot = KEY, Kind.REQUESTS, LARGE, HOUR_S
    assert not access.quotas.knows(KEY, Kind.REQUESTS, HOUR_S, NOON)
    assert access.quotas.take_token(*slot, NOON) is None
    assert access.quotas.take_exactly(*slot, NOON).result(timeout=10).remaining == LARGE - 1
    monkeypatch.setattr(access._file, "submit_write", pytest.fail)
    taken = access.quotas.take_token(*slot, NOON)
    assert taken is not None
    assert access.quotas.peek(*slot, NOON).remaining == LARGE - 2
    assert access.quotas.give_back_token(*slot, taken).remaining == LARGE - 1


def test_a_count_that_is_read_while_one_is_saved_does_not_undo_it(
    access: AccessStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(2):
        take(access.quotas, allowance=LARGE)
    read = access._file.read_with

    def read_before_the_save(work):
        found = read(work)
        access.quotas.save_counts_now()
        return found

    monkeypatch.setattr(access._file, "read_with", read_before_the_save)
    access.quotas.learn([(KEY, Kind.REQUESTS, HOUR_S)], NOON)
    assert peek(access.quotas, allowance=LARGE).remaining == LARGE - 2


def test_what_is_asked_for_steadily_is_read_once(
    access: AccessStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each save tells what other processes counted, too."""
    take(access.quotas, allowance=LARGE)
    monkeypatch.setattr(access._file, "read_with", pytest.fail)
    for half_second in range(1, 10):
        take(access.quotas, allowance=LARGE, now=NOON + 500 * half_second)
        access.quotas.save_counts_now()


class TwoProcesses(RuleBasedStateMachine):
    """Two processes on one file, which count, give back, save, are killed and begin again.

    Most windows are small. The large one has 400 left.
    """

    def __init__(self) -> None:
        super().__init__()
        self._folder = tempfile.TemporaryDirectory()
        self._path = Path(self._folder.name, "odds.db")
        self._processes = [open_access(self._path) for _ in range(2)]
        used = Added((LARGE, Kind.REQUESTS, DAY_S), NOON // 1000 // DAY_S * DAY_S, LARGE - 400)
        self._processes[0]._file.write_with(lambda tables: tables.add_counts([used]))
        self._granted = Counter({LARGE: used.added})
        self._lost: Counter[int] = Counter()
        """The most that killed processes had granted and not saved."""
        self._taken: list[tuple[int, int, Count]] = []
        self._now = NOON

    @rule(which=st.integers(0, 1), allowance=ALLOWANCES, times=st.integers(1, 40))
    def take(self, which: int, allowance: int, times: int) -> None:
        quotas = self._processes[which].quotas
        for _ in range(times):
            self._note(which, allowance, self._asked(quotas, allowance).result(timeout=10))

    @rule(allowance=ALLOWANCES, times=st.integers(1, 20))
    def take_at_once(self, allowance: int, times: int) -> None:
        asking = [
            (which, self._asked(process.quotas, allowance))
            for _ in range(times)
            for which, process in enumerate(self._processes)
        ]
        for which, answer in asking:
            self._note(which, allowance, answer.result(timeout=10))

    @rule()
    def give_back(self) -> None:
        if self._taken:
            which, allowance, count = self._taken.pop()
            slot = allowance, Kind.REQUESTS, allowance, DAY_S
            self._processes[which].quotas.give_back_token(*slot, count)
            self._granted[allowance] -= 1

    @rule(which=st.integers(0, 1))
    def save(self, which: int) -> None:
        self._processes[which].quotas.save_counts_now()

    @rule(milliseconds=st.integers(1, 2_000))
    def wait(self, milliseconds: int) -> None:
        self._now += milliseconds

    @rule(which=st.integers(0, 1))
    def kill(self, which: int) -> None:
        """As `kill -9`: what was not saved is lost, which may be some that were given back."""
        for process in self._processes:
            process.quotas.save_counts_now()
        for _ in range(3):
            self.take(which, LARGE, 1)
        with self._processes[which].quotas._lock:
            self._processes[which].quotas._unsaved.clear()
        self._processes[which].close()
        self._lost[LARGE] += MOST_AHEAD
        self._taken = [each for each in self._taken if each[0] != which]
        self._processes[which] = open_access(self._path)

    @invariant()
    def never_too_many(self) -> None:
        for allowance, granted in self._granted.items():
            ahead = 0 if allowance < LARGE else 2 * MOST_AHEAD + self._lost[allowance]
            assert granted <= allowance + ahead

    def teardown(self) -> None:
        for process in self._processes:
            process.quotas.save_counts_now()
        self._now += REREAD_MS
        for allowance in (3, 30, 200):
            self.take(0, allowance, allowance)
            self.take_at_once(allowance, 3)
            assert self._granted[allowance] == allowance, "exactly all that were left"
        for process in self._processes:
            process.close()
        self._folder.cleanup()

    def _asked(self, quotas: Quotas, allowance: int) -> "Future[Count]":
        slot = allowance, Kind.REQUESTS, allowance, DAY_S, self._now
        if (count := quotas.take_token(*slot)) is None:
            return quotas.take_exactly(*slot)
        known = Future[Count]()
        known.set_result(count)
        return known

    def _note(self, which: int, allowance: int, count: Count) -> None:
        if count.allowed:
            self._granted[allowance] += 1
            self._taken.append((which, allowance, count))


TwoProcesses.TestCase.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
test_two_processes_grant_exactly_the_allowance = TwoProcesses.TestCase
