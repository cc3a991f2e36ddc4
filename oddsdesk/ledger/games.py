"""Which bets are on one game, and which of the games that are listed it is.

``matching.bet_games`` says what a game is: its teams, its competition and its kick-off.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple, Protocol

import msgspec

from oddsdesk.contract.competitions import OTHER
from oddsdesk.contract.identity import teams, without_date
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.ledger.bets import UNDATED_MS, PlacedBet
from oddsdesk.matching.bet_games import MOVED_MS, WantedGame, clusters, is_same_kick_off
from oddsdesk.matching.renaming import renamed
from oddsdesk.matching.team_names import fold_team, shipped_names


def may_be_on_one_game(one: PlacedBet, kick_off: int | None) -> bool:
    """Whether a bet may be on the game of its id that begins then: its kick-off agrees."""
    if one.kick_off is None or kick_off is None:
        return True
    return is_same_kick_off(one.kick_off, kick_off, one.sport, _competition(one.competition))


def wanted_game(bet: PlacedBet) -> WantedGame:
    """Return what a bet says of its game."""
    return WantedGame(bet.match_name, bet.competition, bet.sport, bet.kick_off, bet.placed_at)


class ListedGame(Protocol):
    """A game as a board lists it."""

    @property
    def game_id(self) -> str:
        """What the service calls it."""

    @property
    def match_name(self) -> str:
        """The teams."""

    @property
    def competition(self) -> str:
        """Its code."""

    @property
    def sport(self) -> str:
        """Of the contract's table."""

    @property
    def kick_off(self) -> int | None:
        """In milliseconds; None where that is not known."""


Spelled = Callable[[str, str, int, str], str]
"""Returns what a board calls a selection, by game id, market type and period."""


def as_written(game_id: str, market_type: str, period: int, selection: str) -> str:
    """Return a selection as it is: no board spells players in its own way."""
    return selection


class _Known(NamedTuple):
    """A game of bets: what they share, and the ids that they have of it."""

    token: str
    ids: frozenset[str]


class GamesOfBets:
    """The games of bets, told apart by teams, competition and kick-off.

    What is typed or imported has the id of its own spelling (D6), ``A - B`` beside the ``A vs B``
    of a feed: bets on the same teams at the same minute are on one game. Bets of one id whose
    kick-offs do not fit are on several games: those of a series, or of two seasons. Ids of one
    spelling, or of two competitions, stay games apart.
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
        """Return all ids that bets have of a bet's game, its own among them."""
        known = self._of.get(id(bet))
        return frozenset({bet.game_id}) if known is None else known.ids

    def of(self, bet: PlacedBet) -> str | None:
        """Return what bets on one game share; None where nobody tells."""
        known = self._of.get(id(bet))
        return None if known is None or not known.token else known.token


def _named(groups: "_Groups", held: list[PlacedBet]) -> dict[int, _Known]:
    """Return the games of bets by the identities of the bets."""
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
    """Return bets in the words of a board, whose games are given by id: with the ids they have.

    An id may be another game's there: that of a series, or of the next season. A bet whose game is
    not listed has an id that no listed game has. ``spelled`` is how the board spells players.
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
                bet,
                game_id=game.game_id,
                match_name=game.match_name,
                selection=renamed(*words),
            )
        elif bet.game_id in games:
            held[place] = msgspec.structs.replace(bet, game_id=f"{bet.game_id} {bet.kick_off}")
    for place, bet in enumerate(held):
        selection = spelled(bet.game_id, bet.market_type, bet.period, bet.selection)
        if selection != bet.selection:
            held[place] = msgspec.structs.replace(bet, selection=selection)
    return held


def _listed_by_teams(bets: list[PlacedBet], games: Iterable[ListedGame]) -> dict[int, ListedGame]:
    """Return the listed games of bets by the identities of these; kick-offs have to be known."""
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
    """Return what all names of a game have in common, with and without its competition.

    Home teams are told apart from away teams, as outcomes are by side.
    """
    names, pair = shipped_names(), teams(match_name)
    keys = tuple(names.key(competition, each) for each in pair or ())
    return (_competition(competition), keys), keys


@lru_cache(maxsize=1 << 12)
def _competition(name: str) -> str:
    return shipped_names().competition(name).casefold()


def is_on_listed(bet: PlacedBet, game: ListedGame) -> bool:
    """Whether competition and kick-off allow that a bet is on a listed game of its teams, or id.

    Of a kick-off that is not known the id alone tells.
    """
    has_its_id = game.game_id == bet.game_id
    if bet.competition and _competition(bet.competition) != _competition(game.competition):
        return has_its_id and not game.competition
    if bet.kick_off is None or game.kick_off is None:
        return has_its_id
    sport = game.sport if game.sport not in {"", OTHER} else bet.sport
    place = shipped_names().competition(game.competition)
    return is_same_kick_off(bet.kick_off, game.kick_off, sport, place)


class _Groups:
    """What belongs together, joined pair by pair."""

    def __init__(self) -> None:
        self._parents: dict[int, int] = {}

    def first(self, one: int) -> int:
        """Return what all that belongs together with one has in common."""
        while (parent := self._parents.get(one, one)) != one:
            one = parent
        return one

    def join(self, members: Iterable[int]) -> None:
        """Have some belong together."""
        roots = [self.first(each) for each in members]
        self._parents |= dict.fromkeys(roots, roots[0]) if roots else {}


def _by_kick_off(bets: list[PlacedBet]) -> list[list[PlacedBet]]:
    """Return bets of one id by game; those without a kick-off go with the only one there is."""
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
    """Whether a bet without a kick-off was placed in the week before those of a game."""
    begins = min(each.order[0] for each in others)
    return abs(begins - bet.placed_at) <= UNDATED_MS


def _fixture(bet: PlacedBet) -> tuple[str, ...] | None:
    if not bet.match_name or bet.kick_off is None:
        return None
    return (*teams_of(bet.match_name), str(bet.kick_off // MINUTE_MS))


@lru_cache(maxsize=1 << 14)
def teams_of(match_name: str) -> tuple[str, ...]:
    """Return the teams of a name, the same of each way to write it and whichever is first."""
    pair = teams(match_name)
    return (match_name.casefold(),) if pair is None else tuple(sorted(map(fold_team, pair)))


def _of_one_name(bets: list[PlacedBet]) -> list[list[PlacedBet]]:
    """Return the bets on the same teams at one minute that are on one game.

    All of them; only those without an id where that cannot be said.
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
