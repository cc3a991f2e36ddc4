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


def test_how_many_bets_there_are_is_never_cut_and_stands_longer_than_what_would_move(
    header: ValuesHeader,
) -> None:
    header.show_facts("13 · stakes 73 of 1,000 · 31 with cautions below · by Pinnacle")
    header.show_waiting(38)
    whole = "13 · stakes 73 of 1,000 · 31 with cautions below · by Pinnacle"
    prefixes = [" · ".join(whole.split(" · ")[:count]) for count in range(5)]
    seen = []
    for width in range(1_600, 300, -10):
        header.resize(width, header.height())
        header.line.activate()
        text = header._facts.text()
        assert text in prefixes
        assert text or width < 500
        if "38 rows would move · S to sort" in shown(header):
            assert text.startswith("13 · stakes 73 of 1,000")
        if text not in seen:
            seen.append(text)
    assert seen[:4] == prefixes[:0:-1]


def test_why_nothing_is_staked_is_said_as_long_as_there_is_room_for_a_preset(
    header: ValuesHeader,
) -> None:
    header.show_facts("13 · no stakes · not connected · 31 with cautions below · by Pinnacle", 3)
    header.show_waiting(46)
    buttons = set()
    for width in range(1_600, 300, -10):
        header.resize(width, header.height())
        header.line.activate()
        sorts = [text for text in shown(header) if "46" in text]
        buttons.add("".join(sorts))
        assert header._facts.text() != "13" or width < 600
        if sorts:
            assert header._facts.text().startswith("13 · no stakes · not connected")
    assert buttons == {"46 rows would move · S to sort", "Sort 46", ""}


def test_misses_have_neither_stakes_nor_preset(header: ValuesHeader) -> None:
    header.show_list(MISSES)
    assert "Stakes…" not in shown(header)
    header.resize(600, header.height())
    header.resize(1_100, header.height())
    assert "Stakes…" not in shown(header)
    header.show_list(BETS)
    assert "Stakes…" in shown(header)
