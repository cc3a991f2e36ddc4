"""The panel of the grid: counts, columns, and what is done with a row."""

from concurrent.futures import Future

import msgspec
import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices, QFontMetrics

from oddsdesk.board.board import Board
from oddsdesk.board.model.notices import Connection, Link, SnapshotProgress
from oddsdesk.desk.grid import panel
from oddsdesk.desk.grid.columns import BY_KEY, COLUMNS
from oddsdesk.desk.grid.entries import Shape
from oddsdesk.desk.grid.filter import GridFilter, Range
from oddsdesk.desk.grid.panel import GridPanel
from oddsdesk.desk.shell.window import focus_within
from oddsdesk.desk.ui.spacing import CELL_MARGIN, HALF
from oddsdesk.desk.ui.table.column_chooser import ColumnChooser
from tests.kit.grid import PRICES


def test_it_counts_what_is_shown_of_what_there_is(panel):
    assert panel.bar.count.accessibleName() == "18 prices"
    panel.show_filter(GridFilter(bookmakers=frozenset({"Bovada"})))
    assert panel.bar.count.accessibleName() == "5 of 18 prices"
    panel.bar.shapes.choose_chip(Shape.SELECTIONS.value)
    assert panel.bar.count.accessibleName() == "5 of 6 selections"


def test_it_never_counts_more_than_there_are(panel, quoted, qtbot):
    """A row whose price is gone stays where it is until rows are arranged (F4.6)."""
    quoted.clock.now += 60_000
    game = panel.model.book.selections()[0].key[0]
    quoted.board.end_game(game)
    quoted.clock.now += 600_000
    quoted.board.sweep()
    qtbot.waitUntil(lambda: panel.model.book.price_rows.count_present < PRICES)
    panel._show_state()
    assert panel.model.kept_count == PRICES
    assert panel.bar.count.accessibleName() == "18 prices"
    panel.model.arrange()
    panel._show_state()
    held = panel.model.book.price_rows.count_present
    assert panel.bar.count.accessibleName() == f"{held} prices"


def test_columns_shape_and_order_are_kept_between_starts(make_panel):
    first = make_panel()
    order = first.view.column_order()
    moved = [order[-1], *order[:-1]]
    first.view.show_columns(moved, first.model.columns - {BY_KEY["fair_odds"]})
    first.bar.shapes.choose_chip(Shape.SELECTIONS.value)
    first.bar.group.setChecked(True)
    first.model.sort_as(BY_KEY["odds"], False)
    first.view.keep_layout()
    second = make_panel()
    assert second.view.column_order() == moved
    assert second.model.is_hidden(BY_KEY["fair_odds"])
    assert (second.model.shape, second.model.is_grouped) == (Shape.SELECTIONS, True)
    assert second.model.sorted_by == (BY_KEY["odds"], False)
    assert second.bar.group.isChecked()


def test_a_filter_is_there_at_the_next_start(make_panel):
    first = make_panel()
    first.show_filter(GridFilter(words=("everton",), markets=frozenset({"moneyline"})))
    again = make_panel()
    assert again.model.filter == GridFilter()
    again.restore_filter()
    assert again.bar.filter.text() == "everton"
    assert again.model.filter.markets == {"moneyline"}
    again.show_filter(GridFilter())
    third = make_panel()
    third.restore_filter()
    assert third.model.filter == GridFilter()


@pytest.mark.parametrize("kept", ["", "{", '{"order": 3}', '{"order": ["gone"], "shown": ["x"]}'])
def test_a_kept_layout_that_makes_no_sense_leaves_the_usual_one(make_panel, layout, kept):
    layout.keep_word("grid/view", kept)
    panel = make_panel()
    assert panel.view.column_order() == list(range(1, len(COLUMNS)))
    assert not panel.model.is_hidden(BY_KEY["odds"])


def test_the_column_chooser_shows_and_hides(panel, theme, qtbot):
    popup = ColumnChooser(panel, theme, panel.view.column_choices())
    qtbot.addWidget(popup)
    popup.columns_changed.connect(panel.view.show_columns)
    item = next(
        popup.list.item(row)
        for row in range(popup.list.count())
        if popup.list.item(row).text() == "Worst"
    )
    item.setCheckState(item.checkState().Checked)
    assert not panel.model.is_hidden(BY_KEY["worst_odds"])
    assert panel.table.scrolling.columnWidth(BY_KEY["worst_odds"]) > 0
    panel.view.show_usual_columns()
    assert panel.model.is_hidden(BY_KEY["worst_odds"])


@pytest.mark.parametrize(
    ("url", "opened"),
    [
        ("https://bovada.example/slip", ["https://bovada.example/slip"]),
        ("javascript:alert(1)", []),
        ("ftp://bovada.example", []),
        (None, []),
    ],
)
def test_enter_opens_the_page_of_a_price_where_it_is_a_web_page(
    panel, quoted, qtbot, monkeypatch, url, opened
):
    found = []
    monkeypatch.setattr(
        QDesktopServices, "openUrl", lambda url: found.append(QUrl(url).toString()) or True
    )
    panel.show_filter(GridFilter(words=("over", "matchbook")))
    qtbot.waitUntil(lambda: panel.model.kept_count == 1)
    entry = panel.model.entry(0)
    entry.price = msgspec.structs.replace(entry.price, url=url)
    panel.table.set_current(0, 0)
    qtbot.keyClick(panel.table.scrolling, Qt.Key.Key_Return)
    assert found == opened


def test_a_market_has_room_for_its_period_and_games_take_no_more_than_their_names(
    panel, theme, qtbot
):
    def width(key: str) -> int:
        return panel.table.scrolling.columnWidth(BY_KEY[key])

    body, small = QFontMetrics(theme.fonts.body), QFontMetrics(theme.fonts.small)
    with qtbot.waitExposed(panel):
        panel.show()
    panel.resize(1_026, 600)
    texts = body.horizontalAdvance("Match result") + small.horizontalAdvance("2nd Period")
    assert width("market_type") >= texts + 2 * CELL_MARGIN + HALF
    panel.resize(1_960, 600)
    longest = body.horizontalAdvance("Oklahoma City Thunder v Minnesota Timberwolves")
    qtbot.waitUntil(lambda: width("game") > 300)
    assert width("game") < longest + 6 * CELL_MARGIN


def test_a_wide_grid_has_room_for_the_names_of_selections(panel, qtbot):
    panel.show()
    widths = {}
    for width in (1_026, 1_960):
        panel.resize(width, 600)
        qtbot.waitUntil(lambda: panel.table.width() == width)  # noqa: B023
        widths[width] = panel.table.frozen.columnWidth(0)
    text = QFontMetrics(panel.table.font()).horizontalAdvance("Minnesota Timberwolves +13.5")
    assert widths[1_960] > widths[1_026]
    assert widths[1_960] >= text


def test_a_click_tells_of_its_row_once(panel, qtbot):
    panel.show()
    heard = []
    panel.price_selected.connect(heard.append)
    table = panel.table
    for row, pane in ((1, table.scrolling), (3, table.scrolling), (2, table.frozen)):
        column = 0 if pane is table.frozen else 3
        spot = pane.visualRect(table.model.index(row, column)).center()
        qtbot.mouseClick(pane.viewport(), Qt.MouseButton.LeftButton, pos=spot)
    wanted = [panel.model.entry(row) for row in (1, 3, 2)]
    assert [(key.selection, key.bookmaker) for key in heard] == [
        (entry.selection.key.selection, entry.bookmaker) for entry in wanted
    ]


def test_n_chooses_the_rows_that_are_value_one_after_the_other(panel, quoted, qtbot):
    panel.show()
    panel.go_to_value(1)
    assert not panel.table.current_cell().isValid()
    quoted.clock.now += 1_000
    quoted.tell("Bovada", "moneyline", "Everton", 3.60)
    quoted.tell("Matchbook", "moneyline", "Draw", 3.60)
    qtbot.waitUntil(lambda: not panel.model.is_behind)
    panel.model.sort_as(BY_KEY["selection"], False)
    panel.activateWindow()
    panel.table.scrolling.setFocus()
    panel.table.set_current(panel.model.rowCount() - 1)
    found = []
    for modifier in (Qt.KeyboardModifier.NoModifier,) * 3 + (Qt.KeyboardModifier.ShiftModifier,):
        qtbot.keyClick(panel.table.scrolling, Qt.Key.Key_N, modifier)
        entry = panel.model.entry(panel.table.current_cell().row())
        found.append((entry.selection.key.selection, entry.bookmaker))
    draw, everton = ("Draw", "Matchbook"), ("Everton", "Bovada")
    assert found == [draw, everton, draw, everton]


def test_titles_of_games_have_room_that_selections_do_not_need(panel):
    panel.resize(1_200, 500)
    panel.show()
    frozen = panel.table.frozen
    narrow = frozen.columnWidth(0)
    panel._show_as(panel.model.shape, True)
    title = QFontMetrics(frozen.font()).horizontalAdvance("Minnesota Timberwolves v Boston Celtics")
    assert frozen.columnWidth(0) > title
    panel.resize(500, 500)
    assert frozen.width() <= 0.43 * panel.table.width() or frozen.columnWidth(0) == narrow
    panel.resize(1_200, 500)
    panel._show_as(panel.model.shape, False)
    assert frozen.columnWidth(0) == narrow


def test_a_row_has_a_menu_and_a_title_has_none(panel, quoted):
    panel.show()
    panel.table.set_current(0)
    panel.table.menu_requested.emit(panel.mapToGlobal(panel.rect().center()))
    menu = panel.price_actions.menu
    texts = [action.text() for action in menu.actions() if not action.isSeparator()]
    assert texts[:5] == [
        "Explain",
        "Record bet…",
        "Add to multiple…",
        "Alert me when the price reaches…",
        "Show in its game",
    ]
    assert menu.isVisible()
    menu.hide()
    panel._show_as(panel.model.shape, True)
    panel.table.set_current(0)
    panel.table.menu_requested.emit(panel.mapToGlobal(panel.rect().center()))
    assert not menu.isVisible()


def test_a_row_asks_for_its_game_at_its_price(panel, qtbot):
    panel.activateWindow()
    with qtbot.waitActive(panel):
        panel.show()
    panel.table.scrolling.setFocus()
    panel.table.set_current(2)
    entry = panel.model.entry(2)
    with qtbot.waitSignal(panel.price_requested) as asked:
        qtbot.keyClick(
            panel.table.scrolling, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier
        )
    assert asked.args == [(*entry.selection.key, entry.bookmaker)]


def test_a_view_is_saved_shown_again_and_deleted(panel, layout):
    wanted = GridFilter(bookmakers=frozenset({"Bovada"}), hold=Range(None, 9.0))
    panel.show_filter(wanted)
    panel.model.sort_as(BY_KEY["odds"], True, (BY_KEY["selection"], False))
    panel.views.save_view(" Bovada ")
    panel.show_filter(GridFilter(words=("draw",)))
    panel.model.sort_as(BY_KEY["selection"], False)
    (shown, *_) = panel.bar.views.menu_shown.actions()
    assert shown.text() == "Bovada"
    shown.trigger()
    assert panel.model.filter == wanted
    assert panel.model.sorted_by == (BY_KEY["odds"], True)
    assert panel.model.sorted_second_by == (BY_KEY["selection"], False)
    panel.views.delete_view("Bovada")
    assert panel.views.view_names == []


def test_equal_rows_stand_by_the_second_column_which_the_header_names(panel, qtbot):
    bookmaker, odds = BY_KEY["bookmaker"], BY_KEY["odds"]
    panel.model.sort_as(bookmaker, False)
    panel.model.sort_second_by(odds)
    rows = [panel.model.entry(row) for row in range(panel.model.rowCount())]
    assert [(e.bookmaker.casefold(), -e.odds) for e in rows] == sorted(
        (e.bookmaker.casefold(), -e.odds) for e in rows
    )
    assert panel.model.header(odds).title.endswith("²")
    with qtbot.waitExposed(panel):
        panel.show()
    panel.table.set_current(0, odds)
    qtbot.keyClick(panel.table.scrolling, Qt.Key.Key_O, Qt.KeyboardModifier.ShiftModifier)
    assert panel.model.sorted_second_by == (odds, False)
    qtbot.keyClick(panel.table.scrolling, Qt.Key.Key_O, Qt.KeyboardModifier.ShiftModifier)
    assert panel.model.sorted_second_by is None


NOW_MS = 1_776_340_800_000


def test_prices_read_for_others_before_are_said_to_be_loading(theme, layout, quoted, qtbot):
    """It said that there are no fresh prices, while thousands were on their way into it."""
    quoted.board.set_snapshot_progress(SnapshotProgress(1, 1, PRICES, finished_at=1))
    panel = GridPanel(quoted.board, theme, layout, quoted.clock)
    qtbot.addWidget(panel)
    quoted.board.keep_all_rows(True)  # which it asks for as it is shown
    assert panel.model.total == 0
    assert panel.placeholder._sentence.text() == "Loading all prices…"
    qtbot.waitUntil(lambda: panel.model.total == PRICES)
    panel.close_panel()


def test_reading_can_be_stopped_and_goes_on(panel, quoted, qtbot):
    quoted.board.set_snapshot_progress(SnapshotProgress(3, 26, 1_500))
    assert panel.bar.reading.accessibleName() == "loading part 3 of 26"
    with qtbot.waitSignal(panel.pause_requested) as heard:
        panel.bar.pause.click()
    assert heard.args == [True]
    quoted.board.set_snapshot_progress(SnapshotProgress(3, 26, 1_500, is_paused=True))
    assert panel.bar.pause.text() == "Resume updates"
    with qtbot.waitSignal(panel.pause_requested) as heard:
        panel.bar.pause.click()
    assert heard.args == [False]


def test_slices_that_could_not_be_read_are_named(panel, quoted):
    quoted.board.set_snapshot_progress(SnapshotProgress(9, 9, 900, ("EPL, Total",), NOW_MS))
    assert panel.messages.message_text.startswith("Not all prices could be read: EPL, Total. ")
    quoted.board.set_snapshot_progress(SnapshotProgress(9, 9, 900, (), NOW_MS))
    assert panel.messages.isHidden()


def test_a_lost_connection_leaves_the_last_prices_and_is_told_by_the_window_alone(panel, quoted):
    lost = Connection(Link.WAITING, "the service does not answer", NOW_MS, NOW_MS + 8_000)
    quoted.board.set_connection(lost)
    assert panel.model.kept_count == PRICES
    assert panel.messages.isHidden()


@pytest.mark.parametrize(
    ("connection", "snapshot_progress", "total", "sentence"),
    [
        (Connection(), SnapshotProgress(), 0, "Loading all prices…"),
        (Connection(), SnapshotProgress(1, 1, 0, (), NOW_MS), 0, "The service has no prices now."),
        (Connection(), SnapshotProgress(is_paused=True), 0, "Updates are paused."),
        (Connection(Link.WAITING, "gone"), SnapshotProgress(), 0, "Not connected."),
        (Connection(reason="none"), SnapshotProgress(), 0, "Not connected."),
        (Connection(Link.REFUSED), SnapshotProgress(), 0, "The service refused this key."),
        (Connection(Link.LIVE), SnapshotProgress(), 9, "No row matches the filter."),
    ],
)
def test_each_state_looks_different(connection, snapshot_progress, total, sentence):
    state = panel.state_without_rows(connection, snapshot_progress, total, NOW_MS)
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
        quoted.board.keep_all_rows(True)
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
    quoted.board.keep_all_rows(True)
    qtbot.waitUntil(lambda: panel.model.kept_count > 0)
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
    quoted.board.keep_all_rows(True)
    qtbot.waitUntil(lambda: panel.model.misplaced == PRICES)
    panel._on_idle_timeout()
    assert panel.model.kept_count == 0
    importing.set_result(None)
    panel._on_idle_timeout()
    assert panel.model.kept_count == PRICES
    panel.close_panel()


def test_the_first_reading_shows_rows_as_they_come_though_the_table_has_the_keyboard(
    panel, quoted, qtbot
):
    panel.show()
    panel.table.scrolling.setFocus()
    panel.table.scrolling.clearSelection()
    quoted.tell("Stake", "btts", "Yes", 1.9)
    qtbot.waitUntil(lambda: panel.model.kept_count == PRICES + 1)
