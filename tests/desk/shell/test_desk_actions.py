"""The whole desk: what its menus and buttons do, the palette does too."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDockWidget, QMenu, QTreeView, QWidget
from pytestqt.qtbot import QtBot

from oddsdesk.base.tasks import exhaust
from oddsdesk.board.alerts.gate import Alert, AlertEntry
from oddsdesk.board.model.matrix import RowKey
from oddsdesk.board.model.notices import Connection, Link
from oddsdesk.board.opportunities.finder import Opportunity
from oddsdesk.board.opportunities.offers import LegsToPlace, Opportunities
from oddsdesk.desk.alerts.rules_dialog import RulesDialog
from oddsdesk.desk.explain.panel import ExplainPanel
from oddsdesk.desk.grid.columns import BY_KEY
from oddsdesk.desk.matrix.panel import MatrixPanel
from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.saved_state import Layout, Preferences
from oddsdesk.desk.shell.assembly import Desk
from oddsdesk.desk.shell.layouts import LayoutButton
from oddsdesk.desk.shell.navigation import setting_entries
from oddsdesk.desk.shell.palette import Entry, Kind, matching
from oddsdesk.desk.shell.search_words import FOUND_FIRST
from oddsdesk.desk.ui.actions import ACTIONS, BY_IDENT, Where
from oddsdesk.desk.ui.controls.messages import MessageBar
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.value_bets.placing import PlaceDialog
from oddsdesk.desk.value_bets.slip import SlipDialog
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.pricing.opportunities import Split
from tests.kit.value_bets import OVER

BOUND_BY_THE_PROGRAM = {
    "connection.new",
    "connection.edit",
    "server.live",
    "server.open",
    "server.import",
    "app.settings",
    "app.bookmakers",
    *(action.ident for action in ACTIONS if action.ident.startswith("past.")),
}
"""What the composition root binds, since it knows connections and dialogs."""


@pytest.fixture
def desk(theme: Theme, quoted: Any, qtbot: QtBot, tmp_path: Path) -> Iterator[Desk]:
    layout = Layout(tmp_path / "desk.ini")
    records = Records(tmp_path / "ledger.db")
    made = Desk(quoted.board, theme, layout, Preferences(layout), records, quoted.clock)
    qtbot.addWidget(made.window)
    made.window.restore_window()
    made.open_game_in_new_tab(quoted.id)
    with qtbot.waitExposed(made.window):
        made.window.show()
    yield made
    made.close_desk()
    records.close_records()


def entries(desk: Desk) -> list[Entry]:
    return [entry for provider in desk.around.palette._providers for entry in provider()]


def entry(desk: Desk, title: str) -> Entry:
    return next(found for found in entries(desk) if found.title.startswith(title))


def test_every_declared_action_is_carried_out_by_something(desk: Desk) -> None:
    offered = {action.ident for action in ACTIONS if action.is_offered}
    found = {action.ident for action in desk.around.actions.offered()}
    assert offered - found == BOUND_BY_THE_PROGRAM


def test_a_layout_can_be_deleted_from_the_palette_or_it_says_why_not(desk: Desk) -> None:
    why = "No saved layout is in use. Switch to the one you want to delete."
    grey = entry(desk, "Delete layout")
    assert (grey.is_grey, grey.note) == (True, why)
    grey.run()
    assert desk.window.messages._bar.message_text == why
    desk.window.findChild(LayoutButton).save_layout("Mine")
    delete = entry(desk, "Delete layout")
    assert (delete.is_grey, delete.note) == (False, "")
    delete.run()
    assert entry(desk, "Delete layout").is_grey


def test_whatever_a_menu_offers_is_in_the_palette(desk: Desk) -> None:
    facets = desk.grid().filters.button.menu()
    assert facets is not None
    values_of_filters = {facets, *facets.findChildren(QMenu)}
    heard = [words(found.title) for found in entries(desk)]
    missing = []
    for menu in set(desk.window.findChildren(QMenu)) - values_of_filters:
        if menu.title().startswith("Hide "):
            continue  # what of the selected bet is hidden: its market, its game, its bookmaker
        for action in menu.actions():
            is_leaf = action.menu() is None and not action.isSeparator()
            is_declared = any(action is desk.around.actions._bound.get(i) for i in BY_IDENT)
            wanted = words(action.text().split("\t")[0])
            if is_leaf and not is_declared and not any(wanted <= said for said in heard):
                missing.append((menu.title(), action.text()))
    toggles = [("Shown" in text, title) for title, text in missing]
    assert sorted(title for is_toggle, title in toggles if is_toggle) == [
        "Alerts",
        "Explain",
        "History",
        "Navigator",
        "Opportunities",
        "Promotions",
        "Value bets",
    ]
    assert all(is_toggle for is_toggle, _ in toggles), missing


def bind_all(desk: Desk) -> None:
    """Bind what only the whole program does."""
    for ident in BOUND_BY_THE_PROGRAM:
        desk.around.actions.bind(ident, list)


def test_the_menu_offers_every_action_once_and_ends_with_quit(desk: Desk) -> None:
    bind_all(desk)
    menu, actions = desk.window.menu, desk.around.actions
    for _ in range(2):  # opened again it is the same
        menu.aboutToShow.emit()
    parts = [menu, *(part for action in menu.actions() if (part := action.menu()) is not None)]
    listed = [action for part in parts for action in part.actions()]
    counts = {each.ident: listed.count(actions[each.ident]) for each in actions.offered()}
    assert {ident for ident, count in counts.items() if count != 1} == {"app.menu"}
    assert menu.actions()[-1] is actions["app.quit"]
    assert desk.window.panels_menu in parts
    assert actions["bets.won"].text().endswith("\tW")
    assert not any(part.isEmpty() for part in parts)


def test_the_words_that_people_search_for_find_what_they_mean(desk: Desk) -> None:
    bind_all(desk)
    whole = [*entries(desk), *setting_entries(list)()]
    first = {typed: matching(whole, typed, [])[0].ident for typed in FOUND_FIRST}
    assert first == FOUND_FIRST
    for typed, ident in FOUND_FIRST.items():
        beginning = typed[:-1] if len(typed) > 5 else typed
        assert ident in {found.ident for found in matching(whole, beginning, [])}


def words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))


def test_while_one_looks_back_what_is_about_prices_of_now_is_grey_with_the_reason(
    desk: Desk, quoted: Any
) -> None:
    """They were offered as if they worked, and said so, or nothing, once they were taken."""
    board = quoted.board
    titles = [action.title for action in ACTIONS if action.is_of_now]
    assert [title for title in titles if title.startswith(("Record bet", "Record a bet at"))] == [
        "Record a bet at this price…",
        "Record a bet at the grid price…",
        "Record bet…",
        "Record bet on this leg…",
        "Record bets on all legs…",
    ]

    def greys() -> list[bool]:
        return [entry(desk, title).is_grey for title in titles]

    assert not any(greys())
    board.set_connection(Connection(link=Link.PAST, as_of_ms=quoted.clock.now))
    assert all(greys())
    found = entry(desk, "Record bets on all legs…")
    found.run()
    assert desk.window.messages._bar.message_text == found.note
    assert "Ctrl+Shift+J" in found.note
    desk.games.close_all()
    board.set_connection(Connection(link=Link.LIVE))
    assert entry(desk, "Record a bet at this price…").note == "Open a game first."
    desk.open_game_in_new_tab(quoted.id)
    assert not any(greys())


@pytest.mark.parametrize("where", ["values", "navigator", "alerts"])
def test_alert_rules_and_what_works_anywhere_do_wherever_the_focus_is(
    desk: Desk, qtbot: QtBot, where: str
) -> None:
    """Ctrl+Shift+A did nothing in the value bets, though menu and guide have it for the desk."""
    bind_all(desk)
    keys = {each.ident: each.keys[0] for each in ACTIONS if "Ctrl+Shift+" in " ".join(each.keys)}
    anywhere = [ident for ident in keys if BY_IDENT[ident].where is Where.ANYWHERE]
    heard: list[str] = []
    for ident in anywhere:
        action = desk.around.actions[ident]
        action.triggered.disconnect()
        action.triggered.connect(lambda _checked=False, ident=ident: heard.append(ident))
    if where == "navigator":
        focused = desk.navigator.findChild(QTreeView)
    else:
        panel = desk.values() if where == "values" else desk.alerting.panel()
        desk.window.reveal(panel)
        focused = panel.table.scrolling
    focused.setFocus()
    qtbot.waitUntil(focused.hasFocus)
    for ident in anywhere:
        QTest.keySequence(focused, QKeySequence(keys[ident]))
    assert heard == anywhere
    assert "alerts.rules" in anywhere


def test_alert_rules_open_from_the_keyboard(desk: Desk, qtbot: QtBot) -> None:
    desk.window.reveal(desk.values())
    desk.values().table.scrolling.setFocus()
    QTest.keySequence(desk.values().table.scrolling, QKeySequence("Ctrl+Shift+A"))
    (dialog,) = desk.window.findChildren(RulesDialog)
    assert dialog.isVisible()
    dialog.reject()


def test_an_action_of_a_panel_brings_it_into_sight(desk: Desk, qtbot: QtBot) -> None:
    assert desk.window.tabs.currentWidget() is not desk.grid()
    entry(desk, "Group the odds grid by game").run()
    assert desk.window.tabs.currentWidget() is desk.grid()
    assert desk.grid().model.is_grouped
    dock = desk.values().parentWidget()
    assert isinstance(dock, QDockWidget)
    dock.hide()
    entry(desk, "Switch between value bets and near misses").run()
    assert dock.isVisible()
    assert desk.values()._which == "misses"


def test_the_grid_is_sorted_by_the_current_column_with_a_key(
    desk: Desk, quoted: Any, qtbot: QtBot
) -> None:
    entry(desk, "Odds grid").run()
    quoted.board.keep_all_rows(True)
    qtbot.waitUntil(lambda: desk.grid().model.book.price_rows.count_present > 0)
    desk.grid().model.arrange()
    column = BY_KEY["odds"]
    desk.grid().table.set_current(0, column)
    desk.window.activateWindow()
    desk.grid().table.setFocus()
    qtbot.keyClick(desk.grid().table.scrolling, Qt.Key.Key_O)
    assert desk.grid().model.sorted_by[0] == column
    odds = [shown.odds or 0.0 for shown in desk.grid().model.entries()]
    assert odds == sorted(odds, reverse=desk.grid().model.sorted_by[1])


def test_a_panel_is_hidden_and_moved_by_keyboard_alone(desk: Desk) -> None:
    navigator = desk.navigator.parentWidget()
    assert isinstance(navigator, QDockWidget)
    entry(desk, "Navigator: right").run()
    assert desk.window.dockWidgetArea(navigator) is Qt.DockWidgetArea.RightDockWidgetArea
    entry(desk, "Navigator: hide").run()
    assert navigator.isHidden()
    assert not any(found.title == "Navigator: hide" for found in entries(desk))


def test_a_preset_is_chosen_from_the_palette(desk: Desk) -> None:
    presets = [found for found in entries(desk) if found.kind is Kind.PRESET]
    presets[1].run()
    assert desk.values().lists.preset.name == presets[1].title.removeprefix("Value bets: ")
    desk.opportunities()
    entry(desk, "Opportunities: In play").run()
    assert desk.opportunities().presets.current_preset.name == "In play"


def test_a_leg_placed_among_the_opportunities_is_confirmed_and_taken_back_there(
    desk: Desk, quoted: Any, qtbot: QtBot
) -> None:
    quoted.clock.now += 1
    quoted.tell("Betsson", "total", "Over 2.5", 2.10)
    found = Opportunities(quoted.board, quoted.clock, Split)
    exhaust(found.looking())
    listed = min(found.entries.values(), key=Opportunity.sort_key)
    panel = desk.opportunities()
    panel.place_requested.emit(LegsToPlace(listed, (0,), (0, 1)))
    stake_ten(panel)
    qtbot.waitUntil(lambda: panel.messages.message_text.startswith("Recorded 10.00 on "))
    panel.take_back_requested.emit(*desk._records.placed_bets())
    qtbot.waitUntil(lambda: panel.messages.message_text.startswith("Undone: 10.00 on "))
    found.stop_listening()


def bar_after_a_bet_in_the_matrix(desk: Desk, game_id: str, qtbot: QtBot) -> MessageBar:
    """Bet on a price of the matrix in front, and return the bar of the window that confirms it."""
    panel, bar = desk.games.active_panel(), desk.window.messages._bar
    assert isinstance(panel, MatrixPanel)
    panel.price_actions.place_requested.emit(RowKey(game_id, "total", 0, "Over 2.5", "Matchbook"))
    stake_ten(desk.window)
    qtbot.waitUntil(lambda: bar.message_text.startswith("Recorded 10.00 on Over 2.5"))
    return bar


def test_prices_of_the_matrix_become_a_multiple_that_can_be_taken_back(
    desk: Desk, quoted: Any, qtbot: QtBot
) -> None:
    panel, bar = desk.games.active_panel(), desk.window.messages._bar
    assert isinstance(panel, MatrixPanel)
    keys = [("total", "Over 2.5"), ("moneyline", "Everton")]
    for market_type, selection in keys:
        key = RowKey(quoted.id, market_type, 0, selection, "Matchbook")
        panel.price_actions.multiple_requested.emit(key)
    slip = desk.window.findChild(SlipDialog)
    assert isinstance(slip, SlipDialog)
    assert [(leg.market_type, leg.selection) for leg in slip.legs] == keys
    slip.stake.setText("10")
    slip.accept()
    qtbot.waitUntil(lambda: bar.message_text.startswith("Recorded multiple 10.00 on Over 2.5 + "))
    assert [len(bet.legs) for bet in desk._records.placed_bets()] == [2]
    desk._last_act.undo_act()
    qtbot.waitUntil(lambda: not list(desk._records.placed_bets()))


def stake_ten(owner: QWidget) -> None:
    dialog = owner.findChild(PlaceDialog)
    assert isinstance(dialog, PlaceDialog)
    dialog.stake.setText("10")
    dialog.accept()


def test_a_bet_on_a_price_of_a_matrix_is_confirmed_no_longer_than_it_is_there(
    desk: Desk, quoted: Any, qtbot: QtBot
) -> None:
    bar = bar_after_a_bet_in_the_matrix(desk, quoted.id, qtbot)
    with qtbot.waitSignal(desk._records.bets_changed):
        desk._records.take_back(*desk._records.placed_bets())  # as Bets does
    assert bar.isHidden()


def test_a_bet_on_a_price_of_a_matrix_is_confirmed_and_taken_back_whichever_tab_is_in_front(
    desk: Desk, quoted: Any, qtbot: QtBot
) -> None:
    bar = bar_after_a_bet_in_the_matrix(desk, quoted.id, qtbot)
    assert not desk.values().messages.isVisible()
    bar.action_requested.emit()
    qtbot.waitUntil(lambda: bar.message_text.startswith("Undone: 10.00 on Over 2.5"))
    assert not list(desk._records.placed_bets())


def undo_in(panel: QWidget, ident: str) -> None:
    action = panel.findChild(QAction, ident)
    assert isinstance(action, QAction)
    assert [keys.toString() for keys in action.shortcuts()] == ["Ctrl+Z"]
    action.trigger()


def test_ctrl_z_in_a_game_takes_back_the_bet_that_was_placed_last_and_says_so(
    desk: Desk, quoted: Any, qtbot: QtBot
) -> None:
    bar = bar_after_a_bet_in_the_matrix(desk, quoted.id, qtbot)
    game = desk.games.active_panel()
    assert game is not None
    undo_in(game, "matrix.undo")
    qtbot.waitUntil(lambda: bar.message_text.startswith("Undone: 10.00 on Over 2.5"))
    assert not list(desk._records.placed_bets())
    undo_in(game, "matrix.undo")
    assert bar.message_text.startswith("Nothing to undo here.")


def test_ctrl_z_undoes_what_was_done_last_and_no_bet_of_before(
    desk: Desk, quoted: Any, qtbot: QtBot
) -> None:
    bar = bar_after_a_bet_in_the_matrix(desk, quoted.id, qtbot)
    game = desk.games.active_panel()
    assert game is not None
    columns = desk._columns
    columns.keep_order(columns.column_order.with_hidden("Bovada"))
    undo_in(game, "matrix.undo")
    assert bar.message_text == "Undone: Bovada shown again."
    assert columns.column_order.hidden == frozenset()
    columns.keep_order(columns.column_order.with_favourites(["Unibet"], ["Unibet"]))
    desk._records.take_back(*desk._records.placed_bets())  # which was not done last
    qtbot.waitUntil(lambda: not list(desk._records.placed_bets()))
    undo_in(game, "matrix.undo")
    assert bar.message_text == "Undone: bookmaker columns restored."
    assert columns.column_order.favourites == frozenset()
    undo_in(game, "matrix.undo")
    assert bar.message_text.startswith("Nothing to undo here.")


def test_ctrl_z_in_the_grid_shows_the_bookmaker_again_that_was_hidden(
    desk: Desk, quoted: Any, qtbot: QtBot
) -> None:
    grid = desk.grid()
    desk.window.reveal(grid)
    quoted.board.keep_all_rows(True)
    qtbot.waitUntil(lambda: grid.model.kept_count > 0)
    name = next(key for row in range(9) if (key := grid.model.key_at(row)) and key.bookmaker)
    grid.table.set_current(grid.model.row_of_price(name))
    before = grid.model.kept_count
    grid.hide_bookmaker()
    assert grid.model.kept_count < before
    undo_in(grid, "grid.undo")
    assert grid.model.kept_count == before
    assert grid.messages.message_text == f"{name.bookmaker} is shown again."


def test_a_price_asked_for_elsewhere_has_the_keyboard_in_its_game(
    desk: Desk, quoted: Any, qtbot: QtBot
) -> None:
    desk.window.activateWindow()
    key = RowKey(quoted.id, "total", 0, "Under 2.5", "Matchbook")
    desk.values().price_requested.emit(key)
    assert desk.games.active() == quoted.id
    panel = desk.games.active_panel()
    assert isinstance(panel, MatrixPanel)
    current = panel.table.current_cell()
    assert panel.table.model.price_key(current.row(), current.column()) == key  # type: ignore[attr-defined]
    qtbot.waitUntil(panel.table.scrolling.hasFocus)


def test_a_favourite_is_one_in_its_tab_and_in_a_window_of_its_own(desk: Desk, quoted: Any) -> None:
    games = (quoted.id, "another")
    for game_id in games:
        desk.open_game_in_new_tab(game_id)
    desk.games.detach("another")
    for game_id in games:
        desk.around.favourites.toggle(game_id)
    panels = [desk.games.panel(game_id) for game_id in games]
    assert all(isinstance(p, MatrixPanel) and p.header.star.isChecked() for p in panels)


def test_copying_what_is_not_there_copies_nothing(desk: Desk) -> None:
    entry(desk, "Copy the explanation").run()
    entry(desk, "Copy the chart").run()
    assert isinstance(desk.explain(), ExplainPanel)
    assert desk.explain().said is None


def test_the_tab_of_a_game_that_is_shown_no_more_has_the_name_that_a_bet_on_it_has(
    desk: Desk, qtbot: QtBot
) -> None:
    what = ("gone", "Leeds - Wolves", "EPL", "Football", "moneyline", 0, "Leeds", "Bet365")
    with qtbot.waitSignal(desk._records.bets_changed):
        desk._records.place_bet(PlacedBet(*what, 2.1, 10.0, 0), lambda _: None)
    desk.bets().game_requested.emit("gone")
    assert desk.window.tabs.tabText(desk.window.tabs.currentIndex()) == "Leeds v Wolves"


def test_a_click_on_a_notification_opens_the_cell_that_it_is_about(
    desk: Desk, quoted: Any, qtbot: QtBot
) -> None:
    desk.window.hide()
    desk.alerting.notifier.notify(
        [AlertEntry(Alert(("x",), "Value", "title", "text", 3.0, OVER), 0, None)]
    )
    desk.alerting.notifier.show_told()
    assert desk.window.isVisible()
    panel = desk.games.panel(quoted.id)
    assert isinstance(panel, MatrixPanel)
    assert desk.window.tabs.currentWidget() is panel
    qtbot.waitUntil(lambda: panel.table.current_cell().isValid())
    facts = panel._facts(panel.table.current_cell())
    assert facts is not None
    assert facts.key == OVER


def test_a_bet_is_worth_what_the_fair_odds_of_now_say(desk: Desk, quoted: Any) -> None:
    what = (quoted.id, "Leeds - Wolves", "EPL", "Football", "total", 0)
    bet = PlacedBet(*what, "Over 2.5", "Bovada", 2.1, 10.0, 0)
    row = quoted.board.row(quoted.id, "total", 0, "Over 2.5")
    assert row is not None
    assert row.fair is not None
    found = desk._fair_now(bet)
    assert found is not None
    assert (found.odds, found.decided) == (row.fair, row.decided)
    practice = msgspec.structs.replace(bet, practice=True)
    assert desk._fair_now(practice) is None, "odds of real games say nothing about practice"
    assert desk._fair_now(msgspec.structs.replace(bet, selection="Over 9.5")) is None
