"""What is counted of a bookmaker's prices in one kind of market, and the card that comes of it."""

import math
from collections.abc import Sequence
from statistics import fmean
from typing import Final, NamedTuple

import msgspec

from oddsdesk.research.intervals import Interval, Sample, mean_of, median_of, share_of

BINS: Final = 5
"""Of chances, equally wide."""


class CardKey(NamedTuple):
    """What a card is of; the period is the market's (0 all, 1 and 2 the halves)."""

    bookmaker: str
    sport: str
    market_type: str
    period: int


class Calibration(msgspec.Struct, frozen=True):
    """Chances of one size, as they were given and as they came true; all in percent."""

    given_pct: float
    came_true: Interval


class Card(msgspec.Struct, frozen=True):
    """What is known of a bookmaker in one kind of market; each figure with its count."""

    key: CardKey
    is_reference: bool
    hold_pct: Interval
    """Median before the close, of gross prices: what an exchange keeps of a win is not in it."""
    best_pct: Interval
    """How many of its prices before the close were the best net price."""
    value_bets: int
    """Prices that were value, each once; of the reference there are none."""
    clv_pct: Interval
    """Mean of those with a closing line."""
    age_s: Interval
    """Median time that its price had stood when the reference moved.

    None where it is 0 only since half of these prices or more may have come in the reading in which
    the reference moved: nobody knows what stood before.
    """
    lag_s: Interval
    """Median time from the reference's moves to its nearest the same way; below 0 it leads.

    Of the moves that it went along with, however late; the count of ``age_s`` is of all. None
    where it is 0 only since half of them or more may be tied: nobody knows who was first.
    """
    tied_pct: Interval
    """How many of those were read at one moment with the reference: nobody knows who was first."""
    log_loss: Interval
    """Mean of its closing line without margin: lines of other games are harder or easier.

    A half-won or half-lost result weighs a half, here and in all figures below.
    """
    log_loss_vs_reference: Interval
    """Mean of its own less the reference's, of the lines that both closed; below 0 it knows more.

    None of the reference, and none where that closes nothing, as a consensus.
    """
    calibration: tuple[Calibration, ...]
    """Of its closing line: chances given beside what came true."""


class Tally:
    """Adds up what is seen of a bookmaker in one kind of market."""

    def __init__(self) -> None:
        self.holds = Sample()
        self.best = Sample()
        """Of each price 1 where it was the best, else 0."""
        self.ages = Sample()
        """In seconds, as lags."""
        self.lags = Sample()
        self.losses = Sample()
        self.losses_vs_reference = Sample()
        self.closed = Sample()
        """Closing line values, in percent."""
        self.value_bets = 0
        self._given = [Sample() for _ in range(BINS)]
        self._true = [Sample() for _ in range(BINS)]

    def take_chances(
        self, chances: Sequence[float], winner: int, game: int, decided: float = 1.0
    ) -> float:
        """Add the chances that a bookmaker gave all sides of a line, and which of them won.

        ``decided`` is the share of the stakes that was won or lost, which all of it weighs.
        Returns the log loss.
        """
        loss = -math.log(chances[winner])
        self.losses.add(loss, game, decided)
        for place, chance in enumerate(chances):
            number = min(int(chance * BINS), BINS - 1)
            self._given[number].add(chance, game, decided)
            self._true[number].add(place == winner, game, decided)
        return loss

    def card(self, key: CardKey, *, is_reference: bool) -> Card:
        """Return what came of it."""
        age, _ = _unless_tied(self.ages)
        lag, tied = _unless_tied(self.lags)
        return Card(
            key=key,
            is_reference=is_reference,
            hold_pct=median_of(self.holds),
            best_pct=share_of(self.best),
            value_bets=self.value_bets,
            clv_pct=mean_of(self.closed),
            age_s=age,
            lag_s=lag,
            tied_pct=tied,
            log_loss=mean_of(self.losses),
            log_loss_vs_reference=mean_of(self.losses_vs_reference),
            calibration=tuple(
                Calibration(fmean(given.values, given.weights) * 100, share_of(true))
                for given, true in zip(self._given, self._true, strict=True)
                if true
            ),
        )


def _unless_tied(times: Sample) -> tuple[Interval, Interval]:
    """Return the median of times between two moves, and how many were read at one moment: of 0."""
    zeros = Sample()
    for each, game in zip(times.values, times.games, strict=True):
        zeros.add(each == 0, game)
    middle, tied = median_of(times), share_of(zeros)
    if middle.figure == 0 and (tied.high is None or tied.high >= 50):
        return Interval(None, middle.count, None, None), tied
    return middle, tied
