"""Joins Pinnacle's odds with its fixtures, every price accounted for."""

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

import msgspec

from oddsdesk.contract.competitions import FOOTBALL
from oddsdesk.contract.identity import fold_name
from oddsdesk.contract.quotes import BadQuoteError, Quote, check_quote
from oddsdesk.contract.times import parse_ms
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.imported import Imported, SourceFile, count_prices, prices_in
from oddsdesk.feeds.notation import is_american
from oddsdesk.feeds.parts import read_as
from oddsdesk.feeds.pinnacle.markets import MarketReader, PeriodMarket
from oddsdesk.feeds.pinnacle.shapes import (
    SOCCER,
    Event,
    Fixture,
    Odds,
    Period,
    read_answer,
)

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
        result.problems.append("expected an odds file beside the fixtures, got none")
    for name, odds in answers:
        if not fixtures:
            result.problems.append(f"{name}: expected a fixtures file beside it, for the names")
        _Reading(name, odds, fixtures, result).read()
    return result


class _Reading(msgspec.Struct, frozen=True):
    file: str
    odds: Odds
    fixtures: _Fixtures
    result: Imported

    def read(self) -> None:
        american = is_american(_all_prices(self.odds))
        if american:
            self.result.american.append(self.file)
        for league in self.odds.leagues:
            for event in league.events:
                self._read_event(event, american)

    def _read_event(self, event: Event, american: bool) -> None:
        competition, game = self.fixtures.get(event.id, ("", None))
        reason = "no fixture" if game is None else _not_a_game(game)
        if game is None or reason is not None:
            self._skip(reason or "no fixture", event.periods)
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
                self._skip("broken period", raw)
                self.result.problems.append(f"{self.file}: event {event.id}: {error}")
                continue
            if (fault := self._fault(period)) is not None:
                self._skip(fault, raw)
                continue
            for market in reader.read(period):
                self._say(market, period.number, game, code, kick_off)

    def _fault(self, period: Period) -> str | None:
        if self.odds.sport_id != SOCCER:
            return "not football"
        if period.number not in _PERIODS:
            return f"period {period.number}"
        return None if period.status == _OPEN else "suspended"

    def _say(
        self, market: PeriodMarket, period: int, game: Fixture, competition: str, kick_off: int
    ) -> None:
        is_live = game.live_status == _IN_PLAY
        if is_live and market.market_type == "spread":
            count = sum(map(bool, market.odds.values()))
            self.result.skipped["handicap of the rest of the game"] += count
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
        try:
            self.result.quotes.append(check_quote(quote, self.odds.last))
        except BadQuoteError as error:
            self.result.skipped["broken period"] += sum(map(bool, market.odds.values()))
            self.result.problems.append(f"{self.file}: {quote.match_name}: {error}")

    def _skip(self, reason: str, raw: object) -> None:
        self.result.skipped[reason] += count_prices(raw, *_PRICE_FIELDS)


def _not_a_game(fixture: Fixture) -> str | None:
    if fixture.resulting_unit != "Regular":
        return fixture.resulting_unit.lower()
    several = _SEVERAL_GAMES.search(f"{fixture.home} {fixture.away}")
    return "several games" if several else None


def _all_prices(odds: Odds) -> Iterator[float]:
    for league in odds.leagues:
        for event in league.events:
            yield from prices_in(event.periods, *_PRICE_FIELDS)
