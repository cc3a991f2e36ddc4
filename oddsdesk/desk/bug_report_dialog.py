"""The bug report: a text to read, copy and pass on."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QHBoxLayout,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from oddsdesk.desk.theme.spacing import GAP, STEP
from oddsdesk.desk.widgets.plain import Label

_SIZE = (720, 520)


class BugReportDialog(QDialog):
    """Shows the report as it would be sent; nothing leaves this machine by itself."""

    def __init__(self, text: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Bug report")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(*_SIZE)
        said = Label(
            "Describe above the line what you did and what you expected, copy the text, and add "
            "it to an issue of the project. Keys, tokens and folders were taken out.",
            wordWrap=True,
        )
        said.setProperty("look", "soft")
        self.report = QPlainTextEdit(f"What I did:\n\nWhat I expected:\n\n---\n{text}")
        self.report.setAccessibleName("Bug report")
        self.report.setTabChangesFocus(True)
        self._copy = QPushButton("Copy")
        self._copy.setDefault(True)
        self._copy.clicked.connect(self._on_copy_clicked)
        close = QPushButton("Close")
        close.clicked.connect(self.reject)
        buttons = QHBoxLayout()
        buttons.addStretch()
        buttons.addWidget(self._copy)
        buttons.addWidget(close)
        column = QVBoxLayout(self)
        column.setContentsMargins(GAP, GAP, GAP, GAP)
        column.setSpacing(STEP)
        column.addWidget(said)
        column.addWidget(self.report)
        column.addLayout(buttons)

    def _on_copy_clicked(self) -> None:
        QApplication.clipboard().setText(self.report.toPlainText())
        self._copy.setText("Copied")
