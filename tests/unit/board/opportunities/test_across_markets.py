"""Opportunities whose legs are in several markets, checked score by score without the program."""

from itertools import product
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.base.tasks import exhaust
from oddsdesk.board.model.notices import Connection, Link
from oddsdesk.board.opportunities.finder import Opportunity
from oddsdesk.board.opportunities.offers import (
    LegsToPlace,
    Opportunities,
    legs_now,
    offer_now,
    opportunity_now,
)
from oddsdesk.pricing.opportunities import OpportunityKind, Split
from tests.kit.board import REFERENCE, Desk, Odds, message, picture

HOME, AWAY = "Arsenal", "Chelsea"
SCORES = list(product(range(7), range(7)))
RESULT = {HOME: "1", "Draw": "X", AWAY: "2"}
LINES = ("-2", "-1.5", "-1", "-0.75", "-0.5", "-0.25", "+0", "+0.25", "+0.5", "+1", "+1.5", "+2")
MARKETS = {
    "moneyline": [(HOME, "Draw", AWAY)],
    "double_chance": [("1X", "X2", "12")],
    "draw_no_bet": [(HOME, AWAY)],
    "spread": [(f"{HOME} {line}", f"{AWAY} {-float(line):+g}") for line in LINES],
    "3way_handicap": [
        (f"{HOME} {line:+d}", f"Draw {line:+d}", f"{AWAY} {-line:+d}") for line in (-2, -1, 0, 1, 2)
    ],
}
BOOKS = ("Betfair", "Unibet", "Bet365")


class Seen:
    """A board of one game, and what it offers."""

    def __init__(self, markets: dict[str, Odds], **more: Any) -> None:
        self.desk = Desk()
        self.board = self.desk.board
        self.board.set_connection(Connection(link=Link.LIVE))
        exhaust(self.board.merge_matrix(picture(markets, **more)))
        self.list = Opportunities(self.board, lambda: self.desk.now, Split)

    def found(self) -> list[Opportunity]:
        exhaust(self.list.looking())
        return sorted(self.list.entries.values(), key=Opportunity.sort_key)


def legs_of(found: Opportunity) -> list[tuple[str, str, str]]:
    return [(leg.key.market_type, leg.key.selection, leg.bookmaker) for leg in found.legs]


def share(market_type: str, text: str, home: int, away: int) -> float:
    """The share of a stake that a bet wins at a score, by what its text says."""
    ahead = "1" if home > away else "2" if away > home else "X"
    if market_type == "double_chance":
        return 1 if ahead in text else -1
    if market_type == "moneyline":
        return 1 if RESULT[text] == ahead else -1
    if market_type == "draw_no_bet":
        return 0 if ahead == "X" else 1 if RESULT[text] == ahead else -1
    name, _, line = text.rpartition(" ")
    if market_type == "3way_handicap":
        moved = home + float(line) - away if name != AWAY else home - away - float(line)
        return 1 if RESULT[name] == ("1" if moved > 0 else "2" if moved < 0 else "X") else -1
    quarters = round(4 * ((home - away if name == HOME else away - home) + float(line)))
    return 0 if quarters == 0 else (1 if quarters > 0 else -1) * (0.5 if abs(quarters) == 1 else 1)


def profit(found: Opportunity, home: int, away: int) -> float:
    shares = (share(leg.key.market_type, leg.key.selection, home, away) for leg in found.legs)
    return sum(
        leg.stake * (won * (leg.net_odds - 1) if won > 0 else won)
        for leg, won in zip(found.legs, shares, strict=True)
    )


def board(chance: Random) -> dict[str, Odds]:
    """All markets that the margin decides, each line at some bookmakers around a fair price."""
    markets: dict[str, Odds] = {}
    for market_type, lines in MARKETS.items():
        for line, book in product(lines, BOOKS):
            if chance.random() < 0.6:
                continue
            payout = chance.uniform(0.9, 0.99)
            for text in line:
                wins = sum(share(market_type, text, *at) > 0 for at in SCORES) / len(SCORES)
                odds = payout / wins * chance.uniform(0.96, 1.04)
                of_book = markets.setdefault(market_type, {}).setdefault(book, {})
                of_book[text] = max(1.03, round(odds, 2))
    return markets


@given(st.integers(0, 1 << 32))
def test_no_score_leaves_less_than_an_opportunity_says(seed: int) -> None:
    for found in Seen(board(Random(seed))).found():
        worst = min(profit(found, *at) for at in SCORES)
        assert worst == pytest.approx(found.outlay.worst_of_all), legs_of(found)
        if found.middle is not None:
            assert found.middle.loss == pytest.approx(-worst)


DRAW_NO_BET = {
    "draw_no_bet": {REFERENCE: {HOME: 1.7, AWAY: 2.12}, "Bet365": {HOME: 2.02, AWAY: 1.84}},
    "spread": {
        "Unibet": {f"{HOME} +0": 1.68, f"{AWAY} +0": 2.16},
        REFERENCE: {f"{HOME} +0": 1.7, f"{AWAY} +0": 2.13},
    },
}
RESULTS: dict[str, Odds] = {
    "moneyline": {
        REFERENCE: {HOME: 2.05, "Draw": 3.5, AWAY: 3.7},
        "Bet365": {HOME: 2.2, "Draw": 3.3, AWAY: 3.4},
    },
    "double_chance": {"Unibet": {"1X": 1.3, "X2": 1.95, "12": 1.33}},
}
HALVES: Odds = {
    "bwin": {f"{HOME} -0.5": 2.21, f"{AWAY} +0.5": 1.7},
    "1xBet": {f"{HOME} -0.5": 2.04, f"{AWAY} +0.5": 1.9},
}


def test_draw_no_bet_and_handicap_0_cover_each_other() -> None:
    (found,) = Seen(DRAW_NO_BET).found()
    assert legs_of(found) == [("draw_no_bet", HOME, "Bet365"), ("spread", f"{AWAY} +0", "Unibet")]
    assert (1 / found.total - 1) * 100 == pytest.approx(4.38, abs=0.005)
    assert round(found.profit_pct, 2) == 4.19
    assert found.outlay.push == 0
    assert (found.market_type, found.line) == (None, None)
    assert [leg.line for leg in found.legs] == [None, 0]


def test_a_home_win_and_x2_cover_each_other_with_the_best_price_of_either_market() -> None:
    (found,) = Seen(RESULTS | {"spread": HALVES}).found()
    assert legs_of(found) == [("spread", f"{HOME} -0.5", "bwin"), ("double_chance", "X2", "Unibet")]
    assert (1 / found.total - 1) * 100 == pytest.approx(3.59, abs=0.005)
    (found,) = Seen(RESULTS).found()
    assert legs_of(found) == [("moneyline", HOME, "Bet365"), ("double_chance", "X2", "Unibet")]
    assert (1 / found.total - 1) * 100 == pytest.approx(3.37, abs=0.005)


@pytest.mark.parametrize(
    ("chance", "result", "odds"),
    [("1X", AWAY, (1.5, 3.1)), ("12", "Draw", (1.4, 3.6)), ("X2", HOME, (1.95, 2.2))],
)
def test_each_double_chance_is_completed_by_the_third_result(
    chance: str, result: str, odds: tuple[float, float]
) -> None:
    low = {HOME: 1.9, "Draw": 2.9, AWAY: 2.8}
    markets: dict[str, Odds] = {
        "double_chance": {"Unibet": {"1X": 1.2, "X2": 1.2, "12": 1.2, chance: odds[0]}},
        "moneyline": {"Bet365": {**low, result: odds[1]}},
    }
    (found,) = Seen(markets).found()
    legs = {("double_chance", chance, "Unibet"), ("moneyline", result, "Bet365")}
    assert set(legs_of(found)) == legs
    for more in ({"is_live": True}, {"sport": "Hockey", "competition": "NHL"}):
        (found,) = Seen(markets, **more).found()
        assert set(legs_of(found)) == legs


def test_three_results_come_from_whichever_market_pays_best() -> None:
    odds: dict[str, Odds] = {
        "moneyline": {"A": {HOME: 2.6, "Draw": 3.3, AWAY: 2.5}},
        "3way_handicap": {"B": {f"{HOME} +0": 2.4, "Draw +0": 3.7, f"{AWAY} +0": 2.6}},
        "spread": {"C": {f"{HOME} -0.5": 2.5, f"{AWAY} +0.5": 1.5, f"{AWAY} -0.5": 3.2}},
    }
    (found,) = [each for each in Seen(odds).found() if len(each.legs) == 3]
    assert legs_of(found) == [
        ("moneyline", HOME, "A"),
        ("3way_handicap", "Draw +0", "B"),
        ("spread", f"{AWAY} -0.5", "C"),
    ]


def test_a_set_that_two_markets_have_is_listed_once() -> None:
    halves: Odds = {"bwin": {f"{HOME} -0.5": 2.21}, "1xBet": {f"{AWAY} +0.5": 1.9}}
    markets: dict[str, Odds] = {"spread": halves, "moneyline": {"bwin": {HOME: 2.21}}}
    markets["double_chance"] = {"1xBet": {"X2": 1.9}}
    (found,) = Seen(markets).found()
    assert [leg.bookmaker for leg in found.legs] == ["bwin", "1xBet"]
    assert [leg.same_at for leg in found.legs] == [(), ()], "no bookmaker offers more than itself"


def test_in_play_and_in_other_sports_a_handicap_may_settle_differently() -> None:
    """There it may count from the current score, or with overtime."""
    for more in ({"is_live": True}, {"sport": "Hockey", "competition": "NHL"}):
        (found,) = Seen(DRAW_NO_BET, **more).found()
        assert found.market_type == "draw_no_bet", "the sharp book has the other leg"
        first, *_ = Seen(RESULTS | {"spread": HALVES}, **more).found()
        assert legs_of(first)[0] == ("moneyline", HOME, "Bet365")


def test_a_two_way_result_is_not_combined_with_a_double_chance() -> None:
    markets: dict[str, Odds] = {
        "moneyline": {"Bet365": {HOME: 2.2, AWAY: 1.7}},
        "double_chance": {"Unibet": {"1X": 1.3, "X2": 1.95, "12": 1.33}},
    }
    assert Seen(markets, sport="Hockey", competition="NHL").found() == []


def test_totals_of_the_game_and_of_teams_do_not_cover_each_other() -> None:
    markets: dict[str, Odds] = {
        "total": {"Bet365": {"Over 2.5": 2.3, "Under 2.5": 1.6}},
        "team_total": {"Unibet": {"Home Over 2.5": 1.6, "Home Under 2.5": 2.3}},
    }
    assert Seen(markets).found() == []


def test_middles_go_across_markets_with_the_chance_of_the_match_result() -> None:
    markets: dict[str, Odds] = {
        "moneyline": {REFERENCE: {HOME: 2.0, "Draw": 3.6, AWAY: 4.0}, "Bet365": {HOME: 2.1}},
        "spread": {
            REFERENCE: {f"{HOME} -1.5": 3.4, f"{AWAY} +1.5": 1.35},
            "Unibet": {f"{AWAY} +1": 1.95},
        },
    }
    (found,) = [each for each in Seen(markets).found() if each.legs[0].bookmaker == "Bet365"]
    assert found.kind is OpportunityKind.MIDDLE
    assert legs_of(found) == [("moneyline", HOME, "Bet365"), ("spread", f"{AWAY} +1", "Unibet")]
    assert found.middle is not None
    assert found.middle.chance is not None
    assert 0.1 < found.middle.chance < 0.3, "that the home team wins by one goal"
    assert profit(found, 1, 0) == pytest.approx(found.middle.hit)


def test_a_leg_is_followed_in_the_market_where_it_is_best_now() -> None:
    seen = Seen(RESULTS)
    (listed,) = seen.found()
    seen.desk.now += 1
    said = [
        message("Arsenal -0.5", 2.3, seen.desk.now, bookmaker="bwin", market_type="spread"),
        message(HOME, 2.15, seen.desk.now, bookmaker="Bet365"),
    ]
    seen.board.apply_all(said)
    now = opportunity_now(seen.board, listed, Split())
    assert now is not None
    assert legs_of(now) == legs_of(listed), "a dialog keeps its legs"
    best, _ = legs_now(seen.board, listed)
    assert best is not None
    assert (best.key.selection, best.bookmaker) == (f"{HOME} -0.5", "bwin")
    wanted = LegsToPlace(listed, (0, 1), (0, 1))
    assert offer_now(seen.board, wanted, 0, Split()).legs[0].better == (2.3, "bwin", "Arsenal -0.5")
    first, *_ = seen.found()
    assert first.legs[0].bookmaker == "bwin", "a change in one market has all looked at again"
