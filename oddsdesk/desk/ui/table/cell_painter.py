"""Paints the cells of a live table in few passes: grounds, marks, then texts by font and ink."""

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Final

import msgspec
from PySide6.QtCore import QPointF, QRect, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QPainter,
    QPen,
    QPixmap,
    QPolygonF,
    QStaticText,
)

from oddsdesk.base.clock import Clock
from oddsdesk.base.numbers import decimal_mark
from oddsdesk.base.texts import translated
from oddsdesk.desk.ui.spacing import CELL_MARGIN, HALF, LEAD
from oddsdesk.desk.ui.table.cells import FADE_MS, FADE_STEPS, FLASH_MS, NEVER, Align, Cell, Column
from oddsdesk.desk.ui.table.live_model import Band, Lane, LiveModel, Painted, Tile
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import FLASH_SHARE, HOVER_SHARE, SurfaceRole, TextRole, mix

MARK = 7
"""Size of a mark in device-independent pixels."""
_UP = ((0, 6), (7, 6), (3.5, 1))
_DOWN = ((0, 1), (7, 1), (3.5, 6))
_RIGHT = ((1.5, 0), (1.5, 7), (6.5, 3.5))


class Marks:
    """Draws each mark once for each colour and pixel ratio."""

    def __init__(self) -> None:
        self._drawn: dict[tuple[tuple[tuple[float, float], ...], int, float], QPixmap] = {}

    def arrow(self, direction: int, colour: QColor, ratio: float) -> QPixmap:
        """Return a triangle that points up for 1 and down for -1."""
        return self._mark(_UP if direction > 0 else _DOWN, colour, ratio)

    def fold_mark(self, is_folded: bool, colour: QColor, ratio: float) -> QPixmap:
        """Return a triangle that points right where rows are hidden, else down."""
        return self._mark(_RIGHT if is_folded else _DOWN, colour, ratio)

    def _mark(
        self, corners: tuple[tuple[float, float], ...], colour: QColor, ratio: float
    ) -> QPixmap:
        key = (corners, colour.rgba(), ratio)
        drawn = self._drawn.get(key)
        if drawn is None:
            drawn = self._drawn[key] = _triangle(corners, colour, ratio)
        return drawn


def _triangle(corners: tuple[tuple[float, float], ...], colour: QColor, ratio: float) -> QPixmap:
    drawn = QPixmap(round(MARK * ratio), round(MARK * ratio))
    drawn.setDevicePixelRatio(ratio)
    drawn.fill(Qt.GlobalColor.transparent)
    painter = QPainter(drawn)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour)
    painter.drawPolygon(QPolygonF([QPointF(x, y) for x, y in corners]))
    painter.end()
    return drawn


_ARROW_GAP = 5
_NOTE_GAP = 6
LEAST_NOTE = 40
"""Notes that do not fit are elided, and left out where even this is too much."""
_FOLD_WIDTH = MARK + 5
_VALUE_BAR = 2
"""Width of the bar at the left of a value cell: a sign that is not colour alone."""
_PALE_SHARE = 0.45
_SPARK_MARGIN = 5
"""From a cell's edge to its sparkline, above and below."""
_BODY, _STRONG, _SMALL = range(3)
_PLAIN_GROUNDS = (SurfaceRole.PANEL, SurfaceRole.REFERENCE, SurfaceRole.RAISED)


class CellPainter:
    """Paints spans of cells; one for each table, shared by its panes."""

    def __init__(self, theme: Theme, clock: Clock) -> None:
        self._theme = theme
        self._clock = clock
        self._marks = Marks()
        self.restyle()

    def restyle(self) -> None:
        """Update colours and fonts from the theme."""
        fonts, tokens = self._theme.fonts, self._theme.tokens
        self._texts = [TextCache(fonts.body), TextCache(fonts.strong), TextCache(fonts.small)]
        self._right_room: dict[tuple[int, int], tuple[Column, int]] = {}
        """What is kept right of texts, by column and width, and of which column that was found."""
        self._grounds = [QColor(colour) for colour in tokens.grounds]
        self._pens = [QPen(QColor(colour)) for colour in tokens.inks]
        self._value = QColor(tokens.ink(TextRole.VALUE))
        self._line = QColor(tokens.line)
        self._accent = QColor(tokens.accent)
        self._hover = QColor(tokens.hover)
        self._hover.setAlphaF(HOVER_SHARE)
        self._movement = {1: tokens.up, -1: tokens.down}
        self._arrow_colours = {
            (direction, pale): _with_alpha(colour, _PALE_SHARE if pale else 1)
            for direction, colour in self._movement.items()
            for pale in (True, False)
        }

    def lane(self, model: LiveModel, column: int, left: int, width: int) -> Lane:
        """Return a visible column of a model."""
        spec = model.column(column)
        is_left = spec.align is Align.LEFT
        known = self._right_room.get((column, width))
        if known is None or (known[0] is not spec and known[0] != spec):
            room = 0 if is_left else self.note_room(model, column, width) + self._hang(spec)
            known = self._right_room[column, width] = spec, room
        return Lane(column, left, width, is_left, known[1])

    def note_room(self, model: LiveModel, column: int, width: int) -> int:
        """Return the pixels that notes take at the right of figures in a column of some width."""
        spec = model.column(column)
        note = 0 if spec.align is Align.LEFT else self._note_width(spec)
        if not note:
            return 0
        spare = width - self.narrow_width(model, column, spec.sample)
        return min(note, spare if spare >= min(note, LEAST_NOTE) else 0)

    def scaled(self, size: int) -> int:
        """Return a size scaled by the present size of texts."""
        return self._theme.fonts.scaled(size)

    def least_width(self, model: LiveModel, column: int) -> int:
        """Return the pixels that the samples of a column take, margins included."""
        spec = model.column(column)
        return self.narrow_width(model, column, spec.sample) + self._note_width(spec)

    def narrow_width(self, model: LiveModel, column: int, sample: str) -> int:
        """Return the pixels that a text takes in a column without its note, margins included.

        Of several lines it is the widest.
        """
        spec = model.column(column)
        # The arrow may stand in half of the margin.
        room = (MARK + _ARROW_GAP - HALF if spec.has_arrow else 0) + self._hang(spec)
        left = CELL_MARGIN if column else LEAD
        lines = sample.splitlines() or [""]
        text = max(self._texts[_BODY].lay(line).width for line in lines)
        return text + room + left + CELL_MARGIN

    def paint(self, painter: QPainter, model: LiveModel, tiles: Iterable[Tile]) -> Painted:
        """Paint parts of a model's table, no cell twice."""
        painted = Painted()
        for texts in self._texts:
            texts.follow_marks()
        canvas = _Canvas(painter, self._clock(), painted)
        for band, lanes in tiles:
            self._paint_band(model, band, lanes, canvas)
        self._paint_texts(canvas)
        self._paint_sparklines(canvas)
        return painted

    def paint_blank(self, painter: QPainter, rect: QRect) -> None:
        """Paint an area without cells."""
        painter.fillRect(rect, self._grounds[SurfaceRole.PANEL])

    def paint_outline(self, painter: QPainter, rect: QRect, *, has_focus: bool) -> None:
        """Draw the frame of the current cell."""
        painter.setPen(self._accent if has_focus else self._pens[TextRole.GHOST])
        painter.drawRect(rect.adjusted(0, 0, -1, -2))

    def _note_width(self, spec: Column) -> int:
        sample = spec.note_sample
        return self._texts[_SMALL].lay(sample).width + _NOTE_GAP if sample else 0

    def _hang(self, spec: Column) -> int:
        return self._texts[_BODY].hang - HALF if spec.hangs else 0

    def _paint_band(
        self, model: LiveModel, band: Band, lanes: Sequence[Lane], canvas: "_Canvas"
    ) -> None:
        row, top, inner, base = band.row, band.top, band.height - 1, band.ground
        left = lanes[0].left
        width = lanes[-1].left + lanes[-1].width - left
        fill, cell_of, painted = canvas.painter.fillRect, model.cell, canvas.painted
        seen = painted.cells
        flashes = self._theme.flashes
        fill(left, top, width, inner, self._grounds[base])
        fill(left, top + inner, width, 1, self._line)
        for lane in lanes:
            cell = seen[row, lane.column] = cell_of(row, lane.column)
            if cell.repaint_at_ms < painted.repaint_at_ms:
                painted.repaint_at_ms = cell.repaint_at_ms
            ground = cell.ground
            if base is not SurfaceRole.PANEL and ground in _PLAIN_GROUNDS:
                ground = base
            elapsed = canvas.now - cell.flashes_from if flashes else NEVER
            if elapsed < FLASH_MS + FADE_MS:
                fill(lane.left, top, lane.width, inner, self._flash(cell.flash, ground, elapsed))
                fades_at = cell.flashes_from + FLASH_MS if elapsed < FLASH_MS else 0
                painted.flashing[row, lane.column] = _begun(fades_at)
            elif ground != base:
                fill(lane.left, top, lane.width, inner, self._grounds[ground])
            if ground is SurfaceRole.VALUE:
                fill(lane.left, top, _VALUE_BAR, inner, self._value)
            if cell.sparkline is not None:
                lines = cell.sparkline.laid_in(
                    lane.left + CELL_MARGIN,
                    top + _SPARK_MARGIN,
                    lane.width - 2 * CELL_MARGIN,
                    inner - 2 * _SPARK_MARGIN,
                )
                canvas.sparklines[cell.ink].append(lines)
            if cell.text:
                self._place(cell, band, lane, elapsed < FLASH_MS, canvas)
        if band.is_hovered:
            fill(left, top, width, inner, self._hover)

    def _place(
        self, cell: Cell, band: Band, lane: Lane, is_flashing: bool, canvas: "_Canvas"
    ) -> None:
        font = _STRONG if cell.is_strong else _BODY
        cache = self._texts[font]
        if lane.is_left:
            x = lane.left + (CELL_MARGIN if lane.column else LEAD)
            if band.is_section and lane.column == 0:
                self._place_fold(x, band, canvas)
                x += _FOLD_WIDTH
            laid = cache.fit_text(cell.text, lane.left + lane.width - CELL_MARGIN - x)
        else:
            edge = lane.left + lane.width - CELL_MARGIN - lane.note_width
            laid = cache.fit_text(cell.text, edge - lane.left - HALF)
            x = edge - laid.width + laid.hang
        ink = TextRole.STRONG if is_flashing else cell.ink
        y = band.top + (band.height - cache.height) // 2
        canvas.texts[font, ink].append((x, y, laid.static))
        if cell.note:
            self._place_note(cell.note, band, lane, x + laid.width + _NOTE_GAP, canvas)
        if cell.is_struck:
            canvas.strikes[ink].append((x - 1, band.top + band.height // 2, laid.width + 2))
        if cell.arrow:
            colour = self._arrow_colours[cell.arrow, cell.arrow_is_pale]
            arrow = self._marks.arrow(cell.arrow, colour, canvas.ratio)
            arrow_y = band.top + (band.height - MARK) // 2
            canvas.painter.drawPixmap(x - _ARROW_GAP - MARK, arrow_y, arrow)

    def _place_fold(self, x: int, band: Band, canvas: "_Canvas") -> None:
        mark = self._marks.fold_mark(
            band.is_folded, self._pens[TextRole.SOFT].color(), canvas.ratio
        )
        canvas.painter.drawPixmap(x, band.top + (band.height - MARK) // 2 + 1, mark)

    def _place_note(self, note: str, band: Band, lane: Lane, x: int, canvas: "_Canvas") -> None:
        edge = lane.left + lane.width - CELL_MARGIN
        cache = self._texts[_SMALL]
        if edge - x < min(LEAST_NOTE - _NOTE_GAP, cache.lay(note).width):
            return
        laid = cache.fit_text(note, edge - x, keeps_line=False)
        if not lane.is_left:
            x = edge - laid.width
        y = band.top + (band.height - cache.height) // 2 + 1
        canvas.texts[_SMALL, TextRole.NOTE].append((x, y, laid.static))

    def _paint_texts(self, canvas: "_Canvas") -> None:
        painter = canvas.painter
        draw = painter.drawStaticText
        for (font, ink), placed in canvas.texts.items():
            painter.setFont(self._texts[font].font)
            painter.setPen(self._pens[ink])
            for x, y, static in placed:
                draw(x, y, static)
        for ink, strikes in canvas.strikes.items():
            for x, y, width in strikes:
                painter.fillRect(x, y, width, 1, self._pens[ink].color())

    def _paint_sparklines(self, canvas: "_Canvas") -> None:
        for ink, cells in canvas.sparklines.items():
            canvas.painter.setPen(self._pens[ink])
            for lines in cells:
                for line in lines:
                    canvas.painter.drawPolyline(line)

    def _flash(self, direction: int, ground: SurfaceRole, elapsed: int) -> QColor:
        steps = _flash_steps(self._movement[direction], self._theme.tokens.ground(ground))
        if elapsed < FLASH_MS:
            return steps[0]
        return steps[(elapsed - FLASH_MS) * FADE_STEPS // FADE_MS]


class _Canvas:
    """What is collected before texts are drawn, over all grounds."""

    __slots__ = ("now", "painted", "painter", "ratio", "sparklines", "strikes", "texts")

    def __init__(self, painter: QPainter, now: int, painted: Painted) -> None:
        self.painter = painter
        self.now = now
        self.ratio = painter.device().devicePixelRatio()
        self.painted = painted
        self.texts: dict[tuple[int, TextRole], list[tuple[int, int, QStaticText]]] = defaultdict(
            list
        )
        self.sparklines: dict[TextRole, list[list[QPolygonF]]] = defaultdict(list)
        self.strikes: dict[TextRole, list[tuple[int, int, int]]] = defaultdict(list)


def _begun(at_ms: int) -> int:
    """Return the beginning of a step of fades: few are told apart, and none is late."""
    return at_ms - at_ms % (FADE_MS // FADE_STEPS)


@cache
def _flash_steps(colour: str, ground: str) -> tuple[QColor, ...]:
    shares = (FLASH_SHARE * (1 - step / FADE_STEPS) for step in range(FADE_STEPS))
    return tuple(QColor(mix(colour, ground, share)) for share in shares)


def _with_alpha(colour: str, share: float) -> QColor:
    made = QColor(colour)
    made.setAlphaF(share)
    return made


_KEPT = 5_000
"""About a kilobyte each, for each font of each table."""
_THOUSANDTHS: Final = {
    mark: re.compile(rf"(?:\? |~)?[+−]?\d+{re.escape(mark)}\d\d\d") for mark in (".", ",")
}
"""A figure whose third decimal stands right of a column's two, so that points align."""
_SIDES: Final = "|".join(re.escape(translated(each)) for each in ("Over", "Under"))
_LINE: Final = re.compile(rf"(?: (?:(?i:{_SIDES})))? [+−-]?\d[\d.,:/]*(?= · |$)")
"""The side and line of a selection: ``Home Over 2.5 · Leeds`` means nothing without them."""


class Laid(msgspec.Struct, frozen=True):
    """A text laid out in one font; ``width`` in device-independent pixels."""

    static: QStaticText
    width: int
    hang: int = 0
    """Pixels of the third decimal, where the text is a figure with three."""


class TextCache:
    """Lays out texts in one font and keeps them."""

    def __init__(self, font: QFont) -> None:
        self.font = font
        self.metrics = QFontMetricsF(font)
        self.height = round(self.metrics.height())
        self.hang = round(self.metrics.horizontalAdvance("0"))
        """What a third decimal takes."""
        self._mark = decimal_mark()
        self._laid: dict[str, Laid] = {}
        self._elided: dict[tuple[str, int, bool], Laid] = {}

    def follow_marks(self) -> None:
        """Forget all texts if the decimal mark has changed: 3.200 may now be thousands."""
        if self._mark != (mark := decimal_mark()):
            self._mark = mark
            self._laid.clear()
            self._elided.clear()

    def lay(self, text: str) -> Laid:
        """Return the text laid out whole."""
        laid = self._laid.get(text)
        if laid is None:
            laid = self._laid[text] = self._make(text)
        return laid

    def fit_text(self, text: str, width: int, *, keeps_line: bool = True) -> Laid:
        """Return the text laid out in at most ``width`` pixels; what is longer loses its end.

        With ``keeps_line`` a line stays: ``Charlotte Hornets -3.5`` loses letters of its name, and
        ``Bukayo Saka shots Over 0.5 · Arsenal`` first those after the line.
        """
        laid = self._laid.get(text) or self.lay(text)
        if laid.width - laid.hang <= width:
            return laid
        key = text, width, keeps_line
        elided = self._elided.get(key)
        if elided is None:
            elided = self._elided[key] = self._make(self._shorter(*key))
        return elided

    def _shorter(self, text: str, width: int, keeps_line: bool) -> str:
        cut = self.metrics.elidedText
        line = _LINE.search(text) if keeps_line else None
        if line is not None:
            room = width - self.metrics.horizontalAdvance(text[: line.end()])
            if text[line.end() :] and room > 0:
                return text[: line.end()] + cut(
                    text[line.end() :], Qt.TextElideMode.ElideRight, room
                )
            room = width - self.metrics.horizontalAdvance(line.group())
            name = cut(text[: line.start()], Qt.TextElideMode.ElideRight, room)
            if name:
                return name + line.group()
        return cut(text, Qt.TextElideMode.ElideRight, width)

    def _make(self, text: str) -> Laid:
        if len(self._laid) + len(self._elided) > _KEPT:
            self._laid.clear()
            self._elided.clear()
        static = QStaticText(text)
        static.setTextFormat(Qt.TextFormat.PlainText)
        static.setPerformanceHint(QStaticText.PerformanceHint.AggressiveCaching)
        static.prepare(font=self.font)
        hang = self.hang if _THOUSANDTHS[self._mark].fullmatch(text) else 0
        return Laid(static, math.ceil(static.size().width()), hang)
