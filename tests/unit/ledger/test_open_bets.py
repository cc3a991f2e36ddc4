"""What open bets of a game lose at worst, compared with trying every score or number."""

import itertools
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oddsdesk.ledger.open_bets import OpenBet, at_risk, cover_of

FOOTBALL = "Football"


def bet(market: str, key: str, side: str, stake: float, odds: float, **more: Any) -> OpenBet:
    sport = more.pop("sport", FOOTBALL)
    return OpenBet(("g", market, more.pop("period", 0), key, side), stake, odds, sport, **more)


def test_two_legs_risk_what_they_lock_in_and_not_their_stakes() -> None:
    """155 at 1.935 and 150 at 2.00 lock in a loss of 5, not 305."""
    legs = [bet("total", "2.5", "over", 155, 1.935), bet("total", "2.5", "under", 150, 2.0)]
    found = at_risk(legs)
    assert found.total == pytest.approx(305 - 155 * 1.935)
    assert found.by_outcome[legs[0].outcome] == pytest.approx(305 - 150 * 2.0)
    assert found.by_outcome[legs[1].outcome] == pytest.approx(305 - 155 * 1.935)


def test_legs_that_win_whatever_happens_risk_nothing() -> None:
    legs = [bet("total", "2.5", "over", 50, 2.1), bet("total", "2.5", "under", 51, 2.1)]
    assert at_risk(legs).total == 0
    assert set(at_risk(legs).by_outcome.values()) == {0.0}


def test_a_middle_risks_what_one_side_leaves() -> None:
    legs = [bet("total", "2.5", "over", 50, 2.0), bet("total", "3.5", "under", 50, 1.9)]
    assert at_risk(legs).total == pytest.approx(5)


def test_lines_that_can_all_lose_add_up() -> None:
    bets = [
        bet("moneyline", "", "home", 10, 2.0),
        bet("total", "2.5", "over", 10, 1.9),
        bet("btts", "", "yes", 10, 1.8),
    ]
    assert at_risk(bets).total == 30
    assert set(at_risk(bets).by_outcome.values()) == {10}


def test_two_of_three_results_can_both_lose() -> None:
    bets = [bet("moneyline", "", "home", 10, 2.5), bet("moneyline", "", "away", 10, 3.0)]
    assert at_risk(bets).total == 20


def test_both_teams_of_a_sport_without_draws_cannot_both_lose() -> None:
    bets = [
        bet("moneyline", "", "home", 10, 1.95, sport="Tennis"),
        bet("moneyline", "", "away", 10, 1.95, sport="Tennis"),
    ]
    assert at_risk(bets).total == pytest.approx(0.5)
    drawn = [each._replace(net_odds=2.6) for each in bets]  # a draw is priced: 1/2.6 twice
    assert at_risk(drawn).total == 20


def test_halves_and_subjects_are_counted_apart() -> None:
    bets = [
        bet("total", "1.5", "over", 10, 2.0, period=1),
        bet("total", "1.5", "under", 10, 2.0, period=2),
        bet("player_prop", "Messi shots 2.5", "over", 5, 2.0),
        bet("player_prop", "Messi shots 2.5", "under", 5, 1.9),
        bet("player_prop", "Kane shots 2.5", "under", 5, 1.9),
        bet("yes_no", "Red card", "yes", 4, 2.0),
        bet("yes_no", "Red card", "no", 4, 1.9),
    ]
    assert at_risk(bets).total == pytest.approx(10 + 10 + 0.5 + 5 + 0.4)


def test_a_handicap_that_was_taken_in_play_is_no_other_ones_hedge() -> None:
    before, after = (
        bet("spread", "-1.5", "home", 10, 2.0),
        bet("spread", "-1.5", "away", 10, 2.0, in_play=True),
    )
    assert at_risk([before, after]).total == 20
    assert at_risk([after, after._replace(outcome=before.outcome)]).total == 0


GOALS = [(home, away) for home in range(9) for away in range(9)]


def ends(outcome: tuple[str, str, int, str, str], home: int, away: int) -> float:
    """What a unit wins, worked out apart: whole and half lines of goals."""
    _, market, _, key, side = outcome
    if market == "moneyline":
        return 1.0 if side == ("home" if home > away else "away" if away > home else "draw") else -1
    number = home + away if market == "total" else home - away + 2 * float(key)
    beyond = number - float(key)
    if side in ("under", "away"):
        beyond = -beyond
    return (beyond > 0) - (beyond < 0)


BETS = st.lists(
    st.tuples(
        st.sampled_from(
            [
                *(("moneyline", "", side) for side in ("home", "draw", "away")),
                *(
                    ("total", line, side)
                    for line in ("1.5", "2", "2.5", "3.5")
                    for side in ("over", "under")
                ),
                *(
                    ("spread", line, side)
                    for line in ("-1", "-0.5", "+0.5")
                    for side in ("home", "away")
                ),
            ]
        ),
        st.integers(1, 50),
        st.sampled_from([1.3, 1.9, 2.1, 3.5]),
    ),
    min_size=1,
    max_size=6,
)


@given(BETS)
@settings(max_examples=150, deadline=None)
def test_the_worst_score_is_found(drawn: list[tuple[tuple[str, str, str], int, float]]) -> None:
    bets = [bet(*what, stake, odds) for what, stake, odds in drawn]
    results = []
    for home, away in GOALS:
        result = 0.0
        for each in bets:
            share = ends(each.outcome, home, away)
            result += each.stake * (share * (each.net_odds - 1) if share > 0 else share)
        results.append(result)
    found = at_risk(bets)
    assert found.total == pytest.approx(max(0.0, -min(results)))
    for each in bets:
        staked = sum(other.stake for other in bets if other.outcome == each.outcome)
        assert 0 <= found.by_outcome[each.outcome] <= staked


@pytest.mark.parametrize("line", ["-7.5", "+3", "-0.25"])
def test_both_sides_of_a_handicap_of_points_cannot_both_lose(line: str) -> None:
    bets = [bet("spread", line, side, 10, 1.9, sport="Basketball") for side in ("home", "away")]
    assert at_risk(bets).total == pytest.approx(1.0)


def test_each_pair_of_totals_of_points_is_looked_at() -> None:
    line = 220.5
    for step, odds in itertools.product((-2, 0, 2), (1.9, 2.05)):
        bets = [
            bet("total", f"{line}", "over", 10, odds, sport="Basketball"),
            bet("total", f"{line + step}", "under", 10, odds, sport="Basketball"),
        ]
        lost = 20 if step < 0 else max(0.0, 20 - 10 * odds)
        assert at_risk(bets).total == pytest.approx(lost)


def lefts(*bets: OpenBet) -> list[float]:
    found = cover_of(bets)
    return [found.left[each.outcome] for each in bets]


def test_a_payout_used_by_two_legs_covers_no_third() -> None:
    """Over 2.5 and under 2.5 complete each other; over 3.5 needs a further bet."""
    over, under = bet("total", "2.5", "over", 48, 2.1), bet("total", "2.5", "under", 51, 1.98)
    alone = bet("total", "3.5", "over", 40, 2.85)
    assert lefts(over, under, alone) == [0, pytest.approx(1 - 48 * 2.1 / (51 * 1.98)), 1]


def test_a_middle_and_three_results_are_complete_and_a_gap_is_not() -> None:
    over, under = bet("total", "2.5", "over", 50, 2.0), bet("total", "3.5", "under", 50, 2.0)
    assert lefts(over, under) == [0, 0]
    gap = bet("total", "3.5", "over", 50, 2.0), bet("total", "2.5", "under", 50, 2.0)
    assert lefts(*gap) == [1, 1]
    three = [bet("moneyline", "", side, 100 / 3, 3.0) for side in ("home", "draw", "away")]
    assert lefts(*three) == [0, 0, 0]
    assert lefts(*three[:2]) == [1, 1]


def test_legs_of_a_share_each_are_counted_once() -> None:
    """100 on one side cover 50 and 40 on the other side, at even odds; 10 are left of it."""
    whole = bet("spread", "-0.5", "home", 100, 2.0)
    parts = bet("spread", "-0.5", "away", 50, 2.0), bet("spread", "-1", "away", 40, 2.0)
    assert lefts(whole, *parts) == [pytest.approx(0.1), 0, 0]
    other = bet("spread", "-1", "away", 90, 2.0)
    assert lefts(whole, parts[0], other) == [0, pytest.approx(0.8), 0]
