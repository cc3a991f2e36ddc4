"""Arbitrage, low hold and middles of one moment, counted straight from quotes (D59).

Shares no code with `oddsdesk`: a check of `oddsdesk arbitrage` that tries
everything where the program is clever.

    python -m tests.money_opportunities quotes.ndjson resources/bookmakers.csv
"""

import csv
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import cache
from itertools import product
from math import ceil, floor
from pathlib import Path

from tests.money_quotes import (
    AWAY,
    DRAW,
    HANDICAPS,
    HOME,
    NO,
    OVER,
    TOTALS,
    UNDER,
    YES,
    Group,
    Profile,
    Quote,
    read_profiles,
    read_quotes,
)
from tests.money_rows import OVERTIME_MARKETS, OVERTIME_SPORTS, REFERENCE, Moment, line_doubts

LOW = 0.02
WINS = 1.00005
"""What comes back at worst of a unit staked where that is told as a profit."""
COVERS = {
    **{key: [(HOME, AWAY)] for key in (*HANDICAPS, "draw_no_bet")},
    **{key: [(OVER, UNDER)] for key in TOTALS},
    **{key: [(YES, NO)] for key in ("btts", "yes_no")},
    "3way_handicap": [(HOME, DRAW, AWAY)],
}


@dataclass(frozen=True)
class Offer:
    """A price that may be a leg."""

    quote: Quote
    operator: str
    selection: str
    net: float
    regulation: bool | None
    """Whether its bets of the game end with regulation; None where that cannot be told."""


@dataclass(frozen=True)
class Found:
    """An opportunity: its kind, where it is, S, and what 100 are divided into."""

    kind: str
    market: tuple
    lines: tuple[Group, ...]
    sides: tuple[str, ...]
    total: float
    stakes: tuple[int, ...]
    chance: float | None = None


def read_operators(lines: Iterable[str]) -> dict[str, str]:
    """Return the operator of each bookmaker by each of its names."""
    operators = {}
    for line in csv.DictReader(line for line in lines if not line.startswith("#")):
        for name in (line["name"], *filter(None, line["aliases"].split("|"))):
            operators[name] = line["group"]
    return operators


class Count:
    """Opportunities of the moment of the newest quote."""

    def __init__(
        self, quotes: list[Quote], profiles: dict[str, Profile], operators: dict[str, str]
    ) -> None:
        self._moment = Moment(quotes, profiles)
        self._profiles, self._operators = profiles, operators
        self._markets: defaultdict[tuple, list[Quote]] = defaultdict(list)
        for quote in quotes:
            self._markets[quote.market].append(quote)

    def found(self) -> Iterator[Found]:
        for market, quotes in self._markets.items():
            usable = [quote for quote in quotes if self._is_usable(quote)]
            groups = {read[0] for quote in usable for read in quote.sides().values() if read}
            for group in groups:
                for cover in self._covers(usable[0], group):
                    yield from self._covering(market, usable, group, cover)
            for about in {group[0] for group in groups}:
                lines = sorted(
                    group[1] for group in groups if group[0] == about and group[1] is not None
                )
                yield from self._middles(market, usable, about, lines)

    def _is_usable(self, quote: Quote) -> bool:
        age = self._moment.now - quote.seen
        started = not quote.live and quote.kickoff is not None and self._moment.now > quote.kickoff
        readable = None not in quote.sides().values()
        return readable and not started and age <= timedelta(seconds=60 if quote.live else 180)

    def _covers(self, quote: Quote, group: Group) -> list[tuple[str, ...]]:
        if quote.market_type == "moneyline":
            three = (HOME, DRAW, AWAY)
            return [three] if quote.sport == "Football" else [three, (HOME, AWAY)]
        if quote.market_type == "yes_no" and not group[0]:
            return []
        return COVERS.get(quote.market_type, [])

    def _covering(
        self, market: tuple, quotes: list[Quote], group: Group, cover: tuple[str, ...]
    ) -> Iterator[Found]:
        offered = [self._offers(quotes, group, side, cover) for side in cover]
        nets = self._best(offered, [group])
        if nets is not None and (total := _total(nets)) <= 1 + LOW:
            stakes = _stakes(nets)
            kind = "arbitrage" if _share(stakes, nets) >= WINS else "low-hold"
            yield Found(kind, market, (group,), cover, total, stakes)

    def _middles(
        self, market: tuple, quotes: list[Quote], about: str, lines: list[float]
    ) -> Iterator[Found]:
        if not lines:
            return
        handicap = market[1] in HANDICAPS
        sides = (HOME, AWAY) if handicap else (OVER, UNDER)
        for one, other in product(lines, lines):
            above, below = (-one, -other) if handicap else (one, other)
            around = range(int(min(above, below)) - 3, int(max(above, below)) + 4)
            hits = [number for number in around if _safe(number, above, below)]
            if handicap and quotes[0].sport in OVERTIME_SPORTS and market[2] == 0:
                hits = [number for number in hits if number != 0 or market[1] != "spread"]
            if above >= below or not hits:
                continue
            offers = [
                self._offers(quotes, (about, line), side, sides)
                for line, side in ((one, sides[0]), (other, sides[1]))
            ]
            groups = ((about, one), (about, other))
            nets = self._best(offers, list(groups))
            if nets is None:
                continue
            live = any(offer.quote.live for offer in offers[0])
            chance = self._chance(market, about, hits[0] - 0.5, hits[-1] + 0.5, live=live)
            results = _results(nets, (above, below), around)
            loss, hit = -min(results.values()), min(results[number] for number in hits)
            cheap = _total(nets) - 1 <= LOW
            gains = chance is not None and chance * hit >= (1 - chance) * loss
            if hit > 0 and (cheap or gains):
                yield Found("middle", market, groups, sides, _total(nets), _stakes(nets), chance)

    def _chance(
        self, market: tuple, about: str, low: float, high: float, *, live: bool
    ) -> float | None:
        reference = next(
            (quote for quote in self._markets[market] if quote.bookmaker == REFERENCE), None
        )
        age = timedelta(seconds=60 if live else 180)
        if reference is None or reference.live is not live:
            return None
        if self._moment.now - reference.seen > age:
            return None
        fair = self._moment._fair(reference)
        if market[1] in HANDICAPS:
            found = [fair.get(((about, -line), HOME)) for line in (low, high)]
        else:
            found = [fair.get(((about, line), OVER)) for line in (low, high)]
        if any(each is None or each.total < 1 for each in found):
            return None
        chance = 1 / found[0].odds - 1 / found[1].odds
        return chance if chance >= 0 else None

    def _offers(
        self, quotes: list[Quote], group: Group, side: str, cover: tuple[str, ...]
    ) -> list[Offer]:
        offers = []
        for quote in quotes:
            own = {
                read[1]: text for text, read in quote.sides().items() if read and read[0] == group
            }
            if line_doubts(quote, group):
                continue
            if side in own and _bets_on(quote, set(own), cover):
                name = quote.bookmaker
                net = self._profiles.get(name, Profile()).net(quote.odds[own[side]])
                regulation = self._moment._prices_three_way(quote.game, name)
                operator = self._operators.get(name, name)
                offers.append(Offer(quote, operator, own[side], net, regulation))
        return offers

    def _best(self, offered: list[list[Offer]], groups: list[Group]) -> tuple[float, ...] | None:
        """The net odds of the legs with the least S, of all combinations there are."""
        best = [
            sorted(offers, key=lambda offer: -offer.net)[: 12 if len(offered) == 3 else None]
            for offers in offered
        ]
        allowed = [
            tuple(offer.net for offer in legs)
            for legs in product(*best)
            if _go_together(legs, groups)
        ]
        return min(allowed, key=_total, default=None)


def _total(nets: tuple[float, ...]) -> float:
    return sum(1 / net for net in nets)


@cache
def _stakes(nets: tuple[float, ...]) -> tuple[int, ...]:
    """What leaves the largest share at worst, of all whole units within 3 of an even split of 100.

    Of equal ones the largest. Where they win nothing though the odds would, what wins most of
    100 or less.
    """
    even = [100 / net / _total(nets) for net in nets]
    near = [range(max(1, ceil(each - 3)), floor(each + 3) + 1) for each in even]
    allowed = [stakes for stakes in product(*near) if sum(stakes) <= 100]
    best = max(allowed, key=lambda stakes: (round(_share(stakes, nets), 9), sum(stakes)))
    if _total(nets) >= 1 or _share(best, nets) >= WINS:
        return best
    below = product(*(range(1, floor(each) + 1) for each in even))
    winning = [stakes for stakes in below if _share(stakes, nets) >= WINS]
    return max(winning, key=lambda stakes: (_won(stakes, nets), sum(stakes)), default=best)


def _won(stakes: tuple[int, ...], nets: tuple[float, ...]) -> float:
    return round((_share(stakes, nets) - 1) * sum(stakes), 9)


def _share(stakes: tuple[int, ...], nets: tuple[float, ...]) -> float:
    return min(stake * net for stake, net in zip(stakes, nets, strict=True)) / sum(stakes)


def _results(
    nets: tuple[float, ...], lines: tuple[float, float], numbers: range
) -> dict[int, float]:
    """What is left of a bet over one line and one under another, by the number that comes."""
    over, under = _stakes(nets)
    left = {}
    for number in numbers:
        # a quarter line is bet on as two lines, half the stake on each
        come_back = [over * _back(nets[0], number - part) for part in _parts(lines[0])]
        come_back += [under * _back(nets[1], part - number) for part in _parts(lines[1])]
        left[number] = sum(come_back) / 2 - over - under
    return left


def _parts(line: float) -> tuple[float, float]:
    return floor(line * 2) / 2, ceil(line * 2) / 2


def _back(net: float, beyond: float) -> float:
    return net if beyond > 0 else 1 if beyond == 0 else 0


def _bets_on(quote: Quote, own: set[str], cover: tuple[str, ...]) -> bool:
    if quote.market_type == "moneyline" and quote.sport != "Football":
        return DRAW in own if DRAW in cover else own == {HOME, AWAY}
    if DRAW in cover:
        return DRAW in own or not {HOME, AWAY} <= own
    return DRAW not in own


def _go_together(legs: tuple[Offer, ...], groups: list[Group]) -> bool:
    if len({leg.operator for leg in legs}) < len(legs) or len({leg.quote.live for leg in legs}) > 1:
        return False
    seen = [leg.quote.seen for leg in legs]
    if legs[0].quote.live and max(seen) - min(seen) > timedelta(seconds=60):
        return False
    quote = legs[0].quote
    decides = (
        quote.sport in OVERTIME_SPORTS
        and quote.period == 0
        and quote.market_type in OVERTIME_MARKETS
        and (quote.market_type != "spread" or any(abs(line or 0) < 1 for _, line in groups))
    )
    return not (decides and {True, False} <= {leg.regulation for leg in legs})


def _safe(number: int, above: float, below: float) -> bool:
    """Whether neither over one line nor under another loses any part of its stake."""
    halves = ([line - 0.25, line + 0.25] if line * 2 % 1 else [line] for line in (above, below))
    over, under = halves
    return all(number >= line for line in over) and all(number <= line for line in under)


def count(quotes: Iterable[str], bookmakers: list[str]) -> list[Found]:
    """Return the opportunities among lines of quotes."""
    operators, profiles = read_operators(bookmakers), read_profiles(bookmakers)
    return list(Count(read_quotes(quotes), profiles, operators).found())


def main() -> None:
    """Print how many there are of each kind."""
    with Path(sys.argv[1]).open() as quotes, Path(sys.argv[2]).open() as bookmakers:
        found = count(quotes, bookmakers.readlines())
    print(dict(Counter(each.kind for each in found)))


if __name__ == "__main__":
    main()
