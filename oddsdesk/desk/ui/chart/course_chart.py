"""Profit bet by bet, with the expected profit and the range of a bettor without an edge."""

import math
from collections.abc import Callable, Sequence
from typing import Final

from PySide6.QtCore import QEvent, QPointF, QRect, Qt
from PySide6.QtGui import QColor, QHelpEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QToolTip, QWidget

from oddsdesk.base.numbers import num
from oddsdesk.base.texts import _, ngettext
from oddsdesk.desk.ui import spacing
from oddsdesk.desk.ui.formatting import signed_hundredths_text
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import SurfaceRole, TextRole, mix
from oddsdesk.pricing.reports import BAND_SHARE, Step

_BAND_SHARE: Final = 0.10
"""Opacity of the band over its ground."""
_LEAST_HEIGHT, _MOST_HEIGHT = 96, 300
_TICKS: Final = 6
_MOST_BAND: Final = 1.6
"""How far the band may widen the chart beyond what was won, lost or expected."""
_SWATCH: Final = 16


class CourseChart(QWidget):
    """Draws the steps it is given; what lies below the pointer stands in its tooltip."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._steps: Sequence[Step] = ()
        self._start: float | None = None
        self.setProperty("variant", "bar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.fit_chart(_LEAST_HEIGHT)
        self.setAccessibleName(_("Profit bet by bet"))

    def fit_chart(self, height: int) -> None:
        """Take a height, within what a chart needs."""
        scaled = self._theme.fonts.scaled
        self.setFixedHeight(min(max(height, scaled(_LEAST_HEIGHT)), scaled(_MOST_HEIGHT)))

    def show_steps(self, steps: Sequence[Step], start: float | None = None) -> None:
        """Draw another course, from its beginning on; of a bankroll that had ``start`` then."""
        self._steps, self._start = steps, start
        self.setAccessibleName(
            _("Profit bet by bet") if start is None else _("Bankroll bet by bet")
        )
        self.setAccessibleDescription(self._words(len(steps) - 1) if len(steps) > 1 else "")
        self.update()

    def step_at(self, x: float) -> int:
        """Return which step lies nearest to a horizontal position, 0 for the beginning."""
        plot = self._plot()
        bets = (x - plot.left()) / max(1, plot.width()) * self._steps[-1].bets
        return min(range(len(self._steps)), key=lambda at: abs(self._steps[at].bets - bets))

    def _words(self, at: int) -> str:
        step, start = self._steps[at], self._start or 0.0
        text = signed_hundredths_text if self._start is None else _amount_text
        return ngettext(
            "After {bets} bet: {title} {profit}, expected {expected}, {share:.0%} range with no "
            "edge ±{band:,.2f}",
            "After {bets} bets: {title} {profit}, expected {expected}, {share:.0%} range with no "
            "edge ±{band:,.2f}",
            step.bets,
        ).format(
            bets=step.bets,
            title=self._title,
            profit=text(start + step.profit),
            expected=text(start + step.expected),
            share=num(BAND_SHARE),
            band=num(step.band),
        )

    @property
    def _title(self) -> str:
        return _("profit") if self._start is None else _("bankroll")

    def _plot(self) -> QRect:
        metrics = self.fontMetrics()
        left = spacing.LEAD + metrics.horizontalAdvance("+10,000") + spacing.STEP
        top = spacing.STEP + metrics.height() + spacing.HALF
        right = spacing.LEAD + spacing.STEP
        return self.rect().adjusted(left, top, -right, -spacing.GAP)

    def _span(self) -> tuple[float, float]:
        """Return the least and the most that the chart shows."""
        lines = [value for step in self._steps for value in (step.profit, step.expected)]
        reach = max(map(abs, lines), default=0.0) * _MOST_BAND
        band = min(self._steps[-1].band, max(reach, 1.0)) if self._steps else 1.0
        low, high = min(*lines, -band), max(*lines, band)
        margin = (high - low or 1.0) * 0.04
        return low - margin, high + margin

    def _place(self, plot: QRect) -> Callable[[int, float], QPointF]:
        low, high = self._span()
        last = max(1, self._steps[-1].bets)

        def point_at(bets: int, value: float) -> QPointF:
            shown = min(max(value, low), high)
            x = plot.left() + bets / last * plot.width()
            return QPointF(x, plot.bottom() - (shown - low) / (high - low) * plot.height())

        return point_at

    def _paint_band(self, painter: QPainter, place: Callable[[int, float], QPointF]) -> None:
        over = [place(step.bets, step.band) for step in self._steps]
        under = [place(step.bets, -step.band) for step in reversed(self._steps)]
        tokens = self._theme.tokens
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(mix(tokens.accent, tokens.ground(SurfaceRole.PANEL), _BAND_SHARE)))
        painter.drawPolygon(QPolygonF([*over, *under]))

    def _paint_ticks(
        self, painter: QPainter, plot: QRect, place: Callable[[int, float], QPointF]
    ) -> None:
        metrics, low_high = painter.fontMetrics(), self._span()
        start = self._start or 0.0
        low, high = (start + end for end in low_high)
        for value in ticks(low, high, max(3, min(_TICKS, plot.height() // 28))):
            y = round(place(0, value - start).y())
            painter.fillRect(plot.left(), y, plot.width(), 1, QColor(self._theme.tokens.line))
            sign = "+" if self._start is None else ""
            text = "0" if not value else f"{num(value):{sign},.6g}".replace("-", "−")
            painter.setPen(self._theme.colour(TextRole.NOTE))
            x = plot.left() - spacing.STEP - metrics.horizontalAdvance(text)
            painter.drawText(x, y + metrics.capHeight() // 2, text)

    def _paint_legend(self, painter: QPainter, plot: QRect) -> None:
        metrics = painter.fontMetrics()
        x, y = plot.left(), spacing.STEP + metrics.ascent()
        middle = y - metrics.capHeight() // 2
        entries = (
            (self._profit_pen(), self._title),
            (self._expected_pen(), _("expected, by EV when placed")),
            (None, _("{share:.0%} range with no edge").format(share=num(BAND_SHARE))),
        )
        for pen, text in entries:
            width = _SWATCH + spacing.HALF + metrics.horizontalAdvance(text)
            if x + width > plot.right():
                break
            if pen is None:
                tokens = self._theme.tokens
                band = mix(tokens.accent, tokens.ground(SurfaceRole.PANEL), 2 * _BAND_SHARE)
                painter.fillRect(x, middle - 4, _SWATCH, 9, QColor(band))
            else:
                painter.setPen(pen)
                painter.drawLine(x, middle, x + _SWATCH, middle)
            painter.setPen(self._theme.colour(TextRole.SOFT))
            painter.drawText(x + _SWATCH + spacing.HALF, y, text)
            x += width + spacing.MARGIN

    def _profit_pen(self) -> QPen:
        return QPen(self._theme.colour(TextRole.ACCENT), 1.5)

    def _expected_pen(self) -> QPen:
        pen = QPen(self._theme.colour(TextRole.SOFT), 1.2)
        pen.setDashPattern([4.0, 3.0])
        return pen

    # Qt's virtuals

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and len(self._steps) > 1:
            QToolTip.showText(event.globalPos(), self._words(self.step_at(event.pos().x())), self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if len(self._steps) < 2:
            return
        painter = QPainter(self)
        painter.setFont(self._theme.fonts.small)
        plot = self._plot()
        place = self._place(plot)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_band(painter, place)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        self._paint_ticks(painter, plot, place)
        self._paint_legend(painter, plot)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        steps = self._steps
        painter.setPen(self._expected_pen())
        painter.drawPolyline(QPolygonF([place(step.bets, step.expected) for step in steps]))
        painter.setPen(self._profit_pen())
        painter.drawPolyline(QPolygonF([place(step.bets, step.profit) for step in steps]))


def ticks(low: float, high: float, most: int) -> list[float]:
    """Return at most ``most`` round figures within a span, including 0 if it lies inside.

    If 0 would be the only one, they are closer, however many that makes.
    """
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    steps = [each * power for each in (0.5, 1, 2, 5, 10)]
    place = next(place for place, step in enumerate(steps) if step >= rough)
    found = _multiples(low, high, steps[place])
    return found if len(found) > 1 else _multiples(low, high, steps[place - 1])


def _multiples(low: float, high: float, step: float) -> list[float]:
    first = math.ceil(low / step)
    return [number * step for number in range(first, math.floor(high / step) + 1)]


def _amount_text(amount: float) -> str:
    return f"{num(amount):,.2f}"
