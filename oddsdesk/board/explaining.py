"""Why a price has the EV it has: the arithmetic, every method, every rule. No words, no Qt."""

from typing import Final, NamedTuple

from oddsdesk.board.board import Board
from oddsdesk.board.judging import Doubt, doubt_about, side_of, verdict_on
from oddsdesk.board.matrix import CellKey, Matrix, RowKey, Section
from oddsdesk.board.prices import Price
from oddsdesk.board.rows import UNNAMED_REFERENCE, ev_pct
from oddsdesk.board.valuation import offered
from oddsdesk.board.value_entry import ValueEntry
from oddsdesk.contract.markets import market_title
from oddsdesk.contract.periods import period_label
from oddsdesk.contract.resources import ValueBet
from oddsdesk.pricing.audit import fair_odds
from oddsdesk.pricing.devig import METHODS, PUBLISHED, DevigError, devig
from oddsdesk.pricing.rules import Rule, RuleCheck, safety_floor
from oddsdesk.pricing.selections import LineGroup
from oddsdesk.pricing.value import (
    Candidate,
    PriceWindow,
    ReferenceLine,
    ReferencePrice,
    Verdict,
    judge,
    price_window,
)

SAME_AS_DEFAULT: Final = "additive"
"""Gives the figures of the default method (D26): not shown beside it."""
REAL_METHODS: Final = tuple(name for name in METHODS if name not in (PUBLISHED, SAME_AS_DEFAULT))
_UNKNOWN_FROM_ROW: Final = (
    Rule.SAME_STATE,
    Rule.REFERENCE_AGE,
    Rule.BOOK_AGE,
    Rule.COMPARABLE,
    Rule.REFERENCE_SIDES,
)
"""What a value bet's own row tells nothing of."""


class MethodFigure(NamedTuple):
    """What one devig method says of the price."""

    method: str
    fair_odds: float | None
    ev_pct: float | None
    problem: str | None = None
    """Why it has no answer."""


class Explanation(NamedTuple):
    """A price with all that it is judged by; times in milliseconds."""

    key: RowKey
    match_name: str
    sport: str
    market: str
    period_label: str
    bookmaker: str
    reference: str
    """Its name; ``reference`` until it is known."""
    odds: float
    is_reference: bool
    is_withdrawn: bool
    scraped_at: int | None
    """None where the board holds no price of the game."""
    url: str | None
    method: str
    quoted: tuple[tuple[str, float], ...]
    """The reference's prices of the line group, in the order of D7; on a row alone, its one."""
    outcomes: int
    """N; 0 where the reference prices no whole group."""
    verdict: Verdict
    window: PriceWindow | None
    methods: tuple[MethodFigure, ...]
    """Every real method, then ``published`` where the service runs it."""
    doubt: Doubt | None
    service: ValueBet | None
    """The service's own row, where it lists the price as a value bet."""
    from_row: bool = False
    """Whether only that row is known: ages and the other sides are not."""

    @property
    def selection(self) -> str:
        """The selection's text."""
        return self.key.selection

    @property
    def floor(self) -> float:
        """The safety floor's factor."""
        return safety_floor(self.key.market_type)

    @property
    def margin_share(self) -> float | None:
        """What one outcome carries of the margin, in percentage points of probability."""
        total = self.verdict.overround
        return None if total is None or not self.outcomes else (total - 1) / self.outcomes * 100

    @property
    def true_ev(self) -> float | None:
        """In percent, safety floor included; None where the price is not valued."""
        return self.verdict.ev_pct if self.doubt is None else None

    @property
    def worst(self) -> MethodFigure | None:
        """The real method with the lowest EV; None where none has an answer."""
        known = [figure for figure in self.methods if figure.method != PUBLISHED]
        valued = [(figure.ev_pct, figure) for figure in known if figure.ev_pct is not None]
        return min(valued)[1] if valued else None


def explain(board: Board, key: RowKey, now_ms: int) -> Explanation | None:
    """Explain a price by what the board holds now; None where it holds nothing of it."""
    entry = board.value_bets.get(key)
    matrix = board.matrix(key.game_id)
    section = board.section(key.game_id, key.market_type, key.period, key.selection)
    price = board.price(key.game_id, CellKey(*key[1:]))
    if matrix is not None and section is not None and price is not None:
        return _explain_cell(board, key, matrix, section, price, now_ms)
    return None if entry is None else _explain_row(board, entry)


def _explain_cell(
    board: Board, key: RowKey, matrix: Matrix, section: Section, price: Price, now_ms: int
) -> Explanation:
    side = side_of(section, key.selection)
    entry = board.value_bets.get(key)
    quoted = _quoted(section)
    return Explanation(
        key=key,
        match_name=matrix.match_name,
        sport=matrix.sport,
        market=section.title,
        period_label=section.period_label,
        bookmaker=key.bookmaker or board.reference or UNNAMED_REFERENCE,
        reference=board.reference or UNNAMED_REFERENCE,
        odds=price.odds,
        is_reference=key.bookmaker is None,
        is_withdrawn=not price.is_offered,
        scraped_at=price.scraped_at,
        url=price.url,
        method=board.method,
        quoted=quoted,
        outcomes=0 if section.reference is None else len(section.reference.prices),
        verdict=verdict_on(section, key.selection, key.bookmaker, now_ms),
        window=None if section.reference is None else price_window(section.reference, side),
        methods=_methods_of(board, section, side, price.odds),
        doubt=doubt_about(section, key.bookmaker, side),
        service=None if entry is None else entry.bet,
    )


def _quoted(section: Section) -> tuple[tuple[str, float], ...]:
    odds = ((row.selection, offered(row.reference)) for row in section.rows)
    return tuple((selection, price) for selection, price in odds if price is not None)


def _methods_of(board: Board, section: Section, side: str, odds: float) -> tuple[MethodFigure, ...]:
    """Every method on the reference's prices, nothing where they form no whole group."""
    line = section.reference
    if line is None or side not in line.prices:
        return ()
    place = line.group.sides.index(side)
    quoted = [line.prices[other].odds for other in line.group.sides]
    return tuple(
        _figure(method, quoted, place, odds, section.key.market_type) for method in _names(board)
    )


def _figure(
    method: str, quoted: list[float], place: int, odds: float, market_type: str
) -> MethodFigure:
    try:
        fair = devig(method, quoted).fair_odds[place]
    except DevigError as error:
        return MethodFigure(method, None, None, str(error))
    return MethodFigure(method, fair, ev_pct(odds, fair, market_type))


def _names(board: Board) -> tuple[str, ...]:
    is_published = board.audit is not None and board.audit.is_published
    shows_published = is_published or board.method == PUBLISHED
    return (*REAL_METHODS, PUBLISHED) if shows_published else REAL_METHODS


def _explain_row(board: Board, entry: ValueEntry) -> Explanation:
    """Explain a value bet of a game whose prices are not held, from its row alone."""
    bet = entry.bet
    others = bet.payout_rate - 1 / bet.reference_odds
    price = ReferencePrice(bet.reference_odds, others, entry.true_fair)
    group = LineGroup("", None, (bet.selection,), ("",), complete=True)
    line = ReferenceLine(bet.market_type, group, {"": price}, bet.payout_rate, 0, is_live=False)
    verdict = judge(line, Candidate("", bet.odds, frozenset(("",)), 0, is_live=False), 0)
    return Explanation(
        key=entry.key,
        match_name=bet.match_name,
        sport=bet.sport,
        market=market_title(bet.market_type),
        period_label=period_label(bet.sport, bet.period),
        bookmaker=bet.bookmaker,
        reference=board.reference or UNNAMED_REFERENCE,
        odds=bet.odds,
        is_reference=False,
        is_withdrawn=False,
        scraped_at=None,
        url=entry.url,
        method=entry.method,
        quoted=((bet.selection, bet.reference_odds),),
        outcomes=entry.outcomes,
        verdict=verdict._replace(checks=_known(verdict.checks)),
        window=price_window(line, ""),
        methods=tuple(_row_figure(method, entry) for method in _names(board)),
        doubt=Doubt.NO_FAIR_PRICE if entry.true_fair is None else None,
        service=bet,
        from_row=True,
    )


def _known(checks: tuple[RuleCheck, ...]) -> tuple[RuleCheck, ...]:
    return tuple(check for check in checks if check.rule not in _UNKNOWN_FROM_ROW)


def _row_figure(method: str, entry: ValueEntry) -> MethodFigure:
    bet = entry.bet
    try:
        fair = fair_odds(method, bet.reference_odds, bet.payout_rate, entry.outcomes)
    except DevigError as error:
        return MethodFigure(method, None, None, str(error))
    return MethodFigure(method, fair, ev_pct(bet.odds, fair, bet.market_type))
