"""A menu that can be searched where it is long."""

from typing import Final

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QAction, QKeyEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu, QWidget, QWidgetAction

from oddsdesk.base.texts import _

_FEW: Final = 15
"""Up to this many entries need no search field."""
_ENTER: Final = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class SearchMenu(QMenu):
    """Call ``offer_search`` when all entries are there; ``clear`` takes the field away again.

    What is typed filters the entries, Return chooses the first one, and Down goes to the entries.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.search: QLineEdit | None = None
        """The field; None where the menu is short."""

    def offer_search(self) -> None:
        """Put a field above the entries, where they are many."""
        self.search = None
        self.setMinimumWidth(0)
        if len(self._entries()) <= _FEW:
            return
        field = self.search = QLineEdit(placeholderText=_("Search"), clearButtonEnabled=True)
        field.setAccessibleName(_("Search"))
        field.textChanged.connect(self._on_search_text_changed)
        field.installEventFilter(self)
        action = QWidgetAction(self)
        action.setDefaultWidget(field)
        self.insertAction(self.actions()[0], action)

    def _entries(self) -> list[QAction]:
        actions = self.actions()
        return [
            each for each in actions if not (each.isSeparator() or isinstance(each, QWidgetAction))
        ]

    def _found(self) -> list[QAction]:
        return [each for each in self._entries() if each.isVisible() and each.isEnabled()]

    def _on_search_text_changed(self, text: str) -> None:
        words = text.casefold().split()
        for action in self._entries():
            name = action.text().replace("&", "").casefold()
            action.setVisible(all(word in name for word in words))

    def _press_in_search(self, key: int) -> bool:
        """Handle a key that does not type in the field; return whether it did anything."""
        found = self._found()
        if key in _ENTER:
            if found:
                self.close()
                found[0].trigger()
        elif key == Qt.Key.Key_Down:
            if found:
                self.setFocus()
                self.setActiveAction(found[0])
        elif key == Qt.Key.Key_Escape and self.search is not None and self.search.text():
            self.search.clear()
        else:
            return False
        return True

    # Qt's virtuals

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            return self._press_in_search(event.key())
        return super().eventFilter(watched, event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if self.search is not None and event.text().strip() and event.text().isprintable():
            self.search.setFocus()
            QApplication.sendEvent(self.search, event)
        else:
            super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self.search is not None:
            self.setMinimumWidth(self.width())  # else it would shrink while one types
            self.search.setFocus(Qt.FocusReason.PopupFocusReason)
