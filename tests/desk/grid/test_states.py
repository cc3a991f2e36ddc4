"""What the grid says and shows while prices are read, and where there are none."""

from concurrent.futures import Future

import pytest
from PySide6.QtCore import Qt

from oddsdesk.board.board import Board
from oddsdesk.board.connection import Connection, Link, SnapshotProgress
from oddsdesk.desk.grid import states
from oddsdesk.desk.grid.panel import GridPanel
from oddsdesk.desk.shell.window import focus_within
from tests.kit.grid import PRICES

NOW_MS = 1_776_340_800_000


def test_reading_can_be_stopped_and_goes_on(panel, quoted, qtbot):
    quoted.board.set_snapshot_progress(SnapshotProgress(3, 26, 1_500))
    assert panel.bar.reading.accessibleName() == "reading slice 3 of 26"
    with qtbot.waitSignal(panel.pause_requested) as heard:
        panel.bar.pause.click()
    assert heard.args == [True]
    quoted.board.set_snapshot_progress(SnapshotProgress(3, 26, 1_500, is_paused=True))
    assert panel.bar.pause.text() == "Continue reading"
    with qtbot.waitSignal(panel.pause_requested) as heard:
        panel.bar.pause.click()
    assert heard.args == [False]


def test_slices_that_could_not_be_read_are_named(panel, quoted):
    quoted.board.set_snapshot_progress(SnapshotProgress(9, 9, 900, ("EPL, Total",), NOW_MS))
    assert panel.messages.text.startswith("Not all prices could be read: EPL, Total. ")
    quoted.board.set_snapshot_progress(SnapshotProgress(9, 9, 900, (), NOW_MS))
    assert panel.messages.isHidden()


def test_a_lost_connection_leaves_the_last_prices_and_is_told_by_the_window_alone(panel, quoted):
    lost = Connection(Link.WAITING, "the service does not answer", NOW_MS, NOW_MS + 8_000)
    quoted.board.set_connection(lost)
    assert panel.model.count == PRICES
    assert panel.messages.isHidden()


@pytest.mark.parametrize(
    ("connection", "snapshot_progress", "total", "sentence"),
    [
        (Connection(), SnapshotProgress(), 0, "Reading all prices…"),
        (Connection(), SnapshotProgress(1, 1, 0, (), NOW_MS), 0, "The service has no prices now."),
        (Connection(), SnapshotProgress(is_paused=True), 0, "Reading is stopped."),
        (Connection(Link.WAITING, "gone"), SnapshotProgress(), 0, "Not connected."),
        (Connection(reason="none"), SnapshotProgress(), 0, "Not connected."),
        (Connection(Link.REFUSED), SnapshotProgress(), 0, "The service does not let this key in."),
        (Connection(Link.LIVE), SnapshotProgress(), 9, "No row matches the filter."),
    ],
)
def test_each_state_looks_different(connection, snapshot_progress, total, sentence):
    state = states.state_without_rows(connection, snapshot_progress, total, NOW_MS)
    assert state.sentence == sentence


def test_where_there_is_no_service_no_reading_can_be_stopped(panel, quoted):
    quoted.board.set_connection(Connection())
    assert panel.bar.pause.isVisibleTo(panel)
    quoted.board.set_connection(Connection(reason="it is served by another program"))
    assert not panel.bar.pause.isVisibleTo(panel)


def test_what_the_plan_leaves_out_is_said(panel, quoted):
    quoted.board.set_connection(Connection(Link.LIVE, has_live=False))
    assert panel.bar.reading.accessibleName() == "in-play prices are not in your plan"


def test_an_empty_board_is_being_read(theme, layout, quoted, qtbot):
    panel = GridPanel(Board(quoted.clock), theme, layout, quoted.clock)
    qtbot.addWidget(panel)
    assert panel._stack.currentWidget() is panel.placeholder
    panel.close_panel()


def test_the_keyboard_waits_for_the_first_rows_and_is_in_them_then(theme, layout, quoted, qtbot):
    panel = GridPanel(quoted.board, theme, layout, quoted.clock)
    qtbot.addWidget(panel)
    with qtbot.waitExposed(panel):
        panel.show()
    panel.activateWindow()
    focus_within(panel)
    assert panel.bar.pause.hasFocus()
    with qtbot.assertNotEmitted(panel.price_selected):
        quoted.board.want_rows(True)
        qtbot.waitUntil(panel.table.scrolling.hasFocus)
    with qtbot.waitSignal(panel.price_selected):
        qtbot.keyClick(panel.table.scrolling, Qt.Key.Key_Down)
    panel.close_panel()


def test_the_first_rows_wait_for_no_others(theme, layout, quoted, qtbot):
    panel = GridPanel(quoted.board, theme, layout, quoted.clock)
    qtbot.addWidget(panel)
    with qtbot.waitExposed(panel):
        panel.show()
    panel._idle.stop()  # which puts rows in their places now and then
    panel.model._count_timer.setInterval(3_600_000)
    quoted.board.want_rows(True)
    qtbot.waitUntil(lambda: panel.model.count > 0)
    assert panel.table.isVisible()
    panel.close_panel()


def test_no_row_is_put_in_place_before_arrays_are_imported(
    theme, layout, quoted, qtbot, monkeypatch
):
    """The window would stand still for as long as that takes."""
    importing = Future()
    monkeypatch.setattr("oddsdesk.desk.grid.model._importing_arrays", lambda: importing)
    panel = GridPanel(quoted.board, theme, layout, quoted.clock)
    qtbot.addWidget(panel)
    with qtbot.waitExposed(panel):
        panel.show()
    quoted.board.want_rows(True)
    qtbot.waitUntil(lambda: panel.model.misplaced == PRICES)
    panel._on_idle_timeout()
    assert panel.model.count == 0
    importing.set_result(None)
    panel._on_idle_timeout()
    assert panel.model.count == PRICES
    panel.close_panel()


def test_the_first_reading_shows_rows_as_they_come_though_the_table_has_the_keyboard(
    panel, quoted, qtbot
):
    panel.show()
    panel.table.scrolling.setFocus()
    panel.table.scrolling.clearSelection()
    quoted.tell("Stake", "btts", "Yes", 1.9)
    qtbot.waitUntil(lambda: panel.model.count == PRICES + 1)
