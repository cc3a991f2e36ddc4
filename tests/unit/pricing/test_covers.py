"""Which bets settle alike or cover every result, against the settlement of each score."""

from itertools import product

import pytest

from oddsdesk.contract.markets import MARKETS
from oddsdesk.pricing.covers import (
    bets_against,
    covers_of,
    depends_on_state,
    family_of,
    line_of_bet,
)
from oddsdesk.pricing.selections import Goals, bet_named, result_at, share_of

SCORES = [Goals(home, away) for home, away in product(range(7), range(7))]
GROUPS = [
    ("moneyline", "", None),
    ("double_chance", "", None),
    ("draw_no_bet", "", None),
    *(("3way_handicap", f"{line:+d}" if line else "0", float(line)) for line in (-2, -1, 0, 1)),
    *(("spread", f"{line:+g}" if line else "0", line) for line in (-1.25, -0.5, 0.0, 0.5, 1.0)),
]


@pytest.mark.parametrize("group", GROUPS, ids=str)
@pytest.mark.parametrize("in_play", [False, True])
def test_at_every_score_a_cover_wins_once_or_gives_all_back(
    group: tuple[str, str, float | None], in_play: bool
) -> None:
    covers = covers_of(*group, "Football", in_play)
    assert all(len(cover.bets) == 2 for cover in covers[1:])
    for cover in covers:
        for goals in SCORES:
            results = [result_at(*bet, goals) for bet in cover.bets]
            shares = sorted(share_of(each) for each in results if each is not None)
            assert len(shares) == len(cover.bets)
            assert shares[-1] == -shares[0]
            assert shares.count(-1.0) == len(shares) - 1 or len(shares) == 2
            is_back = shares[-1] < 1
            assert is_back == (
                cover.line is not None and abs(goals.home - goals.away - cover.line) < 0.5
            )


@pytest.mark.parametrize("group", GROUPS, ids=str)
@pytest.mark.parametrize("in_play", [False, True])
def test_a_lay_wins_and_comes_back_at_each_score_as_the_bet_against_it(
    group: tuple[str, str, float | None], in_play: bool
) -> None:
    market_type, key, _ = group
    sides = ("1X", "12", "X2") if market_type == "double_chance" else ("home", "draw", "away")
    for side in sides:
        against = bets_against(bet_named("Football", in_play, market_type, key, side), "Football")
        for each, goals in product(against, SCORES):
            laid, won = result_at(market_type, key, side, goals), result_at(*each.bet, goals)
            assert laid is not None
            assert won is laid.reversed
        if market_type in ("moneyline", "double_chance"):
            assert len(against) == 1


def test_a_lay_of_a_team_is_the_other_team_only_where_there_is_no_draw() -> None:
    (drawn,) = bets_against(("moneyline", "", "home"), "Football")
    assert drawn == (("double_chance", "", "X2"), None)
    without, drawn = bets_against(("moneyline", "", "home"), "Hockey")
    assert without == (("moneyline", "", "away"), False)
    assert drawn == (("double_chance", "", "X2"), True)
    assert bets_against(("total", "2.5", "over"), "Football") == (
        (("total", "2.5", "under"), None),
    )
    assert bets_against(("yes_no", "", "yes"), "Football") == ()
    assert bets_against(("3way_handicap", "-1", "draw"), "Football") == ()


def test_the_same_cover_has_one_name_in_all_markets() -> None:
    (halves,) = covers_of("spread", "-0.5", -0.5, "Football", False)
    assert halves.bets == covers_of("double_chance", "", None, "Football", False)[0].bets
    (level,) = covers_of("spread", "0", 0.0, "Football", False)
    assert level.bets == covers_of("draw_no_bet", "", None, "Football", False)[0].bets
    results = covers_of("3way_handicap", "0", 0.0, "Football", False)
    assert results == covers_of("moneyline", "", None, "Football", False)
    assert {*covers_of("double_chance", "", None, "Football", False)} == {*results[1:]}
    (ahead,) = covers_of("spread", "-2.5", -2.5, "Football", False)
    assert ahead in covers_of("3way_handicap", "-2", -2.0, "Football", False)


def test_in_play_and_with_overtime_names_stay_apart() -> None:
    for sport, in_play in (("Football", True), ("Hockey", False)):
        (level,) = covers_of("spread", "0", 0.0, sport, in_play)
        assert level.bets == (("spread", "0", "home"), ("spread", "0", "away"))
        assert line_of_bet(("moneyline", "", "home"), sport, in_play) is None


def test_a_bet_on_a_line_wins_on_one_side_of_a_number() -> None:
    for market_type, group, _ in GROUPS:
        for side in ("home", "away", "1X", "X2"):
            if (side in ("home", "away")) is (market_type == "double_chance"):
                continue
            bet = bet_named("Football", False, market_type, group, side)
            line = line_of_bet(bet, "Football", False)
            assert line is not None
            number, is_above = line
            for goals in SCORES:
                margin = goals.home - goals.away
                result = result_at(market_type, group, side, goals)
                assert result is not None
                if abs(margin - number) >= 0.5:
                    assert (share_of(result) > 0) == ((margin > number) is is_above)


def test_a_three_way_handicap_with_half_a_goal_is_no_other_bet() -> None:
    bet = ("3way_handicap", "-0.5", "home")
    assert bet_named("Football", False, *bet) == bet


def test_only_markets_on_the_winner_are_one_family() -> None:
    families = {market_type: family_of(market_type) for market_type in MARKETS}
    winner = {each for each, family in families.items() if family == "moneyline"}
    assert winner == {"moneyline", "spread", "double_chance", "draw_no_bet", "3way_handicap"}
    assert all(families[each] == each for each in families.keys() - winner)
    assert depends_on_state("moneyline", "Football")
    assert not depends_on_state("total", "Football")
    assert not depends_on_state("moneyline", "Hockey")


def test_a_yes_without_its_question_covers_nothing() -> None:
    assert covers_of("yes_no", "", None, "Football", False) == ()
    assert len(covers_of("yes_no", "Own goal", None, "Football", False)) == 1
