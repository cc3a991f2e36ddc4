"""Bets of one football game are staked together, by the scores that the reference's prices mean.

The second computation here has Poisson goals and a search of its own.
"""

import itertools
import math
from collections.abc import Callable
from typing import Any

import pytest

from oddsdesk.board.bets import Bet, BetLister, stake_at
from oddsdesk.board.board import Board
from oddsdesk.board.game_results import GameResults, fair_lines
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.resources import OddsRow
from oddsdesk.contract.times import format_ms
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.open_bets import placed_in
from oddsdesk.pricing.exposure import Bound, Offer, Placed, StakePlan
from oddsdesk.pricing.profiles import Profiles
from oddsdesk.pricing.score_grid import Line
from oddsdesk.pricing.settlement import settlement
from oddsdesk.slices import exhaust, returned
from tests.kit.board import NOW

HOME, AWAY = 1.6, 1.1
SCORES = list(itertools.product(range(15), repeat=2))
Wins = Callable[[int, int], float]


def poisson(rate: float, goals: int) -> float:
    return math.exp(-rate) * rate**goals / math.factorial(goals)


def chance(home: int, away: int) -> float:
    return poisson(HOME, home) * poisson(AWAY, away)


def over(line: float) -> Wins:
    return lambda home, away: (home + away > line) - (home + away < line)


def win(home: int, away: int) -> float:
    return 1.0 if home > away else -1.0


def fair(wins: Wins) -> float:
    """Fair odds of a decided unit."""
    won = math.fsum(chance(*score) for score in SCORES if wins(*score) > 0)
    lost = math.fsum(chance(*score) for score in SCORES if wins(*score) < 0)
    return (won + lost) / won


def quote(bookmaker: str, market_type: str, odds: dict[str, float], **more: Any) -> OddsRow:
    fields: dict[str, Any] = {
        "match_name": "A vs B",
        "competition": "EPL",
        "sport": "Football",
        "period": 0,
        "match_date": format_ms(NOW + 3_600_000),
        "is_live": False,
        "url": None,
        "liquidity": None,
    }
    return OddsRow(
        bookmaker=bookmaker,
        market_type=market_type,
        odds=odds,
        scraped_at=format_ms(NOW),
        **(fields | more),
    )


def priced(*wins: Wins) -> list[float]:
    """The reference's odds with a margin of 4 %, added in equal parts as it is taken out."""
    return [1 / (1 / fair(each) + 0.04 / len(wins)) for each in wins]


LINES = (1.5, 2.5, 3.5, 4.5)
WIN, DRAW, LOSS = priced(
    win, lambda h, a: 1.0 if h == a else -1.0, lambda h, a: 1.0 if h < a else -1.0
)
TOTALS = {
    f"{side} {line}": odds
    for line in LINES
    for side, odds in zip(
        ("Over", "Under"),
        priced(over(line), lambda h, a, line=line: -over(line)(h, a)),
        strict=True,
    )
}
REFERENCE = (
    quote("Pinnacle", "moneyline", {"A": WIN, "Draw": DRAW, "B": LOSS}),
    quote("Pinnacle", "total", TOTALS),
)
VALUE = (
    quote("First", "total", {"Over 2.5": round(fair(over(2.5)) * 1.05, 3), "Under 2.5": 1.4}),
    quote("Second", "total", {"Over 3.5": round(fair(over(3.5)) * 1.06, 3), "Under 3.5": 1.1}),
    quote("Third", "moneyline", {"A": round(fair(win) * 1.04, 3), "Draw": 3.0, "B": 2.5}),
)
BETS: dict[str, tuple[Wins, float]] = {
    "Over 2.5": (over(2.5), VALUE[0].odds["Over 2.5"]),
    "Over 3.5": (over(3.5), VALUE[1].odds["Over 3.5"]),
    "A": (win, VALUE[2].odds["A"]),
}
PLAN = StakePlan(outcome_cap=1, game_cap=1, total_cap=1, step=0.01)


def holding(*quotes: OddsRow) -> Board:
    board = Board(lambda: NOW)
    board.set_profiles(Profiles([]))
    board.name_reference("Pinnacle")
    exhaust(board.merge_rows(quotes))
    return board


def listed(
    board: Board, placed: Placed | None = None, lister: BetLister | None = None
) -> list[Bet]:
    steps = (lister or BetLister()).listing(
        board.value_bets.values(),
        board.basis,
        PLAN,
        placed,
        now_ms=NOW,
        lines_of=lambda game: fair_lines(board.matrix(game)),
    )
    return returned(steps)


def stakes(board: Board, placed: Placed | None = None) -> dict[str, float]:
    return {bet.price.key.selection: bet.stake for bet in listed(board, placed)}


def grown(amounts: dict[str, float], held: tuple[float, Wins, float] | None = None) -> float:
    """The expected logarithm at a quarter of Kelly, score by score."""
    bets = [(amount, *BETS[name]) for name, amount in amounts.items()]
    if held is not None:
        bets.append((held[0], held[1], held[2]))
    total = 0.0
    for score in SCORES:
        gained = math.fsum(
            amount * (odds - 1 if wins(*score) > 0 else wins(*score)) for amount, wins, odds in bets
        )
        total += chance(*score) * math.log(1 + gained / 250)
    return total


def searched(held: tuple[float, Wins, float] | None = None) -> dict[str, float]:
    """The amounts from which no step of any size in any direction grows more."""
    best = dict.fromkeys(BETS, 2.0)
    for size in (4.0, 2.0, 1.0, 0.5, 0.25, 0.1, 0.05):
        is_better = True
        while is_better:
            is_better = False
            for steps in itertools.product((-size, 0, size), repeat=len(BETS)):
                moved = {
                    name: max(0.0, amount + step)
                    for (name, amount), step in zip(best.items(), steps, strict=True)
                }
                if grown(moved, held) > grown(best, held) + 1e-12:
                    best, is_better = moved, True
    return best


def test_lines_of_a_game_get_the_stakes_that_grow_most_together() -> None:
    board = holding(*REFERENCE, *VALUE)
    found = stakes(board)
    assert found == pytest.approx(searched(), abs=0.35)
    alone = [
        250 * bet.price.assessment.settlement.kelly(bet.price.assessment.net_odds)
        for bet in listed(board)
        if bet.price.assessment.settlement is not None
    ]
    assert sum(found.values()) < 0.8 * sum(alone)
    assert Bound.SAME_GAME in {bet.bound for bet in listed(board)}


def placed(stake: float, selection: str, odds: float, **more: Any) -> PlacedBet:
    fields: dict[str, Any] = {"market_type": "total", "period": 0} | more
    return PlacedBet(
        game_id=game_id("EPL", "A vs B"),
        match_name="A vs B",
        competition="EPL",
        sport="Football",
        selection=selection,
        bookmaker="Fourth",
        odds=odds,
        stake=stake,
        placed_at=NOW,
        kick_off=NOW + 3_600_000,
        **fields,
    )


@pytest.mark.parametrize(("selection", "side"), [("Over 1.5", 1), ("Under 1.5", -1)])
def test_open_bets_of_the_game_are_held_as_they_are(selection: str, side: int) -> None:
    """A bet on over 1.5 leaves less for more goals, one on under 1.5 is a hedge for them."""
    odds = 1.4 if side > 0 else 4.0
    bets = placed_in([placed(20, selection, odds)], NOW)
    found = stakes(holding(*REFERENCE, *VALUE), bets)
    assert found == pytest.approx(
        searched((20.0, lambda h, a: side * over(1.5)(h, a), odds)), abs=0.35
    )


def test_one_line_is_staked_beside_an_open_bet_on_another() -> None:
    board = holding(*REFERENCE, VALUE[0])
    alone = stakes(board)["Over 2.5"]
    more = stakes(board, placed_in([placed(8, "Over 3.5", 3.4)], NOW))["Over 2.5"]
    hedged = stakes(board, placed_in([placed(8, "Under 3.5", 1.4)], NOW))["Over 2.5"]
    assert more < alone < hedged


def test_where_the_reference_prices_too_little_the_best_line_carries_the_stake() -> None:
    totals = quote(
        "Pinnacle", "total", {k: v for k, v in TOTALS.items() if "2.5" in k or "3.5" in k}
    )
    first, second = listed(holding(totals, *VALUE[:2]))
    assert {first.bound, second.bound} == {Bound.KELLY, Bound.SAME_GAME}
    assert sorted(bet.stake > 0 for bet in (first, second)) == [False, True]


def test_prices_that_contradict_each_other_are_no_grid() -> None:
    torn = dict(TOTALS) | {"Over 2.5": 1.6, "Under 2.5": 2.6}
    board = holding(REFERENCE[0], quote("Pinnacle", "total", torn), *VALUE[1:])
    assert sum(bet.stake > 0 for bet in listed(board)) == 1


def test_a_list_that_is_made_again_is_staked_as_one_made_from_nothing() -> None:
    lister = BetLister()
    before = listed(holding(*REFERENCE, *VALUE), lister=lister)
    higher = quote("Third", "moneyline", {"A": round(fair(win) * 1.05, 3), "Draw": 3.0, "B": 2.5})
    board = holding(*REFERENCE, *VALUE[:2], higher)
    again = listed(board, lister=lister)
    assert [bet.stake for bet in again] == [bet.stake for bet in listed(board)]
    assert [bet.stake for bet in again] != [bet.stake for bet in before]


def test_the_stake_at_other_odds_is_solved_with_the_other_lines() -> None:
    board = holding(*REFERENCE, *VALUE)
    rows = listed(board)
    first = next(bet for bet in rows if bet.price.key.selection == "Over 2.5")

    def at(odds: float) -> float:
        return stake_at(
            rows,
            first.price,
            ("First", odds),
            PLAN,
            Placed(),
            board.basis.profiles,
            lambda game: fair_lines(board.matrix(game)),
        )

    odds = first.price.assessment.net_odds
    assert at(odds) == pytest.approx(first.stake, abs=0.02)
    assert at(odds * 1.01) > first.stake > at(odds * 0.985)


def test_of_a_game_in_play_or_another_sport_no_scores_are_known() -> None:
    live = [quote(r.bookmaker, r.market_type, dict(r.odds), is_live=True) for r in REFERENCE]
    board = holding(*live)
    assert all(fair_lines(board.matrix(game)) == () for game in board.held_games())
    other = [
        quote(r.bookmaker, r.market_type, dict(r.odds), sport="Hockey", competition="NHL")
        for r in REFERENCE
    ]
    board = holding(*other)
    assert all(fair_lines(board.matrix(game)) == () for game in board.held_games())
    assert fair_lines(None) == ()


def offer(outcome: tuple[str, str], chance: float, push: float = 0.0) -> Offer:
    line = float(outcome[0])
    ends = settlement(chance, push, line, is_above=True)
    return Offer(("g", "total", 0, *outcome), outcome[0], "g", "A", 1.05 / chance, ends)


def grid_lines() -> list[Line]:
    lines = [Line("moneyline", "", side, 1 / fair(wins)) for side, wins in RESULTS.items()]
    lines += [Line("total", f"{line}", "over", 1 / fair(over(line))) for line in LINES]
    return lines


RESULTS: dict[str, Wins] = {
    "home": win,
    "draw": lambda h, a: 1.0 if h == a else -1.0,
    "away": lambda h, a: 1.0 if h < a else -1.0,
}


def test_each_line_is_worth_what_it_was_judged_at() -> None:
    """The reference's own price of a line may lie beside the grid: its own is what counts."""
    moved = {
        2.5: 1 / fair(over(2.5)) + 0.008,
        3.5: 1 / fair(over(3.5)) - 0.006,
        4.5: 1 / fair(over(4.5)) + 0.004,
    }
    offers = [offer((f"{line}", "over"), chance) for line, chance in moved.items()]
    found = GameResults().of(offers, grid_lines(), ())
    assert found is not None
    assert math.fsum(found.chances) == pytest.approx(1)
    for each in offers:
        won = math.fsum(
            chance
            for chance, share in zip(found.chances, found.shares[each.outcome], strict=True)
            if share == 1
        )
        assert won == pytest.approx(each.settlement.win, abs=1e-5)


def test_a_line_whose_push_is_not_known_is_staked_with_the_others() -> None:
    """It is worth what it was judged at per decided unit; the scores tell how often it is hit."""
    decided = 1 / fair(lambda h, a: -over(2)(h, a)) + 0.01
    offers = [offer(("2.5", "over"), 1 / fair(over(2.5))), offer(("2", "under"), decided)]
    found = GameResults().of(offers, grid_lines(), ())
    assert found is not None
    chances = {
        each.outcome: {
            way: math.fsum(
                chance
                for chance, share in zip(found.chances, found.shares[each.outcome], strict=True)
                if share == way
            )
            for way in (1, 0, -1)
        }
        for each in offers
    }
    one, other = (chances[each.outcome] for each in offers)
    assert one[1] == pytest.approx(offers[0].settlement.win, abs=1e-5)
    assert other[1] / (other[1] + other[-1]) == pytest.approx(decided, abs=1e-5)
    hit = math.fsum(chance(*score) for score in SCORES if sum(score) == 2)
    assert other[0] == pytest.approx(hit, abs=0.02)


def test_lines_that_contradict_each_other_are_not_staked_together() -> None:
    """More than 3.5 goals cannot be likelier than more than 2.5."""
    offers = [offer(("2.5", "over"), 0.40), offer(("3.5", "over"), 0.43)]
    assert GameResults().of(offers, grid_lines(), ()) is None
