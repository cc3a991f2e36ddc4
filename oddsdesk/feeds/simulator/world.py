"""The simulator's world: games that go on and bookmakers that scrape, as a queue of events."""

import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from oddsdesk.contract.quotes import Quote
from oddsdesk.feeds.simulator.bookmaker import Bookmaker
from oddsdesk.feeds.simulator.fixtures import BookmakerProfile, Fixtures, Habit, Offer
from oddsdesk.feeds.simulator.game import Game
from oddsdesk.feeds.simulator.mispricing import find_slip
from oddsdesk.feeds.simulator.price_books import (
    CopiedPrices,
    HabitPrices,
    Offers,
    PriceBook,
    ReferencePrices,
)
from oddsdesk.feeds.simulator.prices import Pricer
from oddsdesk.feeds.simulator.schedule import Schedule

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
    """Everything that is simulated; moves only when it is told the time (milliseconds)."""

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
            bookmaker.profile.name: Pricer(bookmaker.profile) for bookmaker in self.bookmakers
        }

    @property
    def next_ms(self) -> int:
        """When something happens next."""
        return self._events[0].at_ms

    def opening(self) -> Iterator[list[Quote]]:
        """Make the games of the start, a slice each, the soonest first."""
        for bookmaker in self.bookmakers:
            cadence_ms = bookmaker.profile.cadence_s * 1000
            self._push(self._now_ms + round(self._random.random() * cadence_ms), bookmaker)
        for slot in self._slots:
            game = self._schedule.make_game(slot)
            self._add(game, self._now_ms, already_going=True)
            yield self._first_quotes(game)

    def until(self, now_ms: int) -> Iterator[list[Quote]]:
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
            else:
                self._advance(event.subject, at_ms)
                yield []

    def _scrape(self, bookmaker: Bookmaker, at_ms: int) -> list[Quote]:
        if self._random.random() < _SLIP_CHANCE and bookmaker.listings:
            game = self._random.choice(list(bookmaker.listings))
            self._slip(bookmaker, game, at_ms)
        quotes = list(bookmaker.scrape(at_ms))
        self._push(at_ms + bookmaker.interval_ms(self._random), bookmaker)
        return quotes

    def _advance(self, game: Game, at_ms: int) -> None:
        following_ms = game.advance(at_ms, self._random)
        if not game.over:
            self._push(following_ms, game)
            return
        self.games.remove(game)
        self._schedule.release(game)
        slot = self._schedule.following_slot(game, self.games, at_ms)
        self._add(self._schedule.make_game(slot), at_ms)

    def _add(self, game: Game, at_ms: int, *, already_going: bool = False) -> None:
        self.games.append(game)
        following_ms = game.advance(at_ms, self._random)
        if already_going:
            following_ms = at_ms + round((following_ms - at_ms) * self._random.random())
        self._push(following_ms, game)
        for bookmaker in self.bookmakers:
            bookmaker.list_game(game, self._random)

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
            listing.place(slip)

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
    found = {reference: Bookmaker(sharp, ReferencePrices())}
    for profile in sorted(fixtures.bookmakers, key=lambda profile: profile.copies is not None):
        if profile.name not in found:
            found[profile.name] = Bookmaker(profile, _price_book(profile, found))
    return list(found.values())


def _price_book(profile: BookmakerProfile, found: dict[str, Bookmaker]) -> PriceBook:
    if profile.copies is None:
        return HabitPrices(profile)
    source = found[profile.copies].listings

    def present(game: Game) -> Offers:
        listing = source.get(game)
        return {} if listing is None else listing.offers

    return CopiedPrices(profile, present)
