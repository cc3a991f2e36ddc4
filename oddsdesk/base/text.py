"""Texts that no spreadsheet takes for a formula."""

import re
from collections.abc import Callable, Iterable, Sequence
from difflib import get_close_matches
from typing import Final

from oddsdesk.base.texts import N_

_SIGN: Final = "[=+@＝＋－＠-]"
"""What a spreadsheet may take for the start of a formula, full-width signs included."""
_FORMULA: Final = re.compile(rf"""\A(?=[\t\r\n]|{_SIGN})|(?<=[;\t\r\n])(?="*{_SIGN})""")
"""The place before a formula: at the beginning, and where another separator begins a cell.

Spreadsheets in German and Spanish separate the cells of a CSV file at semicolons, even inside
quotes.
"""
_ESCAPED: Final = re.compile(rf"""\A'(?=[\t\r\n]|{_SIGN})|(?<=[;\t\r\n])'(?="*{_SIGN})""")


def safe_text(text: str) -> str:
    """Return a text that no spreadsheet reads as a formula: an apostrophe goes before each."""
    return _FORMULA.sub("'", text)


def as_written(text: str) -> str:
    """Return a text as it was before ``safe_text``."""
    return _ESCAPED.sub("", text)


_ALIKE: Final = 0.85
"""How much two names have in common, of 1, where one is taken for the other mistyped."""
_MOST: Final = 3


def near_names(name: str, known: Iterable[str]) -> list[str]:
    """Return names, three at most, that are nearly this one or begin with it, whatever their case.

    ``Betfair`` begins ``Betfair Exchange UK``.
    """
    by_folded = {each.casefold(): each for each in sorted(known)}
    asked = name.casefold()
    longer = [each for each in by_folded if each.startswith(f"{asked} ")]
    found = longer or get_close_matches(asked, by_folded, _MOST, _ALIKE)
    return [by_folded[each] for each in found[:_MOST]]


_HOUR_S: Final = 3_600
_UNITS: Final = (
    (N_("days"), 86_400, 172_800),
    (N_("hours"), 3_600, 5_400),
    (N_("minutes"), 60, 90),
)
"""Name, seconds, and from how many seconds on it is used."""
_TENTHS_BELOW: Final = 3
_MOST_INTERVALS_TOLD: Final = 4


def every(intervals_s: Iterable[float], say: Callable[[str], str] = str) -> str:
    """Say intervals in seconds, the shortest first, each unit once; one at least.

    ``say`` translates the parts of the text.
    """
    amounts = list(dict.fromkeys(_amount(each) for each in sorted(intervals_s)))
    if len(amounts) > _MOST_INTERVALS_TOLD:
        (first, unit), (last, last_unit) = amounts[0], amounts[-1]
        shortest = first if unit == last_unit else f"{first} {say(unit)}"
        longest = f"{last} {say(last_unit)}"
        return say(N_("every {first} to {last}")).format(first=shortest, last=longest)
    units = list(dict.fromkeys(unit for _, unit in amounts))
    said = [
        f"{_listed([amount for amount, of in amounts if of == unit], say)} {say(unit)}"
        for unit in units
    ]
    return say(N_("every {intervals}")).format(intervals=and_joined(said, say))


def _amount(seconds: float) -> tuple[str, str]:
    """Return a figure and its unit; a tenth of a few hours or days is worth telling."""
    for unit, unit_s, from_s in _UNITS:
        if seconds >= from_s:
            amount = seconds / unit_s
            is_coarse = unit_s >= _HOUR_S and amount < _TENTHS_BELOW
            return f"{round(amount, 1 if is_coarse else None):g}", unit
    return f"{seconds:.0f}", N_("seconds")


def _listed(words: Sequence[str], say: Callable[[str], str]) -> str:
    *first, last = words
    return and_joined([", ".join(first), last], say) if first else last


def and_joined(words: Sequence[str], say: Callable[[str], str]) -> str:
    """Join words by ``and``; ``say`` translates that."""
    text = words[0]
    for word in words[1:]:
        text = say(N_("{first} and {last}")).format(first=text, last=word)
    return text
