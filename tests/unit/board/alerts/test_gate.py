"""What is sent, and what is held back and why."""

import time as time_module
from collections.abc import Iterator
from datetime import time

import pytest
from msgspec.structs import replace

from oddsdesk.board.alerts.gate import Alert, Gate, Held
from oddsdesk.board.alerts.rules import Policy
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
    assert held.offer(alert()).held is None
    clock.now += 9 * MINUTE
    assert held.offer(alert(level=9.0)).held is Held.COOLDOWN
    clock.now += MINUTE
    assert held.offer(alert(level=3.4)).held is Held.NOT_RISEN
    assert held.offer(alert(level=3.5)).held is None
    assert held.offer(alert("other")).held is None


@pytest.mark.parametrize("is_begun_anew", [False, True])
def test_what_a_clock_ahead_sent_holds_nothing_back_for_longer(is_begun_anew: bool) -> None:
    clock = Clock()
    clock.now += 24 * 60 * MINUTE
    held = gate(clock, most_per_hour=2)
    assert held.offer(alert()).held is None
    assert held.offer(alert("other")).held is None
    clock.now -= 24 * 60 * MINUTE
    if is_begun_anew:
        before, held = held.entries, gate(clock, most_per_hour=2)
        held.restore(before)
    assert held.offer(alert(level=9.0)).held is Held.COOLDOWN
    clock.now += 10 * MINUTE
    assert held.offer(alert(level=9.0)).held is Held.HOURLY
    clock.now += 50 * MINUTE
    assert held.offer(alert(level=9.0)).held is None


def test_what_has_no_figure_alerts_again_after_the_cooldown() -> None:
    clock = Clock()
    held = gate(clock)
    assert held.offer(alert(level=None)).held is None
    clock.now += 10 * MINUTE
    assert held.offer(alert(level=None)).held is None


def test_nothing_is_sent_in_quiet_hours_and_what_was_held_may_pass_after_them() -> None:
    clock = Clock()
    held = gate(clock, quiet=("23:00", "07:00"))
    clock.time_of_day = time(23, 30)
    assert held.offer(alert()).held is Held.QUIET
    clock.time_of_day = time(7)
    assert held.offer(alert(), is_news=False).held is None


def test_odds_that_nobody_offers_have_an_hour_of_their_own() -> None:
    held = gate(Clock(), most_per_hour=2)
    made_up = [replace(alert(key), not_offered="simulated") for key in "abc"]
    assert [held.offer(each).held for each in made_up] == [None, None, Held.HOURLY]
    assert [held.offer(alert(key)).held for key in "def"] == [None, None, Held.HOURLY]


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
    assert (held.offer(alert()).held is Held.QUIET) is is_quiet


def test_at_most_so_many_are_sent_an_hour() -> None:
    clock = Clock()
    held = gate(clock, most_per_hour=2)
    found = [held.offer(alert(str(number))).held for number in range(4)]
    assert found == [None, None, Held.HOURLY, Held.HOURLY]
    clock.now += 60 * MINUTE
    assert held.offer(alert("2"), is_news=False).held is None


def test_what_is_held_for_the_same_reason_is_one_line_with_a_count() -> None:
    clock = Clock()
    held = gate(clock)
    for _ in range(50):
        clock.now += 1_000
        held.offer(alert())
    held.offer(alert(), is_news=False)
    assert [(entry.held, entry.times) for entry in held.entries] == [(None, 1), (Held.COOLDOWN, 49)]


def test_the_list_stays_small() -> None:
    clock = Clock()
    held = gate(clock, most_per_hour=10_000)
    for number in range(2_000):
        held.offer(alert(str(number)))
    assert len(held.entries) == 500
    assert held.entries[0].alert.key == ("1500",)


def test_what_is_held_back_drives_nothing_that_was_sent_out_of_the_list() -> None:
    held = gate(Clock(), most_per_hour=3)
    for number in range(2_000):
        held.offer(alert(str(number)))
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
    held.offer(alert())
    clock.now += 24 * 60 * MINUTE + 1
    held.offer(alert("other"))
    assert held.offer(alert()).held is None
