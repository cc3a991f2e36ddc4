"""Labels above the matrix: changes out of sight, counted, forgotten, gone to by a click."""

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QRect, QSize
from PySide6.QtWidgets import QLabel, QToolButton
from pytestqt.qtbot import QtBot

from oddsdesk.desk.matrix.layout import FIRST_BOOKMAKER, BookmakerColumns
from oddsdesk.desk.matrix.panel import Edge, MatrixPanel
from oddsdesk.desk.ui.controls.labels import ElidedLabel
from oddsdesk.desk.ui.theme.theme import Theme

LAST_ROW = 8
WIDE = 900


@pytest.fixture
def panel(
    theme: Theme, quoted: Any, columns: BookmakerColumns, qtbot: QtBot
) -> Iterator[MatrixPanel]:
    made = MatrixPanel(quoted.board, theme, quoted.clock, quoted.id, columns)
    qtbot.addWidget(made)
    pane = made.table.scrolling
    with qtbot.waitExposed(made):
        made.show()
    frozen = made.table.frozen.width()
    made.resize(frozen + 120, made.header.height() + pane.header.height() + 90)
    yield made
    made.close_panel()


def move(quoted: Any, bookmaker: str, selection: str, odds: float, market: str) -> None:
    quoted.clock.now += 1_000
    quoted.tell(bookmaker, market, selection, odds)


def written_in(part: QToolButton | QLabel) -> QRect:
    """Return where a part of the header has its text."""
    asked = part.width_of(part.text()) if isinstance(part, ElidedLabel) else part.width()
    return QRect(part.geometry().topLeft(), QSize(min(asked, part.width()), part.height()))


def said(panel: MatrixPanel) -> dict[Edge, str]:
    panel.table.model.flush_touched()
    panel.edges.count_changes()
    return {edge: label.text() for edge, label in panel.edges.labels.items() if label.isVisible()}


def test_changes_below_are_counted_and_a_click_scrolls_there(
    panel: MatrixPanel, quoted: Any
) -> None:
    panel.resize(WIDE, panel.height())
    assert said(panel) == {}
    move(quoted, "Betsson", "Over 2.5", 1.95, "total")
    assert said(panel) == {Edge.BELOW: "1 change below ▾"}
    move(quoted, "Betsson", "Under 2.5", 1.90, "total")
    assert said(panel) == {Edge.BELOW: "2 changes below ▾"}
    bar = panel.table.scrolling.verticalScrollBar()
    assert bar.value() == 0
    panel.edges.labels[Edge.BELOW].click()
    assert bar.value() > 0
    assert Edge.BELOW not in said(panel)


def test_changes_above_and_beside_have_labels_of_their_own(panel: MatrixPanel, quoted: Any) -> None:
    panel.table.scrolling.verticalScrollBar().setValue(1_000)
    move(quoted, "Bovada", "Everton", 3.1, "moneyline")
    move(quoted, "Matchbook", "Under 2.5", 1.90, "total")
    assert said(panel) == {Edge.ABOVE: "1 ▴", Edge.RIGHT: "1 ▸"}
    panel.edges.labels[Edge.RIGHT].click()
    assert Edge.RIGHT not in said(panel)
    bar = panel.table.scrolling.horizontalScrollBar()
    assert bar.value() > 0
    move(quoted, "Betsson", "Under 2.5", 1.93, "total")
    assert said(panel)[Edge.LEFT] == "◂ 1"


def test_labels_hide_nothing_and_are_left_out_where_there_is_no_room(
    panel: MatrixPanel, quoted: Any, qtbot: QtBot
) -> None:
    move(quoted, "Betsson", "Over 2.5", 1.95, "total")
    move(quoted, "Matchbook", "Everton", 3.1, "moneyline")
    seen = set[frozenset[Edge]]()
    for width in range(WIDE, 240, -20):
        panel.resize(width, panel.height())
        panel.layout().activate()
        shown = frozenset(said(panel))
        seen.add(shown)
        room = panel.header.free_room()
        assert all(room.contains(panel.edges.labels[edge].geometry()) for edge in shown)
        at_edge = [
            part for part in panel.header.children() if isinstance(part, QToolButton | QLabel)
        ]
        held = [part for part in at_edge if part not in panel.edges.labels.values()]
        assert not any(
            panel.edges.labels[edge].geometry().intersects(written_in(part))
            for edge in shown
            for part in held
            if part.isVisible()
        )
    assert {frozenset(), frozenset({Edge.BELOW})} <= seen


def test_a_change_is_forgotten_after_ten_seconds(panel: MatrixPanel, quoted: Any) -> None:
    move(quoted, "Betsson", "Over 2.5", 1.95, "total")
    panel.table.model.flush_touched()
    quoted.clock.now += 9_999
    assert Edge.BELOW in said(panel)
    quoted.clock.now += 2
    assert said(panel) == {}
    assert panel.table.model.recent_moves() == []


def test_a_price_told_again_is_no_change(panel: MatrixPanel, quoted: Any) -> None:
    move(quoted, "Betsson", "Over 2.5", 1.92, "total")
    assert said(panel) == {}


def test_what_is_in_sight_and_the_frozen_part_are_not_counted(
    panel: MatrixPanel, quoted: Any
) -> None:
    move(quoted, "Pinnacle", "Everton", 3.1, "moneyline")
    move(quoted, "Bovada", "Everton", 3.1, "moneyline")
    panel.table.model.flush_touched()
    panel.table.scrolling.scrollTo(panel.table.model.index(1, FIRST_BOOKMAKER + 1))
    assert len(panel.table.model.recent_moves()) == 2
    assert said(panel) == {}


def test_labels_come_by_themselves_and_nothing_scrolls(
    panel: MatrixPanel, quoted: Any, qtbot: QtBot
) -> None:
    move(quoted, "Betsson", "Under 2.5", 1.95, "total")
    label = panel.edges.labels[Edge.BELOW]
    qtbot.waitUntil(label.isVisible, timeout=2_000)
    assert panel.table.scrolling.verticalScrollBar().value() == 0
    panel.edges.show_nearest()
    assert panel.table.scrolling.visualRect(
        panel.table.model.index(LAST_ROW, FIRST_BOOKMAKER)
    ).isValid()
    qtbot.waitUntil(lambda: not label.isVisible(), timeout=2_000)
