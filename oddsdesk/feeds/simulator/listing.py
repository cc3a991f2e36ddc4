"""One game at one bookmaker: what is offered now and what changes with a scrape."""

from collections.abc import Iterator
from random import Random

import msgspec

from oddsdesk.contract.identity import slug
from oddsdesk.contract.quotes import Quote
from oddsdesk.feeds.simulator.fixtures import BookmakerProfile, Habit
from oddsdesk.feeds.simulator.game import Game
from oddsdesk.feeds.simulator.groups import MarketKey
from oddsdesk.feeds.simulator.price_books import Odds, Offers, Opinions, PriceBook

_SIDE_OPINION = 0.007
_SIZE_OPINION = 0.006


class Slip(msgspec.Struct, frozen=True):
    """A price that differs from the rest on purpose, until a time."""

    key: MarketKey
    selection: str
    price: float
    until_ms: int


class Listing:
    """A game in a bookmaker's programme; ``offers`` is what it said last."""

    def __init__(
        self, profile: BookmakerProfile, prices: PriceBook, game: Game, phase: int, random: Random
    ) -> None:
        self.game = game
        self.phase = phase
        self._opinions = Opinions(random.gauss(0, _SIDE_OPINION), random.gauss(0, _SIZE_OPINION))
        self.offers: Offers = {}
        self.slip: Slip | None = None
        self._profile = profile
        self._prices = prices
        self._serial = 0
        self._live = False
        host = "".join(
            letter for letter in profile.name.lower() if letter.isascii() and letter.isalnum()
        )
        path = f"{slug(game.competition.code.lower())}/{slug(game.match_name)}"
        self._url = f"https://{host}.example/{path}"

    def quotes(self, now_ms: int) -> Iterator[Quote]:
        """Yield a quote a market: new, confirmed or withdrawn."""
        offers = self._present(now_ms)
        withdrawn = self.offers.keys() - offers.keys()
        gone = sorted(withdrawn) if withdrawn else ()
        self.offers = offers
        for key in gone:
            yield self._quote(key, {}, now_ms)
        for key, odds in offers.items():
            yield self._quote(key, odds, now_ms)

    def place(self, slip: Slip) -> None:
        """Let one price stand apart from the rest at the next scrape."""
        self.slip = slip
        self._serial = 0

    def _present(self, now_ms: int) -> Offers:
        game = self.game
        closed = game.over or game.suspended(now_ms) or (game.live and not self._profile.live)
        if closed:
            self._serial = 0
            return {}
        if self.slip is not None and now_ms >= self.slip.until_ms:
            self.slip = None
            self._serial = 0
        view = game.view(now_ms - round(self._profile.lag_s * 1000))
        self._live = view.live
        copies = self._profile.habit is Habit.COPYCAT
        if view.serial == self._serial and not copies:
            return self.offers
        self._serial = view.serial
        return self._steadied(self._prices.offers(game, view, self._opinions))

    def _steadied(self, wanted: Offers) -> Offers:
        """Keep prices that hardly move, and the slip's price apart."""
        slip = self.slip
        for key, odds in wanted.items():
            present = self.offers.get(key)
            if slip is not None and slip.key == key and slip.selection in odds:
                odds[slip.selection] = slip.price
            elif present is not None and _close(present, odds, self._prices.sticks):
                wanted[key] = present
        return wanted

    def _quote(self, key: MarketKey, odds: Odds, now_ms: int) -> Quote:
        game = self.game
        return Quote(
            self._profile.name,
            game.match_name,
            game.competition.code,
            key.market_type,
            key.period,
            odds,
            now_ms,
            self._live,
            game.kickoff_ms,
            self._url,
            self._prices.liquidity(game, key, now_ms) if odds else None,
        )


def _close(present: Odds, wanted: Odds, share: float) -> bool:
    if present.keys() != wanted.keys():
        return False
    return all(abs(present[name] / price - 1) < share for name, price in wanted.items())
