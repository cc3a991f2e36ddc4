"""The matrix panel: what it says of a game, its states, opening a bookmaker's page."""

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from oddsdesk.board.board import Board
from oddsdesk.board.connection import Connection, Link
from oddsdesk.board.matrix import RowKey
from oddsdesk.desk.bookmaker_columns import BookmakerColumns
from oddsdesk.desk.models.bookmaker_order import BookmakerOrder
from oddsdesk.desk.models.matrix_layout import (
    BEST,
    FAIR,
    FIRST_BOOKMAKER,
    FROZEN,
    PAST,
    REFERENCE,
    WINDOW,
)
from oddsdesk.desk.moments import kick_off_text
from oddsdesk.desk.panels.matrix import MatrixPanel
from oddsdesk.desk.panels.matrix_states import state_without_rows, trouble_text
from oddsdesk.desk.theme.theme import Scheme, Theme
from oddsdesk.desk.widgets.menu_button import MenuButton
from oddsdesk.desk.widgets.placeholder import Placeholder

NOW_MS = 1_776_340_800_000
LIVE = Connection(link=Link.LIVE)


@pytest.fixture
def panel(
    theme: Theme, quoted: Any, columns: BookmakerColumns, qtbot: QtBot
) -> Iterator[MatrixPanel]:
    quoted.board.set_connection(LIVE)
    made = MatrixPanel(quoted.board, theme, quoted.clock, quoted.id, columns)
    qtbot.addWidget(made)
    made.resize(1_118, 600)
    with qtbot.waitExposed(made):
        made.show()
    yield made
    made.close_panel()


def said(panel: MatrixPanel, kind: type[Placeholder]) -> str:
    """Every text on show in a part of the panel."""
    part = panel.findChild(kind)
    if part is None or not part.isVisible():
        return ""
    return " ".join(label.text() for label in part.findChildren(QLabel) if label.isVisible())


def header_texts(panel: MatrixPanel) -> list[str]:
    return [label.text() for label in panel.header.findChildren(QLabel) if label.isVisible()]


def test_the_header_says_game_time_and_columns(panel: MatrixPanel) -> None:
    texts = header_texts(panel)
    assert texts[0] == "Everton v Liverpool"
    assert panel.header.columns.text() == "Columns 4 / 4 ▾"
    assert any(text.startswith("EPL · ") and text.endswith("in 2 d 19 h") for text in texts)
    assert "Live" not in texts


def test_a_game_in_play_says_so(panel: MatrixPanel, quoted: Any) -> None:
    quoted.board.matrix(quoted.id).is_live = True
    panel._show_moment()
    assert "Live" in header_texts(panel)


def test_a_chip_narrows_markets_and_columns(panel: MatrixPanel) -> None:
    panel.header.chips.choose("totals")
    assert panel.table.model.rowCount() == 3
    assert panel.header.columns.text() == "Columns 3 / 4 ▾"


def test_no_column_is_cut_off_in_a_wide_frozen_part(panel: MatrixPanel) -> None:
    panel.resize(1_800, 600)
    model, pane = panel.table.model, panel.table.frozen
    assert pane.width() == sum(pane.columnWidth(column) for column in range(FROZEN))
    for column in range(FROZEN):
        assert pane.header.width_of(model.header(column)) <= pane.columnWidth(column)


@pytest.mark.parametrize("width", [700, 850, 1_025, 1_116, 1_400])
def test_the_frozen_part_leaves_bookmakers_half(panel: MatrixPanel, width: int) -> None:
    panel.resize(width, 600)
    table = panel.table
    share = table.frozen.width() / table.width()
    assert share <= (0.501 if width > 1_000 else 0.60)
    assert not table.frozen.isColumnHidden(WINDOW)
    if width > 1_100:
        limited = table.frozen.columnWidth(REFERENCE)
        panel.resize(1_800, 600)
        assert limited == table.frozen.columnWidth(REFERENCE)
    assert table.frozen.isColumnHidden(FAIR) == (width < 750)


def test_what_a_narrow_matrix_leaves_out_is_skipped_by_the_keyboard_and_comes_back(
    panel: MatrixPanel, qtbot: QtBot
) -> None:
    panel.resize(600, 600)
    table = panel.table
    assert table.frozen.isColumnHidden(FAIR)
    assert table.scrolling.isColumnHidden(PAST)
    table.set_current(1, REFERENCE)
    table.setFocus()
    for column in (WINDOW, BEST, FIRST_BOOKMAKER):
        qtbot.keyClick(table.scrolling, Qt.Key.Key_Right)
        assert table.current().column() == column
    panel.resize(1_400, 600)
    assert not table.frozen.isColumnHidden(FAIR)
    assert not table.scrolling.isColumnHidden(PAST)


def test_b_goes_to_the_best_price_and_on_to_the_next_that_is_as_good(
    panel: MatrixPanel, quoted: Any, qtbot: QtBot
) -> None:
    table, names = panel.table, panel.table.model.bookmakers
    quoted.tell("Bovada", "moneyline", "Draw", 3.40)
    table.set_current(2, 0)
    found = []
    for _ in range(3):
        qtbot.keyClick(table.scrolling, Qt.Key.Key_B)
        found.append(names[table.current().column() - FIRST_BOOKMAKER])
    assert found == ["Bovada", "Matchbook", "Bovada"]


def test_b_says_whose_hidden_column_has_the_best_price(
    panel: MatrixPanel, columns: BookmakerColumns, qtbot: QtBot
) -> None:
    columns.put(BookmakerOrder(hidden=frozenset({"Matchbook"})))
    panel.table.set_current(2, 0)
    with qtbot.waitSignal(panel.said) as said:
        qtbot.keyClick(panel.table.scrolling, Qt.Key.Key_B)
    assert "Matchbook" in said.args[0]


def test_enter_opens_the_bookmakers_page(
    panel: MatrixPanel, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(
        QDesktopServices, "openUrl", lambda url: opened.append(QUrl(url).toString()) or True
    )
    panel.table.set_current(1, FIRST_BOOKMAKER + 1)
    qtbot.keyClick(panel.table.scrolling, Qt.Key.Key_Return)
    assert opened == ["https://bovada.example/Everton"]


def test_a_price_without_a_page_says_so(panel: MatrixPanel, qtbot: QtBot) -> None:
    panel.table.set_current(1, 1)
    with qtbot.waitSignal(panel.said) as told:
        qtbot.keyClick(panel.table.scrolling, Qt.Key.Key_Return)
    assert told.args == ["Pinnacle gave no web page for this price."]


def test_lost_prices_stay(panel: MatrixPanel, quoted: Any) -> None:
    quoted.board.set_connection(Connection(link=Link.WAITING, reason="The service is away"))
    assert panel.table.isVisible()


def test_before_its_prices_are_read_a_game_is_loading(
    theme: Theme, quoted: Any, columns: BookmakerColumns, qtbot: QtBot
) -> None:
    board = Board(quoted.clock)
    board.set_connection(LIVE)
    panel = MatrixPanel(board, theme, quoted.clock, quoted.id, columns)
    qtbot.addWidget(panel)
    panel.show()
    assert "Reading the prices" in said(panel, Placeholder)
    panel.close_panel()


def test_a_group_that_is_quoted_no_more_gives_way_to_all_markets(
    panel: MatrixPanel, quoted: Any
) -> None:
    panel.header.chips.choose("totals")
    quoted._markets.pop(("total", 0))
    quoted.clock.now += 1_000
    quoted.load()
    quoted.clock.now += 61_000
    quoted.board.sweep()
    panel.table.model.flush()
    assert panel.header.chips.current == ""
    assert panel.table.model.rowCount() == 6


def test_each_state_looks_different(quoted: Any) -> None:
    matrix = quoted.board.matrix(quoted.id)
    states = [
        state_without_rows(None, LIVE, NOW_MS),
        state_without_rows(matrix, LIVE, NOW_MS),
        state_without_rows(None, Connection(link=Link.WAITING), NOW_MS),
        state_without_rows(None, Connection(link=Link.REFUSED), NOW_MS),
    ]
    assert len({state.icon for state in states}) == len(states)
    assert len({state.sentence for state in states}) == len(states)


def test_a_refused_key_is_told_with_its_reason() -> None:
    text = trouble_text(Connection(link=Link.REFUSED, reason="The key was revoked."), NOW_MS)
    assert text.endswith("The key was revoked.")
    advised = Connection(link=Link.REFUSED, reason="unknown key", advice="Copy it again.")
    assert trouble_text(advised, NOW_MS).endswith("Unknown key. Copy it again.")
    assert state_without_rows(None, advised, NOW_MS).detail == "Unknown key. Copy it again."
    away = Connection(link=Link.WAITING, reason="no such host", advice="Check the address.")
    assert trouble_text(away, NOW_MS).endswith("No such host. Check the address.")
    assert trouble_text(LIVE, NOW_MS) == ""


def test_a_change_of_scheme_repaints_the_panel(panel: MatrixPanel, theme: Theme) -> None:
    dark = panel.grab().toImage().pixelColor(600, 550).lightness()
    theme.choose(Scheme.LIGHT)
    light = panel.grab().toImage().pixelColor(600, 550).lightness()
    assert dark < 60 < 200 < light


def test_section_rows_are_taller_and_stay_so_when_rows_come_and_go(
    panel: MatrixPanel, quoted: Any
) -> None:
    table = panel.table

    def heights() -> set[tuple[bool, int]]:
        rows = range(table.model.rowCount())
        return {
            (table.model.is_section(row), pane.rowHeight(row))
            for row in rows
            for pane in (table.frozen, table.scrolling)
        }

    wanted = {(True, 24), (False, 22)}
    assert heights() == wanted
    table.model.set_folded(0, True)
    assert heights() == wanted
    quoted.quote("btts", {"Yes": {"Bovada": 1.67}, "No": {"Bovada": 2.13}})
    quoted.load()
    table.model.flush()
    assert heights() == wanted


def test_keys_fold_choose_markets_and_watch(panel: MatrixPanel, quoted: Any, qtbot: QtBot) -> None:
    panel.activateWindow()
    panel.table.scrolling.setFocus()
    rows = panel.table.model.rowCount()
    actions = {action.text(): action for action in panel.actions()}
    actions["Fold all sections"].trigger()
    assert panel.table.model.rowCount() == 3
    actions["Unfold all sections"].trigger()
    assert panel.table.model.rowCount() == rows
    actions["Next kind of markets"].trigger()
    assert panel.header.chips.current == "result"
    with qtbot.waitSignal(panel.watch_requested) as told:
        actions["Watch this game, or no longer"].trigger()
    assert told.args == [quoted.id]


def test_chips_give_way_to_a_menu_in_a_narrow_window(panel: MatrixPanel) -> None:
    assert panel.header.chips.isVisible()
    panel.resize(560, 600)
    assert not panel.header.chips.isVisible()
    menu = panel.header.findChild(MenuButton)
    assert menu is not None
    assert menu.text() == "All markets ▾"
    menu.menu_shown.aboutToShow.emit()
    menu.menu_shown.actions()[1].trigger()
    assert panel.header.chips.current == "result"
    assert menu.text() == "Result ▾"


@pytest.mark.parametrize("width", range(480, 1_300, 60))
def test_chips_give_way_before_anything_of_the_kick_off_does(
    panel: MatrixPanel, width: int
) -> None:
    panel.resize(width, 600)
    facts = next(
        label for label in panel.header.findChildren(QLabel) if label.property("look") == "soft"
    )
    kick_off = kick_off_text(NOW_MS + 241_200_000, NOW_MS)
    assert kick_off in facts.text()
    assert facts.width() >= facts.fontMetrics().horizontalAdvance(facts.text())
    if panel.header.chips.isVisible():
        assert facts.text() == f"EPL · {kick_off} · in 2 d 19 h"
    assert kick_off in panel.header.toolTip()


def test_the_star_says_whether_the_game_is_watched_and_asks_for_it(
    panel: MatrixPanel, quoted: Any, qtbot: QtBot
) -> None:
    star = panel.header.star
    assert (star.isChecked(), star.toolTip()) == (False, "Watch this game (*)")
    with qtbot.waitSignal(panel.watch_requested) as told:
        star.click()
    assert told.args == [quoted.id]
    panel.show_watched(True)
    assert (star.isChecked(), star.toolTip()) == (True, "Watch this game no longer (*)")


def test_a_click_with_ctrl_or_a_key_adds_a_price_to_those_looked_at(
    panel: MatrixPanel, qtbot: QtBot
) -> None:
    chosen: list[RowKey | None] = []
    added: list[RowKey | None] = []
    panel.price_selected.connect(chosen.append)
    panel.price_added.connect(added.append)
    with qtbot.waitExposed(panel):
        panel.show()
    pane, model = panel.table.scrolling, panel.table.model
    places = [pane.visualRect(model.index(1, FROZEN + place)).center() for place in (0, 1)]
    left, ctrl = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ControlModifier
    window, viewport = panel.window().windowHandle(), pane.viewport()
    spots = [viewport.mapTo(panel.window(), place) for place in places]
    QTest.mouseClick(window, left, Qt.KeyboardModifier.NoModifier, spots[0])
    assert (len(chosen), len(added)) == (1, 0)
    QTest.mouseClick(window, left, ctrl, spots[1])
    assert (len(chosen), len(added)) == (1, 1)
    qtbot.keyClick(pane, Qt.Key.Key_Right, ctrl)
    assert len(added) == 1, "Ctrl with a key is no click"
    panel.table.setFocus()
    qtbot.keyClick(pane, Qt.Key.Key_A)
    assert added == [added[0], chosen[-1]]
