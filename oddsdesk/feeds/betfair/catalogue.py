"""Identifies Betfair's markets: the game, the market, and what each runner selects."""

import logging
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import msgspec

from oddsdesk.base.texts import N_
from oddsdesk.contract.competitions import FOOTBALL, named_sport, played_sport
from oddsdesk.contract.identity import fold_name, teams
from oddsdesk.contract.markets import Form, form_of
from oddsdesk.contract.quotes import UNNAMED, Quote
from oddsdesk.contract.resources import Level, Offer
from oddsdesk.contract.results import (
    BadResultError,
    GameResult,
    GameStatus,
    SelectionResult,
    check_result,
)
from oddsdesk.contract.times import parse_ms
from oddsdesk.feeds.betfair.books import (
    Book,
    Books,
    CatalogueMarket,
    CatalogueRunner,
    Definition,
    Runner,
    RunnerId,
    read_as,
    read_result,
    settled_runners,
)
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.notation import line_text, signed_text
from oddsdesk.pricing.profiles import delayed_name
from oddsdesk.pricing.selections import order_selections

_log = logging.getLogger(__name__)

DRAW: Final = "Draw"
NOT_A_GAME: Final = N_("not a game")
UNREAD: Final = "unknown outcome"
OTHER_LINES: Final = N_("the book of another line is not known yet")
_THE_DRAW: Final = N_("the draw")
_TENNIS: Final = "2"
_SPORTS: Final = MappingProxyType(
    {
        "1": FOOTBALL,
        _TENNIS: "Tennis",
        "5": "Rugby",
        "1477": "Rugby",
        "6423": "AmericanFootball",
        "7511": "Baseball",
        "7522": "Basketball",
        "7524": "Hockey",
    }
)
"""By the number of an event type."""
_MARKETS = MappingProxyType(
    {
        "MATCH_ODDS": ("moneyline", 0),
        "HALF_TIME": ("moneyline", 1),
        "DRAW_NO_BET": ("draw_no_bet", 0),
        "BOTH_TEAMS_TO_SCORE": ("btts", 0),
        "DOUBLE_CHANCE": ("double_chance", 0),
        "ASIAN_HANDICAP": ("spread", 0),
    }
)
_GOALS = re.compile(r"(OVER_UNDER|FIRST_HALF_GOALS)_(\d+)(\d)")
_COMPETITIONS = MappingProxyType(
    {
        "English Premier League": "EPL",
        "English Championship": "EFL",
        "German Bundesliga": "BUND",
        "German Bundesliga 2": "GER2",
        "Spanish La Liga": "LIGA",
        "Spanish Segunda Division": "LIGA2",
        "Italian Serie A": "SERA",
        "French Ligue 1": "LIG1",
        "French Ligue 2": "LIG2",
        "Dutch Eredivisie": "ERED",
        "UEFA Champions League": "UCL",
        "UEFA Europa League": "UEL",
        "US Major League Soccer": "MLS",
        "Brazilian Serie A": "BRAS",
        "Argentinian Primera Division": "ARG",
        "NBA": "NBA",
        "EuroLeague": "EURO",
        "NHL": "NHL",
        "MLB": "MLB",
        "NFL": "NFL",
        "NRL Premiership": "RUGBY",
    }
)


class Market(msgspec.Struct, frozen=True):
    """A market of a game; ``selections`` are the texts of its runners.

    A spread's runners have a handicap each: its texts are the teams. ``kick_off`` is in
    milliseconds.
    """

    match_name: str
    competition: str
    market_type: str
    period: int
    kick_off: int | None
    selections: dict[int, str]
    sport: str | None = None
    """As the kind of event says; None for one that is not known here."""


class Catalogue(msgspec.Struct):
    """Markets of games from ``listMarketCatalogue``; others are counted with the reason."""

    markets: dict[str, Market] = msgspec.field(default_factory=dict)
    events: dict[tuple[str, str, int | None], str] = msgspec.field(default_factory=dict)
    """What Betfair calls games, by competition, name and kick-off."""
    skipped: Counter[str] = msgspec.field(default_factory=Counter)
    problems: list[str] = msgspec.field(default_factory=list)

    def read_answer(self, data: bytes) -> None:
        """Take in an answer.

        Raises:
            FeedError: it holds no markets, or an error.
        """
        for position, raw in enumerate(read_result(data), start=1):
            try:
                self._read_market(read_as(CatalogueMarket, raw))
            except FeedError as error:
                self.problems.append(f"{_name_of(raw, position)}: {error}")

    def _read_market(self, entry: CatalogueMarket) -> None:
        market = market_of(entry)
        if isinstance(market, str):
            self.skipped[market] += 1
            return
        self.skipped[UNREAD] += len(entry.runners) - len(market.selections)
        self.markets[entry.market_id] = market
        self.events[market.competition, market.match_name, market.kick_off] = entry.event.id


def market_of(entry: CatalogueMarket) -> Market | str:
    """Return a market of a game; of another one the reason why it is left out.

    Raises:
        FeedError: its start is no time.
    """
    kind = _kind(entry.description.market_type)
    if kind is None:
        return N_(f"market type {entry.description.market_type}")
    pair = teams(fold_name(entry.event.name))
    if pair is None:
        return NOT_A_GAME
    market_type, period, line = kind
    return Market(
        match_name=f"{pair[0]} vs {pair[1]}",
        competition=_competition(entry),
        market_type=market_type,
        period=period,
        kick_off=_time("marketStartTime", entry.market_start_time),
        selections=_Naming(market_type, pair, line).texts_of(entry.runners),
        sport=_SPORTS.get(entry.event_type.id) or named_sport(entry.event_type.name),
    )


class _Naming(msgspec.Struct, frozen=True):
    """Names the selection of each runner of a market."""

    market_type: str
    pair: tuple[str, str]
    line: float | None

    def texts_of(self, runners: list[CatalogueRunner]) -> dict[int, str]:
        """Return the texts of runners that can be identified; events may shorten players' names."""
        ordered = sorted(runners, key=lambda runner: runner.sort_priority)
        named = {each.selection_id: self._text(fold_name(each.runner_name)) for each in ordered}
        unread = [ident for ident, text in named.items() if text is None]
        if form_of(self.market_type) is Form.WINNER and len(unread) == 2 and len(named) <= 3:
            named |= dict(zip(unread, self.pair, strict=True))
        return {ident: text for ident, text in named.items() if text is not None}

    def _text(self, name: str) -> str | None:
        folded = name.casefold()
        match self.market_type:
            case "total":
                side = folded.partition(" ")[0].capitalize()
                is_side = side in ("Over", "Under") and self.line is not None
                return f"{side} {line_text(self.line or 0.0)}" if is_side else None
            case "btts":
                return name.capitalize() if folded in ("yes", "no") else None
            case "double_chance":
                return self._chances().get(folded)
            case "moneyline" if folded == _THE_DRAW:
                return DRAW
        return {team.casefold(): team for team in self.pair}.get(folded)

    def _chances(self) -> dict[str, str]:
        home, away = (team.casefold() for team in self.pair)
        return {
            text: side
            for side, texts in {
                "1X": ("home or draw", f"{home} or draw"),
                "X2": ("draw or away", f"draw or {away}"),
                "12": ("home or away", f"{home} or {away}"),
            }.items()
            for text in texts
        }


def _kind(market_type: str) -> tuple[str, int, float | None] | None:
    """Market type, period and line of what Betfair calls a market."""
    if whole := _MARKETS.get(market_type):
        return *whole, None
    goals = _GOALS.fullmatch(market_type)
    if goals is None:
        return None
    return "total", int(goals[1] == "FIRST_HALF_GOALS"), float(f"{goals[2]}.{goals[3]}")


def _competition(entry: CatalogueMarket) -> str:
    if entry.event_type.id == _TENNIS:
        return "TENNIS"
    name = fold_name((entry.competition or entry.event_type).name)
    return competition_of_name(name)


def competition_of_name(name: str) -> str:
    """Return the competition code of a name; one without a code keeps it."""
    return _COMPETITIONS.get(name, name)


def _time(name: str, text: str | None) -> int | None:
    try:
        return None if text is None else parse_ms(text)
    except ValueError as error:
        raise FeedError(f"{name}: {error}") from error


def _name_of(raw: Any, position: int) -> str:
    ident = raw.get("marketId") if isinstance(raw, dict) else None
    return f"market {ident or position}"


BOOKMAKER: Final = "Betfair Exchange"
CURRENCY: Final = "GBP"
"""That of the exchange: the stream's amounts are in it, and answers where it is asked for."""
LEVELS: Final = 3
"""Levels kept of each side, the number in an answer."""


class Priced(NamedTuple):
    """A quote; its bookmaker's name says if the prices are late.

    ``is_open``: bets are taken, so without odds nobody offers any at the moment.
    """

    quote: Quote
    is_open: bool


def quotes_of(
    markets: Mapping[str, Market], books: Books, now_ms: int, touched: Collection[str] | None = None
) -> list[Priced]:
    """Return what can be backed now, one quote per complete market.

    Betfair has a market for each goal line of a game, which are one market here. A suspended or
    finished market has no odds, which removes it. A book stands until it changes, so its prices are
    current whenever they last changed.
    """
    same: dict[tuple[object, ...], list[str]] = {}
    for ident, market in markets.items():
        game = market.competition, market.match_name, market.kick_off
        same.setdefault((*game, market.market_type, market.period), []).append(ident)
    found: list[Priced] = []
    for idents in same.values():
        if touched is not None and not any(ident in touched for ident in idents):
            continue
        known = {
            ident: book
            for ident in idents
            if (book := books.book(ident)) is not None and book.is_known
        }
        quotes = [
            _quote(markets[ident], book, now_ms, is_delayed=books.is_delayed(ident))
            for ident, book in known.items()
        ]
        if quotes:
            lines = [text for ident in known for text in markets[ident].selections.values()]
            quote = _joined(quotes, lines, is_whole=len(known) == len(idents))
            found.append(Priced(quote, any(book.is_open for book in known.values())))
    return found


def _joined(quotes: Sequence[Quote], lines: Iterable[str], *, is_whole: bool) -> Quote:
    """Return the quotes of several lines as one of their market.

    Lines whose books are not known keep their last price; ``lines`` are those that are known.
    """
    first = quotes[0]
    if len(quotes) == 1 and is_whole:
        return first
    odds = {text: price for quote in quotes for text, price in quote.odds.items()}
    unread = {text: why for quote in quotes for text, why in (quote.unread or {}).items()}
    if not is_whole:
        unread[UNNAMED] = OTHER_LINES
    if UNNAMED in unread:
        odds = dict.fromkeys(lines, 0.0) | odds
    order = order_selections(first.market_type, first.match_name, odds)
    late = (quote.bookmaker for quote in quotes if quote.bookmaker != BOOKMAKER)
    return msgspec.structs.replace(
        first,
        bookmaker=next(late, BOOKMAKER),
        odds={text: odds[text] for text in order},
        is_live=any(quote.is_live for quote in quotes),
        offers={text: each for quote in quotes for text, each in (quote.offers or {}).items()}
        or None,
        unread=unread or None,
    )


def _quote(market: Market, book: Book, now_ms: int, *, is_delayed: bool) -> Quote:
    runners = _runners(market, book) if book.is_open else {}
    odds = {text: runner.back[0][0] for text, runner in runners.items()}
    unread = None
    if book.is_open and any(ident not in market.selections for ident, _ in book.active()):
        named = [text for text, _ in _named(market, book)]
        odds, unread = dict.fromkeys(named, 0.0) | odds, {UNNAMED: UNREAD}
    return Quote(
        bookmaker=delayed_name(BOOKMAKER) if is_delayed else BOOKMAKER,
        match_name=market.match_name,
        competition=market.competition,
        market_type=market.market_type,
        period=market.period,
        odds=odds,
        scraped_at=now_ms,
        is_live=book.definition is not None and book.definition.in_play,
        match_date=market.kick_off,
        sport=market.sport,
        offers={text: _offer(runner) for text, runner in runners.items()} or None,
        unread=unread,
    )


def _offer(runner: Runner) -> Offer:
    back, lay = _possible(runner.back), _possible(runner.lay)
    return Offer(back=back[:LEVELS], lay=lay[:LEVELS], currency=CURRENCY)


def _possible(levels: Iterable[Level]) -> tuple[Level, ...]:
    return tuple(level for level in levels if level[0] > 1)


def _runners(market: Market, book: Book) -> dict[str, Runner]:
    """Return what can be backed, in the field's order.

    Nothing while a draw has no offers, since the market would look two-way.
    """
    found: dict[str, Runner] = {}
    for text, runner in _named(market, book):
        if (price := runner.best_back) is not None and price > 1:
            found[text] = runner
    if DRAW in market.selections.values() and DRAW not in found:
        return {}
    order = order_selections(market.market_type, market.match_name, found)
    return {text: found[text] for text in order}


def _named(market: Market, book: Book) -> Iterator[tuple[str, Runner]]:
    """Yield the active runners with known names, and what each selects."""
    for ident, runner in book.active().items():
        if (text := selection_of(market, ident)) is not None:
            yield text, runner


def selection_of(market: Market, runner: RunnerId) -> str | None:
    """Return what a runner selects; None if its name could not be read."""
    ident, handicap = runner
    text = market.selections.get(ident)
    if text is None or market.market_type != "spread":
        return text
    return f"{text} {signed_text(handicap)}"


def result_of(market: Market, definition: Definition, now_ms: int) -> GameResult | None:
    """Return how a market of a game was settled; None if it is not, or not in a way that we know.

    Betfair reports no scores. The game is final once its match result is settled. Any other market
    leaves its status open: it may be settled during the game, and a market without a winner is
    void for a reason that Betfair does not say. Handicaps of whole and quarter goals are left out,
    as a runner's status has no word for half a stake or a stake returned.

    Raises:
        FeedError: a time in the definition is none.
    """
    kick_off = market.kick_off or _time("marketTime", definition.market_time)
    found = settled_runners(definition)
    results = {result for result, _ in found.values()}
    is_spread = market.market_type == "spread"
    if kick_off is None or (not is_spread and "won" not in results and "lost" in results):
        return None
    selections = tuple(
        SelectionResult(market.market_type, market.period, text, result, share)
        for runner, (result, share) in found.items()
        if (text := selection_of(market, runner)) is not None
        and (not is_spread or result == "void" or abs(runner[1]) % 1 == 0.5)
    )
    if not selections:
        return None
    is_final = market.market_type == "moneyline" and market.period == 0 and "won" in results
    return GameResult(
        competition=market.competition,
        match_name=market.match_name,
        kick_off=kick_off,
        sport=played_sport(market.competition, market.sport),
        status=GameStatus.FINAL if is_final else GameStatus.UNKNOWN,
        selections=selections,
        bookmaker=BOOKMAKER,
        reported_at=_time("settledTime", definition.settled_time) or now_ms,
    )


def results_of(markets: Mapping[str, Market], books: Books, now_ms: int) -> dict[str, GameResult]:
    """Return the results of markets that are settled; the store puts those of a game together."""
    found: dict[str, GameResult] = {}
    for ident, market in markets.items():
        book = books.book(ident)
        if book is None or book.definition is None:
            continue
        try:
            if (result := result_of(market, book.definition, now_ms)) is not None:
                found[ident] = check_result(result, now_ms)
        except (FeedError, BadResultError) as error:
            _log.info("betfair: market %s: %s", ident, error)
    return found
