"""Legs of multiples: each leg as a bet, and the result and close of the whole bet.

Free, boosted and refund bets may have legs too.
"""

import math
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

import msgspec

from oddsdesk.base.texts import N_, _, translated
from oddsdesk.ledger.bet_kinds import BetKind, BetLeg, result_of_legs
from oddsdesk.ledger.bets import BadBetError, PlacedBet, check_half, leg_name, settled, taken_back
from oddsdesk.ledger.games import GamesOfBets
from oddsdesk.pricing.closing import BetPart, ClosingLine, devigged_by
from oddsdesk.pricing.multiples import leg_fair_odds
from oddsdesk.pricing.selections import Result

NO_PLACE_CLOSE: Final = ClosingLine(
    why=N_("an each-way bet has no close: no bookmaker prices its places")
)

_WITHIN_A_GAME: Final = ClosingLine(
    why=N_("legs of one game have no common close: they are related")
)


class Part(NamedTuple):
    """What settles and closes by itself: a bet without legs, or one leg of a bet."""

    whole: PlacedBet
    leg: int
    """The leg's place, from 1; 0 for a bet without legs."""
    bet: PlacedBet
    """The leg as a bet, with the number of the whole one; else the bet itself."""

    @property
    def key(self) -> BetPart:
        """Its name in tables of closing lines. Only for recorded bets."""
        assert self.whole.ident is not None
        return (self.whole.ident, self.leg) if self.leg else self.whole.ident

    @property
    def lead(self) -> str:
        """The prefix of a reason about it that the ledger keeps: ``leg 2, Arsenal: ``; or empty."""
        return f"{leg_text(self.leg, self.bet.selection)}: " if self.leg else ""

    @property
    def shown_lead(self) -> str:
        """``lead`` in the reader's language."""
        return f"{leg_name(self.leg, self.bet.selection)}: " if self.leg else ""


def leg_text(place: int, selection: str) -> str:
    """Return a leg in words as the ledger keeps it: ``leg 2, Arsenal``."""
    return f"leg {place}, {selection}"


def part_text(key: BetPart) -> str:
    """Return the number of a bet or leg in words: ``12``, ``12.2``."""
    return ".".join(map(str, key)) if isinstance(key, tuple) else str(key)


def parts_of(bet: PlacedBet) -> list[Part]:
    """Return the legs of a bet, or the bet itself if it has none."""
    if not bet.legs:
        return [Part(bet, 0, bet)]
    legs = enumerate(bet.legs, 1)
    return [Part(bet, place, _as_bet(bet, leg)) for place, leg in legs]


def _as_bet(bet: PlacedBet, leg: BetLeg) -> PlacedBet:
    return PlacedBet(
        *(leg.game_id, leg.match_name, leg.competition, leg.sport, leg.market_type),
        *(leg.period, leg.selection, bet.bookmaker, leg.odds, bet.stake),
        placed_at=bet.placed_at,
        kick_off=leg.kick_off,
        fair_odds=leg.fair_odds,
        currency=bet.currency,
        practice=bet.practice,
        result=leg.result,
        settled_at=bet.settled_at if leg.result is not None else None,
        settled_by=leg.settled_by,
        undone=leg.undone,
        close=leg.close,
        ident=bet.ident,
    )


def leg_settled(
    bet: PlacedBet, place: int, result: Result | None, now_ms: int, by: str = ""
) -> PlacedBet:
    """Return a bet one of whose legs has a result, or is open again; the bet ends by its legs.

    ``place`` counts from 1. ``by`` is the source and score of a leg that settles by itself. A bet
    that was settled as a whole keeps its result while its legs do not decide it.

    Raises:
        BadBetError: it has no such leg, the leg cannot end so, or the bet was cashed out.
    """
    if not 0 < place <= len(bet.legs):
        if not bet.legs:
            raise BadBetError(
                _("bet {ident} has no leg {place}: it has no legs").format(
                    ident=bet.ident, place=place
                )
            )
        raise BadBetError(
            _("bet {ident} has no leg {place}: it has legs 1 to {count}").format(
                ident=bet.ident, place=place, count=len(bet.legs)
            )
        )
    if bet.result is Result.CASHED_OUT:
        raise BadBetError(_("bet {ident} was cashed out; reopen it first").format(ident=bet.ident))
    if result in {Result.CASHED_OUT, Result.PLACED}:
        raise BadBetError(
            _("a leg cannot be {result}: only a whole bet can").format(
                result=translated(result.words)
            )
        )
    leg = bet.legs[place - 1]
    check_half(msgspec.structs.replace(_as_bet(bet, leg), result=result))
    ended = msgspec.structs.replace(leg, result=result, settled_by=by, undone="")
    changed = msgspec.structs.replace(bet, legs=(*bet.legs[: place - 1], ended, *bet.legs[place:]))
    if result is None:
        changed = taken_back(changed, bet)
        changed = msgspec.structs.replace(changed, settled_by=bet.settled_by, undone=bet.undone)
    return closed_by_legs(ended_by_legs(changed, bet, now_ms))


def ended_by_legs(bet: PlacedBet, before: PlacedBet, now_ms: int) -> PlacedBet:
    """Return a bet with the result of its legs; ``before`` is the bet before these changed.

    It is open again if its legs decided it before and no longer do.

    Raises:
        BadBetError: the bet cannot end so.
    """
    result = result_of_legs(bet.legs)
    if result is not None:
        return settled(bet, result, now_ms, _settled_by(bet.legs, result))
    was_by_legs = before.result is not None and before.result is result_of_legs(before.legs)
    if not was_by_legs:
        return bet
    return msgspec.structs.replace(bet, result=None, settled_at=None, settled_by="")


def _settled_by(legs: Iterable[BetLeg], result: Result) -> str:
    """Return what settled a bet by its legs; empty if the user settled what decided it."""
    numbered = list(enumerate(legs, 1))
    if result is Result.LOST:
        place, lost = next((place, leg) for place, leg in numbered if leg.result is Result.LOST)
        return f"{leg_text(place, lost.selection)}: {lost.settled_by}" if lost.settled_by else ""
    return "; ".join(f"leg {place}: {leg.settled_by}" for place, leg in numbered if leg.settled_by)


def closed_by_legs(bet: PlacedBet) -> PlacedBet:
    """Return a bet with the close of all its legs; unchanged if no leg has a close.

    It is the product of the legs' fair closes. A void leg drops out: it counts with the odds at
    which it was placed, as in the bet's own odds. So does the part of a leg that comes back as a
    push. Legs of one game depend on each other, so they have no common close.
    """
    standing = [part for part in parts_of(bet) if part.leg and part.bet.result is not Result.VOID]
    closes = [part.bet.close for part in standing if part.bet.close is not None]
    if not closes:
        return bet
    return msgspec.structs.replace(bet, close=_product(bet, standing, closes))


def _product(bet: PlacedBet, standing: list[Part], closes: list[ClosingLine]) -> ClosingLine | None:
    for part in standing:
        close = part.bet.close
        if close is not None and not close.is_there:
            return ClosingLine(why=f"{part.lead}{close.why}", reference=close.reference)
    if len(closes) < len(standing):
        return None
    if _is_within_a_game(standing):
        return _WITHIN_A_GAME
    void = math.prod(leg.odds for leg in bet.legs if leg.result is Result.VOID)
    fair = [
        leg_fair_odds(part.bet.odds, close.fair_odds or 1.0, close.decided)
        for part, close in zip(standing, closes, strict=True)
    ]
    odds = [close.odds for close in closes if close.odds is not None]
    times = [close.at for close in closes if close.at is not None]
    return ClosingLine(
        odds=void * math.prod(odds) if len(odds) == len(closes) else None,
        fair_odds=void * math.prod(fair),
        method=_same(close.method for close in closes),
        at=max(times, default=None),
        reference=_same(close.reference for close in closes),
        decided=1.0,
    )


def _is_within_a_game(standing: list[Part]) -> bool:
    games = GamesOfBets(part.bet for part in standing)
    known = [game for part in standing if (game := games.game_of_bet(part.bet)) is not None]
    return len(set(known)) < len(known)


def _same(names: Iterable[str]) -> str:
    held = set(names)
    return held.pop() if len(held) == 1 else ""


def devigged_close(bet: PlacedBet, method: str) -> ClosingLine | None:
    """Return a bet's close devigged by another method; None if there is none or no line for it."""
    if bet.close is None:
        return None
    if not any(leg.close for leg in bet.legs):
        return devigged_by(bet.close, method, is_lay=bet.kind is BetKind.LAY)
    closes = [None if leg.close is None else devigged_by(leg.close, method) for leg in bet.legs]
    if any(close is None and leg.close for close, leg in zip(closes, bet.legs, strict=True)):
        return None
    legs = map(lambda leg, close: msgspec.structs.replace(leg, close=close), bet.legs, closes)
    return closed_by_legs(msgspec.structs.replace(bet, legs=tuple(legs))).close


def parts_to_close(bets: Iterable[PlacedBet]) -> Iterator[Part]:
    """Yield the recorded bets and legs that can have a closing line.

    A void leg needs none. A multiple whose own close came with a list has it already.
    """
    for bet in bets:
        if bet.ident is None:
            continue
        is_listed = bet.close is not None and bet.close.is_there
        if bet.legs and is_listed and not any(leg.close for leg in bet.legs):
            continue
        for part in parts_of(bet):
            if not (part.leg and part.bet.result is Result.VOID):
                yield part


def with_close(bet: PlacedBet, place: int, close: ClosingLine | None) -> PlacedBet:
    """Return a bet with a closing line of the whole bet (``place`` 0) or of a leg, from 1."""
    if not 0 < place <= len(bet.legs):
        return msgspec.structs.replace(bet, close=close)
    leg = msgspec.structs.replace(bet.legs[place - 1], close=close)
    legs = (*bet.legs[: place - 1], leg, *bet.legs[place:])
    if not any(each.close for each in legs):
        return msgspec.structs.replace(bet, legs=legs, close=None)
    return closed_by_legs(msgspec.structs.replace(bet, legs=legs))


def without_closes(bet: PlacedBet) -> PlacedBet:
    """Return a bet without closing lines, so that they are searched for again."""
    legs = tuple(msgspec.structs.replace(leg, close=None) for leg in bet.legs)
    return msgspec.structs.replace(bet, close=None, legs=legs)
