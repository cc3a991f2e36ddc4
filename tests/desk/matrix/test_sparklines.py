"""Sparklines: six hours of the reference's price, from the log and what was seen since."""

from collections.abc import Coroutine, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QTimer
from PySide6.QtGui import QColor, QImage
from pytestqt.qtbot import QtBot

from oddsdesk.board.history.price_history import Gap, Origin, Point, PriceHistory, Why
from oddsdesk.board.history.sources import HistoryError, PriceHistorySource, References
from oddsdesk.desk.matrix.layout import FROZEN, PAST
from oddsdesk.desk.matrix.model import MatrixModel
from oddsdesk.desk.matrix.sparklines import SPAN_MS, STEPS, Sparklines
from oddsdesk.desk.ui.table.cells import Sparkline
from oddsdesk.desk.ui.table.live_table import LiveTable
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import TextRole
from tests.kit.quoted_game import NOW_MS, REFERENCE, QuotedGame

HOUR = 3_600_000
DRAW = ("moneyline", 0, "Draw")


def run_now(_name: str, work: Coroutine[Any, Any, None]) -> None:
    """Go through a coroutine that waits for nobody."""
    with pytest.raises(StopIteration):
        work.send(None)


class ToldSource:
    """A log that tells what tests put in."""

    origin = Origin.LOG

    def __init__(self, path: Sequence[Point], gaps: Sequence[Gap] = (), problem: str = "") -> None:
        self.path, self.gaps, self.problem = path, tuple(gaps), problem
        self.asked: list[tuple[str, int, str]] = []

    async def history_of(self, *_asked: Any) -> Any:
        raise AssertionError

    async def references(self, _game: str, selections: Sequence[Any], since_ms: int) -> References:
        self.asked += selections
        if self.problem:
            raise HistoryError(self.problem)
        return References(Origin.LOG, dict.fromkeys(selections, self.path), self.gaps)


def not_asked(_name: str, work: Coroutine[Any, Any, None]) -> None:
    work.close()
    raise AssertionError("it was asked for what the board knows")


@pytest.fixture
def sparklines(quoted: Any, qtbot: QtBot) -> Sparklines:
    quoted.board.subscribe_game(quoted.id)
    quoted.load()
    return Sparklines(quoted.board, quoted.id, quoted.clock, run_now)


def drawn(sparklines: Sparklines, quoted: Any) -> Sequence[Any]:
    section = quoted.board.section(quoted.id, *DRAW)
    found = sparklines.sparkline(DRAW, section.selection_row("Draw").reference)
    return () if found is None else found.segments


def read(sparklines: Sparklines, source: ToldSource, qtbot: QtBot) -> None:
    sparklines.use_source(source)
    qtbot.waitUntil(lambda: bool(source.asked), timeout=2_000)


def test_what_was_seen_is_drawn_where_there_is_no_log(sparklines: Sparklines, quoted: Any) -> None:
    quoted.clock.now += 3 * HOUR
    quoted.tell(REFERENCE, "moneyline", "Draw", 3.6)
    quoted.clock.now += HOUR
    ((*corners,),) = drawn(sparklines, quoted)
    assert [x for x, _ in corners] == pytest.approx([2 / 6, 5 / 6, 5 / 6, 1], abs=0.01)
    assert [y for _, y in corners] == [0, 0, 1, 1]


def test_a_price_that_stands_still_is_a_line_in_the_middle(
    sparklines: Sparklines, quoted: Any
) -> None:
    quoted.clock.now += HOUR
    ((*corners,),) = drawn(sparklines, quoted)
    assert [y for _, y in corners] == pytest.approx([0.5, 0.5])


def test_a_line_without_a_reference_has_no_sparkline(sparklines: Sparklines) -> None:
    assert sparklines.sparkline(("moneyline", 0, "Nobody"), None) is None


def test_the_log_comes_first_and_what_is_seen_goes_on(
    sparklines: Sparklines, quoted: Any, qtbot: QtBot
) -> None:
    source = ToldSource([Point(NOW_MS - 9 * HOUR, 3.0), Point(NOW_MS - 2 * HOUR, 3.36)])
    read(sparklines, source, qtbot)
    assert set(source.asked) >= {DRAW, ("total", 0, "Over 2.5")}
    quoted.clock.now += 1
    quoted.tell(REFERENCE, "moneyline", "Draw", 3.72)
    quoted.clock.now += HOUR
    ((*corners,),) = drawn(sparklines, quoted)
    assert [round(y, 2) for _, y in corners] == [0, 0, 0.5, 0.5, 1, 1]
    assert corners[0][0] == 0


def test_what_the_board_knows_is_not_asked_for(quoted: Any, qtbot: QtBot) -> None:
    quoted.board.subscribe_game(quoted.id)
    quoted.load()
    sparklines = Sparklines(quoted.board, quoted.id, quoted.clock, not_asked)
    sparklines.use_source(PriceHistorySource(quoted.board))
    assert not any(timer.isActive() for timer in sparklines.findChildren(QTimer))


def test_gaps_break_the_line(sparklines: Sparklines, quoted: Any, qtbot: QtBot) -> None:
    gap = Gap(NOW_MS - 3 * HOUR, NOW_MS - 2 * HOUR, Why.NOT_RECORDED)
    read(sparklines, ToldSource([Point(NOW_MS - 5 * HOUR, 3.36)], [gap]), qtbot)
    assert len(drawn(sparklines, quoted)) == 2


def test_lines_are_asked_for_once_and_new_ones_when_they_come(
    sparklines: Sparklines, quoted: Any, qtbot: QtBot
) -> None:
    source = ToldSource([Point(NOW_MS - HOUR, 2.0)])
    read(sparklines, source, qtbot)
    before = list(source.asked)
    quoted.quote("btts", {"Yes": {REFERENCE: 1.8}, "No": {REFERENCE: 2.0}})
    quoted.load()
    sparklines.look_for_selections()
    qtbot.waitUntil(lambda: len(source.asked) > len(before), timeout=2_000)
    assert source.asked[len(before) :] == [("btts", 0, "Yes"), ("btts", 0, "No")]


@given(
    moves=st.lists(
        st.tuples(st.sampled_from((0, 1, 20_000, 400_000)), st.sampled_from((3.2, 3.3, 3.4, 3.9))),
        max_size=80,
    )
)
@settings(max_examples=60)
def test_a_sparkline_that_was_drawn_at_each_move_is_that_of_all_moves(
    moves: list[tuple[int, float]],
) -> None:
    quoted = QuotedGame()
    quoted.quote("moneyline", {"Draw": {REFERENCE: 3.36}})
    quoted.board.subscribe_game(quoted.id)
    quoted.load()
    followed = Sparklines(quoted.board, quoted.id, quoted.clock, run_now)
    for gap_ms, odds in moves:
        quoted.clock.now += gap_ms
        quoted.tell(REFERENCE, "moneyline", "Draw", odds)
        drawn(followed, quoted)
    redrawn = Sparklines(quoted.board, quoted.id, quoted.clock, run_now)
    assert by_pixel(drawn(followed, quoted)) == by_pixel(drawn(redrawn, quoted))


def by_pixel(segments: Sequence[Any]) -> dict[int, tuple[float, float, float]]:
    """Return the lowest, the highest and the last height of each pixel of a sparkline's width."""
    found: dict[int, tuple[float, float, float]] = {}
    for x, y in (corner for run in segments for corner in run):
        low, high, _ = found.get(int(x * STEPS), (y, y, y))
        found[int(x * STEPS)] = min(low, y), max(high, y), y
    return found


def test_of_many_moves_each_is_gone_through_once(
    sparklines: Sparklines, quoted: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for step in range(60):
        quoted.clock.now += 1_000
        quoted.tell(REFERENCE, "moneyline", "Draw", 3.2 + step % 2 / 10)
        drawn(sparklines, quoted)
    asked: list[int] = []
    path = PriceHistory.path

    def counted(*asked_for: Any) -> Any:
        found = path(*asked_for)
        asked.append(len(found))
        return found

    monkeypatch.setattr(PriceHistory, "path", counted)
    drawn(sparklines, quoted)
    assert asked[0] < 20


def test_a_log_that_cannot_be_read_leaves_what_was_seen(
    sparklines: Sparklines, quoted: Any, qtbot: QtBot
) -> None:
    quoted.clock.now += HOUR
    read(sparklines, ToldSource([], problem="locked"), qtbot)
    assert len(drawn(sparklines, quoted)) == 1


def test_a_sparkline_is_laid_out_once_a_size_and_moved_along() -> None:
    line = Sparkline([((0, 0), (0.5, 0), (0.5, 1), (1, 1))])
    (shape,) = line.laid_in(10, 20, 41, 13)
    assert [(point.x(), point.y()) for point in shape] == [
        (10, 32), (30, 32), (30, 20), (50, 20),
    ]  # fmt: skip
    (moved,) = line.laid_in(10, 42, 41, 13)
    assert [(point.x(), point.y()) for point in moved] == [
        (10, 54), (30, 54), (30, 42), (50, 42),
    ]  # fmt: skip


@pytest.fixture
def table(theme: Theme, quoted: Any, qtbot: QtBot) -> LiveTable:
    quoted.board.subscribe_game(quoted.id)
    quoted.load()
    model = MatrixModel(quoted.board, quoted.id, quoted.clock)
    made = LiveTable(theme, model, quoted.clock, frozen=FROZEN)
    model.setParent(made)
    qtbot.addWidget(made)
    made.resize(900, 400)
    with qtbot.waitExposed(made):
        made.show()
    return made


def sparkline_pixels(table: LiveTable, theme: Theme, row: int) -> int:
    pane = table.scrolling
    pane.viewport().repaint()
    image = QImage(pane.viewport().size(), QImage.Format.Format_RGB32)
    pane.viewport().render(image)
    rect = pane.visualRect(table.model.index(row, PAST))
    ink = QColor(theme.tokens.ink(TextRole.NOTE))
    return sum(
        image.pixelColor(x, y) == ink
        for x in range(rect.left(), rect.right())
        for y in range(rect.top(), rect.bottom())
    )


def test_the_column_paints_the_path_of_each_line(
    table: LiveTable, theme: Theme, quoted: Any
) -> None:
    quoted.clock.now += SPAN_MS // 2
    quoted.tell(REFERENCE, "moneyline", "Everton", 3.4)
    table.model.flush_touched()
    assert isinstance(table.model, MatrixModel)
    assert table.model.cell(1, PAST).sparkline is not None
    assert table.model.header(PAST).title == "6 h"
    assert sparkline_pixels(table, theme, 1) >= 15


def test_the_column_can_be_left_out(table: LiveTable) -> None:
    assert isinstance(table.model, MatrixModel)
    assert not table.scrolling.isColumnHidden(PAST)
    table.model.show_past(False)
    table.show_columns()
    assert table.scrolling.isColumnHidden(PAST)


def test_a_move_of_the_reference_draws_its_sparkline_anew(table: LiveTable, quoted: Any) -> None:
    quoted.clock.now += HOUR
    quoted.tell("Bovada", "moneyline", "Everton", 3.3)
    table.model.flush_touched()
    before = table.model.cell(1, PAST).sparkline
    quoted.tell("Bovada", "moneyline", "Everton", 3.31)
    table.model.flush_touched()
    assert table.model.cell(1, PAST).sparkline is before
    quoted.tell(REFERENCE, "moneyline", "Everton", 3.4)
    table.model.flush_touched()
    assert table.model.cell(1, PAST).sparkline is not before
