"""A row of the odds grid: one price with what it is judged by."""

from typing import Final

import msgspec

from oddsdesk.board.figures import offered
from oddsdesk.board.matrix import Matrix, MatrixLine, RowKey, Section
from oddsdesk.board.prices import Price
from oddsdesk.pricing.rules import safety_floor

UNNAMED_REFERENCE: Final = "reference"
"""What the reference is called until an answer tells its name."""


class GridRow(msgspec.Struct, frozen=True):
    """One price of one game; times in milliseconds."""

    key: RowKey
    match_name: str
    competition: str
    sport: str
    kick_off: int | None
    market_type: str
    period: int
    period_label: str
    selection: str
    bookmaker: str
    is_reference: bool
    odds: float
    previous: float | None
    reference_odds: float | None
    fair_odds: float | None
    ev: float | None
    """True EV in percent, safety floor included; None where it can't be valued or compared."""
    scraped_at: int
    changed_at: int
    is_live: bool
    url: str | None
    withdrawn_at: int | None


def grid_row(
    key: RowKey, matrix: Matrix, section: Section, price: Price, reference: str | None
) -> GridRow:
    """Put together the row of one price."""
    line = section.line_of(key.selection)
    return GridRow(
        key=key,
        match_name=matrix.match_name,
        competition=matrix.competition,
        sport=matrix.sport,
        kick_off=matrix.kick_off,
        market_type=key.market_type,
        period=key.period,
        period_label=section.period_label,
        selection=key.selection,
        bookmaker=key.bookmaker or reference or UNNAMED_REFERENCE,
        is_reference=key.bookmaker is None,
        odds=price.odds,
        previous=price.previous,
        reference_odds=offered(line.reference),
        fair_odds=line.fair,
        ev=_comparable_ev(key, section, line, price),
        scraped_at=price.scraped_at,
        changed_at=price.changed_at,
        is_live=price.is_live or matrix.is_live,
        url=price.url,
        withdrawn_at=price.withdrawn_at,
    )


def _comparable_ev(key: RowKey, section: Section, line: MatrixLine, price: Price) -> float | None:
    """The edge of a price that bets on what the reference prices (D27), in play as it is (D30)."""
    if line.fair is None or section.reference is None or key.bookmaker in section.other_bets:
        return None
    if price.is_live != section.reference.is_live:
        return None
    return ev_pct(price.odds, line.fair, key.market_type)


def ev_pct(odds: float, fair: float, market_type: str) -> float:
    """Return the expected value of a price in percent, safety floor included, unrounded."""
    return (odds / (fair * safety_floor(market_type)) - 1) * 100
