"""Team and player names: the table of aliases, and those that the user added.

``resources/teams.csv`` has one team per line: its scope (a country, or a league with teams of its
own), its name and other names, separated by ``|``. ``resources/competitions.csv`` has the scopes of
each competition. A name that two teams of a scope share identifies neither.

``Nikola Jokić`` is ``Nikola Jokic``, ``R.J. Barrett`` is ``RJ Barrett`` and ``Doncic, Luka`` is
``Luka Dončić``. ``Jaren Jackson`` is ``Jaren Jackson Jr.`` unless a bookmaker prices both, or
another player of that name. Other differences mean another player: father and son, brothers with
the same initial, a short first name. Players are compared together with what is bet on (``Nikola
Jokić points``), since selections do not show where the name ends.
"""

import csv
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from copy import copy
from functools import cache, lru_cache
from typing import Final, NamedTuple

import msgspec

from oddsdesk.base.places import resource_path
from oddsdesk.contract.identity import teams
from oddsdesk.contract.markets import Form, form_of
from oddsdesk.contract.texts import plain_letters

_INSIDE_WORDS: Final = str.maketrans({"&": " and "} | dict.fromkeys("'’‘ʼ`´.", ""))
"""Characters that are dropped inside words."""
_BETWEEN_WORDS: Final = re.compile(r"[\W_]+")

Key = tuple[str, str]
"""The key of all names of a team: scope and name, or no scope and the folded name."""
GameKey = tuple[str, frozenset[Key]]
"""The key of all names of a game: its competition in our words, and its teams."""


class Team(msgspec.Struct, frozen=True):
    """A line of the table of teams."""

    scope: str
    name: str
    aliases: tuple[str, ...] = ()


class Competition(msgspec.Struct, frozen=True):
    """A line of the table of competitions; without scopes its teams can be from anywhere."""

    name: str
    scopes: frozenset[str] = frozenset()
    aliases: tuple[str, ...] = ()


class SameTeam(msgspec.Struct, frozen=True):
    """Two names of one team in a competition, as the user decided."""

    competition: str
    one: str
    other: str


@lru_cache(maxsize=1 << 14)
def fold_team(name: str) -> str:
    """Return a name without case, accents and punctuation: ``1. FC Köln`` is ``1 fc koln``."""
    letters = plain_letters(name.translate(_INSIDE_WORDS))
    return " ".join(_BETWEEN_WORDS.sub(" ", letters).split())


class _Table:
    """Teams by folded name, for one scope or all; folded when a scope is first needed."""

    def __init__(self, teams: Iterable[Team]) -> None:
        self._by_scope: defaultdict[str, list[Team]] = defaultdict(list)
        for team in teams:
            self._by_scope[team.scope].append(team)
        self._folded: dict[str, dict[str, set[Key]]] = {}

    def named(self, name: str, scopes: Iterable[str]) -> set[Key]:
        """Return the teams with a name in these scopes, or in all if none is given."""
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
    """Decides which names mean one team, and which mean one competition."""

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
        self._same: dict[tuple[str, Key], Key] = {}
        for pair in same:
            self._join(pair)

    def with_same(self, same: Iterable[SameTeam]) -> "TeamNames":
        """Return these names together with the user's decisions."""
        known = copy(self)
        known._same = dict(self._same)
        for pair in same:
            known._join(pair)
        return known

    def competition_named(self, name: str) -> str:
        """Return our name of a competition, from any of its names."""
        known = self._competitions.get(fold_team(name))
        return name if known is None else known.name

    def knows(self, competition: str) -> bool:
        """Return whether the table has a competition under this name."""
        return fold_team(competition) in self._competitions

    def competitions_of(self, name: str) -> list[str]:
        """Return all names of a competition in the table, and this one."""
        known = self._competitions.get(fold_team(name))
        return [name] if known is None else sorted({name, known.name, *known.aliases})

    def is_same_team(self, competition: str, one: str, other: str) -> bool:
        """Return whether two names mean one team, by the table or by the user."""
        return self.team_key(competition, one) == self.team_key(competition, other)

    def team_key(self, competition: str, name: str) -> Key:
        """Return the key of a team in a competition, from any of its names."""
        return self._joined_key(
            self.competition_named(competition), self._key_by_table(competition, name)
        )

    def game_key(self, competition: str, match_name: str) -> GameKey:
        """Return the key of a game, from any of its names and in any order of teams.

        Cached: fast when many games are compared.
        """
        place, keys = self._game_by_table(competition, match_name)
        if not self._same:
            return place, keys
        return place, frozenset(self._joined_key(place, key) for key in keys)

    def _joined_key(self, place: str, key: Key) -> Key:
        while (place, key) in self._same:
            key = self._same[place, key]
        return key

    def _look_up_game(self, competition: str, match_name: str) -> GameKey:
        keys = (self._key_by_table(competition, name) for name in teams(match_name) or ())
        return self.competition_named(competition), frozenset(keys)

    def _key_by_table(self, competition: str, name: str) -> Key:
        folded = fold_team(name)
        known = self._competitions.get(fold_team(competition))
        found = self._teams.named(folded, () if known is None else known.scopes)
        return found.pop() if len(found) == 1 else ("", folded)

    def _join(self, pair: SameTeam) -> None:
        one, other = (self.team_key(pair.competition, name) for name in (pair.one, pair.other))
        if one != other:
            self._same[self.competition_named(pair.competition), one] = other


@cache
def shipped_names() -> TeamNames:
    """Return the names that are shipped with the program."""
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


PLAYER_PROP: Final = "player_prop"
_PROP: Final = re.compile(r"(?ai)(.+?)( (?:Over|Under) [+-]?\d[\d.]*| Yes| No)")
_SUFFIXES: Final = {"jr": "jr", "junior": "jr", "sr": "sr", "senior": "sr"} | {
    numeral: numeral for numeral in ("ii", "iii", "iv")
}


class Subject(NamedTuple):
    """What a selection is about, in all its spellings."""

    words: str
    suffix: str
    """``jr``, ``sr``, ``ii``, ...; empty if none."""


@lru_cache(maxsize=1 << 14)
def parted(text: str) -> tuple[str, str] | None:
    """Split a selection into its subject and the rest, such as `` Over 24.5``; None if no rest."""
    found = _PROP.fullmatch(text)
    return None if found is None else (found[1], found[2])


@lru_cache(maxsize=1 << 14)
def subjects(name: str) -> tuple[Subject, ...]:
    """Return the possible subjects, the likeliest first; several if a surname comes first."""
    before, _, after = name.partition(",")
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
    """Return words with initials joined: ``r j barrett`` becomes ``rj barrett``."""
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
    """The spelling of a game's players: the first one seen for each."""

    def __init__(self, standing: Iterable[Iterable[str]] = ()) -> None:
        """``standing``: the selections of each bookmaker; the most frequent spelling counts."""
        self._spelled: dict[Subject, str] = {}
        self._suffixes: dict[str, set[str]] = {}
        self.version = 0
        """Grows when one player turns out to be two: cached selections may then be wrong."""
        self._seen: set[str] = set()
        """Selections that were read before."""
        self._own: dict[str, str] = {}
        """Selections whose spelling here differs from the source's."""
        counts, several = Counter[str](), set[str]()
        for texts in standing:
            players = _players_in(texts)
            counts.update(players)
            several |= _several(players)
        for name, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
            self._name(name, is_alone=subjects(name)[0].words not in several)

    def own_words(self, texts: Collection[str]) -> Mapping[str, str]:
        """Return the selections of one bookmaker in the game's spelling, where it differs.

        Two that would become equal are left unchanged.
        """
        own = self._own
        if not self._seen.issuperset(texts):
            self._read(texts)
        if not own or not any(text in own for text in texts):
            return {}
        taken = Counter(own.get(text, text) for text in texts)
        if max(taken.values()) > 1:
            self._read(texts)  # once two players are apart, earlier readings are wrong
            taken = Counter(own.get(text, text) for text in texts)
        return {text: name for text in texts if (name := own.get(text)) and taken[name] == 1}

    def spelled(self, text: str) -> str:
        """Return a selection from elsewhere in the game's spelling, without learning from it."""
        found = parted(text)
        name = None if found is None else self._known(found[0], is_alone=True)
        return text if found is None or name is None else name + found[1]

    def _read(self, texts: Collection[str]) -> None:
        """Find the spelling of a bookmaker's selections, and learn new players."""
        players = _players_in(texts)
        several = _several(players)
        names = {
            each: self._name(each, is_alone=subjects(each)[0].words not in several)
            for each in players
        }
        for text in texts:
            found = parted(text)
            name = text if found is None else names[found[0]] + found[1]
            self._own.pop(text, None)
            if name != text:
                self._own[text] = name
        self._seen.update(texts)

    def _name(self, player: str, *, is_alone: bool) -> str:
        """Return the spelling of a subject; ``is_alone``: no other suffix appears with it."""
        name = self._known(player, is_alone=is_alone)
        if name is not None:
            return name
        self._learn(subjects(player)[0], player)
        return player

    def _known(self, player: str, *, is_alone: bool) -> str | None:
        """Do the same as ``_name``, but return None for a new subject."""
        meant = subjects(player)
        for subject in meant:
            if (spelled := self._spelled.get(subject)) is not None:
                return spelled
        for subject in meant if is_alone else ():
            others = self._suffixes.get(subject.words, set())
            if len(others) == 1 and (not subject.suffix or "" in others):
                return self._spelled[Subject(subject.words, *others)]
        return None

    def _learn(self, subject: Subject, player: str) -> None:
        if subject in self._spelled:
            return
        others = self._suffixes.setdefault(subject.words, set())
        if others:  # the only player known by that name need not be this one
            self._own.clear()
            self._seen.clear()
            self.version += 1
        others.add(subject.suffix)
        self._spelled[subject] = player


def spelled_among(text: str, among: Collection[str]) -> str:
    """Return a selection as one source spells it; unchanged if that source does not have it."""
    return text if text in among else PlayersOfGame([among]).spelled(text)


def _players_in(texts: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(found[0] for text in texts if (found := parted(text))))


def _several(players: Iterable[str]) -> set[str]:
    """Return the names that one bookmaker uses for several players with different suffixes."""
    counts = Counter(subject.words for subject in {subjects(each)[0] for each in players})
    return {words for words, count in counts.items() if count > 1}


_CROSSWISE: Final = {"1x": "X2", "x2": "1X", "home": "Away", "away": "Home"}
"""Sides named by position, for a game that lists the teams the other way round."""
_LINE: Final = r"(?ai)(.+?) ((?:Over |Under )?[+-]?\d[\d.]*)"


@lru_cache(maxsize=1 << 14)
def renamed(market_type: str, given: str, stored: str, is_crosswise: bool, text: str) -> str:
    """Return a selection of the game ``given`` in the words of the game ``stored``.

    Args:
        market_type: The selection's market type.
        given: The match name that it came with.
        stored: The match name that it is stored with; the same teams by other names.
        is_crosswise: Whether ``stored`` lists the teams the other way round.
        text: The selection; unchanged if it names no team.
    """
    pair, stored_pair = teams(given), teams(stored)
    if pair is None or stored_pair is None:
        return text
    new = (stored_pair[1], stored_pair[0]) if is_crosswise else stored_pair
    names = {old.casefold(): name for old, name in zip(pair, new, strict=True)}
    form = form_of(market_type)
    if form is Form.WINNER:
        return names.get(text.casefold(), text)
    if form is Form.DOUBLE_CHANCE:
        return _CROSSWISE.get(text.casefold(), text) if is_crosswise else text
    has_team = form in (Form.HANDICAP, Form.TEAM_OVER_UNDER)
    line = re.fullmatch(_LINE, text) if has_team else None
    return text if line is None else _with_line(names, line[1], line[2], is_crosswise)


def _with_line(names: dict[str, str], subject: str, line: str, is_crosswise: bool) -> str:
    name = names.get(subject.casefold())
    if name is None and is_crosswise:
        name = _CROSSWISE.get(subject.casefold())
        if name is None and line[0] in "+-":  # a draw's line is the home team's
            line = f"{'-' if line[0] == '+' else '+'}{line[1:]}"
    return f"{name or subject} {line}"
