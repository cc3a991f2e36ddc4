"""What a preset lets pass."""

from typing import Any

import msgspec
import pytest

from oddsdesk.ledger.presets import BUILT_IN, ValueFilter

BET: dict[str, Any] = {
    "sport": "Football",
    "competition": "EPL",
    "market_type": "total",
    "bookmaker": "Unibet",
    "odds": 2.0,
    "true_ev": 1.0,
    "is_live": False,
    "hours_ahead": 3.0,
    "age_s": 20.0,
    "limit": 50.0,
}


def test_everything_from_one_percent_on_passes_at_first() -> None:
    assert ValueFilter().passes(**BET)
    assert not ValueFilter().passes(**{**BET, "true_ev": 0.99})
    assert not ValueFilter().passes(**{**BET, "true_ev": None})


@pytest.mark.parametrize(
    ("chosen", "stopped"),
    [
        (ValueFilter(sports=("Football", "Tennis")), {"sport": "Hockey"}),
        (ValueFilter(market_types=("total",)), {"market_type": "spread"}),
        (ValueFilter(bookmakers=("Unibet",)), {"bookmaker": "unibet"}),
        (ValueFilter(min_true_ev=0.5), {"true_ev": 0.4}),
        (ValueFilter(min_odds=2.0), {"odds": 1.99}),
        (ValueFilter(max_odds=2.0), {"odds": 2.01}),
        (ValueFilter(in_play=False), {"is_live": True}),
        (ValueFilter(competitions=("EPL",)), {"competition": "E1"}),
        (ValueFilter(max_true_ev=1.0), {"true_ev": 1.1}),
        (ValueFilter(max_hours_ahead=3.0), {"hours_ahead": 3.1}),
        (ValueFilter(max_hours_ahead=3.0), {"hours_ahead": None}),
        (ValueFilter(min_limit=50.0), {"limit": 49.0}),
        (ValueFilter(max_age_s=20.0), {"age_s": 20.5}),
        (ValueFilter(max_age_s=20.0), {"age_s": None}),
    ],
)
def test_each_condition_stops_what_it_names(chosen: ValueFilter, stopped: dict[str, Any]) -> None:
    assert chosen.passes(**BET)
    assert not chosen.passes(**{**BET, **stopped})


def test_a_bookmaker_whose_limit_nobody_noted_takes_any_stake() -> None:
    assert ValueFilter(min_limit=1_000).passes(**{**BET, "limit": None})


def test_presets_of_older_versions_let_pass_what_they_did() -> None:
    kept = b'{"sports":[],"market_types":[],"bookmakers":[],"min_true_ev":1.0}'
    assert msgspec.json.decode(kept, type=ValueFilter) == ValueFilter()


def test_built_in_presets_have_names_of_their_own_and_survive_json() -> None:
    assert len({preset.name for preset in BUILT_IN}) == len(BUILT_IN)
    for preset in BUILT_IN:
        text = msgspec.json.encode(preset.filter)
        assert msgspec.json.decode(text, type=ValueFilter) == preset.filter
