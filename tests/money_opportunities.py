"""Arbitrage, low hold and middles of one moment, counted straight from quotes (D59).

Shares no code with `oddsdesk`: a check of `oddsdesk arbitrage` that tries
everything where the program is clever.

    python -m tests.money_opportunities quotes.ndjson resources/bookmakers.csv
"""

import csv
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cache
from itertools import combinations, product
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
from tests.money_rows import OVERTIME_MARKETS, OVERTIME_SPORTS, REFERENCE, Fair, Moment, line_doubts

WINNER = ("moneyline", "double_chance", "draw_no_bet", "spread", "3way_handicap")
"""In football before the game their bets are compared with each other, score by score."""
MARGINS = range(-15, 16)
CHANCES = {"1X": (1, 1, -1), "X2": (-1, 1, 1), "12": (1, -1, 1)}
"""What each pays at a home win, a draw and an away win."""
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
        winners: defaultdict[tuple, list[Quote]] = defaultdict(list)
        for quote in quotes:
            self._markets[quote.market].append(quote)
            if quote.market_type in WINNER:
                winners[quote.game, quote.period].append(quote)
        self._winners = winners

    def found(self) -> Iterator[Found]:
        for (game, period), quotes in self._winners.items():
            usable = [quote for quote in quotes if self._is_usable(quote)]
            football = [quote for quote in usable if _is_pooled(quote)]
            yield from self._pooled((game, "winner", period), football)
            others = [quote for quote in usable if not _is_pooled(quote)]
            yield from self._with_chances((game, "winner", period), others)
        for market, quotes in self._markets.items():
            usable = [quote for quote in quotes if self._is_usable(quote) and not _is_pooled(quote)]
            if not usable or market[1] == "double_chance":
                continue
            groups = {read[0] for quote in usable for read in quote.sides.values() if read}
            for group in groups:
                for cover in self._covers(usable[0], group):
                    yield from self._covering(market, usable, group, cover)
            for about in {group[0] for group in groups}:
                lines = sorted(
                    group[1] for group in groups if group[0] == about and group[1] is not None
                )
                yield from self._middles(market, usable, about, lines)

    def _pooled(self, market: tuple, quotes: list[Quote]) -> Iterator[Found]:
        """Pairs and triples of bets that cover every margin of victory, and middles."""
        offers: defaultdict[tuple, list[Offer]] = defaultdict(list)
        for quote in quotes:
            has_draw = quote.market_type in ("moneyline", "3way_handicap")
            cover = (HOME, DRAW, AWAY) if has_draw else (HOME, AWAY)
            for group, side in filter(None, _sides(quote).values()):
                paid = _shares(quote.market_type, group[1], side)
                for offer in self._offers([quote], group, side, cover):
                    offers[paid].append(offer)
                for offer in self._lays([quote], group, side, cover):
                    offers[tuple(-each for each in paid)].append(offer)
        pairs = [bets for bets in combinations(offers, 2) if _are_opposite(*bets)]
        triples = [
            bets
            for bets in combinations(offers, 3)
            if all(sorted(paid) == [-1, -1, 1] for paid in zip(*bets, strict=True))
        ]
        for bets in (*pairs, *triples):
            in_order = sorted(bets, key=_from_home_to_away)
            yield from self._set_of(market, [offers[bet] for bet in in_order])
        lines = [number / 4 for number in range(-40, 41)]
        above = {line: bet for line in lines if (bet := _shares("spread", -line, HOME)) in offers}
        below = {line: bet for line in lines if (bet := _shares("spread", -line, AWAY)) in offers}
        for one, other in product(above, below):
            legs = [offers[above[one]], offers[below[other]]]
            yield from self._middle(market, "", (one, other), legs, self._margin)

    def _margin(self, market: tuple, _about: str, line: float) -> Fair | None:
        """The reference's fair chance of a margin above a line."""
        game, _, period = market
        spread, result = (
            self._fair_of((game, each, period), live=False) for each in ("spread", "moneyline")
        )
        if fair := spread.get((("", -line), HOME)):
            return fair
        home, away = (result.get((("", None), side)) for side in (HOME, AWAY))
        if line == 0.5:
            return home
        if away and line == -0.5:
            return replace(away, odds=1 / (1 - 1 / away.odds))
        return None

    def _with_chances(self, market: tuple, quotes: list[Quote]) -> Iterator[Found]:
        """Sets of a three-way match result and double chance; elsewhere other bets may differ."""
        results = [quote for quote in quotes if quote.market_type == "moneyline"]
        chances = [quote for quote in quotes if quote.market_type == "double_chance"]
        for side, chance in ((HOME, "X2"), (AWAY, "1X"), (DRAW, "12")):
            legs = [
                self._offers(results, ("", None), side, (HOME, DRAW, AWAY)),
                [
                    *self._offers(chances, ("", None), chance, ()),
                    *self._lays(results, ("", None), side, (HOME, DRAW, AWAY)),
                ],
            ]
            yield from self._set_of(market, legs if side == HOME else legs[::-1])

    def _set_of(self, market: tuple, offered: list[list[Offer]]) -> Iterator[Found]:
        nets = self._best(offered, [])
        if nets is not None and (total := _total(nets)) <= 1 + LOW:
            stakes = _stakes(nets)
            kind = "arbitrage" if _share(stakes, nets) >= WINS else "low-hold"
            yield Found(kind, market, (), (), total, stakes)

    def _is_usable(self, quote: Quote) -> bool:
        age = self._moment.now - quote.seen
        started = not quote.live and quote.kickoff is not None and self._moment.now > quote.kickoff
        readable = None not in _sides(quote).values()
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
            no_draw = handicap and quotes[0].sport in OVERTIME_SPORTS and market[2] == 0
            offers = [
                self._offers(quotes, (about, line), side, sides)
                for line, side in ((one, sides[0]), (other, sides[1]))
            ]
            yield from self._middle(
                market,
                about,
                (above, below),
                offers,
                self._above,
                impossible={0} if no_draw and market[1] == "spread" else set(),
                groups=((about, one), (about, other)),
            )

    def _middle(
        self,
        market: tuple,
        about: str,
        lines: tuple[float, float],
        offers: list[list[Offer]],
        fair_above: Callable[[tuple, str, float], Fair | None],
        impossible: Collection[int] = (),
        groups: tuple[Group, ...] = (),
    ) -> Iterator[Found]:
        around = range(int(min(lines)) - 3, int(max(lines)) + 4)
        hits = [each for each in around if _safe(each, *lines) and each not in impossible]
        if lines[0] >= lines[1] or not hits:
            return
        nets = self._best(offers, list(groups))
        if nets is None:
            return
        found = [fair_above(market, about, line) for line in (hits[0] - 0.5, hits[-1] + 0.5)]
        chance = _chance(found)
        results = _results(nets, lines, around)
        loss, hit = -min(results.values()), min(results[number] for number in hits)
        cheap = _total(nets) - 1 <= LOW
        gains = chance is not None and chance * hit >= (1 - chance) * loss
        if hit > 0 and (cheap or gains):
            yield Found("middle", market, groups, (), _total(nets), _stakes(nets), chance)

    def _above(self, market: tuple, about: str, line: float) -> Fair | None:
        fair = self._fair_of(market, live=False) or self._fair_of(market, live=True)
        handicap = market[1] in HANDICAPS
        return fair.get(((about, -line), HOME) if handicap else ((about, line), OVER))

    def _fair_of(self, market: tuple, *, live: bool) -> dict[tuple[Group, str], Fair]:
        age = timedelta(seconds=60 if live else 180)
        for quote in self._markets.get(market, []):
            if quote.bookmaker == REFERENCE and quote.live is live:
                return self._moment._fair(quote) if self._moment.now - quote.seen <= age else {}
        return {}

    def _offers(
        self, quotes: list[Quote], group: Group, side: str, cover: tuple[str, ...]
    ) -> list[Offer]:
        """Prices on a side; on one of two sides also lays of the other."""
        offers = [
            self._offer(quote, text, self._profile(quote).net(quote.odds[text]))
            for quote, text in self._quoted(quotes, group, side, cover)
        ]
        if len(cover) == 2 and not any(_is_pooled(quote) for quote in quotes):
            (other,) = set(cover) - {side}
            offers += self._lays(quotes, group, other, cover)
        return offers

    def _lays(
        self, quotes: list[Quote], group: Group, side: str, cover: tuple[str, ...]
    ) -> list[Offer]:
        """Lays of a side, which win where it loses."""
        return [
            self._offer(quote, text, self._profile(quote).net_against(quote.lays[text]))
            for quote, text in self._quoted(quotes, group, side, cover)
            if text in quote.lays
        ]

    def _quoted(
        self, quotes: list[Quote], group: Group, side: str, cover: tuple[str, ...]
    ) -> Iterator[tuple[Quote, str]]:
        for quote in quotes:
            own = {
                read[1]: text for text, read in _sides(quote).items() if read and read[0] == group
            }
            if line_doubts(quote, group):
                continue
            if side in own and _bets_on(quote, set(own), cover):
                yield quote, own[side]

    def _profile(self, quote: Quote) -> Profile:
        return self._profiles.get(quote.bookmaker, Profile())

    def _offer(self, quote: Quote, text: str, net: float) -> Offer:
        name = quote.bookmaker
        regulation = self._moment._prices_three_way(quote.game, name)
        return Offer(quote, self._operators.get(name, name), text, net, regulation)

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


def _is_pooled(quote: Quote) -> bool:
    return quote.sport == "Football" and not quote.live and quote.market_type in WINNER


def _from_home_to_away(shares: tuple[float, ...]) -> tuple[float, int]:
    """By the average margin that a bet wins at, then the bet that wins at more margins first."""
    won = [margin for margin, share in zip(MARGINS, shares, strict=True) if share > 0]
    return -sum(won) / len(won), -len(won)


def _are_opposite(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return all(paid == -lost for paid, lost in zip(one, other, strict=True))


def _sides(quote: Quote) -> dict[str, tuple[Group, str] | None]:
    if quote.market_type != "double_chance":
        return quote.sides
    known = {text: text.upper() for text in quote.odds}
    return {text: (("", None), side) if side in CHANCES else None for text, side in known.items()}


@cache
def _shares(market_type: str, line: float | None, side: str) -> tuple[float, ...]:
    """The share of a stake that a football bet wins at each margin: 1, 0.5, 0, -0.5 or -1."""
    return tuple(_share_at(market_type, line or 0.0, side, margin) for margin in MARGINS)


def _share_at(market_type: str, line: float, side: str, margin: int) -> float:
    if market_type == "double_chance":
        return CHANCES[side][0 if margin > 0 else 1 if margin == 0 else 2]
    if market_type in ("moneyline", "3way_handicap"):
        moved = margin + line
        return 1 if side == (HOME if moved > 0 else AWAY if moved < 0 else DRAW) else -1
    halves = [margin + part for part in _parts(line)]
    signs = [(half > 0) - (half < 0) for half in halves]
    return sum(signs) / 2 if side == HOME else -sum(signs) / 2


def _chance(found: list[Fair | None]) -> float | None:
    low, high = found
    if low is None or high is None or low.total < 1 or high.total < 1:
        return None
    chance = 1 / low.odds - 1 / high.odds
    return chance if chance >= 0 else None


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
        and (quote.market_type != "spread" or any(abs(line or 0) < 1.5 for _, line in groups))
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
