"""Fills in the sheet on which all legs of an opportunity, or a lay, are recorded."""

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from typing import Final

from msgspec.structs import replace

from oddsdesk.base.clock import Clock
from oddsdesk.base.market_words import market_text, selection_text, shown_game
from oddsdesk.base.texts import _, pgettext
from oddsdesk.board.board import Board
from oddsdesk.board.model.matrix import CellKey, RowKey
from oddsdesk.board.model.notices import Connection
from oddsdesk.board.opportunities.finder import Opportunity, OpportunityLeg
from oddsdesk.board.opportunities.offers import LegNow, LegOffer, LegsToPlace, offer_now
from oddsdesk.board.promotions import PromoWay
from oddsdesk.board.valuation.verdict_words import caution_text
from oddsdesk.desk.bet_sheet import SheetLeg, SheetOutcome, SheetStake, SheetView
from oddsdesk.desk.ui.formatting import exact_odds_text, signed_hundredths_text
from oddsdesk.desk.value_bets.subjects import BetSubject, TypedBet, placed_bet, subject_of_price
from oddsdesk.ledger.bet_kinds import BetKind
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.pricing.assessment import Assessment, Caution
from oddsdesk.pricing.opportunities import (
    LOW_HOLD,
    Leg,
    OpportunityKind,
    Split,
    outlay,
    rest_of_legs,
)
from oddsdesk.pricing.selections import Result
from oddsdesk.pricing.stakes import backers_stake, net_at, net_paying, stakeable

_RECORD: Final = {
    OpportunityKind.ARBITRAGE: _("Record arbitrage"),
    OpportunityKind.MIDDLE: _("Record middle"),
    OpportunityKind.LOW_HOLD: _("Record low hold"),
}
_KINDS: Final = {
    OpportunityKind.ARBITRAGE: _("Arbitrage"),
    OpportunityKind.MIDDLE: _("Middle"),
    OpportunityKind.LOW_HOLD: _("Low hold"),
}
_A_KIND: Final = {
    OpportunityKind.ARBITRAGE: _("an arbitrage"),
    OpportunityKind.MIDDLE: _("a middle"),
    OpportunityKind.LOW_HOLD: _("a low hold"),
}
_NO_LONGER: Final = {
    OpportunityKind.ARBITRAGE: _("These legs are no longer an arbitrage. Do not bet."),
    OpportunityKind.MIDDLE: _("These legs are no longer a middle. Do not bet."),
    OpportunityKind.LOW_HOLD: _("These legs are no longer a low hold. Do not bet."),
}
_CHANGED: Final = {
    OpportunityKind.ARBITRAGE: _("The arbitrage has changed: {figures}."),
    OpportunityKind.MIDDLE: _("The middle has changed: {figures}."),
    OpportunityKind.LOW_HOLD: _("The low hold has changed: {figures}."),
}


class OpportunitySheet:
    """The legs of an opportunity at current prices; legs placed before are not changed."""

    def __init__(
        self,
        board: Board,
        wanted: LegsToPlace,
        split: Split,
        clock: Clock,
        placed: Sequence[PlacedBet | None] = (),
    ) -> None:
        """Fill in a sheet.

        Args:
            board: The source of prices.
            wanted: The legs, and which of them are placed.
            split: How the total is divided until the user types another one.
            clock: The time of the bets.
            placed: The user's last bet on each leg, by index; None or missing if unknown.
        """
        self._board = board
        self._wanted = wanted
        self._split = split
        self._clock = clock
        legs = wanted.listed.legs
        self._placed = [*placed, *[None] * (len(legs) - len(placed))]
        taken = [place for place in range(len(legs)) if place not in wanted.unplaced]
        self._taken = dict(zip(taken, wanted.taken, strict=False))
        self._now: dict[int, LegNow] = {}
        """The unplaced legs at the last look, by place."""
        self._last: dict[int, PlacedBet] = {}
        """The last known state of each leg while it had a price."""

    @property
    def has_prices(self) -> bool:
        """Whether every unplaced leg has a price."""
        legs = self._wanted.listed.legs
        return all(
            subject_of_price(legs[place].key, self._board) is not None
            for place in self._wanted.unplaced or range(len(legs))
        )

    def view(self) -> SheetView:
        """Return the legs at current prices."""
        listed, wanted = self._wanted.listed, self._wanted
        first = wanted.unplaced[0] if wanted.unplaced else 0
        offer = offer_now(self._board, wanted, first, self._split)
        self._now = dict(zip(wanted.unplaced, offer.legs, strict=True))
        return SheetView(
            _RECORD[listed.kind],
            f"{_KINDS[listed.kind]} · {shown_game(listed.match_name)} · {_markets(listed)}",
            tuple(
                self._recorded(place) if place in self._taken else self._leg(place)
                for place in range(len(listed.legs))
            ),
            tuple(outcomes_of(listed)),
            self._split.total,
            tuple(self._news(offer)),
        )

    def stakes(
        self, bets: Sequence[PlacedBet], total: float, fixed: Collection[int]
    ) -> Sequence[SheetStake] | None:
        """Return the stakes with the best worst result, in the user's steps."""
        is_doubted = any(leg.cautions for leg in self._now.values())
        if self._board.connection.is_lost or is_doubted or not self._wanted.unplaced:
            return None
        left = [place for place in range(len(bets)) if place not in fixed]
        legs = {place: self._for_sale(place, bets[place]) for place in left}
        if taken := [(bets[place].size, bets[place].net) for place in fixed]:
            paid = min(size * net for size, net in taken)
            nets = [
                net_paying(leg.ladder, paid) if leg.ladder else leg.net_odds
                for leg in legs.values()
            ]
            rooms = [_room(leg) for leg in legs.values()]
            sizes = rest_of_legs(taken, nets, self._split.step, rooms)[0] if left else ()
        elif self._is_offered(bets) or self._has_other_odds(bets):
            sizes = outlay([*legs.values()], self._split._replace(total=total)).stakes
        else:
            return None
        found = dict(zip(left, sizes, strict=True))
        return [
            self._stake(place, legs[place], bet, found[place])
            if place in found
            else SheetStake(bet.stake)
            for place, bet in enumerate(bets)
        ]

    def _is_offered(self, bets: Sequence[PlacedBet]) -> bool:
        """Whether the list would show such legs; middles may cost more."""
        total = math.fsum(1 / bet.net for bet in bets)
        return self._wanted.listed.kind is OpportunityKind.MIDDLE or total <= 1 + LOW_HOLD

    def _has_other_odds(self, bets: Sequence[PlacedBet]) -> bool:
        """Whether the user typed odds: those are hedged, even at a loss."""
        looked = ((now.odds, bets[place].odds) for place, now in self._now.items())
        return any(odds is not None and not math.isclose(odds, got) for odds, got in looked)

    def _for_sale(self, place: int, bet: PlacedBet) -> Leg:
        """Return a leg with the amounts at current odds; other odds take any stake."""
        listed, now = self._wanted.listed.legs[place], self._now.get(place)
        is_on_offer = now is not None and now.odds is not None and math.isclose(bet.odds, now.odds)
        ladder = now.ladder if now is not None and is_on_offer else None
        named = (bet.bookmaker, "", bet.selection)
        seen = listed.seen_at, self._wanted.listed.in_play
        return Leg(*named, bet.odds, bet.net, *seen, most=listed.most, ladder=ladder)

    def _stake(self, place: int, leg: Leg, bet: PlacedBet, size: float) -> SheetStake:
        """Return a stake of a size, with the average odds of the levels that it takes."""
        if not leg.ladder or size <= leg.ladder[0].most:
            return SheetStake(backers_part(bet, size))
        key = self._wanted.listed.legs[place].key
        price = self._board.price(key.game_id, CellKey(*key[1:]))
        depth = None if price is None else self._board.basis.own_money(price.depth)
        if bet.kind is BetKind.LAY and depth is not None:
            staked = backers_stake(depth, leg.ladder, size)
            return SheetStake(round(staked, 2), round(1 + size / staked, 4))
        profile = self._board.basis.profiles.profile_of(bet.bookmaker)
        return SheetStake(size, math.floor(profile.gross(net_at(leg.ladder, size)) * 1e4) / 1e4)

    def _leg(self, place: int) -> SheetLeg:
        listed, now = self._wanted.listed.legs[place], self._now.get(place)
        net = partial(listed.net_of, self._board.basis.profiles.profile_of(listed.bookmaker))
        is_offered = now is None or now.odds is not None
        odds = listed.odds if now is None or now.odds is None else now.odds
        subject = subject_of_price(listed.key, self._board)
        if subject is not None and is_offered:
            self._last[place] = self._bet(listed, subject, odds, net(odds))
        is_wanted = place in self._wanted.places
        bet = self._last.get(place) or self._unheld(listed, net(odds))
        most = None if listed.is_lay or subject is None else subject.most
        return SheetLeg(bet, net, is_offered, is_wanted=is_wanted, limit=listed.most, most=most)

    def _bet(self, leg: OpportunityLeg, subject: BetSubject, odds: float, net: float) -> PlacedBet:
        """Return a leg as it would be recorded, without a stake."""
        subject = subject._replace(leg_doubt=lambda _: "")
        ev = None if leg.is_lay else subject.ev_pct_at(net)
        typed = TypedBet(leg.bookmaker, odds, 0.0, "", net, ev)
        bet = placed_bet(subject, typed, self._clock())
        return lay_of(bet, self._board.assess(leg.key, is_lay=True)) if leg.is_lay else bet

    def _unheld(self, leg: OpportunityLeg, net: float) -> PlacedBet:
        return bet_without_price(
            self._board, self._wanted.listed, leg, (leg.odds, net), self._clock
        )

    def _recorded(self, place: int) -> SheetLeg:
        """Return a leg that is in the ledger; several bets become one with the same payout."""
        (size, net), known = self._taken[place], self._placed[place]
        bet = known or replace(self._unheld(self._wanted.listed.legs[place], net), odds=net)
        bet = replace(bet, net_odds=net, stake=backers_part(bet, size))
        return SheetLeg(bet, lambda _: net, is_recorded=True)

    def _news(self, offer: LegOffer) -> Iterator[str]:
        """Yield what changed since the legs were listed, and their warnings."""
        connection, reference = self._board.connection, self._board.reference_name
        yield from not_offered_news(connection)
        if connection.is_lost:
            return
        moved = [leg for leg in offer.legs if leg.is_other]
        yield from (leg_text(leg, reference) for leg in moved)
        if not self._wanted.taken:
            yield from news_of_all(self._wanted, offer, is_other=bool(moved))
        yield from warnings_of(((leg.listed, leg.doubts) for leg in offer.legs), reference)


class LaySheet:
    """A single lay on a sheet; the user types the stake."""

    def __init__(self, board: Board, key: RowKey, clock: Clock) -> None:
        self._board, self._key, self._clock = board, key, clock
        self._last: SheetLeg | None = None

    @property
    def has_price(self) -> bool:
        """Whether the selection can be laid now."""
        return self._leg() is not None

    def view(self) -> SheetView:
        """Return the lay at the current price."""
        now = self._leg()
        self._last = leg = now or self._last
        assert leg is not None, "it has a price when it opens"
        bet, simulated = leg.bet, bool(self._board.connection.simulated)
        return SheetView(
            _("Record lay"),
            f"{shown_game(bet.match_name)} · {market_text(bet.market_type)}",
            (leg._replace(is_offered=now is not None),),
            (
                SheetOutcome(
                    _("{selection} does not win").format(selection=selection_text(bet.selection)),
                    (Result.WON,),
                ),
                SheetOutcome(
                    _("{selection} wins").format(selection=selection_text(bet.selection)),
                    (Result.LOST,),
                ),
            ),
            None,
            (_("Simulated odds: saved as a practice bet."),) if simulated else (),
        )

    def stakes(
        self, bets: Sequence[PlacedBet], total: float, fixed: Collection[int]
    ) -> Sequence[SheetStake] | None:
        """Return None: nothing is divided."""

    def _leg(self) -> SheetLeg | None:
        key = self._key
        subject = subject_of_price(key, self._board)
        price = self._board.price(key.game_id, CellKey(*key[1:]))
        if subject is None or price is None or price.depth is None or price.depth.lay_odds is None:
            return None
        profile = self._board.basis.profiles.profile_of(subject.bookmaker)
        odds = price.depth.lay_odds
        typed = TypedBet(subject.bookmaker, odds, 0.0, "", profile.net_lay(odds), None)
        assessed = self._board.assess(key, is_lay=True)
        bet = lay_of(placed_bet(subject, typed, self._clock()), assessed)
        return SheetLeg(bet, profile.net_lay, limit=profile.limit)


def backers_part(bet: PlacedBet, size: float) -> float:
    """Return the stake for a size; for a lay, the backer's, in hundredths."""
    return round(size / (bet.odds - 1), 2) if bet.kind is BetKind.LAY else size


def lay_of(bet: PlacedBet, assessed: Assessment | None) -> PlacedBet:
    """Return a lay of what ``bet`` backs, ``assessed`` as a back of the other side."""
    if assessed is None:
        return replace(bet, kind=BetKind.LAY, fair_odds=None, true_ev=None, cautions=())
    return replace(
        bet,
        kind=BetKind.LAY,
        fair_odds=assessed.fair_odds,
        true_ev=assessed.ev_pct_at(bet.net, bet.market_type),
        per="" if assessed.fair_odds is None else assessed.per,
        derived=assessed.derived or "",
        cautions=tuple(each.value for each in assessed.cautions),
    )


def bet_without_price(
    board: Board,
    listed: Opportunity | PromoWay,
    leg: OpportunityLeg,
    odds: tuple[float, float],
    clock: Clock,
) -> PlacedBet:
    """Return a leg whose price is gone as it would be recorded; ``odds`` are gross and net."""
    return PlacedBet(
        game_id=leg.key.game_id,
        match_name=listed.match_name,
        competition=listed.competition,
        sport=listed.sport,
        market_type=leg.key.market_type,
        period=leg.key.period,
        selection=leg.key.selection,
        bookmaker=leg.bookmaker,
        odds=odds[0],
        stake=0.0,
        placed_at=clock(),
        kick_off=listed.kick_off,
        net_odds=odds[1],
        practice=bool(board.connection.simulated),
        leg=True,
        kind=BetKind.LAY if leg.is_lay else BetKind.BACK,
    )


def not_offered_news(connection: Connection) -> Iterator[str]:
    """Yield how bets at simulated or old odds are recorded."""
    if connection.simulated:
        yield _("Simulated odds: saved as practice bets.")
    elif connection.shifted:
        yield _("Old odds (times shifted): these prices may not exist. Saved as real bets.")


def warnings_of(
    legs: Iterable[tuple[OpportunityLeg, Iterable[Caution]]], reference: str
) -> Iterator[str]:
    """Yield the warnings of the legs, each once."""
    told = set[Caution]()
    for leg, cautions in legs:
        doubts = [each for each in cautions if each not in told]
        told.update(doubts)
        if doubts:
            words = "; ".join(caution_text(each, reference) for each in doubts)
            yield _("Warning for {selection} at {bookmaker}: {warnings}.").format(
                selection=leg.named(leg.key.selection), bookmaker=leg.bookmaker, warnings=words
            )


def outcomes_of(listed: Opportunity) -> Iterator[SheetOutcome]:
    """Yield the results that decide: each leg wins alone; with two legs both may stand."""
    count = len(listed.legs)
    for place in range(count):
        results = tuple(Result.WON if each == place else Result.LOST for each in range(count))
        leg = listed.legs[place]
        said = (
            leg.win_text
            if leg.is_lay
            else _("{selection} wins").format(selection=listed.leg_text(place))
        )
        yield SheetOutcome(said, results)
    if listed.between is not None:
        is_middle = listed.kind is OpportunityKind.MIDDLE
        name = _("between the lines") if is_middle else pgettext("a result", "push")
        yield from (SheetOutcome(name, results) for results in listed.between.results())


def news_of_all(wanted: LegsToPlace, offer: LegOffer, *, is_other: bool) -> Iterator[str]:
    """Yield how all legs together differ from what was listed."""
    listed = wanted.listed
    if not wanted.unplaced:
        return
    if offer.kind is None or offer.worst_pct is None:
        yield _NO_LONGER[listed.kind]
        return
    worst = listed.outlay.worst_of_all_pct
    figures = _("{now} % now if every leg stands, {then} % when you started").format(
        now=signed_hundredths_text(offer.worst_pct), then=signed_hundredths_text(worst)
    )
    if offer.kind is not listed.kind:
        yield _("Now {kind} instead of {listed}: {figures}.").format(
            kind=_A_KIND[offer.kind], listed=_A_KIND[listed.kind], figures=figures
        )
    elif is_other or not math.isclose(offer.worst_pct, worst, abs_tol=1e-9):
        yield _CHANGED[listed.kind].format(figures=figures)


def leg_text(leg: LegNow, reference: str) -> str:
    """Return how a leg differs from what was listed, and who has better odds now."""
    told = []
    if leg.odds is not None and leg.odds != leg.listed.odds:
        told.append(moved_text(leg.odds, leg.listed.odds))
        if leg.better is not None:
            odds, name, selection = leg.better
            is_same = selection == selection_text(leg.listed.key.selection)
            as_what = "" if is_same else f"{selection} "
            told.append(
                _("{odds} at {bookmaker}").format(
                    odds=f"{as_what}{exact_odds_text(odds)}", bookmaker=name
                )
            )
    told += [caution_text(caution, reference) for caution in leg.cautions]
    return _("{selection} at {bookmaker}: {news}.").format(
        selection=leg.listed.named(leg.listed.key.selection),
        bookmaker=leg.listed.bookmaker,
        news="; ".join(told),
    )


def moved_text(now: float, then: float) -> str:
    """Return odds now, and when the dialog opened, as the list behind it changes meanwhile."""
    return _("{now} now, {then} when you started").format(
        now=exact_odds_text(now), then=exact_odds_text(then)
    )


def _room(leg: Leg) -> float | None:
    """Return the most that a leg takes, by its bookmaker's limit and the available amount."""
    if leg.ladder is None:
        return leg.most
    return min(stakeable(leg.ladder), math.inf if leg.most is None else leg.most)


def _markets(listed: Opportunity) -> str:
    return ", ".join(dict.fromkeys(market_text(leg.key.market_type) for leg in listed.legs))
