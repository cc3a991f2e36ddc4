"""Which game a bet is on, among those of others."""

from typing import NamedTuple

import pytest

from oddsdesk.contract.times import parse_ms
from oddsdesk.matching.bet_games import GamesNearby, WantedGame, is_same_kick_off
from oddsdesk.matching.games import competition_side
from oddsdesk.matching.names import shipped_names

HOUR = 3_600_000
BEGINS = parse_ms("2026-04-16T18:00:00Z")


class Logged(NamedTuple):
    begins_ms: int
    sport: str
    competition: str
    match_name: str
    has_time: bool = True


def wanted(hours: float | None = 0, **changed: str) -> WantedGame:
    kick_off = None if hours is None else BEGINS + round(hours * HOUR)
    told = {"match_name": "Mets vs Cubs", "competition": "MLB", "sport": "Baseball", **changed}
    return WantedGame(**told, kick_off=kick_off, placed_at=BEGINS - HOUR)  # type: ignore[arg-type]


def games(*hours: float, sport: str = "Baseball", competition: str = "MLB") -> list[Logged]:
    return [
        Logged(BEGINS + round(each * HOUR), sport, competition, "Mets - Cubs") for each in hours
    ]


def why_not(bet: WantedGame, held: list[Logged]) -> str | None:
    found = GamesNearby(held, shipped_names()).games_near(bet)
    return None if found is None else found.why_not


@pytest.mark.parametrize(
    ("sport", "hours", "is_same"),
    [
        ("Baseball", 2, True),
        ("Baseball", 2.1, False),
        ("Baseball", 24, False),
        ("Football", 5.9, False),
        ("Football", 4.9, True),
        ("Football", -12, True),
        ("Football", -12.1, False),
        ("Football", 24, False),
        ("Tennis", 4, True),
        ("Other", 4, False),
        ("", 4, False),
    ],
)
def test_a_game_is_moved_within_its_day_and_where_teams_meet_once_a_day(
    sport: str, hours: float, is_same: bool
) -> None:
    """18:00 UTC is 19:00 in England: five hours later it is the next day there."""
    assert is_same_kick_off(BEGINS, BEGINS + round(hours * HOUR), sport) == is_same


def test_a_day_is_the_venues() -> None:
    """Ten in the evening in New York, and half past six the same evening."""
    evening = (parse_ms("2026-04-17T02:00:00Z"), parse_ms("2026-04-16T22:30:00Z"))
    assert is_same_kick_off(*evening, "Basketball", "NBA")
    assert not is_same_kick_off(*evening, "Basketball", "EURO")


@pytest.mark.parametrize(
    ("bet_at", "at", "found"),
    [
        (0, (-24, 0, 24), 0),
        (24, (-24, 0, 24), 24),
        (0.5, (0, 4), 0),
        (3.5, (0, 4), 4),
        (1.9, (0, 3.6), None),
        (48, (-24, 0, 24), None),
        (6, (0,), None),
    ],
)
def test_of_a_series_or_a_doubleheader_it_is_the_one_at_the_kick_off(
    bet_at: float, at: tuple[float, ...], found: float | None
) -> None:
    """Midway between two it is neither, and where its own is not known it is none."""
    nearest = GamesNearby(games(*at), shipped_names()).games_near(wanted(bet_at))
    assert nearest is not None
    assert nearest.is_same == (found is not None)
    if found is not None:
        assert nearest.game.begins_ms == BEGINS + found * HOUR


def test_why_a_game_is_not_that_of_a_bet_is_told() -> None:
    assert why_not(wanted(), games(24)) == "is 24 hours later than the bet says"
    assert why_not(wanted(), games(-2.5)) == "is 2.5 hours earlier than the bet says"
    assert why_not(wanted(1), games(0, 2)) == "is one of two games of these teams around that time"
    assert why_not(wanted(), games(0, competition="KBO")) == "is in KBO, not in MLB"
    assert why_not(wanted(None), games(2)) == "may be another game: the bet has no kick-off"
    assert why_not(wanted(), games(96)) is None
    assert why_not(wanted(match_name="Cubs vs Mets"), games(0)) == (
        "has the teams the other way round"
    )


def test_a_bet_without_a_competition_is_on_the_only_game_within_two_hours() -> None:
    assert why_not(wanted(competition=""), games(2)) == ""
    assert why_not(wanted(competition=""), games(2.1)) == "is 2.1 hours later than the bet says"
    unknown = games(0, competition="Spring League")
    assert why_not(wanted(competition=""), unknown) == (
        "may be another game: only it names a competition"
    )
    both = [*games(0), *games(2, competition="Friendly")]
    assert (
        why_not(wanted(competition=""), both)
        == "is one of two games of these teams around that time"
    )
    assert why_not(wanted(), both) == ""


def test_a_sport_that_is_not_told_is_no_other() -> None:
    assert why_not(wanted(sport="Other"), games(0)) == ""
    assert why_not(wanted(), games(0, sport="Other")) == ""
    assert why_not(wanted(sport="Hockey"), games(0)) is None


@pytest.mark.parametrize(
    "competition",
    [
        *("WSL", "Women FA Cup", "U21 Premier League", "FA Youth Cup", "Premier League 2"),
        *("Arkema Premiere Ligue", "eSoccer Battle 8 mins", "Frauen-Bundesliga", "Virtual League"),
    ],
)
def test_a_competition_of_other_teams_of_the_clubs_is_not_the_bets(competition: str) -> None:
    other = "is of another team of these clubs"
    assert competition_side(competition)
    assert why_not(wanted(competition=""), games(0, competition=competition)) == other
    assert why_not(wanted(competition=competition), games(0, competition="")) == other


@pytest.mark.parametrize("competition", ["Serie B", "Bundesliga 2", "FIFA World Cup", "Primera B"])
def test_a_division_is_of_first_teams(competition: str) -> None:
    assert not competition_side(competition)


def on_days(*days: int, sport: str, competition: str) -> list[Logged]:
    """Games at noon of days after the first, without hours."""
    noon = parse_ms("2026-04-16T12:00:00Z")
    return [
        Logged(noon + day * 24 * HOUR, sport, competition, "Mets - Cubs", has_time=False)
        for day in days
    ]


@pytest.mark.parametrize(
    ("sport", "competition", "begins", "days", "is_same"),
    [
        ("Football", "EPL", 0, (0,), True),
        ("Football", "MLS", 8, (0,), True),
        ("Football", "MLS", 8, (1,), True),
        ("Football", "MLS", 8, (0, 1), False),
        ("Basketball", "EURO", 0, (0,), True),
        ("Basketball", "EURO", 0, (1,), False),
        ("Basketball", "NBA", 8, (0,), True),
        ("Basketball", "NBA", 8, (1,), False),
        ("Basketball", "NBA", 8, (0, 1), False),
        ("Hockey", "NHL", 8, (-1, 0), False),
        ("Hockey", "Icy League", 8, (0,), False),
        ("Hockey", "Icy League", 8, (1,), False),
        ("Baseball", "MLB", 0, (0,), False),
        ("Other", "KBO", 0, (0,), False),
    ],
)
def test_a_game_without_an_hour_is_the_bets_if_no_other_may_be_meant(
    sport: str, competition: str, begins: int, days: tuple[int, ...], is_same: bool
) -> None:
    """18:00 UTC, or 02:00 the next day: the evening before in America."""
    held = on_days(*days, sport=sport, competition=competition)
    found = why_not(wanted(begins, sport=sport, competition=competition), held)
    assert (found == "") == is_same
