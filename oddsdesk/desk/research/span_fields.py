"""The days of a log that are gone through: from and to, each empty for all there is."""

from datetime import date, datetime, time, timedelta, tzinfo

from PySide6.QtWidgets import QLineEdit, QSizePolicy

from oddsdesk.desk.research.log import AskedSpan
from oddsdesk.desk.ui.controls.filter_edit import name_clear_button


class ChoiceError(ValueError):
    """What was typed makes no sense; one line that says why."""


class SpanFields:
    """Two fields for days, with what is kept of them: the text as it was typed."""

    def __init__(self, since: str, until: str) -> None:
        self.since = _field("From", "The first day, such as 2024-08-16. Empty: from the beginning")
        self.until = _field("To", "The last day, such as 2025-05-25. Empty: to the end")
        self.since.setText(since)
        self.until.setText(until)

    @property
    def fields(self) -> list[QLineEdit]:
        """Both, in order."""
        return [self.since, self.until]

    def span(self) -> AskedSpan:
        """Return the span that is asked for.

        Raises:
            ChoiceError: it is none.
        """
        return span_of(self.since.text(), self.until.text())


def span_of(since: str, until: str, zone: tzinfo | None = None) -> AskedSpan:
    """Return the span from the first day's begin to the last one's end, in a zone.

    Raises:
        ChoiceError: one is no day, or the last is before the first.
    """
    first, last = _day("From", since), _day("To", until)
    if first is not None and last is not None and last < first:
        raise ChoiceError(f"To: {last} is before {first}, the first day")
    after = None if last is None else last + timedelta(days=1)
    return AskedSpan(_begin(first, zone), _begin(after, zone))


def _field(name: str, tip: str) -> QLineEdit:
    field = QLineEdit()
    field.setPlaceholderText(name)
    field.setAccessibleName(name)
    field.setToolTip(tip)
    field.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
    field.setClearButtonEnabled(True)
    name_clear_button(field)
    return field


def _day(name: str, typed: str) -> date | None:
    text = typed.strip()
    if not text:
        return None
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = date.min
    if not 1970 <= day.year < 9999:  # nearer to the calendar's ends a zone may lead out of it
        raise ChoiceError(f"{name}: expected a day such as 2024-08-16, got {text!r}")
    return day


def _begin(day: date | None, zone: tzinfo | None) -> int | None:
    if day is None:
        return None
    return round(datetime.combine(day, time(), zone).timestamp() * 1000)
