"""Which bets are on the same game, and which listed game that is.

``matching.bet_games`` compares games: by teams, competition and kick-off.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple, Protocol

import msgspec

from oddsdesk.contract.competitions import OTHER, named_competition
from oddsdesk.contract.identity import teams, without_date
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.ledger.bets import UNDATED_MS, PlacedBet
from oddsdesk.matching.bet_games import MOVED_MS, WantedGame, clusters, is_same_kick_off
from oddsdesk.matching.names import fold_team, renamed, shipped_names


def may_be_on_one_game(one: PlacedBet, kick_off: int | None) -> bool:
    """Return whether a bet can be on the game with its id and this kick-off."""
    if one.kick_off is None or kick_off is None:
        return True
    return is_same_kick_off(one.kick_off, kick_off, one.sport, _competition(one.competition))


def wanted_game(bet: PlacedBet) -> WantedGame:
    """Return what a bet knows about its game."""
    competition = named_competition(bet.competition)
    return WantedGame(bet.match_name, competition, bet.sport, bet.kick_off, bet.placed_at)


class ListedGame(Protocol):
    """A game on a board."""

    @property
    def game_id(self) -> str:
        """Its id in the service."""

    @property
    def match_name(self) -> str:
        """The teams."""

    @property
    def competition(self) -> str:
        """The competition's code."""

    @property
    def sport(self) -> str:
        """The sport, in the contract's words."""

    @property
    def kick_off(self) -> int | None:
        """In milliseconds; None if unknown."""


Spelled = Callable[[str, str, int, str], str]
"""Returns a board's spelling of a selection, by game id, market type and period."""


def as_written(game_id: str, market_type: str, period: int, selection: str) -> str:
    """Return a selection unchanged, for use without a board."""
    return selection


class _Known(NamedTuple):
    """A game that bets are on: their common key, and all ids they have for it."""

    token: str
    ids: frozenset[str]


class GamesOfBets:
    """Groups bets by game, judged by teams, competition and kick-off.

    A typed or imported bet has an id from its own spelling (``A - B`` instead of a feed's
    ``A vs B``): bets on the same teams at the same minute are on one game. Bets with one id but
    kick-offs that do not fit are on several games: those of a series, or of two seasons. Ids with
    the same spelling, or of two competitions, remain separate games.
    """

    def __init__(self, bets: Iterable[PlacedBet]) -> None:
        groups, held = _Groups(), list(bets)
        by_id = defaultdict[str, list[PlacedBet]](list)
        by_fixture = defaultdict[tuple[str, ...], list[PlacedBet]](list)
        for bet in held:
            if bet.game_id:
                by_id[bet.game_id].append(bet)
            if (fixture := _fixture(bet)) is not None:
                by_fixture[fixture].append(bet)
        for same_id in by_id.values():
            for together in _by_kick_off(same_id):
                groups.join(map(id, together))
        for on_it in by_fixture.values():
            for together in _of_one_name(on_it):
                groups.join(map(id, together))
        self._held = held  # keeps the identities below alive
        self._of = _named(groups, held)

    def ids(self, bet: PlacedBet) -> frozenset[str]:
        """Return all ids that bets have for a bet's game, including its own."""
        known = self._of.get(id(bet))
        return frozenset({bet.game_id}) if known is None else known.ids

    def game_of_bet(self, bet: PlacedBet) -> str | None:
        """Return the common key of all bets on a bet's game; None if unknown."""
        known = self._of.get(id(bet))
        return None if known is None or not known.token else known.token


def _named(groups: "_Groups", held: list[PlacedBet]) -> dict[int, _Known]:
    """Return the games of bets, by the identity of each bet."""
    members = defaultdict[int, list[PlacedBet]](list)
    for bet in held:
        members[groups.first(id(bet))].append(bet)
    found = dict[int, _Known]()
    for together in members.values():
        ids = frozenset(bet.game_id for bet in together if bet.game_id)
        starts = [bet.kick_off for bet in together if bet.kick_off is not None]
        fixture = _fixture(together[0])
        token = "" if fixture is None else " ".join(fixture)
        if ids:
            placed = min(bet.placed_at for bet in together)
            token = f"{min(ids)} {min(starts, default=f'placed {placed}')}"
        found |= dict.fromkeys(map(id, together), _Known(token, ids))
    return found


def on_listed_games(
    bets: Iterable[PlacedBet], games: Mapping[str, ListedGame], spelled: Spelled = as_written
) -> list[PlacedBet]:
    """Return bets with the ids of a board's games, and the board's spelling of players.

    An id can belong to another game there, of a series or of the next season. A bet whose game is
    not listed gets an id that no listed game has. ``spelled`` gives the board's spelling.
    """
    held = list(bets)
    if not held or not games:
        return held
    astray = {
        place: bet
        for place, bet in enumerate(held)
        if (game := games.get(bet.game_id)) is None or not is_on_listed(bet, game)
    }
    found = _listed_by_teams(list(astray.values()), games.values())
    for place, bet in astray.items():
        game = found.get(id(bet))
        if game is not None:
            words = (bet.market_type, bet.match_name, game.match_name, False, bet.selection)
            held[place] = msgspec.structs.replace(
                bet, game_id=game.game_id, match_name=game.match_name, selection=renamed(*words)
            )
        elif bet.game_id in games:
            held[place] = msgspec.structs.replace(bet, game_id=f"{bet.game_id} {bet.kick_off}")
    for place, bet in enumerate(held):
        selection = spelled(bet.game_id, bet.market_type, bet.period, bet.selection)
        if selection != bet.selection:
            held[place] = msgspec.structs.replace(bet, selection=selection)
    return held


def _listed_by_teams(bets: list[PlacedBet], games: Iterable[ListedGame]) -> dict[int, ListedGame]:
    """Return the listed games of bets, by the identity of each bet; needs kick-offs."""
    dated = [bet for bet in bets if bet.kick_off is not None and teams(bet.match_name)]
    starts = [bet.kick_off for bet in dated if bet.kick_off is not None]
    if not starts:
        return {}
    since, until = min(starts) - MOVED_MS, max(starts) + MOVED_MS
    by_teams = defaultdict[Hashable, list[ListedGame]](list)
    for game in games:
        if game.kick_off is not None and since <= game.kick_off <= until:
            for key in _names_of(game.competition, game.match_name):
                by_teams[key].append(game)
    found = {}
    for bet in dated:
        named, unnamed = _names_of(bet.competition, bet.match_name)
        alike = by_teams.get(named if bet.competition else unnamed, ())
        if fitting := [game for game in alike if is_on_listed(bet, game)]:
            found[id(bet)] = min(
                fitting, key=lambda game: abs((game.kick_off or 0) - (bet.kick_off or 0))
            )
    return found


@lru_cache(maxsize=1 << 14)
def _names_of(competition: str, match_name: str) -> tuple[Hashable, Hashable]:
    """Return the common key of all spellings of a game, with and without its competition.

    Home and away teams are not swapped, since outcomes depend on the side.
    """
    names, pair = shipped_names(), teams(match_name)
    keys = tuple(names.team_key(competition, each) for each in pair or ())
    return (_competition(competition), keys), keys


@lru_cache(maxsize=1 << 12)
def _competition(name: str) -> str:
    return shipped_names().competition_named(name).casefold()


def is_on_listed(bet: PlacedBet, game: ListedGame) -> bool:
    """Return whether competition and kick-off allow a bet to be on a listed game.

    If the kick-off is unknown, the id alone decides.
    """
    has_its_id = game.game_id == bet.game_id
    if bet.competition and _competition(bet.competition) != _competition(game.competition):
        return has_its_id and not game.competition
    if bet.kick_off is None or game.kick_off is None:
        return has_its_id
    sport = game.sport if game.sport not in {"", OTHER} else bet.sport
    place = shipped_names().competition_named(game.competition)
    return is_same_kick_off(bet.kick_off, game.kick_off, sport, place)


class _Groups:
    """Groups that are joined pair by pair."""

    def __init__(self) -> None:
        self._parents: dict[int, int] = {}

    def first(self, one: int) -> int:
        """Return the key of the group that contains a member."""
        while (parent := self._parents.get(one, one)) != one:
            one = parent
        return one

    def join(self, members: Iterable[int]) -> None:
        """Join members into one group."""
        roots = [self.first(each) for each in members]
        self._parents |= dict.fromkeys(roots, roots[0]) if roots else {}


def _by_kick_off(bets: list[PlacedBet]) -> list[list[PlacedBet]]:
    """Return bets with one id by game; a bet without a kick-off joins the only game there is."""
    sport = next((bet.sport for bet in bets if bet.sport), "")
    dated = [(bet.kick_off, bet) for bet in bets if bet.kick_off is not None]
    grouped = clusters(dated, sport, _competition(bets[0].competition))
    undated = sorted((b for b in bets if b.kick_off is None), key=lambda bet: bet.placed_at)
    for bet in undated:
        fitting = [each for each in grouped if _is_about(bet, each)]
        if len(fitting) == 1:
            fitting[0].append(bet)
        else:
            grouped.append([bet])
    return grouped


def _is_about(bet: PlacedBet, others: list[PlacedBet]) -> bool:
    """Return whether a bet without a kick-off was placed in the week before a game's bets."""
    begins = min(each.time_order[0] for each in others)
    return abs(begins - bet.placed_at) <= UNDATED_MS


def _fixture(bet: PlacedBet) -> tuple[str, ...] | None:
    if not bet.match_name or bet.kick_off is None:
        return None
    return (*teams_of(bet.match_name), str(bet.kick_off // MINUTE_MS))


@lru_cache(maxsize=1 << 14)
def teams_of(match_name: str) -> tuple[str, ...]:
    """Return the teams in a name, in any spelling and order."""
    pair = teams(match_name)
    return (match_name.casefold(),) if pair is None else tuple(sorted(map(fold_team, pair)))


def _of_one_name(bets: list[PlacedBet]) -> list[list[PlacedBet]]:
    """Return the groups of bets on the same teams at one minute that are on one game.

    All of them, or only those without an id if that is uncertain.
    """
    spelled = {
        (without_date(bet.match_name).casefold(), _competition(bet.competition), bet.game_id)
        for bet in bets
        if bet.game_id
    }
    competitions = {competition for _, competition, _ in spelled} - {""}
    if len(competitions) <= 1 and len(spelled) == len({each[:2] for each in spelled}):
        return [bets]
    return [[bet for bet in bets if not bet.game_id]]
