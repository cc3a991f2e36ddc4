"""What is for sale: kept on the board, and what lists make of it (D104)."""

from datetime import time
from typing import Any

import pytest
from msgspec import UNSET

from oddsdesk.base.tasks import exhaust
from oddsdesk.board.alerts.gate import Gate
from oddsdesk.board.alerts.rules import AlertSettings, ValueRule
from oddsdesk.board.alerts.watching import AlertWatch, value_text
from oddsdesk.board.opportunities.offers import Opportunities
from oddsdesk.board.valuation.explaining import explain
from oddsdesk.board.valuation.verdict_words import currency_text, for_sale_text
from oddsdesk.contract.resources import OddsRow, Offer, PriceMessage
from oddsdesk.contract.times import format_ms
from oddsdesk.pricing.currencies import Rates
from oddsdesk.pricing.exposure import Bound
from oddsdesk.pricing.opportunities import NEAR_STEPS, OpportunityKind, Split
from oddsdesk.pricing.profiles import shipped_profiles
from oddsdesk.pricing.stakes import Depth
from tests.kit.board import NOW
from tests.unit.board.valuation.test_bets import GAME, bets_of, holding, quote

MARKET = "Polymarket (3 % fee)"
CATS = {"Pinnacle": {"A": 2.14, "B": 1.77}}
FIRST, SECOND = round(1 / 0.43, 6), round(1 / 0.53, 6)


def shares(price: float, size: float) -> tuple[float, float]:
    return round(1 / price, 6), round(price * size, 4)


def market(*levels: tuple[float, float], at: int = NOW, **more: Any) -> OddsRow:
    offers = {"A": Offer(back=levels, currency="USD")}
    return quote(MARKET, {"A": levels[0][0], "B": 1.5}, offers=offers, at=at, **more)


def board_of(*rows: OddsRow) -> Any:
    board = holding(quote("Pinnacle", CATS["Pinnacle"]))
    board.set_profiles(shipped_profiles())
    board.want_values(True)
    exhaust(board.merge_rows(rows))
    return board


def test_three_shares_are_staked_as_three_shares() -> None:
    """Told as +2.14 % for a stake of 6, which would be -12.7 %."""
    board = board_of(market(shares(0.43, 3), shares(0.53, 500)))
    (bet,) = bets_of(board)
    assert (bet.stake, bet.bound) == (1, Bound.FOR_SALE)
    assert bet.price.for_sale == pytest.approx(1.312, abs=5e-4)
    assert bet.price.assessment.ev_pct == pytest.approx(2.14, abs=5e-3)


def test_a_stake_over_two_levels_that_are_value_is_told_at_their_average() -> None:
    board = board_of(market(shares(0.43, 3), shares(0.432, 100)))
    (bet,) = bets_of(board)
    cost = [p + 0.03 * p * (1 - p) for p in (0.43, 0.432)]
    won = 3 + (bet.stake - 3 * cost[0]) / cost[1]
    found = bet.price.assessment
    assert bet.stake > 3 * cost[0]
    assert found.net_odds == pytest.approx(won / bet.stake)
    fair = found.fair_odds or 0
    assert found.ev_pct == pytest.approx((won / bet.stake / (fair * 1.01) - 1) * 100)


def test_a_level_that_is_no_value_by_itself_is_not_eaten() -> None:
    """At 0.439 the EV is 0.07 %: Kelly would take some of it, the rules do not."""
    (bet,) = bets_of(board_of(market(shares(0.43, 3), shares(0.439, 500))))
    assert (bet.stake, bet.bound) == (1, Bound.FOR_SALE)


def test_less_than_a_step_is_no_bet_to_stake() -> None:
    (bet,) = bets_of(board_of(market(shares(0.43, 2), shares(0.53, 500))))
    assert (bet.stake, bet.bound) == (0, Bound.FOR_SALE)


def test_without_levels_all_is_as_it_was() -> None:
    (bet,) = bets_of(board_of(quote(MARKET, {"A": FIRST})))
    assert (bet.stake, bet.bound, bet.price.for_sale) == (6, Bound.KELLY, None)


def test_a_level_that_changes_alone_reaches_the_list() -> None:
    board = board_of(market(shares(0.43, 3), shares(0.53, 500)))
    exhaust(board.merge_rows([market(shares(0.43, 30), shares(0.53, 500), at=NOW + 1)], NOW))
    (bet,) = bets_of(board)
    assert (bet.stake, bet.bound) == (6, Bound.KELLY)
    assert bet.price.scraped_at == NOW + 1
    exhaust(board.merge_rows([market(shares(0.43, 30), shares(0.53, 500), at=NOW + 2)], NOW))
    (bet,) = bets_of(board)
    assert (bet.price.scraped_at, bet.price.depth) == (
        NOW + 2,
        Depth((shares(0.43, 30), shares(0.53, 500)), "USD"),
    )


def test_what_is_for_sale_counts_at_the_users_rate() -> None:
    board = board_of(market(shares(0.43, 3), shares(0.53, 500)))
    (before,) = bets_of(board)
    assert currency_text(before.price.depth) == (
        "No exchange rate: 1 USD counts as 1 of your bankroll"
    )
    board.set_rates(Rates("JPY", {"USD": 150.0}))
    (bet,) = bets_of(board)
    assert before.price.for_sale is not None
    assert bet.price.for_sale == pytest.approx(150 * before.price.for_sale)
    assert for_sale_text(bet.price) == "196.80 JPY available"
    assert currency_text(bet.price.depth) == "1 USD counts as 150 JPY (your rate)"
    assert (bet.stake, bet.bound) == (6, Bound.KELLY)
    assert bet.price.assessment == before.price.assessment
    explained = explain(board, bet.price.key, NOW)
    assert explained is not None
    assert explained.depth == bet.price.depth
    board.set_rates(Rates("USD"))
    (bet,) = bets_of(board)
    assert (bet.price.for_sale, currency_text(bet.price.depth)) == (before.price.for_sale, "")


def test_levels_that_make_no_sense_are_passed_over() -> None:
    row = market((FIRST, 1.29), (SECOND, 265.0))
    wrong = quote(MARKET, {"A": 2.3}, offers=row.offers)
    (bet,) = bets_of(board_of(wrong))
    assert bet.price.depth is None


def found_of(*rows: OddsRow) -> list[Any]:
    board = board_of(*rows)
    offered = Opportunities(board, lambda: NOW, Split)
    exhaust(offered.looking())
    return list(offered.entries.values())


def test_no_arbitrage_is_of_three_shares() -> None:
    """Told as +2.74 %; what 41 would have been paid makes it -21.4 %."""
    assert found_of(market(shares(0.40, 3), shares(0.53, 500))) == []


def test_an_arbitrage_is_as_large_as_what_is_for_sale() -> None:
    (found,) = found_of(market(shares(0.40, 50), shares(0.53, 500)))
    cost = 0.40 + 0.03 * 0.4 * 0.6
    stakes = {leg.bookmaker: leg.stake for leg in found.legs}
    assert found.kind is OpportunityKind.ARBITRAGE
    assert 50 * cost - NEAR_STEPS - 1 < stakes[MARKET] <= 50 * cost
    worst = min(stakes["Pinnacle"] * 1.77, stakes[MARKET] / cost) - sum(stakes.values())
    assert found.outlay.worst == pytest.approx(worst)
    assert found.limited_by == MARKET


def test_what_is_for_sale_for_less_than_a_step_hides_no_other_arbitrage() -> None:
    (found,) = found_of(
        market(shares(0.40, 1), shares(0.53, 500)), quote("Soft", {"A": 2.4, "B": 1.4})
    )
    assert {leg.bookmaker for leg in found.legs} == {"Pinnacle", "Soft"}


def test_an_explanation_holds_what_is_for_sale() -> None:
    board = board_of(market(shares(0.43, 3), shares(0.53, 500)))
    (price,) = board.value_bets.values()
    said = explain(board, price.key, NOW)
    assert said is not None
    assert said.key.game_id == GAME
    assert said.depth == Depth((shares(0.43, 3), shares(0.53, 500)), "USD")


def told(odds: float, *levels: tuple[float, float]) -> PriceMessage:
    fields = (MARKET, "A vs B", "ATP", "Tennis", "moneyline", "A", odds, 0, False)
    offer = Offer(back=levels, currency="USD") if levels else UNSET
    return PriceMessage(*fields, format_ms(NOW + 1), offer=offer)


def test_a_streamed_price_brings_what_is_for_sale_at_it() -> None:
    board = board_of(market(shares(0.5, 900)))
    board.apply_all([told(FIRST, shares(0.43, 3), shares(0.53, 500))])
    (bet,) = bets_of(board)
    assert (bet.stake, bet.bound) == (1, Bound.FOR_SALE)
    board.apply_all([told(round(1 / 0.432, 6))])
    (bet,) = bets_of(board)
    assert bet.price.depth is None, "what was for sale at other odds is not for sale at these"


def test_an_alert_says_what_is_for_sale_and_none_is_of_nothing() -> None:
    (price,) = board_of(market(shares(0.43, 3))).value_bets.values()
    assert " · 1.31 USD available" in value_text(price)
    nothing = board_of(market((FIRST, 0.0)))
    (bet,) = bets_of(nothing)
    assert (bet.stake, bet.bound, bet.price.for_sale) == (0, Bound.FOR_SALE, 0)
    settings, presets = AlertSettings(rules=(ValueRule(),)), {"all value bets": lambda **_: True}
    for board, alerts in ((nothing, 0), (board_of(market(shares(0.43, 3))), 1)):
        gate = Gate(settings, lambda: NOW, lambda _: time(12))
        watch = AlertWatch(board, lambda: NOW, settings, gate, presets=presets)
        assert len(watch.check_alerts()) == alerts
