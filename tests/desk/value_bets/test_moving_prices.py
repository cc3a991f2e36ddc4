"""Value bets whose price moves, grows old or goes: struck out, pale, no longer counted."""

import time
from typing import Any

import pytest
from PySide6.QtCore import QItemSelectionModel, QPoint
from PySide6.QtGui import QCursor
from pytestqt.qtbot import QtBot

from oddsdesk.base.tasks import exhaust
from oddsdesk.board.model.notices import Connection, Link
from oddsdesk.contract.resources import Game
from oddsdesk.desk.navigator.model import VALUE_COUNT_ROLE, Favourites
from oddsdesk.desk.navigator.panel import Navigator
from oddsdesk.desk.settings.saved_state import Layout
from oddsdesk.desk.ui.table.cells import Cell
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import TextRole
from oddsdesk.desk.value_bets.model import COLUMNS, STAKE_COLUMN
from oddsdesk.desk.value_bets.panel import ValuesPanel
from tests.kit.board import game
from tests.kit.value_bets import TITLES, be_value, bet, everton, facts, row


def test_a_bet_that_goes_under_the_pointer_does_not_move_the_explanation(
    panel: ValuesPanel, quoted: Any
) -> None:
    exhaust(quoted.board.merge_value_bets([bet(quoted), bet(quoted, 2.17, selection="Over 3.5")]))
    panel.table.set_current(0)
    seen: list[Any] = []
    panel.price_selected.connect(seen.append)
    exhaust(quoted.board.merge_value_bets([bet(quoted)]))
    panel.lists.bets.sort_now()
    assert panel.table.model.rowCount() == 1
    assert seen == []


def test_no_bet_stays_under_the_pointer_when_the_board_goes_to_another_moment_or_service(
    panel: ValuesPanel, quoted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    quoted.board.load_games([game(quoted.name), game()])
    exhaust(quoted.board.merge_value_bets([bet(quoted), bet(quoted, 2.17, selection="Over 3.5")]))
    monkeypatch.setattr(panel.table, "underMouse", lambda: True)
    exhaust(quoted.board.merge_value_bets([bet(quoted)]))
    assert panel.table.model.rowCount() == 2, "a bet that goes stays where it is, struck"
    quoted.board.forget_service()
    assert panel.table.model.rowCount() == 0


def test_the_bet_that_was_chosen_is_marked_again_when_its_list_is_filled_again(
    panel: ValuesPanel, quoted: Any
) -> None:
    two = [bet(quoted), bet(quoted, 2.17, selection="Over 3.5")]
    games = [game(quoted.name), game()]
    quoted.board.load_games(games)
    exhaust(quoted.board.merge_value_bets(two))
    panel.table.set_current(1, 2)
    chosen, seen = panel.lists.bets.key_of_row(1), list[Any]()
    panel.price_selected.connect(seen.append)
    quoted.board.forget_service()
    assert not panel.table.current_cell().isValid()
    quoted.board.load_games(games)
    exhaust(quoted.board.merge_value_bets(two[:1]))
    quoted.board.load_games(games)
    exhaust(quoted.board.merge_value_bets(two))
    index = panel.table.current_cell()
    assert (panel.lists.bets.key_of_row(index.row()), index.column()) == (chosen, 2)
    assert seen == [], "who chose another price since keeps it explained"


def test_a_bet_is_selected_by_who_chooses_it_and_not_by_the_keyboard_that_comes(
    panel: ValuesPanel, quoted: Any
) -> None:
    """Qt makes the first cell current then and marks no row."""
    quoted.board.load_games([game(quoted.name), game()])
    exhaust(quoted.board.merge_value_bets([bet(quoted), bet(quoted, 2.17, selection="Over 3.5")]))
    seen = list[Any]()
    panel.price_selected.connect(seen.append)
    index, no_row = panel.table.model.index(0, 0), QItemSelectionModel.SelectionFlag.NoUpdate
    panel.table.scrolling.selectionModel().setCurrentIndex(index, no_row)
    assert seen == []
    panel.table.set_current(1)
    assert len(seen) == 1


def test_no_bet_of_before_a_loss_stays_under_a_pointer_that_nobody_moved_since(
    panel: ValuesPanel, quoted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The list stood struck through, under a pointer that was left there, until it was moved."""
    two = [bet(quoted), bet(quoted, 2.17, selection="Over 3.5")]
    quoted.board.load_games([game(quoted.name), game()])
    exhaust(quoted.board.merge_value_bets(two))
    monkeypatch.setattr(panel.table, "underMouse", lambda: True)
    for link in (Link.WAITING, Link.LIVE):
        quoted.board.set_connection(Connection(link=link, has_value_bets=True))
    exhaust(quoted.board.merge_value_bets([bet(quoted)]))
    assert panel.table.model.rowCount() == 1
    exhaust(quoted.board.merge_value_bets(two))
    monkeypatch.setattr(QCursor, "pos", lambda: QPoint(-1, -1))
    exhaust(quoted.board.merge_value_bets([bet(quoted)]))
    assert panel.table.model.rowCount() == 2, "somebody is there"


def test_a_bet_whose_price_moved_out_of_its_window_is_struck_and_counted_no_more(
    panel: ValuesPanel, quoted: Any, qtbot: QtBot
) -> None:
    be_value(quoted)
    qtbot.waitUntil(lambda: facts(panel).startswith("1 · stakes 7 of 1,000"))
    assert not panel.table.model.cell(0, 0).is_struck
    panel._idle.stop()  # which takes away rows that are gone
    be_value(quoted, 2.01)
    qtbot.waitUntil(lambda: panel.table.model.cell(0, 0).is_struck)
    qtbot.waitUntil(lambda: facts(panel).startswith("0 · vs Pinnacle · EV"))
    assert "No longer a value bet" in panel.table.model.tip(0, 0)


class HeldUp:
    """The time of a list that takes 2 ms of the processor, while others have it for 9 s."""

    def __init__(self) -> None:
        self.now, self.worked = time.perf_counter(), 0.0

    def perf_counter(self) -> float:
        return self.now

    def thread_time(self) -> float:
        self.now, self.worked = self.now + 4.5, self.worked + 0.001
        return self.worked


def test_moves_soon_after_a_list_wait_for_others_and_one_after_a_rest_does_not(
    panel: ValuesPanel, quoted: Any, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """How busy others keep the processor makes no list old: that came seconds late then."""
    monkeypatch.setattr("oddsdesk.desk.value_bets.lists.time", HeldUp())
    be_value(quoted)
    qtbot.waitUntil(lambda: panel.table.model.rowCount() == 1)
    lists = panel.lists
    be_value(quoted, 2.07)
    assert 200 < lists._moves.interval() <= 500
    panel._show_bets()
    assert row(panel)["Odds"] == "2.07", "at once where the user acts"
    lists._made_at -= 1
    be_value(quoted, 2.08)
    assert lists._moves.interval() == 20


def test_a_price_that_moves_within_its_window_shows_the_new_odds(
    panel: ValuesPanel, quoted: Any, qtbot: QtBot
) -> None:
    be_value(quoted)
    exhaust(quoted.board.merge_value_bets([everton(quoted)]))
    qtbot.waitUntil(lambda: row(panel)["Odds"] == "2.06")
    be_value(quoted, 2.08)
    qtbot.waitUntil(lambda: row(panel)["Odds"] == "2.08")
    assert facts(panel).startswith("1 · ")


def test_cells_of_a_row_that_stays_are_kept_and_look_as_if_they_were_made_anew(
    panel: ValuesPanel, quoted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    be_value(quoted)
    exhaust(
        quoted.board.merge_value_bets([everton(quoted), bet(quoted, 2.17, selection="Over 3.5")])
    )
    model = panel.lists.bets
    make, made = model._make, list[tuple[int, int]]()

    def making(row: int, column: int) -> Cell:
        made.append((row, column))
        return make(row, column)

    def looks() -> list[list[Cell]]:
        return [
            [model.cell(row, column)._replace(repaint_at_ms=0) for column in range(len(COLUMNS))]
            for row in range(model.rowCount())
        ]

    monkeypatch.setattr(model, "_make", making)
    panel.lists.show_bets(may_move=True)
    looks()
    for odds, seconds, rows in (
        (None, 0, set()),
        (2.08, 0, {0}),
        (2.08, 70, {0, 1}),
        (2.7, 9, {0, 1}),
    ):
        quoted.clock.now += seconds * 1_000
        if odds is not None:
            be_value(quoted, odds)
        panel.lists.show_bets(may_move=False)
        made.clear()
        kept = looks()
        assert {row for row, _ in made} == rows
        model._made.clear()
        assert kept == looks()


def test_rows_that_are_sorted_keep_their_cells_and_those_of_gone_ones_are_forgotten(
    panel: ValuesPanel, quoted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    be_value(quoted)
    listed = [everton(quoted), bet(quoted, 2.17, selection="Over 3.5")]
    exhaust(quoted.board.merge_value_bets(listed))
    panel.lists.show_bets(may_move=True)
    model = panel.lists.bets

    def looks() -> list[Cell]:
        return [model.cell(row, 0) for row in range(model.rowCount())]

    before = looks()
    assert len(before) == 2
    with monkeypatch.context() as patch:
        patch.setattr(model, "_make", None)
        model.sort_by(0)
        model.sort_by(0)
        assert sorted(looks()) == sorted(before)
    exhaust(quoted.board.merge_value_bets(listed[:1]))
    model.sort_now()
    assert model.rowCount() == len(model._made) == 1


def test_a_stale_price_says_so_and_has_no_stake(
    panel: ValuesPanel, quoted: Any, qtbot: QtBot
) -> None:
    be_value(quoted)
    qtbot.waitUntil(lambda: facts(panel).startswith("1 · stakes 7 of 1,000"))
    quoted.clock.now += 181_000
    quoted.board.sweep()
    qtbot.waitUntil(lambda: facts(panel).startswith("0 · 1 with warnings below"))
    panel.lists.bets.sort_now()
    assert row(panel)["Stake"] == "–"
    assert row(panel)["Warning"] == "stale: not seen lately"
    assert row(panel)["Seen"] == "3 min"
    assert "No stake: stale" in panel.table.model.tip(0, STAKE_COLUMN)
    be_value(quoted)
    quoted.tell("Pinnacle", "total", "Over 2.5", 1.94)
    qtbot.waitUntil(lambda: facts(panel).startswith("1 · stakes 7 of 1,000"))


def test_a_bet_whose_price_is_not_read_has_no_stake_until_its_age_is_known(
    panel: ValuesPanel, quoted: Any, qtbot: QtBot
) -> None:
    exhaust(quoted.board.merge_value_bets([bet(quoted)]))
    assert row(panel)["Seen"] == "?"
    assert row(panel)["Stake"] == "–"
    assert row(panel)["Warning"] == "age not known yet"
    assert panel.table.model.cell(0, TITLES.index("EV")).ink is TextRole.NOTE
    quoted.clock.now += 1_000
    exhaust(quoted.board.withdrawing_unheard(quoted.clock.now))
    qtbot.waitUntil(lambda: row(panel)["Warning"] == "no longer offered")
    assert row(panel)["Stake"] == "–"
    assert "age" not in panel.table.model.tip(0, TITLES.index("EV"))


def test_the_navigator_counts_what_the_value_list_counts(
    panel: ValuesPanel, theme: Theme, quoted: Any, layout: Layout, qtbot: QtBot
) -> None:
    game = Game(quoted.id, quoted.name, "EPL", "Football", None, False, 3, None)
    quoted.board.load_games([game])
    navigator = Navigator(
        quoted.board, theme, quoted.clock, Favourites(layout, quoted.clock), layout
    )
    qtbot.addWidget(navigator)

    def values() -> int:
        count = navigator._games.index(0).data(VALUE_COUNT_ROLE)
        assert isinstance(count, int)
        return count

    be_value(quoted)
    be_value(quoted, 2.07, "Bovada")
    qtbot.waitUntil(lambda: values() == 1, timeout=2_000)
    qtbot.waitUntil(lambda: facts(panel).startswith("1 · "))
    quoted.board.set_connection(Connection(link=Link.PAST, as_of_ms=quoted.clock.now))
    be_value(quoted, 2.08)
    panel._show_bets()
    qtbot.waitUntil(lambda: values() == 0, timeout=2_000)
    assert facts(panel).startswith("0 · ")
    quoted.board.set_connection(Connection(link=Link.LIVE))
    be_value(quoted, 2.07)
    qtbot.waitUntil(lambda: values() == 1, timeout=2_000)
    panel._show_bets()
    assert facts(panel).startswith("1 · ")
    quoted.clock.now += 240_000
    quoted.board.sweep()
    qtbot.waitUntil(lambda: values() == 0, timeout=2_000)
    qtbot.waitUntil(lambda: facts(panel).startswith("0 · "))
    navigator.close_panel()
