"""Lines above lists where there is little room for large text."""

from collections.abc import Iterator
from itertools import combinations

import pytest
from PySide6.QtWidgets import QApplication, QMenu, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from oddsdesk.desk.grid.bar import GridBar
from oddsdesk.desk.opportunities import panel as opportunities
from oddsdesk.desk.ui.controls.bars import Fact, FactsBar, ListBar
from oddsdesk.desk.ui.controls.labels import SteadyButton
from oddsdesk.desk.ui.list_panel import ListHeader
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.value_bets import panel as values
from oddsdesk.ledger.presets import BUILT_IN
from tests.kit.layout_requests import LayoutRequests


@pytest.fixture
def large(theme: Theme) -> Iterator[Theme]:
    theme.zoom(160)
    yield theme
    theme.zoom(100)


def grid_bar(theme: Theme) -> GridBar:
    bar = GridBar(theme)
    bar.show_count("7,315 prices", "7,315", "7,315")
    bar.show_reading("Stopped reading", 0, 0, paused=True)
    bar.show_misplaced(225)
    return bar


def values_header(theme: Theme) -> ListHeader:
    header = values.values_header(theme, QMenu())
    header.show_presets(
        [preset.name for preset in BUILT_IN], BUILT_IN[0].name, {preset.name for preset in BUILT_IN}
    )
    header.show_facts("13 · stakes 70 of 1,000 · 31 with warnings below", 2)
    header.show_waiting(38)
    return header


def upon_each_other(bar: ListBar) -> list[tuple[str, str]]:
    shown = [part for part in bar.bar_parts() if part.isVisible()]
    return [
        (one.accessibleName(), other.accessibleName())
        for one, other in combinations(shown, 2)
        if one.geometry().intersects(other.geometry())
    ]


def opportunities_header(theme: Theme) -> ListHeader:
    header = opportunities.opportunities_header(theme)
    header.facts.show_text("4 arbs · 9 middles · 20 low holds")
    header.show_waiting(38)
    return header


@pytest.mark.parametrize("make", [grid_bar, values_header, opportunities_header])
@pytest.mark.parametrize("width", [666, 690])
def test_nothing_lies_upon_another_part(large: Theme, qtbot: QtBot, make, width: int) -> None:
    bar, window = make(large), QWidget()
    qtbot.addWidget(window)
    bar.setParent(window)
    window.resize(1_900, 100)
    with qtbot.waitExposed(window):
        window.show()
    for each in (width, 1_900, width):
        bar.resize(each, bar.height())  # as a panel does that is narrower than its line
        qtbot.waitUntil(lambda: upon_each_other(bar) == [])
        said = {getattr(part, "text", str)() for part in bar.findChildren(QWidget)}
        assert any("re-sort" in text for text in said) is (each > 700)


@pytest.mark.parametrize("make", [grid_bar, values_header, opportunities_header])
def test_what_comes_goes_and_counts_in_a_bar_lays_out_nothing_above_it(
    theme: Theme, qtbot: QtBot, make
) -> None:
    """ "N rows would move" had the window laid out two to three times a second."""
    bar, panel = make(theme), QWidget()
    qtbot.addWidget(panel)
    column = QVBoxLayout(panel)
    column.addWidget(bar)
    column.addWidget(QWidget(), 1)
    panel.resize(1_600, 300)
    with qtbot.waitExposed(panel):
        panel.show()
    button = bar.findChild(SteadyButton)
    assert button is not None
    requests, widths = LayoutRequests(panel), set()
    for rows in (0, 7, 38, 123_456, 0, 5):
        show = bar.show_misplaced if isinstance(bar, GridBar) else bar.show_waiting
        show(rows)
        assert requests.count() == 0
        assert button.isVisible() is (rows > 0)
        assert upon_each_other(bar) == []
        widths.add(button.width())
    assert len(widths) > 1


def test_how_many_rows_there_are_is_whole_as_long_as_there_is_room(
    theme: Theme, qtbot: QtBot
) -> None:
    bar = GridBar(theme)
    qtbot.addWidget(bar)
    bar.show_reading("", 0, 0, paused=False)
    bar.show_misplaced(1_204)
    bar.show_count("7 prices", "7", "7")
    bar.show()
    found = []
    for width in range(1_300, 680, -20):
        bar.resize(width, bar.height())
        bar.show_count("34,646 of 34,681 prices", "34,646 of 34,681", "34,646")
        bar.line.activate()
        if bar.count.text() not in found:
            found.append(bar.count.text())
    assert found == ["34,646 of 34,681 prices", "34,646 of 34,681", "34,646"]
    assert bar.count.accessibleName() == "34,646 of 34,681 prices"


def facts_bar(theme: Theme) -> FactsBar:
    bar = FactsBar(theme)
    bar.fill_facts([Fact(f"Profit {n}", "+12.50", "on 100 staked, 12 bets") for n in range(6)])
    return bar


def test_all_figures_stand_there_before_any_says_what_it_is_of(large: Theme, qtbot: QtBot) -> None:
    """At large text the last one, what is at risk, was the first to go."""
    window, bar = QWidget(), facts_bar(large)
    qtbot.addWidget(window)
    bar.setParent(window)
    bar.resize(1_900, 100)
    with qtbot.waitExposed(window):
        window.show()

    def shown() -> list[bool]:
        return [tile.isVisible() for tile in bar._tiles]

    def details() -> list[bool]:
        return [tile._detail.isVisible() for tile in bar._tiles if tile.isVisible()]

    qtbot.waitUntil(lambda: (shown(), details()) == ([True] * 6, [True] * 6))
    assert bar.toolTip() == ""
    bar.resize(1_200, 100)
    qtbot.waitUntil(lambda: shown() == [True] * 6 and 0 < sum(details()) < 6)
    assert details() == sorted(details(), reverse=True)
    bar.resize(820, 100)
    qtbot.waitUntil(lambda: (shown(), details()) == ([True] * 6, [False] * 6))
    assert bar.toolTip().splitlines()[-1] == "Profit 5: +12.50 on 100 staked, 12 bets"
    bar.resize(300, 100)
    qtbot.waitUntil(lambda: 0 < sum(shown()) < 6)
    assert len(bar.toolTip().splitlines()) == 6
    bar.resize(1_900, 100)
    qtbot.waitUntil(lambda: (shown(), details()) == ([True] * 6, [True] * 6))


def test_figures_are_as_high_whatever_they_say(theme: Theme, qtbot: QtBot) -> None:
    """The rows below moved away from under the pointer."""
    bar = facts_bar(theme)
    qtbot.addWidget(bar)
    bar.resize(1_000, 100)
    with qtbot.waitExposed(bar):
        bar.show()
    heights = set()
    long = "5 % chance of this or worse, 40 % of a loss"
    for detail in ("on 100 staked, 12 bets", "", long, "1 bet"):
        bar.fill_facts([Fact(f"Profit {n}", "–", detail) for n in range(6)])
        QApplication.sendPostedEvents()
        heights.add((bar.sizeHint().height(), bar.minimumSizeHint().height()))
    assert len(heights) == 1


@pytest.mark.parametrize("make", [facts_bar, opportunities_header])
def test_a_line_that_was_wide_gives_way_again(large: Theme, qtbot: QtBot, make) -> None:
    """What a line asks for, its window is never narrower than: it was pushed off the screen."""
    bar = make(large)
    qtbot.addWidget(bar)
    bar.resize(1_900, 100)
    with qtbot.waitExposed(bar):
        bar.show()
    assert bar.minimumSizeHint().width() < 560
