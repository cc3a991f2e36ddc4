"""Draws a step chart: axes, gaps, lines, marks, and the crosshair with its readings."""

from collections.abc import Callable
from typing import Final

import msgspec
from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen, QPolygonF

from oddsdesk.board.history import Gap, marks, segments, thin
from oddsdesk.desk.ui.chart.data import (
    ChartData,
    Line,
    Stroke,
    Window,
    even,
    price_ticks,
    prices_within,
    readings,
    time_ticks,
)
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import HALF, LEAD, STEP, SurfaceRole, TextRole, mix
from oddsdesk.desk.ui.time_format import local_time, span_text

_TICK_HEIGHT: Final = 46
_TICK_WIDTH: Final = 70
_GAP_SHARE: Final = 0.11
_SWATCH: Final = 14
_DOT: Final = 2.5
_WIDTHS: Final = {Stroke.STRONG: 2.0, Stroke.THIN: 1.5, Stroke.DOTTED: 1.5, Stroke.DASHED: 1.5}
_DASHES: Final = {Stroke.DOTTED: [2.0, 2.0], Stroke.DASHED: [5.0, 2.5]}


class Frame(msgspec.Struct, frozen=True):
    """The plot's area in a picture, and the times and prices that it spans."""

    plot: QRect
    window: Window
    low: float
    high: float

    def x(self, at_ms: float) -> float:
        """Return where a moment lies."""
        return self.plot.left() + (at_ms - self.window.since) / self.window.span * (
            self.plot.width() - 1
        )

    def y(self, odds: float) -> float:
        """Return where a price lies."""
        return self.plot.bottom() - (odds - self.low) / (self.high - self.low) * (
            self.plot.height() - 1
        )

    def at(self, x: float) -> int:
        """Return the time at a horizontal position."""
        share = (x - self.plot.left()) / max(1, self.plot.width() - 1)
        return round(self.window.since + share * self.window.span)


class ChartPainter:
    """Paints chart data in the colours of the theme; keeps nothing of it."""

    def __init__(self, theme: Theme, odds_text: Callable[[float], str]) -> None:
        self._theme = theme
        self._odds_text = odds_text

    def frame(self, size: QSize, data: ChartData, window: Window) -> Frame | None:
        """Return where things lie in a picture of a size; None where nothing would be drawn."""
        prices = prices_within(data, window)
        metrics = QFontMetrics(self._theme.fonts.small)
        low, high = prices or (2.0, 2.0)
        widest = max(metrics.horizontalAdvance(self._odds_text(odds)) for odds in (low, high))
        foot = 2 * (metrics.height() + HALF) if data.gaps else metrics.height() + HALF
        plot = QRect(0, 0, size.width(), size.height()).adjusted(
            LEAD + widest + STEP, STEP + HALF, -LEAD, -foot - HALF
        )
        if plot.width() < 2 * _SWATCH or plot.height() < 2 * _SWATCH or prices is None:
            return None
        return Frame(plot, window, low, high)

    def paint(self, painter: QPainter, frame: Frame, data: ChartData) -> None:
        """Draw axes, gaps, lines and marks."""
        painter.setFont(self._theme.fonts.small)
        self._paint_prices(painter, frame)
        self._paint_times(painter, frame)
        for gap in data.gaps:
            self._paint_gap(painter, frame, gap)
        for line in reversed(data.lines):
            self._paint_line(painter, frame, data, line)
        for line in data.lines:
            if line.is_marked:
                self._paint_marks(painter, frame, data, line)

    def paint_reading(self, painter: QPainter, frame: Frame, data: ChartData, at_ms: int) -> None:
        """Draw the crosshair at a moment, and a box that says what every line is there."""
        x = round(frame.x(at_ms))
        painter.setPen(QPen(self._ink(TextRole.NOTE), 1, Qt.PenStyle.DashLine))
        painter.drawLine(x, frame.plot.top(), x, frame.plot.bottom())
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        rows = readings(data, at_ms)
        for line, odds in rows:
            if odds is not None:
                painter.setPen(QPen(self._ground(SurfaceRole.PANEL), 1.5))
                painter.setBrush(self._ink(line.ink))
                painter.drawEllipse(QPointF(x, frame.y(odds)), _DOT + 1, _DOT + 1)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        texts = [
            (line, line.name, "–" if odds is None else (line.text or self._odds_text)(odds))
            for line, odds in rows
        ]
        self._paint_box(painter, frame, x, _moment_text(at_ms), texts)

    def paint_choice(self, painter: QPainter, frame: Frame, since: int, until: int) -> None:
        """Tint the span that is being dragged over to zoom into it."""
        left, right = sorted((round(frame.x(since)), round(frame.x(until))))
        tint = QColor(self._theme.tokens.accent)
        tint.setAlphaF(_GAP_SHARE)
        painter.fillRect(left, frame.plot.top(), right - left, frame.plot.height(), tint)

    def _paint_prices(self, painter: QPainter, frame: Frame) -> None:
        metrics = painter.fontMetrics()
        grid = QColor(self._theme.tokens.line)
        ticks = price_ticks(frame.low, frame.high, max(2, frame.plot.height() // _TICK_HEIGHT))
        texts = even([self._odds_text(odds) for odds in ticks])
        for odds, text in zip(ticks, texts, strict=True):
            y = round(frame.y(odds))
            painter.fillRect(frame.plot.left(), y, frame.plot.width(), 1, grid)
            painter.setPen(self._ink(TextRole.NOTE))
            painter.drawText(
                QPoint(
                    frame.plot.left() - STEP - metrics.horizontalAdvance(text),
                    y + metrics.capHeight() // 2 + 1,
                ),
                text,
            )

    def _paint_times(self, painter: QPainter, frame: Frame) -> None:
        metrics, plot = painter.fontMetrics(), frame.plot
        painter.setPen(self._ink(TextRole.NOTE))
        y = plot.bottom() + HALF + metrics.ascent() + 2
        edge = 0
        for tick in time_ticks(*frame.window, max(2, plot.width() // _TICK_WIDTH)):
            width = metrics.horizontalAdvance(tick.text)
            x = round(frame.x(tick.at)) - width // 2
            x = max(plot.left(), min(x, plot.right() - width))
            if x > edge:
                painter.drawText(x, y, tick.text)
                edge = x + width + STEP

    def _paint_gap(self, painter: QPainter, frame: Frame, gap: Gap) -> None:
        window, plot = frame.window, frame.plot
        since = max(gap.since, window.since)
        until = window.until if gap.until is None else min(gap.until, window.until)
        if until <= since:
            return
        left, right = round(frame.x(since)), max(round(frame.x(until)), round(frame.x(since)) + 1)
        tint = mix(
            self._theme.tokens.ink(TextRole.SOFT),
            self._theme.tokens.ground(SurfaceRole.PANEL),
            0.14,
        )
        painter.fillRect(left, plot.top(), right - left, plot.height(), QColor(tint))
        metrics = painter.fontMetrics()
        text = gap_text(gap, window.until)
        width = metrics.horizontalAdvance(text)
        if right - left >= _SWATCH // 2:
            x = max(plot.left(), min((left + right - width) // 2, plot.right() - width))
            painter.setPen(self._ink(TextRole.NOTE))
            painter.drawText(
                x, plot.bottom() + 2 * HALF + metrics.height() + metrics.ascent(), text
            )

    def _paint_line(self, painter: QPainter, frame: Frame, data: ChartData, line: Line) -> None:
        path = thin(line.path, frame.window.span // max(1, frame.plot.width()))
        painter.setPen(_pen(self._ink(line.ink), line.stroke))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for run in segments(path, data.gaps, *frame.window):
            points = []
            for span in run:
                y = round(frame.y(span.odds))
                points += [
                    QPointF(round(frame.x(span.since)), y),
                    QPointF(round(frame.x(span.until)), y),
                ]
            painter.drawPolyline(QPolygonF(points))

    def _paint_marks(self, painter: QPainter, frame: Frame, data: ChartData, line: Line) -> None:
        found = marks(line.path, *frame.window)
        if found is None or found.low.odds == found.high.odds:
            return
        metrics = painter.fontMetrics()
        named = [("high", found.high, -HALF), ("low", found.low, metrics.ascent() + HALF)]
        if found.opening.at >= frame.window.since and found.opening not in (found.high, found.low):
            named.append(("open", found.opening, -HALF))
        taken: list[QRect] = []
        for word, point, below in named:
            assert point.odds is not None
            x, y = round(frame.x(point.at)), round(frame.y(point.odds))
            text = f"{word} {self._odds_text(point.odds)}"
            width = metrics.horizontalAdvance(text)
            left = max(frame.plot.left() + 2, min(x + 3, frame.plot.right() - width))
            place = QRect(left, y + below - metrics.ascent(), width, metrics.height())
            painter.fillRect(x - 1, y - 3, 2, 7, self._ink(line.ink))
            if not any(place.intersects(other) for other in taken):
                painter.setPen(self._ink(line.ink))
                painter.drawText(left, y + below, text)
                taken.append(place)

    def _paint_box(
        self,
        painter: QPainter,
        frame: Frame,
        x: int,
        heading: str,
        rows: list[tuple[Line, str, str]],
    ) -> None:
        small, strong = self._theme.fonts.small, QFont(self._theme.fonts.small)
        strong.setWeight(QFont.Weight.DemiBold)
        metrics, wide = QFontMetrics(small), QFontMetrics(strong)
        names = max(metrics.horizontalAdvance(name) for _, name, _ in rows)
        odds = max(wide.horizontalAdvance(text) for _, _, text in rows)
        row = metrics.height() + 2
        width = max(_SWATCH + HALF + names + STEP + odds, metrics.horizontalAdvance(heading))
        box = QRect(x + STEP, frame.plot.top(), width + 2 * STEP, row * (len(rows) + 1) + STEP)
        if box.right() > frame.plot.right():
            box.moveRight(x - STEP)
        box.moveLeft(max(HALF, box.left()))
        painter.setPen(QColor(self._theme.tokens.line))
        painter.setBrush(self._ground(SurfaceRole.RAISED))
        painter.drawRoundedRect(QRectF(box), 4, 4)
        y = box.top() + HALF + metrics.ascent()
        painter.setFont(small)
        painter.setPen(self._ink(TextRole.NOTE))
        painter.drawText(box.left() + STEP, y, heading)
        for line, name, text in rows:
            y += row
            self.paint_swatch(
                painter, QPoint(box.left() + STEP, y - metrics.capHeight() // 2), line
            )
            painter.setFont(small)
            painter.setPen(self._ink(TextRole.SOFT))
            painter.drawText(box.left() + STEP + _SWATCH + HALF, y, name)
            painter.setFont(strong)
            painter.setPen(self._ink(TextRole.STRONG))
            painter.drawText(box.right() - STEP - wide.horizontalAdvance(text) + 1, y, text)

    def paint_swatch(self, painter: QPainter, left: QPoint, line: Line) -> None:
        """Draw a short piece of a line."""
        painter.setPen(_pen(self._ink(line.ink), line.stroke))
        painter.drawLine(left, left + QPoint(_SWATCH - 2, 0))

    def _ink(self, ink: TextRole) -> QColor:
        return QColor(self._theme.tokens.ink(ink))

    def _ground(self, ground: SurfaceRole) -> QColor:
        return QColor(self._theme.tokens.ground(ground))


def gap_text(gap: Gap, now_ms: int) -> str:
    """Return why nothing is known during a gap, and how long it is or was."""
    if gap.until is None:
        return f"{gap.why.value}, {span_text(max(0, now_ms - gap.since))} so far"
    return f"{gap.why.value} {span_text(gap.until - gap.since)}"


def _moment_text(at_ms: int) -> str:
    moment = local_time(at_ms)
    return f"{moment:%a} {moment.day} {moment:%b}, {moment:%H:%M:%S}"


def _pen(colour: QColor, stroke: Stroke) -> QPen:
    pen = QPen(colour, _WIDTHS[stroke])
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    if stroke in _DASHES:
        pen.setDashPattern(_DASHES[stroke])
    return pen
