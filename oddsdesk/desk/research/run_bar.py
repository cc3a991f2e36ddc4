"""The line above what comes of a log: what is asked, how far it is, run or cancel, export."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QToolButton, QWidget

from oddsdesk.desk.ui.controls.labels import ElidedLabel
from oddsdesk.desk.ui.controls.scaling import scale_height
from oddsdesk.desk.ui.theme import tokens as spacing
from oddsdesk.desk.ui.theme.theme import Theme

_LEAST_WIDTH = 240
_COUNT = "10,000,000 rows"


class RunBar(QWidget):
    """Says what the user wants: ``run_clicked`` is to begin, or to cancel what runs."""

    run_clicked = Signal()
    export_clicked = Signal()

    def __init__(self, theme: Theme, fields: Sequence[QWidget]) -> None:
        """Offer fields to choose by."""
        super().__init__()
        self.setProperty("variant", "bar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        scale_height(self, theme, spacing.BAR)
        self._facts = ElidedLabel()
        self._facts.setProperty("variant", "note")
        self.run = QPushButton()
        self.run.clicked.connect(self.run_clicked)
        self._export = QToolButton()
        self._export.setText("Export…")
        self._export.setToolTip("Save the table as a file")
        self._export.setProperty("variant", "plain")
        self._export.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._export.clicked.connect(self.export_clicked)
        line = QHBoxLayout(self)
        line.setContentsMargins(spacing.LEAD, 0, spacing.LEAD, 0)
        line.setSpacing(spacing.STEP)
        for field in fields:
            line.addWidget(field)
        line.addWidget(self._facts, 1)
        line.addWidget(self.run)
        line.addWidget(self._export)
        self.show_running(None)

    def show_running(self, rows: int | None) -> None:
        """Say how many rows are done; None: nothing runs."""
        self.run.setText("Run" if rows is None else "Cancel")
        self.run.setToolTip(
            "Go through the log (R)" if rows is None else "End it: what is shown stays (R)"
        )
        if rows is not None:
            self.say(f"{rows:,} rows read…")

    def say(self, text: str) -> None:
        """Say one line; fields give way to a count of rows, longer texts are elided to that."""
        room = min(self._facts.width_of(text), self._facts.width_of(_COUNT)) if text else 0
        self._facts.setMinimumWidth(room)
        self._facts.show_text(text)

    def offer_export(self, offered: bool) -> None:
        """Say whether there is anything to export."""
        self._export.setEnabled(offered)

    # Qt's virtuals

    def minimumSizeHint(self) -> QSize:
        return QSize(_LEAST_WIDTH, super().minimumSizeHint().height())
