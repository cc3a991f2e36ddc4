"""Numbers, amounts and times as people type them, in files and in the window.

Decimal points and the order of day and month differ between people. What is ambiguous in one text
(``1.500``, ``08/09/2026``) is decided by the other texts of a file; dates are never guessed.
"""

import math
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from enum import Enum
from typing import Final

from oddsdesk.contract.times import YEARS, is_in_years, parse_ms

TOO_MUCH: Final = 1e12
"""Odds and amounts of money are always smaller than this."""
SIGNS: Final = {"$": "USD", "€": "EUR", "£": "GBP"}
"""Currencies by the sign before or after an amount."""
_DROPPED: Final = str.maketrans("", "", "".join(SIGNS))
_WITH_POINT: Final = re.compile(
    r"[+-]?(\d+\.(\d{1,2}|\d{4,})|(0|\d{4,})\.\d+|\d{1,3}(,\d{3})+\.\d+|\d{1,3}(,\d{3}){2,})",
    re.ASCII,
)
"""A number that can only have a decimal point."""
_WITH_COMMA: Final = re.compile(
    r"[+-]?(\d+,(\d{1,2}|\d{4,})|(0|\d{4,}),\d+|\d{1,3}(\.\d{3})+,\d+|\d{1,3}(\.\d{3}){2,})",
    re.ASCII,
)
"""A number that can only have a decimal comma."""
_GROUPS: Final = re.compile(r"[+-]?\d{1,3}([.,]\d{3})+([.,]\d+)?", re.ASCII)
"""Digits in groups of three."""
_POINT_GROUP: Final = re.compile(r"[1-9]\d{0,2}\.\d{3}", re.ASCII)
_DAY: Final = re.compile(
    r"(?P<one>\d{1,2})(?P<sign>[./ -])(?P<two>\d{1,2}|[A-Za-z]{3,9})(?P=sign)(?P<year>\d{4})"
    r"(?:[ ,T]+(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?"
    r"(?: ?(?P<half>[AaPp])\.?[Mm]\.?)?)?",
    re.ASCII,
)
_MONTHS: Final = (
    *("jan", "feb", "mar", "apr", "may", "jun"),
    *("jul", "aug", "sep", "oct", "nov", "dec"),
)
_EXCEL_DAYS: Final = re.compile(r"[3-6][0-9]{4}(\.[0-9]+)?")
"""The numbers that workbooks store for dates: days, 1982 to 2091."""
_EXCEL_EPOCH_DAYS: Final = 25_569
"""1970 in Excel's count of days."""
_DAY_MS: Final = 86_400_000


class FigureError(ValueError):
    """A text that makes no sense; the message says what was expected."""


class Habit(Enum):
    """How a file writes what can be written in two ways."""

    POINT = "point"
    """1,500.25: a point before decimals."""
    COMMA = "comma"
    """1.500,25: a comma before decimals."""
    DAY_FIRST = "day first"
    MONTH_FIRST = "month first"


def decimals_of(cells: Iterable[str]) -> Habit | None:
    """Return a file's decimal sign, judged by all its numbers; None if none decides."""
    plain = [_plain(cell) for cell in cells]
    has_point = any(map(_WITH_POINT.fullmatch, plain))
    has_comma = any(map(_WITH_COMMA.fullmatch, plain))
    if has_point == has_comma:
        return None
    return Habit.POINT if has_point else Habit.COMMA


def days_of(cells: Iterable[str]) -> Habit | None:
    """Return whether a file's dates put the day or the month first; None if none decides."""
    dates = [found for cell in cells if (found := _DAY.fullmatch(cell)) and found["two"].isdigit()]
    day_first = any(int(each["one"]) > len(_MONTHS) for each in dates)
    month_first = any(int(each["two"]) > len(_MONTHS) for each in dates)
    if day_first == month_first:
        return None
    return Habit.DAY_FIRST if day_first else Habit.MONTH_FIRST


def read_number(key: str, text: str) -> float:
    """Return a small number such as odds; a comma counts as a decimal point.

    Raises:
        FigureError: not a number, or not finite.
    """
    plain = _plain(text)
    if _GROUPS.fullmatch(plain) and "." in plain and "," in plain:
        plain = _joined(plain, "," if plain.rindex(",") > plain.rindex(".") else ".")
    return _float(key, text, plain.replace(",", "."))


def read_amount(key: str, text: str, decimals: Habit | None = None) -> float:
    """Return an amount of money, with or without a currency sign.

    ``decimals`` is the file's habit (``decimals_of``). If None, a comma before three digits
    separates thousands, and a point never does.

    Raises:
        FigureError: not a number, or not finite.
    """
    plain = _plain(text)
    if _GROUPS.fullmatch(plain) and decimals is not None:
        plain = _joined(plain, "," if decimals is Habit.COMMA else ".")
    elif _GROUPS.fullmatch(plain) and "." not in plain:
        plain = plain.replace(",", "")
    else:
        return read_number(key, text)
    return _float(key, text, plain)


def read_stake(text: str) -> float:
    """Return an amount above 0 that a user typed, read like ``read_amount``.

    Raises:
        FigureError: not such an amount.
    """
    if _POINT_GROUP.fullmatch(text.strip()):
        raise FigureError(f"{text.strip()} may mean thousands: write them without a point")
    try:
        stake = read_amount("stake", text)
    except FigureError:
        stake = math.nan
    if not 0 < stake < TOO_MUCH:
        raise FigureError("expected an amount above 0, such as 12.50")
    return stake


def sign_of(text: str) -> str:
    """Return the currency whose sign is next to an amount; empty if none is."""
    return next((currency for sign, currency in SIGNS.items() if sign in text), "")


def read_time(key: str, text: str, days: Habit | None = None) -> int:
    """Return a time in milliseconds; without an offset it is UTC, as are Excel's days.

    ``days`` is the file's habit (``days_of``). With points between numbers the day comes first.

    Raises:
        FigureError: not a time or date, a year in which nobody bet, or unclear which number is the
            day.
    """
    moment = _moment(key, text, days)
    if not is_in_years(moment):
        raise FigureError(f"{key} {text!r}: expected a year from {YEARS.start} to {YEARS.stop - 1}")
    return moment


def _moment(key: str, text: str, days: Habit | None) -> int:
    if _EXCEL_DAYS.fullmatch(text):
        return round((float(text) - _EXCEL_EPOCH_DAYS) * _DAY_MS)
    try:
        return parse_ms(text)
    except ValueError:
        pass
    try:
        moment = _by_day(text, days) or datetime.fromisoformat(text)
        return parse_ms(f"{moment.replace(tzinfo=None).isoformat()}Z")
    except FigureError as error:
        raise FigureError(f"{key} {text!r}: {error}") from None
    except ValueError:
        raise FigureError(f"{key} {text!r}: expected a time such as 2026-04-16T18:30:00Z") from None


def _by_day(text: str, days: Habit | None) -> datetime | None:
    """Return the moment of a date that ends with the year; None for other texts.

    Raises:
        FigureError: unclear which number is the day.
        ValueError: no such day.
    """
    found = _DAY.fullmatch(text)
    if found is None:
        return None
    one, two = found["one"], found["two"]
    if not two.isdigit():
        day, month = int(one), _MONTHS.index(two[:3].casefold()) + 1
    elif found["sign"] == "." or one == two or int(one) > len(_MONTHS):
        day, month = int(one), int(two)
    elif int(two) > len(_MONTHS) or days is Habit.MONTH_FIRST:
        day, month = int(two), int(one)
    elif days is Habit.DAY_FIRST:
        day, month = int(one), int(two)
    else:
        raise FigureError("the file does not show which number is the day; write 2026-04-16")
    hour = int(found["hour"] or 0)
    if found["half"]:
        hour = hour % 12 + (12 if found["half"] in "Pp" else 0)
    rest = (hour, int(found["minute"] or 0), int(found["second"] or 0))
    return datetime(int(found["year"]), month, day, *rest, tzinfo=UTC)


def _plain(text: str) -> str:
    return text.translate(_DROPPED).strip().replace("\u2212", "-")


def _joined(plain: str, point: str) -> str:
    """Return grouped digits as one number; ``point`` is the decimal sign."""
    other = "." if point == "," else ","
    return plain.replace(other, "").replace(point, ".")


def _float(key: str, text: str, plain: str) -> float:
    try:
        number = float(plain)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise FigureError(f"{key} {text!r}: expected a number such as 12.50")
    return number
