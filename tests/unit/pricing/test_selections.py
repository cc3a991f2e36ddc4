import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.contract.competitions import SPORTS
from oddsdesk.contract.markets import MARKET_TYPES
from oddsdesk.pricing.selections import line_groups, order_selections, outcome_counts

GAME = "Arsenal vs Chelsea"
TEXTS = (
    ["Arsenal", "Draw", "Chelsea", "Yes", "No", "1X", "X2", "12", "Home", "field", "x 2.5 ?"]
    + [f"{team} {line}" for team in ("Arsenal", "Chelsea", "Draw") for line in ("-1.5", "+1.5")]
    + [f"{team} {line}" for team in ("Arsenal", "Chelsea") for line in ("+0", "-0", "0.25")]
    + [f"{side} {line}" for side in ("Over", "Under") for line in ("2.5", "10.5", "2.50")]
    + [f"Home {side} 1.5" for side in ("Over", "Under")]
    + [f"{p} shots {side} 1.5" for p in ("Saka", "Palmer") for side in ("Over", "Under")]
)
markets = st.sampled_from([*MARKET_TYPES, "unheard_of"])
rows = st.lists(st.sampled_from(TEXTS) | st.text(max_size=12), unique=True, max_size=14)


def complete_keys(market_type: str, selections: list[str], sport: str = "Football") -> list[str]:
    return [g.key for g in line_groups(market_type, GAME, selections, sport) if g.complete]


@given(markets, rows)
def test_ordering_is_an_idempotent_permutation(market_type: str, selections: list[str]) -> None:
    ordered = order_selections(market_type, GAME, selections)
    assert sorted(ordered) == sorted(selections)
    assert order_selections(market_type, GAME, ordered) == ordered


@given(markets, rows.flatmap(lambda row: st.tuples(st.just(row), st.permutations(row))))
def test_order_and_groups_do_not_depend_on_the_order_given(
    market_type: str, pair: tuple[list[str], list[str]]
) -> None:
    row, shuffled = pair
    assert order_selections(market_type, GAME, row) == order_selections(market_type, GAME, shuffled)
    assert line_groups(market_type, GAME, row, "Football") == line_groups(
        market_type, GAME, shuffled, "Football"
    )


@given(markets, rows, st.sampled_from(SPORTS))
def test_groups_partition_the_selections_under_unique_keys(
    market_type: str, selections: list[str], sport: str
) -> None:
    groups = line_groups(market_type, GAME, selections, sport)
    members = [text for group in groups for text in group.selections]
    assert members == order_selections(market_type, GAME, selections)
    assert len({group.key for group in groups}) == len(groups)
    for group in groups:
        assert not group.complete or len(set(group.sides)) == len(group.selections) >= 2


@pytest.mark.parametrize(
    ("market_type", "expected"),
    [
        ("moneyline", ["Arsenal", "Draw", "Chelsea"]),
        ("spread", ["Arsenal -1.5", "Chelsea +1.5", "Arsenal -1", "Chelsea +1", "Arsenal +0.25"]),
        ("3way_handicap", ["Arsenal -1", "Draw -1", "Chelsea +1", "Arsenal +1", "Draw +1"]),
        ("total", ["Over 2.5", "Under 2.5", "Over 3", "Under 3", "Over 10.5"]),
        ("team_total", ["Home Over 0.5", "Home Under 0.5", "Home Over 1.5", "Away Over 0.5"]),
        ("player_prop", ["Palmer shots Over 0.5", "Palmer shots Over 1.5", "Saka shots Over 0.5"]),
        ("btts", ["Yes", "No"]),
        ("yes_no", ["Yes", "No", "Own goal Yes", "Own goal No", "Overtime Yes?"]),
        ("double_chance", ["1X", "X2", "12", "what is this"]),
    ],
)
def test_selections_stand_in_the_fields_order(market_type: str, expected: list[str]) -> None:
    assert order_selections(market_type, GAME, sorted(expected)) == expected


def test_each_line_is_a_group_with_its_sides() -> None:
    row = ["Chelsea +1.5", "Arsenal -0.5", "Arsenal -1.5"]
    first, second = line_groups("spread", GAME, row, "Football")
    assert (first.key, first.line, first.complete) == ("-1.5", -1.5, True)
    assert first.selections == ("Arsenal -1.5", "Chelsea +1.5")
    assert first.sides == ("home", "away")
    assert (second.key, second.complete) == ("-0.5", False)


def test_football_needs_its_draw_and_others_may_have_one() -> None:
    two, three = ["Arsenal", "Chelsea"], ["Arsenal", "Draw", "Chelsea"]
    assert complete_keys("moneyline", two, "Football") == []
    assert complete_keys("moneyline", three, "Football") == [""]
    assert complete_keys("moneyline", two, "Hockey") == [""]
    assert complete_keys("moneyline", three, "Hockey") == [""]
    assert complete_keys("moneyline", ["Arsenal", "Draw"], "Hockey") == []


def test_two_teams_beside_an_unknown_outcome_are_not_surely_all() -> None:
    assert complete_keys("moneyline", ["Arsenal", "Chelsea", "Regulation tie"], "Hockey") == []
    assert complete_keys("moneyline", ["Arsenal", "Chelsea", "Draw", "?"], "Hockey") == [""]


def test_the_draw_of_a_handicap_carries_the_home_line() -> None:
    assert complete_keys("3way_handicap", ["Arsenal -1", "Draw -1", "Chelsea +1"]) == ["-1"]
    assert complete_keys("3way_handicap", ["Arsenal -1", "Draw +1", "Chelsea +1"]) == []


def test_double_chance_overlaps_and_is_never_complete() -> None:
    assert complete_keys("double_chance", ["1X", "X2", "12"]) == []


def test_each_question_is_a_group_and_one_that_is_not_told_is_not_complete() -> None:
    """Two bookmakers that say Yes and No may have been asked different questions."""
    both = ["Overtime Yes", "Overtime No", "Own goal Yes", "Own goal No"]
    assert complete_keys("yes_no", both) == ["Overtime", "Own goal"]
    assert complete_keys("yes_no", ["Overtime Yes", "Own goal No"]) == []
    assert complete_keys("yes_no", ["Yes", "No"]) == []
    assert complete_keys("btts", ["Yes", "No"]) == [""]


def test_one_side_written_twice_is_not_complete() -> None:
    assert complete_keys("spread", ["Arsenal +0", "Chelsea -0"]) == ["0"]
    assert complete_keys("spread", ["Arsenal +0", "Arsenal 0", "Chelsea -0"]) == []


def test_unread_text_is_kept_in_a_group_of_its_own() -> None:
    groups = line_groups("total", GAME, ["Odd", "Over 2.5", "Under 2.5"], "Football")
    assert [(g.key, g.selections, g.complete) for g in groups] == [
        ("2.5", ("Over 2.5", "Under 2.5"), True),
        ("Odd ?", ("Odd",), False),
    ]


@pytest.mark.parametrize(
    ("market_type", "sport", "counts"),
    [
        ("moneyline", "Football", (3,)),
        ("moneyline", "Hockey", (2, 3)),
        ("3way_handicap", "Football", (3,)),
        ("total", "Football", (2,)),
        ("double_chance", "Football", ()),
    ],
)
def test_possible_numbers_of_outcomes(
    market_type: str, sport: str, counts: tuple[int, ...]
) -> None:
    assert outcome_counts(market_type, sport) == counts
