"""What a source says of a game, bit by bit."""

import pytest

from oddsdesk.contract.results import (
    ENDED,
    GameResult,
    GameStatus,
    SelectionResult,
    with_earlier_selections,
)

pytestmark = pytest.mark.unit


def _result(*selections: SelectionResult, **fields: object) -> GameResult:
    said = {"status": GameStatus.UNKNOWN, "bookmaker": "Betfair Exchange", **fields}
    return GameResult("EPL", "Arsenal vs Everton", 1_000, selections=selections, **said)


OVER = SelectionResult("total", 0, "Over 2.5", "won")
HOME = SelectionResult("moneyline", 0, "Arsenal", "won")


def test_a_market_settled_later_adds_to_those_before() -> None:
    first = _result(OVER, reported_at=5)
    final = _result(HOME, status=GameStatus.FINAL, reported_at=9)
    assert with_earlier_selections(final, first) == _result(
        OVER, HOME, status=GameStatus.FINAL, reported_at=9
    )


def test_selections_alone_leave_status_and_score() -> None:
    final = _result(HOME, status=GameStatus.FINAL, home=3, away=0, reported_at=9)
    assert with_earlier_selections(_result(OVER, reported_at=12), final) == _result(
        HOME, OVER, status=GameStatus.FINAL, home=3, away=0, reported_at=12
    )


def test_a_corrected_selection_replaces_the_one_before() -> None:
    corrected = SelectionResult("total", 0, "Over 2.5", "void")
    assert with_earlier_selections(_result(corrected), _result(OVER, HOME)).selections == (
        HOME,
        corrected,
    )


def test_no_bet_settles_because_a_status_is_unknown() -> None:
    assert GameStatus.UNKNOWN not in ENDED
