"""A button of the top bar that opens a menu and says what is chosen in it."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from oddsdesk.desk.widgets.plain import literal


class MenuButton(QToolButton):
    """Shows ``purpose: value ▾``, or the value alone where that says enough."""

    def __init__(self, purpose: str, *, tells_purpose: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._purpose = purpose
        self._tells_purpose = tells_purpose
        self.menu_shown = QMenu(self)
        """The menu; whoever made the button fills it."""
        self.setMenu(self.menu_shown)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setProperty("look", "plain")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.show_value("")

    def show_value(self, value: str) -> None:
        """Say what is chosen now."""
        shown = [self._purpose] if self._tells_purpose or not value else []
        self.setText(literal(": ".join([*shown, *([value] if value else [])]) + " ▾"))
        self.setAccessibleName(f"{self._purpose}: {value}" if value else self._purpose)
