"""The command palette: a search field in the top bar, with its results below."""

import re
from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from functools import cache
from typing import Any, Final

import msgspec
from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QFocusEvent, QFont, QFontMetrics, QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QLineEdit,
    QListView,
    QSizePolicy,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)
from shiboken6 import isValid

from oddsdesk.base.texts import N_, _, translated
from oddsdesk.contract.texts import plain_letters
from oddsdesk.desk.settings.saved_state import Layout, Saved
from oddsdesk.desk.shell.search_words import search_words
from oddsdesk.desk.ui.controls.labels import Label, announce
from oddsdesk.desk.ui.spacing import GAP, HALF, STEP
from oddsdesk.desk.ui.theme.theme import (
    Theme,
    paint_row_ground,
    scale_least_width,
    scale_most_width,
)
from oddsdesk.desk.ui.theme.tokens import TextRole

WORD_START, SEARCH_WORD, WITHIN, IN_ORDER, MISTYPED = 4.0, 3.5, 2.5, 1.0, 0.3
_WHOLE_PHRASE = 2.0
"""Added where all that is typed is one of an entry's search words."""
_SHORTNESS = 0.01
"""Subtracted for each letter, so that the shorter of two equal answers comes first."""
_LEAST_MISTYPED = 4


def folded_text(text: str) -> str:
    """Return a text for comparison: lower case, without accents and punctuation."""
    kept = "".join(letter if letter.isalnum() else " " for letter in plain_letters(text))
    return " " + " ".join(kept.split())


def score(
    words: tuple[str, ...], folded: str, search: str = "", *, forgiving: bool = False
) -> float | None:
    """Return how well a folded text matches every word; None if it does not.

    Args:
        words: What was typed.
        folded: The text that is shown.
        search: Folded words that find it, too, by their beginning.
        forgiving: Whether one letter of a word may be wrong, missing, or one too many.
    """
    total = 0.0
    for word in words:
        if f" {word}" in folded:
            total += WORD_START
        elif f" {word}" in search:
            total += SEARCH_WORD
        elif word in folded:
            total += WITHIN
        elif _in_order(word).search(folded):
            total += IN_ORDER
        elif forgiving and len(word) >= _LEAST_MISTYPED and _mistyped(word).search(folded):
            total += MISTYPED
        else:
            return None
    return total - len(folded) * _SHORTNESS


@cache
def _in_order(word: str) -> re.Pattern[str]:
    """Match the letters in order, the first at the start of a word: ``mci`` is Manchester City."""
    return re.compile(" " + ".*?".join(map(re.escape, word)))


@cache
def _mistyped(word: str) -> re.Pattern[str]:
    left_out = {word[:place] + word[place + 1 :] for place in range(len(word))}
    ways = ("[^ ]?".join(map(re.escape, way)) for way in sorted(left_out))
    return re.compile(" [^ ]?(?:" + "|".join(ways) + ")")


_KEY = "palette/recent"
_MOST = 12


class Recent:
    """Idents of entries, the latest first."""

    def __init__(self, layout: Layout) -> None:
        self._saved = Saved(layout, _KEY, list[str], [])
        self.idents = self._saved.get_value()[:_MOST]

    def note_use(self, ident: str) -> None:
        """Note that an entry was used."""
        others = [other for other in self.idents if other != ident]
        self.idents = [ident, *others][:_MOST]
        self._saved.keep_value(self.idents)


_RECENT_BONUS = 0.5
_ENTRIES_MOST = 50
_RANK_COST = 0.1
"""Subtracted for each place further down in ``Kind``: games come before short actions."""


class Kind(Enum):
    """The kind of an entry, in the order of preference; the value is shown next to the title."""

    GAME = N_("game")
    PANEL = N_("panel")
    LAYOUT = N_("layout")
    CONNECTION = N_("connection")
    PRESET = N_("preset")
    ACTION = N_("action")
    SETTING = N_("setting")
    FORMAT = N_("odds format")


_RANK = {kind: rank for rank, kind in enumerate(Kind)}


class Entry(msgspec.Struct, frozen=True):
    """Something to go to or to do; ``ident`` identifies it among the recent ones."""

    ident: str
    kind: Kind
    title: str
    run: Callable[[], object]
    note: str = ""
    keys: str = ""
    is_grey: bool = False
    """Whether it is unavailable; the note is why, and ``run`` may show it."""
    folded: str = ""
    """The folded title, with the note unless that is why it is grey."""
    phrases: frozenset[str] = frozenset()
    """The folded search words, which are not shown."""

    def __post_init__(self) -> None:
        text = self.title if self.is_grey else f"{self.title} {self.note}"
        msgspec.structs.force_setattr(self, "folded", folded_text(text))
        phrases = frozenset(map(folded_text, search_words(self.ident)))
        msgspec.structs.force_setattr(self, "phrases", phrases)


Provider = Callable[[], Iterable[Entry]]


def matching(entries: Sequence[Entry], typed: str, recent: Sequence[str]) -> list[Entry]:
    """Return the matching entries, the best first; grey ones come last.

    If nothing is typed: the recent entries, then all others but games and grey ones.
    """
    words = tuple(folded_text(typed).split())
    places = {ident: place for place, ident in enumerate(recent)}
    if not words:
        return _untyped(entries, places)
    found = _scored(entries, words, places, forgiving=False)
    if not found:
        found = _scored(entries, words, places, forgiving=True)
    found.sort(key=lambda one: (one[1].is_grey, -one[0], _RANK[one[1].kind], one[1].title))
    return [entry for _, entry in found[:_ENTRIES_MOST]]


def _untyped(entries: Sequence[Entry], places: dict[str, int]) -> list[Entry]:
    used = [entry for entry in entries if entry.ident in places]
    used.sort(key=lambda entry: places[entry.ident])
    others = [
        entry
        for entry in entries
        if entry.ident not in places and entry.kind is not Kind.GAME and not entry.is_grey
    ]
    return (used + others)[:_ENTRIES_MOST]


def _scored(
    entries: Sequence[Entry], words: tuple[str, ...], places: dict[str, int], *, forgiving: bool
) -> list[tuple[float, Entry]]:
    found = []
    typed = " " + " ".join(words)
    for entry in entries:
        value = score(words, entry.folded, "".join(entry.phrases), forgiving=forgiving)
        if value is not None:
            value += _WHOLE_PHRASE if typed in entry.phrases else 0.0
            value -= _RANK[entry.kind] * _RANK_COST
            place = places.get(entry.ident)
            found.append((value + (_RECENT_BONUS / (1 + place) if place is not None else 0), entry))
    return found


Index = QModelIndex | QPersistentModelIndex
_ROW = 30
_MOST_ROWS = 12
ENTRY_ROLE = int(Qt.ItemDataRole.UserRole)


class EntriesModel(QAbstractListModel):
    """The matching entries."""

    def __init__(self) -> None:
        super().__init__()
        self._entries: Sequence[Entry] = ()

    def show_entries(self, entries: Sequence[Entry]) -> None:
        """Show these entries."""
        self.beginResetModel()
        self._entries = entries
        self.endResetModel()

    # Qt's virtuals

    def rowCount(self, parent: Index = QModelIndex()) -> int:
        return 0 if parent.isValid() else len(self._entries)

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        if not 0 <= index.row() < len(self._entries):
            return None
        entry = self._entries[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return entry.title
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join(part for part in (entry.title, entry.note, entry.keys) if part)
        return entry if role == ENTRY_ROLE else None


class EntryDelegate(QStyledItemDelegate):
    """Paints an entry: title and note, with keys and kind on the right."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        entry: Entry = index.data(ENTRY_ROLE)
        fonts, tokens = self._theme.fonts, self._theme.tokens
        painter.save()
        paint_row_ground(painter, option, tokens)
        area = QRectF(option.rect).adjusted(GAP, 0, -GAP, 0)
        kind = translated(entry.kind.value)
        right = f"{entry.keys}   {kind}" if entry.keys else kind
        area.setRight(
            area.right() - self._draw(painter, area, right, TextRole.NOTE, fonts.small, True)
        )
        area.setRight(area.right() - STEP)
        ink = TextRole.NOTE if entry.is_grey else TextRole.STRONG
        width = self._draw(painter, area, entry.title, ink, fonts.body, False)
        area.setLeft(area.left() + width + STEP)
        if entry.note and area.width() > 2 * GAP:
            self._draw(painter, area, entry.note, TextRole.SOFT, fonts.small, False)
        painter.restore()

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(0, self._theme.fonts.row_height(_ROW))

    def _draw(
        self, painter: QPainter, area: QRectF, text: str, ink: TextRole, font: QFont, right: bool
    ) -> float:
        metrics = QFontMetrics(font)
        shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(0, int(area.width())))
        side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
        painter.setFont(font)
        painter.setPen(self._theme.colour(ink))
        painter.drawText(area, int(side | Qt.AlignmentFlag.AlignVCenter), shown)
        return float(metrics.horizontalAdvance(shown))


class EntryList(QListView):
    """The list of results; the search field keeps the focus."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName(_("Search results"))
        self.setProperty("variant", "floating")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.entries = EntriesModel()
        self.setModel(self.entries)
        self.setItemDelegate(EntryDelegate(theme, self))
        self.entered.connect(self.setCurrentIndex)
        self.selectionModel().currentChanged.connect(self._on_current_changed)
        self.hide()

    def _on_current_changed(self, current: QModelIndex) -> None:
        announce(self, str(current.data(Qt.ItemDataRole.AccessibleTextRole) or ""))

    def show_entries(self, entries: Sequence[Entry]) -> None:
        """Show these entries and select the first."""
        self.entries.show_entries(entries)
        self.setCurrentIndex(self.entries.index(0))

    def chosen(self) -> Entry | None:
        """Return the selected entry."""
        entry = self.currentIndex().data(ENTRY_ROLE)
        return entry if isinstance(entry, Entry) else None

    def step(self, rows: int) -> None:
        """Move the selection, wrapping around."""
        count = self.entries.rowCount()
        if count:
            self.setCurrentIndex(self.entries.index((self.currentIndex().row() + rows) % count))

    def wanted_height(self) -> int:
        """Return the height to show the entries, up to a limit."""
        rows = min(self.entries.rowCount(), _MOST_ROWS)
        return rows * max(1, self.sizeHintForRow(0)) + 2 * self.frameWidth() if rows else 0


_WIDTH = (112, 330)
_LIST_WIDTH = 560
_PAGE = 10
_SILENT = (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason)
"""Focus reasons at which the palette does not open."""


_HINTS: Final = (_("Find a game, a panel, an action…"), _("Find a game…"), _("Find…"), "")


class Palette(QLineEdit):
    """Searches the entries of its providers and runs the selected one."""

    def __init__(
        self, theme: Theme, recent: Recent, window: QWidget, providers: Iterable[Provider]
    ) -> None:
        super().__init__()
        self._theme = theme
        self._recent = recent
        self._providers = list(providers)
        self._entries: list[Entry] = []
        self._came_from: QWidget | None = None
        self.setAccessibleName(_("Find a game, a panel, an action"))
        scale_least_width(self, theme, _WIDTH[0])
        scale_most_width(self, theme, _WIDTH[1])
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._keys = Label(_("Ctrl K"), self)
        self._keys.setProperty("variant", "key")
        self._keys.setFont(theme.fonts.small)
        self._keys.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        line = QHBoxLayout(self)
        line.setSizeConstraint(QHBoxLayout.SizeConstraint.SetNoConstraint)
        line.setContentsMargins(0, 0, HALF, 0)
        line.addStretch()
        line.addWidget(self._keys, 0, Qt.AlignmentFlag.AlignVCenter)
        self.list = EntryList(theme, window)
        self.list.clicked.connect(self._on_list_clicked)
        self.textChanged.connect(self._show_matches)
        theme.changed.connect(self._fit_hint)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._on_application_focus_changed)

    def add_provider(self, provider: Provider) -> None:
        """Add a provider; its entries come last if nothing is typed."""
        self._providers.append(provider)

    def open_palette(self) -> None:
        """Take the focus and show the list, closing open popups, which would keep the keyboard."""
        while (popup := QApplication.activePopupWidget()) is not None and popup.close():
            pass
        self.window().activateWindow()
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def give_back_focus(self) -> None:
        """Return the focus to where it was."""
        target, self._came_from = self._came_from, None
        if target is not None and isValid(target) and target.isVisible():
            target.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.clearFocus()

    def _take(self) -> None:
        entry = self.list.chosen()
        if entry is None:
            return
        if not entry.is_grey:
            self._recent.note_use(entry.ident)
        self.give_back_focus()
        entry.run()

    def _show_matches(self, text: str) -> None:
        self._keys.setVisible(not text)
        if not self.hasFocus():
            return
        if not self._entries:
            self._entries = [entry for provider in self._providers for entry in provider()]
        self.list.show_entries(matching(self._entries, text, self._recent.idents))
        self._place()

    def _place(self) -> None:
        window = self.list.parentWidget()
        assert window is not None
        height = self.list.wanted_height()
        self.list.setVisible(height > 0)
        least = self._theme.fonts.scaled(_LIST_WIDTH)
        width = min(max(least, self.width()), window.width() - 2 * STEP)
        below = self.mapTo(window, QPoint(0, self.height() + HALF))
        left = max(STEP, min(below.x(), window.width() - width - STEP))
        self.list.setGeometry(left, below.y(), width, min(height, window.height() - below.y()))
        self.list.raise_()

    def _on_application_focus_changed(self, old: QWidget | None, new: QWidget | None) -> None:
        if new is self and old is not None:
            self._came_from = old

    def _on_list_clicked(self, _index: QModelIndex) -> None:
        self._take()

    def _fit_hint(self) -> None:
        """Show the longest hint that fits."""
        room = self.width() - self._keys.sizeHint().width() - HALF - 2 * STEP
        wide = self.fontMetrics().horizontalAdvance
        hint = next(hint for hint in _HINTS if not hint or wide(hint) <= room)
        if hint != self.placeholderText():
            self.setPlaceholderText(hint)

    # Qt's virtuals

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_hint()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if event.reason() not in _SILENT:
            self._entries = []
            self._show_matches(self.text())

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() is not Qt.FocusReason.PopupFocusReason:
            self.list.hide()
            self.clear()
            self._entries = []

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}
        pages = {Qt.Key.Key_PageDown: _PAGE, Qt.Key.Key_PageUp: -_PAGE}
        key = Qt.Key(event.key())
        if key in steps:
            self.list.step(steps[key])
        elif key in pages:
            self.list.step(pages[key])
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._take()
        elif key == Qt.Key.Key_Escape:
            self.give_back_focus()
        else:
            super().keyPressEvent(event)
