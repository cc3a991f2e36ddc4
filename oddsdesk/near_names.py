"""Names that somebody may have meant who mistyped one."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

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
