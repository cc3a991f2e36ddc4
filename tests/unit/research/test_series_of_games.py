"""A game's statistics are found by id, and by name once the database has forgotten the game."""

from collections.abc import Callable

from oddsdesk.contract.identity import game_id
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.series import GameSeries, SeriesPoint
from oddsdesk.research.recorded_log import RecordedLog
from oddsdesk.store.store import Store
from tests.kit.store import NOW

KICK_OFF = NOW + 3_600_000
DAY = 86_400_000
BEST = SeriesPoint("moneyline", 0, "best", True, KICK_OFF, {"PSG": 1.6, "Draw": 4.4, "Lyon": 6.0})


def test_a_game_has_its_own_series(every_store: Store, quote: Callable[..., Quote]) -> None:
    every_store.record([quote()]).result(10)
    names = ("LIG1", "PSG - Lyon")
    series = [
        GameSeries(*names, KICK_OFF + day * DAY, (BEST,), source="football-data")
        for day in (0, 300)
    ]
    other = GameSeries(*names, KICK_OFF, (), source="other")
    every_store.record_series([*series, other]).result(10)
    log = RecordedLog(every_store.reader())
    asked = "PSG - Lyon", "LIG1"
    here = log.series_of("football-data", game_id(*names), *asked, KICK_OFF)
    assert here is not None
    assert (here.kick_off, here.points) == (KICK_OFF, (BEST,))
    forgotten = log.series_of("football-data", "gone", *asked, KICK_OFF + 300 * DAY)
    assert forgotten is not None
    assert forgotten.kick_off == KICK_OFF + 300 * DAY
    assert log.series_of("football-data", "gone", *asked, KICK_OFF + 100 * DAY) is None
    assert log.series_of("football-data", "gone", *asked, None) is None
    assert log.series_of("another", game_id(*names), *asked, KICK_OFF) is None
