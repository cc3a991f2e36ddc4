"""The step chart as pixels, by pointer and by keyboard."""

import pytest
from PySide6.QtCore import QPoint, QPointF, QSize, Qt
from PySide6.QtGui import QColor, QImage, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from oddsdesk.board.history.price_history import Gap, Point, Why
from oddsdesk.desk.ui.chart.painter import (
    ChartData,
    ChartPainter,
    Line,
    Stroke,
    Window,
    gap_text,
    readings,
)
from oddsdesk.desk.ui.chart.step_chart import StepChart
from oddsdesk.desk.ui.formatting import odds_text
from oddsdesk.desk.ui.theme.theme import Scheme, Theme
from oddsdesk.desk.ui.theme.tokens import SurfaceRole, TextRole

BEGIN = 1_776_340_800_000
SIZE = QSize(420, 260)
BOOK = Line(
    "Betfair",
    (Point(BEGIN, 2.0), Point(BEGIN + 60_000, 2.4), Point(BEGIN + 90_000, None)),
    TextRole.VALUE,
    Stroke.STRONG,
)
REFERENCE = Line("Pinnacle", (Point(BEGIN, 2.2),), TextRole.ACCENT, Stroke.THIN)
GAP = Gap(BEGIN + 20_000, BEGIN + 40_000, Why.STREAM_DOWN)
DATA = ChartData((BOOK, REFERENCE), (GAP,), Window(BEGIN, BEGIN + 120_000))


@pytest.fixture
def chart(theme: Theme, qtbot: QtBot) -> StepChart:
    made = StepChart(theme, odds_text)
    qtbot.addWidget(made)
    made.resize(SIZE)
    made.show_data(DATA, reset_zoom=True)
    with qtbot.waitExposed(made):
        made.show()
    return made


def place(theme: Theme, seconds: float, odds: float) -> QPoint:
    frame = ChartPainter(theme, odds_text).frame(SIZE, DATA, DATA.whole)
    assert frame is not None
    return QPoint(round(frame.x(BEGIN + seconds * 1000)), round(frame.y(odds)))


def has_ink(image: QImage, at: QPoint, colour: str) -> bool:
    around = (QPoint(0, step) for step in (-1, 0, 1))
    return any(image.pixelColor(at + step) == QColor(colour) for step in around)


@pytest.mark.parametrize("scheme", [Scheme.DARK, Scheme.LIGHT])
def test_lines_are_drawn_where_their_prices_stand(
    chart: StepChart, theme: Theme, scheme: Scheme
) -> None:
    theme.choose_scheme(scheme)
    image = chart.picture(SIZE)
    value, accent = theme.tokens.ink(TextRole.VALUE), theme.tokens.ink(TextRole.ACCENT)
    assert has_ink(image, place(theme, 10, 2.0), value)
    assert has_ink(image, place(theme, 75, 2.4), value)
    assert not has_ink(image, place(theme, 75, 2.0), value)
    assert has_ink(image, place(theme, 110, 2.2), accent)


def test_a_withdrawn_price_ends_its_line_and_a_gap_is_shaded_and_empty(
    chart: StepChart, theme: Theme
) -> None:
    image = chart.picture(SIZE)
    assert not has_ink(image, place(theme, 100, 2.4), theme.tokens.ink(TextRole.VALUE))
    for odds, ink in ((2.0, TextRole.VALUE), (2.2, TextRole.ACCENT)):
        assert not has_ink(image, place(theme, 30, odds), theme.tokens.ink(ink))
    shade, panel = (image.pixelColor(place(theme, second, 2.27)) for second in (30, 50))
    assert panel == QColor(theme.tokens.ground(SurfaceRole.PANEL))
    assert shade != panel


def test_every_line_is_read_at_the_pointer(chart: StepChart, theme: Theme, qtbot: QtBot) -> None:
    at = place(theme, 70, 2.3)
    qtbot.mouseMove(chart, at)
    assert chart.crosshair == pytest.approx(BEGIN + 70_000, abs=300)
    said = {line.name: odds for line, odds in readings(DATA, chart.crosshair or 0)}
    assert said == {"Betfair": 2.4, "Pinnacle": 2.2}


def test_within_a_gap_nothing_is_read() -> None:
    assert [odds for _, odds in readings(DATA, BEGIN + 30_000)] == [None, None]
    assert [odds for _, odds in readings(DATA, BEGIN + 95_000)] == [None, 2.2]


def test_arrow_keys_go_from_move_to_move(chart: StepChart, qtbot: QtBot) -> None:
    key = Qt.Key
    seen = []
    for pressed in (key.Key_Right, key.Key_Right, key.Key_Right, key.Key_Left, key.Key_End):
        qtbot.keyClick(chart, pressed)
        seen.append((chart.crosshair or 0) - BEGIN)
    assert seen == [0, 60_000, 90_000, 60_000, 120_000]
    qtbot.keyClick(chart, key.Key_Escape)
    assert chart.crosshair is None


def test_plus_and_minus_zoom_around_the_crosshair(chart: StepChart, qtbot: QtBot) -> None:
    for _ in range(2):
        qtbot.keyClick(chart, Qt.Key.Key_Right)
    qtbot.keyClick(chart, Qt.Key.Key_Plus)
    assert chart.window_shown == (BEGIN + 12_000, BEGIN + 108_000)
    qtbot.keyClick(chart, Qt.Key.Key_Minus)
    assert chart.window_shown == DATA.whole


def test_the_wheel_zooms_at_the_pointer_and_a_double_click_shows_all(
    chart: StepChart, theme: Theme, qtbot: QtBot
) -> None:
    spot = place(theme, 30, 2.2)
    QApplication.sendEvent(
        chart,
        QWheelEvent(
            QPointF(spot), QPointF(chart.mapToGlobal(spot)), QPoint(), QPoint(0, 120),
            Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase, False,
        ),
    )  # fmt: skip
    window = chart.window_shown
    assert window is not None
    assert window.span == pytest.approx(96_000, abs=2)
    assert (BEGIN + 30_000 - window.since) / window.span == pytest.approx(0.25, abs=0.01)
    qtbot.mouseDClick(chart, Qt.MouseButton.LeftButton, pos=spot)
    assert chart.window_shown == DATA.whole


def test_a_drag_zooms_into_what_it_marks(chart: StepChart, theme: Theme, qtbot: QtBot) -> None:
    button = Qt.MouseButton.LeftButton
    qtbot.mousePress(chart, button, pos=place(theme, 40, 2.2))
    qtbot.mouseMove(chart, place(theme, 100, 2.2))
    qtbot.mouseRelease(chart, button, pos=place(theme, 100, 2.2))
    window = chart.window_shown
    assert window is not None
    assert window.since == pytest.approx(BEGIN + 40_000, abs=500)
    assert window.until == pytest.approx(BEGIN + 100_000, abs=500)


def test_a_zoom_that_ends_now_goes_with_the_time(chart: StepChart) -> None:
    chart.zoom(0.5, DATA.whole.until)
    later = ChartData(DATA.lines, DATA.gaps, Window(BEGIN, BEGIN + 130_000))
    chart.show_data(later)
    assert chart.window_shown == (BEGIN + 70_000, BEGIN + 130_000)


def test_without_data_nothing_happens(chart: StepChart, qtbot: QtBot) -> None:
    chart.show_data(None)
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Plus, Qt.Key.Key_Home):
        qtbot.keyClick(chart, key)
    qtbot.mouseMove(chart, QPoint(100, 100))
    assert chart.crosshair is None
    blank = chart.picture(SIZE)
    assert blank.pixelColor(200, 100) == blank.pixelColor(5, 5)


def test_gaps_say_why_and_how_long() -> None:
    assert gap_text(Gap(0, 14 * 60_000, Why.STREAM_DOWN), 0) == "stream down 14 min"
    assert gap_text(Gap(0, None, Why.STREAM_DOWN), 65_000) == "stream down, 1 min so far"
