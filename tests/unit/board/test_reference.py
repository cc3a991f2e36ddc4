"""Whom the desk judges by: the service's own reference, another bookmaker, or all together."""

import pytest
from hypothesis import given, settings

from oddsdesk.board.board import Board
from oddsdesk.board.explaining import NoFairOdds, explain
from oddsdesk.board.explanation_text import explanation_text
from oddsdesk.board.matrix import RowKey
from oddsdesk.board.reference import CONSENSUS
from oddsdesk.pricing.assessment import Assessment, Caution
from oddsdesk.pricing.profiles import Profile, Profiles
from oddsdesk.slices import exhaust
from tests.kit.board import GAME, NOW, REFERENCE, Desk, matrix, message, row_key, value_bet
from tests.unit.board.test_one_truth import Step, after, histories, sports, worth

ODDS = {
    REFERENCE: {"Arsenal": 2.0, "Draw": 3.6, "Chelsea": 4.0},
    "Betfair": {"Arsenal": 2.1, "Draw": 3.6, "Chelsea": 4.0},
    "Unibet": {"Arsenal": 1.98, "Draw": 3.7, "Chelsea": 3.9},
    "Bet365": {"Arsenal": 2.02, "Draw": 3.5, "Chelsea": 4.0},
    "Coral": {"Arsenal": 2.2, "Draw": 3.4, "Chelsea": 3.7},
}
SILENT = Profiles(Profile(name=name, group=name, weight=0.0) for name in ("Betfair", "Unibet"))
"""Only the service's reference has a vote."""

History = tuple[Step, list[Step]]


def desk_by(reference: str) -> Desk:
    desk = Desk()
    desk.board.want_values(True)
    desk.board.choose_reference(reference)
    exhaust(desk.board.merge_matrix(matrix(ODDS)))
    return desk


def judged(board: Board) -> dict[RowKey, Assessment]:
    keys = [
        key._replace(bookmaker=key.bookmaker or board.whose.bookmaker) for key in board.row_keys()
    ]
    return {key: found for key in keys if (found := board.assess(key)) is not None}


@settings(max_examples=40)
@given(histories, sports)
def test_choosing_the_service_s_own_reference_changes_nothing(history: History, sport: str) -> None:
    own, chosen = after(history, sport), after((history[0], [*history[1]]), sport)
    for each in (own, chosen):
        each.board.choose_reference("")
    chosen.board.choose_reference(REFERENCE)
    assert judged(own.board) == judged(chosen.board)
    assert own.board.value_bets == chosen.board.value_bets
    assert list(own.board.row_keys()) == list(chosen.board.row_keys())


@settings(max_examples=60)
@given(histories, sports)
def test_a_consensus_of_one_voter_is_that_voter(history: History, sport: str) -> None:
    alone, together = after(history, sport), after(history, sport)
    together.board.basis.least_voices = 1
    for desk, reference in ((alone, REFERENCE), (together, CONSENSUS)):
        desk.board.set_profiles(SILENT)
        desk.board.choose_reference(reference)
    said = judged(together.board)
    for key, found in judged(alone.board).items():
        if key.bookmaker == REFERENCE:
            continue
        if found.fair_odds is None:
            assert said[key].fair_odds is None
        elif {Caution.UNREAD_OUTCOME, Caution.CROSSED_REFERENCE}.intersection(found.cautions):
            assert not said[key].is_value  # of the voter or of the price: then it has no vote
        else:
            assert worth(said[key]) == worth(found)


def test_another_bookmaker_takes_the_place_of_the_service_s() -> None:
    desk = desk_by("Betfair")
    board = desk.board
    section = board.section(GAME, "moneyline", 0, "Arsenal")
    assert section is not None
    row = section.row_of("Arsenal")
    assert row.reference is not None
    assert (board.reference, row.reference.odds, row.prices[REFERENCE].odds) == ("Betfair", 2.1, 2)
    assert row.liquidity is None  # the service told that of Pinnacle

    board.choose_reference("")

    assert row.reference is not None
    assert (board.reference, row.reference.odds, row.prices["Betfair"].odds) == (REFERENCE, 2, 2.1)
    assert row.liquidity == 500


def test_what_is_heard_later_goes_where_the_choice_says() -> None:
    desk = desk_by("Betfair")
    later = desk.now + 1_000
    desk.board.apply_all(
        [
            message("Arsenal", 2.14, later),
            message("Arsenal", 2.01, later, bookmaker=REFERENCE),
        ]
    )
    section = desk.board.section(GAME, "moneyline", 0, "Arsenal")
    assert section is not None
    row = section.row_of("Arsenal")
    assert row.reference is not None
    assert (row.reference.odds, row.prices[REFERENCE].odds) == (2.14, 2.01)
    assert "Betfair" not in row.prices


def test_where_the_chosen_one_has_no_price_it_is_said_and_nobody_else_is_taken() -> None:
    desk = desk_by("Nobody")
    said = explain(desk.board, row_key("Arsenal", "Coral"), desk.now)
    assert said is not None
    assert (said.reference, said.no_fair_odds) == ("Nobody", NoFairOdds.NO_REFERENCE)
    assert said.assessment.fair_odds is None
    assert "No reference price: Nobody" in explanation_text(said)
    assert not desk.board.value_bets


def test_a_price_is_judged_by_the_others_of_a_consensus() -> None:
    desk = desk_by(CONSENSUS)
    said = explain(desk.board, row_key("Arsenal", "Coral"), desk.now)
    assert said is not None
    assert [vote.bookmaker for vote in said.voters] == ["Bet365", "Betfair", REFERENCE, "Unibet"]
    text = explanation_text(said)
    assert "by Consensus" in text
    assert "4 votes together" in text
    exhaust(desk.board.merge_matrix(matrix({name: ODDS[name] for name in ("Coral", "Bet365")})))
    exhaust(desk.board.withdrawing_unheard(desk.now + 1))
    few = explain(desk.board, row_key("Arsenal", "Coral"), desk.now)
    assert few is not None
    assert few.no_fair_odds is NoFairOdds.TOO_FEW


def test_old_votes_count_where_the_fresh_ones_are_too_few_and_make_it_stale() -> None:
    desk = desk_by(CONSENSUS)
    desk.now += 200_000
    fresh = [
        message(name, odds, desk.now, bookmaker=bookmaker)
        for bookmaker in ("Coral", "Betfair", "Unibet")
        for name, odds in ODDS[bookmaker].items()
    ]
    desk.board.apply_all(fresh)
    desk.board.sweep()

    found = desk.board.assess(row_key("Arsenal", "Coral"))  # two fresh ones beside it
    assert found is not None
    assert Caution.REFERENCE_STALE in found.cautions
    other = desk.board.assess(row_key("Arsenal", "Bet365"))  # three
    assert other is not None
    assert Caution.REFERENCE_STALE not in other.cautions


def test_a_bet_of_the_service_says_nothing_of_another_reference() -> None:
    desk = Desk()
    desk.board.choose_reference("Unibet")
    desk.board.name_reference(REFERENCE)
    exhaust(desk.board.merge_value_bets([value_bet()]))
    (entry,) = desk.board.value_bets.values()
    assert entry.assessment.fair_odds is None
    said = explain(desk.board, entry.key, NOW)
    assert said is not None
    assert said.service_reference == REFERENCE
    assert not said.quoted
    desk.board.choose_reference("Betfair")
    assert not desk.board.value_bets  # its own prices are what the others are judged by


def test_another_reference_judges_games_without_its_price_at_once() -> None:
    desk = desk_by(CONSENSUS)
    assert desk.board.value_bets
    desk.board.choose_reference("Absent")
    exhaust(desk.board.merge_matrix(matrix({})))
    assert judged(desk.board) == judged(desk_by("Absent").board)
    assert desk.board.value_bets == desk_by("Absent").board.value_bets == {}


@pytest.mark.parametrize("before", ["", "Betfair", CONSENSUS, "Absent"])
@pytest.mark.parametrize("then", ["", "Betfair", CONSENSUS, "Absent"])
def test_a_change_of_reference_leaves_nothing_of_the_one_before(before: str, then: str) -> None:
    desk = desk_by(before)
    desk.board.choose_reference(then)
    exhaust(desk.board.merge_matrix(matrix({})))
    assert judged(desk.board) == judged(desk_by(then).board)
    assert desk.board.value_bets.keys() == desk_by(then).board.value_bets.keys()
