"""The simulator: a feed of made-up bookmakers pricing made-up games, with their results."""

import asyncio
import heapq
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

import msgspec

from oddsdesk.base.clock import Clock
from oddsdesk.contract.identity import slug
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.results import GameResult, GameStatus, Reported
from oddsdesk.contract.times import HOUR_MS
from oddsdesk.feeds.simulator import prices
from oddsdesk.feeds.simulator.fixtures import (
    MINUTE_MS,
    BookmakerProfile,
    Fixtures,
    Habit,
    Offer,
    load_fixtures,
)
from oddsdesk.feeds.simulator.game import Game, Schedule, View
from oddsdesk.feeds.simulator.groups import Group, MarketKey
from oddsdesk.feeds.simulator.prices import (
    Odds,
    Offers,
    Opinions,
    PriceBook,
    Pricer,
    reference_margin,
)

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

    def place_slip(self, slip: Slip) -> None:
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
    if to_start < 2 * HOUR_MS:
        return 3
    return 6 if to_start < 24 * HOUR_MS else 8


_FLOOR = 1.01
_LEAST_EDGE = 1.013
_MOST_EDGE = 1.055
_NEAR_MISS = (1.001, 1.008)
_OUTLIER = (1.18, 1.45)
_LEAST_PAYOUT = 0.992
_VALUE_SHARE = 0.55
_NEAR_SHARE = 0.8
_UNVALUED = frozenset({"player_prop", "double_chance"})
_ATTEMPTS = 6


class _Candidate(NamedTuple):
    key: MarketKey
    group: Group
    place: int

    @property
    def chance(self) -> float:
        return self.group.probabilities[self.place]


def find_slip(listing: Listing, pricer: Pricer, now_ms: int, random: Random) -> Slip | None:
    """Return a price of a listing to set apart, None if none fits this time."""
    view = listing.game.view(now_ms)
    candidates = [c for c in _candidates(listing, view) if 0.15 <= c.chance <= 0.75]
    if not candidates:
        return None
    until_ms = now_ms + round(random.uniform(2, 7) * MINUTE_MS)
    for _ in range(_ATTEMPTS):
        candidate = random.choice(candidates)
        price = pricer.set_price(_target(candidate, view.live, random))
        if price > listing.offers[candidate.key][candidate.group.selections[candidate.place]]:
            return Slip(candidate.key, candidate.group.selections[candidate.place], price, until_ms)
    return None


def _candidates(listing: Listing, view: View) -> Iterator[_Candidate]:
    for key, groups in view.markets.items():
        odds = listing.offers.get(key)
        if odds is None or key.market_type in _UNVALUED:
            continue
        for group in groups:
            if all(selection in odds for selection in group.selections):
                yield from (_Candidate(key, group, i) for i in range(len(group.selections)))


def _target(candidate: _Candidate, live: bool, random: Random) -> float:
    """Return the price aimed at, by the contract's rules and the reference's margin."""
    fair = 1 / candidate.chance
    draw = random.random()
    if draw < _VALUE_SHARE:
        margin = reference_margin(candidate.key, live)
        others = 1 - candidate.chance + margin * (1 - 1 / len(candidate.group.selections))
        most = min(1 / (_LEAST_PAYOUT - others), fair * _FLOOR * _MOST_EDGE)
        return random.uniform(min(fair * _FLOOR * _LEAST_EDGE, most), most)
    edges = _NEAR_MISS if draw < _NEAR_SHARE else _OUTLIER
    return fair * _FLOOR * random.uniform(*edges)


_OPENING_BATCH = 400
_BATCH = 600
_OPENING_PAUSE_S = 0.1
"""Pause between the first batches, so that a starting window gets the interpreter, too."""
_LONGEST_PAUSE_S = 0.5
_SHORTEST_PAUSE_S = 0.1

Sleep = Callable[[float], Awaitable[object]]
"""Waits a number of seconds."""


class Simulator:
    """Simulated odds around a sharp reference; the same seed and clock give the same quotes.

    Games go in play and end with results; a few are postponed, then played later or cancelled, and
    a few tennis players retire.
    """

    name = "simulator"
    simulated = True
    recorded_at = None
    is_over = False
    origin = None

    def __init__(
        self, reference: str = "Pinnacle", seed: int | None = None, *, sleep: Sleep = asyncio.sleep
    ) -> None:
        self._reference = reference
        self._seed = seed
        self._sleep = sleep

    async def batches(self, clock: Clock) -> AsyncGenerator[list[Reported], None]:
        """Yield the whole market at once, soonest games first, then every scrape as it falls due.

        No slice between two awaits holds the loop for more than a few milliseconds.
        """
        random = Random(self._seed)  # noqa: S311 - a game, not a secret
        world = World(load_fixtures(), self._reference, random, clock())
        batch: list[Reported] = []
        for reported in world.opening():
            batch += reported
            if len(batch) >= _OPENING_BATCH:
                yield batch
                batch = []
                await self._sleep(_OPENING_PAUSE_S)
            await self._sleep(0)
        while True:
            for reported in world.until(clock()):
                batch += reported
                if len(batch) >= _BATCH:
                    yield batch
                    batch = []
                await self._sleep(0)
            if batch:
                yield batch
                batch = []
            pause_s = (world.next_ms - clock()) / 1000
            await self._sleep(min(max(pause_s, _SHORTEST_PAUSE_S), _LONGEST_PAUSE_S))


_LATE_MS = 60_000
"""After a longer pause (a sleeping computer) the world goes on from the present."""
_SLIP_CHANCE = 0.035
_FIRST_SLIP_CHANCE = 0.018


@dataclass(order=True, slots=True)
class _Event:
    at_ms: int
    number: int
    subject: Game | Bookmaker = field(compare=False)


class World:
    """The simulated market; moves only when given the time (milliseconds)."""

    def __init__(self, fixtures: Fixtures, reference: str, random: Random, now_ms: int) -> None:
        self._random = random
        self._now_ms = now_ms
        self._schedule = Schedule(fixtures.players, random)
        self._slots = self._schedule.first_slots(fixtures.competitions, now_ms)
        self._events: list[_Event] = []
        self._numbers = 0
        self.games: list[Game] = []
        self.bookmakers = _bookmakers(fixtures, reference)
        self._pricers = {
            bookmaker.profile.name: prices.Pricer(bookmaker.profile)
            for bookmaker in self.bookmakers
        }

    @property
    def next_ms(self) -> int:
        """When something happens next."""
        return self._events[0].at_ms

    def opening(self) -> Iterator[list[Reported]]:
        """Make the games of the start, a slice each, the soonest first."""
        for bookmaker in self.bookmakers:
            cadence_ms = bookmaker.profile.cadence_s * 1000
            self._push(self._now_ms + round(self._random.random() * cadence_ms), bookmaker)
        for slot in self._slots:
            game = self._schedule.make_game(slot, self._now_ms)
            news = self._add(game, self._now_ms, already_going=True)
            yield [*self._first_quotes(game), *news]

    def until(self, now_ms: int) -> Iterator[list[Reported]]:
        """Let happen what is due by now, a slice an event.

        Where the clock was put back, all that was to come is to come as soon as before.
        """
        back_ms, self._now_ms = self._now_ms - now_ms, now_ms
        if back_ms > _LATE_MS:
            for event in self._events:
                event.at_ms -= back_ms
        while self._events[0].at_ms <= now_ms:
            event = heapq.heappop(self._events)
            at_ms = max(event.at_ms, now_ms - _LATE_MS)
            if isinstance(event.subject, Bookmaker):
                yield self._scrape(event.subject, at_ms)
            elif event.subject.postponed:
                yield list(self._decide(event.subject, at_ms))
            else:
                yield list(self._advance(event.subject, at_ms))

    def _scrape(self, bookmaker: Bookmaker, at_ms: int) -> list[Reported]:
        if self._random.random() < _SLIP_CHANCE and bookmaker.listings:
            game = self._random.choice(list(bookmaker.listings))
            self._slip(bookmaker, game, at_ms)
        quotes: list[Reported] = list(bookmaker.scrape(at_ms))
        self._push(at_ms + bookmaker.interval_ms(self._random), bookmaker)
        return quotes

    def _advance(self, game: Game, at_ms: int) -> list[GameResult]:
        """Play on; return what is reported of the game."""
        following_ms = game.advance(at_ms, self._random)
        if game.postponed:
            following_ms = self._schedule.decided_ms(at_ms)
        if game.postponed or not game.over:
            self._push(following_ms, game)
            return game.news(at_ms)
        return [*game.news(at_ms), *self._replace(game, at_ms)]

    def _decide(self, game: Game, at_ms: int) -> list[GameResult]:
        """Find a new time for a postponed game, or cancel it."""
        moved = self._schedule.new_date(game, at_ms)
        if moved is None:
            return [game.result(GameStatus.CANCELLED, at_ms), *self._replace(game, at_ms)]
        self.games.remove(game)
        return self._add(moved, at_ms)

    def _replace(self, game: Game, at_ms: int) -> list[GameResult]:
        """Put another game in the place of one that is over."""
        self.games.remove(game)
        self._schedule.release_due(game)
        slot = self._schedule.following_slot(game, self.games, at_ms)
        return self._add(self._schedule.make_game(slot, at_ms), at_ms)

    def _add(self, game: Game, at_ms: int, *, already_going: bool = False) -> list[GameResult]:
        self.games.append(game)
        following_ms = game.advance(at_ms, self._random)
        if already_going:
            following_ms = at_ms + round((following_ms - at_ms) * self._random.random())
        self._push(following_ms, game)
        for bookmaker in self.bookmakers:
            bookmaker.list_game(game, self._random)
        return game.news(at_ms)

    def _first_quotes(self, game: Game) -> list[Quote]:
        quotes: list[Quote] = []
        for bookmaker in self.bookmakers:
            listing = bookmaker.listings.get(game)
            if listing is None:
                continue
            at_ms = self._now_ms - bookmaker.age_ms(game, self._now_ms, self._random)
            first = list(listing.quotes(at_ms))
            if self._random.random() < _FIRST_SLIP_CHANCE:
                self._slip(bookmaker, game, at_ms)
                first = list(listing.quotes(at_ms))
            quotes += first
        return quotes

    def _slip(self, bookmaker: Bookmaker, game: Game, at_ms: int) -> None:
        listing = bookmaker.listings[game]
        sharp = bookmaker is self.bookmakers[0]
        if sharp or bookmaker.profile.offer is Offer.PREDICTION or game.over or not listing.offers:
            return
        pricer = self._pricers[bookmaker.profile.name]
        slip = find_slip(listing, pricer, at_ms, self._random)
        if slip is not None:
            listing.place_slip(slip)

    def _push(self, at_ms: int, subject: Game | Bookmaker) -> None:
        self._numbers += 1
        heapq.heappush(self._events, _Event(at_ms, self._numbers, subject))


def _bookmakers(fixtures: Fixtures, reference: str) -> list[Bookmaker]:
    """Return the reference first; a made-up bookmaker of its name gives way to it."""
    sharp = BookmakerProfile(
        name=reference,
        country="CW",
        cadence_s=5,
        lag_s=0,
        margin=0.022,
        coverage=1,
        offer=Offer.FULL,
        habit=Habit.FOLLOWER,
        ladder="thousandths",
        live=True,
    )
    found = {reference: Bookmaker(sharp, prices.ReferencePrices())}
    for profile in sorted(fixtures.bookmakers, key=lambda profile: profile.copies is not None):
        if profile.name not in found:
            found[profile.name] = Bookmaker(profile, _price_book(profile, found))
    return list(found.values())


def _price_book(profile: BookmakerProfile, found: dict[str, Bookmaker]) -> prices.PriceBook:
    if profile.copies is None:
        return prices.HabitPrices(profile)
    source = found[profile.copies].listings

    def present_offers(game: Game) -> prices.Offers:
        listing = source.get(game)
        return {} if listing is None else listing.offers

    return prices.CopiedPrices(profile, present_offers)
