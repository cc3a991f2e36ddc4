"""The board's assessment of a price; everything that needs one gets it here."""

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final, NamedTuple

import msgspec

from oddsdesk.board.model.basis import Basis
from oddsdesk.board.model.matrix import (
    Matrix,
    Place,
    Price,
    RowKey,
    Section,
    SelectionRow,
    offered,
    own_group,
    priced_by,
)
from oddsdesk.board.valuation.figures import fair_without, window_without
from oddsdesk.board.valuation.game_book import GameBook
from oddsdesk.contract.markets import Form, form_of
from oddsdesk.contract.times import MINUTE_MS
from oddsdesk.pricing import value
from oddsdesk.pricing.assessment import (
    DRAW_MISSED_MS,
    Assessment,
    Caution,
    Group,
    Setting,
    Sighting,
    assess,
    is_unread,
)
from oddsdesk.pricing.profiles import Profile, is_delayed
from oddsdesk.pricing.selections import LineGroup, bet_named
from oddsdesk.pricing.stakes import Depth, Ladder, acceptable, odds_against

_NO_FEES = Profile(name="", group="")
_MOST_LAID: Final = 1 + 1e-5
"""The largest sum of 1/odds of lays on all sides; odds are rounded to six decimals."""


class Judgement(msgspec.Struct, frozen=True):
    """What is said of a price, and of what it was said."""

    assessment: Assessment
    due_at: float
    """When time alone may change that, in milliseconds."""
    line: value.ReferenceLine
    """What the price was judged by."""
    sides: frozenset[str]
    """What the bookmaker offers in the line group."""


class _Limit(NamedTuple):
    """How old a price may be, and how much of its age does not count; in milliseconds."""

    stale_after_ms: int | None
    """None where nothing tells."""
    unread_ms: int

    def ends_at(self, scraped_at: int) -> int | None:
        """Return when a price is stale that was seen at a moment."""
        if self.stale_after_ms is None:
            return None
        return scraped_at + self.stale_after_ms + self.unread_ms


class Judge:
    """Assesses prices of a game at one moment."""

    def __init__(self, basis: Basis, matrix: Matrix, now_ms: int) -> None:
        self._basis = basis
        self._matrix = matrix
        self.now_ms = now_ms

    @property
    def rules(self) -> value.ListRules:
        """The rules that a listed price must pass."""
        return self._basis.rules

    def is_mine(self, bookmaker: str) -> bool:
        """Whether the user bets at a bookmaker."""
        return self._basis.is_mine(bookmaker)

    def assess(
        self, section: Section, selection: str, bookmaker: str, *, is_lay: bool = False
    ) -> Assessment:
        """Return the value of a price, or of a lay at it, and its cautions."""
        row, side = section.selection_row(selection), section.side_of(selection)
        return self.judge_price(section, row, side, bookmaker, is_lay=is_lay).assessment

    def judge_price(
        self,
        section: Section,
        row: SelectionRow,
        side: str,
        bookmaker: str,
        *,
        is_lay: bool = False,
    ) -> Judgement:
        """Return the value of a price, the line that judged it, and when that expires.

        ``is_lay``: judge the lay, as a back of the other side; there must be a lay price.
        """
        price, line = row.prices[bookmaker], line_of(section, bookmaker)
        is_reference = bookmaker == section.market.reference
        limit, line_limit = self._limit(bookmaker, price), self._line_limit(section, bookmaker)
        sides = self.sides(section, bookmaker)
        odds, doubts = price.odds, section.doubts.get((row.selection, bookmaker), frozenset())
        if is_lay and price.depth is not None and price.depth.lay_odds is not None:
            odds = odds_against(price.depth.lay_odds)
            line, side = value.line_against(line, side)
            doubts |= _lay_doubts(section, bookmaker)
        group = Group(
            _NO_FEES if is_reference else self._basis.profiles.profile_of(bookmaker),
            sides,
            self.is_doubtful(section, bookmaker, sides),
            self.counts_overtime(bookmaker),
            is_reference,
        )
        sighting = Sighting(
            side,
            odds,
            price.scraped_at,
            price.is_live,
            limit.stale_after_ms,
            price.is_offered,
            not is_reference and is_delayed(bookmaker),
            limit.unread_ms,
            doubts,
        )
        setting = self._setting(section, line, line_limit, price)
        found = assess(setting, group, sighting)
        due_at = self._due_at(price, limit, line, line_limit)
        return Judgement(found, due_at, line, sides)

    def ladder(self, price: Price, bookmaker: str, *, is_lay: bool = False) -> Ladder | None:
        """Return the available amounts of a price at net odds; None if unknown.

        ``is_lay``: amounts to lay, as liabilities.
        """
        if (depth := self.depth(price)) is None:
            return None
        return self._basis.profiles.profile_of(bookmaker).ladder_of(depth, is_lay=is_lay)

    def depth(self, price: Price) -> Depth | None:
        """Return the available amounts of a price, in the user's currency if a rate is known."""
        return self._basis.own_money(price.depth)

    def for_sale(self, price: Price, bookmaker: str) -> float | None:
        """Return the stake that the best odds of a price take, None where nobody tells."""
        depth = self.depth(price)
        if depth is None or not depth.levels:
            return None
        profile = self._basis.profiles.profile_of(bookmaker)
        return profile.stake_of(*depth.levels[0])

    def sides(self, section: Section, bookmaker: str) -> frozenset[str]:
        """Return what a bookmaker offers in a line group."""
        return frozenset(
            [
                side
                for row, side in zip(section.rows, section.sides, strict=False)
                if offered(row.prices.get(bookmaker))
            ]
        )

    def due_at(self, section: Section, selection: str, bookmaker: str) -> float:
        """Return when time alone may change what is said of a price, in milliseconds."""
        price = section.selection_row(selection).prices[bookmaker]
        return self._due_at(
            price,
            self._limit(bookmaker, price),
            line_of(section, bookmaker),
            self._line_limit(section, bookmaker),
        )

    def is_doubtful(self, section: Section, bookmaker: str, sides: Collection[str]) -> bool:
        """Whether other outcomes are unread, or a draw that was priced lately is missing."""
        facts, market_type = section.market, section.key.market_type
        if not facts.unread and not facts.drew_at:
            return False
        drew_at = facts.drew_at.get(bookmaker)
        had_draw = drew_at is not None and self.now_ms - drew_at <= DRAW_MISSED_MS
        return is_unread(market_type, int(bookmaker in facts.unread), sides, had_draw=had_draw)

    def counts_overtime(self, bookmaker: str) -> bool | None:
        """Whether a bookmaker's bets of the game count overtime; None where nothing tells."""
        matrix = self._matrix
        return self._basis.overtime.counts_overtime(
            matrix.game_id, matrix.competition, matrix.sport, bookmaker
        )

    def _setting(
        self, section: Section, line: value.ReferenceLine, limit: _Limit, price: Price
    ) -> Setting:
        matrix, reference = self._matrix, section.market.reference
        return Setting(
            line=line,
            period=section.key.period,
            sport=matrix.sport,
            kick_off=matrix.kick_off,
            now_ms=self.now_ms,
            has_unread=self.is_doubtful(section, reference, line.group.sides),
            has_overtime=self.counts_overtime(reference)
            if section.pool is None
            else section.pool.has_overtime,
            push=section.push[bool(price.is_live or line.is_live)],
            stale_after_ms=limit.stale_after_ms,
            unread_ms=limit.unread_ms,
            rules=self.rules,
        )

    def _due_at(
        self, price: Price, limit: _Limit, line: value.ReferenceLine, line_limit: _Limit
    ) -> float:
        due_at: float = math.inf
        for at in (
            limit.ends_at(price.scraped_at),
            price.scraped_at + value.MAX_AGE_MS,
            line.scraped_at + value.MAX_AGE_MS,
            self._matrix.kick_off,
            line_limit.ends_at(line.scraped_at),
        ):
            if at is not None and self.now_ms <= at < due_at:
                due_at = at
        return due_at + 1

    def _line_limit(self, section: Section, bookmaker: str) -> _Limit:
        """Return the age from which the reference's line is stale; without one nothing tells.

        A consensus is stale once fewer voices than make one have a fresh vote. A derived line is
        stale with its oldest source.
        """
        if section.sources and section.pool is None:
            dated = [each for each in section.sources if each.reference is not None]
            oldest = min(dated, key=_scraped_at, default=None)
            return _Limit(None, 0) if oldest is None else self._line_limit(oldest, bookmaker)
        if section.pool is None:
            for row in section.rows:
                if row.reference is not None:
                    return self._limit(section.market.reference, row.reference)
            return _Limit(None, 0)
        pooled = section.pool.pooled_without(bookmaker)
        if pooled is None:
            return _Limit(None, 0)
        counted, whole = dict[str, int](), dict[str, int]()
        for voter in pooled.voters:
            limit = _Limit(0, 0) if voter.is_apart else self._limit(voter.bookmaker, voter.price)
            voice, end = voter.voice, voter.scraped_at + (limit.stale_after_ms or 0)
            counted[voice] = max(end, counted.get(voice, 0))
            whole[voice] = max(end + limit.unread_ms, whole.get(voice, 0))
        decides, seen_at = section.pool.least - 1, pooled.line.scraped_at
        after, with_unread = (
            max(1, sorted(ends.values(), reverse=True)[decides] - seen_at)
            for ends in (counted, whole)
        )
        return _Limit(after, with_unread - after)

    def _limit(self, bookmaker: str, price: Price) -> _Limit:
        """By the bookmaker's own rhythm; what the desk did not read again is not the older."""
        interval, in_play = self._basis.scrape_interval, price.is_live
        after = min(interval.stale_after_ms(bookmaker, in_play), self.rules.max_age_of(in_play))
        return _Limit(after, interval.patience_with(price.heard_at, self.now_ms, in_play))


def _lay_doubts(section: Section, bookmaker: str) -> frozenset[Caution]:
    """Return the cautions on a bookmaker's lays, given all its lays on a line.

    Laying every side would win if they add up to more than 100 %: one of them is a mistake, or old.
    """
    odds = [
        price.depth.lay_odds
        for row in priced_by(section, bookmaker)
        if (price := row.prices[bookmaker]).depth is not None
    ]
    group = own_group(section, priced_by(section, bookmaker))
    if group is None or len(odds) < len(group.sides):
        return frozenset()
    total = math.fsum(1 / each for each in odds if each is not None)
    is_crossed = total > _MOST_LAID and None not in odds
    return frozenset({Caution.BOOK_BELOW_100}) if is_crossed else frozenset()


def _scraped_at(section: Section) -> int:
    return 0 if section.reference is None else section.reference.scraped_at


def line_of(section: Section, bookmaker: str) -> value.ReferenceLine:
    """Return the line group that a bookmaker's prices are judged by, an empty one without any."""
    line = section.line_without(bookmaker)
    if line is not None:
        return line
    seen = [row.reference.scraped_at for row in section.rows if row.reference is not None]
    group = LineGroup(section.key.group, section.line, (), (), complete=False)
    return value.ReferenceLine(section.key.market_type, group, {}, None, min(seen, default=0), None)


_HAIR: Final = 1 - 1e-12
_AGES: Final = (value.Rule.REFERENCE_AGE, value.Rule.BOOK_AGE)
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
    """Whether the contract's rules list it at its gross odds."""
    scraped_at: int | None
    """When it was last seen; None where nobody told."""
    url: str | None = None
    direction: int = 0
    """1 where the price last rose, -1 where it fell, 0 where no move was seen."""
    due_at: float = math.inf
    """When time alone makes it worth another look, in milliseconds."""
    depth: Depth | None = None
    """What is for sale, seen when the price was; None where nobody tells."""
    ladder: Ladder | None = None
    """What of it passes the rules, each level by its own net odds."""
    for_sale: float | None = None
    """The stake that its best odds take, in the currency of ``depth``."""

    @property
    def bookmaker(self) -> str:
        """Who offers it."""
        return self.key.bookmaker

    @property
    def judged_line(self) -> tuple[str, str, int, str]:
        """A key shared by outcomes of which at most one wins. Each double chance has its own."""
        overlaps = form_of(self.key.market_type) is Form.DOUBLE_CHANCE
        return *self.key[:3], self.side if overlaps else self.line_key

    @property
    def outcome(self) -> tuple[str, str, int, str, str]:
        """What the price is a bet on, at any bookmaker and in any market."""
        key = self.key
        named = bet_named(self.sport, self.is_live, key.market_type, self.line_key, self.side)
        return key.game_id, named[0], key.period, named[1], named[2]

    @property
    def is_value(self) -> bool:
        """Whether it is value."""
        return self.assessment.is_value

    def at_net(self, net_odds: float) -> "AssessedPrice":
        """Return the price as it is for a stake whose average net odds are these."""
        found = self.assessment
        if net_odds == found.net_odds:
            return self
        ev, ev_pct = found.ev_at(net_odds), found.ev_pct_at(net_odds, self.key.market_type)
        changed = msgspec.structs.replace(
            found, net_odds=net_odds, ev=ev, ev_pct=ev_pct, band_pct=found.band_pct_at(net_odds)
        )
        return msgspec.structs.replace(self, assessment=changed)


def assessed_price(
    by: Judge, matrix: Matrix, section: Section, selection: str, bookmaker: str
) -> AssessedPrice:
    """Assess a bookmaker's price that is held."""
    row, side = section.selection_row(selection), section.side_of(selection)
    return assessed_at(by, matrix, Place(section, row, side), bookmaker)


def assessed_at(by: Judge, matrix: Matrix, place: Place, bookmaker: str) -> AssessedPrice:
    """Assess a bookmaker's price that is held at a place of the game."""
    section, row, side = place
    price = row.prices[bookmaker]
    judgement = by.judge_price(section, row, side, bookmaker)
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
        is_in_contract=_is_in_contract(by, judgement, side, price),
        scraped_at=price.scraped_at,
        url=price.url,
        direction=price.direction,
        due_at=judgement.due_at,
        depth=by.depth(price),
        ladder=None if ladder is None else _worth_it(ladder, judgement, side, by.rules),
        for_sale=by.for_sale(price, bookmaker),
    )


def _worth_it(ladder: Ladder, judgement: Judgement, side: str, rules: value.ListRules) -> Ladder:
    """Return the levels that pass the rules of a price, each by its own net odds."""
    ends = judgement.assessment.settlement
    window = None if ends is None else value.price_window(judgement.line, side, ends.decided, rules)
    return () if window is None else acceptable(ladder, lambda net: net >= window.least * _HAIR)


def _is_in_contract(by: Judge, judgement: Judgement, side: str, price: Price) -> bool:
    found = judgement.assessment
    gross, ends = found.service_ev_pct, found.settlement
    if gross is None or ends is None or gross < value.MIN_EV:
        return False
    is_alike = by.rules is value.SERVICE_RULES and found.net_odds == found.odds
    if is_alike and ends.decided == 1:  # by the contract's rules but for ages
        stopped = [check.rule for check in found.checks if not check.holds]
        if not stopped or any(rule not in _AGES for rule in stopped):
            return not stopped
    candidate = value.Candidate(side, price.odds, judgement.sides, price.scraped_at, price.is_live)
    return value.judge_candidate(judgement.line, candidate, by.now_ms).is_value


def assessed_in(book: GameBook, by: Judge, key: RowKey) -> AssessedPrice | None:
    """Assess a price that a game's book holds; None where it holds no such price."""
    place = book.place_of(key.market_type, key.period, key.selection)
    if place is None or key.bookmaker not in place.row.prices:
        return None
    return assessed_at(by, book.matrix, place, key.bookmaker)


def is_listed_at_all(price: AssessedPrice) -> bool:
    """Tell whether a price is value, would be but for its cautions, or a service lists it.

    The others are those that only their figures keep from being value.
    """
    return price.is_in_contract or price.assessment.is_value_but_for_cautions


MOST_DISTANCE: Final = 1.0
"""Prices farther off than this are no near misses."""
_ONE_AWAY: Final[Mapping[value.Rule, float]] = {
    value.Rule.MIN_EDGE: 1.0,
    value.Rule.MAX_EDGE: 1.0,
    value.Rule.EDGE_CAP: 1.0,
    value.Rule.PAYOUT: 0.01,
    value.Rule.RATIO: 0.01,
    value.Rule.OVERROUND: 0.01,
    value.Rule.BOOK_AGE: 5 * MINUTE_MS,
    value.Rule.REFERENCE_AGE: 5 * MINUTE_MS,
}
"""What counts as a distance of 1 from each threshold: about one percent of the price."""
_MOST_SHORT: Final = MOST_DISTANCE * _ONE_AWAY[value.Rule.MIN_EDGE]


class NearMiss(NamedTuple):
    """A price that is almost value, and that nothing else speaks against; times in milliseconds."""

    key: RowKey
    match_name: str
    section: Section
    price: Price
    is_live: bool
    assessment: Assessment
    distance: float
    """How far all rules that stop it are off together, in ``_ONE_AWAY``."""
    others: tuple["NearMiss", ...] = ()
    """The same selection at other bookmakers, the nearest first."""

    @property
    def selection_key(self) -> RowKey:
        """Its selection: the same for every bookmaker, whose name is left out."""
        return self.key._replace(bookmaker="")

    @property
    def stopped_by(self) -> value.RuleCheck:
        """The rule that is farthest off."""
        return max(self.assessment.stopped_by, key=_distance)

    @property
    def window(self) -> tuple[float | None, float | None]:
        """From which net odds the selection is value, and above which it is suspicious."""
        row = self.section.selection_row(self.key.selection)
        return window_without(self.section, row, self.key.bookmaker)


def near_misses(matrix: Matrix, by: Judge) -> Iterator[NearMiss]:
    """Yield the prices of a game that are almost value, at the user's bookmakers."""
    for section in matrix.sections:
        reference = section.reference
        room = section.rules.max_overround + MOST_DISTANCE * _ONE_AWAY[value.Rule.OVERROUND]
        if reference is None or (reference.overround or room) > room:
            continue
        for row in section.rows:
            if row.fair is not None:
                yield from _of_row(matrix, section, row, by)


def by_selection(misses: Iterable[NearMiss]) -> list[NearMiss]:
    """Return the nearest miss of each selection with the others of it, the nearest first."""
    groups: dict[RowKey, list[NearMiss]] = {}
    for miss in sorted(misses, key=lambda miss: miss.distance):
        groups.setdefault(miss.selection_key, []).append(miss)
    return [nearest._replace(others=tuple(others)) for nearest, *others in groups.values()]


def _of_row(matrix: Matrix, section: Section, row: SelectionRow, by: Judge) -> Iterator[NearMiss]:
    least = section.rules.minimum_ev(section.key.market_type, 0.0) - _MOST_SHORT
    for bookmaker, price in row.others():
        if not by.is_mine(bookmaker):
            continue
        fair = fair_without(section, row, bookmaker)
        if fair is None or value.expected_value(price.odds, fair) < least or not price.is_offered:
            continue
        found = by.assess(section, row.selection, bookmaker)
        if found.is_value or found.cautions:
            continue
        distance = sum(_distance(check) for check in found.stopped_by)
        if distance <= MOST_DISTANCE:
            key = RowKey(matrix.game_id, *section.key[:2], row.selection, bookmaker)
            is_live = matrix.is_live
            yield NearMiss(key, matrix.match_name, section, price, is_live, found, distance)


def _distance(check: value.RuleCheck) -> float:
    """How far a rule that does not hold is off; out of reach where it has no figure."""
    unit = _ONE_AWAY.get(check.rule)
    if unit is None or check.margin is None:
        return 2 * MOST_DISTANCE
    return -check.margin / unit
