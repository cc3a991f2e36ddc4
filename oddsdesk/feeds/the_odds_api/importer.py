"""Turns v4 answers of The Odds API into quotes, with every price accounted for."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from oddsdesk.contract.identity import fold_name
from oddsdesk.contract.names import LONGEST_NAME
from oddsdesk.contract.quotes import UNNAMED, BadQuoteError, Quote, check_link, check_quote
from oddsdesk.contract.resources import Offer
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.imported import Imported, SourceFile, count_prices
from oddsdesk.feeds.notation import NOT_OFFERED, decimal_odds, is_american, is_offered
from oddsdesk.feeds.parts import read_as
from oddsdesk.feeds.the_odds_api.markets import (
    MarketKind,
    Order,
    UnreadOutcomeError,
    market_kind,
    market_type_of,
    selection,
)
from oddsdesk.feeds.the_odds_api.names import bookmaker_names, competition
from oddsdesk.feeds.the_odds_api.shapes import (
    Bookmaker,
    Event,
    Market,
    Outcome,
    moment,
    read_answer,
)

IMPOSSIBLE = "impossible price"
NO_NUMBER = "not a number"
BROKEN_DRAW = "draw without a possible price"
SAID_TWICE = "said twice"
BROKEN_OUTCOME = "broken outcome"
SENSELESS = frozenset(
    {IMPOSSIBLE, NO_NUMBER, BROKEN_DRAW}
    | {f"broken {part}" for part in ("event", "bookmaker", "market", "outcome")}
)
"""Reasons that say that a source is wrong, not that a market has no place here."""
NO_OFFER = Offer()


def convert(file: SourceFile, *, is_decimal: bool = False) -> Imported:
    """Return the quotes of one answer; a part that makes no sense is a problem that is named.

    Args:
        file: The answer.
        is_decimal: Whether it was asked for in decimal odds: it is American then only where all
            its prices are. Else its prices tell their format.

    Raises:
        FeedError: the file is no v4 answer.
    """
    answer = read_answer(file.data)
    titles, prices = list(_bookmaker_titles(answer.events)), list(_prices(answer.events))
    reading = _Reading(
        file=file.name,
        american=is_american(prices)
        and (not is_decimal or all(abs(each) >= 100 for each in prices)),
        names=bookmaker_names(titles),
        timestamp=answer.timestamp,
    )
    if reading.american:
        reading.result.american.append(file.name)
    for number, event in enumerate(answer.events, start=1):
        reading.read_event(event, f"event {number}")
    return reading.result


class _Group(msgspec.Struct):
    """Prices of one bookmaker that make one quote."""

    scraped_at: int
    url: str | None = None
    limit: float | None = None
    """The least of the outcomes' limits: so much is taken on each."""
    odds: dict[str, tuple[Order, float]] = msgspec.field(default_factory=dict)
    """By selection; 0 where it is not offered now."""
    offers: dict[str, Offer] = msgspec.field(default_factory=dict)
    unread: dict[str, str] = msgspec.field(default_factory=dict)


_Groups = dict[tuple[str, int], _Group]


class _Reading(msgspec.Struct):
    file: str
    american: bool
    names: Mapping[str, str]
    timestamp: int | None
    result: Imported = msgspec.field(default_factory=Imported)

    def read_event(self, raw: Any, place: str) -> None:
        try:
            event = read_as(Event, raw)
            kick_off = moment(event.commence_time)
        except FeedError as error:
            self._leave_out("broken event", raw, f"{place}: {error}")
            return
        for number, bookmaker in enumerate(event.bookmakers, start=1):
            self._read_bookmaker(bookmaker, event, kick_off, f"{place}, bookmaker {number}")

    def _read_bookmaker(self, raw: Any, event: Event, kick_off: int, place: str) -> None:
        try:
            bookmaker = read_as(Bookmaker, raw)
        except FeedError as error:
            self._leave_out("broken bookmaker", raw, f"{place}: {error}")
            return
        groups: _Groups = {}
        for market in bookmaker.markets:
            try:
                self._read_market(read_as(Market, market), bookmaker, event, groups)
            except FeedError as error:
                self._leave_out("broken market", market, f"{place}: {error}")
        for (market_type, period), group in groups.items():
            if group.odds or group.unread:
                name = self.names[bookmaker.key]
                self._say(event, kick_off, name, MarketKind(market_type, period), group, place)

    def _read_market(
        self, market: Market, bookmaker: Bookmaker, event: Event, groups: _Groups
    ) -> None:
        code = competition(event.sport_key)
        kind = market_kind(market.key, code)
        if kind is None:
            self.result.skipped[market.key] += count_prices(market.outcomes, "price")
            return
        scraped_at, keys = self._scraped_at(market, bookmaker), set[tuple[str, int]]()
        outcomes = list(self._outcomes(market))
        for outcome in outcomes:
            key = (market_type_of(kind, outcome, code), kind.period)
            keys.add(key)
            group = groups.setdefault(key, _Group(scraped_at))
            group.url = group.url or _link(market.link) or _link(bookmaker.link)
            group.scraped_at = min(group.scraped_at, scraped_at)
            self._read_outcome(kind, outcome, event, group)
        if len(outcomes) < len(market.outcomes):
            for key in keys or {(kind.market_type, kind.period)}:
                group = groups.setdefault(key, _Group(scraped_at))
                group.unread.setdefault(UNNAMED, BROKEN_OUTCOME)

    def _scraped_at(self, market: Market, bookmaker: Bookmaker) -> int:
        said = market.last_update or bookmaker.last_update
        if said is not None:
            return moment(said)
        if self.timestamp is None:
            raise FeedError(f"{market.key}: expected last_update on the market or bookmaker")
        return self.timestamp

    def _outcomes(self, market: Market) -> Iterator[Outcome]:
        """Yield the outcomes that can be read; the prices of others are counted."""
        for raw in market.outcomes:
            try:
                yield read_as(Outcome, raw)
            except FeedError:
                self.result.skipped[BROKEN_OUTCOME] += count_prices(raw, "price")

    def _read_outcome(
        self, kind: MarketKind, outcome: Outcome, event: Event, group: _Group
    ) -> None:
        said = outcome.price
        try:
            text, order = selection(kind, outcome, event)
        except UnreadOutcomeError as error:
            self._count(said, str(error))
            group.unread.setdefault(UNNAMED, str(error))
            return
        if text in group.odds or text in group.unread:
            self._count(said, SAID_TWICE)
        elif isinstance(said, str):
            group.unread[text] = NO_NUMBER
            self.result.skipped[NO_NUMBER] += 1
        elif not is_offered(said, self.american):
            group.odds[text] = order, 0.0
            self._count(said, NOT_OFFERED)
        elif said is None or (price := decimal_odds(said, self.american)) is None:
            group.unread[text] = IMPOSSIBLE
            self.result.skipped[IMPOSSIBLE] += 1
        else:
            group.odds[text] = order, price
            self._take_offer(text, outcome, group)

    def _count(self, price: object, reason: str) -> None:
        """Count a price that is left out; null is none."""
        if price is not None:
            self.result.skipped[reason] += 1

    def _take_offer(self, text: str, outcome: Outcome, group: _Group) -> None:
        offer = _offer(outcome)
        if offer != NO_OFFER:
            group.offers[text] = offer
        if offer.bet_limit is not None:
            group.limit = min(offer.bet_limit, group.limit or math.inf)

    def _say(
        self,
        event: Event,
        kick_off: int,
        bookmaker: str,
        kind: MarketKind,
        group: _Group,
        place: str,
    ) -> None:
        ordered = sorted(group.odds.items(), key=lambda item: item[1][0])
        quote = Quote(
            bookmaker=bookmaker,
            match_name=f"{fold_name(event.home_team)} vs {fold_name(event.away_team)}",
            competition=competition(event.sport_key),
            market_type=kind.market_type,
            period=kind.period,
            odds={text: price for text, (_, price) in ordered},
            scraped_at=group.scraped_at,
            is_live=kick_off <= group.scraped_at,
            match_date=kick_off,
            event=f"the-odds-api:{event.id}" if event.id is not None else None,
            url=group.url,
            liquidity=group.limit,
            offers=group.offers or None,
            sport=event.sport_key.partition("_")[0],
            unread=group.unread or None,
        )
        try:
            checked = check_quote(quote, quote.scraped_at)
            if lost := sum(map(bool, quote.odds.values())) - len(checked.odds):
                self.result.skipped[BROKEN_DRAW] += lost
            self.result.quotes.append(checked)
        except BadQuoteError as error:
            self.result.skipped["broken market"] += sum(map(bool, quote.odds.values()))
            self.result.problems.append(f"{self.file}: {place}: {error}")

    def _leave_out(self, reason: str, raw: Any, problem: str) -> None:
        self.result.skipped += Counter({reason: count_prices(raw, "price")})
        self.result.problems.append(f"{self.file}: {problem}")


def _link(said: Any) -> str | None:
    """A link that can be opened as it is: some leave out the user's state, as ``{state}``."""
    if not isinstance(said, str) or "{" in said:
        return None
    try:
        return check_link(said)
    except BadQuoteError:
        return None


def _offer(outcome: Outcome) -> Offer:
    """What stands beside a price; what makes no sense there costs nothing but itself."""
    sid, limit = outcome.sid, outcome.bet_limit
    has_sid = isinstance(sid, str) and 0 < len(sid) <= LONGEST_NAME and sid.isprintable()
    has_limit = isinstance(limit, int | float) and 0 < limit < math.inf
    return Offer(sid if has_sid else None, float(limit) if has_limit else None, _link(outcome.link))


def _bookmaker_titles(events: list[Any]) -> Iterator[tuple[str, str]]:
    for event in events:
        for bookmaker in _items(event, "bookmakers"):
            key, title = bookmaker.get("key"), bookmaker.get("title")
            if isinstance(key, str) and isinstance(title, str):
                yield key, title


def _prices(events: list[Any]) -> Iterator[float]:
    for event in events:
        for bookmaker in _items(event, "bookmakers"):
            for market in _items(bookmaker, "markets"):
                for outcome in _items(market, "outcomes"):
                    if isinstance(price := outcome.get("price"), int | float):
                        yield price


def _items(raw: Any, name: str) -> list[dict[str, Any]]:
    items = raw.get(name) if isinstance(raw, dict) else None
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []
