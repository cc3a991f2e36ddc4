"""Choices from Polymarket, Kalshi, Betfair and a mirrored service; listing them is free."""

from collections import Counter
from typing import TYPE_CHECKING, Any, ClassVar, Final, cast

import msgspec

from oddsdesk.base.texts import N_
from oddsdesk.contract.administration import Choice, Choices, LiveSource
from oddsdesk.contract.competitions import sport_of, sport_title
from oddsdesk.feeds.betfair.books import read_as, read_result
from oddsdesk.feeds.betfair.catalogue import competition_of_name as betfair_competition
from oddsdesk.feeds.errors import FeedError
from oddsdesk.feeds.kalshi import competition_of_ticker as kalshi_competition
from oddsdesk.feeds.kalshi import known_series
from oddsdesk.feeds.live.errors import ShapeError
from oddsdesk.feeds.live.guide import GamesGuide, SourceGuide, in_order, known_codes, title_of
from oddsdesk.feeds.live.source import decode
from oddsdesk.feeds.polymarket.games import competition_of_league as polymarket_competition

if TYPE_CHECKING:
    from oddsdesk.feeds.betfair.live import Betfair
    from oddsdesk.feeds.live.kalshi import Kalshi
    from oddsdesk.feeds.polymarket.live import Polymarket

_SPORTS: Final = ("1", "2", "7522", "7524", "7511", "6423", "1477")
"""Betfair's numbers for the sports of the contract."""


class _League(msgspec.Struct, frozen=True):
    """A row of gamma's ``/sports``; ``tags`` are numbers with commas between."""

    sport: str
    tags: str


class PolymarketGuide(GamesGuide):
    """Reads gamma's ``/sports``: leagues, each with its own tag among shared ones."""

    about: ClassVar[LiveSource] = LiveSource(
        "polymarket", "Polymarket", N_("Games of a prediction market"), N_("free, streamed")
    )

    async def choices(self) -> Choices:
        """Return the leagues by the tag that the fewest others share."""
        listed = decode(list[_League], await self.feed.source.get("/sports"), "/sports")
        shared = Counter(tag for league in listed for tag in _tags(league))
        return Choices(
            in_order(
                _choice(min(tags, key=lambda tag: shared[tag]), league.sport)
                for league in listed
                if (tags := _tags(league))
            )
        )

    async def games(self, part: str, now_ms: int) -> Any:
        """Return the games of a tag."""
        return (await cast("Polymarket", self.feed).games_of(part)).games


def _tags(league: _League) -> list[str]:
    return [tag for tag in league.tags.split(",") if tag.isdigit()]


def _choice(name: str, league: str) -> Choice:
    code = known_codes(polymarket_competition(league))
    return Choice(name, title_of(code, league.upper()), _sport(code), code)


class KalshiGuide(GamesGuide):
    """Lists the known series; Kalshi's own list has thousands, mostly not sport."""

    about: ClassVar[LiveSource] = LiveSource(
        "kalshi",
        "Kalshi",
        N_("A US exchange; no kick-off times"),
        N_("free, read every 10 seconds"),
    )

    async def choices(self) -> Choices:
        """Return the series, without a request."""
        return Choices(in_order(_series(ticker) for ticker in known_series()))

    async def games(self, part: str, now_ms: int) -> Any:
        """Return the games of a series by their names."""
        feed = cast("Kalshi", self.feed)
        return {quote.match_name for quote in feed.parse(part, await feed.read(part, 0), now_ms)}


def _series(ticker: str) -> Choice:
    code = kalshi_competition(ticker)
    tour = ticker.removeprefix("KX").removesuffix("MATCH")
    return Choice(ticker, title_of(code, tour), _sport(code), code)


def _sport(code: str) -> str:
    return sport_title(sport_of(code)) if code else ""


class _Competition(msgspec.Struct, frozen=True):
    id: str
    name: str


class _Listed(msgspec.Struct, frozen=True, rename="camel"):
    competition: _Competition
    competition_region: str = ""


class BetfairGuide(GamesGuide):
    """Asks ``listCompetitions``."""

    about: ClassVar[LiveSource] = LiveSource(
        "betfair",
        "Betfair",
        N_("The exchange, before commission"),
        N_("free with an account"),
        key=N_("App key and session token, separated by a colon"),
        key_url="https://developer.betfair.com",
    )

    async def choices(self) -> Choices:
        """Return the competitions of the known sports."""
        body = await cast("Betfair", self.feed).call_method(
            "listCompetitions", {"filter": {"eventTypeIds": _SPORTS}}
        )
        try:
            listed = [read_as(_Listed, raw) for raw in read_result(body)]
        except FeedError as error:
            raise ShapeError(f"listCompetitions: {error}") from error
        return Choices(in_order(map(_betfair_choice, listed)))

    async def games(self, part: str, now_ms: int) -> Any:
        """Return the games of a competition by their names."""
        catalogue = await cast("Betfair", self.feed).catalogue_of(part)
        return {market.match_name for market in catalogue.markets.values()}


def _betfair_choice(listed: _Listed) -> Choice:
    code = known_codes(betfair_competition(listed.competition.name))
    where = _sport(code) or listed.competition_region
    return Choice(listed.competition.id, listed.competition.name, where, code)


class MirrorGuide(SourceGuide):
    """Needs only an address and a key."""

    about: ClassVar[LiveSource] = LiveSource(
        "mirror",
        N_("Another odds service"),
        N_("Everything from a service like this one"),
        N_("within your plan"),
        key=N_("Your key for that service"),
        parts=N_("Its address, such as https://odds.example.com"),
    )
