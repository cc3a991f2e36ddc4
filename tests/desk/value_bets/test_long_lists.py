"""A list of many prices is made in slices: the window has its turn, and nothing is lost by it."""

from collections.abc import Iterator
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from oddsdesk.desk.value_bets import lists
from oddsdesk.desk.value_bets.panel import ValuesPanel
from tests.kit.value_bets import be_value, row

COUNT = 120


@pytest.fixture
def long(panel: ValuesPanel, quoted: Any, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot) -> Any:
    """The lists of a panel whose bet many bookmakers offer; one takes many slices."""
    monkeypatch.setattr(lists, "SLICE_S", 1e-4)
    for number in range(COUNT):
        be_value(quoted, bookmaker=f"Bookmaker {number:03}")
    qtbot.waitUntil(lambda: len(panel.lists._listed) >= COUNT)
    return panel.lists


def test_the_window_has_its_turn_before_a_long_list_is_shown(
    long: Any, panel: ValuesPanel, quoted: Any, qtbot: QtBot
) -> None:
    be_value(quoted, 2.09)
    long.show_bets(may_move=True)
    assert row(panel)["Odds"] == "2.06"
    qtbot.waitUntil(lambda: row(panel)["Odds"] == "2.09")
    assert row(panel)["Bookmaker"] == "Matchbook"


def test_a_long_list_is_not_begun_while_the_board_is_read(
    long: Any, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    begun: list[None] = []
    listing = long._lister.listing

    def begin(*arguments: Any, **named: Any) -> Any:
        begun.append(None)
        return listing(*arguments, **named)

    monkeypatch.setattr(long._lister, "listing", begin)
    long.show_bets(may_move=True)
    assert not begun
    qtbot.waitUntil(lambda: bool(begun))


def test_a_price_that_moves_while_the_list_is_made_is_shown_as_well(
    long: Any, panel: ValuesPanel, quoted: Any, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    monkeypatch.setattr(lists, "_MOVES_MS", 0)
    monkeypatch.setattr(lists, "_PAUSE_S", 0)
    monkeypatch.setattr(lists, "_REST", 0)
    long.show_bets(may_move=True)
    be_value(quoted, 2.08)
    qtbot.waitUntil(lambda: row(panel)["Odds"] == "2.08")


def test_rows_that_may_move_may_once_a_list_begun_later_is_made(
    long: Any, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    allowed: list[bool] = []
    show_rows = long.bets.show_rows

    def shown(rows: Any, *, may_move: bool) -> None:
        allowed.append(may_move)
        show_rows(rows, may_move=may_move)

    monkeypatch.setattr(long.bets, "show_rows", shown)
    long.show_bets(may_move=True)
    long.show_bets(may_move=False)
    qtbot.waitUntil(lambda: bool(allowed))
    assert allowed == [True]
    long.show_bets(may_move=False)
    qtbot.waitUntil(lambda: len(allowed) == 2)
    assert allowed == [True, False]


def test_a_list_that_dies_does_not_keep_the_next_from_being_made(
    long: Any, panel: ValuesPanel, quoted: Any, monkeypatch: pytest.MonkeyPatch, qtbot: QtBot
) -> None:
    def dying(*_arguments: Any) -> Iterator[None]:
        yield
        raise ValueError("no such row")

    with monkeypatch.context() as patch, qtbot.captureExceptions() as died:
        patch.setattr(lists, "making_rows", dying)
        long.show_bets(may_move=True)
        qtbot.waitUntil(lambda: bool(died))
    be_value(quoted, 2.09)
    qtbot.waitUntil(lambda: row(panel)["Odds"] == "2.09")
