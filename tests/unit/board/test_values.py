"""True EV beside what the service says."""

import pytest

from oddsdesk.board.matrix import RowKey
from oddsdesk.contract.times import format_ms

from .conftest import GAME, NOW, REFERENCE, Desk, matrix, value_bet

KEY = RowKey(GAME, "total", 0, "Over 2.5", "Betfair")


def test_true_ev_is_worked_out_from_the_row_alone(desk: Desk) -> None:
    desk.board.load_value_bets([value_bet()])
    entry = desk.board.value_bets[KEY]
    fair = 2 * 2.05 / (2 - 0.0197 * 2.05)
    assert entry.true_fair == pytest.approx(fair)
    assert entry.true_ev == pytest.approx((2.15 / (fair * 1.01) - 1) * 100)
    assert entry.value_from == pytest.approx(2.1344, abs=5e-4)
    assert (entry.detected_at, entry.scraped_at) == (NOW, None)


def test_a_service_with_the_published_formula_is_found_out(desk: Desk) -> None:
    published = 2.05 * 2 / (2 - 2.05 * (1 / 1.0197 - 1))
    bet = value_bet(
        fair_odds=round(published, 4), ev_pct=round((2.15 / (published * 1.01) - 1) * 100, 2)
    )
    desk.board.load_value_bets([bet])
    assert desk.board.audit is not None
    assert desk.board.audit.is_published
    entry = desk.board.value_bets[KEY]
    assert entry.true_ev is not None
    assert entry.true_ev < bet.ev_pct


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
        desk.board.load_value_bets([bet])
        assert [entry.outcomes for entry in desk.board.value_bets.values()] == [outcomes]


def test_prices_that_are_held_judge_a_bet_by_the_users_method(desk: Desk) -> None:
    odds = {
        REFERENCE: {"Over 2.5": 2.05, "Under 2.5": 1.88},
        "Betfair": {"Over 2.5": 2.15},
    }
    desk.board.load_matrix(matrix(odds, market_type="total"))
    desk.board.load_value_bets([value_bet()])
    first = desk.board.value_bets[KEY]
    assert first.scraped_at == NOW
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
    desk.board.load_value_bets([value_bet(**wrong), value_bet(bookmaker="Unibet")])
    assert [key.bookmaker for key in desk.board.value_bets] == ["Unibet"]
    assert "value bets: 1 passed over" in caplog.text


def test_a_kick_off_that_is_no_time_is_unknown(desk: Desk) -> None:
    desk.board.load_value_bets(
        [value_bet(match_date="soon"), value_bet(bookmaker="Unibet", match_date=format_ms(NOW))]
    )
    assert [entry.kick_off for entry in desk.board.value_bets.values()] == [None, NOW]
