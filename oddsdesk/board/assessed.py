"""Prices of a moment with their assessments (D45): what the list of bets is made of."""

import math
from collections.abc import Iterable
from typing import NamedTuple

from oddsdesk.board.game_book import GameBook
from oddsdesk.board.judging import Judge, line_of
from oddsdesk.board.matrix import CellKey, Matrix, RowKey, Section
from oddsdesk.pricing.assessment import Assessment
from oddsdesk.pricing.rules import MIN_EV
from oddsdesk.pricing.value import Candidate, judge


class AssessedPrice(NamedTuple):
    """A price, what it is worth, and which outcome it is of; times in milliseconds."""

    key: RowKey
    match_name: str
    competition: str
    sport: str
    kick_off: int | None
    is_live: bool
    line_key: str
    """The line group within the market, as ``LineGroup.key``."""
    side: str
    assessment: Assessment
    is_in_contract: bool
    """Whether the contract's rules list it at its gross odds (D29)."""
    scraped_at: int | None
    """When it was last seen; None where nobody told."""
    url: str | None = None
    direction: int = 0
    """1 where the price last rose, -1 where it fell, 0 where no move was seen."""
    due_at: float = math.inf
    """When time alone makes it worth another look, in milliseconds."""

    @property
    def bookmaker(self) -> str:
        """Who offers it."""
        return self.key.bookmaker or ""

    @property
    def line(self) -> tuple[str, str, int, str]:
        """The outcomes of which at most one wins."""
        return *self.key[:3], self.line_key

    @property
    def outcome(self) -> tuple[str, str, int, str, str]:
        """What the price is of, whoever offers it."""
        return *self.line, self.side

    @property
    def is_value(self) -> bool:
        """Whether it is value."""
        return self.assessment.is_value


def assessed_price(
    by: Judge, matrix: Matrix, section: Section, selection: str, bookmaker: str
) -> AssessedPrice:
    """Assess a bookmaker's price that is held."""
    price = section.row_of(selection).prices[bookmaker]
    found = by.assess(section, selection, bookmaker)
    market_type, period, group = section.key
    return AssessedPrice(
        key=RowKey(matrix.game_id, market_type, period, selection, bookmaker),
        match_name=matrix.match_name,
        competition=matrix.competition,
        sport=matrix.sport,
        kick_off=matrix.kick_off,
        is_live=bool(price.is_live),
        line_key=group,
        side=section.side_of(selection),
        assessment=found,
        is_in_contract=_is_in_contract(by, section, selection, bookmaker, found),
        scraped_at=price.scraped_at,
        url=price.url,
        direction=price.direction,
        due_at=by.due_at(section, selection, bookmaker),
    )


def _is_in_contract(
    by: Judge, section: Section, selection: str, bookmaker: str, found: Assessment
) -> bool:
    gross, ends = found.service_ev_pct, found.settlement
    if gross is None or ends is None or gross < MIN_EV:
        return False
    if found.net_odds == found.odds and ends.decided == 1:
        return not found.stopped_by  # the contract's rules are what it was judged by
    price = section.row_of(selection).prices[bookmaker]
    sides = by.sides(section, bookmaker)
    side = section.side_of(selection)
    candidate = Candidate(side, price.odds, sides, price.scraped_at, price.is_live)
    return judge(line_of(section, bookmaker), candidate, by.now_ms).is_value


def assessed_in(book: GameBook, by: Judge, key: RowKey) -> AssessedPrice | None:
    """Assess a price that a game's book holds; None where it holds no such price."""
    found = book.find(CellKey(*key[1:]))
    if found is None or key.bookmaker is None:
        return None
    return assessed_price(by, book.matrix, found[0], key.selection, key.bookmaker)


def listed_at_all(prices: Iterable[AssessedPrice]) -> list[AssessedPrice]:
    """Return the prices that are value, would be but for their cautions, or that a service lists.

    The others are those that only their figures keep from being value.
    """
    return [
        price
        for price in prices
        if price.is_in_contract or price.assessment.is_value_but_for_cautions
    ]
