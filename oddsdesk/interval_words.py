"""How often something is read, in words: ``every 14, 20 and 34 minutes``."""

from collections.abc import Iterable, Sequence
from typing import Final

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
