"""Prices of a moment with their assessments (D45): what the list of bets is made of."""

import math
from typing import Final

import msgspec

from oddsdesk.board.game_book import GameBook
from oddsdesk.board.judging import Judge, Judgement
from oddsdesk.board.matrix import Matrix, Place, RowKey, Section
from oddsdesk.board.prices import Price
from oddsdesk.pricing.assessment import Assessment
from oddsdesk.pricing.depth import Depth, Ladder, acceptable
from oddsdesk.pricing.outcomes import bet_named
from oddsdesk.pricing.rules import MIN_EV, Rule
from oddsdesk.pricing.value import Candidate, judge, price_window

_HAIR: Final = 1 - 1e-12
_AGES: Final = (Rule.REFERENCE_AGE, Rule.BOOK_AGE)
"""The rules that are judged by stricter limits than the contract's."""


class AssessedPrice(msgspec.Struct, frozen=True, gc=False):
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
    depth: Depth | None = None
    """What is for sale (D104), seen when the price was; None where nobody tells."""
    ladder: Ladder | None = None
    """What of it passes the rules, each level by its own net odds (D104)."""
    for_sale: float | None = None
    """The stake that its best odds take, in the bookmaker's currency."""

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
        """What the price is a bet on, whoever offers it and whichever market it is of."""
        key = self.key
        named = bet_named(self.sport, self.is_live, key.market_type, self.line_key, self.side)
        return key.game_id, named[0], key.period, named[1], named[2]

    @property
    def is_value(self) -> bool:
        """Whether it is value."""
        return self.assessment.is_value

    def at_net(self, net_odds: float) -> "AssessedPrice":
        """Return the price as it is for a stake whose average net odds are these (D104)."""
        found = self.assessment
        if net_odds == found.net_odds:
            return self
        ev = found.ev_at(net_odds, self.key.market_type)
        changed = msgspec.structs.replace(found, net_odds=net_odds, ev_pct=ev)
        return msgspec.structs.replace(self, assessment=changed)


def assessed_price(
    by: Judge, matrix: Matrix, section: Section, selection: str, bookmaker: str
) -> AssessedPrice:
    """Assess a bookmaker's price that is held."""
    row, side = section.row_of(selection), section.side_of(selection)
    return assessed_at(by, matrix, Place(section, row, side), bookmaker)


def assessed_at(by: Judge, matrix: Matrix, place: Place, bookmaker: str) -> AssessedPrice:
    """Assess a bookmaker's price that is held at a place of the game."""
    section, row, side = place
    price = row.prices[bookmaker]
    judgement = by.judge(section, row, side, bookmaker)
    market_type, period, group = section.key
    ladder = by.ladder(price, bookmaker)
    return AssessedPrice(
        key=RowKey(matrix.game_id, market_type, period, row.selection, bookmaker),
        match_name=matrix.match_name,
        competition=matrix.competition,
        sport=matrix.sport,
        kick_off=matrix.kick_off,
        is_live=bool(price.is_live),
        line_key=group,
        side=side,
        assessment=judgement.assessment,
        is_in_contract=_is_in_contract(by.now_ms, judgement, side, price),
        scraped_at=price.scraped_at,
        url=price.url,
        direction=price.direction,
        due_at=judgement.due_at,
        depth=price.depth,
        ladder=None if ladder is None else _worth_it(ladder, judgement, side),
        for_sale=by.for_sale(price, bookmaker),
    )


def _worth_it(ladder: Ladder, judgement: Judgement, side: str) -> Ladder:
    """Return the levels that pass the rules of a price, each by its own net odds."""
    ends = judgement.assessment.settlement
    window = None if ends is None else price_window(judgement.line, side, ends.decided)
    return () if window is None else acceptable(ladder, lambda net: net >= window.least * _HAIR)


def _is_in_contract(now_ms: int, judgement: Judgement, side: str, price: Price) -> bool:
    found = judgement.assessment
    gross, ends = found.service_ev_pct, found.settlement
    if gross is None or ends is None or gross < MIN_EV:
        return False
    if found.net_odds == found.odds and ends.decided == 1:  # by the contract's rules but for ages
        stopped = [check.rule for check in found.checks if not check.holds]
        if not stopped or any(rule not in _AGES for rule in stopped):
            return not stopped
    candidate = Candidate(side, price.odds, judgement.sides, price.scraped_at, price.is_live)
    return judge(judgement.line, candidate, now_ms).is_value


def assessed_in(book: GameBook, by: Judge, key: RowKey) -> AssessedPrice | None:
    """Assess a price that a game's book holds; None where it holds no such price."""
    place = book.place_of(key.market_type, key.period, key.selection)
    if place is None or key.bookmaker is None or key.bookmaker not in place.row.prices:
        return None
    return assessed_at(by, book.matrix, place, key.bookmaker)


def is_listed_at_all(price: AssessedPrice) -> bool:
    """Tell whether a price is value, would be but for its cautions, or a service lists it.

    The others are those that only their figures keep from being value.
    """
    return price.is_in_contract or price.assessment.is_value_but_for_cautions
