"""The calendar in which the date is chosen whose games are looked at."""

from datetime import date

from PySide6.QtCore import QDate, Qt, Signal
from PySide6.QtGui import QTextCharFormat
from PySide6.QtWidgets import QCalendarWidget, QWidget

from oddsdesk.desk.ui.controls.menus import Popup
from oddsdesk.desk.ui.time_format import local_time


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
        self.calendar.setFocus()

    def _on_calendar_chosen(self, day: QDate) -> None:
        self.day_chosen.emit(date(day.year(), day.month(), day.day()))
        self.close()
