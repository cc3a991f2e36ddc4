"""A value bet with the desk's own judgement beside the service's."""

from collections.abc import Iterable

import msgspec

from oddsdesk.board.audit import audit, fair_odds
from oddsdesk.board.game_book import GameBook
from oddsdesk.board.games import optional_ms
from oddsdesk.board.matrix import CellKey, RowKey, Section
from oddsdesk.board.rows import ev_pct
from oddsdesk.contract.identity import game_id
from oddsdesk.contract.resources import ValueBet
from oddsdesk.contract.times import parse_ms
from oddsdesk.pricing.devig import DEFAULT_METHOD
from oddsdesk.pricing.selections import LineGroup, outcome_counts
from oddsdesk.pricing.value import PriceWindow, ReferenceLine, ReferencePrice, price_window


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
    floor: float
    """The safety floor that the service's figures fit."""
    formula: str | None
    """The devig method that the service's figures fit; None where none does."""
    value_from: float | None
    suspicious_above: float | None
    is_live: bool
    scraped_at: int | None
    """When the price was last seen; None while the board holds no price for it."""
    url: str | None


def check_bets(bets: Iterable[ValueBet], bad: list[str]) -> list[ValueBet]:
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


def value_entry(bet: ValueBet, book: GameBook | None) -> ValueEntry:
    """Judge a checked value bet by the prices that are held, else by its own row (D26)."""
    key = RowKey(
        game_id(bet.competition, bet.match_name),
        bet.market_type,
        bet.period,
        bet.selection,
        bet.bookmaker,
    )
    found = None if book is None else book.find(CellKey(*key[1:]))
    section, price = (None, None) if found is None else found
    counts = _counts(bet, section)
    row = audit(bet, counts)
    line = None if section is None else section.line_of(bet.selection)
    fair = None if line is None else line.fair
    if fair is None:
        fair = fair_odds(DEFAULT_METHOD, bet.reference_odds, bet.payout_rate, row.outcomes)
    window = _window(bet, fair)
    return ValueEntry(
        key=key,
        bet=bet,
        kick_off=optional_ms(bet.match_date),
        detected_at=parse_ms(bet.detected_at),
        outcomes=row.outcomes,
        true_fair=fair,
        true_ev=None if fair is None else ev_pct(bet.odds, fair, bet.market_type),
        floor=row.floor,
        formula=row.formula,
        value_from=None if window is None else window.least,
        suspicious_above=None if window is None else window.most,
        is_live=False if price is None else price.is_live,
        scraped_at=None if price is None else price.scraped_at,
        url=None if price is None else price.url,
    )


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


def _counts(bet: ValueBet, section: Section | None) -> tuple[int, ...]:
    """The numbers of outcomes that the row may rest on, likeliest first."""
    if section is not None and section.reference is not None:
        return (len(section.reference.prices),)
    return outcome_counts(bet.market_type, bet.sport) or (2,)
