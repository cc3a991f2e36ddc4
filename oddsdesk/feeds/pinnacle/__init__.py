"""Pinnacle's v3 odds and fixtures as quotes."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import msgspec
from msgspec import UnsetType

from oddsdesk.base.texts import N_
from oddsdesk.contract.competitions import FOOTBALL
from oddsdesk.contract.identity import fold_name
from oddsdesk.contract.quotes import Quote
from oddsdesk.contract.texts import json_words
from oddsdesk.contract.times import parse_ms
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.imported import Imported, Importer, SourceFile, count_prices, prices_in
from oddsdesk.feeds.notation import (
    NOT_OFFERED,
    decimal_odds,
    is_american,
    is_offered,
    line_text,
    read_as,
    read_json,
    signed_text,
)

__all__ = ["IMPORTER", "convert"]


SOCCER = 29
_EXPECTED = N_("expected Pinnacle's v3 odds (with leagues) or fixtures (with league)")


class Fixture(msgspec.Struct, frozen=True, rename="camel"):
    """Who plays and when; ``live_status`` 1 is in play."""

    id: int
    starts: str
    home: str
    away: str
    resulting_unit: str = "Regular"
    live_status: int = 0


class FixtureLeague(msgspec.Struct, frozen=True):
    """The games of a league."""

    name: str
    events: list[Fixture]


class Fixtures(msgspec.Struct, frozen=True, rename="camel"):
    """A fixtures answer."""

    sport_id: int
    league: list[FixtureLeague]


class Handicap(msgspec.Struct, frozen=True):
    """A handicap at the home line ``hdp``; ``max`` is the most that may be staked."""

    hdp: float
    home: float | None
    away: float | None
    max: float | None = None


class Total(msgspec.Struct, frozen=True):
    """Over and under of one line."""

    points: float
    over: float | None
    under: float | None
    max: float | None = None


class Moneyline(msgspec.Struct, frozen=True):
    """Prices of the result; null is not offered now."""

    home: float | None
    away: float | None
    draw: float | msgspec.UnsetType | None = msgspec.UNSET


class TeamTotals(msgspec.Struct, frozen=True):
    """A total of each team."""

    home: Total | None = None
    away: Total | None = None


class Period(msgspec.Struct, frozen=True, rename="camel"):
    """The markets of one period with their limits; ``status`` 1 is open."""

    number: int
    status: int = 1
    moneyline: Moneyline | None = None
    spreads: list[Handicap] = []
    totals: list[Total] = []
    team_total: TeamTotals | None = None
    max_moneyline: float | None = None
    max_spread: float | None = None
    max_total: float | None = None
    max_team_total: float | None = None


class Event(msgspec.Struct, frozen=True):
    """The periods of a game, not looked into yet."""

    id: int
    periods: list[Any]


class OddsLeague(msgspec.Struct, frozen=True):
    """The games of a league that have odds."""

    events: list[Event]


class Odds(msgspec.Struct, frozen=True, rename="camel"):
    """An odds answer; ``last`` is when it was given, in milliseconds."""

    sport_id: int
    last: int
    leagues: list[OddsLeague]


def read_answer(data: bytes) -> Odds | Fixtures:
    """Read the bytes of an odds or fixtures answer.

    Raises:
        FeedError: it is neither; says what is wrong.
    """
    raw = read_json(data, _EXPECTED)
    try:
        if isinstance(raw, dict) and "leagues" in raw:
            return msgspec.convert(raw, Odds)
        if isinstance(raw, dict) and "league" in raw:
            return msgspec.convert(raw, Fixtures)
    except msgspec.ValidationError as error:
        raise FeedError(f"{_EXPECTED}: {json_words(error)}") from error
    raise FeedError(f"{_EXPECTED}, but this holds neither")


_Prices = Sequence[tuple[str, float | None]]


class PeriodMarket(msgspec.Struct, frozen=True):
    """One market, selections in the contract's order; ``limit`` is the most that may be staked.

    Odds are 0 where a selection is not offered now; ``unread`` is as ``Quote.unread``.
    """

    market_type: str
    odds: dict[str, float]
    limit: float | None
    unread: dict[str, str]


class MarketReader(msgspec.Struct, frozen=True):
    """Reads the periods of one game; impossible prices are counted in ``skipped``."""

    home: str
    away: str
    american: bool
    skipped: Counter[str]

    def read_period(self, period: Period) -> Iterator[PeriodMarket]:
        """Yield every market of a period that has prices."""
        markets: dict[str, tuple[Callable[[Period], _Prices], float | None]] = {
            "moneyline": (self._moneyline, period.max_moneyline),
            "spread": (self._spreads, _limit(period.max_spread, period.spreads)),
            "total": (self._totals, _limit(period.max_total, period.totals)),
            "team_total": (self._team_totals, period.max_team_total),
        }
        for market_type, (prices_of, limit) in markets.items():
            odds, unread = self._possible(prices_of(period))
            if odds or unread:
                yield PeriodMarket(market_type, odds, limit, unread)

    def _moneyline(self, period: Period) -> _Prices:
        line = period.moneyline
        if line is None:
            return []
        draw = [] if isinstance(line.draw, UnsetType) else [("Draw", line.draw)]
        return [(self.home, line.home), *draw, (self.away, line.away)]

    def _spreads(self, period: Period) -> _Prices:
        return [
            side
            for line in sorted(period.spreads, key=lambda line: line.hdp)
            for side in (
                (f"{self.home} {signed_text(line.hdp)}", line.home),
                (f"{self.away} {signed_text(-line.hdp)}", line.away),
            )
        ]

    def _totals(self, period: Period) -> _Prices:
        lines = sorted(period.totals, key=lambda line: line.points)
        return [side for line in lines for side in _over_under("", line)]

    def _team_totals(self, period: Period) -> _Prices:
        totals = period.team_total
        if totals is None:
            return []
        teams = (("Home ", totals.home), ("Away ", totals.away))
        return [side for team, line in teams if line for side in _over_under(team, line)]

    def _possible(self, prices: _Prices) -> tuple[dict[str, float], dict[str, str]]:
        odds: dict[str, float] = {}
        unread: dict[str, str] = {}
        for selection, price in prices:
            if selection in odds or selection in unread:
                self._count(price, "duplicate")
            elif not is_offered(price, self.american):
                odds[selection] = 0.0
                self._count(price, NOT_OFFERED)
            elif price is None or (decimal := decimal_odds(price, self.american)) is None:
                unread[selection] = N_("impossible price")
                self.skipped[N_("impossible price")] += 1
            else:
                odds[selection] = decimal
        return odds, unread

    def _count(self, price: float | None, reason: str) -> None:
        """Count a price that is left out; null is none."""
        if price is not None:
            self.skipped[reason] += 1


def _over_under(team: str, line: Total) -> _Prices:
    text = line_text(line.points)
    return [(f"{team}Over {text}", line.over), (f"{team}Under {text}", line.under)]


def _limit(of_period: float | None, lines: Sequence[Handicap | Total]) -> float | None:
    """The period's limit, else the least of its lines: no line takes more than that."""
    return of_period or min((line.max for line in lines if line.max is not None), default=None)


BOOKMAKER = "Pinnacle"
_PRICE_FIELDS = ("home", "away", "draw", "over", "under")
_PERIODS = (0, 1)
_OPEN = 1
_IN_PLAY = 1
_SEVERAL_GAMES = re.compile(r"\(\d+ Games\)", re.IGNORECASE)
_COMPETITIONS = MappingProxyType(
    {
        "England - Premier League": "EPL",
        "England - Championship": "EFL",
        "Germany - Bundesliga": "BUND",
        "Germany - Bundesliga 2": "GER2",
        "Spain - La Liga": "LIGA",
        "Spain - Segunda Division": "LIGA2",
        "Italy - Serie A": "SERA",
        "France - Ligue 1": "LIG1",
        "France - Ligue 2": "LIG2",
        "Netherlands - Eredivisie": "ERED",
        "UEFA - Champions League": "UCL",
        "UEFA - Europa League": "UEL",
        "USA - Major League Soccer": "MLS",
        "Brazil - Serie A": "BRAS",
        "Argentina - Liga Pro": "ARG",
    }
)

_Fixtures = Mapping[int, tuple[str, Fixture]]


def convert(files: Sequence[SourceFile]) -> Imported:
    """Return the quotes of odds files, their games named by the fixtures files among them."""
    result = Imported()
    fixtures: dict[int, tuple[str, Fixture]] = {}
    answers: list[tuple[str, Odds]] = []
    for file in files:
        try:
            answer = read_answer(file.data)
        except FeedError as error:
            result.problems.append(f"{file.name}: {error}")
            continue
        if isinstance(answer, Odds):
            answers.append((file.name, answer))
            continue
        for league in answer.league:
            fixtures |= {game.id: (league.name, game) for game in league.events}
    if fixtures and not answers:
        result.problems.append("these are fixtures only: add the odds file")
    for name, odds in answers:
        if not fixtures:
            result.problems.append(f"{name}: add the fixtures file, which has the names")
        _Reading(name, odds, fixtures, result).read_document()
    return result


IMPORTER = Importer(convert, joins_files=True)


class _Reading(msgspec.Struct, frozen=True):
    file: str
    odds: Odds
    fixtures: _Fixtures
    result: Imported

    def read_document(self) -> None:
        american = is_american(_all_prices(self.odds))
        if american:
            self.result.american.append(self.file)
        for league in self.odds.leagues:
            for event in league.events:
                self._read_event(event, american)

    def _read_event(self, event: Event, american: bool) -> None:
        competition, game = self.fixtures.get(event.id, ("", None))
        reason = N_("no fixture") if game is None else _not_a_game(game)
        if game is None or reason is not None:
            self._skip(reason or N_("no fixture"), event.periods)
            return
        reader = MarketReader(
            fold_name(game.home), fold_name(game.away), american, self.result.skipped
        )
        code = _COMPETITIONS.get(competition, competition)
        for raw in event.periods:
            try:
                period = read_as(Period, raw)
                kick_off = parse_ms(game.starts)
            except (FeedError, ValueError) as error:
                self._skip(N_("broken period"), raw)
                self.result.problems.append(f"{self.file}: event {event.id}: {error}")
                continue
            if (fault := self._fault(period)) is not None:
                self._skip(fault, raw)
                continue
            for market in reader.read_period(period):
                self._say(market, period.number, game, code, kick_off)

    def _fault(self, period: Period) -> str | None:
        if self.odds.sport_id != SOCCER:
            return N_("not football")
        if period.number not in _PERIODS:
            return f"period {period.number}"
        return None if period.status == _OPEN else "suspended"

    def _say(
        self, market: PeriodMarket, period: int, game: Fixture, competition: str, kick_off: int
    ) -> None:
        is_live = game.live_status == _IN_PLAY
        if is_live and market.market_type == "spread":
            count = sum(map(bool, market.odds.values()))
            self.result.skipped[N_("handicap of the rest of the game")] += count
            return
        quote = Quote(
            bookmaker=BOOKMAKER,
            match_name=f"{game.home} vs {game.away}",
            competition=competition,
            market_type=market.market_type,
            period=period,
            odds=market.odds,
            scraped_at=self.odds.last,
            is_live=is_live,
            match_date=kick_off,
            liquidity=market.limit,
            unread=market.unread or None,
            sport=FOOTBALL,
        )
        self.result.keep_quote(quote, N_("broken period"), f"{self.file}: {quote.match_name}")

    def _skip(self, reason: str, raw: object) -> None:
        self.result.skipped[reason] += count_prices(raw, *_PRICE_FIELDS)


def _not_a_game(fixture: Fixture) -> str | None:
    if fixture.resulting_unit != "Regular":
        return fixture.resulting_unit.lower()
    several = _SEVERAL_GAMES.search(f"{fixture.home} {fixture.away}")
    return N_("several games") if several else None


def _all_prices(odds: Odds) -> Iterator[float]:
    for league in odds.leagues:
        for event in league.events:
            yield from prices_in(event.periods, *_PRICE_FIELDS)
