"""The list of alerts over the end of a program: what was told, held back, and not sent yet."""

import logging
from pathlib import Path

import pytest
from msgspec.structs import replace

from oddsdesk.board.alerts.gate import Alert, AlertEntry, Gate, Held
from oddsdesk.board.alerts.memory import AlertMemory
from oddsdesk.board.alerts.rules import Policy, TargetRule
from oddsdesk.board.matrix import RowKey

MINUTE = 60_000
NOW = 1_795_000_000_000
CELL = RowKey("game", "total", 0, "Over 2.5", None)
RULE = TargetRule(game="A vs B", market="moneyline", selection="A", odds=2.0)


class Clock:
    now = NOW

    def __call__(self) -> int:
        return self.now


def value(level: float) -> Alert:
    outcome = ("game", "total", 0, "2.5", "over")
    return Alert(("value", outcome), "Value", "title", "text", level, CELL, ("phone",))


def after_a_restart(path: Path, gate: Gate, clock: Clock, **policy: int) -> Gate:
    memory = AlertMemory(path)
    memory.keep(gate.entries)
    memory.close()
    again = Gate(Policy(**policy), clock)
    reading = AlertMemory(path)
    again.restore(reading.read())
    reading.close()
    return again


def test_alerts_of_odds_that_nobody_offers_use_up_no_hour_of_others(tmp_path: Path) -> None:
    clock = Clock()
    gate = Gate(Policy(most_per_hour=1), clock)
    made_up = Alert(("a",), "Value", "title", "text", not_offered="simulated")
    gate.offer(made_up)
    again = after_a_restart(tmp_path / "told.json", gate, clock, most_per_hour=1)
    other = Alert(("b",), "Value", "title", "text", not_offered="simulated")
    assert again.offer(other).held is Held.HOURLY
    assert again.offer(Alert(("c",), "Value", "title", "text")).held is None
    assert again.offer(Alert(("d",), "Value", "title", "text")).held is Held.HOURLY


def test_what_was_told_is_not_told_again_until_it_is_better(tmp_path: Path) -> None:
    clock = Clock()
    gate = Gate(Policy(), clock)
    gate.offer(value(3.0))
    gate.offer(Alert(("target", RULE), "Target", "title", "text", 1.0))
    again = after_a_restart(tmp_path / "told.json", gate, clock)
    assert again.offer(value(9.0)).held is Held.COOLDOWN
    clock.now += 11 * MINUTE
    assert again.offer(value(3.2)).held is Held.NOT_RISEN
    assert again.offer(Alert(("target", RULE), "Target", "title", "text", 1.0)).held is (
        Held.NOT_RISEN
    )
    assert again.offer(value(3.6)).held is None


def test_the_list_is_what_it_was(tmp_path: Path) -> None:
    clock = Clock()
    gate = Gate(Policy(), clock)
    gate.offer(value(3.0)).deliveries["phone"] = "not yet: 503"
    for _ in range(3):
        gate.offer(value(3.0))
    again = after_a_restart(tmp_path / "told.json", gate, clock)

    def shown(entry: AlertEntry) -> tuple[object, ...]:
        alert = entry.alert
        return alert.title, alert.cell, alert.channels, entry.held, entry.times, entry.deliveries

    assert [shown(each) for each in again.entries] == [shown(each) for each in gate.entries]
    again.offer(value(3.0))
    assert [each.times for each in again.entries] == [1, 4]


def test_odds_of_what_was_told_are_still_numbers(tmp_path: Path) -> None:
    clock = Clock()
    gate = Gate(Policy(), clock)
    gate.offer(Alert(("x",), "Target", ("Over 2.5 ", 2.0, " at Unibet"), "text"))
    (entry,) = after_a_restart(tmp_path / "told.json", gate, clock).entries
    assert entry.alert.says == ("Over 2.5 ", 2.0, " at Unibet")
    assert entry.alert.title == "Over 2.5 2.00 at Unibet"


def test_that_an_alert_is_of_prices_outlives_the_program(tmp_path: Path) -> None:
    clock = Clock()
    gate = Gate(Policy(), clock)
    gate.offer(Alert(("x",), "Target", "title", "text", is_of_prices=True))
    (entry,) = after_a_restart(tmp_path / "told.json", gate, clock).entries
    assert entry.alert.is_of_prices


def test_the_hour_goes_on_over_a_restart(tmp_path: Path) -> None:
    clock = Clock()
    gate = Gate(Policy(most_per_hour=1), clock)
    gate.offer(value(3.0))
    again = after_a_restart(tmp_path / "told.json", gate, clock, most_per_hour=1)
    assert again.offer(Alert(("other",), "Value", "title", "text")).held is Held.HOURLY
    target = Alert(("target",), "Target", "title", "text", is_asked_for=True)
    assert again.offer(target).held is None
    again = after_a_restart(tmp_path / "told.json", again, clock, most_per_hour=1)
    assert again.offer(replace(target, key=("other target",))).held is Held.HOURLY


@pytest.mark.parametrize("text", [b"", b"[1]", b'[{"key": 3}]', b"\xff"])
def test_a_file_that_is_damaged_is_said_and_alerts_begin_anew(
    tmp_path: Path, text: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "told.json"
    path.write_bytes(text)
    memory = AlertMemory(path)
    with caplog.at_level(logging.WARNING):
        assert memory.read() == []
    assert "told before" in caplog.text
    caplog.clear()
    memory.keep([])
    memory.close()
    assert path.read_bytes() == b"[]"


def test_a_folder_that_takes_no_file_is_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    memory = AlertMemory(tmp_path / "file" / "told.json")
    for _ in range(3):
        memory.keep([])
    memory.close()
    assert caplog.text.count("is not kept") == 1
    caplog.clear()
