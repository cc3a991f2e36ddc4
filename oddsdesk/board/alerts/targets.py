"""Target prices: what one on a cell is about, which price makes sense, and the rule it becomes."""

import math
from collections.abc import Callable
from typing import Final, NamedTuple

from oddsdesk.board.alerts.rules import AlertSettings, TargetRule
from oddsdesk.board.board import Board
from oddsdesk.board.matrix import Doubted, RowKey, SelectionRow
from oddsdesk.board.opportunity_finder import UNRELIABLE
from oddsdesk.board.rows import UNNAMED_REFERENCE
from oddsdesk.pricing.rules import safety_floor

_BETTER: Final = 1.02
"""How much more is asked for where the price is value already, or nobody knows its value."""


class TargetCell(NamedTuple):
    """A cell as its target is asked for: there need be no price in it."""

    key: RowKey
    match_name: str
    sport: str
    bookmaker: str
    """By name, the reference too."""
    odds: float | None
    """Gross, as offered there now; None where it is not."""
    best: float | None
    """The gross odds of the best price at the user's bookmakers now."""
    doubted: Doubted | None
    """A higher price there that is doubted."""
    reference: str
    value_from: float | None
    """Gross odds there from which it is value; None where no price can be."""
    net: Callable[[float], float]
    """Returns what a unit staked there pays back at gross odds."""
    fair: float | None
    decided: float

    def ev_at(self, odds: float, *, anywhere: bool) -> float | None:
        """Return the EV in percent at gross odds there, or ``anywhere`` without a commission."""
        if self.fair is None:
            return None
        final = self.fair * safety_floor(self.key.market_type)
        return ((odds if anywhere else self.net(odds)) / final - 1) * 100 * self.decided

    @property
    def is_doubted_alerted(self) -> bool:
        """Whether the doubted price may alert all the same, with its doubt."""
        return self.doubted is not None and self.doubted.caution not in UNRELIABLE

    def suggested(self) -> float:
        """Return a price worth waiting for: where value begins, else a little more than now."""
        least = self.value_from
        if least is not None and math.isfinite(least) and (self.odds or 0.0) < least:
            return _rounded_up(least)
        return _rounded_up((self.odds or self.best or self.fair or 2.0) * _BETTER)

    def rule(self, odds: float, *, anywhere: bool, like: TargetRule | None = None) -> TargetRule:
        """Return the rule of a target, told where and under the name that ``like`` is."""
        return TargetRule(
            name=like.name if like else "",
            channels=like.channels if like else (),
            game=self.match_name,
            market=self.key.market_type,
            period=self.key.period,
            selection=self.key.selection,
            odds=odds,
            bookmaker="" if anywhere else self.bookmaker,
        )


def target_cell(board: Board, key: RowKey) -> TargetCell | None:
    """Return what a target on a cell is about; None where nothing of its row is held."""
    matrix, section = board.matrix(key.game_id), board.section(*key[:4])
    if matrix is None or section is None:
        return None
    row = section.row_of(key.selection)
    name = key.bookmaker or board.reference or UNNAMED_REFERENCE
    price = row.reference if key.bookmaker is None else row.prices.get(key.bookmaker)
    profile = board.basis.profiles.of(name)
    return TargetCell(
        key=key,
        match_name=matrix.match_name,
        sport=matrix.sport,
        bookmaker=name,
        odds=price.odds if price is not None and price.is_offered else None,
        best=_best(row),
        doubted=_doubted(board, row),
        reference=board.reference or UNNAMED_REFERENCE,
        value_from=None if row.value_from is None else profile.gross(row.value_from),
        net=profile.net,
        fair=row.fair,
        decided=row.decided,
    )


def target_of(settings: AlertSettings, cell: TargetCell) -> TargetRule | None:
    """Return the target that stands on a cell: at its bookmaker, else at any."""
    key = cell.key
    found = [
        rule
        for rule in settings.rules
        if isinstance(rule, TargetRule)
        and rule.game.casefold() == cell.match_name.casefold()
        and (rule.market, rule.period, rule.selection) == key[1:4]
        and rule.bookmaker.casefold() in ("", cell.bookmaker.casefold())
    ]
    return max(found, key=lambda rule: bool(rule.bookmaker), default=None)


def _best(row: SelectionRow) -> float | None:
    offered = (row.prices.get(name) for name in row.best_bookmakers)
    return next((price.odds for price in offered if price is not None), None)


def _doubted(board: Board, row: SelectionRow) -> Doubted | None:
    found = row.doubted
    return found if found is not None and board.basis.is_mine(found.bookmaker) else None


def _rounded_up(odds: float) -> float:
    """Return odds with two decimals, as bookmakers quote them; never below what was given."""
    return math.ceil(round(odds * 100, 6)) / 100
