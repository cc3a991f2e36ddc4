"""Results of bets by the score of a game, and what they earn."""

import pytest

from oddsdesk.pricing.results import (
    Goals,
    Result,
    Score,
    clv_pct,
    decided_share,
    profit_of,
    result_of,
)

NAME = "Leeds - Wolves"


def ended(market_type: str, selection: str, home: int, away: int, period: int = 0) -> str | None:
    score = Score(Goals(home, away), Goals(1, 0))
    result = result_of(market_type, period, NAME, selection, score)
    return None if result is None else result.value


@pytest.mark.parametrize(
    ("market_type", "selection", "score", "result"),
    [
        ("moneyline", "Leeds", (2, 1), "won"),
        ("moneyline", "Leeds", (1, 1), "lost"),
        ("moneyline", "Draw", (1, 1), "won"),
        ("draw_no_bet", "Wolves", (1, 1), "void"),
        ("draw_no_bet", "Wolves", (1, 2), "won"),
        ("double_chance", "1X", (1, 1), "won"),
        ("double_chance", "12", (1, 1), "lost"),
        ("btts", "Yes", (1, 0), "lost"),
        ("btts", "No", (1, 0), "won"),
        ("total", "Over 2.5", (2, 1), "won"),
        ("total", "Over 3", (2, 1), "void"),
        ("total", "Under 3", (2, 2), "lost"),
        ("total", "Over 2.75", (2, 1), "half_won"),
        ("total", "Under 2.75", (2, 1), "half_lost"),
        ("total", "Over 3.25", (2, 1), "half_lost"),
        ("total", "Under 3.25", (2, 1), "half_won"),
        ("spread", "Leeds -0.75", (2, 1), "half_won"),
        ("spread", "Wolves +0.75", (2, 1), "half_lost"),
        ("spread", "Leeds -1", (2, 1), "void"),
        ("spread", "Wolves +1.25", (2, 1), "half_won"),
        ("spread", "Wolves 0", (2, 1), "lost"),
        ("3way_handicap", "Leeds -1", (2, 1), "lost"),
        ("3way_handicap", "Draw -1", (2, 1), "won"),
        ("3way_handicap", "Wolves +1", (2, 1), "lost"),
        ("team_total", "Wolves Over 0.5", (2, 1), "won"),
        ("team_total", "Leeds Under 2", (2, 1), "void"),
    ],
)
def test_a_score_decides(
    market_type: str, selection: str, score: tuple[int, int], result: str
) -> None:
    assert ended(market_type, selection, *score) == result


def test_halves_are_settled_by_their_own_goals() -> None:
    assert ended("moneyline", "Leeds", 1, 2, period=1) == "won"
    assert ended("moneyline", "Wolves", 1, 2, period=2) == "won"
    assert ended("total", "Over 1.5", 1, 2, period=2) == "won"


def test_what_a_score_does_not_tell_has_no_result() -> None:
    assert ended("player_prop", "Messi shots Over 2.5", 2, 1) is None
    assert ended("moneyline", "Somebody else", 2, 1) is None
    assert ended("moneyline", "Leeds", 2, 1, period=3) is None
    without_half = result_of("moneyline", 1, NAME, "Leeds", Score(Goals(2, 1)))
    assert without_half is None


@pytest.mark.parametrize(
    ("result", "profit", "decided"),
    [
        (Result.WON, 8.0, 1.0),
        (Result.HALF_WON, 4.0, 0.5),
        (Result.VOID, 0.0, 0.0),
        (Result.HALF_LOST, -5.0, 0.5),
        (Result.LOST, -10.0, 1.0),
    ],
)
def test_a_result_earns(result: Result, profit: float, decided: float) -> None:
    assert profit_of(result, 10.0, 1.8) == pytest.approx(profit)
    assert decided_share(result) == decided


def test_the_closing_line_value_is_net_odds_over_the_fair_close() -> None:
    assert clv_pct(2.1, 2.0) == pytest.approx(5.0)


@pytest.mark.parametrize(
    ("market_type", "selection"),
    [("spread", "Leeds -1.8"), ("total", "Over 1.9"), ("team_total", "Leeds Over 1.6")],
)
def test_a_line_that_no_bet_is_on_settles_nothing(market_type: str, selection: str) -> None:
    assert ended(market_type, selection, 2, 0) is None
