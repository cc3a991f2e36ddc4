"""Whether a game that somebody else names is that of a bet: for results and closing lines alike.

Judged as for odds of several sources (``matching``): football-data's "Man United" is "Manchester
United". What is only alike is no answer, and is told.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final, Generic, NamedTuple, Protocol, TypeVar

from oddsdesk.contract.competitions import FOOTBALL, OTHER
from oddsdesk.contract.identity import teams
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.matching.games import (
    SAME_START_MS,
    Match,
    Side,
    Verdict,
    compare_teams,
    may_be_alike,
    sides,
)
from oddsdesk.matching.team_names import TeamNames

DAY_MS: Final = 24 * 60 * MINUTE_MS
APART_MS: Final = DAY_MS + DAY_MS // 2
"""A kick-off is this far from noon of the day that somebody states, at most."""

_LONGEST_PUT_OFF_DAYS: Final = 60
"""In a league the same teams are at home to each other once a season."""


class NamedGame(Protocol):
    """A game as somebody else has it."""

    @property
    def begins_ms(self) -> int:
        """When it begins; noon of its day where no more is known."""

    @property
    def sport(self) -> str:
        """Of the contract."""

    @property
    def competition(self) -> str:
        """As it is called there; empty where it is not."""

    @property
    def match_name(self) -> str:
        """As it is called there."""


G = TypeVar("G", bound=NamedGame)


class Found(NamedTuple, Generic[G]):
    """What is nearest to being the game of a bet."""

    game: G
    match: Match

    @property
    def is_same(self) -> bool:
        """Whether it is that game: the table has both teams, and home is home."""
        return self.match.verdict is Verdict.SAME and not self.match.is_crosswise


class GamesNearby(Generic[G]):
    """Games of others, asked for that of a bet: the same teams, about its kick-off.

    In football a game is looked for on the day. Elsewhere the same teams may meet the next day,
    or twice a day: kick-offs may differ by as much as between two sources of odds.
    """

    def __init__(self, games: Iterable[G], names: TeamNames) -> None:
        self._names = names
        self._by_day = defaultdict[int, list[G]](list)
        for game in games:
            self._by_day[game.begins_ms // DAY_MS].append(game)
        self._sides = lru_cache(maxsize=1 << 14)(self._find_sides)

    def of(self, bet: PlacedBet) -> Found[G] | None:
        """Return the game of a bet, else one that may be it, None where there is none."""
        if teams(bet.match_name) is None:
            return None
        at = bet.order[0]
        alike = None
        for game in sorted(self._near(bet, at), key=lambda game: abs(game.begins_ms - at)):
            found = Found(game, self._compare(bet, game))
            if found.is_same:
                return found
            if found.match.verdict is not Verdict.OTHER and alike is None:
                alike = found
        return alike

    def put_off(self, bet: PlacedBet) -> G | None:
        """Return the game of football that was to be that of a bet and was played days later."""
        if teams(bet.match_name) is None or bet.kick_off is None or bet.sport != FOOTBALL:
            return None
        today = bet.kick_off // DAY_MS
        for day in range(today + 1, today + _LONGEST_PUT_OFF_DAYS):
            for game in self._by_day.get(day, ()):
                if game.sport == FOOTBALL and Found(game, self._compare(bet, game)).is_same:
                    return game
        return None

    def _near(self, bet: PlacedBet, at: int) -> Iterator[G]:
        for day in range((at - APART_MS) // DAY_MS, (at + APART_MS) // DAY_MS + 1):
            for game in self._by_day.get(day, ()):
                # Who records a bet by hand need not say its sport.
                if _is_about(game, at) and bet.sport in (game.sport, OTHER, ""):
                    yield game

    def _compare(self, bet: PlacedBet, game: G) -> Match:
        other = Match(Verdict.OTHER)
        place = self._place(bet.competition, game.competition)
        if place is None:
            return other
        ours, theirs = self._sides(place, bet.match_name), self._sides(place, game.match_name)
        if ours is None or theirs is None or not may_be_alike(ours, theirs):
            return other
        pair, named = teams(bet.match_name), teams(game.match_name)
        assert pair is not None
        assert named is not None
        found = compare_teams(self._names, place, pair, named)
        if found.verdict is Verdict.ALIKE and _are_known_apart(ours, theirs, found):
            return other
        return found

    def _place(self, ours: str, theirs: str) -> str | None:
        """Return the competition that two names are compared in, None where it is not one."""
        names = self._names
        known = {names.competition(each) for each in (ours, theirs) if names.knows(each)}
        if len(known) > 1:
            return None
        return known.pop() if known else ours or theirs

    def _find_sides(self, place: str, match_name: str) -> tuple[Side, Side] | None:
        return sides(self._names, place, match_name)


def _are_known_apart(ours: tuple[Side, Side], theirs: tuple[Side, Side], found: Match) -> bool:
    """Whether the table has two teams for what is alike: ``Man United`` and ``Man City``."""
    named = (theirs[1], theirs[0]) if found.is_crosswise else theirs
    return any(
        one.key != other.key and one.key[0] and other.key[0]
        for one, other in zip(ours, named, strict=True)
    )


def _is_about(game: NamedGame, at: int) -> bool:
    """Whether a game is about a moment; files of results state the day alone."""
    if game.sport != FOOTBALL:
        return abs(game.begins_ms - at) <= SAME_START_MS
    noon = game.begins_ms // DAY_MS * DAY_MS + DAY_MS // 2
    return abs(noon - at) <= APART_MS
