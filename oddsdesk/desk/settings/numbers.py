"""The user's choice of how numbers and dates are written, and what the system's own is."""

from datetime import datetime
from typing import Final

from PySide6.QtCore import QLocale

from oddsdesk.base.numbers import (
    COMMA,
    DAY_FIRST,
    MONTH_FIRST,
    POINT,
    YEAR_FIRST,
    Style,
    choose_numbers,
    date_text,
    hour_text,
    num,
    number_style,
    weekday_text,
)
from oddsdesk.base.texts import ENGLISH, PSEUDO, language
from oddsdesk.desk.settings import declared

_EXAMPLE: Final = datetime(2026, 4, 25, 20, 45)
_SHORT: Final = QLocale.FormatType.ShortFormat


def system_style(locale: QLocale | None = None) -> Style:
    """Return how the system writes numbers and dates, or another locale.

    A decimal mark other than a comma counts as a point. A system that states no language writes as
    the language of the texts does.
    """
    locale = locale or QLocale.system()
    if locale.language() == QLocale.Language.C and language() not in (ENGLISH, PSEUDO):
        locale = QLocale(language())
    form = locale.dateFormat(_SHORT).lower()
    day, month, year = form.find("d"), form.find("m"), form.find("y")
    dates = YEAR_FIRST if year < min(day, month) else DAY_FIRST if day < month else MONTH_FIRST
    return Style(
        decimal=COMMA if locale.decimalPoint() == "," else POINT,
        is_24h="a" not in locale.timeFormat(_SHORT).lower(),
        dates=dates,
        first_weekday=locale.firstDayOfWeek().value - 1,
        is_chosen=True,
    ).in_language()


def chosen_style(value_of: declared.ReadSetting) -> Style:
    """Return the style of the settings; what is left to the system is as the system has it."""
    style = system_style()
    decimal, hours = value_of(declared.DECIMAL_MARK), value_of(declared.HOURS)
    dates, first = value_of(declared.DATES), value_of(declared.FIRST_DAY)
    if decimal != declared.AS_SYSTEM:
        style = style._replace(decimal=decimal)
    if hours != declared.AS_SYSTEM:
        style = style._replace(is_24h=hours == declared.HOURS_24)
    if dates != declared.AS_SYSTEM:
        style = style._replace(dates=dates)
    if first != declared.AS_SYSTEM:
        style = style._replace(first_weekday=declared.FIRST_DAYS.index(first))
    return style


def example_text(style: Style) -> str:
    """Return odds, money and a kick-off as a style writes them."""
    now = number_style()
    choose_numbers(style)
    try:
        when = f"{weekday_text(_EXAMPLE)} {date_text(_EXAMPLE)} {hour_text(_EXAMPLE)}"
        return f"{num(2.1):.2f} · {num(1234.5):,.2f} EUR · +{num(3.2):.1f} % · {when}"
    finally:
        choose_numbers(now)
