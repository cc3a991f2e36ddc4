"""When football-data games kick off, and when their prices were taken: inferred, not said."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

UK = ZoneInfo("Europe/London")
_DATES = ("%d/%m/%Y", "%d/%m/%y")
_FIRST_SEASON = 1888
"""Of any football league; an earlier year is a slip."""
_TUESDAY, _FRIDAY = 1, 4
_MIDWEEK = range(_TUESDAY, _FRIDAY)
_TAKEN_AT = {_TUESDAY: time(13), _FRIDAY: time(17)}


def parse_date(text: str) -> date:
    """Return the day of a cell, day first.

    Raises:
        ValueError: it is no date.
    """
    for form in _DATES:
        try:
            day = datetime.strptime(text.strip(), form).replace(tzinfo=UTC).date()
        except ValueError:
            continue
        if day.year >= _FIRST_SEASON:
            return day
    raise ValueError(f"expected a date such as 16/08/2024, got {text!r}")


def parse_time(text: str) -> time | None:
    """Return the UK time of a cell, None where it is empty.

    Raises:
        ValueError: it is no time.
    """
    if not text.strip():
        return None
    try:
        return datetime.strptime(text.strip(), "%H:%M").replace(tzinfo=UTC).time()
    except ValueError as error:
        raise ValueError(f"expected a time such as 17:30, got {text!r}") from error


def uk_ms(day: date, clock: time) -> int:
    """Return a UK local time in milliseconds since the epoch."""
    return round(datetime.combine(day, clock, tzinfo=UK).timestamp() * 1000)


def taken_ms(day: date, kick_off_ms: int | None) -> int:
    """Return when prices before closing were taken, in milliseconds.

    Friday 17:00 UK for games from Friday to Monday, Tuesday 13:00 for the others, and
    never after the kick-off.
    """
    weekday = _TUESDAY if day.weekday() in _MIDWEEK else _FRIDAY
    taken_on = day - timedelta(days=(day.weekday() - weekday) % 7)
    taken = uk_ms(taken_on, _TAKEN_AT[weekday])
    return taken if kick_off_ms is None else min(taken, kick_off_ms)
