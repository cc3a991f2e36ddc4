"""What is placed already and open, as stakes count it (D54)."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Final

import msgspec

from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.ledger.bets import UNDATED_MS, BetKey, PlacedBet, counted
from oddsdesk.ledger.games import GamesOfBets
from oddsdesk.pricing.closing import FollowedBet
from oddsdesk.pricing.exposure import Placed
from oddsdesk.pricing.outcomes import bet_named, read_selection
from oddsdesk.pricing.profiles import fold_name

OPEN_AFTER_MS: Final = 6 * 60 * MINUTE_MS
"""How long after its kick-off a bet counts as open: nobody tells when it is settled."""


def placed_in(bets: Iterable[PlacedBet], now_ms: int, *, simulated: bool | None = False) -> Placed:
    """Add up the open bets by outcome and by game; a stake counts as its figure in any currency.

    ``simulated``: whether the odds are beside which they count, as ``counted`` says. An outcome is
    (game id, market type, period, line group, side): how the list of bets names it. A bet stands
    under each of ``outcomes_of`` it, by all ids that bets have of its game.
    """
    by_outcome: defaultdict[Hashable, float] = defaultdict(float)
    by_game: defaultdict[Hashable, float] = defaultdict(float)
    total = 0.0
    for bet, ids in _with_ids(counted(bets, simulated=simulated)):
        stake = bet.open_stake
        if not stake or now_ms > _ends(bet):
            continue
        for outcome in outcomes_by(ids, bet):
            by_outcome[outcome] += stake
        for game in ids:
            by_game[game] += stake
        total += stake
    return Placed(by_outcome, by_game, total)


def open_by_outcome(
    bets: Iterable[PlacedBet], *, simulated: bool | None
) -> dict[Hashable, list[PlacedBet]]:
    """Return the bets that are open by what they are on, oldest first, as ``placed_in`` names it.

    ``simulated``: whether the odds are beside which they count, as ``counted`` says.
    """
    found = defaultdict[Hashable, list[PlacedBet]](list)
    for bet, ids in _with_ids(counted(bets, simulated=simulated)):
        if bet.open_stake:
            for outcome in outcomes_by(ids, bet):
                found[outcome].append(bet)
    return found


def by_bookmaker(
    found: Mapping[Hashable, Sequence[PlacedBet]],
) -> dict[tuple[Hashable, str], float]:
    """Return what is staked on each outcome at each bookmaker, of what ``open_by_outcome`` says."""
    staked = defaultdict[tuple[Hashable, str], float](float)
    for outcome, bets in found.items():
        for bet in bets:
            staked[outcome, fold_name(bet.bookmaker)] += bet.open_stake
    return staked


def to_follow(bets: Iterable[PlacedBet], method: str) -> list[FollowedBet]:
    """Return the bets whose closing line is wanted, devigged by the method they were judged by.

    ``method`` is for those that were judged by none. Practice has no closing line.
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
            bet.method or method,
            bet.reference,
            bet.bookmaker,
        )
        for bet in counted(bets)
        if bet.ident is not None and bet.close is None and bet.game_id and bet.market_type
    ]


def outcomes_of(bet: PlacedBet) -> frozenset[Hashable]:
    """Return what a bet was on: as it is written, and as the list of bets names it.

    None where that cannot be read. In play the list names some as they are written.
    """
    in_play = bet.kick_off is not None and bet.placed_at >= bet.kick_off
    named = (
        outcome_named(bet.key, bet.match_name, bet.sport, in_play=each) for each in {True, in_play}
    )
    return frozenset(each for each in named if each is not None)


def outcomes_by(ids: Iterable[str], bet: PlacedBet) -> set[Hashable]:
    """Return ``outcomes_of`` a bet by each of the ids of its game."""
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


def _with_ids(bets: Iterable[PlacedBet]) -> list[tuple[PlacedBet, frozenset[str]]]:
    """Return the bets, each with all ids that bets have of its game."""
    listed = list(bets)
    games = GamesOfBets(listed)
    return [(bet, games.ids(bet)) for bet in listed]


def _ends(bet: PlacedBet) -> int:
    if bet.kick_off is None:
        return bet.placed_at + UNDATED_MS
    return bet.kick_off + OPEN_AFTER_MS
