"""Games of two scoring sides: one model behind every market."""

from random import Random

import pytest

from oddsdesk.contract.results import REGULAR_PERIODS, GameStatus, PeriodScore
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


@pytest.mark.parametrize("sport", sorted(RULES))
@pytest.mark.parametrize("step_ms", [20_000, 4 * 3_600_000])
def test_the_score_is_the_sum_of_its_periods(sport: str, step_ms: int) -> None:
    ties = 0
    for seed in range(40):
        race, random, elapsed = Race(sport, NAMES, (0, 0), []), Random(seed), 0
        last = race.standing()
        assert (last.status, last.periods) == (GameStatus.IN_PLAY, (PeriodScore(1, 0, 0),))
        while not race.over:
            elapsed += step_ms
            race.play(random, elapsed)
            last = race.standing()
            assert (last.home, last.away) == race.score
            assert sum(each.home for each in last.periods) == last.home
            assert sum(each.away for each in last.periods) == last.away
        assert last.status is GameStatus.FINAL
        regular = REGULAR_PERIODS.get(sport, 2)
        assert len(last.periods) == regular + last.overtime
        tie = sum(each.home - each.away for each in last.periods[:regular]) == 0
        assert last.overtime == (tie and sport not in ("Football", "Other"))
        assert last.home != last.away or not last.overtime
        ties += tie
    assert ties or sport in ("Basketball", "Rugby", "AmericanFootball", "Other")


def test_a_period_that_begins_is_shown_and_the_next_is_not() -> None:
    race, random = Race("Football", NAMES, (0, 0), []), Random(3)
    counts = []
    for minute in (1, 46, 55, 63, 108):
        race.play(random, minute * 60_000)
        counts.append(len(race.standing().periods))
    assert counts == [1, 1, 1, 2, 2]


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


def test_a_match_that_ends_has_its_sets_and_their_games() -> None:
    for seed in range(20):
        match, random, elapsed = TennisMatch(NAMES_OF_TENNIS, (0, 0)), Random(seed), 0
        while not match.over:
            elapsed += 20_000
            match.play(random, elapsed)
        last = match.standing()
        assert last.status is GameStatus.FINAL
        won = [each.home > each.away for each in last.periods]
        assert (last.home, last.away) == (sum(won), len(won) - sum(won)) == match.sets
        assert all(max(each.home, each.away) in (6, 7) for each in last.periods)


@pytest.mark.parametrize("games", range(2, 13))
def test_a_player_who_retires_ends_the_match_where_it_is(games: int) -> None:
    match, random, elapsed = TennisMatch(NAMES_OF_TENNIS, (0, 0), games), Random(5), 0
    while not match.over:
        elapsed += 20_000
        match.play(random, elapsed)
    last = match.standing()
    assert last.status is GameStatus.RETIRED
    assert sum(each.home + each.away for each in last.periods) == games
    assert max(last.home, last.away) < 2
    assert match.markets(live=True) == {}
    assert not match.play(random, elapsed + 3_600_000)
    assert match.standing() == last
