"""A match of three sets, game by game."""

from random import Random

import pytest

from oddsdesk.feeds.simulator.groups import MarketKey
from oddsdesk.feeds.simulator.tennis import TennisMatch, set_scores

NAMES = ("Oskar Lindqvist", "Petr Havranek")
MONEYLINE = MarketKey("moneyline", 0)


@pytest.mark.parametrize("games", [(0, 0), (5, 5), (6, 5), (0, 5)])
def test_a_set_ends_in_one_way_or_another(games: tuple[int, int]) -> None:
    assert sum(chance for _, chance in set_scores(0.53, games)) == pytest.approx(1)
    assert all(max(score) in (6, 7) for score, _ in set_scores(0.53, games))


def test_equal_players_are_even() -> None:
    (group,) = TennisMatch(NAMES, (0.2, 0.2)).markets(live=False)[MONEYLINE]
    assert group.probabilities[0] == pytest.approx(0.5)


def test_the_stronger_player_is_the_favourite_in_every_market() -> None:
    markets = TennisMatch(NAMES, (0.6, -0.6)).markets(live=False)
    assert markets[MONEYLINE][0].probabilities[0] > 0.6
    assert markets[MarketKey("moneyline", 1)][0].probabilities[0] > 0.55
    assert markets[MarketKey("games_handicap", 0)][0].selections[0].startswith(f"{NAMES[0]} -")


def test_a_match_is_played_to_its_end_and_sets_suspend() -> None:
    match, random = TennisMatch(NAMES, (0, 0)), Random(5)
    elapsed, suspensions = 0, 0
    while not match.over:
        elapsed += 20_000
        suspensions += match.play(random, elapsed)
    assert 2 in match.sets
    assert suspensions == sum(match.sets)
    assert elapsed >= match.longest_ms
    assert match.markets(live=True) == {}


def test_a_set_that_is_over_is_no_longer_priced() -> None:
    match, random, elapsed = TennisMatch(NAMES, (0, 0)), Random(5), 0
    while not sum(match.sets):
        elapsed += 20_000
        match.play(random, elapsed)
    markets = match.markets(live=True)
    assert MarketKey("moneyline", 1) not in markets
    assert MarketKey("total_games", 1) not in markets
