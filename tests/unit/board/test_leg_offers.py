"""What a leg is offered with is what the list says of the same legs at that moment."""

from fractions import Fraction

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.board.connection import Connection, Link
from oddsdesk.board.leg_offers import LegsToPlace, between_beside, offer_now, stake_at
from oddsdesk.board.opportunities import Opportunities
from oddsdesk.pricing.assessment import Caution
from oddsdesk.pricing.opportunities import Between, OpportunityKind, Span, Split
from oddsdesk.slices import exhaust
from tests.kit.board import REFERENCE, Desk, Odds, matrix, message

ODDS: Odds = {
    REFERENCE: {"Over 2.5": 1.2, "Under 2.5": 1.2},
    "Betfair": {"Over 2.5": 2.10},
    "Unibet": {"Under 2.5": 2.05},
}
BOTH = (0, 1)
HUNDREDTHS = st.integers(140, 300)


class Listed:
    """A board of one arbitrage, and the list of opportunities."""

    def __init__(self) -> None:
        self.desk = Desk()
        self.board = self.desk.board
        self.board.set_connection(Connection(link=Link.LIVE))
        exhaust(self.board.merge_matrix(matrix(ODDS, market_type="total")))
        self.list = Opportunities(self.board, lambda: self.desk.now, Split)
        exhaust(self.list.looking())
        (self.found,) = self.list.entries.values()

    def move(self, selection: str, bookmaker: str, odds: float) -> None:
        self.desk.now += 1
        said = message(selection, odds, self.desk.now, bookmaker=bookmaker, market_type="total")
        self.board.apply_all([said])


@given(HUNDREDTHS, HUNDREDTHS)
def test_stakes_of_now_are_those_that_the_list_would_say(over: int, under: int) -> None:
    listed = Listed()
    listed.move("Over 2.5", "Betfair", over / 100)
    listed.move("Under 2.5", "Unibet", under / 100)
    wanted = LegsToPlace(listed.found, BOTH, BOTH)
    offers = [offer_now(listed.board, wanted, place, Split()) for place in BOTH]
    exhaust(listed.list.looking())
    total = Fraction(100, over) + Fraction(100, under)
    if not listed.list.entries:
        assert total > Fraction(102, 100)
        assert [(offer.stake, offer.kind) for offer in offers] == [(0, None)] * 2
        return
    (now,) = listed.list.entries.values()
    stakes = [int(offer.stake) for offer in offers]
    assert stakes == [leg.stake for leg in now.legs]
    worst = min(stakes[0] * Fraction(over, 100), stakes[1] * Fraction(under, 100))
    for offer in offers:
        assert offer.worst_pct == pytest.approx(float((worst / sum(stakes) - 1) * 100))
        assert (offer.kind is OpportunityKind.ARBITRAGE) == (total < 1)
        assert [leg.odds for leg in offer.legs] == [over / 100, under / 100]


def test_what_both_legs_leave_is_the_same_whichever_is_placed_first() -> None:
    """Where 2 goals meet 2.25, over loses 20 of its 40 and under wins 22.50 of its 45."""
    quarter = Between((2.25, 2.25), Span(2, 2))
    listed = msgspec.structs.replace(Listed().found, between=quarter)
    legs = LegsToPlace(listed, BOTH, BOTH)
    assert between_beside(legs, 0, 40, 2.2) is None
    assert between_beside(legs.after(0, 40, 2.2), 1, 45, 2.0) == pytest.approx(2.5 / 85 * 100)
    assert between_beside(legs.after(1, 45, 2.0), 0, 40, 2.2) == pytest.approx(2.5 / 85 * 100)
    assert between_beside(legs.after(0, 40, 2.2), 0, 40, 2.2) is None, "the other is not placed"
    assert between_beside(LegsToPlace(Listed().found, BOTH, (1,), ((40, 2.2),)), 1, 45, 2) is None


@given(st.integers(1, 200), HUNDREDTHS, HUNDREDTHS)
def test_once_a_leg_is_placed_the_other_pays_as_much_at_the_price_of_now(
    stake: int, taken: int, under: int
) -> None:
    listed = Listed()
    listed.move("Under 2.5", "Unibet", under / 100)
    wanted = LegsToPlace(listed.found, BOTH, BOTH).after(0, stake, taken / 100)
    offer = offer_now(listed.board, wanted, 1, Split())
    other, paid = int(offer.stake), Fraction(taken * stake, 100)

    def worst(count: int) -> Fraction:
        return min(paid, count * Fraction(under, 100)) / (stake + count) - 1

    even = paid / Fraction(under, 100)
    assert offer.worst_pct == pytest.approx(float(worst(other) * 100))
    near = range(max(1, int(even) - 2), int(even) + 2)
    assert worst(other) == max(map(worst, near)) or even < 1
    assert wanted.places == wanted.unplaced == (1,)


def test_a_leg_that_is_stale_ends_it_for_the_other_one_too() -> None:
    listed = Listed()
    listed.desk.now += 200_000
    listed.move("Over 2.5", "Betfair", 2.10)
    wanted = LegsToPlace(listed.found, BOTH, BOTH)
    offer = offer_now(listed.board, wanted, 0, Split())
    assert (offer.stake, offer.worst_pct, offer.kind) == (0, None, None)
    assert [leg.cautions for leg in offer.legs] == [(), (Caution.STALE,)]
    open_leg = offer_now(listed.board, wanted.after(0, 47, 2.1), 1, Split())
    assert open_leg.stake == 0


def test_what_is_placed_or_heard_of_no_more_has_no_stake() -> None:
    listed = Listed()
    placed = LegsToPlace(listed.found, (0,), ())
    assert offer_now(listed.board, placed, 0, Split()).stake == 0
    listed.board.set_connection(Connection(link=Link.WAITING))
    wanted = LegsToPlace(listed.found, BOTH, BOTH)
    assert offer_now(listed.board, wanted, 0, Split()).stake == 0


def test_what_the_board_let_go_of_is_no_leg() -> None:
    listed = Listed()
    wanted = LegsToPlace(listed.found, BOTH, BOTH)
    listed.board.clear()
    for each in (wanted, wanted.after(0, 47, 2.1)):
        offer = offer_now(listed.board, each, 1, Split())
        assert (offer.stake, {leg.odds for leg in offer.legs}) == (0, {None})


@given(HUNDREDTHS, HUNDREDTHS)
def test_the_stake_at_typed_odds_is_that_at_such_prices(over: int, under: int) -> None:
    """What is typed stands for a price: the same stakes as if the bookmaker offered it."""
    listed, split = Listed(), Split()
    wanted = LegsToPlace(listed.found, BOTH, BOTH)
    first = stake_at(listed.board, wanted, 0, over / 100, split)
    beside = wanted.after(0, 40, 2.1)
    second = stake_at(listed.board, beside, 1, under / 100, split)
    listed.move("Over 2.5", "Betfair", over / 100)
    assert first == offer_now(listed.board, wanted, 0, split).stake
    listed.move("Under 2.5", "Unibet", under / 100)
    assert second == offer_now(listed.board, beside, 1, split).stake


def test_no_stake_at_typed_odds_is_known_while_prices_are_not() -> None:
    listed = Listed()
    wanted = LegsToPlace(listed.found, BOTH, BOTH)
    listed.board.set_connection(Connection(link=Link.WAITING))
    assert stake_at(listed.board, wanted, 0, 2.2, Split()) is None
    assert stake_at(Listed().board, wanted.after(0, 40, 2.1), 0, 2.2, Split()) is None


def test_the_second_leg_at_less_than_listed_odds_is_staked_more() -> None:
    """637 at 1.58 pay 1,006.46: of every whole stake at 2.70 that leaves most, counted out."""
    listed = Listed()
    wanted = LegsToPlace(listed.found, (1,), (1,), ((637, 1.58),))
    paid, net = 637 * Fraction(158, 100), Fraction(27, 10)
    left = {stake: min(paid, stake * net) / (637 + stake) for stake in range(1, 1000)}
    assert max(left, key=lambda stake: left[stake]) == 373
    assert stake_at(listed.board, wanted, 1, 2.70, Split()) == 373
