"""A key that was just made: shown this once, with a line that uses it."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QGridLayout, QLineEdit, QPushButton, QWidget

from oddsdesk.desk.theme.spacing import GAP, STEP
from oddsdesk.desk.theme.theme import Theme
from oddsdesk.desk.widgets.plain import Label


class NewKeyView(QWidget):
    """Hidden until there is a key to show; closing the dialog forgets it."""

    def __init__(self, theme: Theme, address: str) -> None:
        super().__init__()
        self.setProperty("look", "panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._address = address
        said = Label("Copy it now: it is not shown again.")
        said.setProperty("look", "value")
        said.setFont(theme.fonts.medium)
        self.key = QLineEdit(readOnly=True)
        self.key.setAccessibleName("The new key")
        self.command = QLineEdit(readOnly=True)
        self.command.setAccessibleName("A command that uses the key")
        grid = QGridLayout(self)
        grid.setContentsMargins(GAP, STEP, GAP, STEP)
        grid.setSpacing(STEP)
        grid.addWidget(said, 0, 0, 1, 3)
        for row, (label, field) in enumerate((("Key", self.key), ("Try it", self.command)), 1):
            grid.addWidget(Label(label), row, 0)
            grid.addWidget(field, row, 1)
            grid.addWidget(_copy_button(field), row, 2)
        self.hide()

    def show_key(self, secret: str) -> None:
        """Show a key in full."""
        self.key.setText(secret)
        self.command.setText(f'curl -H "X-Api-Key: {secret}" "{self._address}/api/games?limit=3"')
        self.command.setCursorPosition(0)
        self.show()
        self.key.setFocus(Qt.FocusReason.OtherFocusReason)
        self.key.selectAll()

    def forget(self) -> None:
        """Show no key any more."""
        self.hide()
        self.key.clear()
        self.command.clear()


def _copy_button(field: QLineEdit) -> QPushButton:
    button = QPushButton("Copy", autoDefault=False)
    button.setAccessibleName(f"Copy: {field.accessibleName()}")

    def copy() -> None:
        QGuiApplication.clipboard().setText(field.text())
        button.setText("Copied")

    button.clicked.connect(copy)
    field.textChanged.connect(lambda: button.setText("Copy"))
    return button
