"""The badge of the top bar: what may be taken for the market's odds and is not."""

from collections.abc import Iterator
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtWidgets import QLabel, QMenu

from oddsdesk.board.connection import Connection, Link
from oddsdesk.desk.shell.top_bar import TopBar
from oddsdesk.desk.ui.theme.theme import Theme

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
    assert badge(bar).text() == text
    assert badge(bar).isHidden() is not bool(text)
    assert badge(bar).toolTip().startswith(tip)


def test_a_running_replay_and_a_moment_of_the_past_say_what_they_are(
    bar: TopBar, quoted: Any
) -> None:
    quoted.board.set_connection(replace(LIVE, shifted=True))
    bar.show_feed("Replay · 16 Apr 2026 19:00 · 10×")
    assert badge(bar).text() == "Replay · 16 Apr 2026 19:00 · 10×"
    bar.show_feed("")
    assert badge(bar).text() == OLD
    quoted.board.set_connection(replace(LIVE, shifted=True, as_of_ms=1_776_340_800_000))
    assert badge(bar).text().startswith("As of ")
    assert badge(bar).text().endswith(" · old odds, moved to now")
    quoted.board.set_connection(replace(LIVE, simulated=True, as_of_ms=1_776_340_800_000))
    assert badge(bar).text().endswith(" · simulated odds")
    assert badge(bar).toolTip().startswith("These odds are simulated")
    quoted.board.set_connection(replace(LIVE, as_of_ms=1_776_340_800_000))
    assert "·" not in badge(bar).text()
