"""The palette: a line in the top bar, its answers floating below it."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

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

from oddsdesk.desk.shell.palette_entries import Entry, Provider, Recent, matching
from oddsdesk.desk.ui.controls.plain import Label
from oddsdesk.desk.ui.controls.row_ground import paint_row_ground
from oddsdesk.desk.ui.controls.scaling import scale_least_width, scale_most_width
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import GAP, HALF, STEP, TextRole

Index = QModelIndex | QPersistentModelIndex
_ROW = 30
_MOST_ROWS = 12
ENTRY_ROLE = int(Qt.ItemDataRole.UserRole)


class EntriesModel(QAbstractListModel):
    """The entries that answer."""

    def __init__(self) -> None:
        super().__init__()
        self._entries: Sequence[Entry] = ()

    def show_entries(self, entries: Sequence[Entry]) -> None:
        """Show others."""
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
    """One entry: its title and note, at the right its keys and kind."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        entry: Entry = index.data(ENTRY_ROLE)
        fonts, tokens = self._theme.fonts, self._theme.tokens
        painter.save()
        paint_row_ground(painter, option, tokens)
        area = QRectF(option.rect).adjusted(GAP, 0, -GAP, 0)
        right = f"{entry.keys}   {entry.kind.value}" if entry.keys else entry.kind.value
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
    """Floats over the window; the line above keeps the focus."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName("What the palette found")
        self.setProperty("variant", "floating")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setUniformItemSizes(True)
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.entries = EntriesModel()
        self.setModel(self.entries)
        self.setItemDelegate(EntryDelegate(theme, self))
        self.entered.connect(self.setCurrentIndex)
        self.hide()

    def show_entries(self, entries: Sequence[Entry]) -> None:
        """Show others, the first one chosen."""
        self.entries.show_entries(entries)
        self.setCurrentIndex(self.entries.index(0))

    def chosen(self) -> Entry | None:
        """Return the entry that Enter would take."""
        entry = self.currentIndex().data(ENTRY_ROLE)
        return entry if isinstance(entry, Entry) else None

    def step(self, rows: int) -> None:
        """Choose another entry, round the ends."""
        count = self.entries.rowCount()
        if count:
            self.setCurrentIndex(self.entries.index((self.currentIndex().row() + rows) % count))

    def wanted_height(self) -> int:
        """Return the height that shows the entries, as far as there is sense in it."""
        rows = min(self.entries.rowCount(), _MOST_ROWS)
        return rows * max(1, self.sizeHintForRow(0)) + 2 * self.frameWidth() if rows else 0


_WIDTH = (112, 330)
_LIST_WIDTH = 560
_PAGE = 10
_SILENT = (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason)
"""Focus reasons at which the palette does not open."""


_HINTS: Final = ("Go to a game, a panel, an action…", "Go to a game…", "Go to…", "")


class Palette(QLineEdit):
    """Finds among what its providers have at the moment it is opened, and does what is taken."""

    def __init__(
        self, theme: Theme, recent: Recent, window: QWidget, providers: Iterable[Provider]
    ) -> None:
        super().__init__()
        self._theme = theme
        self._recent = recent
        self._providers = list(providers)
        self._entries: list[Entry] = []
        self._came_from: QWidget | None = None
        self.setAccessibleName("Go to a game, a panel, an action")
        scale_least_width(self, theme, _WIDTH[0])
        scale_most_width(self, theme, _WIDTH[1])
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._keys = Label("Ctrl K", self)
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

    def offer(self, provider: Provider) -> None:
        """Add a provider of entries; they come last where nothing is typed."""
        self._providers.append(provider)

    def open(self) -> None:
        """Take the focus and show what there is; an open popup would keep the keyboard."""
        while (popup := QApplication.activePopupWidget()) is not None and popup.close():
            pass
        self.window().activateWindow()
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def leave(self) -> None:
        """Give the focus back to where it came from."""
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
            self._recent.use(entry.ident)
        self.leave()
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
        """Say in the field what fits before the key, in whole words; the name says all of it."""
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
            self.leave()
        else:
            super().keyPressEvent(event)
