"""Draws a step chart: axes, gaps, lines, marks, and the crosshair with its readings."""

import math
import re
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta, tzinfo
from enum import Enum
from typing import Final, NamedTuple

import msgspec
from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPen, QPolygonF

from oddsdesk.base.numbers import date_text, decimal_mark, hour_text, weekday_text
from oddsdesk.base.texts import _
from oddsdesk.board.history.price_history import (
    Gap,
    Point,
    PricePath,
    is_in_gap,
    marks,
    odds_at,
    segments,
    thin,
)
from oddsdesk.contract.times import DAY_MS, HOUR_MS
from oddsdesk.desk.ui.formatting import MINUTE_MS, local_time, span_text
from oddsdesk.desk.ui.spacing import HALF, LEAD, STEP
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import SurfaceRole, TextRole, mix

_TIME_STEPS: Final = (
    1_000, 2_000, 5_000, 10_000, 15_000, 30_000,
    MINUTE_MS, 2 * MINUTE_MS, 5 * MINUTE_MS, 10 * MINUTE_MS, 15 * MINUTE_MS, 30 * MINUTE_MS,
    HOUR_MS, 2 * HOUR_MS, 3 * HOUR_MS, 6 * HOUR_MS, 12 * HOUR_MS,
    DAY_MS, 2 * DAY_MS, 7 * DAY_MS, 14 * DAY_MS, 28 * DAY_MS,
)  # fmt: skip
_PRICE_STEPS: Final = (1.0, 2.0, 5.0, 10.0)
_LEAST_STEP: Final = 0.001
_FIGURE: Final = re.compile(r"[+−]?\d+(?:[.,]\d+)?")


class Tick(NamedTuple):
    """A time with a label on the time axis."""

    at: int
    text: str


def price_range(odds: list[float]) -> tuple[float, float]:
    """Return the ends of the price axis: a margin around the odds, both ends above 1."""
    low, high = min(odds), max(odds)
    air = max((high - low) * 0.08, high * 0.004)
    return max(low - air, (1 + low) / 2), high + air


def price_ticks(low: float, high: float, most: int) -> list[float]:
    """Return round prices within a range, about ``most``."""
    rough = (high - low) / max(1, most)
    scale = 10 ** math.floor(math.log10(rough))
    step = next(scale * nice for nice in _PRICE_STEPS if scale * nice >= rough * (1 - 1e-9))
    step = max(step, _LEAST_STEP)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(number * step, 6) for number in range(first, last + 1)]


def even(texts: list[str]) -> list[str]:
    """Return numbers padded to the most decimals that any has, so that they align."""
    most = max((_decimals(text) for text in texts), default=0)
    if not most or not all(map(_FIGURE.fullmatch, texts)):
        return texts
    return [
        f"{text}{'' if _decimals(text) else decimal_mark()}{'0' * (most - _decimals(text))}"
        for text in texts
    ]


def _decimals(text: str) -> int:
    return len(text.partition(decimal_mark())[2])


def time_ticks(since_ms: int, until_ms: int, most: int, zone: tzinfo | None = None) -> list[Tick]:
    """Return round local times within a range, about ``most``.

    A time just after midnight names the day; steps of less than a minute show seconds.
    """
    rough = (until_ms - since_ms) / max(1, most)
    step = next((step for step in _TIME_STEPS if step >= rough), _TIME_STEPS[-1])
    moment = _rounded_up(local_time(since_ms, zone), step)
    ticks = []
    while (at := _milliseconds(moment, zone)) <= until_ms:
        if at >= since_ms:
            ticks.append(Tick(at, _text(moment, step)))
        moment += timedelta(milliseconds=step)
    return ticks


def _rounded_up(moment: datetime, step: int) -> datetime:
    """Return the next multiple of ``step`` seconds since midnight, in local time."""
    midnight = moment.replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
    since = (moment.replace(tzinfo=None) - midnight) / timedelta(milliseconds=1)
    return midnight + timedelta(milliseconds=math.ceil(since / step) * step)


def _milliseconds(moment: datetime, zone: tzinfo | None) -> int:
    placed = moment.astimezone() if zone is None else moment.replace(tzinfo=zone)
    return round(placed.astimezone(UTC).timestamp() * 1000)


def _text(moment: datetime, step: int) -> str:
    if step >= DAY_MS or (moment.hour, moment.minute, moment.second) == (0, 0, 0):
        return f"{date_text(moment, year=False)}"
    return f"{hour_text(moment, seconds=True)}" if step < MINUTE_MS else f"{hour_text(moment)}"


LEAST_MS: Final = 5_000
"""The shortest window that one can zoom to."""


class Window(NamedTuple):
    """From ``since`` to ``until``, in milliseconds."""

    since: int
    until: int

    @property
    def span(self) -> int:
        """How long it is."""
        return self.until - self.since


def zoomed(window: Window, whole: Window, at_ms: int, factor: float) -> Window:
    """Return a window ``factor`` times as long around a moment that stays where it is."""
    span = round(min(max(window.span * factor, min(LEAST_MS, whole.span)), whole.span))
    share = (at_ms - window.since) / max(1, window.span)
    return within(Window(at_ms - round(share * span), at_ms - round(share * span) + span), whole)


def moved(window: Window, whole: Window, by_ms: int) -> Window:
    """Return a window of the same length, earlier or later as far as there is anything."""
    return within(Window(window.since + by_ms, window.until + by_ms), whole)


def within(window: Window, whole: Window) -> Window:
    """Return the window moved, and cut where it has to be, to lie in the whole."""
    span = min(window.span, whole.span)
    since = min(max(window.since, whole.since), whole.until - span)
    return Window(since, since + span)


class Stroke(Enum):
    """How a line is drawn; tells lines apart without colour."""

    STRONG = "strong"
    THIN = "thin"
    DOTTED = "dotted"
    DASHED = "dashed"


class Line(msgspec.Struct, frozen=True):
    """One price over time."""

    name: str
    path: PricePath
    ink: TextRole
    stroke: Stroke
    is_marked: bool = False
    """Whether opening, low and high are named."""
    text: Callable[[float], str] | None = None
    """How its odds are formatted; None: as the chart's others."""


class ChartData(msgspec.Struct, frozen=True):
    """All that is shown; ``whole`` is the time that can be shown."""

    lines: tuple[Line, ...]
    gaps: tuple[Gap, ...]
    whole: Window


class Reading(NamedTuple):
    """A line's odds at a time; None where not offered or not known."""

    line: Line
    odds: float | None


def readings(data: ChartData, at_ms: int) -> list[Reading]:
    """Return the odds of every line at a time."""
    is_unknown = is_in_gap(data.gaps, at_ms)
    return [Reading(line, None if is_unknown else odds_at(line.path, at_ms)) for line in data.lines]


def prices_within(data: ChartData, window: Window) -> tuple[float, float] | None:
    """Return the range of the price axis for a window; None where nothing is drawn."""
    odds = [
        span.odds
        for line in data.lines
        for run in segments(line.path, data.gaps, *window)
        for span in run
    ]
    return price_range(odds) if odds else None


def change_times(data: ChartData) -> list[int]:
    """Return when any line moved, in order: where the arrow keys go."""
    times = {point.at for line in data.lines for point in line.path}
    return sorted(at for at in times if data.whole.since <= at <= data.whole.until)


def extended(path: Iterable[Point], at_ms: int, odds: float | None) -> list[Point]:
    """Return a path that goes on with a later price; the same one where nothing changed."""
    points = list(path)
    last = points[-1].odds if points else None
    if last == odds:
        return points
    return [*points, Point(max(at_ms, points[-1].at + 1 if points else at_ms), odds)]


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
        named = [
            (_("high {odds}"), found.high, -HALF),
            (_("low {odds}"), found.low, metrics.ascent() + HALF),
        ]
        if found.opening.at >= frame.window.since and found.opening not in (found.high, found.low):
            named.append((_("open {odds}"), found.opening, -HALF))
        taken: list[QRect] = []
        for named_odds, point, below in named:
            assert point.odds is not None
            x, y = round(frame.x(point.at)), round(frame.y(point.odds))
            text = named_odds.format(odds=self._odds_text(point.odds))
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
        return _("{why}, {span} so far").format(
            why=gap.why.value, span=span_text(max(0, now_ms - gap.since))
        )
    return f"{gap.why.value} {span_text(gap.until - gap.since)}"


def _moment_text(at_ms: int) -> str:
    moment = local_time(at_ms)
    return (
        f"{weekday_text(moment)} {date_text(moment, year=False)}, {hour_text(moment, seconds=True)}"
    )


def _pen(colour: QColor, stroke: Stroke) -> QPen:
    pen = QPen(colour, _WIDTHS[stroke])
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
    if stroke in _DASHES:
        pen.setDashPattern(_DASHES[stroke])
    return pen
