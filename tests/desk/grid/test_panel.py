"""The grid's panel: states, filters as chips, columns kept, rows copied and written."""

import csv
import sys
from concurrent.futures import Future

import msgspec
import pytest
from PySide6.QtCore import QItemSelectionModel, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QFontMetrics, QGuiApplication
from PySide6.QtWidgets import QFileDialog

from oddsdesk.board.board import Board
from oddsdesk.board.connection import Connection, Link, SnapshotProgress
from oddsdesk.desk.export.files import CSV, XLSX
from oddsdesk.desk.grid import states
from oddsdesk.desk.grid.columns import BY_KEY, COLUMNS
from oddsdesk.desk.grid.entries import Shape
from oddsdesk.desk.grid.filter import GridFilter, Range
from oddsdesk.desk.grid.filter_bar import ChoicePopup, RangePopup
from oddsdesk.desk.grid.panel import GridPanel
from oddsdesk.desk.shell.window import focus_within
from oddsdesk.desk.ui.table.column_chooser import ColumnChooser
from oddsdesk.desk.ui.theme.tokens import CELL_MARGIN, HALF
from oddsdesk.installed import how_to_install

PRICES = 18
NOW_MS = 1_776_340_800_000


@pytest.fixture
def make_panel(theme, layout, quoted, qtbot):
    made = []

    def make() -> GridPanel:
        panel = GridPanel(quoted.board, theme, layout, quoted.clock)
        made.append(panel)
        qtbot.addWidget(panel)
        quoted.board.want_rows(True)
        qtbot.waitUntil(lambda: panel.model.book.price_rows.count == PRICES)
        panel.model.arrange()
        return panel

    yield make
    for panel in made:
        panel.close_panel()


@pytest.fixture
def panel(make_panel):
    return make_panel()


def test_it_counts_what_is_shown_of_what_there_is(panel):
    assert panel.bar.count.accessibleName() == "18 prices"
    panel.show_filter(GridFilter(bookmakers=frozenset({"Bovada"})))
    assert panel.bar.count.accessibleName() == "5 of 18 prices"
    panel.bar.shapes.choose(Shape.SELECTIONS.value)
    assert panel.bar.count.accessibleName() == "5 of 6 selections"


def test_it_never_counts_more_than_there_are(panel, quoted, qtbot):
    """A row whose price is gone stays where it is until rows are arranged (F4.6)."""
    quoted.clock.now += 60_000
    game = panel.model.book.selections()[0].key[0]
    quoted.board.end_game(game)
    quoted.clock.now += 600_000
    quoted.board.sweep()
    qtbot.waitUntil(lambda: panel.model.book.price_rows.count < PRICES)
    panel._show_state()
    assert panel.model.count == PRICES
    assert panel.bar.count.accessibleName() == "18 prices"
    panel.model.arrange()
    panel._show_state()
    assert panel.bar.count.accessibleName() == f"{panel.model.book.price_rows.count} prices"


def test_competitions_are_told_when_the_filter_names_others(panel):
    told = []
    panel.competitions_chosen.connect(told.append)
    panel.show_filter(GridFilter(competitions=frozenset({"EPL"})))
    panel.show_filter(GridFilter(competitions=frozenset({"EPL"}), odds=Range(3.0)))
    panel.show_filter(GridFilter())
    assert told == [frozenset({"EPL"}), frozenset()]


def test_typing_filters_and_clearing_all_forgets_the_words_too(panel, qtbot):
    panel.bar.filter.setText("bovada")
    qtbot.waitUntil(lambda: panel.model.count == 5)
    panel.filters._set("odds", Range(3.0))
    assert panel.model.count == 2
    panel.filters.cleared.emit()
    assert (panel.model.count, panel.bar.filter.text()) == (PRICES, "")
    assert not panel.filters.chips


def test_what_is_left_out_is_counted_and_one_click_shows_it(panel):
    panel.show_filter(GridFilter(bookmakers=frozenset({"Bovada"})))
    assert panel.filters._clear.text() == f"{PRICES - 5} hidden · Show all"
    panel.filters._clear.click()
    assert panel.model.count == PRICES
    assert panel.filters._clear.isHidden()


def test_rows_are_left_out_by_the_hold_of_their_bookmaker_and_by_kick_off(panel, quoted):
    hold = BY_KEY["hold_pct"]
    held = {panel.model.cell(row, hold).text for row in range(panel.model.rowCount())}
    assert len(held - {""}) > 1
    panel.show_filter(GridFilter(hold=Range(None, 4.0)))
    few = panel.model.count
    assert 0 < few < PRICES
    hours = (panel.model.entry(0).selection.kick_off - quoted.clock.now) / 3_600_000
    panel.show_filter(GridFilter(kick_off=Range(0, hours - 0.01)))
    assert panel.model.count == 0
    quoted.clock.now += 60_000
    panel.model.arrange()
    assert panel.model.count == PRICES


def test_each_chip_removes_its_own_filter(panel):
    panel.show_filter(GridFilter(bookmakers=frozenset({"Bovada"}), odds=Range(3.0)))
    assert [chip.text() for chip in panel.filters.chips.values()] == ["Bovada", "Odds ≥ 3.00"]
    panel.filters.chips["odds"].click()
    assert panel.model.filter == GridFilter(bookmakers=frozenset({"Bovada"}))
    panel.filters.chips["bookmakers"].click()
    assert panel.model.filter.is_open


def test_a_filter_without_rows_says_so_and_offers_to_clear(panel):
    panel.show_filter(GridFilter(words=("xyzzy",)))
    assert panel._stack.currentWidget() is panel.placeholder
    panel.placeholder.action_requested.emit()
    assert panel.model.count == PRICES
    assert panel._stack.currentWidget() is panel.table


def test_ticking_a_bookmaker_filters_at_once(panel, theme, qtbot):
    offered = list(panel.filters._choices("bookmakers"))
    assert [key for key, _ in offered] == ["Betsson", "Bovada", "Matchbook", "Pinnacle", "Unibet"]
    popup = ChoicePopup(panel, theme, "Bookmaker", offered, [])
    qtbot.addWidget(popup)
    heard = []
    popup.chosen_changed.connect(heard.append)
    popup.list.item(1).setCheckState(popup.list.item(1).checkState().Checked)
    popup.search.setText("match")
    assert [popup.list.item(row).isHidden() for row in range(5)] == [True, True, False, True, True]
    popup._clear.click()
    assert heard == [frozenset({"Bovada"}), frozenset()]


def test_a_typed_range_is_taken_in_either_order(panel, qtbot):
    popup = RangePopup(panel, panel._theme, "Odds", "", Range())
    qtbot.addWidget(popup)
    popup.least.setText("3")
    popup.most.setText("1,5")
    with qtbot.waitSignal(popup.range_chosen) as heard:
        popup._apply.click()
    assert heard.args == [Range(1.5, 3.0)]


def test_a_range_of_odds_is_typed_as_the_desk_writes_them(panel, qtbot, american_odds):
    panel.filters._type_odds()
    popup = panel.filters.popup
    popup.least.setText("2.2")
    popup._apply.click()
    assert popup.problem.text().startswith("Expected american odds such as ")
    popup.least.setText("+120")
    popup.most.setText("-110")
    with qtbot.waitSignal(popup.range_chosen) as heard:
        popup._apply.click()
    assert heard.args == [Range(1 + 100 / 110, 2.2)]


def test_columns_shape_and_order_are_kept_between_starts(make_panel):
    first = make_panel()
    order = first.view.order()
    moved = [order[-1], *order[:-1]]
    first.view.show_columns(moved, first.model.columns - {BY_KEY["fair_odds"]})
    first.bar.shapes.choose(Shape.SELECTIONS.value)
    first.bar.group.setChecked(True)
    first.model.sort_as(BY_KEY["odds"], False)
    first.view.keep()
    second = make_panel()
    assert second.view.order() == moved
    assert second.model.is_hidden(BY_KEY["fair_odds"])
    assert (second.model.shape, second.model.is_grouped) == (Shape.SELECTIONS, True)
    assert second.model.sorted_by == (BY_KEY["odds"], False)
    assert second.bar.group.isChecked()


@pytest.mark.parametrize("kept", ["", "{", '{"order": 3}', '{"order": ["gone"], "shown": ["x"]}'])
def test_a_kept_layout_that_makes_no_sense_leaves_the_usual_one(make_panel, layout, kept):
    layout.put("grid/view", kept)
    panel = make_panel()
    assert panel.view.order() == list(range(1, len(COLUMNS)))
    assert not panel.model.is_hidden(BY_KEY["odds"])


def test_the_column_chooser_shows_and_hides(panel, theme, qtbot):
    popup = ColumnChooser(panel, theme, panel.view.choices())
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


def test_rows_are_copied_as_a_table(panel, qtbot):
    panel.show_filter(GridFilter(words=("over", "matchbook")))
    with qtbot.waitSignal(panel.export.ended) as heard:
        panel.copy()
    lines = QGuiApplication.clipboard().text().splitlines()
    assert heard.args == ["1 row copied."]
    assert lines[0].startswith("Selection\tGame\t")
    assert lines[1].startswith("Over 2.5\tEverton - Liverpool\t2026-04-19T07:00:00.000Z\ttotal\t")
    assert "<table>" in QGuiApplication.clipboard().mimeData().html()


@pytest.mark.parametrize("rows", [1, 3])
def test_only_rows_that_are_marked_are_copied(panel, qtbot, rows):
    view = panel.table.scrolling
    view.selectRow(0)
    for row in range(1, rows):
        select = QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows
        view.selectionModel().select(panel.model.index(row, 0), select)
    with qtbot.waitSignal(panel.export.ended) as heard:
        panel.copy()
    assert heard.args == [f"{rows} row{'s' if rows > 1 else ''} copied."]
    assert len(QGuiApplication.clipboard().text().splitlines()) == rows + 1


def test_the_title_of_a_game_stands_for_its_rows(panel, qtbot):
    panel.model.show_as(Shape.PRICES, grouped=True)
    assert panel.model.entry(0) is None
    panel.table.scrolling.selectRow(0)
    with qtbot.waitSignal(panel.export.ended) as heard:
        panel.copy()
    assert heard.args == [f"{PRICES} rows copied."]
    assert len(panel.model.entries_at([0, 1])) == PRICES


def test_rows_are_written_as_shown(panel, tmp_path, qtbot):
    panel.model.sort_as(BY_KEY["odds"], True)
    path = tmp_path / "odds.csv"
    with qtbot.waitSignal(panel.export.ended):
        panel.write(CSV, path)
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    odds = [float(row["odds"]) for row in rows]
    assert len(rows) == PRICES
    assert odds == sorted(odds, reverse=True)
    assert rows[0]["scraped_at"] == "2026-04-16T12:00:00.000Z"
    assert rows[0]["bookmakers"] == "1"
    judged = {row["per"] for row in rows if row["ev_pct"]}
    assert (judged, {row["per"] for row in rows if not row["ev_pct"]}) == ({"staked"}, {""})
    assert panel.messages.text == f"18 rows written to {path}."
    names = ("game_id", "bookmaker", "market_type", "period", "is_live", "selection")
    assert len({tuple(row[name] for name in names) for row in rows}) == PRICES
    assert {row["is_value"] for row in rows if not row["ev_pct"]} == {"false"}


def test_what_a_workbook_needs_is_said_before_a_file_is_asked_for_and_stays(
    panel, qtbot, monkeypatch
):
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    panel.bar.export_requested.emit(XLSX)
    assert panel.findChild(QFileDialog) is None
    for _ in range(3):
        panel._tell_cuts()
    assert not panel.messages.isHidden()
    assert how_to_install("xlsx") in panel.messages.text


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
    qtbot.waitUntil(lambda: panel.model.count == 1)
    entry = panel.model.entry(0)
    entry.price = msgspec.structs.replace(entry.price, url=url)
    panel.table.set_current(0, 0)
    qtbot.keyClick(panel.table.scrolling, Qt.Key.Key_Return)
    assert found == opened


def test_rows_that_are_written_name_the_sources(panel, quoted, tmp_path, qtbot):
    told = msgspec.structs.replace(quoted.board.connection, sources=("polymarket", "the-odds-api"))
    quoted.board.set_connection(told)
    path = tmp_path / "odds.csv"
    with qtbot.waitSignal(panel.export.ended):
        panel.write(CSV, path)
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["sources"] for row in rows} == {"polymarket, the-odds-api"}


def test_what_cannot_be_written_is_one_line(panel, tmp_path, qtbot):
    with qtbot.waitSignal(panel.export.failed):
        panel.write(CSV, tmp_path / "nowhere" / "odds.csv")
    assert "cannot be written: No such file or directory" in panel.messages.text


def test_an_export_does_not_end_the_one_before(panel, tmp_path, qtbot):
    with qtbot.waitSignal(panel.export.ended) as heard:
        panel.write(CSV, tmp_path / "all.csv")
        panel.show_filter(GridFilter(words=("over", "matchbook")))
        panel.write(CSV, tmp_path / "some.csv")
        panel.copy()
    all_path, some_path = tmp_path / "all.csv", tmp_path / "some.csv"
    assert heard.args == [
        f"18 rows written to {all_path}. 1 row written to {some_path}. 1 row copied."
    ]
    assert len(all_path.read_text().splitlines()) == 1 + PRICES
    assert len(some_path.read_text().splitlines()) == 2
    assert QGuiApplication.clipboard().text().count("\n") == 2


def test_an_export_that_fails_says_so_though_another_follows(panel, tmp_path, qtbot):
    with qtbot.waitSignal(panel.export.failed) as heard:
        panel.write(CSV, tmp_path / "nowhere" / "odds.csv")
        panel.write(CSV, tmp_path / "odds.csv")
    assert "nowhere/odds.csv cannot be written" in heard.args[0]
    assert f"18 rows written to {tmp_path / 'odds.csv'}." in heard.args[0]
    assert (tmp_path / "odds.csv").exists()


def test_a_stopped_export_writes_nothing(panel, tmp_path):
    panel.write(CSV, tmp_path / "odds.csv")
    panel.write(CSV, tmp_path / "later.csv")
    panel.messages.action_requested.emit()
    assert not panel.export.is_busy
    assert panel.messages.text == "Stopped: nothing was written to odds.csv, later.csv."
    assert not list(tmp_path.glob("*.csv"))


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


def test_slices_that_were_cut_are_named(panel, quoted):
    quoted.board.set_snapshot_progress(SnapshotProgress(9, 9, 900, ("EPL, total",), NOW_MS))
    assert "cut 1 slice at its limit" in panel.messages.text
    assert "EPL, total" in panel.messages.text


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
    assert not panel.table.current().isValid()
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
        entry = panel.model.entry(panel.table.current().row())
        found.append((entry.selection.key.selection, entry.bookmaker))
    draw, everton = ("Draw", "Matchbook"), ("Everton", "Bovada")
    assert found == [draw, everton, draw, everton]


def test_a_bookmaker_is_hidden_by_a_filter_that_is_seen(panel, qtbot):
    panel.show()
    rows = range(panel.model.rowCount())
    panel.table.set_current(next(r for r in rows if panel.model.entry(r).bookmaker == "Bovada"))
    panel.hide_bookmaker()
    assert panel.model.count == PRICES - 5
    assert "bookmakers" in panel.filters.chips
    panel.table.set_current(0)
    name = panel.model.entry(0).bookmaker
    panel.hide_bookmaker()
    assert {name, "Bovada"}.isdisjoint(panel.model.filter.bookmakers)
    panel.filters.chips["bookmakers"].click()
    assert panel.model.count == PRICES


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
    assert texts[:4] == [
        "Explain",
        "Mark as placed…",
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


def test_the_first_reading_shows_rows_as_they_come_though_the_table_has_the_keyboard(
    panel, quoted, qtbot
):
    panel.show()
    panel.table.scrolling.setFocus()
    panel.table.scrolling.clearSelection()
    quoted.tell("Stake", "btts", "Yes", 1.9)
    qtbot.waitUntil(lambda: panel.model.count == PRICES + 1)


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
    assert panel.model.count == PRICES + 1
    assert panel._idle.interval() == rests_ms


def test_rows_that_come_after_the_first_reading_wait_while_the_table_is_used(panel, quoted, qtbot):
    quoted.board.set_snapshot_progress(SnapshotProgress(1, 1, PRICES, finished_at=1))
    panel.show()
    panel.table.set_current(0)
    panel.table.scrolling.setFocus()
    quoted.tell("Stake", "btts", "Yes", 1.9)
    qtbot.waitUntil(lambda: panel.model.misplaced > 0)
    panel._on_idle_timeout()
    assert panel.model.count == PRICES


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
    quoted.board.want_rows(True)
    qtbot.waitUntil(lambda: panel.model.count > 0)
    quoted.tell("Stake", "btts", "Yes", 1.9)
    qtbot.waitUntil(lambda: panel.model.total == PRICES + 1)
    panel._on_idle_timeout()
    assert panel.model.count == PRICES + 1
    panel.close_panel()


def test_what_waits_is_told_as_one_number_and_not_as_left_out(panel, quoted, qtbot):
    assert panel.filters._nothing.accessibleName().startswith("Nothing is left out.")
    quoted.tell("Stake", "btts", "Yes", 1.9)
    qtbot.waitUntil(lambda: panel.model.total == PRICES + 1)
    panel._show_state()
    assert panel.bar.count.accessibleName() == "18 of 19 prices"
    said = "1 comes in with the next sort (Shift+S)."
    assert panel.filters._nothing.accessibleName() == said
    panel.bar.arrange_requested.emit()
    assert panel.bar.count.accessibleName() == "19 prices"
    assert panel.filters._nothing.accessibleName().startswith("Nothing is left out.")


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
    assert panel.bar.arrange.text() == "1 row would move"
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
    qtbot.waitUntil(lambda: panel.model.count == PRICES + 1)
    qtbot.keyClick(panel.table.scrolling, Qt.Key.Key_Down)
    assert panel.table.selected_rows() == [0]


def test_a_view_is_saved_shown_again_and_deleted(panel, layout):
    wanted = GridFilter(bookmakers=frozenset({"Bovada"}), hold=Range(None, 9.0))
    panel.show_filter(wanted)
    panel.model.sort_as(BY_KEY["odds"], True, (BY_KEY["selection"], False))
    panel.views.save(" Bovada ")
    panel.show_filter(GridFilter(words=("draw",)))
    panel.model.sort_as(BY_KEY["selection"], False)
    (shown, *_) = panel.bar.views.menu_shown.actions()
    assert shown.text() == "Bovada"
    shown.trigger()
    assert panel.model.filter == wanted
    assert panel.model.sorted_by == (BY_KEY["odds"], True)
    assert panel.model.sorted_second_by == (BY_KEY["selection"], False)
    panel.views.delete("Bovada")
    assert panel.views.names == []


def test_equal_rows_stand_by_the_second_column_which_the_header_names(panel, qtbot):
    bookmaker, odds = BY_KEY["bookmaker"], BY_KEY["odds"]
    panel.model.sort_as(bookmaker, False)
    panel.model.sort_second_by(odds)
    rows = [panel.model.entry(row) for row in range(panel.model.rowCount())]
    assert [(e.name.casefold(), -e.odds) for e in rows] == sorted(
        (e.name.casefold(), -e.odds) for e in rows
    )
    assert panel.model.header(odds).title.endswith("²")
    with qtbot.waitExposed(panel):
        panel.show()
    panel.table.set_current(0, odds)
    qtbot.keyClick(panel.table.scrolling, Qt.Key.Key_O, Qt.KeyboardModifier.ShiftModifier)
    assert panel.model.sorted_second_by == (odds, False)
    qtbot.keyClick(panel.table.scrolling, Qt.Key.Key_O, Qt.KeyboardModifier.ShiftModifier)
    assert panel.model.sorted_second_by is None
