"""Painting the navigator's rows: a competition with its counts, a game in two lines."""

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem

from oddsdesk.board.games import GameEntry
from oddsdesk.clock import Clock
from oddsdesk.contract.identity import teams
from oddsdesk.desk.navigator.model import (
    FAVOURITE_ROLE,
    GAME_COUNT_ROLE,
    GAME_ROLE,
    LIVE_COUNT_ROLE,
    VALUE_COUNT_ROLE,
)
from oddsdesk.desk.ui.controls.row_ground import paint_row_ground
from oddsdesk.desk.ui.table.texts import TextCache
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import GAP, HALF, ROW, STEP, TextRole
from oddsdesk.desk.ui.time_format import kick_off_text

Index = QModelIndex | QPersistentModelIndex

_DOT = 6.0
_STAR = 12
_GAME_ROW = 42


class _RowDelegate(QStyledItemDelegate):
    """What both kinds of rows share: dot and texts."""

    def __init__(self, theme: Theme, clock: Clock) -> None:
        super().__init__()
        self._theme = theme
        self._clock = clock
        self._restyle()
        theme.changed.connect(self._restyle)

    def _restyle(self) -> None:
        fonts = self._theme.fonts
        self._body, self._medium = TextCache(fonts.body), TextCache(fonts.medium)
        self._small = TextCache(fonts.small)

    def _text(
        self,
        painter: QPainter,
        area: QRectF,
        text: str,
        ink: TextRole,
        cache: TextCache,
        *,
        right: bool = False,
    ) -> float:
        """Draw one run, elided to its area, and return its width."""
        laid = cache.fit(text, int(area.width()))
        painter.setFont(cache.font)
        painter.setPen(self._theme.colour(ink))
        x = area.right() - laid.width if right else area.left()
        y = area.top() + (area.height() - cache.height) / 2
        painter.drawStaticText(round(x), round(y), laid.static)
        return float(laid.width)

    def _live(self, painter: QPainter, left: float, area: QRectF, text: str) -> float:
        """Draw the live dot with its word and return where it ends."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.colour(TextRole.LIVE))
        painter.drawEllipse(QPointF(left + _DOT / 2, area.center().y()), _DOT / 2, _DOT / 2)
        start = left + _DOT + HALF
        rest = QRectF(start, area.top(), area.right() - start, area.height())
        return start + self._text(painter, rest, text, TextRole.LIVE, self._small)


class CompetitionDelegate(_RowDelegate):
    """A sport or competition: its name, a live dot with a count, the number of games."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        paint_row_ground(painter, option, self._theme.tokens, hovers=True)
        is_sport = not index.parent().isValid()
        cache = self._medium if is_sport else self._body
        area = QRectF(option.rect).adjusted(HALF, 0, -GAP, 0)
        count = str(index.data(GAME_COUNT_ROLE))
        width = self._text(painter, area, count, TextRole.NOTE, self._small, right=True)
        live = index.data(LIVE_COUNT_ROLE)
        name_area = area.adjusted(0, 0, -width - STEP, 0)
        room_of_name = name_area.adjusted(0, 0, -STEP - _DOT if live else 0, 0)
        ink = TextRole.STRONG if is_sport else TextRole.SOFT
        width = self._text(painter, room_of_name, str(index.data()), ink, cache)
        if live:
            left = name_area.left() + width + STEP
            room = name_area.right() - left - _DOT - HALF
            said = first_fitting(([f"{live} live"], [str(live)]), room, self._small)
            self._live(painter, left, name_area, *said or [""])
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, self._theme.fonts.row_height(ROW))


class GameDelegate(_RowDelegate):
    """A game: its teams, then kick-off or live, number of bookmakers, value bets."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        game: GameEntry = index.data(GAME_ROLE)
        painter.save()
        paint_row_ground(painter, option, self._theme.tokens, hovers=True)
        painter.setPen(QColor(self._theme.tokens.line))
        painter.drawLine(option.rect.bottomLeft(), option.rect.bottomRight())
        area = QRectF(option.rect).adjusted(GAP, HALF, -GAP, -HALF)
        half = area.height() / 2
        if index.data(FAVOURITE_ROLE):
            star = self._theme.pixmap(
                "star-filled", _STAR, painter.device().devicePixelRatio(), TextRole.ACCENT
            )
            painter.drawPixmap(round(area.right()) - _STAR, round(area.top()) + 2, star)
            area.setRight(area.right() - _STAR - HALF)
        self._paint_name(painter, QRectF(area.left(), area.top(), area.width(), half), game)
        below = QRectF(area.left(), area.top() + half, area.width(), half)
        self._paint_facts(painter, below, game, index.data(VALUE_COUNT_ROLE))
        painter.restore()

    def _paint_name(self, painter: QPainter, area: QRectF, game: GameEntry) -> None:
        pair = teams(game.match_name)
        if pair is None:
            self._text(painter, area, game.match_name, TextRole.STRONG, self._body)
            return
        home, away = pair
        room = area.width() - self._body.lay(" v ").width
        share = max(room // 2, room - self._body.lay(away).width)  # so that both are told
        for text, ink, most in (
            (home, TextRole.STRONG, share),
            (" v ", TextRole.NOTE, room),
            (away, TextRole.STRONG, room),
        ):
            place = QRectF(area.left(), area.top(), min(most, area.width()), area.height())
            area.setLeft(area.left() + self._text(painter, place, text, ink, self._body))

    def _paint_facts(self, painter: QPainter, area: QRectF, game: GameEntry, values: int) -> None:
        small = self._small
        if game.is_live:
            area.setLeft(self._live(painter, area.left(), area, "live") + GAP)
        else:
            text = kick_off_text(game.kick_off, self._clock())
            area.setLeft(area.left() + self._text(painter, area, text, TextRole.NOTE, small) + GAP)
        books = f"{game.bookmaker_count} book{'s' if game.bookmaker_count != 1 else ''}"
        value = f"{values} value"
        every = ([books, value], [value], [str(values)]) if values else ([books],)
        for text in first_fitting(every, area.width(), small):
            ink = TextRole.NOTE if text is books else TextRole.VALUE
            area.setLeft(area.left() + self._text(painter, area, text, ink, small) + GAP)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, max(_GAME_ROW, self._theme.fonts.row_height(ROW) * 2))


def first_fitting(lines: Iterable[Sequence[str]], room: float, cache: TextCache) -> Sequence[str]:
    """Return the first line of texts that fits whole, none where none does: "1…" may be 1 or 13."""
    for texts in lines:
        if sum(cache.lay(text).width for text in texts) + GAP * (len(texts) - 1) <= room:
            return texts
    return ()
