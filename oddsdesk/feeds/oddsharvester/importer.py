"""Turns OddsHarvester's JSON into quotes, with every price accounted for."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec

from oddsdesk.contract.identity import fold_name
from oddsdesk.contract.json_words import json_words
from oddsdesk.contract.markets import LINE_MARKETS
from oddsdesk.contract.quotes import UNNAMED, BadQuoteError, Quote, check_quote
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.imported import OVER, Imported, SourceFile, count_prices
from oddsdesk.feeds.notation import decimal_odds, is_american, is_offered
from oddsdesk.feeds.oddsharvester.leagues import League, league_of
from oddsdesk.feeds.oddsharvester.markets import MarketKind, market_kind, period_of, selection
from oddsdesk.feeds.oddsharvester.shapes import (
    Game,
    Row,
    markets_of,
    moment,
    prices_of,
    read_games,
    unreadable_of,
)
from oddsdesk.pricing.selections import order_selections

IMPOSSIBLE = "impossible price"
UNKNOWN = "unknown outcome"
NO_NUMBER = "not a number"
SAID_TWICE = "said twice"
BLOCKED = "no longer offered"
BROKEN_DRAW = "draw without a possible price"
NO_BOOKMAKER = "best price without its bookmaker"
HISTORY = "odds history"
_THREE_WAY, _DRAW_LABEL = "1x2", "X"


def convert(file: SourceFile) -> Imported:
    """Return the quotes of one file; a part that makes no sense is a problem that is named.

    Prices of a game that was read after its kick-off, and not in play, are those it closed with:
    their ``scraped_at`` is the kick-off.

    Raises:
        FeedError: the file is none of OddsHarvester's.
    """
    games = read_games(file.data)
    reading = _Reading(file.name, is_american(_all_prices(games)))
    if reading.american:
        reading.result.american.append(file.name)
    for number, raw in enumerate(games, start=1):
        reading.read_game(raw, f"game {number}")
    return reading.result


class _Known(msgspec.Struct, frozen=True):
    """What all prices of a game share."""

    home: str
    away: str
    league: League
    scraped_at: int
    kick_off: int | None
    is_live: bool
    place: str

    @property
    def match_name(self) -> str:
        return f"{self.home} vs {self.away}"


class _Group(msgspec.Struct):
    """Prices of one bookmaker that make one quote, and the market that began it."""

    begun_by: str
    odds: dict[str, float] = msgspec.field(default_factory=dict)
    """By selection; 0 where it is not offered now."""
    unread: dict[str, str] = msgspec.field(default_factory=dict)


_Groups = dict[tuple[str, str, int], _Group]


class _Reading(msgspec.Struct):
    file: str
    american: bool
    result: Imported = msgspec.field(default_factory=Imported)

    def read_game(self, raw: Any, place: str) -> None:
        try:
            game = self._known(msgspec.convert(raw, Game), place)
        except (FeedError, msgspec.ValidationError) as error:
            prices = sum(len(prices_of(row)) for row in _rows(raw))
            why = str(error) if isinstance(error, FeedError) else json_words(error)
            self._leave_out("broken game", prices, f"{place}: {why}")
            return
        if game is None:
            self._skip(OVER, sum(len(prices_of(row)) for row in _rows(raw)))
            return
        groups: _Groups = {}
        for key, rows in markets_of(raw).items():
            for row in rows:
                self._read_row(key, row, game, groups)
        for (bookmaker, market_type, period), group in groups.items():
            self._say(game, bookmaker, market_type, period, group)

    def _known(self, game: Game, place: str) -> _Known | None:
        """Return what is known of a game; None of one that is over and dated as the next one.

        OddsPortal's page of two teams shows the prices of their last game beside the date of their
        next. When the last was played nobody tells.
        """
        scraped_at = moment(game.scraped_at_utc or game.scraped_date)
        kick_off = None if game.match_date is None else moment(game.match_date)
        if game.is_over and (kick_off is None or kick_off > scraped_at):
            return None
        if kick_off is not None and kick_off < scraped_at and not game.is_live:
            scraped_at = kick_off
            self.result.inferred_times = True
        return _Known(
            home=fold_name(game.home_team),
            away=fold_name(game.away_team),
            league=league_of(game.match_link, game.league_name, game.venue_country or ""),
            scraped_at=scraped_at,
            kick_off=kick_off,
            is_live=game.is_live,
            place=place,
        )

    def _read_row(self, key: str, raw: Any, game: _Known, groups: _Groups) -> None:
        prices = prices_of(raw)
        try:
            row = msgspec.convert(raw, Row)
        except msgspec.ValidationError as error:
            why = f"{game.place}, {key}: {json_words(error)}"
            self._leave_out("broken row", len(prices), why)
            return
        self._skip(HISTORY, count_prices(raw.get("odds_history_data"), "odds"))
        kind = market_kind(key, game.league.sport)
        period = period_of(row.period, game.league.sport)
        if row.bookmaker_name is None:
            self._skip(NO_BOOKMAKER, len(prices))
        elif kind is None:
            self._skip(key, len(prices))
        elif period is None:
            self._skip(f"period {row.period}", len(prices))
        else:
            group = groups.setdefault(
                (row.bookmaker_name, kind.market_type, period), _Group(begun_by=key)
            )
            if group.begun_by != key and kind.market_type not in LINE_MARKETS:
                self._skip(SAID_TWICE, len(prices))  # with overtime and without are two markets
            else:
                self._note_unread(kind, unreadable_of(raw), game, group)
                if key == _THREE_WAY and _DRAW_LABEL not in prices and "Draw" not in group.unread:
                    group.odds["Draw"] = 0.0  # it is a market with a draw
                self._read_prices(kind, prices, row, game, group)

    def _note_unread(
        self, kind: MarketKind, labels: Iterable[str], game: _Known, group: _Group
    ) -> None:
        for label in labels:
            text = selection(kind, label, game.home, game.away)
            if text is not None and text not in group.odds:
                group.unread[text] = NO_NUMBER
                self._skip(NO_NUMBER, 1)

    def _read_prices(
        self, kind: MarketKind, prices: Mapping[str, float], row: Row, game: _Known, group: _Group
    ) -> None:
        for label, price in prices.items():
            text = selection(kind, label, game.home, game.away)
            if text is None:
                self._skip(UNKNOWN, 1)
                group.unread.setdefault(UNNAMED, UNKNOWN)
            elif text in group.odds or text in group.unread:
                self._skip(SAID_TWICE, 1)
            elif label in row.blocked_outcomes or not is_offered(price, self.american):
                group.odds[text] = 0.0
                self._skip(BLOCKED, 1)
            elif (decimal := decimal_odds(price, self.american)) is None:
                group.unread[text] = IMPOSSIBLE
                self._skip(IMPOSSIBLE, 1)
            else:
                group.odds[text] = decimal

    def _say(
        self, game: _Known, bookmaker: str, market_type: str, period: int, group: _Group
    ) -> None:
        if not group.odds and not group.unread:
            return
        order = order_selections(market_type, game.match_name, list(group.odds))
        quote = Quote(
            bookmaker=bookmaker,
            match_name=game.match_name,
            competition=game.league.competition,
            market_type=market_type,
            period=period,
            odds={text: group.odds[text] for text in order},
            scraped_at=game.scraped_at,
            is_live=game.is_live,
            match_date=game.kick_off,
            sport=game.league.sport,
            unread=group.unread or None,
        )
        prices = sum(map(bool, quote.odds.values()))
        try:
            checked = check_quote(quote, quote.scraped_at)
            self._skip(BROKEN_DRAW, prices - len(checked.odds))
            self.result.quotes.append(checked)
        except BadQuoteError as error:
            self._leave_out("broken row", prices, f"{game.place}: {error}")

    def _skip(self, reason: str, prices: int) -> None:
        if prices:
            self.result.skipped[reason] += prices

    def _leave_out(self, reason: str, prices: int, problem: str) -> None:
        self._skip(reason, prices)
        self.result.problems.append(f"{self.file}: {problem}")


def _rows(raw: Any) -> Iterator[Any]:
    if isinstance(raw, dict):
        for rows in markets_of(raw).values():
            yield from rows


def _all_prices(games: list[Any]) -> Iterator[float]:
    for game in games:
        for row in _rows(game):
            yield from prices_of(row).values()
