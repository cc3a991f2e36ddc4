"""Steam: who moved, which way, how far and when."""

import pytest

from oddsdesk.board.alerts.steam import Steam, SteamOutcome, SteamWatch, steam_among

OUTCOME = SteamOutcome("game", "total", 0, "2.5", "over")
MINUTE = 60_000


def moved(watch: SteamWatch, *books: str, to: float = 1.9, at: int = MINUTE) -> None:
    for book in books:
        watch.note(OUTCOME, book, to, at)


def found(watch: SteamWatch, at: int) -> list[Steam]:
    return list(steam_among(watch.moved(at), 3, 2.0))


def started(minutes: float = 5.0) -> SteamWatch:
    watch = SteamWatch(minutes, str)
    moved(watch, "A", "B", "C", "D", to=2.0, at=0)
    return watch


def test_three_operators_that_move_the_same_way_are_steam() -> None:
    watch = started()
    moved(watch, "A", "B")
    assert found(watch, MINUTE) == []
    moved(watch, "C", to=1.8)
    (one,) = found(watch, MINUTE)
    assert (one.direction, one.groups) == (1, ("A", "B", "C"))
    assert one.points == pytest.approx(100 / 1.9 - 50)


def test_what_did_not_move_since_is_not_told_again() -> None:
    watch = started()
    moved(watch, "A", "B", "C")
    assert len(found(watch, MINUTE)) == 1
    assert found(watch, MINUTE) == []


def test_moves_apart_small_moves_and_old_moves_are_none() -> None:
    watch = started()
    moved(watch, "A", "B")
    moved(watch, "C", to=2.1)
    assert found(watch, MINUTE) == []
    watch = started()
    moved(watch, "A", "B", "C", to=1.95)
    assert found(watch, MINUTE) == []
    watch = started()
    moved(watch, "A", at=MINUTE)
    moved(watch, "B", "C", at=7 * MINUTE)
    assert found(watch, 7 * MINUTE) == []


def test_small_moves_of_one_add_up_within_the_window() -> None:
    watch = started()
    for to in (1.97, 1.94, 1.9):
        moved(watch, "A", "B", "C", to=to)
    assert len(found(watch, MINUTE)) == 1


def test_skins_of_one_operator_count_once() -> None:
    watch = SteamWatch(5.0, {"A": "One", "B": "One", "C": "Two"}.__getitem__)
    moved(watch, "A", "B", "C", to=2.0, at=0)
    moved(watch, "A", "B", "C", to=1.9, at=0)
    assert found(watch, 0) == []


def test_a_price_that_came_back_has_not_moved() -> None:
    watch = started()
    for book in ("A", "B", "C"):
        watch.forget(OUTCOME, book)
    moved(watch, "A", "B", "C")
    assert found(watch, MINUTE) == []


def test_drifting_is_told_as_such() -> None:
    watch = started()
    moved(watch, "A", "B", "C", to=2.2)
    assert [each.direction for each in found(watch, MINUTE)] == [-1]
