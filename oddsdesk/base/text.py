"""Texts that no spreadsheet takes for a formula."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Final

_FORMULA_STARTS: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""What a spreadsheet may take for the start of a formula, full-width signs included."""


def safe_text(text: str) -> str:
    """Return a text that no spreadsheet reads as a formula: an apostrophe goes before one."""
    return f"'{text}" if text.startswith(_FORMULA_STARTS) else text


def as_written(text: str) -> str:
    """Return a text as it was before ``safe_text``."""
    return text[1:] if text[:1] == "'" and text[1:].startswith(_FORMULA_STARTS) else text


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
_UNITS: Final = (("days", 86_400, 172_800), ("hours", 3_600, 5_400), ("minutes", 60, 90))
"""Name, seconds, and from how many seconds on it is used."""
_TENTHS_BELOW: Final = 3
_MOST_INTERVALS_TOLD: Final = 4


def every(intervals_s: Iterable[float]) -> str:
    """Say intervals in seconds, the shortest first, each unit once; one at least."""
    amounts = list(dict.fromkeys(_amount(each) for each in sorted(intervals_s)))
    if len(amounts) > _MOST_INTERVALS_TOLD:
        (first, unit), (last, last_unit) = amounts[0], amounts[-1]
        return f"every {first}{'' if unit == last_unit else f' {unit}'} to {last} {last_unit}"
    units = list(dict.fromkeys(unit for _, unit in amounts))
    return "every " + " and ".join(
        f"{_listed([amount for amount, of in amounts if of == unit])} {unit}" for unit in units
    )


def _amount(seconds: float) -> tuple[str, str]:
    """Return a figure and its unit; a tenth of a few hours or days is worth telling."""
    for unit, unit_s, from_s in _UNITS:
        if seconds >= from_s:
            amount = seconds / unit_s
            is_coarse = unit_s >= _HOUR_S and amount < _TENTHS_BELOW
            return f"{round(amount, 1 if is_coarse else None):g}", unit
    return f"{seconds:.0f}", "seconds"


def _listed(words: Sequence[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last
