"""Which game a bet is on, among those of others."""

from typing import NamedTuple

import pytest

from oddsdesk.contract.times import parse_ms
from oddsdesk.matching.bet_games import GamesNearby, WantedGame, is_same_kick_off
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


def test_a_bet_without_a_competition_is_on_the_only_game_within_three_hours() -> None:
    assert why_not(wanted(competition=""), games(3)) == ""
    assert why_not(wanted(competition=""), games(3.1)) == "is 3.1 hours later than the bet says"
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
