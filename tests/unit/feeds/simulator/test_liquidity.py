"""The reference's limits."""

from oddsdesk.contract.times import HOUR_MS
from oddsdesk.feeds.simulator.groups import MarketKey
from oddsdesk.feeds.simulator.prices import largest_bet

MONEYLINE = MarketKey("moneyline", 0)


def test_limits_rise_towards_kick_off() -> None:
    limits = [
        largest_bet(10_000, MONEYLINE, hours * HOUR_MS, False) for hours in (70, 30, 12, 3, 0)
    ]
    assert limits == sorted(limits)
    assert limits[0] < limits[-1] == 10_000


def test_limits_are_smaller_in_play_on_parts_and_on_players() -> None:
    full = largest_bet(10_000, MONEYLINE, 0, False)
    assert largest_bet(10_000, MONEYLINE, 0, True) < full
    assert largest_bet(10_000, MarketKey("moneyline", 1), 0, False) < full
    assert 0 < largest_bet(600, MarketKey("player_prop", 0), 0, False) < 100
