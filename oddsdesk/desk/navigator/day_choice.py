"""Which date's games are looked at, and the way back to now."""

from typing import Final

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QSizePolicy, QWidget

from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import GAP, STEP
from oddsdesk.desk.ui.time_format import day_text, moment_text

_CHOICE: Final = "Games of a date…"
_SHORT_CHOICE: Final = "A date…"
_BACK: Final = "Back to now"


class PastBar(QWidget):
    """Which date's games are shown, as a button that asks for another, and back to now."""

    day_wanted = Signal()
    now_wanted = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.day = QPushButton()
        self.day.setToolTip("Games of a date, as they stood at its end (Ctrl+J)")
        self.day.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.day.clicked.connect(self.day_wanted)
        self.now = QPushButton(_BACK)
        self.now.setToolTip("Show what is offered now (Esc)")
        self.now.clicked.connect(self.now_wanted)
        row = QHBoxLayout(self)
        row.setContentsMargins(GAP, 0, GAP, 0)
        row.setSpacing(STEP)
        row.addWidget(self.day)
        row.addWidget(self.now)
        self._theme = theme
        self._said: tuple[tuple[str, str], ...] = ()
        theme.changed.connect(self._fit)
        self.show_moment(None)

    def show_moment(self, at_ms: int | None) -> None:
        """Say which moment is shown; None is now."""
        self.day.setFont(self._theme.fonts.body if at_ms is None else self._theme.fonts.strong)
        if at_ms is None:
            self._said, name = ((_CHOICE, ""), (_SHORT_CHOICE, "")), _CHOICE
        else:
            day = day_text(at_ms)
            name = f"Games of {day}, shown as of {moment_text(at_ms)}"
            self._said = ((f"Games of {day}", _BACK), (day, _BACK), (day, "Now"), (day, ""))
        self.day.setAccessibleName(name)
        self.now.setAccessibleName(_BACK)
        self._fit()

    def _fit(self) -> None:
        """Say less where it is narrow: a panel that grew for it would make the window wider.

        The time line leads back to now, too, and Escape.
        """
        room = self.width() - 2 * GAP
        for day, now in self._said:
            self.day.setText(day)
            self.now.setText(now)
            beside = STEP + self.now.sizeHint().width() if now else 0
            if self.day.sizeHint().width() + beside <= room:
                break
        self.now.setVisible(bool(now))

    # Qt's virtuals

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()
