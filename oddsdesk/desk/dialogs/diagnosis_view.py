"""What a test of a connection found: one headline, then right by right."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QWidget

from oddsdesk.client.diagnosis import Diagnosis
from oddsdesk.desk.moments import local_time
from oddsdesk.desk.theme.icons import SIZE
from oddsdesk.desk.theme.spacing import GAP, HALF, STEP
from oddsdesk.desk.theme.theme import Theme
from oddsdesk.desk.theme.tokens import Ink
from oddsdesk.desk.widgets.plain import Label

_ROWS = 4


class DiagnosisView(QWidget):
    """A few lines, each with an icon; hidden until there is something to say."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setProperty("look", "panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName("Result of the test")
        grid = QGridLayout(self)
        grid.setContentsMargins(GAP, STEP, GAP, STEP)
        grid.setHorizontalSpacing(STEP)
        grid.setVerticalSpacing(HALF)
        grid.setColumnStretch(1, 1)
        self._icons = [Label() for _ in range(_ROWS)]
        self._texts = [Label(wordWrap=True) for _ in range(_ROWS)]
        for row, (icon, text) in enumerate(zip(self._icons, self._texts, strict=True)):
            text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            grid.addWidget(icon, row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(text, row, 1)
        self._texts[0].setFont(theme.fonts.strong)
        self.hide()

    @property
    def text(self) -> str:
        """Everything that is said."""
        return "\n".join(label.text() for label in self._texts if not label.isHidden())

    def show_waiting(self, address: str) -> None:
        """Say that the service is being asked."""
        self._show([("loading", Ink.NOTE, f"Asking {address}…")])

    def show_failure(self, text: str) -> None:
        """Say why nothing works and what to do."""
        self._show([("warning", Ink.DOWN, text)])

    def show_diagnosis(self, diagnosis: Diagnosis) -> None:
        """Say which plan the key is of, and what it may do."""
        lines = [("check", Ink.UP, headline(diagnosis))]
        for right in diagnosis.rights:
            if right.problem:
                lines.append(("warning", Ink.DOWN, right.problem))
            elif right.is_given:
                lines.append(("check", Ink.UP, right.name.capitalize()))
            else:
                lines.append(("lock", Ink.NOTE, f"{right.name.capitalize()}: not in this plan"))
        self._show(lines)

    def _show(self, lines: list[tuple[str, Ink, str]]) -> None:
        for place, (icon, text) in enumerate(zip(self._icons, self._texts, strict=True)):
            icon.setVisible(place < len(lines))
            text.setVisible(place < len(lines))
            if place < len(lines):
                name, ink, said = lines[place]
                icon.setPixmap(self._theme.pixmap(name, SIZE, self.devicePixelRatioF(), ink))
                text.setText(said)
        self.show()


def headline(diagnosis: Diagnosis) -> str:
    """Return plan and requests left in one line."""
    said = ["The key is accepted"]
    if diagnosis.plan is not None:
        said[0] += f": plan {diagnosis.plan.value}"
    if (quota := diagnosis.quota) is not None:
        said.append(f"{quota.remaining:,} requests left")
        if quota.resets_at_ms is not None:
            said.append(f"back {local_time(quota.resets_at_ms):%H:%M}")
    return " · ".join(said)
