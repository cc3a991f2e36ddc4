"""What is sent, and what is held back and why."""

import json
import logging
import time as time_module
from collections.abc import Iterator
from datetime import time
from pathlib import Path

import pytest
from msgspec.structs import replace

from oddsdesk.board.alerts.gate import Alert, AlertEntry, AlertMemory, Gate, Held
from oddsdesk.board.alerts.rules import Policy, TargetRule
from oddsdesk.board.model.matrix import RowKey
from oddsdesk.contract.times import parse_ms

MINUTE = 60_000


class Clock:
    def __init__(self) -> None:
        self.now = 1_795_000_000_000
        self.time_of_day = time(12)

    def __call__(self) -> int:
        return self.now


def gate(clock: Clock, **policy: object) -> Gate:
    return Gate(Policy(**policy), clock, lambda _: clock.time_of_day)  # type: ignore[arg-type]


def alert(key: str = "bet", level: float | None = 3.0) -> Alert:
    return Alert((key,), "Value", "title", "text", level)


def test_the_same_bet_alerts_once_a_cooldown() -> None:
    clock = Clock()
    held = gate(clock)
    assert held.decide_alert(alert()).held is None
    clock.now += 9 * MINUTE
    assert held.decide_alert(alert(level=9.0)).held is Held.COOLDOWN
    clock.now += MINUTE
    assert held.decide_alert(alert(level=3.4)).held is Held.NOT_RISEN
    assert held.decide_alert(alert(level=3.5)).held is None
    assert held.decide_alert(alert("other")).held is None


@pytest.mark.parametrize("is_begun_anew", [False, True])
def test_what_a_clock_ahead_sent_holds_nothing_back_for_longer(is_begun_anew: bool) -> None:
    clock = Clock()
    clock.now += 24 * 60 * MINUTE
    held = gate(clock, most_per_hour=2)
    assert held.decide_alert(alert()).held is None
    assert held.decide_alert(alert("other")).held is None
    clock.now -= 24 * 60 * MINUTE
    if is_begun_anew:
        before, held = held.entries, gate(clock, most_per_hour=2)
        held.restore_entries(before)
    assert held.decide_alert(alert(level=9.0)).held is Held.COOLDOWN
    clock.now += 10 * MINUTE
    assert held.decide_alert(alert(level=9.0)).held is Held.HOURLY
    clock.now += 50 * MINUTE
    assert held.decide_alert(alert(level=9.0)).held is None


def test_what_has_no_figure_alerts_again_after_the_cooldown() -> None:
    clock = Clock()
    held = gate(clock)
    assert held.decide_alert(alert(level=None)).held is None
    clock.now += 10 * MINUTE
    assert held.decide_alert(alert(level=None)).held is None


def test_nothing_is_sent_in_quiet_hours_and_what_was_held_may_pass_after_them() -> None:
    clock = Clock()
    held = gate(clock, quiet=("23:00", "07:00"))
    clock.time_of_day = time(23, 30)
    assert held.decide_alert(alert()).held is Held.QUIET
    clock.time_of_day = time(7)
    assert held.decide_alert(alert(), is_news=False).held is None


def test_odds_that_nobody_offers_have_an_hour_of_their_own() -> None:
    held = gate(Clock(), most_per_hour=2)
    made_up = [replace(alert(key), not_offered="simulated") for key in "abc"]
    assert [held.decide_alert(each).held for each in made_up] == [None, None, Held.HOURLY]
    assert [held.decide_alert(alert(key)).held for key in "def"] == [None, None, Held.HOURLY]


def test_simulated_odds_fill_no_hour_of_real_ones_whose_times_are_shifted() -> None:
    held = gate(Clock(), most_per_hour=1)
    made_up, old = (replace(alert("a"), not_offered=why) for why in ("simulated", "shifted"))
    assert [held.decide_alert(each).held for each in (made_up, old)] == [None, None]
    assert held.decide_alert(replace(old, key=("b",))).held is Held.HOURLY


@pytest.mark.parametrize("is_begun_anew", [False, True])
def test_simulated_odds_hold_nothing_of_real_ones_back(is_begun_anew: bool) -> None:
    clock = Clock()
    held = gate(clock, most_per_hour=1)
    made_up = replace(alert(level=9.0), not_offered="simulated")
    assert [held.decide_alert(made_up).held for _ in range(2)] == [None, Held.COOLDOWN]
    if is_begun_anew:
        before, held = held.entries, gate(clock, most_per_hour=1)
        held.restore_entries(before)
    assert held.full_until_ms("simulated") == clock.now + 60 * MINUTE
    assert held.full_until_ms("") is None
    assert held.decide_alert(alert()).held is None
    assert held.full_until_ms("") == clock.now + 60 * MINUTE


@pytest.fixture
def london(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine in London, where summer ended on 25 October 2026 and begins on 28 March 2027."""
    if not hasattr(time_module, "tzset"):
        pytest.skip("this system has no clock of its own for a program")
    with monkeypatch.context() as patch:
        patch.setenv("TZ", "Europe/London")
        time_module.tzset()
        yield
    time_module.tzset()


@pytest.mark.usefixtures("london")
@pytest.mark.parametrize(
    ("moment", "is_quiet"),
    [
        ("2026-10-24T21:59:00Z", False),  # 22:59 in summer
        ("2026-10-24T22:00:00Z", True),  # 23:00 in summer
        ("2026-10-25T05:59:00Z", True),
        ("2026-10-25T06:30:00Z", True),  # 06:30 in winter, 07:30 by the clock of yesterday
        ("2026-10-25T07:00:00Z", False),
        ("2027-03-27T23:00:00Z", True),
        ("2027-03-28T05:59:00Z", True),  # 06:59 in summer
        ("2027-03-28T06:00:00Z", False),  # 07:00 in summer
    ],
)
def test_quiet_hours_over_midnight_go_by_the_local_clock_also_when_it_is_changed(
    moment: str, is_quiet: bool
) -> None:
    clock = Clock()
    clock.now = parse_ms(moment)
    held = Gate(Policy(quiet=("23:00", "07:00")), clock)
    assert (held.decide_alert(alert()).held is Held.QUIET) is is_quiet


def test_at_most_so_many_are_sent_an_hour() -> None:
    clock = Clock()
    held = gate(clock, most_per_hour=2)
    found = [held.decide_alert(alert(str(number))).held for number in range(4)]
    assert found == [None, None, Held.HOURLY, Held.HOURLY]
    clock.now += 60 * MINUTE
    assert held.decide_alert(alert("2"), is_news=False).held is None


def test_what_is_held_for_the_same_reason_is_one_line_with_a_count() -> None:
    clock = Clock()
    held = gate(clock)
    for _ in range(50):
        clock.now += 1_000
        held.decide_alert(alert())
    held.decide_alert(alert(), is_news=False)
    assert [(entry.held, entry.times) for entry in held.entries] == [(None, 1), (Held.COOLDOWN, 49)]


def test_the_list_stays_small() -> None:
    clock = Clock()
    held = gate(clock, most_per_hour=10_000)
    for number in range(2_000):
        held.decide_alert(alert(str(number)))
    assert len(held.entries) == 500
    assert held.entries[0].alert.key == ("1500",)


def test_what_is_held_back_drives_nothing_that_was_sent_out_of_the_list() -> None:
    held = gate(Clock(), most_per_hour=3)
    for number in range(2_000):
        held.decide_alert(alert(str(number)))
    assert [each.alert.key for each in held.entries if each.held is None] == [
        ("0",),
        ("1",),
        ("2",),
    ]
    assert len(held.entries) == 500
    assert held.entries[-1].alert.key == ("1999",)


def test_what_was_sent_a_day_ago_is_forgotten() -> None:
    clock = Clock()
    held = gate(clock)
    held.decide_alert(alert())
    clock.now += 24 * 60 * MINUTE + 1
    held.decide_alert(alert("other"))
    assert held.decide_alert(alert()).held is None


NOW = 1_795_000_000_000
CELL = RowKey("game", "total", 0, "Over 2.5", "Betfair")
RULE = TargetRule(game="A vs B", market="moneyline", selection="A", odds=2.0)


class _MemoryClock:
    now = NOW

    def __call__(self) -> int:
        return self.now


def value(level: float) -> Alert:
    outcome = ("game", "total", 0, "2.5", "over")
    return Alert(("value", outcome), "Value", "title", "text", level, CELL, ("phone",))


def after_a_restart(path: Path, gate: Gate, clock: _MemoryClock, **policy: int) -> Gate:
    memory = AlertMemory(path)
    memory.keep_entries(gate.entries)
    memory.finish_writing()
    again = Gate(Policy(**policy), clock)
    reading = AlertMemory(path)
    again.restore_entries(reading.read_entries())
    reading.finish_writing()
    return again


def test_an_alert_kept_without_a_bookmaker_is_of_none(tmp_path: Path) -> None:
    """So files of before have the reference, and lines as a whole."""
    path = tmp_path / "told.json"
    cell = ["game", "total", 0, "Over 2.5", None]
    line = {"key": "a", "rule": "Steam", "title": "t", "text": "t", "at": NOW, "cell": cell}
    path.write_text(json.dumps([line]), "utf-8")
    memory = AlertMemory(path)
    (entry,) = memory.read_entries()
    memory.finish_writing()
    assert entry.alert.cell == RowKey("game", "total", 0, "Over 2.5", "")


def test_alerts_of_odds_that_nobody_offers_use_up_no_hour_of_others(tmp_path: Path) -> None:
    clock = _MemoryClock()
    gate = Gate(Policy(most_per_hour=1), clock)
    made_up = Alert(("a",), "Value", "title", "text", not_offered="simulated")
    gate.decide_alert(made_up)
    again = after_a_restart(tmp_path / "told.json", gate, clock, most_per_hour=1)
    other = Alert(("b",), "Value", "title", "text", not_offered="simulated")
    assert again.decide_alert(other).held is Held.HOURLY
    assert again.decide_alert(Alert(("c",), "Value", "title", "text")).held is None
    assert again.decide_alert(Alert(("d",), "Value", "title", "text")).held is Held.HOURLY


def test_what_was_told_is_not_told_again_until_it_is_better(tmp_path: Path) -> None:
    clock = _MemoryClock()
    gate = Gate(Policy(), clock)
    gate.decide_alert(value(3.0))
    gate.decide_alert(Alert(("target", RULE), "Target", "title", "text", 1.0))
    again = after_a_restart(tmp_path / "told.json", gate, clock)
    assert again.decide_alert(value(9.0)).held is Held.COOLDOWN
    clock.now += 11 * MINUTE
    assert again.decide_alert(value(3.2)).held is Held.NOT_RISEN
    assert again.decide_alert(Alert(("target", RULE), "Target", "title", "text", 1.0)).held is (
        Held.NOT_RISEN
    )
    assert again.decide_alert(value(3.6)).held is None


def test_the_list_is_what_it_was(tmp_path: Path) -> None:
    clock = _MemoryClock()
    gate = Gate(Policy(), clock)
    gate.decide_alert(value(3.0)).deliveries["phone"] = "not yet: 503"
    for _ in range(3):
        gate.decide_alert(value(3.0))
    again = after_a_restart(tmp_path / "told.json", gate, clock)

    def shown(entry: AlertEntry) -> tuple[object, ...]:
        alert = entry.alert
        return (
            alert.alert_title,
            alert.cell,
            alert.channels,
            entry.held,
            entry.times,
            entry.deliveries,
        )

    assert [shown(each) for each in again.entries] == [shown(each) for each in gate.entries]
    again.decide_alert(value(3.0))
    assert [each.times for each in again.entries] == [1, 4]


def test_odds_of_what_was_told_are_still_numbers(tmp_path: Path) -> None:
    clock = _MemoryClock()
    gate = Gate(Policy(), clock)
    gate.decide_alert(Alert(("x",), "Target", ("Over 2.5 ", 2.0, " at Unibet"), "text"))
    (entry,) = after_a_restart(tmp_path / "told.json", gate, clock).entries
    assert entry.alert.says == ("Over 2.5 ", 2.0, " at Unibet")
    assert entry.alert.alert_title == "Over 2.5 2.00 at Unibet"


def test_that_an_alert_is_of_prices_outlives_the_program(tmp_path: Path) -> None:
    clock = _MemoryClock()
    gate = Gate(Policy(), clock)
    gate.decide_alert(Alert(("x",), "Target", "title", "text", is_of_prices=True))
    (entry,) = after_a_restart(tmp_path / "told.json", gate, clock).entries
    assert entry.alert.is_of_prices


def test_the_hour_goes_on_over_a_restart(tmp_path: Path) -> None:
    clock = _MemoryClock()
    gate = Gate(Policy(most_per_hour=1), clock)
    gate.decide_alert(value(3.0))
    again = after_a_restart(tmp_path / "told.json", gate, clock, most_per_hour=1)
    assert again.decide_alert(Alert(("other",), "Value", "title", "text")).held is Held.HOURLY
    target = Alert(("target",), "Target", "title", "text", is_asked_for=True)
    assert again.decide_alert(target).held is None
    again = after_a_restart(tmp_path / "told.json", again, clock, most_per_hour=1)
    assert again.decide_alert(replace(target, key=("other target",))).held is Held.HOURLY


@pytest.mark.parametrize("text", [b"", b"[1]", b'[{"key": 3}]', b"\xff"])
def test_a_file_that_is_damaged_is_said_and_alerts_begin_anew(
    tmp_path: Path, text: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "told.json"
    path.write_bytes(text)
    memory = AlertMemory(path)
    with caplog.at_level(logging.WARNING):
        assert memory.read_entries() == []
    assert "earlier alerts" in caplog.text
    caplog.clear()
    memory.keep_entries([])
    memory.finish_writing()
    assert path.read_bytes() == b"[]"


def test_a_folder_that_takes_no_file_is_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    memory = AlertMemory(tmp_path / "file" / "told.json")
    for _ in range(3):
        memory.keep_entries([])
    memory.finish_writing()
    assert caplog.text.count("was not saved") == 1
    caplog.clear()


def test_the_reasons_that_are_stored_stay() -> None:
    """A list of alerts that an earlier build saved is read."""
    assert [each.value for each in Held] == [
        "told a moment ago",
        "told before, and it is no better",
        "quiet hours",
        "enough for this hour",
    ]
    assert all(each.held_text for each in Held)
