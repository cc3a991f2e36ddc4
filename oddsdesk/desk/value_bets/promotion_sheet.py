"""Fills in the sheet on which all legs of a promotion are recorded."""

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import partial

from msgspec.structs import replace

from oddsdesk.base.clock import Clock
from oddsdesk.base.market_words import market_text, selection_text, shown_game
from oddsdesk.base.texts import _, translated
from oddsdesk.board.board import Board
from oddsdesk.board.opportunities.finder import OpportunityLeg
from oddsdesk.board.promotions import OpenStakes, PromoWay, leg_now, step_of_lays, way_now
from oddsdesk.desk.bet_sheet import SheetLeg, SheetOutcome, SheetStake, SheetView
from oddsdesk.desk.ui.formatting import signed_hundredths_text
from oddsdesk.desk.value_bets.opportunity_sheet import (
    backers_part,
    bet_without_price,
    lay_of,
    moved_text,
    not_offered_news,
    warnings_of,
)
from oddsdesk.desk.value_bets.subjects import TypedBet, placed_bet, subject_of_price
from oddsdesk.ledger.bet_kinds import BetKind, profit_by_kind
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.ledger.promotions import promo_note
from oddsdesk.pricing.exposure import StakePlan
from oddsdesk.pricing.promotions import hedge_stakes, open_side
from oddsdesk.pricing.selections import Result


class PromotionSheet:
    """The promoted bet and its hedge at current prices; the hedge follows the promoted bet."""

    def __init__(
        self,
        board: Board,
        way: PromoWay,
        plan: Callable[[], StakePlan],
        placed: Callable[[], OpenStakes],
        clock: Clock,
    ) -> None:
        """Fill in a sheet with a way as it was listed; ``clock`` gives the time of the bets."""
        self._board = board
        self._listed = way
        self._way = way
        """The same way at the latest prices that allowed it."""
        self._plan = plan
        self._placed = placed
        self._clock = clock
        self._stake = way.bet.stake
        """Of the promoted bet, as typed."""
        self._last: dict[int, PlacedBet] = {}
        """The last known state of each leg while it had a price."""

    @property
    def has_prices(self) -> bool:
        """Whether every leg has a price."""
        return all(self._now(place) is not None for place in range(len(self._listed.legs)))

    def view(self) -> SheetView:
        """Return the legs at current prices."""
        listed, board = self._listed, self._board
        found = way_now(board, listed, self._plan(), self._placed())
        self._way = found or self._way
        markets = dict.fromkeys(market_text(leg.key.market_type) for leg in listed.legs)
        return SheetView(
            _("Record promotion"),
            " · ".join([listed.promotion.name, shown_game(listed.match_name), ", ".join(markets)]),
            tuple(self._leg(place) for place in range(len(listed.legs))),
            tuple(_outcomes(listed)),
            None,
            tuple(self._news(found)),
            listed.money[0].currency if self._has_other_money else listed.promotion.currency,
        )

    def stakes(
        self, bets: Sequence[PlacedBet], total: float, fixed: Collection[int]
    ) -> Sequence[SheetStake] | None:
        """Return the whole stake of the offer, or the one typed, and the stakes that hedge it."""
        if self._board.connection.is_lost:
            return None
        first = bets[0] if 0 in fixed else replace(bets[0], stake=self._way.bet.stake)
        self._stake = first.stake
        if len(bets) == 1:
            return [SheetStake(first.stake)]
        plan, rates = self._plan(), [money.rate or 1.0 for money in self._way.money[1:]]
        lay_step = step_of_lays(plan)
        sides = [
            open_side(
                bet.net,
                rate * (lay_step * (bet.odds - 1) if bet.kind is BetKind.LAY else plan.step),
            )
            for bet, rate in zip(bets[1:], rates, strict=True)
        ]
        stakes = hedge_stakes(self._needed(first), sides)
        if stakes is None:
            return None
        others = zip(bets[1:], stakes, rates, strict=True)
        return [
            SheetStake(first.stake),
            *(SheetStake(round(backers_part(b, size / rate), 9)) for b, size, rate in others),
        ]

    @property
    def _has_other_money(self) -> bool:
        return any(map(self._listed.other_money, range(len(self._listed.legs))))

    def _needed(self, bet: PlacedBet) -> float:
        """Return the payout that hedges the promoted bet, with a refund at its cash value."""
        refund = self._refund(bet.stake)
        terms = bet.terms._replace(refund=refund) if refund else bet.terms
        wins, loses = (profit_by_kind(terms, r, bet.size) for r in (Result.WON, Result.LOST))
        return max(0.0, wins - loses)

    def _refund(self, stake: float) -> float:
        """Return the cash value of the refund if a refund bet loses."""
        return self._listed.promotion.bet(self._listed.bet.net_odds, stake).refund

    def _now(self, place: int) -> OpportunityLeg | None:
        leg = self._listed.legs[place]
        return leg_now(self._board, leg.key, {}, is_lay=leg.is_lay)

    def _leg(self, place: int) -> SheetLeg:
        listed, now = self._listed.legs[place], self._now(place)
        net = partial(listed.net_of, self._board.basis.profiles.profile_of(listed.bookmaker))
        if now is not None:
            self._last[place] = self._bet(place, self._odds(place, now), net)
        bet = self._last.get(place) or self._unheld(place, self._odds(place, listed), net)
        subject = subject_of_price(listed.key, self._board)
        is_plain = bet.kind in (BetKind.BACK, BetKind.FREE, BetKind.REFUND)
        return SheetLeg(
            bet,
            net,
            now is not None,
            limit=None if bet.kind.is_free else listed.most,
            refund=0.0 if place else self._refund(self._stake),
            most=subject.most if subject is not None and is_plain else None,
            rate=self._way.money[place].rate or 1.0,
        )

    def _odds(self, place: int, leg: OpportunityLeg) -> float:
        """Return a leg's odds before commission, boosted; for a lay, the average for its stake."""
        if place == 0:
            return round(1 + (leg.odds - 1) * (1 + self._way.bet.boost), 6)
        staked = self._way.legs[place]
        is_same = leg.is_lay and staked.is_lay and staked.odds == leg.odds
        return round(staked.typed_odds, 4) if is_same else leg.odds

    def _bet(self, place: int, odds: float, net: Callable[[float], float]) -> PlacedBet:
        """Return a leg as it would be recorded."""
        leg = self._listed.legs[place]
        subject = subject_of_price(leg.key, self._board)
        if subject is None:
            return self._unheld(place, odds, net)
        subject = subject._replace(leg_doubt=lambda _: "")
        ev = None if leg.is_lay else subject.ev_pct_at(net(odds))
        promotion = self._listed.promotion
        account = "" if place else promotion.account
        typed = TypedBet(leg.bookmaker, odds, 0.0, "", net(odds), ev, account)
        bet = placed_bet(subject, typed, self._clock())
        if leg.is_lay:
            bet = lay_of(bet, self._board.assess(leg.key, is_lay=True))
        return self._as_kind(place, bet)

    def _unheld(self, place: int, odds: float, net: Callable[[float], float]) -> PlacedBet:
        """Return a leg whose price is gone."""
        leg, priced = self._listed.legs[place], (odds, net(odds))
        bet = bet_without_price(self._board, self._listed, leg, priced, self._clock)
        return self._as_kind(place, bet)

    def _as_kind(self, place: int, bet: PlacedBet) -> PlacedBet:
        """Return a bet as one of the promotion, with its stake and terms."""
        way, promotion = self._listed, self._listed.promotion
        staked = self._way.legs[place]
        kind = BetKind(way.bet_kind(place))
        is_boost, is_refund = kind is BetKind.BOOST, kind is BetKind.REFUND
        as_what = "free" if promotion.refund_as_free else "money"
        return replace(
            bet,
            kind=kind,
            currency=way.other_money(place) or promotion.currency,
            stake=round(staked.typed_stake, 2) if staked.is_lay else staked.stake,
            unboosted_odds=staked.odds if is_boost else None,
            refund=(promotion.refund or promotion.amount) if is_refund else 0.0,
            refund_as=as_what if is_refund else "",
            leg=way.is_hedged,
            note=promo_note(promotion.name),
        )

    def _news(self, found: PromoWay | None) -> Iterator[str]:
        """Yield what changed since the legs were listed, and their warnings."""
        board, listed = self._board, self._listed
        connection, reference = board.connection, board.reference_name
        yield from not_offered_news(connection)
        yield from dict.fromkeys(
            f"{translated(text)}."
            for place in range(len(listed.legs))
            if (text := self._way.money_text(place))
        )
        if connection.is_lost:
            return
        for place, leg in enumerate(listed.legs):
            now = self._now(place)
            if now is not None and now.odds != leg.odds:
                yield _("{selection} at {bookmaker}: {news}.").format(
                    selection=leg.named(leg.key.selection),
                    bookmaker=leg.bookmaker,
                    news=moved_text(now.odds, leg.odds),
                )
        if found is None:
            yield _("At these prices the offer can no longer be used like this. Do not bet.")
        elif not math.isclose(found.value or 0.0, listed.value or 0.0, abs_tol=0.005):
            was, by_now = (signed_hundredths_text(each.value or 0.0) for each in (listed, found))
            text = _("EV: {now} now, {then} when you started.")
            if listed.is_hedged:
                text = _("Locked in: {now} now, {then} when you started.")
            yield text.format(now=by_now, then=was)
        legs = (found or listed).legs
        yield from warnings_of(((leg, leg.cautions) for leg in legs), reference)


def _outcomes(way: PromoWay) -> Iterator[SheetOutcome]:
    """Yield the results that decide: each leg wins alone; without a hedge it wins or loses."""
    count = len(way.legs)
    for place, leg in enumerate(way.legs):
        results = tuple(Result.WON if each == place else Result.LOST for each in range(count))
        yield SheetOutcome(leg.win_text, results)
    if not way.is_hedged:
        yield SheetOutcome(
            _("{selection} loses").format(selection=selection_text(way.legs[0].key.selection)),
            (Result.LOST,),
        )
