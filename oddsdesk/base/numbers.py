"""How numbers, days and hours are written for people: one choice for the whole program.

The desk applies the user's choice, and commands in another language than English that of the
system. English commands, servers and files never make one: they write a decimal point, 24 hours
and English dates. ``base.figures`` reads what this writes, whatever the choice.
"""

from datetime import date, datetime
from typing import Final, NamedTuple

from oddsdesk.base.texts import ENGLISH, N_, PSEUDO, language, translated

POINT: Final = "point"
COMMA: Final = "comma"
DAY_FIRST: Final = "day"
MONTH_FIRST: Final = "month"
YEAR_FIRST: Final = "year"

MONTHS: Final = (
    *(N_("Jan"), N_("Feb"), N_("Mar"), N_("Apr"), N_("May"), N_("Jun")),
    *(N_("Jul"), N_("Aug"), N_("Sep"), N_("Oct"), N_("Nov"), N_("Dec")),
)
DAY_AND_MONTH: Final = N_("{day} {month}")
"""30 Nov; in German a point follows the day."""
WEEKDAYS: Final = (*(N_("Mon"), N_("Tue"), N_("Wed"), N_("Thu"), N_("Fri"), N_("Sat"), N_("Sun")),)
LONG_WEEKDAYS: Final = (
    *(N_("Monday"), N_("Tuesday"), N_("Wednesday"), N_("Thursday")),
    *(N_("Friday"), N_("Saturday"), N_("Sunday")),
)
_NOON: Final = 12
_GROUP_DIGITS: Final = 3


class Style(NamedTuple):
    """How numbers and dates are written."""

    decimal: str = POINT
    """``POINT``: 1,234.50. ``COMMA``: 1.234,50."""
    is_24h: bool = True
    dates: str = DAY_FIRST
    """``DAY_FIRST``: 25 Apr 2026. ``MONTH_FIRST``: Apr 25, 2026. ``YEAR_FIRST``: 2026-04-25."""
    first_weekday: int = 0
    """The first day of a week, 0 for Monday to 6 for Sunday."""
    is_chosen: bool = False
    """Whether numbers may have a comma; typed money that may be thousands is then refused."""
    months: tuple[str, ...] = MONTHS
    weekdays: tuple[str, ...] = WEEKDAYS
    """Short names, as for ``months``; both in the language of the texts."""
    day_and_month: str = DAY_AND_MONTH
    """A template in the language of the texts, where the day comes first."""

    def in_language(self) -> "Style":
        """Return it with months and weekdays in the language of the texts."""
        return self._replace(
            months=tuple(map(translated, MONTHS)),
            weekdays=tuple(map(translated, WEEKDAYS)),
            day_and_month=translated(DAY_AND_MONTH),
        )


_COMMA_MARKS: Final = str.maketrans(".,", ",.")
_style = Style()


def choose_numbers(style: Style) -> None:
    """Write numbers and dates in another style from now on."""
    global _style
    _style = style


def number_style() -> Style:
    """Return the style in which numbers and dates are written now."""
    return _style


def decimal_mark() -> str:
    """Return the decimal mark that numbers have now: ``.`` or ``,``."""
    return "," if _style.decimal == COMMA else "."


def with_marks(text: str) -> str:
    """Return a number written with a decimal point, with the marks of the chosen style.

    For texts that hold nothing but numbers and units: in others each point and comma would change.
    """
    return text.translate(_COMMA_MARKS) if _style.decimal == COMMA else text


class _Number:
    """A number that takes the marks of the chosen style when it is formatted."""

    __slots__ = ("_value",)

    def __init__(self, value: object) -> None:
        self._value = value

    def __format__(self, spec: str) -> str:
        text = format(self._value, spec)
        if spec[-1:] == "%" and language() not in (ENGLISH, PSEUDO):
            text = f"{text[:-1]}\u00a0%"
        return text.translate(_COMMA_MARKS) if _style.decimal == COMMA else text


num = _Number
"""For f-strings and ``str.format``: ``f"{num(odds):.2f}"`` is 2.10 or 2,10, ``.0%`` 5% or 5 %."""


def typed_number(value: float) -> str:
    """Return a number as one types it: no thousands separators, and never ambiguous.

    1.234 has a fourth decimal, as three could be thousands.
    """
    text = f"{value:.12g}"
    whole, point, decimals = text.partition(".")
    if point and len(decimals) == _GROUP_DIGITS and whole.lstrip("-") not in ("", "0"):
        text += "0"
    return with_marks(text)


def hour_text(moment: datetime, *, seconds: bool = False) -> str:
    """Return a time of day: ``14:02``, or ``2:02 PM``."""
    if _style.is_24h:
        return f"{moment:%H:%M:%S}" if seconds else f"{moment:%H:%M}"
    hour = moment.hour % _NOON or _NOON
    half = "AM" if moment.hour < _NOON else "PM"
    second = f":{moment.second:02}" if seconds else ""
    return f"{hour}:{moment.minute:02}{second} {half}"


def date_text(day: date, *, year: bool = True) -> str:
    """Return a day: ``25 Apr 2026``, ``Apr 25, 2026`` or ``2026-04-25``; ``year`` may be left out.

    Without the year, ``YEAR_FIRST`` is ``04-25``.
    """
    if _style.dates == YEAR_FIRST:
        return f"{day.year:04}-{day.month:02}-{day.day:02}" if year else f"{day:%m-%d}"
    month = _style.months[day.month - 1]
    if _style.dates == MONTH_FIRST:
        return f"{month} {day.day}, {day.year}" if year else f"{month} {day.day}"
    text = _style.day_and_month.format(day=day.day, month=month)
    return f"{text} {day.year}" if year else text


def weekday_text(day: date) -> str:
    """Return the weekday in a few letters."""
    return _style.weekdays[day.weekday()]
