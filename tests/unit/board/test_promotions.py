"""The best ways to use an offer at a board's prices."""

from typing import Any

import pytest
from msgspec.structs import replace

from oddsdesk.base.tasks import exhaust, returned
from oddsdesk.board.promotions import PromoWay, Ways, way_now, ways_to_use
from oddsdesk.contract.resources import OddsRow, Offer
from oddsdesk.contract.times import format_ms
from oddsdesk.pricing.currencies import Rates
from oddsdesk.pricing.exposure import StakePlan
from oddsdesk.pricing.profiles import Profile, Profiles, shipped_profiles
from oddsdesk.pricing.promotions import PromoKind, Promotion
from tests.kit.board import NOW, Desk, matrix, message, odds_row

EXACT = StakePlan(step=0.01)
LEICESTER = {
    "Pinnacle": {"Liverpool": 1.95, "Draw": 4.0, "Leicester": 3.8},
    "ParionsSport": {"Liverpool": 1.88, "Draw": 3.55, "Leicester": 3.35},
    "Unibet": {"Liverpool": 1.9, "Draw": 4.1, "Leicester": 3.6},
    "Betclic": {"Liverpool": 1.85, "Draw": 3.9, "Leicester": 3.9},
}
GAME = {"name": "Liverpool - Leicester"}


def promotion(kind: PromoKind = PromoKind.QUALIFY, **fields: Any) -> Promotion:
    given = {"name": "offer", "bookmaker": "parions sport", "amount": 10.0} | fields
    return Promotion(kind=kind, **given)


def desk(odds: Any = LEICESTER, **more: Any) -> Desk:
    desk = Desk()
    desk.board.values_wanted = True
    for _ in desk.board.merge_matrix(matrix(odds, **(GAME | more))):
        pass
    return desk


def ways(offer: Promotion, at: Desk | None = None, plan: StakePlan = EXACT) -> Ways:
    return returned(ways_to_use((at or desk()).board, offer, plan))


def legs(way: PromoWay) -> list[tuple[str, str, float]]:
    return [(leg.bookmaker, leg.key.selection, round(leg.stake, 2)) for leg in way.legs]


def test_a_qualifying_bet_is_hedged_on_all_other_outcomes_at_the_best_prices() -> None:
    best = ways(promotion(least_odds=1.7)).hedged[0]
    assert legs(best) == [
        ("ParionsSport", "Liverpool", 10.0),
        ("Unibet", "Draw", 4.59),
        ("Betclic", "Leicester", 4.82),
    ]
    assert [leg.odds for leg in best.legs] == [1.88, 4.1, 3.9]
    assert round(best.staked, 2) == 19.41
    assert [round(best.staked + each, 2) for each in (best.worst, best.best)] == [18.8, 18.82]
    assert [best.bet_kind(place) for place in range(3)] == ["back", "back", "back"]


def test_a_free_bet_goes_on_long_odds() -> None:
    found = ways(promotion(PromoKind.FREE))
    assert found.looked_at == 3
    assert [way.legs[0].key.selection for way in found.hedged] == ["Draw", "Leicester", "Liverpool"]
    assert found.hedged[0].bet_kind(0) == "free"
    assert found.hedged[0].locked == pytest.approx(found.hedged[0].value)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"least_odds": 3.4}, "odds below the minimum"),
        ({"sports": ("Tennis",)}, "another sport"),
        ({"markets": ("btts",)}, "another market"),
        ({"until": NOW}, "starts after the offer ends, or no kick-off time"),
    ],
)
def test_what_the_offer_excludes_is_counted_by_reason(fields: dict[str, Any], reason: str) -> None:
    found = ways(promotion(PromoKind.FREE, **fields))
    left = 1 if "least_odds" in fields else 0
    assert len(found.hedged) == left
    assert found.left_out == {reason: 3 - left}


def test_one_operator_is_never_both_bet_and_hedge() -> None:
    alone = {name: LEICESTER[name] for name in ("Pinnacle", "ParionsSport")}
    found = ways(promotion(), desk(alone))
    assert found.hedged == ()
    assert found.left_out == {"no hedge at your other bookmakers": 3}


def test_a_stale_price_is_no_leg() -> None:
    at = desk()
    at.now += 200_000
    found = ways(promotion(), at)
    assert (found.hedged, found.unhedged) == ((), ())


def test_without_a_hedge_ev_and_certainty_equivalent_are_told() -> None:
    found = ways(promotion(PromoKind.FREE, amount=100.0))
    best = found.unhedged[0]
    assert (best.is_hedged, best.locked, best.worst) == (False, None, 0)
    assert best.chance is not None
    assert best.ev == pytest.approx(best.chance * best.best)
    assert best.certainty is not None
    assert 0 < best.certainty < best.ev


def test_fair_odds_of_another_bet_give_no_ev() -> None:
    """Without a draw, a price of the winner is not what the sharp book's match result is."""
    odds = {**LEICESTER, "ParionsSport": {"Liverpool": 1.5, "Leicester": 2.6}}
    found = ways(promotion(PromoKind.FREE), desk(odds))
    assert (found.looked_at, found.unhedged) == (2, ())


def test_an_offer_is_at_a_bookmaker_by_any_of_its_names() -> None:
    at = desk({**LEICESTER, "William Hill": LEICESTER["ParionsSport"]})
    at.board.set_profiles(shipped_profiles())
    assert ways(promotion(bookmaker="williamhill"), at).looked_at == 3


def test_a_bonus_is_worth_what_its_wagering_leaves() -> None:
    best = ways(promotion(PromoKind.BONUS, wagering=5.0, most_stake=2.0)).hedged[0]
    assert best.bets_needed == 25
    assert best.value == pytest.approx(10 + 25 * best.worst)


def test_a_boost_is_recorded_at_the_boosted_odds() -> None:
    best = ways(promotion(PromoKind.BOOST, boost=0.5)).hedged[0]
    first = best.legs[0]
    assert best.boosted_odds == pytest.approx(1 + (first.odds - 1) * 1.5)
    assert best.worst > 0


def test_a_way_follows_the_prices() -> None:
    at = desk()
    best = ways(promotion(least_odds=1.7), at).hedged[0]
    at.now += 1_000
    moved = message("Draw", 4.4, bookmaker="Unibet", match_name="Liverpool - Leicester")
    at.board.apply_all([moved])
    now = way_now(at.board, best, EXACT)
    assert now is not None
    assert now.key == best.key
    assert legs(now)[1:] == [("Unibet", "Draw", 4.27), ("Betclic", "Leicester", 4.82)]
    assert now.worst == pytest.approx(10 * 0.88 - 4.27 - 4.82, abs=0.02)
    assert now.due_at > at.now
    at.now += 200_000
    assert way_now(at.board, best, EXACT) is None


def test_an_unhedged_way_follows_the_prices() -> None:
    at = desk()
    best = ways(promotion(PromoKind.FREE), at).unhedged[0]
    assert way_now(at.board, best, EXACT) == best
    at.now += 1_000
    selection = best.legs[0].key.selection
    moved = message(selection, 0.0, bookmaker="ParionsSport", match_name="Liverpool - Leicester")
    at.board.apply_all([moved])
    assert way_now(at.board, best, EXACT) is None


def exchange(
    lays: tuple[tuple[float, float], ...],
    odds: float = 2.1,
    others: tuple[float, float] = (3.5, 3.6),
) -> OddsRow:
    """Betfair with lay levels of Liverpool."""
    offers = {"Liverpool": Offer(back=((odds, 100.0),), lay=lays, currency="GBP")}
    prices = {"Liverpool": odds, "Draw": others[0], "Leicester": others[1]}
    name = "Liverpool - Leicester"
    return odds_row("Smarkets", prices, offers=offers, match_name=name)


def with_lays(*lays: tuple[float, float]) -> Desk:
    """A bookmaker, and an exchange with 2 % commission."""
    at = desk({"ParionsSport": {"Liverpool": 2.1, "Draw": 3.3, "Leicester": 3.3}})
    at.board.set_profiles(shipped_profiles())
    exhaust(at.board.merge_rows([exchange(lays)]))
    return at


def test_a_bet_is_laid_at_an_exchange_after_its_commission() -> None:
    best = ways(promotion(least_odds=2.0, markets=("moneyline",)), with_lays((2.16, 500.0)))
    way = next(each for each in best.hedged if each.legs[0].key.selection == "Liverpool")
    lay = way.legs[1]
    assert [leg.is_lay for leg in way.legs] == [False, True]
    assert way.leg_text(1) == "Lay Liverpool"
    assert way.bet_kind(1) == "lay"
    assert lay.backers_stake == pytest.approx(9.81)
    assert lay.stake == pytest.approx(9.81 * 1.16)
    assert way.worst == pytest.approx(min(11 - 9.81 * 1.16, 9.81 * 0.98 - 10))


def test_a_lay_is_staked_in_pence_though_bookmakers_take_whole_units() -> None:
    """25 free at 9.5, laid at 9.8 with 5 %: 21.79 leaves 20.70, 21 would leave 19.95."""
    at = desk({"ParionsSport": {"Liverpool": 9.5, "Draw": 4.5, "Leicester": 1.4}})
    at.board.set_profiles(Profiles([Profile(name="Smarkets", group="Smarkets", commission=0.05)]))
    exhaust(at.board.merge_rows([exchange(((9.8, 500.0),), 9.5, (4.6, 1.41))]))
    offer = promotion(PromoKind.FREE, amount=25.0, least_odds=9.0)
    way = next(w for w in ways(offer, at, StakePlan()).hedged if w.legs[-1].is_lay)
    assert way.legs[1].backers_stake == pytest.approx(21.79)
    assert way.worst == pytest.approx(21.79 * 0.95)
    now = way_now(at.board, way, StakePlan())
    assert now is not None
    assert now.worst == way.worst
    coarse = returned(ways_to_use(at.board, offer, StakePlan(), lay_step=1.0)).hedged
    assert next(w for w in coarse if w.legs[-1].is_lay).worst == pytest.approx(19.95)


def test_what_can_be_laid_bounds_the_hedge() -> None:
    """2 of 9.81 can be laid at 2.16, the rest at 2.2: the average counts."""
    at = with_lays((2.16, 2.0), (2.2, 50.0))
    way = next(w for w in ways(promotion(), at).hedged if w.legs[-1].is_lay)
    lay = way.legs[1]
    assert lay.backers_stake == pytest.approx(9.67)
    assert lay.stake == pytest.approx(2 * 1.16 + 7.67 * 1.2)
    assert lay.lay_odds == pytest.approx(1 + lay.stake / 9.67)
    assert way.results[0] == pytest.approx(11 - lay.stake)
    assert way.results[1] == pytest.approx(9.67 * 0.98 - 10)


def laid_in_euros(at: Desk) -> PromoWay:
    found = ways(promotion(currency="EUR"), at).hedged
    return next(way for way in found if way.legs[-1].is_lay)


def test_a_lay_in_another_currency_is_converted_by_the_users_rate() -> None:
    at = with_lays((2.16, 9.0))
    at.board.set_rates(Rates("EUR", {"GBP": 1.25}))
    way = laid_in_euros(at)
    lay, money = way.legs[1], way.money[1]
    assert money == ("GBP", 1.25)
    assert lay.backers_stake == pytest.approx(7.85)  # 9.81 EUR
    assert lay.stake == pytest.approx(7.85 * 1.16)
    assert way.results[0] == pytest.approx(11 - 7.85 * 1.16 * 1.25)
    assert way.results[1] == pytest.approx(7.85 * 0.98 * 1.25 - 10)
    assert way.staked == pytest.approx(10 + 7.85 * 1.16 * 1.25)
    assert way.money_text(1) == "Smarkets takes GBP: 1 GBP counts as 1.25 EUR (your rate)"
    assert way_now(at.board, way, EXACT) == way


def test_an_offer_in_a_foreign_currency_is_hedged_in_the_main_one() -> None:
    at = with_lays((2.16, 9.0))
    at.board.set_rates(Rates("GBP", {"EUR": 0.8}))
    way = laid_in_euros(at)
    assert way.money == (("EUR", 1.0), ("GBP", pytest.approx(1.25)))
    assert way.legs[1].backers_stake == pytest.approx(7.85)


def test_without_a_rate_a_hedge_in_another_currency_says_so() -> None:
    way = laid_in_euros(with_lays((2.16, 500.0)))
    assert way.money[1] == ("GBP", None)
    assert way.legs[1].backers_stake == pytest.approx(9.81)
    assert way.money_text(1) == (
        "Amounts are in EUR; Smarkets takes GBP and no exchange rate is set: "
        "the hedge is only right if 1 GBP is worth 1 EUR"
    )


def test_money_that_nobody_named_is_taken_as_one() -> None:
    way = next(w for w in ways(promotion(), with_lays((2.16, 500.0))).hedged if w.legs[-1].is_lay)
    assert [way.money_text(place) for place in (0, 1)] == ["", ""]


def test_a_lay_of_an_unknown_amount_takes_any_stake() -> None:
    way = next(w for w in ways(promotion(), with_lays((2.16, 0.0))).hedged if w.legs[-1].is_lay)
    assert way.legs[1].backers_stake == pytest.approx(9.81)
    assert way.worst == pytest.approx(min(11 - 9.81 * 1.16, 9.81 * 0.98 - 10))


def test_an_offer_that_takes_less_is_used_as_far_as_the_lay_goes() -> None:
    at = with_lays((2.16, 4.0))
    assert not any(way.legs[-1].is_lay for way in ways(promotion(), at).hedged)
    boosted = ways(promotion(PromoKind.BOOST, boost=0.5), at)
    way = next(each for each in boosted.hedged if each.legs[-1].is_lay)
    assert way.bet.stake == pytest.approx(3.23)
    assert way.legs[1].backers_stake == pytest.approx(4.0, abs=0.01)


def test_a_lay_that_moved_is_staked_again() -> None:
    at = with_lays((2.16, 500.0))
    way = next(w for w in ways(promotion(), at).hedged if w.legs[-1].is_lay)
    at.now += 1_000
    moved = exchange(((2.3, 500.0),))
    exhaust(at.board.merge_rows([replace(moved, scraped_at=format_ms(at.now))]))
    now = way_now(at.board, way, EXACT)
    assert now is not None
    assert now.legs[1].odds == 2.3
    assert now.legs[1].backers_stake == pytest.approx(21 / 2.28, abs=0.006)


def test_what_is_placed_counts_against_the_limit_of_a_bookmaker() -> None:
    at = desk()
    at.board.set_profiles(Profiles([Profile(name="Unibet", group="Unibet", limit=10.0)]))
    best = ways(promotion(least_odds=1.7), at).hedged[0]
    assert best.legs[1].bookmaker == "Unibet"
    draw = at.board.matrix(best.legs[0].key.game_id)
    assert draw is not None
    placed = {((draw.game_id, "moneyline", 0, "", "draw"), "unibet"): 9.0}
    first = returned(ways_to_use(at.board, promotion(least_odds=1.7), EXACT, placed=placed)).hedged[
        0
    ]
    assert first.legs[0].key == best.legs[0].key
    assert [leg.bookmaker for leg in first.legs[1:]] == ["Pinnacle", "Betclic"]
    assert way_now(at.board, best, EXACT) == best
    assert way_now(at.board, best, EXACT, placed) is None, "1 of 4.59 is left"
    elsewhere = {((draw.game_id, "moneyline", 0, "", "home"), "unibet"): 9.0}
    assert way_now(at.board, best, EXACT, elsewhere) == best


def test_what_is_placed_counts_against_the_limit_of_an_unhedged_bet() -> None:
    at = desk()
    at.board.set_profiles(Profiles([Profile(name="ParionsSport", group="", limit=10.0)]))
    offer = promotion(PromoKind.BOOST, boost=0.5, least_odds=3.4)
    (way,) = ways(offer, at).unhedged
    assert (way.legs[0].key.selection, way.legs[0].stake) == ("Draw", 10.0)
    placed = {((way.legs[0].key.game_id, "moneyline", 0, "", "draw"), "parionssport"): 6.0}
    (left,) = returned(ways_to_use(at.board, offer, EXACT, placed=placed)).unhedged
    assert left.legs[0].stake == 4.0
    assert way_now(at.board, way, EXACT, placed) == left


def test_a_recorded_lay_counts_against_the_limit_of_the_lay() -> None:
    at = with_lays((2.16, 500.0))
    way = next(w for w in ways(promotion(), at).hedged if w.legs[-1].is_lay)
    name, liability = way.legs[-1].bookmaker, way.legs[-1].stake
    profile = at.board.basis.profiles.profile_of(name)
    at.board.set_profiles(Profiles([replace(profile, limit=liability + 5)]))
    placed = {((way.legs[0].key.game_id, "double_chance", 0, "", "X2"), name.casefold()): 4.9}
    assert way_now(at.board, way, EXACT, placed) is not None
    placed = dict.fromkeys(placed, 5.1)
    assert way_now(at.board, way, EXACT, placed) is None
