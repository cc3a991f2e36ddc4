"""What a preset lets pass."""

from typing import Any

import msgspec
import pytest

from oddsdesk.ledger.presets import BUILT_IN, ValueFilter

BET: dict[str, Any] = {
    "sport": "Football",
    "market_type": "total",
    "bookmaker": "Unibet",
    "odds": 2.0,
    "true_ev": 1.0,
    "is_live": False,
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
    ],
)
def test_each_condition_stops_what_it_names(chosen: ValueFilter, stopped: dict[str, Any]) -> None:
    assert chosen.passes(**BET)
    assert not chosen.passes(**{**BET, **stopped})


def test_built_in_presets_have_names_of_their_own_and_survive_json() -> None:
    assert len({preset.name for preset in BUILT_IN}) == len(BUILT_IN)
    for preset in BUILT_IN:
        text = msgspec.json.encode(preset.filter)
        assert msgspec.json.decode(text, type=ValueFilter) == preset.filter
