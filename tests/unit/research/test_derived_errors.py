"""Lines are left out and predicted; errors that were planted are found."""

import contextlib
import math
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pytest

from oddsdesk.contract.quotes import Quote
from oddsdesk.pricing.derived import BandKey
from oddsdesk.pricing.error_bands import BandRow
from oddsdesk.pricing.score_grid import score_grid
from oddsdesk.pricing.value import LineName
from oddsdesk.research.derived_errors import (
    LineError,
    PricedGame,
    band_rows,
    errors_of,
    percentile,
    priced_games,
)
from oddsdesk.research.recorded_log import RecordedLog
from oddsdesk.store.store import Store, open_store

KICK_OFF = 1_776_340_800_000
MINUTE = 60_000
DAY = 24 * 60 * MINUTE
MARGIN = 1.02
HOME, AWAY = "Leeds", "Hull"
PLANTED = 0.01
"""How much likelier Over 3.5 is than in the model that all other prices come from."""


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with contextlib.closing(open_store(tmp_path / "odds.db", clock=lambda: KICK_OFF - DAY)) as held:
        yield held


def odds(chances: Sequence[float]) -> list[float]:
    return [1 / (chance * MARGIN) for chance in chances]


def quotes(
    number: int = 0,
    minutes: int = -60,
    *,
    rates: tuple[float, float] = (1.6, 1.1),
    planted: float = PLANTED,
    totals: Iterable[str] = ("2.5", "3.5"),
    spreads: Iterable[str] = ("-1", "0"),
    **fields: object,
) -> list[Quote]:
    """Prices of a score grid, with a margin, and Over 3.5 made more likely by ``planted``."""
    grid = score_grid(*rates)

    def both(market_type: str, key: str, side: str) -> list[float]:
        chance = grid.probability(market_type, key, side) or 0.0
        chance += planted if (market_type, key) == ("total", "3.5") else 0.0
        return odds([chance, 1 - chance])

    three = [grid.probability("moneyline", "", side) or 0.0 for side in ("home", "draw", "away")]
    moneyline = dict(zip((HOME, "Draw", AWAY), odds(three), strict=True))
    total, spread = dict[str, float](), dict[str, float]()
    for line in totals:
        over, under = both("total", line, "over")
        total |= {f"Over {line}": over, f"Under {line}": under}
    for line in spreads:
        home, away = both("spread", line, "home")
        other = f"{-float(line):+g}" if float(line) else "0"
        spread |= {f"{HOME} {line}": home, f"{AWAY} {other}": away}
    begins = KICK_OFF + number * DAY
    return [
        Quote(
            **{
                "bookmaker": "Pinnacle",
                "match_name": f"{HOME} vs {AWAY}",
                "competition": "EPL",
                "market_type": market_type,
                "period": 0,
                "odds": prices,
                "match_date": begins,
                "scraped_at": begins + minutes * MINUTE,
                **fields,
            }
        )
        for market_type, prices in (("moneyline", moneyline), ("total", total), ("spread", spread))
        if prices
    ]


def games(store: Store, now_ms: int = KICK_OFF + 400 * DAY, **more: object) -> list[PricedGame]:
    log = RecordedLog(store.reader())
    return list(priced_games(log, "Pinnacle", now_ms, method="multiplicative", **more))


def named(errors: Iterable[LineError]) -> dict[tuple[str, str, str, str], LineError]:
    return {(each.given, *each.name, each.key.distance): each for each in errors}


def test_a_planted_error_is_found_and_nothing_else(store: Store) -> None:
    store.record(quotes()).result(10)
    (game,) = games(store)
    found = named(errors_of(game))
    planted = found["one", "total", "3.5", "1"]
    assert planted.error == pytest.approx(PLANTED, abs=1e-5)
    assert planted.bias == pytest.approx(-PLANTED, abs=1e-5), "predicted less than it says"
    assert found["one", "spread", "-1", "none"].error == pytest.approx(0, abs=1e-4)


def test_lines_that_imply_a_line_are_left_out_with_it(store: Store) -> None:
    store.record(quotes(planted=0.0, totals=("2", "2.5", "3", "3.5"))).result(10)
    (game,) = games(store)
    found = named(errors_of(game))
    assert not {each for each in found if each[1:3] == ("spread", "0")}, "by the match result"
    assert ("all", "total", "3", "0.5") not in found, "by 2.5 and 3.5"
    assert found["all", "total", "3", "1"].error < 1e-3, "by the model from 2"


def test_a_game_counts_at_the_last_moment_before_kick_off(store: Store) -> None:
    store.record(quotes(minutes=-600, rates=(2.5, 0.6))).result(10)
    store.record(quotes(minutes=-5, rates=(1.6, 1.1))).result(10)
    store.record(quotes(minutes=20, rates=(0.9, 1.4), is_live=True)).result(10)
    (game,) = games(store)
    (line,) = [each for each in game.lines if each.market_type == "moneyline"]
    assert line.prices["home"].fair_odds == pytest.approx(
        1 / (score_grid(1.6, 1.1).probability("moneyline", "", "home") or 0)
    )


def test_markets_taken_down_shortly_before_kick_off_are_counted(store: Store) -> None:
    store.record(quotes(minutes=-90)).result(10)
    for minutes, quote in zip((-9, -6, -3), quotes(), strict=True):
        gone = dict.fromkeys(quote.odds, 0.0)
        again = Quote(
            "Pinnacle", quote.match_name, "EPL", quote.market_type, 0, gone,
            match_date=KICK_OFF, scraped_at=KICK_OFF + minutes * MINUTE,
        )  # fmt: skip
        store.record([again]).result(10)
    (game,) = games(store)
    assert len(game.lines) == 5


def test_a_line_that_was_moved_away_from_is_not_counted(store: Store) -> None:
    store.record(quotes(minutes=-600, totals=["2.5", "3.5"])).result(10)
    store.record(quotes(minutes=-300, totals=["2.5", "3"])).result(10)
    (game,) = games(store)
    assert {line.group.key for line in game.lines if line.market_type == "total"} == {"2.5", "3"}


def test_a_game_to_come_counts_as_it_is(store: Store) -> None:
    store.record(quotes(minutes=-600)).result(10)
    (game,) = games(store, now_ms=KICK_OFF - 500 * MINUTE)
    assert len(game.lines) == 5


def test_only_the_asked_sport_and_bookmaker_count(store: Store) -> None:
    store.record([*quotes(), *quotes(1, bookmaker="Bet365")]).result(10)
    assert len(games(store, sport="Football")) == 1
    assert games(store, sport="Tennis") == []


def test_the_table_has_the_ninetieth_percentile_the_mean_and_both_counts() -> None:
    game = PricedGame("a", "Football", 0, ())
    key = BandKey("Football", "total", "1")
    errors = [
        LineError(
            game if number <= 6 else game._replace(game_id="b"),
            LineName("total", f"{number}.5"), key, "one", number / 100, -number / 100,
        )
        for number in range(1, 11)
    ]  # fmt: skip
    (row,) = band_rows(errors, "shin")
    assert row == BandRow(key, "one", "shin", 0.09, pytest.approx(-0.055), 10, 2)


@pytest.mark.parametrize(
    ("errors", "expected"), [([0.3], 0.3), ([1, 2], 2), (range(1, 11), 9), (range(1, 31), 27)]
)
def test_the_percentile_is_the_nearest_rank(errors: Sequence[float], expected: float) -> None:
    assert percentile(list(errors)) == expected
    assert math.isclose(percentile(list(reversed(errors))), expected)
