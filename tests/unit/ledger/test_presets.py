"""What a preset lets pass."""

from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from oddsdesk.ledger.ledger import Ledger
from oddsdesk.ledger.presets import (
    BUILT_IN,
    Hidden,
    HiddenKind,
    HiddenThings,
    ValueFilter,
    bet_key,
    hidden_until,
)

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


def test_everything_that_the_list_holds_passes_at_first() -> None:
    assert ValueFilter().passes(**BET)
    assert not ValueFilter().passes(**{**BET, "true_ev": -0.01})
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
        (ValueFilter(derived="none"), {"derived": "implied"}),
        (ValueFilter(derived="implied"), {"derived": "modelled"}),
    ],
)
def test_each_condition_stops_what_it_names(chosen: ValueFilter, stopped: dict[str, Any]) -> None:
    assert chosen.passes(**BET)
    assert not chosen.passes(**{**BET, **stopped})


def test_a_bookmaker_whose_limit_nobody_noted_takes_any_stake() -> None:
    assert ValueFilter(min_limit=1_000).passes(**{**BET, "limit": None})


def test_presets_of_older_versions_let_pass_what_they_did() -> None:
    kept = b'{"sports":[],"market_types":[],"bookmakers":[],"min_true_ev":1.0}'
    assert msgspec.json.decode(kept, type=ValueFilter) == ValueFilter(min_true_ev=1.0)


def test_built_in_presets_have_names_of_their_own_and_survive_json() -> None:
    assert len({preset.name for preset in BUILT_IN}) == len(BUILT_IN)
    for preset in BUILT_IN:
        text = msgspec.json.encode(preset.filter)
        assert msgspec.json.decode(text, type=ValueFilter) == preset.filter


OUTCOME = ("game", "total", 0, "2.5", "over")
GAME = Hidden(HiddenKind.GAME, "game", "A v B", until=2_000)
BOOK = Hidden(HiddenKind.BOOKMAKER, "Unibet", "Unibet")


def hides(things: HiddenThings, **differs: object) -> bool:
    price = {"game_id": "game", "market_type": "total", "bookmaker": "Bet365", "outcome": OUTCOME}
    return things.hides(**(price | differs))  # type: ignore[arg-type]


def test_each_kind_hides_what_it_names_and_no_more() -> None:
    assert not hides(HiddenThings())
    assert hides(HiddenThings([GAME]))
    assert not hides(HiddenThings([GAME]), game_id="other")
    assert hides(HiddenThings([BOOK]), bookmaker="Unibet")
    assert not hides(HiddenThings([BOOK]))
    market = HiddenThings([Hidden(HiddenKind.MARKET, "total", "Total")])
    assert hides(market, game_id="other")
    assert not hides(market, market_type="spread")
    bet = HiddenThings([Hidden(HiddenKind.BET, bet_key(OUTCOME), "Over 2.5")])
    assert hides(bet, bookmaker="Unibet")
    assert not hides(bet, outcome=(*OUTCOME[:4], "under"))


HOUR = 3_600_000


@pytest.mark.parametrize("kind", [HiddenKind.GAME, HiddenKind.BET])
def test_a_game_is_hidden_until_it_is_over_since_the_next_one_may_have_its_id(
    kind: HiddenKind,
) -> None:
    assert hidden_until(kind, 50 * HOUR, HOUR, for_good=True) == 56 * HOUR
    assert hidden_until(kind, 50 * HOUR, HOUR, for_good=False) == 25 * HOUR
    assert hidden_until(kind, 3 * HOUR, HOUR, for_good=False) == 9 * HOUR
    assert hidden_until(kind, None, HOUR, for_good=True) is None
    assert hidden_until(HiddenKind.BOOKMAKER, 50 * HOUR, HOUR, for_good=True) is None


def test_what_is_hidden_for_now_comes_back() -> None:
    assert hides(HiddenThings([GAME], now_ms=1_999))
    assert not hides(HiddenThings([GAME], now_ms=2_000))
    assert len(HiddenThings([GAME, BOOK], now_ms=2_000)) == 1


def test_it_is_there_after_a_restart_and_what_is_over_is_forgotten(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with closing(Ledger(path)) as ledger:
        ledger.hide(GAME, 1_000)
        ledger.hide(BOOK, 1_000)
    with closing(Ledger(path)) as again:
        assert again.hidden() == [GAME, BOOK]
        market = Hidden(HiddenKind.MARKET, "total", "Total")
        again.hide(market, 2_000)
        assert again.hidden() == [BOOK, market]
        again.unhide(BOOK)
        again.unhide(GAME)
        assert again.hidden() == [market]


def test_hiding_again_is_for_the_time_that_was_said_last(tmp_path: Path) -> None:
    with closing(Ledger(tmp_path / "ledger.db")) as ledger:
        ledger.hide(GAME, 1_000)
        for_good = Hidden(GAME.kind, GAME.key, GAME.title)
        ledger.hide(for_good, 1_000)
        assert ledger.hidden() == [for_good]
