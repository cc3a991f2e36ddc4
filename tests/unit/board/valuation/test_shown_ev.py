"""EV as people are shown it, worked out a second time without any code of ours.

The market's odds, the bookmaker's odds and its terms are drawn; EV is net odds over fair odds,
minus 1, in exact fractions. What is listed follows from the contract's rule, told as a minimum EV.
"""

import re
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from oddsdesk.base.tasks import exhaust, returned
from oddsdesk.board.alerts.watching import value_title
from oddsdesk.board.valuation.bets import listing_bets
from oddsdesk.board.valuation.explaining import explain
from oddsdesk.board.valuation.verdict_words import explanation_text
from oddsdesk.cli.bets import bets_table, fields
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.pricing.closing import ClosingLine
from oddsdesk.pricing.exposure import StakePlan
from oddsdesk.pricing.profiles import Profile, Profiles
from oddsdesk.pricing.value import Rule
from tests.kit.board import REFERENCE, Desk, matrix, row_key

SELECTIONS = {
    "total": ("Over 2.5", "Under 2.5"),
    "moneyline": ("Arsenal", "Draw", "Chelsea"),
    "player_prop": ("Saka shots Over 1.5", "Saka shots Under 1.5"),
}
HALF_OF_A_HUNDREDTH = Fraction(51, 10_000)
"""How far two decimals may lie from the figure, and a hair."""

Market = tuple[str, list[Fraction], Fraction, Fraction, Fraction]
"""Market type, the sharp book's odds, the bookmaker's odds on the first selection, its commission
and tax."""


@st.composite
def drawn_markets(draw: st.DrawFn) -> Market:
    market_type = draw(st.sampled_from(sorted(SELECTIONS)))
    shares = [draw(st.integers(15, 100)) for _ in SELECTIONS[market_type]]
    margin = draw(st.integers(1_005, 1_049))
    odds = [
        Fraction(max(1_030, sum(shares) * 1_000_000 // (share * margin)), 1_000) for share in shares
    ]
    factor = Fraction(draw(st.integers(97, 118)), 100)
    taken = Fraction(max(1_010, int(odds[0] * factor * 1_000)), 1_000)
    commission = Fraction(draw(st.sampled_from([0, 0, 2, 5])), 100)
    return market_type, odds, taken, commission, Fraction(draw(st.sampled_from([0, 0, 5])), 100)


def fair_of(odds: list[Fraction]) -> Fraction:
    """Each side gives up an equal share of the margin."""
    margin = sum(1 / each for each in odds) - 1
    return 1 / (1 / odds[0] - margin / len(odds))


def net_of(odds: Fraction, commission: Fraction, tax: Fraction) -> Fraction:
    return (1 + (odds - 1) * (1 - commission)) * (1 - tax)


def desk_with(market: Market) -> Desk:
    market_type, odds, taken, commission, tax = market
    profile = Profile(name="Betfair", group="Betfair", commission=float(commission), tax=float(tax))
    names, desk = SELECTIONS[market_type], Desk()
    desk.board.set_profiles(Profiles([profile]))
    sharp = dict(zip(names, map(float, odds), strict=True))
    own = {name: 1.01 + place / 100 for place, name in enumerate(names)} | {names[0]: float(taken)}
    prices = {REFERENCE: sharp, "Betfair": own}
    exhaust(desk.board.merge_matrix(matrix(prices, market_type=market_type)))
    return desk


@given(drawn_markets())
def test_ev_is_net_odds_over_fair_odds_everywhere(market: Market) -> None:
    market_type, odds, taken, commission, tax = market
    fair, net = fair_of(odds), net_of(taken, commission, tax)
    if fair <= 1:
        return
    ev, desk = (net / fair - 1) * 100, desk_with(market)
    key = row_key(SELECTIONS[market_type][0], "Betfair", market_type)
    said = explain(desk.board, key, desk.now)
    assert said is not None
    assert said.ev is not None
    shown = re.search(r"^EV ([+−][\d.]+) % \(", explanation_text(said), re.MULTILINE)
    assert shown is not None
    assert abs(Fraction(shown[1].replace("−", "-")) - ev) <= HALF_OF_A_HUNDREDTH

    plan = StakePlan(bankroll=1_000.0, step=0.01)
    bets = returned(
        listing_bets(desk.board.value_bets.values(), desk.board.basis, plan, now_ms=desk.now)
    )
    floor = Fraction(101, 100) * (Fraction(103, 100) if market_type == "player_prop" else 1)
    if abs(net / (fair * floor) - Fraction(101, 100)) > Fraction(1, 10**9):
        has_least = net / (fair * floor) >= Fraction(101, 100)
        (check,) = (each for each in said.assessment.checks if each.rule is Rule.MIN_EDGE)
        assert check.holds == has_least
        assert check.figure is not None
        assert check.least is not None
        assert (check.figure >= check.least) == has_least, "the rule holds as it is told"
    for bet in bets:
        row = bets_table([bet]).splitlines()[1]
        told = re.search(r"([+-][\d.]+) %", row)
        assert told is not None
        assert abs(Fraction(told[1]) - ev) <= HALF_OF_A_HUNDREDTH
        kept = (net / (fair * floor) - 1) * 100
        assert abs(Fraction(str(fields(bet)["ev_pct"])) - kept) <= HALF_OF_A_HUNDREDTH
        alerted = float(str(value_title(bet.price, "")[0]).partition(" ")[0])
        assert abs(alerted - float(ev)) <= 0.1001
        full_kelly = (net / fair - 1) / (net - 1)
        assert bet.stake <= min(float(full_kelly) * 250, 20) + 1e-6, "stakes know no floor"


@given(drawn_markets(), st.sampled_from(["", "staked", "decided"]))
def test_a_recorded_bet_shows_the_ev_that_compares_with_its_closing_line(
    market: Market, per: str
) -> None:
    """A bet whose fair odds stay until the close has a CLV that equals its EV."""
    market_type, odds, taken, commission, tax = market
    fair, net = fair_of(odds), net_of(taken, commission, tax)
    if fair <= 1 or net <= 1:
        return
    floor = Fraction(101, 100) * (Fraction(103, 100) if market_type == "player_prop" else 1)
    bet = PlacedBet(
        *("game", "Arsenal - Chelsea", "EPL", "Football", market_type, 0),
        *(SELECTIONS[market_type][0], "Betfair", float(taken), 10.0, 0),
        fair_odds=float(fair),
        true_ev=float((net / (fair * floor) - 1) * 100),
        per=per,
        net_odds=float(net),
        close=ClosingLine(odds=float(odds[0]), fair_odds=float(fair), method="x", at=1),
    )
    assert bet.ev is not None
    assert bet.clv_pct is not None
    assert abs(bet.ev - float((net / fair - 1) * 100)) < 1e-6
    assert abs(bet.ev - bet.clv_pct) < 1e-6


@given(st.floats(0.3, 0.99), st.floats(1.6, 4.0), st.floats(0.9, 1.2))
def test_the_ev_of_a_line_that_can_push_is_of_a_unit_staked(
    decided: float, fair: float, factor: float
) -> None:
    net = fair * factor
    kept = (net / (fair * 1.01) - 1) * 100 * decided
    bet = PlacedBet(
        *("game", "Arsenal - Chelsea", "EPL", "Football", "total", 0, "Over 3", "Betfair"),
        *(net, 10.0, 0),
        fair_odds=fair,
        true_ev=kept,
        per="staked",
        net_odds=net,
    )
    assert bet.ev is not None
    if abs(kept) > 1e-3:
        assert abs(bet.ev - (factor - 1) * 100 * decided) < 1e-4
