"""Finds the game that a bet is on, by teams, competition and kick-off.

Closing lines, settlement, reports, exposure and alerts all use this. An id is not enough: it is
made from competition and names, so two seasons of a fixture and the games of a series share it, and
databases that recorded them in another order swap it.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final, Generic, NamedTuple, Protocol, TypeVar
from zoneinfo import ZoneInfo

from oddsdesk.base.texts import N_
from oddsdesk.contract.competitions import FOOTBALL, OTHER
from oddsdesk.contract.identity import teams
from oddsdesk.contract.times import DAY_MS, HOUR_MS
from oddsdesk.matching.games import (
    SAME_START_MS,
    Match,
    Side,
    Verdict,
    club_of,
    club_side,
    compare_teams,
    competition_side,
    is_midway,
    may_be_alike,
    sides,
)
from oddsdesk.matching.names import TeamNames, fold_team

MOVED_MS: Final = 12 * HOUR_MS
"""A game moved by at most this, within its day, is the same game, and its bets stand."""
_RIVAL_MS: Final = 3 * HOUR_MS
"""Where a competition is missing, no other game of the teams may begin this close."""
_RIVAL_DAYS_MS: Final = 48 * HOUR_MS
"""Where the hour is missing too, in sports with series: a day before and after."""
NEARBY_MS: Final = 3 * DAY_MS
"""How far off other games of the same teams are searched, to be named in the reason."""
UNDATED_MS: Final = 36 * HOUR_MS
"""The latest start of the game of a bet without kick-off, after the time of placing."""
_ALIKE_MS: Final = 36 * HOUR_MS
"""How far off a game is named that may have these teams, or has them the other way round."""
_LONGEST_PUT_OFF_DAYS: Final = 60
"""In a league, two teams meet in each stadium once a season."""
_ONCE_A_DAY: Final = frozenset(
    {FOOTBALL, "Basketball", "Tennis", "Hockey", "AmericanFootball", "Rugby"}
)
"""Sports in which two teams never meet twice a day; baseball has doubleheaders."""
NO_SERIES: Final = frozenset({"AmericanFootball", "AussieRules", FOOTBALL, "Rugby", "Tennis"})
"""Sports in which the same teams or players do not meet again within days, as in a series."""
_UK: Final = "Europe/London"
_DAYS_IN: Final = {
    **dict.fromkeys(("mls", "nba", "nhl", "mlb", "nfl"), "America/Los_Angeles"),
    "bras": "America/Sao_Paulo",
    "arg": "America/Argentina/Buenos_Aires",
}
"""Time zone of a competition's venues; London for others, as in football-data's files. A day on
the west coast includes all games of an American day."""


class WantedGame(NamedTuple):
    """What a bet knows about its game; times in milliseconds."""

    match_name: str
    competition: str
    """Empty if unknown."""
    sport: str
    """In the contract's words; empty or ``Other`` if unknown."""
    kick_off: int | None
    placed_at: int


class NamedGame(Protocol):
    """A game from another source."""

    @property
    def begins_ms(self) -> int:
        """Start of the game; noon of its day if only that is known."""

    @property
    def has_time(self) -> bool:
        """Whether the hour is known."""

    @property
    def sport(self) -> str:
        """In the contract's words."""

    @property
    def competition(self) -> str:
        """The source's name for it; empty if none."""

    @property
    def match_name(self) -> str:
        """The source's name for the game."""


G = TypeVar("G", bound=NamedGame)
T = TypeVar("T")


class Found(NamedTuple, Generic[G]):
    """The game that is closest to a bet's game."""

    game: G
    why_not: str = ""
    """Why it may be another game, in words that follow its name; empty if it is the same."""
    has_teams: bool = True
    """Whether it has the bet's teams, home team first, by known names."""
    is_moved: bool = False
    """Whether teams and competition agree, and only the kick-off is too far off."""

    @property
    def is_same(self) -> bool:
        """Whether it is the bet's game."""
        return not self.why_not


def is_same_competition(names: TeamNames, one: str, other: str) -> bool:
    """Return whether two names mean one competition; an empty name matches nothing."""
    return bool(one and other) and _competition(names, one) == _competition(names, other)


def is_same_kick_off(one: int, other: int, sport: str, competition: str = "") -> bool:
    """Return whether two kick-offs can belong to the same game.

    Within two hours, since sources differ. In sports where teams meet at most once a day: within
    twelve hours, on the same day at the venue.
    """
    apart = abs(one - other)
    if apart <= SAME_START_MS:
        return True
    if sport not in _ONCE_A_DAY or apart > MOVED_MS:
        return False
    return _day(one, competition) == _day(other, competition)


class GamesNearby(Generic[G]):
    """Searches a source's games for that of a bet."""

    def __init__(self, games: Iterable[G], names: TeamNames) -> None:
        self._names = names
        self._by_day = defaultdict[int, list[G]](list)
        for game in games:
            self._by_day[game.begins_ms // DAY_MS].append(game)
        self._sides = lru_cache(maxsize=1 << 14)(self._find_sides)
        self._game = lru_cache(maxsize=1 << 14)(self._find_game)

    def games_near(self, bet: WantedGame) -> Found[G] | None:
        """Return the bet's game, else the nearest candidate with the reason, else None."""
        return self._game(bet)

    def _find_game(self, bet: WantedGame) -> Found[G] | None:
        if teams(bet.match_name) is None:
            return None
        at = bet.placed_at if bet.kick_off is None else bet.kick_off
        judged = list(self._judged(bet, at))
        same = [each.game for each in judged if each.is_same]
        if len(same) > 1:
            starts = [game.begins_ms for game in same]
            is_sure = bet.kick_off is not None and all(game.has_time for game in same)
            if not is_sure or is_midway(bet.kick_off or 0, starts):
                return Found(same[0], N_("is one of two games of these teams around that time"))
        if same:
            return self._known_alone(bet, same[0], judged)
        found = min(judged, key=lambda each: not each.has_teams, default=None)
        if found is not None and found.has_teams:
            return found
        return self._put_off(bet) or found

    def _known_alone(self, bet: WantedGame, game: G, judged: Sequence[Found[G]]) -> Found[G]:
        """Return a game, unless competition or hour is unknown and another may be meant."""
        if _is_named(bet, game) and (game.has_time or game.sport in NO_SERIES):
            return Found(game)
        at = bet.kick_off or 0
        near = [
            each
            for each in judged
            if (each.has_teams or _is_for_others(bet, each.game))
            and abs(each.game.begins_ms - at) <= (_RIVAL_MS if game.has_time else _RIVAL_DAYS_MS)
        ]
        if len(near) > 1:
            return Found(game, N_("is one of two games of these teams around that time"))
        return Found(game)

    def _judged(self, bet: WantedGame, at: int) -> Iterator[Found[G]]:
        """Yield the games that may be the bet's, the nearest first."""
        near = [
            game
            for day in range((at - NEARBY_MS) // DAY_MS, (at + NEARBY_MS) // DAY_MS + 1)
            for game in self._by_day.get(day, ())
            if _sport(bet.sport, game.sport) is not None
        ]
        for game in sorted(near, key=lambda game: abs(game.begins_ms - at)):
            match, is_other_side = self._compare(bet, game)
            is_same = match.verdict is Verdict.SAME and not match.is_crosswise
            is_other_side |= is_same and _is_for_others(bet, game)
            if is_same and not is_other_side:
                why = self._why_not(bet, game)
                yield Found(game, why, is_moved=bool(why) and self._is_in_same(bet, game))
            elif abs(game.begins_ms - at) > _ALIKE_MS:
                continue
            elif is_other_side:
                yield Found(game, N_("is of another team of these clubs"), False)
            elif match.verdict is not Verdict.OTHER:
                why = N_("has the teams the other way round")
                yield Found(game, why if match.is_crosswise else N_("may be another game"), False)

    def _why_not(self, bet: WantedGame, game: G) -> str:
        """Return why a game with the bet's teams is another game; empty if it is the same."""
        ours, theirs = bet.competition, game.competition
        if ours and theirs and not is_same_competition(self._names, ours, theirs):
            return N_(f"is in {theirs}, not in {ours}")
        if bet.kick_off is None:
            return _why_not_undated(bet, game)
        sport = _sport(bet.sport, game.sport) or ""
        apart = abs(game.begins_ms - bet.kick_off)
        if not _is_named(bet, game):
            only = ours or theirs
            if only and not self._names.knows(only):
                of_bet = N_("may be another game: only the bet names a competition")
                return of_bet if ours else N_("may be another game: only it names a competition")
            if not game.has_time:
                return N_("may be another game: competition and hour are unknown")
            if apart <= SAME_START_MS:
                return ""
        elif not game.has_time:
            return _why_not_on_day(
                bet.kick_off, game, sport, self._names.competition_named(theirs or ours)
            )
        elif is_same_kick_off(
            bet.kick_off, game.begins_ms, sport, self._names.competition_named(theirs)
        ):
            return ""
        return _apart_text(bet.kick_off, game)

    def _is_in_same(self, bet: WantedGame, game: G) -> bool:
        """Return whether a bet with kick-off and a game are in one competition, for certain."""
        ours, theirs = bet.competition, game.competition
        is_other = ours and theirs and not is_same_competition(self._names, ours, theirs)
        return bet.kick_off is not None and not is_other and _is_named(bet, game)

    def _put_off(self, bet: WantedGame) -> Found[G] | None:
        """Return the football game that was planned as the bet's game but played days later."""
        if bet.kick_off is None or _sport(bet.sport, FOOTBALL) is None:
            return None
        today = bet.kick_off // DAY_MS
        for day in range(today + NEARBY_MS // DAY_MS, today + _LONGEST_PUT_OFF_DAYS):
            for game in self._by_day.get(day, ()):
                if game.sport != FOOTBALL:
                    continue
                ours, theirs = bet.competition, game.competition
                if ours and theirs and not is_same_competition(self._names, ours, theirs):
                    continue
                match, _ = self._compare(bet, game)
                if match.verdict is Verdict.SAME and not match.is_crosswise:
                    is_moved = _is_named(bet, game)
                    return Found(game, _apart_text(bet.kick_off, game), is_moved=is_moved)
        return None

    def _compare(self, bet: WantedGame, game: G) -> tuple[Match, bool]:
        """Compare the teams, and return whether they are other teams of the same clubs."""
        place = self._place(bet.competition, game.competition)
        ours, theirs = self._sides(place, bet.match_name), self._sides(place, game.match_name)
        if ours is None or theirs is None or not may_be_alike(ours, theirs):
            return _OTHER, False
        pair, named = teams(bet.match_name), teams(game.match_name)
        assert pair is not None
        assert named is not None
        if self._are_other_sides(place, pair, named):
            return _OTHER, True
        found = compare_teams(self._names, place, pair, named)
        if found.verdict is Verdict.ALIKE and _are_known_apart(ours, theirs, found):
            return _OTHER, False
        return found, False

    def _are_other_sides(self, place: str, pair: tuple[str, str], named: tuple[str, str]) -> bool:
        """Return whether two games are between the same clubs, but with other teams of them."""
        if _side_of(pair) == _side_of(named):
            return False
        ours, theirs = (
            [self._names.team_key(place, club_of(name)) for name in each] for each in (pair, named)
        )
        return theirs in (ours, ours[::-1])

    def _place(self, ours: str, theirs: str) -> str:
        """Return the competition whose names are used to compare the teams of two."""
        known = [each for each in (ours, theirs) if self._names.knows(each)]
        return known[0] if known else ours or theirs

    def _find_sides(self, place: str, match_name: str) -> tuple[Side, Side] | None:
        return sides(self._names, place, match_name)


def clusters(starts: Iterable[tuple[int, T]], sport: str, competition: str = "") -> list[list[T]]:
    """Group things with start times by game: all that fit the first of a group."""
    found, first = list[list[T]](), None
    for at, thing in sorted(starts, key=lambda each: each[0]):
        if first is None or not is_same_kick_off(first, at, sport, competition):
            found.append([])
            first = at
        found[-1].append(thing)
    return found


_OTHER: Final = Match(Verdict.OTHER)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC).toordinal()


def _competition(names: TeamNames, name: str) -> str:
    return fold_team(names.competition_named(name))


def _sport(one: str, other: str) -> str | None:
    """Return the sport of two names for it, empty if both are unknown; None if they differ."""
    told = {one, other} - {"", OTHER}
    return None if len(told) > 1 else next(iter(told), "")


def _is_named(bet: WantedGame, game: NamedGame) -> bool:
    """Return whether the competitions of both are known."""
    return bool(bet.competition and game.competition)


def _is_for_others(bet: WantedGame, game: NamedGame) -> bool:
    """Return whether the only known competition is not for the teams that are named."""
    if bool(bet.competition) == bool(game.competition):
        return False
    named = (side for each in (bet, game) for side in _side_of(teams(each.match_name) or ("", "")))
    return not competition_side(bet.competition or game.competition) <= frozenset(named)


def _why_not_on_day(kick_off: int, game: NamedGame, sport: str, competition: str) -> str:
    """Return why a game without hour may be another than the one at a kick-off; empty if not.

    Its day is that at the venue, or that of its source.
    """
    day, own = game.begins_ms // DAY_MS, _day(kick_off, competition)
    days = {own, _day(kick_off, ""), kick_off // DAY_MS}
    if day not in days:
        return _apart_text(kick_off, game)
    if sport not in _ONCE_A_DAY and sport not in NO_SERIES:
        return N_("may be another game: its hour is unknown, and teams may play twice a day")
    is_known = competition.casefold() in _DAYS_IN
    if not is_known:
        days.add(_day(kick_off, "nba"))
    if sport in NO_SERIES or len(days) == 1 or (is_known and day == own):
        return ""
    return N_("may be another game: its hour is unknown, so its date may be of another time zone")


def _why_not_undated(bet: WantedGame, game: NamedGame) -> str:
    """Return why a game is not that of a bet without kick-off; empty if it may be."""
    if not (bet.competition and game.competition) or game.sport not in _ONCE_A_DAY:
        return "may be another game: the bet has no kick-off"
    begins = game.begins_ms + (0 if game.has_time else DAY_MS // 2)
    if bet.placed_at - SAME_START_MS <= begins and game.begins_ms - bet.placed_at <= UNDATED_MS:
        return ""
    return "may be another game: the bet has no kick-off"


def _apart_text(kick_off: int, game: NamedGame) -> str:
    """Return how much later or earlier a game is than its bet says."""
    if not game.has_time:
        days = game.begins_ms // DAY_MS - kick_off // DAY_MS
        count, unit = float(abs(days)), N_("day")
        is_later = days > 0
    else:
        hours = round((game.begins_ms - kick_off) / HOUR_MS, 1)
        count, unit, is_later = abs(hours), N_("hour"), hours > 0
        if count >= 72:
            count, unit = float(round(count / 24)), "day"
    when = f"{count:g} {unit}{'' if count == 1 else 's'}"
    earlier = N_(f"is {when} earlier than the bet says")
    return N_(f"is {when} later than the bet says") if is_later else earlier


def _day(at: int, competition: str) -> int:
    """Return the day of a time at a competition's venues, counted from 1970."""
    zone = _zone(_DAYS_IN.get(competition.casefold(), _UK))
    return datetime.fromtimestamp(at / 1000, UTC).astimezone(zone).toordinal() - _EPOCH


@lru_cache(maxsize=8)
def _zone(name: str) -> ZoneInfo:
    return ZoneInfo(name)


def _side_of(pair: tuple[str, str]) -> frozenset[str]:
    """Return which team of a club plays; sources often mark only one of the two names."""
    return club_side(pair[0]) | club_side(pair[1])


def _are_known_apart(ours: tuple[Side, Side], theirs: tuple[Side, Side], found: Match) -> bool:
    """Return whether the table knows similar names as two teams: ``Man United``, ``Man City``."""
    named = (theirs[1], theirs[0]) if found.is_crosswise else theirs
    return any(
        one.key != other.key and one.key[0] and other.key[0]
        for one, other in zip(ours, named, strict=True)
    )
