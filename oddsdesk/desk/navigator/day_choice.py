"""Choosing the date whose games are looked at, and the way back to now."""

from datetime import date

from PySide6.QtCore import QDate, Qt, Signal
from PySide6.QtGui import QTextCharFormat
from PySide6.QtWidgets import QCalendarWidget, QHBoxLayout, QPushButton, QSizePolicy, QWidget

from oddsdesk.desk.ui.controls.menus import Popup
from oddsdesk.desk.ui.theme.theme import Theme
from oddsdesk.desk.ui.theme.tokens import GAP, STEP
from oddsdesk.desk.ui.time_format import day_text, local_time, moment_text


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
        self.now = QPushButton("Back to now")
        self.now.setToolTip("Show what is offered now (Esc)")
        self.now.clicked.connect(self.now_wanted)
        row = QHBoxLayout(self)
        row.setContentsMargins(GAP, 0, GAP, 0)
        row.setSpacing(STEP)
        row.addWidget(self.day)
        row.addWidget(self.now)
        self._theme = theme
        self.show_moment(None)

    def show_moment(self, at_ms: int | None) -> None:
        """Say which moment is shown; None is now."""
        is_past = at_ms is not None
        self.now.setVisible(is_past)
        self.day.setText("Games of a date…" if at_ms is None else f"Games of {day_text(at_ms)}")
        self.day.setFont(self._theme.fonts.strong if is_past else self._theme.fonts.body)
        said = "" if at_ms is None else f", shown as of {moment_text(at_ms)}"
        self.day.setAccessibleName(f"{self.day.text()}{said}")


class DayPopup(Popup):
    """A calendar; a click or Enter on a day chooses it."""

    day_chosen = Signal(object)
    """A ``date``."""

    def __init__(self, parent: QWidget, shown_ms: int) -> None:
        super().__init__(parent, "Games of a date, as they stood at its end")
        shown = local_time(shown_ms).date()
        self.calendar = QCalendarWidget()
        self.calendar.setAccessibleName("Date")
        self.calendar.setVerticalHeaderFormat(QCalendarWidget.VerticalHeaderFormat.NoVerticalHeader)
        for weekend in (Qt.DayOfWeek.Saturday, Qt.DayOfWeek.Sunday):  # Qt writes them in red
            self.calendar.setWeekdayTextFormat(weekend, QTextCharFormat())
        self.calendar.setMaximumDate(QDate.currentDate())
        self.calendar.setSelectedDate(QDate(shown.year, shown.month, shown.day))
        self.calendar.clicked.connect(self._on_calendar_chosen)
        self.calendar.activated.connect(self._on_calendar_chosen)
        self.column.addWidget(self.calendar)

    def _on_calendar_chosen(self, day: QDate) -> None:
        self.day_chosen.emit(date(day.year(), day.month(), day.day()))
        self.close()
