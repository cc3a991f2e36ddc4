"""Each kind of bet in the ledger's figures, compared with trying every result."""

import itertools
import math
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddsdesk.ledger.bet_kinds import BetKind, BetLeg, result_of_legs
from oddsdesk.ledger.bets import PlacedBet, settled
from oddsdesk.ledger.legs import closed_by_legs
from oddsdesk.ledger.open_bets import covered_bets, open_by_outcome, placed_in
from oddsdesk.ledger.reporting import Grouping, in_order, split_report, whole_report
from oddsdesk.pricing.closing import ClosingLine
from oddsdesk.pricing.reports import BAND_Z, course
from oddsdesk.pricing.selections import Result
from oddsdesk.pricing.stakes import net_lay_odds
from tests.unit.ledger.test_ledger import BET

REPLACE = msgspec.structs.replace
NOW = 1_000
WON, LOST, VOID = Result.WON, Result.LOST, Result.VOID
PLAIN = REPLACE(
    BET,
    game_id="g",
    match_name="A - B",
    sport="Football",
    competition="",
    market_type="moneyline",
    period=0,
    selection="A",
    kick_off=5_000,
    placed_at=NOW,
    odds=5.0,
    net_odds=None,
    stake=10.0,
    practice=False,
    fair_odds=None,
    true_ev=None,
    per="",
    close=None,
    leg=False,
    ident=None,
)


def bet(kind: BetKind = BetKind.BACK, **fields: Any) -> PlacedBet:
    """Return a bet of 10 on team A at 5.0."""
    return REPLACE(PLAIN, kind=kind, **fields)


def leg(selection: str, odds: float, **fields: Any) -> BetLeg:
    return BetLeg(selection=selection, odds=odds, **fields)


LAY = bet(BetKind.LAY, net_odds=net_lay_odds(5.0, 0.02))
FREE = bet(BetKind.FREE)
RETURNED = bet(BetKind.FREE_RETURNED)
BOOST = bet(BetKind.BOOST, odds=6.0, unboosted_odds=5.0)
REFUND = bet(BetKind.REFUND, refund=4.0, refund_as="money")
REFUND_AS_FREE = bet(BetKind.REFUND, refund=4.0, refund_as="free")
SINGLES = (bet(), LAY, FREE, RETURNED, BOOST, REFUND, REFUND_AS_FREE)
MULTIPLE = bet(
    BetKind.MULTIPLE,
    game_id="",
    match_name="",
    market_type="",
    selection="A and C",
    odds=6.0,
    legs=(
        leg("A", 2.0, game_id="g", match_name="A - B", market_type="moneyline", sport="Football"),
        leg("C", 3.0, game_id="h", match_name="C - D", market_type="moneyline", sport="Football"),
    ),
)
EACH_WAY = bet(
    BetKind.EACH_WAY, place_fraction=0.2, places=3, market_type="", match_name="", game_id=""
)


def profit(placed: PlacedBet, result: Result) -> float:
    found = settled(placed, result, NOW).profit
    assert found is not None
    return found


@pytest.mark.parametrize("placed", SINGLES, ids=lambda each: each.kind.value)
@pytest.mark.parametrize("fair", [2.0, 4.9, 8.0])
def test_expected_profit_is_the_mean_over_the_results(placed: PlacedBet, fair: float) -> None:
    valued = REPLACE(placed, fair_odds=fair, true_ev=0.0)
    mean = profit(placed, WON) / fair + profit(placed, LOST) * (1 - 1 / fair)
    assert valued.expected == pytest.approx(mean)
    assert valued.ev == pytest.approx(mean / placed.size * 100)


def test_expected_profit_of_a_multiple_is_the_mean_over_its_legs_results() -> None:
    fairs = (1.9, 3.3)
    legs = tuple(
        REPLACE(each, fair_odds=fair) for each, fair in zip(MULTIPLE.legs, fairs, strict=True)
    )
    mean = 0.0
    for results in itertools.product((WON, LOST), repeat=2):
        ended = tuple(
            REPLACE(each, result=result) for each, result in zip(legs, results, strict=True)
        )
        chance = math.prod(
            1 / fair if result is WON else 1 - 1 / fair
            for fair, result in zip(fairs, results, strict=True)
        )
        whole = result_of_legs(ended)
        assert whole is not None
        mean += chance * profit(REPLACE(MULTIPLE, legs=ended), whole)
    valued = REPLACE(MULTIPLE, legs=legs)
    assert valued.fair == pytest.approx(1.9 * 3.3)
    assert valued.expected == pytest.approx(mean)
    assert valued.floored_expected == pytest.approx(mean)


def test_legs_of_one_game_have_no_fair_odds_and_no_close() -> None:
    of_one = tuple(
        REPLACE(
            each,
            game_id="g",
            match_name="A - B",
            fair_odds=2.0,
            close=ClosingLine(odds=2.0, fair_odds=2.0),
        )
        for each in MULTIPLE.legs
    )
    found = closed_by_legs(REPLACE(MULTIPLE, legs=of_one))
    assert (found.ev, found.clv_pct) == (None, None)


def test_a_place_has_no_fair_odds_so_an_each_way_bet_has_no_ev() -> None:
    valued = REPLACE(EACH_WAY, fair_odds=4.0, true_ev=25.0)
    assert (valued.ev, valued.expected, valued.floored_expected) == (None, None, None)
    assert REPLACE(EACH_WAY, true_ev=3.0).expected == pytest.approx(0.3)  # as stated elsewhere


def test_an_ev_per_staked_unit_keeps_its_pushes_for_every_kind() -> None:
    """A line that comes back in a fifth of the games: four fifths are decided."""
    line = {"market_type": "spread", "selection": "A -1", "fair_odds": 4.0, "per": "staked"}
    fifth = REPLACE(PLAIN, **line, true_ev=0.8 * (5.0 / (4.0 * 1.0025) - 1) * 100)
    share = fifth._share_then
    assert 0 < share < 1
    for placed in (fifth, REPLACE(fifth, kind=BetKind.FREE)):
        mean = share * (profit(placed, WON) / 4 + profit(placed, LOST) * 3 / 4)
        assert placed.expected == pytest.approx(mean)


def test_clv_measures_the_price_whatever_the_promotion() -> None:
    close = ClosingLine(odds=4.0, fair_odds=4.2, decided=1.0)
    for kind in (FREE, RETURNED, REFUND, EACH_WAY):
        assert REPLACE(kind, close=close).clv_pct == pytest.approx((5 / 4.2 - 1) * 100)
    assert REPLACE(BOOST, close=close).clv_pct == pytest.approx((6 / 4.2 - 1) * 100)
    other = ClosingLine(odds=1.25, fair_odds=1.24, decided=1.0)
    net = 1 + 0.98 / 4
    assert REPLACE(LAY, close=other).clv_pct == pytest.approx((net / 1.24 - 1) * 100)


def test_a_multiple_closes_by_the_product_of_its_legs() -> None:
    closes = [ClosingLine(odds=1.9, fair_odds=1.95), ClosingLine(odds=3.0, fair_odds=3.2)]
    legs = tuple(
        REPLACE(each, close=close) for each, close in zip(MULTIPLE.legs, closes, strict=True)
    )
    found = closed_by_legs(REPLACE(MULTIPLE, legs=legs))
    assert found.clv_pct == pytest.approx((6 / (1.95 * 3.2) - 1) * 100)
    assert found.clv_per == "staked"
    # A void leg drops out of the price, too.
    void = (legs[0], REPLACE(MULTIPLE.legs[1], result=VOID))
    assert closed_by_legs(REPLACE(MULTIPLE, legs=void)).clv_pct == pytest.approx(
        (2 / 1.95 - 1) * 100
    )


def by_chance(ended: Iterable[PlacedBet]) -> Iterator[tuple[Fraction, float]]:
    """Yield every combined result of independent bets without an edge, with its profit."""
    ways = []
    for each in ended:
        chance = 1 / Fraction(each.net)
        if each.unboosted_odds:
            chance = 1 / Fraction(each.unboosted_odds)
        ways.append([(chance, profit(each, WON)), (1 - chance, profit(each, LOST))])
    for way in itertools.product(*ways):
        yield math.prod((chance for chance, _ in way), start=Fraction(1)), sum(p for _, p in way)


@given(st.lists(st.sampled_from(SINGLES), min_size=1, max_size=6), st.integers(0, 63))
@settings(max_examples=60, deadline=None)
def test_luck_of_every_kind_is_the_share_of_results_by_chance(
    placed: list[PlacedBet], won: int
) -> None:
    games = [REPLACE(each, game_id=f"game {at}") for at, each in enumerate(placed)]
    ended = [settled(each, WON if won >> at & 1 else LOST, NOW) for at, each in enumerate(games)]
    found = whole_report(ended)
    ways = list(by_chance(games))
    assert found.chance == pytest.approx(float(sum(c for c, p in ways if p > found.profit - 1e-9)))
    assert found.bad_chance == (
        pytest.approx(float(sum(c for c, p in ways if p < found.profit + 1e-9)))
    )
    mean = sum(c * Fraction(p) for c, p in ways)
    variance = float(sum(c * (Fraction(p) - mean) ** 2 for c, p in ways))
    band = course([each for _, each in in_order(ended)])[-1].band
    assert band == pytest.approx(BAND_Z * math.sqrt(variance))


def test_promotions_are_no_luck() -> None:
    """Thirty free bets of 10 at 5.0 are worth 8 each to a bettor without an edge."""
    free = [
        settled(REPLACE(FREE, game_id=str(at)), WON if at < 6 else LOST, NOW) for at in range(30)
    ]
    found = whole_report(free)
    assert (found.profit, found.staked, found.free_staked) == (240, 0, 300)
    assert found.yield_pct is None
    assert found.z == pytest.approx(0.0)


def test_a_bet_and_a_lay_on_one_selection_are_one_outcome() -> None:
    back, lay = bet(stake=50.0, odds=3.0), bet(BetKind.LAY, stake=53.57, odds=2.8)
    for back_wins in (WON, LOST):
        ended = [settled(back, back_wins, NOW), settled(lay, back_wins.reversed, NOW)]
        found = whole_report(ended)
        assert found.outcomes == 1
        assert found.profit == pytest.approx(3.57, abs=0.01)
        assert found.drawdown.depth == 0
    certain = [settled(bet(), WON, NOW), settled(bet(BetKind.LAY), LOST, NOW)]
    assert (whole_report(certain).chance, whole_report(certain).profit) == (None, 0)


@pytest.mark.parametrize("selection", ["A", "Draw", "B"])
def test_a_lay_is_the_bet_on_all_other_selections(selection: str) -> None:
    """Its luck is that of a back of the other side at the same odds after commission."""
    lay = bet(BetKind.LAY, selection=selection, odds=3.0)
    other = bet(
        market_type="double_chance",
        selection={"A": "X2", "Draw": "12", "B": "1X"}[selection],
        odds=1.5,
        stake=20.0,
    )
    for result in (WON, LOST):
        one, two = (
            whole_report([settled(lay, result, NOW)]),
            whole_report([settled(other, result, NOW)]),
        )
        assert (one.profit, one.staked) == (two.profit, two.staked)
        assert (one.chance, one.bad_chance) == pytest.approx((two.chance, two.bad_chance))
    opened = placed_in([lay], NOW).by_outcome
    assert opened.keys() & placed_in([other], NOW).by_outcome.keys()
    assert set(opened.values()) == {20.0}


def test_both_halves_of_an_each_way_bet_are_one_draw() -> None:
    """Without an edge it wins once in 5, is placed once in 1.8, and both halves go together."""
    win, place = 1 / 5.0, 1 / 1.8
    for result, chance in ((WON, win), (Result.PLACED, place), (LOST, 1.0)):
        found = whole_report([settled(EACH_WAY, result, NOW)])
        assert found.chance == pytest.approx(chance)
        assert found.bad_chance == pytest.approx(
            {WON: 1.0, Result.PLACED: 1 - win, LOST: 1 - place}[result]
        )
        assert found.is_exact


def test_a_void_leg_is_no_chance_of_a_multiple() -> None:
    def chance(*results: Result) -> float | None:
        legs = tuple(
            REPLACE(each, result=result)
            for each, result in zip(MULTIPLE.legs, results, strict=True)
        )
        whole = result_of_legs(legs)
        return whole_report([settled(REPLACE(MULTIPLE, legs=legs), whole, NOW)]).chance

    assert chance(WON, WON) == pytest.approx(1 / 6)
    assert chance(WON, VOID) == pytest.approx(1 / 2)
    assert chance(LOST, VOID) == pytest.approx(1)
    assert chance(VOID, VOID) is None


def test_reports_split_by_kind() -> None:
    ended = [settled(each, WON, NOW) for each in (bet(), LAY, FREE, RETURNED)]
    found = split_report(ended, Grouping.KIND)
    assert {of: (each.staked, each.free_staked) for of, each in found.items()} == {
        "lay": (40, 0),
        "back": (10, 0),
        "free bet": (0, 10),
        "free bet, stake returned": (0, 10),
    }


# Open bets

GOALS = list(itertools.product(range(8), repeat=2))


def at_score(placed: PlacedBet, home: int, away: int) -> float:
    """Return the profit of a bet on A - B at a score, worked out apart."""
    margin, goals = home - away, home + away
    winner = "A" if margin > 0 else "B" if margin < 0 else "Draw"
    match placed.market_type:
        case "moneyline":
            ahead = 1.0 if placed.selection == winner else -1.0
        case "double_chance":
            ahead = 1.0 if {"A": "1", "Draw": "X", "B": "2"}[winner] in placed.selection else -1.0
        case "draw_no_bet":
            ahead = margin if placed.selection == "A" else -margin
        case "spread":
            team, line = placed.selection.split()
            ahead = (margin if team == "A" else -margin) + float(line)
        case _:
            side, line = placed.selection.split()
            ahead = (goals - float(line)) * (1 if side == "Over" else -1)
    ahead = -ahead if placed.kind is BetKind.LAY else ahead
    parts = (WON, LOST) if abs(ahead) >= 0.5 else (Result.HALF_WON, Result.HALF_LOST)
    return profit(placed, VOID if ahead == 0 else parts[ahead < 0])


SELECTIONS = [
    *(("moneyline", side) for side in ("A", "Draw", "B")),
    *(("double_chance", side) for side in ("1X", "X2", "12")),
    *(("draw_no_bet", side) for side in ("A", "B")),
    *(("spread", f"{team} {line}") for team in "AB" for line in ("-1.5", "-0.75", "-0.5", "+1")),
    *(("total", f"{side} {line}") for side in ("Over", "Under") for line in ("2", "2.25", "2.5")),
]
KINDS = [bet(), bet(BetKind.LAY), FREE, RETURNED, REFUND, BOOST]
ON_ONE_GAME = st.lists(
    st.tuples(
        st.sampled_from(SELECTIONS),
        st.sampled_from(KINDS),
        st.sampled_from([1.4, 2.0, 3.5]),
        st.integers(5, 40),
    ),
    min_size=1,
    max_size=5,
)


@given(ON_ONE_GAME)
@settings(max_examples=150, deadline=None)
def test_the_worst_result_of_a_game_counts_every_kind(bets: list[tuple[Any, ...]]) -> None:
    placed = [
        REPLACE(
            kind,
            market_type=what[0],
            selection=what[1],
            odds=odds,
            stake=float(stake),
            unboosted_odds=None,
            refund=4.0 if kind.refund else 0.0,
        )
        for what, kind, odds, stake in bets
    ]
    worst = -min(sum(at_score(each, *score) for each in placed) for score in GOALS)
    found = placed_in(placed, NOW)
    # Half a refund counts for half a loss, so quarter lines may look a little worse.
    more = sum(each.refund / 2 for each in placed if "5" in each.selection)
    assert max(0.0, worst) - 1e-9 <= found.total <= max(0.0, worst) + more + 1e-9


def test_a_hedged_free_bet_risks_nothing() -> None:
    """100 not returned at 5.0, laid at 5.5 with 2 %: 72.99, liability 328.47."""
    free = bet(BetKind.FREE, stake=100.0)
    lay = bet(BetKind.LAY, stake=72.99, odds=5.5, net_odds=net_lay_odds(5.5, 0.02), bookmaker="ex")
    found = placed_in([free, lay], NOW)
    assert (found.total, found.by_game["g"]) == (0, 0)
    assert placed_in([lay], NOW).total == pytest.approx(328.455)
    away = ("g", "double_chance", 0, "", "X2")
    assert found.by_outcome[away] == pytest.approx(328.455)
    assert found.risks[away] == 0
    covered = covered_bets(open_by_outcome([free, lay], simulated=False), {"g"})
    assert [each.left for each in covered.values()] == pytest.approx([0, 0], abs=1e-3)


def test_a_bet_and_a_lay_in_play_cover_each_other() -> None:
    back = bet(placed_at=6_000, stake=50.0, odds=3.0)
    lay = bet(BetKind.LAY, placed_at=6_000, stake=53.57, odds=2.8)
    assert placed_in([back, lay], 6_000).total == 0


def test_an_unhedged_refund_risks_what_does_not_come_back() -> None:
    assert placed_in([REFUND], NOW).total == 6
    assert placed_in([REFUND_AS_FREE], NOW).total == 10


def test_a_multiple_risks_its_stake_once_and_counts_on_each_of_its_games() -> None:
    single = bet(stake=20.0)
    found = placed_in([MULTIPLE, single], NOW)
    assert found.total == 30
    assert found.by_game == {"g": 30, "h": 10}
    assert found.by_outcome["g", "moneyline", 0, "", "home"] == 30
    assert found.by_outcome["h", "moneyline", 0, "", "home"] == 10
    assert not open_by_outcome([MULTIPLE], simulated=False)


def test_the_last_leg_of_a_multiple_can_be_laid() -> None:
    """A pays already; 10 at 6.0 is then a bet on C, worth 60."""
    last = REPLACE(MULTIPLE, legs=(REPLACE(MULTIPLE.legs[0], result=WON), MULTIPLE.legs[1]))
    on_it = {"game_id": "h", "match_name": "C - D", "selection": "C"}
    lay = bet(BetKind.LAY, stake=20.0, odds=3.0, **on_it)
    found = placed_in([last, lay], NOW)
    assert found.total == 0  # 50 - 40 if C wins, else 20 - 10
    assert placed_in([last, REPLACE(lay, stake=30.0)], NOW).total == pytest.approx(10)
