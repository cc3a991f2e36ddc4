"""Implied prices: right on any grid of scores, and refused where lines do not imply one."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from oddsdesk.pricing.derived import FairGame
from oddsdesk.pricing.score_grid import ScoreGrid, score_grid
from oddsdesk.pricing.selections import LineGroup
from oddsdesk.pricing.value import LineName, ReferenceLine
from tests.kit.fair_lines import Name, chances_of, derived, group_of, of_grid, priced

grids = st.builds(
    score_grid, st.floats(0.4, 3), st.floats(0.4, 3), st.floats(-0.1, 0.08), st.floats(0.8, 1.3)
)
RESULT = ("moneyline", "")
FROM: list[tuple[Name, list[Name]]] = [
    (("draw_no_bet", ""), [RESULT]),
    (("double_chance", ""), [RESULT]),
    (("spread", "0"), [RESULT]),
    (("spread", "-0.5"), [RESULT]),
    (("spread", "+0.5"), [RESULT]),
    (("spread", "+0.25"), [RESULT]),
    (("spread", "-0.25"), [RESULT]),
    (("3way_handicap", "0"), [RESULT]),
    (RESULT, [("3way_handicap", "0")]),
    (RESULT, [("spread", "-0.5"), ("spread", "+0.5")]),
    (("double_chance", ""), [("spread", "-0.5"), ("spread", "+0.5")]),
    (("draw_no_bet", ""), [("spread", "-0.5"), ("spread", "+0.5")]),
    (("draw_no_bet", ""), [("spread", "0"), ("spread", "-0.5")]),
    (("draw_no_bet", ""), [("spread", "0"), RESULT]),
    (("spread", "0"), [("draw_no_bet", ""), ("spread", "+0.5")]),
    (("spread", "0"), [("draw_no_bet", ""), RESULT]),
    (("3way_handicap", "-1"), [("spread", "-0.5"), ("spread", "-1.5")]),
    (("spread", "-1"), [("3way_handicap", "-1")]),
    (("spread", "-0.75"), [("spread", "-0.5"), ("spread", "-1")]),
    (("spread", "-1.25"), [("spread", "-1"), ("spread", "-1.5")]),
    (("spread", "-1"), [("spread", "-0.5"), ("spread", "-1.5")]),
    (("spread", "-1"), [("spread", "-0.75"), ("spread", "-1.25")]),
    (("total", "2.25"), [("total", "2"), ("total", "2.5")]),
    (("total", "2.25"), [("total", "1.5"), ("total", "2.5")]),
    (("total", "2.75"), [("total", "2.5"), ("total", "3")]),
    (("total", "3"), [("total", "2.5"), ("total", "3.5")]),
    (("team_total", "Home 1"), [("team_total", "Home 0.5"), ("team_total", "Home 1.5")]),
    (("btts", ""), [("team_total", "Home 0.5"), ("team_total", "Away 0.5"), ("total", "0.5")]),
    (("total", "0.5"), [("team_total", "Home 0.5"), ("team_total", "Away 0.5"), ("btts", "")]),
    (("team_total", "Away 0.5"), [("team_total", "Home 0.5"), ("total", "0.5"), ("btts", "")]),
]


@pytest.mark.parametrize(("wanted", "sources"), FROM)
@given(grid=grids)
@settings(max_examples=15, deadline=None)
def test_implied_prices_agree_with_any_grid_of_scores(
    wanted: Name, sources: list[Name], grid: ScoreGrid
) -> None:
    line = derived([of_grid(grid, *name) for name in sources], wanted)
    chances = chances_of(line)
    assert line is not None
    assert line.derived is not None
    assert line.derived.kind == "implied"
    assert set(line.derived.sources) == {LineName(*name) for name in sources}
    for side, chance in chances.items():
        assert chance == pytest.approx(grid.probability(*wanted, side), abs=1e-9)
    assert line.derived.push == pytest.approx(grid.push(*wanted), abs=1e-9)
    whole = 2 if wanted[0] == "double_chance" else 1
    assert math.fsum(chances.values()) == pytest.approx(whole, abs=1e-9)


def test_one_handicap_of_half_a_goal_implies_one_side_of_double_chance() -> None:
    line = derived([priced("spread", "+0.5", {"home": 0.7, "away": 0.3})], ("double_chance", ""))
    assert chances_of(line) == {"1X": pytest.approx(0.7)}


def test_any_sport_has_ladders_but_only_football_has_bets_that_are_alike() -> None:
    half, beyond = (priced("spread", key, {"home": p, "away": 1 - p}) for key, p in SPREADS)
    assert chances_of(derived([half, beyond], ("spread", "-3"), "AmericanFootball")) == {
        "home": pytest.approx(0.46 / 0.92),
        "away": pytest.approx(0.46 / 0.92),
    }
    result = priced("moneyline", "", {"home": 0.5, "draw": 0.2, "away": 0.3})
    assert derived([result], ("double_chance", ""), "Hockey") is not None
    assert derived([result], ("spread", "0"), "Hockey") is None
    two_way = priced("moneyline", "", {"home": 0.6, "away": 0.4})
    assert derived([two_way], ("double_chance", ""), "Hockey") is None
    assert derived([two_way], ("draw_no_bet", ""), "Hockey") is None


SPREADS = (("-2.5", 0.54), ("-3.5", 0.46))


def test_a_ladder_is_of_one_team_or_player() -> None:
    shots = [
        priced("player_prop", f"{name} shots {line}", {"over": p, "under": 1 - p})
        for name, line, p in (("Kane", "1.5", 0.7), ("Son", "2.5", 0.4))
    ]
    assert derived(shots, ("player_prop", "Kane shots 2")) is None
    shots.append(priced("player_prop", "Kane shots 2.5", {"over": 0.45, "under": 0.55}))
    assert chances_of(derived(shots, ("player_prop", "Kane shots 2")))["over"] == pytest.approx(
        0.45 / 0.75
    )


@pytest.mark.parametrize(
    ("sources", "wanted"),
    [
        # The whole line says more wins than the half line leaves room for.
        ({"2.5": 0.5, "3": 0.6}, "2.75"),
        ({"2.5": 0.5, "3.5": 0.52}, "3"),
        # The line would be less likely than the next one that is priced.
        ({"2": 0.6, "2.5": 0.5, "3": 0.59}, "2.25"),
    ],
)
def test_lines_that_contradict_each_other_imply_nothing(
    sources: dict[str, float], wanted: str
) -> None:
    lines = [priced("total", key, {"over": p, "under": 1 - p}) for key, p in sources.items()]
    assert derived(lines, ("total", wanted)) is None


@pytest.mark.parametrize("wanted", ["1.5", "1.75", "2.75", "3", "3.5", "2.1"])
def test_lines_on_one_side_imply_nothing(wanted: str) -> None:
    lines = [
        priced("total", key, {"over": p, "under": 1 - p})
        for key, p in (("2", 0.62), ("2.25", 0.57), ("2.5", 0.5))
    ]
    assert derived(lines, ("total", wanted)) is None


def test_sums_are_of_one_market() -> None:
    result = priced("moneyline", "", {"home": 0.5, "draw": 0.26, "away": 0.24})
    level = priced("spread", "0", {"home": 0.66, "away": 0.34})
    beyond = priced("spread", "-1", {"home": 0.4, "away": 0.6})
    assert derived([result, level, beyond], ("spread", "-0.75")) is None
    quarter = derived([result, level, beyond], ("spread", "-0.25"))
    assert quarter is not None
    assert quarter.derived is not None
    assert quarter.derived.sources == (LineName("moneyline", ""),)
    assert chances_of(quarter)["home"] == pytest.approx(0.5 / (0.5 + 0.24 + 0.13))


@pytest.mark.parametrize(
    ("priced_", "wanted"), [("spread", "draw_no_bet"), ("draw_no_bet", "spread")]
)
def test_draw_no_bet_and_handicap_0_have_the_same_price(priced_: str, wanted: str) -> None:
    result = priced("moneyline", "", {"home": 0.54, "draw": 0.26, "away": 0.2})
    own = priced(priced_, "0" if priced_ == "spread" else "", {"home": 0.637, "away": 0.363})
    line = derived([result, own], (wanted, "0" if wanted == "spread" else ""))
    assert chances_of(line)["home"] == pytest.approx(0.637)
    assert line is not None
    assert line.derived is not None
    assert line.derived.push == pytest.approx(0.26)


@pytest.mark.parametrize(("home", "is_implied"), [(0.75, True), (0.63, False)])
def test_markets_that_are_far_apart_on_the_same_bet_imply_nothing(
    home: float, is_implied: bool
) -> None:
    result = priced("moneyline", "", {"home": 0.57, "draw": 0.22, "away": 0.21})
    handicap = priced("spread", "+0.5", {"home": home, "away": 1 - home})
    for wanted in (("double_chance", ""), ("draw_no_bet", ""), ("spread", "-0.25")):
        assert (derived([result, handicap], wanted) is not None) == is_implied


def test_in_play_only_the_match_result_implies_something() -> None:
    lines = [
        priced("moneyline", "", {"home": 0.5, "draw": 0.2, "away": 0.3}, is_live=True),
        *(
            priced("total", key, {"over": p, "under": 1 - p}, is_live=True)
            for key, p in (("2.5", 0.5), ("3.5", 0.3))
        ),
    ]
    found = derived(lines, ("draw_no_bet", ""), in_play=True)
    assert found is not None
    assert found.is_live is True
    assert chances_of(found)["home"] == pytest.approx(5 / 8)
    assert found.derived is not None
    assert found.derived.push == pytest.approx(0.2)
    assert derived(lines, ("double_chance", ""), in_play=True) is not None
    for wanted in (("spread", "0"), ("spread", "-0.5"), ("total", "3")):
        assert derived(lines, wanted, in_play=True) is None
        assert derived(lines, wanted) is None


def test_lines_of_another_state_crossed_or_not_complete_are_not_used() -> None:
    result = {"home": 0.5, "draw": 0.2, "away": 0.3}
    for line in (
        priced("moneyline", "", result, is_live=True),
        priced("moneyline", "", result, overround=0.99),
        ReferenceLine("moneyline", group_of("moneyline", ""), {}, None, 1, False),
    ):
        assert derived([line], ("double_chance", "")) is None
    known = derived([priced("moneyline", "", result, is_live=None)], ("double_chance", ""))
    assert known is not None
    assert known.is_live is None


def test_a_derived_line_has_the_widest_margin_and_the_earliest_time_of_its_sources() -> None:
    half = priced("total", "2.5", {"over": 0.5, "under": 0.5}, at=7, overround=1.03)
    other = priced("total", "3.5", {"over": 0.3, "under": 0.7}, at=5, overround=1.06, is_live=None)
    line = derived([half, other], ("total", "3"))
    assert line is not None
    assert (line.overround, line.scraped_at, line.is_live) == (1.06, 5, False)
    assert line.group == LineGroup("3", 3.0, ("Over 3", "Under 3"), ("over", "under"), True)


def test_what_the_reference_prices_is_not_derived() -> None:
    lines = [priced("total", key, {"over": p, "under": 1 - p}) for key, p in (("2.5", 0.5),)]
    assert derived(lines, ("total", "2.5")) is None


def test_a_draw_no_bet_without_a_known_draw_is_not_priced() -> None:
    level = priced("spread", "0", {"home": 0.6, "away": 0.4})
    assert derived([level], ("draw_no_bet", "")) is None


def test_sides_are_spelled_as_they_are_offered() -> None:
    offered = LineGroup("", None, ("1X",), ("1X",), False)
    result = priced("moneyline", "", {"home": 0.5, "draw": 0.2, "away": 0.3})
    line = FairGame("Football", [result], {}).line("double_chance", offered)
    assert line is not None
    assert line.group.sides == line.group.selections == ("1X", "X2", "12")
    away = LineGroup("0", 0.0, ("Leeds 0",), ("away",), False)
    handicap = FairGame("Football", [result], {}).line("spread", away)
    assert handicap is not None
    assert handicap.group.selections == ("Home 0", "Leeds 0")


def steps(sources: list[ReferenceLine], wanted: Name, *, in_play: bool = False) -> list[str]:
    game = FairGame("Football", sources, {}, in_play=in_play)
    return game.steps(wanted[0], group_of(*wanted))


RESULT_LINE = priced("moneyline", "", {"home": 0.46, "draw": 0.27, "away": 0.27})


def test_the_sum_names_sources_chances_and_each_side() -> None:
    assert steps([RESULT_LINE], ("spread", "-0.25")) == [
        "Match result: Home 46.00 %, Draw 27.00 %, Away 27.00 %",
        "home margin above 0: 46.00 %, exactly 0: 27.00 %, below: 27.00 %",
        "Home -0.25 = 46.00 % ÷ (46.00 % + 27.00 % + 27.00 % ÷ 2) = 53.18 %, fair 1.880",
        "Away +0.25 = (27.00 % + 27.00 % ÷ 2) ÷ (27.00 % + 46.00 % + 27.00 % ÷ 2) = 46.82 %, "
        "fair 2.136",
    ]
    assert steps([RESULT_LINE], ("double_chance", ""))[1:] == [
        "1X = home 46.00 % + draw 27.00 % = 73.00 %, fair 1.370",
        "X2 = draw 27.00 % + away 27.00 % = 54.00 %, fair 1.852",
        "12 = home 46.00 % + away 27.00 % = 73.00 %, fair 1.370",
    ]
    assert steps([RESULT_LINE], ("moneyline", "")) == []


def test_the_sum_of_a_draw_no_bet_is_that_of_the_result_that_it_comes_from() -> None:
    spreads = [
        priced("spread", key, {"home": p, "away": 1 - p})
        for key, p in (("-0.5", 0.44), ("+0.5", 0.7))
    ]
    for in_play in (False, True):
        result = replace(RESULT_LINE, is_live=in_play)
        assert steps([result, *spreads], ("draw_no_bet", ""), in_play=in_play)[1:3] == [
            "home margin above 0: 46.00 %, exactly 0: 27.00 %, below: 27.00 %",
            "Home = 46.00 % ÷ (46.00 % + 27.00 %) = 63.01 %, fair 1.587",
        ]


@given(grid=grids)
@settings(max_examples=40, deadline=None)
def test_a_ladder_falls_with_its_lines_and_sides_add_up(grid: ScoreGrid) -> None:
    names = [("moneyline", ""), *(("spread", key) for key in ("-1", "-1.5", "+1.5"))]
    names += [("total", key) for key in ("1.5", "2", "2.5", "3", "3.5")]
    game = FairGame("Football", [of_grid(grid, *name) for name in names], {})
    for market_type, lines, first in (
        ("spread", ("+0.5", "+0.25", "0", "-0.25", "-0.5", "-1.25"), "home"),
        ("total", ("1.75", "2.25", "2.75", "3.25"), "over"),
    ):
        found = [game.line(market_type, group_of(market_type, key)) for key in lines]
        chances = [chances_of(line) for line in found if line is not None]
        assert len(chances) == len(lines)
        upper = [each[first] for each in chances]
        assert upper == sorted(upper, reverse=True)
        for each in chances:
            assert math.fsum(each.values()) == pytest.approx(1, abs=1e-12)
    double = chances_of(game.line("double_chance", group_of("double_chance", "")))
    result = chances_of(of_grid(grid, "moneyline", ""))
    for side, other in (("1X", "away"), ("X2", "home"), ("12", "draw")):
        assert double[side] == pytest.approx(1 - result[other], abs=1e-12)
