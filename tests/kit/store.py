"""Quotes of twelve games for the store, and its lists worked out without an index."""

import random

from oddsdesk.contract.competitions import sport_of
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.times import MINUTE_MS, format_ms
from oddsdesk.store.values import Filters, Visibility

NOW = 1_776_000_000_000
"""2026-04-12T13:20:00Z."""


VISIBILITIES = [
    Visibility(),
    Visibility(live=False),
    Visibility("B"),
    Visibility("Pinnacle", live=False),
]
FILTERS = [
    Filters(),
    Filters(sport="FOOTBALL"),
    Filters(competition="NBA"),
    Filters(sport="football", competition="EPL", bookmaker="A"),
    Filters(bookmaker="C"),
    Filters(market_type="total"),
    Filters(market_type="total", bookmaker="A"),
    Filters(is_live=True),
    Filters(is_live=False),
    Filters(is_live=False, sport="Basketball"),
    Filters(sport="Chess"),
    Filters(sport="Other"),
    Filters(competition="epl"),
    Filters(bookmaker="a"),
]


def some_quotes(seed: int = 3) -> list[Quote]:
    """Twelve games; ages from 0 to 25 minutes, some in play, some without a date.

    Some were seen by a clock that was 25 hours ahead.
    """
    dice = random.Random(seed)
    quotes = []
    for number in range(12):
        match_date = None if number % 4 == 0 else NOW + dice.randrange(-3, 3) * 600_000
        for bookmaker in ("A", "B", "C", "Pinnacle"):
            for market_type in ("moneyline", "total", "btts"):
                if dice.random() < 0.5:
                    continue
                odds = {"Yes": dice.choice([1.5, 2.0]), "No": 3.0}
                quotes.append(
                    Quote(
                        bookmaker=bookmaker,
                        match_name=f"Home {number % 8} - Away",
                        competition=("EPL", "NBA", "Liga Própria")[number % 3],
                        market_type=market_type,
                        period=dice.choice([0, 1]),
                        odds={} if dice.random() < 0.1 else odds,
                        scraped_at=NOW - dice.choice([0, 3, 10, 11, 25, -5, -25 * 60]) * MINUTE_MS,
                        is_live=dice.random() < 0.3,
                        match_date=match_date,
                        url="https://example.com/x",
                        liquidity=500.0,
                        sport="Football" if number % 3 == 2 else None,
                    )
                )
    return quotes


class Model:
    """The lists as the decisions say them, from all quotes and without an index."""

    def __init__(self, quotes: list[Quote]) -> None:
        said: dict[tuple, Quote] = {}
        dates: dict[tuple[str, str], tuple[bool, int, int]] = {}
        for quote in quotes:
            name = (quote.competition, quote.match_name)
            key = (*name, quote.bookmaker, quote.market_type, quote.period)
            last = said.get(key, quote).scraped_at
            if quote.scraped_at < last and (not is_ahead(last) or is_ahead(quote.scraped_at)):
                continue
            said[key] = quote
            if quote.match_date is not None:
                date = (quote.bookmaker == "Pinnacle", quote.scraped_at, quote.match_date)
                dated = dates.get(name, date)
                if date[:2] >= dated[:2] or (date[0] == dated[0] and is_ahead(dated[1])):
                    dates[name] = date
        self.quotes = [quote for quote in said.values() if quote.odds]
        self.dates = {name: date for name, (_, _, date) in dates.items()}

    def visible(self, visibility: Visibility, minutes: int) -> list[Quote]:
        return [
            quote
            for quote in self.quotes
            if quote.scraped_at >= NOW - minutes * MINUTE_MS
            and not is_ahead(quote.scraped_at)
            and visibility.bookmaker in (None, quote.bookmaker)
            and (visibility.live or not quote.is_live)
        ]

    def place(self, quote: Quote, live: bool) -> tuple:
        date = self.dates.get((quote.competition, quote.match_name))
        where = (not live, date is None, date or 0)
        return (*where, quote.match_name, quote.competition)

    def games(self, filters: Filters, visibility: Visibility, minutes: int) -> list[tuple]:
        by_game: dict[tuple[str, str], list[Quote]] = {}
        for quote in self.visible(visibility, minutes):
            by_game.setdefault((quote.competition, quote.match_name), []).append(quote)
        found = []
        for (competition, match_name), quotes in by_game.items():
            live = any(quote.is_live for quote in quotes)
            books = {quote.bookmaker for quote in quotes}
            if not wanted(filters, competition) or filters.is_live not in (None, live):
                continue
            if filters.bookmaker is not None and filters.bookmaker not in books:
                continue
            newest = format_ms(max(quote.scraped_at for quote in quotes))
            item = (competition, match_name, live, len(books), newest)
            found.append((self.place(quotes[0], live), item))
        return [item for _, item in sorted(found)]

    def odds(self, filters: Filters, visibility: Visibility) -> list[tuple]:
        found = []
        for quote in self.visible(visibility, 10):
            if not wanted(filters, quote.competition):
                continue
            if filters.is_live not in (None, quote.is_live):
                continue
            if filters.bookmaker not in (None, quote.bookmaker):
                continue
            if filters.market_type not in (None, quote.market_type):
                continue
            key = (quote.bookmaker, quote.market_type, quote.period)
            place = (*self.place(quote, quote.is_live), *key)
            item = (quote.competition, quote.match_name, quote.is_live, *key, quote.odds)
            found.append((place, item))
        return [item for _, item in sorted(found, key=lambda pair: pair[0])]


def is_ahead(scraped_at: int) -> bool:
    return scraped_at > NOW + 5 * MINUTE_MS


def wanted(filters: Filters, competition: str) -> bool:
    sport = sport_of(competition).lower()
    return filters.competition in (None, competition) and (
        filters.sport is None or filters.sport.lower() == sport
    )
