"""From true probabilities to a bookmaker's prices: margins, opinions and habits."""

import math
from collections.abc import Callable
from types import MappingProxyType
from typing import Final, NamedTuple, Protocol

import msgspec

from oddsdesk.contract.markets import MARKET_TYPES
from oddsdesk.contract.times import HOUR_MS
from oddsdesk.feeds.simulator.fixtures import BookmakerProfile, Habit, Offer
from oddsdesk.feeds.simulator.game import Game, View
from oddsdesk.feeds.simulator.groups import Axis, Group, MarketKey

_REFERENCE_MARGIN: Final = MappingProxyType(
    {
        "moneyline": 0.0215,
        "spread": 0.022,
        "total": 0.0225,
        "draw_no_bet": 0.024,
        "btts": 0.026,
        "games_handicap": 0.025,
        "total_games": 0.025,
    }
)
_OTHER_MARGIN: Final = 0.029
_LIVE_MARGIN: Final = 0.004
_FACTOR: Final = MappingProxyType(
    {"moneyline": 1.0, "spread": 0.9, "total": 0.9, "player_prop": 1.6, "3way_handicap": 1.3}
)
_OTHER_FACTOR: Final = 1.15
_SHADE: Final = 0.07
"""The share by which a certain favourite would be shortened beyond the margin; even odds by 0."""


def reference_margin(key: MarketKey, live: bool) -> float:
    """Return S - 1 of the reference's line groups in a market."""
    margin = _REFERENCE_MARGIN.get(key.market_type, _OTHER_MARGIN)
    return margin + _LIVE_MARGIN if live else margin


def reference_prices(group: Group, margin: float) -> list[float]:
    """Return sharp prices: the margin is spread evenly over the outcomes.

    That is the margin-proportional-to-odds form, which the default devig method undoes.
    """
    load = margin * sum(group.probabilities) / len(group.probabilities)
    return [thousandths(1 / (chance + load)) for chance in group.probabilities]


class Pricer:
    """How one bookmaker prices a line group."""

    def __init__(self, profile: BookmakerProfile) -> None:
        self._margin = profile.margin
        self._shade = _SHADE if profile.habit is Habit.SHADER else 0.0
        self._ladder = LADDERS[profile.ladder]

    def margin(self, key: MarketKey, live: bool) -> float:
        """Return S - 1 of this bookmaker's line groups in a market."""
        factor = _FACTOR.get(key.market_type, _OTHER_FACTOR)
        if key.period:
            factor *= 1.15
        return self._margin * (factor * 1.15 if live else factor)

    def prices(
        self, group: Group, margin: float, side_opinion: float, size_opinion: float
    ) -> list[float]:
        """Return prices in the group's order; opinions are relative errors of probability."""
        opinion = side_opinion if group.axis is Axis.SIDE else size_opinion
        chances = group.probabilities
        believed = [
            chance * (1 + opinion * tilt) for chance, tilt in zip(chances, group.tilts, strict=True)
        ]
        total = sum(chances)
        scale = total * (1 + margin) / sum(believed)
        even, shade, ladder = total / len(chances), self._shade, self._ladder
        return [
            ladder(1 / (chance * scale * (1 + shade * max(0.0, chance - even))))
            for chance in believed
        ]

    def copied(self, price: float) -> float:
        """Return a price taken from another bookmaker, a little shorter."""
        return self._ladder(price * 0.99)

    def set_price(self, price: float) -> float:
        """Return a price on this bookmaker's ladder."""
        return self._ladder(price)


_LOWEST: Final = 1.01
_HAIR: Final = 2e-4
"""Relative error that four decimals leave: what is on the ladder already stays there."""
_EXCHANGE: Final = ((2, 0.01), (3, 0.02), (4, 0.05), (6, 0.1), (10, 0.2), (20, 0.5), (1e9, 1.0))


def _floor(raw: float, step: float) -> float:
    """Round down, as bookmakers do, but not for an error of floating point."""
    return round(math.floor(raw / step + 1e-6) * step, 3)


def thousandths(raw: float) -> float:
    """Three decimals below 3, two above: the reference's own ladder."""
    return max(round(raw, 3 if raw < 3 else 2), 1.001)


def _cents(raw: float) -> float:
    step = 0.01 if raw < 6 else 0.1 if raw < 15 else 0.5
    return max(_floor(raw, step), _LOWEST)


def _twentieths(raw: float) -> float:
    step = 0.01 if raw < 1.2 else 0.05 if raw < 5 else 0.25
    return max(_floor(raw, step), _LOWEST)


def _american(raw: float) -> float:
    """Whole American odds in steps of 1 below 200 and of 5 above."""
    line = (raw - 1) * 100 if raw >= 2 else 100 / max(raw - 1, 0.001)
    step = 1 if line < 200 else 5
    if raw >= 2:
        return round(1 + _floor(line, step) / 100, 4)
    return max(round(1 + 100 / (math.ceil(line * (1 - _HAIR) / step) * step), 4), _LOWEST)


def _exchange(raw: float) -> float:
    step = next(step for limit, step in _EXCHANGE if raw < limit)
    return max(round(round(raw / step) * step, 2), _LOWEST)


def _probability(raw: float) -> float:
    """Whole cents a share that pays one dollar."""
    cents = min(max(math.ceil(100 / raw * (1 - _HAIR)), 1), 99)
    return round(100 / cents, 4)


LADDERS: Final = MappingProxyType(
    {
        "thousandths": thousandths,
        "cents": _cents,
        "twentieths": _twentieths,
        "american": _american,
        "exchange": _exchange,
        "probability": _probability,
    }
)


class Assortment(msgspec.Struct, frozen=True):
    """Markets, how many lines around the main one, whether parts of games and Asian lines."""

    market_types: frozenset[str]
    widest_rank: int
    widest_live_rank: int
    last_period: int
    asian: bool = False
    variant: str = "overtime"

    def has(self, key: MarketKey) -> bool:
        """Whether the bookmaker prices this market."""
        return (
            key.market_type in self.market_types
            and key.period <= self.last_period
            and key.variant in ("", self.variant)
        )

    def lines(self, groups: tuple[Group, ...], live: bool) -> list[Group]:
        """Return those of a market's line groups that the bookmaker prices."""
        widest = self.widest_live_rank if live else self.widest_rank
        return [
            group for group in groups if group.rank <= widest and (self.asian or not group.asian)
        ]


_ALL: Final = frozenset(MARKET_TYPES)
_CORE: Final = frozenset({"moneyline", "spread", "total", "total_games", "games_handicap"})
_POPULAR: Final = _CORE | {"btts", "double_chance", "draw_no_bet", "team_total"}

REFERENCE: Final = Assortment(_ALL, 2, 2, 4, asian=True)

_OFFERS: Final = MappingProxyType(
    {
        Offer.FULL: (_ALL, 1, 1, 4, False),
        Offer.POPULAR: (_POPULAR, 1, 0, 1, False),
        Offer.CORE: (_CORE, 0, 0, 0, False),
        Offer.ASIAN: (_CORE, 2, 1, 1, True),
        Offer.EXCHANGE: (_CORE | {"btts", "draw_no_bet"}, 1, 0, 1, False),
        Offer.PREDICTION: (frozenset({"moneyline", "btts", "yes_no"}), 0, 0, 0, False),
    }
)


def assortment(profile: BookmakerProfile) -> Assortment:
    """Return what a bookmaker of this profile prices."""
    types, rank, live_rank, last_period, asian = _OFFERS[profile.offer]
    variant = "regulation" if profile.regulation else "overtime"
    return Assortment(types, rank, live_rank, last_period, asian, variant)


_STICKS = 0.012
_SLOW_STICKS = 0.03
_REFERENCE_STICKS = 0.003

Odds = dict[str, float]
Offers = dict[MarketKey, Odds]


class Opinions(NamedTuple):
    """A bookmaker's relative errors about a game: who wins, how much is scored."""

    side: float
    size: float


class PriceBook(Protocol):
    """What a bookmaker would offer, given what it knows."""

    sticks: float
    """Prices that would move by less than this share do not move."""

    def offers(self, game: Game, view: View, opinions: Opinions) -> Offers:
        """Return every market with its prices."""

    def liquidity(self, game: Game, key: MarketKey, now_ms: int) -> float | None:
        """Return the largest bet, None where it is not shown."""


class ReferencePrices:
    """The sharp reference: every market and line, a small margin, limits shown."""

    sticks = _REFERENCE_STICKS

    def offers(self, game: Game, view: View, opinions: Opinions) -> Offers:
        """Return every market with its prices."""
        offers: Offers = {}
        for key, groups in view.markets.items():
            if not REFERENCE.has(key):
                continue
            margin = reference_margin(key, view.live)
            odds = offers[key] = {}
            for group in groups:
                odds.update(zip(group.selections, reference_prices(group, margin), strict=True))
        return offers

    def liquidity(self, game: Game, key: MarketKey, now_ms: int) -> float | None:
        """Return the largest bet."""
        limit = game.competition.limit
        return largest_bet(limit, key, game.kickoff_ms - now_ms, game.live)


class HabitPrices:
    """A bookmaker with its own games, margin and opinions."""

    def __init__(self, profile: BookmakerProfile) -> None:
        self._pricer = Pricer(profile)
        self._assortment: Assortment = assortment(profile)
        self.sticks = _SLOW_STICKS if profile.habit is Habit.SLOW else _STICKS

    def offers(self, game: Game, view: View, opinions: Opinions) -> Offers:
        """Return every market with its prices."""
        offers: Offers = {}
        for key, groups in view.markets.items():
            if not self._assortment.has(key):
                continue
            lines = self._assortment.lines(groups, view.live)
            if lines:
                margin = self._pricer.margin(key, view.live)
                offers[key] = self._odds(lines, margin, opinions)
        return offers

    def liquidity(self, game: Game, key: MarketKey, now_ms: int) -> float | None:
        """Bookmakers do not tell their limits."""
        return None

    def _odds(self, lines: list[Group], margin: float, opinions: Opinions) -> Odds:
        odds: Odds = {}
        for group in lines:
            prices = self._pricer.prices(group, margin, opinions.side, opinions.size)
            odds.update(zip(group.selections, prices, strict=True))
        return odds


class CopiedPrices:
    """A bookmaker that takes what another one says, a little shorter."""

    def __init__(self, profile: BookmakerProfile, source: Callable[[Game], Offers]) -> None:
        self._pricer = Pricer(profile)
        self._assortment = assortment(profile)
        self._source = source
        self.sticks = _STICKS

    def offers(self, game: Game, view: View, opinions: Opinions) -> Offers:
        """Return every market that the other bookmaker has."""
        copied = self._source(game)
        return {
            key: {name: self._pricer.copied(price) for name, price in odds.items()}
            for key, odds in copied.items()
            if self._assortment.has(key)
        }

    def liquidity(self, game: Game, key: MarketKey, now_ms: int) -> float | None:
        """Bookmakers do not tell their limits."""
        return None


_SHARE: Final = MappingProxyType(
    {"moneyline": 1.0, "spread": 1.0, "total": 0.7, "total_games": 0.5, "games_handicap": 0.5}
)
_OTHER_SHARE: Final = 0.2
_PROP_SHARE: Final = 0.05
_BY_HOURS: Final = ((1, 1.0), (6, 0.8), (24, 0.5), (48, 0.25))
_EARLY: Final = 0.12
_LIVE: Final = 0.35


def largest_bet(limit: float, key: MarketKey, to_start_ms: int, live: bool) -> float:
    """Return the maximum bet of a market, rounded to what a bookmaker would print.

    ``limit`` is that of the competition's main market at kick-off; limits rise towards it.
    """
    share = _SHARE.get(key.market_type, _OTHER_SHARE)
    if key.market_type == "player_prop":
        share = _PROP_SHARE
    if key.period:
        share *= 0.4
    hours = to_start_ms / HOUR_MS
    when = _LIVE if live else next((value for most, value in _BY_HOURS if hours <= most), _EARLY)
    amount = limit * share * when
    step = 500 if amount >= 5_000 else 50 if amount >= 500 else 10
    return float(max(round(amount / step) * step, step))
