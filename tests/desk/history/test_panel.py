"""The History dock: follows the price selected, keeps up with the board, says what it shows."""

from collections.abc import Coroutine, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtGui import QGuiApplication, QImage
from pytestqt.qtbot import QtBot

from oddsdesk.board.history.price_history import Gap, History, Point, SelectionKey, Why
from oddsdesk.board.history.sources import HistoryError, LogSource, PriceHistorySource
from oddsdesk.board.model.matrix import RowKey
from oddsdesk.board.model.notices import Connection, Link
from oddsdesk.contract.administration import LogState
from oddsdesk.desk.history.panel import HistoryPanel
from oddsdesk.desk.ui.theme.theme import Theme
from tests.kit.quoted_game import NOW_MS, REFERENCE

MINUTE = 60_000


def run_now(_name: str, work: Coroutine[Any, Any, None]) -> None:
    """Go through a coroutine that waits for nobody."""
    try:
        while True:
            work.send(None)
    except StopIteration:
        pass


@pytest.fixture
def panel(theme: Theme, quoted: Any, qtbot: QtBot) -> Iterator[HistoryPanel]:
    quoted.board.subscribe_game(quoted.id)
    quoted.load()
    made = HistoryPanel(quoted.board, theme, quoted.clock, run_now)
    qtbot.addWidget(made)
    made.resize(318, 360)
    with qtbot.waitExposed(made):
        made.show()
    yield made
    made.close_panel()


@pytest.mark.parametrize("width", [284, 318, 600])
@pytest.mark.parametrize("size", [100, 120])
def test_the_selection_is_named_however_narrow_the_panel_is(
    panel: HistoryPanel, quoted: Any, theme: Theme, qtbot: QtBot, width: int, size: int
) -> None:
    """The buttons left "Hist…" of it."""
    theme.zoom(size)
    try:
        panel.resize(width, 360)
        select(panel, quoted, "Matchbook", "Liverpool")
        qtbot.waitUntil(lambda: panel.title.text() == "History · Liverpool")
        assert (panel._pin.y() < panel.title.geometry().bottom()) == (width == 600)
    finally:
        theme.zoom(100)


def select(panel: HistoryPanel, quoted: Any, bookmaker: str, selection: str = "Draw") -> None:
    panel.show_price(RowKey(quoted.id, "moneyline", 0, selection, bookmaker))


def paths(panel: HistoryPanel) -> dict[str, list[float | None]]:
    data = panel.model.chart_data()
    assert data is not None
    return {line.name: [point.odds for point in line.path] for line in data.lines}


def test_before_a_price_is_selected_it_says_what_to_do(panel: HistoryPanel) -> None:
    assert panel.placeholder.isVisible()
    assert panel.chart.shown_data is None


def test_a_price_is_shown_next_to_reference_and_fair(panel: HistoryPanel, quoted: Any) -> None:
    select(panel, quoted, "Matchbook")
    fair = quoted.board.section(quoted.id, "moneyline", 0, "Draw").selection_row("Draw").fair
    assert paths(panel) == {"Matchbook": [3.4], REFERENCE: [3.36], "Fair": [pytest.approx(fair)]}
    assert panel.chart.isVisible()
    assert f"Fair: now {fair:.3f}, opened at {fair:.3f}" in panel.chart.accessibleDescription()
    assert panel.origin.text().startswith("seen by this desk since")


def test_lines_grow_with_the_prices(panel: HistoryPanel, quoted: Any, qtbot: QtBot) -> None:
    select(panel, quoted, "Matchbook")
    quoted.clock.now += MINUTE
    with qtbot.waitSignal(panel.model.changed, timeout=2_000):
        quoted.tell("Matchbook", "moneyline", "Draw", 3.5)
        quoted.tell(REFERENCE, "moneyline", "Draw", 3.4)
    shown = paths(panel)
    assert (shown["Matchbook"], shown[REFERENCE]) == ([3.4, 3.5], [3.36, 3.4])
    fair = quoted.board.section(quoted.id, "moneyline", 0, "Draw").selection_row("Draw").fair
    assert shown["Fair"][-1] == fair
    assert panel.chart.shown_data is not None
    assert panel.chart.shown_data.whole == (NOW_MS, NOW_MS + MINUTE)


def test_many_moves_are_told_at_most_every_quarter_of_a_second(
    panel: HistoryPanel, quoted: Any, qtbot: QtBot
) -> None:
    select(panel, quoted, "Matchbook")
    heard: list[bool] = []
    panel.model.changed.connect(heard.append)
    for step in range(100):
        quoted.clock.now += 1
        quoted.tell("Matchbook", "moneyline", "Draw", 3.5 + step / 100)
    assert heard == []
    qtbot.waitUntil(lambda: heard == [False], timeout=2_000)


def test_other_bookmakers_are_pinned_and_stay_for_the_next_selection(
    panel: HistoryPanel, quoted: Any
) -> None:
    select(panel, quoted, "Matchbook")
    assert panel.model.priced_bookmakers == ["Bovada", "Matchbook"]
    panel.model.pin("Bovada", True)
    assert list(paths(panel)) == ["Matchbook", REFERENCE, "Fair", "Bovada"]
    select(panel, quoted, "Matchbook", "Everton")
    assert paths(panel)["Bovada"] == [3.2]
    panel.legend.removed.emit("Bovada")
    assert "Bovada" not in paths(panel)


def test_a_price_is_added_next_to_the_one_shown_and_taken_away_again(
    panel: HistoryPanel, quoted: Any
) -> None:
    select(panel, quoted, "Bovada", "Everton")
    chosen = panel.model.key
    assert chosen is not None
    other = chosen._replace(bookmaker="Matchbook")
    panel.add_price(other)
    assert panel.model.key == chosen
    assert {"Bovada", "Matchbook"} <= paths(panel).keys()
    panel.add_price(other)
    assert "Matchbook" not in paths(panel)
    panel.add_price(chosen._replace(bookmaker=REFERENCE))
    assert panel.model.pinned == []
    panel.add_price(None)
    assert panel.model.key == chosen
    elsewhere = other._replace(selection="Draw")
    panel.add_price(elsewhere)
    assert panel.model.key == elsewhere


def test_the_reference_s_own_price_stands_alone_with_fair(panel: HistoryPanel, quoted: Any) -> None:
    select(panel, quoted, REFERENCE)
    assert list(paths(panel)) == [REFERENCE, "Fair"]


def test_a_lost_connection_shows_as_a_gap(panel: HistoryPanel, quoted: Any) -> None:
    select(panel, quoted, "Matchbook")
    quoted.board.set_connection(Connection(Link.WAITING))
    quoted.clock.now += 14 * MINUTE
    quoted.board.set_connection(Connection(Link.LIVE))
    data = panel.model.chart_data()
    assert data is not None
    assert [(gap.since, gap.until) for gap in data.gaps] == [(NOW_MS, NOW_MS + 14 * MINUTE)]
    assert "1 gap" in panel.chart.accessibleDescription()


def test_nothing_is_drawn_of_what_a_service_does_not_tell_while_it_is_lost(
    panel: HistoryPanel, quoted: Any
) -> None:
    """Its history is of before; the line went on to now."""

    class Away(PriceHistorySource):
        async def history_of(self, game_id: str, key: SelectionKey, since_ms: int) -> History:
            if not quoted.board.connection.is_heard:
                raise HistoryError("The service is away")
            return replace(await super().history_of(game_id, key, since_ms), gaps=())

    quoted.board.set_connection(Connection(Link.LIVE))
    panel.use_source(Away(quoted.board))
    select(panel, quoted, "Matchbook")
    quoted.clock.now += MINUTE
    quoted.board.set_connection(Connection(Link.WAITING, since_ms=quoted.clock.now))
    quoted.clock.now += 14 * MINUTE
    data = panel.model.chart_data()
    assert data is not None
    assert data.gaps == (Gap(NOW_MS + MINUTE, None, Why.STREAM_DOWN),)
    quoted.board.set_connection(Connection(Link.LIVE))
    data = panel.model.chart_data()
    assert data is not None
    assert data.gaps == ()


def test_nothing_is_read_while_hidden(panel: HistoryPanel, quoted: Any) -> None:
    panel.hide()
    select(panel, quoted, "Matchbook")
    assert panel.model.history is None
    panel.show()
    assert panel.model.history is not None


def test_a_screen_reader_hears_what_the_chart_shows(panel: HistoryPanel, quoted: Any) -> None:
    select(panel, quoted, "Matchbook")
    said = panel.chart.accessibleDescription()
    assert "Matchbook: now 3.40, opened at 3.40, low 3.40, high 3.40, no moves" in said
    assert panel.chart.accessibleName() == "History of Draw"


def test_the_chart_is_saved_and_copied_as_a_picture(
    panel: HistoryPanel, quoted: Any, tmp_path: Path
) -> None:
    select(panel, quoted, "Matchbook")
    target = tmp_path / "draw.png"
    assert panel.save_to(target)
    assert QImage(str(target)).width() == 1800
    panel.copy_picture()
    assert QGuiApplication.clipboard().image().width() == 1800
    assert not panel.save_to(tmp_path / "nowhere" / "draw.png")
    assert "Could not save" in panel.origin.text()


class ToldLog:
    """A log as the embedded server's, with what tests put in."""

    def __init__(self, problem: str = "") -> None:
        self.problem = problem
        self.lacks = ""

    async def logged_history(
        self, game_id: str, selection: Any, since_ms: int
    ) -> Mapping[str, list[Point]]:
        if self.problem:
            raise HistoryError(self.problem)
        return {
            REFERENCE: [Point(NOW_MS - 60 * MINUTE, 3.2), Point(NOW_MS - 5 * MINUTE, 3.36)],
            "Matchbook": [Point(NOW_MS - 50 * MINUTE, 3.3)],
        }

    async def reference_history(
        self, game_id: str, selections: Sequence[Any], since_ms: int
    ) -> Mapping[Any, list[Point]]:
        return {key: [Point(NOW_MS - 60 * MINUTE, 3.0)] for key in selections}

    async def log_state(self, since_ms: int) -> LogState:
        silent = (NOW_MS - 40 * MINUTE, NOW_MS - 20 * MINUTE)
        silences = [silent, (NOW_MS - 10 * MINUTE, NOW_MS)]
        return LogState(NOW_MS - 90 * MINUTE, silences, self.lacks)


def test_the_log_is_read_and_goes_on_with_what_the_board_holds(
    panel: HistoryPanel, quoted: Any
) -> None:
    panel.use_source(LogSource(ToldLog(), quoted.board))
    select(panel, quoted, "Matchbook")
    shown = paths(panel)
    assert (shown["Matchbook"], shown[REFERENCE]) == ([3.3, 3.4], [3.2, 3.36])
    assert shown["Fair"] == [pytest.approx(3.0)]
    assert panel.origin.text().startswith("from the local log since")
    data = panel.model.chart_data()
    assert data is not None
    assert [(gap.since, gap.until) for gap in data.gaps] == [
        (NOW_MS - 40 * MINUTE, NOW_MS - 20 * MINUTE)
    ]


def test_an_archive_that_cannot_be_read_is_said_to_be_there(
    panel: HistoryPanel, quoted: Any
) -> None:
    log = ToldLog()
    log.lacks = "older odds are in the archive <b>/x</b>, which is missing"
    panel.use_source(LogSource(log, quoted.board))
    select(panel, quoted, "Matchbook")
    assert panel.origin.text().endswith("; older prices could not be read")
    assert "archive" in panel.origin.toolTip()


def test_a_log_that_cannot_be_read_says_why(panel: HistoryPanel, quoted: Any) -> None:
    panel.use_source(LogSource(ToldLog("the disk is full"), quoted.board))
    select(panel, quoted, "Matchbook")
    assert panel.placeholder.isVisible()
    assert panel.model.problem == "the disk is full"


def test_another_service_starts_empty(panel: HistoryPanel, quoted: Any) -> None:
    select(panel, quoted, "Matchbook")
    panel.forget_price()
    assert panel.placeholder.isVisible()
    assert panel.chart.shown_data is None
