"""Numbers, amounts and times as people type them, in files and in the window.

Decimal points and the order of day and month differ between people. What is ambiguous in one text
(``1.500``, ``08/09/2026``) is decided by the other texts of a file, or by the user.
"""

import contextlib
import math
import re
from collections.abc import Iterable
from datetime import UTC, datetime, time, timedelta, tzinfo
from enum import Enum
from functools import lru_cache
from typing import Final, NamedTuple, NoReturn

from oddsdesk.base.numbers import LONG_WEEKDAYS, WEEKDAYS, YEAR_FIRST, decimal_mark, number_style
from oddsdesk.base.texts import N_, translated
from oddsdesk.contract.texts import plain_letters
from oddsdesk.contract.times import DAY_MS, YEARS, is_in_years, parse_ms

TOO_MUCH: Final = 1e12
"""Odds and amounts of money are always smaller than this."""
_SIGN_NAMES: Final = (
    "$=USD us$=USD €=EUR euro=EUR euros=EUR £=GBP a$=AUD au$=AUD c$=CAD ca$=CAD nz$=NZD r$=BRL "
    "kr=KR kr.=KR zl=PLN kc=CZK ft=HUF lei=RON fr=CHF fr.=CHF ¥=JPY ₹=INR ₺=TRY ₴=UAH ₦=NGN"
)
_SIGNS: Final = dict(name.split("=") for name in _SIGN_NAMES.split())
"""Currencies by their signs and short names; ``kr`` is the krona of several countries."""
_CODE_NAMES: Final = (
    "ARS AUD BGN BRL CAD CHF CLP COP CZK DKK EUR GBP GHS HKD HUF ILS INR ISK JPY KES MXN MYR NGN "
    "NOK NZD PEN PHP PLN RON RSD SEK SGD THB TRY UAH UGX USD USDC USDT UYU VND ZAR"
)
_CODES: Final = frozenset(_CODE_NAMES.split())
_UNITS: Final = frozenset({"u", "unit", "units", "un", "pt", "pts", "point", "points"})
_SPACES: Final = str.maketrans({"\u00a0": " ", "\u202f": " ", "\u2009": " ", "\u2212": "-"})
_AMOUNT: Final = re.compile(
    r"(?P<sign>[+-]?) ?(?P<before>[^\d\s.,+()-][^\d\s,+()-]*)? ?(?P<minus>[+-]?) ?"
    r"(?P<figure>\d[\d.,]*(?:[ '’]\d{3})*(?:[.,]\d+)?(?:[eE][+-]?\d+)?|[.,]\d+)"
    r" ?(?P<after>[^\d\s.,+()-][^\d\s,+()-]*)?",
    re.ASCII,
)
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
_GROUPS: Final = re.compile(r"[+-]?[1-9]\d{0,2}([.,]\d{3})+([.,]\d+)?", re.ASCII)
"""Digits in groups of three: 0,125 is none."""
_PLAIN: Final = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_ONE_GROUP: Final = re.compile(r"[+-]?[1-9]\d{0,2}([.,])\d{3}", re.ASCII)
"""A number that may be thousands, or have three decimals."""
_ISO_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_DAY: Final = re.compile(
    r"(?:[^\W\d_]{2,12}[.,]? )?"  # a weekday
    r"(?P<one>\d{1,2})(?:st|nd|rd|th)?"
    r"(?P<sign>\. ?|[/ -])(?P<two>\d{1,2}|[^\W\d_]{3,12})\.?(?:(?P=sign)| )(?P<year>\d{4}|\d{2})"
    r"(?:[ ,T]+(?P<hour>\d{1,2})[:.h](?P<minute>\d{2})(?:[:.](?P<second>\d{2}))?"
    r"(?: ?(?P<half>[AaPp])\.?[Mm]\.?)?)?(?: ?(?:GMT|UTC|Z|Uhr))?"
)
_MONTH_FIRST: Final = re.compile(
    r"(?:[^\W\d_]{2,12}[.,]? )?(?P<month>[^\W\d_]{3,12})\.? (?P<day>\d{1,2})(?:st|nd|rd|th)?,? "
    r"(?P<rest>\d{4}.*)"
)
"""Mar 14, 2026."""
_MONTH_NAMES: Final = (
    "jan gen ene sty, feb fev lut, mar maa mrt, apr abr avr kwi, may mai maj mag mei, "
    "jun juin giu cze, jul juil lug lip, aug ago aou sie, sep set wrz, oct okt ott out paz, "
    "nov lis, dec dez dic des gru"
)
_MONTHS: Final = {
    name: number
    for number, names in enumerate(_MONTH_NAMES.split(", "), 1)
    for name in names.split()
}
"""Months by the first letters of their names in eleven languages."""
_MOST_MONTHS: Final = 12
_CENTURY: Final = 2000
_EXCEL_DAYS: Final = re.compile(r"[3-6][0-9]{4}(\.[0-9]+)?")
"""The numbers that workbooks store for dates: days, 1982 to 2091."""
_EXCEL_EPOCH_DAYS: Final = 25_569
"""1970 in Excel's count of days."""


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


class Amount(NamedTuple):
    """An amount taken apart: its digits as typed, and what they count."""

    digits: str
    """With its sign and separators, without spaces."""
    currency: str = ""
    """A code such as EUR; empty if none is written."""
    in_units: bool = False
    """Whether it counts the bettor's units, not money."""


@lru_cache(maxsize=1 << 14)
def taken_apart(text: str) -> Amount:
    """Return an amount without its currency or unit, which may stand before or after the figure.

    A text that is not an amount is returned as it is.
    """
    if _PLAIN.fullmatch(text):
        return Amount(text)
    plain = text.translate(_SPACES).strip()
    is_negative = plain.startswith("(") and plain.endswith(")")  # as bookkeepers write it
    found = _AMOUNT.fullmatch(plain[1:-1] if is_negative else plain)
    if found is None:
        return Amount(plain)
    words = [word.strip() for word in (found["before"], found["after"]) if word]
    currency, in_units = "", False
    for word in words:
        known = currency_named(word)
        if not known and plain_letters(word).rstrip(".") not in _UNITS:
            return Amount(plain)
        currency, in_units = known or currency, in_units or not known
    sign = "-" if is_negative else found["sign"] or found["minus"]
    digits = re.sub("[ '’]", "", found["figure"])
    return Amount(f"{sign}{digits}", currency, in_units)


def currency_named(word: str) -> str:
    """Return the code of a currency's sign, short name or code; empty if it is not one."""
    code = word.strip().upper()
    return code if code in _CODES else _SIGNS.get(plain_letters(word.strip()), "")


def is_unit_word(word: str) -> bool:
    """Return whether a word names the bettor's units: ``u``, ``units``."""
    return plain_letters(word.strip()).rstrip(".") in _UNITS


def decimals_of(cells: Iterable[str]) -> Habit | None:
    """Return a file's decimal sign, judged by all its numbers; None if none decides."""
    plain = [taken_apart(cell).digits for cell in cells]
    has_point = any(map(_WITH_POINT.fullmatch, plain))
    has_comma = any(map(_WITH_COMMA.fullmatch, plain))
    if has_point == has_comma:
        return None
    return Habit.POINT if has_point else Habit.COMMA


def may_be_thousands(text: str) -> bool:
    """Return whether a text such as ``1,500`` can mean thousands or decimals."""
    return _ONE_GROUP.fullmatch(taken_apart(text).digits) is not None


def days_of(cells: Iterable[str]) -> Habit | None:
    """Return whether a file's dates put the day or the month first; None if none decides."""
    dates = [
        found
        for cell in cells
        if (found := _day_found(cell)) and found["two"].isdigit() and not _may_begin_with(found)
    ]
    day_first = any(int(each["one"]) > _MOST_MONTHS for each in dates)
    month_first = any(int(each["two"]) > _MOST_MONTHS for each in dates)
    if day_first == month_first:
        return None
    return Habit.DAY_FIRST if day_first else Habit.MONTH_FIRST


def _day_found(text: str) -> re.Match[str] | None:
    """Return the parts of a date that ends with the year; None for other texts."""
    if named := _MONTH_FIRST.fullmatch(text):
        text = f"{named['day']} {named['month']} {named['rest']}"
    return _DAY.fullmatch(text)


def is_day_unclear(text: str) -> bool:
    """Return whether a date does not show by itself which number is the day."""
    found = _day_found(text)
    if found is None or not found["two"].isdigit() or found["sign"].startswith("."):
        return False
    if _may_begin_with(found):
        return True
    one, two = int(found["one"]), int(found["two"])
    return one != two and one <= _MOST_MONTHS and two <= _MOST_MONTHS


def _may_begin_with(found: re.Match[str]) -> bool:
    """Return whether a date may begin with its year: 25-08-09."""
    return found["sign"] == "-" and len(found["year"]) < len("2026")


def read_number(key: str, text: str) -> float:
    """Return a small number such as odds; a comma counts as a decimal point.

    Raises:
        FigureError: not a number, or not finite.
    """
    plain = taken_apart(text).digits
    if _GROUPS.fullmatch(plain) and "." in plain and "," in plain:
        plain = _joined(plain, "," if plain.rindex(",") > plain.rindex(".") else ".")
    return _float(key, text, plain.replace(",", "."))


def read_rate(key: str, text: str) -> float:
    """Return what a currency is worth, often with three decimals: ``1.085``, or ``1,085``.

    Raises:
        FigureError: not a number, or the mark that is not the decimal one may separate thousands.
    """
    group = _ONE_GROUP.fullmatch(taken_apart(text).digits)
    if group is not None and group[1] != decimal_mark():
        _refuse_thousands(text, group[1])
    return read_number(key, text)


def _refuse_thousands(text: str, mark: str) -> NoReturn:
    if mark == ".":
        raise FigureError(f"{text.strip()} may mean thousands: write them without a point")
    raise FigureError(f"{text.strip()} may mean thousands: write them without a comma")


def read_amount(key: str, text: str, decimals: Habit | None = None) -> float:
    """Return an amount of money, with or without its currency.

    ``decimals`` is the file's habit (``decimals_of``). If None, a comma before three digits
    separates thousands, and a point never does.

    Raises:
        FigureError: not a number, or not finite.
    """
    plain = taken_apart(text).digits
    if _GROUPS.fullmatch(plain) and decimals is not None:
        plain = _joined(plain, "," if decimals is Habit.COMMA else ".")
    elif _GROUPS.fullmatch(plain) and "." not in plain:
        plain = plain.replace(",", "")
    else:
        return read_number(key, text)
    return _float(key, text, plain)


def read_typed_amount(key: str, text: str) -> float:
    """Return an amount of money that a user typed into a field: ``1,500``, ``1.500,00``, ``€12``.

    In English commands, a comma before three digits separates thousands. In the window and in
    other languages, whose users may write a decimal comma, it is refused.

    Raises:
        FigureError: not an amount, or a mark before three digits that may be thousands.
    """
    plain = taken_apart(text)
    if plain.in_units:
        raise FigureError(f"{key} {text.strip()!r}: expected money, such as 12.50, not units")
    group = _ONE_GROUP.fullmatch(plain.digits)
    if group is not None and (group[1] == "." or number_style().is_chosen):
        _refuse_thousands(text, group[1])
    return read_amount(key, text)


def read_stake(text: str, currency: str = "") -> float:
    """Return an amount above 0 that a user typed, read like ``read_typed_amount``.

    ``currency`` is that of the field next to it; empty if none is given.

    Raises:
        FigureError: not such an amount, or in another currency.
    """
    typed = taken_apart(text).currency
    if typed and currency and typed not in (currency, "KR"):
        raise FigureError(f"{text.strip()} is {typed}, but the currency is {currency}")
    try:
        stake = read_typed_amount("stake", text)
    except FigureError as error:
        if "expected a number" not in str(error):
            raise
        stake = math.nan
    if not 0 < stake < TOO_MUCH:
        raise FigureError("expected an amount above 0, such as 12.50")
    return stake


def read_time(key: str, text: str, days: Habit | None = None) -> int:
    """Return a time in milliseconds; without an offset it is UTC, as are Excel's days.

    ``days`` is the file's habit (``days_of``). With points between numbers the day comes first.

    Raises:
        FigureError: not a time or date, not in ``YEARS``, or unclear which number is the day.
    """
    moment = _moment(key, text, days)
    if not is_in_years(moment):
        raise FigureError(f"{key} {text!r}: expected a year from {YEARS.start} to {YEARS.stop - 1}")
    return moment


_DAY_TIME: Final = re.compile(
    r"(?P<hour>\d{1,2})[:.h](?P<minute>\d{2})(?:[:.](?P<second>\d{2}))?"
    r"(?: ?(?P<half>[AaPp])\.?[Mm]\.?)?(?: ?(?:GMT|UTC|Z|Uhr))?"
)
_DAY_SHARE: Final = re.compile(r"0(\.[0-9]+)?")
"""How workbooks store a time of day."""
_MIDNIGHT: Final = re.compile(r"[ T]00:00(:00)?$")


def at_clock(day: str, clock: str) -> str:
    """Return a date and a time of day as one text; without a time, the date as it is.

    Raises:
        FigureError: not a time of day.
    """
    day = _MIDNIGHT.sub("", day)
    if not clock or not day or ":" in day:
        return day
    if _DAY_SHARE.fullmatch(clock) and day.isdecimal():
        return f"{day}{clock[1:]}"
    found = _DAY_TIME.fullmatch(clock)
    if found is None:
        raise FigureError(f"time {clock!r}: expected a time of day such as 18:30")
    return f"{day} {_hour(found):02}:{found['minute']}:{found['second'] or '00'}"


def _hour(found: re.Match[str]) -> int:
    """Return the hour of a time of day, from 0; 0 if there is none."""
    hour = int(found["hour"] or 0)
    return hour % 12 + 12 * (found["half"] in "Pp") if found["half"] else hour


_YEAR_FIRST: Final = re.compile(r"(\d{4})([/.])(\d{2})\2(\d{2})(?=$|[ T])")


def _moment(key: str, text: str, days: Habit | None) -> int:
    text = _YEAR_FIRST.sub(r"\1-\3-\4", text)
    if _EXCEL_DAYS.fullmatch(text):
        return round((float(text) - _EXCEL_EPOCH_DAYS) * DAY_MS)
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
    found = _day_found(text)
    if found is None:
        return None
    one, two = found["one"], found["two"]
    if not two.isdigit():
        day, month = int(one), month_named(two)
    elif days is None and is_day_unclear(text):
        raise FigureError("the file does not show which number is the day; write 2026-04-16")
    elif found["sign"].startswith(".") or int(one) > _MOST_MONTHS:
        day, month = int(one), int(two)
    elif int(two) > _MOST_MONTHS or days is Habit.MONTH_FIRST:
        day, month = int(two), int(one)
    else:
        day, month = int(one), int(two)
    year = int(found["year"]) + (0 if len(found["year"]) == len("2026") else _CENTURY)
    rest = (_hour(found), int(found["minute"] or 0), int(found["second"] or 0))
    return datetime(year, month, day, *rest, tzinfo=UTC)


def month_named(name: str) -> int:
    """Return a month by its name.

    Raises:
        ValueError: no such month.
    """
    letters = plain_letters(name)
    found = max((stem for stem in _MONTHS if letters.startswith(stem)), key=len, default="")
    if not found:
        raise ValueError(f"no month {name!r}")
    return _MONTHS[found]


_CLOCK: Final = re.compile(
    r"(?:(?P<day>.+?)[ ,T]+)?(?P<hour>\d{1,2})(?P<mark>[:.h])(?P<minute>\d{2})(?::\d{2})?"
    r"(?: ?(?P<half>[AaPp])[Mm])?(?: ?Uhr)?"
)
_SHORT_DAY: Final = re.compile(r"(?P<one>\d{1,2})(?P<sign>[./-])(?P<two>\d{1,2})\.?")
_SHORT_NAMED: Final = re.compile(
    r"(?:[^\W\d_]{2,12}[.,]? )?(?P<day>\d{1,2})(?:st|nd|rd|th|\.)? ?(?P<month>[^\W\d_]{3,12})\.?"
    r"|(?P<first>[^\W\d_]{3,12})\.? (?P<then>\d{1,2})(?:st|nd|rd|th)?"
)
"""30 Nov, 30. Nov., Nov 30: a day without its year."""
_NOW: Final = N_("now")
_DAYS_AWAY: Final = {
    N_("today"): 0,
    N_("tonight"): 0,
    N_("tomorrow"): 1,
    N_("day after tomorrow"): 2,
    N_("yesterday"): -1,
}
"""Read in English and in the language of the texts, as are weekdays."""
_EXPECTED_TIME: Final = N_("such as 2026-04-16 20:45, 16/04/2026 20:45, or today 20:45")
_NOON: Final = 12
_WEEK_MS: Final = 7 * 24 * 3_600_000


class TypedTime(NamedTuple):
    """A moment that was typed."""

    ms: int
    has_hour: bool
    """Whether a time of day was typed; if not, it is noon."""


def read_moment(text: str, now_ms: int) -> int:
    """Return a moment in milliseconds: a date, which is midnight UTC, or a time with its offset.

    Raises:
        FigureError: neither; times without an offset are never guessed.
    """
    try:
        if _ISO_DAY.fullmatch(text):
            return parse_ms(f"{datetime.fromisoformat(text):%Y-%m-%d}T00:00:00Z")
        with contextlib.suppress(ValueError):
            return parse_ms(text)
        typed = read_typed_time("time", text, now_ms, UTC)
        if typed.has_hour:
            raise ValueError("a time needs an offset")
        return typed.ms - typed.ms % DAY_MS
    except ValueError as error:
        raise FigureError(
            f"expected a date, or a time with an offset such as 2026-11-20T18:30:00Z, got {text!r}"
        ) from error


def read_typed_time(
    key: str, text: str, now_ms: int, zone: tzinfo | None = None, days: Habit | None = None
) -> TypedTime:
    """Return a moment typed into a field: ``2026-11-30 18:30``, ``30/11/2026``, ``today 20:45``.

    In ``zone``, the machine's own if None. A date without a year is the nearest one. ``days`` says
    which number is the day where both may be.

    Raises:
        FigureError: not a time, or unclear which number is the day.
    """
    now = datetime.fromtimestamp(now_ms / 1000, UTC).astimezone(zone)
    typed = " ".join(text.translate(_SPACES).split())
    if _means(typed, _NOW):
        return TypedTime(now_ms, has_hour=True)
    with contextlib.suppress(ValueError):
        return TypedTime(parse_ms(typed), has_hour=True)
    try:
        clock = _CLOCK.fullmatch(typed)
        if clock is not None and clock["mark"] == "." and not clock["day"]:
            clock = None  # 30.11 is a day
        day = _typed_day(typed if clock is None else clock["day"] or "", now, days)
        hour, minute = (_NOON, 0) if clock is None else (_hour(clock), int(clock["minute"]))
        moment = datetime.combine(day.date(), time(hour, minute), zone)
        ms = round(moment.timestamp() * 1000)
    except FigureError as error:
        raise FigureError(f"{key} {typed!r}: {error}") from None
    except (ValueError, OverflowError, OSError):
        raise FigureError(f"{key} {typed!r}: expected a time {_EXPECTED_TIME}") from None
    if not is_in_years(ms):
        raise FigureError(f"{key} {typed!r}: expected a year from {YEARS.start} on")
    return TypedTime(ms, has_hour=clock is not None)


def read_typed_end(
    key: str, text: str, now_ms: int, zone: tzinfo | None = None, days: Habit | None = None
) -> int:
    """Return when something ends, typed as for ``read_typed_time``.

    A day without an hour ends at 23:59. A weekday means the next one that has not passed.

    Raises:
        FigureError: as ``read_typed_time``.
    """
    for now in (now_ms, now_ms + _WEEK_MS):
        typed = read_typed_time(key, text, now, zone, days)
        ms = (
            typed.ms
            if typed.has_hour
            else read_typed_time(key, f"{text} 23:59", now, zone, days).ms
        )
        word = " ".join(text.translate(_SPACES).split()).partition(" ")[0].rstrip(",.")
        if ms > now_ms or _weekday_named(word) is None:
            break
    return ms


def _means(typed: str, word: str) -> bool:
    """Return whether a word was typed, in English or in the language of the texts."""
    return plain_letters(typed) in (word, plain_letters(translated(word)))


def _weekday_named(word: str) -> int | None:
    """Return a weekday, 0 for Monday: ``Tue``, ``Tues``, ``Tuesday``; German ``Di``, ``Dienstag``.

    Its name is in English or in the language of the texts.
    """
    typed = plain_letters(word)
    for number, (short, long) in enumerate(zip(WEEKDAYS, LONG_WEEKDAYS, strict=True)):
        for named in ((short, long), (translated(short), translated(long))):
            least, most = map(plain_letters, named)
            if typed == least or (len(typed) > len(least) and most.startswith(typed)):
                return number
    return None


def _typed_day(text: str, now: datetime, days: Habit | None) -> datetime:
    """Return the day that a text names.

    Raises:
        FigureError: unclear which number is the day.
        ValueError: no such day.
    """
    word = text.rstrip(",.")
    if not word:
        return now
    for name, away in _DAYS_AWAY.items():
        if _means(word, name):
            return now + timedelta(days=away)
    if (weekday := _weekday_named(word)) is not None:
        return now + timedelta(days=(weekday - now.weekday()) % 7)
    begun = ""
    if short := _SHORT_DAY.fullmatch(text):
        sign = short["sign"]
        if sign == "-" and number_style().dates == YEAR_FIRST:
            days = Habit.MONTH_FIRST
        begun = f"{short['one']}{sign}{short['two']}{sign}"
    elif named := _SHORT_NAMED.fullmatch(text):
        begun = f"{named['day'] or named['then']} {named['month'] or named['first']} "
    if begun:
        texts = (f"{begun}{now.year + away}" for away in (-1, 0, 1))
        near = [day for text in texts if (day := _real_day(text, days)) is not None]
        return min(near, key=lambda day: abs(day - now.replace(tzinfo=UTC)))
    return _dated(text, days)


def _real_day(text: str, days: Habit | None) -> datetime | None:
    """Return a day of a year; None if it has no such day, as 29 February."""
    try:
        return _dated(text, days)
    except FigureError:
        raise
    except ValueError:
        return None


def _dated(text: str, days: Habit | None) -> datetime:
    if days is None and is_day_unclear(text):
        raise FigureError("either number may be the day: write 16 Apr 2026 or 2026-04-16")
    return _by_day(text, days) or datetime.fromisoformat(text)


def _joined(plain: str, point: str) -> str:
    """Return grouped digits as one number; ``point`` is the decimal sign."""
    other = "." if point == "," else ","
    return plain.replace(other, "").replace(point, ".")


def _float(key: str, text: str, plain: str) -> float:
    number = float(plain) if _PLAIN.fullmatch(plain) else math.nan
    if not math.isfinite(number):
        raise FigureError(f"{key} {text!r}: expected a number such as 12.50")
    return number
