"""The badge of the top bar: what may be taken for the market's odds and is not."""

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtWidgets import QLabel, QMenu

from oddsdesk.board.connection import Connection, Link
from oddsdesk.desk.shell.top_bar import TopBar
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.time_format import moment_text

LIVE = Connection(Link.LIVE, simulated=False)
OLD = "Old odds, moved to now"


@pytest.fixture
def bar(quoted: Any, theme: Theme, qtbot: Any) -> Iterator[TopBar]:
    bar = TopBar(quoted.board, theme, QMenu(), QMenu())
    qtbot.addWidget(bar)
    yield bar
    bar.close_panel()


def badge(bar: TopBar) -> QLabel:
    (found,) = (each for each in bar.findChildren(QLabel) if each.property("variant") == "badge")
    return found


@pytest.mark.parametrize(
    ("connection", "text", "tip"),
    [
        (LIVE, "", ""),
        (replace(LIVE, simulated=True), "Simulated odds", "These odds are simulated"),
        (replace(LIVE, shifted=True), OLD, "Old odds are among these"),
    ],
)
def test_odds_that_nobody_offers_have_a_badge(
    bar: TopBar, quoted: Any, connection: Connection, text: str, tip: str
) -> None:
    quoted.board.set_connection(connection)
    assert badge(bar).accessibleName() == text
    assert badge(bar).isHidden() is not bool(text)
    assert tip in badge(bar).toolTip()


def test_a_running_replay_and_a_moment_of_the_past_say_what_they_are(
    bar: TopBar, quoted: Any
) -> None:
    quoted.board.set_connection(replace(LIVE, shifted=True))
    bar.show_feed("Replay · 16 Apr 2026 19:00 · 10×")
    assert badge(bar).accessibleName() == "Replay · 16 Apr 2026 19:00 · 10×"
    bar.show_feed("")
    assert badge(bar).accessibleName() == OLD
    quoted.board.set_connection(replace(LIVE, shifted=True, as_of_ms=1_776_340_800_000))
    assert badge(bar).accessibleName().startswith("As of ")
    assert badge(bar).accessibleName().endswith(" · old odds, moved to now")
    quoted.board.set_connection(replace(LIVE, simulated=True, as_of_ms=1_776_340_800_000))
    assert badge(bar).accessibleName().endswith(" · simulated odds")
    assert badge(bar).toolTip().startswith("These odds are simulated")
    mixed = replace(LIVE, simulated=True, is_mixed=True, as_of_ms=1_776_340_800_000)
    quoted.board.set_connection(mixed)
    assert badge(bar).accessibleName().endswith(" · partly simulated odds")
    assert badge(bar).toolTip().startswith("Simulated odds are among these")
    quoted.board.set_connection(replace(LIVE, as_of_ms=1_776_340_800_000))
    assert "·" not in badge(bar).accessibleName()


def test_what_is_said_of_the_past_makes_the_bar_no_wider(
    bar: TopBar, quoted: Any, theme: Theme, qtbot: Any
) -> None:
    bar.resize(1_200, bar.height())
    bar.show()
    old = replace(LIVE, shifted=True, as_of_ms=1_776_340_800_000)
    quoted.board.set_connection(replace(LIVE, simulated=True))
    least = bar.minimumSizeHint().width()
    quoted.board.set_connection(old)
    assert bar.minimumSizeHint().width() == least
    said = badge(bar).accessibleName()
    qtbot.waitUntil(lambda: badge(bar).text() == said)
    bar.resize(least, bar.height())
    qtbot.waitUntil(lambda: badge(bar).text().endswith("…"))
    assert badge(bar).toolTip().startswith(f"{said}\nOld odds are among these")


@pytest.mark.parametrize(
    ("connection", "shown"),
    [(replace(LIVE, simulated=True), "Simulated"), (replace(LIVE, shifted=True), "Old odds")],
)
def test_what_nobody_offers_is_told_in_the_narrowest_bar(
    bar: TopBar, quoted: Any, qtbot: Any, connection: Connection, shown: str
) -> None:
    quoted.board.set_connection(connection)
    bar.resize(bar.minimumSizeHint().width(), bar.height())
    bar.show()
    qtbot.waitUntil(lambda: badge(bar).text() == shown)


@pytest.mark.parametrize(
    ("connection", "shown"),
    [
        (replace(LIVE, shifted=True), ["Old odds, moved to now", "Old odds"]),
        (replace(LIVE, simulated=True), ["Simulated odds", "Simulated"]),
        (
            replace(LIVE, shifted=True, as_of_ms=1_776_340_800_000),
            [
                "As of {} · old odds, moved to now",
                "{} · old odds",
                "{}",
            ],
        ),
    ],
)
def test_a_narrow_badge_says_less_in_whole_words(
    bar: TopBar, quoted: Any, qtbot: Any, connection: Connection, shown: list[str]
) -> None:
    quoted.board.set_connection(connection)
    bar.resize(1_200, bar.height())
    bar.show()
    label = badge(bar)
    found = []
    for width in range(label.sizeHint().width(), 40, -4):
        label.resize(width, label.height())
        if label.text().endswith("…"):
            break
        if label.text() not in found:
            found.append(label.text())
    moment = moment_text(1_776_340_800_000)
    assert found == [text.format(moment) for text in shown]


@pytest.mark.parametrize("percent", [140, 160])
def test_a_badge_grows_with_its_text(
    bar: TopBar, quoted: Any, theme: Theme, qtbot: Any, percent: int
) -> None:
    quoted.board.set_connection(replace(LIVE, shifted=True))
    with qtbot.waitExposed(bar):
        bar.show()
    theme.zoom(percent)
    try:
        line = badge(bar).fontMetrics().height()
        qtbot.waitUntil(lambda: badge(bar).contentsRect().height() >= line)
    finally:
        theme.zoom(100)
