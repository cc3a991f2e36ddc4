"""Turns Kalshi's markets into quotes: what a Yes on each side of a game costs."""

import re
from collections import Counter
from collections.abc import Iterable
from decimal import Decimal
from typing import Any, Final

import msgspec

from oddsdesk.contract.competitions import FOOTBALL, played_sport
from oddsdesk.contract.identity import fold_name
from oddsdesk.contract.quotes import Quote
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.kalshi.series import PARLAYS, competition, sport
from oddsdesk.feeds.kalshi.shapes import ACTIVE, Market, read_page
from oddsdesk.feeds.parts import read_as
from oddsdesk.pricing.selections import order_selections

__all__ = ["Reading", "read_page"]

BOOKMAKER: Final = "Kalshi"
DRAW: Final = "Draw"
PARLAY: Final = "parlay"
NOT_A_WINNER: Final = "not who wins a game"
NO_DRAW: Final = "draw without a possible price"
ANOTHER_DAY: Final = "the same teams again, later"
_TIE: Final = "tie"
_DATE: Final = re.compile(r"[^-]+-(\d{2})([A-Z]{3})(\d{2})(\d{4})?")
_MONTHS: Final = "JANFEBMARAPRMAYJUNJULAUGSEPOCTNOVDEC"
_TITLE: Final = re.compile(r"(.+?) (vs\.?|at|@) (.+?) Winner\?", re.IGNORECASE)
_PLACES: Final = 6
"""Decimals of odds, enough for the net odds computed from them (D46)."""


class _Game(msgspec.Struct):
    """The asks of one event by what they select, None where nobody sells."""

    match_name: str
    competition: str
    asks: dict[str, Decimal | None] = msgspec.field(default_factory=dict)
    sport: str | None = None
    is_cut: bool = False
    """A market of it could not be read, maybe that of the draw."""

    @property
    def odds(self) -> dict[str, float]:
        order = order_selections("moneyline", self.match_name, self.asks)
        asks = {text: ask for text in order if (ask := self.asks[text]) is not None}
        return {text: round(float(1 / ask), _PLACES) for text, ask in asks.items()}

    @property
    def is_football(self) -> bool:
        return played_sport(self.competition, self.sport) == FOOTBALL

    @property
    def is_without_its_draw(self) -> bool:
        """Whether the draw is missing, so that the market would look two-way (D48)."""
        has_draw = DRAW in self.asks or self.is_cut or self.is_football
        return has_draw and self.asks.get(DRAW) is None


class Reading(msgspec.Struct):
    """Pages of one answer: every market is in a quote or counted by why it is not.

    ``problems`` are lines for people, each naming a market and what is wrong with it.
    """

    skipped: Counter[str] = msgspec.field(default_factory=Counter)
    problems: list[str] = msgspec.field(default_factory=list)
    tickers: dict[tuple[str, str], str] = msgspec.field(default_factory=dict)
    """The event of each quote, by competition and game."""
    _games: dict[str, _Game] = msgspec.field(default_factory=dict)
    _cut: set[str] = msgspec.field(default_factory=set)
    """Events of which a market could not be read."""

    def read(self, markets: Iterable[Any]) -> None:
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
                if isinstance(raw, dict) and isinstance(event := raw.get("event_ticker"), str):
                    self._cut.add(event)

    def quotes(self, now_ms: int) -> list[Quote]:
        """Return a quote a game, of now; Kalshi tells neither its kick-off nor who is at home.

        Of several games of the same teams only the first is said: without a kick-off nobody
        could tell them apart.
        """
        quotes: dict[tuple[str, str], Quote] = {}
        for event, game in sorted(self._games.items(), key=lambda item: _day(item[0])):
            game.is_cut = event in self._cut
            odds = game.odds
            if game.is_without_its_draw:
                self.skipped[NO_DRAW] += len(odds)
            elif not odds:
                continue
            elif (game.competition, game.match_name) in quotes:
                self.skipped[ANOTHER_DAY] += len(odds)
            else:
                quotes[game.competition, game.match_name] = _quote(game, odds, now_ms)
                self.tickers[game.competition, game.match_name] = event
        return list(quotes.values())

    def _read_market(self, market: Market) -> None:
        found = _TITLE.fullmatch(fold_name(market.title))
        if found is None:
            self.skipped[NOT_A_WINNER] += 1
        elif (text := _selection(found, fold_name(market.yes_sub_title))) is None:
            self.skipped["unknown outcome"] += 1
        elif market.status != ACTIVE:
            self.skipped[market.status] += 1
            self._game(market, found).asks[text] = None
        else:
            ask = market.yes_ask
            self._game(market, found).asks[text] = ask

    def _game(self, market: Market, title: re.Match[str]) -> _Game:
        between = "vs" if title[2].lower().startswith("vs") else "@"
        game = _Game(
            f"{title[1]} {between} {title[3]}",
            competition(market.event_ticker),
            sport=sport(market.event_ticker),
        )
        return self._games.setdefault(market.event_ticker, game)


def _selection(title: re.Match[str], name: str) -> str | None:
    known = {_TIE: DRAW, title[1].casefold(): title[1], title[3].casefold(): title[3]}
    return known.get(name.casefold())


def _day(event_ticker: str) -> tuple[str, int, str, str, str]:
    """What sorts events by the day, and the time where it is told, that their tickers hold."""
    found = _DATE.match(event_ticker)
    if found is None:
        return "", 0, "", "", event_ticker
    return found[1], _MONTHS.find(found[2]), found[3], found[4] or "", event_ticker


def _quote(game: _Game, odds: dict[str, float], now_ms: int) -> Quote:
    return Quote(
        bookmaker=BOOKMAKER,
        match_name=game.match_name,
        competition=game.competition,
        market_type="moneyline",
        period=0,
        odds=odds,
        scraped_at=now_ms,
        sport=game.sport,
    )
