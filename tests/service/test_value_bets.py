"""GET /api/value-bets: shape, filters, order, pages (D3, D13, D14, D30).

What is found and when it is listed is in ``live/test_valuation.py``.
"""

from typing import Any

import pytest

from oddsdesk.contract.access import Plan
from oddsdesk.store.values import FoundValueBet, MarketKey

REFERENCE = "Pinnacle"
TOTAL = {"Over 2.5": 2.05, "Under 2.5": 1.88}


@pytest.fixture
def valued(service: Any) -> Any:
    """Bets of 1.5, 3, 4.444 and 9.5 % on totals of games named after them, one in play."""
    for game, edge in enumerate((1.5, 3.0, 4.444, 9.5), start=1):
        competition = "NBA" if edge == 3.0 else "EPL"
        shared = {
            "match_name": f"Team {edge} - Other",
            "competition": competition,
            "market_type": "total",
            "is_live": edge == 9.5,
        }
        service.quote(bookmaker=REFERENCE, odds=TOTAL, liquidity=700.0, **shared)
        service.quote(bookmaker="Betfair" if edge != 1.5 else "Unibet", odds=TOTAL, **shared)
        reconcile(service, game, "Betfair" if edge != 1.5 else "Unibet", edge)
    return service


def reconcile(service: Any, game: int, bookmaker: str, edge: float) -> None:
    bet = FoundValueBet(bookmaker, "Over 2.5", 2.05, TOTAL, 2.05, 2.092312, edge, 1.019722)
    found = {MarketKey(game, "total", 0): [bet]}
    service.store.replace_value_bets(found, service.now).result(timeout=10)


def edges(service: Any, key: str, **asked: Any) -> list[float]:
    return [bet["ev_pct"] for bet in service.data("/api/value-bets", key, **asked)]


def test_a_value_bet_has_every_field(valued: Any) -> None:
    """service.md, Value bet; D3: fair_odds and payout_rate 4 decimals, ev_pct 2."""
    [bet] = valued.data("/api/value-bets", valued.key(), min_ev="4.44", max_ev="4.45")
    assert bet == {
        "match_name": "Team 4.444 - Other",
        "selection": "Over 2.5",
        "bookmaker": "Betfair",
        "market_type": "total",
        "period": 0,
        "odds": 2.05,
        "reference_odds": 2.05,
        "fair_odds": 2.0923,
        "ev_pct": 4.44,
        "payout_rate": 1.0197,
        "liquidity": 700.0,
        "competition": "EPL",
        "sport": "Football",
        "detected_at": "2026-11-20T18:00:00.000Z",
        "match_date": "2026-11-20T19:00:00.000Z",
    }


def test_the_best_comes_first(valued: Any) -> None:
    """D13."""
    assert edges(valued, valued.key()) == [9.5, 4.44, 3.0, 1.5]


def test_edges_are_judged_before_they_are_rounded(valued: Any) -> None:
    """D3: every rule and filter is judged on the unrounded figure."""
    key = valued.key()
    assert edges(valued, key, min_ev="4.444") == [9.5, 4.44]
    assert edges(valued, key, min_ev="4.445") == [9.5]
    assert edges(valued, key, max_ev="4.44") == [3.0, 1.5]
    assert edges(valued, key, max_ev="4.444") == [4.44, 3.0, 1.5]
    assert edges(valued, key, min_ev=0) == [9.5, 4.44, 3.0, 1.5]


def test_bets_are_filtered(valued: Any) -> None:
    """service.md, GET /api/value-bets."""
    key = valued.key()
    assert edges(valued, key, sport="basketBALL") == [3.0]
    assert edges(valued, key, competition="EPL") == [9.5, 4.44, 1.5]
    assert edges(valued, key, bookmaker="Unibet") == [1.5]
    assert edges(valued, key, limit=2) == [9.5, 4.44]


@pytest.mark.parametrize("plan", [Plan.PRO, Plan.PRO_RT])
def test_bets_in_play_are_for_the_live_plan(valued: Any, plan: Plan) -> None:
    """D30."""
    assert edges(valued, valued.key(plan)) == [4.44, 3.0, 1.5]


def test_a_cut_answer_goes_on_at_its_cursor(valued: Any) -> None:
    """D14."""
    key = valued.key()
    first = valued.get("/api/value-bets", key, limit=3).json()
    cursor = first["meta"]["next_cursor"]
    rest = valued.get("/api/value-bets", key, limit=3, cursor=cursor).json()
    assert "next_cursor" not in rest["meta"]
    shown = [bet["ev_pct"] for bet in first["data"] + rest["data"]]
    assert shown == [9.5, 4.44, 3.0, 1.5]
