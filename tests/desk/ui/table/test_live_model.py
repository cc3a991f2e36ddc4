"""The live model reports changes together, and only what changed is painted."""

from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import QModelIndex, QPersistentModelIndex
from PySide6.QtGui import QRegion
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QApplication
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from oddsdesk.board.model.matrix import RowKey
from oddsdesk.desk.ui.table import live_model
from oddsdesk.desk.ui.table.cells import Cell, Column, ColumnSpec
from oddsdesk.desk.ui.table.live_model import LiveModel, Painted, StableRowsModel
from oddsdesk.desk.ui.table.live_table import LiveTable
from tests.kit.live_table import RowsModel, cell_rect
from tests.kit.quoted_game import NOW_MS, Clock


def test_the_model_keeps_the_rules_of_models(model: RowsModel, qtmodeltester: ModelTester) -> None:
    qtmodeltester.check(model)


def told_by(model: LiveModel) -> list[tuple[int, int, int, int]]:
    """Return a list that grows by what the model tells of: first row and column, last ones."""
    heard: list[tuple[int, int, int, int]] = []
    model.dataChanged.connect(
        lambda first, last: heard.append((first.row(), first.column(), last.row(), last.column()))
    )
    return heard


def test_changes_of_one_moment_are_told_together(model: RowsModel, qtbot: QtBot) -> None:
    heard = told_by(model)
    for row, column in ((5, 5), (4, 9), (7, 3)):
        model.put(row, column, Cell("1.50"))
    assert heard == []
    qtbot.waitUntil(lambda: bool(heard))
    assert heard == [(4, 3, 7, 9)]
    assert set(model.dirty_spans) == {(5, 5, 5, 5), (4, 9, 4, 9), (7, 3, 7, 3)}


def test_what_changed_is_told_with_what_is_about_to_change(
    model: RowsModel, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, looks, lasts = 100.0, 0, True

    def is_changing() -> bool:
        nonlocal looks
        looks += 1
        return lasts

    monkeypatch.setattr(live_model, "time", SimpleNamespace(monotonic=lambda: now))
    monkeypatch.setattr(model, "_is_changing", is_changing)
    heard = told_by(model)
    model.put(5, 5, Cell("1.50"))
    qtbot.waitUntil(lambda: looks > 2)
    assert heard == []
    model.put(7, 3, Cell("1.60"))
    lasts = False
    qtbot.waitUntil(lambda: bool(heard))
    assert heard == [(5, 3, 7, 5)]
    lasts = True
    model.put(5, 5, Cell("1.70"))
    now += 0.06
    qtbot.waitUntil(lambda: len(heard) > 1)


def wait_until_calm(model: RowsModel, qtbot: QtBot) -> None:
    """Wait until nothing is painted any more of what came before."""

    def is_calm() -> bool:
        asked = len(model.asked)
        QApplication.processEvents()
        return len(model.asked) == asked

    qtbot.waitUntil(is_calm)


def test_only_what_changed_is_painted_again(
    table: LiveTable, model: RowsModel, qtbot: QtBot
) -> None:
    table.scrolling.header.moveSection(3, 5)
    wait_until_calm(model, qtbot)
    model.asked.clear()
    for row, column in ((2, 0), (3, 4), (6, 3)):
        model.put(row, column, Cell("1.50"))
    qtbot.waitUntil(lambda: len(model.asked) >= 3)
    assert set(model.asked) == {(2, 0), (3, 4), (6, 3)}


def test_what_looks_as_before_is_not_painted_again(
    table: LiveTable, model: RowsModel, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    wait_until_calm(model, qtbot)
    painted: list[tuple[int, int]] = []
    paint = table._painter.paint

    def noting(*given: Any) -> Painted:
        found = paint(*given)
        painted.extend(found.cells)
        return found

    monkeypatch.setattr(table._painter, "paint", noting)
    model.put(3, 4, Cell("3.04", repaint_at_ms=NOW_MS + 2_000))
    model.put(4, 4, Cell("1.50"))
    model.touch(5, 0, 5, 11)
    model.flush_touched()
    QApplication.processEvents()
    assert painted == [(4, 4)]


def test_age_asks_only_for_cells_that_are_due(
    table: LiveTable, model: RowsModel, qtbot: QtBot
) -> None:
    for row, due_s in ((3, 1), (4, 2), (5, 3)):
        model.put(row, 4, Cell("3.04", repaint_at_ms=NOW_MS + due_s * 1_000))
    model.flush_touched()
    table.scrolling.viewport().repaint()
    model.rows[3][4] = Cell("3.04", repaint_at_ms=NOW_MS + 4_000)
    wait_until_calm(model, qtbot)
    asked = []
    for now_s in range(5):
        model.asked.clear()
        table.scrolling.repaint_aged(NOW_MS + now_s * 1_000)
        asked.append(list(model.asked))
        model.rows[4][4] = Cell("3.04", repaint_at_ms=NOW_MS + 9_000)
        model.rows[5][4] = Cell("3.04", repaint_at_ms=NOW_MS + 9_000)
    assert asked == [[], [(3, 4)], [(4, 4)], [(5, 4)], [(3, 4)]]


def test_a_span_that_is_gone_when_it_is_told_is_forgotten(model: RowsModel) -> None:
    heard: list[QModelIndex] = []
    model.dataChanged.connect(lambda first: heard.append(first))
    model.put(59, 0, Cell("1.50"))
    model.beginRemoveRows(QModelIndex(), 50, 59)
    del model.rows[50:]
    model.endRemoveRows()
    model.flush_touched()
    assert heard == []


def test_only_visible_cells_are_asked_for(table: LiveTable, model: RowsModel) -> None:
    model.asked.clear()
    table.scrolling.viewport().repaint()
    rows = {row for row, _ in model.asked}
    assert rows
    assert max(rows) < 20


def test_a_changed_cell_alone_is_painted_again(table: LiveTable, model: RowsModel) -> None:
    table.scrolling.viewport().repaint()
    model.asked.clear()
    rect = cell_rect(table.scrolling, 5, 4)
    table.scrolling.viewport().repaint(QRegion(rect))
    assert set(model.asked) == {(5, 4)}


def test_age_alone_brings_a_repaint_when_it_is_due(
    table: LiveTable, model: RowsModel, clock: Clock, qtbot: QtBot
) -> None:
    model.rows[3][4] = Cell("2.40", repaint_at_ms=NOW_MS + 2_000)
    table.scrolling.viewport().repaint()
    model.asked.clear()
    table.scrolling.repaint_aged(NOW_MS + 1_999)
    assert not model.asked
    table.scrolling.repaint_aged(NOW_MS + 2_000)
    qtbot.waitUntil(lambda: (3, 4) in model.asked, timeout=1_000)


def test_of_headers_that_age_only_those_that_differ_are_painted(
    table: LiveTable, model: RowsModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    model.headers_age = True
    header = table.scrolling.header
    header.viewport().repaint()
    updated: list[int] = []
    monkeypatch.setattr(header, "updateSection", updated.append)
    table._on_age_timer_timeout()
    assert updated == []
    model.titles[4] = "2 m"
    table._on_age_timer_timeout()
    assert updated == [4]


COLUMNS: tuple[ColumnSpec[float, int], ...] = (
    ColumnSpec("name", "Name", Column("x"), lambda row, _now: Cell(f"n{row}"), lambda row: -row),
    ColumnSpec(
        "worth",
        "Worth",
        Column("x"),
        lambda row, _now: Cell(f"{row}"),
        lambda row: row,
        descending_first=True,
    ),
)


def key(name: str) -> RowKey:
    return RowKey(name, "total", 0, "Over 2.5", "Unibet")


def model(**rows: float) -> StableRowsModel[RowKey, float]:
    made: StableRowsModel[RowKey, float] = StableRowsModel(COLUMNS, 1, lambda: 0)
    made.checker = QAbstractItemModelTester(made)  # type: ignore[attr-defined]
    show(made, **rows)
    return made


def show(made: StableRowsModel[RowKey, float], *, may_move: bool = True, **rows: float) -> None:
    made.show_rows({key(name): worth for name, worth in rows.items()}, may_move=may_move)


def names(made: StableRowsModel[RowKey, float]) -> str:
    return "".join(made.key_of_row(row).game_id for row in range(made.rowCount()))


def test_the_highest_is_on_top_at_first(qtbot: QtBot) -> None:
    assert names(model(a=1, b=3, c=2)) == "bca"


def test_rows_that_may_not_move_stay_new_ones_come_last_and_gone_ones_are_struck(
    qtbot: QtBot,
) -> None:
    made = model(a=1, b=3, c=2)
    show(made, may_move=False, a=5, c=2, d=9)
    assert names(made) == "bcad"
    assert made.cell(0, 1).is_struck
    assert not made.cell(1, 1).is_struck
    assert (made.row_total, made.is_gone(0)) == (3, True)
    assert made.rows_that_would_move == 3
    made.sort_now()
    assert names(made) == "dac"
    assert made.rows_that_would_move == 0


def test_a_row_that_the_user_chose_stays_when_it_is_gone_until_somebody_sorts(qtbot: QtBot) -> None:
    made = model(a=1, b=3, c=2)
    made.chosen_row = lambda: 1
    show(made, may_move=False, a=1, d=9)
    assert names(made) == "bcad"
    made.tidy_up()
    assert names(made) == "dca"
    assert made.is_gone(1)
    assert made.cell(1, 1).is_struck
    assert (made.rows_that_would_move, made.is_untidy) == (1, False)
    show(made, may_move=True, a=10, d=9)
    assert names(made) == "acd"
    made.sort_now()
    assert names(made) == "ad"
    made.chosen_row = lambda: 0
    show(made, may_move=True)
    assert names(made) == "", "where nothing is left, the panel says why"


def test_only_rows_that_are_others_than_before_are_painted_again(qtbot: QtBot) -> None:
    made = model(a=1, b=3, c=2, d=0)
    made.flush_touched()
    show(made, may_move=False, a=1, b=4, c=2, e=7)
    made.flush_touched()
    assert names(made) == "bcade"
    assert {span.top for span in made.dirty_spans} == {0, 3, 4}
    show(made, may_move=False, a=1, b=4, c=2, e=7)
    made.flush_touched()
    assert not made.dirty_spans


def test_how_many_would_move_is_of_the_rows_and_the_order_as_they_are_now(qtbot: QtBot) -> None:
    made = model(a=1, b=3, c=2)
    assert made.rows_that_would_move == 0
    show(made, may_move=False, a=9, b=3, c=2)
    assert made.rows_that_would_move == 3
    show(made, may_move=False, a=1, b=3, c=2)
    assert made.rows_that_would_move == 0
    show(made, may_move=False, a=1, c=2)
    assert made.rows_that_would_move == 1
    made.sort_by(0)
    assert (names(made), made.rows_that_would_move) == ("ca", 0)


def test_a_header_sorts_and_a_second_time_turns_the_order_round(qtbot: QtBot) -> None:
    made = model(a=1, b=3, c=2)
    made.sort_by(1)
    assert names(made) == "acb"
    assert made.header(1).title == "Worth ▴"
    made.sort_by(0)
    assert names(made) == "bca"
    assert (made.header(0).title, made.header(1).title) == ("Name ▴", "Worth")
    assert made.header(0).is_marked


def test_the_selection_stays_with_its_price(qtbot: QtBot) -> None:
    made = model(a=1, b=3, c=2)
    held = QPersistentModelIndex(made.index(2, 0))
    show(made, a=9, b=3, d=4)
    assert names(made) == "adb"
    assert held.row() == 0
    assert made.row_of_key(key("a")) == 0
    assert made.row_of_key(key("c")) is None


def test_equal_rows_keep_one_order(qtbot: QtBot) -> None:
    assert names(model(c=1, a=1, b=1)) == names(model(b=1, c=1, a=1))


def test_it_says_when_rows_move_by_themselves(qtbot: QtBot) -> None:
    made = model(a=1, b=3)
    seen: list[bool] = []
    made.rowsRemoved.connect(lambda *_: seen.append(made.is_arranging))
    show(made, b=3)
    assert seen == [True]
    assert not made.is_arranging
