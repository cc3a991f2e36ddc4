"""Which spellings in selections are one player's: accents, initials, suffixes, order of the names.

``Nikola Jokić`` is ``Nikola Jokic``, ``R.J. Barrett`` is ``RJ Barrett`` and ``Doncic, Luka`` is
``Luka Dončić``. ``Jaren Jackson`` is ``Jaren Jackson Jr.`` as long as no bookmaker prices both, and
nobody but them. What differs otherwise is another player: a father and his son, brothers with one
initial, a short first name. A player is compared with what is bet on (``Nikola Jokić points``),
since selections do not say where the name ends.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from oddsdesk.matching.team_names import fold_team

PLAYER_PROP: Final = "player_prop"
_PROP: Final = re.compile(r"(?ai)(.+?)( (?:Over|Under) [+-]?\d[\d.]*| Yes| No)")
_SUFFIXES: Final = {"jr": "jr", "junior": "jr", "sr": "sr", "senior": "sr"} | {
    numeral: numeral for numeral in ("ii", "iii", "iv")
}


class Subject(NamedTuple):
    """What a selection is about, as all its spellings have it."""

    words: str
    suffix: str
    """``jr``, ``sr``, ``ii``, ...; empty without any."""


@lru_cache(maxsize=1 << 14)
def parted(text: str) -> tuple[str, str] | None:
    """Return a selection as what it is about and what follows: `` Over 24.5``; None without."""
    found = _PROP.fullmatch(text)
    return None if found is None else (found[1], found[2])


@lru_cache(maxsize=1 << 14)
def subjects(said: str) -> tuple[Subject, ...]:
    """Return what may be meant, the likeliest first: several where a surname stands first."""
    before, _, after = said.partition(",")
    surnames, given = fold_team(before).split(), fold_team(after).split()
    if not given or given[0] in _SUFFIXES:  # Jaren Jackson, Jr. points
        return (_subject([*surnames, *given]),)
    orders = [[*given[:place], *surnames, *given[place:]] for place in (1, 2)]
    return tuple(dict.fromkeys(map(_subject, orders)))


def _subject(words: list[str]) -> Subject:
    place = next((n for n, word in enumerate(words) if n and word in _SUFFIXES), None)
    suffix = "" if place is None else _SUFFIXES[words[place]]
    kept = [word for n, word in enumerate(words) if n != place]
    return Subject(" ".join(_joined(kept)), suffix)


def _joined(words: list[str]) -> list[str]:
    """Return words with initials in one: ``r j barrett`` is ``rj barrett``."""
    joined: list[str] = []
    is_open = False
    for word in words:
        is_initial = len(word) == 1 and word.isalpha()
        if is_initial and is_open:
            joined[-1] += word
        else:
            joined.append(word)
        is_open = is_initial
    return joined


class PlayersOfGame:
    """How the players of one game are spelled: as each was spelled first."""

    def __init__(self, standing: Iterable[Iterable[str]] = ()) -> None:
        """``standing``: the selections of each bookmaker; the most frequent spelling counts."""
        self._spelled: dict[Subject, str] = {}
        self._suffixes: dict[str, set[str]] = {}
        self.version = 0
        """Grows when two who were taken for one turn out to be two: own words may differ then."""
        self._seen: set[str] = set()
        """Selections that were read before."""
        self._own: dict[str, str] = {}
        """Those in own words that were said otherwise."""
        counts, several = Counter[str](), set[str]()
        for texts in standing:
            said = _said_in(texts)
            counts.update(said)
            several |= _several(said)
        for name, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
            self._name(name, is_alone=subjects(name)[0].words not in several)

    def own_words(self, texts: Collection[str]) -> Mapping[str, str]:
        """Return the selections of one bookmaker as the game has them, those that differ.

        Two that would become one stay as they are.
        """
        own = self._own
        if not self._seen.issuperset(texts):
            self._read(texts)
        if not own or not any(text in own for text in texts):
            return {}
        taken = Counter(own.get(text, text) for text in texts)
        if max(taken.values()) > 1:
            self._read(texts)  # who was taken for one with others is another beside them
            taken = Counter(own.get(text, text) for text in texts)
        return {text: name for text in texts if (name := own.get(text)) and taken[name] == 1}

    def spelled(self, text: str) -> str:
        """Return a selection from elsewhere as the game has it; nothing is learned from it."""
        found = parted(text)
        name = None if found is None else self._known(found[0], is_alone=True)
        return text if found is None or name is None else name + found[1]

    def _read(self, texts: Collection[str]) -> None:
        """Find the own words of a bookmaker's selections, and learn what is new in them."""
        said = _said_in(texts)
        several = _several(said)
        names = {
            each: self._name(each, is_alone=subjects(each)[0].words not in several) for each in said
        }
        for text in texts:
            found = parted(text)
            name = text if found is None else names[found[0]] + found[1]
            self._own.pop(text, None)
            if name != text:
                self._own[text] = name
        self._seen.update(texts)

    def _name(self, said: str, *, is_alone: bool) -> str:
        """Return how a subject is spelled; ``is_alone``: no other suffix beside it."""
        name = self._known(said, is_alone=is_alone)
        if name is not None:
            return name
        self._learn(subjects(said)[0], said)
        return said

    def _known(self, said: str, *, is_alone: bool) -> str | None:
        """Return what ``_name`` does, None for a subject that is new."""
        meant = subjects(said)
        for subject in meant:
            if (spelled := self._spelled.get(subject)) is not None:
                return spelled
        for subject in meant if is_alone else ():
            others = self._suffixes.get(subject.words, set())
            if len(others) == 1 and (not subject.suffix or "" in others):
                return self._spelled[Subject(subject.words, *others)]
        return None

    def _learn(self, subject: Subject, said: str) -> None:
        if subject in self._spelled:
            return
        others = self._suffixes.setdefault(subject.words, set())
        if others:  # who was taken for the only one of the name need not be
            self._own.clear()
            self._seen.clear()
            self.version += 1
        others.add(subject.suffix)
        self._spelled[subject] = said


def spelled_among(text: str, among: Collection[str]) -> str:
    """Return a selection as it stands among those of one source; unchanged where it does not."""
    return text if text in among else PlayersOfGame([among]).spelled(text)


def _said_in(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(found[0] for text in texts if (found := parted(text))))


def _several(said: Iterable[str]) -> set[str]:
    """Return the names that one bookmaker gives to several players, who differ by a suffix."""
    counts = Counter(subject.words for subject in {subjects(each)[0] for each in said})
    return {words for words, count in counts.items() if count > 1}
