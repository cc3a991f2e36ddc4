"""A line to filter by: a magnifier, a clear button, Escape empties it."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QLineEdit, QListWidget, QListWidgetItem, QWidget

from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import TextRole


class FilterEdit(QLineEdit):
    """A line edit whose placeholder says what it filters; that is its accessible name too."""

    def __init__(self, theme: Theme, purpose: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._items: QListWidget | None = None
        self.setPlaceholderText(purpose)
        self.setAccessibleName(purpose)
        self._search = QAction(self)
        self._search.setToolTip(purpose)
        self.addAction(self._search, QLineEdit.ActionPosition.LeadingPosition)
        self._clear = QAction("Clear the filter", self, visible=False)
        self.addAction(self._clear, QLineEdit.ActionPosition.TrailingPosition)
        self._clear.triggered.connect(self.clear)
        self.textChanged.connect(self._on_text_changed)
        theme.changed.connect(self._on_theme_changed)
        self._on_theme_changed()

    def lead_to(self, items: QListWidget) -> None:
        """Let Down go from here to the items; the one where the keyboard is can be seen."""
        self._items = items
        items.currentItemChanged.connect(_select)

    def _on_text_changed(self, text: str) -> None:
        self._clear.setVisible(bool(text))

    def _on_theme_changed(self) -> None:
        self._search.setIcon(self._theme.icon("search", TextRole.NOTE))
        self._clear.setIcon(self._theme.icon("close", TextRole.NOTE))

    # Qt's virtuals

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        elif event.key() == Qt.Key.Key_Down and self._items is not None:
            _enter(self._items)
        else:
            super().keyPressEvent(event)


def name_clear_button(edit: QLineEdit) -> None:
    """Give the clear button that Qt makes in a line edit its tooltip."""
    found = edit.findChild(QAction, "_q_qlineeditclearaction")
    if found is not None:
        found.setToolTip("Clear")


def _enter(items: QListWidget) -> None:
    every = (items.item(row) for row in range(items.count()))
    first = next((item for item in every if not item.isHidden()), None)
    if first is not None:
        items.setCurrentItem(first)
        items.setFocus(Qt.FocusReason.TabFocusReason)


def _select(item: QListWidgetItem | None) -> None:
    if item is not None:
        item.setSelected(True)
