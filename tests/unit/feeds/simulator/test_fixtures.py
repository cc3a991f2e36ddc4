"""The fixtures: enough of everything, and names the contract can read."""

from oddsdesk.contract.competitions import SPORT_BY_COMPETITION, SPORTS, sport_of
from oddsdesk.contract.identity import fold_name, teams
from oddsdesk.feeds.simulator.fixtures import Habit, Offer, load_fixtures
from oddsdesk.feeds.simulator.prices import LADDERS

FIXTURES = load_fixtures()


def test_there_are_25_bookmakers_of_every_habit() -> None:
    names = {profile.name for profile in FIXTURES.bookmakers}
    assert len(names) == len(FIXTURES.bookmakers) == 25
    assert {profile.habit for profile in FIXTURES.bookmakers} == set(Habit)
    assert {profile.offer for profile in FIXTURES.bookmakers} == set(Offer)
    assert all(profile.copies in names | {None} for profile in FIXTURES.bookmakers)
    assert {profile.ladder for profile in FIXTURES.bookmakers} == set(LADDERS)
    assert all(5 <= profile.cadence_s <= 30 for profile in FIXTURES.bookmakers)


def test_every_competition_of_the_contract_is_played() -> None:
    codes = {competition.code for competition in FIXTURES.competitions}
    assert codes >= set(SPORT_BY_COMPETITION)
    assert {sport_of(code) for code in codes} == set(SPORTS)
    assert all(c.sport == sport_of(c.code) for c in FIXTURES.competitions)
    assert sum(competition.games for competition in FIXTURES.competitions) >= 60


def test_match_names_split_into_their_teams() -> None:
    for competition in FIXTURES.competitions:
        home, away = competition.teams[0], competition.teams[-1]
        assert teams(f"{home} vs {away}") == (home, away)
        assert all(fold_name(team) == team for team in competition.teams)
        assert len(set(competition.teams)) >= 2 * competition.games + 2
