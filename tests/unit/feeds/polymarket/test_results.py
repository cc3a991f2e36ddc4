"""Markets that Polymarket settled, as results of their selections."""

import json
from typing import Any

import msgspec
import pytest

from oddsdesk.contract.results import GameResult, GameStatus
from oddsdesk.contract.times import parse_ms
from oddsdesk.feeds.polymarket.books import Market
from oddsdesk.feeds.polymarket.games import Listing

pytestmark = pytest.mark.unit

NOW = 1_800_000_000_000
KICK_OFF = "2026-04-11T11:30:00Z"
CLOSED_AT = "2026-04-11 13:40:15+00"


def market(title: str, *prices: str, **fields: Any) -> dict[str, Any]:
    return {
        "question": f"Will {title} win?",
        "groupItemTitle": title,
        "outcomes": '["Yes", "No"]',
        "clobTokenIds": json.dumps([f"{title}-1", f"{title}-2"]),
        "sportsMarketType": "moneyline",
        "active": True,
        "closed": True,
        "outcomePrices": json.dumps(prices),
        "umaResolutionStatus": "resolved",
        "closedTime": CLOSED_AT,
    } | fields


HOME = market("Leeds", "0", "1")
DRAW = market("Draw (Leeds vs. Luton)", "1", "0")
AWAY = market("Luton", "0", "1")
TOTAL = market("O/U", "1", "0", outcomes='["Over", "Under"]', sportsMarketType="totals", line=1.5)
SPREAD = market(
    "Spread", "0", "1", outcomes='["Luton", "Leeds"]', sportsMarketType="spreads", line=-1.5
)


def listing(*markets: Any, **fields: Any) -> Listing:
    event = {
        "slug": "epl-lee-lut-2026-04-11",
        "title": "Leeds vs. Luton",
        "startTime": KICK_OFF,
        "closed": True,
        "markets": list(markets),
    } | fields
    found = Listing()
    found.read_page(json.dumps([event]).encode())
    return found


def result(*markets: Any, **fields: Any) -> GameResult | None:
    found = listing(*markets, **fields)
    assert found.problems == []
    (game,) = [*found.over.values(), *found.games.values()]
    return game.result(NOW)


def settled(*markets: Any, **fields: Any) -> dict[str, str]:
    ended = result(*markets, **fields)
    return {} if ended is None else {each.selection: each.result for each in ended.selections}


def test_a_game_that_is_over_has_a_result_of_each_selection() -> None:
    found = result(HOME, DRAW, AWAY, TOTAL, SPREAD)
    assert found is not None
    assert {(each.market_type, each.selection): each.result for each in found.selections} == {
        ("moneyline", "Leeds"): "lost",
        ("moneyline", "Draw"): "won",
        ("moneyline", "Luton"): "lost",
        ("total", "Over 1.5"): "won",
        ("total", "Under 1.5"): "lost",
        ("spread", "Luton -1.5"): "lost",
        ("spread", "Leeds +1.5"): "won",
    }
    assert (found.match_name, found.competition, found.sport) == (
        *("Leeds vs Luton", "EPL", "Football"),
    )
    assert (found.kick_off, found.bookmaker) == (parse_ms(KICK_OFF), "Polymarket")
    assert (found.status, found.home, found.away) == (GameStatus.FINAL, None, None)
    assert found.reported_at == parse_ms("2026-04-11T13:40:15Z")


def test_a_game_that_is_over_has_nothing_to_buy() -> None:
    found = listing(HOME, DRAW, AWAY)
    assert (found.games, found.tokens, list(found.over)) == ({}, [], ["epl-lee-lut-2026-04-11"])


def test_a_market_may_be_settled_during_the_game() -> None:
    found = result(TOTAL, HOME | {"closed": False}, closed=False)
    assert found is not None
    assert (found.status, len(found.selections)) == (GameStatus.UNKNOWN, 2)


def test_a_game_called_off_is_settled_by_hand() -> None:
    half = ["0.5", "0.5"]
    assert settled(*(each | {"outcomePrices": json.dumps(half)} for each in (HOME, TOTAL))) == {}


@pytest.mark.parametrize(
    "fields",
    [
        {"closed": False, "acceptingOrders": False},
        {"umaResolutionStatus": "proposed"},
        {"umaResolutionStatus": "disputed"},
        {"outcomePrices": '["0", "0"]'},
        {"outcomePrices": '["0.9995", "0.0005"]'},
        {"outcomePrices": None},
    ],
)
def test_what_is_not_decided_is_no_result(fields: dict[str, Any]) -> None:
    assert settled(TOTAL | fields) == {}


def test_prices_without_a_word_of_the_oracle_count() -> None:
    assert settled(TOTAL | {"umaResolutionStatus": None}) == {
        "Over 1.5": "won",
        "Under 1.5": "lost",
    }


def test_selections_that_two_markets_settle_differently_are_left_out() -> None:
    other = TOTAL | {"outcomePrices": '["0", "1"]'}
    assert settled(TOTAL, other, HOME) == {"Leeds": "lost"}


def test_without_a_kick_off_there_is_no_result() -> None:
    assert result(HOME, startTime=None) is None


@pytest.mark.parametrize(
    ("fields", "word"),
    [({"outcomePrices": '["one", "0"]'}, "outcomePrices"), ({"closedTime": "soon"}, "ISO")],
)
def test_an_unreadable_result_is_named_and_the_rest_is_kept(
    fields: dict[str, Any], word: str
) -> None:
    found = listing(TOTAL | fields, HOME)
    (problem,) = found.problems
    assert word in problem
    ended = found.over["epl-lee-lut-2026-04-11"].result(NOW)
    assert ended is not None
    assert "Leeds" in {each.selection for each in ended.selections}


@pytest.mark.parametrize(
    ("name", "winner"),
    [
        ("closed_binary_accepting_false", 1),
        ("closed_binary_accepting_true", 0),
        ("closed_nonbinary_legacy", None),
        ("closed_zero_zero_legacy", None),
        ("sports_market_money_line", ...),
        ("sports_market_map_handicap", ...),
    ],
)
def test_recorded_markets_are_won_by_the_outcome_that_the_file_says(
    shared_data: Any, name: str, winner: Any
) -> None:
    path = shared_data / "live" / "polymarket" / "nautilus" / f"gamma_market_{name}.json"
    raw = json.loads(path.read_text())
    if winner is ...:
        winner = json.loads(raw["outcomePrices"]).index("1")
    assert msgspec.convert(raw, Market).winner == winner
