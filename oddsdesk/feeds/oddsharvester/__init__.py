"""Converts OddsPortal's prices and results, as saved by OddsHarvester, JSON or CSV."""

import re
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

import msgspec

from oddsdesk.base.spreadsheets import SheetError, read_csv
from oddsdesk.base.texts import N_
from oddsdesk.contract.competitions import played_sport
from oddsdesk.contract.identity import fold_name
from oddsdesk.contract.markets import LINE_MARKETS, Form, form_of
from oddsdesk.contract.quotes import UNNAMED, Quote
from oddsdesk.contract.results import GameResult
from oddsdesk.contract.texts import json_words
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.imported import OVER, Imported, Importer, SourceFile, count_prices, file_by_file
from oddsdesk.feeds.notation import (
    decimal_odds,
    is_american,
    is_json,
    is_offered,
    iso_ms,
    line_text,
    python_value,
    read_json,
    signed_text,
)
from oddsdesk.feeds.oddsharvester.results import Score, result_of
from oddsdesk.pricing.selections import order_selections

__all__ = ["IMPORTER", "convert"]


SOURCE = "oddsharvester"
MARKET = "_market"
_EXPECTED = N_("expected OddsHarvester's JSON (an array of games with home_team and markets)")
_EXPECTED_CSV = N_(
    "expected OddsHarvester's JSON, or its CSV with the columns home_team and match_link"
)
_NOT_PRICES = frozenset(
    {"bookmaker_name", "period", "submarket_name", "market_type", "extraction_mode"}
)
_FRACTION = re.compile(r"(\d{1,4})/(\d{1,4})")
_PRICE_IN_TEXT = re.compile(r"'[^']{1,40}': '[+-]?[0-9][0-9./]{0,9}'")


class Game(msgspec.Struct, frozen=True):
    """A game as it was read at ``scraped_date``; the live ones say more."""

    scraped_date: str
    home_team: str
    away_team: str
    league_name: str = ""
    match_date: str | None = None
    match_link: str = ""
    venue_country: str | None = None
    live_period: str | None = None
    scraped_at_utc: str | None = None
    home_score: Score = None
    away_score: Score = None
    partial_results: str | None = None
    match_status: str | None = None
    live_score_home: Score = None
    live_score_away: Score = None

    @property
    def league(self) -> "League":
        """Where it is played."""
        return league_of(self.match_link, self.league_name, self.venue_country or "")

    @property
    def is_live(self) -> bool:
        """Whether it was read in play: only then are these fields written."""
        return self.live_period is not None or self.scraped_at_utc is not None

    @property
    def has_ended(self) -> bool:
        """Whether it has a final score."""
        scores = (self.home_score, self.away_score)
        return not self.is_live and all(
            score is not None and str(score).strip() for score in scores
        )


class Row(msgspec.Struct, frozen=True):
    """One bookmaker's prices of one market, those themselves not looked into yet."""

    bookmaker_name: str | None = None
    period: str | None = None
    blocked_outcomes: list[str] = []


def read_games(data: bytes) -> list[Any]:
    """Return the games of a file, not looked into yet.

    Raises:
        FeedError: it is neither JSON nor CSV, or of another shape; says which.
    """
    if not is_json(data):
        return _games_of_table(data)
    raw = read_json(data, _EXPECTED)
    if not isinstance(raw, list):
        raise FeedError(f"{_EXPECTED}, but this is not an array")
    if raw and not any(isinstance(game, dict) and "home_team" in game for game in raw):
        raise FeedError(f"{_EXPECTED}, but none of these has a home_team")
    if any(isinstance(game, dict) and "bookmakers" in game for game in raw):
        raise FeedError(
            f"{_EXPECTED}, but these are odds of The Odds API, which"
            " `oddsdesk import the-odds-api` reads"
        )
    return raw


def _games_of_table(data: bytes) -> list[Any]:
    """Return the games of a CSV file as JSON has them, and the error of the row that ends it.

    A cell holds a market as Python writes it: ``[{'1': '1.35', 'bookmaker_name': 'bet365'}]``. One
    that cannot be read stays a text.
    """
    try:
        titles, rows = read_csv(data)
    except SheetError as error:
        raise FeedError(f"{_EXPECTED_CSV}, but this {error}") from error
    if not {"home_team", "match_link"} <= set(titles):
        raise FeedError(f"{_EXPECTED_CSV}, but this has neither")
    games: list[Any] = []
    try:
        for row in rows:
            cells = ((name, text) for name, text in row.cells.items() if text)
            games.append(
                {
                    name: python_value(text) if name.endswith(MARKET) else text
                    for name, text in cells
                }
            )
    except SheetError as error:
        games.append(error)
    return games


def markets_of(raw: dict[str, Any]) -> dict[str, list[Any]]:
    """Return the rows of each market of a game, by the market's name."""
    return {
        name.removesuffix(MARKET): rows
        for name, rows in raw.items()
        if name.endswith(MARKET) and isinstance(rows, list)
    }


def prices_of(raw: Any) -> dict[str, float]:
    """Return the prices of a row by their labels; ``-`` is none, a fraction is made decimal."""
    if not isinstance(raw, dict):
        return {}
    read = {label: _price(value) for label, value in raw.items() if label not in _NOT_PRICES}
    return {label: price for label, price in read.items() if price is not None}


def unreadable_of(raw: dict[str, Any]) -> list[str]:
    """Return the labels of a row whose text is no price; ``-`` and blanks are none."""
    return [
        label
        for label, value in raw.items()
        if isinstance(value, str)
        and label not in _NOT_PRICES
        and value.strip(" -")
        and _price(value) is None
    ]


def moment(text: str) -> int:
    """Return a time such as ``2026-02-02 09:29:46 UTC`` in milliseconds.

    Raises:
        FeedError: it is no time.
    """
    return iso_ms(text.removesuffix(" UTC") + "Z" if text.endswith(" UTC") else text)


def _price(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    if isinstance(value, str) and (found := _FRACTION.fullmatch(value.strip())):
        return 1 + int(found[1]) / int(found[2]) if int(found[2]) else None
    try:
        return float(value)
    except ValueError:
        return None


TENNIS = "tennis"
EUROPE = "europe"
_SEASON = re.compile(r"\s+\d{4}(?:/\d{4})?$")
_NOT_OF_SLUGS = re.compile(r"[^\w]+")
_LINK = re.compile(r"https?://[^/]+/([^/#?]+)/([^/#?]+)/([^/#?]+)")
_NO_COUNTRY = "h2h"
_CODES = MappingProxyType(
    {
        ("football", "england", "premier-league"): "EPL",
        ("football", "england", "championship"): "EFL",
        ("football", "germany", "bundesliga"): "BUND",
        ("football", "germany", "2-bundesliga"): "GER2",
        ("football", "spain", "laliga"): "LIGA",
        ("football", "spain", "laliga2"): "LIGA2",
        ("football", "italy", "serie-a"): "SERA",
        ("football", "france", "ligue-1"): "LIG1",
        ("football", "france", "ligue-2"): "LIG2",
        ("football", "netherlands", "eredivisie"): "ERED",
        ("football", EUROPE, "champions-league"): "UCL",
        ("football", EUROPE, "europa-league"): "UEL",
        ("football", "usa", "mls"): "MLS",
        ("football", "brazil", "serie-a"): "BRAS",
        ("football", "brazil", "serie-a-betano"): "BRAS",
        ("football", "argentina", "liga-profesional"): "ARG",
        ("basketball", "usa", "nba"): "NBA",
        ("basketball", EUROPE, "euroleague"): "EURO",
        ("hockey", "usa", "nhl"): "NHL",
        ("hockey", "usa", "ahl"): "AHL",
        ("hockey", "russia", "khl"): "KHL",
        ("hockey", "sweden", "shl"): "SHL",
        ("hockey", "germany", "del"): "DEL",
        ("hockey", "finland", "liiga"): "LIIGA",
        ("baseball", "usa", "mlb"): "MLB",
        ("american-football", "usa", "nfl"): "NFL",
        ("rugby-league", "australia", "nrl"): "RUGBY",
    }
)
"""By the sport, country and league of OddsPortal's addresses."""


class League(msgspec.Struct, frozen=True):
    """Where a game is played: the sport as OddsPortal writes it, and what we call the league."""

    sport: str
    competition: str


def league_of(link: str, name: str, country: str) -> League:
    """Return the league of a game; one without a code keeps its name, its country before it.

    Args:
        link: The game's page; its address names the sport, and mostly the country.
        name: The league, maybe with its season: ``Premier League 2024/2025``.
        country: Where the game is played, for pages that name no country.
    """
    found = _LINK.match(link)
    sport, place = (found[1], found[2]) if found else ("", _NO_COUNTRY)
    if place == _NO_COUNTRY:
        place = _slug(country)
    plain = _SEASON.sub("", fold_name(name))
    if sport == TENNIS:
        return League(sport, "TENNIS")
    for where in (place, EUROPE):
        if code := _CODES.get((sport, where, _slug(plain))):
            return League(sport, code)
    return League(sport, f"{place.replace('-', ' ').title()} - {plain}" if place else plain)


def _slug(text: str) -> str:
    return _NOT_OF_SLUGS.sub("-", fold_name(text).casefold()).strip("-")


_WHOLE = MappingProxyType(
    {
        "1x2": "moneyline",
        "home_away": "moneyline",
        "match_winner": "moneyline",
        "btts": "btts",
        "double_chance": "double_chance",
        "dnb": "draw_no_bet",
    }
)
_LINE = r"([+-]?\d+(?:_\d+)?)"
_TOTAL = re.compile(rf"over_under_(?:(sets|games|points)_)?{_LINE}")
_HANDICAP = re.compile(rf"(?:asian_)?handicap_(?:games_)?{_LINE}(?:_(sets|games|points))?")
_THREE_WAY_MARKETS = re.compile(rf"european_handicap_{_LINE}")
_TEAM = re.compile(r"(?:.*(?:team|player)_?)?([12])(?:_handicap)?")
_WHOLE_GAME = (None, "FullTime", "FullIncludingOT")
_ORDINALS = ("First", "Second", "Third", "Fourth", "Fifth")
_PARTS = MappingProxyType(
    {
        "football": "Half",
        "rugby-league": "Half",
        "rugby-union": "Half",
        "handball": "Half",
        "basketball": "Quarter",
        "hockey": "Period",
        TENNIS: "Set",
        "volleyball": "Set",
    }
)
"""Parts that the contract counts as periods 1, 2, ... of the sport."""


class MarketKind(msgspec.Struct, frozen=True):
    """A market of the contract, and the line it is offered at; of handicaps the home team's."""

    market_type: str
    line: float | None = None


def market_kind(key: str, sport: str) -> MarketKind | None:
    """Return the market of a name such as ``over_under_2_5``; None for one without a place here."""
    if whole := _WHOLE.get(key):
        return MarketKind(whole)
    if found := _THREE_WAY_MARKETS.fullmatch(key):
        return MarketKind("3way_handicap", _number(found[1]))
    if found := _TOTAL.fullmatch(key):
        unit, line, types = found[1], found[2], ("total", "total_games")
    elif found := _HANDICAP.fullmatch(key):
        line, unit, types = found[1], found[2], ("spread", "games_handicap")
    else:
        return None
    if sport == "volleyball" and unit == "points":
        return None
    counts_games = sport == TENNIS and unit != "sets"
    return MarketKind(types[counts_games], _number(line))


def period_of(name: str | None, sport: str) -> int | None:
    """Return the period that a name such as ``FirstHalf`` is; None for one that has no number."""
    if name in _WHOLE_GAME:
        return 0
    if (sport, name) == ("american-football", "FirstHalf"):
        return 1
    part = _PARTS.get(sport)
    numbers = {f"{ordinal}{part}": number for number, ordinal in enumerate(_ORDINALS, start=1)}
    return numbers.get(name or "")


def selection_of_label(kind: MarketKind, label: str, home: str, away: str) -> str | None:
    """Return the text of what a label selects, None for one that the market lacks."""
    match form_of(kind.market_type):
        case Form.WINNER:
            return _team(label, home, away)
        case Form.HANDICAP:
            return _handicap(kind, label, home, away)
        case Form.YES_NO:
            return {"btts_yes": "Yes", "btts_no": "No"}.get(label)
        case Form.DOUBLE_CHANCE:
            return label if label in ("1X", "X2", "12") else None
        case _:
            side = {"odds_over": "Over", "odds_under": "Under"}.get(label)
            return side and f"{side} {line_text(kind.line or 0.0)}"


def _team(label: str, home: str, away: str) -> str | None:
    if label in ("X", "draw_handicap"):
        return "Draw"
    found = _TEAM.fullmatch(label)
    return None if found is None else home if found[1] == "1" else away


def _handicap(kind: MarketKind, label: str, home: str, away: str) -> str | None:
    team = _team(label, home, away)
    if team is None or (team == "Draw" and kind.market_type != "3way_handicap"):
        return None
    line = kind.line or 0.0
    return f"{team} {signed_text(-line if team == away else line)}"


def _number(text: str) -> float:
    return float(text.replace("_", "."))


IMPOSSIBLE = N_("impossible price")
UNKNOWN = "unknown outcome"
NO_NUMBER = N_("not a number")
SAID_TWICE = "duplicate"
BLOCKED = "no longer offered"
NO_BOOKMAKER = N_("best price without its bookmaker")
HISTORY = N_("odds history")
_THREE_WAY, _DRAW_LABEL = "1x2", "X"


def convert(file: SourceFile) -> Imported:
    """Return the quotes and results of one file; unreadable parts are listed as problems.

    Prices read after kick-off, and not in play, are closing prices: their ``scraped_at`` is the
    kick-off.

    Raises:
        FeedError: the file is not OddsHarvester's.
    """
    games = read_games(file.data)
    reading = _Reading(file.name, is_american(_all_prices(games)))
    if reading.american:
        reading.result.american.append(file.name)
    for number, raw in enumerate(games, start=1):
        reading.read_game(raw, f"game {number}")
    return reading.result


IMPORTER = Importer(file_by_file(convert))


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
        if isinstance(raw, SheetError):
            self.result.problems.append(f"{self.file}: {raw}; what follows is not read")
            return
        try:
            game = self._known(msgspec.convert(raw, Game), place)
        except (FeedError, msgspec.ValidationError) as error:
            prices = sum(len(prices_of(row)) for row in _rows(raw))
            why = str(error) if isinstance(error, FeedError) else json_words(error)
            self._leave_out(N_("broken game"), prices, f"{place}: {why}")
            return
        if game is None:
            self._skip(OVER, sum(len(prices_of(row)) for row in _rows(raw)))
            return
        self._leave_out_texts(raw, place)
        groups: _Groups = {}
        for key, rows in markets_of(raw).items():
            for row in rows:
                self._read_row(key, row, game, groups)
        for (bookmaker, market_type, period), group in groups.items():
            self._say(game, bookmaker, market_type, period, group)

    def _leave_out_texts(self, raw: dict[str, Any], place: str) -> None:
        """Count the prices of markets that could not be read, mostly cut by a spreadsheet."""
        for key, text in raw.items():
            if key.endswith(MARKET) and isinstance(text, str):
                prices = len(_PRICE_IN_TEXT.findall(text))
                self._leave_out(
                    N_("broken row"), prices, N_(f"{place}, {key}: the cell is cut or damaged")
                )

    def _known(self, game: Game, place: str) -> _Known | None:
        """Return a game; None if it is over but dated as the teams' next game.

        OddsPortal's page of two teams shows the prices of their last game with the date of their
        next. The date of the last game is unknown.
        """
        scraped_at = moment(game.scraped_at_utc or game.scraped_date)
        kick_off = None if game.match_date is None else moment(game.match_date)
        if game.has_ended and (kick_off is None or kick_off > scraped_at):
            return None
        if kick_off is not None:
            self._note_result(game, kick_off, scraped_at)
        if kick_off is not None and kick_off < scraped_at and not game.is_live:
            scraped_at = kick_off
            self.result.inferred_times = True
        return _Known(
            home=fold_name(game.home_team),
            away=fold_name(game.away_team),
            league=game.league,
            scraped_at=scraped_at,
            kick_off=kick_off,
            is_live=game.is_live,
            place=place,
        )

    def _note_result(self, game: Game, kick_off: int, read_at: int) -> None:
        league = game.league
        base = GameResult(
            league.competition,
            f"{fold_name(game.home_team)} vs {fold_name(game.away_team)}",
            kick_off,
            sport=played_sport(league.competition, league.sport),
            source=SOURCE,
            reported_at=read_at,
        )
        home, away = game.home_score, game.away_score
        if game.is_live:
            home, away = game.live_score_home, game.live_score_away
        partial, status = game.partial_results or "", game.match_status or ""
        result = result_of(base, home, away, partial, status, is_live=game.is_live)
        if result is not None:
            self.result.results.append(result)

    def _read_row(self, key: str, raw: Any, game: _Known, groups: _Groups) -> None:
        prices = prices_of(raw)
        try:
            row = msgspec.convert(raw, Row)
        except msgspec.ValidationError as error:
            why = f"{game.place}, {key}: {json_words(error)}"
            self._leave_out(N_("broken row"), len(prices), why)
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
                self._skip(SAID_TWICE, len(prices))  # two markets: with and without overtime
            else:
                self._note_unread(kind, unreadable_of(raw), game, group)
                if key == _THREE_WAY and _DRAW_LABEL not in prices and "Draw" not in group.unread:
                    group.odds["Draw"] = 0.0  # it is a market with a draw
                self._read_prices(kind, prices, row, game, group)

    def _note_unread(
        self, kind: MarketKind, labels: Iterable[str], game: _Known, group: _Group
    ) -> None:
        for label in labels:
            text = selection_of_label(kind, label, game.home, game.away)
            if text is not None and text not in group.odds:
                group.unread[text] = NO_NUMBER
                self._skip(NO_NUMBER, 1)

    def _read_prices(
        self, kind: MarketKind, prices: Mapping[str, float], row: Row, game: _Known, group: _Group
    ) -> None:
        for label, price in prices.items():
            text = selection_of_label(kind, label, game.home, game.away)
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
        self.result.keep_quote(quote, N_("broken row"), f"{self.file}: {game.place}")

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
