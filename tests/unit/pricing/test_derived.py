"""Modelled prices: when there is one, what it carries, and the reason when there is none."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from oddsdesk.pricing.derived import Band, BandKey, FairGame, distance_of, selection_text, sides_of
from oddsdesk.pricing.score_grid import score_grid
from oddsdesk.pricing.selections import DRAW, LineGroup, handicap_text, line_text, read_selection
from oddsdesk.pricing.value import ReferenceLine
from tests.kit.fair_lines import Name, chances_of, group_of, of_grid, priced

GRID = score_grid(1.7, 1.1, -0.05)
PRICED = [
    ("moneyline", ""),
    *(("total", key) for key in ("2.5", "3")),
    *(("spread", key) for key in ("-0.5", "-1")),
]
MARKETS = ("moneyline", "spread", "total", "team_total", "btts", "3way_handicap")
DISTANCES = ("0.5", "1", "2", "more", "none")


def bands(error: float = 0.004, lines: int = 30) -> dict[BandKey, Band]:
    return {
        BandKey("Football", market, distance): Band(error, lines)
        for market in MARKETS
        for distance in DISTANCES
    }


def lines_of(names: list[Name] = PRICED) -> list[ReferenceLine]:
    return [of_grid(GRID, *name) for name in names]


@pytest.mark.parametrize(
    "wanted", [("btts", ""), ("total", "4.5"), ("team_total", "Away 1.5"), ("spread", "-2.25")]
)
def test_a_model_prices_what_is_not_implied_and_carries_its_band(wanted: Name) -> None:
    game = FairGame("Football", lines_of(), bands())
    line = game.line(wanted[0], group_of(*wanted))
    assert line is not None
    assert line.derived is not None
    assert line.derived.kind == "modelled"
    for side, chance in chances_of(line).items():
        assert chance == pytest.approx(GRID.probability(*wanted, side), abs=5e-4)
        assert line.derived.bands[side] == 0.004
    assert {tuple(name) for name in line.derived.sources} == set(PRICED)
    assert line.derived.push == pytest.approx(GRID.push(*wanted), abs=5e-4)
    assert game.why_not(wanted[0], group_of(*wanted)) == ""


def test_what_is_implied_is_never_modelled() -> None:
    line = FairGame("Football", lines_of(), bands()).line("spread", group_of("spread", "-0.75"))
    assert line is not None
    assert line.derived is not None
    assert (line.derived.kind, line.derived.bands) == ("implied", {})


def why_not(game: FairGame, wanted: Name = ("btts", "")) -> str:
    assert game.line(wanted[0], group_of(*wanted)) is None
    return game.why_not(wanted[0], group_of(*wanted))


def test_a_band_that_was_measured_on_too_few_lines_gives_no_price() -> None:
    assert "has not been measured" in why_not(FairGame("Football", lines_of(), {}))
    few = why_not(FairGame("Football", lines_of(), bands(lines=29)))
    assert "was measured on only 29 lines like this one; 30 are needed" in few


def test_a_model_that_misses_an_input_by_more_than_its_band_gives_no_price() -> None:
    over = GRID.probability("total", "2.5", "over") or 0.0
    torn = priced("total", "2.5", {"over": over + 0.02, "under": 0.98 - over})
    lines = [torn if line.group.key == "2.5" else line for line in lines_of()]
    game = FairGame("Football", lines, bands())
    assert "percentage points on Total " in why_not(game)
    assert "more than the band of 0.40" in why_not(game)
    assert FairGame("Football", lines, bands(0.02)).line("btts", group_of("btts", "")) is not None


def test_an_input_is_held_to_the_band_of_its_own_market() -> None:
    over = GRID.probability("total", "2.5", "over") or 0.0
    torn = priced("total", "2.5", {"over": over + 0.02, "under": 0.98 - over})
    lines = [torn if line.group.key == "2.5" else line for line in lines_of()]
    wide = {key: Band(0.0001 if key.market_type == "btts" else 0.02, 30) for key in bands()}
    assert FairGame("Football", lines, wide).line("btts", group_of("btts", "")) is not None


@pytest.mark.parametrize(
    ("sport", "names", "wanted", "reason"),
    [
        ("Rugby", PRICED, ("btts", ""), "this sport has no model"),
        (
            "Football",
            [("moneyline", "")],
            ("btts", ""),
            "they are too few, or contradict each other",
        ),
        (
            "Football",
            [("spread", "-0.75"), ("spread", "-1"), ("total", "2.5"), ("total", "3")],
            ("btts", ""),
            "needs a line that depends on the draw",
        ),
        ("Football", PRICED, ("player_prop", "Kane shots 1.5"), "does not cover this bet"),
        ("Football", PRICED, ("total", "2.5"), "prices this line itself"),
    ],
)
def test_why_there_is_no_price(sport: str, names: list[Name], wanted: Name, reason: str) -> None:
    assert reason in why_not(FairGame(sport, lines_of(names), bands()), wanted)


def test_the_margin_of_a_modelled_line_is_that_of_the_nearest_line_of_its_market() -> None:
    wide = {"4.5": 1.06, "1.5": 1.08}
    lines = [replace(line, overround=wide.get(line.group.key, 1.03)) for line in lines_of()]
    lines += [replace(of_grid(GRID, "total", key), overround=wide[key]) for key in wide]
    game = FairGame("Football", lines, bands())
    for wanted, margin in (
        (("total", "5"), 1.06),
        (("total", "3.5"), 1.03),
        (("spread", "-2.25"), 1.03),
        (("btts", ""), 1.03),
    ):
        line = game.line(wanted[0], group_of(*wanted))
        assert line is not None
        assert line.derived is not None
        assert line.derived.kind == "modelled"
        assert line.overround == margin


def test_a_modelled_price_is_in_order_with_its_neighbours() -> None:
    over = GRID.probability("total", "4.5", "over") or 0.0
    torn = priced("total", "4.5", {"over": over + 0.05, "under": 0.95 - over})
    names = [name for name in PRICED if name != ("total", "3")]
    game = FairGame("Football", [*lines_of(names), torn], bands(0.05))
    assert "contradicts the sharp book's nearest line" in why_not(game, ("total", "4.25"))
    assert game.line("btts", group_of("btts", "")) is not None


def test_in_play_nothing_is_modelled() -> None:
    lines = [
        ReferenceLine(
            line.market_type, line.group, line.prices, line.overround, line.scraped_at, True
        )
        for line in lines_of()
    ]
    game = FairGame("Football", lines, bands(), in_play=True)
    assert game.model is None
    assert "in play" in why_not(game)


@pytest.mark.parametrize(
    ("key", "distance"),
    [("2.75", "0.5"), ("3.5", "0.5"), ("4", "1"), ("4.5", "2"), ("5.25", "more"), ("2.5", "0.5")],
)
def test_distance_is_counted_from_the_nearest_other_line(key: str, distance: str) -> None:
    assert distance_of("total", group_of("total", key), lines_of()) == distance


def test_distance_is_none_where_no_line_of_the_market_is_priced() -> None:
    lines = [*lines_of(), of_grid(GRID, "team_total", "Home 1.5")]
    for name in (("btts", ""), ("team_total", "Away 1.5"), ("team_total", "Home 1.5")):
        assert distance_of(name[0], group_of(*name), lines) == "none"


def test_a_band_is_that_of_the_distance_from_the_same_teams_lines() -> None:
    lines = [*lines_of(), of_grid(GRID, "team_total", "Home 1.5")]
    far = {key: Band(0.03 if key.distance == "none" else 0.004, 30) for key in bands()}
    game = FairGame("Football", lines, far)
    for key, band in (("Away 1.5", 0.03), ("Home 3", 0.004)):
        line = game.line("team_total", group_of("team_total", key))
        assert line is not None
        assert line.derived is not None
        assert line.derived.bands["over"] == band


@pytest.mark.parametrize(
    ("market_type", "key", "side", "text"),
    [
        ("moneyline", "", "draw", "Draw"),
        ("spread", "-0.75", "home", "Home -0.75"),
        ("spread", "-0.75", "away", "Away +0.75"),
        ("spread", "0", "away", "Away 0"),
        ("3way_handicap", "+1", "draw", "Draw +1"),
        ("total", "2.5", "over", "Over 2.5"),
        ("team_total", "Home 1.5", "under", "Home Under 1.5"),
        ("player_prop", "Kane shots 2.5", "over", "Kane shots Over 2.5"),
        ("btts", "", "yes", "Yes"),
        ("yes_no", "Both teams score", "no", "Both teams score No"),
        ("double_chance", "", "X2", "X2"),
    ],
)
def test_selections_are_written_as_they_are_read(
    market_type: str, key: str, side: str, text: str
) -> None:
    assert selection_text(market_type, key, side) == text
    read = read_selection(market_type, "Home - Away", text)
    assert read is not None
    assert (read.key, read.side) == (key, side)


def test_a_moneyline_is_priced_with_the_draw_that_is_offered() -> None:
    names = (("total", "2.5"), ("draw_no_bet", ""), ("spread", "+0.5"))
    lines = [of_grid(GRID, *name) for name in names]
    offered = LineGroup("", None, ("Home", "Draw", "Away"), ("home", "draw", "away"), True)
    line = FairGame("Football", lines, bands()).line("moneyline", offered)
    assert line is not None
    assert line.group.sides == ("home", "draw", "away")


KEYS = {
    "moneyline": st.just(""),
    "draw_no_bet": st.just(""),
    "double_chance": st.just(""),
    "btts": st.just(""),
    "spread": st.integers(-12, 12).map(lambda quarters: handicap_text(quarters / 4)),
    "total": st.integers(0, 24).map(lambda quarters: line_text(quarters / 4)),
    "team_total": st.integers(0, 12).map(lambda quarters: f"Home {line_text(quarters / 4)}"),
    "3way_handicap": st.integers(-3, 3).map(handicap_text),
}
any_name = st.sampled_from(sorted(KEYS)).flatmap(
    lambda market: KEYS[market].map(lambda key: (market, key))
)
any_chance = st.floats(1e-4, 1 - 1e-4)


def any_line(name: Name, one: float, other: float) -> ReferenceLine:
    sides = sides_of(name[0], "Football", has_draw=True)
    chances = (one, 1 - one)
    if DRAW in sides:
        chances = (one * other, one * (1 - other), 1 - one)
    return priced(*name, dict(zip(sides, chances, strict=False)))


@given(
    st.lists(st.tuples(any_name, any_chance, any_chance), max_size=12),
    st.lists(any_name, min_size=1, max_size=8),
    st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_whatever_is_priced_a_derived_price_is_a_probability(
    given_lines: list[tuple[Name, float, float]], wanted: list[Name], in_play: bool
) -> None:
    lines = [replace(any_line(*each), is_live=in_play) for each in given_lines]
    game = FairGame("Football", lines, bands(0.5), in_play=in_play)
    for market_type, key in wanted:
        group = group_of(market_type, key)
        line = game.line(market_type, group)
        assert (line is None) == bool(game.why_not(market_type, group))
        if line is None:
            continue
        chances = chances_of(line)
        assert all(0 < chance < 1 for chance in chances.values())
        assert line.derived is not None
        assert 0 <= line.derived.push <= 1
        if market_type != "double_chance":
            assert sum(chances.values()) == pytest.approx(1, abs=1e-9)
