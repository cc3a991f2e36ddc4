"""Games of two scoring sides: one model behind every market."""

from random import Random

import pytest

from oddsdesk.feeds.simulator.groups import MarketKey, Markets
from oddsdesk.feeds.simulator.race import Race
from oddsdesk.feeds.simulator.race_markets import Prop
from oddsdesk.feeds.simulator.sports import RULES

NAMES = ("Arsenal", "Chelsea")


def chance(markets: Markets, market_type: str, selection: str, period: int = 0) -> float:
    for group in markets[MarketKey(market_type, period)]:
        if selection in group.selections:
            return group.probabilities[group.selections.index(selection)]
    raise AssertionError(f"{selection} is not priced")


@pytest.mark.parametrize("ratings", [(0.1, 0.0), (-0.4, 0.5)])
def test_football_markets_agree_with_each_other(ratings: tuple[float, float]) -> None:
    markets = Race("Football", NAMES, ratings, []).markets(live=False)
    home, draw, away = (
        chance(markets, "moneyline", name) for name in ("Arsenal", "Draw", "Chelsea")
    )
    assert home + draw + away == pytest.approx(1)
    assert chance(markets, "draw_no_bet", "Arsenal") == pytest.approx(home / (home + away))
    assert chance(markets, "double_chance", "1X") == pytest.approx(home + draw)
    behind = chance(markets, "3way_handicap", "Chelsea +1")
    assert behind == pytest.approx(away + draw)


@pytest.mark.parametrize("sport", sorted(RULES))
def test_every_sport_is_played_to_its_end(sport: str) -> None:
    race, random, elapsed = Race(sport, NAMES, (0, 0), []), Random(2), 0
    while not race.over:
        elapsed += 25_000
        race.play(random, elapsed)
    assert elapsed >= race.longest_ms
    assert race.played == pytest.approx(1)
    expected = 2 * RULES[sport].mean
    assert 0 <= sum(race.score) < 3 * expected + 4


def test_a_goal_moves_the_price_and_suspends() -> None:
    race, random, elapsed = Race("Football", NAMES, (0, 0), []), Random(2), 0
    while race.score == (0, 0):
        before = chance(race.markets(live=True), "moneyline", "Arsenal")
        elapsed += 25_000
        suspended = race.play(random, elapsed)
    after = chance(race.markets(live=True), "moneyline", "Arsenal")
    assert suspended
    assert (after > before + 0.05) == (race.score[0] > race.score[1])


def test_parts_that_began_and_players_are_not_priced_in_play() -> None:
    race = Race("Basketball", NAMES, (0, 0), [Prop("Wade Bannister points", 20)])
    assert MarketKey("player_prop", 0) in race.markets(live=False)
    race.play(Random(1), 60_000)
    markets = race.markets(live=True)
    assert MarketKey("player_prop", 0) not in markets
    assert MarketKey("moneyline", 1) not in markets
    assert MarketKey("moneyline", 2) in markets


def test_hockey_is_priced_with_and_without_overtime() -> None:
    markets = Race("Hockey", NAMES, (0, 0), []).markets(live=False)
    (overtime,) = markets[MarketKey("moneyline", 0, "overtime")]
    (regulation,) = markets[MarketKey("moneyline", 0, "regulation")]
    assert len(overtime.selections) == 2
    assert regulation.selections == ("Arsenal", "Draw", "Chelsea")
    assert overtime.probabilities[0] > regulation.probabilities[0]


@pytest.mark.parametrize("sport", sorted(RULES))
def test_the_main_line_is_near_even(sport: str) -> None:
    markets = Race(sport, NAMES, (0.3, -0.3), []).markets(live=False)
    main = [group for group in markets[MarketKey("total", 0)] if group.rank == 0]
    assert len(main) == 1
    assert 0.35 < main[0].probabilities[0] < 0.65
