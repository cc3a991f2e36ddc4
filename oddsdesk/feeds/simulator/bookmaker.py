"""A bookmaker of the simulator: what it offers on each game and its rounds of scrapes."""

from collections.abc import Iterator
from random import Random

from oddsdesk.contract.quotes import Quote
from oddsdesk.feeds.simulator.fixtures import BookmakerProfile, Habit
from oddsdesk.feeds.simulator.game import Game
from oddsdesk.feeds.simulator.listing import Listing
from oddsdesk.feeds.simulator.price_books import PriceBook
from oddsdesk.feeds.simulator.sports import MINUTE_MS

_HOUR_MS = 60 * MINUTE_MS
_PAUSE_CHANCE = 0.07


class Bookmaker:
    """Scrapes its games in rounds: those in play each time, far ones less often."""

    def __init__(self, profile: BookmakerProfile, prices: PriceBook) -> None:
        self.profile = profile
        self.listings: dict[Game, Listing] = {}
        self._prices = prices
        self._round = 0

    def list_game(self, game: Game, random: Random) -> Listing | None:
        """Take a game into the programme, unless the bookmaker does not cover it."""
        if random.random() >= self.profile.coverage:
            return None
        phase = random.randrange(24)
        listing = Listing(self.profile, self._prices, game, phase, random)
        self.listings[game] = listing
        return listing

    def interval_ms(self, random: Random) -> int:
        """Return how long it is until the next round; a stale bookmaker may stop for minutes."""
        if self.profile.habit is Habit.STALE and random.random() < _PAUSE_CHANCE:
            return round(random.uniform(4, 13) * MINUTE_MS)
        return round(self.profile.cadence_s * random.uniform(0.85, 1.15) * 1000)

    def age_ms(self, game: Game, now_ms: int, random: Random) -> int:
        """Return how long ago a game may have been scraped when one starts to look."""
        rounds = _rounds(game, now_ms)
        if self.profile.habit is Habit.STALE:
            return round(random.uniform(4, 5) * MINUTE_MS)
        return round(self.profile.cadence_s * rounds * random.uniform(0, 900))

    def scrape(self, now_ms: int) -> Iterator[Quote]:
        """Yield what one round of the bookmaker sees."""
        self._round += 1
        for game, listing in list(self.listings.items()):
            if (self._round + listing.phase) % _rounds(game, now_ms):
                continue
            yield from listing.quotes(now_ms)
            if game.over:
                del self.listings[game]


def _rounds(game: Game, now_ms: int) -> int:
    """Return in how many rounds of scrapes a game comes up once."""
    if game.live or game.over:
        return 1
    to_start = game.kickoff_ms - now_ms
    if to_start < 2 * _HOUR_MS:
        return 3
    return 6 if to_start < 24 * _HOUR_MS else 8
