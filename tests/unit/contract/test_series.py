"""A series is checked at the edge: names in stored form, and odds that make sense."""

from typing import Any

import pytest
from msgspec.structs import replace

from oddsdesk.contract.quotes import BadQuoteError
from oddsdesk.contract.series import GameSeries, SeriesPoint, check_series, count_odds

KICK_OFF = 1_776_366_000_000
POINT = SeriesPoint("spread", 0, "best", True, KICK_OFF, {"Leeds -0.5": 1.9, "Hull +0.5": 2.0})
SERIES = GameSeries("EPL", "Leeds vs Hull", KICK_OFF, (POINT,), source="football-data")


def test_names_and_lines_get_their_stored_form() -> None:
    said = replace(POINT, odds={" Leeds  -0.50": 1.9, "Hull +0.50": 2.0})
    assert check_series(replace(SERIES, match_name=" Leeds vs  Hull", points=(said,))) == SERIES


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("match_name", "???", "match_name: expected a name"),
        ("match_name", "Leeds vs leeds", "match_name: expected two teams"),
        ("competition", "", "competition: expected a name"),
        ("source", "", "source: expected a name"),
        ("kick_off", -(10**13), "kick_off: expected a year"),
    ],
)
def test_a_broken_field_is_named(field: str, value: Any, reason: str) -> None:
    with pytest.raises(BadQuoteError, match=f"^{reason}"):
        check_series(replace(SERIES, **{field: value}))


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("market_type", "1X2", "market_type: '1X2' is not"),
        ("kind", "median", "kind: expected best or mean, got 'median'"),
        ("period", -1, "period: expected 0"),
        ("scraped_at", -(10**13), "scraped_at: expected a year"),
        ("odds", {"Leeds -0.5": 1.0}, "odds: expected a number above 1"),
        ("odds", {"Leeds -0.5": float("nan")}, "odds: expected a number above 1"),
        ("odds", {"...": 2.0}, "selection: expected a name"),
    ],
)
def test_a_broken_field_of_a_point_is_named(field: str, value: Any, reason: str) -> None:
    with pytest.raises(BadQuoteError, match=f"^{reason}"):
        check_series(replace(SERIES, points=(replace(POINT, **{field: value}),)))


def test_odds_are_counted_by_kind() -> None:
    mean = replace(POINT, kind="mean", odds={"Over 2.5": 1.9, "Under 2.5": 1.9, "Over 3": 2.5})
    both = replace(SERIES, points=(POINT, mean))
    assert count_odds([both, SERIES]) == {"best": 4, "mean": 3}
    assert count_odds([]) == {"best": 0, "mean": 0}
