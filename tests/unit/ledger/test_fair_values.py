"""What an open bet is worth now, against sums over its results."""

import msgspec
import pytest

from oddsdesk.ledger.bet_kinds import BetKind, BetLeg
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.fair_values import FairNow, FairPrice, fair_value
from oddsdesk.pricing.selections import Result
from tests.unit.ledger.test_ledger import BET

PLAIN = msgspec.structs.replace(BET, odds=5.0, net_odds=None, stake=10.0)


def at(odds: float, decided: float = 1.0) -> FairNow:
    return lambda _: FairPrice(odds, decided)


def of(kind: BetKind, **fields: object) -> PlacedBet:
    return msgspec.structs.replace(PLAIN, kind=kind, **fields)


@pytest.mark.parametrize(
    ("placed", "worth"),
    [
        (of(BetKind.BACK), 0.25 * 50),
        (of(BetKind.BACK, net_odds=4.8), 0.25 * 48),
        (of(BetKind.LAY), 0.75 * (40 + 10)),
        (of(BetKind.LAY, net_odds=1 + 0.98 / 4), 0.75 * (40 + 9.8)),
        (of(BetKind.FREE), 0.25 * 40),
        (of(BetKind.FREE_RETURNED), 0.25 * 50),
        (of(BetKind.BOOST, unboosted_odds=4.0), 0.25 * 50),
        (of(BetKind.REFUND, refund=4.0, refund_as="money"), 0.25 * 50 + 0.75 * 4),
        (of(BetKind.REFUND, refund=4.0, refund_as="free"), 0.25 * 50),
    ],
)
def test_a_bet_is_worth_what_it_pays_back_on_average(placed: PlacedBet, worth: float) -> None:
    """At fair odds of 4 it wins a quarter of the time; a lay three quarters."""
    assert fair_value(placed, placed.open_size, at(4.0)) == pytest.approx(worth)
    half = placed.open_size / 2
    if placed.kind is not BetKind.REFUND:
        assert fair_value(placed, half, at(4.0)) == pytest.approx(worth / 2)


def test_a_push_pays_the_stake_back() -> None:
    """It wins 0.8 × 0.25, loses 0.8 × 0.75, and is returned a fifth of the time."""
    assert fair_value(of(BetKind.BACK), 10, at(4.0, 0.8)) == pytest.approx(0.2 * 50 + 0.2 * 10)


LEGS = (
    BetLeg(selection="A", odds=2.0, game_id="a", result=Result.WON),
    BetLeg(selection="B", odds=3.0, game_id="b"),
    BetLeg(selection="C", odds=1.5, game_id="c"),
)


def multiple(*legs: BetLeg) -> PlacedBet:
    return of(BetKind.MULTIPLE, odds=9.0, legs=legs, game_id="")


def test_a_multiple_is_worth_the_product_of_its_open_legs() -> None:
    prices = {"B": FairPrice(2.5), "C": FairPrice(1.6)}

    def fair_now(bet: PlacedBet) -> FairPrice | None:
        return prices.get(bet.selection)

    assert fair_value(multiple(*LEGS), 10, fair_now) == pytest.approx(90 / 2.5 / 1.6)
    void = msgspec.structs.replace(LEGS[0], result=Result.VOID)
    assert fair_value(multiple(void, *LEGS[1:]), 10, fair_now) == pytest.approx(45 / 2.5 / 1.6)
    del prices["C"]
    assert fair_value(multiple(*LEGS), 10, fair_now) is None


@pytest.mark.parametrize(
    ("placed", "fair_now"),
    [
        (of(BetKind.BACK), lambda _: None),
        (of(BetKind.EACH_WAY, place_fraction=0.2), at(4.0)),
        (multiple(*(msgspec.structs.replace(leg, game_id="a") for leg in LEGS)), at(4.0)),
        (multiple(*LEGS), at(4.0, 0.9)),
    ],
)
def test_a_value_that_is_not_known_is_not_guessed(placed: PlacedBet, fair_now: FairNow) -> None:
    assert fair_value(placed, 10, fair_now) is None
