"""What a bookmaker would offer on a game: the reference, bookmakers with habits, copycats."""

from collections.abc import Callable
from types import MappingProxyType
from typing import Final, NamedTuple, Protocol

from oddsdesk.feeds.simulator.assortment import REFERENCE, Assortment, assortment
from oddsdesk.feeds.simulator.fixtures import BookmakerProfile, Habit
from oddsdesk.feeds.simulator.game import Game, View
from oddsdesk.feeds.simulator.groups import Group, MarketKey
from oddsdesk.feeds.simulator.prices import Pricer, reference_margin, reference_prices

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
    """Prices that would move by less than this share stay as they are."""

    def offers(self, game: Game, view: View, opinions: Opinions) -> Offers:
        """Return every market with its prices."""
        ...

    def liquidity(self, game: Game, key: MarketKey, now_ms: int) -> float | None:
        """Return the largest bet, None where it is not shown."""
        ...


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
    """A bookmaker with an assortment, a margin and opinions of its own."""

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


HOUR_MS: Final = 3_600_000

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
