"""Which bets on a game settle alike, and which together cover every result.

A bet has one name in all markets that settle it alike (``bet_named``). In football before kick-off
the goal margin decides match result, double chance, draw no bet and both kinds of handicap, so
their bets are combined. In play a handicap may count from the current score, and in other sports
overtime may: there only the three-way match result and double chance are combined.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from oddsdesk.contract.competitions import FOOTBALL
from oddsdesk.contract.markets import DRAW_VOIDS, Draw, Form, types_of, types_with
from oddsdesk.pricing.selections import (
    AWAY,
    DRAW,
    HOME,
    OVER,
    bet_named,
    complete_forms,
    line_of,
    threshold,
)

Bet = tuple[str, str, str]
"""Market type, line group and side, as ``bet_named`` names them."""
_RESULT: Final = "moneyline"
_CHANCES: Final = "double_chance"
_WINNER: Final = types_of(Form.DOUBLE_CHANCE) | types_with(
    lambda market: market.draw is not Draw.NOTHING
)
_MARGINS: Final = {
    (_RESULT, HOME): (0.5, True),
    (_RESULT, AWAY): (-0.5, False),
    (_CHANCES, "1X"): (-0.5, True),
    (_CHANCES, "X2"): (0.5, False),
}
"""The home team's margin that a bet wins above (True) or below (False)."""


_AGAINST: Final = {HOME: "X2", DRAW: "12", AWAY: "1X", "X2": HOME, "12": DRAW, "1X": AWAY}
"""The double chance that wins if a result does not come in, and vice versa."""


_FIRST: Final = frozenset({HOME, "1X", "12"})
"""The first sides of pairs of opposite bets."""


class Cover(NamedTuple):
    """Bets that cover every result: one of them wins, or all stakes are returned."""

    bets: tuple[Bet, ...]
    has_draw: bool
    """Whether its match result has a draw, which changes what the other sides mean."""
    line: float | None = None
    """The ``threshold`` of the bets, 0 if a draw returns stakes; None if no number decides them."""


def family_of(market_type: str) -> str:
    """Return the market type that stands for all market types that it may be combined with."""
    return _RESULT if market_type in _WINNER else market_type


def depends_on_state(family: str, sport: str) -> bool:
    """Return whether bets of a family settle alike before kick-off, but not in play."""
    return family == _RESULT and sport == FOOTBALL


@lru_cache(maxsize=1 << 12)
def covers_of(
    market_type: str, group: str, line: float | None, sport: str, in_play: bool
) -> tuple[Cover, ...]:
    """Return the covers that the bets of a line group (``LineGroup.key``) are part of.

    The other bets of a cover may be in other markets, and may not be offered anywhere.
    """
    return tuple(_covers(market_type, group, line, sport, in_play))


def _covers(
    market_type: str, group: str, line: float | None, sport: str, in_play: bool
) -> Iterator[Cover]:
    if market_type == "yes_no" and not group:
        return  # the question is unknown
    number = 0.0 if market_type in DRAW_VOIDS else threshold(market_type, line)
    for form in complete_forms(market_type, sport):
        bets = tuple(bet_named(sport, in_play, market_type, group, side) for side in form)
        yield Cover(bets, DRAW in form, number)
        if len(bets) > 2:
            yield from _against_each(bets, sport)
    if market_type == _CHANCES:
        for one, other in (
            ((_RESULT, "", HOME), (_CHANCES, "", "X2")),
            ((_CHANCES, "", "1X"), (_RESULT, "", AWAY)),
            ((_CHANCES, "", "12"), (_RESULT, "", DRAW)),
        ):
            yield Cover((one, other), has_draw=True)


def _against_each(bets: Iterable[Bet], sport: str) -> Iterator[Cover]:
    """Yield each bet with its opposite, if that has a name."""
    for bet in bets:
        for other, has_draw in bets_against(bet, sport):
            if has_draw is not False:
                pair = (bet, other) if bet[2] in _FIRST else (other, bet)
                number = threshold(bet[0], line_of(bet[1])) if bet[1] else None
                yield Cover(pair, bet[0] in (_RESULT, _CHANCES), number)


class Against(NamedTuple):
    """The opposite of a bet, and so a lay of it: wins if it loses, is returned if it is."""

    bet: Bet
    has_draw: bool | None = None
    """Whether the market has a draw, where both forms exist; None in other markets."""


@lru_cache(maxsize=1 << 14)
def bets_against(named: Bet, sport: str) -> tuple[Against, ...]:
    """Return the opposites of a bet, named as by ``bet_named``: a lay is a bet on one of them.

    Laying a team is a double chance where there is a draw, and the other team where there is none.
    Nothing is known to be the opposite of the draw of a handicap, or of an unknown question.
    """
    market_type, group, side = named
    may_lack_draw = len(complete_forms(_RESULT, sport)) > 1
    if market_type == _CHANCES:
        return (Against((_RESULT, "", _AGAINST[side]), may_lack_draw or None),)
    if market_type == "yes_no" and not group:
        return ()
    forms = complete_forms(market_type, sport)
    found = []
    for form in (form for form in forms if side in form):
        if len(form) == 2:
            (other,) = (each for each in form if each != side)
            has_draw = False if len(forms) > 1 else None
            found.append(Against((market_type, group, other), has_draw))
        elif market_type == _RESULT:
            found.append(Against((_CHANCES, "", _AGAINST[side]), may_lack_draw or None))
    return tuple(found)


@lru_cache(maxsize=1 << 12)
def line_of_bet(bet: Bet, sport: str, in_play: bool) -> tuple[float, bool] | None:
    """Return the number that decides a bet, and whether it wins above or below it; None if none.

    The number is a total or the home team's margin.
    """
    market_type, group, side = bet
    if (market_type, side) in _MARGINS:
        is_margin = sport == FOOTBALL and not in_play
        return _MARGINS[market_type, side] if is_margin else None
    number = threshold(market_type, line_of(group)) if group else None
    return None if number is None else (number, side in (HOME, OVER))
