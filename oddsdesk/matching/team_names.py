"""One team, many names: the table of aliases, and those that the user added (D69).

``resources/teams.csv`` has a team a line: its scope (a country, or a league whose teams are its
own), name and other names, with ``|`` between them. ``resources/competitions.csv`` says in which
scopes the teams of a competition are. A name that two teams of a scope share tells nothing.
"""

import csv
import re
from collections import defaultdict
from collections.abc import Iterable
from copy import copy
from functools import cache, lru_cache
from typing import Final

import msgspec

from oddsdesk.contract.identity import teams
from oddsdesk.contract.names import plain_letters
from oddsdesk.resource_files import resource_path

_INSIDE_WORDS: Final = str.maketrans({"&": " and "} | dict.fromkeys("'’‘ʼ`´.", ""))
"""What is left out inside words."""
_BETWEEN_WORDS: Final = re.compile(r"[\W_]+")

Key = tuple[str, str]
"""What all names of a team have in common: its scope and name, or no scope and the name folded."""
GameKey = tuple[str, frozenset[Key]]
"""What all names of a game have in common: its competition as it is called here, and its teams."""


class Team(msgspec.Struct, frozen=True):
    """A line of the table of teams."""

    scope: str
    name: str
    aliases: tuple[str, ...] = ()


class Competition(msgspec.Struct, frozen=True):
    """A line of the table of competitions; without scopes its teams are from anywhere."""

    name: str
    scopes: frozenset[str] = frozenset()
    aliases: tuple[str, ...] = ()


class SameTeam(msgspec.Struct, frozen=True):
    """Two names that are one team's in a competition, as the user said."""

    competition: str
    one: str
    other: str


@lru_cache(maxsize=1 << 14)
def fold_team(name: str) -> str:
    """Return a name without case, accents and punctuation: ``1. FC Köln`` is ``1 fc koln``."""
    letters = plain_letters(name.translate(_INSIDE_WORDS))
    return " ".join(_BETWEEN_WORDS.sub(" ", letters).split())


class _Table:
    """Teams by their names folded, of a scope or of all; folded when a scope is first asked for."""

    def __init__(self, teams: Iterable[Team]) -> None:
        self._by_scope: defaultdict[str, list[Team]] = defaultdict(list)
        for team in teams:
            self._by_scope[team.scope].append(team)
        self._folded: dict[str, dict[str, set[Key]]] = {}

    def named(self, name: str, scopes: Iterable[str]) -> set[Key]:
        """Return the teams of scopes that have a name; of all where none is given."""
        asked = list(scopes) or list(self._by_scope)
        return set().union(*(self._of(scope).get(name, ()) for scope in asked))

    def _of(self, scope: str) -> dict[str, set[Key]]:
        if scope not in self._folded:
            folded: defaultdict[str, set[Key]] = defaultdict(set)
            for team in self._by_scope[scope]:
                for name in (team.name, *team.aliases):
                    folded[fold_team(name)].add((scope, team.name))
            self._folded[scope] = dict(folded)
        return self._folded[scope]


class TeamNames:
    """Says which names are one team's, and which are one competition's."""

    def __init__(
        self,
        teams: Iterable[Team] = (),
        competitions: Iterable[Competition] = (),
        same: Iterable[SameTeam] = (),
    ) -> None:
        self._teams = _Table(teams)
        self._competitions: dict[str, Competition] = {}
        for competition in competitions:
            for name in (competition.name, *competition.aliases):
                self._competitions[fold_team(name)] = competition
        self._game_by_table = lru_cache(maxsize=1 << 14)(self._look_up_game)  # copies share it
        self._said: dict[tuple[str, Key], Key] = {}
        for pair in same:
            self._join(pair)

    def with_same(self, same: Iterable[SameTeam]) -> "TeamNames":
        """Return these names with what the user said besides."""
        known = copy(self)
        known._said = dict(self._said)
        for pair in same:
            known._join(pair)
        return known

    def competition(self, name: str) -> str:
        """Return what a competition is called here, whichever of its names this is."""
        known = self._competitions.get(fold_team(name))
        return name if known is None else known.name

    def knows(self, competition: str) -> bool:
        """Whether the table has a competition, by whichever of its names."""
        return fold_team(competition) in self._competitions

    def competitions_of(self, name: str) -> list[str]:
        """Return every name of a competition that the table has, and this one."""
        known = self._competitions.get(fold_team(name))
        return [name] if known is None else sorted({name, known.name, *known.aliases})

    def is_same_team(self, competition: str, one: str, other: str) -> bool:
        """Whether two names are one team's in a competition; as the table says, or the user."""
        return self.key(competition, one) == self.key(competition, other)

    def key(self, competition: str, name: str) -> Key:
        """Return what all names of a team have in common in a competition."""
        return self._as_said(self.competition(competition), self._key_by_table(competition, name))

    def game_key(self, competition: str, match_name: str) -> GameKey:
        """Return what all names of a game have in common, whichever way round they are.

        As for ``key``, but kept: quick where many games are compared.
        """
        place, keys = self._game_by_table(competition, match_name)
        if not self._said:
            return place, keys
        return place, frozenset(self._as_said(place, key) for key in keys)

    def _as_said(self, place: str, key: Key) -> Key:
        while (place, key) in self._said:
            key = self._said[place, key]
        return key

    def _look_up_game(self, competition: str, match_name: str) -> GameKey:
        keys = (self._key_by_table(competition, name) for name in teams(match_name) or ())
        return self.competition(competition), frozenset(keys)

    def _key_by_table(self, competition: str, name: str) -> Key:
        folded = fold_team(name)
        known = self._competitions.get(fold_team(competition))
        found = self._teams.named(folded, () if known is None else known.scopes)
        return found.pop() if len(found) == 1 else ("", folded)

    def _join(self, pair: SameTeam) -> None:
        one, other = (self.key(pair.competition, name) for name in (pair.one, pair.other))
        if one != other:
            self._said[self.competition(pair.competition), one] = other


@cache
def shipped_names() -> TeamNames:
    """Return what the program knows by itself."""
    teams = [
        Team(row["scope"], row["name"], _split(row["aliases"], "|")) for row in _rows("teams.csv")
    ]
    competitions = [
        Competition(row["name"], frozenset(_split(row["scopes"], " ")), _split(row["aliases"], "|"))
        for row in _rows("competitions.csv")
    ]
    return TeamNames(teams, competitions)


def _rows(file: str) -> Iterable[dict[str, str]]:
    text = resource_path(file).read_text("utf-8")
    return csv.DictReader(line for line in text.splitlines() if not line.startswith("#"))


def _split(text: str, between: str) -> tuple[str, ...]:
    return tuple(part for part in text.split(between) if part)
