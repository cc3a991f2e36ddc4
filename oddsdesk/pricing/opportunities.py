"""Sets of bets across bookmakers that cover every outcome: arbitrage, low hold, middles.

``S`` is the sum of 1/odds after commission over legs that cover every outcome. Below 1 the set wins
in any case; slightly above 1 it costs little. The legs of a middle are on two lines: between them
neither loses.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from itertools import product
from operator import le, mul
from typing import Final, NamedTuple

from oddsdesk.pricing.assessment import APART_MS
from oddsdesk.pricing.selections import Result, number_hit
from oddsdesk.pricing.stakes import Ladder, Rung, net_at, shares_of_equal_payout

LOW_HOLD: Final = 0.02
"""Largest ``S - 1`` of a low-hold set."""


NEAR_STEPS: Final = 3
"""How many steps a stake may differ from the one at which all legs pay the same."""
LONG_STEPS: Final = 300
"""How many steps a stake may be below it if all nearer ones lose."""
_RESULTS: Final = {
    1.0: Result.WON,
    0.5: Result.HALF_WON,
    0.0: Result.VOID,
    -0.5: Result.HALF_LOST,
    -1.0: Result.LOST,
}
"""What a bet of 1 at odds of 2.0 ended as, by its profit."""
LEAST_WIN_PCT: Final = 0.005
"""A smaller worst profit shows as 0.00 % and is not an arbitrage."""
_HAIR: Final = 1e-6
"""Share of a step: an amount this close to whole steps counts as whole."""


class OpportunityKind(Enum):
    """Kinds of sets, in the order of lists."""

    ARBITRAGE = "arbitrage"
    """They win in any case, with stakes in the user's steps: S is below 1."""
    MIDDLE = "middle"
    """They are on two lines, and between them none loses."""
    LOW_HOLD = "low-hold"
    """They lose little in any case."""


class Leg(NamedTuple):
    """A reliable price, as one of several bets."""

    bookmaker: str
    group: str
    """Its operator; no two legs share one."""
    selection: str
    odds: float
    net_odds: float
    seen_at: int
    """In milliseconds."""
    in_play: bool
    has_overtime: bool | None = None
    """Whether its bets on the game count overtime; None if unknown."""
    most: float | None = None
    """The bookmaker's limit, as the user noted it."""
    ladder: Ladder | None = None
    """The amounts for sale; None if unknown."""
    is_lay: bool = False
    """Whether it is a lay: it wins if the selection loses; its stake is the liability."""

    def at(self, stake: float) -> "Leg":
        """Return the leg at the odds of a stake: the average over the levels that it takes."""
        return self._replace(net_odds=net_at(self.ladder, stake)) if self.ladder else self


class Split(NamedTuple):
    """How the user divides a total among legs."""

    total: float = 100.0
    """The largest total of all legs."""
    step: float = 1.0
    """Stakes are whole multiples of it."""


class Outlay(NamedTuple):
    """Stakes in the user's steps, one per leg, and their profit; in the user's currency."""

    stakes: tuple[float, ...]
    worst: float
    """The lowest profit of the deciding outcomes; for a middle, of all outcomes."""
    push: float | None = None
    """The profit if the line is hit exactly; None if it cannot be."""
    limited_by: int | None = None
    """Position of the leg whose limit, or amount for sale, makes all stakes smaller; None if there
    is none."""

    @property
    def staked(self) -> float:
        """The total stake."""
        return math.fsum(self.stakes)

    @property
    def covers_all(self) -> bool:
        """Whether each leg has a stake; none has if they cannot all get a step."""
        return all(stake > 0 for stake in self.stakes)

    @property
    def worst_pct(self) -> float:
        """``worst`` in percent of the total stake; -100 if there is none."""
        return 100 * self.worst / self.staked if self.staked else -100.0

    @property
    def worst_of_all(self) -> float:
        """The lowest profit of all results, including an exact hit of the line."""
        return self.worst if self.push is None else min(self.worst, self.push)

    @property
    def worst_of_all_pct(self) -> float:
        """``worst_of_all`` in percent of the total stake; -100 if there is none."""
        return 100 * self.worst_of_all / self.staked if self.staked else -100.0

    @property
    def wins(self) -> bool:
        """Whether every deciding outcome makes a profit."""
        return self.worst_pct >= LEAST_WIN_PCT


class Middle(NamedTuple):
    """The possible profit of a middle; amounts in the user's currency."""

    loss: float
    """The loss outside the middle; negative if it is a profit."""
    hit: float
    """The lowest profit if no leg loses."""
    chance: float | None
    """Chance that no leg loses, by the sharp book's ladder; None if unknown."""

    @property
    def break_even(self) -> float:
        """The chance of a hit at which it breaks even: ``L / (L + H)``."""
        loss = max(0.0, self.loss)
        return loss / (loss + self.hit)

    @property
    def gains(self) -> bool:
        """Whether it gains on average, by the sharp book's ladder."""
        return self.chance is not None and self.chance >= self.break_even


class Span(NamedTuple):
    """The whole numbers at which no leg of a middle loses, ends included."""

    least: int
    most: int

    def chance(self, above: Mapping[float, float]) -> float | None:
        """Return the chance that one of them comes, by ``P(X > line)`` of half lines; None if
        unknown."""
        under, over = above.get(self.least - 0.5), above.get(self.most + 0.5)
        return None if under is None or over is None or under < over else under - over


class Between(NamedTuple):
    """Where two legs do not settle against each other: inside a middle, or at a push."""

    lines: tuple[float, float]
    """The first leg wins above the first line, the second below the second."""
    span: Span

    def results(self) -> list[tuple[Result, Result]]:
        """Return how both legs may end there, each way once."""
        found = dict[tuple[Result, Result], None]()
        for number in range(self.span.least, self.span.most + 1):
            above, below = _gains(((1.0, 2.0), (1.0, 2.0)), self.lines, number)
            found[_RESULTS[above], _RESULTS[below]] = None
        return list(found)

    def gain(self, legs: Sequence[tuple[float, float]]) -> float:
        """Return the lowest profit there; one pair of stake and odds per leg."""
        numbers = range(self.span.least, self.span.most + 1)
        return min(math.fsum(_gains(legs, self.lines, number)) for number in numbers)


def total_of(legs: Iterable[Leg]) -> float:
    """Return S, the sum of 1/odds after commission."""
    return math.fsum(1 / leg.net_odds for leg in legs)


def best_legs(
    offers: Sequence[Sequence[Leg]], *, overtime_decides: bool = False
) -> tuple[Leg, ...] | None:
    """Return the leg of each side with the lowest S, None if no legs fit together.

    Legs fit if their operators differ and they are all in play or all not; in play they must have
    been seen within a minute. Of equal ones the first bookmaker by name is chosen.

    Args:
        offers: The offers of each side.
        overtime_decides: Whether legs that count overtime do not fit legs that do not.
    """
    found = [
        legs
        for pool in _pools(offers, overtime_decides=overtime_decides)
        if (legs := _least_total(pool)) is not None
    ]
    return min(found, key=total_of, default=None)


def go_together(legs: Sequence[Leg]) -> bool:
    """Return whether operators differ, and legs are in play within a minute, or all not in play."""
    if len({leg.group for leg in legs}) < len(legs):
        return False
    seen_at = [leg.seen_at for leg in legs if leg.in_play]
    return not seen_at or (len(seen_at) == len(legs) and max(seen_at) - min(seen_at) <= APART_MS)


def split_stakes(
    nets: Sequence[float], split: Split, most: Sequence[float | None] = ()
) -> tuple[float, ...]:
    """Return the stakes, in the user's steps, with the best profit in the worst outcome.

    They maximise the profit in percent of the total stake, then the total, among stakes up to the
    total near those with equal payouts. If S is below 1 but these do not win, smaller stakes with
    the highest profit are used. All are 0 if they cannot all get a step.

    ``most``: the limit of each leg's bookmaker. All legs shrink together if one takes less than its
    share of the total.
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
    """Return how many steps all legs may cost, and the position of the leg that limits them."""
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
    """Return the stakes of the legs still to be placed, and the worst profit of all legs.

    They maximise the worst profit, as in ``split_stakes``, near stakes that pay as much as the
    lowest payout already placed: paying out more would cost more and leave the same.

    Args:
        placed: Stake and odds after commission of each placed leg.
        net_odds: Current odds after commission of the others.
        step: Stakes are multiples of it.
        most: The limit of each of those bookmakers. The others shrink with one that takes less.

    Returns:
        The stakes in the order of ``net_odds``, and the worst profit in percent of all stakes;
        negative if it is a loss.
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
    """Return the profits of stakes; one pair of stake and odds per leg that excludes the others."""
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
    """Return the steps with the best worst profit in percent; none if one each is too much.

    Args:
        nets: Odds after commission of each leg.
        even: The steps at which all legs pay the same; the search starts there.
        most: The largest number of steps.
        placed: Steps already staked on other legs.
        pays: The lowest payout of those, in steps.
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
    for paid in payments:  # the lowest: the legs need only the steps that pay that
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
    """Return the steps with the highest worst profit, of equals the most steps; None if none win.

    From the largest payout down: a smaller one leaves at most ``1 - S`` of itself.
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
    """Return the stakes of legs that exclude each other, and their profit.

    ``line``: the line of their selections, None if it cannot be hit. The first of two legs is then
    the one that wins above it: over, or the home team over minus its handicap.
    """
    pairs, push = _pairs(legs, split), push_of(line)
    return outlay_of(pairs)._replace(
        push=None if push is None else push.gain(pairs), limited_by=_limiting(legs, split)
    )


def push_of(line: float | None) -> Between | None:
    """Return where two bets on a line are hit exactly; None if they cannot be."""
    number = None if line is None else number_hit(line)
    if number is None or line is None:
        return None
    return Between((line, line), Span(number, number))


def middle_span(
    above: float, below: float, *, impossible: frozenset[int] = frozenset()
) -> Span | None:
    """Return where neither a bet above one line nor one below another loses; None if nowhere.

    ``impossible``: impossible numbers, such as a draw if overtime decides the game.
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
    """Return the stakes of a middle, its worst profit, and its lowest profit on a hit.

    ``lines``: the first leg wins above the first, the second below the second.
    """
    pairs = _pairs(legs, split)
    worst = min(math.fsum(_gains(pairs, lines, number)) for number in _numbers(*lines))
    stakes = tuple(stake for stake, _ in pairs)
    staked = Outlay(stakes, worst, limited_by=_limiting(legs, split))
    return staked, Between(lines, span).gain(pairs)


def _pairs(legs: Sequence[Leg], split: Split) -> list[tuple[float, float]]:
    """Return the stakes of legs, each with its odds at that stake."""
    nets, most = _at_equal_payout(legs, split)
    stakes = split_stakes(nets, split, most)
    return [(stake, leg.at(stake).net_odds) for stake, leg in zip(stakes, legs, strict=True)]


def _limiting(legs: Sequence[Leg], split: Split) -> int | None:
    """Return the position of the leg whose limit makes the stakes smaller; None if none does."""
    nets, most = _at_equal_payout(legs, split)
    return _scaled(nets, split, most)[1]


def _at_equal_payout(legs: Sequence[Leg], split: Split) -> tuple[list[float], list[float | None]]:
    """Return the odds of each leg and the most that it takes, at equal payouts.

    Levels for sale are only taken as long as they increase the profit of all legs together.
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
    """Return the largest stake that takes no level which the stake should leave."""
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
    """Return the profit of a unit at a number; a quarter line is half a bet on each neighbour."""
    if not (line * 2).is_integer():
        halves = (line - 0.25, line + 0.25)
        return sum(_gain(half, number, net_odds, is_above=is_above) for half in halves) / 2
    beyond = number - line if is_above else line - number
    return net_odds - 1 if beyond > 0 else -1.0 if beyond < 0 else 0.0


def _numbers(above: float, below: float) -> range:
    """Return the whole numbers around two lines; beyond them nothing changes."""
    return range(math.floor(above) - 1, math.ceil(below) + 2)


def _pools(
    offers: Sequence[Sequence[Leg]], *, overtime_decides: bool
) -> Iterable[Sequence[Sequence[Leg]]]:
    """Yield legs that fit: of one state, seen together, and settling alike."""
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
    """Return the legs of different operators with the lowest S."""
    if not all(offers):
        return None
    best = [_best_of_groups(legs, len(offers)) for legs in offers]
    found = [legs for legs in product(*best) if len({leg.group for leg in legs}) == len(legs)]
    return min(found, key=total_of, default=None)


def _best_of_groups(legs: Sequence[Leg], count: int) -> list[Leg]:
    """Return the best leg of each of the ``count`` best operators; more are never needed."""
    best: dict[str, Leg] = {}
    for leg in sorted(legs, key=lambda leg: (-leg.net_odds, leg.bookmaker)):
        best.setdefault(leg.group, leg)
        if len(best) == count:
            break
    return list(best.values())
