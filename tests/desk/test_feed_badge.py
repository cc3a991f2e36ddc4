"""What the top bar says of odds that are not of this moment."""

from datetime import datetime

from oddsdesk.contract.administration import FeedState
from oddsdesk.desk.shell.connections import badge_of

RECORDED = round(datetime(2026, 4, 16, 12).timestamp() * 1000)


def feed(
    *, running: bool = True, recorded_at: int | None = RECORDED, speed: float = 1
) -> FeedState:
    return FeedState(1, "replay:x", "replay of x", speed, False, running, "", recorded_at)


def test_a_replay_is_named_with_its_day_and_speed() -> None:
    assert badge_of([feed()]) == "Replay · 16 Apr 2026 · 1×"
    assert badge_of([feed(running=False), feed(speed=2.5)]) == "Replay · 16 Apr 2026 · 2.5×"


def test_odds_of_this_moment_get_no_badge() -> None:
    assert badge_of([]) == ""
    assert badge_of([feed(running=False), feed(recorded_at=None)]) == ""
