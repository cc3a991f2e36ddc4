"""Whose game a bet is on, where others name it."""

from typing import NamedTuple

import pytest

from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.games_nearby import GamesNearby
from oddsdesk.matching.team_names import shipped_names

HOUR = 3_600_000
BEGINS = 1_776_366_000_000


class Logged(NamedTuple):
    begins_ms: int
    sport: str
    competition: str
    match_name: str


@pytest.mark.parametrize(
    ("sport", "hours", "is_found"),
    [
        ("Baseball", 2, True),
        ("Baseball", 2.1, False),
        ("Baseball", 24, False),
        ("Football", 24, True),
    ],
)
def test_the_same_teams_may_meet_the_next_day_but_in_football(
    sport: str, hours: float, is_found: bool
) -> None:
    game = Logged(BEGINS, sport, "", "Mets - Cubs")
    bet = PlacedBet(
        *("", "Mets vs Cubs", "", "", "moneyline", 0, "Mets", "Bet365", 2.0, 10.0, BEGINS),
        kick_off=BEGINS - round(hours * HOUR),
    )
    found = GamesNearby([game], shipped_names()).of(bet)
    assert (found is not None and found.is_same) == is_found
