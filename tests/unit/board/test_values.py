"""True EV beside what the service says, and what becomes of a bet whose prices move."""

from typing import Any

import pytest

from oddsdesk.board.freshness import Freshness
from oddsdesk.board.last_seen import last_seen
from oddsdesk.board.matrix import RowKey
from oddsdesk.board.notices import ValueBetsChanged
from oddsdesk.board.value_entry import Standing, ValueEntry
from oddsdesk.contract.resources import ValueBet
from oddsdesk.contract.times import format_ms
from oddsdesk.pricing.devig import devig
from oddsdesk.pricing.stakes import StakePlan, stake
from oddsdesk.slices import exhaust
from tests.kit.board import GAME, NOW, REFERENCE, Desk, matrix, message, value_bet

KEY = RowKey(GAME, "total", 0, "Over 2.5", "Betfair")


def test_true_ev_is_worked_out_from_the_row_alone(desk: Desk) -> None:
    exhaust(desk.board.merge_value_bets([value_bet()]))
    entry = desk.board.value_bets[KEY]
    fair = devig("margin_proportional", (2.05, 1.88)).fair_odds[0]
    assert entry.true_fair == pytest.approx(fair, rel=2e-5)
    assert entry.true_ev == pytest.approx((2.15 / (fair * 1.01) - 1) * 100, abs=2e-3)
    assert entry.value_from == pytest.approx(2.1344, abs=5e-4)
    assert (entry.detected_at, entry.odds, entry.standing) == (NOW, 2.15, Standing.HOLDS)
    assert entry.is_value


def test_a_service_with_the_published_formula_is_found_out(desk: Desk) -> None:
    published = 2.05 * 2 / (2 - 2.05 * (1 / 1.0197 - 1))
    bet = value_bet(
        fair_odds=round(published, 4), ev_pct=round((2.15 / (published * 1.01) - 1) * 100, 2)
    )
    exhaust(desk.board.merge_value_bets([bet]))
    assert desk.board.audit is not None
    assert desk.board.audit.is_published
    entry = desk.board.value_bets[KEY]
    assert entry.true_ev is not None
    assert entry.true_ev < bet.ev_pct


def test_a_service_that_sends_the_return_rate_is_told_and_reckoned_with_its_total(
    desk: Desk,
) -> None:
    """An honest row with 1/S in ``payout_rate`` fitted the published formula (D52)."""
    honest = value_bet()
    exhaust(desk.board.merge_value_bets([honest]))
    before = desk.board.value_bets[KEY]
    exhaust(desk.board.merge_value_bets([value_bet(payout_rate=round(1 / honest.payout_rate, 4))]))
    audit, entry = desk.board.audit, desk.board.value_bets[KEY]
    assert audit is not None
    assert (audit.sends_return_rate, audit.is_published) == (True, False)
    assert entry.bet.payout_rate == pytest.approx(honest.payout_rate, abs=1e-4)
    assert entry.true_ev == pytest.approx(before.true_ev, abs=5e-3)
    exhaust(desk.board.merge_value_bets([honest]))
    assert desk.board.audit is not None
    assert not desk.board.audit.sends_return_rate


def test_the_number_of_outcomes_is_the_one_that_fits_the_row(desk: Desk) -> None:
    for outcomes in (2, 3):
        fair = 1 / (1 / 2.05 - 0.0197 / outcomes)
        bet = value_bet(
            market_type="moneyline",
            selection="Arsenal",
            sport="Hockey",
            competition="NHL",
            fair_odds=round(fair, 4),
            ev_pct=round((2.15 / (fair * 1.01) - 1) * 100, 2),
        )
        exhaust(desk.board.merge_value_bets([bet]))
        assert [entry.outcomes for entry in desk.board.value_bets.values()] == [outcomes]


def test_prices_that_are_held_judge_a_bet_by_the_users_method(desk: Desk) -> None:
    odds = {
        REFERENCE: {"Over 2.5": 2.05, "Under 2.5": 1.88},
        "Betfair": {"Over 2.5": 2.15},
    }
    exhaust(desk.board.merge_matrix(matrix(odds, market_type="total")))
    exhaust(desk.board.merge_value_bets([value_bet()]))
    first = desk.board.value_bets[KEY]
    assert first.standing is Standing.HOLDS
    assert first.url == "https://Betfair.example"
    desk.board.set_method("power")
    assert desk.board.value_bets[KEY].true_fair != first.true_fair


@pytest.mark.parametrize(
    "wrong",
    [{"odds": 1.0}, {"fair_odds": 0.0}, {"payout_rate": 0.4}, {"detected_at": "yesterday"}],
)
def test_a_bet_that_makes_no_sense_is_named_and_the_rest_is_kept(
    desk: Desk, caplog: pytest.LogCaptureFixture, wrong: dict[str, object]
) -> None:
    exhaust(desk.board.merge_value_bets([value_bet(**wrong), value_bet(bookmaker="Unibet")]))
    assert [key.bookmaker for key in desk.board.value_bets] == ["Unibet"]
    assert "value bets: 1 passed over" in caplog.text


def test_a_kick_off_that_is_no_time_is_unknown(desk: Desk) -> None:
    exhaust(
        desk.board.merge_value_bets(
            [value_bet(match_date="soon"), value_bet(bookmaker="Unibet", match_date=format_ms(NOW))]
        )
    )
    assert [entry.kick_off for entry in desk.board.value_bets.values()] == [None, NOW]


TOTAL = {
    REFERENCE: {"Over 2.5": 2.05, "Under 2.5": 1.88},
    "Betfair": {"Over 2.5": 2.15, "Under 2.5": 1.8},
}


def served(odds: float, sides: tuple[float, ...], method: str, **more: Any) -> ValueBet:
    """A row as a service reckons it, on the first of the reference's prices; figures rounded."""
    fair = devig(method, sides).fair_odds[0]
    return value_bet(
        odds=odds,
        reference_odds=sides[0],
        payout_rate=round(sum(1 / price for price in sides), 4),
        fair_odds=round(fair, 4),
        ev_pct=round((odds / (fair * 1.01) - 1) * 100, 2),
        **more,
    )


def entry_of(desk: Desk, key: RowKey = KEY) -> ValueEntry:
    return desk.board.value_bets[key]


@pytest.mark.parametrize("method", ["margin_proportional", "multiplicative", "published"])
@pytest.mark.parametrize(("odds", "sides"), [(2.15, (2.05, 1.88)), (13.5, (11.0, 1.07))])
def test_nothing_changes_by_having_the_prices_of_a_game_too(
    desk: Desk, method: str, odds: float, sides: tuple[float, float]
) -> None:
    exhaust(desk.board.merge_value_bets([served(odds, sides, method)]))
    by_row = entry_of(desk)
    over, under = sides
    held = {REFERENCE: {"Over 2.5": over, "Under 2.5": under}, "Betfair": {"Over 2.5": odds}}
    exhaust(desk.board.merge_matrix(matrix(held, market_type="total")))
    exhaust(desk.board.merge_value_bets([served(odds, sides, method)]))
    by_prices = entry_of(desk)
    assert by_prices.true_ev == by_row.true_ev
    exact = devig("margin_proportional", sides).fair_odds[0]
    assert by_row.true_fair == pytest.approx(exact, rel=1e-4)
    plan = StakePlan()
    amounts = [
        stake(plan, entry.odds, entry.true_fair or 0.0, None).amount
        for entry in (by_row, by_prices)
    ]
    assert amounts[0] == amounts[1]


def test_a_service_of_the_users_method_is_taken_at_its_word_where_a_row_tells_too_little(
    desk: Desk,
) -> None:
    """Shin's method needs all three prices; the row has one, and the service's fair odds."""
    desk.board.set_method("shin")
    where = {"market_type": "moneyline", "selection": "Arsenal"}
    three = served(3.4, (3.2, 3.4, 2.4), "shin", **where)
    two_way = [
        served(2.15, (2.05 - i / 100, 1.88), "shin", bookmaker=f"Book {i}") for i in range(11)
    ]
    exhaust(desk.board.merge_value_bets([*two_way, three]))
    entry = entry_of(desk, RowKey(GAME, "moneyline", 0, "Arsenal", "Betfair"))
    assert (entry.true_fair, entry.method) == (three.fair_odds, "shin")
    other = served(3.4, (3.2, 3.4, 2.4), "margin_proportional", **where)
    exhaust(desk.board.merge_value_bets([*two_way, other]))
    assert entry_of(desk, entry.key).method == "margin_proportional"


def test_a_bet_that_the_users_method_cannot_judge_says_by_which_method_it_is(desk: Desk) -> None:
    desk.board.set_method("shin")
    where = {"market_type": "moneyline", "selection": "Arsenal"}
    sides = (2.0, 3.6, 4.0)
    exhaust(desk.board.merge_value_bets([served(2.2, sides, "margin_proportional", **where)]))
    key = RowKey(GAME, "moneyline", 0, "Arsenal", "Betfair")
    assert entry_of(desk, key).method == "margin_proportional"
    odds = {
        REFERENCE: dict(zip(("Arsenal", "Draw", "Chelsea"), sides, strict=True)),
        "Betfair": {"Arsenal": 2.2},
    }
    exhaust(desk.board.merge_matrix(matrix(odds)))
    assert entry_of(desk, key).method == "shin"
    assert entry_of(desk, key).true_fair == pytest.approx(devig("shin", sides).fair_odds[0])


def holding(desk: Desk) -> None:
    """The bet is listed and its game held; nothing was told yet."""
    exhaust(desk.board.merge_matrix(matrix(TOTAL, market_type="total")))
    exhaust(desk.board.merge_value_bets([value_bet()]))
    desk.heard()


def test_a_price_that_moves_within_its_window_is_judged_at_once(desk: Desk) -> None:
    holding(desk)
    desk.board.apply_all([message("Over 2.5", 2.17, market_type="total")])
    assert ValueBetsChanged((KEY,)) in desk.heard()
    entry = entry_of(desk)
    assert (entry.odds, entry.standing, entry.is_value) == (2.17, Standing.HOLDS, True)
    assert entry.true_ev == pytest.approx((2.17 / (2.0923 * 1.01) - 1) * 100, abs=1e-2)


@pytest.mark.parametrize("odds", [2.10, 2.40])
def test_a_price_that_leaves_its_window_falls_at_once_and_is_shown_as_listed(
    desk: Desk, odds: float
) -> None:
    holding(desk)
    desk.board.apply_all([message("Over 2.5", odds, market_type="total")])
    assert ValueBetsChanged((KEY,)) in desk.heard()
    entry = entry_of(desk)
    assert (entry.odds, entry.standing, entry.is_value) == (2.15, Standing.MOVED, False)
    desk.board.apply_all([message("Over 2.5", 2.15, at=NOW + 2_000, market_type="total")])
    assert entry_of(desk).is_value


def test_a_move_of_the_reference_fells_a_bet_too(desk: Desk) -> None:
    holding(desk)
    moved = message("Over 2.5", 2.12, market_type="total", bookmaker=REFERENCE)
    desk.board.apply_all([moved])
    assert entry_of(desk).standing is Standing.MOVED


def test_a_withdrawn_price_falls_until_it_is_detected_anew(desk: Desk) -> None:
    holding(desk)
    desk.now += 10_000
    picture = matrix({**TOTAL, "Betfair": {"Under 2.5": 1.8}}, desk.now, market_type="total")
    exhaust(desk.board.merge_matrix(picture))
    assert entry_of(desk).standing is Standing.WITHDRAWN
    desk.now += 70_000
    desk.board.sweep()
    exhaust(
        desk.board.merge_matrix(
            matrix({**TOTAL, "Betfair": {"Under 2.5": 1.8}}, desk.now, market_type="total")
        )
    )
    exhaust(desk.board.merge_value_bets([value_bet()]))
    assert entry_of(desk).standing is Standing.WITHDRAWN
    exhaust(desk.board.merge_value_bets([value_bet(detected_at=format_ms(desk.now))]))
    assert entry_of(desk).standing is Standing.HOLDS


def test_a_bet_falls_with_the_references_price(desk: Desk) -> None:
    holding(desk)
    desk.now += 10_000
    without = {name: odds for name, odds in TOTAL.items() if name != REFERENCE}
    exhaust(desk.board.merge_matrix(matrix(without, desk.now, market_type="total")))
    assert entry_of(desk).standing is Standing.NO_REFERENCE


def test_a_price_that_goes_in_play_alone_is_no_value_bet(desk: Desk) -> None:
    holding(desk)
    desk.board.apply_all([message("Over 2.5", 2.16, market_type="total", is_live=True)])
    assert entry_of(desk).standing is Standing.OTHER_STATE


def test_odds_older_than_the_detection_are_not_believed(desk: Desk) -> None:
    exhaust(desk.board.merge_matrix(matrix(TOTAL, NOW - 60_000, market_type="total")))
    exhaust(desk.board.merge_value_bets([value_bet(odds=2.16)]))
    assert (entry_of(desk).odds, entry_of(desk).standing) == (2.16, Standing.HOLDS)


def test_a_service_that_changes_its_formula_is_found_out(desk: Desk) -> None:
    rows = [(2.15 + i / 100, (2.05 + i / 50, 1.88 - i / 60)) for i in range(12)]

    def load(method: str) -> None:
        exhaust(
            desk.board.merge_value_bets(
                [
                    served(odds, sides, method, bookmaker=f"Book {i}")
                    for i, (odds, sides) in enumerate(rows)
                ]
            )
        )

    load("margin_proportional")
    assert desk.board.audit is not None
    assert not desk.board.audit.is_published
    load("published")
    assert desk.board.audit.is_published
    load("margin_proportional")
    assert not desk.board.audit.is_published


def test_when_a_bet_was_last_seen_is_the_prices_own_time_or_that_of_the_list(desk: Desk) -> None:
    exhaust(desk.board.merge_value_bets([value_bet()]))
    desk.now += 61_000
    assert last_seen(desk.board, KEY, desk.now) == (NOW, False, Freshness.AGEING)
    desk.now += 120_000
    assert last_seen(desk.board, KEY, desk.now).freshness is Freshness.STALE
    exhaust(desk.board.merge_matrix(matrix(TOTAL, desk.now - 5_000, market_type="total")))
    assert last_seen(desk.board, KEY, desk.now) == (desk.now - 5_000, True, Freshness.FRESH)


def test_prices_that_move_while_a_list_is_taken_in_are_not_lost(desk: Desk) -> None:
    holding(desk)
    steps = desk.board.merge_value_bets([value_bet(), value_bet(bookmaker="Unibet")])
    for _ in range(3):
        next(steps)  # both were looked at, the first was judged
    desk.board.apply_all([message("Over 2.5", 2.10, market_type="total")])
    for _ in steps:
        pass
    assert entry_of(desk).standing is Standing.MOVED


def test_a_list_that_was_cut_says_so(desk: Desk) -> None:
    exhaust(desk.board.merge_value_bets([value_bet()], is_cut=True))
    assert desk.board.listed.is_cut
    desk.heard()
    exhaust(desk.board.merge_value_bets([value_bet()]))
    assert not desk.board.listed.is_cut
    assert desk.heard() == [ValueBetsChanged()]
