"""A button of the top bar that opens a menu and says what is chosen in it."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QFrame, QMenu, QToolButton, QVBoxLayout, QWidget

from oddsdesk.desk.ui.controls.plain import Label, literal
from oddsdesk.desk.ui.theme import tokens as spacing


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
        self.setProperty("variant", "plain")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.show_value("")

    def show_value(self, value: str) -> None:
        """Say what is chosen now."""
        shown = [self._purpose] if self._tells_purpose or not value else []
        self.setText(literal(": ".join([*shown, *([value] if value else [])]) + " ▾"))
        self.setAccessibleName(f"{self._purpose}: {value}" if value else self._purpose)


class Popup(QFrame):
    """A frame that stands below a widget until one clicks elsewhere or presses Escape."""

    def __init__(self, parent: QWidget, title: str) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setProperty("variant", "popup")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName(title)
        self.setWindowTitle(title)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(*[spacing.GAP] * 4)
        self.column.setSpacing(spacing.STEP)
        heading = Label(title)
        heading.setProperty("variant", "soft")
        self.column.addWidget(heading)

    def open_below(self, widget: QWidget) -> None:
        """Show it below a widget, within the screen."""
        self.adjustSize()
        corner = widget.mapToGlobal(QPoint(0, widget.height() + spacing.HALF))
        room = widget.screen().availableGeometry()
        corner.setX(max(room.left(), min(corner.x(), room.right() - self.width())))
        corner.setY(max(room.top(), min(corner.y(), room.bottom() - self.height())))
        self.move(corner)
        self.show()
