"""The time line: what it spans, its strip by keys and mouse, and what it asks for."""

from datetime import datetime

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from oddsdesk.contract.administration import LogMap
from oddsdesk.contract.times import DAY_MS, HOUR_MS
from oddsdesk.desk.timeline import PARTS, Span, TimeLine, Zoom, described, gaps, span_around
from oddsdesk.desk.ui.formatting import MINUTE_MS
from oddsdesk.desk.ui.theme.theme import Theme

MIDNIGHT = round(datetime(2026, 4, 16).astimezone().timestamp() * 1000)
NOON = MIDNIGHT + 12 * HOUR_MS
DAY = Span(MIDNIGHT, MIDNIGHT + DAY_MS)


def day_of(**said: object) -> LogMap:
    moves = [0] * PARTS
    moves[100:104] = [5, 400, 1, 0]
    fields = {"moves": moves, "kick_offs": [(NOON, 3)], "silences": []}
    return LogMap(DAY.since, DAY.until, **(fields | said))  # type: ignore[arg-type]


@pytest.fixture
def line(theme: Theme, qtbot: QtBot) -> TimeLine:
    made = TimeLine(theme)
    qtbot.addWidget(made)
    made.resize(900, 26)
    made.show_moment(NOON)
    made.show_log(day_of())
    with qtbot.waitExposed(made):
        made.show()
    return made


def test_a_day_is_the_user_s_and_other_spans_have_the_moment_in_their_middle() -> None:
    assert span_around(NOON, Zoom.DAY, None) == DAY
    assert span_around(NOON, Zoom.HOURS, None) == Span(NOON - 3 * HOUR_MS, NOON + 3 * HOUR_MS)
    at_its_end = span_around(MIDNIGHT + DAY_MS - MINUTE_MS, Zoom.DAY, None)
    assert at_its_end.holds(MIDNIGHT + DAY_MS - MINUTE_MS)
    whole = span_around(NOON, Zoom.ALL, (NOON - 90 * DAY_MS, NOON + DAY_MS))
    assert whole.holds(NOON - 90 * DAY_MS)
    assert whole.holds(NOON + DAY_MS)
    assert span_around(NOON, Zoom.ALL, (NOON, NOON)).length > 0


def test_a_silence_is_a_gap_but_for_what_was_imported_into_it() -> None:
    width = DAY_MS // PARTS
    silent = (NOON - 3 * HOUR_MS, NOON + 3 * HOUR_MS)
    known = day_of(silences=[silent])
    first, last = gaps(known)
    assert first == (silent[0], MIDNIGHT + 100 * width)
    assert last == (MIDNIGHT + 103 * width, silent[1])
    assert gaps(day_of(silences=[(MIDNIGHT - DAY_MS, MIDNIGHT + HOUR_MS)])) == [
        (MIDNIGHT, MIDNIGHT + HOUR_MS)
    ]
    assert described(known, NOON + 2 * HOUR_MS).endswith("nothing recorded")


def test_a_moment_says_what_moved_and_what_began() -> None:
    width = DAY_MS // PARTS
    assert described(day_of(), MIDNIGHT + 101 * width).endswith("400 moves")
    assert described(day_of(), NOON + 1).endswith("12:00 · no moves · 3 kick-offs")
    assert described(day_of(), MIDNIGHT + 102 * width).endswith("1 move")


def test_keys_lead_along_the_strip(line: TimeLine, qtbot: QtBot) -> None:
    wanted: list[int] = []
    line.strip.moment_wanted.connect(wanted.append)
    keys = Qt.Key
    for key in (keys.Key_Right, keys.Key_Left, keys.Key_PageDown, keys.Key_Home, keys.Key_End):
        qtbot.keyClick(line.strip, key)
    width = DAY_MS // PARTS
    assert wanted == [NOON + width, NOON, NOON + 12 * width, DAY.since, DAY.until]
    with qtbot.waitSignal(line.strip.now_wanted):
        qtbot.keyClick(line.strip, keys.Key_Escape)


def test_a_click_and_a_drag_go_to_where_the_pointer_is(line: TimeLine, qtbot: QtBot) -> None:
    wanted: list[int] = []
    strip = line.strip
    strip.moment_wanted.connect(wanted.append)
    left, middle = QPoint(0, 10), QPoint(strip.width() // 2, 10)
    qtbot.mousePress(strip, Qt.MouseButton.LeftButton, pos=left)
    assert wanted == [DAY.since]
    qtbot.mouseRelease(strip, Qt.MouseButton.LeftButton, pos=left)
    qtbot.mouseClick(strip, Qt.MouseButton.LeftButton, pos=middle)
    assert abs(wanted[-1] - NOON) < 10 * MINUTE_MS


def test_another_zoom_and_a_moment_outside_ask_for_another_span(
    line: TimeLine, qtbot: QtBot
) -> None:
    asked: list[Span] = []
    line.span_shown.connect(asked.append)
    qtbot.keyClick(line.strip, Qt.Key.Key_Minus)
    assert line.zoom.text().startswith("A week")
    qtbot.keyClick(line.strip, Qt.Key.Key_Plus)
    line.show_moment(NOON + HOUR_MS)
    line.show_moment(NOON + 2 * DAY_MS)
    assert [span.length for span in asked] == [7 * DAY_MS, DAY_MS, DAY_MS]
    assert asked[-1].holds(NOON + 2 * DAY_MS)
    line.show_log(day_of())
    assert line.strip.span == asked[-1], "what was read of another span is not shown"


def test_it_says_whether_it_plays_and_how_fast(line: TimeLine, qtbot: QtBot) -> None:
    line.show_playing(playing=True, speed=60)
    assert (line.play.accessibleName(), line.speed.text()) == ("Pause", "60× ▾")
    with qtbot.waitSignal(line.speed_chosen) as chosen:
        line.speed.menu_shown.actions()[-1].trigger()
    assert chosen.args == [100]
    assert "16 Apr 2026 12:00" in line.strip.accessibleName()
    assert line.grab().toImage().width() == line.width()
