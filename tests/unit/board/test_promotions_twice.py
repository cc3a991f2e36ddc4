"""Ways to use an offer, against each result settled by hand and a search that shares no code."""

from itertools import product
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.base.tasks import exhaust, returned
from oddsdesk.board.promotions import PromoWay, ways_to_use
from oddsdesk.contract.resources import OddsRow, Offer
from oddsdesk.pricing.exposure import StakePlan
from oddsdesk.pricing.profiles import Profile, Profiles
from oddsdesk.pricing.promotions import PromoKind, Promotion
from tests.kit.board import Desk, odds_row

RESULTS = ("Arsenal", "Draw", "Chelsea")
BOOKS = ("Alpha", "Beta", "Gamma")
EXCHANGE, COMMISSION = "Exchange", 0.05
CHANCES: dict[str, frozenset[str]] = {
    "1X": frozenset({"Arsenal", "Draw"}),
    "X2": frozenset({"Draw", "Chelsea"}),
    "12": frozenset({"Arsenal", "Chelsea"}),
}
KINDS = [kind for kind in PromoKind if kind is not PromoKind.BONUS]
Prices = dict[str, dict[str, float]]


def prices(chance: Random) -> tuple[Prices, Prices, dict[str, float]]:
    """Match results and double chances of each bookmaker, and lay odds of an exchange."""
    shares = [chance.uniform(0.2, 0.6) for _ in RESULTS]
    fair = {name: sum(shares) / share for name, share in zip(RESULTS, shares, strict=True)}
    winner = {
        book: {
            name: round(max(1.05, odds * chance.uniform(0.9, 0.97)), 2)
            for name, odds in fair.items()
        }
        for book in BOOKS
    }
    double = {
        book: {
            name: round(
                max(1.02, chance.uniform(0.88, 0.97) / sum(1 / fair[each] for each in both)), 2
            )
            for name, both in CHANCES.items()
        }
        for book in BOOKS[1:]
    }
    lays = {name: round(odds * chance.uniform(1.01, 1.06), 2) for name, odds in fair.items()}
    return winner, double, lays


def rows(winner: Prices, double: Prices, lays: dict[str, float]) -> list[OddsRow]:
    backs = {name: round(odds * 0.92, 2) for name, odds in lays.items()}
    offers = {
        name: Offer(back=((backs[name], 1e6),), lay=((lays[name], 1e6),), currency="")
        for name in RESULTS
    }
    return [
        *(odds_row(book, odds) for book, odds in winner.items()),
        *(odds_row(book, odds, market_type="double_chance") for book, odds in double.items()),
        odds_row(EXCHANGE, backs, offers=offers),
    ]


def profit(offer: Promotion, way: PromoWay, result: str) -> float:
    """All legs of a way at a result, each by its own words."""
    total = 0.0
    for place, leg in enumerate(way.legs):
        name = leg.key.selection
        wins = result in CHANCES.get(name, {name})
        odds = leg.odds
        if leg.is_lay:
            backers = leg.backers_stake or 0.0
            total += -backers * (odds - 1) if wins else backers * (1 - COMMISSION)
            continue
        if leg.bookmaker == EXCHANGE:
            odds = 1 + (odds - 1) * (1 - COMMISSION)
        if place == 0 and offer.kind is PromoKind.BOOST:
            odds = 1 + (odds - 1) * (1 + offer.boost)
        won, lost = leg.stake * (odds - 1), -leg.stake
        if place == 0 and offer.kind is PromoKind.FREE:
            lost = 0.0
        if place == 0 and offer.kind is PromoKind.FREE_RETURNED:
            won, lost = leg.stake * odds, 0.0
        if place == 0 and offer.kind is PromoKind.REFUND:
            lost = min(offer.refund or leg.stake, leg.stake) - leg.stake
        total += won if wins else lost
    return total


def best_by_hand(offer: Promotion, winner: Prices, double: Prices, lays: dict[str, float]) -> float:
    """The most that can be locked in, by trying every hedge of every price of the bookmaker."""
    stake, found = offer.amount, -1e9
    for backed, odds in winner[offer.bookmaker].items():
        win = stake * (odds - 1)
        lose = -stake
        if offer.kind is PromoKind.BOOST:
            win *= 1 + offer.boost
        if offer.kind is PromoKind.FREE_RETURNED:
            win += stake
        if offer.kind in (PromoKind.FREE, PromoKind.FREE_RETURNED):
            lose = 0.0
        if offer.kind is PromoKind.REFUND:
            lose += min(offer.refund or stake, stake)
        others = [name for name in RESULTS if name != backed]
        at_books = {
            name: [(book, odds[name]) for book, odds in winner.items() if book != offer.bookmaker]
            for name in others
        }
        whole = [
            price
            for book, prices in double.items()
            if book != offer.bookmaker
            for name, price in prices.items()
            if CHANCES[name] == set(others)
        ]
        whole.append(1 + (1 - COMMISSION) / (lays[backed] - 1))
        hedges = [[price] for price in whole]
        one, two = others
        for (book, price), (other_book, other_price) in product(at_books[one], at_books[two]):
            if book != other_book:
                hedges.append([price, other_price])
        for nets in hedges:
            cost = sum(1 / net for net in nets)
            if cost < 1:
                found = max(found, win - (win - lose) * cost)
    return found


def promotion(kind: PromoKind, **fields: Any) -> Promotion:
    return Promotion(name="o", kind=kind, bookmaker="Alpha", amount=50.0, boost=0.3, **fields)


@given(st.integers(0, 1 << 32), st.sampled_from(KINDS))
def test_every_result_leaves_what_a_way_says_and_no_hedge_leaves_more(
    seed: int, kind: PromoKind
) -> None:
    chance = Random(seed)
    winner, double, lays = prices(chance)
    desk = Desk()
    exchange = Profile(name=EXCHANGE, group=EXCHANGE, commission=COMMISSION)
    desk.board.set_profiles(Profiles([exchange]))
    quoted = rows(winner, double, lays)
    exhaust(desk.board.merge_rows(quoted))
    offer = promotion(kind, refund=chance.uniform(5, 60))
    found = returned(ways_to_use(desk.board, offer, StakePlan(step=0.01)))
    assert found.hedged
    for way in found.hedged:
        outcomes = [profit(offer, way, result) for result in RESULTS]
        assert min(outcomes) == pytest.approx(way.worst, abs=1e-6)
        assert max(outcomes) == pytest.approx(way.best, abs=1e-6)
    backs = {name: 1 + (odds - 1) * (1 - COMMISSION) for name, odds in quoted[-1].odds.items()}
    by_hand = best_by_hand(offer, winner | {EXCHANGE: backs}, double, lays)
    rounding = 0.01 * (1 + max(lays.values()))
    assert found.hedged[0].worst == pytest.approx(by_hand, abs=rounding)
    assert found.hedged[0].worst <= by_hand + 1e-9
