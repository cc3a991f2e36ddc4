"""The palette: a line in the top bar, its answers floating below it."""

from collections.abc import Iterable

from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QLineEdit, QSizePolicy, QWidget
from shiboken6 import isValid

from oddsdesk.desk.palette.entries import Entry, Provider, matching
from oddsdesk.desk.palette.entry_list import EntryList
from oddsdesk.desk.palette.recent import Recent
from oddsdesk.desk.theme.spacing import HALF, STEP
from oddsdesk.desk.theme.theme import Theme
from oddsdesk.desk.widgets.plain import Label
from oddsdesk.desk.widgets.scaled import scale_least_width, scale_most_width

_WIDTH = (140, 330)
_LIST_WIDTH = 560
_PAGE = 10
_SILENT = (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason)
"""Ways to get the focus that are no wish to go somewhere."""


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
        self.setPlaceholderText("Go to a game, a panel, an action…")
        self.setAccessibleName("Go to a game, a panel, an action")
        scale_least_width(self, theme, _WIDTH[0])
        scale_most_width(self, theme, _WIDTH[1])
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._keys = Label("Ctrl K", self)
        self._keys.setProperty("look", "key")
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
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._on_application_focus_changed)

    def offer(self, provider: Provider) -> None:
        """Lead to what another provider has, too; it comes last where nothing is typed."""
        self._providers.append(provider)

    def open(self) -> None:
        """Take the focus and show what there is."""
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

    # Qt's virtuals

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
