"""A value bet with the desk's own judgement beside the service's."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Final

import msgspec

from oddsdesk.board.game_book import GameBook
from oddsdesk.board.games import optional_ms
from oddsdesk.board.matrix import CellKey, RowKey, Section
from oddsdesk.board.rows import ev_pct
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.resources import ValueBet
from oddsdesk.pricing.audit import Audit, AuditedRow, audit, fair_odds
from oddsdesk.pricing.devig import DEFAULT_METHOD, DevigError
from oddsdesk.pricing.selections import LineGroup, outcome_counts
from oddsdesk.pricing.value import PriceWindow, ReferenceLine, ReferencePrice, price_window

AUDITED: Final = 12
"""How many rows an audit looks at: enough to tell formulas apart, in under 20 ms."""


class ValueEntry(msgspec.Struct, frozen=True):
    """A value bet of the service and its true EV (D26); times in milliseconds."""

    key: RowKey
    bet: ValueBet
    kick_off: int | None
    detected_at: int
    outcomes: int
    """N, the number of outcomes that the reference prices (D27)."""
    true_fair: float | None
    true_ev: float | None
    """In percent, safety floor included, unrounded; None where S leaves no probability."""
    value_from: float | None
    suspicious_above: float | None
    is_live: bool
    scraped_at: int | None
    """When the price was last seen; None while the board holds no price for it."""
    url: str | None


class ValueBets:
    """The value bets of the service and what the desk makes of them."""

    def __init__(self) -> None:
        self.entries: dict[RowKey, ValueEntry] = {}
        """Highest true EV first."""
        self.audit: Audit | None = None
        """How the service seems to reckon, None before the first bet (D26)."""
        self._bets: Sequence[ValueBet] = ()

    def load(self, bets: Iterable[ValueBet], bad: list[str]) -> None:
        """Take in the whole list; bets that make no sense are named in ``bad``."""
        self._bets = _checked(bets, bad)
        wanted = min(AUDITED, len(self._bets))
        if wanted and (self.audit is None or self.audit.rows < wanted):
            self.audit = _audit(self._bets[:wanted])

    def judge(self, method: str, book_of: Callable[[ValueBet], GameBook | None]) -> bool:
        """Judge every bet by the prices that are held; tell whether any figure differs."""
        fitting = () if self.audit is None else self.audit.fitting
        served = fitting[0].method if fitting else DEFAULT_METHOD
        entries = [value_entry(bet, book_of(bet), method, served) for bet in self._bets]
        entries.sort(key=_worth, reverse=True)
        held = {entry.key: entry for entry in entries}
        if list(held.values()) == list(self.entries.values()):
            return False
        self.entries = held
        return True


def value_entry(bet: ValueBet, book: GameBook | None, method: str, served: str) -> ValueEntry:
    """Judge a checked value bet by the prices that are held, else by its own row (D26).

    ``method`` is the user's, ``served`` the one that the service seems to use.
    """
    key = RowKey(
        game_id(bet.competition, bet.match_name),
        bet.market_type,
        bet.period,
        bet.selection,
        bet.bookmaker,
    )
    found = None if book is None else book.find(CellKey(*key[1:]))
    section, price = (None, None) if found is None else found
    outcomes = _outcomes(bet, section, served)
    fair = None if section is None else section.line_of(bet.selection).fair
    if fair is None:
        fair = _fair(method, bet, outcomes) or _fair(DEFAULT_METHOD, bet, outcomes)
    window = _window(bet, fair)
    return ValueEntry(
        key=key,
        bet=bet,
        kick_off=optional_ms(bet.match_date),
        detected_at=optional_ms(bet.detected_at) or 0,
        outcomes=outcomes,
        true_fair=fair,
        true_ev=None if fair is None else ev_pct(bet.odds, fair, bet.market_type),
        value_from=None if window is None else window.least,
        suspicious_above=None if window is None else window.most,
        is_live=price is not None and price.is_live is True,
        scraped_at=None if price is None else price.scraped_at,
        url=None if price is None else price.url,
    )


def _checked(bets: Iterable[ValueBet], bad: list[str]) -> list[ValueBet]:
    """Return the bets that can be judged; the others are named in ``bad``."""
    kept = []
    for bet in bets:
        odds = (bet.odds, bet.reference_odds, bet.fair_odds)
        if min(odds) <= 1 or bet.payout_rate <= 1 / bet.reference_odds or bet.ev_pct <= -100:
            bad.append(f"{bet.match_name}, {bet.selection!r}: expected odds above 1 that fit S")
        elif not _has_times(bet):
            bad.append(f"{bet.match_name}, {bet.selection!r}: expected times with an offset")
        else:
            kept.append(bet)
    return kept


def _audit(bets: Sequence[ValueBet]) -> Audit:
    """Find out from a few rows how they were reckoned (D26)."""
    return audit(
        AuditedRow(
            bet.market_type,
            bet.odds,
            bet.reference_odds,
            bet.payout_rate,
            bet.fair_odds,
            bet.ev_pct,
            outcome_counts(bet.market_type, bet.sport) or (2,),
        )
        for bet in bets
    )


def _worth(entry: ValueEntry) -> float:
    return -math.inf if entry.true_ev is None else entry.true_ev


def _outcomes(bet: ValueBet, section: Section | None, served: str) -> int:
    """N: as the reference's prices have it, else the one that the row's fair odds fit best."""
    if section is not None and section.reference is not None:
        return len(section.reference.prices)
    counts = outcome_counts(bet.market_type, bet.sport) or (2,)
    return min(counts, key=lambda count: _misfit(_fair(served, bet, count), bet.fair_odds))


def _misfit(fair: float | None, shown: float) -> float:
    return math.inf if fair is None else abs(fair - shown)


def _fair(method: str, bet: ValueBet, outcomes: int) -> float | None:
    """The fair price by the row alone, None where the method needs the other prices."""
    try:
        return fair_odds(method, bet.reference_odds, bet.payout_rate, outcomes)
    except DevigError:
        return None


def _has_times(bet: ValueBet) -> bool:
    return optional_ms(bet.detected_at) is not None


def _window(bet: ValueBet, fair: float | None) -> PriceWindow | None:
    """The window of the selection, from S and the reference's price on the row."""
    price = ReferencePrice(bet.reference_odds, bet.payout_rate - 1 / bet.reference_odds, fair)
    group = LineGroup("", None, (bet.selection,), ("",), complete=True)
    line = ReferenceLine(
        bet.market_type, group, {"": price}, bet.payout_rate, scraped_at=0, is_live=False
    )
    return price_window(line, "")
