"""What bookmakers kept of wins, as a list says it: a part of the win, or an amount.

``Commission`` stands above either. Which it is, the title tells (``Commission %``), a sign in a
cell (``2 %``, ``€0.20``), a figure that the other cannot be, or the profits of bets that were
won; where none of them does, it is not read, and that is said.
"""

import math
from collections.abc import Collection, Sequence
from enum import Enum
from typing import Final, NamedTuple

from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.cells import Habit, read_amount, sign_of
from oddsdesk.pricing.results import Result, decided_share

COMMISSION, COMMISSION_PCT, COMMISSION_AMOUNT = "commission", "commission %", "commission amount"
CENT: Final = 0.01 + 1e-9
"""What rounding may make of a profit."""
_MOST_SHARE: Final = 0.5
"""A larger figure is no share of a win: 0.75 is percent."""
_WINS: Final = frozenset({Result.WON, Result.HALF_WON})


class Kind(Enum):
    """What a column of commissions holds."""

    PERCENT = "in percent of a win"
    SHARE = "as a share of a win"
    """0.02 for 2 %; so workbooks hold what they show in percent."""
    AMOUNT = "as an amount"


_BY_TITLE: Final = {
    COMMISSION_PCT: frozenset({Kind.PERCENT, Kind.SHARE}),
    COMMISSION_AMOUNT: frozenset({Kind.AMOUNT}),
    COMMISSION: frozenset(Kind),
}
COMMISSION_KEYS: Final = tuple(_BY_TITLE)
"""The plainest first."""
PERCENT_SIGN: Final = "% "
"""What may stand behind a figure in percent."""


class Said(NamedTuple):
    """What a cell says of a commission."""

    figure: float
    kinds: frozenset[Kind]
    """What it may be by its sign."""


class BetLine(NamedTuple):
    """A bet of a list, and what stands beside it."""

    number: int
    bet: PlacedBet
    profit: float | None
    commission: Said | None


class Commissions(NamedTuple):
    """How a list says what bookmakers kept."""

    kind: Kind | None = None
    """None where it says nothing that can be read."""
    taken_for: str = ""
    """What it was read as; empty where nothing is kept."""
    doubt: str = ""
    """Why it is not read; empty where it is, or where there is none."""

    def net(self, line: BetLine) -> float | None:
        """Return what a bet pays net; None where its commission does not tell.

        An amount tells it of a bet that was won: nothing is kept of another.
        """
        bet, said = line.bet, line.commission
        if self.kind is None or said is None or (self.kind is Kind.AMOUNT and not _has_won(bet)):
            return None
        stake = bet.stake * _share(bet) if self.kind is Kind.AMOUNT else 1.0
        won = stake * (bet.odds - 1)
        return 1 + max(0.0, won - _kept(self.kind, said.figure, won)) / stake


def read_commission(text: str, decimals: Habit | None) -> Said | None:
    """Return what a cell says; None for an empty one. What is below 0 was taken as an amount.

    Raises:
        CellError: it is no number.
    """
    if not text:
        return None
    figure = read_amount("commission", text.rstrip(PERCENT_SIGN), decimals)
    kinds = frozenset(Kind)
    if text.endswith("%"):
        kinds &= {Kind.PERCENT}
    if figure < 0 or sign_of(text):
        kinds &= {Kind.AMOUNT}
    return Said(abs(figure), kinds)


def commission_key(keys: Collection[str]) -> str | None:
    """Return which of the columns of a list says it; None where none does."""
    return next((key for key in COMMISSION_KEYS if key in keys), None)


def commissions_of(key: str, lines: Sequence[BetLine]) -> Commissions:
    """Return how a list says what bookmakers kept; ``key`` is what its title says."""
    told = [line for line in lines if line.commission is not None]
    above = next((said.figure for line in told if (said := line.commission) and said.figure), None)
    if above is None:  # nothing is nothing, in percent or not
        return Commissions(Kind.PERCENT) if told else Commissions()
    sample = f"commission such as {above:g} is not read"
    kinds = _BY_TITLE[key].intersection(*map(_possible, told))
    fitting = [_fitting(line) for line in told]
    if frozenset() in fitting:
        return Commissions(doubt=f"{sample}: the profits beside it are without it")
    kinds = kinds.intersection(*filter(None, fitting))
    if not kinds:
        return Commissions(doubt=f"{sample}: the bets beside it say otherwise")
    if len(kinds) > 1:
        return Commissions(
            doubt=f"{sample}: nothing tells whether it is percent or an amount; undo, name the "
            "column Commission % (2 for 2 %) or Commission amount, and import again"
        )
    (kind,) = kinds
    return Commissions(kind, f"commission {kind.value}")


def _possible(line: BetLine) -> frozenset[Kind]:
    """Return what a figure may be by its sign and its size."""
    said = line.commission
    if said is None:
        return frozenset(Kind)
    most = {
        Kind.PERCENT: 100.0,
        Kind.SHARE: _MOST_SHARE,
        Kind.AMOUNT: _won(line.bet) + CENT if _has_won(line.bet) else math.inf,
    }
    return frozenset(kind for kind in said.kinds if said.figure <= most[kind])


def _fitting(line: BetLine) -> frozenset[Kind] | None:
    """Return what a commission is by the profit beside it; nothing where it is without it.

    None where the profit does not tell: there is none, or it fits nothing.
    """
    said, profit = line.commission, line.profit
    if said is None or profit is None or not _has_won(line.bet):
        return None
    won = _won(line.bet)
    fits = frozenset(
        kind for kind in Kind if abs(won - _kept(kind, said.figure, won) - profit) <= CENT
    )
    if abs(won - profit) <= CENT:
        return None if fits else fits
    return fits or None


def _kept(kind: Kind, figure: float, won: float) -> float:
    match kind:
        case Kind.PERCENT:
            return won * figure / 100
        case Kind.SHARE:
            return won * figure
        case Kind.AMOUNT:
            return figure


def _won(bet: PlacedBet) -> float:
    """Return what a bet that was won pays beside its stake before any commission."""
    return bet.stake * _share(bet) * (bet.odds - 1)


def _share(bet: PlacedBet) -> float:
    return 0.0 if bet.result is None else decided_share(bet.result)


def _has_won(bet: PlacedBet) -> bool:
    return bet.result in _WINS
