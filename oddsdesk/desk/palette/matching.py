"""How well a text answers what was typed: whole words first, then parts, then letters in order."""

import re
import unicodedata
from functools import cache

WORD_START, WITHIN, IN_ORDER, MISTYPED = 4.0, 2.5, 1.0, 0.3
_SHORTNESS = 0.01
"""What a letter more costs, so that the shorter of two equal answers comes first."""
_LEAST_MISTYPED = 4


def fold(text: str) -> str:
    """Return a text as it is compared: lower case, without accents and punctuation."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    kept = "".join(
        " " if not letter.isalnum() else letter
        for letter in plain
        if not unicodedata.combining(letter)
    )
    return " " + " ".join(kept.split())


def score(words: tuple[str, ...], folded: str, *, forgiving: bool = False) -> float | None:
    """Return how well a folded text answers every word; None where it does not.

    ``forgiving`` lets one letter of a word be wrong, missing, or one too many.
    """
    total = 0.0
    for word in words:
        if f" {word}" in folded:
            total += WORD_START
        elif word in folded:
            total += WITHIN
        elif _in_order(word).search(folded):
            total += IN_ORDER
        elif forgiving and len(word) >= _LEAST_MISTYPED and _mistyped(word).search(folded):
            total += MISTYPED
        else:
            return None
    return total - len(folded) * _SHORTNESS


@cache
def _in_order(word: str) -> re.Pattern[str]:
    """The letters in order, the first at the start of a word: ``mci`` is Manchester City."""
    return re.compile(" " + ".*?".join(map(re.escape, word)))


@cache
def _mistyped(word: str) -> re.Pattern[str]:
    left_out = {word[:place] + word[place + 1 :] for place in range(len(word))}
    ways = ("[^ ]?".join(map(re.escape, way)) for way in sorted(left_out))
    return re.compile(" [^ ]?(?:" + "|".join(ways) + ")")
