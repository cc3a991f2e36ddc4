"""What the cells of a list of bets mean: numbers, amounts, moments and results, as people write.

Neither the point nor the order of day and month is the same everywhere. What one cell leaves
open (``1.500``, ``08/09/2026``) others of the same file tell; nothing is guessed about a date.
"""

import math
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from enum import Enum
from typing import Final

from oddsdesk.contract.names import folded
from oddsdesk.contract.times import YEARS, is_in_years, parse_ms
from oddsdesk.ledger.bets import TOO_MUCH
from oddsdesk.pricing.results import Result

RESULT_WORDS: Final[dict[str, Result | None]] = {
    **dict.fromkeys(("", "open", "pending", "placed", "o"), None),
    **dict.fromkeys(("won", "win", "w", "settledwin"), Result.WON),
    **dict.fromkeys(("lost", "loss", "lose", "l", "settledloss"), Result.LOST),
    **dict.fromkeys(
        ("void", "push", "p", "refund", "refunded", "cancelled", "settledpush", "settledvoid"),
        Result.VOID,
    ),
    **dict.fromkeys(("halfwon", "halfwin", "hw"), Result.HALF_WON),
    **dict.fromkeys(("halflost", "halfloss", "hl"), Result.HALF_LOST),
    **dict.fromkeys(("cashedout", "cashout", "cashed"), Result.CASHED_OUT),
}
"""What trackers call results, folded."""
YES: Final = frozenset({"yes", "true", "1", "y", "oui"})
NO: Final = frozenset({"no", "false", "0", "n", "non"})
SIGNS: Final = {"$": "USD", "€": "EUR", "£": "GBP"}
"""Currencies by what stands before or behind an amount."""
_DROPPED: Final = str.maketrans("", "", "".join(SIGNS))
_WITH_POINT: Final = re.compile(
    r"[+-]?(\d+\.(\d{1,2}|\d{4,})|(0|\d{4,})\.\d+|\d{1,3}(,\d{3})+\.\d+|\d{1,3}(,\d{3}){2,})",
    re.ASCII,
)
"""A number that only one who writes a point before decimals writes."""
_WITH_COMMA: Final = re.compile(
    r"[+-]?(\d+,(\d{1,2}|\d{4,})|(0|\d{4,}),\d+|\d{1,3}(\.\d{3})+,\d+|\d{1,3}(\.\d{3}){2,})",
    re.ASCII,
)
"""The same for a comma."""
_GROUPS: Final = re.compile(r"[+-]?\d{1,3}([.,]\d{3})+([.,]\d+)?", re.ASCII)
"""Digits in threes."""
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
"""What a workbook holds where it shows a date: days, 1982 to 2091."""
_EXCEL_EPOCH_DAYS: Final = 25_569
"""1970 as Excel counts."""
_DAY_MS: Final = 86_400_000


class CellError(ValueError):
    """A cell that makes no sense; says what was expected."""


class Habit(Enum):
    """How a file writes what may be written in two ways."""

    POINT = "point"
    """1,500.25: a point before decimals."""
    COMMA = "comma"
    """1.500,25: a comma before decimals."""
    DAY_FIRST = "day first"
    MONTH_FIRST = "month first"


def fold(text: str) -> str:
    """Return a title or word without case, blanks and punctuation; ``%`` is ``pct``."""
    return folded(text.replace("%", "pct"))


def decimals_of(cells: Iterable[str]) -> Habit | None:
    """Return what stands before decimals in a file, by all its numbers; None where none tells."""
    plain = [_plain(cell) for cell in cells]
    has_point = any(map(_WITH_POINT.fullmatch, plain))
    has_comma = any(map(_WITH_COMMA.fullmatch, plain))
    if has_point == has_comma:
        return None
    return Habit.POINT if has_point else Habit.COMMA


def days_of(cells: Iterable[str]) -> Habit | None:
    """Return whether the day or the month comes first in a file's dates; None where none tells."""
    dates = [found for cell in cells if (found := _DAY.fullmatch(cell)) and found["two"].isdigit()]
    day_first = any(int(each["one"]) > len(_MONTHS) for each in dates)
    month_first = any(int(each["two"]) > len(_MONTHS) for each in dates)
    if day_first == month_first:
        return None
    return Habit.DAY_FIRST if day_first else Habit.MONTH_FIRST


def read_result(text: str, words: Mapping[str, Result | None] = RESULT_WORDS) -> Result | None:
    """Return the result that a word names, None for an open bet; ``words`` are folded.

    Raises:
        CellError: it names none.
    """
    try:
        return words[fold(text)]
    except KeyError:
        known = "won, lost, void, half won, half lost, cashed out or open"
        raise CellError(f"result {text!r}: expected {known}") from None


def read_number(key: str, text: str) -> float:
    """Return a number of few digits, such as odds: a comma stands for the point.

    Raises:
        CellError: it is none, or not finite.
    """
    plain = _plain(text)
    if _GROUPS.fullmatch(plain) and "." in plain and "," in plain:
        plain = _joined(plain, "," if plain.rindex(",") > plain.rindex(".") else ".")
    return _float(key, text, plain.replace(",", "."))


def read_amount(key: str, text: str, decimals: Habit | None = None) -> float:
    """Return an amount of money, a currency's sign beside it or not.

    ``decimals``: as ``decimals_of`` the file; where it is None, a comma before three digits
    divides thousands and a point never does.

    Raises:
        CellError: it is none, or not finite.
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
    """Return an amount above 0 that somebody typed, as ``read_amount`` reads it.

    Raises:
        CellError: it is none.
    """
    if _POINT_GROUP.fullmatch(text.strip()):
        raise CellError(f"{text.strip()} may be thousands: write them without a point")
    try:
        stake = read_amount("stake", text)
    except CellError:
        stake = math.nan
    if not 0 < stake < TOO_MUCH:
        raise CellError("expected an amount above 0, such as 12.50")
    return stake


def sign_of(text: str) -> str:
    """Return the currency whose sign stands beside an amount; empty for none."""
    return next((currency for sign, currency in SIGNS.items() if sign in text), "")


def read_time(key: str, text: str, days: Habit | None = None) -> int:
    """Return a time in milliseconds; one without an offset is taken as UTC, as are Excel's days.

    ``days``: as ``days_of`` the file. Points stand between numbers only where the day is first.

    Raises:
        CellError: it is no time or date, is of a year that no bet is of, or does not tell which of
            two numbers is the day.
    """
    moment = _moment(key, text, days)
    if not is_in_years(moment):
        raise CellError(f"{key} {text!r}: expected a year from {YEARS.start} to {YEARS.stop - 1}")
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
    except CellError as error:
        raise CellError(f"{key} {text!r}: {error}") from None
    except ValueError:
        raise CellError(f"{key} {text!r}: expected a time such as 2026-04-16T18:30:00Z") from None


def _by_day(text: str, days: Habit | None) -> datetime | None:
    """Return the moment of a date with the year last; None for other texts.

    Raises:
        CellError: it does not tell which number is the day.
        ValueError: there is no such day.
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
        raise CellError("nothing in the file tells which number is the day; write 2026-04-16")
    hour = int(found["hour"] or 0)
    if found["half"]:
        hour = hour % 12 + (12 if found["half"] in "Pp" else 0)
    rest = (hour, int(found["minute"] or 0), int(found["second"] or 0))
    return datetime(int(found["year"]), month, day, *rest, tzinfo=UTC)


def _plain(text: str) -> str:
    return text.translate(_DROPPED).strip().replace("\u2212", "-")


def _joined(plain: str, point: str) -> str:
    """Return digits in threes as one number; ``point`` stands before its decimals."""
    other = "." if point == "," else ","
    return plain.replace(other, "").replace(point, ".")


def _float(key: str, text: str, plain: str) -> float:
    try:
        number = float(plain)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise CellError(f"{key} {text!r}: expected a number such as 12.50")
    return number
