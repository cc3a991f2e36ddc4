"""The line above the value bets gives way in a narrow window instead of pushing it wider."""

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QMenu, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.value_bets.header import BETS, MISSES, ValuesHeader


@pytest.fixture
def header(theme: Theme, qtbot: QtBot) -> Iterator[ValuesHeader]:
    window = QWidget()
    qtbot.addWidget(window)
    made = ValuesHeader(theme, QMenu(window))
    made.setParent(window)
    made.show_presets([], "All value bets", {"All value bets"})
    made.resize(1_100, made.height())
    with qtbot.waitExposed(window):
        window.show()
    yield made
    window.close()


def shown(header: ValuesHeader) -> list[str]:
    return [part.text() for part in header.findChildren(QToolButton) if part.isVisible()]


def test_first_the_word_before_the_preset_goes_then_the_stakes(header: ValuesHeader) -> None:
    assert shown(header)[-2:] == ["Stakes…", "Preset: All value bets ▾"]
    seen = []
    for width in range(1_100, 300, -10):
        header.resize(width, header.height())
        now = ("Stakes…" in shown(header), "Preset: All value bets ▾" in shown(header))
        if now not in seen:
            seen.append(now)
        assert "Bet ▾" in shown(header)
    assert seen == [(True, True), (True, False), (False, False)]
    header.resize(1_100, header.height())
    assert shown(header)[-2:] == ["Stakes…", "Preset: All value bets ▾"]


def test_misses_have_neither_stakes_nor_preset(header: ValuesHeader) -> None:
    header.show_list(MISSES)
    assert "Stakes…" not in shown(header)
    header.resize(600, header.height())
    header.resize(1_100, header.height())
    assert "Stakes…" not in shown(header)
    header.show_list(BETS)
    assert "Stakes…" in shown(header)
