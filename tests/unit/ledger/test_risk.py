"""Open bets' distribution, compared with a simulation of scores that shares no code with it."""

import math
import random
from typing import Any

import msgspec
import pytest

from oddsdesk.ledger.bet_kinds import BetKind
from oddsdesk.ledger.bets import PlacedBet, cashed_out, settled
from oddsdesk.ledger.risk import bets_ahead
from oddsdesk.pricing.selections import Result
from oddsdesk.pricing.stakes import net_lay_odds
from tests.unit.ledger.test_kinds_in_figures import (
    EACH_WAY,
    FREE,
    LAY,
    MULTIPLE,
    NOW,
    REFUND,
    at_score,
    bet,
)

REPLACE = msgspec.structs.replace
RUNS = 8_000


def goals(chooser: random.Random, rate: float) -> int:
    """Return a number of goals by Poisson, as Knuth draws it."""
    least, number, product = math.exp(-rate), 0, chooser.random()
    while product > least:
        number, product = number + 1, product * chooser.random()
    return number


def scores(rates: tuple[float, float], seed: int) -> list[tuple[int, int]]:
    chooser = random.Random(seed)
    return [(goals(chooser, rates[0]), goals(chooser, rates[1])) for _ in range(RUNS)]


def with_fair_odds(placed: PlacedBet, drawn: list[tuple[int, int]]) -> PlacedBet:
    """Return a bet whose fair odds are those of the simulated scores."""
    results = [at_score(REPLACE(placed, kind=BetKind.BACK, odds=2.0), *each) for each in drawn]
    won = sum(each for each in results if each > 0)
    lost = -sum(each for each in results if each < 0)
    chance = won / (won + lost)
    chance = 1 - chance if placed.kind is BetKind.LAY else chance
    return REPLACE(placed, fair_odds=1 / chance)


def compare(bets: list[PlacedBet], simulated: list[float], miss: float = 0.02) -> None:
    """Assert that a distribution is that of a simulation, as far as that can be seen."""
    found = bets_ahead(bets).ahead
    mean = sum(simulated) / len(simulated)
    deviation = math.sqrt(sum((each - mean) ** 2 for each in simulated) / len(simulated))
    assert found.expected == pytest.approx(mean, abs=0.05 * deviation)
    assert found.deviation == pytest.approx(deviation, rel=0.05)
    for by in (0.0, 0.5 * deviation, deviation, 1.5 * deviation):
        down = sum(each <= -by and each < 0 for each in simulated) / len(simulated)
        assert found.chance_down(by) == pytest.approx(down, abs=miss)


def test_bets_on_one_score_win_and_lose_together_as_in_simulated_games() -> None:
    drawn = scores((1.7, 0.9), 5)
    bets = [
        with_fair_odds(REPLACE(placed, market_type=market, selection=selection), drawn)
        for placed, market, selection in (
            (bet(stake=20.0, odds=1.9), "moneyline", "A"),
            (bet(stake=15.0, odds=2.1), "total", "Over 2.5"),
            (bet(BetKind.LAY, stake=10.0, odds=3.6), "moneyline", "Draw"),
            (bet(BetKind.FREE, stake=30.0, odds=4.5), "moneyline", "B"),
            (bet(stake=12.0, odds=2.0), "spread", "A -0.75"),
        )
    ]
    found = bets_ahead(bets)
    assert (found.bets, found.draws, found.without_edge) == (5, 1, 0)
    assert found.ahead.is_exact
    simulated = [sum(at_score(each, *score) for each in bets) for score in drawn]
    compare(bets, simulated)
    assert found.ahead.worst <= min(simulated)


def test_games_apart_are_independent_and_multiples_hang_on_theirs() -> None:
    one, two = scores((1.7, 0.9), 6), scores((1.2, 1.3), 7)
    other = {"game_id": "h", "match_name": "C - D"}
    on_one = with_fair_odds(bet(stake=30.0, odds=2.0), one)
    on_two = with_fair_odds(bet(stake=20.0, odds=2.4), two)
    legs = tuple(
        REPLACE(leg, fair_odds=each.fair_odds)
        for leg, each in zip(MULTIPLE.legs, (on_one, on_two), strict=True)
    )
    multiple = REPLACE(MULTIPLE, legs=legs, stake=25.0)
    bets = [on_one, REPLACE(on_two, **other, selection="C"), multiple]
    simulated = []
    for first, second in zip(one, two, strict=True):
        both = first[0] > first[1] and second[0] > second[1]
        profit = 125.0 if both else -25.0
        simulated.append(profit + at_score(on_one, *first) + at_score(on_two, *second))
    found = bets_ahead(bets)
    assert (found.draws, found.without_edge) == (2, 0)
    compare(bets, simulated)
    assert found.ahead.worst == -75
    assert found.ahead.best == pytest.approx(30 + 28 + 125)


def test_a_hedged_free_bet_is_certain() -> None:
    free = bet(BetKind.FREE, stake=100.0)
    lay = bet(BetKind.LAY, stake=72.99, odds=5.5, net_odds=net_lay_odds(5.5, 0.02))
    found = bets_ahead([free, lay]).ahead
    assert (found.worst, found.best) == pytest.approx((71.53, 71.55), abs=0.02)
    assert found.chance_down() == 0


def test_bets_without_fair_odds_count_without_an_edge() -> None:
    found = bets_ahead([bet(), LAY, REPLACE(bet(), selection="who knows")])
    assert (found.without_edge, found.draws) == (3, 2)
    assert found.ahead.expected == pytest.approx(0, abs=0.2)  # back and lay differ by 2 %
    assert bets_ahead([bet()]).ahead.expected == pytest.approx(0)
    assert bets_ahead([FREE]).ahead.expected == pytest.approx(8)
    assert bets_ahead([REFUND]).ahead.expected == pytest.approx(0.8 * 4)
    boost = bet(BetKind.BOOST, odds=6.0, unboosted_odds=5.0)
    assert bets_ahead([boost]).ahead.expected == pytest.approx(2)


def test_a_place_is_counted_by_its_odds() -> None:
    found = bets_ahead([EACH_WAY])
    assert found.places == 1
    assert found.ahead.results == [
        (-10, pytest.approx(1 - 1 / 1.8)),
        (pytest.approx(-1), pytest.approx(1 / 1.8 - 1 / 5)),
        (24, pytest.approx(1 / 5)),
    ]
    assert found.ahead.expected == pytest.approx(0)


@pytest.mark.parametrize("first", [Result.WON, Result.VOID, Result.HALF_WON])
def test_legs_that_ended_are_no_risk_any_more(first: Result) -> None:
    legs = (REPLACE(MULTIPLE.legs[0], result=first), MULTIPLE.legs[1])
    found = bets_ahead([REPLACE(MULTIPLE, legs=legs)]).ahead
    odds = {Result.WON: 2.0, Result.VOID: 1.0, Result.HALF_WON: 1.5}[first]
    assert found.results == [
        (-10, pytest.approx(2 / 3)),
        (pytest.approx(10 * (odds * 3 - 1)), pytest.approx(1 / 3)),
    ]


def test_what_is_settled_or_cashed_out_is_not_ahead() -> None:
    part = cashed_out(bet(), 6.0, 7.0, NOW)
    found = bets_ahead([settled(bet(), Result.WON, NOW), part])
    assert found.bets == 1
    assert (found.ahead.worst, found.ahead.best) == (-4, 16)


def test_a_line_that_can_push_may_come_back() -> None:
    """Per unit staked at an EV of 8 %, where four fifths are decided."""
    fields: dict[str, Any] = {"market_type": "total", "selection": "Over 2", "odds": 2.2}
    placed = bet(**fields, fair_odds=2.0, true_ev=0.8 * (2.2 / 2.02 - 1) * 100, per="staked")
    found = bets_ahead([placed]).ahead
    assert placed.decided_then == pytest.approx(0.8)
    assert [chance for _, chance in found.results] == pytest.approx([0.4, 0.2, 0.4])
    assert found.expected == pytest.approx(placed.expected)


@pytest.mark.parametrize(
    ("selection", "profits"),
    [
        ("Girona -0.75", [-12.5, 6.5625, 13.125]),
        ("Girona +0.75", [-12.5, -6.25, 13.125]),
        ("Girona -0.25", [-12.5, -6.25, 13.125]),
        ("Girona +0.25", [-12.5, 6.5625, 13.125]),
        ("Girona -1", [-12.5, 0.0, 13.125]),
        ("Girona -1.5", [-12.5, 13.125]),
        ("Girona -1.3", [-12.5, 13.125]),
        ("Girona", [-12.5, 13.125]),
        ("Over 2.75", [-12.5, 6.5625, 13.125]),
        ("Under 2.75", [-12.5, -6.25, 13.125]),
    ],
)
@pytest.mark.parametrize("market", ["", "spread"])
def test_a_typed_line_without_its_game_can_push_or_be_halved(
    selection: str, profits: list[float], market: str
) -> None:
    typed = {"match_name": "Girona", "game_id": "", "market_type": market, "sport": ""}
    found = bets_ahead([bet(**typed, selection=selection, odds=2.05, stake=12.5)]).ahead
    assert [profit for profit, _ in found.results] == pytest.approx(profits)
    assert all(chance > 0.05 for _, chance in found.results)
    assert found.expected == pytest.approx(0, abs=1e-6)  # without fair odds: no edge


def test_a_lay_of_a_typed_line_ends_the_other_way() -> None:
    typed: dict[str, Any] = {"match_name": "Girona", "game_id": "", "market_type": ""}
    lay = bet(BetKind.LAY, **typed, selection="Girona -0.75", odds=2.05, stake=12.5)
    back = REPLACE(lay, kind=BetKind.BACK)
    laid, backed = (bets_ahead([REPLACE(each, net_odds=None)]).ahead for each in (lay, back))
    assert [profit for profit, _ in backed.results] == pytest.approx([-12.5, 6.5625, 13.125])
    assert [profit for profit, _ in laid.results] == pytest.approx([-13.125, -6.5625, 12.5])
