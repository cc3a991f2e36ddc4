"""What sources say of a game is held by game and source, and said in words."""

import msgspec
import pytest

from oddsdesk.board.board import Board
from oddsdesk.board.model.matrix import GameEntry
from oddsdesk.board.model.notices import Notice, ResultsChanged
from oddsdesk.board.model.results import MOST_HELD, HeldResult, ResultBook, source_text
from oddsdesk.contract.results import GameResult, GameStatus, PeriodScore

KICK_OFF = 1_800_000_000_000
NOW = KICK_OFF + 50 * 60_000
DAY_MS = 86_400_000


def held_result(source: str = "football-data", game_id: str = "g", **fields: object) -> HeldResult:
    result = GameResult("EPL", "Leeds vs Hull", KICK_OFF, source=source)
    return HeldResult(game_id, msgspec.structs.replace(result, **fields))


def score(book: ResultBook, now: int = NOW, kick_off: int | None = KICK_OFF) -> str:
    found = book.score_of("g", kick_off, now)
    return "" if found is None else found.in_words


@pytest.mark.parametrize(
    ("sport", "home", "periods", "words"),
    [
        ("Football", 1, [(1, 1, 0), (2, 0, 0)], "1-0 · 2nd half"),
        ("Football", 2, [(1, 1, 0), (2, 0, 0), (3, 1, 0)], "2-0 · extra time"),
        ("Basketball", 50, [(1, 50, 0)], "50-0 · 1st quarter"),
        ("Basketball", 99, [(n, 9, 0) for n in range(1, 6)], "99-0 · overtime"),
        ("Tennis", 1, [(1, 6, 4), (2, 3, 2)], "1-0 (6-4, 3-2) · 2nd set"),
        ("Hockey", 3, [], "3-0"),
    ],
)
def test_a_game_in_play_has_its_score_and_period(
    sport: str, home: int, periods: list[tuple[int, int, int]], words: str
) -> None:
    book = ResultBook()
    parts = tuple(PeriodScore(*each) for each in periods)
    state = {"status": GameStatus.IN_PLAY, "sport": sport, "periods": parts}
    book.take_results([held_result(home=home, away=0, **state)])
    assert score(book) == words
    assert score(book, NOW + DAY_MS) == "", "a source that went silent says nothing"


def test_a_final_score_replaces_the_one_in_play_and_names_its_sources() -> None:
    book = ResultBook()
    playing = held_result("feed", home=1, away=0, status=GameStatus.IN_PLAY)
    assert book.take_results([playing]) == {"g"}
    assert book.take_results([playing]) == frozenset()
    assert book.take_results([held_result(home=2, away=1)]) == {"g"}
    found = book.score_of("g", KICK_OFF, NOW)
    assert found is not None
    assert (found.in_words, found.is_over) == ("2-1 · final", True)
    assert found.explained == "2-1 · final: football-data 2-1"


def test_sources_that_contradict_each_other_are_both_shown() -> None:
    book = ResultBook()
    book.take_results([held_result(home=2, away=1), held_result("other", home=1, away=1)])
    assert score(book) == "2-1 or 1-1 · final"


def test_a_postponed_game_has_no_score_and_is_shown_as_postponed() -> None:
    book = ResultBook()
    book.take_results([held_result(status=GameStatus.POSTPONED)])
    assert score(book) == "postponed"


def test_what_is_only_scheduled_or_of_another_day_is_not_shown() -> None:
    book = ResultBook()
    book.take_results(
        [held_result(status=GameStatus.SCHEDULED), held_result("x", "other", home=1, away=1)]
    )
    assert score(book) == ""
    book.take_results([held_result(home=2, away=1)])
    assert score(book, kick_off=KICK_OFF + DAY_MS) == "", "the next game of a series"
    assert score(book, kick_off=None) == "2-1 · final"


def test_a_day_without_an_hour_is_that_of_a_game_in_the_evening() -> None:
    book = ResultBook()
    noon = KICK_OFF - 8 * 60 * 60_000
    book.take_results(
        [held_result(kick_off=noon, home=2, away=1), held_result("b", kick_off=noon, home=9)]
    )
    assert book.of_game("g", KICK_OFF) == []
    book.take_results([held_result(kick_off=noon, has_time=False, home=2, away=1)])
    assert score(book) == "2-1 · final"


def test_the_earliest_results_go_when_there_are_too_many() -> None:
    book = ResultBook()
    many = [held_result(game_id=f"g{n}", kick_off=KICK_OFF + n) for n in range(MOST_HELD + 5)]
    book.take_results(reversed(many))
    assert len(book) == MOST_HELD
    assert book.of_game("g4", None) == []
    assert len(book.of_game("g5", None)) == 1


def test_simulated_scores_are_marked() -> None:
    book = ResultBook()
    book.take_results([held_result("simulator", home=1, away=0, simulated=True)])
    found = book.score_of("g", KICK_OFF, NOW)
    assert found is not None
    assert "simulated" in found.explained


def test_a_source_is_named_with_what_it_says() -> None:
    assert source_text(held_result(home=2, away=1).result) == "football-data 2-1"
    retired = held_result("", home=1, away=0, status=GameStatus.RETIRED, bookmaker="Betfair")
    assert source_text(retired.result) == "Betfair 1-0 retired"


def test_the_board_reports_changed_scores_and_forgets_them_with_the_service() -> None:
    board, notices = Board(lambda: NOW), list[Notice]()
    board.subscribe(notices.append, ResultsChanged)
    board.take_results([held_result(home=1, away=0, status=GameStatus.IN_PLAY)])
    board.take_results([held_result(home=1, away=0, status=GameStatus.IN_PLAY)])
    assert notices == [ResultsChanged(frozenset({"g"}))]
    game = GameEntry("g", "Leeds vs Hull", "EPL", "Football", KICK_OFF, True, 3, None)
    found = board.score_of(game)
    assert found is not None
    assert found.score == "1-0"
    board.forget_service()
    assert board.score_of(game) is None
