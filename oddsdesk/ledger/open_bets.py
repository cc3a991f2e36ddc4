"""What is placed already and open, as stakes count it (D54)."""

from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

import msgspec

from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.ledger.bets import UNDATED_MS, BetKey, PlacedBet, counted
from oddsdesk.ledger.games import (
    GamesOfBets,
    ListedGame,
    Spelled,
    as_written,
    on_listed_games,
)
from oddsdesk.pricing.at_risk import OpenBet, at_risk, cover_of
from oddsdesk.pricing.closing import CloseBy, FollowedBet
from oddsdesk.pricing.exposure import Placed, Position
from oddsdesk.pricing.outcomes import bet_named, read_selection
from oddsdesk.pricing.profiles import fold_name

NOT_LISTED: Final[Mapping[str, ListedGame]] = MappingProxyType({})
"""The games of no board: bets go by their own ids."""
_OPEN_FROM: Final = 0.5
"""A leg of which others pay less than half of what it pays still has to be completed."""
_Outcome = tuple[str, str, int, str, str]
"""Game id, market type, period, line group, side."""
OPEN_AFTER_MS: Final = 6 * 60 * MINUTE_MS
"""How long after its kick-off a bet counts as open: nobody tells when it is settled."""


def placed_in(
    bets: Iterable[PlacedBet],
    now_ms: int,
    *,
    simulated: bool | None = False,
    listed: Mapping[str, ListedGame] = NOT_LISTED,
    spelled: Spelled = as_written,
) -> Placed:
    """Return what is staked and at risk in open bets; a stake counts as its figure in any currency.

    By outcome all that is staked on it, whatever is staked on other sides. By game the worst result
    of all bets on it: of sides that exclude each other not all lose. Bets that cannot be read count
    as lost. Games add up.

    ``simulated``: whether the odds are beside which they count, as ``counted`` says. An outcome is
    (game id, market type, period, line group, side): how the list of bets names it. A bet stands
    under each of ``outcomes_of`` it, by all ids that bets have of its game. ``listed`` are the
    games of a board by id, whose ids are meant then, and ``spelled`` is how it spells players
    (``on_listed_games``).
    """
    of_game = defaultdict[Hashable, list[tuple[PlacedBet, frozenset[str]]]](list)
    for _, bet, game, ids in _with_games(counted(bets, simulated=simulated), listed, spelled):
        if bet.open_stake and now_ms <= _ends(bet):
            of_game[game or id(bet)].append((bet, ids))
    by_outcome, by_game = defaultdict[Hashable, float](float), dict[Hashable, float]()
    risks = dict[Hashable, float]()
    there = defaultdict[tuple[Hashable, str], float](float)
    positions, total = dict[Hashable, list[Position]](), 0.0
    for on_game in of_game.values():
        first, ids = on_game[0]
        worst, outcomes = first.open_stake, dict[Hashable, float]()
        if len(on_game) > 1:
            worst, outcomes = _at_risk([bet for bet, _ in on_game])
            ids = ids.union(*(each for _, each in on_game))
        total += worst
        for game in ids:
            by_game[game] = by_game.get(game, 0.0) + worst
        for bet, _ in on_game:
            named = _outcome(bet)
            at_worst = outcomes.get(named, bet.open_stake)
            bookmaker = fold_name(bet.bookmaker)
            for outcome in outcomes_by(ids, bet):
                by_outcome[outcome] += bet.open_stake
                risks[outcome] = max(risks.get(outcome, 0.0), at_worst)
                there[outcome, bookmaker] += bet.open_stake
            for game in ids:
                if named is not None:
                    position = Position((game, *named[1:]), bet.open_stake, bet.net)
                    positions.setdefault(game, []).append(position)
    return Placed(by_outcome, by_game, total, there, positions, risks)


def _at_risk(bets: Iterable[PlacedBet]) -> tuple[float, dict[Hashable, float]]:
    """Return what bets on one game lose at worst, and each outcome of them, as it is named."""
    unread, read = 0.0, []
    for bet in bets:
        outcome = _outcome(bet)
        if outcome is None:
            unread += bet.open_stake
        else:
            in_play = _is_in_play(bet)
            read.append(OpenBet(outcome, bet.open_stake, bet.net, bet.sport, in_play))
    # By all ids of the game an outcome is the same.
    first = read[0].outcome[0] if read else ""
    named = [each._replace(outcome=(first, *each.outcome[1:])) for each in read]
    found = at_risk(named)
    outcomes: dict[Hashable, float] = {
        each.outcome: found.by_outcome[name.outcome] for each, name in zip(read, named, strict=True)
    }
    return found.total + unread, outcomes


def _outcome(bet: PlacedBet) -> tuple[str, str, int, str, str] | None:
    return outcome_named(bet.key, bet.match_name, bet.sport, in_play=_is_in_play(bet))


def _is_in_play(bet: PlacedBet) -> bool:
    return bet.kick_off is not None and bet.placed_at >= bet.kick_off


def open_by_outcome(
    bets: Iterable[PlacedBet],
    *,
    simulated: bool | None,
    listed: Mapping[str, ListedGame] = NOT_LISTED,
    spelled: Spelled = as_written,
) -> dict[Hashable, list[PlacedBet]]:
    """Return the bets that are open by what they are on, oldest first, as ``placed_in`` names it.

    ``simulated``: whether the odds are beside which they count, as ``counted`` says.
    """
    found = defaultdict[Hashable, list[PlacedBet]](list)
    held = (bet for bet in counted(bets, simulated=simulated) if bet.open_stake)
    for bet, named, _, ids in _with_games(held, listed, spelled):
        for outcome in outcomes_by(ids, named):
            found[outcome].append(bet)
    return found


class CoveredBet(NamedTuple):
    """How far other open bets of the game pay where a bet loses."""

    left: float
    """The share of what it pays, 0 to 1, that they do not pay."""
    groups: tuple[frozenset[int], ...]
    """By ``id``: the bets that complete each other, this one among them."""

    @property
    def is_open(self) -> bool:
        """Whether most of it is not covered."""
        return self.left > _OPEN_FROM

    def belongs_to(self, bets: Iterable[PlacedBet]) -> bool:
        """Whether it is completed by bets that are all among these."""
        idents = {id(bet) for bet in bets}
        return any(group <= idents for group in self.groups)


def covered_bets(
    found: Mapping[Hashable, Sequence[PlacedBet]], games: Collection[str]
) -> dict[int, CoveredBet]:
    """Return the bets on these games that others complete, by ``id``.

    ``found``: as ``open_by_outcome`` says.
    """
    by_game = defaultdict[str, dict[int, tuple[PlacedBet, list[_Outcome]]]](dict)
    for outcome, bets in found.items():
        if isinstance(outcome, tuple) and outcome[0] in games:
            for bet in bets:
                by_game[outcome[0]].setdefault(id(bet), (bet, []))[1].append(outcome)
    covered = dict[int, CoveredBet]()
    for of_game in by_game.values():
        if len(of_game) > 1:
            covered |= _covered_among([(bet, _meant(bet, each)) for bet, each in of_game.values()])
    return covered


def _covered_among(
    bets: Sequence[tuple[PlacedBet, _Outcome]],
) -> Iterator[tuple[int, CoveredBet]]:
    """Yield the bets on one game that others complete, with ``id``."""
    cover = cover_of(
        OpenBet(outcome, bet.open_stake, bet.net, bet.sport, _is_in_play(bet))
        for bet, outcome in bets
    )
    idents = defaultdict[Hashable, set[int]](set)
    for bet, outcome in bets:
        idents[outcome].add(id(bet))
    groups = defaultdict[Hashable, list[frozenset[int]]](list)
    for group in cover.groups:
        together = frozenset[int]().union(*(idents[each] for each in group))
        for each in group:
            groups[each].append(together)
    for bet, outcome in bets:
        if outcome in groups:
            yield id(bet), CoveredBet(cover.left[outcome], tuple(groups[outcome]))


def _meant(bet: PlacedBet, outcomes: Sequence[_Outcome]) -> _Outcome:
    """Return the outcome that tells how a bet ends, of those that it stands under."""
    named = _outcome(bet)
    same = (each for each in outcomes if named is not None and each[1:] == named[1:])
    return next(same, min(outcomes))


def by_bookmaker(
    found: Mapping[Hashable, Sequence[PlacedBet]],
) -> dict[tuple[Hashable, str], float]:
    """Return what is staked on each outcome at each bookmaker, of what ``open_by_outcome`` says."""
    staked = defaultdict[tuple[Hashable, str], float](float)
    for outcome, bets in found.items():
        for bet in bets:
            staked[outcome, fold_name(bet.bookmaker)] += bet.open_stake
    return staked


def to_follow(
    bets: Iterable[PlacedBet], by: CloseBy, listed: Mapping[str, ListedGame] = NOT_LISTED
) -> list[FollowedBet]:
    """Return the bets whose closing line is wanted; practice has none.

    All are closed by one, whoever judged them when they were placed (D117). ``listed`` are the
    games of the board that is to see them close.
    """
    return [
        FollowedBet(
            bet.ident,
            bet.game_id,
            bet.match_name,
            bet.sport,
            bet.market_type,
            bet.period,
            bet.selection,
            bet.kick_off,
            by,
            bet.bookmaker,
            bet.competition,
        )
        for bet in on_listed_games(counted(bets), listed)
        if bet.ident is not None and bet.close is None and bet.game_id and bet.market_type
    ]


def outcomes_of(bet: PlacedBet) -> frozenset[Hashable]:
    """Return what a bet was on: as it is written, and as the list of bets names it.

    None where that cannot be read. In play the list names some as they are written.
    """
    named = (
        outcome_named(bet.key, bet.match_name, bet.sport, in_play=each)
        for each in {True, _is_in_play(bet)}
    )
    return frozenset(each for each in named if each is not None)


def outcomes_by(ids: Iterable[str], bet: PlacedBet) -> set[Hashable]:
    """Return ``outcomes_of`` a bet by each of the ids of its game."""
    if ids == {bet.game_id}:
        return set(outcomes_of(bet))
    spelled = (msgspec.structs.replace(bet, game_id=each) for each in ids)
    return {outcome for each in spelled for outcome in outcomes_of(each)}


def outcome_named(
    key: BetKey, match_name: str, sport: str, *, in_play: bool
) -> tuple[str, str, int, str, str] | None:
    """Return the outcome that a selection stands for; None where it cannot be read."""
    game_id, market_type, period, selection, _ = key
    read = read_selection(market_type, match_name, selection)
    if read is None:
        return None
    named = bet_named(sport, in_play, market_type, read.key, read.side)
    return game_id, named[0], period, named[1], named[2]


def _with_games(
    bets: Iterable[PlacedBet], listed: Mapping[str, ListedGame], spelled: Spelled
) -> list[tuple[PlacedBet, PlacedBet, str | None, frozenset[str]]]:
    """Return the bets, each as the board names it, with its game and all ids that it has."""
    held = list(bets)
    named = on_listed_games(held, listed, spelled)
    games = GamesOfBets(named)
    pairs = zip(held, named, strict=True)
    return [(bet, each, games.of(each), games.ids(each)) for bet, each in pairs]


def _ends(bet: PlacedBet) -> int:
    if bet.kick_off is None:
        return bet.placed_at + UNDATED_MS
    return bet.kick_off + OPEN_AFTER_MS
