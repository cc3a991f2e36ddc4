"""Asks for the legs of an opportunity one after the other, each with a stake of its own moment."""

import math
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from PySide6.QtCore import QObject

from oddsdesk.board.board import Board
from oddsdesk.board.leg_offers import (
    LegNow,
    LegOffer,
    LegsToPlace,
    between_beside,
    offer_now,
    stake_at,
    worst_beside,
)
from oddsdesk.board.opportunity import OpportunityLeg
from oddsdesk.board.rows import UNNAMED_REFERENCE
from oddsdesk.board.verdict_words import caution_text
from oddsdesk.desk.stake_caps import above_cap
from oddsdesk.desk.ui.formatting import exact_odds_text, signed_hundredths_text
from oddsdesk.desk.value_bets.placing import BetPlacer
from oddsdesk.desk.value_bets.subjects import BetSubject, subject_now, subject_of_price
from oddsdesk.ledger.bets import PlacedBet
from oddsdesk.pricing.opportunities import OpportunityKind, Split

if TYPE_CHECKING:
    from oddsdesk.desk.value_bets.place_dialog import TypedBet

_THEN: Final = "listed when you began"
"""What is told of then: the list behind the dialog goes on, and dialogs of further legs follow."""


class _Turn(NamedTuple):
    """Whose turn it is: the leg ``number``, the last is ``last``."""

    wanted: LegsToPlace
    number: int
    last: int

    @property
    def place(self) -> int:
        return self.wanted.places[0]

    def after(self, typed: "TypedBet") -> "_Turn":
        left = self.wanted.after(self.place, typed.stake, typed.net_odds)
        return self._replace(wanted=left, number=self.number + 1)


class LegPlacer(QObject):
    """Asks for bets on legs; one that is refused ends it."""

    def __init__(self, board: Board, split: Callable[[], Split], placer: BetPlacer) -> None:
        super().__init__(placer)
        self._board = board
        self._split = split
        self._placer = placer

    def place(self, wanted: LegsToPlace) -> None:
        """Ask for the legs, the first now."""
        self._ask(_Turn(wanted, 1, len(wanted.places)))

    def take_back(self, bet: PlacedBet) -> None:
        """Forget that a leg was placed, unless the bet was changed since."""
        self._placer.take_back(bet)

    def _ask(self, turn: _Turn) -> None:
        if turn.number > turn.last:
            return
        done, count, legs = turn.number - 1, turn.last, turn.wanted.listed.legs
        left_open = f"{done} of {count} legs placed: the others are open." if done else ""
        found = [subject_of_price(legs[each].key, self._board) for each in turn.wanted.places]
        if found[0] is None or None in found:
            self._placer.said.emit(f"That price is no longer available here. {left_open}".strip())
            return
        offer = self._offer(turn)
        self._placer.ask(
            self._told(found[0], turn, offer, offer)._replace(stake=offer.stake),
            lambda typed: self._ask(turn.after(typed)),
            lambda: self._placer.said.emit(left_open) if left_open else None,
            lambda subject: self._look(subject, turn, offer),
        )

    def _offer(self, turn: _Turn) -> LegOffer:
        return offer_now(self._board, turn.wanted, turn.place, self._split())

    def _look(self, subject: BetSubject, turn: _Turn, asked: LegOffer) -> BetSubject | None:
        """Return what is thought of a leg by now, that was ``asked`` for at an earlier moment."""
        found = subject_now(subject, self._board)
        return None if found is None else self._told(found, turn, self._offer(turn), asked)

    def _told(
        self, subject: BetSubject, turn: _Turn, offer: LegOffer, asked: LegOffer
    ) -> BetSubject:
        leg = f"Leg {turn.number} of {turn.last}" if turn.last > 1 else ""
        if turn.wanted.taken:
            leg = leg or "Beside what is placed"
            subject = subject._replace(leg_worth=lambda *bet: self._worth(turn, *bet))
        subject = subject._replace(
            leg_stake=lambda net: stake_at(
                self._board, turn.wanted, turn.place, net, self._split()
            ),
            leg_doubt=lambda stake: self._above_sum(turn, offer, stake),
        )
        news = () if self._board.connection.is_lost else self._news(turn.wanted, offer, asked)
        return subject._replace(leg=leg, news="\n".join(news))

    def _worth(self, turn: _Turn, stake: float, net_odds: float) -> str:
        """Say what all legs leave at worst once this one is bet on so."""
        left = turn.wanted.after(turn.place, stake, net_odds)
        worst = worst_beside(self._board, left, self._split())
        if worst is None:
            return ""
        between = between_beside(turn.wanted, turn.place, stake, net_odds)
        is_middle = turn.wanted.listed.kind is OpportunityKind.MIDDLE
        said = _worst_text(worst, is_last=not left.unplaced)
        return said if between is None else f"{said}, {_between_text(between, is_middle=is_middle)}"

    def _above_sum(self, turn: _Turn, offer: LegOffer, stake: float) -> str:
        """Doubt a stake beyond the sum of all legs, and beyond what would complete them now."""
        already = math.fsum(taken for taken, _ in turn.wanted.taken)
        if stake <= offer.stake:
            return ""
        where = "on the legs with what is placed" if already else "on this leg"
        return above_cap(stake + already, where, self._split().total, "on all legs")

    def _news(self, wanted: LegsToPlace, offer: LegOffer, asked: LegOffer) -> Iterator[str]:
        """Say what is other than it was listed, and than it was when the leg was asked for."""
        reference = self._board.reference or UNNAMED_REFERENCE
        moved = [leg for leg in offer.legs if leg.is_other]
        yield from (_leg_text(leg, reference) for leg in moved)
        if not wanted.taken:
            yield from _of_all(wanted, offer, is_other=bool(moved))
        if 0 < offer.stake != asked.stake:
            yield f"At the prices now the stake is {offer.stake:g}."
        yield from _doubts(wanted.listed.legs[wanted.places[0]], offer, reference)


def _doubts(own: OpportunityLeg, offer: LegOffer, reference: str) -> Iterator[str]:
    """Say what speaks against the other legs, and not against the own one, which says that."""
    told = {each for leg in offer.legs if leg.listed == own for each in leg.doubts}
    for leg in offer.legs:
        if doubts := [each for each in leg.doubts if each not in told and leg.listed != own]:
            words = "; ".join(caution_text(each, reference) for each in doubts)
            yield f"Careful with {leg.listed.key.selection} at {leg.listed.bookmaker}: {words}."


def _of_all(wanted: LegsToPlace, offer: LegOffer, *, is_other: bool) -> Iterator[str]:
    """Say what the legs are together, where that is not what was listed."""
    listed = wanted.listed
    if not wanted.unplaced:
        return
    if offer.kind is None or offer.worst_pct is None:
        yield f"These legs no longer make {_a(listed.kind)}: stake nothing."
        return
    worst = listed.outlay.worst_of_all_pct
    now = f"{signed_hundredths_text(offer.worst_pct)} % at worst now"
    then = f"{signed_hundredths_text(worst)} % {_THEN}"
    if offer.kind is not listed.kind:
        yield f"No longer {_a(listed.kind)} but {_a(offer.kind)}: {now}, {then}."
    elif is_other or not math.isclose(offer.worst_pct, worst, abs_tol=1e-9):
        yield f"The {_words(listed.kind)} has changed: {now}, {then}."


def _a(kind: OpportunityKind) -> str:
    return f"{'an' if kind is OpportunityKind.ARBITRAGE else 'a'} {_words(kind)}"


def _words(kind: OpportunityKind) -> str:
    return kind.value.replace("-", " ")


def _leg_text(leg: LegNow, reference: str) -> str:
    said = f"{leg.listed.key.selection} at {leg.listed.bookmaker}"
    told = []
    if leg.odds is not None and leg.odds != leg.listed.odds:
        told.append(f"{exact_odds_text(leg.odds)} now, {exact_odds_text(leg.listed.odds)} {_THEN}")
        if leg.better is not None:
            odds, name = leg.better
            told.append(f"{exact_odds_text(odds)} at {name}")
    told += [caution_text(caution, reference) for caution in leg.cautions]
    return f"{said}: {'; '.join(told)}."


def _worst_text(worst_pct: float, *, is_last: bool) -> str:
    others = "" if is_last else ", the others at the prices now"
    return f"at worst {_gain_text(worst_pct)} with this stake{others}"


def _between_text(gain_pct: float, *, is_middle: bool) -> str:
    where = "between the lines at worst" if is_middle else "on a push"
    return f"{where} {_gain_text(gain_pct)}"


def _gain_text(gain_pct: float) -> str:
    gain = round(gain_pct, 2)
    return f"a {'loss' if gain < 0 else 'gain'} of {abs(gain):.2f} %" if gain else "no gain"
