"""What the palette leads to, and which of it answers what was typed."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum

from oddsdesk.desk.palette.matching import fold, score

_RECENT_BONUS = 0.5
_MOST = 50
_RANK_COST = 0.1
"""What a place further down in ``Kind`` costs, so that games come before a short action."""


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


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing to go to or to do; ``ident`` is what it is remembered by."""

    ident: str
    kind: Kind
    title: str
    run: Callable[[], object]
    note: str = ""
    keys: str = ""
    folded: str = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "folded", fold(f"{self.title} {self.note}"))


Provider = Callable[[], Iterable[Entry]]


def matching(entries: Sequence[Entry], typed: str, recent: Sequence[str]) -> list[Entry]:
    """Return the entries that answer, the best first; what was used last first where alike.

    Nothing typed: what was used last, then everything but games.
    """
    words = tuple(fold(typed).split())
    places = {ident: place for place, ident in enumerate(recent)}
    if not words:
        return _untyped(entries, places)
    found = _scored(entries, words, places, forgiving=False)
    if not found:
        found = _scored(entries, words, places, forgiving=True)
    found.sort(key=lambda one: (-one[0], _RANK[one[1].kind], one[1].title))
    return [entry for _, entry in found[:_MOST]]


def _untyped(entries: Sequence[Entry], places: dict[str, int]) -> list[Entry]:
    used = [entry for entry in entries if entry.ident in places]
    used.sort(key=lambda entry: places[entry.ident])
    others = [e for e in entries if e.ident not in places and e.kind is not Kind.GAME]
    return (used + others)[:_MOST]


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
