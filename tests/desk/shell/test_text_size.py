"""The whole desk at the smallest and the largest text: nothing that holds text is cut."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QAction, QFontMetricsF
from PySide6.QtWidgets import (
    QAbstractItemView,
    QLabel,
    QLineEdit,
    QPushButton,
    QTabBar,
    QTabWidget,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from oddsdesk.desk.grid.bar import ChoicePopup, RangePopup
from oddsdesk.desk.grid.filter import Range
from oddsdesk.desk.matrix.header import MatrixHeader
from oddsdesk.desk.records import Records
from oddsdesk.desk.settings.declared import TEXT_SIZE
from oddsdesk.desk.settings.saved_state import Layout, Preferences
from oddsdesk.desk.shell.app import Introduction
from oddsdesk.desk.shell.assembly import Desk
from oddsdesk.desk.shell.commands import TextSize
from oddsdesk.desk.ui.table.column_chooser import ColumnChoice, ColumnChooser
from oddsdesk.desk.ui.theme.theme import Scheme, Theme
from tests.kit.late_panels import make_all

_SMALL_SCREEN = QSize(1_280, 752)
"""1,280 x 800 with what a desktop draws around a window."""
_HALF_A_ROW = 11


@pytest.fixture
def desk(
    theme: Theme,
    quoted: Any,
    layout: Layout,
    preferences: Preferences,
    qtbot: QtBot,
    tmp_path: Path,
) -> Iterator[Desk]:
    records = Records(tmp_path / "ledger.db")
    made = Desk(quoted.board, theme, layout, preferences, records, quoted.clock)
    qtbot.addWidget(made.window)
    make_all(made)
    made.window.restore_window()
    made.top_bar.show_connection("Built-in server")
    made.open_game_in_new_tab(quoted.id)
    with qtbot.waitExposed(made.window):
        made.window.show()
    yield made
    theme.zoom(100)
    made.close_desk()
    records.close_records()


@pytest.mark.parametrize("percent", [80, 160, 100])
def test_no_text_is_higher_than_what_holds_it(
    desk: Desk, theme: Theme, preferences: Preferences, percent: int, qtbot: QtBot
) -> None:
    preferences.keep_setting(TEXT_SIZE, 160 if percent == 80 else 80)
    preferences.keep_setting(TEXT_SIZE, percent)
    desk.status_bar.show_favourites(3)
    for tab in range(desk.window.tabs.count()):
        desk.window.tabs.setCurrentIndex(tab)
        qtbot.waitUntil(lambda: nothing_is_cut(desk.window))
    sizes = {round(font.pointSizeF(), 2) for font in theme.fonts.all_fonts()}
    others = {
        f"{type(part).__name__} {part.accessibleName()} {part.font().pointSizeF()}"
        for part in written(desk.window)
        if round(part.font().pointSizeF(), 2) not in sizes
    }
    assert others == set()


def test_a_game_keeps_the_size_of_its_texts_in_a_window_of_its_own_and_back(
    desk: Desk, quoted: Any, preferences: Preferences, theme: Theme, qtbot: QtBot
) -> None:
    preferences.keep_setting(TEXT_SIZE, 160)
    assert game_title(desk).font() == theme.fonts.title
    for _ in ("out", "back"):
        desk.games.detach(quoted.id)
        qtbot.waitUntil(lambda: game_title(desk).isVisible())
        parts = game_title(desk).parentWidget().findChildren(QLabel)
        sizes = {each.font().pointSizeF() for each in parts}
        assert sizes <= {font.pointSizeF() for font in theme.fonts.all_fonts()}
        assert game_title(desk).font().pointSizeF() == theme.fonts.title.pointSizeF()


def game_title(desk: Desk) -> QLabel:
    """The title above the open game's matrix."""
    (panel,) = desk.games._games.values()
    header = panel.findChild(MatrixHeader)
    assert header is not None
    return header._title


def test_panels_have_the_room_they_had_when_text_is_as_before(
    desk: Desk, preferences: Preferences, qtbot: QtBot
) -> None:
    window = desk.window
    window.resize(1_680, 1_020)
    for panel in window.panels():
        panel.show()
    window.reveal(desk.values())

    def rooms() -> dict[str, int]:
        shown = {dock.objectName(): dock for dock in window.panels() if dock.isVisible()}
        return {"values": shown["values"].height(), "explain": shown["explain"].width()}

    qtbot.waitUntil(lambda: window.width() == 1_680 and desk.explain().isVisible())
    window.layout().activate()
    before = rooms()
    for percent in (130, 160, 130, 100):
        preferences.keep_setting(TEXT_SIZE, percent)
    window.layout().activate()
    grown = {name: size - before[name] for name, size in rooms().items()}
    assert all(abs(each) <= _HALF_A_ROW for each in grown.values()), grown


def test_the_largest_text_with_every_panel_and_the_introduction_fits_a_small_screen(
    desk: Desk, preferences: Preferences, theme: Theme, quoted: Any, qtbot: QtBot
) -> None:
    desk.window.put_notice(
        introduction := Introduction(theme, quoted.board, preferences, QAction())
    )
    preferences.keep_setting(TEXT_SIZE, 160)
    for panel in desk.window.panels():
        panel.show()
    desk.top_bar.show_feed("Replay · 16 Apr 2026 · 1×")
    desk.window.resize(_SMALL_SCREEN)
    desk.window.layout().activate()
    for tab in range(desk.window.tabs.count()):
        desk.window.tabs.setCurrentIndex(tab)
        qtbot.wait(1)
        least = desk.window.minimumSizeHint()
        assert least.boundedTo(_SMALL_SCREEN) == least
    assert introduction.isVisible()
    introduction.close_panel()


def test_in_a_narrow_odds_grid_of_large_texts_its_line_says_all_in_whole_words(
    desk: Desk, preferences: Preferences
) -> None:
    """Next to Explain, on a screen of 1,280 pixels: "36,…", "Se…ns"."""
    preferences.keep_setting(TEXT_SIZE, 160)
    desk.window.reveal(desk.grid())
    bar = desk.grid().bar
    bar.pause.setVisible(True)
    bar.show_count("36,187 of 36,187 prices", "36,187 of 36,187", "36,187")
    bar.resize(638, bar.height())
    bar.line.activate()
    assert bar.count._shown == "36,187"
    for part in (bar.count, bar.pause, bar.views, *bar.shapes.findChildren(QToolButton)):
        assert part.width() >= part.sizeHint().width()
    assert (bar.pause.text(), bar.pause.accessibleName()) == ("Pause", "Pause updates")


def test_a_change_of_colours_makes_no_text_smaller_or_weaker(
    desk: Desk, preferences: Preferences, theme: Theme, qtbot: QtBot
) -> None:
    for percent in range(110, 170, 10):
        preferences.keep_setting(TEXT_SIZE, percent)
    for panel in desk.window.panels():
        panel.show()
    qtbot.wait(1)
    before = fonts(desk.window)
    for scheme in (Scheme.LIGHT, Scheme.DARK):
        theme.choose_scheme(scheme, colour_blind=scheme is Scheme.LIGHT)
        qtbot.wait(1)
        after = fonts(desk.window)
        less = {repr(w): (before[w], after[w]) for w in before if is_less(after[w], before[w])}
        assert less == {}


def fonts(window: QWidget) -> dict[QWidget, tuple[float, int]]:
    """Return how large and how strong every part of a window is written."""
    parts = [window, *window.findChildren(QWidget)]
    return {part: (round(part.font().pointSizeF(), 2), part.font().weight()) for part in parts}


def is_less(font: tuple[float, int], than: tuple[float, int]) -> bool:
    return font[0] < than[0] or font[1] < than[1]


def written(window: QWidget) -> list[QWidget]:
    kinds = (QLabel, QLineEdit, QPushButton, QToolButton, QTabBar, QAbstractItemView)
    return [part for kind in kinds for part in window.findChildren(kind) if part.isVisible()]


def cut(window: QWidget) -> list[str]:
    return [
        f"{type(w).__name__} {w.text()!r}: {w.height()}"
        for w in written(window)
        if isinstance(w, QLabel | QLineEdit | QPushButton | QToolButton)
        and w.text()
        and room(w) < QFontMetricsF(w.font()).height() - 1
    ]


def nothing_is_cut(window: QWidget) -> None:
    """Docks take what their texts need a moment after the texts have changed."""
    assert cut(window) == []


def room(part: QWidget) -> int:
    """Return the height that a part has for its text."""
    margin = part.margin() if isinstance(part, QLabel) else 0
    return part.contentsRect().height() - 2 * margin


def test_what_is_cut_is_found(qtbot: QtBot) -> None:
    label = QLabel("gone below the edge")
    qtbot.addWidget(label)
    label.setFixedHeight(6)
    label.show()
    holder = QWidget()
    qtbot.addWidget(holder)
    label.setParent(holder)
    label.show()
    holder.show()
    assert len(cut(holder)) == 1


def test_a_tab_bar_is_written_at_once_as_large_as_the_rest(theme: Theme, qtbot: QtBot) -> None:
    tabs = QTabWidget()
    qtbot.addWidget(tabs)
    tabs.addTab(QLabel(), "Odds grid")
    tabs.show()
    for percent in (160, 80, 100):
        theme.zoom(percent)
        assert tabs.tabBar().font().pointSizeF() == pytest.approx(theme.fonts.body.pointSizeF())


def test_popups_have_rows_and_width_for_large_text(theme: Theme, qtbot: QtBot, desk: Desk) -> None:
    theme.zoom(160)
    choices = [("a", "Both teams to score"), ("b", "Handicap")]
    columns = [ColumnChoice(key, text, True) for key, text in choices]
    for popup in (
        ChoicePopup(desk.window, theme, "Market", "Find: market", choices, ()),
        RangePopup(desk.window, theme, "Odds", "", Range()),
        ColumnChooser(desk.window, theme, columns),
    ):
        popup.open_below(desk.top_bar)
        assert popup.width() >= 1.6 * 260
        assert cut(popup) == []
        rows = getattr(popup, "list", None)
        if rows is not None:
            height = rows.visualItemRect(rows.item(0)).height()
            assert height >= QFontMetricsF(theme.fonts.body).height()
            assert rows.viewport().height() >= 2 * height
        popup.close()


def test_text_grows_with_its_rows_and_stays_so(theme: Theme, layout: Layout, qtbot: QtBot) -> None:
    label = QLineEdit()
    qtbot.addWidget(label)
    label.setFont(theme.fonts.title)
    before, row = label.font().pointSizeF(), theme.fonts.row_height(22)
    size = TextSize(Preferences(layout), theme)
    for _ in range(20):
        size.step(1)
    assert theme.text_size == 160
    assert label.font().pointSizeF() == pytest.approx(before * 1.6)
    assert theme.fonts.row_height(22) > row * 1.4
    size.reset_size()
    assert label.font().pointSizeF() == pytest.approx(before)
