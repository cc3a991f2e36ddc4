"""What bets of one game win together, by the reference's prices of that game (D107).

Only football before kick-off has a model (D89). Elsewhere nothing is known of several lines
together.
"""

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Final

from oddsdesk.board.matrix import Matrix
from oddsdesk.contract.competitions import FOOTBALL
from oddsdesk.pricing.exposure import Offer, Placed, Position, Results, ResultsOf, ways
from oddsdesk.pricing.score_grid import MARKETS, Line, ScoreGrid, fitted_grid, shares_at
from oddsdesk.pricing.settlement import Settlement

_SWEEPS: Final = 40
_SETTLED: Final = 1e-6
_LARGEST_MISS: Final = 0.005
"""Of the probabilities of a line to be staked: lines that contradict each other are not solved."""
_WAYS: Final = (1.0, 0.5, 0.0, -0.5, -1.0)


def fair_lines(matrix: Matrix | None) -> tuple[Line, ...]:
    """Return the reference's fair probabilities of all lines of a game that a score settles."""
    if matrix is None or matrix.sport != FOOTBALL or matrix.is_live:
        return ()
    return tuple(
        Line(section.key.market_type, section.key.group, side, 1 / price.fair_odds)
        for section in matrix.sections
        if section.key.period == 0 and section.key.market_type in MARKETS
        if (line := section.reference) is not None
        if not line.is_live and (line.overround or 0.0) >= 1
        for side, price in line.prices.items()
        if price.fair_odds is not None
    )


class GameResults:
    """Remembers what was found of each game, for as long as nothing that it rests on changes."""

    def __init__(self) -> None:
        self._grids: dict[Hashable, tuple[Sequence[Line], ScoreGrid | None]] = {}
        self._found: dict[Hashable, tuple[object, Results | None]] = {}

    def among(self, lines: Mapping[Hashable, Sequence[Line]], placed: Placed) -> ResultsOf:
        """Return what tells a game's results, by the reference's lines of each."""

        def results_of(offers: Sequence[Offer]) -> Results | None:
            game = offers[0].game
            return self.of(offers, lines.get(game, ()), placed.positions.get(game, ()))

        return results_of

    def of(
        self, offers: Sequence[Offer], lines: Sequence[Line], held: Sequence[Position]
    ) -> Results | None:
        """Return what is known of a game's results; None where lines are not known together.

        Args:
            offers: A price of each outcome of the game that may be staked.
            lines: What the reference says of the game.
            held: The open bets on the game.
        """
        if not lines:
            return None
        game = offers[0].game
        asked = lines, [(offer.outcome, offer.settlement) for offer in offers], held
        if (known := self._found.get(game)) is None or known[0] != asked:
            known = self._found[game] = asked, self._find(offers, lines, held)
        return known[1]

    def _find(
        self, offers: Sequence[Offer], lines: Sequence[Line], held: Sequence[Position]
    ) -> Results | None:
        read = [offer for offer in offers if _shares(offer.outcome) is not None]
        positions = [bet for bet in held if _shares(bet.outcome) is not None]
        outcomes = {offer.outcome for offer in read} | {bet.outcome for bet in positions}
        if len(outcomes) < 2 or not read:
            return None
        grid = self._grid(offers[0].game, lines)
        if grid is None:
            return None
        # Scores at which all bets end alike are one result.
        bets = [*(offer.outcome for offer in read), *(bet.outcome for bet in positions)]
        ends = [_shares(outcome) or () for outcome in bets]
        merged = defaultdict[tuple[float, ...], float](float)
        for chance, *shares in zip(grid.chances, *ends, strict=True):
            merged[tuple(shares)] += chance
        by_bet = list(zip(*merged, strict=True))
        offered = dict(zip(bets[: len(read)], by_bet, strict=False))
        chances = _raked(list(merged.values()), read, offered)
        if chances is None:
            return None
        return Results(chances, offered, _gained(positions, by_bet[len(read) :], len(merged)))

    def _grid(self, game: Hashable, lines: Sequence[Line]) -> ScoreGrid | None:
        known = self._grids.get(game)
        if known is None or known[0] != lines:
            known = self._grids[game] = lines, fitted_grid(lines)
        return known[1]


def _gained(
    positions: Sequence[Position], shares: Sequence[Sequence[float]], count: int
) -> list[float]:
    """Return what open bets gain in each result, in the user's money."""
    gained = [0.0] * count
    for position, of_bet in zip(positions, shares, strict=True):
        for place, share in enumerate(of_bet):
            odds = position.net_odds - 1 if share > 0 else 1.0
            gained[place] += position.stake * share * odds
    return gained


def _shares(outcome: Hashable) -> tuple[float, ...] | None:
    """Return what an outcome wins at each score; None where no score settles it."""
    if not isinstance(outcome, tuple):
        return None
    _, market_type, period, key, side = outcome
    return None if period else shares_at(market_type, key, side)


def _is_push_unknown(ends: Settlement) -> bool:
    return not (ends.push or ends.half_win or ends.half_loss)


def _raked(
    chances: Sequence[float],
    offers: Iterable[Offer],
    shares: Mapping[Hashable, Sequence[float]],
) -> list[float] | None:
    """Return the chances nearest to a grid's with which each bet is worth what it is judged at.

    Iterative proportional fitting (Deming and Stephan 1940): each line in turn is scaled to its own
    probabilities, until all hold. None where they contradict each other. How often the stake comes
    back is the grid's where the line's own price does not tell.
    """
    found = list(chances)
    margins, decided = [], []
    for offer in offers:
        of_bet = shares[offer.outcome]
        if _is_push_unknown(offer.settlement) and any(abs(each) < 1 for each in of_bet):
            won = [(at, each) for at, each in enumerate(of_bet) if each > 0]
            lost = [(at, -each) for at, each in enumerate(of_bet) if each < 0]
            decided.append((won, lost, offer.settlement.win))
            continue
        for share, chance in zip(_WAYS, ways(offer.settlement), strict=True):
            places = [at for at, each in enumerate(of_bet) if each == share]
            if places or chance:
                margins.append((places, chance))
    for _ in range(_SWEEPS):
        largest = 0.0
        for places, chance in margins:
            now = math.fsum(found[at] for at in places)
            if abs(now - chance) > largest:
                largest = abs(now - chance)
            if now > 0:
                scale = chance / now
                for at in places:
                    found[at] *= scale
        for won, lost, chance in decided:
            gained = math.fsum(found[at] * each for at, each in won)
            whole = gained + math.fsum(found[at] * each for at, each in lost)
            if not 0 < gained < whole:
                continue
            largest = max(largest, abs(gained / whole - chance))
            for side, scale in (
                (won, chance * whole / gained),
                (lost, (1 - chance) * whole / (whole - gained)),
            ):
                for at, _ in side:
                    found[at] *= scale
        if largest < _SETTLED:
            break
    whole = math.fsum(found)
    return [each / whole for each in found] if largest <= _LARGEST_MISS else None
