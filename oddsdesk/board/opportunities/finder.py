"""Arbitrage, middles and low hold among the prices of a game at one moment.

The sharp book is a bookmaker like the others here. Whether a price is reliable is decided in one
place, by the board.
"""

import math
from collections import defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final, NamedTuple

import msgspec

from oddsdesk.board.model.basis import Basis
from oddsdesk.board.model.matrix import Matrix, Price, RowKey, Section
from oddsdesk.board.valuation.judging import Judge
from oddsdesk.contract.markets import DRAW_VOIDS, HANDICAPS
from oddsdesk.pricing.assessment import OVERTIME_SPORTS, Caution, settles_otherwise
from oddsdesk.pricing.opportunities import (
    LOW_HOLD,
    Between,
    Leg,
    Middle,
    OpportunityKind,
    Outlay,
    Span,
    Split,
    best_legs,
    go_together,
    middle_outlay,
    middle_span,
    outlay,
    push_of,
    total_of,
)
from oddsdesk.pricing.profiles import fold_name, is_delayed
from oddsdesk.pricing.selections import (
    AWAY,
    DRAW,
    HOME,
    OVER,
    UNDER,
    bet_named,
    complete_forms,
    threshold,
)
from oddsdesk.pricing.stakes import Depth, Ladder, net_paying, stakeable
from oddsdesk.pricing.value import MIN_OVERROUND, is_comparable, ladders, subject

_RANK: Final = {kind: rank for rank, kind in enumerate(OpportunityKind)}


class OpportunityKey(NamedTuple):
    """What an opportunity is about, at any bookmaker."""

    game_id: str
    market_type: str
    period: int
    groups: tuple[str, ...]
    """The line group, as ``LineGroup.key``; of a middle that of each leg."""
    sides: tuple[str, ...]
    """What each leg bets on."""


def _outcome(game_id: str, named: tuple[str, str, str], period: int) -> Hashable:
    return game_id, named[0], period, named[1], named[2]


class OpportunityLeg(NamedTuple):
    """A leg as it may be bet on."""

    key: RowKey
    bookmaker: str
    odds: float
    net_odds: float
    stake: float
    seen_at: int
    """In milliseconds."""
    cautions: tuple[Caution, ...]
    """What speaks against the price given the reference's; it is a leg all the same."""
    url: str | None
    same_at: tuple[str, ...] = ()
    """Who else offers as much net, and goes with the other legs."""
    most: float | None = None
    """The most that the bookmaker takes, as the user noted it."""
    depth: Depth | None = None
    """What is for sale; None where nobody tells."""
    ladder: Ladder | None = None
    """The same at net odds."""

    @property
    def for_sale(self) -> tuple[float, str] | None:
        """The stake that the best odds take, and its currency; None where nobody tells."""
        if self.depth is None or self.ladder is None:
            return None
        is_there = bool(self.ladder) and self.depth.levels[0][1] > 0
        return self.ladder[0].most if is_there else 0.0, self.depth.currency

    @property
    def room(self) -> float | None:
        """The largest stake: by the bookmaker's limit and what is for sale; None for any."""
        if self.ladder is None:
            return self.most
        for_sale = stakeable(self.ladder)
        return for_sale if self.most is None else min(self.most, for_sale)

    def net_paying(self, paid: float) -> float:
        """Return the net odds of the stake that pays back an amount."""
        return net_paying(self.ladder, paid) if self.ladder else self.net_odds


class Opportunity(msgspec.Struct, frozen=True):
    """Legs that cover everything, with their stakes; amounts in the user's money."""

    key: OpportunityKey
    kind: OpportunityKind
    match_name: str
    competition: str
    sport: str
    kick_off: int | None
    in_play: bool
    line: float | None
    """That of the first leg; of handicaps the home team's."""
    legs: tuple[OpportunityLeg, ...]
    total: float
    """S: the sum of 1/net odds."""
    outlay: Outlay
    middle: Middle | None
    between: Between | None
    """Where both legs stand; None where one of them always loses."""
    due_at: float
    """When time alone may change it, in milliseconds."""

    def sort_key(self) -> tuple[object, ...]:
        """Return what opportunities are sorted by: kind, then the least S."""
        key = self.key
        place = (self.competition, self.match_name, key.market_type, key.period, key.groups)
        return (_RANK[self.kind], self.total, *place, key.sides)

    @property
    def hold_pct(self) -> float:
        """The margin ``S - 1`` in percent; below 0 the set wins if stakes are fine enough.

        The name is the API's; where a table shows hold, it is ``1 - 1/S``.
        """
        return (self.total - 1) * 100

    @property
    def outcomes(self) -> list[Hashable]:
        """What each leg is on, as ``Placed.by_bookmaker`` names it."""
        game, market_type, period, groups, sides = self.key
        if len(groups) == 1:
            groups *= len(sides)
        return [
            _outcome(game, bet_named(self.sport, self.in_play, market_type, group, side), period)
            for group, side in zip(groups, sides, strict=True)
        ]

    @property
    def is_too_good(self) -> bool:
        """Whether a leg is a likely error: it is then listed last and starts no alert."""
        return any(Caution.ABOVE_WINDOW in leg.cautions for leg in self.legs)

    @property
    def eaten_pct(self) -> float:
        """What stakes in finer steps would win, where those in the user's win nothing; else 0."""
        if self.kind is not OpportunityKind.LOW_HOLD or self.total >= 1:
            return 0.0
        return (1 / self.total - 1) * 100

    @property
    def limited_by(self) -> str | None:
        """The bookmaker whose limit makes all stakes smaller; None for none."""
        place = self.outlay.limited_by
        return None if place is None else self.legs[place].bookmaker

    @property
    def profit_pct(self) -> float:
        """The worst outcome that decides after rounding, in percent of what is staked."""
        return self.outlay.worst_pct


UNRELIABLE: Final = frozenset(
    {
        Caution.STALE,
        Caution.AGE_UNKNOWN,
        Caution.STARTED,
        Caution.WITHDRAWN,
        Caution.DELAYED,
        Caution.BOOK_BELOW_100,
        Caution.PLACEHOLDER,
    }
)
"""A price with one of these is no leg; the others compare it with the reference."""


class _Offer(NamedTuple):
    """A leg, and the price that it is."""

    leg: Leg
    section: Section
    side: str
    bookmaker: str
    price: Price
    cautions: tuple[Caution, ...]
    same_at: tuple[str, ...] = ()


class _Candidate(NamedTuple):
    net_odds: float
    bookmaker: str
    selection: str
    price: Price


class OpportunityFinder:
    """Looks for opportunities among the markets of a game at one moment."""

    def __init__(
        self,
        basis: Basis,
        judge: Judge,
        matrix: Matrix,
        split: Split,
        *,
        among: Mapping[RowKey, float | None] | None = None,
        bookmakers: Collection[str] = (),
        kept: Collection[OpportunityKey] = (),
        placed: Mapping[tuple[Hashable, str], float] | None = None,
    ) -> None:
        """Look among these prices, and at these bookmakers, alone where they are named.

        ``among`` has the most that the bookmaker of each price still takes.

        Those ``kept`` are found whatever they cost, and wherever: the user has money on a side.
        ``placed``: as ``Placed.by_bookmaker``. A bookmaker's limit counts it.
        """
        self._basis = basis
        self._judge = judge
        self._matrix = matrix
        self._split = split
        self._among = among
        self._bookmakers = bookmakers
        self._kept = kept
        self._placed = placed or {}
        self._offered: dict[tuple[str, int, str, str, bool], list[_Candidate]] = {}
        """What is offered of each side of a line group, anywhere or at the bookmakers asked for."""
        self._offers: dict[tuple[object, ...], _Offer | None] = {}
        """Prices that were judged already."""

    def opportunities(self, sections: Sequence[Section]) -> Iterator[Opportunity]:
        """Yield those of one market."""
        yield from (found for found in self.looking(sections) if found is not None)

    def looking(self, sections: Sequence[Section]) -> Iterator[Opportunity | None]:
        """Yield those of one market, and None after each line or pair of lines without one."""
        for section in sections:
            for form in _forms(section):
                yield self._covering(section, form)
        by_subject = defaultdict[str, list[tuple[float, Section]]](list)
        for section in sections:
            line = threshold(section.key.market_type, section.line)
            if line is not None and section.sides:
                by_subject[subject(section.key.group)].append((line, section))
        for of_subject in by_subject.values():
            yield from self._middles(sorted(of_subject, key=lambda each: each[0]))

    def best_leg(self, section: Section, form: tuple[str, ...], side: str) -> OpportunityLeg | None:
        """Return the best price that may be a leg on one of the sides ``form``, without a stake."""
        candidates = self._candidates(section, side, math.inf)
        offers = self._reliable((section, side, form), candidates)
        return self._leg(offers[0], 0.0) if offers else None

    def _covering(self, section: Section, form: tuple[str, ...]) -> Opportunity | None:
        """Return the best legs of one line group."""
        limit = self._limit([section], form, 1 + LOW_HOLD)
        if math.fsum(1 / _highest(section, side) for side in form) > limit:
            return None
        sides = [self._candidates(section, side, limit) for side in form]
        line = threshold(section.key.market_type, section.line)
        if section.key.market_type in DRAW_VOIDS:
            line = 0.0  # a draw gives all stakes back, as a level handicap does
        best: tuple[Sequence[_Offer], Outlay] | None = None
        for found in self._best_each_way(section, form, sides, limit):
            staked = outlay([each.leg for each in found], self._split, line)
            is_small = any(each.leg.ladder is not None for each in found)
            if is_small and not math.isinf(limit) and staked.worst_pct < -100 * LOW_HOLD:
                continue  # so little is for sale that the steps of stakes cost more than a low hold
            if staked.covers_all and (best is None or _worth(staked) > _worth(best[1])):
                best = found, staked
        if best is None:
            return None
        found, staked = best
        kind = OpportunityKind.ARBITRAGE if staked.wins else OpportunityKind.LOW_HOLD
        return self._opportunity(kind, form, found, staked, None, push_of(line))

    def _best_each_way(
        self,
        section: Section,
        form: tuple[str, ...],
        sides: Sequence[Sequence[_Candidate]],
        limit: float,
    ) -> Iterator[Sequence[_Offer]]:
        """Yield the legs with the least S; where little of one is for sale, those without such.

        The best odds may be for sale for less than a step, and hide what can be had at others.
        """
        wanted = [(section, side, form) for side in form]
        found = self._best(wanted, sides, limit, (section.line,))
        if found is None or total_of(each.leg for each in found) > limit:
            return
        yield found
        if any(each.leg.ladder is not None for each in found):
            others = [[each for each in side if each.price.depth is None] for side in sides]
            found = self._best(wanted, others, limit, (section.line,))
            if found is not None and total_of(each.leg for each in found) <= limit:
                yield found

    def _middles(self, lines: Sequence[tuple[float, Section]]) -> Iterator[Opportunity | None]:
        """Yield the middles between the lines of one subject, None for each pair without one.

        No middle breaks even at less than ``S - 1``: a chance below it spares the closer look.
        """
        if len(lines) < 2:
            return
        sides = (HOME, AWAY) if lines[0][1].key.market_type in HANDICAPS else (OVER, UNDER)
        least = [[1 / _highest(section, side) for side in sides] for _, section in lines]
        chances = self._ladders(lines)
        likeliest = max((max(each.values(), default=0.0) for each in chances.values()), default=0.0)
        for first, second in combinations(range(len(lines)), 2):
            total, pair = least[first][0] + least[second][1], (lines[first][1], lines[second][1])
            if total > self._limit(pair, sides, 1 + max(LOW_HOLD, likeliest)):
                yield None
            else:
                yield self._between(lines[first], lines[second], sides, total, chances)

    def _between(
        self,
        above: tuple[float, Section],
        below: tuple[float, Section],
        sides: tuple[str, str],
        total: float,
        chances: Mapping[bool, Mapping[float, float]],
    ) -> Opportunity | None:
        """Return the middle above one line and below another; ``total`` is S at the very least."""
        lines, (one, other) = (above[0], below[0]), (above[1], below[1])
        span = middle_span(*lines, impossible=self._impossible(one))
        if span is None:
            return None
        chance = {state: span.chance(ladder) for state, ladder in chances.items()}
        dearest = 1 + max(LOW_HOLD, *(each or 0.0 for each in chance.values()))
        limit = self._limit((one, other), sides, dearest)
        if total > limit:
            return None
        candidates = [
            self._candidates(one, sides[0], limit),
            self._candidates(other, sides[1], limit),
        ]
        pair = [(one, sides[0], sides), (other, sides[1], sides)]
        found = self._best(pair, candidates, limit, (one.line, other.line))
        if found is None:
            return None
        return self._middle(found, lines, span, chance[found[0].leg.in_play])

    def _middle(
        self, found: Sequence[_Offer], lines: tuple[float, float], span: Span, chance: float | None
    ) -> Opportunity | None:
        one, other = found
        legs = (one.leg, other.leg)
        staked, hit = middle_outlay(legs, lines, span, self._split)
        if hit <= 0 or not staked.covers_all:
            return None
        middle = Middle(-staked.worst, hit, chance)
        sides = tuple(each.side for each in found)
        limit = self._limit([each.section for each in found], sides, 1 + LOW_HOLD)
        if total_of(legs) > limit and not middle.gains:
            return None
        between = Between(lines, span)
        return self._opportunity(OpportunityKind.MIDDLE, sides, found, staked, middle, between)

    def _limit(self, sections: Sequence[Section], sides: tuple[str, ...], most: float) -> float:
        """Return up to which S an opportunity is one: ``most``, unless it is kept."""
        is_kept = bool(self._kept) and self._key(sections, sides) in self._kept
        return math.inf if is_kept else most

    def _key(self, sections: Sequence[Section], sides: tuple[str, ...]) -> OpportunityKey:
        groups = tuple(each.key.group for each in sections)
        return OpportunityKey(self._matrix.game_id, *sections[0].key[:2], groups, sides)

    def _ladders(self, lines: Sequence[tuple[float, Section]]) -> dict[bool, Mapping[float, float]]:
        """How likely each line is passed as the reference sees it, before the game and in play."""
        told = [
            line
            for _, section in lines
            if (line := section.reference) is not None
            and section.market.reference not in section.market.stale
            and (line.overround or 0.0) >= MIN_OVERROUND
        ]
        about = subject(lines[0][1].key.group)
        return {
            state: ladders(line for line in told if bool(line.is_live) is state).get(about, {})
            for state in (False, True)
        }

    def _impossible(self, section: Section) -> frozenset[int]:
        """A margin that cannot be: no game is drawn where overtime goes on until one team leads."""
        goes_on = self._matrix.sport in OVERTIME_SPORTS and section.key.period == 0
        return frozenset({0}) if goes_on and section.key.market_type == "spread" else frozenset()

    def _candidates(self, section: Section, side: str, limit: float) -> list[_Candidate]:
        """What is offered of a side at the user's bookmakers, best net price first."""
        anywhere = not self._bookmakers or math.isinf(limit)
        key = (*section.key, side, anywhere)
        if key not in self._offered:
            self._offered[key] = self._find_offered(section, side, anywhere=anywhere)
        return self._offered[key]

    def _find_offered(self, section: Section, side: str, *, anywhere: bool) -> list[_Candidate]:
        found = []
        basis = self._basis
        for row, of_row in zip(section.rows, section.sides, strict=False):
            if of_row != side:
                continue
            for bookmaker, price in row.prices.items():
                if not self._is_among(section, row.selection, bookmaker):
                    continue
                if not anywhere and bookmaker not in self._bookmakers:
                    continue
                if price.withdrawn_at is None and basis.is_mine(bookmaker):
                    net = basis.net(bookmaker, price.odds)
                    found.append(_Candidate(net, bookmaker, row.selection, price))
        return sorted(found, key=lambda each: (-each.net_odds, each.bookmaker))

    def _is_among(self, section: Section, selection: str, bookmaker: str) -> bool:
        if self._among is None:
            return True
        return self._row_key(section, selection, bookmaker) in self._among

    def _row_key(self, section: Section, selection: str, bookmaker: str) -> RowKey:
        return RowKey(self._matrix.game_id, *section.key[:2], selection, bookmaker)

    def _best(
        self,
        wanted: Sequence[tuple[Section, str, tuple[str, ...]]],
        candidates: Sequence[Sequence[_Candidate]],
        limit: float,
        lines: Iterable[float | None],
    ) -> list[_Offer] | None:
        """Return the legs with the least S, None where none can be as low as ``limit``.

        ``wanted``: the line group, the side, and the sides that cover everything, of each leg.
        Only prices that may be legs are judged, as that takes a while.
        """
        if not all(candidates):
            return None
        shares = [1 / of_side[0].net_odds for of_side in candidates]
        room = limit - math.fsum(shares)
        if room < 0:
            return None
        offers = [
            self._reliable(where, [each for each in of_side if 1 / each.net_odds <= share + room])
            for where, of_side, share in zip(wanted, candidates, shares, strict=True)
        ]
        market = (wanted[0][0].key.market_type, wanted[0][0].key.period, self._matrix.sport)
        decides = any(settles_otherwise(market, line, True, False) for line in lines)
        legs = best_legs(
            [[each.leg for each in of_side] for of_side in offers], overtime_decides=decides
        )
        if legs is None:
            return None
        return [
            next(each for each in of_side if each.leg is leg)._replace(
                same_at=tuple(_same_at(legs, place, of_side, overtime_decides=decides))
            )
            for place, (leg, of_side) in enumerate(zip(legs, offers, strict=True))
        ]

    def _reliable(
        self, where: tuple[Section, str, tuple[str, ...]], candidates: Sequence[_Candidate]
    ) -> list[_Offer]:
        section, side, form = where
        offers = (self._offer(section, side, form, each) for each in candidates)
        return [offer for offer in offers if offer is not None]

    def _offer(
        self, section: Section, side: str, form: tuple[str, ...], candidate: _Candidate
    ) -> _Offer | None:
        """Return a price as a leg, None where it may not be relied upon."""
        key = (*section.key, side, len(form), candidate.selection, candidate.bookmaker)
        if key not in self._offers:
            self._offers[key] = self._judged(section, side, form, candidate)
        return self._offers[key]

    def _judged(
        self, section: Section, side: str, form: tuple[str, ...], candidate: _Candidate
    ) -> _Offer | None:
        net, bookmaker, selection, price = candidate
        judge = self._judge
        own = judge.sides(section, bookmaker)
        if not _bets_on(form, own, section) or judge.is_doubtful(section, bookmaker, own):
            return None
        cautions = judge.assess(section, selection, bookmaker).cautions
        if UNRELIABLE.intersection(cautions) or is_delayed(bookmaker):
            return None
        profile = self._basis.profiles.profile_of(bookmaker)
        in_play = self._matrix.is_live if price.is_live is None else price.is_live
        most = profile.limit
        if self._among is not None:
            most = self._among[self._row_key(section, selection, bookmaker)]
        elif most is not None:
            most -= self._placed_at(section, side, bookmaker, in_play=in_play)
        if most is not None and most < self._split.step:
            return None  # it takes no step more
        leg = Leg(
            bookmaker=bookmaker,
            group=profile.group,
            selection=selection,
            odds=price.odds,
            net_odds=net,
            seen_at=price.scraped_at,
            in_play=in_play,
            has_overtime=judge.counts_overtime(bookmaker),
            most=most,
            ladder=judge.ladder(price, bookmaker),
        )
        return _Offer(leg, section, side, bookmaker, price, cautions)

    def _placed_at(self, section: Section, side: str, bookmaker: str, *, in_play: bool) -> float:
        """Return what is placed and open on a side at a bookmaker."""
        market_type, period, group = section.key
        named = bet_named(self._matrix.sport, in_play, market_type, group, side)
        outcome = _outcome(self._matrix.game_id, named, period)
        return self._placed.get((outcome, fold_name(bookmaker)), 0.0)

    def _opportunity(
        self,
        kind: OpportunityKind,
        sides: tuple[str, ...],
        found: Sequence[_Offer],
        staked: Outlay,
        middle: Middle | None,
        between: Between | None,
    ) -> Opportunity:
        matrix, section = self._matrix, found[0].section
        found = [
            each._replace(leg=each.leg.at(stake))
            for each, stake in zip(found, staked.stakes, strict=True)
        ]
        legs = tuple(
            self._leg(each, stake) for each, stake in zip(found, staked.stakes, strict=True)
        )
        return Opportunity(
            key=self._key([each.section for each in found[: 1 if middle is None else 2]], sides),
            kind=kind,
            match_name=matrix.match_name,
            competition=matrix.competition,
            sport=matrix.sport,
            kick_off=matrix.kick_off,
            in_play=found[0].leg.in_play,
            line=section.line,
            legs=legs,
            total=total_of(each.leg for each in found),
            outlay=staked,
            middle=middle,
            between=between,
            due_at=min(
                self._judge.due_at(each.section, each.leg.selection, each.bookmaker)
                for each in found
            ),
        )

    def _leg(self, offer: _Offer, stake: float) -> OpportunityLeg:
        leg, price = offer.leg, offer.price
        key = RowKey(self._matrix.game_id, *offer.section.key[:2], leg.selection, offer.bookmaker)
        return OpportunityLeg(
            key,
            leg.bookmaker,
            leg.odds,
            leg.net_odds,
            stake,
            leg.seen_at,
            offer.cautions,
            price.url,
            offer.same_at,
            leg.most,
            price.depth,
            leg.ladder,
        )


def _worth(staked: Outlay) -> tuple[bool, float]:
    """What legs are chosen by: those that win by the money that they win, others by its share."""
    return staked.wins, staked.worst if staked.wins else staked.worst_pct


def _same_at(
    legs: Sequence[Leg], place: int, of_side: Iterable[_Offer], *, overtime_decides: bool
) -> Iterator[str]:
    """Yield who else offers the leg at a place with as much net, and goes with the others."""
    leg = legs[place]
    for other in (each.leg for each in of_side):
        if other.net_odds != leg.net_odds or other is leg:
            continue
        is_alike = not overtime_decides or other.has_overtime is leg.has_overtime
        if is_alike and go_together([*legs[:place], other, *legs[place + 1 :]]):
            yield other.bookmaker


def _highest(section: Section, side: str) -> float:
    """The highest gross odds on a side, a bound of what any leg pays; small where none is there."""
    return max(
        [
            price.odds
            for row, of_row in zip(section.rows, section.sides, strict=False)
            if of_row == side
            for price in row.prices.values()
            if price.withdrawn_at is None
        ],
        default=1e-9,
    )


def _forms(section: Section) -> Iterator[tuple[str, ...]]:
    """Yield the sides that cover a line group; two forms where a draw may be bet on or not."""
    market_type, _, group = section.key
    if market_type == "yes_no" and not group:
        return  # nobody tells which question it is
    for form in complete_forms(market_type, section.sport):
        if set(form) <= set(section.sides):
            yield form


def _bets_on(form: tuple[str, ...], own: frozenset[str], section: Section) -> bool:
    """Whether who prices ``own`` sides bets on what ``form`` covers.

    Where a draw may be bet on or not, some sides alone do not tell which of both it is.
    """
    market_type = section.key.market_type
    if market_type != "moneyline" or len(complete_forms(market_type, section.sport)) < 2:
        return is_comparable(form, own)
    return DRAW in own if DRAW in form else DRAW not in own and own.issuperset(form)
