"""Games of two scoring sides: one model behind every market."""

from random import Random

import pytest

from oddsdesk.feeds.simulator.contests import Prop, Race, TennisMatch, set_scores
from oddsdesk.feeds.simulator.fixtures import RULES
from oddsdesk.feeds.simulator.groups import MarketKey, Markets

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


NAMES_OF_TENNIS = ("Oskar Lindqvist", "Petr Havranek")
MONEYLINE = MarketKey("moneyline", 0)


@pytest.mark.parametrize("games", [(0, 0), (5, 5), (6, 5), (0, 5)])
def test_a_set_ends_in_one_way_or_another(games: tuple[int, int]) -> None:
    assert sum(chance for _, chance in set_scores(0.53, games)) == pytest.approx(1)
    assert all(max(score) in (6, 7) for score, _ in set_scores(0.53, games))


def test_equal_players_are_even() -> None:
    (group,) = TennisMatch(NAMES_OF_TENNIS, (0.2, 0.2)).markets(live=False)[MONEYLINE]
    assert group.probabilities[0] == pytest.approx(0.5)


def test_the_stronger_player_is_the_favourite_in_every_market() -> None:
    markets = TennisMatch(NAMES_OF_TENNIS, (0.6, -0.6)).markets(live=False)
    assert markets[MONEYLINE][0].probabilities[0] > 0.6
    assert markets[MarketKey("moneyline", 1)][0].probabilities[0] > 0.55
    assert (
        markets[MarketKey("games_handicap", 0)][0]
        .selections[0]
        .startswith(f"{NAMES_OF_TENNIS[0]} -")
    )


def test_a_match_is_played_to_its_end_and_sets_suspend() -> None:
    match, random = TennisMatch(NAMES_OF_TENNIS, (0, 0)), Random(5)
    elapsed, suspensions = 0, 0
    while not match.over:
        elapsed += 20_000
        suspensions += match.play(random, elapsed)
    assert 2 in match.sets
    assert suspensions == sum(match.sets)
    assert elapsed >= match.longest_ms
    assert match.markets(live=True) == {}


def test_a_set_that_is_over_is_no_longer_priced() -> None:
    match, random, elapsed = TennisMatch(NAMES_OF_TENNIS, (0, 0)), Random(5), 0
    while not sum(match.sets):
        elapsed += 20_000
        match.play(random, elapsed)
    markets = match.markets(live=True)
    assert MarketKey("moneyline", 1) not in markets
    assert MarketKey("total_games", 1) not in markets
