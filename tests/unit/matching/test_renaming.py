"""Selections of a game in the words of the game that it is (D69)."""

import pytest

from oddsdesk.matching.renaming import renamed
from oddsdesk.pricing.outcomes import AWAY, HOME, read_selection

SAID, STORED, CROSSWISE = "Man Utd vs Inter", "Manchester United - Inter Milan", "Inter Milan - MU"
TEXTS = [
    ("moneyline", "Man Utd"),
    ("moneyline", "INTER"),
    ("moneyline", "Draw"),
    ("draw_no_bet", "Inter"),
    ("spread", "Man Utd -1.5"),
    ("spread", "Inter +0.25"),
    ("spread", "Inter 0"),
    ("3way_handicap", "Draw -1"),
    ("3way_handicap", "Inter +1"),
    ("games_handicap", "Inter -3.5"),
    ("team_total", "Man Utd Over 1.5"),
    ("team_total", "Home Over 1.5"),
    ("team_total", "Away Under 0.5"),
    ("double_chance", "1X"),
    ("double_chance", "12"),
    ("total", "Over 2.5"),
    ("btts", "Yes"),
]
OTHER_WAY = {HOME: AWAY, AWAY: HOME, "1X": "X2", "X2": "1X"}


@pytest.mark.parametrize(("market_type", "text"), TEXTS)
def test_a_selection_means_the_same_in_other_words(market_type: str, text: str) -> None:
    before = read_selection(market_type, SAID, text)
    after = read_selection(market_type, STORED, renamed(market_type, SAID, STORED, False, text))
    assert before is not None
    assert after == before


@pytest.mark.parametrize(("market_type", "text"), TEXTS)
def test_crosswise_it_means_the_same_of_the_same_team(market_type: str, text: str) -> None:
    before = read_selection(market_type, SAID, text)
    new = renamed(market_type, SAID, CROSSWISE, True, text)
    after = read_selection(market_type, CROSSWISE, new)
    assert before is not None
    assert after is not None
    assert after.side == OTHER_WAY.get(before.side, before.side)
    if market_type in ("spread", "3way_handicap", "games_handicap"):
        assert (after.line or 0) == -(before.line or 0)
    assert renamed(market_type, CROSSWISE, SAID, True, new).casefold() == text.casefold()


@pytest.mark.parametrize(
    ("market_type", "text"),
    [
        ("player_prop", "Inter Over 1.5"),
        ("moneyline", "Inter Miami"),
        ("spread", "Inter Miami -1.5"),
        ("spread", "Inter"),
        ("total", "Inter Over 2.5"),
    ],
)
def test_what_names_no_team_stays(market_type: str, text: str) -> None:
    assert renamed(market_type, SAID, STORED, False, text) == text


def test_a_game_that_names_no_teams_renames_nothing() -> None:
    assert renamed("moneyline", "Winner", STORED, False, "Winner") == "Winner"
