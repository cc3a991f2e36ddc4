import math
from itertools import combinations

import pytest

from oddsdesk.contract.markets import MARKET_TYPES
from oddsdesk.pricing.outcomes import bet_named, read_selection

GAME = "FC Schalke 04 vs 1. FC Köln"


def side_and_key(market_type: str, text: str, game: str = GAME) -> tuple[str, str] | None:
    outcome = read_selection(market_type, game, text)
    return None if outcome is None else (outcome.side, outcome.key)


@pytest.mark.parametrize(
    ("market_type", "text", "expected"),
    [
        ("moneyline", "FC Schalke 04", ("home", "")),
        ("moneyline", "Draw", ("draw", "")),
        ("moneyline", "Tie", ("draw", "")),
        ("moneyline", "1. FC Köln", ("away", "")),
        ("draw_no_bet", "1. fc köln", ("away", "")),
        ("spread", "FC Schalke 04 -1.5", ("home", "-1.5")),
        ("spread", "1. FC Köln +1.5", ("away", "-1.5")),
        ("spread", "1. FC Köln -0.25", ("away", "+0.25")),
        ("games_handicap", "FC Schalke 04 +3.5", ("home", "+3.5")),
        ("3way_handicap", "FC Schalke 04 -1", ("home", "-1")),
        ("3way_handicap", "Draw -1", ("draw", "-1")),
        ("3way_handicap", "1. FC Köln +1", ("away", "-1")),
        ("total", "Over 2.5", ("over", "2.5")),
        ("total", "Under 2.50", ("under", "2.5")),
        ("total", "Under 1234.125", ("under", "1234.125")),
        ("total_games", "Over 22", ("over", "22")),
        ("total", "over 2.25", ("over", "2.25")),
        ("team_total", "Home Over 1.5", ("over", "Home 1.5")),
        ("team_total", "Away Under 0.5", ("under", "Away 0.5")),
        ("team_total", "FC Schalke 04 Over 1.5", ("over", "Home 1.5")),
        ("team_total", "1. FC Köln Under 1.5", ("under", "Away 1.5")),
        ("player_prop", "Messi shots Over 2.5", ("over", "Messi shots 2.5")),
        ("player_prop", "Shai G.-A. points Under 30.5", ("under", "Shai G.-A. points 30.5")),
        ("btts", "Yes", ("yes", "")),
        ("yes_no", "No", ("no", "")),
        ("yes_no", "Overtime Yes", ("yes", "Overtime")),
        ("yes_no", "Will Köln win to nil? no", ("no", "Will Köln win to nil?")),
        ("double_chance", "1X", ("1X", "")),
        ("double_chance", "12", ("12", "")),
    ],
)
def test_a_selection_of_every_market_type_is_read(
    market_type: str, text: str, expected: tuple[str, str]
) -> None:
    assert side_and_key(market_type, text) == expected


@pytest.mark.parametrize("zero", ["0", "+0", "-0", "0.0", "+0.00"])
def test_every_spelling_of_the_zero_line_is_the_same_line(zero: str) -> None:
    assert side_and_key("spread", f"FC Schalke 04 {zero}") == ("home", "0")
    assert side_and_key("spread", f"1. FC Köln {zero}") == ("away", "0")


@pytest.mark.parametrize(
    ("market_type", "text"),
    [
        ("moneyline", "Bayern"),
        ("moneyline", "FC Schalke"),
        ("draw_no_bet", "Draw"),
        ("spread", "FC Schalke 04"),
        ("spread", "FC Schalke 04 1.5"),
        ("spread", "FC Schalke 04 +1,5"),
        ("spread", "FC Schalke 04 +1٣"),
        ("spread", "Draw +1"),
        ("3way_handicap", "Draw"),
        ("total", "Over"),
        ("total", "Over 2,5"),
        ("total", "Over -2.5"),
        ("total", "Over 1e3"),
        ("total", "Over 02.5"),
        ("total", "Goals Over 2.5"),
        ("total", "Over 2.5 "),
        ("total", "Over 99999.5"),
        ("team_total", "Over 1.5"),
        ("team_total", "Bayern Over 1.5"),
        ("player_prop", "Over 1.5"),
        ("btts", "Both"),
        ("double_chance", "X1"),
        ("correct_score", "1-0"),
    ],
)
def test_text_that_fits_no_form_is_not_guessed(market_type: str, text: str) -> None:
    assert side_and_key(market_type, text) is None


@pytest.mark.parametrize("market_type", MARKET_TYPES)
def test_every_market_type_has_a_reader(market_type: str) -> None:
    texts = ["FC Schalke 04", "FC Schalke 04 -1", "Over 2.5", "Home Over 2.5", "Yes", "1X"]
    assert any(side_and_key(market_type, text) is not None for text in texts)


def test_a_team_named_like_a_line_is_told_from_the_line() -> None:
    game = "Mainz vs Mainz 05"
    assert side_and_key("spread", "Mainz 05 -1", game) == ("away", "+1")
    assert side_and_key("spread", "Mainz 05", game) is None
    assert side_and_key("moneyline", "Mainz 05", game) == ("away", "")


def test_home_comes_second_in_an_american_name() -> None:
    assert side_and_key("moneyline", "Boston Celtics", "Miami Heat @ Boston Celtics") == (
        "home",
        "",
    )


@pytest.mark.parametrize("game", ["Super Bowl winner", "Ajax vs Ajax"])
def test_no_side_is_given_where_teams_cannot_be_told(game: str) -> None:
    assert side_and_key("moneyline", "Ajax", game) is None
    assert side_and_key("total", "Over 2.5", game) == ("over", "2.5")


@pytest.mark.parametrize(
    "word",
    [
        "Draw",
        "Tie",
        "X",
        "Unentschieden",
        "Remis",
        "Empate",
        "Nul",
        "Match nul",
        "Pareggio",
        "Gelijkspel",
        "Draw/Tie",
    ],
)
def test_a_draw_is_read_in_the_common_languages(word: str) -> None:
    for text in (word, word.upper(), word.lower()):
        outcome = read_selection("moneyline", "Storm vs Raiders", text)
        assert outcome is not None
        assert outcome.side == "draw"


def named(sport: str, market_type: str, text: str, *, in_play: bool = False) -> tuple[str, ...]:
    outcome = read_selection(market_type, GAME, text)
    assert outcome is not None
    return bet_named(sport, in_play, market_type, outcome.key, outcome.side)


WAYS = [
    *[("moneyline", text) for text in ("FC Schalke 04", "Draw", "1. FC Köln")],
    *[("double_chance", text) for text in ("1X", "X2", "12")],
    *[("draw_no_bet", text) for text in ("FC Schalke 04", "1. FC Köln")],
    *[
        ("spread", f"{team} {quarters / 4:+g}")
        for team in ("FC Schalke 04", "1. FC Köln")
        for quarters in range(-8, 9)
    ],
    *[
        ("3way_handicap", f"{team} {goals:+d}")
        for team in ("FC Schalke 04", "Draw", "1. FC Köln")
        for goals in range(-2, 3)
    ],
]


def returned(market_type: str, text: str, margin: int) -> float:
    """What a unit at odds of 2 pays back of a bet, by how many goals the home team won."""
    words, _, last = text.rpartition(" ")
    match market_type, text:
        case "double_chance", _:
            return 2.0 * {"1X": margin >= 0, "X2": margin <= 0, "12": margin != 0}[text]
        case (("moneyline" | "draw_no_bet"), "FC Schalke 04"):
            own = margin
        case (("moneyline" | "draw_no_bet"), "1. FC Köln"):
            own = -margin
        case "moneyline", "Draw":
            return 2.0 * (margin == 0)
        case "3way_handicap", _ if words == "Draw":
            return 2.0 * (margin + int(last) == 0)
        case "3way_handicap", _:
            return 2.0 * ((margin if words == "FC Schalke 04" else -margin) + int(last) > 0)
        case _:
            parts = [
                (margin if words == "FC Schalke 04" else -margin) + half
                for half in {math.floor(float(last) * 2) / 2, math.ceil(float(last) * 2) / 2}
            ]
            return sum(1.0 + (part > 0) - (part < 0) for part in parts) / len(parts)
    if own == 0:
        return 1.0 if market_type == "draw_no_bet" else 0.0
    return 2.0 * (own > 0)


def test_bets_of_football_have_one_name_just_where_every_score_pays_them_alike() -> None:
    pays = {way: tuple(returned(*way, margin) for margin in range(-6, 7)) for way in WAYS}
    for one, other in combinations(WAYS, 2):
        is_one = named("Football", *one) == named("Football", *other)
        assert is_one == (pays[one] == pays[other]), (one, other)


def test_bets_keep_their_own_name_where_overtime_or_the_score_so_far_may_part_them() -> None:
    level = "FC Schalke 04 -0.5"
    assert named("Hockey", "spread", level) == ("spread", "-0.5", "home")
    assert named("Football", "spread", level, in_play=True) == ("spread", "-0.5", "home")
    assert bet_named("Football", False, "spread", "Both -0.5 ?", "") == (
        "spread",
        "Both -0.5 ?",
        "",
    )
