"""Why a price has the EV it has: the arithmetic, every method, every rule. No words, no Qt.

Each figure has enough decimals that repeating a step with the figures
shown gives the result shown.
"""

import math
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Final, NamedTuple

from msgspec.structs import replace

from oddsdesk.base.market_words import market_text, period_text
from oddsdesk.base.numbers import num, with_marks
from oddsdesk.base.texts import _, ngettext, pgettext, translated
from oddsdesk.board.board import Board
from oddsdesk.board.model.basis import Basis
from oddsdesk.board.model.matrix import (
    CellKey,
    Laid,
    Matrix,
    Price,
    RowKey,
    Section,
    SelectionRow,
    offered,
    own_group,
)
from oddsdesk.board.valuation.derivation import Derivation, derivation_of, why_not
from oddsdesk.board.valuation.judging import line_of
from oddsdesk.board.valuation.pool import (
    LeftOut,
    Pool,
    PooledLine,
    fair_by_method,
    left_out_of,
    pool_of,
)
from oddsdesk.board.valuation.value_bets import ServiceRow
from oddsdesk.contract.competitions import sport_in
from oddsdesk.contract.resources import ValueBet
from oddsdesk.contract.texts import MINUS
from oddsdesk.pricing.assessment import Assessment, Caution, settlement_of, settles_otherwise
from oddsdesk.pricing.audit import fair_odds
from oddsdesk.pricing.devig import (
    DEFAULT_METHOD,
    METHODS,
    PUBLISHED,
    DevigError,
    devig,
    method_words,
)
from oddsdesk.pricing.profiles import Profile
from oddsdesk.pricing.stakes import Depth
from oddsdesk.pricing.value import (
    SERVICE_RULES,
    ListRules,
    PriceWindow,
    ReferenceLine,
    Rule,
    expected_value,
    is_comparable,
    is_same_state,
    price_window,
)


def method_name(method: str) -> str:
    """Return a devig method's name as part of a sentence."""
    return translated(method_words(method))


SAME_AS_DEFAULT: Final = "additive"
"""Gives the figures of the default method: not shown with it."""
REAL_METHODS: Final = tuple(name for name in METHODS if name not in (PUBLISHED, SAME_AS_DEFAULT))
_UNKNOWN_FROM_ROW: Final = (
    Rule.SAME_STATE,
    Rule.REFERENCE_AGE,
    Rule.BOOK_AGE,
    Rule.COMPARABLE,
    Rule.REFERENCE_SIDES,
)
"""What a value bet's own row tells nothing of."""


class NoFairOdds(Enum):
    """Why there are no fair odds to judge a price by."""

    NO_REFERENCE = "no_reference"
    """The reference prices nothing of the line group."""
    SIDE_MISSING = "side_missing"
    """The reference prices some of the sides only."""
    OVERLAPPING = "overlapping"
    """The outcomes overlap, so no margin can be taken out."""
    UNREAD = "unread"
    """The selection's text fits no form."""
    OTHER_OUTCOME = "other_outcome"
    """The reference does not price this outcome of the market."""
    TOO_WIDE = "too_wide"
    """The reference is the middle of back and lay: they are too far apart, or one is missing."""
    TOO_FEW = "too_few"
    """Fewer votes than make a consensus."""
    NO_ANSWER = "no_answer"
    """The devig method has no answer to the reference's prices."""


class MethodFigure(NamedTuple):
    """What one devig method says of the price."""

    method: str
    fair_odds: float | None
    ev: float | None
    """In percent, net, of a unit staked."""
    problem: str | None = None
    """Why it has no answer."""


class MiddleFigure(NamedTuple):
    """One side of an exchange's line: what can be backed and laid, and the odds between."""

    selection: str
    back: float
    lay: float
    middle: float


class BestFigure(NamedTuple):
    """One of the best prices of a selection, or the higher one that is doubted; gross odds."""

    title: str
    """``Best of all``, ``Best of mine`` or ``Doubtful``, for people."""

    odds: float
    bookmaker: str
    caution: Caution | None = None
    """Why it is doubted."""
    lay: Laid | None = None
    """The lay of the other selection that it is; ``odds`` are of the back that pays the same."""


class ConsensusFigure(NamedTuple):
    """What the others' prices together say of the price."""

    groups: int
    """How many votes they are: those of one operator or supplier are one."""
    fair_odds: float
    ev: float


class VoterFigure(NamedTuple):
    """What one bookmaker says in a consensus that is the reference; times in milliseconds."""

    bookmaker: str
    voice: str
    """Whose vote it is: bookmakers of one operator or one supplier of odds share one."""
    weight: float
    fair_odds: float
    """Of the side that is explained, by the user's method."""
    overround: float
    scraped_at: int
    is_stale: bool


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
    is_mine: bool
    """Whether it may be listed: it is the reference's own, or at one of the user's bookmakers."""
    profile: Profile
    """What the bookmaker keeps of a win."""
    scraped_at: int | None
    """None where the board holds no price of the game."""
    url: str | None
    method: str
    quoted: tuple[tuple[str, float], ...]
    """The sharp book's prices of the line group, in the market's order; one if row-only."""
    outcomes: int
    """N; 0 where the reference prices no whole group."""
    reference_odds: float | None
    """Of the same side, where the reference prices a whole group."""
    overround: float | None
    """S of the reference's line group; of a derived line, as ``FairGame.line``."""
    assessment: Assessment
    window: PriceWindow | None
    """In the bookmaker's own gross prices; commission-free ones elsewhere than here are net."""
    methods: tuple[MethodFigure, ...]
    """Every real method, then ``published`` where the service runs it; none for a derived line."""
    consensus: ConsensusFigure | None
    """What the other bookmakers say together; None where they are too few."""
    no_fair_odds: NoFairOdds | None
    """Why the price is not valued; None where it is."""
    service: ValueBet | None
    """The service's own row, where it lists the price as a value bet."""
    from_row: bool = False
    """Whether only that row is known: ages and the other sides are not."""
    service_reference: str = ""
    """Whom the service judges by, where that is another than ``reference``; else empty."""
    voters: tuple[VoterFigure, ...] = ()
    """The bookmakers that make up the reference, where that is a consensus."""
    learned: str = ""
    """Which weights the votes of a learned consensus have, and why; empty for other references."""
    left_out: tuple[LeftOut, ...] = ()
    """The bookmakers that price something of the line and have no vote in a consensus, and why."""
    depth: Depth | None = None
    """What is for sale, seen when the price was; None where nobody tells."""
    rules: ListRules = SERVICE_RULES
    """The rules that a listed price must pass."""
    best: tuple[BestFigure, ...] = ()
    """The best prices of the selection by now, and a higher one that is doubted."""
    derivation: Derivation | None = None
    """How the fair odds follow from other lines of the reference; None if it prices the line."""
    middles: tuple["MiddleFigure", ...] = ()
    """Where the reference is an exchange's middle, what ``quoted`` is between."""
    why_not_derived: str = ""
    """Why the reference's other lines give no fair odds, as a clause; empty where it has some."""

    @property
    def votes(self) -> int:
        """How many votes the consensus is of that is the reference."""
        return len({voter.voice for voter in self.voters})

    @property
    def selection(self) -> str:
        """The selection's text."""
        return self.key.selection

    @property
    def net_odds(self) -> float:
        """What a unit staked really pays back."""
        return self.assessment.net_odds

    @property
    def decided(self) -> float:
        """The share of the stake that is won or lost, on average."""
        ends = self.assessment.settlement
        return 1.0 if ends is None else ends.decided

    @property
    def ev(self) -> float | None:
        """Net, in percent; None where the price is not valued."""
        return self.assessment.ev

    @property
    def worst(self) -> MethodFigure | None:
        """The real method with the lowest EV; None where none has an answer."""
        known = [figure for figure in self.methods if figure.method != PUBLISHED]
        valued = [(figure.ev, figure) for figure in known if figure.ev is not None]
        return min(valued)[1] if valued else None


def explain(board: Board, key: RowKey, now_ms: int) -> Explanation | None:
    """Explain a price by what the board holds now; None where it holds nothing of it."""
    matrix = board.matrix(key.game_id)
    section = board.section(key.game_id, key.market_type, key.period, key.selection)
    price = board.price(key.game_id, CellKey(*key[1:]))
    if matrix is not None and section is not None and price is not None:
        return _explain_cell(board, key, matrix, section, price, now_ms)
    row = board.values.service_row(key, board.method)
    return None if row is None else _explain_row(board, key, row, now_ms)


def _explain_cell(
    board: Board, key: RowKey, matrix: Matrix, section: Section, price: Price, now_ms: int
) -> Explanation:
    side, line = section.side_of(key.selection), line_of(section, key.bookmaker)
    pooled = None if section.pool is None else section.pool.pooled_without(key.bookmaker)
    assessment = board.judge_of(matrix).assess(section, key.selection, key.bookmaker)
    mine = line.prices.get(side)
    is_reference = key.bookmaker == matrix.reference
    judged = "" if is_reference else key.bookmaker
    profile = board.basis.profiles.profile_of(judged)
    push = section.push[bool(price.is_live)]
    found = _Figured(line, side, assessment, profile, push, pooled, board.basis.rules)
    silent = list[LeftOut]()
    others = pool_of(section, board.basis, silent)
    return Explanation(
        key=key,
        match_name=matrix.match_name,
        sport=matrix.sport,
        market=section.title_for(key.selection),
        period_label=section.period_label,
        bookmaker=key.bookmaker,
        reference=board.desk_reference.reference_title,
        odds=price.odds,
        is_reference=is_reference,
        is_mine=is_reference or board.basis.is_mine(key.bookmaker),
        profile=profile,
        scraped_at=price.scraped_at,
        url=price.url,
        method=board.method,
        quoted=_quoted(section),
        outcomes=len(line.prices),
        reference_odds=None if mine is None else mine.odds,
        overround=line.overround,
        assessment=assessment,
        window=found.window(),
        methods=()
        if mine is None or line.derived is not None
        else tuple(map(found.by_method, _names(board))),
        consensus=_consensus(board, matrix, section, key, found, others),
        no_fair_odds=_why_unvalued(section, side, line, board.basis),
        service=board.values.listed.get(key),
        service_reference=_service_reference(board),
        voters=() if pooled is None or line.derived is not None else tuple(_voters(pooled, side)),
        learned=_learned_text(board, section, pooled),
        left_out=left_out_of(others, silent, judged),
        depth=board.basis.own_money(price.depth),
        rules=board.basis.rules,
        best=tuple(
            _best(section.selection_row(key.selection), has_mine=board.basis.mine is not None)
        ),
        derivation=derivation_of(matrix, section, line, side, board.basis, key.bookmaker),
        middles=tuple(_middles(section)) if board.desk_reference.is_middle else (),
        why_not_derived="" if mine is not None else why_not(matrix, section, board.basis),
    )


def _best(row: SelectionRow, *, has_mine: bool) -> Iterator[BestFigure]:
    found = row.offer.found()
    named = [(_("Best of mine"), found.mine, found.lay)] if has_mine else []
    for title, offer, lay in (*named, (_("Best of all"), found.of_all, found.lay_of_all)):
        if lay is not None:
            yield BestFigure(title, lay.odds, lay.bookmaker, lay=lay)
            continue
        for name in offer.bookmakers[:1]:
            if name in row.prices:
                yield BestFigure(title, row.prices[name].odds, name)
    if found.doubted is not None:
        name, odds, _net, caution = found.doubted
        yield BestFigure(_("Doubtful"), odds, name, caution)


def _service_reference(board: Board) -> str:
    return (
        ""
        if board.desk_reference.is_services_own
        else board.desk_reference.service or _("its own sharp book")
    )


def _voters(pooled: PooledLine, side: str) -> Iterator[VoterFigure]:
    for voter in pooled.voters:
        if side in voter.group.sides:
            yield VoterFigure(
                voter.bookmaker,
                voter.voice,
                voter.vote.weight,
                1 / voter.chances[voter.group.sides.index(side)],
                voter.overround,
                voter.scraped_at,
                voter.is_stale,
            )


def _learned_text(board: Board, section: Section, pooled: PooledLine | None) -> str:
    """Return which weights the votes have with learned weights as the reference, and why."""
    basis, (market_type, period, _group) = board.basis, section.key
    if pooled is None or not basis.reference.is_learned:
        return ""
    kind = (section.sport, market_type, period)
    found = next((each for each in basis.learned.markets if each.kind == kind), None)
    if found is None:
        return _("equal weights: none were learned for this market")
    if not found.is_better:
        return _("equal weights: learned ones were not clearly better here")
    if found.method != basis.method:
        return _("equal weights: learned with the devig method {method}").format(
            method=method_name(found.method)
        )
    if not pooled.is_learned:
        return _("equal weights: too few bookmakers with a learned weight")
    return _("learned from {count:,} games up to {last_day}").format(
        count=num(found.games), last_day=found.last_day
    )


def _why_unvalued(
    section: Section, side: str, line: ReferenceLine, basis: Basis
) -> NoFairOdds | None:
    if not section.sides:
        return NoFairOdds.UNREAD
    if section.key.market_type == "double_chance" and not line.prices:
        return NoFairOdds.OVERLAPPING
    if basis.is_pooled and not line.prices:
        return NoFairOdds.TOO_FEW
    if section.reference is None:
        priced = [row for row in section.rows if offered(row.reference) is not None]
        if basis.reference.is_middle and own_group(section, priced) is not None:
            return NoFairOdds.TOO_WIDE
        return NoFairOdds.SIDE_MISSING if priced else NoFairOdds.NO_REFERENCE
    if side not in line.prices:
        return NoFairOdds.OTHER_OUTCOME
    has_fair = line.prices[side].fair_odds is not None
    return None if has_fair else NoFairOdds.NO_ANSWER


def _quoted(section: Section) -> tuple[tuple[str, float], ...]:
    """Return the odds that were devigged: the sharp book's, or the middles of back and lay."""
    line = section.reference
    if line is not None and line.derived is None and section.pool is None:
        sides = zip(section.rows, section.sides, strict=False)
        own = [
            (row.selection, line.prices[side].odds) for row, side in sides if side in line.prices
        ]
    else:
        own = [(row.selection, offered(row.reference)) for row in section.rows]
    return tuple((selection, price) for selection, price in own if price is not None)


def _middles(section: Section) -> Iterator[MiddleFigure]:
    for selection, odds in _quoted(section):
        price = section.selection_row(selection).reference
        if price is not None and price.depth is not None and price.depth.lay_odds is not None:
            yield MiddleFigure(selection, price.odds, price.depth.lay_odds, odds)


class _Figured(NamedTuple):
    """A price in the reference's line group: what other methods say of it, and its window."""

    line: ReferenceLine
    side: str
    assessment: Assessment
    profile: Profile
    push: float | None
    pooled: PooledLine | None = None
    """The votes that the line is made of, where the reference is a consensus."""
    rules: ListRules = SERVICE_RULES

    def by_method(self, method: str) -> MethodFigure:
        """Devig the reference's prices by a method."""
        if self.pooled is not None:
            fair = fair_by_method(self.pooled, self.side, method)
            if fair is None:
                return MethodFigure(method, None, None, _("it works for no bookmaker's prices"))
            return self.figure(method, fair)
        place = self.line.group.sides.index(self.side)
        quoted = [
            odds
            for other in self.line.group.sides
            if (odds := self.line.prices[other].odds) is not None
        ]
        try:
            fair = devig(method, quoted).fair_odds[place]
        except DevigError as error:
            return MethodFigure(method, None, None, translated(str(error)))
        return self.figure(method, fair)

    def figure(self, method: str, fair: float) -> MethodFigure:
        """Return the EV by a method's fair odds."""
        return MethodFigure(method, fair, self.ev_by(fair))

    def ev_by(self, fair: float) -> float:
        """Return the EV in percent by fair odds, net and per unit staked."""
        decided = settlement_of(self.line, self.side, fair, self.push).decided
        return expected_value(self.assessment.net_odds, fair, decided)

    def window(self) -> PriceWindow | None:
        """Return the window in the bookmaker's own gross prices."""
        ends = self.assessment.settlement
        found = price_window(
            self.line, self.side, 1.0 if ends is None else ends.decided, self.rules
        )
        if found is None or not self.profile.charges:
            return found
        least, most = self.profile.gross(found.least), self.profile.gross(found.most)
        return found._replace(least=least, most=most)


def _consensus(
    board: Board, matrix: Matrix, section: Section, key: RowKey, found: _Figured, pool: Pool | None
) -> ConsensusFigure | None:
    """Return what the others say without the reference, whose opinion is the first one.

    None of too few, and where they bet on something else than the price: on other sides, in
    another state, or by other rules of overtime.
    """
    if board.basis.is_pooled:  # then it is the first opinion
        return None
    price = section.selection_row(key.selection).prices.get(key.bookmaker)
    side, judge = section.side_of(key.selection), board.judge_of(matrix)
    if pool is None or price is None or not is_same_state(price.is_live, pool.is_live):
        return None
    market = (key.market_type, key.period, section.sport)
    has_overtime = judge.counts_overtime(key.bookmaker)
    if side not in pool.sides or settles_otherwise(
        market, section.line, has_overtime, pool.has_overtime
    ):
        return None
    if not is_comparable(pool.sides, judge.sides(section, key.bookmaker)):
        return None
    said = pool.without((matrix.reference, key.bookmaker))
    if said is None:
        return None
    fair = 1 / said.chances[pool.sides.index(side)]
    return ConsensusFigure(said.groups, fair, found.ev_by(fair))


def _names(board: Board) -> tuple[str, ...]:
    is_published = board.audit is not None and board.audit.is_published
    shows_published = is_published or board.method == PUBLISHED
    return (*REAL_METHODS, PUBLISHED) if shows_published else REAL_METHODS


def _explain_row(board: Board, key: RowKey, row: ServiceRow, now_ms: int) -> Explanation:
    """Explain a value bet of a game whose prices are not held, from its row alone."""
    bet, line = row.bet, row.service_line(now_ms)
    side = line.group.sides[0]
    is_offered = board.values.is_offered(key)
    assessment = row.assess(key, board.basis, now_ms, is_offered=is_offered).assessment
    profile = board.basis.profiles.profile_of(bet.bookmaker)
    found = _Figured(line, side, assessment, profile, None, rules=board.basis.rules)
    checks = tuple(each for each in assessment.checks if each.rule not in _UNKNOWN_FROM_ROW)
    return Explanation(
        key=key,
        match_name=bet.match_name,
        sport=sport_in(bet),
        market=market_text(bet.market_type),
        period_label=period_text(sport_in(bet), bet.period),
        bookmaker=bet.bookmaker,
        reference=board.reference_name,
        odds=bet.odds,
        is_reference=False,
        is_mine=board.basis.is_mine(bet.bookmaker),
        profile=profile,
        scraped_at=None,
        url=None,
        method=row.method,
        quoted=((bet.selection, bet.reference_odds),) if row.is_judge else (),
        outcomes=row.outcomes,
        reference_odds=bet.reference_odds if row.is_judge else None,
        overround=line.overround,
        assessment=replace(assessment, checks=checks),
        window=found.window(),
        methods=tuple(_row_figure(method, row, found) for method in _names(board))
        if row.is_judge
        else (),
        consensus=None,
        no_fair_odds=_why_row_unvalued(row),
        service=bet,
        from_row=True,
        rules=board.basis.rules,
        service_reference=_service_reference(board),
    )


def _why_row_unvalued(row: ServiceRow) -> NoFairOdds | None:
    if not row.is_judge:
        return NoFairOdds.NO_REFERENCE
    return NoFairOdds.NO_ANSWER if row.fair is None else None


def _row_figure(method: str, row: ServiceRow, found: _Figured) -> MethodFigure:
    bet = row.bet
    try:
        fair = fair_odds(method, bet.reference_odds, bet.payout_rate, row.outcomes)
    except DevigError as error:
        return MethodFigure(method, None, None, translated(str(error)))
    return found.figure(method, fair)


_SHARING: Final = (DEFAULT_METHOD, "additive", PUBLISHED)
"""Methods that take an equal share of the margin from each outcome; ``published`` adds it."""
_MULTIPLICATIVE: Final = "multiplicative"
_EV_DECIMALS: Final = 2
_MOST_DECIMALS: Final = 12


class Step(NamedTuple):
    """One step: what is worked out, how with the figures shown, and what comes of it."""

    name: str
    formula: str
    """Empty where it does not fit in a line: Shin's method is solved for, not worked out."""
    result: str


class _Figures(NamedTuple):
    """The figures of a chain as shown; None where the method has no such step."""

    total: str
    share: str | None
    probability: str | None
    fair: str
    ev: str


def steps(said: Explanation) -> list[Step]:
    """Return the steps of an explanation; only the first where the price is not valued.

    For a derived line they begin at its probability: the margin was removed from its source lines.
    """
    return list(_steps(said))


def fair_text(odds: float, fair: float) -> str:
    """Return a fair price with enough decimals that the EV follows from them."""
    ev = _fixed(expected_value(odds, fair), _EV_DECIMALS)
    return _enough(fair, _price_decimals(fair), lambda text: expected_value(odds, float(text)), ev)


def exact(number: float) -> str:
    """Return a price or factor with all the decimals it has."""
    return f"{number:.10g}"


def exact_text(number: float) -> str:
    """Return the same with the marks of the user's numbers."""
    return with_marks(exact(number))


def _steps(said: Explanation) -> Iterator[Step]:
    total, found = said.overround, said.assessment
    fair = found.fair_odds
    if found.derived is not None and fair is not None:
        yield from _derived(said, fair)
        return
    if total is None:
        return
    if fair is None or found.ev is None or said.reference_odds is None:
        if not said.voters:
            yield _sum(said, _fixed(total, 4))
        return
    shown = _figures(said, total, fair, said.reference_odds)
    if said.voters:
        yield from _pooled(said, fair, shown)
    else:
        yield _sum(said, shown.total)
        yield from _margin(said, shown, said.reference_odds)
    yield from _worth(said, shown.fair, shown.ev)


def _derived(said: Explanation, fair: float) -> Iterator[Step]:
    """Yield how a derived chance becomes an EV; if modelled, also at the low end of its band."""
    found, net = said.assessment, said.net_odds
    ev = _fixed(expected_value(net, fair), _EV_DECIMALS + (2 if said.decided < 1 else 0))
    shown = _enough(fair, _price_decimals(fair), lambda x: expected_value(net, float(x)), ev)
    chance = _enough(100 / fair, 2, lambda x: 100 / (float(x) or math.inf), shown)
    yield Step(_("Fair"), f"1 ÷ {chance} %", shown)
    yield from _worth(said, shown, ev)
    ends, cautious = found.stake_settlement, found.cautious_odds
    if found.band_pct is not None and ends is not None and cautious is not None:
        low = _fixed(expected_value(net, cautious, ends.decided), _EV_DECIMALS)
        band = f"({chance} {MINUS} {_fixed(100 / fair - 100 / cautious, 2)}) %"
        formula = f"{exact(net)} × {band} {MINUS} 1" if ends.decided == 1 else ""
        yield Step(_("EV at the low end"), formula, _signed(f"{float(low):+.{_EV_DECIMALS}f} %"))


def _worth(said: Explanation, fair: str, ev: str) -> Iterator[Step]:
    """Yield how the shown odds and fair odds give the EV."""
    if said.profile.charges and not said.is_reference:
        yield Step(_("After fees"), _net_formula(said), exact(said.net_odds))
    signed = _signed(f"{float(ev):+.{len(ev.partition('.')[2])}f} %")
    yield Step("EV", f"{exact(said.net_odds)} ÷ {fair} {MINUS} 1", signed)
    yield from _push(said, ev)


def _net_formula(said: Explanation) -> str:
    """How commission and tax come off; empty where a fee has no formula of one line."""
    profile, odds = said.profile, exact(said.odds)
    if profile.taker_fee:
        return ""
    kept = exact(round((1 - profile.commission) * 100, 6))
    net = f"1 + ({odds} {MINUS} 1) × {kept} %"
    if not profile.tax:
        return net
    left = exact(round((1 - profile.tax) * 100, 6))
    return f"({net}) × {left} %" if profile.commission else f"{odds} × {left} %"


def _push(said: Explanation, ev: str) -> Iterator[Step]:
    """What comes back undecided on average lessens the EV of a unit staked."""
    found = said.assessment
    if found.per == "decided":
        yield Step(_("Push"), _("chance not known"), _("without pushes"))
    elif said.decided < 1 and found.ev is not None:
        result = _fixed(found.ev, _EV_DECIMALS)
        share = _enough(said.decided * 100, 2, lambda x: float(ev) * float(x) / 100, result)
        staked = _signed(f"{float(result):+.{_EV_DECIMALS}f} %")
        yield Step(
            _("Per unit staked"),
            _signed(_("{ev} % × {share} % decided").format(ev=f"{float(ev):+}", share=share)),
            staked,
        )


def _sum(said: Explanation, total: str) -> Step:
    """The sum that S is; a value bet's own row holds S only, not the odds that it comes from."""
    parts = " + ".join(f"1/{exact(odds)}" for _, odds in said.quoted)
    return Step(pgettext("the sum of 1/odds", "Total"), "" if said.from_row else parts, total)


def _pooled(said: Explanation, fair: float, shown: _Figures) -> Iterator[Step]:
    """The result of the votes; each vote is listed next to the steps."""
    chance = _enough(100 / fair, 4, lambda x: 100 / (float(x) or math.inf), shown.fair)
    count = said.votes
    together = ngettext("{count} vote together", "{count} votes together", count)
    yield Step(_("Chance"), together.format(count=count), f"{chance} %")
    yield Step(_("Fair"), f"1 ÷ {chance} %", shown.fair)


def _margin(said: Explanation, shown: _Figures, reference: float) -> Iterator[Step]:
    """What the method does with the margin."""
    if shown.share is not None and shown.probability is not None:
        is_added, share = said.method == PUBLISHED, shown.share
        margin = f"1 {MINUS} 1/{shown.total}" if is_added else f"{shown.total} {MINUS} 1"
        yield Step(
            _("Margin"), f"({margin}) ÷ {said.outcomes}", _("{share} pp").format(share=share)
        )
        sign = "+" if is_added else MINUS
        chance = f"{shown.probability} %"
        yield Step(
            _("Chance"),
            f"1/{exact(reference)} {sign} {_('{share} pp').format(share=share)}",
            chance,
        )
        yield Step(_("Fair"), f"1 ÷ {chance}", shown.fair)
    elif said.method == _MULTIPLICATIVE:
        yield Step(_("Fair"), f"{exact(reference)} × {shown.total}", shown.fair)
    else:
        yield Step(_("Fair, {method}").format(method=method_name(said.method)), "", shown.fair)


def _figures(said: Explanation, total: float, fair: float, reference: float) -> _Figures:
    """Choose the decimals backwards: each figure has those that the next one needs."""
    outcomes, net = said.outcomes, said.net_odds
    ev = _fixed(expected_value(net, fair), _EV_DECIMALS + (2 if said.decided < 1 else 0))
    shown_fair = _enough(fair, _price_decimals(fair), lambda x: expected_value(net, float(x)), ev)
    least = 4
    if said.method == _MULTIPLICATIVE:
        shown_total = _enough(total, least, lambda x: float(x) * reference, shown_fair)
    else:
        shown_total = _fixed(total, least)
    if said.method not in _SHARING or not outcomes:
        return _Figures(shown_total, None, None, shown_fair, ev)
    is_added = said.method == PUBLISHED

    def share_of(total: float) -> float:
        return ((1 - 1 / total) if is_added else (total - 1)) / outcomes * 100

    sign = 1 if is_added else -1
    chance = _enough(100 / fair, least, lambda x: 100 / (float(x) or math.inf), shown_fair)
    share = _enough(share_of(total), least, lambda x: 100 / reference + sign * float(x), chance)
    shown_total = _enough(total, least, lambda x: share_of(float(x)), share)
    return _Figures(shown_total, _signed(share), chance, shown_fair, ev)


def _enough(number: float, least: int, follows: Callable[[str], float], result: str) -> str:
    """A figure with the fewest decimals from which the next figure follows as it is shown."""
    decimals = len(result.partition(".")[2])
    for places in range(least, _MOST_DECIMALS):
        text = _fixed(number, places)
        if _fixed(follows(text), decimals) == result:
            return text
    return _fixed(number, _MOST_DECIMALS)


def _price_decimals(price: float) -> int:
    return 4 if price < 10 else 3 if price < 100 else 2


def _fixed(number: float, decimals: int) -> str:
    return f"{round(number, decimals) + 0.0:.{decimals}f}"


def _signed(text: str) -> str:
    return text.replace("-", MINUS)
