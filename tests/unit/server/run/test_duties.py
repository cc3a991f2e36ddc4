"""Pruning under clocks that are wrong: nothing goes before its time; checks on threads."""

import asyncio
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from unittest.mock import Mock

import pytest

from oddsdesk.base.tasks import cancel_tasks, spawn
from oddsdesk.contract.quotes import Quote
from oddsdesk.server.run.duties import Pruning, check_at_beats
from oddsdesk.store.store import open_store

NOW = 1_776_000_000_000
HOUR = 3_600_000
DAY = 24 * HOUR
KICK_OFF = NOW + 500 * DAY
LIMIT_S = 30


class Machine:
    """A clock in milliseconds that may be wrong, and time that goes on whatever it says."""

    def __init__(self, store_path: Path) -> None:
        self.clock = NOW
        self.steady_ms = 5_000
        self.store = open_store(store_path, clock=lambda: self.clock)
        self.store.keep_log(30).result(LIMIT_S)
        self.start()

    def start(self) -> None:
        """Start again, as a restart does."""
        self.pruning = Pruning(self.store, lambda: self.clock, lambda: self.steady_ms / 1000)

    def go_on(self, milliseconds: int) -> None:
        self.clock += milliseconds
        self.steady_ms += milliseconds

    def record(self, scraped_at: int, odds: float = 2.0) -> None:
        quote = Quote(
            "Bet365",
            "PSG - Lyon",
            "LIG1",
            "moneyline",
            0,
            {"PSG": odds},
            scraped_at,
            match_date=KICK_OFF,
        )
        self.store.record([quote]).result(LIMIT_S)

    @property
    def left(self) -> tuple[int, int]:
        """How many changes and games there are."""
        query = "SELECT (SELECT count(*) FROM price_change), (SELECT count(*) FROM game)"
        rows = self.store.run_on_writer(lambda c: c.execute(query).fetchall()).result(LIMIT_S)
        return (int(rows[0][0]), int(rows[0][1]))


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    made = Machine(tmp_path / "odds.db")
    yield made
    made.store.close()


def test_history_older_than_what_is_kept_goes(machine: Machine) -> None:
    for day in range(0, 36, 5):
        machine.record(machine.clock, 2 + day / 100)
        machine.pruning.round()
        machine.go_on(5 * DAY)
    assert machine.left == (7, 1)
    assert machine.pruning.waits_for == ""


def test_everything_stays_where_the_database_says_nothing(machine: Machine) -> None:
    machine.store.keep_log(0).result(LIMIT_S)
    machine.record(NOW)
    machine.go_on(400 * DAY)
    machine.record(machine.clock, 2.1)
    machine.start()
    machine.pruning.round()
    assert machine.left == (2, 1)


def test_a_clock_forty_days_ahead_takes_nothing(machine: Machine, caplog) -> None:
    """F5.5: also with prices that are stamped by that clock, and when it goes back."""
    machine.record(NOW)
    machine.pruning.round()
    machine.go_on(HOUR)
    machine.clock += 40 * DAY
    machine.pruning.round()
    assert "the clock jumped by +960.0 hours" in caplog.text
    for _ in range(3):
        machine.go_on(HOUR)
        machine.record(machine.clock, 2.0 + machine.steady_ms / DAY)
        machine.pruning.round()
    assert machine.left == (4, 1)
    machine.clock -= 40 * DAY
    for _ in range(3):
        machine.go_on(HOUR)
        machine.pruning.round()
    assert machine.left == (4, 1)
    assert len(caplog.records) == 2


def test_a_start_with_the_clock_forty_days_ahead_takes_nothing(machine: Machine) -> None:
    machine.record(NOW)
    machine.clock += 40 * DAY
    machine.start()
    machine.pruning.round()
    machine.record(machine.clock, 2.1)
    machine.go_on(HOUR)
    machine.pruning.round()
    assert machine.left == (2, 1)


@pytest.mark.parametrize("ahead", [9, 40])
def test_a_clock_that_stays_ahead_takes_nothing_before_its_time(
    machine: Machine, ahead: int
) -> None:
    """D76: by the time that passes, whatever the clock says."""
    began = machine.steady_ms
    for day in range(10):
        machine.record(machine.clock, 2 + day / 100)
        machine.go_on(DAY)
    machine.clock += ahead * DAY
    for day in range(10, 45):
        machine.start()
        machine.record(machine.clock, 2 + day / 100)
        machine.pruning.round()
        passed = (machine.steady_ms - began) // DAY
        assert machine.left[0] >= min(passed + 1, 30), passed
        machine.go_on(DAY)
    assert machine.left[0] <= 32


def test_a_clock_ahead_over_two_starts_is_told_for_a_day(machine: Machine, caplog) -> None:
    """What nothing but the clock says to be old is kept until it can be put right (D76)."""
    machine.record(NOW)
    machine.clock += 40 * DAY
    machine.start()
    machine.record(machine.clock, 2.1)
    machine.start()
    for hour in range(1, 24):
        machine.go_on(HOUR)
        machine.record(machine.clock, 2.1 + hour / 100)
        machine.pruning.round()
        assert "after 40.0 days without any. Set the clock" in machine.pruning.waits_for
    assert machine.left == (25, 1)
    assert len(caplog.records) == 1
    machine.clock -= 40 * DAY
    machine.start()
    machine.record(machine.clock, 1.9)
    machine.pruning.round()
    assert machine.left == (26, 1)
    assert machine.pruning.waits_for == ""


def test_what_is_before_a_long_pause_goes_once_as_much_was_recorded_as_is_kept(
    machine: Machine,
) -> None:
    machine.record(NOW)
    machine.go_on(40 * DAY)
    for day in range(31):
        machine.start()
        machine.record(machine.clock, 2.1 + day / 100)
        machine.pruning.round()
        assert machine.left == (day + 2, 1)
        assert bool(machine.pruning.waits_for) is (day < 2)
        machine.go_on(DAY)
    machine.start()
    machine.record(machine.clock, 3.1)
    machine.pruning.round()
    assert machine.left == (31, 1)


def test_pauses_that_are_a_habit_let_history_go_a_pause_later(machine: Machine) -> None:
    """A desk that is open for three hours a week and keeps a day does not keep everything."""
    machine.store.keep_log(1).result(LIMIT_S)
    for week in range(10):
        for hour in range(3):
            machine.record(machine.clock, 2 + week / 10 + hour / 100)
            machine.go_on(HOUR)
        machine.start()
        machine.pruning.round()
        assert machine.left[0] <= 6
        machine.go_on(7 * DAY)


def test_a_clock_that_begins_in_the_past_and_is_put_right_delays_nothing(machine: Machine) -> None:
    machine.record(NOW - 29 * DAY)
    machine.record(NOW, 2.1)
    machine.clock = NOW - 400 * DAY
    machine.start()
    machine.pruning.round()
    assert machine.left == (2, 1)
    machine.steady_ms += 2 * DAY
    machine.clock = NOW + 2 * DAY
    machine.pruning.round()
    assert machine.left == (2, 1)
    machine.record(machine.clock, 2.2)
    assert machine.left == (3, 1)
    machine.pruning.round()
    assert machine.left == (2, 1)


def test_an_empty_database_is_left_alone(machine: Machine) -> None:
    machine.pruning.round()
    assert machine.left == (0, 0)


@pytest.mark.parametrize("hours", [-1.5, 1.5, -48, 48])
def test_a_round_after_a_jump_is_left_out(machine: Machine, hours: float, caplog) -> None:
    machine.record(NOW - 25 * DAY)
    machine.record(NOW, 2.1)
    machine.pruning.round()
    machine.go_on(6 * DAY)
    machine.record(machine.clock, 2.2)
    machine.clock += int(hours * HOUR)
    machine.pruning.round()
    assert machine.left == (3, 1)
    assert f"jumped by {hours:+.1f} hours" in caplog.text
    machine.clock -= int(hours * HOUR)
    machine.pruning.round()
    machine.pruning.round()
    assert machine.left == (2, 1)


async def test_checks_follow_each_other_and_their_ends_do_not_wake_the_loop(monkeypatch) -> None:
    third = threading.Event()
    begun: list[str] = []

    def check() -> None:
        begun.append(threading.current_thread().name)
        if len(begun) == 3:
            third.set()

    wake = Mock()
    monkeypatch.setattr(asyncio.get_running_loop(), "call_soon_threadsafe", wake)
    with ThreadPoolExecutor(1, thread_name_prefix="check") as thread:
        checking = spawn("checks", check_at_beats(0.01, thread, check))
        async with asyncio.timeout(LIMIT_S):
            while not third.is_set():
                await asyncio.sleep(0.01)
        await cancel_tasks(checking)
    assert set(begun) == {"check_0"}
    assert not wake.called


async def test_a_check_that_takes_long_is_waited_for_and_its_error_raised() -> None:
    ends, begun = threading.Event(), []

    def check() -> None:
        begun.append(1)
        assert ends.wait(LIMIT_S)
        raise RuntimeError("no disk")

    with ThreadPoolExecutor(1) as thread:
        checking = spawn("checks", check_at_beats(0.01, thread, check))
        await asyncio.sleep(0.1)
        assert len(begun) == 1
        assert not checking.done()
        ends.set()
        async with asyncio.timeout(LIMIT_S):
            with pytest.raises(RuntimeError, match="no disk"):
                await checking
    assert len(begun) == 1
