"""One value bet with the desk's own judgement beside the service's."""

from collections.abc import Sequence
from enum import Enum
from typing import Final, NamedTuple

import msgspec

from oddsdesk.board.game_book import GameBook
from oddsdesk.board.games import optional_ms
from oddsdesk.board.judging import shares_state
from oddsdesk.board.market import WITHDRAWN_KEPT_MS
from oddsdesk.board.matrix import CellKey, RowKey, Section, SelectionRow
from oddsdesk.board.prices import Price
from oddsdesk.board.rows import ev_pct
from oddsdesk.board.valuation import offered
from oddsdesk.contract.resources import ValueBet
from oddsdesk.pricing.audit import (
    AuditedRow,
    Hypothesis,
    exact_total,
    explains,
    fair_odds,
    shown_fair,
)
from oddsdesk.pricing.devig import DEFAULT_METHOD, DevigError
from oddsdesk.pricing.rules import MIN_EV
from oddsdesk.pricing.selections import LineGroup, outcome_counts
from oddsdesk.pricing.value import PriceWindow, ReferenceLine, ReferencePrice, price_window

_SAME: Final = 1e-4
"""Fair odds this little apart, as a share, differ by rounding: 0.01 % of EV."""
_CONTRACT: Final = Hypothesis(DEFAULT_METHOD, floor_in_fair_odds=False, floor_in_ev=True)


class Standing(Enum):
    """Whether a value bet still is what the service listed, as far as the board knows better."""

    HOLDS = "holds"
    WITHDRAWN = "withdrawn"
    """The bookmaker offers the price no more."""
    MOVED = "moved"
    """The price, or the reference's, moved: it lies outside the window now."""
    NO_REFERENCE = "no_reference"
    """The reference offers its price no more."""
    OTHER_STATE = "other_state"
    """One of both is in play, the other is not (D30)."""


class ValueEntry(msgspec.Struct, frozen=True):
    """A value bet of the service and its true EV (D26); times in milliseconds."""

    key: RowKey
    bet: ValueBet
    kick_off: int | None
    detected_at: int
    odds: float
    """The board's, where it heard of the price after the bet was detected, else the row's."""
    outcomes: int
    """N, the number of outcomes that the reference prices (D27)."""
    method: str
    """The devig method of ``true_fair``: the default one where the user's has no answer."""
    true_fair: float | None
    true_ev: float | None
    """In percent, safety floor included, unrounded; None where S leaves no probability."""
    value_from: float | None
    suspicious_above: float | None
    is_live: bool
    url: str | None
    standing: Standing = Standing.HOLDS
    """Where it does not hold, odds and figures are those that were listed."""

    @property
    def is_value(self) -> bool:
        """Whether it is a true value bet now, by price alone: age is another matter."""
        return (
            self.standing is Standing.HOLDS and self.true_ev is not None and self.true_ev >= MIN_EV
        )


class _Figures(NamedTuple):
    """A price and what it is worth."""

    odds: float
    fair: float | None
    method: str
    window: PriceWindow | None

    def ev(self, market_type: str) -> float | None:
        return None if self.fair is None else ev_pct(self.odds, self.fair, market_type)


class _Held(NamedTuple):
    """The price of a value bet as the board holds it."""

    section: Section
    row: SelectionRow
    price: Price


def value_entry(
    key: RowKey, bet: ValueBet, book: GameBook | None, method: str, served: Sequence[Hypothesis]
) -> ValueEntry:
    """Judge a checked value bet by its own row and by the prices that are held (D26).

    ``method`` is the user's, ``served`` how the service may reckon, the likeliest first.
    """
    detected_at = optional_ms(bet.detected_at) or 0
    held = _held(key, book)
    outcomes = _outcomes(bet, held, served[0] if served else _CONTRACT)
    listed = _by_row(bet, method, outcomes, served)
    standing = _standing(held, book, detected_at)
    figures = listed
    if held is not None and standing is Standing.HOLDS:
        figures = _by_prices(bet, held, listed, method, detected_at)
        if _has_left(bet, listed, figures, method):
            figures, standing = listed, Standing.MOVED
    window = figures.window
    return ValueEntry(
        key=key,
        bet=bet,
        kick_off=optional_ms(bet.match_date),
        detected_at=detected_at,
        odds=figures.odds,
        outcomes=outcomes,
        method=figures.method,
        true_fair=figures.fair,
        true_ev=figures.ev(bet.market_type),
        value_from=None if window is None else window.least,
        suspicious_above=None if window is None else window.most,
        is_live=held is not None and held.price.is_live is True,
        url=None if held is None else held.price.url,
        standing=standing,
    )


def audited(bet: ValueBet) -> AuditedRow:
    """Return the figures of a value bet that an audit looks at."""
    return AuditedRow(
        bet.market_type,
        bet.odds,
        bet.reference_odds,
        bet.payout_rate,
        bet.fair_odds,
        bet.ev_pct,
        outcome_counts(bet.market_type, bet.sport) or (2,),
    )


def _held(key: RowKey, book: GameBook | None) -> _Held | None:
    found = None if book is None else book.find(CellKey(*key[1:]))
    if found is None:
        return None
    section, price = found
    return _Held(section, section.row_of(key.selection), price)


def _standing(held: _Held | None, book: GameBook | None, detected_at: int) -> Standing:
    """Whether the price is still there and can be compared.

    What was detected after the board lost it is there again.
    """
    if held is None:
        read_at = None if book is None else book.matrix.read_at
        is_missing = read_at is not None and read_at - detected_at >= WITHDRAWN_KEPT_MS
        return Standing.WITHDRAWN if is_missing else Standing.HOLDS
    if _is_gone(held.price, detected_at):
        return Standing.WITHDRAWN
    if held.row.reference is not None and _is_gone(held.row.reference, detected_at):
        return Standing.NO_REFERENCE
    return Standing.HOLDS if shares_state(held.section, held.price) else Standing.OTHER_STATE


def _is_gone(price: Price, detected_at: int) -> bool:
    return price.withdrawn_at is not None and price.withdrawn_at >= detected_at


def _by_row(bet: ValueBet, method: str, outcomes: int, served: Sequence[Hypothesis]) -> _Figures:
    """What the row alone says, by the user's method or else by the default one."""
    row, by = audited(bet), method
    total = exact_total(row, served[0], outcomes) if served else bet.payout_rate
    fair = _fair(method, bet.reference_odds, total, outcomes) or _as_served(method, row, served)
    if fair is None:
        by, fair = DEFAULT_METHOD, _fair(DEFAULT_METHOD, bet.reference_odds, total, outcomes)
    return _Figures(bet.odds, fair, by, _window(bet, total, fair))


def _as_served(method: str, row: AuditedRow, served: Sequence[Hypothesis]) -> float | None:
    """The row's own fair odds, where they can be by the user's method only."""
    mine = next((each for each in served if each.method == method), None)
    if mine is None or any(explains(each, row) for each in served if each.method != method):
        return None
    return shown_fair(row, mine)


def _by_prices(
    bet: ValueBet, held: _Held, listed: _Figures, method: str, detected_at: int
) -> _Figures:
    """What the prices held say; the row's own figures where they differ by rounding only."""
    price, row = held.price, held.row
    is_newer = price.scraped_at > detected_at and offered(price) is not None
    odds = price.odds if is_newer else bet.odds
    if row.fair is None:
        return listed._replace(odds=odds)
    is_same = listed.fair is not None and abs(row.fair / listed.fair - 1) <= _SAME
    if is_same and listed.method == method:
        return listed._replace(odds=odds)
    reference = held.section.reference
    side = next(
        (name for name, at in zip(held.section.sides, held.section.rows, strict=True) if at is row),
        "",
    )
    window = None if reference is None else price_window(reference, side)
    return _Figures(odds, row.fair, method, window)


def _has_left(bet: ValueBet, listed: _Figures, now: _Figures, method: str) -> bool:
    """Whether a bet that was value as listed lies outside its window now."""
    if now == listed or listed.method != method:
        return False
    ev = listed.ev(bet.market_type)
    if ev is None or ev < MIN_EV:
        return False
    return now.window is None or not now.window.least <= now.odds <= now.window.most


def _outcomes(bet: ValueBet, held: _Held | None, served: Hypothesis) -> int:
    """N: as the reference's prices have it, else the one that the row's fair odds fit best."""
    if held is not None and held.section.reference is not None:
        return len(held.section.reference.prices)
    counts = outcome_counts(bet.market_type, bet.sport) or (2,)
    if len(counts) == 1:
        return counts[0]
    fits = {
        count: _fair(served.method, bet.reference_odds, bet.payout_rate, count) for count in counts
    }
    return min(counts, key=lambda count: abs((fits[count] or 0.0) - bet.fair_odds))


def _fair(method: str, reference_odds: float, total: float, outcomes: int) -> float | None:
    """The fair price of one outcome, None where the method needs the other prices."""
    try:
        return fair_odds(method, reference_odds, total, outcomes)
    except DevigError:
        return None


def _window(bet: ValueBet, total: float, fair: float | None) -> PriceWindow | None:
    """The window of the selection, from S and the reference's price on the row."""
    price = ReferencePrice(bet.reference_odds, total - 1 / bet.reference_odds, fair)
    group = LineGroup("", None, (bet.selection,), ("",), complete=True)
    line = ReferenceLine(bet.market_type, group, {"": price}, total, scraped_at=0, is_live=False)
    return price_window(line, "")
