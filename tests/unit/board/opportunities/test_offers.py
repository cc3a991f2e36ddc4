"""What a leg is offered with is what the list says of the same legs at that moment."""

from fractions import Fraction
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.base.tasks import exhaust
from oddsdesk.board.model.notices import Connection, Link
from oddsdesk.board.opportunities.finder import Opportunity
from oddsdesk.board.opportunities.offers import (
    LegsToPlace,
    Opportunities,
    between_with_placed,
    offer_now,
    stake_at,
)
from oddsdesk.board.valuation.figures import hold
from oddsdesk.board.valuation.judging import Judge
from oddsdesk.pricing.assessment import Caution
from oddsdesk.pricing.opportunities import Between, OpportunityKind, Span, Split
from oddsdesk.pricing.profiles import Profile, Profiles, delayed_name
from tests.kit.board import GAME, NOW, REFERENCE, Desk, Odds, matrix, message, picture

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
    assert between_with_placed(legs, 0, 40, 2.2) is None
    assert between_with_placed(legs.after_leg(0, 40, 2.2), 1, 45, 2.0) == pytest.approx(
        2.5 / 85 * 100
    )
    assert between_with_placed(legs.after_leg(1, 45, 2.0), 0, 40, 2.2) == pytest.approx(
        2.5 / 85 * 100
    )
    assert between_with_placed(legs.after_leg(0, 40, 2.2), 0, 40, 2.2) is None, (
        "the other is not placed"
    )
    assert (
        between_with_placed(LegsToPlace(Listed().found, BOTH, (1,), ((40, 2.2),)), 1, 45, 2) is None
    )


@given(st.integers(1, 200), HUNDREDTHS, HUNDREDTHS)
def test_once_a_leg_is_placed_the_other_pays_as_much_at_the_price_of_now(
    stake: int, taken: int, under: int
) -> None:
    listed = Listed()
    listed.move("Under 2.5", "Unibet", under / 100)
    wanted = LegsToPlace(listed.found, BOTH, BOTH).after_leg(0, stake, taken / 100)
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
    open_leg = offer_now(listed.board, wanted.after_leg(0, 47, 2.1), 1, Split())
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
    listed.board.forget_service()
    for each in (wanted, wanted.after_leg(0, 47, 2.1)):
        offer = offer_now(listed.board, each, 1, Split())
        assert (offer.stake, {leg.odds for leg in offer.legs}) == (0, {None})


@given(HUNDREDTHS, HUNDREDTHS)
def test_the_stake_at_typed_odds_is_that_at_such_prices(over: int, under: int) -> None:
    """What is typed stands for a price: the same stakes as if the bookmaker offered it."""
    listed, split = Listed(), Split()
    wanted = LegsToPlace(listed.found, BOTH, BOTH)
    first = stake_at(listed.board, wanted, 0, over / 100, split)
    completing = wanted.after_leg(0, 40, 2.1)
    second = stake_at(listed.board, completing, 1, under / 100, split)
    listed.move("Over 2.5", "Betfair", over / 100)
    assert first == offer_now(listed.board, wanted, 0, split).stake
    listed.move("Under 2.5", "Unibet", under / 100)
    assert second == offer_now(listed.board, completing, 1, split).stake


def test_no_stake_at_typed_odds_is_known_while_prices_are_not() -> None:
    listed = Listed()
    wanted = LegsToPlace(listed.found, BOTH, BOTH)
    listed.board.set_connection(Connection(link=Link.WAITING))
    assert stake_at(listed.board, wanted, 0, 2.2, Split()) is None
    assert stake_at(Listed().board, wanted.after_leg(0, 40, 2.1), 0, 2.2, Split()) is None


def test_the_second_leg_at_less_than_listed_odds_is_staked_more() -> None:
    """637 at 1.58 pay 1,006.46: of every whole stake at 2.70 that leaves most, counted out."""
    listed = Listed()
    wanted = LegsToPlace(listed.found, (1,), (1,), ((637, 1.58),))
    paid, net = 637 * Fraction(158, 100), Fraction(27, 10)
    left = {stake: min(paid, stake * net) / (637 + stake) for stake in range(1, 1000)}
    assert max(left, key=lambda stake: left[stake]) == 373
    assert stake_at(listed.board, wanted, 1, 2.70, Split()) == 373


OVERS: Odds = {
    REFERENCE: {"Over 2.5": 1.95, "Under 2.5": 1.95},
    "Betfair": {"Over 2.5": 2.10, "Under 2.5": 1.80},
    "Unibet": {"Over 2.5": 1.85, "Under 2.5": 2.05},
}


class Seen:
    """A board, and what it offers."""

    def __init__(self, *profiles: Profile) -> None:
        self.desk = Desk()
        self.board = self.desk.board
        self.board.set_profiles(Profiles(profiles))
        self.board.want_values(True)
        self.offered = Opportunities(self.board, lambda: self.desk.now, Split)

    def take(self, odds: Odds, at: int = NOW, **more: Any) -> None:
        exhaust(self.board.merge_matrix(matrix(odds, at, **more)))

    def found(self) -> list[Opportunity]:
        exhaust(self.offered.looking())
        return sorted(self.offered.entries.values(), key=Opportunity.sort_key)

    def books(self) -> list[list[str]]:
        return [[leg.bookmaker for leg in each.legs] for each in self.found()]


def total(odds: Odds = OVERS, *profiles: Profile, **more: Any) -> Seen:
    seen = Seen(*profiles)
    seen.take(odds, market_type="total", **more)
    return seen


def _lines(found: Opportunity) -> list[float | None]:
    return [leg.line for leg in found.legs]


def test_best_prices_of_both_sides_below_one_are_an_arbitrage() -> None:
    (found,) = total().found()
    assert found.kind is OpportunityKind.ARBITRAGE
    assert found.hold_pct == pytest.approx((1 / 2.1 + 1 / 2.05 - 1) * 100)
    assert [(leg.bookmaker, leg.key.selection, leg.stake) for leg in found.legs] == [
        ("Betfair", "Over 2.5", 47),
        ("Unibet", "Under 2.5", 48),
    ]
    assert found.outlay.worst == pytest.approx(48 * 2.05 - 95)
    assert found.line == 2.5


@pytest.mark.parametrize("under", [1.95, 2.0, 2.04])
@pytest.mark.parametrize("over", [1.96, 2.0, 2.01, 2.02, 2.04, 2.05, 2.06, 2.1])
def test_an_arbitrage_never_loses_with_its_own_stakes(over: float, under: float) -> None:
    odds: Odds = {"Betfair": {"Over 2.5": over, "Under 2.5": 1.5}}
    odds["Unibet"] = {"Over 2.5": 1.5, "Under 2.5": under}
    for found in total(odds).found():
        back = min(leg.stake * leg.net_odds for leg in found.legs)
        staked = sum(leg.stake for leg in found.legs)
        assert (found.kind is OpportunityKind.ARBITRAGE) is (round(back / staked - 1, 6) > 0)
        assert found.eaten_pct == pytest.approx(
            max(0.0, (1 / found.total - 1) * 100) if back <= staked else 0.0
        )


def test_the_margin_of_legs_and_the_hold_of_their_prices_are_the_same_money() -> None:
    """100 whatever happens cost 100 S: the margin is of the 100, the hold of what is paid."""
    (found,) = total().found()
    paid = sum(100 / Fraction(price) for price in ("2.1", "2.05"))
    assert found.hold_pct == pytest.approx(float(paid - 100))
    prices = [leg.net_odds for leg in found.legs]
    assert hold(prices) == pytest.approx(float((paid - 100) / paid * 100))


def test_commission_counts() -> None:
    charging = Profile(name="Betfair", group="Betfair", commission=0.05)
    (found,) = total(OVERS, charging).found()
    assert found.kind is OpportunityKind.ARBITRAGE
    assert found.legs[0].net_odds == pytest.approx(2.045)
    assert found.hold_pct == pytest.approx((1 / 2.045 + 1 / 2.05 - 1) * 100)


def test_the_reference_is_a_bookmaker_like_others() -> None:
    odds = {REFERENCE: {"Over 2.5": 2.2, "Under 2.5": 1.7}, "Unibet": {"Under 2.5": 2.0}}
    assert total(odds).books() == [[REFERENCE, "Unibet"]]


def test_legs_are_of_two_operators() -> None:
    one = [Profile(name=name, group="One") for name in ("Betfair", "Unibet")]
    assert [REFERENCE in books for books in total(OVERS, *one).books()] == [True]


def test_a_leg_names_who_else_offers_as_much_net_and_goes_with_the_others() -> None:
    """Of 2.05 at three a leg is with the first by name; one is of the other leg's operator."""
    equal = {name: {"Under 2.5": 2.05} for name in ("Bovada", "Unibet", "Sister")}
    one = [Profile(name=name, group="One") for name in ("Betfair", "Sister")]
    (found,) = total({"Betfair": {"Over 2.5": 2.10}, **equal}, *one).found()
    assert [(leg.bookmaker, leg.same_at) for leg in found.legs] == [
        ("Betfair", ()),
        ("Bovada", ("Unibet",)),
    ]


def test_only_the_users_bookmakers_are_legs() -> None:
    seen = total()
    seen.board.set_bookmakers(("Betfair", REFERENCE))
    assert seen.books() == [["Betfair", REFERENCE]]


def test_prices_that_move_make_and_end_it() -> None:
    seen = total()
    assert len(seen.found()) == 1
    for odds in (1.7, 2.3):
        seen.desk.now += 1000
        said = {"Over 2.5": odds, "Under 2.5": 1.72}
        seen.board.apply_all(
            [message(*each, seen.desk.now, market_type="total") for each in said.items()]
        )
        (found,) = seen.found()
        assert (found.legs[0].bookmaker == "Betfair") == (odds > 2)
        assert (found.kind is OpportunityKind.ARBITRAGE) == (odds > 2)


def test_one_that_moved_while_nothing_was_heard_is_none_until_it_is_looked_at() -> None:
    """A look at many markets rests for seconds; a stake or an alert would not wait."""
    seen = total()
    assert len(seen.found()) == 1
    entries, board = seen.offered.entries, seen.board
    for odds, is_catching_up in ((2.3, False), (2.2, True)):
        board.set_connection(Connection(link=Link.LIVE, is_catching_up=is_catching_up))
        seen.desk.now += 1_000
        board.apply_all([message("Over 2.5", odds, seen.desk.now, market_type="total")])
        assert bool(entries) is not is_catching_up
    board.set_connection(Connection(link=Link.LIVE))
    assert len(seen.found()) == 1


def test_those_of_a_moment_or_service_that_is_left_are_none_at_once() -> None:
    seen = total()
    assert len(seen.found()) == 1
    seen.board.forget_service()
    assert seen.offered.entries == {}
    seen.take(OVERS, market_type="total")
    assert seen.offered.entries == {}
    assert len(seen.found()) == 1


def test_stale_legs_are_none_without_a_word_from_anybody() -> None:
    seen = total()
    assert len(seen.found()) == 1
    seen.desk.now += 181_000
    assert seen.found() == []


def test_after_kick_off_a_price_that_is_not_in_play_is_no_leg() -> None:
    seen = total(kick_off=NOW + 60_000)
    assert len(seen.found()) == 1
    seen.desk.now += 60_001
    assert seen.found() == []


def test_late_and_withdrawn_prices_are_no_legs() -> None:
    late = {**OVERS, delayed_name("Unibet"): OVERS["Unibet"]}
    del late["Unibet"]
    assert total(late).books() == [["Betfair", REFERENCE]]
    seen = total()
    seen.desk.now += 1
    seen.take({**OVERS, "Betfair": {"Under 2.5": 1.80}}, seen.desk.now, market_type="total")
    assert seen.books() == [[REFERENCE, "Unibet"]]


def test_a_price_in_play_and_one_that_is_not_do_not_go_together() -> None:
    seen = total()
    said = message("Over 2.5", 2.10, market_type="total", is_live=True)
    seen.board.apply_all([said])
    assert seen.books() == [[REFERENCE, "Unibet"]]


def test_two_way_and_three_way_prices_do_not_go_together() -> None:
    odds: Odds = {
        "Overtime": {"Arsenal": 2.1, "Chelsea": 1.7},
        "Overtime too": {"Arsenal": 1.7, "Chelsea": 2.0},
        "Regulation": {"Arsenal": 2.6, "Draw": 4.2, "Chelsea": 2.9},
        "Alone": {"Arsenal": 9.0},
    }
    seen = Seen()
    seen.take(odds, sport="Hockey", competition="NHL")
    found = seen.found()
    assert [[bet[2] for bet in each.key.bets] for each in found] == [["home", "away"]]
    assert [leg.bookmaker for leg in found[0].legs] == ["Overtime", "Overtime too"]


def test_a_draw_that_could_not_be_read_keeps_a_bookmaker_out() -> None:
    odds: Odds = {
        "Sure": {"Arsenal": 2.1, "Chelsea": 1.7},
        "Doubtful": {"Arsenal": 1.7, "Nichts": 21.0, "Chelsea": 2.2},
    }
    seen = Seen()
    seen.take(odds, sport="Hockey", competition="NHL")
    assert seen.found() == []


def test_where_overtime_decides_totals_settle_alike() -> None:
    seen = Seen()
    moneylines: Odds = {
        "Betfair": {"Arsenal": 1.8, "Chelsea": 2.0},
        "Unibet": {"Arsenal": 2.2, "Draw": 4.0, "Chelsea": 2.5},
    }
    odds = {"moneyline": moneylines, "total": {key: OVERS[key] for key in moneylines}}
    exhaust(seen.board.merge_matrix(picture(odds, sport="Hockey", competition="NHL")))
    assert seen.found() == []


def test_a_middle_has_its_chance_from_the_ladder_of_the_reference() -> None:
    odds: Odds = {
        REFERENCE: {"Over 2.5": 1.9, "Under 2.5": 2.0, "Over 3.5": 3.2, "Under 3.5": 1.37},
        "Betfair": {"Over 2.5": 1.95},
        "Unibet": {"Under 3.5": 1.6},
    }
    found = [each for each in total(odds).found() if each.kind is OpportunityKind.MIDDLE]
    (middle,) = [each for each in found if each.legs[0].bookmaker == "Betfair"]
    assert middle.key.bets == (("total", "2.5", "over"), ("total", "3.5", "under"))
    assert middle.middle is not None
    assert middle.middle.chance == pytest.approx(0.513 - 0.3, abs=0.01)
    assert middle.middle.break_even == pytest.approx(1 / 1.95 + 1 / 1.6 - 1, abs=0.01)


def test_a_middle_that_costs_much_is_none_where_its_chance_is_not_known() -> None:
    odds: Odds = {"Betfair": {"Over 2.5": 1.95}, "Unibet": {"Under 3.5": 1.6}}
    assert total(odds).found() == []
    cheap: Odds = {"Betfair": {"Over 2.5": 2.0}, "Unibet": {"Under 3.5": 1.98}}
    assert [each.kind for each in total(cheap).found()] == [OpportunityKind.MIDDLE]


def test_the_bookmakers_asked_for_are_looked_at_alone_and_what_is_kept_everywhere() -> None:
    seen = total(OVERS | {"Bovada": {"Over 2.5": 1.98, "Under 2.5": 2.01}})
    (best,) = seen.found()
    assert seen.offered.look_among(["Betfair", "Bovada"])
    assert seen.books() == [["Betfair", "Bovada"]]
    assert not seen.offered.look_among(["Bovada", "Betfair"])
    seen.offered.keep_listed([best.key])
    assert seen.books() == [["Betfair", "Unibet"]]
    seen.offered.keep_listed([])
    assert seen.books() == [["Betfair", "Bovada"]]
    assert seen.offered.look_among([])
    assert seen.books() == [["Betfair", "Unibet"]]


@pytest.mark.parametrize("lines", [("2.5", "2.5"), ("2.5", "3.5")])
def test_what_is_kept_is_found_whatever_it_costs_and_no_more_once_it_is_not(
    lines: tuple[str, str],
) -> None:
    """The user has money on a side: it left the list as the other side's price fell."""
    over, under = lines
    seen = total({"Betfair": {f"Over {over}": 2.0}, "Unibet": {f"Under {under}": 1.98}})
    (found,) = seen.found()
    seen.offered.keep_listed([found.key])
    assert [each.key for each in seen.found()] == [found.key]
    seen.desk.now += 1_000
    said = message(f"Under {under}", 1.5, seen.desk.now, market_type="total", bookmaker="Unibet")
    seen.board.apply_all([said])
    assert seen.offered.has_lapsed
    (dear,) = seen.found()
    assert (dear.key, dear.kind) == (found.key, found.kind)
    assert dear.total == pytest.approx(1 / 2 + 1 / 1.5)
    seen.offered.keep_listed([])
    assert seen.offered.has_lapsed
    assert seen.found() == []


def test_a_middle_on_which_one_leg_only_pushes_is_judged_by_what_a_hit_brings() -> None:
    """At a cost of 15 % a chance of 25 % is enough where both legs win, not where one is back."""
    odds: Odds = {
        REFERENCE: {"Over 1.5": 1.33, "Under 1.5": 3.55, "Over 2.5": 2.02, "Under 2.5": 1.88},
        "Betfair": {"Over 1.5": 1.33},
        "Unibet": {"Under 2": 2.5},
    }
    assert [each.kind for each in total(odds).found()] == []
    both_win: Odds = {**odds, "Unibet": {"Under 2.5": 2.5}}
    (middle,) = [each for each in total(both_win).found() if _lines(each) == [1.5, 2.5]]
    assert middle.hold_pct == pytest.approx(15.19, abs=0.01)
    assert middle.middle is not None
    assert middle.middle.gains


def test_handicaps_make_middles_between_their_margins() -> None:
    seen = Seen()
    odds: Odds = {"Betfair": {"Arsenal -1.5": 2.0}, "Unibet": {"Chelsea +2.5": 1.98}}
    seen.take(odds, market_type="spread")
    (found,) = seen.found()
    assert (found.kind, _lines(found)) == (OpportunityKind.MIDDLE, [-1.5, -2.5])
    assert found.middle is not None
    assert found.middle.hit == pytest.approx(97.0, abs=2)


def test_a_draw_gives_the_stakes_of_draw_no_bet_back() -> None:
    seen = Seen()
    odds: Odds = {"Betfair": {"Arsenal": 2.1}, "Unibet": {"Chelsea": 2.05}}
    seen.take(odds, market_type="draw_no_bet")
    (found,) = seen.found()
    assert found.outlay.push == 0


def test_what_the_board_forgets_is_offered_no_longer() -> None:
    seen = total()
    assert len(seen.found()) == 1
    seen.board.forget_service()
    assert seen.found() == []


def test_what_time_alone_ends_goes_without_a_look_at_what_changed() -> None:
    seen = total()
    (before,) = seen.found()
    assert not seen.offered.has_lapsed
    seen.desk.now = round(before.due_at)
    assert seen.offered.has_lapsed
    exhaust(seen.offered.looking_at_lapsed())
    assert seen.offered.entries == {}
    assert not seen.offered.has_lapsed


def test_what_time_alone_ended_is_there_again_without_that_look_once_it_is_read_again() -> None:
    """Of 39 arbitrages 15 came back half a minute after their prices had been read again."""
    seen = total()
    (before,) = seen.found()
    seen.desk.now = round(before.due_at)
    exhaust(seen.offered.looking_at_lapsed())
    assert seen.offered.entries == {}
    seen.take(OVERS, seen.desk.now, market_type="total")
    assert seen.offered.has_lapsed
    exhaust(seen.offered.looking_at_lapsed())
    assert seen.offered.entries.keys() == {before.key}
    assert not seen.offered.has_lapsed


def test_what_is_listed_is_looked_at_when_it_moves_before_all_that_changed() -> None:
    seen = total()
    (before,) = seen.found()
    both = {"Arsenal": 2.9, "Draw": 3.2, "Chelsea": 3.2}
    seen.board.apply_all([message("Over 2.5", 2.11, market_type="total")])
    seen.board.apply_all([message(name, odds, bookmaker=name) for name, odds in both.items()])
    assert seen.offered.has_lapsed
    exhaust(seen.offered.looking_at_lapsed())
    (moved,) = seen.offered.entries.values()
    assert (moved.key, moved.legs[0].odds) == (before.key, 2.11)
    assert not seen.offered.has_lapsed
    assert len(seen.found()) == 2, "others wait for their look"
    seen.board.apply_all([message("Over 2.5", 1.6, market_type="total", at=NOW + 2_000)])
    exhaust(seen.offered.looking_at_lapsed())
    legs = seen.offered.entries[before.key].legs
    assert [leg.odds for leg in legs] == [1.95, 2.05], "the next best price"


def test_a_game_is_looked_at_again_only_where_something_changed() -> None:
    seen = total()
    (before,) = seen.found()
    assert next(seen.offered.looking(), "nothing") == "nothing"
    assert seen.offered.entries == {before.key: before}
    assert before.key.game_id == GAME


def test_a_look_at_a_market_of_many_lines_pauses_after_each_and_after_each_pair(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Twenty lines at 26 bookmakers were one step of 20 ms, in which the window stood still."""
    prices = {f"{side} {n}.5": 2.0 for n in range(20) for side in ("Over", "Under")}
    seen = total(dict.fromkeys((REFERENCE, "Betfair", "Unibet"), prices))
    assess, judged = Judge.assess, 0

    def counted(*args: Any, **more: Any) -> Any:
        nonlocal judged
        judged += 1
        return assess(*args, **more)

    monkeypatch.setattr(Judge, "assess", counted)
    told = [0, *(judged for _ in seen.offered.looking())]
    assert judged == 20 * 2 * 3
    assert max(now - before for before, now in pairwise(told)) <= 2 * 3


def test_what_is_read_again_after_a_loss_while_it_is_looked_at_is_not_listed() -> None:
    seen = total()
    looking = seen.offered.looking()
    next(looking)
    seen.board.set_connection(Connection(link=Link.LIVE, is_catching_up=True))
    seen.board.apply_all([message("Over 2.5", 2.0, market_type="total")])
    exhaust(looking)
    assert seen.offered.entries == {}
    seen.board.set_connection(Connection(link=Link.LIVE))
    assert [leg.odds for leg in seen.found()[0].legs] == [2.0, 2.05]


def test_what_is_placed_at_a_bookmaker_counts_against_its_limit() -> None:
    """Betfair takes 30: 18 of them are placed as a single bet, 12 are left for the leg."""
    limited = Profile(name="Betfair", group="Betfair", limit=30.0)
    seen = total(OVERS, limited)
    (found,) = seen.found()
    assert [leg.stake for leg in found.legs] == [30, 31]
    assert found.limited_by == "Betfair"
    outcome = (GAME, "total", 0, "2.5", "over")
    seen.offered.count_placed({(outcome, "betfair"): 18.0})
    (found,) = seen.found()
    assert found.legs[0].stake <= 12 < found.legs[0].stake + 4
    assert found.outlay.worst == pytest.approx(
        min(leg.stake * leg.net_odds for leg in found.legs) - sum(leg.stake for leg in found.legs)
    )
    seen.offered.count_placed({(outcome, "betfair"): 30.0})
    assert all("Betfair" not in names for names in seen.books())
