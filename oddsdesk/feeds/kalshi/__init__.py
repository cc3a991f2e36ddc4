"""Converts Kalshi's markets of games into quotes and results."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from itertools import islice
from types import MappingProxyType
from typing import Any, Final
from zoneinfo import ZoneInfo

import msgspec

from oddsdesk.base.texts import N_
from oddsdesk.contract.competitions import FOOTBALL, played_sport
from oddsdesk.contract.identity import fold_name
from oddsdesk.contract.quotes import MOST_LEVELS, UNNAMED, Quote
from oddsdesk.contract.resources import Level, Offer
from oddsdesk.contract.results import GameResult, GameStatus, SelectionResult
from oddsdesk.contract.texts import shown
from oddsdesk.contract.times import parse_ms
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.notation import read_as, read_json
from oddsdesk.pricing.selections import order_selections

__all__ = ["PARLAYS", "Reading", "named_question", "read_books", "read_page"]


ACTIVE: Final = "active"
_SETTLED: Final = frozenset({"finalized", "settled"})
_EXPECTED: Final = N_("expected Kalshi's markets (an object with markets)")


class Page(msgspec.Struct, frozen=True):
    """Markets, not looked into yet; an empty ``cursor`` ends them."""

    markets: list[Any]
    cursor: str | None = None


class Market(msgspec.Struct, frozen=True):
    """A question that pays a dollar for Yes; its prices are what is bid for either answer."""

    ticker: str
    event_ticker: str
    title: str
    yes_sub_title: str
    status: str
    no_bid_dollars: str
    yes_ask_size_fp: str | None = None
    result: str | None = None
    settlement_value: float | None = None
    """What a Yes paid, in cents."""
    settlement_value_dollars: str | None = None
    settlement_ts: str | None = None

    @property
    def is_won(self) -> bool | None:
        """Whether Yes was paid a dollar; None if it is not settled, or at another price.

        A result that is only determined may still be disputed. A game that is called off is settled
        at a fair price, which is neither a won nor a void bet.
        """
        if self.status not in _SETTLED or self.result not in ("yes", "no"):
            return None
        is_won = self.result == "yes"
        cents = self.settlement_value
        try:
            dollars = None if cents is None else Decimal(str(cents)) / 100
            if self.settlement_value_dollars:
                dollars = Decimal(self.settlement_value_dollars)
        except InvalidOperation:
            return None
        return is_won if dollars is None or dollars == int(is_won) else None

    @property
    def yes_ask_size(self) -> Decimal:
        """How many contracts are for sale at ``yes_ask``; 0 where that is not told."""
        try:
            size = Decimal(self.yes_ask_size_fp or 0)
        except InvalidOperation:
            return Decimal(0)
        return size if size.is_finite() and size > 0 else Decimal(0)

    @property
    def yes_ask(self) -> Decimal | None:
        """Return the price of a Yes: a dollar minus the best bid for No; None without a bid.

        Raises:
            FeedError: the bid is no amount of dollars; names the field.
        """
        try:
            bid = Decimal(self.no_bid_dollars)
            is_possible = 0 <= bid <= 1  # raises where it is not a number
        except InvalidOperation:
            is_possible = False
        if not is_possible:
            text = shown(self.no_bid_dollars)
            raise FeedError(f"no_bid_dollars: expected dollars from 0 to 1, got {text}")
        return 1 - bid if 0 < bid < 1 else None


def read_page(data: bytes) -> Page:
    """Read an answer of ``/markets``.

    Raises:
        FeedError: it is no JSON, or JSON of another shape; says which.
    """
    page: Page = read_json(data, _EXPECTED, Page)
    return page


class Bids(msgspec.Struct, frozen=True):
    """What is bid for either answer: dollars and contracts, the worst bid first."""

    yes_dollars: list[tuple[str, str]] | None = None
    no_dollars: list[tuple[str, str]] | None = None


class Book(msgspec.Struct, frozen=True):
    """The order book of a market."""

    ticker: str
    orderbook_fp: Bids


class _Books(msgspec.Struct, frozen=True):
    orderbooks: list[Book]


def read_books(data: bytes) -> list[Book]:
    """Read an answer of ``/markets/orderbooks``.

    Raises:
        FeedError: it is no JSON, or JSON of another shape; says which.
    """
    books: _Books = read_json(data, N_("expected Kalshi's order books"), _Books)
    return books.orderbooks


def by_price(bids: list[tuple[str, str]] | None) -> dict[Decimal, Decimal]:
    """Return contracts by what is bid for one, in dollars; the best bid first.

    Raises:
        FeedError: a bid is no amount of dollars, or its size no number.
    """
    found: dict[Decimal, Decimal] = {}
    for dollars, contracts in bids or ():
        try:
            price, size = Decimal(dollars), Decimal(contracts)
            is_possible = 0 < price < 1 and size >= 0 and size.is_finite()
        except InvalidOperation:
            is_possible = False
        if not is_possible:
            text = shown(f"{dollars}, {contracts}")
            raise FeedError(f"orderbook: expected dollars from 0 to 1 and contracts, got {text}")
        if size > 0:
            found[price] = size
    return dict(sorted(found.items(), reverse=True))


BOOKMAKER: Final = "Kalshi"
DRAW: Final = "Draw"
PARLAY: Final = "parlay"
NOT_A_WINNER: Final = N_("not a match result")
NO_DRAW: Final = "draw without a possible price"
UNKNOWN: Final = "unknown outcome"
CUT: Final = N_("a market of the game could not be read")
ANOTHER_DAY: Final = N_("the same teams again, later")
_TIE: Final = "tie"
_DATE: Final = re.compile(r"[^-]+-(\d{2})([A-Z]{3})(\d{2})(\d{4})?")
_NEW_YORK: Final = ZoneInfo("America/New_York")
_MONTHS: Final = "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC"
_TITLE: Final = re.compile(r"(.+?) (vs\.?|at|@) (.+?) Winner\?", re.IGNORECASE)
USD: Final = "USD"
_CENTS: Final = 4
"""Decimals of amounts of money."""
_PLACES: Final = 6
"""Decimals of odds, enough for the net odds computed from them."""


class _Side(msgspec.Struct, frozen=True):
    """What a Yes on one side costs: contracts by dollars, the cheapest first; and what is bid."""

    asks: dict[Decimal, Decimal] = {}
    bids: dict[Decimal, Decimal] = {}


class _Game(msgspec.Struct):
    """The sides of one event by what they select, without asks where nobody sells."""

    match_name: str
    competition: str
    sides: dict[str, _Side] = msgspec.field(default_factory=dict)
    sport: str | None = None
    unread: dict[str, str] = msgspec.field(default_factory=dict)
    """Why a side could not be read, by what it selects: its last price stays."""
    is_cut: bool = False
    """A market of it could not be read at all, maybe that of the draw."""
    settled: dict[str, str] = msgspec.field(default_factory=dict)
    """How sides were settled: ``won`` or ``lost``."""
    settled_at: int = 0
    """When the last of them was, in milliseconds; 0 if unknown."""

    def result(self, event_ticker: str, now_ms: int) -> GameResult | None:
        """Return how Kalshi settled the sides of the game, without a score.

        None if it settled none, or if the ticker of the event has no day.
        """
        begins = _begins(event_ticker)
        if not self.settled or begins is None:
            return None
        kick_off, has_time = begins
        return GameResult(
            competition=self.competition,
            match_name=self.match_name,
            kick_off=kick_off,
            has_time=has_time,
            sport=played_sport(self.competition, self.sport),
            status=GameStatus.FINAL if "won" in self.settled.values() else GameStatus.UNKNOWN,
            selections=tuple(
                SelectionResult("moneyline", 0, text, result)
                for text, result in self.settled.items()
            ),
            bookmaker=BOOKMAKER,
            reported_at=self.settled_at or now_ms,
        )

    @property
    def offers(self) -> dict[str, Offer]:
        """What can be backed, in the field's order."""
        order = order_selections("moneyline", self.match_name, self.sides)
        sides = {text: side for text in order if (side := self.sides[text]).asks}
        return {
            text: Offer(back=_levels(side.asks), lay=_levels(side.bids), currency=USD)
            for text, side in sides.items()
        }

    @property
    def is_football(self) -> bool:
        return played_sport(self.competition, self.sport) == FOOTBALL

    @property
    def is_without_its_draw(self) -> bool:
        """Whether the draw is missing, so that the market would look two-way."""
        has_draw = DRAW in self.sides or DRAW in self.unread or self.is_cut or self.is_football
        return has_draw and not self.sides.get(DRAW, _Side()).asks


class Reading(msgspec.Struct):
    """Pages of one answer: every market is in a quote or counted as skipped.

    ``problems`` are lines for people, each about one market.
    """

    skipped: Counter[str] = msgspec.field(default_factory=Counter)
    problems: list[str] = msgspec.field(default_factory=list)
    tickers: dict[tuple[str, str], str] = msgspec.field(default_factory=dict)
    """The event of each quote, by competition and game."""
    _books: dict[str, Book] = msgspec.field(default_factory=dict)
    _games: dict[str, _Game] = msgspec.field(default_factory=dict)
    _cut: set[str] = msgspec.field(default_factory=set)
    """Events of which a market could not be read."""
    _settled: dict[str, bool] = msgspec.field(default_factory=dict)
    """Whether all markets of an event are settled."""

    @property
    def settled_events(self) -> frozenset[str]:
        """The tickers of events whose markets are all settled, at whatever price."""
        return frozenset(event for event, is_settled in self._settled.items() if is_settled)

    def read_books(self, books: Iterable[Book]) -> None:
        """Take in the order books of markets that are read after it."""
        self._books |= {book.ticker: book for book in books}

    def read_markets(self, markets: Iterable[Any]) -> None:
        """Take in the markets of a page; those of one game may stand on two."""
        for number, raw in enumerate(markets, start=1):
            ticker = raw.get("ticker") if isinstance(raw, dict) else None
            place = ticker if isinstance(ticker, str) else f"market {number}"
            if place.startswith(PARLAYS):
                self.skipped[PARLAY] += 1
                continue
            try:
                self._read_market(read_as(Market, raw))
            except FeedError as error:
                self.problems.append(f"{place}: {error}")
                self._note_unread(raw, str(error))

    def quotes(self, now_ms: int) -> list[Quote]:
        """Return one quote per game; Kalshi has no kick-offs and does not say who is at home.

        Of several games of the same teams only the first is returned: without kick-offs nobody
        could tell them apart.
        """
        quotes: dict[tuple[str, str], Quote] = {}
        for event, game in sorted(self._games.items(), key=lambda item: _day(item[0])):
            game.is_cut = event in self._cut
            offers = game.offers
            if game.is_cut:
                game.unread.setdefault(UNNAMED, CUT)
            if game.is_without_its_draw:
                self.skipped[NO_DRAW] += len(offers)
                if DRAW not in game.unread and UNNAMED not in game.unread:
                    continue
                game.unread |= dict.fromkeys(game.sides, NO_DRAW)
                offers = {}
            if not offers and not game.unread:
                continue
            if (game.competition, game.match_name) in quotes:
                self.skipped[ANOTHER_DAY] += len(offers)
            else:
                quotes[game.competition, game.match_name] = _quote(game, offers, now_ms)
                self.tickers[game.competition, game.match_name] = event
        return list(quotes.values())

    def results(self, now_ms: int) -> dict[str, GameResult]:
        """Return the results of games, by the ticker of their event."""
        found = {event: game.result(event, now_ms) for event, game in self._games.items()}
        return {event: result for event, result in found.items() if result is not None}

    def _note_unread(self, raw: Any, reason: str) -> None:
        """Note which side of a game could not be read; if that is not known, that one could not."""
        names = ("event_ticker", "title", "yes_sub_title", "status")
        said = [raw.get(name) for name in names] if isinstance(raw, dict) else []
        if not said or not isinstance(said[0], str):
            return
        if all(isinstance(each, str) for each in said):
            event, title, side, status = map(str, said)
            found = _TITLE.fullmatch(fold_name(title))
            text = None if found is None else _selection(found, fold_name(side))
            if found is not None and text is not None and status == ACTIVE:
                self._game(event, found).unread[text] = reason
                return
        self._cut.add(said[0])

    def _read_market(self, market: Market) -> None:
        event = market.event_ticker
        self._settled[event] = self._settled.get(event, True) and market.status in _SETTLED
        found = _TITLE.fullmatch(fold_name(market.title))
        if found is None:
            self.skipped[NOT_A_WINNER] += 1
        elif (text := _selection(found, fold_name(market.yes_sub_title))) is None:
            self.skipped[UNKNOWN] += 1
            if market.status == ACTIVE:
                self._game(market.event_ticker, found).unread.setdefault(UNNAMED, UNKNOWN)
        elif market.status != ACTIVE:
            self.skipped[market.status] += 1
            game = self._game(market.event_ticker, found)
            game.sides[text] = _Side()
            if market.is_won is not None:
                game.settled[text] = "won" if market.is_won else "lost"
                game.settled_at = max(game.settled_at, _time(market.settlement_ts))
        else:
            self._game(market.event_ticker, found).sides[text] = self._side(market)

    def _side(self, market: Market) -> _Side:
        """Return the market's book; without it the best ask and its size, as the page says."""
        if (book := self._books.get(market.ticker)) is not None:
            no_bids = by_price(book.orderbook_fp.no_dollars)
            return _Side(
                {1 - price: size for price, size in no_bids.items()},
                by_price(book.orderbook_fp.yes_dollars),
            )
        ask = market.yes_ask
        return _Side() if ask is None else _Side({ask: market.yes_ask_size})

    def _game(self, event_ticker: str, title: re.Match[str]) -> _Game:
        game = _Game(
            _match_name(title),
            competition_of_ticker(event_ticker),
            sport=_SPORTS.get(event_ticker.partition("-")[0]),
        )
        return self._games.setdefault(event_ticker, game)


def _selection(title: re.Match[str], name: str) -> str | None:
    known = {_TIE: DRAW, title[1].casefold(): title[1], title[3].casefold(): title[3]}
    return known.get(name.casefold())


def named_question(raw: Any) -> dict[str, Any] | None:
    """Return what a Yes of a market selects, by the names of a bet's fields; None if no game."""
    read = raw if isinstance(raw, dict) else {}
    texts = [read.get(name) for name in ("event_ticker", "title", "yes_sub_title")]
    if not all(isinstance(each, str) for each in texts):
        return None
    event_ticker, title, side = map(str, texts)
    found = _TITLE.fullmatch(fold_name(title))
    text = None if found is None else _selection(found, fold_name(side))
    if found is None or text is None:
        return None
    competition, begins = competition_of_ticker(event_ticker), _begins(event_ticker)
    sport = _SPORTS.get(event_ticker.partition("-")[0])
    return {
        "match_name": _match_name(found),
        "competition": competition,
        "sport": played_sport(competition, sport),
        "market_type": "moneyline",
        "selection": text,
        "kick_off": begins[0] if begins is not None and begins[1] else None,
    }


def _match_name(title: re.Match[str]) -> str:
    between = "vs" if title[2].lower().startswith("vs") else "@"
    return f"{title[1]} {between} {title[3]}"


def _day(event_ticker: str) -> tuple[str, int, str, str, str]:
    """What sorts events by the day, and the time where it is told, that their tickers hold."""
    found = _DATE.match(event_ticker)
    if found is None:
        return "", 0, "", "", event_ticker
    return found[1], _MONTHS.find(found[2]), found[3], found[4] or "", event_ticker


def _begins(event_ticker: str) -> tuple[int, bool] | None:
    """Return the start of a game as its ticker has it, and whether it has an hour, New York's.

    Without an hour it is noon UTC of the day; None without a day.
    """
    found = _DATE.match(event_ticker)
    if found is None:
        return None
    month, is_no_month = divmod(_MONTHS.find(found[2]), 3)
    if is_no_month:
        return None
    try:
        day = datetime(2000 + int(found[1]), month + 1, int(found[3]), 12, tzinfo=UTC)
        if found[4]:
            day = day.replace(hour=int(found[4][:2]), minute=int(found[4][2:]), tzinfo=_NEW_YORK)
    except ValueError:
        return None
    return round(day.timestamp() * 1000), bool(found[4])


def _time(text: str | None) -> int:
    """Return a time in milliseconds; 0 if it is invalid, as nothing depends on it."""
    try:
        return parse_ms(text) if text else 0
    except ValueError:
        return 0


def _levels(sizes: Mapping[Decimal, Decimal]) -> tuple[Level, ...]:
    """Return contracts by dollars as odds and the money that they cost."""
    return tuple(
        (round(float(1 / price), _PLACES), round(float(price * size), _CENTS))
        for price, size in islice(sizes.items(), MOST_LEVELS)
    )


def _quote(game: _Game, offers: dict[str, Offer], now_ms: int) -> Quote:
    said = {text: offer.back[0][0] for text, offer in offers.items()}
    if UNNAMED in game.unread:
        said = (
            dict.fromkeys([text for text, side in game.sides.items() if not side.asks], 0.0) | said
        )
    return Quote(
        bookmaker=BOOKMAKER,
        match_name=game.match_name,
        competition=game.competition,
        market_type="moneyline",
        period=0,
        odds=said,
        scraped_at=now_ms,
        sport=game.sport,
        offers=offers or None,
        unread=game.unread or None,
    )


PARLAYS: Final = "KXMVE"
"""What the tickers of bets on several games begin with."""
_CODES = MappingProxyType(
    {
        "KXEPLGAME": "EPL",
        "KXEFLCHAMPIONSHIPGAME": "EFL",
        "KXBUNDESLIGAGAME": "BUND",
        "KXBUNDESLIGA2GAME": "GER2",
        "KXLALIGAGAME": "LIGA",
        "KXLALIGA2GAME": "LIGA2",
        "KXSERIEAGAME": "SERA",
        "KXLIGUE1GAME": "LIG1",
        "KXEREDIVISIEGAME": "ERED",
        "KXUCLGAME": "UCL",
        "KXUELGAME": "UEL",
        "KXMLSGAME": "MLS",
        "KXBRASILEIROGAME": "BRAS",
        "KXNBAGAME": "NBA",
        "KXEUROLEAGUEGAME": "EURO",
        "KXNHLGAME": "NHL",
        "KXMLBGAME": "MLB",
        "KXNFLGAME": "NFL",
        "KXATPMATCH": "TENNIS",
        "KXWTAMATCH": "TENNIS",
    }
)
_SPORTS = MappingProxyType(
    {"KXWNBAGAME": "Basketball", "KXNCAAMBGAME": "Basketball", "KXNCAAWBGAME": "Basketball"}
    | {"KXNCAAFGAME": "AmericanFootball", "KXCFLGAME": "AmericanFootball"}
    | {"KXAHLGAME": "Hockey", "KXKHLGAME": "Hockey", "KXSHLGAME": "Hockey"}
    | {"KXKBOGAME": "Baseball", "KXNPBGAME": "Baseball", "KXNCAABBGAME": "Baseball"}
    | dict.fromkeys(
        ("KXWCGAME", "KXFIFAGAME", "KXINTLFRIENDLYGAME", "KXLIGAMXGAME", "KXSAUDIPLGAME"),
        "Football",
    )
    | dict.fromkeys(
        ("KXFACUPGAME", "KXEFLCUPGAME", "KXCOPADELREYGAME", "KXDFBPOKALGAME", "KXUECLGAME"),
        "Football",
    )
    | dict.fromkeys(("KXCOPPAITALIAGAME", "KXLIGAPORTUGALGAME", "KXSUPERLIGGAME"), "Football")
)
"""Of series without a code."""


def known_series() -> tuple[str, ...]:
    """Return the series that have a code."""
    return tuple(_CODES)


def competition_of_ticker(event_ticker: str) -> str:
    """Return the competition code of a game; a series without a code keeps its ticker."""
    series = event_ticker.partition("-")[0]
    return _CODES.get(series, series)
