"""Grids of backtests: how they are read."""

import pytest

from oddsdesk.research.grids import MOST_COMBINATIONS, grid_of
from oddsdesk.research.question import SettingsError


def test_all_combinations_come_in_the_order_of_the_text() -> None:
    assert grid_of("least-ev=-5, 1.5 %;method=Power, margin-proportional;") == [
        {"least-ev": -5, "method": "power"},
        {"least-ev": -5, "method": "margin_proportional"},
        {"least-ev": 1.5, "method": "power"},
        {"least-ev": 1.5, "method": "margin_proportional"},
    ]


def test_several_rules_are_one_value() -> None:
    assert [each["rules"] for each in grid_of("rules=contract,none,Book margin+Price age")] == [
        "contract",
        "none",
        "Book margin+Price age",
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the grid is empty: give lists"),
        (" ; ", "the grid is empty"),
        ("colour=red", "'colour' is not an axis: use method, reference, least-ev, rules"),
        ("method", "method has no values"),
        ("method=", "method has no values"),
        ("method=power,,shin", "method has an empty value"),
        ("method=power,", "method has an empty value"),
        ("method=power,Power", "method has 'Power' twice"),
        ("reference=Pinnacle,pinnacle", "reference has 'pinnacle' twice"),
        ("least-ev=2,2.0", "least-ev has '2.0' twice"),
        ("method=power;method=shin", "method is given twice"),
        ("method=magic", "unknown method 'magic': use margin_proportional"),
        ("least-ev=much", "least-ev is a number of percent, not 'much'"),
        ("least-ev=nan", "The least EV is from -5 to 100 percent"),
        ("least-ev=-6", "The least EV is from -5 to 100 percent"),
        ("alpha=1", "alpha is a number from 0 to below 1, not '1'"),
        ("alpha=nan", "alpha is a number from 0 to below 1"),
        ("rules=Fair odds", "No rule is called “Fair odds”"),
    ],
)
def test_what_makes_no_sense_is_refused_in_words(text: str, said: str) -> None:
    with pytest.raises(SettingsError) as caught:
        grid_of(text)
    assert str(caught.value).startswith(said)


def test_too_many_combinations_are_refused() -> None:
    evs = ",".join(str(number / 100) for number in range(MOST_COMBINATIONS // 2))
    assert len(grid_of(f"method=power,shin;least-ev={evs}")) == MOST_COMBINATIONS
    with pytest.raises(SettingsError, match="1,002 combinations are too many; 1,000 are allowed"):
        grid_of(f"method=power,shin;least-ev={evs},99")
