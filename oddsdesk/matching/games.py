"""Compares games that sources name differently."""

import re
from collections.abc import Iterable
from enum import Enum
from functools import lru_cache
from typing import Final, NamedTuple

import msgspec

from oddsdesk.contract.identity import TeamLikeness, teams
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.matching.names import Key, TeamNames, fold_team

SAME_START_MS: Final = 2 * 60 * MINUTE_MS
"""The largest difference between two sources' kick-offs of one game."""
AHEAD_MS: Final = 14 * 24 * 60 * MINUTE_MS
"""How long before kick-off a source without kick-offs is assumed to price a game."""
MIDWAY_MS: Final = 60 * MINUTE_MS
"""Two games of a day are about equally near to a kick-off if they differ by less."""
ALIKE_SCORE: Final = 90
"""The lowest similarity score at which two names may mean one team."""

_LEAST_LETTERS: Final = 3
_COMMON: Final = frozenset(
    {"afc", "and", "athletic", "atletico", "borussia", "city", "club", "county", "de", "dynamo"}
    | {"fc", "football", "fsv", "of", "racing", "rangers", "real", "rovers", "saint", "sc", "sport"}
    | {"sporting", "spvgg", "sv", "the", "town", "tsv", "united", "vfb", "vfl", "wanderers"}
)
"""Words in the names of many teams."""
_WOMEN: Final = frozenset(
    {"w", "wfc", "woman", "women", "womens", "ladies", "girls", "wom", "frauen", "damen", "dames"}
    | {"fem", "femenino", "femenina", "femeninas", "feminas", "feminin", "feminine", "feminines"}
    | {"feminino", "feminina", "femminile", "donne", "kvinner", "kvinnor", "kvinder", "vrouwen"}
)
_RESERVES: Final = frozenset(
    {"am", "amateure", "b", "castilla", "ii", "iii", "jong", "promesas", "r", "res", "reserve"}
    | {"fabril", "futuro", "mestalla", "nextgen", "reserva", "reserves"}
)
_YOUTH: Final = frozenset(
    {"academy", "junior", "juniors", "juvenil", "primavera", "youth", "youths"}
    | {f"u{age}" for age in range(12, 24)}
)
_SIMULATED: Final = frozenset({"cyber", "esoccer", "esports", "srl", "virtual"})
_OTHER_SIDES: Final = _WOMEN | _RESERVES | _YOUTH | _SIMULATED
"""Words that mark another team of a club, not its first team."""
_KIND_OF_SIDE: Final = (
    dict.fromkeys(_WOMEN, "women")
    | dict.fromkeys(_RESERVES, "reserves")
    | {word: word if word.startswith(("u1", "u2")) else "youth" for word in _YOUTH}
    | dict.fromkeys(_SIMULATED, "simulated")
)
_OF_OTHER_SIDES: Final = re.compile(
    r"(?P<women>\b(?:n?wsl|wnba|uwcl|ncaaw|liga f|we league|wk league|arkema|damallsvenskan"
    r"|elitettan|toppserien)\b)"
    r"|(?P<reserves>\bpremier league 2\b|\bpl2\b|\bdevelopment league\b)"
    r"|(?P<simulated>\be ?(?:soccer|football|basketball|hockey|sports?)\b|\bsimulated\b"
    r"|\bgt (?:sports )?leagues?\b|\b\d+ min(?:s|utes)?\b)"
)
"""Folded names of competitions that first teams do not play in."""
_AGE: Final = re.compile(r"\b(?:u|under|sub) (\d\d)s?\b|\b(?:under|sub)(\d\d)s?\b|\bu(\d\d)s\b")
"""Age groups in a folded name, in all their spellings: ``u 21``, ``under 21``, ``sub20``."""

_INITIAL: Final = re.compile(r"\b\w\.")
_SWAPPED_MOST: Final = 0.5
_APART_LEAST: Final = 0.12
"""Sides count as swapped if the probabilities differ by this much, and by at most half once
swapped."""


class Game(msgspec.Struct, frozen=True):
    """A game from one source; times in milliseconds."""

    competition: str
    match_name: str
    kick_off: int | None
    seen_ms: int
    """When it was last priced."""
    chances: tuple[float, float] | None = None
    """Probabilities of the first and the second team, from prices before the game."""


class Verdict(Enum):
    """Whether two games are the same."""

    SAME = "same"
    """The same game: the table of aliases has both teams."""
    ALIKE = "alike"
    """Perhaps the same game: to be suggested."""
    SWAPPED = "swapped"
    """The same by name, but prices show that the sides are swapped: refused."""
    OTHER = "other"


class Match(NamedTuple):
    """A verdict, and whether the other game lists the teams the other way round."""

    verdict: Verdict
    is_crosswise: bool = False


_NO_MATCH: Final = Match(Verdict.OTHER)


def compare(names: TeamNames, one: Game, other: Game) -> Match:
    """Return whether two games are the same."""
    pair, other_pair = teams(one.match_name), teams(other.match_name)
    if pair is None or other_pair is None or not _may_be_one(names, one, other):
        return _NO_MATCH
    found = compare_teams(names, one.competition, pair, other_pair)
    if found.verdict is Verdict.OTHER:
        return found
    return _judged(found.verdict, one, other, is_crosswise=found.is_crosswise)


def compare_teams(
    names: TeamNames, competition: str, pair: tuple[str, str], other: tuple[str, str]
) -> Match:
    """Return whether two games of a competition have the same teams."""
    for test, verdict in ((_is_known, Verdict.SAME), (_is_alike, Verdict.ALIKE)):
        straight = test(names, competition, pair, other)
        crosswise = test(names, competition, pair, (other[1], other[0]))
        if straight and crosswise:
            return _NO_MATCH
        if straight or crosswise:
            return Match(verdict, crosswise)
    return _NO_MATCH


def is_midway(start: int, kick_offs: Iterable[int]) -> bool:
    """Return whether a start is about midway between two games of the same teams.

    It belongs to a game that is half as far away as the other, or nearer by ``MIDWAY_MS``.
    """
    nearest = sorted((each - start for each in kick_offs), key=abs)[:2]
    if len(nearest) < 2 or nearest[0] * nearest[1] >= 0:
        return False
    near, farther = map(abs, nearest)
    return farther - near < MIDWAY_MS and 2 * near > farther


class Side(NamedTuple):
    """A team, prepared for comparison with many others."""

    key: Key
    words: frozenset[str]
    """Words that can identify a team."""
    sorted_words: str


def sides(names: TeamNames, competition: str, match_name: str) -> tuple[Side, Side] | None:
    """Return the teams of a game, prepared; None if the name is not a pair of teams."""
    pair = teams(match_name)
    if pair is None:
        return None
    home, away = (_side(names.team_key(competition, name), name) for name in pair)
    return home, away


def _side(key: Key, name: str) -> Side:
    folded = fold_team(name)
    words = frozenset(word for word in folded.split() if len(word) >= _LEAST_LETTERS)
    return Side(key, words - _COMMON - _OTHER_SIDES, " ".join(sorted(folded.split())))


def may_be_alike(one: tuple[Side, Side], other: tuple[Side, Side]) -> bool:
    """Return whether two games are worth comparing; if not, their names are not alike.

    A hundred times faster than ``compare``, because it skips the costly checks.
    """
    return (_may_be_team(one[0], other[0]) and _may_be_team(one[1], other[1])) or (
        _may_be_team(one[0], other[1]) and _may_be_team(one[1], other[0])
    )


def _may_be_team(one: Side, other: Side) -> bool:
    if one.key == other.key or not one.words.isdisjoint(other.words):
        return True
    return _ratio(one.sorted_words, other.sorted_words) >= ALIKE_SCORE


def likeness(
    names: TeamNames, competition: str, match_names: tuple[str, str], *, is_crosswise: bool
) -> tuple[TeamLikeness, ...]:
    """Return how similar the teams of two games are, by team; empty if there are no teams."""
    pair, other = (teams(name) for name in match_names)
    if pair is None or other is None:
        return ()
    named = (other[1], other[0]) if is_crosswise else other
    return tuple(_likeness(names, competition, *each) for each in zip(pair, named, strict=True))


def _likeness(names: TeamNames, competition: str, name: str, other: str) -> TeamLikeness:
    one, another = (_side(names.team_key(competition, each), each) for each in (name, other))
    shared = sorted(one.words & another.words)
    score = _ratio(one.sorted_words, another.sorted_words)
    return TeamLikeness(name, other, one.key == another.key, tuple(shared), round(score))


def _may_be_one(names: TeamNames, one: Game, other: Game) -> bool:
    """Return whether competition and kick-off allow two games to be the same."""
    if names.competition_named(one.competition) != names.competition_named(other.competition):
        return False
    starts = [game.kick_off for game in (one, other) if game.kick_off is not None]
    if len(starts) == 2:
        return abs(starts[0] - starts[1]) <= SAME_START_MS
    seen = [game.seen_ms for game in (one, other) if game.kick_off is None]
    if starts:
        return -SAME_START_MS <= starts[0] - seen[0] <= AHEAD_MS
    return abs(seen[0] - seen[1]) <= AHEAD_MS


def _judged(verdict: Verdict, one: Game, other: Game, *, is_crosswise: bool) -> Match:
    if _are_swapped(one.chances, other.chances, is_crosswise=is_crosswise):
        return Match(Verdict.SWAPPED, is_crosswise)
    if one.kick_off is None or other.kick_off is None:
        verdict = Verdict.ALIKE
    return Match(verdict, is_crosswise)


def _are_swapped(
    one: tuple[float, float] | None, other: tuple[float, float] | None, *, is_crosswise: bool
) -> bool:
    """Return whether prices show that home and away are swapped."""
    if one is None or other is None:
        return False
    first, second = (other[1], other[0]) if is_crosswise else other
    apart = abs(one[0] - first) + abs(one[1] - second)
    swapped = abs(one[0] - second) + abs(one[1] - first)
    return apart >= _APART_LEAST and swapped <= apart * _SWAPPED_MOST


def _is_known(
    names: TeamNames, competition: str, pair: tuple[str, str], other: tuple[str, str]
) -> bool:
    return all(names.is_same_team(competition, *each) for each in zip(pair, other, strict=True))


def _is_alike(
    names: TeamNames, competition: str, pair: tuple[str, str], other: tuple[str, str]
) -> bool:
    both = _words(pair[0]) & _words(pair[1]) | _words(other[0]) & _words(other[1])
    return all(
        names.is_same_team(competition, name, other_name) or _resemble(name, other_name, both)
        for name, other_name in zip(pair, other, strict=True)
    )


def _resemble(name: str, other: str, of_both: frozenset[str]) -> bool:
    """Return whether two names share an identifying word, or are spelled nearly alike."""
    words, other_words = _words(name), _words(other)
    if club_side(name) != club_side(other):
        return False
    shared = (words & other_words) - of_both - _COMMON - _OTHER_SIDES
    return any(len(word) >= _LEAST_LETTERS for word in shared) or _score(name, other) >= ALIKE_SCORE


@lru_cache(maxsize=1 << 14)
def club_side(name: str) -> frozenset[str]:
    """Return which team of a club a name means: empty for the first team, else such as ``women``.

    Spellings are folded: ``(w)`` and ``Ladies`` become ``women``, ``U-21`` and ``Under 21``
    become ``u21``, ``II``, ``B`` and ``Castilla`` become ``reserves``.
    """
    return frozenset(_KIND_OF_SIDE[word] for word in _split_name(name)[1])


@lru_cache(maxsize=1 << 12)
def competition_side(competition: str) -> frozenset[str]:
    """Return which teams of clubs play in a competition, in the words of ``club_side``.

    Empty if the name does not say. A single letter or a number is a division: ``Serie B``.
    """
    words = _folded_words(competition)
    told = {_KIND_OF_SIDE[word] for word in words if word in _KIND_OF_SIDE and len(word) > 2}
    named = (each.lastgroup for each in _OF_OTHER_SIDES.finditer(" ".join(words)))
    return frozenset(told).union(filter(None, named))


@lru_cache(maxsize=1 << 14)
def club_of(name: str) -> str:
    """Return a folded name without the words that mark another team of the club."""
    return " ".join(_split_name(name)[0])


def _split_name(name: str) -> tuple[list[str], list[str]]:
    """Split a name into the words of the club and those of the team; ``R Sociedad`` has none."""
    club, side = list[str](), list[str]()
    for place, word in enumerate(_folded_words(_INITIAL.sub(" ", name))):
        is_of_side = word in _OTHER_SIDES and (place > 0 or len(word) > 1)
        (side if is_of_side else club).append(word)
    return club, side


@lru_cache(maxsize=1 << 12)
def _words(name: str) -> frozenset[str]:
    return frozenset(_folded_words(name))


def _folded_words(name: str) -> list[str]:
    folded = _AGE.sub(lambda found: f"u{found[1] or found[2] or found[3]}", fold_team(name))
    return folded.split()


def _score(name: str, other: str) -> float:
    words, other_words = (sorted(fold_team(each).split()) for each in (name, other))
    return _ratio(" ".join(words), " ".join(other_words))


def _ratio(one: str, other: str) -> float:
    """Return the similarity of two texts, up to 100; 0 if below ``ALIKE_SCORE``."""
    lengths = len(one), len(other)
    if abs(lengths[0] - lengths[1]) * 100 > sum(lengths) * (100 - ALIKE_SCORE):
        return 0
    # Not needed at start, nor for teams that the table knows.
    from rapidfuzz.fuzz import ratio  # noqa: PLC0415

    return float(ratio(one, other, score_cutoff=ALIKE_SCORE))
