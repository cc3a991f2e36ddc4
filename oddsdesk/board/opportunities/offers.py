"""What to stake on a leg of an opportunity at current prices, as in the list.

Prices may move between the listing and the bet. An old stake at new odds would then cover nothing.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from oddsdesk.base.clock import Clock
from oddsdesk.base.tasks import exhaust
from oddsdesk.board.board import Board
from oddsdesk.board.model.matrix import CellKey, Matrix, RowKey, Section
from oddsdesk.board.model.notices import (
    ConnectionChanged,
    Link,
    MatrixLoaded,
    Notice,
    PricesChanged,
)
from oddsdesk.board.opportunities.finder import (
    FamilyKey,
    Opportunity,
    OpportunityFinder,
    OpportunityKey,
    OpportunityLeg,
)
from oddsdesk.board.opportunities.ways import UNRELIABLE
from oddsdesk.pricing.assessment import Caution
from oddsdesk.pricing.covers import family_of
from oddsdesk.pricing.opportunities import (
    LOW_HOLD,
    OpportunityKind,
    Split,
    outlay_of,
    rest_of_legs,
    split_stakes,
)
from oddsdesk.pricing.stakes import Ladder, net_paying, stakeable


class LegsToPlace(NamedTuple):
    """Which legs of an opportunity are to be bet on, and what is placed of it."""

    listed: Opportunity
    """As it was listed."""
    places: tuple[int, ...]
    """The legs that are asked for, by place, in this order."""
    unplaced: tuple[int, ...]
    """All legs without a bet, by place: nothing more is staked on the others."""
    taken: tuple[tuple[float, float], ...] = ()
    """Stake and net odds of each leg that is placed."""

    def after_leg(self, place: int, stake: float, net_odds: float) -> "LegsToPlace":
        """Return what is left once a leg is placed."""
        return self._replace(
            places=tuple(each for each in self.places if each != place),
            unplaced=tuple(each for each in self.unplaced if each != place),
            taken=(*self.taken, (stake, net_odds)),
        )


class LegNow(NamedTuple):
    """What became of a leg since it was listed."""

    listed: OpportunityLeg
    odds: float | None
    """None where they are held no longer."""
    cautions: tuple[Caution, ...]
    """Why it may be no leg now."""
    doubts: tuple[Caution, ...] = ()
    """What else speaks against it: it is a leg all the same."""
    better: tuple[float, str, str] | None = None
    """The best odds on its outcome now, with bookmaker and selection; None if its own net odds are
    the best."""
    ladder: Ladder | None = None
    """What is for sale by now; None where nobody tells."""

    @property
    def is_other(self) -> bool:
        """Whether it is not what was listed."""
        return self.odds != self.listed.odds or bool(self.cautions)


class LegOffer(NamedTuple):
    """What a leg is offered with at one moment."""

    stake: float
    """0 where nothing is to be staked."""
    worst_pct: float | None
    """What all legs then leave at worst, in percent of all stakes; None where they are none."""
    kind: OpportunityKind | None
    """What the unplaced legs are, before one is placed; None where they are no opportunity."""
    legs: tuple[LegNow, ...]
    """The unplaced ones."""


def offer_now(board: Board, wanted: LegsToPlace, place: int, split: Split) -> LegOffer:
    """Return what to stake on a leg now: as the list does before any is placed, then given it."""
    legs = _legs_now(board, wanted)
    if place not in wanted.unplaced or board.connection.is_lost:
        return LegOffer(0.0, None, None, legs)
    if not wanted.taken:
        found = opportunity_now(board, wanted.listed, split)
        if found is None:
            return LegOffer(0.0, None, None, legs)
        return LegOffer(found.legs[place].stake, found.outlay.worst_of_all_pct, found.kind, legs)
    nets = _nets_of(board, legs, wanted.taken)
    if nets is None:
        return LegOffer(0.0, None, None, legs)
    stakes, worst = rest_of_legs(wanted.taken, nets, split.step, _most(legs))
    at = wanted.unplaced.index(place)
    return LegOffer(0.0 if legs[at].cautions else stakes[at], worst, None, legs)


def stake_at(
    board: Board, wanted: LegsToPlace, place: int, net_odds: float, split: Split
) -> float | None:
    """Return what ``offer_now`` would stake on a leg at other net odds, the others unchanged.

    0 where the list would not have such legs, None where nobody knows what they are.
    """
    legs = _legs_now(board, wanted)
    nets = _nets_of(board, legs, wanted.taken)
    if nets is None or place not in wanted.unplaced or board.connection.is_lost:
        return None
    at = wanted.unplaced.index(place)
    nets[at] = net_odds
    if wanted.taken:
        return rest_of_legs(wanted.taken, nets, split.step, _most(legs))[0][at]
    stakes = split_stakes(nets, split, _most(legs))
    is_listed = math.fsum(1 / net for net in nets) <= 1 + LOW_HOLD or _gains(
        wanted.listed, list(zip(stakes, nets, strict=True))
    )
    return stakes[at] if is_listed and not any(leg.cautions for leg in legs) else 0.0


def worst_with_placed(board: Board, left: LegsToPlace, split: Split) -> float | None:
    """Return what all legs leave at worst with what is placed, in percent of all stakes.

    The unplaced ones with the stakes that they are offered with now; None where that is unknown.
    """
    if not left.unplaced:
        return outlay_of(left.taken).worst_pct
    legs = _legs_now(board, left)
    nets = None if board.connection.is_lost else _nets_of(board, legs, left.taken)
    return None if nets is None else rest_of_legs(left.taken, nets, split.step, _most(legs))[1]


def between_with_placed(
    wanted: LegsToPlace, place: int, stake: float, net_odds: float
) -> float | None:
    """Return what the last of two legs leaves where both stand, in percent of all stakes.

    At worst between the lines of a middle, or on a push; None where neither can be.
    """
    between = wanted.listed.between
    if between is None or wanted.unplaced != (place,) or len(wanted.taken) != 1:
        return None
    legs = [*wanted.taken]
    legs.insert(place, (stake, net_odds))
    return 100 * between.gain(legs) / math.fsum(staked for staked, _ in legs)


def opportunity_now(board: Board, listed: Opportunity, split: Split) -> Opportunity | None:
    """Return what the same legs are now; None where the list would not have them."""
    matrix = board.matrix(listed.key.game_id)
    if matrix is None:
        return None
    finder = OpportunityFinder(
        board.basis,
        board.judge_of(matrix),
        matrix,
        split,
        among={(leg.key, leg.is_lay): leg.most for leg in listed.legs},
    )
    found = finder.opportunities(sections_of(matrix)[listed.key.family_key])
    same = (each for each in found if each.key == listed.key)
    return min(same, key=lambda each: each.total, default=None)


def legs_now(board: Board, found: Opportunity) -> list[OpportunityLeg | None]:
    """Return the best leg on each side of an opportunity now, each by itself and without a stake.

    None where no price on a side may be relied upon: then nothing covers everything.
    """
    matrix = board.matrix(found.key.game_id)
    if matrix is None:
        return [None] * len(found.legs)
    finder = OpportunityFinder(board.basis, board.judge_of(matrix), matrix, Split())
    return finder.best_legs_each(sections_of(matrix)[found.key.family_key], found.key)


def _family(key: RowKey) -> FamilyKey:
    return FamilyKey(key.game_id, family_of(key.market_type), key.period)


def sections_of(matrix: Matrix) -> defaultdict[FamilyKey, list[Section]]:
    """Return the sections of each family of markets."""
    sections = defaultdict[FamilyKey, list[Section]](list)
    for section in matrix.sections:
        market_type, period, _ = section.key
        sections[FamilyKey(matrix.game_id, family_of(market_type), period)].append(section)
    return sections


def _gains(listed: Opportunity, legs: Sequence[tuple[float, float]]) -> bool:
    """Whether stakes at net odds gain on average, as a middle may that costs more."""
    if listed.middle is None or listed.between is None:
        return False
    loss, hit = -outlay_of(legs).worst, listed.between.gain(legs)
    return hit > 0 and listed.middle._replace(loss=loss, hit=hit).gains


def _legs_now(board: Board, wanted: LegsToPlace) -> tuple[LegNow, ...]:
    """Return the unplaced legs at current prices."""
    best = legs_now(board, wanted.listed)
    return tuple(_leg_now(board, wanted.listed.legs[each], best[each]) for each in wanted.unplaced)


def _nets_of(
    board: Board, legs: Sequence[LegNow], taken: Sequence[tuple[float, float]]
) -> list[float] | None:
    """Return the net odds of legs; None where one is held no longer."""
    nets = [
        net_paying(leg.ladder, _paid(leg.listed, taken))
        if leg.ladder
        else leg.listed.net_of(board.basis.profiles.profile_of(leg.listed.bookmaker), leg.odds)
        for leg in legs
        if leg.odds is not None
    ]
    return nets if len(nets) == len(legs) else None


def _paid(listed: OpportunityLeg, taken: Sequence[tuple[float, float]]) -> float:
    """Return what a leg is to pay back: as much as what is placed, else as it is listed with."""
    if taken:
        return min(stake * net for stake, net in taken)
    return listed.stake * listed.net_odds


def _most(legs: Sequence[LegNow]) -> list[float | None]:
    """Return the most that each leg takes: by its bookmaker's limit, and by what is for sale."""
    return [
        leg.listed.most
        if leg.ladder is None
        else min(stakeable(leg.ladder), math.inf if leg.listed.most is None else leg.listed.most)
        for leg in legs
    ]


def _leg_now(board: Board, listed: OpportunityLeg, best: OpportunityLeg | None) -> LegNow:
    """Return a leg at current prices; ``best``: the best offer of its bet, in any market."""
    price = board.price(listed.key.game_id, CellKey(*listed.key[1:]))
    depth = None if price is None else board.basis.own_money(price.depth)
    odds = None if price is None else price.odds
    if listed.is_lay:
        odds = None if depth is None else depth.lay_odds
    found = None if odds is None else board.assess(listed.key, is_lay=listed.is_lay)
    if found is None:
        return LegNow(listed, None, (Caution.WITHDRAWN,))
    cautions = tuple(each for each in found.cautions if each in UNRELIABLE)
    doubts = tuple(each for each in found.cautions if each not in UNRELIABLE)
    better = None
    if best is not None and best.net_odds > found.net_odds:
        better = best.odds, best.bookmaker, best.named(best.key.selection)
    profile = board.basis.profiles.profile_of(listed.bookmaker)
    ladder = None if depth is None else profile.ladder_of(depth, is_lay=listed.is_lay)
    return LegNow(listed, odds, cautions, doubts, better, ladder)


LOOK_RESTS: Final = 25
"""The least pause between two looks at all that changed, in times of what the last one took."""


class Opportunities:
    """What a board's prices offer; ``looking`` brings it up to date with what changed since.

    ``split`` returns how the user divides money among legs; each search calls it. ``has_lays``:
    whether lays may be legs.
    """

    def __init__(
        self, board: Board, clock: Clock, split: Callable[[], Split], *, has_lays: bool = True
    ) -> None:
        self.entries: dict[OpportunityKey, Opportunity] = {}
        self._board = board
        self._clock = clock
        self._split = split
        self._by_market: dict[FamilyKey, tuple[OpportunityKey, ...]] = {}
        self._due: dict[FamilyKey, None] = {}
        self._aged: set[FamilyKey] = set()
        """Where time alone ended all there was: a price that is read again may bring it back."""
        self._kept: frozenset[OpportunityKey] = frozenset()
        self._bookmakers: frozenset[str] = frozenset()
        self._has_lays = has_lays
        self._placed: dict[tuple[Hashable, str], float] = {}
        self._unsubscribe = board.subscribe(
            self._on_board_notice, PricesChanged, MatrixLoaded, ConnectionChanged
        )
        self.look_at_all()

    def stop_listening(self) -> None:
        """Stop listening to the board."""
        self._unsubscribe()

    def keep_listed(self, keys: Iterable[OpportunityKey]) -> None:
        """List these whatever they cost, from the next look on: the user has money on a side."""
        kept = frozenset(keys)
        self._due |= dict.fromkeys(key.family_key for key in kept ^ self._kept)
        self._kept = kept

    def count_placed(self, placed: Mapping[tuple[Hashable, str], float]) -> None:
        """Take what is placed off what bookmakers take at most, from the next look on.

        ``placed``: as ``Placed.by_bookmaker``.
        """
        if placed != self._placed:
            of = self._board.basis.profiles.profile_of
            others = dict(placed.items() ^ self._placed.items())
            games = {
                outcome[0]
                for outcome, name in others
                if isinstance(outcome, tuple) and of(name).limit is not None
            }
            self._due |= {
                _family(key): None for key in self._board.row_keys() if key.game_id in games
            }
            self._placed = dict(placed)

    def is_completed(self, found: Opportunity) -> bool:
        """Whether the user has an open bet on each of its outcomes, at any bookmaker."""
        outcomes = {outcome for outcome, _ in self._placed}
        return all(
            not outcomes.isdisjoint(found.recorded_on(place)) for place in range(len(found.legs))
        )

    def look_among(self, bookmakers: Iterable[str]) -> bool:
        """Look at these bookmakers alone from the next look on, at all of the user's for none.

        Returns whether these are others than before.
        """
        before, self._bookmakers = self._bookmakers, frozenset(bookmakers)
        if before != self._bookmakers:
            self.look_at_all()
        return before != self._bookmakers

    def use_lays(self, has_lays: bool) -> bool:
        """Allow or exclude lays from the next search on; return whether that is a change."""
        before, self._has_lays = self._has_lays, has_lays
        if before is not has_lays:
            self.look_at_all()
        return before is not has_lays

    def look_at_all(self) -> None:
        """Have every market looked at again: stakes are divided otherwise, or all is another's."""
        self._due |= {_family(key): None for key in self._board.row_keys()}

    def look_at(self, price: RowKey) -> None:
        """Search now, starting with opportunities that may have this price as a leg."""
        exhaust(self._looking_at([_family(price)]))

    def looking(self) -> Iterator[None]:
        """Look at what changed, a line or a pair of lines a step; go through it to the end."""
        due, self._due = self._due | self._lapsed(), {}
        return self._looking_at(due)

    def looking_at_lapsed(self) -> Iterator[None]:
        """Look where an opportunity may be another or none by now; go through it to the end.

        Its prices moved, or time alone may have ended it: that is bet on, and is not to wait as
        long as all that changed may. Nor is what time alone ended, once it is read again.
        """
        lapsed = self._lapsed()
        for market in lapsed:
            self._due.pop(market, None)
        return self._looking_at(lapsed)

    @property
    def has_lapsed(self) -> bool:
        """Whether one may be another or none by now."""
        return bool(self._lapsed())

    def _lapsed(self) -> dict[FamilyKey, None]:
        now = self._clock()
        ended = {
            key.family_key: None
            for key, entry in self.entries.items()
            if entry.due_at <= now or self._board.matrix(key.game_id) is None
        }
        listed = self._by_market.keys() | self._aged | {key.family_key for key in self._kept}
        return ended | dict.fromkeys(self._due.keys() & listed)

    def _looking_at(self, due: Iterable[FamilyKey]) -> Iterator[None]:
        by_game = defaultdict[str, list[FamilyKey]](list)
        for market in due:
            by_game[market[0]].append(market)
        for game_id, markets in by_game.items():
            yield from self._looking_at_game(game_id, markets)

    def _looking_at_game(self, game_id: str, markets: Sequence[FamilyKey]) -> Iterator[None]:
        board, matrix = self._board, self._board.matrix(game_id)
        if matrix is None:
            for market in markets:
                self._take(market, [])
            return
        sections = sections_of(matrix)
        judge = board.judge_of(matrix)
        finder = OpportunityFinder(
            board.basis,
            judge,
            matrix,
            self._split(),
            bookmakers=self._bookmakers,
            kept=self._kept,
            placed=self._placed,
            has_lays=self._has_lays,
        )
        for market in markets:
            found = []
            for each in finder.looking(sections[market]):
                if each is not None:
                    found.append(each)
                yield
            self._take(market, found)

    def _take(self, market: FamilyKey, found: Sequence[Opportunity]) -> None:
        """List what a market offers, in place of what it did."""
        self._aged.discard(market)
        had = [self.entries.pop(key, None) for key in self._by_market.pop(market, ())]
        if market in self._due and self._board.connection.is_lost:
            return  # read again meanwhile, after a loss: some of it rests on old prices
        if found:
            best_last = sorted(found, key=lambda each: each.total, reverse=True)
            entries = {each.key: each for each in best_last}
            self.entries |= entries
            self._by_market[market] = tuple(entries)
        elif any(each is not None and each.due_at <= self._clock() for each in had):
            self._aged.add(market)

    def _on_board_notice(self, notice: Notice) -> None:
        if isinstance(notice, PricesChanged):
            for market_type, period, _ in (*notice.quotes, *notice.sections):
                self._due[FamilyKey(notice.game_id, family_of(market_type), period)] = None
        elif isinstance(notice, MatrixLoaded):
            matrix = self._board.matrix(notice.game_id)
            self._due |= {} if matrix is None else dict.fromkeys(sections_of(matrix))
        elif self._board.connection.link is Link.STOPPED:
            self.entries.clear()  # what comes next is another moment's, or another service's
            self._by_market.clear()
            self._aged.clear()
        if self._board.connection.is_lost:
            self._drop_due()

    def _drop_due(self) -> None:
        """Drop what has to be searched again after a loss, as it rests on old prices."""
        for market in self._by_market.keys() & self._due.keys():
            for key in self._by_market.pop(market):
                self.entries.pop(key, None)
