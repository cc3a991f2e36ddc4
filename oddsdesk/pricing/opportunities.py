"""Bets on everything that may happen, across bookmakers: arbitrage, low hold, middles (D59).

``S`` is the sum of 1/net odds over legs that cover every outcome. Below 1 they win whatever
happens; a little above 1 they cost little. The legs of a middle are of two lines: between them
neither loses.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from itertools import product
from operator import le, mul
from typing import Final, NamedTuple

from oddsdesk.pricing.assessment import APART_MS
from oddsdesk.pricing.depth import Ladder, Rung, net_at, shares_of_equal_payout
from oddsdesk.pricing.settlement import number_hit

LOW_HOLD: Final = 0.02
"""Up to this ``S - 1`` legs cost little enough to be told of."""


NEAR_STEPS: Final = 3
"""So many steps a stake may lie beside the one with which all legs pay the same."""
LONG_STEPS: Final = 300
"""So many steps a stake may lie below it where all that are near lose."""
LEAST_WIN_PCT: Final = 0.005
"""Less at worst is told as 0.00 % and is no arbitrage."""
_HAIR: Final = 1e-6
"""Of a step: what is so near a whole number of them is one."""


class OpportunityKind(Enum):
    """What a set of legs is, in the order in which they are listed."""

    ARBITRAGE = "arbitrage"
    """They win whatever happens, with stakes in the user's steps: S is below 1."""
    MIDDLE = "middle"
    """They are of two lines, and in between none loses."""
    LOW_HOLD = "low-hold"
    """They lose little whatever happens."""


class Leg(NamedTuple):
    """A price that may be relied upon as one of several bets."""

    bookmaker: str
    group: str
    """Its operator: no two legs are of one (D47)."""
    selection: str
    odds: float
    net_odds: float
    seen_at: int
    """In milliseconds."""
    in_play: bool
    has_overtime: bool | None = None
    """Whether its bets of the game count overtime; None where that cannot be told (D49)."""
    most: float | None = None
    """The most that the bookmaker takes, as the user noted it (D55)."""
    ladder: Ladder | None = None
    """What is for sale (D104); None where nobody tells."""

    def at(self, stake: float) -> "Leg":
        """Return the leg at the net odds of a stake: the average over the levels that it eats."""
        return self._replace(net_odds=net_at(self.ladder, stake)) if self.ladder else self


class Split(NamedTuple):
    """How the user divides money among legs."""

    total: float = 100.0
    """All legs together cost no more."""
    step: float = 1.0
    """Stakes are whole multiples of it."""


class Outlay(NamedTuple):
    """Stakes in the user's steps, one a leg, and what they gain; in the user's money."""

    stakes: tuple[float, ...]
    worst: float
    """The least gain of the outcomes that decide; of a middle, of all."""
    push: float | None = None
    """The gain where the line is hit exactly; None where it cannot be."""
    limited_by: int | None = None
    """The place of the leg of which so little can be had that all stakes are smaller, by its
    bookmaker's limit or what is for sale; None for none."""

    @property
    def staked(self) -> float:
        """What all legs together cost."""
        return math.fsum(self.stakes)

    @property
    def covers_all(self) -> bool:
        """Whether each leg is staked: none is where there is not a step for each."""
        return all(stake > 0 for stake in self.stakes)

    @property
    def worst_pct(self) -> float:
        """``worst`` in percent of what is staked; all is lost where nothing is."""
        return 100 * self.worst / self.staked if self.staked else -100.0

    @property
    def worst_of_all(self) -> float:
        """The least gain of all that can happen, the line hit exactly among it."""
        return self.worst if self.push is None else min(self.worst, self.push)

    @property
    def worst_of_all_pct(self) -> float:
        """``worst_of_all`` in percent of what is staked; all is lost where nothing is."""
        return 100 * self.worst_of_all / self.staked if self.staked else -100.0

    @property
    def wins(self) -> bool:
        """Whether something is won whatever decides."""
        return self.worst_pct >= LEAST_WIN_PCT


class Middle(NamedTuple):
    """What a middle may bring; amounts in the user's money."""

    loss: float
    """What is lost outside; below 0 it is won."""
    hit: float
    """The least that is won where no leg loses."""
    chance: float | None
    """That no leg loses, by the reference's ladder; None where it does not tell."""

    @property
    def break_even(self) -> float:
        """The chance of a hit from which on it gains on average: ``L / (L + H)``."""
        loss = max(0.0, self.loss)
        return loss / (loss + self.hit)

    @property
    def gains(self) -> bool:
        """Whether it gains on average, as far as the reference's ladder tells."""
        return self.chance is not None and self.chance >= self.break_even


class Span(NamedTuple):
    """The whole numbers at which no leg of a middle loses, ends included."""

    least: int
    most: int

    def chance(self, above: Mapping[float, float]) -> float | None:
        """Return how likely one of them is, by ``P(X > line)`` of half lines; None if unknown."""
        under, over = above.get(self.least - 0.5), above.get(self.most + 0.5)
        return None if under is None or over is None or under < over else under - over


class Between(NamedTuple):
    """Where two legs do not settle against each other: between the lines of a middle, or a push."""

    lines: tuple[float, float]
    """Above which the first leg wins, and below which the second does."""
    span: Span

    def gain(self, legs: Sequence[tuple[float, float]]) -> float:
        """Return the least that stakes at net odds gain there, one pair a leg."""
        numbers = range(self.span.least, self.span.most + 1)
        return min(math.fsum(_gains(legs, self.lines, number)) for number in numbers)


def total_of(legs: Iterable[Leg]) -> float:
    """Return S: the sum of 1/net odds."""
    return math.fsum(1 / leg.net_odds for leg in legs)


def best_legs(
    offers: Sequence[Sequence[Leg]], *, overtime_decides: bool = False
) -> tuple[Leg, ...] | None:
    """Return the leg of each side with which S is least, None where no legs go together.

    Legs that go together are of different operators and all in play or none; in play they were
    seen within a minute. Of equal ones the first bookmaker by name is taken.

    Args:
        offers: What is offered of each side.
        overtime_decides: Whether legs that count overtime do not go with such that do not (D49).
    """
    found = [
        legs
        for pool in _pools(offers, overtime_decides=overtime_decides)
        if (legs := _least_total(pool)) is not None
    ]
    return min(found, key=total_of, default=None)


def go_together(legs: Sequence[Leg]) -> bool:
    """Whether legs are of different operators and all in play, seen within a minute, or none."""
    if len({leg.group for leg in legs}) < len(legs):
        return False
    seen_at = [leg.seen_at for leg in legs if leg.in_play]
    return not seen_at or (len(seen_at) == len(legs) and max(seen_at) - min(seen_at) <= APART_MS)


def split_stakes(
    nets: Sequence[float], split: Split, most: Sequence[float | None] = ()
) -> tuple[float, ...]:
    """Return the stakes at net odds, in the user's steps, that leave most whoever wins.

    Most in percent of what is staked, then of equals the largest; among those of at most the total
    that lie near such as pay the same whoever wins. Where S is below 1 and these do not win, those
    below that win most money. All are 0 where there is not a step for each.

    ``most``: the most that each leg's bookmaker takes. All legs are smaller together where one
    takes less than its share of the total.
    """
    room, _ = _scaled(nets, split, most)
    steps, total = split.total / split.step, math.fsum(1 / net for net in nets)
    even = [room / (net * total) for net in nets]
    rooms = _rooms(most, split.step, len(nets))
    counts = _most_at_worst(nets, even, most=steps, rooms=rooms)
    if total < 1 and all(counts) and not _wins(counts, nets):
        counts = _most_money(nets, even, steps, rooms) or counts
    return tuple(round(count * split.step, 6) for count in counts)


def _scaled(
    nets: Sequence[float], split: Split, most: Sequence[float | None]
) -> tuple[float, int | None]:
    """Return how many steps all legs may cost, and the place of the leg that limits them."""
    total, steps = math.fsum(1 / net for net in nets), split.total / split.step
    allowed = [
        (room * net * total, place)
        for place, (room, net) in enumerate(
            zip(_rooms(most, split.step, len(nets)), nets, strict=True)
        )
    ]
    least, place = min(allowed)
    return (least, place) if least < steps * (1 - _HAIR) else (steps, None)


def _rooms(most: Sequence[float | None], step: float, count: int) -> list[float]:
    """Return how many steps each leg's bookmaker takes."""
    if not most:
        return [math.inf] * count
    return [math.inf if each is None else math.floor(each / step + _HAIR) for each in most]


def rest_of_legs(
    placed: Sequence[tuple[float, float]],
    net_odds: Sequence[float],
    step: float,
    most: Sequence[float | None] = (),
) -> tuple[tuple[float, ...], float]:
    """Return the stakes of legs that are still to be placed, and what all legs gain at worst.

    Those that leave most at worst of all stakes, as ``split_stakes`` does, near such as pay as
    much as the least of what was placed: to pay more would cost and leave no more.

    Args:
        placed: Stake and net odds of each leg that was placed.
        net_odds: The net odds of the others now.
        step: What stakes are multiples of.
        most: The most that each of those bookmakers takes. The others are smaller with one that
            takes too little.

    Returns:
        The stakes in the order of ``net_odds``, and the worst outcome's gain in percent of all
        stakes; below 0 it is a loss.
    """
    pays = min(stake * net for stake, net in placed) / step
    rooms = _rooms(most, step, len(net_odds))
    paid = min([pays, *map(mul, rooms, net_odds)])
    even = [paid / net for net in net_odds]
    before = math.fsum(stake for stake, _ in placed) / step
    counts = _most_at_worst(net_odds, even, placed=before, pays=pays, rooms=rooms)
    stakes = tuple(round(count * step, 6) for count in counts)
    return stakes, outlay_of([*placed, *zip(stakes, net_odds, strict=True)]).worst_pct


def outlay_of(legs: Sequence[tuple[float, float]]) -> Outlay:
    """Return what stakes at net odds gain, one pair a leg of those that exclude each other."""
    stakes = tuple(stake for stake, _ in legs)
    return Outlay(stakes, min(stake * net for stake, net in legs) - math.fsum(stakes))


def _most_at_worst(
    nets: Sequence[float],
    even: Sequence[float],
    *,
    most: float = math.inf,
    placed: float = 0.0,
    pays: float = math.inf,
    rooms: Sequence[float],
) -> Sequence[int]:
    """Return how many steps leave most at worst in percent of all; none where one each is too much.

    Args:
        nets: Net odds of each leg.
        even: The steps with which all legs pay the same; near them is looked.
        most: How many steps there are at most.
        placed: How many are staked on other legs already.
        pays: The least that one of those pays, in steps.
        rooms: How many steps each leg's bookmaker takes.
    """
    least = [max(1, math.ceil(each - NEAR_STEPS - _HAIR)) for each in even]
    payments = [
        count * net
        for net, each, low in zip(nets, even, least, strict=True)
        for count in range(low, math.floor(each + _HAIR) + 1)
    ]
    if placed:
        payments.append(pays)
    best: tuple[float, int, Sequence[int]] = (-math.inf, 0, [0] * len(nets))
    for paid in payments:  # the least of all: the legs want no more steps than pay that
        wanted = (math.ceil(paid / net - _HAIR) for net in nets)
        counts = list(map(max, least, wanted))
        if (staked := sum(counts)) <= most + _HAIR and all(map(le, counts, rooms)):
            worst = min(pays, *map(mul, counts, nets)) / (placed + staked)
            best = max(best, (round(worst, 9), staked, counts))
    return best[2]


def _wins(counts: Sequence[int], nets: Sequence[float]) -> bool:
    return outlay_of(list(zip(map(float, counts), nets, strict=True))).wins


def _most_money(
    nets: Sequence[float], even: Sequence[float], most: float, rooms: Sequence[float]
) -> Sequence[int] | None:
    """Return how many steps win most at worst, of equals the most steps; None where none win.

    From the largest payment down: a smaller one leaves at most ``1 - S`` of itself.
    """
    payments = sorted(
        (
            count * net
            for net, each in zip(nets, even, strict=True)
            for count in range(max(1, math.ceil(each - LONG_STEPS)), math.floor(each + _HAIR) + 1)
        ),
        reverse=True,
    )
    margin = 1 - math.fsum(1 / net for net in nets)
    best: tuple[float, Sequence[int]] = (0.0, ())
    for paid in payments:
        if paid * margin <= best[0]:
            break
        counts = [math.ceil(paid / net - _HAIR) for net in nets]
        won = round(min(map(mul, counts, nets)) - sum(counts), 9)
        is_allowed = sum(counts) <= most + _HAIR and all(map(le, counts, rooms))
        if won > best[0] and is_allowed and _wins(counts, nets):
            best = won, counts
    return best[1] or None


def outlay(legs: Sequence[Leg], split: Split, line: float | None = None) -> Outlay:
    """Return the stakes of legs that exclude each other, and what they gain.

    ``line``: what their selections are about, None where it cannot be hit. The first of two legs
    is then taken to win above it: over, or the home team over minus its handicap.
    """
    pairs, push = _pairs(legs, split), push_of(line)
    return outlay_of(pairs)._replace(
        push=None if push is None else push.gain(pairs), limited_by=_limiting(legs, split)
    )


def push_of(line: float | None) -> Between | None:
    """Return where two bets on a line are hit exactly; None where it cannot be."""
    number = None if line is None else number_hit(line)
    if number is None or line is None:
        return None
    return Between((line, line), Span(number, number))


def middle_span(
    above: float, below: float, *, impossible: frozenset[int] = frozenset()
) -> Span | None:
    """Return where neither a bet above one line nor one below another loses; None for nowhere.

    ``impossible``: numbers that cannot be, such as a drawn game where overtime decides it.
    """
    safe = [
        number
        for number in _numbers(above, below)
        if number not in impossible
        and _gain(above, number, 2.0, is_above=True) >= 0
        and _gain(below, number, 2.0, is_above=False) >= 0
    ]
    return Span(safe[0], safe[-1]) if safe and above < below else None


def middle_outlay(
    legs: tuple[Leg, Leg], lines: tuple[float, float], span: Span, split: Split
) -> tuple[Outlay, float]:
    """Return the stakes of a middle with its worst gain, and the least gain of a hit.

    ``lines``: above which the first leg wins, and below which the second does.
    """
    pairs = _pairs(legs, split)
    worst = min(math.fsum(_gains(pairs, lines, number)) for number in _numbers(*lines))
    stakes = tuple(stake for stake, _ in pairs)
    staked = Outlay(stakes, worst, limited_by=_limiting(legs, split))
    return staked, Between(lines, span).gain(pairs)


def _pairs(legs: Sequence[Leg], split: Split) -> list[tuple[float, float]]:
    """Return the stakes of legs, each with its net odds for that stake."""
    nets, most = _at_equal_payout(legs, split)
    stakes = split_stakes(nets, split, most)
    return [(stake, leg.at(stake).net_odds) for stake, leg in zip(stakes, legs, strict=True)]


def _limiting(legs: Sequence[Leg], split: Split) -> int | None:
    """Return the place of the leg whose limit makes the stakes smaller; None for none."""
    nets, most = _at_equal_payout(legs, split)
    return _scaled(nets, split, most)[1]


def _at_equal_payout(legs: Sequence[Leg], split: Split) -> tuple[list[float], list[float | None]]:
    """Return the net odds of each leg, and the most that it takes, where all pay the same.

    Of what is for sale no more is eaten than makes all legs together win more (D104).
    """
    nets, most = [leg.net_odds for leg in legs], [leg.most for leg in legs]
    if all(leg.ladder is None for leg in legs):
        return nets, most
    ladders = [
        (Rung(leg.net_odds, math.inf),) if leg.ladder is None else leg.ladder for leg in legs
    ]
    shares = shares_of_equal_payout(ladders, split.total)
    for place, (leg, share) in enumerate(zip(legs, shares, strict=True)):
        if leg.ladder is not None:
            for_sale = _reached(leg.ladder, share.stake)
            limit = leg.most
            most[place] = for_sale if limit is None else min(limit, for_sale)
    return [share.net_odds or net for share, net in zip(shares, nets, strict=True)], most


def _reached(ladder: Ladder, stake: float) -> float:
    """Return the largest stake that eats no level that a stake leaves alone."""
    reached = 0.0
    for rung in ladder:
        reached += rung.most
        if stake <= reached * (1 + _HAIR):
            break
    return reached


def _gains(
    legs: Sequence[tuple[float, float]], lines: tuple[float, float], number: int
) -> Iterable[float]:
    for (stake, net_odds), line, is_above in zip(legs, lines, (True, False), strict=True):
        yield stake * _gain(line, number, net_odds, is_above=is_above)


def _gain(line: float, number: int, net_odds: float, *, is_above: bool) -> float:
    """What a unit gains where a number comes; a quarter line is half a bet on each neighbour."""
    if not (line * 2).is_integer():
        halves = (line - 0.25, line + 0.25)
        return sum(_gain(half, number, net_odds, is_above=is_above) for half in halves) / 2
    beyond = number - line if is_above else line - number
    return net_odds - 1 if beyond > 0 else -1.0 if beyond < 0 else 0.0


def _numbers(above: float, below: float) -> range:
    """The whole numbers around two lines: beyond them nothing differs."""
    return range(math.floor(above) - 1, math.ceil(below) + 2)


def _pools(
    offers: Sequence[Sequence[Leg]], *, overtime_decides: bool
) -> Iterable[Sequence[Sequence[Leg]]]:
    """Yield what goes together: of one state, seen together, and settling alike."""
    forms: tuple[bool | None, ...] = (None,)
    if overtime_decides and len({leg.has_overtime for legs in offers for leg in legs}) > 1:
        forms = (True, False)
    for form in forms:
        alike = [
            [leg for leg in legs if form is None or leg.has_overtime in {form, None}]
            for legs in offers
        ]
        yield [[leg for leg in legs if not leg.in_play] for legs in alike]
        playing = [[leg for leg in legs if leg.in_play] for legs in alike]
        for begins in sorted({leg.seen_at for legs in playing for leg in legs}):
            ends = begins + APART_MS
            yield [[leg for leg in legs if begins <= leg.seen_at <= ends] for legs in playing]


def _least_total(offers: Sequence[Sequence[Leg]]) -> tuple[Leg, ...] | None:
    """Return the legs of different operators with the least S."""
    if not all(offers):
        return None
    best = [_best_of_groups(legs, len(offers)) for legs in offers]
    found = [legs for legs in product(*best) if len({leg.group for leg in legs}) == len(legs)]
    return min(found, key=total_of, default=None)


def _best_of_groups(legs: Sequence[Leg], count: int) -> list[Leg]:
    """Return the best leg of each of the ``count`` best operators: more are never needed."""
    best: dict[str, Leg] = {}
    for leg in sorted(legs, key=lambda leg: (-leg.net_odds, leg.bookmaker)):
        best.setdefault(leg.group, leg)
        if len(best) == count:
            break
    return list(best.values())
