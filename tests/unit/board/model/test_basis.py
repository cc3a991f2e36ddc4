"""Whom the desk judges by: the service's own reference, another bookmaker, or all together."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import UNSET
from msgspec.structs import replace

from oddsdesk.base.tasks import exhaust
from oddsdesk.board.board import Board
from oddsdesk.board.model.basis import CONSENSUS, Freshness, ScrapeInterval
from oddsdesk.board.model.matrix import UNNAMED_REFERENCE, RowKey, SelectionRow
from oddsdesk.board.valuation.explaining import NoFairOdds, explain
from oddsdesk.board.valuation.market import WITHDRAWN_KEPT_MS
from oddsdesk.board.valuation.verdict_words import explanation_text
from oddsdesk.contract.resources import GameMatrix
from oddsdesk.pricing.assessment import Assessment, Caution
from oddsdesk.pricing.profiles import Profile, Profiles
from tests.kit.board import (
    GAME,
    NOW,
    REFERENCE,
    Desk,
    Odds,
    lines,
    matrix,
    message,
    odds_row,
    row_key,
    value_bet,
)
from tests.unit.board.test_one_truth import Step, after, histories, spoken_of, sports, worth

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
    return {key: found for key in board.row_keys() if (found := board.assess(key)) is not None}


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
    row = section.selection_row("Arsenal")
    assert row.reference is not None
    assert (board.reference_name, row.reference.odds, row.prices[REFERENCE].odds) == (
        "Betfair",
        2.1,
        2,
    )
    assert row.liquidity is None  # the service told that of Pinnacle

    board.choose_reference("")

    assert row.reference is not None
    assert (board.reference_name, row.reference.odds, row.prices["Betfair"].odds) == (
        REFERENCE,
        2,
        2.1,
    )
    assert row.liquidity == 500


def test_what_is_heard_later_goes_where_the_choice_says() -> None:
    desk = desk_by("Betfair")
    later = desk.now + 1_000
    desk.board.apply_all(
        [message("Arsenal", 2.14, later), message("Arsenal", 2.01, later, bookmaker=REFERENCE)]
    )
    section = desk.board.section(GAME, "moneyline", 0, "Arsenal")
    assert section is not None
    row = section.selection_row("Arsenal")
    assert row.reference is not None
    assert (row.reference.odds, row.prices[REFERENCE].odds) == (2.14, 2.01)
    assert "Betfair" not in dict(row.others())


def test_where_the_chosen_one_has_no_price_it_is_said_and_nobody_else_is_taken() -> None:
    desk = desk_by("Nobody")
    said = explain(desk.board, row_key("Arsenal", "Coral"), desk.now)
    assert said is not None
    assert (said.reference, said.no_fair_odds) == ("Nobody", NoFairOdds.NO_REFERENCE)
    assert said.assessment.fair_odds is None
    assert "No fair odds: Nobody" in explanation_text(said)
    assert not desk.board.value_bets


def test_a_price_is_judged_by_the_others_of_a_consensus() -> None:
    desk = desk_by(CONSENSUS)
    said = explain(desk.board, row_key("Arsenal", "Coral"), desk.now)
    assert said is not None
    assert [vote.bookmaker for vote in said.voters] == ["Bet365", "Betfair", REFERENCE, "Unibet"]
    text = explanation_text(said)
    assert "(Consensus, " in text
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

    found = desk.board.assess(row_key("Arsenal", "Coral"))  # two other fresh ones
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


SELECTIONS = ["Arsenal", "Draw", "Chelsea"]
QUOTED = st.dictionaries(
    st.sampled_from(SELECTIONS), st.sampled_from([1.5, 1.9, 2.05, 2.1, 3.4, 3.6, 4.2, 150.0])
)
UNNAMED_STEPS = st.lists(
    st.tuples(st.sampled_from([*ODDS]), QUOTED, st.booleans(), st.sampled_from([1, 70_000])),
    min_size=1,
    max_size=12,
)
"""Bookmaker, prices, whether as a row or by the stream, and the milliseconds before it."""


def read_with_name(steps: list[tuple[str, dict[str, float], bool, int]], named_at: int) -> Desk:
    """A board that reads prices without limits, and learns at one of them whose are judged by."""
    desk = Desk()
    desk.board.keep_all_rows(True)
    desk.board.subscribe_game(GAME)
    for number, (bookmaker, prices, is_row, wait_ms) in enumerate(steps):
        if number == named_at:
            desk.board.name_reference(REFERENCE)
        desk.now += wait_ms
        if is_row:
            row = odds_row(bookmaker, prices, desk.now, liquidity=None)
            exhaust(desk.board.merge_rows([row]))
        else:
            told = [message(*each, desk.now, bookmaker=bookmaker) for each in prices.items()]
            desk.board.apply_all([replace(each, liquidity=UNSET) for each in told])
        desk.board.sweep()
    desk.board.name_reference(REFERENCE)
    for row in held_lines(desk):
        assert row.liquidity is None
        row.limits.clear()  # that nobody told one is known of the reference only
    return desk


def held_lines(desk: Desk) -> list[SelectionRow]:
    return [] if desk.board.matrix(GAME) is None else list(lines(desk.board))


@settings(max_examples=200)
@given(UNNAMED_STEPS, st.integers(1, 12))
def test_figures_are_the_same_whenever_the_reference_is_named(
    steps: list[tuple[str, dict[str, float], bool, int]], named_at: int
) -> None:
    first, late = read_with_name(steps, 0), read_with_name(steps, named_at)
    assert late.board.matrix(GAME) == first.board.matrix(GAME)
    assert set(late.board.row_keys()) == set(first.board.row_keys())
    assert spoken_of(late.board) == spoken_of(first.board)
    assert judged(late.board) == judged(first.board)
    for row in held_lines(late):
        named = {*row.near, *row.offer.found().named_bookmakers, *dict(row.others())}
        assert REFERENCE not in named


def unnamed(odds: Odds = ODDS) -> GameMatrix:
    """A picture that does not tell whose the reference's prices are."""
    said = matrix(odds)
    return replace(said, all_bookmakers=[n for n in said.all_bookmakers if n != REFERENCE])


@pytest.mark.parametrize("then", ["named", "Betfair", CONSENSUS])
def test_prices_of_a_reference_without_a_name_are_never_offers(then: str) -> None:
    desk = Desk()
    desk.board.want_values(True)
    exhaust(desk.board.merge_matrix(unnamed()))
    held = desk.board.matrix(GAME)
    assert held is not None
    assert UNNAMED_REFERENCE not in held.bookmakers
    assert [row.reference.odds for row in lines(desk.board)] == [2.0, 3.6, 4.0]
    assert desk.board.value_bets
    if then == "named":
        desk.board.name_reference(REFERENCE)
    else:
        desk.board.choose_reference(then)
    prices = [row.prices[UNNAMED_REFERENCE] for row in lines(desk.board)]
    assert not any(price.is_offered for price in prices)
    exhaust(desk.board.merge_matrix(matrix(ODDS)))
    desk.now += WITHDRAWN_KEPT_MS
    desk.board.sweep()
    expected = desk_by("" if then == "named" else then)
    assert judged(desk.board).keys() == judged(expected.board).keys()
    assert desk.board.value_bets.keys() == expected.board.value_bets.keys()


NOW_OF_FRESHNESS = 1_795_000_000_000


def learnt(*gaps_s: float) -> ScrapeInterval:
    scrape_interval = ScrapeInterval()
    at = NOW_OF_FRESHNESS
    for gap in gaps_s:
        at += round(gap * 1000)
        scrape_interval.rescraped("Betfair", round(gap * 1000), at)
    return scrape_interval


def test_all_prices_of_one_pass_count_once() -> None:
    scrape_interval = ScrapeInterval()
    for place in range(9):
        scrape_interval.rescraped("Betfair", 240_000, NOW_OF_FRESHNESS + place)
    assert scrape_interval.stale_after_ms("Betfair", False) == 180_000


def test_a_slow_bookmaker_is_given_more_time_before_the_game_and_never_in_play() -> None:
    slow = learnt(*[60] * 6)
    assert slow.stale_after_ms("Betfair", False) == 360_000
    assert slow.stale_after_ms("Betfair", True) == 60_000
    assert learnt(*[5] * 6).stale_after_ms("Betfair", True) == 30_000


def test_the_interval_is_the_median_once_enough_is_known() -> None:
    assert learnt(8, 8, 8, 8).usual_interval_s("Betfair") == 30
    assert learnt(8, 8, 8, 200, 9).usual_interval_s("Betfair") == 8


@given(st.lists(st.floats(0.001, 10_000), min_size=5, max_size=60))
def test_the_interval_stays_within_5_and_120_seconds(gaps_s: list[float]) -> None:
    assert 5 <= learnt(*gaps_s).usual_interval_s("Betfair") <= 120


@pytest.mark.parametrize(
    ("age_s", "freshness"),
    [
        (0, Freshness.FRESH),
        (20, Freshness.FRESH),
        (20.001, Freshness.AGEING),
        (60, Freshness.AGEING),
        (60.001, Freshness.STALE),
        (600, Freshness.STALE),
        (600.001, Freshness.DEAD),
    ],
)
def test_four_states_by_age(age_s: float, freshness: Freshness) -> None:
    scrape_interval = learnt(*[10] * 5)
    assert (
        scrape_interval.freshness(
            "Betfair", NOW_OF_FRESHNESS - round(age_s * 1000), NOW_OF_FRESHNESS
        )
        is freshness
    )


@given(st.integers(0, 10**7), st.integers(0, 10**7), st.integers(1, 200))
def test_an_older_price_is_never_fresher(one: int, other: int, gap_s: int) -> None:
    scrape_interval = learnt(*[gap_s] * 5)
    younger, older = sorted((one, other))
    states = [
        scrape_interval.freshness("Betfair", NOW_OF_FRESHNESS - age, NOW_OF_FRESHNESS)
        for age in (younger, older)
    ]
    assert states[0] <= states[1]


@pytest.mark.parametrize(("in_play", "stale_after_s"), [(False, 180), (None, 180), (True, 60)])
def test_until_the_rhythm_is_known_a_price_is_stale_as_is_usual(
    in_play: bool | None, stale_after_s: int
) -> None:
    scrape_interval = learnt()
    assert scrape_interval.stale_after_ms("Betfair", in_play) == stale_after_s * 1000

    def state(age_ms: int) -> Freshness:
        return scrape_interval.freshness(
            "Betfair", NOW_OF_FRESHNESS - age_ms, NOW_OF_FRESHNESS, in_play=in_play
        )

    assert state(stale_after_s * 1000) < Freshness.STALE
    assert state(stale_after_s * 1000 + 1) is Freshness.STALE


@pytest.mark.parametrize(("gap_s", "stale_after_s"), [(8, 48), (2, 30), (60, 360), (500, 720)])
def test_once_the_rhythm_is_known_it_says_when_a_price_is_stale(
    gap_s: int, stale_after_s: int
) -> None:
    known = learnt(*[gap_s] * 5)
    assert known.stale_after_ms("Betfair", False) == stale_after_s * 1000
    assert known.stale_after_ms("Betfair", True) == min(stale_after_s, 60) * 1000


def test_a_price_that_waits_for_its_turn_of_reading_is_no_older_for_it() -> None:
    scrape_interval = learnt(*[10] * 5)
    scrape_interval.be_patient(30_000)

    def state(age_s: int, unread_s: int) -> Freshness:
        heard_at = NOW_OF_FRESHNESS - unread_s * 1000
        return scrape_interval.freshness(
            "Betfair", NOW_OF_FRESHNESS - age_s * 1000, NOW_OF_FRESHNESS, heard_at
        )

    assert state(45, 30) is Freshness.FRESH
    assert state(45, 0) is Freshness.AGEING
    assert state(70, 60) is Freshness.AGEING
    assert state(601, 600) is Freshness.DEAD
    scrape_interval.be_patient(0)
    assert state(45, 30) is Freshness.AGEING


def test_in_play_a_price_that_waits_to_be_read_is_stale_as_soon_as_any_other() -> None:
    """It was staked at 81 to 96 s, where one in a game with a tab was stale at 60 (D45)."""
    scrape_interval = learnt(*[10] * 5)
    scrape_interval.be_patient(36_000)

    def state(age_ms: int) -> Freshness:
        heard_at = NOW_OF_FRESHNESS - min(age_ms, 36_000)
        return scrape_interval.freshness(
            "Betfair", NOW_OF_FRESHNESS - age_ms, NOW_OF_FRESHNESS, heard_at, in_play=True
        )

    assert (
        scrape_interval.patience_with(NOW_OF_FRESHNESS - 36_000, NOW_OF_FRESHNESS, in_play=True)
        == 0
    )
    assert state(56_000) is Freshness.FRESH  # it may only not have been read again
    assert state(60_000) is Freshness.AGEING
    assert state(60_001) is Freshness.STALE


def test_what_was_read_before_the_stream_began_may_have_moved_unheard() -> None:
    """A stream that came back a second ago says nothing of the minute before."""
    scrape_interval = learnt(*[10] * 5)

    def state(since_s: int) -> Freshness:
        scrape_interval.be_patient(90_000, NOW_OF_FRESHNESS - since_s * 1000)
        return scrape_interval.freshness(
            "Betfair", NOW_OF_FRESHNESS - 80_000, NOW_OF_FRESHNESS, NOW_OF_FRESHNESS - 75_000
        )

    assert state(75) is Freshness.FRESH
    assert state(20) is Freshness.AGEING
    assert state(1) is Freshness.STALE
    assert scrape_interval.lessons == 1 + 3


def test_a_price_of_the_future_is_stale() -> None:
    """D84."""
    state = learnt().freshness
    assert state("Betfair", NOW_OF_FRESHNESS + 300_000, NOW_OF_FRESHNESS) is Freshness.FRESH
    assert (
        state("Betfair", NOW_OF_FRESHNESS + 300_001, NOW_OF_FRESHNESS, heard_at=NOW_OF_FRESHNESS)
        is Freshness.STALE
    )
