"""What the palette leads to, and which of it answers what was typed."""

import re
from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from functools import cache

import msgspec

from oddsdesk.contract.names import plain_letters
from oddsdesk.desk.settings.saved_state import Layout, Saved

WORD_START, WITHIN, IN_ORDER, MISTYPED = 4.0, 2.5, 1.0, 0.3
_SHORTNESS = 0.01
"""Subtracted for each letter, so that the shorter of two equal answers comes first."""
_LEAST_MISTYPED = 4


def fold(text: str) -> str:
    """Return a text as it is compared: lower case, without accents and punctuation."""
    kept = "".join(letter if letter.isalnum() else " " for letter in plain_letters(text))
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


_KEY = "palette/recent"
_MOST = 12


class Recent:
    """Idents of entries, the latest first."""

    def __init__(self, layout: Layout) -> None:
        self._saved = Saved(layout, _KEY, list[str], [])
        self.idents = self._saved.get()[:_MOST]

    def use(self, ident: str) -> None:
        """Note that an entry was taken."""
        others = [other for other in self.idents if other != ident]
        self.idents = [ident, *others][:_MOST]
        self._saved.put(self.idents)


_RECENT_BONUS = 0.5
_ENTRIES_MOST = 50
_RANK_COST = 0.1
"""Subtracted for each place further down in ``Kind``: games come before short actions."""


class Kind(Enum):
    """What an entry is; the value is the word beside it. In this order where all else is equal."""

    GAME = "game"
    PANEL = "panel"
    LAYOUT = "layout"
    CONNECTION = "connection"
    PRESET = "preset"
    ACTION = "action"
    FORMAT = "odds format"


_RANK = {kind: rank for rank, kind in enumerate(Kind)}


class Entry(msgspec.Struct, frozen=True):
    """One thing to go to or to do; ``ident`` is what it is remembered by."""

    ident: str
    kind: Kind
    title: str
    run: Callable[[], object]
    note: str = ""
    keys: str = ""
    is_grey: bool = False
    """Whether it cannot be done now; the note is why, and ``run`` may tell so."""
    folded: str = ""
    """What is compared with what was typed, folded: title and note, unless that is a reason."""

    def __post_init__(self) -> None:
        text = self.title if self.is_grey else f"{self.title} {self.note}"
        msgspec.structs.force_setattr(self, "folded", fold(text))


Provider = Callable[[], Iterable[Entry]]


def matching(entries: Sequence[Entry], typed: str, recent: Sequence[str]) -> list[Entry]:
    """Return the entries that answer, the best first; what was used last first where alike.

    Grey ones come last. Nothing typed: what was used last, then all but games and what is grey.
    """
    words = tuple(fold(typed).split())
    places = {ident: place for place, ident in enumerate(recent)}
    if not words:
        return _untyped(entries, places)
    found = _scored(entries, words, places, forgiving=False)
    if not found:
        found = _scored(entries, words, places, forgiving=True)
    found.sort(key=lambda one: (one[1].is_grey, -one[0], _RANK[one[1].kind], one[1].title))
    return [entry for _, entry in found[:_ENTRIES_MOST]]


def _untyped(entries: Sequence[Entry], places: dict[str, int]) -> list[Entry]:
    used = [entry for entry in entries if entry.ident in places]
    used.sort(key=lambda entry: places[entry.ident])
    others = [
        entry
        for entry in entries
        if entry.ident not in places and entry.kind is not Kind.GAME and not entry.is_grey
    ]
    return (used + others)[:_ENTRIES_MOST]


def _scored(
    entries: Sequence[Entry], words: tuple[str, ...], places: dict[str, int], *, forgiving: bool
) -> list[tuple[float, Entry]]:
    found = []
    for entry in entries:
        value = score(words, entry.folded, forgiving=forgiving)
        if value is not None:
            value -= _RANK[entry.kind] * _RANK_COST
            place = places.get(entry.ident)
            found.append((value + (_RECENT_BONUS / (1 + place) if place is not None else 0), entry))
    return found
