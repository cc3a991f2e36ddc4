"""The live model tells changes together, and no more is painted than changed."""

from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import QModelIndex
from PySide6.QtGui import QRegion
from PySide6.QtWidgets import QApplication
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from oddsdesk.desk.ui.table import live_model
from oddsdesk.desk.ui.table.cells import Cell
from oddsdesk.desk.ui.table.live_model import LiveModel, Painted
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


def test_only_what_changed_is_painted_anew(
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
    model.flush()
    QApplication.processEvents()
    assert painted == [(4, 4)]
    model.rows[6][4] = Cell("1.60")
    table.scrolling.repaint_aged(NOW_MS + 2_000)
    QApplication.processEvents()
    assert painted == [(4, 4), (6, 4)]


def test_a_span_that_is_gone_when_it_is_told_is_forgotten(model: RowsModel) -> None:
    heard: list[QModelIndex] = []
    model.dataChanged.connect(lambda first: heard.append(first))
    model.put(59, 0, Cell("1.50"))
    model.beginRemoveRows(QModelIndex(), 50, 59)
    del model.rows[50:]
    model.endRemoveRows()
    model.flush()
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
