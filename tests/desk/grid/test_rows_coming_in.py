"""Rows that come or would move, and when they are put in place."""

import pytest
from PySide6.QtCore import Qt

from oddsdesk.board.model.notices import SnapshotProgress
from oddsdesk.desk.grid.panel import GridPanel
from tests.kit.grid import PRICES


@pytest.mark.parametrize(("took_s", "rests_ms"), [(0.01, 250), (0.06, 600), (3.0, 1_000)])
def test_rows_that_come_in_are_put_in_place_the_more_seldom_the_longer_it_takes(
    panel, quoted, qtbot, monkeypatch, took_s, rests_ms
):
    panel.show()
    panel._idle.stop()
    quoted.tell("Stake", "btts", "Yes", 1.9)
    qtbot.waitUntil(lambda: panel.model.misplaced > 0)
    monkeypatch.setattr("oddsdesk.desk.grid.panel.perf_counter", iter([1.0, 1.0 + took_s]).__next__)
    panel._on_idle_timeout()
    assert panel.model.kept_count == PRICES + 1
    assert panel._idle.interval() == rests_ms


def test_a_hidden_grid_rests_and_has_rows_in_place_as_it_is_shown(panel, quoted, qtbot):
    panel.show()
    panel.hide()
    assert not panel._idle.isActive()
    quoted.tell("Stake", "btts", "Yes", 1.9)
    qtbot.waitUntil(lambda: panel.model.misplaced > 0)
    panel.show()
    assert panel.model.kept_count == PRICES + 1
    assert panel._idle.isActive()


def test_rows_that_come_after_the_first_reading_wait_while_the_table_is_used(panel, quoted, qtbot):
    quoted.board.set_snapshot_progress(SnapshotProgress(1, 1, PRICES, finished_at=1))
    panel.show()
    panel.table.set_current(0)
    panel.table.scrolling.setFocus()
    quoted.tell("Stake", "btts", "Yes", 1.9)
    qtbot.waitUntil(lambda: panel.model.misplaced > 0)
    panel._on_idle_timeout()
    assert panel.model.kept_count == PRICES


def test_a_grid_that_opens_under_the_pointer_fills_though_all_was_read_for_others(
    theme, layout, quoted, qtbot, monkeypatch
):
    quoted.board.set_snapshot_progress(SnapshotProgress(1, 1, PRICES, finished_at=1))
    panel = GridPanel(quoted.board, theme, layout, quoted.clock)
    qtbot.addWidget(panel)
    panel._idles_since_filled = 99
    monkeypatch.setattr(panel.table, "underMouse", lambda: True)
    with qtbot.waitExposed(panel):
        panel.show()
    panel._idle.stop()
    quoted.board.keep_all_rows(True)
    qtbot.waitUntil(lambda: panel.model.kept_count > 0)
    quoted.tell("Stake", "btts", "Yes", 1.9)
    qtbot.waitUntil(lambda: panel.model.total == PRICES + 1)
    panel._on_idle_timeout()
    assert panel.model.kept_count == PRICES + 1
    panel.close_panel()


def test_what_waits_is_told_as_one_number_and_not_as_left_out(panel, quoted, qtbot):
    assert panel.filters._nothing.accessibleName().startswith("No filters.")
    quoted.tell("Stake", "btts", "Yes", 1.9)
    qtbot.waitUntil(lambda: panel.model.total == PRICES + 1)
    panel._show_state()
    assert panel.bar.count.accessibleName() == "18 of 19 prices"
    said = "1 more after the next re-sort (Shift+S)."
    assert panel.filters._nothing.accessibleName() == said
    panel.bar.arrange_requested.emit()
    assert panel.bar.count.accessibleName() == "19 prices"
    assert panel.filters._nothing.accessibleName().startswith("No filters.")


def test_rows_that_would_move_are_told_only_while_they_are_kept_from_it(panel, quoted, qtbot):
    quoted.board.set_snapshot_progress(SnapshotProgress(1, 1, PRICES, finished_at=1))
    panel._idles_since_filled = 99
    panel.resize(1_200, 600)
    with qtbot.waitExposed(panel):
        panel.show()
    panel._on_idle_timeout()
    panel._idle.stop()
    quoted.tell("Stake", "btts", "Yes", 1.9)
    qtbot.waitUntil(lambda: panel.model.misplaced > 0)
    panel._show_state()
    assert panel.bar.arrange.isHidden(), "they are sorted in by themselves within 2 s"
    panel.activateWindow()
    panel.table.set_current(0)
    panel.table.scrolling.setFocus()
    qtbot.waitUntil(panel.table.scrolling.hasFocus)
    panel._show_state()
    assert panel.bar.arrange.text() == "1 change – re-sort"
    panel.bar.filter.setFocus()
    qtbot.waitUntil(panel.bar.filter.hasFocus)
    panel._show_state()
    assert not panel.bar.arrange.isHidden(), "who leaves the table for it still finds it"
    panel._on_idle_timeout()
    assert panel.bar.arrange.isHidden()


def test_rows_settle_while_the_keyboard_is_in_the_table_and_none_is_chosen(panel, quoted, qtbot):
    quoted.board.set_snapshot_progress(SnapshotProgress(1, 1, PRICES, finished_at=1))
    panel._idles_since_filled = 99
    with qtbot.waitExposed(panel):
        panel.show()
    panel.activateWindow()
    panel.table.scrolling.setFocus()
    panel.table.scrolling.clearSelection()
    quoted.tell("Stake", "btts", "Yes", 1.9)
    qtbot.waitUntil(lambda: panel.model.misplaced > 0)
    panel._on_idle_timeout()
    qtbot.waitUntil(lambda: panel.model.kept_count == PRICES + 1)
    qtbot.keyClick(panel.table.scrolling, Qt.Key.Key_Down)
    assert panel.table.selected_rows() == [0]
